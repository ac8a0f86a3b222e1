/* step_apps.h - the names that main and pen_main_abi have in the applications that benchmarks measure. Included
 * before the first line of theirs, too. */
#pragma once

#include <penumbra.h>

int bench_heat_main(int argc, char **argv);
int bench_hex_main(int argc, char **argv);
int bench_wave_main(int argc, char **argv);
int bench_cg_main(int argc, char **argv);
int bench_fire_main(int argc, char **argv);
int bench_life_main(int argc, char **argv);
int bench_epidemic_main(int argc, char **argv);
int bench_travellers_main(int argc, char **argv);

/* Keeps what the application is. */
int bench_pen_main(uint32_t abi, const pen_app *app, int argc, char **argv);
extern pen_app bench_kept;
