"""plot_check.py: what pen-plot drew and wrote, compared with the metrics that it was drawn from.

    plot_check.py speedup|seconds|categories|balance|loads|active PICTURE.svg METRICS...
    plot_check.py observables:a,a+b[:relative] PICTURE.svg METRICS|TABLE.csv...
    plot_check.py comm|replay PICTURE.svg TABLE
    plot_check.py report PAGE.html METRICS...

Positions in a picture are turned into numbers by its own tics, as a reader would do it. Metrics are in the order of the
picture. A difference is told on standard error, and ends in exit status 1."""
import csv, json, math, re, statistics, sys
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

def pairs(text): return list(zip(numbers(text)[0::2], numbers(text)[1::2]))

def words(element): return " ".join("".join(element.itertext()).split())

class Panel:
    """One plot: its tics, (place, value); and of what is drawn, by name, colours, corners of lines and boxes, marks."""
    def __init__(self, axes):
        self.x, self.y, self.colours, self.paths, self.points = [], [], {}, {}, {}
        for e in axes.iter():
            tic = re.match("([xy])tick_", e.get("id") or "")
            if tic:
                used, = [u for u in e.iter() if name(u) == "use"]
                text = words(e).split()[-1:]
                if text and re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text[0]):
                    getattr(self, tic[1]).append((float(used.get(tic[1])), float(text[0])))
        for e in axes:
            key = e.get("id") or ""
            if not re.fullmatch(r"[a-z_]+(-[a-z]+)?(-\d+(-moved)?)?", key): continue   # matplotlib's own end in _1
            drawn, uses = [p for p in e if name(p) == "path"], [u for u in e.iter() if name(u) == "use"]
            self.paths[key] = [pairs(p.get("d")) for p in drawn]
            self.points[key] = [(float(u.get("x")), float(u.get("y"))) for u in uses]
            self.colours[key] = [re.search("(?:fill|stroke): (#\\w+)", p.get("style"))[1] for p in drawn + uses]

def panels(path):
    found = [Panel(e) for e in ET.parse(path).getroot().iter() if re.match(r"axes_\d+$", e.get("id") or "")]
    return [panel for panel in found if panel.paths]

def texts(path): return [words(e) for e in ET.parse(path).getroot().iter() if name(e) == "text"]

def shows(path, *expected):
    """Titles, names of axes and of curves."""
    found = texts(path)
    for text in expected: check("text \"%s\"" % text, text in found, True)

def coloured(panel, what, color): check("colours of " + what, set(panel.colours[what]) - {color, "#ffffff"}, set())

LINES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#1a1a1a", "#7f4a12"]
CATEGORIES = ["init", "compute", "compute_overhead", "communicate", "communication_overhead", "balance"]
CATEGORY_COLORS = ["#bbbbbb", "#0072b2", "#56b4e9", "#d55e00", "#e69f00", "#009e73"]
VIRIDIS = """440154 481668 482878 443983 3e4989 375a8c 31688e 2b758e 26828e 21918c 1f9e89 25ab82 35b779
             4ec36b 6ece58 90d743 b5de2b dae319 fde725""".split()
PIXEL = 0.05   # how far a place may be from where it should be

def resumed(m): return (m.get("checkpoints") or {}).get("resumed") or 0
def partial(m): return resumed(m) > 0 and not m.get("replayed")

def series_of(m):
    when = m.get("balance_when", m.get("run_options", {}).get("balance.when", "auto"))
    return (*(m[k] for k in ("app", "nodes", "edges", "steps")), json.dumps(m.get("options", {})), m["comm"],
            m["partitioner"], m.get("machine"), m["balancer"], when if m["balancer"] != "none" else None)

def speedups(metrics):
    """[series, ranks, seconds, base (ranks, seconds, series), factor], in the order of the files."""
    rows, times = [], {}
    for m in metrics:
        if not partial(m): times.setdefault((series_of(m), m["ranks"]), []).append(m["seconds"]["loop"])
    times = {k: statistics.median(v) for k, v in times.items() if k[0][3] > 0 and statistics.median(v) > 0}
    for (series, ranks), seconds in times.items():
        base = min((r, t, s) for (s, r), t in times.items() if s[:5] == series[:5])
        rows.append((series, ranks, seconds, base, base[0] * base[1] / seconds))
    return rows

