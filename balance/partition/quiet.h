/* quiet.h - libraries that print are silenced while they work: what they have to say is said by a status,
 * and standard output may be where an application's results go. */
#pragma once

/* Local. Send what is printed to a file descriptor nowhere; the answer is for pen_unquiet, which must
 * follow. Does nothing where the system refuses. */
int pen_quiet(int descriptor);
void pen_unquiet(int descriptor, int kept);
