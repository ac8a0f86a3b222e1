/* report.h - prints tables of results, as text, CSV, JSON or LaTeX. All Local. */
#pragma once

#include "base/json.h"
#include "tools/common/writer.h"

typedef enum sim_format { SIM_TEXT, SIM_CSV, SIM_JSON, SIM_LATEX } sim_format;

enum { SIM_CELL = 256 };

typedef struct sim_cell {
    char text[SIM_CELL]; /* text of the cell, cut off if longer */
    bool number;
} sim_cell;

typedef struct sim_table {
    const char *title;
    int columns;
    sim_cell *cells; /* [count] cells, beginning with the names of the columns */
    int64_t count, room;
    pen_status status; /* the first failure; nothing is added after it */
} sim_table;

/* Begin a table with columns, whose names are separated by commas; "": none yet. Add further columns, then the rows
 * cell by cell. pen_sim_report_table prints and frees the table. */
void pen_sim_table_begin(sim_table *table, const char *title, const char *columns);
#define pen_sim_table_column(t, ...) (pen_sim_table_text((t), __VA_ARGS__), (void)(t)->columns++)
void pen_sim_table_text(sim_table *table, const char *format, ...) PEN_PRINTF(2, 3);
void pen_sim_table_number(sim_table *table, int decimals, double value); /* adds an empty cell if the value is NAN */

/* Keep columns[0 .. count) of a table, in this order. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_sim_table_choose(sim_table *table, const int *columns, int count);

/* A report: tables one after the other, on standard output, or in a file, which is written at the end. */
typedef struct sim_report {
    sim_format format;
    const char *path;
    FILE *out;
    json json;
    char *text;
    size_t size;
    int tables;
} sim_report;

/* Begin a report. PEN_ERR_INPUT: the format is not "text", "csv", "json" or "latex"; PEN_ERR_MEMORY; and errors
 * of pen_writer_try. */
PEN_CHECKED pen_status pen_sim_report_begin(sim_report *report, const char *format, const char *path);

/* Print the table if `status` is PEN_OK, and free it. Returns `status`, or the table's first failure. */
PEN_CHECKED pen_status pen_sim_report_table(sim_report *report, sim_table *table, pen_status status);

/* Write the file. Returns `status` or, if that is PEN_OK, the status of writing. */
PEN_CHECKED pen_status pen_sim_report_end(sim_report *report, pen_status status);
