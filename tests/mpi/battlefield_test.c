/* battlefield_test - a battle has, bit for bit, the serial result (battlefield_oracle.h), and the same table step by
 * step: for every transport with every balancer, with random migrations, crowded, empty, one-sided. Assets and units
 * are conserved over many steps; if they are not, the run ends with an error. The argument is a folder with
 * plug-ins.
 * pen_mpi_test(ARGUMENTS ${CMAKE_BINARY_DIR}/lib LINK pen_battlefield) */
#include "apps/battlefield/battlefield.h"
#include "balance/registry.h"
#include "balancing/balance.h"
#include "halo/connect.h"
#include "observables/series.h"
#include "run/state.h"
#include "tests/mpi/battlefield_oracle.h"
#include "tests/support/world.h"

#include <unistd.h>

typedef struct battle_case {
    const char *name;
    const char *text; /* NULL: the built-in scenario of that name */
    int width, height, steps;
    int least_units; /* some hex holds so many of a side at some time */
    bool fighting;   /* something is destroyed */
} battle_case;

static const battle_case cases[] = {
    { "meeting", NULL, 14, 11, 30, 2, true },
    { "breakthrough", NULL, 17, 13, 30, 2, true },
    { "encirclement", NULL, 20, 15, 30, 4, true },
    { "scatter", NULL, 12, 12, 30, 1, true },
    { "no units", "red command at 1,1\nterrain hill at 0,0 to 3,3\n", 6, 5, 4, 0, false },
    { "one side", "red command at 0,0\nred objective at 5,4\nred armour 3 assets 10 at 0,0 to 1,4\n", 6, 5, 25, 3,
      false },
    { "one hex", "red armour 6 assets 300 at 1,1\nblue infantry 6 assets 300 at 1,1\n", 3, 3, 60, 6, true },
    { "one hex at all", "red artillery 6 assets 300 at 0,0\nblue infantry 6 assets 300 at 0,0\n", 1, 1, 20, 6, true },
    { "crowding",
      "red command at 0,0\nred objective at 5,5\nred armour 4 assets 100 at 0,0 to 9,9\n"
      "blue command at 9,9\nblue objective at 5,5 from 10\nblue infantry 2 assets 100 at 0,5 to 9,9\n",
      10, 10, 60, 6, true },
    { "a command lost",
      "red command at 2,2\nred objective at 11,2\nred infantry 1 assets 500 at 3,2 to 6,4\nred infantry 1 assets 20 at "
      "2,2\n"
      "blue command at 11,0\nblue objective at 2,2\nblue armour 4 assets 900 at 0,1 to 1,3\n",
      12, 5, 40, 2, true },
    { "artillery over water",
      "terrain water at 4,0 to 4,7\nred artillery 2 assets 900 at 3,0 to 3,7\nblue infantry 2 assets 900 at 5,0 to "
      "5,7\n",
      9, 8, 20, 2, true },
};

/* ---- A battle of a case --------------------------------------------------------------------- */

static char scenario_file[256];

/* The case's text where .setup finds it. */
static void prepare(const battle_case *c, battle *b)
{
    *b = (battle){ BATTLE_DEFAULT };
    b->seed = 7;
    b->name = c->text ? scenario_file : c->name;
    if (c->text) write_text(scenario_file, c->text);
}

static void compute_truth(const battle_case *c, const battle *b, oracle *o, oracle_totals *table)
{
    *o = oracle_create(&b->plan);
    int64_t destroyed = 0;
    for (int i = 0; i < c->steps; i++) {
        oracle_step(o);
        table[i] = o->totals;
        for (int side = 0; side < SIDES; side++) {
            CHECK_INT(o->totals.assets[side] + o->totals.destroyed[side], b->plan.assets[side]);
            CHECK_INT(o->totals.units[side] + o->totals.eliminated[side], b->plan.units[side]);
            destroyed += o->totals.destroyed[side];
        }
    }
    CHECK(o->most_units <= CAPACITY);
    CHECK(o->most_units >= c->least_units);
    CHECK_INT(destroyed > 0, c->fighting);
}

static void compare_hex(const oracle_hex *h, const troops *own, const presence *here, const ledger *books)
{
    for (int side = 0; side < SIDES; side++) {
        CHECK_INT(own->count[side], h->own.count[side]);
        CHECK_INT(memcmp(own->units[side], h->own.units[side], h->own.count[side] * sizeof(unit)), 0);
        CHECK_INT(books->destroyed[side], h->books.destroyed[side]);
        CHECK_INT(books->eliminated[side], h->books.eliminated[side]);
        CHECK_INT(here->assets[side], h->here.assets[side]);
        CHECK_INT(here->units[side], h->here.units[side]);
    }
    CHECK_INT(books->engaged, h->books.engaged);
    CHECK_INT(books->holder, h->books.holder);
}

