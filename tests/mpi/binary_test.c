/* binary_test.c - the binary graph format: its bytes, round trips, and files that are damaged or wrong.
 * The bytes are made here from the specification in binary.h, without the library.
 * pen_mpi_test() */
#include "tests/support/graph_hash.h"
#include "tests/support/world.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static int size;
static char directory[64], file[96], own[128]; /* for all ranks together, and for each alone */

/* ---- Files from the specification ----------------------------------------------------------- */

enum { HEADER = 200, MOST = 4096 };

typedef struct image {
    unsigned char bytes[MOST];
    size_t length;
} image;

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static uint64_t word_at(const image *f, size_t at)
{
    uint64_t word;
    memcpy(&word, f->bytes + at, 8);
    return word;
}

static void put(image *f, size_t at, int64_t word) { memcpy(f->bytes + at, &word, 8); }

static uint64_t checksum(const image *f, size_t begin, size_t end)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; begin + 8 * i < end; i++)
        sum += mix(word_at(f, begin + 8 * i) + i * UINT64_C(0x9E3779B97F4A7C15));
    return sum;
}

/* Make all checksums right, for the sections that the header describes. */
static void seal(image *f)
{
    for (size_t s = 0; s < 7; s++) {
        uint64_t begin = word_at(f, 80 + 8 * s), end = s < 6 ? word_at(f, 88 + 8 * s) : f->length;
        if (begin <= end && end <= f->length) put(f, 136 + 8 * s, (int64_t)checksum(f, begin, end));
    }
    put(f, 192, (int64_t)checksum(f, 0, 192));
}

/* A path of three nodes, gids 7, 1 << 40 and 9, with everything that a file can have. */
enum {
    GIDS = HEADER,
    ROWS = GIDS + 24,
    NEIGHBORS = ROWS + 32,
    WEIGHTS = NEIGHBORS + 32,
    SIZES = WEIGHTS + 48,
    EDGE_WEIGHTS = SIZES + 24,
    COORDINATES = EDGE_WEIGHTS + 32,
    END = COORDINATES + 48
};

static const pen_gid MIDDLE = INT64_C(1) << 40;

static image make_path(void)
{
    static const unsigned char magic[8] = { 0x89, 0x50, 0x45, 0x4E, 0x0D, 0x0A, 0x1A, 0x0A };
    static const uint32_t order = 0x01020304, version = 1;
    static const double places[6] = { 0, 0.5, 1, -0.5, 2, 1e300 };
    const int64_t counts[] = { 2 | 4 | 8,    3,          4, 2, 2, 3, 1, END, GIDS, ROWS, NEIGHBORS, WEIGHTS, SIZES,
                               EDGE_WEIGHTS, COORDINATES };
    const int64_t body[] = { 7,  MIDDLE, 9,  0, 1,  3, 4, MIDDLE, 7,   9,   MIDDLE, 1,
                             10, 2,      20, 3, 30, 4, 5, 6,      100, 100, 200,    200 };
    image f = { .length = END };
    memcpy(f.bytes, magic, 8);
    memcpy(f.bytes + 8, &order, 4);
    memcpy(f.bytes + 12, &version, 4);
    memcpy(f.bytes + 16, counts, sizeof counts);
    memcpy(f.bytes + HEADER, body, sizeof body);
    memcpy(f.bytes + COORDINATES, places, sizeof places);
    seal(&f);
    return f;
}

/* Undirected, nothing but nodes and arcs: a triangle and an isolated node. */
static image make_triangle(void)
{
    const int64_t words[] = { 0, 4, 6, 0, 0, 2, 2, 288, 200, 200, 240, 288, 288, 288, 288, 0, 0,
                              0, 0, 0, 0, 0, 0, 0, 2,   4,   6,   6,   1,   2,   0,   2,   0, 1 };
    image f = make_path();
    f.length = 288;
    memcpy(f.bytes + 16, words, sizeof words);
    seal(&f);
    return f;
}

