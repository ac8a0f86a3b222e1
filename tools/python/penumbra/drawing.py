"""Pictures of graphs whose nodes have places: coloured by parts or by values.

A graph of moderate size is drawn as lines and dots in the colours of its parts. Of a large one, nodes become areas of
pixels. Cut edges are dark lines over all; edges that are much longer than others around them are thin, and where so
many are long that nothing could be seen they are left out, which the caption says. Up to eight parts have colours of
their own; beyond, colours repeat, but parts with a common border differ as far as sixteen colours suffice. Nodes with
values have their colours instead: those of a grid of two dimensions are cells, others larger dots over grey edges.
Three dimensions are seen in parallel projection, from the front, above."""

import numpy as np

from penumbra.files import Error
from penumbra.palette import DARK, GREY, LIGHT_GREY, PALETTE

OWN_COLOURS, MANY_EDGES, MANY_LONG_EDGES = 8, 60000, 20000

def _places(graph):
    """The places of the nodes, [n, 2 or 3]: their coordinates, or those of a grid as the generators place it."""
    at = graph.coordinates
    if at is None:
        if not graph.shape or not graph.grid:
            raise Error("the graph has no coordinates: give --coords=FILE")
        wide, high, deep = graph.shape
        x, y, z = graph.gids % wide, graph.gids // wide % high, graph.gids // (wide * high)
        if graph.grid == "hexagons":
            x, y = x + 0.5 * (y % 2), 0.75**0.5 * y
        at = np.column_stack((x, y, z)[:3 if deep > 1 else 2]).astype(float)
    if at.shape[1] == 3 and np.all(at[:, 2] == at[0, 2]): # flat graphs are drawn in two dimensions
        at = at[:, :2]
    return at if at.shape[1] > 1 else np.column_stack((at, np.zeros(len(at))))

def draw(graph, values=None, axes=None, **options):
    """Draws nodes at their places on matplotlib's `axes`, which are returned; coloured by `values`, an array with
    one per node (run.dump["value"], or a partition); with edges, unless there are many. `options` are passed to
    scatter. The command pen-draw draws more."""
    import matplotlib.pyplot
    from matplotlib.collections import LineCollection
    axes, at = axes or matplotlib.pyplot.subplots()[1], _places(graph)
    if len(graph.targets) < 200000:
        lines = np.stack((at[graph.rows, :2], at[graph.find(graph.targets), :2]), 1)
        axes.add_collection(LineCollection(lines, colors="0.8", linewidths=0.5, zorder=1))
    points = axes.scatter(at[:, 0], at[:, 1], c=values, **{"s": 12, "zorder": 2, **options})
    axes.set_aspect("equal")
    if values is not None:
        axes.figure.colorbar(points, ax=axes)
    return axes

def _project(at):
    """The view from the front right, above: turned by 30 degrees about the third axis, then tilted by 25. Returns
    [n, 2] and the distances of the nodes, None in two dimensions."""
    if at.shape[1] == 2:
        return at, None
    (sin, cos), (down, up) = (0.5, 0.75**0.5), (np.sin(np.radians(25)), np.cos(np.radians(25)))
    away = sin * at[:, 0] + cos * at[:, 1]
    return np.column_stack((cos * at[:, 0] - sin * at[:, 1], up * at[:, 2] + down * away)), up * away - down * at[:, 2]

def _choose_colours(parts, count, rows, columns):
    """A colour for each part: the one that fewest edges to coloured parts conflict with, preferably one of the first
    eight, then the rarest."""
    if count <= OWN_COLOURS:
        return np.arange(count)
    cut = parts[rows] != parts[columns]
    pairs, edges = np.unique(parts[rows][cut] * count + parts[columns][cut], return_counts=True)
    begins = np.searchsorted(pairs, np.arange(count + 1) * count)
    colours, uses = np.full(count, -1), np.zeros(16, int)
    for part in range(count):
        near = slice(begins[part], begins[part + 1])
        taken, against = colours[pairs[near] % count], np.zeros(16, int)
        np.add.at(against, taken[taken >= 0], edges[near][taken >= 0])
        colours[part] = np.lexsort((np.arange(16), uses, np.arange(16) >= OWN_COLOURS, against))[0]
        uses[colours[part]] += 1
    return colours

def measure(values):
    """((smallest, largest), whether there are NaNs) of the finite values in arrays."""
    low, high, missing = np.inf, -np.inf, False
    for some in values:
        finite, missing = some[np.isfinite(some)], missing or bool(np.isnan(some).any())
        low, high = min(low, finite.min(initial=np.inf)), max(high, finite.max(initial=-np.inf))
    return (low, high) if low <= high else (0.0, 0.0), missing

