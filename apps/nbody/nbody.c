/* nbody.c - bodies under gravity as an application of Penumbra. */
#include "apps/nbody/nbody.h"
#include "apps/complain.h"
#include "apps/nbody/phases.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- The first graph -------------------------------------------------------------------------- */

static bool is_number(const char *text) { return *text && strspn(text, "0123456789") == strlen(text); }

static const char *check_settings(const nbody *s)
{
    if (s->cell_max < 1 || s->cell_max > NBODY_MOST)
        return pen_complain("--cell-max=%" PRId64 ", must be from 1 to %d", s->cell_max, NBODY_MOST);
    /* Records would be too large with a small delta: their size is proportional to 1 / delta^3. */
    if (!(s->delta >= 0.1 && s->delta <= 1000.0)) return "--delta must be from 0.1 to 1000";
    if (!(isfinite(s->dt) && s->dt > 0.0)) return "--dt must be greater than 0";
    if (!(isfinite(s->softening) && s->softening > 0.0)) return "--softening must be greater than 0";
    int exponent;
    if (!(s->cube >= 0.0) || (s->cube > 0.0 && frexp(s->cube, &exponent) != 0.5))
        return "--cube must be a power of two";
    return NULL;
}

static const char *get_bodies(nbody *s, uint64_t seed)
{
    if (!is_number(s->bodies)) return pen_bodies_read(s->bodies, &s->set);
    long long count = strlen(s->bodies) < 10 ? atoll(s->bodies) : 0;
    if (count < 2 || count % 2 != 0) return "--bodies must be an even number from 2 to 999999998, or a file's path";
    return pen_bodies_draw(count, seed, &s->set);
}

/* The least power of two that is at least twice the largest coordinate. */
static double cube_around(const bodies_set *set)
{
    double farthest = 0.0;
    int exponent;
    for (int64_t i = 0; i < set->count; i++)
        for (int d = 0; d < 3; d++) farthest = fmax(farthest, fabs(set->bodies[i].place[d]));
    double half = frexp(2.0 * farthest, &exponent);
    if (farthest == 0.0) return 1.0;
    return half == 0.5 ? 2.0 * farthest : ldexp(1.0, exponent);
}

static const char *place_all(nbody *s)
{
    s->half = s->cube > 0.0 ? s->cube : cube_around(&s->set);
    if (!pen_cell_window_create(s->delta, &s->window)) return "no memory";
    for (int64_t i = 0; i < s->set.count; i++) {
        if (!pen_cell_is_inside(s->set.bodies[i].place, s->half))
            return pen_complain("body %" PRId64 " is outside of the cube from -%g to %g: give a larger --cube", i,
                                s->half, s->half);
    }
    return pen_tree_create(&s->set, s->half, s->cell_max, &s->tree);
}

/* Write row i, that of a cell. False: memory is exhausted. */
static bool write_row(const nbody *s, nbody_rows *r, int64_t i, const tree_cell *c)
{
    const nbody_tree *t = &s->tree;
    int64_t used = r->first[i], far, close;
    if (r->room - used < t->count) { /* more than the length of any row */
        int64_t room = 2 * r->room + t->count;
        pen_gid *more = (pen_gid *)realloc(r->neighbors, (size_t)room * sizeof *more);
        if (!more) return false;
        r->neighbors = more;
        r->room = room;
    }
    r->gids[i] = c->gid;
    r->weights[i] = 0;
    pen_cell_middle(c->gid, s->half, r->places + 3 * i);
    if (c->leaf) {
        used += pen_tree_look(t, c, s->delta, &far, &close, r->neighbors + used);
        r->weights[i] = pen_nbody_interactions(c->bodies, close, far);
    } else
        for (const tree_cell *child = c + 1; child < t->cells + c->next; child = t->cells + child->next)
            r->neighbors[used++] = child->gid;
    r->first[i + 1] = used;
    return true;
}

