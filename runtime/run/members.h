/* members.h - what an application says of the members of its records, and of its globals. */
#pragma once

#include "base/status.h"

/* Both Local. PEN_ERR_ARGUMENT, with what is wrong: of the table by itself; and, when .setup has settled the sizes of
 * the fields, whether members lie within their records. */
PEN_CHECKED pen_status pen_members_check(const pen_app *app);
PEN_CHECKED pen_status pen_members_fit(const pen_app *app);

/* Local. The same of the application's globals, whose record has its size from the start; its observables have been
 * checked. And the member that is the time; NULL: none is. */
PEN_CHECKED pen_status pen_globals_check(const pen_app *app);
const pen_member *pen_globals_time_of(const pen_app *app);
