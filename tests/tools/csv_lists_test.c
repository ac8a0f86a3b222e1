/* csv_lists_test.c - edge lists in CSV: the graph of a text, and its faults, whichever byte is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/tools/memory_input.h"
#include "tools/graph/examine.h"
#include "tools/graph/formats.h"

#include <stdlib.h>

static pen_status read_text(const char *text, int64_t size, const format_options *options, file_graph *g, findings *f)
{
    input in;
    *g = (file_graph){ .base = 1, .rule = options->weights };
    pen_findings_init(f, 5);
    assert_int_equal(memory_input_open("text", text, size, &in), PEN_OK);
    return pen_input_close(&in, pen_format_csv.read(&in, options, g, f));
}

/* "a: b(1) c(2.5); ..." and the notes' columns. */
static const char *describe(const file_graph *g)
{
    static char text[1000];
    int at = 0;
#define ADD(...) at += snprintf(text + at, sizeof text - (size_t)at, __VA_ARGS__)
    for (int64_t i = 0; i < g->nodes; i++) {
        if (g->names) ADD("%s%s:", i ? "; " : "", pen_file_graph_name(g, i));
        else ADD("%s%" PRId64 ":", i ? "; " : "", pen_file_graph_label(g, i));
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            ADD(" %" PRId64, g->neighbors[a]);
            if (g->edge_weights) ADD("(%" PRId64 ")", g->edge_weights[a]);
            if (g->values) ADD("<%g>", g->values[a]);
        }
    }
    ADD("|%s", g->notes.columns);
    return text;
}

static void lists_are_read(void **state)
{
    (void)state;
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
        { "from,to\n007,8\n8,7\n", "7: 1; 8: 0|", NULL },
        { "from,to\n-1,8\n", "-1: 1; 8:|", NULL },
        { "from,to\n1,1234567890123456789\n", "1: 1; 1234567890123456789:|", NULL },
        { "\xEF\xBB\xBF\"source\",target\n1,2\n", "1: 1; 2:|", NULL },
    };
    static const int64_t chunks[] = { 1, 7, 256 * 1024 };
    int64_t usual = pen_input_chunk;
    for (int i = 0; i < PEN_COUNT_OF(cases); i++)
        for (int k = 0; k < PEN_COUNT_OF(chunks); k++) {
            const format_options options = { .directed = true, .reals = true, .weight_column = cases[i].column };
            file_graph g;
            findings f;
            pen_input_chunk = chunks[k];
            pen_status status = read_text(cases[i].text, (int64_t)strlen(cases[i].text), &options, &g, &f);
            if (status != PEN_OK || f.errors > 0) fail_msg("%s: %s", cases[i].text, pen_error_message());
            assert_string_equal(describe(&g), cases[i].wanted);
            pen_findings_free(&f);
            pen_file_graph_free(&g);
        }
    pen_input_chunk = usual;
}

static void what_is_wrong_is_found(void **state)
{
    (void)state;
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
        pen_status status = read_text(cases[i].text, (int64_t)strlen(cases[i].text), &(format_options){ 0 }, &g, &f);
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
static void damage_is_found_or_harmless(void **state)
{
    (void)state;
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
            pen_status status = read_text(text, SIZE, &options, &g, &f);
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

static void sums_have_at_most_18_digits(void **state)
{
    (void)state;
    static const char text[] = "a,b,weight\n1,2,999999999999999998\n1,2,1\n1,2,1\n";
    file_graph g;
    findings f;
    assert_int_equal(read_text(text, sizeof text - 1, &(format_options){ .weights = WEIGHT_SUM }, &g, &f),
                     PEN_ERR_INPUT);
    assert_non_null(strstr(pen_error_message(), "more than 18 digits"));
    pen_file_graph_free(&g);
    assert_int_equal(read_text(text, sizeof text - 7, &(format_options){ .weights = WEIGHT_SUM }, &g, &f), PEN_OK);
    assert_int_equal(g.edge_weights[0], INT64_C(999999999999999999));
    pen_file_graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(what_is_wrong_is_found),
        cmocka_unit_test(damage_is_found_or_harmless),
        cmocka_unit_test(sums_have_at_most_18_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
