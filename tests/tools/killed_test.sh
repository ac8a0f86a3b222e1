#!/bin/bash
# killed_test.sh BIN - at a random moment a rank, rank 0 or the launcher of a run is killed: the others end within 10
# seconds; a file that has its name is what an undisturbed run writes, byte for byte; the observables are whole lines of
# it; and the next run, which begins at once and writes the same files, is as if nothing had been. PEN_KILLS=N: so many
# of them, for a long search (6).
. "$(dirname "$0")/support.bash"
kills=${PEN_KILLS:-6}
program=(wave --grid=150x150 --steps=80 --quiet --observables=o.csv --dump=d.txt --save-graph=g.graph
    --output=v.vtu --output-every=40 --output-fields=displacement)
drawn="v-000000.vtu v-000040.vtu v-000080.vtu"

# The processes of the run in this folder.
ranks_of() { for pid in $(pgrep -x "$1"); do [ "$(readlink "/proc/$pid/cwd")" != "$PWD" ] || echo "$pid"; done; }
alive() { kill -0 "$@" 2>/dev/null; }

# kill_one NAME WHOM: of the run that `launcher` has begun; all others are gone soon
kill_one()
{
    local victims=() pids=() i
    mapfile -t pids < <(ranks_of "$1")
    case $2 in
    launcher) victims=("$launcher") ;;
    first) for i in "${pids[@]}"; do
        tr '\0' '\n' <"/proc/$i/environ" 2>/dev/null | grep -qxE '(OMPI_COMM_WORLD_RANK|PMI_RANK)=0' && victims=("$i")
    done ;;
    *) [ ${#pids[@]} -eq 0 ] || victims=("${pids[RANDOM % ${#pids[@]}]}") ;;
    esac
    [ ${#victims[@]} -eq 0 ] || kill -9 "${victims[@]}" 2>/dev/null
    for ((i = 0; i < 100; i++)); do
        mapfile -t pids < <(ranks_of "$1")
        [ ${#pids[@]} -gt 0 ] || alive "$launcher" || break
        sleep 0.1
    done
    [ ${#pids[@]} -eq 0 ] && ! alive "$launcher" && return
    complain "$1: $2 killed, and after 10 s there are ${#pids[@]} ranks, and maybe the launcher"
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

mkdir whole killed convert
cd whole || exit 1
begun=$(date +%s%N)
expect 0 3 "${program[@]}"
last=$((($(date +%s%N) - begun) / 1000000)) # ms
cd ../killed || exit 1
whom=(launcher first any)
for ((n = 0; n < kills; n++)); do
    rm -f ./*
    begin "$(printf '%d.%03d' $((moment = RANDOM * last / 32768, moment / 1000)) $((moment % 1000)))" 3 "${program[@]}"
    kill_one wave "${whom[n % 3]}"
    # shellcheck disable=SC2086
    same d.txt g.graph $drawn
    [ ! -e o.csv ] || lines=$(wc -l <o.csv)
    [ ! -e o.csv ] || head -n "$lines" ../whole/o.csv | cmp -s - o.csv || complain "o.csv: no whole lines of the run"
done
expect 0 3 "${program[@]}"
# shellcheck disable=SC2086
same d.txt g.graph o.csv v.pvd $drawn
cmp -s o.csv ../whole/o.csv || complain "the next run is disturbed"

# What pen-graph writes, a process alone.
convert() # FROM TO
{
    rm -f "$2"*
    "$bin/pen-graph" convert "../whole/$1" "$2" >/dev/null 2>&1 </dev/null &
    launcher=$!
    disown
    sleep "0.$((RANDOM % 9))"
    kill -9 $launcher 2>/dev/null
    while alive $launcher; do sleep 0.01; done
    same "$2"
}
if [ -x "$bin/pen-graph" ]; then
    cd ../whole || exit 1
    expect 0 0 pen-graph make hex:300x300 -o a.graph
    expect 0 0 pen-graph convert a.graph a.pen
    expect 0 0 pen-graph convert a.pen b.graph
    cd ../convert || exit 1
    for ((n = 0; n < kills; n++)); do
        convert a.graph a.pen
        convert a.pen b.graph
    done
fi
finish
