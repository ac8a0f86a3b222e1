#include "tests/bench/peer.h"

#include <mpi.h>
#include <stdlib.h>

enum { RECORD = 8, TAG = 7 };

static int compare_gids(const void *a, const void *b)
{
    const int64_t *x = *(const int64_t *const *)a, *y = *(const int64_t *const *)b;
    return (*x > *y) - (*x < *y);
}

/* The slots of the nodes that the other rank wants. */
static int find_sends(peer *p, const int64_t *gids)
{
    int other = 1 - p->rank;
    MPI_Sendrecv(&p->shadows, 1, MPI_INT32_T, other, TAG, &p->sends, 1, MPI_INT32_T, other, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    int64_t *wanted = malloc(((size_t)p->sends + 1) * sizeof *wanted);
    const int64_t **sorted = malloc(((size_t)p->owned + 1) * sizeof *sorted);
    p->send = malloc(((size_t)p->sends + 1) * sizeof *p->send);
    if (!wanted || !sorted || !p->send) return -1;
    MPI_Sendrecv(gids + p->owned, p->shadows, MPI_INT64_T, other, TAG, wanted, p->sends, MPI_INT64_T, other, TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int32_t i = 0; i < p->owned; i++) sorted[i] = &gids[i];
    qsort(sorted, (size_t)p->owned, sizeof *sorted, compare_gids);
    for (int32_t i = 0; i < p->sends; i++) {
        const int64_t *key = &wanted[i];
        const int64_t **found = bsearch(&key, sorted, (size_t)p->owned, sizeof *sorted, compare_gids);
        p->send[i] = (int32_t)(*found - gids);
    }
    free(wanted);
    free(sorted);
    return 0;
}

peer *peer_create(peer graph, const int64_t *gids, int doubles)
{
    peer *p = malloc(sizeof *p);
    if (!p) return NULL;
    *p = graph;
    MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p->size);
    if (p->size > 1 && find_sends(p, gids) < 0) return NULL;
    p->buffer = malloc(((size_t)p->sends + 1) * (size_t)doubles * sizeof *p->buffer);
    for (int i = 0; i < PEER_PLANES; i++) {
        p->planes[i] = calloc((size_t)(p->owned + p->shadows) * (size_t)doubles, sizeof *p->planes[i]);
        if (!p->planes[i]) return NULL;
    }
    return p->buffer ? p : NULL;
}

void peer_destroy(peer *p)
{
    for (int i = 0; i < PEER_PLANES; i++) free(p->planes[i]);
    free(p->send);
    free(p->buffer);
    free(p);
}

