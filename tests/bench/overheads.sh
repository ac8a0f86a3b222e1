#!/bin/bash
# overheads.sh - the six categories of iC2mpi's overhead figures over the number of ranks: 35 steps of fine
# grain on 64 hexagons, 64 and 256 nodes of a random graph (thesis, figures 21 and 22; paper, figures 10 and
# 11). Milliseconds, mean over the ranks and, behind it, the largest.
#
#     overheads.sh BUILD/bin [OPTION ...]      OPTION: of the applications, e.g. --balancer=diffusive
#
# Environment: COMM=fence, the transport; MPIRUN as for papers/speedups.sh.
. "$(dirname "$0")/bench.bash"
shift

for graph in "hex --generate=hex:8x8" "random --generate=random:nodes=64" "random --generate=random:nodes=256"; do
    printf '%s, 35 steps, --grain=fine:sleep --comm=%s %s\n\n' "$graph" "${COMM:-fence}" "$*"
    echo -n "| ranks | initialisation | computation overhead | compute "
    echo "| communication overhead | communicate | load balancing |"
    echo "|---|---|---|---|---|---|---|"
    for ranks in 1 2 4 8 16; do
        # shellcheck disable=SC2086
        ${MPIRUN:-mpirun --bind-to core:overload-allowed} -n "$ranks" "$bin/${graph% *}" "${graph#* }" --steps=35 \
            --grain=fine:sleep --comm="${COMM:-fence}" --quiet --metrics="$work/metrics" "$@"
        awk '
            BEGIN { count = split("init compute_overhead compute communication_overhead communicate balance", keys) }
            /"rank":/ {
                ranks++
                for (k = 1; k <= count; k++) {
                    match($0, "\"" keys[k] "\": [0-9.]+")
                    value = 1000 * substr($0, RSTART + length(keys[k]) + 4, RLENGTH - length(keys[k]) - 4)
                    sum[k] += value
                    if (value > most[k]) most[k] = value
                }
            }
            END {
                printf("| %d", ranks)
                for (k = 1; k <= count; k++) printf(" | %.3f, %.3f", sum[k] / ranks, most[k])
                print " |"
            }' "$work/metrics"
    done
    echo
done
