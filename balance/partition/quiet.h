/* quiet.h - silences libraries that print while they work: a status reports their errors, and standard output may be in
 * use for an application's results. */
#pragma once

/* Local. Discard data that is printed to a file descriptor, until pen_unquiet is called with the result. Does nothing
 * if the system refuses. */
int pen_quiet(int descriptor);
void pen_unquiet(int descriptor, int kept);
