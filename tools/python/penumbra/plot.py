"""Plots of metrics for pen-plot: draw("speedup", read_runs(paths)) is an SVG; and of pen-comm's tables. Dashes and
marks repeat the meaning of colours, for printing in black and white."""

import io
import math
import textwrap
import warnings
from itertools import groupby

import matplotlib.style
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import blended_transform_factory

from penumbra import palette
from penumbra.canvas import verbatim
from penumbra.files import Error
from penumbra.metrics import CATEGORIES, plain, speedups, times
from penumbra_command import unknown

MM, WIDTH = 1 / 25.4, 85
LINE, LEFT, BELOW = 4, 17, 10 # mm of a line of text, and of labels beside an axis
DASHES = ["-", (0, (6, 2.7)), (0, (6, 2, 1.3, 2)), (0, (2.7, 1.3)), (0, (9, 2, 2.7, 2))]
MARKS = "osDv^<>pPXdh*"
STYLE = {"font.family": "sans-serif", "font.sans-serif": ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"],
         "font.size": 7, "svg.fonttype": "none", "svg.hashsalt": "penumbra", "savefig.dpi": 300, "path.simplify": False,
         "axes.unicode_minus": False, "axes.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False,
         "axes.grid": True, "axes.grid.axis": "y", "axes.axisbelow": True, "grid.color": "#d9d9d9",
         "grid.linewidth": 0.4, "lines.linewidth": 1.1, "lines.markersize": 3.2, "lines.markeredgewidth": 0.6,
         "xtick.major.size": 2.5, "xtick.major.width": 0.6, "ytick.major.size": 2.5, "ytick.major.width": 0.6,
         "legend.frameon": False, "legend.borderpad": 0, "legend.borderaxespad": 0, "legend.handlelength": 2.8,
         "legend.labelspacing": 0.5, "legend.columnspacing": 1.5}
NUMBER = FuncFormatter(lambda value, _: f"{value:.10g}")

def _line(i):
    return {"color": palette.LINES[i % len(palette.LINES)], "linestyle": DASHES[i % len(DASHES)]}

def _label(text):
    """Text that matplotlib shows unchanged, and never leaves out of legends."""
    return (" " if text.startswith("_") else "") + verbatim(text)

