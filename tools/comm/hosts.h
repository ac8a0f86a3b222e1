/* hosts.h - runs pen-comm on emulated hosts: namespaces with their own name and /dev/shm, so that MPI takes their ranks
 * for ranks of another host and sends over TCP. */
#pragma once

#include "base/status.h"

#define COMM_HOSTS "2[:ranks=N,latency=T,bandwidth=B]"

typedef struct comm_hosts {
    int64_t ranks; /* number of ranks of each host */
    /* Network between hosts: latency in seconds, bandwidth in bytes per second; 0: unchanged. */
    double latency, bandwidth;
} comm_hosts;

/* Local, before MPI_Init. Parse the value of --hosts. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_hosts_parse(const char *text, comm_hosts *hosts);

/* Local. Replace this process by mpirun, which starts argv on the hosts. Returns only after a failure:
 * PEN_ERR_ENVIRONMENT. */
PEN_CHECKED pen_status pen_hosts_launch(const comm_hosts *hosts, int argc, char **argv);

/* Local. Act as mpirun's remote shell: if argv calls this program as one, replace this process by the command on that
 * host, or exit after a failure. Otherwise return. */
void pen_hosts_serve(int argc, char **argv);

/* Local (slow_tcp.c). From now on, MPI's poll() and readv() of TCP sockets find data only when a link would have
 * brought it: serialised at `bandwidth` bytes per second (0: unlimited), then delayed by `latency` seconds. */
void pen_slow_tcp(double latency, double bandwidth);
