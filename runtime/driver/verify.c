#include "driver/verify.h"
#include "base/memory.h"
#include "driver/lines.h"
#include "run/far.h"
#include "store/rows.h"

#include <stdlib.h>

/* The whole computation on one rank: node i has the i-th smallest gid, and columns are such indices. */
typedef struct serial {
    const pen_app *app;
    pen_lid nodes;
    pen_gid *gids;
    uint32_t *rows;
    pen_lid *columns;
    int64_t *node_weights, *edge_weights;
    size_t *sizes;
    void **now, **then;   /* [fields] records before and after a phase, [nodes] each */
    const void **current; /* [fields] of the view */
    void **next;          /* [fields] of the view */
    pen_view view;
    pen_observation *observation;
    pen_wishes wishes;
    int64_t *first;  /* [nodes+1] where a node's wishes begin */
    pen_lid *wanted; /* [wishes.room] the nodes wanted, or -1 */
    pen_far far;     /* of the view */
} serial;

static int compare_records(const void *a, const void *b)
{
    const int64_t *x = *(const int64_t *const *)a, *y = *(const int64_t *const *)b;
    return (pen_row_gid(x) > pen_row_gid(y)) - (pen_row_gid(x) < pen_row_gid(y));
}

static int compare_gids(const void *a, const void *b)
{
    pen_gid x = *(const pen_gid *)a, y = *(const pen_gid *)b;
    return (x > y) - (x < y);
}

static pen_lid find_gid(const serial *s, pen_gid gid)
{
    const pen_gid *found = s->nodes
                               ? (const pen_gid *)bsearch(&gid, s->gids, (size_t)s->nodes, sizeof gid, compare_gids)
                               : NULL;
    return found ? (pen_lid)(found - s->gids) : -1;
}

static pen_status serial_graph(serial *s, pen_rows *rows)
{
    int64_t arcs = 0, at = 0;
    if (rows->count) qsort(rows->records, (size_t)rows->count, sizeof *rows->records, compare_records);
    for (pen_lid i = 0; i < rows->count; i++) arcs += pen_row_degree(rows->records[i]);
    if (arcs > UINT32_MAX) return pen_fail(PEN_ERR_UNSUPPORTED, "--verify: %" PRId64 " arcs do not fit one rank", arcs);
    s->nodes = rows->count;
    PEN_TRY(PEN_ALLOC(&s->gids, s->nodes));
    PEN_TRY(PEN_ALLOC(&s->rows, (int64_t)s->nodes + 1));
    PEN_TRY(PEN_ALLOC(&s->columns, arcs));
    if (rows->format.loads) PEN_TRY(PEN_ALLOC(&s->node_weights, s->nodes));
    if (rows->format.edge_weights) PEN_TRY(PEN_ALLOC(&s->edge_weights, arcs));
    for (pen_lid i = 0; i < s->nodes; i++) s->gids[i] = pen_row_gid(rows->records[i]);
    for (pen_lid i = 0; i < s->nodes; i++) {
        const int64_t *record = rows->records[i];
        s->rows[i] = (uint32_t)at;
        if (rows->format.loads) s->node_weights[i] = pen_row_load(record);
        for (int64_t j = 0; j < pen_row_degree(record); j++, at++) {
            s->columns[at] = find_gid(s, pen_row_neighbors(record)[j]);
            if (rows->format.edge_weights) s->edge_weights[at] = pen_row_edge_weights(&rows->format, record)[j];
        }
    }
    s->rows[s->nodes] = (uint32_t)at;
    return PEN_OK;
}

static pen_status serial_fields(serial *s)
{
    const pen_app *app = s->app;
    PEN_TRY(PEN_ALLOC(&s->sizes, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->now, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->then, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->current, app->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&s->next, app->field_count));
    for (int f = 0; f < app->field_count; f++) {
        s->sizes[f] = app->fields[f].size;
        PEN_TRY(pen_alloc_zero(&s->now[f], s->nodes, s->sizes[f]));
        PEN_TRY(pen_alloc_zero(&s->then[f], s->nodes, s->sizes[f]));
    }
    return pen_observation_create(app->observables, app->observable_count, &s->observation);
}

static pen_status serial_far(serial *s, const pen_phase *phase)
{
    for (int f = 0; f < s->app->field_count; f++) {
        s->current[f] = s->now[f];
        s->next[f] = NULL;
    }
    if (!s->first) PEN_TRY(PEN_ALLOC(&s->first, (int64_t)s->nodes + 1));
    s->wishes.count = 0;
    for (pen_lid i = 0; i < s->nodes; i++) {
        s->view.slot = i;
        s->first[i] = s->wishes.count;
        phase->far(&s->view, &s->wishes);
    }
    s->first[s->nodes] = s->wishes.count;
    PEN_TRY(s->wishes.status);
    PEN_TRY(PEN_REALLOC(&s->wanted, s->wishes.room));
    for (int64_t i = 0; i < s->wishes.count; i++) s->wanted[i] = find_gid(s, s->wishes.gids[i]);
    s->far = (pen_far){ s->first, s->wishes.gids, s->wanted, s->nodes, NULL };
    s->view.far = &s->far;
    return PEN_OK;
}

