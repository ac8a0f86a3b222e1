/* verify.c - compares a run with its serial recomputation. */
#include "base/memory.h"
#include "base/memory_stream.h"
#include "base/numbers.h"
#include "driver/lines.h"
#include "driver/oracle.h"
#include "input/files.h"
#include "inputs/inputs.h"

#include <limits.h>
#include <stdlib.h>

/* The state of rank 0's comparison. Lines arrive rank by rank, in the order of gids. */
typedef struct comparison {
    pen_oracle *oracle;
    pen_lid next; /* the node whose line is expected next */
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
        FILE *out = pen_memory_stream(&expected, &expected_size);
        if (!out) return pen_fail(PEN_ERR_MEMORY, "out of memory for --verify");
        c->oracle->view.slot = c->next;
        if (c->next < c->oracle->nodes) pen_line_print(c->oracle->app, &c->oracle->view, out);
        if (fclose(out) != 0) {
            free(expected);
            return pen_fail(PEN_ERR_MEMORY, "out of memory for --verify");
        }
        size_t line = expected_size ? expected_size - 1 : 0;
        if (line != length || memcmp(expected, at, length) != 0) note(c, "node", expected, line, at, length);
        free(expected);
        c->next++;
        at = newline + 1;
    }
    return PEN_OK;
}

/* Ranks above 0 send their lines when rank 0 requests them, so that rank 0 is not flooded, and in pieces whose size
 * fits an MPI count. */
enum { PIECE = 1 << 26, TAG_REQUEST = 1, TAG_SIZE, TAG_TEXT };

static pen_status send_lines(pen_comm *comm, const pen_lines *lines)
{
    PEN_MPI(MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_REQUEST, comm->mpi, MPI_STATUS_IGNORE));
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
    PEN_MPI(MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_REQUEST, comm->mpi));
    PEN_MPI(MPI_Recv(&lines.size, 1, MPI_INT64_T, rank, TAG_SIZE, comm->mpi, MPI_STATUS_IGNORE));
    pen_status status = PEN_ALLOC(&lines.text, lines.size);
    char *nowhere = NULL; /* buffer for lines that cannot be stored, but must be received */
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
    snprintf(expected, sizeof expected, "%" PRIlid, c->oracle->nodes);
    snprintf(found, sizeof found, "%" PRIlid, c->next);
    if (c->next != c->oracle->nodes) note(c, "number of nodes", expected, strlen(expected), found, strlen(found));
}

static void compare_ends(const pen_run *run, comparison *c)
{
    static const char *const names[] = {
        [PEN_END_OPEN] = "nothing", [PEN_END_DONE] = "done", [PEN_END_UNTIL] = "until"
    };
    const pen_run *shown = &c->oracle->shown;
    char expected[64], found[64];
    int sizes[2] = { snprintf(expected, sizeof expected, "step %" PRId64 ", %s", shown->step, names[shown->end]),
                     snprintf(found, sizeof found, "step %" PRId64 ", %s", run->step, names[run->end]) };
    if (strcmp(expected, found) != 0) note(c, "end of the run", expected, (size_t)sizes[0], found, (size_t)sizes[1]);
}

static void compare_observables(const pen_run *run, comparison *c)
{
    for (int i = 0; i < run->observation->count; i++) {
        char expected[64], found[64];
        pen_observation_text(c->oracle->observation, i, expected, sizeof expected);
        pen_observation_text(run->observation, i, found, sizeof found);
        if (strcmp(expected, found) != 0)
            note(c, run->observation->table[i].name, expected, strlen(expected), found, strlen(found));
    }
}

/* Compute the checksum of the oracle's graph (graph.h), after all changes that the computation has made. */
static pen_status sum_graph(const pen_oracle *s, uint64_t *sum)
{
    const int64_t arcs = s->rows[s->nodes];
    pen_graph graph = { .count = s->nodes,
                        .gids = s->gids,
                        .weight_count = s->node_weights ? 1 : 0,
                        .node_weights = s->node_weights,
                        .edge_weights = s->edge_weights,
                        .dimensions = s->view.dimensions,
                        .coordinates = s->coordinates };
    pen_status status = PEN_ALLOC(&graph.rows, (int64_t)s->nodes + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&graph.neighbors, arcs);
    for (pen_lid i = 0; status == PEN_OK && i <= s->nodes; i++) graph.rows[i] = s->rows[i];
    for (int64_t a = 0; status == PEN_OK && a < arcs; a++) graph.neighbors[a] = s->gids[s->columns[a]];
    if (status == PEN_OK) *sum = pen_graph_sum(&graph);
    PEN_FREE_ALL(graph.rows, graph.neighbors);
    return status;
}

