/* Values while building: their types, what is known of them, and how one becomes another. */
#include "frontends/tail/build/build.h"

#include <string.h>

/* ---- making ---- */

tail_type tb_type_of(tail_base base, unsigned rank)
{
    return (tail_type){.base = base, .rank = rank, .length = LENGTH_UNKNOWN};
}

tail_value tb_scalar(tail_base base, fcl_value v)
{
    return (tail_value){.type = tb_type_of(base, 0), .v = v};
}

tail_value tb_array(builder *b, tail_base base, unsigned rank, fcl_value v)
{
    return (tail_value){.type = tb_type_of(base, rank), .v = v, .shape = ++b->shapes};
}

tail_value tb_vector(builder *b, tail_base base, int64_t length, fcl_value v)
{
    tail_value x = tb_array(b, base, 1, v);
    x.type.length = length >= 0 && length <= INT32_MAX ? (int32_t)length : LENGTH_UNKNOWN;
    return x;
}

tail_value tb_nothing(void)
{
    return (tail_value){.type = {.length = LENGTH_UNKNOWN}};
}

/* ---- what is known ---- */

bool tb_known(const tail_value *v, size_t i, int32_t *out)
{
    const tail_type *t = &v->type;
    size_t n = t->rank ? (t->length < 0 ? 0 : (size_t)t->length) : 1;
    if (!t->values || i >= n)
        return false;
    *out = t->values[i];
    return true;
}

void tb_know(builder *b, tail_value *v, size_t n, const int32_t *values)
{
    int32_t *copy = tail_alloc(b->p, n ? n : 1, sizeof *copy);
    if (copy && n)
        memcpy(copy, values, n * sizeof *copy);
    v->type.values = copy;
}

fcl_value tb_extent(builder *b, const tail_value *v, unsigned axis)
{
    if (v->type.rank == 1 && v->type.length >= 0)
        return tb_int_of(b, v->type.length);
    return tb_op2(b, "dim", v->v, tb_int_of(b, axis));
}

void tb_extents(builder *b, const tail_value *v, fcl_value *out)
{
    for (unsigned k = 0; k < v->type.rank; k++)
        out[k] = tb_extent(b, v, k);
}

fcl_value tb_count(builder *b, const tail_value *v)
{
    if (v->type.rank == 0)
        return tb_int_of(b, 1);
    return v->type.rank == 1 ? tb_extent(b, v, 0) : tb_op1(b, "length", v->v);
}

fcl_value tb_element(builder *b, const tail_value *v, const fcl_value *i)
{
    fcl_value args[1 + FCL_MAX_RANK] = {v->v};
    if (v->type.rank == 0)
        return v->v;
    memcpy(args + 1, i, v->type.rank * sizeof *i);
    return tb_op(b, "index", args, 1 + v->type.rank);
}

/* ---- conversions ---- */

/* What is of any base has no element, or is what is left where there is none. */
static tail_value with_base(builder *b, const tail_value *v, tail_base base)
{
    tail_value out = *v;
    out.type.base = base;
    if (base == BASE_INT || base == BASE_ANY || v->type.base != BASE_ANY)
        return out;
    if (v->type.rank == 0) {
        out.v = tb_fill_of(b, base);
        return out;
    }
    fcl_value dims[FCL_MAX_RANK];
    tb_extents(b, v, dims);
    loop l = tb_generate_begin(b, dims, v->type.rank);
    out.v = tb_generate_end(b, &l, tb_fill_of(b, base));
    return out;
}

static bool same_base(tail_base have, tail_base want)
{
    return have == want || (have == BASE_ANY && want < BASE_TUPLE) ||
           (want == BASE_ANY && have < BASE_TUPLE);
}

tail_value tb_as_base(builder *b, const tail_value *v, tail_base base, const char *what)
{
    char have[64], want[64];
    tail_type t = tb_type_of(base, v->type.rank);
    if (same_base(v->type.base, base))
        return with_base(b, v, base == BASE_ANY ? v->type.base : base);
    tb_wrong_type(b, "%s is %s, where %s is wanted", what,
                  tail_type_text(&v->type, have, sizeof have),
                  tail_type_text(&t, want, sizeof want));
    return *v;
}

static tail_value as_tuple(builder *b, const tail_value *v, const tail_type *t, const char *what)
{
    tail_value out = *v;
    if (v->type.base != BASE_TUPLE || v->type.nitems != t->nitems) {
        tb_wrong_type(b, "%s is no tuple of %zu", what, t->nitems);
        return out;
    }
    out.items = tail_alloc(b->p, t->nitems, sizeof *out.items);
    for (size_t i = 0; out.items && i < t->nitems; i++)
        out.items[i] = tb_as_type(b, &v->items[i], &t->items[i], what);
    return out.items ? out : *v;
}

/* What the program says is taken over where it says more than was found. */
static void learn(tail_value *v, const tail_type *t)
{
    if (v->type.rank == 1 && v->type.length < 0)
        v->type.length = t->length;
    bool number = v->type.base == BASE_INT || v->type.base == BASE_BOOL;
    if (!v->type.values && number && t->values && (t->rank == 0 || v->type.length == t->length))
        v->type.values = t->values;
}

tail_value tb_as_type(builder *b, const tail_value *v, const tail_type *t, const char *what)
{
    char have[64], want[64];
    if (t->base == BASE_TUPLE)
        return as_tuple(b, v, t, what);
    bool lengths = v->type.length < 0 || t->length < 0 || v->type.length == t->length;
    if (!same_base(v->type.base, t->base) || v->type.rank != t->rank || !lengths) {
        tb_wrong_type(b, "%s is %s, where %s is wanted", what,
                      tail_type_text(&v->type, have, sizeof have),
                      tail_type_text(t, want, sizeof want));
        return *v;
    }
    tail_value out = with_base(b, v, t->base == BASE_ANY ? v->type.base : t->base);
    learn(&out, t);
    return out;
}

static const char *ordinal(size_t i)
{
    static const char *const names[] = {"the first operand", "the second operand",
                                        "the third operand"};
    return names[i < 3 ? i : 2];
}

tail_value tb_operand_of_base(const application *a, size_t i, tail_base base)
{
    return tb_as_base(a->b, &a->args[i], base, ordinal(i));
}

tail_value tb_operand(const application *a, size_t i, tail_base base, unsigned rank)
{
    tail_type t = tb_type_of(base, rank);
    return tb_as_type(a->b, &a->args[i], &t, ordinal(i));
}

/* ---- tuples of the core ---- */

fcl_value tb_packed(builder *b, const tail_value *v)
{
    if (v->type.base != BASE_TUPLE)
        return v->v;
    size_t n = v->type.nitems;
    fcl_value *items = tail_alloc(b->p, n, sizeof *items);
    for (size_t i = 0; items && i < n; i++)
        items[i] = tb_packed(b, &v->items[i]);
    return items ? tb_op(b, "tuple", items, n) : 0;
}

tail_value tb_unpacked(builder *b, const tail_type *t, fcl_value v)
{
    tail_value out = {.type = *t, .v = v, .shape = ++b->shapes};
    if (t->base != BASE_TUPLE)
        return out;
    out.items = tail_alloc(b->p, t->nitems, sizeof *out.items);
    for (size_t i = 0; out.items && i < t->nitems; i++)
        out.items[i] = tb_unpacked(b, &t->items[i], tb_part(b, v, i));
    return out;
}
