#!/bin/bash
# configure_test.sh BIN SOURCE - what CMake prepares on other machines: where CC is MPI's compiler.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)
build=$(dirname "$bin")
configure() # FOLDER ARGUMENT ...
{
    cmake -S "$source" -B "$1" "${@:2}" >log 2>&1 || { complain "cmake ${*:2}: $(tail -5 log)"; finish; }
}

# With MPI's compiler for everything, the library is the same: users need not have that compiler.
configure mine -DCMAKE_C_COMPILER="$(sed -n 's/^MPI_C_COMPILER:.*=//p' "$build/CMakeCache.txt")"
diff "$build/tools/package/penumbra.pc" mine/tools/package/penumbra.pc >differences ||
    complain "penumbra.pc with CC=mpicc (>): $(cat differences)"
finish
