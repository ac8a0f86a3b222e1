/* list.c - the tables of names that --list prints. */
#include "driver/list.h"
#include "balance/partitioners.h"
#include "balance/registry.h"
#include "graph/generators.h"
#include "halo/connect.h"
#include "view/machine_generate.h"

pen_status pen_list_find(const char *what, pen_list *print)
{
    static const struct {
        const char *name;
        pen_list print;
    } lists[] = { { "partitioners", pen_partition_list },
                  { "balancers", pen_balancer_list },
                  { "machines", pen_machine_list },
                  { "comm", pen_transport_list },
                  { "generators", pen_generators_list } };
    *print = NULL;
    for (int i = 0; what && i < PEN_COUNT_OF(lists); i++)
        if (strcmp(what, lists[i].name) == 0) *print = lists[i].print;
    if (what && !*print)
        return pen_fail(PEN_ERR_INPUT, "--list=%s: must be partitioners, balancers, machines, comm or generators",
                        what);
    return PEN_OK;
}
