/* Components of tuples: see parts.h.  A walk from a use to the definition, along tuples alone. */
#include "ir/parts.h"

static bool is_result_of(ir_module *m, ir_value v, opcode code)
{
    const value_node *n = ir_value_at(m, v);
    return n->kind == V_RESULT && ir_op_at(m, n->def)->opcode == code;
}

ir_part ir_part_of(ir_module *m, ir_value v)
{
    ir_part p = {.of = v};
    for (;;) {
        const ir_op def = ir_value_at(m, p.of)->def;
        if (is_result_of(m, p.of, OP_PROJ) && p.n < PART_DEPTH) {
            p.path[p.n++] = (uint32_t)ir_const_bits(m, ir_arg(m, def, 1));
            p.of = ir_arg(m, def, 0);
        } else if (is_result_of(m, p.of, OP_TUPLE) && p.n &&
                   p.path[p.n - 1] < ir_op_at(m, def)->nargs) {
            p.of = ir_arg(m, def, p.path[--p.n]);
        } else {
            return p;
        }
    }
}

bool ir_parts_overlap(const ir_part *x, const ir_part *y)
{
    uint32_t n = x->n < y->n ? x->n : y->n;
    bool same = x->of == y->of;
    for (uint32_t i = 1; i <= n && same; i++)
        same = x->path[x->n - i] == y->path[y->n - i];
    return same;
}
