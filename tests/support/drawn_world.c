/* drawn_world.c - the serial computation of a drawn program (drawn_world.h). */
#include "tests/support/drawn_world.h"
#include "tests/support/drawn_rules.h"

#include <math.h>
#include <stdlib.h>

typedef struct place {
    drawn_world *world;
    int neighbors[DRAWN_NODES];
} place;

static const uint8_t *neighbor_of_world(const sight *s, int field, int i)
{
    const place *at = s->from;
    return at->world->records[field][at->neighbors[i]];
}
static uint8_t road_of_world(const sight *s, int i)
{
    const place *at = s->from;
    return at->world->road[s->index][at->neighbors[i]];
}
static void set_road_of_world(const sight *s, int i, uint8_t value)
{
    const place *at = s->from;
    at->world->road[s->index][at->neighbors[i]] = value;
}
static uint64_t ask_world(const sight *s, question what)
{
    drawn_world *w = ((const place *)s->from)->world;
    const drawn_program *p = s->program;
    const uint64_t counter[2] = { (uint64_t)drawn_gid(p, s->index), (uint64_t)w->step };
    const uint64_t key[2] = { p->seed, (uint64_t)s->phase };
    uint64_t random[2];
    const bool answers = what == RANDOM || what == STEP || p->observes; /* otherwise the program asks for nothing */
    if (s->phase >= 0 && answers) w->asked[s->phase][s->index] = w->stirred = true;
    switch (what) {
    case RANDOM: pen_threefry(counter, key, random); return random[0] >> 8;
    case STEP: return (uint64_t)w->step;
    case OBSERVED: return p->observes ? (uint64_t)w->states[1] : 1;
    default: return p->observes ? (uint64_t)w->globals.total : 1;
    }
}
static const uint8_t *far_of_world(const sight *s, int field)
{
    const drawn_world *w = ((const place *)s->from)->world;
    const int i = drawn_distant(s->program, s->index);
    return w->there[i] ? w->records[field][i] : NULL;
}

static sight sight_of_world(const place *at, int phase, int i)
{
    drawn_world *w = at->world;
    sight s = { .program = w->program,
                .phase = phase,
                .index = i,
                .input = w->program->has_input ? w->input[i] : 0.0,
                .neighbor = neighbor_of_world,
                .road = road_of_world,
                .set_road = set_road_of_world,
                .ask = ask_world,
                .far = far_of_world,
                .from = at };
    for (int f = 0; f < w->program->fields; f++) s.own[f] = w->records[f][i];
    return s;
}

static void observe_world(drawn_world *w)
{
    long double sum = 0.0L; /* exact: each value is a small multiple of 2^-14, up to 2^40 */
    place at = { .world = w };
    memset(w->states, 0, sizeof w->states);
    w->least = INT64_MAX, w->most = INT64_MIN, w->low = INFINITY, w->high = -INFINITY;
    bool nan = false;
    for (int i = 0; i < DRAWN_NODES; i++) {
        if (!w->there[i]) continue;
        const sight s = sight_of_world(&at, -1, i);
        const contribution c = drawn_contribute(&s);
        if (c.component >= 0) w->states[c.component] += c.weight;
        if (c.number < w->least) w->least = c.number;
        if (c.number > w->most) w->most = c.number;
        if (!c.adds) continue;
        nan = nan || isnan(c.real);
        sum += c.real;
        if (c.real < w->low) w->low = c.real;
        if (c.real > w->high) w->high = c.real;
    }
    w->sum = (double)sum;
    if (nan) w->low = w->high = NAN;
}

static void update_world(drawn_world *w, bool in_phase)
{
    w->globals.total = w->globals.total / 2 + w->states[1] + (in_phase ? w->before : 0);
}

void drawn_world_observe_first(drawn_world *w)
{
    w->step = -1; /* as .observe is told */
    observe_world(w);
    w->step = 0;
    w->globals.total = 0;
    if (w->program->observes) update_world(w, false);
}

void drawn_world_begin(const drawn_program *p, drawn_world *w)
{
    uint64_t state = scramble(p->seed, 2);
    const int kind = draw_below(&state, 5), leap = 2 + draw_below(&state, 9), most = p->nodes - p->nodes / 9;
    *w = (drawn_world){ .program = p };
    for (int i = 0; i < DRAWN_NODES; i++) {
        w->there[i] = i < p->nodes;
        w->input[i] = w->there[i] && p->has_input ? draw_below(&state, 5) : 2.0;
        for (int f = 0; f < p->fields; f++) drawn_record(p, f, i, drawn_first_state(p, f, i), w->records[f][i]);
    }
    for (int i = 0; i < most; i++) { /* the last nodes are isolated */
        if (kind != 3 && i + 1 < most && draw_below(&state, 12)) w->edge[i][i + 1] = true;
        if (kind == 1 && i > 0) w->edge[0][i] = true; /* a hub */
        if (kind == 2 && i + leap < most) w->edge[i][i + leap] = true;
        if (kind > 2) w->edge[i][draw_below(&state, most)] = true;
        w->edge[i][i] = false;
    }
    if (kind == 0 && most > 2) w->edge[most - 1][0] = true;
    for (int i = 0; i < most; i++)
        for (int j = 0; j < most; j++) {
            if (p->directed && i < j && w->edge[i][j] && draw_below(&state, 2))
                w->edge[i][j] = false, w->edge[j][i] = true;
            if (!p->directed && w->edge[i][j]) w->edge[j][i] = true;
            if (p->has_roads) w->road[i][j] = (uint8_t)((drawn_gid(p, i) + drawn_gid(p, j)) % 4);
        }
    drawn_world_observe_first(w);
    memset(w->ran, -1, sizeof w->ran);
}

