/* location.c - writes and reads checkpoints in a folder, or in the memory of the hosts. */
#include "checkpoint/location.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sparse.h"
#include "checkpoint/file.h"
#include "checkpoint/shards.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Names -------------------------------------------------------------------------------------- */

static const char MEMORY[] = "shm", COPIES[] = "/copies", SHARED[] = "/dev/shm/";

bool pen_location_in_memory(const char *name)
{
    const size_t length = sizeof MEMORY - 1;
    return strncmp(name, MEMORY, length) == 0 && (name[length] == '\0' || name[length] == ':');
}

const char *pen_location_full(const char *name) { return strcmp(name, MEMORY) == 0 ? "shm:checkpoint" : name; }

/* Any user may create files in /dev/shm, and only their owner may remove them there. */
static bool is_own_folder(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid();
}

/* The suffix of a name that another user has taken; no NAME has a '+'. */
#define OTHERWISE "+XXXXXX"
enum {
    MOST_LETTERS = 64,
    FOLDER_ROOM = MOST_LETTERS + 64
}; /* largest lengths of a NAME, and of the path of a folder in memory */

/* Find a folder of this user with the name `path`, or that name with a suffix; of several, the first. False: there is
 * none, and `path` does not change. */
static bool find_own(char path[FOLDER_ROOM])
{
    const char *name = path + sizeof SHARED - 1;
    const size_t length = strlen(name);
    char first[FOLDER_ROOM] = "", now[2 * FOLDER_ROOM];
    if (is_own_folder(path)) return true;
    DIR *entries = opendir(SHARED);
    if (!entries) return false;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const char *found = entry->d_name;
        if (strncmp(found, name, length) != 0 || strlen(found + length) != sizeof OTHERWISE - 1) continue;
        snprintf(now, sizeof now, "%s%.*s", SHARED, FOLDER_ROOM, found);
        if (found[length] == '+' && is_own_folder(now) && (!*first || strcmp(now, first) < 0)) strcpy(first, now);
    }
    closedir(entries);
    if (*first) strcpy(path, first);
    return *first;
}

/* Make the path of a folder in memory, which need not exist. */
static pen_status name_folder(const char *name, char **path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const char *own = pen_location_full(name) + sizeof MEMORY;
    const size_t length = strlen(own);
    if (length == 0 || length > MOST_LETTERS || strspn(own, letters) != length)
        return pen_fail(PEN_ERR_INPUT,
                        "%s: the name after shm: must have 1 to 64 letters, digits, dots, dashes and underscores",
                        name);
    PEN_TRY(PEN_ALLOC_ZERO(path, FOLDER_ROOM));
    snprintf(*path, FOLDER_ROOM, "%spenumbra-%lu-%s", SHARED, (unsigned long)geteuid(), own);
    return PEN_OK;
}

pen_status pen_location_folder(const char *name, char **path)
{
    if (!pen_location_in_memory(name)) return pen_copy_text(name, path);
    PEN_TRY(name_folder(name, path));
    if (find_own(*path)) return PEN_OK;
    free(*path);
    *path = NULL;
    return PEN_OK;
}

static pen_status name_copies(const char *path, char **copies)
{
    const size_t room = strlen(path) + sizeof COPIES;
    PEN_TRY(PEN_ALLOC(copies, (int64_t)room));
    snprintf(*copies, room, "%s%s", path, COPIES);
    return PEN_OK;
}

/* ---- Opening and closing ------------------------------------------------------------------------ */

/* Whether this rank keeps a folder. */
static bool is_keeper(const pen_comm *comm, bool in_memory)
{
    return in_memory ? comm->host_rank == 0 : comm->rank == 0;
}

/* Create a folder that only this user may access. */
static pen_status make_folder(const char *path)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return pen_fail(PEN_ERR_IO, "%s: cannot create: %s", path, strerror(errno));
    if (is_own_folder(path)) return PEN_OK;
    return pen_fail(PEN_ERR_IO, "%s: cannot create: a file or another user's folder has this name", path);
}

/* Choose another name, which cannot be predicted. If two runs do so at once, one finds the other's lock. */
static bool make_otherwise(char path[FOLDER_ROOM])
{
    char made[FOLDER_ROOM + sizeof OTHERWISE];
    snprintf(made, sizeof made, "%s%s", path, OTHERWISE);
    if (!mkdtemp(made) || !find_own(path)) return false;
    if (strcmp(path, made) != 0) rmdir(made);
    return true;
}

