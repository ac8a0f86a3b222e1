/* hosts.h - pen-comm on emulated hosts: namespaces with a name and a /dev/shm of their own, so that MPI takes their
 * ranks for ranks of another host and sends over TCP. */
#pragma once

#include "base/status.h"

#define COMM_HOSTS "2[:ranks=N,latency=T,bandwidth=B]"

typedef struct comm_hosts {
    int64_t ranks;             /* of each host */
    double latency, bandwidth; /* of the network between them: seconds, bytes per second; 0: as it is */
} comm_hosts;

/* Local, before MPI_Init. Parse the value of --hosts. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_hosts_parse(const char *text, comm_hosts *hosts);

/* Local, before MPI_Init. Whether mpirun started this process. */
bool pen_hosts_launched(void);

/* Local. Becomes mpirun, which starts argv on the hosts. Returns only after a failure: PEN_ERR_ENVIRONMENT. */
PEN_CHECKED pen_status pen_hosts_launch(const comm_hosts *hosts, int argc, char **argv);

/* Local. What mpirun takes for its remote shell: if argv is a call of it, becomes the command on that host, or exits
 * after a failure. Returns if it is not. */
void pen_hosts_serve(int argc, char **argv);
