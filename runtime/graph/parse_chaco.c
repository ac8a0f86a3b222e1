/* parse_chaco.c - Chaco/METIS text to rows, on one rank.
 *
 * The text passes through a buffer in chunks that end after a separator, so that no number is cut. Before each chunk
 * the arrays get room for all that it can contain, so that storing a number needs no check. */
#include "base/memory.h"
#include "base/text_file.h"
#include "graph/chaco.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LONGEST = 32, /* bytes without a separator after which the text is a comment or wrong */
    DIGITS = PEN_CHACO_DIGITS
};

PEN_PER_RANK int64_t pen_chaco_chunk = 256 * 1024;

static bool is_digit(int c) { return (unsigned)c - '0' <= 9; }

/* ---- The header ----------------------------------------------------------------------------- */

static void describe(int c, char text[8])
{
    snprintf(text, 8, c > ' ' && c < 127 ? "'%c'" : "0x%02X", (unsigned)c & 0xff);
}

/* Read the numbers of the header line from *c, its first character; *c becomes the character that ended the line.
 * Returns how many numbers there are; -1: an error, described by `fault`. */
static int header_numbers(FILE *file, int *c, int64_t numbers[4], char *fault, size_t size)
{
    int count = 0;
    for (; *c != '\n' && *c != EOF;) {
        if (*c == ' ' || *c == '\t') {
            *c = getc(file);
            continue;
        }
        if (*c == '\r') {
            *c = getc(file);
            if (*c == '\n' || *c == EOF) continue;
            snprintf(fault, size, "carriage return inside the line");
            return -1;
        }
        int64_t value = 0;
        int digits = 0;
        char text[8];
        if (*c == '+') *c = getc(file);
        for (; is_digit(*c) && digits <= DIGITS; digits++, *c = getc(file))
            value = digits < DIGITS ? value * 10 + (*c - '0') : value;
        describe(*c, text);
        if (digits > DIGITS || count == 4)
            snprintf(fault, size,
                     digits > DIGITS ? "a number of more than %d digits" : "more than 4 numbers in the header", DIGITS);
        else if (digits == 0 || !(*c == ' ' || *c == '\t' || *c == '\r' || *c == '\n' || *c == EOF))
            snprintf(fault, size, *c == EOF || *c == '\n' ? "no number after '+'" : "unexpected %s in the header",
                     text);
        else {
            numbers[count++] = value;
            continue;
        }
        return -1;
    }
    return count;
}

bool pen_chaco_meaning(const int64_t *numbers, int count, pen_dialect dialect, pen_chaco_header *header,
                       const char **fault)
{
    static const int64_t formats[] = { 0, 1, 10, 11, 100, 101, 110, 111 };
    int64_t format = count > 2 ? numbers[2] : 0;
    bool known = false, weighted = format / 10 % 10;
    for (int i = 0; i < PEN_COUNT_OF(formats); i++) known = known || formats[i] == format;
    *fault = NULL;
    if (count < 2) *fault = "the header must have the numbers of nodes and edges";
    if (count >= 2 && !known)
        *fault = "the third number of the header (fmt) must be 0, 1, 10, 11, 100, 101, 110 or 111";
    if (*fault) return false;
    header->nodes = numbers[0];
    header->edges = numbers[1];
    header->edge_weights = format % 10;
    header->weight_count = count > 3 && weighted && numbers[3] > 1 ? numbers[3] : weighted;
    header->sizes = format >= 100 && dialect == PEN_DIALECT_METIS;
    header->labels = format >= 100 && dialect == PEN_DIALECT_CHACO;
    header->comments = dialect == PEN_DIALECT_METIS;
    if (count > 3 && weighted && numbers[3] < 1) *fault = "the number of weights per node must be >= 1";
    if (count > 3 && !weighted)
        *fault = "the header has a number of weights per node, but fmt says that there are none";
    return true;
}

