#!/bin/bash
# little_memory_test.sh BIN - a whole application where shared memory is short, as in containers: enough for the run and
# it is used; too little and the run says so in one line, and goes on two-sided unless it was told not to. Nothing
# stays in shared memory.
. "$(dirname "$0")/support.bash"
unshare --mount true 2>err || skip "no right to make namespaces: $(head -1 err)"

export LAUNCHER=${MPIEXEC:-mpiexec} SPACE
cat >little <<'END'
#!/bin/sh
exec unshare --mount sh -c 'mount -t tmpfs -o size="$SPACE" tmpfs /dev/shm && "$LAUNCHER" "$@"
status=$?
ls -A /dev/shm >>left
exit $status' sh "$@"
END
chmod +x little
MPIEXEC=$work/little

hex=(hex --generate=hex:20x20 --steps=20)
expect 0 0 "${hex[@]}" --dump=right
compare()
{
    cmp right there || complain "$SPACE: $ran: the dump differs"
    rm -f there
}
SPACE=64m
for comm in fence pscw passive shared; do
    expect 0 4 "${hex[@]}" --comm=$comm --dump=there
    [ ! -s err ] || complain "$SPACE: $ran: says \"$(head -3 err)\""
    compare
done
SPACE=1m
expect 0 4 "${hex[@]}" --dump=there
[ "$(said hex | wc -l)" -eq 1 ] && said hex | grep -q '/dev/shm has .*running two-sided' ||
    complain "$SPACE: $ran: says \"$(said hex)\", expected one line that it runs two-sided"
compare
expect 0 4 "${hex[@]}" --comm=auto --dump=there
compare
for comm in fence pscw passive shared; do
    expect 3 4 "${hex[@]}" --comm=$comm --dump=there
    [ "$(said hex | wc -l)" -eq 1 ] && said hex | grep -q "^hex: --comm=$comm: .*/dev/shm has" ||
        complain "$SPACE: $ran: says \"$(said hex)\", expected one line about /dev/shm"
    [ ! -e there ] || complain "$SPACE: $ran: there is a dump"
done

# There is room for a window at first, but not for one with the mail of a step.
SPACE=16m
sort=(examples/samplesort --keys=1500000 --quiet)
expect 0 1 "${sort[@]}" --comm=overlap --dump=right
expect 0 2 "${sort[@]}" --comm=fence --dump=there
[ "$(said penumbra | wc -l)" -eq 1 ] && said penumbra | grep -q '/dev/shm has .*mail is delivered by messages' ||
    complain "$SPACE: $ran: says \"$(said penumbra)\", expected one line that messages deliver mail"
compare
[ ! -s left ] || complain "left in shared memory: $(head -5 left)"
finish
