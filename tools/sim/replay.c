/* replay.c - pen-sim replay: replays a workload record with any balancer, on any number of ranks and any machine. */
#include "base/memory.h"
#include "partition/partition.h"
#include "tools/common/order.h"
#include "tools/common/start_mpi.h"
#include "tools/common/ticker.h"
#include "tools/sim/commands.h"
#include "tools/sim/replay_run.h"
#include "tools/sim/report.h"
#include "view/machine.h"
#include "view/network.h"

#include <math.h>
#include <stdlib.h>

/* The texts of a list, "a,b,c", in a copy of it. */
typedef struct list {
    char *text;
    char **items; /* [count] the texts */
    int count;
    int64_t room;
} list;

typedef struct choices {
    const char *file, *ranks, *balancers, *whens, *cost, *machine, *partitioner, *model, *comm, *metrics, *record,
        *format, *columns;
    double unit;
    int64_t repeat; /* number of replays of each row */
    int64_t hosts;
    list rank_list, balancer_list, when_list, column_list;
    int *rank_counts;       /* [rank_list.count] numbers of ranks */
    int *chosen;            /* [column_list.count] indices of the chosen columns in `columns` */
    pen_machine **machines; /* [rank_list.count] machines, each of which may be NULL */
    replay_model costs;
    int64_t steps; /* number of steps of the record */
    bool open;     /* the run could have taken more steps */
    sim_report report;
} choices;

/* All replays, which advance together, so that the record is read only once. */
typedef struct replays {
    pen_workload record;
    pen_workload_writer *copy; /* the record that is written; NULL: none */
    replay_mutual mutual;
    replay_run *runs; /* [count] replays by ranks, balancers, conditions and repeats */
    int count;
} replays;

/* ---- Lists ------------------------------------------------------------------------------------- */

static void free_list(list *l) { PEN_FREE_ALL(l->text, l->items); }

/* Whether an item is a setting, "key=value", which belongs to the name before it:
 * "diffusive:rounds=3,tolerance=0.1,metis" has two names. */
static bool is_setting(const char *item)
{
    size_t name = strcspn(item, "=:/,");
    return item[name] == '=';
}

static pen_status cut_list(const char *option, const char *text, list *l)
{
    PEN_TRY(pen_copy_text(text, &l->text));
    for (char *at = l->text; at;) {
        char *end = strchr(at, ',');
        while (end && is_setting(end + 1)) end = strchr(end + 1, ',');
        if (end) *end++ = '\0';
        if (!*at) return pen_fail(PEN_ERR_INPUT, "--%s=%s: an empty name in the list", option, text);
        PEN_TRY(pen_reserve(&l->items, sizeof *l->items, l->count + 1, &l->room));
        l->items[l->count++] = at;
        at = end;
    }
    return PEN_OK;
}

/* Whether an item begins with a flag of a balancer that has settings, such as "units" after "minex:scratch". */
static bool is_flag(const char *balancer, const char *item)
{
    const size_t length = strcspn(item, ",");
    pen_chosen_balancer chosen;
    if (!strchr(balancer, ':') || pen_balancer_open(balancer, &chosen) != PEN_OK) return false;
    const pen_setting *s = chosen.kind ? chosen.kind->settings : NULL;
    bool is = false;
    for (; s && s->name && !is; s++)
        is = s->kind == PEN_OPTION_FLAG && strlen(s->name) == length && strncmp(s->name, item, length) == 0;
    pen_balancer_close(&chosen);
    return is;
}

/* Join flags, which cut_list takes for names, with the balancers before them. */
static void join_flags(list *l)
{
    int count = 1;
    for (int i = 1; i < l->count; i++) {
        if (is_flag(l->items[count - 1], l->items[i])) l->items[i][-1] = ',';
        else l->items[count++] = l->items[i];
    }
    l->count = count;
}

