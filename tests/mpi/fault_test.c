/* fault_test - a call of the library fails on one rank: the first one of its kind, the second one, and so on, until a
 * run completes without meeting it. Each time all ranks get the same status and continue; a file that the run writes is
 * complete or as it was before; a run that does not need the call has the right result; no descriptor stays open, and
 * no unfinished file stays; at least two usable checkpoints exist at any time. At the end the sanitizer reports leaks.
 *
 *     fault_test                           some of the calls (those that the strides meet), in one process
 *     fault_test all                       every call on every rank; prints a table of the results; with
 *                                          PEN_FAULTS=all in the environment, too
 *     fault_test SCENARIO KIND             every one of those
 *     fault_test SCENARIO KIND RANK N      one of them: for those that end the program
 *
 * A new subject is a new line in `scenarios`.
 * pen_mpi_test(ALONE SOURCES support/faults.c RANKS 2 3 TIMEOUT 400) */
#include "base/comm.h"
#include "checkpoint/folder.h"
#include "tests/mpi/fault_case.h"
#include "tests/support/faults.h"
#include "tests/support/held.h"

#include <penumbra_checkpoint.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

/* ---- Scenarios --------------------------------------------------------------------------------- */

/* A file that a run leaves. */
typedef enum contents {
    SAME,   /* the same bytes, whole or not at all */
    WHOLE,  /* times are in it: whole or not at all */
    STEPS,  /* the same, but it may have fewer steps, those before a failure */
    SERIES, /* it is written again for every state that it names: whole or not at all */
    LINES   /* grows during the run, by whole lines */
} contents;

enum { MOST_WORDS = 20, MOST_FILES = 8 };

typedef struct scenario scenario;
struct scenario {
    const char *name;
    const char *words[MOST_WORDS]; /* the command line */
    struct {
        const char *name;
        contents contents;
    } files[MOST_FILES];
    const char *place;                    /* of checkpoints, as users name it; NULL: it is not looked at */
    const char *checkpoints;              /* the initial checkpoints are copied to that folder; NULL: nothing is left */
    pen_status (*run)(const scenario *s); /* in place of the command line */
    bool any_comm;                        /* it goes on with another transport if MPI refuses a window */
};

static pen_status load_and_save(const scenario *s);

static const scenario scenarios[] = {
    { "files",
      { "--graph=g.graph", "--steps=4", "--balancer=diffusive", "--balance-when=every:2:always", "--load=declared",
        "--migrate-random=1", "--dump=dump", "--metrics=metrics", "--observables=observables", "--save-graph=saved",
        "--trace=trace", "--record=record" },
      .files = { { "dump", SAME },
                 { "saved", SAME },
                 { "metrics", WHOLE },
                 { "trace", WHOLE },
                 { "record", STEPS },
                 { "observables", LINES } } },
    { "binary",
      { "--graph=g.pen", "--partitioner=file:g.part", "--comm=pscw", "--steps=2", "--order=rcm", "--dump=dump",
        "--save-graph=saved.pen", "--verify" },
      .files = { { "dump", SAME }, { "saved.pen", SAME } } },
    { "messages",
      { "--graph=g.graph", "--machine=g.machine", "--comm=persistent", "--steps=2", "--balancer=central",
        "--balance-when=every:1:always", "--load=declared", "--dump=dump" },
      .files = { { "dump", SAME } } },
    { "auto",
      { "--generate=hex:9x9", "--comm=auto", "--steps=1", "--partitioner=block", "--dump=dump" },
      .files = { { "dump", SAME } },
      .any_comm = true },
    { "resume",
      { "--resume=" GENERATIONS, "--checkpoint=" GENERATIONS, "--checkpoint-every=1", "--steps=4",
        "--balancer=diffusive", "--balance-when=every:2:always", "--load=declared", "--dump=dump" },
      .files = { { "dump", SAME } },
      .place = GENERATIONS,
      .checkpoints = BY_ALL },
    { "save", .place = GENERATIONS, .checkpoints = BY_ONE, .run = load_and_save },
    { "shm", .place = in_memory, .checkpoints = IN_PARTS, .run = load_and_save },
    { "gone", /* checkpoints in memory end with the run */
      { "--graph=g.graph", checkpoint_to, "--checkpoint-every=1", "--steps=2", "--dump=dump" },
      .files = { { "dump", SAME } },
      .place = in_memory },
    { "output",
      { "--generate=hex:9x9", "--steps=2", "--output=o.pvd", "--output-every=1", "--balancer=diffusive",
        "--load=declared", "--balance-when=every:1:always" },
      .files = { { "o-000000.vtu", WHOLE },
                 { "o-000001.vtu", WHOLE },
                 { "o-000002.vtu", WHOLE },
                 { "o.pvd", SERIES } } },
    { "input",
      { "--graph=g.graph", "--steps=1", "--input=g.warm", "--input=g.link", "--output=o.csv", "--output-fields=heat",
        "--dump=dump" },
      .files = { { "dump", SAME }, { "o.csv", SAME } },
      .any_comm = true },
    { "arrays",
      { "--graph=g.graph", "--steps=1", "--input=warm:g.npy", "--output=o.npy", "--output-fields=heat,owner" },
      .files = { { "o-heat.npy", SAME }, { "o-owner.npy", WHOLE } } },
};

