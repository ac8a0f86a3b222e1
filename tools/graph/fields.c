/* fields.c - reads the numbers of a line. */
#include "tools/graph/fields.h"

#include "base/numbers.h"

#include <stdarg.h>
#include <stdlib.h>

pen_status pen_field_refuse(pen_scanner *in, findings *f, int64_t line, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    PEN_LINE_ERROR(f, line, "%s", text);
    if (line == 0) return pen_fail(PEN_ERR_INPUT, "%s: %s", in->name, text);
    return pen_fail(PEN_ERR_INPUT, "%s:%" PRId64 ": %s", in->name, line, text);
}

/* Add a finding for a token that is not a number; returns false. */
static bool no_number(pen_scanner *in, findings *f, pen_scanner_token token, const char *what, const char *kind)
{
    if (token == PEN_SCANNER_WRONG) PEN_FIELD_ERROR(in, f, "%s, %s must be %s", pen_scanner_wrong(in), what, kind);
    else PEN_FIELD_ERROR(in, f, "the line ends before %s", what);
    return false;
}

bool pen_field_integer(pen_scanner *in, findings *f, const char *what, int64_t low, int64_t high, int64_t *value)
{
    pen_scanner_skip_blanks(in);
    int64_t column = pen_scanner_place(in), number;
    pen_scanner_token token = pen_scanner_integer(in, &number);
    if (token != PEN_SCANNER_NUMBER) return no_number(in, f, token, what, "a decimal integer");
    if (number < low || number > high) {
        if (high == INT64_MAX)
            pen_findings_add(f, FINDING_ERROR, in->line, column, "%s %" PRId64 ", must be >= %" PRId64, what, number,
                             low);
        else
            pen_findings_add(f, FINDING_ERROR, in->line, column, "%s %" PRId64 ", must be %" PRId64 "..%" PRId64, what,
                             number, low, high);
        return false;
    }
    *value = number;
    return true;
}

bool pen_field_real(pen_scanner *in, findings *f, const char *what, double *value)
{
    pen_scanner_token token = pen_scanner_real(in, value);
    return token == PEN_SCANNER_NUMBER || no_number(in, f, token, what, "a finite number");
}

bool pen_field_number(const char *text, int64_t *whole, double *value, bool *is_whole)
{
    static const char blanks[] = " \t\r\n";
    char number[PEN_SCANNER_SPAN];
    text += strspn(text, blanks);
    size_t length = strspn(text, "+-.0123456789eE");
    if (length == 0 || length >= sizeof number || text[length + strspn(text + length, blanks)] != '\0') return false;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    *is_whole = length <= PEN_SCANNER_DIGITS && pen_parse_int(number, whole);
    if (*is_whole) *value = (double)*whole;
    return *is_whole || pen_parse_real(number, value);
}

bool pen_field_over(pen_scanner *in)
{
    pen_scanner_skip_blanks(in);
    return pen_scanner_line_end(in) || !pen_scanner_more(in);
}

bool pen_field_skip_space(pen_scanner *in)
{
    while (pen_field_over(in))
        if (!pen_scanner_more(in)) return false;
    return true;
}

bool pen_field_end(pen_scanner *in, findings *f)
{
    if (pen_field_over(in)) return true;
    PEN_FIELD_ERROR(in, f, "unexpected text after the line's numbers");
    return false;
}
