"""Texts and their graphs: (text, the rows or None if it is refused, findings "line:column: text"). Rows have neighbours
and (weights), [weights of nodes], labels or 'names'; after them are the counts of merged entries."""


def NODES(more):
    return f'<node id="4"/>\n<node id="7">{more}</node>\n'


def GRAPHML(keys, inside):
    return f'<graphml>{keys}<graph edgedefault="undirected">{inside}</graph></graphml>'


def KEY(key, of, name):
    return f'<key id="{key}" for="{of}" attr.name="{name}"/>'


def EDGE(more):
    return f'<edge source="4" target="7"{more}/>'


def GEXF(inside):
    return f'<g:gexf xmlns:g="x"><g:graph>{inside}</g:graph></g:gexf>'


SNAP = [
    ("# Nodes: 3 Edge\0 Edges: 9\n1 2\n", "1: 2; 2: 1 | one_way 1", None), # a zero byte ends a comment
    ("", "", None),
    ("# nothing\n", "", None),
    ("0 1\n1\t2\n", "0: 1; 1: 0 2; 2: 1 | one_way 2", None),
    ("0 1\r\n\r\n 1  0 \r\n", "0: 1; 1: 0 | reversed 1", None),
    ("7 5\n5 7\n7 5\n5 5\n9 7", "5: 7; 7: 5 9; 9: 7 | loops 1 | duplicates 1 | reversed 1 | one_way 1 | gaps 2", None),
    ("4 5 7\n5 4 8\n5 6 0\n", "4: 5(7); 5: 4(7) 6(0); 6: 5(0) | conflicts 1 | reversed 1 | one_way 1", None),
    ("4 5 -7\n5 4 -7\n", "4: 5(-7); 5: 4(-7) | reversed 1", None),
    ("4 5 0.5\n5 6 2\n", "4: 5; 5: 4 6; 6: 5 | one_way 2 | values 1", None),
    ("999999999999999999 0\n", "0: 999999999999999999; 999999999999999999: 0 | one_way 1 | gaps 999999999999999998",
     None),
    ("5 5\n", "5: | loops 1", None),
    ("1 2\n2\n", "1: 2; 2: 1 | one_way 1", "2:2: the line ends before a node's id"),
    ("1 2\nx 3\n2 03\n", "'1': '2'; '2': '1' '3'; 'x': '3'; '3': 'x' '2' | one_way 3", None),
    ("7 x 5\nx\t7 5\nx x 1", "'7': 'x'(5); 'x': '7'(5) | loops 1 | reversed 1", None),
    ("1 x\n2 \001\n", "'1': 'x'; 'x': '1'; '2': | one_way 1",
     "2:3: unexpected 0x01, a node's name has 1 to 255 bytes"),
    ("1 -2\n", "", "1:3: a node's id -2, must be >= 0"),
    ("1000000000000000000 1\n", "'1000000000000000000': '1'; '1': '1000000000000000000' | one_way 1", None),
    ("1 2\n2 3 4\n", "1: 2; 2: 1 3; 3: 2 | one_way 2", "2:0: a third number, which the lines before do not have"),
    ("1 2 3\n2 3\n", "1: 2(3); 2: 1(3) 3(1); 3: 2(1) | one_way 2", "2:0: no weight, which the lines before have"),
    ("1 2 3 4\n", "", "1:7: unexpected text after the line's numbers"),
    ("1 2 nan\n", "", "1:5: unexpected 'n', a weight must be a finite number"),
    ("1 2 # text\n", "", "1:5: unexpected '#', a weight must be a finite number"),
    ("# Nodes: 3 Edges: 3\n1 2\n", "1: 2; 2: 1 | one_way 1",
     "1:0: 3 edges are announced, but there are 1: is the list cut off?"),
    ("# Nodes: 3 Edges: 0\n1 2\n", "1: 2; 2: 1 | one_way 1", "note 1:0: 0 edges are announced, but there are 1"),
]

SNAP_DIRECTED = [
    ("0 1\n1 0\n1 2\n1 2\n1 1\n", "0: 1; 1: 0 2; 2: | loops 1 | duplicates 1", None),
    ("3 1 5\n3 1 6\n", "1:; 3: 1(5) | duplicates 1 | conflicts 1 | gaps 1", None),
]

