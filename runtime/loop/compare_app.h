/* compare_app.h - whether all ranks have the same application. */
#pragma once

#include "base/comm.h"

/* Collective. Compare the description of a copy (run/app.h), which has been checked: its name, tables, sets, sizes,
 * options that may change results, and which functions it has. Functions themselves and *params are not compared.
 * PEN_ERR_ARGUMENT on all ranks: something differs; the sentence names it. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_app_agree(pen_comm *comm, const pen_app *app);
