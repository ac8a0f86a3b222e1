/* state.h - a run: the state that all parts of the library share. */
#pragma once

#include "halo/halo.h"
#include "observe/observation.h"
#include "run/app.h"
#include "run/part.h"
#include "run/reads.h"
#include "view/machine.h"
#include "view/quality.h"

/* The whole graph. */
typedef struct pen_whole_graph {
    int64_t nodes, edges;
    int64_t first_edges; /* number of edges at the start of the run; the number of nodes is in `world` */
    uint64_t sum;        /* sum of the rows that this rank had at the start (graph.h) */
    char *name;          /* name of its file or generator; NULL: not known */
    char *settings;      /* command-line options that describe the graph; NULL: there are none */
    bool verifies;       /* pen_run_verify must be possible even after changes */
    pen_graph *first; /* the graph before its first change; NULL: the graph has not changed, or `first` is not needed */
} pen_whole_graph;

/* The changes of the graph and the moves of nodes so far. */
typedef struct pen_run_changed {
    pen_changes *requests; /* requested changes of the graph; NULL until a change is possible */
    /* Number of phases that could change the graph; and of phases and calls of pen_run_change that did. */
    int64_t phases, with_changes;
    int64_t added, removed, edges_added, edges_removed;
    uint64_t ticks;
    int64_t shipped;   /* bytes sent for nodes that left this rank */
    int64_t most_held; /* largest bytes of the store since unused memory was last returned */
    bool put;          /* the program has put records or changes, which a serial computation cannot reproduce */
} pen_run_changed;

/* The first distribution of the nodes. */
typedef struct pen_run_partition {
    char *name;           /* name of the partitioner, with its settings; NULL: not chosen yet */
    pen_machine *machine; /* the machine of the ranks; NULL: none was named */
    char *machine_name;
    pen_quality quality;
    int64_t dilation; /* sum over cut edges of the distance on the partitioner's network; -1: it has no network */
} pen_run_partition;

/* The origin of the run. */
typedef struct pen_run_origin {
    struct pen_resume *resume; /* the checkpoint from which the run is resumed, while it is created; else NULL */
    int64_t step;              /* number of finished steps when the run was resumed; -1: it was not resumed */
    char *options;             /* rank 0: the options that are not 0, each after ", ", for the metrics */
    char *compared;            /* "name=value" a line: options of parts that a resumed run must have, too */
    char *contents;            /* rank 0: hashes of the files that determine results, at the beginning of the run */
    char *accepted;            /* options that differ from those of the first run, "a,b"; NULL: not resumed */
    int64_t resident;          /* bytes of this process before the graph and the run existed; -1: not known */
} pen_run_origin;

typedef struct pen_run_calls {
    int64_t count; /* number of calls of pen_run_steps */
    bool inside;   /* a call of pen_run_steps is in progress */
    bool begun;    /* the first call has written the first state */
} pen_run_calls;

typedef struct pen_run_files {
    FILE *out;             /* file for app->output and reports; NULL: this rank does not print */
    pen_reads reads;       /* rank 0: the files that outputs must not replace; elsewhere empty */
    pen_failure unwritten; /* failure of an output that has ended the last pen_run_steps; equal on all ranks */
    bool owed;             /* the run is resumed, and the outputs of its first state are not written */
} pen_run_files;

/* Arrays that the view shows as constant. */
typedef struct pen_run_shown {
    void **edges;          /* [edge fields] records that the phase writes; NULL: it does not write the field */
    const double **inputs; /* [input columns] values of the columns */
} pen_run_shown;

/* Local. Apply a phase, with the view as it is, to owned slots [first, end). */
typedef void pen_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end);

struct pen_run {
    pen_comm *comm;
    pen_app *app;             /* a copy of the application, owned */
    pen_phase_traits *traits; /* [app->phases.count] traits of the phases */
    pen_run_part *parts;      /* its parts in the order of the table (part.h) */
    pen_world world;          /* the world for .setup, without sizes of fields; steps 0: their number is not known */
    pen_run_origin origin;
    pen_whole_graph graph;
    pen_run_changed changed;
    pen_run_partition partition;
    pen_store *store;
    pen_halo *halo;
    int64_t renewed; /* how often the store was replaced, or records were put; equal on all ranks */
    pen_view view;   /* the view for node functions; its .slot advances with the nodes */
    pen_run_shown shown;
    pen_sweep *sweep;          /* pen_run_sweep, or a sweep that does more */
    struct pen_strict *strict; /* state of the strict mode; NULL: not in the strict mode */
    struct pen_reach *reach;   /* places of nodes that far reads and fetches have looked up, or NULL */
    struct pen_far_state *far; /* state of phases with .far, or NULL */
    pen_observables *observation;
    void *globals; /* the record of app->globals (globals.h), followed by its previous values; or NULL */
    int64_t step;  /* number of finished steps */
    int phase;     /* the next phase; not the first one if a step could not be finished */
    /* The last step has changed nothing (pen_app.end.quiet); equal on all ranks. Looked at only if the run can end by
     * it, after steps whose number is a multiple of PEN_QUIET_STEPS. */
    bool quiet;
    bool pending; /* this rank: the step has done something on which later steps depend, but no record shows it */
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

/* Local, equal on all ranks. Whether the run has ended, or has finished all of its steps, if their number is known. */
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

/* Local. Free the input columns that are not kept. */
void pen_run_end_inputs(pen_run *run);

/* The coordinates in a view of nodes without any: NaN. */
extern const double pen_nowhere[3];

/* Local. Point the view at the store, after the store was made or replaced. */
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

void pen_scratch_free(struct pen_scratch **scratch);

/* Local. Fill scratch memory with this pattern before the next node function gets it. */
void pen_scratch_poison(struct pen_scratch *scratch, unsigned char pattern);

/* Local. Apply a phase, with the view as it is, to owned slots [first, end). */
void pen_run_sweep(pen_run *run, const pen_phase *phase, pen_lid first, pen_lid end);
