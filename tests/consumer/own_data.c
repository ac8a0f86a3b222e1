/* own_data.c - a program that keeps its data itself and uses the public headers only: cells of a torus in records of
 * its own, which it ships by messages of its own. Penumbra decides which rank has which cells, and knows it. Its
 * answers are compared with lists of everything that every rank has. */
#include <penumbra_partition.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 24, HEIGHT = 20, CELLS = WIDTH * HEIGHT, FARTHEST = 3, PARTS = 5 };

#define UNEQUAL "flat,speeds=1:2,cost=3,latency=10"
enum { COST = 3, LATENCY = 10 };

/* Gids are sparse, and in no order of the cells. */
static pen_gid gid_of(int cell) { return (pen_gid)(cell * 7 % CELLS) * 1000 + 17; }

typedef struct cell {
    int number;
    double load, content;
} cell;

static cell cells[CELLS]; /* this rank's */
static int count;
static int32_t owner_of[CELLS]; /* of all, known to all: what the library is compared with */
static int rank, size;

static int failures;

/* What is not so is said, and the program goes on, so that no rank is left waiting. */
#define REQUIRE(condition)                                                                           \
    do {                                                                                             \
        if (!(condition) && ++failures <= 10)                                                        \
            fprintf(stderr, "own_data.c:%d: rank %d: not so: %s (%s)\n", __LINE__, rank, #condition, \
                    pen_error_message());                                                            \
    } while (0)

static double content_of(int number) { return number * number % 101; }

static void neighbors_of(int number, int list[4])
{
    int x = number % WIDTH, y = number / WIDTH;
    list[0] = y * WIDTH + (x + 1) % WIDTH;
    list[1] = y * WIDTH + (x + WIDTH - 1) % WIDTH;
    list[2] = (y + 1) % HEIGHT * WIDTH + x;
    list[3] = (y + HEIGHT - 1) % HEIGHT * WIDTH + x;
}

/* The rows of the cells that are here. */
static pen_graph *hand_over(void)
{
    static pen_gid gids[CELLS], neighbors[4 * CELLS];
    static int64_t rows[CELLS + 1];
    pen_graph *graph = NULL;
    for (int k = 0; k < count; k++) {
        int list[4];
        neighbors_of(cells[k].number, list);
        gids[k] = gid_of(cells[k].number);
        for (int j = 0; j < 4; j++) neighbors[4 * k + j] = gid_of(list[j]);
        rows[k + 1] = 4 * (k + 1);
    }
    const pen_csr mine = { .count = count, .gids = gids, .rows = rows, .neighbors = neighbors };
    REQUIRE(pen_graph_from_csr(MPI_COMM_WORLD, &mine, &graph) == PEN_OK);
    return graph;
}

/* All ranks learn where all cells are. */
static void tell_all(const int32_t *to)
{
    for (int i = 0; i < CELLS; i++) owner_of[i] = -1;
    for (int k = 0; k < count; k++) owner_of[cells[k].number] = to[k];
    MPI_Allreduce(MPI_IN_PLACE, owner_of, CELLS, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < CELLS; i++) REQUIRE(owner_of[i] >= 0 && owner_of[i] < size);
}