static pen_status read_ranks(choices *c, int recorded)
{
    char own[16];
    snprintf(own, sizeof own, "%d", recorded);
    PEN_TRY(cut_list("ranks", c->ranks ? c->ranks : own, &c->rank_list));
    PEN_TRY(PEN_ALLOC(&c->rank_counts, c->rank_list.count));
    for (int i = 0; i < c->rank_list.count; i++) {
        int64_t ranks;
        if (!pen_parse_int(c->rank_list.items[i], &ranks) || ranks < 1 || ranks > 1 << 20)
            return pen_fail(PEN_ERR_INPUT, "--ranks=%s: numbers from 1 to %d, separated by commas", c->ranks, 1 << 20);
        c->rank_counts[i] = (int)ranks;
    }
    return PEN_OK;
}

static pen_status open_machines(choices *c)
{
    PEN_TRY(PEN_ALLOC_ZERO(&c->machines, c->rank_list.count));
    for (int i = 0; c->machine && i < c->rank_list.count; i++)
        PEN_TRY(pen_open_machine(c->machine, c->rank_counts[i], &c->machines[i]));
    return PEN_OK;
}

/* ---- The record -------------------------------------------------------------------------------- */

/* Read the record once: check it, count its steps, and fit the model to its times. */
static pen_status survey(choices *c)
{
    pen_workload w;
    PEN_TRY(pen_workload_open(c->file, &w));
    pen_status status = read_ranks(c, w.world.ranks);
    if (status == PEN_OK && c->cost && !w.world.declared)
        status = pen_fail(PEN_ERR_INPUT, "--balance-cost needs declared loads, but those of %s are measured", c->file);
    if (status == PEN_OK && !isnan(c->unit) && !w.world.declared)
        status = pen_fail(PEN_ERR_INPUT, "--unit needs declared loads, but those of %s are measured, in seconds",
                          c->file);
    if (status == PEN_OK) status = pen_replay_model_fit(&c->costs, &w, c->unit);
    c->steps = w.step - w.world.first;
    c->open = w.times.open;
    pen_workload_close(&w);
    return status;
}

/* Begin a world. The world of the first run with some number of ranks serves the other runs with that number, too. */
static pen_status begin_world(const choices *c, const replays *all, int i, int which, replay_world *world)
{
    const int same = all->count / c->rank_list.count * which;
    if (same < i) return pen_replay_world_copy(&all->runs[same].world, world);
    return pen_replay_world_create(&all->record, c->rank_counts[which], c->machines[which], c->partitioner, world);
}

static pen_status begin_run(const choices *c, replays *all, int i)
{
    const int whens = c->when_list.count, balancers = c->balancer_list.count, row = i / (int)c->repeat;
    const int which = row / (whens * balancers), ranks = c->rank_counts[which];
    replay_run *run = &all->runs[i];
    replay_world world;
    PEN_TRY(begin_world(c, all, i, which, &world));
    world.hosts = c->hosts < ranks ? (int)c->hosts : ranks;
    PEN_TRY(pen_replay_run_begin(&world, &all->mutual, &c->costs, c->balancer_list.items[row / whens % balancers],
                                 c->when_list.items[row % whens], c->cost, c->metrics != NULL, run));
    return pen_replay_balancer_reseed(&run->balancer, i % (int)c->repeat);
}

static pen_status begin_all(const choices *c, replays *all)
{
    pen_ticker_step("partitioning", c->file);
    all->count = c->rank_list.count * c->balancer_list.count * c->when_list.count * (int)c->repeat;
    PEN_TRY(PEN_ALLOC_ZERO(&all->runs, all->count));
    for (int i = 0; i < all->count; i++) PEN_TRY(begin_run(c, all, i));
    if (!c->record) return PEN_OK;
    return pen_workload_create(c->record, &all->record.world, &all->record.first, &all->copy);
}

static int64_t remaining(const choices *c, const pen_workload *w)
{
    if (w->step == w->world.first + c->steps && !c->open) return 0;
    return w->world.steps > 0 ? w->world.steps - w->step : INT64_MAX;
}

