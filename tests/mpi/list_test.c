/* list_test - a list-style function of iC2mpi, unchanged, through PEN_LIST_FUNCTION: integer averages
 * equal to those of the same function called by a serial loop over lists of its own.
 * pen_mpi_test() */
#include "tests/support/check.h"
#include "tests/support/world.h"

enum { STEPS = 9 };

/* ---- The existing sequential code ----------------------------------------------------------- */

struct node_data {
    int id, data, most_recent_data;
    struct node_data *next;
};

static void average(struct node_data *head)
{
    int sum = 0, n = 0;
    for (struct node_data *p = head->next; p != NULL; p = p->next, n++) sum += p->data * (n % 3 + 1);
    head->most_recent_data = n ? sum / n : head->data;
}

static void step(struct node_data *head)
{
    average(head);
    head->data = head->most_recent_data % 100000;
}

/* ---- The same with Penumbra ----------------------------------------------------------------- */

enum { CELL };
static int first_value(pen_gid gid) { return (int)(gid % 1009 * 7919 % 1009); }

static void init(const pen_view *v)
{
    *PEN_NEXT(v, CELL, struct node_data) = (struct node_data){ (int)(pen_id(v) % 1000), first_value(pen_id(v)), 0,
                                                               NULL };
}

PEN_LIST_FUNCTION(relax, CELL, struct node_data, next, step)

static const pen_field fields[] = { { .name = "cell", .size = sizeof(struct node_data) } };
static const pen_phase phases[] = { { "relax", .node = relax, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) } };
static const pen_app app = { .name = "list", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

static void compute_serially(const graph_case *g, struct node_data *nodes)
{
    struct node_data *next = calloc((size_t)g->nodes, sizeof *next), list[65];
    for (int i = 0; i < g->nodes; i++)
        nodes[i] = (struct node_data){ (int)(g->gids[i] % 1000), first_value(g->gids[i]), 0, NULL };
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < g->nodes; i++) {
            list[0] = nodes[i];
            for (int j = 0; j < g->degree[i]; j++) list[j + 1] = nodes[g->neighbors[i][j]];
            for (int j = 0; j <= g->degree[i]; j++) list[j].next = j < g->degree[i] ? &list[j + 1] : NULL;
            step(&list[0]);
            next[i] = list[0];
        }
        memcpy(nodes, next, (size_t)g->nodes * sizeof *nodes);
    }
    free(next);
}

static void test_case(int number)
{
    graph_case g = case_make(number);
    pen_run *run = run_on(graph_of(&g, 3), &app, NULL);
    CHECK_STATUS(pen_run_steps(run, STEPS), PEN_OK);
    struct node_data *expected = calloc((size_t)g.nodes, sizeof *expected);
    compute_serially(&g, expected);
    pen_local local = pen_run_local(run);
    const struct node_data *found = (const struct node_data *)local.fields[CELL];
    int compared = 0;
    for (pen_lid i = 0; i < local.count; i++)
        for (int k = 0; k < g.nodes; k++) {
            if (g.gids[k] != local.gids[i]) continue;
            compared++;
            CHECK_INT(found[i].id, expected[k].id);
            CHECK_INT(found[i].data, expected[k].data);
            CHECK_INT(found[i].most_recent_data, expected[k].most_recent_data);
            CHECK(found[i].next == NULL);
        }
    CHECK_INT(compared, local.count);
    free(expected);
    pen_run_destroy(&run);
    case_free(&g);
}

CHECKS()
{
    for (int number = 0; number < CASES; number++) RUN(test_case(number));
}
