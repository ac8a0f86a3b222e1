#!/bin/bash
# predictions.sh - what pen-sim replay predicts for a step of hex, wave and battlefield on 2 ranks with three
# partitions, from records of 2 ranks with the first of them, against runs. Costs of messages are measured at first
# (pen-comm --model). Records and runs take turns; medians count. Ends with status 1 if a prediction is more than 25 %
# off, and 77, with a reason, if this machine cannot tell: runs alike take too different times.
#
#     predictions.sh BUILD/bin [SIDE [STEPS [ROUNDS]]]     fields of SIDE x SIDE (128), STEPS (60) steps, ROUNDS (5)
#
# Ranks have real-time priority, where that is allowed, so that other processes do not disturb them. MPIRUN: how ranks
# are launched. A checking build poisons shadows, which no prediction knows of: there all partitions have small cuts.
set -eu
. "$(dirname "$0")/../support/launch.sh"
. "$(dirname "$0")/../support/canaries.sh"
bin=$(realpath "$1") side=${2:-128} steps=${3:-60} rounds=${4:-5}
skip() { echo "predictions.sh: skipped: $*"; exit 77; }
begin_work predictions
command -v python3 >/dev/null || skip "no python3 to compare with"
[ "$(nproc)" -ge 2 ] || skip "2 ranks need 2 cores"
launch="${MPIRUN:-mpirun} -n 2"
if chrt -f 5 true 2>/dev/null; then launch="chrt -f 5 $launch"
else
    load=$(cut -d' ' -f1 /proc/loadavg)
    awk "BEGIN { exit !($load < $(nproc)) }" || skip "a load of $load on $(nproc) cores, and no real-time priority"
fi
programs=(hex wave battlefield) partitions=(metis block random)
"$bin/hex" --version | grep -E '^(hex|MPI|flags|commit)' | tee version
! grep -q checking version || unset 'partitions[2]'
echo "2 ranks, ${side}x$side, $steps steps, $rounds rounds; $launch; $(nproc) cores"
for ((try = 0; ; try++)); do
    [ "$try" -lt 3 ] || skip "pen-comm cannot tell the costs of messages: the machine is too busy"
    $launch "$bin/pen-comm" --generate="hex:${side}x$side" --records=8,32,128,512 \
        --seconds=8 --model=model.json >comm 2>&1 ||
        { cat comm; exit 1; }
    python3 -c 'import json
for m in json.load(open("model.json"))["transports"]:
    if m["transport"] == "fence": raise SystemExit(None in (m["latency_seconds"], m["seconds_per_byte"]))' && break
done
for ((i = 0; i < rounds; i++)); do
    for program in "${programs[@]}"; do
        run=("$bin/$program" --generate=hex:"${side}x$side" --steps="$steps" --quiet)
        $launch "${run[@]}" --partitioner="${partitions[0]}" --record=record
        for partition in "${partitions[@]}"; do
            $launch "${run[@]}" --partitioner="$partition" --metrics="$program-$partition-$i.json"
            "$bin/pen-sim" replay record --ranks=2 --partitioner="$partition" --model=model.json --format=json \
                -o "$program-$partition-$i-said.json" 2>replay || { cat replay; exit 1; }
        done
    done
done
python3 - "$steps" "$rounds" "${programs[*]}" "${partitions[*]}" <<'PYTHON'
import json, statistics, sys
steps, rounds, wrong, noise = int(sys.argv[1]), int(sys.argv[2]), False, 1.0
print("program      partition     cut  ms/step run  predicted  ratio of medians  ratios      misfit %")
for program in sys.argv[3].split():
    for partition in sys.argv[4].split():
        names = [f"{program}-{partition}-{i}" for i in range(rounds)]
        runs = [1e3 * json.load(open(f"{name}.json"))["seconds"]["loop"] / steps for name in names]
        tables = [json.load(open(f"{name}-said.json"))["tables"] for name in names]
        said, cut = [t[0]["rows"][0]["ms/step"] for t in tables], tables[0][0]["rows"][0]["cut"]
        misfit = statistics.median(r["value"] for t in tables for r in t[1]["rows"] if r["cost"] == "misfit")
        ratio, each = statistics.median(said) / statistics.median(runs), [a / b for a, b in zip(said, runs)]
        for times in (runs, said):
            noise = max(noise, statistics.median(times) / min(times))
        wrong = wrong or not 0.75 <= ratio <= 1.25
        print(f"{program:12} {partition:9} {cut:7.0f} {statistics.median(runs):12.4f} {statistics.median(said):10.4f} "
              f"{ratio:17.2f}  {min(each):.2f}..{max(each):.2f}  {misfit:8.1f}")
if noise > 1.1:
    print(f"predictions.sh: skipped: runs alike differ: median / least {noise:.2f}")
    raise SystemExit(77)
raise SystemExit(wrong)
PYTHON
