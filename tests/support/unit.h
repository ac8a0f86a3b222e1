/* unit.h - cmocka, with what its header needs before it. Included first by tests of one process. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after these */
#include <cmocka.h>
