/* location.h - where the checkpoints of a run are. Either in a folder that all hosts see, each in one file. Or in
 * memory, "shm" or "shm:NAME", in parts: each host has a file with what its ranks wrote in /dev/shm/penumbra-UID-NAME,
 * and the part of the host before it in the folder `copies` there, so that any one host may be lost. Where another user
 * has taken that name, six letters follow behind it, "+XXXXXX", which nobody can foresee. Folders and files there that
 * belong to others do not count. All files are as file.h
 * has them; those of one checkpoint in memory have the same word, header.set, by which they are known. */
#ifndef PEN_LOCATION_H
#define PEN_LOCATION_H

#include "checkpoint/file.h"
#include "checkpoint/folder.h"

/* Where a run writes. */
typedef struct pen_location {
    char *name;        /* as users name it */
    char *path;        /* the folder, of this host */
    char *copies;      /* in memory: the folder for the part of the host before; else NULL */
    pen_folder folder; /* locked; on rank 0, in memory on every host's lowest rank; elsewhere empty */
    pen_comm *host;    /* in memory: this host's ranks; else NULL */
    MPI_Comm lowest;   /* in memory: the lowest ranks of all hosts, in that order; else none, as on other ranks */
} pen_location;

/* Local. Whether a name means memory. */
bool pen_location_in_memory(const char *name);

/* Local. The folder that a name means on this host, *path, the caller's to free; NULL where it means memory, and
 * this user has none there. PEN_ERR_INPUT (a name of memory that is none), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_location_folder(const char *name, char **path);

/* Collective. Make the folders, if that is in memory, and take their locks (folder.h). PEN_ERR_INPUT, PEN_ERR_IO,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. pen_location_close is collective, and nulls *place; NULL is legal. */
PEN_CHECKED pen_status pen_location_open(pen_comm *comm, const char *name, pen_location **place);
void pen_location_close(pen_location **place);

/* Collective. The steps of the generations that are there, or that parts are there of, newest first, [*count], equal on
 * all ranks, the caller's to free. PEN_ERR_INPUT (no such folder), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_location_list(pen_comm *comm, const char *name, int64_t **steps, int *count);

/* Collective. Write the generation of a step, chunks->rank, ->ranks and ->set being set here; `mine` is this rank's
 * status so far. *size: its bytes, without copies. Errors as of pen_checkpoint_write; then generations that were there
 * before still are. */
PEN_CHECKED pen_status pen_location_write(pen_comm *comm, const pen_location *place, int64_t step, pen_status mine,
                                          pen_chunks *chunks, const pen_bytes *about, int64_t *size);

/* Collective. Read the generation of a step, as pen_checkpoint_open and pen_checkpoint_load do. PEN_ERR_INPUT also
 * where parts of it are on no host. */
PEN_CHECKED pen_status pen_location_read(pen_comm *comm, const char *name, int64_t step, pen_checkpoint *checkpoint);

/* Local. Mark the run that writes there (folder.h). */
void pen_location_mark(const pen_location *place, bool finished);

/* Local. Remove all generations but these two (folder.h); or, of what is in memory, all of it. */
void pen_location_keep(const pen_location *place, int64_t newest, int64_t before);
void pen_location_clear(const pen_location *place);

#endif
