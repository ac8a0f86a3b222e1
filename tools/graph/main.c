/* main.c - pen-graph: files with graphs, converted, checked, made, partitioned, drawn. */
#include "command.h"

#include <stdlib.h>

static const command *const commands[] = {
    &command_convert,
    &command_check,
    &command_info,
    &command_make,
    &command_part,
    &command_draw,
};

enum { USAGE = 2 };   /* exit status after bad input */

static void print_help(void)
{
    printf("usage: pen-graph COMMAND ...\n\n");
    for (int i = 0; i < PEN_COUNT_OF(commands); i++)
        printf("  %-8s %-38s %s\n", commands[i]->name, commands[i]->words, commands[i]->summary);
    printf("\nEvery command has --help. \"-\" is standard input or output; .gz, .xz and .zst are (de)compressed.\n\n"
           "Formats, by name (--from, --to) or by the file's ending:\n");
    format_list(stdout);
}

static pen_status run(int argc, char **argv, int *exit_status)
{
    const char *names[PEN_COUNT_OF(commands)];
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        print_help();
        *exit_status = argc < 2 ? USAGE : 0;
        return PEN_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("pen-graph %s\n", PEN_VERSION);
        return PEN_OK;
    }
    for (int i = 0; i < PEN_COUNT_OF(commands); i++) {
        names[i] = commands[i]->name;
        if (strcmp(argv[1], names[i]) == 0) return commands[i]->run(argc - 1, argv + 1, exit_status);
    }
    return pen_unknown_name("command", argv[1], names, PEN_COUNT_OF(commands));
}

int main(int argc, char **argv)
{
    int exit_status = 0;
    pen_status status = run(argc, argv, &exit_status);
    if (status == PEN_OK && fflush(stdout) != 0) status = pen_fail(PEN_ERR_IO, "writing to standard output failed");
    if (status != PEN_OK) {
        fflush(stdout);
        fprintf(stderr, "pen-graph: %s\n", pen_error_message());
        return USAGE;
    }
    return exit_status;
}
