/* traps.h - the view of one node for the strict mode, in which a wrong access is a fault, and a fault tells what was
 * wrong.
 *
 * Tables of the view end where no memory is, so that an index beyond them is a fault. What a normal view has no pointer
 * for (edge fields that are not written, input columns that are gone, far nodes in a phase without .far) points to
 * addresses without memory. And the view can have other numbers: slots and arcs are counted from about 2^30 on, and all
 * pointers are moved back by as many records. So whoever goes by the view finds the same records. A type of another
 * size than the field's leads far away from its plane, where no memory is; so does a table that is indexed by slots,
 * which mean nothing beyond a call. */
#ifndef PEN_TRAPS_H
#define PEN_TRAPS_H

#include "base/guarded.h"
#include "run/state.h"

/* The memory of planes has so much without access around it: types may have 500 bytes too many. */
enum { PEN_TRAP_GAP = 1 << 16 };
#define PEN_TRAP_GUARD ((size_t)1 << 39)

typedef struct pen_traps {
    const pen_run *run;
    pen_guarded current, next, far, sizes, edges, own_edges, inputs; /* tables of the view */
    pen_guarded nowhere;                                             /* addresses without memory */
    pen_guarded no_slots;                                            /* zeroes, for a phase without .far */
    int64_t *no_wishes;                                              /* [owned+1] zeroes */
    int64_t first_slot, first_arc;                                   /* of the other numbers */
    uint32_t *rows;                                                  /* of the view with the other numbers */
    pen_lid *columns, *far_slots;
    pen_far far_view;
} pen_traps;

/* What the tables of a view point to, in the usual numbers. */
typedef struct pen_trap_planes {
    const void **current, **far; /* [fields] */
    void **next;                 /* [fields] */
    const pen_far *far_view;     /* its records are those of `far`; NULL: the phase has no .far */
} pen_trap_planes;

/* Local. PEN_ERR_MEMORY. pen_traps_free also after a failure. */
PEN_CHECKED pen_status pen_traps_create(const pen_run *run, pen_traps *traps);
void pen_traps_free(pen_traps *traps);

/* Local, before a phase: the graph may have changed. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_traps_make(pen_traps *traps);

/* Local. The other numbers of `count` far nodes. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_traps_add_far(pen_traps *traps, const pen_far *far, int64_t count);

/* Local. The view of a slot, with the usual numbers or the other ones; valid until the next call. */
pen_view pen_traps_view(pen_traps *traps, pen_lid slot, const pen_trap_planes *planes, bool other);

/* Local. What a fault with that last view was, in words, as "field sum: ..."; an empty text: not known. */
void pen_traps_explain(const pen_traps *traps, const pen_view *view, const pen_fault *fault, char *text, size_t size);

#endif
