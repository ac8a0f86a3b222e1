/* compress_test.c - gzip, xz and zstd streams: round trips, the tools as witnesses, and every damage to a small
 * archive, which must be found or must not matter. */
#include "tests/support/unit.h"

#include "base/hash.h"
#include "tools/graph/format.h"

#include <stdlib.h>

enum { LARGE = 600000, SINK = LARGE + 100000 };

static const char *const names[] = { "a.gz", "a.xz", "a.zst" };
enum { KINDS = 3 };

typedef struct bytes {
    const unsigned char *at;
    int64_t left;
} bytes;

static int64_t bytes_read(void *state, char *to, int64_t room)
{
    bytes *b = state;
    int64_t some = b->left < room ? b->left : room;
    some = some < 1000 ? some : 1000;
    memcpy(to, b->at, (size_t)some);
    b->at += some;
    b->left -= some;
    return some;
}

typedef struct growing {
    unsigned char at[SINK];
    int64_t size;
    bool finished;
} growing;

static pen_status growing_write(void *state, const char *from, int64_t size)
{
    growing *g = state;
    assert_true(g->size + size <= SINK);
    memcpy(g->at + g->size, from, (size_t)size);
    g->size += size;
    return PEN_OK;
}

static pen_status growing_finish(void *state)
{
    growing *g = state;
    g->finished = true;
    return PEN_OK;
}

static void keep(void *state) { (void)state; }

/* Read an archive in pieces of `step` bytes into at most `room`; *count becomes how many came before the end or
 * the failure. */
static pen_status unpack(const char *name, const unsigned char *from, int64_t size, int64_t step, unsigned char *to,
                         int64_t room, int64_t *count)
{
    bytes b = { from, size };
    pen_byte_source source = { &b, bytes_read, keep };
    int64_t got;
    *count = 0;
    assert_int_equal(pen_decompress(name, &source), PEN_OK);
    do {
        assert_true(*count + step <= room);
        got = source.read(source.state, (char *)to + *count, step);
        if (got > 0) *count += got;
    } while (got > 0);
    source.close(source.state);
    return got < 0 ? PEN_ERR_INPUT : PEN_OK;
}

/* The archive is added to what is in `g`. */
static void pack(const char *name, const void *from, int64_t size, int64_t step, growing *g)
{
    pen_byte_sink sink = { g, growing_write, growing_finish, keep };
    assert_int_equal(pen_compress(name, &sink), PEN_OK);
    for (int64_t at = 0; at < size; at += step)
        assert_int_equal(sink.write(sink.state, (const char *)from + at, size - at < step ? size - at : step), PEN_OK);
    g->finished = false;
    assert_int_equal(sink.finish(sink.state), PEN_OK);
    assert_true(g->finished);
    sink.close(sink.state);
}

TEST(come_back)
{
    static const int64_t sizes[] = { 0, 1, 1000, LARGE };
    unsigned char *from = malloc(LARGE), *back = malloc(LARGE + 70000);
    growing *g = malloc(sizeof *g);
    /* One byte in eight is random, so that the archive is long too. */
    for (size_t i = 0; i < LARGE; i++) from[i] = i % 8 == 0 ? (unsigned char)pen_mix(i) : 'x';
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < PEN_COUNT_OF(sizes); i++) {
            for (int large = 0; large < 2; large++) {
                int64_t count, small = sizes[i] > 1000 ? 777 : 1, step = large ? 70000 : small;
                g->size = 0;
                pack(names[kind], from, sizes[i], step, g);
                assert_int_equal(unpack(names[kind], g->at, g->size, step, back, LARGE + 70000, &count), PEN_OK);
                assert_int_equal(count, sizes[i]);
                assert_memory_equal(back, from, (size_t)count);
            }
        }
    }
    free(from);
    free(back);
    free(g);
}

TEST(members_follow_each_other)
{
    growing *g = malloc(sizeof *g);
    for (int kind = 0; kind < KINDS; kind++) {
        unsigned char back[100];
        int64_t count;
        g->size = 0;
        pack(names[kind], "hello ", 6, 3, g);
        pack(names[kind], "world", 5, 3, g);
        assert_int_equal(unpack(names[kind], g->at, g->size, 3, back, sizeof back, &count), PEN_OK);
        assert_int_equal(count, 11);
        assert_memory_equal(back, "hello world", 11);
    }
    free(g);
}

/* Any prefix, any other byte, and anything behind the end: refused, or (a byte that nothing depends on) the same
 * contents; never other contents with a good status. */
TEST(damage_is_found)
{
    static const char text[] = "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n";
    int64_t length = sizeof text - 1, count;
    growing *g = malloc(sizeof *g);
    for (int kind = 0; kind < KINDS; kind++) {
        unsigned char back[70000];
        int harmless = 0;
        g->size = 0;
        pack(names[kind], text, length, length, g);
        for (int64_t end = 0; end < g->size; end++)
            assert_int_equal(unpack(names[kind], g->at, end, 64, back, sizeof back, &count), PEN_ERR_INPUT);
        assert_non_null(strstr(pen_error_message(), "archive is truncated"));
        for (int64_t at = 0; at < g->size; at++) {
            for (int bit = 0; bit < 8; bit++) {
                g->at[at] ^= (unsigned char)(1 << bit);
                if (unpack(names[kind], g->at, g->size, 64, back, sizeof back, &count) == PEN_OK) {
                    assert_int_equal(count, length);
                    assert_memory_equal(back, text, (size_t)length);
                    harmless++;
                }
                g->at[at] ^= (unsigned char)(1 << bit);
            }
        }
        assert_true(harmless <= 64); /* gzip's time, system and flags */
        g->at[g->size] = 'x';
        assert_int_equal(unpack(names[kind], g->at, g->size + 1, 64, back, sizeof back, &count), PEN_ERR_INPUT);
    }
    free(g);
}

/* The header of an archive may ask for gigabytes. */
TEST(windows_are_limited)
{
    static const unsigned char wide[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, (31 - 10) << 3, 0x01, 0x00, 0x00 };
    unsigned char back[100];
    int64_t count;
    assert_int_equal(unpack("a.zst", wide, sizeof wide, 64, back, sizeof back, &count), PEN_ERR_INPUT);
    assert_non_null(strstr(pen_error_message(), "memory"));
}

TEST(endings_tell)
{
    assert_true(pen_path_is_compressed("a.graph.gz") && pen_path_is_compressed("a.xz") &&
                pen_path_is_compressed("a.mtx.zst"));
    assert_false(pen_path_is_compressed("a.zstd") || pen_path_is_compressed(".gz") || pen_path_is_compressed("-"));
    assert_true(pen_path_ends_in("a.mtx.zst", ".mtx") && pen_path_ends_in("a.mtx", ".mtx"));
    assert_false(pen_path_ends_in("a.mtx.zst", ".zst") || pen_path_ends_in(".mtx", ".mtx"));
}
