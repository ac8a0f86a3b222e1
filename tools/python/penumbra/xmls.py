"""GraphML and GEXF of this package and of other programs. networkx is not used, since it takes files that are wrong
(edges of nodes that are not there, a node that is there twice, a second graph, GEXF that changes in time), does not
know GEXF 1.3, and names no lines.

Ids that are integers are the graph's labels; other ids are names. If all nodes have a different "name" (GraphML) or
label (GEXF), and not all equal the ids, these are the names. Nodes are in the order of the file. Attributes of nodes:
weight (weight2, weight3, ...), size, part, and x, y, z (in GEXF the position). A node without one gets the declared
default, or else 1 for weights and sizes and 0 for the others. Edges have a weight, 1 by default. Other attributes are
ignored, and named. Loops and parallel edges are kept. In a directed graph, an edge that is declared undirected or
mutual becomes two arcs. Refused: hyperedges, graphs and nodes inside nodes, a second graph, GEXF that changes in time,
entities.

Written: the id of a node is its label or number. Named nodes are numbered from 0, and the name is an attribute
(GraphML) or the label (GEXF). Each edge is written once. GraphML has a grid's properties as attributes of the graph.
GEXF is version 1.2draft, which all readers know."""

import re
import xml.parsers.expat as expat

import numpy as np

from penumbra.formats import GRIDS, KEPT, Refused, ids, sources
from penumbra.texts import real_of

_MOST_WEIGHTS = 64
_TITLES = {"n": ["part", "size", "x", "y", "z", "name", "weight", *(f"weight{k}" for k in range(2, _MOST_WEIGHTS + 1))],
           "e": ["weight"], "g": ["grid", "width", "height", "depth"]}

def _number(text):
    """(integer or None, value) of a finite number with white space around it; or None."""
    text = text.strip(" \t\r\n")
    if not re.fullmatch(r"[-+.0-9eE]{1,63}", text):
        return None
    whole = int(text) if re.fullmatch(r"[+-]?[0-9]+", text) and len(text) <= 18 else None
    value = float(whole) if whole is not None else real_of(text.encode())
    return None if value is None else (whole, value)

def _local(name):
    return name[name.rfind(":") + 1:]

class _Column:
    """Values of an attribute of nodes."""

    def __init__(self, usual):
        self.usual, self.cells = usual, {}

    def array(self, nodes, kind):
        found = np.full(nodes, self.usual, kind)
        found[list(self.cells)] = list(self.cells.values())
        return found

