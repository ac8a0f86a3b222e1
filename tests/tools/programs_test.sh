#!/bin/bash
# programs_test.sh BIN SOURCE - every program once, as a user starts it first: the applications and examples give with
# several ranks what a serial loop gives, and the tools do what they are for. It is quick: each program has a test of
# its own that goes further.
source=$(cd "$2" && pwd)
. "$(dirname "$0")/support.bash"

# With each transport once; --verify compares with the serial loop.
diffusive=(--balancer=diffusive --load=declared --balance-when=every:5:always)
later expect 0 3 hex --generate=hex:13x9 --steps=20 --imbalance=three-phase --balancer=central --verify --comm=fence
later expect 0 2 random --generate=random:nodes=200 --steps=20 --imbalance=three-phase "${diffusive[@]}" --verify \
    --comm=pscw
later expect 0 4 heat --generate=hex:9x8 --steps=20 --verify --comm=passive
later expect 0 3 wave --generate=hex:9x8 --steps=20 --verify --comm=shared
later expect 0 2 cg --generate=hex:9x8 --steps=60 --verify --comm=blocking
later expect 0 3 grow --generate=tree:nodes=1 --steps=15 --verify --comm=overlap
later expect 0 3 battlefield --scenario=encirclement --generate=hex:20x14 --steps=15 "${diffusive[@]}" --verify \
    --comm=persistent
later expect 0 2 shock --generate=mesh:12x12 --depth=2 --steps=8 --verify --comm=neighbor
later expect 0 2 nbody --bodies=200 --steps=3 --verify
later expect 0 2 examples/fire --generate=hex:20x20 --verify
later expect 0 3 examples/epidemic --generate=random:nodes=200 --verify
later expect 0 2 examples/life --width=12 --height=9 --steps=20 --verify
later expect 0 3 examples/pagerank --generate=random:nodes=60 --steps=90 --verify
later expect 0 2 examples/paths --generate=mesh:9x8,coordinates --verify
later expect 0 3 examples/potential --generate=hex:9x8 --steps=90 --verify
printf '%s,1.5\n' {0..71} | sed '1i gid,conductivity' >rock.csv
later expect 0 2 examples/material --generate=mesh:9x8 --input=rock.csv --steps=20 --verify
later expect 0 3 examples/coupled
later expect 0 2 examples/travellers --generate=random:nodes=60 --people=40 --steps=20 --verify
later expect 0 3 examples/push --generate=random:nodes=60 --steps=90 --verify
later expect 0 2 examples/stepping --generate=mesh:9x8 --verify
later expect 0 2 examples/stepping --generate=mesh:9x8 --delta=1e-17 --verify
later expect 0 3 examples/samplesort --keys=500 --blocks=5 --verify
later expect_mistake "one step sorts all keys: --steps must be 1" 2 examples/samplesort --steps=2
later expect_mistake "--struck must be a node of the graph" 2 examples/fire --generate=hex:5x5 --struck=25
wait
awk '{ sum += $2 } END { exit !(sum > 239999.99 && sum < 240000.01) }' left.txt right.txt ||
    complain "coupled: heat is lost on the way"

# A graph goes through the converter and the partitioner, and is drawn; a picture needs matplotlib.
expect 0 0 hex --generate=hex:13x9 --steps=20 --quiet --save-graph=hex.graph --dump=made
expect 0 0 pen-graph make hex:13x9,coordinates -o hex.pen
expect 0 0 pen-graph convert hex.graph hex.mtx
expect 0 0 pen-graph convert hex.mtx back.graph
cmp hex.graph back.graph || complain "a graph is another one when it comes back from Matrix Market"
expect 0 0 pen-graph part back.graph 3 -o back.part
expect 0 3 hex --graph=back.graph --partitioner=file:back.part --steps=20 --quiet --dump=read --metrics=run.json \
    --record=run.record
cmp made read || complain "$ran: another result than the generated graph has"
if has_matplotlib; then expect 0 0 pen-draw hex.pen -o hex.svg; else leave_out "no matplotlib: pen-draw"; fi

# What was run is measured, replayed and plotted; a run that is killed goes on from its checkpoint.
expect 0 0 pen-comm-both "${MPIEXEC:-mpiexec}" -n 2 "$bin/pen-comm" --generate=hex:9x8 --records=8 --rounds=2 \
    --seconds=1
expect 0 0 pen-sim replay run.record --ranks=16 --balancer=diffusive
if has_matplotlib; then expect 0 0 pen-plot categories run.json -o run.svg; else leave_out "no matplotlib: pen-plot"; fi
mkdir saved && canaries --checkpoints saved
run 0 pen-keep "${MPIEXEC:-mpiexec}" -n 2 "$bin/heat" --generate=hex:9x8 --steps=20 --checkpoint=saved \
    --checkpoint-every=7 --dump=kept
[ "$status" -eq 0 ] || complain "$ran: exit status $status: $(head -3 err)"
expect 0 3 heat --generate=hex:9x8 --steps=20 --dump=plain
cmp kept plain || complain "$ran: another result than under pen-keep"

# From Python.
for python in python3 /usr/bin/python3 none; do "$python" -c 'import numpy' 2>/dev/null && break; done
if [ "$python" = none ]; then
    leave_out "no python3 that has numpy: the module"
else
    PYTHONPATH=$source/tools/python PYTHONDONTWRITEBYTECODE=1 "$python" - "$bin" >log 2>&1 <<'END' ||
import sys, penumbra
run = penumbra.run(sys.argv[1] + "/hex", ranks=2, generate="hex:7x5", steps=3, dump=True, timeout=600)
assert run.metrics["ranks"] == 2 and len(run.dump) == 35, run.metrics
END
        complain "from Python: $(tail -3 log)"
fi
finish
