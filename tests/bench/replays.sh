#!/bin/bash
# replays.sh - the records of records.sh with all balancers: a table for each.
#
#     replays.sh BUILD/bin FOLDER [RANKS,... [WHEN]]
#
# On 64,1024 virtual ranks, called every:10 steps. rcb and sfc need a grid or coordinates, and leave other graphs alone.
set -eu
bin=$1 folder=$2 ranks=${3:-64,1024} when=${4:-every:10:always}
for record in "$folder"/*.record; do
    "$bin/pen-sim" replay "$record" --ranks="$ranks" --balance-when="$when" \
        --balancer="${BALANCERS:-none,diffusive,central,metis,scotch,rcb,sfc}"
done
