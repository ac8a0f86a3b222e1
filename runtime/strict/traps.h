/* traps.h - a node's view in the strict mode. In it a wrong access causes a fault, and the fault tells what was wrong.
 *
 * Each table of the view ends at an inaccessible page, so that an index beyond the table faults. Some pointers are
 * missing in a normal view: edge fields that are not written, input columns that are gone, far nodes in a phase
 * without .far. In this view they point to addresses without memory. The view can also use other numbers: slots and
 * arcs are counted from about 2^30, and all pointers are moved back by as many records. Code that uses the view
 * correctly finds the same records. Code that uses a type of the wrong size ends far outside the plane, where there is
 * no memory. So does code that indexes its own table by slots, which mean nothing after the call. The other numbers are
 * greater by one in each phase, as if nodes had moved: so a node finds in such a table, with whatever hash, what the
 * next one has left there. */
#pragma once

#include "base/status.h"
#include "run/state.h"

/* Memory between inaccessible pages, and calls that may touch these pages without ending the process. */

typedef struct pen_guarded {
    unsigned char *memory; /* ends at the first inaccessible page after it */
    unsigned char *mapped;
    size_t mapped_bytes;
} pen_guarded;

/* Local. `bytes` >= 0 bytes of zeroes. Touching memory before or after them is a fault, within `guard` bytes if the
 * system permits so many; these cost no memory. Replaces the previous contents. PEN_ERR_MEMORY: then it is empty. */
PEN_CHECKED pen_status pen_guarded_make(int64_t bytes, size_t guard, pen_guarded *guarded);
void pen_guarded_free(pen_guarded *guarded);

/* Why a call has ended: a signal (0: it has returned), and the accessed address. */
typedef struct pen_fault {
    int signal;
    uintptr_t address;
    bool below_stack; /* the address is where this thread's stack ends */
} pen_fault;

/* Local. Between these two calls, pen_guarded_call catches SIGSEGV, SIGBUS and SIGFPE of this thread, on a stack of
 * their own; all other signals keep their handlers. The calls come in pairs and are not nested. */
void pen_guard_begin(void);
void pen_guard_end(void);

/* Local, between these two. Call a function. A fault ends the call; resources that it held are lost. */
pen_fault pen_guarded_call(void (*function)(void *context), void *context);

/* Bytes without access around the memory of planes: a type may be 500 bytes too large and is still detected. */
enum { PEN_TRAP_GAP = 1 << 16 };

/* So many different other numbers of the first slot, of an arc likewise. */
enum { PEN_TRAP_NUMBERS = 1 << 10 };
#define PEN_TRAP_GUARD ((size_t)1 << 39)

typedef struct pen_traps {
    const pen_run *run;
    pen_guarded far, sizes, edges, own_edges, inputs; /* tables of the view */
    pen_guarded nowhere;                              /* addresses without memory */
    pen_guarded no_slots;                             /* zeroes, for a phase without .far */
    int64_t *no_wishes;                               /* [owned+1] zeroes */
    int64_t made;                                     /* how often they were made */
    int64_t first_slot, first_arc;                    /* of the other numbers */
    uint32_t *rows;                                   /* of the view with the other numbers */
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

/* Local. The view of a slot, with the usual numbers or the other ones. It is valid until the next call. */
pen_view pen_traps_view(pen_traps *traps, pen_lid slot, const pen_trap_planes *planes, bool other);

/* Local. Describes a fault in the last view, such as "field sum: ...". An empty text: unknown. */
void pen_traps_explain(const pen_traps *traps, const pen_view *view, const pen_fault *fault, char *text, size_t size);
