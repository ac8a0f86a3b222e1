/* xml.c - writes text in XML. */
#include "base/xml.h"
#include "base/utf8.h"

#include <stdbool.h>

static bool is_allowed(int32_t c)
{
    if (c < ' ') return c == '\t' || c == '\n' || c == '\r';
    return c != 0xfffe && c != 0xffff;
}

const char *pen_xml_next(const char **text, char room[PEN_XML_ROOM])
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
    default: snprintf(room, PEN_XML_ROOM, "%.*s", bytes, at); return room;
    }
}

void pen_xml_text(const char *text, FILE *out)
{
    char room[PEN_XML_ROOM];
    while (*text) fputs(pen_xml_next(&text, room), out);
}
