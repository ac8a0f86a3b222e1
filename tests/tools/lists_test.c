/* lists_test.c - readers of tables of edges and of matrices: their graphs, counts and findings with places, whichever
 * byte is damaged; and their companion files. */
#include "tests/support/unit.h"

#include "base/hash.h"
#include "tests/tools/readings.h"
#include "tools/graph/coordinates.h"
#include "tools/graph/examine.h"
#include "tools/graph/input.h"
#include "tools/graph/labels.h"
#include "tools/graph/mapping.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- Tables of edges ------------------------------------------------------------------------- */

TEST(ids_are_mapped)
{
    static const struct {
        const char *text, *map;
    } list[] = { { "source,target\n9,7\n7,3\n", "# new old\n0\t3\n1\t7\n2\t9\n" },
                 { "source,target\n4,5\n", "# new old\n0\t4\n1\t5\n" } };
    for (int i = 0; i < PEN_COUNT_OF(list); i++) {
        file_graph g;
        findings f;
        char path[] = "/tmp/lists_test.XXXXXX", bytes[100] = "";
        assert_int_equal(read_text(&pen_format_csv, list[i].text, (int64_t)strlen(list[i].text), &(format_options){ 0 },
                                   &g, &f),
                         PEN_OK);
        assert_int_equal(close(mkstemp(path)), 0);
        assert_int_equal(pen_label_map_write(path, &g, NULL), PEN_OK);
        FILE *in = fopen(path, "r");
        assert_non_null(in);
        assert_int_equal(fread(bytes, 1, sizeof bytes, in), strlen(list[i].map));
        assert_string_equal(bytes, list[i].map);
        fclose(in);
        unlink(path);
        pen_file_graph_free(&g);
        pen_findings_free(&f);
    }
}

/* Node `to` comes to the end of a row: where an arc leads to it that is the first, also if one led from it before. */
typedef struct row {
    int count, to[50];
    bool out[50];
} row;

static void add_to_row(row *r, int to, bool out)
{
    int at = 0;
    while (at < r->count && r->to[at] != to) at++;
    if (at < r->count && (r->out[at] || !out)) return;
    if (at < r->count) {
        r->count--;
        for (; at < r->count; at++) {
            r->to[at] = r->to[at + 1];
            r->out[at] = r->out[at + 1];
        }
    }
    r->to[r->count] = to;
    r->out[r->count++] = out;
}

/* Random lists against a matrix of who was named with whom, and rows of the order. */
TEST(random_lists_are_merged)
{
    enum { IDS = 40, ROUNDS = 60 };
    char *text = malloc(100000);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        static int first[IDS][IDS], named[IDS];
        memset(first, 0, sizeof first);
        static row rows[IDS];
        memset(rows, 0, sizeof rows);
        memset(named, 0, sizeof named);
        int lines = (int)(pen_mix(round) % 500), at = sprintf(text, "source,target,weight\n"), loops = 0;
        bool directed = round % 2, wide = round % 3 == 0;
        for (int i = 0; i < lines; i++) {
            uint64_t random = pen_mix(round * 1000 + (uint64_t)i);
            int from = (int)(random % IDS), to = (int)(random / IDS % IDS), weight = 1 + (int)(random / 10000 % 9);
            int64_t factor = wide ? 1000000007 : 1;
            at += sprintf(text + at, "%" PRId64 ",%" PRId64 ",%d\n", from * factor, to * factor, weight);
            named[from] = named[to] = 1;
            loops += from == to;
            if (from == to) continue;
            add_to_row(&rows[from], to, true);
            if (!directed) add_to_row(&rows[to], from, false);
            if (first[from][to] == 0) first[from][to] = weight;
            if (!directed) first[to][from] = first[from][to];
        }
        file_graph g;
        findings f;
        int node = 0, number[IDS] = { 0 };
        for (int id = 1; id < IDS; id++) number[id] = number[id - 1] + named[id - 1];
        assert_int_equal(read_text(&pen_format_csv, text, at, &(format_options){ .directed = directed }, &g, &f),
                         PEN_OK);
        assert_int_equal(f.errors, 0);
        assert_int_equal(g.notes.loops, loops);
        for (int from = 0; from < IDS; from++) {
            if (!named[from]) continue;
            int64_t arc = g.rows[node];
            assert_int_equal(g.rows[node + 1] - arc, rows[from].count);
            for (int k = 0; k < rows[from].count; k++, arc++) {
                assert_int_equal(g.neighbors[arc], number[rows[from].to[k]]);
                assert_int_equal(g.edge_weights[arc], first[from][rows[from].to[k]]);
            }
            assert_int_equal(arc, g.rows[++node]);
        }
        assert_int_equal(g.nodes, node);
        pen_file_graph_free(&g);
        pen_findings_free(&f);
    }
    free(text);
}

