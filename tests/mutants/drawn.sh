#!/bin/bash
# drawn.sh SCRATCH BUILD COUNT [SEED [FOLDER ...]] - draws mutants (draw.py), by the date unless there is a seed, and
# runs them (run.sh). The end is a table: for each folder what was drawn and found. BUILD has compile_commands.json.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=${1:?usage: drawn.sh SCRATCH BUILD COUNT [SEED [FOLDER ...]]} build=$2 count=$3 seed=${4:-$(date +%F)}
shift $(($# < 4 ? 3 : 4))
for python in python3 /usr/bin/python3 ''; do
    [ -n "$python" ] || { echo "drawn.sh: skipped: no python3 that has clang's syntax trees (python3-clang)"; exit 77; }
    "$python" -c 'import clang.cindex' 2>/dev/null && break
done

echo "seed $seed"
"$python" "$here/draw.py" "$build" "$seed" "$count" "$@" | MUTANTS=/dev/stdin PART=1 "$here/run.sh" "$scratch" |
    tee "$scratch.told"
statuses=("${PIPESTATUS[@]}")
awk '
    /^(found|SURVIVES) / {
        folder = $2
        sub("/[^/]*$", "", folder)
        drawn[folder]++
        if (/^found/) found[folder]++
    }
    END { for (folder in drawn) printf "%-30s %4d drawn %4d found\n", folder, drawn[folder], found[folder] }
' "$scratch.told" | sort
[ "${statuses[0]}" -eq 0 ] && [ "${statuses[1]}" -eq 0 ]
