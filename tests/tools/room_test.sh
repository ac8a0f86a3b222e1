#!/bin/bash
# room_test.sh BIN - where there is too little room for a window, in a process or in shared memory that several launches
# fill at once, runs end with a sentence or go on two-sided. What MPI does there is to keep all ranks but one waiting.
. "$(dirname "$0")/support.bash"

# A run whose window grows when nodes move, in processes of so many KiB.
growing=(hex --generate=hex:500x500 --steps=3 --quiet --migrate-random=1:0.5)
limited()
{
    ran="${growing[*]} with ulimit -v $1"
    patiently 30 "${MPIEXEC:-mpiexec}" -n 3 sh -c 'ulimit -v "$0" && exec "$@"' "$1" "$bin/hex" "${growing[@]:1}" \
        >"$out" 2>"$err" </dev/null
    status=$?
    [ $status -ne 124 ] || complain "$ran: hangs"
}
if nm "$bin/hex" 2>/dev/null | grep -q __asan_init; then
    leave_out "processes of little memory: the sanitizer needs much"
else
    least=200000 enough=500000
    while [ $((enough - least)) -gt 3000 ]; do
        middle=$(((least + enough) / 2))
        limited $middle
        if [ $status -eq 0 ]; then enough=$middle; else least=$middle; fi
    done
    [ $enough -lt 500000 ] || complain "$ran: even that is too little: $(head -3 "$err")"
    said=0
    for less in 3000 7000 11000; do
        limited $((enough - less))
        [ $status -eq 3 ] || complain "$ran: exit status $status, expected 3"
        said=$((said + $(said hex | grep -c 'a process cannot allocate [0-9]* MiB more: raise its limit')))
    done
    [ $said -ge 1 ] || complain "$ran: $said of 3 runs said why there is no window: $(said hex)"
fi

# A limit of the size of files that is too small for a window, though not for MPI itself.
limited_files() # TRANSPORT STATUS TEXT
{
    ran="hex --comm=$1 with ulimit -f 8192"
    patiently 30 "${MPIEXEC:-mpiexec}" -n 2 bash -c 'ulimit -f 8192 && exec "$@"' bash "$bin/hex" \
        --generate=hex:1000x1000 --steps=1 --quiet ${1:+"--comm=$1"} >"$out" 2>"$err" </dev/null
    status=$?
    [ $status -eq "$2" ] || complain "$ran: exit status $status, expected $2"
    said hex | grep -q "a process may write files of 8192 KiB, shared memory needs .*(ulimit -f).*$3" ||
        complain "$ran: says $(said hex)"
}
limited_files '' 0 'running two-sided'
for comm in fence shared passive; do limited_files $comm 3 'such as --comm=overlap'; done

# In a /dev/shm of 60 MiB: other processes hold locks there and are stopped; two launches want what there is for one.
if unshare --mount true 2>/dev/null; then
    export bin out err work MPIEXEC=${MPIEXEC:-mpiexec}
    cat >both <<'END'
mount -t tmpfs -o size=60m tmpfs /dev/shm || exit 9
one()
{
    patiently 60 "$MPIEXEC" -n 2 "$bin/hex" --generate=hex:1500x1500 --steps=1 --quiet --partitioner=block \
        >"out.$1" 2>"err.$1"
    echo $? >"status.$1"
}

# beside CALL ARGUMENT ...: a run beside a stopped process with a lock on the folder
beside()
{
    local begun
    python3 -c "import fcntl, os, signal
folder = os.open('/dev/shm', os.O_RDONLY)
$1
open('taken', 'w').close()
os.kill(os.getpid(), signal.SIGSTOP)" & disown
    patiently 10 sh -c 'until [ -e taken ]; do sleep 0.1; done'
    rm taken
    begun=$SECONDS
    patiently 10 "$MPIEXEC" -n 2 "$bin/hex" --steps=3 --quiet "${@:2}" >out 2>err
    echo "$? $((SECONDS - begun)) $(grep -c 'other launches claim the space in /dev/shm: this run waits' err)" \
        "$(grep -c two-sided err)" >>beside
    cat err >>errors
    kill -9 $!
}
beside "fcntl.flock(folder, fcntl.LOCK_EX)" --generate=hex:60x60 --migrate-random=1:0.5
claim="fcntl.lockf(folder, fcntl.LOCK_SH, 50 << 20, 7 << 42)"
beside "$claim" --generate=hex:60x60
beside "$claim" --generate=hex:1000x1000
beside "fcntl.lockf(folder, fcntl.LOCK_SH)" --generate=hex:60x60 --migrate-random=1:0.5
for round in 1 2 3; do
    one 1 & one 2
    wait
    for i in 1 2; do
        echo "$(cat status.$i) $(grep -c -E '^(hex|penumbra): .*/dev/shm has .* MiB free' err.$i)" >>statuses
        cat err.$i >>errors
    done
done
END
    unshare --mount bash both || complain "cannot try two launches at once"
    most=$(by_load 8) # seconds
    awk -v most="$most" '$1 != 0 || $2 > most || $3 != (NR >= 3) || $4 != 0' beside >strange
    [ ! -s strange ] && [ "$(wc -l <beside)" -eq 4 ] ||
        complain "beside a stopped process with a lock: status, seconds, waits, no window: $(tr '\n' ';' <beside)" \
            "$(cat errors)"
    grep -v -E '^0 [01]$' statuses >strange && complain "two launches at once: $(sort strange | uniq -c): $(cat errors)"
    grep -q '^0 0$' statuses || complain "two launches at once: none had a window"
else
    leave_out "shared memory that two launches fill: no right to make namespaces"
fi
finish
