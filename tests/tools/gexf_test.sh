#!/bin/bash
# gexf_test.sh BIN PYTHON - recorded runs as GEXF that changes in time: at each step it must show the graph
# and the loads that penumbra.Record finds in the record; networkx reads it. 77 where there is no networkx or numpy.
python=$2
. "$(dirname "$0")/support.bash"
/usr/bin/python3 -c 'import networkx, numpy' 2>/dev/null ||
    skip "no networkx and numpy (Debian's python3-networkx) to read GEXF and records"

# shock: nodes go, and come again; hex: real loads that rarely change, weights of edges; places; arcs
printf '%s\n' '6 5 1' '2 5' '1 5 3 7' '2 7 4 1' '3 1 5 2' '4 2 6 3' '5 3' >weighted.graph
expect 0 2 shock --generate=mesh:8x4 --steps=30 --quiet --record=shock.record
expect 0 3 hex --graph=weighted.graph --steps=6 --load=declared --quiet --record=weighted.record
expect 0 0 pen-graph make hex:5x4,coordinates -o places.pen
expect 0 2 hex --graph=places.pen --steps=9 --load=declared --imbalance=disc --quiet --record=places.record
printf '0 1\n1 2\n2 0\n3 1\n' >arcs.el
expect 0 0 pen-graph convert arcs.el arcs.pen --directed --quiet
expect 0 1 heat --graph=arcs.pen:directed --steps=2 --quiet --record=arcs.record
expect 0 1 hex --graph=weighted.graph --steps=0 --quiet --record=none.record
mkdir saved
expect 0 2 shock --generate=mesh:8x4 --steps=20 --quiet --checkpoint=saved --checkpoint-every=20
expect 0 2 shock --generate=mesh:8x4 --steps=30 --quiet --checkpoint=saved --resume --record=resumed.record
gexf() { PYTHONPATH=$python /usr/bin/python3 -m penumbra.gexf "$@" >said 2>&1; }
for name in shock weighted places arcs none resumed; do
    gexf $name.record $name.gexf && [ ! -s said ] || complain "$name: $(cat said)"
done
gexf shock.record shock.gexf.gz || complain "compressed: $(cat said)"
gzip -dc shock.gexf.gz | cmp -s - shock.gexf || complain "compressed it is another one"

PYTHONPATH=$python /usr/bin/python3 - >said 2>&1 <<'END_OF_PYTHON' || complain "$(cat said)"
import xml.etree.ElementTree as xml
import networkx as nx, numpy as np, penumbra
from penumbra.records import node_loads

G = "{http://www.gexf.net/1.2draft}"

def times(element, first, last):
    spells = element.findall(f"{G}spells/{G}spell") or [element]
    when = [(int(s.get("start", first)), int(s.get("end", last))) for s in spells]
    assert all(a <= b for a, b in when) and all(b + 1 < a for (_, b), (a, _) in zip(when, when[1:])), when
    return when
def is_there(when, step): return any(a <= step <= b for a, b in when)
def values(element, of):
    found = [(float(v.get("value")), int(v.get("start")), int(v.get("end")))
             for v in element.findall(f"{G}attvalues/{G}attvalue") if v.get("for") == of]
    assert all(b < a for (_, _, b), (_, a, _) in zip(found, found[1:])), found
    return found
def value_at(found, step):
    at = [v for v, a, b in found if a <= step <= b]
    assert len(at) == 1, (found, step)
    return at[0]

