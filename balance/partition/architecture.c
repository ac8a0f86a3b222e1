/* architecture.c - reads Scotch's target architectures. */
#include "partition/architecture.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text_file.h"
#include "partition/architecture_host.h"
#include "partition/quiet.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum {
    SHORT = 60,           /* characters of a text that messages quote */
    MOST_DOMAINS = 46340, /* Scotch counts pairs of domains in 32 bits */
    /* Largest number of processors of an architecture from which "sub" takes some, since each takes memory. */
    MOST_WHOLE = 1 << 24
};

/* ---- Words and numbers ------------------------------------------------------------------------- */

typedef struct source {
    const char *name; /* name of the text, for messages */
    const char *next; /* the rest of the text, which is still to be read */
} source;

static const char *skip_space(const char *text)
{
    while (isspace((unsigned char)*text)) text++;
    return text;
}

static int word_length(const char *text)
{
    int n = 0;
    while (text[n] != '\0' && !isspace((unsigned char)text[n])) n++;
    return n;
}

static pen_status bad(const source *s, const char *what, const char *found)
{
    return pen_fail(PEN_ERR_INPUT, "architecture %s: %s, found \"%.*s\"", s->name, what,
                    word_length(found) < SHORT ? word_length(found) : SHORT, found);
}

/* Read the next word, an integer in [low, high]. */
static pen_status read_number(source *s, const char *what, int64_t low, int64_t high, int64_t *number)
{
    s->next = skip_space(s->next);
    char word[24], expected[120];
    int length = word_length(s->next);
    snprintf(word, sizeof word, "%.*s", length, s->next);
    if (length >= (int)sizeof word || !pen_parse_int(word, number) || *number < low || *number > high) {
        snprintf(expected, sizeof expected, "%s must be %" PRId64 "..%" PRId64, what, low, high);
        return bad(s, expected, s->next);
    }
    s->next += length;
    return PEN_OK;
}

/* Read `count` distinct numbers in [0, limit). */
static pen_status read_distinct(source *s, const char *what, int64_t count, int64_t limit)
{
    unsigned char *seen;
    PEN_TRY(PEN_ALLOC_ZERO(&seen, limit));
    pen_status status = PEN_OK;
    for (int64_t i = 0; i < count && status == PEN_OK; i++) {
        int64_t number = 0;
        const char *word = skip_space(s->next);
        status = read_number(s, what, 0, limit - 1, &number);
        if (status == PEN_OK && seen[number]++) status = bad(s, "no number may occur twice", word);
    }
    free(seen);
    return status;
}

/* ---- One function for each kind of architecture ------------------------------------------------ */

/* A function that parses the parameters after the name of a kind, and sets processors and diameter. */
typedef pen_status read_fn(source *s, int dimensions, pen_architecture *a);

static pen_status multiply(const source *s, int64_t *product, int64_t factor)
{
    *product *= factor;
    if (*product <= INT32_MAX) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "architecture %s: more than %d processors", s->name, INT32_MAX);
}

static pen_status read_count(source *s, int32_t low, pen_architecture *a)
{
    int64_t n = 0;
    PEN_TRY(read_number(s, "the number of processors", low, INT32_MAX, &n));
    a->processors = (int32_t)n;
    return PEN_OK;
}

static pen_status read_complete(source *s, int weighted, pen_architecture *a)
{
    PEN_TRY(read_count(s, 1, a));
    int32_t weights = weighted ? a->processors : 0;
    int64_t weight, sum = 0;
    for (int32_t i = 0; i < weights; i++) {
        PEN_TRY(read_number(s, "a weight", 1, INT32_MAX - sum, &weight));
        sum += weight;
    }
    a->diameter = 1;
    return PEN_OK;
}

static pen_status read_hypercube(source *s, int unused, pen_architecture *a)
{
    PEN_TRY(read_number(s, "the dimension", 1, 30, &a->diameter));
    a->processors = INT32_C(1) << a->diameter;
    return PEN_OK;
}

static pen_status read_sizes(source *s, int dimensions, bool torus, pen_architecture *a)
{
    int64_t count = dimensions, size, product = 1;
    if (dimensions == 0) PEN_TRY(read_number(s, "the number of dimensions", 1, 5, &count));
    for (int64_t d = 0; d < count; d++) {
        PEN_TRY(read_number(s, "a size", 1, INT32_MAX, &size));
        PEN_TRY(multiply(s, &product, size));
        a->diameter += torus ? size / 2 : size - 1;
    }
    a->processors = (int32_t)product;
    return PEN_OK;
}

