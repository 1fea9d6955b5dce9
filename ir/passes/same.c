/* The same operations: see same.h.  What is defined inside of one is named by the order in which a
 * walk meets it, so that it does not count what it is called. */
#include "ir/passes/same.h"

#include "ir/base/intern.h"
#include "ir/scheduled.h"

#include <string.h>

static bool reach(same *s, vec_u32 *v)
{
    uint32_t n = s->m->values.len;
    if (!vec_reserve(&s->m->cx->mem, v, n))
        return false;
    memset(v->at, 0, n * sizeof *v->at);
    v->len = n;
    return true;
}

bool same_init(same *s, ir_module *m)
{
    *s = (same){.m = m};
    for (ir_op o = 1; o < m->ops.len && !s->updates; o++)
        s->updates = ir_op_at(m, o)->opcode == OP_UPDATE;
    return reach(s, &s->mark) && reach(s, &s->number);
}

void same_free(same *s)
{
    vec_free(&s->m->cx->mem, &s->mark);
    vec_free(&s->m->cx->mem, &s->number);
}

/* ---- what may be merged ---- */

/* What stands in <...>; where there are regions, those have its place. */
static uint32_t brackets(const op_node *n)
{
    return ir_op_info(n->opcode)->regions ? 0 : n->attr;
}

static bool has_property(const ir_module *m, ir_op o)
{
    return ir_attr_first(&m->props, (subject){ON_OP, o}) != 0;
}

/* Inside of elements functions do what they do wherever the elements are asked for. */
static bool may_merge_inside(same *s, ir_op o, uint32_t depth)
{
    const op_node n = *ir_op_at(s->m, o);
    const op_info *info = ir_op_info(n.opcode);
    bool may = info->effect != EFFECT_WORK && !has_property(s->m, o) && depth <= SAME_DEPTH &&
               !(info->attr == ATTR_BIND && n.inst);
    for (uint32_t i = 0; may && i < info->regions; i++)
        for (ir_op x = ir_region_at(s->m, n.regions + i)->first; may && x;
             x = ir_op_at(s->m, x)->next)
            may = may_merge_inside(s, x, depth + 1);
    return may;
}

static bool is_owned(const same *s, const op_node *n)
{
    return s->updates && ir_holds_pull(s->m, ir_value_at(s->m, n->result)->type);
}

/* What describes elements, and collectives: what is in those runs for each element.  An array in
 * memory may be overwritten by its owner. */
static bool is_of_elements(same *s, const op_node *n, ir_op o)
{
    switch (n->opcode) {
    case OP_GENERATE:
    case OP_MAP: return true;
    case OP_REDUCE:
    case OP_SCAN:
    case OP_SCANEX:
    case OP_FILTER:
    case OP_SORT:
    case OP_CALL: return !is_owned(s, n);
    default: return !ir_op_info(n->opcode)->regions && !ir_is_collective(s->m, o);
    }
}

static bool hands_out(const same *s, ir_op o, uint32_t depth)
{
    const op_node n = *ir_op_at(s->m, o);
    const op_info *info = ir_op_info(n.opcode);
    bool does = info->effect == EFFECT_EMIT || depth > SAME_DEPTH || (n.opcode == OP_CALL && (!s->bound || s->bound->at[n.attr]));
    for (uint32_t i = 0; !does && i < info->regions; i++)
        for (ir_op x = ir_region_at(s->m, n.regions + i)->first; !does && x; x = ir_op_at(s->m, x)->next)
            does = hands_out(s, x, depth + 1);
    return does;
}

bool same_hands_out(const same *s, ir_op o)
{
    return hands_out(s, o, 0);
}

bool same_may_merge(same *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    const op_info *info = ir_op_info(n.opcode);
    bool calls = n.opcode == OP_CALL && s->bound && !s->bound->at[n.attr];
    return info->has_result && (info->effect == EFFECT_NONE || info->effect == EFFECT_FAIL || calls) &&
           is_of_elements(s, &n, o) && may_merge_inside(s, o, 0);
}

/* ---- walks ---- */

static void meet(same *s, ir_value v, uint32_t number)
{
    s->mark.at[v] = s->walk;
    s->number.at[v] = number;
}

static bool is_met(const same *s, ir_value v)
{
    return s->mark.at[v] == s->walk;
}

