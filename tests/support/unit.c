#include "tests/support/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((weak)) int unit_begin(void) { return 0; }
__attribute__((weak)) int unit_end(void) { return 0; }

int unit_cases = 10000;

static int begin(void **unused) { return unit_begin(); }
static int end(void **unused) { return unit_end(); }

static int by_line(const void *a, const void *b)
{
    return (*(const unit_test *const *)a)->line - (*(const unit_test *const *)b)->line;
}

/* Whether the argument is a number of cases. */
static bool read_cases(const char *text)
{
    char *end_of_number;
    const long cases = strtol(text, &end_of_number, 10);
    unit_cases = (int)cases;
    return *end_of_number == '\0' && cases > 0 && cases <= INT32_MAX;
}

int main(int argc, char **argv)
{
    extern const unit_test *const __start_unit_tests[], *const __stop_unit_tests[];
    enum { MOST = 100 };
    const unit_test *sorted[MOST];
    struct CMUnitTest tests[MOST];
    const char *wanted = argc == 2 && strncmp(argv[1], "--case=", 7) == 0 ? argv[1] + 7 : NULL;
    const bool list = argc == 2 && strcmp(argv[1], "--list") == 0;
    const size_t count = (size_t)(__stop_unit_tests - __start_unit_tests);
    size_t chosen = 0;
    if (count > MOST) return 1;
    if (argc > 1 && !wanted && !list && !read_cases(argv[1])) {
        fprintf(stderr, "usage: %s [CASES | --list | --case=NAME]\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < count; i++) sorted[i] = __start_unit_tests[i];
    qsort(sorted, count, sizeof *sorted, by_line);
    for (size_t i = 0; i < count; i++) {
        if (list) puts(sorted[i]->name);
        if (!wanted || strcmp(sorted[i]->name, wanted) == 0)
            tests[chosen++] = (struct CMUnitTest){ sorted[i]->name, sorted[i]->test, NULL, NULL, NULL };
    }
    if (list) return 0;
    if (chosen == 0) {
        fprintf(stderr, "no case is called %s: --list prints their names\n", wanted);
        return 2;
    }
    return _cmocka_run_group_tests("tests", tests, chosen, begin, end);
}
