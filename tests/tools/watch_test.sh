#!/bin/bash
# watch_test.sh BIN - the watchdog: where nobody moves, it says what every rank is at, once, and ends the job in time;
# what computes, or is stopped, or has little of a processor, it leaves alone.
. "$(dirname "$0")/support.bash"
limit=10 # seconds from the alarm to the end, at most; the watchdogs here wait for 1 or 2

# ends RANKS WAY TRANSPORT RANK=TEXT ...: the job ends with the watchdog's status, soon, and tells of every rank once,
# of RANK that TEXT; a run apart is one of half of the ranks
ends()
{
    local ranks=$1 begun=$SECONDS fact
    run "$1" still "$2" 1s "$3"
    [ "$status" -eq 4 ] || { complain "$ran: exit status $status, expected 4"; head -20 "$err" >&2; }
    [ $((SECONDS - begun)) -le $((limit + 5)) ] || complain "$ran: took $((SECONDS - begun)) s"
    [ "$2" != apart ] || ranks=$((ranks / 2))
    shift 3
    [ "$(grep -c '^penumbra: watchdog: no rank has moved for 1 s; the run ends' "$err")" -eq 1 ] ||
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
    expect 0 "$1" still "$2" 1s fence
    if [ -z "$3" ]; then ! grep -q watchdog "$err" || complain "$ran: says $(grep watchdog "$err")"
    else [ "$(grep watchdog "$err" | grep -c "$3")" = 1 ] || complain "$ran: says \"$(cat "$err")\", expected $3"; fi
    [ "$(grep -c watchdog "$err")" -le 1 ] || complain "$ran: says more than once: $(cat "$err")"
}

outside='is outside of the library since ..:..:.. (1\.[0-9] s)'
for comm in fence shared; do
    later ends 3 absent $comm "0=waits since ..:..:.. (.*) in MPI_[A-Za-z]*.*: pen_run_steps" "1=$outside" "2=waits"
done
later ends 4 apart fence "0=$outside" "1=waits"
later ends 4 lost passive "0=MPI_Wait of rank 1: pen_run_steps, completing pulls, step [0-9]*, phase relax"
later goes_on 3 computes "rank 1 is computing, and no rank has moved for 1 s; the run goes on"
later goes_on 3 moves ""
later goes_on 1 computes "rank 0 is computing"
wait
finish
