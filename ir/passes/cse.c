/* Common subexpressions: value numbering over the tree of regions.  A table of operations by their
 * operator, operands, attributes and regions; what a region added to it is forgotten at its end, so that all
 * that is found is visible.
 *
 * The scoped hash table that this is usually done with in a dominator tree: here regions are the
 * tree, and a list in order says what comes before.  Loops need no care, as there is no
 * mutation. */
#include "ir/check/check.h"
#include "ir/passes/passes.h"
#include "ir/passes/same.h"
#include "ir/rewrite/edit.h"

#include <string.h>

/* A chain of the table; operations of inner regions come first. */
typedef struct known_op {
    ir_op op;
    uint32_t hash, next; /* index + 1 */
} known_op;

typedef struct table {
    ir_editor e;
    same same;
    VEC(known_op) known; /* a stack: regions that are open, outermost first */
    vec_u32 heads;       /* by hash: index + 1; a power of two of them */
} table;

static mem *memory(table *t)
{
    return &t->e.m->cx->mem;
}

/* An equal operation before this one; 0 when there is none: then it is known from here on. */
static ir_op find_or_add(table *t, ir_op o)
{
    uint32_t hash = same_hash(&t->same, o), *head = &t->heads.at[hash & (t->heads.len - 1)];
    for (uint32_t i = *head; i; i = t->known.at[i - 1].next)
        if (t->known.at[i - 1].hash == hash && same_ops(&t->same, t->known.at[i - 1].op, o))
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
        ir_op other = same_may_merge(&t->same, o) ? find_or_add(t, o) : 0;
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
    table t = {.same.m = m};
    if (!ir_check(m))
        return false;
    bool ok = ir_editor_init(&t.e, m) && same_init(&t.same, m) && make_heads(&t);
    for (ir_func f = 1; ok && f < m->funcs.len; f++)
        number_region(&t, ir_func_at(m, f)->body);
    vec_free(memory(&t), &t.known);
    vec_free(memory(&t), &t.heads);
    same_free(&t.same);
    return ir_editor_end(&t.e) && ok && !m->cx->mem.oom;
}
