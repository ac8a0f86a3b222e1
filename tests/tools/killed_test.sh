#!/bin/bash
# killed_test.sh BIN - at a random moment a rank, rank 0 or the launcher of a run is killed: the others end within 10
# seconds; a file that has its name is what an undisturbed run writes, byte for byte; the observables are whole lines of
# it; and the next run, which begins at once and writes the same files, is as if nothing had been. PEN_KILLS=N: so many
# of them, for a long search (6).
. "$(dirname "$0")/support.bash"
kills=${PEN_KILLS:-6}
program=(wave --generate=hex:150x150 --steps=80 --quiet --observables=o.csv --dump=d.txt --save-graph=g.graph
    --output=v.vtu --output-every=40 --output-fields=displacement)
drawn="v-000000.vtu v-000040.vtu v-000080.vtu"

alive() { kill -0 "$@" 2>/dev/null; }
all_gone() { mapfile -t pids < <(ranks_of "$1") && [ ${#pids[@]} -eq 0 ] && ! alive "$launcher"; }

# kill_one NAME WHOM: of the run that `launcher` has begun; all others are gone soon. Sets `hit`, whether there was one.
kill_one()
{
    local victims=() pids=() i begun
    mapfile -t pids < <(ranks_of "$1")
    case $2 in
    launcher) victims=("$launcher") ;;
    first) for i in "${pids[@]}"; do
        grep -zqxE '(OMPI_COMM_WORLD_RANK|PMI_RANK)=0' "/proc/$i/environ" 2>/dev/null && victims=("$i")
    done ;;
    *) [ ${#pids[@]} -eq 0 ] || victims=("${pids[RANDOM % ${#pids[@]}]}") ;;
    esac
    hit=false begun=$SECONDS
    [ ${#victims[@]} -eq 0 ] || ! kill -9 "${victims[@]}" 2>/dev/null || hit=true
    wait_until 10 all_gone "$1"
    $hit || return
    [ $((SECONDS - begun)) -gt "$(by_load 10)" ] || ! all_gone "$1" || return
    if [ "$2" != launcher ] && [ ${#pids[@]} -eq 0 ] && has_open_mpi; then
        leave_out "after a rank was killed Open MPI's launcher waits for itself"
        kill -9 "$launcher"
        return
    fi
    complain "$1: $2 killed, and after $((SECONDS - begun)) s there are ${#pids[@]} ranks, and maybe the launcher"
    ps -o pid,ppid,stat,wchan:20,etime,time,args -p "$launcher" "${pids[@]}" >&2
    kill -9 "${pids[@]}" "$launcher" 2>/dev/null
}

# same FILE ...: each is not there, or as in the undisturbed run
same()
{
    for file in "$@"; do [ ! -e "$file" ] || cmp -s "$file" "../whole/$file" || complain "$file is another one"; done
}

# begin SECONDS RANKS PROGRAM ...: for so long
begin()
{
    "${MPIEXEC:-mpiexec}" -n "$2" "$bin/$3" "${@:4}" >/dev/null 2>&1 </dev/null &
    launcher=$!
    disown
    sleep "$1"
}

# timed COMMAND ...: sets `last`, how many milliseconds it takes; some_of_it: a random part of that, in seconds
timed()
{
    local begun
    begun=$(date +%s%N)
    "$@"
    last=$((($(date +%s%N) - begun) / 1000000))
}
some_of_it() { awk -v last="$last" -v r="$RANDOM" 'BEGIN { printf "%.3f", last * r / 32768 / 1000 }'; }

# until_hit COMMAND ...: until it has hit a process `kills` times; it hits none before the process has begun, or after
# its end. `n` counts the hits.
until_hit()
{
    local tries
    for ((n = tries = 0; n < kills && tries < 20 * kills; tries++)); do
        "$@"
        ! $hit || n=$((n + 1))
    done
    [ $n -eq "$kills" ] || complain "$*: of $tries kills only $n hit a process"
}

mkdir whole killed convert && canaries whole killed convert
cd whole || exit 1
timed expect 0 3 "${program[@]}"
cd ../killed || exit 1
whom=(launcher first any)
a_run()
{
    rm -f [dgov][-.]*
    begin "$(some_of_it)" 3 "${program[@]}"
    kill_one wave "${whom[n % 3]}"
    # shellcheck disable=SC2086
    same d.txt g.graph $drawn
    [ ! -e o.csv ] || lines=$(wc -l <o.csv)
    [ ! -e o.csv ] || head -n "$lines" ../whole/o.csv | cmp -s - o.csv || complain "o.csv: no whole lines of the run"
}
until_hit a_run
expect 0 3 "${program[@]}"
# shellcheck disable=SC2086
same d.txt g.graph o.csv v.pvd $drawn
cmp -s o.csv ../whole/o.csv && [ -e d.txt ] && [ -e g.graph ] && [ -e v.pvd ] || complain "the next run is disturbed"

# What pen-graph writes, a process alone.
convert() # FROM TO
{
    rm -f "$2"*
    "$bin/pen-graph" convert "../whole/$1" "$2" >/dev/null 2>&1 </dev/null &
    launcher=$!
    disown
    sleep "$(some_of_it)"
    hit=false
    ! kill -9 $launcher 2>/dev/null || hit=true
    while alive $launcher; do sleep 0.01; done
    same "$2"
}
if [ -x "$bin/pen-graph" ]; then
    cd ../whole || exit 1
    expect 0 0 pen-graph make hex:300x300 -o a.graph
    timed expect 0 0 pen-graph convert a.graph a.pen
    expect 0 0 pen-graph convert a.pen b.graph
    cd ../convert || exit 1
    until_hit convert a.graph a.pen
    until_hit convert a.pen b.graph
fi
finish
