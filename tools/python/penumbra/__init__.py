"""Penumbra from Python: what its programs write is read, and they are run.

    import pandas, penumbra

    run = penumbra.run("hex", ranks=4, grid="64x64", steps=200, balance_when="every:5", dump=True)
    run.metrics["seconds"]["loop"]; pandas.DataFrame(run.dump)
    penumbra.metrics_frame("p1.json", "p2.json")        # a row a file, columns such as "seconds.loop"
    penumbra.read_graph("hex.pen").to_scipy()           # a sparse matrix
    penumbra.write_graph("mine.pen", matrix)            # and back

Tables are NumPy's structured arrays, of which pandas.DataFrame(table) makes a frame. pandas is needed by metrics_frame
and to_pandas only, SciPy by to_scipy, matplotlib by draw. Files in gzip, xz and zstd are decompressed; zstd, which is
in records, too, takes Python 3.14, its command, or for records the module zstandard. What cannot be read or run raises
penumbra.Error, which says why with the file's name, or in the program's words; a missing file OSError."""

import contextlib
import csv
import gzip
import importlib
import io
import itertools
import json
import lzma
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import warnings
from collections import namedtuple
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

class Error(Exception):
    """What went wrong, in a sentence; of a program that failed also `status`, its exit status, and `run`, its Run."""

    def __init__(self, sentence, status=None, run=None):
        super().__init__(sentence)
        self.status, self.run = status, run

def _unzstd(data, *modules):
    """Of one frame, by Python 3.14 or a module, or of several, by the command."""
    for module in ("compression.zstd", *modules):
        with contextlib.suppress(ImportError, AttributeError):
            return importlib.import_module(module).decompress(data)
    if not shutil.which("zstd"):
        raise ValueError("this takes Python 3.14 or the command zstd")
    done = subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=False)
    if done.returncode:
        raise ValueError("zstd: damaged")
    return done.stdout

_PACKED = {b"\x1f\x8b": gzip.decompress, b"\xfd7zXZ": lzma.decompress, b"\x28\xb5\x2f\xfd": _unzstd} # by how it begins

@contextlib.contextmanager
def _naming(path, what=""):
    """Whatever is wrong with a file is told with its name."""
    try:
        yield
    except Error:
        raise
    except Exception as why: # NumPy and the decompressors have many
        raise Error(f"{path}: {what}{' '.join(str(why).split())}") from None

def _open(path):
    if os.path.exists(path) and not os.path.isfile(path): # it may never end
        raise Error(f"{path}: not a regular file")
    return open(path, "rb")

def _read(path):
    """The bytes of a file, decompressed."""
    with _open(path) as file:
        data = bytearray(os.fstat(file.fileno()).st_size)
        del data[file.readinto(data):]
    decompress = next((by for begin, by in _PACKED.items() if data.startswith(begin)), None)
    with _naming(path, "cannot decompress it: "):
        return bytearray(decompress(bytes(data))) if decompress else data

def _table(path, data, types, **how):
    """The rows of a text, a line each, and every one of them whole."""
    lines = data.count(b"\n")
    with _naming(path), warnings.catch_warnings():
        warnings.simplefilter("error")
        if data and not data.endswith(b"\n"):
            raise ValueError("the last line is cut off")
        table = np.loadtxt(io.BytesIO(data), types, None, ndmin=1, **how) if lines else np.empty(0, types)
        if len(table) != lines:
            raise ValueError(f"{len(table)} rows in {lines} lines")
        return table

def _json(path, key, what):
    with _naming(path, f"no {what}: "):
        found = json.loads(_read(path))
        if not isinstance(found, dict) or key not in found:
            raise ValueError(f"it has no \"{key}\"")
        return found

# ---- States, observables, traces, arrays, partitions, metrics --------------------------------------------------------

