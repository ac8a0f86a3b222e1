/* members.h - what an application says of its records' members. */
#pragma once

#include "base/status.h"

/* Both Local. PEN_ERR_ARGUMENT, with what is wrong: of the table by itself; and, when .setup has settled the sizes of
 * the fields, whether members lie within their records. */
PEN_CHECKED pen_status pen_members_check(const pen_app *app);
PEN_CHECKED pen_status pen_members_fit(const pen_app *app);
