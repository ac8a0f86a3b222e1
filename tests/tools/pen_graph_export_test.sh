#!/bin/sh
# GraphML and GEXF of pen-graph convert, as networkx reads them. Usage: pen_graph_export_test.sh PEN-GRAPH; silent on
# success, 77 where there is no networkx.
tool=$1
/usr/bin/python3 -c 'import networkx' 2> /dev/null || {
    echo "skipped: no networkx (Debian's python3-networkx) to read GraphML and GEXF" >&2
    exit 77
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
/usr/bin/python3 - "$tool" << 'END'
import subprocess, sys
import networkx as nx

def both(source, *flags):
    for ending, read in (("graphml", nx.read_graphml), ("gexf", nx.read_gexf)):
        subprocess.run([sys.argv[1], "convert", "--lossy", "--quiet", source, "out." + ending, *flags], check=True,
                       stderr=subprocess.DEVNULL)
        yield ending, read("out." + ending)

# Node weights, edge weights, parts, an isolated node
open("w.graph", "w").write("4 2 11 2\n3 0 2 5\n4 1 1 5 3 7\n5 2 2 7\n6 3\n")
open("w.part", "w").write("0\n1\n1\n2\n")
for ending, g in both("w.graph", "--part=w.part"):
    assert not g.is_directed() and set(g) == {"1", "2", "3", "4"}, (ending, list(g))
    assert {(a, b): d["weight"] for a, b, d in g.edges(data=True)} == {("1", "2"): 5, ("2", "3"): 7}, ending
    for key, values in (("weight", [3, 4, 5, 6]), ("weight2", [0, 1, 2, 3]), ("part", [0, 1, 1, 2])):
        assert [g.nodes[str(i)][key] for i in range(1, 5)] == values, (ending, key)

# Arcs, real weights, names that XML has to quote, and one that is no UTF-8
open("n.csv", "wb").write(b'source,target,weight\n"a<&>""b",\xc3\xa9,0.5\n\xc3\xa9,\xff\x01,-2e10\n')
for ending, g in both("n.csv", "--directed"):
    key = "name" if ending == "graphml" else "label"
    names = {i: g.nodes[i][key] for i in g}
    assert names == {"0": 'a<&>"b', "1": "\u00e9", "2": "\ufffd\ufffd"}, (ending, names)
    assert g.is_directed() and {(a, b): d["weight"] for a, b, d in g.edges(data=True)} == \
        {("0", "1"): 0.5, ("1", "2"): -2e10}, ending

# Coordinates, gids, and the shape of a grid
subprocess.run([sys.argv[1], "make", "hex:9x7,coordinates", "-o", "h.pen"], check=True)
for ending, g in both("h.pen"):
    assert set(g) == {str(i) for i in range(63)} and g.number_of_edges() == 8 * 7 + 6 * 17, (ending, g)
    if ending == "graphml":
        assert g.graph["grid"] == "hex" and (g.graph["width"], g.graph["height"]) == (9, 7), g.graph
        assert g.nodes["1"]["x"] > g.nodes["0"]["x"] and g.nodes["1"]["y"] == g.nodes["0"]["y"]
    else: assert g.nodes["1"]["viz"]["position"]["x"] > 0
END
