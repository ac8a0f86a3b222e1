/* probe.h - which hosts can be reached. Local. */
#ifndef PEN_KEEP_PROBE_H
#define PEN_KEEP_PROBE_H

#include "base/status.h"

/* Run the command for each host but this one, HOST in it replaced by its name, all at once, for 15 seconds at most;
 * reached[i]: it ended with status 0. names[i] may be NULL. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_probe(const char *command, const char *const *names, int64_t count, bool *reached);

#endif
