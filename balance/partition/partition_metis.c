#include "memory.h"
#include "options.h"
#include "partition.h"
#include "quiet.h"
#include "serial.h"

#include <metis.h>
#include <stdlib.h>
#include <unistd.h>

_Static_assert(sizeof(idx_t) == sizeof(int32_t), "serial.h gathers 32-bit integers: this METIS has 64-bit ones");

enum {
    FEW_NODES = 32 /* per part: below, k-way leaves parts empty where recursive bisection does not */
};

typedef struct choices {
    bool recursive, volume, contiguous;
    int64_t ufactor, seed; /* -1: METIS's own */
} choices;

static pen_status choose(const char *key, const char *word, const char *const names[2], bool *second)
{
    *second = strcmp(word, names[1]) == 0;
    return *second || strcmp(word, names[0]) == 0 ? PEN_OK : pen_unknown_name(key, word, names, 2);
}

static pen_status parse(char *settings, const pen_graph *graph, int parts, choices *c)
{
    static const char *const methods[] = { "kway", "recursive" }, *const objectives[] = { "cut", "volume" },
                             *const answers[] = { "no", "yes" };
    const char *method = NULL, *objective = "cut", *contiguous = "no";
    *c = (choices){ .ufactor = -1, .seed = -1 };
    const pen_option table[] = {
        { .name = "method", .argument = "kway|recursive", .kind = PEN_OPTION_TEXT, .value = &method },
        { .name = "objective", .argument = "cut|volume", .kind = PEN_OPTION_TEXT, .value = &objective },
        { .name = "ufactor", .argument = "N", .kind = PEN_OPTION_INT, .value = &c->ufactor, .low = 1, .high = 1000000 },
        { .name = "contiguous", .argument = "yes|no", .kind = PEN_OPTION_TEXT, .value = &contiguous },
        { .name = "seed", .argument = "N", .kind = PEN_OPTION_INT, .value = &c->seed, .low = 0, .high = INT32_MAX },
        { .name = NULL },
    };
    PEN_TRY(pen_settings_parse("partitioner metis", settings, table));
    PEN_TRY(choose("objective of partitioner metis:", objective, objectives, &c->volume));
    PEN_TRY(choose("answer to contiguous of partitioner metis:", contiguous, answers, &c->contiguous));
    bool only_kway = c->volume || c->contiguous;
    c->recursive = graph->nodes / parts < FEW_NODES && !only_kway;
    if (method) PEN_TRY(choose("method of partitioner metis:", method, methods, &c->recursive));
    if (c->recursive && only_kway)
        return pen_fail(PEN_ERR_INPUT, "partitioner metis: %s needs method=kway",
                        c->volume ? "objective=volume" : "contiguous=yes");
    return PEN_OK;
}

/* Fails where the graph is not connected: METIS cannot make contiguous parts then. */
static pen_status check_connected(const pen_serial_graph *s)
{
    int32_t *queue, *seen;
    PEN_TRY(PEN_ALLOC(&queue, s->nodes));
    pen_status status = PEN_ALLOC_ZERO(&seen, s->nodes);
    int32_t found = 0;
    if (status == PEN_OK) {
        queue[found++] = 0;
        seen[0] = 1;
        for (int32_t k = 0; k < found; k++)
            for (int32_t j = s->rows[queue[k]]; j < s->rows[queue[k] + 1]; j++)
                if (!seen[s->neighbors[j]]) {
                    seen[s->neighbors[j]] = 1;
                    queue[found++] = s->neighbors[j];
                }
        if (found < s->nodes)
            status = pen_fail(PEN_ERR_UNSUPPORTED, "partitioner metis: contiguous=yes needs a connected graph");
    }
    free(queue);
    free(seen);
    return status;
}

/* What METIS leaves out stays -1 and is found by pen_partition. METIS says on standard output what it finds
 * strange ("Cannot bisect a graph with 0 vertices!"). */
static pen_status call_metis(pen_serial_graph *s, const choices *c, int parts, int32_t *part)
{
    idx_t options[METIS_NOPTIONS], nodes = s->nodes, constraints = 1, k = parts, objective = 0;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_OBJTYPE] = c->volume ? METIS_OBJTYPE_VOL : METIS_OBJTYPE_CUT;
    options[METIS_OPTION_CONTIG] = c->contiguous;
    options[METIS_OPTION_UFACTOR] = (idx_t)c->ufactor;
    options[METIS_OPTION_SEED] = (idx_t)c->seed;
    for (int32_t row = 0; row < s->nodes; row++) part[row] = -1;
    int kept = pen_quiet(STDOUT_FILENO);
    int code = c->recursive ? METIS_PartGraphRecursive(&nodes, &constraints, s->rows, s->neighbors, s->loads, s->sizes,
                                                       s->edge_weights, &k, NULL, NULL, options, &objective, part)
                            : METIS_PartGraphKway(&nodes, &constraints, s->rows, s->neighbors, s->loads, s->sizes,
                                                  s->edge_weights, &k, NULL, NULL, options, &objective, part);
    pen_unquiet(STDOUT_FILENO, kept);
    if (code == METIS_OK) return PEN_OK;
    if (code == METIS_ERROR_MEMORY) return pen_fail(PEN_ERR_MEMORY, "partitioner metis: METIS ran out of memory");
    return pen_fail(PEN_ERR_INTERNAL, "partitioner metis: METIS failed with %d on %" PRId32 " nodes and %d parts", code,
                    s->nodes, parts);
}

pen_status pen_partition_metis(const pen_graph *graph, char *settings, int parts, int32_t *part)
{
    choices c;
    PEN_TRY(parse(settings, graph, parts, &c));
    /* METIS crashes, hangs or prints on these. */
    if (parts == 1 || graph->edges == 0 || graph->nodes <= parts)
        return pen_partition_contiguous(graph, graph->nodes > parts, parts, part);
    pen_serial_graph serial;
    PEN_TRY(pen_serial_gather(graph, "metis", &serial));
    pen_status status = PEN_OK;
    int32_t *by_row = NULL;
    if (graph->comm->rank == 0) {
        status = PEN_ALLOC(&by_row, serial.nodes);
        if (status == PEN_OK && c.contiguous) status = check_connected(&serial);
        if (status == PEN_OK) status = call_metis(&serial, &c, parts, by_row);
    }
    status = pen_serial_scatter(graph, status, &serial, by_row, part);
    pen_serial_free(&serial);
    free(by_row);
    return status;
}
