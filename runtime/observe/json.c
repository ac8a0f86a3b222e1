#include "observe/json.h"

#include <math.h>

void pen_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < 0x20) fprintf(out, "\\u%04x", c);
        else fputc(c, out);
    }
    fputc('"', out);
}

void pen_json_real(FILE *out, double value)
{
    if (isfinite(value)) fprintf(out, "%.17g", value);
    else fputs("null", out);
}
