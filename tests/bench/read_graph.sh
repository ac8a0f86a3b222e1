#!/bin/bash
# read_graph.sh - reading and validating a Chaco file, against the time that gpmetis reports for its I/O.
#
#     read_graph.sh BINARY_DIRECTORY [PAIRS [WxH]]      default 21 pairs, 1000x1000
#
# Each round runs gpmetis, read_graph on 1 rank and read_graph on 2 ranks, one after the other; prints the
# median (minimum, maximum) of the times and of the ratios within a round.
. "$(dirname "$0")/bench.bash"
pairs=${2:-21} size=${3:-1000x1000} file=$work/hex.graph
"$bin/read_graph" --make "$file" "$size"
gpmetis "$file" 2 > /dev/null || { echo "gpmetis is needed" >&2; exit 1; }

setting
echo "hex $size, $(wc -c < "$file") bytes, $pairs pairs, 3 reads each, the median counts"
for i in $(seq "$pairs"); do
    # A file just written by gpmetis, or its absence from memory, must not count.
    cat "$file" > /dev/null
    metis=$(gpmetis "$file" 2 | awk '/I\/O:/ { print $2 }')
    one=$(mpirun -n 1 --bind-to none "$bin/read_graph" "$file" 3 | awk '/seconds/ { print $2 }' | sort -n | sed -n 2p)
    two=$(mpirun -n 2 --bind-to none "$bin/read_graph" "$file" 3 | awk '/seconds/ { print $2 }' | sort -n | sed -n 2p)
    echo "$metis $one $two"
done > "$work/times"
awk '{ print $1 }' "$work/times" | summary "gpmetis I/O, seconds"
awk '{ print $2 }' "$work/times" | summary "1 rank, seconds"
awk '{ print $3 }' "$work/times" | summary "2 ranks, seconds"
awk '{ print $2 / $1 }' "$work/times" | summary "1 rank / gpmetis I/O"
awk '{ print $3 / $2 }' "$work/times" | summary "2 ranks / 1 rank"
for ranks in 1 2; do
    echo "$ranks ranks, bytes per node: $(mpirun -n $ranks --bind-to none "$bin/read_graph" "$file" 1 | tail -1)"
done
