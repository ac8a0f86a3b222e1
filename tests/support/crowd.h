/* crowd.h - what ranks believe about other programs on their cores, whatever holds; for tests that are linked with
 * crowd.c and --wrap=pen_patience_is_crowded. */
#pragma once

typedef enum crowd { CROWD_DRAWN /* at each look */, CROWD_NONE } crowd;

extern crowd crowd_believed; /* CROWD_DRAWN at first */
