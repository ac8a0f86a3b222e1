"""Meshes of elements, as a graph of the elements (dual) or of the nodes (nodal): METIS, and all formats that meshio
reads.

METIS: file := comment* ne [ncon] element{ne}, element := w{ncon} node node*; '%' in column 1 begins a comment. Nodes
are numbered from 1 to the largest number that occurs. Errors, some of which METIS accepts: a line without nodes, a node
twice in an element, weights that are not integers >= 0, data after the last element, and text after a line's numbers.
meshio reads Medit from files that end in .mesh, so METIS is read here.

Two elements are neighbours in the dual graph if they share Options.common nodes (default 1), or all but one of the
nodes of one of them, as in m2gmetis. Two nodes are neighbours in the nodal graph if an element has both. Neighbours
ascend. Weights of the elements are the dual graph's; for a nodal graph they are dropped, and counted. Of a mesh that
meshio reads, the elements of the highest dimension count, not the sides or corners in the same file; a node of the
nodal graph has its point's coordinates, an element the mean of its points. A graph with far more edges than the mesh
has bytes (every element at one node) is refused."""

import numpy as np
import scipy.sparse

from penumbra.formats import ROWS, Refused
from penumbra.texts import Block, Fault, Fields, blocks, nodes_fit

def connect(elements, nodes, size, line, options, g):
    """The graph of elements (a CSR pair: begins, items), each node once in an element, of a mesh of `size` bytes."""
    begins, items = elements
    count = len(begins) - 1
    matrix = scipy.sparse.csr_matrix((np.ones(len(items), np.int64), items, begins), (count, nodes))
    own = matrix.T.tocsr() if options.nodal else matrix
    sharing = np.diff(own.T.tocsr().indptr) # of each item, how many have it
    if np.sum(sharing.astype(float) ** 2) > (1 << 22) + 512 * size:
        raise Refused(line, "the graph has more than 256 edges for every byte of the mesh")
    shared = (own @ own.T).tocoo()
    rows, columns, common = shared.row, shared.col, shared.data
    lengths = np.diff(own.indptr)
    least = 1 if options.nodal else max(options.common, 1)
    kept = (rows != columns) & ((common >= least) | (common >= lengths[rows] - 1) | (common >= lengths[columns] - 1))
    rows, columns = rows[kept].astype(np.int64), columns[kept].astype(np.int64)
    order = np.lexsort((columns, rows))
    g.form, g.directed, g.nodes, g.neighbors = ROWS, False, own.shape[0], columns[order]
    g.rows = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=g.nodes))))

# ---- METIS -----------------------------------------------------------------------------------------------------------

