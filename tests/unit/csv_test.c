/* csv_test.c - records of comma-separated values: their fields, in pieces of any length; errors and their places.
 * pen_test() */
#include "tests/support/unit.h"

#include "base/csv.h"

#include <stdlib.h>
#include <string.h>

/* All records of a text as "a|b/c|d/", or '!' and the reason, with the place in front. More text is given only as far
 * as it is asked for, `piece` bytes at a time. */
static void split(const char *text, int64_t size, int64_t piece, char *result, size_t room)
{
    pen_csv csv = { 0 };
    int64_t at = 0, lines = 0;
    size_t length = 0;
    result[0] = '\0';
    while (at < size) {
        int64_t used = 0;
        pen_status status = PEN_OK;
        for (int64_t end = at; used == 0 && status == PEN_OK;) {
            assert_true(end < size);
            end = size - end < piece ? size : end + piece;
            char *copy = malloc((size_t)(end - at)); /* what is read beyond it is found */
            assert_non_null(copy);
            memcpy(copy, text + at, (size_t)(end - at));
            status = pen_csv_split(&csv, copy, end - at, end == size, &used);
            free(copy);
        }
        if (status != PEN_OK) {
            snprintf(result + length, room - length, "!%d %s", (int)(at + used), csv.why);
            break;
        }
        for (int i = 0; i < csv.count; i++)
            length += (size_t)snprintf(result + length, room - length, "%s%s", i ? "|" : "", pen_csv_field(&csv, i));
        length += (size_t)snprintf(result + length, room - length, "/");
        at += used;
        lines += csv.lines;
    }
    int64_t wanted = 0;
    for (int64_t i = 0; i < at; i++) wanted += text[i] == '\n';
    assert_int_equal(lines, wanted);
    pen_csv_free(&csv);
}

TEST(records_and_what_is_wrong)
{
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        { "", "" },
        { "a", "a/" },
        { "a,b\n", "a|b/" },
        { "a,b\r\nc,,d\r\n", "a|b/c||d/" },
        { "\n\r\n,\n", "//|/" },
        { ",", "|/" },
        { " a , b ", " a | b /" },
        { "\"a\",\"\"\n\"b,c\"", "a|/b,c/" },
        { "\"a\"\"b\",\"\"\"\"\n", "a\"b|\"/" },
        { "\"two\r\nlines\",x\r\n1,2", "two\r\nlines|x/1|2/" },
        { "a\r", "a/" },
        { "\"a\"\r", "a/" },
        { "\"a", "!0 a quote that is never closed" },
        { "x\ny,\"a\"\"", "x/!4 a quote that is never closed" },
        { "a\"b\n", "!1 a quote inside a field that does not begin with one" },
        { "x,\"a\"b\n", "!5 text after the closing quote" },
        { "x,\"a\" \n", "!5 text after the closing quote" },
        { "a\rb\n", "!1 a carriage return without a line feed" },
        { "a\r,b\n", "!1 a carriage return without a line feed" },
    };
    char result[200];
    for (int i = 0; i < PEN_COUNT_OF(cases); i++)
        for (int64_t piece = 1; piece <= 40; piece++) {
            split(cases[i].text, (int64_t)strlen(cases[i].text), piece, result, sizeof result);
            assert_string_equal(result, cases[i].wanted);
        }
    split("a,b\0c\n", 6, 3, result, sizeof result);
    assert_string_equal(result, "!3 a NUL byte");
    split("\"a\0\"", 4, 9, result, sizeof result);
    assert_string_equal(result, "!2 a NUL byte");
}

/* Every value of every byte, and every length: fields, or a reason, and the same whatever the pieces. */
TEST(damage_is_a_record_or_a_reason)
{
    static const char whole[] = "s,t,\"w\"\"x\"\r\n1,\"a\nb\",\n\"\",2,3\n";
    enum { SIZE = sizeof whole - 1 };
    char text[SIZE], result[400], other[400];
    for (int at = 0; at < SIZE; at++)
        for (int value = 0; value < 256; value++) {
            memcpy(text, whole, SIZE);
            text[at] = (char)value;
            split(text, SIZE, SIZE, result, sizeof result);
            split(text, SIZE, 1 + value % 5, other, sizeof other);
            assert_string_equal(result, other);
        }
    for (int size = 0; size <= SIZE; size++) split(whole, size, 3, result, sizeof result);
}

TEST(long_fields_and_many)
{
    enum { FIELDS = 3000, LENGTH = 100 };
    pen_csv csv = { 0 };
    char *text = malloc(FIELDS * (LENGTH + 1));
    int64_t used;
    assert_non_null(text);
    for (int i = 0; i < FIELDS; i++) {
        memset(text + i * (LENGTH + 1), 'a' + i % 26, LENGTH);
        text[i * (LENGTH + 1) + LENGTH] = i + 1 < FIELDS ? ',' : '\n';
    }
    int failures = 0;
    for (int64_t k = 1;; k++) { /* wherever memory ends */
        pen_csv_free(&csv);
        pen_alloc_countdown = k;
        pen_status status = pen_csv_split(&csv, text, FIELDS * (LENGTH + 1), false, &used);
        bool over = pen_alloc_countdown > 0;
        pen_alloc_countdown = 0;
        assert_int_equal(status, over ? PEN_OK : PEN_ERR_MEMORY);
        failures += !over;
        if (over) break;
    }
    assert_true(failures > 5);
    assert_int_equal(csv.count, FIELDS);
    assert_int_equal(used, FIELDS * (LENGTH + 1));
    for (int i = 0; i < FIELDS; i++) {
        assert_int_equal(strlen(pen_csv_field(&csv, i)), LENGTH);
        assert_int_equal(pen_csv_field(&csv, i)[LENGTH - 1], 'a' + i % 26);
    }
    pen_csv_free(&csv);
    free(text);
}

TEST(names_marks_and_plain_fields)
{
    static const char header[] = "\xEF\xBB\xBFid, Source ,target,targets\n";
    pen_csv csv = { 0 };
    int64_t used;
    int mark = pen_csv_mark(header, sizeof header - 1);
    assert_int_equal(mark, 3);
    assert_int_equal(pen_csv_mark(header, 2), 0);
    assert_int_equal(pen_csv_mark("abcd", 4), 0);
    assert_int_equal(pen_csv_split(&csv, header + mark, (int64_t)sizeof header - 1 - mark, true, &used), PEN_OK);
    assert_int_equal(pen_csv_find(&csv, "source"), 1);
    assert_int_equal(pen_csv_find(&csv, "target"), 2);
    assert_int_equal(pen_csv_find(&csv, "ID"), 0);
    assert_int_equal(pen_csv_find(&csv, "tar"), -1);
    pen_csv_free(&csv);
    assert_true(pen_csv_is_plain("a b'c") && pen_csv_is_plain(""));
    assert_false(pen_csv_is_plain("a,b") || pen_csv_is_plain("\"") || pen_csv_is_plain("a\n") ||
                 pen_csv_is_plain("\r"));
}
