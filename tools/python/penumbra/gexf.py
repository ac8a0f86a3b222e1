"""A recorded run as a graph that changes in time, in GEXF, for Gephi: python3 -m penumbra.gexf RUN.record OUT.gexf

Time is the number of a step, from 1, or of a resumed run from its first one on, and intervals include their ends.
Nodes and edges that are not there all the time have spells; the loads of nodes, and the weights of edges where there
are any, have intervals, a new one where a value changes. A node's owner is the rank on which it was first; of nodes
that came later there is none. Nodes that came after the last step are there one step later."""

import gzip
import os
from contextlib import nullcontext
from itertools import groupby
from xml.sax.saxutils import escape

import numpy as np

from penumbra.files import Error, whole_file
from penumbra.records import Record, node_loads
from penumbra_command import Command, main

class _Spans:
    """Rows of integers, each with the first and last step of its existence."""

    def __init__(self, width):
        self.now, self.begin, self.past = np.empty((0, width), np.int64), np.empty(0, np.int64), []

    def take(self, step, *columns):
        """From this step on exactly these rows exist."""
        rows = np.column_stack(columns)
        both = np.concatenate((self.now, rows))
        order = np.lexsort(both.T[::-1])
        same = np.flatnonzero(np.all(both[order][1:] == both[order][:-1], axis=1))
        old, new = order[same], order[same + 1] - len(self.now) # the sort is stable
        begin, gone = np.full(len(rows), step), np.ones(len(self.now), bool)
        begin[new], gone[old] = self.begin[old], False
        gone &= self.begin < step # rows that existed only before the first step
        ended = self.begin[gone]
        self.past.append(np.column_stack((self.now[gone], ended, np.full(len(ended), step - 1))))
        self.now, self.begin = rows, begin

    def all(self, last):
        """In ascending order, each with its first and last step."""
        self.take(last + 1, *np.empty((self.now.shape[1], 0), np.int64))
        rows = np.concatenate(self.past)
        return rows[np.lexsort(rows.T[::-1])].tolist()

def _edges(graph):
    """From, to and weight; of an undirected edge, from the lower gid."""
    rows = graph.gids[graph.rows]
    some = slice(None) if graph.directed else rows < graph.targets
    weights = np.ones(len(rows), np.int64) if graph.arc_weights is None else graph.arc_weights
    return rows[some], graph.targets[some], weights[some]

def _groups(rows, width):
    """Groups of rows with equal first `width` numbers, and these."""
    return ((key, list(some)) for key, some in groupby(rows, lambda row: row[:width]))

def _when(begin, end):
    return f' start="{begin}" end="{end}"'

def _spells(rows, first, last):
    """An element's start and end, and its spells: a single interval needs no spells, and the whole time nothing."""
    spans = []
    for *_, begin, end in rows:
        if spans and spans[-1][1] + 1 == begin:
            spans[-1][1] = end
        else:
            spans.append([begin, end])
    if len(spans) == 1:
        return "" if spans[0] == [first, last] else _when(*spans[0]), ""
    return "", "<spells>" + "".join(f"<spell{_when(*span)}/>" for span in spans) + "</spells>"

def _lines(record):
    """The lines of the file."""
    nodes, loads, edges, places, weighted = _Spans(1), _Spans(2), _Spans(3), {}, False
    world, first = record.world, record.world["first"] + 1

    def change(number, after):
        nodes.take(number, after.gids)
        edges.take(number, *_edges(after))
        if after.coordinates is not None:
            at = np.zeros((len(after.gids), 3))
            at[:, :after.coordinates.shape[1]] = after.coordinates[:, :3]
            for gid, place in zip(after.gids.tolist(), at.tolist()):
                places.setdefault(gid, place)
        return weighted or after.arc_weights is not None and bool((after.arc_weights != 1).any())

    weighted = change(first, record.graph)
    last, graph = first - 1, record.graph
    for step in record:
        if step.graph is not graph:
            weighted = change(step.number, step.graph)
        loads.take(step.number, step.graph.gids, node_loads(step).astype(float).view(np.int64))
        last, graph = step.number, step.graph
    if record.final is not graph or last < first:
        weighted, last = change(last + 1, record.final), last + 1
        loads.take(last, *np.empty((2, 0), np.int64))
    owners = dict(zip(record.graph.gids.tolist(), record.owners.tolist()))
    kind = "directed" if world["directed"] else "undirected"
    attribute = '<attributes class="{}" mode="{}">\n<attribute id="{}" title="{}" type="{}"/>\n</attributes>'.format
    # Version 1.2: some readers, such as networkx, do not know 1.3.
    yield ('<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://www.gexf.net/1.2draft" '
           'xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2">\n<meta><creator>Penumbra</creator><description>'
           f"{escape(world['application'])}, ranks: {world['ranks']}, loads are "
           f"{'declared' if world['declared'] else 'seconds'}</description></meta>")
    yield f'<graph mode="dynamic" timeformat="integer"{_when(first, last)} defaultedgetype="{kind}">'
    yield attribute("node", "static", "owner", "owner", "integer")
    yield attribute("node", "dynamic", "load", "load", "double")
    if weighted:
        yield attribute("edge", "dynamic", "weight", "weight", "double")
    yield "<nodes>"
    of = {gid: sorted((begin, end, bits) for _, bits, begin, end in rows)
          for (gid,), rows in _groups(loads.all(last), 1)}
    for (gid,), rows in _groups(nodes.all(last), 1):
        when, spells = _spells(rows, first, last)
        values = [f'<attvalue for="owner" value="{owners[gid]}"/>'] if gid in owners else []
        values += [f'<attvalue for="load" value="{float(np.int64(bits).view(float))!r}"{_when(begin, end)}/>'
                   for begin, end, bits in of.get(gid, [])]
        place = ' x="{!r}" y="{!r}" z="{!r}"'.format(*places[gid]) if places else ""
        yield (f'<node id="{gid}" label="{gid}"{when}><attvalues>{"".join(values)}</attvalues>{spells}'
               + (f"<viz:position{place}/>" if place else "") + "</node>")
    yield "</nodes>\n<edges>"
    for number, ((one, other), rows) in enumerate(_groups(edges.all(last), 2)):
        rows.sort(key=lambda row: row[3])
        when, spells = _spells(rows, first, last)
        values = "".join(f'<attvalue for="weight" value="{weight}"{_when(begin, end)}/>'
                         for _, _, weight, begin, end in rows)
        yield (f'<edge id="{number}" source="{one}" target="{other}"{when}>'
               + (f"<attvalues>{values}</attvalues>" if weighted else "") + f"{spells}</edge>")
    yield "</edges>\n</graph>\n</gexf>"

def write_gexf(record, path):
    """Writes the record of a run (--record=FILE) as a .gexf file, or compressed as .gexf.gz."""
    path = os.fspath(path)
    if not path.endswith((".gexf", ".gexf.gz")):
        raise Error(f"{path}: the name must end in .gexf or .gexf.gz")
    begun = Record(record)
    with whole_file(path, record) as file, gzip.open(file, "wb") if path.endswith(".gz") else nullcontext(file) as out:
        out.writelines(line.encode() + b"\n" for line in _lines(begun))

if __name__ == "__main__":
    main("penumbra.gexf", "", [Command("", "Write the record of a run as a graph that changes in time, for Gephi",
                                       "RUN.record OUT.gexf", least=2, most=2)],
         lambda _, given, words: write_gexf(*words))