static uint32_t hash_value(const same *s, uint32_t hash, ir_value v)
{
    const value_node *n = &s->m->values.at[v];
    if (n->kind == V_CONST) {
        const uint32_t bits[3] = {n->type, n->low, n->high};
        return intern_hash(hash, bits, sizeof bits);
    }
    const uint32_t name[2] = {is_met(s, v), is_met(s, v) ? s->number.at[v] : v};
    return intern_hash(hash, name, sizeof name);
}

static uint32_t hash_in(same *s, uint32_t hash, ir_op o);

static uint32_t hash_region(same *s, uint32_t hash, ir_region r)
{
    const region_node n = *ir_region_at(s->m, r);
    for (uint32_t i = 0; i < n.nparams; i++)
        meet(s, n.params + i, ++s->met);
    for (ir_op x = n.first; x; x = ir_op_at(s->m, x)->next) {
        hash = hash_in(s, hash, x);
        if (ir_op_at(s->m, x)->result)
            meet(s, ir_op_at(s->m, x)->result, ++s->met);
    }
    return hash;
}

static uint32_t hash_in(same *s, uint32_t hash, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    const uint32_t head[3] = {n.opcode, brackets(&n),
                              n.result ? ir_value_at(s->m, n.result)->type : 0};
    hash = intern_hash(hash, head, sizeof head);
    for (uint32_t k = 0; k < n.nargs; k++)
        hash = hash_value(s, hash, ir_arg(s->m, o, k));
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
        hash = hash_region(s, hash, n.regions + i);
    return hash;
}

uint32_t same_hash(same *s, ir_op o)
{
    s->walk++;
    s->met = 0;
    return hash_in(s, HASH_SEED, o);
}

/* ---- comparing ---- */

/* Constants are the same when they have the same type and bits; what is inside of the first has met
 * its like. */
static bool same_value(const same *s, ir_value a, ir_value b)
{
    const value_node *x = &s->m->values.at[a], *y = &s->m->values.at[b];
    if (x->kind == V_CONST && y->kind == V_CONST)
        return x->type == y->type && x->low == y->low && x->high == y->high;
    return is_met(s, a) ? s->number.at[a] == b : a == b;
}

/* Instances are stretches of the pool: two may be equal and lie apart. */
static bool same_instance(const ir_module *m, uint32_t a, uint32_t b)
{
    if (!a || !b || a == b)
        return a == b;
    const uint32_t *x = m->pool.at + a, *y = m->pool.at + b;
    return x[0] == y[0] && x[1] == y[1] &&
           memcmp(x + 2, y + 2, ((size_t)x[0] + x[1]) * sizeof *x) == 0;
}

/* The type of the result counts, as an annotation may ask for another one than the operands would
 * give. */
static bool same_heads(same *s, const op_node *a, const op_node *b)
{
    ir_module *m = s->m;
    return a->opcode == b->opcode && a->nargs == b->nargs && brackets(a) == brackets(b) &&
           !a->result == !b->result &&
           (!a->result || ir_value_at(m, a->result)->type == ir_value_at(m, b->result)->type) &&
           same_instance(m, a->inst, b->inst);
}

static bool same_in(same *s, ir_op a, ir_op b);

static bool same_regions(same *s, ir_region a, ir_region b)
{
    ir_module *m = s->m;
    const region_node x = *ir_region_at(m, a), y = *ir_region_at(m, b);
    ir_op p = x.first, q = y.first;
    bool is = x.nparams == y.nparams;
    for (uint32_t i = 0; is && i < x.nparams; i++) {
        is = ir_value_at(m, x.params + i)->type == ir_value_at(m, y.params + i)->type;
        meet(s, x.params + i, y.params + i);
    }
    for (; is && p && q; p = ir_op_at(m, p)->next, q = ir_op_at(m, q)->next) {
        is = same_in(s, p, q);
        if (ir_op_at(m, p)->result)
            meet(s, ir_op_at(m, p)->result, ir_op_at(m, q)->result);
    }
    return is && !p && !q;
}

static bool same_in(same *s, ir_op a, ir_op b)
{
    const op_node x = *ir_op_at(s->m, a), y = *ir_op_at(s->m, b);
    bool is = same_heads(s, &x, &y);
    for (uint32_t k = 0; is && k < x.nargs; k++)
        is = same_value(s, ir_arg(s->m, a, k), ir_arg(s->m, b, k));
    for (uint32_t i = 0; is && i < ir_op_info(x.opcode)->regions; i++)
        is = same_regions(s, x.regions + i, y.regions + i);
    return is;
}

bool same_ops(same *s, ir_op a, ir_op b)
{
    s->walk++;
    return same_in(s, a, b);
}
