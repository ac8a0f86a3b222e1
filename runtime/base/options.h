/* options.h - text that a user typed: the command line, settings after a name ("diffusive:rounds=3,damping=0.5"),
 * numbers, and names from a registry. Bad input is PEN_ERR_INPUT with a sentence that quotes it and says what would be
 * right. */
#pragma once

#include "base/numbers.h"
#include <penumbra_plugin.h>

/* Options under one heading of the help. An entry without a value is not offered (pen_option). */
typedef struct pen_option_group {
    const char *title;
    const pen_option *options; /* the options, ending with an entry whose name is NULL; NULL: none */
} pen_option_group;

/* Local. Parse argv[1 .. argc-1] against all groups: "--name=VALUE", flags "--name", "-h" for "--help". An option with
 * a value may be given once, under one of its names. Flags may be repeated, and so may a _TEXT whose .low is more than
 * its .high (pen_option_join; the last value is kept). Values that are not given, and all values after a failure, do
 * not change. PEN_ERR_ARGUMENT: two options have one name. */
PEN_CHECKED pen_status pen_option_groups_parse(int argc, char **argv, const pen_option_group *groups, int count);

/* Local. Find the option whose name is `text` up to its '='; NULL: there is none. */
const pen_option *pen_option_find(const pen_option *table, const char *text);

/* Local. The entry of an application's table with the name of a library's option; NULL: there is none. *hides: it hides
 * that option; otherwise it has only another help. */
const pen_option *pen_option_of_app(const pen_option *own, const char *name, bool *hides);

/* Local. Check the value of an option (NULL: the user gave none), and store it if `store` is set. Messages begin with
 * `what`, the text that the user typed. */
PEN_CHECKED pen_status pen_option_take(const pen_option *option, const char *what, const char *value, bool store);

/* Local. Join all values of an option that may be given several times, "--name=VALUE", with `separator` between them.
 * The caller frees *joined. NULL: the option is not given. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_option_join(int argc, char **argv, const char *name, char separator, char **joined);

/* Local. Print the help: a heading per group that is not empty, then its options in columns. */
void pen_option_groups_print(FILE *out, const pen_option_group *groups, int count);

/* A choice of a partitioner, balancer or transport: its name, and the settings after the first colon. */
typedef struct pen_spec {
    char *name;
    char *settings; /* the settings, "" if there are none */
} pen_spec;

/* Local. Split a copy of "name" or "name:settings"; pen_spec_free frees it. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_spec_split(const char *text, pen_spec *spec);
void pen_spec_free(pen_spec *spec);

/* Local. Parse "key=value,key=value" (flags: "key") against a table of options whose names are the keys. `owner` begins
 * messages ("partitioner metis"), unless it is NULL. `settings` is cut up, and _TEXT values point into it. After a
 * failure some values may have changed. */
PEN_CHECKED pen_status pen_settings_parse(const char *owner, char *settings, const pen_option *table);

/* Local. Allocate a block of `size` bytes and fill it in from `text` by a table of settings (penumbra_plugin.h; NULL:
 * there are no settings). `check`, if not NULL, may refuse it. free(*made) frees it with the copy of the text that
 * _TEXT values point into. `owner` begins messages. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_settings_make(const char *owner, const char *text, const pen_setting *table, size_t size,
                                         const char *(*check)(void *settings), void **made);

/* Local. Print an entry of a list: the name's summary, and a line for each setting. */
void pen_settings_list(FILE *out, const char *name, const char *summary, const pen_setting *table);

/* Local. Print text of one or several lines, indented like the settings of a list. */
void pen_settings_print(FILE *out, const char *settings);

/* Local. Fail with PEN_ERR_INPUT, "unknown partitioner mets: did you mean metis? Known: block, ...". */
pen_status pen_unknown_name(const char *what, const char *word, const char *const *names, int count);

/* Local. The name that `word` was probably meant to be: by edit distance (with transpositions), or because it begins
 * with `word`; NULL if none is near. */
const char *pen_nearest(const char *word, const char *const *names, int count);

/* Local. Split a text like "A:B", "key=value" or "WxH" at its first separator. The part before the separator is copied
 * to `piece`, or the whole text if it has none. A part that does not fit becomes "", which is neither number nor name.
 * Returns the part after the separator; NULL: there is no separator. */
const char *pen_text_cut(const char *text, char separator, char *piece, size_t room);
