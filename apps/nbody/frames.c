/* frames.c - a picture is an SVG. Its light is a raster, drawn in as many horizontal strokes as it has runs of equal
 * colour; lines around ranks' bodies are contours of their densities on a coarser one. */
#include "apps/nbody/frames.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 360, PIXELS = 2, SIDE = BINS * PIXELS, MARGIN = 10, HEAD = 32, COLOURS = 40, NODES = 121 };
static const double TILE = (double)SIDE / (NODES - 1);

/* Between the rasters: at `NODES` squared places light is weighed by rank. */
typedef struct canvas {
    float sharp[BINS][BINS], wide[BINS][BINS];
    float density[NODES][NODES], best[NODES][NODES], second[NODES][NODES], spare[BINS > NODES ? BINS : NODES];
    double least; /* density that counts */
    int32_t owner[NODES][NODES];
    uint8_t colour[BINS][BINS];
} canvas;

/* ---- Rasters -------------------------------------------------------------------------------- */

/* Add `weight` around (x, y), each from 0 to side - 1, shared out to the four bins there. */
static void splat(float *raster, int side, double x, double y, double weight)
{
    int i = (int)x, j = (int)y;
    if (i > side - 2) i = side - 2;
    if (j > side - 2) j = side - 2;
    double right = x - i, down = y - j;
    float *at = raster + j * side + i;
    at[0] += (float)(weight * (1.0 - right) * (1.0 - down));
    at[1] += (float)(weight * right * (1.0 - down));
    at[side] += (float)(weight * (1.0 - right) * down);
    at[side + 1] += (float)(weight * right * down);
}

/* Means of 2 * radius + 1 along one line, whose numbers are `stride` apart. */
static void blur_line(float *line, int side, int stride, int radius, float *spare)
{
    double sum = 0.0;
    for (int i = 0; i < side; i++) spare[i] = line[i * stride];
    for (int i = 0; i < radius && i < side; i++) sum += spare[i];
    for (int i = 0; i < side; i++) {
        if (i + radius < side) sum += spare[i + radius];
        if (i > radius) sum -= spare[i - radius - 1];
        line[i * stride] = (float)(sum / (2 * radius + 1));
    }
}

/* Three times a mean is nearly a bell. */
static void blur(float *raster, int side, int radius, float *spare)
{
    for (int times = 0; times < 3; times++)
        for (int i = 0; i < side; i++) blur_line(raster + i * side, side, 1, radius, spare);
    for (int times = 0; times < 3; times++)
        for (int i = 0; i < side; i++) blur_line(raster + i, side, side, radius, spare);
}

/* Bodies of one rank, or of all (< 0), in the view. Returns how many there are. */
static int64_t expose(const nbody_picture *p, int32_t rank, double unit, float *raster, int side)
{
    int64_t seen = 0;
    for (int64_t i = 0; i < p->count; i++) {
        const nbody_light *l = &p->lights[i];
        if (rank >= 0 && l->owner != rank) continue;
        double x = 0.5 + 0.5 * (l->x - p->centre[0]) / p->reach, y = 0.5 - 0.5 * (l->y - p->centre[1]) / p->reach;
        if (!(x >= 0.0 && x <= 1.0 && y >= 0.0 && y <= 1.0)) continue;
        splat(raster, side, x * (side - 1), y * (side - 1), fmin(l->mass / unit, 100.0));
        seen++;
    }
    return seen;
}

/* ---- Light ---------------------------------------------------------------------------------- */

static float largest(const float *raster, int64_t count)
{
    float most = 0.0F;
    for (int64_t i = 0; i < count; i++) most = raster[i] > most ? raster[i] : most;
    return most;
}

/* From a glow of many to the points that single bodies are. */
static void shade(canvas *c)
{
    memcpy(c->wide, c->sharp, sizeof c->wide);
    blur(&c->wide[0][0], BINS, 6, c->spare);
    double wide = largest(&c->wide[0][0], BINS * BINS), sharp = largest(&c->sharp[0][0], BINS * BINS);
    for (int j = 0; j < BINS; j++)
        for (int i = 0; i < BINS; i++) {
            double glow = wide > 0.0 ? sqrt(c->wide[j][i] / wide) : 0.0;
            double point = sharp > 0.0 ? log1p(4.0 * c->sharp[j][i]) / log1p(4.0 * sharp) : 0.0;
            double light = 0.55 * glow + 0.55 * point;
            c->colour[j][i] = (uint8_t)(fmin(light, 1.0) * (COLOURS - 1) + 0.5);
        }
}

static unsigned colour_of(int level)
{
    static const struct {
        double at;
        int red, green, blue;
    } stops[] = { { 0.0, 5, 6, 14 },      { 0.2, 18, 24, 66 },    { 0.4, 74, 44, 120 },  { 0.58, 190, 76, 84 },
                  { 0.75, 250, 152, 62 }, { 0.9, 255, 222, 150 }, { 1.0, 255, 255, 255 } };
    double light = (double)level / (COLOURS - 1);
    int k = 0;
    while (light > stops[k + 1].at) k++;
    double share = (light - stops[k].at) / (stops[k + 1].at - stops[k].at);
    unsigned red = (unsigned)(stops[k].red + share * (stops[k + 1].red - stops[k].red) + 0.5),
             green = (unsigned)(stops[k].green + share * (stops[k + 1].green - stops[k].green) + 0.5),
             blue = (unsigned)(stops[k].blue + share * (stops[k + 1].blue - stops[k].blue) + 0.5);
    return red << 16 | green << 8 | blue;
}

