/* pen-comm - compares two-sided and one-sided transports: measures the time that each needs to update the halo of a
 * graph, on the ranks that it is launched on.
 *
 *     mpirun -n 4 pen-comm [--graph=FILE ...] [--partitioner=NAME] [--machine=NAME] [--records=8,64,...]
 *         [--mail] [--csv=FILE] [--json=FILE] [--model=FILE]
 *     pen-comm --hosts=2[:ranks=N,latency=T,bandwidth=B] [OPTION ...]
 *
 * MPI's eager limit, up to which a message is sent at once, is fixed when MPI starts. So a launch has one limit, MPI's
 * own or --eager=BYTES; with --join=FILE the table also has the two-sided transports of an earlier launch, from its
 * CSV. pen-comm-both makes both launches. */
#include "base/compress.h"
#include "base/environment.h"
#include "base/finalize.h"
#include "base/json.h"
#include "base/memory_stream.h"
#include "base/options.h"
#include "base/output.h"
#include "driver/list.h"
#include "driver/version.h"
#include "graph/graph_options.h"
#include "loop/parts.h"
#include "run/reads.h"
#include "tools/comm/compare.h"
#include "tools/comm/hosts.h"
#include "tools/comm/machine.h"
#include "tools/common/python.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* The script that makes tables and conclusions of measurements; the texts of its answer, after the failure. */
static const char script[] = "penumbra_comm.py";
enum { COMM_PRINTED = 1, COMM_WARNED, COMM_CSV, COMM_JSON, COMM_MODEL };

typedef struct choices {
    pen_graph_options graph;
    comm_settings settings;
    const char *records, *halo;
    int64_t eager;
    const char *from, *join, *csv, *json, *model;
    const char *list;
    pen_list print_list;
    bool help, version;
    char eager_text[32];
    comm_machine machine; /* the machine, with --model */
    const char *hosts_text;
    comm_hosts emulated; /* the emulated hosts; set by parsing hosts_text */
    int hosts;
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    char title[512];
} choices;

/* ---- MPI's eager limit -------------------------------------------------------------------------- */

static const char eager_variable[] = "OMPI_MCA_btl_vader_eager_limit",
                  send_variable[] = "OMPI_MCA_btl_vader_max_send_size";

enum { MOST_EAGER = 1 << 30 };

/* Get the value of "--name=VALUE" before MPI_Init, hence before the command line is parsed completely; NULL: not
 * given. */
static const char *early_value(int argc, char **argv, const char *option)
{
    const char *value = NULL;
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], option, strlen(option)) == 0) value = argv[i] + strlen(option);
    return value;
}

/* Set MPI's eager limit. Only a valid value is passed to MPI, which hangs with some others. */
static void choose_eager(int argc, char **argv)
{
    const char *value = early_value(argc, argv, "--eager=");
    int64_t bytes = 0;
    if (!value || !pen_parse_int(value, &bytes) || bytes < 1 || bytes > MOST_EAGER) return;
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, bytes);
    setenv(eager_variable, text, 1);
    if (bytes > 32768) setenv(send_variable, text, 1); /* otherwise a message of that size is divided */
}

/* ---- Emulated hosts ----------------------------------------------------------------------------- */

/* Start the ranks, or slow down this rank's network, before MPI_Init. Ranks report a mistake later, once for all. */
static pen_status choose_hosts(int argc, char **argv)
{
    const char *value = early_value(argc, argv, "--hosts=");
    comm_hosts hosts;
    if (!value) return PEN_OK;
    pen_status status = pen_hosts_parse(value, &hosts);
    bool launched = getenv("PMIX_RANK") || getenv("PMI_RANK") || getenv("OMPI_COMM_WORLD_RANK"); /* by mpirun */
    if (!launched) return status == PEN_OK ? pen_hosts_launch(&hosts, argc, argv) : status;
    if (status == PEN_OK) pen_slow_tcp(hosts.latency, hosts.bandwidth);
    return PEN_OK;
}

/* ---- The command line --------------------------------------------------------------------------- */

