/* run_options.c - takes over the options of a run, checks them, and compares them between ranks. */
#include "run/run_options.h"
#include "base/members.h"
#include "base/option_values.h"
#include "steer/steer.h"

#include <time.h>

/* The largest number of members of pen_run_options, estimated from its bytes. */
enum { MOST_MEMBERS = sizeof(pen_run_options) / 4 };

static pen_status check_ranges(pen_option_at *at, const pen_run_options *o)
{
    for (int i = 0; at(i); i++)
        if (at(i)->member) PEN_TRY(pen_part_option_check(at(i), pen_part_option_base(at(i), o)));
    return PEN_OK;
}

/* Check that members are set that other members need. */
static pen_status check_needs(const pen_run_options *o)
{
    const pen_balance_options *b = &o->balance;
    const pen_checkpoint_options *c = &o->checkpoint;
    pen_steer_settings settings = { .load = b->load };
    PEN_TRY(pen_steer_settings_read(b->when, NULL, &settings));
    PEN_ARGUMENT((b->call_cost == 0.0 && b->node_cost == 0.0) || b->load == PEN_LOAD_DECLARED,
                 "balance.call_cost and balance.node_cost need PEN_LOAD_DECLARED");
    PEN_ARGUMENT(!c->folder || *c->folder, "checkpoint.folder is an empty name");
    PEN_ARGUMENT(c->folder || (c->every_steps == 0 && c->every_seconds == 0.0 && c->before == 0),
                 "checkpoint.every_steps, .every_seconds and .before need checkpoint.folder");
    PEN_ARGUMENT(c->before == 0 || c->before > time(NULL), "checkpoint.before %" PRId64 ": this time has passed",
                 c->before);
    return PEN_OK;
}

pen_status pen_run_options_adopt(pen_option_at *at, const pen_run_options *theirs, pen_run_options *ours)
{
    *ours = (pen_run_options){ .steps = 0 };
    pen_members_of(at);
    if (!theirs) return PEN_OK;
    *ours = *theirs;
    PEN_TRY(check_ranges(at, ours));
    return check_needs(ours);
}

pen_status pen_run_options_agree(pen_comm *comm, pen_status mine, pen_option_at *at, const pen_run_options *o)
{
    pen_argument arguments[MOST_MEMBERS];
    int count = 0;
    for (int i = 0; at(i) && count < MOST_MEMBERS - 1; i++)
        if (at(i)->member && !at(i)->local)
            arguments[count++] = pen_part_option_argument(at(i), pen_part_option_base(at(i), o));
    arguments[count++] = (pen_argument){ "debug.explain", NULL,
                                         o->debug.explain != NULL }; /* a stream is in no table */
    return pen_agree_equal(comm, mine, arguments, count);
}
