/* rows.c - keeps the rows that a rank has read, and the first wrong row. */
#include "input/rows.h"

#include <math.h>
#include <stdarg.h>

PEN_PER_RANK int64_t pen_input_piece = 1 << 22;

void pen_input_wrong(pen_input_fault *fault, int64_t where, const char *format, ...)
{
    va_list arguments;
    if (where >= fault->where) return;
    fault->where = where;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
}

pen_status pen_input_rows_create(const pen_input_file *file, const pen_input_column *columns, pen_input_rows *rows)
{
    const int64_t bytes = 8 * (1 + pen_input_key_count(file) + file->count);
    *rows = (pen_input_rows){ .file = file, .columns = columns, .fault = PEN_NO_FAULT };
    rows->room = pen_input_piece / bytes + 1;
    PEN_TRY(PEN_ALLOC(&rows->where, rows->room));
    for (int k = 0; k < pen_input_key_count(file); k++) PEN_TRY(PEN_ALLOC(&rows->keys[k], rows->room));
    return PEN_ALLOC(&rows->values, rows->room * file->count);
}

void pen_input_rows_free(pen_input_rows *rows)
{
    PEN_FREE_ALL(rows->where, rows->keys[0], rows->keys[1], rows->values);
}

bool pen_input_value_fits(pen_input_rows *rows, int i, double value, int64_t where)
{
    const pen_input_column *column = &rows->columns[rows->file->column[i]];
    const bool is_nan = isnan(value);
    if (!(is_nan && !column->nan) && !(rows->file->finite && isinf(value))) return true;
    pen_input_wrong(&rows->fault, where, "%s is %s", column->name, is_nan ? "NaN" : "not finite");
    return false;
}

int pen_input_key_count(const pen_input_file *file)
{
    switch (file->way) {
    case PEN_INPUT_BY_GID: return 1;
    case PEN_INPUT_BY_ENDS: return 2;
    default: return 0;
    }
}

const char *pen_input_key_name(const pen_input_file *file, int k)
{
    static const char *const ends[] = { "source", "target" };
    return file->way == PEN_INPUT_BY_ENDS ? ends[k] : "gid";
}
