#!/bin/bash
# pen_keep_test.sh BIN - pen-keep starts a run again that has died, and none that has ended; with a launcher that is a
# script, ./launch, which does one after the other what stands in the files act.1, act.2, ...; and one that is not.
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/support.bash"
cat >launch <<'END'
#!/bin/bash
number=$(($(wc -l 2>/dev/null <calls || echo 0) + 1))
echo "$*" >>calls
finish() { : >saved/lock; exit "${1:-0}"; }
[ -e act.$number ] || finish
. ./act.$number
END
chmod +x launch
ln -s "$(command -v true)" pen-hex
python3 -c 'import struct, sys
sys.stdout.buffer.write(b"\x89PCP\r\n\x1a\n" + struct.pack("=IIq", 0x01020304, 1, 24))' >whole
newer() { echo "cp whole saved/step-$(printf %012d "$1").checkpoint"; }

# acts ACT ...: a new beginning
acts()
{
    local number=0 act
    rm -f calls act.*
    [ ! -e saved ] || remove_folder saved
    mkdir saved && canaries --checkpoints saved
    for act in "$@"; do number=$((number + 1)) && echo "$act" >act.$number; done
}

# keeps STATUS CALLS [OPTION ... --] [OPTION OF PROGRAM ...]
keeps()
{
    local wanted=$1 calls=$2 own=()
    shift 2
    if [[ " $* " = *" -- "* ]]; then while [ "$1" != -- ]; do own+=("$1"); shift; done; shift; fi
    expect "$wanted" 0 pen-keep "${own[@]}" ./launch -n 2 ./pen-hex --checkpoint=saved "$@"
    [ "$(wc -l <calls)" -eq "$calls" ] || complain "$ran: $(wc -l <calls) starts, expected $calls: $(cat err)"
}
called()
{
    local call
    call=$(sed -n "$1p" calls)
    [ "$call" = "$2" ] || complain "$ran: start $1 is \"$call\", expected \"$2\""
}
says() { grep -q -e "$1" err || complain "$ran: does not say \"$1\": $(cat err)"; }

# The command line.
expect 0 0 pen-keep --help
grep -q -e '--retries=N' out || complain "--help does not show --retries"
expect_mistake "no command" 0 pen-keep
expect_mistake "needs --checkpoint=DIR" 0 pen-keep ./launch -n 2 ./pen-hex --steps=5
expect_mistake "nowhere: no such folder for checkpoints" 0 pen-keep ./launch ./pen-hex --checkpoint=nowhere
mkdir mistakes && canaries --checkpoints mistakes
expect_mistake "--retries=0: must be at least 1" 0 pen-keep --retries=0 ./launch ./pen-hex --checkpoint=mistakes
for number in --5 5- ² 1_0 ' 1'; do
    expect_mistake "--retries=$number: not a whole number" 0 pen-keep "--retries=$number" ./launch ./pen-hex
done
expect_mistake "--retries=9223372036854775808: must be from 1 to 9223372036854775807" 0 \
    pen-keep --retries=9223372036854775808 ./launch ./pen-hex
expect_mistake "--probe needs --drop" 0 pen-keep --probe=true ./launch ./pen-hex --checkpoint=mistakes
expect_mistake "did you mean --retries?" 0 pen-keep --retris=2 ./launch ./pen-hex --checkpoint=mistakes
expect_mistake "./nothing: cannot be started: no such program" 0 pen-keep ./nothing ./pen-hex --checkpoint=mistakes
[ ! -e mistakes/lock ] || complain "$ran: a launcher that does not exist has left a lock"
expect_mistake "unknown hosts" 0 pen-keep --drop ./launch -n 2 ./pen-hex --checkpoint=mistakes

