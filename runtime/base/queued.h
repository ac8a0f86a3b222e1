/* queued.h - the kernel's data about the use of cores: the time in which a thread was ready to run but waited for a
 * core, and the number of threads that run or are ready. */
#pragma once

/* Local. Open the kernel's account of the calling thread; -1: there is none (Linux has one). The caller closes the
 * descriptor. */
int pen_queued_open(void);

/* Local. The waiting time so far, in seconds, of the thread that has opened the account; 0 without an account. */
double pen_queued_seconds(int account);

/* Local. The waiting time of the calling thread so far, in seconds. */
double pen_queued_now(void);

/* Local. Threads of the host that run or are ready to; -1: not known. */
int pen_running_now(void);
