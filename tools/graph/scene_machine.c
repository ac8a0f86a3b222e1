/* scene_machine.c - what a picture of a machine shows. Lengths are in units of a group's radius, or of a torus's hop,
 * until `fit` makes them pixels. */
#include "base/memory.h"
#include "tools/common/order.h"
#include "tools/graph/clusters.h"
#include "tools/graph/scene.h"
#include "view/network.h"

#include <math.h>
#include <stdlib.h>

enum {
    SPEEDS = 7, /* classes that have a size and a colour each */
    COSTS = 6,  /* that have a width */
    GROUP = 0,  /* widths of strokes */
    DOT = 1,
    LINE = DOT + SPEEDS,
    SWITCH = LINE + COSTS,
    FEW_LINKS = 15, /* that have their costs beside them */
    FEW_PROCESSORS = 64
};

static const double SMALLEST = 0.5; /* dot, of the largest one */

_Static_assert((int)SWITCH < (int)SCENE_WIDTHS, "every width has its place");

enum { LINES, GROUPS, DOTS }; /* layers */

typedef struct line {
    int32_t from, to;
    pen_link link;
} line;

typedef struct sketch {
    const pen_machine *machine;
    const pen_network *network;
    machine_cluster *clusters; /* [count] */
    int32_t count;
    bool grouped;      /* some cluster has several processors */
    int32_t nodes;     /* processors, then centres of clusters, switches, ends of what leads out */
    double *x, *y;     /* [nodes] downwards, the scene's */
    double group, dot; /* diameters; of the fastest */
    double apart;      /* centres of clusters, at least */
    int32_t line_count;
    line *lines;
    double *speeds, *costs; /* [speed_count], [cost_count] distinct ones, ascending */
    int32_t speed_count, cost_count;
} sketch;

static int32_t add_node(sketch *k, double x, double y)
{
    k->x[k->nodes] = x;
    k->y[k->nodes] = y;
    return k->nodes++;
}

static void add_line(sketch *k, int32_t from, int32_t to, pen_link link)
{
    k->lines[k->line_count++] = (line){ from, to, link };
}

/* ---- Tori ------------------------------------------------------------------------------------ */

/* A step along each dimension: across, up, to the back; what is beyond repeats all of that beside and above, at a
 * slant. */
static void find_steps(const pen_network *n, double (*steps)[2])
{
    double wide = 0.0, tall = 0.0;
    for (int d = 0; d < n->levels; d++) {
        double slant = d > 2 ? 0.45 * (d / 2) : 0.0, x = wide + 1.0, y = slant;
        if (d == 1 || (d > 2 && d % 2 == 0)) {
            x = slant;
            y = tall + 1.0;
        } else if (d == 2) {
            x = 0.38;
            y = 0.27;
        }
        steps[d][0] = x;
        steps[d][1] = -y;
        wide += x * (n->sizes[d] - 1);
        tall += y * (n->sizes[d] - 1);
    }
}

static void place_torus(sketch *k)
{
    const pen_network *n = k->network;
    double steps[PEN_NETWORK_LEVELS][2];
    int32_t processors = k->machine->processors;
    find_steps(n, steps);
    k->dot = n->levels > 2 ? 0.3 : 0.45;
    bool ring = n->levels == 1 && n->sizes[0] > 2 && processors == n->sizes[0];
    for (int32_t p = 0; p < processors; p++) {
        double x = 0.0, y = 0.0, turn = 2.0 * M_PI * p / processors, radius = 0.5 / sin(M_PI / processors);
        for (int32_t d = 0, rest = p; d < n->levels; rest /= n->sizes[d++]) {
            x += steps[d][0] * (rest % n->sizes[d]);
            y += steps[d][1] * (rest % n->sizes[d]);
        }
        add_node(k, ring ? radius * sin(turn) : x, ring ? -radius * cos(turn) : y);
    }
    for (int32_t p = 0; p < processors; p++)
        for (int32_t d = 0, stride = 1; d < n->levels; stride *= n->sizes[d++]) {
            int32_t at = p / stride % n->sizes[d];
            int32_t next = at + 1 < n->sizes[d] ? p + stride : p - at * stride;
            if (next >= processors || next == p || (next < p && n->sizes[d] == 2)) continue;
            if (next > p || ring) {
                add_line(k, p, next, n->links[0]);
                continue;
            }
            double x = 0.4 * steps[d][0], y = 0.4 * steps[d][1];
            add_line(k, p, add_node(k, k->x[p] + x, k->y[p] + y), n->links[0]);
            add_line(k, next, add_node(k, k->x[next] - x, k->y[next] - y), n->links[0]);
        }
}

