#!/bin/bash
# pagrid.sh - the figures of papers_bench pagrid-figures by runs of ranks, beside the simulation: sleeping grain, and
# messages that a hypercube delays (--comm=blocking:delay=FILE), which are on their way at the same time.
#
#     pagrid.sh BUILD/bin [FIGURE ...]     6, 7, 12 and 17 by default, of random graphs the first one
#
# Environment: RANKS="2 4 8"; REPEAT=3 launches of every cell, of which the quickest counts; HOP=0.000135, seconds of a
# record over a link; MPIRUN, on a busy machine for example "chrt -f 10 mpirun --bind-to core:overload-allowed".
#
# A cell is: speed-up over one rank / the simulated one.
. "$(dirname "$0")/../bench.bash"
shift
[ $# -gt 0 ] || set -- 6 7 12 17
hop=${HOP:-0.000135}

# seconds RANKS SPEC GRAIN PROGRAM OPTION: of 20 steps
seconds()
{
    local ranks=$1 spec=$2 grain=$3 machine=flat cube=0
    shift 3
    while [ $((1 << cube)) -lt "$ranks" ]; do cube=$((cube + 1)); done
    [ "$cube" -eq 0 ] || machine=hypercube:$cube
    awk -v ranks="$ranks" -v hop="$hop" 'BEGIN {
        for (p = 0; p < ranks; p++) for (q = 0; q < ranks; q++) {
            hops = 0
            for (bit = 1; bit < ranks; bit *= 2) hops += int(p / bit) % 2 != int(q / bit) % 2
            if (p != q) print p, q, 0, hops * hop / 8   # records of 8 bytes
        } }' >"$work/delays"
    for _ in $(seq "${REPEAT:-3}"); do
        # shellcheck disable=SC2086
        ${MPIRUN:-mpirun --bind-to core:overload-allowed} -n "$ranks" "$bin/$1" "$2" --steps=20 --grain="$grain:sleep" \
            --machine="$machine" --partitioner="$spec" --comm="blocking:delay=$work/delays" --quiet \
            --metrics="$work/metrics" </dev/null
        sed -n 's/^  "seconds": .*"loop": \([0-9.]*\).*/\1/p' "$work/metrics"
    done | sort -g | head -1
}

# row FIGURE GRAIN TIME NAME SPEC[;SPEC] PROGRAM OPTION
row()
{
    local figure=$1 grain=$2 time=$3 name=$4 specs=$5 spec ranks one many
    shift 5
    printf '| %s | %s | %s' "$figure" "$grain" "$name"
    one=$(seconds 1 metis "$time" "$@")
    for ranks in ${RANKS:-2 4 8}; do
        many=$(for spec in ${specs//;/ }; do seconds "$ranks" "$spec" "$time" "$@"; done | sort -g | head -1)
        awk -F, -v grain="$grain" -v name="$name" -v ranks="$ranks" -v speedup="$(echo "$one $many" |
            awk '{ print $1 / $2 }')" '
            $1 == "partitioner" { for (i = 3; i <= NF; i++) if ($i == "P=" ranks) column = i }
            $1 == name && $2 == grain { printf(" | %.2f / %.2f", speedup, $column) }' "$work/$figure.csv"
    done
    echo ' |'
}

printf -- '--hop=%s, %d cores, the quickest of %d\n\n| figure | grain | partitioner' "$hop" "$(nproc)" "${REPEAT:-3}"
for ranks in ${RANKS:-2 4 8}; do printf ' | %s' "$ranks"; done
printf ' |\n|---|---|---'
for ranks in ${RANKS:-2 4 8}; do printf '|---'; done
echo '|'
for figure; do
    "$bin/papers_bench" pagrid-figures --figure="$figure" --hop="$hop" --receive=together --graphs=1 --format=csv |
        sed 's/^table,//; s/^"[^"]*",//' >"$work/$figure.csv"
    case $figure in
    6) graph="hex --generate=hex:16x10" fine= coarse=30ms ;;
    7) graph="random --generate=random:nodes=64" fine=3ms coarse=30ms ;;
    12) graph="hex --generate=hex:8x8" fine=0.3ms coarse=3ms ;;
    *) graph="random --generate=random:nodes=64" fine=0.3ms coarse=3ms ;;
    esac
    for grain in fine coarse; do
        time=${!grain}
        [ "$time" ] || continue
        # shellcheck disable=SC2086
        row "$figure" "$grain" "$time" METIS "metis:method=recursive;metis:method=kway" $graph
        # shellcheck disable=SC2086
        row "$figure" "$grain" "$time" PaGrid pagrid:ratio=0.45 $graph
    done
done