/* The error in the header's numbers; NULL: there is none. */
static const char *check_header(const int64_t numbers[4], int count, pen_dialect dialect, bool directed,
                                pen_chaco_header *header)
{
    const char *fault;
    if (!pen_chaco_meaning(numbers, count, dialect, header, &fault)) return fault;
    if (header->nodes < 1) return "the graph has no nodes";
    if (fault) return fault;
    int64_t bytes = header->size - header->body + PEN_CHACO_SLACK;
    if (header->nodes > bytes || !pen_chaco_plausible(header->nodes, header->weight_count, bytes))
        return "the header announces more nodes than the file can hold";
    if (!pen_chaco_plausible(header->edges, (directed ? 1 : 2) * (header->edge_weights ? 2 : 1), bytes))
        return "the header announces more edges than the file can hold";
    return NULL;
}

static pen_status read_header(FILE *file, const char *path, pen_dialect dialect, bool directed,
                              pen_chaco_header *header)
{
    int c = getc(file);
    bool chaco = dialect == PEN_DIALECT_CHACO;
    header->line = 1;
    for (; c == '%' || (chaco && (c == '#' || c == '\n' || c == '\r')); c = getc(file), header->line++)
        while (c != '\n' && c != EOF) c = getc(file);
    char fault[80];
    int64_t numbers[4];
    const char *meaning = fault;
    int count = 0;
    if (c == EOF) meaning = "the file has no header";
    else if (c == 0xEF) meaning = "the file begins with a byte order mark (0xEF), must be plain text";
    else if (c == '\n') meaning = "empty line instead of the header";
    else count = header_numbers(file, &c, numbers, fault, sizeof fault);
    header->body = (int64_t)ftello(file);
    if (ferror(file)) return pen_fail(PEN_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    if (count >= 0 && meaning == fault) meaning = check_header(numbers, count, dialect, directed, header);
    if (meaning) return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": %s", path, header->line, meaning);
    return PEN_OK;
}

pen_status pen_chaco_read_header(const char *path, pen_dialect dialect, bool directed, pen_chaco_header *header)
{
    struct stat about;
    if (stat(path, &about) != 0) return pen_fail(PEN_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode)) return pen_fail(PEN_ERR_IO, "cannot read %s: it is not a regular file", path);
    FILE *file = fopen(path, "rb");
    if (!file) return pen_fail(PEN_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    memset(header, 0, sizeof *header);
    header->size = (int64_t)about.st_size;
    pen_status status = read_header(file, path, dialect, directed, header);
    if (status == PEN_OK) {
        header->ends_in_newline = header->body == header->size ||
                                  (fseeko(file, -1, SEEK_END) == 0 && getc(file) == '\n');
    }
    fclose(file);
    return status;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

typedef struct parser {
    const pen_chaco_header *header;
    pen_graph *graph;
    pen_chaco_part *part;
    int64_t row_capacity, arc_capacity;
    int64_t arcs;
    int64_t fields; /* number of numbers that precede the neighbours in a line */
    int64_t field;  /* number of the numbers before the neighbours that the present line has had */
    bool half;      /* a neighbour still waits for its weight */
    /* Text is skipped up to the end of the line: a comment, or the rest of a line that began before the part. */
    bool skipping;
} parser;

static bool fault(parser *p, const char *format, ...) PEN_PRINTF(2, 3);

/* Note an error. Returns false: parsing is over. */
static bool fault(parser *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->part->fault, sizeof p->part->fault, format, arguments);
    va_end(arguments);
    p->part->status = PEN_ERR_INPUT;
    p->part->fault_line = p->part->lines;
    return false;
}

static bool failed(parser *p, pen_status status)
{
    if (status == PEN_OK) return false;
    p->part->status = status;
    snprintf(p->part->fault, sizeof p->part->fault, "%s", pen_error_message());
    return true;
}

