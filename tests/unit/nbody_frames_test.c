/* nbody_frames_test - pictures of bodies: they are XML, have the light where the bodies are and a line around those of
 * each rank, and stay small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "apps/nbody/bodies.h"
#include "apps/nbody/frames.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- XML ------------------------------------------------------------------------------------ */

static const char *name_end(const char *at)
{
    while (isalnum((unsigned char)*at) || *at == '-') at++;
    return at;
}

/* Behind the attributes of a tag, each with a value in quotes; NULL: they are none. */
static const char *attributes_end(const char *at)
{
    for (;;) {
        at += strspn(at, " \n");
        const char *end = name_end(at);
        if (end == at) return at;
        if (strncmp(end, "=\"", 2) != 0) return NULL;
        at = end + 2 + strcspn(end + 2, "\"<&");
        if (*at++ != '"') return NULL;
    }
}

/* One element, whose tags close each other; NULL: it is none. */
static const char *element_end(const char *at)
{
    if (*at != '<') return NULL;
    const char *name = at + 1, *end = name_end(name);
    size_t length = (size_t)(end - name);
    if (length == 0 || !(at = attributes_end(end))) return NULL;
    if (strncmp(at, "/>", 2) == 0) return at + 2;
    if (*at++ != '>') return NULL;
    for (;;) {
        at += strcspn(at, "<&");
        if (strncmp(at, "&#183;", 6) == 0) at += 6;
        else if (strncmp(at, "</", 2) != 0) at = element_end(at);
        else if (strncmp(at + 2, name, length) == 0 && at[2 + length] == '>') return at + length + 3;
        else return NULL;
        if (!at) return NULL;
    }
}

/* The caller frees it. */
static char *drawn(const nbody_picture *picture)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    pen_nbody_draw(out, picture);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(strlen(text), size);
    const char *end = element_end(text);
    if (!end || strcmp(end, "\n") != 0) fail_msg("no XML: %s", text);
    return text;
}

/* ---- What there is -------------------------------------------------------------------------- */

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text++) count++;
    return count;
}

/* Of the path that begins with its stroke at `path`: least and largest x and y. */
static void limits_of(const char *path, double low[2], double high[2])
{
    const char *at = strstr(path, " d=\"") + 4;
    low[0] = low[1] = 1e9;
    high[0] = high[1] = -1e9;
    while (*at != '"') {
        for (int d = 0; d < 2; d++) {
            char *end;
            at += *at == 'M' || *at == 'L' || *at == ' ';
            double x = strtod(at, &end);
            assert_true(end != at);
            low[d] = fmin(low[d], x);
            high[d] = fmax(high[d], x);
            at = end;
        }
        at += strcspn(at, "ML\""); /* behind the length of a run */
    }
}

enum { EACH = 200, RANKS = 4 };

/* Of each rank a square of bodies, around a corner of the square of side 4 around (1, -1). */
static void place_squares(nbody_light *lights)
{
    for (int i = 0; i < RANKS * EACH; i++) {
        int r = i % RANKS, k = i / RANKS;
        lights[i] = (nbody_light){ (r % 2 ? 3.0 : -1.0) + 0.05 * (k % 14 - 6.5),
                                   (r / 2 ? 1.0 : -3.0) + 0.05 * ((double)k / 14 - 7.0), 0.25, r };
    }
}

static nbody_picture picture_of(const nbody_light *lights, int64_t count)
{
    return (nbody_picture){ .lights = lights,
                            .count = count,
                            .ranks = RANKS,
                            .centre = { 1.0, -1.0 },
                            .reach = 4.0,
                            .step = 7,
                            .leaves = 50,
                            .time = 0.175,
                            .imbalance = 1.25 };
}

static void test_ranks(void **unused)
{
    (void)unused;
    static nbody_light lights[RANKS * EACH];
    place_squares(lights);
    nbody_picture p = picture_of(lights, RANKS * EACH);
    char *text = drawn(&p);
    double side = 720.0;
    assert_non_null(strstr(text, ">step 7 &#183; time 0.175 &#183; 800 bodies in 50 leaves &#183; imbalance 1.250<"));
    assert_int_equal(count_of(text, "stroke=\"hsl("), RANKS);
    const char *at = text;
    for (int r = 0; r < RANKS; r++) { /* ascending y is upwards */
        double low[2], high[2], x = side * (r % 2 ? 0.75 : 0.25), y = side * (r / 2 ? 0.25 : 0.75);
        at = strstr(at, "stroke=\"hsl(") + 1;
        limits_of(at, low, high);
        assert_true(fabs(0.5 * (low[0] + high[0]) - x) < 8.0 && fabs(0.5 * (low[1] + high[1]) - y) < 8.0);
        for (int d = 0; d < 2; d++)
            if (!(high[d] - low[d] > side * 0.7 / 8 && high[d] - low[d] < side * 2.0 / 8))
                fail_msg("rank %d: %g to %g", r, low[d], high[d]);
    }
    free(text);

    for (int i = 0; i < RANKS * EACH; i++) lights[i].owner = 2; /* the others have none */
    p.imbalance = 0.0;
    text = drawn(&p);
    assert_int_equal(count_of(text, "hsl("), 0);
    assert_null(strstr(text, "imbalance"));
    assert_true(count_of(text, "<path") > 10);
    free(text);
}

