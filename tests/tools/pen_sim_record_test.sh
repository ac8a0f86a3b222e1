#!/bin/bash
# pen_sim_record_test.sh BIN - records that pen-sim generates and applications write, as pen-sim info reads them.
. "$(dirname "$0")/support.bash"

# says FILE SENTENCE: the record is whole, and that is what it says.
says() {
    "$bin/pen-sim" info "$1" >said 2>&1 || complain "$1: $(cat said)"
    grep -q -- "$2" said || complain "$1: no \"$2\": $(cat said)"
}

generate() { "$bin/pen-sim" generate "$@" --generate=hex:16x16 --ranks=4 --partitioner=block --steps=20 --period=10; }
for kind in hot-disc front walkers alternating hot-spot half noise; do
    generate $kind -o $kind.record || complain "generate $kind"
    says $kind.record "256 nodes, 705 edges"
    says $kind.record "^steps  *20;"
done
says hot-spot.record "recorded imbalance  *3\\.07" # 10 in 64 nodes, 1 in 192
says half.record "recorded imbalance  *1\\.81"
says alternating.record "load of all nodes  *1408 to 1408"
says walkers.record "load of all nodes  *416 to 416"
expect 0 0 pen-sim replay walkers.record --ranks=64 --balancer=none --columns=imbalance,worst --format=csv -o walks.csv
awk -F, 'NR == 2 && $(NF - 1) < 0.9 * $NF { walks = 1 } END { exit !walks }' walks.csv ||
    complain "walkers do not walk: $(cat walks.csv)"
generate walkers -o again.record
cmp -s walkers.record again.record || complain "the same walkers walk differently"
generate walkers --seed=2 -o again.record
cmp -s walkers.record again.record && complain "other walkers walk alike"
cp walkers.record 'w~1^2\3_4.record'
expect 0 0 pen-sim replay 'w~1^2\3_4.record' --format=latex
grep -qF 'Replay of w\~{}1\^{}2\textbackslash{}3\_4.record' out || complain "LaTeX: $(head -2 out)"
expect 0 0 pen-sim generate front --generate=geometric:nodes=200,coordinates --steps=5 -o places.record
says places.record "200 nodes"

# What an application records does not depend on its ranks but for the owners, nor on its balancer.
for ranks in 1 3; do
    expect 0 $ranks battlefield --generate=hex:16x16 --steps=30 --load=declared --quiet --record=b$ranks.record
    says b$ranks.record "^application  *battlefield, on $ranks ranks, loads declared"
done
expect 0 3 battlefield --generate=hex:16x16 --steps=30 --load=declared --quiet --balancer=diffusive \
    --balance-when=every:5:always --record=moved.record
for name in moved b3; do
    expect 0 0 pen-sim replay $name.record --record=$name.copy
done
[ "$(stat -c %s moved.copy)" = "$(stat -c %s b3.copy)" ] || complain "a balancer changes the record's size"
if command -v python3 >/dev/null; then
    for name in moved b3; do
        expect 0 0 pen-sim export $name.record -o $name.csv
        cut -d, -f1,2,4 $name.csv >$name.loads
    done
    [ "$(wc -l <b3.loads)" -eq 7681 ] && cmp moved.loads b3.loads || complain "a balancer changes the record"
else
    leave_out "no python3: export"
fi
expect 0 2 shock --generate=mesh:8x4 --steps=8 --quiet --record=shock.record
says shock.record "the graph changed [1-9][0-9]* times, [1-9][0-9]* births"
says shock.record "loads measured"

expect_mistake "unknown kind disc. Known: hot-disc, front, walkers" 0 pen-sim generate disc -o x.record
expect_mistake "give a kind and a file" 0 pen-sim generate half
expect_mistake "memory from -1 to 1" 0 pen-sim generate noise --memory=2 -o x.record
expect_mistake "must be WxH" 0 pen-sim generate half --generate=hex:x -o x.record
expect_mistake "nowhere/x" 0 pen-sim generate half -o nowhere/x
expect_mistake "this output cannot be standard output" 0 pen-sim generate half -o -
expect_mistake "this output cannot be standard output" 0 pen-sim replay half.record --record=-
[ ! -e - ] || complain "a record has the name -"
expect_mistake "nowhere/x" 2 hex --generate=hex:8x8 --steps=1 --quiet --record=nowhere/x
head -c 3000 shock.record >cut.record
expect_mistake "cut.record: byte 3000: the record is cut off" 0 pen-sim info cut.record
expect_mistake "not a workload record" 0 pen-sim info "$0"
[ -z "$(others_in | grep -E '^(x\.record|nowhere)$|\.unfinished-')" ] || complain "something is left behind"
finish
