#include "view/machine.h"
#include "base/text_file.h"
#include "view/machine_host.h"
#include "view/network.h"

#include <stdlib.h>

void pen_machine_destroy(pen_machine **machine)
{
    if (!machine || !*machine) return;
    pen_network_destroy((pen_network *)(void *)*machine);
    *machine = NULL;
}

/* ---- By name or path --------------------------------------------------------------------------- */

static bool is_path(const char *spec)
{
    size_t name = strcspn(spec, ":,");
    return memchr(spec, '/', name) || memchr(spec, '.', name);
}

pen_status pen_machine_create(pen_comm *comm, const char *spec, int parts, pen_machine **machine)
{
    char *text = NULL;
    pen_machine *made = NULL;
    bool path = is_path(spec);
    if (pen_machine_is_host(spec)) return pen_machine_of_host(comm, spec, parts, machine);
    pen_status status = path ? pen_text_load(comm, "machine", spec, &text) : PEN_OK;
    if (status == PEN_OK)
        status = pen_agree(comm, path ? pen_machine_parse(spec, text, parts, &made)
                                      : pen_machine_generate(spec, parts, &made));
    free(text);
    if (status == PEN_OK) *machine = made;
    else pen_machine_destroy(&made);
    return status;
}
