#!/bin/bash
# metrics_test.sh BIN - the metrics are JSON with the keys that are promised, and their numbers agree with each
# other and with what is known of the run.
tests=$(cd "$(dirname "$0")/.." && pwd)
. "$(dirname "$0")/support.bash"
command -v python3 >/dev/null || skip "no python3 to read JSON with"

expect 0 3 wave --generate=hex:12x10 --seed=5 --steps=8 --metrics=wave.json --comm=shared --partitioner=block
checksum=$(sed -n 's/^checksum *//p' out)
expect 0 2 random --generate=random:nodes=40,degree=4.5,seed=3 --seed=3 --steps=600 --metrics=random.json \
    --grain=none --balancer=metis --balance-when=every:1:always --load=declared
mv out random.summary
expect 0 0 wave --generate=torus:5x4 --steps=1100 --dt=0.25 --metrics=long.json --until="highest>=2"
printf '3 2\n2\n1 3\n2\n' >$'odd\xff\n.graph'
expect 0 0 wave --graph=$'odd\xff\n.graph' --steps=1 --metrics=odd.json
expect 0 0 hex --generate=hex:1x1 --steps=0 --metrics=hex.json
grep -q '^ended       after 0 steps, the limit of --steps$' out || complain "$ran: $(grep -E '^(ended|so far)' out)"
expect 0 3 hex --generate=hex:16x12 --steps=600 --metrics=moving.json --trace=trace.json --imbalance=three-phase \
    --load=declared --balancer=metis --balance-cost=100:2
mv out moving.summary
expect 0 2 battlefield --generate=hex:8x8 --steps=3 --quiet --trace=far.json
changing=(hex --generate=hex:16x12 --steps=100 --imbalance=three-phase --load=declared --balancer=metis
    --balance-when=every:20:always)
expect 0 3 "${changing[@]}" --machine=flat,cost=0,speeds=1:2:2 --metrics=speeds.json
expect 0 3 "${changing[@]}" --machine=flat,cost=2,latency=1000,speeds=1:2:2 --metrics=links.json
expect 0 2 random --generate=random:nodes=40,seed=3 --steps=9 --seed=3 --machine=flat,cost=3 --balancer=metis \
    --balance-when=every:1:always --load=declared --metrics=kept.json

# A balancer that was not called: the summary says why.
no_call()
{
    local words=$1 ranks=$2
    shift 2
    expect 0 "$ranks" hex --generate=hex:8x8 --load=declared --balancer=rcb "$@"
    grep -qF "no call: $words" "$out" || complain "hex $*: no reason \"$words\" in: $(grep -A1 ^balancing "$out")"
}
later no_call "nodes cannot move, there is only one rank" 1 --imbalance=disc
later no_call "--balance-when=every:9 calls after every 9 steps" 2 --imbalance=disc --steps=9 --balance-when=every:9
later no_call "the graph has not changed" 2 --imbalance=disc --balance-when=change
no_call "the graph has not changed" 2 --imbalance=disc --balance-when=change --steps=300
! grep "balancing took longer" "$out" || complain "calls that were not made took long"
later no_call "none seemed to win more than it costs (--balance-when=auto); imbalance has cost 0 units" 2 \
    --partitioner=row
wait

# Metrics and traces are as their schemas say; what is not, is found.
schemas=$tests/../tools/package/schema
fits() { python3 "$tests/support/json_schema.py" "$schemas/$1.schema.json" "${@:2}" >findings 2>&1; }
fits penumbra-metrics-2 wave.json hex.json moving.json random.json long.json odd.json speeds.json links.json \
    kept.json || complain "$(cat findings)"
fits penumbra-trace-1 trace.json || complain "$(cat findings)"
python3 - <<'PYTHON'
import json
whole = json.load(open("moving.json"))
spoiled = [dict(whole, extra=1), dict(whole, steps="600"), dict(whole, steps=True), dict(whole, date="today"),
           dict(whole, balance_calls=[dict(whole["balance_calls"][0], bound=0.5)]), dict(whole, ended="perhaps"),
           dict(whole, observables={"a": ["b"]}), dict(whole, seconds=dict(whole["seconds"], sleep=1.0))]
