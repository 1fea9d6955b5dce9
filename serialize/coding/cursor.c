/* Taking MessagePack apart: see coding/cursor.h.  The first byte of a value says what it is and how
 * long its head is: the table of formats of the MessagePack specification.  What files never hold
 * (nil, extensions) is one kind, IS_OTHER.
 *
 * Constant time for each value, no memory.  Numbers behind the first byte are big-endian. */
#include "serialize/coding/cursor.h"

#include <stdio.h>
#include <string.h>

/* What the first byte of a value says.  The order matters: up to IS_SIGNED they are integers. */
typedef enum {
    IS_POSITIVE,
    IS_NEGATIVE,
    IS_UNSIGNED,
    IS_SIGNED,
    IS_FLOAT,
    IS_ARRAY,
    IS_STR,
    IS_BIN,
    IS_MAP,
    IS_BOOL,
    IS_OTHER
} value_kind_of;

typedef struct head {
    value_kind_of kind;
    uint32_t bytes; /* of the number behind the first byte */
} head;

/* The kind of a value and the length of its head.  Values that lie within the first byte (small
 * numbers, short texts and arrays) have no bytes behind it. */
static head head_of(unsigned char b)
{
    if (b < 0x80)
        return (head){IS_POSITIVE, 0};
    if (b >= 0xe0)
        return (head){IS_NEGATIVE, 0};
    if (b < 0x90)
        return (head){IS_MAP, 0};
    if (b < 0xa0)
        return (head){IS_ARRAY, 0};
    if (b < 0xc0)
        return (head){IS_STR, 0};
    switch (b) {
    case 0xc2:
    case 0xc3: return (head){IS_BOOL, 0};
    case 0xc4:
    case 0xc5:
    case 0xc6: return (head){IS_BIN, 1u << (b - 0xc4)};
    case 0xca:
    case 0xcb: return (head){IS_FLOAT, 4u << (b - 0xca)};
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: return (head){IS_UNSIGNED, 1u << (b - 0xcc)};
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return (head){IS_SIGNED, 1u << (b - 0xd0)};
    case 0xd9:
    case 0xda:
    case 0xdb: return (head){IS_STR, 1u << (b - 0xd9)};
    case 0xdc:
    case 0xdd: return (head){IS_ARRAY, 2u << (b - 0xdc)};
    case 0xde:
    case 0xdf: return (head){IS_MAP, 2u << (b - 0xde)};
    default: return (head){IS_OTHER, 0};
    }
}

static uint64_t big_endian(const unsigned char *p, uint32_t n)
{
    uint64_t x = 0;
    for (uint32_t i = 0; i < n; i++)
        x = x << 8 | p[i];
    return x;
}

/* The head at the cursor and the number behind it; false when it is not all there.  Does not move.
 */
static bool look(const cursor *c, head *h, uint64_t *x)
{
    if (c->p >= c->end)
        return false;
    *h = head_of(*c->p);
    if ((size_t)(c->end - c->p) - 1 < h->bytes)
        return false;
    *x = big_endian(c->p + 1, h->bytes);
    return true;
}

/* Signed numbers are extended by shifting up and, arithmetically, down again. */
bool bin_cursor_i64(cursor *c, int64_t *x)
{
    head h;
    uint64_t bits;
    if (!look(c, &h, &bits) || h.kind > IS_SIGNED || (h.kind == IS_UNSIGNED && bits > INT64_MAX))
        return false;
    if (h.kind == IS_POSITIVE || h.kind == IS_NEGATIVE)
        *x = (int8_t)*c->p;
    else if (h.kind == IS_UNSIGNED)
        *x = (int64_t)bits;
    else
        *x = (int64_t)(bits << (64 - 8 * h.bytes)) >> (64 - 8 * h.bytes);
    c->p += 1 + h.bytes;
    c->behind += h.bytes;
    return true;
}

