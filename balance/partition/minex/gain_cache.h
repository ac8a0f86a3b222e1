/* gain_cache.h - the gains of moving one vertex to any of many processors. Values that depend only on a processor's
 * cluster are computed once for each cluster, so that further processors of the cluster cost almost nothing. */
#pragma once

#include "partition/minex/placement.h"

/* The weight of receiving in a gain, in relation to loads. */
#define PEN_MINEX_CUT 1e-3

/* The changes if the vertex moves to a cluster, which are the same for all processors of the cluster. */
typedef struct cluster_gain {
    int64_t vertex_number; /* number of the vertex for which this is valid (gain_cache.number) */
    double reading;        /* cost of all that the vertex reads, if it is in this cluster */
    double leaving;        /* change of receiving on the vertex's present processor */
    double new_from;       /* new load of the vertex's present processor */
    double thirds;         /* worth of the changes on third processors */
    int32_t risen;         /* number of third processors whose load rises, and above the limit */
} cluster_gain;

typedef struct gain_cache {
    placement *p;
    int32_t vertex, from;
    double limit;
    bool thirds;
    const table_entry *here; /* the vertex's table entry for `from`, or NULL */
    double reading;          /* cost of what the vertex reads on its present processor */
    int64_t number;
    cluster_gain *of_clusters; /* [clusters] the changes for each cluster */
} gain_cache;

PEN_CHECKED pen_status pen_minex_gains_create(placement *p, gain_cache *s);
void pen_minex_gains_free(gain_cache *s);

/* Local. Begin with a vertex that has a processor; valid until the next commit. `thirds`: pen_minex_gains_worth will be
 * called, where loads must not rise above `limit`. */
void pen_minex_gains_begin(gain_cache *s, int32_t v, bool thirds, double limit);

/* Local. Compute the loads of both processors if the vertex moves to another one. `there` is the vertex's entry of that
 * processor, NULL if it has none. */
void pen_minex_gains_loads(gain_cache *s, int32_t to, const table_entry *there, double *new_from, double *new_to);

/* Local. The worth of a move: Gain, plus PEN_MINEX_CUT times the change of all receiving; infinity if a load rises
 * above the limit. */
double pen_minex_gains_worth(gain_cache *s, int32_t to, const table_entry *there);
