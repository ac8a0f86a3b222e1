#!/bin/bash
# crowded.sh BIN [TRANSPORT ...] - what other programs on the machine cost a run: seconds of the steps when it is idle,
# next to busy loops, and their ratio, for each transport (shared, fence, passive, overlap).
#
# Environment: RANKS=4; LOOPS=2, of the shell, which compute without end; REPEAT=7, of which the median is printed. The
# first run of each case is compared with the serial computation. A call of a balancer: "balance" among the transports.
set -eu
bin=$(cd "${1:?usage: crowded.sh BIN [TRANSPORT ...]}" && pwd)
shift
[ $# -gt 0 ] || set -- shared fence passive overlap
. "$(dirname "$0")/../support/launch.sh"
source=$(cd "$(dirname "$0")/../.." && pwd)
ranks=${RANKS:-4} loops=${LOOPS:-2} repeat=${REPEAT:-7}
work=$(mktemp -d)
busy=()
quiet_down() { [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}" 2>/dev/null || true; busy=(); }
trap 'quiet_down; rm -rf "$work"' EXIT
cd "$work"

begin_loops()
{
    local i
    for ((i = 0; i < loops; i++)); do
        (while :; do :; done) &
        busy+=($!)
    done
}

# seconds KEY PROGRAM ARGUMENT ...: the median of that member of the metrics, at the slowest rank
seconds()
{
    local key=$1 i
    shift
    for ((i = 0; i < repeat; i++)); do
        mpirun -n "$ranks" "$bin/$1" "${@:2}" --quiet --metrics=m.json $([ $i -gt 0 ] || echo --verify) </dev/null
        grep -o "\"$key\": [0-9.e-]*" m.json | sed -n '1s/.* //p'
    done | sort -g | sed -n "$(((repeat + 1) / 2))p"
}

row() # NAME KEY PROGRAM ARGUMENT ...
{
    local idle crowded
    idle=$(seconds "${@:2}")
    begin_loops
    crowded=$(seconds "${@:2}")
    quiet_down
    awk -v name="$1" -v idle="$idle" -v crowded="$crowded" \
        'BEGIN { printf "%-24s %10.4f %10.4f %8.1f\n", name, idle, crowded, crowded / idle }'
}

echo "# commit $(git -C "$source" rev-parse --short HEAD 2>/dev/null || echo unknown), $(mpirun --version | head -1)"
echo "# $ranks ranks on $(nproc) cores next to $loops busy loops; medians of $repeat; seconds"
printf '%-24s %10s %10s %8s\n' "" idle crowded ratio
for transport; do
    if [ "$transport" = balance ]; then
        row "balancer's calls" balance hex --generate=hex:64x64 --steps=100 --imbalance=disc --load=declared \
            --balancer=diffusive --balance-when=every:10:always --comm=shared
        continue
    fi
    row "battlefield, $transport" loop battlefield --steps=60 --comm="$transport"
    row "hex 64x64, $transport" loop hex --generate=hex:64x64 --steps=500 --comm="$transport"
done
