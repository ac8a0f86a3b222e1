/* json.h - a JSON text, member by member, and the texts and numbers in it. All Local. */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

/* A quoted text, in which U+FFFD replaces what is not UTF-8; a number, null where it is not finite. */
void pen_json_text(FILE *out, const char *text);
void pen_json_real(FILE *out, double value);

/* The following put commas, line ends and quotes themselves. Members of an object have a key, elements of an array
 * NULL. Arrays of objects have a line for each. Begin with { .out = file }. */
typedef struct json {
    FILE *out;
    int depth;
    bool more; /* something stands before in the same object or array */
} json;

void pen_json_begin(json *j, const char *key, char bracket); /* '{' or '[' */
void pen_json_end(json *j, char bracket);                    /* '}' or ']' */

void pen_json_member_text(json *j, const char *key, const char *value);
void pen_json_member_int(json *j, const char *key, int64_t value);
void pen_json_member_bool(json *j, const char *key, bool value);
void pen_json_member_real(json *j, const char *key, double value);
