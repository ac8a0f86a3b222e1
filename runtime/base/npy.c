/* npy.c - reads and writes headers of NumPy files. */
#include "base/npy.h"
#include "base/memory.h"
#include "base/text_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = 10, DIGITS = 18 };
static const char magic[] = "\x93NUMPY";

static bool machine_is_little(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

/* ---- The header's dictionary, a Python expression ------------------------------------------- */

typedef struct scan {
    const char *name, *at, *end;
} scan;

static pen_status refuse(const scan *s, const char *what)
{
    return pen_fail(PEN_ERR_INPUT, "%s: not an array that Penumbra can read: %s", s->name, what);
}

static void skip_blanks(scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r')) s->at++;
}

/* Skip blanks, then consume `c`; false if another character follows. */
static bool take(scan *s, char c)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != c) return false;
    s->at++;
    return true;
}

/* Parse a text in single or double quotes, without escapes. */
static bool take_text(scan *s, char *text, size_t room)
{
    skip_blanks(s);
    if (s->at == s->end || (*s->at != '\'' && *s->at != '"')) return false;
    char quote = *s->at++;
    size_t length = 0;
    for (; s->at < s->end && *s->at != quote; s->at++) {
        if (*s->at < ' ' || *s->at > '~' || *s->at == '\\' || length + 1 >= room) return false;
        text[length++] = *s->at;
    }
    text[length] = '\0';
    return s->at < s->end && *s->at++ == quote;
}

static bool take_word(scan *s, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(s);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0) return false;
    s->at += length;
    return true;
}

static bool take_number(scan *s, int64_t *number)
{
    int digits = 0;
    *number = 0;
    skip_blanks(s);
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++, digits++)
        if (digits < DIGITS) *number = *number * 10 + (*s->at - '0');
    if (s->at < s->end && *s->at == 'L') s->at++; /* the suffix of a long integer as Python 2 prints it */
    return digits > 0 && digits <= DIGITS;
}

static pen_status take_type(scan *s, pen_npy *array)
{
    static const char *const types[] = { "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8" };
    char text[16];
    if (!take_text(s, text, sizeof text)) return refuse(s, "its elements are not plain numbers");
    const char *type = text + (text[0] && strchr("<>=|", text[0]));
    for (int i = 0; i < PEN_COUNT_OF(types); i++) {
        if (strcmp(type, types[i]) != 0) continue;
        array->kind = type[0];
        array->size = type[1] - '0';
        array->swapped = array->size > 1 && text[0] == (machine_is_little() ? '>' : '<');
        return PEN_OK;
    }
    return pen_fail(PEN_ERR_INPUT, "%s: elements of type '%s', must be b1, i1, i2, i4, i8, u1, u2, u4, u8, f4 or f8",
                    s->name, text);
}

static pen_status take_order(scan *s, pen_npy *array)
{
    array->fortran = take_word(s, "True");
    if (array->fortran || take_word(s, "False")) return PEN_OK;
    return refuse(s, "fortran_order must be True or False");
}

static pen_status take_shape(scan *s, pen_npy *array)
{
    bool good = take(s, '('), more = true;
    array->dimensions = 0;
    array->shape[1] = 1;
    while (good && !take(s, ')')) {
        good = more && array->dimensions < 2 && take_number(s, &array->shape[array->dimensions]);
        array->dimensions++;
        more = take(s, ',');
    }
    if (!good || array->dimensions == 0 || (array->dimensions == 1 && !more))
        return refuse(s, "its shape must have one or two dimensions");
    return PEN_OK;
}

static pen_status take_member(scan *s, pen_npy *array, unsigned *seen)
{
    static const struct {
        const char *key;
        pen_status (*take)(scan *s, pen_npy *array);
    } members[] = { { "descr", take_type }, { "fortran_order", take_order }, { "shape", take_shape } };
    char key[16];
    if (!take_text(s, key, sizeof key) || !take(s, ':')) return refuse(s, "its header is damaged");
    for (int i = 0; i < PEN_COUNT_OF(members); i++) {
        if (strcmp(key, members[i].key) != 0 || (*seen & 1u << i)) continue;
        *seen |= 1u << i;
        return members[i].take(s, array);
    }
    return pen_fail(PEN_ERR_INPUT, "%s: not an array that Penumbra can read: '%s' in its header", s->name, key);
}

