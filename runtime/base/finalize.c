/* finalize.c - ends MPI. */
#define _GNU_SOURCE /* for dl_iterate_phdr */
#include "base/finalize.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <link.h>

typedef struct components {
    char **paths; /* [count] paths of loaded components */
    int count, room;
} components;

/* Note a component for later: dlopen may not be called here, because the loader's list is locked. */
static int note_component(struct dl_phdr_info *info, size_t size, void *context)
{
    components *c = (components *)context;
    if (!strstr(info->dlpi_name, "/mca_")) return 0;
    if (c->count == c->room) {
        const int room = 2 * c->room + 64;
        if (PEN_REALLOC(&c->paths, room) != PEN_OK) return 1;
        c->room = room;
    }
    if (pen_copy_text(info->dlpi_name, &c->paths[c->count]) != PEN_OK) return 1;
    c->count++;
    return 0;
}

static void keep_components(void)
{
    components c = { .paths = NULL };
    dl_iterate_phdr(note_component, &c);
    for (int i = 0; i < c.count; i++) {
        (void)dlopen(c.paths[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        free(c.paths[i]);
    }
    free(c.paths);
}
#else
static void keep_components(void) {}
#endif

void pen_finalize(void)
{
    if (!getenv("OMPI_COMM_WORLD_SIZE")) keep_components();
    MPI_Finalize();
}