static pen_status step_all(const choices *c, replays *all)
{
    const pen_workload *w = &all->record;
    pen_ticker_bytes("replaying", c->file, w->step - w->world.first, c->steps);
    if (all->copy) PEN_TRY(pen_workload_write_step(all->copy, w->phase_loads ? w->phase_loads : w->loads));
    for (int i = 0; i < all->count; i++) PEN_TRY(pen_replay_run_step(&all->runs[i], remaining(c, w)));
    return PEN_OK;
}

static pen_status change_all(replays *all)
{
    if (all->copy) PEN_TRY(pen_workload_write_change(all->copy, &all->record.change));
    for (int i = 0; i < all->count; i++) PEN_TRY(pen_replay_run_change(&all->runs[i]));
    return PEN_OK;
}

static pen_status go(const choices *c, replays *all)
{
    pen_workload_event event = PEN_WORKLOAD_STEP;
    while (event != PEN_WORKLOAD_END) {
        PEN_TRY(pen_workload_next(&all->record, &event));
        if (event == PEN_WORKLOAD_CHANGE) PEN_TRY(change_all(all));
        if (event == PEN_WORKLOAD_STEP) PEN_TRY(step_all(c, all));
    }
    return PEN_OK;
}

/* ---- Results ----------------------------------------------------------------------------------- */

/* The columns of the table, of which the first three are not among the numbers. */
static const char columns[] =
    "ranks,balancer,when,ms/step,efficiency,work-only efficiency,work-only makespan,imbalance,worst,cut,calls,failed,"
    "applied,moved,rounds/call,exchanges/call,reductions/call,bytes/rank,most bytes,ms/call,seconds";

/* Columns of a text, which fits a terminal of 100 characters. */
static const char important[] = "ranks,balancer,when,ms/step,efficiency,work-only efficiency,imbalance,cut,calls,moved";

static const int decimals[] = { 6, 4, 4, 6, 4, 4, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 3, 6 };

enum { NUMBERS = PEN_COUNT_OF(decimals), MAKESPAN = 3 /* the index of "work-only makespan" among the numbers */ };

static pen_status numbers_of(replay_run *run, double numbers[NUMBERS])
{
    const replay_totals *a = &run->totals;
    const pen_steer *s = &run->steer;
    const double steps = (double)a->steps, plans = (double)a->planned;
    int64_t cut;
    PEN_TRY(pen_replay_run_cut(run, &cut));
    const double all[NUMBERS] = { 1e3 * a->seconds / steps,
                                  pen_replay_run_busy(run),
                                  pen_replay_run_efficiency(run),
                                  pen_steer_declared(s) ? s->makespan : a->max,
                                  a->imbalance / steps,
                                  a->most,
                                  (double)cut,
                                  (double)s->all.calls,
                                  (double)s->all.failed,
                                  (double)s->all.applied,
                                  (double)s->all.moved_nodes,
                                  (double)a->rounds / plans,
                                  (double)a->exchanges / plans,
                                  (double)a->reductions / plans,
                                  (double)a->bytes / plans / run->world.ranks,
                                  plans > 0.0 ? (double)a->max_bytes : NAN,
                                  1e3 * a->calls / (double)s->all.calls,
                                  run->clock };
    memcpy(numbers, all, sizeof all);
    return PEN_OK;
}

/* The tables: the median of each number over the repeats and, if there are several, its least and greatest value. */
typedef enum statistic { MEDIAN, LEAST, GREATEST } statistic;

/* Compute a statistic over the repeats that have the number. */
static pen_status pick(const double *numbers, int repeats, statistic s, double *picked)
{
    double *known;
    int count = 0;
    PEN_TRY(PEN_ALLOC(&known, repeats));
    for (int k = 0; k < repeats; k++)
        if (isfinite(numbers[(ptrdiff_t)k * NUMBERS])) known[count++] = numbers[(ptrdiff_t)k * NUMBERS];
    *picked = count > 0 ? pen_median(known, count) : NAN;
    if (count > 0 && s != MEDIAN) *picked = known[s == LEAST ? 0 : count - 1];
    free(known);
    return PEN_OK;
}

