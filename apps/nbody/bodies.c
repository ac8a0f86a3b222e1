#include "apps/nbody/bodies.h"
#include "apps/complain.h"
#include "apps/load.h"

#include <ctype.h>
#include <math.h>
#include <penumbra_random.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *reserve(const char *name, int64_t count, bodies_set *set)
{
    if ((uint64_t)count <= SIZE_MAX / sizeof *set->bodies)
        set->bodies = (bodies_body *)malloc((size_t)count * sizeof *set->bodies);
    return set->bodies ? NULL : pen_complain("%s: no memory for %" PRId64 " bodies", name, count);
}

/* ---- Drawing -------------------------------------------------------------------------------- */

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
    return NULL;
}

/* ---- Bodies of files ------------------------------------------------------------------------ */

enum { NUMBERS = 7 }; /* of a body */
static const char *const number_names[NUMBERS] = { "mass", "x", "y", "z", "vx", "vy", "vz" };

/* `mark`: between the path and the number of a line, or of a body. */
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
            return pen_complain("%s:%" PRId64 ": no %s; wanted are mass x y z vx vy vz", path, number, number_names[k]);
        numbers[k] = strtod(line, &end);
        size_t length = strcspn(line, blanks);
        if (end != line + length)
            return pen_complain("%s:%" PRId64 ": %s is \"%.*s\", no number", path, number, number_names[k],
                                length < 40 ? (int)length : 40, line);
        line = end;
    }
    line += strspn(line, blanks);
    if (*line) return pen_complain("%s:%" PRId64 ": more than mass x y z vx vy vz", path, number);
    return take_body(path, ":", number, numbers, set);
}

static const char *read_text(const char *path, char *text, size_t size, bodies_set *set)
{
    const size_t shortest = 2 * NUMBERS; /* line */
    const char *wrong = reserve(path, (int64_t)(size / shortest + 1), set), *end = text + size;
    int64_t number = 1;
    for (char *line = text; !wrong && line < end; number++) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        size_t length = next ? (size_t)(next - line) : (size_t)(end - line);
        line[length] = '\0';
        if (strlen(line) != length) return pen_complain("%s:%" PRId64 ": a zero byte, this is no text", path, number);
        char first = line[strspn(line, " \t\r\v\f")];
        if (first && first != '#') wrong = read_line(path, number, line, set);
        line += length + 1;
    }
    return wrong;
}

/* ---- NumPy's arrays: numpy.lib.format of its manual, versions 1.0, 2.0, 3.0 ----------------- */

typedef struct header {
    const char *at, *end; /* what is not read yet */
    int64_t count;        /* of rows */
    size_t width;         /* bytes of a number */
    bool big, by_columns; /* endian; all masses come first, then all x, ... */
} header;

/* Behind blanks comes `word`: go on behind it. */
static bool take(header *h, const char *word)
{
    size_t length = strlen(word);
    while (h->at < h->end && isspace((unsigned char)*h->at)) h->at++;
    if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length) != 0) return false;
    h->at += length;
    return true;
}

static bool take_string(header *h, char string[32])
{
    bool single = take(h, "'");
    if (!single && !take(h, "\"")) return false;
    const char *end = memchr(h->at, single ? '\'' : '"', (size_t)(h->end - h->at));
    if (!end || end - h->at >= 32) return false;
    memcpy(string, h->at, (size_t)(end - h->at));
    string[end - h->at] = '\0';
    h->at = end + 1;
    return true;
}

/* Python 2 wrote an L behind a long one. */
static bool take_count(header *h, int64_t *count)
{
    *count = 0;
    if (!take(h, "") || h->at == h->end || !isdigit((unsigned char)*h->at)) return false;
    for (; h->at < h->end && isdigit((unsigned char)*h->at); h->at++) {
        if (*count > (INT64_MAX - 9) / 10) return false;
        *count = 10 * *count + (*h->at - '0');
    }
    if (h->at < h->end && *h->at == 'L') h->at++;
    return true;
}

static bool is_big_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 0;
}

static const char *read_type(const char *path, header *h)
{
    char name[32];
    if (!take_string(h, name)) return pen_complain("%s: its header tells no type f4 or f8", path);
    const char *type = name + (name[0] && strchr("<>=|", name[0]));
    if (strcmp(type, "f4") != 0 && strcmp(type, "f8") != 0)
        return pen_complain("%s: its numbers are of type \"%s\", wanted are f4 or f8", path, name);
    h->width = (size_t)(type[1] - '0');
    h->big = name[0] == '>' || (name[0] != '<' && is_big_endian());
    return NULL;
}

