/* resume.c - opens a checkpoint, and checks whether a run can continue from it. */
#include "checkpoint/resume.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/memory_stream.h"
#include "base/options.h"
#include "base/text_file.h"
#include "output/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void forget_file(pen_resume *r)
{
    pen_checkpoint_close(&r->file);
    pen_checkpoint_state_free(&r->saved);
}

void pen_resume_free(pen_resume **resume)
{
    if (!*resume) return;
    forget_file(*resume);
    free(*resume);
    *resume = NULL;
}

/* ---- Reading --------------------------------------------------------------------------------------- */

static pen_status announce_nonsense(const pen_resume *r)
{
    return pen_fail(PEN_ERR_INPUT, "%s: damaged: impossible values of the run", r->file.path);
}

static pen_status check_chunk(const pen_resume *r, int64_t i)
{
    const pen_chunk *c = &r->file.chunks[i];
    int64_t begins[PEN_CHECKPOINT_COUNT], arcs = 0;
    if (c->nodes < 0) return PEN_OK;
    if (!pen_checkpoint_fits(&r->saved, c)) return announce_nonsense(r);
    pen_checkpoint_columns(&r->saved, c->nodes, c->arcs, begins);
    const int64_t *degrees = (const int64_t *)(const void *)(pen_checkpoint_chunk(&r->file, i) +
                                                             begins[PEN_CHECKPOINT_DEGREES]);
    bool good = true;
    for (int64_t k = 0; k < c->nodes && good; k++) {
        good = degrees[k] >= 0 && degrees[k] <= c->arcs - arcs;
        if (good) arcs += degrees[k];
    }
    return good && arcs == c->arcs ? PEN_OK : announce_nonsense(r);
}

static pen_status decode(pen_resume *r)
{
    r->state = (pen_scan){ .at = r->file.about, .end = r->file.about + r->file.about_size };
    pen_coder coder = { .in = &r->state };
    PEN_TRY(pen_checkpoint_code_state(&coder, &r->saved));
    if (r->state.wrong) return announce_nonsense(r);
    for (int64_t i = 0; i < r->file.count; i++) PEN_TRY(check_chunk(r, i));
    return PEN_OK;
}

/* Whether a generation is the one that its file's name says. */
static pen_status check_step(const pen_resume *r, int64_t step)
{
    if (r->saved.step == step) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: damaged: it is the checkpoint after step %" PRId64 ", its name says %" PRId64,
                    r->file.path, r->saved.step, step);
}

/* Collective. Read the newest generation that is not damaged. One that cannot be read here and now is no damaged one: a
 * run that went on without it would remove it. */
static pen_status read_newest(pen_comm *comm, const char *place, const int64_t *steps, int count, pen_resume *r)
{
    pen_status status = PEN_OK;
    for (int i = 0; i < count; i++) {
        status = pen_location_read(comm, place, steps[i], &r->file);
        if (status == PEN_OK) status = pen_agree(comm, decode(r));
        if (status == PEN_OK) status = check_step(r, steps[i]);
        if (status != PEN_ERR_INPUT) return status;
        if (comm->rank == 0)
            pen_warn("%s%s", pen_error_message(), i + 1 < count ? "; using the previous checkpoint" : "");
        forget_file(r);
    }
    if (count == 0) return pen_fail(PEN_ERR_INPUT, "%s: it has no checkpoint", place);
    return pen_fail(status, "%s: none of its %d checkpoints can be read", place, count);
}

/* Collective. */
static pen_status read_from(pen_comm *comm, const char *path, pen_resume *r)
{
    int64_t *steps = NULL;
    int count = 0;
    if (r->named) {
        PEN_TRY(pen_checkpoint_open(comm, path, &r->file));
        PEN_TRY(pen_checkpoint_load(comm, &r->file));
        return pen_agree(comm, decode(r));
    }
    pen_status status = pen_location_list(comm, path, &steps, &count);
    if (status == PEN_OK) status = read_newest(comm, path, steps, count, r);
    free(steps);
    return status;
}