static pen_status add_row(sim_table *t, const replay_run *run, const double *numbers, int repeats, statistic s)
{
    pen_sim_table_number(t, 0, run->world.ranks);
    pen_sim_table_text(t, "%s", run->balancer.name);
    pen_sim_table_text(t, "%s", run->when);
    for (int k = 0; k < NUMBERS; k++) {
        const bool units = k == MAKESPAN && pen_steer_declared(&run->steer);
        double picked;
        PEN_TRY(pick(numbers + k, repeats, s, &picked));
        pen_sim_table_number(t, units ? 1 : decimals[k], picked);
    }
    return PEN_OK;
}

/* Describe the replay, for titles. */
static void describe(const choices *c, const replays *all, char *text, size_t size)
{
    const pen_workload_world *w = &all->record.world;
    char name[256], from[128] = "";
    const bool all_recorded = c->rank_list.count == 1 && c->rank_counts[0] == w->ranks;
    if (c->partitioner) snprintf(from, sizeof from, "; first partition: %.60s", c->partitioner);
    else if (!all_recorded)
        snprintf(from, sizeof from, "; first partition: metis, on %d rank%s the recorded one", w->ranks,
                 w->ranks == 1 ? "" : "s");
    pen_show(w->application, name, sizeof name);
    snprintf(text, size,
             "Replay of %.120s: %.40s, %" PRId64 " nodes, %" PRId64 " steps, %s loads, recorded on %d rank%s%s%s%.100s",
             c->file, name, all->runs[0].first_nodes, c->steps, w->declared ? "declared" : "measured", w->ranks,
             w->ranks == 1 ? "" : "s", from, c->machine ? "; machine " : "", c->machine ? c->machine : "");
}

static pen_status print_statistic(choices *c, replays *all, const double *numbers, statistic s)
{
    static const char *const names[] = { "medians", "least", "greatest" };
    const int repeats = (int)c->repeat;
    sim_table t;
    char text[512], title[600];
    describe(c, all, text, sizeof text);
    if (repeats > 1) snprintf(title, sizeof title, "%s; %s of %d repeats", text, names[s], repeats);
    pen_sim_table_begin(&t, repeats > 1 ? title : text, columns);
    pen_status status = PEN_OK;
    for (int i = 0; i < all->count && status == PEN_OK; i += repeats)
        status = add_row(&t, &all->runs[i], numbers + (ptrdiff_t)i * NUMBERS, repeats, s);
    if (status == PEN_OK && c->columns) status = pen_sim_table_choose(&t, c->chosen, c->column_list.count);
    return pen_sim_report_table(&c->report, &t, status);
}

static pen_status print_tables(choices *c, replays *all)
{
    double *numbers;
    PEN_TRY(PEN_ALLOC(&numbers, (int64_t)all->count * NUMBERS));
    pen_status status = PEN_OK;
    for (int i = 0; i < all->count && status == PEN_OK; i++)
        status = numbers_of(&all->runs[i], numbers + (ptrdiff_t)i * NUMBERS);
    for (int s = MEDIAN; s <= (c->repeat > 1 ? GREATEST : MEDIAN) && status == PEN_OK; s++)
        status = print_statistic(c, all, numbers, (statistic)s);
    free(numbers);
    return status;
}

static const char *const *counters_of(const replay_run *run)
{
    static const char *const none[] = { NULL };
    const pen_balancer *kind = run->balancer.chosen.kind;
    return kind && kind->counters ? kind->counters : none;
}

/* Print the counters of plug-ins in the first repeat; if there are none, no table. */
static pen_status print_counters(choices *c, const replays *all)
{
    sim_table t;
    bool any = false;
    for (int i = 0; i < all->count; i++) any = any || counters_of(&all->runs[i])[0];
    if (!any) return PEN_OK;
    pen_sim_table_begin(&t, "Counters of balancers", "ranks,balancer,when,counter,total,per call");
    for (int i = 0; i < all->count; i += (int)c->repeat) {
        const replay_run *run = &all->runs[i];
        const char *const *names = counters_of(run);
        for (int k = 0; names[k]; k++) {
            const double total = run->steer.all.counts[k];
            pen_sim_table_number(&t, 0, run->world.ranks);
            pen_sim_table_text(&t, "%s", run->balancer.name);
            pen_sim_table_text(&t, "%s", run->when);
            pen_sim_table_text(&t, "%s", names[k]);
            pen_sim_table_number(&t, 4, total);
            pen_sim_table_number(&t, 4, total / (double)run->totals.planned);
        }
    }
    return pen_sim_report_table(&c->report, &t, PEN_OK);
}

