#!/bin/bash
# rivals.sh - rivals_bench as one table: the diffusive balancer beside METIS from scratch, ParMETIS_V3_AdaptiveRepart
# and Zoltan's repartitioners, where a hot disc crosses 1000 x 1000 hexagons on 8 ranks, 20 positions.
#
#     rivals.sh BUILD/bin [RADIUS ...]      in widths of the field; default: 0.125 and 0.2, one after the other
#
# Every rival follows its own history, with the imbalance that ours has, and with the settings that were best of those
# tried: ParMETIS's itr 10 to 1e5 (less than 100 costs cut, more does nothing), PHG_REPART_MULTIPLIER 10 to 1000 (more
# costs moves). ParMETIS is there twice: on 8 processes it finds better parts, on 2 nobody shares a core. Zoltan has one
# process with all parts: it finds better ones there, and nobody waits for others. A launch makes $POSITIONS positions
# (2) of a rival, then comes the next one, so that all see the same machine; MPIRUN="chrt -f 10 mpirun" on a busy one.
# WIDTH=1000 for other fields. What this was built without is named and left out.
. "$(dirname "$0")/bench.bash"
shift
positions=${POSITIONS:-2}

# name, processes, rival, settings
rivals() {
    cat <<'RIVALS'
ours 1 diffusive
METIS 1 metis
ParMETIS-2 2 parmetis tolerance=1.01,itr=1000
ParMETIS-8 8 parmetis tolerance=1.01,itr=1000
Zoltan-graph 1 zoltan LB_METHOD=GRAPH,LB_APPROACH=REPARTITION,PHG_REPART_MULTIPLIER=30,IMBALANCE_TOL=1.01
Zoltan-refine 1 zoltan LB_METHOD=GRAPH,LB_APPROACH=REFINE,IMBALANCE_TOL=1.01
Zoltan-hypergraph 1 zoltan LB_METHOD=HYPERGRAPH,LB_APPROACH=REPARTITION,PHG_REPART_MULTIPLIER=30,IMBALANCE_TOL=1.01
RIVALS
}

# launch RADIUS NAME PROCESSES RIVAL [SETTINGS]
launch() {
    # shellcheck disable=SC2086
    ${MPIRUN:-mpirun --oversubscribe --bind-to none} -n "$3" "$bin/rivals_bench" --radius="$1" --rival="$4" \
        --settings="${5:-}" --width="${WIDTH:-1000}" --state="$work/$1.$2" --positions="$positions" </dev/null
}

printf '%d cores; processes and settings of each:\n' "$(nproc)"
rivals
[ $# -gt 0 ] || set -- 0.125 0.2
for radius in "$@"; do
    for ((done = 0; done < 20; done += positions)); do
        rivals | while read -r name rival; do
            # shellcheck disable=SC2086
            launch "$radius" "$name" $rival | sed "s/^/$name /" >>"$work/lines.$radius"
        done
    done
    printf '\n'
    head -2 "$work/lines.$radius" | cut -d' ' -f2-
    awk -v radius="$radius" '
        $2 == "position" {
            if (!($1 in calls)) names[++count] = $1
            calls[$1]++
            for (i = 5; i <= NF; i += 2) sum[$1, $(i - 1)] += $i
            if ($5 > worst[$1, $4]) worst[$1, $4] = $5
            if ($7 > worst[$1, $6]) worst[$1, $6] = $7
        }
        / left out: / { print }
        function cell(name, value, ours, format) {
            printf(" | " format " %5.2f%s", value, value > 0 ? ours / value : 1, ours > value ? "*" : " ")
        }
        END {
            printf "disc of radius %s; behind each figure ours / it, starred where ours is not ahead\n", radius
            printf "%-17s | %-13s | %-13s | %-12s | %-12s | %-12s | %-12s | %s\n", "", "imbalance", "worst", "cut",
                "worst", "moved, %", "CPU s a call", "pieces too many"
            for (k = 1; k <= count; k++) {
                n = names[k]; o = names[1]; c = calls[n]; d = calls[o]
                printf "%-17s", n
                cell(n, sum[n, "imbalance"] / c, sum[o, "imbalance"] / d, "%7.4f")
                cell(n, worst[n, "imbalance"], worst[o, "imbalance"], "%7.4f")
                cell(n, sum[n, "cut"] / c, sum[o, "cut"] / d, "%6.0f")
                cell(n, worst[n, "cut"], worst[o, "cut"], "%6d")
                cell(n, sum[n, "moved"] / c, sum[o, "moved"] / d, "%6.2f")
                cell(n, sum[n, "seconds"] / c, sum[o, "seconds"] / d, "%6.2f")
                cell(n, sum[n, "pieces"] / c, sum[o, "pieces"] / d, "%6.2f")
                print ""
            }
        }' "$work/lines.$radius"
done
