#include "tools/comm/contender.h"
#include "base/hash.h"
#include "halo/connect.h"
#include "store/create_store.h"

#include <stdlib.h>

const char *pen_contender_name(int i)
{
    int own = 0;
    while (pen_transports[own]) own++;
    return i < own ? pen_transports[i]->name : pen_petsc_sf_name(i - own);
}

/* ---- Opening and closing ---------------------------------------------------------------------- */

static pen_status open_transport(const char *name, comm_contender *c)
{
    PEN_TRY(pen_connect(c->store, name, PEN_FIELD(0), &c->timers, NULL, &c->halo));
    c->one_sided = c->halo->transport->one_sided;
    if (c->one_sided) return PEN_OK;
    return pen_agree(c->store->comm, pen_notices_create(c->halo, false, &c->notices));
}

static pen_status open_petsc(const char *name, comm_contender *c)
{
    c->one_sided = pen_petsc_sf_one_sided(name);
    PEN_TRY(pen_store_open(c->store, PEN_WINDOW_NONE, pen_store_window_bytes(c->store)));
    return pen_petsc_sf_create(c->store, name, &c->petsc);
}

pen_status pen_contender_open(pen_comm *comm, const comm_pattern *pattern, const char *name, size_t record,
                              comm_contender *c)
{
    *c = (comm_contender){ .name = name, .field = { "record", record } };
    bool own = false;
    for (int i = 0; pen_transports[i]; i++) own = own || strcmp(pen_transports[i]->name, name) == 0;
    pen_timers_start(&c->timers);
    pen_status status = pen_store_create(comm, pattern->graph, pattern->owner, PEN_ORDER_NATURAL, &c->field, 1,
                                         &c->store);
    if (status == PEN_OK) status = own ? open_transport(name, c) : open_petsc(name, c);
    if (status != PEN_OK) pen_contender_close(c);
    return status;
}

void pen_contender_close(comm_contender *c)
{
    pen_notices_free(&c->notices);
    pen_petsc_sf_destroy(&c->petsc);
    pen_halo_destroy(&c->halo);
    pen_store_destroy(&c->store);
}

/* ---- Steps ------------------------------------------------------------------------------------- */

static unsigned char *next_plane(const comm_contender *c) { return pen_store_plane(c->store, 0, 1); }

/* The boundary is written; exchange, and swap the planes. Ticks. */
static uint64_t exchange(comm_contender *c)
{
    uint64_t start = pen_ticks();
    if (c->petsc) {
        pen_petsc_sf_pull(c->petsc, next_plane(c), next_plane(c) + (size_t)c->store->owned * c->field.size);
    } else {
        c->halo->transport->begin(c->halo, PEN_FIELD(0));
        c->halo->transport->end(c->halo, PEN_FIELD(0));
    }
    uint64_t ticks = pen_ticks() - start;
    c->store->plane[0] ^= 1;
    c->step++;
    return ticks;
}

static double seconds_of(const comm_contender *c, uint64_t ticks, int steps)
{
    return pen_timers_scale(&c->timers) * (double)ticks / steps;
}

double pen_contender_pull(comm_contender *c, int steps)
{
    uint64_t ticks = 0;
    for (int i = 0; i < steps; i++) {
        memset(next_plane(c), (int)(c->step & 0x7f), (size_t)c->store->boundary * c->field.size);
        ticks += exchange(c);
    }
    return seconds_of(c, ticks, steps);
}

double pen_contender_idle(comm_contender *c, int steps)
{
    if (c->petsc) return 0.0;
    uint64_t start = pen_ticks();
    for (int i = 0; i < steps; i++) {
        if (c->one_sided) {
            c->halo->transport->begin(c->halo, 0);
            c->halo->transport->end(c->halo, 0);
        } else {
            pen_notices_send(c->halo, &c->notices);
            pen_notices_wait(&c->notices);
        }
    }
    return seconds_of(c, pen_ticks() - start, steps);
}

double pen_contender_copying(const comm_contender *c)
{
    return seconds_of(c, c->timers.ticks[PEN_TIME_COMMUNICATION_OVERHEAD], 1);
}

int64_t pen_contender_buffers(const comm_contender *c) { return c->halo ? pen_halo_buffer_bytes(c->halo) : -1; }

/* ---- Validation -------------------------------------------------------------------------------- */

/* Byte i of the record of a node in a step. */
static unsigned char stamp(pen_gid gid, int64_t step, size_t i)
{
    uint64_t word = pen_mix(pen_mix((uint64_t)gid) + (uint64_t)step + ((uint64_t)(i / 8) << 32));
    return (unsigned char)(word >> i % 8 * 8);
}

/* Collective. Exchange stamps; what came is looked at unless something was wrong before. */
static pen_status check_step(comm_contender *c, pen_status before)
{
    pen_store *store = c->store;
    size_t size = c->field.size;
    unsigned char *records = next_plane(c);
    int64_t step = c->step;
    for (pen_lid slot = 0; slot < store->boundary; slot++)
        for (size_t i = 0; i < size; i++) records[(size_t)slot * size + i] = stamp(store->gids[slot], step, i);
    for (size_t at = (size_t)store->owned * size; at < (size_t)(store->owned + store->shadows) * size; at++)
        records[at] ^= 0x55;
    (void)exchange(c);
    for (pen_lid slot = store->owned; before == PEN_OK && slot < store->owned + store->shadows; slot++)
        for (size_t i = 0; i < size; i++)
            if (records[(size_t)slot * size + i] != stamp(store->gids[slot], step, i))
                return pen_fail(PEN_ERR_INTERNAL,
                                "%s, %zu bytes per record, step %" PRId64 ": node %" PRIgid
                                " came to rank %d as what its owner did not write",
                                c->name, size, step, store->gids[slot], store->comm->rank);
    return before;
}

pen_status pen_contender_check(comm_contender *c)
{
    enum { STEPS = 4 };
    pen_status status = PEN_OK;
    for (int i = 0; i < STEPS; i++) status = check_step(c, status);
    return pen_agree(c->store->comm, status);
}
