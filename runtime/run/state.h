/* state.h - a run: the state that all parts of the library share. */
#pragma once

#include "halo/halo.h"
#include "observe/observation.h"
#include "observe/trace.h"
#include "run/app.h"
#include "run/part.h"
#include "run/reads.h"
#include "store/requests.h"
#include "store/rows.h"
#include "view/machine.h"
#include "view/quality.h"
#include "view/shares.h"

/* Why a run has ended before all of its steps were done. */
typedef enum pen_end { PEN_END_OPEN, PEN_END_DONE, PEN_END_UNTIL } pen_end;

/* How the graph has changed so far. */
typedef struct pen_run_changed {
    int64_t phases, with_changes; /* phases that could, and those that did; calls of pen_run_change that did, too */
    int64_t added, removed, edges_added, edges_removed;
    uint64_t ticks;
} pen_run_changed;

/* Local. Apply a phase, with the view as it is, to owned slots [first, end). */
typedef void pen_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end);

struct pen_run {
    pen_comm *comm;
    pen_app *app;             /* our copy */
    pen_active_part *parts;   /* in the order of the table */
    pen_sweep *sweep;         /* pen_run_sweep, or what does more than that */
    pen_phase_traits *traits; /* [app->phase_count] */
    pen_machine *machine;     /* of the ranks; NULL: none was named, as is ... */
    char *machine_name;
    pen_store *store;
    pen_halo *halo;
    pen_view view;             /* what node functions get; .slot moves along */
    void **own_edges;          /* [edge fields] of the view */
    int64_t step;              /* steps done */
    int phase;                 /* that comes next: not the first one where a step could not be finished */
    struct pen_reach *reach;   /* what far reads and fetches know, or NULL */
    struct pen_far_state *far; /* what phases with .far work with, or NULL */
    pen_observables *observation;
    void *globals; /* the record of app->globals (globals.h), then what it was before; or NULL */
    pen_end end;
    pen_quality quality; /* of the first partition */
    int64_t dilation;    /* its cut, every edge times its distance on the partitioner's network; -1: it has none */
    pen_timers timers;
    pen_world
        world; /* as .setup saw it, without sizes of fields; steps are those that will be run in all; 0: not known */
    int64_t first_edges;  /* of the whole graph at the start, as world.nodes */
    int64_t nodes, edges; /* of the whole graph now */
    pen_changes *changes; /* that are asked for; NULL where nothing can be yet */
    pen_run_changed changed;
    bool verifies;        /* it shall be possible, whatever becomes of the graph */
    pen_graph *origin;    /* the graph before its first change; NULL: it has not changed, or is not needed */
    uint64_t graph_sum;   /* of the rows that this rank had at the start (graph.h) */
    char *partitioner;    /* as it was named */
    char *graph_origin;   /* of the graph; NULL: not known */
    char *graph_settings; /* of a command line: options that tell the graph (saved.h); NULL: there is none */
    int64_t resumed;      /* steps that were done when the run was resumed; -1: it was not */
    char *contents; /* rank 0: of files from which results come (resume/contents.h), at the beginning of the run */
    char *accepted; /* options in which it then differs from the run before, "a,b"; NULL: not resumed */
    struct pen_checkpointing *checkpointing; /* of checkpoints; NULL: none are wanted */
    int64_t shipped;                         /* bytes, for nodes that left this rank */
    int64_t most_held;                       /* bytes of the store, since unused memory was given back */
    uint64_t seed;                           /* of pen_random */
    pen_reads reads;                         /* rank 0: the files that outputs must not replace; elsewhere empty */
    const double **inputs;                   /* [input columns] of the view */
    struct pen_strict *strict;               /* NULL: not in the strict mode */
    FILE *out;                               /* what app->output gets */
    int64_t resident;      /* bytes of this process, before there was a graph or a run; -1: not known */
    bool begun;            /* it has had the first state */
    bool stepping;         /* pen_run_steps is at work */
    int64_t calls;         /* of pen_run_steps */
    pen_failure unwritten; /* of an output during the last pen_run_steps, which it has ended; equal on all ranks */
    bool put; /* records or changes of the graph have come from outside: a serial computation cannot reproduce them */
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

/* Local. The speed of this rank's processor: a load takes the time load / speed. */
static inline double pen_run_speed(const pen_run *run) { return pen_speed_of(run->machine, run->comm->rank); }

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
