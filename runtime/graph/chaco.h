/* chaco.h - Chaco/METIS text: one parser for the strict reader of the library and the tolerant one of pen-graph.
 *
 *     file   := comment* header line{nodes}
 *     header := n m [fmt [ncon]]          fmt: up to three digits 0 or 1
 *     line   := [s] w{ncon} (neighbour [weight])*
 *
 * m counts undirected edges, so the file has 2m neighbours (for a directed graph m or 2m). fmt: units = edge weights,
 * tens = node weights, hundreds = METIS: node sizes; Chaco: every line begins with its node's number, and a line with
 * the same number as the one before continues that node.
 *
 * The grammar is strict where the two original readers differ, or accept a file as another graph than it means:
 *     - An empty line is an isolated node. After the last node, empty lines are ignored and others
 *       refused. The last node may be the empty, unterminated line after the file's last newline.
 *     - Comments: METIS: '%' in column 1, anywhere. Chaco: '%' or '#' in column 1, before the header; a
 *       '%' line after it, which Chaco takes for a node, is refused. Text after the numbers of a line,
 *       as in "1 2 % text", is refused; METIS skips it, and with it any error there.
 *     - Numbers are decimal integers of at most 18 digits, "+5" is 5; blanks and tabs separate them;
 *       "\r" only before "\n" or at the end.
 *     - Empty lines before the header: Chaco skips them, METIS refuses them.
 *     - Neither dialect takes fmt digits beyond 0 and 1, weights of 0 on edges, real numbers, n = 0.
 *
 * The tolerant reader gets each error, and the parser goes on with the nearest repair:
 *     - a bad number becomes a weight of 1, or the neighbour is dropped;
 *     - text after a line's numbers is skipped, as are comments in the wrong place;
 *     - an empty line instead of a node's weights is a node with weights of 1, if more nodes follow;
 *     - lines after the last node are not read. */
#pragma once

#include "base/scanner.h"
#include "graph/graph.h"

typedef struct pen_chaco_header {
    int64_t nodes, edges; /* numbers of nodes and edges, n and m */
    int64_t format;       /* fmt, 0 if it is not there */
    int64_t weight_count; /* number of weights per node */
    bool sizes, labels, edge_weights;
    bool ends_in_newline; /* the file ends in a newline, or with the header */
    int64_t line;         /* number of the header's line, from 1 */
    int64_t body, size;   /* offset of the first node's line in the file, and the size of the file, in bytes */
} pen_chaco_header;

/* A parser, and what it has read. */
typedef struct pen_chaco_parser {
    /* Set these before the header is read. */
    pen_scanner *in;
    pen_dialect dialect;
    bool without_sizes; /* fmt 100 has another meaning than sizes */
    bool strict;        /* parsing ends at the first error */
    void *context;
    /* Gets an error, or a note about what other programs refuse. `what` is without file and line; column 0: none. */
    void (*found)(void *context, bool is_error, int64_t line, int64_t column, const char *what);
    /* When as many neighbours as *place_of have been read, `place` gets the place of the next one; NULL: never. */
    const int64_t *place_of;
    void (*place)(void *context, int64_t line, int64_t column);

    pen_chaco_header header;
    int64_t count; /* number of complete rows, at most header.nodes */
    int64_t arcs;  /* number of neighbours in the rows */
    int64_t *rows, *neighbors, *edge_weights, *node_weights, *node_sizes; /* as in pen_graph; they are the caller's */
    int64_t dropped;    /* number of neighbours that are wrong, and not in the rows */
    int64_t blank_line; /* the first empty line after the rows, if lines cannot be empty; else 0 */
    int64_t data_line;  /* strict: the first line after blank_line that is not empty; else 0 */
    bool over;          /* parsing has ended at an error, or at data after the last node */
    bool in_row;        /* this error is in the line of a node */

    /* The members from here on are private to parse_chaco.c. */
    int64_t fields;              /* number of numbers before the neighbours of a line */
    int64_t blanks;              /* number of empty lines that may be nodes */
    int64_t row_room, arc_room;  /* numbers of rows and neighbours for which there is memory */
    bool zero_weights, comments; /* weights of 0, or comments, have been noted already */
} pen_chaco_parser;

/* Local. Read the header. PEN_ERR_INPUT, after an error was found: reading cannot continue. */
PEN_CHECKED pen_status pen_chaco_parse_header(pen_chaco_parser *p);

/* Local. Read the lines that begin before the offset `end` of the text. `share`: the expected share of the graph that
 * they have, 0 to 1. Strict: with an error in p->over. PEN_ERR_MEMORY; PEN_ERR_INPUT: the header announces more than
 * the text has. */
PEN_CHECKED pen_status pen_chaco_parse_lines(pen_chaco_parser *p, int64_t end, double share);

/* Local. Add nodes without neighbours and with weights of 1, at most as many as are missing. PEN_ERR_MEMORY,
 * PEN_ERR_INPUT likewise. */
PEN_CHECKED pen_status pen_chaco_add_isolated(pen_chaco_parser *p, int64_t count);

/* Local. Give back memory that is not used. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_chaco_shrink(pen_chaco_parser *p);

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
    bool fault_in_row;  /* this line would be the row after `count` */
    char fault[256];    /* the error, without file and line */
} pen_chaco_part;

/* Collective. Like pen_graph_read and pen_graph_write, for Chaco and METIS files; options are not NULL. */
PEN_CHECKED pen_status pen_chaco_read(MPI_Comm comm, const char *path, const pen_read_options *options,
                                      pen_graph **graph);
PEN_CHECKED pen_status pen_chaco_write(const pen_graph *graph, const char *path);

/* Whether `times` * `each` numbers, with separators, fit into `bytes` bytes. */
static inline bool pen_chaco_plausible(int64_t times, int64_t each, int64_t bytes)
{
    return each == 0 || times <= bytes / 2 / each;
}

/* Bytes by which a header's graph may exceed the file; parsing then gives a clearer message. */
enum { PEN_CHACO_SLACK = 4096 };

/* Local. Read the header and compare it with the file's size, so that memory for the announced graph can be allocated.
 */
PEN_CHECKED pen_status pen_chaco_read_header(const char *path, pen_dialect dialect, bool directed,
                                             pen_chaco_header *header);

/* Local. Read the lines that begin in [part->begin, part->end) into the graph's rows, neighbors and
 * weights, which must be NULL; sets everything else in *part, part->status and part->fault included. */
void pen_chaco_read_part(const char *path, const pen_chaco_header *header, pen_dialect dialect, pen_graph *graph,
                         pen_chaco_part *part);

/* Local. The number of the line, from 0 at the part's first line, that has a row of the part. The file is read again;
 * -1 if that fails. */
int64_t pen_chaco_line(const char *path, const pen_chaco_header *header, pen_dialect dialect,
                       const pen_chaco_part *part, int64_t row);
