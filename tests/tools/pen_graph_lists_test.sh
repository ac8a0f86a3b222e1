#!/bin/bash
# pen-graph convert of lists of edges: weights of edges that occur more than once, real weights beside the graph, arcs
# turned round, names; against a few lines of Python. Usage: pen_graph_lists_test.sh PEN-GRAPH; silent on success.
tool=$1
. "$(dirname "$0")/support.bash" "$(dirname "$1")"
PATH=/usr/bin:$PATH # a Python that has NumPy, started many times

is() { [ "$(cat "$1")" = "$(printf "$2")" ] || { complain "not so: $1 is $2"; cat "$1" >&2; }; }

# ---- The four rules, directed and undirected, integers and reals, against Python
cat > rules.py << 'END'
import csv, random, struct, subprocess, sys
tool = sys.argv[1]

def merged(arcs, rule, directed):
    """The weight of every pair of nodes (from, to) with an edge."""
    lists = {}
    for a, b, w in arcs:
        if a != b: lists.setdefault((a, b), []).append(w)
    pick = {"first": lambda l: l[0], "min": min, "max": max, "sum": sum}[rule]
    one = {pair: pick(l) for pair, l in lists.items()}
    if directed: return one
    both = {"first": None, "min": min, "max": max, "sum": max}[rule]
    edges = {}
    for a, b, w in arcs:
        if a == b or (a, b) in edges: continue
        other = one.get((b, a), one[a, b])
        edges[a, b] = edges[b, a] = both(one[a, b], other) if both else one[a, b]
    return edges

