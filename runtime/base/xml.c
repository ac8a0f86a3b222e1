/* xml.c - writes text in XML. */
#include "base/xml.h"
#include "base/utf8.h"

enum { ROOM = 8 };

static bool is_allowed(int32_t c)
{
    if (c < ' ') return c == '\t' || c == '\n' || c == '\r';
    return c != 0xfffe && c != 0xffff;
}

/* Advance *text by one character, and return that character as XML, possibly in `room`: U+FFFD for bytes that are not
 * UTF-8, and for characters that XML does not allow. */
static const char *next(const char **text, char room[ROOM])
{
    int bytes;
    const char *at = *text;
    int32_t c = pen_utf8_decode(at, &bytes);
    *text += bytes;
    if (!is_allowed(c)) return PEN_UTF8_REPLACEMENT;
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\t': return "&#9;"; /* plain white space in attributes would become blanks */
    case '\n': return "&#10;";
    case '\r': return "&#13;";
    default: snprintf(room, ROOM, "%.*s", bytes, at); return room;
    }
}

void pen_xml_text(const char *text, FILE *out)
{
    char room[ROOM];
    while (*text) fputs(next(&text, room), out);
}

bool pen_xml_holds(const char *text)
{
    for (int bytes; *text; text += bytes)
        if (!is_allowed(pen_utf8_decode(text, &bytes))) return false;
    return true;
}