static void compare_table(const pen_run *run, const oracle_totals *table, int64_t steps)
{
    CHECK_INT(pen_series_of(run)->count, steps / pen_series_of(run)->stride);
    for (int64_t m = 0; m < pen_series_of(run)->count; m++) {
        const int64_t *found = pen_series_of(run)->values + m * OBSERVABLES;
        int64_t s = (m + 1) * pen_series_of(run)->stride - 1;
        for (int side = 0; side < SIDES; side++) {
            CHECK_INT(found[ASSETS + side], table[s].assets[side]);
            CHECK_INT(found[DESTROYED + side], table[s].destroyed[side]);
            CHECK_INT(found[UNITS + side], table[s].units[side]);
            CHECK_INT(found[ELIMINATED + side], table[s].eliminated[side]);
            CHECK_INT(found[HELD + side], table[s].held[side]);
        }
        CHECK_INT(found[IN_COMBAT], table[s].in_combat);
        CHECK_INT(found[UNITS_ENGAGED], table[s].engaged);
    }
}

static void compare(const pen_run *run, const oracle *o, const oracle_totals *table)
{
    pen_local local = pen_run_local(run);
    int64_t count = local.count;
    for (pen_lid i = 0; i < local.count; i++)
        compare_hex(&o->hexes[local.gids[i]], &((const troops *)local.fields[TROOPS])[i],
                    &((const presence *)local.fields[PRESENCE])[i], &((const ledger *)local.fields[LEDGER])[i]);
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(count, o->count);
    compare_table(run, table, o->step);
}

/* A field is pulled once in a step, if a phase reads it from neighbours that has not the same values already. */
_Static_assert(sizeof(ground) + sizeof(presence) + sizeof(report) + sizeof(command) + sizeof(fire) + sizeof(shells) +
                       sizeof(relay) + sizeof(troops) + sizeof(ledger) + sizeof(proposals) + sizeof(acceptance) ==
                   668,
               "tests/bench/battlefield.sh knows this");

static void compare_bytes(const pen_run *run)
{
    int64_t read = sizeof(presence) + sizeof(report) + sizeof(fire) + sizeof(shells) + sizeof(relay) + sizeof(troops) +
                   sizeof(proposals) + sizeof(acceptance);
    int64_t wanted = run->step * run->store->shadows * read;
    CHECK_INT(run->halo->bytes, wanted);
}

/* ---- Ways of running ------------------------------------------------------------------------ */

typedef struct way {
    const char *transport, *partitioner;
    int balancer;
    uint64_t migrates; /* seed of random migrations, 0: none */
} way;

/* The folder of pairwise.so is main's argument. */
static char plugin[400];
static const char *const balancers[] = { "none",         "central", "central:published",
                                         "diffusive",    "metis",   "scotch",
                                         "scotch:remap", "minex",   "pagrid",
                                         "rcb",          "sfc",     plugin };
enum { BALANCERS = PEN_COUNT_OF(balancers) };
static int64_t moved[BALANCERS]; /* nodes, by each */

static void run_way(const battle_case *c, const pen_app *app, const pen_graph *graph, const oracle *o,
                    const oracle_totals *table, way w)
{
    pen_run *run = NULL;
    const pen_run_options options = { .partitioner = w.partitioner,
                                      .transport = w.transport,
                                      .steps = c->steps,
                                      .balance = { balancers[w.balancer], "every:3:always", .load = PEN_LOAD_DECLARED },
                                      .debug.tests = &(pen_test_options){ .migrate_seed = w.migrates,
                                                                          .migrate_part = w.migrates ? 0.1 : 0.0 } };
    int failures = check_failures;
    pen_status status = pen_run_create(MPI_COMM_WORLD, graph, app, &options, &run);
    if (status == PEN_ERR_ENVIRONMENT) {
        check_leave_out("--comm=%s: %s", w.transport, pen_error_message());
        return;
    }
    CHECK_STATUS(status, PEN_OK);
    if (status != PEN_OK) return;
    CHECK_STATUS(pen_run_steps(run, c->steps), PEN_OK);
    compare(run, o, table);
    if (!w.migrates && w.balancer == 0) compare_bytes(run);
    for (int64_t i = 0; pen_balance_of(run) && i < pen_balance_of(run)->steer.call_count; i++)
        moved[w.balancer] += pen_balance_of(run)->steer.calls[i].evaluation.moved;
    if (check_failures > failures && failures < 10)
        fprintf(stderr, "    in: %s, --comm=%s --balancer=%s --partitioner=%s, migrations %d\n", c->name, w.transport,
                balancers[w.balancer], w.partitioner, (int)w.migrates);
    pen_run_destroy(&run);
}

/* Call `test` with the case's graph, application and truth. */
typedef void test_fn(const battle_case *c, const pen_app *app, const pen_graph *graph, const oracle *o,
                     const oracle_totals *table);

