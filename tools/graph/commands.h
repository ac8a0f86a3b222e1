/* commands.h - pen-graph's subcommands. */
#ifndef PEN_COMMANDS_H
#define PEN_COMMANDS_H

#include "tools/graph/command.h"
#include "tools/graph/format.h"

extern const command command_convert, command_check, command_info, command_make, command_part, command_draw;

#endif