DIMACS = [
    ("p sp 0 0\n", "", None),
    ("c text\n\np sp 3 2\nc\na 1 2 1\na 2 1 1\n", "1: 2; 2: 1; 3: | reversed 1", None),
    ("p sp 2 3\na 1 2 5\na 2 1 6\na 1 1 9\n", "1: 2(5); 2: 1(5) | loops 1 | conflicts 1 | reversed 1", None),
    ("p sp 2 1\na 1 2 -4", "1: 2(-4); 2: 1(-4) | one_way 1", None),
    ("", None, "1:0: no line \"p PROBLEM NODES EDGES\""),
    ("p tv 2 1\n1 2\n", None,
     "1:0: the first line that is not a comment must be \"p PROBLEM NODES EDGES\", with sp, edge, edges, col, tw, "
     "td, tdp, tww, cep or ds"),
    ("a 1 2 3\n", None,
     "1:0: the first line that is not a comment must be \"p PROBLEM NODES EDGES\", with sp, edge, edges, col, tw, "
     "td, tdp, tww, cep or ds"),
    ("p sp 2\n", None, "1:7: the line ends before the number of edges"),
    ("p sp 2 2\na 1 2 3\n", "1: 2(3); 2: 1(3) | one_way 1", "1:0: 2 edges are announced, but there are 1"),
    ("p sp 2 1\na 1 3 3\n", "1:; 2:", "2:5: a node 3, must be 1..2"),
    ("p sp 2 1\na 0 1 3\n", "1:; 2:", "2:3: a node 0, must be 1..2"),
    ("p sp 2 1\na 1 2\n", "1:; 2:", "2:6: the line ends before the weight"),
    ("p sp 2 1\na 1 2 3 4\n", "1:; 2:", "2:9: unexpected text after the line's numbers"),
    ("p sp 2 1\ne 1 2\n", "1:; 2:", "2:1: a line must begin with 'a' or 'c'"),
    ("p sp 2 1\np sp 2 1\n", "1:; 2:", "2:1: a line must begin with 'a' or 'c', there is one 'p' line"),
    ("p sp 999999999999 0\n", None, "1:0: 999999999999 nodes, far more than a text of 20 bytes has edges for"),
]

DIMACS_DIRECTED = [
    ("p sp 3 3\na 2 1 4\na 1 3 5\na 1 2 7\n", "1: 3(5) 2(7); 2: 1(4); 3:", None),
]

DIMACS_OTHERS = [
    ("c text\np edge 3 2\ne 2 1\ne 3 2\n", "1: 2; 2: 1 3; 3: 2 | one_way 2", None),
    ("p col 3 1\nn 1 5\ne 1 2\ne 2 1\nx y\n", "1: 2; 2: 1; 3: | reversed 1",
     "note 1:0: 1 edges are announced, but there are 2"),
    ("p edges 2 2\ne 1 2\n", "1: 2; 2: 1 | one_way 1", "1:0: 2 edges are announced, but there are 1"),
    ("p edge 2 1\ne 1 2 3\n", "1:; 2:", "2:7: unexpected text after the line's numbers"),
    ("p edge 2 1\na 1 2\n", "1:; 2:", "2:1: a line must begin with 'e' or 'c'"),
    ("p edge 2 1\ne 1 -2\n", "1:; 2:", "2:5: a node -2, must be 1..2"),
    ("p edge -1 0\n", None, "1:8: the number of nodes -1, must be >= 0"),
    ("c\np tw 3 3\n1 2\nc text\n\n3 2\n1 1", "1: 2; 2: 1 3; 3: 2 | loops 1 | one_way 2", None),
    ("p cep 2 1\n1 2\n", "1: 2; 2: 1 | one_way 1", None),
    ("p tw 2 1\n1 2\n2 1\n", "1: 2; 2: 1 | reversed 1", "1:0: 1 edges are announced, but there are 2"),
    ("p tw 2 1\n1 3\n", "1:; 2:", "2:3: a node 3, must be 1..2"),
    ("p tw 2 1\ne 1 2\n", "1:; 2:", "2:1: unexpected 'e', a node must be a decimal integer"),
    ("p tw 2 9999999999999999999\n", None,
     "1:8: a number of more than 18 digits, the number of edges must be a decimal integer"),
]

