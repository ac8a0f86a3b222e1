/* part_option.h - an option of a run, declared once. The command line, its help and its manual page follow from tables
 * of such entries, and so do the check of ranges, the comparison between ranks, the options that --accept may name, and
 * the names of members in messages. The core has a table (run/option_table.c), and each part of a run may have one. */
#pragma once

#include "base/test_options.h"

#include <penumbra_options.h>

/* The type of the member that an option sets. */
typedef enum pen_value_kind {
    PEN_VALUE_FLAG, /* bool */
    PEN_VALUE_INT,  /* int64_t, >= 0 */
    PEN_VALUE_BITS, /* uint64_t, any */
    PEN_VALUE_REAL, /* double */
    PEN_VALUE_TEXT, /* const char * */
    PEN_VALUE_ENUM  /* an enumeration, from 0 to .high */
} pen_value_kind;

/* An entry of a table, which ends with an entry that has neither name nor member. */
typedef struct pen_part_option {
    const char *name;     /* name on the command line, without dashes; NULL: only programs can set the member */
    const char *argument; /* description of the value, as in pen_option */
    const char *help;
    const char *member; /* name of a member of pen_run_options, "output.every"; NULL: the option sets a member of its
                           part's state */
    bool of_tests;      /* `member` is one of pen_test_options */
    size_t offset;      /* offset of the member in pen_run_options, pen_test_options or the state */
    pen_value_kind kind;
    const char *initial; /* the value if the command line does not give it; NULL: 0 */
    int64_t low;         /* the lowest value of an _INT on the command line */
    double high;         /* the highest value of an _ENUM or a _REAL; 0: there is no limit */
    double special;      /* a _REAL is from 0 to `high`, or has this value */
    const char *range;   /* range of a _REAL in words: "from 0 to 1" */
    const char *needs;   /* another option, "checkpoint=DIR", without which this one cannot be given */
    bool output;         /* the help lists it with the output */
    bool repeats;        /* a _TEXT that can be given several times: the values are joined by ';' */
    bool local;          /* ranks may have different values */
    /* A resumed run must have the checkpoint's value, or with .reads files of the same contents, unless --accept names
     * the option. The core compares its own options by itself. */
    bool compared;
    bool reads;  /* a member that is a text: it may name files, which no output replaces */
    bool writes; /* a text: the path of a file that is written */
    /* Sets the member, and others that depend on the same text. Local. NULL: the kind says how. The text can be
     * changed, and lives as long as the options. PEN_ERR_INPUT. */
    pen_status (*read)(char *text, pen_run_options *options);
} pen_part_option;

/* In an entry: the offset and kind of a member of a structure; and, with its name, of a member of pen_run_options. */
#define PEN_OPTION_AT(type, path) .offset = offsetof(type, path), .kind = PENUMBRA_KIND(((type *)0)->path)
#define PEN_OPTION_SETS(path) .member = #path, PEN_OPTION_AT(pen_run_options, path)
#define PEN_OPTION_OF_TESTS(path) .member = "debug." #path, .of_tests = true, PEN_OPTION_AT(pen_test_options, path)
#define PENUMBRA_KIND(value) \
    _Generic((value),                   \
        bool: PEN_VALUE_FLAG,           \
        int64_t: PEN_VALUE_INT,         \
        uint64_t: PEN_VALUE_BITS,       \
        double: PEN_VALUE_REAL,         \
        const char *: PEN_VALUE_TEXT,   \
        default: PEN_VALUE_ENUM)

/* The option of that index, from 0, of all tables; NULL: there are no more. */
typedef const pen_part_option *pen_option_at(int index);
