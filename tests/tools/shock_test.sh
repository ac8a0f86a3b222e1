#!/bin/bash
# shock_test.sh BIN SOURCES - the shock wave gives what a serial program gives, to the bit, on any number of ranks and
# with nodes that move; tables and mistakes are told as a user needs them.
reference=$(cd "$2" && pwd)/tests/tools/shock.py
. "$(dirname "$0")/support.bash"
command -v python3 >/dev/null || skip "it needs python3"

# The serial program's own answers, which were found by two others.
python3 "$reference" 40x40 2 cubic 30 1 6 16 31 >told || complain "shock.py: failed"
cmp told - <<'END' || complain "shock.py: says $(cat told)"
1 2086 4231 8203ec00cb396165
6 2086 4232 237ae31ac854bb4d
16 2086 4232 69d211b9f9efe416
31 2086 4231 643e43c55cae55a7
END

# follows STEPS RANKS OPTION ...: the dump is the serial program's.
follows()
{
    local steps=$1 ranks=$2
    shift 2
    expect 0 "$ranks" shock --steps="$steps" --dump="dump.$steps.$ranks" --quiet "$@"
    cmp "shock.$steps" "dump.$steps.$ranks" || complain "$ran: not what the serial program has"
    rm -f "dump.$steps.$ranks"
}
# Alone, since many ranks on few cores make a balancer slow.
diffusive=(--balancer=diffusive --balance-when=every:1:always --load=declared)
follows 6 8 --partitioner=rect:rows=2,columns=4 "${diffusive[@]}"
follows 16 3 --comm=overlap "${diffusive[@]}" --verify
later follows 31 1 --order=hilbert --verify
later follows 31 2 --comm=passive --migrate-random=5:0.2 --verify
later follows 31 3 --comm=pscw --balancer=metis --balance-when=change:always --load=declared
later follows 31 4 --comm=shared --partitioner=random:seed=3
later follows 31 7 --comm=persistent --partitioner=block --migrate-random=2:0.3
later follows 31 8 --comm=neighbor --partitioner=column
wait

# Other waves, depths and grids, also where the wave moves no more.
like_serial()
{
    local grid=$1 depth=$2 wave=$3 moves=$4 ranks=$5 folder=$1.$2.$3
    mkdir "$folder" && cd "$folder" && canaries . || return
    python3 "$reference" "$grid" "$depth" "$wave" "$moves" $((moves + 3)) >told || complain "shock.py $*: failed"
    follows $((moves + 3)) "$ranks" --generate=mesh:"$grid" --depth="$depth" --wave="$wave" --moves="$moves" --verify \
        "${@:6}"
    cd ..
}
like_serial 17x23 4 cubic 4 4 "${diffusive[@]}"
later like_serial 40x40 2 circle 5 3 --migrate-random=4
later like_serial 24x20 3 line 9 2 --comm=shared
later like_serial 5x3 5 circle 3 3
later like_serial 30x4 1 cubic 30 5 --migrate-random=8:0.3
wait
expect 0 3 shock --generate=mesh:16x12 --depth=3 --steps=6 --check --verify

# What is observed: every cell, the same mass, and what is born.
expect 0 2 shock --observables=observed.csv --quiet
python3 - <<'END' || complain "observed.csv: $(head -3 observed.csv)"
import csv
lines = list(csv.DictReader(open("observed.csv")))
assert len(lines) == 33, len(lines)  # two steps more than the wave moves
assert [int(line["cells"]) for line in lines] == [1600] + 32 * [2086]
assert [int(line["born"]) for line in lines] == [0, 568] + 30 * [524] + [0]
assert {int(line["mass"]) for line in lines} == {40 * 40 * 41 // 2 << 24}
low, high = ([int(line[name]) for line in lines] for name in ("lowest", "highest"))
assert low[0] == 1 << 24 and high[0] == 40 << 24, (low[0], high[0])
assert low == sorted(low) and high == sorted(high, reverse=True), (low, high)
END

# Balancers that cut space know where cells are, also those of a mesh that was a grid: METIS leaves 97 to 133 edges
# between ranks, and they left up to 1272 when gids were places. A run that is resumed goes on in the same way.
cuts() { python3 -c 'import json, sys
for call in json.load(open(sys.argv[1]))["balance_calls"]:
    if call["step"] >= int(sys.argv[2]):
        print(call["step"], call["cut_before"], call["cut_after"], call["moved_nodes"])' "$@"; }
mkdir waves && canaries --checkpoints waves
for balancer in rcb:220 sfc:275; do
    name=${balancer%:*}
    spatial=(--depth=3 --load=declared --balance-when=every:1:always --balancer="$name" --output-fields=mass,gid)
    expect 0 4 shock --quiet "${spatial[@]}" --metrics="$name.json" --output="$name.vtu"
    [ "$(cuts "$name.json" 0 | awk '$3 > most { most = $3 } END { print most }')" -le "${balancer#*:}" ] ||
        complain "$name cuts $(cuts "$name.json" 0 | cut -d" " -f3 | tr '\n' ' ')"
done
expect 0 4 shock --quiet --steps=12 "${spatial[@]}" --output=half.vtu --checkpoint=waves --checkpoint-every=10
cp -r waves others
expect 0 4 shock --quiet --steps=32 "${spatial[@]}" --checkpoint=waves --resume --metrics=again.json --output=again.vtu
cmp sfc.vtu again.vtu || complain "a resumed run has drawn another mesh"
# The checkpoint is of the end of a run, which is not balanced: what the call after step 12 does comes after step 13.
[ "$(cuts sfc.json 14)" = "$(cuts again.json 14)" ] || complain "a resumed run has been balanced otherwise"
expect 0 3 shock --quiet --steps=32 "${spatial[@]}" --checkpoint=others --resume --output=again.vtu
cmp sfc.vtu again.vtu || complain "a run that is resumed on 3 ranks has drawn another mesh"

# Mistakes.
later expect_mistake "--depth=9: must be from 0 to 8" 2 shock --depth=9 --dump=d
later expect_mistake "--wave must be cubic, line or circle" 2 shock --wave=square --dump=d
later expect_mistake "--moves must be at most the number of columns" 2 shock --generate=mesh:20x9 --moves=21
later expect_mistake "--moves=-1: must be from 0 to" 0 shock --moves=-1
later expect_mistake "number of cells or its mass overflows" 2 shock --generate=mesh:1100000x1 --depth=8
later expect_mistake "use more ranks" 0 shock --generate=mesh:20000000x20000000 --depth=8
later expect_mistake "sizes \"9\"" 0 shock --generate=mesh:9
later expect_mistake "product at most 2^62" 0 shock --generate=mesh:4611686018427387904x3
expect 0 0 pen-graph make mesh:200x2 -o wide.pen
later expect_mistake "--graph needs --steps, --moves or --until" 2 shock --graph=wide.pen
later expect 0 0 shock --graph=wide.pen --moves=3 --quiet
later expect_mistake "a mesh is made of squares" 2 shock --generate=torus:9x9
later expect_mistake "a mesh is made of squares" 0 shock --generate=mesh:9x9x9
wait
[ ! -e d ] || complain "left a dump"
finish
