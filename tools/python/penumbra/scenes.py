"""Pictures of results of runs: special ones for battlefield, shock and nbody, for others by a column."""

import os
from colorsys import hls_to_rgb

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgb

from penumbra.canvas import POINT, Canvas
from penumbra.drawing import Picture, measure
from penumbra.files import Error
from penumbra.graphs import Graph
from penumbra.palette import DARK, PALETTE
from penumbra.vtu import read_vtu

def _canvas(corners, size, down=False, **how):
    """A canvas for cells; a function that maps places to it, with y upwards or down; pixels per unit of length."""
    low, high = corners.reshape(-1, 2).min(0), corners.reshape(-1, 2).max(0)
    margin, scale = size / 50, 0.96 * size / max(high - low)
    canvas = Canvas(*(scale * (high - low) + 2 * margin).astype(int).tolist(), max(7, size / 100), **how)
    from_corner = (lambda xy: xy - low) if down else (lambda xy: (xy - (low[0], high[1])) * (1, -1))
    return canvas, lambda xy: margin + scale * from_corner(xy), scale

def _sides(corners, labels):
    """The sides of cells whose neighbour has another label, and those without a neighbour: [k, 2, 2] each."""
    sides = np.stack((corners, np.roll(corners, -1, 1)), 2).reshape(-1, 2, 2)
    known = np.unique(np.round(sides.mean(1), 3), axis=0, return_inverse=True)[1].reshape(-1)
    order, label = np.argsort(known, kind="stable"), np.repeat(labels, corners.shape[1])
    first = np.flatnonzero(known[order][1:] == known[order][:-1])
    one, other = order[first], order[first + 1]
    lone = np.ones(len(sides), bool)
    lone[one] = lone[other] = False
    return sides[one[label[one] != label[other]]], sides[lone]

# ---- battlefield: hexes by terrain or, where there are units, by side, the deeper the more assets --------------------

TERRAINS = np.array([to_rgb(c) for c in ("#f1eddc", "#d9c9a3", "#bfd3a8", "#d8c8b0", "#cfd9cf", "#c4c0c4", "#9cc3dd")])
LIGHT = np.array([to_rgb(c) for c in ("#f6b3a2", "#a9c4f2", "#d9a6dc")]) # of red, blue, both
DEEP = np.array([to_rgb(c) for c in ("#a01008", "#0c2f94", "#5a0a6e")])

def _draw_battle(first, now, size):
    c, assets = now.columns, np.array([now.columns[side].astype(float) for side in ("red", "blue")])
    units = np.array([c["red_units"], c["blue_units"]], int)
    begin = [[first.columns[name].sum(dtype=float) for name in names]
             for names in (("red", "blue"), ("red_units", "blue_units"))]
    full = max([1.0, *(4 * a / u for a, u in zip(*begin) if u)]) # the assets of four units have the deepest colour
    canvas, to_canvas, scale = _canvas(now.corners[:, :, :2], size, down=True)
    corners, middles = to_canvas(now.corners[:, :, :2]), to_canvas(now.points[:, :2])
    held = np.append(np.full((2, 1), 0.3), 0)[np.minimum(c["holder"], 2)][:, None]
    colours = (1 - held) * TERRAINS[c["terrain"]] + held * LIGHT[np.minimum(c["holder"], 2)]
    there = (units > 0).any(0)
    side = np.where((units > 0).all(0), 2, units[1] > 0).astype(int)
    share = np.minimum(1, np.sqrt(assets.sum(0) / full))[:, None]
    colours[there] = ((1 - share) * LIGHT[side] + share * DEEP[side])[there]
    canvas.axes.add_collection(PolyCollection(corners, facecolors=colours, edgecolors=(1, 1, 1, 0.5),
                                              linewidths=0.035 * scale * POINT, zorder=1))
    fights = c["engaged"] > 0
    canvas.axes.scatter(*middles[fights].T, (0.3 * scale * POINT)**2, c="white", linewidths=0, zorder=2)
    owners = c.get("owner", np.zeros(len(side)))
    borders = _sides(corners, owners)[0]
    canvas.lines(borders, "#111111", 0.14 * scale, 3)
    for who, wide in ((0, 0.26), (1, 0.14)): # different widths, since both may have the same objective
        goal = (c["marks"] >> (2 + who) & 1).astype(bool)
        if goal.any():
            around = _sides(corners[goal], np.zeros(goal.sum()))[1]
            canvas.lines(around, "white", (wide + 0.12) * scale, 4)
            canvas.lines(around, DEEP[who], wide * scale, 5)
        for x, y in middles[(c["marks"] >> who & 1).astype(bool)]: # a flag
            flag = scale * np.array([(-0.23, 0.46), (-0.23, -0.75), (0.64, -0.4), (-0.23, -0.06)])
            canvas.axes.fill(*((x, y) + flag).T, facecolor=DEEP[who], edgecolor="white", linewidth=0.07 * scale * POINT,
                             zorder=6)
    canvas.say(f"step {now.time:.0f}")
    for who, name in enumerate(("red", "blue")):
        canvas.say(f"{name} {assets[who].sum():.0f} assets in {units[who].sum()} units", colour=DEEP[who])
    canvas.say("both", colour=DEEP[2])
    canvas.say(f"{fights.sum()} hexes in combat (white dots)")
    if len(borders):
        canvas.say("ranks (borders)", colour="#111111")
    canvas.caption()
    return canvas

