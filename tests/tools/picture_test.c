/* picture_test.c - pictures: sizes, colours and places of what is drawn, and graphs that are hardly any; machines. */
#include "base/memory.h"
#include "tests/support/check.h"
#include "tools/common/colour_map.h"
#include "tools/graph/picture.h"
#include "tools/graph/scene.h"
#include "view/machine.h"

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

static cairo_surface_t *decode(char *png, int64_t length)
{
    cairo_surface_t *image = cairo_image_surface_create_from_png_stream(take, &(file_text){ png, length });
    CHECK_INT(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    free(png);
    return image;
}

/* Draw as PNG, twice the same, and decode. */
static cairo_surface_t *draw(const picture_options *options)
{
    int64_t length, again_length;
    char *bytes = draw_bytes(options, &length), *again = draw_bytes(options, &again_length);
    CHECK_INT(length, again_length);
    CHECK(bytes && again && memcmp(bytes, again, (size_t)length) == 0);
    free(again);
    return decode(bytes, length);
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

static pen_status count_up(void *state, int64_t frame, double *values, const char **name)
{
    (void)state;
    for (int64_t u = 0; u < g.graph.nodes; u++) values[u] = u == 5 ? NAN : (double)(u + frame);
    *name = "";
    return PEN_OK;
}

/* Values of nodes 0 .. nodes-1 as colours, on a range that they fill. */
static cairo_surface_t *draw_values(pen_grid kind)
{
    const picture_values values = { "count", 0.0, (double)g.graph.nodes - 1.0, true, 1, count_up, NULL };
    g.graph.grid = kind;
    g.graph.values = &values;
    cairo_surface_t *c = draw(&(picture_options){ .size = 1000 });
    g.graph.values = NULL;
    return c;
}

static uint32_t shade(int u, int nodes)
{
    return u == 5 ? pen_palette[PEN_GREY] : pen_colour_map(round(255.0 * u / (nodes - 1.0)) / 255.0);
}

/* 41 x 21 squares side by side, or dots with edges between them. */
static void test_cells(void)
{
    double side = 960.0 / 41.0;
    make_grid(41, 21, 2, 100);
    cairo_surface_t *c = draw_values(PEN_GRID_SQUARE);
    for (int u = 0; u < 41 * 21; u++)
        for (int corner = 0; corner < 4; corner++) {
            int x = (int)(20.0 + (u % 41 + (corner % 2 ? 0.1 : 0.9)) * side);
            int y = (int)(20.0 + (20 - u / 41 + (corner / 2 ? 0.1 : 0.9)) * side);
            CHECK_INT(pixel(c, x, y), shade(u, 41 * 21));
        }
    CHECK_INT(pixel(c, 15, 200), 0xFFFFFF);
    cairo_surface_destroy(c);
    c = draw_values(PEN_GRID_NONE);
    for (int u = 0; u < 41 * 21; u++) CHECK_INT(pixel(c, 20 + u % 41 * 24, 500 - u / 41 * 24), shade(u, 41 * 21));
    CHECK_INT(pixel(c, 20 + 12, 20 + 12), 0xFFFFFF);
    CHECK(pixel(c, 20 + 12, 20) != 0xFFFFFF);
    cairo_surface_destroy(c);
}

/* In areas, too, each pixel has its node's colour. */
static void test_values_in_areas(void)
{
    make_grid(200, 200, 2, 300);
    cairo_surface_t *c = draw_values(PEN_GRID_SQUARE);
    for (int y = 1; y < 199; y += 7)
        for (int x = 1; x < 199; x += 7)
            CHECK_INT(pixel(c, (int)(20.0 + x * 960.0 / 199.0), (int)(20.0 + (199 - y) * 960.0 / 199.0)),
                      shade(200 * y + x, 40000));
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

/* ---- Machines -------------------------------------------------------------------------------- */

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (check_failed()) vfprintf(stderr, format, arguments), fputc('\n', stderr);
    va_end(arguments);
}

static void sketch(const char *spec, int parts, scene *s)
{
    pen_machine *machine;
    bool text = strchr(spec, '\n') != NULL;
    CHECK_STATUS(text ? pen_machine_parse("lab", spec, parts, &machine) : pen_machine_generate(spec, parts, &machine),
                 PEN_OK);
    CHECK_STATUS(pen_scene_of_machine(machine, "lab", &(picture_options){ .size = 1000 }, s), PEN_OK);
    pen_machine_destroy(&machine);
}

/* Lines between processors, other lines, and dots. */
static void check_strokes(const char *spec, int processors, int between, int others, int dots)
{
    scene s;
    int found[3] = { 0 };
    sketch(spec, 0, &s);
    for (int64_t i = 0; i < s.stroke_count; i++) {
        const scene_stroke *k = &s.strokes[i];
        found[k->from == k->to ? 2 : k->from >= processors || k->to >= processors]++;
    }
    if (found[0] != between || found[1] != others || found[2] != dots)
        complain("%s: %d lines between processors, %d others, %d dots, expected %d, %d, %d", spec, found[0], found[1],
                 found[2], between, others, dots);
    pen_scene_free(&s);
}

static const scene_label *find_label(const scene *s, const char *text)
{
    for (int i = 0; i < s->label_count; i++)
        if (strcmp(s->labels[i].text, text) == 0) return &s->labels[i];
    complain("no label \"%s\"", text);
    return &s->labels[0];
}

static const char lab[] =
    "processors 6\ncluster fast 4 speed=4\ncluster slow 2 cost=2\nlink fast slow cost=9,latency=5\n";

/* What is drawn where, and in which colours: processors 0 and 4, their groups, the link, and between them nothing. */
static void test_machine(void)
{
    scene s;
    pen_machine *machine;
    char *bytes;
    int64_t length;
    writer out;
    sketch(lab, 6, &s);
    CHECK_STATUS(pen_machine_parse("lab", lab, 6, &machine), PEN_OK);
    CHECK_STATUS(pen_writer_open_memory(&bytes, &length, &out), PEN_OK);
    CHECK_STATUS(pen_writer_close(&out,
                                  pen_picture_draw_machine(machine, "lab", &(picture_options){ .size = 1000 }, &out)),
                 PEN_OK);
    pen_machine_destroy(&machine);
    cairo_surface_t *c = decode(bytes, length);
    CHECK_INT(cairo_image_surface_get_width(c), s.width);
    CHECK_INT(cairo_image_surface_get_height(c), s.height);
    double slow = 0.4 * s.widths[1], fast = 0.4 * s.widths[2], group = 0.45 * s.widths[0];
    CHECK(fabs(fast - 2.0 * slow) < 1e-9); /* areas are as speeds */
    CHECK_INT(pixel(c, (int)(s.x[0] + fast), (int)s.y[0]), pen_palette[1]);
    CHECK_INT(pixel(c, (int)(s.x[4] + slow), (int)s.y[4]), pen_palette[0]);
    for (int k = 6; k < 8; k++) CHECK_INT(pixel(c, (int)s.x[k], (int)(s.y[k] - group)), pen_palette[PEN_PALE]);
    CHECK_INT(pixel(c, (int)(0.5 * (s.x[6] + s.x[7])), (int)s.y[6]), pen_palette[PEN_DARK]);
    CHECK_INT(pixel(c, (int)(0.5 * (s.x[6] + s.x[7])), (int)s.y[6] + 50), 0xFFFFFF);
    CHECK(find_label(&s, "fast: processors 0-3")->y > s.y[6] + 0.5 * s.widths[0]);
    CHECK(fabs(find_label(&s, "within: cost 2")->x + 0.5 * find_label(&s, "within: cost 2")->width - s.x[7]) < 1e-6);
    find_label(&s, "every link: cost 9, latency 5");
    CHECK_INT(find_label(&s, "speed 1")->colour, 0);
    CHECK_INT(find_label(&s, "speed 4")->colour, 1);
    cairo_surface_destroy(c);
    pen_scene_free(&s);
}

static void test_networks(void)
{
    check_strokes("torus:4x3", 12, 3 * 3 + 4 * 2, 2 * (3 + 4), 12);
    check_strokes("torus:4x3x2", 24, 2 * (3 * 3 + 4 * 2) + 12, 4 * (3 + 4), 24);
    check_strokes("torus:5", 5, 5, 0, 5);
    check_strokes("torus:1x1", 1, 0, 0, 1);
    check_strokes("hypercube:5", 32, 80, 0, 32);
    check_strokes("tree:2x3x4", 24, 0, 2 + 6, 24 + 6 + 3);
    check_strokes("tree:7", 7, 0, 0, 7 + 1);
    check_strokes(lab, 6, 0, 1, 6 + 2);
    check_strokes("processors 3\ncluster a 1\ncluster b 1\ncluster c 1\nlink a b cost=0.1\nlink b c cost=0.2\n", 3, 0,
                  2, 3);
    check_strokes("processors 3\ncluster a 1\ncluster b 1\ncluster c 1\nlink a b\nlink b c\nlink a c\n", 3, 0, 3, 3);
    scene s;
    sketch("torus:4x3", 10, &s); /* without the last two */
    CHECK_INT(s.stroke_count, (3 + 3 + 1 + 2 * 2 + 2) + 2 * (2 + 2) + 10);
    pen_scene_free(&s);
    sketch("processors 3\ncluster a 1\ncluster b 1\ncluster c 1\nlink a b cost=2\nlink b c cost=7\n", 3, &s);
    CHECK(stroke_width(&s, s.strokes[0].style) != stroke_width(&s, s.strokes[1].style));
    for (int i = 0; i < 2; i++) /* from 0 to 1 is cheap */
        CHECK((stroke_width(&s, s.strokes[i].style) > 4.0) == (s.strokes[i].from + s.strokes[i].to == 2 * 3 + 1));
    find_label(&s, "cost 7");
    find_label(&s, "links: cost 2 (wide) to 7 (thin)");
    pen_scene_free(&s);
}

/* No text lies on other text, or leaves the picture; processors do not touch each other. */
static void test_room(void)
{
    static const struct {
        const char *spec;
        int parts;
    } all[] = { { "clusters:5,kind=UP,between=4", 40 },
                { "clusters:24,kind=DN", 512 },
                { "clusters:64", 1024 },
                { "flat:100,speeds=1:2:3:4:5:6:7:8:9", 0 },
                { "flat:1", 0 },
                { "torus:32x32", 0 },
                { "torus:3x3x3,speeds=1:100", 0 },
                { "hypercube:7", 0 },
                { "tree:3x2x4,costs=30:7:1,latency=2", 0 },
                { "tree:16x4", 0 },
                { "tree:2x2x2x2x2x2x2", 0 },
                { lab, 0 } };
    for (int k = 0; k < PEN_COUNT_OF(all); k++) {
        scene s;
        sketch(all[k].spec, all[k].parts, &s);
        CHECK(s.width <= 1000 && s.field_height <= 1000.5 && s.height < 1200);
        for (int i = 0; i < s.label_count; i++) {
            const scene_label *a = &s.labels[i];
            double dot = a->colour >= 0 ? 1.5 * s.text_height : 0.0;
            if (a->x < 0.0 || a->x + a->width + dot > s.width || a->y < s.text_height || a->y > s.height)
                complain("%s: \"%s\" is beyond the picture", all[k].spec, a->text);
            for (int j = 0; j < i; j++) {
                const scene_label *b = &s.labels[j];
                if (fabs(a->y - b->y) < 1.2 * s.text_height && a->x < b->x + b->width && b->x < a->x + a->width)
                    complain("%s: \"%s\" lies on \"%s\"", all[k].spec, a->text, b->text);
            }
        }
        for (int64_t i = 0; i < s.stroke_count; i++)
            for (int64_t j = 0; j < i; j++) {
                const scene_stroke *a = &s.strokes[i], *b = &s.strokes[j];
                if (a->from != a->to || b->from != b->to || stroke_colour(a->style) >= PEN_COLOURS ||
                    stroke_colour(b->style) >= PEN_COLOURS)
                    continue;
                double apart = hypot(s.x[a->from] - s.x[b->from], s.y[a->from] - s.y[b->from]);
                if (apart < 0.5 * (stroke_width(&s, a->style) + stroke_width(&s, b->style)))
                    complain("%s: processors %d and %d touch", all[k].spec, (int)a->from, (int)b->from);
            }
        pen_scene_free(&s);
    }
}

static void refuse_machine(const char *spec, int parts, const char *sentence)
{
    scene s;
    pen_machine *machine;
    CHECK_STATUS(pen_machine_generate(spec, parts, &machine), PEN_OK);
    CHECK_STATUS(pen_scene_of_machine(machine, "lab", &(picture_options){ .size = 1000 }, &s), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), sentence);
    pen_scene_free(&s);
    pen_machine_destroy(&machine);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    test_lines();
    test_window();
    test_cells();
    test_values_in_areas();
    test_areas();
    test_depth();
    test_colours();
    test_long_edges();
    test_svg();
    test_pdf();
    test_degenerate();
    test_machine();
    test_networks();
    test_room();
    refuse_machine("flat", 1025, "1025 processors, at most 1024");
    refuse_machine("clusters:65", 130, "65 clusters, at most 64");
    return check_finish();
}
