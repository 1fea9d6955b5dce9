/* Which calls and applications are inlined before anything is chosen.
 *
 * A skeleton is chosen by the key of a sort and by the cells that are accumulated into; and it counts
 * whether the function of a reduction commutes.  In a function that has such a type as a parameter, or
 * that is given such a function, neither is to be seen: so its body stands where it is called, where
 * both are.  So is the body of an fn that somebody has given a name, as a loop's step: what the grid works on
 * would be a thread's in it.  Functions that reach no collective stay. */
#include "ir/passes/passes.h"
#include "ir/passes/schedule/schedule.h"

static bool is_open_type(const ir_module *m, ir_type t)
{
    const type_node n = *ir_type_at(m, t);
    bool open = n.kind == TY_VAR;
    for (uint32_t i = 0; n.kind == TY_TUPLE && i < n.n && !open; i++)
        open = is_open_type(m, type_item(m, t, i));
    return open;
}

/* The type that the skeleton of an operation is chosen by; 0: it is chosen without one. */
static ir_type deciding_type(const ir_module *m, ir_op o)
{
    const op_node *n = &m->ops.at[o];
    if (n->opcode == OP_SORT)
        return m->values.at[ir_arg(m, m->regions.at[n->regions].last, 0)].type;
    if (n->opcode == OP_ACCUMULATE || n->opcode == OP_FETCH)
        return ir_type_at(m, m->values.at[ir_arg(m, o, 0)].type)->a;
    return 0;
}

static bool goes_by_open_type(const ir_module *m, ir_op o)
{
    return is_open_type(m, deciding_type(m, o));
}

static bool takes_function(const ir_module *m, ir_func f)
{
    const region_node *body = &m->regions.at[m->funcs.at[f].body];
    bool takes = false;
    for (uint32_t i = 0; i < body->nparams && !takes; i++)
        takes = ir_type_at(m, m->values.at[body->params + i].type)->kind == TY_FUN;
    return takes;
}

static bool wanted(const void *arg, const ir_module *m, ir_op call)
{
    const scheduler *s = arg;
    ir_func f = m->ops.at[call].attr;
    bool open = f < s->by_type.len && s->by_type.at[f] && m->funcs.at[f].ntypes;
    return f < s->reaches.len && s->reaches.at[f] && (open || takes_function(m, f));
}

enum { MOST_APPLIED = 16 }; /* applications of what is left of a function that are followed */

/* The fn that an operation applies, seen where it stands, where it reaches a collective; 0: it is none. */
static ir_op applied(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_op f = n.opcode == OP_APPLY && n.parent ? made_by(m, ir_arg(m, o, 0)) : 0;
    for (int turn = 0; f && turn < MOST_APPLIED && ir_op_at(m, f)->opcode == OP_APPLY; turn++)
        f = made_by(m, ir_arg(m, f, 0)); /* what is left of it after some operands */
    return f && ir_op_at(m, f)->opcode == OP_FN && sched_has_collective(s, f) ? f : 0;
}

enum { STANDS = 1, OPENED = 2 };

/* Marks the operations that stand in a region, or in those of one of these: others are gone, and still have numbers. */
static void mark_standing(ir_module *m, ir_region r, vec_u8 *standing)
{
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        standing->at[o] = STANDS;
        for (uint32_t i = 0; i < ir_op_info(ir_op_at(m, o)->opcode)->regions; i++)
            mark_standing(m, ir_op_at(m, o)->regions + i, standing);
    }
}

static bool find_standing(ir_module *m, vec_u8 *standing)
{
    if (!vec_reserve(&m->cx->mem, standing, m->ops.len))
        return false;
    while (standing->len < m->ops.len)
        standing->at[standing->len++] = 0;
    for (ir_func f = 1; f < m->funcs.len; f++)
        if (!ir_func_at(m, f)->import)
            mark_standing(m, ir_func_at(m, f)->body, standing);
    return true;
}

/* Lists a function once. */
static bool note_opened(ir_module *m, ir_op f, vec_u8 *standing, vec_u32 *opened)
{
    mem *mm = &m->cx->mem;
    while (standing->len <= f)
        if (!vec_push(mm, standing, STANDS))
            return false;
    bool before = standing->at[f] == OPENED;
    standing->at[f] = OPENED;
    return before || vec_push(mm, opened, f);
}

/* Bodies come behind all that there is, so that one walk finds what they apply, too. */
static bool open_all(scheduler *s, ir_editor *e, vec_u8 *standing, vec_u32 *opened)
{
    ir_module *m = s->m;
    uint64_t most = (uint64_t)m->ops.len + m->cx->limits.copies;
    for (ir_op o = 1; o < m->ops.len && m->ops.len < most; o++) {
        ir_op f = o >= standing->len || standing->at[o] ? applied(s, o) : 0;
        if (f && ir_inline_apply(e, o) && !note_opened(m, f, standing, opened))
            return false;
        if (e->failed)
            return false;
    }
    return true;
}

bool sched_open_applied(scheduler *s)
{
    ir_module *m = s->m;
    mem *mm = &m->cx->mem;
    vec_u8 standing = {0};
    vec_u32 opened = {0};
    bool any = false, ok = find_standing(m, &standing);
    for (ir_op o = 1; ok && o < standing.len && !any; o++)
        any = standing.at[o] && applied(s, o);
    if (any) {
        ir_editor e;
        ok = ir_editor_init(&e, m) && open_all(s, &e, &standing, &opened);
        for (uint32_t i = opened.len; ok && i-- > 0;) /* who applied them is gone */
            if (!ir_first_use(&e, ir_op_at(m, opened.at[i])->result))
                ok = ir_erase_op(&e, opened.at[i]);
        ok = ir_editor_end(&e) && ok;
    }
    vec_free(mm, &standing);
    vec_free(mm, &opened);
    return ok;
}

bool sched_open_generic(scheduler *s)
{
    bool any = false;
    for (ir_op o = 0; o < s->m->ops.len && !any; o++)
        any = ir_op_at(s->m, o)->opcode == OP_CALL && s->reaches.at[ir_op_at(s->m, o)->attr];
    return !any || (sched_find_reaching(s, &s->by_type, goes_by_open_type) &&
                    pass_inline_wanted(s->m, wanted, s));
}