static void add_cost(sim_table *t, const char *what, double value, const char *unit, const char *source)
{
    pen_sim_table_text(t, "%s", what);
    pen_sim_table_number(t, 4, value);
    pen_sim_table_text(t, "%s", unit);
    pen_sim_table_text(t, "%s", source);
}

/* Whether the fit is so bad that predicted times mean little. With --unit there is no fit. */
static bool is_misfit(const choices *c) { return isnan(c->unit) && c->costs.misfit > 0.5; }

static pen_status print_costs(choices *c, const replays *all)
{
    const replay_model *m = &c->costs;
    const pen_workload *w = &all->record;
    const pen_machine *machine = c->machines[0];
    const char *pulls = "";
    char source[SIM_CELL] = "without --model: a host of 2 cores", recorded[SIM_CELL], title[80];
    sim_table t;
    if (c->model) snprintf(source, sizeof source, "%.20s, from --model", m->transport);
    snprintf(recorded, sizeof recorded, "the record, on %d rank%s", w->world.ranks, w->world.ranks == 1 ? "" : "s");
    if (machine)
        pulls = pen_network_of(machine)->record > 0 ? "the machine's, in seconds" : "times the machine's links";
    snprintf(title, sizeof title, "Costs that predictions rest on%s%s", machine ? "; in pulls " : "", pulls);
    pen_sim_table_begin(&t, title, "cost,value,unit,from");
    add_cost(&t, "node", 1e9 * m->node, "ns", m->work);
    add_cost(&t, "load", 1e9 * m->load, w->world.declared ? "ns per unit" : "ns per second", m->work);
    add_cost(&t, "misfit", 100.0 * m->misfit, "%",
             is_misfit(c) ? "much: use work-only columns" : "root mean square, of the times");
    add_cost(&t, "collinearity", m->collinearity, "", "nodes and loads; 1: not told apart");
    add_cost(&t, "message", 1e9 * m->message, "ns", source);
    add_cost(&t, "byte", 1e9 * m->byte, "ns", source);
    add_cost(&t, "synchronisation", 1e9 * m->sync, "ns per doubling of ranks", source);
    add_cost(&t, "recorded step", w->times.loop > 0.0 ? 1e3 * w->times.loop / (double)c->steps : NAN, "ms", recorded);
    return pen_sim_report_table(&c->report, &t, PEN_OK);
}

static void warn_of_misfit(const choices *c, bool declared)
{
    if (is_misfit(c))
        fprintf(stderr,
                "pen-sim: the fit explains little of the recorded times (misfit %.0f %%): do not rely on ms/step and "
                "efficiency; use the work-only columns%s\n",
                100.0 * c->costs.misfit, declared ? ", or --unit" : "");
}

/* Print the path of a metrics file, which contains the balancer's name; for a plug-in's path, only the part after the
 * last slash. */
static void print_metrics_path(const choices *c, const replay_run *run, char *path, size_t size)
{
    char name[256], when[64];
    const char *start = strrchr(run->balancer.name, '/');
    snprintf(name, sizeof name, "%s", start ? start + 1 : run->balancer.name);
    snprintf(when, sizeof when, "%s", run->when);
    for (char *at = name; *at; at++)
        if (strchr(":,=", *at)) *at = '_';
    for (char *at = when; *at; at++)
        if (*at == ':') *at = '-';
    snprintf(path, size, "%s-%s-%s-%d.json", c->metrics, name, when, run->world.ranks);
}

