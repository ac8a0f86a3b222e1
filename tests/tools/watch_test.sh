#!/bin/bash
# watch_test.sh BIN - the watchdog: where nobody moves, it says what every rank is at, once, and ends the job in time;
# what computes, or is stopped, or has little of a processor, it leaves alone.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/support.bash"
open_mpi=false
"${MPIEXEC:-mpiexec}" --version 2>&1 | grep -Eq "Open MPI|OpenRTE" && open_mpi=true
limit=10 # seconds from the alarm to the end, at most, on an idle machine
# What the watchdogs here wait for: 1 s, and longer where ranks that are well stand still as long for want of a core.
moment=$(by_load 1)

# ends RANKS WAY TRANSPORT RANK=TEXT ...: the job ends with the watchdog's status, soon, and tells of every rank once,
# of RANK that TEXT; a run apart is one of half of the ranks
ends()
{
    local ranks=$1 begun=$SECONDS fact
    run "$1" still "$2" ${moment}s "$3"
    # MPICH's launcher tells instead how it has ended the other ranks, and Open MPI's 4 sometimes crashes while it does.
    [ "$status" -eq 5 ] || [ "$status" -eq 139 ] || { ! $open_mpi && [ "$status" -ne 0 ]; } ||
        complain "$ran: exit status $status, expected 5: $(head -20 "$err")"
    [ $((SECONDS - begun)) -le $((moment + $(by_load $((limit + 4))))) ] || complain "$ran: took $((SECONDS - begun)) s"
    [ "$2" != apart ] || ranks=$((ranks / 2))
    shift 3
    [ "$(grep -c "^penumbra: watchdog: no rank has moved for $moment s; the run ends" "$err")" -eq 1 ] ||
        complain "$ran: says $(grep watchdog "$err")"
    for fact in "$@"; do
        [ "$(grep -c "^penumbra:   rank ${fact%%=*} .*${fact#*=}" "$err")" -eq 1 ] ||
            complain "$ran: expected of rank ${fact%%=*} once \"${fact#*=}\": $(grep '^penumbra:' "$err")"
    done
    [ "$(grep -c '^penumbra:   rank' "$err")" -eq "$ranks" ] || complain "$ran: not all ranks: $(cat "$err")"
}

# goes_on RANKS WAY PATTERN: nothing is wrong with it; what is said, if anything, is that, once
goes_on()
{
    expect 0 "$1" still "$2" ${moment}s fence
    if [ -z "$3" ]; then ! grep -q watchdog "$err" || complain "$ran: says $(grep watchdog "$err")"
    else [ "$(grep watchdog "$err" | grep -c "$3")" = 1 ] || complain "$ran: says \"$(cat "$err")\", expected $3"; fi
    [ "$(grep -c watchdog "$err")" -le 1 ] || complain "$ran: says more than once: $(cat "$err")"
}

# The processes of the program, where they are stopped, if that is asked; that were begun in this folder.
ranks_of()
{
    local pid
    for pid in $(pgrep -x still ${1:+-r T}); do [ "$(readlink "/proc/$pid/cwd")" != "$PWD" ] || echo "$pid"; done
}

# begin NAME RANKS WAY: in a folder of its own, in the background; sets `launcher`
begin()
{
    mkdir "$1" && cd "$1" || return
    "${MPIEXEC:-mpiexec}" -n "$2" "$bin/still" "$3" ${moment}s fence >out 2>err </dev/null &
    launcher=$!
}

# await COUNT [stopped]: there are so many processes
are() { mapfile -t pids < <(ranks_of "${2:-}") && [ ${#pids[@]} -eq "$1" ]; }
await() { wait_until 20 are "$@" || complain "$way: ${#pids[@]} processes, expected $1 ${2:-}"; }

# continued RANKS WAY STOPPED PATTERN: after some seconds ranks that have stopped themselves go on, and all is well
continued()
{
    local way=$2
    begin "$2" "$1" "$2"
    await "$3" stopped
    sleep $((4 * moment))
    [ -z "$4" ] || wait_until 4 grep -q "$4" err
    kill -CONT "${pids[@]}"
    wait $launcher || complain "$way: ends with $?: $(cat err)"
    [ "$(grep watchdog err | grep -c "$4")" -eq "$(grep -c watchdog err)" ] || complain "$way: says $(cat err)"
    [ -z "$4" ] || [ "$(grep -c "$4" err)" -eq 1 ] || complain "$way: says \"$(cat err)\", expected $4"
}

all_dead()
{
    for pid in "${pids[@]}"; do
        grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null || ! kill -0 "$pid" 2>/dev/null || return
    done
}

# A rank is killed, and the launcher does not notice.
unnoticed()
{
    local way=unnoticed begun
    begin unnoticed 3 endless
    await 3
    sleep "$(by_load 1)"
    kill -STOP $launcher
    kill -9 "${pids[1]}"
    begun=$SECONDS
    wait_until $limit all_dead || complain "$way: a rank is there long after another one was killed"
    [ $((SECONDS - begun)) -le "$(by_load $limit)" ] || complain "$way: others lived for $((SECONDS - begun)) s"
    kill -CONT $launcher
    wait $launcher
    kill -9 "${pids[@]}" 2>/dev/null
}

# Its launcher is gone: a shell, to which it looks like that of MPI.
orphaned()
{
    local way=orphaned
    mkdir orphaned && cd orphaned || return
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
    ends 4 absent fence "0=waits since" "1=is outside of the library" "2=waits" "3=waits since"
    goes_on 4 computes "rank 1 is computing"
}

launch=${MPIEXEC:-mpiexec}
outside='is outside of the library since ..:..:.. ([1-9][0-9]*\.[0-9] s)'
for comm in fence shared; do
    later ends 3 absent $comm "0=waits since ..:..:.. (.*) in .*: pen_run_steps" "1=$outside" "2=waits"
done
later ends 4 apart fence "0=$outside" "1=waits"
later ends 3 crossed fence "0=_fence: pen_run_steps" "1=_Allreduce: pen_run_steps" "2=_fence: pen_run_steps"
later ends 4 lost passive "0=MPI_Wait of rank 1: pen_run_steps, completing pulls, step [0-9]*, phase relax"
later goes_on 3 computes "rank 1 is computing, and no rank has moved for $moment s; the run goes on"
later goes_on 3 moves ""
later goes_on 1 computes "rank 0 is computing"
later continued 3 stopped 1 "rank 1 is stopped, and no rank has moved for $moment s; the run goes on"
later continued 3 frozen 3 ""
later unnoticed
if $open_mpi; then
    later orphaned
    later hosts
fi
wait
# Sixteen ranks on one core.
one_core=(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')")
printf '#!/bin/sh\nexec %s %s "$@"\n' "${one_core[*]}" "$launch" >one && chmod +x one
MPIEXEC=$work/one
moment=$(by_load 1)
goes_on 16 moves ""
finish
