/* Inlining: goes over the functions, callee before caller, and inlines the calls in each that are
 * worth it.
 *
 * The order is a depth-first post-order of the call graph with a stack of its own; without
 * recursion in the language it is a topological order.  A callee is complete, and its weight
 * final, before its callers look at it. */
#include "ir/block.h"
#include "ir/check/check.h"
#include "ir/passes/passes.h"
#include "ir/properties.h"
#include "ir/rewrite/edit.h"
#include "ir/tunable.h"

typedef struct inliner {
    ir_editor e;
    vec_u32 uses,
        sizes;       /* by function: calls of it, twice when it is a value; weight of its body */
    vec_u32 ordered; /* functions, callee before caller */
    vec_u32 state;   /* by function: SEEN or not */
    vec_u32 todo, calls;
    uint32_t small;
    inline_wanted *wanted; /* NULL: those that are worth it */
    const void *arg;
    uint64_t most; /* operations that the module may have for another call to be inlined */
} inliner;

static mem *memory(inliner *k)
{
    return &k->e.m->cx->mem;
}

static bool zeroed(inliner *k, vec_u32 *v, uint32_t n)
{
    if (!vec_reserve(memory(k), v, n))
        return false;
    while (v->len < n)
        v->at[v->len++] = 0;
    return true;
}

/* Lists the operations that name a function in a region and in all within; adds up what weighs. */
static bool look_at(inliner *k, ir_region r, uint32_t *weight)
{
    ir_module *m = k->e.m;
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        const op_info *info = ir_op_info(n.opcode);
        *weight += info->cost + (info->attr == ATTR_CALL ? 1u : 0u);
        if (info->attr == ATTR_CALL && !vec_push(memory(k), &k->calls, o))
            return false;
        for (uint32_t i = 0; i < info->regions; i++)
            if (!look_at(k, n.regions + i, weight))
                return false;
    }
    return true;
}

/* Lists what a function calls; its weight. */
static bool look_at_function(inliner *k, ir_func f)
{
    k->calls.len = 0;
    k->sizes.at[f] = 0;
    return look_at(k, ir_func_at(k->e.m, f)->body, &k->sizes.at[f]);
}

/* ---- order ---- */

enum { NEW, OPEN, SEEN };

/* The function on top of the stack: its callees first, then itself.  Met twice: on the way down it
 * queues its callees, on the way up it takes its place in the order.  A function may be queued by
 * several callers before its turn, hence the states. */
static bool visit(inliner *k)
{
    ir_func f = k->todo.at[k->todo.len - 1];
    uint32_t state = k->state.at[f];
    if (state != NEW) {
        k->todo.len--;
        k->state.at[f] = SEEN;
        return state == SEEN || vec_push(memory(k), &k->ordered, f);
    }
    k->state.at[f] = OPEN;
    bool ok = look_at_function(k, f);
    for (uint32_t i = 0; ok && i < k->calls.len; i++) {
        const op_node *n = ir_op_at(k->e.m, k->calls.at[i]);
        k->uses.at[n->attr] += n->opcode == OP_CALL ? 1 : 2;
        if (k->state.at[n->attr] == NEW)
            ok = vec_push(memory(k), &k->todo, n->attr);
    }
    return ok;
}

/* Every function of the module, reached from a kernel or not. */
static bool put_in_order(inliner *k)
{
    uint32_t n = k->e.m->funcs.len;
    bool ok = zeroed(k, &k->uses, n) && zeroed(k, &k->sizes, n) && zeroed(k, &k->state, n);
    for (ir_func f = 1; ok && f < n; f++) {
        ok = vec_push(memory(k), &k->todo, f);
        while (ok && k->todo.len)
            ok = visit(k);
    }
    return ok;
}

/* ---- inlining ---- */

/* As the function's property says; else called once, so that nothing is doubled, or small.  A
 * function that is used as a value counts as used twice. */
static bool is_worth_it(const inliner *k, ir_op call)
{
    const op_node *n = ir_op_at(k->e.m, call);
    if (ir_tunable_domain(k->e.m, n->attr))
        return false; /* what it gives may still be said */
    if (ir_block_of(k->e.m, n->attr))
        return false; /* its blocks are not the caller's */
    int64_t told = ir_property_number(k->e.m, (subject){ON_FUNC, n->attr}, PROPERTY_INLINE, -1);
    if (k->wanted)
        return n->opcode == OP_CALL && told != 0 && k->e.m->ops.len < k->most && k->wanted(k->arg, k->e.m, call);
    if (told == 0 || told == 1)
        return n->opcode == OP_CALL && told;
    return n->opcode == OP_CALL && (k->uses.at[n->attr] == 1 || k->sizes.at[n->attr] <= k->small);
}

/* Ends with the function's weight as it is then.  What was inlined here needs no second look: its
 * own calls were decided in the callee. */
static bool inline_in(inliner *k, ir_func f)
{
    bool ok = look_at_function(k, f);
    for (uint32_t i = 0; ok && i < k->calls.len; i++) {
        if (is_worth_it(k, k->calls.at[i]))
            ir_inline_call(&k->e, k->calls.at[i]);
        ok = !k->e.failed;
    }
    return ok && look_at_function(k, f);
}

static bool run(inliner *k, ir_module *m)
{
    if (!ir_check(m))
        return false;
    bool ok = ir_editor_init(&k->e, m) && put_in_order(k);
    for (uint32_t i = 0; ok && i < k->ordered.len; i++)
        ok = inline_in(k, k->ordered.at[i]);
    vec_free(memory(k), &k->uses);
    vec_free(memory(k), &k->sizes);
    vec_free(memory(k), &k->ordered);
    vec_free(memory(k), &k->state);
    vec_free(memory(k), &k->todo);
    vec_free(memory(k), &k->calls);
    return ir_editor_end(&k->e) && ok;
}

bool pass_inline(ir_module *m, uint32_t small)
{
    inliner k = {.small = small};
    return run(&k, m);
}

bool pass_inline_wanted(ir_module *m, inline_wanted *wanted, const void *arg)
{
    inliner k = {.wanted = wanted, .arg = arg, .most = (uint64_t)m->ops.len + m->cx->limits.copies};
    return run(&k, m);
}
