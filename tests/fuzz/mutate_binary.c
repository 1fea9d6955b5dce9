/* Mutations of the binary form: of the values of MessagePack that it is made of, in whatever depth
 * of `bin` they stand, with lengths and the checksum brought back in order mostly, so that what is
 * behind them is reached.
 *
 * A value is found by walking from the start: the walk knows the encoding alone and nothing of what
 * is stored. */
#include "tests/fuzz/mutate.h"

#include <string.h>

/* ---- MessagePack ---- */

/* A value's first byte and what follows directly: a payload of bytes (strings, bin, numbers), not
 * its elements. */
typedef struct item {
    size_t start, payload, end; /* end: behind the payload */
    bool is_bin, is_integer, is_list;
} item;

static uint64_t big_endian(const uint8_t *p, size_t n)
{
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++)
        x = x << 8 | p[i];
    return x;
}

/* The width of the length field, and of what has none the length itself. */
static void shape_of(uint8_t c, size_t *field, size_t *fixed)
{
    static const uint8_t widths[32] = {/* c0 */ 0,         0, 0, 0,
                                       /* bin */ 1,        2, 4,
                                       /* ext */ 1,        2, 4,
                                       /* floats */ 4,     8,
                                       /* uint */ 1,       2, 4, 8,
                                       /* int */ 1,        2, 4, 8,
                                       /* fixext */ 2,     3, 5, 9, 17,
                                       /* str */ 1,        2, 4,
                                       /* array, map */ 2, 4, 2, 4};
    *field = *fixed = 0;
    if (c >= 0xa0 && c <= 0xbf)
        *fixed = c & 31;
    else if (c >= 0xc0 && c <= 0xdf && ((c >= 0xc4 && c <= 0xc9) || (c >= 0xd9)))
        *field = widths[c - 0xc0];
    else if (c >= 0xc0 && c <= 0xdf)
        *fixed = widths[c - 0xc0];
}

static item item_at(const edit *e, size_t at)
{
    uint8_t c = e->at[at];
    size_t field, length;
    shape_of(c, &field, &length);
    item i = {.start = at, .payload = at + 1 + field};
    if (i.payload > e->size)
        i.payload = e->size;
    i.is_bin = c >= 0xc4 && c <= 0xc6;
    i.is_list = (c >= 0x80 && c <= 0x9f) || (c >= 0xdc && c <= 0xdf);
    i.is_integer = c < 0x80 || c >= 0xe0 || (c >= 0xcc && c <= 0xd3);
    if (field && !i.is_list)
        length = (size_t)big_endian(e->at + at + 1, i.payload - at - 1);
    i.end = length > e->size - i.payload ? e->size : i.payload + length;
    return i;
}

/* ---- choosing ---- */

enum { MOST_BINS = 8 };

/* The item at or before a random position, and the bins around it, outermost first. */
typedef struct found {
    item it;
    size_t bins[MOST_BINS];
    size_t depth;
} found;

static found any_item(const edit *e, fuzz_random *r)
{
    found f = {.depth = 0};
    size_t target = fuzz_below(r, e->size), at = 0;
    while (at < e->size) {
        f.it = item_at(e, at);
        bool inside =
            f.it.is_bin && f.depth < MOST_BINS && target >= f.it.payload && target < f.it.end;
        if (inside)
            f.bins[f.depth++] = at;
        else if (f.it.end > target)
            break;
        at = inside ? f.it.payload : f.it.end;
    }
    return f;
}

/* ---- changing ---- */

static size_t encode_length(uint8_t *out, size_t n)
{
    out[0] = 0xc6;
    for (size_t i = 0; i < 4; i++)
        out[1 + i] = (uint8_t)(n >> (24 - 8 * i));
    return 5;
}

/* Puts bytes in place of a range, and makes the bins around it as long as they are then. */
static void replace_in(edit *e, const found *f, span old, const void *with, size_t n)
{
    size_t lengths[MOST_BINS];
    for (size_t k = 0; k < f->depth; k++) {
        item b = item_at(e, f->bins[k]);
        lengths[k] = b.end - b.payload - (old.end - old.start) + n;
    }
    if (!edit_replace(e, old, with, n))
        return;
    for (size_t k = f->depth; k-- > 0;) {
        uint8_t head[5];
        size_t grown = e->size;
        span field = {f->bins[k], item_at(e, f->bins[k]).payload};
        if (!edit_replace(e, field, head, encode_length(head, lengths[k])))
            return;
        grown = e->size - grown;
        for (size_t outer = 0; outer < k; outer++)
            lengths[outer] += grown;
    }
}

