/* picture_test.c - pictures: sizes, colours and places of what is drawn, and graphs that are hardly any. */
#include "base/memory.h"
#include "tests/support/check.h"
#include "tools/graph/canvas.h"
#include "tools/graph/scene.h"

#include <math.h>
#include <png.h>

typedef struct grid {
    picture_graph graph;
    int64_t rows[40001], neighbors[160000];
    double coordinates[120000];
    int32_t part[40000];
} grid;

static grid g;

/* width x height nodes, four neighbours, parts of `block` x `block` nodes. */
static void make_grid(int width, int height, int dimensions, int block)
{
    int64_t arcs = 0;
    int across = (width + block - 1) / block;
    g.rows[0] = 0;
    for (int u = 0; u < width * height; u++) {
        int x = u % width, y = u / width;
        if (y > 0) g.neighbors[arcs++] = u - width;
        if (x > 0) g.neighbors[arcs++] = u - 1;
        if (x < width - 1) g.neighbors[arcs++] = u + 1;
        if (y < height - 1) g.neighbors[arcs++] = u + width;
        g.rows[u + 1] = arcs;
        const double at[3] = { x, y, 0.5 * x };
        for (int d = 0; d < dimensions; d++) g.coordinates[u * dimensions + d] = at[d];
        g.part[u] = y / block * across + x / block;
    }
    g.graph = (picture_graph){ .title = "grid",
                               .nodes = width * height,
                               .rows = g.rows,
                               .neighbors = g.neighbors,
                               .dimensions = dimensions,
                               .coordinates = g.coordinates,
                               .part = g.part,
                               .parts = across * ((height + block - 1) / block) };
}

/* Draw as PNG and decode; NULL pixels after a failure, which is reported. */
static canvas draw(const picture_options *options)
{
    unsigned char *bytes = NULL, *again = NULL;
    int64_t length = 0, again_length = 0;
    canvas c = { 0 };
    CHECK_STATUS(pen_picture_draw(&g.graph, options, &bytes, &length), PEN_OK);
    CHECK_STATUS(pen_picture_draw(&g.graph, options, &again, &again_length), PEN_OK);
    CHECK_INT(length, again_length);
    if (!bytes || !again) return c;
    CHECK(memcmp(bytes, again, (size_t)length) == 0);
    png_image image = { .version = PNG_IMAGE_VERSION };
    CHECK(png_image_begin_read_from_memory(&image, bytes, (size_t)length));
    image.format = PNG_FORMAT_RGB;
    CHECK_STATUS(pen_canvas_create((int)image.width, (int)image.height, &c), PEN_OK);
    CHECK(png_image_finish_read(&image, NULL, c.pixels, 0, NULL));
    free(bytes);
    free(again);
    return c;
}

static int64_t pixel(const canvas *c, int x, int y)
{
    const unsigned char *p = c->pixels + 3 * ((int64_t)y * c->width + x);
    return p[0] << 16 | p[1] << 8 | p[2];
}

/* 41 x 21 nodes, 1000 pixels: a margin of 20, 24 from node to node, the first row at the bottom. */
static void test_lines(void)
{
    make_grid(41, 21, 2, 11);
    canvas c = draw(&(picture_options){ .size = 1000 });
    CHECK_INT(c.width, 1000);
    CHECK(c.height >= 520 && c.height < 600);
    for (int u = 0; u < 41 * 21; u++)
        CHECK_INT(pixel(&c, 20 + u % 41 * 24, 500 - u / 41 * 24), pen_scene_colours[g.part[u]]);
    for (int y = 0; y < 21; y++) CHECK_INT(pixel(&c, 20 + 10 * 24 + 12, 500 - y * 24), pen_scene_colours[DARK]);
    CHECK_INT(pixel(&c, 20 + 12, 20 + 12), 0xFFFFFF); /* within a square of edges */
    CHECK(pixel(&c, 20 + 12, 20) != 0xFFFFFF);        /* on an edge */
    pen_canvas_free(&c);
}