/* "a: b(1) c(2.5); ..." and the notes' columns. */
static const char *describe_list(const file_graph *g)
{
    static char text[1000];
    int at = 0;
#define TELL(...) at += snprintf(text + at, sizeof text - (size_t)at, __VA_ARGS__)
    for (int64_t i = 0; i < g->nodes; i++) {
        if (g->names) TELL("%s%s:", i ? "; " : "", pen_file_graph_name(g, i));
        else TELL("%s%" PRId64 ":", i ? "; " : "", pen_file_graph_label(g, i));
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            TELL(" %" PRId64, g->neighbors[a]);
            if (g->edge_weights) TELL("(%" PRId64 ")", g->edge_weights[a]);
            if (g->values) TELL("<%g>", g->values[a]);
        }
    }
    TELL("|%s", g->notes.columns);
    return text;
}

TEST(lists_are_read)
{
    static const struct {
        const char *text, *wanted, *column;
    } cases[] = {
        { "source,target\n3,1\n", "1:; 3: 0|", NULL },
        { "target,Source\n\n3,1\n\n", "1: 1; 3:|", NULL },
        { "a,b\r\n3,5\r\n5,4", "3: 2; 4:; 5: 1|", NULL },
        { "a,b,c\n3,5,7\n", "3: 1(7)<7>; 5:|the weights are in column c", NULL },
        { "a,b,time,c\n3,5,7,8\n", "3: 1(8)<8>; 5:|the weights are in column c; columns ignored: time (a time)", NULL },
        { "a,b,c,weight\n3,5,x, 8 \n", "3: 1(8)<8>; 5:|columns ignored: c", NULL },
        { "a,b,c,weight\n3,5,x,8\n", "3: 1; 5:|columns ignored: c, weight", "" },
        { "a,b,kind,km,m\n3,5,road, 7,9\n5,3,2,8,x\n",
          "3: 1(7)<7>; 5: 0(8)<8>|the weights are in column km; columns ignored: kind (text), m", NULL },
        { "a,b,kind,what\n3,5,,nan\n", "3: 1; 5:|columns ignored: kind (text), what (text)", NULL },
        { "a,b,kind,km\n3,5,1,7\n", "3: 1(7)<7>; 5:|the weights are in column km; columns ignored: kind", "km" },
        { "a,b,date\n3,5,x\n", "3: 1; 5:|columns ignored: date (a time)", NULL },
        { "a,b,date\n3,5,6\n", "3: 1(6)<6>; 5:|the weights are in column date", "date" },
        { "a,b,weight\n3,5,.5\n5,3,-2e1\n", "3: 1<0.5>; 5: 0<-20>|", NULL },
        { "from,to\nx,\"y,\"\"z\"\n007,x\n", "x: 1; y,\"z:; 007: 0|", NULL },
        { "from,to\n007,8\n8,7\n", "007: 1; 8: 2; 7:|", NULL },
        { "from,to\n-1,8\n", "-1: 1; 8:|", NULL },
        { "from,to\n1,1234567890123456789\n", "1: 1; 1234567890123456789:|", NULL },
        { "\xEF\xBB\xBF\"source\",target\n1,2\n", "1: 1; 2:|", NULL },
    };
    static const int64_t chunks[] = { 1, 7, 256 * 1024 };
    int64_t usual = pen_scanner_chunk;
    for (int i = 0; i < PEN_COUNT_OF(cases); i++)
        for (int k = 0; k < PEN_COUNT_OF(chunks); k++) {
            const format_options options = { .directed = true, .reals = true, .weight_column = cases[i].column };
            file_graph g;
            findings f;
            pen_scanner_chunk = chunks[k];
            pen_status status = read_text(&pen_format_csv, cases[i].text, (int64_t)strlen(cases[i].text), &options, &g,
                                          &f);
            if (status != PEN_OK || f.errors > 0) fail_msg("%s: %s", cases[i].text, pen_error_message());
            assert_string_equal(describe_list(&g), cases[i].wanted);
            pen_findings_free(&f);
            pen_file_graph_free(&g);
        }
    pen_scanner_chunk = usual;
}