static pen_status serial_phase(serial *s, const pen_phase *phase)
{
    s->view.far = NULL;
    if (phase->far) PEN_TRY(serial_far(s, phase));
    for (int f = 0; f < s->app->field_count; f++) {
        s->current[f] = s->now[f];
        s->next[f] = phase->writes >> f & 1 ? s->then[f] : NULL;
    }
    s->view.slot = 0;
    if (phase->block && s->nodes > 0) phase->block(&s->view, s->nodes);
    for (pen_lid i = 0; phase->node && i < s->nodes; i++) {
        s->view.slot = i;
        phase->node(&s->view);
    }
    for (int f = 0; f < s->app->field_count; f++)
        if (phase->writes >> f & 1) {
            void *old = s->now[f];
            s->now[f] = s->then[f];
            s->then[f] = old;
        }
    return PEN_OK;
}

static pen_status serial_steps(serial *s, int64_t steps)
{
    const pen_app *app = s->app;
    pen_phase init = { "init", app->init, .writes = UINT64_MAX };
    PEN_TRY(serial_phase(s, &init));
    for (s->view.step = 0; s->view.step < steps; s->view.step++)
        for (int p = 0; p < app->phase_count; p++) PEN_TRY(serial_phase(s, &app->phases[p]));
    for (int f = 0; f < app->field_count; f++) s->current[f] = s->now[f];
    s->view.step = steps;
    return PEN_OK;
}

static pen_status serial_observe(serial *s, pen_comm *self, int64_t steps)
{
    s->view.step = steps - 1;
    for (pen_lid i = 0; i < s->nodes; i++) {
        s->view.slot = i;
        s->app->observe(&s->view, s->observation);
    }
    s->view.step = steps;
    return pen_observation_reduce(self, s->observation);
}

static void free_serial(serial *s)
{
    for (int f = 0; f < s->app->field_count; f++) {
        if (s->now) free(s->now[f]);
        if (s->then) free(s->then[f]);
    }
    free(s->gids);
    free(s->rows);
    free(s->columns);
    free(s->node_weights);
    free(s->edge_weights);
    free(s->sizes);
    free(s->now);
    free(s->then);
    free(s->current);
    free(s->next);
    free(s->wishes.gids);
    free(s->first);
    free(s->wanted);
    pen_observation_destroy(&s->observation);
}

/* Rank 0's comparison: the lines come rank by rank, in gid order. */
typedef struct comparison {
    serial *serial;
    pen_lid next; /* node whose line is expected */
    int64_t differences;
    char *message;
    size_t size;
} comparison;

static void note(comparison *c, const char *what, const char *expected, size_t expected_size, const char *found,
                 size_t found_size)
{
    if (c->differences++ == 0)
        snprintf(c->message, c->size, "%s: serial \"%.*s\", parallel \"%.*s\"", what, (int)expected_size, expected,
                 (int)found_size, found);
}

static pen_status compare_text(comparison *c, const char *text, int64_t size)
{
    char *expected = NULL;
    size_t expected_size = 0;
    for (const char *at = text, *end = text + size; at < end;) {
        const char *newline = (const char *)memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)(newline - at);
        FILE *out = open_memstream(&expected, &expected_size);
        if (!out) return pen_fail(PEN_ERR_MEMORY, "out of memory for --verify");
        c->serial->view.slot = c->next;
        if (c->next < c->serial->nodes) pen_line_print(c->serial->app, &c->serial->view, out);
        if (fclose(out) != 0) return pen_fail(PEN_ERR_MEMORY, "out of memory for --verify");
        size_t line = expected_size ? expected_size - 1 : 0;
        if (line != length || memcmp(expected, at, length) != 0) note(c, "node", expected, line, at, length);
        free(expected);
        c->next++;
        at = newline + 1;
    }
    return PEN_OK;
}

/* Ranks above 0 send their lines, in pieces that an MPI count can express, when asked; asking keeps
 * rank 0 from being flooded. */
enum { PIECE = 1 << 26, TAG_ASK = 1, TAG_SIZE, TAG_TEXT };

static pen_status send_lines(pen_comm *comm, const pen_lines *lines)
{
    PEN_MPI(MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_ASK, comm->mpi, MPI_STATUS_IGNORE));
    PEN_MPI(MPI_Send(&lines->size, 1, MPI_INT64_T, 0, TAG_SIZE, comm->mpi));
    for (int64_t done = 0; done < lines->size; done += PIECE) {
        int bytes = lines->size - done < PIECE ? (int)(lines->size - done) : PIECE;
        PEN_MPI(MPI_Send(lines->text + done, bytes, MPI_BYTE, 0, TAG_TEXT, comm->mpi));
    }
    return PEN_OK;
}

