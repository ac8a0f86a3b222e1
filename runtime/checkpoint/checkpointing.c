/* checkpointing.c - decides when a running run writes checkpoints, and which ones are kept. */
#include "checkpoint/checkpointing.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/output.h"
#include "observe/timers.h"

#include <ctype.h>
#include <fcntl.h>
#include <penumbra_checkpoint.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Seconds before a given time at which a run starts to write, in addition to the duration of a write and of a step. */
#define PEN_CHECKPOINT_MARGIN 10.0

/* The time in seconds since 1970. */
static double due_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* All ranks look together whether a checkpoint is due. A look is an all-reduce, so it is done about this often. The
 * number of steps between two looks is limited, in case steps suddenly become slow. */
static const double LOOK_SECONDS = 0.1;
enum { MOST_PASSED = 1000 };

/* The checkpoints so far; equal on all ranks. */
typedef struct totals {
    int64_t written, failed, bytes; /* `bytes` is the sum over all written checkpoints */
    double seconds;                 /* maximum over ranks of the time of all checkpoints */
} totals;

typedef struct pen_checkpointing {
    pen_location *place;
    bool catches;               /* the run catches signals */
    bool empty;                 /* there were no checkpoints when the run began */
    bool stays;                 /* checkpoints in memory are kept when the run is destroyed */
    bool ends_by_itself;        /* a run that is destroyed now has finished: it has begun, and was not asked to end */
    pen_status unsaved;         /* why the state after the last step could not be written; PEN_OK: it is written */
    int64_t newest, before;     /* steps of the generations that are kept; -1: none */
    int64_t every;              /* number of steps between checkpoints; 0: not by steps */
    double seconds;             /* seconds between checkpoints; 0: not by the clock */
    double before_time;         /* time in seconds since 1970 by which the run writes a checkpoint and ends; 0: none */
    double saved_at, looked_at; /* times on this rank's clock */
    double longest_look;        /* longest time between two looks, maximum over ranks */
    double longest_save;
    int64_t looked, next_look;   /* steps of the last look and of the next one */
    sig_atomic_t asked, stopped; /* number of signals that this run has handled */
    totals totals;
} pen_checkpointing;

static pen_checkpointing *checkpointing_of(const pen_run *run) { return pen_part_state(run, &pen_part_checkpoints); }

/* ---- Signals --------------------------------------------------------------------------------------- */

/* A process has one set of handlers for all its runs; each run counts the signals that it has handled. */
static volatile sig_atomic_t asked, stopped;
static int catching; /* number of runs that catch signals */
static bool listens; /* whether the program catches SIGUSR1 before there is a run */
static struct sigaction usual_asked, usual_stopped;

static void on_signal(int signal)
{
    if (signal == SIGTERM) stopped++;
    else asked++;
}

static void catch_one(int signal, struct sigaction *usual)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, usual);
}

static void catch_signals(void)
{
    if (catching++ > 0) return;
    catch_one(SIGUSR1, &usual_asked);
    catch_one(SIGTERM, &usual_stopped);
}

void pen_checkpointing_listen(void)
{
    catch_one(SIGUSR1, NULL);
    listens = true;
}

static void release_signals(void)
{
    if (--catching > 0) return;
    sigaction(SIGUSR1, &usual_asked, NULL);
    sigaction(SIGTERM, &usual_stopped, NULL);
}

/* ---- Opening ------------------------------------------------------------------------------------------ */

/* Rank 0. Whether `path` is the file of the generation of a step in a folder, under any name. */
static pen_status is_in(const char *path, const char *place, int64_t step, bool *is)
{
    char *name;
    PEN_TRY(pen_folder_name(pen_location_full(place), step, &name));
    int file = pen_location_in_memory(place) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    *is = strcmp(path, name) == 0 || (file >= 0 && pen_file_is_at(file, name));
    if (file >= 0) close(file);
    free(name);
    return PEN_OK;
}

/* Rank 0. Refuse a folder with generations of another run, unless this run was resumed from it: they may be its only
 * ones. So may those that are newer than the file that a run is resumed from. [count] steps, newest first. */
