#!/bin/bash
# abi_test.sh BIN SOURCE - a program or a plug-in that was compiled with other structures than the library's is refused
# with one sentence, and changes nothing. And the library exports what the headers declare, with versions.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)
library=$(dirname "$bin")
headers="penumbra.h penumbra_app.h penumbra_options.h penumbra_basics.h penumbra_nodes.h penumbra_mail.h
         penumbra_plugin.h penumbra_random.h penumbra_partition.h penumbra_checkpoint.h
         penumbra_output.h"

# longer STRUCTURE FOLDER: copies of the headers in which this structure has one member more
longer()
{
    mkdir -p "$2"
    for header in $headers; do
        sed "s/^} $1;\$/    const void *later;\n&/" "$source/runtime/include/$header" >"$2/$header"
    done
    [ "$(cat "$2"/*.h | grep -c ' \*later;')" -eq 1 ] || complain "$1 did not grow"
}
build() # FOLDER FILE OUTPUT FLAGS ...: with the headers in this folder
{
    mpicc -std=c11 "-I$1" -o "$3" "$2" "${@:4}" "$library/libpenumbra.so" "-Wl,-rpath,$library" 2>log ||
        { complain "$2: $(head -5 log)"; finish; }
}

# Every function that takes a structure.
cat >calls.c <<'CALLS'
#include <penumbra.h>
#include <penumbra_checkpoint.h>
#include <penumbra_partition.h>
static void tell(pen_status status) { printf("%s %s\n", pen_status_name(status), pen_error_message()); }
int main(int argc, char **argv)
{
    pen_graph *graph = NULL, *made = NULL;
    pen_run *run = NULL;
    pen_options *options = NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
    int32_t part[16] = { 0 };
    pen_partition_metrics metrics;
    static const pen_app app = { .name = "calls" };
    MPI_Init(&argc, &argv);
    if (pen_graph_generate(comm, "mesh:4x4", &graph) != PEN_OK) return 1;
    tell(pen_graph_read(comm, "x", &(pen_read_options){ .directed = true }, &made));
    tell(pen_graph_from_csr(comm, &(pen_csr){ .count = 1 }, &made));
    tell(pen_run_create(comm, graph, &app, NULL, &run));
    tell(pen_run_load(comm, "x", &app, NULL, &run));
    tell(pen_options_parse(&app, argc, argv, &options));
    tell(pen_graph_rebalance(graph, NULL, part));
    tell(pen_partition_quality(graph, NULL, NULL, 1, part, &metrics));
    if (made || run) puts("made");
    pen_options_destroy(&options);
    pen_graph_destroy(&graph);
    return MPI_Finalize();
}
CALLS
refusal="PEN_ERR_UNSUPPORTED the program was compiled with headers that do not fit this library, Penumbra [0-9.]*: \
compile it again"
build "$source/runtime/include" calls.c calls
bin=. expect 0 0 calls
! grep -q "$refusal" out || complain "a program with this library's headers: $(cat out)"
for structure in pen_run_options pen_phase pen_csr pen_view pen_mesh; do
    longer $structure $structure
    build $structure calls.c $structure/calls
    bin=$structure expect 0 0 calls
    [ "$(grep -c "^$refusal" out)" -eq 7 ] || complain "$structure is longer: $(cat out)"
done

# A whole program, and a plug-in.
build pen_phase "$source/apps/heat.c" pen_phase/heat
bin=pen_phase expect 2 2 heat --generate=hex:9x9 --dump=dump
grep -q "compile it again" err && [ ! -e dump ] || complain "heat: $(cat err)"
for structure in "" pen_load_view; do
    [ ! "$structure" ] || longer $structure $structure
    cc -std=c11 -shared -fPIC "-I${structure:-$source/runtime/include}" -o "pairwise$structure.so" \
        "$source/apps/examples/pairwise.c" || complain pairwise.c
done
expect 0 2 hex --generate=hex:9x9 --steps=9 --balancer=./pairwise.so --balance-when=every:4:always
grep -q 'pairwise.so: [1-9]' out || complain "the plug-in was not called: $(grep balancing out)"
expect_mistake "pairwisepen_load_view.so was built for ABI" 2 hex --generate=hex:9x9 \
    --balancer=./pairwisepen_load_view.so

# Exported symbols: as declared, as listed, no others; each with a version, and the library's soname has the major one.
for header in $headers; do cat "$source/runtime/include/$header"; done | tr '\n' ' ' |
    sed 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/,,g' | grep -oE 'PEN_API [^;({]*[( *]pen_[a-z_0-9]+\(' |
    grep -oE 'pen_[a-z_0-9]+\($' | tr -d '(' | sort -u >declared
grep -oE '^ +pen_[a-z_0-9]+;' "$source/runtime/penumbra.map" | tr -d ' ;' | sort >listed
nm -D --defined-only "$library/libpenumbra.so" | awk '$2 != "A" { print $3 }' | sort >exported
[ "$(wc -l <declared)" -gt 30 ] || complain "$(wc -l <declared) declarations found"
diff declared listed >log || complain "runtime/penumbra.map differs from the headers: $(head -5 log)"
sed 's/@@.*//' exported | diff listed - >log ||
    complain "exported symbols differ from runtime/penumbra.map: $(head -5 log)"
grep -v '@@PENUMBRA_[0-9.]*$' exported >log && complain "without a version: $(head -3 log)"
major=$(awk '/define PEN_VERSION_MAJOR/ { print $3 }' "$source/runtime/include/penumbra_basics.h")
readelf -d "$library/libpenumbra.so" | grep -q "soname: \[libpenumbra.so.$major\]" ||
    complain "not libpenumbra.so.$major"
finish
