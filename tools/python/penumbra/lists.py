"""Lists of edges as text: SNAP; and DIMACS-9, DIMACS colouring and PACE, which begin with "p PROBLEM NODES EDGES".

SNAP: file := (comment | empty | from to [weight])*, '#' or '%' in column 1 begins a comment, blanks and tabs separate.
Ids are integers >= 0 of up to 18 digits. Nodes are numbered in ascending order of the ids. If ids have gaps, or the
first is neither 0 nor 1, they become labels. If one id is not an integer, all are names of up to 255 bytes without
blanks, numbered as they occur; integers then lose leading zeros. Names cannot be written: they might read back as
integers or comments. All lines have a weight, or none. If one weight is not an integer, all are dropped and the real
ones counted, unless Options.reals is set. Of the comments, "# Nodes: N Edges: M" counts: fewer than M lines are an
error, since nothing else shows that the list is cut off.

DIMACS: file := (comment | empty)* "p" problem n m (comment | empty | edge)*, 'c' begins a comment. The problem decides
how an edge is written: "a FROM TO WEIGHT" (sp), "e FROM TO" (edge, edges, col) or "FROM TO" (tw, td, tdp, tww, cep,
ds). Lines n, d, v and x of colouring are ignored; it may have more edges than m, since some list both directions. If
all weights are 1, the graph has no weights. Files of Galois also end in .gr; the content decides."""

import io
import re

import numpy as np

from penumbra import binaries
from penumbra.formats import Refused, decode, ids, lines, sources
from penumbra.texts import Block, Fault, Fields, blocks, nodes_fit

class _Arcs:
    """Arcs, block by block."""

    def __init__(self):
        self.ends, self.weights, self.values = [], [], []

    def add(self, ends, weights, values):
        self.ends.append(ends)
        self.weights.append(weights)
        self.values.append(values)

    def joined(self):
        return (np.concatenate(self.ends or [np.empty((0, 2), np.int64)]),
                np.concatenate(self.weights or [np.empty(0, np.int64)]),
                np.concatenate(self.values or [np.empty(0)]))

# ---- SNAP ------------------------------------------------------------------------------------------------------------

class _Snap:
    def __init__(self, g):
        self.g, self.arcs, self.weighted, self.names = g, _Arcs(), None, None
        self.announced = self.others = 0
        self.announced_line = 0

    def comment(self, line, text):
        before, name, count = text.split(b"\0")[0].partition(b"Edges:")
        found = re.match(rb"\s*(\d{1,18})", count)
        if found and b"Nodes:" in before + count:
            self.announced, self.announced_line = int(found[1]), line

    def named(self):
        """From here on ids are names; so become those before."""
        ends, weights, values = self.arcs.joined()
        self.names, self.arcs = {}, _Arcs()
        numbers = [self.number(b"%d" % id) for id in ends.ravel().tolist()]
        self.arcs.add(np.array(numbers, np.int64).reshape(-1, 2), weights, values)

    def number(self, name):
        return self.names.setdefault(name, len(self.names))

    def id(self, at, others):
        """The next id of a line, None after a finding. `others`: the ids of the line that were read before."""
        at.skip()
        column, found = at.at + 1, at.try_integer()
        if found is not None and found >= 0:
            return found if self.names is None else self.number(b"%d" % found)
        if found is not None:
            raise Fault(column, f"a node's id {found}, must be >= 0")
        if at.at == len(at.text):
            raise Fault(column, "the line ends before a node's id")
        name = re.match(rb"[^\x00-\x20]{0,255}", at.text[at.at:])[0]
        at.at += len(name)
        if not name or re.match(rb"[^\x00-\x20]", at.text[at.at:]):
            what = "a long name" if name else at.unexpected()
            raise Fault(at.at + 1, f"{what}, a node's name has 1 to 255 bytes")
        if self.names is None:
            self.named()
            others[:] = [self.number(b"%d" % id) for id in others]
        return self.number(name)

    def line(self, line, text):
        """Adds the arc of one line."""
        at, found = Fields(text), []
        try:
            found.append(self.id(at, found))
            found.append(self.id(at, found))
            weight, value, plain = 1, 1.0, at.over()
            if self.weighted is None:
                self.weighted = not plain
            if plain == self.weighted:
                self.g.wrong(line, 0, "no weight, which the lines before have" if plain else
                             "a third number, which the lines before do not have")
            elif not plain:
                whole = at.try_integer()
                value = at.real("a weight") if whole is None else float(whole)
                weight = 1 if whole is None else whole
                self.others += whole is None
                at.end()
        except Fault as why:
            self.g.wrong(line, *why.args)
            if self.weighted is None:
                self.weighted = False
            return
        self.arcs.add(np.array([found]), np.array([weight]), np.array([value]))

    def block(self, b):
        initials, lines = b.initials(), np.flatnonzero(b.counts)
        first = b.starts[b.firsts[lines]]
        comments = np.isin(initials[lines], tuple(b"#%")) & (first == b.begins[lines])
        for at in lines[comments].tolist():
            self.comment(b.line + at, b.text(at))
        lines = lines[~comments]
        if self.weighted is None and len(lines) and self.names is None:
            self.weighted = bool(b.counts[lines[0]] > 2)
        words = 3 if self.weighted else 2
        good = np.zeros(len(lines), bool)
        if self.names is None:
            good = b.counts[lines] == words
            firsts = b.firsts[lines[good]]
            good[good] = b.whole[firsts] & b.whole[firsts + 1] & ~b.signs[firsts] & ~b.signs[firsts + 1]
        firsts = b.firsts[lines[good]]
        ends = np.stack((b.integers(firsts), b.integers(firsts + 1)), 1)
        weights, values = np.ones(len(firsts), np.int64), np.ones(len(firsts))
        if self.weighted and len(firsts):
            whole = b.whole[firsts + 2]
            weights[whole] = b.integers(firsts[whole] + 2)
            values[:] = weights
            values[~whole], right = b.reals(firsts[~whole] + 2)
            kept = np.ones(len(firsts), bool)
            kept[~whole] = right
            self.others += int(np.count_nonzero(~whole & kept))
            ends, weights, values = ends[kept], weights[kept], values[kept]
            good[good] = kept
        # The other lines, one after the other, between those that are good.
        place = np.concatenate(([0], np.cumsum(good)))
        begin = 0
        for k in np.flatnonzero(~good).tolist():
            if self.names is not None and good[k]:
                continue
            if place[k] > begin:
                self.good(ends[begin:place[k]], weights[begin:place[k]], values[begin:place[k]])
                begin = int(place[k])
            self.line(b.line + int(lines[k]), b.text(lines[k]))
        if len(ends) > begin:
            self.good(ends[begin:], weights[begin:], values[begin:])

    def good(self, ends, weights, values):
        if self.names is not None: # since an odd line of this block
            ends = np.array([self.number(b"%d" % id) for id in ends.ravel().tolist()], np.int64).reshape(-1, 2)
        self.arcs.add(ends, weights, values)

