/* Common subexpressions: value numbering over the tree of regions.  A table of operations by their
 * operator, operands, attributes and regions; what a region added to it is forgotten at its end, so that all
 * that is found is visible.
 *
 * The scoped hash table that this is usually done with in a dominator tree: here regions are the
 * tree, and a list in order says what comes before.  Loops need no care, as there is no
 * mutation.
 *
 * The pass share, which is this and more, also lets one operation in front of an `if` stand for two that are the same in both
 * branches, and one call for several. */
#include "ir/check/check.h"
#include "ir/passes/passes.h"
#include "ir/passes/same.h"
#include "ir/rewrite/edit.h"
#include "ir/scheduled.h"

#include <string.h>

/* A chain of the table; operations of inner regions come first. */
typedef struct known_op {
    ir_op op;
    uint32_t hash, next; /* index + 1 */
    bool may;            /* stand for others; else it is there to tell of */
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

/* An equal operation that is known, which may be merged where this one may; 0 when there is none. */
static ir_op find(table *t, ir_op o, uint32_t hash, bool may)
{
    for (uint32_t i = t->heads.at[hash & (t->heads.len - 1)]; i; i = t->known.at[i - 1].next)
        if (t->known.at[i - 1].hash == hash && t->known.at[i - 1].may == may && same_ops(&t->same, t->known.at[i - 1].op, o))
            return t->known.at[i - 1].op;
    return 0;
}

/* The same; where there is none, this one is known from here on. */
static ir_op find_or_add(table *t, ir_op o, bool may)
{
    uint32_t hash = same_hash(&t->same, o), *head = &t->heads.at[hash & (t->heads.len - 1)];
    ir_op other = find(t, o, hash, may);
    if (!other && vec_push(memory(t), &t->known, ((known_op){.op = o, .hash = hash, .next = *head, .may = may})))
        *head = t->known.len;
    return other;
}

/* In the reverse order of adding, so that each head is again what it was. */
static void forget_from(table *t, uint32_t len)
{
    while (t->known.len > len) {
        const known_op *k = &t->known.at[--t->known.len];
        t->heads.at[k->hash & (t->heads.len - 1)] = k->next;
    }
}

/* What describes elements or consumes arrays; arithmetic is not worth a word. */
static bool is_told_of(const table *t, ir_op o)
{
    uint32_t code = ir_op_at(t->e.m, o)->opcode;
    return t->e.m->cx->diags.remarks &&
           (code == OP_GENERATE || code == OP_MAP || ir_is_collective(t->e.m, o));
}

static void tell(const table *t, ir_op o, ir_op other, bool shared)
{
    ir_module *m = t->e.m;
    bool kept = shared ? diag_remark(m->cx, DIAG_TELL_SHARED, ir_op_loc(m, o), "the same as an earlier one, whose result it takes")
                       : diag_remark(m->cx, DIAG_TELL_NOT_SHARED, ir_op_loc(m, o), "the same as an earlier one, and computed nevertheless: %s",
                                     t->same.updates ? "the program overwrites arrays, so each has one that owns it" : "it has a hint, or works at a level, which is the program's choice");
    if (kept)
        diag_note_add(m->cx, ir_op_loc(m, other), "the earlier one");
}

/* An earlier one in whose place it may stand. */
static ir_op same_as(table *t, ir_op o)
{
    bool may = same_may_merge(&t->same, o), told = is_told_of(t, o);
    ir_op other = may || told ? find_or_add(t, o, may) : 0;
    if (other && told)
        tell(t, o, other, may);
    return may ? other : 0;
}

/* ---- what is in both branches ---- */

/* In front of the if, of a known one in its first branch. */
static void take_out(table *t, ir_op branch, ir_op o)
{
    ir_module *m = t->e.m;
    const op_node n = *ir_op_at(m, o), at = *ir_op_at(m, branch);
    ir_op other = same_may_merge(&t->same, o) ? find(t, o, same_hash(&t->same, o), true) : 0;
    if (!other || ir_op_at(m, other)->parent != at.regions || !ir_move_op(&t->e, other, at.parent, branch))
        return;
    if (is_told_of(t, o))
        tell(t, o, other, true);
    ir_replace_uses(&t->e, n.result, ir_op_at(m, other)->result);
    ir_erase_op(&t->e, o);
}

/* Up to what hands out, in each: a program that fails has handed out what stands before. */
static void share_branches(table *t, ir_op branch)
{
    ir_module *m = t->e.m;
    const op_node n = *ir_op_at(m, branch);
    uint32_t open = t->known.len;
    ir_op last = t->e.before.at[branch];
    for (ir_op o = ir_region_at(m, n.regions)->first; o && !same_hands_out(&t->same, o); o = ir_op_at(m, o)->next)
        if (same_may_merge(&t->same, o))
            find_or_add(t, o, true);
    for (ir_op o = ir_region_at(m, n.regions + 1)->first, next; o && !t->e.failed && !same_hands_out(&t->same, o); o = next) {
        next = ir_op_at(m, o)->next;
        take_out(t, branch, o);
    }
    forget_from(t, open);
    for (ir_op o = last ? ir_op_at(m, last)->next : ir_region_at(m, n.parent)->first; o != branch; o = ir_op_at(m, o)->next)
        find_or_add(t, o, true);
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
        if (t->same.bound && n.opcode == OP_IF)
            share_branches(t, o);
        ir_op other = same_as(t, o);
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

bool pass_number(ir_module *m, const vec_u32 *bound)
{
    table t = {.same.m = m};
    if (!ir_check(m))
        return false;
    bool ok = ir_editor_init(&t.e, m) && same_init(&t.same, m) && make_heads(&t);
    t.same.bound = bound;
    for (ir_func f = 1; ok && f < m->funcs.len; f++)
        number_region(&t, ir_func_at(m, f)->body);
    vec_free(memory(&t), &t.known);
    vec_free(memory(&t), &t.heads);
    same_free(&t.same);
    return ir_editor_end(&t.e) && ok && !m->cx->mem.oom;
}

bool pass_cse(ir_module *m)
{
    return pass_number(m, NULL);
}