static pen_status read_mesh(source *s, int dimensions, pen_architecture *a)
{
    return read_sizes(s, dimensions, false, a);
}
static pen_status read_torus(source *s, int dimensions, pen_architecture *a)
{
    return read_sizes(s, dimensions, true, a);
}

static pen_status read_tree(source *s, int labelled, pen_architecture *a)
{
    enum { LEVELS = 30 }; /* largest number of levels: 2^31 leaves would have 31 */
    int64_t levels, sizes[LEVELS], link, product = 1, permuted;
    PEN_TRY(read_number(s, "the number of levels", 1, LEVELS, &levels));
    for (int64_t l = 0; l < levels; l++) {
        PEN_TRY(read_number(s, "the size of a level", 2, INT32_MAX, &sizes[l]));
        PEN_TRY(read_number(s, "the link cost of a level", 1, INT32_MAX, &link));
        PEN_TRY(multiply(s, &product, sizes[l]));
        a->diameter += link;
    }
    a->processors = (int32_t)product;
    if (!labelled) return PEN_OK;
    PEN_TRY(read_number(s, "the number of permuted leaves", 1, product, &permuted));
    int64_t trailing = 1;
    for (int64_t l = levels - 1; l >= 0 && trailing < permuted; l--) trailing *= sizes[l];
    if (trailing != permuted)
        return pen_fail(PEN_ERR_INPUT,
                        "architecture %s: %" PRId64 " permuted leaves, must be a product of the last sizes", s->name,
                        permuted);
    return read_distinct(s, "the number of a leaf", permuted, permuted);
}

/* ---- Architectures defined by their decomposition ---------------------------------------------- */

/* A domain of the binary tree with root 1, in which i has the children 2i and 2i + 1. */
typedef struct domain {
    int64_t label, size, weight; /* `size` is the number of processors in the domain; 0: the domain is not used */
} domain;

/* Check that every used domain is one processor, or two used domains, and that labels of processors are 0..N-1. Since
 * each of the N labels occurs once, no domain below a processor is used. */
static pen_status check_tree(const source *s, const domain *d, int64_t domains, int64_t processors)
{
    unsigned char *seen;
    PEN_TRY(PEN_ALLOC_ZERO(&seen, processors));
    bool good = d[1].size == processors;
    for (int64_t i = 1; i <= domains && good; i++) {
        if (d[i].size > 1)
            good = 2 * i + 1 <= domains && d[2 * i].size > 0 && d[2 * i + 1].size > 0 &&
                   d[2 * i].size + d[2 * i + 1].size == d[i].size &&
                   d[2 * i].weight + d[2 * i + 1].weight == d[i].weight;
        if (d[i].size == 1)
            good = d[i].label >= 0 && d[i].label < processors && d[i].weight > 0 && seen[d[i].label]++ == 0;
    }
    free(seen);
    if (good) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT,
                    "architecture %s: its domains must form a tree with %" PRId64 " processors, numbered from 0, at "
                    "its leaves",
                    s->name, processors);
}

static pen_status read_terminals(source *s, domain *d, int64_t domains, int64_t processors)
{
    int64_t label, weight, number;
    for (int64_t k = 0; k < processors; k++) {
        PEN_TRY(read_number(s, "the label of a processor", 0, processors - 1, &label));
        PEN_TRY(read_number(s, "a weight", 1, INT32_MAX / processors, &weight));
        PEN_TRY(read_number(s, "the number of a domain", 1, domains, &number));
        d[number] = (domain){ label, 1, weight };
    }
    for (int64_t i = domains; i > 1; i--) {
        d[i / 2].size += d[i].size;
        d[i / 2].weight += d[i].weight;
    }
    return PEN_OK;
}

static pen_status read_domains(source *s, domain *d, int64_t domains, int64_t processors)
{
    for (int64_t i = 1; i <= domains; i++) {
        PEN_TRY(read_number(s, "the label of a domain", -1, processors - 1, &d[i].label));
        PEN_TRY(read_number(s, "the size of a domain", 0, processors, &d[i].size));
        PEN_TRY(read_number(s, "the weight of a domain", 0, INT32_MAX, &d[i].weight));
    }
    return PEN_OK;
}