/* The program's own way to move its data: everybody shows all to all, and keeps what is its own. */
static void ship(const int32_t *to)
{
    static cell all[CELLS], mine[CELLS];
    tell_all(to);
    memset(mine, 0, sizeof mine);
    for (int k = 0; k < count; k++) mine[cells[k].number] = cells[k];
    for (int i = 0; i < CELLS; i++) {
        MPI_Allreduce(&mine[i].content, &all[i].content, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(&mine[i].load, &all[i].load, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    count = 0;
    for (int i = 0; i < CELLS; i++)
        if (owner_of[i] == rank) cells[count++] = (cell){ i, all[i].load, all[i].content };
    for (int k = 0; k < count; k++) REQUIRE(cells[k].content == content_of(cells[k].number));
}

/* The directory is told what is here, and asked about cells that are near and far, and about one that is none. */
static void ask_directory(pen_directory *directory, int32_t version)
{
    static pen_gid gids[CELLS];
    static int32_t owners[CELLS], versions[CELLS];
    for (int k = 0; k < count; k++) {
        gids[k] = gid_of(cells[k].number);
        owners[k] = rank;
        versions[k] = version;
    }
    REQUIRE(pen_directory_update(directory, count, gids, owners, versions) == PEN_OK);
    int asked = 0;
    for (int i = rank; i < CELLS; i += FARTHEST) gids[asked++] = gid_of(i);
    gids[asked] = 5;
    REQUIRE(pen_directory_resolve(directory, asked + 1, gids, owners) == PEN_OK);
    asked = 0;
    for (int i = rank; i < CELLS; i += FARTHEST) REQUIRE(owners[asked++] == owner_of[i]);
    REQUIRE(owners[asked] == PEN_OWNER_UNKNOWN);
}

/* The longest time of a rank, and what it were if all took as long. */
static void measure(const int32_t *to, const double *speeds, double *longest, double *mean)
{
    double times[64] = { 0.0 }, total = 0.0, speed = 0.0;
    for (int k = 0; k < count; k++) times[to[k]] += cells[k].load;
    MPI_Allreduce(MPI_IN_PLACE, times, size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *longest = 0.0;
    for (int r = 0; r < size; r++) {
        total += times[r];
        speed += speeds[r];
        *longest = fmax(*longest, times[r] / speeds[r]);
    }
    *mean = total / speed;
}

/* Loads have changed; the rows are handed over as they are now, or as they were at the start. */
static void rebalance(const pen_graph *graph, const char *balancer, const char *machine, const double *speeds,
                      double most)
{
    static int32_t now[CELLS], to[CELLS];
    static double loads[CELLS];
    double before, after, mean;
    for (int k = 0; k < count; k++) {
        loads[k] = cells[k].load = cells[k].number % WIDTH < WIDTH / 3 ? 6.0 : 1.0;
        now[k] = to[k] = rank;
    }
    const pen_rebalance how = { .balancer = balancer, .machine = machine, .loads = loads, .owners = now };
    measure(now, speeds, &before, &mean);
    REQUIRE(pen_graph_rebalance(graph, &how, to) == PEN_OK);
    measure(to, speeds, &after, &mean);
    REQUIRE(after <= before * (1.0 + 1e-12));
    REQUIRE(after <= most * mean);
    ship(to);
}

/* Rows may be handed over by others than those who own the nodes. */
static void rebalance_for_others(const pen_graph *graph)
{
    static int32_t owners[CELLS], same[CELLS];
    for (int k = 0; k < count; k++) same[k] = owners[k] = (rank + cells[k].number) % size;
    const pen_rebalance how = { .balancer = "metis", .owners = owners };
    REQUIRE(pen_graph_rebalance(graph, &how, owners) == PEN_OK);
    const pen_rebalance nothing = { .balancer = "none", .owners = same };
    static int32_t kept[CELLS];
    REQUIRE(pen_graph_rebalance(graph, &nothing, kept) == PEN_OK);
    for (int k = 0; k < count; k++) REQUIRE(kept[k] == same[k]);
}

/* ---- What partitions are like ------------------------------------------------------------------- */

/* Of the whole torus, known to all ranks, by loops over everything. */
typedef struct torus {
    int part[CELLS];
    double load[CELLS], loads[PARTS];
    int64_t arcs[PARTS], volumes[PARTS]; /* that a part reads of others; nodes, each once */
    int sources[PARTS];                  /* parts that it reads of */
    int components;
} torus;

static double speed_of(int part) { return part % 2 ? 2.0 : 1.0; }

static void count_arcs(torus *t, int p)
{
    bool needed[CELLS] = { false }, source[PARTS] = { false };
    for (int i = 0; i < CELLS; i++) {
        int list[4];
        neighbors_of(i, list);
        if (t->part[i] != p) continue;
        t->loads[p] += t->load[i];
        for (int j = 0; j < 4; j++) {
            if (t->part[list[j]] == p) continue;
            t->arcs[p]++;
            t->volumes[p] += !needed[list[j]];
            t->sources[p] += !source[t->part[list[j]]];
            needed[list[j]] = source[t->part[list[j]]] = true;
        }
    }
}

/* Names of components, the least number in them, spread until none changes. */
static void count_components(torus *t)
{
    int name[CELLS];
    for (int i = 0; i < CELLS; i++) name[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < CELLS; i++) {
            int list[4];
            neighbors_of(i, list);
            for (int j = 0; j < 4; j++)
                if (t->part[list[j]] == t->part[i] && name[list[j]] < name[i]) {
                    name[i] = name[list[j]];
                    changed = true;
                }
        }
    }
    for (int i = 0; i < CELLS; i++) t->components += name[i] == i;
}

static torus *look(const double *loads, const int32_t *part)
{
    static torus t;
    memset(&t, 0, sizeof t);
    for (int k = 0; k < count; k++) {
        t.part[cells[k].number] = part[k];
        t.load[cells[k].number] = loads[k];
    }
    MPI_Allreduce(MPI_IN_PLACE, t.part, CELLS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, t.load, CELLS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int p = 0; p < PARTS; p++) count_arcs(&t, p);
    count_components(&t);
    return &t;
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(1.0, fabs(b)); }

/* A partition in pieces, with an empty part. */
static void measure_partition(const pen_graph *graph)
{
    static int32_t part[CELLS];
    static double loads[CELLS];
    pen_partition_metrics m, plain;
    for (int k = 0; k < count; k++) {
        int x = cells[k].number % WIDTH, y = cells[k].number / WIDTH;
        part[k] = y < 3 ? (x + y) % 2 : x * (PARTS - 1) / WIDTH;
        loads[k] = 0.25 * (1 + x);
    }
    const torus *t = look(loads, part);
    int64_t cut = 0, volume = 0, most = 0;
    double total = 0.0, longest = 0.0, step = 0.0;
    for (int p = 0; p < PARTS; p++) {
        double time = t->loads[p] / speed_of(p);
        cut += t->arcs[p];
        volume += t->volumes[p];
        most = t->volumes[p] > most ? t->volumes[p] : most;
        total += t->loads[p];
        longest = fmax(longest, time);
        step = fmax(step, time + (double)(COST * t->arcs[p] + LATENCY * t->sources[p]));
    }
    cut /= 2;
    REQUIRE(pen_partition_quality(graph, loads, UNEQUAL, PARTS, part, &m) == PEN_OK);
    REQUIRE(m.cut == cut && m.volume == volume && m.max_volume == most);
    REQUIRE(m.components == t->components && t->components > 2 * PARTS && m.empty == 1);
    REQUIRE(near(m.imbalance, longest / (total / (3 * 1.0 + 2 * 2.0))));
    REQUIRE(m.bound == 1.0 && near(m.dilation, (double)(COST * cut)) && near(m.step_time, step));
    REQUIRE(pen_partition_quality(graph, NULL, NULL, PARTS, part, &plain) == PEN_OK);
    REQUIRE(plain.cut == cut && plain.components == t->components && plain.dilation == 0.0 && plain.step_time == 0.0);
    REQUIRE(plain.imbalance > 1.0 && plain.imbalance != m.imbalance);
    if (count > 0 && rank == size - 1) part[0] = PARTS;
    REQUIRE(pen_partition_quality(graph, NULL, NULL, PARTS, part, &m) == PEN_ERR_INPUT);
    REQUIRE(strstr(pen_error_message(), "has part 5, must be 0..4"));
}

static void try_what_is_wrong(const pen_graph *graph, pen_directory *directory)
{
    int32_t part[CELLS], strange[CELLS];
    double loads[CELLS];
    for (int k = 0; k < count; k++) {
        strange[k] = rank == size - 1 && k == count - 1 ? size : rank;
        loads[k] = rank == 0 && k == 0 ? -1.0 : 1.0;
        part[k] = 77;
    }
    const pen_rebalance nowhere = { .owners = strange }, negative = { .loads = loads },
                        unknown = { .balancer = "metsi" }, nothing = { .machine = "flat,speeds=0" };
    REQUIRE(pen_graph_partition(graph, "mets", NULL, size, part) == PEN_ERR_INPUT);
    REQUIRE(pen_graph_partition(graph, NULL, "flat:1", 2, part) == PEN_ERR_INPUT);
    REQUIRE(pen_graph_partition(graph, NULL, NULL, 0, part) == PEN_ERR_ARGUMENT);
    for (int k = 0; k < count; k++) part[k] = 77;
    REQUIRE(pen_graph_rebalance(graph, &nowhere, part) == PEN_ERR_INPUT);
    REQUIRE(pen_graph_rebalance(graph, &negative, part) == PEN_ERR_INPUT);
    REQUIRE(pen_graph_rebalance(graph, &unknown, part) == PEN_ERR_INPUT);
    REQUIRE(strstr(pen_error_message(), "did you mean metis"));
    REQUIRE(pen_graph_rebalance(graph, &nothing, part) == PEN_ERR_INPUT);
    for (int k = 0; k < count; k++) REQUIRE(part[k] == 77);
    const pen_gid bad = -4;
    REQUIRE(pen_directory_remove(directory, rank == 0, &bad) == PEN_ERR_ARGUMENT);
}

int main(int argc, char **argv)
{
    static int32_t part[CELLS];
    double equal[64], unequal[64];
    pen_directory *directory = NULL;
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 64) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int r = 0; r < size; r++) {
        equal[r] = 1.0;
        unequal[r] = r % 2 ? 2.0 : 1.0;
    }
    for (int i = 0; i < CELLS; i++)
        if (i * size / CELLS == rank) cells[count++] = (cell){ i, 1.0, content_of(i) };
    REQUIRE(pen_directory_create(MPI_COMM_WORLD, count, &directory) == PEN_OK);

    pen_graph *graph = hand_over();
    REQUIRE(pen_graph_partition(graph, "metis", NULL, size, part) == PEN_OK);
    pen_graph_destroy(&graph);
    ship(part);
    ask_directory(directory, 0);

    graph = hand_over();
    rebalance(graph, NULL, NULL, equal, 1.15);
    pen_graph_destroy(&graph);
    ask_directory(directory, 1);

    graph = hand_over();
    rebalance(graph, "diffusive", "flat,speeds=1:2", unequal, 1.2);
    pen_graph_destroy(&graph);
    ask_directory(directory, 2);

    graph = hand_over();
    rebalance_for_others(graph);
    REQUIRE(pen_graph_partition(graph, "pagrid", "clusters:2,between=5", 6, part) == PEN_OK);
    for (int k = 0; k < count; k++) REQUIRE(part[k] >= 0 && part[k] < 6);
    measure_partition(graph);
    try_what_is_wrong(graph, directory);
    pen_graph_destroy(&graph);
    pen_directory_destroy(&directory);
    REQUIRE(directory == NULL);
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return failures > 0;
}
