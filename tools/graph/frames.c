#include "tools/graph/frames.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>

static pen_status add(frame_list *frames, int64_t *room, const char *folder, const char *name)
{
    PEN_TRY(pen_reserve(&frames->paths, sizeof *frames->paths, frames->count + 1, room));
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path;
    PEN_TRY(PEN_ALLOC(&path, (int64_t)size));
    snprintf(path, size, "%s%s%s", folder, *folder ? "/" : "", name);
    frames->paths[frames->count++] = path;
    return PEN_OK;
}

/* Names that differ in digits only: the shorter number is the smaller one. */
static int by_number(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    size_t long_x = strlen(x), long_y = strlen(y);
    return long_x == long_y ? strcmp(x, y) : (long_x > long_y) - (long_x < long_y);
}

/* ---- A folder ------------------------------------------------------------------------------- */

/* "heat-000100.npy": digits before the first dot that follows them, and something behind it. */
static bool is_frame(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot && dot > name && isdigit((unsigned char)dot[-1]) && dot[1] != '\0' && *name != '.';
}

static const char *skip_digits(const char *at) { return at + strspn(at, "0123456789"); }

/* Whether two names are the same but for digits. */
static bool are_series(const char *x, const char *y)
{
    for (; *x && *y; x++, y++) {
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
            x = skip_digits(x) - 1;
            y = skip_digits(y) - 1;
        } else if (*x != *y) return false;
    }
    return *x == *y;
}

static pen_status list_folder(const char *path, frame_list *frames)
{
    int64_t room = 0;
    pen_status status = PEN_OK;
    DIR *folder = opendir(path);
    if (!folder) return pen_fail(PEN_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    for (const struct dirent *entry; status == PEN_OK && (entry = readdir(folder));)
        if (is_frame(entry->d_name)) status = add(frames, &room, path, entry->d_name);
    closedir(folder);
    if (status == PEN_OK && frames->count == 0)
        status = pen_fail(PEN_ERR_INPUT, "%s: no file there is called like heat-000100.npy, by a number", path);
    return status;
}

static pen_status check_series(const char *path, const frame_list *frames)
{
    const char *first = frames->paths[0];
    for (int64_t i = 1; i < frames->count; i++)
        if (!are_series(first, frames->paths[i]))
            return pen_fail(
                PEN_ERR_INPUT,
                "%s: there are several series, as of %s and %s: choose one by a pattern with '*', in quotes", path,
                strrchr(first, '/') + 1, strrchr(frames->paths[i], '/') + 1);
    return PEN_OK;
}

/* ---- A pattern ------------------------------------------------------------------------------ */

static pen_status match(const char *pattern, frame_list *frames)
{
    glob_t found;
    int64_t room = 0;
    int code = glob(pattern, 0, NULL, &found);
    if (code == GLOB_NOMATCH) return pen_fail(PEN_ERR_INPUT, "no file matches %s", pattern);
    if (code != 0) return pen_fail(PEN_ERR_IO, "cannot read what matches %s", pattern);
    pen_status status = PEN_OK;
    for (size_t i = 0; status == PEN_OK && i < found.gl_pathc; i++) status = add(frames, &room, "", found.gl_pathv[i]);
    globfree(&found);
    return status;
}

/* ---- Either --------------------------------------------------------------------------------- */

pen_status pen_frames_find(const char *path, frame_list *frames)
{
    struct stat about;
    int64_t room = 0;
    *frames = (frame_list){ 0 };
    bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) {
        PEN_TRY(list_folder(path, frames));
        PEN_TRY(check_series(path, frames));
    } else if (!there && strchr(path, '*')) {
        PEN_TRY(match(path, frames));
    } else {
        return add(frames, &room, "", path);
    }
    qsort(frames->paths, (size_t)frames->count, sizeof *frames->paths, by_number);
    return PEN_OK;
}

void pen_frames_free(frame_list *frames)
{
    for (int64_t i = 0; i < frames->count; i++) free(frames->paths[i]);
    free(frames->paths);
    *frames = (frame_list){ 0 };
}

pen_status pen_frames_split(const char *words, char **path, const char **column)
{
    struct stat about;
    PEN_TRY(pen_copy_text(words, path));
    char *colon = stat(*path, &about) == 0 ? NULL : strrchr(*path, ':');
    *column = NULL;
    if (!colon) return PEN_OK;
    *colon = '\0';
    *column = colon + 1;
    return PEN_OK;
}
