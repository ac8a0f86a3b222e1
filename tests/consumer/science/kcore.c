/* kcore.c - the core number of every node: the largest k such that it is in a subgraph where each node has k
 * neighbours. Nodes with fewer than k neighbours leave; when none leaves, k grows. So k is a value of the whole run. */
#include <penumbra.h>

typedef struct member {
    int32_t core; /* INSIDE: not known yet */
    int32_t leaves;
} member;
typedef struct level {
    int32_t k;
} level;
enum { MEMBER };
enum { LEFT, REMAINING };
enum { INSIDE = -1 };

static void init(const pen_view *v) { *PEN_NEXT(v, MEMBER, member) = (member){ INSIDE, 0 }; }

static void peel(const pen_view *v)
{
    member next = { PEN_SELF(v, MEMBER, member)->core, 0 };
    int32_t k = PEN_GLOBALS(v, level)->k, inside = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) inside += PEN_NEIGHBOR(v, MEMBER, member, i)->core == INSIDE;
    if (next.core == INSIDE && inside < k) next = (member){ k - 1, 1 };
    *PEN_NEXT(v, MEMBER, member) = next;
}
PEN_SWEEP(peel)

static void observe(const pen_view *v, pen_observation *o)
{
    const member *here = PEN_SELF(v, MEMBER, member);
    pen_observe_int(o, LEFT, here->leaves);
    pen_observe_int(o, REMAINING, here->core == INSIDE);
}
PEN_OBSERVE_SWEEP(observe)

static void grow(const pen_run *run, int phase, const void *params, void *globals)
{
    (void)phase, (void)params;
    if (pen_run_observed_int(run, LEFT) == 0) ((level *)globals)->k++; /* to 1 on the initial state */
}

static bool is_empty(const pen_run *run, const void *params)
{
    (void)params;
    return pen_run_observed_int(run, REMAINING) == 0;
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%d", PEN_SELF(v, MEMBER, member)->core); }

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { "member", sizeof(member), .plain = true } };
    static const pen_phase phases[] = {
        { "peel", .sweep = peel_sweep, .reads = PEN_SET(MEMBER), .writes = PEN_SET(MEMBER) },
    };
    static const pen_observable observables[] = { { .name = "left", .kind = PEN_SUM_INT },
                                                  { .name = "remaining", .kind = PEN_SUM_INT } };
    static const pen_member named[] = { PEN_MEMBER(0, level, k, PEN_I32) };
    static const pen_globals globals = { sizeof(level), grow, PEN_MEMBERS(named) };
    static const pen_app app = { .name = "kcore",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 .init = init,
                                 .globals = &globals,
                                 .output.print = print,
                                 .end.done = is_empty };
    return pen_main(&app, argc, argv);
}