/* Check before the replay that the metrics of every row can be written, to a file of its own. */
static pen_status check_metrics(const choices *c, const replays *all)
{
    char path[4096], other[4096];
    const char *const tried = path;
    for (int i = 0; i < all->count && c->metrics; i += (int)c->repeat) {
        print_metrics_path(c, &all->runs[i], path, sizeof path);
        for (int k = 0; k < i; k += (int)c->repeat) {
            print_metrics_path(c, &all->runs[k], other, sizeof other);
            if (strcmp(path, other) == 0)
                return pen_fail(PEN_ERR_INPUT, "--metrics: balancers %s and %s have the same file: %s",
                                all->runs[k].balancer.name, all->runs[i].balancer.name, path);
        }
        PEN_TRY(pen_command_may_write_derived(path));
        PEN_TRY(pen_writer_try(&tried, 1));
    }
    return PEN_OK;
}

/* Write the metrics of the first repeat of each row. */
static pen_status write_metrics(const choices *c, const replays *all)
{
    for (int i = 0; i < all->count && c->metrics; i += (int)c->repeat) {
        char path[4096];
        print_metrics_path(c, &all->runs[i], path, sizeof path);
        PEN_TRY(pen_replay_metrics_write(&all->runs[i], c->machine, path));
    }
    return PEN_OK;
}

static pen_status replay(choices *c)
{
    replays all = { .mutual = { .changes = -1 } };
    if (c->record) PEN_TRY(pen_command_may_write(c->record));
    PEN_TRY(pen_workload_open(c->file, &all.record));
    pen_status status = begin_all(c, &all);
    if (status == PEN_OK) status = check_metrics(c, &all);
    if (status == PEN_OK) status = go(c, &all);
    pen_ticker_end();
    if (status == PEN_OK) status = print_tables(c, &all);
    if (status == PEN_OK) status = print_costs(c, &all);
    if (status == PEN_OK) status = print_counters(c, &all);
    if (status == PEN_OK) status = write_metrics(c, &all);
    if (status == PEN_OK) warn_of_misfit(c, all.record.world.declared);
    if (all.copy) status = pen_workload_finish(&all.copy, status, &all.record.times);
    for (int i = 0; i < all.count; i++) pen_replay_run_free(&all.runs[i]);
    free(all.runs);
    pen_replay_mutual_free(&all.mutual);
    pen_workload_close(&all.record);
    return status;
}

/* ---- The command ------------------------------------------------------------------------------- */

static pen_status choose_columns(choices *c)
{
    list all = { .text = NULL };
    pen_status status = cut_list("columns", columns, &all);
    if (status == PEN_OK) status = cut_list("columns", c->columns, &c->column_list);
    if (status == PEN_OK) status = PEN_ALLOC(&c->chosen, c->column_list.count);
    for (int i = 0; status == PEN_OK && i < c->column_list.count; i++)
        status = pen_choose("column", c->column_list.items[i], (const char *const *)all.items, all.count,
                            &c->chosen[i]);
    free_list(&all);
    return status;
}

/* Check the lists before the replay begins. */
static pen_status check_lists(choices *c)
{
    PEN_TRY(cut_list("balancer", c->balancers, &c->balancer_list));
    join_flags(&c->balancer_list);
    PEN_TRY(cut_list("balance-when", c->whens, &c->when_list));
    if (c->columns) PEN_TRY(choose_columns(c));
    for (int i = 0; i < c->when_list.count; i++) {
        pen_steer_settings settings = { .load = PEN_LOAD_DECLARED };
        PEN_TRY(pen_steer_settings_read(c->when_list.items[i], c->cost, &settings));
    }
    for (int i = 0; i < c->balancer_list.count; i++) {
        replay_balancer balancer;
        PEN_TRY(pen_replay_balancer_open(c->balancer_list.items[i], 1, &balancer));
        pen_replay_balancer_close(&balancer);
    }
    return PEN_OK;
}

