#!/bin/bash
# memory_checkpoint_test.sh BIN - checkpoints in the memory of hosts, which are namespaces with a /dev/shm each that
# stays when they die: a run goes on without any one of them, and says what it lacks where that is more.
here=$(readlink -f "$(dirname "$0")")
. "$here/support.bash"
unshare --mount --uts true 2>/dev/null || skip "no right to make namespaces, to be hosts"
mpiexec=${MPIEXEC:-mpiexec}
fake_hosts=$here/../support/fake_hosts.sh
export FAKE_HOSTS_MEMORY=$work/memory
mkdir -p memory/node{A,B,C}

# on HOSTS: what is launched from now on runs on these, "nodeA:2,nodeB:1"
on()
{
    printf '#!/bin/sh\nexec "%s" run "%s" --host %s "$@"\n' "$fake_hosts" "$mpiexec" "$1" >hosts
    chmod +x hosts
    MPIEXEC=$work/hosts
}
held() { (cd "$work/memory" && ls -d node*/penumbra-*-test/{,copies/}step-*.checkpoint 2>/dev/null); }

# of_host PROGRAM HOST: its processes; other tests have hosts of these names, too.
of_host()
{
    for p in $(pgrep "$1"); do
        [ "$(nsenter -t "$p" -u hostname 2>/dev/null)" = "$2" ] || continue
        ! grep -q -z -x -F "FAKE_HOSTS_MEMORY=$FAKE_HOSTS_MEMORY" "/proc/$p/environ" || echo "$p"
    done
}
newest_of() { held | sed -n "s|^$1/[^/]*/step-0*\([1-9][0-9]*\).*|\1|p" | tail -1; }
reached() { local newest && newest=$(newest_of "$1") && [ "${newest:-0}" -ge "$2" ]; }
await() { wait_until 15 "$@" || complain "still not: $*: $(tail -n 20 "$err")"; }
mounts() { rm -rf "$work/memory" && cp -a "$work/$1" "$work/memory"; }

heat=(heat --generate=hex:24x24 --comm=persistent --quiet)
all=nodeA:2,nodeB:2,nodeC:1