/* Write this rank's part of the cells, with the initial lists of leaves, so that partitioners know their cost. */
static const char *write_rows(nbody *s, int rank, int ranks, pen_csr *mine)
{
    nbody_rows *r = &s->rows;
    int64_t cells = s->tree.count, begin = cells * rank / ranks, count = cells * (rank + 1) / ranks - begin;
    r->places = (double *)malloc((size_t)(count + 1) * 3 * sizeof *r->places);
    if (!r->places || !pen_nbody_rows_reserve(r, count, cells)) return "no memory for the graph's rows";
    for (int64_t i = 0; i < count; i++)
        if (!write_row(s, r, i, &s->tree.cells[begin + i])) return "no memory for the graph's rows";
    *mine = (pen_csr){ .count = (pen_lid)count,
                       .gids = r->gids,
                       .rows = r->first,
                       .neighbors = r->neighbors,
                       .node_weights = r->weights,
                       .directed = true,
                       .dimensions = 3,
                       .coordinates = r->places };
    return NULL;
}

static const char *rows(void *params, const pen_world *world, int rank, pen_csr *mine)
{
    nbody *s = (nbody *)params;
    const char *wrong = check_settings(s);
    pen_nbody_free(s);
    s->restored = false;
    if (!wrong) wrong = get_bodies(s, world->seed);
    if (!wrong) wrong = place_all(s);
    return wrong ? wrong : write_rows(s, rank, world->ranks, mine);
}

void pen_nbody_free(nbody *s)
{
    pen_tree_free(&s->tree);
    pen_cell_window_free(&s->window);
    pen_nbody_rows_free(&s->rows);
    pen_nbody_rows_free(&s->leaves);
    free(s->set.bodies);
    s->set = (bodies_set){ NULL, 0 };
}

/* ---- The first records ------------------------------------------------------------------------ */

static const char *setup(void *params, const pen_world *world)
{
    nbody *s = (nbody *)params;
    size_t m = (size_t)s->cell_max, words = (size_t)s->window.words;
    if (!s->restored && world->nodes != s->tree.count) return "the graph is not that of the bodies";
    s->steps = world->steps;
    world->field_sizes[PLACES] = sizeof(places) + 4 * m * sizeof(double);
    world->field_sizes[MOTION] = 4 * m * sizeof(double);
    world->field_sizes[FORCE] = sizeof(force) + 4 * m * sizeof(double);
    world->field_sizes[CELL] = sizeof(cell) + m * sizeof(pen_gid);
    world->field_sizes[BRANCH] = sizeof(branch);
    world->field_sizes[WALK] = sizeof(walk) + (size_t)s->window.most * sizeof(pen_gid);
    for (int level = 1; level <= NBODY_LEVELS; level++) world->field_sizes[SEEN + level - 1] = words * sizeof(uint64_t);
    return NULL;
}

static void init(const pen_view *v)
{
    const nbody *s = nbody_of(v);
    const tree_cell *t = pen_tree_find(&s->tree, pen_id(v));
    int64_t count = t && t->leaf ? t->bodies : 0;
    nbody_body *list = (nbody_body *)pen_scratch_get(v, ((size_t)count + 1) * sizeof *list);
    for (int64_t i = 0; i < count; i++) {
        int64_t number = s->tree.items[t->first + i].body;
        list[i] = (nbody_body){ .number = number, .body = s->set.bodies[number] };
    }
    pen_nbody_sort(list, count);
    for (int f = 0; f < NBODY_FIELDS; f++) memset(pen_next_record(v, f), 0, v->sizes[f]);
    pen_nbody_put(s, list, count, pen_next_record(v, PLACES), pen_next_record(v, MOTION));
    cell *c = (cell *)pen_next_record(v, CELL);
    c->leaf = count > 0;
    if (count > 0) pen_nbody_weigh(list, count, c);
}

/* ---- Observables and texts of nodes ----------------------------------------------------------- */

static int64_t interactions(const pen_view *v)
{
    int64_t bodies = ((const places *)pen_self_record(v, PLACES))->count;
    /* The record of forces is written only if there are bodies. */
    const force *f = (const force *)pen_self_record(v, FORCE);
    return bodies > 0 ? pen_nbody_interactions(bodies, f->close, f->far) : 0;
}

static double cost(const pen_view *v) { return (double)interactions(v); }
PEN_COST_SWEEP(cost)

