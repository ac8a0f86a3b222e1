#include "base/options.h"
#include "partition/dilation.h"
#include "partition/partition.h"
#include "partition/scotch_call.h"
#include "partition/sequential.h"

static const char owner[] = "partitioner scotch";

/* *architecture, which points into the settings, is NULL where they name none. */
static pen_status parse(char *settings, pen_scotch_settings *parsed, const char **architecture)
{
    const pen_option arch = { .name = "arch", .argument = "TEXT|FILE", .kind = PEN_OPTION_TEXT, .value = architecture };
    *architecture = NULL;
    return pen_scotch_parse(owner, settings, &arch, parsed);
}

static pen_status raise_loads(pen_serial_graph *s)
{
    int64_t total = 0, zeros = 0, scale;
    if (!s->loads) return PEN_OK;
    for (int32_t row = 0; row < s->nodes; row++) {
        total += s->loads[row];
        zeros += s->loads[row] == 0;
    }
    PEN_TRY(pen_scotch_scale(owner, total, zeros, &scale));
    for (int32_t row = 0; row < s->nodes; row++) s->loads[row] = pen_scotch_load(s->loads[row], scale);
    return PEN_OK;
}

typedef struct mapping {
    pen_scotch_settings settings;
    pen_architecture *architecture;
} mapping;

static pen_status divide(const void *wanted, pen_serial_graph *graph, const pen_machine *machine, int parts,
                         int32_t *part)
{
    const mapping *m = wanted;
    (void)machine, (void)parts; /* the architecture has as many processors */
    PEN_TRY(raise_loads(graph));
    return pen_scotch_call(owner, graph, &m->settings, m->architecture, NULL, part);
}

pen_status pen_partition_scotch(const pen_graph *graph, char *settings, const pen_machine *machine, int parts,
                                int32_t *part)
{
    mapping m = { .architecture = NULL };
    const char *name;
    PEN_TRY(parse(settings, &m.settings, &name));
    if (name || !machine) PEN_TRY(pen_architecture_create(graph->comm, name, parts, &m.architecture));
    else PEN_TRY(pen_agree(graph->comm, pen_architecture_of_machine(machine, true, parts, &m.architecture)));
    pen_status status = pen_partition_sequentially(graph, owner, divide, &m, machine, parts, part);
    pen_architecture_destroy(&m.architecture);
    return status;
}

/* Collective. As pen_partition_dilation, for a partitioner that is known to be scotch. */
static pen_status dilation(const pen_graph *graph, char *settings, int parts, const int32_t *part, int64_t *cost)
{
    pen_scotch_settings parsed;
    const char *name;
    pen_architecture *architecture = NULL;
    PEN_TRY(parse(settings, &parsed, &name));
    if (!name) return PEN_OK;
    PEN_TRY(pen_architecture_create(graph->comm, name, parts, &architecture));
    pen_status status = pen_dilation_cost(graph, architecture, part, cost);
    pen_architecture_destroy(&architecture);
    return status;
}

pen_status pen_partition_dilation(const pen_graph *graph, const char *spec, int parts, const int32_t *part,
                                  int64_t *cost)
{
    int64_t found = -1;
    pen_spec cut = { NULL, NULL };
    pen_status status = pen_agree(graph->comm, pen_spec_split(spec, &cut));
    if (status == PEN_OK && strcmp(cut.name, "scotch") == 0)
        status = dilation(graph, cut.settings, parts, part, &found);
    pen_spec_free(&cut);
    if (status == PEN_OK) *cost = found;
    return status;
}
