/* picture_test.c - pictures: sizes, colours and places of what is drawn, and graphs that are hardly any. */
#include "base/memory.h"
#include "tests/support/check.h"
#include "tools/graph/picture.h"
#include "tools/graph/scene.h"

#include <math.h>
#include <stdlib.h>

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

static char *draw_bytes(const picture_options *options, int64_t *length)
{
    char *bytes;
    writer out;
    CHECK_STATUS(pen_writer_open_memory(&bytes, length, &out), PEN_OK);
    CHECK_STATUS(pen_writer_close(&out, pen_picture_draw(&g.graph, options, &out)), PEN_OK);
    return bytes;
}

typedef struct file_text {
    const char *at;
    int64_t left;
} file_text;

static cairo_status_t take(void *state, unsigned char *to, unsigned int size)
{
    file_text *text = state;
    if (text->left < size) return CAIRO_STATUS_READ_ERROR;
    memcpy(to, text->at, size);
    text->at += size;
    text->left -= size;
    return CAIRO_STATUS_SUCCESS;
}

/* Draw as PNG, twice the same, and decode. */
static cairo_surface_t *draw(const picture_options *options)
{
    int64_t length, again_length;
    char *bytes = draw_bytes(options, &length), *again = draw_bytes(options, &again_length);
    CHECK_INT(length, again_length);
    CHECK(bytes && again && memcmp(bytes, again, (size_t)length) == 0);
    cairo_surface_t *image = cairo_image_surface_create_from_png_stream(take, &(file_text){ bytes, length });
    CHECK_INT(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    free(bytes);
    free(again);
    return image;
}

static void draw_only(const picture_options *options) { cairo_surface_destroy(draw(options)); }

static int64_t pixel(cairo_surface_t *image, int x, int y)
{
    const unsigned char *row = cairo_image_surface_get_data(image) + (int64_t)y * cairo_image_surface_get_stride(image);
    uint32_t value;
    memcpy(&value, row + 4 * x, sizeof value);
    return value & 0xFFFFFF;
}

/* 41 x 21 nodes, 1000 pixels: a margin of 20, 24 from node to node, the first row at the bottom. */
static void test_lines(void)
{
    make_grid(41, 21, 2, 11);
    cairo_surface_t *c = draw(&(picture_options){ .size = 1000 });
    CHECK_INT(cairo_image_surface_get_width(c), 1000);
    CHECK(cairo_image_surface_get_height(c) >= 520 && cairo_image_surface_get_height(c) < 600);
    for (int u = 0; u < 41 * 21; u++) CHECK_INT(pixel(c, 20 + u % 41 * 24, 500 - u / 41 * 24), pen_palette[g.part[u]]);
    for (int y = 0; y < 21; y++) CHECK_INT(pixel(c, 20 + 10 * 24 + 12, 500 - y * 24), pen_palette[PEN_DARK]);
    CHECK_INT(pixel(c, 20 + 12, 20 + 12), 0xFFFFFF); /* within a square of edges */
    CHECK(pixel(c, 20 + 12, 20) != 0xFFFFFF);        /* on an edge */
    cairo_surface_destroy(c);
}

/* What is shown is the window; beyond its margin there is no white, as the graph goes on. */
static void test_window(void)
{
    make_grid(41, 21, 2, 21);
    cairo_surface_t *c = draw(
        &(picture_options){ .size = 1000, .has_window = true, .window = { 30.0, 15.0, 20.0, 10.0 } });
    CHECK_INT(pixel(c, 20 + 5 * 96, 500), pen_palette[1]);
    CHECK_INT(pixel(c, 20 + 48, 500), pen_palette[PEN_DARK]);
    CHECK_INT(cairo_image_surface_get_width(c), 1000);
    cairo_surface_destroy(c);
}

static void test_areas(void)
{
    make_grid(200, 200, 2, 100);
    cairo_surface_t *c = draw(&(picture_options){ .size = 500 });
    int64_t white = 0, colours[4] = { 0 };
    for (int y = 10; y < 490; y++)
        for (int x = 10; x < 490; x++) {
            white += pixel(c, x, y) == 0xFFFFFF;
            for (int p = 0; p < 4; p++) colours[p] += pixel(c, x, y) == pen_palette[p];
        }
    CHECK_INT(white, 0);
    for (int p = 0; p < 4; p++) CHECK(colours[p] > 230 * 230 && colours[p] <= 240 * 240);
    CHECK_INT(pixel(c, 3, 250), 0xFFFFFF); /* outside */
    cairo_surface_destroy(c);
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
    cairo_surface_t *c = draw(&options);
    CHECK_STATUS(pen_scene_create(&g.graph, &options, &s), PEN_OK);
    for (int u = 0; u < 20000; u++)
        if (u % 200 > 40 && u % 100 > 2 && u % 100 < 98 && u > 400 && u < 19600)
            CHECK_INT(pixel(c, (int)s.x[u], (int)s.y[u]), pen_palette[g.part[u]]);
    int behind = 200 * 199 + 50;
    CHECK_INT(pixel(c, (int)s.x[behind], (int)s.y[behind]), pen_palette[2]);
    pen_scene_free(&s);
    cairo_surface_destroy(c);
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
    const picture_options options = { .size = 1000, .kind = PICTURE_SVG };
    int64_t length;
    make_grid(30, 20, 2, 10);
    g.graph.title = "<a & \"b\"> \x01\xff";
    char *bytes = draw_bytes(&options, &length);
    CHECK_INT(count(bytes, length, 'M'), 30 * 19 + 29 * 20 + 600);
    CHECK_CONTAINS(bytes, "&#60;a &#38; \"b\"&#62; ??");
    CHECK(length < 20 * (30 * 19 + 29 * 20 + 600));
    free(bytes);
    g.graph.title = "r\xC3\xB6hre";
    bytes = draw_bytes(&options, &length);
    CHECK_CONTAINS(bytes, ">r\xC3\xB6hre<");
    free(bytes);
}

static bool contains(const char *bytes, int64_t length, const char *text)
{
    int64_t own = (int64_t)strlen(text), at = 0;
    while (at + own <= length && memcmp(bytes + at, text, (size_t)own) != 0) at++;
    return at + own <= length;
}

/* Lines stay lines, areas are one image, and the date does not count. */
static void test_pdf(void)
{
    const picture_options options = { .size = 1000, .kind = PICTURE_PDF };
    for (int large = 0; large < 2; large++) {
        int64_t length, again_length;
        make_grid(large ? 200 : 30, large ? 200 : 20, 2, 10);
        char *bytes = draw_bytes(&options, &length), *again = draw_bytes(&options, &again_length);
        CHECK(length > 1000 && memcmp(bytes, "%PDF-1.", 7) == 0);
        CHECK_INT(length, again_length);
        CHECK(memcmp(bytes, again, (size_t)length) == 0);
        CHECK_INT(contains(bytes, length, "CreationDate"), false);
        CHECK_INT(contains(bytes, length, "/Subtype /Image"), large);
        free(bytes);
        free(again);
    }
}

static void test_degenerate(void)
{
    for (int dimensions = 1; dimensions <= 3; dimensions++) {
        make_grid(1, 1, dimensions, 1);
        for (int k = 0; k < 3; k++) g.coordinates[k] = -1e300;
        draw_only(&(picture_options){ .size = PICTURE_SIZE_MIN });
        make_grid(9, 7, dimensions, 2);
        draw_only(&(picture_options){ .size = PICTURE_SIZE_MIN });
        for (int k = 0; k < 63 * dimensions; k++) g.coordinates[k] = 5e-324 * (k % 3);
        draw_only(&(picture_options){ .size = 300 });
        make_grid(200, 150, dimensions, 7); /* areas, in three dimensions too */
        g.graph.part = NULL;
        g.graph.parts = 1;
        draw_only(&(picture_options){ .size = 300 });
        for (int k = 0; k < 30000 * dimensions; k++) g.coordinates[k] = 1.0;
        draw_only(&(picture_options){ .size = 300 });
    }
    char *bytes;
    int64_t length;
    writer out;
    static const double wrong[] = { INFINITY, -INFINITY, NAN, 1.7e308 };
    for (int k = 0; k < PEN_COUNT_OF(wrong); k++) {
        make_grid(3, 3, 2, 1);
        g.coordinates[0] = -1.7e308;
        g.coordinates[11] = wrong[k];
        g.coordinates[10] = wrong[k];
        CHECK_STATUS(pen_writer_open_memory(&bytes, &length, &out), PEN_OK);
        CHECK_STATUS(pen_writer_close(&out, pen_picture_draw(&g.graph, &(picture_options){ .size = 300 }, &out)),
                     PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), "must be finite");
    }
    make_grid(3, 3, 2, 1); /* no edges */
    memset(g.rows, 0, sizeof g.rows);
    draw_only(&(picture_options){ .size = 300 });
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
    test_pdf();
    test_degenerate();
    return check_finish();
}
