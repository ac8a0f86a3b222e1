/* tentative_update.h - an update of the directory in two phases: adding and removing nodes.
 *
 * Every rank sends its requests for some gids to their homes. A gid's home combines the requests of all ranks and
 * rejects impossible ones. Only the home can do so, since it knows whether the node exists. The homes agree on the
 * outcomes, and enter them tentatively: until the commit the update can be rolled back. */
#pragma once

#include "directory/directory.h"

/* A rank's request for a gid. With neither `removes` nor `adds` it only asks for the outcome. */
typedef struct pen_ownership_request {
    pen_gid gid;
    pen_gid by;      /* for an addition: the requester. The lowest one wins, and its rank gets the node. */
    int64_t weight;  /* for an addition: the node's weight, which must be equal in all requests */
    uint64_t record; /* for an addition: a hash of the first records, which must be equal in all requests */
    /* For an addition: a hash of the coordinates, which must be equal in all requests; 0: there are none. */
    uint64_t place;
    int32_t removes, adds;
} pen_ownership_request;

/* A part of messages, for requests with different coordinates for a node. */
#define PEN_TWO_PLACES "with two different sets of coordinates, or once without any"

/* The outcome of the requests for a gid. */
typedef struct pen_node_outcome {
    int32_t before, after; /* owners of the node, or PEN_OWNER_UNKNOWN */
    int32_t removed;       /* the old node is removed; a node that exists afterwards is a new one */
} pen_node_outcome;

/* The removal of one of this rank's nodes. */
typedef struct pen_removal {
    pen_gid gid;
    int32_t after; /* owner of a new node of this gid, as in pen_node_outcome */
} pen_removal;

/* Collective; all ranks return the same status; `mine` as in directory.h. Phase 1: agree on the outcomes. requests is
 * [count], with each gid at most once on a rank. outcomes[i] becomes the outcome of requests[i]. *removals, [*removed],
 * lists this rank's nodes that are removed; the caller frees it. From then on the directory has the added nodes, with
 * `version`, and still has the removed ones. Call pen_directory_commit or pen_directory_rollback before the next
 * tentative update. Errors: PEN_ERR_ARGUMENT (a node to be added exists and is not removed; a node to be removed does
 * not exist; requests contradict each other), PEN_ERR_UNSUPPORTED (2^31 requests), PEN_ERR_MEMORY, PEN_ERR_MPI. After
 * an error nothing is tentative. */
PEN_CHECKED pen_status pen_directory_prepare(pen_directory *directory, pen_status mine, int32_t version, int64_t count,
                                             const pen_ownership_request *requests, pen_node_outcome *outcomes,
                                             int64_t *removed, pen_removal **removals);

/* Local; never fail. Phase 2: make the tentative update permanent, or undo it. Without one they do nothing. */
void pen_directory_commit(pen_directory *directory);
void pen_directory_rollback(pen_directory *directory);
