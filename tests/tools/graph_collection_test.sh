#!/bin/bash
# graph_collection_test.sh BIN DATA - graph_file_test with the files of a collection of graphs ($PEN_DATA or DATA), on
# every number of ranks.
data=$(cd "${PEN_DATA:-$2}" 2>/dev/null && pwd)
. "$(dirname "$0")/support.bash"
[ -f "$data/INDEX.md" ] || skip "no collection of graphs: PEN_DATA names none"
for ranks in 1 2 3 4 7; do
    patiently 100 "${MPIEXEC:-mpiexec}" -n $ranks "$bin/graph_file_test" "$data" >out 2>&1 </dev/null ||
        complain "$ranks ranks: $(head out)"
done
finish
