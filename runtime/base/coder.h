/* coder.h - what is written and read in one order, described once: the same calls put values into bytes, or take them
 * from there. All Local. */
#pragma once

#include "base/bytes.h"

/* One of the two is not NULL. What a scan does not find is 0, and its `wrong` is set. */
typedef struct pen_coder {
    pen_bytes *out;
    pen_scan *in;
} pen_coder;

void pen_code_int(pen_coder *coder, int64_t *value);
void pen_code_word(pen_coder *coder, uint64_t *value);
void pen_code_real(pen_coder *coder, double *value);
void pen_code_bool(pen_coder *coder, bool *value);

/* From `low` to `high`; reading takes all else for wrong, and for `low`. */
void pen_code_range(pen_coder *coder, int *value, int low, int high);

/* [count] of them. */
void pen_code_reals(pen_coder *coder, double *values, int64_t count);

/* A text, which may be NULL; reading makes a copy that the caller frees, also where *text was something else.
 * PEN_ERR_MEMORY; writing cannot fail. */
PEN_CHECKED pen_status pen_code_text(pen_coder *coder, char **text);
