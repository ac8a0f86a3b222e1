/* commands.h - the commands of pen-sim. */
#pragma once

#include "tools/common/command.h"

extern const command pen_command_generate, pen_command_replay, pen_command_hindsight, pen_command_info,
    pen_command_import, pen_command_export;