# What is resumed: from the second start on, or where there are checkpoints; the user's --resume once.
acts "$(newer 10); kill -9 \$\$"
keeps 0 2 --steps=5
called 1 "-n 2 ./pen-hex --checkpoint=saved --steps=5"
called 2 "-n 2 ./pen-hex --checkpoint=saved --resume --steps=5"
says "pen-keep: died after [0-9.]* s, signal 9 (Killed); continues from step 10$"
[ "$(grep -c pen-keep: err)" -eq 1 ] || complain "$ran: says $(cat err)"
acts
eval "$(newer 7)"
keeps 0 1
called 1 "-n 2 ./pen-hex --checkpoint=saved --resume"
acts
eval "$(newer 7)"
keeps 0 1 --resume
called 1 "-n 2 ./pen-hex --checkpoint=saved --resume"
acts "kill -9 \$\$" "$(newer 10); kill -9 \$\$"
keeps 0 3 --resume=other/step-000000000003.checkpoint
called 2 "-n 2 ./pen-hex --checkpoint=saved --resume=other/step-000000000003.checkpoint"
called 3 "-n 2 ./pen-hex --checkpoint=saved --resume"
says "continues from the beginning (deaths without a new checkpoint: 1 of 3)"

# It gives up after deaths without a newer checkpoint, in a row.
acts "exit 3" "echo 'hex: no more memory' >&2; exit 3"
keeps 3 2 --retries=2 --
says "exit status 3: hex: no more memory; given up at the beginning, deaths without a new checkpoint: 2$"
acts "exit 3" "$(newer 1); exit 3" "exit 3" "$(newer 2); exit 3" "$(newer 3); exit 3" "exit 3" "exit 3"
keeps 3 7 --retries=2 --
acts "exit 3" "exit 3" "exit 3"
keeps 3 3
# Whatever files there are that look newer: another run's, and one that was cut off.
acts "exit 3" "$(newer 33); exit 3" "$(newer 36); exit 3"
echo junk >saved/step-000000000900.checkpoint
head -c 23 whole >saved/step-000000000901.checkpoint
keeps 0 4 --retries=2 --
says "exit status 3; continues from step 36$"
acts "exit 3" "$(newer 36); exit 3" "exit 3"
cp -p whole saved/step-000000000036.checkpoint
keeps 0 4 --retries=2 --

# Which exit statuses are deaths.
no_death() { acts "$2"; keeps "$1" 1; }
death() { acts "$1"; keeps 0 2; }
no_death 0 finish
death "exit 0"
says "died after [0-9.]* s, exit status 0, not finished; continues from the beginning"
death "echo unfinished >saved/lock; exit 0"
no_death 1 "echo '  Exit code:    1' >&2; exit 1"
no_death 1 "echo 'hex: --verify: 3 differences' >&2; exit 1"
no_death 2 "echo 'hex: unknown option' >&2; exit 2"
acts "echo 'walk: --verify: 3 differences' >&2; exit 1"
expect 1 0 pen-keep ./launch -n 2 python3 ./walk.py --checkpoint=saved
[ "$(wc -l <calls)" -eq 1 ] || complain "$ran: $(wc -l <calls) starts, expected one: $(cat err)"
no_death 2 "echo '  another run writes its checkpoints there' >&2; exit 2"
no_death 4 "exit 4"
no_death 2 "echo unfinished >saved/lock; echo 'hex: the state after the last step could not be written' >&2; exit 2"
death "exit 1"
death "echo 'hex: ended by SIGTERM after step 7: --resume=saved continues from there' >&2; exit 1" # Open MPI's mpirun
death "echo 'launch has exited due to process rank 1 with PID 0 on'; echo 'node n1 exiting improperly.'; exit 1"
death "echo '=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES'; exit 1"
death "echo 'YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Interrupt (signal 2)'; exit 2"
death "echo 'YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Illegal instruction (signal 4)'; exit 4"
says "(signal 4); continues"
death "exit 5"
death "exit 137"
acts "exit 3" "echo 'hex: saved: another run writes its checkpoints there' >&2; exit 2"
keeps 0 3

# A program that only prints is started once, and its folder stays as it is.
for option in --help -h --version --list --list=comm; do
    acts "echo printed; exit 0"
    keeps 0 1 $option
    called 1 "-n 2 ./pen-hex --checkpoint=saved $option"
    [ "$(cat out)" = printed ] && [ ! -s err ] || complain "$ran: says $(cat out err)"
    ! others_in saved | grep . || complain "$ran: leaves files"
done
acts "exit 3"
keeps 3 1 --help

# A file called lock that is not a run's stays as it is, for the run to refuse.
acts "cp saved/lock kept; finish"
echo mine, not a lock >saved/lock
keeps 0 1
[ "$(cat kept)" = "mine, not a lock" ] || complain "$ran: the file saved/lock becomes \"$(cat kept)\""