spoiled += [{k: v for k, v in whole.items() if k != gone} for gone in ("versions", "command", "history", "work")]
for i, m in enumerate(spoiled):
    json.dump(m, open("spoiled.%d.json" % i, "w"))
PYTHON
for i in {0..11}; do
    fits penumbra-metrics-2 "spoiled.$i.json" && complain "the schema takes spoiled.$i.json"
    grep -q "^spoiled.$i.json: " findings || complain "what does not fit is not found: $(cat findings)"
done
python3 - "$checksum" <<'PYTHON' || failures=1
import datetime, json, sys

failed = False

def check(what, found, expected):
    global failed
    if found != expected:
        print("metrics_test.sh: %s is %r, expected %r" % (what, found, expected), file=sys.stderr)
        failed = True

SECONDS = {"total", "init", "loop", "compute", "compute_overhead", "communicate", "communication_overhead", "balance"}

def check_keys(m):
    promised = {"schema", "app", "ranks", "nodes", "edges", "steps", "seed", "comm", "partitioner", "balancer",
                "checksum", "seconds", "per_rank", "halo", "partition", "partition_at_end", "work",
                "balance_calls", "observables", "history"}
    check("missing keys", promised - set(m), set())
    check("schema", m["schema"], "penumbra-metrics/2")
    check("seconds", SECONDS - set(m["seconds"]), set())
    for rank in m["per_rank"]:
        check("per_rank", {"rank", "owned", "boundary", "shadows", "neighbors", "seconds"} - set(rank), set())
        check("per_rank.seconds", SECONDS - set(rank["seconds"]), set())
        for key in SECONDS:
            if rank["seconds"][key] > m["seconds"][key] + 1e-6 and key != "total":
                check(key, "more on rank %d than the maximum" % rank["rank"], None)
    check("halo", {"gets_per_step", "bytes_per_step", "syncs_per_step", "far_gets_per_step", "far_bytes_per_step",
        "fields"} - set(m["halo"]), set())
    check("partition", {"cut", "imbalance", "bound", "max_volume", "pieces"} - set(m["partition"]), set())

wave, one = json.load(open("wave.json")), json.load(open("hex.json"))
check_keys(wave)
check_keys(one)
check("app", wave["app"], "wave")
check("ranks", (wave["ranks"], len(wave["per_rank"])), (3, 3))
check("nodes", wave["nodes"], 120)
check("edges", wave["edges"], 11 * 10 + 9 * (2 * 12 - 1))
check("owned", sum(r["owned"] for r in wave["per_rank"]), 120)
check("comm and partitioner", (wave["comm"], wave["partitioner"]), ("shared", "block"))
check("seed", wave["seed"], 5)
check("checksum", wave["checksum"], sys.argv[1])
shadows = sum(r["shadows"] for r in wave["per_rank"])
check("bytes per step", wave["halo"]["bytes_per_step"], 8 * shadows)  # displacement alone is pulled
check("no far reads", (wave["halo"]["far_gets_per_step"], wave["halo"]["far_bytes_per_step"]), (0, 0))
check("fields", wave["halo"]["fields"], {"displacement": 8 * shadows, "velocity": 0})
check("max volume", wave["partition"]["max_volume"], max(r["shadows"] for r in wave["per_rank"]))
check("cut of three stripes", wave["partition"]["cut"] > 0 and wave["partition"]["imbalance"], 1.0)
check("observables", {k: len(v) for k, v in wave["observables"].items()},
      {"kinetic energy": 8, "highest": 8, "moving nodes": 8})
check("first and last", (set(wave["observables_first"]), wave["observables_last"]),
      (set(wave["observables"]), {k: v[-1] for k, v in wave["observables"].items()}))
check("a bump at first", [wave["observables_first"][key] for key in ("highest", "kinetic energy")], [1, 0])

# Where the numbers come from.
check("graph", (wave["graph"], json.load(open("random.json"))["graph"], json.load(open("long.json"))["graph"]),
      ("hex:12x10", "random:nodes=40,degree=4.5,seed=3", "torus:5x4"))
check("graph of a file whose name is no text", json.load(open("odd.json"))["graph"], "odd\ufffd\n.graph")
check("command", wave["command"][1:], ["--generate=hex:12x10", "--seed=5", "--steps=8", "--metrics=wave.json",
    "--comm=shared",
                                       "--partitioner=block"])
