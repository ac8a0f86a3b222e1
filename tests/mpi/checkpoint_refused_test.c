/* checkpoint_refused_test - a checkpoint that is damaged, of another run, or cannot be written is refused with the same
 * status on all ranks; the previous one is used, or kept; and signals request one.
 * pen_mpi_test(PROCESSES RANKS 1 3) */
#include "base/members.h"
#include "base/memory.h"
#include "checkpoint/file.h"
#include "checkpoint/folder.h"
#include "tests/mpi/checkpoint_case.h"
#include "tests/support/world.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

static int size;
static const pen_run_options usual = { .seed = 3,
                                       .steps = STEPS,
                                       .balance = { .balancer = "diffusive", .load = PEN_LOAD_DECLARED } };

static pen_status same_everywhere(pen_status mine)
{
    int code = (int)mine, least, most;
    MPI_Allreduce(&code, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_INT(least, most);
    return mine;
}

typedef struct program {
    settings s;
    int64_t mode;
    pen_option table[5];
    pen_app app;
} program;

static void make_program(program *p)
{
    p->s = (settings){ 0.25, 7, "one", 12345 };
    p->app = case_app(&p->s, p->table);
    p->mode = 0;
    p->table[3] = (pen_option){ "mode", "slow|fast", "", PEN_OPTION_WORD, &p->mode, 0, 0 };
    p->table[4] = (pen_option){ .name = NULL };
}

static pen_run *begin(program *p, const pen_run_options *options)
{
    pen_graph *graph = case_graph(MPI_COMM_WORLD, "mesh:4x3,coordinates");
    pen_run *run = run_with(graph, &p->app, options);
    pen_graph_destroy(&graph);
    return run;
}

/* Discard the lines about skipped checkpoints. */
static pen_status load(const char *path, const pen_app *app, const pen_run_options *options, pen_run **run)
{
    fflush(stderr);
    int screen = dup(2), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 2);
    pen_status status = same_everywhere(pen_run_load(MPI_COMM_WORLD, path, app, options, run));
    dup2(screen, 2);
    close(screen);
    close(nowhere);
    return status;
}

/* Load and destroy. */
static pen_status try_load(const char *path, const pen_app *app, const pen_run_options *options, int64_t *step)
{
    pen_run *run = NULL;
    pen_status status = load(path, app, options, &run);
    if (run && step) *step = pen_run_step(run);
    pen_run_destroy(&run);
    return status;
}

static int64_t length_of(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 ? (int64_t)found.st_size : -1;
}

static int entries_of(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) count += entry->d_name[0] != '.';
    if (folder) closedir(folder);
    return count;
}

