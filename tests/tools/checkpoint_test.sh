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
    canaries "$name" && canaries --checkpoints "$name/saved"
    expect 0 2 "$@" "${files[@]}"
    mv "$name/dump" "$name/dump.whole"
    mv "$name/csv" "$name/csv.whole"
    expect 0 2 "$@" "${files[@]}" --checkpoint="$name/saved" --checkpoint-every=4
    rm "$name/dump" "$(find "$name/saved" -name 'step-*.checkpoint' | sort | tail -1)" # that of the end
    expect 0 "$ranks" "$@" "${files[@]}" --checkpoint="$name/saved" --resume --metrics="$name/metrics"
    cmp "$name/dump" "$name/dump.whole" || complain "$name on $ranks ranks: another dump"
    cmp "$name/csv" "$name/csv.whole" || complain "$name on $ranks ranks: other observables"
    grep -q '"resumed": [1-9]' "$name/metrics" || complain "$name: $(grep '"checkpoints"' "$name/metrics")"
    ! others_in "$name/saved" | grep -v '^\(lock\|step-[0-9]\{12\}\.checkpoint\)$' || complain "$name: other files"
    [ "$(others_in "$name/saved" | wc -l)" -eq 2 ] || complain "$name: $(ls "$name/saved")"
}

later resumes battlefield 3 battlefield --generate=hex:16x16 --steps=11 --load=declared --balancer=central
later resumes shock 1 shock --generate=mesh:12x12 --load=declared --balancer=diffusive --migrate-random=4:0.1
later resumes nbody 3 nbody --bodies=64 --steps=9
later resumes cg 2 cg --generate=hex:12x12 --steps=9 --partitioner=block --comm=passive
wait

mkdir gone && canaries --checkpoints gone
expect 0 2 heat --generate=hex:8x8 --steps=6 --checkpoint=gone --checkpoint-every=2 --quiet

# Steps, and a graph that is not named again, are those of before; other ones are possible here, or told.
expect 0 1 heat --resume=gone --dump=six --quiet
run 1 heat --generate=hex:8x8 --steps=6 --dump=whole --quiet
cmp six whole || complain "heat: another dump"
expect 0 1 heat --resume=gone --steps=9 --dump=nine --quiet
run 1 heat --generate=hex:8x8 --steps=9 --dump=whole --quiet
cmp nine whole || complain "heat, with more steps: another dump"

# A run leaves its end, from which a longer one goes on; one that ends by itself, too.
mkdir ended until && canaries --checkpoints ended until
resumed() { sed -n 's/.*"resumed": \([^,]*\),.*/\1/p' "$1"; }
expect 0 2 heat --generate=hex:8x8 --steps=6 --checkpoint=ended --quiet
expect 0 3 heat --steps=9 --checkpoint=ended --resume --dump=ended.nine --metrics=ended.json --quiet
[ "$(resumed ended.json)" = 6 ] || complain "heat goes on from $(resumed ended.json), expected 6"
cmp nine ended.nine || complain "heat from the end of another run: another dump"
expect 0 1 wave --generate=hex:9x9 --until="kinetic energy>0" --checkpoint=until --quiet
expect 0 2 wave --resume=until --until="moving nodes>40" --metrics=until.json --dump=until.dump --quiet
[ "$(resumed until.json)" = 1 ] || complain "wave goes on from $(resumed until.json), expected 1"
expect_mistake "until: the run had no limit of steps: give --until or --steps" 2 wave --resume=until
expect 0 1 wave --generate=hex:9x9 --until="moving nodes>40" --dump=whole --quiet
cmp whole until.dump || complain "wave with another --until: another dump"

# A file of observables that is not in the checkpoint keeps its lines; what a resumed run itself has left is replaced.
lines=(wave --quiet --checkpoint=lines --observables=lines.csv)
mkdir lines && canaries --checkpoints lines
expect 0 2 "${lines[@]}" --generate=hex:9x9 --steps=4
expect 0 2 wave --quiet --checkpoint=lines --resume --steps=6
cp lines.csv lines.old
expect_mistake "lines.csv: it has lines up to the resumed run's checkpoint, which has none of them: give a new name" 2 \
    "${lines[@]}" --resume --steps=8
