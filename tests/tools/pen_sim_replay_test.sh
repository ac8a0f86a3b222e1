#!/bin/bash
# pen_sim_replay_test.sh BIN PLUGIN EYES - pen-sim replay: on the recorded run's ranks it makes the same moves, call for
# call, and on others something sensible; and what is wrong with a record is told in one sentence.
tests=$(cd "$(dirname "$0")" && pwd)
plugin=$(realpath "$2") eyes=$(realpath "$3")
. "$tests/support.bash"
command -v python3 >/dev/null || skip "no python3 to read JSON with"

# same NAME RANKS BALANCER WHEN PROGRAM ARGUMENTS...: a run and its replay.
same()
{
    local name=$1 ranks=$2 how=("--balancer=$3" "--balance-when=$4")
    shift 4
    expect 0 "$ranks" "$@" "${how[@]}" --quiet --record="$name.record" --metrics="$name.json"
    how+=($(printf '%s\n' "$@" | grep -e --machine -e --balance-cost))
    expect 0 0 pen-sim replay "$name.record" "${how[@]}" --metrics="$name" --record="$name.copy"
    # A copy has another order of loads; its own copy is the same file.
    expect 0 0 pen-sim replay "$name.copy" --metrics="$name.none" --record="$name.again"
    cmp "$name.copy" "$name.again" || complain "$name: the record of a replay is another one"
    python3 "$tests/replay_check.py" "$name.json" "$name"-*.json || complain "$name: other moves than in the run"
}

battle="battlefield --generate=hex:16x16 --steps=30 --load=declared"
later same diffusive 4 diffusive auto $battle
later same central 16 central auto $battle
later same metis 4 metis:seed=3 every:5:always $battle
later same plugin 2 "$plugin" every:4:always $battle
# Arcs, few of which have a reverse.
python3 -c 'print(90, 180)
for i in range(90):
    far = (i * 7 + 3) % 90
    print((i + 1) % 90 + 1, ((i + 5) % 90 if far in (i, i + 1) else far) + 1)
' >arcs.graph
later same directed 7 diffusive auto hex --graph=arcs.graph:directed --steps=12 --load=declared \
    --imbalance=alternate:10:2
later same machine 4 minex auto hex --generate=hex:12x12 --steps=8 --load=declared --imbalance=disc \
    --machine=clusters:2,between=10,kind=UP
later same turns 3 diffusive auto hex --generate=hex:12x12 --steps=40 --load=declared --imbalance=alternate:20:1
# Loads that fluctuate: plans are for the nodes' average loads, also after a checkpoint.
mkdir noisy soon && canaries --checkpoints noisy soon
later same fluctuating 4 diffusive auto noisy --steps=40 --load=declared --checkpoint=noisy --checkpoint-every=20
later same soon 4 diffusive auto noisy --steps=9 --load=declared --checkpoint=soon --checkpoint-every=3
printf 'processors 4\ncluster a 2 latency=0.1,cost=0.2\ncluster b 2 speed=2\nlink a b latency=0.5,cost=0.3\n' >4.machine
later same priced 4 diffusive auto hex --generate=hex:12x12 --steps=40 --load=declared --imbalance=three-phase \
    --machine=4.machine
# What balancers see, bit for bit.
later same seen 3 "$eyes" every:5:always hex --graph=arcs.graph:directed --steps=12 --load=declared
later same seen_coordinates 4 "$eyes" every:5:always hex --generate=geometric:nodes=200,coordinates --steps=12 \
    --load=declared
later same seen_growing 3 "$eyes" every:3:always grow --generate=tree:nodes=15 --steps=12
later same seen_waves 3 "$eyes" every:2:always shock --generate=mesh:12x12 --depth=2 --load=declared
later same seen_tree 3 "$eyes" every:3:always grow --generate=tree:nodes=15,coordinates --steps=12
# What balancers note with nodes: at every call, none is lost, and none is another's.
noted()
{
    same "$1" "$2" "$eyes" every:1:always "${@:3}"
    python3 - "$1" 2>"$1.err" <<'PYTHON' || complain "$1: what is noted with nodes: $(tail -1 "$1.err")"
import json, sys
run = json.load(open(sys.argv[1] + ".json"))
seen, new, strangers, forgotten = counts = list(run["balance_totals"]["counters"].values())
added = (run.get("changes") or { "added": 0 })["added"]
assert strangers == forgotten == 0 and new < seen, counts
assert new == run["nodes"] if added == 0 else run["nodes"] < new <= run["nodes"] + added, counts
assert [sum(call["counters"][name] for call in run["balance_calls"]) for name in
        run["balance_totals"]["counters"]] == counts, counts
PYTHON
}
later noted noted 3 hex --generate=hex:12x12 --steps=9 --load=declared --imbalance=disc
later noted noted_directed 4 hex --graph=arcs.graph:directed --steps=12 --load=declared --imbalance=alternate:10:2
later noted noted_growing 3 grow --generate=tree:nodes=15 --steps=12
later noted noted_waves 3 shock --generate=mesh:12x12 --depth=2 --load=declared
later expect 0 3 hex --generate=hex:12x12 --steps=9 --load=declared --imbalance=disc --quiet "--balancer=$eyes" \
    --balance-when=every:1:always --migrate-random=3:0.4 --metrics=scattered.json --trace=scattered.trace
