#!/bin/bash
# checkpoint_test.sh BIN - applications are stopped and go on from their checkpoints, on other numbers of ranks: dumps,
# observables and their file are those of a run that was never stopped; what cannot be is said in a sentence.
. "$(dirname "$0")/support.bash"

# resumes NAME RANKS PROGRAM ARGUMENT ...: on 2 ranks, saved on the way, and gone on with on RANKS
resumes()
{
    local name=$1 ranks=$2 files
    shift 2
    files=(--dump="$name/dump" --observables="$name/csv" --quiet)
    mkdir "$name" "$name/saved"
    expect 0 2 "$@" "${files[@]}"
    mv "$name/dump" "$name/dump.whole"
    mv "$name/csv" "$name/csv.whole"
    expect 0 2 "$@" "${files[@]}" --checkpoint="$name/saved" --checkpoint-every=4
    rm "$name/dump"
    expect 0 "$ranks" "$@" "${files[@]}" --checkpoint="$name/saved" --resume --metrics="$name/metrics"
    cmp "$name/dump" "$name/dump.whole" || complain "$name on $ranks ranks: another dump"
    cmp "$name/csv" "$name/csv.whole" || complain "$name on $ranks ranks: other observables"
    grep -q '"resumed": [1-9]' "$name/metrics" || complain "$name: $(grep '"checkpoints"' "$name/metrics")"
    ! ls "$name/saved" | grep -v '^\(lock\|step-[0-9]\{12\}\.checkpoint\)$' || complain "$name: other files"
    [ "$(ls "$name/saved" | wc -l)" -eq 3 ] || complain "$name: $(ls "$name/saved")"
}

later resumes battlefield 3 battlefield --grid=16x16 --steps=11 --load=declared --balancer=central
later resumes shock 1 shock --grid=12x12 --load=declared --balancer=diffusive --migrate-random=4:0.1
later resumes nbody 3 nbody --bodies=64 --steps=9
later resumes cg 2 cg --grid=12x12 --steps=9 --partitioner=block --comm=passive
wait

mkdir gone
expect 0 2 heat --grid=8x8 --steps=6 --checkpoint=gone --checkpoint-every=2 --quiet

# Steps, and a graph that is not named again, are those of before; other ones are possible here, or told.
expect 0 1 heat --resume=gone --dump=six --quiet
run 1 heat --grid=8x8 --steps=6 --dump=whole --quiet
cmp six whole || complain "heat: another dump"
expect 0 1 heat --resume=gone --steps=9 --dump=nine --quiet
run 1 heat --grid=8x8 --steps=9 --dump=whole --quiet
cmp nine whole || complain "heat, with more steps: another dump"

refused() { local text=$1; shift; expect_mistake "$text" 0 heat --quiet "$@"; }
later refused 'other options of the graph: grid=8x8 where this run has grid=9x9' --grid=9x9 --resume=gone
later refused 'seed 1, and this run has 2' --seed=2 --resume=gone
later refused 'there is no checkpoint in it' --resume=.
later refused 'no such folder for checkpoints' --resume=nowhere
later refused 'no such folder for checkpoints' --grid=8x8 --checkpoint=nowhere
later refused 'gone: there are checkpoints: --resume goes on from them' --grid=8x8 --checkpoint=gone
later refused 'resume needs a folder' --resume
later refused 'checkpoint-every needs --checkpoint=DIR' --grid=8x8 --checkpoint-every=5
later refused 'checkpoint-before=soon: it is HH:MM' --grid=8x8 --checkpoint=. --checkpoint-before=soon
wait
expect_mistake 'a checkpoint of heat, and this is hex' 0 hex --grid=8x8 --resume=gone --quiet
other=(gone/step-*6.checkpoint)
truncate -s -1 "${other[0]}"
expect 0 1 heat --resume=gone --dump=six --quiet
grep -q 'step-000000000006.checkpoint: damaged: it has .* bytes.*; taking the checkpoint before it' "$err" ||
    complain "heat: says $(cat "$err")"
run 1 heat --grid=8x8 --steps=6 --dump=whole --quiet
cmp six whole || complain "heat from the checkpoint before: another dump"

# SIGUSR1 asks for a checkpoint, SIGTERM for one and the end, whichever rank gets it.
mkdir asked
"${MPIEXEC:-mpiexec}" -n 2 "$bin/heat" --grid=64x64 --steps=100000000 --checkpoint=asked --quiet >"$out" 2>"$err" &
launcher=$!
for ((i = 0; i < 100; i++)); do
    mapfile -t ranks < <(for p in $(pgrep -x heat); do [ "$(readlink "/proc/$p/cwd")" != "$PWD" ] || echo "$p"; done)
    [ ${#ranks[@]} -eq 2 ] && [ -e asked/lock ] && break
    sleep 0.1
done
sleep 0.5
kill -USR1 "${ranks[1]}"
for ((i = 0; i < 100; i++)); do compgen -G 'asked/step-*.checkpoint' >/dev/null && break; sleep 0.1; done
compgen -G 'asked/step-*.checkpoint' >/dev/null || complain "SIGUSR1: no checkpoint"
kill -TERM "${ranks[0]}"
wait "$launcher"
status=$?
[ $status -eq 4 ] || complain "SIGTERM: exit status $status, expected 4"
grep -q '^heat: ended by SIGTERM after step [0-9]*: --resume=asked goes on from there' "$err" ||
    complain "SIGTERM: says $(cat "$err")"
finish