def array(path):
    """A file of NumPy's with doubles, as Python's struct reads it."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x93NUMPY\1\0", data[:8]
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    assert begin % 64 == 0
    header = eval(data[10:begin])
    assert header["descr"] == "<f8" and not header["fortran_order"]
    values = struct.unpack("<%dd" % header["shape"][0], data[begin:])
    return list(values)

random.seed(5)
for round in range(24):
    rule = ["first", "min", "max", "sum"][round % 4]
    directed, real, named = round // 4 % 2 == 0, round // 8 % 2 == 0, round >= 16
    name = (lambda i: "n%d,\"x" % i) if named else (lambda i: str(5 * i))
    arcs = [(random.randrange(9), random.randrange(9), random.randrange(1, 6) * (0.25 if real else 1))
            for _ in range(60)]
    with open("list.csv", "w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["source", "target", "time", "weight"])
        rows.writerows([name(a), name(b), 7, w] for a, b, w in arcs)
    flags = ["--weights=" + rule, "--lossy", "--quiet"] + (["--directed"] if directed else [])
    wanted = merged(arcs, rule, directed)
    subprocess.run([tool, "convert", "list.csv", "out.csv", "--values-to=v.csv"] + flags, check=True,
                   stderr=subprocess.DEVNULL)
    got = {}
    for row in csv.DictReader(open("out.csv", newline="")):
        got[row["source"], row["target"]] = float(row["weight"])
        if not directed: got[row["target"], row["source"]] = float(row["weight"])
    assert got == {(name(a), name(b)): w for (a, b), w in wanted.items()}, (rule, directed, arcs, got)
    if round % 3: continue
    # Of a binary graph: rows ascend. Names have numbers in the order in which they appear, ids in their own.
    names = list(dict.fromkeys(e for a, b, _ in arcs for e in (a, b)))
    if not named: names.sort()
    number = {i: k for k, i in enumerate(names)}
    subprocess.run([tool, "convert", "list.csv", "out.pen", "--values-to=v.npy", "--ids-to=ids.csv"] + flags,
                   check=True, stderr=subprocess.DEVNULL)
    order = sorted(wanted, key=lambda pair: (number[pair[0]], number[pair[1]]))
    assert array("v.npy") == [wanted[pair] for pair in order], (rule, directed)
    subprocess.run([tool, "convert", "list.csv", "out.pen", "--values-to=v.csv"] + flags, check=True,
                   stderr=subprocess.DEVNULL)
    rows = {(int(r["source"]), int(r["target"])): float(r["value"]) for r in csv.DictReader(open("v.csv", newline=""))}
    gid = (lambda i: number[i]) if named else (lambda i: 5 * i)
    assert rows == {(gid(a), gid(b)): w for (a, b), w in wanted.items()}, (rule, directed, rows)
    ids = [row for row in csv.reader(open("ids.csv", newline=""))]
    assert ids == [["gid", "id"]] + [[str(k) if named else name(i), name(i)] for k, i in enumerate(names)], ids
END
python3 rules.py "$tool" || complain "not so: rules.py"

# ---- What is said of weights that differ; what is chosen is no loss
printf '0 1 2\n1 2 5\n0 1 3\n0 1 3\n' > twice.el
status 2 "$tool" convert twice.el twice.graph
says '2 weights dropped that differ from the first weight of the same edge$'
for rule in first:2 min:2 max:3 sum:8; do
    status 0 "$tool" convert --weights=${rule%:*} twice.el twice.graph
    is twice.graph "3 2 1\n2 ${rule#*:}\n1 ${rule#*:} 3 5\n2 5\n"
done
status 2 "$tool" convert --weights=sun twice.el other.graph
says 'did you mean sum'
status 2 "$tool" convert --from=snap --weights=sum - other.graph < /dev/null
says 'a graph without nodes$'
status 2 "$tool" order --from=snap - other.graph < /dev/null
says 'a graph without nodes$'
printf '0 1 2\n1 0 7\n' > both.el # directions are lost after the weights were read
status 0 "$tool" convert --directed --lossy --weights=max both.el both.grf
status 0 "$tool" convert both.grf both.graph
is both.graph '2 1 1\n2 7\n1 7\n'
status 0 "$tool" convert --directed both.el both.pen
status 0 "$tool" convert --lossy --weights=max both.pen both.chaco
status 0 "$tool" convert both.chaco both.graph
is both.graph '2 1 1\n2 7\n1 7\n'
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 2 1.5\n2 1 1.5\n1 2 .25\n' > m.mtx
status 0 "$tool" convert m.mtx m.graph --weights=sum --values-to=m.csv
is m.csv 'source,target,value\n0,1,1.75\n1,0,1.75\n'
status 0 "$tool" convert m.mtx m.csv --weights=sum
is m.csv 'source,target,weight\n1,2,1.75\n'
printf '%%%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1 2\n' > c.mtx
status 2 "$tool" convert c.mtx c.graph --values-to=c.csv
says 'there are no weights that an edge can have'
[ -e c.csv ] || [ -e c.graph ] && complain "not so: no c.csv, no c.graph"
status 2 "$tool" convert c.mtx c.csv
says '1 values dropped'
status 0 "$tool" convert c.mtx c.csv --lossy
is c.csv 'source,target\n1,2\n'
printf '4 2 1\n3 5\n\n1 5 4 5\n3 5\n' > lone.graph
for option in ids-to values-to coords-to map; do
    status 2 "$tool" convert lone.graph lone.el --lossy --$option=lone.csv
    says 'format snap cannot hold isolated nodes, so the files'
    [ -e lone.csv ] || [ -e lone.el ] && complain "not so: no lone.csv, no lone.el"
done
printf '2 1 1\n2 7\n1 7\n' > seven.graph
status 0 "$tool" convert seven.graph seven.el --values-to=seven.csv
is seven.csv 'source,target,value\n0,1,7\n1,0,7\n'
status 2 "$tool" convert seven.graph x.el --values-to=x.txt
says 'the name ends in .csv or .npy'
printf '2 1\n2\n1\n' > plain.graph
status 2 "$tool" convert plain.graph plain.el --values-to=plain.npy
says 'there are no weights that an edge can have'
[ -e plain.npy ] && complain "not so: no plain.npy"

# ---- An arc "0 1" says that node 0 reads node 1; PageRank wants links turned round
printf '0 1\n0 2\n2 1\n' > links.el
status 0 "$tool" convert --directed links.el links.graph
is links.graph '3 3\n2 3\n\n2\n'
status 0 "$tool" convert --directed --transpose links.el links.graph
is links.graph '3 3\n\n1 3\n1\n'
printf '0 2 1.5\n1 0 2\n2 1 3\n' > round.el
for weights in 'whole.el 4' 'round.el 1.5'; do
    sed "s/1.5/${weights#* }/" round.el > turning; mv turning ${weights% *}
    status 0 "$tool" convert --directed --transpose ${weights% *} turned.csv
    is turned.csv "source,target,weight\n0,1,2\n1,2,3\n2,0,${weights#* }\n"
done
status 0 "$tool" convert --directed --transpose whole.el turned.graph
is turned.graph '3 3 1\n2 2\n3 3\n1 4\n'
status 0 "$tool" convert --transpose links.el back.graph
says 'the graph is undirected, --transpose changes nothing'

# ---- Names are refused by formats of numbers, unless they are written down
printf 'source,target,when\nb,a,1\nc,b,2\n' > names.csv
status 2 "$tool" convert names.csv names.graph
says 'format metis cannot hold this: names of nodes; --lossy converts without, --ids-to=FILE writes them'
[ -e names.graph ] && complain "not so: no names.graph"
status 0 "$tool" convert names.csv names.graph --ids-to=names.ids
says 'names.csv: the weights are in column when$'
is names.ids 'gid,id\n0,b\n1,a\n2,c\n'
is names.graph '3 2 1\n2 1 3 2\n1 1\n1 2\n'
status 2 "$tool" convert names.csv names.pen --map=names.map
says 'nodes have names, and --map is for numbers'
status 0 "$tool" convert --weight-column= names.csv names.graph --ids-to=names.ids
says 'names.csv: columns ignored: when$'
is names.graph '3 2\n2 3\n1\n1\n'
printf 'source,target,time\nb,a,1\n' > time.csv
status 0 "$tool" convert time.csv time.graph --lossy
says 'time.csv: columns ignored: time (a time)$'
printf 'source,target\n01067,1067\n0,01067\n' > zip.csv
status 0 "$tool" convert zip.csv zip.graph --ids-to=zip.ids
is zip.ids 'gid,id\n0,01067\n1,1067\n2,0\n'
status 2 "$tool" convert --weight-column=mass names.csv other.graph --lossy
says "there is no column 'mass'"
printf 'weight,height\n1,2\n' > nodes.csv
status 2 "$tool" check nodes.csv
says "the weights' column 'weight' has nodes"

# ---- The same with tabs, in tables and lists
printf 'from\t"to"\tkm\nb 1\tc,2\t1.5\nc,2\t"a\t3"\t2\n' > tabs.tsv
status 0 "$tool" convert tabs.tsv tabs.csv
is tabs.csv 'source,target,weight\nb 1,"c,2",1.5\n"c,2","a\t3",2\n'
status 0 "$tool" convert tabs.csv again.tsv
is again.tsv 'source\ttarget\tweight\nb 1\t"c,2"\t1.5\n"c,2"\t"a\t3"\t2\n'
status 2 "$tool" convert --from=tsv tabs.csv other.csv
says 'names one column, there must be two, separated by a tab'
printf '# a list\n10\tbob\nbob  010\nbob\tq-7\n' > named.el
status 0 "$tool" convert named.el named.graph --ids-to=named.ids
is named.ids 'gid,id\n0,10\n1,bob\n2,q-7\n'
is named.graph '3 2\n2\n1 3\n2\n'
status 2 "$tool" convert named.el other.el
says 'format snap cannot hold this: names of nodes'

# ---- Real weights become integers
printf '0 1 .5\n1 2 -0.2345\n2 0 3\n' > real.el
status 0 "$tool" convert --directed --scale=1000 real.el real.csv
says '^pen-graph: real.el: scaled weights are rounded, by at most 0.5$'
is real.csv 'source,target,weight\n0,1,500\n1,2,-235\n2,0,3000\n'
status 0 "$tool" convert --directed --scale=1e4 real.el real.csv
[ ! -s said ] || complain "not so: nothing is rounded"
status 2 "$tool" convert --scale=10 real.el real.graph
says 'edge weights below 1'
printf '0 1 9007199254740992\n' > large.el
status 0 "$tool" convert --scale=1 large.el large.csv
is large.csv 'source,target,weight\n0,1,9007199254740992\n'
status 2 "$tool" convert --scale=1.1 large.el other.csv
says 'weight 9.0072e+15 times 1.1 is beyond'
status 2 "$tool" convert --scale=3 links.el other.csv
says 'there are no weights that an edge can have'
for wrong in 0 -1 nan inf 1e999 x ''; do
    status 2 "$tool" convert --scale=$wrong real.el other.csv
    says '^pen-graph: --scale=.*must be a number > 0$'
done
status 2 "$tool" convert --scale=3 --values-to=v.csv real.el other.csv
says 'give one of both'
[ -e other.csv ] || [ -e other.el ] && complain "not so: no other.csv, no other.el"

# ---- Numbers that nodes have in a run survive where they can, and where not, it is said
printf '5 6\n6 7\n' > five.el
for ending in pen grf el csv; do
    status 0 "$tool" convert five.el five.$ending.pen
    status 0 "$tool" convert five.$ending.pen five.$ending
    status 0 "$tool" convert five.$ending again.pen
    cmp -s five.$ending.pen again.pen || complain "not so: ids from 5 on survive .$ending"
done
printf '5 6\n6 8\n' > gap.el
for ending in graph gr mtx; do
    status 0 "$tool" convert five.el five.$ending
    says 'dropped: labels$'
    status 2 "$tool" convert gap.el gap.$ending
    says 'cannot hold this: labels'
done
printf '4 3\n2\n1 3\n2 4\n3\n' > path.graph
status 0 "$tool" convert path.graph path.pen
for ending in el csv; do
    status 0 "$tool" convert path.pen path.$ending
    status 0 "$tool" convert path.$ending again.pen
    cmp -s path.pen again.pen || complain "not so: ids from 0 on survive .$ending"
done
printf '1 2\n2 3\n' > one.el
status 0 "$tool" convert one.el one.pen
says 'ids from 1 on become gids from 0 on$'
status 0 "$tool" make hex:9x7 -o hex.pen
for ending in graph chaco grf mtx gr el csv; do
    status 0 "$tool" convert hex.pen hex.$ending
    says 'dropped: .*width and height of the grid'
done
[ -z "$(ls | grep unfinished | grep -v 0123456789abcdef)" ] || complain "not so: nothing unfinished is left"

finish
