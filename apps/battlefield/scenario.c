/* scenario.c - the terrain and units of a hex at the beginning. */
#include "apps/battlefield/scenario.h"

#include <stdlib.h>

bool pen_scenario_covers(const scenario *s, const area *a, place at)
{
    const zone *z = &a->zone;
    if (at.x < z->from.x || at.x > z->to.x || at.y < z->from.y || at.y > z->to.y) return false;
    dice once = { s->seed, -1, at.y * s->width + at.x };
    return a->chance == 100 || (int)(pen_dice_roll(once, 0, a->line) % 100) < a->chance;
}

uint8_t pen_scenario_terrain(const scenario *s, place at)
{
    for (int i = s->ground_count - 1; i >= 0; i--)
        if (pen_scenario_covers(s, &s->grounds[i].where, at)) return s->grounds[i].terrain;
    return CLEAR;
}

int pen_scenario_troops(const scenario *s, place at, troops *out)
{
    int32_t hex = at.y * s->width + at.x;
    out->count[RED] = out->count[BLUE] = 0;
    for (int i = 0; i < s->force_count; i++) {
        const force *f = &s->forces[i];
        if (!pen_scenario_covers(s, &f->where, at) || pen_scenario_terrain(s, at) == WATER) continue;
        for (int k = 0; k < f->count; k++) {
            int slot = out->count[f->side];
            if (slot == CAPACITY) return f->where.line;
            out->units[f->side][slot] = (unit){ (hex * SIDES + f->side) * CAPACITY + slot, .assets = f->assets,
                                                .objective = NO_HEX, .type = (uint8_t)f->type,
                                                .formation = (uint8_t)f->formation };
            out->count[f->side]++;
        }
    }
    return 0;
}

uint8_t pen_scenario_marks(const scenario *s, place at)
{
    int marks = 0;
    for (int side = 0; side < SIDES; side++)
        if (s->command[side] == at.y * s->width + at.x) marks |= MARK_COMMAND << side;
    for (int i = 0; i < s->order_count; i++) {
        const zone *z = &s->orders[i].objective;
        if (at.x >= z->from.x && at.x <= z->to.x && at.y >= z->from.y && at.y <= z->to.y)
            marks |= MARK_OBJECTIVE << s->orders[i].side;
    }
    return (uint8_t)marks;
}

uint8_t pen_scenario_holder(const scenario *s, place at, const troops *own)
{
    int32_t hex = at.y * s->width + at.x;
    bool red = s->command[RED] == hex, blue = s->command[BLUE] == hex;
    uint8_t side = red ? RED : BLUE;
    return pen_rules_holder(own, red == blue ? SIDES : side);
}

void pen_scenario_command(const scenario *s, int64_t step, command *out)
{
    int64_t since[SIDES][FORMATIONS];
    out->given[RED] = out->given[BLUE] = 0;
    for (int i = 0; i < s->order_count; i++) {
        const order *o = &s->orders[i];
        for (int f = 0; f < FORMATIONS; f++) {
            if ((o->formation != f && o->formation != ALL_FORMATIONS) || o->from > step) continue;
            if (out->given[o->side] >> f & 1 && o->from < since[o->side][f]) continue;
            since[o->side][f] = o->from;
            out->given[o->side] |= (uint8_t)(1 << f);
            out->objective[o->side][f] = o->objective;
        }
    }
}

void pen_scenario_free(scenario *s)
{
    free(s->grounds);
    free(s->forces);
    free(s->orders);
    free(s->text);
    *s = (scenario){ .grounds = NULL };
}
