#!/bin/bash
# pen_sim_exchange_test.sh BIN PYTHON - records of vt and tables in CSV: what pen-sim import makes of them is what they
# say, it replays, and export gives it back; so does penumbra.write_record. 77 where there is no numpy.
python=$2
. "$(dirname "$0")/support.bash"
/usr/bin/python3 -c 'import numpy' 2>/dev/null || skip "no numpy (Debian's python3-numpy)"

# Two ranks. Task 17 goes from rank 0 to rank 1 and is away in phase 2; on rank 1 phase 2 is the same as phase 1. Task
# 6 is an object group's.
object() { echo "{\"type\": \"object\", \"id\": $1, \"home\": 0, \"migratable\": ${2-true}}"; }
task() { echo "{\"entity\": $(object "$1" "${4-true}"), \"node\": $2, \"resource\": \"cpu\", \"time\": $3}"; }
message() { echo "{\"type\": \"SendRecv\", \"messages\": 1, \"from\": $1, \"to\": $2, \"bytes\": $3}"; }
cat >data.0.json <<END
{"metadata": {"type": "LBDatafile", "rank": 0}, "phases": [
 {"id": 0, "tasks": [$(task 5 0 1.5), $(task 17 0 0.25), $(task 6 0 0.125 false)],
  "communications": [$(message "$(object 5)" "$(object 17)" 300.0), $(message "$(object 5)" "$(object 5)" 8.0),
                     $(message "$(object 5)" '{"type": "node", "id": 1}' 8.0)]},
 {"id": 1, "tasks": [$(task 5 0 2.5), $(task 6 0 0 false)],
  "communications": [$(message "$(object 5)" "$(object 9)" 30.0)]},
 {"id": 2, "tasks": [$(task 5 0 3.0)]}]}
END
cat >data.1.json <<END
{"metadata": {"type": "LBDatafile", "rank": 1, "phases": {"count": 3, "identical_to_previous":
  {"list": [], "range": [[2, 2]]}, "skipped": {"list": [], "range": []}}}, "phases": [
 {"id": 0, "tasks": [$(task 9 1 1.0)], "communications": [$(message "$(object 9)" "$(object 5)" 60.0)]},
 {"id": 1, "tasks": [$(task 9 1 2.0), $(task 17 1 0.5)], "communications": []}]}
