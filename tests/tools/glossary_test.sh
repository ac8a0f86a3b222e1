#!/bin/bash
# glossary_test.sh BIN SOURCE - the words that programs print are in the glossary, and every --help names it.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)
command -v python3 >/dev/null || skip "no python3 to read the output with"

# say NAME STATUS RANKS PROGRAM ARGUMENT ...: its output is kept.
say() { expect "${@:2}" && cat out err >"$1.said"; }
say summary 0 2 hex --generate=hex:12x12 --steps=40 --imbalance=three-phase --load=declared --balancer=diffusive \
    --balance-when=every:10 --machine=flat,speeds=1:2 --comm=auto:explain --verify --metrics=metrics --record=record
say changes 0 2 grow --generate=tree:nodes=1,coordinates --steps=20 --check
say comm 0 2 pen-comm --generate=hex:6x6 --records=8,64 --rounds=2 --seconds=1
say halo 0 2 pen-comm --halo=1x64 --rounds=2 --seconds=1 --model=here.machine
expect 0 0 pen-graph make hex:12x12 -o hex.graph
expect 0 0 pen-graph part hex.graph 2 -o hex.part
say info 0 0 pen-graph info hex.graph --part=hex.part
say machine 0 0 pen-graph info here.machine
say part 0 0 pen-graph part hex.graph 4 --compare --machine=clusters:2,between=3
say record 0 0 pen-sim info record
say replay 0 0 pen-sim replay record --ranks=4 --balancer=none,diffusive --columns=all
say hindsight 0 0 pen-sim hindsight record --balancer=diffusive
for kind in comm partitioners balancers; do patiently 20 "$bin/hex" --list=$kind; done |
    awk '/^[a-z]/ { print $1 }' >names
python3 "$source/tests/tools/glossary_check.py" "$source/runtime/glossary.md" names ./*.said >missing ||
    complain "$(cat missing)"
# Words that no glossary has are found.
printf 'a heading   nonsense   of three\nrow   1   2\n\nphlogiston   heat 3\n' >new.said
python3 "$source/tests/tools/glossary_check.py" "$source/runtime/glossary.md" names new.said >missing &&
    complain "words that the glossary does not have are not found"
for word in nonsense phlogiston; do grep -q "^\"$word\" is not" missing || complain "$word is not found"; done

for program in hex pen-graph pen-comm pen-sim pen-draw pen-plot pen-keep; do
    [ -x "$bin/$program" ] || continue
    patiently 20 "$bin/$program" --help | grep -q 'man penumbra_glossary' ||
        complain "$program --help does not name the glossary"
done
finish
