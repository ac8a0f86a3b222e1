#!/bin/bash
# apps_test.sh BIN - the applications give the same nodes byte by byte on every number of ranks, transport and
# partitioner, --verify agrees, and finds out an application that is not a function of graph and step.
. "$(dirname "$0")/support.bash"

expect 0 0 random --generate=random:nodes=300,degree=4,seed=2 --steps=0 --quiet --save-graph=random.graph
for case in "hex --generate=hex:13x9 --steps=20" \
            "random --generate=random:nodes=200 --steps=20 --imbalance=three-phase:3 --grain=1us" \
            "heat --graph=random.graph --steps=30" "wave --graph=random.graph --steps=25 --dt=0.3" \
            "grow --generate=tree:nodes=1 --steps=40"; do
    read -r -a words <<<"$case"
    app=${words[0]}
    [ "$app" != wave ] || words+=(--observables=-)
    expect 0 0 "${words[@]}" --dump="$app.1"
    grep -E '^ *[0-9]+ ' out >"$app.observed.1"
    checksum=$(grep checksum out)
    [ "$(wc -l <"$app.1")" -gt 100 ] || complain "$app: the dump has $(wc -l <"$app.1") lines"
    sort -c -n "$app.1" || complain "$app: the dump does not ascend"
    ways=("2 fence metis" "3 shared block" "4 blocking random:seed=5" "4 fence random:seed=6")
    for way in "${ways[@]}"; do
        read -r ranks comm partitioner <<<"$way"
        expect 0 "$ranks" "${words[@]}" --dump="$app.n" --verify --check --comm="$comm" \
            --partitioner="$partitioner"
        cmp "$app.1" "$app.n" || complain "$ran: the dump differs"
        grep -E '^ *[0-9]+ ' out | cmp - "$app.observed.1" || complain "$ran: observables differ"
        grep -q -x -F "$checksum" out || complain "$ran: $(grep checksum out), expected $checksum"
        grep -q "^verified" out || complain "$ran: --verify is silent"
        rm -f "$app.n"
    done
done
[ "$(wc -l <wave.observed.1)" -eq 26 ] || complain "wave: $(wc -l <wave.observed.1) lines of observables, expected 26"

# The graph that was written is the graph that was made.
expect 0 0 random --generate=random:nodes=300,degree=4,seed=2 --steps=5 --quiet --dump=made
expect 0 3 random --graph=random.graph --steps=5 --quiet --dump=read
cmp made read || complain "a graph read back gives other values"

# More ranks than nodes, and one node.
expect 0 4 hex --generate=hex:2x1 --steps=3 --verify
expect 0 3 heat --generate=hex:1x1 --steps=3 --verify --quiet

# Differences end in exit status 1, and in a sentence.
for fault in slot ranks; do
    expect 1 2 wrong --generate=hex:6x6 --steps=3 --verify --fault=$fault
    said wrong | grep -q -E '^wrong: --verify: [0-9]+ differences, the first: .*serial ".*", parallel ".*"' ||
        complain "$ran: says \"$(said wrong)\""
done
expect 1 2 wrong --generate=hex:6x6 --steps=3 --fault=law --dump=unwritten
[ "$(said wrong)" = "wrong: step 2: the law is broken" ] || complain "$ran: says \"$(said wrong)\""
mkdir o000002.csv # the output of this step fails, too
expect 1 2 wrong --generate=hex:6x6 --steps=3 --fault=law --output=o{step}.csv --output-every=1 --dump=unwritten
[ "$(said wrong)" = "penumbra: o000002.csv: cannot write: not a regular file
wrong: step 2: the law is broken" ] || complain "$ran: says \"$(said wrong)\""
[ ! -e unwritten ] || complain "$ran: left a dump"

# --check names the mistake, on any number of ranks, in place of a segmentation fault; its last line says what it
# does not find.
for ranks in 1 2 3; do
    expect 1 $ranks wrong --generate=hex:6x6 --steps=3 --check --fault=field
    [ "$(said wrong)" = "wrong: node 0: field 2 does not exist: wrong has 2 fields (phase step)" ] ||
        complain "$ran: says \"$(said wrong)\""
    expect 1 $ranks wrong --generate=hex:6x6 --steps=3 --check --fault=slot
    said wrong | grep -q 'results depend on slot numbers, or on data kept by slot .* (phase step)' ||
        complain "$ran: says \"$(said wrong)\""
    run $ranks wrong --generate=hex:6x6 --steps=3 --check --fault=log
    # MPICH's launcher has status 1 once in some hundred times that a rank ends all.
    [ "$status" -eq 3 ] || { [ "$status" -eq 1 ] && ! has_open_mpi; } ||
        complain "$ran: exit status $status, expected 3"
    grep -q 'node 7: field log: the next record is not written (phase step), but read (node 7, pen_run_local)' err ||
        complain "$ran: says \"$(cat err)\""
done
run 2 wrong --generate=hex:6x6 --steps=3 --fault=short
letter="node 7 sends mail of kind letter in init with a type of 4 bytes, but its messages have 8"
[ "$status" -ne 0 ] && grep -q "$letter" err || complain "$ran: exit status $status, says \"$(head -3 err)\""
# A program that ends so waits until somebody has read its sentence.
python3 - "$bin/wrong" --generate=hex:6x6 --steps=3 --fault=short <<'PYTHON' || complain "did not wait for a reader"
import select, subprocess, sys, time
wrong = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
select.select([wrong.stderr], [], [], 60)
time.sleep(0.1)
waits = wrong.poll() is None
sys.exit(not waits or b"sends mail" not in wrong.communicate(timeout=60)[1])
PYTHON
expect 0 2 wrong --generate=hex:6x6 --steps=3 --check --fault=ranks
missed='Not detected: results that depend on the rank,.* static .* few or no .* beyond the number .* unwritten'
grep -A1 '^checked  ' out | grep -q "$missed" ||
    complain "$ran: does not say what it misses"
expect 0 2 wrong --generate=hex:6x6 --steps=3 --fault=done --verify --quiet
[ ! -s out ] || complain "$ran: --quiet prints $(head -1 out)"
[ ! -s err ] || complain "$ran: --quiet prints $(head -1 err) on standard error"
finish
