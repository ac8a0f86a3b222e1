/* npy_test.c - headers of NumPy files: valid ones, invalid ones, damage at every byte, and elements.
 * pen_test() */
#include "tests/support/unit.h"

#include "base/memory.h"
#include "base/npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A header of version `major`.0 around a dictionary, padded as NumPy does. Returns its length. */
static int64_t make(int major, const char *dictionary, char *bytes)
{
    int prefix = major == 1 ? 10 : 12;
    int64_t used = prefix + (int64_t)strlen(dictionary), length = (used + 1 + 63) / 64 * 64;
    memset(bytes, ' ', (size_t)length);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)major;
    bytes[7] = 0;
    memset(bytes + 8, 0, (size_t)prefix - 8);
    bytes[8] = (char)((length - prefix) & 255);
    bytes[9] = (char)((length - prefix) >> 8);
    memcpy(bytes + prefix, dictionary, strlen(dictionary));
    bytes[length - 1] = '\n';
    return length;
}

TEST(what_headers_say)
{
    static const struct {
        const char *dictionary;
        pen_npy array;
    } cases[] = {
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", { 'f', 8, false, false, 1, { 3, 1 }, 0 } },
        { "{'descr': '>f4', 'fortran_order': True, 'shape': (3, 4), }", { 'f', 4, true, true, 2, { 3, 4 }, 0 } },
        { "{'shape':(0,7,),\"fortran_order\":False,\"descr\":'|b1'}", { 'b', 1, false, false, 2, { 0, 7 }, 0 } },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (12345678901,), }",
          { 'u', 1, false, false, 1, { INT64_C(12345678901), 1 }, 0 } },
        { "{'descr': '>i8', 'fortran_order': False, 'shape': (1, 1), }", { 'i', 8, true, false, 2, { 1, 1 }, 0 } },
        { "{'descr': '<i1', 'fortran_order': False, 'shape': (9,), }   ", { 'i', 1, false, false, 1, { 9, 1 }, 0 } },
    };
    char bytes[512];
    for (int major = 1; major <= 3; major++)
        for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
            pen_npy array, wanted = cases[i].array;
            int64_t length = make(major, cases[i].dictionary, bytes);
            assert_int_equal(pen_npy_parse("a.npy", bytes, length, &array), PEN_OK);
            assert_int_equal(array.kind, wanted.kind);
            assert_int_equal(array.size, wanted.size);
            assert_int_equal(array.swapped, wanted.swapped);
            assert_int_equal(array.fortran, wanted.fortran);
            assert_int_equal(array.dimensions, wanted.dimensions);
            assert_int_equal(array.shape[0], wanted.shape[0]);
            assert_int_equal(array.shape[1], wanted.shape[1]);
            assert_int_equal(array.begin, length);
            int64_t size = length + wanted.shape[0] * wanted.shape[1] * wanted.size;
            assert_int_equal(pen_npy_check_size("a.npy", &array, size), PEN_OK);
            assert_int_equal(pen_npy_check_size("a.npy", &array, size + 1), PEN_ERR_INPUT);
            assert_non_null(strstr(pen_error_message(), "a.npy: "));
            assert_int_equal(pen_npy_check_size("a.npy", &array, size - 1), PEN_ERR_INPUT);
        }
}

