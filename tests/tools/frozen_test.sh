#!/bin/bash
# frozen_test.sh BIN SOURCE - programs in C, C++ and Python of earlier versions run with this library (tests/frozen): if
# they are compiled again, and as they were compiled then, or with one sentence if a structure has grown since. Of this
# version, which is not released yet, the headers are as they are kept.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)
library=$(dirname "$bin")
refusal="the program was compiled with headers that do not fit this library, Penumbra [0-9.]*: compile it again"
python=
for candidate in python3 /usr/bin/python3; do
    [ "$python" ] || ! "$candidate" -c 'import numba' 2>/dev/null || python=$candidate
done
launch=("${MPIEXEC:-mpiexec}" -n 3)
present=$(awk '/^#define PEN_VERSION_(MAJOR|MINOR|PATCH) / { text = text point $3; point = "." } END { print text }' \
    "$source/runtime/include/penumbra_basics.h")

# build COMPILER STANDARD SOURCE HEADERS PROGRAM
build()
{
    "$1" "-std=$2" -ffp-contract=off "-I$4" -o "$5" "$3" "$library/libpenumbra.so" "-Wl,-rpath,$library" 2>log ||
        { complain "$3 with the headers of $4: $(head -5 log)"; return 1; }
}

# try NAME PROGRAM ANY: it ends well; or ANY=refused, and the library refuses it
try()
{
    patiently 60 "${launch[@]}" "$2" >"$out" 2>"$err" </dev/null
    status=$?
    [ $status -ne 0 ] || return 0
    [ "$3" = refused ] && grep -q "$refusal" "$err" && return
    complain "$1: exit status $status: $(head -5 "$err")"
}

# check FOLDER VERSION
check()
{
    local kind compiler standard
    for kind in c:mpicc:c11 cpp:mpicxx:c++17; do
        IFS=: read -r kind compiler standard <<<"$kind"
        command -v "$compiler" >/dev/null || { leave_out "no $compiler: program.$kind"; continue; }
        build "$compiler" "$standard" "$1/program.$kind" "$source/runtime/include" "./now.$kind" &&
            try "$2: program.$kind, compiled again" "./now.$kind" ""
        build "$compiler" "$standard" "$1/program.$kind" "$1/include" "./then.$kind" &&
            try "$2: program.$kind" "./then.$kind" "$([ "$2" = "$present" ] || echo refused)"
    done
    if [ "$python" ]; then try_python "$1/program.py" "$2"; else leave_out "no Python with Numba: program.py"; fi
}

# try_python PROGRAM VERSION: two numbers of ranks have the same states
try_python()
{
    local ranks
    for ranks in 1 2; do
        PYTHONPATH=$library/lib/python3/dist-packages patiently 60 "${MPIEXEC:-mpiexec}" -n $ranks \
            "$python" "$1" --generate=torus:16x12 --until="t>=5" --quiet --dump=dump.$ranks --verify >"$out" 2>"$err" ||
            complain "$2: program.py on $ranks ranks: $(head -5 "$err")"
    done
    cmp dump.1 dump.2 || complain "$2: program.py: other results on 2 ranks"
}

kept=0
for folder in "$source"/tests/frozen/[0-9]*/; do
    [ -d "$folder" ] || continue
    version=$(basename "$folder") kept=$((kept + 1))
    check "${folder%/}" "$version"
    [ "$version" != "$present" ] || diff -rq "$source/runtime/include" "$folder/include" >log ||
        complain "the public headers differ from those kept for $version ($(head -1 log)). Before its release, keep" \
            "them again: tests/frozen/freeze.sh. After it, the next version begins: raise PEN_VERSION"
done
if [ $kept -eq 0 ]; then # no version is kept yet: the present headers stand for one
    bash "$source/tests/frozen/freeze.sh" "$work/kept" && check "$work/kept" "$present"
    sed -i 's/^} pen_run_options;$/    const void *later;\n&/' kept/include/penumbra_options.h
    build mpicc c11 kept/program.c kept/include ./longer && try "a structure that has grown" ./longer refused
    grep -q "$refusal" "$err" || complain "a program with longer structures was not refused: $(head -2 "$err")"
fi
finish
