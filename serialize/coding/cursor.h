/* A cursor over MessagePack that checks every access: it takes one value after the other, and fails
 * without moving where another kind of value stands or the bytes end.  Numbers are accepted in
 * every encoding that holds them. */
#ifndef FCL_SERIALIZE_BINARY_CURSOR_H
#define FCL_SERIALIZE_BINARY_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cursor {
    const unsigned char *p, *end;
    size_t behind; /* bytes of numbers behind their first: how many numbers were passed is the bytes
                      without these */
} cursor;

/* Each takes one value and returns true, or returns false and stays: numbers of other ranges and
 * other kinds of values are refused, whatever their encoding. */
bool bin_cursor_u64(cursor *c, uint64_t *x);
bool bin_cursor_i64(cursor *c, int64_t *x);
/* The bits of a double; a float 32 is widened. */
bool bin_cursor_f64(cursor *c, uint64_t *bits);
/* The number of elements of an array: no more than bytes are left. */
bool bin_cursor_array(cursor *c, uint32_t *n);
/* The number of pairs of a map: no more than bytes are left for. */
bool bin_cursor_map(cursor *c, uint32_t *n);
bool bin_cursor_bool(cursor *c, bool *x);
/* Any value, with all that is in it. */
bool bin_cursor_skip(cursor *c);
/* The contents of a text or a block of bytes, which stay where they are. */
bool bin_cursor_str(cursor *c, const char **s, uint32_t *n);
bool bin_cursor_bin(cursor *c, const char **s, uint32_t *n);
/* Says that something else stands at the cursor than what was to be there; true where that is
 * because the bytes end too soon. */
bool bin_cursor_expected(const cursor *c, const char *what, char *out, size_t size);

/* A measure that grows by one for each number that is passed. */
static inline size_t cursor_numbers(const cursor *c, const unsigned char *start)
{
    return (size_t)(c->p - start) - c->behind;
}

/* cursor_u32 and cursor_i32 for any number. */
bool bin_cursor_long_u32(cursor *c, uint32_t *x);
bool bin_cursor_long_i32(cursor *c, int32_t *x);

/* Most numbers are a byte, and most others one behind 0xcc. */
static inline bool cursor_u32(cursor *c, uint32_t *x)
{
    if (c->end - c->p < 2)
        return bin_cursor_long_u32(c, x);
    uint32_t more = *c->p == 0xcc;
    if (*c->p >= 0x80 && !more)
        return bin_cursor_long_u32(c, x);
    *x = c->p[more];
    c->p += 1 + more;
    c->behind += more;
    return true;
}

/* A number from -2^31 to 2^31 - 1. */
static inline bool cursor_i32(cursor *c, int32_t *x)
{
    if (c->p >= c->end || (*c->p >= 0x80 && *c->p < 0xe0))
        return bin_cursor_long_i32(c, x);
    *x = (int8_t)*c->p++;
    return true;
}

#endif
