/* names.h - numbers names in the order in which they first occur. All Local. */
#pragma once

#include "tools/graph/file_graph.h"

/* A table of names, initially zero. */
typedef struct name_table {
    int64_t count;
    int64_t *begins; /* [count] beginning of each name in `text` */
    char *text;      /* the names, one after the other, each ending in '\0' */
    int64_t begin_room, length, text_room;
    /* Hash table of numbers + 1, 0: free; its size is a power of 2, at most half of it is used. */
    int64_t *slots, slot_count;
} name_table;

static inline const char *pen_names_get(const name_table *names, int64_t number)
{
    return names->text + names->begins[number];
}

/* Get the number of a name; a name that is not in the table yet gets the number names->count. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_names_add(name_table *names, const char *name, int64_t *number);

/* Convert the names to integers, which the caller frees; NULL if one is not a decimal number of up to 18 digits.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_names_integers(const name_table *names, int64_t **integers);

/* Move the names into the graph, whose base becomes 0. The table is empty afterwards. */
void pen_names_give(name_table *names, file_graph *g);

void pen_names_free(name_table *names);
