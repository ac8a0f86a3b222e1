/* machine_text.c - reads and writes machines as text, in the format of machine.h. */
#include "view/machine_text.h"
#include "base/key_table.h"
#include "base/memory.h"
#include "base/options.h"
#include "view/network.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_WORDS = 5, LONGEST = 1023 };

/* A cluster, or a switch, which has no processors. */
typedef struct site {
    uint64_t key; /* hash of the name; the first member, since tables of keys require it */
    char name[PEN_CLUSTER_NAME];
    int64_t line;
    int32_t processors;
    double speed;
    pen_link inner;
} site;

typedef struct reader {
    const char *name; /* name of the text for messages */
    int64_t line;
    site sites[PEN_MOST_CLUSTERS]; /* [count] clusters and switches */
    int32_t count, room;           /* number of sites so far, and the largest number by the lines of the text */
    int64_t wanted, processors; /* number of processors that the first line requires, and that of the clusters so far */
    int64_t record;             /* bytes of a unit of data, as in pen_network.record */
    pen_key_table names;
    pen_link *links; /* [room][room] cheapest links so far; infinite: there is no link */
} reader;

static pen_link *link_of(const reader *r, int32_t a, int32_t b) { return &r->links[(int64_t)a * r->room + b]; }

/* ---- Lines ------------------------------------------------------------------------------------- */

static pen_status bad(const reader *r, const char *what, const char *word)
{
    return pen_fail(PEN_ERR_INPUT, "machine %s:%" PRId64 ": %s%s%.60s%s", r->name, r->line, what,
                    word ? ", found \"" : "", word ? word : "", word ? "\"" : "");
}

/* Read the settings of a line, "key=value,...", or nothing. */
static pen_status read_settings(const reader *r, char *settings, const pen_option *table)
{
    if (!settings) return PEN_OK;
    char owner[120];
    snprintf(owner, sizeof owner, "machine %.80s:%" PRId64, r->name, r->line);
    return pen_settings_parse(owner, settings, table);
}

static pen_status read_link(const reader *r, char *settings, double *speed, pen_link *link)
{
    *link = (pen_link){ 0.0, 1.0 };
    const pen_option table[] = { { "cost", "C", NULL, PEN_OPTION_REAL, &link->cost, 0, 0 },
                                 { "latency", "L", NULL, PEN_OPTION_REAL, &link->latency, 0, 0 },
                                 { speed ? "speed" : NULL, "S", NULL, PEN_OPTION_REAL, speed, 0, 0 },
                                 { .name = NULL } };
    PEN_TRY(read_settings(r, settings, table));
    if (!(link->cost >= 0.0)) return bad(r, "a cost must be >= 0", NULL);
    if (!(link->latency >= 0.0)) return bad(r, "a latency must be >= 0", NULL);
    if (fmax(fmax(link->cost, link->latency), speed ? *speed : 0.0) > PEN_MOST_MEASURE)
        return bad(r, "costs, latencies and speeds must be at most 1e290", NULL);
    return speed && !(*speed > 0.0) ? bad(r, "a speed must be > 0", NULL) : PEN_OK;
}

/* The entry of a name in the table of sites. */
static uint32_t *entry_of(const reader *r, const char *name, uint64_t *key)
{
    *key = pen_hash_bytes(name, strlen(name));
    return pen_key_entry(&r->names, r->sites, sizeof *r->sites, *key);
}

static pen_status add_site(reader *r, const char *name, int64_t processors, double speed, pen_link inner)
{
    uint64_t key;
    uint32_t *entry = entry_of(r, name, &key);
    if (*entry) return bad(r, "the name is in use already", name);
    if (r->count == PEN_MOST_CLUSTERS)
        return pen_fail(PEN_ERR_UNSUPPORTED, "machine %s:%" PRId64 ": more than %d clusters and switches", r->name,
                        r->line, PEN_MOST_CLUSTERS);
    site *s = &r->sites[r->count++];
    *s = (site){ key, "", r->line, (int32_t)processors, speed, inner };
    snprintf(s->name, sizeof s->name, "%s", name);
    r->processors += processors;
    *entry = (uint32_t)r->count;
    return PEN_OK;
}

