#include "run/edge_data.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/sparse.h"
#include "base/text_file.h"
#include "run/strict.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Which files ------------------------------------------------------------------------------ */

static pen_status find_field(const pen_app *app, const char *name, int *field)
{
    const char *names[PEN_MOST_FIELDS];
    const int count = pen_app_own_edge_fields(app);
    for (int e = 0; e < count; e++) {
        names[e] = app->edge_fields[e].name;
        if (strcmp(names[e], name) != 0) continue;
        *field = e;
        if (!app->edge_fields[e].parse && app->edge_fields[e].size % sizeof(double) != 0)
            return pen_fail(
                PEN_ERR_INPUT,
                "edge data: records of %s are %zu bytes, no array of doubles: the application needs a function "
                "that reads them",
                name, app->edge_fields[e].size);
        return PEN_OK;
    }
    return pen_unknown_name("edge field", name, names, count);
}

static pen_status open_file(const char *path, FILE **file)
{
    int64_t size;
    return pen_regular_open(path, false, file, &size);
}

static pen_status add_source(const pen_app *app, char *piece, pen_edge_sources *sources)
{
    pen_edge_source *source = &sources->of[sources->count];
    char *colon = strchr(piece, ':');
    FILE *file;
    if (!colon || colon[1] == '\0')
        return pen_fail(PEN_ERR_INPUT, "edge data \"%s\": it is EDGE_FIELD:FILE, or several with commas", piece);
    *colon = '\0';
    source->path = colon + 1;
    PEN_TRY(find_field(app, piece, &source->field));
    for (int i = 0; i < sources->count; i++)
        if (sources->of[i].field == source->field) return pen_fail(PEN_ERR_INPUT, "edge data: two files for %s", piece);
    PEN_TRY(open_file(source->path, &file));
    fclose(file);
    sources->count++;
    return PEN_OK;
}

pen_status pen_edge_sources_create(const pen_app *app, const char *text, pen_edge_sources **sources)
{
    if (pen_app_own_edge_fields(app) == 0)
        return pen_fail(PEN_ERR_INPUT, "edge data \"%s\": %s has no edge fields", text, app->name);
    PEN_TRY(PEN_ALLOC_ZERO(sources, 1));
    pen_edge_sources *s = *sources;
    PEN_TRY(PEN_ALLOC(&s->of, (int64_t)app->edge_field_count + 1));
    PEN_TRY(pen_copy_text(text, &s->text));
    for (char *piece = s->text, *next; piece; piece = next) {
        next = strchr(piece, ',');
        if (next) *next++ = '\0';
        PEN_TRY(add_source(app, piece, s));
    }
    return PEN_OK;
}

void pen_edge_sources_destroy(pen_edge_sources **sources)
{
    if (!*sources) return;
    PEN_FREE_ALL((*sources)->of, (*sources)->text, *sources);
    *sources = NULL;
}

/* ---- Lines ------------------------------------------------------------------------------------ */

static const char BLANKS[] = " \t\r";

/* The next word of a text, which is cut off; NULL: there is none, or none of that length. */
static const char *next_word(const char **text, char *word, size_t room)
{
    const char *begin = *text + strspn(*text, BLANKS);
    size_t length = strcspn(begin, BLANKS);
    if (length == 0 || length >= room) return NULL;
    memcpy(word, begin, length);
    word[length] = '\0';
    *text = begin + length;
    return word;
}

static bool read_gid(const char **text, pen_gid *gid)
{
    char word[32];
    return next_word(text, word, sizeof word) && pen_parse_int(word, gid) && *gid >= 0;
}

static const char *read_reals(const char *text, size_t count, unsigned char *record)
{
    for (size_t i = 0; i < count; i++) {
        char word[512];
        double number;
        if (text[strspn(text, BLANKS)] == '\0') return "too few numbers";
        if (!next_word(&text, word, sizeof word) || !pen_parse_real(word, &number)) return "not a number";
        memcpy(record + i * sizeof number, &number, sizeof number);
    }
    return text[strspn(text, BLANKS)] == '\0' ? NULL : "too many numbers";
}

const char *pen_edge_line_read(const pen_edge_field *field, const char *text, pen_edge_line *line, void *record)
{
    char first = text[strspn(text, BLANKS)];
    *line = (pen_edge_line){ .blank = first == '\0' || first == '#' || first == '%' };
    if (line->blank) return NULL;
    if (!read_gid(&text, &line->from) || !read_gid(&text, &line->to)) return "a line begins with two gids";
    text += strspn(text, BLANKS);
    if (!field->parse) return read_reals(text, field->size / sizeof(double), (unsigned char *)record);
    return field->parse(text, record) ? NULL : "not what the application takes for a record";
}

/* ---- Reading on all ranks --------------------------------------------------------------------- */

int64_t pen_edge_data_piece = 1 << 22;

/* What travels of a line; the record follows. */
typedef struct letter {
    pen_gid from, to;
    int64_t line;
} letter;

