/* per_rank.h - variables with static storage that each rank has for itself.
 *
 * Ranks may be threads of one process: tests run them so (tests/support/one_process). So a variable that changes is
 * declared with PEN_PER_RANK. structure_test knows the few that a process has once. */
#pragma once

#define PEN_PER_RANK _Thread_local
