/* option_table.c - the options of the core: those that belong to no part. */
#include "run/option_table.h"
#include "base/options.h"
#include "store/ordering.h"

static pen_status read_order(char *text, pen_run_options *o)
{
    for (o->order = PEN_ORDER_AUTO; o->order <= PEN_ORDER_HILBERT; o->order++)
        if (strcmp(text, pen_ordering_name(o->order)) == 0) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--order=%s: must be auto, natural, rcm or hilbert", text);
}

/* Parse NAME[:SETTINGS]; without NAME it is the default transport. */
static pen_status read_comm(char *text, pen_run_options *o)
{
    bool explain = false;
    const pen_option settings[] = { { "explain", NULL, NULL, PEN_OPTION_FLAG, &explain, 0, 0 },
                                    { "delay", "FILE", NULL, PEN_OPTION_TEXT, &o->debug.tests->network_delay, 0, 0 },
                                    { .name = NULL } };
    char *colon = text + strcspn(text, ":"), *rest = *colon ? colon + 1 : colon;
    *colon = '\0';
    o->transport = *text ? text : NULL;
    PEN_TRY(pen_settings_parse("--comm", rest, settings));
    if (explain) o->debug.explain = stdout;
    return PEN_OK;
}

/* Options are read in the order of this table, then in that of the parts. A member without a name is set together with
 * that of the option before it. */
const pen_part_option pen_core_options[] = {
    { "steps", "N", "most steps to run", PEN_OPTION_SETS(steps), .compared = true },
    { "partitioner", "NAME[:SETTINGS]",
      "the algorithm that assigns nodes to ranks (metis; sfc or ptscotch for graphs that are too large for rank 0)",
      PEN_OPTION_SETS(partitioner), .reads = true },
    { "order", "NAME",
      "order of a rank's nodes in memory: natural (by number), rcm, hilbert, or auto (default): natural if "
      "neighbours have near numbers, otherwise the better one",
      PEN_OPTION_SETS(order), .high = PEN_ORDER_HILBERT, .read = read_order },
    { "machine", "NAME[:SETTINGS]|FILE", "speeds of the processors, and the network between them (all equal)",
      PEN_OPTION_SETS(machine), .reads = true },
    { "comm", "NAME[:SETTINGS]",
      "the transport (fence, also without NAME); auto: the fastest here; explain: print the hosts, packages and "
      "cores of the ranks, the cost of gets, and the plan of the pulls; delay=FILE: delay messages, to emulate a "
      "slow network: lines FROM TO SECONDS [PER_BYTE]",
      PEN_OPTION_SETS(transport), .read = read_comm },
    { "seed", "N", "seed of the random numbers of a run (1; with --resume the checkpoint's)", PEN_OPTION_SETS(seed),
      .compared = true },
    { "verify", NULL, "recompute serially and compare; exit status 1 on any difference",
      PEN_OPTION_SETS(debug.verify) },
    { "check", NULL, "report illegal accesses of node functions with node, field and phase; exit status 1",
      PEN_OPTION_SETS(debug.strict) },
    { .name = NULL },
};
