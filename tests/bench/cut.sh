#!/bin/bash
# cut.sh - the cuts of README's table of partitioners; without `table`, the cut of --partitioner=metis beside
# gpmetis's on the same file, with the same method, balance and seed: they have to be equal.
#
#     cut.sh BUILD/bin [table]
. "$(dirname "$0")/bench.bash"
different=0

# cut RANKS ARGUMENT ...: the cut that hex finds.
cut()
{
    # shellcheck disable=SC2086
    ${MPIRUN:-mpirun --oversubscribe} -n "$1" "$bin/hex" "${@:2}" --steps=0 --quiet --metrics="$work/metrics"
    sed -n 's/.*"cut": \([0-9]*\).*/\1/p' "$work/metrics" | head -1
}

if [ "${2:-}" = table ]; then
    echo "| partitioner, hex 256x256, 16 ranks | cut |"
    echo "|---|---|"
    for partitioner in metis scotch ptscotch diffusive rcb sfc rect row column gray block random; do
        echo "| \`$partitioner\` | $(cut 16 --generate=hex:256x256 --partitioner="$partitioner") |"
    done
    exit
fi

echo "| graph | parts | method, ufactor, seed | ours | gpmetis |"
echo "|---|---|---|---|---|"
for graph in hex:8x8 hex:64x64 hex:300x200 mesh:20x20x20 random:nodes=64 random:nodes=20000 geometric:nodes=30000; do
    "$bin/hex" --generate="$graph" --steps=0 --quiet --save-graph="$work/graph"
    for parts in 4 7 16; do
        for choice in "kway 30 1" "kway 5 42" "recursive 1 1" "recursive 10 42"; do
            read -r method ufactor seed <<<"$choice"
            ours=$(cut "$parts" --graph="$work/graph" \
                --partitioner="metis:method=$method,ufactor=$ufactor,seed=$seed")
            type=kway
            [ "$method" = kway ] || type=rb
            gpmetis -ptype="$type" -ufactor="$ufactor" -seed="$seed" "$work/graph" "$parts" >"$work/log"
            theirs=$(sed -n 's/.*Edgecut: \([0-9]*\).*/\1/p' "$work/log")
            echo "| $graph | $parts | $choice | $ours | $theirs |"
            [ "$ours" = "$theirs" ] || different=$((different + 1))
        done
    done
done
echo
echo "$different differ"
[ "$different" -eq 0 ]
