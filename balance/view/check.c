#include "view/check.h"
#include "base/memory.h"

#include <stdlib.h>

static pen_status check_move(const pen_move *move, pen_lid node, const pen_peers *peers, bool *seen)
{
    if (node < 0)
        return pen_fail(PEN_ERR_INTERNAL, "it moves node %" PRIgid ", which is not of rank %d", move->gid, peers->rank);
    if (move->to < 0 || move->to >= peers->size)
        return pen_fail(PEN_ERR_INTERNAL, "it moves node %" PRIgid " to rank %" PRId32 " of %d", move->gid, move->to,
                        peers->size);
    if (seen[node]) return pen_fail(PEN_ERR_INTERNAL, "it moves node %" PRIgid " twice", move->gid);
    seen[node] = true;
    return PEN_OK;
}

pen_status pen_plan_check(const pen_plan *plan, pen_lid count, const pen_peers *peers, pen_find_fn *find,
                          const void *context, pen_lid *nodes)
{
    if (plan->count < 0 || plan->count > count)
        return pen_fail(PEN_ERR_INTERNAL, "it has %" PRId64 " moves of %" PRIlid " nodes", plan->count, count);
    bool *seen;
    PEN_TRY(PEN_ALLOC_ZERO(&seen, count));
    pen_status status = PEN_OK;
    for (int64_t i = 0; status == PEN_OK && i < plan->count; i++) {
        nodes[i] = find(context, plan->moves[i].gid);
        status = check_move(&plan->moves[i], nodes[i], peers, seen);
    }
    free(seen);
    return status;
}

void pen_plan_fill(pen_plan *plan, const pen_load_view *view, int rank, const int32_t *to)
{
    for (pen_lid i = 0; i < view->count; i++)
        if (to[i] != rank) plan->moves[plan->count++] = (pen_move){ view->gids[i], to[i] };
}

pen_lid pen_parts_check(pen_lid count, const int32_t *part, int parts)
{
    for (pen_lid i = 0; i < count; i++)
        if (part[i] < 0 || part[i] >= parts) return i;
    return -1;
}
