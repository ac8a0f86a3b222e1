/* machine.c - what partitioners and balancers make of processors that differ, and of networks, on virtual ranks.
 *
 *     machine_bench [--case=shares|network] [--width=N]
 *
 * shares: processors of speeds 1 and 3 by turns, a square of N x N hexagons: how far the parts of every partitioner and
 * balancer are from their shares, two-sided. network: four clusters, an edge between them costs 30; METIS's partition
 * that knows nothing of it, then a hot disc that crosses the square, followed by the diffusive balancer with the
 * machine and without, and mapped anew by Scotch. The time of a step is estimated here, by plain sums: load / speed,
 * and weight times cost of all edges that a rank has cut. */
#include "view/machine.h"
#include "balance/partitioners.h"
#include "rebalance/balancers.h"
#include "tests/bench/bench.h"
#include "tests/bench/virtual.h"

#include <math.h>
#include <stdlib.h>

enum { RANKS = 16 };

/* ---- Shares ------------------------------------------------------------------------------------ */

static void share_out(int width, const char *spec)
{
    static const struct {
        const pen_balancer *balancer;
        const char *settings; /* those that work by the time of a step are told that communication takes none */
    } balancers[] = { { &pen_balancer_central, "" },      { &pen_balancer_diffusive, "" },
                      { &pen_balancer_metis, "" },        { &pen_balancer_scotch, "" },
                      { &pen_balancer_rcb, "" },          { &pen_balancer_sfc, "" },
                      { &pen_balancer_minex, "ratio=0" }, { &pen_balancer_pagrid, "ratio=0" } };
    pen_machine *machine;
    pen_graph *graph;
    char name[64];
    const char *partitioner;
    bench_require(pen_machine_generate(spec, RANKS, &machine), "machine");
    snprintf(name, sizeof name, "hex:%dx%d,coordinates", width, width);
    bench_require(pen_graph_generate(MPI_COMM_SELF, name, &graph), "graph");
    int32_t *part = malloc((size_t)width * (size_t)width * sizeof *part);
    for (int i = 0; (partitioner = pen_partition_name(i)) != NULL; i++) {
        pen_quality q;
        if (strcmp(partitioner, "file") == 0 || strcmp(partitioner, "one") == 0) continue;
        bool by_time = strcmp(partitioner, "minex") == 0 || strcmp(partitioner, "pagrid") == 0;
        snprintf(name, sizeof name, "%s%s", partitioner, by_time ? ":ratio=0" : ""); /* loads alone */
        if (pen_partition(graph, name, machine, RANKS, part) != PEN_OK) {
            printf("partitioner %-10s - %s\n", partitioner, pen_error_message());
            continue;
        }
        bench_require(pen_quality_of_graph(graph, machine, RANKS, part, &q), "quality");
        printf("partitioner %-10s %s: two-sided %.4f, cut %" PRId64 "\n", partitioner, spec, q.two_sided, q.cut);
    }
    free(part);
    pen_graph_destroy(&graph);
    for (int b = 0; b < PEN_COUNT_OF(balancers); b++) {
        const pen_balancer *balancer = balancers[b].balancer;
        pen_virtual_world w;
        bench_require(pen_virtual_hex(RANKS, width, width, &w), "world");
        w.machine = machine;
        for (int call = 0; call < 3; call++)
            bench_require(pen_virtual_world_balance(&w, balancer, balancers[b].settings, NULL, false, NULL),
                          balancer->name);
        pen_quality q = bench_measure(&w);
        printf("balancer %-13s %s: two-sided %.4f, cut %" PRId64 "\n", balancer->name, spec, q.two_sided, q.cut);
        pen_virtual_world_free(&w);
    }
    pen_machine_destroy(&machine);
}

/* ---- A network --------------------------------------------------------------------------------- */

static double estimate(const pen_virtual_world *w, const pen_machine *m)
{
    double times[RANKS] = { 0.0 }, most = 0.0;
    for (int32_t i = 0; i < w->nodes; i++) {
        int32_t here = w->owners[i];
        times[here] += w->loads[i] / m->speeds[here];
        for (uint32_t a = w->rows[i]; a < w->rows[i + 1]; a++)
            times[here] += (w->edge_weights ? (double)w->edge_weights[a] : 1.0) *
                           m->link(m, here, w->owners[w->columns[a]]).cost;
    }
    for (int r = 0; r < RANKS; r++) most = fmax(most, times[r]);
    return most;
}

typedef struct follower {
    const char *name, *settings;
    const pen_balancer *balancer;
    bool knows; /* the machine */
    pen_virtual_world world;
    double sum, moved;
} follower;

static void follow(int width, const char *spec, double radius)
{
    enum { CALLS = 10 };
    follower all[] = {
        { .name = "diffusive", .settings = "", .balancer = &pen_balancer_diffusive },
        { .name = "diffusive, machine", .settings = "", .balancer = &pen_balancer_diffusive, .knows = true },
        { .name = "Scotch, machine", .settings = "", .balancer = &pen_balancer_scotch, .knows = true }
    };
    pen_machine *machine;
    bench_require(pen_machine_generate(spec, RANKS, &machine), "machine");
    for (int k = 0; k < PEN_COUNT_OF(all); k++) {
        double seconds;
        follower *f = &all[k];
        bench_require(pen_virtual_hex(RANKS, width, width, &f->world), "world");
        bench_metis(&f->world, f->world.owners, &seconds);
        if (f->knows) f->world.machine = machine;
        for (int call = 0; call < CALLS; call++) {
            pen_virtual_outcome o;
            double along = (double)width * (call + 0.5) / CALLS;
            if (radius > 0.0) bench_heat_disc(&f->world, width, along, along, radius * width);
            bench_require(pen_virtual_world_balance(&f->world, f->balancer, f->settings, NULL, false, &o), f->name);
            f->sum += estimate(&f->world, machine) / CALLS;
            f->moved += 100.0 * (double)o.moved / f->world.nodes / CALLS;
        }
        pen_quality q = bench_measure(&f->world);
        printf("%s, radius %.2f: %-19s step %9.1f (%.3f of that without machine), moved %.1f %%, two-sided %.4f, cut "
               "at the "
               "end %" PRId64 "\n",
               spec, radius, f->name, f->sum, f->sum / all[0].sum, f->moved, q.two_sided, q.cut);
        pen_virtual_world_free(&f->world);
    }
    printf("%s, radius %.2f: diffusive with machine / without %.3f, / Scotch %.3f\n", spec, radius,
           all[1].sum / all[0].sum, all[1].sum / all[2].sum);
    pen_machine_destroy(&machine);
}

int main(int argc, char **argv)
{
    const char *name = "";
    int64_t width = 256;
    const pen_option options[] = {
        { "case", "NAME", "shares or network (both)", PEN_OPTION_TEXT, &name, 0, 0 },
        { "width", "N", "of the square of hexagons (256)", PEN_OPTION_INT, &width, 32, 1024 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    if (strcmp(name, "network") != 0) share_out((int)width, "flat,speeds=1:3");
    if (strcmp(name, "shares") != 0)
        for (int k = 0; k < 3; k++) follow((int)width, "clusters:4,between=30", 0.1 * k);
    MPI_Finalize();
    return 0;
}