later expect 0 0 pen-sim replay diffusive.record --ranks=5,2,1 --hosts=2 "--balancer=$eyes" \
    --balance-when=every:5:always --metrics=hosts --format=csv -o hosts.csv
later same waves 4 sfc every:1:always shock --generate=mesh:12x12 --depth=2 --load=declared
later same seen_battle 4 "$eyes" every:7:always $battle
later same growing 4 metis every:3:always grow --generate=tree:nodes=1 --steps=40
later same changing 3 diffusive change:always grow --generate=tree:nodes=15 --steps=30
# A run that is resumed from one without loads: steering begins with it, like its record.
mkdir plain && canaries --checkpoints plain
expect 0 3 battlefield --generate=hex:16x16 --steps=20 --quiet --checkpoint=plain
for when in auto every:5 every:6:always; do
    how=(--balance-cost=$([ $when = auto ] && echo 100 || echo 900) --balancer=diffusive --balance-when=$when)
    expect 0 3 battlefield --resume=plain/step-000000000020.checkpoint --steps=50 --load=declared "${how[@]}" --quiet \
        --record=late.record --metrics=late.json
    expect 0 0 pen-sim replay late.record "${how[@]}" --metrics=late
    python3 "$tests/replay_check.py" late.json late-*.json || complain "resumed, $when: other moves than in the run"
    rm late*
done
# A run that is asked to end has called its balancer after its last step, too.
mkdir asked && canaries --checkpoints asked
for _ in 1 2 3 4 5; do # on a busy machine the time may have passed before the run begins
    run 2 battlefield --generate=hex:16x16 --steps=50 --quiet --load=declared --balancer=diffusive \
        --balance-when=every:1:always --record=asked.record --checkpoint=asked --checkpoint-before=@$(($(date +%s) + 9))
    grep -q "this time has passed" "$err" || break
done
[ "$status" -eq 4 ] || complain "$ran: exit status $status, expected 4: $(cat "$err")"
steps=$(sed -n 's/.* after step \([0-9]*\): .*/\1/p' "$err")
expect 0 0 pen-sim replay asked.record --balancer=diffusive --balance-when=every:1:always --columns=calls --format=csv \
    -o asked.csv
[ "$(sed -n '2s/.*,//p' asked.csv)" = "$steps" ] || complain "calls of a run of $steps steps: $(cat asked.csv)"
wait
later expect 0 4 noisy --steps=40 --load=declared --balancer=diffusive --quiet \
    --resume=noisy/step-000000000020.checkpoint --metrics=fluctuating.again.json
later expect 0 4 noisy --steps=9 --load=declared --balancer=diffusive --quiet \
    --resume=soon/step-000000000006.checkpoint --metrics=soon.again.json # nodes have just moved
wait
python3 - <<'PYTHON' || failures=1
import json
for name in "fluctuating", "soon":
    calls, again = ([[call[key] for key in ("step", "moved_nodes", "imbalance_after")] for call in
                     json.load(open(name + end))["balance_calls"]] for end in (".json", ".again.json"))
    assert calls == again, "%s: after a checkpoint other calls: %s, not %s" % (name, again, calls)
    assert 1 <= len(calls) <= 6, "%s: calls for loads that only fluctuate: %s" % (name, calls)
    assert name != "soon" or calls[-1][0] == 6, "no call before the checkpoint of step 6: %s" % calls
PYTHON

# ---- Other ranks, balancers and machines
sweep=(--ranks=2,12 "--balancer=none,diffusive:rounds=3,tolerance=0.1,central,$plugin"
    --balance-when=auto,every:19:always)
