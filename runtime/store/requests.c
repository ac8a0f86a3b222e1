/* requests.c - collects the requests of nodes to change the graph. */
#include "store/requests.h"
#include "directory/tentative_update.h"

#include <math.h>
#include <stdalign.h>
#include <stdlib.h>

/* Memory of new nodes: contiguous blocks, which are never moved. */
typedef struct pen_cradle {
    struct pen_cradle *previous;
    int64_t used, bytes;
    alignas(max_align_t) unsigned char memory[];
} pen_cradle;

enum { CRADLE = 1 << 16 };

static int64_t aligned(int64_t bytes)
{
    const int64_t unit = alignof(max_align_t);
    return (bytes + unit - 1) / unit * unit;
}

pen_status pen_changes_create(int field_count, const size_t *sizes, pen_changes **changes)
{
    pen_changes *c;
    PEN_TRY(PEN_ALLOC_ZERO(&c, 1));
    c->field_count = field_count;
    pen_status status = PEN_ALLOC(&c->offsets, (int64_t)field_count + 1);
    if (status == PEN_OK) {
        c->offsets[0] = aligned(sizeof(pen_new_node));
        for (int f = 0; f < field_count; f++) c->offsets[f + 1] = c->offsets[f] + aligned((int64_t)sizes[f]);
        status = pen_alloc_zero(&c->nowhere, c->offsets[field_count], 1);
    }
    if (status != PEN_OK) {
        pen_changes_destroy(&c);
        return status;
    }
    c->nowhere->changes = c;
    *changes = c;
    return PEN_OK;
}

void pen_changes_clear(pen_changes *c)
{
    for (pen_cradle *cradle = c->cradle, *previous; cradle; cradle = previous) {
        previous = cradle->previous;
        free(cradle);
    }
    PEN_FREE_ALL(c->subjects, c->edges, c->weights);
    pen_key_table_free(&c->table);
    *c = (pen_changes){ .field_count = c->field_count,
                        .offsets = c->offsets,
                        .first = c->first,
                        .first_arc = c->first_arc,
                        .nowhere = c->nowhere };
}

pen_status pen_changes_begin_with(pen_changes *c, int field, const void *record, size_t size)
{
    if (!c->first) PEN_TRY(pen_alloc_zero(&c->first, pen_newborn_bytes(c), 1));
    memcpy(c->first + (c->offsets[field] - c->offsets[0]), record, size);
    return PEN_OK;
}

pen_status pen_changes_begin_arcs_with(pen_changes *c, size_t edge_bytes, size_t at, const void *record, size_t size)
{
    if (!c->first_arc) PEN_TRY(pen_alloc_zero(&c->first_arc, (int64_t)edge_bytes, 1));
    memcpy(c->first_arc + at, record, size);
    return PEN_OK;
}

void pen_changes_begin(pen_changes *c, int dimensions)
{
    pen_changes_clear(c);
    c->dimensions = dimensions;
}

void pen_changes_destroy(pen_changes **changes)
{
    pen_changes *c = *changes;
    if (!c) return;
    pen_changes_clear(c);
    PEN_FREE_ALL(c->offsets, c->first, c->first_arc, c->nowhere, c);
    *changes = NULL;
}

/* ---- Requests of nodes ---------------------------------------------------------------------- */

/* Keep the failure that will be reported: the first one of the node with the lowest gid. */
static void note(pen_changes *c, pen_status status)
{
    if (status == PEN_OK || (c->status != PEN_OK && c->by >= c->failed_by)) return;
    c->status = status;
    c->failed_by = c->by;
    snprintf(c->message, sizeof c->message, "%s", pen_error_message());
}

pen_status pen_changes_status(const pen_changes *c)
{
    return c->status == PEN_OK ? PEN_OK : pen_fail(c->status, "%s", c->message);
}

static uint32_t *entry_of(const pen_changes *c, pen_gid gid)
{
    return pen_key_entry(&c->table, c->subjects, sizeof *c->subjects, (uint64_t)gid);
}

