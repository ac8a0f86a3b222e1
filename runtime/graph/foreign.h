/* foreign.h - files that are no Chaco/METIS text, and were not meant to be. */
#ifndef PEN_FOREIGN_H
#define PEN_FOREIGN_H

#include "base/status.h"

/* Local. What to say behind the reader's message about a file that it refused: "; it looks like a Matrix Market file:
 * pen-graph convert --from=mm x.mtx x.graph". "" where the first bytes and lines are those of no other format that is
 * known. */
void pen_foreign_hint(const char *path, char *hint, size_t size);

#endif
