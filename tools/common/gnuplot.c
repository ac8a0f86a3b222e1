#include "tools/common/gnuplot.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void pen_gnuplot_text(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', script);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, script);
    }
    fputc('\'', script);
}

static void print_terminal(FILE *script, double width, double height, bool svg)
{
    const double css = 96.0 / 25.4, print = 300.0 / 25.4; /* dots per mm */
    if (svg)
        fprintf(script,
                "set terminal svg size %.0f,%.0f noenhanced font 'Helvetica,9.33' linewidth 1 background rgb 'white'\n",
                width * css, height * css);
    else
        fprintf(script,
                "set terminal pngcairo size %.0f,%.0f noenhanced font 'Helvetica,7' fontscale %.4f linewidth 3 "
                "pointscale 3.125 background rgb 'white'\n",
                width * print, height * print, 300.0 / 96.0);
    fprintf(script, "set encoding utf8\nset key spacing %.2f\n",
            svg ? 1.0 : 1.27); /* terminals differ in what a line is */
}

/* A file without a name, with the script in it, read from its beginning. */
static pen_status write_script(const char *text, double width, double height, bool svg, FILE **script)
{
    *script = tmpfile();
    if (!*script) return pen_fail(PEN_ERR_IO, "cannot write a temporary file: %s", strerror(errno));
    print_terminal(*script, width, height, svg);
    fputs(text, *script);
    if (fflush(*script) != 0 || ferror(*script) || lseek(fileno(*script), 0, SEEK_SET) != 0)
        return pen_fail(PEN_ERR_IO, "cannot write a temporary file: %s", strerror(errno));
    return PEN_OK;
}

static pen_status start(int in, int out, int errors, pid_t *child)
{
    char name[] = "gnuplot", defaults[] = "-d", *arguments[] = { name, defaults, NULL }; /* -d: nobody's own settings */
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code == 0) {
        code = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
        if (code == 0) code = posix_spawnp(child, name, &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (code == 0) return PEN_OK;
    if (code == ENOENT)
        return pen_fail(PEN_ERR_ENVIRONMENT, "pictures are drawn by gnuplot, which is not installed here "
                                             "(Debian's package is gnuplot-nox)");
    return pen_fail(PEN_ERR_ENVIRONMENT, "cannot start gnuplot: %s", strerror(code));
}

static pen_status read_all(int file, char **bytes, size_t *size)
{
    int64_t capacity = 0;
    *size = 0;
    for (;;) {
        if ((int64_t)*size == capacity) {
            capacity = 2 * capacity + 64 * 1024;
            PEN_TRY(PEN_REALLOC(bytes, capacity));
        }
        ssize_t got = read(file, *bytes + *size, (size_t)capacity - *size);
        if (got == 0) return PEN_OK;
        if (got > 0) *size += (size_t)got;
        if (got < 0 && errno != EINTR)
            return pen_fail(PEN_ERR_IO, "cannot read what gnuplot draws: %s", strerror(errno));
    }
}

/* The last line that it said and that is more than a pointer into the script. */
static pen_status tell(FILE *errors)
{
    char line[256], last[256] = "it drew nothing";
    rewind(errors);
    while (fgets(line, sizeof line, errors)) {
        line[strcspn(line, "\n")] = '\0';
        const char *text = line + strspn(line, " \t^");
        if (*text) snprintf(last, sizeof last, "%s", text);
    }
    return pen_fail(PEN_ERR_ENVIRONMENT, "gnuplot failed: %s", last);
}

static pen_status draw(FILE *script, FILE *errors, char **bytes, size_t *size)
{
    int ends[2], how = 0;
    pid_t child;
    if (pipe(ends) != 0) return pen_fail(PEN_ERR_IO, "cannot make a pipe: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pen_status status = start(fileno(script), ends[1], fileno(errors), &child);
    bool started = status == PEN_OK;
    close(ends[1]);
    if (started) status = read_all(ends[0], bytes, size);
    close(ends[0]);
    while (started && waitpid(child, &how, 0) < 0 && errno == EINTR) continue;
    if (status == PEN_OK && (how != 0 || *size == 0)) status = tell(errors);
    return status;
}

pen_status pen_gnuplot_draw(const char *text, double width, double height, bool svg, char **bytes, size_t *size)
{
    FILE *script = NULL, *errors = NULL;
    *bytes = NULL;
    pen_status status = write_script(text, width, height, svg, &script);
    if (status == PEN_OK && !(errors = tmpfile()))
        status = pen_fail(PEN_ERR_IO, "cannot write a temporary file: %s", strerror(errno));
    if (status == PEN_OK) status = draw(script, errors, bytes, size);
    if (script) fclose(script);
    if (errors) fclose(errors);
    if (status != PEN_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}
