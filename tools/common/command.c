/* command.c - the main function and the arguments of programs with subcommands. */
#include "tools/common/command.h"
#include "base/environment.h"
#include "base/memory.h"
#include "base/output.h"
#include "driver/version.h"
#include "run/reads.h"

#include <stdlib.h>

static const program *self; /* the program that runs */
/* Number of words on the command line, which is kept in the given order, since parsing reorders argv. */
static int word_count;
static const char **words_of_line;

static void print_commands(void)
{
    int names = 0, words = 0;
    for (int i = 0; i < self->count; i++) {
        int name = (int)strlen(self->commands[i]->name), word = (int)strlen(self->commands[i]->words);
        names = name > names ? name : names;
        words = word > words ? word : words;
    }
    printf("usage: %s COMMAND ...\n\n", self->name);
    for (int i = 0; i < self->count; i++)
        printf("  %-*s  %-*s  %s\n", names, self->commands[i]->name, words, self->commands[i]->words,
               self->commands[i]->summary);
    printf("\nEvery command has --help, or -h. ");
    self->print_rest();
    fputs("\n" PEN_HELP_WITH_WORDS, stdout);
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_commands();
        *exit_status = argc < 2 ? 2 : 0;
        return PEN_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        pen_version_print(self->name, stdout);
        return PEN_OK;
    }
    const char **names;
    int index;
    PEN_TRY(PEN_ALLOC(&names, self->count));
    for (int i = 0; i < self->count; i++) names[i] = self->commands[i]->name;
    pen_status status = pen_choose("command", argv[1], names, self->count, &index);
    free(names);
    return status == PEN_OK ? self->commands[index]->run(argc - 1, argv + 1, exit_status) : status;
}

/* Whether names of files in a folder are equal, or meshio, which opens a mesh itself, can open `name` for `mesh`. */
static bool belongs(const char *name, const char *mesh)
{
    static const char *const parts[][2] = { { ".xdmf", ".h5" }, { ".xmf", ".h5" },   { ".xdmf", ".bin" },
                                            { ".xmf", ".bin" }, { ".node", ".ele" }, { ".ele", ".node" } };
    const char *dot = strrchr(mesh, '.');
    bool is = strcmp(name, mesh) == 0;
    for (int i = 0; dot && !is && i < PEN_COUNT_OF(parts) && strncmp(name, mesh, (size_t)(dot - mesh)) == 0; i++) {
        const char *end = name + (dot - mesh);
        is = strcmp(dot, parts[i][0]) == 0 && strcmp(end + strspn(end, "0123456789"), parts[i][1]) == 0;
    }
    return is;
}

/* Whether a word, or what follows its "=", names the file at a path, which need not exist; or contains the name of the
 * file that is there. */
static pen_status names(const char *word, const char *path, bool *is)
{
    const char *value = word[0] == '-' ? strchr(word, '=') : NULL;
    pen_reads files;
    value = value ? value + 1 : word;
    *is = strcmp(value, path) == 0;
    if (!*is && belongs(pen_path_base(path), pen_path_base(value))) PEN_TRY(pen_reads_share_folder(value, path, is));
    if (*is) return PEN_OK;
    pen_status status = pen_reads_of(word, &files);
    *is = pen_reads_has(&files, path);
    pen_reads_free(&files);
    return status;
}

/* Refuse a path that a word names, where `before` names it already; the first such word is `before` if that is NULL. */
static pen_status refuse_second(const char *path, const char *before)
{
    PEN_TRY(pen_output_named("an output", path));
    if (strcmp(path, "-") == 0)
        return pen_fail(PEN_ERR_INPUT, "this output cannot be standard output, \"-\": give the name of a file");
    for (int i = 2; i < word_count; i++) { /* after the name of the command */
        bool is;
        PEN_TRY(names(words_of_line[i], path, &is));
        if (is && before)
            return pen_fail(PEN_ERR_INPUT,
                            "%s and %s are the same file, which would be replaced: give the output another name",
                            before, words_of_line[i]);
        if (is) before = words_of_line[i];
    }
    return PEN_OK;
}

pen_status pen_command_may_write(const char *path) { return refuse_second(path, NULL); }

pen_status pen_command_may_write_derived(const char *path) { return refuse_second(path, path); }

int pen_command_main(const program *p, int argc, char **argv)
{
    int exit_status = 0;
    self = p;
    pen_environment_catch_limits();
    pen_status status = PEN_ALLOC(&words_of_line, argc);
    if (status == PEN_OK) {
        memcpy(words_of_line, argv, (size_t)argc * sizeof *argv);
        word_count = argc;
        status = run(argc, argv, &exit_status);
    }
    free(words_of_line);
    if (status == PEN_OK) status = pen_stdout_flush();
    if (status == PEN_OK) return exit_status;
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", self->name, pen_error_message());
    return pen_exit_status(status);
}

pen_status pen_choose(const char *what, const char *name, const char *const *names, int count, int *index)
{
    for (*index = 0; *index < count; ++*index)
        if (strcmp(name, names[*index]) == 0) return PEN_OK;
    return pen_unknown_name(what, name, names, count);
}

static void print_help(const command *c, const pen_option *options)
{
    printf("usage: %s %s %s\n%s.\n", self->name, c->name, c->words, c->summary);
    if (c->output) printf("  -o FILE  %s\n", c->output);
    pen_option_groups_print(stdout, &(pen_option_group){ "options", options }, 1);
}

pen_status pen_command_words(const command *c, int argc, char **argv, const pen_option *options, int least, int most,
                             command_words *line)
{
    *line = (command_words){ .count = 0 };
    bool all_words = false;
    int given = 1; /* words argv[0 .. given-1] are the name and the options; the words so far follow. */
    for (int i = 1; i < argc; i++) {
        char *word = argv[i];
        bool option = !all_words && word[0] == '-' && word[1] != '\0';
        if (option && strcmp(word, "--") == 0) {
            all_words = true;
        } else if (option && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            line->help = true;
        } else if (option && c->output && strcmp(word, "-o") == 0) {
            if (line->output) return pen_fail(PEN_ERR_INPUT, "-o is given twice");
            if (++i == argc) return pen_fail(PEN_ERR_INPUT, "-o: the file's name is missing");
            line->output = argv[i];
            PEN_TRY(pen_output_named("-o", line->output));
        } else if (option) {
            memmove(&argv[given + 1], &argv[given], (size_t)line->count * sizeof *argv);
            argv[given++] = word;
        } else if (line->count < most) {
            argv[given + line->count++] = word;
        } else {
            return pen_fail(PEN_ERR_INPUT, "unexpected argument %s: usage: %s %s %s", word, self->name, c->name,
                            c->words);
        }
    }
    line->words = argv + given;
    if (line->help) {
        print_help(c, options);
        return PEN_OK;
    }
    PEN_TRY(pen_option_groups_parse(given, argv, &(pen_option_group){ "options", options }, 1));
    if (line->count < least)
        return pen_fail(PEN_ERR_INPUT, "usage: %s %s %s, see --help", self->name, c->name, c->words);
    return PEN_OK;
}
