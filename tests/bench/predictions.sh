#!/bin/bash
# predictions.sh - what pen-sim replay predicts for a step of hex, wave and battlefield, from records of 2 ranks and
# of 1, against runs on 2 ranks. Runs and recorded runs take turns; medians count. Ends with status 1 if a prediction
# is more than 25 % off.
#
#     predictions.sh BUILD/bin [SIDE [STEPS [ROUNDS]]]     fields of SIDE x SIDE (256), STEPS (60) steps, ROUNDS (5)
#
# On a busy machine: MPIRUN="chrt -f 5 mpirun". Costs of messages: MODEL=FILE, from pen-comm --model=FILE.
set -eu
bin=$(realpath "$1") side=${2:-256} steps=${3:-60} rounds=${4:-5}
model=${MODEL:+--model=$(realpath "$MODEL")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$bin/hex" --version | grep -E '^(hex|MPI|flags|commit)'
echo "2 ranks, ${side}x$side, $steps steps, $rounds rounds; ${MPIRUN:-mpirun}; $(nproc) cores; ${model:-no --model}"
for program in hex wave battlefield; do
    run=("$bin/$program" --grid="${side}x$side" --steps="$steps" --quiet)
    for ((i = 0; i < rounds; i++)); do
        ${MPIRUN:-mpirun} -n 2 "${run[@]}" --metrics="$program-$i.json"
        for ranks in 2 1; do
            ${MPIRUN:-mpirun} -n $ranks "${run[@]}" --record=record
            "$bin/pen-sim" replay record --ranks=2 --format=json -o "$program-$i-$ranks.json" $model
        done
    done
done
python3 - "$steps" "$rounds" <<'PYTHON'
import json, statistics, sys
steps, rounds, wrong = int(sys.argv[1]), int(sys.argv[2]), False
print("program      recorded on  ms/step run  predicted  ratio of medians  ratios      misfit %")
for program in ("hex", "wave", "battlefield"):
    runs = [1e3 * json.load(open(f"{program}-{i}.json"))["seconds"]["loop"] / steps for i in range(rounds)]
    for ranks in (2, 1):
        tables = [json.load(open(f"{program}-{i}-{ranks}.json"))["tables"] for i in range(rounds)]
        said = [t[0]["rows"][0]["ms/step"] for t in tables]
        misfit = statistics.median(r["value"] for t in tables for r in t[1]["rows"] if r["cost"] == "misfit")
        ratio, each = statistics.median(said) / statistics.median(runs), [a / b for a, b in zip(said, runs)]
        wrong = wrong or not 0.75 <= ratio <= 1.25
        print(f"{program:12} {ranks:11} {statistics.median(runs):12.4f} {statistics.median(said):10.4f} {ratio:17.2f}  "
              f"{min(each):.2f}..{max(each):.2f}  {misfit:8.1f}")
raise SystemExit(wrong)
PYTHON
