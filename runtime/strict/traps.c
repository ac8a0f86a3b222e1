/* traps.c - makes views in which wrong accesses fault, and explains the faults. */
#include "strict/traps.h"
#include "base/memory.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- Memory ------------------------------------------------------------------------------------ */

pen_status pen_guarded_make(int64_t bytes, size_t guard, pen_guarded *guarded)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = ((size_t)bytes + page - 1) / page * page;
    pen_guarded_free(guarded);
    for (guard = (guard + page - 1) / page * page;; guard = guard / 16 / page * page) {
        const size_t all = inside + 2 * guard;
        void *mapped = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped != MAP_FAILED) {
            *guarded = (pen_guarded){ .mapped = mapped, .mapped_bytes = all };
            if (inside > 0 && mprotect(guarded->mapped + guard, inside, PROT_READ | PROT_WRITE) != 0) break;
            guarded->memory = guarded->mapped + guard + inside - bytes;
            return PEN_OK;
        }
        if (guard < 16 * page) break;
    }
    pen_guarded_free(guarded);
    return pen_fail(PEN_ERR_MEMORY, "out of memory: %" PRId64 " bytes between guard pages", bytes);
}

void pen_guarded_free(pen_guarded *guarded)
{
    if (guarded->mapped) munmap(guarded->mapped, guarded->mapped_bytes);
    *guarded = (pen_guarded){ .memory = NULL };
}

/* ---- Guarded calls ------------------------------------------------------------------------------- */

static const int SIGNALS[] = { SIGSEGV, SIGBUS, SIGFPE };
enum { SIGNAL_COUNT = sizeof SIGNALS / sizeof *SIGNALS };

static struct sigaction before[SIGNAL_COUNT];
static stack_t stack_before;
/* The signal handler's stack: a function that has used up its own stack leaves no room for the handler. */
static unsigned char handler_stack[1 << 16];
/* The return point of the guarded call in this thread; NULL: there is none. */
static _Thread_local sigjmp_buf *volatile waiting;
static _Thread_local volatile pen_fault caught;

static void catch_fault(int number, siginfo_t *info, void *context)
{
    if (waiting && info->si_code > 0) { /* the signal comes from an access, not from a process */
        caught.signal = number;
        caught.address = (uintptr_t)info->si_addr;
        siglongjmp(*waiting, 1);
    }
    for (int i = 0; i < SIGNAL_COUNT; i++)
        if (SIGNALS[i] == number) sigaction(number, &before[i], NULL);
    if (info->si_code <= 0) raise(number); /* a fault occurs again when the handler returns */
}

void pen_guard_begin(void)
{
    struct sigaction action = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
    const stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof handler_stack };
    action.sa_sigaction = catch_fault;
    sigemptyset(&action.sa_mask);
    sigaltstack(&stack, &stack_before);
    for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(SIGNALS[i], &action, &before[i]);
}

void pen_guard_end(void)
{
    for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(SIGNALS[i], &before[i], NULL);
    sigaltstack(&stack_before, NULL);
}

/* Whether an address is where the stack ends, if `frame` is near the stack's beginning. */
static bool is_below_stack(const void *frame, uintptr_t address)
{
    const uintptr_t most = (uintptr_t)1 << 30, guard = 1 << 20;
    struct rlimit limit = { .rlim_cur = most };
    (void)getrlimit(RLIMIT_STACK, &limit);
    const uintptr_t below = (uintptr_t)frame - address, size = limit.rlim_cur < most ? limit.rlim_cur : most;
    return address < (uintptr_t)frame && below < size + guard;
}

pen_fault pen_guarded_call(void (*function)(void *context), void *context)
{
    sigjmp_buf here;
    caught.signal = 0;
    caught.address = 0;
    if (sigsetjmp(here, 0) == 0) {
        waiting = &here;
        function(context);
    }
    waiting = NULL;
    return (pen_fault){ caught.signal, caught.address,
                        caught.signal == SIGSEGV && is_below_stack(&here, caught.address) };
}

/* Addresses without memory: a span for each edge field, input column and field, one further span, and one for each
 * field number that does not exist. The size is not a power of two, so that an access of the wrong type in one span
 * does not look like a correct access in another. */
