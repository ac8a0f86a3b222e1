#!/bin/bash
# progress_test.sh BIN - the progress line: on a terminal, also through mpiexec, and never in what is redirected.
. "$(dirname "$0")/support.bash"
command -v script >/dev/null || skip "no script(1) to make a terminal with"

# Standard error is a terminal, standard output a file.
on_terminal() # COMMAND
{
    patiently 30 script -q -e -c "$1 >out" typescript </dev/null >/dev/null || complain "$1: exit status $?"
}
hex="$(printf %q "$bin/hex") --generate=hex:8x8 --steps=40 --grain=20us"
for launcher in "" "$(printf %q "${MPIEXEC:-mpiexec}") -n 2 "; do
    on_terminal "$launcher$hex"
    grep -q 'step [0-9]* of 40' typescript || complain "$launcher$hex: no progress line on a terminal"
    grep -q "step [0-9]* of 40.*"$'\e\\[?7h' typescript &&
        ! grep -v $'\e\\[?7l' typescript | grep -q 'step [0-9]* of' ||
        complain "$launcher$hex: the terminal is not told to cut a long line"
    grep -q 'step [0-9]' out && complain "$launcher$hex: the progress line is in the data"
    grep -q '^checksum' out || complain "$launcher$hex: no report on standard output"
    on_terminal "$launcher$hex --quiet"
    grep -q 'step [0-9]' typescript && complain "$launcher$hex --quiet: there is a progress line"
    [ ! -s out ] || complain "$launcher$hex --quiet: prints"
done
on_terminal "$hex --progress=off"
grep -q 'step [0-9]' typescript && complain "--progress=off: there is a progress line"

expect 0 2 hex --generate=hex:8x8 --steps=40
[ ! -s err ] || complain "$ran: standard error of a redirected run has $(head -1 err)"
expect 0 0 hex --generate=hex:8x8 --steps=40 --progress=on
grep -q 'step [0-9]* of 40' err || complain "$ran: no progress line"
! grep -q $'\e' err || complain "$ran: words for a terminal in a file"
! grep -q -e --verify err || complain "$ran: a progress line of --verify"
expect 0 2 hex --generate=hex:8x8 --steps=40 --progress=on --verify
grep -q 'step [0-9]* of 40 .*--verify' err || complain "$ran: no progress line of --verify"

# Of a resumed run all steps are shown, and the time that is left is that of those to come.
mkdir saved
expect 0 0 hex --generate=hex:8x8 --steps=40 --checkpoint=saved --quiet
expect 0 0 hex --checkpoint=saved --resume --steps=80 --accept=steps --grain=1ms --progress=on
grep -q 'step [0-9]* of 80' err && ! grep -q -e '-[0-9.]* s left' err || complain "$ran: $(tr '\r' '\n' <err | head -3)"
tr '\r' '\n' <err |
    awk '/^step/ && $2 > 42 && $2 < 60 && $9 + 0.05 < ($7 - 0.05) / ($2 - 40) * (80 - $2) * 0.9 { exit 1 }' ||
    complain "$ran: too little time is left: $(tr '\r' '\n' <err)"
rm -r saved

# pen-graph has a line about what takes longer than a second, which vanishes.
expect 0 0 pen-graph make hex:200x200 -o big.graph
slowly="head -c 400000 big.graph; sleep 1.3; tail -c +400001 big.graph"
graph=$(printf %q "$bin/pen-graph")
on_terminal "($slowly) | $graph check --from=metis -"
grep -q 'reading <standard input>: 0 MB' typescript || complain "pen-graph check: no progress line on a terminal"
grep -q 'nothing wrong' out || complain "pen-graph check: no result on standard output: $(cat out)"
on_terminal "$graph part big.graph 2 -o parts"
grep -q 'partitioning with metis' typescript || complain "pen-graph part: no progress line on a terminal"
eval "$slowly" | "$bin/pen-graph" check --from=metis - >out 2>err
[ ! -s err ] || complain "pen-graph check: standard error of a redirected run has $(head -1 err)"
finish
