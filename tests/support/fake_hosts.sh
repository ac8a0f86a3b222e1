#!/bin/sh
# fake_hosts.sh - hosts on this machine: each is a namespace with a name and a /dev/shm of its own, so that MPI takes
# its ranks for ranks of another host. Needs the right to make namespaces (root).
#
#     fake_hosts.sh run mpirun --host nodeA:2,nodeB:2 -n 4 ./program
#
# `run` tells the launcher to take this script for its remote shell; what else it is called with, it is the remote
# shell of. What is in /dev/shm is gone with the launch; or it stays in FAKE_HOSTS_MEMORY/nodeA, if there is such a
# folder.
if [ "$1" = run ]; then
    shift
    # Open MPI 4 and 5 (PRRTE) have names of their own for the same; both take a path with a space for several words.
    PATH=$(dirname "$(readlink -f "$0")"):$PATH
    agent=${FAKE_HOSTS_AGENT:-fake_hosts.sh} network=${FAKE_HOSTS_NETWORK:-lo}
    export PATH OMPI_MCA_plm_rsh_agent="$agent" PRTE_MCA_plm_ssh_agent="$agent"
    export OMPI_MCA_oob_tcp_if_include="$network" OMPI_MCA_btl_tcp_if_include="$network"
    # PRRTE never takes `lo`: it finds another by itself.
    [ "$network" = lo ] || export PRTE_MCA_prte_if_include="$network"
    # Each host believes that it has all the cores; ranks that spin would wait for each other's time slices.
    export OMPI_MCA_mpi_yield_when_idle=1
    # To PRRTE this means that the first host has room for all.
    unset PRTE_MCA_rmaps_default_mapping_policy
    exec "$@"
fi
host=$1
shift
exec unshare --mount --uts sh -c '
    hostname "$1"
    if [ "$FAKE_HOSTS_MEMORY" ]; then mount --bind "$FAKE_HOSTS_MEMORY/$1" /dev/shm
    else mount -t tmpfs tmpfs /dev/shm; fi &&
    shift && exec sh -c "$*"' sh "$host" "$@"
