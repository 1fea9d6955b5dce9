/* What a loop of the host gave, by the array of loops: its components, where somebody asks for
 * them. */
#include "ir/passes/schedule/carry/carry.h"

/* Of the elements of a thread the one that short axes name. */
static ir_value chosen(carrying *c, place in, const component *p, ir_value v, const ir_value *ix,
                       uint32_t at)
{
    ir_module *m = c->s->m;
    ir_value result = 0, flat = 0;
    for (uint32_t i = 0; i < p->rank && !c->s->failed; i++) {
        if (p->axis[i] != AXIS_SHORT)
            continue;
        ir_value n = sched_int(c->s, (int64_t)c->products.at[p->extent[i]].number);
        flat = flat ? sched_make2(c->s, in, (opcode)SOP_ADD,
                                  sched_make2(c->s, in, (opcode)SOP_MUL, flat, n), ix[i])
                    : ix[i];
    }
    for (uint32_t k = 0; k < p->count && !c->s->failed; k++) {
        ir_value args[] = {v, sched_int(c->s, at + k)},
                 x = sched_make(c->s, in, OP_PROJ, args, 2, p->elem);
        ir_value eq[] = {flat, sched_int(c->s, k)};
        ir_value is =
            result ? sched_make(c->s, in, (opcode)SOP_EQ, eq, 2, type_scalar(m, ST_BOOL)) : 0;
        result = result ? sched_select(c->s, in, is, x, result) : x;
    }
    return c->s->failed ? 0 : result;
}

/* Component p, whose elements begin at number `at` of those in `all`. */
static ir_value component_of(carrying *c, ir_value all, const component *p, uint32_t at)
{
    place in;
    ir_value dims[MAX_RANK], ix[MAX_RANK], own[MAX_RANK];
    if (carry_elements_of_arrays(c) == 1)
        return all;
    for (uint32_t i = 0; i < p->rank; i++)
        dims[i] = p->axis[i] == AXIS_SHORT
                      ? sched_int(c->s, (int64_t)c->products.at[p->extent[i]].number)
                      : c->dims[p->axis[i]];
    ir_value xs = sched_generate(c->s, carry_host(c), dims, p->rank, p->elem, &in, ix);
    for (uint32_t i = 0; i < p->rank; i++)
        if (p->axis[i] != AXIS_SHORT)
            own[p->axis[i]] = ix[i];
    ir_value v = c->s->failed ? 0 : sched_index(c->s, in, all, own, c->rank);
    v = v ? chosen(c, in, p, v, ix, at) : 0;
    if (v)
        sched_yield(c->s, in, v);
    return v ? xs : 0;
}

bool carry_is_used(const carrying *c, uint32_t k)
{
    ir_module *m = c->s->m;
    for (uint32_t u = ir_first_use(&c->s->e, ir_op_at(m, c->loop)->result); u;
         u = ir_next_use(&c->s->e, u)) {
        const op_node n = *ir_op_at(m, ir_user(&c->s->e, u));
        if (n.opcode != OP_PROJ ||
            (ir_const_bits(m, m->pool.at[n.args + 1]) == k && ir_first_use(&c->s->e, n.result)))
            return true;
    }
    return false;
}

/* Components that somebody asks for by themselves are asked for by that; the others are a tuple
 * again. */
void carry_replace(carrying *c, const ir_value *results)
{
    scheduler *s = c->s;
    ir_module *m = s->m;
    ir_value old = ir_op_at(m, c->loop)->result;
    for (uint32_t u = ir_first_use(&s->e, old), next; u; u = next) {
        ir_op o = ir_user(&s->e, u);
        next = ir_next_use(&s->e, u);
        if (ir_op_at(m, o)->opcode != OP_PROJ)
            continue;
        if (ir_first_use(&s->e, ir_op_at(m, o)->result))
            ir_replace_uses(&s->e, ir_op_at(m, o)->result,
                            results[ir_const_bits(m, ir_arg(m, o, 1))]);
        ir_erase_op(&s->e, o);
    }
    ir_value v = 0;
    ir_op z = made_by(m, carry_begin_of(c));
    if (ir_first_use(&s->e, old))
        v = carry_tupled(c, carry_host(c), results, c->ncomponents);
    if (v)
        ir_replace_uses(&s->e, old, v);
    s->failed = s->failed || s->e.failed || !ir_erase_op(&s->e, c->loop);
    if (c->is_tuple && ir_op_at(m, z)->opcode == OP_TUPLE)
        ir_erase_op(&s->e, z); /* which others may use */
}

/* Components that are numbers; a short array has several elements in a thread. */
static uint32_t count_numbers(const carrying *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->ncomponents; i++)
        n += c->parts[i].rank == 0;
    return n;
}

/* The values of the components, by the array and the numbers at the end. */
bool carry_results(carrying *c, ir_value all, ir_value ends, ir_value *results)
{
    uint32_t array = 0, number = 0;
    bool several = count_numbers(c) > 1;
    for (uint32_t i = 0; i < c->ncomponents && !c->s->failed; i++) {
        const component *p = &c->parts[i];
        ir_value args[] = {ends, sched_int(c->s, number)};
        results[i] = 0;
        if (carry_is_used(c, i))
            results[i] = p->rank   ? component_of(c, all, p, array)
                         : several ? sched_make(c->s, carry_host(c), OP_PROJ, args, 2, p->elem)
                                   : ends;
        array += p->rank ? p->count : 0;
        number += !p->rank;
    }
    return !c->s->failed;
}