def read_dump(path, columns=None):
    """The nodes' states, of --dump=FILE: a table by ascending gid of `gid` and, where states are numbers, `value`, or
    `value1`, `value2` and so on, as doubles; else (battlefield, nbody) `text`. `columns` gives names, a list, or names
    and types, a dict: {"level": int, "x": int, "y": int, "mass": int}; or it is the name of one column of text."""
    data = _read(path)
    words = data.partition(b"\n")[0].split()[1:]
    if columns is None:
        columns = ["value"] if len(words) == 1 else [f"value{i + 1}" for i in range(len(words))]
        if not all(re.fullmatch(rb"-?(\d.*|inf|nan)", word) for word in words) or data and not words:
            columns = "text"
    if isinstance(columns, str):
        lines = [line.partition(b" ") for line in data.split(b"\n")]
        gids = _table(path, b"\n".join(gid for gid, _, _ in lines), np.int64)
        table = np.empty(len(gids), [("gid", np.int64), (columns, object)])
        table["gid"], table[columns] = gids, [text.decode(errors="replace") for _, _, text in lines[:-1]]
    else:
        pairs = columns.items() if isinstance(columns, dict) else [(name, float) for name in columns]
        table = _table(path, data, [("gid", np.int64), *pairs])
    if len(table) and (table["gid"][0] < 0 or np.any(np.diff(table["gid"]) <= 0)):
        raise Error(f"{path}: no dump: gids do not ascend")
    return table

def read_observables(path):
    """What an application observes, of --observables=FILE, also while it runs: `step`, and a column of doubles each."""
    head, _, rest = _read(path).partition(b"\n")
    with _naming(path, "no observables: "):
        names = next(csv.reader([head.decode()]))
        if names[0] != "step" or not rest:
            raise ValueError("the first line is not \"step,...\", or the only one")
        types = np.dtype([(name, float if i else np.int64) for i, name in enumerate(names)])
    return _table(path, rest, types, delimiter=",")

def _event(e):
    if e["ph"] == "X":
        return e["tid"], e["args"]["step"], e["cat"], e["name"], 1e-6 * e["ts"], 1e-6 * e["dur"], np.nan
    name, _, rank = e["name"].rpartition(", rank ")
    return int(rank), -1, "counter", name, 1e-6 * e["ts"], 0.0, e["args"]["value"]

def read_trace(path):
    """What ranks did when, of --trace=FILE: rank, step, category (phase, wait, pull, balance, counter), name, begin,
    seconds, value; times are seconds. Only counters have values, and neither step (-1) nor duration."""
    events = _json(path, "traceEvents", "trace")["traceEvents"]
    with _naming(path, "an event of the trace is not as it should be: "):
        rows = [_event(e) for e in events if e["ph"] != "M"]
        texts = [f"U{max([1, *(len(row[i]) for row in rows)])}" for i in (2, 3)]
        return np.array(rows, [("rank", np.int64), ("step", np.int64), ("category", texts[0]), ("name", texts[1]),
                               ("begin", float), ("seconds", float), ("value", float)])

def read_npy(path):
    """A NumPy array; mapped, not read, where it is not compressed."""
    with _open(path) as file:
        plain = file.read(6) == b"\x93NUMPY"
    with _naming(path, "no NumPy array: "):
        if plain:
            return np.lib.format.open_memmap(path, mode="r")
        return np.lib.format.read_array(io.BytesIO(_read(path)), allow_pickle=False)

def read_outputs(pattern):
    """The arrays of --output=PATTERN, "out/{name}.npy" say, by their names; where the run has written several steps, of
    each name by step: {"heat": {0: array, 100: array}}. "gid" is there where gids are not 0, 1, 2, ... in some step."""
    folder, name = os.path.split(pattern)
    if not name.endswith(".npy"):
        raise Error(f"{pattern}: arrays are of --output=PATTERN.npy")
    stem = name[:-4] if "{name}" in name else name[:-4] + "-{name}"
    stem = re.escape(stem).replace(r"\{name\}", "(?P<name>.+?)", 1).replace(r"\{name\}", "(?P=name)")
    stem = stem.replace(r"\{step\}", r"(?P<step>\d+)", 1).replace(r"\{step\}", r"(?P=step)")
    known = re.compile(stem + ("" if "?P<step>" in stem else r"(-(?P<step>\d{6,}))?") + r"\.npy")
    arrays = {} # by name, and by step, which is None where there is none
    for found in filter(None, map(known.fullmatch, sorted(os.listdir(folder or ".")))):
        arrays.setdefault(found["name"], {})[found["step"]] = read_npy(os.path.join(folder, found[0]))
    if not arrays:
        raise Error(f"{pattern}: there are no such files")
    for name, steps in arrays.items():
        if None in steps and len(steps) > 1:
            raise Error(f"{pattern}: {name} is there with steps and without")
    for step, array in ((step, array) for steps in list(arrays.values()) for step, array in steps.items()):
        if "gid" in arrays: # a run does not write them where they are 0, 1, 2, ...
            arrays["gid"].setdefault(step, np.arange(len(array)))
    arrays = {name: dict(sorted(steps.items(), key=lambda item: int(item[0] or 0))) for name, steps in arrays.items()}
    return {name: steps[None] if None in steps else {int(step): array for step, array in steps.items()}
            for name, steps in arrays.items()}

