/* samplesort - random keys are sorted (W. D. Frazer, A. C. McKellar, 1970): a sample of all keys gives splitters, each
 * key goes to the block between its splitters, and each block is sorted.
 *
 * It shows: a program in three supersteps (BSP, L. Valiant, 1990), nodes with lists of data, and mail between nodes of
 * a graph without edges. The keys of a block stay in its mailbox until a phase receives them. */
#include <penumbra.h>

#include <stdlib.h>

typedef struct block {
    int64_t keys;
    uint64_t first, last;
} block;
enum { BLOCK };
typedef struct key {
    uint64_t value;
} key;
enum { KEY, SAMPLE, SPLITTER };
enum { KEYS, MOST }; /* observables: all keys, and those of the largest block */
enum { OVERSAMPLING = 64 };

typedef struct parameters {
    int64_t keys, blocks;
    pen_csr graph; /* this rank's part of it */
} parameters;

static const parameters *of(const pen_view *v) { return (const parameters *)pen_params(v); }

static void init(const pen_view *v)
{
    const int64_t first = of(v)->keys / of(v)->blocks * pen_id(v);
    const int64_t count = pen_id(v) == of(v)->blocks - 1 ? of(v)->keys - first : of(v)->keys / of(v)->blocks;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t value = pen_random(v, (uint64_t)i);
        PEN_SEND(v, KEY, key, pen_id(v))->value = value;
        if (i < OVERSAMPLING) PEN_SEND(v, SAMPLE, key, 0)->value = value;
    }
    *PEN_NEXT(v, BLOCK, block) = (block){ count, 0, 0 };
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = ((const key *)a)->value, y = ((const key *)b)->value;
    return (x > y) - (x < y);
}

/* The node's keys of a kind of mail, sorted, in memory that is valid until the node function returns. */
static key *sorted(const pen_view *v, int kind)
{
    const int64_t count = pen_mail_count(v, kind);
    key *keys = (key *)pen_scratch_get(v, (size_t)count * sizeof *keys);
    for (int64_t i = 0; i < count; i++) keys[i] = *PEN_MAIL(v, kind, key, i);
    qsort(keys, (size_t)count, sizeof *keys, ascending);
    return keys;
}

/* The first node sends the splitters to all. */
static void split(const pen_view *v)
{
    const int64_t samples = pen_mail_count(v, SAMPLE), blocks = of(v)->blocks;
    const key *keys = samples > 0 ? sorted(v, SAMPLE) : NULL;
    for (int64_t b = 0; samples > 0 && b < blocks; b++)
        for (int64_t s = 1; s < blocks; s++) *PEN_SEND(v, SPLITTER, key, b) = keys[samples * s / blocks];
}

static void deliver(const pen_view *v)
{
    for (int64_t i = 0; i < pen_mail_count(v, KEY); i++) {
        const key *one = PEN_MAIL(v, KEY, key, i);
        int64_t low = 0, high = pen_mail_count(v, SPLITTER); /* the number of splitters that are not greater */
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (PEN_MAIL(v, SPLITTER, key, middle)->value <= one->value) low = middle + 1;
            else high = middle;
        }
        *PEN_SEND(v, KEY, key, low) = *one;
    }
}

static void sort(const pen_view *v)
{
    const int64_t count = pen_mail_count(v, KEY);
    const key *keys = sorted(v, KEY);
    for (int64_t i = 0; i < count; i++) *PEN_SEND(v, KEY, key, pen_id(v)) = keys[i];
    *PEN_NEXT(v, BLOCK, block) = count ? (block){ count, keys[0].value, keys[count - 1].value } : (block){ 0, 0, 0 };
}

static void observe(const pen_view *v, pen_observation *o)
{
    pen_observe_int(o, KEYS, PEN_SELF(v, BLOCK, block)->keys);
    pen_observe_int(o, MOST, PEN_SELF(v, BLOCK, block)->keys);
}
PEN_OBSERVE_SWEEP(observe)

static void print(const pen_view *v, FILE *out)
{
    for (int64_t i = 0; i < pen_mail_count(v, KEY); i++)
        fprintf(out, "%s%" PRIu64, i > 0 ? " " : "", PEN_MAIL(v, KEY, key, i)->value);
}

static const char *rows(void *params, const pen_world *world, int rank, pen_csr *mine)
{
    if (world->steps > 1) return "one step sorts all keys: --steps must be 1";
    const int64_t blocks = ((parameters *)params)->blocks;
    const int64_t first = blocks * rank / world->ranks, count = blocks * (rank + 1) / world->ranks - first;
    pen_gid *gids = malloc((size_t)(count + 1) * sizeof *gids);
    int64_t *ends = calloc((size_t)count + 1, sizeof *ends);
    if (!gids || !ends) return "there is no memory for the blocks";
    for (int64_t i = 0; i < count; i++) gids[i] = first + i;
    *mine = ((parameters *)params)->graph = (pen_csr){
        .count = (pen_lid)count, .gids = gids, .rows = ends, .neighbors = gids
    };
    return NULL;
}

int main(int argc, char **argv)
{
    static parameters p = { .keys = 100000, .blocks = 64 };
    static const pen_option options[] = {
        { "keys", "N", "the number of keys (100000)", PEN_OPTION_INT, &p.keys, 0, INT64_C(1) << 40 },
        { "blocks", "N", "the number of blocks (64)", PEN_OPTION_INT, &p.blocks, 1, 1 << 20 },
        { .name = NULL },
    };
    static const pen_mail mails[] = { { .name = "key", .size = sizeof(key) },
                                      { .name = "sample", .size = sizeof(key) },
                                      { .name = "splitter", .size = sizeof(key) } };
    static const pen_field fields[] = { { "block", sizeof(block), .plain = true } };
    static const pen_member members[] = { PEN_MEMBER(BLOCK, block, keys, PEN_I64),
                                          PEN_MEMBER(BLOCK, block, first, PEN_U64),
                                          PEN_MEMBER(BLOCK, block, last, PEN_U64) };
    static const pen_phase phases[] = {
        { "split", .node = split, .receives = PEN_SET(SAMPLE), .sends = PEN_SET(SPLITTER) },
        { "deliver", .node = deliver, .receives = PEN_SET(KEY, SPLITTER), .sends = PEN_SET(KEY) },
        { "sort", .node = sort, .writes = PEN_SET(BLOCK), .receives = PEN_SET(KEY), .sends = PEN_SET(KEY) },
    };
    static const pen_observable observables[] = { { "keys", PEN_SUM_INT, 1 }, { "most", PEN_MAX_INT, 1 } };
    static const pen_app app = { .name = "samplesort",
                                 PEN_FIELDS(fields),
                                 PEN_MAILS(mails),
                                 .output = { .print = print, PEN_MEMBERS(members) },
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .options = options,
                                 .params = &p,
                                 .graph.rows = rows,
                                 .end.steps = 1 };
    return pen_main(&app, argc, argv);
}
