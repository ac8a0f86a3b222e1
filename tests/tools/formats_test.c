/* formats_test.c - every format of the table against every other, in one process: a written graph reads back equal;
 * texts that are cut or damaged anywhere are survived and repaired; findings have their places. */
#include "tests/support/unit.h"

#include "tests/tools/graph_maker.h"
#include "tests/tools/memory_input.h"
#include "tests/tools/memory_output.h"
#include "tools/common/copy.h"
#include "tools/graph/examine.h"
#include "tools/graph/formats.h"
#include "tools/graph/lose.h"

#include <unistd.h>

static char scratch[] = "/tmp/formats-test-XXXXXX"; /* directory */

/* ---- Reading and writing in memory ---------------------------------------------------------- */

static pen_status read_text(const graph_format *format, const char *text, int64_t size, const format_options *options,
                            file_graph *g, findings *f)
{
    pen_scanner in;
    *g = (file_graph){ .base = 1 };
    assert_int_equal(memory_input_open("text", text, size, &in), PEN_OK);
    return pen_scanner_close(&in, format->read(format, &in, options, g, f));
}

/* Whether the graph can go through the format without a loss. */
static bool holds_all(const graph_format *format, const file_graph *g)
{
    unsigned losses;
    bool both = !format->python && (format->read || format->read_path) && (format->write || format->write_path);
    assert_int_equal(pen_file_graph_losses(g, format->holds, &losses), PEN_OK);
    return both && (losses & ~(unsigned)HOLDS_TOLD) == 0;
}

static format_options options_for(const file_graph *g)
{
    return (format_options){ .directed = g->directed, .values = g->edge_weights != NULL };
}

/* What a file may hold: writing uses a graph up. */
static pen_status copy_graph(const file_graph *g, file_graph *to)
{
    const int64_t arcs = pen_file_graph_arcs(g);
    *to = (file_graph){ .nodes = g->nodes, .weight_count = g->weight_count, .directed = g->directed, .base = g->base };
    PEN_TRY(PEN_COPY(&to->rows, g->rows, g->nodes + 1));
    PEN_TRY(PEN_COPY(&to->neighbors, g->neighbors, arcs));
    PEN_TRY(PEN_COPY(&to->node_weights, g->node_weights, g->nodes * g->weight_count));
    PEN_TRY(PEN_COPY(&to->node_sizes, g->node_sizes, g->nodes));
    PEN_TRY(PEN_COPY(&to->edge_weights, g->edge_weights, arcs));
    return PEN_COPY(&to->labels, g->labels, g->nodes);
}

static pen_status through_file(const graph_format *format, const file_graph *g, const format_options *options,
                               file_graph *back, findings *f)
{
    char path[sizeof scratch + 32];
    snprintf(path, sizeof path, "%s/graph", scratch);
    file_graph copy;
    pen_status status = copy_graph(g, &copy);
    if (status == PEN_OK) status = pen_format_write(format, &copy, path);
    pen_file_graph_free(&copy);
    if (status == PEN_OK) status = pen_format_read(format, path, options, back, f);
    unlink(path);
    return status;
}

static pen_status through_memory(const graph_format *format, const file_graph *g, const format_options *options,
                                 file_graph *back, findings *f)
{
    char *text;
    int64_t size;
    writer out;
    PEN_TRY(memory_output_open(&text, &size, &out));
    PEN_TRY(pen_writer_close(&out, format->write(format, g, &out)));
    pen_status status = read_text(format, text, size, options, back, f);
    if (status == PEN_OK) status = pen_file_graph_examine(back, format->holds, f);
    free(text);
    return status;
}

/* Through the format and back. */
static void pass(const graph_format *format, const file_graph *g, file_graph *back)
{
    format_options options = options_for(g);
    findings f;
    pen_findings_init(&f, 4);
    pen_status status = format->read && format->write ? through_memory(format, g, &options, back, &f)
                                                      : through_file(format, g, &options, back, &f);
    if (status == PEN_OK) status = pen_findings_status(&f, "");
    if (status != PEN_OK) fail_msg("%s: %s", format->name, pen_error_message());
    pen_findings_free(&f);
}

/* ---- Equality ------------------------------------------------------------------------------- */

typedef struct neighbor {
    int64_t to, weight;
} neighbor;