/* A number of 1, 2 or 4 bytes behind the first one, which are most of those that are no byte, if it
 * is at least `least` and at most `most`; false, without moving, when something else is at the
 * cursor. */
static inline bool take_short(cursor *c, int64_t least, int64_t most, int64_t *x)
{
    unsigned form = c->p < c->end ? *c->p - 0xccu : 3; /* 0, 1, 2: unsigned; 4, 5, 6: signed */
    uint32_t n = 1u << (form & 3), bits;
    if (form > 6 || n == 8 || (size_t)(c->end - c->p) <= n)
        return false;
    const unsigned char *p = c->p + 1;
    bits = (uint32_t)p[0] << 24;
    if (n > 1)
        bits |= (uint32_t)p[1] << 16;
    if (n > 2)
        bits |= (uint32_t)p[2] << 8 | p[3];
    *x = form & 4 ? (int64_t)((int32_t)bits >> (32 - 8 * n)) : (int64_t)(bits >> (32 - 8 * n));
    if (*x < least || *x > most)
        return false;
    c->p += 1 + n;
    c->behind += n;
    return true;
}

/* From the usual to the rare: short, unsigned, and last a signed encoding of what is not
 * negative. */
bool bin_cursor_u64(cursor *c, uint64_t *x)
{
    head h;
    uint64_t bits;
    int64_t number;
    if (take_short(c, 0, UINT32_MAX, &number)) {
        *x = (uint64_t)number;
        return true;
    }
    if (look(c, &h, &bits) && h.kind == IS_UNSIGNED) {
        *x = bits;
        c->p += 1 + h.bytes;
        c->behind += h.bytes;
        return true;
    }
    const unsigned char *before = c->p;
    if (bin_cursor_i64(c, &number) && number >= 0) {
        *x = (uint64_t)number;
        return true;
    }
    c->p = before;
    return false;
}

bool bin_cursor_long_u32(cursor *c, uint32_t *x)
{
    const cursor before = *c;
    uint64_t wide;
    if (bin_cursor_u64(c, &wide) && wide <= UINT32_MAX) {
        *x = (uint32_t)wide;
        return true;
    }
    *c = before;
    return false;
}

bool bin_cursor_long_i32(cursor *c, int32_t *x)
{
    const cursor before = *c;
    int64_t wide;
    if (take_short(c, INT32_MIN, INT32_MAX, &wide) ||
        (bin_cursor_i64(c, &wide) && wide >= INT32_MIN && wide <= INT32_MAX)) {
        *x = (int32_t)wide;
        return true;
    }
    *c = before;
    return false;
}

/* Widening a float to a double is exact. */
bool bin_cursor_f64(cursor *c, uint64_t *bits)
{
    head h;
    uint64_t x;
    if (!look(c, &h, &x) || h.kind != IS_FLOAT)
        return false;
    if (h.bytes == 4) {
        uint32_t low = (uint32_t)x;
        float narrow;
        memcpy(&narrow, &low, sizeof narrow);
        double wide = (double)narrow;
        memcpy(&x, &wide, sizeof x);
    }
    *bits = x;
    c->p += 1 + h.bytes;
    return true;
}

/* An element takes a byte at least: who claims more than bytes are left is refused here, before
 * anybody makes room for them. */
bool bin_cursor_array(cursor *c, uint32_t *n)
{
    head h;
    uint64_t x;
    if (!look(c, &h, &x) || h.kind != IS_ARRAY)
        return false;
    x = h.bytes ? x : *c->p & 15u;
    if (x > (size_t)(c->end - c->p) - 1 - h.bytes)
        return false;
    *n = (uint32_t)x;
    c->p += 1 + h.bytes;
    return true;
}

bool bin_cursor_map(cursor *c, uint32_t *n)
{
    head h;
    uint64_t x;
    if (!look(c, &h, &x) || h.kind != IS_MAP)
        return false;
    x = h.bytes ? x : *c->p & 15u;
    if (x > ((size_t)(c->end - c->p) - 1 - h.bytes) / 2)
        return false;
    *n = (uint32_t)x;
    c->p += 1 + h.bytes;
    return true;
}

