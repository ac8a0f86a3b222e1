#include "tests/support/faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const fault_names[FAULT_KINDS] = { "memory", "file", "short", "making", "talking" };

static struct {
    bool armed;
    fault_kind kind;
    int64_t countdown, calls;
    const char *failed;
} now;

void fault_arm(fault_kind kind, int64_t n)
{
    now.kind = kind;
    now.countdown = n;
    now.calls = 0;
    now.failed = NULL;
    now.armed = true;
}

int64_t fault_disarm(const char **failed)
{
    now.armed = false;
    if (failed) *failed = now.failed;
    return now.calls;
}

static bool fails(fault_kind kind, const char *call)
{
    if (!now.armed || kind != now.kind) return false;
    now.calls++;
    if (now.countdown == 0 || --now.countdown > 0) return false;
    now.failed = call;
    return true;
}

static bool fails_with(fault_kind kind, const char *call, int error)
{
    if (!fails(kind, call)) return false;
    errno = error;
    return true;
}

/* WRAP(type, name, parameters, kind, error, result, arguments): it is not called, and returns `result`. */
#define WRAP(type, name, parameters, kind, error, result, arguments)                        \
    type __real_##name parameters;                                                          \
    type __wrap_##name parameters;                                                          \
    type __wrap_##name parameters                                                           \
    {                                                                                       \
        return fails_with(FAULT_##kind, #name, error) ? (result) : __real_##name arguments; \
    }

/* DO(type, name, parameters, kind, error, result, arguments): it is called, and returns `result` all the same. */
#define DO(type, name, parameters, kind, error, result, arguments)       \
    type __real_##name parameters;                                       \
    type __wrap_##name parameters;                                       \
    type __wrap_##name parameters                                        \
    {                                                                    \
        type done = __real_##name arguments;                             \
        return fails_with(FAULT_##kind, #name, error) ? (result) : done; \
    }

/* ---- Memory ------------------------------------------------------------------------------------ */

WRAP(void *, malloc, (size_t size), MEMORY, ENOMEM, NULL, (size))
WRAP(void *, calloc, (size_t count, size_t size), MEMORY, ENOMEM, NULL, (count, size))
WRAP(void *, realloc, (void *block, size_t size), MEMORY, ENOMEM, NULL, (block, size))
WRAP(ssize_t, getline, (char **text, size_t *size, FILE *file), MEMORY, ENOMEM, -1, (text, size, file))

/* Warnings are ignored; the tests are silent. */
void __wrap_pen_warn(const char *format, ...);
void __wrap_pen_warn(const char *format, ...) { (void)format; }

/* ---- Files ------------------------------------------------------------------------------------- */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fails_with(FAULT_FILE, "open", EIO) ? -1 : __real_open(path, flags, mode);
}

WRAP(FILE *, fopen, (const char *path, const char *mode), FILE, EIO, NULL, (path, mode))
WRAP(FILE *, fdopen, (int file, const char *mode), FILE, ENOMEM, NULL, (file, mode))
WRAP(DIR *, opendir, (const char *path), FILE, EIO, NULL, (path))
WRAP(int, stat, (const char *path, struct stat *about), FILE, EIO, -1, (path, about))
WRAP(int, fstat, (int file, struct stat *about), FILE, EIO, -1, (file, about))
WRAP(int, rename, (const char *from, const char *to), FILE, EIO, -1, (from, to))
WRAP(int, linkat, (int from, const char *old, int to, const char *new, int flags), FILE, EIO, -1,
     (from, old, to, new, flags))
WRAP(int, unlink, (const char *path), FILE, EIO, -1, (path))
WRAP(int, mkdir, (const char *path, mode_t mode), FILE, ENOSPC, -1, (path, mode))
WRAP(int, rmdir, (const char *path), FILE, EIO, -1, (path))
WRAP(int, ftruncate, (int file, off_t size), FILE, EIO, -1, (file, size))
WRAP(int, flock, (int file, int operation), FILE, EIO, -1, (file, operation))
WRAP(int, fsync, (int file), FILE, EIO, -1, (file))
WRAP(int, fseeko, (FILE * file, off_t at, int whence), FILE, EIO, -1, (file, at, whence))
WRAP(off_t, ftello, (FILE * file), FILE, EIO, -1, (file))
DO(int, close, (int file), FILE, EIO, -1, (file))

/* Streams in memory are none of the files. */
int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file);
int __wrap_fclose(FILE *file)
{
    bool is_file = fileno(file) >= 0;
    int done = __real_fclose(file);
    return is_file && fails_with(FAULT_FILE, "fclose", EIO) ? EOF : done;
}

size_t __real_fwrite(const void *from, size_t size, size_t count, FILE *file);
size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *file);
size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    bool is_file = fileno(file) >= 0;
    return is_file && fails_with(FAULT_FILE, "fwrite", ENOSPC) ? 0 : __real_fwrite(from, size, count, file);
}

/* A stream notes that it could not be read. */
size_t __real_fread(void *to, size_t size, size_t count, FILE *file);
size_t __wrap_fread(void *to, size_t size, size_t count, FILE *file);
size_t __wrap_fread(void *to, size_t size, size_t count, FILE *file)
{
    if (fails(FAULT_FILE, "fread")) {
        int folder = __real_open("/", O_RDONLY);
        dup2(folder, fileno(file)); /* what can only fail */
        close(folder);
    }
    return __real_fread(to, size, count, file);
}

