#!/bin/bash
# battlefield.sh - the battlefield's figures.
#
#     battlefield.sh BUILD/bin [tables] [balance] [bytes] [large]      default: all
#
# tables  iC2mpi's tables 7-11 beside ours: 32x32 hexes, 5, 15 and 25 steps, 1 to 16 ranks, five partitioners. The
#         work is slept, per engaged unit, so that 25 steps on one rank take the paper's 2.2 s, and 16 ranks
#         run at their pace on fewer cores. A cell: our seconds (speed-up over one rank; the paper's). Then, per
#         partitioner, the speed-up that the distribution of the work allows, which is work over makespan.
# balance meeting and breakthrough, 64x64, 16 ranks, 200 steps, declared loads: partitioners that stand still and
#         balancers; efficiency (work / ranks / makespan, which has the cost of balancing in it), hexes in combat per
#         rank, bytes pulled.
# bytes   what is pulled in a step, against shadows x the fields that the phases read, and whole hexes in each phase.
# large   steps per second of 512x512 hexes on 2 ranks, and cost per hex against 64x64.
#
# Environment: REPEAT=3, launches of a cell, of which the median counts; COMM=shared, the transport; SCENARIO=scatter,
# of the tables; MPIRUN, on a busy machine for example "chrt -f 5 mpirun --bind-to core:overload-allowed".
. "$(dirname "$0")/bench.bash"
shift
[ $# -gt 0 ] || set -- tables balance bytes large
scenario=${SCENARIO:-scatter}

# run RANKS ARGUMENT ...: leaves the metrics in $work/metrics
run() {
    local ranks=$1
    shift
    # shellcheck disable=SC2086
    ${MPIRUN:-mpirun --bind-to core:overload-allowed} -n "$ranks" "$bin/battlefield" --comm="${COMM:-shared}" --quiet \
        --metrics="$work/metrics" "$@" </dev/null
}

# number KEY: the first of that name in the metrics
number() { awk -v key="\"$1\": " 'i = index($0, key) { print substr($0, i + length(key)) + 0; exit }' \
    "$work/metrics"; }

seconds() {
    for _ in $(seq "${REPEAT:-3}"); do
        run "$@"
        number loop
    done | median
}

# partitioner, steps, the paper's seconds on 1 2 4 8 16 processors
paper() {
    cat <<'PAPER'
metis 5 .684 .654 .537 .461 .390
metis 15 1.463 1.447 1.109 .869 .623
metis 25 2.248 2.245 1.666 1.265 .847
gray 5 .681 1.360 .926 .645 .454
gray 15 1.410 3.578 2.279 1.413 .814
gray 25 2.255 5.752 3.627 2.166 1.164
row 5 .680 .756 .606 .507 .467
row 15 1.456 1.780 1.347 1.006 .854
row 25 2.226 2.781 2.057 1.502 1.229
column 5 .679 .666 .543 .465 .453
column 15 1.463 1.463 1.112 .887 .820
column 25 2.242 2.245 1.689 1.286 1.168
rect 5 .682 .663 .591 .503 .404
rect 15 1.456 1.465 1.260 .981 .679
rect 25 2.243 2.247 1.932 1.464 .950
PAPER
}

tables() {
    local grain partitioner steps theirs p
    run 1 --generate=hex:32x32 --scenario="$scenario" --steps=25
    grain=$(awk '/"engaged": \[/ { gsub(/[^0-9,]/, ""); n = split($0, v, ","); for (i = 1; i <= n; i++) s += v[i];
        printf "%.1fus", 2.2e6 / s }' \
        "$work/metrics")
    printf '\n%s, 32x32, %s per engaged unit, slept; seconds (speed-up; the paper'"'"'s)\n\n' "$scenario" "$grain"
    printf '| partitioner | steps | 1 rank | 2 | 4 | 8 | 16 |\n|---|---|---|---|---|---|---|\n'
    paper | while read -r partitioner steps theirs; do
        for p in 1 2 4 8 16; do
            echo "$p $(seconds "$p" --generate=hex:32x32 --scenario="$scenario" --steps="$steps" \
                --partitioner="$partitioner" \
                --grain="$grain:sleep")"
        done | awk -v row="| $partitioner | $steps" -v theirs="$theirs" '
            BEGIN { split(theirs, paper); printf "%s", row }
            NR == 1 { base = $2; printf " | %.3f", base; next }
            { printf " | %.3f (%.2f; %.2f)", $2, base / $2, paper[1] / paper[NR] }
            END { print " |" }'
    done
    printf '\nwork over makespan of 25 steps, as declared, and shadows of all ranks\n\n'
    printf '| partitioner | 2 | 4 | 8 | 16 |\n|---|---|---|---|---|\n'
    for partitioner in metis gray row column rect; do
        printf '| %s' $partitioner
        for p in 2 4 8 16; do
            run "$p" --generate=hex:32x32 --scenario="$scenario" --steps=25 --partitioner=$partitioner --load=declared
            awk '/"work"/ { gsub(/[^0-9.,]/, ""); split($0, w, ","); speedup = w[1] / w[2] }
                 match($0, /"shadows": [0-9]+/) { shadows += substr($0, RSTART + 11, RLENGTH - 11) }
                 END { printf " | %.2f, %d", speedup, shadows }' "$work/metrics"
        done
        echo " |"
    done
}

balance() {
    local which way
    printf '\nefficiency on 16 ranks\n\n'
    printf '| scenario | partitioner | balancer | efficiency | calls applied | hexes in combat per rank '
    printf '| MB pulled per step |\n'
    printf '|---|---|---|---|---|---|---|\n'
    for which in meeting breakthrough; do
        for way in metis,none gray,none random,none metis,diffusive metis,central metis,metis; do
            run 16 --generate=hex:64x64 --scenario=$which --steps=200 --partitioner=${way%,*} --balancer=${way#*,} \
                --load=declared
            awk -v row="| $which | ${way%,*} | ${way#*,}" '
                match($0, /"efficiency": [0-9.]+/) { efficiency = substr($0, RSTART + 14, RLENGTH - 14) }
                match($0, /"bytes_per_step": [0-9.]+/) && !pulled { pulled = substr($0, RSTART + 18, RLENGTH - 18) }
                /"applied": true/ { applied++ }
                /"in combat": \[/ { gsub(/[^0-9,]/, ""); n = split($0, v, ",")
                    for (i = 1; i <= n; i++) fighting += v[i] }
                END { printf "%s | %.3f | %d | %.1f | %.2f |\n", row, efficiency, applied, fighting / n / 16,
                             pulled / 1e6 }' \
                "$work/metrics"
        done
    done
}

# All records of a hex have 668 bytes, as battlefield_test checks.
bytes() {
    printf '\nbytes pulled in a step\n\n'
    printf '| scenario | ranks | pulled | far | shadows x fields read | ratio | of whole hexes in every phase |\n'
    printf '|---|---|---|---|---|---|---|\n'
    for which in meeting scatter; do
        for p in 2 16; do
            run "$p" --generate=hex:64x64 --scenario=$which --steps=50
            awk -v row="| $which | $p" '
                /"halo"/ { match($0, /"bytes_per_step": [0-9.]+/); pulled = substr($0, RSTART + 18, RLENGTH - 18)
                           match($0, /"far_bytes_per_step": [0-9.]+/); far = substr($0, RSTART + 22, RLENGTH - 22)
                           sub(/.*"fields": \{/, ""); gsub(/[^0-9,]/, ""); n = split($0, f, ",")
                               for (i = 1; i <= n; i++) wanted += f[i] }
                match($0, /"shadows": [0-9]+/) { shadows += substr($0, RSTART + 11, RLENGTH - 11) }
                END {
                    printf "%s | %d | %d | %d | %.3f | %.1f %% |\n", row, pulled, far, wanted, (pulled + far) / wanted,
                             100 * (pulled + far) / (7.0 * shadows * hex) }' hex=668 "$work/metrics"
        done
    done
}

large() {
    local small big
    small=$(seconds 2 --generate=hex:64x64 --scenario=scatter --steps=20)
    big=$(seconds 2 --generate=hex:512x512 --scenario=scatter --steps=20)
    awk -v small="$small" -v big="$big" 'BEGIN {
        a = 2e9 * small / 20 / 4096; b = 2e9 * big / 20 / 262144
        printf "\n512x512 on 2 ranks: %.1f steps/s; %.0f ns per hex and step, of 64x64 %.0f ns: ratio %.2f\n", 20 / big,
             b, a, b / a }'
}

printf -- '--comm=%s, %d cores, median of %d\n' "${COMM:-shared}" "$(nproc)" "${REPEAT:-3}"
for part in "$@"; do $part; done
