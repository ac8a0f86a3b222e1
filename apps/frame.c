#include "apps/frame.h"

#include <stdlib.h>
#include <sys/stat.h>

pen_status pen_frame_write(pen_run *run, const char *folder, const char *name, pen_frame_fn *draw, const void *what)
{
    char path[4096], *text = NULL;
    size_t size = 0;
    FILE *out = what ? open_memstream(&text, &size) : NULL;
    if (out) {
        (void)mkdir(folder, 0777); /* one that exists is right; of others writing complains */
        draw(out, what);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    pen_status status = pen_run_write(run, path, text, size);
    free(text);
    return status;
}
