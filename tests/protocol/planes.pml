/* planes.pml - the two planes of a field under all interleavings: 3 ranks, 4 phases, directed and undirected graphs,
 * and a migration to another graph. The transports shared.pml, passive.pml and pscw.pml stand beside it, function by
 * function as runtime/halo has them; who changes one of those files changes its model. model_test.sh runs all:
 *
 *     spin -DSHARED -DDIRECTED=1 -a planes.pml && gcc -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan
 *
 * What is proved: every pull reads the version of the phase that it belongs to, whole; nobody stores where somebody
 * reads or may still read; and no rank waits forever (Spin tells of it as an invalid end state).
 *
 * Memory is that of C11 and of MPI's unified model, not sequentially consistent. What a rank may rely on is what it
 * KNOWS of the others: how far each had come when it last released something that has arrived here. A load is right
 * only where its rank knows of the store, and a store only where its rank knows of all loads before it. Else they
 * race, and some machine lets the load see an older value, or a newer one, or a part of each: what was not ordered is
 * a violation here, whatever this interleaving reads. A get reads at any moment between its issue and its flush, so
 * for all that time its records count as being read. One record stands for all boundary records of a rank.
 *
 * Parameters of inlines end in _, since Spin replaces them in what the inline calls, too. */

/* Deliberate faults, named as in tests/mutants/mutants.txt where they stand there, too. model_test.sh reads in this list
 * with which transport each has to fail, and on which graph. */
#define ONE_PLANE_ONLY 1            /* all undirected: one plane only */
#define PUBLISHES_FIRST 2           /* all undirected: shared publishes, pscw exposes before it writes */
#define UNREAD_NOT_SYNCHRONISED 3   /* all directed: a version that nobody reads is not synchronised */
#define NO_AGREEMENT 4              /* all directed: a migration stores before all ranks have agreed */
#define SWAP_UNKNOWN 5              /* all undirected: a neighbour's swapped planes taken for others */
#define WAITS_FOR_NOBODY 6          /* shared undirected: shared waits for nobody */
#define WAITS_FOR_PRODUCERS_ONLY 7  /* shared directed: shared waits for producers, not for consumers */
#define RELAXED_STORE 8             /* shared undirected: shared publishes without release */
#define RELAXED_LOAD 9              /* shared undirected: shared waits without acquire */
#define COUNTS_ANEW 10              /* shared undirected: publications are counted anew in the old windows */
#define NO_NOTICES 11               /* passive undirected: passive gets without waiting for notices */
#define NO_FLUSH 12                 /* passive undirected: passive reads what has not arrived */
#define PRODUCERS_NOTIFY_ONLY 13    /* passive directed: passive notifies consumers, not producers */
#define UNORDERED_NOTICE 14         /* passive undirected: passive notifies before memory is in order */
#define UNORDERED_GET 15            /* passive undirected: passive gets before memory is in order */
#define ONE_EXPORT 16               /* passive undirected: one copy of what is packed for others, not two */
#define NO_WAIT 17                  /* pscw directed: pscw exposes again without waiting for its consumers */
#define LEFT_EXPOSED 18             /* pscw undirected: pscw is closed while it is exposed */
hidden byte fault; /* MUTANT in the environment */
#define IS(mutant) (fault == mutant)

#define RANKS 3
#define PHASES 4
#define FIELDS 2
#define MIGRATES_BEFORE 2 /* that phase, if at all */
#define KEEPS 1           /* this rank may keep its store in a migration: its planes then change their roles */

/* ---- What is chosen before anything begins, equal on all ranks --------------------------------------- */

mtype = { PULLED, OVERWRITTEN, NONE, OLD_WINDOWS, NEW_WINDOWS };
#ifndef PERIOD
#define PERIOD 2 /* so many phases repeat */
#endif
byte field_of[PERIOD];
mtype fate_of[PERIOD]; /* OVERWRITTEN before anybody reads it: published, but not pulled */
mtype migration;       /* in which windows it goes on */
bit late, packed;      /* as in halo.h; where gets are late they are copies, and nothing is packed */

/* Does a rank pull from another one? In the graph before a migration (0) and in that behind it (1). In the directed
 * ones a rank only produces and another one only consumes. */
#if DIRECTED
#define PULLS(graph, rank, from) (rank == (from + 1) % RANKS && from != 2 - graph)
#else
#define PULLS(graph, rank, from) (rank != from && rank + from != 2 + graph)
#endif
#define PRODUCER(p) PULLS(graph, me, p)
#define CONSUMER(p) PULLS(graph, p, me)
#define NEIGHBOR(p) (PRODUCER(p) || CONSUMER(p))

