/* verdict.h - what a watch (watch.h) makes of what the ranks have put up: counted host by host, and judged of all. */
#ifndef PEN_VERDICT_H
#define PEN_VERDICT_H

#include "observe/board.h"

/* Ranks of a host, or of several: each counts once. What has left counts nowhere. */
typedef struct pen_facts {
    int32_t moving;                   /* has moved lately */
    int32_t works;                    /* has not, but is at something that will end */
    int32_t waits, outside;           /* has not */
    int32_t held, gone;               /* is stopped, or in the hands of a debugger; is no more */
    int32_t a_worker, a_held, a_gone; /* the lowest such rank, or INT32_MAX */
} pen_facts;

typedef enum pen_verdict {
    PEN_VERDICT_FINE,  /* it moves, or nobody wants anything of it */
    PEN_VERDICT_WORKS, /* all that do not work stand still */
    PEN_VERDICT_HELD,  /* all that are not held stand still */
    PEN_VERDICT_STUCK,
    PEN_VERDICT_GONE
} pen_verdict;

/* What the lowest rank of a host remembers of the others: how long their hearts have not beaten, by its own time. */
typedef struct pen_pulse {
    uint64_t beats;
    int64_t silent; /* ms */
} pen_pulse;

/* No ranks. */
extern const pen_facts pen_facts_none;

/* Local. Feel a rank's pulse `elapsed` ms after the last time. True: its process is gone, for some seconds. */
bool pen_pulse_gone(pen_pulse *pulse, const pen_board *board, int host_rank, int64_t elapsed);

/* Local. Whether its process is stopped, or as good as that. */
bool pen_pulse_stopped(const pen_pulse *pulse);

/* Local. Count the ranks of this host, which have moved or not in the last `limit` ms; pulses[host ranks] are kept for
 * the next time, `elapsed` ms after this one. */
pen_facts pen_facts_of(const pen_board *board, pen_pulse *pulses, int64_t limit, int64_t elapsed);

/* Local. Both together. */
pen_facts pen_facts_sum(const pen_facts *a, const pen_facts *b);

/* Local. */
pen_verdict pen_facts_judge(const pen_facts *facts);

/* Local. A line for each rank of this host that has not left. */
void pen_facts_print(const pen_board *board, const pen_pulse *pulses, FILE *out);

#endif
