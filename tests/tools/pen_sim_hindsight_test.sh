#!/bin/bash
# pen_sim_hindsight_test.sh BIN - pen-sim hindsight: what it finds is no worse than what it is set beside, no better
# than the bound, and where a single call is all that helps, that one.
. "$(dirname "$0")/support.bash"
command -v python3 >/dev/null || skip "no python3 to read JSON with"

# Half of the ranks are hot from the first step on: to call once, behind it, is best.
small=(--generate=hex:16x16 --ranks=4 --partitioner=block)
expect 0 0 pen-sim generate half "${small[@]}" --steps=12 -o half.record
expect 0 0 pen-sim generate hot-disc "${small[@]}" --steps=12 --period=12 -o disc.record
expect 0 0 pen-sim hindsight half.record --format=json --stride=1 -o half.json
expect 0 0 pen-sim hindsight disc.record --format=json --stride=1 --beam=2 -o disc.json
# A front that is gone soon: whoever knows what comes calls at other times than auto does.
expect 0 0 pen-sim generate front --generate=hex:16x16 --ranks=3 --partitioner=rect:rows=1 --steps=24 --period=6 \
    -o front.record
expect 0 0 pen-sim hindsight front.record --format=json --stride=1 -o front.json
expect 0 0 pen-sim hindsight disc.record --ranks=2 --balancer=central --machine=flat:2,speeds=1:3 -o central.txt
expect 0 2 shock --generate=mesh:8x4 --steps=8 --quiet --load=declared --record=shock.record
expect 0 0 pen-sim hindsight shock.record --balancer=metis -o shock.txt
expect 0 0 pen-sim generate noise "${small[@]}" --steps=0 -o empty.record
# More calls than a run keeps; the table says what it leaves out.
expect 0 0 pen-sim generate noise "${small[@]}" --steps=600 -o long.record
expect 0 0 pen-sim hindsight long.record --balance-cost=0:0 --beam=1 --format=json -o long.json
# A balancer that fails is told of once for each period, and for the beam.
expect 0 0 pen-sim hindsight half.record --stride=1 "--balancer=$bin/../lib/wrong_balancer.so:range"
[ "$(grep -c "the replay goes on unchanged" "$err")" -le 5 ] || complain "calls that fail: $(cat "$err")"
python3 - <<'PYTHON' || failures=1
import json
wrong = []
for name in "half", "disc", "front":
    costs, calls = json.load(open(name + ".json"))["tables"]
    cost = {row["balanced"].split(" (")[0]: row["units"] for row in costs["rows"]}
    best, bound = cost["best set found"], cost["bound"]
    others = [v for k, v in cost.items() if k not in ("best set found", "bound")]
    if not (bound <= best <= min(others) and len(others) == 3):
        wrong.append(f"{name}: {cost}")
    steps = [row["step"] for row in calls["rows"]]
    if name == "half" and steps != [1]:
        wrong.append(f"half: calls behind {steps}")
    if name == "front" and not best < 0.97 * min(others):
        wrong.append(f"front: the beam finds nothing better than {cost}")
    if name != "half" and not len(steps) > 1:
        wrong.append(f"{name}: calls behind {steps}")
costs, calls = json.load(open("long.json"))["tables"]
count = next(row["calls"] for row in costs["rows"] if row["balanced"] == "best set found")
if not (len(calls["rows"]) == 512 < count and f"; the first and last 256 of {count:.0f}" in calls["title"]):
    wrong.append(f"long: {len(calls['rows'])} steps, titled {calls['title']}, of {costs}")
print("\n".join(wrong), end="")
raise SystemExit(len(wrong) > 0)
PYTHON
expect_mistake "it has no steps" 0 pen-sim hindsight empty.record
expect_mistake "unknown balancer" 0 pen-sim hindsight half.record --balancer=diffusiv
expect_mistake "--beam=0" 0 pen-sim hindsight half.record --beam=0
expect_mistake "not a workload record" 0 pen-sim hindsight "$0"
expect_mistake "nowhere/x" 0 pen-sim hindsight "$0" -o nowhere/x # before the record is read
finish