static const char *read_entry(const char *path, header *h, unsigned *seen)
{
    static const char *const names[] = { "descr", "fortran_order", "shape" };
    char name[32];
    int64_t columns = 0;
    unsigned which = 0;
    if (!take_string(h, name) || !take(h, ":")) return pen_complain("%s: its header is no dictionary", path);
    while (which < 3 && strcmp(name, names[which]) != 0) which++;
    if (which == 3 || *seen >> which & 1)
        return pen_complain("%s: its header has \"%s\"%s", path, name, which == 3 ? "" : " twice");
    *seen |= 1U << which;
    if (which == 0) return read_type(path, h);
    if (which == 1) {
        h->by_columns = take(h, "True");
        return h->by_columns || take(h, "False") ? NULL
                                                 : pen_complain("%s: fortran_order is neither True nor False", path);
    }
    bool right = take(h, "(") && take_count(h, &h->count) && take(h, ",") && take_count(h, &columns);
    if (right) (void)take(h, ",");
    return right && columns == NUMBERS && take(h, ")") ? NULL
                                                       : pen_complain("%s: its shape is not (N, %d)", path, NUMBERS);
}

static const char *read_header(const char *path, header *h)
{
    unsigned seen = 0;
    const char *wrong = take(h, "{") ? NULL : pen_complain("%s: its header is no dictionary", path);
    for (bool more = true; !wrong && more && !take(h, "}");) {
        wrong = read_entry(path, h, &seen);
        more = take(h, ",");
        if (!wrong && !more && !take(h, "}")) wrong = pen_complain("%s: its header is no dictionary", path);
    }
    if (!wrong && seen != 7) wrong = pen_complain("%s: its header lacks descr, fortran_order or shape", path);
    (void)take(h, "");
    return wrong || h->at == h->end ? wrong : pen_complain("%s: its header goes on behind its end", path);
}

static double number_at(const header *h, const unsigned char *data, int64_t i, int64_t k)
{
    const unsigned char *bytes = data + h->width * (size_t)(h->by_columns ? k * h->count + i : i * NUMBERS + k);
    uint64_t word = 0;
    for (size_t b = 0; b < h->width; b++) word = word << 8 | bytes[h->big ? b : h->width - 1 - b];
    if (h->width == 4) {
        uint32_t half = (uint32_t)word;
        float number;
        memcpy(&number, &half, sizeof number);
        return number;
    }
    double number;
    memcpy(&number, &word, sizeof number);
    return number;
}

static const char *read_npy(const char *path, const char *text, size_t size, bodies_set *set)
{
    const unsigned char *bytes = (const unsigned char *)text;
    const size_t magic = 6;
    if (size < magic + 6 || memcmp(text, "\x93NUMPY", magic) != 0) return pen_complain("%s: no .npy file", path);
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return pen_complain("%s: format %d.%d, known are 1.0, 2.0 and 3.0", path, bytes[6], bytes[7]);
    size_t first = bytes[6] == 1 ? 10 : 12, length = 0;
    for (size_t b = first; b-- > 8;) length = length << 8 | bytes[b];
    if (length > size - first) return pen_complain("%s: it ends within its header", path);
    header h = { .at = text + first, .end = text + first + length };
    const char *wrong = read_header(path, &h);
    if (wrong) return wrong;
    size_t rest = size - first - length, row = NUMBERS * h.width;
    if ((uint64_t)h.count > rest / row || (size_t)h.count * row != rest)
        return pen_complain("%s: %zu bytes of numbers, %s than its shape (%" PRId64 ", %d) needs", path, rest,
                            (uint64_t)h.count > rest / row ? "fewer" : "more", h.count, NUMBERS);
    wrong = reserve(path, h.count + 1, set);
    for (int64_t i = 0; !wrong && i < h.count; i++) {
        double numbers[NUMBERS];
        for (int k = 0; k < NUMBERS; k++) numbers[k] = number_at(&h, bytes + first + length, i, k);
        wrong = take_body(path, ": body ", i, numbers, set);
    }
    return wrong;
}

const char *pen_bodies_read(const char *path, bodies_set *set)
{
    char *text;
    size_t size, length = strlen(path);
    bool npy = length >= 4 && strcmp(path + length - 4, ".npy") == 0;
    *set = (bodies_set){ .bodies = NULL };
    const char *wrong = pen_load(path, &text, &size);
    if (wrong) return wrong;
    wrong = npy ? read_npy(path, text, size, set) : read_text(path, text, size, set);
    free(text);
    if (!wrong && set->count == 0) wrong = pen_complain("%s: no bodies", path);
    return wrong;
}
