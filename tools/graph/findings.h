/* findings.h - the faults of a file, with line and column, up to a limit. All Local.
 *
 * A reader adds the faults of the text. Faults of the graph (loops, duplicates, missing reverses) are added with their
 * arc. A second reading of the file finds their places: after pen_findings_place_begin, the reader calls
 * pen_findings_place for each such arc, and pen_findings_add does nothing. */
#pragma once

#include "base/memory.h"

typedef enum finding_severity {
    FINDING_NOTE, /* the text is legal, but other programs read it differently or refuse it */
    FINDING_ERROR /* the file breaks a rule of its format; the graph has the nearest repair */
} finding_severity;

typedef struct finding {
    int64_t arc;          /* index in the graph's neighbors, -1: none; the first member, because it is the sort key */
    int64_t line, column; /* place in the file, from 1; 0: unknown */
    finding_severity severity;
    char *what; /* description, owned; without file and line */
} finding;

typedef struct findings {
    finding *list; /* [count] the findings */
    int64_t count, capacity;
    int64_t limit;         /* largest number of findings that are kept; further ones are only counted */
    int64_t errors, notes; /* numbers of findings, kept or not */
    int64_t kept_notes;    /* number of notes in the list */
    bool placing;
    int64_t next_arc; /* the arc whose place is searched next, INT64_MAX: none; a reader stops at it */
    int64_t at;       /* while placing: index in the list, which is sorted by arc */
} findings;

enum { FINDINGS_LIMIT = 20 }; /* the default limit */

void pen_findings_init(findings *f, int64_t limit);
void pen_findings_free(findings *f);

/* Record a finding. Beyond the limit findings are only counted, notes before errors; also if memory is exhausted. Does
 * nothing while placing. line, column: 0 if unknown. */
void pen_findings_add(findings *f, finding_severity severity, int64_t line, int64_t column, const char *format, ...)
    PEN_PRINTF(5, 6);
#define PEN_LINE_ERROR(f, line, ...) pen_findings_add(f, FINDING_ERROR, line, 0, __VA_ARGS__)
void pen_findings_add_arc(findings *f, finding_severity severity, int64_t arc, const char *format, ...)
    PEN_PRINTF(4, 5);

/* Whether some findings have no place. If so, read the file again, with these findings, between begin and end. */
bool pen_findings_unplaced(const findings *f);
void pen_findings_place_begin(findings *f);
void pen_findings_place(findings *f, int64_t line, int64_t column); /* set the place of next_arc, which advances */
void pen_findings_place_end(findings *f);

/* Sort by line and column, those without a place last, and print "file:line:column: error: description". */
void pen_findings_print(findings *f, const char *file, FILE *out);

/* The status of the findings: PEN_OK, or PEN_ERR_INPUT with the first error and the number of further ones. */
PEN_CHECKED pen_status pen_findings_status(findings *f, const char *file);
