/* csv_part.c - reads a rank's part of a CSV file. */
#include "input/csv_part.h"
#include "base/numbers.h"
#include "graph/graph.h"
#include "input/source.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_RECORD = 1 << 20 };

PEN_PER_RANK int64_t pen_csv_part_chunk = 1 << 18;

struct pen_csv_part {
    const pen_input_file *file;
    pen_byte_source source;
    pen_csv record;
    char *text; /* [size] text that was read; its unparsed part begins at `at` */
    int64_t at, size, room;
    bool ended;         /* the end of the file has been reached */
    int64_t begin, end; /* this part has the records that begin at bytes [begin, end) of the file */
    int64_t next;       /* offset in the file of the next record */
    int64_t line, row;  /* line and number of the next record */
    bool done;
};

/* ---- The beginning of a part ---------------------------------------------------------------------- */

/* Find the first line of a file of `size` bytes that begins at or after `at`. */
static pen_status find_line(const pen_input_file *file, int64_t at, int64_t *begin)
{
    char chunk[4096];
    pen_byte_source source;
    *begin = at;
    if (at == file->body || at >= file->size) return PEN_OK;
    PEN_TRY(pen_source_open(file->path, at - 1, &source, NULL));
    pen_status status = PEN_OK;
    for (int64_t got = 1, from = at - 1; got > 0; from += got) {
        status = pen_source_read(&source, chunk, sizeof chunk, &got);
        if (status != PEN_OK) break;
        const char *end = got > 0 ? (const char *)memchr(chunk, '\n', (size_t)got) : NULL;
        *begin = end ? from + (end - chunk) + 1 : file->size;
        if (end) break;
    }
    pen_source_close(&source);
    return status;
}

/* Counts of a share of the text, where arrays have two cases: [0] if no quote is open at its beginning, [1] if one is
 * open. */
typedef struct survey {
    int64_t lines;
    int parity;         /* parity of the number of all quotes */
    int64_t records[2]; /* number of records that are not empty */
    int64_t first[2];   /* offset of the first record; -1: none begins here */
    int64_t before[2];  /* number of lines before the first record */
    int64_t line;       /* offset of the present line */
    int64_t length;     /* bytes of the present line so far; -1: no line is open */
    int start;          /* parity of quotes at the beginning of the present line */
    bool blank;         /* the present line is empty, except for a carriage return */
} survey;

static void begin_line(survey *s, int64_t at)
{
    s->line = at;
    s->start = s->parity;
    s->length = 0;
    s->blank = true;
    if (s->first[s->start] >= 0) return;
    s->first[s->start] = at;
    s->before[s->start] = s->lines;
}

static void see(survey *s, const char *text, int64_t size)
{
    const char *end = text + size;
    s->blank = s->blank && (size == 0 || (s->length == 0 && size == 1 && *text == '\r'));
    s->length += size;
    for (; (text = (const char *)memchr(text, '"', (size_t)(end - text))); text++) s->parity ^= 1;
}

static void end_line(survey *s) { s->records[s->start] += !s->blank; }

static pen_status look_through(pen_csv_part *part, survey *s)
{
    int64_t at = part->begin;
    *s = (survey){ .first = { -1, -1 } };
    if (part->begin < part->end) begin_line(s, at);
    while (at < part->end) {
        int64_t got, most = part->end - at < pen_csv_part_chunk ? part->end - at : pen_csv_part_chunk;
        PEN_TRY(pen_source_read(&part->source, part->text, most, &got));
        if (got == 0) return pen_fail(PEN_ERR_IO, "%s: became shorter while it was read", part->file->path);
        for (const char *text = part->text, *end = text + got, *line; text < end; text = line + 1) {
            line = (const char *)memchr(text, '\n', (size_t)(end - text));
            see(s, text, (line ? line : end) - text);
            if (!line) break;
            end_line(s);
            s->lines++;
            if (at + (line + 1 - part->text) < part->end) begin_line(s, at + (line + 1 - part->text));
            else s->length = -1; /* no line of the share is open */
        }
        at += got;
    }
    if (part->begin < part->end && s->length >= 0) end_line(s); /* the last line of the file lacks a newline */
    return PEN_OK;
}

