#define _GNU_SOURCE /* locks of open files */
#include "observe/board.h"
#include "base/leftovers.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct pen_board_page {
    _Atomic(int) ended;
    _Alignas(64) pen_post posts[]; /* [host_size] */
};

enum { LONGEST_PATH = 64 };

static size_t size_of(int host_size) { return sizeof(struct pen_board_page) + (size_t)host_size * sizeof(pen_post); }

/* Local. A file with room for all, which is there to be written: memory that is lacking later would be a signal. */
static pen_status make_file(int host_size, char path[LONGEST_PATH], int *file)
{
    static const char *const folders[] = { PEN_LEFTOVERS_FOLDER, "/tmp" };
    int error = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, LONGEST_PATH, "%s/" PEN_LEFTOVERS_BOARD "XXXXXX", folders[i]);
        *file = mkostemp(path, O_CLOEXEC);
        error = *file < 0 ? errno : posix_fallocate(*file, 0, (off_t)size_of(host_size));
        if (error == 0) return PEN_OK;
        if (*file >= 0) {
            unlink(path);
            close(*file);
        }
    }
    path[0] = '\0';
    *file = -1;
    return pen_fail(PEN_ERR_IO, "no file to share in " PEN_LEFTOVERS_FOLDER " or /tmp: %s", strerror(error));
}

/* Each has opened the file by itself: locks belong to what was opened. */
static pen_status hold_lock(const pen_board *board)
{
#ifdef F_OFD_SETLK
    struct flock mine = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = board->host_rank, .l_len = 1 };
    if (fcntl(board->file, F_OFD_SETLK, &mine) != 0)
        return pen_fail(PEN_ERR_IO, "cannot lock a shared file: %s", strerror(errno));
#else
    (void)board;
#endif
    return PEN_OK;
}

static pen_status map_file(pen_board *board, int rank)
{
    void *page = mmap(NULL, size_of(board->host_size), PROT_READ | PROT_WRITE, MAP_SHARED, board->file, 0);
    if (page == MAP_FAILED) return pen_fail(PEN_ERR_MEMORY, "cannot map a shared file: %s", strerror(errno));
    board->page = (struct pen_board_page *)page;
    pen_board_post(board, board->host_rank)->rank = rank;
    return hold_lock(board);
}

/* Collective. The lowest rank of each host makes the file, the others open it. */
static pen_status share(pen_comm *comm, pen_board *board)
{
    char path[LONGEST_PATH] = "";
    pen_status status = PEN_OK;
    if (comm->host_rank == 0) status = make_file(comm->host_size, path, &board->file);
    PEN_MPI(MPI_Bcast(path, LONGEST_PATH, MPI_CHAR, 0, comm->host));
    if (comm->host_rank > 0 && path[0]) {
        board->file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (board->file < 0) status = pen_fail(PEN_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    if (board->file >= 0) status = map_file(board, comm->rank);
    status = pen_agree(comm, status);
    if (comm->host_rank == 0 && path[0]) unlink(path);
    return status;
}

pen_status pen_board_create(pen_comm *comm, pen_board **board)
{
    pen_board *b;
    PEN_TRY(pen_agree(comm, PEN_ALLOC_ZERO(&b, 1)));
    *b = (pen_board){ .file = -1, .host_rank = comm->host_rank, .host_size = comm->host_size };
    if (comm->host_rank == 0) pen_leftovers_remove(PEN_LEFTOVERS_FOLDER);
    pen_status status = share(comm, b);
    if (status == PEN_OK) *board = b;
    else pen_board_destroy(&b);
    return status;
}

void pen_board_destroy(pen_board **board)
{
    if (!board || !*board) return;
    pen_board *b = *board;
    if (b->page) munmap(b->page, size_of(b->host_size));
    if (b->file >= 0) close(b->file);
    free(b);
    *board = NULL;
}

pen_post *pen_board_post(const pen_board *board, int host_rank) { return &board->page->posts[host_rank]; }

_Atomic(int) *pen_board_ended(const pen_board *board) { return &board->page->ended; }

bool pen_board_lives(const pen_board *board, int host_rank)
{
#ifdef F_OFD_GETLK
    struct flock theirs = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = host_rank, .l_len = 1 };
    return host_rank == board->host_rank || fcntl(board->file, F_OFD_GETLK, &theirs) != 0 || theirs.l_type != F_UNLCK;
#else
    (void)board;
    (void)host_rank;
    return true;
#endif
}
