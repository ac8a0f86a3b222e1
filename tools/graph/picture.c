#include "tools/graph/picture.h"
#ifdef PEN_HAVE_CAIRO
#include "tools/graph/raster.h"
#include "tools/graph/svg.h"

static pen_status write_scene(scene *s, picture_kind kind, writer *out)
{
    switch (kind) {
    case PICTURE_SVG: return pen_svg_write(s, out);
    case PICTURE_PDF: return pen_pdf_write(s, out);
    default: return pen_png_write(s, true, out);
    }
}

pen_status pen_picture_draw(const picture_graph *graph, const picture_options *options, writer *out)
{
    scene s;
    pen_status status = pen_scene_create(graph, options, &s);
    if (status == PEN_OK) status = write_scene(&s, options->kind, out);
    pen_scene_free(&s);
    return status;
}

pen_status pen_picture_draw_machine(const pen_machine *machine, const char *title, const picture_options *options,
                                    writer *out)
{
    scene s;
    pen_status status = pen_scene_of_machine(machine, title, options, &s);
    if (status == PEN_OK) status = write_scene(&s, options->kind, out);
    pen_scene_free(&s);
    return status;
}
#else
static pen_status refuse(void)
{
    return pen_fail(PEN_ERR_UNSUPPORTED, "this build has no cairo, by which pictures are drawn");
}

pen_status pen_picture_draw(const picture_graph *graph, const picture_options *options, writer *out)
{
    (void)graph, (void)options, (void)out;
    return refuse();
}

pen_status pen_picture_draw_machine(const pen_machine *machine, const char *title, const picture_options *options,
                                    writer *out)
{
    (void)machine, (void)title, (void)options, (void)out;
    return refuse();
}
#endif

pen_status pen_picture_write(const picture_graph *graph, const picture_options *options, const char *path)
{
    writer out;
    PEN_TRY(pen_writer_open(path, &out));
    return pen_writer_close(&out, pen_picture_draw(graph, options, &out));
}
