#!/bin/bash
# pull.sh - pull_bench under settings of Open MPI's shared-memory messages: as they are, with larger
# eager messages, and without the system call that copies between processes (many containers forbid it).
#
#     pull.sh BUILD/bin [pull_bench's options]      MPIRUN="chrt -f 5 mpirun --bind-to core": on a busy machine
set -eu
bin=$1
shift
run() {
    echo "### $1"
    shift
    # shellcheck disable=SC2086
    ${MPIRUN:-mpirun --bind-to core} -n 2 "$@"
    echo
}
run "default settings" "$bin/pull_bench" "$@"
run "eager limit 32 KiB" --mca btl_vader_eager_limit 32768 "$bin/pull_bench" "$@"
run "eager limit 1 MiB" --mca btl_vader_eager_limit 1048576 --mca btl_vader_max_send_size 1048576 "$bin/pull_bench" "$@"
run "no single copy" --mca btl_vader_single_copy_mechanism none "$bin/pull_bench" "$@"
