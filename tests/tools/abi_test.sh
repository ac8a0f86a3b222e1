#!/bin/bash
# abi_test.sh BIN SOURCE - what was built against the header of another minor version works with this library: an
# application and a plug-in are built with headers whose structures lack their last member, and with headers whose
# structures have more, and do what they do with today's. And the library exports what the headers declare, with
# versions.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)
library=$(dirname "$bin")
headers="penumbra.h penumbra_app.h penumbra_options.h penumbra_types.h penumbra_view.h penumbra_sweep.h
         penumbra_plugin.h penumbra_random.h penumbra_partition.h penumbra_checkpoint.h penumbra_output.h"

# Of these a program's own are handed to the library, or the library's to a plug-in.
# Groups stand last in their structures, and new members stand before them.
groups="pen_app_graph pen_app_end pen_app_output pen_app_checkpoint pen_balance_options pen_checkpoint_options
        pen_output_options pen_debug_options"
shorter="$groups pen_app pen_phase pen_run_options pen_balancer pen_partitioner pen_load_view"
longer="$shorter pen_field pen_option pen_observable pen_peers pen_csr pen_input_column pen_member pen_setting"

# edit KIND NAMES: copies of the headers in the folder KIND, where those structures are longer or shorter by a member,
# the last one before the groups
edit()
{
    mkdir -p "$1"
    for header in $headers; do
        awk -v kind="$1" -v "names=$2" -v "groups=$groups" '
            BEGIN {
                split(names, list, /[ \n]+/); for (i in list) wanted[list[i]] = 1
                split(groups, list, /[ \n]+/); for (i in list) group[list[i]] = 1
            }
            function flush_lines(    i) { for (i = 1; i <= held; i++) print line[i]; held = 0 }
            !inside && /^(typedef )?struct pen_[a-z_]+ \{$/ {
                name = $0; sub(/^(typedef )?struct /, "", name); sub(/ \{$/, "", name)
                if (name in wanted) { inside = 1; last = end = 0 }
            }
            !inside { print; next }
            { line[++held] = $0 }
            !end && ($1 in group || /^}/) { end = held }
            !end && /^    [^ *\/].*;|^    [a-z].*\($/ { last = held }
            /^}/ {
                if (kind == "longer") line[end] = "    const void *later[3];\n" line[end]
                else for (i = last; i < end; i++) line[i] = ""
                flush_lines()
                inside = 0
            }' "$source/runtime/include/$header" >"$1/$header"
    done
}

cat >sizes.c <<'EOF'
#include <penumbra.h>
#include <penumbra_plugin.h>
int main(void)
{
#define SIZE(type) printf(#type " %zu\n", sizeof(type))
    printf("pen_run_options %zu\n", offsetof(pen_run_options, balance));
    printf("pen_app %zu\n", offsetof(pen_app, graph));
    SIZE(pen_balance_options), SIZE(pen_checkpoint_options), SIZE(pen_output_options), SIZE(pen_debug_options);
    SIZE(pen_phase), SIZE(pen_field), SIZE(pen_option), SIZE(pen_observable);
    SIZE(pen_balancer), SIZE(pen_partitioner), SIZE(pen_load_view), SIZE(pen_peers), SIZE(pen_csr);
    SIZE(pen_input_column), SIZE(pen_member), SIZE(pen_setting);
    SIZE(pen_app_graph), SIZE(pen_app_end), SIZE(pen_app_output), SIZE(pen_app_checkpoint);
    return 0;
}
EOF
# Options of a run are where they belong, in every group, since they are used, or refused.
cat >options.c <<'EOF'
#include <penumbra.h>
static void init(const pen_view *v) { *PEN_NEXT(v, 0, double) = pen_random_real(v, 0); }
static void observe(const pen_view *v, pen_observation *o) { pen_observe_real(o, 0, *PEN_SELF(v, 0, double)); }
static const pen_field fields[] = { { "value", sizeof(double) } };
static const pen_phase phases[] = { { "draw", init, .writes = PEN_SET(0) } };
static const pen_observable sum[] = { { "sum", PEN_SUM_REAL } };
static const pen_app app = {
    .name = "options", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, PEN_OBSERVABLES(sum), .observe = observe
};
static void run(pen_graph *graph, pen_run_options options)
{
    pen_run *run = NULL;
    pen_status status = pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run);
    if (status == PEN_OK) status = pen_run_steps(run, 4);
    if (status != PEN_OK) puts(pen_error_message());
    pen_run_destroy(&run);
}
int main(int argc, char **argv)
{
    pen_graph *graph = NULL;
    MPI_Init(&argc, &argv);
    if (pen_graph_generate(MPI_COMM_WORLD, "mesh:4x4", &graph) != PEN_OK) return 1;
#ifndef LATER
    run(graph, (pen_run_options){ .seed = 7, .steps = 4,
                                  .output = { .observables = argv[1], .observables_every = 2 } });
    run(graph, (pen_run_options){ .steps = -1 });
    run(graph, (pen_run_options){ .balance.every = 3 });
    run(graph, (pen_run_options){ .checkpoint = { .folder = "x", .before = 5 } });
    run(graph, (pen_run_options){ .output = { .path = "x.csv", .observables_every = -6 } });
    run(graph, (pen_run_options){ .debug.watchdog = -7 });
#else
    run(graph, (pen_run_options){ LATER = { argv } });
#endif
    pen_graph_destroy(&graph);
    return MPI_Finalize();
}
EOF
build() # KIND: programs, plug-in and sizes with the headers in that folder
{
    mpicc -std=c11 -O1 -ffp-contract=off "-I$1" -o "$1/older" "$source/tests/consumer/older.c" \
        "$library/libpenumbra.so" "-Wl,-rpath,$library" 2>log &&
        cc -std=c11 -shared -fPIC "-I$1" -o "$1/pairwise.so" "$source/apps/examples/pairwise.c" 2>>log &&
        mpicc -std=c11 "-I$1" -o "$1/options" options.c "$library/libpenumbra.so" "-Wl,-rpath,$library" 2>>log &&
        mpicc -std=c11 "-I$1" -o "$1/sizes" sizes.c 2>>log ||
        { complain "$1: $(head -5 log)"; finish; }
    "$1/sizes" | sort >"$1.sizes"
    bin=$1 expect 0 3 older --start=500 --decay=0.75 --steps=30 "--balancer=$1/pairwise.so" \
        --balance-when=every:4:always --observables="$1.csv" --dump="$1.dump" --partitioner=block --verify
    "$1/options" "$1.observed" >"$1.refused"
    grep -q 'pairwise.so: [1-9]' out || complain "$1: the plug-in was not called: $(grep balancing out)"
}
edit now ""
edit longer "$longer"
edit shorter "$shorter"
for kind in now longer shorter; do
    build "$PWD/$kind"
    cmp -s now.dump $kind.dump && cmp -s now.csv $kind.csv && cmp -s now.observed $kind.observed &&
        cmp -s now.refused $kind.refused || complain "$kind: another result than today's"
