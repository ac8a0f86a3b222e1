/* decimal.h - numbers of text as strtod reads them in the C locale, some times faster where they are ordinary. */
#ifndef PEN_DECIMAL_H
#define PEN_DECIMAL_H

#include "base/status.h"

/* Local, in the C locale. The same number as strtod's, to the last bit, and the same *end: where nothing of the text is
 * a number, `text`.
 *
 * Up to 19 digits that count, and a power of ten from -19 to 19 behind them, are put together as whole numbers of 128
 * bits, and rounded once; what fits doubles exactly takes one multiplication or division (Clinger, How to read floating
 * point numbers accurately, PLDI 1990). All else is strtod's. */
double pen_decimal_read(const char *text, const char **end);

#endif
