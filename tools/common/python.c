/* python.c - runs a script of the Python package. */
#include "tools/common/python.h"
#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The kernel knows the path of the program, without /proc too. */
pen_status pen_python_script(const char *name, char *script, size_t size)
{
    char path[PATH_MAX];
    const char *own = (const char *)(uintptr_t)getauxval(AT_EXECFN);
    if (!realpath(own, path)) return pen_fail(PEN_ERR_ENVIRONMENT, "%s: %s", own, strerror(errno));
    *strrchr(path, '/') = '\0';
    snprintf(script, size, "%s/../lib/python3/dist-packages/%s", path, name);
    return PEN_OK;
}

pen_status pen_python_start(const char *script, const char *const *words, python *p)
{
    enum { MOST = 13 };
    char path[PATH_MAX + 64], *line[MOST] = { (char *)(uintptr_t) "python3", path };
    int ends[2], failure;
    posix_spawn_file_actions_t actions;
    PEN_TRY(pen_python_script(script, path, sizeof path));
    for (int i = 0; words[i]; i++) line[i + 2] = (char *)(uintptr_t)words[i];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return pen_fail(PEN_ERR_ENVIRONMENT, "socketpair: %s", strerror(errno));
    failure = posix_spawn_file_actions_init(&actions);
    for (int target = 0; target < 2 && failure == 0; target++)
        failure = posix_spawn_file_actions_adddup2(&actions, ends[1], target);
    if (failure == 0) failure = posix_spawnp(&p->process, line[0], &actions, NULL, line, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    p->socket = ends[0];
    if (failure == 0) return PEN_OK;
    close(p->socket);
    return pen_fail(PEN_ERR_ENVIRONMENT,
                    "Python 3 is needed, which does not start here (Debian's package is python3): %s",
                    strerror(failure));
}

void pen_python_put(const python *p, const void *bytes, int64_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = send(p->socket, at, (size_t)size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return;
        at += sent;
        size -= sent;
    }
}

void pen_python_put_end(const python *p) { shutdown(p->socket, SHUT_WR); }

int64_t pen_python_get(const python *p, void *bytes, int64_t size)
{
    int64_t got = 0;
    while (got < size) {
        ssize_t more = recv(p->socket, (char *)bytes + got, (size_t)(size - got), 0);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        got += more;
    }
    return got;
}

pen_status pen_python_finish(python *p, pen_status status)
{
    int ended = 0;
    close(p->socket);
    while (waitpid(p->process, &ended, 0) < 0 && errno == EINTR) continue;
    return status != PEN_OK || ended == 0 ? status : pen_fail(PEN_ERR_ENVIRONMENT, "the Python process has failed");
}

static pen_status get_texts(const python *p, python_answer *all)
{
    int64_t sizes[PYTHON_TEXTS];
    bool good = pen_python_get(p, sizes, sizeof sizes) == sizeof sizes;
    for (int k = 0; good && k < PYTHON_TEXTS; k++) {
        PEN_TRY(PEN_ALLOC_ZERO(&all->texts[k], sizes[k] + 1));
        good = pen_python_get(p, all->texts[k], sizes[k]) == sizes[k];
    }
    if (!good)
        return pen_fail(PEN_ERR_ENVIRONMENT,
                        "Python 3 and Penumbra's Python package are needed (Debian's is python3-penumbra)");
    return all->texts[0][0] ? pen_fail(PEN_ERR_INPUT, "%s", all->texts[0]) : PEN_OK;
}

pen_status pen_python_ask(const char *script, const char *const *words, const char *input, size_t size,
                          python_answer *all)
{
    python p;
    PEN_TRY(pen_python_start(script, words, &p));
    pen_python_put(&p, input, (int64_t)size);
    pen_python_put_end(&p);
    return pen_python_finish(&p, get_texts(&p, all));
}

void pen_python_answer_free(python_answer *all)
{
    for (int k = 0; k < PYTHON_TEXTS; k++) free(all->texts[k]);
}
