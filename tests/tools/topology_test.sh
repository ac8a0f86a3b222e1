#!/bin/bash
# topology_test.sh BIN - --comm=:explain prints hosts, packages and where ranks are bound; one line warns of ranks that
# share cores though others are free, or that are not bound on a host of several packages.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/support.bash"
"$bin/hex" --version | grep -q hwloc || {
    expect 0 0 hex --generate=hex:8x8 --steps=1 --comm=:explain
    grep -q "^topology    host .*: this build has no hwloc" out || complain "without hwloc: $(cat out)"
    expect_mistake "this build has no hwloc" 1 hex --generate=hex:8x8 --steps=1 --partitioner=scotch:arch=host
    finish
}
launch=("${MPIEXEC:-mpiexec}")
"${launch[@]}" --version 2>&1 | grep -q -E 'Open MPI|OpenRTE' || skip "bound by Open MPI's launcher"
taskset -c 0 true 2>err && taskset -c 1 true 2>err || skip "no two processors to be bound to: $(head -1 err)"
only_slots # with more ranks than those the launcher would bind nobody

# on MACHINE WORDS RANKS [ARGUMENT ...]: hex on a host that hwloc takes for MACHINE, "": the one that it is; WORDS are
# the launcher's, and stand before the program.
on()
{
    local machine=$1 words ranks=$3
    read -r -a words <<<"$2"
    shift 3
    ran="${words[*]} -n $ranks hex $* on ${machine:-this host}"
    (
        [ -z "$machine" ] || export HWLOC_SYNTHETIC="$machine" HWLOC_THISSYSTEM=1
        patiently 60 "${launch[@]}" -n "$ranks" "${words[@]}" "$bin/hex" --generate=hex:8x8 --steps=2 "$@"
    ) >out 2>err || complain "$ran: exit status $?: $(cat err)"
}
tells() { grep -qE -- "$1" out || complain "$ran: not \"$1\", but $(cat out)"; }
# warns [TEXT]: in one line, or not at all
warns()
{
    [ "$(grep -c '^penumbra: ' err)" -eq "$#" ] || complain "$ran: expected $# lines of warning: $(cat err)"
    [ $# -eq 0 ] || grep -qE -- "$1" err || complain "$ran: not \"$1\", but $(cat err)"
}

two="package:2 l3:1 core:1 pu:1" one="package:1 l3:1 core:2 pu:1"
on "$two" "--bind-to core" 2 --comm=:explain
tells '^topology    host [^ ]*: 2 packages, 2 cores, L3 2 x '
tells '^topology    rank 0 on [^ ]*: package 0, core 0$'
tells '^topology    rank 1 on [^ ]*: package 1, core 1$'
tells '^comm        '
warns
on "$two" "--bind-to none" 2 --comm=:explain
tells '^topology    ranks 0 to 1 on [^ ]*: bound to no core$'
warns '2 ranks on [^ ]* are not bound, and may be moved between its 2 packages: .*--bind-to core'
on "$two" "--bind-to none" 2 --quiet
warns
on "$two" "--bind-to none --oversubscribe" 3 # more ranks than cores: nobody can have one
warns
on "$one" "--bind-to none" 2 # it does not matter much there
warns
on "$one" "--bind-to none taskset -c 0" 2 --comm=:explain
tells '^topology    ranks 0 to 1 on [^ ]*: package 0, shared cache 0, core 0$'
warns '2 ranks on [^ ]* share 1 core, and 1 is free: '
on "package:1 core:1 pu:2" "--bind-to none --oversubscribe taskset -c 0" 2 # two threads of the only core
warns
on "" "--bind-to core" 1
warns
on "" "--bind-to core" 2
warns
on "$two" "--bind-to core" 2 --partitioner=scotch:arch=host --verify
warns
expect_mistake "architecture host: its processors are the ranks, 1, not 4" 0 \
    pen-graph part <("$bin/pen-graph" make hex:5x5 -o - --to=metis) 4 --from=metis --partitioner=scotch:arch=host -o new

# Two hosts: each is one for itself, whatever ranks of the other have.
agents=$here/../support
if "$agents/fake_hosts.sh" test true 2>err; then
    launch=("$agents/fake_hosts.sh" run "${launch[@]}")
    hosts="--host nodeA:2,nodeB:1"
    on "" "$hosts --bind-to core" 3 --comm=:explain
    tells '^topology    host nodeA: '
    tells '^topology    host nodeB: '
    tells '^topology    rank 1 on nodeA: .*core 1$'
    tells '^topology    rank 2 on nodeB: .*core 0$'
    ! grep 'bind-to core' err || complain "$ran: expected no warning: $(cat err)"
    on "" "$hosts --bind-to core" 3 --partitioner=scotch:arch=host --verify
else
    leave_out "no right to make namespaces, for two hosts: $(head -1 err)"
fi
finish
