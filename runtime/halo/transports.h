/* transports.h - the built-in transports: each is a file of its name here and one line of the table in connect.c. */
#pragma once

#include "halo/halo.h"

extern const pen_transport pen_transport_fence, pen_transport_pscw, pen_transport_passive, pen_transport_shared,
    pen_transport_blocking, pen_transport_overlap, pen_transport_persistent, pen_transport_neighbor;
