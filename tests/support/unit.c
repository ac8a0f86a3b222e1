#include "tests/support/unit.h"

#include <stdlib.h>

__attribute__((weak)) int unit_begin(void) { return 0; }
__attribute__((weak)) int unit_end(void) { return 0; }

int unit_cases = 10000;

static int begin(void **unused) { return unit_begin(); }
static int end(void **unused) { return unit_end(); }

static int by_line(const void *a, const void *b)
{
    return (*(const unit_test *const *)a)->line - (*(const unit_test *const *)b)->line;
}

int main(int argc, char **argv)
{
    extern const unit_test *const __start_unit_tests[], *const __stop_unit_tests[];
    enum { MOST = 100 };
    const unit_test *sorted[MOST];
    struct CMUnitTest tests[MOST];
    const size_t count = (size_t)(__stop_unit_tests - __start_unit_tests);
    if (argc > 1) unit_cases = atoi(argv[1]);
    if (count > MOST) return 1;
    for (size_t i = 0; i < count; i++) sorted[i] = __start_unit_tests[i];
    qsort(sorted, count, sizeof *sorted, by_line);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){ sorted[i]->name, sorted[i]->test, NULL, NULL, NULL };
    return _cmocka_run_group_tests("tests", tests, count, begin, end);
}
