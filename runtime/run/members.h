/* members.h - an application's description of the members of its records, and of its globals. */
#pragma once

#include "base/status.h"

/* Both Local. Check the members: first the table on its own; then, when .setup has set the sizes of fields, that
 * members are within their records. PEN_ERR_ARGUMENT with a message. */
PEN_CHECKED pen_status pen_members_check(const pen_app *app);
PEN_CHECKED pen_status pen_members_fit(const pen_app *app);

/* Local, after pen_members_fit. Fields whose records members cover are plain. */
void pen_members_note_plain(pen_app *app);

/* Local. Check the application's globals in the same way; their record has its size from the start, and the observables
 * have been checked. And find the member that is the time; NULL: none is. */
PEN_CHECKED pen_status pen_globals_check(const pen_app *app);
const pen_member *pen_globals_time_of(const pen_app *app);
