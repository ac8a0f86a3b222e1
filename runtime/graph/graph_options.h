/* graph_options.h - the options that name a graph, the same in all programs that take one. */
#pragma once

#include "base/options.h"
#include "graph/graph.h"

typedef struct pen_graph_options {
    const char *graph; /* the option's argument, FILE[:SETTINGS] */
    const char *generate, *save_graph;
    pen_option table[4], *save; /* the options, and --save-graph among them */
} pen_graph_options;

/* Local. Set the defaults and the table of options. The table points into *options, which must not be moved. */
void pen_graph_options_start(pen_graph_options *options);

/* Local. Whether some option names a graph. */
bool pen_graph_options_named(const pen_graph_options *options);

/* Collective. Read or generate the graph that the options name, and save it if they ask for that. Errors: PEN_ERR_INPUT
 * (no graph is named, or two are); as pen_graph_read, pen_graph_generate, pen_graph_write. */
PEN_CHECKED pen_status pen_graph_options_read(pen_comm *comm, const pen_graph_options *options, pen_graph **graph);

/* Collective. Save `made` if the options say so, and hand it over as *graph. If that fails, it is destroyed. Errors:
 * as pen_graph_write. */
PEN_CHECKED pen_status pen_graph_options_save(const pen_graph_options *options, pen_graph *made, pen_graph **graph);
