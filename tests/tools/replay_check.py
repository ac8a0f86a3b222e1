"""replay_check.py RUN REPLAY: the metrics of a run and of its replay tell of the same calls."""
import json
import sys

EQUAL = ["step", "nodes", "applied", "failed", "cut_before", "cut_after", "moved_nodes", "moved_bytes", "max_moved",
         "pieces", "rounds", "exchanges", "reductions", "counters"]
CLOSE = ["imbalance_before", "imbalance_after", "bound", "two_sided_before", "two_sided_after",
         "off_processor_before", "off_processor_after", "dilation_before", "dilation_after", "step_time_before",
         "step_time_after"]


def close(a, b):
    return abs(a - b) <= 1e-9 * abs(a)


run, replay = (json.load(open(path)) for path in sys.argv[1:3])
calls, again = run["balance_calls"], replay["balance_calls"]
wrong = []
if len(calls) != len(again) or not any(call["applied"] for call in calls):
    wrong.append("%d calls, replayed %d" % (len(calls), len(again)))
for mine, other in zip(calls, again):
    wrong += ["after step %d: %s %s, replayed %s" % (mine["step"], key, mine[key], other[key])
              for key in EQUAL if mine.get(key) != other.get(key)]
    wrong += ["after step %d: %s %.17g, replayed %.17g" % (mine["step"], key, mine[key], other[key])
              for key in CLOSE if key in mine and not close(mine[key], other[key])]
if run["balance_totals"].get("counters") != replay["balance_totals"].get("counters"):
    wrong.append("counters: %s, replayed %s" % (run["balance_totals"], replay["balance_totals"]))
if run["work"]:
    wrong += ["work: " + key for key in run["work"] if not close(run["work"][key], replay["work"][key])]
if [rank["owned"] for rank in run["per_rank"]] != [rank["owned"] for rank in replay["per_rank"]]:
    wrong.append("ranks have other numbers of nodes in the end")
for line in wrong[:10]:
    print("replay_check.py:", line, file=sys.stderr)
sys.exit(bool(wrong))