static pen_status widen(pen_changes *c)
{
    enum { FIRST = 256 };
    PEN_TRY(pen_key_table_resize(&c->table, c->table.size ? 2 * c->table.size : FIRST));
    for (int64_t i = 0; i < c->subject_count; i++) *entry_of(c, c->subjects[i].gid) = (uint32_t)(i + 1);
    return PEN_OK;
}

static pen_status meet(pen_changes *c, pen_gid gid, uint32_t *subject)
{
    pen_lid number;
    PEN_ARGUMENT(gid >= 0, "a change of node %" PRIgid ", gids must be >= 0", gid);
    if (pen_key_table_is_full(&c->table, c->subject_count)) PEN_TRY(widen(c));
    uint32_t *entry = entry_of(c, gid);
    if (*entry == 0) {
        PEN_TRY(pen_to_lid(c->subject_count + 1, "nodes for which one rank requests changes", &number));
        PEN_TRY(pen_reserve(&c->subjects, sizeof *c->subjects, c->subject_count + 1, &c->subject_room));
        c->subjects[c->subject_count++] = (pen_subject){ .gid = gid };
        *entry = (uint32_t)number;
    }
    *subject = *entry - 1;
    return PEN_OK;
}

/* Allocate zeroed memory for a new node. */
static pen_status bear(pen_changes *c, pen_new_node **newborn)
{
    int64_t bytes = c->offsets[c->field_count];
    if (!c->cradle || c->cradle->used + bytes > c->cradle->bytes) {
        pen_cradle *cradle;
        int64_t room = bytes > CRADLE ? bytes : CRADLE;
        PEN_TRY(pen_alloc_zero(&cradle, (int64_t)sizeof *cradle + room, 1));
        *cradle = (pen_cradle){ .previous = c->cradle, .bytes = room };
        c->cradle = cradle;
    }
    *newborn = (pen_new_node *)(void *)(c->cradle->memory + c->cradle->used);
    c->cradle->used += bytes;
    return PEN_OK;
}

static pen_status add_node(pen_changes *c, pen_gid gid, int64_t weight, pen_new_node **newborn)
{
    uint32_t subject;
    PEN_ARGUMENT(weight >= 0, "node %" PRIgid " is to be added with weight %" PRId64 ", must be >= 0", gid, weight);
    PEN_TRY(meet(c, gid, &subject));
    PEN_TRY(bear(c, newborn));
    **newborn = (pen_new_node){ c, c->newest, subject, c->adder, c->by, weight, 0, { 0.0, 0.0, 0.0 } };
    if (c->first) memcpy(pen_newborn_record(*newborn, 0), c->first, (size_t)pen_newborn_bytes(c));
    c->newest = *newborn;
    c->unplaced += c->dimensions > 0;
    c->weighs_nodes = c->weighs_nodes || weight != 1;
    return PEN_OK;
}

pen_new_node *pen_add_node(pen_changes *changes, pen_gid gid, int64_t weight)
{
    pen_new_node *newborn = NULL;
    note(changes, add_node(changes, gid, weight, &newborn));
    if (newborn) return newborn;
    memset(pen_newborn_record(changes->nowhere, 0), 0, (size_t)pen_newborn_bytes(changes));
    return changes->nowhere;
}

void *pen_first_record(pen_new_node *newborn, int field) { return pen_newborn_record(newborn, field); }

static pen_status set_coordinates(pen_new_node *newborn, int dimensions, const double *coordinates)
{
    pen_changes *c = newborn->changes;
    const pen_gid gid = newborn == c->nowhere ? -1 : c->subjects[newborn->subject].gid;
    PEN_ARGUMENT(dimensions >= 1 && dimensions <= 3,
                 "node %" PRIgid " is to be added with %d coordinates, must be 1 to 3", gid, dimensions);
    for (int d = 0; d < dimensions; d++)
        PEN_ARGUMENT(isfinite(coordinates[d]), "node %" PRIgid " is to be added with coordinate %g, must be finite",
                     gid, coordinates[d]);
    if (newborn == c->nowhere || c->dimensions == 0) return PEN_OK;
    PEN_ARGUMENT(dimensions == c->dimensions,
                 "node %" PRIgid " is to be added with %d coordinates, and those of the graph are %d", gid, dimensions,
                 c->dimensions);
    c->unplaced -= newborn->dimensions == 0;
    newborn->dimensions = dimensions;
    for (int d = 0; d < dimensions; d++)
        newborn->at[d] = coordinates[d] + 0.0; /* turns -0 into 0, so that equal coordinates have equal bits */
    return PEN_OK;
}

