/* parts.h - the table of the parts of a run. */
#pragma once

#include "run/part.h"

/* In the order in which their hooks are called; ends with NULL. */
extern const pen_part *const pen_parts[];