static pen_status claim(pen_checkpointing *s, const int64_t *steps, int count, const pen_resume *resume)
{
    const char *name = s->place->name;
    bool ours = false;
    if (resume) PEN_TRY(is_in(resume->file.path, name, resume->saved.step, &ours));
    if (ours) s->newest = resume->saved.step;
    if (ours && resume->named && count > 0 && steps[0] > s->newest)
        return pen_fail(PEN_ERR_INPUT,
                        "%s: its newest checkpoint is after step %" PRId64 ", but the run continues from step %" PRId64
                        ": remove those that are newer, or choose another folder",
                        name, steps[0], s->newest);
    if (count == 0 || ours) return PEN_OK;
    if (pen_location_in_memory(name))
        return pen_fail(
            PEN_ERR_INPUT,
            "%s: there are checkpoints: --resume continues from them; to start again, remove %s on all hosts, "
            "or take shm:ANOTHER-NAME",
            name, s->place->path);
    return pen_fail(PEN_ERR_INPUT,
                    "%s: there are checkpoints: --resume continues from them; to start again, remove them", name);
}

/* Collective. */
static pen_status look_around(pen_comm *comm, pen_checkpointing *s, const char *name, const pen_resume *resume)
{
    int64_t *steps = NULL;
    int count = 0;
    PEN_TRY(pen_location_open(comm, name, &s->place));
    PEN_TRY(pen_location_list(comm, name, &steps, &count));
    s->empty = count == 0;
    pen_status status = comm->rank == 0 ? claim(s, steps, count, resume) : PEN_OK;
    free(steps);
    PEN_TRY(pen_agree(comm, status));
    PEN_TRY(pen_broadcast(comm, &s->newest, (int)sizeof s->newest, 0));
    if (comm->rank == 0 && comm->hosts == 1 && s->place->copies)
        pen_warn("%s: there is one host: checkpoints in its memory survive the ranks, but not the host", name);
    PEN_TRY(pen_agree(comm, pen_location_mark(s->place, false)));
    s->ends_by_itself = true;
    return PEN_OK;
}

static void open_checkpointing(const pen_checkpoint_options *options, const pen_resume *resume, pen_checkpointing *s)
{
    static const double usual_seconds = 600.0;
    const bool usual = options->every_steps == 0 && options->every_seconds == 0.0;
    s->every = options->every_steps;
    s->seconds = usual ? usual_seconds : options->every_seconds;
    s->before_time = (double)options->before;
    s->saved_at = pen_seconds_now();
    if (resume) s->looked = resume->saved.step;
    s->next_look = s->looked + 1;
}

static pen_status create(pen_run *run, void *state, const pen_run_options *options, pen_graph *graph)
{
    pen_checkpointing *s = state;
    s->newest = s->before = -1;
    catch_signals();
    s->catches = true;
    s->asked = listens ? 0 : asked;
    s->stopped = stopped;
    open_checkpointing(&options->checkpoint, run->origin.resume, s);
    return look_around(run->comm, s, options->checkpoint.folder, run->origin.resume);
}

static void destroy(pen_run *run, void *state)
{
    pen_checkpointing *s = state;
    if (s->catches) release_signals();
    const bool finished = s->ends_by_itself && !s->stays && s->unsaved == PEN_OK;
    if (finished && pen_location_mark(s->place, true) != PEN_OK) pen_warn("%s", pen_error_message());
    const bool unused = s->empty && s->newest < 0;
    if (s->place && (unused || (s->ends_by_itself && pen_run_is_over(run))) && !s->stays) pen_location_clear(s->place);
    pen_location_close(&s->place);
}

pen_status pen_checkpointing_saved(const pen_run *run)
{
    const pen_checkpointing *s = checkpointing_of(run);
    if (!s || s->unsaved == PEN_OK) return PEN_OK;
    return pen_fail(s->unsaved, "--checkpoint=%s: the state after the last step could not be written", s->place->name);
}

