/* mesh_files.h - reads an unstructured mesh from two NumPy files: this rank's rows of both. */
#pragma once

#include "base/comm.h"

/* A mesh in memory of its own. */
typedef struct pen_mesh_rows {
    pen_mesh mesh;
    double *points;
    int64_t *rows, *corners;
} pen_mesh_rows;

/* Local. Read this rank's rows of the files in "POINTS:CELLS[:surface]" (pen_output_options.mesh). Call
 * pen_mesh_rows_free also after a failure. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_mesh_rows_read(const pen_comm *comm, const char *text, pen_mesh_rows *rows);
void pen_mesh_rows_free(pen_mesh_rows *rows);