/* Collective over comm. The status of reading, and a hash of the graph, or 0. A refusal names the file. */
static pen_status read_on(MPI_Comm comm, const char *path, const pen_read_options *options, uint64_t *hash)
{
    pen_graph *g = NULL;
    pen_status status = pen_graph_read(comm, path, options, &g);
    *hash = status == PEN_OK ? graph_hash(g) : 0;
    CHECK((status == PEN_OK) == (g != NULL));
    if (status == PEN_ERR_INPUT) CHECK(strncmp(pen_error_message(), path, strlen(path)) == 0);
    pen_graph_destroy(&g);
    return status;
}

/* ---- The bytes ------------------------------------------------------------------------------ */

/* Collective. The file holds exactly these bytes. */
static void check_bytes(const image *f)
{
    MPI_Barrier(MPI_COMM_WORLD);
    image found = { .length = 0 };
    FILE *in = fopen(file, "rb");
    if (in) {
        found.length = fread(found.bytes, 1, MOST, in);
        fclose(in);
    }
    CHECK_INT(found.length, f->length);
    for (size_t at = 0; at < f->length; at += 8) CHECK_INT(word_at(&found, at), word_at(f, at));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_path(void)
{
    static const pen_gid neighbors[3][2] = { { INT64_C(1) << 40 }, { 7, 9 }, { INT64_C(1) << 40 } };
    image f = make_path();
    write_file(file, f.bytes, f.length);
    pen_graph *g = NULL;
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, file, &(pen_read_options){ .load_weight = 1 }, &g), PEN_OK);
    if (!g) return;
    CHECK_INT(pen_graph_nodes(g), 3);
    CHECK_INT(pen_graph_edges(g), 2);
    CHECK_INT(g->width, 3);
    CHECK_INT(g->height, 1);
    CHECK(!g->dense && !g->directed);
    int64_t count = g->count, i = 0;
    MPI_Exscan(&count, &i, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (pen_lid row = 0; row < g->count; row++, i++) {
        const int64_t gids[] = { 7, MIDDLE, 9 };
        CHECK_INT(pen_graph_gid(g, row), gids[i]);
        CHECK_INT(pen_graph_load(g, row), 10 * (i + 1));
        CHECK_INT(g->node_weights[2 * row], i + 1);
        CHECK_INT(g->node_sizes[row], i + 4);
        CHECK(g->coordinates[2 * row] == (double)i);
        CHECK_INT(g->rows[row + 1] - g->rows[row], i == 1 ? 2 : 1);
        for (int k = 0; k < (i == 1 ? 2 : 1); k++) {
            CHECK_INT(g->neighbors[g->rows[row] + k], neighbors[i][k]);
            CHECK_INT(g->edge_weights[g->rows[row] + k], i + k < 2 && i < 2 ? 100 : 200);
        }
    }
    CHECK_STATUS(pen_graph_write(g, file), PEN_OK);
    check_bytes(&f);
    pen_graph_destroy(&g);

    f = make_triangle();
    write_file(file, f.bytes, f.length);
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, file, NULL, &g), PEN_OK);
    CHECK(g->dense && !g->gids && !g->node_weights && !g->node_sizes && !g->edge_weights && !g->coordinates);
    CHECK_STATUS(pen_graph_write(g, file), PEN_OK);
    check_bytes(&f);
    pen_graph_destroy(&g);
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, file, &(pen_read_options){ .directed = true }, &g), PEN_OK);
    CHECK_INT(pen_graph_edges(g), 6);
    pen_graph_destroy(&g);
}

/* ---- Damage --------------------------------------------------------------------------------- */

/* No change of a byte and no truncation passes. Every rank tries its share alone; some are tried together. */
static void check_damage(const image *good)
{
    uint64_t hash;
    int rank = check_rank();
    for (size_t at = 0; at < good->length; at++) {
        image f = *good;
        f.bytes[at] ^= (unsigned char)(at % 3 == 0 ? 0xff : 1 << at % 8);
        if ((int)(at % (size_t)size) == rank) {
            write_bytes(own, f.bytes, f.length);
            CHECK_INT(read_on(MPI_COMM_SELF, own, NULL, &hash), PEN_ERR_INPUT);
            f = *good;
            f.length = at;
            write_bytes(own, f.bytes, f.length);
            CHECK_INT(read_on(MPI_COMM_SELF, own, NULL, &hash), PEN_ERR_INPUT);
        }
        if (at % 37 > 0) continue;
        f = *good;
        f.bytes[at] ^= 16;
        write_file(file, f.bytes, f.length);
        CHECK_INT(read_on(MPI_COMM_WORLD, file, NULL, &hash), PEN_ERR_INPUT);
        f.length = at;
        write_file(file, f.bytes, f.length);
        CHECK_INT(read_on(MPI_COMM_WORLD, file, NULL, &hash), PEN_ERR_INPUT);
    }
    image longer = *good;
    longer.length++;
    write_file(file, longer.bytes, longer.length);
    CHECK_INT(read_on(MPI_COMM_WORLD, file, NULL, &hash), PEN_ERR_INPUT);
    write_file(file, good->bytes, good->length);
    CHECK_INT(read_on(MPI_COMM_WORLD, file, NULL, &hash), PEN_OK);
}