static void start(peer *p, double *plane, int doubles, MPI_Request requests[2])
{
    if (p->size == 1) return;
    for (int32_t i = 0; i < p->sends; i++)
        for (int k = 0; k < doubles; k++) p->buffer[i * doubles + k] = plane[(int64_t)p->send[i] * doubles + k];
    MPI_Irecv(plane + (int64_t)p->owned * doubles, p->shadows * doubles, MPI_DOUBLE, 1 - p->rank, TAG, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Isend(p->buffer, p->sends * doubles, MPI_DOUBLE, 1 - p->rank, TAG, MPI_COMM_WORLD, &requests[1]);
}

static void finish(const peer *p, MPI_Request requests[2])
{
    if (p->size > 1) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

void peer_exchange(peer *p, double *plane, int doubles)
{
    MPI_Request requests[2];
    start(p, plane, doubles, requests);
    finish(p, requests);
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/* ---- Loops ------------------------------------------------------------------------------------ */

static void mean(const peer *p, const double *restrict in, double *restrict out, int32_t first, int32_t end)
{
    const uint32_t *rows = p->rows;
    const int32_t *columns = p->columns;
    for (int32_t i = first; i < end; i++) {
        double sum = 0.0;
        for (uint32_t k = rows[i]; k < rows[i + 1]; k++) sum += in[columns[k]];
        out[i] = rows[i + 1] > rows[i] ? sum / (int32_t)(rows[i + 1] - rows[i]) : in[i];
    }
}

void peer_mean(peer *p)
{
    MPI_Request requests[2];
    double *in = p->planes[0], *out = p->planes[1];
    mean(p, in, out, 0, p->boundary);
    start(p, out, 1, requests);
    mean(p, in, out, p->boundary, p->owned);
    finish(p, requests);
    swap(&p->planes[0], &p->planes[1]);
}

typedef struct record {
    double values[RECORD];
} record;

static void mean_of_records(const peer *p, const record *restrict in, record *restrict out, int32_t first, int32_t end)
{
    const uint32_t *rows = p->rows;
    const int32_t *columns = p->columns;
    for (int32_t i = first; i < end; i++) {
        record sum = { { 0.0 } };
        for (uint32_t k = rows[i]; k < rows[i + 1]; k++)
            for (int m = 0; m < RECORD; m++) sum.values[m] += in[columns[k]].values[m];
        for (int m = 0; m < RECORD; m++) out[i].values[m] = sum.values[m] / (int32_t)(rows[i + 1] - rows[i]);
    }
}

void peer_mean_of_records(peer *p)
{
    MPI_Request requests[2];
    record *in = (record *)p->planes[0], *out = (record *)p->planes[1];
    mean_of_records(p, in, out, 0, p->boundary);
    start(p, p->planes[1], RECORD, requests);
    mean_of_records(p, in, out, p->boundary, p->owned);
    finish(p, requests);
    swap(&p->planes[0], &p->planes[1]);
}

static void move(const peer *p, double *restrict u, const double *restrict v, int32_t first, int32_t end)
{
    for (int32_t i = first; i < end; i++) u[i] = u[i] + 0.5 * v[i];
}

void peer_wave(peer *p)
{
    MPI_Request requests[2];
    const uint32_t *rows = p->rows;
    const int32_t *columns = p->columns;
    double *restrict u = p->planes[0], *restrict v = p->planes[1];
    for (int32_t i = 0; i < p->owned; i++) {
        double here = u[i], sum = 0.0;
        for (uint32_t k = rows[i]; k < rows[i + 1]; k++) sum += u[columns[k]] - here;
        v[i] = v[i] + 0.5 * (rows[i + 1] > rows[i] ? sum / (int32_t)(rows[i + 1] - rows[i]) : 0.0);
    }
    move(p, u, v, 0, p->boundary);
    start(p, u, 1, requests);
    move(p, u, v, p->boundary, p->owned);
    finish(p, requests);
}

static double multiply(const peer *p, const double *restrict in, double *restrict out, int32_t first, int32_t end)
{
    const uint32_t *rows = p->rows;
    const int32_t *columns = p->columns;
    double product = 0.0;
    for (int32_t i = first; i < end; i++) {
        double sum = 0.0;
        for (uint32_t k = rows[i]; k < rows[i + 1]; k++) sum += in[columns[k]];
        out[i] = ((int32_t)(rows[i + 1] - rows[i]) + 0.1) * in[i] - sum;
        product += in[i] * out[i];
    }
    return product;
}

/* The sum of the terms that the ranks have. */
static double total(double mine)
{
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return mine;
}

void peer_cg(peer *p)
{
    double *restrict x = p->planes[0], *restrict r = p->planes[1], *restrict d = p->planes[2],
                     *restrict q = p->planes[3];
    double before = p->sum, mine = 0.0;
    peer_exchange(p, d, 1);
    double length = before / total(multiply(p, d, q, 0, p->owned));
    for (int32_t i = 0; i < p->owned; i++) {
        x[i] += length * d[i];
        r[i] -= length * q[i];
        mine += r[i] * r[i];
    }
    p->sum = total(mine);
    double factor = p->sum / before;
    for (int32_t i = 0; i < p->owned; i++) d[i] = r[i] + factor * d[i];
}
