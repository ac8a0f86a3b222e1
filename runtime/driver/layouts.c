/* layouts.c - the places of members of public structures, for languages that do not read the headers. */
#include "base/status.h"

#define TYPE(value) \
    _Generic((value), bool : "b1", int32_t : "i4", uint32_t : "u4", uint64_t : "u8", double : "f8", default : "i8")
#define WHOLE(type) { #type, "", "", 0, (uint32_t)sizeof(type) },
#define AT(type, path) \
    { #type, #path, TYPE(((type *)0)->path), offsetof(type, path), (uint32_t)sizeof(((type *)0)->path) },

static const pen_layout layouts[] = {
#include "pen_layouts.h" /* which layouts.awk makes of the headers */
    { NULL, NULL, NULL, 0, 0 },
};

const pen_layout *pen_layouts(uint32_t *abi)
{
    *abi = PEN_ABI;
    return layouts;
}
