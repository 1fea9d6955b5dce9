/* The buffer of the text writer: see text/out.h. */
#include "serialize/text/out.h"

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

/* How many decimal digits x has; 1 for 0. */
static uint32_t count_digits(uint64_t x)
{
    uint32_t n = 1;
    for (; x >= 10000; x /= 10000)
        n += 4;
    return n + (x >= 10) + (x >= 100) + (x >= 1000);
}

/* The numbers 00 to 99: two digits for each division. */
static const char pairs[] = "0001020304050607080910111213141516171819202122232425262728293031323334"
                            "3536373839404142434445464748"
                            "4950515253545556575859606162636465666768697071727374757677787980818283"
                            "8485868788899091929394959697"
                            "9899";

/* Writes the digits of x so that they end before `end`. */
static void write_digits(char *end, uint32_t x)
{
    for (; x >= 100; x /= 100)
        memcpy(end -= 2, pairs + 2 * (x % 100), 2);
    if (x >= 10)
        memcpy(end - 2, pairs + 2 * x, 2);
    else
        end[-1] = (char)('0' + x);
}

/* From the last digit to the first, in place. */
void out_number(text_out *o, uint64_t x)
{
    if (!out_room(o, DIGITS))
        return;
    o->p += count_digits(x);
    char *end = o->p;
    for (; x > UINT32_MAX; x /= 10)
        *--end = (char)('0' + x % 10);
    write_digits(end, (uint32_t)x);
}
