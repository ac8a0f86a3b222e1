#include "run/saver.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/output.h"
#include "checkpoint/folder.h"
#include "observe/timers.h"
#include "run/save.h"
#include "run/saving_time.h"

#include <fcntl.h>
#include <penumbra_checkpoint.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* All ranks look together whether something is due, about this often, since looking is an all-reduce; but no fewer
 * steps lie between two looks than that, lest steps become slow all of a sudden. */
static const double LOOK_SECONDS = 0.1;
enum { MOST_PASSED = 1000 };

struct pen_saver {
    pen_folder folder; /* on rank 0 */
    char *path;
    int64_t newest, before;     /* the generations that stay; -1: none */
    int64_t every;              /* steps, 0: not by steps; */
    double seconds;             /* 0: not by the clock */
    double before_time;         /* seconds since 1970, when a checkpoint must be there and the run ends; 0: never */
    double saved_at, looked_at; /* on this rank's clock */
    double longest_look;        /* between two looks, over ranks */
    double longest_save;
    int64_t looked, next_look;   /* steps */
    sig_atomic_t asked, stopped; /* how many signals have been heeded */
    pen_saver_totals totals;
};

/* ---- Signals --------------------------------------------------------------------------------------- */

/* A process has one set of handlers, however many runs: each run counts for itself what it has heeded. */
static volatile sig_atomic_t asked, stopped;
static int listeners;
static struct sigaction usual_asked, usual_stopped;

static void hear(int signal)
{
    if (signal == SIGTERM) stopped++;
    else asked++;
}