static pen_status receive_and_compare(pen_comm *comm, int rank, comparison *c)
{
    pen_lines lines = { NULL, 0 };
    PEN_MPI(MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_ASK, comm->mpi));
    PEN_MPI(MPI_Recv(&lines.size, 1, MPI_INT64_T, rank, TAG_SIZE, comm->mpi, MPI_STATUS_IGNORE));
    pen_status status = PEN_ALLOC(&lines.text, lines.size);
    char *nowhere = NULL; /* what cannot be kept has to be received all the same */
    if (status != PEN_OK) {
        pen_status spare = PEN_ALLOC(&nowhere, PIECE);
        if (spare != PEN_OK) pen_die("out of memory for --verify");
    }
    for (int64_t done = 0; done < lines.size; done += PIECE) {
        int bytes = lines.size - done < PIECE ? (int)(lines.size - done) : PIECE;
        PEN_MPI(MPI_Recv(nowhere ? nowhere : lines.text + done, bytes, MPI_BYTE, rank, TAG_TEXT, comm->mpi,
                         MPI_STATUS_IGNORE));
    }
    if (status == PEN_OK) status = compare_text(c, lines.text, lines.size);
    free(nowhere);
    pen_lines_free(&lines);
    return status;
}

static void compare_counts(comparison *c)
{
    char expected[32], found[32];
    snprintf(expected, sizeof expected, "%" PRIlid, c->serial->nodes);
    snprintf(found, sizeof found, "%" PRIlid, c->next);
    if (c->next != c->serial->nodes) note(c, "number of nodes", expected, strlen(expected), found, strlen(found));
}

static void compare_observables(const pen_run *run, comparison *c)
{
    for (int i = 0; i < run->app->observable_count; i++) {
        char expected[64], found[64];
        pen_observation_text(c->serial->observation, i, expected, sizeof expected);
        pen_observation_text(run->observation, i, found, sizeof found);
        if (strcmp(expected, found) != 0)
            note(c, run->app->observables[i].name, expected, strlen(expected), found, strlen(found));
    }
}

static pen_status compute_serially(pen_run *run, serial *s, pen_rows *rows)
{
    PEN_TRY(serial_graph(s, rows));
    PEN_TRY(serial_fields(s));
    s->view = (pen_view){ .rows = s->rows,
                          .columns = s->columns,
                          .gids = s->gids,
                          .node_weights = s->node_weights,
                          .edge_weights = s->edge_weights,
                          .current = s->current,
                          .next = s->next,
                          .sizes = s->sizes,
                          .params = run->app->params,
                          .scratch = run->view.scratch };
    PEN_TRY(serial_steps(s, run->step));
    pen_comm self = { .mpi = MPI_COMM_SELF };
    return run->app->observe && run->step > 0 ? serial_observe(s, &self, run->step) : PEN_OK;
}

pen_status pen_verify(pen_run *run, const pen_graph *graph, int64_t *differences, char *message, size_t size)
{
    pen_comm *comm = run->comm;
    int32_t *owner = NULL;
    pen_rows rows;
    PEN_TRY(pen_agree(comm, PEN_ALLOC_ZERO(&owner, graph->count))); /* everything to rank 0 */
    pen_status status = pen_rows_ship(comm, graph, owner, &rows);
    free(owner);
    PEN_TRY(status);
    serial s = { .app = run->app };
    if (comm->rank == 0) status = compute_serially(run, &s, &rows);
    pen_rows_free(&rows);
    status = pen_agree(comm, status);

    comparison c = { .serial = &s, .message = message, .size = size };
    pen_lines lines = { NULL, 0 };
    message[0] = '\0';
    if (status == PEN_OK) status = pen_lines_collect(run, &lines);
    if (status == PEN_OK) {
        if (comm->rank == 0) {
            status = compare_text(&c, lines.text, lines.size);
            for (int rank = 1; rank < comm->size; rank++) {
                pen_status received = receive_and_compare(comm, rank, &c);
                if (status == PEN_OK) status = received;
            }
            compare_counts(&c);
            if (run->step > 0) compare_observables(run, &c);
        } else {
            status = send_lines(comm, &lines);
        }
        status = pen_agree(comm, status);
    }
    pen_lines_free(&lines);
    free_serial(&s);
    PEN_TRY(status);
    *differences = c.differences;
    PEN_MPI(MPI_Bcast(differences, 1, MPI_INT64_T, 0, comm->mpi));
    PEN_MPI(MPI_Bcast(message, (int)size, MPI_CHAR, 0, comm->mpi));
    return PEN_OK;
}
