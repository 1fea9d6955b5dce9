/* Small reductions that are the host's: of a few elements, as many as the program says, that are made of
 * numbers which the host has.  A launch costs as much as some thousand of its operations, and the
 * host would wait for the result as well.
 *
 * No loop is left: the function is applied to each element, and lowering computes what it can. */
#include "ir/passes/schedule/schedule.h"

/* Elements; operations, those of all elements counted. */
enum { MOST_ELEMENTS = 16, MOST_WORK = 256 };

/* How much work an element has been found to be. */
typedef struct small {
    const scheduler *s;
    uint32_t work;
} small;

static bool is_small_array(small *w, ir_value xs, uint64_t *n);

/* Whether what a region computes is arithmetic. */
static bool is_arithmetic(small *w, ir_region r)
{
    ir_module *m = w->s->m;
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        const op_info *info = ir_op_info(n.opcode);
        uint64_t elements;
        bool plain = info->is_scalar || n.opcode == OP_CONVERT || n.opcode == OP_BITCAST ||
                     n.opcode == OP_TUPLE || n.opcode == OP_PROJ || n.opcode == OP_YIELD;
        if (++w->work > MOST_WORK)
            return false;
        if (!plain && !(n.opcode == OP_INDEX && is_small_array(w, ir_arg(m, o, 0), &elements)))
            return false;
    }
    return true;
}

/* A literal, and what is made of such: *n elements. */
static bool is_small_array(small *w, ir_value xs, uint64_t *n)
{
    ir_module *m = w->s->m;
    ir_op o = made_by(m, xs);
    const op_node made = *ir_op_at(m, o);
    if (!o || ++w->work > MOST_WORK || !sched_is_base(m, ir_type_at(m, type_of(w->s, xs))->a))
        return false;
    if (made.opcode == OP_ARRAY)
        return (*n = made.nargs) <= MOST_ELEMENTS;
    if (made.opcode == OP_MAP)
        return is_small_array(w, ir_arg(m, o, 0), n) && is_arithmetic(w, made.regions);
    if (made.opcode != OP_GENERATE || made.nargs != 1 ||
        ir_value_at(m, ir_arg(m, o, 0))->kind != V_CONST)
        return false;
    *n = ir_const_bits(m, ir_arg(m, o, 0));
    return *n <= MOST_ELEMENTS && is_arithmetic(w, made.regions);
}

static bool is_small(const scheduler *s, ir_op o, uint64_t *n)
{
    small w = {.s = s};
    return ir_type_at(s->m, type_of(s, ir_arg(s->m, o, 1)))->n == 1 &&
           is_small_array(&w, ir_arg(s->m, o, 1), n) &&
           is_arithmetic(&w, ir_op_at(s->m, o)->regions) && *n * w.work <= MOST_WORK;
}

bool sched_by_host(scheduler *s, ir_op o)
{
    uint64_t n = 0;
    if (sched_is_off(s, DECIDE_HOST) || !is_small(s, o, &n))
        return false;
    sched_tell(s, o, HOST, "done by the host: %u elements of numbers that it has", (unsigned)n);
    ir_value z = ir_arg(s->m, o, 0), xs = ir_arg(s->m, o, 1), f = ir_region_to_fn(&s->e, o, 0);
    place at = sched_before(s, o);
    ir_type t = type_of(s, z);
    s->failed = s->failed || !f;
    for (uint64_t k = 0; k < n && !s->failed; k++) {
        ir_value i = sched_int(s, (int64_t)k), x = sched_index(s, at, xs, &i, 1);
        z = sched_make(s, at, OP_APPLY, (ir_value[]){f, z, x}, 3, t);
    }
    sched_replace(s, o, z);
    return true;
}
