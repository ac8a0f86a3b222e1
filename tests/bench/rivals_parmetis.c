/* rivals_parmetis.c - ParMETIS_V3_AdaptiveRepart. Settings: itr (1000), what a cut edge costs of which moving a node
 * costs 1, and tolerance (1.05), of the imbalance. */
#include "base/options.h"
#include "tests/bench/bench.h"
#include "tests/bench/rival.h"
#include "tests/bench/virtual.h"

#include <parmetis.h>
#include <stdlib.h>

_Static_assert(sizeof(idx_t) == sizeof(int32_t), "the rows are ParMETIS's as they are");

void rival_parmetis(const rival_rows *r, char *settings, int32_t *next, double *seconds)
{
    double itr = 1000.0, tolerance = 1.05;
    const pen_option table[] = { { "itr", "X", "", PEN_OPTION_REAL, &itr, 0, 0 },
                                 { "tolerance", "X", "", PEN_OPTION_REAL, &tolerance, 0, 0 },
                                 { .name = NULL } };
    bench_require(pen_settings_parse("ParMETIS", settings, table), "settings");
    real_t ratio = (real_t)itr, most = (real_t)tolerance, *shares;
    idx_t weighted = 2, base = 0, constraints = 1, parts = r->parts, cut, options[4] = { 1, 0, 1, 0 };
    options[3] = r->parts == r->size ? PARMETIS_PSR_COUPLED : PARMETIS_PSR_UNCOUPLED;
    MPI_Comm comm = MPI_COMM_WORLD;
    if (r->size == 1) bench_require(pen_fail(PEN_ERR_ARGUMENT, "it needs 2 processes"), "ParMETIS");
    shares = malloc((size_t)parts * sizeof *shares);
    for (int p = 0; p < parts; p++) shares[p] = (real_t)1 / (real_t)parts;
    memcpy(next, r->owners, (size_t)r->count * sizeof *next);
    MPI_Barrier(comm);
    double start = bench_cpu_seconds();
    int code = ParMETIS_V3_AdaptiveRepart(r->firsts, r->rows, r->columns, r->loads, NULL, NULL, &weighted, &base,
                                          &constraints, &parts, shares, &most, &ratio, options, &cut, next, &comm);
    *seconds = bench_cpu_seconds() - start;
    if (code != METIS_OK) bench_require(pen_fail(PEN_ERR_INTERNAL, "ParMETIS failed with %d", code), "ParMETIS");
    free(shares);
}
