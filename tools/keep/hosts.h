/* hosts.h - the hosts of a run, by its launcher's options or Slurm's list, and the run without those that failed. All
 * Local. */
#ifndef PEN_KEEP_HOSTS_H
#define PEN_KEEP_HOSTS_H

#include "tools/keep/death.h"
#include "tools/keep/line.h"

typedef struct host {
    char *name, *text; /* the line or the item that names it */
    int64_t slots;     /* at least 1 */
    bool gone;
} host;

typedef struct hosts {
    host *hosts; /* [count]; a name may be there several times */
    int64_t count, room;
    int word;       /* that names the file, or has the list, as --host does; 0: Slurm's list */
    bool file;      /* it names a file */
    int ranks_word; /* that says how many ranks there are; 0: none does */
    int64_t ranks;
    const char *probe; /* a command; HOST in it stands for the host */
    char *made;        /* the file that is given instead; NULL: none */
    char *list, *number;
} hosts;

/* PEN_ERR_INPUT: no hosts are known, or what names them is wrong; PEN_ERR_IO, PEN_ERR_MEMORY. pen_hosts_free frees
 * *all whatever the status. */
PEN_CHECKED pen_status pen_hosts_read(const line *l, const char *probe, hosts *all);
void pen_hosts_free(hosts *all);

/* Find the hosts that failed: those that the probe does not reach; if it reaches all, those on which something died, as
 * the launcher says, but for the last one. `text` tells in a clause what is done without: "without n2, on 6 ranks";
 * "": nothing. PEN_ERR_ENVIRONMENT: no host is left; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_hosts_drop(hosts *all, const death *d, char *text, size_t room);

/* What the launcher gets now: the words of `from`, which *to borrows; words[count] of it is the caller's to free.
 * PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_hosts_line(hosts *all, const line *from, line *to);

#endif