cmp lines.csv lines.old || complain "$ran: changes the file"
printf '%s\n' "$(head -1 lines.old)" 7,0,0,0 >lines.csv
expect 0 2 "${lines[@]}" --resume --steps=8
[ "$(cut -d, -f1 lines.csv | xargs)" = "step 7 8" ] || complain "$ran: writes $(cat lines.csv)"

# Examples whose .setup does not look at the steps go on with more of them.
for name in paths push stepping travellers; do
    mkdir $name && canaries --checkpoints $name
    later expect 0 0 examples/$name --generate=hex:8x8 --steps=2 --checkpoint=$name --quiet
done
wait
for name in paths push stepping travellers; do
    later expect 0 0 examples/$name --resume=$name --steps=4 --quiet
done
wait

# The graph that is named is the checkpoint's, whatever its file is called; another one is refused.
mkdir named elsewhere && canaries --checkpoints named
expect 0 0 pen-graph make mesh:8x8,coordinates -o g.pen
expect 0 0 pen-graph make mesh:8x8 -o other.pen
expect 0 2 heat --graph=g.pen --steps=4 --checkpoint=named --quiet
expect 0 2 heat --graph=./g.pen --steps=6 --resume=named --quiet
mv g.pen elsewhere/moved.pen
expect 0 2 heat --graph=elsewhere/moved.pen --steps=6 --resume=named --quiet
cp other.pen g.pen
again=(heat --graph=g.pen --steps=6 --resume=named --quiet)
expect_mistake 'but this run has g.pen of 64 nodes and 112 edges that differ; --resume needs no graph' 2 "${again[@]}"

mkdir placed && canaries --checkpoints placed
printf '4 4\n2 3\n1 4\n1 4\n2 3\n' >square.graph
printf 'gid,x,y\n0,0,0\n1,1,0\n2,0,1\n3,1,1\n' >square.csv
expect 0 2 heat --graph=square.graph --input=square.csv --steps=3 --checkpoint=placed --quiet
expect_mistake 'of 4 nodes and 4 edges without the coordinates that --input gave: name its files, too; --resume needs' \
    2 heat --graph=square.graph --steps=4 --resume=placed --quiet
expect 0 2 heat --graph=square.graph --input=square.csv --steps=4 --resume=placed --quiet

# A file that is named again must have the contents that the first run read, if it is there.
mkdir planned
printf 'size 8x6\nred infantry 1 assets 9 at 0,0\n' >plan.txt
expect 0 2 battlefield --scenario=plan.txt --steps=3 --checkpoint=planned --quiet
battle=(battlefield --scenario=plan.txt --steps=5 --resume=planned --quiet)
sed -i 's/ 9 / 7 /' plan.txt
expect_mistake "the run of the checkpoint read files with other contents by --scenario: results may depend on that; \
--accept=scenario continues anyway" 2 "${battle[@]}"
expect 0 2 "${battle[@]}" --accept=scenario --metrics=planned.json
grep -q '"accepted": \["scenario"\]' planned.json || complain "the metrics: $(grep accepted planned.json)"
rm plan.txt
expect 0 0 "${battle[@]}"

# A word is no file's name, though a file, here the dump, gets that name later, and changes.
mkdir word && canaries --checkpoints word
expect 0 2 shock --generate=mesh:12x12 --wave=circle --steps=2 --checkpoint=word --dump=circle --quiet
expect 0 2 shock --wave=circle --steps=4 --checkpoint=word --resume --quiet
echo more >>circle
expect 0 2 shock --wave=circle --steps=5 --resume=word --quiet

# Options that results depend on are those of before, unless that is accepted, and told in the metrics.
mkdir accepted && canaries --checkpoints accepted
expect 0 2 wave --generate=hex:9x9 --steps=4 --seed=5 --checkpoint=accepted --quiet
faster=(wave --resume=accepted --dt=0.25 --seed=3 --steps=6 --quiet)
expect_mistake "seed 5, but this run has 3: results may depend on that; --accept=seed continues anyway" 2 \
    "${faster[@]}"