DUAL = [
    ("3\n1 2 3\n2 3 4\n4 5 6\n", "1: 2; 2: 1 3; 3: 2", None),
    ("% text\n2 1\n7 1 2 3\n% text\n0 3 4 5\n", "1[7]: 2; 2[0]: 1", None),
    ("2 2\n7 8 1 2 3\n9 10 3 4 5", "1[7][8]: 2; 2[9][10]: 1", None),
    ("0\n", "", None),
    ("", None, "1:0: the file has no header"),
    ("x\n", None, "1:1: unexpected 'x', the number of elements must be a decimal integer"),
    ("2\n1 2 3\n", "1:; 2:", "3:0: the file ends after 1 of 2 elements"),
    ("2\n1 2 3\n\n", "1:; 2:", "3:0: an element without nodes"),
    ("1\n1 2 3\n4 5 6\n", "1:", "3:0: data after the last element"),
    ("1\n1 0 3\n", "1:", "2:3: a node 0, must be >= 1"),
    ("1\n1 2 2\n", "1:", "2:0: a node occurs in its element more than once"),
    ("2 1\nx 1 2\n1 1 2\n", "1[1]:; 2[1]:", "2:1: unexpected 'x', a weight must be a decimal integer"),
    ("1\n1 2 % text\n", "1:", "2:5: unexpected '%', a node must be a decimal integer"),
    ("1000 5\n", None, "1:0: the header announces more elements than the file can hold"),
    ("1\n999999999999 1\n", None, "1:0: 999999999999 nodes, far more than a text of 17 bytes has edges for"),
]

SIDES = [
    ("3\n1 2 3\n2 3 4\n4 5 6\n", "1: 2; 2: 1; 3:", None),
    ("2\n1 2\n2 3 4 5\n", "1: 2; 2: 1", None),
]

NODAL = [
    ("2\n1 2 3\n3 5\n", "1: 2 3; 2: 1 3; 3: 1 2 5; 4:; 5: 3", None),
    ("1 1\n7 1 2\n", "1: 2; 2: 1 | values 1", None),
]

GRAPHMLS = [
    (GRAPHML("", ""), "", None),
    (GRAPHML("", NODES("") + EDGE("") + EDGE("") + "<edge source='7' target='7'/>"), "4: 7 7; 7: 4 4 7", None),
    (GRAPHML("", "<node id='0'/><node id='1'/>"), "0:; 1:", None),
    (GRAPHML("", "<node id='07'/><node id='7'/>"), "'07':; '7':", None),
    (GRAPHML("", "<edge source='b' target='a'/><node id='a'/><node id='b'/>"), "'b': 'a'; 'a': 'b'", None),
    (GRAPHML(KEY("k", "all", "weight"), NODES("<data key='k'> 3\n</data>") + EDGE("") +
     "<edge source='4' target='7'>" "<data key='k'>5</data></edge>"), "4[1]: 7(1) 7(5); 7[3]: 4(1) 4(5)", None),
    (GRAPHML("<key id='k' attr.name='weight'><default>2</default></key>" + KEY("m", "node", "weight2"),
     NODES("<data key='m'>-3</data>") + EDGE("")), "4[2][1]: 7(2); 7[2][-3]: 4(2)", None),
    (GRAPHML(KEY("k", "edge", "weight"), NODES("") + "<edge source='4' target='7'><data key='k'>.5</data></edge>"),
     "4: 7; 7: 4 | values 1", None),
    (GRAPHML(KEY("k", "node", "weight"), NODES("<data key='k'>1e3</data>")), "4[1]:; 7[1]: | values 1", None),
    (GRAPHML(KEY("k", "node", "name"), "<node id='1'><data key='k'>a <x>y</x>&lt;</data></node>"), "'a <':", None),
    (GRAPHML("", NODES("<data key='u'>5</data>")), "4:; 7:", None),
    ("", None, "1:0: no XML: no element found"),
    ("<graphml>\n<graph>", None, "2:0: no XML: no element found"),
    ("<graphml>\n<graph></graphml>", None, "2:0: no XML: mismatched tag"),
    ("<gexf/>", None, "1:0: the first element must be graphml"),
    ("<graphml/>", None, "1:0: there is no graph"),
    ("<!DOCTYPE graphml [<!ENTITY a 'b'>]>\n<graphml/>", None, "1:0: the file declares entities, which are not read"),
    ("<graphml><graph/>\n<graph/></graphml>", None, "2:0: a second graph"),
    (GRAPHML("", "\n<node/>"), None, "2:0: a node without an id"),
    (GRAPHML("", "<node id=''/>"), None, "1:0: a node without an id"),
    (GRAPHML("", NODES("<node id='8'/>")), None, "2:0: a node inside a node"),
    (GRAPHML("", NODES("<graph/>")), None, "2:0: a second graph"),
    (GRAPHML("", "<edge source='4'/>"), None, "1:0: an edge without source or target"),
    (GRAPHML("", "<edge source='' target='4'/>"), None, "1:0: an edge without source or target"),
    (GRAPHML("", "<hyperedge/>"), None, "1:0: a hyperedge"),
    ("<graphml><key for='node'/></graphml>", None, "1:0: the declaration of an attribute has no id"),
    (GRAPHML("", NODES("") + "<node id='4'/>"), "4:; 7:", "3:1: node '4' is there twice"),
    (GRAPHML("", NODES("") + "<edge source='4' target='8'/>"), "4: 8; 7:; 8: 4",
     "3:48: 1 nodes of edges are not there, the first is '8'"),
    (GRAPHML("", NODES("") + EDGE(" directed='true'")), "4: 7; 7: 4", "3:1: a directed edge in an undirected graph"),
    (GRAPHML(KEY("k", "node", "part"), NODES("<data key='k'>-1</data>")), "4:; 7:",
     "2:30: part -1, must be an integer from 0 on"),
    (GRAPHML(KEY("k", "node", "size"), NODES("<data key='k'>99999999999999999999</data>")), "4:; 7:",
     "2:48: size 99999999999999999999, must be an integer from 0 on"),
    (GRAPHML(KEY("k", "node", "x"), NODES("<data key='k'>1e999</data>")), "4:; 7:",
     "2:33: '1e999' is not a finite number"),
    (GRAPHML(KEY("k", "graph", "width"), NODES("") + "<data key='k'>3</data>"), "4:; 7:",
     "3:41: a grid of 3 x 0 x 0, but 2 nodes"),
]

