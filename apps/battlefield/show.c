/* show.c - what a battle leaves behind besides the table of its observables: who holds what. */
#include "apps/battlefield/show.h"

/* Who holds how much of a zone. */
static void print_zone(FILE *out, const scenario *plan, const ledger *ledgers, const char *side, const char *what,
                       const zone *z)
{
    int64_t held[SIDES + 1] = { 0 };
    for (int32_t y = z->from.y; y <= z->to.y; y++)
        for (int32_t x = z->from.x; x <= z->to.x; x++) held[ledgers[y * plan->width + x].holder]++;
    fprintf(out, "    %s %s at %d,%d", side, what, z->from.x, z->from.y);
    if (z->from.x != z->to.x || z->from.y != z->to.y) fprintf(out, " to %d,%d", z->to.x, z->to.y);
    if (held[SIDES] == 1 && held[RED] + held[BLUE] == 0) fprintf(out, ": held by nobody\n");
    else if (held[RED] + held[BLUE] + held[SIDES] == 1)
        fprintf(out, ": held by %s\n", pen_side_names[held[RED] ? RED : BLUE]);
    else
        fprintf(out, ": red holds %" PRId64 " hexes, blue %" PRId64 ", nobody %" PRId64 "\n", held[RED], held[BLUE],
                held[SIDES]);
}

static void print_summary(FILE *out, const pen_run *run, const scenario *plan, const ledger *ledgers)
{
    command orders;
    pen_scenario_command(plan, pen_run_step(run) - 1, &orders);
    for (int side = 0; side < SIDES; side++) {
        fprintf(out,
                "%-11s %" PRId64 " of %" PRId64 " units, %" PRId64 " of %" PRId64 " assets left; holds %" PRId64
                " of %" PRId64 " hexes\n",
                pen_side_names[side], pen_run_observed_int(run, UNITS + side), plan->units[side],
                pen_run_observed_int(run, ASSETS + side), plan->assets[side], pen_run_observed_int(run, HELD + side),
                (int64_t)plan->width * plan->height);
        if (plan->command[side] != NO_HEX) {
            place at = { plan->command[side] % plan->width, plan->command[side] / plan->width };
            print_zone(out, plan, ledgers, pen_side_names[side], "command", &(zone){ at, at });
        }
        for (int f = 0; f < FORMATIONS; f++) {
            const zone *z = &orders.objective[side][f];
            bool told = !(orders.given[side] >> f & 1);
            for (int before = 0; !told && before < f; before++)
                told = orders.given[side] >> before & 1 && memcmp(&orders.objective[side][before], z, sizeof *z) == 0;
            if (!told) print_zone(out, plan, ledgers, pen_side_names[side], "objective", z);
        }
    }
}

pen_status pen_battle_show(pen_run *run, int64_t step, void *params, FILE *out)
{
    const battle *b = (const battle *)params;
    pen_records ledgers = { .count = 0 };
    if (step == 0 || !(step == b->steps || pen_run_done(run))) return PEN_OK;
    pen_status status = pen_run_gather(run, LEDGER, &ledgers);
    if (status == PEN_OK && out) print_summary(out, run, &b->plan, (const ledger *)ledgers.records);
    pen_records_free(&ledgers);
    return status;
}
