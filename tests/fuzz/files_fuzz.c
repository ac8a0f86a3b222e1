/* files_fuzz.c - the readers of what a run and pen-sim take besides graphs, under libFuzzer with sanitizers.
 *
 * The first line of an input is READER [FLAGS [NAMES]]; where the environment has PEN_FUZZ_READER, that is the reader.
 * The rest is the file. Readers:
 *
 *     input     .npy or CSV, of --input=NAMES:FILE, on one rank, for six nodes. 'd': their graph is directed; 's': gids
 *               are sparse; 'w': all columns must be there; a digit: it is read in pieces of so many bytes, times 37
 *     record    of a workload. Lines of a 'B' and a digit begin its blocks: each gets the head and the checksum that it
 *               needs, which a search does not guess. 'm': it has heads of its own, whose checksums are mended; 'r': it
 *               is taken as it is
 *     machine   of --machine, for as many parts as a digit says
 *     delays    of --comm=NAME:delay=FILE, on four ranks
 *
 * What is read is sound, or refused with a sentence; allocations are limited by -malloc_limit_mb. */
#include "base/bytes.h"
#include "base/hash.h"
#include "debug/delays.h"
#include "input/csv_part.h"
#include "input/read.h"
#include "input/rows.h"
#include "view/machine.h"
#include "workload/blocks.h"
#include "workload/workload.h"

#include <fcntl.h>
#include <math.h>
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[40] = "/tmp/files-fuzz-XXXXXX";
static int file = -1;
static pen_comm *comm;

static void require(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "not so: %s; last message: %s\n", what, pen_error_message());
    abort();
}

static bool is_refused(pen_status status)
{
    return status == PEN_ERR_INPUT || status == PEN_ERR_UNSUPPORTED || status == PEN_ERR_IO;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    __lsan_disable(); /* MPI libraries keep memory until the end */
    pen_environment_prepare();
    setenv("OMPI_MCA_opal_signal", "", 1); /* they are the fuzzer's */
    require(MPI_Init(NULL, NULL) == MPI_SUCCESS, "MPI starts");
    require(pen_comm_create(MPI_COMM_SELF, &comm) == PEN_OK, "a communicator");
    __lsan_enable();
    file = mkstemp(path);
    unlink(path);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return 0;
}

static void write_file(const void *bytes, int64_t size)
{
    require(ftruncate(file, 0) == 0 && pwrite(file, bytes, (size_t)size, 0) == (ssize_t)size, "the file is written");
}

/* ---- --input ------------------------------------------------------------------------------------- */

enum { NODES = 6, ARCS = 10, COLUMNS = 3 };

static pen_lid find_node(void *gids, pen_gid gid)
{
    for (pen_lid i = 0; i < NODES; i++)
        if (((const pen_gid *)gids)[i] == gid) return i;
    return -1;
}

static pen_status resolve(void *gids, pen_status mine, int64_t count, const pen_gid *wanted, int32_t *owners)
{
    for (int64_t i = 0; mine == PEN_OK && i < count; i++)
        owners[i] = find_node(gids, wanted[i]) >= 0 ? 0 : PEN_OWNER_UNKNOWN;
    return mine;
}

static void read_input(const char *flags, int digit, const char *names)
{
    static const pen_input_column columns[COLUMNS] = {
        { .name = "x" },
        { .name = "y", .nan = true, .otherwise = "2.0" },
        { .name = "w", .of_edges = true, .otherwise = "3.0" },
    };
    static const pen_app app = { .name = "files", PEN_INPUTS(columns) };
    static const uint32_t rows[] = { 0, 1, 3, 5, 7, 9, 10 }; /* a path */
    static const pen_lid ends[] = { 1, 0, 2, 1, 3, 2, 4, 3, 5, 4 };
    pen_gid gids[NODES];
    double x[NODES], y[NODES], w[ARCS], *values[] = { x, y, w };
    pen_input_files *files = NULL;
    char text[128];
    pen_csv_part_chunk = pen_input_piece = 37 * digit;
    for (int i = 0; i < NODES; i++) gids[i] = strchr(flags, 's') ? 1000 * (i + 1) : i;
    for (int i = 0; i < ARCS; i++) w[i] = NAN;
    memcpy(x, w, sizeof x);
    const pen_input_nodes nodes = { .comm = comm,
                                    .directed = strchr(flags, 'd') != NULL,
                                    .count = NODES,
                                    .gids = gids,
                                    .rows = rows,
                                    .columns = ends,
                                    .context = gids,
                                    .find = find_node,
                                    .resolve = resolve };
    snprintf(text, sizeof text, "%s%s%s", names, *names ? ":" : "", path);
    pen_status status = pen_input_files_create(&app, text, strchr(flags, 'w') != NULL, &files);
    if (status == PEN_OK) status = pen_input_read(files, &nodes, values);
    require(status == PEN_OK || is_refused(status), "read, or refused");
    for (int i = 0; status == PEN_OK && i < NODES; i++) require(!isnan(x[i]), "all nodes have a value");
    for (int i = 0; status == PEN_OK && i < ARCS; i++) require(!isnan(w[i]), "all arcs have a value");
    pen_input_files_destroy(&files);
}

