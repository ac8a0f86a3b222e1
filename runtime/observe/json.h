/* json.h - texts and numbers in JSON. */
#ifndef PEN_JSON_H
#define PEN_JSON_H

#include <stdio.h>

/* Local. A quoted text, with what is no UTF-8 replaced by U+FFFD; a number, null where it is none. */
void pen_json_text(FILE *out, const char *text);
void pen_json_real(FILE *out, double value);

#endif
