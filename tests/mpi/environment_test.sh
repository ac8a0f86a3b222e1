#!/bin/bash
# environment_test.sh MPIEXEC ENVIRONMENT_TEST - launch the probe in every situation that is known to
# be awkward with Open MPI 4 (silent where all is well; 77 where a situation cannot be made here).
#
# With "root" as third argument: the situations that need namespaces of their own.
set -u
mpiexec=$1 program=$2 part=${3:-user}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/canaries.sh"
begin_work environment
bytes=1000000
large=200000000
failures=0
unset OMPI_MCA_osc OMPI_MCA_mpi_yield_when_idle OMPI_MCA_rmaps_base_oversubscribe

try() {
    local output status
    output=$(timeout --kill-after=5 300 "$@" 2>&1 </dev/null)
    status=$?
    # A trace of MPI's own would be a failure even where the program copes.
    if [ $status -ne 0 ] || [[ $output == *MPI_ABORT* || $output == *"MPI_ERRORS_ARE_FATAL"* ]]; then
        printf '%s\n--- exit status %s: %s\n' "$output" "$status" "$*" >&2
        failures=$((failures + 1))
    fi
}
run() { try "$mpiexec" --oversubscribe "$@"; }

if ! "$mpiexec" --version 2>&1 | grep -Eq '\((Open MPI|OpenRTE)\) 4\.'; then
    echo "skipped: these situations are Open MPI 4's" >&2
    exit 77
fi

user_situations() {
    try "$program" shared shared $bytes
    run -n 1 "$program" shared shared $bytes
    run -n 4 "$program" shared shared $bytes
    run -n 4 --mca osc rdma "$program" allocated - $bytes # it mixes up the files of two halves at once, once in 60
    run -n 4 --mca osc pt2pt "$program" allocated allocated $bytes
    run -n 4 --mca btl self,tcp "$program" shared shared $bytes
    run -n 4 --mca btl self,tcp --mca osc ^ucx,pt2pt "$program" shared shared $bytes
    run -n 4 --mca btl_vader_single_copy_mechanism none "$program" shared shared $bytes
    # Slots that are no cores: without yielding the barriers take minutes.
    try "$mpiexec" --host localhost:8 -n 8 "$program" shared shared $bytes
}

root_situations() {
    local hosts=("$here/../support/fake_hosts.sh" run "$mpiexec" --host nodeA:2,nodeB:2)
    try "${hosts[@]}" -n 4 "$program" allocated shared $bytes
    try "${hosts[@]}" -n 4 --mca osc ^ucx,pt2pt "$program" none shared $bytes "try mpirun --mca osc sm,pt2pt"
    # Little shared memory, as in containers: too little for MPI itself, for the run, nearly enough.
    little 1m -n 4 "$program" none none $large "/dev/shm has"
    little 64m -n 1 "$program" none none $large "/dev/shm has"
    little 64m -n 4 "$program" none none $large "/dev/shm has"
    little 64m -n 4 "$program" none - 15990784 "this run needs"
    little 64m -n 4 "$program" shared - 14500000
}
little() {
    local size=$1
    shift
    try unshare --mount sh -c 'mount -t tmpfs -o size="$0" tmpfs /dev/shm && exec "$@"' "$size" "$mpiexec" \
        --oversubscribe "$@"
}

if [ "$part" = root ]; then
    if ! unshare --mount --uts sh -c 'hostname test && mount -t tmpfs tmpfs /dev/shm' 2>/dev/null; then
        echo "skipped: no right to make namespaces" >&2
        exit 77
    fi
    root_situations
else
    user_situations
fi
[ $failures -eq 0 ]
