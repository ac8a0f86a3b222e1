/* nbody_bodies_test - bodies of an N-body run are drawn and read; a file damaged at any byte is refused with a
 * sentence.
 * pen_test(LINK pen_bodies) */
#include "tests/support/unit.h"

#include "apps/nbody/bodies.h"
#include "base/hash.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Drawing -------------------------------------------------------------------------------- */

static bodies_set drawn(int64_t count, uint64_t seed)
{
    bodies_set set;
    const char *wrong = pen_bodies_draw(count, seed, &set);
    if (wrong) fail_msg("%s", wrong);
    assert_int_equal(set.count, count);
    return set;
}

/* The figures of the papers' bench are made with these numbers. */
TEST(test_numbers)
{
    static const struct {
        int64_t count;
        uint64_t seed, hash;
    } known[] = { { 2, 1, UINT64_C(0x37b138a87fbc20ac) },
                  { 1024, 1, UINT64_C(0xb57d0f66fe8120f7) },
                  { 16384, 2, UINT64_C(0x2875d7d3121d21c2) },
                  { 1024, UINT64_MAX, UINT64_C(0xd9eb67ad3786f27c) } };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        bodies_set set = drawn(known[k].count, known[k].seed);
        uint64_t hash = 0;
        for (int64_t i = 0; i < set.count; i++) {
            const bodies_body *b = &set.bodies[i];
            double numbers[] = {
                b->place[0], b->place[1], b->place[2], b->velocity[0], b->velocity[1], b->velocity[2]
            };
            hash = pen_mix(hash ^ pen_hash_bytes(numbers, sizeof numbers));
            assert_true(b->mass == 1.0 / (double)set.count);
        }
        if (hash != known[k].hash) fail_msg("%zu: 0x%016" PRIx64, k, hash);
        free(set.bodies);
    }
}

/* One sphere of mass 1/2, half of the bodies: its energies, and the radius of most of it. The common centre of both
 * spheres rests at 0. */
TEST(test_spheres)
{
    enum { HALF = 4096 };
    const double apart = 64.0 / (9.0 * acos(-1.0));
    bodies_set set = drawn(2 * HALF, 3);
    double kinetic = 0.0, potential = 0.0, centre[3] = { 0.0 }, velocity[3] = { 0.0 };
    int inner = 0;
    for (int i = 0; i < HALF; i++) {
        const bodies_body *b = &set.bodies[i];
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            const bodies_body *other = &set.bodies[i + HALF];
            assert_true(fabs(other->place[k] - b->place[k] - apart) < 1e-12);
            assert_true(other->velocity[k] == b->velocity[k]);
            kinetic += 0.5 * b->mass * b->velocity[k] * b->velocity[k];
            square += pow(b->place[k] + apart / 2.0, 2.0);
            centre[k] += b->place[k] / HALF;
            velocity[k] += b->velocity[k] / HALF;
        }
        assert_true(square <= 9.2 * 9.2);
        inner += square <= 1.0;
        for (int j = 0; j < i; j++) {
            double distance = 0.0;
            for (int k = 0; k < 3; k++) distance += pow(b->place[k] - set.bodies[j].place[k], 2.0);
            potential -= b->mass * b->mass / sqrt(distance);
        }
    }
    if (!(fabs(-2.0 * kinetic / potential - 1.0) < 0.05)) fail_msg("virial ratio %g", -2.0 * kinetic / potential);
    /* Within r <= 1 there are 2^-1.5 of the mass, of what is within r <= 9. */
    assert_true(fabs((double)inner / HALF - pow(2.0, -1.5) / pow(81.0 / 82.0, 1.5)) < 0.03);
    for (int k = 0; k < 3; k++) assert_true(fabs(centre[k] + apart / 2.0) < 1e-12 && fabs(velocity[k]) < 1e-12);
    free(set.bodies);
}

TEST(test_counts)
{
    static const int64_t counts[] = { 0, 1, 3, -2, 16383, INT64_MAX - 1 };
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        bodies_set set;
        const char *wrong = pen_bodies_draw(counts[k], 1, &set);
        assert_non_null(wrong);
        assert_non_null(strstr(wrong, counts[k] > 16384 ? "no memory" : "must be even and >= 2"));
        assert_int_equal(set.count, 0);
        free(set.bodies);
    }
}

