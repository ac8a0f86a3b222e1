#!/bin/bash
# phases.sh - battles, whose phases load different hexagons, balanced for the loads of each phase and for their sums:
# makespan, last cut and moved nodes, divided by those of diffusive:phases=no.
#
#     phases.sh BUILD/bin [SIDE [STEPS]]     fields of SIDE x SIDE (64), STEPS (200) steps, on 16 virtual ranks
. "$(dirname "$0")/bench.bash"
side=${2:-64} steps=${3:-200}
cd "$work"
"$bin/battlefield" --version | grep -E '^(battlefield|MPI|flags|commit)'
echo "${side}x$side, $steps steps, 16 ranks, every:8:always"
echo "battle        balancer             makespan      cut    moved"
for battle in meeting breakthrough encirclement scatter; do
    ${MPIRUN:-mpirun} --oversubscribe -n 2 "$bin/battlefield" --generate=hex:"${side}x$side" --scenario=$battle \
        --steps="$steps" --load=declared --quiet --record=record
    "$bin/pen-sim" replay record --ranks=16 --balancer=diffusive:phases=no,diffusive,metis:phases=yes \
        --balance-when=every:8:always --columns="balancer,work-only makespan,cut,moved" --format=csv -o table.csv
    python3 - $battle <<'PYTHON'
import csv, sys
rows = [[row[1], *map(float, row[2:])] for row in csv.reader(open("table.csv")) if row and "Replay of" in row[0]]
for balancer, *figures in rows[1:]:
    print(f"{sys.argv[1]:13} {balancer:18} {figures[0] / rows[0][1]:10.3f} {figures[1] / rows[0][2]:8.2f} "
          f"{figures[2] / rows[0][3]:8.2f}")
PYTHON
done
