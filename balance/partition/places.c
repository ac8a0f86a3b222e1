/* places.c - the positions of nodes in space, and on a Hilbert curve. */
#include "partition/places.h"
#include "base/memory.h"
#include "graph/graph.h"
#include "graph/order.h"

#include <math.h>
#include <stdlib.h>

static pen_world grid_of(const pen_load_view *view)
{
    return (pen_world){ .width = view->width, .height = view->height, .depth = view->depth, .grid = view->grid };
}

static void compute(const pen_load_view *view, pen_places *p)
{
    const pen_world grid = grid_of(view);
    for (pen_lid i = 0; i < view->count; i++) {
        double at[3];
        pen_grid_place(&grid, view->gids[i], at);
        memcpy(p->computed + (int64_t)i * p->dimensions, at, (size_t)p->dimensions * sizeof *at);
    }
}

pen_status pen_places_find(const pen_load_view *view, pen_places *p)
{
    *p = (pen_places){ .dimensions = view->dimensions, .at = view->coordinates };
    if (view->dimensions > 0) return PEN_OK;
    const pen_world grid = grid_of(view);
    p->dimensions = pen_grid_dimensions(&grid);
    if (p->dimensions == 0)
        return pen_fail(PEN_ERR_UNSUPPORTED,
                        "the graph has no coordinates; generators make them with the setting coordinates "
                        "(geometric:nodes=1000,coordinates), .pen files keep them, and added nodes need them, too "
                        "(in C, by pen_set_coordinates)");
    PEN_TRY(PEN_ALLOC(&p->computed, (int64_t)view->count * p->dimensions));
    compute(view, p);
    p->at = p->computed;
    return PEN_OK;
}

void pen_places_free(pen_places *p)
{
    free(p->computed);
    *p = (pen_places){ .at = NULL };
}

pen_status pen_places_box(const pen_places *p, pen_lid count, pen_peers *peers, double low[3], double high[3])
{
    double ends[6];
    for (int k = 0; k < 6; k++) ends[k] = -HUGE_VAL;
    for (pen_lid i = 0; i < count; i++)
        for (int d = 0; d < p->dimensions; d++) {
            double at = p->at[(int64_t)i * p->dimensions + d];
            if (at > ends[d]) ends[d] = at;
            if (-at > ends[3 + d]) ends[3 + d] = -at;
        }
    PEN_TRY(peers->reduce(peers, 0, NULL, 6, ends));
    for (int d = 0; d < p->dimensions; d++) {
        high[d] = ends[d];
        low[d] = -ends[3 + d];
    }
    return PEN_OK;
}

/* Convert coordinates to the bits of the curve's index, which remain distributed over the axes; in place (Skilling,
 * Programming the Hilbert curve, AIP Conference Proceedings 707, 2004). From the coarsest bit to the finest, each axis
 * mirrors, or is exchanged with, the first one below that bit; then the Gray code of all axes is taken. */
static void transpose(uint32_t *x, int axes, int bits)
{
    for (uint32_t bit = UINT32_C(1) << (bits - 1); bit > 1; bit >>= 1)
        for (int d = 0; d < axes; d++) {
            uint32_t differ = (x[0] ^ x[d]) & (bit - 1);
            if (x[d] & bit) {
                x[0] ^= bit - 1;
            } else {
                x[0] ^= differ;
                x[d] ^= differ;
            }
        }
    uint32_t flips = 0;
    for (int d = 1; d < axes; d++) x[d] ^= x[d - 1];
    for (uint32_t bit = UINT32_C(1) << (bits - 1); bit > 1; bit >>= 1)
        if (x[axes - 1] & bit) flips ^= bit - 1;
    for (int d = 0; d < axes; d++) x[d] ^= flips;
}

uint64_t pen_places_hilbert(const pen_places *p, pen_lid node, const double low[3], const double high[3])
{
    static const int bits_of[] = { 0, 52, 31, 21 }; /* bits per axis, by the number of axes */
    int axes = p->dimensions, bits = bits_of[axes];
    double longest = 0.0, cells = ldexp(1.0, bits);
    uint64_t cell[3], key = 0;
    for (int d = 0; d < axes; d++) longest = fmax(longest, 0.5 * high[d] - 0.5 * low[d]); /* halves avoid an overflow */
    for (int d = 0; d < axes; d++) {
        double side = 0.5 * high[d] - 0.5 * low[d], from_low = 0.5 * p->at[(int64_t)node * axes + d] - 0.5 * low[d];
        double share = cells * exp2(-floor(log2(longest / side))), place = from_low / side * share;
        cell[d] = place >= 1.0 ? (uint64_t)fmin(place, share - 1.0) : 0;
    }
    if (axes == 1) return cell[0]; /* in one dimension the cell is the position on the curve */
    uint32_t x[3];
    for (int d = 0; d < axes; d++) x[d] = (uint32_t)cell[d];
    transpose(x, axes, bits);
    for (int bit = bits - 1; bit >= 0; bit--)
        for (int d = 0; d < axes; d++) key = key << 1 | (x[d] >> bit & 1);
    return key;
}

pen_status pen_places_order(const pen_load_view *view, pen_lid *order)
{
    pen_places p;
    PEN_TRY(pen_places_find(view, &p));
    uint64_t *keys;
    double low[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL }, high[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
    for (pen_lid i = 0; i < view->count; i++)
        for (int d = 0; d < p.dimensions; d++) {
            low[d] = fmin(low[d], p.at[(int64_t)i * p.dimensions + d]);
            high[d] = fmax(high[d], p.at[(int64_t)i * p.dimensions + d]);
        }
    pen_status status = PEN_ALLOC(&keys, view->count);
    for (pen_lid i = 0; status == PEN_OK && i < view->count; i++) keys[i] = pen_places_hilbert(&p, i, low, high);
    if (status == PEN_OK) status = pen_order_by_key(view->count, keys, order);
    free(keys);
    pen_places_free(&p);
    return status;
}
