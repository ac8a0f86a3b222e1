/* pen_sim.c - pen-sim: runs balancers on recorded and generated workloads, on virtual ranks and any machine. */
#include "tools/sim/commands.h"

static const command *const commands[] = { &pen_command_generate,  &pen_command_info,   &pen_command_replay,
                                           &pen_command_hindsight, &pen_command_import, &pen_command_export };

static void print_rest(void)
{
    printf("Records are files that an application writes with --record=FILE, or that generate writes.\n");
}

int main(int argc, char **argv)
{
    static const program self = { "pen-sim", commands, PEN_COUNT_OF(commands), print_rest };
    return pen_command_main(&self, argc, argv);
}