/* ---- Memory ---------------------------------------------------------------------------------------------- */

/* Of a rank: the planes of the fields, then the halves of its export area, field by field. */
#define PLANE(f, which) (2 * (f) + (which))
#define EXPORT(f, half) (2 * FIELDS + PLANE(f, half))
#define CELLS (4 * FIELDS)
#define CELL(rank, c) ((rank) * CELLS + (c))
#define READ(rank, c, reader) (CELL(rank, c) * RANKS + (reader))

byte known[RANKS * RANKS]; /* how often the one rank has released, as far as the other knows */
#define KNOWN(rank, of) known[(rank) * RANKS + (of)]

byte version[RANKS * CELLS];
byte stored_at[RANKS * CELLS];       /* KNOWN(owner, owner) then */
byte read_at[RANKS * CELLS * RANKS]; /* KNOWN(reader, reader) when it had been read; 0: never */
bit reading[RANKS * CELLS * RANKS];  /* from the issue of a get to its flush; or in a copy */

inline store(c_, version_) /* into an own cell */
{
    for (r : 0 .. RANKS - 1) {
        assert(!reading[READ(me, c_, r)]);
        assert(read_at[READ(me, c_, r)] <= KNOWN(me, r))
    }
    version[CELL(me, c_)] = version_;
    stored_at[CELL(me, c_)] = KNOWN(me, me)
}

inline begin_read(owner_, c_, version_)
{
    assert(stored_at[CELL(owner_, c_)] <= KNOWN(me, owner_));
    assert(version[CELL(owner_, c_)] == version_);
    reading[READ(owner_, c_, me)] = 1
}

inline end_read(owner_, c_)
{
    reading[READ(owner_, c_, me)] = 0;
    read_at[READ(owner_, c_, me)] = KNOWN(me, me)
}

inline renew_cells() /* a new window: nobody else knows it yet */
{
    for (r : 0 .. CELLS - 1) {
        version[CELL(me, r)] = 0;
        stored_at[CELL(me, r)] = KNOWN(me, me)
    }
    for (r : 0 .. CELLS * RANKS - 1) {
        read_at[READ(me, 0, 0) + r] = 0
    }
}

/* What a rank knows travels with whatever it releases: rows of [RANKS]. */
#define RAISE(to, by) to = ((to) < (by) -> (by) : (to))
#define JOIN(to, row, a, b, c)                                                                                         \
    RAISE(to[(row) * RANKS], a);                                                                                       \
    RAISE(to[(row) * RANKS + 1], b);                                                                                   \
    RAISE(to[(row) * RANKS + 2], c)
#define ROW(of, row) of[(row) * RANKS], of[(row) * RANKS + 1], of[(row) * RANKS + 2]
#define JOIN_ROW(to, row, from, its)                                                                                   \
    JOIN(to, row, from[(its) * RANKS], from[(its) * RANKS + 1], from[(its) * RANKS + 2])
inline released() { KNOWN(me, me)++ }

/* An all-reduce orders all that was before it on any rank and all behind it. */
byte met[2 * RANKS], arrivals[2];
inline agree(number_)
{
    d_step {
        JOIN_ROW(met, number_, known, me);
        released();
        arrivals[number_]++
    }
    d_step {
        arrivals[number_] == RANKS;
        JOIN_ROW(known, me, met, number_)
    }
}

/* ---- What the one-sided transports have in common: gets.c -------------------------------------------------- */

#define SWAPPED(rank) (graph && rank == KEEPS && migration == OLD_WINDOWS)
#define BELIEVED(rank) (SWAPPED(rank) && !IS(SWAP_UNKNOWN))
#define HALF (published & 1 && !IS(ONE_EXPORT))
#define OWN(f) PLANE(f, next[f] ^ SWAPPED(me))
#define SOURCE(rank, f) (2 * FIELDS * packed + PLANE(f, packed && HALF || !packed && (next[f] ^ BELIEVED(rank))))
#define WANTED(f) (pull & (1 << f))

inline exports_pack()
{
    d_step {
        for (f : 0 .. FIELDS - 1) {
            if
            :: packed && WANTED(f) -> store(EXPORT(f, HALF), current[f])
            :: else
            fi
        }
        f = 0
    }
}

