#!/bin/bash
# output_program_test.sh BIN - files of results as a user gets them: NumPy, pandas and, where it is installed, VTK read
# in them what the dump has; a series goes on where a run is resumed; programs say what they write.
. "$(dirname "$0")/support.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import numpy, pandas' 2>/dev/null && python=$p && break; done
[ "$python" ] || skip "no python3 that has numpy and pandas"
"$python" -c 'import vtk' 2>/dev/null || leave_out "no python3-vtk9: .vtu files are read by a reader of our own alone"
look() { "$python" "$here/output_check.py" "$@" >log 2>&1 || complain "$*: $(tail -5 log)"; }

# state RANKS NAME PROGRAM ARGUMENT ...: the same state in files of all kinds
state()
{
    fewer "$@"
    later expect 0 "$1" "$3" "${@:4}" --quiet --output="$2.csv"
    later expect 0 "$1" "$3" "${@:4}" --quiet --output="$2-p.pvtu"
}

# fewer RANKS NAME PROGRAM ARGUMENT ...: in files of two kinds
fewer()
{
    later expect 0 "$1" "$3" "${@:4}" --quiet --output="$2.npy"
    later expect 0 "$1" "$3" "${@:4}" --quiet --output="$2.vtu" --dump="$2.txt"
}

# A graph with cells of each kind, and one of points.
state 3 hex hex --generate=hex:30x20 --steps=10
fewer 2 square wave --generate=torus:21x17 --steps=9 --migrate-random=5
fewer 4 box hex --generate=mesh:7x6x5 --steps=3 --partitioner=random
state 3 points wave --generate=geometric:nodes=300,coordinates --steps=7 --partitioner=rcb
state 3 battle battlefield --generate=hex:24x24 --steps=12 --balancer=diffusive --load=declared
wait
look state hex hexagons 600
look state square squares 357
look state box boxes 210
look state points points 300
look state battle hexagons 576

# Graphs that change: what nodes come with is drawn. shock's cells are squares of three sizes that fill the grid, and
# nbody's nodes are points, no two of them at one place; the first state is drawn in the same way as the last one.
for n in 1 3; do
    later expect 0 $n shock --quiet --generate=mesh:12x12 --depth=2 --balancer=rcb --balance-when=every:1:always \
        --load=declared --output=shock$n.pvd --output-every=4 --output-fields=level,gid
    later expect 0 $n nbody --quiet --bodies=500 --steps=3 --balancer=rcb --balance-when=every:1:always \
        --load=declared --output=bodies$n.vtu --output-fields=gid,places
    later expect 0 $n grow --quiet --steps=60 --output=tree$n.vtu --output-fields=gid
done
later expect 0 2 shock --quiet --generate=mesh:12x12 --depth=2 --output=shock-p.pvtu --output-fields=level,gid
wait
for file in shock1-*.vtu bodies1.vtu tree1.vtu; do
    cmp -s "$file" "${file/1/3}" || complain "$file on three ranks is another one"
done
for file in shock1-*.vtu shock-p.pvtu; do look squares "$file" 144; done
look places bodies1.vtu 1
look places tree1.vtu 1 3

