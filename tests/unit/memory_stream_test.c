/* memory_stream_test.c - a stream in memory has all that was written, or its end fails, wherever memory ended.
 * pen_test() */
#include "tests/support/unit.h"

#include "base/memory.h"
#include "base/memory_stream.h"

#include <stdlib.h>

enum { LINES = 9000 };

/* Text of three lengths, and the position after each of them. */
static bool write_lines(FILE *out, size_t *length)
{
    bool places = true;
    *length = 0;
    for (int i = 0; i < LINES; i++) {
        int size = fprintf(out, "%d%s", i, i % 3 ? "\n" : " and more\n");
        *length += size > 0 ? (size_t)size : 0;
        places = places && ftell(out) == (long)*length;
    }
    return places;
}

TEST(all_of_it_is_there)
{
    char *text = NULL;
    size_t size = 1, length;
    FILE *out = pen_memory_stream(&text, &size);
    assert_non_null(out);
    assert_true(write_lines(out, &length));
    assert_int_equal(fclose(out), 0);
    assert_int_equal(size, length);
    assert_int_equal(strlen(text), length);
    assert_memory_equal(text, "0 and more\n1\n2\n3 and more\n", 26);
    free(text);
    out = pen_memory_stream(&text, &size);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    free(text);
}

TEST(where_memory_ends_so_does_the_stream_with_a_failure)
{
    int failures = 0;
    for (int64_t k = 1;; k++) {
        char *text = NULL;
        size_t size = 0, length = 0;
        pen_alloc_countdown = k;
        FILE *out = pen_memory_stream(&text, &size);
        if (out) (void)write_lines(out, &length);
        bool failed = !out || fclose(out) != 0, over = pen_alloc_countdown > 0;
        pen_alloc_countdown = 0;
        assert_int_equal(failed, !over);
        free(text);
        failures += failed;
        if (over) break;
    }
    assert_true(failures > 5);
}