static pen_status read_decomposition(source *s, int unused, pen_architecture *a)
{
    int64_t kind, domains, distance;
    PEN_TRY(read_number(s, "the kind of deco", 0, 2, &kind));
    if (kind == 2)
        return pen_fail(PEN_ERR_UNSUPPORTED, "architecture %s: deco 2 cannot be checked; let amk_grf write deco 1",
                        s->name);
    PEN_TRY(read_count(s, 1, a));
    PEN_TRY(read_number(s, "the number of domains", a->processors, MOST_DOMAINS, &domains));
    domain *d;
    PEN_TRY(PEN_ALLOC_ZERO(&d, domains + 1));
    pen_status status = (kind == 0 ? read_terminals : read_domains)(s, d, domains, a->processors);
    if (status == PEN_OK) status = check_tree(s, d, domains, a->processors);
    free(d);
    PEN_TRY(status);
    int64_t n = kind == 0 ? a->processors : domains;
    for (int64_t k = 0; k < n * (n - 1) / 2; k++) {
        /* Scotch adds up to four distances. */
        PEN_TRY(read_number(s, "a distance", kind == 0, INT32_MAX / 8, &distance));
        if (distance > a->diameter) a->diameter = distance;
    }
    return PEN_OK;
}

/* ---- Choice by name ---------------------------------------------------------------------------- */

static read_fn read_sub;

