/* list.h - the tables of names that --list prints. */
#pragma once

#include "base/status.h"

typedef void (*pen_list)(FILE *out);

#define PEN_LIST_WHAT "partitioners|balancers|machines|comm|generators"

/* Local. Find the function that prints the table named `what`, one of PEN_LIST_WHAT; *print is NULL if `what` is NULL.
 * PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_list_find(const char *what, pen_list *print);
