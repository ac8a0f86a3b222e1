#!/bin/bash
# one_process_program_test.sh BIN - programs that penumbra_one_process has built: ranks, hosts and seeds give the same
# result; equal seeds give equal runs; clocks are the same in each run; a call that fails, and a rank that dies, end the
# program.
. "$(dirname "$0")/support.bash"

sum() # PROGRAM ARGUMENT ...
{
    "$bin/$1_one_process" "${@:2}" --steps=5 --verify >out 2>err || complain "$*: exit status $?: $(head -3 err)"
    sed -n 's/^checksum *//p' out
}

right=$(sum heat --ranks=1 --seed=0 --generate=mesh:9x9)
[ -n "$right" ] || complain "no checksum"
for comm in fence pscw passive shared blocking overlap persistent neighbor; do
    for seed in 0 1 2; do
        [ "$(sum heat --ranks=5 --hosts=$((seed + 1)) --seed=$seed --generate=mesh:9x9 --comm=$comm)" = "$right" ] ||
            complain "--comm=$comm, seed $seed: another checksum"
    done
done
right=$(sum hex --ranks=1 --seed=0 --generate=hex:20x20)
[ -n "$right" ] || complain "no checksum of hex"
for ranks in 16 "64 --stacks" "200 --stacks"; do
    # shellcheck disable=SC2086
    [ "$(sum hex --ranks=$ranks --seed=7 --generate=hex:20x20)" = "$right" ] ||
        complain "$ranks ranks: another checksum"
done
for n in 1 2; do
    "$bin/heat_one_process" --ranks=3 --seed=5 --trace --generate=mesh:5x5 --steps=2 --quiet 2>trace$n
done
cmp -s trace1 trace2 || complain "equal seeds give other calls"
[ "$(grep -c 'rank 2, call' trace1)" -gt 20 ] || complain "no trace"

cat >two.machine <<'END'
processors 6
seconds 1
cluster a 3 cost=1e-10,latency=1e-7
cluster b 3 cost=1e-10,latency=1e-7
link a b cost=1e-9,latency=1e-5
END
clock() # ARGUMENT ... : prints the latest clock
{
    "$bin/hex_one_process" --ranks=6 --machine=two.machine --work=1e-7 "$@" --generate=hex:20x20 --steps=5 \
        --quiet 2>err ||
        complain "--machine $*: exit status $?: $(head -3 err)"
    sed -n 's/.*latest clock//p' err
}
once=$(clock)
[ -n "$once" ] || complain "no clock: $(head -2 err)"
[ "$(clock)" = "$once" ] || complain "equal runs take other times"
[ "$(clock --stacks)" = "$once" ] || complain "one thread takes other times"
{ sed 4q two.machine; seq -f '%% %g' 20000; sed 1,4d two.machine; } >long.machine
[ "$(clock --machine=long.machine)" = "$once" ] || complain "a long machine file is cut off"
[ "$(clock --served=1e-6)" != "$once" ] || complain "who answers gets makes no difference"
[ "$(clock --work=1e-6)" != "$once" ] || complain "work takes no time"

fails() # STATUS WORDS ARGUMENT ...
{
    "$bin/heat_one_process" "${@:3}" --generate=mesh:5x5 --steps=9 --quiet >out 2>err
    [ $? -eq "$1" ] || complain "${*:3}: another exit status than $1"
    grep -q "$2" err || complain "${*:3}: says $(head -2 err)"
}
fails 87 "no rank gets on" --ranks=3 --faulty=1 --dies-at=100
fails 3 "rank 1: .*MPI_" --ranks=3 --hosts=3 --faulty=1 --fails-at=150
fails 2 "is not a number" --ranks=x
fails 2 "this build has no PT-Scotch" --ranks=2 --partitioner=ptscotch
fails 2 "with a --seed" --machine=two.machine --seed=1
sed -i /seconds/d two.machine
fails 2 "times in seconds" --ranks=6 --machine=two.machine
: >empty.machine
fails 2 "it describes no machine" --machine=empty.machine

# Cases of tests can be chosen, by the names that are listed.
"$bin/core_tests" --list | grep -q '^peers_test:test_reduce()$' || complain "core_tests does not list test_reduce"
alone() { "$bin/core_one_process" 2 1 0 "$@" >out 2>err; }
alone peers_test:test_reduce && grep -q '^case peers_test ' out || complain "test_reduce alone: $(cat out err)"
alone peers_test:test_nothing && complain "a case that does not exist passes"
alone nothing && complain "a test that does not exist passes"
grep -q 'no test is called nothing' err || complain "a test that does not exist: $(cat err)"
finish
