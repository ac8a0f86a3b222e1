/* architecture_host.c - describes the hosts of the ranks as an architecture of Scotch. */
#include "partition/architecture_host.h"
#include "base/memory.h"
#include "base/memory_stream.h"

#include <stdlib.h>

enum { MOST_DOMAINS = 46340 }; /* equal to MOST_DOMAINS in architecture.c */

int pen_seats_apart(const pen_seat *a, const pen_seat *b)
{
    if (a->host != b->host) return PEN_APART_HOSTS;
    if (a->binding.package != b->binding.package) return PEN_APART_PACKAGES;
    return a->binding.cache != b->binding.cache ? PEN_APART_CACHES : PEN_APART_CORES;
}

typedef struct leaf {
    const pen_seat *seat;
    int32_t rank;
} leaf;

static int compare(int32_t a, int32_t b) { return (a > b) - (a < b); }

static int by_seat(const void *a, const void *b)
{
    const leaf *x = a, *y = b;
    if (x->seat->host != y->seat->host) return compare(x->seat->host, y->seat->host);
    if (x->seat->binding.package != y->seat->binding.package)
        return compare(x->seat->binding.package, y->seat->binding.package);
    if (x->seat->binding.cache != y->seat->binding.cache)
        return compare(x->seat->binding.cache, y->seat->binding.cache);
    return compare(x->rank, y->rank);
}

/* The first leaf of the next part after leaf `at`. Leaves of different parts are at least `apart` from each other. */
static int next_part(const leaf *leaves, int ranks, int at, int apart)
{
    int to = at + 1;
    while (to < ranks && pen_seats_apart(leaves[to - 1].seat, leaves[to].seat) < apart) to++;
    return to;
}

enum { LEVELS = 4 };
static const int level_apart[LEVELS + 1] = { PEN_APART_HOSTS, PEN_APART_PACKAGES, PEN_APART_CACHES, PEN_APART_CORES,
                                             0 };

/* Count the parts into which each part of a level is divided; false if the numbers differ. */
static bool count_parts(const leaf *leaves, int ranks, int level, int *size)
{
    int whole = level > 0 ? level_apart[level - 1] : INT32_MAX;
    *size = 0;
    for (int at = 0; at < ranks;) {
        int end = next_part(leaves, ranks, at, whole), parts = 0;
        for (; at < end; parts++) at = next_part(leaves, end, at, level_apart[level]);
        if (*size == 0) *size = parts;
        if (parts != *size) return false;
    }
    return true;
}

/* Write the tree. A level with only one part is left out; its distance is added to the next level's. */
static void write_tree(const int sizes[LEVELS], const leaf *leaves, int ranks, FILE *out)
{
    int levels = 0;
    bool sorted = true;
    for (int l = 0; l < LEVELS; l++) levels += sizes[l] > 1;
    for (int r = 0; r < ranks; r++) sorted = sorted && leaves[r].rank == r;
    fprintf(out, "%s %d", sorted ? "tleaf" : "ltleaf", levels);
    for (int l = 0; l < LEVELS; l++) {
        int below = l + 1;
        if (sizes[l] == 1) continue;
        while (below < LEVELS && sizes[below] == 1) below++;
        fprintf(out, " %d %d", sizes[l], level_apart[l] - level_apart[below]);
    }
    if (sorted) return;
    fprintf(out, " %d", ranks);
    for (int r = 0; r < ranks; r++) fprintf(out, " %d", leaves[r].rank);
}

/* Find a position at which to divide leaves `from` .. `to`-1 into two halves: between parts with the largest distance,
 * near the middle. */
static int find_cut(const leaf *leaves, int from, int to)
{
    int best = from + 1, middle = from + (to - from) / 2, farthest = 0;
    for (int at = from + 1; at < to; at++) {
        int apart = pen_seats_apart(leaves[at - 1].seat, leaves[at].seat);
        if (apart > farthest || (apart == farthest && abs(at - middle) < abs(best - middle))) best = at;
        if (apart > farthest) farthest = apart;
    }
    return best;
}

