#include "tools/graph/canvas.h"
#include "base/memory.h"

#include <math.h>
#ifdef PEN_HAVE_PNG
#include <png.h>
#endif
#include <stdlib.h>

pen_status pen_canvas_create(int width, int height, canvas *c)
{
    *c = (canvas){ .width = width, .height = height };
    PEN_TRY(PEN_ALLOC(&c->pixels, 3 * (int64_t)width * height));
    pen_canvas_clear(c, 0);
    return PEN_OK;
}

void pen_canvas_clear(canvas *c, int y)
{
    size_t row = 3 * (size_t)c->width;
    if (y < c->height) memset(c->pixels + (size_t)y * row, 255, (size_t)(c->height - y) * row);
}

void pen_canvas_free(canvas *c)
{
    free(c->pixels);
    *c = (canvas){ 0 };
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static void blend(unsigned char *p, uint32_t colour, double cover)
{
    int a = 16 * (int)(cover * 16.0 + 0.5); /* few shades compress better, and look the same */
    for (int k = 0; k < 3; k++) {
        int to = (int)(colour >> (16 - 8 * k) & 255);
        p[k] = (unsigned char)(p[k] + (to - p[k]) * a / 256);
    }
}

/* A range of pixels whose centres are in [low, high], within 0..size-1; never beyond int. */
static void pixel_range(double low, double high, int size, int *first, int *last)
{
    double a = ceil(low - 0.5), b = floor(high - 0.5);
    *first = a < 0.0 ? 0 : a > size ? size : (int)a;
    *last = b < 0.0 ? -1 : b > size - 1 ? size - 1 : (int)b;
}

/* A pixel is covered as far as its centre is from the line's axis: fully within radius - 1/2, not at all
 * beyond radius + 1/2. A line thinner than a pixel is a paler one of one pixel. */
void pen_canvas_line(canvas *c, double x0, double y0, double x1, double y1, double width, uint32_t colour)
{
    double strength = width < 1.0 ? width : 1.0, reach = (width < 1.0 ? 1.0 : width) / 2.0 + 0.5;
    double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    double left = fmin(x0, x1) - reach, right = fmax(x0, x1) + reach;
    double slack = dy != 0.0 ? reach * sqrt(square) / fabs(dy) : 0.0; /* of the axis, along a row of pixels */
    int top, bottom;
    pixel_range(fmin(y0, y1) - reach, fmax(y0, y1) + reach, c->height, &top, &bottom);
    for (int y = top; y <= bottom; y++) {
        double low = left, high = right, py = y + 0.5 - y0;
        if (dy != 0.0) {
            double at = x0 + py * dx / dy;
            low = fmax(low, at - slack);
            high = fmin(high, at + slack);
        }
        int first, last;
        pixel_range(low, high, c->width, &first, &last);
        for (int x = first; x <= last; x++) {
            double px = x + 0.5 - x0, t = square > 0.0 ? (px * dx + py * dy) / square : 0.0;
            t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
            double ax = px - t * dx, ay = py - t * dy, cover = reach - sqrt(ax * ax + ay * ay);
            if (cover > 0.0)
                blend(c->pixels + 3 * ((int64_t)y * c->width + x), colour, strength * (cover < 1.0 ? cover : 1.0));
        }
    }
}

/* ---- Text ----------------------------------------------------------------------------------- */

/* Glyphs from '!' to '~' as strokes: a point is a digit for x, from 0, and one for y, from 0 where capitals end
 * above, over 6 where they stand, to 8; a blank lifts the pen; a dot is a stroke from a point to itself. */
static const char *const glyphs[] = {
    "0004 0606",
    "0002 2022",
    "1016 3036 0242 0444",
    "413010010213334445361605 2027",
    "4006 0000 4646",
    "46121120310405162644",
    "0002",
    "10010617",
    "00111607",
    "1115 0333 0222",
    "0444 2226",
    "1607",
    "0434",
    "0606",
    "0730",
    "103041453616050110",
    "112026 1636",
    "01103041420646",
    "01103041423313 334445361605",
    "36300444",
    "400003334445361605",
    "30100105163645443303",
    "004016",
    "13334241301001021304051636454433",
    "16364541301001021343",
    "0303 0606",
    "1313 1607",
    "320436",
    "0333 0535",
    "023406",
    "01103041422324 2626",
    "3322131424344441301001051646",
    "062046 1434",
    "00063645443303 0030414233",
    "4130100105163645",
    "00063645413000",
    "40000646 0333",
    "400006 0333",
    "41301001051636454323",
    "0006 4046 0343",
    "0006",
    "4045361605",
    "0006 4004 2246",
    "000646",
    "0600234046",
    "06004640",
    "103041453616050110",
    "06003041423303",
    "103041453616050110 2446",
    "06003041423303 2346",
    "413010010213334445361605",
    "0040 2026",
    "000516364540",
    "002640",
    "0016233640",
    "0046 4006",
    "002340 2326",
    "00400646",
    "10000717",
    "0037",
    "00101707",
    "022042",
    "0747",
    "0011",
    "02223336 341405162635",
    "00062635332202",
    "321203051636",
    "30361605031232",
    "043433221203051636",
    "201116 0222",
    "321203051636 32372808",
    "0006 0312223336",
    "0206 0000",
    "121708 1010",
    "0006 3205 1436",
    "0006",
    "0206 03122326 23324346",
    "0206 0312223336",
    "122233352616050312",
    "0208 022233352606",
    "3238 321203051636",
    "0206 031222",
    "3212031424352606",
    "101526 0222",
    "0205162635 3236",
    "022642",
    "0216233642",
    "0236 3206",
    "0226 4218",
    "02320636",
    "20110304 04150728",
    "0008",
    "00111324 24150708",
    "04132433",
};

_Static_assert(sizeof glyphs / sizeof glyphs[0] == '~' - '!' + 1, "a glyph for each character");

double pen_canvas_text(canvas *c, double x, double y, double height, uint32_t colour, const char *text)
{
    double unit = height / 6.0, top = y - height;
    for (; *text; text++) {
        int wide = *text == ' ' ? 2 : 0;
        const char *stroke = *text > ' ' && *text <= '~' ? glyphs[*text - '!'] : *text == ' ' ? "" : "0040460600";
        bool down = false;
        for (double x0 = 0.0, y0 = 0.0; *stroke; stroke += 2) {
            if (*stroke == ' ') {
                down = false;
                stroke++;
            }
            int column = stroke[0] - '0', row = stroke[1] - '0';
            double x1 = x + unit * column, y1 = top + unit * row;
            if (column > wide) wide = column;
            if (down && c) pen_canvas_line(c, x0, y0, x1, y1, 0.8 * unit, colour);
            x0 = x1;
            y0 = y1;
            down = true;
        }
        x += unit * (wide + 2);
    }
    return x;
}

/* ---- PNG ------------------------------------------------------------------------------------ */

#ifdef PEN_HAVE_PNG

typedef struct memory_file {
    unsigned char *bytes;
    int64_t size, room;
} memory_file;

static void append(png_structp png, png_bytep bytes, png_size_t size)
{
    memory_file *file = (memory_file *)png_get_io_ptr(png);
    int64_t needed = file->size + (int64_t)size;
    if (needed > file->room) {
        file->room = 2 * needed;
        if (PEN_REALLOC(&file->bytes, file->room) != PEN_OK) png_error(png, "out of memory");
    }
    memcpy(file->bytes + file->size, bytes, size);
    file->size = needed;
}

static void flush(png_structp png) { (void)png; }

static void complain(png_structp png, png_const_charp message)
{
    pen_fail(PEN_ERR_MEMORY, "making a PNG image: %s", message);
    png_longjmp(png, 1);
}

/* Lines on white: filters only make them larger. What is set before the jump is not changed behind it. */
static pen_status write_png(const canvas *c, png_structp png, png_infop info, memory_file *file)
{
    if (setjmp(png_jmpbuf(png))) return PEN_ERR_MEMORY;
    png_set_write_fn(png, file, append, flush);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_IHDR(png, info, (png_uint_32)c->width, (png_uint_32)c->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < c->height; y++) png_write_row(png, c->pixels + 3 * (int64_t)y * c->width);
    png_write_end(png, NULL);
    return PEN_OK;
}

pen_status pen_canvas_png(const canvas *c, unsigned char **bytes, int64_t *size)
{
    memory_file file = { NULL, 0, 0 };
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, complain, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    pen_status status = info ? write_png(c, png, info, &file)
                             : pen_fail(PEN_ERR_MEMORY, "out of memory for a PNG image");
    png_destroy_write_struct(&png, &info);
    if (status != PEN_OK) {
        free(file.bytes);
        return status;
    }
    *bytes = file.bytes;
    *size = file.size;
    return PEN_OK;
}
#else
pen_status pen_canvas_png(const canvas *c, unsigned char **bytes, int64_t *size)
{
    (void)c, (void)bytes, (void)size;
    return pen_fail(PEN_ERR_UNSUPPORTED, "this build has no libpng, which PNG and pictures of large graphs need");
}
#endif
