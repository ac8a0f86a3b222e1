/* p4est.c - what it costs that a graph is explicit: the mesh of the application shock, which follows a wave, as the
 * graph of a run and as a forest of p4est, whose neighbours are arithmetic.
 *
 *     mpirun -n 2 p4est_bench [--grid=WxH] [--depth=N] [--steps=N] [--balancer=NAME]
 *
 * In each step both, one after the other, go from the mesh before to the next one and hand the masses of cells on; then
 * cells are shared out anew. A run sweeps its modify phase, with the far reads that this needs, and changes, and calls
 * the balancer. A forest is coarsened and refined, told by the same function what to split; balanced 2:1; partitioned;
 * and its ghosts are found and get their masses, as shadows have theirs behind the other two. What is told to it is
 * balanced already, which it does not know: there is a line without that, too. Its trees are as large as the grid
 * allows, 8x8 coarse cells of 1000x1000, since it is the faster the fewer trees there are.
 *
 * Printed are, of the slowest rank, the medians over the steps behind the first one, cells adapted (born or gone) per
 * second, the median of the steps' ratios, and what both take in memory when they are made. Cells and masses must be
 * the same in the end. */
#include "apps/shock/shock.h"
#include "base/status.h"
#include "tests/bench/bench.h"

#include <stdlib.h>

#include <p4est_bits.h>
#include <p4est_extended.h>
#include <p4est_ghost.h>

typedef struct forest {
    mesh mesh;
    int64_t k;   /* of the mesh that is being made */
    int32_t top; /* the forest's level of a coarse cell */
    p4est_connectivity_t *trees;
    p4est_t *p4est;
    p4est_ghost_t *ghost;
    int64_t *ghost_masses;
} forest;

/* What a step takes, in seconds; the order of the table. */
enum { ADAPT, BALANCE, PARTITION, GHOST, FOREST, MODIFY, SHARE, RUN, PARTS };
static const char *const part_names[PARTS] = {
    "p4est: coarsen and refine", "p4est: 2:1 balance", "p4est: partition", "p4est: ghost", "p4est: all",
    "penumbra: modify phase",    "penumbra: balancer", "penumbra: all"
};

/* Of a mesh: cells, and the sum of a hash of each with its mass. */
typedef struct totals {
    int64_t cells, born, hash;
} totals;