/* Local. Choose this rank's share, in bytes of whole lines. */
static pen_status take_share(const pen_comm *comm, pen_csv_part *part, survey *s)
{
    const pen_input_file *file = part->file;
    const int64_t bytes = file->size - file->body;
    PEN_TRY(pen_reserve(&part->text, 1, pen_csv_part_chunk, &part->room));
    PEN_TRY(find_line(file, file->body + pen_block_begin(bytes, comm->size, comm->rank), &part->begin));
    PEN_TRY(find_line(file, file->body + pen_block_begin(bytes, comm->size, comm->rank + 1), &part->end));
    PEN_TRY(pen_source_open(file->path, part->begin, &part->source, NULL));
    pen_status status = look_through(part, s);
    pen_source_close(&part->source);
    return status;
}

/* Collective. Open a file that all ranks read together. */
static pen_status open_shared(pen_comm *comm, pen_csv_part *part)
{
    survey s = { .lines = 0 };
    int64_t quotes, lines, rows;
    PEN_TRY(pen_agree(comm, take_share(comm, part, &s)));
    PEN_TRY(pen_prefix_int(comm, s.parity, &quotes));
    PEN_TRY(pen_prefix_int(comm, s.lines, &lines));
    const int open = (int)(quotes % 2);
    PEN_TRY(pen_prefix_int(comm, s.records[open], &rows));
    part->next = s.first[open];
    part->line = part->file->line + lines + s.before[open];
    part->row = rows;
    part->done = part->next < 0;
    return pen_agree(comm, part->done ? PEN_OK : pen_source_open(part->file->path, part->next, &part->source, NULL));
}

static pen_status open_packed(pen_comm *comm, pen_csv_part *part)
{
    part->next = part->file->body;
    part->line = part->file->line;
    part->end = INT64_MAX;
    part->done = comm->rank != 0;
    return pen_agree(comm, part->done ? PEN_OK : pen_source_open(part->file->path, part->next, &part->source, NULL));
}

pen_status pen_csv_part_open(pen_comm *comm, const pen_input_file *file, pen_csv_part **part)
{
    PEN_TRY(pen_agree(comm, PEN_ALLOC_ZERO(part, 1)));
    (*part)->file = file;
    return file->size >= 0 ? open_shared(comm, *part) : open_packed(comm, *part);
}

void pen_csv_part_close(pen_csv_part **part)
{
    if (!*part) return;
    pen_source_close(&(*part)->source);
    pen_csv_free(&(*part)->record);
    PEN_FREE_ALL((*part)->text, *part);
    *part = NULL;
}

/* ---- Fields ------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    return text;
}

static bool is_blank(const char *text) { return *skip_blanks(text) == '\0'; }

static bool read_gid(const char *field, pen_gid *gid)
{
    enum { DIGITS = 19 };
    uint64_t value = 0;
    const char *begin = skip_blanks(field), *at = begin;
    for (; *at >= '0' && *at <= '9' && at - begin < DIGITS; at++) value = 10 * value + (uint64_t)(*at - '0');
    if (at == begin || value > INT64_MAX || !is_blank(at)) return false;
    *gid = (pen_gid)value;
    return true;
}

static bool read_keys(const pen_csv_part *part, pen_input_rows *rows)
{
    for (int k = 0; k < pen_input_key_count(part->file); k++) {
        const char *field = pen_csv_field(&part->record, part->file->keys[k]);
        if (read_gid(field, &rows->keys[k][rows->count])) continue;
        pen_input_wrong(&rows->fault, part->line, "%s: '%.40s' is not the number of a node%s",
                        pen_input_key_name(part->file, k), field,
                        isalpha((unsigned char)*skip_blanks(field))
                            ? "; pen-graph convert --ids-to=FILE writes which number a name has"
                            : "");
        return false;
    }
    return true;
}

/* Read a value; an empty field is NaN. */
static bool read_value(const pen_csv_part *part, pen_input_rows *rows, int i, double *value)
{
    const char *field = skip_blanks(pen_csv_field(&part->record, part->file->from[i]));
    char *end;
    const char *name = rows->columns[part->file->column[i]].name;
    *value = NAN;
    if (*field == '\0') {
        if (rows->columns[part->file->column[i]].nan) return true;
        pen_input_wrong(&rows->fault, part->line, "%s has no value", name);
        return false;
    }
    *value = strtod(field, &end);
    if (isinf(*value) && strpbrk(field, "0123456789")) {
        pen_input_wrong(&rows->fault, part->line, "%s: %.40s is too large for a double", name, field);
        return false;
    }
    if (pen_is_too_small(field)) {
        pen_input_wrong(&rows->fault, part->line, "%s: %.40s is too small for a double", name, field);
        return false;
    }
    if (end > field && is_blank(end)) return pen_input_value_fits(rows, i, *value, part->line);
    pen_input_wrong(&rows->fault, part->line, "%s: '%.40s' is not a number", name, field);
    return false;
}

