/* dump.c - writes the text of every node to a file. */
#include "base/numbers.h"
#include "base/output.h"
#include "driver/lines.h"

pen_status pen_run_dump(pen_run *run, const char *path)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_run_dump");
    PEN_TRY(pen_run_ready(run, "pen_run_dump"));
    pen_lines lines;
    PEN_TRY(pen_agree(run->comm, pen_reads_spare(&run->files.reads, "pen_run_dump", path)));
    PEN_TRY(pen_lines_collect(run, &lines));
    int64_t before = 0;
    pen_output *output = NULL;
    pen_status status = pen_output_create(run->comm, path, &output);
    if (status == PEN_OK) {
        status = pen_prefix_int(run->comm, lines.size, &before);
        if (status == PEN_OK) status = pen_output_write(output, lines.text, lines.size, before);
        status = pen_output_commit(&output, status);
    }
    pen_lines_free(&lines);
    return status;
}
