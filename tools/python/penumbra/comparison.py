"""What pen-comm has measured, in tables, in words, as JSON, and as models of the transports' times. Needs only Python
itself. The rows come as CSV, as pen-comm --csv writes them; times are seconds per step of the slowest rank."""

import json
import statistics
from dataclasses import dataclass, fields

from penumbra_command import Mistake

TIE = 1.05 # ratio of times below which two transports count as equally fast
DISTURBED = 2.0 # a sample that takes this many times as long as the fastest one is disturbed
MOST_NOISE = 0.25 # a row with a larger fraction of disturbed samples is unreliable: other work is in its interval
WORST_FIT = 0.75 # a line with a larger relative error is no model

@dataclass
class Row:
    """In the order of the columns. -1: unknown. For two-sided transports, gets are messages."""

    sweep: str # the quantity that varies: halo, delivered by pulls, or as mail: mail; or neighbors
    transport: str
    side: str # one or two
    eager: str # of two-sided transports MPI's eager limit or "default"; else "-"
    ranks: int
    record: int # bytes
    neighbors: int # the largest number of ranks from which a rank pulls
    halo_bytes: int # the most bytes that a rank pulls per step
    bytes: int # a step's, as gets and syncs, summed over ranks
    gets: int
    syncs: int
    min: float
    low: float # 95 % interval of the median
    median: float
    high: float
    max: float
    noise: float # fraction of samples that were disturbed
    sync: float # median time of a step with nothing to pull
    copy: float # mean time of packing
    window: int # the most bytes of windows on a rank, in a run of the whole graph
    buffers: int # the most other bytes on a rank
    auto: int # 1: --comm=auto chooses the transport for this halo

    @property
    def label(self):
        return self.transport + ("" if self.eager in ("default", "-") else "@" + self.eager)

    @property
    def trusted(self):
        return self.low >= 0 and self.noise <= MOST_NOISE

    @property
    def setting(self):
        return self.sweep, self.record, self.neighbors

    def shares(self):
        """The fractions of the median, which add up to 1: synchronisation, pull, copies; None: unknown."""
        if self.sync < 0:
            return None
        copy = min(self.copy / self.median, 1.0)
        sync = min(self.sync / self.median, 1.0 - copy)
        return sync, 1.0 - copy - sync, copy

HEADER = ("sweep,transport,side,eager,ranks,record,neighbors,halo_bytes,bytes,gets,syncs,min_seconds,low_seconds,"
          "median_seconds,high_seconds,max_seconds,noise,sync_seconds,copy_seconds,window_bytes,buffer_bytes,auto")
_KINDS = [each.type for each in fields(Row)]

def parse_rows(text, path):
    head, *lines = text.split("\n")
    if head != HEADER:
        raise Mistake(f"{path}:1: not a file that --csv wrote")
    rows = []
    for number, line in enumerate(lines[:-1] if lines and not lines[-1] else lines, 2):
        try:
            words = line.split(",")
            row = Row(*(kind(word) for kind, word in zip(_KINDS, words)))
            right = len(words) == len(_KINDS)
            right = right and row.sweep in ("halo", "mail", "neighbors") and row.side in ("one", "two")
            right = right and row.median > 0 and all(
                -1 <= getattr(row, each.name) < 1e15 for each in fields(Row) if each.type is not str)
        except (TypeError, ValueError):
            right = False
        if not right:
            raise Mistake(f"{path}:{number}: not a row of a file that --csv wrote")
        rows.append(row)
    if not rows:
        raise Mistake(f"{path}: it has no rows")
    return rows

def format_rows(rows):
    def cell(value):
        return f"{value:.9e}" if isinstance(value, float) else str(value)
    lines = [",".join(repr(r.noise) if each.name == "noise" else cell(getattr(r, each.name)) for each in fields(Row))
             for r in rows]
    return "\n".join([HEADER, *lines, ""])

def join(rows, others, path):
    """Adds the two-sided rows of another launch, with its eager limit, unless this launch has them. The median ratio
    of one-sided times in the other launch to those in this one; 0 without such times."""
    ratios = []
    for row in others:
        mine = next((r for r in rows if (r.label, *r.setting) == (row.label, *row.setting)), None)
        places = [k for k, r in enumerate(rows, 1) if (r.setting, r.ranks, r.halo_bytes) ==
                  (row.setting, row.ranks, row.halo_bytes)]
        if not places:
            raise Mistake(f"{path}: it is of another graph, partition, list of records, number of ranks "
                          "or --mail")
        if row.side == "one" and mine:
            ratios.append(row.median / mine.median)
        if row.side == "two" and not mine:
            row.auto = 0 # it was chosen in the other launch
            rows.insert(places[-1], row)
    return statistics.median(ratios) if ratios else 0.0

