/* part.h - a part: one feature of a run, with its state, its hooks, and what it keeps of each node. The core (phases,
 * store, halo, changes of the graph) knows no part. It calls the hooks of the parts that a run has, in the order of one
 * table (loop/parts.c). A part that is off is not among them. */
#pragma once

#include "base/coder.h"
#include "base/part_option.h"

struct pen_change;
struct pen_report;

/* Why a run has ended before all of its steps were done. If there are several reasons, the last one here counts. */
typedef enum pen_end { PEN_END_OPEN, PEN_END_UNTIL, PEN_END_DONE } pen_end;

/* Values that a part keeps for each node. Migrations, changes of the graph and checkpoints carry them. `state` may be
 * all zeros. */
typedef struct pen_node_column {
    const char *name; /* name in checkpoints, unique among all columns; NULL ends a table */

    /* Bytes of a node, a multiple of 8, equal on all ranks and constant from .begin on; 0: the column is not there. */
    size_t (*bytes)(const void *state);

    /* The offset in the state of the pointer to the array, [owned * bytes] by slot. The core makes the array after
     * .begin, zeros at first, replaces it when nodes get other slots, and frees it. */
    size_t at;

    /* Whether the values move to another rank with their node; NULL: always. If not, a migration makes all values zero.
     * Equal on all ranks. A change of the graph always carries them. */
    bool (*ships)(const void *state);

    bool of_balancer; /* a replay of a record has values of its own balancer instead: records do not count the bytes */

    bool inherits; /* a new node gets the values of the node that requested it, else zeros */

    bool saved; /* checkpoints have the column, if `useful` */
    bool (*useful)(const pen_run *run,
                   const void *state); /* whether the values are of use in a checkpoint; NULL: always */
} pen_node_column;

/* The list of a node of this rank: data of a part whose length varies. */
typedef struct pen_node_list {
    pen_lid slot; /* the first member: lists are sorted by it */
    int64_t count;
    const int64_t *words; /* [count] */
} pen_node_list;

/* All hooks may be NULL. Except where they say "equal on all ranks", a hook's status may differ between ranks if it is
 * Local, and the caller agrees on it. */