# What is printed passes through, and nothing of the run before lives when it is started again.
acts "echo printed; echo told >&2; (sleep 1000 & setsid sleep 1000 & echo \$! >sleeper; wait) & sleep 0.2
kill -9 \$\$" \
    "kill -0 \$(cat sleeper) && echo lives; finish"
keeps 0 2
[ "$(cat out)" = printed ] || complain "$ran: prints $(cat out)"
says '^told$'

# signalled SIGNAL STATUS: while it runs, started once
mkfifo nothing
cat >rank <<'END'
exec 3<>nothing # a rank has no children
trap 'echo "got $1" >got; exit "$2"' "$1"
: >ready
while :; do read -r -t 0.1 -u 3; done
END
signalled()
{
    rm -f ready got
    # Job control: commands in the background of a script ignore SIGINT.
    patiently 30 bash -c 'set -m; "$0" "$@" & echo $! >pid; wait $!' "$bin/pen-keep" ./launch -n 2 ./pen-hex \
        --checkpoint=saved 2>err &
    local waiting=$!
    wait_until 10 test -e ready || complain "pen-keep starts nothing"
    kill -"$1" "$(cat pid)"
    wait $waiting
    status=$?
    ran="pen-keep with SIG$1"
    [ $status -eq "$2" ] || complain "$ran: exit status $status, expected $2"
    [ "$(wc -l <calls)" -eq 1 ] || complain "$ran: $(wc -l <calls) starts, expected one: $(cat err)"
    ! grep -q "^pen-keep: " err || complain "$ran: says $(cat err)"
}
for signal in TERM USR1 USR2; do
    acts "trap 'exit 99' $signal; OMPI_COMM_WORLD_RANK=0 bash rank $signal 4"
    signalled $signal 4
    [ "$(cat got)" = "got $signal" ] || complain "$ran: the rank does not get it"
done
acts ": >ready; exec sleep 1000"
signalled INT 130
acts ": >ready; exec sleep 1000"
signalled TERM 143 # no rank is here
acts "trap 'exit 0' TERM; : >ready; sleep 1000 & wait" # as MPICH's does
signalled TERM 143

# A launcher that waits on after the watchdog's report of the end, or its own, or is stopped, is killed; no other one.
programs=$bin
mkdir -p short/bin && ln -s "$bin/../lib" short/lib
sed 's/^GRACE = 60 /GRACE = 1 /' "$bin/pen-keep" >short/bin/pen-keep && chmod +x short/bin/pen-keep
watchdog="penumbra: watchdog: host n2: a step takes 3 s, the run"
bin=$work/short/bin
acts "echo '$watchdog ends: rank 1: waiting in step 7' >&2; sleep 1000"
keeps 0 2
says "its launcher killed, since it had not ended 1 s after the report of the end: $watchdog ends: rank 1: .* 7;"
acts "echo 'penumbra: watchdog: the launcher is gone; the run ends'; kill -STOP \$\$"
keeps 0 2
killed="mpirun noticed that process rank 2 with PID 7 on node n2 exited on signal 9 (Killed)."
acts "echo '$killed'; sleep 1000" "echo '=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES'; sleep 1000"
keeps 0 3
says "had not ended 1 s after the report of the end: mpirun noticed that process rank 2 .* (Killed);"
acts "echo 'the program says: $killed (signal 9)'; sleep 3; finish"
keeps 0 1
acts "echo '$watchdog continues: rank 1: waiting' >&2; sleep 3; finish"
keeps 0 1
acts "echo '$watchdog ends: rank 1: waiting' >&2; exit 5"
keeps 0 2
says "exit status 5: $watchdog ends"
bin=$programs

# Open MPI's launchers, old and new, get keepalives that the user does not set.
asked() # EXPECTED, and words of the launcher
{
    local expected=$1
    shift
    acts "env | sed -n 's/^\(OMPI\|PRTE\)_MCA_oob_tcp_keepalive_/\1 /p' | sort | tr '\n' ' ' >asked; finish"
    expect 0 0 pen-keep ./launch "$@" ./pen-hex --checkpoint=saved
    [ "$(cat asked)" = "$expected" ] || complain "$ran: the launcher gets $(cat asked)"
}
export HOME=$work/home
mkdir -p home/.openmpi
asked "OMPI intvl=15 OMPI probes=4 OMPI time=60 PRTE intvl=15 PRTE probes=4 PRTE time=60 "
asked "OMPI intvl=15 OMPI probes=4 PRTE intvl=15 PRTE probes=4 " --mca oob_tcp_keepalive_time 7
OMPI_MCA_oob_tcp_keepalive_intvl=3 \
    asked "OMPI intvl=3 OMPI probes=4 OMPI time=60 PRTE intvl=15 PRTE probes=4 PRTE time=60 "
