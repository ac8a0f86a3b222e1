#!/bin/bash
# network_delay_test.sh BIN - runs on a network that is slow between some ranks: they take as long as the file says, and
# no longer, compute the same, and say which line of a file is none.
. "$(dirname "$0")/support.bash"

# takes LEAST MOST RANKS OPTION ...: 4 steps of a field of bands of hexagons with the delays in the file `delays`;
# seconds of the steps. MOST leaves a busy machine time. One that is busier is tried more often; where it never has the
# time, that bound is left out.
takes()
{
    local least=$1 most=$2 ranks=$3 tries seconds partitioner=(--partitioner=block)
    shift 3
    [[ $* != *--partitioner=* ]] || partitioner=()
    for ((tries = 0; tries < $(by_load 4) && tries < 20; tries++)); do
        expect 0 "$ranks" hex --generate=hex:8x8 "${partitioner[@]}" --steps=4 --quiet \
            --metrics=metrics.json "$@"
        seconds=$(sed -n 's/^  "seconds": .*"loop": \([0-9.]*\).*/\1/p' metrics.json)
        awk "BEGIN { exit !($seconds >= $least && $seconds <= $most) }" && return
    done
    if [ "$(by_load 1)" -gt 3 ] && awk "BEGIN { exit !($seconds >= $least) }"; then
        leave_out "on this busy machine steps of at least $least s never take less than $most s"
        return
    fi
    complain "$ran: $seconds seconds, expected $least to $most with $(tr '\n' ';' <delays)"
    finish
}
delays() { printf '%s\n' "$@" >delays; }

delays '* * 0.25'
for comm in blocking overlap persistent neighbor; do # of two partners at the same time
    takes 1.0 1.95 3 --comm=$comm:delay=delays --partitioner=random
done
delays '* * 0.5' '# the last line for a pair holds' '' '0 * 0' '1 0 0.0 0	# a tab'
takes 0 1.9 2 --comm=overlap:delay=delays
delays '0 1 0.5' # from when the sender began: rank 0 waits only for a rank that had to wait
takes 1.0 1.95 2 --comm=overlap:delay=delays
delays '* 0 0.5' # likewise
takes 1.0 1.95 2 --comm=blocking:delay=delays
delays '* * 0.1 0.002' # and 8 nodes of 8 bytes
takes 0.91 1.9 2 --comm=blocking:delay=delays
delays '* * 0.12'
takes 1.12 2.0 2 --comm=blocking:delay=delays --grain=5ms:sleep
takes 0.64 1.1 2 --comm=overlap:delay=delays --grain=5ms:sleep # while inner nodes are computed
takes 0.96 1.9 2 --comm=overlap:delay=delays --migrate-random=3 # and once more where nodes have moved

# Results are the same, also where nodes move, a step has several pulls, and the graph changes.
delays '* * 0.0001' '2 0 0.003' '0 1 0 1e-7'
same() # RANKS PROGRAM OPTION ...
{
    expect 0 "$@" --verify
    grep -q '^verified' "$out" || complain "$ran: not verified"
}
same 3 random --generate=random:nodes=60 --steps=10 --comm=overlap:delay=delays --migrate-random=5
same 3 wave --generate=torus:8x8 --steps=10 --comm=persistent:delay=delays
same 3 shock --generate=mesh:12x12 --steps=6 --comm=neighbor:delay=delays

few="--generate=hex:4x4 --steps=1"
for comm in fence pscw passive shared auto; do
    later expect_mistake "needs a transport that sends messages, such as --comm=overlap: $comm" 0 hex $few \
        --comm=$comm:delay=delays
done
wait
expect_mistake "such as --comm=overlap: fence sends no messages" 2 hex $few --comm=fence:delay=delays
expect_mistake "unknown transport overlaps: did you mean overlap?" 0 hex $few --comm=overlaps:delay=delays
expect_mistake "network delay none: cannot read: No such file" 2 hex $few --comm=overlap:delay=none
wrong() # TEXT LINE
{
    printf '%s\n' '# first' "$2" >"wrong.$out"
    expect_mistake "network delay wrong.$out:2: $1" "${ranks:-0}" hex $few "--comm=overlap:delay=wrong.$out"
}
later wrong 'a line is FROM TO SECONDS [SECONDS_PER_BYTE], found "0"' '* 0'
later wrong 'nothing may follow, found "2"' '* * 0 1 2'
later wrong 'a rank must be * or from 0 to 0, found "1"' '1 * 0'
later wrong 'a rank must be * or from 0 to 0, found "-1"' '* -1 0'
later wrong 'a rank must be * or from 0 to 0, found "x"' 'x * 0'
later wrong 'a rank sends no messages to itself, found "0"' '0 0 0'
later wrong 'seconds must be from 0 to 60, found "-1"' '* * -1'
later wrong 'seconds must be from 0 to 60, found "61"' '* * 61'
later wrong 'seconds must be from 0 to 60, found "nan"' '* * nan'
later wrong 'seconds must be from 0 to 60, found "1s"' '* * 0 1s'
later wrong 'a line has more than 1023 bytes, found "* *' "$(printf '%1100s' | sed 's/^  /* */')"
ranks=3 later wrong 'seconds must be from 0 to 60, found "1e9"' '0 2 1e9'
finish