/* Forged words with right checksums that are not a valid graph or file. */
static void check_wrong(void)
{
    const int64_t huge = INT64_C(1) << 60, nan_bits = INT64_C(0x7ff8000000000000);
    const struct {
        size_t at;
        int64_t word;
        const char *what;
    } bad[] = {
        { 0, 0, "unexpected 0x00" },
        { 8, INT64_C(0x0000000201020304), "version 2" },
        { 8, INT64_C(0x0100000004030201), "other byte order" },
        { 8, INT64_C(0x0000000111111111), "checksum" },
        { 16, 64 | 14, "flags" },
        { 16, -1, "flags" },
        { 16, 2 | 4, "counts that do not fit" },
        { 24, 0, "no nodes" },
        { 24, -3, "negative" },
        { 24, 4, "grid" },
        { 24, huge, "grid" },
        { 32, -4, "negative" },
        { 32, 5, "counts that do not fit" },
        { 32, INT64_MAX, "counts that do not fit" },
        { 40, -1, "negative" },
        { 40, INT64_MAX, "counts that do not fit" },
        { 40, 2 + (INT64_C(1) << 61), "counts that do not fit" }, /* modulo 2^64 they would */
        { 48, 4, "dimensions" },
        { 48, -1, "dimensions" },
        { 48, 3, "counts that do not fit" },
        { 56, 2, "grid" },
        { 56, 1, "grid" },
        { 56, 0, "grid" },
        { 64, -1, "grid" },
        { 64, huge, "grid" },
        { 72, END + 8, "the header says" },
        { 72, -1, "the header says" },
        { 80 + 16, ROWS, "sections" },
        { 80 + 48, huge, "sections" },
        { ROWS, 1, "rows are not ascending" },
        { ROWS, -1, "rows are not ascending" },
        { ROWS + 8, 4, "rows are not ascending" },
        { ROWS + 8, -huge, "rows are not ascending" },
        { ROWS + 16, huge, "rows are not ascending" },
        { ROWS + 24, 5, "rows are not ascending" },
        { ROWS + 24, 3, "rows are not ascending" },
        { GIDS, -7, "gids must be >= 0" },
        { GIDS, 9, "another row has the same gid" },
        { GIDS, 8, "node 1099511627776: neighbour 7 does not exist" },
        { NEIGHBORS, 9, "does not have this node" },
        { NEIGHBORS, 7, "neighbour 7 is the node itself" },
        { NEIGHBORS + 8, 9, "occurs twice" },
        { WEIGHTS + 8, -1, "node weight -1" },
        { SIZES, -1, "node size -1" },
        { EDGE_WEIGHTS, 101, "has weight" },
        { EDGE_WEIGHTS, 0, "weight 0 of the edge" },
        { COORDINATES, nan_bits, "coordinate nan, must be finite" },
    };
    uint64_t hash;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        image f = make_path();
        put(&f, bad[i].at, bad[i].word);
        if (bad[i].at < 80 || bad[i].at >= 136) seal(&f);
        put(&f, 192, (int64_t)checksum(&f, 0, 192) ^ (bad[i].what[0] == 'c' && bad[i].what[1] == 'h'));
        write_file(file, f.bytes, f.length);
        CHECK_STATUS(read_on(MPI_COMM_WORLD, file, NULL, &hash), PEN_ERR_INPUT);
        CHECK_CONTAINS(pen_error_message(), bad[i].what);
    }
    image f = make_path();
    write_file(file, f.bytes, f.length);
    CHECK_STATUS(read_on(MPI_COMM_WORLD, file, &(pen_read_options){ .load_weight = 2 }, &hash), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "load weight 2");
}