static const uintptr_t SPAN = ((uintptr_t)1 << 33) + (1 << 20);

static const size_t TABLE_GUARD = 1 << 20;

static int first_missing(const pen_app *app)
{
    return app->edge_fields.count + app->inputs.count + app->fields.count + 1;
}
static int spans(const pen_app *app) { return first_missing(app) + PEN_MOST_FIELDS; }

/* Allocate a table of `count` pointers or sizes. */
static pen_status make_table(int count, pen_guarded *table)
{
    return pen_guarded_make(count * (int64_t)sizeof(void *), TABLE_GUARD, table);
}

/* The difference between the other numbers and the usual ones, such that pointers that are moved back stay above 0. */
static int64_t first_number(const pen_run *run)
{
    const int64_t most = INT64_C(1) << 30, space = INT64_C(1) << 46;
    int64_t largest = 1;
    for (int f = 0; f < run->app->fields.count; f++)
        if ((int64_t)run->app->fields.list[f].size > largest) largest = (int64_t)run->app->fields.list[f].size;
    for (int e = 0; e < run->app->edge_fields.count; e++)
        if ((int64_t)run->app->edge_fields.list[e].size > largest)
            largest = (int64_t)run->app->edge_fields.list[e].size;
    return (space / largest < most ? space / largest : most) + 7;
}

pen_status pen_traps_create(const pen_run *run, pen_traps *traps)
{
    const pen_app *app = run->app;
    const int64_t page = 4096;
    *traps = (pen_traps){ .run = run };
    const int fields = pen_app_own_fields(app), edge_fields = pen_app_own_edge_fields(app);
    PEN_TRY(make_table(fields, &traps->far));
    PEN_TRY(make_table(fields, &traps->sizes));
    PEN_TRY(make_table(edge_fields, &traps->edges));
    PEN_TRY(make_table(edge_fields, &traps->own_edges));
    PEN_TRY(make_table(app->inputs.count, &traps->inputs));
    PEN_TRY(pen_guarded_make(page, TABLE_GUARD, &traps->no_slots));
    for (int f = 0; f < fields; f++) ((size_t *)(void *)traps->sizes.memory)[f] = app->fields.list[f].size;
    return pen_guarded_make(0, ((size_t)spans(app) * SPAN + PEN_TRAP_GUARD) / 2, &traps->nowhere);
}

void pen_traps_free(pen_traps *traps)
{
    pen_guarded *all[] = { &traps->far,       &traps->sizes,   &traps->edges,   &traps->inputs,
                           &traps->own_edges, &traps->nowhere, &traps->no_slots };
    for (int i = 0; i < PEN_COUNT_OF(all); i++) pen_guarded_free(all[i]);
    PEN_FREE_ALL(traps->no_wishes, traps->rows, traps->columns, traps->far_slots);
}

pen_status pen_traps_make(pen_traps *traps)
{
    const pen_store *store = traps->run->store;
    const uint32_t arcs = store->rows[store->owned];
    pen_lid last;
    traps->first_slot = traps->first_arc = first_number(traps->run) + traps->made++ % PEN_TRAP_NUMBERS;
    PEN_TRY(pen_to_lid(store->owned + store->shadows + traps->first_slot, "nodes, in the strict mode", &last));
    if (arcs > UINT32_MAX - traps->first_arc) traps->first_arc = 0;
    PEN_TRY(PEN_REALLOC(&traps->no_wishes, (int64_t)store->owned + 1));
    PEN_TRY(PEN_REALLOC(&traps->rows, (int64_t)store->owned + 1));
    PEN_TRY(PEN_REALLOC(&traps->columns, (int64_t)arcs + 1));
    memset(traps->no_wishes, 0, ((size_t)store->owned + 1) * sizeof *traps->no_wishes);
    for (pen_lid s = 0; s <= store->owned; s++) traps->rows[s] = store->rows[s] + (uint32_t)traps->first_arc;
    for (uint32_t a = 0; a < arcs; a++) traps->columns[a] = store->columns[a] + (pen_lid)traps->first_slot;
    return PEN_OK;
}

