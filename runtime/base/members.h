/* members.h - what messages call an option. They are written with options of the command line ("--comm=fence"). A
 * program with its own main has none: its messages name the member or function that has the same effect. */
#pragma once

#include "base/part_option.h"

/* Local. From now on messages know the members that these options set. */
void pen_members_of(pen_option_at *at);

/* Local. Whether messages of this process name options: from its first parsed command line on they do. */
void pen_members_hide(bool hidden);

/* Local. Copy a message; unless hidden, options become members. What has no room is cut off. */
void pen_members_name(const char *message, char *named, size_t room);