bool bin_cursor_bool(cursor *c, bool *x)
{
    if (c->p >= c->end || head_of(*c->p).kind != IS_BOOL)
        return false;
    *x = *c->p++ == 0xc3;
    return true;
}

/* The heads of arrays and maps add to what is still to come, so nothing recurses. */
bool bin_cursor_skip(cursor *c)
{
    cursor at = *c;
    uint64_t left = 1;
    for (; left; left--) {
        head h;
        uint64_t bits;
        uint32_t n = 0;
        const char *s;
        if (!look(&at, &h, &bits))
            return false;
        if (h.kind == IS_ARRAY || h.kind == IS_MAP) {
            if (!bin_cursor_array(&at, &n) && !bin_cursor_map(&at, &n))
                return false;
            left += h.kind == IS_MAP ? 2 * (uint64_t)n : n;
        } else if (h.kind == IS_STR || h.kind == IS_BIN) {
            if (!bin_cursor_str(&at, &s, &n) && !bin_cursor_bin(&at, &s, &n))
                return false;
        } else if (h.kind == IS_OTHER) {
            if (*at.p != 0xc0)
                return false;
            at.p++;
        } else {
            at.p += 1 + h.bytes;
        }
    }
    *c = at;
    return true;
}

/* A text or a block: its head, then so many bytes, which must all be there. */
static bool take_bytes(cursor *c, value_kind_of kind, const char **s, uint32_t *n)
{
    head h;
    uint64_t x;
    if (!look(c, &h, &x) || h.kind != kind)
        return false;
    x = h.bytes ? x : *c->p & 31u;
    if (x > (size_t)(c->end - c->p) - 1 - h.bytes)
        return false;
    c->p += 1 + h.bytes;
    *s = (const char *)c->p;
    *n = (uint32_t)x;
    c->p += x;
    return true;
}

bool bin_cursor_str(cursor *c, const char **s, uint32_t *n)
{
    return take_bytes(c, IS_STR, s, n);
}

bool bin_cursor_bin(cursor *c, const char **s, uint32_t *n)
{
    return take_bytes(c, IS_BIN, s, n);
}

/* What stands at the cursor, in words. */
static const char *found(const cursor *c)
{
    static const char *const words[] = {[IS_POSITIVE] = "a number",
                                        [IS_NEGATIVE] = "a negative number",
                                        [IS_UNSIGNED] = "a large number",
                                        [IS_SIGNED] = "a signed number",
                                        [IS_FLOAT] = "a float",
                                        [IS_ARRAY] = "an array",
                                        [IS_STR] = "a text",
                                        [IS_BIN] = "a block of bytes",
                                        [IS_MAP] = "a map",
                                        [IS_BOOL] = "a boolean",
                                        [IS_OTHER] = "a value that is never used"};
    return c->p < c->end ? words[head_of(*c->p).kind] : "the end";
}

/* Whether the value at the cursor is not all there. */
static bool is_cut(const cursor *c)
{
    head h;
    uint64_t x;
    if (!look(c, &h, &x))
        return true;
    size_t left = (size_t)(c->end - c->p) - 1 - h.bytes;
    if (h.kind == IS_ARRAY || h.kind == IS_MAP)
        return (h.bytes ? x : *c->p & 15u) > (h.kind == IS_MAP ? left / 2 : left);
    return (h.kind == IS_STR || h.kind == IS_BIN) && (h.bytes ? x : *c->p & 31u) > left;
}

bool bin_cursor_expected(const cursor *c, const char *what, char *out, size_t size)
{
    if (!is_cut(c))
        snprintf(out, size, "expected %s, found %s", what, found(c));
    else if (c->p < c->end)
        snprintf(out, size, "%s is cut off, or claims more than there is", what);
    else
        snprintf(out, size, "%s is missing at the end", what);
    return is_cut(c);
}