static pen_status take_dictionary(scan *s, pen_npy *array)
{
    unsigned seen = 0;
    bool good = take(s, '{'), more = true;
    while (good && !take(s, '}')) {
        if (!more) return refuse(s, "its header is damaged");
        PEN_TRY(take_member(s, array, &seen));
        more = take(s, ',');
        good = s->at < s->end;
    }
    skip_blanks(s);
    if (!good || s->at < s->end) return refuse(s, "its header is damaged");
    if (seen != 7) return refuse(s, "its header lacks descr, fortran_order or shape");
    return PEN_OK;
}

/* ---- The file's header ---------------------------------------------------------------------- */

/* Find the beginning and the end of the dictionary. */
static pen_status find_dictionary(const char *name, const unsigned char *bytes, int64_t size, scan *s)
{
    if (size < PREFIX || memcmp(bytes, magic, sizeof magic - 1) != 0)
        return pen_fail(PEN_ERR_INPUT, "%s: not a .npy file: it does not begin with \\x93NUMPY", name);
    int version = bytes[6], wide = version == 1 ? 2 : 4;
    if (version < 1 || version > 3 || bytes[7] != 0)
        return pen_fail(PEN_ERR_INPUT, "%s: version %d.%d of the .npy format, must be 1.0 to 3.0", name, version,
                        bytes[7]);
    int64_t begin = PREFIX - 2 + wide, length = 0;
    for (int k = 0; k < wide && begin <= size; k++) length |= (int64_t)bytes[PREFIX - 2 + k] << 8 * k;
    if (begin + length > PEN_NPY_MOST)
        return pen_fail(PEN_ERR_INPUT, "%s: a header of %" PRId64 " bytes, must be at most %d", name, begin + length,
                        PEN_NPY_MOST);
    if (begin + length > size) return pen_fail(PEN_ERR_INPUT, "%s: the file ends within its header", name);
    const char *text = (const char *)bytes;
    *s = (scan){ name, text + begin, text + begin + length };
    return PEN_OK;
}

pen_status pen_npy_parse(const char *name, const void *bytes, int64_t size, pen_npy *array)
{
    scan s;
    pen_npy parsed = { 0 };
    PEN_TRY(find_dictionary(name, bytes, size, &s));
    parsed.begin = s.end - (const char *)bytes;
    PEN_TRY(take_dictionary(&s, &parsed));
    if (parsed.shape[1] > 0 && parsed.shape[0] > (INT64_MAX - PEN_NPY_MOST) / 8 / parsed.shape[1])
        return pen_fail(PEN_ERR_INPUT, "%s: %" PRId64 " times %" PRId64 " elements, more than any file has", name,
                        parsed.shape[0], parsed.shape[1]);
    *array = parsed;
    return PEN_OK;
}

pen_status pen_npy_check_size(const char *name, const pen_npy *array, int64_t size)
{
    int64_t wanted = array->begin + pen_npy_bytes(array);
    if (size == wanted) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: %" PRId64 " bytes, but its header says %" PRId64, name, size, wanted);
}

/* ---- Elements ------------------------------------------------------------------------------- */

/* Sign-extend an integer of `size` bytes. */
static int64_t extended(int size, uint64_t word)
{
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return (int64_t)((word ^ sign) - sign);
}

static double real_of(char kind, int size, uint64_t word)
{
    double real;
    float narrow;
    uint32_t half = (uint32_t)word;
    switch (kind) {
    case 'f':
        memcpy(&real, &word, sizeof real);
        memcpy(&narrow, &half, sizeof narrow);
        return size == 8 ? real : (double)narrow;
    case 'i': return (double)extended(size, word);
    case 'b': return word != 0;
    default: return (double)word;
    }
}

static uint64_t word_of(const pen_npy *array, const void *data, int64_t index)
{
    const unsigned char *at = (const unsigned char *)data + index * array->size;
    bool little = machine_is_little() != array->swapped;
    uint64_t word = 0;
    for (int k = 0; k < array->size; k++) word |= (uint64_t)at[little ? k : array->size - 1 - k] << 8 * k;
    return word;
}

double pen_npy_real(const pen_npy *array, const void *data, int64_t index)
{
    return real_of(array->kind, array->size, word_of(array, data, index));
}

