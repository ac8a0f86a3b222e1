/* checkpoint_fuzz.c - the reader of checkpoints, under libFuzzer with sanitizers.
 *
 * The first byte of an input says how it is taken (enum taken), the rest is the file. Its size and checksums are made
 * right, since a search does not guess them, but for one input in eight. What is read is refused, with a sentence, or
 * it is a run that can go on; allocations stay in proportion to the file. Places in a file move when bytes are added to
 * it: the mutator works on one part at a time, and says in the table and the header where the others are now.
 *
 *     PEN_FUZZ_SEEDS=FOLDER checkpoint_fuzz -runs=0       writes inputs to begin with: right ones
 *     mpiexec -n 3 checkpoint_fuzz -detect_leaks=0 FILE...    tries these inputs on several ranks */
#include "base/memory.h"
#include "checkpoint/file.h"
#include "tests/mpi/checkpoint_case.h"

#include <fcntl.h>
#include <sanitizer/allocator_interface.h>
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

enum taken {
    RAW_MASK = 7, /* 7: nothing is made right */
    STEERED = 8,  /* the run has a balancer; */
    STRICT = 16   /* and the strict mode */
};

enum { HEADER = sizeof(pen_checkpoint_header), LINE = sizeof(pen_chunk) };

static void require(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "not so: %s; last message: %s\n", what, pen_error_message());
    abort();
}

/* ---- Files --------------------------------------------------------------------------------------- */

/* Whether a table of whole lines is in a file, with its header. */
static bool header_of(const uint8_t *file, int64_t size, pen_checkpoint_header *h)
{
    if (size < HEADER) return false;
    memcpy(h, file, HEADER);
    return h->table >= HEADER && h->table <= h->about && h->about <= size && (h->about - h->table) % LINE == 0;
}

static pen_chunk line_at(const uint8_t *file, int64_t at)
{
    pen_chunk line;
    memcpy(&line, file + at, LINE);
    return line;
}

static void mend(uint8_t *file, int64_t size)
{
    pen_checkpoint_header h;
    if (size < HEADER) return;
    bool whole = header_of(file, size, &h);
    h.size = size;
    for (int64_t at = h.table; whole && at < h.about; at += LINE) {
        pen_chunk line = line_at(file, at);
        if (line.offset < 0 || line.bytes < 0 || line.offset > size || line.bytes > size - line.offset) continue;
        line.checksum = pen_checksum(file + line.offset, line.bytes);
        memcpy(file + at, &line, LINE);
    }
    if (whole) {
        h.table_checksum = pen_checksum(file + h.table, h.about - h.table);
        h.about_checksum = pen_checksum(file + h.about, size - h.about);
    }
    h.checksum = pen_checkpoint_header_checksum(&h);
    memcpy(file, &h, HEADER);
}

/* ---- Mutations ----------------------------------------------------------------------------------- */

/* Bytes [begin, end) become others, as many as it likes; returns how many more there are. */
static int64_t mutate_part(uint8_t *file, int64_t size, int64_t room, int64_t begin, int64_t end)
{
    uint8_t *part = malloc((size_t)(end - begin + room - size) + 1);
    memcpy(part, file + begin, (size_t)(end - begin));
    int64_t now = (int64_t)LLVMFuzzerMutate(part, (size_t)(end - begin), (size_t)(end - begin + room - size));
    memmove(file + begin + now, file + end, (size_t)(size - end));
    memcpy(file + begin, part, (size_t)now);
    free(part);
    return now - (end - begin);
}

/* Bytes that stay as many. */
static void mutate_in_place(uint8_t *bytes, int64_t size)
{
    uint8_t part[512];
    int64_t count = size < (int64_t)sizeof part ? size : (int64_t)sizeof part;
    int64_t at = size > count ? rand() % (size - count) : 0;
    memcpy(part, bytes + at, (size_t)count);
    size_t now = LLVMFuzzerMutate(part, (size_t)count, (size_t)count);
    memcpy(bytes + at, part, now);
}

