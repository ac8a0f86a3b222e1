#!/bin/bash
# balance.sh BIN [TABLE ...] - the balancers beside each other on real ranks: three-phase, alternate, papers, start,
# crowd, plans, dense, measured, small; without TABLE all of them. Loads are declared unless said, so that all but times
# is the same in every run.
#
# Where loads are measured, every round launches all balancers, `none` first, and a cell is the median (least ..
# greatest) over the rounds of a balancer's seconds over those of `none` in the same round. The floor is the least
# ratio that arithmetic allows: the sum over the steps of the mean load over that of the greatest load without a
# balancer, as declared.
#
# Environment: REPEAT=5 rounds; MPIRUN=mpirun.
. "$(dirname "$0")/bench.bash"
shift
three_phase="16 hex --generate=hex:32x32 --steps=90 --imbalance=three-phase:10 --load=declared --partitioner=metis"
balancers="none central:published central metis scotch:remap diffusive rcb sfc"

# on RANKS PROGRAM ARGUMENT ...: leaves what it prints in the file `out`, and complains if it fails.
on()
{
    local ranks=$1 program=$2
    shift 2
    # shellcheck disable=SC2086
    timeout 600 ${MPIRUN:-mpirun} -n "$ranks" "$bin/$program" "$@" >"$work/out" 2>"$work/err" </dev/null ||
        { cat "$work/err" >&2; exit 1; }
}
field() { sed -n "s/.*$1 \([0-9.e+-]*\).*/\1/p" "$work/out" | head -1; }
# Applied calls, and the last call's line.
calls() { sed -n 's/^balancing.* \([0-9]*\) applied.*/\1/p' "$work/out"; }
moved() { sed -n 's/^balancing.* \([0-9]*\) nodes and.*/\1/p' "$work/out"; }
steps() { sed -n 's/^ *all steps *//p' "$work/out"; }

table_three_phase()
{
    echo; echo "three-phase:10, hex 32x32, 16 ranks, 90 steps, metis start, auto"
    printf '%-16s %10s %8s %12s\n' balancer efficiency applied "nodes moved"
    for b in $balancers scotch; do
        # shellcheck disable=SC2086
        on $three_phase --balancer="$b"
        printf '%-16s %10s %8s %12s   README: | `%s` | %.2f |\n' "$b" "$(field efficiency)" "$(calls)" "$(moved)" "$b" \
            "$(field efficiency)"
    done
}

table_alternate()
{
    echo; echo "alternate:10:2, hex 32x32, 16 ranks, 400 steps, a call costs 5 mean steps: makespan over that of none"
    local cost none
    on 16 hex --generate=hex:32x32 --steps=400 --imbalance=alternate:10:2 --load=declared --balancer=none
    none=$(field makespan)
    cost=$(awk -v total="$(sed -n 's/.*total \([0-9.e+]*\).*/\1/p' "$work/out")" 'BEGIN { print 5 * total / 400 / 16 }')
    for b in central metis diffusive; do
        on 16 hex --generate=hex:32x32 --steps=400 --imbalance=alternate:10:2 --load=declared --balancer="$b" \
            --balance-cost="$cost"
        printf '%-16s %10s   %s applied\n' "$b" \
            "$(awk -v a="$(field makespan)" -v n="$none" 'BEGIN { printf "%.4f", a / n }')" "$(calls)"
    done
}

ratio_heading()
{
    printf '%-22s %6s' "$1" floor
    for b in $balancers; do [ "$b" = none ] || printf ' %21s' "$b"; done
    echo
}

# ratio_row NAME RANKS PROGRAM ARGUMENT ...
ratio_row()
{
    local name=$1 ranks=$2 b none
    shift 2
    on "$ranks" "${@/#--grain=*/--grain=none}" --load=declared --balancer=none
    printf '%-22s %6.3f' "$name" "$(field efficiency)"
    rm -f "$work"/ratio.*
    for _ in $(seq "${REPEAT:-5}"); do
        for b in $balancers; do
            on "$ranks" "$@" --balancer="$b"
            [ "$b" != none ] || none=$(steps)
            awk -v s="$(steps)" -v n="$none" 'BEGIN { print s / n }' >>"$work/ratio.$b"
        done
    done
    for b in $balancers; do
        [ "$b" = none ] ||
            sort -g "$work/ratio.$b" | awk '{ v[NR] = $1 } END {
                printf "   %.3f (%.2f .. %.2f)", v[int((NR + 1) / 2)], v[1], v[NR] }'
    done
    echo
}