static void take_record(const pen_csv_part *part, pen_input_rows *rows)
{
    const pen_input_file *file = part->file;
    bool good = part->record.count == file->width;
    if (!good)
        pen_input_wrong(&rows->fault, part->line, "%d fields, the header has %d", part->record.count, file->width);
    good = good && read_keys(part, rows);
    for (int i = 0; good && i < file->count; i++)
        good = read_value(part, rows, i, &rows->values[rows->count * file->count + i]);
    if (good) rows->where[rows->count++] = part->line;
}

/* ---- Records ------------------------------------------------------------------------------------ */

/* Append more text to the unparsed part. */
static pen_status read_more(pen_csv_part *part)
{
    int64_t left = part->size - part->at, got, wanted = left < pen_csv_part_chunk ? pen_csv_part_chunk : left;
    if (left > 0) memmove(part->text, part->text + part->at, (size_t)left);
    part->at = 0;
    part->size = left;
    PEN_TRY(pen_reserve(&part->text, 1, left + wanted, &part->room));
    PEN_TRY(pen_source_read(&part->source, part->text + left, wanted, &got));
    part->size += got;
    part->ended = got < wanted;
    return PEN_OK;
}

/* Read the next complete record; *there: whether one exists. A wrong record ends the reading, since later records
 * cannot be found. */
static pen_status next_record(pen_csv_part *part, pen_input_rows *rows, int64_t *used, bool *there)
{
    *there = false;
    for (;;) {
        pen_status status = pen_csv_split(&part->record, part->text + part->at, part->size - part->at, part->ended,
                                          used);
        *there = status == PEN_OK && *used > 0;
        if (status == PEN_ERR_INPUT) pen_input_wrong(&rows->fault, part->line, "%s", part->record.why);
        else if (status != PEN_OK || *there) return status;
        else if (part->size - part->at > MOST_RECORD)
            pen_input_wrong(&rows->fault, part->line, "a record of more than 1 MiB: is a quote not closed?");
        else if (!part->ended) {
            PEN_TRY(read_more(part));
            continue;
        }
        part->done = true;
        return PEN_OK;
    }
}

pen_status pen_csv_part_read(pen_csv_part *part, int64_t limit, pen_input_rows *rows, bool *more)
{
    rows->count = 0;
    rows->first = part->row;
    while (!part->done && rows->count < rows->room) {
        int64_t used;
        bool there;
        part->done = part->next >= part->end || part->line >= limit;
        if (part->done) break;
        PEN_TRY(next_record(part, rows, &used, &there));
        if (!there) break;
        bool empty = part->record.count == 1 && *pen_csv_field(&part->record, 0) == '\0' && part->text[part->at] != '"';
        if (!empty) {
            take_record(part, rows);
            part->row++;
        }
        part->line += part->record.lines;
        part->at += used;
        part->next += used;
    }
    *more = !part->done;
    return PEN_OK;
}
