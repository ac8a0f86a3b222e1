/* parts.h - the parts of a run (part.h): made, found, called, and freed. */
#pragma once

#include "base/option_values.h"
#include "run/state.h"

/* Local. Find the parts of a table, which ends with NULL, that the options and the command line want, and open them.
 * PEN_ERR_MEMORY, PEN_ERR_INPUT, and errors of the parts. */
PEN_CHECKED pen_status pen_parts_open(pen_run *run, const pen_run_options *options, const pen_part *const *table,
                                      const pen_words *words);

/* Local. Note the values of all options, those of the parts too, for the metrics. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_parts_note_options(pen_run *run, pen_option_at *at, const pen_run_options *options);

/* Collective. Call the hooks of the beginning; .begin also makes the columns. Errors of the parts. */
PEN_CHECKED pen_status pen_parts_create(pen_run *run, const pen_run_options *options, pen_graph *graph);
PEN_CHECKED pen_status pen_parts_begin(pen_run *run, const pen_run_options *options);
PEN_CHECKED pen_status pen_parts_ready(pen_run *run, const pen_run_options *options);

/* Collective. Call .finish, with one line on standard error for each failure; and, Local, .destroy. */
void pen_parts_finish(pen_run *run);
void pen_parts_destroy(pen_run *run);

/* Local. Describe the columns of the parts to the store, before a change of the store; and, after pen_change_carry,
 * give the parts their arrays. */
void pen_parts_take(const pen_run *run);
void pen_parts_describe(const pen_run *run);

/* Local. The array of a column, and let the part have another one. */
static inline void *pen_column_get(const pen_node_column *column, const void *state)
{
    void *array;
    memcpy(&array, (const char *)state + column->at, sizeof array);
    return array;
}
static inline void pen_column_set(const pen_node_column *column, void *state, void *array)
{
    memcpy((char *)state + column->at, &array, sizeof array);
}

/* Local. Code what the parts keep in a checkpoint: of each part with data its name, their length, and the data; with
 * `of_rank` those of .code_rank, else those of .code. Reading passes over the data of parts that the run does not have.
 * After both have been read, pen_parts_resumed calls .resumed. PEN_ERR_MEMORY, and errors of the parts. */
PEN_CHECKED pen_status pen_parts_code(pen_coder *coder, pen_run *run, bool of_rank);
void pen_parts_resumed(pen_run *run, bool stays);

/* Local. The bytes that move with a node, as given to balancers and the record. */
pen_row_format pen_run_row_format(const pen_run *run);

/* Collective. The mean bytes of a node's lists (part.h), which move with it, too: 0 without a call of MPI if no part has
 * any. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_run_list_bytes(const pen_run *run, int64_t *bytes);

/* Local. The state of a part; NULL: the run does not have the part. */
void *pen_part_state(const pen_run *run, const pen_part *part);
