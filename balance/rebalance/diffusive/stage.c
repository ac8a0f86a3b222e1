/* stage.c - chooses the items of a stage, and makes their graph. */
#include "rebalance/diffusive/stage.h"

#include "base/key_table.h"
#include "base/memory.h"
#include "view/shadows.h"

#include <stdlib.h>

/* The data about a border node that a rank sends to neighbouring ranks. */
typedef struct border_update {
    pen_gid gid, name; /* gids of the node, and of the item that contains it */
    int64_t where;     /* future rank of the item */
} border_update;

/* Collective. *theirs, [shadows of the view], is what other ranks send. The caller frees it. */
static pen_status tell_border(const stage *s, border_update **theirs)
{
    const levels *l = s->levels;
    border_update *mine = NULL;
    pen_status status = PEN_ALLOC(theirs, l->view->shadows);
    if (!l->team->peers) return status; /* there are no shadows */
    if (status == PEN_OK) status = PEN_ALLOC(&mine, l->border.count);
    for (int64_t b = 0; b < l->border.count && status == PEN_OK; b++) {
        pen_lid place = l->border.nodes[b];
        for (int k = 0; k < s->finest; k++) place = l->list[k].parents[place];
        const pen_lid item = s->items[s->finest][place];
        mine[b] = (border_update){ l->view->gids[l->border.nodes[b]], s->gids[item], s->input.to[item] };
    }
    if (status == PEN_OK)
        status = pen_shadows_tell(l->team->peers, l->view, (pen_lid)l->border.count, l->border.nodes, mine,
                                  sizeof *mine, *theirs);
    free(mine);
    return status;
}

/* ---- The graph --------------------------------------------------------------------------------- */

/* Find the items of other ranks that contain the shadows of the view. */
static pen_status number_shadows(stage *s, const border_update *theirs)
{
    const pen_lid own = s->input.view.count;
    pen_key_table names = { 0 };
    PEN_TRY(pen_key_table_fit(&names, s->levels->view->shadows));
    for (pen_lid k = 0; k < s->levels->view->shadows; k++) {
        uint32_t *entry = pen_key_entry(&names, &s->gids[own], sizeof *s->gids, (uint64_t)theirs[k].name);
        if (*entry == 0) {
            *entry = (uint32_t)++s->input.view.shadows;
            s->gids[own + (pen_lid)*entry - 1] = theirs[k].name;
            s->owners[*entry - 1] = (int32_t)theirs[k].where;
        }
        s->shadows[k] = (pen_lid)*entry - 1;
    }
    pen_key_table_free(&names);
    return PEN_OK;
}

/* at[there]: the place + 1 of the edge to an item, of this item or of an earlier one. */
static void add_edges(stage *s, uint32_t *at, pen_lid item, int k, pen_lid place)
{
    const level *l = &s->levels->list[k];
    bool whole = true;
    for (uint32_t a = l->rows[place]; a < l->rows[place + 1] && whole; a++)
        whole = l->columns[a] >= l->count || s->items[k][l->columns[a]] >= 0;
    if (!whole) {
        for (uint32_t c = l->firsts[place]; c < l->firsts[place + 1]; c++) add_edges(s, at, item, k - 1, l->members[c]);
        return;
    }
    uint32_t *end = &s->rows[item + 1];
    for (uint32_t a = l->rows[place]; a < l->rows[place + 1]; a++) {
        const pen_lid next = l->columns[a],
                      there = next < l->count ? s->items[k][next] : s->input.view.count + s->shadows[next - l->count];
        if (there == item) continue;
        if (at[there] <= s->rows[item]) {
            s->columns[*end] = there;
            s->weights[*end] = 0;
            at[there] = ++*end;
        }
        s->weights[at[there] - 1] += level_weight(l, a);
    }
}

/* Collective. Make the graph of the items. `mine` is this rank's status so far. */
static pen_status finish(stage *s, pen_status mine)
{
    const level *fine = &s->levels->list[s->finest];
    pen_load_view *v = &s->input.view;
    border_update *theirs = NULL;
    uint32_t *at = NULL;
    pen_status status = mine;
    if (status == PEN_OK) status = tell_border(s, &theirs);
    if (status == PEN_OK) status = number_shadows(s, theirs);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&at, (int64_t)v->count + v->shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&s->rows, (int64_t)v->count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&s->columns, fine->rows[fine->count]);
    if (status == PEN_OK) status = PEN_ALLOC(&s->weights, fine->rows[fine->count]);
    if (status == PEN_OK) s->rows[0] = 0;
    for (pen_lid i = 0; i < v->count && status == PEN_OK; i++) {
        s->rows[i + 1] = s->rows[i];
        add_edges(s, at, i, s->of[i], s->sources[i]);
    }
    PEN_FREE_ALL(theirs, at);
    v->gids = s->gids;
    v->owners = s->owners;
    v->loads = s->loads;
    v->rows = s->rows;
    v->columns = s->columns;
    v->edge_weights = s->weights;
    return status;
}