TEST(what_they_may_not_say)
{
    static const struct {
        const char *dictionary, *why;
    } cases[] = {
        { "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }", "'<f2'" },
        { "{'descr': '<c16', 'fortran_order': False, 'shape': (3,), }", "'<c16'" },
        { "{'descr': '<<f8', 'fortran_order': False, 'shape': (3,), }", "'<<f8'" },
        { "{'descr': '', 'fortran_order': False, 'shape': (3,), }", "''" },
        { "{'descr': '<f88', 'fortran_order': False, 'shape': (3,), }", "'<f88'" },
        { "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }", "plain numbers" },
        { "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,), }", "fortran_order" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "shape" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (3), }", "shape" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (3,,), }", "shape" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (3 4), }", "shape" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4, 5), }", "shape" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }", "shape" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (1234567890123456789,), }", "shape" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999999999,), }", "shape" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (12345678901, 1234567890), }", "more than any file" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)", "damaged" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } x", "damaged" },
        { "{'descr': '<f8' 'fortran_order': False, 'shape': (3,), }", "damaged" },
        { "{'descr': '<f8', 'shape': (3,), }", "lacks" },
        { "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", "'descr'" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1, }", "'more'" },
        { "{}", "lacks" },
        { "", "damaged" },
    };
    char bytes[512];
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        pen_npy array = { .kind = 'x' };
        int64_t length = make(1, cases[i].dictionary, bytes);
        assert_int_equal(pen_npy_parse("b.npy", bytes, length, &array), PEN_ERR_INPUT);
        if (!strstr(pen_error_message(), cases[i].why) || strncmp(pen_error_message(), "b.npy: ", 7) != 0)
            fail_msg("%s: %s", cases[i].dictionary, pen_error_message());
        assert_int_equal(array.kind, 'x');
    }
}

/* Every length, and every value of every byte: an error, or a header that makes sense. */
TEST(damage_is_an_error_or_another_header)
{
    char whole[512];
    int64_t length = make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 21), }", whole);
    int64_t good = 0;
    pen_npy array;
    for (int64_t size = 0; size <= length; size++) {
        char *bytes = malloc((size_t)size + 1); /* what is read beyond it is found */
        assert_non_null(bytes);
        memcpy(bytes, whole, (size_t)size);
        bytes = realloc(bytes, size ? (size_t)size : 1);
        assert_int_equal(pen_npy_parse("c.npy", bytes, size, &array) == PEN_OK, size == length);
        assert_int_equal(pen_npy_parse("c.npy", whole, size, &array) == PEN_OK, size == length);
        for (int64_t at = 0; size == length && at < size; at++)
            for (int value = 0; value < 256; value++) {
                bytes[at] = (char)value;
                if (pen_npy_parse("c.npy", bytes, size, &array) == PEN_OK) {
                    good++;
                    assert_true(array.dimensions >= 1 && array.dimensions <= 2 && array.shape[0] >= 0);
                    assert_true(array.shape[1] >= 0 && pen_npy_bytes(&array) >= 0 && array.begin <= size);
                    assert_true(array.size == 1 || array.size == 2 || array.size == 4 || array.size == 8);
                }
                bytes[at] = whole[at];
            }
        free(bytes);
    }
    assert_in_range(good, length + 100, 1000); /* other digits and blanks */
}

TEST(elements_are_numbers_of_either_order)
{
    static const struct {
        char kind;
        int size;
        const char *high_first; /* three elements */
        double values[3];
    } cases[] = {
        { 'b', 1, "\0\1\7", { 0, 1, 1 } },
        { 'i', 1, "\x80\xff\x7f", { -128, -1, 127 } },
        { 'u', 1, "\x80\xff\x7f", { 128, 255, 127 } },
        { 'i', 2, "\x80\0\xff\xfe\1\2", { -32768, -2, 258 } },
        { 'u', 2, "\x80\0\xff\xfe\1\2", { 32768, 65534, 258 } },
        { 'i', 4, "\x80\0\0\0\xff\xff\xff\xfe\1\2\3\4", { -2147483648.0, -2, 16909060 } },
        { 'u', 4, "\x80\0\0\0\xff\xff\xff\xfe\1\2\3\4", { 2147483648.0, 4294967294.0, 16909060 } },
        { 'i', 8, "\x80\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xfe\0\0\0\0\1\2\3\4", { -0x1p63, -2, 16909060 } },
        { 'u', 8, "\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\1\2\3\4", { 0x1p63, 2, 16909060 } },
        { 'f', 4, "\x3f\x80\0\0\xc0\x49\x0f\xdb\xff\x80\0\0", { 1, -3.1415927410125732, -INFINITY } },
        { 'f', 8, "\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0\x3f\xb9\x99\x99\x99\x99\x99\x9a", { 1, -2, 0.1 } },
    };
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    for (int i = 0; i < PEN_COUNT_OF(cases); i++)
        for (int reversed = 0; reversed < 2; reversed++) {
            int size = cases[i].size;
            char data[25]; /* elements begin at odd places */
            for (int k = 0; k < 3 * size; k++)
                data[1 + k] = cases[i].high_first[reversed ? k / size * size + size - 1 - k % size : k];
            pen_npy array = { .kind = cases[i].kind, .size = size, .swapped = little == !reversed };
            for (int k = 0; k < 3; k++) assert_true(pen_npy_real(&array, data + 1, k) == cases[i].values[k]);
        }
    const pen_npy rows = { .shape = { 3, 4 } }, columns = { .shape = { 3, 4 }, .fortran = true };
    assert_int_equal(pen_npy_index(&rows, 2, 1), 9);
    assert_int_equal(pen_npy_index(&columns, 2, 1), 5);
}

