/* xml.h - writes text in XML 1.0, between tags or in the quotes of an attribute. All Local. */
#pragma once

#include <stdio.h>

enum { PEN_XML_ROOM = 8 };

/* Advance *text by one character, and return that character as XML, possibly in `room`: U+FFFD for bytes that are
 * not UTF-8, and for characters that XML does not allow. */
const char *pen_xml_next(const char **text, char room[PEN_XML_ROOM]);

void pen_xml_text(const char *text, FILE *out);
