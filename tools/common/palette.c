#include "tools/common/palette.h"

const uint32_t pen_palette[PEN_PALETTE] = {
    0x0072B2, 0xE69F00, 0x009E73, 0xCC79A7, 0x56B4E9, 0xD55E00, 0x5B3A9B, 0x999999, 0xF0E442, 0x882255,
    0x44AA99, 0x999933, 0xEE99AA, 0x7F4A12, 0x99DDFF, 0x225522, 0x1A1A1A, 0xBBBBBB, 0xEAEAEA,
};

const uint8_t pen_line_colours[PEN_LINE_COLOURS] = { PEN_BLUE, PEN_VERMILION, PEN_GREEN, PEN_PINK,
                                                     PEN_SKY,  PEN_ORANGE,    PEN_DARK,  PEN_BROWN };
