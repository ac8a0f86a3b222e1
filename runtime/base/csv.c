/* csv.c - splits records of comma-separated values. */
#include "base/csv.h"

#include <string.h>
#include <strings.h>

static pen_status begin_field(pen_csv *csv)
{
    PEN_TRY(pen_reserve(&csv->begins, sizeof *csv->begins, csv->count + 1, &csv->begin_room));
    csv->begins[csv->count++] = csv->length;
    return PEN_OK;
}

/* Append text to the field, with room for its end. */
static pen_status add(pen_csv *csv, const char *text, int64_t size)
{
    PEN_TRY(pen_reserve(&csv->text, 1, csv->length + size + 1, &csv->text_room));
    memcpy(csv->text + csv->length, text, (size_t)size);
    csv->length += size;
    return PEN_OK;
}

static void count_lines(pen_csv *csv, const char *text, int64_t size)
{
    for (int64_t i = 0; i < size; i++) csv->lines += text[i] == '\n';
}

static pen_status wrong(pen_csv *csv, const char *why)
{
    csv->why = why;
    return PEN_ERR_INPUT;
}

static char separator(const pen_csv *csv) { return csv->separator ? csv->separator : ','; }

/* The first byte from `at` on that is special, or `end`. `comma` is the separator; 0: inside quotes. */
static const char *find_special(const char *at, const char *end, char comma)
{
    if (!comma)
        while (at < end && *at != '"' && *at != '\0') at++;
    else
        while (at < end && *at != comma && *at != '\n' && *at != '\r' && *at != '"' && *at != '\0') at++;
    return at;
}

/* Copy the quoted field whose opening quote is at *at. *at becomes the byte after the closing quote; without one,
 * `end`. */
static pen_status take_quoted(pen_csv *csv, const char **at, const char *end)
{
    for (const char *begin = ++*at;; begin = *at) {
        *at = find_special(begin, end, '\0');
        if (*at < end && **at == '\0') return wrong(csv, "a NUL byte");
        PEN_TRY(add(csv, begin, *at - begin));
        count_lines(csv, begin, *at - begin);
        if (*at == end) return PEN_OK;
        if (++*at == end || **at != '"') break;
        PEN_TRY(add(csv, "\"", 1));
        ++*at;
    }
    return PEN_OK;
}

static pen_status take_plain(pen_csv *csv, const char **at, const char *end)
{
    const char *begin = *at;
    *at = find_special(begin, end, separator(csv));
    if (*at < end && **at == '\0') return wrong(csv, "a NUL byte");
    if (*at < end && **at == '"') return wrong(csv, "a quote inside a field that does not begin with one");
    return add(csv, begin, *at - begin);
}

/* Take the end of a field at *at: the separator, '\n', or '\0' if the text ends there and more is needed. */
static pen_status take_end(pen_csv *csv, const char **at, const char *end, char *ending)
{
    *ending = '\0';
    if (*at == end || (**at == '\r' && *at + 1 == end)) return PEN_OK;
    if (**at == '\r' && (*at)[1] != '\n') return wrong(csv, "a carriage return without a line feed");
    *at += **at == '\r';
    if (**at != separator(csv) && **at != '\n') return wrong(csv, "text after the closing quote");
    *ending = *(*at)++;
    csv->lines += *ending == '\n';
    return PEN_OK;
}

/* Whether a field that begins at `at` and ends at `end`, the end of all text, has its closing quote there. */
static bool is_closed(const char *at, const char *end)
{
    int64_t quotes = 0;
    if (*at != '"') return true;
    for (; at < end; at++) quotes += *at == '"';
    return quotes % 2 == 0;
}

pen_status pen_csv_split(pen_csv *csv, const char *text, int64_t size, bool last, int64_t *used)
{
    const char *at = text, *end = text + size;
    char ending = separator(csv);
    csv->count = 0;
    csv->length = csv->lines = 0;
    *used = 0;
    while (size > 0 && ending == separator(csv)) {
        const char *begin = at;
        pen_status status = begin_field(csv);
        if (status == PEN_OK) status = at < end && *at == '"' ? take_quoted(csv, &at, end) : take_plain(csv, &at, end);
        if (status == PEN_OK) status = take_end(csv, &at, end, &ending);
        if (status == PEN_OK && ending == '\0' && last && begin < end && !is_closed(begin, end)) {
            at = begin;
            status = wrong(csv, "a quote that is never closed");
        }
        if (status == PEN_OK && ending == '\0' && last) at = end; /* a carriage return may be left */
        if (status == PEN_OK && ending == '\0' && !last) return PEN_OK;
        if (status != PEN_OK) {
            *used = at - text;
            return status;
        }
        csv->text[csv->length++] = '\0';
    }
    *used = at - text;
    return PEN_OK;
}

/* Skip the blanks before a text. Returns its length without blanks at its end. */
static int64_t trim(const char **text)
{
    while (**text == ' ' || **text == '\t') ++*text;
    int64_t length = (int64_t)strlen(*text);
    while (length > 0 && ((*text)[length - 1] == ' ' || (*text)[length - 1] == '\t')) length--;
    return length;
}

const char *const pen_csv_sources[] = { "source", "src", "from", NULL };
const char *const pen_csv_targets[] = { "target", "dst", "dest", "destination", "to", NULL };

int pen_csv_find(const pen_csv *csv, const char *name)
{
    for (int i = 0; i < csv->count; i++) {
        const char *field = pen_csv_field(csv, i);
        int64_t length = trim(&field);
        if (length == (int64_t)strlen(name) && strncasecmp(field, name, (size_t)length) == 0) return i;
    }
    return -1;
}

int pen_csv_mark(const char *text, int64_t size) { return size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; }

bool pen_csv_is_plain(const char *field) { return strpbrk(field, ",\t\"\r\n") == NULL; }

void pen_csv_print(const char *field, FILE *out)
{
    const bool plain = pen_csv_is_plain(field);
    if (!plain) fputc('"', out);
    for (; *field; field++) {
        if (*field == '"') fputc('"', out);
        fputc(*field, out);
    }
    if (!plain) fputc('"', out);
}

void pen_csv_free(pen_csv *csv)
{
    PEN_FREE_ALL(csv->begins, csv->text);
    *csv = (pen_csv){ 0 };
}