static pen_status grow(pen_graph *g, const pen_chaco_header *header, int64_t rows, int64_t arcs)
{
    PEN_TRY(PEN_REALLOC(&g->rows, rows + 1));
    PEN_TRY(PEN_REALLOC(&g->neighbors, arcs));
    if (header->edge_weights) PEN_TRY(PEN_REALLOC(&g->edge_weights, arcs));
    if (header->sizes) PEN_TRY(PEN_REALLOC(&g->node_sizes, rows));
    if (header->weight_count) PEN_TRY(PEN_REALLOC(&g->node_weights, rows * header->weight_count));
    return PEN_OK;
}

/* Make room for all data that the next `bytes` bytes can contain. Memory that is not touched costs nothing. */
static pen_status reserve(parser *p, int64_t bytes)
{
    const pen_chaco_header *h = p->header;
    int64_t per_row = p->fields ? 2 * p->fields : 1, left = h->nodes - p->part->count;
    int64_t rows = bytes / per_row + 1 < left ? p->part->count + bytes / per_row + 1 : h->nodes;
    int64_t arcs = p->arcs + bytes / 2 + 1;
    if (rows <= p->row_capacity && arcs <= p->arc_capacity) return PEN_OK;
    if (p->row_capacity > 0) { /* room was estimated in an earlier call, too low */
        rows = rows > p->row_capacity ? rows + rows / 2 : p->row_capacity;
        arcs = arcs > p->arc_capacity ? arcs + arcs / 2 : p->arc_capacity;
    } else {
        double share = (double)(p->part->end - p->part->begin) / (double)(h->size - h->body + 1) * 1.02;
        int64_t expected = (int64_t)(share * (double)h->nodes);
        if (expected > rows) rows = expected;
        if (share >= 1 || expected > h->nodes) rows = h->nodes;
        arcs += (int64_t)(share * 2 * (double)h->edges);
    }
    p->row_capacity = rows;
    p->arc_capacity = arcs;
    PEN_TRY(grow(p->graph, h, rows, arcs));
    p->graph->rows[0] = 0;
    return PEN_OK;
}

/* Handle a number that precedes the neighbours: the label, the size or a weight. */
static bool front_number(parser *p, int64_t value)
{
    pen_chaco_part *part = p->part;
    pen_graph *g = p->graph;
    int64_t k = p->field++;
    if (k == 0) {
        if (part->blank_line >= 0) {
            part->data_line = part->lines;
            return false;
        }
        if (p->header->labels && value == part->count && value > 0) {
            p->field = p->fields; /* the previous node continues; its weights are known */
            part->count--;
            return true;
        }
        if (part->count == p->header->nodes) return fault(p, "data after the last node");
        if (p->header->labels && value != part->count + 1)
            return fault(p, "node number %" PRId64 ", must be %" PRId64 " or %" PRId64, value, part->count,
                         part->count + 1);
    }
    if (p->header->labels) k--;
    if (p->header->sizes && k-- == 0) g->node_sizes[part->count] = value;
    else if (k >= 0) g->node_weights[part->count * p->header->weight_count + k] = value;
    return true;
}

static bool end_line(parser *p)
{
    pen_chaco_part *part = p->part;
    if (p->field < p->fields && p->field > 0)
        return fault(p, "the line ends after %" PRId64 " of the %" PRId64 " numbers before the neighbours", p->field,
                     p->fields);
    if (p->half) return fault(p, "the last neighbour has no weight");
    if (p->field < p->fields) {
        if (part->blank_line < 0) part->blank_line = part->lines;
    } else if (part->count < p->header->nodes) {
        p->graph->rows[++part->count] = p->arcs;
    } else if (p->arcs > p->graph->rows[part->count]) {
        return fault(p, "data after the last node");
    }
    p->field = 0;
    part->lines++;
    return true;
}

