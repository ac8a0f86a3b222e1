/* commands.h - pen-graph's subcommands. */
#pragma once

#include "tools/common/command.h"

extern const command pen_command_convert, pen_command_check, pen_command_info, pen_command_make, pen_command_part,
    pen_command_order;
