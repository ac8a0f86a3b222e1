/* wrong_balancer - a balancer that is wrong in the way that its settings say. Every rank but the one that a setting is
 * about, goes on with what a good balancer would do. */
#include <penumbra_plugin.h>

#include <math.h>
#include <stdlib.h>

typedef struct {
    const char *way;
    double *kept; /* by plan: destroy frees it */
} wrong_state;

static const pen_setting settings[] = { { .name = "", .argument = "WAY", .kind = PEN_OPTION_TEXT }, { .name = NULL } };

static const char *check(void *state)
{
    static const char *const ways[] = { "foreign",  "range",  "twice",   "many",  "negative", "fail",   "leave",
                                        "skip",     "counts", "state",   "mpi",   "silent",   "mutual", "lines",
                                        "infinite", "moves",  "stopped", "unset", "rounds",   NULL };
    for (int i = 0; ways[i]; i++)
        if (strcmp(((const wrong_state *)state)->way, ways[i]) == 0) return NULL;
    return "its setting is the way in which it is wrong";
}

static pen_status plan(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    wrong_state *mine = state;
    const char *way = mine->way;
    if (view->horizon < 1.0) return peers->fail(PEN_ERR_INPUT, "a horizon of %g steps", view->horizon);
    if (!mine->kept) mine->kept = malloc(sizeof *mine->kept);
    int odd = peers->size - 1;
    bool me = peers->rank == odd;
    double numbers[2] = { 1.0, 2.0 };
    const pen_parcels none = { 0, NULL, NULL, NULL };
    const pen_blocks *received;
    if (me && strcmp(way, "fail") == 0) return peers->fail(PEN_ERR_MEMORY, "rank %d is out of ideas", peers->rank);
    if (me && strcmp(way, "lines") == 0) return peers->fail(PEN_ERR_IO, "two\nlines of\ttext\n");
    if (me && strcmp(way, "leave") == 0) return PEN_OK;
    if (me && strcmp(way, "mpi") == 0) return PEN_ERR_MPI;
    if (me && strcmp(way, "silent") == 0) return (pen_status)17;
    if (me && strcmp(way, "stopped") == 0) return PEN_ERR_STOPPED;
    if (strcmp(way, "mutual") == 0) { /* to the first rank, which sends nothing back */
        int first = 0;
        const int64_t offsets[2] = { 0, 0 };
        const pen_parcels lonely = { me && odd > 0, &first, offsets, NULL };
        return peers->exchange(peers, true, &lonely, &received);
    }
    pen_status status = PEN_OK;
    if (me && strcmp(way, "skip") == 0) status = peers->exchange(peers, false, &none, &received);
    else status = peers->reduce(peers, me && strcmp(way, "counts") == 0 ? 2 : 1, numbers, 0, NULL);
    if (strcmp(way, "state") == 0) return PEN_OK; /* ignores what it was told, and everything else */
    if (status == PEN_OK) status = peers->exchange(peers, false, &none, &received);
    if (status != PEN_OK) return status;
    pen_lid last = view->count - 1;
    if (!me || view->count == 0) return PEN_OK;
    plan->count = 1;
    if (strcmp(way, "unset") == 0) return PEN_OK;
    plan->moves[0] = (pen_move){ view->gids[last], 0 };
    if (strcmp(way, "foreign") == 0)
        plan->moves[0].gid = view->shadows > 0 ? view->gids[view->count] : INT64_C(1) << 62;
    if (strcmp(way, "range") == 0) plan->moves[0].to = peers->size;
    if (strcmp(way, "twice") == 0 && view->count > 1) plan->moves[plan->count++] = plan->moves[0];
    if (strcmp(way, "many") == 0) plan->count = (int64_t)view->count + 1;
    if (strcmp(way, "negative") == 0) plan->count = -1;
    if (strcmp(way, "infinite") == 0) plan->counts[1] = HUGE_VAL;
    if (strcmp(way, "moves") == 0) plan->moves = NULL;
    if (strcmp(way, "rounds") == 0) plan->rounds = -1;
    return PEN_OK;
}

static void destroy(void *state) { free(((wrong_state *)state)->kept); }

/* Of each too much, if the build says so. */
#ifndef HISTORY
#define HISTORY 64
#endif
#ifndef NODE_DATA
#define NODE_DATA 65536
#endif
#ifndef NINTH
#define NINTH NULL
#endif
static const char *const counters[] = { "1", "2", "3", "4", "5", "6", "7", "8", NINTH, NULL };

static const pen_balancer wrong = { .name = "wrong",
                                    .summary = "is wrong",
                                    .settings = settings,
                                    .state_size = sizeof(wrong_state),
                                    .check = check,
                                    .plan = plan,
                                    .destroy = destroy,
                                    .history = HISTORY,
                                    .data_bytes = NODE_DATA,
                                    .counters = counters };

/* As a partitioner it deals out nodes by gid; or puts one where there is no part, or nowhere. */
static pen_status partition(const void *given, const pen_load_view *graph, pen_peers *peers, int parts, int32_t *part)
{
    const char *way = *(const char *const *)given;
    const pen_lid first = strcmp(way, "unset") == 0;
    for (pen_lid i = first; i < graph->count; i++) part[i] = (int32_t)(graph->gids[i] % parts);
    if (strcmp(way, "range") == 0 && graph->count > 0) part[0] = parts;
    if (strcmp(way, "fail") == 0 && peers->rank == peers->size - 1) return peers->fail(PEN_ERR_MEMORY, "no more parts");
    if (strcmp(way, "lines") == 0) return peers->fail(PEN_ERR_INPUT, "two\nlines of\ttext\n");
    if (strcmp(way, "silent") == 0 && peers->rank == peers->size - 1) return (pen_status)17;
    return PEN_OK;
}

static const pen_partitioner by_gid = {
    .name = "by_gid",
    .summary = "gid modulo parts",
    .settings = settings,
    .settings_size = sizeof(const char *),
    .partition = partition,
};

#ifdef ABI
PEN_API const pen_plugin penumbra_plugin = { .abi = ABI, .balancer = &wrong, .partitioner = &by_gid };
#else
PEN_PLUGIN(.balancer = &wrong, .partitioner = &by_gid);
#endif