later expect 0 0 pen-sim replay central.record "${sweep[@]}" --format=csv -o sweep.csv
later expect 0 0 pen-sim replay central.record "${sweep[@]}" --format=json -o sweep.json
later expect 0 0 pen-sim replay central.record --ranks=300 --balancer=central --format=latex -o sweep.latex
later expect 0 0 pen-sim replay growing.record --ranks=1,9,20 --balancer=scotch,metis,diffusive \
    --balance-when=every:12:always --machine=clusters:4,between=30 --format=csv -o grown.csv
later expect 0 0 pen-sim replay directed.record --ranks=12 --balancer=diffusive,scotch --partitioner=random:seed=3 \
    --format=csv -o directed.csv
expect 0 0 pen-sim replay central.record --ranks=64 --machine=flat:64,cost=1000 --format=csv -o far.csv
expect 0 0 pen-sim replay central.record --ranks=64 --format=csv -o near.csv
expect 0 0 pen-sim replay central.record --ranks=64 "--columns=most bytes,cut,ranks" --format=csv -o columns.csv
# Flags belong to the balancer before them, too.
expect 0 0 pen-sim replay central.record --balancer=central,minex:units,scratch,none,scotch:imbalance=0.1,remap \
    --columns=balancer --format=csv
names='central;"minex:units,scratch";none;"scotch:imbalance=0.1,remap"'
[ "$(sed -n '2,5s/^".*",//p' out | paste -sd ';')" = "$names" ] || complain "balancers with flags: $(sed -n 2,5p out)"
expect 0 0 hex --generate=hex:16x16 --steps=40 --quiet --load=declared --imbalance=three-phase:10 --record=phases.record
expect 0 0 pen-sim replay phases.record --ranks=8 --machine=clusters:8,between=30 --balancer=none,minex,pagrid \
    --format=csv -o dear.csv
wrong=$bin/../lib/wrong_balancer.so
expect 0 0 pen-sim replay central.record --ranks=4 "--balancer=$wrong:range,$wrong:mpi" --balance-when=every:10:always \
    --format=csv -o failed.csv
# The second balancer is not blamed for what the first one has done.
grep -q ":mpi on 4 ranks, .*: rank 3: it failed without a message;" "$err" || complain "$ran: says \"$(cat "$err")\""
# Stacks take mappings, of which there may be too few before there is too little memory.
if [ "$(cat /proc/sys/vm/max_map_count)" -lt 80000 ]; then
    expect 3 0 pen-sim replay central.record --ranks=40000 --partitioner=block --balancer=central
    grep -q "40000 fibers, or vm.max_map_count is less than 80000" "$err" || complain "$ran: says \"$(cat "$err")\""
fi
# Costs. A machine in seconds that costs what the model does without one changes nothing.
still=(pen-sim replay diffusive.record --unit=1e-6 --format=csv)
printf 'processors 4\nseconds 8\ncluster a 4 latency=0.7e-6,cost=2.08e-9\n' >same.machine
printf 'processors 4\nseconds 8\ncluster a 4 latency=1,cost=0\n' >late.machine
expect 0 0 "${still[@]}" -o unit.csv
expect 0 0 "${still[@]}" --machine=same.machine -o same.csv
expect 0 0 "${still[@]}" --machine=late.machine -o late.csv
expect 0 0 "${still[@]}" --machine=flat:4,latency=1000 -o latency.csv
expect 0 0 pen-sim replay diffusive.record --unit=1 --format=csv -o seconds.csv
expect 0 0 pen-sim replay diffusive.record --unit=1e-9 --partitioner=random:seed=3 --format=csv -o many.csv
expect 0 0 pen-sim replay diffusive.record --unit=1e-9 --partitioner=metis --format=csv -o few.csv
expect 0 0 pen-sim replay diffusive.record --format=json -o fit.json
# Where nodes have many neighbours, diffusive makes few rounds.
expect 0 0 pen-sim generate front --generate=geometric:nodes=1000,degree=60,coordinates --ranks=4 --steps=10 \
    --period=10 -o dense.record
expect 0 0 pen-sim replay dense.record --balancer=diffusive --columns=rounds/call --format=csv -o dense.csv
sed -n 2p dense.csv | awk -F, '$NF > 0 && $NF < 3 { few = 1 } END { exit !few }' || complain "rounds: $(cat dense.csv)"
# Seeds
for seed in 4 5 6; do
    later expect 0 0 pen-sim replay diffusive.record --ranks=12 --balancer=metis:seed=$seed,diffusive \
        --balance-when=every:5:always --format=csv -o seed$seed.csv