/* Collective. Compare the graph of the run with the graph at the end of the computation, and check that the computation
 * began with the run's first graph, `origin`. `now` is NULL if no nodes are left. */
static pen_status compare_graphs(const pen_run *run, const pen_graph *origin, const pen_graph *now, comparison *c)
{
    uint64_t sums[4] = { run->graph.sum, pen_graph_sum(origin), now ? pen_graph_sum(now) : 0, 0 };
    pen_status status = run->comm->rank == 0 ? sum_graph(c->oracle, &sums[3]) : PEN_OK;
    PEN_TRY(pen_agree(run->comm, status));
    PEN_TRY(pen_all_reduce(run->comm, MPI_IN_PLACE, sums, PEN_COUNT_OF(sums), MPI_UINT64_T, MPI_SUM));
    if (sums[0] != sums[1] || sums[2] != sums[3]) note(c, "the graph", "one graph", 9, "another graph", 13);
    return PEN_OK;
}

/* Collective. Compare the run, whose graph is `now` (NULL: empty), with a computation that begins with `graph`. */
static pen_status compare(pen_run *run, const pen_graph *graph, const pen_graph *now, int64_t *differences,
                          char *message, size_t size)
{
    PEN_C_LOCALE;
    pen_comm *comm = run->comm;
    int32_t *owner = NULL;
    pen_rows rows;
    pen_status status = pen_agree(comm, PEN_ALLOC_ZERO(&owner, graph->count)); /* all rows go to rank 0 */
    if (status == PEN_OK) status = pen_rows_ship(comm, graph, owner, &rows);
    free(owner);
    PEN_TRY(status);
    pen_oracle s = { .app = run->app };
    if (comm->rank == 0) status = pen_oracle_compute(run, &rows, graph, &s);
    pen_rows_free(&rows);
    status = pen_agree(comm, status);

    comparison c = { .oracle = &s, .message = message, .size = size };
    pen_lines lines = { NULL, 0 };
    message[0] = '\0';
    if (status == PEN_OK) status = compare_graphs(run, graph, now, &c);
    if (status == PEN_OK) status = pen_lines_collect(run, &lines);
    if (status == PEN_OK) {
        if (comm->rank == 0) {
            compare_ends(run, &c);
            status = compare_text(&c, lines.text, lines.size);
            for (int rank = 1; rank < comm->size; rank++) {
                pen_status received = receive_and_compare(comm, rank, &c);
                if (status == PEN_OK) status = received;
            }
            compare_counts(&c);
            compare_observables(run, &c);
        } else {
            status = send_lines(comm, &lines);
        }
        status = pen_agree(comm, status);
    }
    pen_lines_free(&lines);
    pen_oracle_free(&s);
    PEN_TRY(status);
    *differences = c.differences;
    PEN_TRY(pen_broadcast(comm, differences, (int)sizeof *differences, 0));
    PEN_TRY(pen_broadcast(comm, message, (int)size, 0));
    return PEN_OK;
}

pen_status pen_run_verify(pen_run *run, int64_t *differences, char *message, size_t size)
{
    PEN_WITHIN("pen_run_verify");
    PEN_TRY(pen_run_ready(run, "pen_run_verify"));
    pen_status given = pen_given(differences, "the number of differences");
    if (given == PEN_OK) given = pen_given(message, "the message");
    PEN_TRY(pen_agree(run->comm, given));
    PEN_ARGUMENT(pen_has_lines(run->app), "%s: --verify needs an application with members or a print function",
                 run->app->name);
    PEN_ARGUMENT(size >= 1 && size <= INT_MAX, "a message of %zu bytes, must be 1..%d", size, INT_MAX);
    if (run->changed.put)
        return pen_fail(
            PEN_ERR_UNSUPPORTED,
            "%s: records or changes of the graph were put from outside, which a serial computation cannot repeat",
            run->app->name);
    if (run->phase > 0) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: no verification within a step", run->app->name);
    if (run->changed.with_changes > 0 && !run->graph.first)
        return pen_fail(PEN_ERR_UNSUPPORTED,
                        "%s: the graph has changed, and the run was created or loaded without .verify", run->app->name);
    const pen_input_files *files = pen_input_files_of(run);
    if (files) PEN_TRY(pen_input_files_check(files)); /* a resumed run may have no input files */
    pen_graph *now = NULL;
    if (run->graph.nodes > 0) PEN_TRY(pen_run_graph(run, &now));
    pen_status status = compare(run, run->graph.first ? run->graph.first : now, now, differences, message, size);
    pen_graph_destroy(&now);
    return status;
}
