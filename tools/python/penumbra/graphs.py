"""Graphs: read from and written to .pen files, and written as Chaco/METIS text."""

import gzip
import lzma
import math
import os
import struct
from dataclasses import dataclass, replace

import numpy as np

from penumbra.files import Error, _naming, _read, whole_file

@dataclass(eq=False, repr=False)
class Graph:
    """Row i, of node gids[i], has the arcs offsets[i] .. offsets[i + 1] - 1 to the gids `targets` that the node
    reads. An undirected edge is two arcs. A missing property has the value None."""

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

    @property
    def rows(self):
        """[arcs] the index of each arc's reading node."""
        return np.repeat(np.arange(len(self.gids)), np.diff(self.offsets))

    def find(self, gids):
        """The indices of nodes in `gids`; ValueError if one does not exist."""
        order = np.argsort(self.gids, kind="stable")
        at = np.searchsorted(self.gids, gids, sorter=order)
        if np.any(at == len(self.gids)) or np.any(self.gids[order[at]] != gids):
            raise ValueError("a node that does not exist")
        return order[at]

    @staticmethod
    def from_scipy(matrix, **parts):
        """The graph of a square sparse matrix without a diagonal: row i reads column j. It is directed if the matrix is
        not symmetric; its values are arcs' weights unless all are 1, or arc_weights=None leaves them out. `parts` as in
        write_graph. Values that are not whole numbers are for --input: numpy.save("x.npy", matrix.tocsr().data), with
        sorted indices."""
        return _graph_of(matrix, parts)

    def to_scipy(self):
        """A scipy.sparse.csr_matrix: row and column i are node gids[i], values are arcs' weights, or 1."""
        import scipy.sparse
        weights = np.ones(len(self.targets), np.int64) if self.arc_weights is None else self.arc_weights.copy()
        return scipy.sparse.csr_matrix((weights, self.find(self.targets), self.offsets.copy()), 2 * (len(self.gids),))

    def to_pandas(self):
        """A pandas.DataFrame with one row per arc: source (the reader), target, weight."""
        import pandas
        frame = pandas.DataFrame({"source": self.gids[self.rows], "target": self.targets})
        return frame.assign(weight=1 if self.arc_weights is None else self.arc_weights)

    def _checked(self):
        if self.offsets[0] or self.offsets[-1] != len(self.targets) or np.any(np.diff(self.offsets) < 0):
            raise ValueError(f"the offsets do not ascend from 0 to the {len(self.targets)} targets")
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
    """The Graph of a .pen file. `pen-graph convert` makes one from other formats; `pen-graph check` lists faults."""
    with _naming(path):
        data = _read(path)
        if len(data) < 200 or data[:8] != b"\x89PEN\r\n\x1a\n":
            raise ValueError("not a binary graph of Penumbra (.pen), or shorter than its header")
        order, version, *words = struct.unpack_from("=II22qQ", data, 8)
        flags, n, arcs, weights, dimensions, width, height, size = words[:8]
        if (order, version) != (0x01020304, 1):
            raise ValueError("a binary graph of another version, or from a machine of the other byte order")
        if _sum_words(np.frombuffer(data, np.uint64, 24)) != words[-1]:
            raise ValueError("the header is damaged: its checksum is wrong")
        counts = [n * (flags >> 1 & 1), n + 1, arcs, n * weights, n * (flags >> 2 & 1), arcs * (flags >> 3 & 1),
                  n * dimensions]
        if n < 1 or min(*counts, width, height) < 0 or not 200 + 8 * sum(counts) == size == len(data):
            raise ValueError(f"the file has {len(data)} bytes, the header gives another size")
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
    """An array of integers; Error if a value is not one."""
    array = np.asarray(values)
    if array.shape != shape or array.dtype.kind not in "iufb" or len(array) and not np.all(array >= least) \
            or np.any(array != array.astype(np.int64)):
        raise Error(f"{name}: must be whole numbers from {least} on, of shape {shape}")
    return array.astype(np.int64)

def _graph_of(graph, parts):
    """A Graph in the form of files, with ascending rows; Error with any fault."""
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
            if name != "node_sizes" and getattr(g, name).sum(dtype=float) >= 1e18:
                raise Error(f"{name}: their sum must be < 10^18")
    places = None if g.coordinates is None else np.asarray(g.coordinates, float)
    if places is not None and (places.ndim != 2 or len(places) != n or not 1 <= places.shape[1] <= 3
                               or not np.all(np.isfinite(places))):
        raise Error("coordinates: must be finite numbers, one row of 1 to 3 for each node")
    with _naming("the graph"):
        g._checked()
    rows = g.rows
    order, columns = np.lexsort((g.targets, rows)), g.find(g.targets)
    same = lambda a: None if a is None else a[order]
    g = replace(g, targets=same(g.targets), arc_weights=same(g.arc_weights), coordinates=places)
    columns = columns[order]
    if len(np.unique(g.gids)) < n or np.any(columns == rows):
        raise Error("a gid that two nodes have, or an edge from a node to itself")
    if np.any((np.diff(rows) == 0) & (np.diff(g.targets) == 0)):
        raise Error("an arc that occurs twice")
    if not g.directed:
        back = np.lexsort((rows, columns))
        if np.any(columns[back] != rows) or np.any(rows[back] != columns[np.lexsort((columns, rows))]) or \
                g.arc_weights is not None and np.any(g.arc_weights[back] != g.arc_weights[np.lexsort((columns, rows))]):
            raise Error("an edge that is not the same in both directions: directed=True?")
    return g

def _pen_bytes(g):
    if (g.grid or "") not in _GRIDS:
        raise Error(f"there is no grid {g.grid}, only {', '.join(_GRIDS[1:])}")
    if g.grid or g.shape:
        shape = _whole("shape", g.shape or (), 1, (3,)).tolist()
        if math.prod(shape) != len(g.gids) or shape[2] > 1 and g.grid not in ("squares", "torus"):
            raise Error(f"shape: {g.shape} is not that of {len(g.gids)} nodes in {g.grid or 'no grid'}")
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
        raise Error(f"{path}: Chaco/METIS text has no arcs, no coordinates and only gids 0..n-1: write a .pen file")
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
    has: node_weights=..., coordinates=..., directed=True. An invalid graph raises Error, and nothing is written."""
    name, ending = os.path.splitext(os.fspath(path))
    pack = {".gz": gzip.compress, ".xz": lzma.compress}.get(ending)
    plain = name if pack else os.fspath(path)
    binary = plain.endswith(".pen")
    if plain.endswith(".zst") or plain.lower().endswith(".pen") and not binary:
        raise Error(f"{path}: binary graphs end in .pen, compressed files in .gz or .xz")
    g = _graph_of(graph, parts)
    data = _pen_bytes(g) if binary else _text_bytes(path, g)
    with whole_file(path) as out:
        out.write(pack(data) if pack else data)
