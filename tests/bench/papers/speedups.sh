#!/bin/bash
# speedups.sh - the speed-ups of iC2mpi's papers beside ours: fine (0.3 ms) and coarse (3 ms) sleeping grain,
# 1 to 16 ranks, METIS. What a rank sleeps another core could compute, so that 16 ranks run at their pace on
# fewer cores; the rest of a step they have to share these for.
#
#     speedups.sh BUILD/bin [GRAPH ...]      GRAPH: as in the list below, e.g. hex-64; default: all
#
# Environment: REPEAT=3 launches of every cell, of which the median counts; COMM=shared, the transport; RANKS="1 2 4
# 8 16", or the first of them; MPIRUN, on a busy machine for example "chrt -f 5 mpirun --bind-to core:overload-allowed".
#
# A cell is: speed-up of all steps over one rank / the bound (the paper's). The bound is nodes / (most nodes on
# a rank); METIS's method is the one (default or k-way) whose fullest rank has fewer. Wanted are 0.9 of the
# bound, and more than the paper's from 4 ranks on; what falls short is starred and counted.
. "$(dirname "$0")/../bench.bash"
shift
ranks=${RANKS:-1 2 4 8 16}

# graph, command, grain, steps, the paper's seconds on 1 2 4 8 16 processors; or =speed-up; "-": not told.
# The 160-node field's 12.8 is in the text of the shorter paper; its other values are curves without numbers.
cells() {
    cat <<'CELLS'
hex-32 hex --generate=hex:8x4 fine 10 .111 .0580 .0315 .0191 .028
hex-32 hex --generate=hex:8x4 fine 15 .165 .085 .0462 .027 .035
hex-32 hex --generate=hex:8x4 fine 20 .209 .113 .0605 .0435 .0434
hex-64 hex --generate=hex:8x8 fine 10 .218 .113 .0708 .0348 .039
hex-64 hex --generate=hex:8x8 fine 15 .344 .178 .092 .0585 .056
hex-64 hex --generate=hex:8x8 fine 20 .458 .236 .136 .0829 .0638
hex-96 hex --generate=hex:12x8 fine 10 .3528 .177 .0912 .0603 .052
hex-96 hex --generate=hex:12x8 fine 15 .527 .254 .135 .0809 .071
hex-96 hex --generate=hex:12x8 fine 20 .7016 .352 .180 .106 .085
random-32 random --generate=random:nodes=32 fine 10 .108 .056 .030 .020 .035
random-32 random --generate=random:nodes=32 fine 15 .161 .082 .045 .037 .044
random-32 random --generate=random:nodes=32 fine 20 .215 .109 .059 .046 .049
random-64 random --generate=random:nodes=64 fine 10 .218 .111 .064 .050 .051
random-64 random --generate=random:nodes=64 fine 15 .325 .167 .095 .059 .067
random-64 random --generate=random:nodes=64 fine 20 .434 .221 .126 .073 .083
hex-160 hex --generate=hex:16x10 fine 20 - - - - =12.8
random-256 random --generate=random:nodes=256 fine 20 - - - - -
hex-64-coarse hex --generate=hex:8x8 coarse 20 - - - - -
hex-160-coarse hex --generate=hex:16x10 coarse 20 - - - - -
random-64-coarse random --generate=random:nodes=64 coarse 20 - - - - -
CELLS
}

# run RANKS PROGRAM GRAPH PARTITIONER STEPS GRAIN: "seconds most-nodes-on-a-rank"
run() {
    # shellcheck disable=SC2086
    ${MPIRUN:-mpirun --bind-to core:overload-allowed} -n "$1" "$bin/$2" "$3" --partitioner="$4" --steps="$5" \
        --grain="$6:sleep" \
        --comm="${COMM:-shared}" --quiet --metrics="$work/metrics"
    awk '/^  "seconds"/ { match($0, /"loop": [0-9.]+/); loop = substr($0, RSTART + 8, RLENGTH - 8) }
         match($0, /"owned": [0-9]+/) { owned = substr($0, RSTART + 9, RLENGTH - 9) + 0;
             if (owned > most) most = owned }
         END { print loop, most }' "$work/metrics"
}

least_full() {
    local default kway
    default=$(run "$@" metis 0 none)
    kway=$(run "$@" metis:method=kway 0 none)
    if [ "${kway#* }" -lt "${default#* }" ]; then echo "metis:method=kway ${kway#* }"; else \
        echo "metis ${default#* }"; fi
}

median() { sort -g | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

wanted() {
    [ $# -eq 1 ] && return 0
    local name=$1 graph
    shift
    for graph in "$@"; do [ "$graph" = "$name" ] && return 0; done
    return 1
}

printf -- '--comm=%s, %d cores, median of %d\n' "${COMM:-shared}" "$(nproc)" "${REPEAT:-3}"
before=
cells | while read -r name program graph grain steps paper; do
    wanted "$name" "$@" || continue
    if [ "$name" != "$before" ]; then
        printf '\n%s\n\n| steps | seconds on 1 rank' "$name"
        for p in ${ranks#1}; do printf ' | %d' "$p"; done
        printf ' |\n|---'
        for p in $ranks; do printf '|---'; done
        printf '|\n'
        for p in $ranks; do least_full "$p" "$program" "$graph" </dev/null >"$work/part.$p"; done
        before=$name
    fi
    rm -f "$work"/seconds.*
    for _ in $(seq "${REPEAT:-3}"); do
        for p in $ranks; do
            read -r partitioner most <"$work/part.$p"
            run "$p" "$program" "$graph" "$partitioner" "$steps" "$grain" </dev/null >>"$work/seconds.$p"
        done
    done
    for p in $ranks; do
        read -r partitioner most <"$work/part.$p"
        echo "$p $(median <"$work/seconds.$p") $most"
    done | awk -v steps="$steps" -v paper="$paper" '
        BEGIN { split(paper, theirs) }
        NR == 1 { base = $2; nodes = $3; printf "| %d | %.3f", steps, base; next }
        {
            speedup = base / $2
            bound = nodes / $3
            peer = theirs[NR] ~ /^=/ ? substr(theirs[NR], 2) : theirs[NR] == "-" ? 0 : theirs[1] / theirs[NR]
            short = (speedup < 0.9 * bound) || ($1 >= 4 && speedup <= peer)
            printf(" | %.2f / %.2f%s%s", speedup, bound, peer ? sprintf(" (%.2f)", peer) : "", short ? " *" : "")
        }
        END { print " |" }'
done | tee "$work/table"
awk -F'|' '/^\| [0-9]/ { for (i = 4; i < NF; i++) {
               split($i, parts, /[ \/(]+/)
               cells++
               ratio = parts[2] / parts[3]
               if (!worst || ratio < worst) worst = ratio
               short += $i ~ /\*/ } }
           END { printf "\n%d cells, %d fall short; the worst reaches %.3f of its bound\n", cells, short, worst }' \
        "$work/table"
