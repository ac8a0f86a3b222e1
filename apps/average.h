/* average.h - iC2mpi's generic application: every node becomes the mean of its neighbours. */
#pragma once

#include <penumbra.h>

/* Run the whole program; `default_graph` as in pen_app. Returns the exit status. */
int pen_average_main(const char *name, const char *default_graph, int argc, char **argv);
