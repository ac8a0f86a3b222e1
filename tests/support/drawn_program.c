/* drawn_program.c - how programs are drawn, and their node functions (drawn_program.h). */
#include "tests/support/drawn_program.h"
#include "tests/support/drawn_rules.h"

/* ---- The library's side ---------------------------------------------------------------------------- */

static const uint8_t *neighbor_of_view(const sight *s, int field, int i)
{
    return pen_neighbor_record((const pen_view *)s->from, field, i);
}
static uint8_t road_of_view(const sight *s, int i) { return *PEN_EDGE((const pen_view *)s->from, 0, uint8_t, i); }
static void set_road_of_view(const sight *s, int i, uint8_t value)
{
    *PEN_EDGE_OWN((const pen_view *)s->from, 0, uint8_t, i) = value;
}
static uint64_t ask_view(const sight *s, question what)
{
    const pen_view *v = s->from;
    switch (what) {
    case RANDOM: return pen_random(v, (uint64_t)s->phase) >> 8;
    case STEP: return (uint64_t)pen_step(v);
    case OBSERVED: return (uint64_t)(s->program->observes ? pen_observed_int(v, PEN_COMPONENT(DRAWN_STATES, 1)) : 1);
    default: return (uint64_t)(s->program->observes ? PEN_GLOBALS(v, drawn_globals)->total : 1);
    }
}
static const uint8_t *far_of_view(const sight *s, int field)
{
    return pen_far_record((const pen_view *)s->from, field, 0);
}

static sight sight_of_view(const pen_view *v, int phase)
{
    const drawn_program *p = pen_params(v);
    sight s = { .program = p,
                .phase = phase,
                .index = drawn_index(p, pen_id(v)),
                .degree = pen_degree(v),
                .input = p->has_input ? pen_input(v, 0) : 0.0,
                .neighbor = neighbor_of_view,
                .road = road_of_view,
                .set_road = set_road_of_view,
                .ask = ask_view,
                .far = far_of_view,
                .from = v };
    for (int f = 0; f < p->fields; f++) {
        const bool writes = phase >= 0 && has(p->phase[phase].writes, f);
        if (writes) s.next[f] = pen_next_record(v, f);
        s.own[f] = writes && has(p->phase[phase].keeps, f) ? s.next[f] : pen_self_record(v, f);
    }
    return s;
}

static void compute_view(const pen_view *v, int phase)
{
    const sight s = sight_of_view(v, phase);
    drawn_compute(&s);
}

static void modify_view(const pen_view *v, pen_changes *changes, int phase)
{
    const drawn_program *p = pen_params(v);
    compute_view(v, phase);
    for (int k = 0; k < p->request_count; k++)
        if (p->requests[k].asker == drawn_index(p, pen_id(v))) drawn_ask(p, &p->requests[k], changes);
}

#define PHASE(n)                                                                                    \
    static void node_##n(const pen_view *v) { compute_view(v, n); }                                 \
    PEN_SWEEP(node_##n)                                                                             \
    static void modify_##n(const pen_view *v, pen_changes *changes) { modify_view(v, changes, n); } \
    static void by_hand_##n(const pen_view *v, pen_lid end)                                         \
    {                                                                                               \
        pen_view one = *v;                                                                          \
        for (; one.slot < end; one.slot++) compute_view(&one, n);                                   \
    }
PHASE(0)
PHASE(1)
PHASE(2)
PHASE(3)

static void init(const pen_view *v)
{
    const drawn_program *p = pen_params(v);
    const int i = drawn_index(p, pen_id(v));
    for (int f = 0; f < p->fields; f++) drawn_record(p, f, i, drawn_first_state(p, f, i), pen_next_record(v, f));
}

static void init_edges(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++)
        *PEN_EDGE_OWN(v, 0, uint8_t, i) = (uint8_t)((pen_id(v) + pen_neighbor_id(v, i)) % 4);
}

static void want(const pen_view *v, pen_requests *requests)
{
    const drawn_program *p = pen_params(v);
    pen_request(requests, drawn_gid(p, drawn_distant(p, drawn_index(p, pen_id(v)))));
}

static void observe(const pen_view *v, pen_observation *o)
{
    const sight s = sight_of_view(v, -1);
    const contribution c = drawn_contribute(&s);
    if (c.component >= 0) pen_observe_int(o, PEN_COMPONENT(DRAWN_STATES, c.component), c.weight);
    pen_observe_int(o, DRAWN_LEAST, c.number);
    pen_observe_int(o, DRAWN_MOST, c.number);
    if (!c.adds) return;
    for (int k = DRAWN_SUM; k <= DRAWN_HIGH; k++) pen_observe_real(o, k, c.real);
}
PEN_OBSERVE_SWEEP(observe)

