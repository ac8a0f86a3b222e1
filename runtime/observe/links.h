/* links.h - how the hosts of a run tell each other what their ranks are at, without MPI: a TCP connection of the lowest
 * rank of each host to rank 0, on which a host says what it has counted (verdict.h) once a second, if the last time was
 * heard. The system says where a host or a process at the other end is gone; one that is stopped is silent. */
#ifndef PEN_LINKS_H
#define PEN_LINKS_H

#include "observe/verdict.h"

typedef struct pen_links pen_links;

/* What has come. */
typedef enum pen_link_news {
    PEN_LINK_JUDGE,  /* this is rank 0: *facts are those of all hosts */
    PEN_LINK_FOLLOW, /* nothing for this host to do */
    PEN_LINK_END,    /* rank 0 has said that the run ends */
    PEN_LINK_LOST    /* another host, or its lowest rank, is gone */
} pen_link_news;

/* Collective; *links stays NULL on ranks that are not the lowest of their hosts. PEN_ERR_IO where some host does not
 * reach rank 0 by IPv4, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_links_create(pen_comm *comm, pen_links **links);

/* Local. The others go on without this host. Nulls *links; NULL and a null handle are legal. */
void pen_links_destroy(pen_links **links);

/* Local, `elapsed` ms after the last time: hand over what this host has counted, and take what others have. On rank 0
 * a run is not stuck before the lines of all hosts are there to be printed. */
pen_link_news pen_links_exchange(pen_links *links, const pen_board *board, const pen_pulse *pulses, pen_facts *facts,
                                 int64_t elapsed);

/* Local, on rank 0. The lines of the ranks of the other hosts. */
void pen_links_print(const pen_links *links, FILE *out);

/* Local. On rank 0, tell the others that the run ends. */
void pen_links_end(pen_links *links);

#endif
