/* commands.h - the commands of pen-sim, a file each. */
#ifndef PEN_SIM_COMMANDS_H
#define PEN_SIM_COMMANDS_H

#include "tools/common/command.h"

extern const command pen_command_generate, pen_command_replay, pen_command_hindsight, pen_command_info;

#endif