table_papers()
{
    echo
    echo -n "the papers' setting: three-phase:10, 25 steps, every:10, 0.3 ms sleeping, measured loads: "
    echo "seconds over those of none"
    ratio_heading "graph, ranks"
    local graph ranks
    for graph in "hex --generate=hex:8x4" "hex --generate=hex:8x8" "hex --generate=hex:12x8" \
        "random --generate=random:nodes=32" \
        "random --generate=random:nodes=64"; do
        for ranks in 4 8 16; do
            # shellcheck disable=SC2086
            ratio_row "$graph, $ranks" "$ranks" $graph --steps=25 --imbalance=three-phase:10 --grain=0.3ms:sleep \
                --balance-when=every:10:always
        done
    done
}

table_start()
{
    echo; echo "all nodes on rank 0, hex 64x64, 8 ranks: imbalance after one call"
    yes 0 | head -4096 >"$work/all.part"
    for b in $balancers; do
        [ "$b" != none ] || continue
        on 8 hex --generate=hex:64x64 --steps=2 --load=declared --balancer="$b" --balance-when=every:1:always \
            --partitioner="file:$work/all.part"
        printf '%-16s %s\n' "$b" "$(sed -n 's/^ *1  *[0-9.]*  *\([0-9.a-z]*\).*/\1/p' "$work/out")"
    done
}

table_crowd()
{
    echo; echo "64 ranks: imbalance before, after one call, bound; diffusive"
    local graph
    for graph in "hex --generate=hex:128x128 --imbalance=disc:10" \
        "random --generate=rmat:scale=13,factor=8 --imbalance=three-phase:10"; do
        # shellcheck disable=SC2086
        on 64 $graph --steps=2 --load=declared --balancer=diffusive --balance-when=every:1:always
        printf '%-70s %s\n' "$graph" "$(sed -n 's/^ *1  *\([0-9.]* *[0-9.a-z]* *[0-9.]*\).*/\1/p' "$work/out")"
    done
}

# plan_row CALLS RANKS BALANCER PROGRAM ARGUMENT ...: milliseconds of a call with its migration, of processor time for
# its plan on all ranks together, and the last cut.
plan_row()
{
    local calls=$1 ranks=$2 b=$3
    shift 3
    on "$ranks" "$@" --load=declared --steps=$((calls + 1)) --balancer="$b" --balance-when=every:1:always \
        --metrics="$work/metrics"
    # shellcheck disable=SC2046
    printf '%2d ranks  %-20s %8.2f %8.2f %6d\n' "$ranks" "$b" \
        $(sed -n 's/.*"balance_totals".*"seconds": \([0-9.]*\), "cpu_seconds": \([0-9.]*\).*/\1 \2/p' \
            "$work/metrics" | awk -v calls="$calls" '{ print 1000 * $1 / calls, 1000 * $2 / calls }') \
        "$(sed -n 's/.*"cut_after": \([0-9]*\).*/\1/p' "$work/metrics" | tail -1)"
}

table_plans()
{
    echo; echo "hex 64x64, disc:10, a call after each of 40 steps: milliseconds of a call with its migration, of"
    echo "processor time for its plan on all ranks together, and the last cut"
    local ranks b
    for ranks in 2 4 8; do
        for b in diffusive diffusive:rounds=1 metis; do
            plan_row 40 $ranks "$b" hex --generate=hex:64x64 --imbalance=disc:10
        done
    done
}

table_dense()
{
    echo; echo "nbody, 16384 bodies in 3992 leaves of 74 neighbours, a call after each of 4 steps: likewise, and"
    echo "the efficiency of the run, and the nodes moved"
    local b
    for b in diffusive metis; do
        echo "$(plan_row 4 8 "$b" nbody) $(field efficiency) $(moved)"
    done
}

table_measured()
{
    echo
    echo -n "measured loads, spinning grain, hex 32x32 in block parts, three-phase:10, 90 steps, 2 ranks: "
    echo "seconds over those of none"
    ratio_heading ""
    ratio_row "10us a node" 2 hex --generate=hex:32x32 --steps=90 --grain=10us:spin --imbalance=three-phase:10 \
        --partitioner=block
}

table_small()
{
    local balancers="none metis diffusive" grid
    echo
    echo -n "small graphs, 4 ranks, three-phase:10, 100 steps, 0.1 ms sleeping, measured loads, auto: "
    echo "seconds over those of none"
    ratio_heading "graph"
    for grid in 8x8 16x12 24x24; do
        ratio_row "hex --generate=hex:$grid" 4 hex --generate=hex:"$grid" --steps=100 --imbalance=three-phase:10 \
            --grain=0.1ms:sleep
    done
}

echo "$(setting), ${REPEAT:-5} rounds where loads are measured"
for table in "${@:-three_phase alternate papers start crowd plans dense measured small}"; do
    for one in $table; do "table_${one//-/_}"; done
done