TEST(what_is_wrong_is_found)
{
    static const struct {
        const char *text;
        int64_t line, column;
        const char *what;
    } cases[] = {
        { "", 1, 0, "no header" },
        { "\n\n", 3, 0, "no header" },
        { "source\n1\n", 1, 0, "one column" },
        { "\n1,2\n", 2, 0, "must name the columns" },
        { "Ulm,Bonn,430.5\nBonn,Jena,3\n", 1, 0, "must name the columns" },
        { "source,b\n1,2\n", 1, 0, "a source, but no target" },
        { "a,to\n1,2\n", 1, 0, "a target, but no source" },
        { "a,b\n1,2\n3\n", 3, 0, "1 fields, the header has 2" },
        { "a,b\n1,\n", 2, 0, "the target is empty" },
        { "a,b\n\n,1\n", 3, 0, "the source is empty" },
        { "a,b,w\n1,2,3\n1,3,x\n", 3, 0, "not 'x'" },
        { "a,b,weight\n1,2,x\n", 2, 0, "not 'x'" },
        { "a,b,weight\n1,2,nan\n", 2, 0, "not 'nan'" },
        { "a,b,weight\n1,2,0x1p3\n", 2, 0, "not '0x1p3'" },
        { "a,b,weight\n1,2,1e999\n", 2, 0, "not '1e999'" },
        { "a,b,weight\n1,2,\n", 2, 0, "not ''" },
        { "a,b\n1,\"2\n3,4\n", 2, 0, "a quote that is never closed" },
        { "a,b\n1,2\"\n", 2, 4, "a quote inside" },
    };
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        file_graph g;
        findings f;
        pen_status status = read_text(&pen_format_csv, cases[i].text, (int64_t)strlen(cases[i].text),
                                      &(format_options){ 0 }, &g, &f);
        if (status == PEN_OK) status = pen_findings_status(&f, "text");
        assert_int_equal(status, PEN_ERR_INPUT);
        assert_true(f.count > 0);
        if (!strstr(f.list[0].what, cases[i].what) || f.list[0].line != cases[i].line ||
            (cases[i].column && f.list[0].column != cases[i].column))
            fail_msg("%s: %d:%d: %s", cases[i].text, (int)f.list[0].line, (int)f.list[0].column, f.list[0].what);
        pen_findings_free(&f);
        pen_file_graph_free(&g);
    }
}

/* Every value of every byte: refused with a finding, or a graph that is sound. */
TEST(damage_is_found_or_harmless)
{
    static const char whole[] = "source,target,weight\nx,\"y\n1\",2.5\nz,x,-3\r\nz,z,1\n";
    enum { SIZE = sizeof whole - 1 };
    for (int at = 0; at < SIZE; at++)
        for (int value = 0; value < 256; value++) {
            char *text = malloc(SIZE);
            assert_non_null(text);
            memcpy(text, whole, SIZE);
            text[at] = (char)value;
            const format_options options = { .reals = value % 2,
                                             .directed = value % 3 == 0,
                                             .weights = (weight_rule)(value % 4) };
            file_graph g;
            findings f, left;
            pen_findings_init(&left, 1);
            pen_status status = read_text(&pen_format_csv, text, SIZE, &options, &g, &f);
            assert_true(status == PEN_OK || (status == PEN_ERR_INPUT && f.errors > 0));
            if (status == PEN_OK) {
                assert_int_equal(pen_file_graph_examine(&g, pen_format_csv.holds, &left), PEN_OK);
                assert_int_equal(left.errors, 0);
                for (int64_t i = 0; g.names && i < g.nodes; i++) assert_true(*pen_file_graph_name(&g, i));
            }
            pen_findings_free(&f);
            pen_findings_free(&left);
            pen_file_graph_free(&g);
            free(text);
        }
}

TEST(sums_have_at_most_18_digits)
{
    static const char text[] = "a,b,weight\n1,2,999999999999999998\n1,2,1\n1,2,1\n";
    file_graph g;
    findings f;
    assert_int_equal(read_text(&pen_format_csv, text, sizeof text - 1, &(format_options){ .weights = WEIGHT_SUM }, &g,
                               &f),
                     PEN_ERR_INPUT);
    assert_non_null(strstr(pen_error_message(), "more than 18 digits"));
    pen_file_graph_free(&g);
    assert_int_equal(read_text(&pen_format_csv, text, sizeof text - 7, &(format_options){ .weights = WEIGHT_SUM }, &g,
                               &f),
                     PEN_OK);
    assert_int_equal(g.edge_weights[0], INT64_C(999999999999999999));
    pen_file_graph_free(&g);
}