done
repeat=(--ranks=12 --balancer=metis:seed=4,diffusive --balance-when=every:5:always --repeat=3 --metrics=repeated)
later expect 0 0 pen-sim replay diffusive.record "${repeat[@]}" --format=csv -o repeat.csv
later expect 0 0 pen-sim replay diffusive.record "${repeat[@]}" --format=json -o repeat.json
wait
python3 - <<'PYTHON' || failures=1
import csv, json, sys
def rows(path, table=0):
    lines = list(csv.reader(open(path).read().split("\n\n")[table].splitlines()))
    return [dict(zip(lines[0], r)) for r in lines[1:]]
def check(right, what):
    global bad
    if not right:
        print("pen_sim_replay_test.sh:", what, file=sys.stderr)
        bad = True
bad = False
# Nodes that move at random take what is noted with them, too. The trace has each rank's share.
run, trace = (json.load(open("scattered." + kind)) for kind in ("json", "trace"))
counters = run["balance_totals"]["counters"]
check(list(counters.values()) == [8 * 144, 144, 0, 0], "notes of nodes that move at random: %s" % counters)
shares = [event["args"]["value"] for event in trace["traceEvents"] if event["name"].startswith("new nodes, rank ")]
check(len(shares) == 3 * 8 and sum(shares) == 144, "in the trace are new nodes: %s" % shares)
check(not any(row["counter"] == '"strangers"' and row["total"] != "0.0000" for row in rows("hosts.csv", 2)) and
      [row["per call"] for row in rows("hosts.csv", 2)[::4]] == ["256.0000"] * 2 + [""], "counters: %s" %
      rows("hosts.csv", 2))
table = rows("sweep.csv")
same = json.load(open("sweep.json"))["tables"][0]["rows"]
check(len(table) == 2 * 4 * 2 == len(same), "%d rows in CSV, %d in JSON" % (len(table), len(same)))
for a, b in zip(table, same):
    for key in ("ranks", "work-only makespan", "cut", "moved"):
        check(float(a[key]) == b[key], "CSV and JSON differ in " + key)
    check(0 < b["efficiency"] <= 1 and 0 < b["work-only efficiency"] <= 1, "no efficiency")
    check(b["worst"] >= b["imbalance"] >= 1, "no imbalance")
    check((b["calls"] == 0) == (b["balancer"] == "none") or b["when"] == "auto", "calls of none, or none of others")
best = {(r["ranks"], r["balancer"]): r["work-only efficiency"] for r in same if r["when"] == "auto"}
check(best[12, "central"] > 1.2 * best[12, "none"], "central does not help")
check(len(rows("grown.csv")) == 9 and all(int(r["calls"]) > 0 for r in rows("grown.csv") if r["ranks"] != "1"),
      "records whose graph grows")
failed, other = rows("failed.csv")
check(failed["balancer"].endswith(".so:range") and other["balancer"].endswith(".so:mpi"), "names are cut off: %s, %s" %
      (failed["balancer"], other["balancer"]))
check(int(failed["failed"]) == int(failed["calls"]) > 0 and failed["applied"] == "0", "calls that fail: %s" % failed)
check(all(int(r["failed"]) == 0 for r in table), "calls have failed")
check(all(float(r["seconds"]) > 0 for r in rows("directed.csv")), "no time")
far, near = (float(rows(f)[0]["ms/step"]) for f in ("far.csv", "near.csv"))
none, *others = (float(r["work-only efficiency"]) for r in rows("dear.csv"))
check(len(others) == 2 and min(others) > 1.2 * none, "over dear links minex, pagrid reach %s, none %g" % (others, none))
chosen = ["table", "most bytes", "cut", "ranks"]
check([(list(r), list(r.values())) for r in rows("columns.csv")] ==
      [(chosen, [r[k] for k in chosen]) for r in rows("near.csv")], "--columns: %s" % rows("columns.csv"))
check(far > 10 * near, "a far network costs %g ms a step, a near one %g" % (far, near))
def step(path): return float(rows(path)[0]["ms/step"])
makespan = float(rows("seconds.csv")[0]["work-only makespan"])
check(abs(step("seconds.csv") * 30 / 1000 / makespan - 1) < 1e-3, "--unit=1 takes %g ms a step" % step("seconds.csv"))
check(abs(step("same.csv") / step("unit.csv") - 1) < 1e-5, "a machine in seconds takes %g ms a step, not %g" %
      (step("same.csv"), step("unit.csv")))
