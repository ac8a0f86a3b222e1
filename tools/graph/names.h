/* names.h - distinct texts, numbered: the nodes of a file that calls them by names. All Local. */
#ifndef PEN_NAMES_H
#define PEN_NAMES_H

#include "tools/graph/file_graph.h"

/* Zero at first. */
typedef struct name_table {
    int64_t count;
    int64_t *begins; /* [count] of the names in `text`, in the order in which they came */
    char *text;      /* one after the other, each ending in '\0' */
    int64_t begin_room, length, text_room;
    int64_t *slots, slot_count; /* number + 1 by hash, 0: free; a power of 2, at most half full */
} name_table;

/* The number of a name, a new one where it is not in the table yet. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_names_add(name_table *names, const char *name, int64_t *number);

static inline const char *pen_names_get(const name_table *names, int64_t number)
{
    return names->text + names->begins[number];
}

/* Put the names into the ascending order of their bytes, and into the graph; places[number] is where a name stands in
 * that order, for the caller to free. The table is empty then. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_names_give(name_table *names, file_graph *g, int64_t **places);

void pen_names_free(name_table *names);

#endif
