#include "tests/mpi/forged_nbody.h"
#include "apps/nbody/nbody.h"
#include "apps/nbody/records.h"
#include "tests/mpi/forged_case.h"
#include "tests/support/check.h"

static pen_node_fn *first; /* the application's */
static pen_gid victim;
static int which;

static void misplace(const pen_view *v)
{
    first(v);
    if (pen_id(v) != victim) return;
    const nbody *s = nbody_of(v);
    places *where = (places *)pen_next_record(v, PLACES);
    double *number = (double *)pen_next_record(v, MOTION) + 3 * s->cell_max;
    cell *c = (cell *)pen_next_record(v, CELL);
    branch *b = (branch *)pen_next_record(v, BRANCH);
    force *f = (force *)pen_next_record(v, FORCE);
    if (which == 0) where->count = s->cell_max + 1;
    if (which == 1) where->count = -1;
    if (which == 2) c->leaf = 0;
    if (which == 3) c->leaf = 2;
    if (which == 4) number[0] = 1e300;
    if (which == 5) number[0] = -1.0;
    if (which == 6) f->close = INT64_MAX;
    if (which == 7) f->far = -1;
    if (which == 8) b->there = 256;
    if (which == 9) b->leaf = 1;
}

/* The graph of the application's own rows, and in `victim` the first leaf. */
static void make_bodies(nbody *s, pen_app *app, pen_graph **graph)
{
    pen_world world = { .seed = 1 };
    pen_csr mine;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
    *app = pen_nbody_app(s);
    CHECK(app->graph.rows(s, &world, rank, &mine) == NULL);
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, &mine, graph), PEN_OK);
    for (int64_t i = 0; !s->tree.cells[i].leaf; i++) victim = s->tree.cells[i + 1].gid;
    first = app->init;
}

void test_nbody(void)
{
    enum { FORGED = 10 };
    for (which = 0; which <= FORGED; which++) {
        nbody s = NBODY_DEFAULTS;
        pen_app app;
        pen_graph *graph = NULL;
        char what[100];
        s.bodies = "64";
        make_bodies(&s, &app, &graph);
        snprintf(what, sizeof what, "damaged: impossible values of node %" PRIgid, victim);
        try_init(graph, app, misplace, which < FORGED ? what : NULL);
        pen_graph_destroy(&graph);
        pen_nbody_free(&s);
    }
}
