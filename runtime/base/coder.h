/* coder.h - one description of an encoding for both directions: the same calls write values to bytes, or read them.
 * All Local. */
#pragma once

#include "base/bytes.h"

/* Exactly one of `in` and `out` is not NULL. If reading finds no value, the value becomes 0, and in->wrong is set. */
typedef struct pen_coder {
    pen_bytes *out;
    pen_scan *in;
} pen_coder;

void pen_code_int(pen_coder *coder, int64_t *value);
void pen_code_word(pen_coder *coder, uint64_t *value);
void pen_code_real(pen_coder *coder, double *value);
void pen_code_bool(pen_coder *coder, bool *value);

/* Code a value from `low` to `high`. If reading finds another value, it is wrong, and *value becomes `low`. */
void pen_code_range(pen_coder *coder, int *value, int low, int high);

/* Code `count` reals. */
void pen_code_reals(pen_coder *coder, double *values, int64_t count);

/* Code a text, which may be NULL. Reading makes a copy that the caller frees; it does not free the old *text.
 * PEN_ERR_MEMORY; writing cannot fail. */
PEN_CHECKED pen_status pen_code_text(pen_coder *coder, char **text);