typedef struct reader {
    pen_run *run;
    const pen_edge_field *field;
    const char *path;
    unsigned char *records; /* of the store */
    FILE *file;
    char *text; /* a line */
    size_t text_room;
    int64_t at, end, line; /* of the next line: where it begins, in lines that begin before `end`; and its number */
    int64_t fault_line;    /* the first wrong line, or INT64_MAX */
    char fault[256];
    int64_t *lines; /* [arcs] the line of an arc, or 0 */
    size_t stride;  /* of a letter with its record */
    unsigned char *letters;
    int64_t count, room;
    pen_gid *from;  /* [room] */
    int32_t *owner; /* [room] */
} reader;

static void complain(reader *r, int64_t line, const char *what)
{
    if (line >= r->fault_line) return;
    r->fault_line = line;
    snprintf(r->fault, sizeof r->fault, "%s", what);
}

static pen_status io_fault(const reader *r)
{
    return pen_fail(PEN_ERR_IO, "%s: cannot read: %s", r->path, strerror(errno));
}

/* Newlines in bytes [begin, end). */
static pen_status count_lines(const reader *r, int64_t begin, int64_t end, int64_t *count)
{
    char chunk[1 << 16];
    if (fseeko(r->file, (off_t)begin, SEEK_SET) != 0) return io_fault(r);
    for (*count = 0; begin < end;) {
        size_t most = end - begin < (int64_t)sizeof chunk ? (size_t)(end - begin) : sizeof chunk;
        size_t got = fread(chunk, 1, most, r->file);
        if (got == 0) return io_fault(r);
        for (const char *c = chunk; (c = (const char *)memchr(c, '\n', (size_t)(chunk + got - c))); c++) ++*count;
        begin += (int64_t)got;
    }
    return PEN_OK;
}

/* Go to the first line that begins in the share; `before` newlines stand before it. */
static pen_status find_line(reader *r, int64_t before)
{
    r->line = 1 + before;
    if (r->at == 0) return fseeko(r->file, 0, SEEK_SET) == 0 ? PEN_OK : io_fault(r);
    if (fseeko(r->file, (off_t)r->at - 1, SEEK_SET) != 0) return io_fault(r);
    ssize_t rest = getline(&r->text, &r->text_room, r->file);
    if (rest < 0) return io_fault(r);
    r->at += rest - 1;
    r->line += rest > 1;
    return PEN_OK;
}

static pen_status open_share(reader *r, int64_t *newlines)
{
    const pen_comm *comm = r->run->comm;
    PEN_TRY(open_file(r->path, &r->file));
    if (fseeko(r->file, 0, SEEK_END) != 0) return io_fault(r);
    int64_t size = (int64_t)ftello(r->file);
    if (size < 0) return io_fault(r);
    r->at = pen_block_begin(size, comm->size, comm->rank);
    r->end = pen_block_begin(size, comm->size, comm->rank + 1);
    PEN_TRY(PEN_ALLOC_ZERO(&r->lines, r->run->store->rows[r->run->store->owned]));
    return count_lines(r, r->at, r->end, newlines);
}

static pen_status make_room(reader *r)
{
    if (r->count < r->room) return PEN_OK;
    r->room = r->room ? 2 * r->room : 1024;
    PEN_TRY(pen_realloc(&r->letters, r->room, r->stride));
    PEN_TRY(PEN_REALLOC(&r->from, r->room));
    return PEN_REALLOC(&r->owner, r->room);
}

/* The lines of the next piece. */
static pen_status read_piece(reader *r)
{
    const int64_t stop = r->end - r->at < pen_edge_data_piece ? r->end : r->at + pen_edge_data_piece;
    r->count = 0;
    while (r->at < stop) {
        pen_edge_line line;
        PEN_TRY(make_room(r));
        unsigned char *to = r->letters + (size_t)r->count * r->stride;
        ssize_t length = getline(&r->text, &r->text_room, r->file);
        if (length <= 0) return io_fault(r);
        r->at += length;
        if (r->text[length - 1] == '\n') r->text[--length] = '\0';
        memset(to, 0, r->stride);
        const char *wrong = strlen(r->text) == (size_t)length
                                ? pen_edge_line_read(r->field, r->text, &line, to + sizeof(letter))
                                : "a byte that is no text";
        if (wrong) complain(r, r->line, wrong);
        if (!wrong && !line.blank) {
            const letter head = { line.from, line.to, r->line };
            memcpy(to, &head, sizeof head);
            r->from[r->count++] = line.from;
        }
        r->line++;
    }
    return PEN_OK;
}