class Sheet:
    """A figure in mm, from its lower left corner."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.figure = Figure((width * MM, height * MM))

    def axes(self, right, bottom, top, x="", y="", left=LEFT):
        """Adds a plot; the names of its axes are at the edges of the sheet."""
        axes = self.figure.add_axes([left / self.width, bottom / self.height, (right - left) / self.width,
                                     (top - bottom) / self.height])
        axes.set_xlabel(x, va="bottom")
        axes.set_ylabel(y, va="center")
        whole_figure = self.figure.transFigure
        axes.xaxis.set_label_coords(0.5, 2 / self.height, blended_transform_factory(axes.transAxes, whole_figure))
        axes.yaxis.set_label_coords(2.5 / self.width, 0.5, blended_transform_factory(whole_figure, axes.transAxes))
        for axis in axes.xaxis, axes.yaxis:
            axis.set(major_formatter=NUMBER, major_locator=_ticks())
        return axes

    def key(self, handles, x=2, y=1.5, **more):
        """Adds a key, by default at the upper edge."""
        self.figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(x / self.width, 1 - y / self.height),
                           **more)

def _ticks(whole_only=False):
    """Ticks of an axis, for steps and ranks only at whole numbers."""
    return MaxNLocator(9, integer=whole_only, steps=[1, 2, 5, 10], min_n_ticks=1 if whole_only else 2)

def _steps(axes, most):
    axes.set_xlim(0, most)
    axes.xaxis.set_major_locator(_ticks(True))

# ---- Figures ---------------------------------------------------------------------------------------------------------

def _over_ranks(points, value, name, width, also=(), extra=0):
    """(sheet, axes, lines): a curve for each series. The axis also has room for the values `also`, and the key for
    `extra` lines."""
    series = [list(group) for _, group in groupby(points, lambda p: p.run.key())]
    key = LINE * (len(series) + extra) + 3
    sheet = Sheet(width, 0.72 * width + key)
    axes = sheet.axes(width - 3, BELOW, sheet.height - key, "ranks", name)
    axes.grid(True, axis="both")
    least, most = (f(p.run.ranks for p in points) for f in (min, max))
    values = [*map(value, points), *also]
    if most >= 8 * least:
        for axis, begin, end in ("x", least, most), ("y", min(values), max(values)):
            axes.set(**{axis + "scale": "log", axis + "lim": (begin / 1.15, end * 1.15)})
            getattr(axes, axis + "axis").set(major_locator=FixedLocator(2.0 ** np.arange(-40, 40)),
                                             minor_locator=NullLocator(), major_formatter=NUMBER)
    else:
        _steps(axes, most * 1.05)
        axes.set_ylim(0, max(values) * 1.05)
    lines = []
    for i, group in enumerate(series):
        lines += axes.plot([p.run.ranks for p in group], [value(p) for p in group], marker=MARKS[i % len(MARKS)],
                           label=_label(group[0].run.series), clip_on=False, gid=f"series-{i}", **_line(i))
    return sheet, axes, lines

def speedup(runs, width=WIDTH):
    points = speedups(runs)
    bases = list(dict.fromkeys(p.base for p in points))
    least, most = (f(p.run.ranks for p in points) for f in (min, max))
    sheet, axes, lines = _over_ranks(points, lambda p: p.factor, "speed-up of all steps", width, (least, most),
                                     1 + len(bases))
    lines[:0] = axes.plot([least, most], [least, most], color=palette.GREY, linestyle=(0, (1, 1.5)), linewidth=0.8,
                          label="ideal", gid="ideal")
    sheet.key(lines + [Line2D([], [], linestyle="", label=_label(f"baseline: {b.run.point}, {b.seconds:.4g} s"))
                       for b in bases])
    return sheet

def seconds(runs, width=WIDTH):
    points = times(runs)
    sheet, axes, lines = _over_ranks(points, lambda p: p.seconds, "seconds of all steps", width)
    if axes.get_yscale() == "log":
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
    sheet.key(lines)
    return sheet

# An overhead has a lighter shade of its category's colour.
SHADES = dict(zip(CATEGORIES, (palette.LIGHT_GREY, palette.BLUE, palette.SKY, palette.VERMILION, palette.ORANGE,
                               palette.GREEN)))

def _bars(sheet, axes, places, seconds):
    """Stacked categories. Gaps and seams between many bars would flicker, so each category is one shape down to 0,
    with the categories below drawn over it."""
    few = len(places) < 64
    edges = np.asarray(places, float)[:, None] + (0.38 if few else 0.5) * np.array([-1, -1, 1, 1])
    tops = np.cumsum([[s[key] for s in seconds] for key in CATEGORIES], axis=0)
    for key, low, high in reversed([*zip(CATEGORIES, [0 * tops[0], *tops], tops)]):
        corners = np.stack((edges, np.column_stack((few * low, high, high, few * low))), axis=2)
        axes.add_collection(PolyCollection(corners if few else corners.reshape(1, -1, 2), facecolors=SHADES[key],
                                           linewidths=0, gid=key))
    axes.set(xlim=(-0.7, max(places) + 0.7), ylim=(0, 1.04 * tops[-1].max() or 1))
    sheet.key([Patch(color=SHADES[key], label=CATEGORIES[key]) for key in reversed(CATEGORIES)], ncol=2,
              handlelength=1.5)

def categories(runs, width=WIDTH):
    """A bar for each rank of one run, or, for several runs, for the means over each run's ranks, by series."""
    groups = [list(group) for _, group in groupby(runs, lambda r: r.key())]
    bars = len(runs) + len(groups) - 1 if len(runs) > 1 else runs[0].ranks
    rows = 0
    if len(groups) > 1: # names of groups that do not fit side by side are put below each other
        need = [1.6 * len(g[0].series) / ((width - 15) / bars * (len(g) + 1)) for g in groups]
        rows = min(1 + int(max(need)), len(groups))
    sheet = Sheet(width, 0.62 * width + (3 + rows) * LINE)
    axes = sheet.axes(width - 2, BELOW + rows * LINE, sheet.height - 3 * LINE - 3,
                      "rank" if len(runs) == 1 else "ranks", "seconds")
    if len(runs) == 1:
        _bars(sheet, axes, range(bars), [r["seconds"] for r in runs[0].per_rank])
        axes.xaxis.set_major_locator(_ticks(True))
        return sheet
    places, names = [], []
    for i, group in enumerate(groups):
        first = places[-1] + 2 if places else 0
        places += range(first, first + len(group))
        if rows:
            axes.text(first + (len(group) - 1) / 2, (BELOW - 7.5 + LINE * (rows - i % rows)) / sheet.height,
                      _label(group[0].series), ha="center", va="center",
                      transform=blended_transform_factory(axes.transData, sheet.figure.transFigure))
        names += [r.ranks for r in group]
    _bars(sheet, axes, places, [r.mean for r in runs])
    every = math.ceil(len(runs) / 24)
    axes.set_xticks(places[::every], map(str, names[::every]))
    return sheet

