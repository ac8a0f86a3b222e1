/* vtu_writer.h - what the writers of .vtu files have in common: one file of all nodes, or of a rank's own. */
#ifndef PEN_OUTPUT_VTU_WRITER_H
#define PEN_OUTPUT_VTU_WRITER_H

#include "output/appended.h"
#include "output/deliver.h"
#include "output/vtu.h"

/* Shadows as points of a piece. */
typedef struct pen_ghosts {
    unsigned char **values; /* [columns] values of each, [shadows] */
    int columns;
} pen_ghosts;

typedef struct pen_vtu_writer {
    const pen_vtu *vtu;
    bool piece;                /* of a rank's own nodes: corners are not shared, */
    const pen_ghosts *ghosts;  /* and there are ghosts, where nodes are points */
    pen_columns columns;       /* the file's, and what else must be known of nodes: */
    int gid, place, sides;     /* gids of a grid's nodes, places, sides of shapes; -1: need not */
    pen_lists lists;           /* lines of the nodes */
    int64_t part, before, all; /* of lines: of this rank's part, of the parts before, of all */
    pen_appended file;
    int points, connectivity, offsets, types, ghost; /* arrays */
    bool wide;                                       /* numbers have 64 bits */
    int64_t connected;                               /* numbers of points in front of the next cell's */
    int64_t *numbers;
    double *places;
    unsigned char *marks;
    int64_t numbers_room, places_room, marks_room;
} pen_vtu_writer;

/* Collective. The file of a writer whose vtu, piece and ghosts are set; pen_vtu_writer_free whatever comes of it.
 * PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_vtu_writer_run(pen_vtu_writer *writer, const char *path, int64_t *bytes);
void pen_vtu_writer_free(pen_vtu_writer *writer);

#endif
