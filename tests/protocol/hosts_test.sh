#!/bin/bash
# hosts_test.sh BIN names|network - every transport across emulated hosts, with the distribution's Open MPI as it
# comes: hosts that differ by name and shared memory only, or that have a network of their own.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tools/support.bash"
agents=$here/../support
mpiexec=${MPIEXEC:-mpiexec}
only_slots
"$mpiexec" --version 2>&1 | grep -q -E 'Open MPI|OpenRTE' || skip "the hosts are emulated for Open MPI's launcher"
case $2 in
names)
    "$agents/fake_hosts.sh" test true 2>err || skip "no right to make namespaces: $(head -1 err)"
    launch=("$agents/fake_hosts.sh" run "$mpiexec")
    ;;
network)
    "$agents/net_hosts.sh" run true 2>err || skip "no right to make networks: $(head -1 err)"
    launch=("$agents/net_hosts.sh" run "$mpiexec")
    ;;
esac

# on HOSTS RANKS PROGRAM [ARGUMENT ...]
on()
{
    local hosts=$1 ranks=$2 program=$3
    shift 3
    patiently 100 "${launch[@]}" --host "$hosts" -n "$ranks" "$bin/$program" "$@" >out 2>err </dev/null ||
        complain "$program $* on $hosts: exit status $?: $(head -20 out err)"
}

on nodeA:2,nodeB:2 4 counters_test --hosts
on nodeA:2,nodeB:2 4 run_test --quick
on nodeA:1,nodeB:2 3 run_test --quick passive shared
# Of a chain of ranks those at the ends have near neighbours only, those in the middle both.
on nodeA:3,nodeB:3 6 hex --generate=hex:8x24 --steps=100 --partitioner=block --comm=shared --verify
for app in "hex --generate=hex:13x9 --steps=10" "heat --generate=random:nodes=200 --steps=10"; do
    read -r -a words <<<"$app"
    expect 0 0 "${words[@]}" --dump=here
    on nodeA:2,nodeB:2 4 "${words[@]}" --comm=auto --dump=there
    cmp here there || complain "$app --comm=auto on two hosts: the dump differs"
    rm -f here there
done
# A replay shows balancers the same hosts as the run.
eyes=$bin/../lib/fingerprint.so
if [ -e "$eyes" ] && command -v python3 >/dev/null; then
    on nodeA:2,nodeB:2 4 hex --generate=hex:12x12 --steps=9 --load=declared --quiet "--balancer=$eyes" \
        --balance-when=every:2:always --record=hosts.record --metrics=run.json
    for hosts in 1 2; do
        expect 0 0 pen-sim replay hosts.record --hosts=$hosts "--balancer=$eyes" --balance-when=every:2:always \
            --metrics=$hosts
        python3 "$here/../tools/replay_check.py" run.json $hosts-*.json 2>err
        [ $? -eq $((2 - hosts)) ] || complain "a run on two hosts, and its replay on $hosts: $(cat err)"
    done
fi
# Who names no transport is told of fences that take more than twice as long as messages, by one line that says as much
# as the measurement that it comes from; nobody else is. Over TCP they do, but for chance.
line='between hosts a pull with fences takes [0-9.]* times as long as with messages: --comm=auto '
measured='s/.*a small pull from another host: \([0-9.]*\) us with fences, \([0-9.]*\) us with messages$/\1 \2/p'
told=0
for _ in 1 2 3; do
    on nodeA:2,nodeB:2 4 hex --generate=hex:8x8 --steps=2 --comm=:explain
    factor=$(sed -n "$measured" out err | awk '$2 > 0 { printf "%.2f", $1 / $2 }')
    [ -n "$factor" ] || { complain "two hosts: fences and messages are not compared: $(cat out err)"; break; }
    lines=$(grep -c "$line" err)
    [ "$lines" = "$(awk -v f="$factor" 'BEGIN { print (f > 2.0) }')" ] ||
        complain "fences take $factor times as long as messages, and $lines lines say so: $(cat err)"
    grep -q 'hex: .* --comm=fence' out || complain "two hosts: the default is no longer fence: $(cat out)"
    told=$((told + lines))
    [ "$told" -eq 0 ] || break
done
[ "$told" -gt 0 ] || complain "fences never took twice as long as messages"
for named in fence auto; do
    on nodeA:2,nodeB:2 4 hex --generate=hex:8x8 --steps=2 --comm=$named:explain
    ! grep -q "$line\|a small pull" out err || complain "two hosts, --comm=$named: $(cat out err)"
done
on nodeA:2 2 hex --generate=hex:8x8 --steps=2 --comm=:explain
! grep -q "$line\|a small pull" out err || complain "one host: $(cat out err)"
finish