def bytes_text(count):
    unit = 0
    while count >= 1024 and unit < 3:
        count, unit = count / 1024, unit + 1
    return f"{count:.3g} {('B', 'KiB', 'MiB', 'GiB')[unit]}"

# ---- Models ----------------------------------------------------------------------------------------------------------

def fit_line(x, times):
    """(start, slope, misses) of the line with the least sum of squares of relative errors, (start + slope * x) / time -
    1, so that short times count as much as long ones; both >= 0. misses: the largest relative error. None if all x are
    equal."""
    if len(set(x)) < 2:
        return None
    u, v = [1.0 / t for t in times], [a / t for a, t in zip(x, times)]
    dot = lambda p, q: sum(a * b for a, b in zip(p, q))
    uu, uv, vv, u1, v1 = dot(u, u), dot(u, v), dot(v, v), sum(u), sum(v)
    determinant = uu * vv - uv * uv
    start, slope = (u1 * vv - v1 * uv) / determinant, (v1 * uu - u1 * uv) / determinant
    if slope < 0:
        start, slope = u1 / uu, 0.0
    elif start < 0:
        start, slope = 0.0, v1 / vv
    return start, slope, max(abs((start + slope * a) / t - 1.0) for a, t in zip(x, times))

def models(rows):
    """(first row, line over the bytes, line over the neighbours) of each transport at one eager limit; None for a
    line that is unknown or has a disturbed row."""
    found = []
    for label in dict.fromkeys(r.label for r in rows):
        mine = [r for r in rows if r.label == label]
        lines = []
        for key in "halo_bytes", "neighbors":
            of = [r for r in mine if (r.sweep == "neighbors") == (key == "neighbors")]
            good = all(r.noise <= MOST_NOISE for r in of)
            lines.append(fit_line([getattr(r, key) for r in of], [r.median for r in of]) if good else None)
        found.append((mine[0], *lines))
    return found

def holds(line):
    return line is not None and line[2] <= WORST_FIT

# ---- Tables ----------------------------------------------------------------------------------------------------------

def _or_dash(width, value, known=True, digits=None):
    return f" {'-' if not known else value if digits is None else f'{value:.{digits}f}':>{width}}"

def _row_text(rows, r):
    fastest = min(other.median for other in rows if other.setting == r.setting)
    us, shares = [1e6 * t for t in (r.min, r.median, r.low, r.high)], r.shares()
    text = f"{r.label:<20} {r.side:<4} {us[0]:10.3f} {us[1]:10.3f}"
    text += "".join(_or_dash(10, t, r.low >= 0, 3) for t in us[2:])
    text += f" {100 * r.noise:6.0f} {r.median / fastest:8.2f}"
    text += "".join(_or_dash(5, 100 * share, shares is not None, 0) for share in shares or 3 * (0,))
    return text + "".join(_or_dash(width, value, value >= 0) for width, value in
                          ((10, r.bytes), (6, r.gets), (6, r.syncs), (10, r.window), (9, r.buffers)))

_TITLES = f"{'us per step':<20} {'side':<4}" + "".join(f" {title:>{width}}" for title, width in (
    ("min", 10), ("median", 10), ("low", 10), ("high", 10), ("noise%", 6), ("/fastest", 8), ("sync%", 5), ("pull%", 5),
    ("copy%", 5), ("bytes", 10), ("gets", 6), ("syncs", 6), ("window B", 10), ("buffers B", 9)))

