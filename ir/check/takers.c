/* Who overwrites an array: see check/takers.h. */
#include "ir/check/takers.h"

#include "ir/check/ops.h"

#include <string.h>

bool check_takers_init(checker *c, takers *t)
{
    mem *mm = &c->cx->mem;
    uint32_t n = c->m->values.len;
    if (!vec_reserve(mm, &t->first, n) || !ir_zeroed_bytes(mm, &t->params, n))
        return false;
    memset(t->first.at, 0, n * sizeof *t->first.at);
    t->first.len = n;
    return true;
}

void check_takers_free(checker *c, takers *t)
{
    vec_free(&c->cx->mem, &t->all);
    vec_free(&c->cx->mem, &t->first);
    vec_free(&c->cx->mem, &t->params);
    vec_free(&c->cx->mem, &t->todo);
}

static ir_value param_of(const checker *c, ir_op call, uint32_t k)
{
    const op_node *n = ir_op_at(c->m, call);
    return ir_region_at(c->m, ir_func_at(c->m, n->attr)->body)->params + k;
}

uint32_t check_how_taken(const checker *c, const takers *t, ir_op o, uint32_t k)
{
    const op_node *n = ir_op_at(c->m, o);
    if (n->opcode == OP_UPDATE) {
        bool pull = node_of(c, arg_type(c, o, n->nargs - 1u)).kind == TY_PULL;
        return k ? TAKES_NOT : pull || c->lets_copy ? TAKES_SOFT : TAKES_HARD;
    }
    ir_value param = param_of(c, o, k);
    return param < t->params.len ? t->params.at[param] : TAKES_NOT;
}

/* A function takes a parameter as those in it do, and is hard where one of them is. */
void check_add_taker(checker *c, takers *t, const ir_part *part, ir_op o, uint32_t k)
{
    const value_node *v = ir_value_at(c->m, part->of);
    bool soft = check_how_taken(c, t, o, k) == TAKES_SOFT;
    taker x = {.part = *part, .op = o, .k = k, .next = t->first.at[part->of], .soft = soft};
    if (v->kind == V_PARAM && !ir_region_at(c->m, v->def)->owner && t->params.at[part->of] != TAKES_HARD)
        t->params.at[part->of] = soft ? TAKES_SOFT : TAKES_HARD;
    if (vec_push(&c->cx->mem, &t->all, x))
        t->first.at[part->of] = t->all.len;
}

void check_add_hander(checker *c, takers *t, const ir_part *part, ir_op o)
{
    taker x = {.part = *part, .op = o, .next = t->first.at[part->of], .soft = true};
    t->params.at[ir_op_at(c->m, o)->result] = TAKES_SOFT;
    if (vec_push(&c->cx->mem, &t->all, x))
        t->first.at[part->of] = t->all.len;
}

bool check_takers_soft(const takers *t, const ir_part *part)
{
    bool soft = true;
    for (uint32_t i = t->first.at[part->of]; i && soft; i = t->all.at[i - 1].next)
        soft = t->all.at[i - 1].soft || !ir_parts_overlap(&t->all.at[i - 1].part, part);
    return soft;
}

static void note_copy(checker *c, takers *t, ir_op o, uint32_t k)
{
    const op_node *n = ir_op_at(c->m, o);
    if (n->opcode == OP_UPDATE)
        ir_let_copy(c->m, o);
    else
        vec_push(&c->cx->mem, &t->todo, n->opcode == OP_IF ? n->result : param_of(c, o, k));
}

/* Functions that are called stop taking their parameters, and ifs what they hand on; what they call, and who has it from them, does
 * so then. */
static void finish(checker *c, takers *t)
{
    while (t->todo.len) {
        ir_value param = t->todo.at[--t->todo.len];
        if (param >= t->params.len || t->params.at[param] == TAKES_NOT)
            continue;
        t->params.at[param] = TAKES_NOT;
        for (uint32_t i = t->first.at[param]; i; i = t->all.at[i - 1].next)
            note_copy(c, t, t->all.at[i - 1].op, t->all.at[i - 1].k);
    }
}

void check_takers_copy(checker *c, takers *t, const ir_part *part)
{
    for (uint32_t i = t->first.at[part->of]; i; i = t->all.at[i - 1].next)
        if (ir_parts_overlap(&t->all.at[i - 1].part, part))
            note_copy(c, t, t->all.at[i - 1].op, t->all.at[i - 1].k);
    finish(c, t);
}

void check_taker_copies(checker *c, takers *t, ir_op o, uint32_t k)
{
    note_copy(c, t, o, k);
    finish(c, t);
}