def balance(runs, width=WIDTH):
    for r in runs:
        r.need_history()
    calls = [[(c["step"], c["imbalance_before"], c["moved_nodes"] if c["applied"] else 0, c["applied"])
              for c in r.calls] for r in runs]
    flat = [c for each in calls for c in each]
    kinds = [kind for kind in (True, False) if any(c[3] is kind for c in flat)]
    panel, key = 0.36 * width, LINE * (len(runs) + len(kinds)) + 3
    below = BELOW + (panel + 4 if flat else 0)
    sheet = Sheet(width, below + panel + key)
    steps = max(1, *(r.metrics["steps"] for r in runs))
    upper = sheet.axes(width - 4, below, below + panel, "" if flat else "step", "imbalance")
    highest = max(1.1, *(r.imbalance.max() for r in runs), *(c[1] for c in flat))
    upper.set_ylim(1, 1 + 1.08 * (highest - 1))
    lower = None
    if flat:
        lower = sheet.axes(width - 4, BELOW, BELOW + panel, "step", "moved nodes")
        lower.set_ylim(0, 1.08 * max(1, *(c[2] for c in flat)))
    lines = []
    for i, r in enumerate(runs):
        colour, mark = _line(i)["color"], MARKS[i % 5]
        lines += upper.plot(np.repeat(r.load_ends, 2)[1:-1], np.repeat(r.imbalance, 2), label=_label(r.label),
                            gid=f"imbalance-{i}", **_line(i))
        for kind in kinds:
            at = np.array([c[:3] for c in calls[i] if c[3] is kind]).reshape(-1, 3)
            style = {"color": colour, "linestyle": "", "marker": mark, "clip_on": False, "zorder": 3, "markersize": 2.6,
                     "markerfacecolor": colour if kind else "white"}
            name = f"{'applied' if kind else 'kept'}-{i}"
            upper.plot(at[:, 0], at[:, 1], gid=name, **style)
            lower.plot(at[:, 0], at[:, 2], gid=name + "-moved", **style)
            if kind:
                lower.vlines(at[:, 0], 0, at[:, 2], colour, linewidth=0.7)
    for axes in filter(None, (upper, lower)):
        _steps(axes, steps)
    if lower:
        upper.tick_params(labelbottom=False)
    sheet.key(lines + [Line2D([], [], color="black", linestyle="", marker="o", markerfacecolor=face, label=text)
                       for kind, face, text in ((True, "black", "balance call, applied"),
                                                (False, "white", "balance call, nothing moved")) if kind in kinds])
    return sheet

def _cells(run, most, gid):
    """Rectangles, sharp at any size, one for equal consecutive loads; each extends below the next ones, without
    seams. If there are many, they become an image."""
    ranks, samples = run.loads.shape
    row, begin = np.nonzero(np.diff(run.loads, prepend=-1))
    end = np.where(np.append(np.diff(row), 1), samples, np.append(begin[1:], 0))
    left, right = (run.load_ends[np.minimum(at, samples)] for at in (begin, end + 1))
    low, high = row - 0.5, np.minimum(row + 2, ranks) - 0.5
    corners = np.stack((np.column_stack((left, right, right, left)), np.column_stack((low, low, high, high))), axis=2)
    # Viridis (van der Walt and Smith, 2015) is perceptually uniform.
    return PolyCollection(corners, array=run.loads[row, begin], cmap="viridis", norm=Normalize(0, most), linewidths=0,
                          rasterized=len(row) > 32768, gid=gid)

