#include "input/places.h"
#include "base/memory.h"

#define NOWHERE INT64_MIN

pen_status pen_input_places_create(const pen_input_file *file, const pen_input_nodes *nodes, double *const *values,
                                   pen_input_places *places)
{
    const int64_t count = file->of_edges ? (int64_t)nodes->rows[nodes->count] : nodes->count;
    *places = (pen_input_places){ .file = file, .nodes = nodes, .values = values, .count = count };
    PEN_TRY(PEN_ALLOC(&places->where, count));
    for (int64_t i = 0; i < count; i++) places->where[i] = NOWHERE;
    return PEN_OK;
}

void pen_input_places_free(pen_input_places *places) { PEN_FREE_ALL(places->where); }

/* The arc of a node to a gid; -1: there is none. */
static int64_t find_arc(const pen_input_nodes *nodes, pen_lid node, pen_gid to)
{
    uint32_t low = nodes->rows[node], high = nodes->rows[node + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (nodes->gids[nodes->columns[middle]] < to) low = middle + 1;
        else high = middle;
    }
    bool found = low < nodes->rows[node + 1] && nodes->gids[nodes->columns[low]] == to;
    return found ? (int64_t)low : -1;
}

/* Which of the places a message is for; -1: there is none. */
static int64_t place_of(const pen_input_places *places, const pen_input_message *message)
{
    const pen_input_nodes *nodes = places->nodes;
    pen_lid node = nodes->find(nodes->context, message->node);
    if (node < 0 || !places->file->of_edges) return node;
    if (places->file->way == PEN_INPUT_BY_ROW) return (int64_t)nodes->rows[node] + message->other;
    return find_arc(nodes, node, message->other);
}

static void refuse_twice(const pen_input_places *places, const pen_input_message *message, int64_t before,
                         pen_input_fault *fault)
{
    const char *unit = places->file->is_npy ? "row" : "line";
    int64_t first = before < message->where ? before : message->where, second = before + message->where - first;
    if (places->file->of_edges)
        pen_input_wrong(fault, second, "the arc %" PRIgid " %" PRIgid " is in %s %" PRId64 " already", message->node,
                        message->other, unit, first);
    else pen_input_wrong(fault, second, "node %" PRIgid " is in %s %" PRId64 " already", message->node, unit, first);
}

void pen_input_place(const pen_input_places *places, const pen_input_message *message, const double *values,
                     pen_input_fault *fault)
{
    const int64_t place = place_of(places, message);
    const bool back = message->where < 0;
    if (place < 0) {
        if (!back)
            pen_input_wrong(fault, message->where, "node %" PRIgid " has no neighbour %" PRIgid, message->node,
                            message->other);
        return;
    }
    int64_t *where = &places->where[place];
    if (back && *where != NOWHERE) return;
    if (*where >= 0) {
        refuse_twice(places, message, *where, fault);
        if (message->where < *where) *where = message->where; /* that which a third one repeats */
        return;
    }
    *where = message->where;
    for (int i = 0; i < places->file->count; i++) places->values[places->file->column[i]][place] = values[i];
}

pen_gid pen_input_missing(const pen_input_places *places, pen_gid *neighbor)
{
    const pen_input_nodes *nodes = places->nodes;
    pen_gid lowest = INT64_MAX;
    for (pen_lid node = 0; node < nodes->count; node++) {
        uint32_t first = nodes->rows[node], end = nodes->rows[node + 1];
        if (nodes->gids[node] >= lowest) continue;
        if (!places->file->of_edges) {
            if (places->where[node] == NOWHERE) lowest = nodes->gids[node];
            continue;
        }
        while (first < end && places->where[first] != NOWHERE) first++;
        if (first == end) continue;
        lowest = nodes->gids[node];
        *neighbor = nodes->gids[nodes->columns[first]];
    }
    return lowest;
}
