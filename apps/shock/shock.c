/* shock.c - a mesh that follows a wave, as an application of Penumbra. */
#include "apps/shock/shock.h"

enum { CELLS, AREA, MASS, BORN, LOWEST, HIGHEST };

static const mesh *mesh_of(const pen_view *v) { return &((const shock *)pen_params(v))->mesh; }

static void init(const pen_view *v)
{
    tile *next = PEN_NEXT(v, TILE, tile);
    next->at = pen_mesh_cell(mesh_of(v), pen_id(v));
    next->mass = (next->at.x + INT64_C(1)) * MESH_UNIT;
}

/* ---- Flow of mass --------------------------------------------------------------------------- */

/* A factor that makes a density of the mass. */
static int64_t squares(const tile *t) { return INT64_C(1) << 2 * t->at.level; }

/* Let mass flow from dense cells to others. It is conserved: exchanging the ends reverses a flow exactly, since C
 * divides towards 0. */
static void relax(const pen_view *v)
{
    const tile *own = PEN_SELF(v, TILE, tile);
    int64_t density = own->mass * squares(own), mass = own->mass, resistance = INT64_C(24) << 2 * mesh_of(v)->depth;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const tile *other = PEN_NEIGHBOR(v, TILE, tile, i);
        int64_t width = own->at.level == other->at.level ? 3 : 2;
        mass -= (density - other->mass * squares(other)) * width / resistance;
    }
    PEN_NEXT(v, TILE, tile)->mass = mass;
    PEN_NEXT(v, TILE, tile)->at = own->at;
}
PEN_SWEEP(relax)

/* ---- Change of the mesh --------------------------------------------------------------------- */

/* The level in the next mesh of the cell that a cell becomes a part of. */
static int32_t next_level(const pen_view *v)
{
    return pen_mesh_level(mesh_of(v), pen_step(v), PEN_SELF(v, TILE, tile)->at);
}

/* Whether a cell, one of those that merge into a cell of that level, is in its lower left corner; this one adds the
 * merged cell. */
static bool is_corner(cell c, int32_t level)
{
    int32_t inside = (1 << (c.level - level)) - 1;
    return ((c.x | c.y) & inside) == 0;
}

static void want_cells_inside(const mesh *m, int64_t k, cell c, pen_requests *requests)
{
    if (!pen_mesh_split(m, k, c)) pen_request(requests, pen_mesh_gid(m, c));
    else
        for (int j = 0; j < 4; j++) want_cells_inside(m, k, pen_mesh_child(c, j), requests);
}

/* Request the masses of all cells that merge. */
static void look_around(const pen_view *v, pen_requests *requests)
{
    cell here = PEN_SELF(v, TILE, tile)->at;
    int32_t level = here.level > 0 ? next_level(v) : 0;
    if (level < here.level && is_corner(here, level))
        want_cells_inside(mesh_of(v), pen_step(v) - 1, pen_mesh_ancestor(here, level), requests);
}

static void add(const mesh *m, int64_t k, cell c, int64_t mass, pen_changes *changes)
{
    cell neighbors[MESH_NEIGHBORS];
    pen_gid gid = pen_mesh_gid(m, c);
    pen_new_node *newborn = pen_add_node(changes, gid, 1);
    tile *first = PEN_FIRST(newborn, TILE, tile);
    const double side = pen_mesh_side(c.level), middle[] = { (c.x + 0.5) * side - 0.5, (c.y + 0.5) * side - 0.5 };
    first->mass = mass;
    first->at = c;
    pen_set_coordinates(newborn, 2, middle);
    int count = pen_mesh_neighbors(m, k, c, neighbors);
    for (int i = 0; i < count; i++) pen_add_edge(changes, gid, pen_mesh_gid(m, neighbors[i]), 1);
}

static void add_cells_inside(const mesh *m, int64_t k, cell c, int64_t mass, pen_changes *changes)
{
    if (!pen_mesh_split(m, k, c)) add(m, k, c, mass, changes);
    else
        for (int j = 0; j < 4; j++) add_cells_inside(m, k, pen_mesh_child(c, j), mass / 4 + (j < mass % 4), changes);
}

static void follow(const pen_view *v, pen_changes *changes)
{
    const mesh *m = mesh_of(v);
    cell here = PEN_SELF(v, TILE, tile)->at;
    int32_t level = next_level(v);
    int64_t mass = 0;
    if (level == here.level) return;
    pen_remove_node(changes, pen_id(v));
    if (level > here.level) add_cells_inside(m, pen_step(v), here, PEN_SELF(v, TILE, tile)->mass, changes);
    else if (is_corner(here, level)) {
        for (int32_t i = 0; i < pen_far_count(v); i++) mass += PEN_FAR(v, TILE, tile, i)->mass;
        add(m, pen_step(v), pen_mesh_ancestor(here, level), mass, changes);
    }
}

/* ---- Observables, costs and texts ----------------------------------------------------------- */

