#include "tools/keep/hosts.h"
#include "base/memory.h"
#include "base/options.h"
#include "tools/keep/probe.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { NAME_ROOM = 256, LINE_ROOM = 4096 };

/* ---- Lists of hosts ------------------------------------------------------------------------------------ */

/* `text` begins with the name; it may go on with ":SLOTS", or, in a file, with "slots=N" somewhere. */
static pen_status add_host(hosts *all, const char *text, const char *where)
{
    const size_t length = strcspn(text, " \t:");
    const char *slots = strstr(text, "slots=");
    host h = { .slots = 1 };
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("._-@", text[i]))
            return pen_fail(PEN_ERR_INPUT, "%s: \"%s\" begins with no host's name", where, text);
    if (length == 0) return pen_fail(PEN_ERR_INPUT, "%s: \"%s\" begins with no host's name", where, text);
    if (text[length] == ':') slots = text + length + 1;
    else if (slots) slots += strlen("slots=");
    if (slots && atoll(slots) > 0) h.slots = atoll(slots);
    PEN_TRY(pen_reserve(&all->hosts, sizeof *all->hosts, all->count + 1, &all->room));
    pen_status status = pen_copy_text(text, &h.text);
    if (status == PEN_OK) status = pen_copy_text(text, &h.name);
    if (status == PEN_OK) h.name[length] = '\0';
    all->hosts[all->count++] = h;
    return status;
}

static pen_status read_file(hosts *all, const char *path)
{
    char text[LINE_ROOM];
    FILE *file = fopen(path, "r");
    if (!file) return pen_fail(PEN_ERR_INPUT, "%s: %s", path, strerror(errno));
    pen_status status = PEN_OK;
    while (status == PEN_OK && fgets(text, sizeof text, file)) {
        text[strcspn(text, "#\n")] = '\0';
        const char *begin = text + strspn(text, " \t");
        if (*begin) status = add_host(all, begin, path);
    }
    fclose(file);
    return status;
}

static pen_status read_list(hosts *all, const char *list)
{
    char item[NAME_ROOM];
    pen_status status = PEN_OK;
    for (const char *rest = list; status == PEN_OK && rest;) {
        rest = pen_text_cut(rest, ',', item, sizeof item);
        status = add_host(all, item, list);
    }
    return status;
}

/* ---- Slurm's list: "n[1-3,07],m" ------------------------------------------------------------------------ */

/* "1-3" or "7", with as many digits as the first one has, between prefix and suffix. */
static pen_status add_range(hosts *all, const char *prefix, int prefix_length, const char *range, const char *suffix,
                            int suffix_length)
{
    char name[NAME_ROOM];
    const int digits = (int)strspn(range, "0123456789");
    const char *dash = range + digits;
    const int64_t first = atoll(range), last = *dash == '-' ? atoll(dash + 1) : first;
    if (digits == 0 || last < first || last - first > 100000)
        return pen_fail(PEN_ERR_INPUT, "SLURM_JOB_NODELIST: \"%s\" is no range of hosts", range);
    for (int64_t i = first; i <= last; i++) {
        snprintf(name, sizeof name, "%.*s%0*" PRId64 "%.*s", prefix_length, prefix, digits, i, suffix_length, suffix);
        PEN_TRY(add_host(all, name, "SLURM_JOB_NODELIST"));
    }
    return PEN_OK;
}

/* From `item` to the comma outside of brackets; *rest is behind it, NULL at the end. */
static pen_status add_item(hosts *all, const char *item, const char **rest)
{
    const int prefix = (int)strcspn(item, "[,");
    const char *open = item + prefix;
    char name[NAME_ROOM];
    if (*open != '[') {
        *rest = *open ? open + 1 : NULL;
        snprintf(name, sizeof name, "%.*s", prefix, item);
        return add_host(all, name, "SLURM_JOB_NODELIST");
    }
    const char *close = strchr(open, ']');
    if (!close) return pen_fail(PEN_ERR_INPUT, "SLURM_JOB_NODELIST: \"%s\" has no \"]\"", item);
    const char *suffix = close + 1;
    const int suffix_length = (int)strcspn(suffix, ",");
    for (const char *range = open; range < close; range += 1 + strcspn(range + 1, ",]"))
        PEN_TRY(add_range(all, item, prefix, range + 1, suffix, suffix_length));
    *rest = suffix[suffix_length] ? suffix + suffix_length + 1 : NULL;
    return PEN_OK;
}

