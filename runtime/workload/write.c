/* write.c - writes records. */
#include "workload/blocks.h"
#include "workload/decode.h"
#include "workload/place_map.h"
#include "workload/runs.h"
#include "workload/workload.h"

#include <stdlib.h>

struct pen_workload_writer {
    pen_block_file file;
    pen_bytes raw;
    pen_place_map places;
    int phases;          /* number of phases in which a node has separate loads */
    pen_run_coder coder; /* coder of the loads of all places */
    int dimensions;
    int64_t steps; /* of the run, with those before the record */
};

/* ---- Coding ---------------------------------------------------------------------------------- */

/* Code a gid as its distance from the previous one, which may be -1. */
static void put_next(pen_bytes *b, pen_gid gid, pen_gid before)
{
    pen_bytes_put_number(b, (uint64_t)gid - (uint64_t)before - 1);
}

static void put_gids(pen_bytes *b, int64_t count, const pen_gid *gids)
{
    pen_gid before = -1;
    pen_bytes_put_number(b, (uint64_t)count);
    for (int64_t i = 0; i < count; before = gids[i++]) put_next(b, gids[i], before);
}

/* Code the requester of a node: 0: the node is not new; 1 and a rank: no node requested it; 2 and a difference of gids:
 * the requesting node. */
static bool put_origin(pen_bytes *b, const pen_workload_rows *r, int64_t i)
{
    pen_gid parent = r->parents[i];
    if (parent == PEN_WORKLOAD_STAYED) {
        pen_bytes_put_number(b, 0);
        return false;
    }
    pen_bytes_put_number(b, parent == PEN_WORKLOAD_NOBODY ? 1 : 2);
    if (parent == PEN_WORKLOAD_NOBODY) pen_bytes_put_number(b, (uint64_t)r->owners[i]);
    else pen_bytes_put_signed(b, parent - r->gids[i]);
    return true;
}

static void put_row(pen_bytes *b, const pen_workload_rows *r, int64_t i)
{
    pen_gid before = r->gids[i];
    int64_t first = r->rows[i];
    pen_bytes_put_number(b, (uint64_t)(r->rows[i + 1] - first));
    for (int64_t a = first; a < r->rows[i + 1]; before = r->neighbors[a++]) {
        if (a == first) pen_bytes_put_signed(b, r->neighbors[a] - before);
        else put_next(b, r->neighbors[a], before);
    }
    for (int64_t a = first; a < r->rows[i + 1]; a++)
        pen_bytes_put_number(b, r->edge_weights ? (uint64_t)r->edge_weights[a] : 1);
}

static void put_rows(pen_bytes *b, const pen_workload_rows *r, int dimensions)
{
    int32_t owner = 0;
    put_gids(b, r->count, r->gids);
    for (int64_t i = 0; i < r->count; i++) {
        bool comes = true;
        if (r->parents) comes = put_origin(b, r, i);
        else pen_bytes_put_signed(b, r->owners[i] - owner);
        owner = r->owners[i];
        put_row(b, r, i);
        for (int d = 0; comes && r->coordinates && d < dimensions; d++)
            pen_bytes_put_real(b, r->coordinates[i * dimensions + d]);
    }
}

/* ---- The record ------------------------------------------------------------------------------ */

static pen_status enter(pen_workload_writer *w, pen_gid gid)
{
    int32_t place;
    if (pen_place_map_find(&w->places, gid) >= 0)
        return pen_fail(PEN_ERR_INTERNAL, "%s: node %" PRIgid " is added, but exists", w->file.file.path, gid);
    return pen_place_map_enter(&w->places, gid, &place);
}

static pen_status begin(pen_workload_writer *w, const pen_workload_world *world, const pen_workload_rows *graph)
{
    w->dimensions = world->dimensions;
    w->steps = world->first;
    w->phases = world->load_phases > 1 ? world->load_phases : 1;
    PEN_TRY(pen_place_map_create(&w->places));
    for (int64_t i = 0; i < graph->count; i++) PEN_TRY(enter(w, graph->gids[i]));
    pen_workload_world copy = *world;
    copy.load_phases = w->phases;
    PEN_TRY(pen_code_world(&(pen_coder){ .out = &w->raw }, &copy));
    PEN_TRY(pen_block_write(&w->file, PEN_BLOCK_WORLD, &w->raw));
    pen_bytes_clear(&w->raw);
    put_rows(&w->raw, graph, world->dimensions);
    return pen_block_write(&w->file, PEN_BLOCK_GRAPH, &w->raw);
}

pen_status pen_workload_create(const char *path, const pen_workload_world *world, const pen_workload_rows *graph,
                               pen_workload_writer **writer)
{
    PEN_TRY(PEN_ALLOC_ZERO(writer, 1));
    pen_status status = pen_block_file_create(path, &(*writer)->file);
    if (status != PEN_OK) {
        free(*writer);
        *writer = NULL;
        return status;
    }
    status = begin(*writer, world, graph);
    return status == PEN_OK ? PEN_OK : pen_workload_finish(writer, status, NULL);
}