def read_snap(stream, options, g):
    r = _Snap(g)
    for data, line in blocks(stream):
        r.block(Block(data, line))
    ends, weights, values = r.arcs.joined()
    if r.announced_line and r.announced != len(ends):
        cut = r.announced > len(ends)
        g.wrong(r.announced_line, 0, f"{r.announced} edges are announced, but there are {len(ends)}" +
                ": is the list cut off?" * cut, "error" if cut else "note")
    if r.weighted and not r.others:
        g.edge_weights = weights
    if r.weighted and options.reals:
        g.values = values
    else:
        g.real = r.others
    if r.names is not None:
        g.names, g.nodes, g.base, g.ends = list(r.names), len(r.names), 0, ends
        return
    found, g.ends = np.unique(ends, return_inverse=True)
    g.ends, g.nodes = g.ends.reshape(-1, 2), len(found)
    if g.nodes:
        g.base = int(found[0])
        g.gaps = int(found[-1] - found[0]) + 1 - g.nodes
    if g.gaps or g.base > 1:
        g.labels = found

def once(g):
    """Whether edges that are listed once, in the row of the lower node, determine the order of neighbours."""
    rows, falls = sources(g), np.diff(g.neighbors, prepend=0) < 0
    falls[g.rows[:-1][np.diff(g.rows) > 0]] = False
    return not np.any(falls & (g.neighbors < rows))

def write_snap(g):
    rows, single = sources(g), not g.directed and once(g)
    kept = g.neighbors >= rows if single else np.ones(len(rows), bool)
    yield b"# Nodes: %d Edges: %d\n" % (g.nodes, np.count_nonzero(kept))
    columns = [ids(g)[rows[kept]], ids(g)[g.neighbors[kept]]]
    columns += [] if g.edge_weights is None else [g.edge_weights[kept]]
    yield from lines("\t".join(len(columns) * ["%d"]) + "\n", *columns)

# ---- DIMACS ----------------------------------------------------------------------------------------------------------

_PROBLEMS = {b"sp": b"a", **dict.fromkeys((b"edge", b"edges", b"col"), b"e"),
             **dict.fromkeys((b"tw", b"td", b"tdp", b"tww", b"cep", b"ds"), b"")}

def _header(line, text, g):
    """(letter of an edge's line, nodes, edges)"""
    at = Fields(text)
    at.skip()
    found = re.match(rb"p[ \t]+([a-z]+)(?=[ \t])", text[at.at:])
    if not found or found[1] not in _PROBLEMS:
        raise Refused(line, 'the first line that is not a comment must be "p PROBLEM NODES EDGES", with sp, edge, '
                      "edges, col, tw, td, tdp, tww, cep or ds")
    at.at += found.end()
    try:
        n, m = at.integer("the number of nodes", 0), at.integer("the number of edges", 0)
    except Fault as why:
        raise Refused(line, why.args[1], why.args[0]) from None
    try:
        at.end()
    except Fault as why:
        g.wrong(line, *why.args)
    return _PROBLEMS[found[1]], n, m

