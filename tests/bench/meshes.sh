#!/bin/bash
# meshes.sh BIN [SETTINGS] - rectangular meshes of 30x30 to 70x70 nodes, the first test of Weaver and Schnabel (SHPCC
# 1992), on 8 ranks: what one call of the diffusive balancer makes of row-major blocks, all nodes on one rank, vertical
# strips, and nodes at random. They report a two-sided imbalance within 1 %, and off-processor over on-processor edges
# of the worst rank 1.5 times the optimum as a rule, 2 to 3 times at worst.
#
# The optimum stands for 4 x 2 rectangles here. Loads are declared, 1 a node: figures are the same in every run. The
# call comes in the middle of 100 steps: so many are left that moving nodes is cheap. Each run is checked: it makes one
# call, which keeps all nodes, and the sum of all nodes' states is that of a run on one rank.
#
# Environment: MPIRUN=mpirun.
. "$(dirname "$0")/bench.bash"
settings=${2:-tolerance=0.01}
meshes="30x30 30x40 40x30 40x40 40x50 50x40 50x50 50x60 60x50 60x60 60x70 70x60 70x70 30x70 70x30"

# on RANKS MESH PARTITIONER: the metrics.
on()
{
    # shellcheck disable=SC2086
    timeout 600 ${MPIRUN:-mpirun} -n "$1" "$bin/hex" --generate="mesh:$2" --partitioner="$3" --steps=100 --quiet \
        --load=declared --grain=none --balancer="diffusive:$settings" --balance-when=every:50:always \
        --metrics="$work/metrics" 2>"$work/err" </dev/null || { cat "$work/err" >&2; exit 1; }
}
# The value of a key, of the only call where it has one.
of() { sed -n "s/.*\"$1\": \"*\([^,\"}]*\).*/\1/p" "$work/metrics" | tail -1; }

echo "$(setting), 8 ranks, diffusive:$settings, one call"
echo "off- over on-processor edges of the worst rank, over that of 4 x 2 rectangles; two-sided imbalance in %; pieces"
printf '%-8s' mesh
for start in blocks one strips random; do printf ' %22s' "$start"; done
echo
for mesh in $meshes; do
    on 1 "$mesh" block
    right=$(of checksum)
    on 8 "$mesh" rect:rows=2,columns=4
    least=$(of off_processor_before)
    printf '%-8s' "$mesh"
    for start in block one column random; do
        on 8 "$mesh" "$start"
        [ "$(of checksum)" = "$right" ] || { echo "$mesh from $start: another result" >&2; exit 1; }
        [ "$(of step)" = 50 ] && [ "$(of nodes)" = $((${mesh%x*} * ${mesh#*x})) ] ||
            { echo "$mesh from $start: not one call of all nodes" >&2; exit 1; }
        awk -v is="$(of off_processor_after)" -v least="$least" -v two="$(of two_sided_after)" -v more="$(of pieces)" \
            -v file="$work/$start" 'BEGIN {
                ratio = is / (1 - is) / (least / (1 - least))
                printf " %9.2f %8.2f %3d", ratio, 100 * two, more
                print ratio, 100 * two, more >>file }'
    done
    echo
done
for start in block one column random; do
    awk -v start="$start" '{ sum += $1; pieces += $3
            if ($1 > worst) worst = $1
            if ($2 > two) two = $2 }
        END { printf "%-8s mean %.2f, worst %.2f; two-sided at most %.2f %%; %d pieces\n", start, sum / NR, worst, two,
                     pieces }' "$work/$start"
done
