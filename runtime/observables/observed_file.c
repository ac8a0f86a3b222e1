/* observed_file.c - the observables of a run as CSV (RFC 4180, lines end in a newline alone): "step" and the names,
 * then a line per step. A complete line is in the file as soon as it is added, so a killed run leaves all its lines.
 *
 * The file is a new one, which gets its name when the run that writes it is known to begin; until then an old file of
 * that name stays. From then on the old file is gone, and the new one grows. */
#include "base/csv.h"
#include "base/memory_stream.h"
#include "base/options.h"
#include "base/output.h"
#include "base/text_file.h"
#include "observables/reporting.h"
#include "run/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { LONGEST_NUMBER = 32 }; /* bytes of the longest number with its comma */

typedef struct observed_file {
    char *path;
    char *line; /* [room] the last line; after a failure it is not in the file, to which no later checkpoint belongs */
    size_t room;
    int file;
    pen_new_file fresh; /* the file until it has its final name */
    int64_t whole;      /* bytes up to the end of the last complete line */
    int error;          /* errno of the first failure, or 0 */
} observed_file;

static pen_status complain(const observed_file *f)
{
    return pen_fail(PEN_ERR_IO, "%s: cannot write: %s", f->path, strerror(f->error));
}

/* Write the whole line, or nothing. */
static pen_status write_line(observed_file *f, const char *line, size_t size)
{
    if (pen_write_at(f->file, f->path, line, (int64_t)size, f->whole) != PEN_OK) {
        f->error = errno;
        if (ftruncate(f->file, (off_t)f->whole) != 0) pen_warn("%s: its last line is incomplete", f->path);
        return complain(f);
    }
    f->whole += (int64_t)size;
    return PEN_OK;
}

static pen_status write_names(observed_file *f, const pen_observables *o)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = pen_memory_stream(&text, &size);
    if (out) {
        fputs("step", out);
        for (int i = 0; i < o->count; i++) {
            fputc(',', out);
            pen_csv_print(o->table[o->values.order[i]].name, out);
        }
        fputc('\n', out);
    }
    pen_status status = out && fclose(out) == 0 ? write_line(f, text, size)
                                                : pen_fail(PEN_ERR_MEMORY, "%s: out of memory", f->path);
    if (status == PEN_OK) memcpy(f->line, text, size + 1);
    free(text);
    return status;
}

/* Bytes for the line of quoted names, and for a line of numbers. */
static size_t room_of(const pen_observables *o)
{
    size_t names = 0;
    for (int i = 0; i < o->count; i++) names += 2 * strlen(o->table[i].name);
    return names + (size_t)LONGEST_NUMBER * ((size_t)o->count + 2);
}

static pen_status start(const char *path, const pen_observables *o, observed_file **file)
{
    observed_file *f;
    PEN_TRY(PEN_ALLOC_ZERO(file, 1));
    f = *file;
    f->file = -1;
    f->fresh = (pen_new_file)PEN_NO_FILE;
    f->room = room_of(o);
    PEN_TRY(PEN_ALLOC(&f->line, (int64_t)f->room));
    return pen_copy_text(path, &f->path);
}

/* Create a new file. An old file may still be open in a run that is being killed, whose lines must not get into this
 * run's file. */
static pen_status create(observed_file *f)
{
    PEN_TRY(pen_new_file_create(f->path, &f->fresh));
    f->file = fcntl(f->fresh.file, F_DUPFD_CLOEXEC, 0);
    return f->file >= 0 ? PEN_OK : pen_fail(PEN_ERR_IO, "%s: cannot open: %s", f->path, strerror(errno));
}

static pen_status begin_file(observed_file *f, const pen_observables *o)
{
    PEN_TRY(create(f));
    return write_names(f, o);
}

static void close_file(observed_file **file)
{
    if (!*file) return;
    (void)(pen_new_file_finish(&(*file)->fresh, PEN_ERR_IO) == PEN_OK);
    if ((*file)->file >= 0) close((*file)->file);
    PEN_FREE_ALL((*file)->path, (*file)->line, *file);
    *file = NULL;
}

