/* draw.c - the picture of a field as SVG: a hex is coloured by its terrain or, where there are units, by their side
 * and the deeper the more assets; what was held last has a tint of its holder. A white dot marks combat, dark lines
 * the borders between ranks, flags the command hexes, rings the objectives. */
#include "apps/battlefield/draw.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const uint32_t terrain_colours[TERRAINS] = {
    [CLEAR] = 0xf1eddc, [ROAD] = 0xd9c9a3, [FOREST] = 0xbfd3a8, [HILL] = 0xd8c8b0,
    [MARSH] = 0xcfd9cf, [TOWN] = 0xc4c0c4, [WATER] = 0x9cc3dd,
};
static const uint32_t light[SIDES] = { 0xf6b3a2, 0xa9c4f2 }, deep[SIDES] = { 0xa01008, 0x0c2f94 };
static const uint32_t light_both = 0xd9a6dc, deep_both = 0x5a0a6e;

/* A hexagon stands on its point; its sides are 10 long. */
static const double WIDTH = 17.320508, ROW = 15.0, MARGIN = 14.0, HEAD = 46.0;

static double center_x(place at) { return MARGIN + WIDTH * (at.x + 0.5 + 0.5 * (at.y & 1)); }
static double center_y(place at) { return HEAD + 10.0 + ROW * at.y; }

static uint32_t blend(uint32_t a, uint32_t b, double share)
{
    uint32_t mixed = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        double from = (double)(a >> shift & 255), to = (double)(b >> shift & 255);
        mixed |= (uint32_t)(from + (to - from) * share + 0.5) << shift;
    }
    return mixed;
}

/* `full`: the assets that get the deepest colour. */
static uint32_t hex_colour(const presence *here, const ledger *books, uint8_t terrain, double full)
{
    bool red = here->units[RED] > 0, blue = here->units[BLUE] > 0;
    if (!red && !blue) {
        uint32_t bare = terrain_colours[terrain];
        return books->holder == SIDES ? bare : blend(bare, light[books->holder], 0.3);
    }
    double share = sqrt((here->assets[RED] + here->assets[BLUE]) / full);
    if (share > 1.0) share = 1.0;
    if (red && blue) return blend(light_both, deep_both, share);
    return blend(light[red ? RED : BLUE], deep[red ? RED : BLUE], share);
}

/* The side of a hexagon that faces a direction, as ends relative to its centre. */
static void side_of(int direction, double ends[4])
{
    static const double x[DIRECTIONS] = { 8.660254, 8.660254, 0.0, -8.660254, -8.660254, 0.0 };
    static const double y[DIRECTIONS] = { 5.0, -5.0, -10.0, -5.0, 5.0, 10.0 };
    int next = (direction + 1) % DIRECTIONS;
    ends[0] = x[direction];
    ends[1] = y[direction];
    ends[2] = x[next];
    ends[3] = y[next];
}

/* Every border once: from a hex to the east, to the south-west and to the south-east. */
static void draw_borders(FILE *out, const scenario *plan, const int32_t *owners)
{
    static const int forward[] = { 0, 4, 5 };
    fputs("<path fill=\"none\" stroke=\"#111\" stroke-width=\"2.4\" stroke-linecap=\"round\" d=\"", out);
    for (int32_t hex = 0; hex < plan->width * plan->height; hex++) {
        place at = { hex % plan->width, hex / plan->width };
        for (int i = 0; i < 3; i++) {
            place next = pen_place_next(at, forward[i]);
            if (next.x < 0 || next.x >= plan->width || next.y >= plan->height) continue;
            if (owners[hex] == owners[next.y * plan->width + next.x]) continue;
            double ends[4];
            side_of(forward[i], ends);
            fprintf(out, "M%.1f %.1fL%.1f %.1f", center_x(at) + ends[0], center_y(at) + ends[1], center_x(at) + ends[2],
                    center_y(at) + ends[3]);
        }
    }
    fputs("\"/>\n", out);
}

static void draw_places(FILE *out, const scenario *plan, int64_t step)
{
    command orders;
    pen_scenario_command(plan, step, &orders);
    for (int side = 0; side < SIDES; side++) {
        unsigned colour = (unsigned)deep[side];
        for (int f = 0; f < FORMATIONS; f++) {
            const zone *z = &orders.objective[side][f];
            if (!(orders.given[side] >> f & 1)) continue;
            double reach = side == RED ? 9.5 : 6.0; /* so that the objectives of both can be the same */
            double x = center_x(z->from) - reach, y = center_y(z->from) - reach;
            double width = WIDTH * (z->to.x - z->from.x) + 2 * reach, height = ROW * (z->to.y - z->from.y) + 2 * reach;
            for (int pass = 0; pass < 2; pass++)
                fprintf(out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" fill=\"none\" "
                        "stroke=\"#%06x\" stroke-width=\"%s\"/>\n",
                        x, y, width, height, reach, pass ? colour : 0xffffffU, pass ? "2.5" : "4.5");
        }
        if (plan->command[side] == NO_HEX) continue;
        place at = { plan->command[side] % plan->width, plan->command[side] / plan->width };
        fprintf(out, "<path d=\"M%.1f %.1fv-21l15 6l-15 6\" fill=\"#%06x\" stroke=\"#fff\" stroke-width=\"1.2\"/>\n",
                center_x(at) - 4.0, center_y(at) + 8.0, colour);
    }
}