/* ---- Matrix Market -------------------------------------------------------------------------- */

#define BANNER "%%MatrixMarket matrix "

TEST(matrices)
{
    static const reading plain[] = {
        { BANNER "coordinate pattern symmetric\n% text\n\n3 3 2\n2 1\n3 2\n", "1: 2; 2: 1 3; 3: 2", NULL },
        { "%%matrixmarket MATRIX Coordinate PATTERN General\n2 2 3\n1 2\n2 1\n1 1\n",
          "1: 2; 2: 1 | loops 1 | reversed 1", NULL },
        { BANNER "coordinate real general\n2 2 1\n1 2 0.5\n", "1: 2; 2: 1 | one_way 1 | values 1", NULL },
        { BANNER "coordinate real general\n2 2 1\n1 2 1.0e0\n", "1: 2; 2: 1 | one_way 1", NULL },
        { BANNER "coordinate complex hermitian\n2 2 1\n2 1 1 0\n", "1: 2; 2: 1", NULL },
        { BANNER "coordinate integer skew-symmetric\n2 2 1\n2 1 -3\n", "1: 2; 2: 1 | values 1", NULL },
        { BANNER "coordinate pattern symmetric\n2 2 1\n1 2\n", "1: 2; 2: 1",
          "note 3:0: an entry above the diagonal; a symmetric matrix has the lower triangle" },
        { BANNER "coordinate pattern symmetric\n2 2 2\n2 1\n2 1\n", "1: 2; 2: 1 | duplicates 1",
          "note 2:0: 1 entries repeat others, which the format forbids; other readers add them up" },
        { BANNER "array real general\n2 2\n5\n0\n1\n1\n", "1: 2; 2: 1 | loops 2 | one_way 1 | values 1", NULL },
        { BANNER "array real symmetric\n3 3\n1\n1\n0\n1\n1\n1\n", "1: 2; 2: 1 3; 3: 2 | loops 3", NULL },
        { BANNER "array integer skew-symmetric\n3 3\n1\n0\n1\n", "1: 2; 2: 1 3; 3: 2", NULL },
        { BANNER "array real general\n0 0\n", "", NULL },
        { "", NULL, "1:0: the first line must be the banner \"%%MatrixMarket matrix ...\"" },
        { "3 3\n.5\n", NULL, "1:0: the first line must be the banner \"%%MatrixMarket matrix ...\"" },
        { "%MatrixMarket matrix coordinate pattern general\n1 1 0\n",
          "1:", "1:1: the banner must begin with two '%', \"%%MatrixMarket\"" },
        { BANNER "coordinate pattern\n", NULL,
          "1:0: the banner must be \"%%MatrixMarket matrix FORMAT FIELD SYMMETRY\"" },
        { BANNER "coordinate real odd\n", NULL,
          "1:0: 'odd' in the banner, must be one of general, symmetric, skew-symmetric, hermitian" },
        { BANNER "coordinate real hermitian\n", NULL, "1:0: there is no coordinate real hermitian matrix" },
        { BANNER "array pattern symmetric\n3 3 6\n", NULL, "1:0: there is no array pattern symmetric matrix" },
        { BANNER "coordinate pattern general\n", NULL, "2:1: the line ends before the number of rows" },
        { BANNER "coordinate pattern general\n3 3\n", NULL, "2:4: the line ends before the number of entries" },
        { BANNER "coordinate pattern general\n3 4 0\n", NULL,
          "2:0: 3 rows and 4 columns: a graph needs equal numbers" },
        { BANNER "coordinate pattern general\n2 2 2\n1 2\n", "1: 2; 2: 1 | one_way 1",
          "2:0: 2 entries are announced, but there are 1" },
        { BANNER "coordinate pattern general\n2 2 1\n1 2 1\n",
          "1:; 2:", "3:5: unexpected text after the line's numbers" },
        { BANNER "coordinate real general\n2 2 1\n1 2\n", "1:; 2:", "3:4: the line ends before a value" },
        { BANNER "coordinate integer general\n2 2 1\n1 2 0.5\n",
          "1:; 2:", "3:5: unexpected '.', a value must be a decimal integer" },
        { BANNER "coordinate pattern general\n2 2 1\n3 1\n", "1:; 2:", "3:1: a row 3, must be 1..2" },
        { BANNER "coordinate integer skew-symmetric\n2 2 1\n1 1 4\n", "1:; 2: | loops 1 | values 1",
          "3:0: a skew-symmetric matrix has no diagonal" },
        { BANNER "coordinate pattern general\n2 2 1\n% text\n1 2\n", "1: 2; 2: 1 | one_way 1",
          "3:1: a comment after the size" },
        { BANNER "array real general\n2 2\n1\n1\n1\n", "1: 2; 2: 1 | loops 1 | reversed 1",
          "2:0: the matrix has 4 values, but there are 3" },
        { BANNER "array real general\n1 1\n1\n2\n", "1: | loops 1 | values 1",
          "4:0: values after the last one of the matrix" },
        { BANNER "array real general\n1 1\n1 2\n", "1:", "3:3: unexpected text after the line's numbers" },
        { BANNER "coordinate integer general\n%%GraphBLAS type int8_t\n2 2 1\n1 2 128\n",
          "1:; 2:", "4:5: a value 128, must be -128..127" },
        { BANNER "coordinate integer skew-symmetric\n%%GraphBLAS type uint8_t\n1 1 0\n",
          "1:", "2:0: a skew-symmetric matrix of type uint8_t" },
        { BANNER "coordinate real general\n%%GraphBLAS type gunk\n1 1 0\n",
          "1:", "2:0: unknown GraphBLAS type 'gunk'" },
        { BANNER "coordinate pattern general\n9999999 9999999 0\n", NULL,
          "2:0: 9999999 nodes, far more than a text of 67 bytes has edges for" },
    };
    static const reading values[] = {
        { BANNER "coordinate integer symmetric\n2 2 1\n2 1 -3\n", "1: 2(-3); 2: 1(-3)", NULL },
        { BANNER "coordinate real general\n2 2 2\n2 1 4.0\n1 2 5\n", "1: 2(4); 2: 1(4) | conflicts 1 | reversed 1",
          NULL },
        { BANNER "coordinate real general\n3 3 2\n2 1 4.5\n3 2 2\n", "1: 2; 2: 1 3; 3: 2 | one_way 2 | values 2",
          NULL },
        { BANNER "coordinate real general\n2 2 1\n2 1 1e300\n", "1: 2; 2: 1 | one_way 1 | values 1", NULL },
        { BANNER "coordinate integer skew-symmetric\n2 2 1\n2 1 3\n", "1: 2; 2: 1 | values 1", NULL },
        { BANNER "array integer general\n2 2\n0\n7\n7\n0\n", "1: 2(7); 2: 1(7) | reversed 1", NULL },
    };
    static const reading directed[] = {
        { BANNER "coordinate pattern general\n2 2 1\n1 2\n", "1: 2; 2:", NULL },
        { BANNER "coordinate pattern symmetric\n2 2 2\n2 1\n1 1\n", "1: 2; 2: 1 | loops 1", NULL },
        { BANNER "coordinate integer symmetric\n2 2 2\n2 1 5\n2 1 6\n", "1: 2(5); 2: 1(5) | duplicates 1 | conflicts 1",
          "note 2:0: 1 entries repeat others, which the format forbids; other readers add them up" },
    };
    CHECK_ALL(&pen_format_matrix_market, &(format_options){ 0 }, plain);
    CHECK_ALL(&pen_format_matrix_market, &(format_options){ .values = true }, values);
    CHECK_ALL(&pen_format_matrix_market, (&(format_options){ .directed = true, .values = true }), directed);
}

