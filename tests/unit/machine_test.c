/* machine_test.c - machines are generated, read, written and refused.
 * pen_test() */
#include "tests/support/unit.h"

#include "base/memory.h"
#include "view/machine.h"
#include "view/network.h"

#include <stdlib.h>

static void check_sentence(const char *part)
{
    if (!strstr(pen_error_message(), part)) fail_msg("\"%s\" is without \"%s\"", pen_error_message(), part);
}

static pen_machine *generate(const char *spec, int parts)
{
    pen_machine *machine = NULL;
    assert_int_equal(pen_machine_generate(spec, parts, &machine), PEN_OK);
    return machine;
}

static pen_machine *parse(const char *text, int parts)
{
    pen_machine *machine = NULL;
    assert_int_equal(pen_machine_parse("lab", text, parts, &machine), PEN_OK);
    return machine;
}

static void check_link(const pen_machine *m, int32_t from, int32_t to, double latency, double cost)
{
    pen_link there = m->link(m, from, to), back = m->link(m, to, from);
    assert_true(there.latency == latency && there.cost == cost);
    assert_true(back.latency == latency && back.cost == cost);
}

/* ---- Generated --------------------------------------------------------------------------------- */

TEST(test_flat)
{
    pen_machine *m = generate("flat:9,cost=2,latency=3,speeds=1:3", 5);
    assert_int_equal(m->processors, 5);
    assert_int_equal(m->cluster_count, 1);
    for (int32_t p = 0; p < 5; p++) assert_true(m->speeds[p] == (p % 2 ? 3.0 : 1.0) && m->clusters[p] == 0);
    assert_true(m->total_speed == 9.0);
    check_link(m, 0, 4, 3.0, 2.0);
    check_link(m, 2, 2, 0.0, 0.0);
    pen_machine_destroy(&m);
    assert_true(m == NULL);
    m = generate("flat", 7);
    assert_int_equal(m->processors, 7);
    check_link(m, 0, 6, 0.0, 1.0);
    pen_machine_destroy(&m);
    m = generate("flat,speeds=2", 3);
    assert_true(m->total_speed == 6.0);
    pen_machine_destroy(&m);
}

TEST(test_grids)
{
    pen_machine *m = generate("hypercube:4", 16);
    for (int32_t p = 0; p < 16; p++)
        for (int32_t q = 0; q < 16; q++) check_link(m, p, q, 0.0, __builtin_popcount((unsigned)(p ^ q)));
    pen_machine_destroy(&m);
    m = generate("torus:5x3,cost=2,latency=1", 15);
    check_link(m, 0, 4, 1.0, 2.0);
    check_link(m, 0, 2, 2.0, 4.0);
    check_link(m, 1, 13, 3.0, 6.0); /* (1, 0) and (3, 2) */
    assert_int_equal(m->cluster_count, 15);
    pen_machine_destroy(&m);
    m = generate("hypercube:0", 1);
    check_link(m, 0, 0, 0.0, 0.0);
    pen_machine_destroy(&m);
    m = generate("tree:2x3x4,costs=100:10:1,latency=5", 24);
    check_link(m, 0, 3, 5.0, 1.0);
    check_link(m, 0, 4, 5.0, 10.0);
    check_link(m, 11, 12, 5.0, 100.0);
    check_link(m, 1, 1, 0.0, 0.0);
    assert_int_equal(m->cluster_count, 6);
    assert_int_equal(m->clusters[23], 5);
    pen_machine_destroy(&m);
    m = generate("tree:2x2", 3);
    check_link(m, 0, 1, 0.0, 1.0);
    check_link(m, 0, 2, 0.0, 2.0);
    pen_machine_destroy(&m);
}

TEST(test_clusters)
{
    static const struct {
        const char *spec;
        double slow[4], inner[4];
    } kinds[] = { { "clusters:4,between=10", { 1, 1, 1, 1 }, { 1, 1, 1, 1 } },
                  { "clusters:4,between=10,kind=UP", { 1, 3, 5, 7 }, { 1, 3, 5, 7 } },
                  { "clusters:4,between=10,kind=DN", { 1, 3, 5, 7 }, { 7, 5, 3, 1 } } };
    for (int k = 0; k < 3; k++) {
        pen_machine *m = generate(kinds[k].spec, 8);
        assert_int_equal(m->cluster_count, 4);
        for (int32_t p = 0; p < 8; p++) {
            assert_int_equal(m->clusters[p], p / 2);
            assert_true(m->speeds[p] == 1.0 / kinds[k].slow[p / 2]);
            for (int32_t q = p + 1; q < 8; q++) check_link(m, p, q, 0.0, p / 2 == q / 2 ? kinds[k].inner[p / 2] : 10.0);
        }
        pen_machine_destroy(&m);
    }
    pen_machine *m = generate("clusters:3", 2); /* some without processors */
    check_link(m, 0, 1, 0.0, 1.0);
    pen_machine_destroy(&m);
}

