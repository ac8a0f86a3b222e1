#define _GNU_SOURCE /* mkostemp */
#include "observe/status_board.h"
#include "base/leftovers.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct pen_board_page {
    _Atomic(bool) ended;
    _Atomic(uint64_t) reported;    /* moves at the last report */
    _Alignas(64) pen_post posts[]; /* [host_size] */
};

enum { LONGEST_PATH = 64 };

static size_t size_of(int host_size) { return sizeof(struct pen_board_page) + (size_t)host_size * sizeof(pen_post); }

/* Local. A file with room for all: memory that is lacking later would be a signal. */
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

static pen_status map_file(pen_status_board *board, int file, int rank)
{
    void *page = mmap(NULL, size_of(board->host_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) return pen_fail(PEN_ERR_MEMORY, "cannot map a shared file: %s", strerror(errno));
    board->page = (struct pen_board_page *)page;
    pen_status_board_own(board)->rank = rank;
    return PEN_OK;
}

/* Collective. The lowest rank of each host makes the file, the others open it. */
static pen_status share(pen_comm *comm, pen_status_board *board)
{
    char path[LONGEST_PATH] = "";
    pen_status status = PEN_OK;
    int file = -1;
    if (comm->host_rank == 0) status = make_file(comm->host_size, path, &file);
    PEN_MPI(MPI_Bcast(path, LONGEST_PATH, MPI_CHAR, 0, comm->host));
    if (comm->host_rank > 0 && path[0]) {
        file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (file < 0) status = pen_fail(PEN_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    if (file >= 0) {
        status = map_file(board, file, comm->rank);
        close(file);
    }
    status = pen_agree(comm, status);
    if (comm->host_rank == 0 && path[0]) unlink(path);
    return status;
}

pen_status pen_status_board_create(pen_comm *comm, pen_status_board **board)
{
    pen_status_board *b;
    PEN_TRY(pen_agree(comm, PEN_ALLOC_ZERO(&b, 1)));
    *b = (pen_status_board){ .host_rank = comm->host_rank, .host_size = comm->host_size };
    pen_status status = share(comm, b);
    if (status == PEN_OK) *board = b;
    else pen_status_board_destroy(&b);
    return status;
}

void pen_status_board_destroy(pen_status_board **board)
{
    if (!board || !*board) return;
    pen_status_board *b = *board;
    if (b->page) munmap(b->page, size_of(b->host_size));
    free(b);
    *board = NULL;
}

pen_post *pen_status_board_own(const pen_status_board *board) { return &board->page->posts[board->host_rank]; }

bool pen_status_board_end(const pen_status_board *board) { return !atomic_exchange(&board->page->ended, true); }

bool pen_status_board_ended(const pen_status_board *board) { return atomic_load(&board->page->ended); }

pen_activity pen_status_board_activity(const pen_status_board *board)
{
    pen_activity all = { .moves = 0 };
    for (int r = 0; r < board->host_size; r++) {
        const pen_post *post = &board->page->posts[r];
        all.moves += atomic_load(&post->moves);
        all.steps += atomic_load(&post->steps);
        if (atomic_load(&post->heartbeat) == 0) continue;
        all.inside = all.inside || atomic_load(&post->inside);
        all.stepping = all.stepping || atomic_load(&post->stepping);
    }
    return all;
}

bool pen_status_board_reports(const pen_status_board *board, uint64_t moves, int64_t alive)
{
    for (int r = 0; r < board->host_rank; r++)
        if (atomic_load(&board->page->posts[r].heartbeat) > alive) return false;
    return atomic_exchange(&board->page->reported, moves) != moves;
}

/* ---- Text --------------------------------------------------------------------------------------- */

/* NULL: this rank is not watched. */
static const char *text_of(const pen_status_board *board, int host_rank, int64_t alive)
{
    const pen_post *post = &board->page->posts[host_rank];
    int64_t heartbeat = atomic_load(&post->heartbeat);
    if (heartbeat == 0) return NULL;
    return heartbeat > alive ? post->text : "stopped or gone";
}

static bool has_text(const pen_status_board *board, int host_rank, int64_t alive, const char *text)
{
    const char *own = host_rank < board->host_size ? text_of(board, host_rank, alive) : NULL;
    return own && strcmp(own, text) == 0;
}

/* "rank 3" or "ranks 0-2, 4": those with the same text, which `first` is the first of. */
static void print_ranks(const pen_status_board *board, int first, int64_t alive, const char *text, FILE *out)
{
    int count = 0;
    for (int r = first; r < board->host_size; r++) count += has_text(board, r, alive, text);
    fprintf(out, "rank%s", count > 1 ? "s" : "");
    for (int r = first; r < board->host_size; r++) {
        if (!has_text(board, r, alive, text)) continue;
        int last = r;
        while (has_text(board, last + 1, alive, text)) last++;
        fprintf(out, "%s %d", r > first ? "," : "", board->page->posts[r].rank);
        if (last > r) fprintf(out, "-%d", board->page->posts[last].rank);
        r = last;
    }
}

void pen_status_board_print(const pen_status_board *board, int64_t alive, FILE *out)
{
    const char *separator = "";
    for (int r = 0; r < board->host_size; r++) {
        const char *text = text_of(board, r, alive);
        int first = 0;
        while (text && first < r && !has_text(board, first, alive, text)) first++;
        if (!text || first < r) continue;
        fputs(separator, out);
        print_ranks(board, r, alive, text, out);
        fprintf(out, ": %s", text);
        separator = "; ";
    }
}