class _Reader:
    def __init__(self, gexf, options, g):
        self.gexf, self.g, self.root, self.graph = gexf, g, False, False
        self.in_node, self.in_edge, self.node = False, False, 0
        self.meanings = {} # (class, id): title, None: ignored
        self.ignored = []
        self.class_, self.declared_keys = "n", []
        self.depth, self.key, self.usual, self.text = 0, None, False, []
        self.ids, self.declared, self.names = {}, set(), {}
        self.named, self.differ = True, False
        self.columns, self.sides = {}, {}
        self.ends, self.weights, self.values = [], [], []
        self.weighted, self.others, self.usual_weight, self.weight = False, 0, (1, 1.0), (1, 1.0)
        self.parser = p = expat.ParserCreate()
        p.buffer_text = True
        p.StartElementHandler, p.EndElementHandler = self.begin, self.end
        p.CharacterDataHandler, p.EntityDeclHandler = self.add_text, self.entity

    def wrong(self, text):
        self.g.wrong(self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1, text)

    def refuse(self, text):
        raise Refused(self.parser.CurrentLineNumber, text)

    def entity(self, *_):
        self.refuse("the file declares entities, which are not read")

    # ---- Attributes

    def ignore(self, title):
        if title[:40] not in self.ignored:
            self.ignored.append(title[:40])

    def declare(self, kind, key, title):
        if key is None:
            self.refuse("the declaration of an attribute has no id")
        title = key if title is None else title
        known = title in _TITLES.get(kind, ()) and not (self.gexf and title == "name")
        self.meanings[kind, key] = title if known else None
        self.declared_keys.append((kind, key))
        if not known:
            self.ignore(title)
        elif kind == "n" and title != "name":
            self.column(title)

    def column(self, title):
        return self.columns.setdefault(title, _Column(1 if title == "size" or title.startswith("weight") else 0))

    def find(self, kind, key):
        if (kind, key) not in self.meanings:
            self.meanings[kind, key] = None
            self.ignore(key)
        return kind, key

    def take_name(self, name):
        number = self.names.setdefault(name, len(self.names))
        if number != self.node or not name:
            self.named = False
        elif self.ids.get(name) != self.node:
            self.differ = True

    def take(self, key, text, usual=False):
        kind, title = key[0], self.meanings[key]
        if title is None:
            return
        if title == "name":
            if not usual:
                self.take_name(text)
        elif title == "grid":
            self.g.grid = GRIDS.index(text) if text in GRIDS else self.g.grid
        else:
            self.take_number(kind, title, text, usual)

    def take_number(self, kind, title, text, usual=False):
        found = _number(text)
        if found is None:
            self.wrong(f"'{text[:40]}' is not a finite number")
            return
        whole, value = found
        if kind == "e":
            weight = 1 if whole is None else whole, value
            if usual:
                self.usual_weight = weight
            else:
                self.weight = weight
            self.weighted = True
            self.others += whole is None
        elif kind == "g":
            self.sides[title] = whole or 0
        else:
            if title in ("x", "y", "z"):
                cell = value
            elif title.startswith("weight"):
                cell = 1 if whole is None else whole
                self.g.real += whole is None
            elif whole is None or whole < 0 or title == "part" and whole >= 2**31 - 1:
                self.wrong(f"{title} {text[:40]}, must be an integer from 0 on")
                return
            else:
                cell = whole
            column = self.column(title)
            if usual:
                column.usual = cell
            else:
                column.cells[self.node] = cell

    # ---- Elements

    def begin_node(self, of):
        name, label = of.get("id"), of.get("label") if self.gexf else None
        if not name or self.in_node:
            self.refuse("a node inside a node" if name else "a node without an id")
        self.node = self.ids.setdefault(name, len(self.ids))
        if self.node in self.declared:
            self.wrong(f"node '{name[:40]}' is there twice")
        self.declared.add(self.node)
        self.in_node = True
        if label is not None:
            self.take_name(label)

    def begin_edge(self, of):
        source, target = of.get("source"), of.get("target")
        kind = of.get("type" if self.gexf else "directed")
        if not source or not target or self.in_edge:
            self.refuse("an edge inside an edge" if self.in_edge else "an edge without source or target")
        from_, to = (self.ids.setdefault(name, len(self.ids)) for name in (source, target))
        arc = kind in ("directed", "true")
        both = kind is not None and not arc and self.g.directed and from_ != to
        if arc and not self.g.directed:
            self.wrong("a directed edge in an undirected graph")
        self.weight, self.in_edge = self.usual_weight, True
        self.edge = [(from_, to), (to, from_)] if both else [(from_, to)]
        if self.gexf and "weight" in of:
            self.take_number("e", "weight", of["weight"])

    def end_edge(self):
        self.in_edge = False
        for ends in self.edge:
            self.ends.extend(ends)
            self.weights.append(self.weight[0])
            self.values.append(self.weight[1])

    def begin_graph(self, of):
        if self.graph:
            self.refuse("a second graph")
        if self.gexf and of.get("mode") == "dynamic":
            self.refuse("a graph that changes in time")
        self.graph = True
        if of.get("defaultedgetype" if self.gexf else "edgedefault") == "directed":
            self.g.directed = True

    def begin_text(self, key, usual=False):
        self.depth, self.key, self.usual, self.text = 1, key, usual, []

    def begin_graphml(self, name, of):
        kind = "e" if self.in_edge else "n" if self.in_node else "g"
        if name == "key":
            self.declared_keys, for_ = [], of.get("for")
            for each in ("node", "edge") if for_ in (None, "all") else ("node", "edge", "graph"):
                if for_ in (None, "all", each):
                    self.declare(each[0], of.get("id"), of.get("attr.name"))
        elif name == "default":
            self.begin_text(None, True)
        elif name == "hyperedge":
            self.refuse("a hyperedge")
        elif name == "data":
            self.begin_text(self.find(kind, of["key"]) if "key" in of else None)

    def begin_gexf(self, name, of):
        if name == "attributes":
            self.class_ = of.get("class", "all")[:1]
        elif name == "attribute":
            self.declared_keys = []
            self.declare(self.class_, of.get("id"), of.get("title"))
        elif name == "default":
            self.begin_text(None, True)
        elif name == "attvalue" and (self.in_node or self.in_edge):
            key = of.get("for", of.get("id")) # the XML attribute's name before version 1.2
            if key is not None and "value" in of:
                self.take(self.find("n" if self.in_node else "e", key), of["value"])
            else:
                self.wrong("a value without an attribute")
        elif name == "position" and self.in_node:
            for axis in "xyz":
                self.column(axis)
                if axis in of:
                    self.take_number("n", axis, of[axis])

    def begin(self, element, attributes):
        name, of = _local(element), {_local(key): value for key, value in attributes.items()}
        root = "gexf" if self.gexf else "graphml"
        if not self.root and name != root:
            self.refuse(f"the first element must be {root}")
        self.root = True
        if self.depth:
            self.depth += 1
        elif name in ("graph", "node", "edge"):
            getattr(self, "begin_" + name)(of)
        else:
            (self.begin_gexf if self.gexf else self.begin_graphml)(name, of)

    def end(self, element):
        name = _local(element)
        if self.depth:
            self.depth -= 1
            if not self.depth:
                keys = self.declared_keys if self.usual else [self.key] if self.key else []
                for key in keys:
                    self.take(key, "".join(self.text), self.usual)
        elif name == "node":
            self.in_node = False
        elif name == "edge":
            self.end_edge()

    def add_text(self, text):
        if self.depth == 1 and (self.usual or self.key and self.meanings[self.key]):
            self.text.append(text)

    # ---- The graph

    def give_ids(self):
        g, texts = self.g, list(self.ids)
        named = self.named and len(self.names) == g.nodes and self.differ
        if self.differ and not named:
            self.ignore("label" if self.gexf else "name")
        if named:
            texts = list(self.names)
        elif all(re.fullmatch(r"0|[1-9][0-9]{0,17}", text) for text in texts):
            g.labels = np.array([int(text) for text in texts], np.int64)
            first = int(g.labels[0]) if g.nodes else 1
            if first <= 1 and np.array_equal(g.labels, np.arange(first, first + g.nodes)):
                g.base, g.labels = first, None
            return
        g.base, g.names = 0, [text.encode() for text in texts]

    def give_columns(self):
        g, of = self.g, self.columns
        weights = [int(title[6:] or 1) for title in of if title.startswith("weight")]
        if weights:
            g.node_weights = np.stack([of.get("weight" + (str(k) if k > 1 else ""), _Column(1)).array(g.nodes, np.int64)
                                       for k in range(1, max(weights) + 1)], 1)
        if "size" in of:
            g.node_sizes = of["size"].array(g.nodes, np.int64)
        if "part" in of:
            g.part = of["part"].array(g.nodes, np.int32)
        dimensions = max(("xyz".index(title) + 1 for title in of if title in "xyz"), default=0)
        if dimensions:
            g.coordinates = np.stack([of.get(axis, _Column(0.0)).array(g.nodes, float)
                                      for axis in "xyz"[:dimensions]], 1)
            if dimensions == 3 and not np.any(g.coordinates[:, 2]):
                g.coordinates = g.coordinates[:, :2]

    def give_grid(self):
        w, h, d = sides = tuple(self.sides.get(side, 0) for side in ("width", "height", "depth"))
        if not any(sides):
            self.g.grid = 0
        elif min(sides) < 1 or w * h * d != self.g.nodes:
            self.wrong(f"a grid of {w} x {h} x {d}, but {self.g.nodes} nodes")
        else:
            self.g.sides = sides

    def give(self, reals):
        g = self.g
        g.nodes, g.form = len(self.ids), KEPT
        if not self.graph:
            self.refuse("there is no graph")
        absent = next((text for text, node in self.ids.items() if node not in self.declared), None)
        if absent is not None:
            self.wrong(f"{g.nodes - len(self.declared)} nodes of edges are not there, the first is '{absent[:40]}'")
        self.give_grid()
        self.give_columns()
        self.give_ids()
        g.ends = np.array(self.ends, np.int64).reshape(-1, 2)
        g.real += 0 if reals else self.others
        g.edge_weights = np.array(self.weights, np.int64) if self.weighted and not self.others else None
        g.values = np.array(self.values, float) if self.weighted and reals else None
        g.columns = "attributes ignored: " + ", ".join(self.ignored) if self.ignored else ""

