/* rivals.c - the diffusive balancer beside repartitioners of others: a hot disc, as in balance_virtual.c, crosses a
 * square of hexagons, and a balancer follows it through 20 positions.
 *
 *     mpirun -n N rivals_bench --rival=NAME [--settings=...] [--radius=R] [--width=N] [--state=FILE] [--positions=N]
 *
 * All begin with the same owners on 8 ranks, METIS's of equal loads, then each has its own history. `diffusive` and
 * `metis` (from scratch) work on rank 0, on virtual ranks; parmetis and zoltan on N ranks, of which each holds the rows
 * of the nodes that 8 / N of the 8 own. New parts are renamed so that as many nodes as possible stay, exactly.
 *
 * Printed is a line for each position: imbalance, cut edges, moved nodes in per cent, processor seconds summed over the
 * ranks, pieces. On N ranks they contain the waiting for others. With --state a launch goes on where the one before
 * ended. rivals.sh launches this for the table. */
#include "base/memory.h"
#include "rebalance/balancers.h"
#include "tests/bench/bench.h"
#include "tests/bench/rival.h"
#include "tests/bench/virtual.h"

#include <stdlib.h>

enum { PARTS = 8, POSITIONS = 20 };

/* ---- Rows on ranks ----------------------------------------------------------------------------- */

/* Node i has number number[i], in the order of the ranks and on a rank as before. */
static void make_rows(const pen_virtual_world *w, int32_t *number, rival_rows *r)
{
    int32_t *at, arcs = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->size);
    r->parts = w->ranks;
    bench_require(PEN_ALLOC_ZERO(&r->firsts, r->size + 1), "memory");
    bench_require(PEN_ALLOC(&at, r->size), "memory");
    for (int32_t i = 0; i < w->nodes; i++) r->firsts[w->owners[i] * r->size / r->parts + 1]++;
    for (int rank = 0; rank < r->size; rank++) {
        at[rank] = r->firsts[rank];
        r->firsts[rank + 1] += r->firsts[rank];
    }
    for (int32_t i = 0; i < w->nodes; i++) {
        int rank = w->owners[i] * r->size / r->parts;
        number[i] = at[rank]++;
        if (rank == r->rank) arcs += (int32_t)(w->rows[i + 1] - w->rows[i]);
    }
    free(at);
    r->count = r->firsts[r->rank + 1] - r->firsts[r->rank];
    bench_require(PEN_ALLOC(&r->rows, r->count + 1), "memory");
    bench_require(PEN_ALLOC(&r->columns, arcs), "memory");
    bench_require(PEN_ALLOC(&r->loads, r->count), "memory");
    bench_require(PEN_ALLOC(&r->owners, r->count), "memory");
    int32_t row = 0, arc = 0;
    for (int32_t i = 0; i < w->nodes; i++) {
        if (w->owners[i] * r->size / r->parts != r->rank) continue;
        r->loads[row] = (int32_t)w->loads[i];
        r->owners[row] = w->owners[i];
        r->rows[row++] = arc;
        for (uint32_t k = w->rows[i]; k < w->rows[i + 1]; k++) r->columns[arc++] = number[w->columns[k]];
    }
    r->rows[row] = arc;
}

/* parts[], [nodes], of all nodes; returns the processor seconds of all ranks. */
static double ask(const pen_virtual_world *w, rival_balance *rival, const char *settings, int32_t *parts)
{
    rival_rows r;
    int32_t *number = bench_new_parts(w), *mine = bench_new_parts(w), *all = bench_new_parts(w), *counts;
    double seconds;
    char *copy;
    make_rows(w, number, &r);
    bench_require(PEN_ALLOC(&copy, (int64_t)strlen(settings) + 1), "memory");
    rival(&r, strcpy(copy, settings), mine, &seconds);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    bench_require(PEN_ALLOC(&counts, r.size), "memory");
    for (int rank = 0; rank < r.size; rank++) counts[rank] = r.firsts[rank + 1] - r.firsts[rank];
    MPI_Allgatherv(mine, r.count, MPI_INT32_T, all, counts, r.firsts, MPI_INT32_T, MPI_COMM_WORLD);
    for (int32_t i = 0; i < w->nodes; i++) {
        parts[i] = all[number[i]];
        if (parts[i] < 0 || parts[i] >= w->ranks)
            bench_require(pen_fail(PEN_ERR_INTERNAL, "node %d has part %d", i, parts[i]), "rival");
    }
    PEN_FREE_ALL(copy, number, mine, all, counts, r.firsts, r.rows, r.columns, r.loads, r.owners);
    return seconds;
}

/* ---- A history --------------------------------------------------------------------------------- */

/* The first two work on rank 0; the others on the ranks of MPI, NULL: it was not there when this was built. */
enum { DIFFUSIVE, METIS, ON_RANKS };
static const struct {
    const char *name;
    rival_balance *balance;
} rivals[] = { { "diffusive", NULL }, { "metis", NULL }, { "parmetis", rival_parmetis }, { "zoltan", rival_zoltan } };

