/* The buffer of the text writer: see text_out.h. */
#include "serialize/text_out.h"

enum { DIGITS = 20 }; /* of the largest number */

void out_resume(text_out *o)
{
    o->p = o->buffer->at + o->buffer->len;
    o->end = o->buffer->at + o->buffer->cap;
}

void out_flush(text_out *o)
{
    if (o->buffer->at)
        o->buffer->len = (uint32_t)(o->p - o->buffer->at);
}

void out_begin(text_out *o, mem *mm, vec_char *buffer)
{
    *o = (text_out){.mm = mm, .buffer = buffer};
    o->ok = vec_reserve(mm, buffer, DIGITS);
    if (o->ok)
        out_resume(o);
}

bool out_grow(text_out *o, size_t n)
{
    if (!o->ok)
        return false;
    out_flush(o);
    o->ok = vec_reserve(o->mm, o->buffer, n);
    if (o->ok)
        out_resume(o);
    return o->ok;
}

static uint32_t count_digits(uint64_t x)
{
    uint32_t n = 1;
    for (; x >= 10000; x /= 10000)
        n += 4;
    return n + (x >= 10) + (x >= 100) + (x >= 1000);
}

void out_number(text_out *o, uint64_t x)
{
    uint32_t n = count_digits(x);
    if (!out_room(o, DIGITS))
        return;
    char *p = o->p += n;
    for (; x >= 10; x /= 10)
        *--p = (char)('0' + x % 10);
    *--p = (char)('0' + x);
}
