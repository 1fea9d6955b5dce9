/* sort: a stable merge sort, bottom up, of keys with the numbers of their elements.
 *
 * Keys of all types become unsigned integers of the same order, so there is one comparison.  Floats
 * are ordered by their bits, the sign first: a total order, in which -0.0 is less than 0.0 and NaNs
 * are at the ends.  n log n steps for n elements. */
#include "ir/eval/value.h"
#include "ir/scalar/scalar.h"

#include <string.h>

typedef struct keyed {
    uint64_t key, number;
} keyed;

/* The sign becomes the highest bit of what is positive; what is negative is turned around. */
uint64_t eval_sort_key(scalar t, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (8 * ir_scalar_bytes(t) - 1);
    switch (ir_scalar_class(t)) {
    case 'I': return bits ^ UINT64_C(1) << 63;
    case 'F': return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
    default: return bits;
    }
}

/* Merges two runs that lie side by side, [first, middle) and [middle, end), into `to`. */
static void merge(const keyed *from, keyed *to, uint64_t first, uint64_t middle, uint64_t end)
{
    uint64_t a = first, b = middle;
    for (uint64_t k = first; k < end; k++)
        if (a < middle && (b >= end || from[a].key <= from[b].key))
            to[k] = from[a++];
        else
            to[k] = from[b++];
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Sorts n of them, with as much room; returns where they are. */
static const keyed *sorted(keyed *all, keyed *room, uint64_t n)
{
    for (uint64_t run = 1; run < n; run *= 2) {
        for (uint64_t at = 0; at < n; at += 2 * run)
            merge(all, room, at, least(at + run, n), least(at + 2 * run, n));
        keyed *made = room;
        room = all;
        all = made;
    }
    return all;
}

/* Reads the elements, in memory already, and asks for their keys. */
static bool make_keys(machine *M, const inst *i, const eval_frame *f, const stored *xs, keyed *all)
{
    bool ok = true;
    for (uint64_t n = 0; ok && n < xs->p.count; n++) {
        value x, key;
        mark k = stack_mark(M);
        ok = eval_buffer_get(M, xs->p.data, n, &x) &&
             eval_region_value(M, i->regions, f, &x, 1, &key);
        all[n] = (keyed){ok ? eval_sort_key((scalar)key.type, key.bits) : 0, n};
        stack_release(M, k);
    }
    return ok;
}

static bool write_in_order(machine *M, const stored *xs, const keyed *order, stored *to)
{
    bool ok = eval_buffer_reserve(M, to->p.data, xs->p.count);
    for (uint64_t n = 0; ok && n < xs->p.count; n++) {
        value x;
        mark k = stack_mark(M);
        ok = eval_buffer_get(M, xs->p.data, order[n].number, &x) &&
             eval_buffer_put(M, to->p.data, n, &x);
        stack_release(M, k);
    }
    return ok;
}

static bool sort_into(machine *M, const inst *i, const eval_frame *f, const stored *xs, stored *to)
{
    uint64_t n = xs->p.count;
    size_t bytes = (size_t)n * 2 * sizeof(keyed) + 1;
    keyed *all = n <= SIZE_MAX / 4 / sizeof(keyed) ? mem_resize(M->mm, NULL, 0, bytes) : NULL;
    uint32_t here = M->here;
    M->here = LEVEL_THREAD;
    bool ok =
        all && make_keys(M, i, f, xs, all) && write_in_order(M, xs, sorted(all, all + n, n), to);
    M->here = here;
    mem_free(M->mm, all, bytes);
    to->p.rank = 1;
    to->p.count = to->dims[0] = n;
    return ok;
}

/* The elements are written first, each computed once. */
bool eval_SORT(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    stored *to = eval_stored_new(M);
    mark k = stack_mark(M);
    stored *xs = to ? eval_stored_new(M) : NULL;
    bool ok = xs && eval_stored_write(M, i->op, operand_value(c, f, i->a), xs) &&
              sort_into(M, i, f, xs, to);
    stack_release(M, k);
    *out = (value){.tag = VAL_PULL, .pull = to ? &to->p : NULL};
    return ok;
}
