#include "run/app.h"
#include "tests/bench/bench.h"
#include "tests/bench/step_apps.h"

pen_app bench_kept;

int bench_pen_main(uint32_t abi, const pen_app *app, int argc, char **argv)
{
    pen_app *copy; /* its tables are gone when its main has ended */
    bench_require(pen_app_copy(app, &copy), app->name);
    bench_kept = *copy;
    return 0;
}