class _Dimacs:
    def __init__(self, g):
        self.g, self.arcs, self.letter, self.header_line, self.count = g, _Arcs(), None, 0, 0

    def line(self, line, text):
        """The arc (from, to, weight) of one line, None after a finding."""
        at = Fields(text)
        at.skip()
        try:
            if self.letter and not re.match(self.letter + rb"[ \t]", text[at.at:]):
                raise Fault(at.at + 1, f"a line must begin with '{decode(self.letter)}' or 'c'" +
                            ", there is one 'p' line" * text[at.at:].startswith(b"p"))
            at.at += len(self.letter)
            from_, to = at.integer("a node", 1, self.nodes), at.integer("a node", 1, self.nodes)
            weight = at.integer("the weight") if self.letter == b"a" else 1
            at.end()
            return from_, to, weight
        except Fault as why:
            self.g.wrong(line, *why.args)
            return None

    def block(self, b):
        initials = b.initials()
        lines = np.flatnonzero((b.counts > 0) & (initials != ord("c")))
        if self.letter is None:
            if not len(lines):
                return
            self.header_line = b.line + int(lines[0])
            self.letter, self.nodes, self.edges = _header(self.header_line, b.text(lines[0]), self.g)
            lines = lines[1:]
        letters = len(self.letter)
        firsts = b.firsts[lines]
        single = b.ends[firsts] - b.starts[firsts] == 1
        if self.letter == b"e":
            ignored = single & (b.counts[lines] > 1) & np.isin(initials[lines], tuple(b"ndvx"))
            if np.any(ignored):
                self.g.columns = "lines n, d, v and x ignored"
            lines, firsts, single = lines[~ignored], firsts[~ignored], single[~ignored]
        self.count += len(lines)
        weighted = self.letter == b"a"
        good = b.counts[lines] == letters + 2 + weighted
        if letters:
            good &= single & (initials[lines] == self.letter[0])
        for k in range(2 + weighted):
            good[good] = b.whole[firsts[good] + letters + k]
        found = np.zeros((len(lines), 3), np.int64)
        found[:, 2] = 1
        for k in range(2 + weighted):
            found[good, k] = b.integers(firsts[good] + letters + k)
        good &= np.all((found[:, :2] >= 1) & (found[:, :2] <= self.nodes), axis=1)
        kept = good.copy()
        for k in np.flatnonzero(~good).tolist():
            arc = self.line(b.line + int(lines[k]), b.text(lines[k]))
            if arc:
                found[k], kept[k] = arc, True
        self.arcs.add(found[kept, :2] - 1, found[kept, 2], found[kept, 2].astype(float))

def read_dimacs(stream, options, g):
    begin = stream.read(2)
    if len(begin) > 1 and begin[0] and not begin[1]: # Galois' version, a small number in 8 bytes
        return binaries.read_galois(io.BytesIO(begin + stream.read()), options, g)
    r, last, size = _Dimacs(g), 1, 0
    for data, line in blocks(_Joined(begin, stream)):
        size += len(data)
        last = line + data.count(b"\n")
        r.block(Block(data, line))
    if r.letter is None:
        raise Refused(last, 'no line "p PROBLEM NODES EDGES"')
    if r.count != r.edges:
        g.wrong(r.header_line, 0, f"{r.edges} edges are announced, but there are {r.count}",
                "note" if r.letter == b"e" and r.count > r.edges else "error")
    if unfit := nodes_fit(r.header_line, r.nodes, size):
        raise Refused(r.header_line, unfit)
    g.nodes = r.nodes
    g.ends, weights, values = r.arcs.joined()
    g.edge_weights = weights if np.any(weights != 1) else None
    g.values = values if options.reals and r.letter == b"a" else None
    return None

class _Joined:
    """A stream of which the first bytes have been read."""

    def __init__(self, first, rest):
        self.first, self.rest = first, rest

    def read(self, size):
        data, self.first = self.first, b""
        return data + self.rest.read(size - len(data))

def write_dimacs9(g):
    yield b"p sp %d %d\n" % (g.nodes, len(g.neighbors))
    weights = np.ones(len(g.neighbors), np.int64) if g.edge_weights is None else g.edge_weights
    yield from lines("a %d %d %d\n", sources(g) + 1, g.neighbors + 1, weights)

def _write_once(g, problem, letter):
    """Every edge once, those of a node in ascending order."""
    rows = sources(g)
    kept = g.neighbors >= rows
    rows, columns = rows[kept], g.neighbors[kept]
    order = np.lexsort((columns, rows))
    yield b"p %s %d %d\n" % (problem, g.nodes, len(rows))
    yield from lines(letter + "%d %d\n", rows[order] + 1, columns[order] + 1)

READERS = {"snap": read_snap, **dict.fromkeys(("dimacs9", "pace", "col"), read_dimacs)}
WRITERS = {"snap": write_snap, "dimacs9": write_dimacs9, "pace": lambda g: _write_once(g, b"tw", ""),
           "col": lambda g: _write_once(g, b"edge", "e ")}