/* Print the line of these values. Returns its length. */
static size_t print_line(observed_file *f, int64_t step, const pen_observables *o)
{
    char *line = f->line;
    int size = snprintf(line, f->room, "%" PRId64, step);
    for (int i = 0; i < o->count; i++) {
        line[size++] = ',';
        pen_observation_text(o, o->values.order[i], line + size, LONGEST_NUMBER);
        size += (int)strlen(line + size);
    }
    line[size++] = '\n';
    line[size] = '\0';
    return (size_t)size;
}

/* Whether the file has `line` just before offset `bytes`. */
static bool ends_in(int file, const char *line, int64_t bytes)
{
    size_t length = strlen(line);
    char *found = (char *)malloc(length + 1);
    bool same = found && bytes >= (int64_t)length &&
                pen_read_at(file, "", found, (int64_t)length, bytes - (int64_t)length) == PEN_OK &&
                memcmp(found, line, length) == 0;
    free(found);
    return same;
}

/* Copy the first `bytes` bytes of a file. */
static pen_status copy_beginning(observed_file *f, int from, int64_t bytes)
{
    enum { PIECE = 1 << 16 };
    char *piece;
    pen_status status = PEN_ALLOC(&piece, PIECE);
    while (status == PEN_OK && f->whole < bytes) {
        const int64_t left = bytes - f->whole, size = left < PIECE ? left : PIECE;
        status = pen_read_at(from, f->path, piece, size, f->whole);
        if (status == PEN_OK) status = pen_write_at(f->file, f->path, piece, size, f->whole);
        f->whole += size;
    }
    free(piece);
    return status;
}

static pen_status go_on(observed_file *f, const char *path, const char *line, int64_t bytes)
{
    int from;
    int64_t size;
    PEN_TRY(pen_regular_descriptor(path, false, &from, &size));
    pen_status status = PEN_OK;
    if (!ends_in(from, line, bytes))
        status = pen_fail(PEN_ERR_INPUT,
                          "%s: its lines differ from those of the resumed run up to its checkpoint: give the file of "
                          "that run, or a new name",
                          path);
    if (status == PEN_OK) status = create(f);
    if (status == PEN_OK) status = copy_beginning(f, from, bytes);
    snprintf(f->line, f->room, "%s", line);
    close(from);
    return status;
}

/* ---- The part ------------------------------------------------------------------------------- */

typedef struct part {
    observed_file *file; /* the open file on rank 0; NULL on other ranks */
    bool open;           /* the file gets lines, equal on all ranks; false after a failure that has been returned */
    bool begun;          /* the line of the first state has been written, though another output may have failed */
    int64_t every;       /* number of steps between two lines */
    char *line;          /* last line in the checkpoint of a resumed run; NULL: there was none */
    int64_t bytes;       /* length of the file in that checkpoint */
} part;

static pen_status open_part(pen_run *run, void *state, const pen_run_options *options)
{
    part *p = state;
    p->every = options->output.observables_every > 0 ? options->output.observables_every : 1;
    return pen_observables_needed(run->observation->count);
}

/* Refuse to replace a file with lines up to step `last`, which a run resumed from there does not write again. One that
 * such a run has left before its first checkpoint has only later lines. */
static pen_status spare_lines(const char *path, int64_t last)
{
    static const char NAMES[] = "step,";
    FILE *file;
    int64_t size;
    char *line = NULL;
    size_t room = 0;
    PEN_TRY(pen_regular_open(path, false, &file, &size));
    const bool ours = getline(&line, &room, file) > 0 && strncmp(line, NAMES, sizeof NAMES - 1) == 0;
    const bool loses = ours && getline(&line, &room, file) > 0 && strtoll(line, NULL, 10) <= last;
    free(line);
    fclose(file);
    if (!loses) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT,
                    "%s: it has lines up to the resumed run's checkpoint, which has none of them: give a new name",
                    path);
}

/* Begin the file, or continue it after its first bytes, which end in the checkpoint's line; later lines are removed. */
static pen_status open_named(const pen_run *run, part *p, const char *path)
{
    const bool exists = access(path, F_OK) == 0;
    PEN_TRY(start(path, run->observation, &p->file));
    if (exists && !p->line && run->origin.step > 0) PEN_TRY(spare_lines(path, run->origin.step));
    if (exists && p->line) PEN_TRY(go_on(p->file, path, p->line, p->bytes));
    else PEN_TRY(begin_file(p->file, run->observation));
    return pen_new_file_finish(&p->file->fresh, PEN_OK);
}

