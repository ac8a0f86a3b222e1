#!/bin/bash
# pen_graph_order_test.sh BIN - nodes numbered anew: the graph stays the same one, which the map proves; neighbours come
# near each other; what no order can do is refused.
. "$(dirname "$0")/support.bash"

pen() { "$bin/pen-graph" "$@" >out 2>err || complain "pen-graph $*: status $?, $(cat err)"; }

# The mean distance of neighbours' numbers.
span() { pen info "$1"; sed -n 's/^order.*mean arc span //p' out; }

less() { python3 -c "import sys; sys.exit(not $1 < $2)" || complain "$3: $1 is not less than $2"; }

# same OLD NEW MAP: NEW is OLD with its nodes renamed as MAP says, rows ascending, weights along.
same()
{
    python3 - "$@" <<'PYTHON' || complain "$2 is not $1 renamed"
import sys

def rows(name):
    lines = open(name).read().splitlines()
    weighted = lines[0].split()[2:3] in (["011"], ["11"])
    graph = []
    for line in lines[1:]:
        words = [int(w) for w in line.split()]
        load = words.pop(0) if weighted else 1
        graph.append((load, list(zip(words[0::2], words[1::2])) if weighted else [(w, 1) for w in words]))
    return graph

old, new = rows(sys.argv[1]), rows(sys.argv[2])
was = [int(line.split()[1]) for line in open(sys.argv[3]) if not line.startswith("#")]
number = {label: k + 1 for k, label in enumerate(was)}
assert sorted(was) == list(range(1, len(old) + 1)) and len(new) == len(old)
for k, label in enumerate(was):
    load, row = old[label - 1]
    assert new[k] == (load, sorted((number[to], weight) for to, weight in row)), k
PYTHON
}

pen make hex:30x22 -o hex.pen
pen convert hex.pen hex.graph --lossy
{ echo "4 4 011"; echo "7 2 5 4 1"; echo "1 1 5 3 2"; echo "2 2 2 4 9"; echo "3 1 1 3 9"; } >weighted.graph
for graph in hex weighted; do
    for order in rcm random natural; do
        pen order $graph.graph new.graph --by=$order --map=new.map
        same $graph.graph new.graph new.map
        cmp -s $graph.graph new.graph && [ $order = random ] && [ $graph = hex ] && complain "nothing is shuffled"
    done
done
pen order hex.graph far.graph --by=random --seed=5
pen order hex.graph again.graph --by=random --seed=5
cmp far.graph again.graph || complain "a seed has two orders"
pen order hex.graph again.graph --by=random --seed=6
cmp -s far.graph again.graph && complain "two seeds have one order"
pen order far.graph near.graph
pen check near.graph
less "$(span near.graph)" 30 "rcm"
less 150 "$(span far.graph)" "random"
pen info near.graph
grep -q '^order *bandwidth [0-9]*, profile [0-9]*, mean arc span [0-9.]*$' out || complain "info: $(grep '^order' out)"
pen info hex.graph
grep -q '^order *bandwidth 31, profile ' out || complain "info of 30 columns: $(grep '^order' out)"

# Ids and places go along; a grid is none any more, and its numbers come back by the natural order.
pen make hex:12x9,coordinates -o placed.pen
pen order placed.pen curve.pen --by=hilbert
less "$(span curve.pen)" 12 "hilbert"
pen order curve.pen rcm.pen
pen convert rcm.pen rcm.graph --lossy --coords-to=rcm.xyz
{ echo "# ids"; echo "900 20"; echo "20 7"; echo "7 900"; echo "7 31"; } >ids.txt
pen order ids.txt ids.grf --by=random --map=ids.map
pen order ids.grf back.grf --by=natural
pen order ids.txt first.grf --by=natural
cmp first.grf back.grf || complain "the natural order is not that of the ids: $(cat back.grf)"

