/* version.c - prints versions of the library, of MPI and of other packages. */
#include "driver/version.h"
#include "balance/partitioners.h"
#include "balance/registry.h"
#include "checkpoint/file.h"
#include "directory/pages.h"
#include "halo/connect.h"
#include "partition/partition.h"
#include "pen_build.h"
#include "view/binding.h"

const char *pen_mpi_version(void)
{
    static PEN_PER_RANK char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

const char *pen_packages(void)
{
    static PEN_PER_RANK char text[128];
    snprintf(text, sizeof text, "METIS %s, Scotch %s, uthash %s, xxHash %s%s", pen_metis_version(),
             pen_scotch_version(), pen_uthash_version(), pen_xxhash_version(), pen_binding_version());
    return text;
}

const char *pen_build_info(void)
{
    static PEN_PER_RANK char text[sizeof PEN_BUILD + 160];
    snprintf(text, sizeof text, "%spackages     %s", PEN_BUILD, pen_packages());
    return text;
}

static void print_names(const char *what, const char *(*name)(int), FILE *out)
{
    fprintf(out, "%-12s", what);
    for (int i = 0; name(i); i++) fprintf(out, " %s", name(i));
    fputc('\n', out);
}

static const char *transport_name(int i) { return pen_transports[i] ? pen_transports[i]->name : NULL; }

void pen_version_print(const char *program, FILE *out)
{
    fprintf(out, "%s (Penumbra) %s\n%-12s %s\n%s\n", program, pen_version(), "MPI", pen_mpi_version(),
            pen_build_info());
    print_names("transports", transport_name, out);
    print_names("partitioners", pen_partition_name, out);
    print_names("balancers", pen_balancer_name, out);
}