/* Handle the character at `at`, which is not a digit. Returns where to continue; NULL: parsing is over. */
static const char *separator(parser *p, const char *at, const char *end)
{
    char text[8];
    switch (*at) {
    case ' ':
    case '\t': return at + 1;
    case '\n': return end_line(p) ? at + 1 : NULL;
    case '\r':
        if (at[1] == '\n' || at + 1 == end) return at + 1; /* a chunk ends after "\r" only if the file does */
        fault(p, "carriage return inside the line");
        return NULL;
    case '+':
    case '-':
        if (at[-1] <= ' ' && is_digit(at[1])) return at + 1;
        break;
    case '%':
        if (at[-1] != '\n') break;
        if (p->header->comments) {
            p->skipping = true;
            return at;
        }
        fault(p, "a comment after the header, which Chaco takes for a node");
        return NULL;
    default: break;
    }
    describe(*at, text);
    fault(p, "unexpected %s, numbers are decimal integers", text);
    return NULL;
}

/* The hot loop, for neighbours without weights that are separated by single blanks. It stops at the first number that
 * needs more checks, or after the last one. */
static const char *neighbors_alone(parser *p, const char *at, const char *end)
{
    pen_gid *to = p->graph->neighbors + p->arcs;
    for (;;) {
        const char *begin = at;
        uint64_t value = (uint64_t)(*at++ - '0');
        while (is_digit(*at)) value = value * 10 + (uint64_t)(*at++ - '0');
        if (at - begin > DIGITS) {
            at = begin;
            break;
        }
        *to++ = (pen_gid)value - 1;
        if (*at != ' ' || at + 1 >= end || !is_digit(at[1])) break;
        at++;
    }
    p->arcs = to - p->graph->neighbors;
    return at;
}

/* Parse a number at `at`, with or without a sign. Returns its end; NULL: parsing is over. */
static const char *number(parser *p, const char *at)
{
    const char *begin = at;
    uint64_t digits = 0; /* wraps around if there are too many digits */
    for (; is_digit(*at); at++) digits = digits * 10 + (uint64_t)(*at - '0');
    if (at - begin > DIGITS) {
        fault(p, "a number of more than %d digits", DIGITS);
        return NULL;
    }
    int64_t value = begin[-1] == '-' ? -(int64_t)digits : (int64_t)digits;
    if (p->field < p->fields) return front_number(p, value) ? at : NULL;
    if (p->half) p->graph->edge_weights[p->arcs - 1] = value;
    else p->graph->neighbors[p->arcs++] = value - 1;
    p->half = p->header->edge_weights && !p->half;
    return at;
}

/* Parse [at, end); at[-1] and *end are readable, and *end is not a digit. False: parsing is over. */
static bool parse_text(parser *p, const char *at, const char *end)
{
    while (at && at < end) {
        if (p->skipping) {
            at = memchr(at, '\n', (size_t)(end - at));
            if (!at) return true;
            p->skipping = false;
            p->part->lines++;
            at++;
        } else if (!is_digit(*at)) {
            at = separator(p, at, end);
        } else if (p->field == p->fields && !p->header->edge_weights && at[-1] <= ' ') {
            const char *next = neighbors_alone(p, at, end);
            at = next > at ? next : number(p, at);
        } else {
            at = number(p, at);
        }
    }
    return at != NULL;
}

/* ---- A part --------------------------------------------------------------------------------- */

typedef struct text {
    const char *path;
    int file;
    int64_t next;      /* offset in the file of the byte that is read next */
    char *begin, *end; /* the text to parse; begin[-1] is the character before it */
    int64_t carried;   /* number of bytes after `end` that belong to the next chunk */
} text;

/* Read the next chunk, up to `limit`. It ends after a separator, except at `size`. Returns the beginning of the newly
 * read bytes, NULL after a failure. */
