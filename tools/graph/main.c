/* main.c - pen-graph: files with graphs, converted, checked, made, partitioned, drawn. */
#include "tools/graph/commands.h"
#include "tools/graph/format.h"

const char program_name[] = "pen-graph";

static const command *const commands[] = {
    &command_convert, &command_check, &command_info, &command_make, &command_part, &command_draw,
};

static void print_rest(void)
{
    printf("\"-\" is standard input or output; .gz, .xz and .zst are (de)compressed.\n\n"
           "Formats, by name (--from, --to) or by the file's ending:\n");
    format_list(stdout);
}

int main(int argc, char **argv) { return command_main(argc, argv, commands, PEN_COUNT_OF(commands), print_rest); }
