/* metis_call.c - calls METIS. */
#include "partition/metis_call.h"
#include "base/memory.h"
#include "partition/partition.h"
#include "partition/quiet.h"

#include <metis.h>
#include <stdlib.h>
#include <unistd.h>

_Static_assert(sizeof(idx_t) == sizeof(int32_t), "gather.h has 32-bit integers: this METIS has 64-bit ones");

enum {
    /* Nodes per part below which recursive bisection is used, since the k-way method then leaves parts empty. */
    FEW_NODES = 32
};

const pen_setting pen_metis_balancer_options[] = {
    { "phases", "no|yes", "no", "a constraint for each phase whose loads are known", PEN_OPTION_WORD,
      offsetof(pen_metis_settings, phases), 0, 0 },
    { "method", "kway|recursive", NULL, "kway, but recursive below 32 nodes per part", PEN_OPTION_WORD,
      offsetof(pen_metis_settings, recursive), 0, 0 },
    { "objective", "cut|volume", "cut", NULL, PEN_OPTION_WORD, offsetof(pen_metis_settings, volume), 0, 0 },
    { "ufactor", "N", NULL, "allowed imbalance in 1/1000; default: METIS's own", PEN_OPTION_INT,
      offsetof(pen_metis_settings, ufactor), 1, 1000000 },
    { "contiguous", "no|yes", "no", NULL, PEN_OPTION_WORD, offsetof(pen_metis_settings, contiguous), 0, 0 },
    { "seed", "N", NULL, NULL, PEN_OPTION_INT, offsetof(pen_metis_settings, seed), 0, INT32_MAX },
    { .name = NULL },
};

const char *pen_metis_check(void *settings)
{
    const pen_metis_settings *m = settings;
    if (m->recursive != 1 || !(m->volume || m->contiguous)) return NULL;
    return m->volume ? "objective=volume needs method=kway" : "contiguous=yes needs method=kway";
}

/* Fail if the graph is not connected: METIS cannot make contiguous parts then. */
static pen_status check_connected(const char *owner, const pen_serial_graph *s)
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
            status = pen_fail(PEN_ERR_UNSUPPORTED, "%s: contiguous=yes needs a connected graph", owner);
    }
    PEN_FREE_ALL(queue, seen);
    return status;
}

/* Set the target shares, [parts*constraints]. */
static pen_status find_shares(const pen_machine *machine, int constraints, real_t **shares)
{
    *shares = NULL;
    if (!machine) return PEN_OK;
    PEN_TRY(PEN_ALLOC(shares, (int64_t)machine->processors * constraints));
    for (int64_t i = 0; i < (int64_t)machine->processors * constraints; i++)
        (*shares)[i] = (real_t)(machine->speeds[i / constraints] / machine->total_speed);
    return PEN_OK;
}

pen_status pen_metis_call(const char *owner, pen_serial_graph *s, const pen_metis_settings *settings,
                          const pen_machine *machine, int parts, int32_t *part)
{
    real_t *shares;
    idx_t options[METIS_NOPTIONS], nodes = s->nodes, constraints = s->phases > 1 ? s->phases : 1, k = parts,
                                   objective = 0;
    bool any = settings->recursive < 0 && !settings->volume && !settings->contiguous;
    bool recursive = settings->recursive == 1 || (any && nodes / parts < FEW_NODES);
    if (settings->contiguous) PEN_TRY(check_connected(owner, s));
    PEN_TRY(find_shares(machine, constraints, &shares));
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_OBJTYPE] = settings->volume ? METIS_OBJTYPE_VOL : METIS_OBJTYPE_CUT;
    options[METIS_OPTION_CONTIG] = settings->contiguous == 1;
    options[METIS_OPTION_UFACTOR] = (idx_t)settings->ufactor;
    options[METIS_OPTION_SEED] = (idx_t)settings->seed;
    for (int32_t row = 0; row < s->nodes; row++) part[row] = -1;
    int kept = pen_quiet(STDOUT_FILENO);
    int code = recursive ? METIS_PartGraphRecursive(&nodes, &constraints, s->rows, s->neighbors, s->loads, s->sizes,
                                                    s->edge_weights, &k, shares, NULL, options, &objective, part)
                         : METIS_PartGraphKway(&nodes, &constraints, s->rows, s->neighbors, s->loads, s->sizes,
                                               s->edge_weights, &k, shares, NULL, options, &objective, part);
    pen_unquiet(STDOUT_FILENO, kept);
    free(shares);
    if (code == METIS_OK) return PEN_OK;
    if (code == METIS_ERROR_MEMORY) return pen_fail(PEN_ERR_MEMORY, "%s: METIS ran out of memory", owner);
    return pen_fail(PEN_ERR_INTERNAL, "%s: METIS failed with %d on %" PRId32 " nodes and %d parts", owner, code,
                    s->nodes, parts);
}

const char *pen_metis_version(void)
{
    return PEN_TEXT_OF(METIS_VER_MAJOR) "." PEN_TEXT_OF(METIS_VER_MINOR) "." PEN_TEXT_OF(METIS_VER_SUBMINOR);
}