static void observe_body(const nbody *s, const nbody_body *b, double potential, pen_observation *o)
{
    double speed2 = 0.0;
    for (int d = 0; d < 3; d++) {
        speed2 += b->body.velocity[d] * b->body.velocity[d];
        pen_observe_real(o, MOMENTUM_X + d, b->body.mass * b->body.velocity[d]);
    }
    pen_observe_real(o, KINETIC, 0.5 * b->body.mass * speed2);
    pen_observe_real(o, POTENTIAL, 0.5 * b->body.mass * potential);
    pen_observe_real(o, MOMENTA, b->body.mass * sqrt(speed2));
    if (!pen_cell_is_inside(b->body.place, s->half)) pen_observe_int(o, OUTSIDE, b->number + 1);
}

static void observe(const pen_view *v, pen_observation *o)
{
    const nbody *s = nbody_of(v);
    const cell *c = (const cell *)pen_self_record(v, CELL);
    pen_observe_int(o, OUTSIDE, 0);
    pen_observe_int(o, CROWDED, c->crowded);
    if (!c->leaf) return;
    const places *where = (const places *)pen_self_record(v, PLACES);
    const double *potential = ((const force *)pen_self_record(v, FORCE))->data + 3 * s->cell_max;
    pen_observe_int(o, BODIES, where->count);
    pen_observe_int(o, LEAVES, 1);
    pen_observe_int(o, ARCS, pen_degree(v));
    pen_observe_int(o, INTERACTIONS, interactions(v));
    for (int64_t i = 0; i < where->count; i++) {
        nbody_body body = pen_nbody_take(s, where, pen_self_record(v, MOTION), i);
        observe_body(s, &body, potential[i], o);
    }
}
PEN_OBSERVE_SWEEP(observe)

static const char *check(const pen_run *run, const void *params)
{
    const nbody *s = (const nbody *)params;
    int64_t outside = pen_run_observed_int(run, OUTSIDE), crowded = pen_run_observed_int(run, CROWDED);
    int64_t bodies = pen_run_observed_int(run, BODIES);
    if (outside > 0)
        return pen_complain("body %" PRId64 " has left the cube from -%g to %g: give a larger --cube", outside - 1,
                            s->half, s->half);
    if (crowded > 0)
        return pen_complain("body %" PRId64 " and others are so close together that no leaf has %" PRId64
                            " or fewer of them; --cell-max allows more in a leaf",
                            crowded - 1, s->cell_max);
    if (bodies != s->set.count)
        return pen_complain("not conserved: %" PRId64 " bodies of %" PRId64, bodies, s->set.count);
    return NULL;
}

static void print_neighbors(const pen_view *v, FILE *out)
{
    fprintf(out, " %" PRId32, pen_degree(v));
    for (int32_t i = 0; i < pen_degree(v); i++) fprintf(out, " %" PRIgid, pen_neighbor_id(v, i));
}

static void print_leaf(const pen_view *v, FILE *out)
{
    int64_t m = nbody_of(v)->cell_max;
    const places *where = (const places *)pen_self_record(v, PLACES);
    const force *f = (const force *)pen_self_record(v, FORCE);
    fprintf(out, "leaf %" PRId64 " %" PRId64, where->count, f->far);
    print_neighbors(v, out);
    for (int64_t i = 0; i < where->count; i++) {
        nbody_body b = pen_nbody_take(nbody_of(v), where, pen_self_record(v, MOTION), i);
        fprintf(out, " %" PRId64 " %a %a %a %a %a %a", b.number, b.body.place[0], b.body.place[1], b.body.place[2],
                b.body.velocity[0], b.body.velocity[1], b.body.velocity[2]);
        for (int k = 0; k < 4; k++) fprintf(out, " %a", f->data[k * m + i]);
    }
}

static void print(const pen_view *v, FILE *out)
{
    const cell *c = (const cell *)pen_self_record(v, CELL);
    if (c->leaf) {
        print_leaf(v, out);
        return;
    }
    fprintf(out, "cell %" PRId64 " %a %a %a %a %a", c->bodies, c->mass, c->centre[0], c->centre[1], c->centre[2],
            pen_nbody_size2(c));
    print_neighbors(v, out);
}

/* ---- Checkpoints ------------------------------------------------------------------------------ */