# ---- shock: cells in the colours of their ranks, the finest ones outlined, since the wave is there -------------------

def _find_edges(c):
    """Pairs of cells that share a piece of a side, on a raster of finest cells."""
    level, deepest = c["level"], int(c["level"].max())
    sides = 1 << (deepest - level)
    raster = np.full((((c["y"] + 1) * sides).max(), ((c["x"] + 1) * sides).max()), -1)
    for side in np.unique(sides):
        some = np.flatnonzero(sides == side)
        for dy, dx in np.ndindex(side, side):
            raster[c["y"][some] * side + dy, c["x"][some] * side + dx] = some
    pairs = np.concatenate([np.stack(ends, -1).reshape(-1, 2) for ends in ((raster[:, :-1], raster[:, 1:]),
                                                                           (raster[:-1], raster[1:]))])
    return np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], 1), axis=0)

def _draw_shock(first, now, size):
    c, owners = now.columns, now.columns.get("owner", np.zeros(len(now.points), int))
    canvas, to_canvas, scale = _canvas(now.corners[:, :, :2], size)
    corners, finest = to_canvas(now.corners[:, :, :2]), c["level"] == c["level"].max()
    canvas.axes.add_collection(PolyCollection(corners, facecolors=[PALETTE[o % len(PALETTE)] for o in owners],
                                              edgecolors="white", linewidths=0.04 * scale * POINT, zorder=1))
    if not finest.all():
        canvas.lines(_sides(corners[finest], np.zeros(finest.sum()))[1], DARK, 0.1 * scale, 2)
    edges, counts = _find_edges(c), np.bincount(owners)
    cut = owners[edges[:, 0]] != owners[edges[:, 1]]
    leaving, own = np.bincount(owners[edges[cut]].ravel()), np.bincount(owners[edges[~cut, 0]], minlength=len(counts))
    off = max(leaving / np.maximum(own[:len(leaving)] + leaving, 1)) if cut.any() else 0.0
    canvas.say(f"step {now.time:.0f}", f"{len(owners)} cells", f"{len(edges)} edges",
               f"imbalance {100 * abs(counts * len(counts) / len(owners) - 1).max():.1f} %",
               f"off-processor edges {100 * off:.1f} %")
    canvas.caption()
    return canvas

# ---- nbody: bodies as light on dark ground, and around each rank's a thin line ---------------------------------------

GLOW = LinearSegmentedColormap.from_list("glow", list(zip(
    (0.0, 0.2, 0.4, 0.58, 0.75, 0.9, 1.0),
    ("#05060e", "#121842", "#4a2c78", "#be4c54", "#fa983e", "#ffde96", "#ffffff"))))
BINS, NODES = 360, 121

def _expose(at, weights, bins, blur=0.0):
    """A raster of weights at places in the unit square, blurred by a bell curve of width `blur` in bins."""
    raster = np.histogram2d(at[:, 1], at[:, 0], bins, ((0, 1), (0, 1)), weights=weights)[0]
    if not blur:
        return raster
    bell = np.exp(-2 * (np.pi * blur * np.fft.fftfreq(2 * bins))**2) # of twice the size, so that nothing wraps around
    return np.fft.ifft2(np.fft.fft2(raster, (2 * bins, 2 * bins)) * bell * bell[:, None]).real[:bins, :bins]

def _bodies(results):
    """Places, masses and ranks of all bodies; and the number of leaves."""
    x, y, _, mass = results.columns["places"].reshape(len(results.points), 4, -1).transpose(1, 0, 2)
    leaf, which = np.nonzero(mass > 0)
    owners = results.columns.get("owner", np.zeros(len(x), int))
    return np.column_stack((x[leaf, which], y[leaf, which])), mass[leaf, which], owners[leaf], len(np.unique(leaf))

