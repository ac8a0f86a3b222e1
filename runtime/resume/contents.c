#include "resume/contents.h"
#include "base/hash.h"
#include "base/memory_stream.h"
#include "base/text_file.h"
#include "resume/checkpoint_state.h"

#include <stdlib.h>
#include <unistd.h>

static bool add_file(const char *path, uint64_t *sum)
{
    enum { PIECE = 1 << 16 };
    char bytes[PIECE];
    int file;
    int64_t size;
    if (pen_regular_descriptor(path, false, &file, &size) != PEN_OK) return false;
    uint64_t hash = pen_mix((uint64_t)size);
    ssize_t got;
    while ((got = read(file, bytes, sizeof bytes)) > 0) hash = pen_mix(hash ^ pen_hash_bytes(bytes, (size_t)got));
    close(file);
    *sum = pen_mix(*sum ^ hash);
    return got == 0;
}

static void print_option(const pen_reads *reads, const char *option, FILE *out)
{
    uint64_t sum = 0;
    bool any = false;
    for (int64_t i = 0; i < reads->count; i++)
        if (strcmp(reads->of[i].option, option) == 0) any = add_file(reads->of[i].path, &sum) || any;
    if (any) fprintf(out, "%s=%016" PRIx64 "\n", option, sum);
}

pen_status pen_contents_list(const pen_reads *reads, const pen_app *app, char **text)
{
    size_t size = 0;
    FILE *out = pen_memory_stream(text, &size);
    if (out) print_option(reads, "input", out);
    for (const pen_option *o = app->options; out && o && o->name; o++)
        if (o->kind == PEN_OPTION_TEXT && o->value && strcmp(o->name, "input") != 0 &&
            !pen_checkpoint_state_is_among(o->name, app->checkpoint.indifferent))
            print_option(reads, o->name, out);
    if (out && fclose(out) == 0) return PEN_OK;
    return pen_fail(PEN_ERR_MEMORY, "out of memory for a checkpoint's texts");
}