static void check_refused(const char *spec, int parts, pen_status status, const char *sentence)
{
    pen_machine *machine = NULL;
    assert_int_equal(pen_machine_generate(spec, parts, &machine), status);
    check_sentence(sentence);
    assert_true(machine == NULL);
}

TEST(test_refused)
{
    check_refused("flt", 2, PEN_ERR_INPUT, "did you mean flat?");
    check_refused("flat:3", 4, PEN_ERR_INPUT, "it has 3 processors, fewer than parts, 4");
    check_refused("flat:0", 1, PEN_ERR_INPUT, "at least 1");
    check_refused("flat,cost=-1", 2, PEN_ERR_INPUT, "must be >= 0");
    check_refused("flat,latency=-1", 2, PEN_ERR_INPUT, "must be >= 0");
    check_refused("flat,latency=1e308", 2, PEN_ERR_INPUT, "at most 1e290");
    check_refused("flat,speeds=1e308", 2, PEN_ERR_INPUT, "at most 1e290");
    check_refused("flat,speeds=1:0", 2, PEN_ERR_INPUT, "speeds must be numbers > 0");
    check_refused("flat:2,speeds=1:2:-5", 2, PEN_ERR_INPUT, "speeds must be numbers > 0");
    check_refused("flat,speeds=1:x", 2, PEN_ERR_INPUT, "speeds must be numbers > 0");
    check_refused("flat,sped=1", 2, PEN_ERR_INPUT, "did you mean speeds");
    check_refused("hypercube:3", 9, PEN_ERR_INPUT, "fewer than parts");
    check_refused("hypercube:-1", 1, PEN_ERR_INPUT, "the dimension must be 0..30");
    check_refused("torus", 1, PEN_ERR_INPUT, "as in 4x4x2");
    check_refused("torus:4x0", 1, PEN_ERR_INPUT, "as in 4x4x2");
    check_refused("torus:65536x65536", 1, PEN_ERR_UNSUPPORTED, "more than 2^30");
    check_refused("tree:2x2,costs=1", 2, PEN_ERR_INPUT, "as many as levels, 2");
    check_refused("tree:2x2,costs=1:2:3", 2, PEN_ERR_INPUT, "as many as levels, 2");
    check_refused("tree:2x2,costs=1:-2", 2, PEN_ERR_INPUT, "costs must be numbers >= 0");
    check_refused("clusters:0", 2, PEN_ERR_INPUT, "must be 1..1024");
    check_refused("clusters:2,kind=UB", 2, PEN_ERR_INPUT, "did you mean UP?");
    check_refused("clusters:2,between=-3", 2, PEN_ERR_INPUT, "must be >= 0");
}

/* ---- As text ----------------------------------------------------------------------------------- */

TEST(test_text)
{
    pen_machine *m = parse(
        "% two rooms\nprocessors 6\n\ncluster a 3 speed=2\t\nswitch s %behind\n"
        "cluster b 2 speed=0.5,cost=3,latency=4\ncluster c 1\r\n"
        "link a s cost=1,latency=10\nlink s b cost=2\nlink c b\nlink a c cost=4,latency=9\nlink b c cost=9\nswitch t\n"
        "link a t cost=3\nlink t c\n",
        6);
    const double speeds[] = { 2, 2, 2, 0.5, 0.5, 1 };
    const int32_t clusters[] = { 0, 0, 0, 1, 1, 2 };
    for (int p = 0; p < 6; p++) assert_true(m->speeds[p] == speeds[p] && m->clusters[p] == clusters[p]);
    assert_true(m->total_speed == 8.0);
    assert_int_equal(m->cluster_count, 3);
    check_link(m, 0, 2, 0.0, 1.0);
    check_link(m, 3, 4, 4.0, 3.0);
    check_link(m, 0, 4, 10.0, 3.0); /* through the switch */
    check_link(m, 2, 5, 0.0, 4.0);  /* all ways cost as much, this one takes least */
    check_link(m, 4, 5, 0.0, 1.0);  /* the cheaper one of two */
    pen_machine_destroy(&m);
}

