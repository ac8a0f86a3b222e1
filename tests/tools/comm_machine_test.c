/* comm_machine_test - pen-comm's machine from measured times: noise does not count, every two clusters meet, and the
 * written machine is the measured one.
 * pen_test(LINK pen_comparison) */
#include "tests/support/unit.h"
#include "tests/support/world.h"

#include "tools/comm/link_time.h"
#include "tools/comm/machine.h"
#include "view/machine.h"
#include "view/network.h"

#include <stdlib.h>

/* ---- Noise ------------------------------------------------------------------------------------- */

TEST(test_even)
{
    double two[] = { 1.0, 2.04, 1.08, 1.09, 2.0, 1.04, 2.19 }, none[] = { 0.0, 1.0, 0.0 }, one[] = { 3.0 };
    const double expected[] = { 1.08, 2.04, 1.08, 1.08, 2.04, 1.08, 2.04 };
    assert_int_equal(pen_even_out(two, 7, 0.1), PEN_OK);
    for (int i = 0; i < 7; i++) assert_true(two[i] == expected[i]);
    assert_int_equal(pen_even_out(none, 3, 0.5), PEN_OK);
    assert_true(none[0] == 0.0 && none[1] == 1.0 && none[2] == 0.0);
    assert_int_equal(pen_even_out(one, 1, 0.5), PEN_OK);
    assert_true(one[0] == 3.0);
    assert_int_equal(pen_even_out(NULL, 0, 0.5), PEN_OK);
}

/* A thousand ranks that are equal except for noise come out equal; two kinds of them as two. */
TEST(test_many)
{
    enum { RANKS = 1000 };
    double seconds[RANKS];
    uint64_t random = 1;
    for (int kinds = 1; kinds <= 2; kinds++) {
        for (int r = 0; r < RANKS; r++) {
            seconds[r] = (1 + r % kinds) * 1e-8 * (1.0 + 0.09 * (double)(case_random(&random) >> 7) / (1 << 24));
        }
        assert_int_equal(pen_even_out(seconds, RANKS, COMM_SPEED_NOISE), PEN_OK);
        for (int r = kinds; r < RANKS; r++) assert_true(seconds[r] == seconds[r % kinds]);
        if (kinds == 2) assert_true(seconds[1] > 1.8 * seconds[0]);
    }
}

/* ---- Pairs of ranks that measure ------------------------------------------------------------ */

TEST(test_opponents)
{
    for (int32_t count = 1; count <= 12; count++) {
        int met[12][12] = { { 0 } };
        assert_true(pen_link_rounds(count) <= count + 1);
        for (int32_t round = 0; round < pen_link_rounds(count); round++)
            for (int32_t c = 0; c < count; c++) {
                int32_t other = pen_link_opponent(count, round, c);
                if (other < 0) continue;
                assert_int_equal(pen_link_opponent(count, round, other), c);
                met[c][other]++;
            }
        for (int32_t c = 0; c < count; c++)
            for (int32_t d = 0; d < count; d++) assert_int_equal(met[c][d], 1);
    }
}

/* Two pairs for every two clusters, wherever there are other ranks for the second one. */
TEST(test_partners)
{
    enum { RANKS = 9, COUNT = 4 };
    static const int32_t clusters[RANKS] = { 0, 1, 0, 2, 1, 0, 3, 3, 0 };
    static const int pairs[COUNT][COUNT] = { { 2, 2, 2, 2 }, { 2, 1, 2, 2 }, { 2, 2, 0, 2 }, { 2, 2, 2, 1 } };
    comm_cluster list[COUNT];
    int found[COUNT][COUNT] = { { 0 } };
    pen_link_clusters(RANKS, clusters, COUNT, list);
    assert_int_equal(list[0].second, 2);
    assert_int_equal(list[0].last, 8);
    assert_int_equal(list[2].last, 3);
    for (int32_t round = 0; round < pen_link_rounds(COUNT); round++)
        for (int slot = 0; slot < COMM_LINK_SLOTS; slot++)
            for (int r = 0; r < RANKS; r++) {
                int other = pen_link_partner(list, COUNT, round, slot, clusters[r], r);
                if (other < 0) continue;
                assert_int_not_equal(other, r);
                assert_int_equal(pen_link_partner(list, COUNT, round, slot, clusters[other], other), r);
                found[clusters[r]][clusters[other]] += clusters[r] == clusters[other] ? r < other : 1;
            }
    for (int c = 0; c < COUNT; c++)
        for (int d = 0; d < COUNT; d++) assert_int_equal(found[c][d], pairs[c][d]);
}

/* ---- The file ---------------------------------------------------------------------------------- */

/* Ranks that take turns on three hosts, one of which is slower. */
TEST(test_file)
{
    enum { RANKS = 7, HOSTS = 3 };
    static const int32_t hosts[RANKS] = { 0, 1, 2, 0, 1, 2, 2 };
    static const double seconds[RANKS] = { 1e-8, 1e-8, 4e-8, 1e-8, 1e-8, 4e-8, 4e-8 };
    static const pen_link links[HOSTS * HOSTS] = { { 1e-7, 3e-10 }, { 1e-5, 8e-9 },  { 1.3e-5, 1.1e-8 },
                                                   { 9, 9 },        { 1e-7, 3e-10 }, { 1.1e-5, 8e-9 },
                                                   { 9, 9 },        { 9, 9 },        { 2e-7, 7e-10 } };
    comm_machine m = { .degree = 6.0, .node_seconds = 1e-8, .noise = 0.1, .record = 8, .per_byte = 3e-10 / 8 };
    assert_int_equal(pen_machine_of_times(RANKS, hosts, HOSTS, seconds, links, m.record, &m.machine), PEN_OK);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(pen_comm_machine_write(&m, "7 ranks on 3 hosts", out), PEN_OK);
    fclose(out);
    assert_non_null(strstr(text, "7 ranks on 3 hosts"));
    assert_non_null(strstr(text, "--partitioner=pagrid:ratio=1e+08, minex:ratio=1e+08"));
    assert_non_null(strstr(text, "cost 1 (--machine=host, flat): pagrid:ratio=0.03, minex:ratio=0.03"));
    pen_machine *read = NULL;
    assert_int_equal(pen_machine_parse("written", text, RANKS, &read), PEN_OK);
    assert_int_equal(pen_network_of(read)->record, 8);
    for (int p = 0; p < RANKS; p++) {
        assert_true(read->speeds[p] == (hosts[p] == 2 ? 0.25 : 1.0));
        for (int q = 0; q < RANKS; q++) {
            int low = hosts[p] < hosts[q] ? hosts[p] : hosts[q], high = hosts[p] < hosts[q] ? hosts[q] : hosts[p];
            pen_link link = read->link(read, p, q), expected = links[low * HOSTS + high];
            if (p == q) continue;
            assert_true(link.cost == expected.cost && link.latency == expected.latency);
        }
    }
    pen_machine_destroy(&read);
    pen_comm_machine_free(&m);
    free(text);
}

/* A disturbed measurement gives one line, another one none. */
TEST(test_warning)
{
    const double noises[] = { 0.1, 0.25, 0.26, 34.2 };
    for (int i = 0; i < 4; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        pen_comm_machine_warn(&(comm_machine){ .noise = noises[i] }, "my.machine", out);
        fclose(out);
        char *end = strchr(text, '\n');
        assert_true(i < 2 ? size == 0 : end == text + size - 1);
        if (i == 3)
            assert_non_null(strstr(text, "my.machine: speeds that differ by less than 3.42e+03 % count as equal"));
        free(text);
    }
}