static pen_status carry_out(choices *c)
{
    PEN_TRY(check_lists(c));
    c->costs = pen_replay_model_default();
    if (c->model) PEN_TRY(pen_replay_model_read(c->model, c->comm ? c->comm : "fence", &c->costs));
    else if (c->comm) return pen_fail(PEN_ERR_INPUT, "--comm=%s needs --model=FILE", c->comm);
    if (c->unit <= 0.0) return pen_fail(PEN_ERR_INPUT, "--unit=%g: must be a number of seconds > 0", c->unit);
    PEN_TRY(survey(c));
    PEN_TRY(open_machines(c));
    return replay(c);
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    choices c = { .balancers = "none", .whens = "auto", .format = "text", .unit = NAN, .repeat = 1, .hosts = 1 };
    const pen_option options[] = {
        { "ranks", "N,...", "numbers of ranks (the recorded run's)", PEN_OPTION_TEXT, &c.ranks, 0, 0 },
        { "balancer", "NAME,...", "balancers, as for --balancer of a program (none); for plug-ins their paths",
          PEN_OPTION_TEXT, &c.balancers, 0, 0 },
        { "balance-when", "WHEN,...", "when to balance: auto (default), change[:always] or every:N[:always]",
          PEN_OPTION_TEXT, &c.whens, 0, 0 },
        { "balance-cost", "BASE[:PER]", "cost of a call, and per moved node, in declared units", PEN_OPTION_TEXT,
          &c.cost, 0, 0 },
        { "partitioner", "NAME",
          "the first partition (default: the recorded run's with its number of ranks, otherwise metis)",
          PEN_OPTION_TEXT, &c.partitioner, 0, 0 },
        { "machine", "NAME", "the ranks' processors and network, as for --machine of a program", PEN_OPTION_TEXT,
          &c.machine, 0, 0 },
        { "hosts", "N", "hosts that balancers see the ranks on, in equal blocks (1)", PEN_OPTION_INT, &c.hosts, 1,
          1 << 20 },
        { "model", "FILE", "costs of communication, from pen-comm --model=FILE", PEN_OPTION_TEXT, &c.model, 0, 0 },
        { "comm", "NAME", "the transport in FILE (fence)", PEN_OPTION_TEXT, &c.comm, 0, 0 },
        { "unit", "SECONDS", "seconds per unit of declared load (default: from the record's times; without any 1e-6)",
          PEN_OPTION_REAL, &c.unit, 0, 0 },
        { "repeat", "N", "replay N times, with another seed each; print medians, least and greatest values (1)",
          PEN_OPTION_INT, &c.repeat, 1, 1000 },
        { "metrics", "PREFIX", "write metrics for pen-plot: PREFIX-BALANCER-WHEN-RANKS.json", PEN_OPTION_TEXT,
          &c.metrics, 0, 0 },
        { "record", "FILE", "write the record as it was read", PEN_OPTION_TEXT, &c.record, 0, 0 },
        { "format", "KIND", "text (default), csv, json or latex", PEN_OPTION_TEXT, &c.format, 0, 0 },
        { "columns", "NAME,...",
          "the table's columns, in this order, or all (default: all, in a text the important ones)", PEN_OPTION_TEXT,
          &c.columns, 0, 0 },
        { .name = NULL },
    };
    command_words line;
    PEN_TRY(pen_command_words(&pen_command_replay, argc, argv, options, 1, 1, &line));
    if (line.help) return PEN_OK;
    c.file = line.words[0];
    PEN_TRY(pen_sim_report_begin(&c.report, c.format, line.output));
    if (!c.columns && c.report.format == SIM_TEXT) c.columns = important;
    if (c.columns && strcmp(c.columns, "all") == 0) c.columns = NULL;
    pen_status status = carry_out(&c);
    pen_ticker_end();
    for (int i = 0; i < c.rank_list.count && c.machines; i++) pen_machine_destroy(&c.machines[i]);
    PEN_FREE_ALL(c.machines, c.rank_counts, c.chosen);
    free_list(&c.rank_list);
    free_list(&c.balancer_list);
    free_list(&c.when_list);
    free_list(&c.column_list);
    return pen_sim_report_end(&c.report, status);
}

const command pen_command_replay = { "replay", "FILE",
                                     "Repeat a recorded run with any balancer, number of ranks and machine",
                                     "the table", run };
