/* lines.c - collects the texts of all nodes, ascending by gid. */
#include "driver/lines.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "base/numbers.h"
#include "base/sparse.h"
#include "output/columns.h"

#include <stdlib.h>

bool pen_has_lines(const pen_app *app) { return app->output.print || app->output.members.count > 0; }

bool pen_has_checksum(const pen_app *app) { return pen_has_lines(app) || pen_app_is_plain(app); }

/* Print the values of a member, each after a space. */
static void print_member(const pen_member *member, const pen_view *view, FILE *out)
{
    const char *from = (const char *)pen_self_record(view, member->field) + member->offset;
    for (int i = 0; i == 0 || i < member->components; i++) {
        fputc(' ', out);
        pen_value_print(member->type, from + (size_t)i * pen_type_size(member->type), out);
    }
}

void pen_line_print(const pen_app *app, const pen_view *view, FILE *out)
{
    fprintf(out, "%" PRIgid, pen_id(view));
    if (app->output.print) {
        fputc(' ', out);
        app->output.print(view, out);
    } else {
        for (int m = 0; m < app->output.members.count; m++) print_member(&app->output.members.list[m], view, out);
    }
    fputc('\n', out);
}

void pen_lines_free(pen_lines *lines)
{
    free(lines->text);
    *lines = (pen_lines){ NULL, 0 };
}

/* Print the lines of this rank's nodes in slot order; starts[i] is the beginning of slot i's line, [owned+1]. */
static pen_status print_owned(pen_run *run, char **text, int64_t **starts)
{
    PEN_INSIDE(".print");
    *text = NULL;
    PEN_TRY(PEN_ALLOC(starts, (int64_t)run->store->owned + 1));
    size_t size = 0;
    FILE *out = pen_memory_stream(text, &size);
    if (!out) return pen_fail(PEN_ERR_MEMORY, "out of memory for the nodes' texts");
    pen_run_view(run, 0, 0);
    for (pen_lid slot = 0; slot < run->store->owned; slot++) {
        (*starts)[slot] = ftell(out);
        run->view.slot = slot;
        pen_line_print(run->app, &run->view, out);
    }
    (*starts)[run->store->owned] = ftell(out);
    if (fclose(out) != 0) return pen_fail(PEN_ERR_MEMORY, "out of memory for the nodes' texts");
    return PEN_OK;
}

typedef struct line {
    pen_gid gid; /* the gid; the first member, because it is the sort key */
    const char *text;
    int64_t size;
} line;

/* The rank that gets a line: gids from 0 to the largest are cut into equal ranges. */
static int line_rank(pen_gid gid, uint64_t range) { return (int)((uint64_t)gid / range); }

static pen_status pack_lines(const pen_run *run, const char *text, const int64_t *starts, uint64_t range,
                             pen_blocks *send)
{
    const pen_store *store = run->store;
    int64_t *bytes;
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, run->comm->size));
    for (pen_lid s = 0; s < store->owned; s++) bytes[line_rank(store->gids[s], range)] += starts[s + 1] - starts[s];
    pen_status status = pen_blocks_open(run->comm->size, bytes, send);
    if (status == PEN_OK)
        for (pen_lid s = 0; s < store->owned; s++) {
            int64_t size = starts[s + 1] - starts[s], *at = &bytes[line_rank(store->gids[s], range)];
            memcpy(send->data + *at, text + starts[s], (size_t)size);
            *at += size;
        }
    free(bytes);
    return status;
}

/* Sort the received lines. */
static pen_status unpack_lines(const pen_blocks *received, pen_lines *lines)
{
    int64_t size = pen_blocks_bytes(received), count = 0;
    const char *text = (const char *)received->data, *end = text + size;
    for (const char *at = text; at < end; at++) count += *at == '\n';
    line *sorted;
    PEN_TRY(PEN_ALLOC(&sorted, count));
    pen_status status = PEN_ALLOC(&lines->text, size);
    count = 0;
    if (status == PEN_OK) {
        for (const char *at = text; at < end;) {
            const char *next = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
            sorted[count++] = (line){ strtoll(at, NULL, 10), at, next - at };
            at = next;
        }
        if (count) qsort(sorted, (size_t)count, sizeof *sorted, pen_by_gid);
        for (int64_t i = 0; i < count; i++) {
            memcpy(lines->text + lines->size, sorted[i].text, (size_t)sorted[i].size);
            lines->size += sorted[i].size;
        }
    }
    free(sorted);
    return status;
}

pen_status pen_lines_collect(pen_run *run, pen_lines *lines)
{
    *lines = (pen_lines){ NULL, 0 };
    PEN_ARGUMENT(pen_has_lines(run->app), "%s: an application needs members or a print function for this",
                 run->app->name);
    pen_gid largest = 0;
    for (pen_lid s = 0; s < run->store->owned; s++)
        if (run->store->gids[s] > largest) largest = run->store->gids[s];
    PEN_TRY(pen_max_int(run->comm, largest, &largest));
    uint64_t range = (uint64_t)largest / (uint64_t)run->comm->size + 1;

    char *text = NULL;
    int64_t *starts = NULL;
    pen_blocks send = { 0 }, received = { 0 };
    pen_status status = print_owned(run, &text, &starts);
    if (status == PEN_OK) status = pack_lines(run, text, starts, range, &send);
    PEN_FREE_ALL(text, starts);
    status = pen_sparse_exchange(run->comm, status, &send, &received);
    pen_blocks_free(&send);
    if (status == PEN_OK) status = pen_agree(run->comm, unpack_lines(&received, lines));
    pen_blocks_free(&received);
    if (status != PEN_OK) pen_lines_free(lines);
    return status;
}

static uint64_t sum_records(const pen_run *run)
{
    const pen_store *store = run->store;
    uint64_t sum = 0;
    for (int f = 0; f < run->app->fields.count; f++) {
        const unsigned char *records = pen_store_plane(store, f, 0);
        size_t size = store->sizes[f];
        for (pen_lid s = 0; s < store->owned; s++)
            sum += pen_mix(pen_hash_bytes(records + (size_t)s * size, size) ^
                           pen_mix((uint64_t)store->gids[s] + (uint64_t)f));
    }
    return sum;
}

static pen_status sum_texts(pen_run *run, uint64_t *sum)
{
    char *text = NULL;
    int64_t *starts = NULL;
    pen_status status = print_owned(run, &text, &starts);
    for (pen_lid s = 0; status == PEN_OK && s < run->store->owned; s++)
        *sum += pen_hash_bytes(text + starts[s], (size_t)(starts[s + 1] - starts[s]));
    PEN_FREE_ALL(text, starts);
    return status;
}

pen_status pen_run_checksum(pen_run *run, uint64_t *checksum)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_checksum");
    PEN_TRY(pen_run_ready(run, "pen_run_checksum"));
    PEN_TRY(pen_agree(run->comm, pen_given(checksum, "the checksum")));
    PEN_ARGUMENT(pen_has_checksum(run->app), "%s: a checksum needs members, a print function or plain fields",
                 run->app->name);
    uint64_t sum = 0;
    if (pen_app_is_plain(run->app)) sum = sum_records(run);
    else PEN_TRY(pen_agree(run->comm, sum_texts(run, &sum)));
    PEN_TRY(pen_all_reduce(run->comm, MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM));
    *checksum = sum;
    return PEN_OK;
}
