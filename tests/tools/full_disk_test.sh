#!/bin/bash
# full_disk_test.sh BIN - a dump that does not fit leaves nothing, and says why; and after a run /dev/shm is empty.
# In a mount namespace of its own: needs root.
if [ "${2:-}" != inside ]; then
    unshare -m true 2>/dev/null || { echo "full_disk_test.sh: skipped: no right to make namespaces" >&2; exit 77; }
    exec unshare -m "$0" "$1" inside
fi
. "$(dirname "$0")/support.bash"
mkdir small
mount -t tmpfs -o size=64k tmpfs small && mount -t tmpfs -o size=512m tmpfs /dev/shm || skip "cannot mount a tmpfs"

for ranks in 0 3; do
    expect_mistake "No space left on device" $ranks hex --quiet --generate=hex:64x64 --steps=2 --dump=small/d
    [ -z "$(ls -A small)" ] || complain "$ran: left behind: $(ls -A small)"
done
# Without /proc, as without O_TMPFILE, the file has a name that must go.
if nm "$bin/hex" 2>/dev/null | grep -q __asan_init; then
    leave_out "no /proc: LeakSanitizer needs it"
else
    unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' - "$bin/hex" --quiet --generate=hex:64x64 --steps=2 \
        --dump=small/d 2>err
    [ $? -eq 2 ] && grep -q "No space left on device" err || complain "without /proc: $(cat err)"
    [ -z "$(ls -A small)" ] || complain "without /proc: left behind: $(ls -A small)"
fi
expect_mistake "No space left on device" 2 hex --quiet --generate=hex:100x100 --steps=0 --save-graph=small/g
[ -z "$(ls -A small)" ] || complain "$ran: left behind: $(ls -A small)"
for file in g g.pen; do
    expect_mistake "No space left on device" 2 nbody --quiet --bodies=4096 --steps=1 --save-graph=small/$file
    [ -z "$(ls -A small)" ] || complain "$ran: left behind: $(ls -A small)"
done
for file in o.npy o.csv o.vtu o.pvtu; do
    expect_mistake "No space left on device" 2 hex --quiet --generate=hex:99x99 --steps=2 --output=small/$file
    [ -z "$(ls -A small)" ] || complain "$ran: left behind: $(ls -A small)"
done
expect_mistake "No space left on device" 3 random --quiet --generate=geometric:nodes=4000,coordinates --steps=2 \
    --output=small/o.vtu
[ -z "$(ls -A small)" ] || complain "$ran: left behind: $(ls -A small)"
# The pieces of a .pvtu are there together: that of a rank without nodes fits, but stays away, too.
expect_mistake "No space left on device" 2 hex --quiet --generate=hex:99x99 --steps=2 --partitioner=one \
    --output=small/o.pvtu
