/* quadtree.c - heat between the leaves of a quadtree of the unit square, which becomes finer where a growing circle
 * passes. The root's gid is 1; the children of g are 4g .. 4g + 3, so a gid tells where its square is. */
#include <penumbra.h>

#include <math.h>

enum { COARSEST = 1 << 4, FINEST = 1 << 12 }; /* the least gids of these levels */
enum { LEAF };

typedef struct leaf {
    double heat;
    int64_t splits; /* at the end of this step */
} leaf;

typedef struct square {
    double center[2], side;
} square;

static square square_of(pen_gid gid)
{
    square s = { { 0.5, 0.5 }, 1.0 };
    for (; gid > 1; gid /= 4, s.side /= 2.0) {
        s.center[0] = (s.center[0] + (double)(gid & 1)) / 2.0;
        s.center[1] = (s.center[1] + (double)(gid >> 1 & 1)) / 2.0;
    }
    return s;
}

/* Whether two leaves have a part of a side in common. */
static bool touch(pen_gid a, pen_gid b)
{
    square s = square_of(a), t = square_of(b);
    double reach = (s.side + t.side) / 2.0;
    double dx = fabs(s.center[0] - t.center[0]), dy = fabs(s.center[1] - t.center[1]);
    return dx <= reach && dy <= reach && dx + dy < 2.0 * reach && a != b;
}

static const char *root(void *params, const pen_world *world, int rank, pen_csr *mine)
{
    static const pen_gid gid = 1;
    static const int64_t rows[2] = { 0, 0 };
    static const double center[2] = { 0.5, 0.5 };
    (void)params, (void)world;
    *mine = (pen_csr){ .count = rank == 0, .gids = &gid, .rows = rows, .dimensions = 2, .coordinates = center };
    return NULL;
}

static void init(const pen_view *v) { *PEN_NEXT(v, LEAF, leaf) = (leaf){ 1.0, 0 }; }

static void conduct(const pen_view *v)
{
    leaf next = { PEN_SELF(v, LEAF, leaf)->heat, 0 };
    for (int32_t i = 0; i < pen_degree(v); i++)
        next.heat += 0.05 * (PEN_NEIGHBOR(v, LEAF, leaf, i)->heat - PEN_SELF(v, LEAF, leaf)->heat);
    double dx = pen_coordinate(v, 0) - 0.4, dy = pen_coordinate(v, 1) - 0.3;
    double distance = fabs(sqrt(dx * dx + dy * dy) - 0.04 * (double)pen_step(v));
    next.splits = pen_id(v) < COARSEST || (pen_id(v) < FINEST && distance < square_of(pen_id(v)).side / 2.0);
    *PEN_NEXT(v, LEAF, leaf) = next;
}
PEN_SWEEP(conduct)

static void join(pen_changes *changes, pen_gid a, pen_gid b)
{
    if (touch(a, b)) pen_add_edge(changes, a, b, 1);
}

static void split(const pen_view *v, pen_changes *changes)
{
    if (!PEN_SELF(v, LEAF, leaf)->splits) return;
    pen_remove_node(changes, pen_id(v));
    for (pen_gid first = 4 * pen_id(v), child = first; child < first + 4; child++) {
        pen_new_node *born = pen_add_node(changes, child, 1);
        pen_set_coordinates(born, 2, square_of(child).center);
        PEN_FIRST(born, LEAF, leaf)->heat = PEN_SELF(v, LEAF, leaf)->heat + (double)(child % 4);
        for (pen_gid other = child + 1; other < first + 4; other++) join(changes, child, other);
        for (int32_t i = 0; i < pen_degree(v); i++) {
            pen_gid other = pen_neighbor_id(v, i);
            bool splits = PEN_NEIGHBOR(v, LEAF, leaf, i)->splits != 0;
            for (pen_gid its = 0; its < (splits ? 4 : 1); its++) join(changes, child, splits ? 4 * other + its : other);
        }
    }
}

static void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%a %a %a", pen_coordinate(v, 0), pen_coordinate(v, 1), PEN_SELF(v, LEAF, leaf)->heat);
}

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "leaf", .size = sizeof(leaf), .plain = true } };
    static const pen_phase phases[] = {
        { "conduct", .sweep = conduct_sweep, .reads = PEN_SET(LEAF), .writes = PEN_SET(LEAF) },
        { "split", .modify = split, .reads = PEN_SET(LEAF) },
    };
    static const pen_app app = { .name = "quadtree",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 .init = init,
                                 .output.print = print,
                                 .graph.rows = root };
    return pen_main(&app, argc, argv);
}