def loads(runs, width=WIDTH):
    for r in runs:
        r.need_history()
        unit, first = r.history["unit"], runs[0].history["unit"]
        if unit != first:
            raise Error(f"loads of {runs[0].path} are in {first}, those of {r.path} in {unit}: they have no scale in "
                        "common")
    one = len(runs) == 1
    panel = (0.5 if one else 0.36) * width
    each = panel + (3 if one else 10)
    sheet = Sheet(width, BELOW + each * len(runs) - (0 if one else 3))
    most = max(r.loads.max() for r in runs) or 1
    for i, r in enumerate(runs):
        bottom = BELOW + each * (len(runs) - 1 - i)
        axes = sheet.axes(width - 20, bottom, bottom + panel, "" if i + 1 < len(runs) else "step", "rank")
        cells = axes.add_collection(_cells(r, most, gid=f"loads-{i}"))
        axes.grid(False)
        axes.spines[:].set_visible(True)
        _steps(axes, r.load_ends[-1])
        axes.set_ylim(-0.5, r.ranks - 0.5)
        axes.yaxis.set_major_locator(_ticks(True))
        box = sheet.figure.add_axes([(width - 18) / width, bottom / sheet.height, 2.5 / width, panel / sheet.height])
        sheet.figure.colorbar(cells, box, format=NUMBER, ticks=_ticks())
        box.grid(False)
        box.set_ylabel(f"load per step, {r.history['unit']}", va="center")
        box.yaxis.set_label_coords((width - 2.5) / width, 0.5,
                                   blended_transform_factory(sheet.figure.transFigure, axes.transAxes))
        if not one:
            axes.set_title(_label(r.label), loc="left", fontsize=7, pad=3)
    return sheet

def active(runs, width=WIDTH):
    """The number of nodes that steps have computed, and all nodes as a grey line. Zero is at the lower edge."""
    for r in runs:
        r.need_active()
    nodes, zero = list(dict.fromkeys(r.nodes for r in runs)), 0.5
    key = LINE * (len(runs) + 1) + 3
    sheet = Sheet(width, 0.62 * width + key)
    axes = sheet.axes(width - 4, BELOW, sheet.height - key, "step", "active nodes", LEFT + 3)
    axes.set(yscale="log", ylim=(zero, 1.5 * max(1, *nodes)))
    axes.yaxis.set(major_locator=LogLocator(), minor_locator=NullLocator(), major_formatter=NUMBER)
    ends = [r.resumed + np.arange(len(r.active["nodes"]) + 1) * r.active["stride"] for r in runs]
    _steps(axes, max(e[-1] for e in ends))
    lines = []
    for i, (r, at) in enumerate(zip(runs, ends)):
        lines += axes.plot(np.repeat(at, 2)[1:-1], np.repeat(np.maximum(r.active["nodes"], zero), 2),
                           label=_label(r.label), gid=f"active-{i}", **_line(i))
    for n in nodes:
        last = axes.plot([0, max(e[-1] for e in ends)], [n, n], color=palette.GREY, linestyle=(0, (1, 1.5)),
                         linewidth=0.8, label="all nodes", gid=f"all-{n}")
    sheet.key(lines + last)
    return sheet

def _sum(run, names):
    """[moments] of "kinetic+potential"; NaN if a value is missing."""
    total = 0.0
    for name in [names] if names in run.observables else names.split("+"):
        if name not in run.observables:
            raise Error(unknown("observable", name, list(run.observables)))
        total = total + np.array(run.observables[name], float)
    return total

