/* xml.h - writes text in XML 1.0, between tags or in the quotes of an attribute. All Local. */
#pragma once

#include <stdio.h>

/* Write a text: U+FFFD for bytes that are not UTF-8, and for characters that XML does not allow. */
void pen_xml_text(const char *text, FILE *out);