pen_status pen_workload_write_change(pen_workload_writer *w, const pen_workload_change *change)
{
    const pen_workload_rows *rows = &change->rows;
    for (int64_t i = 0; i < change->died_count; i++) {
        int32_t place = pen_place_map_find(&w->places, change->died[i]);
        if (place < 0)
            return pen_fail(PEN_ERR_INTERNAL, "%s: node %" PRIgid " is removed, but does not exist", w->file.file.path,
                            change->died[i]);
        PEN_TRY(pen_place_map_leave(&w->places, place));
    }
    for (int64_t i = 0; i < rows->count; i++)
        if (rows->parents[i] != PEN_WORKLOAD_STAYED) PEN_TRY(enter(w, rows->gids[i]));
    w->coder.known = false;
    pen_bytes_clear(&w->raw);
    put_gids(&w->raw, change->died_count, change->died);
    put_rows(&w->raw, rows, w->dimensions);
    return pen_block_write(&w->file, PEN_BLOCK_CHANGE, &w->raw);
}

pen_status pen_workload_refuse(const pen_workload_writer *w, pen_gid gid)
{
    return pen_fail(PEN_ERR_ARGUMENT, "%s: after step %" PRId64 " the load of node %" PRIgid " is not a number >= 0",
                    w->file.file.path, w->steps + 1, gid);
}

static void begin_step(pen_workload_writer *w)
{
    pen_bytes_clear(&w->raw);
    pen_bytes_put_number(&w->raw, PEN_LOADS_IN_RUNS);
}

static pen_status end_step(pen_workload_writer *w)
{
    w->steps++;
    return pen_block_write(&w->file, PEN_BLOCK_STEP, &w->raw);
}

pen_status pen_workload_write_step(pen_workload_writer *w, const double *loads)
{
    begin_step(w);
    PEN_TRY(pen_run_coder_fit(&w->coder, w->places.count, w->phases));
    const int64_t wrong = pen_runs_put(&w->coder, w->places.count, w->phases, loads, &w->raw);
    return wrong < 0 ? end_step(w) : pen_workload_refuse(w, w->places.gids[wrong]);
}

pen_status pen_workload_write_order(pen_workload_writer *w, int parts, const int64_t *first, const int32_t *places)
{
    int32_t before = -1;
    pen_bytes_clear(&w->raw);
    pen_bytes_put_number(&w->raw, (uint64_t)parts);
    for (int i = 0; i < parts; i++) pen_bytes_put_number(&w->raw, (uint64_t)(first[i + 1] - first[i]));
    for (int64_t k = 0; k < first[parts]; before = places[k++]) pen_bytes_put_signed(&w->raw, places[k] - before - 1);
    return pen_block_write(&w->file, PEN_BLOCK_ORDER, &w->raw);
}

pen_status pen_workload_write_parts(pen_workload_writer *w, int parts, const pen_workload_part *part)
{
    begin_step(w);
    for (int i = 0; i < parts; i++) {
        unsigned char *to = pen_bytes_room(&w->raw, part[i].size);
        if (to) memcpy(to, part[i].bytes, (size_t)part[i].size);
        if (to) w->raw.size += part[i].size;
    }
    return end_step(w);
}

int32_t pen_workload_writer_places(const pen_workload_writer *w) { return w->places.count; }
int32_t pen_workload_writer_place(const pen_workload_writer *w, pen_gid gid)
{
    return pen_place_map_find(&w->places, gid);
}

static pen_status write_end(pen_workload_writer *w, const pen_workload_times *t)
{
    pen_bytes_clear(&w->raw);
    pen_bytes_put_number(&w->raw, (uint64_t)w->steps);
    if (t->open) pen_bytes_put_number(&w->raw, 1);
    const double reals[] = { t->loop, t->nn, t->nl, t->ll, t->nt, t->lt, t->tt };
    for (int i = 0; i < PEN_COUNT_OF(reals); i++) pen_bytes_put_real(&w->raw, reals[i]);
    return pen_block_write(&w->file, PEN_BLOCK_END, &w->raw);
}

pen_status pen_workload_finish(pen_workload_writer **writer, pen_status status, const pen_workload_times *times)
{
    pen_workload_writer *w = *writer;
    if (!w) return status;
    if (status == PEN_OK) status = write_end(w, times);
    status = pen_block_file_close(&w->file, status);
    pen_bytes_free(&w->raw);
    pen_place_map_free(&w->places);
    pen_run_coder_free(&w->coder);
    free(w);
    *writer = NULL;
    return status;
}
