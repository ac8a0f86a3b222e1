/* grain.h - work that the generic applications do per node in addition to their arithmetic, and loads that move over
 * the nodes. */
#pragma once

#include <penumbra.h>

typedef struct grain {
    const char *work_text, *load_text; /* texts of the command line */
    double seconds;                    /* work of a node of weight 1, in seconds; 0: none */
    bool works;                        /* some node has work */
    bool sleeps; /* nodes sleep instead of spinning, so that more ranks than cores run at the pace of their work */
    enum grain_pattern { EVEN, THREE_PHASE, DISC, ALTERNATE } pattern;
    double ratio;   /* factor by which heavy nodes weigh more */
    int64_t period; /* number of steps between changes, for ALTERNATE */
    pen_world world;
} grain;

/* A list of options for pen_app.checkpoint.may_differ: these, and --steps, change the time of nodes, but no
 * results. */
#define GRAIN_MAY_DIFFER "grain,imbalance,steps"

/* A grain's initialiser: `static grain work = { GRAIN_DEFAULT };` */
#define GRAIN_DEFAULT .work_text = "none", .load_text = "none"

/* Entries for an application's option table, in braces. */
#define GRAIN_WORK_OPTION(g, per)                                                                       \
    "grain", "WORK",                                                                                    \
        "work per " per ": none (default), fine (0.3ms), coarse (3ms), or TIME, like 20us; then :spin " \
        "(default) or :sleep",                                                                          \
        PEN_OPTION_TEXT, (void *)&(g)->work_text, 0, 0
#define GRAIN_LOAD_OPTION(g)                                                                              \
    "imbalance", "LOAD",                                                                                  \
        "give some nodes RATIO (10) times the load: none (default); three-phase[:RATIO]: in the first, "  \
        "second and last third of the steps the first, middle and last half of the nodes; disc[:RATIO]: " \
        "a disc that crosses the grid from left to right; alternate[:RATIO[:PERIOD]]: for PERIOD (1) "    \
        "steps each, alternately the first and the last half",                                            \
        PEN_OPTION_TEXT, (void *)&(g)->load_text, 0, 0

/* Parse the texts, for pen_app.setup. Returns NULL, or an error sentence. */
const char *pen_grain_setup(grain *g, const pen_world *world);

/* The factor by which this node weighs more than 1 in this step. The arguments are not a view, so that a sweep need not
 * read the view again (PEN_SWEEP). */
double pen_grain_weight(const grain *g, int64_t step, pen_gid gid);

/* Do this node's work: spin for its processor time, or sleep for its time. */
void pen_grain_work(const grain *g, int64_t step, pen_gid gid);

/* Do the work of `amount` nodes of weight 1. */
void pen_grain_spend(const grain *g, double amount);