GEXFS = [
    (GEXF("<nodes>" + NODES("") + "</nodes><edges>" + EDGE("") + "</edges>"), "4: 7; 7: 4", None),
    (GEXF(NODES("") + EDGE(" weight='3'") + EDGE("")), "4: 7(3) 7(1); 7: 4(3) 4(1)", None),
    (GEXF("<attributes class='node'><attribute id='0' title='weight'/></attributes><attributes class='edge'>"
     "<attribute id='0' title='weight'/></attributes>" + NODES("<attvalues><attvalue id='0' value='6'/>"
     "</attvalues>") + "<edge source='7' target='4'><attvalue for='0' value='5'/></edge>"),
     "4[1]: 7(5); 7[6]: 4(5)", None),
    (GEXF("<node id='5' label='a'/><node id='6' label='b'/>"), "'a':; 'b':", None),
    (GEXF("<node id='5' label='a'/><node id='6' label='a'/>"), "5:; 6:", None),
    (GEXF("<node id='5' label='a'/><node id='6'/>"), "5:; 6:", None),
    (GEXF("<node id='5' label='a'/><node id='6' label=''/>"), "5:; 6:", None),
    (GEXF(NODES("<attvalue value='5'/>")), "4:; 7:", "2:14: a value without an attribute"),
    ("<gexf><graph mode='dynamic'/></gexf>", None, "1:0: a graph that changes in time"),
]

GEXF_DIRECTED = [
    ("<gexf><graph defaultedgetype='directed'>" + NODES("") + EDGE("") + EDGE(" type='mutual'") + "</graph></gexf>",
     "4: 7 7; 7: 4", None),
]

PARHIP = [
    ("3 0 0 32", "", None),
    ("3 3 2 56 64 72 72  1 0", "0: 1; 1: 0; 2:", None),
    ("0 2 2 48 56 64  1 0  5 -6  7 7", "0[5]: 1(7); 1[-6]: 0(7)", None),
    ("63 2 2 .36 .40 .44 .1 .0", "0: 1; 1: 0", None),
    ("60 2 2 .36 .40 .44 .1 .0 .5 .-6 .7 .7", "0[5]: 1(7); 1[-6]: 0(7)", None),
    ("", None, "0:0: the file ends at byte 0, before the header"),
    ("3 2 .1", None, "0:0: the file ends at byte 20, before the header"),
    ("64 0 0 32", None, "0:0: no ParHIP graph: version 64"),
    ("3 -1 0 32", None, "0:0: -1 nodes and 0 neighbours are announced"),
    ("3 9223372036854775807 0 32", None, "0:0: 9223372036854775807 nodes and 0 neighbours are announced"),
    ("3 2 -2 48 48 48", None, "0:0: 2 nodes and -2 neighbours are announced"),
    ("3 576460752303423487 2 48", None, "0:0: the file ends at byte 32, before the last offset"),
    ("3 2 2 48 56 64 1", None, "0:0: the file ends at byte 56, before the last neighbour"),
    ("3 2 9999999999 48 56 64 1 0", None, "0:0: the offsets are of 2 neighbours, the header announces 9999999999"),
    ("3 2 2 48 56 56 1 0", None, "0:0: the offsets are of 1 neighbours, the header announces 2"),
    ("3 2 2 56 56 64 1 0", None, "0:0: offset 56 of node 0 is wrong"),
    ("3 2 2 48 44 64 1 0", None, "0:0: offset 44 of node 1 is wrong"),
    ("3 2 2 48 59 64 1 0", None, "0:0: offset 59 of node 1 is wrong"),
    ("3 2 2 48 64 56 1 0", None, "0:0: offset 56 of node 2 is wrong"),
    ("3 2 2 48 56 72 1 0", None, "0:0: offset 72 of node 2 is wrong"),
    ("3 2 2 48 56 64 1 2", None, "0:0: a neighbour 2, must be 0..1"),
    ("3 2 2 48 56 64 1 -1", None, "0:0: a neighbour -1, must be 0..1"),
    ("0 2 2 48 56 64 1 0 5 5 7", None, "0:0: the file ends at byte 88, before the last edge's weight"),
    ("2 2 2 48 56 64 1 0 7 1000000000000000000", None, "0:0: byte 72: a number of more than 18 digits"),
    ("3 2 2 48 56 64 1 0 7", "0: 1; 1: 0", "0:0: bytes after the graph"),
]