/* ---- A run ------------------------------------------------------------------------------------- */

static pen_comm *agreeing;
static FILE *nowhere;
static char doing[200]; /* what is under way, for the time that it never ends */

static void too_long(int signal)
{
    const char *failed;
    (void)fault_disarm(&failed);
    fprintf(stderr, "%s: rank %d: has not come to an end%s%s\n", doing, rank, failed ? " since it failed in " : "",
            failed ? failed : "");
    _exit(signal == SIGALRM);
}

/* Seconds after which a run is taken to hang; PEN_TEST_PATIENCE is as in support.bash. */
static unsigned most_seconds(void)
{
    const char *patience = getenv("PEN_TEST_PATIENCE");
    return 6 * (patience ? (unsigned)atoi(patience) : 10);
}

/* Collective. All ranks have the same status. If not, the program ends, since it cannot continue. */
static pen_status same(const char *call, pen_status mine)
{
    int range[2] = { mine, -mine }, all[2];
    PMPI_Allreduce(range, all, 2, MPI_INT, MPI_MAX, world);
    if (all[0] == -all[1]) return mine;
    fprintf(stderr, "%s: rank %d: %s: %s: %s\n", doing, rank, call, pen_status_name(mine),
            mine == PEN_OK ? "" : pen_error_message());
    PMPI_Barrier(world);
    exit(1);
}

/* Collective. As driver.c does it: the caller agrees on Local results. */
static pen_status parse(const scenario *s, pen_options **options)
{
    char *argv[MOST_WORDS + 1] = { (char *)"fault_test" };
    int argc = 1;
    for (int i = 0; i < MOST_WORDS && s->words[i]; i++) argv[argc++] = (char *)s->words[i];
    return pen_agree(agreeing, pen_options_parse(&app, argc, argv, options));
}

static pen_status run_words(const scenario *s)
{
    pen_options *options = NULL;
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    pen_status status = parse(s, &options);
    if (status == PEN_OK) {
        pen_options_of_run(options)->out = nowhere;
        status = same("pen_options_graph", pen_options_graph(options, world, &graph));
    }
    if (status == PEN_OK) status = same("pen_options_create_run", pen_options_create_run(options, world, graph, &run));
    pen_graph_destroy(&graph);
    if (status == PEN_OK) status = same("pen_run_steps", pen_run_steps(run, pen_options_of_run(options)->steps));
    if (status == PEN_OK) status = same("pen_options_report", pen_options_report(options, run));
    pen_run_destroy(&run);
    pen_options_destroy(&options);
    return status;
}

/* Collective. The same without a command line: whether a checkpoint was written is told. */
static pen_status load_and_save(const scenario *s)
{
    pen_run *run = NULL;
    pen_status status = same("pen_run_load", pen_run_load(world, s->place, &app, &usual, &run));
    if (status == PEN_OK) status = same("pen_run_steps", pen_run_steps(run, 1));
    if (status == PEN_OK) status = same("pen_run_save", pen_run_save(run, s->place));
    pen_run_destroy(&run);
    return status;
}

static pen_status run_scenario(const scenario *s) { return s->run ? s->run(s) : run_words(s); }

/* ---- Files after a fault, on rank 0 --------------------------------------------------------- */

static const char earlier[] = "earlier\n";

static bool is_earlier(bytes b) { return b.size == sizeof earlier - 1 && memcmp(b.data, earlier, b.size) == 0; }

