/* Loops whose turns may be combined in any order, and what they combine.
 *
 * That must be seen: each value that the loop carries is x + y, x * y, a minimum, maximum or the like
 * of what it was and of something else, and nobody else reads it on the way. */
#include "backends/c/emit.h"

static bool is_used(const c_emitter *e, k_id v, uint32_t times)
{
    return c_note_of(e, v)->uses == times;
}

static const char *plain_operator(uint16_t op)
{
    switch (op) {
    case SOP_ADD: return "+";
    case SOP_MUL: return "*";
    case SOP_MIN: return "min";
    case SOP_MAX: return "max";
    case SOP_AND: return "&";
    case SOP_OR: return "|";
    case SOP_XOR: return "^";
    default: return NULL;
    }
}

/* `x < y ? x : y` and its like. */
static const char *chosen_operator(const c_emitter *e, const k_node *choice, k_id before)
{
    const k_node *test = k_at(e->p, choice->args[0]);
    k_id yes = choice->args[1], no = choice->args[2];
    bool straight = test->args[0] == yes && test->args[1] == no;
    bool turned = test->args[0] == no && test->args[1] == yes;
    if (test->op != K_SCALAR || (yes != before && no != before) || yes == no ||
        (!straight && !turned) || !is_used(e, choice->args[0], 1) || !is_used(e, before, 2))
        return NULL;
    switch (test->opcode) {
    case SOP_LT:
    case SOP_LE: return straight ? "min" : "max";
    case SOP_GT:
    case SOP_GE: return straight ? "max" : "min";
    default: return NULL;
    }
}

/* The operator of an OpenMP reduction; NULL: it is none. */
const char *c_combining_operator(const c_emitter *e, c_combined c)
{
    const k_node *n = k_at(e->p, c.next);
    if (n->op != K_SCALAR || n->type == ST_BOOL || !is_used(e, c.next, 1))
        return NULL;
    if (n->opcode == SOP_SELECT)
        return chosen_operator(e, n, c.before);
    bool once = (n->args[0] == c.before) != (n->args[1] == c.before) && is_used(e, c.before, 1);
    return once ? plain_operator(n->opcode) : NULL;
}

bool c_only_computes(const c_emitter *e, k_block b, bool loops)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        k_class class = k_op_info(n->op)->class;
        if (n->op != K_YIELD && n->op != K_IF && (n->op != K_FOR || !loops) && class != KC_VALUE && n->op != K_LOAD)
            return false;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && !c_only_computes(e, n->blocks[i], loops))
                return false;
    }
    return true;
}

static const k_node *end_of(const c_emitter *e, k_block b)
{
    return k_at(e->p, k_block_at(e->p, b)->last);
}

c_combined c_combined_at(const c_emitter *e, const k_node *loop, uint32_t i)
{
    return (c_combined){c_carried(e->p, loop, i),
                        k_listed(e->p, end_of(e, loop->blocks[0]), i)};
}

bool c_is_combining(const c_emitter *e, const k_node *loop)
{
    if (!loop->unordered || !loop->nresults || loop->form == FORM_SATURATING)
        return false;
    for (uint32_t i = 0; i < loop->nresults; i++)
        if (!c_combining_operator(e, c_combined_at(e, loop, i)))
            return false;
    return true;
}