/* ---- Clusters -------------------------------------------------------------------------------- */

/* The processors of every cluster around its centre, in rows; centres are at least so far apart. */
static void fill_clusters(sketch *k, double (*centres)[2], double apart)
{
    int32_t most = 1;
    for (int32_t c = 0; c < k->count; c++)
        if (k->clusters[c].count > most) most = k->clusters[c].count;
    double across = ceil(sqrt(most)), cell = 1.42 / across;
    k->grouped = most > 1;
    k->group = k->grouped ? 2.0 : 0.0;
    k->dot = k->grouped ? 0.85 * cell : 1.0;
    k->apart = apart;
    k->nodes = k->machine->processors;
    for (int32_t c = 0; c < k->count; c++) {
        int32_t count = k->clusters[c].count, wide = (int32_t)ceil(sqrt(count)), tall = (count - 1) / wide + 1, i = 0;
        for (int32_t p = k->clusters[c].first; p <= k->clusters[c].last; p++) {
            if (k->machine->clusters[p] != k->machine->clusters[k->clusters[c].first]) continue;
            int32_t row = i / wide, in_row = row + 1 < tall ? wide : count - row * wide;
            k->x[p] = centres[c][0] + cell * (i % wide - 0.5 * (in_row - 1));
            k->y[p] = centres[c][1] + cell * (row - 0.5 * (tall - 1));
            i++;
        }
        add_node(k, centres[c][0], centres[c][1]);
    }
}

static int32_t centre_of(const sketch *k, int32_t cluster) { return k->machine->processors + cluster; }

static pen_link link_of(const sketch *k, int32_t a, int32_t b)
{
    return k->machine->link(k->machine, k->clusters[a].first, k->clusters[b].first);
}

/* Whether a way over another cluster is as cheap as what is between two of them. */
static bool is_way(const sketch *k, int32_t a, int32_t b)
{
    double direct = link_of(k, a, b).cost;
    for (int32_t c = 0; c < k->count; c++) {
        double first = link_of(k, a, c).cost, second = link_of(k, c, b).cost;
        if (c != a && c != b && first > 0.0 && second > 0.0 && fabs(first + second - direct) <= 1e-9 * direct)
            return true;
    }
    return false;
}

/* On a circle, clockwise from the top; two beside each other. */
static void place_clusters(sketch *k)
{
    double centres[PICTURE_MOST_CLUSTERS][2], apart = k->count > 6 ? 3.0 : 4.5;
    double radius = k->count > 1 ? 0.5 * apart / sin(M_PI / k->count) : 0.0;
    for (int32_t c = 0; c < k->count; c++) {
        double turn = 2.0 * M_PI * (c - (k->count == 2 ? 0.5 : 0.0)) / k->count;
        centres[c][0] = radius * sin(turn);
        centres[c][1] = -radius * cos(turn);
    }
    fill_clusters(k, centres, apart);
    for (int32_t a = 0; a < k->count; a++)
        for (int32_t b = a + 1; b < k->count; b++)
            if (!is_way(k, a, b)) add_line(k, centre_of(k, a), centre_of(k, b), link_of(k, a, b));
}

