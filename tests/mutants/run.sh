#!/bin/bash
# run.sh - do the tests bite? Puts the mutants of mutants.txt into a copy of the project, and with each runs the test
# that must fail, by its own word: a crash, an abort or a time-out does not count. Without the mutant the test must
# pass, as often as it is tried with it. A drawn mutant (draw.py) is run against all tests of its folder, and anything
# that fails has found it. Mutants that stand in one function are built at once (plant.py), the others one by one.
#
#     run.sh SCRATCH [NAME ...]     NAME: only mutants whose names contain one of the words
#
# Exit status 1 where a mutant survives, does not compile, or does not match its file exactly once. A mutant that
# survives a test which left something out because the machine was busy is told as skipped. Drawn mutants that survive
# are told with their lines; the exit status is 1 where they are more than a fourth.
# MUTANTS in the environment names another file of mutants, or /dev/stdin.
# The environment may name CMAKE, CTEST, GENERATOR, CC, MPICC and MPIEXEC; and PART=N: only every Nth mutant is tried,
# from the one that SHARE=K says, and with 0 none. That each mutant stands in its file exactly once, is looked at for
# all.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
scratch=${1:?usage: run.sh SCRATCH [NAME ...]}
shift
words=("$@")
cmake=${CMAKE:-cmake}
ctest=${CTEST:-ctest}
. "$here/../support/launch.sh"
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1
unset PEN_TEST_SOAK # a night's length, which no mutant needs

fail() { echo "mutants: $*" >&2; exit 1; }

