"""A canvas for pictures: a figure of matplotlib with pixel units, a caption, colours, and its files."""

import functools
import os
import warnings

import matplotlib.style
import numpy as np
from matplotlib import patches, patheffects
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from PIL import Image

from penumbra.files import Error, whole_file, whole_files
from penumbra.palette import DARK, GREY

POINT = 0.72 # a pixel in points: figures have 100 pixels per inch
FRAMES_PER_SECOND = 5
MOST_LINES = 1000 # of a path: matplotlib cannot rasterise much longer ones

VALUES = matplotlib.colormaps["viridis"].with_extremes(bad=GREY) # perceived lightness grows with the value

def style():
    """The context in which pictures are made: the user's matplotlib settings have no effect."""
    return matplotlib.style.context(["default", {"svg.fonttype": "none", "svg.hashsalt": "penumbra"}])

def verbatim(text):
    """Text that matplotlib shows unchanged: without mathematics."""
    return text.replace("$", r"\$")

def printable(text):
    """The same, with "?" in place of unprintable characters."""
    return verbatim("".join(c if c.isprintable() else "?" for c in text))

@functools.lru_cache(None)
def _width(text, size):
    return TextPath((0, 0), text, size, FontProperties()).get_extents().x1 if text.strip() else 0.0

class Canvas:
    """Axes of width x height pixels, x to the right and y downwards; `unit` is the height of capitals."""

    def __init__(self, width, height, unit, ground="white", ink=DARK):
        self.width, self.height, self.unit, self.ink = width, height, unit, ink
        self.figure = Figure((width / 100, height / 100), 100, facecolor=ground)
        FigureCanvasAgg(self.figure)
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.axis("off")
        self.axes.set(xlim=(0, width), ylim=(height, 0))
        self._words = []

    def lines(self, ends, colours, widths, zorder, **more):
        """Draws lines between pairs of places, [n, 2, 2]; lines of one style form one path."""
        looks = np.empty((len(ends), 5))
        looks[:, :4], looks[:, 4] = to_rgba_array(colours), np.maximum(np.round(widths, 1), 0.1)
        looks, which = np.unique(looks, axis=0, return_inverse=True)
        paths, looks_of = [], []
        for k, look in enumerate(looks):
            mine = ends[which.reshape(-1) == k] # NumPy 2.0.0 gives `which` two dimensions
            for some in np.split(mine, range(MOST_LINES, len(mine), MOST_LINES)):
                paths.append(Path(some.reshape(-1, 2), np.tile([Path.MOVETO, Path.LINETO], len(some))))
                paths[-1].should_simplify = False # short lines would be dropped
                looks_of.append(look)
        styles = np.reshape(looks_of, (-1, 5))
        self.axes.add_collection(PathCollection(paths, facecolors="none", edgecolors=styles[:, :4], capstyle="round",
                                                linewidths=POINT * styles[:, 4], zorder=zorder, **more))

    def text(self, x, y, text):
        """Draws text with a white border, readable on any background."""
        border = patheffects.Stroke(linewidth=0.4 * self.unit * POINT, foreground="white")
        for effects in [border], None: # in SVG, text with effects is not text any more
            self.axes.text(x, y, printable(text), ha="center", va="baseline", size=1.38 * self.unit * POINT,
                           color=self.ink, path_effects=effects, zorder=9)

    def say(self, *texts, colour=None):
        """Adds words to the caption, with a dot before them if they have a colour."""
        self._words += [(printable(text), colour) for text in texts]

    def caption(self, bar=None):
        """Draws the caption below the axes; with `bar`, its two end values, also a colour bar and an empty text,
        which is returned, for the name of a frame."""
        unit, size = self.unit, 1.38 * self.unit
        left, x, y, placed = self.width / 50, self.width / 50, 2 * unit, []
        for text, colour in self._words:
            wide = _width(text, size) + (0 if colour is None else 1.5 * unit)
            if x > left and x + wide > self.width - left:
                x, y = left, y + 2 * unit
            placed.append((x, y, text, colour))
            x += wide + 1.5 * unit
        below = y + (2 * unit if bar else 0) + unit
        whole = self.height + below
        self.figure.set_size_inches(self.width / 100, whole / 100)
        self.axes.set_position((0, below / whole, 1, self.height / whole))
        foot = self.figure.add_axes((0, 0, 1, below / whole))
        foot.axis("off")
        foot.set(xlim=(0, self.width), ylim=(below, 0))
        style = {"size": size * POINT, "color": self.ink, "va": "baseline"}
        for x, y, text, colour in placed:
            if colour is not None:
                foot.add_patch(patches.Circle((x + unit / 2, y - unit / 2), unit / 2, color=colour, linewidth=0))
            foot.text(x + (0 if colour is None else 1.5 * unit), y, text, **style)
        if not bar:
            return None
        y, ends = y + 2 * unit, [f"{end:g}" for end in bar]
        begin = left + _width(ends[0], size) + unit / 2
        foot.imshow(np.linspace(0, 1, 256)[None], VALUES, extent=(begin, begin + self.width / 4, y, y - unit),
                    aspect="auto", interpolation="nearest")
        foot.set(xlim=(0, self.width), ylim=(below, 0))
        foot.text(left, y, ends[0], **style)
        end = begin + self.width / 4 + unit / 2
        foot.text(end, y, ends[1], **style)
        return foot.text(end + _width(ends[1], size) + 2 * unit, y, "", **style)

def save(path, frames, show):
    """Writes pictures: show(frame) returns the canvas with one of them."""
    if path.endswith(".gif") and "{frame}" in path:
        raise Error(f"{path}: all states are in one .gif, whose name has no {{frame}}")
    if frames > 1 and not path.endswith(".gif") and "{frame}" not in path:
        raise Error(f"{path}: one picture of {frames} states can only be a .gif; a series has {{frame}} in its name")
    dates, ending = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}, path[-4:] # equal files at any time
    with style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph") # names may have letters that the font lacks
        if path.endswith(".gif"):
            size = show(0).figure.get_size_inches()

            def draw(frame):
                figure = show(frame).figure
                figure.set_size_inches(size) # a caption may need another line
                figure.canvas.draw()
                return Image.fromarray(np.array(figure.canvas.buffer_rgba()))

            images = map(draw, range(frames)) # all at once would take much memory
            with whole_file(path) as out:
                next(images).save(out, "gif", save_all=True, append_images=images, duration=1000 / FRAMES_PER_SECOND,
                                  loop=0)
            return
        with whole_files() as create:
            for frame in range(frames):
                with create(path.replace("{frame}", f"{frame:04d}")) as out:
                    show(frame).figure.savefig(out, format=ending[1:], dpi=100, metadata=dates.get(ending))