static void observe(const pen_view *v, pen_observation *o)
{
    const mesh *m = mesh_of(v);
    const tile *own = PEN_SELF(v, TILE, tile);
    pen_observe_int(o, CELLS, 1);
    pen_observe_int(o, AREA, INT64_C(1) << 2 * (m->depth - own->at.level));
    pen_observe_int(o, MASS, own->mass);
    pen_observe_int(o, BORN, pen_mesh_level(m, pen_step(v) - 1, own->at) != own->at.level);
    pen_observe_int(o, LOWEST, own->mass * squares(own));
    pen_observe_int(o, HIGHEST, own->mass * squares(own));
}
PEN_OBSERVE_SWEEP(observe)

static double cost(const pen_view *v) { return 1.0; }
PEN_COST_SWEEP(cost)

/* The record belongs to this gid, and its density is at most the initial maximum, since densities only equalise. */
static bool valid(const pen_view *v)
{
    const mesh *m = mesh_of(v);
    const tile *own = PEN_SELF(v, TILE, tile);
    if (pen_id(v) >= pen_mesh_gids(m)) return false;
    const cell c = pen_mesh_cell(m, pen_id(v));
    if (own->at.level != c.level || own->at.x != c.x || own->at.y != c.y) return false;
    return own->mass >= 0 && own->mass <= 2 * (m->width + 1) * MESH_UNIT / squares(own);
}

static const char *check(const pen_run *run, const void *params)
{
    static char message[200];
    const mesh *m = &((const shock *)params)->mesh;
    int64_t mass = pen_run_observed_int(run, MASS), area = pen_run_observed_int(run, AREA);
    int64_t all = m->width * m->height << 2 * m->depth;
    if (mass == pen_mesh_mass(m) && area == all) return NULL;
    snprintf(message, sizeof message,
             "not conserved: mass %" PRId64 " of %" PRId64 ", and the cells cover %" PRId64
             " finest squares of %" PRId64,
             mass, pen_mesh_mass(m), area, all);
    return message;
}

/* Print level, x, y and mass. */
static void print(const pen_view *v, FILE *out)
{
    const tile *own = PEN_SELF(v, TILE, tile);
    fprintf(out, "%" PRId32 " %" PRId32 " %" PRId32 " %" PRId64, own->at.level, own->at.x, own->at.y, own->mass);
}

/* The drawn shape of a cell: its square. Coarse cells have sides of 1, and are at a grid's nodes. */
static void square(const pen_view *v, double sides[3])
{
    sides[0] = sides[1] = pen_mesh_side(PEN_SELF(v, TILE, tile)->at.level);
}

/* ---- The application ------------------------------------------------------------------------ */

static const char *setup(void *params, const pen_world *world)
{
    shock *s = (shock *)params;
    mesh *m = &s->mesh;
    if (world->grid != PEN_GRID_SQUARE || world->depth != 1)
        return "a mesh is made of squares: give --generate=mesh:WxH";
    *m = (mesh){ world->width, world->height, (int32_t)s->depth, WAVE_CUBIC, 0, 0.0, 0.0, 0.0 };
    m->moves = pen_shock_moves(s->moves, m->width);
    if (m->moves > m->width) return "--moves must be at most the number of columns";
    while (m->wave < WAVES && strcmp(s->wave, pen_wave_names[m->wave]) != 0) m->wave++;
    if (m->wave == WAVES) return "--wave must be cubic, line or circle";
    return pen_mesh_prepare(m) ? NULL
                               : "the grid is too large for this --depth: its number of cells or its mass overflows";
}

pen_app pen_shock_app(shock *s)
{
    static const pen_field fields[] = { { .name = "tile", .size = sizeof(tile) } };
    static const pen_phase phases[] = {
        { "relax", .sweep = relax_sweep, .reads = PEN_SET(TILE), .writes = PEN_SET(TILE), .cost = cost_sweep },
        { "follow", .modify = follow, .far = look_around, .far_reads = PEN_SET(TILE) },
    };
    static const pen_member members[] = { PEN_MEMBER(TILE, tile, mass, PEN_I64),
                                          { "level", TILE, PEN_I32, offsetof(tile, at.level), 1 },
                                          { "x", TILE, PEN_I32, offsetof(tile, at.x), 1 },
                                          { "y", TILE, PEN_I32, offsetof(tile, at.y), 1 } };
    static const pen_observable observables[] = {
        [CELLS] = { "cells", PEN_SUM_INT, 1 },   [AREA] = { "area", PEN_SUM_INT, 1 },
        [MASS] = { "mass", PEN_SUM_INT, 1 },     [BORN] = { "born", PEN_SUM_INT, 1 },
        [LOWEST] = { "lowest", PEN_MIN_INT, 1 }, [HIGHEST] = { "highest", PEN_MAX_INT, 1 },
    };
    return (pen_app){ "shock",
                      PEN_FIELDS(fields),
                      PEN_PHASES(phases),
                      PEN_OBSERVABLES(observables, observe_sweep),
                      .output = { .print = print, PEN_MEMBERS(members), .shape = PEN_SHAPE_BOX, .sides = square },
                      .init = init,
                      .check = check,
                      .params = s,
                      .setup = setup,
                      .checkpoint.valid = valid,
                      .checkpoint.may_differ = "steps" };
}
