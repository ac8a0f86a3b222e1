"""plot_check.py: what pen-plot drew and wrote, compared with the metrics that it was drawn from.

    plot_check.py speedup|categories|balance|loads PICTURE.svg METRICS...
    plot_check.py observables:a,a+b[:relative] PICTURE.svg METRICS...
    plot_check.py report PAGE.html METRICS...

Positions in a picture are turned into numbers by its own tics, as a reader would do it. Metrics are in the order of the
picture. A difference is told on standard error, and ends in exit status 1."""
import json, math, re, statistics, sys
import xml.etree.ElementTree as ET

failures = 0

def check(what, found, expected, tolerance=0.0):
    global failures
    same = abs(found - expected) <= tolerance if tolerance else found == expected
    if not same:
        failures += 1
        if failures <= 10:
            print("plot_check.py: %s: %s is %r, expected %r" % (sys.argv[2], what, found, expected), file=sys.stderr)

def name(element): return element.tag.rpartition("}")[2]

def numbers(text): return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text or "")]

def color(text): return tuple(int(x) for x in numbers(text))

def tic(group):
    """(axis, x, y, value) of a group that is a tic with its number, else None."""
    parts = list(group)
    if len(parts) != 2 or name(parts[0]) != "path" or name(parts[1]) != "g" or parts[0].get("class"): return None
    text = "".join(parts[1].itertext()).strip()
    if not re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text): return None
    x, y, x2, y2 = numbers(parts[0].get("d"))[:4]
    return ("x" if x == x2 else "y", x, y, float(text))

class Panel:
    """One plot: its tics [(place, value)], and points, polygons and lines with their colours, in pixels."""
    def __init__(self, tics):
        left = min([t[1] for t in tics if t[0] == "y"], default=0)   # others are those of a colour box
        self.x = [(t[1], t[3]) for t in tics if t[0] == "x"]
        self.y = [(t[2], t[3]) for t in tics if t[0] == "y" and t[1] == left]
        self.points, self.polygons, self.lines = [], [], []

def panels(path):
    found, tics = [], []
    for e in ET.parse(path).getroot().iter():
        if name(e) != "g": continue
        if tic(e): tics.append(tic(e))
        plot = re.fullmatch(r"gnuplot_plot_(\d+)[a-z]?", e.get("id") or "")
        if not plot: continue
        if plot[1] == "1":
            found.append(Panel(tics))
            tics = []
        for inner in e.iter():
            if name(inner) == "use":
                found[-1].points.append((color(inner.get("color")), numbers(inner.get("transform"))[:2]))
            if name(inner) == "polygon":
                found[-1].polygons.append((color(inner.get("fill")), numbers(inner.get("points"))))
            if name(inner) == "path": found[-1].lines.append((color(inner.get("stroke")), numbers(inner.get("d"))))
    return found

