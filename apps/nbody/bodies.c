/* bodies.c - draws or reads the initial bodies. */
#include "apps/nbody/bodies.h"
#include "apps/complain.h"

#include <errno.h>
#include <math.h>
#include <penumbra.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *reserve(const char *name, int64_t count, bodies_set *set)
{
    if ((uint64_t)count <= SIZE_MAX / sizeof *set->bodies)
        set->bodies = (bodies_body *)malloc((size_t)count * sizeof *set->bodies);
    return set->bodies ? NULL : pen_complain("%s: no memory for %" PRId64 " bodies", name, count);
}

static double draw(uint64_t *state, double low, double high)
{
    double part = pen_unit_real(pen_mix(*state));
    *state += PEN_MIX_STEP;
    return low + (high - low) * part;
}

static void draw_direction(uint64_t *state, double length, double *vector)
{
    double square;
    do {
        square = 0.0;
        for (int k = 0; k < 3; k++) {
            vector[k] = draw(state, -1.0, 1.0);
            square += vector[k] * vector[k];
        }
    } while (square > 1.0 || square == 0.0);
    for (int k = 0; k < 3; k++) vector[k] *= length / sqrt(square);
}

/* Move bodies of equal masses so that their common centre is at rest at 0. */
static void centre(const bodies_set *set)
{
    double place[3] = { 0.0 }, velocity[3] = { 0.0 };
    for (int64_t i = 0; i < set->count; i++)
        for (int k = 0; k < 3; k++) {
            place[k] += set->bodies[i].place[k] / (double)set->count;
            velocity[k] += set->bodies[i].velocity[k] / (double)set->count;
        }
    for (int64_t i = 0; i < set->count; i++)
        for (int k = 0; k < 3; k++) {
            set->bodies[i].place[k] -= place[k];
            set->bodies[i].velocity[k] -= velocity[k];
        }
}

const char *pen_bodies_draw(int64_t count, uint64_t seed, bodies_set *set)
{
    const double apart = 64.0 / (9.0 * 3.14159265358979323846), mass = 0.5;
    *set = (bodies_set){ .bodies = NULL };
    if (count < 2 || count % 2 != 0)
        return pen_complain("%" PRId64 " bodies: must be even and >= 2, half of them in each sphere", count);
    const char *wrong = reserve("two spheres", count, set);
    if (wrong) return wrong;
    set->count = count;
    for (int64_t i = 0; i < count / 2; i++) {
        bodies_body *b = &set->bodies[i];
        double r, x, y;
        b->mass = 1.0 / (double)count;
        do r = 1.0 / sqrt(pow(draw(&seed, 0.0, 1.0), -2.0 / 3.0) - 1.0);
        while (!(r <= 9.0));
        draw_direction(&seed, r, b->place);
        do {
            x = draw(&seed, 0.0, 1.0);
            y = draw(&seed, 0.0, 0.1);
        } while (y > x * x * pow(1.0 - x * x, 3.5));
        draw_direction(&seed, x * sqrt(2.0 * mass) * pow(1.0 + r * r, -0.25), b->velocity);
        bodies_body *other = &set->bodies[i + count / 2];
        *other = *b;
        for (int k = 0; k < 3; k++) other->place[k] += apart;
    }
    centre(set);
    return NULL;
}

enum { NUMBERS = 7 }; /* number of numbers that describe a body */
static const char *const number_names[NUMBERS] = { "mass", "x", "y", "z", "vx", "vy", "vz" };

/* Read a body. `mark` is between the path and the number of a line, or of a body, in messages. */
static const char *take_body(const char *path, const char *mark, int64_t at, const double *numbers, bodies_set *set)
{
    for (int k = 0; k < NUMBERS; k++)
        if (!isfinite(numbers[k]))
            return pen_complain("%s%s%" PRId64 ": %s is %g, not finite", path, mark, at, number_names[k], numbers[k]);
    if (numbers[0] <= 0.0) return pen_complain("%s%s%" PRId64 ": mass is %g, not > 0", path, mark, at, numbers[0]);
    bodies_body *b = &set->bodies[set->count++];
    b->mass = numbers[0];
    memcpy(b->place, numbers + 1, sizeof b->place);
    memcpy(b->velocity, numbers + 4, sizeof b->velocity);
    return NULL;
}

static const char *read_line(const char *path, int64_t number, const char *line, bodies_set *set)
{
    static const char blanks[] = " \t\r\v\f";
    double numbers[NUMBERS];
    for (int k = 0; k < NUMBERS; k++) {
        char *end;
        line += strspn(line, blanks);
        if (!*line)
            return pen_complain("%s:%" PRId64 ": %s is missing; a line has mass x y z vx vy vz", path, number,
                                number_names[k]);
        errno = 0;
        numbers[k] = strtod(line, &end);
        size_t length = strcspn(line, blanks);
        if (errno == ERANGE && numbers[k] == 0.0)
            return pen_complain("%s:%" PRId64 ": %s is \"%.*s\", too small for a double", path, number, number_names[k],
                                length < 40 ? (int)length : 40, line);
        if (end != line + length)
            return pen_complain("%s:%" PRId64 ": %s is \"%.*s\", not a number", path, number, number_names[k],
                                length < 40 ? (int)length : 40, line);
        line = end;
    }
    line += strspn(line, blanks);
    if (*line) return pen_complain("%s:%" PRId64 ": more than mass x y z vx vy vz", path, number);
    return take_body(path, ":", number, numbers, set);
}

static const char *read_text(const char *path, char *text, size_t size, bodies_set *set)
{
    const size_t shortest = 2 * NUMBERS; /* shortest length of a line */
    const char *wrong = reserve(path, (int64_t)(size / shortest + 1), set), *end = text + size;
    int64_t number = 1;
    for (char *line = text; !wrong && line < end; number++) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        size_t length = next ? (size_t)(next - line) : (size_t)(end - line);
        line[length] = '\0';
        if (strlen(line) != length) return pen_complain("%s:%" PRId64 ": a zero byte, not a text file", path, number);
        char first = line[strspn(line, " \t\r\v\f")];
        if (first && first != '#') wrong = read_line(path, number, line, set);
        line += length + 1;
    }
    return wrong;
}

static const char *read_npy(const char *path, bodies_set *set)
{
    int64_t rows, columns;
    double *numbers;
    if (pen_npy_read(path, &rows, &columns, &numbers) != PEN_OK) return pen_complain("%s", pen_error_message());
    const char *wrong = columns == NUMBERS ? reserve(path, rows + 1, set)
                                           : pen_complain("%s: its shape is not (N, %d)", path, NUMBERS);
    for (int64_t i = 0; !wrong && i < rows; i++) wrong = take_body(path, ": body ", i, numbers + i * NUMBERS, set);
    free(numbers);
    return wrong;
}

static const char *read_file(const char *path, bodies_set *set)
{
    char *text;
    size_t size;
    const char *wrong = pen_load(path, &text, &size);
    if (!wrong) wrong = read_text(path, text, size, set);
    free(text);
    return wrong;
}

const char *pen_bodies_read(const char *path, bodies_set *set)
{
    size_t length = strlen(path);
    bool npy = length >= 4 && strcmp(path + length - 4, ".npy") == 0;
    *set = (bodies_set){ .bodies = NULL };
    const char *wrong = npy ? read_npy(path, set) : read_file(path, set);
    if (!wrong && set->count == 0) wrong = pen_complain("%s: no bodies", path);
    return wrong;
}
