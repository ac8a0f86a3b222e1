#include "tools/graph/draw_values.h"
#include "base/options.h"
#include "tools/graph/frames.h"
#include "tools/graph/node_values.h"
#include "tools/graph/picture.h"
#include "tools/graph/words.h"

#include <math.h>
#include <stdlib.h>

static const char frame_mark[] = "{frame}";

typedef struct series {
    node_order order;
    frame_list frames;
    const char *column;
    int64_t first; /* the frame that a picture begins with */
    picture_values values;
} series;

static pen_status read_frame(void *state, int64_t frame, double *values, const char **name)
{
    const series *s = state;
    const char *path = s->frames.paths[s->first + frame];
    *name = s->frames.count > 1 ? pen_words_file_name(path) : ""; /* the caption names it */
    return pen_node_values_read(&s->order, path, s->column, values);
}

static pen_status parse_range(const char *text, picture_values *values)
{
    char low[64];
    const char *high = pen_text_cut(text, ':', low, sizeof low);
    if (high && pen_parse_real(low, &values->low) && pen_parse_real(high, &values->high) && values->low <= values->high)
        return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "--range=%s, must be two numbers, the smaller one first: LOW:HIGH", text);
}

/* What is smallest and largest in all frames, of what is finite, and whether something is missing. */
static pen_status measure(series *s, double *room)
{
    const char *name;
    int64_t nodes = s->order.graph->nodes;
    double low = INFINITY, high = -INFINITY;
    for (int64_t k = 0; k < s->frames.count; k++) {
        PEN_TRY(read_frame(s, k, room, &name));
        for (int64_t i = 0; i < nodes; i++) {
            s->values.missing |= isnan(room[i]);
            if (!isfinite(room[i])) continue;
            low = fmin(low, room[i]);
            high = fmax(high, room[i]);
        }
    }
    s->values.low = low <= high ? low : 0.0;
    s->values.high = low <= high ? high : 0.0;
    return PEN_OK;
}

/* ---- Pictures ------------------------------------------------------------------------------- */

static pen_status write_series(series *s, const picture_graph *drawn, const picture_options *options,
                               const char *picture)
{
    const char *mark = strstr(picture, frame_mark);
    int64_t size = (int64_t)strlen(picture) + 24;
    char *path;
    pen_status status = PEN_OK;
    PEN_TRY(PEN_ALLOC(&path, size));
    s->values.frames = 1;
    for (; status == PEN_OK && s->first < s->frames.count; s->first++) {
        snprintf(path, (size_t)size, "%.*s%04" PRId64 "%s", (int)(mark - picture), picture, s->first,
                 mark + sizeof frame_mark - 1);
        status = pen_picture_write(drawn, options, path);
    }
    free(path);
    return status;
}

static pen_status check_output(const series *s, picture_kind kind, const char *picture)
{
    if (strstr(picture, frame_mark) || s->frames.count == 1 || kind == PICTURE_SVG) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT,
                    "%s: one picture of %" PRId64 " files can only be an .svg; a series has {frame} in its name",
                    picture, s->frames.count);
}

static pen_status draw_all(series *s, const picture_graph *graph, const picture_options *options, const char *range,
                           const char *picture)
{
    double *room;
    picture_graph drawn = *graph;
    PEN_TRY(check_output(s, options->kind, picture));
    PEN_TRY(PEN_ALLOC(&room, graph->nodes));
    pen_status status = measure(s, room);
    free(room);
    if (status == PEN_OK && range) status = parse_range(range, &s->values);
    PEN_TRY(status);
    drawn.values = &s->values;
    if (strstr(picture, frame_mark)) return write_series(s, &drawn, options, picture);
    return pen_picture_write(&drawn, options, picture);
}

pen_status pen_draw_values(const file_graph *g, const picture_graph *drawn, const picture_options *options,
                           const char *values, const char *range, const char *picture)
{
    char *path = NULL, *title = NULL;
    series s = { .values = { .read = read_frame } };
    pen_status status = pen_frames_split(values, &path, &s.column);
    if (status == PEN_OK) status = pen_copy_text(pen_words_file_name(values), &title);
    if (status == PEN_OK) status = pen_node_order_create(g, &s.order);
    if (status == PEN_OK) status = pen_frames_find(path, &s.frames);
    s.values.state = &s;
    s.values.title = title;
    s.values.frames = s.frames.count;
    if (status == PEN_OK) status = draw_all(&s, drawn, options, range, picture);
    pen_frames_free(&s.frames);
    pen_node_order_free(&s.order);
    PEN_FREE_ALL(path, title);
    return status;
}