done
for name in $longer; do
    [ "$(join now.sizes longer.sizes | awk -v "n=$name" '$1 == n && $3 == $2 + 24')" ] || complain "$name is not longer"
done
for name in $shorter; do
    [ "$(join now.sizes shorter.sizes | awk -v "n=$name" '$1 == n && $3 < $2')" ] || complain "$name is not shorter"
done

# A program that uses what this library does not have is told so.
for later in .later .graph.later .checkpoint.later; do
    sed "s/\.options = options/.options = options, $later = { options }/" "$source/tests/consumer/older.c" >newer.c
    mpicc -std=c11 -Ilonger -o now/newer newer.c "$library/libpenumbra.so" "-Wl,-rpath,$library" || complain "newer.c"
    bin=now expect 2 0 newer
    grep -q "was built for a newer version" err || complain "a newer program with $later: $(cat err)"
done

for later in .later .balance.later .checkpoint.later .output.later .debug.later; do
    mpicc -std=c11 -Ilonger "-DLATER=$later" -o now/later options.c "$library/libpenumbra.so" \
        "-Wl,-rpath,$library" || complain "options.c"
    now/later >out
    grep -q "was built for a newer version" out || complain "$later of a newer program: $(cat out)"
done

# Nor may it write rows that are longer than this library's beyond them: what it has besides is seen, or zero.
cat >rows.c <<'EOF'
#include <penumbra.h>
#ifndef LATER
#define LATER
#endif
static const char *rows(void *params, const pen_world *world, int rank, pen_csr *mine)
{
    static const pen_gid gids[] = { 1, 2 }, neighbors[] = { 2, 1 };
    static const int64_t first[] = { 0, 1, 2 };
    if (rank == 0) *mine = (pen_csr){ .count = 2, .gids = gids, .rows = first, .neighbors = neighbors, LATER };
    (void)world;
    return params ? "parameters" : NULL;
}
static void init(const pen_view *v) { *PEN_NEXT(v, 0, int) = (int)pen_id(v); }
int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "value", .size = sizeof(int) } };
    static const pen_phase phases[] = { { "same", init, .writes = PEN_SET(0) } };
    const pen_app app = { .name = "rows", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .graph.rows = rows };
    return pen_main(&app, argc, argv);
}
EOF
mpicc -std=c11 -Ilonger -o now/rows rows.c "$library/libpenumbra.so" "-Wl,-rpath,$library" &&
    mpicc -std=c11 -Ilonger '-DLATER=.later = { params, gids }' -o now/later_rows rows.c "$library/libpenumbra.so" \
        "-Wl,-rpath,$library" || complain "rows.c"
bin=now expect 0 2 rows --steps=2
bin=now expect 2 2 later_rows --steps=2
grep -q "was built for a newer version" err || complain "rows of a newer program: $(cat err)"

# Exported symbols: as declared, as listed, no others; each with a version, and the library's soname has the major one.
for header in $headers; do cat "$source/runtime/include/$header"; done | tr '\n' ' ' |
    sed 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/,,g' | grep -oE 'PEN_API [^;({]*[( *]pen_[a-z_0-9]+\(' |
    grep -oE 'pen_[a-z_0-9]+\($' | tr -d '(' | sort -u >declared
grep -oE '^ +pen_[a-z_0-9]+;' "$source/runtime/penumbra.map" | tr -d ' ;' | sort >listed
nm -D --defined-only "$library/libpenumbra.so" | awk '$2 != "A" { print $3 }' | sort >exported
[ "$(wc -l <declared)" -gt 30 ] || complain "$(wc -l <declared) declarations found"
diff declared listed >log || complain "runtime/penumbra.map beside the headers: $(head -5 log)"
sed 's/@@.*//' exported | diff listed - >log || complain "exported symbols beside runtime/penumbra.map: $(head -5 log)"
grep -v '@@PENUMBRA_[0-9.]*$' exported >log && complain "without a version: $(head -3 log)"
major=$(awk '/define PEN_VERSION_MAJOR/ { print $3 }' "$source/runtime/include/penumbra_types.h")
readelf -d "$library/libpenumbra.so" | grep -q "soname: \[libpenumbra.so.$major\]" ||
    complain "not libpenumbra.so.$major"
finish