/* ---- Coordinates and partitions ------------------------------------------------------------- */

typedef struct placing {
    const char *kind, *text, *places, *findings;
    bool labels; /* 30, 10, 20 */
} placing;

TEST(coordinates_are_found)
{
    static const placing list[] = {
        { NULL, "1 2\n3 4\n5 6.5\n", "1 2, 3 4, 5 6.5", NULL, false },
        { NULL, "% text\n# text\n1\n2\n3", "1, 2, 3", NULL, false },
        { NULL, "1\n2\n3\n", "1, 2, 3", NULL, false },
        { NULL, "1 0 0\r\n2 0 0\r\n3 0 0\r\n\r\n", "1 0 0, 2 0 0, 3 0 0", NULL, true },
        { NULL, "2\n3\n0 1 2\n2 5 6\n1 3 4\n", "1 2, 3 4, 5 6", NULL, false },
        { NULL, "1\n3\n7 1\n8 2\n9 3\n", "1, 2, 3", NULL, false },
        { "scotch", "1 4 10 1 20 2 30 3 40 4", "3, 1, 2",
          "note 0:0: 1 coordinates are of nodes that are not in the graph", true },
        { NULL, "c text\np aux sp co 3\nv 1 10 11\nv 3 30 31\nv 2 20 21\n", "10 11, 20 21, 30 31", NULL, false },
        { NULL, "%%MatrixMarket matrix array real general\n% text\n3 2\n1\n2\n3\n4\n5\n6\n", "1 4, 2 5, 3 6", NULL,
          false },
        { NULL, "1 2\n3 4\n", "1 2, 3 4, 0 0", "0:0: 1 nodes have no coordinates, the first is 2", false },
        { NULL, "1 2\n3 4\n5\n", "1 2, 3 4, 5 0", "3:0: a line must have 1 to 3 numbers, and as many as the first one",
          false },
        { NULL, "1 2\n3 x\n5 6\n", "1 2, 3 0, 5 6", "2:3: unexpected 'x', a coordinate must be a finite number",
          false },
        { NULL, "1\n2\n3\n4\n5\n", "1, 2, 3", "4:0: coordinates after those of the last node", false },
        { NULL, "1\n4\n7 1\n8 2\n9 3\n", "1, 2, 3", "6:0: the file ends after 3 of 4 nodes", false },
        { NULL, "1\n3\n7 1\n7 2\n9 3\n", "2, 0, 3",
          "0:0: node 7 has coordinates twice; 0:0: 1 nodes have no coordinates, the first is 8", false },
        { NULL, "p aux sp co 3\nv 4 1 1\n", "0 0, 0 0, 0 0",
          "2:3: a node 4, must be 1..3; 1:0: 3 nodes are announced, but there are 1; 0:0: 3 nodes have no coordinates, "
          "the first is 1",
          false },
    };
    for (int i = 0; i < PEN_COUNT_OF(list); i++) {
        int64_t rows[4] = { 0 }, labels[] = { 30, 10, 20 };
        file_graph g = { .nodes = 3, .rows = rows, .base = 1, .labels = list[i].labels ? labels : NULL };
        findings f;
        pen_scanner in;
        char text[200] = "";
        int at = 0;
        pen_findings_init(&f, 5);
        assert_int_equal(memory_input_open("text", list[i].text, (int64_t)strlen(list[i].text), &in), PEN_OK);
        assert_int_equal(pen_coordinates_read(&in, list[i].kind, &g, &f), PEN_OK);
        pen_scanner_close(&in, PEN_OK);
        for (int k = 0; k < 3 * g.dimensions; k++) {
            const char *before = k % g.dimensions ? " " : ", ";
            at += sprintf(text + at, "%s%g", k == 0 ? "" : before, g.coordinates[k]);
        }
        assert_string_equal(found(&f), list[i].findings ? list[i].findings : "");
        assert_string_equal(text, list[i].places);
        free(g.coordinates);
        pen_findings_free(&f);
    }
}