# Four ranks, of which each reads 2 or 3, six times in a step
check(12e3 < step("late.csv") < 18.1e3, "with a latency of a second a step takes %g ms" % step("late.csv"))
# which is 1000 times the 500 bytes of a shadow here
check(0.25 < step("latency.csv") - step("unit.csv") < 0.4, "a latency of 1000 takes %g ms" %
      (step("latency.csv") - step("unit.csv")))
# Loads only, messages only: efficiency is that of the whole step
free, late = rows("seconds.csv")[0], rows("late.csv")[0]
check(list(free)[4:6] == ["ms/step", "efficiency"], "the first columns: %s" % list(free))
check(abs(float(free["efficiency"]) - float(free["work-only efficiency"])) < 2e-4, "efficiency of loads: %s" % free)
check(late["work-only efficiency"] == free["work-only efficiency"] and float(late["efficiency"]) < 1e-3,
      "efficiency of messages: %s" % late)
many, few = (rows(f)[0] for f in ("many.csv", "few.csv"))
check(int(many["cut"]) > 2 * int(few["cut"]) and float(many["ms/step"]) > float(few["ms/step"]) and
      float(many["efficiency"]) < float(few["efficiency"]), "a larger cut looks better: %s, %s" % (many, few))
costs = {r["cost"]: r for r in rows("seconds.csv", 1)}
check((costs["load"]["value"], costs["load"]["from"]) == ("1000000000.0000", "--unit"), "costs: %s" % costs)
check(float(costs["misfit"]["value"]) > 1000, "a second per unit fits")
check("the machine's, in seconds" in open("same.csv").read(), "costs do not name the machine")
fit = {r["cost"]: r for r in json.load(open("fit.json"))["tables"][1]["rows"]}
check(fit["load"]["from"].startswith("fit") and 0 < fit["misfit"]["value"] < 100, "fit: %s" % fit)
check(0 < fit["collinearity"]["value"] <= 1 and fit["recorded step"]["value"] > 0, "fit: %s" % fit)
seeds, statistics = [rows("seed%d.csv" % seed) for seed in (4, 5, 6)], [rows("repeat.csv", table) for table in range(3)]
for key in ("cut", "moved", "imbalance", "bytes/rank"):
    drawn, alike = ([float(r[i][key]) for r in seeds] for i in (0, 1))
    told, again = ([float(r[i][key]) for r in statistics] for i in (0, 1))
    check(told == [sorted(drawn)[i] for i in (1, 0, 2)], "%s of seeds %s, repeated %s" % (key, drawn, told))
    check(again == alike and len(set(alike)) == 1, "diffusive has no seed, but %s is %s" % (key, again))
    check(key == "imbalance" or len(set(drawn)) > 1, "%s is the same with all seeds" % key)
titles = [t["title"].split("; ")[-1] for t in json.load(open("repeat.json"))["tables"]]
check(titles[:3] == ["medians of 3 repeats", "least of 3 repeats", "greatest of 3 repeats"] and len(titles) == 4,
      "tables of repeats: %s" % titles)
check(fit["message"]["value"] == 700 and "without --model" in fit["message"]["from"], "fit: %s" % fit)
raise SystemExit(bad)
PYTHON

# ---- Models, and pictures
cat >model.json <<'JSON'
{"schema": "penumbra-comm-model/1", "ranks": 2, "transports": [
  {"transport": "fence", "latency_seconds": 1.0, "seconds_per_byte": 0.0, "seconds_per_neighbor": 0.0,
   "sync_seconds": 1.0},
  {"transport": "slow", "latency_seconds": null, "seconds_per_byte": null}]}
JSON
# 30 steps, 6 times in each something is pulled, and four ranks synchronise twice as long as two.
expect 0 0 pen-sim replay diffusive.record --model=model.json --format=csv
[ "$(sed -n '2s/.*,//; 2s/\..*//p' out)" = 360 ] || complain "a model: $(sed -n 2p out)"
grep -q '^Costs.*,synchronisation,1000000000.0*,ns per doubling of ranks,"fence, from --model"$' out ||
    complain "costs of a model: $(grep ^Costs out)"
