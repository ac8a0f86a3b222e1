/* machine_generate.c - generates machines by their names. */
#include "view/machine_generate.h"
#include "base/memory.h"
#include "base/options.h"
#include "view/network.h"

#include <math.h>
#include <stdlib.h>

/* The parts of a machine's name: "FIRST" up to the first comma, then settings. */
typedef struct request {
    const char *spec; /* the whole name, for messages */
    char *first;      /* the first part, "" if there is none */
    char *settings;   /* the settings, which may be modified */
    int parts;
} request;

/* The settings that several kinds have. */
typedef struct common {
    pen_link link;
    const char *costs, *speeds; /* lists "N:N:..." or NULL */
} common;

static pen_status parse_settings(const request *r, const pen_option *table)
{
    char owner[96];
    snprintf(owner, sizeof owner, "machine %.80s", r->spec);
    return pen_settings_parse(owner, r->settings, table);
}

static pen_status check_link(const request *r, pen_link link)
{
    const double least = fmin(link.cost, link.latency), most = fmax(link.cost, link.latency);
    if (least >= 0.0 && most <= PEN_MOST_MEASURE) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "machine %s: cost %g and latency %g must be >= 0, and at most 1e290", r->spec,
                    link.cost, link.latency);
}

/* Parse settings. A tree has costs instead of a cost. */
static pen_status parse_common(const request *r, bool tree, common *c)
{
    *c = (common){ .link = { 0.0, 1.0 } };
    const pen_option cost = { "cost", "C", NULL, PEN_OPTION_REAL, &c->link.cost, 0, 0 },
                     costs = { "costs", "C:C:...", NULL, PEN_OPTION_TEXT, &c->costs, 0, 0 },
                     table[] = { tree ? costs : cost,
                                 { "latency", "L", NULL, PEN_OPTION_REAL, &c->link.latency, 0, 0 },
                                 { "speeds", "S:S:...", NULL, PEN_OPTION_TEXT, &c->speeds, 0, 0 },
                                 { .name = NULL } };
    PEN_TRY(parse_settings(r, table));
    return check_link(r, c->link);
}

/* Read the next number of "N:N:...", in [low, PEN_MOST_MEASURE]. *text becomes the rest, NULL at the end. */
static pen_status next_number(const request *r, const char *what, double low, const char **text, double *number)
{
    char piece[32];
    *text = pen_text_cut(*text, ':', piece, sizeof piece);
    if (pen_parse_real(piece, number) && *number >= low && *number <= PEN_MOST_MEASURE) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "machine %s: %s must be numbers %s 0, at most 1e290, with colons between them",
                    r->spec, what, low > 0.0 ? ">" : ">=");
}

/* Set the speeds of all processors, repeating the given ones, of which there may be more. */
static pen_status repeat_speeds(const request *r, const char *given, pen_network *n)
{
    double *speeds = (double *)(uintptr_t)n->machine.speeds, speed;
    int32_t count = 0;
    for (const char *next = given; next;) {
        PEN_TRY(next_number(r, "speeds", 1e-300, &next, &speed));
        if (count < n->machine.processors) speeds[count++] = speed;
    }
    for (int32_t p = count; given && p < n->machine.processors; p++) speeds[p] = speeds[p - count];
    return PEN_OK;
}

/* Parse sizes "AxBxC". */
static pen_status parse_sizes(const request *r, int64_t *processors, int *levels, int32_t *sizes)
{
    const char *next = r->first;
    *processors = 1;
    for (*levels = 0; next; ++*levels) {
        char piece[32];
        int64_t size = 0;
        next = pen_text_cut(next, 'x', piece, sizeof piece);
        if (*levels == PEN_NETWORK_LEVELS || !pen_parse_int(piece, &size) || size < 1 || size > 1 << 30)
            return pen_fail(PEN_ERR_INPUT, "machine %s: sizes must be numbers from 1 on, as in 4x4x2, at most %d",
                            r->spec, PEN_NETWORK_LEVELS);
        sizes[*levels] = (int32_t)size;
        *processors *= size;
        if (*processors > 1 << 30)
            return pen_fail(PEN_ERR_UNSUPPORTED, "machine %s: more than 2^30 processors", r->spec);
    }
    return PEN_OK;
}

/* Complete the machine *n, or destroy it after a failure. */
static pen_status conclude(pen_status status, pen_network *n, pen_machine **machine)
{
    if (status == PEN_OK) *machine = pen_network_finish(n);
    else pen_network_destroy(n);
    return status;
}

/* ---- One function for each kind ---------------------------------------------------------------- */

typedef pen_status generate_fn(const request *r, pen_machine **machine);

