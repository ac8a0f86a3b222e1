#include "tools/keep/death.h"

#include <ctype.h>
#include <signal.h>
#include <sys/wait.h>

enum { SIGNAL_STATUS = 128 };

static void tell(death *d, const char *text)
{
    while (isspace((unsigned char)*text)) text++;
    snprintf(d->told, sizeof d->told, "%s", text);
    size_t length = strlen(d->told);
    while (length > 0 && (isspace((unsigned char)d->told[length - 1]) || d->told[length - 1] == '.')) length--;
    d->told[length] = '\0';
}

/* The word that stands there. */
static void name_host(death *d, const char *at)
{
    int length = (int)strcspn(at, " \t,");
    if (length > 0 && at[length - 1] == '.') length--;
    if (length == 0 || length >= PEN_DEATH_TEXT || d->host_count == PEN_DEATH_HOSTS) return;
    snprintf(d->hosts[d->host_count++], PEN_DEATH_TEXT, "%.*s", length, at);
}

static const char *behind(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    return at ? at + strlen(mark) : NULL;
}

/* How launchers tell that a rank or a host is dead, and behind what words they name the host. */
static const struct {
    const char *mark, *host;
    bool telling; /* the line says how */
} marks[] = {
    { "exited on", " on node ", true },             /* Open MPI: "process rank 1 with PID 7 on node n2 exited on" */
    { "exiting improperly", "node ", false },       /* "node n2 exiting improperly" */
    { "has lost communication with", NULL, true },  /* a host, */
    { "Remote daemon", " on node ", true },         /* which is this one */
    { "unable to reliably start", NULL, true },     /* hosts */
    { "MPI_ABORT was invoked", NULL, true },        /* also in a rank that then lives a little */
    { "application called MPI_Abort", NULL, true }, /* MPICH */
    { "BAD TERMINATION OF ONE", NULL, false },      /* which tells more on the next lines */
    { "(signal ", NULL, true },                     /* "EXIT STRING: Killed (signal 9)" */
    { " RUNNING AT ", " RUNNING AT ", false },      /* "PID 7 RUNNING AT n2" */
};

void pen_death_hear(void *context, const char *text)
{
    death *d = context;
    const size_t length = strlen(d->name);
    if (strncmp(text, d->name, length) == 0 && strncmp(text + length, ": ", 2) == 0) {
        d->own = true;
        if (!d->killed) tell(d, text);
    }
    if (strstr(text, "has lost communication with")) d->lost = true;
    if (strstr(text, "another run writes its checkpoints there")) d->busy = true;
    const char *code = behind(text, "  Exit code:");
    if (code && strspn(code, " ") + 1 == strlen(code)) d->own = true;
    for (int i = 0; i < PEN_COUNT_OF(marks); i++) {
        const char *at = strstr(text, marks[i].mark), *host = marks[i].host ? behind(text, marks[i].host) : NULL;
        if (!at) continue;
        if (host) name_host(d, host);
        if (marks[i].telling && (!d->killed || d->told[0] == '\0')) tell(d, text);
        d->killed = true;
    }
}

bool pen_death_is(const death *d)
{
    if (!WIFEXITED(d->status)) return true;
    switch (WEXITSTATUS(d->status)) {
    case 0: return d->lost;
    case 1: return d->killed || !d->own;
    case 2: return d->killed || (d->again && d->busy);
    case 4: return d->killed;
    default: return true;
    }
}

int pen_death_shell_status(const death *d)
{
    return WIFEXITED(d->status) ? WEXITSTATUS(d->status) : SIGNAL_STATUS + WTERMSIG(d->status);
}

void pen_death_describe(const death *d, char *text, size_t room)
{
    const char *colon = d->told[0] ? ": " : "";
    if (WIFEXITED(d->status)) snprintf(text, room, "exit status %d%s%s", WEXITSTATUS(d->status), colon, d->told);
    else
        snprintf(text, room, "signal %d (%s)%s%s", WTERMSIG(d->status), strsignal(WTERMSIG(d->status)), colon, d->told);
}