[ -z "$(ls -A small)" ] || complain "$ran: left behind: $(ls -A small)"
# An output that fails does not take the others with it: not one after the last step, nor one within it.
others="--metrics=m.json --trace=t.json --record=r --save-graph=g.graph --checkpoint=saved --checkpoint-every=100"
for line in "--dump=small/d --output=o.npy" "--output=small/o.vtu --dump=d" \
    "--output=small/o.npy --output-every=1 --dump=d"; do
    rm -rf saved ./o-* d m.json t.json r g.graph
    mkdir saved
    # shellcheck disable=SC2086
    expect_mistake "No space left on device" 2 hex --quiet --generate=hex:70x70 --steps=3 $others $line
    [ -z "$(ls -A small | grep -v '^o-value-00000[01].npy')" ] || complain "$ran: left behind: $(ls -A small)"
    for file in m.json t.json r g.graph; do [ -s $file ] || complain "$ran: there is no $file"; done
    compgen -G "saved/step-*.checkpoint" >/dev/null || complain "$ran: there is no checkpoint"
    [ -s d ] || [ -s o-value.npy ] || complain "$ran: the other output is missing"
    rm -f small/*
done
# A state that was not written is written by the run that is resumed.
for output in o.npy o.pvd; do
    rm -rf saved whole small/*
    mkdir saved whole
    common="--quiet --generate=hex:40x40 --steps=5 --output-every=1 --checkpoint-every=1"
    # shellcheck disable=SC2086
    expect 0 2 hex ${common% *} --output=whole/$output
    mount -o remount,size=$(($(du -k -d 0 whole | cut -f 1) * 2 / 3))k small
    # shellcheck disable=SC2086
    expect 2 2 hex ${common#--quiet} --output=small/$output --checkpoint=saved --metrics=m.json
    said hex | grep -q "No space left on device; so the run ended after step [1-4]," || complain "$ran: $(said hex)"
    grep -q "^ended  *after [1-4] steps*: an output failed$" "$out" && grep -q '"ended": "failure",' m.json ||
        complain "$ran: $(grep ^ended "$out"), $(grep '"ended"' m.json)"
    mount -o remount,size=16m small
    # shellcheck disable=SC2086
    expect 0 2 hex $common --output=small/$output --checkpoint=saved --resume
    diff -r whole small || complain "$ran: other files"
done
rm -rf saved whole small/*
mount -o remount,size=64k small
# The observables' file keeps its whole lines, which nobody takes back.
for ranks in 0 3; do
    expect_mistake "small/o.csv: cannot write: No space left on device" $ranks wave --quiet --generate=hex:3x3 \
        --steps=9999 --observables=small/o.csv
    lines=$(wc -l <small/o.csv)
    [ "$lines" -gt 500 ] && [ "$(tail -1 small/o.csv | cut -d, -f1)" -eq $((lines - 2)) ] &&
        [ "$(tail -c 1 small/o.csv | od -An -tx1)" = " 0a" ] ||
        complain "$ran: left $lines lines, the last one: $(tail -1 small/o.csv)"
    rm small/o.csv
done
# A run whose last state is not in a checkpoint does not end well, and is not marked as finished; its results are there.
mkdir small/saved
for ranks in 0 2; do
    rm -f dump
    expect 2 $ranks hex --quiet --generate=hex:99x99 --steps=2 --checkpoint=small/saved --dump=dump
    said hex | grep -q "hex: --checkpoint=small/saved: the state after the last step could not be written" ||
        complain "$ran: says $(said hex)"
    [ "$(cat small/saved/lock)" = unfinished ] && [ "$(ls -A small/saved)" = lock ] && [ -s dump ] ||
        complain "$ran: left $(ls -A small/saved), lock: $(cat small/saved/lock)"
done
: >small/saved/lock
head -c 99999 /dev/zero >small/full 2>/dev/null
expect_mistake "small/saved/lock: cannot write: No space left on device" 2 hex --quiet --generate=hex:9x9 \
    --checkpoint=small/saved
rm -r small/saved small/full
expect 0 3 hex --quiet --generate=hex:20x20 --steps=2 --dump=small/d
[ "$(ls -A small)" = d ] || complain "$ran: small holds $(ls -A small)"
for comm in fence shared blocking; do
    expect 0 3 hex --quiet --generate=hex:20x20 --steps=2 --comm=$comm
    [ -z "$(ls -A /dev/shm)" ] || complain "$ran: /dev/shm holds $(ls -A /dev/shm)"
done
expect 2 2 hex --quiet --generate=hex:9x9 --checkpoint=shm --output=/dev/null/x.npy
[ -z "$(ls -A /dev/shm)" ] || complain "$ran: /dev/shm holds $(ls -A /dev/shm)"

# What is printed: lines of observables, the summary, a list.
for line in "wave --generate=hex:3x3 --steps=5 --observables=-" "wave --generate=hex:3x3 --steps=9999 --observables=-" \
    "hex --generate=hex:3x3 --steps=1" "hex --help" "hex --list=generators" "pen-comm --list=generators"; do
    # shellcheck disable=SC2086
    "$bin"/${line%% *} ${line#* } >/dev/full 2>err
    [ $? -eq 2 ] && grep -q "writing to standard output failed" err || complain "$line to a full output: $(cat err)"
done

# What prints nothing needs no standard output, and the rest says that it is closed.
expect 0 0 pen-graph make hex:9x9,coordinates -o little.pen
printf 'task,rank,load\n1,0,2\n' >tasks.csv
mkdir kept
for line in "hex --generate=hex:3x3 --steps=1 --quiet" "pen-sim import tasks.csv -o tasks.record" \
    "pen-sim export tasks.record -o again.csv" \
    "pen-keep heat --generate=hex:3x3 --steps=1 --quiet --checkpoint=kept"; do
    # shellcheck disable=SC2086
    PATH=$bin:$PATH "$bin"/${line%% *} ${line#* } >&- 2>err ||
        complain "$line without standard output: exit status $?: $(cat err)"
done
for line in "pen-draw --version" "pen-draw --help" "pen-keep --help" "hex --help"; do
    # shellcheck disable=SC2086
    "$bin"/${line%% *} ${line#* } >&- 2>err
    [ $? -eq 2 ] && grep -q "writing to standard output failed" err || complain "$line, closed: $(cat err)"
done

# pen-graph, whatever it writes, and on standard output.
rm -f small/*
expect 0 0 pen-graph make hex:150x150 -o big.graph
for file in g.graph g.grf g.mtx g.pen g.graph.zst; do
    [ $file = g.pen ] && failed="cannot write" || failed="writing failed"
    expect_mistake "small/$file: $failed: No space left on device" 0 pen-graph convert --quiet big.graph small/$file
done
expect_mistake "No space left on device" 0 pen-graph make hex:150x150 -o small/g.graph
expect_mistake "No space left on device" 0 pen-graph part big.graph 4 -o small/g.map
expect_mistake "No space left on device" 0 pen-graph check big.graph --fix=small/g.graph
if has_matplotlib; then
    expect_mistake "No space left on device" 0 pen-draw little.pen -o small/g.png --size=3000
else
    leave_out "no matplotlib: pen-draw"
fi
[ -z "$(ls -A small)" ] || complain "pen-graph left behind: $(ls -A small)"
"$bin/pen-graph" convert --from=metis --to=scotch big.graph - >/dev/full 2>err
[ $? -eq 2 ] && grep -q "No space left on device" err || complain "pen-graph to a full standard output: $(cat err)"
"$bin/pen-graph" info big.graph >/dev/full 2>err
[ $? -eq 2 ] || complain "pen-graph info to a full standard output says nothing"
umount small

# No room for the lock of checkpoints, and no right to write it.
mount -t tmpfs -o nr_inodes=1 tmpfs small
expect_mistake "small: cannot use this folder for checkpoints: No space left on device" 2 hex --quiet \
    --generate=hex:9x9 --checkpoint=small
mount -o remount,ro small
expect_mistake "small: cannot use this folder for checkpoints: Read-only file system" 2 hex --quiet \
    --generate=hex:9x9 --checkpoint=small
umount small
finish
