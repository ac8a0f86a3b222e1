/* shared.pml - runtime/halo/shared.c within a host. A rank counts its publications in a word, and who waits for it may
 * see an older value than that which is there: of those that are large enough the first one, which tells least. */
#define COUNTS (PHASES + 3)
byte ready[RANKS];
byte tells[RANKS * COUNTS * RANKS]; /* what each value of a rank's word brings with it: a row */
#define VALUE(rank, count) ((rank) * COUNTS + (count))

inline renew_counts()
{
    ready[me] = 0;
    for (r : 0 .. COUNTS * RANKS - 1) {
        tells[VALUE(me, 0) * RANKS + r] = 0
    }
}

inline begin()
{
    d_step { /* atomic_store_explicit */
        ready[me] = published + 1;
        if
        :: !IS(RELAXED_STORE) -> JOIN_ROW(tells, VALUE(me, published + 1), known, me)
        :: else
        fi;
        released()
    }
}

inline wait_for(p_)
{
    d_step { /* atomic_load_explicit */
        ready[p_] > published;
        if
        :: !IS(RELAXED_LOAD) -> JOIN_ROW(known, me, tells, VALUE(p_, published + 1))
        :: else
        fi
    }
}

inline end()
{
    for (p : 0 .. RANKS - 1) {
        if
        :: IS(WAITS_FOR_PRODUCERS_ONLY) && PRODUCER(p) -> wait_for(p)
        :: !IS(WAITS_FOR_PRODUCERS_ONLY) && !IS(WAITS_FOR_NOBODY) && NEIGHBOR(p) -> wait_for(p)
        :: else
        fi
    }
    gets_start();
    gets_complete();
    published++
}

inline close_state() { skip }
