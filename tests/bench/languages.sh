#!/bin/bash
# languages.sh PREFIX [RANKS] - the first program of the texts in C, C++ and Python, built against what is installed at
# PREFIX: seconds of its set-up and of its loop, as metrics have them (init, loop), and their ratios to C. The programs
# run in turn, ROUNDS times (9), and minima are compared: other processes make times longer, never shorter. All have the
# same states, bit for bit. CASES: graphs and numbers of steps, as mesh:300x300:600. Aimed at: loops <= 1.02, set-up
# <= 1.0 in C++ and 1.1 in Python, with the noise that the second program in C shows. The last lines say what is in
# neither: the seconds of a whole program without steps, in Python also those of the compiler. The figures on pages are
# of RANKS=1 and CASES=random:nodes=50000,degree=6:60, which is short enough for minima without disturbance.
set -eu
. "$(dirname "$0")/../support/launch.sh"
prefix=$(cd "$1" && pwd)
ranks=${2:-2}
tree=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/languages.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
lib=$(dirname "$(find "$prefix" -name libpenumbra.a)")
flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs penumbra)
# shellcheck disable=SC2086
cc -std=c11 -O3 "$tree/apps/heat.c" -o heat_c $flags "-Wl,-rpath,$lib"
cp heat_c heat_again
# shellcheck disable=SC2086
c++ -std=c++17 -O3 "$tree/tests/consumer/heat.cpp" -o heat_cpp $flags "-Wl,-rpath,$lib"
awk '/^    import sys, penumbra/ { on = 1 } on { sub(/^    /, ""); print } /sys.exit/ { exit }' \
    "$tree/tools/python/penumbra/program.py" >heat.py
PYTHONPATH=$(dirname "$(find "$prefix" -path '*/penumbra/program.py' | head -1)")/..
export PYTHONPATH
programs="heat_c heat_again heat_cpp" python=
for candidate in python3 /usr/bin/python3; do
    [ "$python" ] || ! "$candidate" -c 'import numba' 2>/dev/null || python=$candidate
done
[ ! "$python" ] || programs="$programs heat.py"

# once PROGRAM OPTION ...
once()
{
    local program=./$1
    shift
    if [ "$program" = ./heat.py ]; then set -- "$python" "$program" "$@"; else set -- "$program" "$@"; fi
    ${MPIRUN:-mpirun} -n "$ranks" "$@" --quiet >/dev/null 2>err </dev/null || { cat err >&2; exit 1; }
}
seconds() { python3 -c 'import json; s = json.load(open("m.json"))["seconds"]; print(s["init"], s["loop"])'; }
least() { awk '{ for (k = 1; k <= NF; k++) if (NR == 1 || $k < m[k]) m[k] = $k } END { print m[1], m[2] }' "$1"; }

for program in $programs; do
    once "$program" --generate=mesh:30x30 --steps=40 --dump="$program.dump"
    cmp heat_c.dump "$program.dump" || exit 1
done
echo "graph                program        set-up   / C       loop   / C"
for case in ${CASES:-mesh:300x300:600 mesh:1000x1000:60 random:nodes=300000,degree=6:60}; do
    graph=${case%:*} steps=${case##*:}
    rm -f ./*.seconds
    for _ in $(seq "${ROUNDS:-9}"); do
        for program in $programs; do
            once "$program" --generate="$graph" --steps="$steps" --metrics=m.json
            seconds >>"$program.seconds"
        done
    done
    for program in $programs; do
        echo "${graph%%,*} $program $(least "$program.seconds") $(least heat_c.seconds)"
    done | awk '{ printf "%-20s %-10s %10.4f %5.2f %10.4f %5.2f\n", $1, $2, $3, $3 / $5, $4, $4 / $6 }'
done
echo "whole program, no step: seconds"
for program in $programs; do
    rm -f all.seconds
    for _ in 1 2 3; do
        begun=$(date +%s.%N)
        once "$program" --generate=mesh:30x30 --steps=0
        echo "$begun $(date +%s.%N)" | awk '{ print $2 - $1 }' >>all.seconds
    done
    echo "$program $(least all.seconds)"
done
