/* commands.h - pen-graph's subcommands. */
#ifndef PEN_COMMANDS_H
#define PEN_COMMANDS_H

#include "tools/common/command.h"
#include "tools/graph/format.h"

extern const command pen_command_convert, pen_command_check, pen_command_info, pen_command_make, pen_command_part,
    pen_command_order;

#endif
