/* readers_fuzz.c - every reader in C of pen-graph, under libFuzzer with sanitizers.
 *
 * The first line of an input names the reader: a format, "coordinates", "mapping" or an ending (".gz"); where it is
 * none of these its first byte chooses one; and where the environment has PEN_FUZZ_READER, that is the one. Letters
 * behind the name: 'd': directed; 'v': with values; 'R': with real ones; 's': weights are added up; a
 * digit: so many bytes are read at once, times 37; 'r': a binary file's size and checksums stay as they are, while
 * otherwise they are made right, since a search does not guess them. The rest is the text. What is read must be sound,
 * right after a repair, and come back equal from the format that it is of; allocations are limited by -malloc_limit_mb.
 */
#include "base/hash.h"
#include "tests/tools/memory_input.h"
#include "tests/tools/memory_output.h"
#include "tools/common/start_mpi.h"
#include "tools/graph/coordinates.h"
#include "tools/graph/examine.h"
#include "tools/graph/formats.h"
#include "tools/graph/lose.h"
#include "tools/graph/mapping.h"

#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "not so: %s; last message: %s\n", what, pen_error_message());
    abort();
}

static void check_sound(const file_graph *g)
{
    require(g->nodes >= 0 && g->rows && g->rows[0] == 0, "there are rows");
    for (int64_t i = 0; i < g->nodes; i++) require(g->rows[i] <= g->rows[i + 1], "rows follow each other");
    for (int64_t a = 0; a < pen_file_graph_arcs(g); a++)
        require(g->neighbors[a] >= 0 && g->neighbors[a] < g->nodes, "neighbours are nodes");
}

static void come_back(const graph_format *format, const format_options *options, const file_graph *g)
{
    unsigned losses;
    require(pen_file_graph_losses(g, format->holds, &losses) == PEN_OK, "losses");
    if ((losses & ~(unsigned)HOLDS_TOLD) != 0 || !format->write) return;
    char *text;
    int64_t size;
    writer out;
    pen_scanner in;
    findings f;
    file_graph back = { .base = 1 };
    pen_findings_init(&f, 1);
    require(memory_output_open(&text, &size, &out) == PEN_OK, "output opens");
    pen_status status = pen_writer_close(&out, format->write(format, g, &out));
    if (status == PEN_ERR_UNSUPPORTED) return;
    require(status == PEN_OK, "what is held is written");
    require(memory_input_open("written", text, size, &in) == PEN_OK, "input opens");
    require(format->read(format, &in, options, &back, &f) == PEN_OK && f.errors == 0, "what is written is read");
    require(pen_scanner_close(&in, PEN_OK) == PEN_OK, "input closes");
    require(back.nodes == g->nodes && pen_file_graph_arcs(&back) == pen_file_graph_arcs(g),
            "what comes back is as large");
    if ((format->holds & HOLDS_ORDER) && !g->names) /* which get their numbers as they come */
        require(memcmp(back.neighbors, g->neighbors, (size_t)pen_file_graph_arcs(g) * sizeof *g->neighbors) == 0,
                "and equal");
    pen_findings_free(&f);
    pen_file_graph_free(&back);
    free(text);
}

static void read_graph(const graph_format *format, const format_options *options, pen_scanner *in)
{
    findings f, left;
    file_graph g = { .base = 1, .rule = options->weights };
    pen_findings_init(&f, 3);
    pen_findings_init(&left, 3);
    pen_status status = format->read(format, in, options, &g, &f);
    require(status == PEN_OK || (status == PEN_ERR_INPUT && (f.errors > 0 || g.rule == WEIGHT_SUM)),
            "read, or refused with a finding");
    if (status == PEN_OK) {
        check_sound(&g);
        bool right = f.errors == 0;
        require(pen_file_graph_repair(&g, format->holds) == PEN_OK, "repaired");
        check_sound(&g);
        require(pen_file_graph_examine(&g, format->holds, &left) == PEN_OK, "examined");
        bool sum_only = left.errors > 0 && left.list[0].arc < 0;
        require(left.errors == 0 || sum_only, "right after the repair");
        if (right && !sum_only) come_back(format, options, &g);
    }
    pen_findings_free(&f);
    pen_findings_free(&left);
    pen_file_graph_free(&g);
}

/* ---- Penumbra's binary files ---------------------------------------------------------------- */

static uint64_t word_at(const uint8_t *file, int64_t at)
{
    uint64_t word;
    memcpy(&word, file + at, sizeof word);
    return word;
}

static void put_word(uint8_t *file, int64_t at, uint64_t word) { memcpy(file + at, &word, sizeof word); }

static uint64_t sum_words(const uint8_t *words, int64_t count)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += pen_mix(word_at(words, 8 * i) + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15));
    return sum;
}

/* As runtime/graph/binary.h has it. */
static void mend_sums(uint8_t *file, int64_t size)
{
    enum { HEADER = 200, SIZE_AT = 72, BEGINS_AT = 80, SUMS_AT = 136, SUM_AT = 192, SECTIONS = 7 };
    if (size < HEADER) return;
    put_word(file, SIZE_AT, (uint64_t)size);
    for (int64_t s = 0; s < SECTIONS; s++) {
        uint64_t begin = word_at(file, BEGINS_AT + 8 * s);
        uint64_t end = s + 1 < SECTIONS ? word_at(file, BEGINS_AT + 8 * (s + 1)) : (uint64_t)size;
        if (begin <= end && end <= (uint64_t)size)
            put_word(file, SUMS_AT + 8 * s, sum_words(file + begin, (int64_t)(end - begin) / 8));
    }
    put_word(file, SUM_AT, sum_words(file, SUM_AT / 8));
}

