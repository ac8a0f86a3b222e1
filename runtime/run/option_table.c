/* option_table.c - the options of a run: their names on the command line, and the members that they set. */
#include "run/option_table.h"
#include "base/numbers.h"
#include "base/options.h"
#include "run/part.h"
#include "steer/steer.h"
#include "store/ordering.h"

#include <ctype.h>
#include <time.h>

static pen_status read_order(char *text, pen_run_options *o)
{
    for (o->order = PEN_ORDER_AUTO; o->order <= PEN_ORDER_HILBERT; o->order++)
        if (strcmp(text, pen_ordering_name(o->order)) == 0) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--order=%s: must be auto, natural, rcm or hilbert", text);
}

static pen_status read_progress(char *text, pen_run_options *o)
{
    o->progress = PEN_PROGRESS_OFF;
    if (strcmp(text, "on") == 0) o->progress = PEN_PROGRESS_ON;
    else if (strcmp(text, "auto") == 0) o->progress = PEN_PROGRESS_AUTO;
    else if (strcmp(text, "off") != 0) return pen_fail(PEN_ERR_INPUT, "--progress=%s: must be auto, on or off", text);
    return PEN_OK;
}

static pen_status read_watchdog(char *text, pen_run_options *o)
{
    const bool report = strcmp(text, "report") == 0;
    o->debug.watchdog = report ? PEN_WATCHDOG_REPORT : 0.0;
    if (report || strcmp(text, "off") == 0) return PEN_OK;
    pen_status status = pen_read_seconds("--watchdog", text, &o->debug.watchdog);
    return status == PEN_OK ? PEN_OK : pen_fail(status, "%s, report or off", pen_error_message());
}

static pen_status read_migration(char *text, pen_run_options *o)
{
    char seed[32];
    const char *part = pen_text_cut(text, ':', seed, sizeof seed);
    int64_t number;
    o->debug.migrate_part = 0.1;
    bool right = pen_parse_int(seed, &number) && (!part || pen_parse_real(part, &o->debug.migrate_part));
    if (!right || o->debug.migrate_part < 0.0 || o->debug.migrate_part > 1.0)
        return pen_fail(PEN_ERR_INPUT, "--migrate-random=%s: must be SEED or SEED:PART with PART from 0 to 1", text);
    o->debug.migrate_seed = (uint64_t)number;
    return PEN_OK;
}

static pen_status read_load(char *text, pen_run_options *o)
{
    return pen_steer_options_read(text, NULL, NULL, &o->balance);
}

static pen_status read_balance_when(char *text, pen_run_options *o)
{
    return pen_steer_options_read(NULL, text, NULL, &o->balance);
}

/* The option --load stands before it in the table, and so has been read. */
static pen_status read_balance_cost(char *text, pen_run_options *o)
{
    return pen_steer_options_read(NULL, NULL, text, &o->balance);
}

/* Parse NAME[:SETTINGS]; without NAME it is the default transport. */
static pen_status read_comm(char *text, pen_run_options *o)
{
    bool explain = false;
    const pen_option settings[] = { { "explain", NULL, NULL, PEN_OPTION_FLAG, &explain, 0, 0 },
                                    { "delay", "FILE", NULL, PEN_OPTION_TEXT, &o->debug.network_delay, 0, 0 },
                                    { .name = NULL } };
    char *colon = text + strcspn(text, ":"), *rest = *colon ? colon + 1 : colon;
    *colon = '\0';
    o->transport = *text ? text : NULL;
    PEN_TRY(pen_settings_parse("--comm", rest, settings));
    if (explain) o->debug.explain = stdout;
    return PEN_OK;
}

/* Parse -, FILE or -,FILE, which ":every=N" may follow; other colons belong to the name of the file. */
static pen_status read_observables(char *text, pen_run_options *o)
{
    static const char EVERY[] = ":every=";
    const pen_option settings[] = { { "every", "N", NULL, PEN_OPTION_INT, &o->output.observables_every, 1, INT64_MAX },
                                    { .name = NULL } };
    char *colon = strrchr(text, ':');
    if (colon && strncmp(colon, EVERY, sizeof EVERY - 1) == 0) {
        *colon = '\0';
        PEN_TRY(pen_settings_parse("--observables", colon + 1, settings));
    }
    o->output.print_observables = strcmp(text, "-") == 0 || strncmp(text, "-,", 2) == 0;
    if (o->output.print_observables) text = text[1] ? text + 2 : NULL;
    o->output.observables = text;
    return PEN_OK;
}

static pen_status read_checkpoint(char *text, pen_run_options *o)
{
    if (!*text) return pen_fail(PEN_ERR_INPUT, "--checkpoint needs a folder");
    o->checkpoint.folder = text;
    return PEN_OK;
}