/* Create a folder of this user in memory, under another name if necessary. */
static pen_status make_own_folder(char path[FOLDER_ROOM])
{
    if (find_own(path) || mkdir(path, 0700) == 0) return PEN_OK;
    if (errno == EEXIST && (is_own_folder(path) || make_otherwise(path))) return PEN_OK;
    return pen_fail(PEN_ERR_IO, "%s: cannot create: %s", path, strerror(errno));
}

/* Make it again if another run, which ends, has removed it before its lock was taken. */
static pen_status take_own_folder(pen_location *p)
{
    pen_status status;
    do {
        PEN_TRY(make_own_folder(p->path));
        status = pen_folder_open(p->path, &p->folder);
    } while (status == PEN_ERR_INPUT && access(p->path, F_OK) != 0);
    return status;
}

static pen_status take_folder(pen_location *p)
{
    if (!pen_location_in_memory(p->name)) {
        PEN_TRY(pen_folder_open(p->path, &p->folder));
        return pen_folder_tell_left(p->path);
    }
    PEN_TRY(take_own_folder(p));
    PEN_TRY(name_copies(p->path, &p->copies));
    return make_folder(p->copies);
}

/* Collective. */
static pen_status split(const pen_comm *comm, pen_location *p)
{
    PEN_MPI(MPI_Comm_split(comm->mpi, comm->host_rank == 0 ? 0 : MPI_UNDEFINED, comm->rank, &p->lowest));
    if (p->lowest != MPI_COMM_NULL) PEN_MPI(MPI_Comm_set_errhandler(p->lowest, MPI_ERRORS_RETURN));
    return PEN_OK;
}

/* Collective over a host's ranks. The folder has the name that its keeper has found. */
static pen_status receive_name(pen_location *p)
{
    PEN_MPI(MPI_Bcast(p->path, FOLDER_ROOM, MPI_CHAR, 0, p->host->mpi));
    return p->copies ? PEN_OK : name_copies(p->path, &p->copies);
}

/* Collective. */
static pen_status connect(pen_comm *comm, pen_location *p)
{
    PEN_TRY(pen_agree(comm, pen_comm_create(comm->host, &p->host)));
    PEN_TRY(pen_agree(comm, split(comm, p)));
    return pen_agree(comm, receive_name(p));
}

pen_status pen_location_open(pen_comm *comm, const char *name, pen_location **place)
{
    const bool in_memory = pen_location_in_memory(name);
    pen_location *p;
    *place = NULL;
    pen_status status = PEN_ALLOC_ZERO(&p, 1);
    if (status == PEN_OK) {
        p->folder.lock = -1;
        p->lowest = MPI_COMM_NULL;
        status = pen_copy_text(name, &p->name);
        if (status == PEN_OK) status = in_memory ? name_folder(name, &p->path) : pen_copy_text(name, &p->path);
        if (status == PEN_OK && is_keeper(comm, in_memory)) status = take_folder(p);
    }
    status = pen_agree(comm, status);
    if (status == PEN_OK && in_memory) status = connect(comm, p);
    if (status == PEN_OK) *place = p;
    else pen_location_close(&p);
    return status;
}

pen_status pen_location_is_at(pen_comm *comm, const pen_location *place, const char *name, bool *is_at)
{
    struct stat ours, there;
    char *path = NULL;
    *is_at = comm->rank == 0 && pen_location_folder(name, &path) == PEN_OK && path && stat(path, &there) == 0 &&
             stat(place->path, &ours) == 0 && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
    free(path);
    return pen_broadcast(comm, is_at, sizeof *is_at, 0);
}

void pen_location_close(pen_location **place)
{
    pen_location *p = *place;
    if (!p) return;
    pen_comm_destroy(&p->host);
    if (p->lowest != MPI_COMM_NULL) MPI_Comm_free(&p->lowest);
    pen_folder_close(&p->folder);
    PEN_FREE_ALL(p->name, p->path, p->copies, p);
    *place = NULL;
}

