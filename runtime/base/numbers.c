#include "base/numbers.h"

#include <pthread.h>

static locale_t plain; /* one for all times: threads may hold on to it */

static void make_plain(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

locale_t pen_locale_enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_plain);
    return uselocale(plain); /* without memory for one (0), nothing changes */
}

void pen_locale_leave(locale_t *before) { (void)uselocale(*before); }