class _Metis:
    def __init__(self, g):
        self.g, self.count, self.weights, self.line, self.begin = g, None, 0, 0, 0
        self.at, self.lengths, self.items, self.found, self.lines = 0, [], [], [], []

    def header(self, line, text):
        at = Fields(text)
        try:
            self.count = at.integer("the number of elements", 0)
        except Fault as why:
            raise Refused(line, why.args[1], why.args[0]) from None
        try:
            at.skip()
            if text[at.at:at.at + 1].isdigit():
                self.weights = at.integer("the number of weights", 0)
            at.end()
        except Fault as why:
            self.g.wrong(line, *why.args)
        self.line = line

    def element(self, line, text):
        """(weights, nodes) of one line; faulty ones are left out."""
        at, nodes, weights = Fields(text), [], []
        try:
            while len(weights) < self.weights:
                weights.append(at.integer("a weight", 0))
        except Fault as why:
            self.g.wrong(line, *why.args)
            return weights, nodes
        try:
            while not at.over():
                nodes.append(at.integer("a node", 1))
        except Fault as why:
            self.g.wrong(line, *why.args)
        if not nodes:
            self.g.wrong(line, 0, "an element without nodes")
        return weights, nodes

    def block(self, b):
        """True after data that follow the last element."""
        lines = np.flatnonzero(b.bytes[b.begins] != ord("%"))
        if self.count is None:
            if not len(lines):
                return False
            self.header(b.line + int(lines[0]), b.text(lines[0]))
            self.begin = int(b.begins[lines[0]]) + len(b.text(lines[0])) + 1
            lines = lines[1:]
        more = lines[self.count - self.at:]
        lines = lines[:self.count - self.at]
        self.at += len(lines)
        self._elements(b, lines)
        more = more[b.counts[more] > 0]
        if len(more):
            self.g.wrong(b.line + int(more[0]), 0, "data after the last element")
        return len(more) > 0

    def _elements(self, b, lines):
        w, firsts, counts = self.weights, b.firsts[lines], b.counts[lines]
        low = np.ones(len(b.starts), np.int64) # of each word the least value: nodes from 1, weights from 0
        words = np.flatnonzero(b.whole)
        value = np.full(len(b.starts), -1)
        value[words] = b.integers(words)
        for k in range(min(w, int(counts.max(initial=0)))):
            low[firsts[counts > k] + k] = 0
        wrong = np.concatenate(([0], np.cumsum(value < low)))
        good = (counts > w) & (wrong[firsts + counts] == wrong[firsts])
        odd = {k: self.element(b.line + int(lines[k]), b.text(lines[k])) for k in np.flatnonzero(~good).tolist()}
        lengths = np.where(good, counts - w, 0)
        fits = len(lines) * w <= len(b.bytes) # w may be any number
        found = np.ones((len(lines), w if fits else 0), np.int64)
        for k in range(found.shape[1]):
            found[good, k] = value[firsts[good] + k]
        for k, (weights, nodes) in odd.items():
            lengths[k] = len(nodes)
            found[k, :len(weights)] = weights[:found.shape[1]]
        begins = np.concatenate(([0], np.cumsum(lengths)))
        items = np.zeros(begins[-1], np.int64)
        plain = np.repeat(good, lengths)
        offset = np.arange(begins[-1]) - np.repeat(begins[:-1], lengths)
        items[plain] = value[(np.repeat(firsts + w, lengths) + offset)[plain]] - 1
        for k, (_, nodes) in odd.items():
            items[begins[k]:begins[k + 1]] = np.array(nodes, np.int64) - 1
        self.lengths.append(lengths)
        self.items.append(items)
        self.found.append(found)
        self.lines.append(b.line + lines)

    def elements(self):
        """(begins, items) with each node once in an element, ascending."""
        lengths = np.concatenate(self.lengths or [np.empty(0, np.int64)])
        items = np.concatenate(self.items or [np.empty(0, np.int64)])
        element = np.repeat(np.arange(len(lengths)), lengths)
        order = np.lexsort((items, element))
        element, items = element[order], items[order]
        again = (np.diff(element, prepend=-1) == 0) & (np.diff(items, prepend=-1) == 0)
        for e in np.unique(element[again]).tolist():
            self.g.wrong(int(np.concatenate(self.lines)[e]), 0, "a node occurs in its element more than once")
        lengths = np.bincount(element[~again], minlength=self.count)
        return np.concatenate(([0], np.cumsum(lengths))), items[~again]

def read_metis(stream, options, g):
    r, size, last = _Metis(g), 0, 1
    for data, line in blocks(stream):
        size += len(data)
        last = line + data.count(b"\n")
        if r.block(Block(data, line)):
            break
    if r.count is None:
        raise Refused(last, "the file has no header")
    left = size - r.begin + 1 # an element takes at least two bytes, and two more for every weight
    if r.weights > left or r.count > left // (r.weights + 1):
        raise Refused(r.line, "the header announces more elements than the file can hold")
    if r.at < r.count:
        g.wrong(last, 0, f"the file ends after {r.at} of {r.count} elements")
    elements = r.elements()
    nodes = int(elements[1].max(initial=-1)) + 1
    if unfit := nodes_fit(r.line, nodes, size):
        raise Refused(r.line, unfit)
    connect(elements, nodes, size, r.line, options, g)
    if r.weights and options.nodal:
        g.real = r.count * r.weights
    elif r.weights:
        g.node_weights = np.ones((r.count, r.weights), np.int64)
        at = 0
        for found in r.found:
            g.node_weights[at:at + len(found), :found.shape[1]] = found
            at += len(found)

READERS = {"mesh": read_metis}
