/* library_test.c - pen-graph's use of the library: the quality of partitions against brute force, the binary format,
 * and, with arguments SPEC FILE SPEC FILE ..., files against the library's generators. */
#include "tests/support/check.h"
#include "tests/support/graph_hash.h"
#include "tests/support/world.h"
#include "tools/common/copy.h"
#include "tools/common/start_mpi.h"
#include "tools/graph/formats.h"
#include "tools/graph/library.h"
#include "view/quality.h"

#include <math.h>
#include <unistd.h>

enum { MOST = 12 };

static uint64_t state = 88172645463325252u;

static int draw(int below) { return draw_below(&state, below); }

/* ---- Quality -------------------------------------------------------------------------------- */

typedef struct sample {
    int nodes, parts;
    int64_t weight[MOST][MOST]; /* of the arc, 0: none */
    int64_t load[MOST];
    int32_t part[MOST];
    bool directed, weighted;
} sample;

static void draw_sample(sample *s)
{
    *s = (sample){ .nodes = 1 + draw(MOST) };
    s->parts = 1 + draw(6);
    s->directed = draw(2);
    s->weighted = draw(2);
    int dense = 1 + draw(5);
    for (int u = 0; u < s->nodes; u++) {
        s->part[u] = draw(s->parts);
        s->load[u] = s->weighted ? draw(5) : 1;
        for (int v = 0; v < s->nodes; v++) {
            if (u == v || draw(6) >= dense) continue;
            s->weight[u][v] = s->weighted ? 1 + draw(9) : 1;
            if (!s->directed) s->weight[v][u] = s->weight[u][v];
        }
    }
}

static void brute_force(const sample *s, pen_quality *q)
{
    int64_t load[6] = { 0 }, total = 0, heaviest = 0, most = 0, least = INT64_MAX;
    *q = (pen_quality){ 0 };
    int reached[MOST];
    for (int u = 0; u < s->nodes; u++) {
        load[s->part[u]] += s->load[u];
        total += s->load[u];
        if (s->load[u] > heaviest) heaviest = s->load[u];
        reached[u] = u;
        for (int v = 0; v < s->nodes; v++)
            if (s->part[u] != s->part[v] && (s->directed || u < v)) q->cut += s->weight[u][v];
    }
    for (int p = 0; p < s->parts; p++) {
        int64_t volume = 0, pieces = 0;
        int64_t cut = 0, all = 0;
        if (load[p] > most) most = load[p];
        if (load[p] < least) least = load[p];
        for (int u = 0; u < s->nodes; u++)
            for (int v = 0; v < s->nodes; v++) {
                bool both = s->part[u] == p && s->part[v] == p;
                if (s->directed ? s->part[u] != p : u > v || (s->part[u] != p && s->part[v] != p)) continue;
                all += s->weight[u][v];
                cut += both ? 0 : s->weight[u][v];
            }
        if (cut > 0) q->off_processor = fmax(q->off_processor, (double)cut / (double)all);
        for (int v = 0; v < s->nodes; v++) {
            bool needed = false;
            for (int u = 0; u < s->nodes; u++) needed |= s->part[u] == p && s->part[v] != p && s->weight[u][v] > 0;
            volume += needed;
        }
        if (volume > q->max_volume) q->max_volume = volume;
        for (int round = 0; round < s->nodes; round++)
            for (int u = 0; u < s->nodes; u++)
                for (int v = 0; v < s->nodes; v++)
                    if (s->part[u] == s->part[v] && (s->weight[u][v] > 0 || s->weight[v][u] > 0) &&
                        reached[v] < reached[u])
                        reached[u] = reached[v];
        for (int u = 0; u < s->nodes; u++) pieces += s->part[u] == p && reached[u] == u;
        q->pieces += pieces > 1 ? pieces - 1 : 0;
    }
    double mean = (double)total / s->parts;
    q->imbalance = total ? (double)most / mean : 1.0;
    q->two_sided = total ? fmax((double)most - mean, mean - (double)least) / mean : 0.0;
    q->bound = total && (double)heaviest > mean ? (double)heaviest / mean : 1.0;
}

