"""Metrics of several runs, and tables of pen-comm: checked, sorted and labelled, for plot.py and report.py."""

import csv
import os
import re
import statistics
from collections import Counter, namedtuple
from itertools import groupby

import numpy as np

from penumbra_command import Mistake
from penumbra.comparison import parse_rows
from penumbra.files import Error, _naming, _read, read_json, read_metrics, read_observables

CATEGORIES = {"init": "initialisation", "compute": "computation", "compute_overhead": "computation overhead",
              "communicate": "communication", "communication_overhead": "communication overhead",
              "balance": "load balancing"} # in stacking order
PROBLEM = ("app", "nodes", "edges", "steps", "options")
BALANCING = ("balancer", "when")
SERIES = (*PROBLEM, "comm", "partitioner", "machine", *BALANCING)

def plain(text):
    """Text for a picture or a page: without control characters and others that XML forbids."""
    return re.sub("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "?", text)

# ---- Files -----------------------------------------------------------------------------------------------------------

# What a file must have is a dict (a "key?" may be missing or null), a list with what each element must be, or a test of
# a value and the words for it.
TEXT = (lambda v: isinstance(v, str), "a text")
FLAG = (lambda v: isinstance(v, bool), "true or false")
OBJECT = (lambda v: isinstance(v, dict), "an object")
REAL = (lambda v: type(v) in (int, float) and 0 <= v < MOST, "a number, at least 0")
OBSERVED = (lambda v: v is None or type(v) in (int, float) and abs(v) < MOST, "a number or null")
MOST = 1e300 # so that sums are finite

def whole(least):
    return (lambda v: type(v) is int and least <= v < 2**63), f"an integer, at least {least}"

_SECONDS = {key: REAL for key in ("total", "loop", *CATEGORIES)}
_CALL = {"applied": FLAG, "step": whole(0), "imbalance_before": REAL, "imbalance_after": REAL, "seconds": REAL,
         **{key: whole(0) for key in ("cut_before", "cut_after", "moved_nodes", "moved_bytes")},
         **{key: REAL for key in ("dilation_before?", "dilation_after?", "step_time_before?", "step_time_after?")}}
_METRICS = {
    **{key: TEXT for key in ("app", "comm", "partitioner", "balancer")}, "ranks": whole(1),
    **{key: whole(0) for key in ("nodes", "edges", "steps")}, "seconds": _SECONDS,
    "per_rank": [{"owned": whole(0), "seconds": _SECONDS}], "partition": {"cut": whole(0), "imbalance": REAL},
    "work?": {"efficiency": REAL}, "observables_stride?": whole(1), "observables?": OBJECT, "balance_calls": [_CALL],
    **{key: OBJECT for key in ("options?", "run_options?")}, **{key: TEXT for key in ("balance_when?", "machine?")},
    "checkpoints?": {"resumed?": whole(0)},
    "history?": {"stride": whole(1), "unit": (lambda v: v in ("units", "seconds"), '"units" or "seconds"'),
                 "loads": [[REAL]]}, "active_nodes?": {"stride": whole(1), "nodes": [REAL]}}

def check(value, shape, where):
    """Raises ValueError with the first place where `value` does not have this shape."""
    test, what = {dict: OBJECT, list: (lambda v: isinstance(v, list), "an array")}.get(type(shape), shape)
    if not test(value):
        raise ValueError(f"{where} must be {what}")
    if isinstance(shape, dict):
        for key, inner in shape.items():
            name, optional = key.rstrip("?"), key.endswith("?")
            at = f"{where}.{name}".lstrip(".")
            if name not in value and not optional:
                raise ValueError(f"{at} is missing")
            if value.get(name) is not None or not optional:
                check(value[name], inner, at)
    elif isinstance(shape, list):
        for i, element in enumerate(value):
            check(element, shape[0], f"{where}[{i}]")

# ---- Runs ------------------------------------------------------------------------------------------------------------

class Run:
    """One metrics file. `series` tells it from those read with it that have other values of SERIES; `point` also from
    those on other numbers of ranks; `label` from all."""

    def __init__(self, path):
        self.path, self.series, self.point, self.label = plain(path), "", "", ""
        m = self.metrics = read_metrics(path)
        with _naming(path):
            check(m, _METRICS, "")
            self._derive(m)

    def _derive(self, m):
        when = m.get("balance_when") or (m.get("run_options") or {}).get("balance.when") or "auto"
        found = {**m, "options": tuple(plain(f"{name}={value}") for name, value in (m.get("options") or {}).items()),
                 "machine": m.get("machine") or "no machine", "when": None if m["balancer"] == "none" else str(when)}
        for key in SERIES:
            setattr(self, key, plain(found[key]) if isinstance(found[key], str) else found[key])
        self.ranks, self.seconds, self.per_rank, self.calls = (m[k] for k in ("ranks", "seconds", "per_rank",
                                                                              "balance_calls"))
        self.observed_every = m.get("observables_stride")
        self.observables = m.get("observables") or {} if self.observed_every else {}
        self.history = m.get("history")
        for key, found in ("per_rank", self.per_rank), ("history.loads", self.history and self.history["loads"]):
            if found is not None and len(found) != self.ranks:
                raise ValueError(f"{key} has {len(found)} elements, must have one per rank: {self.ranks}")
        loads = self.history["loads"] if self.history else [[]]
        for where, rows in ("history.loads[{}]", dict(enumerate(loads))), ("observables.{}", self.observables):
            for key, row in rows.items():
                if not isinstance(row, list) or len(row) != len(next(iter(rows.values()))):
                    raise ValueError(f"{where.format(key)} must be an array as long as the others")
        for name, values in self.observables.items():
            check(values, [OBSERVED], f"observables.{name}")
        self.observed_at = np.arange(1, 1 + len(next(iter(self.observables.values()), []))) * (self.observed_every or 1)
        self.loads = np.array(loads, float) # [ranks, samples]; no samples without a history
        self.resumed = (m.get("checkpoints") or {}).get("resumed") or 0 # steps that active nodes do not cover
        self.partial = self.resumed > 0 and not m.get("replayed") # replays of a record have times of the same steps
        stride, samples = self.history["stride"] if self.history else 1, self.loads.shape[1]
        # Another number of ranks does not continue the history of loads.
        begin = 0 if samples == self.steps // stride else self.resumed
        self.load_ends = begin + stride * np.arange(samples + 1)
        self.active = m.get("active_nodes") or {"stride": 1, "nodes": []}
        self.mean = {key: sum(r["seconds"][key] for r in self.per_rank) / self.ranks for key in _SECONDS}
        sums = self.loads.sum(0)
        self.imbalance = np.where(sums > 0, self.loads.max(0) * self.ranks / np.where(sums > 0, sums, 1), 1.0)

    def key(self, names=SERIES):
        return tuple(getattr(self, name) for name in names)

    def need_history(self):
        if self.loads.shape[1] == 0:
            why = "its run took no steps" if self.history else "it was written before that was recorded"
            raise Error(f"{self.path} has no history of loads: {why}")

    def need_active(self):
        if not self.active["nodes"]:
            raise Error(f"{self.path} has no numbers of active nodes: all its steps computed all nodes "
                        "(--active=off, or phases that may leave out none)")

def count_of(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"

def _short(name):
    """Shortens a plug-in's path to its file name: "./lib/mine.so:key=a/b" is "mine.so:key=a/b"."""
    file, colon, settings = name.partition(":")
    return file.rpartition("/")[2] + colon + settings

def _name(path, paths):
    """The name of a file, or its path if another one of `paths` has the same name."""
    name = os.path.basename(path)
    return path if sum(os.path.basename(one) == name for one in paths) > 1 else name

def _label(runs):
    differ = {key for key in (*SERIES, "ranks") if len({getattr(r, key) for r in runs} - {None}) > 1}
    uses = Counter(option for r in runs for option in r.options)
    if "nodes" in differ:
        differ.discard("edges")
    twins = Counter((r.key(), r.ranks) for r in runs)
    for r in runs:
        texts = {"app": r.app, "nodes": f"{r.nodes} nodes", "edges": f"{r.edges} edges", "steps": f"{r.steps} steps",
                 "options": ", ".join(o for o in r.options if uses[o] < len(runs)), "comm": r.comm,
                 "partitioner": _short(r.partitioner), "machine": _short(r.machine),
                 "balancer": "no balancer" if r.balancer == "none" else _short(r.balancer), "when": r.when}
        words = [text for key, text in texts.items() if key in differ and text]
        r.series = ", ".join(words) or r.app
        if "ranks" in differ:
            words.append(count_of(r.ranks, "rank"))
        r.point = ", ".join(words) or r.app
        if twins[r.key(), r.ranks] > 1:
            words.append(_name(r.path, [one.path for one in runs]))
        r.label = ", ".join(words) or r.app

def read_runs(paths):
    """Runs by series, in the order of their first files; ranks ascend in each series."""
    runs = [Run(path) for path in paths]
    order = list(dict.fromkeys(r.key() for r in runs))
    runs.sort(key=lambda r: (order.index(r.key()), r.ranks))
    _label(runs)
    return runs

class Observed:
    """The part of a Run that a file of --observables has."""

    def __init__(self, path, paths):
        table = read_observables(path)
        self.path, self.label, self.observed_at = plain(path), plain(_name(path, paths)), table["step"]
        self.observables = {name: table[name] for name in table.dtype.names[1:]}

def read_observed(paths):
    """Runs with their observables, from metrics, then from files of --observables."""
    tables = [path for path in paths if _read(path)[:4] == b"step"]
    files = [path for path in paths if path not in tables]
    return read_runs(files) + [Observed(path, tables) for path in tables]

# ---- Speed-up --------------------------------------------------------------------------------------------------------

# `seconds`, of all steps, is the median of `repetitions` runs like `run`.
Time = namedtuple("Time", "run repetitions seconds")
# `base` is a Time; `factor` is its seconds over these, times its ranks.
Speedup = namedtuple("Speedup", "run repetitions seconds base factor")

def left_out(runs):
    """A sentence about runs that have no Time since they were resumed, if there are some."""
    paths = ", ".join(r.path for r in runs if r.partial)
    return [f"{paths}: left out, since times of a resumed run cover only the steps since then"] if paths else []

def times(runs):
    """A Time for each series and number of ranks, of runs that took steps and were not resumed."""
    runs = [r for r in runs if not r.partial]
    groups = [list(group) for _, group in groupby(runs, lambda r: (r.key(), r.ranks))]
    found = [Time(g[0], len(g), statistics.median(r.seconds["loop"] for r in g)) for g in groups]
    found = [t for t in found if t.run.steps > 0 and t.seconds > 0]
    if not found:
        raise Error("no times: each of these runs was resumed or took no step")
    return found

def speedups(runs):
    """A Speedup for each of times(runs). All series of a problem have one base, the fastest run on the fewest ranks."""
    found, bases = times(runs), {}
    for t in sorted(found, key=lambda t: (t.run.ranks, t.seconds)):
        bases.setdefault(t.run.key(PROBLEM), t)
    points = [Speedup(*t, base, base.seconds / t.seconds * base.run.ranks)
              for t in found for base in [bases[t.run.key(PROBLEM)]]]
    if all(p.run.ranks == p.base.run.ranks for p in points):
        raise Error("no speed-up: no two of these runs solve the same problem on different numbers of ranks")
    return points

# ---- pen-sim ---------------------------------------------------------------------------------------------------------

def read_replays(path):
    """Rows of the first table of pen-sim replay --format=csv; their efficiencies are those of work alone, and called
    that, if pen-sim says that predicted times are not to be relied on."""
    data = _read(path).decode(errors="replace")
    with _naming(path, "not what pen-sim replay --format=csv writes: "):
        tables = [list(csv.DictReader(text.splitlines())) for text in data.split("\n\n")]
    rows, used = tables[0], "efficiency"
    if any(row.get("cost") == "misfit" and "work-only" in (row.get("from") or "") for row in sum(tables[1:], [])):
        used = "work-only efficiency"
    if not rows or not rows[0].get("table", "").startswith("Replay of "):
        raise Error(f"{path}: not what pen-sim replay --format=csv writes")
    for row in rows:
        if None in row or None in row.values():
            raise Error(f"{path}: a row has more or fewer columns than the first line")
        row["drawn"] = used
        for key in "ranks", used, "cut", "imbalance":
            try:
                row[key] = float(row[key])
                check(row[key], REAL, key)
            except (KeyError, ValueError):
                raise Error(f"{path}: a row has no number in the column {key}") from None
        row["series"] = plain(", ".join(_short(row[key]) for key in ("balancer", "when") if key in row))
    return rows

# ---- pen-comm --------------------------------------------------------------------------------------------------------

_ROW = {"sweep": TEXT, "transport": TEXT, "eager": TEXT, "one_sided": FLAG, "halo_bytes": whole(0),
        "neighbors": whole(0), "seconds": {"median": REAL, "low?": REAL, "high?": REAL}}

def _known(seconds):
    """A time; None if it is negative, that is, unknown."""
    return seconds if seconds >= 0 else None

def read_comm(path):
    """(title, rows) of the file of pen-comm --json or --csv; the latter lacks the setting."""
    data = _read(path)
    if not data.startswith(b"sweep,"):
        table = read_json(path, lambda found: found.get("schema") == "penumbra-comm/1",
                          "not what pen-comm --json or --csv writes")
    else:
        try:
            found = parse_rows(data.decode(errors="replace"), path)
        except Mistake as why:
            raise Error(str(why)) from None
        rows = [{**vars(row), "one_sided": row.side == "one",
                 "seconds": {key: _known(getattr(row, key)) for key in ("low", "median", "high")}} for row in found]
        table = {"rows": rows, "setting": count_of(found[0].ranks, "rank")}
    with _naming(path):
        check(table, {"setting": TEXT, "rows": [_ROW]}, "")
        if not table["rows"]:
            raise ValueError("it has no rows")
    return plain(table["setting"]), table["rows"]