/* ---- Items ------------------------------------------------------------------------------------- */

static void add_item(stage *s, int k, pen_lid place, int32_t to)
{
    const level *l = &s->levels->list[k];
    const pen_lid item = s->input.view.count++;
    s->gids[item] = l->gids[place];
    s->loads[item] = l->loads[place];
    s->sources[item] = place;
    s->of[item] = (unsigned char)k;
    s->input.sizes[item] = l->sizes ? l->sizes[place] : 1;
    s->input.to[item] = to;
    if (l->homes) s->input.homes[item] = l->homes[place];
    s->items[k][place] = item;
}

static pen_status begin(const levels *l, int finest, stage *s)
{
    const int64_t most = l->list[finest].count, shadows = l->view->shadows;
    *s = (stage){ .levels = l, .finest = finest, .input.view = { .horizon = 1.0 } };
    for (int k = finest; k < l->count; k++) PEN_TRY(PEN_ALLOC(&s->items[k], l->list[k].count));
    PEN_TRY(PEN_ALLOC(&s->gids, most + shadows));
    PEN_TRY(PEN_ALLOC(&s->owners, shadows));
    PEN_TRY(PEN_ALLOC(&s->shadows, shadows));
    PEN_TRY(PEN_ALLOC(&s->loads, most));
    PEN_TRY(PEN_ALLOC(&s->sources, most));
    PEN_TRY(PEN_ALLOC(&s->of, most));
    PEN_TRY(PEN_ALLOC(&s->input.sizes, most));
    if (l->list[0].homes) PEN_TRY(PEN_ALLOC(&s->input.homes, most));
    return PEN_ALLOC(&s->input.to, most);
}

pen_status pen_stage_create(const levels *l, stage *s)
{
    const int k = l->count - 1;
    const level *last = &l->list[k];
    const pen_status status = begin(l, k, s);
    for (pen_lid i = 0; i < last->count && status == PEN_OK; i++)
        add_item(s, k, i, last->homes ? last->homes[i] : l->team->first);
    return finish(s, status);
}

/* Collective. Find the items near borders. near[i]: item i will be next to an item of another rank. */
static pen_status find_near(const stage *s, bool *near)
{
    const pen_load_view *v = &s->input.view;
    border_update *theirs = NULL;
    pen_status status = tell_border(s, &theirs);
    for (pen_lid k = 0; k < s->levels->view->shadows && status == PEN_OK; k++)
        s->owners[s->shadows[k]] = (int32_t)theirs[k].where;
    for (pen_lid i = 0; i < v->count && status == PEN_OK; i++) {
        near[i] = false;
        for (uint32_t a = v->rows[i]; a < v->rows[i + 1] && !near[i]; a++) {
            const pen_lid next = v->columns[a];
            near[i] = (next < v->count ? s->input.to[next] : s->owners[next - v->count]) != s->input.to[i];
        }
    }
    free(theirs);
    return status;
}

/* Add an item of a level to the next stage: as part of its whole cluster, as a whole, or broken up. */
static void refine_item(stage *s, const stage *old, const bool *near, int k, pen_lid place)
{
    const level *l = &s->levels->list[k];
    const pen_lid parent = l->parents ? l->parents[place] : -1, above = parent < 0 ? -1 : s->items[k + 1][parent];
    s->items[k][place] = above;
    if (above >= 0) return;
    const pen_lid was = k > s->finest ? old->items[k][place] : old->items[k + 1][parent];
    if (k > s->finest && (was < 0 || near[was])) return;
    add_item(s, k, place, old->input.to[was]);
}

pen_status pen_stage_refine(const levels *l, stage *s)
{
    stage old = *s;
    bool *near = NULL;
    pen_status status = begin(l, old.finest - 1, s);
    if (status == PEN_OK) status = PEN_ALLOC(&near, old.input.view.count);
    if (status == PEN_OK) status = find_near(&old, near);
    for (int k = l->count - 1; k >= s->finest && status == PEN_OK; k--)
        for (pen_lid i = 0; i < l->list[k].count; i++) refine_item(s, &old, near, k, i);
    pen_stage_free(&old);
    free(near);
    return finish(s, status);
}

void pen_stage_free(stage *s)
{
    PEN_FREE_ALL(s->gids, s->owners, s->loads, s->rows, s->columns, s->weights, s->of, s->sources, s->shadows,
                 s->input.homes, s->input.sizes, s->input.to);
    for (int k = 0; k < MOST_LEVELS; k++) free(s->items[k]);
    *s = (stage){ 0 };
}