void pen_checkpointing_stay(pen_run *run)
{
    pen_checkpointing *s = checkpointing_of(run);
    if (s) s->stays = true;
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

/* Keep the new generation, of `step`, and the one before; remove older ones. */
static void keep_two(pen_checkpointing *s, int64_t step)
{
    if (s->newest != step) s->before = s->newest;
    s->newest = step;
    s->unsaved = PEN_OK;
    pen_location_keep(s->place, s->newest, s->before);
}

/* Collective. */
static pen_status write_due(pen_run *run, pen_checkpointing *s)
{
    int64_t bytes = 0;
    double start = pen_seconds_now(), mine, took;
    pen_status status = pen_checkpoint_write_run(run, s->place, &bytes);
    if (status == PEN_ERR_MPI) return status;
    mine = (s->saved_at = pen_seconds_now()) - start;
    PEN_TRY(pen_all_reduce(run->comm, &mine, &took, 1, MPI_DOUBLE, MPI_MAX));
    run->timers.loop -= mine; /* the time does not count as part of the steps, as for other output */
    s->totals.seconds += took;
    if (took > s->longest_save) s->longest_save = took;
    if (status == PEN_OK) {
        keep_two(s, run->step);
        s->totals.written++;
        s->totals.bytes += bytes;
        return PEN_OK;
    }
    s->totals.failed++;
    if (run->comm->rank == 0)
        pen_warn("no checkpoint after step %" PRId64 ": %s; earlier ones are kept", run->step, pen_error_message());
    return status;
}

/* ---- Due checkpoints ----------------------------------------------------------------------------------- */

enum { ASKED, STOPPED, CLOCK, OUT_OF_TIME, LOOKED, DUES };

/* Collective. */
static pen_status look(const pen_run *run, pen_checkpointing *s, double due[DUES])
{
    const double now = pen_seconds_now(), since = now - s->looked_at;
    const double margin = PEN_CHECKPOINT_MARGIN + 2.0 * (s->longest_save + s->longest_look);
    const sig_atomic_t seen_asked = asked, seen_stopped = stopped;
    double mine[DUES] = { [ASKED] = seen_asked != s->asked,
                          [STOPPED] = seen_stopped != s->stopped,
                          [CLOCK] = s->seconds > 0.0 && now - s->saved_at >= s->seconds,
                          [OUT_OF_TIME] = s->before_time > 0.0 && due_now() + margin >= s->before_time,
                          [LOOKED] = since };
    PEN_TRY(pen_all_reduce(run->comm, mine, due, DUES, MPI_DOUBLE, MPI_MAX));
    const int64_t passed = run->step - s->looked;
    const double each = passed > 0 ? due[LOOKED] / (double)passed : LOOK_SECONDS;
    double gap = each > 0.0 ? LOOK_SECONDS / each : MOST_PASSED;
    if (gap > MOST_PASSED) gap = MOST_PASSED;
    s->asked = seen_asked;
    s->stopped = seen_stopped;
    s->looked_at = now;
    s->looked = run->step;
    s->next_look = run->step + (gap < 1.0 ? 1 : (int64_t)gap);
    if (due[LOOKED] > s->longest_look) s->longest_look = due[LOOKED];
    return PEN_OK;
}

/* From here on steps take time; the set-up does not tell how long they take. */
static pen_status ready(pen_run *run, void *state, const pen_run_options *options)
{
    ((pen_checkpointing *)state)->looked_at = pen_seconds_now();
    return PEN_OK;
}

/* Look at the next step, since much time may have passed since the last steps. */
static void enter(pen_run *run, void *state, int64_t steps)
{
    pen_checkpointing *s = state;
    s->next_look = run->step + 1;
    s->ends_by_itself = true;
}

/* Write a checkpoint if one is due, or if an output has failed, which ends the run. If the observables' file has
 * failed, a resumed run could not continue it. In a folder the state of a run that is over is written, too. If a
 * checkpoint cannot be written, a line on standard error says so, earlier ones remain, and the run continues.
 * PEN_ERR_STOPPED: the run was asked to end, and its state is written. PEN_ERR_IO: it was asked to end, and its state
 * is not written. */
static pen_status write_step(pen_run *run, void *state)
{
    pen_checkpointing *s = state;
    if (!run->calls.begun || run->observation->failed) return PEN_OK;
    double due[DUES] = { 0.0 };
    if (run->step >= s->next_look) PEN_TRY(look(run, s, due));
    const bool ends = due[STOPPED] > 0.0 || due[OUT_OF_TIME] > 0.0, last = run->end != PEN_END_OPEN;
    const bool owes = run->files.unwritten.status != PEN_OK; /* .output.write may have saved the run without this */
    bool wanted = ends || owes || due[ASKED] > 0.0 || due[CLOCK] > 0.0 || (s->every > 0 && run->step % s->every == 0);
    /* The final state is written, since a longer run may continue from it; but a finished run leaves nothing in memory.
     */
    const bool final = (last || run->step == run->world.steps) && !s->place->copies;
    if (final) wanted = true;
    pen_status status = wanted && (owes || s->newest != run->step) ? write_due(run, s) : PEN_OK;
    if (status == PEN_ERR_MPI) return status;
    s->unsaved = final && status != PEN_ERR_UNSUPPORTED ? status
                                                        : PEN_OK; /* a graph without nodes has no state to write */
    if (!ends || last) return PEN_OK;
    s->ends_by_itself = false;
    if (status != PEN_OK) return status;
    return pen_fail(PEN_ERR_STOPPED, "ended by %s after step %" PRId64 ": --resume=%s continues from there",
                    due[STOPPED] > 0.0 ? "SIGTERM" : "--checkpoint-before", run->step, s->place->name);
}

/* ---- The part ------------------------------------------------------------------------------------------ */

/* Print the checkpoints, even if none are wanted: the run may have been resumed. */
static void metrics(FILE *out, const pen_run *run, const void *state, const struct pen_report *report)
{
    static const totals none;
    const totals *t = state ? &((const pen_checkpointing *)state)->totals : &none;
    char resumed[32] = "null";
    if (run->origin.step >= 0) snprintf(resumed, sizeof resumed, "%" PRId64, run->origin.step);
    fprintf(out,
            ",\n  \"checkpoints\": {\"written\": %" PRId64 ", \"failed\": %" PRId64 ", \"bytes\": %" PRId64
            ", \"seconds\": %.9f, \"resumed\": %s, \"accepted\": [",
            t->written, t->failed, t->bytes, t->seconds, resumed);
    for (const char *at = run->origin.accepted; at && *at; at += strcspn(at, ","), at += *at == ',') {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        fputs(at > run->origin.accepted ? ", " : "", out);
        pen_json_text(out, name);
    }
    fputs("]}", out);
}

static void summary(FILE *out, const pen_run *run, const void *state, const struct pen_report *report)
{
    const totals *t = &((const pen_checkpointing *)state)->totals;
    fprintf(out, "checkpoints %" PRId64 " written, %" PRId64 " failed, %.1f MiB, %.6f s\n", t->written, t->failed,
            (double)t->bytes / (1 << 20), t->seconds);
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

static const pen_part_option options_of_checkpoints[] = {
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
    { .name = NULL },
};

const pen_part pen_part_checkpoints = {
    .name = "checkpoints",
    .state_size = sizeof(pen_checkpointing),
    .options = options_of_checkpoints,
    .first_decides = true,
    .create = create,
    .ready = ready,
    .enter = enter,
    .write = write_step,
    .metrics = metrics,
    .summary = summary,
    .destroy = destroy,
};

/* ---- Public functions ---------------------------------------------------------------------------------- */

/* Collective. Write to a folder other than the checkpointing's, after checking whose folder it is. */
static pen_status save_elsewhere(pen_run *run, const char *name)
{
    pen_location *place;
    int64_t *steps = NULL, before = -1, bytes;
    int count = 0;
    PEN_TRY(pen_location_open(run->comm, name, &place));
    pen_status status = pen_location_list(run->comm, name, &steps, &count);
    for (int i = 0; i < count && before < 0; i++)
        if (steps[i] < run->step) before = steps[i];
    if (status == PEN_OK) status = pen_checkpoint_write_run(run, place, &bytes);
    if (status == PEN_OK) pen_location_keep(place, run->step, before);
    free(steps);
    pen_location_close(&place);
    return status;
}

pen_status pen_run_save(pen_run *run, const char *folder)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_save");
    PEN_TRY(pen_run_ready(run, "pen_run_save"));
    PEN_TRY(pen_agree_equal(run->comm, PEN_OK, &(pen_argument){ "folder", folder, 0 }, 1));
    PEN_ARGUMENT(folder && *folder, "pen_run_save needs a folder");
    pen_checkpointing *s = checkpointing_of(run);
    int64_t bytes;
    bool own = false;
    if (s) PEN_TRY(pen_location_is_at(run->comm, s->place, folder, &own));
    if (!own) return save_elsewhere(run, folder);
    PEN_TRY(pen_checkpoint_write_run(run, s->place, &bytes));
    keep_two(s, run->step);
    return PEN_OK;
}