/* SLURM_TASKS_PER_NODE: "2(x3),1" */
static void read_slurm_slots(hosts *all, const char *text)
{
    int64_t at = 0;
    while (text && *text && at < all->count) {
        const int64_t slots = atoll(text);
        const char *times = strstr(text, "(x"), *comma = strchr(text, ',');
        int64_t repeated = times && (!comma || times < comma) ? atoll(times + 2) : 1;
        for (; repeated > 0 && at < all->count; repeated--) all->hosts[at++].slots = slots > 0 ? slots : 1;
        text = comma ? comma + 1 : NULL;
    }
}

static pen_status read_slurm(hosts *all)
{
    const char *rest = getenv("SLURM_JOB_NODELIST");
    while (rest && *rest) PEN_TRY(add_item(all, rest, &rest));
    read_slurm_slots(all, getenv("SLURM_TASKS_PER_NODE"));
    return PEN_OK;
}

/* ---- The launcher's options ------------------------------------------------------------------------------- */

static bool is_one_of(const char *word, int count, const char *const *names)
{
    if (word[0] != '-') return false;
    const char *name = word + (word[1] == '-' ? 2 : 1);
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static pen_status find_options(const line *l, hosts *all)
{
    static const char *const files[] = { "hostfile", "machinefile", "f", "default-hostfile" };
    static const char *const lists[] = { "host", "hosts", "H" };
    static const char *const numbers[] = { "n", "np", "c" };
    for (int i = 1; i + 1 < l->program; i++) {
        const char *word = l->words[i];
        bool file = is_one_of(word, PEN_COUNT_OF(files), files), list = is_one_of(word, PEN_COUNT_OF(lists), lists);
        if (!file && !list && !is_one_of(word, PEN_COUNT_OF(numbers), numbers)) continue;
        int *place = file || list ? &all->word : &all->ranks_word;
        if (*place)
            return pen_fail(PEN_ERR_INPUT, "--drop: %s and %s: one of these, please", l->words[*place - 1], word);
        *place = ++i;
        all->file = file || (all->file && !list);
    }
    const char *ranks = all->ranks_word ? l->words[all->ranks_word] : "1";
    if (!pen_parse_int(ranks, &all->ranks) || all->ranks < 1)
        return pen_fail(PEN_ERR_INPUT, "--drop: %s: not a number of ranks", ranks);
    return PEN_OK;
}

pen_status pen_hosts_read(const line *l, const char *probe, hosts *all)
{
    *all = (hosts){ .probe = probe };
    PEN_TRY(find_options(l, all));
    const char *text = all->word ? l->words[all->word] : NULL;
    if (!text) PEN_TRY(read_slurm(all));
    else if (all->file) PEN_TRY(read_file(all, text));
    else PEN_TRY(read_list(all, text));
    if (all->count == 0)
        return pen_fail(PEN_ERR_INPUT, "--drop: no hosts are known: by --hostfile, --host or SLURM_JOB_NODELIST");
    return PEN_OK;
}

void pen_hosts_free(hosts *all)
{
    for (int64_t i = 0; i < all->count; i++) PEN_FREE_ALL(all->hosts[i].name, all->hosts[i].text);
    if (all->made) unlink(all->made);
    PEN_FREE_ALL(all->hosts, all->made, all->list, all->number);
    *all = (hosts){ .count = 0 };
}

/* ---- Which failed ---------------------------------------------------------------------------------------- */

/* One may have its domain. */
static bool same_host(const char *a, const char *b)
{
    const char *at = strrchr(a, '@');
    if (at) a = at + 1;
    while (*a && *a == *b) a++, b++;
    return (*a == '\0' || *a == '.') && (*b == '\0' || *b == '.');
}

static int64_t left(const hosts *all)
{
    int64_t count = 0;
    for (int64_t i = 0; i < all->count; i++) count += !all->hosts[i].gone;
    return count;
}

static pen_status drop_unreachable(hosts *all, bool *found)
{
    const char **names;
    bool *reached;
    PEN_TRY(PEN_ALLOC(&names, all->count));
    pen_status status = PEN_ALLOC_ZERO(&reached, all->count);
    for (int64_t i = 0; i < all->count; i++) names[i] = all->hosts[i].gone ? NULL : all->hosts[i].name;
    if (status == PEN_OK) status = pen_probe(all->probe, names, all->count, reached);
    for (int64_t i = 0; i < all->count && status == PEN_OK; i++) {
        if (all->hosts[i].gone || reached[i]) continue;
        all->hosts[i].gone = *found = true;
    }
    free(names);
    free(reached);
    return status;
}

static void drop_named(hosts *all, const death *d, bool *found)
{
    for (int j = 0; j < d->host_count; j++) {
        int64_t others = 0;
        for (int64_t i = 0; i < all->count; i++)
            others += !all->hosts[i].gone && !same_host(all->hosts[i].name, d->hosts[j]);
        for (int64_t i = 0; i < all->count && others > 0; i++) {
            if (all->hosts[i].gone || !same_host(all->hosts[i].name, d->hosts[j])) continue;
            all->hosts[i].gone = *found = true;
        }
    }
}

/* As many as there is room for; where the list does not say how many fit, as many for each slot as there were. */
static int64_t ranks_left(const hosts *all)
{
    int64_t slots = 0, still = 0;
    for (int64_t i = 0; i < all->count; i++) {
        slots += all->hosts[i].slots;
        still += all->hosts[i].gone ? 0 : all->hosts[i].slots;
    }
    if (all->ranks <= slots) return all->ranks < still ? all->ranks : still;
    const int64_t share = (int64_t)((double)all->ranks * (double)still / (double)slots);
    return share > 1 ? share : 1;
}

pen_status pen_hosts_drop(hosts *all, const death *d, char *text, size_t room)
{
    bool found = false;
    size_t used = 0;
    bool *before;
    text[0] = '\0';
    PEN_TRY(PEN_ALLOC(&before, all->count));
    for (int64_t i = 0; i < all->count; i++) before[i] = all->hosts[i].gone;
    pen_status status = drop_unreachable(all, &found);
    if (status == PEN_OK && left(all) == 0) status = pen_fail(PEN_ERR_ENVIRONMENT, "no host can be reached any more");
    if (status == PEN_OK && !found) drop_named(all, d, &found);
    for (int64_t i = 0; i < all->count && used < room; i++) {
        if (!all->hosts[i].gone || before[i]) continue;
        used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "without ", all->hosts[i].name);
    }
    if (found && all->ranks_word && used < room)
        snprintf(text + used, room - used, ", on %" PRId64 " ranks", ranks_left(all));
    free(before);
    return status;
}

