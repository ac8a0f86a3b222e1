/* architecture_host_test.c - ranks on hosts, packages and caches as Scotch's architecture: as Scotch reads the text,
 * two processors are as far apart as their ranks; and a partition by it. */
#include "balance/partitioners.h"
#include "base/memory.h"
#include "partition/architecture.h"
#include "partition/architecture_host.h"
#include "tests/support/world.h"

#include <stdlib.h>

enum { MOST = 96 };
static pen_seat seats[MOST];

static void check_distances(const char *text, int ranks)
{
    pen_comm *alone = NULL;
    pen_architecture *a = NULL;
    SCOTCH_ArchDom *domains = NULL;
    CHECK_STATUS(pen_comm_create(MPI_COMM_SELF, &alone), PEN_OK);
    CHECK_STATUS(pen_architecture_create(alone, text, ranks, &a), PEN_OK);
    if (a) CHECK_STATUS(pen_architecture_processors(a, &domains), PEN_OK);
    for (int p = 0; domains && p < ranks; p++)
        for (int q = 0; q < ranks; q++) {
            int apart = p == q ? 0 : pen_seats_apart(&seats[p], &seats[q]);
            CHECK_INT(SCOTCH_archDomDist(&a->scotch, &domains[p], &domains[q]), apart);
        }
    free(domains);
    pen_architecture_destroy(&a);
    pen_comm_destroy(&alone);
}

static void check_text(int ranks, const char *begin)
{
    char *text = NULL;
    CHECK_STATUS(pen_seats_architecture(seats, ranks, &text), PEN_OK);
    if (!text) return;
    CHECK(strncmp(text, begin, strlen(begin)) == 0);
    if (strncmp(text, begin, strlen(begin)) != 0) fprintf(stderr, "%.100s, expected %s\n", text, begin);
    if (strncmp(text, "cmplt", 5) != 0) check_distances(text, ranks);
    free(text);
}

static void seat(int rank, int host, int package, int cache)
{
    seats[rank] = (pen_seat){ host, { package, 0, cache, rank } };
}

static void test_trees(void)
{
    for (int r = 0; r < 48; r++) seat(r, r / 16, r / 8 % 2, r / 4 % 4);
    check_text(48, "tleaf 4 3 16 2 2 2 1 4 1");
    check_text(16, "tleaf 3 2 2 2 1 4 1");
    check_text(8, "tleaf 2 2 1 4 1");
    check_text(4, "cmplt 4");
    check_text(1, "cmplt 1");
    for (int r = 0; r < 6; r++) seat(r, r / 3, 0, 0);
    check_text(6, "tleaf 2 2 19 3 1");
    for (int r = 0; r < 6; r++) seat(r, r, 0, 0);
    check_text(6, "tleaf 1 6 20");
    for (int r = 0; r < 6; r++) seat(r, 0, -1, -1); /* not bound */
    check_text(6, "cmplt 6");
    for (int r = 0; r < 6; r++) seat(r, r / 2, -1, -1);
    check_text(6, "tleaf 2 3 19 2 1");
}

/* Ranks that are dealt out, over hosts or packages by turns: no permutation here is its own inverse. */
static void test_permuted(void)
{
    for (int r = 0; r < 24; r++) seat(r, r % 3, r / 3 % 2, r / 6 % 2);
    check_text(24, "ltleaf 4 3 16 2 2 2 1 2 1 24 0 12");
    for (int r = 0; r < 12; r++) seat(r, 0, r % 3, 0);
    check_text(12, "ltleaf 2 3 3 4 1 12 0 3 6 9 1");
}

static void test_uneven(void)
{
    for (int r = 0; r < 7; r++) seat(r, r / 4, 0, 0);
    check_text(7, "deco 0 7 ");
    for (int r = 0; r < 9; r++) seat(r, r % 2, r / 2 % 2, r / 4);
    check_text(9, "deco 0 9 ");
    for (int r = 0; r < MOST; r++) seat(r, r * r % 7 % 5, r % 3, r % 4);
    check_text(MOST, "deco 0 96 ");
    for (int r = 0; r < 3; r++) seat(r, 0, 0, r / 2);
    check_text(3, "deco 0 3 ");
}

static void test_partition(void)
{
    int32_t part[400];
    const int ranks = check_size();
    pen_graph *graph = graph_from("hex:20x20");
    bool known = *pen_binding_version() != '\0';
    CHECK_STATUS(pen_partition(graph, "scotch:arch=host", NULL, ranks, part), known ? PEN_OK : PEN_ERR_UNSUPPORTED);
    if (!known) CHECK_CONTAINS(pen_error_message(), "this build has no hwloc");
    CHECK_STATUS(pen_partition(graph, "scotch:arch=host", NULL, ranks + 1, part),
                 known ? PEN_ERR_INPUT : PEN_ERR_UNSUPPORTED);
    if (known) CHECK_CONTAINS(pen_error_message(), "its processors are the ranks");
    pen_graph_destroy(&graph);
}

CHECKS()
{
    RUN(test_trees());
    RUN(test_permuted());
    RUN(test_uneven());
    RUN(test_partition());
}