def observables(runs, of=None, relative=False, width=WIDTH):
    """For read_observed(paths): all observables of the first, or those of `of`."""
    curves = []
    for r in runs:
        if not r.observables:
            raise Error(f"{r.path}: this run has no observables")
        if not len(r.observed_at):
            raise Error(f"{r.path}: this run took no steps")
        for names in of.split(",") if of else runs[0].observables:
            values = _sum(r, names)
            if relative:
                if not np.isfinite(values[0]) or values[0] == 0:
                    raise Error(f"{r.path}: {names} is {values[0]:g} at first, so that there is no relative change")
                values = (values - values[0]) / abs(values[0])
            before = f"{r.label}: " if len(runs) > 1 else ""
            curves.append((r, values, _label(before + names.replace("+", " + "))))
    known = np.concatenate([values[np.isfinite(values)] for _, values, _ in curves])
    if known.size == 0:
        raise Error(f"{runs[0].path}: no finite numbers to draw")
    low, high = np.clip([known.min(), known.max()], -1e307, 1e307) # so that the axis has a length
    room = 0.05 * (high - low if low < high else abs(low)) or 1
    key = LINE * len(curves) + 3
    sheet = Sheet(width, 0.62 * width + key)
    axes = sheet.axes(width - 4, BELOW, sheet.height - key, "step", "change / first value" if relative else "",
                      LEFT + 5) # numbers have more digits here
    axes.set_ylim(low - room, high + room)
    _steps(axes, max(1, *(int(r.observed_at[-1]) for r, _, _ in curves)))
    lines = []
    for i, (r, values, label) in enumerate(curves):
        lines += axes.plot(r.observed_at, values, label=label, gid=f"curve-{i}",
                           marker="o" if len(values) == 1 else None, **_line(i))
    sheet.key(lines)
    return sheet

def replay(rows, width=WIDTH):
    """For read_replays(path): efficiency and cut over the ranks, and cut against imbalance. If predicted times mean
    little, the efficiency is that of work alone."""
    series = list(dict.fromkeys(row["series"] for row in rows))
    panel, key = 0.45 * width, LINE * len(series) + 3
    sheet = Sheet(width, 3 * (panel + BELOW + 4) + key)
    for k, (x, y) in enumerate((("imbalance", "cut"), ("ranks", "cut"), ("ranks", rows[0]["drawn"]))):
        bottom = k * (panel + BELOW + 4) + BELOW
        axes = sheet.axes(width - 3, bottom, bottom + panel, x, y)
        axes.xaxis.set_label_coords(0.5, (bottom - BELOW + 2) / sheet.height,
                                    blended_transform_factory(axes.transAxes, sheet.figure.transFigure))
        axes.yaxis.set_label_coords(2.5 / width, 0.5,
                                    blended_transform_factory(sheet.figure.transFigure, axes.transAxes))
        axes.grid(True, axis="both")
        lines = []
        for i, name in enumerate(series):
            at = sorted((row[x], row[y]) for row in rows if row["series"] == name)
            style = {**_line(i), **({"linestyle": ""} if x == "imbalance" else {})}
            lines += axes.plot(*zip(*at), marker=MARKS[i % len(MARKS)], label=_label(name), clip_on=False,
                               gid=f"{x}-{y.split()[-1]}-{i}", **style)
        least, most = (f(row[x] for row in rows) for f in (min, max))
        if x == "ranks" and most >= 8 * least:
            axes.set(xscale="log", xlim=(least / 1.15, most * 1.15))
            axes.xaxis.set(major_locator=FixedLocator(2.0 ** np.arange(21)), minor_locator=NullLocator(),
                           major_formatter=NUMBER)
        elif x == "ranks":
            _steps(axes, most * 1.05)
        axes.set_ylim(0, 1.05 * max(row[y] for row in rows) or 1)
    sheet.key(lines)
    return sheet

# ---- pen-comm --------------------------------------------------------------------------------------------------------

def _bytes(value, _):
    unit = min(int(math.log(max(value, 1), 1024)), 3)
    return f"{value / 1024**unit:.3g} {('B', 'KiB', 'MiB', 'GiB')[unit]}"

