#include "base/numbers.h"

locale_t pen_locale_enter(void)
{
    static locale_t plain; /* one for all times: the thread may hold on to it */
    if (!plain) plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(plain); /* without memory for one (0), nothing changes */
}

void pen_locale_leave(locale_t *before) { (void)uselocale(*before); }