def near(what, panel, places, x, y, logarithmic=False):
    """One of the places shows these numbers."""
    at_x, at_y = panel.to(x, y, logarithmic)
    distance = min((math.hypot(px - at_x, py - at_y) for px, py in places), default=1e9)
    check("distance in points from %s (%g, %g)" % (what, x, y), distance, 0.0, PIXEL)

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
    logarithmic = max(ranks) >= 8 * min(ranks)
    for series, p, _, base, factor in rows:
        near("speed-up", panel, panel.points["series-%d" % order.index(series)], p, factor, logarithmic)
    for i in range(len(order)): coloured(panel, "series-%d" % i, LINES[i])
    check("curves", len(panel.paths), len(order) + 1)
    check("points", sum(map(len, panel.points.values())), len(rows))
    for p, at in zip((min(ranks), max(ranks)), panel.paths["ideal"][0]):
        near("ideal", panel, [at], p, p, logarithmic)
    shows(path, "ranks", "speed-up of all steps", "ideal")
    for ranks, seconds, _ in {r[3] for r in rows}:
        named = "baseline: .*\\b%d ranks?\\b.*, %s s" % (ranks, re.escape("%.4g" % seconds))
        check(named, any(re.fullmatch(named, t) for t in texts(path)), True)
    check("files that the key names", [t for t in texts(path) if ".json" in t], [])

def check_seconds(path, metrics):
    panel, = panels(path)
    rows = speedups(metrics)
    order = list(dict.fromkeys(r[0] for r in rows))
    logarithmic = max(r[1] for r in rows) >= 8 * min(r[1] for r in rows)
    for series, p, seconds, *_ in rows:
        near("seconds", panel, panel.points["series-%d" % order.index(series)], p, seconds, logarithmic)
    check("points", sum(map(len, panel.points.values())), len(rows))
    shows(path, "ranks", "seconds of all steps")

def mean(m, key): return sum(r["seconds"][key] for r in m["per_rank"]) / m["ranks"]

def check_categories(path, metrics):
    panel, = panels(path)
    one = metrics[0]
    bars = [[r["seconds"][k] for k in CATEGORIES] for r in one["per_rank"]] if len(metrics) == 1 else \
           [[mean(m, k) for k in CATEGORIES] for m in metrics]
    middles = sorted(x for x, _ in panel.x)
    if len(metrics) == 1 and len(bars) > 1: middles = [place(panel.x, b, False) for b in range(len(bars))]
    check("tics", len(middles), len(bars))
    for c, key in enumerate(CATEGORIES): coloured(panel, key, CATEGORY_COLORS[c])
    for b, middle in enumerate(middles):
        low = 0.0
        for c, seconds in enumerate(bars[b]):
            high = low + seconds
            drawn = [p for p in panel.paths[CATEGORIES[c]] if abs((p[0][0] + p[2][0]) / 2 - middle) < 1]
            top, bottom = place(panel.y, high, False), place(panel.y, low, False)
            what = "%s in bar %d" % (CATEGORIES[c], b)
            check("boxes of " + what, len(drawn), 1)
            for p in drawn:
                check("top of " + what, min(y for _, y in p), top, PIXEL)
                check("bottom of " + what, max(y for _, y in p), bottom, PIXEL)
            low = high
    shows(path, "rank" if len(metrics) == 1 else "ranks", "seconds", "initialisation", "load balancing")

def imbalance(m, s):
    column = [row[s] for row in m["history"]["loads"]]
    return max(column) * len(column) / sum(column) if sum(column) else 1.0

def first_step(m):
    """Of the history of loads, which a run that was resumed on other ranks begins again."""
    loads, stride = m["history"]["loads"], m["history"]["stride"]
    return resumed(m) if len(loads[0]) * stride <= m["steps"] - stride else 0

def check_balance(path, metrics):
    found = panels(path)
    calls = [c for m in metrics for c in m["balance_calls"]]
    check("panels", len(found), 2 if calls else 1)
    upper, lower = found[0], found[-1]
    upper.x = lower.x
    for i, m in enumerate(metrics):
        stride, corners = m["history"]["stride"], upper.paths["imbalance-%d" % i][0]
        coloured(upper, "imbalance-%d" % i, LINES[i])
        for s in range(len(m["history"]["loads"][0])):
            for x in (s, s + 1): near("imbalance", upper, corners, first_step(m) + x * stride, imbalance(m, s))
        for call in m["balance_calls"]:
            kind = "%s-%d" % ("applied" if call["applied"] else "kept", i)
            near("call", upper, upper.points[kind], call["step"], call["imbalance_before"])
            moved = call["moved_nodes"] if call["applied"] else 0
            near("moved nodes", lower, lower.points[kind + "-moved"], call["step"], moved)
            coloured(lower, kind + "-moved", LINES[i])
    if calls: check("points below", sum(map(len, lower.points.values())), len(calls))
    shows(path, "step", "imbalance", *["moved nodes"] * bool(calls))

def viridis(at):
    k = min(int(at * 18), 17)
    a, b = ([int(VIRIDIS[k + i][2 * c:2 * c + 2], 16) for c in range(3)] for i in (0, 1))
    return [x + (y - x) * (at * 18 - k) for x, y in zip(a, b)]

