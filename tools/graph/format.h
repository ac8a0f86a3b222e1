/* format.h - the description of a file format. A format is one file (or two), and one line in the table (formats.c). */
#pragma once

#include "base/scanner.h"
#include "tools/common/writer.h"
#include "tools/graph/file_graph.h"
#include "tools/graph/findings.h"

/* Options of reading; a format ignores those of others. Zero (NULL) is the default. */
typedef struct format_options {
    bool directed;   /* entries of the file are arcs: no reverse is expected or added */
    bool nodal;      /* for a mesh: read the nodal graph, not the dual */
    int64_t common;  /* for a mesh's dual: number of nodes that two neighbouring elements share; 0: 1, as in METIS */
    bool values;     /* take the values of a matrix as edge weights (integers only) */
    const char *map; /* path of the id map that `convert` writes, NULL: none */
    weight_rule weights;       /* weight of edges that occur several times in the file */
    bool reals;                /* set the graph's `values`, if the file has weights */
    const char *weight_column; /* for CSV, name of the column of weights; "": none; NULL: guess */
} format_options;

typedef struct graph_format graph_format;
struct graph_format {
    const char *name;    /* name, such as "metis" */
    const char *endings; /* endings of files, such as ".graph .metis", most usual first; "": there are none */
    const char *summary; /* summary, one line */
    unsigned holds;      /* HOLDS_... bits of the properties that the format can hold. */
    bool places;         /* the reader calls pen_findings_place */

    /* Read the whole input into *g, which is zero except for its base of 1. Errors are added to `f`, and reading
     * continues; where it cannot, the result is PEN_ERR_INPUT, with a finding. The caller frees *g, also after a
     * failure. Memory is proportional to the input, whatever its header says. NULL: the format cannot be read. */
    pen_status (*read)(const graph_format *format, pen_scanner *in, const format_options *options, file_graph *g,
                       findings *f);

    /* Write *g; arrays that the format does not hold are ignored. With HOLDS_ORDER, neighbour order is kept. Failures
     * of `out` need no check. NULL: the format cannot be written. */
    pen_status (*write)(const graph_format *format, const file_graph *g, writer *out);

    bool python; /* the Python package reads and writes the files */

    /* Read and write a format whose files are not streams, instead of `read` and `write`. Writing uses *g up: only its
     * number of nodes, names and values are left. */
    pen_status (*read_path)(const char *path, const format_options *options, file_graph *g, findings *f);
    pen_status (*write_path)(file_graph *g, const char *path);
};