/* Parse "100", a whole number of steps >= 1, or "10m", a duration > 0 that ends in its unit (pen_read_seconds). */
static pen_status read_every(char *text, pen_run_options *o)
{
    const size_t length = strlen(text);
    if (length > 0 && strchr("smh", text[length - 1]))
        return pen_read_seconds("--checkpoint-every", text, &o->checkpoint.every_seconds);
    if (!pen_parse_int(text, &o->checkpoint.every_steps))
        return pen_fail(PEN_ERR_INPUT,
                        "--checkpoint-every=%s: neither a whole number of steps, nor a length of time with its unit, "
                        "like 90s, 10m, 1.5h",
                        text);
    if (o->checkpoint.every_steps >= 1) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--checkpoint-every=%s: must be at least 1", text);
}

/* Parse a complete text "HH:MM[:SS]". */
static bool read_clock(const char *text, struct tm *when)
{
    int end = -1;
    when->tm_sec = 0;
    if (!isdigit((unsigned char)*text)) return false;
    if (sscanf(text, "%2d:%2d:%2d%n", &when->tm_hour, &when->tm_min, &when->tm_sec, &end) < 3 || end < 0) {
        end = -1;
        when->tm_sec = 0;
        if (sscanf(text, "%2d:%2d%n", &when->tm_hour, &when->tm_min, &end) < 2 || end < 0) return false;
    }
    return text[end] == '\0' && when->tm_hour >= 0 && when->tm_hour < 24 && when->tm_min >= 0 && when->tm_min < 60 &&
           when->tm_sec >= 0 && when->tm_sec < 60;
}

/* Parse "YYYY-MM-DDT", followed by a time of day. */
static bool read_date(const char *text, struct tm *when)
{
    int end = -1;
    if (sscanf(text, "%4d-%2d-%2dT%n", &when->tm_year, &when->tm_mon, &when->tm_mday, &end) < 3 || end != 11)
        return false;
    when->tm_year -= 1900;
    when->tm_mon--;
    struct tm same = *when;
    same.tm_hour = 12;
    return mktime(&same) != -1 && same.tm_mday == when->tm_mday && read_clock(text + end, when);
}

static bool read_time(const char *text, time_t now, int64_t *seconds)
{
    struct tm when;
    if (*text == '@') return pen_parse_int(text + 1, seconds);
    localtime_r(&now, &when);
    when.tm_isdst = -1;
    if (read_clock(text, &when)) {
        struct tm today = when;
        if (mktime(&today) <= now) when.tm_mday++;
    } else if (!read_date(text, &when)) {
        return false;
    }
    *seconds = mktime(&when);
    return true;
}

/* Parse a time into seconds since 1970: "HH:MM" or "HH:MM:SS", the next such local time; "YYYY-MM-DDTHH:MM[:SS]", local
 * time; "@SECONDS" since 1970. */
static pen_status read_before(char *text, pen_run_options *o)
{
    const time_t now = time(NULL);
    if (!read_time(text, now, &o->checkpoint.before))
        return pen_fail(PEN_ERR_INPUT,
                        "--checkpoint-before=%s: must be HH:MM, YYYY-MM-DDTHH:MM:SS or @SECONDS since 1970", text);
    if (o->checkpoint.before > now) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--checkpoint-before=%s: this time has passed", text);
}

#define COST_RANGE .special = PEN_NO_COST, .range = "a number >= 0, or PEN_NO_COST"