TEST(a_number_has_no_null_bytes)
{
    static const char text[] = "1.5\0"
                               "999 2\n1 2\n3 4\n";
    int64_t rows[4] = { 0 };
    file_graph g = { .nodes = 3, .rows = rows, .base = 1 };
    findings f;
    pen_scanner in;
    pen_findings_init(&f, 5);
    assert_int_equal(memory_input_open("text", text, sizeof text - 1, &in), PEN_OK);
    assert_int_equal(pen_coordinates_read(&in, "chaco", &g, &f), PEN_OK);
    pen_scanner_close(&in, PEN_OK);
    assert_int_not_equal(f.errors, 0);
    free(g.coordinates);
    pen_findings_free(&f);
}

TEST(coordinates_come_back)
{
    static const char *const kinds[] = { "chaco", "scotch", "dimacs", "matrix" };
    int64_t rows[4] = { 0 };
    double at[] = { 0.1, -1e-300, 1.0 / 3.0, 5, 1e22, 123456.789 }, nothing = 0.0;
    file_graph g = { .nodes = 3, .rows = rows, .base = 1, .dimensions = 2, .coordinates = at };
    for (int explicit = 0; explicit < 2; explicit ++) {
        for (int i = 0; i < PEN_COUNT_OF(kinds); i++) {
            pen_scanner in;
            findings f;
            char path[] = "/tmp/lists_test.XXXXXX";
            file_graph back = { .nodes = 3, .rows = rows, .base = 1 };
            pen_findings_init(&f, 5);
            assert_int_equal(close(mkstemp(path)), 0);
            assert_int_equal(pen_coordinates_write(&g, kinds[i], path), PEN_OK);
            assert_int_equal(pen_input_open(path, &in), PEN_OK);
            assert_int_equal(pen_coordinates_read(&in, explicit ? kinds[i] : NULL, &back, &f), PEN_OK);
            pen_scanner_close(&in, PEN_OK);
            assert_int_equal(f.count, 0);
            assert_int_equal(back.dimensions, 2);
            assert_memory_equal(back.coordinates ? back.coordinates : &nothing, at, sizeof at);
            free(back.coordinates);
            unlink(path);
            pen_findings_free(&f);
        }
    }
}

