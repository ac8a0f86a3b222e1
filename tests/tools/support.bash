# support.bash - what the tests of programs have in common; sourced, with the folder of the programs as $1.
# A check that fails says what was expected and what came, and the test goes on; `finish` ends it.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/launch.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../support/canaries.sh"
bin=$(cd "$1" && pwd)
begin_work "penumbra test" # a space, as users have them
failures=0 out=out err=err
export OMPI_MCA_mpi_yield_when_idle=1 ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}

# The file tells of failures in subshells, too.
complain() { echo "$(basename "$0"): $*" >&2; failures=$((failures + 1)); : >"$work/failed"; }

# Time-outs exist to end hangs: they are so many times what an idle machine needs. Scripts that tests write use them,
# too: exported.
export patience=${PEN_TEST_PATIENCE:-10}

# patiently SECONDS COMMAND ...: ends it, with exit status 124, after so many seconds times the patience.
patiently() { timeout -k 5 $(($1 * patience)) "${@:2}"; }
export -f patiently

# unfold: joins lines that end in a backslash with the next one.
unfold() { sed ':a; /\\$/ { N; s/ *\\\n */ /; ba }'; }

# wait_until SECONDS COMMAND ...: until it succeeds; fails after so many seconds times the patience.
wait_until()
{
    local last=$((SECONDS + $1 * patience))
    until "${@:2}"; do
        [ $SECONDS -lt $last ] || return 1
        sleep 0.1
    done
}

# ranks_of PROGRAM [OPTION ...]: its processes in this folder; options are pgrep's.
ranks_of()
{
    local pid
    for pid in $(pgrep -x "$@"); do [ "$(readlink "/proc/$pid/cwd")" != "$PWD" ] || echo "$pid"; done
}

# by_load NUMBER: for what has to end soon: NUMBER times the share of a core that a process gets here at the moment.
by_load()
{
    awk -v number="$1" -v cores="$(nproc)" '{
        load = $1
        split($4, running, "/")
        if (running[1] > load) load = running[1]
        printf "%d\n", number * (1 + load / cores)
    }' /proc/loadavg
}

# Whether pictures can be drawn: pen-plot takes the first Python that has matplotlib.
has_matplotlib()
{
    python3 -c 'import matplotlib' 2>/dev/null || /usr/bin/python3 -c 'import matplotlib' 2>/dev/null
}

# Whether the launcher is Open MPI's; the tests run with MPICH's, too.
has_open_mpi() { "${MPIEXEC:-mpiexec}" --version 2>&1 | grep -q -E 'Open ?(MPI|RTE)'; }

# ended LAUNCHER: waits for it, and returns its status. Open MPI 4's may wait for itself after a rank was killed: one
# that has had no child for 20 s is killed, and `hung` is true. (Zombies are no children.)
ended()
{
    local idle=0 last=$((SECONDS + 30 * patience))
    while kill -0 "$1" 2>/dev/null && [ $idle -lt 200 ]; do
        [ $SECONDS -lt $last ] || { complain "${ran-}: hangs: $(pgrep -l -P "$1")" && break; }
        if pgrep -r D,R,S,T -P "$1" >/dev/null; then idle=0; else idle=$((idle + 1)); fi
        sleep 0.1
    done
    hung=false
    ! kill -9 "$1" 2>/dev/null || hung=true
    wait "$1"
}

# The whole test; a part of it, which the summary of tools/check counts as well.
leave_out() { echo "$(basename "$0"): skipped: $*" >&2; }
skip() { leave_out "$@"; exit 77; }

finish()
{
    [ -z "$warm" ] || eval "exec ${WARM[1]}>&-"
    wait
    [ ! -e "$work/failed" ] || failures=1
    exit $((failures > 0))
}

# later COMMAND ...: the same as the command, but in the background, four at a time, since a launch is
# mostly waiting.
jobs_begun=0
later()
{
    while [ "$(jobs -rp | wc -l)" -ge 4 ]; do wait -n; done
    jobs_begun=$((jobs_begun + 1))
    (
        whole=
        trap '[ "$whole" ] || complain "$*: ended too early"' EXIT
        out=out.$jobs_begun err=err.$jobs_begun
        "$@"
        whole=yes
        [ $failures -eq 0 ] || : >"$work/failed"
        rm -f "$out" "$err"
    ) &
}