typedef struct pen_part {
    const char *name;
    size_t state_size;              /* bytes of the state, which is initially zero */
    const pen_node_column *columns; /* columns, ending with a name NULL; NULL: none */
    const pen_part_option *options; /* options, ending with an entry that has neither name nor member; NULL: none */

    /* Whether a run has the part: if the member that its first option sets is neither 0 nor NULL; or if .wanted says
     * so, which is Local. With neither, every run has it; but a part with options of its own only if the command line
     * gives one of them. */
    bool first_decides;
    bool moves; /* it may move nodes to other ranks, or records the bytes of nodes that move */
    bool (*wanted)(const pen_app *app, const pen_run_options *options);

    /* The beginning of a run. Local, after .setup: check the options, which the other hooks of the beginning get, too.
     * Collective: before the graph is distributed, which the part may change; when nodes have slots; and when the first
     * state exists. In a resumed run that is the state of the checkpoint. */
    pen_status (*open)(pen_run *run, void *state, const pen_run_options *options);
    pen_status (*create)(pen_run *run, void *state, const pen_run_options *options, pen_graph *graph);
    pen_status (*begin)(pen_run *run, void *state, const pen_run_options *options);
    pen_status (*ready)(pen_run *run, void *state, const pen_run_options *options);

    /* A call of pen_run_steps begins, for so many steps: Local. It ends, with this status: Collective. */
    void (*enter)(pen_run *run, void *state, int64_t steps);
    pen_status (*leave)(pen_run *run, void *state, pen_status status);

    /* Collective. Before a step, unless it goes on after a phase that failed; after its phases, which took `spent`
     * ticks in node functions, before run->step counts it; and after it, when observables and globals have their
     * values. If that fails, the other parts follow nevertheless, and outputs are written. */
    pen_status (*before_step)(pen_run *run, void *state);
    pen_status (*after_phases)(pen_run *run, void *state, uint64_t spent);
    pen_status (*after_step)(pen_run *run, void *state);

    /* Local. run->phase is about to compute its nodes; and it has computed them, and its shadows have arrived, but the
     * planes are not swapped yet. A phase that fails does not end. */
    void (*before_phase)(pen_run *run, void *state);
    void (*after_phase)(pen_run *run, void *state);

    /* Collective, after a phase or .init has computed its nodes, and .after_phase. Records are not current yet, and the
     * graph is the one before. The last hook that can make the phase fail, unless it changes the graph. */
    pen_status (*exchange)(pen_run *run, void *state, const pen_phase *phase);

    /* Local. The phase or .init has succeeded: its records are current. */
    void (*finish_phase)(pen_run *run, void *state, const pen_phase *phase);

    /* Local. Let the nodes of this rank contribute to the observables of an evaluation (observe/observation.h); false:
     * all nodes must be asked. */
    bool (*contribute)(pen_run *run, void *state, int evaluation, pen_observe_fn *observe);

    /* Local. Observables and globals have their values: of the first state, again if records were put into it, or after
     * a step; and whether the run ends with these values. Both before .after_step. */
    void (*observed)(pen_run *run, void *state);
    pen_end (*ends)(const pen_run *run, const void *state);

    /* Collective. Write what is due of the first state, when the first step is about to begin, and of that after each
     * step. A failure ends the call of pen_run_steps; only PEN_ERR_MPI prevents the following parts from writing. */
    pen_status (*write)(pen_run *run, void *state);

    /* Collective, before a checkpoint is written. Bring all that the part has written so far to the disk. */
    pen_status (*settle)(pen_run *run, void *state);

    /* Local. Some node may be about to move to another rank: bring the columns up to date. */
    void (*before_moves)(pen_run *run, void *state);

    /* Nodes get other owners or slots (store/change.h). Collective: allocate memory; the halo is that of the nodes
     * after the change, and the status is equal on all ranks. Then, Local: the change takes place, columns belong to
     * the nodes after the change, and run->store is still the old one; or the change does not take place. */
    pen_status (*prepare_change)(pen_run *run, void *state, const struct pen_change *change);
    void (*commit_change)(pen_run *run, void *state, const struct pen_change *change);
    void (*undo_change)(pen_run *run, void *state);

    /* Local. The part's data in a checkpoint: those that are equal on all ranks, which only rank 0 writes, and all
     * ranks read; and those of this rank, which are read only by as many ranks with the same nodes. Impossible values
     * set coder->in->wrong. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED. */
    pen_status (*code)(pen_coder *coder, pen_run *run, void *state);
    pen_status (*code_rank)(pen_coder *coder, pen_run *run, void *state);

    /* Local, when a resumed run has all data of its checkpoint. `found`: the checkpoint had data of this part; `stays`:
     * nodes are on the ranks that wrote them. */
    void (*resumed)(pen_run *run, void *state, bool found, bool stays);

    /* Local. What a part keeps for each node, if its length varies: the number of its 64-bit words, 0 if there is
     * nothing; and the words. They are in checkpoints, and count among the bytes that move with the node; that is the
     * part's own work. Of a checkpoint: take those of this rank's nodes, ascending by slot, each at most once.
     * PEN_ERR_MEMORY, PEN_ERR_INPUT (impossible values). */
    int64_t (*list_words)(const void *state, pen_lid slot);
    void (*pack_list)(const void *state, pen_lid slot, int64_t *to);
    pen_status (*take_lists)(pen_run *run, void *state, int64_t count, const pen_node_list *lists);

    /* Collective, before metrics and the summary. Gather what they print. */
    pen_status (*gather)(pen_run *run, void *state);

    /* Local, on rank 0: members of the metrics, each after ",\n  "; `state` is NULL if the part is off; and lines
     * of the summary. */
    void (*metrics)(FILE *out, const pen_run *run, const void *state, const struct pen_report *report);
    void (*summary)(FILE *out, const pen_run *run, const void *state, const struct pen_report *report);

    /* The end of a run, in the reverse order of the table. Collective: the run is still whole, and the status is
     * reported only. Local: free what the state refers to, even if no other hook has been called. Store and halo are
     * gone. */
    pen_status (*finish)(pen_run *run, void *state);
    void (*destroy)(pen_run *run, void *state);
} pen_part;

/* A part that a run has. */
typedef struct pen_run_part {
    const pen_part *part; /* the part; NULL ends the list */
    void *state;
    bool found[2]; /* whether the checkpoint of a resumed run has data of .code, and of .code_rank */
} pen_run_part;

/* For the parts of a run that have a hook. */
#define PEN_FOR_PARTS(of, run, hook)                            \
    for (const pen_run_part *of = (run)->parts; of->part; of++) \
        if (of->part->hook)

/* For the columns of the parts of a run. */
#define PEN_FOR_COLUMNS(column, of, run)                        \
    for (const pen_run_part *of = (run)->parts; of->part; of++) \
        for (const pen_node_column *column = of->part->columns; column && column->name; column++)
