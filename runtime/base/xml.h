/* xml.h - writes text in XML 1.0, between tags or in the quotes of an attribute. All Local. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Write a text: U+FFFD for bytes that are not UTF-8, and for characters that XML does not allow. */
void pen_xml_text(const char *text, FILE *out);

/* Whether a text is UTF-8 without characters that XML does not allow. */
bool pen_xml_holds(const char *text);