# Costs of more ranks: a neighbour's time has that of its bytes, and the latency that of all neighbours' messages. Where
# a neighbour's time is unknown, these are what a latency has more than a synchronisation.
cat >four.json <<'JSON'
{"schema": "penumbra-comm-model/1", "ranks": 4, "transports": [
  {"transport": "fence", "latency_seconds": 20e-6, "seconds_per_byte": 1e-9, "seconds_per_neighbor": 3e-6,
   "bytes_per_neighbor": 2048, "neighbors": 3, "sync_seconds": 19e-6},
  {"transport": "overlap", "latency_seconds": 20e-6, "seconds_per_byte": 1e-9, "seconds_per_neighbor": null,
   "bytes_per_neighbor": 2048, "neighbors": 3, "sync_seconds": 17e-6}]}
JSON
for costs in fence:952:8572 overlap:1000:8500; do
    IFS=: read -r transport message sync <<<"$costs"
    expect 0 0 pen-sim replay diffusive.record --model=four.json --comm=$transport --format=csv
    grep -q "^Costs.*,message,$message\.0000,ns," out && grep -q "^Costs.*,synchronisation,$sync\.0000,ns per" out ||
        complain "costs of $transport on four ranks: $(grep ^Costs out)"
done
expect_mistake "it lacks the transport pscw" 0 pen-sim replay diffusive.record --model=model.json --comm=pscw
expect_mistake "of slow are not known" 0 pen-sim replay diffusive.record --model=model.json --comm=slow
expect_mistake "not a model" 0 pen-sim replay diffusive.record --model=diffusive.json
sed 's/"ranks": 2/"ranks": 99999999999/' model.json >many.json
expect_mistake "not a model" 0 pen-sim replay diffusive.record --model=many.json
printf '%*s' 100000 '' | tr ' ' '[' >deep.json
expect_mistake "deep.json: line 1: not JSON" 0 pen-sim replay diffusive.record --model=deep.json
printf '{"ranks": 2,\n"transports": [' >cut.json
expect_mistake "cut.json: line 2: not JSON" 0 pen-sim replay diffusive.record --model=cut.json
if has_matplotlib; then
    for kind in balance loads categories; do
        expect 0 0 pen-plot $kind diffusive-diffusive-auto-4.json -o $kind.svg
    done
else
    leave_out "no matplotlib to draw with"
fi

# ---- Mistakes
head -c 300 diffusive.record >cut.record
for file in cut.record diffusive.json; do
    expect_mistake "$file" 0 pen-sim replay $file --metrics=none --record=none.record -o none.txt
done
expect_mistake "nowhere.record" 0 pen-sim replay nowhere.record
expect_mistake "unknown balancer metiss: did you mean metis?" 0 pen-sim replay diffusive.record \
    --balancer=central,metiss
expect_mistake "unknown partitioner metiss" 0 pen-sim replay diffusive.record --ranks=5 --partitioner=metiss
expect_mistake "--ranks=4,0" 0 pen-sim replay diffusive.record --ranks=4,0
expect_mistake "an empty name in the list" 0 pen-sim replay diffusive.record --balancer=central,,metis
expect_mistake "must be auto, change or every:N" 0 pen-sim replay diffusive.record --balance-when=often
expect_mistake "8 processors" 0 pen-sim replay diffusive.record --ranks=4,16 --machine=flat:8 --metrics=none \
    -o none.txt
expect_mistake "those of growing.record are measured" 0 pen-sim replay growing.record --balance-cost=3
expect_mistake "--comm=fence needs --model=FILE" 0 pen-sim replay diffusive.record --comm=fence
expect_mistake "unknown column cuts: did you mean cut?" 0 pen-sim replay diffusive.record --columns=ranks,cuts \
    --metrics=none --record=none.record -o none.txt
expect_mistake "--repeat=0" 0 pen-sim replay diffusive.record --repeat=0
expect_mistake "2147483647 + 1 is more" 0 pen-sim replay diffusive.record --balancer=metis:seed=2147483647 --repeat=2
expect_mistake "--unit=0" 0 pen-sim replay diffusive.record --unit=0
expect_mistake "those of growing.record are measured" 0 pen-sim replay growing.record --unit=1e-6
expect_mistake "nowhere/x" 0 pen-sim replay diffusive.record --metrics=nowhere/x --record=none.record -o none.txt
expect_mistake "nowhere/x" 0 pen-sim replay diffusive.record --metrics=none --record=none.record -o nowhere/x
expect_mistake "balancers central and central have the same file: none-central-auto-4.json" 0 \
    pen-sim replay diffusive.record --balancer=central,central --metrics=none
[ -z "$(ls | grep '^none')" ] || complain "something was written: $(ls | grep '^none')"
finish
