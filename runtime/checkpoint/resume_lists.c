/* resume_lists.c - brings the lists of a checkpoint to the nodes of a resumed run. */
#include "checkpoint/resume_lists.h"
#include "base/memory.h"
#include "base/sparse.h"

#include <stdlib.h>

static int64_t words_of(int64_t bytes) { return (bytes + 7) / 8; }

/* Lists of one part in a chunk. */
typedef struct section {
    const char *name;
    int64_t length;       /* bytes of the name */
    const int64_t *words; /* [count] */
    int64_t count;
} section;

/* The next section from *at on, which advances. False: there is none; *wrong: it is malformed. */
static bool next_section(const int64_t **at, const int64_t *end, section *s, bool *wrong)
{
    const int64_t left = end - *at;
    if (left == 0) return false;
    *s = (section){ (const char *)(*at + 1), **at, NULL, 0 };
    const int64_t name = s->length >= 0 && s->length <= 8 * left ? words_of(s->length) : left;
    *wrong = name + 2 > left || (*at)[name + 1] < 0 || (*at)[name + 1] > left - name - 2;
    if (*wrong) return false;
    s->count = (*at)[name + 1];
    s->words = *at + name + 2;
    *at = s->words + s->count;
    return true;
}

/* The next list from *at on: gid, number of words, words. */
static bool next_list(const int64_t **at, const int64_t *end, pen_gid *gid, pen_node_list *list, bool *wrong)
{
    if (*at == end) return false;
    *wrong = end - *at < 2 || (*at)[0] < 0 || (*at)[1] < 1 || (*at)[1] > end - *at - 2;
    if (*wrong) return false;
    *gid = (*at)[0];
    *list = (pen_node_list){ 0, (*at)[1], *at + 2 };
    *at += 2 + list->count;
    return true;
}

static pen_status damaged(const pen_resume *r)
{
    return pen_fail(PEN_ERR_INPUT, "%s: damaged: impossible lists of nodes", r->file.path);
}

/* The lists of one part in all chunks of this rank. */
typedef struct found {
    pen_gid *gids;
    pen_node_list *lists;
    int64_t count, room, more;
} found;

static pen_status find_in_chunk(const pen_resume *r, int64_t i, const char *name, found *f)
{
    const int64_t *at = (const int64_t *)(const void *)pen_checkpoint_chunk(&r->file, i);
    const int64_t *end = at + r->file.chunks[i].bytes / 8;
    bool wrong = false;
    section s;
    while (next_section(&at, end, &s, &wrong)) {
        const int64_t *list = s.words;
        if ((size_t)s.length != strlen(name) || memcmp(s.name, name, (size_t)s.length) != 0) continue;
        PEN_TRY(pen_reserve(&f->gids, sizeof *f->gids, f->count + 1, &f->room));
        PEN_TRY(pen_reserve(&f->lists, sizeof *f->lists, f->count + 1, &f->more));
        while (next_list(&list, s.words + s.count, &f->gids[f->count], &f->lists[f->count], &wrong)) {
            f->count++;
            PEN_TRY(pen_reserve(&f->gids, sizeof *f->gids, f->count + 1, &f->room));
            PEN_TRY(pen_reserve(&f->lists, sizeof *f->lists, f->count + 1, &f->more));
        }
        if (wrong) break;
    }
    return wrong ? damaged(r) : PEN_OK;
}

static pen_status find(const pen_resume *r, const char *name, found *f)
{
    for (int64_t i = 0; i < r->file.count; i++)
        if (r->file.chunks[i].nodes == PEN_CHUNK_OF_LISTS) PEN_TRY(find_in_chunk(r, i, name, f));
    return PEN_OK;
}

/* Blocks for the owners of the nodes. */
static pen_status address(const pen_run *run, const pen_resume *r, const found *f, const int32_t *owners,
                          pen_blocks *send)
{
    int64_t *bytes;
    for (int64_t i = 0; i < f->count; i++)
        if (owners[i] < 0) return damaged(r);
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, run->comm->size));
    for (int64_t i = 0; i < f->count; i++) bytes[owners[i]] += 8 * (2 + f->lists[i].count);
    const pen_status status = pen_blocks_open(run->comm->size, bytes, send);
    for (int64_t i = 0; i < f->count && status == PEN_OK; i++) {
        const size_t size = 8 * (size_t)(2 + f->lists[i].count);
        memcpy(send->data + bytes[owners[i]], f->lists[i].words - 2, size);
        bytes[owners[i]] += (int64_t)size;
    }
    free(bytes);
    return status;
}

/* Give the lists that have arrived to the part. */
static pen_status take(pen_run *run, const pen_resume *r, const pen_run_part *p, const pen_blocks *arrived)
{
    const int64_t *at = (const int64_t *)(const void *)arrived->data,
                  *end = arrived->data ? at + pen_blocks_bytes(arrived) / 8 : at;
    pen_node_list *lists = NULL;
    pen_gid gid;
    int64_t count = 0, room = 0;
    bool wrong = false;
    pen_status status = pen_reserve(&lists, sizeof *lists, 1, &room);
    while (status == PEN_OK && !wrong && next_list(&at, end, &gid, &lists[count], &wrong)) {
        lists[count].slot = pen_store_slot(run->store, gid);
        wrong = lists[count].slot < 0;
        count += !wrong;
        status = pen_reserve(&lists, sizeof *lists, count + 1, &room);
    }
    if (status == PEN_OK && count > 0) qsort(lists, (size_t)count, sizeof *lists, pen_by_int32);
    for (int64_t i = 1; i < count; i++) wrong = wrong || lists[i].slot == lists[i - 1].slot;
    if (status == PEN_OK && wrong) status = damaged(r);
    if (status == PEN_OK) status = p->part->take_lists(run, p->state, count, lists);
    free(lists);
    return status;
}

/* Collective. */
static pen_status bring(pen_run *run, const pen_resume *r, const pen_run_part *p)
{
    found f = { .count = 0 };
    int32_t *owners = NULL;
    pen_blocks send = { 0 }, arrived = { 0 };
    pen_status status = find(r, p->part->name, &f);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, f.count);
    status = pen_directory_resolve_with(run->store->directory, status, f.count, f.gids, owners);
    if (status == PEN_OK) {
        status = address(run, r, &f, owners, &send);
        status = pen_sparse_exchange(run->comm, status, &send, &arrived);
    }
    if (status == PEN_OK) status = pen_agree(run->comm, take(run, r, p, &arrived));
    PEN_FREE_ALL(f.gids, f.lists, owners);
    pen_blocks_free(&send);
    pen_blocks_free(&arrived);
    return status;
}

pen_status pen_resume_lists(pen_run *run, const pen_resume *resume)
{
    PEN_FOR_PARTS (p, run, take_lists) PEN_TRY(bring(run, resume, p));
    return PEN_OK;
}