pen_status pen_traps_add_far(pen_traps *traps, const pen_far *far, int64_t count)
{
    pen_lid last;
    PEN_TRY(PEN_REALLOC(&traps->far_slots, count + 1));
    for (int64_t i = 0; i < count; i++) {
        traps->far_slots[i] = -1;
        if (far->slots[i] < 0) continue;
        PEN_TRY(pen_to_lid(far->slots[i] + traps->first_slot, "nodes and requests, in the strict mode", &last));
        traps->far_slots[i] = last;
    }
    return PEN_OK;
}

/* ---- The view ---------------------------------------------------------------------------------- */

/* The address `bytes` bytes before another one, computed as a number; NULL stays NULL. */
static void *moved(const void *p, int64_t bytes) { return p ? (void *)((uintptr_t)p - (uintptr_t)bytes) : NULL; }

/* The beginning of a span; NULL if the spans were not allocated. */
static void *span(const pen_traps *traps, int number)
{
    if (traps->nowhere.mapped_bytes / SPAN < (size_t)spans(traps->run->app)) return NULL;
    return (void *)((uintptr_t)traps->nowhere.mapped + (uintptr_t)number * SPAN);
}

static void *span_of_edges(const pen_traps *traps, int e) { return span(traps, e); }
static void *span_of_input(const pen_traps *traps, int c)
{
    return span(traps, traps->run->app->edge_fields.count + c);
}
static void *span_of_far(const pen_traps *traps, int f)
{
    return span(traps, traps->run->app->edge_fields.count + traps->run->app->inputs.count + f);
}

static void *span_of_missing(const pen_traps *traps, int f) { return span(traps, first_missing(traps->run->app) + f); }

/* Fill the tables of the view. Only the application's fields and edge fields have entries: permanent input columns are
 * accessed as columns. */
static void fill_tables(pen_traps *traps, const pen_trap_planes *planes, int64_t slots, int64_t arcs, pen_view *view)
{
    const pen_run *run = traps->run;
    const pen_app *app = run->app;
    const void **far = (const void **)(void *)traps->far.memory, **edges = (const void **)(void *)traps->edges.memory,
               **inputs = (const void **)(void *)traps->inputs.memory;
    void **own_edges = (void **)(void *)traps->own_edges.memory;
    for (int f = 0; f < pen_app_own_fields(app); f++) {
        const int64_t size = (int64_t)app->fields.list[f].size;
        view->current[f] = moved(planes->current[f], slots * size);
        view->next[f] = moved(planes->next[f], slots * size);
        far[f] = planes->far_view ? planes->far[f] : span_of_far(traps, f);
    }
    for (int f = pen_app_own_fields(app); f < PEN_MOST_FIELDS; f++)
        view->current[f] = view->next[f] = span_of_missing(traps, f);
    for (int e = 0; e < pen_app_own_edge_fields(app); e++) {
        const int64_t size = (int64_t)app->edge_fields.list[e].size;
        edges[e] = moved(run->store->edges[e], arcs * size);
        own_edges[e] = moved(run->shown.edges[e] ? run->shown.edges[e] : span_of_edges(traps, e), arcs * size);
    }
    for (int c = 0; c < app->inputs.count; c++)
        inputs[c] = moved(run->shown.inputs[c] ? run->shown.inputs[c] : span_of_input(traps, c),
                          (app->inputs.list[c].of_edges ? arcs : slots) * (int64_t)sizeof(double));
}