expect_mistake "other settings: dt=0.5, but this run has dt=0.25: results may depend on that; --accept=dt continues \
anyway; list options that never matter in pen_app.checkpoint.may_differ" 2 "${faster[@]}" --accept=seed
expect_mistake "unknown option in --accept dtt: did you mean dt?" 2 "${faster[@]}" --accept=seed,dtt
expect_mistake "--accept needs --resume" 0 wave --generate=hex:9x9 --accept=dt
expect 0 2 "${faster[@]}" --accept=seed,steps,dt --metrics=accepted.json --dump=fast
grep -q '"accepted": \["seed", "dt"\]' accepted.json || complain "the metrics: $(grep accepted accepted.json)"
expect 0 2 wave --resume=accepted --steps=6 --quiet --dump=usual --metrics=usual.json
grep -q '"seed": 5,' usual.json || complain "a run without --seed has $(grep '"seed"' usual.json), its checkpoint 5"
! cmp -s fast usual || complain "what is accepted changes nothing"

refused() { local text=$1; shift; expect_mistake "$text" 0 heat --quiet "$@"; }
later refused 'graph: hex:8x8 of 64 nodes and 161 edges, but this run has hex:9x9 of 81' --generate=hex:9x9 \
    --resume=gone
later refused 'the checkpoint is after 6 steps, but this run has only 5 steps in all' --resume=gone --steps=5
later refused '--steps=0: give the steps of the whole run' --resume=gone --steps=0
later refused 'no such folder for checkpoints' --resume=nowhere
later refused 'gone: there are checkpoints: --resume continues from them' --generate=hex:8x8 --checkpoint=gone
later refused 'gone: its newest checkpoint is after step 6, but the run continues from step 4: remove those that are' \
    --resume=gone/step-000000000004.checkpoint --checkpoint=gone
later refused 'resume needs a folder' --resume
later refused 'checkpoint-every needs --checkpoint=DIR' --generate=hex:8x8 --checkpoint-every=5
wait
expect 0 2 heat --quiet --resume=gone --save-graph=again.graph
[ "$(said heat | grep -c -F -e '--save-graph=again.graph: a resumed run does not write its graph')" -eq 1 ] &&
    [ ! -e again.graph ] || complain "$ran: $(said heat)"

# A graph that has changed cannot be verified from there: it is said before the first step.
mkdir changed && canaries --checkpoints changed
expect 0 2 shock --generate=mesh:12x12 --steps=12 --checkpoint=changed --checkpoint-every=8 --quiet
expect_mistake '--verify needs the first graph of the run' 0 shock --resume=changed --verify --quiet
# Nor one whose application has the data of a checkpoint in the place of that with which it made the graph.
mkdir own && canaries --checkpoints own
expect 0 2 nbody --bodies=64 --steps=3 --checkpoint=own --quiet
expect_mistake '--verify needs the data with which nbody made its graph' 2 nbody --resume=own --verify --quiet
other=(gone/step-*6.checkpoint)
truncate -s -1 "${other[0]}"
expect 0 1 heat --resume=gone --dump=six --quiet
grep -q 'step-000000000006.checkpoint: damaged: it has .* bytes.*; using the previous checkpoint' "$err" ||
    complain "heat: says $(cat "$err")"
run 1 heat --generate=hex:8x8 --steps=6 --dump=whole --quiet
cmp six whole || complain "heat from the checkpoint before: another dump"

# A checkpoint whose name says another step is as good as damaged, too.
mkdir renamed && canaries --checkpoints renamed
expect 0 2 heat --generate=hex:8x8 --steps=6 --checkpoint=renamed --checkpoint-every=3 --quiet
cp renamed/step-000000000003.checkpoint renamed/step-000000000009.checkpoint
expect 0 2 heat --checkpoint=renamed --resume --steps=7 --dump=seven --quiet
grep -q 'step-000000000009.checkpoint: damaged: it is the checkpoint after step 3, its name says 9; using the prev' \
    "$err" || complain "heat: says $(cat "$err")"
run 1 heat --generate=hex:8x8 --steps=7 --dump=whole --quiet
cmp seven whole || complain "heat from the checkpoint before a renamed one: another dump"
rm renamed/step-*.checkpoint
cp gone/step-000000000004.checkpoint renamed/step-000000000009.checkpoint
expect 2 2 heat --checkpoint=renamed --resume --quiet
said heat | grep -q 'renamed: none of its 1 checkpoints can be read' || complain "$ran: says $(said heat)"