static void with_case(const battle_case *c, test_fn *test)
{
    battle b, truth;
    pen_graph *graph = NULL;
    oracle o;
    prepare(c, &b);
    truth = b;
    oracle_totals *table = malloc((size_t)c->steps * sizeof *table);
    pen_app app = pen_battlefield_app(&b);
    const char *wrong = app.setup(&truth, &(pen_world){
                                              .nodes = c->width * c->height, .width = c->width, .height = c->height });
    if (wrong) fprintf(stderr, "%s\n", wrong);
    CHECK(!wrong);
    CHECK_STATUS(generate_hex(MPI_COMM_WORLD, c->width, c->height, &graph), PEN_OK);
    compute_truth(c, &truth, &o, table);
    test(c, &app, graph, &o, table);
    oracle_free(&o);
    pen_scenario_free(&truth.plan);
    pen_scenario_free(&b.plan);
    pen_graph_destroy(&graph);
    free(table);
}

static void test_ways(const battle_case *c, const pen_app *app, const pen_graph *graph, const oracle *o,
                      const oracle_totals *table)
{
    static const char *const partitioners[] = { "metis", "random:seed=3", "block" };
    int turn = (int)(c - cases);
    int every = c->text ? 8 : 4; /* the built-in scenarios share all ways among them, the corner cases some */
    for (int t = 0; pen_transports[t]; t++)
        for (int b = 0; b < BALANCERS; b++) {
            way w = { pen_transports[t]->name, b ? "block" : partitioners[t % 3], b, 0 };
            if (b == 0) w.migrates = (uint64_t)((t / 4 + turn) % 2);
            if ((t + b) % every == turn % every) run_way(c, app, graph, o, table, w);
        }
}

static void test_long(const battle_case *c, const pen_app *app, const pen_graph *graph, const oracle *o,
                      const oracle_totals *table)
{
    run_way(c, app, graph, o, table, (way){ "shared", "metis", 0, 5 });
}

/* ---- A battle that breaks the law ----------------------------------------------------------- */

static pen_sweep_fn *right_march;

/* Units that march into hex 7 after the fourth step vanish. */
static void wrong_march(const pen_view *v)
{
    right_march(v, v->slot + 1);
    if (pen_id(v) != 7 || pen_step(v) < 4) return;
    PEN_NEXT(v, TROOPS, troops)->count[RED] = 0;
    PEN_NEXT(v, PRESENCE, presence)->assets[RED] = 0;
    PEN_NEXT(v, PRESENCE, presence)->units[RED] = 0;
}

static void test_violation(const battle_case *c, const pen_app *app, const pen_graph *graph, const oracle *o,
                           const oracle_totals *table)
{
    pen_phase phases[16];
    pen_app broken = *app;
    memcpy(phases, app->phases.list, (size_t)app->phases.count * sizeof *phases);
    broken.phases.list = phases;
    pen_phase *march = &phases[app->phases.count - 1];
    right_march = march->sweep;
    march->node = wrong_march;
    march->sweep = NULL;
    pen_run *run = run_with(graph, &broken, NULL);
    CHECK_STATUS(pen_run_steps(run, 4), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, c->steps), PEN_ERR_CHECK);
    CHECK_CONTAINS(pen_error_message(), "not conserved: red began with");
    CHECK_INT(run->step, pen_series_of(run)->count);
    pen_run_destroy(&run);
}

CHECKS()
{
    int size, process = (int)getpid();
    const pen_costs cheap = { .copy_record = 0.0 }; /* of gets: stretches are not joined over gaps, whatever the load */
    pen_costs_assumed = &cheap;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(plugin, sizeof plugin, "%s/pairwise.so", argc > 1 ? argv[1] : ".");
    for (int i = 0; pen_balancer_name(i); i++) { /* none is forgotten */
        int b = 0;
        while (b < BALANCERS && strcmp(balancers[b], pen_balancer_name(i)) != 0) b++;
        CHECK(b < BALANCERS);
    }
    snprintf(scenario_file, sizeof scenario_file, "%s/battlefield_test.%d",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", process);
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) RUN(with_case(&cases[i], test_ways));
    for (int b = 1; b < BALANCERS && size > 1 && check_all_cases(); b++) {
        if (moved[b] == 0) fprintf(stderr, "--balancer=%s moves nothing\n", balancers[b]);
        CHECK(moved[b] > 0);
    }
    for (int i = 0; i < SCENARIOS && size == 3; i++)
        RUN(with_case(&(battle_case){ pen_scenario_texts[i].name, NULL, 13, 11, 300, 1, true }, test_long));
    const char *text = "red command at 0,0\nred objective at 7,0\nred armour 2 assets 10 at 0,0\n";
    RUN(with_case(&(battle_case){ "marching", text, 8, 1, 30, 1, false }, test_violation));
    if (check_rank() == 0) unlink(scenario_file);
    pen_costs_assumed = NULL;
}