/* ---- The line without them -------------------------------------------------------------------------------- */

static pen_status write_file(hosts *all)
{
    const char *folder = getenv("TMPDIR");
    if (!all->made) {
        char path[LINE_ROOM];
        snprintf(path, sizeof path, "%s/pen-keep-XXXXXX", folder && *folder ? folder : "/tmp");
        int made = mkstemp(path);
        if (made < 0) return pen_fail(PEN_ERR_IO, "%s: %s", path, strerror(errno));
        close(made);
        PEN_TRY(pen_copy_text(path, &all->made));
    }
    FILE *file = fopen(all->made, "w");
    if (!file) return pen_fail(PEN_ERR_IO, "%s: %s", all->made, strerror(errno));
    for (int64_t i = 0; i < all->count; i++)
        if (!all->hosts[i].gone) fprintf(file, "%s\n", all->hosts[i].text);
    return fclose(file) == 0 ? PEN_OK : pen_fail(PEN_ERR_IO, "%s: %s", all->made, strerror(errno));
}

/* "n1:2,n3", which mpirun of Open MPI and MPICH's mpiexec read alike. */
static pen_status write_list(hosts *all)
{
    size_t length = 1, used = 0;
    for (int64_t i = 0; i < all->count; i++) length += strlen(all->hosts[i].name) + 24;
    free(all->list);
    PEN_TRY(PEN_ALLOC(&all->list, (int64_t)length));
    all->list[0] = '\0';
    for (int64_t i = 0; i < all->count; i++) {
        const host *h = &all->hosts[i];
        if (h->gone) continue;
        used += (size_t)snprintf(all->list + used, length - used, "%s%s:%" PRId64, used ? "," : "", h->name, h->slots);
    }
    return PEN_OK;
}

pen_status pen_hosts_line(hosts *all, const line *from, line *to)
{
    static char option[] = "--host";
    const bool dropped = left(all) < all->count;
    const int more = dropped && !all->word ? 2 : 0;
    *to = *from;
    to->count += more;
    to->program += more;
    if (dropped) PEN_TRY(all->file ? write_file(all) : write_list(all));
    if (dropped && !all->number) PEN_TRY(PEN_ALLOC(&all->number, 24));
    PEN_TRY(PEN_ALLOC(&to->words, to->count));
    for (int i = 0; i < from->count; i++) to->words[i > 0 ? i + more : 0] = from->words[i];
    if (!dropped) return PEN_OK;
    if (more) to->words[1] = option;
    to->words[more ? 2 : all->word] = all->file ? all->made : all->list;
    snprintf(all->number, 24, "%" PRId64, ranks_left(all));
    if (all->ranks_word) to->words[all->ranks_word + more] = all->number;
    return PEN_OK;
}