def read_partition(path):
    """The part of each node: of a file with a part a line, in the order of the nodes, or of a Scotch mapping, which has
    pairs behind their number, by ascending label."""
    lines = [line for line in _read(path).splitlines(True) if not line.startswith(b"%")]
    if len(lines) < 2 or len(lines[1].split()) != 2:
        parts = _table(path, b"".join(lines), np.int64)
    else:
        pairs = _table(path, b"".join(lines[1:]), [("label", np.int64), ("part", np.int64)])
        pairs.sort(order="label")
        parts = pairs["part"].copy()
        if lines[0].split() != [b"%d" % len(pairs)] or np.any(np.diff(pairs["label"]) == 0):
            raise Error(f"{path}: not as many nodes as the first line says, or one of them twice")
    if np.any(parts < 0):
        raise Error(f"{path}: node {int(np.argmax(parts < 0))}, counted from 0, is in no part")
    return parts

def _flatten(value, before=""):
    flat = {}
    for key, inner in value.items():
        flat.update(_flatten(inner, f"{before}{key}.") if isinstance(inner, dict) else {before + key: inner})
    return flat

def read_metrics(path, flat=False):
    """What --metrics=FILE wrote, a dict; with `flat` nested keys are joined: "seconds.loop". Their meanings:
    share/penumbra/penumbra-metrics-2.schema.json."""
    metrics = _json(path, "schema", "metrics")
    if not str(metrics["schema"]).startswith("penumbra-metrics/"):
        raise Error(f"{path}: no metrics, but {metrics['schema']}")
    return _flatten(metrics) if flat else metrics

def metrics_frame(*files, of=None):
    """A pandas.DataFrame of metrics, a row a file; files are paths, or metrics that were read, such as run.metrics.
    Columns have nested keys, joined by points; the first one, `file`, has the path or the number. Lists are left out;
    of="per_rank", "balance_calls" or "hosts" gives that list, a row an item."""
    import pandas
    rows = []
    for number, file in enumerate(files):
        m = file if isinstance(file, dict) else read_metrics(file)
        for row in [m] if of is None else m[of]:
            rows.append({"file": number if file is m else os.fspath(file), **_flatten(row)})
            rows[-1] = {key: value for key, value in rows[-1].items() if not isinstance(value, list)}
    return pandas.DataFrame(rows)

# ---- Graphs ----------------------------------------------------------------------------------------------------------

@dataclass(eq=False, repr=False)
class Graph:
    """Row i, of node gids[i], has the arcs offsets[i] .. offsets[i + 1] - 1 to the gids `targets` that the node reads.
    An undirected edge is two arcs. What a graph has not is None."""

    offsets: np.ndarray # [n+1]
    targets: np.ndarray # [arcs] gids, ascending in a row
    gids: np.ndarray # [n]
    directed: bool = False
    node_weights: np.ndarray = None # [n] or, where there are several, [n, weights]
    node_sizes: np.ndarray = None # [n]
    arc_weights: np.ndarray = None # [arcs]
    coordinates: np.ndarray = None # [n, dimensions]
    grid: str = "" # squares, hexagons, torus
    shape: tuple = None # of a grid: width, height, depth

    def find(self, gids):
        """Where nodes are in `gids`; ValueError where one is not there."""
        order = np.argsort(self.gids, kind="stable")
        at = np.searchsorted(self.gids, gids, sorter=order)
        if np.any(at == len(self.gids)) or np.any(self.gids[order[at]] != gids):
            raise ValueError("a node that is not there")
        return order[at]

    def to_scipy(self):
        """A scipy.sparse.csr_matrix: row and column i are node gids[i], values are arcs' weights, or 1."""
        import scipy.sparse
        weights = np.ones(len(self.targets), np.int64) if self.arc_weights is None else self.arc_weights.copy()
        return scipy.sparse.csr_matrix((weights, self.find(self.targets), self.offsets.copy()), 2 * (len(self.gids),))

    def to_pandas(self):
        """A pandas.DataFrame with a row an arc: source (who reads), target (who is read), weight."""
        import pandas
        frame = pandas.DataFrame({"source": np.repeat(self.gids, np.diff(self.offsets)), "target": self.targets})
        return frame.assign(weight=1 if self.arc_weights is None else self.arc_weights)

    def _checked(self):
        if self.offsets[0] or self.offsets[-1] != len(self.targets) or np.any(np.diff(self.offsets) < 0):
            raise ValueError("the rows are not ascending")
        self.find(self.targets)
        return self