/* What is shown is the window; beyond its margin there is no white, as the graph goes on. */
static void test_window(void)
{
    make_grid(41, 21, 2, 21);
    canvas c = draw(&(picture_options){ .size = 1000, .has_window = true, .window = { 30.0, 15.0, 20.0, 10.0 } });
    CHECK_INT(pixel(&c, 20 + 5 * 96, 500), pen_scene_colours[1]);
    CHECK_INT(pixel(&c, 20 + 48, 500), pen_scene_colours[DARK]);
    CHECK_INT(c.width, 1000);
    pen_canvas_free(&c);
}

static void test_areas(void)
{
    make_grid(200, 200, 2, 100);
    canvas c = draw(&(picture_options){ .size = 500 });
    int64_t white = 0, colours[4] = { 0 };
    for (int y = 10; y < 490; y++)
        for (int x = 10; x < 490; x++) {
            white += pixel(&c, x, y) == 0xFFFFFF;
            for (int p = 0; p < 4; p++) colours[p] += pixel(&c, x, y) == pen_scene_colours[p];
        }
    CHECK_INT(white, 0);
    for (int p = 0; p < 4; p++) CHECK(colours[p] > 230 * 230 && colours[p] <= 240 * 240);
    CHECK_INT(pixel(&c, 3, 250), 0xFFFFFF); /* outside */
    pen_canvas_free(&c);
}

/* Of two upright sheets, the second one behind the first one: it is seen beside and above it only. */
static void test_depth(void)
{
    scene s;
    const picture_options options = { .size = 1000 };
    make_grid(200, 200, 3, 100);
    for (int u = 0; u < 40000; u++) {
        const double at[3] = { u % 200, u < 20000 ? 0.0 : 40.0, u / 200 % 100 };
        memcpy(&g.coordinates[3 * u], at, sizeof at);
    }
    canvas c = draw(&options);
    CHECK_STATUS(pen_scene_create(&g.graph, &options, &s), PEN_OK);
    for (int u = 0; u < 20000; u++)
        if (u % 200 > 40 && u % 100 > 2 && u % 100 < 98 && u > 400 && u < 19600)
            CHECK_INT(pixel(&c, (int)s.x[u], (int)s.y[u]), pen_scene_colours[g.part[u]]);
    int behind = 200 * 199 + 50;
    CHECK_INT(pixel(&c, (int)s.x[behind], (int)s.y[behind]), pen_scene_colours[2]);
    pen_scene_free(&s);
    pen_canvas_free(&c);
}

/* Many parts: neighbours differ; and few: each has its own. */
static void test_colours(void)
{
    scene s;
    make_grid(200, 200, 2, 10);
    CHECK_STATUS(pen_scene_create(&g.graph, &(picture_options){ .size = 500 }, &s), PEN_OK);
    for (int64_t u = 0; u < g.graph.nodes; u++)
        for (int64_t k = g.rows[u]; k < g.rows[u + 1]; k++)
            if (g.part[u] != g.part[g.neighbors[k]]) CHECK(s.colour[g.part[u]] != s.colour[g.part[g.neighbors[k]]]);
    pen_scene_free(&s);
    make_grid(40, 20, 2, 10);
    CHECK_STATUS(pen_scene_create(&g.graph, &(picture_options){ .size = 500 }, &s), PEN_OK);
    for (int p = 0; p < 8; p++)
        for (int q = 0; q < p; q++) CHECK(s.colour[p] != s.colour[q]);
    CHECK_INT(s.label_count, 5 + 8);
    CHECK_CONTAINS(s.labels[1].text, "800 nodes");
    CHECK_CONTAINS(s.labels[2].text, "1540 edges");
    CHECK_CONTAINS(s.labels[3].text, "8 parts");
    CHECK_CONTAINS(s.labels[4].text, "cut 100");
    pen_scene_free(&s);
}

