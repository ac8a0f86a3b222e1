#!/bin/bash
# records.sh - eleven workload records of the applications, to be replayed by pen-sim.
#
#     records.sh BUILD/bin FOLDER [SIDE [STEPS]]
#
# Fields are SIDE x SIDE (64), with four times as many bodies; runs have STEPS (100) steps on 2 ranks, and all loads are
# declared but those of wave.
# What is there already is not made again. Says what is in each of them.
set -eu
bin=$1 folder=$2 side=${3:-64} steps=${4:-100}
mkdir -p "$folder"
record() { # NAME PROGRAM OPTION...
    local file=$folder/$1.record program=$2
    shift 2
    [ -e "$file" ] || ${MPIRUN:-mpirun -n 2} "$bin/$program" --steps="$steps" --quiet --record="$file" "$@"
    echo "### $file"
    "$bin/pen-sim" info "$file"
}
for scenario in meeting breakthrough encirclement scatter; do
    record "battlefield-$scenario" battlefield --generate="hex:${side}x$side" --load=declared --scenario="$scenario"
done
record shock-cubic shock --generate="mesh:$((side / 2))x$((side / 4))" --load=declared
record shock-circle shock --generate="mesh:$((side / 2))x$((side / 4))" --load=declared --wave=circle
record hex-disc hex --generate="hex:${side}x$side" --load=declared --imbalance=disc
record hex-three-phase hex --generate="hex:${side}x$side" --load=declared --imbalance=three-phase
record random-alternate random --generate="random:nodes=$((side * side))" --load=declared --imbalance=alternate:10:25
record wave wave --generate="hex:${side}x$side"
record nbody nbody --bodies="$((4 * side * side))" --load=declared
