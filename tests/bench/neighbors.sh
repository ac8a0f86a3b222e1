#!/bin/bash
# neighbors.sh - neighbors_bench for 1 to 6 neighbours as one table: microseconds per neighbour. More ranks
# than cores yield, so that from some k on a step is as long as the ranks of one core take together.
#
#     neighbors.sh BUILD/bin [neighbors_bench's options]
set -eu
bin=$1
shift
for k in 1 2 3 4 5 6; do
    # shellcheck disable=SC2086
    ${MPIRUN:-mpirun --oversubscribe} -n $((k + 1)) "$bin/neighbors_bench" "$@"
done | awk -v cores="$(nproc)" '
    /commit/ && !shown++ { print }
    $1 ~ /^[1-6]$/ { if (!($2 in seen)) { seen[$2] = 1; names[++n] = $2 } each[$2, $1] = $6 }
    END {
        printf "%d cores, yielding where k + 1 is more\n\n", cores
        printf "| us per neighbour, k = | 1 | 2 | 3 | 4 | 5 | 6 |\n|---|---|---|---|---|---|---|\n"
        for (i = 1; i <= n; i++) {
            printf "| %s", names[i]
            for (k = 1; k <= 6; k++) printf " | %.2f", each[names[i], k]
            print " |"
        }
    }'
