/* unit.h - cmocka, with what its header needs before it. Included first by tests of one process, which are
 *
 *     TEST(name) { ... }
 *
 * unit.c has their main, which runs all of a program in the order of their lines, or one with --case=NAME; --list
 * prints their names. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after these */
#include <cmocka.h>

typedef struct unit_test {
    const char *name;
    CMUnitTestFunction test;
    int line;
} unit_test;

#define TEST(its_name)                                                            \
    static void its_name(void **);                                                \
    static const unit_test its_name##_listed = { #its_name, its_name, __LINE__ }; \
    static const unit_test *const its_name##_pointer                              \
        __attribute__((section("unit_tests"), used)) = &its_name##_listed;        \
    static void its_name(void **unit_state)

/* Before the first test and after the last one, of a program that defines them; 0: well. */
int unit_begin(void);
int unit_end(void);

/* How many cases the tests draw that count them by it: 10000, or the program's argument. */
extern int unit_cases;