# A host dies, in a run on three.
on $all
endless=("${heat[@]:1}" --steps=100000000 --checkpoint=shm:test --checkpoint-every=50 --metrics=killed.json)
"$MPIEXEC" -n 5 "$bin/heat" "${endless[@]}" >"$out" 2>"$err" &
job=$!
await reached nodeC 100
kill -9 $(of_host heat nodeB) || complain "no ranks on nodeB: $(cat "$err")"
ended $job
[ "$(held | wc -l)" -ge 6 ] || complain "what is held is $(held)"
# nodeB may have died before it gave their names to generations that others have.
newest=$(newest_of nodeB)
held | while read -r file; do
    step=${file##*step-} step=${step%.checkpoint}
    [ $((10#$step)) -le "$newest" ] || rm "$work/memory/$file"
done
steps=$((newest + 30))
mv "$work/memory" "$work/saved"
mounts saved
MPIEXEC=$mpiexec
expect 0 2 "${heat[@]}" --steps=$steps --dump=whole

# goes_on HOSTS RANKS NAME
goes_on()
{
    on "$1"
    expect 0 "$2" "${heat[@]}" --resume=shm:test --checkpoint=shm:test --steps=$steps --dump="$3" --metrics="$3.json"
    cmp "$3" whole || complain "$3: another dump"
    grep -q '"resumed": [1-9]' "$3.json" || complain "$3: $(grep '"checkpoints"' "$3.json")"
}
goes_on $all 5 all
[ -z "$(held)" ] || complain "after the end there are $(held)"
for lost in A B C; do
    mounts saved
    rm -rf "$work"/memory/node$lost/*
    kept=$(printf 'node%s:2\n' A B C | grep -v node$lost | paste -sd,)
    goes_on "$kept" 3 "without-$lost"
done
mounts saved
rm -rf "$work"/memory/nodeB/*
goes_on $all 5 replaced
mounts saved
rm -rf "$work"/memory/node{A,B}/*
on nodeC:1
expect 2 1 "${heat[@]}" --resume=shm:test --steps=$steps
grep -q 'incomplete: for example, the shard of rank' "$err" || complain "on one host: says $(cat "$err")"
[ "$(held | wc -l)" -ge 2 ] || complain "what could not be read is gone: $(held)"

# What is damaged in its head is taken from the copy; in a chunk, from the generation before.
damage() { printf '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
mounts saved
own=$(ls "$work"/memory/nodeB/penumbra-*-test/step-*.checkpoint | tail -1)
damage "$own" 20
goes_on $all 5 damaged-head
grep -q 'the checksum of the header is wrong' "$err" || complain "damaged head: says $(cat "$err")"
mounts saved
damage "$own" 1000
goes_on $all 5 damaged-chunk
grep -q 'damaged: the checksum of bytes .*; using the previous checkpoint' "$err" ||
    complain "damaged chunk: says $(cat "$err")"

# Memory without a name is that of the name "checkpoint".
mounts saved
for folder in "$work"/memory/node*/penumbra-*-test; do mv "$folder" "${folder%test}checkpoint"; done
expect 0 5 "${heat[@]}" --resume=shm --checkpoint=shm:checkpoint --steps=$steps --dump=unnamed
cmp unnamed whole || complain "$ran: another dump"

# Nothing is lost that others left; names that are none.
mounts saved
on $all
expect_mistake "shm:test: there are checkpoints: --resume continues from them" 5 "${heat[@]}" --checkpoint=shm:test
diff -r "$work/saved" "$work/memory" || complain "a run that was refused has changed what is there"
MPIEXEC=$mpiexec
later expect_mistake "shm:a/b: the name after shm: must have" 0 "${heat[@]}" --checkpoint=shm:a/b
later expect_mistake "shm:none-of-these: it has no checkpoint" 0 "${heat[@]}" --resume=shm:none-of-these
part=$(ls "$work"/saved/nodeA/penumbra-*-test/step-*.checkpoint | tail -1)
later expect_mistake "it is one host's shard of a checkpoint" 0 "${heat[@]}" --resume="$part"
wait

# What is another user's does not count: not a folder with checkpoints, nor a file in one of ours.
other=65534
mounts saved
chown -R $other "$work"/memory/node*/penumbra-*-test
on $all
expect_mistake "shm:test: it has no checkpoint" 5 "${heat[@]}" --resume=shm:test
mounts saved
chown $other "$own" "$work"/memory/nodeC/penumbra-*-test/copies/"$(basename "$own")"
goes_on $all 5 not-ours
grep -q "$(basename "$own"): cannot read: it belongs to another user" "$err" || complain "not ours: says $(cat "$err")"

# Nor does it keep us from a name: a folder, a file, a link to what is ours. What is made otherwise is found again.
mounts saved
rm -rf "$work"/memory/node*/*
taken=penumbra-$(id -u)-test
mkdir "$work/memory/nodeA/$taken"
touch "$work/memory/nodeB/$taken"
mkdir "$work/memory/nodeC/ours" && ln -s ours "$work/memory/nodeC/$taken"
chown -h $other "$work"/memory/node*/"$taken"
on $all
"$MPIEXEC" -n 5 "$bin/heat" "${endless[@]}" >"$out" 2>"$err" &
job=$!
beside() { [ "$(ls -d "$work"/memory/node{A,B,C}/"$taken"+??????/step-*.checkpoint | wc -l)" -ge 3 ]; }
await beside 2>log
kill -TERM $(of_host heat nodeA)
wait $job
status=$?
[ $status -eq 4 ] && beside || complain "taken: status $status, there are $(cd "$work/memory" && ls -d node*/*/*)"
steps_done=$(ls "$work"/memory/nodeA/"$taken"+??????/ | sed -n 's/step-0*\([1-9][0-9]*\).*/\1/p' | tail -1)
expect 0 5 "${heat[@]}" --resume=shm:test --checkpoint=shm:test --steps=$((steps_done + 10))
[ "$(ls -d "$work"/memory/node*/* | grep -v -e "/$taken\$" -e /ours\$)" = "" ] ||
    complain "taken: left are $(ls -d "$work"/memory/node*/*)"
[ -z "$(ls -A "$work/memory/nodeC/ours")" ] || complain "what another user's link names was written to"

# A run that waits for another one, which removes the folder when it ends, makes it again.
rm -rf "$work"/memory/node*/*
mkdir -m 700 "$work/memory/nodeA/$taken"
(flock 9 && touch locked && sleep 1 && rm -r "$work/memory/nodeA/$taken") 9>"$work/memory/nodeA/$taken/lock" &
await test -e locked
on nodeA:2
expect 0 2 "${heat[@]}" --checkpoint=shm:test --steps=5
[ -z "$(held)" ] && [ -z "$(ls "$work"/memory/nodeA)" ] || complain "after both there is $(ls "$work"/memory/nodeA)"

# A pipe in place of a checkpoint holds nobody up.
mounts saved
rm "$own" && mkfifo "$own"
goes_on $all 5 pipe
grep -q "$(basename "$own"): cannot read: not a regular file" "$err" || complain "a pipe: says $(cat "$err")"
MPIEXEC=$mpiexec
mkdir folder && mkfifo folder/step-000000000007.checkpoint
expect_mistake "folder/step-000000000007.checkpoint: cannot read: not a regular file" 2 "${heat[@]}" \
    --resume=folder/step-000000000007.checkpoint
rm folder/* && canaries --checkpoints folder
expect 0 2 "${heat[@]}" --steps=20 --checkpoint=folder --checkpoint-every=10
rm folder/step-000000000010.checkpoint && mkfifo folder/step-000000000010.checkpoint
expect 0 2 "${heat[@]}" --steps=40 --resume=folder --checkpoint=folder --checkpoint-every=10

# pen-keep, on a host of its own, drops the one that dies.
mounts saved
rm -rf "$work"/memory/node*/* && mkdir up && touch up/nodeA up/nodeB
on nodeA:2,nodeB:2
cat >kept <<END
#!/bin/sh
exec "$fake_hosts" run "$fake_hosts" nodeA "'$bin/pen-keep'" --drop "--probe='test -e \"$work/up/\"HOST'" "$mpiexec" \
    --host nodeA:2,nodeB:2 -n 4 "'$bin/heat'" \
    ${endless[*]}
END
patiently 60 sh kept >"$out" 2>"$err" &
job=$!
await reached nodeB 100
rm up/nodeB
kill -9 $(of_host heat nodeB) $(of_host "orted|prted" nodeB)
rm -rf "$work"/memory/nodeB/*
await grep -q 'continues from step [1-9][0-9]*, without nodeB, on 2 ranks' "$err"
newest=$(newest_of nodeA)
await reached nodeA $((newest + 1))
kill -TERM $(of_host heat nodeA)
wait $job
status=$?
[ $status -eq 4 ] || complain "pen-keep: exit status $status, expected 4: $(cat "$err")"
[ -z "$(held | grep nodeB)" ] || complain "a host that is gone has $(held)"
finish
