/* queued.h - what the kernel tells about the use of cores: how long a thread was ready to run and did not, because its
 * core was used by others; and how many threads run or are ready. */
#pragma once

/* Local. Open the kernel's account of the calling thread; -1: there is none (Linux has one). The caller closes it. */
int pen_queued_open(void);

/* Local. Seconds so far, of the thread that has opened it; 0 without an account. */
double pen_queued_seconds(int account);

/* Local. The same for the calling thread. */
double pen_queued_now(void);

/* Local. Threads of the host that run or are ready to; -1: not known. */
int pen_running_now(void);