_GRIDS, _MASK, _GOLDEN = ("", "squares", "hexagons", "torus"), 2**64 - 1, 0x9E3779B97F4A7C15

def _mix(x):
    """The finaliser of SplitMix64, of a number or an array."""
    x = x + _GOLDEN & _MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _MASK
    return x ^ x >> 31

def _sum_words(words, piece=1 << 20):
    """The checksum of a section of a .pen file."""
    total = 0
    for first in range(0, len(words), piece):
        part = words[first:first + piece]
        index = np.arange(first, first + len(part), dtype=np.uint64)
        total += int(_mix(index * np.uint64(_GOLDEN) + part).sum(dtype=np.uint64))
    return total & _MASK

def read_graph(path):
    """A Graph, of a .pen file; `pen-graph convert` makes one of other formats, pen-graph check says what is wrong."""
    with _naming(path):
        data = _read(path)
        if len(data) < 200 or data[:8] != b"\x89PEN\r\n\x1a\n":
            raise ValueError("no binary graph of Penumbra (.pen), or less than its header")
        order, version, *words = struct.unpack_from("=II22qQ", data, 8)
        flags, n, arcs, weights, dimensions, width, height, size = words[:8]
        if (order, version) != (0x01020304, 1):
            raise ValueError("a binary graph of another version, or from a machine of the other byte order")
        if _sum_words(np.frombuffer(data, np.uint64, 24)) != words[-1]:
            raise ValueError("the header is damaged: its checksum is wrong")
        counts = [n * (flags >> 1 & 1), n + 1, arcs, n * weights, n * (flags >> 2 & 1), arcs * (flags >> 3 & 1),
                  n * dimensions]
        if n < 1 or min(*counts, width, height) < 0 or not 200 + 8 * sum(counts) == size == len(data):
            raise ValueError(f"the file has {len(data)} bytes, the header announces others")
        sections, at = [], 200
        for count, checksum, kind in zip(counts, words[15:], 6 * [np.int64] + [float]):
            sections.append(np.frombuffer(data, kind, count, at) if count else None)
            at += 8 * count
            if count and _sum_words(sections[-1].view(np.uint64)) != checksum & _MASK:
                raise ValueError(f"damaged: the checksum of section {len(sections) - 1} is wrong")
        gids, offsets, targets, node_weights, sizes, arc_weights, places = sections
        return Graph(offsets, np.empty(0, np.int64) if targets is None else targets,
                     np.arange(n) if gids is None else gids, bool(flags & 1),
                     node_weights if weights < 2 else node_weights.reshape(n, weights), sizes, arc_weights,
                     None if places is None else places.reshape(n, dimensions), _GRIDS[flags >> 4 & 3],
                     (width, height, n // (width * height)) if width * height else None)._checked()

def _whole(name, values, least, shape):
    """An array of integers, from any that has nothing else."""
    array = np.asarray(values)
    if array.shape != shape or array.dtype.kind not in "iufb" or len(array) and not np.all(array >= least) \
            or np.any(array != array.astype(np.int64)):
        raise Error(f"{name}: it must be whole numbers from {least} on, of shape {shape}")
    return array.astype(np.int64)

def _graph_of(graph, parts):
    """A Graph as files have it: rows ascending, all that is wrong told."""
    if hasattr(graph, "tocsr"):
        matrix = graph.tocsr(copy=True)
        matrix.sum_duplicates()
        gids = np.asarray(parts.get("gids", np.arange(matrix.shape[0])))
        if matrix.shape != 2 * (len(gids),):
            raise Error(f"a matrix of shape {matrix.shape} for {len(gids)} nodes")
        weights = None if np.all(matrix.data == 1) else matrix.data
        graph = Graph(matrix.indptr, gids[matrix.indices], gids, (matrix != matrix.T).nnz > 0, arc_weights=weights)
    elif isinstance(graph, tuple):
        graph = Graph(*graph, np.arange(len(graph[0]) - 1))
    g = replace(graph, **parts)
    n, m = len(g.gids), len(g.targets)
    if n < 1:
        raise Error("a graph without nodes")
    g = replace(g, gids=_whole("gids", g.gids, 0, (n,)), offsets=_whole("offsets", g.offsets, 0, (n + 1,)),
                targets=_whole("targets", g.targets, 0, (m,)))
    for name, least, shape in (("node_weights", 0, (n, *np.shape(g.node_weights)[1:2])),
                               ("node_sizes", 0, (n,)), ("arc_weights", 1, (m,))):
        if getattr(g, name) is not None:
            g = replace(g, **{name: _whole(name, getattr(g, name), least, shape)})
    places = None if g.coordinates is None else np.asarray(g.coordinates, float)
    if places is not None and (places.ndim != 2 or len(places) != n or not 1 <= places.shape[1] <= 3
                               or not np.all(np.isfinite(places))):
        raise Error("coordinates: they must be finite numbers, a row of 1 to 3 for each node")
    with _naming("the graph"):
        g._checked()
    rows = np.repeat(np.arange(n), np.diff(g.offsets))
    order, columns = np.lexsort((g.targets, rows)), g.find(g.targets)
    same = lambda a: None if a is None else a[order]
    g = replace(g, targets=same(g.targets), arc_weights=same(g.arc_weights), coordinates=places)
    columns = columns[order]
    if len(np.unique(g.gids)) < n or np.any(columns == rows):
        raise Error("a gid that two nodes have, or an edge from a node to itself")
    if np.any((np.diff(rows) == 0) & (np.diff(g.targets) == 0)):
        raise Error("an arc that is there twice")
    if not g.directed:
        back = np.lexsort((rows, columns))
        if np.any(columns[back] != rows) or np.any(rows[back] != columns[np.lexsort((columns, rows))]) or \
                g.arc_weights is not None and np.any(g.arc_weights[back] != g.arc_weights[np.lexsort((columns, rows))]):
            raise Error("an edge that is not the same in both directions: directed=True?")
    return g

def _pen_bytes(g):
    n, m, dense = len(g.gids), len(g.targets), np.array_equal(g.gids, np.arange(len(g.gids)))
    weights = 0 if g.node_weights is None else g.node_weights.size // n
    sections = [None if dense else g.gids, g.offsets, g.targets, g.node_weights, g.node_sizes, g.arc_weights,
                g.coordinates]
    texts = [b"" if s is None else np.ascontiguousarray(s).tobytes() for s in sections]
    begins = np.cumsum([200, *map(len, texts)]).tolist()
    flags = g.directed | 2 * (not dense) | 4 * (g.node_sizes is not None) | 8 * (g.arc_weights is not None)
    flags |= 16 * _GRIDS.index(g.grid or "")
    width, height = g.shape[:2] if g.shape else (0, 0)
    sums = [_sum_words(np.frombuffer(text, np.uint64)) for text in texts]
    head = b"\x89PEN\r\n\x1a\n" + struct.pack(
        "=II15q7Q", 0x01020304, 1, flags, n, m, weights, 0 if g.coordinates is None else g.coordinates.shape[1], width,
        height, begins[7], *begins[:7], *sums)
    return head + struct.pack("=Q", _sum_words(np.frombuffer(head, np.uint64))) + b"".join(texts)

def _text_bytes(path, g):
    if g.directed or g.coordinates is not None or not np.array_equal(g.gids, np.arange(len(g.gids))):
        raise Error(f"{path}: Chaco/METIS text has no arcs, no coordinates and no gids but 0..n-1: write a .pen")
    n, nodes = len(g.gids), [a.reshape(len(g.gids), -1) for a in (g.node_sizes, g.node_weights) if a is not None]
    count = 0 if g.node_weights is None else g.node_weights.size // n
    head = f"{n} {len(g.targets) // 2} {g.node_sizes is not None:d}{count > 0:d}{g.arc_weights is not None:d}"
    arcs = g.targets[:, None] + 1 if g.arc_weights is None else np.column_stack((g.targets + 1, g.arc_weights))
    rows = [np.concatenate([*(a[i] for a in nodes), arcs[g.offsets[i]:g.offsets[i + 1]].ravel()]) for i in range(n)]
    lines = [head + (f" {count}" if count > 1 else ""), *(" ".join(map(str, row.tolist())) for row in rows)]
    return ("\n".join(lines) + "\n").encode()

def write_graph(path, graph, **parts):
    """Writes a .pen file or, under another name, Chaco/METIS text; compressed where the name ends in .gz or .xz.
    `graph` is a Graph, a SciPy sparse matrix (row i reads column j; directed where it is not symmetric; its values are
    arcs' weights unless all are 1), or a pair of arrays, offsets and targets. `parts` are Graph's, in place of what it
    has: node_weights=..., coordinates=..., directed=True. A graph that is none raises Error, and nothing is written."""
    name, ending = os.path.splitext(os.fspath(path))
    pack = {".gz": gzip.compress, ".xz": lzma.compress}.get(ending)
    g = _graph_of(graph, parts)
    data = _pen_bytes(g) if (name if pack else os.fspath(path)).endswith(".pen") else _text_bytes(path, g)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path) or ".", prefix=".penumbra-") as folder:
        Path(folder, "graph").write_bytes(pack(data) if pack else data)
        os.replace(Path(folder, "graph"), path)

