/* drawn_program.h - draws programs (drawn.h), for the library. */
#pragma once

#include "tests/support/drawn.h"

/* Draw a program; it points to itself. */
void drawn_program_draw(uint64_t seed, drawn_program *p);

/* Ask the library for what a request says. */
void drawn_ask(const drawn_program *p, const drawn_request *request, pen_changes *changes);