/* The clusters side by side, and the switches above the middle of what is below them. */
static void place_tree(sketch *k)
{
    const pen_network *n = k->network;
    double centres[PICTURE_MOST_CLUSTERS][2],
        step = n->levels > 1 ? fmax(2.5, (double)k->count / (n->levels - 1)) : 0.0;
    int32_t below[PICTURE_MOST_CLUSTERS], count = k->count;
    for (int32_t c = 0; c < k->count; c++) {
        centres[c][0] = 2.6 * c;
        centres[c][1] = step * (n->levels - 1);
    }
    fill_clusters(k, centres, 2.6);
    for (int32_t c = 0; c < k->count; c++) below[c] = centre_of(k, c);
    for (int level = n->levels - 2; level >= 0; level--) {
        int32_t switches = 0;
        for (int32_t first = 0; first < count; first += n->sizes[level]) {
            int32_t last = first + n->sizes[level] - 1 < count ? first + n->sizes[level] - 1 : count - 1;
            int32_t node = add_node(k, 0.5 * (k->x[below[first]] + k->x[below[last]]), step * level);
            for (int32_t i = first; i <= last; i++) add_line(k, node, below[i], n->links[level]);
            below[switches++] = node;
        }
        count = switches;
    }
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* In order, each once; returns how many there are. */
static int32_t sort_distinct(double *values, int32_t count)
{
    int32_t kept = 0;
    qsort(values, (size_t)count, sizeof *values, pen_ascending_real);
    for (int32_t i = 0; i < count; i++)
        if (kept == 0 || values[i] > values[kept - 1]) values[kept++] = values[i];
    return kept;
}

static int32_t class_count(int32_t distinct, int32_t most) { return distinct < most ? distinct : most; }

/* Of distinct[i], so that classes have as many of them as each other. */
static int32_t class_at(int32_t distinct, int32_t most, int32_t i)
{
    return (int32_t)((int64_t)i * class_count(distinct, most) / distinct);
}

static int32_t class_of(const double *distinct, int32_t count, int32_t most, double value)
{
    const double *found = bsearch(&value, distinct, (size_t)count, sizeof value, pen_ascending_real);
    PEN_INVARIANT(found != NULL);
    return class_at(count, most, (int32_t)(found - distinct));
}

static pen_status find_classes(sketch *k)
{
    PEN_TRY(PEN_ALLOC(&k->speeds, k->machine->processors));
    PEN_TRY(PEN_ALLOC(&k->costs, k->line_count));
    for (int32_t p = 0; p < k->machine->processors; p++) k->speeds[p] = k->machine->speeds[p];
    for (int32_t i = 0; i < k->line_count; i++) k->costs[i] = k->lines[i].link.cost;
    k->speed_count = sort_distinct(k->speeds, k->machine->processors);
    k->cost_count = sort_distinct(k->costs, k->line_count);
    return PEN_OK;
}

/* ---- To pixels ------------------------------------------------------------------------------- */

static bool is_torus(const sketch *k) { return k->network->kind == PEN_NETWORK_TORUS; }

static void fit(sketch *k, int size, scene *s)
{
    double low[2] = { HUGE_VAL, HUGE_VAL }, high[2] = { -HUGE_VAL, -HUGE_VAL }, h = s->text_height;
    double radius = 0.5 * fmax(k->group, k->dot), aside = is_torus(k) ? 2.0 * h : 8.0 * h;
    double above = is_torus(k) ? 2.0 * h : 5.0 * h;
    for (int32_t i = 0; i < k->nodes; i++) {
        low[0] = fmin(low[0], k->x[i] - radius);
        low[1] = fmin(low[1], k->y[i] - radius);
        high[0] = fmax(high[0], k->x[i] + radius);
        high[1] = fmax(high[1], k->y[i] + radius);
    }
    double wide = high[0] - low[0], tall = high[1] - low[1];
    double scale = fmin((size - 2.0 * aside) / wide, (size - 2.0 * above) / tall);
    scale = fmin(scale, 0.3 * size); /* of few processors */
    double width = fmax(wide * scale + 2.0 * aside, 0.5 * size);
    for (int32_t i = 0; i < k->nodes; i++) {
        k->x[i] = 0.5 * (width - wide * scale) + (k->x[i] - low[0]) * scale;
        k->y[i] = above + (k->y[i] - low[1]) * scale;
    }
    k->group *= scale;
    k->dot *= scale;
    k->apart *= scale;
    s->width = (int)width;
    s->field_height = tall * scale + 2.0 * above;
}

static void set_widths(const sketch *k, scene *s)
{
    double fastest = k->speeds[k->speed_count - 1], h = s->text_height;
    int32_t classes = class_count(k->cost_count, COSTS);
    double alike = k->line_count <= FEW_LINKS ? 0.2 : 0.1;
    s->widths[GROUP] = k->group;
    s->widths[SWITCH] = h;
    for (int32_t i = 0; i < k->speed_count; i++) /* of a class, the last one's */
        s->widths[DOT + class_at(k->speed_count, SPEEDS, i)] = k->dot * fmax(SMALLEST, sqrt(k->speeds[i] / fastest));
    for (int32_t c = 0; c < classes; c++)
        s->widths[LINE + c] = classes == 1 ? alike * h : (0.5 - 0.4 * c / (classes - 1)) * h;
}

static scene_stroke make_stroke(int32_t from, int32_t to, int layer, int colour, int width)
{
    return (scene_stroke){ from, to, (uint16_t)((layer * PEN_PALETTE + colour) * SCENE_WIDTHS + width) };
}

static pen_status make_strokes(const sketch *k, scene *s)
{
    scene_stroke *listed;
    int64_t count = 0;
    int colour = k->line_count <= FEW_LINKS ? PEN_DARK : PEN_LIGHT_GREY;
    PEN_TRY(PEN_ALLOC(&listed, (int64_t)k->line_count + k->nodes));
    for (int32_t i = 0; i < k->line_count; i++) {
        const line *l = &k->lines[i];
        listed[count++] = make_stroke(l->from, l->to, LINES, colour,
                                      LINE + class_of(k->costs, k->cost_count, COSTS, l->link.cost));
    }
    for (int32_t p = 0; p < k->machine->processors; p++) {
        int32_t class = class_of(k->speeds, k->speed_count, SPEEDS, k->machine->speeds[p]);
        listed[count++] = make_stroke(p, p, DOTS, class, DOT + class);
    }
    for (int32_t i = k->machine->processors; i < k->nodes && !is_torus(k); i++) {
        bool group = i < centre_of(k, k->count);
        if (!group) listed[count++] = make_stroke(i, i, DOTS, PEN_DARK, SWITCH);
        else if (k->grouped) listed[count++] = make_stroke(i, i, GROUPS, PEN_PALE, GROUP);
    }
    s->stroke_count = count;
    pen_status status = PEN_ALLOC(&s->strokes, count);
    if (status == PEN_OK) pen_scene_sort_strokes(s, listed);
    free(listed);
    return status;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void add_text(scene *s, double x, double y, const char *text)
{
    scene_label *label = pen_scene_add_label(s, -1, "%s", text);
    label->inside = true;
    label->x = x;
    label->y = y;
}

static void say_link(char *text, size_t size, pen_link link)
{
    if (link.latency > 0.0) snprintf(text, size, "cost %.4g, latency %.4g", link.cost, link.latency);
    else snprintf(text, size, "cost %.4g", link.cost);
}

/* Links. */
static bool are_equal(const sketch *k)
{
    for (int32_t i = 1; i < k->line_count; i++)
        if (k->lines[i].link.cost != k->lines[0].link.cost || k->lines[i].link.latency != k->lines[0].link.latency)
            return false;
    return true;
}

/* What is said of a cluster, and below that; less, or "", the less room there is. */
static void say_cluster(const sketch *k, int32_t cluster, int detail, char (*lines)[96])
{
    const machine_cluster *c = &k->clusters[cluster];
    char processors[48];
    bool named = k->network->names != NULL;
    lines[0][0] = lines[1][0] = '\0';
    pen_machine_cluster_text(c, processors, sizeof processors);
    if (named) snprintf(lines[0], sizeof lines[0], "%s", c->name);
    if (detail == 0 || !k->grouped) return;
    if (named) snprintf(lines[0], sizeof lines[0], "%.24s: %s", c->name, processors);
    else snprintf(lines[0], sizeof lines[0], "%s", processors);
    if (c->count == 1) return;
    char inner[64];
    say_link(inner, sizeof inner, c->inner);
    snprintf(lines[1], sizeof lines[1], "within: %s", inner);
}

/* Whether there is room for it; characters are about 0.75 times as wide as capitals are high. */
static bool has_room(const sketch *k, int detail, double height)
{
    char lines[2][96];
    size_t longest = 0;
    for (int32_t c = 0; c < k->count; c++) {
        say_cluster(k, c, detail, lines);
        for (int i = 0; i < 2; i++) longest = strlen(lines[i]) > longest ? strlen(lines[i]) : longest;
    }
    return 0.75 * height * (double)longest < k->apart && k->apart - k->group > (detail ? 5.0 : 2.0) * height;
}

/* Above those of the upper half, else below: links lead inwards. */
static void label_clusters(const sketch *k, scene *s)
{
    double h = s->text_height, radius = 0.5 * fmax(k->group, k->dot);
    int detail = k->count == 1 || has_room(k, 1, h);
    for (int32_t c = 0; c < k->count && (detail || has_room(k, 0, h)); c++) {
        char lines[2][96];
        double x = k->x[centre_of(k, c)], y = k->y[centre_of(k, c)];
        bool upper = k->network->kind == PEN_NETWORK_TABLE && y < 0.5 * s->field_height - 1.0;
        say_cluster(k, c, detail, lines);
        double first = upper ? y - radius - (lines[1][0] ? 2.4 : 0.7) * h : y + radius + 1.7 * h;
        if (lines[0][0]) add_text(s, x, first, lines[0]);
        if (lines[1][0]) add_text(s, x, first + 1.7 * h, lines[1]);
    }
}

/* Of a tree, what it costs to go by a switch of each level; else beside each of few links, not where they cross, and
 * above what lies flat. */
static void label_links(const sketch *k, scene *s)
{
    char text[64];
    bool tree = k->network->kind == PEN_NETWORK_TREE;
    double h = s->text_height;
    for (int32_t i = 0; i < k->line_count; i++) {
        const line *l = &k->lines[i];
        bool first = i == 0 || k->y[k->lines[i - 1].from] != k->y[l->from];
        double x = k->x[l->from], y = k->y[l->from], dx = k->x[l->to] - x, dy = k->y[l->to] - y;
        int32_t along = l->to - l->from;
        double at = along == 1 || along == k->count - 1 ? 0.5 : 0.29;
        say_link(text, sizeof text, l->link);
        if (tree && first) add_text(s, x, y - 1.2 * h, text);
        if (!tree && k->line_count <= FEW_LINKS && !are_equal(k))
            add_text(s, x + at * dx, y + at * dy + (fabs(dy) < 0.3 * fabs(dx) ? -0.6 : 0.5) * h, text);
    }
}

static void write_words(const sketch *k, const char *title, scene *s)
{
    int32_t classes = class_count(k->speed_count, SPEEDS);
    if (!is_torus(k)) {
        label_clusters(k, s);
        label_links(k, s);
    }
    bool numbered = k->machine->processors <= FEW_PROCESSORS && SMALLEST * k->dot > 1.8 * s->text_height;
    for (int32_t p = 0; p < k->machine->processors && numbered; p++) {
        char number[16];
        snprintf(number, sizeof number, "%" PRId32, p);
        add_text(s, k->x[p], k->y[p] + 0.5 * s->text_height, number);
    }
    pen_scene_add_label(s, -1, "%s", title);
    pen_scene_add_label(s, -1, "%" PRId32 " processor%s", k->machine->processors,
                        k->machine->processors > 1 ? "s" : "");
    for (int32_t c = 0, i = 0; c < classes; c++) {
        int32_t begin = i;
        while (i < k->speed_count && class_at(k->speed_count, SPEEDS, i) == c) i++;
        if (i - begin == 1) pen_scene_add_label(s, c, "speed %.4g", k->speeds[begin]);
        else pen_scene_add_label(s, c, "speed %.4g to %.4g", k->speeds[begin], k->speeds[i - 1]);
    }
    if (k->cost_count > 1)
        pen_scene_add_label(s, -1, "links: cost %.4g (wide) to %.4g (thin)", k->costs[0], k->costs[k->cost_count - 1]);
    else if (k->line_count > 0 && are_equal(k)) {
        char text[64];
        say_link(text, sizeof text, k->lines[0].link);
        pen_scene_add_label(s, -1, "every link: %s", text);
    }
    pen_scene_lay_out_labels(s);
}

/* ---- Together -------------------------------------------------------------------------------- */

static pen_status check_size(const sketch *k)
{
    if (k->machine->processors > PICTURE_MOST_PROCESSORS)
        return pen_fail(PEN_ERR_UNSUPPORTED, "the machine has %" PRId32 " processors, at most %d can be drawn",
                        k->machine->processors, PICTURE_MOST_PROCESSORS);
    if (!is_torus(k) && k->count > PICTURE_MOST_CLUSTERS)
        return pen_fail(PEN_ERR_UNSUPPORTED, "the machine has %" PRId32 " clusters, at most %d can be drawn", k->count,
                        PICTURE_MOST_CLUSTERS);
    return PEN_OK;
}

static pen_status lay_out(sketch *k, const char *title, const picture_options *options, scene *s)
{
    PEN_TRY(pen_machine_clusters(k->machine, &k->clusters, &k->count));
    PEN_TRY(check_size(k));
    /* Of a torus, a line and what leads out for every processor and dimension, twice; of a tree, a switch. */
    int64_t room = (int64_t)k->machine->processors * (2 * k->network->levels + 2);
    PEN_TRY(PEN_ALLOC(&s->x, room));
    PEN_TRY(PEN_ALLOC(&s->y, room));
    PEN_TRY(PEN_ALLOC(&k->lines, room + (is_torus(k) ? 0 : (int64_t)k->count * k->count)));
    k->x = s->x;
    k->y = s->y;
    if (is_torus(k)) place_torus(k);
    else if (k->network->kind == PEN_NETWORK_TREE) place_tree(k);
    else place_clusters(k);
    PEN_TRY(find_classes(k));
    s->text_height = fmax(7.0, options->size / 100.0);
    fit(k, options->size, s);
    set_widths(k, s);
    PEN_TRY(make_strokes(k, s));
    write_words(k, title, s);
    return PEN_OK;
}

pen_status pen_scene_of_machine(const pen_machine *machine, const char *title, const picture_options *options, scene *s)
{
    sketch k = { .machine = machine, .network = pen_network_of(machine) };
    *s = (scene){ .area_reach = -1.0 };
    pen_status status = lay_out(&k, title, options, s);
    PEN_FREE_ALL(k.clusters, k.lines, k.speeds, k.costs);
    return status;
}
