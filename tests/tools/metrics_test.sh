#!/bin/bash
# metrics_test.sh BIN - the metrics are JSON with the keys that are promised, and their numbers agree with each
# other and with what is known of the run.
. "$(dirname "$0")/support.bash"
command -v python3 >/dev/null || skip "no python3 to read JSON with"

expect 0 3 wave --grid=12x10 --steps=8 --metrics=wave.json --comm=shared --partitioner=block
checksum=$(sed -n 's/^checksum *//p' out)
expect 0 0 hex --grid=1x1 --steps=0 --metrics=hex.json
python3 - "$checksum" <<'PYTHON' || failures=1
import json, sys

failed = False

def check(what, found, expected):
    global failed
    if found != expected:
        print("metrics_test.sh: %s is %r, expected %r" % (what, found, expected), file=sys.stderr)
        failed = True

SECONDS = {"total", "init", "loop", "compute", "compute_overhead", "communicate", "communication_overhead", "balance"}

def check_keys(m):
    promised = {"schema", "app", "ranks", "nodes", "edges", "steps", "comm", "partitioner", "balancer", "checksum",
                "seconds", "per_rank", "halo", "partition", "work", "balance_calls"}
    check("missing keys", promised - set(m), set())
    check("schema", m["schema"], "penumbra-metrics/1")
    check("seconds", SECONDS - set(m["seconds"]), set())
    for rank in m["per_rank"]:
        check("per_rank", {"rank", "owned", "boundary", "shadows", "neighbors", "seconds"} - set(rank), set())
        check("per_rank.seconds", SECONDS - set(rank["seconds"]), set())
        for key in SECONDS:
            if rank["seconds"][key] > m["seconds"][key] + 1e-6 and key != "total":
                check(key, "more on rank %d than the maximum" % rank["rank"], None)
    check("halo", {"gets_per_step", "bytes_per_step", "syncs_per_step", "far_gets_per_step", "far_bytes_per_step", "fields"} - set(m["halo"]), set())
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
check("checksum", wave["checksum"], sys.argv[1])
shadows = sum(r["shadows"] for r in wave["per_rank"])
check("bytes per step", wave["halo"]["bytes_per_step"], 8 * shadows)  # displacement alone is pulled
check("no far reads", (wave["halo"]["far_gets_per_step"], wave["halo"]["far_bytes_per_step"]), (0, 0))
check("fields", wave["halo"]["fields"], {"displacement": 8 * shadows, "velocity": 0})
check("max volume", wave["partition"]["max_volume"], max(r["shadows"] for r in wave["per_rank"]))
check("cut of three stripes", wave["partition"]["cut"] > 0 and wave["partition"]["imbalance"], 1.0)
check("observables", {k: len(v) for k, v in wave["observables"].items()},
      {"kinetic energy": 8, "highest": 8, "moving nodes": 8})
seconds = wave["seconds"]
parts = seconds["compute"] + seconds["compute_overhead"] + seconds["communicate"] + seconds["communication_overhead"]
check("loop covers its parts", parts > 0 and parts < 3 * seconds["loop"] + 1e-3, True)
check("one node", (one["ranks"], one["nodes"], one["edges"], one["steps"]), (1, 1, 0, 0))
sys.exit(failed)
PYTHON
finish
