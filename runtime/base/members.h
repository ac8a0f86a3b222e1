/* members.h - the names of options in messages. They are written with options of the command line ("--comm=fence"). A
 * program with its own main has no such options: its messages name the member or function with the same effect. */
#pragma once

#include "base/part_option.h"

/* Local. From now on messages know the members that these options set. */
void pen_members_of(pen_option_at *at);

/* Local. Whether messages name options; they do from the first parsed command line on. */
void pen_members_hide(bool hidden);

/* Local. Copy a message; unless hidden, options become members. Text that does not fit is cut off. */
void pen_members_name(const char *message, char *named, size_t room);
