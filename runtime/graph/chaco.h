/* chaco.h - Chaco/METIS text, for the two halves of the reader.
 *
 *     file   := comment* header line{nodes}
 *     header := n m [fmt [ncon]]          fmt: up to three digits 0 or 1
 *     line   := [s] w{ncon} (neighbour [weight])*
 *
 * m counts undirected edges, so the file has 2m neighbours (for a directed graph m or 2m). fmt: units = edge weights,
 * tens = node weights, hundreds = METIS: node sizes; Chaco: every line begins with its node's number, and a line with
 * the same number as the one before continues that node.
 *
 * The reader is strict where the two original readers differ, or accept a file as another graph than it means:
 *     - An empty line is an isolated node. After the last node, empty lines are ignored and others
 *       refused. The last node may be the empty, unterminated line after the file's last newline.
 *     - Comments: METIS: '%' in column 1, anywhere. Chaco: '%' or '#' in column 1, before the header; a
 *       '%' line after it, which Chaco takes for a node, is refused. Text after the numbers of a line,
 *       as in "1 2 % text", is refused; METIS skips it, and with it any error there.
 *     - Numbers are decimal integers of at most 18 digits, "+5" is 5; blanks and tabs separate them;
 *       "\r" only before "\n" or at the end.
 *     - Empty lines before the header: Chaco skips them, METIS refuses them.
 *     - Neither dialect takes fmt digits beyond 0 and 1, weights of 0 on edges, real numbers, n = 0. */
#pragma once

#include "base/per_rank.h"
#include "graph/graph.h"

typedef struct pen_chaco_header {
    int64_t nodes, edges; /* numbers of nodes and edges, n and m */
    int64_t weight_count; /* number of weights per node */
    bool sizes, labels, edge_weights;
    bool comments;        /* lines that begin with '%' after the header are comments */
    bool ends_in_newline; /* the file ends in a newline, or with the header */
    int64_t line;         /* number of the header's line, from 1 */
    int64_t body, size;   /* offset of the first node's line in the file, and the size of the file, in bytes */
} pen_chaco_header;

/* The results of one rank's part of the text. Lines count from 0 at the part's first line. The first error,
 * and data after an empty line, come after the rows that are in the graph. */
typedef struct pen_chaco_part {
    int64_t begin, end; /* the part has the lines that begin at bytes [begin, end) of the file */
    /* Number of complete rows, at most header->nodes; rows that exceed the graph's nodes are dropped later. */
    int64_t count;
    int64_t lines;      /* number of lines that begin in this part, including comments */
    int64_t blank_line; /* if lines cannot be empty: the first empty line after the rows, else -1 */
    int64_t data_line;  /* the first line after blank_line that is not empty, else -1 */
    pen_status status;
    int64_t fault_line; /* line of the first error in the text (PEN_ERR_INPUT) */
    char fault[256];    /* the error, without file and line */
} pen_chaco_part;

/* Collective. Like pen_graph_read and pen_graph_write, for Chaco and METIS files; options are not NULL. */
PEN_CHECKED pen_status pen_chaco_read(MPI_Comm comm, const char *path, const pen_read_options *options,
                                      pen_graph **graph);
PEN_CHECKED pen_status pen_chaco_write(const pen_graph *graph, const char *path);

/* Local. Interpret the numbers of a header. False: reading cannot continue, for the reason *fault. If true, *fault is
 * NULL or says why the header is wrong; reading continues with its most likely meaning. */
bool pen_chaco_meaning(const int64_t *numbers, int count, pen_dialect dialect, pen_chaco_header *header,
                       const char **fault);

/* Whether `times` * `each` numbers, with separators, fit into `bytes` bytes. */
static inline bool pen_chaco_plausible(int64_t times, int64_t each, int64_t bytes)
{
    return each == 0 || times <= bytes / 2 / each;
}

enum {
    PEN_CHACO_DIGITS = 18, /* every number of so many decimal digits fits into 64 bits */
    /* Bytes by which a header's graph may exceed the file; parsing then gives a clearer message. */
    PEN_CHACO_SLACK = 4096
};

/* Local. Read the header and compare it with the file's size, so that memory for the announced graph can be allocated.
 */
PEN_CHECKED pen_status pen_chaco_read_header(const char *path, pen_dialect dialect, bool directed,
                                             pen_chaco_header *header);

/* Local. Read the lines that begin in [part->begin, part->end) into the graph's rows, neighbors and
 * weights, which must be NULL; sets everything else in *part, part->status and part->fault included. */
void pen_chaco_parse(const char *path, const pen_chaco_header *header, pen_graph *graph, pen_chaco_part *part);

/* Local. The number of the line, from 0 at the part's first line, that has a row of the part. The file is read again;
 * -1 if that fails. */
int64_t pen_chaco_line(const char *path, const pen_chaco_header *header, const pen_chaco_part *part, int64_t row);

/* Bytes that are read at once, >= 1. Tests change it. */
extern PEN_PER_RANK int64_t pen_chaco_chunk;
