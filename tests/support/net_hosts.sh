#!/bin/bash
# net_hosts.sh - hosts with a network of their own, on this machine: namespaces, nodeA and nodeB or NET_HOSTS, each with
# a name, a /dev/shm and a network interface of its own, joined by a bridge. Needs root and iproute2.
#
#     net_hosts.sh run mpirun --host nodeA:2,nodeB:2 -n 4 ./program
#
# `run` makes the network in a namespace of its own, where the command runs too: names and addresses
# clash with nobody's, and all is gone when the command has ended, however it ends. Its exit status is the
# command's, or 77 where such a network cannot be made. Otherwise the script is a remote shell for mpirun.
set -eu

make_network() {
    mount -t tmpfs tmpfs /run # `ip netns` keeps its names there
    ip link set lo up
    ip link add bridge type bridge
    ip address add 10.77.0.1/24 dev bridge
    ip link set bridge up
    local number=2 host
    for host in ${NET_HOSTS:-nodeA nodeB}; do
        ip netns add "$host"
        ip link add "$host" type veth peer name eth0 netns "$host"
        ip link set "$host" master bridge up
        ip -n "$host" link set lo up
        ip -n "$host" address add 10.77.0.$number/24 dev eth0
        ip -n "$host" link set eth0 up
        number=$((number + 1))
    done
}

case $1 in
run)
    shift
    exec unshare --net --mount --pid --fork --kill-child "$0" inside "$@"
    ;;
inside)
    shift
    mount -t proc proc /proc
    if ! output=$(make_network 2>&1); then
        echo "no network of namespaces: $output" >&2
        exit 77
    fi
    FAKE_HOSTS_AGENT=net_hosts.sh FAKE_HOSTS_NETWORK=10.77.0.0/24 "$(dirname "$0")/fake_hosts.sh" run "$@"
    ;;
*)
    host=$1
    shift
    exec ip netns exec "$host" "$(dirname "$0")/fake_hosts.sh" "$host" "$@"
    ;;
esac