echo "oob_tcp_keepalive_probes = 9" >home/.openmpi/mca-params.conf
asked "OMPI intvl=15 OMPI time=60 PRTE intvl=15 PRTE time=60 "

# Hosts that cannot be reached, or else where something died.
unset SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE
drops() # EXPECTED SECOND LINE, LAUNCHER'S OPTIONS; the probe says that n2 cannot be reached
{
    local expected=$1
    shift
    expect 0 0 pen-keep --drop --probe="test HOST != ${unreachable-n2}" ./launch "$@" ./pen-hex --checkpoint=saved
    called 2 "$expected ./pen-hex --checkpoint=saved"
}
acts "exit 7"
drops "--host n1:2,n3:1 -n 3" --host n1:2,n2:2,n3 -n 5
says "continues from the beginning, without n2, on 3 ranks"
acts "exit 7"
drops "-np 2 -H n1:2,n3:1" -np 2 -H n1:2,n2:2,n3
printf '# all\nn1 max_slots=8 slots = 2\nn2 slots=2 # lost\n\nn3:4\n' >hosts
acts "exit 7" "cp \$2 given; exit 7"
expect 0 0 pen-keep --drop --probe="test HOST != n2" ./launch -f hosts -n 8 ./pen-hex --checkpoint=saved
[ "$(cat given)" = "n1 max_slots=8 slots = 2"$'\n'"n3:4" ] || complain "$ran: a hostfile of $(cat given)"
sed -n 2p calls | grep -q -e '-n 6 ' || complain "$ran: $(cat calls)"
file=$(sed -n 's/^-f \([^ ]*\) .*/\1/p' calls | tail -1)
[ "$file" != hosts ] && [ ! -e "$file" ] || complain "$ran: \"$file\" is left"
acts "echo 'process rank 1 with PID 0 on node n3 exited on signal 9 (Killed).' >&2; exit 7"
unreachable=n9 drops "--host n1:1,n2:1 -n 4" --host n1,n2,n3 -n 6
says "exited on signal 9 (Killed); continues from the beginning, without n3, on 4 ranks"
# Open MPI 5 says it in two lines, and ends with 0 where a host is lost.
acts "echo 'process rank 1 with PID 0 on node n3 exited on' >&2; exit 7"
unreachable=n9 drops "--host n1:1,n2:1 -n 4" --host n1,n2,n3 -n 6
acts "printf 'PRTE has lost communication with a remote daemon.\n  Remote daemon: [prterun-n1-7@0,1] on node n3\n'"
unreachable=n9 drops "--host n1:1,n2:1 -n 4" --host n1,n2,n3 -n 6
acts "echo '=   PID 3 RUNNING AT n1.example.org'; exit 9" "echo '=   PID 3 RUNNING AT n2'; exit 9"
unreachable=n9 drops "-hosts n2:1 -n 1" -hosts n1,n2 -n 2
called 3 "-hosts n2:1 -n 1 ./pen-hex --checkpoint=saved"
acts "exit 7"
SLURM_JOB_NODELIST=n1,n2,m10-x SLURM_TASKS_PER_NODE='2(x2),1' drops "--host n1:2,m10-x:1 -n 3" -n 5
mkdir slurm
printf '#!/bin/sh\n[ "$*" = "show hostnames n[1-2,04],m[09-10]-x" ] && echo n1 n2 n04 m09-x m10-x' >slurm/scontrol
chmod +x slurm/scontrol
acts "exit 7"
SLURM_JOB_NODELIST='n[1-2,04],m[09-10]-x' SLURM_TASKS_PER_NODE='2(x3),1(x2)' PATH=$work/slurm:$PATH \
    drops "--host n1:2,n04:2,m09-x:1,m10-x:1 -n 6" -n 8