static int find_rival(const char *name)
{
    for (int i = 0; i < PEN_COUNT_OF(rivals); i++)
        if (strcmp(rivals[i].name, name) == 0) return i;
    bench_require(pen_fail(PEN_ERR_ARGUMENT, "--rival=%s: diffusive, metis, parmetis or zoltan", name), "options");
    return -1;
}

/* Balances w; returns how many nodes have moved. */
static int64_t balance(pen_virtual_world *w, int rival, const char *settings, double *seconds)
{
    if (rival == DIFFUSIVE) {
        pen_virtual_outcome o;
        bench_require(pen_virtual_world_balance(w, &pen_balancer_diffusive, settings, NULL, false, &o), "diffusive");
        *seconds = o.seconds;
        return o.moved;
    }
    int32_t *parts = bench_new_parts(w);
    if (rival == METIS) bench_metis(w, parts, seconds);
    else *seconds = ask(w, rivals[rival].balance, settings, parts);
    return bench_take_parts(w, parts);
}

/* The owners after so many positions; returns how many. */
static int32_t resume(const char *state, pen_virtual_world *w)
{
    int32_t position = 0;
    double seconds;
    FILE *file = *state ? fopen(state, "rb") : NULL;
    if (!file) bench_metis(w, w->owners, &seconds);
    else if (fread(&position, sizeof position, 1, file) != 1 ||
             fread(w->owners, sizeof *w->owners, (size_t)w->nodes, file) != (size_t)w->nodes)
        bench_require(pen_fail(PEN_ERR_IO, "%s is no state of this width", state), "state");
    if (file) fclose(file);
    return position;
}

static void save(const char *state, const pen_virtual_world *w, int32_t position)
{
    FILE *file = fopen(state, "wb");
    bool written = file && fwrite(&position, sizeof position, 1, file) == 1 &&
                   fwrite(w->owners, sizeof *w->owners, (size_t)w->nodes, file) == (size_t)w->nodes;
    if (!file || fclose(file) != 0 || !written) bench_require(pen_fail(PEN_ERR_IO, "cannot write %s", state), "state");
}

static void follow_disc(int rival, const char *settings, double radius, int width, const char *state, int32_t positions)
{
    pen_virtual_world w;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bench_require(pen_virtual_hex(PARTS, width, width, &w), "grid");
    int32_t k = resume(state, &w), end = k + positions < POSITIONS ? k + positions : POSITIONS;
    for (; k < end; k++) {
        double seconds;
        bench_heat_disc(&w, width, width * (k + 0.5) / POSITIONS, width / 2.0, radius * width);
        int64_t moved = balance(&w, rival, settings, &seconds);
        pen_quality q = bench_measure(&w);
        if (rank > 0) continue;
        printf("position %2d imbalance %.4f cut %" PRId64 " moved %.2f seconds %.3f pieces %" PRId64 "\n", k + 1,
               q.imbalance, q.cut, 100.0 * (double)moved / w.nodes, seconds, q.pieces);
        fflush(stdout);
        if (*state) save(state, &w, k + 1); /* all have read it long since */
    }
    pen_virtual_world_free(&w);
}

int main(int argc, char **argv)
{
    const char *name = "diffusive", *settings = "", *state = "";
    int64_t width = 1000, positions = POSITIONS;
    double radius = 0.125;
    const pen_option options[] = {
        { "rival", "NAME", "diffusive (default), metis, parmetis or zoltan", PEN_OPTION_TEXT, &name, 0, 0 },
        { "settings", "KEY=VALUE,...", "of the rival", PEN_OPTION_TEXT, &settings, 0, 0 },
        { "radius", "R", "of the disc, in widths of the field (0.125)", PEN_OPTION_REAL, &radius, 0, 1 },
        { "width", "N", "of the field (1000)", PEN_OPTION_INT, &width, 10, 4000 },
        { "state", "FILE", "where to go on, if it is there, and where to keep the end", PEN_OPTION_TEXT, &state, 0, 0 },
        { "positions", "N", "at most, in this launch (20)", PEN_OPTION_INT, &positions, 1, POSITIONS },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    if (PARTS % bench_ranks != 0) bench_require(pen_fail(PEN_ERR_ARGUMENT, "1, 2, 4 or %d ranks", PARTS), argv[0]);
    int rival = find_rival(name);
    if (bench_rank == 0) {
        printf("%s, settings \"%s\"; disc of radius %g in %" PRId64 "x%" PRId64 " hexagons of %d ranks\n", name,
               settings, radius, width, width, PARTS);
    }
    if (rival >= ON_RANKS && !rivals[rival].balance) {
        if (bench_rank == 0) printf("left out: %s was not found when this was built\n", name);
    } else if (rival >= ON_RANKS || bench_rank == 0) {
        follow_disc(rival, settings, radius, (int)width, state, (int32_t)positions);
    }
    MPI_Finalize();
    return 0;
}