static void observe_before(const pen_view *v, pen_observation *o)
{
    const sight s = sight_of_view(v, -1);
    pen_observe_int(o, DRAWN_BEFORE, drawn_contribute(&s).number);
}
PEN_OBSERVE_SWEEP(observe_before)

static void update(const pen_run *run, int phase, const void *params, void *globals)
{
    drawn_globals *g = globals;
    g->total = g->total / 2 + pen_run_observed_int(run, PEN_COMPONENT(DRAWN_STATES, 1)) +
               (phase < 0 ? 0 : pen_run_observed_int(run, DRAWN_BEFORE));
}

static double cost(const pen_view *v)
{
    const drawn_program *p = pen_params(v);
    return 1.0 + 3.0 * drawn_state(&p->field[0], pen_self_record(v, 0));
}
PEN_COST_SWEEP(cost)

static void print(const pen_view *v, FILE *out)
{
    const drawn_program *p = pen_params(v);
    for (int f = 0; f < p->fields; f++) {
        const uint8_t *record = pen_self_record(v, f);
        for (int k = 0; k < p->field[f].size; k++) fprintf(out, "%02x", record[k]);
    }
}

/* ---- Draws ------------------------------------------------------------------------------------------ */

static int draw_kind(uint64_t *state, bool asks)
{
    static const rule calm[] = { STAYS,   LARGEST, EXCITED, EXCITED, COUNTS, TURNS,
                                 CIRCLES, SINKS,   LIMITED, FOLLOWS, BLINKS, CIRCLES_ALONE };
    static const rule restless[] = { CATCHES, WAITS, OBEYS, HEARS };
    if (draw_below(state, 2)) return STAYS;
    return asks && draw_below(state, 4) == 0 ? (int)restless[draw_below(state, PEN_COUNT_OF(restless))]
                                             : (int)calm[draw_below(state, PEN_COUNT_OF(calm))];
}

static pen_set draw_set(const drawn_program *p, uint64_t *state, bool may_be_empty)
{
    pen_set set = { .bits = 0 };
    for (int f = 0; f < p->fields; f++)
        if (draw_below(state, 2)) set.bits |= UINT64_C(1) << f;
    if (set.bits == 0 && !may_be_empty) set.bits = UINT64_C(1) << draw_below(state, p->fields);
    return set;
}

static void draw_field(drawn_program *p, int f, uint64_t *state)
{
    static const char *const names[] = { "f0", "f1", "f2", "f3" };
    static const int sizes[] = { 1, 2, 8, 8, 12, 16, 24, 64, 100, 200 };
    drawn_field *field = &p->field[f];
    field->size = draw_below(state, 3) ? sizes[draw_below(state, PEN_COUNT_OF(sizes))]
                                       : 1 + draw_below(state, DRAWN_BYTES);
    field->real = field->size >= 8 && draw_below(state, 2);
    const int width = field->real ? 8 : 1, past = field->size >= width + 4 && draw_below(state, 3) == 0 ? 4 : 0;
    field->at = draw_below(state, field->size - width - past + 1);
    field->past = past ? field->at + width : -1;
    p->field_list[f] = (pen_field){ .name = names[f],
                                    .size = (size_t)field->size,
                                    .plain = !p->loose || draw_below(state, 2) };
}

static void draw_phase(drawn_program *p, int n, uint64_t *state, bool asks)
{
    static const char *const names[] = { "p0", "p1", "p2", "p3" };
    static pen_node_fn *const nodes[] = { node_0, node_1, node_2, node_3 };
    static pen_sweep_fn *const sweeps[] = { node_0_sweep, node_1_sweep, node_2_sweep, node_3_sweep };
    static pen_sweep_fn *const by_hand[] = { by_hand_0, by_hand_1, by_hand_2, by_hand_3 };
    static pen_modify_fn *const modifies[] = { modify_0, modify_1, modify_2, modify_3 };
    drawn_phase *phase = &p->phase[n];
    phase->reads = draw_set(p, state, draw_below(state, 4) == 0);
    phase->writes = draw_set(p, state, false);
    for (int f = 0; f < p->fields; f++) {
        if (has(phase->writes, f) && draw_below(state, 3) == 0) phase->keeps.bits |= UINT64_C(1) << f;
        const bool calm = draw_below(state, 2);
        for (int c = 0; c < 8; c++) phase->kinds[f][c] = draw_kind(state, asks && !calm);
    }
    pen_phase *to = &p->phase_list[n];
    *to = (pen_phase){ .name = names[n], .reads = phase->reads, .writes = phase->writes, .updates = phase->keeps };
    phase->modifies = n + 1 == p->phases && draw_below(state, 16) == 0;
    const int kind = draw_below(state, 24);
    if (phase->modifies) to->modify = modifies[n];
    else if (kind == 0) to->sweep = by_hand[n];
    else if (kind < 12) to->node = nodes[n];
    else to->sweep = sweeps[n];
    if (draw_below(state, 24) == 0) {
        phase->far_reads = to->far_reads = (pen_set){ .bits = UINT64_C(1) << draw_below(state, p->fields) };
        to->far = want;
    }
    to->always = !to->modify && draw_below(state, 24) == 0;
    if (p->has_roads && draw_below(state, 12) == 0) {
        phase->writes_roads = true;
        to->edge_writes = (pen_set)PEN_SET(0);
    }
    if (p->observing == n) {
        to->observe = observe_before_sweep;
        to->observes = (pen_set)PEN_SET(DRAWN_BEFORE);
    }
}