static pen_status read_cluster(reader *r, char **words)
{
    int64_t processors;
    double speed = 1.0;
    pen_link inner;
    if (!words[2] || !pen_parse_int(words[2], &processors) || processors < 1 || processors > 1 << 30)
        return bad(r, "cluster NAME COUNT: the count must be at least 1", words[2] ? words[2] : "");
    PEN_TRY(read_link(r, words[3], &speed, &inner));
    return add_site(r, words[1], processors, speed, inner);
}

static pen_status read_switch(reader *r, char **words)
{
    if (words[2]) return bad(r, "nothing may follow the name of a switch", words[2]);
    return add_site(r, words[1], 0, 0.0, (pen_link){ 0.0, 0.0 });
}

static bool is_nearer(pen_link a, pen_link b) { return a.cost != b.cost ? a.cost < b.cost : a.latency < b.latency; }

static pen_status read_joint(reader *r, char **words)
{
    int32_t ends[2];
    pen_link link;
    if (!words[2]) return bad(r, "link NAME NAME", "");
    PEN_TRY(read_link(r, words[3], NULL, &link));
    for (int k = 0; k < 2; k++) {
        uint64_t key;
        uint32_t entry = *entry_of(r, words[1 + k], &key);
        if (entry == 0) return bad(r, "a link needs names of earlier lines", words[1 + k]);
        ends[k] = (int32_t)entry - 1;
    }
    if (ends[0] == ends[1]) return bad(r, "a link needs two names", words[1]);
    if (!is_nearer(link, *link_of(r, ends[0], ends[1]))) return PEN_OK;
    *link_of(r, ends[0], ends[1]) = *link_of(r, ends[1], ends[0]) = link;
    return PEN_OK;
}

static pen_status read_processors(reader *r, char **words)
{
    if (r->wanted > 0) return bad(r, "processors may occur only once", NULL);
    if (pen_parse_int(words[1], &r->wanted) && r->wanted >= 1 && r->wanted <= 1 << 30 && !words[2]) return PEN_OK;
    return bad(r, "processors N: N must be 1..2^30", words[1]);
}

static pen_status read_seconds(reader *r, char **words)
{
    if (r->record > 0) return bad(r, "seconds may occur only once", NULL);
    if (pen_parse_int(words[1], &r->record) && r->record >= 1 && r->record <= 1 << 30 && !words[2]) return PEN_OK;
    return bad(r, "seconds BYTES: BYTES must be 1..2^30", words[1]);
}

static pen_status read_words(reader *r, char **words)
{
    static const struct {
        const char *name;
        pen_status (*read)(reader *r, char **words);
    } kinds[] = { { "processors", read_processors },
                  { "seconds", read_seconds },
                  { "cluster", read_cluster },
                  { "switch", read_switch },
                  { "link", read_joint } };
    if (words[MOST_WORDS - 1]) return bad(r, "nothing may follow", words[MOST_WORDS - 1]);
    int k = 0;
    while (k < PEN_COUNT_OF(kinds) && strcmp(words[0], kinds[k].name) != 0) k++;
    if (k == PEN_COUNT_OF(kinds))
        return bad(r, "a line begins with processors, seconds, cluster, switch or link", words[0]);
    if (!words[1]) return bad(r, "something must follow", words[0]);
    if (r->wanted == 0 && k > 0) return bad(r, "the first line must be processors N", words[0]);
    return kinds[k].read(r, words);
}

/* Read one line, which may be modified. */
static pen_status read_line(reader *r, char *line)
{
    static const char between[] = " \t\r\v\f";
    char *words[MOST_WORDS] = { NULL }, *rest = NULL;
    int count = 0;
    line[strcspn(line, "%")] = '\0';
    for (char *w = strtok_r(line, between, &rest); w && count < MOST_WORDS; w = strtok_r(NULL, between, &rest))
        words[count++] = w;
    return count > 0 ? read_words(r, words) : PEN_OK;
}

