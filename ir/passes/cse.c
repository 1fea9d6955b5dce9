/* Common subexpressions: value numbering over the tree of regions.  A table of operations by their
 * operator, operands and attributes; what a region added to it is forgotten at its end, so that all
 * that is found is visible.
 *
 * The scoped hash table that this is usually done with in a dominator tree: here regions are the
 * tree, and a list in order says what comes before.  Loops need no care, as there is no
 * mutation. */
#include "ir/base/intern.h"
#include "ir/check/check.h"
#include "ir/passes/passes.h"
#include "ir/rewrite/edit.h"

#include <string.h>

/* A chain of the table; operations of inner regions come first. */
typedef struct known_op {
    ir_op op;
    uint32_t hash, next; /* index + 1 */
} known_op;

typedef struct table {
    ir_editor e;
    VEC(known_op) known; /* a stack: regions that are open, outermost first */
    vec_u32 heads;       /* by hash: index + 1; a power of two of them */
} table;

static mem *memory(table *t)
{
    return &t->e.m->cx->mem;
}

/* Constants are the same when they have the same type and bits. */
static bool same_value(const ir_module *m, ir_value a, ir_value b)
{
    const value_node *x = &m->values.at[a], *y = &m->values.at[b];
    return a == b || (x->kind == V_CONST && y->kind == V_CONST && x->type == y->type &&
                      x->low == y->low && x->high == y->high);
}

static uint32_t hash_value(uint32_t hash, const ir_module *m, ir_value v)
{
    const value_node *n = &m->values.at[v];
    const uint32_t bits[3] = {n->type, n->low, n->high};
    return n->kind == V_CONST ? intern_hash(hash, bits, sizeof bits)
                              : intern_hash(hash, &v, sizeof v);
}

static uint32_t hash_op(ir_module *m, const op_node *n)
{
    const uint32_t head[3] = {n->opcode, n->attr, ir_value_at(m, n->result)->type};
    uint32_t hash = intern_hash(HASH_SEED, head, sizeof head);
    for (uint32_t k = 0; k < n->nargs; k++)
        hash = hash_value(hash, m, m->pool.at[n->args + k]);
    return hash;
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

static bool has_property(ir_module *m, const op_node *n)
{
    return ir_attr_first(&m->props, (subject){ON_OP, ir_value_at(m, n->result)->def}) != 0;
}

/* What has properties is like nothing else.  The type of the result counts, as an annotation may
 * ask for another one than the operands would give. */
static bool same_op(ir_module *m, const op_node *a, const op_node *b)
{
    if (a->opcode != b->opcode || a->nargs != b->nargs || a->attr != b->attr ||
        ir_value_at(m, a->result)->type != ir_value_at(m, b->result)->type ||
        !same_instance(m, a->inst, b->inst) || has_property(m, a) || has_property(m, b))
        return false;
    for (uint32_t k = 0; k < a->nargs; k++)
        if (!same_value(m, m->pool.at[a->args + k], m->pool.at[b->args + k]))
            return false;
    return true;
}

/* Operators without regions that may be merged: see ops.def. */
static bool may_merge(const op_info *info)
{
    return info->has_result && !info->regions &&
           (info->effect == EFFECT_NONE || info->effect == EFFECT_FAIL);
}

/* An equal operation before this one; 0 when there is none: then it is known from here on. */
static ir_op find_or_add(table *t, ir_op o)
{
    ir_module *m = t->e.m;
    const op_node n = *ir_op_at(m, o);
    uint32_t hash = hash_op(m, &n), *head = &t->heads.at[hash & (t->heads.len - 1)];
    for (uint32_t i = *head; i; i = t->known.at[i - 1].next)
        if (t->known.at[i - 1].hash == hash && same_op(m, &n, ir_op_at(m, t->known.at[i - 1].op)))
            return t->known.at[i - 1].op;
    if (vec_push(memory(t), &t->known, ((known_op){.op = o, .hash = hash, .next = *head})))
        *head = t->known.len;
    return 0;
}

/* In the reverse order of adding, so that each head is again what it was. */
static void forget_from(table *t, uint32_t len)
{
    while (t->known.len > len) {
        const known_op *k = &t->known.at[--t->known.len];
        t->heads.at[k->hash & (t->heads.len - 1)] = k->next;
    }
}

/* Inner regions first see what stands before them; what they add is forgotten before the operation
 * itself is looked up. */
static void number_region(table *t, ir_region r)
{
    ir_module *m = t->e.m;
    uint32_t open = t->known.len;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !t->e.failed; o = next) {
        const op_node n = *ir_op_at(m, o);
        const op_info *info = ir_op_info(n.opcode);
        next = n.next;
        for (uint32_t i = 0; i < info->regions; i++)
            number_region(t, n.regions + i);
        ir_op other = may_merge(info) ? find_or_add(t, o) : 0;
        if (!other)
            continue;
        ir_replace_uses(&t->e, n.result, ir_op_at(m, other)->result);
        ir_erase_op(&t->e, o);
    }
    forget_from(t, open);
}

/* As many heads as operations, rounded up to a power of two. */
static bool make_heads(table *t)
{
    uint32_t n = 64;
    while (n < t->e.m->ops.len && n < 1u << 30)
        n *= 2;
    if (!vec_reserve(memory(t), &t->heads, n))
        return false;
    memset(t->heads.at, 0, n * sizeof *t->heads.at);
    t->heads.len = n;
    return true;
}

bool pass_cse(ir_module *m)
{
    table t = {0};
    if (!ir_check(m))
        return false;
    bool ok = ir_editor_init(&t.e, m) && make_heads(&t);
    for (ir_func f = 1; ok && f < m->funcs.len; f++)
        number_region(&t, ir_func_at(m, f)->body);
    vec_free(memory(&t), &t.known);
    vec_free(memory(&t), &t.heads);
    return ir_editor_end(&t.e) && ok && !m->cx->mem.oom;
}