/* A graph of the tool with everything that the sample has. */
static void to_file_graph(const sample *s, file_graph *g)
{
    *g = (file_graph){ .nodes = s->nodes, .base = 1, .weight_count = 1, .directed = s->directed };
    CHECK_STATUS(PEN_ALLOC(&g->rows, s->nodes + 1), PEN_OK);
    CHECK_STATUS(PEN_ALLOC(&g->neighbors, MOST * MOST), PEN_OK);
    CHECK_STATUS(PEN_ALLOC(&g->edge_weights, MOST * MOST), PEN_OK);
    CHECK_STATUS(PEN_ALLOC(&g->node_weights, s->nodes), PEN_OK);
    int64_t arcs = g->rows[0] = 0;
    for (int u = 0; u < s->nodes; u++) {
        g->node_weights[u] = s->load[u];
        for (int v = s->nodes - 1; v >= 0; v--) {
            if (s->weight[u][v] == 0) continue;
            g->edge_weights[arcs] = s->weight[u][v];
            g->neighbors[arcs++] = v;
        }
        g->rows[u + 1] = arcs;
    }
}

static void test_quality(void)
{
    for (int round = 0; round < 500; round++) {
        sample s;
        file_graph g;
        pen_graph *graph = NULL;
        pen_quality expected, found = { 0 };
        draw_sample(&s);
        brute_force(&s, &expected);
        to_file_graph(&s, &g);
        CHECK_STATUS(pen_library_take(&g, false, &graph), PEN_OK);
        if (graph) CHECK_STATUS(pen_quality_of_graph(graph, NULL, s.parts, s.part, &found), PEN_OK);
        CHECK_INT(found.cut, expected.cut);
        CHECK_INT(found.max_volume, expected.max_volume);
        CHECK_INT(found.pieces, expected.pieces);
        CHECK(fabs(found.off_processor - expected.off_processor) < 1e-12);
        CHECK(fabs(found.two_sided - expected.two_sided) < 1e-12);
        CHECK(fabs(found.imbalance - expected.imbalance) < 1e-12 && fabs(found.bound - expected.bound) < 1e-12);
        pen_graph_destroy(&graph);
        pen_file_graph_free(&g);
    }
}

/* ---- The binary format ---------------------------------------------------------------------- */

/* Rows come back ascending. */
static void check_equal(const sample *s, const file_graph *g, const int64_t *labels, int dimensions)
{
    CHECK_INT(g->nodes, s->nodes);
    CHECK_INT(g->directed, s->directed);
    CHECK_INT(g->labels != NULL, labels != NULL);
    CHECK_INT(g->dimensions, dimensions);
    CHECK_INT(g->weight_count, 1);
    CHECK_INT(g->node_sizes != NULL, dimensions == 3);
    if (check_failures) return;
    for (int u = 0; u < s->nodes; u++) {
        int64_t at = g->rows[u];
        CHECK_INT(g->node_weights[u], s->load[u]);
        if (labels) CHECK_INT(g->labels[u], labels[u]);
        if (g->node_sizes) CHECK_INT(g->node_sizes[u], u + 5);
        for (int d = 0; d < dimensions; d++) CHECK(g->coordinates[u * dimensions + d] == 0.1 * u + d);
        int degree = 0;
        for (int v = 0; v < s->nodes; v++) degree += s->weight[u][v] > 0;
        CHECK_INT(g->rows[u + 1] - at, degree);
        int64_t last = -1;
        for (; at < g->rows[u + 1] && check_failures == 0; at++) {
            int64_t v = g->neighbors[at], gid = labels ? labels[v] : v;
            CHECK_INT(g->edge_weights[at], s->weight[u][v]);
            CHECK(gid > last);
            last = gid;
        }
    }
}

static void test_binary(const char *path)
{
    const format_options options = { .directed = false };
    for (int round = 0; round < 40; round++) {
        sample s;
        file_graph g, back = { 0 };
        findings f;
        int64_t labels[MOST];
        int dimensions = round % 4;
        bool labelled = round / 4 % 2;
        draw_sample(&s);
        to_file_graph(&s, &g);
        for (int u = 0; u < s.nodes; u++) labels[u] = (int64_t)(u * 7 % 13) << 40;
        if (labelled) CHECK_STATUS(PEN_ALLOC(&g.labels, s.nodes), PEN_OK);
        if (labelled) memcpy(g.labels, labels, (size_t)s.nodes * sizeof *labels);
        if (dimensions == 3) {
            CHECK_STATUS(PEN_ALLOC(&g.node_sizes, s.nodes), PEN_OK);
            for (int u = 0; u < s.nodes; u++) g.node_sizes[u] = u + 5;
        }
        g.dimensions = dimensions;
        if (dimensions) CHECK_STATUS(PEN_ALLOC(&g.coordinates, (int64_t)s.nodes * dimensions), PEN_OK);
        for (int k = 0; k < s.nodes * dimensions; k++) g.coordinates[k] = 0.1 * (k / dimensions) + k % dimensions;
        pen_findings_init(&f, FINDINGS_LIMIT);
        CHECK_STATUS(pen_format_write(&pen_format_penumbra, &g, path), PEN_OK);
        CHECK_STATUS(pen_format_read(&pen_format_penumbra, path, &options, &back, &f), PEN_OK);
        CHECK_INT(f.errors, 0);
        check_equal(&s, &back, labelled ? labels : NULL, dimensions);
        pen_file_graph_free(&g);
        pen_file_graph_free(&back);
        pen_findings_free(&f);
    }
}

