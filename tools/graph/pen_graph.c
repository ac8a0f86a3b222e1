/* pen_graph.c - pen-graph: converts, checks, makes, orders and partitions graphs in files. */
#include "tools/graph/commands.h"
#include "tools/graph/formats.h"

static const command *const commands[] = {
    &pen_command_convert, &pen_command_check, &pen_command_info,
    &pen_command_make,    &pen_command_order, &pen_command_part,
};

static void print_rest(void)
{
    printf("\"-\" is standard input or output; .gz, .xz and .zst are (de)compressed.\n\n"
           "Formats, by name (--from, --to) or by file ending:\n");
    pen_format_list(stdout);
}

int main(int argc, char **argv)
{
    static const program self = { "pen-graph", commands, PEN_COUNT_OF(commands), print_rest };
    return pen_command_main(&self, argc, argv);
}