inline gets_start()
{
    d_step {
        for (p : 0 .. RANKS - 1) {
            for (f : 0 .. FIELDS - 1) {
                if
                :: PRODUCER(p) && WANTED(f) -> begin_read(p, SOURCE(p, f), current[f])
                :: else
                fi
            }
        }
        p = 0;
        f = 0
    }
}

inline gets_complete()
{
    d_step {
        for (p : 0 .. RANKS - 1) {
            for (f : 0 .. FIELDS - 1) {
                if
                :: PRODUCER(p) && WANTED(f) -> end_read(p, SOURCE(p, f))
                :: else
                fi
            }
        }
        p = 0;
        f = 0
    }
}

/* Each has begin, end, close_state, and renew_counts for a new window. */
#if defined(SHARED)
#include "shared.pml"
#elif defined(PASSIVE)
#include "passive.pml"
#elif defined(PSCW)
#include "pscw.pml"
#endif

/* ---- The run: steps.c and change.c ------------------------------------------------------------------------- */

/* All gets have arrived: node functions read what they brought. */
inline use()
{
    d_step {
        for (r : 0 .. CELLS * RANKS - 1) {
            assert(!reading[r * RANKS + me])
        }
        r = 0
    }
}

inline store_boundary() { d_step { store(OWN(field), current[field]); r = 0 } }

/* Where a rank neither waits nor stands between two of these blocks nobody comes in between: what others do there is
 * in order with it, or not, wherever it falls. */
inline do_phase()
{
    atomic {
        field = field_of[phase % PERIOD];
        current[field]++;
        next[field] = !next[field] && !IS(ONE_PLANE_ONLY);
        pull = (fate_of[phase % PERIOD] == PULLED -> 1 << field : 0);
        if
        :: !IS(PUBLISHES_FIRST) -> store_boundary()
        :: else
        fi
    }
    if
    :: fate_of[phase % PERIOD] == OVERWRITTEN && IS(UNREAD_NOT_SYNCHRONISED)
    :: else ->
        atomic { begin() }
        atomic {
            if
            :: IS(PUBLISHES_FIRST) -> store_boundary()
            :: else
            fi;
            end();
            use()
        }
    fi
}

/* Nobody is inside a phase any more. Records are stored into next planes, or a store is kept, whose planes change
 * their roles; then all fields are pulled. */
inline migrate()
{
    if
    :: !IS(NO_AGREEMENT) -> agree(0)
    :: else
    fi;
    if
    :: migration == NEW_WINDOWS ->
        d_step { renew_cells(); renew_counts(); published = 0; r = 0 }
        agree(1)
    :: migration == OLD_WINDOWS && IS(COUNTS_ANEW) -> published = 0
    :: else
    fi;
    close_state();
    d_step {
        graph = 1;
        for (field : 0 .. FIELDS - 1) {
            next[field] = !next[field];
            if
            :: SWAPPED(me)
            :: else -> store(OWN(field), current[field])
            fi
        }
        pull = (1 << FIELDS) - 1;
        field = 0;
        r = 0
    }
    atomic { begin() }
    atomic { end(); use() }
}

proctype Rank(byte me)
{
    byte current[FIELDS]; /* versions */
    bit next[FIELDS];     /* planes: what is written, and then pulled */
    byte published, pull, graph, phase, field;
    byte r, f, p, a, b, c; /* 0 when they are not in use, lest states differ by them */
    bit exposed;
    d_step { /* pen_run_initialize */
        known[me * RANKS + me] = 1;
        for (field : 0 .. FIELDS - 1) {
            current[field] = 1;
            store(OWN(field), current[field])
        }
        pull = (1 << FIELDS) - 1;
        field = 0;
        r = 0
    }
    atomic { begin() }
    atomic { end(); use() }
    for (phase : 0 .. PHASES - 1) {
        if
        :: phase == MIGRATES_BEFORE && migration != NONE -> migrate()
        :: else
        fi;
        do_phase()
    }
    close_state()
}

init
{
    atomic {
        byte i;
        c_code { fault = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0; };
#ifndef SHARED
        if
        :: late = 1
        :: packed = 1
        :: skip
        fi;
#endif
        if
        :: migration = NONE
        :: migration = OLD_WINDOWS
        :: migration = NEW_WINDOWS
        fi;
        for (i : 0 .. PERIOD - 1) {
            if
            :: fate_of[i] = PULLED
            :: fate_of[i] = OVERWRITTEN
            :: fate_of[i] = PULLED; field_of[i] = 1
            fi
        }
        for (i : 0 .. RANKS - 1) {
            run Rank(i)
        }
    }
}
