/* resume_lists.h - brings the lists of a checkpoint (lists.h) to the nodes of a resumed run. */
#pragma once

#include "checkpoint/resume.h"

/* Collective, when nodes have slots. PEN_ERR_INPUT (damaged), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_resume_lists(pen_run *run, const pen_resume *resume);
