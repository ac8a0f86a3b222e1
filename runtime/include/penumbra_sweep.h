/* penumbra_sweep.h - loops over nodes that the compiler makes of node functions, and the values that nodes contribute
 * to observables; no MPI.
 *
 * penumbra_types.h includes it. */
#ifndef PENUMBRA_SWEEP_H
#define PENUMBRA_SWEEP_H

#include <penumbra_view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sweeps --------------------------------------------------------------------------------- */

/* Unroll the loop over nodes that follows, four nodes at a time: if a node contributes one number, that takes a fifth
 * less time. */
#if defined(__clang__)
#define PEN_UNROLLED _Pragma("unroll(4)")
#elif defined(__GNUC__)
#define PEN_UNROLLED _Pragma("GCC unroll 4")
#else
#define PEN_UNROLLED
#endif

/* A sweep is a loop over nodes into which the compiler inlines a node function: then a node costs what it costs in a
 * loop that is written by hand. The macro follows the function, in the same file:
 *
 *     static void relax(const pen_view *v) { ... }
 *     PEN_SWEEP(relax)
 *     ... { "relax", .sweep = relax_sweep, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) }
 *
 * PEN_SWEEP(function) defines function_sweep (pen_sweep_fn). Against .node = relax nothing else changes: results, the
 * strict mode, measured loads and .far are the same. PEN_OBSERVE_SWEEP makes the functions of .observe, PEN_COST_SWEEP
 * those of .cost.
 *
 * Compile with -O2. A compiler inlines a function that is used once; so name the sweep in the tables, not the function.
 * If a node function hands its view to a function of another file, the loop must read the view again for every node:
 * hand over pen_id(v) or pen_step(v) instead where nodes take a few nanoseconds. */
#define PEN_SWEEP(function)                                                    \
    PEN_ALIGNED static void function##_sweep(const pen_view *v_, pen_lid end_) \
    {                                                                          \
        pen_view view_ = *v_;                                                  \
        for (pen_lid slot_ = v_->slot; slot_ < end_; slot_++) {                \
            view_.slot = slot_;                                                \
            function(&view_);                                                  \
        }                                                                      \
    }

/* Define function_sweep, for .observe of a phase or of the application, of a function that contributes the values of
 * one node by pen_observe_int and pen_observe_real: void observe(const pen_view *v, pen_observation *observation). */
#define PEN_OBSERVE_SWEEP(function)                                                                           \
    PEN_ALIGNED static void function##_sweep(const pen_view *v_, pen_lid end_, pen_observation *observation_) \
    {                                                                                                         \
        pen_view view_ = *v_;                                                                                 \
        pen_observation near_ = *observation_;                                                                \
        PEN_UNROLLED                                                                                          \
        for (pen_lid slot_ = v_->slot; slot_ < end_; slot_++) {                                               \
            view_.slot = slot_;                                                                               \
            function(&view_, &near_);                                                                         \
        }                                                                                                     \
        *observation_ = near_;                                                                                \
    }

/* Define function_sweep, for .cost, of a function that returns the load of one node: double cost(const pen_view *v). */
#define PEN_COST_SWEEP(function)                                                              \
    PEN_ALIGNED static void function##_sweep(const pen_view *v_, pen_lid end_, double *cost_) \
    {                                                                                         \
        pen_view view_ = *v_;                                                                 \
        for (pen_lid slot_ = v_->slot; slot_ < end_; slot_++) {                               \
            view_.slot = slot_;                                                               \
            *cost_++ = function(&view_);                                                      \
        }                                                                                     \
    }

/* ---- Observables ---------------------------------------------------------------------------- */

/* The number of observables, from the first, whose values are buffered without a call. */
enum { PEN_OBSERVABLES_NEAR = 16 };

/* Where .observe puts the values of a node; for the library only. Each of the first observables of this evaluation
 * has a next place and the end of its room, those of an _INT kind in the first two arrays, of a _REAL kind in the
 * others. For all else both are NULL. */
typedef struct pen_observation {
    struct pen_observables *all;
    int64_t *ints[PEN_OBSERVABLES_NEAR];
    const int64_t *int_ends[PEN_OBSERVABLES_NEAR];
    double *reals[PEN_OBSERVABLES_NEAR];
    const double *real_ends[PEN_OBSERVABLES_NEAR];
} pen_observation;

/* Local. Contribute a value to the observable `index` of `all`, for which there is no room, or refuse it. The result is
 * where the next value goes, if the observable is one of the first. For the library only. */
PEN_API int64_t *pen_observables_take_int(struct pen_observables *all, int index, int64_t value);
PEN_API double *pen_observables_take_real(struct pen_observables *all, int index, double value);

/* Local, inside .observe, which has got `observation`. Contribute a value to the observable with that index, or to one
 * of its components (PEN_COMPONENT). The kind must be an _INT or a _REAL one respectively, and the observable one of
 * those that are being evaluated: otherwise, or if there is no such component, the program ends with a message. */
static inline void pen_observe_int(pen_observation *observation, int index, int64_t value)
{
    if (index < 0 || index >= PEN_OBSERVABLES_NEAR) pen_observables_take_int(observation->all, index, value);
    else if (observation->ints[index] != observation->int_ends[index]) *observation->ints[index]++ = value;
    else observation->ints[index] = pen_observables_take_int(observation->all, index, value);
}
static inline void pen_observe_real(pen_observation *observation, int index, double value)
{
    if (index < 0 || index >= PEN_OBSERVABLES_NEAR) pen_observables_take_real(observation->all, index, value);
    else if (observation->reals[index] != observation->real_ends[index]) *observation->reals[index]++ = value;
    else observation->reals[index] = pen_observables_take_real(observation->all, index, value);
}

#ifdef __cplusplus
}
#endif

#endif
