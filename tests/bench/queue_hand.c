/* queue_hand.c - shortest paths and a fire with a queue of active nodes (queue_hand.h). */
#include "tests/bench/queue_hand.h"

#include "tests/bench/bench.h"

#include <stdlib.h>

static void add(queue_graph *g, int64_t width, int64_t height, int64_t x, int64_t y)
{
    if (x >= 0 && x < width && y >= 0 && y < height) g->columns[g->rows[g->nodes]++] = (int32_t)(y * width + x);
}

queue_graph queue_hex(int64_t width, int64_t height)
{
    queue_graph g = { .nodes = 0 };
    g.rows = malloc((size_t)(width * height + 1) * sizeof *g.rows);
    g.columns = malloc((size_t)(6 * width * height) * sizeof *g.columns);
    if (!g.rows || !g.columns) exit(3);
    g.rows[0] = 0;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const int64_t left = x - 1 + y % 2; /* odd rows are shifted to the right */
            g.nodes++;
            g.rows[g.nodes] = g.rows[g.nodes - 1];
            for (int k = 0; k < 2; k++) add(&g, width, height, left + k, y - 1);
            for (int k = -1; k < 2; k += 2) add(&g, width, height, x + k, y);
            for (int k = 0; k < 2; k++) add(&g, width, height, left + k, y + 1);
        }
    return g;
}

void queue_free(queue_graph *g)
{
    free(g->rows);
    free(g->columns);
    *g = (queue_graph){ .nodes = 0 };
}

void queue_paths(const queue_graph *g, double *distances, int32_t *queue)
{
    int64_t first = 0, last = 0;
    for (int64_t i = 0; i < g->nodes; i++) distances[i] = __builtin_inf();
    distances[0] = 0.0;
    queue[last++] = 0;
    while (first < last) {
        const int32_t node = queue[first++];
        for (uint32_t a = g->rows[node]; a < g->rows[node + 1]; a++) {
            const int32_t next = g->columns[a];
            if (distances[next] <= distances[node] + 1.0) continue;
            distances[next] = distances[node] + 1.0;
            queue[last++] = next;
        }
    }
}

enum { EMPTY, TREE, FIRE, ASH, CATCHES = 1 }; /* as in the example */

static bool catches_fire(double spread, uint64_t seed, int32_t node, int64_t step, int count)
{
    const uint64_t counter[2] = { (uint64_t)node, (uint64_t)step }, key[2] = { seed, CATCHES };
    uint64_t random[2];
    double safe = 1.0;
    for (int i = 0; i < count; i++) safe *= 1.0 - spread;
    pen_threefry(counter, key, random);
    return pen_unit_real(random[0]) >= safe;
}

int64_t queue_fire(const queue_graph *g, double spread, uint64_t seed, uint8_t *state, int32_t *queue, uint8_t *burning)
{
    int32_t *fire = queue, *beside = queue + g->nodes;
    int64_t fires = 0, step = 0;
    for (int64_t i = 0; i < g->nodes; i++)
        if (state[i] == FIRE) fire[fires++] = (int32_t)i;
    for (; fires > 0; step++) {
        int64_t trees = 0, next = 0;
        for (int64_t i = 0; i < fires; i++)
            for (uint32_t a = g->rows[fire[i]]; a < g->rows[fire[i] + 1]; a++) {
                const int32_t tree = g->columns[a];
                if (state[tree] != TREE) continue;
                if (burning[tree]++ == 0) beside[trees++] = tree;
            }
        for (int64_t i = 0; i < fires; i++) state[fire[i]] = ASH;
        for (int64_t i = 0; i < trees; i++) {
            const int32_t tree = beside[i];
            if (catches_fire(spread, seed, tree, step, burning[tree])) {
                state[tree] = FIRE;
                fire[next++] = tree;
            }
            burning[tree] = 0;
        }
        fires = next;
    }
    return step;
}