def check_loads(path, metrics):
    found = panels(path)
    check("panels", len(found), len(metrics))
    most = max(max(row) for m in metrics for row in m["history"]["loads"]) or 1.0
    for i, (m, panel) in enumerate(zip(metrics, found)):
        loads, stride = m["history"]["loads"], m["history"]["stride"]
        drawn = [(min(x for x, _ in p), max(y for _, y in p), max(x for x, _ in p), min(y for _, y in p), c)
                 for p, c in zip(panel.paths["loads-%d" % i], panel.colours["loads-%d" % i])]
        for rank, row in enumerate(loads):
            for s, load in enumerate(row):
                x = place(panel.x, first_step(m) + (s + 0.5) * stride, False)
                y = place(panel.y, rank, False) if m["ranks"] > 1 else panel.y[0][0]
                # What is seen there was drawn last.
                shade = [c for x0, y0, x1, y1, c in drawn if x0 < x < x1 and y1 < y < y0][-1:]
                check("cells of rank %d, sample %d" % (rank, s), len(shade), 1)
                for c in shade:
                    check("colour of rank %d, sample %d" % (rank, s), max(abs(int(c[1 + 2 * k:3 + 2 * k], 16) - v)
                          for k, v in enumerate(viridis(load / most))), 0, 5)
    shows(path, "step", "rank", "load per step, " + metrics[0]["history"]["unit"])

def check_active(path, metrics):
    panel, = panels(path)
    for i, m in enumerate(metrics):
        active = m["active_nodes"]
        corners = [at for line in panel.paths["active-%d" % i] for at in line]
        coloured(panel, "active-%d" % i, LINES[i])
        check("corners", len(corners), 2 * len(active["nodes"]))
        for s, nodes in enumerate(active["nodes"]):
            for at, corner in zip((s, s + 1), corners[2 * s:2 * s + 2]):
                check("step of a corner", corner[0], place(panel.x, resumed(m) + at * active["stride"], False), PIXEL)
                check("active nodes", corner[1], place(panel.y, max(nodes, 0.5), True), PIXEL)
        check("all nodes", panel.paths["all-%d" % m["nodes"]][0][0][1], place(panel.y, m["nodes"], True), PIXEL)
    shows(path, "step", "active nodes", "all nodes")

def check_comm(path, tables):
    rows = tables[0]["rows"]
    models = list(dict.fromkeys((r["transport"], r["eager"]) for r in rows))
    sweeps = ["halo", "neighbors"][:1 + any(r["sweep"] == "neighbors" for r in rows)]
    found = panels(path)
    check("panels", len(found), len(sweeps))
    for sweep, panel in zip(sweeps, found):
        for m, model in enumerate(models):
            mine = [r for r in rows if r["sweep"] == sweep and (r["transport"], r["eager"]) == model]
            points = panel.points["%s-%d" % (sweep, m)]
            check("points of %s %s" % (sweep, model), len(points), len(mine))
            for (x, y), r in zip(points, mine):
                at = place(panel.y, 1e6 * r["seconds"]["median"], True)
                check("height of %s %s" % (sweep, model), y, at, PIXEL)
                if sweep == "neighbors": check("place of %s" % (model,), x, place(panel.x, r[sweep], False), PIXEL)
            known = [(x, r["seconds"]) for (x, _), r in zip(points, mine) if r["seconds"].get("low") is not None]
            bars = panel.paths.get("%s_interval-%d" % (sweep, m), [])
            check("intervals of %s %s" % (sweep, model), len(bars), len(known))
            for bar, (x, seconds) in zip(bars, known):
                for (at, y), end in zip(bar, ("low", "high")):
                    check("place of an interval", at, x, PIXEL)
                    check(end, y, place(panel.y, 1e6 * seconds[end], True), PIXEL)
            check("order of %s" % (model,), [x for x, _ in points], sorted(x for x, _ in points))
    shows(path, tables[0]["setting"], "microseconds per step", "pulled per rank and step",
          *["neighbours, each with the same bytes"] * (len(sweeps) - 1),
          *(t + "@" + e if e.isdigit() else t for t, e in models))

