/* frames.c - a picture is an SVG: a square for each cell, in the colour of its rank, y upwards, and the wave in black.
 */
#include "apps/shock/frames.h"
#include "apps/frame.h"

#include <stdlib.h>

static const double UNIT = 16.0, MARGIN = 10.0, HEAD = 30.0; /* a coarse cell, in pixels */

/* Of a rank: cells, and edges with an end there, of which some leave it. */
typedef struct part {
    int64_t nodes, edges, cut;
} part;

/* The mesh after k moves, as rank 0 knows it; elsewhere there are no tiles. */
typedef struct scene {
    const shock *shock;
    int64_t k;
    pen_records tiles;
    part *parts; /* [ranks] zero at first */
} scene;

/* ---- Numbers in the head line --------------------------------------------------------------- */

static int32_t owner_of(const pen_records *tiles, pen_gid gid)
{
    int64_t low = 0, high = tiles->count - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (tiles->gids[middle] < gid) low = middle + 1;
        else high = middle;
    }
    return tiles->owners[low];
}

/* Returns how many edges there are. *imbalance is the greatest distance of a rank from its share, *off the greatest
 * part of a rank's edges that leave it. */
static int64_t measure(const scene *now, double *imbalance, double *off)
{
    const pen_records *tiles = &now->tiles;
    const tile *tile_of = (const tile *)tiles->records;
    int ranks = now->shock->ranks;
    double share = (double)tiles->count / ranks;
    int64_t arcs = 0;
    *imbalance = *off = 0.0;
    for (int64_t i = 0; i < tiles->count; i++) {
        cell neighbors[MESH_NEIGHBORS];
        int degree = pen_mesh_neighbors(&now->shock->mesh, now->k, tile_of[i].at, neighbors);
        part *mine = &now->parts[tiles->owners[i]];
        mine->nodes++;
        arcs += degree;
        for (int j = 0; j < degree; j++) {
            pen_gid gid = pen_mesh_gid(&now->shock->mesh, neighbors[j]);
            bool leaves = owner_of(tiles, gid) != tiles->owners[i];
            mine->cut += leaves;
            mine->edges += leaves || gid > tiles->gids[i];
        }
    }
    for (int r = 0; r < ranks; r++) {
        *imbalance = fmax(*imbalance, fabs((double)now->parts[r].nodes - share) / share);
        if (now->parts[r].cut > 0) *off = fmax(*off, (double)now->parts[r].cut / (double)now->parts[r].edges);
    }
    return arcs / 2;
}

/* ---- Drawing -------------------------------------------------------------------------------- */

/* Eight that are easily told apart; from there on around the circle of hues, by the golden section. */
static void print_colour(FILE *out, int32_t rank)
{
    static const char *const first[] = { "#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                                         "#b6992d", "#76b7b2", "#b07aa1", "#ff9da7" };
    if (rank < PEN_COUNT_OF(first)) fputs(first[rank], out);
    else fprintf(out, "hsl(%d,45%%,60%%)", (int)(rank * INT64_C(222) % 360));
}

static double to_x(double x) { return MARGIN + UNIT * x; }
static double to_y(const mesh *m, double y) { return HEAD + UNIT * ((double)m->height - y); }

static void draw_cells(FILE *out, const mesh *m, const pen_records *tiles)
{
    for (int64_t i = 0; i < tiles->count; i++) {
        cell c = ((const tile *)tiles->records)[i].at;
        double side = pen_mesh_side(c.level);
        fprintf(out, "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" fill=\"", to_x(c.x * side),
                to_y(m, (c.y + 1) * side), UNIT * side, UNIT * side);
        print_colour(out, tiles->owners[i]);
        fputs("\"/>\n", out);
    }
}

static void draw_wave(FILE *out, const mesh *m, int64_t k)
{
    double height = (double)m->height, middle = pen_mesh_middle(m, k);
    fputs("<path fill=\"none\" stroke=\"#000\" stroke-width=\"2\" clip-path=\"url(#mesh)\" d=\"", out);
    for (int i = 0; i <= 100; i++) {
        double t = i / 50.0 - 1.0, x = middle, y = height * i / 100.0, angle = 3.14159265358979 * t;
        if (m->wave == WAVE_CUBIC) x += m->bend * (t * t * t);
        if (m->wave == WAVE_CIRCLE) x += m->bend * cos(angle), y = 0.5 * height + m->bend * sin(angle);
        fprintf(out, "%c%.2f %.2f", i ? 'L' : 'M', to_x(x), to_y(m, y));
    }
    fputs("\"/>\n", out);
}

static void draw(FILE *out, const void *what)
{
    const scene *now = (const scene *)what;
    const mesh *m = &now->shock->mesh;
    double width = UNIT * (double)m->width, height = UNIT * (double)m->height, imbalance, touch;
    int64_t edges = measure(now, &imbalance, &touch);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<clipPath id=\"mesh\"><rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/></clipPath>\n"
            "<text x=\"%.0f\" y=\"20\" font-family=\"sans-serif\" font-size=\"13\">k = %" PRId64 " &#183; %" PRId64
            " cells, %" PRId64 " edges &#183; imbalance %.1f %%, off-processor edges %.1f %%</text>\n"
            "<g stroke=\"#fff\" stroke-width=\".6\">\n",
            width + 2 * MARGIN, height + HEAD + MARGIN, width + 2 * MARGIN, height + HEAD + MARGIN, MARGIN, HEAD, width,
            height, MARGIN, now->k, now->tiles.count, edges, 100.0 * imbalance, 100.0 * touch);
    draw_cells(out, m, &now->tiles);
    fputs("</g>\n", out);
    draw_wave(out, m, now->k);
    fputs("</svg>\n", out);
}

pen_status pen_shock_frame(pen_run *run, int64_t step, void *params, FILE *out)
{
    (void)out;
    const shock *s = (const shock *)params;
    scene now = { .shock = s, .k = step - 1 };
    char name[32];
    if (!s->frames || step == 0) return PEN_OK;
    pen_status status = pen_run_gather(run, TILE, &now.tiles);
    if (status != PEN_OK) return status;
    if (now.tiles.count > 0) now.parts = (part *)calloc((size_t)s->ranks, sizeof *now.parts);
    snprintf(name, sizeof name, "%04" PRId64 ".svg", now.k);
    status = pen_frame_write(run, s->frames, name, draw, now.parts ? &now : NULL);
    free(now.parts);
    pen_records_free(&now.tiles);
    return status;
}