check("options", (wave["options"], json.load(open("long.json"))["options"]), ({"dt": 0.5}, {"dt": 0.25}))
check("options of the run", wave["run_options"],
      {"steps": 8, "partitioner": "block", "transport": "shared", "seed": 5, "debug.watchdog": -1, "progress": 2})
check("hosts", (len(wave["hosts"]), wave["hosts"][0]["ranks"], wave["hosts"][0]["name"] != ""), (1, 3, True))
check("MPI", "MPI" in wave["versions"]["mpi"], True)
age = datetime.datetime.utcnow() - datetime.datetime.strptime(wave["date"], "%Y-%m-%dT%H:%M:%SZ")
check("written now", abs(age.total_seconds()) < 600, True)

# A long run: every fourth step of 1100, and its end.
long = json.load(open("long.json"))
check("long", (long["observables_stride"], {len(v) for v in long["observables"].values()}), (4, {275}))
check("no end but that", (long["until"], long["ended"]), ("highest>=2", "steps"))
check("the last moment", {k: v[-1] for k, v in long["observables"].items()}, long["observables_last"])

# Of many calls the first and the last ones.
many = json.load(open("random.json"))
calls = [c["step"] for c in many["balance_calls"]]
check("options by their members", many["run_options"]["balance.when"], "every:1:always")
check("calls", (many["balance_totals"]["calls"], len(calls), calls[:256], calls[256:]),
      (599, 512, list(range(1, 257)), list(range(344, 600))))
check("calls that are applied", many["balance_totals"]["applied"] >= sum(c["applied"] for c in many["balance_calls"]),
      True)

# Balancing that took longer than computing is told, with what helps: of 600 calls for 40 nodes it surely did.
for name, remedy in ("random", "--balance-when=auto calls"), ("moving", "--balance-cost="):
    spent = json.load(open(name + ".json"))["seconds"]
    told = [line for line in open(name + ".summary") if "balancing took longer than computing" in line]
    check(name + ": too slow", (len(told), [remedy in line for line in told]),
          (1, [True]) if name == "random" or spent["balance"] > spent["compute"] else (0, []))

seconds = wave["seconds"]
parts = seconds["compute"] + seconds["compute_overhead"] + seconds["communicate"] + seconds["communication_overhead"]
check("loop covers its parts", parts > 0 and parts < 3 * seconds["loop"] + 1e-3, True)
check("one node", (one["ranks"], one["nodes"], one["edges"], one["steps"]), (1, 1, 0, 0))

# Loads over the steps: of 600, in pairs; and what follows from them and from the calls.
moving = json.load(open("moving.json"))
check_keys(moving)
loads = moving["history"]["loads"]
check("history", (moving["history"]["stride"], moving["history"]["unit"], [len(l) for l in loads]), (2, "units",
    [300] * 3))
check("work of a pair of steps", {round(sum(l[i] for l in loads), 6) for i in range(300)}, {96 * 11.0})
check("total", moving["work"]["total"], 600 * 96 * 11.0)
check("ideal", moving["work"]["ideal"], moving["work"]["total"] / 3)
calls = moving["balance_calls"]
applied = [c for c in calls if c["applied"]]
check("calls, one in each phase at least", (len(applied) >= 3, [c["step"] for c in applied][:1]), (True, [1]))
cost = sum(100 + 2 * c["max_moved"] for c in calls)
least = 2 * sum(max(l[i] for l in loads) for i in range(300)) + cost
check("makespan", least - 1e-6 <= moving["work"]["makespan"] < 1.02 * least, True)
check("efficiency", abs(moving["work"]["efficiency"] - moving["work"]["ideal"] / moving["work"]["makespan"]) < 1e-12,
    True)
# Both partitions, each whole: the first one has no node moved, and the last one is what per_rank is of.
check("nothing moved", wave["partition"], wave["partition_at_end"])
last = moving["partition_at_end"]
check("the last partition", (last["cut"], last["max_volume"], last["pieces"], last["imbalance"]),
      (applied[-1]["cut_after"], max(r["shadows"] for r in moving["per_rank"]), applied[-1]["pieces"],
       max(r["owned"] for r in moving["per_rank"]) / (moving["nodes"] / 3)))