/* A chunk becomes longer or shorter by whole words, and what is behind it is told. */
static int64_t mutate_chunk(uint8_t *file, int64_t size, int64_t room, pen_checkpoint_header h, int64_t which)
{
    pen_chunk line = line_at(file, h.table + which * LINE);
    if (line.offset < HEADER || line.bytes < 0 || line.offset > h.table || line.bytes > h.table - line.offset) return 0;
    int64_t words = rand() % 3 ? 0 : rand() % 9 - 4, more = 8 * words;
    if (line.bytes + more < 0 || size + more > room) more = 0;
    int64_t end = line.offset + line.bytes;
    if (more > 0) {
        memmove(file + end + more, file + end, (size_t)(size - end));
        memset(file + end, 0, (size_t)more);
    } else memmove(file + end + more, file + end, (size_t)(size - end));
    h.table += more;
    h.about += more;
    memcpy(file, &h, HEADER);
    for (int64_t k = which, at = h.table + which * LINE; at < h.about; at += LINE, k++) {
        pen_chunk other = line_at(file, at);
        if (k == which) other.bytes += more;
        else other.offset += more;
        memcpy(file + at, &other, LINE);
    }
    if (line.bytes + more > 0) mutate_in_place(file + line.offset, line.bytes + more);
    return more;
}

/* One number of a line, or of the header, becomes one nearby, or any. */
static void mutate_words(uint8_t *bytes, int64_t words)
{
    int64_t word, *at = &word;
    uint8_t *to = bytes + 8 * (rand() % words);
    memcpy(at, to, sizeof word);
    if (rand() % 2) word = (int64_t)((uint64_t)word + (uint64_t)(rand() % 17 - 8));
    else LLVMFuzzerMutate((uint8_t *)at, sizeof word, sizeof word);
    memcpy(to, at, sizeof word);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    pen_checkpoint_header h;
    uint8_t *file = data + 1;
    int64_t length = (int64_t)size - 1, most = (int64_t)room - 1;
    srand(seed);
    if (size == 0 || rand() % 16 == 0 || !header_of(file, length, &h)) return LLVMFuzzerMutate(data, size, room);
    const int64_t lines = (h.about - h.table) / LINE;
    switch (rand() % 8) {
    case 0: data[0] = (uint8_t)rand(); break;
    case 1: mutate_words(file + 8, HEADER / 8 - 1); break;
    case 2:
    case 3:
        if (lines > 0) mutate_words(file + h.table + LINE * (rand() % lines), LINE / 8);
        break;
    case 4:
    case 5:
        if (lines > 0) length += mutate_chunk(file, length, most, h, rand() % lines);
        break;
    default: length += mutate_part(file, length, most, h.about, length);
    }
    return (size_t)length + 1;
}

/* ---- Memory -------------------------------------------------------------------------------------- */

/* What loading may hold at a time: half of that is taken by MPI and a run of six nodes. */
enum { MOST_BYTES = 1 << 20, MOST_TIMES = 64 };
static int64_t live, most_live;

static void allocated(const volatile void *block, size_t size)
{
    live += (int64_t)size;
    if (live > most_live) most_live = live;
}

static void freed(const volatile void *block)
{
    if (block) live -= (int64_t)__sanitizer_get_allocated_size(block);
}

/* ---- The target ---------------------------------------------------------------------------------- */

typedef struct program {
    settings s;
    pen_option table[4];
    pen_app app;
} program;

static void make_program(program *p)
{
    p->s = (settings){ 0.25, SPARSE, "one", 12345 };
    p->app = case_app(&p->s, p->table);
}

static pen_run_options options_of(uint8_t taken)
{
    return (pen_run_options){ .seed = 3,
                              .steps = STEPS,
                              .transport = "blocking",
                              .balance = { .balancer = taken & STEERED ? "diffusive" : NULL,
                                           .load = taken & STEERED ? PEN_LOAD_DECLARED : PEN_LOAD_MEASURED },
                              .debug.strict = (taken & STRICT) != 0 };
}

