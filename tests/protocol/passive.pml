/* passive.pml - runtime/halo/passive.c with notify.c, and shared.c between hosts. An empty message tells no more than
 * what its sender had ordered by MPI_Win_sync and fences; its receiver knows it when it orders its own. */
chan notices[RANKS * RANKS] = [PHASES + 3] of { byte, byte, byte, byte }; /* tag, row */
byte ordered[RANKS * RANKS], arrived[RANKS * RANKS];
#define NOTICES(from, to) notices[(from) * RANKS + (to)]

inline renew_counts() { skip }

inline sync_window()
{
    d_step {
        JOIN_ROW(known, me, arrived, me);
        JOIN_ROW(ordered, me, known, me);
        released()
    }
}

inline notices_send()
{
    atomic {
        for (p : 0 .. RANKS - 1) {
            if
            :: NEIGHBOR(p) && (CONSUMER(p) || !IS(PRODUCERS_NOTIFY_ONLY)) ->
                NOTICES(me, p) ! published & 1, ROW(ordered, me)
            :: else
            fi
        }
        p = 0
    }
}

inline notices_wait()
{
    for (p : 0 .. RANKS - 1) {
        if
        :: NEIGHBOR(p) && (PRODUCER(p) || !IS(PRODUCERS_NOTIFY_ONLY)) && !IS(NO_NOTICES) ->
            atomic {
                NOTICES(p, me) ?? eval(published & 1), a, b, c;
                JOIN(arrived, me, a, b, c);
                a = 0; b = 0; c = 0
            }
        :: else
        fi
    }
}

inline start()
{
    notices_wait();
    if
    :: !IS(UNORDERED_GET) -> sync_window()
    :: else
    fi;
    gets_start()
}

inline begin()
{
    exports_pack();
    if
    :: !IS(UNORDERED_NOTICE) -> sync_window()
    :: else
    fi;
    notices_send();
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
    if
    :: !IS(NO_FLUSH) -> gets_complete()
    :: else
    fi;
    published++
}

inline close_state() { skip }
