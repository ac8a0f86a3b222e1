/* complain.h - sentences that say what is wrong. */
#ifndef COMPLAIN_H
#define COMPLAIN_H

/* Local. A sentence, put together as by printf and cut at 1023 characters, which stays until the next call; it may be
 * among the arguments of that. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
const char *
pen_complain(const char *format, ...);

#endif
