#!/bin/bash
# standing.sh - where a commit stands beside another one: builds both, and runs what depends on the clock in pairs, by
# turns. A ratio is the second's time over the first's in one pair: below 1 the second one is faster.
#
#     standing.sh COMMIT [COMMIT]      the second one: HEAD
#
# Environment: PAIRS=7; RANKS=2; ONLY="heat pull", some of the measurements; MPIRUN="chrt -f 5 mpirun" on a busy
# machine. Median (least .. greatest) of the ratios; the times are medians.
set -eu
. "$(dirname "$0")/../support/launch.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
first=$(git -C "$root" rev-parse --short "${1:?usage: standing.sh COMMIT [COMMIT]}")
second=$(git -C "$root" rev-parse --short "${2:-HEAD}")
pairs=${PAIRS:-7} ranks=${RANKS:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

build() # COMMIT FOLDER
{
    mkdir "$2" && git -C "$root" archive "$1" | tar -x -C "$2"
    cmake -S "$2" -B "$2/build" -DCMAKE_BUILD_TYPE=Release -DPEN_TESTS=ON -DPEN_PETSC=OFF &&
        cmake --build "$2/build" --parallel "$(nproc)" --target heat hex battlefield directory_bench migrate_bench \
            pull_bench checkpoint_bench
}

# shellcheck disable=SC2086
launch() { ${MPIRUN:-mpirun} -n "$ranks" "$@" 2>err </dev/null || { cat err >&2; exit 1; }; }

# loop PROGRAM ARGUMENT ...: the seconds of its steps
loop()
{
    launch "$@" --quiet --metrics=m.json >out
    grep -o '"loop": [0-9.e-]*' m.json | sed -n '1s/.* //p'
}

# measure NAME BIN: one number, a time
measure()
{
    case $1 in
    heat) loop "$2/heat" --generate=hex:500x500 --steps=200 ;;
    hex) loop "$2/hex" --generate=hex:500x500 --steps=100 ;;
    battlefield) loop "$2/battlefield" --generate=hex:64x64 --steps=100 ;;
    directory) launch "$2/directory_bench" --pairs=3 | awk '/^dense  resolve 100000, random/ { print $6 }' ;;
    migration) launch "$2/migrate_bench" --grid=500x500 --parts=0.1 --samples=3 | awk '/whole, ms/ { print $4 }' ;;
    pull) launch "$2/pull_bench" --samples=5 | awk '$2 == "fence" { print $6 }' ;;
    checkpoint)
        rm -rf saved && mkdir saved
        launch "$2/checkpoint_bench" saved --grid=300x300 --repeats=5 | awk '/^pen_run_save/ { print $(NF - 2) }'
        ;;
    esac
}

for side in "$first a" "$second b"; do
    # shellcheck disable=SC2086
    build $side >log 2>&1 || { tail -n 20 log >&2; echo "standing.sh: ${side% *} is not built" >&2; exit 1; }
done
echo "# $first, then $second; $(mpirun --version | head -1); $(cc --version | head -1), Release"
echo "# $ranks ranks on $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg); $pairs pairs${MPIRUN:+; $MPIRUN}"
printf '%-12s %10s %10s %7s\n' what "$first" "$second" ratio
for what in ${ONLY:-heat hex battlefield directory migration pull checkpoint}; do
    rm -f times
    for ((i = 0; i < pairs; i++)); do
        if [ $((i % 2)) -eq 0 ]; then a=$(measure "$what" a/build/bin) b=$(measure "$what" b/build/bin)
        else b=$(measure "$what" b/build/bin) a=$(measure "$what" a/build/bin); fi
        [ "$a" ] && [ "$b" ] || { echo "standing.sh: $what: no time" >&2 && exit 1; }
        echo "$a $b" >>times
    done
    median() { sort -g | awk '{ v[NR] = $1 } END { printf "%s %s %s\n", v[int((NR + 1) / 2)], v[1], v[NR] }'; }
    read -r a _ < <(cut -d' ' -f1 times | median)
    read -r b _ < <(cut -d' ' -f2 times | median)
    read -r ratio least greatest < <(awk '{ print $2 / $1 }' times | median)
    printf '%-12s %10.4g %10.4g %7.3f (%.3f .. %.3f)\n' "$what" "$a" "$b" "$ratio" "$least" "$greatest"
done
