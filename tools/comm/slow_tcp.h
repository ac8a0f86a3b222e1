/* slow_tcp.h - emulates a slow network: in a program with this file, MPI's poll() and readv() of TCP sockets find data
 * only when a link of some latency and bandwidth would have brought it. */
#pragma once

/* Local. From now on, data that a socket receives is serialised at `bandwidth` bytes per second (0: unlimited), then
 * delayed by `latency` seconds. */
void pen_slow_tcp(double latency, double bandwidth);
