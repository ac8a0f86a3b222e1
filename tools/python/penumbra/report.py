"""A page with all plots of runs except observables, and their numbers; it needs no network."""

import html
import re
from statistics import median

from penumbra.files import Error
from penumbra.metrics import BALANCING, CATEGORIES, SERIES, count_of, left_out, speedups
from penumbra.plot import draw

WIDTH = 140 # mm, of the plots
SECONDS = [*CATEGORIES.values(), "total"]
HEAD = """<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>Penumbra: a report of runs</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff;
       max-width: 70em; margin: 2em auto; padding: 0 1em; }
h1, h2, h3 { line-height: 1.2; font-weight: 600; }
h2 { margin-top: 2.5em; border-bottom: 1px solid #ccc; } h3 { margin-top: 2em; }
figure { margin: 1em 0; } figure svg { width: 100%; max-width: 46em; height: auto; }
table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto;
        font-variant-numeric: tabular-nums; }
th, td { padding: 0.2em 0.7em; text-align: right; border-bottom: 1px solid #e4e4e4; }
th { font-weight: 600; vertical-align: bottom; }
.text { text-align: left; } summary { cursor: pointer; margin: 0.5em 0; }
@media print { details > * { display: block; } figure, tr { break-inside: avoid; } }
</style>
</head>
<body>
<h1>Penumbra: a report of runs</h1>
"""

def _text(text):
    return html.escape(str(text), quote=False)

def _cell(value):
    if isinstance(value, str):
        return f'<td class="text">{_text(value)}</td>'
    return f"<td>{value:.6g}</td>" if isinstance(value, float) else f"<td>{value}</td>"

def _table(name, columns, rows, summary=None):
    """An HTML table; with `summary` it is folded."""
    head = "".join(f"<th>{_text(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in rows)
    table = f'<table class="{name}">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n'
    return f"<details><summary>{_text(summary)}</summary>\n{table}</details>\n" if summary else table

def _seconds(seconds):
    return [float(seconds[key]) for key in (*CATEGORIES, "total")]

class _Page:
    def __init__(self, runs):
        self.runs, self.parts, self.pictures = runs, [HEAD], 0

    def add(self, *parts):
        self.parts += parts

    def picture(self, kind, runs):
        """Adds a picture, with names that are unique on the page."""
        svg = draw(kind, runs, width=WIDTH).decode()
        svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\1p{self.pictures}-", svg[svg.index("<svg"):])
        self.pictures += 1
        self.add(f'<figure class="{kind}">\n{svg}</figure>\n')

    def over_none(self, r):
        """The time of all steps over that of the same run without a balancer, the median where this was repeated."""
        def problem(one):
            return one.ranks, *one.key(name for name in SERIES if name not in BALANCING)
        without = [float(one.seconds["loop"]) for one in self.runs
                   if one.balancer == "none" and not one.partial and problem(one) == problem(r)]
        known = without and median(without) > 0 and not r.partial
        return float(r.seconds["loop"]) / median(without) if known else "unknown"

    def overview(self):
        rows = [[r.path, r.app, r.nodes, r.edges, r.metrics["steps"], r.ranks, r.comm, r.partitioner, r.balancer,
                 r.metrics["partition"]["cut"], float(r.metrics["partition"]["imbalance"]),
                 float(r.metrics["work"]["efficiency"]) if r.metrics.get("work") else "unknown",
                 float(r.seconds["total"]), "unknown" if r.partial else float(r.seconds["loop"]),
                 self.over_none(r)] for r in self.runs]
        self.add("<h2>Runs</h2>\n", _table("runs", [
            "file", "application", "nodes", "edges", "steps", "ranks", "transport", "partitioner", "balancer", "cut",
            "imbalance at the start", "efficiency of declared work", "seconds in all", "of all steps",
            "relative to no balancer"], rows))

    def speedup(self):
        self.add("<h2>Speed-up</h2>\n", *(f"<p>{_text(sentence)}.</p>\n" for sentence in left_out(self.runs)))
        try:
            points = speedups(self.runs)
        except Error as why:
            self.add(f"<p>None: {_text(why)}.</p>\n")
            return
        self.add("<p>Time of all steps of the fastest run of the problem on the fewest ranks, times these, over the "
                 "time on so many ranks; the median where a run was repeated.</p>\n")
        self.picture("speedup", self.runs)
        self.picture("seconds", self.runs)
        rows = [[p.run.series, p.run.ranks, p.repetitions, float(p.seconds), p.base.run.point, p.factor,
                 p.factor / p.run.ranks] for p in points]
        self.add(_table("speedup", ["series", "ranks", "runs", "seconds of all steps", "compared with", "speed-up",
                                    "efficiency"], rows))

    def categories(self):
        self.add("<h2>Where the time goes</h2>\n<p>In the picture: means over the ranks, in seconds, which add up; "
                 "waiting for a rank with more to do counts as communication.</p>\n")
        if len(self.runs) > 1:
            self.picture("categories", self.runs)
        self.add(_table("categories", ["run", "", *SECONDS], [
            [r.label, f"{what} over ranks", *_seconds(seconds)]
            for r in self.runs for what, seconds in (("mean", r.mean), ("maximum", r.seconds))]))

    def calls(self, r):
        machine = any("step_time_before" in c for c in r.calls)
        more = ("dilation_before", "dilation_after", "step_time_before", "step_time_after") if machine else ()
        rows = [[c["step"], "yes" if c["applied"] else "no", float(c["imbalance_before"]), float(c["imbalance_after"]),
                 c["cut_before"], c["cut_after"], c["moved_nodes"], c["moved_bytes"], float(c["seconds"]),
                 *("unknown" if c.get(key) is None else float(c[key]) for key in more)] for c in r.calls]
        names = ["dilation", "after", "estimated step", "after"] if machine else []
        if r.calls:
            self.add(_table("calls", ["step", "applied", "imbalance", "after", "cut", "after", "moved nodes",
                                      "moved bytes", "seconds", *names], rows, f"Balance calls: {len(rows)}"))

    def run(self, r):
        self.add(f'<section class="run">\n<h2>{_text(r.label)}</h2>\n<p>{_text(r.path)}: '
                 f'{count_of(r.ranks, "rank")}</p>\n<h3>Where the time of each rank goes</h3>\n')
        self.picture("categories", [r])
        self.add(_table("ranks", ["rank", "nodes at the end", *SECONDS],
                        [[i, each["owned"], *_seconds(each["seconds"])] for i, each in enumerate(r.per_rank)],
                        "Seconds of every rank"))
        try:
            r.need_history()
            self.add("<h3>Imbalance, and nodes that moved</h3>\n")
            self.picture("balance", [r])
            self.calls(r)
            self.add("<h3>Load of each rank</h3>\n")
            self.picture("loads", [r])
            rows = [[r.load_ends[s], float(r.imbalance[s]), *map(float, column)]
                    for s, column in enumerate(r.loads.T)]
            self.add(_table("loads", ["from step", "imbalance", *(f"rank {i}" for i in range(r.ranks))], rows,
                            f"Load of every rank over the steps, in {r.history['unit']} per step"))
        except Error as why:
            self.add(f"<p>No pictures of loads: {_text(why)}.</p>\n")
        self.add("</section>\n")

def page(runs):
    """The bytes of the page of read_runs(paths)."""
    p = _Page(runs)
    p.overview()
    p.speedup()
    p.categories()
    for r in runs:
        p.run(r)
    return "".join([*p.parts, "</body>\n</html>\n"]).encode()