def table(rows):
    lines, before = [], None
    for r in rows:
        if r.setting != before:
            lines += ["", f"{r.sweep}: {r.record} bytes per node, up to {r.neighbors} neighbour"
                      f"{'s' * (r.neighbors != 1)} and {bytes_text(r.halo_bytes)} per rank and step", _TITLES]
        before = r.setting
        lines.append(_row_text(rows, r))
    lines += ["", f"{'fitted':<20} {'latency us':>12} {'GB/s':>12} {'misses %':>8} {'us per neighbour':>16}"]
    for of, line, ring in models(rows):
        start, slope, misses = line or 3 * (0,)
        lines.append(f"{of.label:<20}" + _or_dash(12, 1e6 * start, holds(line), 3) +
                     _or_dash(12, 1e-9 / slope if slope else 0, holds(line) and slope > 0, 3) +
                     _or_dash(8, 100 * misses, line is not None, 0) +
                     _or_dash(16, 1e6 * ring[1] if ring else 0, holds(ring), 3))
    lines.append(f"Lines are left out that miss a time by more than {100 * WORST_FIT:.0f} %, or have a row of more "
                 f"noise than {100 * MOST_NOISE:.0f} %.")
    lines += ["", f"Noise: {100 * statistics.fmean(r.noise for r in rows):.0f} % of the samples took more than "
              f"{DISTURBED:.0f} times as long as the fastest of their kind."]
    if all(r.low >= 0 for r in rows):
        widest = max((r.high - r.low) / r.median for r in rows)
        lines.append(f"low, high: a 95 % confidence interval of the median, at most {100 * widest:.0f} % of it wide.")
    return lines

# ---- Conclusions -----------------------------------------------------------------------------------------------------

def faster(a, b):
    """Whether a is faster than b by more than the noise. Their least times must differ in the same way: a few short
    samples are always undisturbed."""
    return a.trusted and b.trusted and b.low > a.high and b.min > TIE * a.min and b.median > TIE * a.median

class Size:
    """The best transports at one size of the halo; None: there is none."""

    def __init__(self, rows):
        self.bytes = rows[0].halo_bytes
        kinds = {"petsc": [r for r in rows if r.transport.startswith("petsc-")]}
        own = [r for r in rows if not r.transport.startswith("petsc-")]
        kinds.update({side: [r for r in own if r.side == side] for side in ("one", "two")})
        self.one, self.two, self.petsc = (min(kinds[kind], key=lambda r: r.median, default=None)
                                          for kind in ("one", "two", "petsc"))
        self.fence = next((r for r in reversed(own) if r.transport == "fence"), None)
        self.chosen = next((r for r in reversed(rows) if r.auto), None)
        self.trusted = all(r.trusted for r in own)
        both = [r for r in (self.one, self.two) if r]
        self.winner = min(both, key=lambda r: r.median, default=None)
        self.rival = next((r for r in both if r is not self.winner), None)
        self.decided = None # one side is faster than the other, or is the only one; None: unknown
        if self.trusted and self.winner:
            self.decided = not self.rival or faster(self.winner, self.rival)

def sizes(rows):
    found = []
    for r in rows:
        if r.sweep != "neighbors" and (not found or found[-1][0].halo_bytes != r.halo_bytes):
            found.append([])
        if r.sweep != "neighbors":
            found[-1].append(r)
    return [Size(of) for of in found]

def _factors(found):
    """"1.30 (at 8 KiB) to 2.50 times (at 512 B)" of [(factor, bytes)]."""
    least, most = min(found, key=lambda f: f[0]), max(found, key=lambda f: f[0])
    if most[0] < least[0] * TIE:
        return f"{most[0]:.2f} times"
    return f"{least[0]:.2f} (at {bytes_text(least[1])}) to {most[0]:.2f} times (at {bytes_text(most[1])})"

def _range(all_, first, end):
    begin, last = bytes_text(all_[first].bytes), bytes_text(all_[end - 1].bytes)
    if end - first == len(all_):
        return "Here"
    if end == len(all_):
        return f"From {begin} per rank and step on"
    if first == 0:
        return f"Up to {last} per rank and step"
    return f"At {begin} per rank and step" if end - first == 1 else f"From {begin} to {last} per rank and step"

def _choices(rows, all_):
    """One sentence per range of sizes with the same outcome, in which one transport is never slower than others."""
    first = 0
    while first < len(all_):
        choice, outcome, factors, end = all_[first].winner, all_[first].decided, [], first
        while end < len(all_) and all_[end].decided == outcome:
            here = all_[end]
            if outcome:
                mine = choice if end == first else next((r for r in rows if r.sweep != "neighbors" and r.halo_bytes ==
                                                         here.bytes and r.label == choice.label), None)
                if not mine or here.winner.side != mine.side or faster(here.winner, mine):
                    break
                if here.rival:
                    factors.append((here.rival.median / mine.median, here.bytes))
            end += 1
        text = {True: f", use {choice.label}: no transport is faster",
                False: ", no difference between the best one-sided and two-sided transport",
                None: f", no verdict: fewer than 6 samples, or noise of more than {100 * MOST_NOISE:.0f} %"}[outcome]
        if factors:
            other = "two" if choice.side == "one" else "one"
            text += f", and it has {_factors(factors)} the speed of the best {other}-sided transport"
        yield _range(all_, first, end) + text + "."
        first = end

