#!/bin/bash
# run.sh - do the tests bite? Applies each mutant of mutants.txt to a copy of the project, builds it, and
# runs the test that must fail; before that, the test must pass.
#
#     run.sh SCRATCH [NAME ...]     NAME: only mutants whose names contain one of the words
#
# Exit status 1 where a mutant survives, does not compile, or does not match its file exactly once.
# The environment may name CMAKE, GENERATOR, CC and MPIEXEC; and PART=N: a commit tries every Nth mutant, the next
# commit the ones behind them. That each mutant stands in its file exactly once, is looked at for all.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
scratch=${1:?usage: run.sh SCRATCH [NAME ...]}
shift
words=("$@")
tries=5 # a race may need luck
cmake=${CMAKE:-cmake}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1

fail() { echo "mutants: $*" >&2; exit 1; }

# The copy, in which only what differs is touched, so that a second run compiles little; also what an
# earlier run left mutated, if it was ended.
copy_sources()
{
    local file
    while IFS= read -r -d '' file; do
        cmp -s "$root/$file" "source/$file" && continue
        mkdir -p "source/$(dirname "$file")" && cp "$root/$file" "source/$file" || fail "cannot copy $file"
    done < <(cd "$root" && find CMakeLists.txt LICENSE runtime directory balance apps tools tests -type f -print0)
}

# build FLAGS PROGRAM: in a folder for the flags
build()
{
    folder=build${1:+-${1//[^A-Za-z0-9]/_}}
    [ -e "$folder/CMakeCache.txt" ] ||
        "$cmake" -S source -B "$folder" ${GENERATOR:+-G "$GENERATOR"} ${CC:+-DCMAKE_C_COMPILER="$CC"} \
            -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O0 -w $1" >log 2>&1 || { rm -rf "$folder"; return 1; }
    "$cmake" --build "$folder" --target "$2" --parallel 2 >log 2>&1
}

# launch: runs $run of the last build
launch()
{
    # shellcheck disable=SC2086
    timeout 30 "${MPIEXEC:-mpiexec}" -n "$ranks" $mpi "$folder/bin/"$run >log 2>&1 </dev/null
}

number=0 part=${PART:-1}
commit=$(git -C "$root" rev-list --count HEAD 2>/dev/null || echo 0)

wanted()
{
    local word
    number=$((number + 1))
    [ $(((number + commit) % part)) -eq 0 ] || return 1
    [ ${#words[@]} -eq 0 ] && return 0
    for word in "${words[@]}"; do [[ $name = *"$word"* ]] && return 0; done
    return 1
}

killed=0 failures=0
declare -A passes

stands_once()
{
    local content rest
    content=$(<"source/$file")
    rest=${content#*"$old"}
    [ "$rest" != "$content" ] && [ "${rest#*"$old"}" = "$rest" ] ||
        { echo "mutants: $name: its lines do not stand in $file exactly once" >&2; return 1; }
}

try_mutant()
{
    local content built=1 try program=${run%% *} key="$ranks|$mpi|$run|$flags"
    content=$(<"source/$file")

    if [ -z "${passes[$key]:-}" ]; then
        build "$flags" "$program" || { echo "mutants: the code does not compile" >&2; tail -20 log >&2; return 1; }
        launch || { echo "mutants: $run fails ($?) without any mutant" >&2; head -20 log >&2; return 1; }
        passes[$key]=1
    fi

    printf '%s\n' "${content/"$old"/"$new"}" >"source/$file"
    build "$flags" "$program" || built=0
    if [ $built -eq 0 ]; then
        echo "mutants: $name: does not compile" >&2
        tail -20 log >&2
    else
        for ((try = 1; try <= tries; try++)); do launch || break; done
    fi
    cp "$root/$file" "source/$file"
    [ $built -eq 1 ] || return 1
    [ $try -le $tries ] || { echo "mutants: $name: SURVIVES $run" >&2; return 1; }
    echo "found  $name ($(grep -m 1 -o 'rank [0-9]*: .*' log | cut -c -60))"
    killed=$((killed + 1))
}

reset() { name='' ranks=3 run='' mpi='' flags='' file='' old='' new=''; }

finish_block()
{
    if [ -n "$name" ]; then
        if ! stands_once; then
            failures=$((failures + 1))
        elif wanted; then
            try_mutant || failures=$((failures + 1))
        fi
    fi
    reset
}

mkdir -p "$scratch" && cd "$scratch" || fail "no folder $scratch"
copy_sources
reset
while IFS= read -r line; do
    case $line in
    '#'*) ;;
    '') finish_block ;;
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
finish_block
echo "$killed mutants found, $failures failures"
[ $failures -eq 0 ] && [ $killed -gt 0 ]
