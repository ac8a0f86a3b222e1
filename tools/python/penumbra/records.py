"""Workload records: a run's loads and graphs, step by step."""

import itertools
import os
import struct
from collections import namedtuple
from dataclasses import replace

import numpy as np

from penumbra.files import Error, _naming, _open, _unzstd, whole_file
from penumbra.graphs import _GRIDS, Graph, _graph_of, _mix, _whole

# `number` of steps done; the present graph; loads in the order of graph.gids, with a column per phase if several.
Step = namedtuple("Step", "number graph loads")

def node_loads(step):
    """The load of each node in all phases of a step."""
    return step.loads.sum(axis=1) if step.loads.ndim > 1 else step.loads

_WORLD, _GRAPH, _CHANGE, _STEP, _END, _ORDER = range(1, 7)
_RUNS = 2 # how the loads of a step are coded
_MAGIC = b"penumbra-workload/2\n"
_SUMS = ("loop", "nn", "nl", "ll", "nt", "lt", "tt")

def _hash(data):
    h = _mix(len(data))
    for word in np.frombuffer(data + bytes(-len(data) % 8), "<u8").tolist():
        h = _mix(h ^ word)
    return h

def _numbers(data):
    """The numbers N of an array of bytes, and the last byte of each."""
    ends = np.flatnonzero(data < 128)
    starts = np.concatenate(([0], ends + 1))[:-1]
    values, long = (data[starts] & 127).astype(np.uint64), np.flatnonzero(ends > starts)
    for k in range(1, 10):
        values[long] |= (data[starts[long] + k] & 127).astype(np.uint64) << np.uint64(7 * k)
        long = long[ends[long] > starts[long] + k]
    return values, ends

def _signed(values):
    return (values >> np.uint64(1)).astype(np.int64) ^ -(values & np.uint64(1)).astype(np.int64)

def _gids(values, at):
    end = at + 1 + int(values[at])
    return np.cumsum(values[at + 1:end].astype(np.int64) + 1) - 1, end

def _world(data):
    stream, keys = iter(data.tolist()), "ranks steps declared directed dimensions grid width height depth node_bytes"

    def number():
        value = 0
        for k, byte in enumerate(stream):
            value |= (byte & 127) << 7 * k
            if byte < 128:
                return value

    def text():
        return bytes(itertools.islice(stream, number())).decode(errors="replace")

    world = {"application": text(), **{key: number() for key in (keys + " arc_bytes").split()}}
    phases = [{"name": text(), "bytes": number()} for _ in range(number())]
    return {**world, "phases": phases, "load_phases": number() or 1, "first": number() or 0}

