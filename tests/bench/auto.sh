#!/bin/bash
# auto.sh - auto_bench on several graphs, on one host and, where namespaces may be made (root), on two
# emulated ones.
#
#     auto.sh BUILD/bin [auto_bench's options]
set -eu
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
shift
hosts=()
on() {
    local where=$1
    shift
    for graph in "hex:64x64 metis" "hex:1000x1000 block" "random:nodes=4096 metis" "random:nodes=100000 block"; do
        printf '### %s: ' "$where"
        # shellcheck disable=SC2086
        "${hosts[@]}" ${MPIRUN:-mpirun --oversubscribe} "$@" --generate="${graph% *}" \
            --partitioner="${graph#* }" | tail -n +3
        echo
    done
}
on "one host, 2 ranks" -n 2 "$bin/auto_bench" "$@"
if unshare --mount --uts true 2>/dev/null; then
    hosts=("$here/../support/fake_hosts.sh" run)
    on "two hosts, a rank each" --host nodeA:1,nodeB:1 -n 2 "$bin/auto_bench" "$@"
    on "two hosts, two ranks each" --host nodeA:2,nodeB:2 -n 4 "$bin/auto_bench" "$@"
fi
