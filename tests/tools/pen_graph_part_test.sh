#!/bin/bash
# pen_graph_part_test.sh PEN-GRAPH LIBRARY-TEST PLUG-INS - make and part as a user runs them. Silent on success.
pen_graph=$1
library_test=$2
plugins=$3
. "$(dirname "$0")/support.bash" "$(dirname "$1")"

fail() { printf '%s\n' "$*" >&2; failures=$((failures + 1)); }

# run ARGUMENT...: must end with 0; standard output in "out"
run() { "$pen_graph" "$@" >out 2>err || fail "pen-graph $*: status $?: $(cat err)"; }

# refuse TEXT ARGUMENT...: must end with 2, say TEXT in one line, and leave no file "new*"
refuse() {
    local text=$1 status
    shift
    "$pen_graph" "$@" >out 2>err
    status=$?
    [ $status -eq 2 ] || fail "pen-graph $*: status $status, expected 2"
    grep -qF -- "$text" err || fail "pen-graph $*: said \"$(cat err)\", without \"$text\""
    [ "$(wc -l <err)" -eq 1 ] || fail "pen-graph $*: $(wc -l <err) lines of errors: $(cat err)"
    compgen -G 'new*' >/dev/null && fail "pen-graph $*: left $(echo new*)"
}

equal() { [ "$1" = "$2" ] || fail "$3: $1, expected $2"; }

# ---- make: every kind, to text and to the binary format, is what the library generates
specs=(hex:7x5 mesh:4x3x2 torus:5x4 tree:nodes=20,arity=3 random:nodes=50,degree=4,seed=7 geometric:nodes=60,seed=3
       rmat:scale=6,factor=4)
pairs=()
for i in "${!specs[@]}"; do
    run make "${specs[$i]}" -o "made$i.graph"
    pairs+=("${specs[$i]}" "made$i.graph")