/* Those whose node nobody has are wrong; the rest to their owners. */
static pen_status address(reader *r, pen_blocks *send)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < r->count; i++) {
        unsigned char *from = r->letters + (size_t)i * r->stride, *to = r->letters + (size_t)kept * r->stride;
        if (r->owner[i] == PEN_OWNER_UNKNOWN) {
            letter head;
            char what[64];
            memcpy(&head, from, sizeof head);
            snprintf(what, sizeof what, "there is no node %" PRIgid, head.from);
            complain(r, head.line, what);
            continue;
        }
        if (to != from) memcpy(to, from, r->stride);
        r->owner[kept++] = r->owner[i];
    }
    return pen_blocks_group(kept, r->owner, r->letters, r->stride, send, NULL);
}

/* The arc of a slot to a gid; -1: there is none. Neighbours ascend. */
static int64_t find_arc(const pen_store *store, pen_lid slot, pen_gid to)
{
    uint32_t low = store->rows[slot], high = store->rows[slot + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (store->gids[store->columns[middle]] < to) low = middle + 1;
        else high = middle;
    }
    return low < store->rows[slot + 1] && store->gids[store->columns[low]] == to ? (int64_t)low : -1;
}

static void put_record(reader *r, const unsigned char *from)
{
    const pen_store *store = r->run->store;
    letter head;
    char what[128];
    memcpy(&head, from, sizeof head);
    const uint64_t *slot = pen_pages_find(store->slot_of, head.from);
    int64_t arc = slot && *slot < (uint64_t)store->owned ? find_arc(store, (pen_lid)*slot, head.to) : -1;
    if (arc < 0) {
        snprintf(what, sizeof what, "node %" PRIgid " has no neighbour %" PRIgid, head.from, head.to);
        complain(r, head.line, what);
    } else if (r->lines[arc]) {
        int64_t first = head.line < r->lines[arc] ? head.line : r->lines[arc],
                second = head.line + r->lines[arc] - first;
        snprintf(what, sizeof what, "the arc %" PRIgid " %" PRIgid " stands in line %" PRId64 " already", head.from,
                 head.to, first);
        complain(r, second, what);
    } else {
        r->lines[arc] = head.line;
        memcpy(r->records + (size_t)arc * r->field->size, from + sizeof head, r->field->size);
    }
}

/* Collective. A piece on every rank; all are the same as far as *more goes. */
static pen_status do_piece(reader *r, bool *more)
{
    pen_comm *comm = r->run->comm;
    pen_blocks send = { 0 }, received = { 0 };
    pen_status status = read_piece(r);
    PEN_TRY(pen_directory_resolve(r->run->store->directory, status, r->count, r->from, r->owner));
    status = pen_sparse_exchange(comm, address(r, &send), &send, &received);
    pen_blocks_free(&send);
    PEN_TRY(status);
    int64_t bytes = received.count ? received.offsets[received.count] : 0;
    for (int64_t at = 0; at < bytes; at += (int64_t)r->stride) put_record(r, received.data + at);
    pen_blocks_free(&received);
    int64_t first, rest;
    PEN_TRY(pen_max_int(comm, -r->fault_line, &first));
    if (first > -INT64_MAX) {
        bool mine = r->fault_line == -first;
        return pen_agree(comm, mine ? pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": %s", r->path, r->fault_line, r->fault)
                                    : PEN_OK);
    }
    PEN_TRY(pen_max_int(comm, r->at < r->end, &rest));
    *more = rest != 0;
    return PEN_OK;
}

static pen_status read_lines(reader *r)
{
    pen_comm *comm = r->run->comm;
    int64_t newlines = 0, before;
    bool more = true;
    PEN_TRY(pen_agree(comm, open_share(r, &newlines)));
    PEN_TRY(pen_prefix_int(comm, newlines, &before));
    PEN_TRY(pen_agree(comm, find_line(r, before)));
    while (more) PEN_TRY(do_piece(r, &more));
    return PEN_OK;
}

static pen_status read_source(pen_run *run, const pen_edge_source *source)
{
    const pen_edge_field *field = &run->app->edge_fields[source->field];
    reader r = { .run = run,
                 .field = field,
                 .path = source->path,
                 .records = (unsigned char *)run->store->edges[source->field],
                 .fault_line = INT64_MAX,
                 .stride = (sizeof(letter) + field->size + 7) / 8 * 8 };
    pen_status status = read_lines(&r);
    if (r.file) fclose(r.file);
    PEN_FREE_ALL(r.text, r.lines, r.letters, r.from, r.owner);
    return status;
}

pen_status pen_edge_data_begin(pen_run *run)
{
    const pen_app *app = run->app;
    if (app->init_edges) {
        PEN_INSIDE(".init_edges");
        pen_run_view(run, 0, 0);
        pen_run_open_edges(run, UINT64_MAX);
        if (run->strict) PEN_TRY(pen_strict_init_edges(run));
        for (pen_lid slot = 0; slot < run->store->owned; slot++) {
            run->view.slot = slot;
            app->init_edges(&run->view);
        }
    }
    for (int i = 0; run->edge_sources && i < run->edge_sources->count; i++)
        PEN_TRY(read_source(run, &run->edge_sources->of[i]));
    return PEN_OK;
}
