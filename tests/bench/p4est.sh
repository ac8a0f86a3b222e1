#!/bin/bash
# p4est.sh - what an explicit graph costs over an implicit tree: p4est_bench, which adapts the mesh of shock both ways,
# for fields of 1000x1000 and 2000x1000 coarse cells, and for one of 1024x1024, which is one tree of p4est.
#
#     p4est.sh BUILD/bin [GRID ...]
#
# p4est_bench is built where p4est is found (Debian: libp4est-dev). Environment: RANKS=2; STEPS=20; MPIRUN=mpirun, on a
# busy machine for example "chrt -f 10 mpirun".
set -eu
bin=$(cd "$1" && pwd)
shift
. "$(dirname "$0")/../support/launch.sh"
[ -x "$bin/p4est_bench" ] || { echo "no p4est_bench: p4est was not found (Debian: libp4est-dev)" >&2; exit 1; }
[ $# -gt 0 ] || set -- 1000x1000 2000x1000 1024x1024
for grid in "$@"; do
    # shellcheck disable=SC2086
    ${MPIRUN:-mpirun} -n "${RANKS:-2}" "$bin/p4est_bench" --grid="$grid" --steps="${STEPS:-20}" </dev/null
    echo
done
