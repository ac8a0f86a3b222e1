#include "observe/json.h"

#include <math.h>
#include <stdbool.h>

/* Bytes of the UTF-8 character that text begins with; 0: it begins with none. */
static int character(const unsigned char *text)
{
    int length = 4;
    if (text[0] < 0x80) return 1;
    if (text[0] < 0xc2 || text[0] > 0xf4) return 0;
    if (text[0] < 0xf0) length = text[0] < 0xe0 ? 2 : 3;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    bool surrogate = text[0] == 0xed && text[1] > 0x9f,
         long_form = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    return surrogate || long_form || (text[0] == 0xf4 && text[1] > 0x8f) ? 0 : length;
}

void pen_json_text(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', out);
    while (*at) {
        int length = character(at);
        if (*at == '"' || *at == '\\') fprintf(out, "\\%c", *at);
        else if (*at < 0x20) fprintf(out, "\\u%04x", *at);
        else if (length == 0) fputs("\xef\xbf\xbd", out);
        else fwrite(at, 1, (size_t)length, out);
        at += length ? length : 1;
    }
    fputc('"', out);
}

void pen_json_real(FILE *out, double value)
{
    if (isfinite(value)) fprintf(out, "%.17g", value);
    else fputs("null", out);
}
