#include "tools/common/colour_map.h"

#include <math.h>

/* A component of linear light as a byte of sRGB (IEC 61966-2-1). */
static uint32_t byte_of(double light)
{
    double code = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
    return (uint32_t)(255.0 * fmin(fmax(code, 0.0), 1.0) + 0.5);
}

static uint32_t from_oklab(double lightness, double a, double b)
{
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return byte_of(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) << 16 |
           byte_of(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) << 8 |
           byte_of(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

uint32_t pen_colour_map(double place)
{
    const double chroma = 0.1, degree = 0.017453292519943295;
    double hue = (325.0 - 225.0 * place) * degree;
    return from_oklab(0.25 + 0.68 * place, chroma * cos(hue), chroma * sin(hue));
}
