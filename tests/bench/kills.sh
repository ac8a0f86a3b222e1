#!/bin/bash
# kills.sh - runs that are killed at random moments, under pen-keep, end as if nothing had happened: the dump and the
# observables' file are the bytes of the undisturbed run. A kill hits a rank, or the launcher, which also gets SIGINT
# and SIGTERM, while steps, migration, changes of the graph or a checkpoint are under way, and, every third time, once
# more soon after the restart. A run that SIGTERM has ended with a checkpoint is continued by the same command.
#
#     tests/bench/kills.sh [COUNT] [BUILD ...]     200 runs, of build/release and, where it is there, build/mpich
#
# Prints a line for each run: which build, program, ranks and transport; each kill: whom (a rank's process or the
# launcher), after how many seconds, behind which step (by the observables' file) or newest checkpoint, and "writing"
# where one was being written; how often pen-keep started anew; how it ended. Then sums. SEED (1) in the environment
# makes other runs; RANKS ("1 2 3 4") are the numbers of ranks; KEEP=FOLDER gets what failed. Exit status: 1 where a run
# has failed, or no kill has hit.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
count=${1:-200}
shift $(($# > 0))
builds=("$@")
[ ${#builds[@]} -gt 0 ] || for build in "$root"/build/{release,mpich}; do [ ! -d "$build" ] || builds+=("$build"); done
for i in "${!builds[@]}"; do builds[i]=$(cd "${builds[i]}" && pwd) || exit 2; done
. "$root/tests/support/launch.sh"
. "$root/tests/support/canaries.sh"
begin_work kills
export OMPI_MCA_mpi_yield_when_idle=1 ASAN_OPTIONS=detect_leaks=0
RANDOM=${SEED:-1}

moves="--quiet --balancer=diffusive --balance-when=every:5:always --migrate-random=7:0.1"
declare -A options=(
    [hex]="--generate=hex:24x24 --steps=${STEPS:-250} --imbalance=three-phase --load=declared"
    [shock]="--generate=mesh:20x20 --depth=2 --steps=${STEPS:-120} --observables=observed.csv --load=declared"
    [battlefield]="--scenario=encirclement --steps=${STEPS:-100} --observables=observed.csv --load=declared"
    [travellers]="--generate=hex:40x40 --people=10 --steps=240 --observables=observed.csv" # mail everywhere
)
programs=(hex shock battlefield travellers)
transports=(fence shared passive overlap)
signals=(KILL INT TERM)
read -ra numbers <<<"${RANKS:-1 2 3 4}"

launcher_of() { sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$1/CMakeCache.txt"; }

# MPICH spins where there are more ranks than cores, unless the tests' library is there.
preload_of() { [ ! -e "$1/lib/yield_mpich.so" ] || echo "LD_PRELOAD=$1/lib/yield_mpich.so"; }

now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.2f", b - a }'; }

# start FOLDER BUILD PROGRAM RANKS TRANSPORT [KEEPER ...]
start()
{
    local folder=$1 build=$2 program=$3 binary=$2/bin/$3 preload
    [ -e "$binary" ] || binary=$2/bin/examples/$3
    mapfile -t preload < <(preload_of "$build")
    cd "$work/$folder" || exit 2
    # shellcheck disable=SC2086
    exec timeout -k 5 2000 "${@:6}" env "${preload[@]}" "$(launcher_of "$build")" -n "$4" "$binary" \
        ${options[$program]} $moves --comm="$5" --dump=dump --checkpoint=saved --checkpoint-every=$((4 + RANDOM % 7)) \
        >>out 2>>err </dev/null
}

# What undisturbed runs give, on 2 ranks.
undisturbed()
{
    local program
    for program in "${programs[@]}"; do
        mkdir -p "right-$program/saved"
        (start "right-$program" "${builds[0]}" "$program" 2 fence) ||
            { echo "kills.sh: $program without any kill: $(cat "right-$program/err")" >&2; exit 2; }
    done
}

# Descendants of a process.
below() { local child; for child in $(pgrep -P "$1"); do echo "$child"; below "$child"; done; }

newest_of() { ls "$1/saved" | sed -n 's/^step-0*\([0-9]*\)\.checkpoint$/\1/p' | tail -1; } # FOLDER

step_of() # FOLDER: where it is
{
    local step='' newest
    [ ! -s "$1/observed.csv" ] || step=$(tail -1 "$1/observed.csv" | cut -d, -f1)
    newest=$(newest_of "$1")
    printf '%s' "${step:+step $step, }saved ${newest:-none}"
    ! ls -l /proc/[0-9]*/fd 2>/dev/null | grep -qF "$(realpath "$1")/saved/#" || printf ', writing' # without a name
}

# hit KEEPER FOLDER PROGRAM BEGUN: kill one of its processes; prints whom
hit()
{
    local all ranks launchers victims victim where signal
    mapfile -t all < <(below "$1")
    ranks=() launchers=()
    for victim in "${all[@]}"; do
        case $(cat "/proc/$victim/comm" 2>/dev/null) in
        "$3") ranks+=("$victim") ;;
        mpi* | orterun | hydra*) launchers+=("$victim") ;;
        esac
    done
    victims=("${ranks[@]}") where=rank
    if [ ${#ranks[@]} -eq 0 ] || [ $((RANDOM % 4)) -eq 0 ]; then victims=("${launchers[@]}") where=launcher; fi
    [ ${#victims[@]} -gt 0 ] || { printf 'nobody'; return 1; }
    victim=${victims[RANDOM % ${#victims[@]}]} signal=KILL
    [[ $where-$(cat "/proc/$victim/comm" 2>/dev/null) != launcher-@(mpi*|orterun) ]] || signal=${signals[RANDOM % 3]}
    where=$where$(tr '\0' '\n' 2>/dev/null <"/proc/$victim/environ" |
        sed -n 's/^\(OMPI_COMM_WORLD_RANK\|PMI_RANK\)=/ /p' | head -1)
    [ $signal = KILL ] || where="$where by SIG$signal"
    printf '%s after %s s (%s)' "$where" "$(since "$4")" "$(step_of "$2")"
    kill -$signal "$victim" 2>/dev/null
}

pause() { sleep "$(awk -v most="$1" -v r="$RANDOM" 'BEGIN { printf "%.3f", most * r / 32768 }')"; }

# From the start, before there are ranks, to the last checkpoint but one, wherever the load of the machine puts it.
wait_for_moment() # KEEPER FOLDER PROGRAM
{
    local newest target
    target=$((RANDOM % $(sed 's/.*--steps=\([0-9]*\).*/\1/' <<<"${options[$3]}") - 20))
    while [ $target -gt 0 ] && kill -0 "$1" 2>/dev/null; do
        newest=$(newest_of "$2")
        [ "${newest:-0}" -lt $target ] || break
        sleep 0.03
    done
    pause 0.1
    [ $target -gt 0 ] || pause 0.5
}

# once NUMBER: one run; prints its line
failures=0 kills=0 restarts=0 missed=0
once()
{
    local build=${builds[RANDOM % ${#builds[@]}]} program=${programs[RANDOM % ${#programs[@]}]}
    local ranks=${numbers[RANDOM % ${#numbers[@]}]} transport=${transports[RANDOM % 4]}
    local folder=run-$1 keeper begun status again hits=() wrong='' file
    mkdir -p "$folder/saved" && canaries "$folder" && canaries --checkpoints "$folder/saved"
    (start "$folder" "$build" "$program" "$ranks" "$transport" "$build/bin/pen-keep") &
    keeper=$!
    begun=$(now)
    wait_for_moment $keeper "$folder" "$program"
    hits+=("$(hit $keeper "$folder" "$program" "$begun")") && kills=$((kills + 1)) || missed=$((missed + 1))
    if [ $((RANDOM % 3)) -eq 0 ]; then # again, from the very beginning of the restart on
        for ((i = 0; i < 100; i++)); do grep -q '^pen-keep: died' "$folder/err" && break; sleep 0.02; done
        pause 0.8
        hits+=("$(hit $keeper "$folder" "$program" "$begun")") && kills=$((kills + 1)) || missed=$((missed + 1))
    fi
    wait $keeper
    status=$?
    while [ $status -eq 4 ] && [[ ${hits[*]} = *SIGTERM* ]]; do # a launcher that passes it on
        (start "$folder" "$build" "$program" "$ranks" "$transport" "$build/bin/pen-keep")
        status=$?
    done
    again=$(grep -c '^pen-keep: died' "$folder/err")
    restarts=$((restarts + again))
    [ $status -eq 0 ] || wrong="exit status $status: $(grep -E "^(pen-keep|penumbra|$program): " "$folder/err" |
        tail -2 | tr '\n' '|')"
    for file in dump observed.csv; do
        [ -n "$wrong" ] || [ ! -e "right-$program/$file" ] || cmp -s "right-$program/$file" "$folder/$file" ||
            wrong="$file differs"
    done
    printf '%3d %-8s %-11s %d %-8s %d restarts, %-5s' "$1" "${build##*/}" "$program" "$ranks" "$transport" "$again" \
        "${wrong:+WRONG}"
    printf '  %s' "${hits[@]}"
    printf '%s\n' "${wrong:+  $wrong}"
    if [ -n "$wrong" ]; then
        failures=$((failures + 1))
        [ -z "${KEEP:-}" ] || cp -r "$folder" "$KEEP/"
    fi
    remove_folder "$folder/saved"
    remove_folder "$folder"
}

undisturbed
for ((number = 1; number <= count; number++)); do once $number; done
echo "$count runs, $kills kills ($missed came too late), $restarts restarts, $failures failures"
[ $failures -eq 0 ] && [ $kills -gt 0 ]