def said(when, q):
    pieces = "%d piece%s too many" % (q["pieces"], "s" * (q["pieces"] != 1)) if q["pieces"] else \
        "each rank's nodes are connected"
    return ["%scut %d; the largest load of a rank is %.1f %% above the mean (%.1f %% at best)" % (
                when, q["cut"], 100 * (q["imbalance"] - 1), 100 * (q["bound"] - 1)),
            "            at most %d shadows on a rank; %s" % (q["max_volume"], pieces)]
summary = open("moving.summary").read().splitlines()
at = [line.startswith("partition") for line in summary].index(True)
check("partitions in the summary", summary[at:at + 4],
      said("partition   at first ", moving["partition"]) + said("            at the end ", last))
for c in calls:
    check("imbalance of a call", c["bound"] <= c["imbalance_after"] <= c["imbalance_before"], True)
    check("two-sided", c["imbalance_before"] - 1 <= c["two_sided_before"] + 1e-12 and
          c["imbalance_after"] - 1 <= c["two_sided_after"] + 1e-12, True)
    check("off-processor edges", (c["off_processor_before"] > 0) == (c["cut_before"] > 0) and
          (c["off_processor_after"] > 0) == (c["cut_after"] > 0), True)
    check("nodes of a call", c["nodes"], moving["nodes"])
    check("an applied call moves", c["applied"], c["moved_nodes"] > 0 and c["moved_bytes"] > 0 and c["max_moved"] > 0)
    check("seconds", c["cpu_seconds"] >= 0 and c["seconds"] > 0, True)

# On a machine, also what its links cost: every edge of the cut, and the time of a step, that of its loads.
check("calls without a machine", [k for c in calls for k in c if "dilation" in k or "step_time" in k], [])
speeds, links, kept = (json.load(open(name + ".json")) for name in ("speeds", "links", "kept"))
check("calls on machines", [len(m["balance_calls"]) > 3 and any(c["applied"] for c in m["balance_calls"])
      for m in (speeds, links)] + [any(not c["applied"] for c in kept["balance_calls"])], [True] * 3)
for when in ("_before", "_after"):
    for m, cost in (speeds, 0), (links, 2), (kept, 3):
        for c in m["balance_calls"]:
            check("dilation" + when, c["dilation" + when], cost * c["cut" + when])
    for c in speeds["balance_calls"]:
        check("time is load / speed" + when, round(c["step_time" + when] / c["imbalance" + when], 6), 96 * 11.0 / 5)
    for c in links["balance_calls"]:
        more = c["step_time" + when] - c["imbalance" + when] * 96 * 11.0 / 5
        check("time for links" + when, 1000 < more <= 2000 + 2 * c["cut" + when], True)

# The trace: a row per rank, spans in order that do not overlap, and what a step is made of.
spans = [e for e in json.load(open("far.json"))["traceEvents"] if e["name"] == "far reads"]
check("far reads", len(spans) > 0 and all(0 <= e["dur"] < 1e7 for e in spans), True)
events = json.load(open("trace.json"))["traceEvents"]
check("rows", sorted(e["args"]["name"] for e in events if e["name"] == "thread_name"), ["rank 0", "rank 1", "rank 2"])
check("kinds", {e["ph"] for e in events}, {"M", "X", "C"})
for rank in range(3):
    spans = [e for e in events if e["ph"] == "X" and e["tid"] == rank]
    end = 0.0
    for e in spans:
        if e["ts"] < end - 0.002:
            check("span %s at %s" % (e["name"], e["ts"]), "begins before %s" % end, None)
        end = e["ts"] + e["dur"]
    check("steps in phases", {e["args"]["step"] for e in spans if e["cat"] == "phase"}, set(range(600)))
    check("balance calls", [e["args"]["step"] for e in spans if e["cat"] == "balance"], [c["step"] for c in calls])
    check("the last span ends with the run", end * 1e-6 < moving["seconds"]["loop"] + 0.25, True)
for name in "seconds in node functions", "active nodes":
    check(name, len([e for e in events if e["ph"] == "C" and e["name"].startswith(name + ",")]), 3 * 600)
sys.exit(failed)
PYTHON
finish
