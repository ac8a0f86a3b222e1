/* connect.c - the table of transports, and the choice of a transport for a run. */
#include "halo/connect.h"
#include "base/options.h"
#include "halo/transports.h"

#include <math.h>

const pen_transport *const pen_transports[] = {
    &pen_transport_fence,      &pen_transport_pscw,     &pen_transport_passive,
    &pen_transport_shared,     &pen_transport_blocking, &pen_transport_overlap,
    &pen_transport_persistent, &pen_transport_neighbor, NULL,
};

/* Find a transport by its name. NULL: there is none, and the message for PEN_ERR_INPUT is recorded. */
static const pen_transport *find(const char *name)
{
    const char *names[sizeof pen_transports / sizeof pen_transports[0]];
    int count = 0;
    for (; pen_transports[count]; count++) {
        names[count] = pen_transports[count]->name;
        if (strcmp(names[count], name) == 0) return pen_transports[count];
    }
    names[count] = "auto";
    (void)pen_unknown_name("transport", name, names, count + 1);
    return NULL;
}

pen_status pen_transport_two_sided(const char *who, const char *name)
{
    bool automatic = name && strcmp(name, "auto") == 0;
    const char *wrong = "may choose a one-sided transport";
    if (!name) name = pen_transports[0]->name;
    if (!automatic) {
        const pen_transport *transport = find(name);
        if (!transport) return PEN_ERR_INPUT;
        if (!transport->one_sided) return PEN_OK;
        wrong = "sends no messages";
    }
    return pen_fail(PEN_ERR_INPUT, "%s needs a transport that sends messages, such as --comm=%s: %s %s", who,
                    pen_transport_overlap.name, name, wrong);
}

void pen_transport_list(FILE *out)
{
    for (int i = 0; pen_transports[i]; i++)
        fprintf(out, "%-12s %-10s %s\n", pen_transports[i]->name,
                pen_transports[i]->one_sided ? "one-sided" : "two-sided", pen_transports[i]->summary);
    fprintf(out, "%-12s %-10s %s\n", "auto", "",
            "the fastest of these on this machine, timed with pulls of this run's records");
}

/* Collective. Find the kind of window that the transport needs; PEN_WINDOW_NONE if it needs none, or none works. */
static pen_status probe(pen_store *store, const pen_transport *transport, pen_window_kind *kind)
{
    *kind = PEN_WINDOW_NONE;
    if (!transport->one_sided) return PEN_OK;
    const int64_t bytes = pen_halo_window_bytes(store, transport->by_load);
    return pen_environment_probe(store->comm, bytes, transport->by_load, kind);
}

/* Fences are reported if they take more than this many times as long as messages. */
static const double WORTH_TELLING = 2.0;

/* Collective, when the kind of window is known. `compares` as in costs.h. */
static pen_status open_halo(pen_store *store, const pen_transport *transport, pen_window_kind kind, bool compares,
                            pen_timers *timers, pen_halo **halo)
{
    pen_costs costs = { .copy_record = 0.0 };
    if (transport->one_sided && !transport->by_load) PEN_TRY(pen_costs_measure(store->comm, kind, compares, &costs));
    if (costs.fences > WORTH_TELLING * costs.messages && store->comm->rank == 0)
        pen_warn("between hosts a pull with fences takes %.1f times as long as with messages: --comm=auto finds the "
                 "fastest transport, --comm=fence keeps fences without this warning",
                 costs.fences / costs.messages);
    return pen_halo_create(store, transport, kind, &costs, timers, halo);
}

static void explain_costs(FILE *out, const char *where, const pen_get_cost *cost)
{
    if (cost->latency > 0.0 || cost->per_byte > 0.0)
        fprintf(out, "comm        a get from %s: %.3f us and %.3f ns per byte\n", where, 1e6 * cost->latency,
                1e9 * cost->per_byte);
}