def _draw_bodies(first, now, size):
    begin, mass, *_ = _bodies(first) # the view has room for most of their first places
    middle = np.average(begin, axis=0, weights=mass)
    reach = 1.25 * np.sort(abs(begin - middle).max(1))[len(begin) * 85 // 100] or 1.0
    at, mass, owners, leaves = _bodies(now)
    at, weights = 0.5 + 0.5 * (at - middle) / reach, np.minimum(mass / mass.mean(), 100)
    canvas = Canvas(size, size, max(7, size / 100), ground=GLOW(0), ink="#c9cede")
    wide, sharp = _expose(at, weights, BINS, 6.5), _expose(at, weights, BINS)
    light = 0.55 * np.sqrt(np.maximum(wide, 0) / (wide.max() or 1)) \
        + 0.55 * np.log1p(4 * sharp) / np.log1p(4 * sharp.max() or 1)
    canvas.axes.imshow(light, GLOW, vmin=0, vmax=1, extent=(0, size, size, 0), origin="lower", interpolation="nearest")
    ranks = np.unique(owners)
    if len(ranks) > 1: # lines where a rank's bodies outweigh the others' by a tenth, and are not too few
        density = np.array([_expose(at[owners == r], weights[owners == r], NODES, 2.4) for r in ranks])
        best = np.sort(density, 0)
        spots = (np.arange(NODES) + 0.5) * size / NODES
        for rank, own in zip(ranks, density):
            others = np.where(own == best[-1], best[-2], best[-1])
            lead = own - 1.1 * np.maximum(others, 0.15 * weights.sum() / NODES**2)
            colour = hls_to_rgb((190 + 222 * rank) % 360 / 360, 0.62 if rank % 2 else 0.72, 0.9)
            if lead.max() > 0:
                canvas.axes.contour(spots, size - spots, lead, [0.0], colors=[colour], linewidths=size / 740 * POINT)
    canvas.axes.set(xlim=(0, size), ylim=(size, 0))
    canvas.say(f"step {now.time:.0f}", f"{len(at)} bodies in {leaves} leaves")
    if len(ranks) > 1 and now.columns.get("load", np.zeros(1)).any():
        loads = np.bincount(now.columns["owner"], now.columns["load"])
        canvas.say(f"imbalance {loads.max() / loads.mean():.3f}")
    canvas.caption()
    return canvas

# ---- Any -------------------------------------------------------------------------------------------------------------

def _is_of(results, kinds):
    """Whether the nodes have these columns in the application's form, since another program may use their names: of
    nbody `places` has four numbers for each body, of the others they have one number for each cell."""
    columns = [results.columns.get(name, np.empty(0)) for name in kinds]
    if [column.dtype.kind for column in columns] != list(kinds.values()):
        return False
    if "places" in kinds:
        return columns[0].ndim == 2 and columns[0].shape[1] % 4 == 0
    return results.corners is not None and all(column.ndim == 1 for column in columns)

# Kinds of columns by name, and the picture.
KNOWN = (({name: "u" for name in ("terrain", "marks", "red", "blue", "red_units", "blue_units", "engaged", "holder")},
          _draw_battle),
         ({name: "i" for name in ("level", "x", "y", "mass")}, _draw_shock), ({"places": "f"}, _draw_bodies))

def _column(results, name):
    if name not in results.columns or results.columns[name].ndim > 1:
        raise Error(f"there is no column '{name}' of one value; there are "
                    + ", ".join(name for name, column in results.columns.items() if column.ndim == 1))
    return results.columns[name]

def draw_results(paths, column, size, window=None, bounds=None):
    """A function that makes the k-th picture; without a column, that of the application if there is one, or else of
    its first column of one value."""
    first = read_vtu(paths[0])
    known = [draw for kinds, draw in KNOWN if _is_of(first, kinds)]
    if known and column is None:
        if window:
            raise Error("--window applies to a picture of a column: give --values=COLUMN")
        return lambda k: known[0](first, read_vtu(paths[k]), size)
    if column == "owner" and bounds:
        raise Error("--range applies to values, not to the parts of --values=owner")
    column = column or next((name for name, values in first.columns.items() if values.ndim == 1), "")
    found, missing = measure(_column(read_vtu(path), column).astype(float) for path in paths)

    def show(k):
        now = read_vtu(paths[k])
        n, values, title = len(now.points), _column(now, column), os.path.basename(paths[k])
        graph = now.graph or Graph(np.zeros(n + 1, int), np.empty(0, int), np.arange(n), coordinates=now.points)
        flat = now.corners is not None and not np.ptp(now.corners[:, :, 2])
        corners = now.corners[:, :, :2] if flat else None
        if column == "owner":
            return Picture(graph, title, size, window, values.astype(int), corners=corners).canvas
        picture = Picture(graph, title, size, window, None, bounds or found, missing, column, corners)
        return picture.show(values.astype(float))
    return show