def _read(gexf):
    def read(stream, options, g):
        r = _Reader(gexf, options, g)
        try:
            while data := stream.read(1 << 20):
                r.parser.Parse(data, False)
            r.parser.Parse(b"", True)
        except expat.ExpatError as why:
            raise Refused(why.lineno, "no XML: " + expat.ErrorString(why.code)) from None
        except (LookupError, ValueError) as why: # of the encoding that the file names
            raise Refused(1, f"no XML: {why}") from None
        r.give(options.reals)
    return read

# ---- Writing ---------------------------------------------------------------------------------------------------------

_ESCAPES = {ord(c): text for c, text in (("\t", "&#9;"), ("\n", "&#10;"), ("\r", "&#13;"), ("&", "&amp;"),
                                         ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"))}

def _escape(name):
    """Bytes as text of XML; U+FFFD replaces bytes that are not UTF-8, and characters that XML forbids."""
    text = re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", name.decode("utf-8", "replace"))
    return text.translate(_ESCAPES)

def _real(value):
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text

def _integers(g):
    """(title, values) of the integer attributes of nodes."""
    weights = [] if g.node_weights is None else g.node_weights.T
    found = [("weight" + (str(k + 1) if k else ""), values) for k, values in enumerate(weights)]
    return found + [pair for pair in (("size", g.node_sizes), ("part", g.part)) if pair[1] is not None]

def _edges(g):
    """(source, target, weight) of each edge, once: in the row of the lower node; weight "" if there are none."""
    rows, numbers = sources(g), np.arange(g.nodes) if g.names else ids(g)
    kept = np.ones(len(rows), bool) if g.directed else g.neighbors >= rows
    weights = g.edge_weights if g.edge_weights is not None else g.values
    texts = np.count_nonzero(kept) * [""] if weights is None else \
        map(str if weights is g.edge_weights else _real, weights[kept].tolist())
    return zip(numbers[rows[kept]].tolist(), numbers[g.neighbors[kept]].tolist(), texts)

def write_graphml(g):
    integers = _integers(g)
    keys = [(f"a{k}", "node", title, "long") for k, (title, _) in enumerate(integers)]
    keys += [("name", "node", "name", "string")] if g.names else []
    axes = "xyz"[:0 if g.coordinates is None else g.coordinates.shape[1]]
    keys += [(axis, "node", axis, "double") for axis in axes]
    if g.edge_weights is not None or g.values is not None:
        keys.append(("e", "edge", "weight", "double" if g.edge_weights is None else "long"))
    grid = list(zip(("grid", "width", "height", "depth"), (GRIDS[g.grid], *g.sides))) if any(g.sides) else []
    keys += [(name, "graph", name, "string" if name == "grid" else "long") for name, _ in grid]
    data = lambda pairs: "".join(f'<data key="{key}">{value}</data>' for key, value in pairs)
    yield ('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns"\n'
           '  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"\n'
           '  xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns'
           ' http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n' +
           "".join('<key id="%s" for="%s" attr.name="%s" attr.type="%s"/>\n' % key for key in keys) +
           f'<graph edgedefault="{"directed" if g.directed else "undirected"}">\n' +
           data(grid) + "\n" * bool(grid)).encode()
    numbers = range(g.nodes) if g.names else ids(g).tolist()
    for i, number in enumerate(numbers):
        pairs = [(f"a{k}", values[i]) for k, (_, values) in enumerate(integers)]
        pairs += [("name", _escape(g.names[i]))] if g.names else []
        pairs += [(axis, _real(g.coordinates[i, d])) for d, axis in enumerate(axes)]
        yield f'<node id="{number}">{data(pairs)}</node>\n'.encode()
    for source, target, weight in _edges(g):
        more = f">{data([('e', weight)])}</edge>" if weight else "/>"
        yield f'<edge source="{source}" target="{target}"{more}\n'.encode()
    yield b"</graph>\n</graphml>\n"

def write_gexf(g):
    integers = _integers(g)
    yield ('<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://www.gexf.net/1.2draft"'
           ' xmlns:viz="http://www.gexf.net/1.2draft/viz"\n  version="1.2">\n'
           f'<graph mode="static" defaultedgetype="{"directed" if g.directed else "undirected"}">\n').encode()
    if integers:
        yield ('<attributes class="node">\n' + "".join(
            f'<attribute id="{k}" title="{title}" type="long"/>\n' for k, (title, _) in enumerate(integers)) +
            "</attributes>\n").encode()
    yield b"<nodes>\n"
    numbers = range(g.nodes) if g.names else ids(g).tolist()
    for i, number in enumerate(numbers):
        values = "".join(f'<attvalue for="{k}" value="{values[i]}"/>' for k, (_, values) in enumerate(integers))
        inside = f"<attvalues>{values}</attvalues>" if values else ""
        if g.coordinates is not None:
            at = [*map(_real, g.coordinates[i]), "0", "0"]
            inside += f'<viz:position x="{at[0]}" y="{at[1]}" z="{at[2]}"/>'
        yield f'<node id="{number}" label="{_escape(g.names[i]) if g.names else number}">{inside}</node>\n'.encode()
    yield b"</nodes>\n<edges>\n"
    for k, (source, target, weight) in enumerate(_edges(g)):
        more = f' weight="{weight}"' if weight else ""
        yield f'<edge id="{k}" source="{source}" target="{target}"{more}/>\n'.encode()
    yield b"</edges>\n</graph>\n</gexf>\n"

READERS = {"graphml": _read(False), "gexf": _read(True)}
WRITERS = {"graphml": write_graphml, "gexf": write_gexf}