/* Parse a list of sizes. `sizes` is the part of the option's text that has it. */
static pen_status parse_sizes(const char *option, const char *text, const char *sizes, comm_settings *settings)
{
    settings->record_count = 0;
    for (const char *at = sizes; at;) {
        char digits[32];
        int64_t *record = &settings->records[settings->record_count];
        if (settings->record_count == COMM_MOST_RECORDS)
            return pen_fail(PEN_ERR_INPUT, "--%s=%s: more than %d sizes", option, text, COMM_MOST_RECORDS);
        at = pen_text_cut(at, ',', digits, sizeof digits);
        bool right = pen_parse_int(digits, record) && *record >= 1 && *record <= 1 << 20;
        if (!right || (settings->record_count > 0 && *record <= record[-1]))
            return pen_fail(PEN_ERR_INPUT, "--%s=%s: must be bytes, 1 to %d, ascending, separated by commas", option,
                            text, 1 << 20);
        settings->record_count++;
    }
    return PEN_OK;
}

static const char default_partitioner[] = "metis", default_records[] = "8,32,128,512,2048,8192";

/* Whether an option chooses a graph, its distribution or its records. */
static bool chooses_pattern(const choices *c)
{
    return pen_graph_options_named(&c->graph) || c->graph.save_graph || c->settings.machine ||
           c->settings.partitioner != default_partitioner || c->records != default_records;
}

/* Parse "NEIGHBOURSxBYTES,...", or --records. */
static pen_status parse_halo(const pen_comm *comm, choices *c)
{
    comm_settings *settings = &c->settings;
    if (!c->halo) return parse_sizes("records", c->records, c->records, settings);
    if (chooses_pattern(c))
        return pen_fail(PEN_ERR_INPUT,
                        "--halo=%s needs no graph, --save-graph, --partitioner, --machine or --records: omit them",
                        c->halo);
    if (comm->size == 1) return pen_fail(PEN_ERR_INPUT, "--halo=%s needs at least 2 ranks", c->halo);
    char digits[32];
    const char *sizes = pen_text_cut(c->halo, 'x', digits, sizeof digits);
    if (!sizes || !pen_parse_int(digits, &settings->neighbors) || settings->neighbors < 1 ||
        settings->neighbors >= comm->size)
        return pen_fail(PEN_ERR_INPUT, "--halo=%s: must be NEIGHBOURSxBYTES, of 1 to %d neighbours on %d ranks",
                        c->halo, comm->size - 1, comm->size);
    return parse_sizes("halo", c->halo, sizes, settings);
}

/* Whether a model with this name is a machine as text; all others are JSON. */
static bool is_machine(const char *path) { return path && pen_path_ends_in(path, ".machine"); }

/* Whether something is asked for that Python makes. Tables are printed with --csv and FILE.machine, too, if they can
 * be. */
static bool needs_python(const choices *c)
{
    return c->join || c->json || (c->model && !is_machine(c->model)) || !(c->csv || c->model);
}

/* On rank 0. Check that no output replaces an input or another output. */
static pen_status check_names(const choices *c)
{
    const pen_written files[] = {
        { "csv", c->csv }, { "json", c->json }, { "model", c->model }, { "save-graph", c->graph.save_graph }
    };
    const char *join = c->join;
    const pen_option options[] = { { "join", NULL, NULL, PEN_OPTION_TEXT, &join, 0, 0 }, { .name = NULL } };
    const pen_run_options none = { .partitioner = c->settings.partitioner, .machine = c->settings.machine };
    const pen_app nothing = { .name = "pen-comm", .options = options };
    pen_reads reads;
    pen_status status = pen_reads_find(&nothing, pen_run_option, &none, c->graph.graph, &reads);
    if (status == PEN_OK) status = pen_reads_check(&reads, &nothing, &none, files, PEN_COUNT_OF(files));
    pen_reads_free(&reads);
    return status;
}

/* On rank 0. Check that Python, which concludes, is there, and that --csv of another launch wrote --join=FILE. */
static pen_status check_python(const choices *c)
{
    python_answer none = { { NULL } };
    const char *const words[] = { "check", c->join, NULL };
    pen_status status = pen_python_ask(script, words, NULL, 0, &none);
    pen_python_answer_free(&none);
    return status;
}