# Nodes that are the cells of a mesh, in a series on several ranks: polygons, solids, polygons in space.
look meshes
for mesh in flat:2 pentagon:3 solid:4 surface:3; do
    name=${mesh%:*}
    end=; [ $name = surface ] && end=:surface
    cells=(--quiet --generate=tree:nodes=6 --steps=4 --output-mesh=$name-points.npy:$name-cells.npy$end)
    later expect 0 ${mesh#*:} heat "${cells[@]}" --output=$name.pvd --output-every=2
    later expect 0 ${mesh#*:} heat "${cells[@]}" --output=$name.pvtu --partitioner=random --migrate-random=2:0.5
done
later expect 0 8 heat --quiet --generate=tree:nodes=6 --steps=1 --output-mesh=flat-points.npy:flat-cells.npy \
    --output=few.pvtu
wait
for name in flat pentagon solid surface; do look mesh $name $name-000000.vtu $name-000002.vtu $name-000004.vtu; done
for name in flat pentagon solid surface; do look pieces $name $name.pvtu; done
look pieces flat few.pvtu
look series solid.pvd 0 2 4
mesh=(heat --generate=tree:nodes=6 --steps=1 --output=never.vtu)
expect_mistake "mesh: it has 6 cells, but the graph has 7 nodes" 2 \
    heat --generate=tree:nodes=7 --output=never.vtu --output-mesh=flat-points.npy:flat-cells.npy
expect_mistake "mesh: the cell of node 1 has the point 11, but points are numbered from 0 to 9" 2 \
    "${mesh[@]}" --output-mesh=flat-points.npy:solid-cells.npy
expect_mistake "flat-cells.npy: points have 2 or 3 coordinates, not 4" 2 \
    "${mesh[@]}" --output-mesh=flat-cells.npy:flat-points.npy
expect_mistake "--output-mesh needs two files" 2 "${mesh[@]}" --output-mesh=flat-points.npy
expect_mistake "only \"surface\" can follow" 2 "${mesh[@]}" --output-mesh=flat-points.npy:flat-cells.npy:flat
expect_mistake "--output-mesh needs --output=FILE.vtu, .pvtu or .pvd, but it is never.csv" 2 \
    heat --generate=tree:nodes=6 --output=never.csv --output-mesh=flat-points.npy:flat-cells.npy
expect_mistake "--dump would replace flat-points.npy, which --output-mesh reads" 2 \
    "${mesh[@]}" --dump=flat-points.npy --output-mesh=flat-points.npy:flat-cells.npy
[ ! -e never.vtu ] || complain "a mesh that is refused leaves a file"

# Gids that are no places, and values of several components.
expect 0 3 nbody --quiet --bodies=500 --steps=2 --output=bodies/leaves.npy --output-fields=mass,centre,load
expect 0 3 nbody --quiet --bodies=500 --steps=2 --output=bodies/leaves.csv --output-fields=mass,centre,load
look table bodies/leaves mass centre
expect 0 2 grow --quiet --generate=tree:nodes=1 --steps=60 --output=twigs.npy --output-every=30
expect 0 1 grow --quiet --generate=tree:nodes=1 --steps=60 --output=one/twigs.npy --output-every=30
for file in twigs-*.npy; do cmp -s $file one/$file || complain "$file on one rank is another one"; done
[ "$(ls one)" = "$(ls twigs-*)" ] || complain "grow has written $(ls twigs-* | tr '\n' ' ')"

# A series: what a run that is resumed leaves is what one that was never stopped does.
series=(--generate=mesh:9x9 --output-every=1 --output-fields=heat)
expect 0 2 heat "${series[@]}" --steps=5 --output=whole/heat.pvd
grep -q '^output      whole/heat.pvd$' out || complain "heat does not say what it writes: $(cat out)"
mkdir saved again && canaries --checkpoints saved && canaries again
expect 0 2 heat --quiet "${series[@]}" --steps=6 --output=again/heat.pvd --checkpoint=saved --checkpoint-every=4
rm again/heat-000005.vtu saved/step-000000000006.checkpoint
expect 0 3 heat --quiet "${series[@]}" --steps=5 --output=again/heat.pvd --checkpoint=saved --resume
for file in whole/*; do cmp -s "$file" "again/${file#whole/}" || complain "$file of a resumed run is another one"; done
look series whole/heat.pvd 0 1 2 3 4 5
expect 0 3 heat --quiet "${series[@]/--output-every=1/--output-every=4}" --steps=8 --output=again/heat.pvd \
    --checkpoint=saved --resume
look series again/heat.pvd 0 1 2 3 4 8
ln -s loop.pvd again/loop.pvd
expect_mistake "again/loop.pvd: cannot read: Too many levels of symbolic links" 2 \
    heat --quiet "${series[@]}" --steps=9 --output=again/loop.pvd --checkpoint=saved --resume
expect 0 2 heat --quiet --generate=mesh:9x9 --steps=0 --output=start.csv
[ "$(wc -l <start.csv)" -eq 82 ] || complain "--steps=0 writes no first state: $(wc -l <start.csv) lines"
expect 0 2 wave --quiet --steps=999 "--until=kinetic energy>0" --output="until-{step}.csv" --output-fields=velocity
[ -e until-000001.csv ] || complain "the state in which --until ends a run is not written: $(ls until*)"

# What a killed run leaves has the states up to its checkpoint: so one that is resumed goes on.
mkdir dead && canaries --checkpoints dead
run_killed 2 wrong --quiet --generate=hex:6x6 --steps=20 --kill-at=7 --output=killed/w.pvd --output-every=1 \
    --checkpoint=dead --checkpoint-every=5
grep -q 'timestep="5"' killed/w.pvd || complain "the series of a killed run: $(grep -c timestep killed/w.pvd) states"

# A file of gids of another graph's nodes gets the gids of the nodes whose arrays it stands next to; it is not removed.
: >places-gid.npy
expect 0 2 heat --generate=mesh:9x9 --steps=1 --output=places.npy
grep -q '^output      places-gid.npy, places-heat.npy$' out || complain "heat names its arrays so: $(grep output out)"
expect 0 2 nbody --bodies=500 --steps=1 --output=bodies/leaves.npy --output-every=1 --output-fields=mass,centre
grep -q '^output      bodies/leaves-gid-{step}.npy, bodies/leaves-mass-{step}.npy, bodies/leaves-centre' out ||
    complain "nbody names its arrays so: $(grep output out)"
[ "$(tail -c 8 places-gid.npy | od -An -td8)" -eq 80 ] || complain "gids of other nodes stay"
expect 0 2 heat --generate=mesh:9x9 --steps=1 --output=alone.npy
[ ! -e alone-gid.npy ] || complain "gids that are the positions are written"

# What cannot be is told before anything is computed.
expect_mistake "--output and --dump are the same file, one.csv" 2 \
    heat --generate=mesh:9x9 --output=one.csv --dump=one.csv
[ ! -e one.csv ] || complain "two outputs of one name are written"

# A run that is asked to end has not come to its last state.
mkdir stopped && canaries --checkpoints stopped
"${MPIEXEC:-mpiexec}" -n 2 "$bin/wave" --quiet --generate=hex:100x100 --steps=100000000 --output=early.csv \
    --checkpoint=stopped >/dev/null 2>&1 &
launcher=$!
begun() { [ -s stopped/lock ]; }
wait_until 10 begun && kill -TERM "$(pgrep -x -P $launcher wave | head -1)" || complain "no run to end"
ended() { ! kill -0 $launcher 2>/dev/null; }
wait_until 10 ended || { complain "a run that gets SIGTERM continues" && kill -9 $launcher; }
wait $launcher
status=$?
[ $status -eq 4 ] || complain "a run that SIGTERM ends has exit status $status"
[ ! -e early.csv ] || complain "a run that SIGTERM ends writes its last state"
finish