LINES = [(0, 114, 178), (213, 94, 0), (0, 158, 115)]
CATEGORIES = ["init", "compute", "compute_overhead", "communicate", "communication_overhead", "balance"]
CATEGORY_COLORS = [(187, 187, 187), (0, 114, 178), (86, 180, 233), (213, 94, 0), (230, 159, 0), (0, 158, 115)]
VIRIDIS = ["440154", "482878", "3e4a89", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725"]
PIXEL = 0.35   # how far a place may be from where it should be

def series_of(m): return tuple(m[k] for k in ("app", "nodes", "edges", "steps", "comm", "partitioner", "balancer"))

def speedups(metrics):
    """[series, ranks, seconds, base ranks, factor], in the order of the files."""
    rows, times = [], {}
    for m in metrics: times.setdefault((series_of(m), m["ranks"]), []).append(m["seconds"]["loop"])
    for (series, ranks), values in times.items():
        own = sorted(r for s, r in times if s == series)
        ones = [k for k in times if k[1] == 1 and k[0][:4] == series[:4]]
        base = (series, 1) if 1 in own and len(own) > 1 else ones[0] if ones and 1 not in own else (series, own[0])
        if len(own) == 1 and base == (series, own[0]): continue
        factor = statistics.median(times[base]) / statistics.median(values) * base[1]
        rows.append((series, ranks, statistics.median(values), base[1], factor))
    return rows

def near(what, panel, places, x, y, logarithmic=False):
    """One of the places shows these numbers."""
    at_x, at_y = panel.to(x, y, logarithmic)
    distance = min((math.hypot(px - at_x, py - at_y) for px, py in places), default=1e9)
    check("distance in pixels from %s (%g, %g)" % (what, x, y), distance, 0.0, PIXEL)

def place(pairs, value, logarithmic):
    change = math.log if logarithmic else float
    (a, va), (b, vb) = min(pairs), max(pairs)
    return a + (change(value) - change(va)) * (b - a) / (change(vb) - change(va))

Panel.to = lambda self, x, y, logarithmic=False: (place(self.x, x, logarithmic), place(self.y, y, logarithmic))

def check_speedup(path, metrics):
    panel, = panels(path)
    rows = speedups(metrics)
    order = list(dict.fromkeys(r[0] for r in rows))
    ranks = [r[1] for r in rows]
    logarithmic = max(ranks) >= 8 * min(r[3] for r in rows)
    for series, p, _, base, factor in rows:
        places = [at for c, at in panel.points if c == LINES[order.index(series)]]
        near("speed-up", panel, places, p, factor, logarithmic)
    check("points", len(panel.points), len(rows) + len(order))   # and one each in the key
    ideal = [l for c, l in panel.lines if c == (127, 127, 127)][0][-4:]
    for p, at in ((min(r[3] for r in rows), ideal[:2]), (max(ranks), ideal[2:])):
        near("ideal", panel, [at], p, p, logarithmic)

def mean(m, key): return sum(r["seconds"][key] for r in m["per_rank"]) / m["ranks"]

def check_categories(path, metrics):
    panel, = panels(path)
    one = metrics[0]
    bars = [[r["seconds"][k] for k in CATEGORIES] for r in one["per_rank"]] if len(metrics) == 1 else \
           [[mean(m, k) for k in CATEGORIES] for m in metrics]
    middles = sorted(x for x, _ in panel.x)
    if len(metrics) == 1 and len(bars) > 1: middles = [place(panel.x, b, False) for b in range(len(bars))]
    check("tics", len(middles), len(bars))
    floor = place(panel.y, 0, False)
    for b, middle in enumerate(middles):
        low = 0.0
        for c, seconds in enumerate(bars[b]):
            high = low + seconds
            drawn = [p for shade, p in panel.polygons
                     if shade == CATEGORY_COLORS[c] and abs((min(p[0::2]) + max(p[0::2])) / 2 - middle) < 1
                     and max(p[1::2]) < floor + 1]
            top, bottom = place(panel.y, high, False), place(panel.y, low, False)
            what = "%s in bar %d" % (CATEGORIES[c], b)
            if bottom - top > 0.1: check("boxes of " + what, len(drawn), 1)
            for p in drawn:
                check("top of " + what, min(p[1::2]), top, PIXEL)
                check("bottom of " + what, max(p[1::2]), bottom, PIXEL)
            low = high

def imbalance(m, s):
    column = [row[s] for row in m["history"]["loads"]]
    return max(column) * len(column) / sum(column) if sum(column) else 1.0

def check_balance(path, metrics):
    found = panels(path)
    calls = [c for m in metrics for c in m["balance_calls"]]
    check("panels", len(found), 2 if calls else 1)
    upper, lower = found[0], found[-1]
    upper.x = lower.x
    for i, m in enumerate(metrics):
        stride = m["history"]["stride"]
        drawn = [list(zip(l[0::2], l[1::2])) for c, l in upper.lines if c == LINES[i]]
        corners = [at for l in drawn for at in l]
        for s in range(len(m["history"]["loads"][0])):
            for x in (s * stride, (s + 1) * stride): near("imbalance", upper, corners, x, imbalance(m, s))
        for call in m["balance_calls"]:
            near("call", upper, [at for c, at in upper.points if c == LINES[i]], call["step"], call["imbalance_before"])
            moved = call["moved_nodes"] if call["applied"] else 0
            near("moved nodes", lower, [at for c, at in lower.points if c == LINES[i]], call["step"], moved)
    if calls:
        check("points below", len([1 for c, at in lower.points if at[0] > place(lower.x, 0, False) - 1]), len(calls))

def viridis(at):
    k = min(int(at * 9), 8)
    a, b = ([int(VIRIDIS[k + i][2 * c:2 * c + 2], 16) for c in range(3)] for i in (0, 1))
    return [x + (y - x) * (at * 9 - k) for x, y in zip(a, b)]

def check_loads(path, metrics):
    found = panels(path)
    check("panels", len(found), len(metrics))
    most = max(max(row) for m in metrics for row in m["history"]["loads"]) or 1.0
    for m, panel in zip(metrics, found):
        loads, stride = m["history"]["loads"], m["history"]["stride"]
        panel.x = panel.x or found[-1].x
        cells = dict(((round(min(p[0::2])), round(min(p[1::2]))), c) for c, p in panel.polygons)
        for rank, row in enumerate(loads):
            for s, load in enumerate(row):
                x, y = place(panel.x, s * stride, False), place(panel.y, rank + 0.5, False) if m["ranks"] > 1 else None
                shade = [c for (cx, cy), c in cells.items() if abs(cx - x) < 1 and (y is None or abs(cy - y) < 1)]
                check("cells of rank %d, sample %d" % (rank, s), len(shade), 1 if m["ranks"] > 1 else 2)
                for c in shade:
                    check("colour of rank %d, sample %d" % (rank, s),
                          max(abs(a - b) for a, b in zip(c, viridis(load / most))), 0, 5)

def check_report(path, metrics):
    root = ET.parse(path).getroot()
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    check("ids that occur twice", len(ids) - len(set(ids)), 0)
    used = re.findall(r"(?:href='#|url\(#)([^')]+)", open(path, encoding="utf-8").read())
    check("ids that are used and not there", set(used) - set(ids), set())
    check("things from elsewhere", [v for e in root.iter() for k, v in e.attrib.items()
                                    if name(e) in ("link", "script", "img", "iframe") or "://" in v], [])
    tables = {}
    for table in root.iter("{http://www.w3.org/1999/xhtml}table"):
        body = table.find("{http://www.w3.org/1999/xhtml}tbody")
        tables.setdefault(table.get("class"), []).append([["".join(cell.itertext()) for cell in row] for row in body])
    def rows(what, found, expected):
        check("rows of " + what, len(found), len(expected))
        for f, e in zip(found, expected):
            check("columns of " + what, len(f), len(e))
            for a, b in zip(f, e):
                if isinstance(b, float): check(what, float(a), b, 6e-6 * abs(b) + 1e-12)
                else: check(what, a, str(b))
    rows("runs", tables["runs"][0], [
        [f, m["app"], m["nodes"], m["edges"], m["steps"], m["ranks"], m["comm"], m["partitioner"], m["balancer"],
         m["partition"]["cut"], float(m["partition"]["imbalance"]),
         float(m["work"]["efficiency"]) if m["work"] else "unknown",
         m["seconds"]["total"], m["seconds"]["loop"]] for f, m in zip(sys.argv[3:], metrics)])
    points = speedups(metrics)
    rows("speed-up", [r[1:] for r in tables.get("speedup", [[]])[0]], [
        [p, sum(series_of(m) == s and m["ranks"] == p for m in metrics), t,
         "%d rank%s" % (b, "" if b == 1 else "s"), f, f / p]
        for s, p, t, b, f in points])
    rows("categories", [r[2:] for r in tables["categories"][0]], [
        [float(v) for v in row] for m in metrics
        for row in ([mean(m, k) for k in CATEGORIES + ["total"]], [m["seconds"][k] for k in CATEGORIES + ["total"]])])
    with_history = [m for m in metrics if len(m.get("history", {"loads": [[]]})["loads"][0]) > 0]
    for table, m in zip(tables["ranks"], metrics):
        rows("ranks", table, [[r["rank"], r["owned"]] + [float(r["seconds"][k]) for k in CATEGORIES + ["total"]]
                              for r in m["per_rank"]])
    check("tables of loads", len(tables.get("loads", [])), len(with_history))
    for table, m in zip(tables.get("loads", []), with_history):
        loads = m["history"]["loads"]
        rows("loads", table, [[s * m["history"]["stride"], imbalance(m, s)] + [float(row[s]) for row in loads]
                              for s in range(len(loads[0]))])
    with_calls = [m for m in with_history if m["balance_calls"]]
    check("tables of calls", len(tables.get("calls", [])), len(with_calls))
    for table, m in zip(tables.get("calls", []), with_calls):
        rows("calls", table, [
            [c["step"], "yes" if c["applied"] else "no", float(c["imbalance_before"]), float(c["imbalance_after"]),
             c["cut_before"],
             c["cut_after"], c["moved_nodes"], c["moved_bytes"], float(c["seconds"])] +
            [float(c[key]) for key in ("dilation_before", "dilation_after", "step_time_before", "step_time_after")
             if m.get("machine")] for c in m["balance_calls"]])
    pictures = len(metrics) + 2 * len(with_history) + (len(metrics) > 1) + (len(points) > 0)
    check("pictures", sum(1 for e in root.iter() if name(e) == "svg"), pictures)

def check_observables(path, metrics, sums, relative=""):
    panel, = panels(path)
    curve = 0
    for m in metrics:
        for s in sums.split(","):
            rows = list(zip(*(m["observables"][name] for name in s.split("+"))))
            values = [None if None in row else sum(row) for row in rows]
            if relative: values = [v if v is None else (v - values[0]) / abs(values[0]) for v in values]
            drawn = [list(zip(l[0::2], l[1::2])) for c, l in panel.lines if c == LINES[curve]]
            corners = [at for l in drawn for at in l]
            for k, v in enumerate(values):
                if v is not None: near(s, panel, corners, (k + 1) * m["observables_stride"], v)
            known = sum(v is not None for v in values)
            check("corners of " + s, len(corners), known + 2 if known else 0)   # two are in the key
            curve += 1

metrics = [json.load(open(f, encoding="utf-8")) for f in sys.argv[3:]]
kind, *more = sys.argv[1].split(":")
{"speedup": check_speedup, "categories": check_categories, "balance": check_balance, "loads": check_loads,
 "observables": check_observables, "report": check_report}[kind](sys.argv[2], metrics, *more)
sys.exit(failures > 0)
