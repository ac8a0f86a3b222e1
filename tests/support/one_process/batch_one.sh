#!/bin/bash
# batch_one.sh PROGRAM RANKS NAME ... - runs tests with all ranks in one process (batch_one.c): with the ranks on one
# host, where each runs until it must wait; and several ranks once more on two hosts, from a seed. HOSTS in the
# environment is "2" where it is these alone.
set -u
program=$1 ranks=$2
shift 2
. "$(dirname "$0")/../canaries.sh"
begin_work batch_one
status=0
for hosts in ${HOSTS:-1 2}; do
    [ "$hosts" -le "$ranks" ] || continue
    seed=$((hosts - 1))
    mkdir -p "$seed" && cd "$seed" && mkdir -p "$@" && canaries "$@" || exit 1
    "$program" "$ranks" "$hosts" "$seed" "$@" || status=1
    cd ..
done
exit $status
