#!/bin/bash
# languages.sh PREFIX [RANKS] - the first program of the texts in C, C++ and Python, built against what is installed at
# PREFIX: seconds of its loop, and their ratios to C. The programs run in turn, ROUNDS times (9); the medians count. All
# have the same states, bit for bit. CASES: graphs and numbers of steps, as mesh:300x300:600. Aimed at: C++ <= 1.0,
# Python <= 1.1, with the noise that the second program in C shows.
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
loop() { python3 -c 'import json; print(json.load(open("m.json"))["seconds"]["loop"])'; }
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for program in $programs; do
    once "$program" --generate=mesh:30x30 --steps=40 --dump="$program.dump"
    cmp heat_c.dump "$program.dump" || exit 1
done
echo "graph                program       seconds  / C"
for case in ${CASES:-mesh:300x300:600 mesh:1000x1000:60 random:nodes=300000,degree=6:60}; do
    graph=${case%:*} steps=${case##*:}
    rm -f ./*.seconds
    for _ in $(seq "${ROUNDS:-9}"); do
        for program in $programs; do
            once "$program" --generate="$graph" --steps="$steps" --metrics=m.json
            loop >>"$program.seconds"
        done
    done
    base=$(median <heat_c.seconds)
    for program in $programs; do
        awk -v graph="${graph%%,*}" -v program="$program" -v of="$(median <"$program.seconds")" -v base="$base" \
            'BEGIN { printf "%-20s %-10s %10.4f %5.2f\n", graph, program, of, of / base }'
    done
done