/* A graph of which only the first node has an arc, to the second. */
static void check_refused(const file_graph *about, const char *path, const char *reason)
{
    file_graph g = { .nodes = about->nodes, .directed = about->directed, .base = 1 };
    CHECK_STATUS(PEN_COPY(&g.rows, ((int64_t[]){ 0, 1, 1 }), 3), PEN_OK);
    CHECK_STATUS(PEN_COPY(&g.neighbors, ((int64_t[]){ 1 }), 1), PEN_OK);
    CHECK_STATUS(PEN_COPY(&g.labels, about->labels, 2), PEN_OK);
    CHECK_STATUS(pen_format_write(&pen_format_penumbra, &g, path), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), reason);
    pen_file_graph_free(&g);
}

/* Damage is a finding; so is what is no graph, when it is written. */
static void test_refusals(const char *path)
{
    const format_options options = { .directed = false };
    file_graph g = { 0 };
    findings f;
    pen_findings_init(&f, FINDINGS_LIMIT);
    FILE *file = fopen(path, "r+b");
    fseek(file, -3, SEEK_END);
    putc(0x5a, file);
    fclose(file);
    CHECK_STATUS(pen_format_read(&pen_format_penumbra, path, &options, &g, &f), PEN_ERR_INPUT);
    CHECK_INT(f.errors, 1);
    CHECK_INT(f.count, 1);
    if (f.count == 1) CHECK(strncmp(f.list[0].what, path, strlen(path)) != 0);
    pen_findings_free(&f);
    pen_file_graph_free(&g);
    unlink(path);
    pen_findings_init(&f, FINDINGS_LIMIT);
    CHECK_STATUS(pen_format_read(&pen_format_penumbra, path, &options, &g, &f), PEN_ERR_IO);
    pen_findings_free(&f);
    pen_file_graph_free(&g);

    check_refused(&(file_graph){ .nodes = 2 }, path, "neighbour 2 does not have this node");
    check_refused(&(file_graph){ .nodes = 2, .directed = true, .labels = (int64_t[]){ 4, -1 } }, path, "label -1");
    check_refused(&(file_graph){ .nodes = 0 }, path, "no nodes");
    CHECK(access(path, F_OK) != 0);
}

/* ---- Generators ----------------------------------------------------------------------------- */

/* Text has no coordinates, which the hash counts. */
static void test_generated(const char *spec, const char *path)
{
    pen_graph *expected = NULL, *found = NULL;
    CHECK_STATUS(pen_graph_generate(MPI_COMM_SELF, spec, &expected), PEN_OK);
    CHECK_STATUS(pen_graph_read(MPI_COMM_SELF, path, NULL, &found), PEN_OK);
    if (expected && found) {
        CHECK_INT(graph_hash(found), graph_hash(expected));
        CHECK(strstr(path, ".pen") == NULL || (found->width == expected->width && found->height == expected->height));
    }
    pen_graph_destroy(&expected);
    pen_graph_destroy(&found);
}

int main(int argc, char **argv)
{
    CHECK_STATUS(pen_start_mpi(), PEN_OK);
    CHECK_STATUS(pen_start_mpi(), PEN_OK);
    if (argc == 1) {
        char path[64];
        snprintf(path, sizeof path, "library_test.%ld.pen", (long)getpid());
        test_quality();
        test_binary(path);
        test_refusals(path);
    }
    for (int i = 1; i + 1 < argc; i += 2) test_generated(argv[i], argv[i + 1]);
    return check_failures != 0; /* the library ends MPI */
}