static char *next_chunk(parser *p, text *t, int64_t limit)
{
    memmove(t->begin - 1, t->end - 1, (size_t)t->carried + 1);
    char *fresh = t->begin + t->carried;
    int64_t bytes = limit - t->next < pen_chaco_chunk ? limit - t->next : pen_chaco_chunk;
    if (failed(p, pen_read_at(t->file, t->path, fresh, bytes, t->next))) return NULL;
    t->next += bytes;
    t->end = fresh + bytes;
    t->carried = 0;
    *t->end = '\0';
    if (t->next == p->header->size) return fresh;
    int64_t k = 0, length = t->end - t->begin;
    while (k < LONGEST && k < length && t->end[-k - 1] != ' ' && t->end[-k - 1] != '\t' && t->end[-k - 1] != '\n') k++;
    if (k < LONGEST) {
        t->carried = k;
        t->end -= k;
    }
    return fresh;
}

static void parse_lines(parser *p, text *t)
{
    int64_t size = p->header->size;
    for (bool over = false; !over;) {
        bool beyond = t->next >= p->part->end; /* the last line continues after the part */
        char *fresh = next_chunk(p, t, beyond ? size : p->part->end);
        if (!fresh) return;
        char *newline = beyond ? memchr(fresh, '\n', (size_t)(t->end + t->carried - fresh)) : NULL;
        if (newline) {
            t->end = newline + 1;
            t->carried = 0;
        }
        over = newline || t->next == size || (t->next == p->part->end && t->end[-1] == '\n' && t->carried == 0);
        if (failed(p, reserve(p, t->end - t->begin)) || !parse_text(p, t->begin, t->end)) return;
    }
    if (p->part->lines < 0) {
        p->part->lines = 0; /* no line begins in this part */
    } else if (t->end[-1] != '\n') {
        if (p->skipping) p->part->lines++;
        else end_line(p);
    }
}

static pen_status open_part(const char *path, parser *p, text *t)
{
    const pen_chaco_part *part = p->part;
    p->skipping = part->begin > p->header->body; /* skip to the first line that begins in this part */
    p->part->lines = p->skipping ? -1 : 0;
    t->next = part->begin - p->skipping;
    PEN_TRY(PEN_ALLOC(&t->begin, pen_chaco_chunk + LONGEST + 2));
    *t->begin++ = '\n';
    t->end = t->begin;
    t->file = open(path, O_RDONLY);
    if (t->file < 0) return pen_fail(PEN_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    return PEN_OK;
}

void pen_chaco_parse(const char *path, const pen_chaco_header *header, pen_graph *graph, pen_chaco_part *part)
{
    *part = (pen_chaco_part){ .begin = part->begin, .end = part->end, .blank_line = -1, .data_line = -1 };
    parser p = {
        .header = header, .graph = graph, .part = part, .fields = header->labels + header->sizes + header->weight_count
    };
    text t = { .path = path, .file = -1 };
    if (failed(&p, reserve(&p, 0))) return;
    if (part->begin < part->end) {
        if (!failed(&p, open_part(path, &p, &t))) parse_lines(&p, &t);
        if (t.begin) free(t.begin - 1);
        if (t.file >= 0) close(t.file);
    }
    /* Free unused memory. */
    failed(&p, grow(graph, header, part->count, graph->rows[part->count]));
}

int64_t pen_chaco_line(const char *path, const pen_chaco_header *header, const pen_chaco_part *part, int64_t row)
{
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    bool later = part->begin > header->body;
    int64_t line = -later, at = -later; /* the line that begins next, and its row */
    int c = fseeko(file, (off_t)(part->begin - later), SEEK_SET) == 0 ? getc(file) : EOF;
    while (c != EOF) {
        if (at >= 0) {
            bool comment = c == '%' && header->comments;
            int64_t label = 0;
            while (header->labels && (c == ' ' || c == '\t' || c == '+')) c = getc(file);
            for (; header->labels && is_digit(c); c = getc(file)) label = label * 10 + (c - '0');
            if (!comment && (header->labels ? label - 1 : at) == row) break;
            at += !comment;
        } else {
            at = 0;
        }
        while (c != '\n' && c != EOF) c = getc(file);
        line++;
        c = getc(file);
    }
    fclose(file);
    return line;
}
