/* Loops whose turns may be combined in any order, which compilers then make vectors of: a sum of
 * floats is one in order otherwise.
 *
 * What is combined must be seen: each value that the loop carries is x + y, x * y, a minimum,
 * maximum or the like of what it was and of something else, and nobody else reads it on the way. */
#include "backends/c/emit.h"
#include "backends/cpu/cpu.h"

/* A value by which a loop goes on, and the one that it had. */
typedef struct combined {
    k_id before, next;
} combined;

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
static const char *operator_of(const c_emitter *e, combined c)
{
    const k_node *n = k_at(e->p, c.next);
    if (n->op != K_SCALAR || n->type == ST_BOOL || !is_used(e, c.next, 1))
        return NULL;
    if (n->opcode == SOP_SELECT)
        return chosen_operator(e, n, c.before);
    bool once = (n->args[0] == c.before) != (n->args[1] == c.before) && is_used(e, c.before, 1);
    return once ? plain_operator(n->opcode) : NULL;
}

/* Nothing but values, reads and branches of them. */
static bool only_computes(const c_emitter *e, k_block b)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        k_class class = k_op_info(n->op)->class;
        if (n->op != K_YIELD && n->op != K_IF && class != KC_VALUE && n->op != K_LOAD)
            return false;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && !only_computes(e, n->blocks[i]))
                return false;
    }
    return true;
}

static const k_node *end_of(const c_emitter *e, k_block b)
{
    return k_at(e->p, k_block_at(e->p, b)->last);
}

static combined combined_at(const c_emitter *e, const k_node *loop, uint32_t i)
{
    return (combined){c_carried(e->p, loop, i),
                      k_listed(e->p, end_of(e, loop->blocks[0]), i)};
}

static bool is_combining(const c_emitter *e, const k_node *loop)
{
    if (!loop->unordered || !loop->nresults || loop->form == FORM_SATURATING ||
        !only_computes(e, loop->blocks[0]))
        return false;
    for (uint32_t i = 0; i < loop->nresults; i++)
        if (!operator_of(e, combined_at(e, loop, i)))
            return false;
    return true;
}

void cpu_before_loop(fcl_printer *e, k_id id)
{
    const k_node *loop = k_at(e->p, id);
    if (!is_combining(e, loop))
        return;
    c_put(e, "#pragma omp simd");
    for (uint32_t i = 0; i < loop->nresults; i++) {
        combined c = combined_at(e, loop, i);
        c_put(e, " reduction(%s:", operator_of(e, c));
        c_name(e, c.before);
        c_put(e, ")");
    }
    c_put(e, "\n");
}
