#!/bin/bash
# GraphML and GEXF of pen-graph convert, as networkx reads and writes them; and other formats. Usage:
# pen_graph_export_test.sh PEN-GRAPH; silent on success, 77 where there is no networkx.
tool=$1
/usr/bin/python3 -c 'import networkx' 2> /dev/null || {
    echo "skipped: no networkx (Debian's python3-networkx) to read GraphML and GEXF" >&2
    exit 77
}
. "$(dirname "$0")/support.bash" "$(dirname "$1")"
PATH=/usr/bin:$PATH # a Python that has NumPy, started many times
/usr/bin/python3 - "$tool" << 'END'
import struct, subprocess, sys
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
open("n.csv", "wb").write(b'source,target,weight\n"a<&>""b",\xc3\xa9,0.5\n\xc3\xa9,\xff\x01,-2e20\n')
for ending, g in both("n.csv", "--directed"):
    key = "name" if ending == "graphml" else "label"
    names = {i: g.nodes[i][key] for i in g}
    assert names == {"0": 'a<&>"b', "1": "\u00e9", "2": "\ufffd\ufffd"}, (ending, names)
    assert g.is_directed() and {(a, b): d["weight"] for a, b, d in g.edges(data=True)} == \
        {("0", "1"): 0.5, ("1", "2"): -2e20}, ending

# Coordinates, gids, and the shape of a grid
subprocess.run([sys.argv[1], "make", "hex:9x7,coordinates", "-o", "h.pen"], check=True)
for ending, g in both("h.pen"):
    assert set(g) == {str(i) for i in range(63)} and g.number_of_edges() == 8 * 7 + 6 * 17, (ending, g)
    if ending == "graphml":
        assert g.graph["grid"] == "hex" and (g.graph["width"], g.graph["height"]) == (9, 7), g.graph
        assert g.nodes["1"]["x"] > g.nodes["0"]["x"] and g.nodes["1"]["y"] == g.nodes["0"]["y"]
    else: assert g.nodes["1"]["viz"]["position"]["x"] > 0

# What is written is read back, in GEXF without the grid's sides
def tool(*words): return subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
for ending in "graphml", "gexf":
    written = tool("convert", "n.csv", "no." + ending)
    assert written.returncode == 2 and "cannot hold this: control characters, and bytes" in written.stderr, written
for source, flags in (("w.graph", []), ("n.csv", ["--directed"]), ("h.pen", [])):
    end = source[source.index("."):]
    for ending in "graphml", "gexf":
        written = tool("convert", "--quiet", "--lossy", source, "out." + ending, *flags)
        assert written.returncode == 0 and ("bytes that are not UTF-8" in written.stderr) == (end == ".csv"), written
        assert tool("convert", "--quiet", "out." + ending, "back" + end).returncode == 0, (source, ending)
        if (source, ending) == ("h.pen", "gexf"): continue
        wanted, back = open(source, "rb").read(), open("back" + end, "rb").read()
        if end == ".csv":
            wanted = wanted.replace(b"-2e20", b"-2e+20").replace(b"\xff\x01", "\ufffd\ufffd".encode())
        assert back == wanted, (source, ending, wanted, back)

# Graphs of networkx: names, attributes that are ignored, weights, directions, loops and parallel edges
multi = nx.MultiGraph([(3, 5, {"weight": 2}), (3, 5, {"weight": 4}), (5, 5, {"weight": 1})])
for graph in (nx.les_miserables_graph(), nx.karate_club_graph(), multi, nx.gn_graph(30, seed=2),
              nx.gnm_random_graph(50, 99)):
    nx.set_node_attributes(graph, 2.5, "height")
    for ending, write in (("graphml", nx.write_graphml), ("gexf", nx.write_gexf)):
        write(graph, "nx." + ending)
        said = tool("convert", "nx." + ending, "nx.csv", "--lossy")
        assert said.returncode == 0 and "attributes ignored" in said.stderr and "height" in said.stderr, said
        kind = nx.DiGraph if graph.is_directed() else nx.Graph
        weighted = len(nx.get_edge_attributes(graph, "weight")) > 0
        read = nx.parse_edgelist(open("nx.csv").read().split()[1:], delimiter=",", create_using=kind,
                                 data=[("weight", float)] * weighted)
        simple = nx.relabel_nodes(kind(graph), str)
        simple.remove_edges_from(list(nx.selfloop_edges(simple)))
        pair = tuple if graph.is_directed() else frozenset
        assert {pair(e) for e in simple.edges} == {pair(e) for e in read.edges}, (graph, ending)
        for a, b, weight in read.edges(data="weight"):
            assert graph is multi or weight == simple[a][b].get("weight"), (ending, a, b)
        assert tool("check", "nx." + ending).stdout.endswith("nothing wrong\n")