TEST(partitions_are_read)
{
    static const struct {
        mapping_kind kind;
        const char *text;
        int parts[3], count;
        const char *findings;
        bool labels; /* 30, 10, 20 */
    } list[] = {
        { MAPPING_BY_CONTENT, "0\n2\n1\n", { 0, 2, 1 }, 3, NULL, false },
        { MAPPING_BY_CONTENT, "% text\n0\n% text\n2\n1\n% text\n\n", { 0, 2, 1 }, 3, NULL, false },
        { MAPPING_BY_CONTENT, "3\n0\t5\n2\t7\n1\t6\n", { 5, 6, 7 }, 8, NULL, false },
        { MAPPING_BY_CONTENT, "3\n10 5\n20 7\n30 6\n", { 6, 5, 7 }, 8, NULL, true },
        { MAPPING_SCOTCH, "3 1 5 2 7 3 6", { 5, 7, 6 }, 8, NULL, false },
        { MAPPING_METIS, "0\n2\n", { 0, 2, 0 }, 3, "3:0: the file ends after 2 of 3 nodes", false },
        { MAPPING_METIS, "0\n2\n1\n1\n", { 0, 2, 1 }, 3, "4:0: a part after that of the last node", false },
        { MAPPING_METIS,
          "0\n-1\n1 1\n",
          { 0, 0, 1 },
          2,
          "2:1: a part -1, must be 0..2147483646; 3:3: unexpected text after the line's numbers",
          false },
        { MAPPING_SCOTCH,
          "3\n0 5\n1 -1\n",
          { 5, 0, 0 },
          6,
          "3:0: node 1 is in no part; 4:0: the file ends after 2 of 3 nodes; 0:0: 1 nodes have no part",
          false },
        { MAPPING_SCOTCH,
          "3\n0 5\n0 1\n7 7\n",
          { 5, 0, 0 },
          6,
          "3:0: node 0 has a part already; 4:0: node 7 is not in the graph; 0:0: 2 nodes have no part",
          false },
        { MAPPING_SCOTCH,
          "3\n0 5\n1 1\n3 7\n",
          { 5, 1, 0 },
          6,
          "4:0: node 3 is not in the graph; 0:0: 1 nodes have no part",
          false },
    };
    for (int i = 0; i < PEN_COUNT_OF(list); i++) {
        int64_t rows[4] = { 0 }, labels[] = { 30, 10, 20 };
        file_graph g = { .nodes = 3, .rows = rows, .base = 1, .labels = list[i].labels ? labels : NULL };
        int parts[3] = { 9, 9, 9 }, count;
        findings f;
        pen_scanner in;
        pen_findings_init(&f, 5);
        assert_int_equal(memory_input_open("text", list[i].text, (int64_t)strlen(list[i].text), &in), PEN_OK);
        assert_int_equal(pen_mapping_read(&in, list[i].kind, &g, parts, &count, &f),
                         list[i].findings ? PEN_ERR_INPUT : PEN_OK);
        pen_scanner_close(&in, PEN_OK);
        assert_memory_equal(parts, list[i].parts, sizeof parts);
        assert_int_equal(count, list[i].count);
        assert_string_equal(found(&f), list[i].findings ? list[i].findings : "");
        pen_findings_free(&f);
    }
}
