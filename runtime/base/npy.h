/* npy.h - reads and writes the header of a NumPy file (.npy, formats 1.0 to 3.0), and converts its elements to numbers.
 * All Local.
 *
 * An array has one or two dimensions, and elements that are booleans (b1), integers (i1 i2 i4 i8, u1 u2 u4 u8) or
 * reals (f4, f8), of either byte order. Other arrays are refused. The caller reads the data, which begin at
 * array.begin and have pen_npy_bytes(&array) bytes. */
#pragma once

#include "base/status.h"

typedef struct pen_npy {
    char kind;        /* kind of the elements: 'b' boolean, 'i' signed, 'u' unsigned, 'f' real */
    int size;         /* bytes of an element: 1, 2, 4 or 8 */
    bool swapped;     /* the byte order is not that of this machine */
    bool fortran;     /* a two-dimensional array is stored column by column, not row by row */
    int dimensions;   /* number of dimensions, 1 or 2 */
    int64_t shape[2]; /* numbers of rows and columns; in one dimension, the number of elements and 1 */
    int64_t begin;    /* offset of the first element in the file; 0: unknown */
} pen_npy;

enum {
    PEN_NPY_MOST = 1 << 16, /* largest size of a header; the caller provides so many bytes, or the whole file */
    PEN_NPY_WRITTEN = 128,  /* largest size of a header that pen_npy_header writes */
    PEN_NPY_DIGITS = 24     /* characters of the longest integer, with its sign and '\0' */
};

/* Parse the header in the first `size` bytes of a file, which are the whole file or at least PEN_NPY_MOST bytes. `name`
 * begins messages. The size of the data is checked to fit 64 bits. PEN_ERR_INPUT; *array is unchanged then. */
PEN_CHECKED pen_status pen_npy_parse(const char *name, const void *bytes, int64_t size, pen_npy *array);

/* Whether a file of `size` bytes has exactly the data that its header describes. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_npy_check_size(const char *name, const pen_npy *array, int64_t size);

static inline int64_t pen_npy_bytes(const pen_npy *array) { return array->shape[0] * array->shape[1] * array->size; }

/* The index in the file of the element in this row and column. A one-dimensional array has column 0 only. */
static inline int64_t pen_npy_index(const pen_npy *array, int64_t row, int64_t column)
{
    return array->fortran ? column * array->shape[0] + row : row * array->shape[1] + column;
}

/* The value of the element at `data` + index * array->size, for any alignment. Integers that no double represents are
 * rounded. */
double pen_npy_real(const pen_npy *array, const void *data, int64_t index);

/* Whether the element is an integer beyond 2^53 that no double represents. If so, its digits are printed to
 * `digits`. */
bool pen_npy_is_rounded(const pen_npy *array, const void *data, int64_t index, char digits[PEN_NPY_DIGITS]);

/* Read an element exactly, as a signed integer of 64 bits. False: the element is not an integer, or it is a real beyond
 * 2^53, which may have been rounded. */
bool pen_npy_whole(const pen_npy *array, const void *data, int64_t index, int64_t *whole);

/* Write a header (format 1.0) with the array's kind, size, order, dimensions and shape. The data must follow in the
 * byte order of this machine; array->swapped and array->begin are ignored. Returns its length, a multiple of 64. */
int64_t pen_npy_header(const pen_npy *array, char bytes[PEN_NPY_WRITTEN]);
