#!/bin/bash
# pen_graph.sh - converting and checking a large Chaco file with pen-graph, against Scotch's gcv.
#
#     pen_graph.sh BUILD/bin [PAIRS [WxH]]      default 11 pairs, 1000x1000
#
# Each round runs gcv and pen-graph one after the other, each way; prints the median (minimum, maximum) of the times
# and of the ratios within a round. Processor time (user and system) is told beside the wall clock, which on a busy
# machine says little. Then edge lists of 500 000 edges, ids with gaps and in no order, without and with weights, to
# Chaco's format: times, and with GNU time memory, beyond that of a list of one edge.
. "$(dirname "$0")/bench.bash"
tool=$bin/pen-graph pairs=${2:-11} size=${3:-1000x1000}
cd "$work"
command -v gcv > /dev/null || { echo "gcv is needed" >&2; exit 1; }
"$tool" make "hex:$size" -o hex.graph || exit 1
bytes=$(wc -c < hex.graph)

# measure COMMAND...: "wall cpu"
measure()
{
    local TIMEFORMAT='%R %U %S'
    { time "$@" > /dev/null 2> errors; } 2>&1 | awk '{ print $1, $2 + $3 }'
    cat errors >&2
}

for i in $(seq "$pairs"); do
    echo "$(measure gcv -ic -os hex.graph theirs.grf) $(measure "$tool" convert hex.graph ours.grf)" \
         "$(measure gcv -is -oc ours.grf theirs.graph) $(measure "$tool" convert ours.grf ours.graph)" \
         "$(measure "$tool" check hex.graph)"
done > times
diff -q <(tr -s ' \t' ' ' < ours.grf) <(tr -s ' \t' ' ' < theirs.grf | sed 's/ $//') > /dev/null ||
    echo "WRONG: .grf differs"
cmp -s hex.graph ours.graph || echo "WRONG: .graph differs"
diff -q <(tail -n +2 ours.graph) <(tail -n +2 theirs.graph | tr -s ' \t' ' ' | sed 's/ $//') > /dev/null ||
    echo "WRONG: .graph differs from gcv's"

echo "$(setting), hex $size, $bytes bytes, $pairs pairs"
column() { awk -v a="$1" '{ print $a }' times; }
ratio() { awk -v a="$1" -v b="$2" '{ print $a / $b }' times; }
for k in 1 2; do
    kind=$([ $k = 1 ] && echo wall || echo processor)
    column $k | summary "gcv to Scotch, $kind s"
    ratio $((k + 2)) $k | summary "pen-graph to Scotch, ratio"
    column $((k + 4)) | summary "gcv from Scotch, $kind s"
    ratio $((k + 6)) $((k + 4)) | summary "pen-graph from Scotch, ratio"
    awk -v a=$((k + 8)) -v b="$bytes" '{ print b / $a / 1e6 }' times | summary "check, MB per $kind s"
done

echo "1 2" > one.el
awk 'BEGIN { srand(1)
    while (count < 500000) {
        u = int(rand() * 100000) * 3; v = int(rand() * 100000) * 3; low = u < v ? u : v; high = u + v - low
        if (u == v || ((low, high) in seen)) continue
        seen[low, high]; count++
        print u "\t" v > "list.el"; print u "\t" v "\t" 1 + count % 100 > "list.wel" } }'
memory() { /usr/bin/time -f %M "$tool" convert --lossy --quiet "$1" list.graph 2>&1 | tail -1; }
for list in list.el list.wel; do
    for i in $(seq "$pairs"); do measure "$tool" convert --lossy --quiet $list list.graph 2> /dev/null; done > times
    for k in 1 2; do column $k | summary "$list, $([ $k = 1 ] && echo wall || echo processor) s"; done
    [ -x /usr/bin/time ] &&
        echo "$list, bytes of memory per edge $(((($(memory $list) - $(memory one.el)) * 1024) / 500000))"
done