pen_status pen_resume_open(pen_comm *comm, const char *path, pen_resume **resume)
{
    struct stat found;
    int64_t is_file = comm->rank == 0 && !pen_location_in_memory(path) && stat(path, &found) == 0 &&
                      !S_ISDIR(found.st_mode);
    pen_resume *r;
    pen_status status = PEN_ALLOC_ZERO(&r, 1);
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = pen_max_int(comm, is_file, &is_file);
    if (status == PEN_OK) r->named = is_file;
    if (status == PEN_OK) status = read_from(comm, path, r);
    if (status == PEN_OK) *resume = r;
    else pen_resume_free(&r);
    return status;
}

/* ---- Comparing the run with the checkpoint ----------------------------------------------------------- */

/* The second half of a sentence about a difference; the name is inserted. */
#define MAY_DEPEND                                                                                   \
    ": results may depend on that; --accept=%s continues anyway; list options that never matter in " \
    "pen_app.checkpoint.may_differ"

pen_status pen_resume_accept(pen_resume *r, const pen_app *app, const char *accept, pen_option_at *option_at)
{
    enum { MOST = 64 };
    const char *names[MOST];
    const pen_part_option *own;
    int count = 0;
    char word[128];
    if (!accept) return PEN_OK;
    if (!r) return pen_fail(PEN_ERR_INPUT, "--accept=%s: a run that is not resumed has nothing to accept", accept);
    for (int i = 0; (own = option_at(i)); i++)
        if (own->compared) names[count++] = own->name;
    for (const pen_option *o = app->options; o && o->name && count < MOST; o++)
        if (o->value) names[count++] = o->name;
    for (const char *at = accept; at;) {
        at = pen_text_cut(at, ',', word, sizeof word);
        int known = 0;
        while (known < count && strcmp(names[known], word) != 0) known++;
        if (known == count) return pen_unknown_name("option in --accept", word, names, count);
    }
    r->accept = accept;
    return PEN_OK;
}

/* Whether a difference in this option is accepted; if so, r->accepted lists it. */
static bool accepts(pen_resume *r, const char *name)
{
    if (!pen_checkpoint_is_among(name, r->accept)) return false;
    const size_t used = strlen(r->accepted);
    if (!pen_checkpoint_is_among(name, r->accepted))
        snprintf(r->accepted + used, sizeof r->accepted - used, "%s%s", used > 0 ? "," : "", name);
    return true;
}

/* Find the first lines in which two texts differ: a of mine, b of theirs; the one that has ended is empty. */
static bool differ(const char *mine, const char *theirs, char a[128], char b[128])
{
    while (*mine || *theirs) {
        size_t m = strcspn(mine, "\n"), t = strcspn(theirs, "\n");
        if (m != t || strncmp(mine, theirs, m) != 0) {
            snprintf(a, 128, "%.*s", (int)m, mine);
            snprintf(b, 128, "%.*s", (int)t, theirs);
            return true;
        }
        mine += m + (mine[m] == '\n');
        theirs += t + (theirs[t] == '\n');
    }
    return false;
}

static pen_status compare_shapes(const pen_resume *r, const char *mine, const char *theirs)
{
    char a[128], b[128];
    if (!differ(mine, theirs, a, b)) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT,
                    "%s: the checkpoint has other fields, observables or phases: %s, but this run has %s", r->file.path,
                    *b ? b : "nothing", *a ? a : "nothing");
}

/* The line "name=value" with this name; "nothing" if there is none. */
static const char *find_setting(const char *text, const char *name, int *length)
{
    const size_t letters = strlen(name);
    const char *at = text;
    while (*at && (strncmp(at, name, letters) != 0 || at[letters] != '=')) at += strcspn(at, "\n"), at += *at == '\n';
    if (!*at) at = "nothing";
    *length = (int)strcspn(at, "\n");
    return at;
}

static pen_status compare_setting(pen_resume *r, const char *name, const char *mine, const char *theirs)
{
    int m, t;
    mine = find_setting(mine, name, &m);
    theirs = find_setting(theirs, name, &t);
    if ((m == t && strncmp(mine, theirs, (size_t)m) == 0) || accepts(r, name)) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: the checkpoint has other settings: %.*s, but this run has %.*s" MAY_DEPEND,
                    r->file.path, t, theirs, m, mine, name);
}

