/* json.h - writes JSON, member by member. All Local. */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

/* Write a quoted text, with U+FFFD in place of bytes that are not UTF-8, null for NULL; write a number, null if it is
 * not finite. */
void pen_json_text(FILE *out, const char *text);
void pen_json_real(FILE *out, double value);

/* The state of writing. The functions below write commas, line ends and quotes. Members of an object have a key; for
 * elements of an array it is NULL. Each object in an array is on its own line. Begin with { .out = file }. */
typedef struct json {
    FILE *out;
    int depth;
    bool more; /* the object or array already has a member */
} json;

void pen_json_begin(json *j, const char *key, char bracket); /* begin an object or array, by '{' or '[' */
void pen_json_end(json *j, char bracket);                    /* end an object or array, by '}' or ']' */

void pen_json_member_text(json *j, const char *key, const char *value);
void pen_json_member_int(json *j, const char *key, int64_t value);
void pen_json_member_bool(json *j, const char *key, bool value);
void pen_json_member_real(json *j, const char *key, double value);
