#include "tools/common/xml.h"

/* The character at `text`, which does not end there, and its bytes; -1 where they are no UTF-8 (RFC 3629). */
static int32_t decode(const unsigned char *text, int *bytes)
{
    static const int32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    int length = 1;
    if (text[0] >= 0xf0) length = 4;
    else if (text[0] >= 0xe0) length = 3;
    else if (text[0] >= 0xc0) length = 2;
    *bytes = 1;
    if ((text[0] >= 0x80 && length == 1) || text[0] >= 0xf8) return -1;
    int32_t character = length == 1 ? text[0] : text[0] & (0x7f >> length);
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return -1;
        character = character << 6 | (text[i] & 0x3f);
    }
    if (character < smallest[length]) return -1;
    *bytes = length;
    return character;
}

static bool is_allowed(int32_t c)
{
    if (c < ' ') return c == '\t' || c == '\n' || c == '\r';
    return c <= 0xd7ff || (c >= 0xe000 && c <= 0xfffd) || (c >= 0x10000 && c <= 0x10ffff);
}

void pen_xml_text(writer *out, const char *text)
{
    int bytes;
    for (; *text; text += bytes) {
        int32_t c = decode((const unsigned char *)text, &bytes);
        if (!is_allowed(c)) pen_writer_text(out, "\xEF\xBF\xBD");
        else if (c == '&') pen_writer_text(out, "&amp;");
        else if (c == '<') pen_writer_text(out, "&lt;");
        else if (c == '>') pen_writer_text(out, "&gt;");
        else if (c == '"') pen_writer_text(out, "&quot;");
        else if (c < ' ') pen_writer_print(out, "&#%d;", (int)c); /* attributes keep them so only */
        else pen_writer_bytes(out, text, bytes);
    }
}