static pen_status ready(pen_run *run, void *state, const pen_run_options *options)
{
    part *p = state;
    p->open = true;
    return pen_agree(run->comm, run->comm->rank == 0 ? open_named(run, p, options->output.observables) : PEN_OK);
}

/* Write a line. After a failure the file keeps its whole lines and gets no more. The next reduction of observables
 * tells all ranks of a failure. */
static void write_line_of(const pen_run *run, part *p)
{
    observed_file *f = p->file;
    if (!f || run->step % p->every != 0) return;
    const size_t size = print_line(f, run->step, run->observation);
    if (!f->error && write_line(f, f->line, size) != PEN_OK) run->observation->failing = true;
}

static void observed(pen_run *run, void *state)
{
    if (run->step > 0) write_line_of(run, state);
}

static pen_status write_first(pen_run *run, void *state)
{
    part *p = state;
    if (!run->calls.begun && !p->begun) write_line_of(run, p);
    p->begun = true;
    return PEN_OK;
}

/* Without observables there is no reduction that tells all ranks of a failure. */
static pen_status tell(pen_run *run, void *state)
{
    const part *p = state;
    pen_observables *o = run->observation;
    int64_t failing = o->failing;
    if (!p->open || o->values.observable_count > 0) return PEN_OK;
    PEN_TRY(pen_max_int(run->comm, failing, &failing));
    o->failed = failing != 0;
    return PEN_OK;
}

/* A resumed run needs all lines, even after a crash of the machine. Until a failure has been returned, there is no
 * checkpoint. */
static pen_status settle(pen_run *run, void *state)
{
    const part *p = state;
    observed_file *f = p->file;
    if (!p->open) return PEN_OK;
    if (f && !f->error && pen_file_sync(f->file, f->path) != PEN_OK) f->error = errno;
    run->observation->failing = f && f->error;
    return pen_agree(run->comm, run->observation->failing ? complain(f) : PEN_OK);
}

static pen_status leave(pen_run *run, void *state, pen_status status)
{
    part *p = state;
    pen_observables *o = run->observation;
    if (!p->open || status != PEN_OK) return PEN_OK;
    status = pen_agree(run->comm, o->failing ? complain(p->file) : PEN_OK);
    pen_failure_keep(&run->files.unwritten, status);
    if (status == PEN_OK) return PEN_OK;
    p->open = o->failing = o->failed = false;
    return status;
}

static pen_status code(pen_coder *c, pen_run *run, void *state)
{
    part *p = state;
    char *none = NULL, **line = &none;
    int64_t bytes = 0;
    if (c->in) line = &p->line;
    else if (p->file && run->calls.begun) {
        line = &p->file->line;
        bytes = p->file->whole;
    }
    PEN_TRY(pen_code_text(c, line));
    pen_code_int(c, &bytes);
    p->bytes = bytes;
    return PEN_OK;
}

static void destroy(pen_run *run, void *state)
{
    part *p = state;
    close_file(&p->file);
    free(p->line);
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
    if (text && strcmp(text, "-") == 0)
        return pen_fail(PEN_ERR_INPUT, "--observables=-,-: the second name is a file's; ./- is a file with the name -");
    o->output.observables = text;
    return PEN_OK;
}

static const pen_part_option options_of_observed_file[] = {
    { "observables", "FILE|-|-,FILE[:every=N]",
      "write the observables as CSV during the run, a line after every N-th step (1); -: print them; -,FILE: both",
      PEN_OPTION_SETS(output.observables), .output = true, .writes = true, .read = read_observables },
    { PEN_OPTION_SETS(output.observables_every) },
    { .name = NULL },
};

const pen_part pen_part_observed_file = {
    .name = "observed file",
    .state_size = sizeof(part),
    .options = options_of_observed_file,
    .first_decides = true,
    .open = open_part,
    .ready = ready,
    .leave = leave,
    .after_step = tell,
    .observed = observed,
    .write = write_first,
    .settle = settle,
    .code = code,
    .destroy = destroy,
};