/* ---- Files ---------------------------------------------------------------------------------- */

static const char *const paths[] = { "nbody_bodies_test.txt", "nbody_bodies_test.npy" };

/* The result of pen_bodies_read for a file with these bytes. */
static const char *read_bytes(const char *path, const void *bytes, size_t size, bodies_set *set)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    const char *wrong = pen_bodies_read(path, set);
    if (wrong && strncmp(wrong, path, strlen(path)) != 0) fail_msg("without the file's name: %s", wrong);
    return wrong;
}

static void assert_text(const char *text, const char *expected)
{
    bodies_set set;
    const char *wrong = read_bytes(paths[0], text, strlen(text), &set);
    if (!wrong || strcmp(wrong + strlen(paths[0]), expected) != 0)
        fail_msg("\"%s\": %s", text, wrong ? wrong : "right");
    free(set.bodies);
}

static void assert_body(const bodies_body *b, const double numbers[7])
{
    assert_true(b->mass == numbers[0]);
    for (int k = 0; k < 3; k++) assert_true(b->place[k] == numbers[1 + k] && b->velocity[k] == numbers[4 + k]);
}

TEST(test_text)
{
    static const double first[7] = { 1, 2, -3, 4e2, 0.5, 0.25, -0.0 }, last[7] = { 1e-3, 7, 6, 5, 4, 3, 2.5 };
    static const char text[] =
        "# mass x y z vx vy vz\n\n1 2 -3 4e2 0.5 0x1p-2 -0\r\n \t\n  # of two\n\t.001 7 6 5 4 3 2.5  ";
    bodies_set set;
    const char *wrong = read_bytes(paths[0], text, sizeof text - 1, &set);
    if (wrong) fail_msg("%s", wrong);
    assert_int_equal(set.count, 2);
    assert_body(&set.bodies[0], first);
    assert_body(&set.bodies[1], last);
    free(set.bodies);

    assert_text("", ": no bodies");
    assert_text("\n# none\n\n", ": no bodies");
    assert_text("1 2 3 4 5 6 7\n1 2 3 4 5 6\n", ":2: vz is missing; a line has mass x y z vx vy vz");
    assert_text("#\n#\n1 2 3 4 5 6 7 8", ":3: more than mass x y z vx vy vz");
    assert_text("1 2 3 4 5 6 7 # eight", ":1: more than mass x y z vx vy vz");
    assert_text("1 2 3 4five 5 6 7", ":1: z is \"4five\", not a number");
    assert_text("1,2,3,4,5,6,7", ":1: mass is \"1,2,3,4,5,6,7\", not a number");
    assert_text("1 2 3 4 nan 6 7", ":1: vx is nan, not finite");
    assert_text("1 -inf 3 4 5 6 7", ":1: x is -inf, not finite");
    assert_text("1 2 1e999 4 5 6 7", ":1: y is inf, not finite");
    assert_text("\n0 2 3 4 5 6 7", ":2: mass is 0, not > 0");
    assert_text("-1 2 3 4 5 6 7", ":1: mass is -1, not > 0");
    static const char zero[] = "1 2 3 4 5 6 7\n1 2 3\0 4 5 6 7\n";
    wrong = read_bytes(paths[0], zero, sizeof zero - 1, &set);
    assert_string_equal(wrong + strlen(paths[0]), ":2: a zero byte, not a text file");
    free(set.bodies);
}

TEST(test_no_file)
{
    static const struct {
        const char *path, *wrong;
    } none[] = { { "there is none", "there is none: No such file or directory" },
                 { ".", ".: not a regular file" },
                 { "/dev/zero", "/dev/zero: not a regular file" },
                 { "", ": No such file or directory" } };
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        bodies_set set;
        assert_string_equal(pen_bodies_read(none[k].path, &set), none[k].wrong);
        assert_null(set.bodies);
    }
}

/* ---- .npy ----------------------------------------------------------------------------------- */

enum { ROWS = 5, MOST = 4096 };

/* Of the array that test files hold; a float has it. */
static double number(int64_t i, int k) { return k == 0 ? 0.5 + (double)i : 0.125 * (double)(7 * i + k) - 2.0625; }