/* Options are read in this order. A member without a name is set together with that of the option before it. */
static const pen_part_option table[] = {
    { "steps", "N", "most steps to run", PEN_OPTION_SETS(steps), .compared = true },
    { "until", "OBSERVABLE<VALUE",
      "end after the first step after which this holds; also <=, >, >=; A<1,B>2: all of them", PEN_OPTION_SETS(until) },
    { "partitioner", "NAME[:SETTINGS]", "the algorithm that assigns nodes to ranks (metis)",
      PEN_OPTION_SETS(partitioner) },
    { "order", "NAME",
      "order of a rank's nodes in memory: natural (by number), rcm, hilbert, or auto (default): natural if "
      "neighbours have near numbers, otherwise the better one",
      PEN_OPTION_SETS(order), .high = PEN_ORDER_HILBERT, .read = read_order },
    { "balancer", "NAME[:SETTINGS]",
      "the algorithm that moves nodes to ranks with less load during the run (none); a path: a plug-in",
      PEN_OPTION_SETS(balance.balancer) },
    { "balance-when", "WHEN",
      "auto (default): when it pays; every:N: after every N steps; change: after changes of the graph; every "
      "and change skip calls that cost more than they can gain, unless :always is appended",
      PEN_OPTION_SETS(balance.when), .high = PEN_BALANCE_CHANGE, .read = read_balance_when },
    { PEN_OPTION_SETS(balance.every) },
    { PEN_OPTION_SETS(balance.always) },
    { "machine", "NAME[:SETTINGS]|FILE", "speeds of the processors, and the network between them (all equal)",
      PEN_OPTION_SETS(machine) },
    { "load", "KIND",
      "measured (default): seconds in node functions; declared: costs from the application, reproducible",
      PEN_OPTION_SETS(balance.load), .high = PEN_LOAD_DECLARED, .read = read_load },
    { "balance-cost", "BASE[:PER_NODE]",
      "cost of a balancer's call, in declared units, and per node that the busiest rank sends or gets (with a "
      "--machine with latencies, from messages and bytes; else 5% of the mean rank's load, half the mean node's)",
      PEN_OPTION_SETS(balance.call_cost), COST_RANGE, .read = read_balance_cost },
    { PEN_OPTION_SETS(balance.node_cost), COST_RANGE },
    { "comm", "NAME[:SETTINGS]",
      "the transport (fence, also without NAME); auto: the fastest here; explain: print the hosts, packages and "
      "cores of the ranks, the cost of gets, and the plan of the pulls; delay=FILE: delay messages, to emulate a "
      "slow network: lines FROM TO SECONDS [PER_BYTE]",
      PEN_OPTION_SETS(transport), .read = read_comm },
    { PEN_OPTION_SETS(debug.network_delay) },
    { "seed", "N", "seed of the random numbers of a run (1; with --resume the checkpoint's)", PEN_OPTION_SETS(seed),
      .compared = true },
    { "migrate-random", "SEED[:PART]", "before every step, move this part (0.1) of the nodes to random ranks",
      PEN_OPTION_SETS(debug.migrate_part), .high = 1.0, .range = "from 0 to 1", .read = read_migration },
    { PEN_OPTION_SETS(debug.migrate_seed) },
    { "verify", NULL, "recompute serially and compare; exit status 1 on any difference",
      PEN_OPTION_SETS(debug.verify) },
    { "watchdog", "T",
      "the longest time that a step may take (30s, 10m, 2h), or the run ends with status 5; report (default): no "
      "limit, but after 10 minutes without progress print the activity of the ranks; off. It begins when all ranks "
      "have begun: one that is stopped before MPI_Init has ended is waited for without limit",
      PEN_OPTION_SETS(debug.watchdog), .initial = "report", .special = PEN_WATCHDOG_REPORT,
      .range = "a number of seconds >= 0, or PEN_WATCHDOG_REPORT", .read = read_watchdog },
    { "check", NULL, "report illegal accesses of node functions with node, field and phase; exit status 1",
      PEN_OPTION_SETS(debug.strict) },
    { PEN_OPTION_SETS(debug.trace) },
    { "input", "FILE|NAMES:FILE",
      "read values of nodes or edges, and coordinates (x, y, z), from CSV (NAMES: gid=COLUMN,...) or NumPy's .npy "
      "(NAMES: its columns); can be given several times",
      PEN_OPTION_SETS(input), .repeats = true, .compared = true },
    { "observables", "FILE|-|-,FILE[:every=N]",
      "write the observables as CSV during the run, a line after every N-th step (1); -: print them; -,FILE: both",
      PEN_OPTION_SETS(output.observables), .output = true, .read = read_observables },
    { PEN_OPTION_SETS(output.observables_every) },
    { "output", "PATTERN",
      "write members of all nodes' records to .npy, .csv, .vtu, .pvtu or .pvd; may contain {step} and {name}",
      PEN_OPTION_SETS(output.path), .output = true },
    { "output-every", "N",
      "write --output before the first step, after every N-th and after the last (only after the last)",
      PEN_OPTION_SETS(output.every), .low = 1, .needs = "output=PATTERN", .output = true },
    { "output-fields", "A,B", "the members that --output writes; also gid, owner, load", PEN_OPTION_SETS(output.fields),
      .needs = "output=PATTERN", .output = true },
    { "record", "FILE", "write the data that balancers see in each step, for pen-sim", PEN_OPTION_SETS(output.record),
      .output = true },
    { "checkpoint", "DIR",
      "write checkpoints into this folder (shm: the hosts' memory), also on SIGUSR1, and before ending on SIGTERM",
      PEN_OPTION_SETS(checkpoint.folder), .output = true, .read = read_checkpoint },
    { "checkpoint-every", "N|TIME",
      "write a checkpoint after every N steps, or that long after the last one: 90s, 10m, 2h (10m)",
      PEN_OPTION_SETS(checkpoint.every_steps), .needs = "checkpoint=DIR", .output = true, .read = read_every },
    { PEN_OPTION_SETS(checkpoint.every_seconds) },
    { "checkpoint-before", "TIME", "write a checkpoint and end before HH:MM, YYYY-MM-DDTHH:MM or @SECONDS since 1970",
      PEN_OPTION_SETS(checkpoint.before), .needs = "checkpoint=DIR", .output = true, .read = read_before },
    { "accept", "OPTION[,...]",
      "with --resume: continue although these options have changed: the application's, steps, seed or input",
      PEN_OPTION_SETS(checkpoint.accept), .needs = "resume", .output = true },
    { "progress", "MODE", "print a progress line on standard error: auto (default: on a terminal), on, off",
      PEN_OPTION_SETS(progress), .high = PEN_PROGRESS_AUTO, .initial = "auto", .output = true, .local = true,
      .read = read_progress },
};

const pen_part_option *pen_run_option(int index)
{
    if (index < PEN_COUNT_OF(table)) return &table[index];
    index -= PEN_COUNT_OF(table);
    for (const pen_part *const *p = pen_parts; *p; p++)
        for (const pen_part_option *o = (*p)->options; o && (o->name || o->member); o++)
            if (index-- == 0) return o;
    return NULL;
}
