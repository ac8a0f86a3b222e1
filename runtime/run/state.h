/* state.h - a run: the state that all parts of the library share. */
#pragma once

#include "halo/halo.h"
#include "observe/observation.h"
#include "run/app.h"
#include "run/part.h"
#include "run/reads.h"
#include "view/machine.h"
#include "view/quality.h"

/* Why a run has ended before all of its steps were done. */
typedef enum pen_end { PEN_END_OPEN, PEN_END_DONE, PEN_END_UNTIL } pen_end;

/* The whole graph. */
typedef struct pen_whole_graph {
    int64_t nodes, edges;
    int64_t first_edges; /* at the start of the run; the nodes are in its world */
    uint64_t sum;        /* of the rows that this rank had at the start (graph.h) */
    char *name;          /* of its file or generator; NULL: not known */
    char *settings;      /* command-line options that describe it; NULL: there is none */
    bool verifies;       /* pen_run_verify must be possible, even after changes */
    pen_graph *first;    /* the graph before its first change; NULL: it has not changed, or is not needed */
} pen_whole_graph;

/* How the graph has changed so far, and how nodes have moved. */
typedef struct pen_run_changed {
    pen_changes *requests;        /* of nodes; NULL until a change is possible */
    int64_t phases, with_changes; /* phases that could, and those that did; calls of pen_run_change that did, too */
    int64_t added, removed, edges_added, edges_removed;
    uint64_t ticks;
    int64_t shipped;   /* bytes, for nodes that left this rank */
    int64_t most_held; /* bytes of the store, since unused memory was given back */
    bool put;          /* records or changes have come from outside: a serial computation cannot reproduce them */
} pen_run_changed;

/* The first distribution of the nodes. */
typedef struct pen_run_partition {
    char *name;           /* of the partitioner, with its settings */
    pen_machine *machine; /* of the ranks; NULL: none was named */
    char *machine_name;
    pen_quality quality;
    int64_t dilation; /* the cut, every edge times its distance on the partitioner's network; -1: it has none */
} pen_run_partition;

/* What the run was made from. */
typedef struct pen_run_origin {
    struct pen_resume *resume; /* while the run is being created: the checkpoint that it is resumed from, or NULL */
    int64_t step;              /* steps that were done when the run was resumed; -1: it was not */
    char *contents;            /* rank 0: hashes of files from which results come, at the beginning of the run */
    char *accepted;            /* options in which it differs from the run before, "a,b"; NULL: not resumed */
    int64_t resident;          /* bytes of this process, before there was a graph or a run; -1: not known */
} pen_run_origin;

typedef struct pen_run_calls {
    int64_t count; /* of pen_run_steps */
    bool inside;   /* pen_run_steps is at work */
    bool begun;    /* the first one has written the first state */
} pen_run_calls;

typedef struct pen_run_files {
    FILE *out;             /* for app->output and reports; NULL: not on this rank */
    pen_reads reads;       /* rank 0: the files that outputs must not replace; elsewhere empty */
    pen_failure unwritten; /* of an output during the last pen_run_steps, which it has ended; equal on all ranks */
} pen_run_files;

/* Arrays that the view shows as constant. */
typedef struct pen_run_shown {
    void **edges;          /* [edge fields] that the phase writes, or NULL */
    const double **inputs; /* [input columns] */
} pen_run_shown;

/* Local. Apply a phase, with the view as it is, to owned slots [first, end). */
typedef void pen_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end);

struct pen_run {
    pen_comm *comm;
    pen_app *app;             /* our copy */
    pen_phase_traits *traits; /* [app->phases.count] */
    pen_active_part *parts;   /* in the order of the table (part.h) */
    pen_world world;          /* as .setup saw it, without sizes of fields; steps 0: not known how many */
    pen_run_origin origin;
    pen_whole_graph graph;
    pen_run_changed changed;
    pen_run_partition partition;
    pen_store *store;
    pen_halo *halo;
    pen_view view; /* what node functions get; .slot moves along */
    pen_run_shown shown;
    pen_sweep *sweep;          /* pen_run_sweep, or what does more than that */
    struct pen_strict *strict; /* NULL: not in the strict mode */
    struct pen_reach *reach;   /* what far reads and fetches know, or NULL */
    struct pen_far_state *far; /* what phases with .far work with, or NULL */
    pen_observables *observation;
    void *globals; /* the record of app->globals (globals.h), then what it was before; or NULL */
    int64_t step;  /* steps done */
    int phase;     /* that comes next: not the first one where a step could not be finished */
    pen_end end;
    pen_run_calls calls;
    pen_run_files files;
    pen_timers timers;
};

/* Local. Make the parts of a run that do not depend on its nodes: traits, arrays and scratch memory of the view,
 * observation. The run has its application, run->app. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_run_open(pen_run *run);

/* Local, at the beginning of a public function that returns a status. PEN_ERR_ARGUMENT: `run` is NULL; and the errors
 * of pen_mpi_ready. */
PEN_CHECKED pen_status pen_run_ready(const pen_run *run, const char *function);

/* Local, equal on all ranks. Whether it has ended, or has done all of its steps, as far as they are known. */
static inline bool pen_run_is_over(const pen_run *run)
{
    return run->end != PEN_END_OPEN || (run->world.steps > 0 && run->step >= run->world.steps);
}

/* Local. The number of dimensions of the places that balancers and the record see; 0: there are none. A grid that may
 * change has places from the beginning, since they become its nodes' coordinates. */
static inline int pen_run_dimensions(const pen_run *run)
{
    return pen_app_modifies(run->app) ? pen_store_dimensions(run->store) : run->store->dimensions;
}

/* Free the parts that this file has made. Collective, since store and halo have windows. */
void pen_run_close(pen_run *run);

/* Local. Free the input columns that are not kept. */
void pen_run_end_inputs(pen_run *run);

/* The coordinates in a view of nodes without any: NaN. */
extern const double pen_nowhere[3];

/* Local. Point the view at the store, after it was made or another took its place. */
void pen_run_bind(pen_run *run);

/* Local. Set the view to read the current planes, and to write the fields in `writes`: in the other plane, or in the
 * current one if a field is in `in_place`. */
void pen_run_view(pen_run *run, uint64_t writes, uint64_t in_place);

/* Local. Let the view write these edge fields too; after pen_run_view it may not write any. */
void pen_run_open_edges(pen_run *run, uint64_t writes);

/* Local. These fields and, in the strict mode, the fields of their unwritten bits (strict.h). Both are stored, moved
 * and pulled. */
static inline uint64_t pen_run_carried(const pen_run *run, uint64_t fields)
{
    return run->strict ? fields | fields << run->app->fields.count : fields;
}

/* Local. Swap the planes of these fields, and show all current planes to the view. */
void pen_run_flip(pen_run *run, uint64_t fields);

/* Collective. Pull the shadows of the current records of these fields, at least one, which no phase has written. */
void pen_run_pull(pen_run *run, uint64_t fields);

/* Local. Fill scratch memory with this pattern before the next node function gets it. */
void pen_scratch_poison(struct pen_scratch *scratch, unsigned char pattern);

/* Local. Apply a phase, with the view as it is, to owned slots [first, end). */
void pen_run_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end);

/* Local. The bytes that move with a node, as given to balancers and the record. */
pen_row_format pen_run_row_format(const pen_run *run);