END
expect 0 0 pen-sim import data.0.json data.1.json -o vt.record
said pen-sim >notes
grep -q "1 tasks are not migratable" notes && grep -q "1 communications are left out" notes || complain "$(cat notes)"
PYTHONSAFEPATH=1 expect 0 0 pen-sim import --migratable data.1.json data.0.json -o moves.record
echo "{\"phases\": [{\"id\": 0, \"tasks\": [$(task 5 0 1.5)]}, {\"id\": 1, \"tasks\": []},
    {\"id\": 2, \"tasks\": [$(task 5 0 2)]}]}" >pause.json
expect 0 0 pen-sim import pause.json -o pause.record
cp vt.record "vt again.record"
expect 0 0 pen-sim info vt.record
grep -q "^application  *vt, on 2 ranks, loads measured" "$out" && grep -q "4 nodes, 3 arcs" "$out" ||
    complain "$(cat "$out")"
expect 0 0 pen-sim replay vt.record --ranks=2 --balancer=none,diffusive,metis --balance-when=every:1
expect 0 0 pen-sim export vt.record -o back.json
expect 0 0 pen-sim import back.0.json back.1.json -o back.record
expect 0 0 pen-sim export vt.record -o tasks.csv --edges=edges.csv
expect 0 0 pen-sim import tasks.csv --edges=edges.csv --directed -o csv.record

# A text has some columns. Recorded times to which no work fits make one line.
expect 0 0 pen-sim generate noise --generate=mesh:9x9 --steps=3 --ranks=2 -o fit.record
PYTHONPATH=$python /usr/bin/python3 - <<'END' || complain "fit.record is not written"
import penumbra
r = penumbra.Record("fit.record")
steps = list(r)
for name, tt in ("good", 2.0), ("bad", 10.0): # times are 1 and 1, or 1 and 3, of the same nodes and loads
    times = {"loop": 2.0, "nn": 2.0, "nl": 2.0, "ll": 2.0, "nt": 2.0, "lt": 2.0, "tt": tt}
    penumbra.write_record(name + ".record", r.graph, r.owners, steps, times, **r.world)
END
expect 0 0 pen-sim replay good.record
[ ! -s "$err" ] || complain "a good fit: $(cat "$err")"
[ "$(awk 'NR == 2 { print length }' "$out")" -le 100 ] || complain "too wide a table: $(cat "$out")"
head -2 "$out" | grep -q 'ms/step  efficiency  work-only efficiency  imbalance  cut  calls  moved$' ||
    complain "$(cat "$out")"
expect 0 0 pen-sim replay good.record --columns=all
head -2 "$out" | grep -q 'bytes/rank  most bytes  ms/call  *seconds$' || complain "$(cat "$out")"
expect 0 0 pen-sim replay bad.record
grep -q '^pen-sim: the fit explains little of the recorded times (misfit 89 %): .*, or --unit$' "$err" ||
    complain "a bad fit: $(cat "$err")"
grep -q 'misfit .*  much: use work-only columns$' "$out" || complain "a bad fit in the table: $(cat "$out")"
expect 0 0 pen-sim replay bad.record --format=csv -o misfit.csv
if has_matplotlib; then
    expect 0 0 pen-plot replay misfit.csv -o misfit.svg
    grep -q 'work-only efficiency' misfit.svg || complain "pen-plot draws an efficiency that is not to be relied on"
fi
expect 0 0 pen-sim replay bad.record --unit=1
[ ! -s "$err" ] || complain "--unit: $(cat "$err")"
! grep -q 'work-only columns' "$out" || complain "--unit: $(cat "$out")"

# Records of runs: real and whole loads, places, weights, sparse gids, loads of phases. Written again, they replay the
# same.
printf '%s\n' '6 5 1' '2 5' '1 5 3 7' '2 7 4 1' '3 1 5 2' '4 2 6 3' '5 3' >weighted.graph
expect 0 3 hex --graph=weighted.graph --steps=6 --load=declared --quiet --record=weighted.record
expect 0 2 battlefield --generate=hex:8x6 --steps=6 --load=declared --quiet --record=battle.record
expect 0 0 pen-sim generate noise --generate=geometric:nodes=200,coordinates --steps=5 --ranks=4 -o places.record
expect 0 0 pen-sim generate hot-disc --generate=hex:16x16 --steps=30 --ranks=4 -o disc.record
expect 0 0 pen-sim export disc.record -o disc.csv --edges=hex.csv
expect 0 0 pen-sim import disc.csv --edges=hex.csv --declared -o hex.record
PYTHONPATH=$python /usr/bin/python3 - >said 2>&1 <<'END' || complain "$(cat said)"
import os
import numpy as np, penumbra

def everything(name):
    r = penumbra.Record(name)
    steps = list(r)
    return r, np.array([s.loads for s in steps])

def same(a, b, but=()):
    (one, loads), (other, more) = everything(a), everything(b)
    assert np.array_equal(loads, more) and np.array_equal(one.owners, other.owners), (a, b)
    for name in ("offsets", "targets", "gids", "directed", "arc_weights", "coordinates", "grid", "shape"):
        assert name in but or np.array_equal(getattr(one.graph, name), getattr(other.graph, name)), (a, b, name)
    return one, other

r, loads = everything("vt.record")
assert r.graph.gids.tolist() == [5, 6, 9, 17] and r.owners.tolist() == [0, 0, 1, 0], r.owners
assert loads.tolist() == [[1.5, 0.125, 1, 0.25], [2.5, 0, 2, 0.5], [3, 0, 2, 0.5]], loads
reads = list(zip(r.graph.gids[r.graph.rows].tolist(), r.graph.targets.tolist(), r.graph.arc_weights.tolist()))
assert r.graph.directed and reads == [(5, 9, 20), (9, 5, 10), (17, 5, 100)], reads
assert r.world["phases"] == [{"name": "phase", "bytes": 43}] and r.world["steps"] == 3
ranks = np.array([[1.875, 1], [2.5, 2.5], [3, 2.5]])
assert r.times["loop"] == 7.375 and r.times["tt"] == np.sum(ranks ** 2) == r.times["lt"], r.times
assert r.times["nn"] == 9 + 1 + 4 + 4 + 1 + 4 and r.times["nl"] == 3 * 1.875 + 1 + 2 * 2.5 + 2 * 2.5 + 3 + 2 * 2.5
r, loads = everything("moves.record")
assert r.graph.gids.tolist() == [5, 9, 17] and len(loads) == 3
assert everything("pause.record")[1].tolist() == [[1.5], [0], [2]]
same("vt.record", "back.record")
same("vt.record", "csv.record")
same("disc.record", "hex.record", ("grid", "shape"))
for name in ("weighted", "places", "disc", "vt", "battle"):
    r = penumbra.Record(f"{name}.record")
    list(r)
    penumbra.write_record("written.record", r.graph, r.owners, r, r.times, **r.world)
    one, other = same(f"{name}.record", "written.record")
    assert one.world == other.world and one.times == other.times, (one.world, other.world, one.times, other.times)
    os.rename("written.record", f"{name}.again.record")
graph, before = penumbra.Record("disc.record").graph, set(os.listdir())
for owners, loads in (([0] * 255, []), ([-1] * 256, []), ([0] * 256, [np.full(256, -1.0)]), ([0] * 256, [[1.0]])):
    try:
        penumbra.write_record("wrong.record", graph, owners, loads)
        assert False, (owners[0], loads)
    except penumbra.Error:
        assert set(os.listdir()) == before
END
for name in weighted places disc battle; do
    for record in $name $name.again; do
        expect 0 0 pen-sim replay $record.record --ranks=3,5 --balancer=none,metis,diffusive --balance-when=every:2 \
            --columns=ranks,balancer,cut,moved --format=csv -o $record.replay.csv
    done
    sed -i s/.again.record/.record/ $name.again.replay.csv
    cmp -s $name.replay.csv $name.again.replay.csv || complain "$name replays differently"
    [ "$(grep -c '^"Replay of' $name.replay.csv)" -eq 6 ] || complain "$name does not replay: $(cat $name.replay.csv)"
done

# What is wrong is told in one line, and nothing is written.
printf 'task,rank\n1,0\n' >columns.csv
printf 'task,rank,load\n1,0,1\n2,0\n' >short.csv
printf 'task,rank,load\n1,0,1\n1,0,1\n' >twice.csv
printf 'task,rank,load\n1,0,1\n2,1,-1\n' >negative.csv
printf 'task,rank,load\n1,0,1\n2,1,1e200\n' >huge.csv
printf 'task,rank,load\n1,0,1\n2,1,1_0\n' >words.csv
for wrong in 2,1048576 -1,0 1_0,0 99999999999999999999,0; do
    printf "task,rank,load\n1,0,1\n$wrong,1\n" >"wrong $wrong.csv"
done
printf 'from,to\n5,4711\n' >unknown.csv
printf 'from,to,weight\n5,17,2\n5,9,99999999999999999999\n' >heavy.csv
sed s/300.0/1e999/ data.0.json >infinite.json
echo '{"phases": [{"id": 0, "tasks": [{"node": 0}]}]}' >entity.json
echo '{"type": "LBStatsfile", "phases": []}' >statistics.json
task='{"entity": {"id": 1}, "node": 0, "time": 1}'
echo '{"phases": [5]}' >kind.json
echo "{\"phases\": [{\"id\": 1, \"tasks\": [$task]}], \"metadata\": {\"phases\":
    {\"identical_to_previous\": {\"list\": [0]}}}}" >first.json
sed 's/\[0\]/[], "range": [[1, 1000000000000]]/' first.json >many.json
sed 's/\[0\]/[2]/; s/"id": 1}/"id": 1e400}/' first.json >vast.json
echo '{"phases": [' >cut.json
echo '{"phases": []}' >empty.json
expect 0 2 shock --generate=mesh:8x4 --steps=8 --quiet --record=shock.record
ln edges.csv edges.record
: >left
ls -A >before
expect_mistake "brotli -d" 0 pen-sim import data.0.json.br -o new.record
expect_mistake "no file of rank 0" 0 pen-sim import data.1.json -o new.record
expect_mistake "both of rank 1" 0 pen-sim import data.0.json data.1.json data.1.json -o new.record
expect_mistake "entity.json: impossible data: there is no 'entity'" 0 pen-sim import entity.json -o new.record
expect_mistake "not vt's" 0 pen-sim import statistics.json -o new.record
expect_mistake "not JSON" 0 pen-sim import cut.json -o new.record
expect_mistake "no tasks" 0 pen-sim import empty.json -o new.record
expect_mistake "must name the columns task, rank, load" 0 pen-sim import columns.csv -o new.record
expect_mistake "line 3: must have 3 columns" 0 pen-sim import short.csv -o new.record
expect_mistake "task 1 twice" 0 pen-sim import twice.csv -o new.record
expect_mistake "load -1: must be a number from 0 to 1e+18" 0 pen-sim import negative.csv -o new.record
expect_mistake "huge.csv: line 3: task 2 has load 1e200: must be" 0 pen-sim import huge.csv -o new.record
expect_mistake "words.csv: line 3: task 2 has load 1_0: must be" 0 pen-sim import words.csv -o new.record --declared
expect_mistake "kind.json: impossible data: a value of another type" 0 pen-sim import kind.json -o new.record
expect_mistake "phase 0 is identical to the previous one, which" 0 pen-sim import first.json -o new.record
expect_mistake "phase 1000000000000: must be an integer from 0 to" 0 pen-sim import many.json -o new.record
expect_mistake "vast.json: impossible data: a number is too large" 0 pen-sim import vast.json -o new.record
expect_mistake "node-bytes=99999999999999999999: must be from 0 to" 0 \
    pen-sim import tasks.csv -o new.record --node-bytes=99999999999999999999
expect_mistake "line 3: task 2 has rank 1048576: must be an integer from 0 to 1048575" 0 \
    pen-sim import "wrong 2,1048576.csv" -o new.record
for wrong in -1 1_0 99999999999999999999; do
    expect_mistake "line 3: task $wrong: must be an integer from 0 to" 0 \
        pen-sim import "wrong $wrong,0.csv" -o new.record
done
expect_mistake "line 3: edge 5,9: weight 9" 0 pen-sim import tasks.csv --edges=heavy.csv -o new.record
expect_mistake "infinite.json: impossible data: bytes inf: must be" 0 pen-sim import infinite.json -o new.record
expect_mistake "edge 5,4711" 0 pen-sim import tasks.csv --edges=unknown.csv -o new.record
expect_mistake "does not apply to data of vt" 0 pen-sim import data.0.json data.1.json --declared -o new.record
expect_mistake "must end in .record" 0 pen-sim import data.0.json data.1.json -o new.txt
expect_mistake "change in step" 0 pen-sim export shock.record -o new.json
expect_mistake "begin with penumbra-workload/2" 0 pen-sim export data.0.json -o new.csv
expect_mistake "No such file" 0 pen-sim export nowhere.record -o new.csv
# No output replaces another one or an input; what a name leads to is not touched.
expect_mistake "./new.csv: two outputs have this name" 0 pen-sim export vt.record -o new.csv --edges=./new.csv
expect_mistake "--edges needs its value" 0 pen-sim export vt.record -o new.csv --edges=
expect_mistake "cannot write left/: its name is missing" 0 pen-sim export vt.record -o new.csv --edges=left/
ln -s vt.record link.csv
ln -s tasks.csv link.record
ln -s cut.json link.0.json
expect_mistake "vt.record and link.csv are the same file" 0 pen-sim export vt.record -o link.csv
expect_mistake "vt.record and link.csv are the same file" 0 pen-sim export vt.record -o new.csv --edges=link.csv
expect_mistake "tasks.csv and link.record are the same file" 0 pen-sim import tasks.csv -o link.record
expect_mistake "edges.csv and edges.record are" 0 pen-sim import tasks.csv --edges=edges.csv --directed -o edges.record
expect 0 0 pen-sim export vt.record -o link.json
[ "$(cat cut.json)" = '{"phases": [' ] && cmp -s link.0.json back.0.json || complain "$ran: follows a link"
rm link.*
ls -A | diff before - >left || complain "something is left behind: $(cat left)"
finish