done
[ "$("$pen_graph" make --list | grep -c '^[a-z]')" -eq ${#specs[@]} ] ||
    fail "make --list has other kinds than this test"
run make hex 7x5 coordinates -o made.pen
run make mesh:4x3x2 -o plain.pen
"$library_test" "${pairs[@]}" hex:7x5,coordinates made.pen mesh:4x3x2 plain.pen || fail "make differs from the library"
run make hex:7x5 -o made.grf --coords-to=made.xyz
run convert made.grf back.graph
cmp -s back.graph made0.graph || fail "hex:7x5 through Scotch's format differs"
equal "$(wc -l <made.xyz)" 35 "lines of made.xyz"
equal "$(sed -n 9p made.xyz | cut -d' ' -f1)" 1.5 "x of node 9, in an odd row"
refuse "unknown generator hexx: did you mean hex" make hexx:3x3 -o new.graph
refuse "coordinates; --coords-to=FILE" make hex:3x3,coordinates -o new.graph
refuse "give the output" make hex:3x3
refuse "unknown file ending" make hex:3x3 -o new.unknown
refuse "-o: the file's name is missing" make hex:3x3 -o

# ---- part: the file is METIS's or Scotch's, and the numbers are right
run make geometric:nodes=500,degree=7,coordinates -o g.pen
run convert g.pen g.graph --lossy
run part g.graph 5
mv out table
equal "$(wc -l <g.graph.part.5)" 500 "lines of g.graph.part.5"
equal "$(sort -u g.graph.part.5 | tr '\n' ' ')" "0 1 2 3 4 " "parts in g.graph.part.5"
set -- $(awk 'NR == FNR { part[FNR] = $1; size[$1]++; next }
              FNR > 1 { for (i = 1; i <= NF; i++) if (part[$i] != part[FNR - 1]) {
                            cut++
                            if (!(($i, part[FNR - 1]) in seen)) { seen[$i, part[FNR - 1]]; volume[part[FNR - 1]]++ } } }
              END { for (p in size) { if (size[p] > most) most = size[p]; if (volume[p] > wide) wide = volume[p] }
                    printf "%d %.4f %d", cut / 2, most / (500 / 5), wide }' g.graph.part.5 g.graph)
set -- "$@" $(sed -n 2p table)
equal "$5" "$1" "cut"
equal "$6" "$2" "imbalance"
equal "$7" 1.0000 "bound"
equal "$8" "$3" "max volume"
run part g.pen 5 -o g.map
equal "$(head -1 g.map)" 500 "first line of g.map"
equal "$(tail -n +2 g.map | sort -n | cut -f2 | md5sum)" "$(md5sum <g.graph.part.5)" "parts in g.map"
run part g.pen 5 --to=scotch -o g.as_scotch
cmp -s g.map g.as_scotch || fail "--to=scotch differs from .map"
run convert g.pen packed.pen.gz
run part packed.pen.gz 5 -o packed.map
cmp -s g.map packed.map || fail "part of a compressed file differs"
run part --from=penumbra - 5 -o piped.map <g.pen
cmp -s g.map piped.map || fail "part of standard input differs"
run part g.graph 5 --partitioner=file:g.graph.part.5 -o again
cmp -s again g.graph.part.5 || fail "partitioner file does not read what part writes"
run part g.graph 1
equal "$(sort -u g.graph.part.1)" 0 "the only part"
run part g.graph 700 -o many
equal "$(sort -u many | wc -l)" 500 "parts with nodes"
run part g.graph 5 --compare
for name in $("$pen_graph" part --list=partitioners | grep -o '^[a-z]*'); do
    case $name in file | diffusive) lines=0 ;; *) lines=1 ;; esac # they need a path, or a rank for each part
    equal "$(grep -c "^$name " out)" $lines "lines about $name"
done
equal "$(sed -n 2p out | cut -c1-80)" "$(sed -n 2p table | cut -c1-80)" "--compare and part about metis"
grep -q '^rcb  *- partitioner rcb: the graph has no coordinates' out || fail "--compare says of rcb: $(grep ^rcb out)"
for name in rcb sfc; do
    run part g.pen 5 --partitioner=$name -o places
    equal "$(awk '/^[rs]/ { print NF, ($2 > 0), ($3 < 1.03) }' out)" "7 1 1" "numbers about $name"
done
cp "$plugins/strips.so" .
run part g.pen 5 --compare --partitioner=./strips.so:bins=100 --partitioner=rcb --partitioner=file \
    --partitioner=row:width=2,height=250 -o table.csv
equal "$(tail -3 out | awk 'NR != 2 { print NF, $1, $3 < 1.2 }')" "7 ./strips.so:bins=100 1
7 row:width=2,height=250 1" "--compare and what is named"
grep -q '^file  *- partitioner file needs a path' out || fail "--compare does not say why file cannot: $(cat out)"
cat >rows.py <<'EOF'
import csv
rows = list(csv.DictReader(open("table.csv")))
print(len(rows), *[(r["partitioner"], r["problem"] == "") for r in rows[-3:]], *list(rows[0].values())[:3])
EOF
equal "$(python3 rows.py)" "$(($(wc -l <out) - 1)) ('./strips.so:bins=100', True) ('file', False) \
('row:width=2,height=250', True) $(sed -n 2p out | awk '{ printf "%s %s %g", $1, $2, $3 }')" "the table and its CSV"
refuse "several partitioners need --compare" part g.graph 3 --partitioner=metis --partitioner=block -o new
run part g.pen 5 --compare --partitioner=rcb
equal "$(grep -c ^rcb out)" 1 "lines about rcb"
refuse "the path of a plug-in has a slash: did you mean ./strips.so?" part g.pen 5 --partitioner=strips.so -o new
refuse "rank 0: node 0 gets part 5, must be 0..4" part g.pen 5 --partitioner="$plugins/wrong_balancer.so:range" -o new
refuse "0\" parts, must be a number from 1" part g.graph 0 -o new
refuse "part: 2147483647 parts of " part g.graph 2147483647 -o new
refuse "give a graph and the number of parts" part g.graph
refuse "cannot read /dev/zero: it is a device" convert g.graph new.pen --coords=/dev/zero
refuse "unknown partitioner mets: did you mean metis" part g.graph 3 --partitioner=mets -o new
for format in metis scotch mm; do # a file that cannot be read has no other fault
    refuse "cannot read /proc/self/mem: Input/output error" check /proc/self/mem --from=$format
done
refuse "cannot read nowhere/g.graph" part nowhere/g.graph 3 -o new
refuse "must end in .csv" part g.graph 3 --compare -o new
refuse "-o FILE" part - 3 --from=metis
if command -v gmtst >/dev/null; then
    run convert g.pen g.grf --lossy
    equal "$(tail -n +2 g.map | cut -f1 | sort -n | head -1)" "$(sed -n 3p g.grf | cut -f1)" "first node of g.map"
    echo cmplt 5 >five.tgt
    equal "$(gmtst g.grf five.tgt g.map 2>&1 | sed -n 's/.*CommCutSz=.*(\(.*\))/\1/p')" "$1" "gmtst's cut of g.map"
else
    echo "skipped: no gmtst as a witness" >&2
fi

# ---- Machines: info says what there is, and what a partition is on them
printf '%s\n' 'processors 6' 'cluster fast 4 speed=3' 'cluster slow 2 cost=2' 'link fast slow cost=30,latency=5' \
    >lab.machine
run info lab.machine
cat >expected <<'EOF'
machine      lab.machine
processors   6
speed        min 1, max 3, mean 2.33333, total 14
clusters     2
  fast       processors 0-3       speed 3, links within: cost 1, latency 0
  slow       processors 4-5       speed 1, links within: cost 2, latency 0
between      cost min 30, max 30, mean 30; latency min 5, max 5, mean 5
cost            fast    slow
  fast             1      30
  slow            30       2
latency         fast    slow
  fast             0       5
  slow             5       0
farthest     cost 30, from processor 0 to 4
EOF
diff expected out >&2 || fail "info lab.machine differs"
run info --machine=./lab.machine --parts=3
equal "$(sed -n '2p;4,$p' out | tr '\n' ';')" "processors   3;clusters     1;  fast       processors 0-2      \
 speed 3, links within: cost 1, latency 0;farthest     cost 1, from processor 0 to 2;" "a machine's first processors"
run info --machine=torus:4x3,cost=2,speeds=1:2:3
equal "$(sed -n '2,5p' out | tr '\n' ';')" "processors   12;speed        min 1, max 3, mean 2, total 24;\
clusters     12, one processor each;between      cost min 2, max 6, mean 3.63636; latency min 0, max 0, mean 0;" torus
equal "$(tail -1 out)" "farthest     cost 6, from processor 0 to 6" "the diameter of a torus"
run info --machine=hypercube:13
equal "$(tail -2 out | tr '\n' ';')" "between      cost min 1, max 13, mean 6.50079; latency min 0, max 0, mean 0, \
from a sample of clusters to all;farthest     cost 13, from processor 0 to 8191;" "a large hypercube"
echo mesh2D 3 2 >mesh.tgt
run info mesh.tgt
equal "$(sed -n 2p out) $(tail -1 out)" "processors   6 farthest     cost 3, from processor 0 to 5" "Scotch's mesh"
printf '%s\n' '3 2' 2 '1 3' 2 >path.graph
printf '%s\n' 0 0 4 >path.part
run info path.graph --part=path.part --machine=lab.machine --parts=6
grep -q '^partition    path.part, 6 parts: cut 1, dilation 30, estimated step 36, imbalance 4.6667 (bound 1.5556), ' \
    out || fail "a partition on a machine: $(grep ^partition out)"
grep -q '^time         min 0, max 1, mean 0.277778, of load / speed' out || fail "times: $(grep ^time out)"
equal "$(sed -n '/^ *part /,/^comp/p' out | sed '1d;$d' | awk '{ print $2, $3, $4, $5 }' | tr '\n' ';')" \
    "2 2 3 0.666667;0 0 3 0;0 0 3 0;0 0 3 0;1 1 1 1;0 0 1 0;" "loads and times of the parts"
run info path.graph --part=path.part
grep -q '^partition    path.part, 5 parts: cut 1, imbalance 3.3333 (bound 1.6667), max volume 1, extra pieces 0$' \
    out || fail "a partition without a machine: $(grep ^partition out)"
printf '%s\n' '1 2' '2 1' '2 3' '3 2' >arcs.txt
run info arcs.txt --directed --part=path.part --machine=flat,cost=3
grep -q '^partition    path.part, 5 parts: cut 2, dilation 6, estimated step 5,' out ||
    fail "a directed graph's partition: $(grep ^partition out)"
refuse "missing FILE" info
refuse "names of earlier lines, found \"c\"" info --machine=<(printf 'processors 1\ncluster a 1\nlink a c\n')
refuse "unknown machine torsu: did you mean torus?" info --machine=torsu:3
refuse "it gives no number of processors" info --machine=clusters:3
refuse "3 processors, fewer than parts, 5" info path.graph --part=path.part --machine=flat:3
refuse "no.machine: cannot read: No such file" info no.machine
refuse "--part=path.part needs a graph" info --part=path.part --machine=flat:3
refuse "--parts=3 needs a machine" info path.graph --parts=3
refuse "--parts=0" info --machine=flat:3 --parts=0
refuse "--json needs a machine, and no graph" info path.graph --machine=flat:3 --json
run info lab.machine --json
! command -v python3 >/dev/null || python3 - <<'EOF' || fail "lab.machine in JSON: $(cat out)"
import json
m = json.load(open("out"))
assert (m["kind"], m["sizes"], m["links"]) == ("table", [], [])
assert (m["between"][0][1], m["between"][1][0]) == ([30, 5], [30, 5])
assert m["speeds"] == [3, 3, 3, 3, 1, 1]
assert m["clusters"] == [{"name": "fast", "text": "processors 0-3", "inner": [1, 0], "processors": [0, 1, 2, 3]},
                         {"name": "slow", "text": "processors 4-5", "inner": [2, 0], "processors": [4, 5]}]
EOF

[ $failures -eq 0 ]
