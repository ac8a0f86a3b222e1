/* json.c - writes JSON. */
#include "base/json.h"
#include "base/utf8.h"

#include <math.h>

void pen_json_text(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (int bytes; *text; text += bytes) {
        int32_t c = pen_utf8_decode(text, &bytes);
        if (c == '"' || c == '\\') fprintf(out, "\\%c", *text);
        else if (c < 0) fputs(PEN_UTF8_REPLACEMENT, out);
        else if (c < ' ') fprintf(out, "\\u%04x", (unsigned)c);
        else fwrite(text, 1, (size_t)bytes, out);
    }
    fputc('"', out);
}

void pen_json_real(FILE *out, double value)
{
    if (isfinite(value)) fprintf(out, "%.17g", value);
    else fputs("null", out);
}

/* Begin a member or element. In the two outermost levels each is on its own line. */
static void start(json *j, const char *key)
{
    if (j->more) fputc(',', j->out);
    if (j->depth > 0 && j->depth <= 2) fprintf(j->out, "\n%*s", 2 * j->depth, "");
    else if (j->more) fputc(' ', j->out);
    j->more = true;
    if (!key) return;
    pen_json_text(j->out, key);
    fputs(": ", j->out);
}

void pen_json_begin(json *j, const char *key, char bracket)
{
    start(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->more = false;
}

void pen_json_end(json *j, char bracket)
{
    j->depth--;
    if (j->more && j->depth < 2) fprintf(j->out, "\n%*s", 2 * j->depth, "");
    fputc(bracket, j->out);
    if (j->depth == 0) fputc('\n', j->out);
    j->more = true;
}

void pen_json_member_text(json *j, const char *key, const char *value)
{
    start(j, key);
    pen_json_text(j->out, value);
}

void pen_json_member_int(json *j, const char *key, int64_t value)
{
    start(j, key);
    fprintf(j->out, "%" PRId64, value);
}

void pen_json_member_bool(json *j, const char *key, bool value)
{
    start(j, key);
    fputs(value ? "true" : "false", j->out);
}

void pen_json_member_real(json *j, const char *key, double value)
{
    start(j, key);
    pen_json_real(j->out, value);
}