static pen_status compare_settings(pen_resume *r, const char *mine, const char *theirs)
{
    const char *const texts[] = { mine, theirs };
    char name[128];
    for (int i = 0; i < PEN_COUNT_OF(texts); i++)
        for (const char *at = texts[i]; *at; at += strcspn(at, "\n"), at += *at == '\n') {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "=\n"), at);
            PEN_TRY(compare_setting(r, name, mine, theirs));
        }
    return PEN_OK;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static const char RESUME[] = "resume";

/* Add the contents of a file to *sum, if it can be opened. */
static pen_status add_file(const char *path, uint64_t *sum, bool *any)
{
    char piece[1 << 16];
    FILE *file;
    int64_t size;
    size_t got;
    if (pen_regular_open(path, false, &file, &size) != PEN_OK) return PEN_OK;
    uint64_t hash = pen_mix((uint64_t)size);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) hash = pen_mix(hash ^ pen_hash_bytes(piece, got));
    const pen_status status = ferror(file) ? pen_fail(PEN_ERR_IO, "%s: cannot read: %s", path, strerror(errno))
                                           : PEN_OK;
    fclose(file);
    *sum = pen_mix(*sum ^ hash);
    *any = true;
    return status;
}

static pen_status print_files(const pen_reads *reads, const char *option, FILE *out)
{
    uint64_t sum = 0;
    bool any = false;
    for (int64_t i = 0; i < reads->count; i++)
        if (strcmp(reads->of[i].option, option) == 0) PEN_TRY(add_file(reads->of[i].path, &sum, &any));
    if (any) fprintf(out, "%s=%016" PRIx64 "\n", option, sum);
    return PEN_OK;
}

/* List a line "option=sum" for each option that names files: a hash of their contents, independent of their names.
 * Files that cannot be opened are left out. */
static pen_status list_contents(const pen_reads *reads, const pen_app *app, pen_option_at *at, char **text)
{
    size_t size = 0;
    pen_status status = PEN_OK;
    FILE *out = pen_memory_stream(text, &size);
    for (int i = 0; out && status == PEN_OK && at(i); i++)
        if (at(i)->compared && at(i)->reads) {
            const pen_option *own = pen_option_find(app->options, at(i)->name);
            if (!own || own->kind != PEN_OPTION_TEXT) status = print_files(reads, at(i)->name, out);
        }
    for (const pen_option *o = app->options; out && status == PEN_OK && o && o->name; o++)
        if (o->kind == PEN_OPTION_TEXT && o->value && !pen_checkpoint_is_among(o->name, app->checkpoint.may_differ))
            status = print_files(reads, o->name, out);
    if (out && fclose(out) == 0) return status;
    return pen_fail(PEN_ERR_MEMORY, "out of memory for a checkpoint's texts");
}

/* Compare the contents of files. Files that only the first run named may be absent. A text of the application that was
 * no file's name, and is the same now, has not become one since a file, say a dump, has got that name. */
static pen_status compare_contents(pen_resume *r, const pen_app *app, const char *mine)
{
    const char *theirs = r->saved.contents ? r->saved.contents : "";
    char name[128];
    int m, t;
    for (const char *at = mine; *at; at += strcspn(at, "\n") + 1) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "="), at);
        const char *now = find_setting(mine, name, &m), *then = find_setting(theirs, name, &t);
        const bool none = strncmp(then, "nothing", 7) == 0;
        if (none && pen_option_find(app->options, name)) continue;
        if ((m == t && strncmp(now, then, (size_t)m) == 0) || accepts(r, name)) continue;
        return pen_fail(PEN_ERR_INPUT, "%s: the run of the checkpoint read %s by --%s" MAY_DEPEND, r->file.path,
                        none ? "no files" : "files with other contents", name, name);
    }
    return PEN_OK;
}