/* Random words in sealed files: no crash, and the same outcome on all ranks together as alone. */
static void check_mangled(const image *good, int rounds)
{
    static const int64_t words[] = { 0, 1, 2, 3, 7, 9, -1, INT64_MAX, INT64_MIN, INT64_C(1) << 40, 200, 224, 288, 300 };
    for (int i = 0; i < rounds; i++) {
        uint64_t random = mix((uint64_t)i + good->length), alone_hash, hash;
        image f = *good;
        for (uint64_t k = 0; k <= random % 3; k++) {
            uint64_t more = mix(random + k);
            put(&f, 16 + more % ((f.length - 16) / 8) * 8, words[(more >> 32) % 14]);
        }
        seal(&f);
        write_file(file, f.bytes, f.length);
        pen_status alone = read_on(MPI_COMM_SELF, file, NULL, &alone_hash),
                   all = read_on(MPI_COMM_WORLD, file, NULL, &hash);
        CHECK(alone == PEN_OK || alone == PEN_ERR_INPUT);
        CHECK_INT(all, alone);
        CHECK_INT(hash, alone_hash);
    }
}

/* ---- Round trips ---------------------------------------------------------------------------- */

/* Collective. Files in the directory, but for the ranks' own. */
static int count_files(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    int count = 0;
    DIR *d = opendir(directory);
    for (const struct dirent *entry; d && (entry = readdir(d));) count += entry->d_name[0] == 's';
    if (d) closedir(d);
    MPI_Barrier(MPI_COMM_WORLD);
    return count;
}

static void check_round_trip(const pen_graph *g)
{
    pen_graph *again = NULL, *alone = NULL;
    CHECK_STATUS(pen_graph_write(g, file), PEN_OK);
    CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, file, NULL, &again), PEN_OK);
    CHECK_STATUS(pen_graph_read(MPI_COMM_SELF, file, NULL, &alone), PEN_OK);
    CHECK_INT(count_files(), 1);
    if (!again || !alone) return;
    CHECK_INT(graph_hash(again), graph_hash(g));
    CHECK_INT(graph_hash(alone), graph_hash(g));
    CHECK_INT(again->width, g->width);
    CHECK_INT(again->height, g->height);
    CHECK_INT(again->dimensions, g->dimensions);
    CHECK_INT(again->dense, g->dense);
    CHECK_INT(again->weight_count, g->weight_count);
    pen_graph_destroy(&again);
    pen_graph_destroy(&alone);
}

static void check_generated(void)
{
    static const char *const specs[] = { "hex:1x1",
                                         "hex:300x200",
                                         "mesh:5x4x3,coordinates",
                                         "hex:9x5,coordinates",
                                         "tree:nodes=2",
                                         "geometric:nodes=500,radius=0.5,coordinates",
                                         "rmat:scale=3,factor=0",
                                         "rmat:scale=11" };
    pen_graph *g;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        g = graph_from(specs[i]);
        check_round_trip(g);
        pen_graph_destroy(&g);
    }
}

static const char *const TEXTS[] = {
    "3 3 111 2\n7 1 9 2 5 3 6\n0 0 0 1 5 3 7\n5 3 3 1 6 2 7\n",
    "4 1 1\n2 3\n1 3\n\n\n",
    "3 3 10 3\n9 8 7 2 3\n0 0 0 1 3\n1 2 3 1 2\n",
    "2 0 100\n4\n5\n",
};

