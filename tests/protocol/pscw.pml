/* pscw.pml - runtime/halo/pscw.c. A post tells each consumer and a complete each producer, and MPI orders memory there.
 * MPI_Win_start waits for the posts, which MPI lets it do. */
chan posted[RANKS * RANKS] = [2] of { byte, byte, byte }; /* row */
chan completed[RANKS * RANKS] = [2] of { byte, byte, byte };
#define POSTED(from, to) posted[(from) * RANKS + (to)]
#define COMPLETED(from, to) completed[(from) * RANKS + (to)]

inline renew_counts() { skip }

inline hear(channel_)
{
    atomic {
        channel_ ? a, b, c;
        JOIN(known, me, a, b, c);
        a = 0; b = 0; c = 0
    }
}

inline conceal()
{
    for (p : 0 .. RANKS - 1) { /* MPI_Win_wait */
        if
        :: exposed && CONSUMER(p) -> hear(COMPLETED(p, me))
        :: else
        fi
    }
    exposed = 0
}

inline start()
{
    for (p : 0 .. RANKS - 1) { /* MPI_Win_start */
        if
        :: PRODUCER(p) -> hear(POSTED(p, me))
        :: else
        fi
    }
    gets_start()
}

inline begin()
{
    if
    :: !IS(NO_WAIT) -> conceal()
    :: else
    fi;
    exports_pack();
    atomic { /* MPI_Win_post, where there is no exposure yet */
        assert(!exposed || IS(NO_WAIT));
        for (p : 0 .. RANKS - 1) {
            if
            :: CONSUMER(p) -> exposed = 1; POSTED(me, p) ! ROW(known, me)
            :: else
            fi
        }
        p = 0;
        released()
    }
    if
    :: !late -> start()
    :: else
    fi
}

inline end()
{
    if
    :: late -> start()
    :: else
    fi;
    gets_complete();
    atomic { /* MPI_Win_complete */
        for (p : 0 .. RANKS - 1) {
            if
            :: PRODUCER(p) -> COMPLETED(me, p) ! ROW(known, me)
            :: else
            fi
        }
        p = 0;
        released();
        published++
    }
}

inline close_state()
{
    if
    :: !IS(LEFT_EXPOSED) -> conceal()
    :: else
    fi
}