pen_status pen_resume_contents(pen_resume *r, const pen_reads *reads, const pen_app *app, pen_option_at *at,
                               char **contents)
{
    PEN_TRY(list_contents(reads, app, at, contents));
    if (!r) return PEN_OK;
    PEN_TRY(compare_contents(r, app, *contents));
    if (!r->saved.contents) return PEN_OK;
    free(*contents);
    return pen_copy_text(r->saved.contents, contents); /* the run has the values that the first run read */
}

/* Add a checkpoint, or all checkpoints of a folder, since any of them may be the newest intact one. */
static pen_status add_checkpoints(const char *resume, pen_reads *reads)
{
    char *folder = NULL;
    int64_t *steps = NULL;
    int count = 0;
    PEN_TRY(pen_reads_add(reads, RESUME, resume));
    pen_status status = pen_location_folder(resume, &folder);
    if (status == PEN_ERR_INPUT || (status == PEN_OK && !folder))
        return PEN_OK; /* there are no checkpoints in memory */
    if (status != PEN_OK) return status;
    if (pen_folder_list(folder, &steps, &count) != PEN_OK) count = 0; /* resuming reports the error */
    for (int i = 0; i < count && status == PEN_OK; i++) {
        char *path = NULL;
        status = pen_folder_name(folder, steps[i], &path);
        if (status == PEN_OK) status = pen_reads_add(reads, RESUME, path);
        free(path);
    }
    PEN_FREE_ALL(folder, steps);
    return status;
}

/* Check that a file has no name that the checkpoints' folder needs. */
static pen_status check_name(const char *place, const char *option, const char *path)
{
    char *folder = NULL, *lock = NULL;
    bool same = false;
    if (!path) return PEN_OK;
    PEN_TRY(pen_location_folder(place, &folder));
    if (!folder) return PEN_OK; /* the folder is in memory, and does not exist yet */
    pen_status status = pen_folder_name(folder, 0, &lock);
    if (status == PEN_OK) status = pen_reads_share_folder(lock, path, &same);
    PEN_FREE_ALL(folder, lock);
    if (status != PEN_OK || !same || !pen_folder_is_ours(pen_path_base(path))) return status;
    return pen_fail(PEN_ERR_INPUT, "--%s=%s is a name that --checkpoint=%s needs", option, path, place);
}

pen_status pen_resume_files(const pen_app *app, pen_option_at *at, const pen_run_options *o, const char *graph,
                            const char *resume, const pen_written *files, int count, pen_reads *reads)
{
    const char *place = o->checkpoint.folder;
    PEN_TRY(pen_reads_find(app, at, o, graph, reads));
    if (resume) PEN_TRY(add_checkpoints(resume, reads));
    PEN_TRY(pen_reads_check(reads, app, o, files, count));
    if (!place) return PEN_OK;
    for (int i = 0; i < count; i++) PEN_TRY(check_name(place, files[i].option, files[i].path));
    for (int64_t i = 0; i < reads->count; i++) /* a run replaces the checkpoints that it reads in time */
        if (strcmp(reads->of[i].option, RESUME) != 0)
            PEN_TRY(check_name(place, reads->of[i].option, reads->of[i].path));
    return PEN_OK;
}

pen_status pen_resume_compare(pen_comm *comm, const pen_resume *r, const pen_graph *g)
{
    const pen_checkpoint_state *s = &r->saved;
    uint64_t sum = pen_graph_sum(g);
    int length;
    PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM));
    const bool alike = g->nodes == s->world.nodes && g->edges == s->first_edges;
    if (sum == s->graph_sum && alike) return PEN_OK;
    const char *how = alike ? " that differ" : "";
    if (alike && g->dimensions < s->dimensions && s->contents &&
        strncmp(find_setting(s->contents, "input", &length), "input=", 6) == 0)
        how = " without the coordinates that --input gave: name its files, too";
    return pen_fail(PEN_ERR_INPUT,
                    "%s: the checkpoint has another graph: %s of %" PRId64 " nodes and %" PRId64
                    " edges, but this run has %s of %" PRId64 " nodes and %" PRId64
                    " edges%s; --resume needs no graph, the checkpoint has it",
                    r->file.path, s->graph_origin ? s->graph_origin : "one", s->world.nodes, s->first_edges,
                    g->origin ? g->origin : "one", g->nodes, g->edges, how);
}