void drawn_program_draw(uint64_t seed, drawn_program *p)
{
    static const pen_observable observables[DRAWN_OBSERVABLES] = {
        [DRAWN_STATES] = { "states", PEN_SUM_INT, DRAWN_COMPONENTS },
        [DRAWN_LEAST] = { "least", PEN_MIN_INT, 1 },
        [DRAWN_MOST] = { "most", PEN_MAX_INT, 1 },
        [DRAWN_SUM] = { "sum", PEN_SUM_REAL, 1 },
        [DRAWN_LOW] = { "low", PEN_MIN_REAL, 1 },
        [DRAWN_HIGH] = { "high", PEN_MAX_REAL, 1 },
        [DRAWN_BEFORE] = { "before", PEN_SUM_INT, 1 },
    };
    static const pen_edge_field roads[] = { { .name = "road", .size = 1 } };
    static const pen_globals globals = { .size = sizeof(drawn_globals), .update = update };
    static const pen_input_column inputs[] = { { .name = "limit", .permanent = true, .otherwise = "2.0" } };
    static const int sizes[] = { 1, 2, 9, 20, 40, 56, 56 };
    uint64_t state = scramble(seed, 1);
    *p = (drawn_program){ .seed = seed };
    p->nodes = sizes[draw_below(&state, PEN_COUNT_OF(sizes))];
    p->fields = 1 + draw_below(&state, DRAWN_FIELDS);
    p->phases = 1 + draw_below(&state, draw_below(&state, 2) ? 2 : DRAWN_PHASES);
    p->directed = draw_below(&state, 4) == 0;
    p->sparse = draw_below(&state, 3) == 0;
    p->observes = draw_below(&state, 2);
    p->has_roads = draw_below(&state, 3) == 0;
    p->has_input = draw_below(&state, 4) == 0;
    p->costs = draw_below(&state, 2);
    p->loose = draw_below(&state, 20) == 0;
    p->observing = p->observes ? draw_below(&state, p->phases + 2) : -1;
    if (p->observing >= p->phases) p->observing = -1;
    p->table = (uint32_t)scramble(seed, 9) & ~UINT32_C(1); /* without neighbours an even state stays */
    const bool asks = draw_below(&state, 3) == 0;
    for (int f = 0; f < p->fields; f++) draw_field(p, f, &state);
    for (int n = 0; n < p->phases; n++) draw_phase(p, n, &state, asks);
    p->app = (pen_app){ .name = "drawn",
                        .fields = { p->field_list, p->fields },
                        .phases = { p->phase_list, p->phases },
                        .init = init,
                        .output.print = print,
                        .params = p };
    if (p->costs) p->phase_list[0].cost = cost_sweep;
    if (p->has_roads) {
        p->app.edge_fields.list = roads;
        p->app.edge_fields.count = 1;
        p->app.init_edges = init_edges;
    }
    if (p->has_input) {
        p->app.inputs.list = inputs;
        p->app.inputs.count = 1;
    }
    if (p->observes) {
        p->app.observables.list = observables;
        p->app.observables.count = p->observing >= 0 ? DRAWN_OBSERVABLES : DRAWN_BEFORE;
        p->app.observables.observe = observe_sweep;
        p->app.globals = &globals;
    }
}

void drawn_ask(const drawn_program *p, const drawn_request *request, pen_changes *changes)
{
    const pen_gid a = drawn_gid(p, request->a), b = drawn_gid(p, request->b);
    switch (request->kind) {
    case DRAWN_REMOVE_NODE: pen_remove_node(changes, a); break;
    case DRAWN_ADD_EDGE: pen_add_edge(changes, a, b, 1); break;
    case DRAWN_REMOVE_EDGE: pen_remove_edge(changes, a, b); break;
    case DRAWN_ADD_NODE: {
        pen_new_node *newborn = pen_add_node(changes, a, 1);
        for (int f = 0; f < p->fields; f++)
            drawn_record(p, f, request->a, drawn_first_state(p, f, request->a), pen_first_record(newborn, f));
    }
    }
}
