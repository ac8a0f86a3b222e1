/* shock.h - a mesh that follows a wave (mesh.h), as an application of Penumbra. Its cells are the nodes, so the graph
 * changes in every step. */
#pragma once

#include "apps/shock/settings.h"

/* Make the application. The graph is a mesh of squares. */
pen_app pen_shock_app(shock *s);