/* A file of `rows` such rows with this header, and its size. */
static size_t make_npy(int version, const char *dictionary, int width, bool big, bool by_columns, int rows,
                       unsigned char *file)
{
    size_t first = version == 1 ? 10 : 12, length = strlen(dictionary) + 1, size;
    length += (64 - (first + length) % 64) % 64;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[7] = 0;
    for (size_t b = 8; b < first; b++) file[b] = (unsigned char)(length >> 8 * (b - 8));
    memset(file + first, ' ', length);
    memcpy(file + first, dictionary, strlen(dictionary));
    file[first + length - 1] = '\n';
    size = first + length;
    for (int at = 0; at < 7 * rows; at++) {
        double x = by_columns ? number(at % rows, at / rows) : number(at / 7, at % 7);
        float half = (float)x;
        uint64_t word = 0;
        uint32_t low;
        memcpy(&word, &x, 8);
        memcpy(&low, &half, 4);
        if (width == 4) word = low;
        for (int b = 0; b < width; b++) file[size++] = (unsigned char)(word >> 8 * (big ? width - 1 - b : b));
    }
    assert_true(size <= MOST);
    return size;
}

static void assert_rows(const bodies_set *set)
{
    assert_int_equal(set->count, ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        double numbers[7];
        for (int k = 0; k < 7; k++) numbers[k] = number(i, k);
        assert_body(&set->bodies[i], numbers);
    }
}

TEST(test_npy)
{
    static const struct {
        const char *dictionary;
        int width;
        bool big, by_columns;
    } good[] = {
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 7), }", 8, false, false },
        { "{'descr': '>f8', 'fortran_order': False, 'shape': (5, 7), }", 8, true, false },
        { "{'descr': '<f4', 'fortran_order': True, 'shape': (5, 7), }", 4, false, true },
        { "{'descr': '>f4', 'fortran_order': True, 'shape': (5, 7), }", 4, true, true },
        { "{'descr': '<f8', 'fortran_order': True, 'shape': (5, 7)}", 8, false, true },
        { "{\"shape\":(5L,7L),\"fortran_order\":False,\"descr\":\"<f4\"}", 4, false, false },
        { " { 'shape' : ( 5 , 7 , ) , 'descr' : '<f8' , 'fortran_order' : False , } ", 8, false, false },
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        { "{'descr': '=f8', 'fortran_order': False, 'shape': (5, 7), }", 8, false, false },
        { "{'descr': '|f4', 'fortran_order': False, 'shape': (5, 7), }", 4, false, false },
        { "{'descr': 'f8', 'fortran_order': False, 'shape': (5, 7), }", 8, false, false },
#endif
    };
    for (int version = 1; version <= 3; version++)
        for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
            unsigned char file[MOST];
            size_t size = make_npy(version, good[k].dictionary, good[k].width, good[k].big, good[k].by_columns, ROWS,
                                   file);
            bodies_set set;
            const char *wrong = read_bytes(paths[1], file, size, &set);
            if (wrong) fail_msg("%s: %s", good[k].dictionary, wrong);
            assert_rows(&set);
            free(set.bodies);
        }
}

TEST(test_bad_headers)
{
    static const char no_shape[] = "its shape is not (N, 7)", other_size[] = "its header says";
    static const struct {
        const char *dictionary, *wrong;
    } bad[] = {
        { "", "its header is damaged" },
        { "{'descr': '<f2', 'fortran_order': False, 'shape': (5, 7)}", "elements of type '<f2'" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (35,)}", no_shape },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (7, 5)}", no_shape },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 7, 1)}", "its shape must have" },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (329406144173384851, 7)}", "any file" }, /* * 56: 40 */
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (6, 7)}", other_size },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 7)}", other_size },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 7)}", other_size },
    };
    unsigned char file[MOST];
    bodies_set set;
    for (int version = 1; version <= 3; version++)
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            size_t size = make_npy(version, bad[k].dictionary, 8, false, false, ROWS, file);
            const char *wrong = read_bytes(paths[1], file, size, &set);
            if (!wrong || !strstr(wrong, bad[k].wrong)) fail_msg("%s: %s", bad[k].dictionary, wrong ? wrong : "right");
            free(set.bodies);
        }
    size_t size = make_npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 7), }", 8, false, false, 0, file);
    assert_non_null(strstr(read_bytes(paths[1], file, size, &set), "no bodies"));
    free(set.bodies);
}

