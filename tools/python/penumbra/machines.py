"""Pictures of machines, from `pen-graph info --json`. Processors are dots, larger and of another colour the faster they
are; those of a cluster are next to each other. Lines are links between clusters, wide ones cheap; links that cost as
much as a path over other clusters are left out. A torus is a grid with joined edges; a tree has its switches, with the
cost between processors whose paths part there. Lengths are in units of a cluster's radius, or of a hop, until the
picture is scaled."""

import numpy as np
from matplotlib.collections import EllipseCollection

from penumbra.canvas import Canvas
from penumbra.files import Error
from penumbra.palette import DARK, LIGHT_GREY, PALE, PALETTE

MOST_PROCESSORS, MOST_CLUSTERS, SPEEDS, COSTS = 1024, 64, 7, 6 # SPEEDS and COSTS: numbers of classes
FEW_LINKS, FEW_PROCESSORS = 15, 64 # with their costs, or numbers, beside them
SMALLEST = 0.5 # dot, as a fraction of the largest one

def _steps(sizes):
    """A step along each dimension of a torus: right, up, back; further dimensions repeat these at a slant."""
    steps, wide, tall = [], 0.0, 0.0
    for d, size in enumerate(sizes):
        slant = 0.45 * (d // 2) if d > 2 else 0.0
        x, y = (wide + 1, slant) if d == 0 or d > 2 and d % 2 else (slant, tall + 1) if d != 2 else (0.38, 0.27)
        steps.append((x, -y))
        wide, tall = wide + x * (size - 1), tall + y * (size - 1)
    return np.array(steps)

class Sketch:
    """Positions of processors, then of everything else; `lines`, (from, to, link); the clusters' centres."""

    def __init__(self, machine):
        self.speeds, self.clusters = np.array(machine["speeds"], float), machine["clusters"]
        self.kind, self.sizes = machine["kind"], machine["sizes"]
        self.at, self.lines, self.centres, self.switches = [], [], [], []
        n, count = len(self.speeds), len(self.clusters)
        if n > MOST_PROCESSORS:
            raise Error(f"the machine has {n} processors, at most {MOST_PROCESSORS} can be drawn")
        if self.kind != "torus" and count > MOST_CLUSTERS:
            raise Error(f"the machine has {count} clusters, at most {MOST_CLUSTERS} can be drawn")
        {"torus": self._torus, "tree": self._tree, "table": self._table}[self.kind](machine)
        self.at = np.array(self.at)

    def _torus(self, machine):
        n, sizes, link = len(self.speeds), self.sizes, machine["links"][0]
        steps, self.group, self.apart, self.dot = _steps(sizes), 0.0, 1.0, 0.3 if len(sizes) > 2 else 0.45
        numbers = np.arange(n)
        strides = np.cumprod([1, *sizes[:-1]])
        along = numbers[:, None] // strides % sizes
        self.at = list(along @ steps)
        ring = len(sizes) == 1 and sizes[0] > 2 and n == sizes[0]
        if ring:
            turn = 2 * np.pi * numbers / n
            self.at = list(0.5 / np.sin(np.pi / n) * np.column_stack((np.sin(turn), -np.cos(turn))))
        for p in range(n):
            for d, (size, stride) in enumerate(zip(sizes, strides.tolist())):
                other = p + stride if along[p, d] + 1 < size else p - along[p, d] * stride
                if other >= n or other == p or other < p and size == 2:
                    continue
                if other > p or ring:
                    self.lines.append((p, other, link))
                    continue
                for end, way in ((p, 0.4), (other, -0.4)):
                    self.lines.append((end, len(self.at), link))
                    self.at.append(self.at[end] + way * steps[d])

    def _fill(self, centres, apart):
        """The processors of every cluster around its centre, in rows."""
        most = max(len(cluster["processors"]) for cluster in self.clusters)
        cell, self.apart = 1.42 / np.ceil(np.sqrt(most)), apart
        self.group, self.dot = (2.0, 0.85 * cell) if most > 1 else (0.0, 1.0)
        self.at = [None] * len(self.speeds)
        for cluster, (x, y) in zip(self.clusters, centres):
            count = len(cluster["processors"])
            wide = int(np.ceil(np.sqrt(count)))
            tall = (count - 1) // wide + 1
            for i, p in enumerate(cluster["processors"]):
                row = i // wide
                across = wide if row + 1 < tall else count - row * wide
                self.at[p] = (x + cell * (i % wide - 0.5 * (across - 1)), y + cell * (row - 0.5 * (tall - 1)))
        self.centres = list(range(len(self.at), len(self.at) + len(centres)))
        self.at += map(tuple, centres)

    def _table(self, machine):
        """On a circle, clockwise from the top; two side by side."""
        count, links = len(self.clusters), machine["between"]
        apart = 3.0 if count > 6 else 4.5
        turn = 2 * np.pi * (np.arange(count) - (0.5 if count == 2 else 0)) / count
        radius = 0.5 * apart / np.sin(np.pi / count) if count > 1 else 0.0
        self._fill(radius * np.column_stack((np.sin(turn), -np.cos(turn))), apart)
        costs = np.array(links)[:, :, 0]
        for a in range(count):
            for b in range(a + 1, count):
                first, second = costs[a], costs[:, b]
                way = (first > 0) & (second > 0) & (abs(first + second - costs[a, b]) <= 1e-9 * costs[a, b])
                way[[a, b]] = False
                if not way.any():
                    self.lines.append((self.centres[a], self.centres[b], links[a][b]))

    def _tree(self, machine):
        """The clusters in a row, with switches above the middle of what they connect."""
        count, levels = len(self.clusters), len(self.sizes)
        step = max(2.5, count / (levels - 1)) if levels > 1 else 0.0
        self._fill([(2.6 * c, step * (levels - 1)) for c in range(count)], 2.6)
        below = self.centres
        for level in range(levels - 2, -1, -1):
            groups = [below[i:i + self.sizes[level]] for i in range(0, len(below), self.sizes[level])]
            below = []
            for group in groups:
                below.append(len(self.at))
                self.at.append((0.5 * (self.at[group[0]][0] + self.at[group[-1]][0]), step * level))
                self.lines += [(below[-1], one, machine["links"][level]) for one in group]
            self.switches += below

def _say(link):
    return f"cost {link[0]:.4g}" + (f", latency {link[1]:.4g}" if link[1] > 0 else "")

def _classes(values, most):
    """The class of each value, with equally many distinct values in each class; and these values."""
    known, which = np.unique(values, return_inverse=True)
    return which * min(len(known), most) // len(known), known

def _say_cluster(cluster, detail, grouped):
    """The two lines of text for a cluster, shorter if there is less room."""
    if not detail or not grouped:
        return [cluster["name"], ""]
    text = (cluster["name"] + ": " if cluster["name"] else "") + cluster["text"]
    return [text, "within: " + _say(cluster["inner"]) if len(cluster["processors"]) > 1 else ""]

def draw_machine(machine, title, size=1600):
    """A Canvas with the machine of pen-graph's JSON object."""
    s, unit, flat = Sketch(machine), max(7, size / 100), machine["kind"] == "torus"
    radius, aside, above = max(s.group, s.dot) / 2, (2 if flat else 8) * unit, (2 if flat else 5) * unit
    low, high = s.at.min(0) - radius, s.at.max(0) + radius
    scale = min(*((size - 2 * np.array((aside, above))) / (high - low)), 0.3 * size) # 0.3: if there are few processors
    width, tall = max(scale * (high[0] - low[0]) + 2 * aside, 0.5 * size), scale * (high[1] - low[1]) + 2 * above
    at = (s.at - low) * scale + (0.5 * (width - scale * (high[0] - low[0])), above)
    group, dot, apart, n = scale * s.group, scale * s.dot, scale * s.apart, len(s.speeds)
    canvas = Canvas(int(width), tall, unit)

    costs = np.array([link[0] for _, _, link in s.lines])
    of, known = _classes(costs, COSTS) if len(costs) else (np.empty(0, int), costs)
    few, equal = len(costs) <= FEW_LINKS, len({tuple(link) for _, _, link in s.lines}) == 1
    alike = np.full(len(of), 0.2 if few else 0.1)
    widths = unit * (0.5 - 0.4 * of / of.max() if len(known) > 1 else alike)
    ends = np.array([line[:2] for line in s.lines], int).reshape(-1, 2)
    canvas.lines(at[ends], DARK if few else LIGHT_GREY, widths, 1)
    speed, speeds = _classes(s.speeds, SPEEDS)
    fastest = np.array([s.speeds[speed == c].max() for c in range(speed.max() + 1)])
    sizes = dot * np.maximum(SMALLEST, np.sqrt(fastest / fastest.max()))[speed]
    for places, wide, colours, zorder in ((s.centres if s.group else [], group, PALE, 2), (s.switches, unit, DARK, 3),
                                          (range(n), sizes, [PALETTE[c] for c in speed], 4)):
        wide = np.broadcast_to(wide, len(places))
        canvas.axes.add_collection(EllipseCollection(wide, wide, 0, units="x", offsets=at[list(places)], linewidths=0,
                                                     facecolors=colours, zorder=zorder,
                                                     offset_transform=canvas.axes.transData))
    if not flat:
        _label_clusters(canvas, s, at, group, max(group, dot) / 2, apart)
        _label_links(canvas, s, at, few and not equal)
    if n <= FEW_PROCESSORS and SMALLEST * dot > 1.8 * unit:
        for p in range(n):
            canvas.text(*(at[p] + (0, 0.5 * unit)), str(p))

    canvas.say(title, f"{n} processor{'s' if n > 1 else ''}")
    for c in range(len(fastest)):
        slow, fast = s.speeds[speed == c].min(), fastest[c]
        canvas.say(f"speed {slow:.4g}" + (f" to {fast:.4g}" if fast > slow else ""), colour=PALETTE[c])
    if len(known) > 1:
        canvas.say(f"links: cost {known[0]:.4g} (wide) to {known[-1]:.4g} (thin)")
    elif equal:
        canvas.say("every link: " + _say(s.lines[0][2]))
    canvas.caption()
    return canvas

def _label_clusters(canvas, s, at, group, radius, apart):
    """Above clusters of the upper half, below others: links lead inwards. Less or nothing without enough room."""
    unit = canvas.unit
    for detail in (True, False):
        said = [_say_cluster(cluster, detail, s.group) for cluster in s.clusters]
        longest = max(len(text) for texts in said for text in texts)
        if detail and len(said) == 1 or \
                0.75 * unit * longest < apart and apart - group > (5 if detail else 2) * unit: # a letter is 0.75 wide
            break
    else:
        return
    for (first, second), (x, y) in zip(said, at[s.centres]):
        upper = s.kind == "table" and y < 0.5 * canvas.height - 1
        top = y - radius - (2.4 if second else 0.7) * unit if upper else y + radius + 1.7 * unit
        for text, line in ((first, top), (second, top + 1.7 * unit)):
            if text:
                canvas.text(x, line, text)

def _label_links(canvas, s, at, each):
    """In a tree, the cost of a path over a switch of each level; otherwise next to each link, away from crossings,
    and above horizontal ones."""
    unit, levels = canvas.unit, set()
    for a, b, link in s.lines:
        (x, y), (dx, dy), along = at[a], at[b] - at[a], b - a
        if s.kind == "tree" and y not in levels:
            levels.add(y)
            canvas.text(x, y - 1.2 * unit, _say(link))
        elif s.kind == "table" and each:
            part = 0.5 if along in (1, len(s.clusters) - 1) else 0.29
            canvas.text(x + part * dx, y + part * dy + (-0.6 if abs(dy) < 0.3 * abs(dx) else 0.5) * unit, _say(link))
