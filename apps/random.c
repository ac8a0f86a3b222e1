/* random - the mean of the neighbours on a connected random graph (or on any graph). */
#include "apps/average.h"

int main(int argc, char **argv) { return pen_average_main("random", "generate=random:nodes=4096", argc, argv); }