def draw(graph, values=None, axes=None, **options):
    """Draws nodes where they are, coloured by `values`, an array, one a node (run.dump["value"], or a partition), and
    edges, unless they are many; on matplotlib's `axes`, which are returned. `options` are its scatter's."""
    import matplotlib.pyplot
    from matplotlib.collections import LineCollection
    axes, at = axes or matplotlib.pyplot.subplots()[1], graph.coordinates
    if at is None: # it must be a grid, whose layers lie one above the other
        shift, high = (0.5, 0.75**0.5) if graph.grid == "hexagons" else (0, 1)
        x, y = graph.gids % graph.shape[0], graph.gids // graph.shape[0]
        at = np.column_stack((x + shift * (y % 2), high * y))
    if len(graph.targets) < 200000:
        lines = np.stack((np.repeat(at[:, :2], np.diff(graph.offsets), axis=0), at[graph.find(graph.targets), :2]), 1)
        axes.add_collection(LineCollection(lines, colors="0.8", linewidths=0.5, zorder=1))
    points = axes.scatter(at[:, 0], at[:, 1], c=values, **{"s": 12, "zorder": 2, **options})
    axes.set_aspect("equal")
    if values is not None:
        axes.figure.colorbar(points, ax=axes)
    return axes

# ---- Workload records ------------------------------------------------------------------------------------------------