# Files of others with the names that checkpoints need stay as they are.
mkdir others
cp g.pen others.pen
foreign() { [ "$(ls others)" = lock ] && cmp others/lock others.pen; }
cp g.pen others/lock
expect_mistake 'others/lock: not the lock of a run' 2 heat --generate=hex:8x8 --steps=2 --checkpoint=others --quiet
foreign || complain "$ran: changes the file"
expect_mistake '--graph=others/lock is a name that --checkpoint=others needs' 2 heat --graph=others/lock --steps=2 \
    --checkpoint=others --quiet
foreign || complain "$ran: changes its graph"
ln -sf ../others.pen others/lock
expect_mistake 'others/lock: not the lock of a run' 0 heat --generate=hex:8x8 --steps=2 --checkpoint=others --quiet
foreign || complain "$ran: changes what a link leads to"
rm others/lock
mkfifo others/lock
expect_mistake 'others/lock: not the lock of a run' 0 heat --generate=hex:8x8 --steps=2 --checkpoint=others --quiet
[ -p others/lock ] || complain "$ran: replaces a pipe"
rm others/lock
: >others/lock
expect 0 0 heat --generate=hex:8x8 --steps=4 --checkpoint=others --checkpoint-every=1 --quiet
mine='\211PCP\r\n\032?' # of a checkpoint's first bytes the last one differs
printf "$mine" >others/step-000000000001.checkpoint
expect 0 0 heat --steps=8 --checkpoint=others --checkpoint-every=1 --resume --quiet
printf "$mine" | cmp - others/step-000000000001.checkpoint && [ "$(ls others | wc -l)" -eq 4 ] ||
    complain "$ran: leaves $(ls others)"
expect_mistake '--checkpoint needs a folder' 0 heat --generate=hex:8x8 --checkpoint= --quiet

# SIGUSR1 asks for a checkpoint, SIGTERM for one and the end, whichever rank gets it.
mkdir asked && canaries --checkpoints asked
"${MPIEXEC:-mpiexec}" -n 2 "$bin/heat" --generate=hex:64x64 --steps=100000000 --checkpoint=asked --quiet \
    >"$out" 2>"$err" &
launcher=$!
catch_signals() # two ranks that catch SIGUSR1, which is bit 9 of the mask
{
    local caught
    mapfile -t ranks < <(ranks_of heat)
    [ ${#ranks[@]} -eq 2 ] && [ -e asked/lock ] || return
    for rank in "${ranks[@]}"; do
        caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$rank/status") && [ $((0x$caught >> 9 & 1)) -eq 1 ] || return
    done
}
saved() { compgen -G 'asked/step-*.checkpoint' >/dev/null; }
wait_until 10 catch_signals || complain "SIGUSR1: no two ranks wait for it"
kill -USR1 "${ranks[1]}"
wait_until 10 saved || complain "SIGUSR1: no checkpoint"
kill -TERM "${ranks[0]}"
wait "$launcher"
status=$?
[ $status -eq 4 ] || complain "SIGTERM: exit status $status, expected 4"
grep -q '^heat: ended by SIGTERM after step [0-9]*: --resume=asked continues from there' "$err" ||
    complain "SIGTERM: says $(cat "$err")"

# SIGUSR1 before the run exists is not lost: one rank waits in MPI_Init for the other.
mkdir early
"${MPIEXEC:-mpiexec}" -n 2 sh -c 'if [ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$PMIX_RANK}}" = 1 ]; then
        until [ -e begin ]; do sleep 0.1; done
    fi; exec "$0" "$@"' "$bin/heat" --generate=hex:8x8 --steps=3 --checkpoint=early --metrics=early.json \
    --quiet >"$out" \
    2>"$err" &
launcher=$!
catches()
{
    first=$(ranks_of heat) && [ -n "$first" ] &&
        [ $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$first/status") >> 9 & 1)) -eq 1 ]
}
wait_until 2 catches || complain "SIGUSR1 before the run exists: not caught"
kill -USR1 "$first"
: >begin
wait "$launcher"
status=$?
[ $status -eq 0 ] && grep -q '"checkpoints": {"written": 2' early.json ||
    complain "SIGUSR1 before the run exists: exit status $status, $(grep '"checkpoints"' early.json) $(cat "$err")"
finish