/* A short transfer is half of the bytes, without an error; a failing one transfers nothing. */
#define TRANSFER(name, buffer)                                      \
    ssize_t __real_##name(int file, buffer, size_t size, off_t at); \
    ssize_t __wrap_##name(int file, buffer, size_t size, off_t at); \
    ssize_t __wrap_##name(int file, buffer, size_t size, off_t at)  \
    {                                                               \
        if (fails_with(FAULT_FILE, #name, ENOSPC)) return -1;       \
        if (size > 1 && fails(FAULT_SHORT, #name)) size /= 2;       \
        return __real_##name(file, bytes, size, at);                \
    }
TRANSFER(pread, void *bytes)
TRANSFER(pwrite, const void *bytes)

/* ---- MPI --------------------------------------------------------------------------------------- */

#define MAKING(name, parameters, arguments) DO(int, MPI_##name, parameters, MAKING, 0, MPI_ERR_OTHER, arguments)
#define TALKING(name, parameters, arguments) DO(int, MPI_##name, parameters, TALKING, 0, MPI_ERR_OTHER, arguments)

MAKING(Comm_dup, (MPI_Comm comm, MPI_Comm *copy), (comm, copy))
MAKING(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part),
       (comm, type, key, info, part))
MAKING(Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group))
MAKING(Group_incl, (MPI_Group group, int count, const int *ranks, MPI_Group *part), (group, count, ranks, part))
MAKING(Group_translate_ranks, (MPI_Group from, int count, const int *ranks, MPI_Group to, int *places),
       (from, count, ranks, to, places))
MAKING(Dist_graph_create_adjacent,
       (MPI_Comm comm, int in, const int *sources, const int *in_weights, int out, const int *targets,
        const int *out_weights, MPI_Info info, int reorder, MPI_Comm *graph),
       (comm, in, sources, in_weights, out, targets, out_weights, info, reorder, graph))
MAKING(Type_contiguous, (int count, MPI_Datatype old, MPI_Datatype *type), (count, old, type))
MAKING(Type_commit, (MPI_Datatype * type), (type))
MAKING(Op_create, (MPI_User_function * function, int commutes, MPI_Op *op), (function, commutes, op))
MAKING(Info_create, (MPI_Info * info), (info))
MAKING(Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win))
MAKING(Win_allocate_shared, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win))
MAKING(Win_free, (MPI_Win * win), (win))
MAKING(Win_shared_query, (MPI_Win win, int rank, MPI_Aint *size, int *unit, void *base), (win, rank, size, unit, base))
MAKING(Win_lock_all, (int assert, MPI_Win win), (assert, win))

TALKING(Allreduce, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, count, type, op, comm))
TALKING(Reduce, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
        (from, to, count, type, op, root, comm))
TALKING(Scan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, count, type, op, comm))
TALKING(Exscan, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, count, type, op, comm))
TALKING(Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm), (data, count, type, root, comm))
TALKING(Gather,
        (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, int root,
         MPI_Comm comm),
        (from, count, type, to, to_count, to_type, root, comm))
TALKING(Gatherv,
        (const void *from, int count, MPI_Datatype type, void *to, const int *to_counts, const int *to_begins,
         MPI_Datatype to_type, int root, MPI_Comm comm),
        (from, count, type, to, to_counts, to_begins, to_type, root, comm))
TALKING(Scatter,
        (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, int root,
         MPI_Comm comm),
        (from, count, type, to, to_count, to_type, root, comm))
TALKING(Scatterv,
        (const void *from, const int *counts, const int *begins, MPI_Datatype type, void *to, int to_count,
         MPI_Datatype to_type, int root, MPI_Comm comm),
        (from, counts, begins, type, to, to_count, to_type, root, comm))
TALKING(Allgather,
        (const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, MPI_Comm comm),
        (from, count, type, to, to_count, to_type, comm))
TALKING(Barrier, (MPI_Comm comm), (comm))
TALKING(Send, (const void *from, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm),
        (from, count, type, rank, tag, comm))
TALKING(Isend, (const void *from, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request),
        (from, count, type, rank, tag, comm, request))
TALKING(Recv, (void *to, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Status *status),
        (to, count, type, rank, tag, comm, status))
TALKING(Irecv, (void *to, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request),
        (to, count, type, rank, tag, comm, request))
TALKING(Mprobe, (int rank, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
        (rank, tag, comm, message, status))
TALKING(Mrecv, (void *to, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
        (to, count, type, message, status))
TALKING(Sendrecv,
        (const void *from, int count, MPI_Datatype type, int target, int tag, void *to, int to_count,
         MPI_Datatype to_type, int source, int from_tag, MPI_Comm comm, MPI_Status *status),
        (from, count, type, target, tag, to, to_count, to_type, source, from_tag, comm, status))
TALKING(Waitall, (int count, MPI_Request *requests, MPI_Status *statuses), (count, requests, statuses))
TALKING(Startall, (int count, MPI_Request *requests), (count, requests))
TALKING(Neighbor_alltoallw,
        (const void *from, const int *counts, const MPI_Aint *offsets, const MPI_Datatype *types, void *to,
         const int *to_counts, const MPI_Aint *to_offsets, const MPI_Datatype *to_types, MPI_Comm comm),
        (from, counts, offsets, types, to, to_counts, to_offsets, to_types, comm))
TALKING(Get,
        (void *to, int count, MPI_Datatype type, int rank, MPI_Aint at, int from_count, MPI_Datatype from_type,
         MPI_Win win),
        (to, count, type, rank, at, from_count, from_type, win))
TALKING(Win_fence, (int assert, MPI_Win win), (assert, win))
TALKING(Win_post, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
TALKING(Win_start, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
TALKING(Win_complete, (MPI_Win win), (win))
TALKING(Win_wait, (MPI_Win win), (win))
TALKING(Win_flush_all, (MPI_Win win), (win))