/* Text, binary, text, with all weights. */
static void check_texts(void)
{
    char text[128];
    snprintf(text, sizeof text, "%s/source.graph", directory);
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        image f = { .length = strlen(TEXTS[i]) };
        memcpy(f.bytes, TEXTS[i], f.length);
        write_file(text, f.bytes, f.length);
        pen_graph *g = NULL, *binary = NULL, *again = NULL;
        CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, text, NULL, &g), PEN_OK);
        if (!g) continue;
        CHECK_STATUS(pen_graph_write(g, file), PEN_OK);
        CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, file, NULL, &binary), PEN_OK);
        if (!binary) return;
        CHECK_INT(graph_hash(binary), graph_hash(g));
        CHECK_STATUS(pen_graph_write(binary, text), PEN_OK);
        CHECK_STATUS(pen_graph_read(MPI_COMM_WORLD, text, NULL, &again), PEN_OK);
        CHECK_INT(graph_hash(again), graph_hash(g));
        pen_graph_destroy(&g);
        pen_graph_destroy(&binary);
        pen_graph_destroy(&again);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) unlink(text);
}

/* Directed, sparse gids, weights, and ranks in the middle that have nothing: a ring strewn over the others. */
static void check_ring(bool directed, bool weights)
{
    enum { NODES = 150 };
    pen_gid gids[NODES], neighbors[2 * NODES];
    int64_t rows[NODES + 1] = { 0 }, loads[NODES], edges[2 * NODES];
    pen_csr csr = { .directed = directed };
    int rank = check_rank();
    for (int i = 0; i < NODES; i++) {
        int there = (int)(mix((uint64_t)i) % (uint64_t)size);
        if ((size > 2 && there == size / 2 ? 0 : there) != rank) continue;
        int64_t k = rows[csr.count];
        gids[csr.count] = (pen_gid)i * i * 1000003;
        loads[csr.count] = i;
        for (int side = 1; side < (directed ? 2 : 3); side++, k++) {
            int64_t other = (i + (side == 1 ? 1 : NODES - 1)) % NODES;
            neighbors[k] = other * other * 1000003;
            edges[k] = 1 + other * i % 5;
        }
        rows[++csr.count] = k;
    }
    csr.gids = gids;
    csr.rows = rows;
    csr.neighbors = neighbors;
    csr.node_weights = weights ? loads : NULL;
    csr.edge_weights = weights ? edges : NULL;
    pen_graph *g = NULL;
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, &csr, &g), PEN_OK);
    if (!g) return;
    CHECK(!g->dense);
    check_round_trip(g);
    pen_graph_destroy(&g);
}

/* ---- Unreadable and unwritable files -------------------------------------------------------- */

static void check_io(void)
{
    char path[128];
    uint64_t hash;
    image f = make_path();
    write_file(file, f.bytes, f.length);
    snprintf(path, sizeof path, "%s/missing.pen", directory);
    CHECK_STATUS(read_on(MPI_COMM_WORLD, path, NULL, &hash), PEN_ERR_IO);
    CHECK_CONTAINS(pen_error_message(), "No such file");
    pen_graph *g = graph_from("hex:70x70");
    CHECK_STATUS(pen_graph_write(g, "/nowhere/at/all.pen"), PEN_ERR_IO);
    snprintf(path, sizeof path, "%s/folder.pen", directory);
    if (check_rank() == 0) mkdir(path, 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_STATUS(pen_graph_write(g, path), PEN_ERR_IO);
    if (check_rank() == 0) rmdir(path);
    limit_files(3000);
    CHECK_STATUS(pen_graph_write(g, file), PEN_ERR_IO);
    CHECK_CONTAINS(pen_error_message(), "cannot write");
    limit_files(-1);
    pen_graph_destroy(&g);
    CHECK_INT(count_files(), 1);
    check_bytes(&f);
}

CHECKS()
{
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(directory, sizeof directory, "/tmp/penumbra-binary-XXXXXX");
    if (check_rank() == 0) CHECK(mkdtemp(directory) != NULL);
    MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(file, sizeof file, "%s/shared.pen", directory);
    snprintf(own, sizeof own, "%s/rank-%d.pen", directory, check_rank());

    RUN(check_path());
    image path = make_path(), triangle = make_triangle();
    RUN(check_damage(&path));
    RUN(check_damage(&triangle));
    RUN(check_wrong());
    RUN(check_mangled(&path, 50));
    RUN(check_mangled(&triangle, 25));
    RUN(check_generated());
    RUN(check_texts());
    for (int i = 0; i < 4; i++) RUN(check_ring(i % 2, i / 2));
    RUN(check_io());

    unlink(own);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) {
        unlink(file);
        CHECK_INT(rmdir(directory), 0);
    }
}