Step = namedtuple("Step", "number graph loads") # steps done, the graph now, loads in the order of graph.gids
_WORLD, _GRAPH, _CHANGE, _STEP, _END = range(1, 6)
_MAGIC = b"penumbra-workload/1\n"

def _hash(data):
    h = _mix(len(data))
    for word in np.frombuffer(data + bytes(-len(data) % 8), "<u8").tolist():
        h = _mix(h ^ word)
    return h

def _numbers(data):
    """All numbers N of an array of bytes, and the last byte of each."""
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
    return {**world, "phases": [{"name": text(), "bytes": number()} for _ in range(number())]}

def _nodes(data, world, change):
    """Gids that went; a Graph of nodes that came or have another row; their owners, unless it is a change; who came."""
    (values, ends), size = _numbers(data), 8 * world["dimensions"]
    died, at = _gids(values, 0) if change else (None, 0)
    gids, at = _gids(values, at)
    # Coordinates lie between the numbers, and look like some: a walk by degrees finds them, then all is decoded anew.
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
        raise ValueError("a block that says what cannot be")
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

def _loads_after(data, loads):
    if data[0] == 0:
        return loads + _signed(_numbers(data[1:])[0]).reshape(len(loads))
    bits = np.ascontiguousarray(data[1:].reshape(8, len(loads)).T).view("<u8").reshape(len(loads))
    return (loads.view(np.uint64) ^ bits).view(float)

