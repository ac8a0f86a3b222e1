#include "run/run_options.h"
#include "base/abi.h"
#include "base/numbers.h"

#include <float.h>
#include <time.h>

static pen_status copy(const pen_abi *abi, const pen_run_options *theirs, pen_run_options *ours)
{
    const pen_abi sizes = pen_abi_of(abi), here = pen_abi_here;
    const pen_abi_group groups[] = {
        { "pen_balance_options", sizes.run_balance, here.run_balance },
        { "pen_checkpoint_options", sizes.run_checkpoint, here.run_checkpoint },
        { "pen_output_options", sizes.run_output, here.run_output },
        { "pen_debug_options", sizes.run_debug, here.run_debug },
    };
    return pen_adopt_groups("pen_run_options", theirs, sizes.run_options, ours, sizeof *ours, PEN_COUNT_OF(groups),
                            groups);
}

/* Each by itself. */
static pen_status check_ranges(const pen_run_options *o)
{
    const struct {
        const char *name;
        int64_t value, most;
    } wholes[] = {
        { "steps", o->steps, INT64_MAX },
        { "order", o->order, PEN_ORDER_HILBERT },
        { "progress", o->progress, PEN_PROGRESS_AUTO },
        { "balance.when", o->balance.when, PEN_BALANCE_CHANGE },
        { "balance.load", o->balance.load, PEN_LOAD_DECLARED },
        { "balance.every", o->balance.every, INT64_MAX },
        { "checkpoint.every_steps", o->checkpoint.every_steps, INT64_MAX },
        { "checkpoint.before", o->checkpoint.before, INT64_MAX },
        { "output.every", o->output.every, INT64_MAX },
        { "output.observables_every", o->output.observables_every, INT64_MAX },
    };
    const struct {
        const char *name;
        double value, most, other; /* from 0 to `most`, or this */
        const char *right;
    } reals[] = {
        { "balance.call_cost", o->balance.call_cost, DBL_MAX, PEN_NO_COST, "a number >= 0, or PEN_NO_COST" },
        { "balance.node_cost", o->balance.node_cost, DBL_MAX, PEN_NO_COST, "a number >= 0, or PEN_NO_COST" },
        { "checkpoint.every_seconds", o->checkpoint.every_seconds, DBL_MAX, 0.0, "a number >= 0" },
        { "debug.migrate_part", o->debug.migrate_part, 1.0, 0.0, "from 0 to 1" },
        { "debug.watchdog", o->debug.watchdog, DBL_MAX, PEN_WATCHDOG_REPORT,
          "a number of seconds >= 0, or PEN_WATCHDOG_REPORT" },
    };
    for (int i = 0; i < PEN_COUNT_OF(wholes); i++) {
        PEN_ARGUMENT(wholes[i].value >= 0, "%s %" PRId64 ", must be >= 0", wholes[i].name, wholes[i].value);
        PEN_ARGUMENT(wholes[i].value <= wholes[i].most, "%s %" PRId64 ", must be at most %" PRId64, wholes[i].name,
                     wholes[i].value, wholes[i].most);
    }
    for (int i = 0; i < PEN_COUNT_OF(reals); i++) {
        const double value = reals[i].value;
        PEN_ARGUMENT((value >= 0.0 && value <= reals[i].most) || value == reals[i].other, "%s %s, must be %s",
                     reals[i].name, PEN_REAL_TEXT(value), reals[i].right);
    }
    return PEN_OK;
}

/* What one needs of others. */
static pen_status check_needs(const pen_run_options *o)
{
    const pen_balance_options *b = &o->balance;
    const pen_checkpoint_options *c = &o->checkpoint;
    PEN_ARGUMENT((b->every >= 1) == (b->when == PEN_BALANCE_EVERY),
                 "balance.every %" PRId64 ", must be >= 1 with PEN_BALANCE_EVERY and otherwise 0", b->every);
    PEN_ARGUMENT(!b->always || b->when != PEN_BALANCE_AUTO,
                 "balance.always needs PEN_BALANCE_EVERY or PEN_BALANCE_CHANGE");
    PEN_ARGUMENT((b->call_cost == 0.0 && b->node_cost == 0.0) || b->load == PEN_LOAD_DECLARED,
                 "balance.call_cost and balance.node_cost need PEN_LOAD_DECLARED");
    PEN_ARGUMENT(!c->folder || *c->folder, "checkpoint.folder is an empty name");
    PEN_ARGUMENT(c->folder || (c->every_steps == 0 && c->every_seconds == 0.0 && c->before == 0),
                 "checkpoint.every_steps, .every_seconds and .before need checkpoint.folder");
    PEN_ARGUMENT(c->before == 0 || c->before > time(NULL), "checkpoint.before %" PRId64 ": this time has passed",
                 c->before);
    return PEN_OK;
}

pen_status pen_run_options_adopt(const pen_abi *abi, const pen_run_options *theirs, pen_run_options *ours)
{
    *ours = (pen_run_options){ .steps = 0 };
    if (!theirs) return PEN_OK;
    PEN_TRY(copy(abi, theirs, ours));
    PEN_TRY(check_ranges(ours));
    return check_needs(ours);
}

static int64_t bits_of(double number)
{
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

pen_status pen_run_options_agree(pen_comm *comm, pen_status mine, const pen_run_options *o)
{
    const pen_argument arguments[] = {
        { "steps", NULL, o->steps },
        { "until", o->until, 0 },
        { "input", o->input, 0 },
        { "seed", NULL, (int64_t)o->seed },
        { "partitioner", o->partitioner, 0 },
        { "machine", o->machine, 0 },
        { "transport", o->transport, 0 },
        { "order", NULL, o->order },
        { "balance.balancer", o->balance.balancer, 0 },
        { "balance.when", NULL, o->balance.when },
        { "balance.load", NULL, o->balance.load },
        { "balance.every", NULL, o->balance.every },
        { "balance.always", NULL, o->balance.always },
        { "balance.call_cost", NULL, bits_of(o->balance.call_cost) },
        { "balance.node_cost", NULL, bits_of(o->balance.node_cost) },
        { "checkpoint.folder", o->checkpoint.folder, 0 },
        { "checkpoint.every_steps", NULL, o->checkpoint.every_steps },
        { "checkpoint.every_seconds", NULL, bits_of(o->checkpoint.every_seconds) },
        { "checkpoint.before", NULL, o->checkpoint.before },
        { "checkpoint.accept", o->checkpoint.accept, 0 },
        { "output.path", o->output.path, 0 },
        { "output.fields", o->output.fields, 0 },
        { "output.every", NULL, o->output.every },
        { "output.observables", o->output.observables, 0 },
        { "output.observables_every", NULL, o->output.observables_every },
        { "output.record", o->output.record, 0 },
        { "debug.strict", NULL, o->debug.strict },
        { "debug.verify", NULL, o->debug.verify },
        { "debug.trace", NULL, o->debug.trace },
        { "debug.watchdog", NULL, bits_of(o->debug.watchdog) },
        { "debug.migrate_seed", NULL, (int64_t)o->debug.migrate_seed },
        { "debug.migrate_part", NULL, bits_of(o->debug.migrate_part) },
        { "debug.network_delay", o->debug.network_delay, 0 },
    };
    return pen_agree_equal(comm, mine, arguments, PEN_COUNT_OF(arguments));
}