/* The values that a resumed run needs of the initial bodies, which it neither reads nor draws. */
static const char STATE[] = "bodies %" PRId64 " half %la\n", READ_STATE[] = "bodies %" SCNd64 " half %la";

static void save(const pen_run *run, const void *params, FILE *out)
{
    const nbody *s = (const nbody *)params;
    fprintf(out, STATE, s->set.count, s->half);
}

static const char *restore(void *params, const char *text)
{
    nbody *s = (nbody *)params;
    const char *wrong = check_settings(s);
    pen_nbody_free(s);
    if (wrong) return wrong;
    if (sscanf(text, READ_STATE, &s->set.count, &s->half) != 2) return "the checkpoint lacks the number of bodies";
    if (s->set.count < 1 || s->set.count > NBODY_MOST_COUNT || !(isfinite(s->half) && s->half > 0.0))
        return "the checkpoint has impossible bodies";
    s->restored = true;
    return pen_cell_window_create(s->delta, &s->window) ? NULL : "no memory";
}

static bool is_count(int64_t count, int64_t most) { return count >= 0 && count <= most; }

/* Check the records that a step reads before it writes them. */
static bool valid(const pen_view *v)
{
    const nbody *s = nbody_of(v);
    const int64_t bodies = ((const places *)pen_self_record(v, PLACES))->count;
    const cell *c = (const cell *)pen_self_record(v, CELL);
    const branch *b = (const branch *)pen_self_record(v, BRANCH);
    const force *f = (const force *)pen_self_record(v, FORCE);
    const int level = pen_cell_level(pen_id(v));
    if (pen_cell_above(pen_id(v), level, 0) != CELL_ROOT || !is_count(c->leaf, 1)) return false;
    if (!is_count(bodies, c->leaf ? s->cell_max : 0)) return false;
    if (bodies > 0 && !(is_count(f->far, NBODY_MOST_COUNT) && is_count(f->close, NBODY_MOST_COUNT))) return false;
    const double *number = (const double *)pen_self_record(v, MOTION) + 3 * s->cell_max;
    for (int64_t i = 0; i < bodies; i++)
        if (!(number[i] >= 0.0 && number[i] < (double)s->set.count)) return false;
    /* Cells of the deepest level are all leaves. */
    if (b->there & ~INT64_C(0xFF) || b->leaf & ~b->there) return false;
    if (level == NBODY_LEVELS) return c->leaf && b->there == 0;
    return level < NBODY_LEVELS - 1 || b->there == b->leaf;
}

/* ---- The application -------------------------------------------------------------------------- */

enum {
    DRIFT,
    HOP,
    SETTLE = HOP + NBODY_LEVELS,
    SUM,
    MERGE = SUM + NBODY_LEVELS,
    LOOK,
    CONNECT = LOOK + NBODY_LEVELS,
    PULL,
    PHASES
};

static const pen_phase *phases(void)
{
    static pen_phase all[PHASES];
    const pen_set bodies = PEN_SET(PLACES, MOTION);
    pen_set looked = PEN_SET(WALK, FORCE), merged = PEN_SET(PLACES, MOTION, CELL, BRANCH);
    looked.bits |= ((UINT64_C(1) << NBODY_LEVELS) - 1) << SEEN;
    merged.bits |= looked.bits;
    all[DRIFT] = (pen_phase){ "drift", .node = pen_nbody_drift, .writes = bodies, .sends = PEN_SET(MOVING) };
    all[SETTLE] = (pen_phase){ "settle", .modify = pen_nbody_settle, .writes = PEN_SET(PLACES, MOTION, CELL),
                               .receives = PEN_SET(ARRIVED) };
    all[MERGE] = (pen_phase){ "merge",           .node = pen_nbody_merge,     .reads = PEN_SET(CELL), .writes = merged,
                              .updates = looked, .far = pen_nbody_want_below, .far_reads = bodies };
    all[CONNECT] = (pen_phase){ "connect", .modify = pen_nbody_connect, .reads = PEN_SET(CELL) };
    all[PULL] = (pen_phase){ "pull",
                             .node = pen_nbody_pull,
                             .cost = cost_sweep,
                             .reads = PEN_SET(PLACES),
                             .writes = PEN_SET(MOTION, FORCE),
                             .updates = PEN_SET(FORCE) };
    for (int k = 0; k < NBODY_LEVELS; k++) {
        all[HOP + k] = (pen_phase){ "hop", .node = pen_nbody_hop, .sends = PEN_SET(MOVING, ARRIVED),
                                    .receives = PEN_SET(MOVING) };
        all[SUM + k] = (pen_phase){ "sum",
                                    .node = pen_nbody_sum,
                                    .reads = PEN_SET(CELL),
                                    .writes = PEN_SET(CELL),
                                    .far = pen_nbody_want_small,
                                    .far_reads = bodies };
        all[LOOK + k] = (pen_phase){ "look",
                                     .node = pen_nbody_look,
                                     .writes = PEN_SET(WALK, FORCE, SEEN + k),
                                     .updates = PEN_SET(WALK, FORCE, SEEN + k),
                                     .far = pen_nbody_want_open,
                                     .far_reads = PEN_SET(BRANCH) };
    }
    return all;
}