/* Number the domains of each leaf's rank, where `domain` contains all of them; false: there are too many. */
static bool number_domains(const leaf *leaves, int from, int to, int64_t domain, int64_t *domains)
{
    if (domain > MOST_DOMAINS) return false;
    if (to - from == 1) {
        domains[leaves[from].rank] = domain;
        return true;
    }
    int cut = find_cut(leaves, from, to);
    return number_domains(leaves, from, cut, 2 * domain, domains) &&
           number_domains(leaves, cut, to, 2 * domain + 1, domains);
}

static pen_status write_decomposition(const pen_seat *seats, const leaf *leaves, int ranks, FILE *out)
{
    int64_t *domains, last = 0;
    PEN_TRY(PEN_ALLOC(&domains, ranks));
    bool few = number_domains(leaves, 0, ranks, 1, domains);
    for (int r = 0; r < ranks && few; r++) last = domains[r] > last ? domains[r] : last;
    if (few) fprintf(out, "deco 0 %d %" PRId64, ranks, last);
    for (int r = 0; r < ranks && few; r++) fprintf(out, " %d 1 %" PRId64, r, domains[r]);
    for (int r = 1; r < ranks && few; r++)
        for (int q = 0; q < r; q++) fprintf(out, " %d", pen_seats_apart(&seats[q], &seats[r]));
    free(domains);
    if (few) return PEN_OK;
    return pen_fail(PEN_ERR_UNSUPPORTED,
                    "architecture host: %d ranks are spread too unevenly for Scotch; use --machine=host", ranks);
}

static pen_status write_text(const pen_seat *seats, leaf *leaves, int ranks, FILE *out)
{
    int sizes[LEVELS];
    bool alike = true;
    for (int r = 0; r < ranks; r++) leaves[r] = (leaf){ &seats[r], r };
    qsort(leaves, (size_t)ranks, sizeof *leaves, by_seat);
    for (int l = 0; l < LEVELS; l++) alike = count_parts(leaves, ranks, l, &sizes[l]) && alike;
    if (pen_seats_apart(leaves[0].seat, leaves[ranks - 1].seat) == PEN_APART_CORES) fprintf(out, "cmplt %d", ranks);
    else if (alike) write_tree(sizes, leaves, ranks, out);
    else return write_decomposition(seats, leaves, ranks, out);
    return PEN_OK;
}

pen_status pen_seats_architecture(const pen_seat *seats, int ranks, char **text)
{
    leaf *leaves;
    size_t size;
    *text = NULL;
    PEN_TRY(PEN_ALLOC(&leaves, ranks));
    FILE *out = pen_memory_stream(text, &size);
    pen_status status = out ? write_text(seats, leaves, ranks, out) : pen_fail(PEN_ERR_MEMORY, "out of memory");
    if (out && fclose(out) != 0 && status == PEN_OK) status = pen_fail(PEN_ERR_MEMORY, "out of memory");
    free(leaves);
    if (status == PEN_OK) return PEN_OK;
    free(*text);
    *text = NULL;
    return status;
}

pen_status pen_host_architecture(pen_comm *comm, int parts, char **text)
{
    pen_seat *seats = NULL;
    if (*pen_binding_version() == '\0')
        return pen_fail(PEN_ERR_UNSUPPORTED, "architecture host: this build has no hwloc, which finds packages and "
                                             "caches; --machine=host finds the hosts");
    if (parts > 0 && parts != comm->size)
        return pen_fail(PEN_ERR_INPUT, "architecture host: its processors are the ranks, %d, not %d", comm->size,
                        parts);
    PEN_TRY(pen_topology_seats(comm, &seats));
    pen_status status = comm->rank == 0 ? pen_seats_architecture(seats, comm->size, text) : PEN_OK;
    free(seats);
    return pen_agree(comm, status);
}
