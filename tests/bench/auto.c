/* auto.c - is what --comm=auto chooses the fastest? Whole steps of the averaging sweep on every
 * transport that works here, and on auto's choice.
 *
 *     mpirun -n 2 auto_bench [--generate=GRAPH] [--partitioner=NAME] [--choices=N] [--samples=N]
 *
 * auto chooses several times. A round takes one sample of some milliseconds of every transport, in turn.
 * Printed is each transport's step, its ratio to the fastest one (median over the rounds), and how often
 * auto chose it; at the end the worst ratio among the choices. On two emulated hosts:
 *
 *     tests/support/fake_hosts.sh run mpirun --host nodeA:1,nodeB:1 -n 2 auto_bench */
#include "halo/connect.h"
#include "run/state.h"
#include "tests/bench/bench.h"

#include <stdlib.h>

enum { MAX_TRANSPORTS = 16 };

typedef struct variant {
    const pen_transport *transport;
    pen_run *run;
    double *seconds; /* [samples] per step */
    double median;
    int chosen;
} variant;

typedef struct bench {
    int64_t choices, samples, steps;
    const char *partitioner;
    variant variants[MAX_TRANSPORTS];
    int count;
} bench;

static double steps_take(const variant *v, int64_t steps) { return bench_steps(v->run, steps, v->transport->name); }

static void open_runs(bench *b, const pen_graph *graph)
{
    for (int t = 0; pen_transports[t] && b->count < MAX_TRANSPORTS; t++) {
        variant *v = &b->variants[b->count];
        pen_run_options options = { .partitioner = b->partitioner, .transport = pen_transports[t]->name };
        pen_status status = pen_run_create(MPI_COMM_WORLD, graph, &bench_app, &options, &v->run);
        if (status == PEN_ERR_ENVIRONMENT) continue; /* it does not work here */
        bench_require(status, options.transport);
        v->transport = pen_transports[t];
        v->seconds = bench_room(b->samples);
        b->count++;
    }
}

static void choose(bench *b, const pen_graph *graph)
{
    for (int64_t i = 0; i < b->choices; i++) {
        pen_run *run = NULL;
        pen_run_options options = { .partitioner = b->partitioner, .transport = "auto" };
        bench_require(pen_run_create(MPI_COMM_WORLD, graph, &bench_app, &options, &run), "auto");
        for (int t = 0; t < b->count; t++) b->variants[t].chosen += b->variants[t].transport == run->halo->transport;
        pen_run_destroy(&run);
    }
}

static void measure(bench *b)
{
    for (int t = 0; t < b->count; t++) (void)steps_take(&b->variants[t], 10);
    double fastest = 1.0;
    for (int t = 0; t < b->count; t++) {
        double seconds = steps_take(&b->variants[t], 10);
        if (seconds < fastest) fastest = seconds;
    }
    b->steps = 10 + (int64_t)(5e-3 / fastest);
    for (int64_t i = 0; i < b->samples; i++)
        for (int t = 0; t < b->count; t++) b->variants[t].seconds[i] = steps_take(&b->variants[t], b->steps);
}

static void report(bench *b, const char *generate)
{
    const variant *best = &b->variants[0];
    double worst = 0.0;
    for (int t = 0; t < b->count; t++) {
        b->variants[t].median = bench_summarize(b->variants[t].seconds, (int)b->samples).median;
        if (b->variants[t].median < best->median) best = &b->variants[t];
    }
    printf("%s, partitioner %s; %" PRId64 " samples of %" PRId64 " steps\n\n", generate, b->partitioner, b->samples,
           b->steps);
    printf("| us per step | min | median | max | over the fastest | chosen |\n|---|---|---|---|---|---|\n");
    for (int t = 0; t < b->count; t++) {
        const variant *v = &b->variants[t];
        bench_summary s = bench_summarize(v->seconds, (int)b->samples);
        double ratio = bench_ratios(v->seconds, best->seconds, (int)b->samples).median;
        printf("| %s | %.2f | %.2f | %.2f | %.3f | %d of %" PRId64 " |\n", v->transport->name, 1e6 * s.min,
               1e6 * s.median, 1e6 * s.max, ratio, v->chosen, b->choices);
        if (v->chosen && ratio > worst) worst = ratio;
    }
    printf("\nauto: at worst %.3f of the fastest\n", worst);
}

int main(int argc, char **argv)
{
    bench b = { .choices = 5, .samples = 21, .partitioner = "metis" };
    const char *generate = "hex:64x64";
    const pen_option options[] = {
        { "generate", "GRAPH", "the graph (hex:64x64)", PEN_OPTION_TEXT, &generate, 0, 0 },
        { "partitioner", "NAME", "how nodes are given to ranks (metis)", PEN_OPTION_TEXT, &b.partitioner, 0, 0 },
        { "choices", "N", "how often auto chooses (5)", PEN_OPTION_INT, &b.choices, 1, 1000 },
        { "samples", "N", "rounds (21)", PEN_OPTION_INT, &b.samples, 1, 100000 },
        { .name = NULL },
    };
    pen_graph *graph = NULL;
    bench_start(argc, argv, options);
    bench_require(pen_graph_generate(MPI_COMM_WORLD, generate, &graph), "graph");
    open_runs(&b, graph);
    choose(&b, graph);
    pen_graph_destroy(&graph);
    measure(&b);
    if (bench_rank == 0) report(&b, generate);
    for (int t = 0; t < b.count; t++) {
        pen_run_destroy(&b.variants[t].run);
        free(b.variants[t].seconds);
    }
    return MPI_Finalize();
}