/* Begins as the right one does, and has its end. */
static bool is_right(contents kind, bytes b, bytes right)
{
    if (kind == SAME) return b.size == right.size && memcmp(b.data, right.data, b.size) == 0;
    if (kind == LINES)
        return b.size <= right.size && memcmp(b.data, right.data, b.size) == 0 &&
               (b.size == 0 || b.data[b.size - 1] == '\n');
    if (b.size <= 16 || memcmp(b.data, right.data, 8) != 0) return false;
    if (kind == SERIES) return memcmp(b.data + b.size - 8, right.data + right.size - 8, 8) == 0;
    return b.size > right.size / (kind == STEPS ? 8 : 2);
}

static const char *folder_of(const char *place) { return place == in_memory ? memory : place; }

static void begin_generations(const scenario *s)
{
    const char *folder = folder_of(s->place);
    char name[128];
    remove_folder(folder);
    if (!s->checkpoints) return;
    CHECK(mkdir(folder, 0700) == 0);
    for (int step = 1; step <= EARLIER; step++) {
        generation_name(s->checkpoints, step, name);
        bytes b = load(name);
        generation_name(folder, step, name);
        store(name, b.data, b.size);
        free(b.data);
    }
}

static bytes right_ones[MOST_FILES];

static void begin_files(const scenario *s)
{
    if (rank == 0 && s->place) begin_generations(s);
    for (int i = 0; rank == 0 && s->files[i].name; i++) store(s->files[i].name, earlier, sizeof earlier - 1);
}

static void learn_files(const scenario *s)
{
    for (int i = 0; rank == 0 && s->files[i].name; i++) {
        right_ones[i] = load(s->files[i].name);
        CHECK(right_ones[i].size > 16);
    }
}

static void forget_files(const scenario *s)
{
    for (int i = 0; i < MOST_FILES && s->files[i].name; i++) {
        if (rank == 0) (void)unlink(s->files[i].name);
        free(right_ones[i].data);
        right_ones[i] = (bytes){ NULL, 0 };
    }
}

static bool is_known(const scenario *s, const char *name)
{
    for (int i = 0; i < MOST_FILES && s->files[i].name; i++)
        if (strcmp(name, s->files[i].name) == 0) return true;
    return name[0] == '.' || strncmp(name, "g.", 2) == 0; /* what is read */
}

static void check_files(const scenario *s, pen_status status, bool may_leave)
{
    for (int i = 0; i < MOST_FILES && s->files[i].name; i++) {
        bytes b = load(s->files[i].name);
        bool right = is_right(s->files[i].contents, b, right_ones[i]);
        bool complete = right && (s->files[i].contents != LINES || b.size == right_ones[i].size);
        if (!(status == PEN_OK ? complete : right || is_earlier(b)) && check_failed())
            fprintf(stderr, "%s: %s with %s has %zu bytes, neither the earlier ones nor the right ones\n", doing,
                    s->files[i].name, pen_status_name(status), b.size);
        free(b.data);
    }
    DIR *folder = opendir(".");
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (is_known(s, entry->d_name) || is_canary(entry->d_name)) continue;
        if (!may_leave && check_failed()) fprintf(stderr, "%s: %s is left behind\n", doing, entry->d_name);
        unlink(entry->d_name);
    }
    closedir(folder);
}

/* ---- Checkpoints that it leaves -------------------------------------------------------------------- */

/* Collective. The checkpoint that a run resumes from is of that step, and right. */
static void check_generation(const scenario *s, int step)
{
    pen_run *run = NULL;
    uint64_t sum = 0;
    pen_status status = same("pen_run_load", pen_run_load(world, s->place, &app, &usual, &run));
    bool right = status == PEN_OK && pen_run_step(run) == step;
    if (status == PEN_OK) status = pen_run_checksum(run, &sum);
    if ((status != PEN_OK || !right || sum != sums[step]) && check_failed())
        fprintf(stderr, "%s: step %d cannot be gone on from: %s\n", doing, step, pen_error_message());
    pen_run_destroy(&run);
}

/* Rank 0. Whether there is a checkpoint, of at most LAST steps; *is_copy: it is an initial one. */
static bool find_generation(const scenario *s, int step, bool *is_copy)
{
    char name[128];
    generation_name(folder_of(s->place), step, name);
    bytes found = load(name);
    generation_name(s->checkpoints, step, name);
    bytes before = load(name);
    bool there = found.size > 0;
    *is_copy = there && is_right(SAME, found, before);
    free(found.data);
    free(before.data);
    return there;
}

