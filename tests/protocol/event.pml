/* event.pml - runtime/base/event.c and meeting.c: ranks meet in rounds in shared memory and sleep until they are woken.
 * Nobody's sleep ends by itself here, so a lost wake-up is a deadlock. Each rank brings the number of the round, and
 * reads the others'. FAULT selects one of the faults below; 0: none. */
#define RANKS 3
#define ROUNDS 3

#define NO_RECHECK 1          /* a rank sleeps without comparing the count with what it has seen */
#define COUNTED_LATE 2        /* a rank counts itself among the sleepers after it has looked at the count */
#define LOOKS_FIRST 3         /* who advances looks for sleepers first */
#define WAKES_ONE 4           /* ... and wakes only one */
#define ONE_BOX 5             /* rounds do not take turns with two boxes */
#define RELEASED_EARLY 6      /* the last rank releases the others before it combines */
#define FIRST_RELEASES 7      /* the last but one of a round releases the others */
#ifndef FAULT
#define FAULT 0
#endif

byte arrived, released, sleepers;
bool asleep[RANKS];
byte box[2 * RANKS];
byte result;
#define BOX(round, rank) box[((FAULT == ONE_BOX) -> 0 : ((round) % 2)) * RANKS + (rank)]

inline wake()
{
    atomic {
        for (other : 0 .. RANKS - 1) {
            if
            :: asleep[other] -> asleep[other] = false;
                if
                :: FAULT == WAKES_ONE -> break
                :: else
                fi
            :: else
            fi
        }
    }
}

inline advance()
{
    if
    :: FAULT == LOOKS_FIRST -> any = sleepers; released++
    :: else -> released++; any = sleepers
    fi;
    if
    :: any > 0 -> wake()
    :: else
    fi
}

inline await(target)
{
    if
    :: released >= target
    :: released < target ->
        if
        :: FAULT == COUNTED_LATE
        :: else -> sleepers++
        fi;
        do
        :: seen = released;
            if
            :: seen >= target -> break
            :: else
            fi;
            atomic { /* the futex */
                if
                :: FAULT == NO_RECHECK || released == seen -> asleep[me] = true
                :: else
                fi
            }
            if
            :: FAULT == COUNTED_LATE -> sleepers++
            :: else
            fi;
            !asleep[me];
            if
            :: FAULT == COUNTED_LATE -> sleepers--
            :: else
            fi
        od;
        if
        :: FAULT == COUNTED_LATE
        :: else -> sleepers--
        fi
    fi
}

inline combine(round)
{
    for (other : 0 .. RANKS - 1) {
        assert(BOX(round, other) == round)
    }
    result = round
}

active [RANKS] proctype rank()
{
    byte me = _pid, round, seen, any, other, here;
    for (round : 1 .. ROUNDS) {
        BOX(round, me) = round;
        atomic { arrived++; here = arrived }
        if
        :: here == round * RANKS - (FAULT == FIRST_RELEASES) ->
            if
            :: FAULT == RELEASED_EARLY -> advance(); combine(round)
            :: else -> combine(round); advance()
            fi
        :: else -> await(round)
        fi;
        assert(result == round);
        for (other : 0 .. RANKS - 1) {
            assert(BOX(round, other) == round)
        }
    }
}