static pen_status explain_plan(const pen_halo *halo, FILE *out)
{
    const pen_store *store = halo->store;
    enum { PULLED, STRETCHES, GETS, JOINED, PACKED, PRODUCERS, COUNT };
    int64_t sums[COUNT] = { [PULLED] = store->shadows, [PRODUCERS] = store->producer_count };
    for (int i = 0; i < store->producer_count; i++) {
        const pen_producer *producer = &halo->producers[i];
        sums[STRETCHES] += producer->stretch_count;
        sums[GETS] += producer->packed ? 1 : producer->fetch_count;
        sums[JOINED] += producer->packed ? 0 : producer->stretch_count - producer->fetch_count;
        sums[PACKED] += producer->packed;
    }
    PEN_TRY(pen_all_reduce(store->comm, MPI_IN_PLACE, sums, COUNT, MPI_INT64_T, MPI_SUM));
    if (store->comm->rank != 0) return PEN_OK;
    explain_costs(out, "this host", &halo->costs.local);
    explain_costs(out, "another host", &halo->costs.remote);
    if (halo->costs.messages > 0.0)
        fprintf(out, "comm        a small pull from another host: %.3f us with fences, %.3f us with messages\n",
                1e6 * halo->costs.fences, 1e6 * halo->costs.messages);
    fprintf(out, "comm        %s: %" PRId64 " shadows in %" PRId64 " segments from %" PRId64 " neighbours",
            halo->transport->name, sums[PULLED], sums[STRETCHES], sums[PRODUCERS]);
    if (halo->transport->one_sided)
        fprintf(out, "; %" PRId64 " gets per field, %" PRId64 " segments joined over gaps, %" PRId64 " neighbours pack",
                sums[GETS], sums[JOINED], sums[PACKED]);
    fputc('\n', out);
    return PEN_OK;
}

/* Rewrite the records that other ranks pull, with the same values. Otherwise they would lie in the reader's cache, and
 * a pull would take half of its time in a run. */
static void rewrite(const pen_halo *halo, uint64_t reads)
{
    const pen_store *store = halo->store;
    for (int f = 0; f < store->field_count; f++) {
        if (!(reads >> f & 1)) continue;
        volatile unsigned char *records = pen_halo_next(halo, f, 0);
        int64_t bytes = (int64_t)store->boundary * (int64_t)store->sizes[f];
        for (int64_t at = 0; at < bytes; at += PEN_CACHE_LINE) records[at] = records[at];
    }
}

/* Measure the seconds of a pull on this rank, the mean of `count` pulls. Afterwards the planes are as before. */
static double idle_pulls(pen_halo *halo, uint64_t reads, int count)
{
    double seconds = 0.0;
    for (int i = 0; i < count; i++) {
        rewrite(halo, reads);
        double start = pen_seconds_now();
        halo->transport->begin(halo, reads);
        halo->transport->end(halo, reads);
        seconds += pen_seconds_now() - start;
        pen_store_swap_planes(halo->store, reads);
    }
    if (count % 2 != 0) pen_store_swap_planes(halo->store, reads);
    return seconds / count;
}

/* Collective. Seconds of a pull without computation, at the slowest rank; the best of some rounds, each
 * of about a millisecond. */
static pen_status time_pulls(pen_halo *halo, uint64_t reads, double *seconds)
{
    enum { ROUNDS = 7, FIRST = 10, MOST = 400 };
    int count = FIRST;
    *seconds = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        PEN_TRY(pen_barrier(halo->store->comm));
        double mine = idle_pulls(halo, reads, count), slowest;
        PEN_TRY(pen_all_reduce(halo->store->comm, &mine, &slowest, 1, MPI_DOUBLE, MPI_MAX));
        if (round > 0 && slowest < *seconds) *seconds = slowest; /* the first round warms up */
        double fitting = slowest > 0.0 ? 1e-3 / slowest : MOST;
        count = (int)fmin(fmax(fitting, FIRST), MOST);
    }
    return PEN_OK;
}

