/* survey.h - what moves of one vertex would change, for many processors that it could go to. What depends on a
 * processor's cluster only is found once for each cluster, so that a further processor of it costs next to nothing. */
#pragma once

#include "partition/minex/placement.h"

/* What receiving is worth in a move, beside the loads. */
#define PEN_MINEX_CUT 1e-3

/* What moving the vertex into a cluster changes wherever in it. */
typedef struct aspect {
    int64_t survey;  /* the one that it was found in */
    double reading;  /* what all that it reads would cost there */
    double leaving;  /* change of receiving where it is now */
    double new_from; /* load where it is now */
    double thirds;   /* what changes on third processors is worth */
    int32_t risen;   /* how many of these rise above their load and the limit */
} aspect;

typedef struct survey {
    placement *p;
    int32_t vertex, from;
    double limit;
    bool thirds;
    const table_entry *here; /* of `from`, or NULL */
    double reading;          /* what the vertex's reading costs where it is */
    int64_t number;
    aspect *aspects; /* [clusters] */
} survey;

PEN_CHECKED pen_status pen_minex_survey_create(placement *p, survey *s);
void pen_minex_survey_free(survey *s);

/* Local. Begin with a vertex that is somewhere; valid until the next commit. `thirds`: its worth is asked for, where no
 * load is to rise above `limit`. */
void pen_minex_survey_begin(survey *s, int32_t v, bool thirds, double limit);

/* Local. Loads of both processors if the vertex goes to another one; `there` is its entry of that, NULL where it has
 * none. */
void pen_minex_survey_loads(survey *s, int32_t to, const table_entry *there, double *new_from, double *new_to);

/* Local. Gain, and PEN_MINEX_CUT times the change of all receiving; infinity where a load rises too far. */
double pen_minex_survey_worth(survey *s, int32_t to, const table_entry *there);
