/* gain_cache.h - the gains of moving one vertex to any of many processors. What depends only on a processor's cluster
 * is computed once for each cluster, so that further processors of the cluster cost almost nothing. */
#pragma once

#include "partition/minex/placement.h"

/* The weight of receiving in a gain, in relation to loads. */
#define PEN_MINEX_CUT 1e-3

/* What moving the vertex into a cluster changes, whichever processor of the cluster it goes to. */
typedef struct cluster_gain {
    int64_t vertex_number; /* of the vertex that this is about (gain_cache.number) */
    double reading;        /* what all that it reads would cost there */
    double leaving;        /* change of receiving where it is now */
    double new_from;       /* load where it is now */
    double thirds;         /* what changes on third processors is worth */
    int32_t risen;         /* how many of these rise above their load and the limit */
} cluster_gain;

typedef struct gain_cache {
    placement *p;
    int32_t vertex, from;
    double limit;
    bool thirds;
    const table_entry *here; /* of `from`, or NULL */
    double reading;          /* what the vertex's reading costs where it is */
    int64_t number;
    cluster_gain *of_clusters; /* [clusters] */
} gain_cache;

PEN_CHECKED pen_status pen_minex_gains_create(placement *p, gain_cache *s);
void pen_minex_gains_free(gain_cache *s);

/* Local. Begin with a vertex that is somewhere; valid until the next commit. `thirds`: its worth is asked for, where no
 * load is to rise above `limit`. */
void pen_minex_gains_begin(gain_cache *s, int32_t v, bool thirds, double limit);

/* Local. Loads of both processors if the vertex goes to another one; `there` is its entry of that, NULL where it has
 * none. */
void pen_minex_gains_loads(gain_cache *s, int32_t to, const table_entry *there, double *new_from, double *new_to);

/* Local. Gain, and PEN_MINEX_CUT times the change of all receiving; infinity where a load rises too far. */
double pen_minex_gains_worth(gain_cache *s, int32_t to, const table_entry *there);