/* Collective. Seconds of a pull with a transport; < 0: it does not work here. */
static pen_status try_transport(pen_store *store, const pen_transport *transport, uint64_t reads, pen_timers *timers,
                                double *seconds)
{
    pen_window_kind kind;
    pen_halo *halo = NULL;
    *seconds = -1.0;
    PEN_TRY(probe(store, transport, &kind));
    if (transport->one_sided && kind == PEN_WINDOW_NONE) return PEN_OK;
    pen_status status = open_halo(store, transport, kind, false, timers, &halo);
    if (status == PEN_ERR_ENVIRONMENT || status == PEN_ERR_MPI) return PEN_OK; /* the ranks agree on this */
    if (status == PEN_OK) status = time_pulls(halo, reads, seconds);
    pen_halo_destroy(&halo);
    return status;
}

/* Collective. Choose the fastest transport; ignore those that do not work here. */
static pen_status choose(pen_store *store, uint64_t reads, pen_timers *timers, FILE *explain,
                         const pen_transport **fastest)
{
    double best = 1e30;
    *fastest = NULL;
    for (int i = 0; pen_transports[i]; i++) {
        const pen_transport *transport = pen_transports[i];
        double seconds;
        PEN_TRY(try_transport(store, transport, reads, timers, &seconds));
        if (explain && store->comm->rank == 0) {
            if (seconds >= 0.0)
                fprintf(explain, "comm        auto: %-10s %10.3f us per pull\n", transport->name, 1e6 * seconds);
            else fprintf(explain, "comm        auto: %-10s does not work here\n", transport->name);
        }
        if (seconds >= 0.0 && seconds < best) {
            best = seconds;
            *fastest = transport;
        }
    }
    return PEN_OK; /* two-sided transports always work */
}

pen_status pen_transport_compare(pen_store *store, const pen_transport *now, uint64_t reads, pen_timers *timers,
                                 double budget, pen_transport_times *times)
{
    const double start = pen_seconds_now();
    *times = (pen_transport_times){ .fastest = NULL };
    PEN_TRY(try_transport(store, now, reads, timers, &times->now));
    for (int i = 0; pen_transports[i] && times->now > 0.0; i++) {
        double seconds, spent = pen_seconds_now() - start, most;
        if (pen_transports[i] == now) continue;
        PEN_TRY(pen_all_reduce(store->comm, &spent, &most, 1, MPI_DOUBLE, MPI_MAX));
        if (most > budget) break;
        PEN_TRY(try_transport(store, pen_transports[i], reads, timers, &seconds));
        if (seconds < 0.0 || (times->fastest && seconds >= times->least)) continue;
        times->fastest = pen_transports[i];
        times->least = seconds;
    }
    return PEN_OK;
}

pen_status pen_connect(pen_store *store, const char *name, uint64_t reads, pen_timers *timers, FILE *explain,
                       pen_halo **halo)
{
    const pen_transport *transport;
    pen_window_kind kind;
    const bool named = name && strcmp(name, "auto") != 0;
    if (name && !named) PEN_TRY(choose(store, reads, timers, explain, &transport));
    else transport = find(name ? name : pen_transports[0]->name);
    if (!transport) return PEN_ERR_INPUT;
    PEN_TRY(probe(store, transport, &kind));
    pen_status status = PEN_OK;
    if (transport->one_sided && kind == PEN_WINDOW_NONE)
        status = pen_fail(PEN_ERR_ENVIRONMENT, "%s", pen_environment_reason());
    if (status == PEN_OK) status = open_halo(store, transport, kind, !name, timers, halo);
    if (status == PEN_ERR_ENVIRONMENT && named) return pen_fail(status, "--comm=%s: %s", name, pen_error_message());
    if (status == PEN_ERR_ENVIRONMENT) {
        if (store->comm->rank == 0)
            pen_warn("%s; running two-sided (--comm=%s)", pen_error_message(), pen_transport_overlap.name);
        status = open_halo(store, &pen_transport_overlap, PEN_WINDOW_NONE, false, timers, halo);
    }
    PEN_TRY(status);
    return explain ? explain_plan(*halo, explain) : PEN_OK;
}