static size_t encode_integer(uint8_t *out, fuzz_random *r)
{
    static const uint8_t edges[] = {0, 1, 2, 3, 4, 5, 7, 8, 11, 12, 31, 64, 127};
    switch (fuzz_below(r, 6)) {
    case 0: out[0] = 0xcc, out[1] = (uint8_t)fuzz_next(r); return 2;
    case 1: out[0] = 0xcd, out[1] = (uint8_t)fuzz_next(r), out[2] = (uint8_t)fuzz_next(r); return 3;
    case 2: memset(out, 0xff, 9), out[0] = 0xcf; return 9;
    case 3: memset(out, 0xff, 5), out[0] = 0xce; return 5;
    case 4: out[0] = (uint8_t)(0xe0 + fuzz_below(r, 32)); return 1;
    default: out[0] = edges[fuzz_below(r, sizeof edges)]; return 1;
    }
}

/* A little more or a little less, when it is small. */
static void nudge(edit *e, const found *f, fuzz_random *r)
{
    uint8_t *c = &e->at[f->it.start];
    if (*c < 0x80)
        *c = (uint8_t)((*c + (fuzz_below(r, 2) ? 1 : 127)) & 127);
    else if (f->it.end > f->it.start + 1)
        e->at[f->it.end - 1] = (uint8_t)(e->at[f->it.end - 1] + (fuzz_below(r, 2) ? 1 : 255));
}

static void change_item(edit *e, const found *f, fuzz_random *r)
{
    uint8_t number[9];
    span all = {f->it.start, f->it.end};
    if (f->it.is_list)
        e->at[f->it.start] =
            (uint8_t)(fuzz_below(r, 4) ? e->at[f->it.start] ^ (1u << fuzz_below(r, 4)) : 0xdd);
    else if (!f->it.is_integer && f->it.end > f->it.payload)
        e->at[f->it.payload + fuzz_below(r, f->it.end - f->it.payload)] = (uint8_t)fuzz_next(r);
    else if (fuzz_below(r, 2))
        nudge(e, f, r);
    else
        replace_in(e, f, all, number, encode_integer(number, r));
}

/* Another item, or several in a row, in the place of this one, before it, or nothing. */
static void copy_item(edit *e, const found *f, fuzz_random *r)
{
    uint8_t piece[COPIED];
    item from = any_item(e, r).it;
    span to = {f->it.start, fuzz_below(r, 2) ? f->it.start : f->it.end};
    for (size_t k = fuzz_below(r, 6); k > 0 && from.end < e->size; k--)
        from.end = item_at(e, from.end).end;
    size_t n = from.end - from.start < sizeof piece ? from.end - from.start : sizeof piece;
    memcpy(piece, e->at + from.start, n);
    replace_in(e, f, to, piece, fuzz_below(r, 6) ? n : 0);
}

/* ---- the checksum ---- */

static uint32_t crc32(const uint8_t *p, size_t n)
{
    uint32_t c = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
    }
    return ~c;
}

/* The last five bytes are a number of 32 bits: the checksum of what is before them. */
static void fix_checksum(edit *e)
{
    if (e->size < 5)
        return;
    size_t n = e->size - 5;
    uint32_t c = crc32(e->at, n);
    e->at[n] = 0xce;
    for (size_t i = 0; i < 4; i++)
        e->at[n + 1 + i] = (uint8_t)(c >> (24 - 8 * i));
}

void mutate_binary(edit *e, fuzz_random *r)
{
    for (size_t n = 1 + fuzz_below(r, 4); n > 0 && e->size; n--) {
        found f = any_item(e, r);
        if (f.it.start >= e->size)
            continue;
        if (fuzz_below(r, 3))
            change_item(e, &f, r);
        else
            copy_item(e, &f, r);
    }
    if (fuzz_below(r, 16))
        fix_checksum(e);
}