pen_view pen_traps_view(pen_traps *traps, pen_lid slot, const pen_trap_planes *planes, bool other)
{
    const int64_t slots = other ? traps->first_slot : 0, arcs = other ? traps->first_arc : 0;
    pen_view view = traps->run->view;
    fill_tables(traps, planes, slots, arcs, &view);
    traps->far_view = (pen_far){ .first = traps->no_wishes,
                                 .gids = span_of_far(traps, traps->run->app->fields.count),
                                 .slots = (const pen_lid *)(void *)traps->no_slots.memory };
    if (planes->far_view) {
        traps->far_view = *planes->far_view;
        traps->far_view.known += (pen_lid)slots;
        if (other) traps->far_view.slots = traps->far_slots;
    }
    traps->far_view.first = moved(traps->far_view.first, slots * (int64_t)sizeof(int64_t));
    traps->far_view.records = (const void *const *)(void *)traps->far.memory;
    view.library.far = &traps->far_view;
    view.slot = slot + (pen_lid)slots;
    if (other) {
        view.rows = traps->rows;
        view.columns = traps->columns;
    }
    view.rows = moved(view.rows, slots * (int64_t)sizeof *view.rows);
    view.columns = moved(view.columns, arcs * (int64_t)sizeof *view.columns);
    view.gids = moved(view.gids, slots * (int64_t)sizeof *view.gids);
    view.node_weights = moved(view.node_weights, slots * (int64_t)sizeof *view.node_weights);
    view.edge_weights = moved(view.edge_weights, arcs * (int64_t)sizeof *view.edge_weights);
    view.coordinates = moved(view.coordinates, slots * view.dimensions * (int64_t)sizeof *view.coordinates);
    view.readers = moved(view.readers, slots * (int64_t)sizeof *view.readers);
    view.sizes = (const size_t *)(void *)traps->sizes.memory;
    view.edges = (const void *const *)(void *)traps->edges.memory;
    view.own_edges = (void *const *)(void *)traps->own_edges.memory;
    view.inputs = (const double *const *)(void *)traps->inputs.memory;
    for (int k = 0; k < traps->run->app->mails.count; k++) {
        const int64_t *first = view.library.mailboxes[k].first;
        traps->mailboxes[k] = view.library.mailboxes[k];
        traps->mailboxes[k].first = moved(traps->mails >> k & 1 ? first : NULL, slots * (int64_t)sizeof *first);
    }
    view.library.mailboxes = traps->mailboxes;
    traps->restless = false;
    view.library.restless = moved(&traps->restless, view.slot * (int64_t)sizeof *view.library.restless);
    return view;
}

/* ---- Explanation of a fault ---------------------------------------------------------------------- */

/* The size of a type whose element `index` after `base` has the address; 0: there is none. Only large indices are
 * conclusive. */
static int64_t type_of(const void *base, int64_t index, uintptr_t address)
{
    const int64_t distance = (int64_t)(address - (uintptr_t)base);
    if (index < 1 << 20 || distance < 0) return 0;
    const int64_t type = distance / index;
    return distance % index < type && type < PEN_TRAP_GAP / 2 ? type : 0;
}

/* The size of a type with which the address is in the record of the node or of a neighbour; 0: there is none. */
static int64_t type_of_nodes(const pen_view *v, const void *base, uintptr_t address)
{
    int64_t type = type_of(base, v->slot, address);
    for (int32_t i = 0; type == 0 && i < pen_degree(v); i++) type = type_of(base, pen_neighbor_slot(v, i), address);
    return type;
}

static int64_t type_of_arcs(const pen_view *v, const void *base, uintptr_t address)
{
    int64_t type = 0;
    for (uint32_t a = v->rows[v->slot]; type == 0 && a < v->rows[v->slot + 1]; a++) type = type_of(base, a, address);
    return type;
}

/* The index of an access beyond the end of a table of `count` entries; -1: the address is elsewhere. */
static int64_t index_beyond(const pen_guarded *table, int64_t count, uintptr_t address)
{
    const uintptr_t end = (uintptr_t)table->memory + (uintptr_t)count * sizeof(void *);
    if (address < end || address - end >= TABLE_GUARD) return -1;
    return count + (int64_t)((address - end) / sizeof(void *));
}

static void say_missing(const pen_app *app, const char *what, int64_t index, int count, char *text, size_t size)
{
    snprintf(text, size, "%s %" PRId64 " does not exist: %s has %d %ss", what, index, app->name, count, what);
}

static bool explain_index(const pen_traps *traps, uintptr_t address, char *text, size_t size)
{
    const pen_app *app = traps->run->app;
    const int fields = pen_app_own_fields(app), edge_fields = pen_app_own_edge_fields(app);
    const struct {
        const pen_guarded *table;
        int count;
        const char *what;
    } tables[] = { { &traps->sizes, fields, "field" },
                   { &traps->far, fields, "field" },
                   { &traps->edges, edge_fields, "edge field" },
                   { &traps->own_edges, edge_fields, "edge field" },
                   { &traps->inputs, app->inputs.count, "input column" } };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        int64_t index = index_beyond(tables[i].table, tables[i].count, address);
        if (index < 0) continue;
        say_missing(app, tables[i].what, index, tables[i].count, text, size);
        return true;
    }
    return false;
}

