/* main.c - pen-keep: watches a run, and starts it again from its last checkpoint when it dies. */
#include "base/memory.h"
#include "base/options.h"
#include "driver/version.h"
#include "tools/keep/death.h"
#include "tools/keep/hosts.h"
#include "tools/keep/job.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { USAGE = 2, GAVE_UP = 3, SIGNAL_STATUS = 128, TEXT_ROOM = 2048 };

typedef struct keeper {
    int64_t retries;
    bool drop, help, version;
    const char *probe;
    line line;
    hosts hosts;
    int64_t deaths; /* in a row, without a newer checkpoint */
    int64_t newest; /* the step of the newest checkpoint when the run was started last; -1: there was none */
} keeper;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- One start ---------------------------------------------------------------------------------------- */

static pen_status run_once(keeper *k, bool again, death *d)
{
    line now = k->line;
    char **words;
    const job_listener listener = { pen_death_hear, d };
    *d = (death){ .name = pen_line_name(&k->line), .again = again };
    if (k->drop) PEN_TRY(pen_hosts_line(&k->hosts, &k->line, &now));
    pen_status status = pen_line_words(&now, k->newest >= 0, again, &words);
    if (status == PEN_OK) {
        double start = seconds_now();
        status = pen_job_run(words, &listener, &d->status);
        d->seconds = seconds_now() - start;
        free(words);
    }
    if (k->drop) free(now.words);
    return status;
}

/* ---- After it has died --------------------------------------------------------------------------------- */

static const char *place(int64_t newest, char *text, size_t room)
{
    if (newest < 0) snprintf(text, room, "the beginning");
    else snprintf(text, room, "step %" PRId64, newest);
    return text;
}

/* Look what is left, and say what comes; PEN_ERR_ENVIRONMENT: nothing does. */
static pen_status prepare_again(keeper *k, const death *d)
{
    char how[TEXT_ROOM], from[64], without[TEXT_ROOM] = "", count[64] = "";
    int64_t newest;
    if (!pen_job_clear()) pen_warn("processes of the run cannot be killed, and may hold its checkpoints");
    PEN_TRY(pen_line_newest(&k->line, &newest));
    k->deaths = newest > k->newest ? 0 : k->deaths + 1;
    k->newest = newest;
    pen_death_describe(d, how, sizeof how);
    place(newest, from, sizeof from);
    if (k->deaths >= k->retries)
        return pen_fail(PEN_ERR_ENVIRONMENT,
                        "died after %.1f s, %s; given up at %s, deaths without a new checkpoint: %" PRId64, d->seconds,
                        how, from, k->deaths);
    pen_status status = k->drop ? pen_hosts_drop(&k->hosts, d, without, sizeof without) : PEN_OK;
    if (status != PEN_OK)
        return pen_fail(status, "died after %.1f s, %s; given up at %s: %s", d->seconds, how, from,
                        pen_error_message());
    if (k->deaths > 0)
        snprintf(count, sizeof count, " (deaths without a new checkpoint: %" PRId64 " of %" PRId64 ")", k->deaths,
                 k->retries);
    fprintf(stderr, "pen-keep: died after %.1f s, %s; goes on from %s%s%s%s\n", d->seconds, how, from,
            without[0] ? ", " : "", without, count);
    return PEN_OK;
}

/* Launchers end on SIGINT with 0 or 1, which would be the program's. */
static int told_status(const death *d)
{
    const int by = pen_job_told_to_end();
    return by == SIGINT || by == SIGHUP ? SIGNAL_STATUS + by : pen_death_shell_status(d);
}

static pen_status keep(keeper *k, int *exit_status)
{
    death d;
    pen_job_listen();
    for (bool again = false;; again = true) {
        PEN_TRY(run_once(k, again, &d));
        *exit_status = told_status(&d);
        if (pen_job_told_to_end() || !pen_death_is(&d)) return PEN_OK;
        PEN_TRY(prepare_again(k, &d));
        if (pen_job_told_to_end()) return PEN_OK;
    }
}

/* ---- The command line ---------------------------------------------------------------------------------- */

static void print_help(const pen_option *options)
{
    printf("usage: pen-keep [OPTION ...] mpirun -n RANKS PROGRAM --checkpoint=DIR [OPTION OF PROGRAM ...]\n"
           "Watches a run, and starts it again from its last checkpoint when it dies.\n");
    pen_option_groups_print(stdout, &(pen_option_group){ "options", options }, 1);
}

static pen_status read_line(keeper *k, int argc, char **argv)
{
    const pen_option options[] = {
        { "retries", "N", "give up after N deaths in a row without a new checkpoint (3)", PEN_OPTION_INT, &k->retries,
          1, INT64_MAX },
        { "drop", NULL, "go on without hosts that failed", PEN_OPTION_FLAG, &k->drop, 0, 0 },
        { "probe", "COMMAND", "with --drop: whether HOST can be reached (ssh -o BatchMode=yes ... HOST true)",
          PEN_OPTION_TEXT, &k->probe, 0, 0 },
        { "help", NULL, "print this", PEN_OPTION_FLAG, &k->help, 0, 0 },
        { "version", NULL, "print the version", PEN_OPTION_FLAG, &k->version, 0, 0 },
        { .name = NULL },
    };
    int own = 1;
    while (own < argc && argv[own][0] == '-') own++;
    PEN_TRY(pen_option_groups_parse(own, argv, &(pen_option_group){ "options", options }, 1));
    if (k->help) print_help(options);
    else if (k->version) pen_version_print("pen-keep", stdout);
    if (k->help || k->version) return PEN_OK;
    PEN_TRY(pen_line_read(argc - own, argv + own, &k->line));
    if (k->drop) PEN_TRY(pen_hosts_read(&k->line, k->probe, &k->hosts));
    return pen_line_newest(&k->line, &k->newest);
}

int main(int argc, char **argv)
{
    keeper k = { .retries = 3, .probe = "ssh -o BatchMode=yes -o ConnectTimeout=5 HOST true" };
    int exit_status = 0;
    pen_status status = read_line(&k, argc, argv);
    if (status == PEN_OK && !k.help && !k.version) status = keep(&k, &exit_status);
    pen_hosts_free(&k.hosts);
    if (status == PEN_OK) return exit_status;
    fprintf(stderr, "pen-keep: %s\n", pen_error_message());
    return status == PEN_ERR_ENVIRONMENT ? GAVE_UP : USAGE;
}
