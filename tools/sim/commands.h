/* commands.h - the commands of pen-sim, a file each. */
#pragma once

#include "tools/common/command.h"

extern const command pen_command_generate, pen_command_replay, pen_command_hindsight, pen_command_info;
