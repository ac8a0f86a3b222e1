#!/bin/bash
# run.sh - do the tests bite? Applies each mutant of mutants.txt to a copy of the sources, rebuilds what
# depends on the changed file, and runs the test that must fail; before that, the test must pass.
#
#     run.sh SCRATCH [NAME ...]     NAME: only mutants whose names contain one of the words
#
# Exit status 1 where a mutant survives, does not compile, or does not match its file exactly once.
# The environment may name MPICC, MPIEXEC, INCLUDES (-I ...) and LIBRARIES.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
scratch=${1:?usage: run.sh SCRATCH [NAME ...]}
shift
tries=5    # a race may need luck
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1

fail() { echo "mutants: $*" >&2; exit 1; }

mkdir -p "$scratch" && cd "$scratch" || fail "no folder $scratch"
for folder in runtime directory balance tests/mpi tests/support; do
    mkdir -p "source/$folder"
    # Only what differs, so that a second run compiles nothing anew; and what is gone goes.
    cp -Ru "$root/$folder/." "source/$folder" || fail "cannot copy $folder"
done

sources=() boxes=()
while IFS= read -r file; do sources+=("$file"); done < <(cd "$root" && find runtime directory balance -name '*.c' | sort)
while IFS= read -r folder; do boxes+=(-I"source/$folder"); done < <(
    cd "$root" && find runtime directory balance tests/support -name '*.h' -exec dirname {} + | sort -u)
# shellcheck disable=SC2086  # INCLUDES and LIBRARIES are lists
compile() # OBJECT SOURCE [FLAG ...]
{
    "${MPICC:-mpicc}" -std=c11 -O0 -ffp-contract=off -w -MMD -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE \
        -DPEN_VERSION='"mutant"' "${boxes[@]}" ${INCLUDES:-} "${@:3}" -c -o "$1" "$2"
}

object() { local name=${1%.c}; echo "${name//\//_}.o"; }

# Compile into FOLDER those of the library and the test programs that depend on FILE ("": everything
# that is older than what it depends on), two at a time.
build() # FOLDER FILE [FLAG ...]
{
    local folder=$1 changed=$2 failed=0 file made
    mkdir -p "$folder"
    for file in "${sources[@]}" tests/mpi/run_test.c tests/mpi/poison_test.c; do
        made=base/$(object "$file")
        if [ -n "$changed" ]; then
            [ "$file" = "$changed" ] || { [ $# -gt 2 ] && [[ $file = tests/* ]]; } ||
                grep -q -F "source/$changed" "${made%.o}.d" || continue
        elif [ -f "$made" ] && ! newer_than "$made"; then
            continue
        fi
        while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n || failed=1; done
        compile "$folder/$(object "$file")" "source/$file" "${@:3}" &
    done
    while [ -n "$(jobs -p)" ]; do wait -n || failed=1; done
    return $failed
}

newer_than() # OBJECT: is anything that it was made of newer?
{
    local part
    for part in $(sed 's/^[^:]*://; s/\\$//' "${1%.o}.d"); do [ "$part" -nt "$1" ] && return 0; done
    return 1
}

link() # FOLDER PROGRAM: its objects before those of base
{
    local objects=() file name
    for file in "${sources[@]}" "tests/mpi/$2.c"; do
        name=$(object "$file")
        if [ -f "$1/$name" ]; then objects+=("$1/$name"); else objects+=("base/$name"); fi
    done
    # shellcheck disable=SC2086
    "${MPICC:-mpicc}" -o "$1/$2" "${objects[@]}" ${LIBRARIES:--lmetis} -lm
}

launch() # FOLDER MPI-ARGUMENTS PROGRAM-AND-ARGUMENTS
{
    # shellcheck disable=SC2086
    timeout 30 "${MPIEXEC:-mpiexec}" -n $ranks $2 "$1"/$3 >"$1/log" 2>&1 </dev/null
}

wanted() # NAME WORD ...
{
    local name=$1 word
    shift
    [ $# -eq 0 ] && return 0
    for word; do [[ $name = *"$word"* ]] && return 0; done
    return 1
}

killed=0 bad=0
declare -A passes

try_mutant()
{
    local content rest folder=mutant mutated=0 try program=${run%% *}
    content=$(<"source/$file")
    rest=${content#*"$old"}
    [ "$rest" != "$content" ] && [ "${rest#*"$old"}" = "$rest" ] ||
        { echo "mutants: $name: its lines do not stand in $file exactly once" >&2; return 1; }
    rm -rf mutant control && mkdir mutant

    # The control: the same test of the code as it is.
    if [ -z "${passes[$ranks|$mpi|$run|$flags]:-}" ]; then
        # shellcheck disable=SC2086
        [ -z "$flags" ] || build control "$file" $flags || return 1
        mkdir -p control && link control "$program" || return 1
        launch control "$mpi" "$run" ||
            { echo "mutants: $run fails ($?) without any mutant:" >&2; head -20 control/log >&2; return 1; }
        passes[$ranks|$mpi|$run|$flags]=1
    fi

    printf '%s\n' "${content/"$old"/"$new"}" >"source/$file"
    touch -d @0 "source/$file" # so that the copy at the start replaces it if this is where the script ends
    # shellcheck disable=SC2086
    build mutant "$file" $flags || mutated=1
    printf '%s\n' "$content" >"source/$file"
    touch -r "$root/$file" "source/$file"
    [ $mutated -eq 0 ] && link mutant "$program" || { echo "mutants: $name: does not compile" >&2; return 1; }
    for ((try = 1; try <= tries; try++)); do
        if ! launch mutant "$mpi" "$run"; then
            echo "found  $name ($(grep -m 1 -o 'rank [0-9]*: .*' mutant/log | cut -c -60))"
            killed=$((killed + 1))
            return 0
        fi
    done
    echo "mutants: $name: SURVIVES $run" >&2
    return 1
}

build base "" || fail "the code does not compile"

name='' ranks=3 run='' mpi='' flags='' file='' old='' new=''
selected=("$@")
finish()
{
    if [ -n "$name" ] && wanted "$name" "${selected[@]}"; then try_mutant || bad=$((bad + 1)); fi
    name='' ranks=3 run='' mpi='' flags='' file='' old='' new=''
}
while IFS= read -r line || [ -n "$line" ]; do
    case $line in
    '#'*) ;;
    '') finish ;;
    'mutant: '*) name=${line#*: } ;;
    'ranks: '*) ranks=${line#*: } ;;
    'run: '*) run=${line#*: } ;;
    'mpi: '*) mpi=${line#*: } ;;
    'flags: '*) flags=${line#*: } ;;
    'file: '*) file=${line#*: } ;;
    -*) old+=${old:+$'\n'}${line#-} ;;
    +*) new+=${new:+$'\n'}${line#+} ;;
    *) fail "mutants.txt: what is this line? $line" ;;
    esac
done <"$here/mutants.txt"
finish
echo "$killed mutants found, $bad failures"
[ $bad -eq 0 ] && [ $killed -gt 0 ]