static void listen(void)
{
    struct sigaction action = { .sa_handler = hear, .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    if (listeners++ > 0) return;
    sigaction(SIGUSR1, &action, &usual_asked);
    sigaction(SIGTERM, &action, &usual_stopped);
}

static void listen_no_more(void)
{
    if (--listeners > 0) return;
    sigaction(SIGUSR1, &usual_asked, NULL);
    sigaction(SIGTERM, &usual_stopped, NULL);
}

/* ---- The beginning ------------------------------------------------------------------------------------ */

static pen_status read_options(const pen_run_options *o, int64_t *every, double *seconds, double *before)
{
    const char *others[] = { o->checkpoint_every, o->checkpoint_before };
    const char *const names[] = { "--checkpoint-every", "--checkpoint-before" };
    for (int i = 0; i < PEN_COUNT_OF(others); i++)
        if (others[i] && !o->checkpoint) return pen_fail(PEN_ERR_INPUT, "%s needs --checkpoint=DIR", names[i]);
    PEN_TRY(pen_saving_every(o->checkpoint_every, every, seconds));
    return o->checkpoint_before ? pen_saving_before(o->checkpoint_before, before) : PEN_OK;
}

pen_status pen_saver_check(const pen_run_options *options)
{
    int64_t every;
    double seconds, before;
    return read_options(options, &every, &seconds, &before);
}

/* Rank 0. Whether that file is the generation of that step in a folder, by whatever name. */
static pen_status is_in(const char *path, const char *folder, int64_t step, bool *is)
{
    char *name;
    PEN_TRY(pen_folder_name(folder, step, &name));
    int file = open(path, O_RDONLY | O_CLOEXEC);
    *is = file >= 0 && pen_output_is_at(file, name);
    if (file >= 0) close(file);
    free(name);
    return PEN_OK;
}

/* Rank 0. Generations that nobody has resumed may be all that another run has left. */
static pen_status look_around(pen_saver *s, const pen_resume *resume)
{
    int64_t *steps = NULL, resumed = resume ? resume->saved.step : -1;
    int count = 0;
    bool ours = false;
    PEN_TRY(pen_folder_open(s->path, &s->folder));
    pen_status status = pen_folder_list(s->path, &steps, &count);
    free(steps);
    if (status == PEN_OK && resume) status = is_in(resume->file.path, s->path, resumed, &ours);
    PEN_TRY(status);
    if (ours) s->newest = resumed;
    if (count > 0 && !ours)
        return pen_fail(PEN_ERR_INPUT,
                        "%s: there are checkpoints: --resume goes on from them; to begin anew, remove them", s->path);
    return PEN_OK;
}

static pen_status open_saver(pen_comm *comm, const pen_run_options *options, const pen_resume *resume, pen_saver *s)
{
    PEN_TRY(read_options(options, &s->every, &s->seconds, &s->before_time));
    PEN_TRY(pen_copy_text(options->checkpoint, &s->path));
    s->saved_at = s->looked_at = pen_seconds_now();
    if (resume) s->looked = resume->saved.step;
    s->next_look = s->looked + 1;
    return comm->rank == 0 ? look_around(s, resume) : PEN_OK;
}

pen_status pen_saver_create(pen_comm *comm, const pen_run_options *options, const pen_resume *resume, pen_saver **saver)
{
    pen_saver *s;
    *saver = NULL;
    if (!options->checkpoint) return PEN_OK;
    pen_status status = PEN_ALLOC_ZERO(&s, 1);
    if (status == PEN_OK) {
        s->folder.lock = -1;
        s->newest = s->before = -1;
        listen();
        s->asked = asked;
        s->stopped = stopped;
        status = open_saver(comm, options, resume, s);
    }
    *saver = s;
    status = pen_agree(comm, status);
    if (status != PEN_OK) pen_saver_destroy(saver);
    return status;
}

void pen_saver_destroy(pen_saver **saver)
{
    pen_saver *s = *saver;
    if (!s) return;
    listen_no_more();
    pen_folder_close(&s->folder);
    PEN_FREE_ALL(s->path, s);
    *saver = NULL;
}

pen_saver_totals pen_saver_so_far(const pen_saver *saver)
{
    return saver ? saver->totals : (pen_saver_totals){ .written = 0 };
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

/* Collective. */
static pen_status write_generation(pen_run *run, const char *folder, int64_t *bytes)
{
    char *path = NULL;
    pen_status status = pen_agree(run->comm, pen_folder_name(folder, run->step, &path));
    if (status == PEN_OK) status = pen_save(run, path, bytes);
    free(path);
    return status;
}

/* The generation of run->step is there. */
static void keep_two(const pen_folder *folder, int64_t step, int64_t *newest, int64_t *before)
{
    if (*newest != step) *before = *newest;
    *newest = step;
    if (folder->path) pen_folder_keep(folder, *newest, *before);
}

/* Collective. */
static pen_status write_due(pen_run *run)
{
    pen_saver *s = run->saver;
    int64_t bytes = 0;
    double start = pen_seconds_now(), mine, took;
    pen_status status = write_generation(run, s->path, &bytes);
    if (status == PEN_ERR_MPI) return status;
    mine = (s->saved_at = pen_seconds_now()) - start;
    PEN_MPI(MPI_Allreduce(&mine, &took, 1, MPI_DOUBLE, MPI_MAX, run->comm->mpi));
    run->timers.loop -= mine; /* as other output */
    s->totals.seconds += took;
    if (took > s->longest_save) s->longest_save = took;
    if (status == PEN_OK) {
        keep_two(&s->folder, run->step, &s->newest, &s->before);
        s->totals.written++;
        s->totals.bytes += bytes;
        return PEN_OK;
    }
    s->totals.failed++;
    if (run->comm->rank == 0)
        pen_warn("no checkpoint after step %" PRId64 ": %s; those before it stay", run->step, pen_error_message());
    return status;
}

/* ---- What is due --------------------------------------------------------------------------------------- */

enum { ASKED, STOPPED, CLOCK, OUT_OF_TIME, LOOKED, DUES };

/* Collective. */
static pen_status look(pen_run *run, double due[DUES])
{
    pen_saver *s = run->saver;
    const double now = pen_seconds_now(), since = now - s->looked_at;
    const double margin = PEN_SAVING_MARGIN + 2.0 * (s->longest_save + s->longest_look);
    const sig_atomic_t heard_asked = asked, heard_stopped = stopped;
    double mine[DUES] = { [ASKED] = heard_asked != s->asked,
                          [STOPPED] = heard_stopped != s->stopped,
                          [CLOCK] = s->seconds > 0.0 && now - s->saved_at >= s->seconds,
                          [OUT_OF_TIME] = s->before_time > 0.0 && pen_saving_now() + margin >= s->before_time,
                          [LOOKED] = since };
    PEN_MPI(MPI_Allreduce(mine, due, DUES, MPI_DOUBLE, MPI_MAX, run->comm->mpi));
    const int64_t passed = run->step - s->looked;
    const double each = passed > 0 ? due[LOOKED] / (double)passed : LOOK_SECONDS;
    double gap = each > 0.0 ? LOOK_SECONDS / each : MOST_PASSED;
    if (gap > MOST_PASSED) gap = MOST_PASSED;
    s->asked = heard_asked;
    s->stopped = heard_stopped;
    s->looked_at = now;
    s->looked = run->step;
    s->next_look = run->step + (gap < 1.0 ? 1 : (int64_t)gap);
    if (due[LOOKED] > s->longest_look) s->longest_look = due[LOOKED];
    return PEN_OK;
}

void pen_saver_begin(pen_saver *s, int64_t step) { s->next_look = step + 1; }

pen_status pen_saver_step(pen_run *run)
{
    pen_saver *s = run->saver;
    double due[DUES] = { 0.0 };
    if (run->step >= s->next_look) PEN_TRY(look(run, due));
    const bool ends = due[STOPPED] > 0.0 || due[OUT_OF_TIME] > 0.0, last = run->end != PEN_END_OPEN;
    bool wanted = ends || due[ASKED] > 0.0 || due[CLOCK] > 0.0 || (s->every > 0 && run->step % s->every == 0);
    pen_status status = wanted && s->newest != run->step ? write_due(run) : PEN_OK;
    if (status == PEN_ERR_MPI) return status;
    if (!ends || last) return PEN_OK;
    if (status != PEN_OK) return status;
    return pen_fail(PEN_ERR_STOPPED, "ended by %s after step %" PRId64 ": --resume=%s goes on from there",
                    due[STOPPED] > 0.0 ? "SIGTERM" : "--checkpoint-before", run->step, s->path);
}

/* ---- Public -------------------------------------------------------------------------------------------- */

/* Collective. In a folder that is not the saver's: whose it is is looked at now. */
static pen_status save_elsewhere(pen_run *run, const char *path)
{
    pen_folder folder = { .lock = -1 };
    int64_t *steps = NULL, before = -1, bytes;
    int count = 0;
    pen_status status = PEN_OK;
    if (run->comm->rank == 0) status = pen_folder_open(path, &folder);
    if (status == PEN_OK && run->comm->rank == 0) status = pen_folder_list(path, &steps, &count);
    status = pen_agree(run->comm, status);
    for (int i = 0; i < count && before < 0; i++)
        if (steps[i] < run->step) before = steps[i];
    if (status == PEN_OK) status = write_generation(run, path, &bytes);
    if (status == PEN_OK && folder.path) pen_folder_keep(&folder, run->step, before);
    free(steps);
    pen_folder_close(&folder);
    return status;
}

pen_status pen_run_save(pen_run *run, const char *folder)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_save");
    PEN_TRY(pen_mpi_ready());
    PEN_TRY(pen_equal_text(run->comm, "folder", folder));
    PEN_ARGUMENT(folder && *folder, "pen_run_save needs a folder");
    if (!run->saver || strcmp(run->saver->path, folder) != 0) return save_elsewhere(run, folder);
    int64_t bytes;
    PEN_TRY(write_generation(run, folder, &bytes));
    keep_two(&run->saver->folder, run->step, &run->saver->newest, &run->saver->before);
    return PEN_OK;
}