/* Two generations, of steps 3 and 6. */
static void write_two(program *p, const char *folder)
{
    pen_run *run = begin(p, &usual);
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(pen_run_steps(run, 3), PEN_OK);
        CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    }
    pen_run_destroy(&run);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static void flip(const char *path, int64_t at)
{
    unsigned char byte = 0;
    if (check_rank() == 0) {
        int file = open(path, O_RDWR);
        CHECK(pread(file, &byte, 1, (off_t)at) == 1);
        byte ^= (unsigned char)(1 << at % 8);
        CHECK(pwrite(file, &byte, 1, (off_t)at) == 1);
        close(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void cut(const char *path, int64_t length)
{
    if (check_rank() == 0) CHECK(truncate(path, (off_t)length) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* What is wrong with the table though all checksums are right. */
static void lie(pen_chunk *table, int64_t count, int which)
{
    pen_chunk *last = &table[count - 1];
    switch (which) {
    case 0: table[0].offset += 8; break;
    case 1: last->bytes += 8; break;
    case 2: last->bytes -= 8; break;
    case 3: last->bytes = -8; break;
    case 4: table[0].rank = size; break;
    case 5: last->rank = -1; break;
    case 6: table[0].nodes = PEN_CHUNK_OF_LISTS - 1; break;
    case 7: last->nodes = last->bytes / 8 + 1; break;
    case 8: last->arcs = -1; break;
    default: last->arcs = last->bytes / 8 + 1;
    }
}

enum { LIES = 10 };

static void forge(const char *path, int which)
{
    size_t length = 0;
    char *bytes = read_bytes(path, &length);
    pen_checkpoint_header h;
    memcpy(&h, bytes, sizeof h);
    pen_chunk *table = malloc((size_t)(h.about - h.table));
    memcpy(table, bytes + h.table, (size_t)(h.about - h.table));
    lie(table, h.chunks, which);
    h.table_checksum = pen_checksum(table, h.about - h.table);
    h.checksum = pen_checksum(&h, (int64_t)offsetof(pen_checkpoint_header, checksum));
    memcpy(bytes + h.table, table, (size_t)(h.about - h.table));
    memcpy(bytes, &h, sizeof h);
    write_bytes(path, bytes, length);
    free(table);
    free(bytes);
}

static void test_forged_tables(void)
{
    program p;
    char folder[64], newest[128];
    make_program(&p);
    for (int which = 0; which < LIES; which++) {
        case_folder(folder);
        write_two(&p, folder);
        snprintf(newest, sizeof newest, "%s/step-000000000006.checkpoint", folder);
        if (check_rank() == 0) forge(newest, which);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_STATUS(try_load(newest, &p.app, &usual, NULL), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), "damaged: its table has impossible values");
        case_remove(folder);
    }
}

static void test_damage(void)
{
    program p;
    char folder[64], newest[128], unread[128];
    int64_t step = -1;
    make_program(&p);
    case_folder(folder);
    write_two(&p, folder);
    snprintf(newest, sizeof newest, "%s/step-000000000006.checkpoint", folder);
    int64_t length = length_of(newest);
    CHECK(length > 1000);
    CHECK_STATUS(try_load(newest, &p.app, &usual, &step), PEN_OK);
    CHECK_INT(step, 6);
    enum { VERSION = 12 }; /* the byte where it is in the header */
    flip(newest, VERSION);
    CHECK_STATUS(try_load(newest, &p.app, &usual, NULL), PEN_ERR_UNSUPPORTED);
    CHECK_CONTAINS(pen_error_message(), "a checkpoint of version 17, this library reads version 1");
    CHECK_STATUS(try_load(folder, &p.app, &usual, NULL), PEN_ERR_UNSUPPORTED); /* it is not damaged */
    flip(newest, VERSION);
    snprintf(unread, sizeof unread, "%s/step-000000000007.checkpoint", folder);
    if (check_rank() == 0) CHECK(mkdir(unread, 0777) == 0);
    CHECK_STATUS(try_load(folder, &p.app, &usual, NULL), PEN_ERR_IO);
    if (check_rank() == 0) CHECK(rmdir(unread) == 0);
    const int64_t stride = size == 1 ? 1 : 61;
    for (int64_t at = 0; at < length; at += stride) {
        flip(newest, at);
        pen_status status = try_load(newest, &p.app, &usual, NULL);
        CHECK(status == PEN_ERR_INPUT || (status == PEN_ERR_UNSUPPORTED && at < 16));
        CHECK_CONTAINS(pen_error_message(), newest);
        if (at % (61 * stride) == 0) {
            CHECK_STATUS(try_load(folder, &p.app, &usual, &step), PEN_OK);
            CHECK_INT(step, 3);
        }
        flip(newest, at);
    }
    CHECK_STATUS(try_load(folder, &p.app, &usual, &step), PEN_OK);
    CHECK_INT(step, 6);
    for (int64_t left = length - 1; left > 0; left -= length / 40) { /* an empty file may be anybody's */
        cut(newest, left);
        CHECK_STATUS(try_load(newest, &p.app, &usual, NULL), PEN_ERR_INPUT);
    }
    CHECK_STATUS(try_load(folder, &p.app, &usual, &step), PEN_OK);
    CHECK_INT(step, 3);

    /* A run that resumes from the previous checkpoint replaces the damaged one. */
    pen_run_options options = usual;
    options.checkpoint.folder = folder;
    options.checkpoint.every_steps = 1;
    pen_run *run = NULL;
    CHECK_STATUS(load(folder, &p.app, &options, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(length_of(newest), -1);
    CHECK_STATUS(pen_run_steps(run, 8), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(try_load(folder, &p.app, &usual, &step), PEN_OK);
    CHECK_INT(step, 12);
    CHECK_INT(case_empty(folder), check_rank() == 0 ? 3 : 0);
    CHECK_STATUS(try_load(folder, &p.app, &usual, NULL), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "it has no checkpoint");
    case_remove(folder);
    CHECK_STATUS(try_load(folder, &p.app, &usual, NULL), PEN_ERR_INPUT);
}

/* ---- Another run ------------------------------------------------------------------------------- */

static void test_others(void)
{
    static const pen_field wider[] = { { .name = "value", .size = sizeof(value) }, { .name = "scratch", .size = 16 } };
    static const pen_edge_field longer[] = { { "spring", 24 } };
    program p, other;
    char folder[64];
    pen_run_options options = usual;
    make_program(&p);
    make_program(&other);
    case_folder(folder);
    write_two(&p, folder);

#define REFUSED(change, words)                                                     \
    do {                                                                           \
        make_program(&other);                                                      \
        options = usual;                                                           \
        change;                                                                    \
        CHECK_STATUS(try_load(folder, &other.app, &options, NULL), PEN_ERR_INPUT); \
        CHECK_CONTAINS(pen_error_message(), words);                                \
    } while (0)
    REFUSED(other.app.name = "another", "a checkpoint of case, but this is another");
    REFUSED(other.s.rate = 0.6, "other settings: rate=0.25, but this run has rate=0.6: results");
    REFUSED(other.s.kept = 8, "kept=7, but this run has kept=8");
    REFUSED(other.mode = 1, "mode=0, but this run has mode=1");
    REFUSED(options.seed = 4, "has seed 3, but this run has 4");
    REFUSED(other.app.fields.list = wider, "field scratch of 8 bytes, but this run has field scratch of 16 bytes");
    REFUSED(other.app.edge_fields.list = longer,
            "edge field spring of 16 bytes, but this run has edge field spring of 24");
    REFUSED((other.app.checkpoint.save = NULL, other.app.checkpoint.restore = NULL), "no .restore");
#undef REFUSED
    make_program(&other);
    other.s.label = "two"; /* indifferent */
    options = usual;
    options.steps = 2 * STEPS; /* .setup is not told: there is none */
    CHECK_STATUS(try_load(folder, &other.app, &options, NULL), PEN_OK);

    /* One run per folder: the second one waits, and gives up. */
    pen_folder_patience = 3;
    pen_run *run = NULL, *second = NULL;
    options = usual;
    options.checkpoint.folder = folder;
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &p.app, &options, &run), PEN_OK);
    CHECK_STATUS(same_everywhere(pen_run_load(MPI_COMM_WORLD, folder, &p.app, &options, &second)), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "another run writes its checkpoints there");
    char spelled[80];
    snprintf(spelled, sizeof spelled, "./%s/", folder);
    CHECK_STATUS(pen_run_save(run, spelled), PEN_OK);
    pen_run_destroy(&run);
    /* A new run would lose the present checkpoints, and so would a run resumed from another folder, even at the same
     * step. */
    char other_folder[64];
    case_folder(other_folder);
    write_two(&p, other_folder);
    CHECK_STATUS(same_everywhere(pen_run_load(MPI_COMM_WORLD, other_folder, &p.app, &options, &run)), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "there are checkpoints");
    case_empty(other_folder);
    /* Of an option whose value has several lines, no line is accepted with another option. */
    p.app.checkpoint.may_differ = other.app.checkpoint.may_differ = NULL;
    p.s.label = "one\ntwo";
    other.s = (settings){ 0.6, 7, "one\nthree", 12345 };
    write_two(&p, other_folder);
    options = usual;
    options.checkpoint.accept = "rate";
    CHECK_STATUS(try_load(other_folder, &other.app, &options, NULL), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "other settings: label=one\\ntwo, but this run has label=one\\nthree: results");
    options.checkpoint.accept = "rate,label";
    CHECK_STATUS(try_load(other_folder, &other.app, &options, NULL), PEN_OK);
    options = usual;
    options.checkpoint.folder = folder;
    case_remove(other_folder);
    pen_graph *graph = case_graph(MPI_COMM_WORLD, "mesh:4x3,coordinates");
    CHECK_STATUS(same_everywhere(pen_run_create(MPI_COMM_WORLD, graph, &p.app, &options, &run)), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "there are checkpoints");
    static const struct {
        const char *option, *words;
    } wrong[] = { { "--checkpoint-every=0", "must be at least 1" },
                  { "--checkpoint-every=often", "--checkpoint-every=often" },
                  { "--checkpoint-every=1e3", "--checkpoint-every=1e3: neither a whole number of steps, nor a length" },
                  { "--checkpoint-before=yesterday", "--checkpoint-before=yesterday: must be HH:MM" },
                  { "--checkpoint-before=2001-01-01T00:00", "this time has passed" },
                  { "--checkpoint-before=2101-02-30T00:00", "must be HH:MM" } };
    for (int i = 0; i < PEN_COUNT_OF(wrong); i++) {
        char text[64], checkpoint[] = "--checkpoint=x";
        pen_options *parsed = NULL;
        snprintf(text, sizeof text, "%s", wrong[i].option);
        CHECK_STATUS(pen_options_parse(&p.app, 3, (char *[]){ text, text, checkpoint }, &parsed), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), wrong[i].words);
    }
    other.s.label = "/proc/self/mem"; /* a file whose beginning cannot be read */
    CHECK_STATUS(same_everywhere(pen_run_create(MPI_COMM_WORLD, graph, &other.app, &usual, &run)), PEN_ERR_IO);
    CHECK_CONTAINS(pen_error_message(), "/proc/self/mem: cannot read: ");
    options.checkpoint.folder = "no/such/folder";
    CHECK_STATUS(same_everywhere(pen_run_create(MPI_COMM_WORLD, graph, &p.app, &options, &run)), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "no such folder for checkpoints");
    char endless[300] = { 0 }; /* the name is too long for the file system */
    memset(endless, 'n', sizeof endless - 1);
    options.checkpoint.folder = endless;
    CHECK_STATUS(same_everywhere(pen_run_create(MPI_COMM_WORLD, graph, &p.app, &options, &run)), PEN_ERR_IO);
    CHECK_CONTAINS(pen_error_message(), "n: cannot use this folder for checkpoints: ");
    pen_graph_destroy(&graph);
    case_remove(folder);
}

/* ---- Unwritable checkpoints and invalid memory checkpoints ---------------------------------- */

/* Files end on one rank. */
static void test_full_disk(void)
{
    program p;
    char folder[64];
    int64_t step;
    make_program(&p);
    case_folder(folder);
    write_two(&p, folder);
    pen_run *run = NULL;
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &p.app, &usual, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    for (int rank = 0; rank < size; rank++)
        for (int64_t bytes = 0; bytes <= 400; bytes += 200) {
            limit_files(check_rank() == rank ? bytes : -1);
            CHECK_STATUS(same_everywhere(pen_run_save(run, folder)), PEN_ERR_IO);
            CHECK_CONTAINS(pen_error_message(), folder);
            limit_files(-1);
            if (check_rank() == 0) CHECK_INT(entries_of(folder), 3); /* two checkpoints, and the lock */
            CHECK_STATUS(try_load(folder, &p.app, &usual, &step), PEN_OK);
            CHECK_INT(step, 6);
        }
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(try_load(folder, &p.app, &usual, &step), PEN_OK);
    CHECK_INT(step, 7);
    case_remove(folder);
}

/* The n-th allocation fails on a rank, for all n, until there are no more. */
static void test_memory(void)
{
    program p;
    char folder[64];
    int64_t faults = 0, ended = 0;
    make_program(&p);
    case_folder(folder);
    write_two(&p, folder);
    pen_run *run = NULL;
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &p.app, &usual, &run), PEN_OK);
    for (int64_t n = 1; !ended; n++, faults++) {
        if (check_rank() == n % size) pen_alloc_countdown = n;
        pen_status status = same_everywhere(pen_run_save(run, folder));
        int64_t left = pen_alloc_countdown;
        pen_alloc_countdown = 0;
        if (status != PEN_OK) CHECK_CONTAINS(pen_error_message(), "memory");
        MPI_Allreduce(&left, &ended, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK(faults > 10);
    pen_run_destroy(&run);
    ended = 0;
    for (int64_t n = 1; !ended; n += 1 + n / 20) {
        if (check_rank() == n % size) pen_alloc_countdown = n;
        pen_status status = try_load(folder, &p.app, &usual, NULL);
        int64_t left = pen_alloc_countdown;
        pen_alloc_countdown = 0;
        if (status != PEN_OK) CHECK_CONTAINS(pen_error_message(), "memory");
        MPI_Allreduce(&left, &ended, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    }
    case_remove(folder);
}

/* ---- Signals ----------------------------------------------------------------------------------- */

static pen_node_fn *init_fast;

static void init_slowly(const pen_view *v)
{
    if (pen_id(v) == 0) nanosleep(&(struct timespec){ 3, 0 }, NULL);
    init_fast(v);
}

static void test_signals(void)
{
    program p;
    char folder[64], path[128];
    int64_t step = -1;
    make_program(&p);
    case_folder(folder);
    pen_run_options options = usual;
    options.checkpoint.folder = folder;
    options.checkpoint.every_seconds = 7200;
    pen_run *run = begin(&p, &options);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    CHECK_STATUS(try_load(folder, &p.app, &usual, &step), PEN_ERR_INPUT);
    if (check_rank() == size - 1) raise(SIGUSR1);
    for (int i = 0; i < 3; i++) CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    outcome before = case_outcome(run);
    CHECK_STATUS(try_load(folder, &p.app, &usual, &step), PEN_OK);
    CHECK_INT(step, 3);
    if (check_rank() == 0) raise(SIGTERM);
    pen_status status = PEN_OK;
    for (int i = 0; i < 4 && status == PEN_OK; i++) status = same_everywhere(pen_run_steps(run, 1));
    CHECK_STATUS(status, PEN_ERR_STOPPED);
    CHECK_CONTAINS(pen_error_message(), "ended by SIGTERM after step");
    CHECK_INT(pen_exit_status(status), 4);
    int64_t stopped = pen_run_step(run);
    pen_run_destroy(&run);
    CHECK_STATUS(try_load(folder, &p.app, &usual, &step), PEN_OK);
    CHECK_INT(step, stopped);
    CHECK(before.nodes >= 12);
    case_empty(folder);

    /* Before the end of a batch job's time. */
    options.checkpoint.before = 4000000000;
    run = begin(&p, &options);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    pen_run_destroy(&run);
    options.checkpoint.before = time(NULL) + 8; /* it begins to write 10 seconds before */
    MPI_Bcast(&options.checkpoint.before, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    run = begin(&p, &options);
    pen_members_hide(false);
    CHECK_STATUS(same_everywhere(pen_run_steps(run, 2)), PEN_ERR_STOPPED);
    CHECK_CONTAINS(pen_error_message(), "ended by pen_run_options.checkpoint.before after step 1: pen_run_load=");
    pen_run_destroy(&run);
    snprintf(path, sizeof path, "%s/step-000000000001.checkpoint", folder);
    CHECK(length_of(path) > 0);
    case_empty(folder);

    /* How long the set-up has taken does not say how long a step takes. */
    init_fast = p.app.init;
    p.app.init = init_slowly;
    options.checkpoint.before = time(NULL) + 19;
    MPI_Bcast(&options.checkpoint.before, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    run = begin(&p, &options);
    CHECK_STATUS(same_everywhere(pen_run_steps(run, 3)), PEN_OK);
    pen_run_destroy(&run);
    case_remove(folder);
}

CHECKS()
{
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    RUN(test_damage());
    RUN(test_forged_tables());
    RUN(test_others());
    RUN(test_full_disk());
    RUN(test_memory());
    RUN(test_signals());
}
