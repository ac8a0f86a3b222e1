"""Graphs of other programs' formats, which pen-graph reads and writes by this package: what a reader returns, what a
writer gets, and how both travel to pen-graph (tools/graph/format_python.c)."""

import struct
from dataclasses import dataclass, field

import numpy as np

MODULES = {**dict.fromkeys(("dimacs9", "pace", "col", "snap"), "lists"),
           **dict.fromkeys(("galois", "parhip"), "binaries"),
           "mesh": "meshes", "meshio": "elements", **dict.fromkeys(("graphml", "gexf"), "xmls")}

@dataclass
class Options:
    directed: bool = False # entries are arcs: no reverse is expected or added
    nodal: bool = False # of a mesh: the graph of its nodes, not of its elements
    common: int = 0 # of a mesh: nodes that neighbouring elements share; 0: 1
    reals: bool = False # set `values`, if there are weights
    path: str = None # of the file, for a library that opens it

class Refused(Exception):
    """Reading ends with a sentence; line and column are 0 if unknown."""

    def __init__(self, line, text, column=0):
        super().__init__(text)
        self.line, self.text, self.column = line, text, column

MERGED, KEPT, ROWS = 1, 2, 3 # forms of a graph

@dataclass(eq=False)
class FileGraph:
    """Arcs as `ends`, to be merged or kept as they are; or rows. pen-graph does the merging (tools/graph/arcs.h)."""

    nodes: int = 0
    form: int = MERGED
    ends: np.ndarray = None # [arcs, 2] from, to
    rows: np.ndarray = None # [nodes+1]
    neighbors: np.ndarray = None # [arcs]
    edge_weights: np.ndarray = None # [arcs]
    values: np.ndarray = None # [arcs] real weights
    node_weights: np.ndarray = None # [nodes, weights]
    node_sizes: np.ndarray = None # [nodes]
    labels: np.ndarray = None # [nodes]
    part: np.ndarray = None # [nodes]
    coordinates: np.ndarray = None # [nodes, dimensions]
    names: list = None # [nodes] bytes
    base: int = 1 # number of the first node, without labels
    directed: bool = False
    grid: int = 0 # as in GRIDS
    sides: tuple = (0, 0, 0)
    real: int = 0 # weights that no integer can hold
    gaps: int = 0 # ids that do not occur
    columns: str = "" # about the use of attributes
    findings: list = field(default_factory=list) # (kind, line, column, text)

    def wrong(self, line, column, text, kind="error"):
        self.findings.append((kind, line, column, text))

GRIDS = ("unknown", "mesh", "hex", "torus")

def decode(data):
    """Text for a message; bytes that are not UTF-8 are kept apart."""
    return data.decode("utf-8", "surrogateescape")

# ---- As bytes --------------------------------------------------------------------------------------------------------

# form, has, nodes, arcs, weights, dimensions, base, directed, grid, sides (3), real, gaps, bytes of the texts (3)
FRAME = struct.Struct("=17q")
SIZES, EDGE_WEIGHTS, LABELS, VALUES, PARTS = 1 << 2, 1 << 3, 1 << 4, 1 << 18, 1 << 19 # HOLDS_... of file_graph.h

def _count(array):
    return 0 if array is None else array.shape[1]

def pack(g, form):
    """The bytes of a graph, in pieces."""
    arcs = len(g.neighbors if form == ROWS else g.ends) if form else 0
    has = {SIZES: g.node_sizes, EDGE_WEIGHTS: g.edge_weights, LABELS: g.labels, VALUES: g.values, PARTS: g.part}
    names = b"".join(name + b"\0" for name in g.names or ()) if form else b""
    in_order = sorted(g.findings, key=lambda found: found[1]) # pen-graph keeps the first ones
    messages = "".join("%s %d %d %s\n" % (*found[:3], found[3].replace("\n", " ")) for found in in_order)
    texts = [names, g.columns.encode("utf-8", "surrogateescape"), messages.encode("utf-8", "surrogateescape")]
    yield FRAME.pack(form, sum(bit for bit, array in has.items() if array is not None) if form else 0, g.nodes, arcs,
                     _count(g.node_weights) if form else 0, _count(g.coordinates) if form else 0, g.base, g.directed,
                     g.grid, *g.sides, g.real, g.gaps, *map(len, texts))
    if form:
        whole = [g.rows, g.neighbors] if form == ROWS else [g.ends]
        for array, kind in [*((a, np.int64) for a in whole), (g.edge_weights, np.int64), (g.values, float),
                            (g.node_weights, np.int64), (g.node_sizes, np.int64), (g.labels, np.int64),
                            (g.part, np.int32), (g.coordinates, float)]:
            if array is not None:
                yield np.ascontiguousarray(array, kind).data.cast("B") if array.size else b""
    yield from texts

def unpack(stream):
    """A graph that pen-graph sends, in rows."""
    form, has, n, arcs, weights, dimensions, base, directed, grid, *sides, _, _, size, _, _ = \
        FRAME.unpack(stream.read(FRAME.size))
    def array(count, kind=np.int64):
        return np.frombuffer(stream.read(count * np.dtype(kind).itemsize), kind) if count else np.empty(0, kind)
    def some(bit, count, kind=np.int64):
        return array(count, kind) if has & bit else None
    g = FileGraph(n, form, base=base, directed=bool(directed), grid=grid, sides=tuple(sides))
    g.rows, g.neighbors = array(n + 1), array(arcs)
    g.edge_weights, g.values = some(EDGE_WEIGHTS, arcs), some(VALUES, arcs, float)
    g.node_weights = array(n * weights).reshape(n, weights) if weights else None
    g.node_sizes, g.labels, g.part = some(SIZES, n), some(LABELS, n), some(PARTS, n, np.int32)
    g.coordinates = array(n * dimensions, float).reshape(n, dimensions) if dimensions else None
    g.names = stream.read(size).split(b"\0")[:-1] if size else None
    return g

def read(reader, stream, options):
    """The answer to pen-graph. reader(stream, options, graph) fills the graph, or raises Refused."""
    g = FileGraph(directed=options.directed)
    try:
        reader(stream, options, g)
        return pack(g, g.form)
    except Refused as why:
        g.wrong(why.line, why.column, why.text)
        return pack(g, 0)

def write(writer, stream):
    """The answer to pen-graph: an empty graph, and the text. writer(graph) gives its pieces."""
    yield from pack(FileGraph(), 0)
    yield from writer(unpack(stream))

# ---- What writers share ----------------------------------------------------------------------------------------------

def sources(g):
    """[arcs] the node of each arc's row."""
    return np.repeat(np.arange(g.nodes), np.diff(g.rows))

def ids(g):
    """[nodes] the nodes' labels, or numbers."""
    return np.arange(g.base, g.base + g.nodes) if g.labels is None else g.labels

def lines(form, *columns, piece=1 << 16):
    """Text lines: `form` % a row of the columns."""
    for first in range(0, len(columns[0]), piece):
        rows = zip(*(c[first:first + piece].tolist() for c in columns))
        yield "".join(map(form.__mod__, rows)).encode()