/* Of a colour scale from light to deep, and what it stands for. */
static double draw_scale(FILE *out, double x, uint32_t from, uint32_t to, const char *text)
{
    for (int i = 0; i < 5; i++)
        fprintf(out, "<rect x=\"%.1f\" y=\"28\" width=\"9\" height=\"11\" fill=\"#%06x\"/>", x + 9 * i,
                (unsigned)blend(from, to, i / 4.0));
    fprintf(out, "<text x=\"%.1f\" y=\"38\">%s</text>\n", x + 49, text);
    return x + 56 + 6.2 * (double)strlen(text);
}

static void draw_head(FILE *out, int64_t step, const int64_t units[SIDES], const int64_t assets[SIDES],
                      int64_t fighting, bool borders)
{
    fprintf(out,
            "<g font-family=\"sans-serif\" font-size=\"11\" fill=\"#222\">\n<text x=\"%.0f\" y=\"18\">"
            "step %" PRId64 " &#183; red %" PRId64 " assets in %" PRId64 " units &#183; blue %" PRId64
            " assets in %" PRId64 " units &#183; %" PRId64 " hexes in combat</text>\n",
            MARGIN, step, assets[RED], units[RED], assets[BLUE], units[BLUE], fighting);
    double x = draw_scale(out, MARGIN, light[RED], deep[RED], "red: assets");
    x = draw_scale(out, x, light[BLUE], deep[BLUE], "blue");
    x = draw_scale(out, x, light_both, deep_both, "both");
    fprintf(out,
            "<circle cx=\"%.1f\" cy=\"34\" r=\"5\" fill=\"#777\"/><circle cx=\"%.1f\" cy=\"34\" r=\"2.6\" "
            "fill=\"#fff\"/><text x=\"%.1f\" y=\"38\">combat</text>\n",
            x + 5, x + 5, x + 14);
    if (borders)
        fprintf(
            out,
            "<path d=\"M%.1f 34h18\" stroke=\"#111\" stroke-width=\"2.4\"/><text x=\"%.1f\" y=\"38\">ranks</text>\n",
            x + 66, x + 88);
    fputs("</g>\n", out);
}

void pen_battle_draw(FILE *out, const scenario *plan, int64_t step, const presence *presences, const ledger *ledgers,
                     const int32_t *owners)
{
    int64_t units[SIDES] = { 0, 0 }, assets[SIDES] = { 0, 0 }, fighting = 0;
    bool ranks = false;
    int32_t hexes = plan->width * plan->height;
    double full = 1.0;
    for (int side = 0; side < SIDES; side++) /* four units of mean strength */
        if (plan->units[side] > 0 && 4.0 * (double)plan->assets[side] / (double)plan->units[side] > full)
            full = 4.0 * (double)plan->assets[side] / (double)plan->units[side];
    double width = 2 * MARGIN + WIDTH * (plan->width + 0.5), height = HEAD + MARGIN + ROW * plan->height + 5.0;
    if (width < 620.0) width = 620.0; /* the head needs it */
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
            "viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<defs><path id=\"h\" d=\"M8.66 5V-5L0-10L-8.66-5V5L0 10Z\" stroke=\"#fff\" stroke-opacity=\".5\" "
            "stroke-width=\".6\"/></defs>\n",
            width, height, width, height);
    for (int32_t hex = 0; hex < hexes; hex++) {
        place at = { hex % plan->width, hex / plan->width };
        fprintf(out, "<use xlink:href=\"#h\" x=\"%.1f\" y=\"%.1f\" fill=\"#%06x\"/>\n", center_x(at), center_y(at),
                (unsigned)hex_colour(&presences[hex], &ledgers[hex], pen_scenario_terrain(plan, at), full));
        ranks = ranks || (owners && owners[hex] != owners[0]);
        for (int side = 0; side < SIDES; side++) {
            units[side] += presences[hex].units[side];
            assets[side] += presences[hex].assets[side];
        }
    }
    fputs("<g fill=\"#fff\">\n", out);
    for (int32_t hex = 0; hex < hexes; hex++) {
        if (ledgers[hex].engaged == 0) continue;
        place at = { hex % plan->width, hex / plan->width };
        fighting++;
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>\n", center_x(at), center_y(at));
    }
    fputs("</g>\n", out);
    if (ranks) draw_borders(out, plan, owners);
    draw_places(out, plan, step);
    draw_head(out, step, units, assets, fighting, ranks);
    fputs("</svg>\n", out);
}
