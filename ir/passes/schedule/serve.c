/* Copies of a nest's element in which others have read what it reads: they are parameters of a function
 * there, so that a skeleton says from where they come, such as tiles in local memory. */
#include "ir/passes/schedule/schedule.h"

/* In a copy of a region: what the reads give are those values. */
static void serve(scheduler *s, ir_region of, ir_region copy, const sched_served *by, const ir_value *values)
{
    ir_module *m = s->m;
    ir_op c = ir_region_at(m, copy)->first, next;
    for (ir_op o = ir_region_at(m, of)->first; o && c && !s->failed; o = ir_op_at(m, o)->next, c = next) {
        const op_node n = *ir_op_at(m, o);
        next = ir_op_at(m, c)->next;
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            serve(s, n.regions + i, ir_op_at(m, c)->regions + i, by, values);
        for (uint32_t i = 0; i < by->n; i++)
            if (by->reads[i] == o) {
                ir_replace_uses(&s->e, ir_op_at(m, c)->result, values[by->which[i]]);
                ir_erase_op(&s->e, c);
                break;
            }
    }
}

static ir_value parameter(scheduler *s, ir_region r, ir_type t)
{
    ir_value p = ir_add_param(s->m, r, t, 0, true);
    s->failed = s->failed || !p;
    if (p)
        ir_value_at(s->m, p)->annotated = 1;
    return p;
}

ir_value sched_copy_element(scheduler *s, ir_op nest, place at, const ir_type *more, uint32_t n,
                            ir_value *params)
{
    ir_module *m = s->m;
    uint32_t own = ir_region_at(m, ir_op_at(m, nest)->regions)->nparams;
    ir_value f = sched_make(s, at, OP_FN, NULL, 0, 0);
    if (s->failed)
        return 0;
    ir_region body = ir_op_at(m, ir_value_at(m, f)->def)->regions;
    for (uint32_t i = 0; i < own; i++)
        params[i] = parameter(s, body, type_scalar(m, ST_I32));
    for (uint32_t i = 0; i < n; i++)
        params[own + i] = parameter(s, body, more[i]);
    ir_value y = s->failed ? 0 : ir_copy_body(&s->e, ir_op_at(m, nest)->regions, body, params);
    if (y)
        sched_yield(s, (place){body, 0, at.loc}, y);
    return y && !s->failed ? f : 0;
}

/* What stands behind an operation of a region, and that operation, are gone. */
static void erase_from(scheduler *s, ir_region r, ir_op first)
{
    ir_op end = ir_region_at(s->m, r)->last;
    for (ir_op o = s->e.before.at[end], before = 0; before != first && o; o = s->e.before.at[end]) {
        before = o;
        s->failed = !ir_erase_op(&s->e, o) || s->failed;
    }
}

ir_value sched_numbers(scheduler *s, ir_op nest, place at, const sched_served *by, const ir_type *more,
                       uint32_t n, ir_value *combine)
{
    ir_module *m = s->m;
    ir_value params[MAX_RANK + SCHED_MOST_SERVED], f = sched_copy_element(s, nest, at, more, n, params);
    ir_region body = f ? ir_op_at(m, ir_value_at(m, f)->def)->regions : 0;
    ir_op reduce = f ? sched_reduction_in(s, body) : 0;
    if (!reduce)
        return 0;
    serve(s, ir_op_at(m, nest)->regions, body, by, params + ir_region_at(m, body)->nparams - n);
    *combine = ir_region_to_fn(&s->e, reduce, 0);
    s->failed = !*combine || !ir_move_op(&s->e, ir_value_at(m, *combine)->def, at.region, ir_value_at(m, f)->def);
    if (s->failed)
        return 0;
    ir_set_operand(&s->e, ir_region_at(m, body)->last, 0, ir_arg(m, reduce, 1));
    erase_from(s, body, reduce);
    return f;
}
