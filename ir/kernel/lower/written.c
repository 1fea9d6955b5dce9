/* How many elements the parts of an interleave have together.
 *
 * Where all have as many, that is a product.  Where parts are cut at the end of an axis, part i has
 * min(c, n - i * c) elements along it, all of them together min(t * c, n) for t parts: a sum that
 * telescopes.  Arrays that are known one by one are added up.  Otherwise nobody knows before. */
#include "ir/kernel/lower/value.h"

static bool is_scalar(const k_node *n, opcode op)
{
    return n->op == K_SCALAR && n->opcode == op;
}

/* i * step, for a variable of the trial; which one, or n. */
static uint32_t multiple_of(const k_program *p, k_id v, const k_id *vars, uint32_t n, k_id *step)
{
    const k_node *x = k_at(p, v);
    for (uint32_t i = 0; i < n; i++)
        for (int side = 0; side < 2 && is_scalar(x, SOP_MUL); side++)
            if (x->args[side] == vars[i]) {
                *step = x->args[1 - side];
                return i;
            }
    return n;
}

/* min(c, n - i * step), where c, n and the step do not depend on the part. */
static bool is_cut(const k_program *p, const k_node *least, int side, const k_id *vars, uint32_t n,
                   uint16_t outer, part_axis *out)
{
    const k_node *left = k_at(p, least->args[1 - side]);
    out->most = least->args[side];
    if (!is_scalar(left, SOP_SUB) || k_at(p, out->most)->depth > outer)
        return false;
    out->whole = left->args[0];
    out->by = multiple_of(p, left->args[1], vars, n, &out->step);
    return out->by < n && k_at(p, out->whole)->depth <= outer && k_at(p, out->step)->depth <= outer;
}

/* The step of parts of c elements is c, or max(c, 1). */
static bool steps_by(const k_program *p, const part_axis *a)
{
    const k_node *s = k_at(p, a->step);
    int64_t one;
    return a->step == a->most || (is_scalar(s, SOP_MAX) && s->args[0] == a->most &&
                                  k_is_const(p, s->args[1], &one) && one == 1);
}

/* A length that is none below 0, or so many times one. */
static const k_node *strip(const k_program *p, const k_node *x, uint16_t outer, part_axis *out)
{
    int64_t c;
    if (is_scalar(x, SOP_MAX) && k_is_const(p, x->args[1], &c) && c == 0)
        x = k_at(p, x->args[0]);
    for (int side = 0; side < 2 && !out->times && is_scalar(x, SOP_MUL); side++)
        if (k_at(p, x->args[side])->depth <= outer && k_lo(p, x->args[side]) >= 0 &&
            k_lo(p, x->args[1 - side]) >= 0 && x->exact == PROVED) {
            out->times = x->args[side];
            return k_at(p, x->args[1 - side]);
        }
    return x;
}

bool lower_part_axis(const lowering *L, k_id length, const k_id *vars, uint32_t n, uint16_t outer,
                     part_axis *out)
{
    const k_program *p = L->b.p;
    const k_node *x = k_at(p, length);
    *out = (part_axis){.most = length};
    if (x->depth <= outer)
        return true;
    x = strip(p, strip(p, x, outer, out), outer, out);
    for (int side = 0; side < 2 && is_scalar(x, SOP_MIN); side++)
        if (is_cut(p, x, side, vars, n, outer, out) && steps_by(p, out))
            return true;
    return false;
}

/* The elements of all parts along a cut axis; some: where there is one, so that c is positive. */
static k_id cut_elements(lowering *L, const part_axis *a, k_id parts, uint32_t depth, k_id *some)
{
    k_builder *b = &L->b;
    k_id zero = kb_const(b, ST_I64, 0), n = kb_convert(b, ST_I64, a->whole);
    if (!ka_proves_covered(b, depth, a->whole, parts, a->step))
        n = kb_min(b, n, kb_mul(b, kb_convert(b, ST_I64, parts), kb_convert(b, ST_I64, a->step)));
    *some = n;
    n = kb_max(b, n, zero);
    n = a->step == a->most ? n : kb_select(b, kb_lt(b, kb_int(b, 0), a->most), n, zero);
    if (!a->times)
        return n;
    *some = kb_mul(b, *some, kb_convert(b, ST_I64, a->times));
    return lower_product(L, n, kb_convert(b, ST_I64, a->times));
}

static k_id axis_elements(lowering *L, const sv *src, const part_axis *a, uint32_t depth,
                          k_id *some)
{
    k_builder *b = &L->b;
    if (a->step)
        return cut_elements(L, a, src->shape[a->by], depth, some);
    *some = kb_convert(b, ST_I64, a->most);
    return kb_max(b, *some, kb_const(b, ST_I64, 0));
}

k_id lower_parts_elements(lowering *L, const sv *src, const part_axis *axes, uint32_t n,
                          uint32_t depth, k_id *some)
{
    k_builder *b = &L->b;
    bool cut[MAX_RANK] = {false};
    k_id all = kb_const(b, ST_I64, 1), one;
    *some = all;
    for (uint32_t i = 0; i < n; i++) {
        if (axes[i].step && cut[axes[i].by])
            return 0;
        all = lower_product(L, all, axis_elements(L, src, &axes[i], depth, &one));
        *some = kb_mul(b, *some, one);
        if (axes[i].step)
            cut[axes[i].by] = true;
    }
    for (uint32_t i = 0; i < src->rank; i++)
        if (!cut[i]) {
            all = lower_product(L, all, kb_convert(b, ST_I64, src->shape[i]));
            *some = kb_mul(b, *some, kb_convert(b, ST_I64, src->shape[i]));
        }
    return all;
}

k_id lower_literal_elements(lowering *L, const sv *src)
{
    k_id all = kb_const(&L->b, ST_I64, 0);
    uint32_t n = src->form == PULL_ITEMS ? src->n : 0;
    for (uint32_t k = 0; k < n; k++) {
        const sv *part = src->items[k];
        if (part->kind != SV_PUSH || !part->shape)
            return 0;
        k_id of = kb_convert(&L->b, ST_I64, part->shape[0]);
        for (uint32_t i = 1; i < part->rank; i++)
            of = lower_product(L, of, kb_convert(&L->b, ST_I64, part->shape[i]));
        all = kb_add(&L->b, all, of);
    }
    return n ? all : 0;
}