static bool is_nowhere(const pen_traps *traps, uintptr_t address)
{
    const uintptr_t begin = (uintptr_t)span(traps, 0);
    return begin > 0 && address >= begin && address - begin < traps->nowhere.mapped_bytes;
}

/* Explain an access in the spans of missing fields and of edge fields, with records of any type. A type of 16 bytes can
 * end in the next span but one; no other combination of span and type has the same addresses. */
static bool explain_records(const pen_traps *traps, const pen_view *v, uintptr_t address, char *text, size_t size)
{
    const pen_app *app = traps->run->app;
    if (!is_nowhere(traps, address)) return false;
    for (int f = pen_app_own_fields(app); f < PEN_MOST_FIELDS; f++) {
        if (!type_of_nodes(v, span_of_missing(traps, f), address)) continue;
        say_missing(app, "field", f, pen_app_own_fields(app), text, size);
        return true;
    }
    for (int e = 0; e < pen_app_own_edge_fields(app); e++) {
        if (traps->run->shown.edges[e] || !type_of_arcs(v, v->own_edges[e], address)) continue;
        snprintf(text, size, "edge field %s: an arc's record is reached by PEN_EDGE_OWN, but it is not in .edge_writes",
                 app->edge_fields.list[e].name);
        return true;
    }
    return false;
}

/* Explain other accesses to addresses without memory. */
static bool explain_nowhere(const pen_traps *traps, uintptr_t address, char *text, size_t size)
{
    const pen_app *app = traps->run->app;
    if (!is_nowhere(traps, address)) return false;
    int number = (int)((address - (uintptr_t)span(traps, 0)) / SPAN) - app->edge_fields.count;
    if (number >= 0 && number < app->inputs.count) {
        snprintf(text, size, "input column %s: it is read after .init, but it is not .permanent",
                 app->inputs.list[number].name);
        return true;
    }
    number -= app->inputs.count;
    if (number < 0 || number > app->fields.count) return false;
    if (number < app->fields.count)
        snprintf(text, size, "field %s: a far node's record is read, but the phase has no .far",
                 app->fields.list[number].name);
    else snprintf(text, size, "a far node's gid is read, but the phase has no .far");
    return true;
}

static bool explain_type(const char *kind, const char *name, size_t right, int64_t type, char *text, size_t size)
{
    if (type == 0 || type == (int64_t)right) return false;
    snprintf(text, size, "%s %s: it is used with a type of %" PRId64 " bytes, but its records have %zu", kind, name,
             type, right);
    return true;
}

static bool explain_field(const pen_traps *traps, const pen_view *v, int f, uintptr_t at, char *text, size_t size)
{
    const pen_field *field = &traps->run->app->fields.list[f];
    return explain_type("field", field->name, field->size, type_of_nodes(v, v->current[f], at), text, size) ||
           explain_type("field", field->name, field->size, type_of_nodes(v, v->next[f], at), text, size);
}

static bool explain_edges(const pen_traps *traps, const pen_view *v, int e, uintptr_t at, char *text, size_t size)
{
    const pen_edge_field *field = &traps->run->app->edge_fields.list[e];
    return explain_type("edge field", field->name, field->size, type_of_arcs(v, v->edges[e], at), text, size);
}

void pen_traps_explain(const pen_traps *traps, const pen_view *view, const pen_fault *fault, char *text, size_t size)
{
    const pen_app *app = traps->run->app;
    const uintptr_t at = fault->address;
    text[0] = '\0';
    if (explain_index(traps, at, text, size) || explain_records(traps, view, at, text, size) ||
        explain_nowhere(traps, at, text, size))
        return;
    for (int f = 0; f < pen_app_own_fields(app); f++)
        if (explain_field(traps, view, f, at, text, size)) return;
    for (int e = 0; e < pen_app_own_edge_fields(app); e++)
        if (explain_edges(traps, view, e, at, text, size)) return;
    if (type_of(NULL, view->slot, at) > 0) /* a table is preceded by zeros */
        snprintf(text, size, "a field of a negative number, or an array that is NULL, is used with a slot");
    else if (fault->below_stack)
        snprintf(text, size, "the stack is used up: the function calls itself without end, or has large arrays");
}
