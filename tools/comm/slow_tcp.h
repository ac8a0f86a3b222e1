/* slow_tcp.h - a network that is slow: in a program with this file, MPI's poll() and readv() of TCP sockets see what
 * has arrived only when a link of some latency and bandwidth would have brought it. */
#pragma once

/* Local. From now on, what a socket receives passes one after the other at `bandwidth` bytes per second (0: at once),
 * and then takes `latency` seconds more. */
void pen_slow_tcp(double latency, double bandwidth);