# build: $targets, in a folder for the flags
build()
{
    folder=build${flags:+-${flags//[^A-Za-z0-9]/_}}${guards:+-checking}
    local optimized=-O0
    [ -z "$guards" ] || optimized=-O1 # each of their tests runs often
    [ -e "$folder/CMakeCache.txt" ] ||
        "$cmake" -S source -B "$folder" ${GENERATOR:+-G "$GENERATOR"} ${CC:+-DCMAKE_C_COMPILER="$CC"} \
            ${MPICC:+-DMPI_C_COMPILER="$MPICC"} ${MPIEXEC:+-DMPIEXEC_EXECUTABLE="$MPIEXEC"} \
            ${guards:+-DPEN_CHECKING=ON} -DPEN_TESTS=ON -DCMAKE_BUILD_TYPE=Debug \
            -DCMAKE_C_FLAGS_DEBUG="$optimized -w $flags" >log 2>&1 ||
        { rm -rf "$folder"; return 1; }
    # shellcheck disable=SC2086
    "$cmake" --build "$folder" --target $targets --parallel 2 >log 2>&1
}

# launch [OPTION]: runs the test once with the last build, for at most $limit seconds. 0: it passes; 1: it fails by its
# own word; 2: in another way, or it was skipped
launch()
{
    local status
    # shellcheck disable=SC2086
    if [ -n "$test" ]; then
        (cd "$folder" && "$ctest" -R "^$test(\.10000)?\$" --stop-time "$(date -d "$limit seconds" +%T)" --verbose) \
            >log 2>&1 </dev/null
        grep -q '^ *1/1 Test.* Passed ' log && return 0
        # what was killed within a shell test, too
        grep -q '^ *1/1 Test.*\*\*\*Failed ' log &&
            ! grep -q -e 'status[^0-9]*1\(2[4-9]\|3[0-9]\)\>' -e 'Test failed with exception' log && return 1
    elif [ -n "$explore" ]; then
        # shellcheck disable=SC2086
        timeout "$limit" "$folder/bin/explore" --stop --seeds=300 $explore >log 2>&1 </dev/null && return 0
        grep -q '^FAILED (exit status' log && return 1
    elif [ -n "$guards" ]; then
        "$here/guards.py" $1 "$folder" "$guards" >log 2>&1 </dev/null && return 0
        return 1
    else
        timeout "$limit" "${MPIEXEC:-mpiexec}" -n "$ranks" $mpi "$folder/bin/"$run >log 2>&1 </dev/null
        status=$?
        [ $status -eq 0 ] && return 0
        [ $status -eq 1 ] && grep -q 'Exit code: *1$' log && ! grep -q 'MPI_ABORT was invoked' log && return 1
        grep -q '_test\.c:[0-9]*: rank [0-9]*, ' log && return 1 # though another rank crashed
    fi
    return 2
}

part=${PART:-1} share=${SHARE:-0}

wanted()
{
    local word
    [ $part -gt 0 ] && [ $(((number + share) % part)) -eq 0 ] || return 1
    [ ${#words[@]} -eq 0 ] && return 0
    for word in "${words[@]}"; do [[ $name = *"$word"* ]] && return 0; done
    return 1
}

killed=0 failures=0 survivors=0
declare -A passed planted

# exchange FILE: prints it with the new lines in place of the old ones; fails where they do not stand in it exactly
# once.
exchange()
{
    OLD=$old NEW=$new awk '
        { text = text $0 "\n" }
        END {
            at = index(text, ENVIRON["OLD"])
            behind = at + length(ENVIRON["OLD"])
            if (!at || index(substr(text, behind), ENVIRON["OLD"])) exit 1
            printf "%s%s%s", substr(text, 1, at - 1), ENVIRON["NEW"], substr(text, behind)
        }' "$1"
}

stands_once()
{
    exchange "$root/$file" >/dev/null ||
        { echo "mutants: $name: its lines do not stand in $file exactly once" >&2; return 1; }
}

# tell_failed TEXT: what was launched last, and the end of what it said
tell_failed() { echo "mutants: ${test:-${explore:-${run:-$guards}}} $1" >&2; tail -20 log >&2; }

# passes: whether the unmutated test passes as often as the mutant is tried; each time it may fail once, since a busy
# machine fails a test of times that has passed in the run of all tests. The mutant then has ten times its
# seconds, and where it waits for what never comes, less patience.
passes()
{
    local try begun
    limit=1000
    unset PEN_TEST_PATIENCE PEN_MUTANT
    build || { echo "mutants: the code does not compile" >&2; tail -20 log >&2; return 1; }
    for ((try = 1; try <= tries; try++)); do
        begun=$SECONDS
        launch --baseline || { tell_failed "fails without any mutant, and is tried again" && launch --baseline; } ||
            { tell_failed "does not pass without any mutant"; return 1; }
    done
    passed[$key]=$((20 + 10 * (SECONDS - begun)))
}

try_mutant()
{
    local built=1 found='' try key="$ranks|$mpi|$run|$test|$explore|$guards|$flags|$tries"
    [ -n "${passed[$key]:-}" ] || passes || return 1
    limit=${passed[$key]}
    export PEN_TEST_PATIENCE=2

    if [ -n "${planted[$number]:-}" ]; then
        export PEN_MUTANT=$number
    else
        cp "source/$file" other && exchange "$root/$file" >"source/$file"
    fi
    build || built=0
    if [ $built -eq 0 ]; then
        echo "mutants: $name: does not compile" >&2
        tail -20 log >&2
    else
        for ((try = 1; try <= tries; try++)); do
            launch ''
            [ $? -ne 1 ] || { found=1; break; }
        done
    fi
    [ -n "${planted[$number]:-}" ] || cp other "source/$file"
    [ $built -eq 1 ] || return 1
    if [ -z "$found" ] && grep -q ': skipped: .*busy machine' log; then # the test may have left out what finds it
        echo "mutants: skipped: $name: $(sed -n 's/.*: skipped: \(.*busy machine\)/\1/p' log | head -1)" >&2
        return 0
    fi
    if [ -z "$found" ] && [ -n "$guards" ]; then
        printf '%s\n' "SURVIVES  $name" "-${old//$'\n'/$'\n'-}" "+${new//$'\n'/$'\n'+}"
        survivors=$((survivors + 1))
        return 0
    fi
    [ -n "$found" ] || { echo "mutants: $name: SURVIVES ${test:-${explore:-$run}}" >&2; tail -20 log >&2; return 1; }
    echo "found  $name${guards:+  by $(tail -1 log)}"
    killed=$((killed + 1))
}

reset()
{
    name='' ranks=3 run='' test='' explore='' guards='' targets='' mpi='' flags='' tries=1 file='' old='' new=''
}

finish_block()
{
    if [ -n "$name" ]; then
        number=$((number + 1))
        if ! stands_once; then
            failures=$((failures + 1))
        elif wanted; then
            try_mutant || failures=$((failures + 1))
        fi
    fi
    reset
}

mkdir -p "$scratch" && cd "$scratch" || fail "no folder $scratch"
cat "${MUTANTS:-$here/mutants.txt}" >mutants.txt
rm -f build*/guards.json # what was noted of other sources
if [ $part -gt 0 ]; then
    numbers=$("$here/plant.py" mutants.txt "$root" source) || fail "they cannot be planted"
    for number in $numbers; do planted[$number]=1; done
fi
number=0
reset
while IFS= read -r line; do
    case $line in
    '#'*) ;;
    '') finish_block ;;
    'mutant: '*) name=${line#*: } ;;
    'ranks: '*) ranks=${line#*: } ;;
    'run: '*) run=${line#*: } targets=${targets:-${run%% *}} ;;
    'test: '*) test=${line#*: } targets=${targets:-$test} ;;
    'explore: '*) explore=${line#*: } targets=${targets:-explore} ;;
    'guards: '*) guards=${line#*: } targets=$("$here/guards.py" --targets "$guards") ;;
    'build: '*) targets=${line#*: } ;;
    'tries: '*) tries=${line#*: } ;;
    'mpi: '*) mpi=${line#*: } ;;
    'flags: '*) flags=${line#*: } ;;
    'file: '*) file=${line#*: } ;;
    -*) old+=${old:+$'\n'}${line#-} ;;
    +*) new+=${new:+$'\n'}${line#+} ;;
    *) fail "mutants.txt: what is this line? $line" ;;
    esac
done <mutants.txt
finish_block
echo "$killed mutants found, $failures failures"
[ $survivors -eq 0 ] || echo "$survivors drawn mutants survive"
[ $failures -eq 0 ] && [ $((killed > 0)) -eq $((part > 0)) ] && [ $((3 * survivors)) -le $killed ]