/* Neighbours that are none on paper: nothing is drawn that covers everything, and the caption says so. */
static void test_long_edges(void)
{
    scene s;
    make_grid(200, 200, 2, 200);
    for (int64_t u = 0; u < g.graph.nodes; u++) {
        g.coordinates[2 * u] = (double)(u * 7919 % 40009);
        g.coordinates[2 * u + 1] = (double)(u * 104729 % 39989);
    }
    CHECK_STATUS(pen_scene_create(&g.graph, &(picture_options){ .size = 500 }, &s), PEN_OK);
    CHECK(s.omits_long);
    CHECK(s.stroke_count < 100000);
    CHECK_CONTAINS(s.labels[s.label_count - 1].text, "long edges left out");
    pen_scene_free(&s);
}

static int64_t count(const char *text, int64_t length, char c)
{
    int64_t n = 0;
    for (int64_t i = 0; i < length; i++) n += text[i] == c;
    return n;
}

/* An edge is "M..l..", a dot "M..h0". */
static void test_svg(void)
{
    unsigned char *bytes = NULL;
    int64_t length = 0;
    make_grid(30, 20, 2, 10);
    g.graph.title = "<a & \"b\"> \x01\xff";
    CHECK_STATUS(pen_picture_draw(&g.graph, &(picture_options){ .size = 1000, .svg = true }, &bytes, &length), PEN_OK);
    if (!bytes) return;
    CHECK_INT(count((const char *)bytes, length, 'M'), 30 * 19 + 29 * 20 + 600);
    CHECK_CONTAINS((const char *)bytes, "&#60;a &#38; \"b\"&#62; ??");
    CHECK(length < 20 * (30 * 19 + 29 * 20 + 600));
    free(bytes);
}

static void test_degenerate(void)
{
    for (int dimensions = 1; dimensions <= 3; dimensions++) {
        make_grid(1, 1, dimensions, 1);
        for (int k = 0; k < 3; k++) g.coordinates[k] = -1e300;
        pen_canvas_free(&(canvas[]){ draw(&(picture_options){ .size = PICTURE_SIZE_MIN }) }[0]);
        make_grid(9, 7, dimensions, 2);
        pen_canvas_free(&(canvas[]){ draw(&(picture_options){ .size = PICTURE_SIZE_MIN }) }[0]);
        for (int k = 0; k < 63 * dimensions; k++) g.coordinates[k] = 5e-324 * (k % 3);
        pen_canvas_free(&(canvas[]){ draw(&(picture_options){ .size = 300 }) }[0]);
        make_grid(200, 150, dimensions, 7); /* areas, in three dimensions too */
        g.graph.part = NULL;
        g.graph.parts = 1;
        pen_canvas_free(&(canvas[]){ draw(&(picture_options){ .size = 300 }) }[0]);
        for (int k = 0; k < 30000 * dimensions; k++) g.coordinates[k] = 1.0;
        pen_canvas_free(&(canvas[]){ draw(&(picture_options){ .size = 300 }) }[0]);
    }
    unsigned char *bytes;
    int64_t length;
    static const double wrong[] = { INFINITY, -INFINITY, NAN, 1.7e308 };
    for (int k = 0; k < PEN_COUNT_OF(wrong); k++) {
        make_grid(3, 3, 2, 1);
        g.coordinates[0] = -1.7e308;
        g.coordinates[11] = wrong[k];
        g.coordinates[10] = wrong[k];
        CHECK_STATUS(pen_picture_draw(&g.graph, &(picture_options){ .size = 300 }, &bytes, &length), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), "must be finite");
    }
    make_grid(3, 3, 2, 1); /* no edges */
    memset(g.rows, 0, sizeof g.rows);
    pen_canvas_free(&(canvas[]){ draw(&(picture_options){ .size = 300 }) }[0]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    test_lines();
    test_window();
    test_areas();
    test_depth();
    test_colours();
    test_long_edges();
    test_svg();
    test_degenerate();
    return check_finish();
}