static pen_status generate_flat(const request *r, pen_machine **machine)
{
    common c;
    int64_t processors = r->parts;
    pen_network *n;
    PEN_TRY(parse_common(r, false, &c));
    if (*r->first && (!pen_parse_int(r->first, &processors) || processors < 1))
        return pen_fail(PEN_ERR_INPUT, "machine %s: the number of processors must be at least 1", r->spec);
    PEN_TRY(pen_network_create(r->spec, processors, r->parts, PEN_NETWORK_TABLE, 1, &n));
    n->links[0] = c.link;
    return conclude(repeat_speeds(r, c.speeds, n), n, machine);
}

static pen_status generate_grid(const request *r, int64_t processors, int levels, const int32_t *sizes,
                                pen_machine **machine)
{
    common c;
    pen_network *n;
    PEN_TRY(parse_common(r, false, &c));
    PEN_TRY(pen_network_create(r->spec, processors, r->parts, PEN_NETWORK_TORUS, 1, &n));
    n->links[0] = c.link;
    n->levels = levels;
    memcpy(n->sizes, sizes, (size_t)levels * sizeof *sizes);
    int32_t *clusters = (int32_t *)(uintptr_t)n->machine.clusters;
    n->machine.cluster_count = n->machine.processors;
    for (int32_t p = 0; p < n->machine.processors; p++) clusters[p] = p;
    return conclude(repeat_speeds(r, c.speeds, n), n, machine);
}

static pen_status generate_torus(const request *r, pen_machine **machine)
{
    int32_t sizes[PEN_NETWORK_LEVELS];
    int64_t processors;
    int levels;
    PEN_TRY(parse_sizes(r, &processors, &levels, sizes));
    return generate_grid(r, processors, levels, sizes, machine);
}

/* A hypercube is a torus of two processors along each dimension. */
static pen_status generate_hypercube(const request *r, pen_machine **machine)
{
    int32_t sizes[PEN_NETWORK_LEVELS];
    int64_t dimensions = 0;
    if (!pen_parse_int(r->first, &dimensions) || dimensions < 0 || dimensions > PEN_NETWORK_LEVELS)
        return pen_fail(PEN_ERR_INPUT, "machine %s: the dimension must be 0..%d", r->spec, PEN_NETWORK_LEVELS);
    for (int64_t d = 0; d < dimensions; d++) sizes[d] = 2;
    return generate_grid(r, INT64_C(1) << dimensions, (int)dimensions, sizes, machine);
}

/* Set the costs of a tree's levels, from the top: the given ones, or 1 at the bottom and one more on each level
 * above. */
static pen_status fill_levels(const request *r, const char *costs, double latency, pen_network *n)
{
    const char *next = costs;
    for (int level = 0; level < n->levels; level++) {
        double cost = n->levels - level;
        if (costs && !next)
            return pen_fail(PEN_ERR_INPUT, "machine %s: costs must be as many as levels, %d", r->spec, n->levels);
        if (costs) PEN_TRY(next_number(r, "costs", 0.0, &next, &cost));
        n->links[level] = (pen_link){ latency, cost };
    }
    if (!next) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "machine %s: costs must be as many as levels, %d", r->spec, n->levels);
}

static pen_status generate_tree(const request *r, pen_machine **machine)
{
    common c;
    int32_t sizes[PEN_NETWORK_LEVELS];
    int64_t processors;
    int levels;
    pen_network *n;
    PEN_TRY(parse_common(r, true, &c));
    PEN_TRY(parse_sizes(r, &processors, &levels, sizes));
    PEN_TRY(pen_network_create(r->spec, processors, r->parts, PEN_NETWORK_TREE, levels, &n));
    n->levels = levels;
    memcpy(n->sizes, sizes, (size_t)levels * sizeof *sizes);
    int32_t *clusters = (int32_t *)(uintptr_t)n->machine.clusters;
    for (int32_t p = 0; p < n->machine.processors; p++) clusters[p] = p / sizes[levels - 1];
    n->machine.cluster_count = (n->machine.processors - 1) / sizes[levels - 1] + 1;
    pen_status status = fill_levels(r, c.costs, c.link.latency, n);
    if (status == PEN_OK) status = repeat_speeds(r, c.speeds, n);
    return conclude(status, n, machine);
}