/* Collective. Check the options before the measurement, as far as possible. */
static pen_status prepare(pen_comm *comm, choices *c)
{
    PEN_TRY(parse_halo(comm, c));
    if (!(c->settings.seconds > 0.0))
        return pen_fail(PEN_ERR_INPUT, "--seconds=%g: must be above 0", c->settings.seconds);
    if (c->model) PEN_TRY(pen_path_check_ending(c->model, ".machine"));
    if (is_machine(c->model) && c->settings.record_count > 1)
        return pen_fail(PEN_ERR_INPUT, "--model=%s: a machine's unit of data is one record: give one size in --records",
                        c->model);
    PEN_TRY(pen_agree(comm, comm->rank == 0 ? check_names(c) : PEN_OK));
    const char *const files[] = { c->csv, c->json, c->model, c->graph.save_graph };
    for (int i = 0; i < PEN_COUNT_OF(files); i++)
        if (files[i]) PEN_TRY(pen_output_check(comm, files[i]));
    if (needs_python(c)) PEN_TRY(pen_agree(comm, comm->rank == 0 ? check_python(c) : PEN_OK));
    if (!pen_graph_options_named(&c->graph)) c->graph.generate = "hex:64x64";
    const char *eager = getenv(eager_variable);
    snprintf(c->eager_text, sizeof c->eager_text, "%s", eager ? eager : "default");
    c->eager_text[strcspn(c->eager_text, ",\n")] = '\0';
    c->settings.eager = c->eager_text;
    int first = comm->host_rank == 0, length;
    PEN_MPI(MPI_Allreduce(&first, &c->hosts, 1, MPI_INT, MPI_SUM, comm->mpi));
    PEN_MPI(MPI_Get_library_version(c->mpi, &length));
    c->mpi[strcspn(c->mpi, ",\n")] = '\0';
    if (!c->hosts_text) return PEN_OK;
    PEN_TRY(pen_hosts_parse(c->hosts_text, &c->emulated));
    if (c->hosts != 2)
        return pen_fail(PEN_ERR_INPUT, "--hosts=%s: the ranks are on %d host%s: start pen-comm without mpirun",
                        c->hosts_text, c->hosts, c->hosts == 1 ? "" : "s");
    return PEN_OK;
}

/* ---- Output of results -------------------------------------------------------------------------- */

static void name_setting(const pen_comm *comm, const pen_graph *graph, choices *c)
{
    const pen_graph_options *o = &c->graph;
    char network[128] = "", title[sizeof c->title];
    if (c->hosts_text)
        snprintf(network, sizeof network, "emulated network of %g us and %g GB/s; ", 1e6 * c->emulated.latency,
                 c->emulated.bandwidth > 0.0 ? 1e-9 * c->emulated.bandwidth : HUGE_VAL);
    int length = snprintf(title, sizeof title, "%d rank%s on %d host%s, %.80s; %s", comm->size,
                          comm->size == 1 ? "" : "s", c->hosts, c->hosts == 1 ? "" : "s", c->mpi, network);
    const char *by = c->settings.mail ? "mail: " : "";
    if (c->halo) snprintf(title + length, sizeof title - (size_t)length, "%shalo %.100s", by, c->halo);
    else
        snprintf(title + length, sizeof title - (size_t)length, "%s%.100s, %" PRId64 " nodes, partitioner %.40s%s%.80s",
                 by, o->graph ? o->graph : o->generate, graph->nodes, c->settings.partitioner,
                 c->settings.machine ? " for " : "", c->settings.machine ? c->settings.machine : "");
    pen_show(title, c->title, sizeof c->title); /* names of files may have line ends */
}

