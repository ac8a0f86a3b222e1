/* coder.c - codes values by one description for reading and writing. */
#include "base/coder.h"

void pen_code_int(pen_coder *c, int64_t *value)
{
    if (c->out) pen_bytes_put_signed(c->out, *value);
    else *value = pen_scan_signed(c->in);
}

void pen_code_word(pen_coder *c, uint64_t *value)
{
    if (c->out) pen_bytes_put_number(c->out, *value);
    else *value = pen_scan_number(c->in);
}

void pen_code_real(pen_coder *c, double *value)
{
    if (c->out) pen_bytes_put_real(c->out, *value);
    else *value = pen_scan_real(c->in);
}

void pen_code_bool(pen_coder *c, bool *value)
{
    int number = c->out ? *value : 0;
    pen_code_range(c, &number, 0, 1);
    *value = number == 1;
}

void pen_code_range(pen_coder *c, int *value, int low, int high)
{
    int64_t number = c->out ? *value : low;
    pen_code_int(c, &number);
    if (c->in && (number < low || number > high)) {
        c->in->wrong = true;
        number = low;
    }
    *value = (int)number;
}

void pen_code_reals(pen_coder *c, double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) pen_code_real(c, &values[i]);
}

pen_status pen_code_text(pen_coder *c, char **text)
{
    bool given = *text != NULL;
    pen_code_bool(c, &given);
    if (c->out && given) pen_bytes_put_text(c->out, *text);
    if (c->out) return PEN_OK;
    *text = NULL;
    return given ? pen_scan_text(c->in, text) : PEN_OK;
}
