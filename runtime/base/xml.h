/* xml.h - texts in XML 1.0, between tags or in an attribute's quotes. All Local. */
#pragma once

#include <stdio.h>

enum { PEN_XML_ROOM = 8 };

/* Move *text behind its first character, and return what XML has for it, which may stand in `room`: U+FFFD for what is
 * not UTF-8, and for characters that XML does not allow. */
const char *pen_xml_next(const char **text, char room[PEN_XML_ROOM]);

void pen_xml_text(const char *text, FILE *out);