/* ---- Records ------------------------------------------------------------------------------------- */

enum { HEAD = 32 }; /* kind and coding, 4 bytes each; size, that which is stored, and checksum, 8 each: blocks.c */

static void put_number(uint8_t *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> 8 * i);
}

static void put_checksum(uint8_t *head, int64_t stored)
{
    put_number(head + 24, pen_mix(pen_hash_bytes(head, 24)) ^ pen_hash_bytes(head + HEAD, (size_t)stored), 8);
}

static const uint8_t *find_block(const uint8_t *at, const uint8_t *end)
{
    while (end - at >= 4 && !(at[0] == '\n' && at[1] == 'B' && at[2] >= '0' && at[2] <= '9' && at[3] == '\n')) at++;
    return end - at >= 4 ? at : end;
}

/* What lies between lines that begin blocks becomes blocks; returns the size of the record. */
static int64_t make_blocks(const uint8_t *text, int64_t size, uint8_t *record)
{
    const uint8_t *end = text + size, *at = find_block(text, end);
    uint8_t *to = record;
    while (at < end) {
        const uint8_t *begin = at + 4, *next = find_block(begin, end);
        const int64_t stored = next - begin;
        put_number(to, (uint64_t)(at[2] - '0'), 8);
        put_number(to + 8, (uint64_t)stored, 8);
        put_number(to + 16, (uint64_t)stored, 8);
        memcpy(to + HEAD, begin, (size_t)stored);
        put_checksum(to, stored);
        to += HEAD + stored;
        at = next;
    }
    return to - record;
}

static void mend_blocks(uint8_t *record, int64_t size)
{
    for (int64_t at = 0, stored; size - at >= HEAD; at += HEAD + stored) {
        stored = 0;
        for (int i = 7; i >= 0; i--) stored = (int64_t)((uint64_t)stored << 8 | record[at + 16 + i]);
        if (stored < 0 || stored > size - at - HEAD) {
            stored = size - at - HEAD;
            put_number(record + at + 16, (uint64_t)stored, 8);
        }
        put_checksum(record + at, stored);
    }
}

static void write_record(const uint8_t *text, int64_t size, const char *flags)
{
    static const char magic[] = PEN_WORKLOAD_MAGIC PEN_WORKLOAD_VERSION;
    const int64_t begin = sizeof magic - 1;
    if (strchr(flags, 'r')) {
        write_file(text, size);
        return;
    }
    uint8_t *record = malloc((size_t)(begin + HEAD * (1 + size)));
    memcpy(record, magic, (size_t)begin);
    if (strchr(flags, 'm')) {
        memcpy(record + begin, text, (size_t)size);
        mend_blocks(record + begin, size);
    } else {
        size = make_blocks(text - 1, size + 1, record + begin); /* from the first line's end on */
    }
    write_file(record, begin + size);
    free(record);
}

static void check_record(const pen_workload *w)
{
    int32_t nodes = 0;
    for (int32_t p = 0; p < w->places; p++) {
        nodes += w->gids[p] >= 0;
        require(isfinite(w->loads[p]) && w->loads[p] >= 0.0, "loads are");
        require(w->rows[p] <= w->rows[p + 1], "rows follow each other");
        require(w->gids[p] >= 0 || w->rows[p] == w->rows[p + 1], "holes have none");
        for (uint32_t a = w->rows[p]; a < w->rows[p + 1]; a++) {
            require(w->columns[a] >= 0 && w->columns[a] < w->places && w->gids[w->columns[a]] >= 0, "neighbours are");
            require(w->columns[a] != p, "none is its own");
            require(!w->edge_weights || w->edge_weights[a] >= 1, "weights are");
        }
    }
    require(nodes == w->nodes, "nodes are counted");
    for (int64_t i = 0; w->dimensions > 0 && i < (int64_t)w->places * w->dimensions; i++)
        require(w->gids[i / w->dimensions] < 0 || isfinite(w->coordinates[i]), "coordinates are");
}