TEST(what_is_written_is_read)
{
    static const int64_t numbers[] = { 0, 1, 99, INT64_C(100000000000000) };
    static const struct {
        char kind;
        int size;
    } types[] = { { 'f', 8 }, { 'f', 4 }, { 'i', 8 }, { 'i', 4 }, { 'u', 1 }, { 'b', 1 } };
    for (int t = 0; t < PEN_COUNT_OF(types); t++)
        for (int i = 0; i < PEN_COUNT_OF(numbers); i++)
            for (int dimensions = 1; dimensions <= 2; dimensions++) {
                char bytes[PEN_NPY_WRITTEN];
                const pen_npy array = { types[t].kind,
                                        types[t].size,
                                        true,
                                        dimensions == 2 && i % 2,
                                        dimensions,
                                        { numbers[i], dimensions == 2 ? 300 : 1 },
                                        0 };
                pen_npy back;
                int64_t length = pen_npy_header(&array, bytes);
                assert_true(length % 64 == 0 && length <= PEN_NPY_WRITTEN);
                assert_int_equal(bytes[length - 1], '\n');
                assert_int_equal(pen_npy_parse("d.npy", bytes, length, &back), PEN_OK);
                assert_int_equal(back.kind, array.kind);
                assert_int_equal(back.size, array.size);
                assert_int_equal(back.swapped, 0);
                assert_int_equal(back.fortran, array.fortran);
                assert_int_equal(back.dimensions, dimensions);
                assert_int_equal(back.shape[0], array.shape[0]);
                assert_int_equal(back.shape[1], array.shape[1]);
                assert_int_equal(back.begin, length);
            }
}

TEST(long_and_foreign_headers_are_refused)
{
    char bytes[512];
    pen_npy array;
    int64_t length = make(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", bytes);
    bytes[10] = 1; /* 65536 bytes more */
    assert_int_equal(pen_npy_parse("e.npy", bytes, length, &array), PEN_ERR_INPUT);
    assert_non_null(strstr(pen_error_message(), "at most 65536"));
    length = make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", bytes);
    bytes[6] = 4;
    assert_int_equal(pen_npy_parse("e.npy", bytes, length, &array), PEN_ERR_INPUT);
    assert_non_null(strstr(pen_error_message(), "version 4.0"));
    assert_int_equal(pen_npy_parse("e.npy", "PK\3\4 a zip of arrays", 20, &array), PEN_ERR_INPUT);
    assert_non_null(strstr(pen_error_message(), "not a .npy file"));
}

TEST(rows_without_elements_are_read)
{
    char bytes[512], path[] = "/tmp/penumbra_npy_XXXXXX";
    const int file = mkstemp(path);
    int64_t rows, columns, length;
    double *numbers;
    length = make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000000, 0), }", bytes);
    assert_true(file >= 0 && write(file, bytes, (size_t)length) == length && close(file) == 0);
    assert_int_equal(pen_npy_read(path, &rows, &columns, &numbers), PEN_OK);
    assert_true(rows == 100000000000000000 && columns == 0);
    free(numbers);
    unlink(path);
}