/* Whether an input has changed since the node ran, or it must run for another reason. */
static bool is_needed(const drawn_world *w, int n, const sight *s, const place *at)
{
    const drawn_program *p = w->program;
    const int64_t ran = w->ran[n][s->index];
    bool needed = ran < 0 || w->asked[n][s->index] || p->phase_list[n].modify || p->phase_list[n].far ||
                  p->phase_list[n].always || p->phase[n].writes_roads;
    for (int f = 0; f < p->fields; f++) {
        needed = needed || w->changed[f][s->index] >= ran;
        for (int i = 0; has(p->phase[n].reads, f) && i < s->degree; i++)
            needed = needed || w->changed[f][at->neighbors[i]] >= ran;
    }
    return needed;
}

static void compute_phase(drawn_world *w, int n)
{
    const drawn_program *p = w->program;
    static const size_t whole = sizeof(uint8_t[DRAWN_FIELDS][DRAWN_NODES][DRAWN_BYTES]);
    uint8_t(*next)[DRAWN_NODES][DRAWN_BYTES] = malloc(whole);
    memcpy(next, w->records, whole);
    w->events++;
    for (int i = 0; i < DRAWN_NODES; i++) {
        if (!w->there[i]) continue;
        place at = { .world = w };
        sight s = sight_of_world(&at, n, i);
        for (int k = 0; k < DRAWN_NODES; k++)
            if (w->edge[i][k]) at.neighbors[s.degree++] = k;
        for (int f = 0; f < p->fields; f++) s.next[f] = next[f][i];
        w->computed++;
        if (is_needed(w, n, &s, &at)) {
            w->needed++;
            w->ran[n][i] = w->events;
        }
        w->asked[n][i] = false;
        drawn_compute(&s);
    }
    for (int f = 0; f < p->fields; f++)
        for (int i = 0; i < DRAWN_NODES; i++)
            if (memcmp(next[f][i], w->records[f][i], DRAWN_BYTES) != 0) {
                w->changed[f][i] = w->events;
                w->stirred = true;
            }
    memcpy(w->records, next, whole);
    free(next);
}

static void observe_before_phase(drawn_world *w)
{
    place at = { .world = w };
    w->before = 0;
    for (int i = 0; i < DRAWN_NODES; i++) {
        if (!w->there[i]) continue;
        const sight s = sight_of_world(&at, -1, i);
        w->before += drawn_contribute(&s).number;
    }
    update_world(w, true);
}

void drawn_world_step(drawn_world *w)
{
    const drawn_program *p = w->program;
    w->stirred = false;
    for (int n = 0; n < p->phases; n++) {
        if (p->observing == n) observe_before_phase(w);
        compute_phase(w, n);
        if (p->phase[n].modifies) drawn_world_change(w, p->requests, p->request_count);
    }
    observe_world(w);
    if (p->observes) update_world(w, false);
    w->step++;
}

void drawn_world_change(drawn_world *w, const drawn_request *requests, int count)
{
    const drawn_program *p = w->program;
    if (count > 0) memset(w->ran, -1, sizeof w->ran);
    for (int k = 0; k < count; k++) {
        const int a = requests[k].a, b = requests[k].b;
        const bool adds = requests[k].kind == DRAWN_ADD_EDGE;
        switch (requests[k].kind) {
        case DRAWN_REMOVE_NODE:
            w->there[a] = false;
            for (int i = 0; i < DRAWN_NODES; i++) w->edge[a][i] = w->edge[i][a] = false;
            break;
        case DRAWN_ADD_NODE:
            w->there[a] = true;
            w->input[a] = 2.0;
            for (int f = 0; f < p->fields; f++) drawn_record(p, f, a, drawn_first_state(p, f, a), w->records[f][a]);
            break;
        default:
            w->edge[a][b] = adds;
            w->road[a][b] = 0;
            if (!p->directed) w->edge[b][a] = adds, w->road[b][a] = 0;
        }
    }
}

int drawn_requests(const drawn_world *w, uint64_t seed, drawn_request requests[DRAWN_REQUESTS])
{
    uint64_t state = scramble(seed, 4);
    const int added = draw_below(&state, DRAWN_NODES), removed = draw_below(&state, DRAWN_NODES);
    bool taken[DRAWN_NODES][DRAWN_NODES] = { { false } };
    int count = 0, nodes = 0, asker = draw_below(&state, DRAWN_NODES);
    for (int i = 0; i < DRAWN_NODES; i++) nodes += w->there[i];
    while (!w->there[asker]) asker = (asker + 1) % DRAWN_NODES;
    if (!w->there[added]) requests[count++] = (drawn_request){ DRAWN_ADD_NODE, added, 0, asker };
    const bool grows = count > 0, shrinks = w->there[removed] && nodes > 2;
    if (shrinks) requests[count++] = (drawn_request){ DRAWN_REMOVE_NODE, removed, 0, asker };
    for (int tries = 0; tries < 20 && count < DRAWN_REQUESTS; tries++) {
        const int a = draw_below(&state, 2) && grows ? added : draw_below(&state, DRAWN_NODES);
        const int b = draw_below(&state, DRAWN_NODES);
        const bool exist = (w->there[a] || (grows && a == added)) && (w->there[b] || (grows && b == added));
        if (a == b || !exist || taken[a][b] || (shrinks && (a == removed || b == removed))) continue;
        taken[a][b] = taken[b][a] = true;
        requests[count++] = (drawn_request){ w->edge[a][b] ? DRAWN_REMOVE_EDGE : DRAWN_ADD_EDGE, a, b, asker };
    }
    return count;
}
