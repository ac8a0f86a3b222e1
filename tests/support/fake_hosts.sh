#!/bin/sh
# fake_hosts.sh - a remote shell for mpirun that stays on this machine: every "host" is a namespace
# with a name and a /dev/shm of its own, so that MPI takes its ranks for ranks of another host. Needs
# the right to make namespaces (root).
#
#     mpirun --host nodeA:2,nodeB:2 --mca plm_rsh_agent tests/support/fake_hosts.sh \
#            --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo -n 4 ./program
#
# What is in /dev/shm is gone with the launch; or it stays in FAKE_HOSTS_MEMORY/nodeA, if there is such a folder.
host=$1
shift
exec unshare --mount --uts sh -c '
    hostname "$1"
    if [ "$FAKE_HOSTS_MEMORY" ]; then mount --bind "$FAKE_HOSTS_MEMORY/$1" /dev/shm
    else mount -t tmpfs tmpfs /dev/shm; fi &&
    shift && exec sh -c "$*"' sh "$host" "$@"