static int by_node(const void *a, const void *b)
{
    const neighbor *x = a, *y = b;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Hash of row i; labels name the nodes; sorted where the order does not count. No weights are weights of 1. */
static uint64_t row_hash(const file_graph *g, int64_t i, bool order)
{
    int64_t begin = g->rows[i], degree = g->rows[i + 1] - begin;
    neighbor *row = calloc((size_t)degree + 1, sizeof *row);
    uint64_t hash = pen_mix((uint64_t)degree);
    for (int64_t k = 0; k < degree; k++) {
        int64_t to = g->neighbors[begin + k];
        row[k] = (neighbor){ g->labels ? g->labels[to] : to, g->edge_weights ? g->edge_weights[begin + k] : 1 };
    }
    if (!order) qsort(row, (size_t)degree, sizeof *row, by_node);
    for (int64_t k = 0; k < degree; k++) hash = pen_mix(hash ^ (uint64_t)row[k].to) ^ (uint64_t)row[k].weight;
    free(row);
    return hash;
}

static const char *difference(const file_graph *a, const file_graph *b, bool order)
{
    if (a->nodes != b->nodes) return "numbers of nodes";
    if (a->weight_count != b->weight_count) return "numbers of weights";
    if (a->directed != b->directed) return "directions";
    if (a->nodes > 0 && !a->node_sizes != !b->node_sizes) return "sizes";
    if (a->nodes > 0 && !a->labels != !b->labels) return "labels";
    size_t words = (size_t)a->nodes * sizeof(int64_t);
    if (words > 0 && a->node_sizes && memcmp(a->node_sizes, b->node_sizes, words) != 0) return "sizes";
    if (words > 0 && a->labels && memcmp(a->labels, b->labels, words) != 0) return "labels";
    if (words > 0 && a->weight_count > 0 &&
        memcmp(a->node_weights, b->node_weights, words * (size_t)a->weight_count) != 0)
        return "weights";
    for (int64_t i = 0; i < a->nodes; i++)
        if (row_hash(a, i, order) != row_hash(b, i, order)) return "rows";
    return NULL;
}

/* ---- Round trips ---------------------------------------------------------------------------- */

static const unsigned contents[] = {
    0,
    HOLDS_NODE_WEIGHT,
    HOLDS_NODE_WEIGHTS,
    HOLDS_NODE_WEIGHT | HOLDS_ZERO_NODE_WEIGHTS,
    HOLDS_EDGE_WEIGHTS,
    HOLDS_SIZES,
    HOLDS_LABELS,
    HOLDS_ISOLATED,
    HOLDS_NO_EDGES,
    HOLDS_LOOPS,
    HOLDS_DIRECTED,
    HOLDS_DIRECTED | HOLDS_EDGE_WEIGHTS,
    HOLDS_NODE_WEIGHT | HOLDS_EDGE_WEIGHTS,
    HOLDS_NODE_WEIGHT | HOLDS_EDGE_WEIGHTS | HOLDS_LABELS | HOLDS_ISOLATED,
    HOLDS_NODE_WEIGHTS | HOLDS_EDGE_WEIGHTS | HOLDS_SIZES | HOLDS_ISOLATED,
};
static const int64_t sizes[] = { 0, 1, 2, 3, 8, 13 };

TEST(pairs_come_back_equal)
{
    int passed = 0;
    for (int c = 0; c < PEN_COUNT_OF(contents); c++)
        for (int s = 0; s < PEN_COUNT_OF(sizes); s++) {
            file_graph g, first, second;
            graph_make(sizes[s], contents[c], (uint64_t)c, &g);
            for (int x = 0; x < pen_graph_format_count; x++) {
                const graph_format *from = pen_graph_formats[x];
                if (!holds_all(from, &g)) continue;
                pass(from, &g, &first);
                const char *wrong = difference(&g, &first, from->holds & HOLDS_ORDER);
                if (wrong) fail_msg("%s, contents 0x%x, %d nodes: %s", from->name, contents[c], (int)sizes[s], wrong);
                for (int y = 0; y < pen_graph_format_count; y++) {
                    const graph_format *to = pen_graph_formats[y];
                    if (!holds_all(to, &g)) continue;
                    pass(to, &first, &second);
                    wrong = difference(&first, &second, to->holds & HOLDS_ORDER);
                    if (wrong)
                        fail_msg("%s to %s, contents 0x%x, %d nodes: %s", from->name, to->name, contents[c],
                                 (int)sizes[s], wrong);
                    pen_file_graph_free(&second);
                    passed++;
                }
                pen_file_graph_free(&first);
            }
            pen_file_graph_free(&g);
        }
    assert_true(passed > 500);
}

/* ---- Damage --------------------------------------------------------------------------------- */

static void check_sound(const graph_format *format, const file_graph *g)
{
    if (g->nodes < 0 || !g->rows || g->rows[0] != 0) fail_msg("%s: no rows", format->name);
    for (int64_t i = 0; i < g->nodes; i++)
        if (g->rows[i] > g->rows[i + 1]) fail_msg("%s: row %d ends before it begins", format->name, (int)i);
    for (int64_t a = 0; a < pen_file_graph_arcs(g); a++)
        if (g->neighbors[a] < 0 || g->neighbors[a] >= g->nodes) fail_msg("%s: neighbour out of range", format->name);
}

/* Read whatever the text is; what was read must be sound, and right after a repair. */
static void survive(const graph_format *format, const char *text, int64_t size, const format_options *options)
{
    /* A copy of the right size, so that reading beyond it is seen by the sanitizers. */
    char *copy = malloc((size_t)size + 1);
    memcpy(copy, text, (size_t)size);
    file_graph g;
    findings f, left;
    pen_findings_init(&f, 3);
    pen_findings_init(&left, 3);
    pen_status status = read_text(format, copy, size, options, &g, &f);
    if (status == PEN_ERR_INPUT) {
        if (f.errors == 0) fail_msg("%s: refused without a finding: %s", format->name, pen_error_message());
    } else {
        assert_int_equal(status, PEN_OK);
        check_sound(format, &g);
        assert_int_equal(pen_file_graph_repair(&g, format->holds), PEN_OK);
        check_sound(format, &g);
        assert_int_equal(pen_file_graph_examine(&g, format->holds, &left), PEN_OK);
        if (left.errors > 0) fail_msg("%s: not repaired: %s", format->name, left.list[0].what);
    }
    pen_findings_free(&f);
    pen_findings_free(&left);
    pen_file_graph_free(&g);
    free(copy);
}

TEST(damaged_texts_are_survived)
{
    static const char odd[] = "0123456789-+ \t\r\n%#.aeE\0:\xEF";
    for (int x = 0; x < pen_graph_format_count; x++) {
        const graph_format *format = pen_graph_formats[x];
        if (format->python || !format->read || !format->write) continue;
        for (int c = 0; c < PEN_COUNT_OF(contents); c++) {
            file_graph g;
            graph_make(8, contents[c], (uint64_t)c, &g);
            char *text = NULL;
            int64_t size = 0;
            writer out;
            format_options options = options_for(&g);
            if (holds_all(format, &g)) {
                assert_int_equal(memory_output_open(&text, &size, &out), PEN_OK);
                assert_int_equal(pen_writer_close(&out, format->write(format, &g, &out)), PEN_OK);
            }
            for (int64_t cut = 0; cut < size; cut++) survive(format, text, cut, &options);
            for (int64_t k = 0; k < size; k++) {
                uint64_t word = pen_mix((uint64_t)k);
                int64_t at = (int64_t)(word % (uint64_t)size);
                char was = text[at];
                text[at] = odd[(word >> 32) % (sizeof odd - 1)];
                survive(format, text, size, &options);
                text[at] = was;
            }
            free(text);
            pen_file_graph_free(&g);
        }
    }
}

/* Bytes read at once make no difference. */
TEST(chunks_make_no_difference)
{
    int64_t usual = pen_scanner_chunk;
    for (int c = 0; c < PEN_COUNT_OF(contents); c++) {
        file_graph g, back;
        graph_make(13, contents[c], (uint64_t)c, &g);
        for (int x = 0; x < pen_graph_format_count; x++) {
            const graph_format *format = pen_graph_formats[x];
            if (!format->read || !holds_all(format, &g)) continue;
            for (pen_scanner_chunk = 1; pen_scanner_chunk < 300; pen_scanner_chunk += 1 + pen_scanner_chunk / 3) {
                pass(format, &g, &back);
                const char *wrong = difference(&g, &back, format->holds & HOLDS_ORDER);
                if (wrong) fail_msg("%s by %d bytes: %s", format->name, (int)pen_scanner_chunk, wrong);
                pen_file_graph_free(&back);
            }
        }
        pen_file_graph_free(&g);
    }
    pen_scanner_chunk = usual;
}

/* ---- Findings ------------------------------------------------------------------------------- */

typedef struct expectation {
    const graph_format *format;
    const char *text, *found; /* "line:column what; ..." with words that occur in the sentence */
} expectation;

static const expectation expectations[] = {
    { &pen_format_metis, "3 2\n2\n1 3\n2\n", "" },
    { &pen_format_metis, "", "1:0 no header;" },
    { &pen_format_metis, "3 2\n2 2\n1 3\n2\n", "1:0 announces 2 edges; 2:3 more than once;" },
    { &pen_format_metis, "3 2\n2 3 2\n1\n1\n", "1:0 announces 2 edges; 2:5 more than once;" },
    { &pen_format_metis, "2 2\n1 1 2\n1\n", "2:1 its own; 2:3 its own;" },
    { &pen_format_metis, "3 3\n2 3\n1 3\n2\n", "1:0 announces 3; 2:3 node 1 has neighbour 3, but;" },
    { &pen_format_metis, "3 3\n1 2 x\n1 3\n 2\n", "2:1 its own; 2:5 unexpected 'x';" },
    { &pen_format_metis, "3 2\n2\n1 3\n2\n\n 7\n", "6:1 after the last;" },
    { &pen_format_metis, "3 2\n2\n1 4\n2\n", "3:3 must be 1..3; 4:1 node 3 has neighbour 2, but;" },
    { &pen_format_metis, "2 1\n0\n1\n", "2:1 counted from 0; 3:1 node 2 has neighbour 1, but;" },
    { &pen_format_metis, "2 1 1\n2 5\n1 6\n", "2:1 weight 5 here and 6 there;" },
    { &pen_format_metis, "2 1 1\n2 0\n1 -7\n", "2:3 edge weight 0; 3:3 edge weight -7;" },
    { &pen_format_metis, "2 1 1\n2 1.5\n1\n", "2:3 unexpected '.'; 3:2 ends before the edge weight;" },
    { &pen_format_metis, "2 1 10\n1 2\n\n2 1\n",
      "2:3 node 1 has neighbour 2, but; 3:1 empty line; 4:1 after the last;" },
    { &pen_format_metis, "2 1 110 2\n7 1 1 2\n7 -1\n",
      "3:3 node weight -1; 3:5 ends before the node weight; 2:7 node 1 has neighbour 2, but; 1:0 announces; 1:0 note; "
      "1:0 note;" },
    { &pen_format_metis, "2 1 2\n2\n1\n", "1:0 (fmt) must be;" },
    { &pen_format_metis, "9 1\n2\n1\n", "4:0 ends after 2 of 9;" },
    { &pen_format_metis, "\n2 1\n2\n1\n", "1:1 empty line;" },
    { &pen_format_metis, " % x\n2 1\n2\n%\n1\n", "1:1 column 1; 4:1 note;" },
    { &pen_format_metis, "2 1\n2 % x\n1\n", "2:3 unexpected '%';" },
    { &pen_format_metis, "2 1\n2\r1\n1\n", "2:1 carriage; 3:1 node 2 has neighbour 1, but;" },
    { &pen_format_chaco, "#c\n\n2 1 111\n1 5 2 3\n2 6\n2 1 3\n", "3:0 note;" },
    { &pen_format_chaco, "2 1 100\n1 2\n3 1\n", "3:1 node number 3; 1:0 note;" },
    { &pen_format_chaco, "2 1\n2\n%\n1\n", "3:1 takes for a node;" },
    { &pen_format_chaco, "25 0\n", "1:0 note; 1:0 note;" },
    { &pen_format_dimacs10, "3 7 100\n1 2 3\n1 3\n1 2\n", "" },
    { &pen_format_scotch, "0\n2 2\n0 000\n1 1\n1 0\n", "" },
    { &pen_format_scotch, "0\n2 2\n0 000\n1 1\n1\n", "4:3 node 0 has neighbour 1, but; 6:1 ends after;" },
    { &pen_format_scotch, "0\n2 3\n5 000\n1 6\n1 5\n", "2:0 3 arcs are announced;" },
    { &pen_format_scotch, "0\n2 2\n0 011\n5 1 0 1\n0 1 9 0\n",
      "4:5 edge load 0; 4:7 weight 1 here and 9 there; 5:1 node load 0;" },
    { &pen_format_scotch, "0\n2 2\n0 000\n1 1\n1 0 7\n", "5:5 after the last;" },
    { &pen_format_scotch, "0\n2 2\n0 000\n1 2\n1 0\n", "4:3 must be 0..1; 5:3 node 1 has neighbour 0, but;" },
    { &pen_format_scotch, "0\n2 2\n0 100\n7 1 9\n9 1 8\n", "5:5 not the label of a node;" },
    { &pen_format_scotch, "0\n2 2\n0 100\n7 1 7\n7 1 7\n", "0:0 more than one node;" },
    { &pen_format_scotch, "2\n", "1:1 distributed;" },
    { &pen_format_scotch, "0\n2 2\n0 002\n", "3:3 three digits;" },
    { &pen_format_scotch, "0\n2 2 0 000 x 1 1\n1 0\n", "2:11 unexpected 'x';" },
};

/* Whether the findings are those, in any order; "-" stands for any words, "note" for a note. */
static bool as_expected(const findings *f, const char *expected)
{
    bool used[FINDINGS_LIMIT] = { false };
    int64_t count = 0;
    for (const char *at = expected; *at != '\0'; at += strcspn(at, ";") + 1, count++) {
        char words[100];
        long long line, column;
        if (sscanf(at, " %lld:%lld %99[^;]", &line, &column, words) != 3) return false;
        int64_t k = 0;
        for (; k < f->count; k++) {
            const finding *one = &f->list[k];
            bool note = strcmp(words, "note") == 0;
            if (!used[k] && one->line == line && one->column == column && note == (one->severity == FINDING_NOTE) &&
                (note || strcmp(words, "-") == 0 || strstr(one->what, words)))
                break;
        }
        if (k == f->count) return false;
        used[k] = true;
    }
    return count == f->count;
}

static void find_all(void)
{
    char path[sizeof scratch + 32];
    snprintf(path, sizeof path, "%s/text", scratch);
    for (int k = 0; k < PEN_COUNT_OF(expectations); k++) {
        const expectation *e = &expectations[k];
        format_options options = { 0 };
        findings f;
        file_graph g = { 0 };
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(e->text, file);
        assert_int_equal(fclose(file), 0);
        pen_findings_init(&f, FINDINGS_LIMIT);
        pen_status status = pen_format_read(e->format, path, &options, &g, &f);
        assert_true(status == PEN_OK || status == PEN_ERR_INPUT);
        if (!as_expected(&f, e->found)) {
            fprintf(stderr, "%s text:\n%sexpected: %s\nfound:\n", e->format->name, e->text, e->found);
            pen_findings_print(&f, "text", stderr);
            fail();
        }
        pen_findings_free(&f);
        pen_file_graph_free(&g);
    }
    unlink(path);
}

/* At the limit errors replace notes, and nothing replaces errors. */
TEST(errors_replace_notes)
{
    static const finding_severity added[] = { FINDING_NOTE,  FINDING_ERROR, FINDING_NOTE, FINDING_NOTE,
                                              FINDING_ERROR, FINDING_ERROR, FINDING_ERROR };
    findings f;
    pen_findings_init(&f, 3);
    for (int i = 0; i < PEN_COUNT_OF(added); i++) pen_findings_add(&f, added[i], i + 1, 0, "%d", i);
    assert_int_equal(f.errors, 4);
    assert_int_equal(f.notes, 3);
    assert_int_equal(f.count, 3);
    for (int i = 0; i < f.count; i++) assert_int_equal(f.list[i].severity, FINDING_ERROR);
    assert_true(f.list[0].line + f.list[1].line + f.list[2].line == 2 + 5 + 6);
    pen_findings_free(&f);
}

TEST(findings_have_their_places)
{
    int64_t usual = pen_scanner_chunk;
    find_all();
    for (pen_scanner_chunk = 1; pen_scanner_chunk < 70; pen_scanner_chunk *= 4) find_all();
    pen_scanner_chunk = usual;
}

/* A path of many nodes, whose header announces one edge: arrays grow beyond the announcement. */
TEST(wrong_headers_are_outgrown)
{
    enum { NODES = 5000 };
    char *text;
    int64_t size;
    writer out;
    assert_int_equal(memory_output_open(&text, &size, &out), PEN_OK);
    pen_writer_print(&out, "%d 1\n2\n", NODES);
    for (int i = 2; i < NODES; i++) pen_writer_print(&out, "%d %d\n", i - 1, i + 1);
    pen_writer_print(&out, "%d\n", NODES - 1);
    assert_int_equal(pen_writer_close(&out, PEN_OK), PEN_OK);
    format_options options = { 0 };
    findings f;
    file_graph g;
    pen_findings_init(&f, 2);
    assert_int_equal(read_text(&pen_format_metis, text, size, &options, &g, &f), PEN_OK);
    assert_int_equal(f.errors, 1);
    assert_int_equal(g.nodes, NODES);
    assert_int_equal(pen_file_graph_arcs(&g), 2 * (NODES - 1));
    check_sound(&pen_format_metis, &g);
    pen_findings_free(&f);
    pen_file_graph_free(&g);
    free(text);
}

/* What a format lacks can be taken away, and then it holds the rest; isolated nodes are left to the writer. */
TEST(what_is_lacking_can_be_lost)
{
    for (int c = 0; c < PEN_COUNT_OF(contents); c++)
        for (int x = 0; x < pen_graph_format_count; x++) {
            unsigned losses, left, holds = pen_graph_formats[x]->holds;
            file_graph g;
            graph_make(8, contents[c], (uint64_t)c, &g);
            assert_int_equal(pen_file_graph_losses(&g, holds, &losses), PEN_OK);
            assert_int_equal(pen_file_graph_lose(&g, holds, losses & ~(unsigned)HOLDS_NO_EDGES), PEN_OK);
            assert_int_equal(pen_file_graph_losses(&g, holds, &left), PEN_OK);
            if (left & ~(unsigned)(HOLDS_ISOLATED | HOLDS_NO_EDGES | HOLDS_ORDER))
                fail_msg("%s, contents 0x%x: 0x%x is left", pen_graph_formats[x]->name, contents[c], left);
            check_sound(pen_graph_formats[x], &g);
            pen_file_graph_free(&g);
        }
}

/* ---- Repairs -------------------------------------------------------------------------------- */

TEST(graphs_are_repaired)
{
    static const struct {
        const char *wrong, *right;
        file_notes notes;
    } cases[] = {
        { "3 2\n1 2 2\n1 3\n2\n", "3 2\n2\n1 3\n2\n", { .loops = 1, .duplicates = 1 } },
        { "3 2\n3 2\n\n\n", "3 2\n3 2\n1\n1\n", { .one_way = 2 } },
        { "2 1 1\n2 5 2 6\n1 7\n", "2 1 1\n2 5\n1 5\n", { .duplicates = 1, .conflicts = 2 } },
        { "2 1 1\n2 5 2 6\n1 6 1 5\n", "2 1 1\n2 5\n1 5\n", { .duplicates = 2, .conflicts = 3 } },
        { "4 3 1\n3 7 2 5\n4 9\n3 1\n", "4 3 1\n3 7 2 5\n4 9 1 5\n1 7\n2 9\n", { .loops = 1, .one_way = 3 } },
    };
    for (int k = 0; k < PEN_COUNT_OF(cases); k++) {
        format_options options = { 0 };
        findings f;
        file_graph g;
        char *text;
        int64_t size;
        writer out;
        pen_findings_init(&f, FINDINGS_LIMIT);
        assert_int_equal(read_text(&pen_format_metis, cases[k].wrong, (int64_t)strlen(cases[k].wrong), &options, &g,
                                   &f),
                         PEN_OK);
        assert_int_equal(pen_file_graph_repair(&g, pen_format_metis.holds), PEN_OK);
        assert_int_equal(memory_output_open(&text, &size, &out), PEN_OK);
        assert_int_equal(pen_writer_close(&out, pen_format_metis.write(&pen_format_metis, &g, &out)), PEN_OK);
        if (size != (int64_t)strlen(cases[k].right) || memcmp(text, cases[k].right, (size_t)size) != 0)
            fail_msg("case %d: repaired to\n%.*s", k, (int)size, text);
        assert_memory_equal(&g.notes, &cases[k].notes, sizeof g.notes);
        free(text);
        pen_findings_free(&f);
        pen_file_graph_free(&g);
    }
}

int unit_begin(void) { return mkdtemp(scratch) ? 0 : -1; }
int unit_end(void) { return rmdir(scratch); }