/* Blanks of every kind. */
TEST(test_blanks)
{
    pen_machine *m = parse("\v\fprocessors 3\f\n \v\fcluster\va\f1\n\fcluster b 1\n\vcluster c 1\n"
                           "\flink a b\nlink b\vc\n",
                           3);
    assert_int_equal(m->cluster_count, 3);
    check_link(m, 0, 2, 0.0, 2.0);
    pen_machine_destroy(&m);
}

static void check_bad(const char *text, int parts, pen_status status, const char *sentence)
{
    pen_machine *machine = NULL;
    assert_int_equal(pen_machine_parse("lab", text, parts, &machine), status);
    check_sentence(sentence);
    assert_true(machine == NULL);
}

/* Without a number of parts: all processors that the machine says it has. */
TEST(test_all)
{
    static const struct {
        const char *spec;
        int32_t processors, clusters;
    } all[] = { { "flat:9", 9, 1 }, { "hypercube:4", 16, 16 }, { "torus:5x3", 15, 15 }, { "tree:2x3x4", 24, 6 } };
    for (int k = 0; k < PEN_COUNT_OF(all); k++) {
        pen_machine *m = generate(all[k].spec, 0);
        assert_int_equal(m->processors, all[k].processors);
        assert_int_equal(m->cluster_count, all[k].clusters);
        assert_true(m->total_speed == all[k].processors && pen_network_of(m)->names == NULL);
        pen_machine_destroy(&m);
    }
    pen_machine *m = parse("processors 5\ncluster the-first-of-all-clusters-of-the-world 2 speed=2\nswitch s\n"
                           "cluster b 3\nlink s b\nlink the-first-of-all-clusters-of-the-world s\n",
                           0);
    assert_int_equal(m->processors, 5);
    assert_true(m->total_speed == 7.0);
    assert_string_equal(pen_network_of(m)->names[0], "the-first-of-all-clusters-of-th");
    assert_string_equal(pen_network_of(m)->names[1], "b");
    check_link(m, 0, 4, 0.0, 2.0);
    pen_machine_destroy(&m);
    static const char *const silent[] = { "flat", "clusters:3", "flat,speeds=1:2" };
    for (int k = 0; k < PEN_COUNT_OF(silent); k++) {
        assert_int_equal(pen_machine_generate(silent[k], 0, &m), PEN_ERR_INPUT);
        check_sentence("it gives no number of processors");
    }
}