# unprivileged COMMAND ...: runs its programs as somebody who may not read and write everything.
unprivileged()
{
    local restrained=()
    if [ "$(id -u)" -eq 0 ]; then
        restrained=(setpriv --bounding-set=-all --inh-caps=-all)
        "${restrained[@]}" true 2>/dev/null || { leave_out "no setpriv to try ${*:2} without privileges with"; return; }
    fi
    "$@"
}

# warm_up PROGRAM MODULE ...: from here on `run` runs this Python program in forks of a process that has imported the
# modules.
warm= restrained=()
warm_up()
{
    local python=python3
    "$python" -c "import $2" 2>/dev/null || python=/usr/bin/python3
    coproc WARM { exec "$python" "$(dirname "${BASH_SOURCE[0]}")/forks.py" "$bin/$1" "${@:2}"; }
    warm=$1
}

# run RANKS PROGRAM [ARGUMENT ...]: sets `status`, and leaves what was printed in the files $out and
# $err. 0 ranks: the program itself, without mpiexec.
run()
{
    local launcher=() program=$2
    [ "$1" -eq 0 ] || launcher=("${MPIEXEC:-mpiexec}" -n "$1")
    ran="$*"
    shift 2
    if [ "$program" = "$warm" ] && [ ${#restrained[@]} -eq 0 ]; then
        printf '%s\0' $((30 * patience)) "$out" "$err" "$PWD" $# "$@" >&"${WARM[1]}"
        read -r status <&"${WARM[0]}"
        return
    fi
    patiently 30 ${restrained[@]+"${restrained[@]}"} ${launcher[@]+"${launcher[@]}"} "$bin/$program" "$@" >"$out" \
        2>"$err" </dev/null
    status=$?
}

# run_killed RANKS PROGRAM [ARGUMENT ...]: the same for a run in which a rank is killed.
run_killed()
{
    ran="$*"
    "${MPIEXEC:-mpiexec}" -n "$1" "$bin/$2" "${@:3}" >"$out" 2>"$err" </dev/null &
    ended $!
    status=$?
}

# expect STATUS RANKS PROGRAM [ARGUMENT ...]
expect()
{
    local wanted=$1
    shift
    run "$@"
    [ "$status" -eq "$wanted" ] || { complain "$ran: exit status $status, expected $wanted"; head -5 "$err" >&2; }
}

# What this program said on standard error; mpiexec speaks there too.
said() { grep -E "^($1|penumbra): " "$err"; }

# expect_mistake TEXT RANKS PROGRAM [ARGUMENT ...]: exit status 2, nothing printed, and one line, which
# begins with the program's name and contains TEXT.
expect_mistake()
{
    local text=$1 lines name
    shift
    name=${2##*/}
    expect 2 "$@"
    lines=$(said "$name" | wc -l)
    [ "$lines" -eq 1 ] || complain "$ran: $lines lines on standard error, expected one: $(said "$name")"
    [ "$1" -gt 0 ] || [ "$(wc -l <"$err")" -eq 1 ] ||
        complain "$ran: standard error has $(wc -l <"$err") lines: $(cat "$err")"
    said "$name" | grep -q -F -e "$text" || complain "$ran: says \"$(said "$name")\", expected \"$text\""
    ! said "$name" | grep -q -E '^([a-z-]+): \1: ' || complain "$ran: says its name twice: $(said "$name")"
    [ ! -s "$out" ] || complain "$ran: prints $(head -1 "$out")"
}

# status EXPECTED COMMAND ...: its exit status; all that it says goes to the file `said`, in which `says TEXT` looks.
status()
{
    "${@:2}" >said 2>&1
    local found=$?
    [ $found -eq "$1" ] || { complain "${*:2}: exit status $found, expected $1"; cat said >&2; }
}
says() { grep -q -- "$1" said || { complain "does not say \"$1\""; cat said >&2; }; }