void pen_set_coordinates(pen_new_node *newborn, int dimensions, const double *coordinates)
{
    note(newborn->changes, set_coordinates(newborn, dimensions, coordinates));
}

void pen_remove_node(pen_changes *changes, pen_gid gid)
{
    uint32_t subject;
    pen_status status = meet(changes, gid, &subject);
    note(changes, status);
    if (status != PEN_OK) return;
    pen_subject *s = &changes->subjects[subject];
    if (!s->removed || changes->by < s->remover) s->remover = changes->by;
    s->removed = true;
}

static pen_status ask_edge(pen_changes *c, pen_gid from, pen_gid to, int64_t weight)
{
    pen_edge_request edge = { .weight = weight, .by = c->by };
    PEN_ARGUMENT(from != to, "an edge of node %" PRIgid " with itself", from);
    PEN_TRY(meet(c, from, &edge.from));
    PEN_TRY(meet(c, to, &edge.to));
    PEN_TRY(pen_reserve(&c->edges, sizeof *c->edges, c->edge_count + 1, &c->edge_room));
    c->edges[c->edge_count++] = edge;
    c->weighs_edges = c->weighs_edges || weight > 1;
    return PEN_OK;
}

void pen_add_edge(pen_changes *changes, pen_gid from, pen_gid to, int64_t weight)
{
    if (weight > 0) note(changes, ask_edge(changes, from, to, weight));
    else
        note(changes, pen_fail(PEN_ERR_ARGUMENT,
                               "edge %" PRIgid " - %" PRIgid " is to be added with weight %" PRId64 ", must be > 0",
                               from, to, weight));
}

void pen_remove_edge(pen_changes *changes, pen_gid from, pen_gid to) { note(changes, ask_edge(changes, from, to, 0)); }

static pen_status set_weight(pen_changes *c, pen_gid gid, int64_t weight)
{
    pen_weight_request request = { .weight = weight, .by = c->by };
    PEN_ARGUMENT(weight >= 0, "node %" PRIgid " is to get weight %" PRId64 ", must be >= 0", gid, weight);
    PEN_TRY(meet(c, gid, &request.subject));
    PEN_TRY(pen_reserve(&c->weights, sizeof *c->weights, c->weight_count + 1, &c->weight_room));
    c->weights[c->weight_count++] = request;
    c->weighs_nodes = c->weighs_nodes || weight != 1;
    return PEN_OK;
}

void pen_set_node_weight(pen_changes *changes, pen_gid gid, int64_t weight)
{
    note(changes, set_weight(changes, gid, weight));
}

/* ---- After the last request ----------------------------------------------------------------- */

pen_status pen_changes_settle(pen_changes *c)
{
    size_t bytes = (size_t)pen_newborn_bytes(c);
    for (pen_new_node *n = c->newest; n; n = n->previous) {
        pen_subject *subject = &c->subjects[n->subject];
        pen_new_node *first = subject->first;
        if (!first || n->by < first->by) subject->first = n;
        if (!first) continue;
        PEN_ARGUMENT(n->weight == first->weight,
                     "node %" PRIgid " is to be added with two weights, %" PRId64 " and %" PRId64, subject->gid,
                     n->weight, first->weight);
        PEN_ARGUMENT(memcmp(n->at, first->at, sizeof n->at) == 0 && n->dimensions == first->dimensions,
                     "node %" PRIgid " is to be added " PEN_TWO_PLACES, subject->gid);
        PEN_ARGUMENT(memcmp(pen_newborn_record(n, 0), pen_newborn_record(first, 0), bytes) == 0,
                     "node %" PRIgid " is to be added with two different initial records", subject->gid);
    }
    return PEN_OK;
}