static pen_status print_machine(FILE *out, const pen_comm *comm, const choices *c, const comm_comparison *result)
{
    char setting[640], date[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
    snprintf(setting, sizeof setting, "%s; %s%s", c->title, date,
             comm->oversubscribed ? "; with more ranks than cores, as if each had one" : "");
    return pen_comm_machine_write(&c->machine, setting, out);
}

typedef pen_status print_fn(FILE *out, const pen_comm *comm, const choices *c, const comm_comparison *result);

/* Print to memory, on rank 0. */
static pen_status print_text(const pen_comm *comm, const choices *c, const comm_comparison *result, print_fn *print,
                             char **text, size_t *size)
{
    pen_status status = PEN_OK;
    *text = NULL;
    *size = 0;
    if (comm->rank != 0) return PEN_OK;
    FILE *out = pen_memory_stream(text, size);
    if (out) status = print(out, comm, c, result);
    if (!out || fclose(out) != 0) status = pen_fail(PEN_ERR_MEMORY, "out of memory");
    return status;
}

/* Collective. Write a file, unless `path` is NULL. */
static pen_status write_file(pen_comm *comm, const choices *c, const comm_comparison *result, const char *path,
                             print_fn *print)
{
    char *text;
    size_t size;
    if (!path) return PEN_OK;
    pen_status status = print_text(comm, c, result, print, &text, &size);
    status = pen_output_text(comm, path, text, size, status);
    free(text);
    return status;
}

static pen_status print_csv(FILE *out, const pen_comm *comm, const choices *c, const comm_comparison *result)
{
    static const char *const sweeps[COMM_SWEEPS] = { "halo", "mail", "neighbors" };
    fputs("sweep,transport,side,eager,ranks,record,neighbors,halo_bytes,bytes,gets,syncs,min_seconds,low_seconds,"
          "median_seconds,high_seconds,max_seconds,noise,sync_seconds,copy_seconds,window_bytes,buffer_bytes,auto\n",
          out);
    for (int i = 0; i < result->row_count; i++) {
        const comm_row *r = &result->rows[i];
        fprintf(out,
                "%s,%s,%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                ",%.9e,%.9e,%.9e,%.9e,%.9e,%.17g,%.9e,%.9e,%" PRId64 ",%" PRId64 ",%d\n",
                sweeps[r->sweep], r->transport, r->one_sided ? "one" : "two", r->eager, r->ranks, r->record,
                r->neighbors, r->halo_bytes, r->bytes, r->gets, r->syncs, r->min, r->low, r->median, r->high, r->max,
                r->noise, r->sync, r->copy, r->window, r->buffers, r->chosen);
    }
    return PEN_OK;
}

static void print_machine_facts(json *j, const choices *c)
{
    const comm_machine *m = &c->machine;
    pen_json_begin(j, "machine", '{');
    pen_json_member_real(j, "degree", m->degree);
    pen_json_member_real(j, "node_seconds", m->node_seconds);
    pen_json_member_real(j, "latency", m->latency);
    pen_json_member_real(j, "per_byte", m->per_byte);
    pen_json_begin(j, "records", '[');
    for (int i = 0; i < c->settings.record_count; i++) pen_json_member_int(j, NULL, c->settings.records[i]);
    pen_json_end(j, ']');
    pen_json_end(j, '}');
}

/* Print what conclusions need, as JSON; the rows are text in CSV. */
static pen_status print_facts(FILE *out, const pen_comm *comm, const choices *c, const comm_comparison *result)
{
    json j = { .out = out };
    char *csv;
    size_t size;
    PEN_TRY(print_text(comm, c, result, print_csv, &csv, &size));
    pen_json_begin(&j, NULL, '{');
    pen_json_member_text(&j, "setting", c->title);
    pen_json_member_text(&j, "mpi", c->mpi);
    pen_json_member_text(&j, "partitioner", c->halo ? "none" : c->settings.partitioner);
    pen_json_member_text(&j, "eager", c->eager_text);
    pen_json_member_int(&j, "ranks", comm->size);
    pen_json_member_int(&j, "hosts", c->hosts);
    pen_json_member_bool(&j, "crowded", comm->oversubscribed);
    pen_json_member_bool(&j, "mail", c->settings.mail);
    pen_json_member_int(&j, "rounds", result->rounds);
    pen_json_begin(&j, "cannot_run", '[');
    for (int i = 0; i < result->refusal_count; i++) {
        pen_json_begin(&j, NULL, '{');
        pen_json_member_text(&j, "transport", result->refusals[i].transport);
        pen_json_member_int(&j, "record", result->refusals[i].record);
        pen_json_member_text(&j, "reason", result->refusals[i].reason);
        pen_json_end(&j, '}');
    }
    pen_json_end(&j, ']');
    if (c->model) print_machine_facts(&j, c);
    pen_json_member_text(&j, "csv", csv);
    pen_json_end(&j, '}');
    free(csv);
    return PEN_OK;
}

/* Collective. Write a text, which rank 0 has, to a file. */
static pen_status write_answer(pen_comm *comm, const char *path, const char *text)
{
    return pen_output_text(comm, path, text, text ? strlen(text) : 0, PEN_OK);
}

/* Collective. Conclude, print, and write the files. Without --join, the CSV needs no conclusions. */
static pen_status report(pen_comm *comm, const choices *c, comm_comparison *result)
{
    python_answer all = { { NULL } };
    char *facts;
    size_t size;
    const char *model = is_machine(c->model) ? NULL : c->model;
    const char *const words[] = { "conclude", c->join ? c->join : "", model ? model : "", NULL };
    if (!c->join) PEN_TRY(write_file(comm, c, result, c->csv, print_csv));
    pen_status status = print_text(comm, c, result, print_facts, &facts, &size);
    if (status == PEN_OK && comm->rank == 0) status = pen_python_ask(script, words, facts, size, &all);
    free(facts);
    if (status == PEN_ERR_ENVIRONMENT && !needs_python(c)) {
        fprintf(stderr, "pen-comm: warning: no tables, no verdict: %s\n", pen_error_message());
        pen_python_answer_free(&all);
        return pen_agree(comm, PEN_OK);
    }
    status = pen_agree(comm, status);
    if (comm->rank == 0 && status == PEN_OK) fputs(all.texts[COMM_PRINTED], stdout);
    if (c->join && c->csv && status == PEN_OK) status = write_answer(comm, c->csv, all.texts[COMM_CSV]);
    if (c->json && status == PEN_OK) status = write_answer(comm, c->json, all.texts[COMM_JSON]);
    if (model && status == PEN_OK) status = write_answer(comm, model, all.texts[COMM_MODEL]);
    if (comm->rank == 0 && status == PEN_OK) fputs(all.texts[COMM_WARNED], stderr);
    pen_python_answer_free(&all);
    return status;
}

/* ---- The program -------------------------------------------------------------------------------- */

static pen_status run_all(pen_comm *comm, choices *c)
{
    pen_graph *graph = NULL;
    comm_comparison result;
    PEN_TRY(prepare(comm, c));
    PEN_TRY(pen_graph_options_read(comm, &c->graph, &graph));
    name_setting(comm, graph, c);
    pen_status status = PEN_OK;
    if (c->model)
        status = pen_comm_machine_measure(comm, graph, c->settings.records[0], is_machine(c->model), &c->machine);
    if (status == PEN_OK && is_machine(c->model)) /* the machine does not depend on the comparison */
        status = write_file(comm, c, NULL, c->model, print_machine);
    if (status == PEN_OK && is_machine(c->model) && comm->rank == 0)
        pen_comm_machine_warn(&c->machine, c->model, stderr);
    if (status == PEN_OK) status = pen_compare(comm, graph, &c->settings, &result);
    pen_graph_destroy(&graph);
    if (status == PEN_OK) {
        status = report(comm, c, &result);
        pen_comparison_free(&result);
    }
    pen_comm_machine_free(&c->machine);
    return status;
}

/* Collective. Print the table of another launch, and its verdicts. */
static pen_status print_again(pen_comm *comm, choices *c)
{
    if (c->csv || c->json || c->model || c->join || c->halo || c->hosts_text || c->settings.mail || chooses_pattern(c))
        return pen_fail(
            PEN_ERR_INPUT,
            "--from=%s: nothing is measured: omit graph, --save-graph, --partitioner, --machine, --records, --halo, "
            "--mail, --hosts, --join, --csv, --json and --model",
            c->from);
    python_answer all = { { NULL } };
    const char *const words[] = { "from", c->from, NULL };
    PEN_TRY(pen_agree(comm, comm->rank == 0 ? pen_python_ask(script, words, NULL, 0, &all) : PEN_OK));
    if (comm->rank == 0) fputs(all.texts[COMM_PRINTED], stdout);
    pen_python_answer_free(&all);
    return PEN_OK;
}

/* Answer requests that need no graph; false: there are none. */
static bool answer(const choices *c, int rank, const pen_option_group *groups, int count)
{
    if (!c->help && !c->version && !c->print_list) return false;
    if (rank != 0) return true;
    if (c->help) {
        printf("Usage: mpirun -n RANKS pen-comm [OPTION ...]\nMeasures every transport, two-sided and one-sided, on "
               "the halo of a graph, and recommends one.\nWithout a graph option: "
               "--generate=hex:64x64\n" PEN_HELP_WITH_WORDS);
        pen_option_groups_print(stdout, groups, count);
    } else if (c->version) {
        pen_version_print("pen-comm", stdout);
    } else {
        c->print_list(stdout);
    }
    return true;
}

static pen_status run_program(pen_comm *comm, int argc, char **argv)
{
    choices c = { .settings = { .partitioner = default_partitioner, .rounds = 1000, .seconds = 30.0 },
                  .records = default_records };
    pen_graph_options_start(&c.graph);
    const pen_option options[] = {
        { "partitioner", "NAME[:SETTINGS]", "how nodes are assigned to ranks (metis)", PEN_OPTION_TEXT,
          &c.settings.partitioner, 0, 0 },
        { "machine", "NAME[:SETTINGS]|FILE",
          "the machine for which the graph is partitioned: speeds of processors, and their network (all equal)",
          PEN_OPTION_TEXT, &c.settings.machine, 0, 0 },
        { "list", PEN_LIST_WHAT, "print these names and their settings, and exit", PEN_OPTION_TEXT, &c.list, 0, 0 },
        { "records", "BYTES,...", "sizes of a node's record, ascending (8,32,128,512,2048,8192)", PEN_OPTION_TEXT,
          &c.records, 0, 0 },
        { "halo", "NEIGHBOURSxBYTES,...",
          "no graph: every rank pulls so many bytes from each of so many neighbours; sizes ascending", PEN_OPTION_TEXT,
          &c.halo, 0, 0 },
        { "mail", NULL,
          "deliver these records as mail, of which receivers do not know who sends, one-sided and two-sided",
          PEN_OPTION_FLAG, &c.settings.mail, 0, 0 },
        { "hosts", COMM_HOSTS,
          "without mpirun: start N ranks (1) on each of two emulated hosts, on a network of T seconds and B bytes per "
          "second (root, Open MPI)",
          PEN_OPTION_TEXT, &c.hosts_text, 0, 0 },
        { "rounds", "N", "maximum number of samples of every transport (1000); fewer if all medians are known to 5 %",
          PEN_OPTION_INT, &c.settings.rounds, 1, 100000 },
        { "seconds", "T", "take no more samples after T seconds, except the first one of each transport (30)",
          PEN_OPTION_REAL, &c.settings.seconds, 0, 0 },
        { "eager", "BYTES", "eager limit of messages in shared memory (Open MPI 4)", PEN_OPTION_INT, &c.eager, 1,
          MOST_EAGER },
        { "join", "FILE", "add the two-sided transports of another launch, from its --csv", PEN_OPTION_TEXT, &c.join, 0,
          0 },
        { "from", "FILE", "measure nothing: print the tables and the verdict of another launch's --csv",
          PEN_OPTION_TEXT, &c.from, 0, 0 },
        { .name = NULL },
    };
    const pen_option output_options[] = {
        { "csv", "FILE", "write a line per transport and size (pen-plot comm draws it)", PEN_OPTION_TEXT, &c.csv, 0,
          0 },
        { "json", "FILE", "write the same, and the fitted lines, as JSON", PEN_OPTION_TEXT, &c.json, 0, 0 },
        { "model", "FILE",
          "write latency, bandwidth and cost per neighbour of every transport as JSON; FILE.machine: the ranks' speeds "
          "and links, for --machine",
          PEN_OPTION_TEXT, &c.model, 0, 0 },
        { "help", NULL, "print this; also -h", PEN_OPTION_FLAG, &c.help, 0, 0 },
        { "version", NULL, "print the version", PEN_OPTION_FLAG, &c.version, 0, 0 },
        { .name = NULL },
    };
    const pen_option_group groups[] = { { "Graph", c.graph.table },
                                        { "Comparison", options },
                                        { "Output", output_options } };
    pen_status status = pen_option_groups_parse(argc, argv, groups, PEN_COUNT_OF(groups));
    if (status == PEN_OK) status = pen_list_find(c.list, &c.print_list);
    if (status == PEN_OK && answer(&c, comm->rank, groups, PEN_COUNT_OF(groups))) return PEN_OK;
    if (status == PEN_OK) status = c.from ? print_again(comm, &c) : run_all(comm, &c);
    return status;
}

int main(int argc, char **argv)
{
    pen_hosts_serve(argc, argv);
    choose_eager(argc, argv);
    pen_status status = choose_hosts(argc, argv);
    if (status != PEN_OK) {
        fprintf(stderr, "pen-comm: %s\n", pen_error_message());
        return pen_exit_status(status);
    }
    pen_environment_prepare();
    pen_environment_catch_limits();
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        fprintf(stderr, "pen-comm: MPI_Init failed\n");
        return pen_exit_status(PEN_ERR_MPI);
    }
    pen_comm *comm = NULL;
    status = pen_comm_create(MPI_COMM_WORLD, &comm);
    if (status == PEN_OK) status = run_program(comm, argc, argv);
    if (status == PEN_OK) status = pen_stdout_flush();
    if (status != PEN_OK && (!comm || comm->rank == 0)) fprintf(stderr, "pen-comm: %s\n", pen_error_message());
    pen_comm_destroy(&comm);
    pen_finalize();
    return pen_exit_status(status);
}
