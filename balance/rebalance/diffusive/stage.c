/* stage.c - chooses the items of a stage, and makes their graph. */
#include "rebalance/diffusive/stage.h"

#include "base/memory.h"

#include <stdlib.h>

/* A stage that is being made: the writable arrays of its view. */
typedef struct making {
    const levels *l;
    stage *s;
    pen_gid *gids;
    double *loads;
    uint32_t *rows, *at;
    pen_lid *columns, *sources; /* neighbours; and the place of each item in its level */
    int64_t *weights, arcs, room;
} making;

static pen_status add_edges(making *m, pen_lid item, int k, pen_lid place)
{
    const level *l = &m->l->list[k];
    const pen_lid *items = m->s->items[k];
    bool whole = true;
    for (uint32_t a = l->rows[place]; a < l->rows[place + 1] && whole; a++) whole = items[l->columns[a]] >= 0;
    if (!whole) {
        for (uint32_t c = l->firsts[place]; c < l->firsts[place + 1]; c++)
            PEN_TRY(add_edges(m, item, k - 1, l->members[c]));
        return PEN_OK;
    }
    if (m->arcs + l->rows[place + 1] - l->rows[place] > m->room) {
        int64_t room = 2 * m->room + 64 + l->rows[place + 1] - l->rows[place];
        PEN_TRY(PEN_REALLOC(&m->columns, room));
        PEN_TRY(PEN_REALLOC(&m->weights, room));
        m->room = room;
    }
    for (uint32_t a = l->rows[place]; a < l->rows[place + 1]; a++) {
        pen_lid there = items[l->columns[a]];
        if (there == item) continue;
        if (m->at[there] <= m->rows[item]) {
            m->columns[m->arcs] = there;
            m->weights[m->arcs++] = 0;
            m->at[there] = (uint32_t)m->arcs;
        }
        m->weights[m->at[there] - 1] += level_weight(l, a);
    }
    return PEN_OK;
}

/* Collective. Find the items that contain the shadows of the finest level. */
static pen_status find_shadows(making *m)
{
    stage *s = m->s;
    const levels *l = m->l;
    const level *fine = &l->list[s->finest];
    border_update *updates = NULL, *theirs = NULL;
    pen_lid *firsts = NULL, *places = NULL;
    pen_status status = PEN_ALLOC(&updates, fine->border_count);
    if (status == PEN_OK) status = PEN_ALLOC(&theirs, fine->shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&firsts, fine->shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&places, fine->shadows);
    for (pen_lid k = 0; k < fine->border_count && status == PEN_OK; k++) {
        pen_lid item = s->items[s->finest][fine->border[k]];
        updates[k] = (border_update){ fine->gids[fine->border[k]], m->gids[item], s->input.to[item], s->of[item] };
    }
    if (status == PEN_OK) status = pen_levels_exchange_updates(fine, l->team, updates, theirs);
    if (status == PEN_OK) status = pen_levels_list_names(theirs, fine->shadows, places, firsts, &s->input.view.shadows);
    int32_t *owners = NULL;
    if (status == PEN_OK) status = PEN_REALLOC(&m->gids, (int64_t)s->input.view.count + s->input.view.shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, s->input.view.shadows);
    s->input.view.owners = owners;
    if (status == PEN_OK) status = PEN_ALLOC(&s->owners, s->input.view.shadows);
    for (pen_lid k = 0; k < s->input.view.shadows && status == PEN_OK; k++) {
        m->gids[s->input.view.count + k] = theirs[firsts[k]].name;
        owners[k] = theirs[firsts[k]].where;
        s->owners[k] = fine->owners[firsts[k]];
    }
    for (pen_lid k = 0; k < fine->shadows && status == PEN_OK; k++) {
        pen_lid place = fine->count + k;
        for (int n = s->finest; n < l->count; n++) {
            s->items[n][place] = theirs[k].of >= n ? s->input.view.count + places[k] : -1;
            if (n + 1 < l->count) place = l->list[n].parents[place];
        }
    }
    PEN_FREE_ALL(updates, theirs, firsts, places);
    return status;
}

/* Collective. Make the graph of the numbered items, from the arrays of add_item. `mine` is this rank's status so
 * far. */
static pen_status finish(making *m, pen_status mine)
{
    stage *s = m->s;
    pen_status status = mine;
    if (status == PEN_OK) status = find_shadows(m);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&m->at, (int64_t)s->input.view.count + s->input.view.shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&m->rows, (int64_t)s->input.view.count + 1);
    for (pen_lid i = 0; i < s->input.view.count && status == PEN_OK; i++) {
        m->rows[i] = (uint32_t)m->arcs;
        status = add_edges(m, i, s->of[i], m->sources[i]);
    }
    if (status == PEN_OK) m->rows[s->input.view.count] = (uint32_t)m->arcs;
    PEN_FREE_ALL(m->at, m->sources);
    s->input.view.gids = m->gids;
    s->input.view.loads = m->loads;
    s->input.view.rows = m->rows;
    s->input.view.columns = m->columns;
    s->input.view.edge_weights = m->weights;
    return status;
}