SLURM_JOB_NODELIST='n[1-2]' PATH=$work/slurm:$PATH \
    expect_mistake "scontrol, which reads SLURM_JOB_NODELIST=n[1-2], does not work" 0 pen-keep --drop \
    ./launch ./pen-hex --checkpoint=saved
expect_mistake "srun cannot continue without hosts" 0 pen-keep --drop env srun -n 2 ./pen-hex --checkpoint=saved
acts "exit 7"
unreachable='n2 && test HOST != n1'
expect 3 0 pen-keep --drop --probe="test HOST != $unreachable" ./launch --host n1,n2 -n 2 ./pen-hex --checkpoint=saved
says "no host can be reached"
expect_mistake "nohosts: No such file" 0 pen-keep --drop ./launch --hostfile nohosts ./pen-hex --checkpoint=saved

# The launcher of this build: a signal to the launcher does not end the run, nor is a run finished that was told to end.
newest() { ls saved | sed -n 's/^step-0*\([1-9][0-9]*\)\.checkpoint$/\1/p' | tail -1; }
beyond() { [ "$(newest)" -gt "$1" ] 2>/dev/null; }
for ranks in 3 4; do
    [ $failures -eq 0 ] || break
    remove_folder saved && mkdir saved && canaries --checkpoints saved
    kept=("${MPIEXEC:-mpiexec}" -n $ranks "$bin/hex" --generate=hex:16x16 --quiet --checkpoint=saved \
        --checkpoint-every=50)
    patiently 60 bash -c 'echo $$ >pid; exec "$0" "$@"' "$bin/pen-keep" "${kept[@]}" --steps=100000000 >out 2>err &
    ran="pen-keep ${kept[*]}"
    wait_until 20 beyond 0 || complain "$ran: no checkpoint: $(cat err)"
    pkill -INT -P "$(cat pid)"
    wait_until 20 grep -q '^pen-keep: died .*continues from' err || complain "$ran: SIGINT ends mpiexec: $(cat err)"
    wait_until 20 beyond "$(newest)" || complain "$ran: does not go on: $(cat err)"
    kill -TERM "$(cat pid)"
    wait $!
    status=$?
    [ $status -eq 4 ] || complain "$ran: exit status $status, expected 4: $(cat err)"
    [ -s saved/lock ] || complain "$ran: is marked as finished"
    expect 0 0 pen-keep "${kept[@]}" --steps=$(($(newest) + 10))
    [ -e saved/lock ] && [ ! -s saved/lock ] || complain "$ran: is not marked as finished"
done

# A host that freezes: its launcher waits for its daemon for ever.
family() { local pid; for pid in $(pgrep -P "$1"); do echo "$pid" && family "$pid"; done; }
on_host() { for pid in $(family "$2"); do [ "$(nsenter -u -t "$pid" hostname)" != "$1" ] || echo "$pid"; done; }
if ! unshare --mount --uts true 2>err; then
    leave_out "no right to make namespaces: $(head -1 err): a host that freezes"
elif "${MPIEXEC:-mpiexec}" --version 2>&1 | grep -q -E 'Open ?(MPI|RTE)'; then
    mkdir -p frozen/saved && cd frozen || exit 1
    kept=("${MPIEXEC:-mpiexec}" --host nodeA:1,nodeB:1 -n 2 "$programs/hex" --generate=hex:16x16 --quiet --comm=blocking
        --checkpoint=saved --checkpoint-every=50 --steps=100000000 "--watchdog=$((patience / 2 + 1))s")
    patiently 60 bash -c 'echo $$ >pid; exec "$0" "$@"' "$tests/../support/fake_hosts.sh" run ../short/bin/pen-keep \
        --drop --probe='test HOST != nodeB' "${kept[@]}" >out 2>err &
    ran="pen-keep ${kept[*]}"
    wait_until 20 beyond 0 || complain "$ran: no checkpoint: $(cat err)"
    kill -STOP $(on_host nodeB "$(cat pid)")
    wait_until 30 grep -q '^pen-keep: died .*its launcher killed.*, without nodeB, on 1 ranks' err ||
        complain "$ran: a frozen host is not replaced: $(cat err)"
    wait_until 20 beyond "$(newest)" || complain "$ran: does not go on: $(cat err)"
    kill -TERM "$(cat pid)"
    wait $!
    cd ..
fi
finish
