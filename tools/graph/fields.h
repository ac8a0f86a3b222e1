/* fields.h - the numbers of a line, with a finding for each that is missing or wrong. All Local.
 *
 * After a false the rest of the line is meant to be skipped (pen_input_skip_line): one finding a line. */
#pragma once

#include "tools/graph/findings.h"
#include "tools/graph/input.h"

/* The next number of the line, in low..high; `what` is its name in the finding. *value is untouched on false. */
bool pen_field_integer(input *in, findings *f, const char *what, int64_t low, int64_t high, int64_t *value);
bool pen_field_real(input *in, findings *f, const char *what, double *value);

/* A text that is a finite number and white space around it; *is_whole: an integer of up to 18 digits, *whole. */
bool pen_field_number(const char *text, int64_t *whole, double *value, bool *is_whole);

/* `count` little-endian integers of 4 or 8 bytes, the caller frees *words; with a sign: of up to 18 digits. Memory is
 * in proportion to what can be read. PEN_ERR_INPUT, with a finding that says where the file ends before `what`;
 * PEN_ERR_MEMORY; *words is NULL then. */
PEN_CHECKED pen_status pen_field_words(input *in, findings *f, const char *what, int bytes, bool sign, int64_t count,
                                       int64_t **words);

/* Skip blanks, and consume the end of the line or of the text, if it stands there. */
bool pen_field_over(input *in);

/* Skip white space, line ends too; false at the end of the text. */
bool pen_field_skip_space(input *in);

/* As pen_field_over, with a finding where something else stands there. */
bool pen_field_end(input *in, findings *f);

/* An error at the place that is read next. */
#define PEN_FIELD_ERROR(in, f, ...) pen_findings_add(f, FINDING_ERROR, (in)->line, pen_input_place(in), __VA_ARGS__)

/* An error after which nothing sensible can follow; returns PEN_ERR_INPUT. Line 0: none, the file is binary. */
pen_status pen_field_refuse(input *in, findings *f, int64_t line, const char *format, ...) PEN_PRINTF(4, 5);

/* Whether memory for `nodes` nodes may be asked for after reading the whole text. Formats that need no line for a node
 * let a short text announce any number: a million nodes are always taken, and more in proportion to the text. Adds the
 * finding that says so, with the line where the number stands. */
bool pen_field_nodes_fit(input *in, findings *f, int64_t line, int64_t nodes);