TEST(test_bad_text)
{
    check_bad("", 1, PEN_ERR_INPUT, "lab: it describes no machine");
    check_bad("% nothing\n", 1, PEN_ERR_INPUT, "no machine");
    check_bad("cluster a 2\n", 1, PEN_ERR_INPUT, "lab:1: the first line must be processors N");
    check_bad("processors 0\n", 1, PEN_ERR_INPUT, "lab:1: processors N");
    check_bad("processors 1\nprocessors 1\n", 1, PEN_ERR_INPUT, "lab:2: processors may occur only once");
    check_bad("processors 3\ncluster a 2\n", 1, PEN_ERR_INPUT, "have 2 processors, its first line says 3");
    check_bad("processors 2\ncluster a 2\n", 3, PEN_ERR_INPUT, "lab: it has 2 processors, fewer than parts, 3");
    check_bad("processors 2\ncluster a 2 speed=0\n", 2, PEN_ERR_INPUT, "lab:2: a speed must be > 0");
    check_bad("processors 2\ncluster a 2 speed=-1\n", 2, PEN_ERR_INPUT, "lab:2: a speed must be > 0");
    check_bad("processors 2\ncluster a 2 cost=-1\n", 2, PEN_ERR_INPUT, "lab:2: a cost must be >= 0");
    check_bad("processors 2\ncluster a 2 latency=-1\n", 2, PEN_ERR_INPUT, "lab:2: a latency must be >= 0");
    check_bad("processors 2\ncluster a 2 speed=1e308\n", 2, PEN_ERR_INPUT,
              "lab:2: costs, latencies and speeds must be");
    check_bad("processors 2\ncluster a 2 latency=1e308\n", 2, PEN_ERR_INPUT, "speeds must be at most 1e290");
    check_bad("processors 2\ncluster a 2 cots=1\n", 2, PEN_ERR_INPUT, "lab:2: unknown setting cots=1");
    check_bad("processors 2\ncluster a 2 cost=1 speed=2\n", 2, PEN_ERR_INPUT, "lab:2: nothing may follow");
    check_bad("processors 2\ncluster a two\n", 2, PEN_ERR_INPUT, "lab:2: cluster NAME COUNT");
    check_bad("processors 2\ncluster a\n", 2, PEN_ERR_INPUT, "lab:2: cluster NAME COUNT");
    check_bad("processors 2\ncluster a 1\ncluster a 1\n", 2, PEN_ERR_INPUT, "lab:3: the name is in use already");
    check_bad("processors 2\ncluster a 1\n\ncluster b 1\n", 2, PEN_ERR_INPUT, "lab:4: no path joins this cluster");
    check_bad("processors 1\ncluster a 1\nlink a b\n", 1, PEN_ERR_INPUT, "lab:3: a link needs names of earlier lines");
    check_bad("processors 1\ncluster a 1\nlink a a\n", 1, PEN_ERR_INPUT, "lab:3: a link needs two names");
    check_bad("processors 1\ncluster a 1\nlink a\n", 1, PEN_ERR_INPUT, "lab:3: link NAME NAME");
    check_bad("processors 1\ncluster a 1\nswitch s 1\n", 1, PEN_ERR_INPUT, "lab:3: nothing may follow the name");
    check_bad("processors 1\ncluster a 1\nhost x\n", 1, PEN_ERR_INPUT, "lab:3: a line begins with");
    check_bad("processors 1\nseconds 0\ncluster a 1\n", 1, PEN_ERR_INPUT, "lab:2: seconds BYTES");
    check_bad("processors 1\nseconds 8\nseconds 8\n", 1, PEN_ERR_INPUT, "lab:3: seconds may occur only once");
    check_bad("processors\n", 1, PEN_ERR_INPUT, "lab:1: something must follow");
    char text[1200];
    memset(text, ' ', sizeof text);
    text[sizeof text - 1] = '\0';
    check_bad(text, 1, PEN_ERR_INPUT, "lab:1: a line of more than 1023 bytes");
}

TEST(test_many)
{
    char *text = malloc(40 * 1100);
    int length = sprintf(text, "processors 1100\n");
    for (int k = 0; k < 1100; k++) length += sprintf(text + length, "cluster c%d 1\n", k);
    check_bad(text, 1, PEN_ERR_UNSUPPORTED, "lab:1026: more than 1024 clusters and switches");
    free(text);
}

/* What is written reads as a machine with the same speeds and links. */
TEST(test_written)
{
    static const struct {
        const char *spec;
        int parts;
        int most; /* lines that it may take */
    } cases[] = { { "flat:8,cost=2,speeds=1:3", 8, 9 + 28 },
                  { "hypercube:4", 16, 17 + 32 },
                  { "torus:4x5,latency=3", 20, 21 + 40 },
                  { "torus:4x5,cost=0.1", 20, 21 + 190 },
                  { "tree:3x4,costs=7:1,latency=0.5", 12, 4 + 3 },
                  { "clusters:8,between=10,kind=UP", 24, 9 + 28 },
                  { "flat,cost=0", 5, 2 } };
    for (int k = 0; k < PEN_COUNT_OF(cases); k++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        pen_machine *m = generate(cases[k].spec, cases[k].parts);
        assert_int_equal(pen_machine_write(m, out), PEN_OK);
        fclose(out);
        pen_machine *again = parse(text, cases[k].parts);
        int lines = 0;
        for (const char *c = text; *c; c++) lines += *c == '\n';
        assert_int_equal(lines, cases[k].most);
        assert_true(again->total_speed == m->total_speed);
        for (int32_t p = 0; p < m->processors; p++) {
            assert_true(again->speeds[p] == m->speeds[p]);
            for (int32_t q = 0; q < m->processors; q++) {
                pen_link link = m->link(m, p, q);
                check_link(again, p, q, link.latency, link.cost);
            }
        }
        pen_machine_destroy(&again);
        pen_machine_destroy(&m);
        free(text);
    }
    pen_machine *m = generate("flat,speeds=1:2", 2000);
    assert_int_equal(pen_machine_write(m, stderr), PEN_ERR_UNSUPPORTED);
    pen_machine_destroy(&m);
}