static pen_status read_lines(reader *r, const char *text)
{
    char line[LONGEST + 1];
    for (const char *next = text; *next;) {
        size_t length = strcspn(next, "\n");
        r->line++;
        if (length > LONGEST) return bad(r, "a line of more than 1023 bytes", NULL);
        memcpy(line, next, length);
        line[length] = '\0';
        PEN_TRY(read_line(r, line));
        next += length + (next[length] == '\n');
    }
    if (r->wanted == 0) return pen_fail(PEN_ERR_INPUT, "machine %s: it describes no machine", r->name);
    if (r->processors == r->wanted) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "machine %s: its clusters have %" PRId64 " processors, its first line says %" PRId64,
                    r->name, r->processors, r->wanted);
}

/* ---- Cheapest paths ---------------------------------------------------------------------------- */

/* Find the cheapest paths between all sites (Floyd, Algorithm 97, Communications of the ACM 5, 1962). */
static void find_paths(reader *r)
{
    for (int32_t by = 0; by < r->count; by++)
        for (int32_t from = 0; from < r->count; from++) {
            pen_link first = *link_of(r, from, by);
            if (from == by || isinf(first.cost)) continue;
            for (int32_t to = 0; to < r->count; to++) {
                pen_link second = *link_of(r, by, to);
                pen_link both = { first.latency + second.latency, first.cost + second.cost };
                if (to != from && is_nearer(both, *link_of(r, from, to))) *link_of(r, from, to) = both;
            }
        }
}

/* Build the machine. Switches are only parts of paths. */
static pen_status build(const reader *r, int parts, pen_machine **machine)
{
    int32_t kept[PEN_MOST_CLUSTERS], count = 0, sizes[PEN_MOST_CLUSTERS];
    double speeds[PEN_MOST_CLUSTERS];
    pen_link inner[PEN_MOST_CLUSTERS], *between = NULL;
    for (int32_t s = 0; s < r->count; s++) {
        if (r->sites[s].processors == 0) continue;
        sizes[count] = r->sites[s].processors;
        speeds[count] = r->sites[s].speed;
        inner[count] = r->sites[s].inner;
        kept[count++] = s;
        if (count > 1 && isinf(link_of(r, kept[0], s)->cost))
            return pen_fail(PEN_ERR_INPUT, "machine %s:%" PRId64 ": no path joins this cluster with the first one",
                            r->name, r->sites[s].line);
    }
    PEN_TRY(PEN_ALLOC(&between, (int64_t)count * count));
    for (int32_t c = 0; c < count; c++)
        for (int32_t d = 0; d < count; d++) between[(int64_t)c * count + d] = *link_of(r, kept[c], kept[d]);
    pen_machine *made = NULL;
    pen_status status = pen_machine_of_clusters(r->name, count, sizes, speeds, inner, between, parts, &made);
    free(between);
    PEN_TRY(status);
    pen_network *n = (pen_network *)(void *)made;
    n->record = r->record;
    status = PEN_ALLOC(&n->names, count);
    for (int32_t c = 0; status == PEN_OK && c < count; c++)
        memcpy(n->names[c], r->sites[kept[c]].name, sizeof *n->names);
    if (status == PEN_OK) *machine = made;
    else pen_network_destroy(n);
    return status;
}

/* The number of lines that may be clusters or switches, up to the limit; the memory for links grows with its square. */
static int32_t count_sites(const char *text)
{
    int32_t count = 0;
    for (const char *line = text; line && count < PEN_MOST_CLUSTERS - 1; line = strchr(line, '\n')) {
        while (isspace((unsigned char)*line)) line++;
        count += *line == 'c' || *line == 's';
    }
    return count;
}