static void read_record(const uint8_t *text, int64_t size, const char *flags)
{
    pen_workload w;
    pen_workload_event event = PEN_WORKLOAD_STEP;
    write_record(text, size, flags);
    pen_status status = pen_workload_open(path, &w);
    if (status == PEN_OK) {
        while (status == PEN_OK) {
            check_record(&w);
            if (event == PEN_WORKLOAD_END) break;
            status = pen_workload_next(&w, &event);
        }
        pen_workload_close(&w);
    }
    require(status == PEN_OK || is_refused(status), "read, or refused");
}

/* ---- Machines and delays ------------------------------------------------------------------------- */

static void read_machine(const char *text, int parts)
{
    pen_machine *m = NULL, *again = NULL;
    pen_status status = pen_machine_parse("machine", text, parts, &m);
    require(status == PEN_OK || is_refused(status) || status == PEN_ERR_ARGUMENT, "read, or refused");
    if (status != PEN_OK) return;
    char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    status = pen_machine_write(m, out);
    fclose(out);
    require(status == PEN_OK, "it is written");
    require(pen_machine_parse("written", written, parts, &again) == PEN_OK, "and read again");
    require(m->processors == parts && again->processors == parts, "as many processors");
    require(isfinite(m->total_speed), "the sum of speeds is");
    for (int32_t p = 0; p < parts; p++) {
        require(isfinite(m->speeds[p]) && m->speeds[p] > 0.0 && m->speeds[p] == again->speeds[p], "speeds are");
        for (int32_t q = 0; q < parts; q++) {
            const pen_link a = m->link(m, p, q), b = again->link(again, p, q), back = m->link(m, q, p);
            require(a.cost >= 0.0 && isfinite(a.cost) && a.latency >= 0.0 && isfinite(a.latency), "links are");
            require(a.cost == b.cost && a.latency == b.latency, "the same is read again");
            require(a.cost == back.cost && a.latency == back.latency, "links lead back");
        }
    }
    pen_machine_destroy(&m);
    pen_machine_destroy(&again);
    free(written);
}

static void read_delays(void)
{
    enum { RANKS = 4 };
    pen_comm four = *comm;
    pen_delays *delays = NULL;
    four.size = RANKS; /* one after the other */
    pen_status status = pen_delays_create(&four, path, &delays);
    require(status == PEN_OK || is_refused(status), "read, or refused");
    for (int p = 0; status == PEN_OK && p < RANKS; p++)
        require(delays->from[p].seconds >= 0.0 && delays->from[p].seconds <= 60.0, "a delay is");
    pen_delays_destroy(&delays);
}

/* ---- The target ---------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *newline = memchr(data, '\n', size);
    if (!newline) return 0;
    char first[64], reader[16] = "", flags[8] = "", names[32] = "";
    snprintf(first, sizeof first, "%.*s", (int)(newline - data), (const char *)data);
    sscanf(first, "%15s %7s %31[^;]", reader, flags, names);
    const char *wanted = getenv("PEN_FUZZ_READER") ? getenv("PEN_FUZZ_READER") : reader;
    const uint8_t *text = newline + 1;
    const int64_t rest = (int64_t)(data + size - text);
    const char *number = strpbrk(flags, "123456789");
    const int digit = number ? *number - '0' : 4;
    if (strcmp(wanted, "record") == 0) {
        read_record(text, rest, flags);
    } else if (strcmp(wanted, "machine") == 0) {
        char *copy = malloc((size_t)rest + 1);
        memcpy(copy, text, (size_t)rest);
        copy[rest] = '\0';
        read_machine(copy, digit);
        free(copy);
    } else if (strcmp(wanted, "input") == 0 || strcmp(wanted, "delays") == 0) {
        write_file(text, rest);
        if (*wanted == 'i') read_input(flags, digit, names);
        else read_delays();
    }
    return 0;
}
