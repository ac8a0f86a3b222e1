/* findings.h - what is wrong with a file: all of it, with line and column, up to a limit. All Local.
 *
 * A reader adds what the text shows. What only the graph shows (loops, duplicates, missing reverses) is added
 * with the arc that it concerns, and gets its place in the file by reading the file once more: pen_findings_place_begin
 * sorts the arcs, the reader then calls pen_findings_place for each, and pen_findings_add does nothing. */
#pragma once

#include "base/memory.h"

typedef enum finding_severity {
    FINDING_NOTE, /* legal, but other programs will read it differently or refuse it */
    FINDING_ERROR /* the file breaks a rule of its format; what is in the graph is the nearest repair */
} finding_severity;

typedef struct finding {
    int64_t line, column; /* from 1; 0: not known */
    int64_t arc;          /* index into the graph's neighbors, -1: none */
    finding_severity severity;
    char *what; /* owned; without file and line */
} finding;

typedef struct findings {
    finding *list; /* [count] */
    int64_t count, capacity;
    int64_t limit;         /* findings that are kept; what is beyond is only counted */
    int64_t errors, notes; /* found, kept or not */
    bool placing;
    int64_t next_arc; /* the arc that is to be placed next, INT64_MAX: none; a reader stops there */
    int64_t at;       /* while placing: in the list, which is sorted by arc */
} findings;

enum { FINDINGS_LIMIT = 20 }; /* what a user sees unless told otherwise */

void pen_findings_init(findings *f, int64_t limit);
void pen_findings_free(findings *f);

/* Record a finding; of those beyond the limit (first the notes), and where memory is short, only the number is
 * kept. Does nothing while placing. line, column: 0 where not known. */
void pen_findings_add(findings *f, finding_severity severity, int64_t line, int64_t column, const char *format, ...)
    PEN_PRINTF(5, 6);
void pen_findings_add_arc(findings *f, finding_severity severity, int64_t arc, const char *format, ...)
    PEN_PRINTF(4, 5);

/* Whether there is anything to place; then the file is to be read again, with these findings, between begin
 * and end. */
bool pen_findings_unplaced(const findings *f);
void pen_findings_place_begin(findings *f);
void pen_findings_place(findings *f, int64_t line, int64_t column); /* of next_arc, which advances */
void pen_findings_place_end(findings *f);

/* Sort by line and column, what has no place last, and print "file:line:column: error: what". */
void pen_findings_print(findings *f, const char *file, FILE *out);

/* PEN_OK where there are no errors, else PEN_ERR_INPUT with the first one and the number of them as sentence. */
PEN_CHECKED pen_status pen_findings_status(findings *f, const char *file);
