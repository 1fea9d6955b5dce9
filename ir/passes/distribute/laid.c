/* Arrays that elements have, one behind the other: all of one length, or each of its own, which data says.
 *
 *   ends = scan 0, generate n { (i) the length of element i } { add }
 *   all = generate total { (p) r = the first i with p < ends[i]; xs[p - (r's start)] of element r }
 *   generate n { (i) ... xs = generate length { (j) all[i's start + j] } ... }
 *
 * Where they are of one length, element p / length has place p. */
#include "ir/passes/distribute/distribute.h"

static ir_type int_type(const scheduler *s)
{
    return type_scalar(s->m, ST_I32);
}

/* ---- lengths of their own ---- */

static ir_value lengths_of(scheduler *s, const sched_element *x, ir_value xs, ir_op o)
{
    sched_shape one = {.rank = 0};
    ir_value l = sched_dim(s, sched_before(s, o), xs, 0), least = sched_int(s, 0);
    ir_value v = s->failed ? 0 : sched_make2(s, sched_before(s, o), (opcode)SOP_MAX, l, least);
    ir_value all = v ? sched_all_of(s, x, v, SCHED_WHOLE, &one) : 0;
    if (v)
        s->failed = !ir_erase_op(&s->e, made_by(s->m, v)) || !ir_erase_op(&s->e, made_by(s->m, l)) || s->failed;
    return all;
}

ir_value sched_laid_first(scheduler *s, place at, const sched_laid *l, ir_value row)
{
    ir_value args[] = {l->ends, row};
    return sched_plain_call(s, at, "laid.start", args, 2, int_type(s));
}

static bool lay_ragged(scheduler *s, const sched_element *x, ir_op o, ir_value xs, sched_laid *l)
{
    ir_value p;
    place at = sched_before(s, x->make), in;
    ir_value lengths = lengths_of(s, x, xs, o);
    l->ends = lengths ? sched_fold(s, at, OP_SCAN, sched_int(s, 0), lengths, (opcode)SOP_ADD) : 0;
    l->total = l->ends ? sched_laid_first(s, at, l, x->dims[0]) : 0; /* where one behind the last would begin */
    l->rows = l->total ? sched_generate(s, at, &l->total, 1, int_type(s), &in, &p) : 0;
    if (!l->rows || s->failed)
        return false;
    ir_value args[] = {l->ends, sched_make2(s, in, (opcode)SOP_ADD, p, sched_int(s, 1))};
    sched_yield(s, in, sched_plain_call(s, in, "laid.before", args, 2, int_type(s)));
    sched_say(s, made_by(s->m, l->ends), PROPERTY_WRITE, 1);
    sched_say(s, made_by(s->m, l->rows), PROPERTY_WRITE, 1);
    return !s->failed;
}

/* ---- all of them ---- */

bool sched_lay(scheduler *s, const sched_element *x, ir_op o, ir_value xs, sched_laid *l)
{
    sched_shape h;
    const type_node t = *ir_type_at(s->m, type_of(s, xs));
    place at = sched_before(s, x->make);
    *l = (sched_laid){0};
    if (t.kind != TY_PULL || t.n != 1 || !sched_is_base(s->m, t.a))
        return false;
    if (!sched_shape_of(s, x, xs, &h))
        return !s->failed && x->ragged && x->rank == 1 && lay_ragged(s, x, o, xs, l);
    l->length = h.extents[0];
    l->total = sched_make2(s, at, (opcode)SOP_MUL, sched_product(s, at, x->dims, x->rank), l->length);
    return !s->failed;
}

ir_value sched_laid_row(scheduler *s, place at, const sched_laid *l, ir_value p)
{
    return l->length ? sched_make2(s, at, (opcode)SOP_DIV, p, l->length) : sched_index(s, at, l->rows, &p, 1);
}

/* The arrays of all elements as such; 0: work that is not lifted would be done for each of their elements. */
static ir_value arrays_of(scheduler *s, const sched_element *x, ir_value xs)
{
    place in;
    ir_value v = sched_array_over(s, x, xs, &in);
    if (!v || !sched_has_work(s, in.region, 0))
        return v;
    s->failed = !ir_erase_op(&s->e, made_by(s->m, v)) || s->failed;
    return 0;
}

static ir_value ragged_of(scheduler *s, const sched_element *x, ir_value xs, const sched_laid *l)
{
    ir_value p, arrays = arrays_of(s, x, xs);
    place at = sched_before(s, x->make), in;
    ir_value v = arrays ? sched_generate(s, at, &l->total, 1, elem_of(s, xs), &in, &p) : 0;
    if (!v)
        return 0;
    ir_value row = sched_laid_row(s, in, l, p), first = row ? sched_laid_first(s, in, l, row) : 0;
    ir_value j = first ? sched_make2(s, in, (opcode)SOP_SUB, p, first) : 0;
    ir_value own = j && !s->failed ? sched_index(s, in, arrays, &row, 1) : 0;
    if (own)
        sched_yield(s, in, sched_index(s, in, own, &j, 1));
    return s->failed ? 0 : v;
}

ir_value sched_laid_of(scheduler *s, const sched_element *x, ir_value xs, const sched_laid *l)
{
    sched_shape h = {.rank = 1, .extents = {l->length}};
    if (!l->length)
        return ragged_of(s, x, xs, l);
    ir_value all = sched_all_of(s, x, xs, SCHED_WHOLE, &h);
    return all ? sched_flat(s, sched_before(s, x->make), all) : 0;
}

ir_value sched_laid_start(scheduler *s, place at, const sched_element *x, const sched_laid *l)
{
    if (!l->length)
        return sched_laid_first(s, at, l, x->own[0]);
    return sched_make2(s, at, (opcode)SOP_MUL, sched_number_of(s, at, x->dims, x->own, x->rank), l->length);
}

ir_value sched_laid_own(scheduler *s, place at, ir_value all, int which, ir_value start, ir_value n)
{
    ir_type t = elem_of(s, all);
    ir_value j;
    place in;
    t = which == SCHED_WHOLE ? t : type_item(s->m, t, (uint32_t)which);
    ir_value v = s->failed ? 0 : sched_generate(s, at, &n, 1, t, &in, &j);
    ir_value p = v ? sched_make2(s, in, (opcode)SOP_ADD, start, j) : 0;
    ir_value y = p ? sched_index(s, in, all, &p, 1) : 0;
    if (y)
        sched_yield(s, in, which == SCHED_WHOLE ? y : sched_item(s, in, y, (uint32_t)which));
    return s->failed ? 0 : v;
}

ir_value sched_own_of_each(scheduler *s, ir_op o, ir_value xs)
{
    ir_module *m = s->m;
    ir_region of = ir_op_at(m, o)->regions;
    ir_type t = type_of(s, ir_arg(m, ir_region_at(m, of)->last, 0));
    ir_value j, n = sched_dim(s, sched_before(s, o), xs, 0);
    place in;
    ir_value v = n ? sched_generate(s, sched_before(s, o), &n, 1, t, &in, &j) : 0;
    ir_value e = v ? sched_index(s, in, xs, &j, 1) : 0;
    ir_value y = e ? ir_copy_body(&s->e, of, in.region, &e) : 0;
    s->failed = s->failed || !y;
    if (!s->failed)
        sched_yield(s, in, y);
    return s->failed ? 0 : v;
}
