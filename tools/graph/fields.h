/* fields.h - reads the numbers of a line, with a finding for each that is missing or wrong. All Local.
 *
 * After false, skip the rest of the line (pen_scanner_skip_line), so that a line gives one finding. */
#pragma once

#include "base/scanner.h"
#include "tools/graph/findings.h"

/* Read the next number of the line, in low..high; `what` is its name in the finding. *value is unchanged on false. */
bool pen_field_integer(pen_scanner *in, findings *f, const char *what, int64_t low, int64_t high, int64_t *value);
bool pen_field_real(pen_scanner *in, findings *f, const char *what, double *value);

/* Read a text that is a finite number with white space around it. *is_whole: it is an integer of up to 18 digits,
 * *whole. */
bool pen_field_number(const char *text, int64_t *whole, double *value, bool *is_whole);

/* Skip blanks; true at the end of the line, which is consumed, or of the text. */
bool pen_field_over(pen_scanner *in);

/* Skip white space, including line ends; false at the end of the text. */
bool pen_field_skip_space(pen_scanner *in);

/* Like pen_field_over, with a finding if it is false. */
bool pen_field_end(pen_scanner *in, findings *f);

/* Add an error at the current place. */
#define PEN_FIELD_ERROR(in, f, ...) pen_findings_add(f, FINDING_ERROR, (in)->line, pen_scanner_place(in), __VA_ARGS__)

/* Add an error that ends reading; returns PEN_ERR_INPUT. Line 0: the file is binary and has no lines. */
pen_status pen_field_refuse(pen_scanner *in, findings *f, int64_t line, const char *format, ...) PEN_PRINTF(4, 5);