def _curves(axes, sweep, x, rows, models):
    """A line for each (transport, eager limit, one-sided), with bars for the intervals of its medians."""
    names, lines = list(dict.fromkeys(name for name, _, _ in models)), []
    for m, (name, eager, one_sided) in enumerate(models):
        like = names.index(name)
        colour = palette.LINES[like % len(palette.LINES)]
        mine = [row for row in rows if (row["transport"], row["eager"], row["one_sided"]) == models[m]]
        lines += axes.plot([row[x] for row in mine], [1e6 * row["seconds"]["median"] for row in mine], color=colour,
                           linestyle="-" if one_sided else "--" if eager == "default" else ":", clip_on=False,
                           marker=MARKS[like % len(MARKS)], markerfacecolor=colour if like % 2 else "white",
                           label=_label(plain(name + ("" if eager in ("default", "-") else "@" + eager))),
                           gid=f"{sweep}-{m}")
        known = [row for row in mine if row["seconds"].get("low") is not None]
        bars = ([1e6 * row["seconds"][end] for row in known] for end in ("low", "high"))
        axes.vlines([row[x] for row in known], *bars, color=colour, linewidth=0.8, gid=f"{sweep}_interval-{m}")
    return lines

def comm(table, width=None):
    """Time against halo size and, if varied, against neighbours. Lines are solid for one-sided transports, dashed
    for two-sided ones, dotted for two-sided ones with a chosen eager limit."""
    title, rows = table
    models = list(dict.fromkeys((row["transport"], row["eager"], row["one_sided"]) for row in rows))
    times, sizes = [row["seconds"]["median"] for row in rows], [row["halo_bytes"] or 1 for row in rows]
    subs = (1, 2, 5) if max(times) < 100 * min(times) else (1,)
    powers = 4 * (16.0 if max(sizes) > 256 * min(sizes) else 2.0) ** np.arange(40)
    by_mail = any(row["sweep"] == "mail" for row in rows)
    sweeps = [("mail" if by_mail else "halo", "halo_bytes", f"{'mail' if by_mail else 'pulled'} per rank and step")]
    if any(row["sweep"] == "neighbors" and row["halo_bytes"] > 0 for row in rows):
        sweeps.append(("neighbors", "neighbors", "neighbours, each with the same bytes"))
    width = width or (132 if len(sweeps) == 1 else 230)
    head = textwrap.fill(title, int(width / 1.15))
    top = 84 - LINE * (head.count("\n") + 1)
    sheet = Sheet(width, 86)
    sheet.figure.text(0.5, 1 - 1 / 86, _label(head), ha="center", va="top", fontsize=6)
    panel, lines = (width - 38) / len(sweeps), []
    for k, (sweep, x, x_name) in enumerate(sweeps):
        axes = sheet.axes(panel * (k + 1) - 3, BELOW, top, x_name, "" if k else "microseconds per step",
                          LEFT + panel * k)
        axes.grid(True, axis="both")
        axes.set(yscale="log", xscale="linear" if k else "log")
        axes.yaxis.set(major_locator=LogLocator(10, subs), minor_locator=NullLocator(), major_formatter=NUMBER)
        if k:
            axes.xaxis.set_major_locator(_ticks(True))
        else:
            axes.xaxis.set(major_locator=FixedLocator(powers), minor_locator=NullLocator(),
                           major_formatter=FuncFormatter(_bytes))
        drawn = [row for row in rows if row["sweep"] == sweep and row["halo_bytes"] > 0]
        if not drawn:
            axes.text(0.5, 0.5, "nothing is pulled", ha="center", transform=axes.transAxes)
        lines.append(_curves(axes, sweep, x, drawn, models))
    sheet.key(lines[0], width - 34, 86 - top)
    return sheet

# ---- Drawing ---------------------------------------------------------------------------------------------------------

FIGURES = {f.__name__: f for f in (speedup, seconds, categories, balance, loads, active, observables, replay, comm)}

def draw(kind, runs, ending="svg", **options):
    """The bytes of a picture, SVG or PNG, of read_runs(paths); for observables of read_observed(paths), for comm of
    read_comm(path), for replay of read_replays(path). The user's matplotlib settings have no effect; equal data give
    equal bytes. `options` are those of the function above."""
    out = io.BytesIO()
    with matplotlib.style.context(["default", STYLE]), warnings.catch_warnings():
        warnings.simplefilter("ignore") # names may have letters that the font lacks
        figure = FIGURES[kind](runs, **options).figure
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type")) if ending == "svg" else None
        figure.savefig(out, format=ending, metadata=nothing)
    return out.getvalue()
