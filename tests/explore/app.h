/* app.h - the application of an explored case. */
#pragma once

#include "tests/explore/explored.h"

typedef struct tag {
    pen_gid gid;
    int64_t step;
    uint64_t hash;
    int64_t child; /* 1: there is a node that this one has added */
} tag;
typedef struct small {
    uint8_t bytes[8];
} small;
typedef struct total {
    double sum;
    int64_t count;
} total;
typedef struct trail {
    uint64_t hash;
} trail;
typedef struct wave { /* read and written in one phase */
    uint32_t step, sum, gid;
} wave;
typedef struct own { /* read by no other node */
    uint64_t hash;
} own;
enum { TAG, SMALL, WAVE, OWN };
typedef struct notch {
    uint32_t count;
} notch;
typedef struct letter { /* received in each step */
    uint64_t hash;
} letter;
typedef struct note { /* waits while the graph changes */
    uint32_t hash[3];
} note;
enum { LETTER, NOTE };
enum { TRAIL, NOTCH };
enum { COUNT, SUM, LARGEST, BEFORE };

typedef struct application {
    pen_phase phases[7];
    pen_app app;
    pen_run_options options;
    pen_test_options tests; /* options.debug.tests */
} application;

/* `e` must live as long as the application. */
void explored_application(const explored *e, application *a);