class Picture:
    """A graph on a canvas. `size`: pixels of the longer side; `window`: the visible part of the plane, (x0, y0, x1,
    y1); `parts` of the nodes, or `bar`, the values of the first and last colour, with `missing`: some nodes have no
    value; `corners` of cells, [n, corners, 2], if nodes are not dots."""

    def __init__(self, graph, title, size=1600, window=None, parts=None, bar=None, missing=False, label=None,
                 corners=None):
        from matplotlib.colors import to_rgba_array
        from penumbra.canvas import Canvas
        at, self.depth = _project(_places(graph))
        self.graph, self.bar, self.large = graph, bar, max(len(graph.targets) / 2, len(at)) > MANY_EDGES
        self.rows, self.columns = graph.rows, graph.find(graph.targets)
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(np.ptp(at, 0)).all():
                raise Error(f"coordinates are from {at.min(0)} to {at.max(0)}, must be finite")
        self.reach = self._reach(at)
        if corners is None and bar:
            corners = self._cells(at)
        shown = np.reshape(window or at if corners is None or window else corners, (-1, 2))
        low, high = shown.min(0), shown.max(0)
        margin, (wide, tall) = size / 50, high - low
        longest = max(wide, tall)
        scale = (size - 2 * margin) / longest if longest > 1e-300 else 0.0
        width = max(scale * wide, size / 4) # there is room for the caption
        self.canvas = Canvas(int(width + 2 * margin), scale * tall + 2 * margin, max(7, size / 100))
        corner = np.array((margin + (width - scale * wide) / 2, margin))
        place = lambda xy: (xy - (low[0], high[1])) * (scale, -scale) + corner
        self.at, self.corners = place(at), None if corners is None else place(corners)
        lonely = min(20.0, (width * self.canvas.height / len(at))**0.5)
        self.reach = np.where(self.reach > 0, scale * self.reach, lonely)
        self.depth = None if self.depth is None else scale * self.depth
        self.areas = self.large & (self.reach <= (8 if self.depth is None else 40))
        forward = np.ones(len(self.rows), bool) if graph.directed else self.rows < self.columns
        self.ends = np.column_stack((self.rows[forward], self.columns[forward]))
        self.parts, count = (np.zeros(len(at), int), 1) if parts is None else (parts, int(parts.max()) + 1)
        if count > OWN_COLOURS: # of any number of parts, only those that have nodes take memory
            self.parts = np.unique(parts, return_inverse=True)[1]
        chosen = _choose_colours(self.parts, int(self.parts.max()) + 1, self.rows, self.columns)
        self.colours = to_rgba_array([LIGHT_GREY] if bar else PALETTE)[0 if bar else chosen].reshape(-1, 4)
        omitted = self._draw_edges() if self.corners is None else 0
        self._draw_nodes()
        self.canvas.say(title, f"{len(at)} nodes")
        if len(self.ends) or corners is None:
            self.canvas.say(f"{len(self.ends)} {'arcs' if graph.directed else 'edges'}")
        if parts is not None:
            apart = self.parts[self.ends[:, 0]] != self.parts[self.ends[:, 1]]
            weights = np.ones(len(apart), int) if graph.arc_weights is None else graph.arc_weights[forward]
            self.canvas.say(f"{count} parts")
            if len(self.ends):
                self.canvas.say(f"cut {weights[apart].sum()}")
            for part in range(count if count <= OWN_COLOURS else 0):
                self.canvas.say(f"{part}", colour=PALETTE[part])
        self.canvas.say(*[f"{omitted} long edges left out"] * bool(omitted), *[label] * bool(label))
        self.canvas.say(*["no value"] * missing, colour=GREY)
        self.name = self.canvas.caption(bar)

    def _reach(self, at):
        """The median distance of neighbours; 0: there are none."""
        lengths, degrees = np.hypot(*(at[self.columns] - at[self.rows]).T), np.diff(self.graph.offsets)
        reach, longest = np.zeros(len(at)), 2 * lengths.max(initial=0.0) or 1.0
        middle = np.sort(self.rows + lengths / longest)[(self.graph.offsets[:-1] + (degrees - 1) // 2)[degrees > 0]]
        reach[degrees > 0] = longest * (middle - np.flatnonzero(degrees))
        return reach

    def _cells(self, at):
        """Corners of cells around the nodes of an evenly spaced grid; otherwise None."""
        low, high = self.reach.min(), self.reach.max()
        if not self.graph.grid or self.depth is not None or self.large or not 0 < low <= high <= 1.001 * low:
            return None
        corners = 6 if self.graph.grid == "hexagons" else 4
        turn = 2 * np.pi / corners * (np.arange(corners) + 0.5)
        return at[:, None] + low / (2 * np.cos(np.pi / corners)) * np.column_stack((np.cos(turn), np.sin(turn)))

    def _is_hidden(self, nodes, areas):
        """Whether areas hide them, on a raster on which each area covers nine pixels."""
        if self.depth is None or not areas.any():
            return np.zeros(len(nodes), bool)
        spots = (self.at / max(1.0, 0.35 * np.median(self.reach[areas]))).astype(int)
        spots -= spots.min(0) - 1
        nearest = np.full(spots.max(0) + 2, np.inf)
        for shift in np.ndindex(3, 3):
            np.minimum.at(nearest, tuple((spots[areas] + shift - 1).T), self.depth[areas])
        return nearest[tuple(spots[nodes].T)] < self.depth[nodes] - 1.5 * self.reach[nodes]

    def _draw_edges(self):
        """Draws edges; returns the number of long ones left out."""
        (u, v), areas = self.ends.T, self.areas
        lengths, cut = np.hypot(*(self.at[v] - self.at[u]).T), self.parts[u] != self.parts[v]
        far = lengths > 0.1 * max(self.canvas.width, self.canvas.height)
        shown = cut | ~(areas[u] & areas[v])
        omitted = int(far.sum()) if far.sum() > MANY_LONG_EDGES else 0
        shown &= ~far if omitted else True
        shown[shown] &= ~(self._is_hidden(u[shown], areas) | self._is_hidden(v[shown], areas))
        u, v, lengths, cut = u[shown], v[shown], lengths[shown], cut[shown]
        widths = np.where(cut, np.clip(0.2 * lengths, 1.0, 4.0 if self.depth is None else 2.0),
                          np.clip(0.1 * lengths, 0.5, 2.0))
        widths[lengths > 6 * np.maximum(self.reach[u], self.reach[v])] = 0.3
        ends = self.at[np.column_stack((u, v))]
        self.canvas.lines(ends[~cut], self.colours[self.parts[u[~cut]]], widths[~cut], 1, rasterized=self.large)
        self.canvas.lines(ends[cut], DARK, widths[cut], 3, rasterized=self.large)
        return omitted

    def _draw_nodes(self):
        """Draws nodes as cells, areas or dots; self.nodes is the collection to colour by values, self.order its
        order."""
        from matplotlib.collections import PolyCollection
        from penumbra.canvas import POINT
        axes, self.order = self.canvas.axes, np.arange(len(self.at))
        if self.corners is not None: # edges of the same colour, without gaps between cells
            self.nodes = PolyCollection(self.corners, linewidths=0.6 * POINT, edgecolors="face", rasterized=self.large,
                                        facecolors=self.colours[self.parts])
            axes.add_collection(self.nodes)
            return
        if self.bar:
            sizes = np.clip(0.8 * self.reach, 3.0, self.canvas.width / 40)
        else: # small, so that nodes behind are visible
            sizes = (0.2 if self.depth is not None else 0.4) * self.reach
        flat = self.large and self.graph.grid and self.depth is None # squares without gaps
        sizes[self.areas] = (1.0 if flat else 1.414) * np.maximum(self.reach[self.areas], 1.0)
        if self.depth is not None: # nearer ones are drawn later
            self.order = np.argsort(-self.depth, kind="stable")
        order = self.order = self.order[self.areas[self.order] | (sizes[self.order] >= 2.0)]
        if not (self.large or self.bar or self.depth is not None): # a line without length is a dot, too
            ends = self.at[order, None] + [(-0.005, 0), (0.005, 0)]
            self.canvas.lines(ends, self.colours[self.parts[order]], sizes[order], 4, snap=False)
            return
        self.nodes = axes.scatter(*self.at[order].T, (POINT * sizes[order])**2, marker="s" if flat else "o",
                                  facecolors=self.colours[self.parts[order]], zorder=2 if self.large else 4,
                                  antialiased=not self.large, rasterized=self.large, linewidths=0)

    def show(self, values, name=""):
        """Colours the nodes; returns the canvas. Infinite values get the first or last colour."""
        from penumbra.canvas import VALUES, printable
        low, high = self.bar
        place = np.full(len(values), 0.5) if low == high else \
            (0.5 * values - 0.5 * low) / (0.5 * high - 0.5 * low) # halves avoid an overflow
        place[np.isnan(values)] = np.nan
        colours = VALUES(np.ma.masked_invalid((255 * np.clip(place, 0, 1) + 0.5) / 256))
        self.nodes.set_facecolor(colours[self.order])
        self.name.set_text(printable(name))
        return self.canvas