def check_replay(path, rows):
    series = list(dict.fromkeys((r["balancer"], r["when"]) for r in rows))
    ranks = [float(r["ranks"]) for r in rows]
    found = panels(path)
    check("panels", len(found), 3)
    drawn = "work-only efficiency" if "use work-only" in open(sys.argv[3]).read() else "efficiency"
    for panel, (x, y) in zip(found, (("imbalance", "cut"), ("ranks", "cut"), ("ranks", drawn))):
        logarithmic = x == "ranks" and max(ranks) >= 8 * min(ranks)
        check("points", sum(map(len, panel.points.values())), len(rows))
        for r in rows:
            i = series.index((r["balancer"], r["when"]))
            at = place(panel.x, float(r[x]), logarithmic), place(panel.y, float(r[y]), False)
            points = panel.points["%s-%s-%d" % (x, y.split()[-1], i)]
            check("%s over %s" % (y, x), min(math.dist(at, p) for p in points), 0.0, PIXEL)
            coloured(panel, "%s-%s-%d" % (x, y.split()[-1], i), LINES[i])
    shows(path, "ranks", drawn, "cut", "imbalance", *(", ".join(s) for s in series))

def over_none(m, metrics):
    def problem(o): return (*series_of(o)[:-2], o["ranks"])
    none = sorted(o["seconds"]["loop"] for o in metrics
                  if o["balancer"] == "none" and not partial(o) and problem(o) == problem(m))
    middle = len(none) // 2
    return m["seconds"]["loop"] / (none[middle] if len(none) % 2 else sum(none[middle - 1:middle + 1]) / 2) \
        if none and not partial(m) else "unknown"

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
         m["seconds"]["total"], "unknown" if partial(m) else m["seconds"]["loop"], over_none(m, metrics)]
        for f, m in zip(sys.argv[3:], metrics)])
    points = [p for p in speedups(metrics) if any(q[1] != q[3][0] for q in speedups(metrics))]
    rows("speed-up", [r[1:4] + r[5:] for r in tables.get("speedup", [[]])[0]], [
        [p, sum(series_of(m) == s and m["ranks"] == p and not partial(m) for m in metrics), t, f, f / p]
        for s, p, t, _, f in points])
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
        rows("loads", table, [[first_step(m) + s * m["history"]["stride"], imbalance(m, s)]
                              + [float(row[s]) for row in loads] for s in range(len(loads[0]))])
    with_calls = [m for m in with_history if m["balance_calls"]]
    check("tables of calls", len(tables.get("calls", [])), len(with_calls))
    for table, m in zip(tables.get("calls", []), with_calls):
        rows("calls", table, [
            [c["step"], "yes" if c["applied"] else "no", float(c["imbalance_before"]), float(c["imbalance_after"]),
             c["cut_before"],
             c["cut_after"], c["moved_nodes"], c["moved_bytes"], float(c["seconds"])] +
            ["unknown" if c[key] is None else float(c[key])
             for key in ("dilation_before", "dilation_after", "step_time_before", "step_time_after")
             if m.get("machine")] for c in m["balance_calls"]])
    check("a sentence about resumed runs", "since times of a resumed run" in "".join(root.itertext()),
          any(map(partial, metrics)))
    pictures = len(metrics) + 2 * len(with_history) + (len(metrics) > 1) + 2 * (len(points) > 0)
    check("pictures", sum(1 for e in root.iter() if name(e) == "svg"), pictures)

def check_observables(path, metrics, sums, relative=""):
    panel, = panels(path)
    curve = 0
    for m in metrics:
        for s in sums.split(","):
            rows = list(zip(*(m["observables"][name] for name in s.split("+"))))
            values = [None if None in row else sum(row) for row in rows]
            if relative: values = [v if v is None else (v - values[0]) / abs(values[0]) for v in values]
            corners = [at for line in panel.paths["curve-%d" % curve] for at in line]
            coloured(panel, "curve-%d" % curve, LINES[curve])
            every = m.get("observables_stride", 1)
            for step, v in zip(m.get("at") or range(every, every * (len(values) + 1), every), values):
                if v is not None: near(s, panel, corners, step, v)
            check("corners of " + s, len(corners), sum(v is not None for v in values))
            curve += 1
    check("curves", len(panel.paths), curve)
    shows(path, "step", *["change / first value"] * bool(relative))

def read_observables(file):
    names, *rows = csv.reader(file)
    columns = dict(zip(names, zip(*(map(float, row) for row in rows))))
    return {"at": columns.pop("step"), "observables": columns}

kind, *more = sys.argv[1].split(":")
if kind == "replay": metrics = list(csv.DictReader(open(sys.argv[3]).read().split("\n\n")[0].splitlines()))
else:
    metrics = [(read_observables if f.endswith(".csv") else json.load)(open(f, encoding="utf-8")) for f in sys.argv[3:]]
{"speedup": check_speedup, "seconds": check_seconds, "categories": check_categories, "balance": check_balance,
 "loads": check_loads, "active": check_active, "observables": check_observables, "comm": check_comm,
 "replay": check_replay, "report": check_report}[kind](sys.argv[2], metrics, *more)
sys.exit(failures > 0)
