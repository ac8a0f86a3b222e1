/* hex - the mean of the neighbours on a field of hexagons (or on any graph). */
#include "apps/average.h"

int main(int argc, char **argv) { return pen_average_main("hex", "generate=hex:64x64", argc, argv); }