GALOIS = [
    ("1 0 0 0", "", None),
    ("1 0 3 2  1 2 2  .1 .0", "0: 1; 1: 0; 2: | reversed 1", None),
    ("1 4 2 3  2 3  .1 .0 .0 .99  .5 .6 .-7", "0: 1(5); 1: 0(5) | loops 1 | conflicts 1 | reversed 1", None),
    ("1 0 2 1  1 1  .1", "0: 1; 1: 0 | one_way 1", None),
    ("1 0 2 1  1 1  .1 .0", "0: 1; 1: 0 | one_way 1", None),
    ("2 8 2 1  1 1  1  -5", "0: 1(-5); 1: 0(-5) | one_way 1", None),
    ("2 8 2 1  1 1  1  99 -5", "0: 1(-5); 1: 0(-5) | one_way 1", None),
    ("2 4 2 3  3 3  1 1 1 .5 .6 .7", "0: 1(5); 1: 0(5) | duplicates 2 | conflicts 2 | one_way 1", None),
    ("2 4 2 3  3 3  1 1 1 99 .5 .6 .7", "0: 1(5); 1: 0(5) | duplicates 2 | conflicts 2 | one_way 1", None),
    ("2 4 2 1  1 1  1 99 .5", "0: 1(5); 1: 0(5) | one_way 1", None),
    ("2 0 2 1  1 1  1 0", "0: 1; 1: 0 | one_way 1", None),
    ("1", None, "0:0: the file ends at byte 8, before the header"),
    ("3 0 0 0", None, "0:0: no Galois graph: version 3, must be 1 or 2"),
    ("1 2 0 0", None, "0:0: 2 bytes of data per arc, must be 0, 4 or 8"),
    ("1 0 -1 0", None, "0:0: -1 nodes and 0 arcs are announced"),
    ("1 0 9223372036854775807 0", None, "0:0: the file ends at byte 32, before the end of the last row"),
    ("1 0 1 9223372036854775807 9223372036854775807 .0", None,
     "0:0: the file ends at byte 44, before the last target"),
    ("1 4 2 1  1 1  .1 .0", None, "0:0: the file ends at byte 56, before the last arc's data"),
    ("1 4 2 1  1 1  .1", None, "0:0: the file ends at byte 52, before the padding"),
    ("2 8 2 1  1 1  1  99 .5", None, "0:0: the file ends at byte 68, before the last arc's data"),
    ("1 0 2 2  1 1  .1 .0", None, "0:0: the rows have 1 arcs, the header announces 2"),
    ("1 0 2 2  2 1  .1 .0", None, "0:0: row 1 ends at 1, must be 2..2"),
    ("1 0 2 2  1 3  .1 .0", None, "0:0: row 1 ends at 3, must be 1..2"),
    ("1 0 2 2  1 2  .1 .2", None, "0:0: a target 2, must be 0..1"),
    ("1 0 2 2  1 2  .1 .4294967295", None, "0:0: a target 4294967295, must be 0..1"),
    ("1 0 2 2  1 2  .1 .0 .0", "0: 1; 1: 0 | reversed 1", "0:0: bytes after the graph"),
]

GALOIS_DIRECTED = [
    ("1 4 2 2  0 2  .0 .1 .5 .6", "0:; 1: 0(5) | loops 1", None),
]