pen_status pen_machine_parse(const char *name, const char *text, int parts, pen_machine **machine)
{
    reader *r;
    PEN_TRY(PEN_ALLOC_ZERO(&r, 1));
    r->name = name;
    r->room = 1;
    r->room += count_sites(text);
    const int64_t pairs = (int64_t)r->room * r->room;
    pen_status status = pen_key_table_fit(&r->names, r->room);
    if (status == PEN_OK) status = PEN_ALLOC(&r->links, pairs);
    for (int64_t k = 0; k < pairs && status == PEN_OK; k++) r->links[k] = (pen_link){ HUGE_VAL, HUGE_VAL };
    if (status == PEN_OK) status = read_lines(r, text);
    if (status == PEN_OK) {
        find_paths(r);
        status = build(r, parts, machine);
    }
    pen_key_table_free(&r->names);
    PEN_FREE_ALL(r->links, r);
    return status;
}

/* ---- Writing ----------------------------------------------------------------------------------- */

/* Consecutive processors of one cluster with one speed. */
typedef struct stretch {
    int32_t first, count;
} stretch;

static pen_status find_stretches(const pen_machine *m, stretch *list, int32_t *count)
{
    *count = 0;
    for (int32_t p = 0; p < m->processors; p++) {
        stretch *last = *count > 0 ? &list[*count - 1] : NULL;
        if (last && m->clusters[last->first] == m->clusters[p] && m->speeds[last->first] == m->speeds[p]) {
            last->count++;
            continue;
        }
        if (*count == PEN_MOST_CLUSTERS)
            return pen_fail(PEN_ERR_UNSUPPORTED, "a machine of more than %d clusters cannot be written",
                            PEN_MOST_CLUSTERS);
        list[(*count)++] = (stretch){ p, 1 };
    }
    return PEN_OK;
}

static bool is_whole(pen_link link)
{
    return link.cost == floor(link.cost) && link.latency == floor(link.latency) && link.cost < 1e9 &&
           link.latency < 1e9;
}

/* Whether a link is that of a path through another stretch, so that it need not be written. Sums of numbers that are
 * not whole are rounded, and then the links are written. */
static bool is_path_of_others(const pen_machine *m, const stretch *list, int32_t count, int32_t a, int32_t b)
{
    pen_link direct = m->link(m, list[a].first, list[b].first);
    for (int32_t c = 0; c < count && is_whole(direct); c++) {
        pen_link first = m->link(m, list[a].first, list[c].first), second = m->link(m, list[c].first, list[b].first);
        if (c != a && c != b && first.cost > 0.0 && second.cost > 0.0 && is_whole(first) && is_whole(second) &&
            first.cost + second.cost == direct.cost && first.latency + second.latency == direct.latency)
            return true;
    }
    return false;
}

pen_status pen_machine_write(const pen_machine *m, FILE *out)
{
    stretch list[PEN_MOST_CLUSTERS];
    int32_t count;
    PEN_TRY(find_stretches(m, list, &count));
    fprintf(out, "processors %" PRId32 "\n", m->processors);
    if (pen_network_of(m)->record > 0) fprintf(out, "seconds %" PRId64 "\n", pen_network_of(m)->record);
    for (int32_t a = 0; a < count; a++) {
        fprintf(out, "cluster c%" PRId32 " %" PRId32 " speed=%.17g", a, list[a].count, m->speeds[list[a].first]);
        if (list[a].count > 1) {
            pen_link inner = m->link(m, list[a].first, list[a].first + 1);
            fprintf(out, ",cost=%.17g,latency=%.17g", inner.cost, inner.latency);
        }
        fputc('\n', out);
    }
    for (int32_t a = 0; a < count; a++)
        for (int32_t b = a + 1; b < count; b++) {
            pen_link link = m->link(m, list[a].first, list[b].first);
            if (!is_path_of_others(m, list, count, a, b))
                fprintf(out, "link c%" PRId32 " c%" PRId32 " cost=%.17g,latency=%.17g\n", a, b, link.cost,
                        link.latency);
        }
    return ferror(out) ? pen_fail(PEN_ERR_IO, "the machine cannot be written: %s", strerror(errno)) : PEN_OK;
}
