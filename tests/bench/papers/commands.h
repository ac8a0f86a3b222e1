/* commands.h - the commands of papers_bench, a file each. */
#ifndef PAPERS_COMMANDS_H
#define PAPERS_COMMANDS_H

#include "tools/common/command.h"

extern const command pen_command_minex_tables, pen_command_pagrid_figures;

#endif
