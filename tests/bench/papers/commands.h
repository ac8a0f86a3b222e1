/* commands.h - the commands of papers_bench, a file each. */
#pragma once

#include "tools/common/command.h"

extern const command pen_command_minex_tables, pen_command_pagrid_figures;
