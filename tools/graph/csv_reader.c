#include "tools/graph/csv_reader.h"
#include "tools/graph/fields.h"

#include <stdlib.h>

enum { MOST_RECORD = 1 << 20 };

/* More text, at least as much as there is; r->more becomes false where nothing is left. */
static pen_status read_more(csv_reader *r)
{
    int64_t left = r->size - r->at, wanted = 2 * left + 1;
    if (left > 0) memmove(r->text, r->text + r->at, (size_t)left);
    r->at = 0;
    r->size = left;
    while (r->size < wanted && pen_input_more(r->in)) {
        int64_t bytes = r->in->end - r->in->at;
        PEN_TRY(pen_reserve(&r->text, 1, r->size + bytes, &r->room));
        memcpy(r->text + r->size, r->in->at, (size_t)bytes);
        r->size += bytes;
        r->in->at += bytes;
    }
    r->more = r->size > left;
    return PEN_OK;
}

pen_status pen_csv_reader_begin(input *in, findings *f, csv_reader *r)
{
    *r = (csv_reader){ .in = in, .f = f, .next_line = 1 };
    PEN_TRY(pen_reserve(&r->text, 1, 1, &r->room)); /* there is a text, if an empty one */
    PEN_TRY(read_more(r));
    r->at = pen_csv_mark(r->text, r->size);
    r->more = true;
    return PEN_OK;
}

static pen_status refuse(csv_reader *r, int64_t used)
{
    const pen_csv *record = &r->record;
    if (record->lines == 0) pen_findings_add(r->f, FINDING_ERROR, r->next_line, used + 1, "%s", record->why);
    else pen_findings_add(r->f, FINDING_ERROR, r->next_line, 0, "%s, in the record that begins here", record->why);
    return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": %s", r->in->name, r->next_line, record->why);
}

pen_status pen_csv_reader_next(csv_reader *r, bool *there)
{
    for (*there = false; !*there;) {
        int64_t used = 0;
        pen_status status = pen_csv_split(&r->record, r->text + r->at, r->size - r->at, !r->more, &used);
        if (status == PEN_ERR_INPUT) return refuse(r, used);
        PEN_TRY(status);
        if (used == 0) {
            if (r->size - r->at > MOST_RECORD)
                return pen_field_refuse(r->in, r->f, r->next_line,
                                        "a record of more than %d bytes: is a quote not closed?", MOST_RECORD);
            if (!r->more) return PEN_OK;
            PEN_TRY(read_more(r));
            continue;
        }
        r->line = r->next_line;
        *there = r->record.count > 1 || pen_csv_field(&r->record, 0)[0] != '\0';
        r->at += used;
        r->next_line += r->record.lines;
    }
    return PEN_OK;
}

void pen_csv_reader_free(csv_reader *r)
{
    pen_csv_free(&r->record);
    free(r->text);
    *r = (csv_reader){ 0 };
}
