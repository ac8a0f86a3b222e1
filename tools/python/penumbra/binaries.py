"""Binary graphs, little endian: Galois (.gr) of version 1 and 2, and ParHIP (.bgf) with the weights and widths that
KaGen and KaMinPar have added.

Galois: file := version size n m end{n} target{m} [padding] data{m}. The header and the ends of the nodes' rows (in
arcs) have 8 bytes; targets have 4, in version 2 8. Nodes are 0..n-1. If m is odd, version 1 has 4 bytes of padding
after the targets (perhaps not if no data follow); version 2 has none or 8 bytes, since Galois' own tools differ. An
arc's data has `size` bytes: 0, or a weight of 4 or 8, which is read as a signed integer; the file does not say whether
it is a real number.

ParHIP: file := version n m offset{n+1} neighbour{m} [node weight{n}] [edge weight{m}]. version, n and m have 8 bytes.
version is a sum of bits: 1: no edge weights; 2: no node weights; 4, 8, 16 and 32: offsets, neighbours, node weights and
edge weights have 4 bytes, else 8. Weights are signed. m counts every edge twice. The offset of a node's first neighbour
is in bytes from the beginning of the file; one more ends the last row. Everything is written with 8 bytes. ParHIP
itself reads version 3 only."""

import numpy as np

from penumbra.formats import ROWS, Refused

MOST = 10**18 - 1 # the largest number

class _Words:
    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, what, width, signed, count):
        """`count` words of `width` bytes, as int64."""
        if self.left() // width < count:
            raise Refused(0, f"the file ends at byte {len(self.data)}, before {what}")
        words = np.frombuffer(self.data, f"<{'i' if signed or width == 8 else 'u'}{width}", count, self.at)
        words = words.astype(np.int64)
        if signed and np.any(large := (words > MOST) | (words < -MOST)):
            raise Refused(0, f"byte {self.at + width * int(np.argmax(large))}: a number of more than 18 digits")
        self.at += width * count
        return words

# ---- Galois ----------------------------------------------------------------------------------------------------------

def _galois_weights(words, version, size, arcs):
    odd, weights = arcs % 2, None
    if odd and version == 1 and (size or words.left()):
        words.take("the padding", 4, False, 1)
    begin = words.at
    if size:
        weights = words.take("the last arc's data", size, True, arcs)
    if odd and version == 2 and words.left(): # what was read began with the padding, and the last data follow
        words.take("the last arc's data", size or 8, True, 8 // (size or 8))
        if size:
            words.at = begin + 8
            weights = words.take("the last arc's data", size, True, arcs)
    return weights

def read_galois(stream, options, g):
    words = _Words(stream.read())
    version, size, n, arcs = words.take("the header", 8, False, 4).tolist()
    if version not in (1, 2):
        raise Refused(0, f"no Galois graph: version {version}, must be 1 or 2")
    if size not in (0, 4, 8):
        raise Refused(0, f"{size} bytes of data per arc, must be 0, 4 or 8")
    if n < 0 or arcs < 0:
        raise Refused(0, f"{n} nodes and {arcs} arcs are announced")
    ends = words.take("the end of the last row", 8, False, n)
    targets = words.take("the last target", 4 * version, False, arcs)
    weights = _galois_weights(words, version, size, arcs)
    if words.left():
        g.wrong(0, 0, "bytes after the graph")
    begins = np.concatenate(([0], ends))
    wrong = (ends < begins[:-1]) | (ends > arcs)
    if np.any(wrong):
        i = int(np.argmax(wrong))
        raise Refused(0, f"row {i} ends at {ends[i]}, must be {begins[i]}..{arcs}")
    used = targets[:begins[-1]]
    if np.any(wrong := (used < 0) | (used >= n)):
        raise Refused(0, f"a target {used[np.argmax(wrong)]}, must be 0..{n - 1}")
    if begins[-1] != arcs:
        raise Refused(0, f"the rows have {begins[-1]} arcs, the header announces {arcs}")
    g.nodes, g.base = n, 0
    g.ends = np.stack((np.repeat(np.arange(n), np.diff(begins)), targets), 1)
    g.edge_weights = weights
    g.values = weights.astype(float) if options.reals and size else None

def write_galois(g):
    arcs, version = len(g.neighbors), 2 if g.nodes > 2**32 - 1 else 1
    weights, size = g.edge_weights, 0
    if weights is not None:
        size = 4 if np.all(weights == weights.astype(np.int32)) else 8
    yield np.array([version, size, g.nodes, arcs], "<i8").tobytes()
    yield g.rows[1:].astype("<i8").tobytes()
    yield g.neighbors.astype("<u4" if version == 1 else "<i8").tobytes()
    if version == 1 and arcs % 2:
        yield bytes(4)
    if size:
        yield weights.astype(f"<i{size}").tobytes()

# ---- ParHIP ----------------------------------------------------------------------------------------------------------

_NO_EDGE_WEIGHTS, _NO_NODE_WEIGHTS, _HEADER = 1, 2, 24

def read_parhip(stream, options, g):
    words = _Words(stream.read())
    version, n, arcs = words.take("the header", 8, False, 3).tolist()
    if not 0 <= version <= 63:
        raise Refused(0, f"no ParHIP graph: version {version}")
    if not 0 <= n <= 2**59 or arcs < 0:
        raise Refused(0, f"{n} nodes and {arcs} neighbours are announced")
    offsets, neighbors, nodes, edges = (4 if version & bit else 8 for bit in (4, 8, 16, 32))
    at = words.take("the last offset", offsets, False, n + 1)
    bytes_ = at - (_HEADER + (n + 1) * offsets)
    before = np.concatenate(([0], bytes_[:-1]))
    wrong = (bytes_ < before) | (bytes_ // neighbors > arcs) | (bytes_ % neighbors != 0)
    wrong[0] |= bytes_[0] != 0
    if np.any(wrong):
        i = int(np.argmax(wrong))
        raise Refused(0, f"offset {at[i]} of node {i} is wrong")
    g.nodes, g.base, g.form, g.rows = n, 0, ROWS, bytes_ // neighbors
    if g.rows[-1] != arcs:
        raise Refused(0, f"the offsets are of {g.rows[-1]} neighbours, the header announces {arcs}")
    g.neighbors = words.take("the last neighbour", neighbors, False, arcs)
    if np.any(wrong := (g.neighbors < 0) | (g.neighbors >= n)):
        raise Refused(0, f"a neighbour {g.neighbors[np.argmax(wrong)]}, must be 0..{n - 1}")
    if not version & _NO_NODE_WEIGHTS:
        g.node_weights = words.take("the last node's weight", nodes, True, n).reshape(n, 1)
    if not version & _NO_EDGE_WEIGHTS:
        g.edge_weights = words.take("the last edge's weight", edges, True, arcs)
    if words.left():
        g.wrong(0, 0, "bytes after the graph")

def write_parhip(g):
    version = _NO_EDGE_WEIGHTS * (g.edge_weights is None) | _NO_NODE_WEIGHTS * (g.node_weights is None)
    for words in ([version, g.nodes, len(g.neighbors)], _HEADER + 8 * (g.nodes + 1 + g.rows), g.neighbors,
                  g.node_weights, g.edge_weights):
        if words is not None:
            yield np.asarray(words).astype("<i8").tobytes()

READERS = {"galois": read_galois, "parhip": read_parhip}
WRITERS = {"galois": write_galois, "parhip": write_parhip}