static void draw_light(FILE *out, const canvas *c)
{
    fprintf(out, "<g transform=\"scale(%d)\" shape-rendering=\"crispEdges\" fill=\"none\">\n", PIXELS);
    for (int level = 1; level < COLOURS; level++) {
        bool any = false;
        for (int j = 0; j < BINS; j++)
            for (int i = 0, end; i < BINS; i = end) {
                for (end = i + 1; end < BINS && c->colour[j][end] == c->colour[j][i];) end++;
                if (c->colour[j][i] != level) continue;
                if (!any) fprintf(out, "<path stroke=\"#%06x\" d=\"", colour_of(level));
                fprintf(out, "M%d %d.5h%d", i, j, end - i);
                any = true;
            }
        if (any) fputs("\"/>\n", out);
    }
    fputs("</g>\n", out);
}

/* ---- Ranks ---------------------------------------------------------------------------------- */

static void print_colour(FILE *out, int32_t rank)
{
    fprintf(out, "hsl(%d,90%%,%d%%)", (int)((190 + rank * INT64_C(222)) % 360), rank % 2 ? 62 : 72);
}

static bool weigh(const nbody_picture *p, int32_t rank, double unit, canvas *c)
{
    memset(c->density, 0, sizeof c->density);
    if (expose(p, rank, unit, &c->density[0][0], NODES) == 0) return false;
    blur(&c->density[0][0], NODES, 2, c->spare);
    return true;
}

/* By how much a rank's bodies outweigh the next one's, or the least that counts: by a tenth, so that the lines of two
 * ranks lie beside each other. */
static double lead(const canvas *c, int32_t rank, int j, int i)
{
    double others = c->owner[j][i] == rank ? c->second[j][i] : c->best[j][i];
    return c->density[j][i] - 1.1 * fmax(others, c->least);
}

/* Lines where the lead changes its sign, in each square between four places. */
static void draw_contour(FILE *out, const canvas *c, int32_t rank)
{
    static const int corner[5][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, { 0, 0 } };
    fputs("<path stroke=\"", out);
    print_colour(out, rank);
    fputs("\" d=\"", out);
    for (int j = 0; j + 1 < NODES; j++)
        for (int i = 0; i + 1 < NODES; i++) {
            int crossings = 0;
            for (int k = 0; k < 4; k++) {
                const int *a = corner[k], *b = corner[k + 1];
                double from = lead(c, rank, j + a[1], i + a[0]), to = lead(c, rank, j + b[1], i + b[0]);
                if ((from > 0.0) == (to > 0.0)) continue;
                double share = from / (from - to);
                fprintf(out, "%c%.1f %.1f", crossings++ % 2 ? 'L' : 'M', TILE * (i + a[0] + share * (b[0] - a[0])),
                        TILE * (j + a[1] + share * (b[1] - a[1])));
            }
        }
    fputs("\"/>\n", out);
}

static void draw_ranks(FILE *out, const nbody_picture *p, double unit, canvas *c)
{
    memset(c->best, 0, sizeof c->best);
    memset(c->second, 0, sizeof c->second);
    memset(c->owner, 0, sizeof c->owner);
    for (int32_t r = 0; r < p->ranks; r++) {
        if (!weigh(p, r, unit, c)) continue;
        for (int j = 0; j < NODES; j++)
            for (int i = 0; i < NODES; i++) {
                float density = c->density[j][i], *best = &c->best[j][i], *second = &c->second[j][i];
                if (density > *best) {
                    *second = *best;
                    *best = density;
                    c->owner[j][i] = r;
                } else if (density > *second) {
                    *second = density;
                }
            }
    }
    fputs("<g fill=\"none\" stroke-width=\"1\" stroke-linecap=\"round\">\n", out);
    for (int32_t r = 0; r < p->ranks; r++)
        if (weigh(p, r, unit, c)) draw_contour(out, c, r);
    fputs("</g>\n", out);
}

/* ---- All of it ------------------------------------------------------------------------------ */

static void draw_head(FILE *out, const nbody_picture *p)
{
    fprintf(out,
            "<text x=\"%d\" y=\"21\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#c9cede\">step %" PRId64
            " &#183; time %.6g &#183; %" PRId64 " bodies in %" PRId64 " leaves",
            MARGIN, p->step, p->time, p->count, p->leaves);
    if (p->imbalance > 0.0) fprintf(out, " &#183; imbalance %.3f", p->imbalance);
    fputs("</text>\n", out);
}

void pen_nbody_draw(FILE *out, const void *picture)
{
    const nbody_picture *p = (const nbody_picture *)picture;
    int width = SIDE + 2 * MARGIN, height = SIDE + HEAD + MARGIN;
    double mass = 0.0;
    int32_t owner = p->count > 0 ? p->lights[0].owner : 0;
    bool shared = false;
    for (int64_t i = 0; i < p->count; i++) {
        mass += p->lights[i].mass / (double)p->count;
        shared = shared || p->lights[i].owner != owner;
    }
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
            width, height, width, height, colour_of(0));
    draw_head(out, p);
    canvas *c = (canvas *)calloc(1, sizeof *c);
    int64_t seen = c ? expose(p, -1, mass, &c->sharp[0][0], BINS) : 0;
    if (seen > 0) {
        c->least = 0.15 * (double)seen / (NODES * NODES);
        fprintf(out, "<g transform=\"translate(%d %d)\">\n", MARGIN, HEAD);
        shade(c);
        draw_light(out, c);
        if (shared) draw_ranks(out, p, mass, c);
        fputs("</g>\n", out);
    }
    free(c);
    fputs("</svg>\n", out);
}