static void remove_generation(const scenario *s, int step)
{
    char name[128];
    generation_name(folder_of(s->place), step, name);
    unlink(name);
}

/* Collective. There are at least two checkpoints, each a copy of an initial one or a valid new one, and no other files.
 * Each is examined as the newest, and then removed. */
static void check_generations(const scenario *s, pen_status status, bool may_leave)
{
    struct {
        int count, newest, look_at[LAST + 1];
    } there = { 0, 0, { 0 } };
    for (int step = 1; rank == 0 && step <= LAST; step++) {
        bool is_copy;
        if (!find_generation(s, step, &is_copy)) continue;
        there.count++;
        there.newest = step;
        there.look_at[step] = !is_copy;
    }
    PMPI_Bcast(&there, (int)(sizeof there / sizeof(int)), MPI_INT, 0, world);
    if ((there.count < 2 || there.newest < EARLIER) && check_failed())
        fprintf(stderr, "%s: %s leaves %d checkpoints, the newest of step %d\n", doing, pen_status_name(status),
                there.count, there.newest);
    for (int step = LAST; step > 0; step--) {
        if (there.look_at[step]) check_generation(s, step);
        if (rank == 0) remove_generation(s, step);
        PMPI_Barrier(world);
    }
    if (rank > 0 || may_leave) return;
    DIR *folder = opendir(folder_of(s->place));
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strstr(entry->d_name, ".unfinished") && check_failed())
            fprintf(stderr, "%s: %s is left behind\n", doing, entry->d_name);
    closedir(folder);
}

/* Rank 0. A run that is over leaves nothing there. */
static void check_gone(const scenario *s, pen_status status, bool may_leave)
{
    if (status == PEN_OK && !may_leave && access(folder_of(s->place), F_OK) == 0 && check_failed())
        fprintf(stderr, "%s: %s is left behind\n", doing, folder_of(s->place));
}

/* Collective. */
static void check_place(const scenario *s, pen_status status, bool may_leave)
{
    if (s->checkpoints) check_generations(s, status, may_leave);
    else if (rank == 0) check_gone(s, status, may_leave);
}

/* ---- Faults ------------------------------------------------------------------------------------ */

enum { WITHOUT, REFUSED, OUTCOMES };
static int64_t outcomes[FAULT_KINDS][OUTCOMES];

/* The permitted messages of such a fault. */
static bool is_expected(fault_kind kind, pen_status status)
{
    switch (kind) {
    case FAULT_MEMORY: /* balancers complain of settings and memory alike */
        return status == PEN_ERR_MEMORY ||
               (status == PEN_ERR_INPUT && strstr(pen_error_message(), "out of memory") != NULL);
    case FAULT_FILE: /* what cannot be looked into is taken for text */
        return status == PEN_ERR_IO || status == PEN_ERR_INPUT;
    case FAULT_SHORT: return false; /* the rest of it is asked for again */
    default: return status == PEN_ERR_MPI || status == PEN_ERR_ENVIRONMENT || status == PEN_ERR_IO;
    }
}

/* Collective. The nth call of that kind fails on `victim`; false: there was none. */
static bool try_fault(const scenario *s, fault_kind kind, int victim, int64_t n, int files_before)
{
    const char *failed = NULL;
    int met[2] = { 0, 0 }; /* whether a call failed; whether it removes files */
    snprintf(doing, sizeof doing, "fault_test %s %s %d %" PRId64 " on %d ranks", s->name, fault_names[kind], victim, n,
             ranks);
    begin_files(s);
    PMPI_Barrier(world);
    alarm(most_seconds());
    if (rank == victim) fault_arm(kind, n);
    pen_status status = run_scenario(s);
    if (rank == victim) {
        (void)fault_disarm(&failed);
        met[0] = failed != NULL;
        /* A process that cannot check whether a file is still its own does not remove it. */
        static const char *const leave[] = { "unlink", "rename", "stat", "fstat" };
        met[1] = 0;
        for (int i = 0; failed && i < PEN_COUNT_OF(leave); i++) met[1] |= strcmp(failed, leave[i]) == 0;
        if (failed && status != PEN_OK && !is_expected(kind, status) && check_failed())
            fprintf(stderr, "%s: %s fails, and the status is %s: %s\n", doing, failed, pen_status_name(status),
                    pen_error_message());
        if (s->any_comm && failed && strncmp(failed, "MPI_Win_allocate", 16) == 0) CHECK_STATUS(status, PEN_OK);
    }
    PMPI_Bcast(met, 2, MPI_INT, victim, world);
    if (met[0]) outcomes[kind][status == PEN_OK ? WITHOUT : REFUSED]++;
    else if (status != PEN_OK && check_failed())
        fprintf(stderr, "%s: nothing failed, and the status is %s: %s\n", doing, pen_status_name(status),
                pen_error_message());
    if (status != PEN_OK && pen_error_message()[0] == '\0' && check_failed())
        fprintf(stderr, "%s: rank %d: %s without a word\n", doing, rank, pen_status_name(status));
    /* A process that cannot read a folder does not empty it. */
    const bool unseen = met[0] && kind == FAULT_FILE && !s->checkpoints;
    if (s->place) check_place(s, status, met[1] || unseen);
    if (rank == 0) check_files(s, status, met[1]);
    /* A thread closes what is removed, also what was removed before these files were counted. */
    for (int i = 0; i < 2000 && held_files() > files_before; i++) nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    if (held_files() > files_before && check_failed())
        fprintf(stderr, "%s: rank %d: %d files are open, %d were\n", doing, rank, held_files(), files_before);
    alarm(0);
    return met[0];
}