static void write_seed(const char *folder, int steps, uint8_t taken)
{
    program p;
    pen_run *run = NULL;
    pen_graph *graph = case_graph(MPI_COMM_WORLD, "mesh:3x2,coordinates");
    pen_run_options options = options_of(taken);
    char path[4096];
    make_program(&p);
    require(pen_run_create(MPI_COMM_WORLD, graph, &p.app, &options, &run) == PEN_OK, "a run");
    require(pen_run_steps(run, steps) == PEN_OK && pen_run_save(run, folder) == PEN_OK, "a checkpoint");
    snprintf(path, sizeof path, "%s/step-%012d.checkpoint", folder, steps);
    FILE *in = fopen(path, "rb");
    snprintf(path, sizeof path, "%s/seed-%d-%d", folder, steps, taken);
    FILE *out = fopen(path, "wb");
    require(in && out, "a file to read and one to write");
    putc(taken, out);
    for (int c; (c = getc(in)) != EOF;) putc(c, out);
    fclose(in);
    fclose(out);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

static char path[64];
static int rank, ranks;

static void end(void)
{
    if (rank == 0) unlink(path);
    if (ranks > 1) MPI_Finalize(); /* else what it leaves unfreed would be called leaks */
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *seeds = getenv("PEN_FUZZ_SEEDS");
    __lsan_disable(); /* MPI libraries keep memory until the end */
    pen_environment_prepare();
    setenv("OMPI_MCA_opal_signal", "", 1); /* they are the fuzzer's */
    require(MPI_Init(NULL, NULL) == MPI_SUCCESS, "MPI starts");
    __lsan_enable();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(path, sizeof path, "/tmp/checkpoint-fuzz-XXXXXX");
    if (rank == 0) close(mkstemp(path));
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    atexit(end);
    if (seeds)
        for (int taken = 0; taken <= STEERED + STRICT; taken += STEERED) {
            write_seed(seeds, 1, (uint8_t)taken);
            write_seed(seeds, 5, (uint8_t)taken);
        }
    require(__sanitizer_install_malloc_and_free_hooks(allocated, freed) > 0, "allocations are counted");
    return 0;
}

static void write_file(const uint8_t *data, int64_t size, bool raw)
{
    uint8_t *copy = malloc((size_t)size + 1);
    memcpy(copy, data, (size_t)size);
    if (!raw) mend(copy, size);
    int file = open(path, O_WRONLY | O_TRUNC);
    require(file >= 0 && write(file, copy, (size_t)size) == (ssize_t)size && close(file) == 0, "it is written");
    free(copy);
}

static bool same_everywhere(pen_status mine)
{
    int range[2] = { (int)mine, -(int)mine }, all[2];
    MPI_Allreduce(range, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all[0] == -all[1];
}

static bool refuses(pen_status status)
{
    return (status == PEN_ERR_INPUT || status == PEN_ERR_UNSUPPORTED || status == PEN_ERR_IO) &&
           (strstr(pen_error_message(), path) || strstr(pen_error_message(), "partitioner"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    program p;
    pen_run *run = NULL;
    if (size == 0) return 0;
    const int64_t length = (int64_t)size - 1;
    const pen_run_options options = options_of(data[0]);
    make_program(&p);
    if (rank == 0) write_file(data + 1, length, (data[0] & RAW_MASK) == RAW_MASK);
    if (ranks > 1) MPI_Barrier(MPI_COMM_WORLD);
    const int64_t before = most_live = live;
    pen_status status = pen_run_load(MPI_COMM_WORLD, path, &p.app, &options, &run);
    require(most_live - before <= MOST_BYTES + MOST_TIMES * length, "memory is in proportion to the file");
    require(status == PEN_OK || refuses(status), "read, or refused with its name");
    require(same_everywhere(status), "all ranks have the same status");
    if (status == PEN_OK) {
        uint64_t sum;
        require(pen_run_checksum(run, &sum) == PEN_OK, "it can be looked at");
        require(pen_run_steps(run, 2) == PEN_OK, "it goes on");
    }
    pen_run_destroy(&run);
    return 0;
}