def _changed(old, rows, came, gids):
    """The Graph of these nodes, whose rows are new ones or their old ones."""
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
    `graph` is the first Graph, `owners` are the first owners; after the last step `times` has the sums of END.
    All of it: share/penumbra/penumbra-workload-1.txt. check=False leaves out checksums, which take time."""

    def __init__(self, path, check=True):
        self._path, self._check, self._file, self.times = path, check, _open(path), None
        with _naming(path, "a damaged record: "):
            if self._file.read(len(_MAGIC)) != _MAGIC:
                raise ValueError("it does not begin with penumbra-workload/1")
            (world, data, _), (graph, rows, self._first) = itertools.islice(self._blocks(len(_MAGIC)), 2)
            if (world, graph) != (_WORLD, _GRAPH):
                raise ValueError("it begins otherwise")
            self.world = _world(data)
            _, self.graph, self.owners, _ = _nodes(rows, self.world, False)
            self.graph._checked()

    def _blocks(self, at):
        """From a byte on: (kind, content, byte behind it)."""
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
                raise ValueError(f"the block before byte {at}, or what is behind it")
            yield kind, np.frombuffer(data, np.uint8), at

    def __iter__(self):
        graph, number, holes = self.graph, 0, []
        # By place: gids, -1 in holes, and loads; by gid: places.
        cells, loads, order = graph.gids, np.zeros(len(graph.gids)), np.arange(len(graph.gids))
        with _naming(self._path, "a damaged record: "):
            for kind, data, _ in self._blocks(self._first):
                if kind == _CHANGE:
                    died, rows, _, came = _nodes(data, self.world, True)
                    gone, born = order[graph.find(died)], rows.gids[came]
                    more = max(0, len(born) - len(holes) - len(gone))
                    cells, loads = np.concatenate((cells, np.zeros(more, int))), np.concatenate((loads, np.zeros(more)))
                    holes = [*reversed(range(len(cells) - more, len(cells))), *holes, *gone.tolist()]
                    cells[gone], loads[gone] = -1, 0.0
                    cells[[holes.pop() for _ in born]] = born
                    order = np.argsort(cells, kind="stable")[np.count_nonzero(cells < 0):]
                    graph = _changed(graph, rows, came, cells[order])
                elif kind == _STEP:
                    loads, number = _loads_after(data, loads), number + 1
                    if not np.all((loads >= 0) & (loads <= 1e300)):
                        raise ValueError("loads that cannot be")
                    yield Step(number, graph, loads[order])
                elif kind != _END or _numbers(data[:-48])[0].tolist() != [number]:
                    raise ValueError("a block that does not belong there, or the end after another number of steps")
            self.times = dict(zip(("loop", "nn", "nl", "ll", "nt", "lt"), data[-48:].view("<f8").tolist()))

# ---- Runs ------------------------------------------------------------------------------------------------------------

read_record = Record
_OUTPUTS = {"metrics": read_metrics, "dump": read_dump, "trace": read_trace, "observables": read_observables,
            "record": read_record, "save_graph": read_graph, "output": read_outputs}

class Run:
    """What a run left behind: command, status, seconds, stdout, stderr; and metrics, dump, trace, observables, record,
    save_graph and output, None where they were not asked for."""

    def __init__(self, command):
        self.__dict__ = {**dict.fromkeys(_OUTPUTS), "command": command, "status": None, "seconds": None}

def find_program(name):
    """The path of "hex", or "pen-hex": in the folder $PENUMBRA_BIN, in the builds of the checkout, or the installation,
    that this module is of, on the path. What has a slash is a path."""
    if os.sep in str(name):
        return str(name)
    name = name[4:] if name.startswith("pen-") else name
    here = Path(__file__).resolve().parent.parent  # that of the package
    builds = here.parents[1].glob("build/*/bin") if here.parent.name == "tools" else []
    builds = sorted(builds, key=lambda folder: (folder.parent.name != "release", folder))
    tries = [(word, str(folder)) for folder in (os.environ.get("PENUMBRA_BIN", ""), *builds)
             for word in (name, "pen-" + name)]
    for word, folder in [*tries, ("pen-" + name, str(here.parents[2] / "bin")), ("pen-" + name, None)]:
        found = shutil.which(word, path=folder)
        if found:
            return found
    raise Error(f"there is no program {name}: set PENUMBRA_BIN to the folder that has it, or give its path")

def _find_launcher(program):
    """The mpiexec of the MPI library that a program was built with, as its build knows, or it says itself."""
    cache = Path(program).resolve().parents[1] / "CMakeCache.txt"
    known = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(/.+)$", cache.read_text(), re.M) if cache.is_file() else None
    if not known:
        said = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True).stdout
    own = known[1] if known else "mpiexec" + (".mpich" if b"MPICH" in said else ".openmpi")
    return [shutil.which(own) or shutil.which("mpiexec") or "mpirun"]

def _words(options):
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                yield option
            elif one is not None and one is not False:
                yield f"{option}={one}"

def _end(process):
    """Ends its whole session: ranks may have process groups of their own."""
    os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5) # a checkpoint may be written
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError): # it has ended
            if int(path.read_bytes().rpartition(b")")[2].split()[3]) == process.pid:
                os.kill(int(path.parent.name), signal.SIGKILL)
    process.kill() # where there is no /proc; else it has ended
    process.wait()

def _launch(result, folder, timeout):
    """Runs the command; output goes to files, since a pipe ends only when nobody holds it any more."""
    begin, paths = time.monotonic(), [Path(folder, name) for name in ("stdout", "stderr")]
    with open(paths[0], "wb") as out, open(paths[1], "wb") as err:
        process = subprocess.Popen(result.command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   start_new_session=True)
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                result.status = process.wait(timeout)
        finally:
            if result.status is None:
                _end(process)
    result.seconds = time.monotonic() - begin
    result.stdout, result.stderr = (path.read_text(errors="replace") for path in paths)

def _sentence(name, result, timeout):
    """What the program said, not its launcher."""
    if result.status is None:
        return f"{name}: not done within {timeout} seconds, and ended"
    for before in (name + ": ", name.replace("pen-", "", 1) + ": ", "penumbra: "): # pen-hex says "hex: "
        said = dict.fromkeys(line for line in result.stderr.splitlines() if line.startswith(before))
        if said:
            return "\n".join(said)
    return result.stderr.strip() or f"{name}: exit status {result.status}"

def run(program, *arguments, ranks=None, launcher=None, timeout=None, check=True, **options):
    """Runs a program of Penumbra's, or one of your own that pen_main makes, and returns a Run.

    program    see find_program; `arguments` are words behind it: "info", "hex.pen" for pen-graph
    ranks      how many, by mpiexec; None: one, without it
    launcher   in place of the program's mpiexec: "mpirun --oversubscribe", say; -n RANKS is added
    timeout    seconds, after which all is ended, and Error raised
    check      Error, with what the program said, where the exit status is not 0
    options    balance_when="every:5" is --balance-when=every:5, verify=True is --verify, None and False are nothing, a
               list is an option several times; "_" behind a name is dropped: check_=True is --check

    Of metrics, dump, trace, observables, record, save_graph and output (see read_outputs) True means: into files that
    are read and removed.
    Metrics are asked for unless metrics=False, which pen-graph needs. The environment is passed on as it is: what Open
    MPI wants of root, and of more ranks than cores, is in README.md, "Troubleshooting"."""
    path = find_program(program)
    name, options = os.path.basename(path), {"metrics": True, **options}
    with tempfile.TemporaryDirectory(prefix="penumbra-") as folder:
        files = {key: os.path.join(folder, "{name}.npy" if key == "output" else key + ".pen")
                 for key in _OUTPUTS if options.get(key) is True}
        if not isinstance(options["metrics"], (bool, type(None))):
            files["metrics"] = os.fspath(options["metrics"])
        command = [path, *map(str, arguments), *_words({**options, **files})]
        if ranks is not None:
            launcher = shlex.split(launcher) if isinstance(launcher, str) else launcher
            command = [*(launcher or _find_launcher(path)), "-n", str(ranks), *command]
        result = Run(command)
        _launch(result, folder, timeout)
        if result.status is None or check and result.status != 0:
            raise Error(_sentence(name, result, timeout), result.status, result)
        for key, file in files.items():
            if os.path.exists(file) or key == "output":
                setattr(result, key, _OUTPUTS[key](file))
    if ranks is not None and result.metrics and result.metrics["ranks"] != ranks:
        raise Error(f"{name}: {result.metrics['ranks']} ranks, not {ranks}: {command[0]} is of another MPI", 0, result)
    return result