# Parallel edges get the weight of the rule, integers and reals alike, and are counted once
words = {"first": "dropped that differ from the first", "min": "the smallest", "max": "the largest", "sum": "added up"}
for scale, kind in ((1, nx.MultiGraph), (0.5, nx.MultiGraph), (1, nx.MultiDiGraph)):
    weights = [10 * scale, 3 * scale, 30 * scale]
    graph = kind([(0, 1, {"weight": w}) for w in weights] + [(1, 0, {"weight": 4 * scale})] * (kind is nx.MultiDiGraph))
    for ending, write in (("graphml", nx.write_graphml), ("gexf", nx.write_gexf)):
        write(graph, "par." + ending)
        for rule, text in words.items():
            said = tool("convert", "par." + ending, "par.csv", "--lossy", "--weights=" + rule)
            of = {"first": lambda w: w[0], "min": min, "max": max, "sum": sum}[rule]
            lines = ["0,1,%g" % of(weights)] + ["1,0,4"] * (kind is nx.MultiDiGraph)
            assert open("par.csv").read().split()[1:] == lines, (ending, kind, rule, open("par.csv").read())
            assert ": 2 duplicates merged" in said.stderr and text in said.stderr, said
        if kind is nx.MultiDiGraph: # the larger sum of both directions
            said = tool("convert", "par." + ending, "par.grf", "--lossy", "--weights=sum")
            tool("convert", "par.grf", "par.csv")
            assert open("par.csv").read().endswith("\n0,1,43\n"), open("par.csv").read()
            assert ": 2 duplicates merged" in said.stderr, said

# DIMACS .col and PACE, with the edges that networkx has
graph = nx.convert_node_labels_to_integers(nx.gnm_random_graph(40, 90, seed=5), 1)
for name, problem, letter in (("x.col", "edge", "e "), ("x.gr", "cep", ""), ("y.gr", "tw", "")):
    with open(name, "w") as out:
        out.write("c text\np %s %d %d\n" % (problem, len(graph), graph.size()))
        out.writelines("%s%d %d\n" % (letter, a, b) for a, b in graph.edges)
    for to, skip, ending in (("col", "e", ".col"), ("pace", "", ".gr")):
        assert tool("convert", name, "z" + ending, "--to=" + to, "--quiet").returncode == 0
        first, *lines = open("z" + ending).read().split("\n")
        back = nx.parse_edgelist([line[len(skip):] for line in lines], nodetype=int)
        assert first == "p %s 40 90" % ("edge" if skip else "tw"), first
        assert {frozenset(e) for e in back.edges} == {frozenset(e) for e in graph.edges}, (name, to)

# ParHIP's and Galois' binary graphs, packed here from what networkx has; names in the order in which they appear
rows = [sorted(graph[i + 1]) for i in range(len(graph))]
ends = [sum(map(len, rows[:i])) for i in range(len(rows) + 1)]
flat, n, m = [j - 1 for row in rows for j in row], len(rows), ends[-1]
wide, long = struct.pack("<%dq" % m, *flat), struct.pack("<%dq" % n, *ends[1:])
for name, content in (
        ("a.bgf", struct.pack("<%dq" % (n + 4), 3, n, m, *[24 + 8 * (n + 1 + e) for e in ends]) + wide),
        ("a.gr", struct.pack("<4q", 1, 0, n, m) + long + struct.pack("<%di" % m, *flat)),
        ("b.gr", struct.pack("<4q", 2, 4, n, m) + long + wide + struct.pack("<%di" % m, *[7] * m))):
    open(name, "wb").write(content)
    assert tool("convert", name, "a.csv", "--quiet", "--lossy").returncode == 0, name
    back = nx.parse_edgelist(open("a.csv").read().split()[1:], delimiter=",", data=[("weight", int)] * (name == "b.gr"))
    assert {frozenset(int(i) + 1 for i in e) for e in back.edges} == {frozenset(e) for e in graph.edges}, name
    assert tool("convert", name, "again" + name, "--quiet", *["--to=galois"] * (name != "a.bgf")).returncode == 0, name
    assert name == "b.gr" or open("again" + name, "rb").read() == content, name
graph = nx.les_miserables_graph()
nx.write_weighted_edgelist(graph, "names.el", delimiter="\t")
assert tool("convert", "names.el", "names.grf", "--ids-to=ids.csv", "--quiet").returncode == 0
named = nx.read_weighted_edgelist("names.el", delimiter="\t")
assert open("ids.csv").read() == "gid,id\n" + "".join("%d,%s\n" % pair for pair in enumerate(named))
END
