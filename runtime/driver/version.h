/* version.h - names the version of the library, its MPI, and the packages in it. */
#pragma once

#include "base/status.h"

/* Local. Print the text of --version, also before MPI_Init: the program and its version, MPI's, how it was built
 * (pen_build_info), and the transports, partitioners and balancers that are built in. */
void pen_version_print(const char *program, FILE *out);

/* The last line of --help. */
#define PEN_HELP_WITH_WORDS "Words and numbers that it prints: man penumbra_glossary, or runtime/glossary.md\n"

/* Local. The first line of MPI's own version text; and the packages with their versions, "METIS 5.1.0, Scotch 7.0.3,
 * uthash 2.3.0", the optional ones last. Static storage. */
const char *pen_mpi_version(void);
const char *pen_packages(void);
