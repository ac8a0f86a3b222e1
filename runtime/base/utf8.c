/* utf8.c - decodes UTF-8. */
#include "base/utf8.h"

#include <stdbool.h>

int32_t pen_utf8_decode(const char *text, int *bytes)
{
    static const int32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *at = (const unsigned char *)text;
    int length = 1;
    if (at[0] >= 0xf0) length = 4;
    else if (at[0] >= 0xe0) length = 3;
    else if (at[0] >= 0xc0) length = 2;
    *bytes = 1;
    if ((at[0] >= 0x80 && length == 1) || at[0] >= 0xf8) return -1;
    int32_t character = length == 1 ? at[0] : at[0] & (0x7f >> length);
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return -1;
        character = character << 6 | (at[i] & 0x3f);
    }
    const bool is_surrogate = character >= 0xd800 && character <= 0xdfff;
    if (character < smallest[length] || character > 0x10ffff || is_surrogate) return -1;
    *bytes = length;
    return character;
}