static pen_status generate_clusters(const request *r, pen_machine **machine)
{
    static const char *const names[] = { "HO", "UP", "DN" };
    const char *kind = "HO";
    double between = 1.0;
    int64_t count = 0;
    const pen_option table[] = { { "between", "I", NULL, PEN_OPTION_REAL, &between, 0, 0 },
                                 { "kind", "HO|UP|DN", NULL, PEN_OPTION_TEXT, &kind, 0, 0 },
                                 { .name = NULL } };
    PEN_TRY(parse_settings(r, table));
    bool up = strcmp(kind, names[1]) == 0, down = strcmp(kind, names[2]) == 0;
    if (!up && !down && strcmp(kind, names[0]) != 0) return pen_unknown_name("kind of clusters", kind, names, 3);
    PEN_TRY(check_link(r, (pen_link){ 0.0, between }));
    if (!pen_parse_int(r->first, &count) || count < 1 || count > PEN_MOST_CLUSTERS)
        return pen_fail(PEN_ERR_INPUT, "machine %s: the number of clusters must be 1..%d", r->spec, PEN_MOST_CLUSTERS);
    pen_network *n;
    PEN_TRY(pen_network_create(r->spec, r->parts, r->parts, PEN_NETWORK_TABLE, count * count, &n));
    double *speeds = (double *)(uintptr_t)n->machine.speeds;
    int32_t *clusters = (int32_t *)(uintptr_t)n->machine.clusters;
    n->machine.cluster_count = (int32_t)count;
    for (int32_t p = 0; p < r->parts; p++) {
        clusters[p] = (int32_t)(p * count / r->parts);
        if (up || down) speeds[p] = 1.0 / (2 * clusters[p] + 1);
    }
    for (int64_t c = 0; c < count; c++)
        for (int64_t d = 0; d < count; d++) {
            double inner = 1.0;
            if (up) inner = 2.0 * (double)c + 1.0;
            if (down) inner = 2.0 * (double)(count - c) - 1.0;
            n->links[c * count + d] = (pen_link){ 0.0, c == d ? inner : between };
        }
    return conclude(PEN_OK, n, machine);
}

/* ---- Choice by name ---------------------------------------------------------------------------- */

static const struct {
    const char *name;
    generate_fn *generate;
} kinds[] = { { "flat", generate_flat },
              { "hypercube", generate_hypercube },
              { "torus", generate_torus },
              { "tree", generate_tree },
              { "clusters", generate_clusters } };

void pen_machine_list(FILE *out)
{
    fputs("flat[:P][,cost=C,latency=L,speeds=S:S:...]\n"
          "           every two processors are linked; the list of speeds (1) is repeated\n"
          "hypercube:D, torus:AxB[xC...], with the settings of flat\n"
          "           cost and latency are those of one hop\n"
          "tree:AxB[xC...][,costs=C:C:...,latency=L,speeds=S:S:...]\n"
          "           processors are leaves; A is the number of subtrees at the top; costs from the top (..., 2, 1)\n"
          "clusters:C[,between=I,kind=HO|UP|DN]\n"
          "           C clusters of equal size; I (1) is the cost between two clusters. HO: all are equal; UP, DN:\n"
          "           cluster i, from 1, is 2i-1 times slower; a link within it costs 2i-1 (UP) or 2C+1-2i (DN)\n"
          "host[,between=I,packages=J]\n"
          "           the ranks, clustered by their hosts and, with hwloc, by the packages and NUMA nodes to which "
          "they\n           are bound; I (10) is the cost between two hosts, J (2) between packages or NUMA nodes of a "
          "host\n"
          "FILE       a Scotch architecture if it ends in .tgt; otherwise a file, with a / or . in its path, of these "
          "lines\n           (% begins a comment):\n"
          "           processors N                                    total; the first line\n"
          "           seconds BYTES                                   units are seconds, costs those of BYTES\n"
          "           cluster NAME COUNT [speed=S,cost=C,latency=L]   COUNT processors, in the order of the lines\n"
          "           switch NAME                                     has no processors\n"
          "           link NAME NAME [cost=C,latency=L]               the cheapest path is used\n",
          out);
}

static pen_status generate(const char *name, const request *r, pen_machine **machine)
{
    const char *names[PEN_COUNT_OF(kinds)];
    for (int k = 0; k < PEN_COUNT_OF(kinds); k++) {
        if (strcmp(name, kinds[k].name) == 0) return kinds[k].generate(r, machine);
        names[k] = kinds[k].name;
    }
    return pen_unknown_name("machine", name, names, PEN_COUNT_OF(kinds));
}

pen_status pen_machine_generate(const char *spec, int parts, pen_machine **machine)
{
    char *text;
    PEN_TRY(pen_copy_text(spec, &text));
    size_t name = strcspn(text, ":,");
    bool first = text[name] == ':';
    request r = { spec, text + name, NULL, parts };
    if (*r.first) *r.first++ = '\0';
    size_t length = first ? strcspn(r.first, ",") : 0;
    r.settings = r.first + length;
    if (first && *r.settings) *r.settings++ = '\0';
    char none[] = "";
    if (!first) r.first = none;
    pen_status status = generate(text, &r, machine);
    free(text);
    return status;
}