/* Of bodies side by side on two ranks: their lines meet, and do not lie upon each other. */
static void test_borders(void **unused)
{
    (void)unused;
    static nbody_light lights[RANKS * EACH];
    for (int i = 0; i < RANKS * EACH; i++) {
        double x = -1.0 + 0.1 * (i % 40 + 0.5);
        lights[i] = (nbody_light){ x, -2.0 + 0.1 * (i / 40 + 0.5), 1.0, x > 1.0 ? 3 : 1 };
    }
    nbody_picture p = picture_of(lights, RANKS * EACH);
    char *text = drawn(&p), *one = strstr(text, "stroke=\"hsl("), *other = strstr(one + 1, "stroke=\"hsl(");
    double low[2], high[2];
    assert_int_equal(count_of(text, "stroke=\"hsl("), 2);
    limits_of(one, low, high);
    assert_true(high[0] > 352.0 && high[0] < 359.9);
    limits_of(other, low, high);
    assert_true(low[0] > 360.1 && low[0] < 368.0);
    free(text);
}

static void test_outside(void **unused)
{
    (void)unused;
    static nbody_light lights[RANKS * EACH + 8];
    static const double far[8][2] = { { 5.01, -1.0 },   { -3.01, 0.0 }, { 0.0, 3.01 },      { 0.0, -1e308 },
                                      { 1e300, 1e300 }, { NAN, 0.0 },   { 0.0, -INFINITY }, { INFINITY, NAN } };
    place_squares(lights);
    nbody_picture p = picture_of(lights, RANKS * EACH);
    char *text = drawn(&p);
    for (int i = 0; i < 8; i++) lights[p.count++] = (nbody_light){ far[i][0], far[i][1], 0.25, i % RANKS };
    char *more = drawn(&p);
    assert_string_equal(strstr(text, "</text>"), strstr(more, "</text>"));
    assert_non_null(strstr(more, " 808 bodies"));
    free(text);
    free(more);
    p.lights = &lights[RANKS * EACH];
    p.count = 8;
    text = drawn(&p); /* nothing in the view */
    assert_int_equal(count_of(text, "<path"), 0);
    free(text);
}

static void test_few(void **unused)
{
    (void)unused;
    static const nbody_light corners[] = {
        { 5.0, -5.0, 1.0, 0 }, { -3.0, 3.0, 1.0, 3 }, { -3.0, -5.0, 1e9, 1 }, { 5.0, 3.0, 1e-9, 2 }
    };
    for (int64_t count = 0; count <= 4; count++) {
        nbody_picture p = picture_of(corners, count);
        char *text = drawn(&p);
        assert_int_equal(count_of(text, "<path") > 0, count > 0);
        free(text);
    }
    nbody_picture p = picture_of(corners, 1);
    p.centre[0] = 5.0;
    p.centre[1] = -5.0;
    p.ranks = 1;
    char *text = drawn(&p), *last = NULL;
    for (char *at = text; (at = strstr(at, "<path")); at++) last = at;
    double low[2], high[2];
    limits_of(last, low, high); /* the brightest, in bins */
    assert_true(low[0] >= 178.0 && low[0] <= 181.0 && low[1] >= 178.0 && high[1] <= 182.0);
    free(text);
}

/* As many as a run has by default, on eight ranks: less than a megabyte. */
static void test_size(void **unused)
{
    (void)unused;
    bodies_set set;
    assert_null(pen_bodies_draw(16384, 1, &set));
    nbody_light *lights = malloc((size_t)set.count * sizeof *lights);
    assert_non_null(lights);
    for (int64_t i = 0; i < set.count; i++) {
        const bodies_body *b = &set.bodies[i];
        int32_t owner = (b->place[0] > 1.1) + 2 * (b->place[1] > 1.1) + 4 * (b->place[2] > 1.1);
        lights[i] = (nbody_light){ b->place[0], b->place[1], b->mass, owner };
    }
    nbody_picture p = picture_of(lights, set.count);
    p.ranks = 8;
    char *text = drawn(&p);
    size_t size = strlen(text);
    if (size > 1000000 || size < 100000) fail_msg("%zu bytes", size);
    free(text);
    free(lights);
    free(set.bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_ranks), cmocka_unit_test(test_borders),
                                        cmocka_unit_test(test_outside), cmocka_unit_test(test_few),
                                        cmocka_unit_test(test_size) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