/* Refused, or the same bodies, or, if a number has changed, other bodies with which a run can begin. */
static void assert_bearable(const unsigned char *file, size_t size, size_t header, size_t changed)
{
    bodies_set set;
    const char *wrong = read_bytes(paths[1], file, size, &set);
    if (!wrong && changed < header) {
        /* by its header a file may be big-endian, or stored by columns: all its numbers are others */
        assert_int_equal(set.count, ROWS);
    } else if (!wrong) {
        assert_int_equal(set.count, ROWS);
        int others = 0;
        for (int64_t i = 0; i < ROWS; i++) {
            const bodies_body *b = &set.bodies[i];
            others += b->mass != number(i, 0);
            for (int k = 0; k < 3; k++)
                others += (b->place[k] != number(i, 1 + k)) + (b->velocity[k] != number(i, 4 + k));
        }
        assert_int_equal(others, 1);
    }
    for (int64_t i = 0; i < set.count; i++) {
        const bodies_body *b = &set.bodies[i];
        assert_true(b->mass > 0.0 && isfinite(b->mass));
        for (int k = 0; k < 3; k++) assert_true(isfinite(b->place[k]) && isfinite(b->velocity[k]));
    }
    free(set.bodies);
}

/* Cut off at every byte, one byte longer, and with every byte replaced by others. */
TEST(test_damages)
{
    static const char dictionary[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 7), }";
    unsigned char file[MOST + 1];
    bodies_set set;
    for (int version = 1; version <= 3; version++) {
        size_t size = make_npy(version, dictionary, 8, false, false, ROWS, file), header = size - (size_t)ROWS * 7 * 8;
        for (size_t cut = 0; cut <= size + 1; cut++) {
            file[size] = 0;
            const char *wrong = read_bytes(paths[1], file, cut, &set);
            if (!wrong != (cut == size)) fail_msg("%zu of %zu bytes: %s", cut, size, wrong ? wrong : "right");
            free(set.bodies);
        }
        for (size_t at = 0; at < size; at++) {
            static const unsigned char turned[] = { 0x01, 0x90 };
            unsigned char right = file[at];
            for (size_t k = 0; k < sizeof turned; k++) {
                file[at] = (unsigned char)(right ^ turned[k]);
                assert_bearable(file, size, header, at);
            }
            file[at] = right;
        }
    }
    static const char line[] = "1 2 3 4 5 6 7\n";
    for (size_t cut = 0; cut + 2 < sizeof line; cut++) { /* as far as the last number */
        assert_non_null(read_bytes(paths[0], line, cut, &set));
        free(set.bodies);
    }
    for (size_t at = 0; at + 1 < sizeof line; at++)
        for (int byte = 0; byte < 256; byte += 3) {
            char other[sizeof line];
            memcpy(other, line, sizeof line);
            other[at] = (char)byte;
            if (!read_bytes(paths[0], other, sizeof line - 1, &set)) assert_int_equal(set.count, 1);
            free(set.bodies);
        }
}

TEST(test_numbers_of_npy)
{
    static const char dictionary[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 7), }";
    static const struct {
        int row, column;
        double number;
        const char *wrong;
    } bad[] = { { 0, 0, 0.0, ": body 0: mass is 0, not > 0" },
                { 4, 0, -2.0, ": body 4: mass is -2, not > 0" },
                { 3, 6, INFINITY, ": body 3: vz is inf, not finite" },
                { 2, 1, -NAN, NULL } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        unsigned char file[MOST];
        bodies_set set;
        size_t size = make_npy(1, dictionary, 8, false, false, ROWS, file);
        uint64_t word;
        memcpy(&word, &bad[k].number, 8);
        for (int b = 0; b < 8; b++)
            file[size - 8 * (size_t)(7 * (ROWS - bad[k].row) - bad[k].column) + (size_t)b] = (unsigned char)(word >>
                                                                                                             8 * b);
        const char *wrong = read_bytes(paths[1], file, size, &set);
        assert_non_null(wrong);
        if (bad[k].wrong) assert_string_equal(wrong + strlen(paths[1]), bad[k].wrong);
        else assert_non_null(strstr(wrong, "nan, not finite"));
        free(set.bodies);
    }
}

int unit_end(void)
{
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) unlink(paths[k]);
    return 0;
}