static const struct {
    const char *name;
    read_fn *read; /* reads the parameters; NULL: this kind is refused */
    int argument;
} kinds[] = {
    { "cmplt", read_complete, false }, { "cmpltw", read_complete, true }, { "hcub", read_hypercube, 0 },
    { "mesh2D", read_mesh, 2 },        { "mesh3D", read_mesh, 3 },        { "meshXD", read_mesh, 0 },
    { "torus2D", read_torus, 2 },      { "torus3D", read_torus, 3 },      { "torusXD", read_torus, 0 },
    { "tleaf", read_tree, false },     { "ltleaf", read_tree, true },     { "sub", read_sub, 0 },
    { "deco", read_decomposition, 0 }, { "varcmplt", NULL, 0 },           { "varhcub", NULL, 0 },
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The index of the kind that the text's first word names, or -1. */
static int find_kind(const char *text)
{
    text = skip_space(text);
    size_t length = (size_t)word_length(text);
    for (int k = 0; k < KINDS; k++)
        if (strlen(kinds[k].name) == length && strncasecmp(kinds[k].name, text, length) == 0) return k;
    return -1;
}

static pen_status read_kind(source *s, int k, pen_architecture *a)
{
    if (!kinds[k].read)
        return pen_fail(PEN_ERR_UNSUPPORTED, "architecture %s: %s has no fixed number of processors", s->name,
                        kinds[k].name);
    s->next = skip_space(s->next) + strlen(kinds[k].name);
    a->processors = 0;
    a->diameter = 0;
    return kinds[k].read(s, kinds[k].argument, a);
}

static pen_status read_sub(source *s, int unused, pen_architecture *a)
{
    PEN_TRY(read_count(s, 2, a)); /* Scotch 7.0.3 crashes with one dimension */
    int32_t count = a->processors;
    source numbers = *s;
    for (int32_t i = 0; i < count; i++) {
        int64_t number;
        PEN_TRY(read_number(s, "the number of a processor", 0, INT32_MAX, &number));
    }
    int k = find_kind(s->next);
    /* Scotch 7.0.3 cannot take these either. */
    if (k < 0 || kinds[k].read == read_sub || kinds[k].read == read_decomposition)
        return bad(s, "sub needs an architecture after its numbers, other than sub and deco", skip_space(s->next));
    PEN_TRY(read_kind(s, k, a));
    if (a->processors > MOST_WHOLE)
        return pen_fail(PEN_ERR_UNSUPPORTED, "architecture %s: sub of %" PRId32 " processors, at most %d are possible",
                        s->name, a->processors, MOST_WHOLE);
    PEN_TRY(read_distinct(&numbers, "the number of a processor", count, a->processors));
    a->processors = count;
    return PEN_OK;
}

static pen_status read_text(source *s, int k, int parts, pen_architecture *a)
{
    PEN_TRY(read_kind(s, k, a));
    s->next = skip_space(s->next);
    if (*s->next != '\0') return bad(s, "nothing may follow", s->next);
    if (parts > 0 && a->processors != parts)
        return pen_fail(PEN_ERR_INPUT, "architecture %s: it has %" PRId32 " processors, must be as many as parts, %d",
                        s->name, a->processors, parts);
    return PEN_OK;
}

/* ---- Files of architectures -------------------------------------------------------------------- */

/* Read the file at `path`, the user's text, which may be a misspelt kind of architecture instead. */
static pen_status open_file(const char *path, char **text)
{
    FILE *file;
    if (pen_text_open(path, &file) != PEN_OK) {
        const char *names[KINDS + 1];
        for (int k = 0; k < KINDS; k++) names[k] = kinds[k].name;
        names[KINDS] = "host";
        char word[SHORT];
        snprintf(word, sizeof word, "%.*s", word_length(path), path);
        if (access(path, F_OK) != 0 && !strchr(path, '/') && !strchr(path, '.'))
            return pen_unknown_name("architecture", word, names, KINDS + 1);
        return pen_fail(PEN_ERR_IO, "architecture file %s", pen_error_message());
    }
    pen_status status = pen_text_read("architecture", path, file, text);
    fclose(file);
    return status;
}

/* Get the text that Scotch may read, on rank 0. */
static pen_status fetch_text(const char *given, int parts, char **text)
{
    char name[SHORT], complete[24];
    snprintf(complete, sizeof complete, "cmplt %d", parts);
    if (!given) given = complete;
    snprintf(name, sizeof name, "%s", given);
    PEN_TRY(find_kind(given) < 0 ? open_file(given, text) : pen_copy_text(given, text));
    source s = { name, *text };
    int k = find_kind(*text);
    if (k < 0) return bad(&s, "it must begin with the name of an architecture", skip_space(*text));
    pen_architecture unused = { .processors = 0 };
    return read_text(&s, k, parts, &unused);
}

/* ---- Building for Scotch ----------------------------------------------------------------------- */

/* Refuse meshXD if its opposite corners are too near: Scotch 7.0.3 treats it as a torus. */
static pen_status check_corners(pen_architecture *a, const char *name)
{
    SCOTCH_ArchDom first, last;
    if (SCOTCH_archDomTerm(&a->scotch, &first, 0) == 0 &&
        SCOTCH_archDomTerm(&a->scotch, &last, a->processors - 1) == 0 &&
        SCOTCH_archDomDist(&a->scotch, &first, &last) == a->diameter)
        return PEN_OK;
    return pen_fail(PEN_ERR_UNSUPPORTED, "architecture %s: this Scotch measures it as a torus; use mesh2D or mesh3D",
                    name);
}

static pen_status load(const char *text, int parts, pen_architecture **architecture)
{
    pen_architecture *a;
    source s = { "", text };
    int k = find_kind(text);
    PEN_TRY(PEN_ALLOC_ZERO(&a, 1));
    pen_status status = read_text(&s, k, parts, a);
    FILE *file = NULL;
    SCOTCH_archInit(&a->scotch);
    if (status == PEN_OK && !(file = fmemopen((void *)(uintptr_t)text, strlen(text), "r")))
        status = pen_fail(PEN_ERR_MEMORY, "out of memory for an architecture");
    if (file) {
        int kept = pen_quiet(STDERR_FILENO);
        if (SCOTCH_archLoad(&a->scotch, file) != 0) {
            SCOTCH_archInit(&a->scotch); /* a failed architecture cannot be freed, so it is reinitialised */
            status = pen_fail(PEN_ERR_UNSUPPORTED, "Scotch refuses the architecture %.*s", SHORT, text);
        }
        pen_unquiet(STDERR_FILENO, kept);
        fclose(file);
    }
    if (status == PEN_OK && kinds[k].read == read_mesh) status = check_corners(a, kinds[k].name);
    if (status == PEN_OK) *architecture = a;
    else pen_architecture_destroy(&a);
    return status;
}

pen_status pen_architecture_create(pen_comm *comm, const char *text, int parts, pen_architecture **architecture)
{
    char *all = NULL;
    pen_architecture *a = NULL;
    bool host = text && strcmp(text, "host") == 0;
    pen_status status = host ? pen_host_architecture(comm, parts, &all) : PEN_OK;
    if (!host) status = pen_agree(comm, comm->rank == 0 ? fetch_text(text, parts, &all) : PEN_OK);
    if (status == PEN_OK) status = pen_text_distribute(comm, &all);
    if (status == PEN_OK) status = pen_agree(comm, load(all, parts, &a));
    free(all);
    if (status == PEN_OK) *architecture = a;
    else pen_architecture_destroy(&a);
    return status;
}

void pen_architecture_destroy(pen_architecture **architecture)
{
    if (!architecture || !*architecture) return;
    SCOTCH_archExit(&(*architecture)->scotch);
    free(*architecture);
    *architecture = NULL;
}
