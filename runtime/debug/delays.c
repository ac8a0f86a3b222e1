/* delays.c - reads a file of delays, and delays the end of pulls by the producers' messages. */
#include "debug/delays.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text_file.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

enum { MOST_WORDS = 4, LONGEST = 1023, TAG = 97 };
static const double MOST_SECONDS = 60.0;

typedef struct reader {
    const char *path;
    int64_t line;
    int rank, ranks;
    pen_delay *from; /* [ranks] */
} reader;

static pen_status bad(const reader *r, const char *what, const char *word)
{
    return pen_fail(PEN_ERR_INPUT, "network delay %s:%" PRId64 ": %s, found \"%.60s\"", r->path, r->line, what, word);
}

static pen_status read_rank(const reader *r, const char *word, int64_t *rank)
{
    *rank = -1;
    if (strcmp(word, "*") == 0) return PEN_OK;
    if (pen_parse_int(word, rank) && *rank >= 0 && *rank < r->ranks) return PEN_OK;
    char what[80];
    snprintf(what, sizeof what, "a rank must be * or from 0 to %d", r->ranks - 1);
    return bad(r, what, word);
}

static pen_status read_seconds(const reader *r, const char *word, double *seconds)
{
    if (pen_parse_real(word, seconds) && *seconds >= 0.0 && *seconds <= MOST_SECONDS) return PEN_OK;
    return bad(r, "seconds must be from 0 to 60", word);
}

/* Read a line. The text is cut up. */
static pen_status read_line(const reader *r, char *line)
{
    char *words[MOST_WORDS + 1] = { NULL }, *rest = NULL;
    int64_t from, to;
    pen_delay delay = { 0.0, 0.0 };
    int count = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *w = strtok_r(line, " \t\r", &rest); w && count <= MOST_WORDS; w = strtok_r(NULL, " \t\r", &rest))
        words[count++] = w;
    if (count == 0) return PEN_OK;
    if (count < 3) return bad(r, "a line is FROM TO SECONDS [SECONDS_PER_BYTE]", words[count - 1]);
    if (count > MOST_WORDS) return bad(r, "nothing may follow", words[MOST_WORDS]);
    PEN_TRY(read_rank(r, words[0], &from));
    PEN_TRY(read_rank(r, words[1], &to));
    if (from >= 0 && from == to) return bad(r, "a rank sends no messages to itself", words[1]);
    PEN_TRY(read_seconds(r, words[2], &delay.seconds));
    if (words[3]) PEN_TRY(read_seconds(r, words[3], &delay.per_byte));
    if (to >= 0 && to != r->rank) return PEN_OK;
    for (int64_t p = from >= 0 ? from : 0; p <= (from >= 0 ? from : r->ranks - 1); p++) r->from[p] = delay;
    return PEN_OK;
}

static pen_status read_lines(reader *r, const char *text)
{
    char line[LONGEST + 1];
    for (const char *next = text; *next;) {
        size_t length = strcspn(next, "\n");
        r->line++;
        if (length > LONGEST) return bad(r, "a line has more than 1023 bytes", next);
        memcpy(line, next, length);
        line[length] = '\0';
        PEN_TRY(read_line(r, line));
        next += length + (next[length] == '\n');
    }
    return PEN_OK;
}

static pen_status create_local(const pen_comm *comm, const char *path, const char *text, pen_delays **delays)
{
    PEN_TRY(PEN_ALLOC_ZERO(delays, 1));
    PEN_TRY(PEN_ALLOC_ZERO(&(*delays)->from, comm->size));
    PEN_TRY(PEN_ALLOC(&(*delays)->sent, (int64_t)comm->size + 1));
    PEN_TRY(PEN_ALLOC(&(*delays)->requests, 2 * (int64_t)comm->size));
    return read_lines(&(reader){ path, 0, comm->rank, comm->size, (*delays)->from }, text);
}

pen_status pen_delays_create(pen_comm *comm, const char *path, pen_delays **delays)
{
    char *text = NULL;
    pen_delays *made = NULL;
    if (!comm->one_host) return pen_fail(PEN_ERR_ENVIRONMENT, "network delay %s: the ranks must be on one host", path);
    pen_status status = pen_text_load(comm, "network delay", path, &text);
    if (status == PEN_OK) status = pen_agree(comm, create_local(comm, path, text, &made));
    free(text);
    if (status == PEN_OK) *delays = made;
    else pen_delays_destroy(&made);
    return status;
}

void pen_delays_destroy(pen_delays **delays)
{
    if (!*delays) return;
    PEN_FREE_ALL((*delays)->from, (*delays)->sent, (*delays)->requests, *delays);
    *delays = NULL;
}

static const pen_delays *delays_of(const pen_halo *halo) { return (const pen_delays *)(const void *)halo->transport; }

static void send_begin(const pen_halo *halo)
{
    const pen_store *store = halo->store;
    const pen_delays *d = delays_of(halo);
    MPI_Request *request = d->requests;
    double *begun = &d->sent[store->comm->size];
    *begun = pen_seconds_now();
    for (int i = 0; i < store->producer_count; i++)
        PEN_STEP_MPI(MPI_Irecv(&d->sent[i], 1, MPI_DOUBLE, store->producers[i].rank, TAG, store->comm->mpi, request++));
    for (int i = 0; i < store->consumer_count; i++)
        PEN_STEP_MPI(MPI_Isend(begun, 1, MPI_DOUBLE, store->consumers[i].rank, TAG, store->comm->mpi, request++));
}

/* Wait until a time. The last part is polled, since a sleep until the very end returns late, by the system's wake-up
 * time. */
static void wait_until(double due)
{
    const double late = 1e-4;
    double left;
    while ((left = due - pen_seconds_now()) > 0.0) {
        double whole = floor(left - late);
        if (left > late) nanosleep(&(struct timespec){ (time_t)whole, (long)((left - late - whole) * 1e9) }, NULL);
        else sched_yield();
    }
}

static void wait_for_messages(const pen_halo *halo, uint64_t pull)
{
    const pen_store *store = halo->store;
    const pen_delays *d = delays_of(halo);
    double record = 0.0, due = 0.0;
    PEN_STEP_MPI(MPI_Waitall(store->producer_count + store->consumer_count, d->requests, MPI_STATUSES_IGNORE));
    for (int f = 0; f < store->field_count; f++)
        if (pull >> f & 1) record += (double)store->sizes[f];
    for (int i = 0; i < store->producer_count; i++) {
        const pen_partner *producer = &store->producers[i];
        const pen_delay *delay = &d->from[producer->rank];
        due = fmax(due, d->sent[i] + delay->seconds + delay->per_byte * record * producer->count);
    }
    wait_until(due);
}

static void begin(pen_halo *halo, uint64_t pull)
{
    if (pull) send_begin(halo);
    delays_of(halo)->inner->begin(halo, pull);
}

static void end(pen_halo *halo, uint64_t pull)
{
    delays_of(halo)->inner->end(halo, pull);
    if (pull) wait_for_messages(halo, pull);
}

const pen_transport *pen_delays_wrap(pen_delays *delays, const pen_transport *inner)
{
    delays->transport = *inner;
    delays->transport.begin = begin;
    delays->transport.end = end;
    delays->inner = inner;
    return &delays->transport;
}
