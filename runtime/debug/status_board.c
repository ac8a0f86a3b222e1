/* status_board.c - makes the board of a host, and prints it. */
#define _GNU_SOURCE /* mkostemp */
#include "debug/status_board.h"
#include "base/stale_shm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONGEST_PATH = 64 };

static size_t size_of(int host_size) { return sizeof(pen_status_board) + (size_t)host_size * sizeof(pen_post); }

/* Local. Create a file with its space allocated: space that is lacking later would raise a signal. */
static pen_status make_file(int host_size, char path[LONGEST_PATH], int *file)
{
    snprintf(path, LONGEST_PATH, "%s/%sXXXXXX", PEN_STALE_SHM_FOLDER, PEN_STALE_SHM_BOARD);
    *file = mkostemp(path, O_CLOEXEC);
    int error = *file < 0 ? errno : posix_fallocate(*file, 0, (off_t)size_of(host_size));
    return error == 0 ? PEN_OK
                      : pen_fail(PEN_ERR_IO, "cannot create a file in " PEN_STALE_SHM_FOLDER ": %s", strerror(error));
}

static pen_status map_file(int file, const pen_comm *comm, pen_status_board **board)
{
    void *memory = mmap(NULL, size_of(comm->host_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return pen_fail(PEN_ERR_IO, "cannot map a shared file: %s", strerror(errno));
    *board = (pen_status_board *)memory;
    (*board)->posts[comm->host_rank].rank = comm->rank;
    return PEN_OK;
}

/* The lowest rank of each host creates the file, the others open it. */
pen_status pen_status_board_create(pen_comm *comm, pen_status_board **board)
{
    char path[LONGEST_PATH] = "";
    pen_status status = PEN_OK;
    int file = -1;
    if (comm->host_rank == 0) status = make_file(comm->host_size, path, &file);
    PEN_MPI(MPI_Bcast(path, LONGEST_PATH, MPI_CHAR, 0, comm->host));
    if (comm->host_rank > 0) file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (status == PEN_OK && file < 0) status = pen_fail(PEN_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = pen_agree(comm, map_file(file, comm, board));
    if (file >= 0) close(file);
    if (comm->host_rank == 0) unlink(path);
    if (status != PEN_OK) pen_status_board_destroy(board, comm->host_size);
    return status;
}

void pen_status_board_destroy(pen_status_board **board, int host_size)
{
    if (*board) munmap(*board, size_of(host_size));
    *board = NULL;
}

pen_activity pen_status_board_activity(const pen_status_board *board, int host_size)
{
    pen_activity all = { .moves = 0 };
    for (const pen_post *post = board->posts; post < board->posts + host_size; post++) {
        bool watched = atomic_load(&post->heartbeat) != 0;
        all.moves += atomic_load(&post->moves);
        all.steps += atomic_load(&post->steps);
        all.inside = all.inside || (watched && atomic_load(&post->inside));
        all.stepping = all.stepping || (watched && atomic_load(&post->stepping));
    }
    return all;
}

/* A description of a rank's state; NULL: the rank is not watched. */
static const char *text_of(const pen_post *post, int64_t alive)
{
    int64_t heartbeat = atomic_load(&post->heartbeat);
    if (heartbeat == 0) return NULL;
    return heartbeat > alive ? post->text : "stopped or gone";
}

void pen_status_board_print(const pen_status_board *board, int host_size, int64_t alive, FILE *out)
{
    const char *separator = "";
    for (int first = 0, next; first < host_size; first = next) {
        const char *text = text_of(&board->posts[first], alive);
        for (next = first + 1; text && next < host_size; next++) {
            const char *other = text_of(&board->posts[next], alive);
            if (!other || strcmp(other, text) != 0) break;
        }
        if (!text) continue;
        fprintf(out, "%s%s %d", separator, next > first + 1 ? "ranks" : "rank", board->posts[first].rank);
        if (next > first + 1) fprintf(out, "-%d", board->posts[next - 1].rank);
        fprintf(out, ": %s", text);
        separator = "; ";
    }
}
