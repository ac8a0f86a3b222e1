/* traps.h - a node's view in the strict mode, in which a wrong access causes a fault whose address shows the mistake.
 *
 * Each table of the view ends at an inaccessible page, so that an index beyond the table faults. Some pointers are
 * missing in a normal view: edge fields that are not written, input columns that are gone, far nodes in a phase without
 * .far. In this view they point to addresses without memory. The view can also use other numbers: slots and arcs are
 * counted from about 2^30, and all pointers are moved back by as many records. Code that uses the view correctly finds
 * the same records. Code that uses a type of the wrong size accesses addresses far outside the plane, without memory.
 * So does code that indexes its own table by slots, which mean nothing after the call. The other numbers increase by
 * one in each phase, as if nodes had moved: so a node that indexes such a table, even by a hash, finds another node's
 * data. */
#pragma once

#include "base/status.h"
#include "run/state.h"

typedef struct pen_guarded {
    unsigned char *memory; /* the memory ends at the first inaccessible page after it */
    unsigned char *mapped;
    size_t mapped_bytes;
} pen_guarded;

/* Local. Allocate `bytes` >= 0 zeroed bytes. Touching memory before or after them is a fault, within `guard` bytes if
 * the system permits so many; these cost no memory. Replaces the previous contents. PEN_ERR_MEMORY: the contents are
 * empty then. */
PEN_CHECKED pen_status pen_guarded_make(int64_t bytes, size_t guard, pen_guarded *guarded);
void pen_guarded_free(pen_guarded *guarded);

/* The end of a call: a signal (0: it has returned), and the accessed address. */
typedef struct pen_fault {
    int signal;
    uintptr_t address;
    bool below_stack; /* the address is where this thread's stack ends */
} pen_fault;

/* Local. Between these two calls, pen_guarded_call catches SIGSEGV, SIGBUS and SIGFPE of this thread, on a stack of
 * their own; all other signals keep their handlers. The calls come in pairs and are not nested. */
void pen_guard_begin(void);
void pen_guard_end(void);

/* Local, between pen_guard_begin and pen_guard_end. Call a function. A fault ends the call; resources that it held are
 * lost. */
pen_fault pen_guarded_call(void (*function)(void *context), void *context);

/* Inaccessible bytes around the memory of planes: a type that is up to 500 bytes too large is still detected. */
enum { PEN_TRAP_GAP = 1 << 16 };

/* The number of different first slots and first arcs among the other numbers. */
enum { PEN_TRAP_NUMBERS = 1 << 10 };
#define PEN_TRAP_GUARD ((size_t)1 << 39)

typedef struct pen_traps {
    const pen_run *run;
    pen_guarded far, sizes, edges, own_edges, inputs; /* tables of the view */
    pen_guarded nowhere;                              /* addresses without memory */
    pen_guarded no_slots;                             /* zeros, for a phase without .far */
    int64_t *no_wishes;                               /* [owned+1] zeros */
    bool restless;                                    /* the last view's node has asked for what can change */
    int64_t made;                                     /* number of times that the traps were made */
    int64_t first_slot, first_arc;                    /* the slot and the arc with which the other numbers begin */
    uint64_t mails;                                   /* set of the kinds of mail that the function may read */
    pen_mailbox mailboxes[PEN_MOST_FIELDS];           /* mailboxes of the view */
    uint32_t *rows;                                   /* row pointers of the view in the other numbers */
    pen_lid *columns, *far_slots;
    pen_far far_view;
} pen_traps;

/* The planes to which the tables of a view point, in the usual numbers. */
typedef struct pen_trap_planes {
    const void **current, **far; /* [fields] pointers to the records of each field */
    void **next;                 /* [fields] pointers to the records of each field */
    const pen_far *far_view;     /* the far nodes, whose records are in `far`; NULL: the phase has no .far */
} pen_trap_planes;

/* Local. Allocate traps. Call pen_traps_free also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_traps_create(const pen_run *run, pen_traps *traps);
void pen_traps_free(pen_traps *traps);

/* Local, before a phase. Adapt the traps to the graph, which may have changed. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_traps_make(pen_traps *traps);

/* Local. Give `count` far nodes their other numbers. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_traps_add_far(pen_traps *traps, const pen_far *far, int64_t count);

/* Local. Make the view of a slot, with the usual numbers or the other ones. */
pen_view pen_traps_view(pen_traps *traps, pen_lid slot, const pen_trap_planes *planes, bool other);

/* Local. Describe a fault in the last view, such as "field sum: ...". The text is empty if the reason is unknown. */
void pen_traps_explain(const pen_traps *traps, const pen_view *view, const pen_fault *fault, char *text, size_t size);