def check(name, weighted=False):
    """The file, as its elements say; beside the record, step by step."""
    graph = xml.parse(name + ".gexf").getroot().find(G + "graph")
    last, record = int(graph.get("end")), penumbra.Record(name + ".record")
    first = record.world["first"] + 1
    assert (graph.get("mode"), graph.get("timeformat"), graph.get("start")) == ("dynamic", "integer", str(first))
    directed = bool(record.world["directed"])
    assert graph.get("defaultedgetype") == ("directed" if directed else "undirected")
    nodes = {int(n.get("id")): (times(n, first, last), values(n, "load"), n) for n in graph.iter(G + "node")}
    edges = [((int(e.get("source")), int(e.get("target"))), times(e, first, last), values(e, "weight"))
             for e in graph.iter(G + "edge")]
    assert len({ends for ends, _, _ in edges}) == len(edges)
    owners = {}
    for gid, owner in zip(record.graph.gids.tolist(), record.owners.tolist()): owners[gid] = owner
    for gid, owner in owners.items():
        said = [v.get("value") for v in nodes[gid][2].iter(G + "attvalue") if v.get("for") == "owner"]
        assert said == [str(owner)], (gid, said, owner)
    steps = list(record)
    assert last == first - 1 + max(len(steps), 1)
    for step in steps:
        g, number = step.graph, step.number
        there = {gid for gid, (when, _, _) in nodes.items() if is_there(when, number)}
        assert there == set(g.gids.tolist()), number
        for gid, load in zip(g.gids.tolist(), node_loads(step).tolist()): assert value_at(nodes[gid][1], number) == load
        arcs = {}
        for i, gid in enumerate(g.gids.tolist()):
            for a in range(g.offsets[i], g.offsets[i + 1]):
                other = int(g.targets[a])
                if directed or gid < other: arcs[gid, other] = int(g.arc_weights[a]) if g.arc_weights is not None else 1
        assert {ends for ends, when, _ in edges if is_there(when, number)} == set(arcs), (name, number)
        if weighted:
            for ends, _, weights in edges: assert value_at(weights, number) == arcs[ends]
    return nodes, edges, steps

def networkx(name):
    return nx.read_gexf(name + ".gexf")

nodes, edges, steps = check("shock")
assert len(steps) == 30 and any(len(when) > 1 for when, _, _ in nodes.values()), "nobody comes again"
assert any(len(when) > 1 for _, when, _ in edges)
g = networkx("shock")
assert set(map(int, g)) == set(nodes) and g.number_of_edges() == len(edges)
for gid, (when, loads, _) in nodes.items():
    known = g.nodes[str(gid)]
    assert known["load"] == loads, (gid, known)
    assert known.get("spells", [(known.get("start", 1), known.get("end", 30))]) == when, (gid, known)

nodes, edges, steps = check("weighted", True)
assert len(nodes) == 6 and len(edges) == 5 and all(len(loads) == 1 for _, loads, _ in nodes.values())
assert networkx("weighted")["1"]["2"]["weight"] == 7  # one only: it takes weights for what does not change
nodes, edges, steps = check("places")
assert any(len(loads) > 1 for _, loads, _ in nodes.values()) and any(len(loads) < 9 for _, loads, _ in nodes.values())
x = [g["viz"]["position"]["x"] for _, g in sorted(networkx("places").nodes(data=True), key=lambda n: int(n[0]))]
assert np.allclose(x[:7], [0, 1, 2, 3, 4, 0.5, 1.5]), x
nodes, edges, steps = check("arcs")
assert {ends for ends, _, _ in edges} == {(0, 1), (1, 2), (2, 0), (3, 1)}
nodes, edges, steps = check("none")
assert steps == [] and len(nodes) == 6 and len(edges) == 5
nodes, edges, steps = check("resumed")
assert [step.number for step in steps] == list(range(21, 31))
assert any(when == [(21, 30)] for when, _, _ in nodes.values()), "no node is there from the first to the last step"
END_OF_PYTHON

# mistake TEXT RECORD OUT: told in a line, and nothing is written
mistake()
{
    gexf "$2" "$3"
    [ $? -eq 2 ] && [ "$(wc -l <said)" -eq 1 ] && grep -q -F -e "$1" said || complain "$2: $(cat said)"
}
mistake "must end in .gexf" shock.record new.graphml
mistake "penumbra-workload/2" places.pen new.gexf
mistake "No such file" nowhere.record new.gexf
head -c 3000 shock.record >cut.record
mistake "it is cut off" cut.record new.gexf
cp shock.record kept.record
ln -s kept.record link.gexf
ln kept.record hard.gexf
for name in link.gexf hard.gexf; do mistake "kept.record and $name are the same file" kept.record $name; done
mistake "kept.record and link.gexf are the same file" ./kept.record link.gexf
mistake "must end in .gexf" shock.record new.gexf/
cmp -s shock.record kept.record && [ -L link.gexf ] || complain "the record is replaced: $(ls -l)"
[ -z "$(ls -A | grep -e ^new -e gexf.unfinished)" ] || complain "something is left behind: $(ls -A)"
finish
