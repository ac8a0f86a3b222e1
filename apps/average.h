/* average.h - iC2mpi's generic application: every node becomes the mean of its neighbours. */
#pragma once

#include <penumbra.h>

/* The whole program; `default_graph` as in pen_app. */
int pen_average_main(const char *name, const char *default_graph, int argc, char **argv);
