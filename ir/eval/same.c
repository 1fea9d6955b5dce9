/* Calls that a region makes twice: the second is the value of the first, as programs are pure.  So
 * functions that call one another twice for the same argument take no longer than the text is. */
#include "ir/eval/value.h"

bool eval_same_init(machine *M, same_calls *s, ir_region r, uint32_t nops)
{
    uint32_t cap = 8;
    while (cap < nops * 2)
        cap *= 2;
    *s = (same_calls){.region = r, .mask = cap - 1};
    s->table = mem_zeroed(M->mm, cap * sizeof *s->table);
    s->nslots = ir_region_at(M->m, r)->nslots + 1;
    s->first = mem_zeroed(M->mm, s->nslots * sizeof *s->first);
    return s->table && s->first;
}

void eval_same_free(machine *M, same_calls *s)
{
    mem_free(M->mm, s->table, s->table ? (s->mask + 1u) * sizeof *s->table : 0);
    mem_free(M->mm, s->first, s->first ? s->nslots * sizeof *s->first : 0);
}

/* The value that v is: that of the first such call. */
static ir_value first_of(const machine *M, const same_calls *s, ir_value v)
{
    const value_node *n = ir_value_at(M->m, v);
    bool here = n->kind == V_RESULT && ir_value_region(M->m, v) == s->region;
    return here && n->slot < s->nslots && s->first[n->slot] ? s->first[n->slot] : v;
}

static bool same_operand(const machine *M, const same_calls *s, ir_value x, ir_value y)
{
    const value_node *a = ir_value_at(M->m, x), *b = ir_value_at(M->m, y);
    if (a->kind == V_CONST && b->kind == V_CONST)
        return a->type == b->type && ir_const_bits(M->m, x) == ir_const_bits(M->m, y);
    return first_of(M, s, x) == first_of(M, s, y);
}

static bool same_instance(const ir_module *m, const op_node *x, const op_node *y)
{
    const uint32_t *a = &m->pool.at[x->inst], *b = &m->pool.at[y->inst];
    if (!x->inst || !y->inst)
        return x->inst == y->inst;
    bool same = a[0] == b[0] && a[1] == b[1];
    for (uint32_t i = 0; same && i < a[0] + a[1]; i++)
        same = a[2 + i] == b[2 + i];
    return same;
}

static bool same_call(const machine *M, const same_calls *s, ir_op p, ir_op q)
{
    const op_node *x = ir_op_at(M->m, p), *y = ir_op_at(M->m, q);
    bool same = x->opcode == y->opcode && x->attr == y->attr && x->nargs == y->nargs &&
                same_instance(M->m, x, y);
    for (uint32_t i = 0; same && i < x->nargs; i++)
        same = same_operand(M, s, M->m->pool.at[x->args + i], M->m->pool.at[y->args + i]);
    return same;
}

static uint32_t hash_call(const machine *M, const same_calls *s, const op_node *n)
{
    uint32_t h = intern_hash(HASH_SEED, (uint32_t[]){n->opcode, n->attr}, 8);
    for (uint32_t i = 0; i < n->nargs; i++) {
        ir_value v = M->m->pool.at[n->args + i];
        bool literal = ir_value_at(M->m, v)->kind == V_CONST;
        uint64_t x = literal ? ir_const_bits(M->m, v) : first_of(M, s, v);
        h = intern_hash(h, &x, sizeof x);
    }
    return h;
}

/* Arrays that a call gives may be overwritten in a module with updates, each for itself. */
static bool may_be_updated(const machine *M, const op_node *n)
{
    const type_node *t = ir_type_at(M->m, ir_value_at(M->m, n->result)->type);
    return M->updates && n->opcode == OP_CALL && t->kind != TY_SCALAR;
}

ir_op eval_same_call(const machine *M, same_calls *s, ir_op o)
{
    const op_node *n = ir_op_at(M->m, o);
    if ((n->opcode != OP_CALL && n->opcode != OP_FUNC && n->opcode != OP_APPLY &&
         n->opcode != OP_LAPPLY) ||
        may_be_updated(M, n))
        return 0;
    uint32_t i = hash_call(M, s, n) & s->mask;
    while (s->table[i] && !same_call(M, s, s->table[i], o))
        i = (i + 1) & s->mask;
    if (!s->table[i]) {
        s->table[i] = o;
        return 0;
    }
    uint32_t slot = ir_value_at(M->m, n->result)->slot;
    if (slot < s->nslots)
        s->first[slot] = ir_op_at(M->m, s->table[i])->result;
    return s->table[i];
}