static int64_t hash(const mesh *m, cell c, int64_t mass)
{
    uint64_t v = (uint64_t)pen_mesh_gid(m, c) * UINT64_C(0x9E3779B97F4A7C15) ^
                 (uint64_t)mass * UINT64_C(0xC2B2AE3D27D4EB4F);
    v = (v ^ v >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (int64_t)((v ^ v >> 32) >> 20); /* sums of these fit */
}

/* ---- The forest ------------------------------------------------------------------------------- */

static int64_t *mass_of(p4est_quadrant_t *q) { return (int64_t *)q->p.user_data; }

static cell cell_of(const forest *f, p4est_topidx_t tree, const p4est_quadrant_t *q)
{
    const double *corner = &f->trees->vertices[3 * f->trees->tree_to_vertex[P4EST_CHILDREN * tree]];
    int shift = P4EST_MAXLEVEL - q->level;
    return (cell){ q->level - f->top, ((int32_t)corner[0] << q->level) + (q->x >> shift),
                   ((int32_t)corner[1] << q->level) + (q->y >> shift) };
}

static void start_mass(p4est_t *p4est, p4est_topidx_t tree, p4est_quadrant_t *q)
{
    *mass_of(q) = (cell_of((const forest *)p4est->user_pointer, tree, q).x + INT64_C(1)) * MESH_UNIT;
}

static int is_split(p4est_t *p4est, p4est_topidx_t tree, p4est_quadrant_t *q)
{
    const forest *f = (const forest *)p4est->user_pointer;
    return pen_mesh_split(&f->mesh, f->k, cell_of(f, tree, q));
}

static int merges(p4est_t *p4est, p4est_topidx_t tree, p4est_quadrant_t *family[])
{
    const forest *f = (const forest *)p4est->user_pointer;
    cell c = cell_of(f, tree, family[0]);
    return c.level > 0 && !pen_mesh_split(&f->mesh, f->k, pen_mesh_ancestor(c, c.level - 1));
}

static void hand_on(p4est_t *p4est, p4est_topidx_t tree, int from, p4est_quadrant_t *old[], int to,
                    p4est_quadrant_t *born[])
{
    int64_t mass = 0;
    for (int i = 0; i < from; i++) mass += *mass_of(old[i]);
    for (int j = 0; j < to; j++) *mass_of(born[j]) = mass / to + (j < mass % to);
}

static void forget_ghosts(forest *f)
{
    if (f->ghost) p4est_ghost_destroy(f->ghost);
    free(f->ghost_masses);
    f->ghost = NULL;
    f->ghost_masses = NULL;
}

static void plant(forest *f)
{
    while ((f->mesh.width >> f->top & 1) == 0 && (f->mesh.height >> f->top & 1) == 0 && f->top < 10) f->top++;
    sc_init(MPI_COMM_WORLD, 0, 0, NULL, SC_LP_ERROR);
    p4est_init(NULL, SC_LP_ERROR);
    f->trees = p4est_connectivity_new_brick((int)(f->mesh.width >> f->top), (int)(f->mesh.height >> f->top), 0, 0);
    f->p4est = p4est_new_ext(MPI_COMM_WORLD, f->trees, 0, f->top, 1, sizeof(int64_t), start_mass, f);
}

/* Seconds of this rank into parts[]. */
static void grow(forest *f, double parts[PARTS])
{
    double times[5];
    forget_ghosts(f);
    times[0] = MPI_Wtime();
    p4est_coarsen_ext(f->p4est, 1, 0, merges, NULL, hand_on);
    p4est_refine_ext(f->p4est, 1, f->top + f->mesh.depth, is_split, NULL, hand_on);
    times[1] = MPI_Wtime();
    p4est_balance_ext(f->p4est, P4EST_CONNECT_FACE, NULL, hand_on);
    times[2] = MPI_Wtime();
    p4est_partition(f->p4est, 1, NULL);
    times[3] = MPI_Wtime();
    f->ghost = p4est_ghost_new(f->p4est, P4EST_CONNECT_FACE);
    f->ghost_masses = (int64_t *)malloc((f->ghost->ghosts.elem_count + 1) * sizeof *f->ghost_masses);
    bench_require(f->ghost_masses ? PEN_OK : PEN_ERR_MEMORY, "ghosts");
    p4est_ghost_exchange_data(f->p4est, f->ghost, f->ghost_masses);
    times[4] = MPI_Wtime();
    for (int i = 0; i < 4; i++) parts[ADAPT + i] = times[i + 1] - times[i];
    parts[FOREST] = times[4] - times[0];
}

static totals forest_totals(const forest *f)
{
    totals t = { 0, 0, 0 };
    for (p4est_topidx_t tree = f->p4est->first_local_tree; tree <= f->p4est->last_local_tree; tree++) {
        sc_array_t *leaves = &p4est_tree_array_index(f->p4est->trees, tree)->quadrants;
        for (size_t i = 0; i < leaves->elem_count; i++) {
            p4est_quadrant_t *q = p4est_quadrant_array_index(leaves, i);
            cell c = cell_of(f, tree, q);
            t.cells++;
            t.born += pen_mesh_level(&f->mesh, f->k - 1, c) != c.level;
            t.hash += hash(&f->mesh, c, *mass_of(q));
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &t, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return t;
}

/* ---- The run ---------------------------------------------------------------------------------- */

static pen_run *create_run(pen_app *app, const char *grid, const char *balancer)
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    char spec[64];
    snprintf(spec, sizeof spec, "mesh:%s", grid);
    bench_require(pen_graph_generate(MPI_COMM_WORLD, spec, &graph), "graph");
    /* Nothing but the phase that changes the graph. */
    app->phases.list++;
    app->phases.count--;
    app->observables.count = 0;
    app->observables.observe = NULL;
    app->check = NULL;
    app->output.write = NULL;
    pen_run_options options = { .partitioner = "block",
                                .balance = { balancer, "every:1000000:always", .load = PEN_LOAD_DECLARED } };
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, app, &options, &run), "run");
    pen_graph_destroy(&graph);
    return run;
}

static void step(pen_run *run, double parts[PARTS])
{
    double start = MPI_Wtime();
    bench_require(pen_run_steps(run, 1), "step");
    parts[MODIFY] = MPI_Wtime() - start;
    bench_require(pen_run_balance(run), "balancer");
    parts[RUN] = MPI_Wtime() - start;
    parts[SHARE] = parts[RUN] - parts[MODIFY];
}

