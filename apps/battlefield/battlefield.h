/* battlefield.h - the battle as an application of Penumbra: fields, phases, observables. */
#pragma once

#include "apps/battlefield/battle.h"

/* The application; *b must live as long as its runs. The graph is a field of hexagons (--generate=hex:WxH). */
pen_app pen_battlefield_app(battle *b);
