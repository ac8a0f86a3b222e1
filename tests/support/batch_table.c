#include "tests/support/batch_table.h"

#include <stdlib.h>
#include <string.h>

#define CASE(name, argument)                \
    int name##_main(int argc, char **argv); \
    extern unsigned char __start_##name##_data[] __attribute__((weak)), __stop_##name##_data[] __attribute__((weak));
#include "batch_cases.h"
#undef CASE

static const batch_case cases[] = {
#define CASE(name, argument) { #name, name##_main, argument, __start_##name##_data, __stop_##name##_data },
#include "batch_cases.h"
#undef CASE
};

extern const char *const __start_check_cases[], *const __stop_check_cases[]; /* "PATH.c:CALL" (check.h) */

const batch_case *batch_find(const char *name)
{
    const size_t length = strcspn(name, ":");
    if (name[length]) setenv("PEN_CASE", name + length + 1, 1);
    else unsetenv("PEN_CASE");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strlen(cases[i].name) == length && strncmp(cases[i].name, name, length) == 0) return &cases[i];
    fprintf(stderr, "no test is called %.*s: --list prints their names\n", (int)length, name);
    exit(2);
}

bool batch_run(const batch_case *c)
{
    char argument[4096], *arguments[] = { argument, argument, NULL }; /* tests may change theirs */
    snprintf(argument, sizeof argument, "%s", c->argument);
    return c->run(*argument ? 2 : 1, arguments) != 0;
}

void batch_list(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) printf("%s\n", cases[i].name);
    for (const char *const *c = __stop_check_cases; c-- > __start_check_cases;) { /* the last one is the first call */
        const char *call = strstr(*c, ".c:"), *file = call;
        while (call && file > *c && file[-1] != '/') file--;
        if (call) printf("%.*s:%s\n", (int)(call - file), file, call + 3);
    }
}