pen_app pen_nbody_app(nbody *s)
{
    static pen_field fields[NBODY_FIELDS] = {
        [PLACES] = { .name = "places", .size = 0 }, [MOTION] = { .name = "motion", .size = 0 },
        [FORCE] = { .name = "force", .size = 0 },   [CELL] = { .name = "cell", .size = 0 },
        [BRANCH] = { .name = "branch", .size = 0 }, [WALK] = { "walk", 0, .transient = true }
    };
    static const pen_mail mails[] = { { .name = "moving", .size = sizeof(nbody_body) },
                                      { .name = "arrived", .size = sizeof(nbody_body) } };
    static const pen_observable observables[NBODY_OBSERVABLES] = {
        [BODIES] = { "bodies", PEN_SUM_INT, 1 },    [LEAVES] = { "leaves", PEN_SUM_INT, 1 },
        [ARCS] = { "arcs", PEN_SUM_INT, 1 },        [INTERACTIONS] = { "interactions", PEN_SUM_INT, 1 },
        [OUTSIDE] = { "outside", PEN_MAX_INT, 1 },  [CROWDED] = { "crowded", PEN_MAX_INT, 1 },
        [KINETIC] = { "kinetic", PEN_SUM_REAL, 1 }, [POTENTIAL] = { "potential", PEN_SUM_REAL, 1 },
        [MOMENTUM_X] = { "px", PEN_SUM_REAL, 1 },   [MOMENTUM_Y] = { "py", PEN_SUM_REAL, 1 },
        [MOMENTUM_Z] = { "pz", PEN_SUM_REAL, 1 },   [MOMENTA] = { "momenta", PEN_SUM_REAL, 1 },
    };
    static pen_member members[] = {
        PEN_MEMBER(CELL, cell, leaf, PEN_I64),
        PEN_MEMBER(CELL, cell, bodies, PEN_I64),
        PEN_MEMBER(CELL, cell, mass, PEN_F64),
        { "centre", CELL, PEN_F64, offsetof(cell, centre), 3 },
        { "places", PLACES, PEN_F64, offsetof(places, data), 0 }, /* the data are x[M], y[M], z[M], mass[M] */
    };
    members[PEN_COUNT_OF(members) - 1].components = (int)(4 * s->cell_max);
    for (int k = 0; k < NBODY_LEVELS; k++) fields[SEEN + k] = (pen_field){ "seen", 0, .transient = true };
    return (pen_app){
        "nbody",
        PEN_FIELDS(fields),
        .phases = { phases(), PHASES },
        PEN_MAILS(mails),
        PEN_OBSERVABLES(observables, observe_sweep),
        .output = { .print = print, PEN_MEMBERS(members), .write = pen_nbody_output, .shape = PEN_SHAPE_POINT },
        .init = init,
        .check = check,
        .params = s,
        .setup = setup,
        .graph.rows = rows,
        .graph.saved_rows = pen_nbody_leaves,
        .checkpoint.may_differ = "check-forces,steps",
        .checkpoint.save = save,
        .checkpoint.restore = restore,
        .checkpoint.valid = valid
    };
}