def _losses(all_):
    both = [s for s in all_ if s.one and s.two]
    unknown = ", ".join(bytes_text(s.bytes) for s in both if not s.trusted)
    if not any(s.trusted for s in both):
        return
    lost = [s for s in both if s.trusted and faster(s.two, s.one)]
    if lost:
        worst = max(lost, key=lambda s: s.one.median / s.two.median)
        text = (f"One-sided loses at {', '.join(bytes_text(s.bytes) for s in lost)}: even its best takes up to "
                f"{worst.one.median / worst.two.median:.2f} times as long as {worst.two.label}")
    else:
        text = (f"At no size{' with a verdict' * bool(unknown)} is the best one-sided transport slower than the best "
                "two-sided one")
    yield text + (f"; no verdict at {unknown}" if unknown else "") + "."

def _times(pairs, other):
    """" takes 1.20 times as long as OTHER", at the sizes where they differ."""
    found = [(a.median / b.median, a.halo_bytes) for a, b in pairs if faster(a, b) or faster(b, a)]
    return f" takes {_factors(found)} as long as {other} at the same size" if found else \
        f" is as fast as {other}, within noise"

def conclusions(rows):
    """The lines of a paragraph: which transport to use on this machine, by what factor it is faster, from which size
    on; where one-sided transports are slower; the cost of the default and of a fence; and the comparison with
    PetscSF."""
    all_ = sizes(rows)
    if not all_ or all_[0].bytes == 0:
        yield "No rank pulls anything here: there is nothing to compare. Launch it on more ranks, or on another graph."
        return
    if not all(s.winner for s in all_):
        return
    yield from _choices(rows, all_)
    chosen = [f"{s.chosen.transport} at {bytes_text(s.bytes)} ({s.chosen.median / s.winner.median:.2f})" for s in all_
              if s.chosen]
    if chosen:
        yield f"--comm=auto chose, with its time over the fastest: {', '.join(chosen)}."
    yield from _losses(all_)
    all_ = [s for s in all_ if s.trusted]
    if not all_:
        return
    fence, two, petsc = all_[0].fence, all_[0].two, all_[0].petsc
    if fence and two:
        text = "The default, fence," + _times([(s.fence, s.two) for s in all_ if s.fence and s.two],
                                              "the best two-sided transport")
        if fence.sync > 0 and two.sync > 0:
            text += (f"; the two fences of a step alone take {1e6 * fence.sync:.2f} us, as much as "
                     f"{fence.sync / two.sync:.1f} exchanges of empty messages")
        yield text + "."
    if petsc:
        yield f"PetscSF's best ({petsc.label} with little data)" + \
            _times([(s.petsc, s.winner) for s in all_ if s.petsc], "the best of these transports") + "."

# ---- JSON ------------------------------------------------------------------------------------------------------------

def _known(value):
    return value if value >= 0 else None

def _head(r):
    return {"transport": r.transport, "one_sided": r.side == "one", "eager": r.eager}

