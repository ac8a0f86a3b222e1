#include "tools/keep/processes.h"
#include "base/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* "PID (name, which may have blanks) S PARENT ..." */
static bool read_process(const char *pid, process *p)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *behind = strrchr(text, ')');
    char state;
    int parent;
    if (!behind || sscanf(behind + 1, " %c %d", &state, &parent) != 2) return false;
    *p = (process){ .pid = (pid_t)strtol(pid, NULL, 10), .parent = parent, .dead = state == 'Z' || state == 'X' };
    return true;
}

static bool parent_is_ours(const processes *in, const process *p, pid_t self)
{
    if (p->parent == self) return true;
    for (int64_t i = 0; i < in->count; i++)
        if (in->all[i].pid == p->parent) return in->all[i].ours;
    return false;
}

static void find_ours(processes *in)
{
    const pid_t self = getpid();
    for (bool more = true; more;) {
        more = false;
        for (int64_t i = 0; i < in->count; i++) {
            process *p = &in->all[i];
            if (p->ours || !parent_is_ours(in, p, self)) continue;
            p->ours = more = true;
        }
    }
}

pen_status pen_processes_read(processes *found)
{
    *found = (processes){ .count = 0 };
    int64_t room = 0;
    DIR *folder = opendir("/proc");
    if (!folder) return PEN_OK;
    pen_status status = PEN_OK;
    for (struct dirent *entry; status == PEN_OK && (entry = readdir(folder)) != NULL;) {
        process p;
        if (!isdigit((unsigned char)entry->d_name[0]) || !read_process(entry->d_name, &p)) continue;
        status = pen_reserve(&found->all, sizeof *found->all, found->count + 1, &room);
        if (status == PEN_OK) found->all[found->count++] = p;
    }
    closedir(folder);
    if (status == PEN_OK) find_ours(found);
    return status;
}

void pen_processes_free(processes *found)
{
    free(found->all);
    *found = (processes){ .count = 0 };
}

static bool has_rank_variable(pid_t pid)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_RANK=", "PMI_RANK=", "PMIX_RANK=" };
    char path[64], *text = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    while (!found && getdelim(&text, &room, '\0', file) > 0)
        for (int i = 0; i < PEN_COUNT_OF(names); i++) found = found || strncmp(text, names[i], strlen(names[i])) == 0;
    free(text);
    fclose(file);
    return found;
}

bool pen_processes_is_rank(const processes *in, int64_t i)
{
    const process *p = &in->all[i];
    if (!p->ours || p->dead || !has_rank_variable(p->pid)) return false;
    for (int64_t j = 0; j < in->count; j++)
        if (in->all[j].parent == p->pid && !in->all[j].dead) return false;
    return true;
}