pen_status pen_resume_verifies(const pen_resume *r, const pen_app *app)
{
    if (r->saved.own && app->graph.rows)
        return pen_fail(PEN_ERR_INPUT,
                        "%s: --verify needs the data with which %s made its graph, but a resumed run has that of the "
                        "checkpoint",
                        r->file.path, app->name);
    if (r->saved.changed)
        return pen_fail(PEN_ERR_INPUT,
                        "%s: --verify needs the first graph of the run, but the checkpoint has the changed graph after "
                        "step %" PRId64,
                        r->file.path, r->saved.step);
    if (r->saved.put)
        return pen_fail(PEN_ERR_INPUT,
                        "%s: --verify needs a run that computes everything itself, but this one had records or changes "
                        "of the graph put from outside",
                        r->file.path);
    return PEN_OK;
}

pen_status pen_resume_belongs(pen_resume *r, const pen_app *app, uint64_t seed)
{
    if (strcmp(app->name, r->saved.application) != 0)
        return pen_fail(PEN_ERR_INPUT, "%s: a checkpoint of %s, but this is %s", r->file.path, r->saved.application,
                        app->name);
    if (seed != r->saved.world.seed && !accepts(r, "seed"))
        return pen_fail(PEN_ERR_INPUT, "%s: the checkpoint has seed %" PRIu64 ", but this run has %" PRIu64 MAY_DEPEND,
                        r->file.path, r->saved.world.seed, seed, "seed");
    if (r->saved.own && !app->checkpoint.restore)
        return pen_fail(PEN_ERR_INPUT, "%s: this %s has no .restore for the data in the checkpoint", r->file.path,
                        app->name);
    return PEN_OK;
}

pen_status pen_resume_check(pen_resume *r, const pen_app *app, const char *more)
{
    char *shape = NULL, *settings = NULL;
    bool same = app->fields.count == r->saved.field_count && app->edge_fields.count == r->saved.edge_field_count;
    pen_status status = pen_checkpoint_shape(app, &shape);
    if (status == PEN_OK) status = pen_checkpoint_settings(app, more, &settings);
    if (status == PEN_OK) status = compare_shapes(r, shape, r->saved.shape);
    if (status == PEN_OK) status = compare_settings(r, settings, r->saved.settings);
    PEN_FREE_ALL(shape, settings);
    PEN_TRY(status);
    for (int f = 0; same && f < app->fields.count; f++) same = (int64_t)app->fields.list[f].size == r->saved.sizes[f];
    for (int e = 0; same && e < app->edge_fields.count; e++)
        same = (int64_t)app->edge_fields.list[e].size == r->saved.edge_sizes[e];
    return same ? PEN_OK : announce_nonsense(r);
}

/* "7 steps", in words. */
static const char *say_steps(int64_t steps, char text[32])
{
    if (steps == PEN_UNLIMITED) return "any number of steps";
    snprintf(text, 32, "%" PRId64 " step%s", steps, steps == 1 ? "" : "s");
    return text;
}

pen_status pen_resume_steps(pen_resume *r, const pen_app *app, int64_t *steps)
{
    const int64_t before = r->saved.world.steps;
    char theirs[32], mine[32];
    if (*steps == 0) *steps = before;
    if (*steps == before) return PEN_OK;
    if (*steps < r->saved.step)
        return pen_fail(PEN_ERR_INPUT, "%s: the checkpoint is after %s, but this run has only %s in all", r->file.path,
                        say_steps(r->saved.step, theirs), say_steps(*steps, mine));
    if (!app->setup || pen_checkpoint_is_among("steps", app->checkpoint.may_differ) || accepts(r, "steps"))
        return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: the checkpoint is of a run of %s, but this one has %s" MAY_DEPEND, r->file.path,
                    say_steps(before, theirs), say_steps(*steps, mine), "steps");
}
