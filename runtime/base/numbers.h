/* numbers.h - numbers are read and written as in the C locale, whatever locale the program has. */
#ifndef PEN_NUMBERS_H
#define PEN_NUMBERS_H

#include <locale.h>

/* Local. Give this thread the C locale; what it had before. And give that back. */
locale_t pen_locale_enter(void);
void pen_locale_leave(locale_t *before);

/* At the beginning of a function of the interface that reads or writes numbers: the C locale until it returns. */
#define PEN_C_LOCALE __attribute__((unused, cleanup(pen_locale_leave))) locale_t locale_before_ = pen_locale_enter()

#endif