def _nodes(data, world, change):
    """Removed gids; a Graph of nodes that are new or have a new row; their owners, except in a change; new nodes."""
    (values, ends), size = _numbers(data), 8 * world["dimensions"]
    died, at = _gids(values, 0) if change else (None, 0)
    gids, at = _gids(values, at)
    # Coordinates between the numbers look like numbers: a walk by degrees finds them, then all is decoded again.
    walk, stops, before = memoryview(values), memoryview(ends), np.cumsum(data < 128) if size else None
    asked, degrees, places = bytearray(len(gids)), np.zeros(len(gids), np.int64), []
    first, byte = at, stops[at - 1] + 1
    for i in range(len(gids)):
        asked[i] = change and data[byte] > 0
        degrees[i] = degree = walk[at + 1 + asked[i]]
        at += 2 + asked[i] + 2 * degree
        byte = stops[at - 1] + 1
        if size and (asked[i] or not change):
            places.append(byte)
            byte += size
            at = int(before[byte - 1])
    if byte != len(data):
        raise ValueError("a block with impossible values")
    asked = np.frombuffer(asked, np.uint8)
    came = asked > 0 if change else np.ones(len(gids), bool)
    if size:
        inside = np.array(places, int).reshape(-1, 1) + np.arange(size)
        values, coordinates = _numbers(np.delete(data, inside))[0], np.zeros((len(gids), size // 8))
        coordinates[came] = data[inside].view("<f8")
    sizes = 2 + asked + 2 * degrees
    begins, offsets = first + np.cumsum(sizes) - sizes, np.concatenate(([0], np.cumsum(degrees)))
    arcs = np.repeat(begins + 2 + asked - offsets[:-1], degrees) + np.arange(offsets[-1])
    steps, heads = values[arcs].astype(np.int64) + 1, offsets[:-1][degrees > 0]
    steps[heads] = gids[degrees > 0] + _signed(values[arcs[heads]])
    sums = np.cumsum(steps)
    targets = sums - np.repeat((sums - steps)[heads], degrees[degrees > 0])
    shape = (world["width"], world["height"], world["depth"]) if world["width"] else None
    graph = Graph(offsets, targets, gids, bool(world["directed"]), None, None,
                  values[arcs + np.repeat(degrees, degrees)].astype(np.int64), coordinates if size else None,
                  _GRIDS[world["grid"]], shape)
    return died, graph, np.cumsum(_signed(values[begins])), came

def _ordered(data):
    """Places, and where its parts begin."""
    values = _numbers(data)[0]
    parts = int(values[0])
    return np.cumsum(_signed(values[parts + 1:]) + 1) - 1, np.cumsum(values[:parts + 1].astype(int)) - parts

def _in_runs(data, loads, places, parts):
    """In place: of loads, the nodes of all parts."""
    at, phases = 1, loads[0].size if len(loads) else 1
    for first, end in zip(parts, parts[1:]):
        (kind, runs), ends = (of[:2] for of in _numbers(data[at:at + 12]))
        at, values = at + int(ends[1]) + 1, int(runs) * phases
        bits = np.ascontiguousarray(data[at:at + 8 * values].reshape(8, values).T).view("<u8")
        at += 8 * values
        lengths, ends = (of[:int(runs)] for of in _numbers(data[at:at + 5 * int(runs)]))
        at, mine = at + (int(ends[-1]) + 1 if runs else 0), places[first:end]
        bits = np.repeat(bits.reshape((-1, *loads.shape[1:])), lengths.astype(int), axis=0)
        loads.view(np.uint64)[mine] = bits ^ (loads.view(np.uint64)[mine] if kind else np.uint64(0))
    if at != len(data):
        raise ValueError("a step with impossible values")
    return loads

def _loads_after(data, loads, order):
    if data[0] != _RUNS:
        raise ValueError("a step of another coding")
    return _in_runs(data, loads.copy(), *(order or (np.arange(len(loads)), [0, len(loads)])))

def _changed(old, rows, came, gids):
    """The Graph of these nodes, with new rows or their old ones."""
    if old.coordinates is not None:
        rows.coordinates[~came] = old.coordinates[old.find(rows.gids[~came])]
    both = lambda a, b: None if a is None else np.concatenate((a, b))
    known = both(old.gids, rows.gids)
    order = np.argsort(known, kind="stable")
    row = order[np.searchsorted(known[order], gids, side="right") - 1]
    counts = both(np.diff(old.offsets), np.diff(rows.offsets))[row]
    offsets = np.concatenate(([0], np.cumsum(counts)))
    arcs = both(old.offsets[:-1], len(old.targets) + rows.offsets[:-1])[row] - offsets[:-1]
    arcs = np.repeat(arcs, counts) + np.arange(offsets[-1])
    places = both(old.coordinates, rows.coordinates)
    return replace(old, gids=gids, offsets=offsets, targets=both(old.targets, rows.targets)[arcs],
                   arc_weights=both(old.arc_weights, rows.arc_weights)[arcs],
                   coordinates=None if places is None else places[row])._checked()

class Record:
    """A run's loads, of --record=FILE or pen-sim generate: an iterable of Steps. `world` has what does not change,
    `graph` is the first Graph, `owners` are the first owners; after the last step `times` has the sums of END, and
    whether the run was `open` (could have taken more steps), and `final` is the Graph then.
    All of it: share/penumbra/penumbra-workload-2.txt. check=False leaves out checksums, which take time."""

    def __init__(self, path, check=True):
        self._path, self._check, self._file, self.times, self.final = path, check, _open(path), None, None
        with _naming(path, "a damaged record: "):
            line = self._file.read(len(_MAGIC))
            if line != _MAGIC:
                raise ValueError("it does not begin with penumbra-workload/2")
            (world, data, _), (graph, rows, self._first) = itertools.islice(self._blocks(len(_MAGIC)), 2)
            if (world, graph) != (_WORLD, _GRAPH):
                raise ValueError("its first blocks are not world and graph")
            self.world = _world(data)
            _, self.graph, self.owners, _ = _nodes(rows, self.world, False)
            self.graph._checked()

    def _blocks(self, at):
        """A block at a byte: (kind, content, byte after it)."""
        kind, end = None, os.fstat(self._file.fileno()).st_size
        while kind != _END:
            self._file.seek(at)
            head = self._file.read(32)
            kind, coding, size, stored, checksum = struct.unpack("<IIQQQ", head) if len(head) == 32 else 5 * [end]
            if stored > end - at - 32:
                raise ValueError("it is cut off")
            data = self._file.read(stored)
            if self._check and checksum != _mix(_hash(head[:24])) ^ _hash(data):
                raise ValueError(f"the checksum of the block at byte {at} is wrong")
            data, at = _unzstd(data, "zstandard") if coding else data, at + 32 + stored
            if len(data) != size or coding > 1 or kind == _END and at != end:
                raise ValueError(f"wrong size or coding of the block before byte {at}, or data after the last block")
            yield kind, np.frombuffer(data, np.uint8), at

    def __iter__(self):
        graph, number, holes, parts = self.graph, self.world["first"], [], None
        # By place: gids, -1 if empty, and loads; by gid: places.
        phases = (self.world["load_phases"],) if self.world["load_phases"] > 1 else ()
        cells, loads, order = graph.gids, np.zeros((len(graph.gids), *phases)), np.arange(len(graph.gids))
        with _naming(self._path, "a damaged record: "):
            for kind, data, _ in self._blocks(self._first):
                if kind == _CHANGE:
                    parts, (died, rows, _, came) = None, _nodes(data, self.world, True)
                    gone, born = order[graph.find(died)], rows.gids[came]
                    more = max(0, len(born) - len(holes) - len(gone))
                    cells = np.concatenate((cells, np.zeros(more, int)))
                    loads = np.concatenate((loads, np.zeros((more, *phases))))
                    holes = [*reversed(range(len(cells) - more, len(cells))), *holes, *gone.tolist()]
                    cells[gone], loads[gone] = -1, 0.0
                    cells[[holes.pop() for _ in born]] = born
                    order = np.argsort(cells, kind="stable")[np.count_nonzero(cells < 0):]
                    graph = _changed(graph, rows, came, cells[order])
                elif kind == _ORDER:
                    parts = _ordered(data)
                    if not np.array_equal(np.sort(parts[0]), np.sort(order)):
                        raise ValueError("an order that does not have each node once")
                elif kind == _STEP:
                    loads, number = _loads_after(data, loads, parts), number + 1
                    if not np.all((loads >= 0) & (loads <= 1e300)):
                        raise ValueError("impossible loads")
                    yield Step(number, graph, loads[order])
                elif kind != _END or _numbers(data[:-56])[0].tolist() not in ([number], [number, 1]):
                    raise ValueError("a misplaced block, or a different number of steps at the end")
            self.final = graph
            self.times = dict(zip(_SUMS, data[-56:].view("<f8").tolist()), open=_numbers(data[:-56])[0].size > 1)

read_record = Record

# ---- Writing ---------------------------------------------------------------------------------------------------------

def _packed(values):
    """Numbers N in bytes, and the end of each."""
    values = np.asarray(values, np.uint64)
    sizes = 1 + sum((values >> np.uint64(7 * k) > 0).astype(int) for k in range(1, 10))
    ends = np.cumsum(sizes)
    data = np.empty(ends[-1] if len(ends) else 0, np.uint8)
    for k in range(10):
        longer = np.flatnonzero(sizes > k)
        data[(ends - sizes)[longer] + k] = values[longer] >> np.uint64(7 * k) & np.uint64(127) | \
            (np.uint64(128) * (sizes[longer] > k + 1)).astype(np.uint64)
    return data, ends

def _zigzag(values):
    values = np.asarray(values, np.int64)
    return (values << 1 ^ values >> 63).astype(np.uint64)

def _text(words):
    data = words.encode()
    return _packed([len(data)])[0].tobytes() + data

def _world_bytes(graph, world):
    numbers = [world["ranks"], world["steps"], world["declared"], graph.directed,
               0 if graph.coordinates is None else graph.coordinates.shape[1], _GRIDS.index(graph.grid or ""),
               *(graph.shape or (0, 0, 0)), world["node_bytes"], world["arc_bytes"], len(world["phases"])]
    phases = (_text(phase["name"]) + _packed([phase["bytes"]])[0].tobytes() for phase in world["phases"])
    more = [world["load_phases"], *[world["first"]] * (world["first"] > 0)]
    more = b"" if more == [1] else _packed(more)[0].tobytes()
    return _text(world["application"]) + _packed(numbers)[0].tobytes() + b"".join(phases) + more

def _graph_bytes(graph, owners):
    """The numbers of a node are its owner, its degree, the neighbours and the weights."""
    degrees = np.diff(graph.offsets)
    numbers = np.zeros(int(np.sum(2 + 2 * degrees)), np.uint64)
    begins = np.cumsum(2 + 2 * degrees) - (2 + 2 * degrees)
    numbers[begins], numbers[begins + 1] = _zigzag(np.diff(owners, prepend=0)), degrees
    arcs = np.arange(len(graph.targets)) + np.repeat(begins + 2 - graph.offsets[:-1], degrees)
    numbers[arcs] = np.diff(graph.targets, prepend=0) - 1
    heads = graph.offsets[:-1][degrees > 0]
    numbers[arcs[heads]] = _zigzag(graph.targets[heads] - graph.gids[degrees > 0])
    numbers[arcs + np.repeat(degrees, degrees)] = 1 if graph.arc_weights is None else graph.arc_weights
    data, ends = _packed(numbers)
    if graph.coordinates is not None:
        places = np.ascontiguousarray(graph.coordinates, "<f8").view(np.uint8)
        data = np.insert(data, np.repeat(ends[begins + 1 + 2 * degrees], places.shape[1]), places.ravel())
    gids = _packed([len(graph.gids), *(np.diff(graph.gids, prepend=-1) - 1)])[0]
    return gids.tobytes() + data.tobytes()

def _step_bytes(loads, before):
    """The changes of the loads, in runs of nodes with equal changes."""
    bits = (loads.view(np.uint64) ^ before.view(np.uint64)).reshape(len(loads), -1)
    starts = np.flatnonzero(np.concatenate(([True], np.any(bits[1:] != bits[:-1], axis=1))))[:len(loads)]
    planes = np.ascontiguousarray(bits[starts]).view(np.uint8).reshape(-1, 8).T
    lengths = _packed(np.diff(starts, append=len(loads)))[0]
    return _packed([_RUNS, 1, len(starts)])[0].tobytes() + planes.tobytes() + lengths.tobytes()

_UNKNOWN = {"application": "", "first": 0, "steps": 0, "declared": False, "node_bytes": 64, "arc_bytes": 8,
            "load_phases": 1, "phases": [{"name": "step", "bytes": 8}]}

_LIMITS = {"ranks": (1, 2**31 - 1), "first": (0, 2**62 - 1), "steps": (0, 2**63 - 1), "declared": (0, 1),
           "node_bytes": (0, 2**63 - 1), "arc_bytes": (0, 2**63 - 1), "load_phases": (1, 16)}

def _check(name, value, least, most):
    if not isinstance(value, (int, np.integer, np.bool_)) or not least <= value <= most:
        raise Error(f"{name}: must be a whole number from {least} to {most}, not {value}")

def write_record(path, graph, owners, loads, times=None, **world):
    """Writes a workload record for pen-sim: of a Graph with ascending gids, which does not change, `owners`, the ranks
    of its nodes at first, and `loads`, an iterable with an array of the nodes' loads for each step, with load_phases=
    columns if there are several phases, or the Steps of a Record. `world` is as Record.world: ranks= if they are more
    than the owners, application=, first= steps before the record, steps= that were planned, with those, declared=True
    if loads are in units and not in seconds, phases=, node_bytes= and arc_bytes= of a migration; the rest follows from
    the graph. `times` is as Record.times. If something cannot be in a record, Error is raised, and no file is
    written."""
    strange = set(world) - {*_UNKNOWN, "ranks", "directed", "dimensions", "grid", "width", "height", "depth"}
    if strange:
        raise Error(f"a record has no {min(strange)}")
    graph = _graph_of(graph, {})
    owners = _whole("owners", owners, 0, graph.gids.shape)
    world = {**_UNKNOWN, "ranks": int(owners.max()) + 1, **world}
    with _naming("the world of a record"):
        for key, limits in _LIMITS.items():
            _check(key, world[key], *limits)
        for phase in world["phases"]:
            _check("bytes of a phase", phase["bytes"], 0, 2**63 - 1)
        begin = _world_bytes(graph, world)
    if 0 < world["steps"] < world["first"]:
        raise Error(f"a record that begins after {world['first']} steps is not of {world['steps']} steps")
    if np.any(np.diff(graph.gids) <= 0) or owners.max() >= world["ranks"]:
        raise Error(f"a record needs ascending gids, and owners below the number of ranks, {world['ranks']}")
    with whole_file(path) as out:
        def block(kind, data):
            head = struct.pack("<IIQQ", kind, 0, len(data), len(data))
            out.write(head + struct.pack("<Q", _mix(_hash(head)) ^ _hash(data)) + data)
        out.write(_MAGIC)
        block(_WORLD, begin)
        block(_GRAPH, _graph_bytes(graph, owners))
        phases = world["load_phases"]
        before, count = np.zeros((len(owners), phases) if phases > 1 else len(owners)), world["first"]
        for step in loads:
            if isinstance(step, Step) and not np.array_equal(step.graph.gids, graph.gids):
                raise Error(f"the nodes of the graph change in step {step.number}: no such record is written")
            now = np.array(step.loads if isinstance(step, Step) else step, float)
            if now.shape != before.shape or not np.all((now >= 0) & (now <= 1e300)):
                raise Error(f"the loads of step {count + 1} must be {before.size} numbers >= 0")
            block(_STEP, _step_bytes(now, before))
            before, count = now, count + 1
        times = times or {}
        steps = _packed([count, *[1] * bool(times.get("open"))])[0].tobytes()
        block(_END, steps + struct.pack("<7d", *(float(times.get(name, 0.0)) for name in _SUMS)))
