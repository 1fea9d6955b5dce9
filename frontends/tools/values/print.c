/* Results as literals: see print.h.  Text is gathered in a buffer of its own: an element costs no
 * call of the C library. */
#include "frontends/tools/values/print.h"

#include "frontends/tools/values/decimal.h"
#include "frontends/tools/values/scalar.h"

#include <string.h>

enum { BUFFER_BYTES = 1 << 16 };

/* How many elements of an elided axis are shown at either end. */
enum { EDGE = 3 };

typedef struct printer {
    FILE *to;
    bool all, elided; /* elided: of the array that is being printed not everything is shown */
    const fcl_array *leaves;
    size_t len;
    char buffer[BUFFER_BYTES + DECIMAL_ROOM];
} printer;

/* Empties the buffer; errors stay in the stream. */
static void flush(printer *p)
{
    fwrite(p->buffer, 1, p->len, p->to);
    p->len = 0;
}

/* n <= DECIMAL_ROOM: the room that the buffer has beyond where it is emptied. */
static void put(printer *p, const char *s, size_t n)
{
    memcpy(p->buffer + p->len, s, n);
    p->len += n;
    if (p->len >= BUFFER_BYTES)
        flush(p);
}

/* An integer of that width in memory, whatever its alignment. */
static int64_t signed_at(const char *at, unsigned bytes)
{
    int64_t x64;
    int32_t x32;
    int16_t x16;
    switch (bytes) {
    case 1: return *(const signed char *)at;
    case 2: memcpy(&x16, at, 2); return x16;
    case 4: memcpy(&x32, at, 4); return x32;
    default: memcpy(&x64, at, 8); return x64;
    }
}

/* The same bits without a sign. */
static uint64_t unsigned_at(const char *at, unsigned bytes)
{
    uint64_t mask = UINT64_MAX >> (64 - 8 * bytes);
    return (uint64_t)signed_at(at, bytes) & mask;
}

/* Element i of a leaf. */
static void put_scalar(printer *p, const fcl_array *a, uint64_t i)
{
    const scalar_info *s = fcl_scalar_get(a->type);
    const char *at = (const char *)a->data + i * s->bytes;
    char text[DECIMAL_ROOM];
    switch (s->kind) {
    case 'b': put(p, *at ? "true" : "false", *at ? 4 : 5); break;
    case 'i': put(p, text, decimal_signed(signed_at(at, s->bytes), text)); break;
    case 'u': put(p, text, decimal_unsigned(unsigned_at(at, s->bytes), text)); break;
    default: put(p, text, decimal_float(fcl_float_read(a->type, at), a->type, text)); break;
    }
}

/* Element i of the leaves under the shape, or their values when they are scalars. */
static void put_element(printer *p, const shape *s, uint64_t i);

/* Elements of the leaf below one index of an axis. */
static uint64_t elements_below(const fcl_array *a, unsigned axis)
{
    uint64_t n = 1;
    for (unsigned k = axis + 1; k < a->rank; k++)
        n *= a->dims[k];
    return n;
}

/* The elements of an axis, from element *i of the leaves on, which is moved behind them. */
static void put_axis(printer *p, const shape *elem, unsigned axis, uint64_t *i)
{
    const fcl_array *a = &p->leaves[elem->leaf];
    uint64_t n = a->dims[axis], hidden = p->elided && n > 2 * EDGE ? n - 2 * EDGE : 0;
    put(p, "[", 1);
    for (uint64_t k = 0; k < n; k++) {
        if (k)
            put(p, ", ", 2);
        if (hidden && k == EDGE) {
            put(p, "..., ", 5);
            k += hidden;
            *i += hidden * elements_below(a, axis);
        }
        if (axis + 1 < a->rank)
            put_axis(p, elem, axis + 1, i);
        else
            put_element(p, elem, (*i)++);
    }
    put(p, "]", 1);
}

/* Whether an array has more elements than are printed. */
static bool is_long(const printer *p, const fcl_array *a)
{
    return !p->all && a->rank && a->dims[0] && elements_below(a, 0) > PRINT_MOST / a->dims[0];
}

/* (1000 elements), (20 x 30 elements) */
static void put_extents(printer *p, const fcl_array *a)
{
    char text[DECIMAL_ROOM];
    for (unsigned k = 0; k < a->rank; k++) {
        put(p, k ? " x " : " (", k ? 3 : 2);
        put(p, text, decimal_unsigned(a->dims[k], text));
    }
    put(p, " elements)", 10);
}

static void put_array(printer *p, const shape *elem)
{
    const fcl_array *a = &p->leaves[elem->leaf];
    uint64_t first = 0;
    p->elided = is_long(p, a);
    put_axis(p, elem, 0, &first);
    if (p->elided)
        put_extents(p, a);
}

static void put_element(printer *p, const shape *s, uint64_t i)
{
    switch (s->kind) {
    case SHAPE_SCALAR: put_scalar(p, &p->leaves[s->leaf], i); break;
    case SHAPE_ARRAY: put_array(p, &s->items[0]); break;
    case SHAPE_TUPLE:
        for (size_t k = 0; k < s->nitems; k++) {
            put(p, k ? ", " : "(", k ? 2 : 1);
            put_element(p, &s->items[k], i);
        }
        put(p, ")", 1);
        break;
    }
}

void print_results(FILE *to, const interface *out, const fcl_array *leaves, bool all)
{
    printer p;
    p.to = to;
    p.all = all;
    p.elided = false;
    p.leaves = leaves;
    p.len = 0;
    for (size_t i = 0; i < out->n; i++) {
        put_element(&p, &out->shapes[i], 0);
        put(&p, "\n", 1);
    }
    flush(&p);
}

void print_arrays(FILE *to, const fcl_array *arrays, size_t n, bool all)
{
    for (size_t i = 0; i < n; i++) {
        fcl_leaf leaf = {.type = arrays[i].type, .rank = arrays[i].rank};
        shape one = {.kind = SHAPE_SCALAR, .type = leaf.type, .nleaves = 1}, array = one;
        array.kind = SHAPE_ARRAY;
        array.rank = leaf.rank;
        array.nitems = 1;
        array.items = &one;
        interface of = {.n = 1, .nleaves = 1, .shapes = leaf.rank ? &array : &one, .leaves = &leaf};
        print_results(to, &of, &arrays[i], all);
    }
}