bool pen_npy_is_rounded(const pen_npy *array, const void *data, int64_t index, char digits[PEN_NPY_DIGITS])
{
    const double behind = 18446744073709551616.0; /* the first number beyond 64 bits, 2^64 */
    const uint64_t word = word_of(array, data, index);
    if (array->size < 8 || array->kind == 'f') return false;
    const bool minus = array->kind == 'i' && extended(array->size, word) < 0;
    const uint64_t size = minus ? 0 - word : word;
    if ((double)size < behind && (uint64_t)(double)size == size) return false;
    snprintf(digits, PEN_NPY_DIGITS, "%s%" PRIu64, minus ? "-" : "", size);
    return true;
}

bool pen_npy_whole(const pen_npy *array, const void *data, int64_t index, int64_t *whole)
{
    const double most = 9007199254740992.0;
    uint64_t word = word_of(array, data, index);
    double real = real_of(array->kind, array->size, word);
    if (array->kind == 'f') {
        if (!(real >= -most && real <= most) || real != (double)(int64_t)real) return false;
        *whole = (int64_t)real;
        return true;
    }
    if (array->kind == 'u' && word > INT64_MAX) return false;
    *whole = array->kind == 'i' ? extended(array->size, word) : (int64_t)word;
    return true;
}

static pen_status read_all(const char *path, int64_t *size, unsigned char **bytes)
{
    FILE *file;
    PEN_TRY(pen_regular_open(path, false, &file, size));
    pen_status status = PEN_ALLOC(bytes, *size);
    if (status == PEN_OK && fread(*bytes, 1, (size_t)*size, file) != (size_t)*size)
        status = pen_fail(PEN_ERR_IO, "%s: cannot read all of it", path);
    fclose(file);
    return status;
}

static pen_status take_element(const char *path, const pen_npy *array, const void *data, int64_t row, int64_t column,
                               double *number)
{
    char digits[PEN_NPY_DIGITS];
    const int64_t index = pen_npy_index(array, row, column);
    *number = pen_npy_real(array, data, index);
    if (!pen_npy_is_rounded(array, data, index, digits)) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: row %" PRId64 ", column %" PRId64 ": no double is %s", path, row, column,
                    digits);
}

static pen_status read_numbers(const char *path, pen_npy *array, double **numbers)
{
    unsigned char *bytes = NULL;
    int64_t size;
    pen_status status = read_all(path, &size, &bytes);
    if (status == PEN_OK) status = pen_npy_parse(path, bytes, size, array);
    if (status == PEN_OK) status = pen_npy_check_size(path, array, size);
    if (status == PEN_OK) status = PEN_ALLOC(numbers, array->shape[0] * array->shape[1]);
    for (int64_t r = 0; status == PEN_OK && array->shape[1] > 0 && r < array->shape[0]; r++)
        for (int64_t c = 0; status == PEN_OK && c < array->shape[1]; c++)
            status = take_element(path, array, bytes + array->begin, r, c, &(*numbers)[r * array->shape[1] + c]);
    free(bytes);
    if (status != PEN_OK) PEN_FREE_ALL(*numbers);
    return status;
}

pen_status pen_npy_read(const char *path, int64_t *rows, int64_t *columns, double **numbers)
{
    pen_npy array;
    double *made = NULL;
    PEN_ARGUMENT(path && rows && columns && numbers, "pen_npy_read: an argument is NULL");
    PEN_TRY(read_numbers(path, &array, &made));
    *rows = array.shape[0];
    *columns = array.shape[1];
    *numbers = made;
    return PEN_OK;
}

int64_t pen_npy_header(const pen_npy *array, char bytes[PEN_NPY_WRITTEN])
{
    char order = machine_is_little() ? '<' : '>', columns[24] = "";
    if (array->size == 1) order = '|';
    if (array->dimensions == 2) snprintf(columns, sizeof columns, " %" PRId64, array->shape[1]);
    memset(bytes, ' ', PEN_NPY_WRITTEN);
    int used = PREFIX + snprintf(bytes + PREFIX, PEN_NPY_WRITTEN - PREFIX,
                                 "{'descr': '%c%c%d', 'fortran_order': %s, 'shape': (%" PRId64 ",%s), }", order,
                                 array->kind, array->size, array->fortran ? "True" : "False", array->shape[0], columns);
    int length = (used + 1 + 63) / 64 * 64;
    bytes[used] = ' ';
    bytes[length - 1] = '\n';
    memcpy(bytes, magic, sizeof magic - 1);
    bytes[6] = 1;
    bytes[7] = 0;
    bytes[8] = (char)((length - PREFIX) & 255);
    bytes[9] = (char)((length - PREFIX) >> 8);
    return length;
}
