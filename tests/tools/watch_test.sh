#!/bin/bash
# watch_test.sh BIN - the watchdog: if a step takes too long it says what every rank does, and ends the job. Without a
# limit it says so once, and the run goes on. What is in no step, and ranks that are stopped together or have little of
# a processor, it leaves alone.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/support.bash"
limit=10 # seconds from the alarm to the end, at most, on an idle machine
# What the watchdogs here wait for: 2 s, and longer where ranks that are well stand still as long for want of a core.
moment=$(($(by_load 1) + 1))

# tells TEXT RANKS=TEXT ...: one line of the watchdog, which has all of these
tells()
{
    local line fact
    line=$(grep '^penumbra: watchdog: host ' "$err")
    [ "$(grep -c watchdog "$err")" -eq 1 ] && [[ $line = *": $1 $moment s, the run "* ]] ||
        complain "$ran: expected one line with \"$1\": $(cat "$err")"
    for fact in "${@:2}"; do
        [[ "${line#*, the run };" =~ ${fact%%=*}:\ ${fact#*=} ]] ||
            complain "$ran: expected of ${fact%%=*} \"${fact#*=}\": $line"
    done
}

# ends RANKS WAY TRANSPORT RANKS=TEXT ...: the job ends with the watchdog's status, soon
ends()
{
    local begun=$SECONDS
    run "$1" still "$2" ${moment}s "$3"
    # MPICH's launcher tells instead how it has ended the other ranks. Open MPI's 4 sometimes crashes then, and on
    # a busy machine it may return the status of a rank that it had to kill.
    [ "$status" -eq 5 ] || [ "$status" -eq 139 ] || { [ "$status" -eq 137 ] && [ "$(by_load 1)" -gt 1 ]; } ||
        { [ "$status" -ne 0 ] && ! has_open_mpi; } ||
        complain "$ran: exit status $status, expected 5: $(head -20 "$err")"
    [ $((SECONDS - begun)) -le $((moment + $(by_load $((limit + 4))))) ] || complain "$ran: took $((SECONDS - begun)) s"
    [ "${*:4}" = "" ] || tells "a step takes longer than" "${@:4}"
}

# goes_on RANKS WAY [report RANKS=TEXT ...]: nothing is wrong with it; what is said, if anything, is that, once
goes_on()
{
    expect 0 "$1" still "$2" ${moment}s fence ${3:-}
    if [ $# -eq 2 ]; then ! grep -q watchdog "$err" || complain "$ran: says $(grep watchdog "$err")"
    else tells "no progress for" "${@:4}"; fi
}

# begin RANKS WAY [report]: in a folder of its own, in the background; sets `launcher`
begin()
{
    mkdir "$2" && cd "$2" && canaries . || return
    "${MPIEXEC:-mpiexec}" -n "$1" "$bin/still" "$2" ${moment}s fence ${3:-} >out 2>err </dev/null &
    launcher=$!
}

# await COUNT [stopped]: there are so many processes
are() { mapfile -t pids < <(ranks_of still ${2:+-r T}) && [ ${#pids[@]} -eq "$1" ]; }
await() { wait_until 20 are "$@" || complain "$way: ${#pids[@]} processes, expected $1 ${2:-}"; }

# continued RANKS WAY STOPPED [report RANKS=TEXT]: ranks that have stopped themselves go on after some seconds, and the
# run ends well
continued()
{
    local way=$2 ran="$2 and continued" err=err
    begin "$1" "$2" ${4:-}
    await "$3" stopped
    sleep $((4 * moment))
    [ $# -eq 3 ] || wait_until 4 grep -q watchdog err
    kill -CONT "${pids[@]}"
    wait $launcher || complain "$way: ends with $?: $(cat err)"
    if [ $# -eq 3 ]; then ! grep watchdog err || complain "$way: says $(cat err)"
    else tells "no progress for" "${@:5}"; fi
}

all_dead()
{
    for pid in "${pids[@]}"; do
        grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null || ! kill -0 "$pid" 2>/dev/null || return
    done
}

# A rank is killed, and the launcher does not notice: a step takes too long then.
unnoticed()
{
    local way=endless begun
    begin 3 endless
    await 3
    sleep "$(by_load 1)"
    kill -STOP $launcher
    kill -9 "${pids[1]}"
    begun=$SECONDS
    wait_until $limit all_dead || complain "$way: a rank is there long after another one was killed"
    [ $((SECONDS - begun)) -le "$(by_load $limit)" ] || complain "$way: others lived for $((SECONDS - begun)) s"
    kill -CONT $launcher
    ended $launcher
    kill -9 "${pids[@]}" 2>/dev/null
}

# Its launcher is gone: a shell, to which it looks like that of MPI.
orphaned()
{
    local way=orphaned
    mkdir orphaned && cd orphaned && canaries . || return
    PMI_RANK=0 sh -c '"$0" endless "$1" fence 2>err & while :; do sleep 1; done' \
        "$bin/still" ${moment}s </dev/null >out &
    launcher=$!
    disown
    await 1
    sleep "$(by_load 2)" # until it watches
    kill -9 $launcher
    await 0
    grep -q 'the launcher is gone; the run ends' err || complain "$way: says $(cat err)"
}

# Hosts with a /dev/shm of their own, on this machine.
hosts()
{
    unshare --mount --uts true 2>/dev/null || { leave_out "no right to make namespaces, to be hosts"; return; }
    local MPIEXEC=$work/hosts
    printf '#!/bin/sh\nexec "%s" run "%s" --host nodeA:2,nodeB:2 "$@"\n' \
        "$here/../support/fake_hosts.sh" "$launch" >hosts
    chmod +x hosts
    run 4 still absent ${moment}s fence
    [ "$status" -eq 5 ] || [ "$status" -eq 139 ] || { [ "$status" -eq 137 ] && [ "$(by_load 1)" -gt 1 ]; } ||
        complain "$ran: exit status $status, expected 5: $(cat "$err")"
    grep -q "host nodeA: a step takes .* rank 0: waiting in .*; rank 1: outside of the library$" "$err" &&
        grep -q "host nodeB: a step takes .* ranks* 2.*: waiting in " "$err" ||
        complain "$ran: not a line of each host: $(cat "$err")"
}

launch=${MPIEXEC:-mpiexec}
for comm in fence shared; do
    later ends 3 absent $comm "rank 1=outside of the library;" "rank 2=waiting in .*, pen_run_steps"
done
later ends 4 apart fence "rank 0=outside of the library;" "rank 1=waiting in"
# Where rank 1's reduction meets another one of theirs, the others fail, and wait at the end.
later ends 3 crossed fence "rank 0=waiting in (a fence|MPI_Win_fence|MPI_Win_free), pen_run_(steps|destroy)" \
    "rank 1=waiting in a (reduction|broadcast), pen_run_steps, (output of the application, )?step [45]"
later ends 4 lost blocking \
    "rank 0=waiting in MPI_Recv for rank 1, pen_run_steps, publishing and acquiring, step [0-9]*, phase relax"
later ends 3 computes fence "rank 1=busy in pen_run_steps, node functions, step 3, phase relax;"
later ends 1 computes fence "rank 0=busy in pen_run_steps"
later ends 3 stopped fence "rank 1=stopped or gone" "rank 0=waiting in"
later goes_on 3 paused
later goes_on 3 moves
later goes_on 3 computes report "rank 1=busy in pen_run_steps" "rank 0=waiting in"
later continued 3 stopped 1 report "rank 1=stopped or gone"
later continued 3 frozen 3
later unnoticed
if has_open_mpi; then
    later orphaned
    later hosts
fi
wait
# Sixteen ranks on one core.
one_core=(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')")
printf '#!/bin/sh\nexec %s %s "$@"\n' "${one_core[*]}" "$launch" >one && chmod +x one
MPIEXEC=$work/one
moment=$(($(by_load 1) + 1))
goes_on 16 moves
finish
