#include "tools/keep/line.h"
#include "base/memory.h"
#include "checkpoint/location.h"

#include <stdlib.h>
#include <unistd.h>

static const char CHECKPOINT[] = "--checkpoint=", RESUME[] = "--resume";

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static bool is_resume(const char *word)
{
    const size_t length = sizeof RESUME - 1;
    return begins(word, RESUME) && (word[length] == '\0' || word[length] == '=');
}

pen_status pen_line_read(int count, char **words, line *l)
{
    *l = (line){ .words = words, .count = count };
    if (count == 0)
        return pen_fail(PEN_ERR_INPUT, "no command: pen-keep mpirun -n 4 PROGRAM --checkpoint=DIR ..., see --help");
    int at = 0;
    while (at < count && !begins(words[at], CHECKPOINT)) at++;
    if (at == count || !words[at][sizeof CHECKPOINT - 1])
        return pen_fail(PEN_ERR_INPUT, "%s: the program needs --checkpoint=DIR, from which it goes on", words[0]);
    l->folder = words[at] + sizeof CHECKPOINT - 1;
    while (at > 0 && words[at][0] == '-') at--; /* its options are single words */
    l->program = at;
    return PEN_OK;
}

pen_status pen_line_newest(const line *l, int64_t *step)
{
    int64_t *steps = NULL;
    int count = 0;
    char *folder = NULL;
    pen_status status = pen_location_folder(l->folder, &folder);
    if (status == PEN_OK && folder) status = pen_folder_list(folder, &steps, &count);
    *step = count > 0 ? steps[0] : -1;
    PEN_FREE_ALL(steps, folder);
    return status;
}

pen_status pen_line_words(const line *from, bool resumes, bool again, char ***words)
{
    static char resume[] = "--resume";
    bool given = false;
    for (int i = from->program; i < from->count; i++) given = given || is_resume(from->words[i]);
    const bool theirs = given && !(resumes && again);
    int used = 0;
    PEN_TRY(PEN_ALLOC(words, 2 * (int64_t)from->count + 1));
    for (int i = 0; i < from->count; i++) {
        char *word = from->words[i];
        bool option = i > from->program;
        if (option && is_resume(word) && !theirs) continue;
        (*words)[used++] = word;
        if (option && begins(word, CHECKPOINT) && resumes && !theirs) (*words)[used++] = resume;
    }
    (*words)[used] = NULL;
    return PEN_OK;
}

const char *pen_line_name(const line *l)
{
    const char *path = l->words[l->program], *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return begins(name, "pen-") ? name + 4 : name;
}