# Real weights and a matrix's values go along to where they can be; elsewhere they are refused.
pen make hex:3x3 -o nine.pen
pen convert nine.pen nine.csv
awk -F, -v OFS=, 'NR == 1 { print "source,target,km"; next } { print $1, $2, $1 * 100 + $2 + 0.5 }' nine.csv >real.csv
pen order real.csv shuffled.csv --by=random
cmp -s real.csv shuffled.csv && complain "nothing is shuffled"
pen order real.csv shuffled.graphml --by=random
for file in shuffled.csv shuffled.graphml; do
    pen convert $file back.csv
    python3 - <<'PYTHON' || complain "other weights in $file: $(cat $file)"
rows = [sorted(line.strip().split(",")[2] for line in open(name)) for name in ("real.csv", "back.csv")]
assert rows[0][:-1] == rows[1][:-1] and len(rows[0]) > 10, rows
PYTHON
done
expect 2 0 pen-graph order real.csv none.graph
grep -q '16 values dropped' err || complain "no word of 16 values: $(cat err)"
[ ! -e none.graph ] || complain "none.graph was written"
expect 0 0 pen-graph order real.csv near.graph --lossy
printf '%%%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 5\n3 2 -7\n2 2 1\n' >whole.mtx
expect 2 0 pen-graph order whole.mtx near.mtx
grep -q '1 loops dropped' err || complain "no word of a loop: $(cat err)"
pen order whole.mtx near.mtx --lossy --by=natural
grep -q '1 loops dropped' err || complain "no word of a loop: $(cat err)"
sed -e 's/3 3 3/3 3 2/' -e '$d' whole.mtx | cmp - near.mtx || complain "other values: $(cat near.mtx)"

# Parts go along too.
pen make hex:4x1 -o four.pen
printf '0\n1\n2\n3\n' >four.part
pen convert four.pen four.graphml --part=four.part
pen order four.graphml shuffled.graphml --by=random --map=four.map
python3 - <<'PYTHON' || complain "parts stay behind: $(cat shuffled.graphml)"
import re

was = [int(line.split()[1]) for line in open("four.map") if not line.startswith("#")]
parts = [int(p) for p in re.findall('<data key="a0">(.*?)</data>', open("shuffled.graphml").read())]
assert parts == was != sorted(was), (parts, was)
PYTHON

expect_mistake "unknown order best. Known: rcm, hilbert, natural, random" 0 pen-graph order hex.graph new.pen --by=best
expect_mistake "the graph has no coordinates" 0 pen-graph order far.graph new.pen --by=hilbert
expect_mistake "placed.pen: format metis cannot hold this: coordinates" 0 pen-graph order placed.pen none.graph
[ ! -e none.graph ] || complain "none.graph was written"
expect 0 0 pen-graph order placed.pen none.graph --lossy --map=none.map
grep -q '^pen-graph: placed.pen: dropped: .*coordinates' err || complain "--lossy drops in silence: $(cat err)"
expect 0 0 pen-graph check none.graph
printf 'source,target\nbob,amy\namy,zoe\n' >names.csv
expect_mistake "names.csv: nodes have names, and --map is for numbers" 0 pen-graph order names.csv none.csv \
    --map=names.map
[ ! -e none.csv ] && [ ! -e names.map ] || complain "order writes numbers of names"
expect 0 0 pen-graph order names.csv ordered.csv

# Runs of the same graph in any order.
for order in auto natural rcm; do
    expect 0 2 hex --graph=far.graph --steps=5 --order=$order --migrate-random=3:0.2 --verify
done
expect 0 2 hex --generate=hex:20x20 --steps=5 --order=hilbert --metrics=m.json
python3 -c "
import json
ranks = json.load(open('m.json'))['per_rank']
assert all(r['order'] == 'hilbert' and 0 < r['arc_span'] < 40 and r['arc_span_natural'] > 5 for r in ranks), ranks" ||
    complain "metrics do not tell the order"
grep -q '^order  *hilbert on 2 ranks; neighbours are ' out || complain "the summary does not tell the order: $(cat out)"
expect_mistake "--order=rmc: must be auto, natural, rcm or hilbert" 2 hex --order=rmc
finish