static pen_status add_item(making *m, int k, pen_lid place, int32_t to, pen_lid *room)
{
    stage *s = m->s;
    const level *l = &m->l->list[k];
    if (s->input.view.count == *room) {
        *room = 2 * *room + 64;
        PEN_TRY(PEN_REALLOC(&m->gids, *room));
        PEN_TRY(PEN_REALLOC(&m->loads, *room));
        PEN_TRY(PEN_REALLOC(&m->sources, *room));
        PEN_TRY(PEN_REALLOC(&s->input.sizes, *room));
        PEN_TRY(PEN_REALLOC(&s->input.to, *room));
        if (l->homes) PEN_TRY(PEN_REALLOC(&s->input.homes, *room));
        PEN_TRY(PEN_REALLOC(&s->of, *room));
    }
    pen_lid item = s->input.view.count++;
    m->gids[item] = l->gids[place];
    m->loads[item] = l->loads[place];
    m->sources[item] = place;
    s->input.sizes[item] = l->sizes ? l->sizes[place] : 1;
    s->input.to[item] = to;
    if (l->homes) s->input.homes[item] = l->homes[place];
    s->of[item] = (unsigned char)k;
    s->items[k][place] = item;
    return PEN_OK;
}

static pen_status begin(const levels *l, int finest, stage *s)
{
    *s = (stage){ .finest = finest, .input.view = { .horizon = 1.0 } };
    for (int k = finest; k < l->count; k++)
        PEN_TRY(PEN_ALLOC(&s->items[k], (int64_t)l->list[k].count + l->list[k].shadows));
    return PEN_OK;
}

pen_status pen_stage_create(const levels *l, stage *s)
{
    making m = { .l = l, .s = s };
    pen_lid room = 0;
    int k = l->count - 1;
    pen_status status = begin(l, k, s);
    for (pen_lid i = 0; i < l->list[k].count && status == PEN_OK; i++)
        status = add_item(&m, k, i, l->list[k].homes ? l->list[k].homes[i] : l->team->first, &room);
    return finish(&m, status);
}

/* Collective. Find the items near borders. near[i]: item i will be next to an item of another rank. */
static pen_status find_near(const levels *l, stage *s, bool *near)
{
    const pen_load_view *v = &s->input.view;
    /* The stage as a level, for the exchange. */
    level whole = { .count = v->count,
                    .shadows = v->shadows,
                    .gids = (pen_gid *)(uintptr_t)v->gids,
                    .owners = s->owners,
                    .rows = (uint32_t *)(uintptr_t)v->rows,
                    .columns = (pen_lid *)(uintptr_t)v->columns };
    border_update *updates = NULL, *theirs = NULL;
    pen_status status = pen_levels_find_border(&whole);
    if (status == PEN_OK) status = PEN_ALLOC(&updates, whole.border_count);
    if (status == PEN_OK) status = PEN_ALLOC(&theirs, whole.shadows);
    for (pen_lid k = 0; k < whole.border_count && status == PEN_OK; k++)
        updates[k] = (border_update){ .gid = v->gids[whole.border[k]], .where = s->input.to[whole.border[k]] };
    if (status == PEN_OK) status = pen_levels_exchange_updates(&whole, l->team, updates, theirs);
    for (pen_lid i = 0; i < v->count && status == PEN_OK; i++) {
        near[i] = false;
        for (uint32_t a = v->rows[i]; a < v->rows[i + 1] && !near[i]; a++) {
            pen_lid next = v->columns[a];
            near[i] = (next < v->count ? s->input.to[next] : theirs[next - v->count].where) != s->input.to[i];
        }
    }
    PEN_FREE_ALL(whole.border, updates, theirs);
    return status;
}

/* Add an item of a level to the next stage: as part of its whole cluster, as a whole, or broken up. */
static pen_status refine_item(making *m, const stage *old, const bool *near, int k, pen_lid place, pen_lid *room)
{
    stage *s = m->s;
    const level *l = &m->l->list[k];
    bool last = k + 1 == m->l->count;
    pen_lid above = last ? -1 : s->items[k + 1][l->parents[place]];
    s->items[k][place] = above;
    if (above >= 0) return PEN_OK;
    pen_lid was = k > s->finest ? old->items[k][place] : old->items[k + 1][l->parents[place]];
    if (k > s->finest && (was < 0 || near[was])) return PEN_OK;
    return add_item(m, k, place, old->input.to[was], room);
}

pen_status pen_stage_refine(const levels *l, stage *s)
{
    stage old = *s;
    making m = { .l = l, .s = s };
    pen_lid room = 0;
    bool *near = NULL;
    pen_status status = begin(l, old.finest - 1, s);
    if (status == PEN_OK) status = PEN_ALLOC(&near, old.input.view.count);
    if (status == PEN_OK) status = find_near(l, &old, near);
    for (int k = l->count - 1; k >= s->finest && status == PEN_OK; k--)
        for (pen_lid i = 0; i < l->list[k].count && status == PEN_OK; i++)
            status = refine_item(&m, &old, near, k, i, &room);
    pen_stage_free(&old);
    free(near);
    return finish(&m, status);
}

void pen_stage_free(stage *s)
{
    PEN_FREE_ALL((void *)(uintptr_t)s->input.view.gids, (void *)(uintptr_t)s->input.view.owners,
                 (void *)(uintptr_t)s->input.view.loads, (void *)(uintptr_t)s->input.view.rows,
                 (void *)(uintptr_t)s->input.view.columns, (void *)(uintptr_t)s->input.view.edge_weights,
                 s->input.homes, s->input.sizes, s->input.to, s->owners, s->of);
    for (int k = 0; k < MOST_LEVELS; k++) free(s->items[k]);
    *s = (stage){ 0 };
}
