/* steer_json.h - the calls of a balancer in JSON, as metrics have them. */
#pragma once

#include "base/json.h"
#include "steer/steer.h"

/* Local. Write the totals, the failures and the records of all calls, as members of an object. `kind` names the
 * counters; NULL: there is no balancer. on_machine: qualities have dilations and times. */
void pen_steer_json(json *j, const pen_steer *steer, const pen_balancer *kind, bool on_machine);