pen_status pen_location_mark(const pen_location *p, bool finished)
{
    return p->folder.path ? pen_folder_mark(&p->folder, finished) : PEN_OK;
}

void pen_location_keep(const pen_location *p, int64_t newest, int64_t before)
{
    if (!p->folder.path) return;
    pen_folder_keep(p->path, newest, before);
    if (p->copies) pen_folder_keep(p->copies, newest, before);
}

void pen_location_clear(const pen_location *p)
{
    if (!p->folder.path || !p->copies) return;
    pen_folder_keep(p->copies, -1, -1);
    rmdir(p->copies);
    pen_folder_remove(&p->folder);
}

/* ---- Existing generations ------------------------------------------------------------------------ */

/* Append the steps of a folder of this user, which need not exist, to *all. */
static pen_status add_steps(const char *path, pen_bytes *all)
{
    int64_t *steps = NULL;
    int count = 0;
    if (!is_own_folder(path)) return PEN_OK;
    pen_status status = pen_folder_list(path, &steps, &count);
    unsigned char *to = status == PEN_OK ? pen_bytes_room(all, 8 * (int64_t)count) : NULL;
    if (to && count > 0) memcpy(to, steps, 8 * (size_t)count);
    if (to) all->size += 8 * (int64_t)count;
    free(steps);
    return status == PEN_OK ? all->status : status;
}

/* List the steps in the folders of this rank. */
static pen_status list_own(const char *name, pen_bytes *all)
{
    char *path = NULL, *copies = NULL;
    pen_status status = pen_location_folder(name, &path);
    if (status == PEN_OK && path) status = name_copies(path, &copies);
    if (status == PEN_OK && path) status = add_steps(path, all);
    if (status == PEN_OK && path) status = add_steps(copies, all);
    PEN_FREE_ALL(path, copies);
    return status;
}

/* Rank 0. Merge the lists of steps, without repetitions. */
static pen_status merge(const pen_blocks *received, int64_t **steps, int *count)
{
    const int64_t all = pen_blocks_bytes(received) / 8;
    PEN_TRY(PEN_ALLOC(steps, all));
    if (all > 0) memcpy(*steps, received->data, 8 * (size_t)all);
    if (all > 0) qsort(*steps, (size_t)all, sizeof **steps, pen_folder_newest_first);
    for (int64_t i = 0; i < all; i++)
        if (*count == 0 || (*steps)[*count - 1] != (*steps)[i]) (*steps)[(*count)++] = (*steps)[i];
    return PEN_OK;
}

/* Collective. Gather the steps of all hosts on rank 0. */
static pen_status gather_steps(pen_comm *comm, const char *name, int64_t **steps, int *count)
{
    int to = 0;
    pen_bytes own = { .data = NULL };
    pen_status status = is_keeper(comm, true) ? list_own(name, &own) : PEN_OK;
    int64_t offsets[] = { 0, own.size };
    pen_blocks send = { own.size > 0, &to, offsets, own.data }, received;
    status = pen_sparse_exchange(comm, status, &send, &received);
    if (status == PEN_OK && comm->rank == 0) status = merge(&received, steps, count);
    pen_bytes_free(&own);
    pen_blocks_free(&received);
    return status;
}

static pen_status forget_list(pen_status status, int64_t **steps, int *count)
{
    free(*steps);
    *steps = NULL;
    *count = 0;
    return status;
}

pen_status pen_location_list(pen_comm *comm, const char *name, int64_t **steps, int *count)
{
    pen_status status = PEN_OK;
    *steps = NULL;
    *count = 0;
    if (pen_location_in_memory(name)) status = gather_steps(comm, name, steps, count);
    else if (comm->rank == 0) status = pen_folder_list(name, steps, count);
    status = pen_agree(comm, status);
    if (status != PEN_OK) return forget_list(status, steps, count);
    int64_t size = 8 * (int64_t)*count;
    unsigned char *bytes = (unsigned char *)*steps;
    status = pen_checkpoint_share(comm, 0, &bytes, &size);
    *steps = (int64_t *)(void *)bytes;
    *count = (int)(size / 8);
    return status == PEN_OK ? PEN_OK : forget_list(status, steps, count);
}

/* ---- Writing ---------------------------------------------------------------------------------------- */