static bool all_well(void)
{
    int any;
    PMPI_Allreduce(&check_failures, &any, 1, MPI_INT, MPI_MAX, world);
    return any == 0;
}

/* Collective. Faults from the first call on, every `stride`-th one. */
static void try_kind(const scenario *s, fault_kind kind, int victim, int64_t stride)
{
    int files = held_files();
    int64_t n = 1;
    while (try_fault(s, kind, victim, n, files) && (all_well() || getenv("PEN_FAULTS_GO_ON"))) n += stride;
}

/* Collective. Undisturbed, it is right; and twice, so that MPI has all that it opens. */
static void learn(const scenario *s)
{
    for (int i = 0; i < 2; i++) {
        begin_files(s);
        PMPI_Barrier(world);
        snprintf(doing, sizeof doing, "fault_test %s undisturbed on %d ranks", s->name, ranks);
        CHECK_STATUS(run_scenario(s), PEN_OK);
        if (s->place) check_place(s, PEN_OK, false);
    }
    learn_files(s);
}

/* ---- The program -------------------------------------------------------------------------------- */

static void print_table(void)
{
    printf("%d ranks           done without it   refused\n", ranks);
    for (int k = 0; k < FAULT_KINDS; k++)
        printf("%-16s %17" PRId64 " %9" PRId64 "\n", fault_names[k], outcomes[k][WITHOUT], outcomes[k][REFUSED]);
}

/* How many calls are passed over between two that fail. */
static const int64_t strides[FAULT_KINDS] = { 251, 13, 17, 17, 0 };

CHECKS()
{
    char folder[32];
    const char *wanted = getenv("PEN_FAULTS");
    bool all = (argc == 2 && strcmp(argv[1], "all") == 0) || (wanted && strcmp(wanted, "all") == 0);
    PMPI_Comm_dup(MPI_COMM_WORLD, &world);
    CHECK_STATUS(pen_comm_create(world, &agreeing), PEN_OK);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    signal(SIGALRM, too_long);
    nowhere = fopen("/dev/null", "w");
    make_inputs(folder, sizeof folder);
    for (int i = 0; i < PEN_COUNT_OF(scenarios) && all_well(); i++) {
        const scenario *s = &scenarios[i];
        if (argc > 2 && strcmp(argv[1], s->name) != 0) continue;
        learn(s);
        for (int kind = 0; kind < FAULT_KINDS; kind++) {
            if (argc > 2 ? strcmp(argv[2], fault_names[kind]) != 0 : kind == FAULT_TALKING) continue;
            if (argc == 5) (void)try_fault(s, (fault_kind)kind, atoi(argv[3]), atoll(argv[4]), held_files());
            for (int victim = 0; argc < 5 && victim < ranks && all_well(); victim++)
                RUN(try_kind(s, (fault_kind)kind, victim, all || argc > 1 ? 1 : strides[kind]));
        }
        forget_files(s);
    }
    if ((all || argc == 3) && rank == 0) print_table();
    remove_inputs(folder);
    fclose(nowhere);
    pen_comm_destroy(&agreeing);
    PMPI_Comm_free(&world);
}
