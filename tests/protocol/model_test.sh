#!/bin/bash
# model_test.sh - the models of the transports (planes.pml) and of waiting (event.pml) hold, and each of their
# deliberate faults fails.
#
#     model_test.sh SCRATCH-FOLDER
#
# PERIOD in the environment: how many phases repeat, 2 unless said; with 4 all sequences of phases are tried, which
# takes minutes. Needs spin and gcc; exits with 77 where one of them is missing.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
for tool in spin gcc; do
    command -v $tool >/dev/null || { echo "model: skipped: no $tool"; exit 77; }
done
rm -rf "$1" && mkdir -p "$1" && cd "$1"

# check TRANSPORT GRAPH MUTANT: what the search said is in the file "said". Exit status 0 where the model holds.
check() {
    MUTANT=$3 ./"$1.$2" -n -m1000000 -w22 >said 2>&1
    grep -q 'errors: 0$' said && ! grep -q 'not completed\|too small' said
}

graphs=(undirected directed)
for transport in shared passive pscw; do
    for graph in 0 1; do
        name=$transport.${graphs[graph]}
        spin -D${transport^^} -DDIRECTED=$graph -DPERIOD="${PERIOD:-2}" -a "$here/planes.pml"
        gcc -O1 -w -DSAFETY -DCOLLAPSE -DVECTORSZ=2048 -o "$name" pan.c
        if ! check $transport ${graphs[graph]} 0; then
            echo "The model of $transport fails on the ${graphs[graph]} graph:"
            cat said
            exit 1
        fi
        echo "$name: $(sed -n 's/ *\([0-9]*\) states, stored.*/\1/p' said) states"
    done
done

tried=0
while read -r number transports graph name; do
    for transport in ${transports/all/shared passive pscw}; do
        tried=$((tried + 1))
        if check "$transport" "$graph" "$number" || ! grep -qE 'assertion violated|invalid end state' said; then
            echo "In the model of $transport this fault passes: $name"
            exit 1
        fi
    done
done < <(sed -nE 's|^#define [A-Z_]+ +([0-9]+) +/\* (\w+) (\w+): (.*) \*/$|\1 \2 \3 \4|p' "$here/planes.pml")

# Meetings in shared memory: fault 0 is none.
while read -r number name; do
    spin -DFAULT="$number" -a "$here/event.pml"
    gcc -O1 -w -DSAFETY -DCOLLAPSE -o event pan.c
    ./event -n -m1000000 -w22 >said 2>&1
    found=0
    grep -qE 'assertion violated|invalid end state \(' said && found=1
    grep -q "too small" said && found=2
    [ "$number" -gt 0 ] || ! grep -q "not completed" said || found=2
    if [ $found -ne $((number > 0)) ]; then
        echo "The model of meetings, fault $number: $name"
        cat said
        exit 1
    fi
    tried=$((tried + (number > 0)))
done < <(echo "0 none, which must hold"
         sed -nE 's|^#define [A-Z_]+ +([0-9]+) +/\* (.*) \*/$|\1 \2|p' "$here/event.pml")
echo "$tried faults, each found"
[ $tried -ge 35 ]