static totals run_totals(const pen_run *run, const mesh *m)
{
    pen_local local = pen_run_local(run);
    totals t = { local.count, 0, 0 };
    for (pen_lid i = 0; i < local.count; i++) {
        const tile *own = &((const tile *)local.fields[TILE])[i];
        t.hash += hash(m, own->at, own->mass);
    }
    MPI_Allreduce(MPI_IN_PLACE, &t, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return t;
}

/* ---- The program ------------------------------------------------------------------------------ */

static double resident(void) { return bench_slowest(bench_memory("/proc/self/status", "VmRSS:")); }

static void print_row(const char *name, const double *seconds, const double *changed, int64_t steps)
{
    bench_summary s = bench_summarize(seconds + 1, (int)steps - 1);
    double rate = bench_ratios(changed + 1, seconds + 1, (int)steps - 1).median;
    printf("| %s | %.2f | %.2f | %.2f .. %.2f | %.3f |\n", name, 1e3 * seconds[0], 1e3 * s.median, 1e3 * s.min,
           1e3 * s.max, rate / 1e6);
}

static void print_ratio(const char *than, const double *run, const double *other, int64_t steps)
{
    bench_summary r = bench_ratios(run + 1, other + 1, (int)steps - 1);
    printf("the explicit graph takes %.2f (%.2f .. %.2f) times as long as %s\n", r.median, r.min, r.max, than);
}

int main(int argc, char **argv)
{
    static shock s = { .depth = 2, .moves = -1, .wave = "cubic" };
    static const char *grid = "1000x1000", *balancer = "diffusive";
    static int64_t steps = 20;
    static const pen_option options[] = {
        { "grid", "WxH", "coarse cells (1000x1000)", PEN_OPTION_TEXT, (void *)&grid, 0, 0 },
        { "depth", "N", "how often a cell may be split (2)", PEN_OPTION_INT, &s.depth, 0, MESH_DEEPEST },
        { "steps", "N", "moves of the wave, and one (20)", PEN_OPTION_INT, &steps, 2, 10000 },
        { "balancer", "NAME", "of the run (diffusive)", PEN_OPTION_TEXT, (void *)&balancer, 0, 0 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    int64_t width, height;
    bench_parse_grid(grid, &width, &height);

    pen_app app = pen_shock_app(&s);
    double empty = resident();
    pen_run *run = create_run(&app, grid, balancer);
    double with_run = resident();
    forest f = { .mesh = s.mesh };
    plant(&f);
    double with_both = resident();

    double *seconds[PARTS], *changed = bench_room(steps), parts[PARTS];
    for (int p = 0; p < PARTS; p++) seconds[p] = bench_room(steps);
    totals before = forest_totals(&f), now = before;
    for (f.k = 0; f.k < steps; f.k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        grow(&f, parts);
        MPI_Barrier(MPI_COMM_WORLD);
        step(run, parts);
        for (int p = 0; p < PARTS; p++) seconds[p][f.k] = bench_slowest(parts[p]);
        now = forest_totals(&f);
        changed[f.k] = (double)(2 * now.born + before.cells - now.cells);
        before = now;
    }
    totals ours = run_totals(run, &f.mesh);
    if (ours.cells != now.cells || ours.hash != now.hash)
        bench_require(pen_fail(PEN_ERR_CHECK,
                               "%" PRId64 " cells of hash %" PRIx64 ", the forest has %" PRId64 " of %" PRIx64,
                               ours.cells, (uint64_t)ours.hash, now.cells, (uint64_t)now.hash),
                      "p4est_bench");
    if (bench_rank == 0) {
        printf("%s coarse cells, depth %" PRId64 ", %" PRId64 " steps; p4est %s, trees of %dx%d; balancer %s\n", grid,
               s.depth, steps, P4EST_VERSION, 1 << f.top, 1 << f.top, balancer);
        printf("%" PRId64 " cells in the end, of which the last step made %" PRId64 "; the same cells and masses\n\n",
               now.cells, now.born);
        printf("| | first step, ms | a step, ms | least .. most | million cells adapted a second "
               "|\n|---|---|---|---|---|\n");
        for (int p = 0; p < PARTS; p++) print_row(part_names[p], seconds[p], changed, steps);
        double *unbalanced = bench_room(steps);
        printf("\n");
        for (int64_t i = 0; i < steps; i++) unbalanced[i] = seconds[FOREST][i] - seconds[BALANCE][i];
        print_ratio("the forest", seconds[RUN], seconds[FOREST], steps);
        print_ratio("the forest without 2:1 balance", seconds[RUN], unbalanced, steps);
        free(unbalanced);
        printf("resident, at the start, in bytes per coarse cell of a rank: graph %.0f, forest %.0f\n",
               (with_run - empty) * bench_ranks / (double)(width * height),
               (with_both - with_run) * bench_ranks / (double)(width * height));
    }
    forget_ghosts(&f);
    p4est_destroy(f.p4est);
    p4est_connectivity_destroy(f.trees);
    sc_finalize();
    pen_run_destroy(&run);
    for (int p = 0; p < PARTS; p++) free(seconds[p]);
    free(changed);
    return MPI_Finalize();
}
