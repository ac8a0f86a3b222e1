#!/bin/bash
# configure_test.sh BIN SOURCE - what CMake prepares on other machines: where CC is MPI's compiler, where headers are
# in other folders or libraries are missing, and where folders have odd names. It refuses what cannot work.
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

# PT-Scotch's header may be in another folder than Scotch's. What is left out is told.
header=$(sed -n 's/^SCOTCH_INCLUDE_DIR:.*=//p' "$build/CMakeCache.txt")/scotch.h
mkdir alone && cp "$header" alone || complain "no $header"
configure other -DSCOTCH_INCLUDE_DIR="$work/alone"
! grep -q DPEN_PTSCOTCH=1 "$build/compile_commands.json" || grep -q DPEN_PTSCOTCH=1 other/compile_commands.json ||
    complain "PT-Scotch is left out: $(grep 'Left out' log)"
mpich=$(command -v mpicc.mpich)
configure "it's less" -D{PTSCOTCH,ZLIB,LZMA,ZSTD,HWLOC}_LIBRARY=OFF ${mpich:+"-DMPI_C_COMPILER=$mpich"}
[ ! "$mpich" ] || grep -q 'DEPENDS "mpich, ' "it's less/CPackConfig.cmake" ||
    complain "the package of a build with MPICH: $(grep DEPENDS "it's less/CPackConfig.cmake")"
for library in PT-Scotch ZLIB LZMA ZSTD hwloc; do
    grep -q "^-- Left out: .*$library" log || complain "of a build without $library CMake says $(grep 'Left out' log)"
done
if command -v python3 >/dev/null && command -v gzip >/dev/null; then
    cmake --build "it's less" --target pen-plot changes >log 2>&1 || complain "an apostrophe: $(tail -5 log)"
fi

refused() # WHAT SOURCES FOLDER ARGUMENT ...
{
    ! cmake -S "$2" -B "$3" "${@:4}" >log 2>&1 && grep -q "^  Penumbra is $1" log || complain "not refused: $(cat log)"
}
mkdir -p own/runtime && cp "$source/CMakeLists.txt" own && cp -r "$source/runtime/include" own/runtime
refused "built in a folder of its own" own own
! command -v ninja >/dev/null || refused "built in one configuration per folder" own several -G "Ninja Multi-Config"
finish
