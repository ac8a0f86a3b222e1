/* location.h - where the checkpoints of a run are: in a folder, or in the memory of the hosts.
 *
 * A folder is visible to all hosts, and has one file per checkpoint. Memory is "shm" or "shm:NAME": each host has a
 * file with the shards of its ranks in /dev/shm/penumbra-UID-NAME, and a copy of the file of the previous host in the
 * folder `copies` there. So the checkpoint survives the loss of any one host. If another user has taken the name, "+"
 * and six random letters follow it. Folders and files that belong to other users are ignored. All files have the
 * format of file.h. The files of one checkpoint in memory share the word header.set, which identifies them. */
#pragma once

#include "checkpoint/file.h"
#include "checkpoint/folder.h"

/* The place where a run writes. */
typedef struct pen_location {
    char *name;   /* name of the place, as given by the user */
    char *path;   /* path of the folder on this host */
    char *copies; /* in memory: the folder for the part of the host before; else NULL */
    /* The locked folder on rank 0, or, in memory, on the lowest rank of each host; empty on other ranks. */
    pen_folder folder;
    pen_comm *host;  /* in memory: communicator of this host's ranks; else NULL */
    MPI_Comm lowest; /* in memory, on the lowest ranks of the hosts: their communicator, ordered by host; else
                        MPI_COMM_NULL */
} pen_location;

/* Local. Whether a name means memory. */
bool pen_location_in_memory(const char *name);

/* Local. The name by which each place has one name: that of "shm" is "shm:checkpoint". */
const char *pen_location_full(const char *name);

/* Local. *path becomes the folder that a name means on this host. The caller frees it. It is NULL if the name means
 * memory and this user has no such folder. PEN_ERR_INPUT (an illegal name of memory), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_location_folder(const char *name, char **path);

/* Collective. Create the folders, if they are in memory, and lock them (folder.h). PEN_ERR_INPUT, PEN_ERR_IO,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. pen_location_close is collective and nulls *place; NULL is legal. */
PEN_CHECKED pen_status pen_location_open(pen_comm *comm, const char *name, pen_location **place);
void pen_location_close(pen_location **place);

/* Collective. Whether another name, or the same one, means the place. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_location_is_at(pen_comm *comm, const pen_location *place, const char *name, bool *is_at);

/* Collective. The steps of all generations of which at least a part exists, newest first, [*count], equal on all ranks.
 * The caller frees *steps. PEN_ERR_INPUT (no such folder), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_location_list(pen_comm *comm, const char *name, int64_t **steps, int *count);

/* Collective. Write the generation of a step. Sets chunks->rank, ->ranks and ->set. `mine` is this rank's status so
 * far. *size becomes its bytes, without copies. Errors as of pen_checkpoint_write; previously written generations
 * remain intact. */
PEN_CHECKED pen_status pen_location_write(pen_comm *comm, const pen_location *place, int64_t step, pen_status mine,
                                          pen_chunks *chunks, const pen_bytes *about, int64_t *size);

/* Collective. Read the generation of a step, as pen_checkpoint_open and pen_checkpoint_load do. PEN_ERR_INPUT also
 * where parts of it are on no host. */
PEN_CHECKED pen_status pen_location_read(pen_comm *comm, const char *name, int64_t step, pen_checkpoint *checkpoint);

/* Local. Mark the run that writes there (folder.h). PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_location_mark(const pen_location *place, bool finished);

/* Local. Remove all generations except these two (folder.h). pen_location_clear removes everything in memory. */
void pen_location_keep(const pen_location *place, int64_t newest, int64_t before);
void pen_location_clear(const pen_location *place);
