/* leaves.c - makes a graph of the leaves for partitioners. */
#include "apps/nbody/phases.h"

#include <stdlib.h>

/* The data from which rank 0 makes the graph of leaves. */
typedef struct workshop {
    bodies_set set;
    nbody_tree tree;
    struct ordered {
        pen_gid key;
        int64_t cell;
    } * order;       /* [leaves] the leaves in the graph's order */
    int64_t *number; /* [tree.count] number of each leaf in that order */
    pen_gid *seen;   /* [leaves] scratch: leaves that a leaf sees */
    int64_t leaves;
} workshop;

/* Take the bodies of the leaves. Within a leaf they are in the order of their numbers. */
static bool take_bodies(const nbody *s, const pen_records *where, bodies_set *set)
{
    size_t m = (size_t)s->cell_max;
    int64_t all = pen_nbody_count(s, where);
    set->bodies = (bodies_body *)malloc(((size_t)all + 1) * sizeof *set->bodies);
    for (int64_t k = 0; set->bodies && k < where->count; k++) {
        const places *p = pen_nbody_places(s, where, k);
        for (int64_t i = 0; i < p->count; i++) {
            const double *x = p->data + i;
            set->bodies[set->count++] = (bodies_body){ .place = { x[0], x[m], x[2 * m] }, .mass = x[3 * m] };
        }
    }
    return set->bodies != NULL;
}

/* The key by which leaves are sorted: x first. In a gid x has the lowest of three bits. */
static pen_gid key_of(pen_gid deepest)
{
    const pen_gid x = INT64_C(0111111111111111111111);
    return (deepest & x) << 2 | (deepest & x << 1) | (deepest >> 2 & x);
}

static int by_key(const void *a, const void *b)
{
    const struct ordered *x = (const struct ordered *)a, *y = (const struct ordered *)b;
    return (x->key > y->key) - (x->key < y->key);
}

static bool order_leaves(workshop *w)
{
    const nbody_tree *t = &w->tree;
    for (int64_t c = 0; c < t->count; c++) w->leaves += t->cells[c].leaf;
    w->order = (struct ordered *)malloc((size_t)w->leaves * sizeof *w->order);
    w->seen = (pen_gid *)malloc((size_t)w->leaves * sizeof *w->seen);
    w->number = (int64_t *)malloc((size_t)t->count * sizeof *w->number);
    if (!w->order || !w->seen || !w->number) return false;
    for (int64_t c = 0, used = 0; c < t->count; c++)
        if (t->cells[c].leaf) w->order[used++] = (struct ordered){ key_of(t->items[t->cells[c].first].deepest), c };
    qsort(w->order, (size_t)w->leaves, sizeof *w->order, by_key);
    for (int64_t i = 0; i < w->leaves; i++) w->number[w->order[i].cell] = i;
    return true;
}

void pen_nbody_rows_free(nbody_rows *r)
{
    free(r->gids);
    free(r->neighbors);
    free(r->first);
    free(r->weights);
    free(r->sizes);
    free(r->reads);
    free(r->places);
    *r = (nbody_rows){ .room = 0 };
}

bool pen_nbody_rows_reserve(nbody_rows *r, int64_t count, int64_t arcs)
{
    r->room = arcs;
    r->gids = (pen_gid *)malloc((size_t)(count + 1) * sizeof *r->gids);
    r->weights = (int64_t *)malloc((size_t)(count + 1) * sizeof *r->weights);
    r->first = (int64_t *)calloc((size_t)(count + 1), sizeof *r->first);
    r->neighbors = (pen_gid *)malloc((size_t)(arcs + 1) * sizeof *r->neighbors);
    return r->gids && r->weights && r->first && r->neighbors;
}

static void write_row(const nbody *s, workshop *w, int64_t i, nbody_rows *r)
{
    const nbody_tree *t = &w->tree;
    const tree_cell *leaf = &t->cells[w->order[i].cell];
    int64_t far, close, count = pen_tree_look(t, leaf, s->delta, &far, &close, w->seen), used = r->first[i];
    r->gids[i] = i;
    r->weights[i] = pen_nbody_interactions(leaf->bodies, close, far);
    r->sizes[i] = leaf->bodies;
    for (int64_t k = 0; k < count; k++, used++) {
        const tree_cell *other = pen_tree_find(t, w->seen[k]);
        r->neighbors[used] = w->number[other - t->cells];
        r->reads[used] = other->bodies;
    }
    r->first[i + 1] = used;
}

static const char *make_graph(const nbody *s, const pen_records *where, workshop *w, nbody_rows *r)
{
    static const char *const no_memory = "no memory for the graph of the leaves";
    int64_t arcs = 0, far, close;
    if (!take_bodies(s, where, &w->set)) return no_memory;
    const char *wrong = pen_tree_create(&w->set, s->half, s->cell_max, &w->tree);
    if (wrong) return wrong;
    if (!order_leaves(w)) return no_memory;
    for (int64_t i = 0; i < w->leaves; i++)
        arcs += pen_tree_look(&w->tree, &w->tree.cells[w->order[i].cell], s->delta, &far, &close, w->seen);
    r->sizes = (int64_t *)malloc((size_t)w->leaves * sizeof *r->sizes);
    r->reads = (int64_t *)malloc((size_t)(arcs + 1) * sizeof *r->reads);
    if (!r->sizes || !r->reads || !pen_nbody_rows_reserve(r, w->leaves, arcs)) return no_memory;
    for (int64_t i = 0; i < w->leaves; i++) write_row(s, w, i, r);
    return NULL;
}

const char *pen_nbody_leaves(pen_run *run, void *params, pen_csr *mine)
{
    nbody *s = (nbody *)params;
    nbody_rows *r = &s->leaves;
    pen_records where;
    workshop w = { .leaves = 0 };
    if (pen_run_gather(run, PLACES, &where) != PEN_OK) return pen_error_message();
    pen_nbody_rows_free(r);
    const char *wrong = where.count > 0 ? make_graph(s, &where, &w, r) : NULL;
    if (!wrong && where.count > 0)
        *mine = (pen_csr){ .count = (pen_lid)w.leaves,
                           .gids = r->gids,
                           .rows = r->first,
                           .neighbors = r->neighbors,
                           .node_weights = r->weights,
                           .edge_weights = r->reads,
                           .directed = true,
                           .node_sizes = r->sizes };
    pen_records_free(&where);
    pen_tree_free(&w.tree);
    free(w.set.bodies);
    free(w.order);
    free(w.number);
    free(w.seen);
    return wrong;
}