/* Collective. Draw a random word, not 0, equal on all ranks, to identify a checkpoint. */
static pen_status draw_set(pen_comm *comm, uint64_t *set)
{
    struct {
        struct timespec now;
        int64_t process;
    } seed;
    memset(&seed, 0, sizeof seed);
    clock_gettime(CLOCK_REALTIME, &seed.now);
    seed.process = (int64_t)getpid();
    *set = pen_hash_bytes((const char *)&seed, sizeof seed) | 1;
    PEN_TRY(pen_broadcast(comm, set, (int)sizeof *set, 0));
    return PEN_OK;
}

/* The destinations of a generation, and the written files: of this host, and of the host before it. */
typedef struct generation {
    char *own, *copy; /* paths of the two files */
    pen_new_file own_file, copy_file;
} generation;

/* Collective. Write this host's part, and its copy on the next host. */
static pen_status write_parts(pen_comm *comm, const pen_location *p, generation *g, pen_chunks *chunks,
                              const pen_bytes *about, int64_t *size)
{
    pen_bytes all = *about;
    PEN_TRY(draw_set(comm, &chunks->set));
    pen_status status = pen_checkpoint_share(comm, 0, &all.data, &all.size);
    if (status == PEN_OK) status = pen_checkpoint_write(p->host, g->own, PEN_OK, chunks, &all, &g->own_file, size);
    if (comm->rank > 0) free(all.data);
    status = pen_agree(comm, status);
    return comm->hosts > 1 ? pen_shards_copy(comm, p->lowest, &g->own_file, g->copy, status, &g->copy_file) : status;
}

pen_status pen_location_write(pen_comm *comm, const pen_location *p, int64_t step, pen_status mine, pen_chunks *chunks,
                              const pen_bytes *about, int64_t *size)
{
    generation g = { .own_file = PEN_NO_FILE, .copy_file = PEN_NO_FILE };
    int64_t written = 0;
    chunks->rank = comm->rank;
    chunks->ranks = comm->size;
    chunks->set = 0;
    if (mine == PEN_OK) mine = about->status;
    if (mine == PEN_OK) mine = pen_folder_name(p->path, step, &g.own);
    if (mine == PEN_OK && p->copies) mine = pen_folder_name(p->copies, step, &g.copy);
    pen_status status = pen_agree(comm, mine);
    if (status == PEN_OK) {
        status = p->copies ? write_parts(comm, p, &g, chunks, about, &written)
                           : pen_checkpoint_write(comm, g.own, PEN_OK, chunks, about, &g.own_file, &written);
        status = pen_checkpoint_finish(&g.own_file, status);
        status = pen_agree(comm, pen_checkpoint_finish(&g.copy_file, status));
    }
    PEN_FREE_ALL(g.own, g.copy);
    return status == PEN_OK ? pen_sum_int(comm, written, size) : status;
}

/* ---- Reading ---------------------------------------------------------------------------------------- */

/* Collective. */
static pen_status read_parts(pen_comm *comm, const char *name, int64_t step, pen_checkpoint *c)
{
    char *path = NULL, *copies = NULL, *paths[2] = { NULL, NULL };
    pen_status status = pen_location_folder(name, &path);
    *c = (pen_checkpoint){ .ranks = 0 };
    if (status == PEN_OK && path) status = name_copies(path, &copies);
    if (status == PEN_OK && path) status = pen_folder_name(path, step, &paths[0]);
    if (status == PEN_OK && path && is_own_folder(copies)) status = pen_folder_name(copies, step, &paths[1]);
    if (status == PEN_OK) status = pen_folder_name(pen_location_full(name), step, &c->path);
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = pen_shards_read(comm, paths, c);
    PEN_FREE_ALL(path, copies, paths[0], paths[1]);
    return status;
}

pen_status pen_location_read(pen_comm *comm, const char *name, int64_t step, pen_checkpoint *c)
{
    if (pen_location_in_memory(name)) return read_parts(comm, name, step, c);
    char *path = NULL;
    *c = (pen_checkpoint){ .ranks = 0 };
    pen_status status = pen_agree(comm, pen_folder_name(name, step, &path));
    if (status == PEN_OK) status = pen_checkpoint_open(comm, path, c);
    if (status == PEN_OK) status = pen_checkpoint_load(comm, c);
    free(path);
    return status;
}