def _models_json(rows):
    each = next((r.halo_bytes // r.neighbors for r in rows if r.sweep == "neighbors"), None)
    return [{**_head(of), "neighbors": of.neighbors, "latency_seconds": line[0] if holds(line) else None,
             "seconds_per_byte": line[1] if holds(line) else None, "misses": line[2] if line else None,
             "seconds_per_neighbor": ring[1] if holds(ring) else None, "bytes_per_neighbor": each,
             "sync_seconds": _known(of.sync)}
            for of, line, ring in models(rows)]

def _row_json(r):
    return {**_head(r), "sweep": r.sweep, "record": r.record, "neighbors": r.neighbors, "halo_bytes": r.halo_bytes,
            "bytes": r.bytes, "gets": _known(r.gets), "syncs": _known(r.syncs),
            "seconds": {"min": r.min, "low": _known(r.low), "median": r.median, "high": _known(r.high), "max": r.max},
            "noise": r.noise, **dict(zip(("sync_share", "pull_share", "copy_share"), r.shares() or 3 * (None,))),
            "window_bytes": r.window, "buffer_bytes": _known(r.buffers), "auto": bool(r.auto)}

def _verdicts(rows):
    for s in sizes(rows):
        if s.one and s.two:
            side = "one" if faster(s.one, s.two) else "two" if faster(s.two, s.one) else "neither"
            yield {"halo_bytes": s.bytes, "one_sided": s.one.label, "two_sided": s.two.label,
                   "faster": side if s.trusted else "unknown"}

def _setting(facts):
    return {key: facts[key] for key in ("setting", "mpi", "partitioner", "ranks", "hosts", "crowded")}

def as_json(facts, rows):
    return {"schema": "penumbra-comm/1", **_setting(facts), "rounds": facts["rounds"],
            "cannot_run": facts["cannot_run"], "rows": [_row_json(r) for r in rows], "models": _models_json(rows),
            "verdicts": list(_verdicts(rows))}

def _ratios(machine):
    """(record, R_ref of the cheapest link or None)"""
    return [(record, machine["per_byte"] * record / machine["node_seconds"] if machine["per_byte"] > 0 else None)
            for record in machine["records"]]

def as_model(facts, rows):
    m = facts["machine"]
    linked = m["per_byte"] > 0
    return {"schema": "penumbra-comm-model/1", **_setting(facts), "transports": _models_json(rows),
            "node_neighbors": m["degree"], "node_seconds": m["node_seconds"],
            "get_latency_seconds": m["latency"] if linked else None,
            "get_seconds_per_byte": m["per_byte"] if linked else None,
            "ratios": [{"record": record, "ratio": ratio} for record, ratio in _ratios(m)]}

# ---- What pen-comm prints --------------------------------------------------------------------------------------------

def _machine_lines(m):
    text = (f"A node that becomes the mean of {m['degree']:.3g} neighbours takes {1e6 * m['node_seconds']:.4f} us on "
            "the fastest rank")
    if m["per_byte"] <= 0:
        return [text + ".", ""]
    ratios = ", ".join(f"{record} bytes {ratio:.3g}" for record, ratio in _ratios(m))
    return [f"{text}; data over the cheapest link, in such nodes (R_ref): {ratios}: pagrid:ratio=..., minex:ratio=... "
            "where links cost 1.", ""]

def printed(facts, rows, drift, joined):
    rounds = facts["rounds"]
    lines = [f"pen-comm: {facts['setting']}",
             "A step is the delivery of mail alone: no node is computed." if facts["mail"] else
             "A step is the pull alone: the nodes that others read have been rewritten, no node is computed.",
             f"{rounds} round{'s' * (rounds != 1)}, in each a sample of every transport in turn; the slowest rank's "
             "time; data checked before and after.", f"Eager limit of messages in shared memory: {facts['eager']}."]
    if facts["crowded"]:
        lines.append("More ranks than cores: ranks share cores, and times include waiting for a core.")
    if drift > 0:
        lines.append(f"Two-sided transports at another eager limit are from {joined}, a launch in which one-sided "
                     f"transports took {drift:.2f} times as long as here.")
    lines += [f"Cannot run here: {r['transport']} (from {r['record']} bytes per node on): {r['reason']}"
              for r in facts["cannot_run"]]
    lines += [*table(rows), ""]
    if "machine" in facts:
        lines += _machine_lines(facts["machine"])
    return [*lines, *conclusions(rows)]

def printed_again(rows, path):
    ranks = rows[0].ranks
    return [f"pen-comm: {path}, {ranks} rank{'s' * (ranks != 1)}", *table(rows), "", *conclusions(rows)]

def warning(rows, path):
    """Of the transports that have no line in the model."""
    missing = [of.label for of, line, _ in models(rows) if not holds(line)]
    if not missing:
        return ""
    return (f"pen-comm: warning: no latency and bandwidth of {', '.join(missing)} in {path}: the line has one size "
            f"only, noise of more than {100 * MOST_NOISE:.0f} %, or misses a time by more than "
            f"{100 * WORST_FIT:.0f} %\n")

def dump(document):
    return json.dumps(document, indent=1, allow_nan=False) + "\n"
