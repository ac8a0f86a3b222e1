#!/bin/bash
# long_runs.sh - what long runs have all the time: the watchdog, 10^4 migrations with checkpoints, and 3000 balance
# calls, each against the same run without.
#
#     long_runs.sh BUILD/bin
#
# Environment: ROUNDS=3 of each pair, whose order alternates; RANKS=2; GRID=32x32; WATCHED=20000, MIGRATIONS=10000 and
# CALLS=3000, the numbers of steps. Medians count. Seconds are those of the loop, and memory is the most that a rank
# holds (GNU time), beside that of a tenth of the steps, which tells whether it grows.
. "$(dirname "$0")/bench.bash"
cd "$work"
rounds=${ROUNDS:-3} ranks=${RANKS:-2} grid=${GRID:-32x32}
[ -x /usr/bin/time ] || { echo "long_runs.sh: GNU time is needed" >&2; exit 1; }

value() { python3 -c "import json; d = json.load(open('m.json')); print(d$1)"; }

# run FILE STEPS PROGRAM ARGUMENT ...: adds a line to FILE, seconds, and to FILE.mib.
# shellcheck disable=SC2086
run()
{
    local file=$1 steps=$2 program=$3
    shift 3
    rm -rf saved most.* && mkdir saved
    ${MPIRUN:-mpirun} -n "$ranks" sh -c 'exec /usr/bin/time -o most.$$ -f %M "$0" "$@"' "$bin/$program" \
        --generate=hex:"$grid" --steps="$steps" --quiet --metrics=m.json "$@" </dev/null
    value "['seconds']['loop']" >>"$file"
    sort -n most.* | awk 'END { printf "%.1f\n", $1 / 1024 }' >>"$file.mib"
}

# compare NAME STEPS PROGRAM WITHOUT [ARGUMENT ...]: WITHOUT is the argument that stands for all the others.
compare()
{
    local name=$1 steps=$2 program=$3 without=$4 i way
    shift 4
    rm -f with* before*
    run before $((steps / 10)) "$program" "$@"
    for ((i = 0; i < rounds; i++)); do
        for way in $([ $((i % 2)) -eq 0 ] && echo with without || echo without with); do
            if [ $way = with ]; then
                run with "$steps" "$program" "$@"
                done=$(value "['balance_totals']['calls'], d['checkpoints']['written']")
            else run without "$steps" "$program" "$without"; fi
        done
    done
    awk -v n="$name" -v s="$steps" -v w="$(median with)" -v o="$(median without)" -v few="$(median before.mib)" \
        -v all="$(median with.mib)" -v d="$done" 'BEGIN {
        printf "%-12s %7d %9.3f %9.3f %7.3f %10.2f %8.1f %8.1f  %s\n", n, s, o, w, w / o, 1e6 * (w - o) / s, few, all, d
    }'
}

echo "# $("$bin/heat" --version | head -1), $(setting); $ranks ranks, $grid, $rounds rounds"
printf '%-12s %7s %9s %9s %7s %10s %8s %8s  %s\n' what steps 's without' 's with' ratio 'us a step' 'MiB, 1/10' MiB \
    '(calls, checkpoints)'
compare watchdog "${WATCHED:-20000}" heat --watchdog=off --watchdog=report
compare migrations "${MIGRATIONS:-10000}" hex --partitioner=metis --migrate-random=1:0.1 --checkpoint=saved \
    --checkpoint-every=100
compare balance "${CALLS:-3000}" battlefield --load=declared --balancer=diffusive --balance-when=every:1:always
