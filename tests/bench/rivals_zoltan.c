/* rivals_zoltan.c - Zoltan's partitioners of graphs and hypergraphs. Settings: some of Zoltan's
 * parameters. A hypergraph Zoltan makes of the graph: a hyperedge for each node, of it and its neighbours. */
#include "base/memory.h"
#include "base/options.h"
#include "tests/bench/bench.h"
#include "tests/bench/rival.h"
#include "tests/bench/virtual.h"

#include <zoltan.h>

static void zoltan_require(int code)
{
    if (code != ZOLTAN_OK) bench_require(pen_fail(PEN_ERR_INTERNAL, "Zoltan failed with %d", code), "Zoltan");
}

static int count_nodes(void *data, int *error)
{
    *error = ZOLTAN_OK;
    return ((const rival_rows *)data)->count;
}

static void list_nodes(void *data, int gid_size, int lid_size, ZOLTAN_ID_PTR gids, ZOLTAN_ID_PTR lids, int weights,
                       float *loads, int *error)
{
    const rival_rows *r = data;
    for (int32_t i = 0; i < r->count; i++) {
        gids[i] = (ZOLTAN_ID_TYPE)(r->firsts[r->rank] + i);
        lids[i] = (ZOLTAN_ID_TYPE)i;
        loads[i] = (float)r->loads[i];
    }
    *error = ZOLTAN_OK;
}

static void count_edges(void *data, int gid_size, int lid_size, int count, ZOLTAN_ID_PTR gids, ZOLTAN_ID_PTR lids,
                        int *degrees, int *error)
{
    const rival_rows *r = data;
    for (int i = 0; i < count; i++) degrees[i] = r->rows[lids[i] + 1] - r->rows[lids[i]];
    *error = ZOLTAN_OK;
}

static void list_edges(void *data, int gid_size, int lid_size, int count, ZOLTAN_ID_PTR gids, ZOLTAN_ID_PTR lids,
                       int *degrees, ZOLTAN_ID_PTR neighbors, int *ranks, int weights, float *edge_weights, int *error)
{
    const rival_rows *r = data;
    int64_t at = 0;
    for (int i = 0; i < count; i++)
        for (int32_t k = r->rows[lids[i]]; k < r->rows[lids[i] + 1]; k++, at++) {
            neighbors[at] = (ZOLTAN_ID_TYPE)r->columns[k];
            ranks[at] = 0;
            while (r->columns[k] >= r->firsts[ranks[at] + 1]) ranks[at]++;
        }
    *error = ZOLTAN_OK;
}

static void list_owners(void *data, int gid_size, int lid_size, int count, ZOLTAN_ID_PTR gids, ZOLTAN_ID_PTR lids,
                        int *owners, int *error)
{
    const rival_rows *r = data;
    for (int i = 0; i < count; i++) owners[i] = r->owners[lids[i]];
    *error = ZOLTAN_OK;
}

static void set_parameters(struct Zoltan_Struct *zoltan, int parts, char *settings)
{
    char count[16];
    snprintf(count, sizeof count, "%d", parts);
    const char *always[][2] = { { "DEBUG_LEVEL", "0" },
                                { "CHECK_GRAPH", "0" },
                                { "OBJ_WEIGHT_DIM", "1" },
                                { "RETURN_LISTS", "PARTS" },
                                { "NUM_GLOBAL_PARTS", count } };
    const char *chosen[][2] = { { "LB_METHOD", "GRAPH" },
                                { "GRAPH_PACKAGE", "PHG" },
                                { "LB_APPROACH", "REPARTITION" },
                                { "PHG_REPART_MULTIPLIER", "100" },
                                { "IMBALANCE_TOL", "1.1" } };
    pen_option table[PEN_COUNT_OF(chosen) + 1] = { { .name = NULL } };
    for (int i = 0; i < PEN_COUNT_OF(chosen); i++)
        table[i] = (pen_option){ chosen[i][0], "VALUE", "", PEN_OPTION_TEXT, &chosen[i][1], 0, 0 };
    bench_require(pen_settings_parse("Zoltan", settings, table), "settings");
    for (int i = 0; i < PEN_COUNT_OF(always); i++) zoltan_require(Zoltan_Set_Param(zoltan, always[i][0], always[i][1]));
    for (int i = 0; i < PEN_COUNT_OF(chosen); i++) zoltan_require(Zoltan_Set_Param(zoltan, chosen[i][0], chosen[i][1]));
}

static struct Zoltan_Struct *make(rival_rows *r, char *settings)
{
    static bool initialized;
    float version;
    if (!initialized) zoltan_require(Zoltan_Initialize(0, NULL, &version));
    initialized = true;
    struct Zoltan_Struct *zoltan = Zoltan_Create(MPI_COMM_WORLD);
    set_parameters(zoltan, r->parts, settings);
    zoltan_require(Zoltan_Set_Num_Obj_Fn(zoltan, count_nodes, r));
    zoltan_require(Zoltan_Set_Obj_List_Fn(zoltan, list_nodes, r));
    zoltan_require(Zoltan_Set_Num_Edges_Multi_Fn(zoltan, count_edges, r));
    zoltan_require(Zoltan_Set_Edge_List_Multi_Fn(zoltan, list_edges, r));
    zoltan_require(Zoltan_Set_Part_Multi_Fn(zoltan, list_owners, r));
    return zoltan;
}

void rival_zoltan(const rival_rows *r, char *settings, int32_t *next, double *seconds)
{
    rival_rows data = *r;
    struct Zoltan_Struct *zoltan = make(&data, settings);
    int changes, gid_size, lid_size, imports, exports, *import_ranks, *import_parts, *export_ranks, *export_parts;
    ZOLTAN_ID_PTR import_gids, import_lids, export_gids, export_lids;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = bench_cpu_seconds();
    int code = Zoltan_LB_Partition(zoltan, &changes, &gid_size, &lid_size, &imports, &import_gids, &import_lids,
                                   &import_ranks, &import_parts, &exports, &export_gids, &export_lids, &export_ranks,
                                   &export_parts);
    *seconds = bench_cpu_seconds() - start;
    if (code != ZOLTAN_WARN) zoltan_require(code);
    memcpy(next, r->owners, (size_t)r->count * sizeof *next);
    for (int i = 0; i < exports; i++) next[export_lids[i]] = export_parts[i];
    Zoltan_LB_Free_Part(&import_gids, &import_lids, &import_ranks, &import_parts);
    Zoltan_LB_Free_Part(&export_gids, &export_lids, &export_ranks, &export_parts);
    Zoltan_Destroy(&zoltan);
}
