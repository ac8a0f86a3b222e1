/* oracle_change.h - what nodes have asked for comes true in the serial computation: as sets, with nothing of the run's
 * own way but the list of requests. */
#ifndef PEN_ORACLE_CHANGE_H
#define PEN_ORACLE_CHANGE_H

#include "driver/oracle_graph.h"

/* Local. Carry out what nodes have asked for. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_oracle_change(pen_oracle *oracle);

#endif