/* The library reads it by its path. */
static void read_binary(const uint8_t *text, int64_t size, bool raw, const format_options *options)
{
    static char path[40] = "/tmp/readers-fuzz-XXXXXX";
    static int file = -1;
    if (file < 0) {
        file = mkstemp(path);
        unlink(path);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        __lsan_disable(); /* MPI libraries keep memory until the end */
        require(pen_start_mpi() == PEN_OK, "MPI starts");
        __lsan_enable();
    }
    uint8_t *copy = malloc((size_t)size + 1);
    require(file >= 0 && copy, "there is a file");
    memcpy(copy, text, (size_t)size);
    if (!raw) mend_sums(copy, size);
    require(ftruncate(file, 0) == 0 && pwrite(file, copy, (size_t)size, 0) == (ssize_t)size, "the file is written");
    findings f;
    file_graph g;
    pen_findings_init(&f, 3);
    pen_status status = pen_format_read(&pen_format_penumbra, path, options, &g, &f);
    require(status == PEN_OK || (status == PEN_ERR_INPUT && f.errors > 0), "read, or refused with a finding");
    if (status == PEN_OK) {
        check_sound(&g);
        require(f.errors == 0 || strstr(f.list[0].what, "the sum of"), "what the library takes is right, but for sums");
    }
    pen_findings_free(&f);
    pen_file_graph_free(&g);
    free(copy);
}

/* ---- Companions ----------------------------------------------------------------------------- */

/* A path of ten nodes, which companion files belong to. */
static void read_companion(bool coordinates, pen_scanner *in)
{
    enum { NODES = 10 };
    int64_t rows[NODES + 1] = { 0 };
    int parts[NODES], count;
    findings f;
    pen_findings_init(&f, 3);
    file_graph g = { .base = 1, .nodes = NODES, .rows = rows };
    pen_status status = coordinates ? pen_coordinates_read(in, NULL, &g, &f)
                                    : pen_mapping_read(in, MAPPING_BY_CONTENT, &g, parts, &count, &f);
    require(status == PEN_OK || (status == PEN_ERR_INPUT && f.errors > 0), "read, or refused with a finding");
    free(g.coordinates);
    pen_findings_free(&f);
}

/* ---- Compressed text ------------------------------------------------------------------------ */

static void close_nothing(void *state) { (void)state; }

static void decompress(const char *path, const uint8_t *data, size_t size)
{
    memory_source m = { (const char *)data, (const char *)data + size };
    pen_byte_source source = { &m, memory_read, close_nothing };
    char text[4096];
    int64_t got = 1, all = 0;
    if (pen_decompress(path, &source) == PEN_OK)
        while (got > 0 && all < 1 << 20) {
            got = source.read(source.state, text, (int64_t)sizeof text);
            all += got;
        }
    if (source.close) source.close(source.state);
}

/* ---- The target ----------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const others[] = { "coordinates", "mapping", ".gz", ".xz", ".zst" };
    const uint8_t *newline = memchr(data, '\n', size);
    if (!newline) return 0;
    char first[32], name[24] = "", flags[8] = "";
    snprintf(first, sizeof first, "%.*s", (int)(newline - data), (const char *)data);
    sscanf(first, "%23s %7s", name, flags);
    int all = pen_graph_format_count + PEN_COUNT_OF(others), which = (int)(data[0] % (unsigned)all);
    const char *wanted = getenv("PEN_FUZZ_READER") ? getenv("PEN_FUZZ_READER") : name;
    for (int k = 0; k < all; k++)
        if (strcmp(wanted,
                   k < pen_graph_format_count ? pen_graph_formats[k]->name : others[k - pen_graph_format_count]) == 0)
            which = k;
    const uint8_t *text = newline + 1;
    int64_t rest = (int64_t)(data + size - text);
    size_t digit = strcspn(flags, "123456789");
    pen_scanner_chunk = flags[digit] != '\0' ? 37 * (flags[digit] - '0') : 1 << 12;
    const format_options options = {
        .directed = strchr(flags, 'd') != NULL,
        .values = strchr(flags, 'v') != NULL,
        .reals = strchr(flags, 'R') != NULL,
        .weights = strchr(flags, 's') ? WEIGHT_SUM : WEIGHT_FIRST,
    };
    if (which >= pen_graph_format_count + 2) {
        char path[16];
        snprintf(path, sizeof path, "x%s", others[which - pen_graph_format_count]);
        decompress(path, text, (size_t)rest);
        return 0;
    }
    if (which < pen_graph_format_count && pen_graph_formats[which]->python) return 0; /* Python reads it */
    if (which < pen_graph_format_count && !pen_graph_formats[which]->read) {
        if (pen_graph_formats[which]->read_path) read_binary(text, rest, strchr(flags, 'r') != NULL, &options);
        return 0;
    }
    pen_scanner in;
    require(memory_input_open("text", text, rest, &in) == PEN_OK, "input opens");
    if (which < pen_graph_format_count) read_graph(pen_graph_formats[which], &options, &in);
    else read_companion(which == pen_graph_format_count, &in);
    require(pen_scanner_close(&in, PEN_OK) == PEN_OK, "input closes");
    return 0;
}
