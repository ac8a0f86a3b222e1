#include "tests/support/batch_world.h"

MPI_Comm batch_world;
