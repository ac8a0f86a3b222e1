/* refine.h - moves vertices to reduce loads. */
#pragma once

#include "partition/minex/placement.h"

/* Local. Smooth and balance in turn, up to `passes` times. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_minex_refine(placement *p, int passes, pen_minex_counts *counts);
