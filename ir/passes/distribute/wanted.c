/* Whether elements of an array are asked for whenever the region runs that describes it, if there are any: what they need is not
 * what a guard keeps from being computed.
 *
 * An array that is described is asked for by who goes through it: collectives, results and loops, and functions that do so with what they are
 * given; a map of it, an array that reads it, or the choice that it is a branch of, is asked for in its turn.  Its length alone asks
 * for nothing, and what stands in a branch asks where that is taken. */
#include "ir/passes/distribute/distribute.h"
#include "ir/scheduled.h"

enum { MOST_USES = 512, MOST_CALLS = 16 };

typedef struct wanting {
    scheduler *s;
    uint32_t left, ncalls;
    ir_op calls[MOST_CALLS]; /* that were gone into */
} wanting;

static bool is_wanted(wanting *w, ir_value v, bool by_length);

static uint32_t code_of_op(const wanting *w, ir_op o)
{
    return ir_op_at(w->s->m, o)->opcode;
}

static bool is_described(uint32_t code)
{
    return code == OP_GENERATE || code == OP_MAP || code == OP_TUPLE || code == OP_PROJ || code == OP_IF;
}

/* What an operation gives; a call has work to do for a length, too. */
static bool gives_wanted(wanting *w, ir_op o)
{
    ir_value v = ir_op_at(w->s->m, o)->result;
    return v && is_wanted(w, v, code_of_op(w, o) == OP_CALL);
}

/* By what a function does with what it is given, as operand k. */
static bool callee_wants(wanting *w, ir_op call, uint32_t k)
{
    ir_module *m = w->s->m;
    const region_node body = *ir_region_at(m, ir_func_at(m, ir_op_at(m, call)->attr)->body);
    if (w->ncalls == MOST_CALLS || k >= body.nparams)
        return false;
    w->calls[w->ncalls++] = call;
    bool is = is_wanted(w, body.params + k, false);
    w->ncalls--;
    return is;
}

/* Of a call that was gone into, or of a kernel. */
static bool result_is_wanted(wanting *w, ir_op end)
{
    ir_module *m = w->s->m;
    ir_func f = ir_region_at(m, ir_op_at(m, end)->parent)->func;
    if (!w->ncalls)
        return ir_func_at(m, f)->kernel;
    ir_op call = w->calls[--w->ncalls];
    bool is = gives_wanted(w, call);
    w->calls[w->ncalls++] = call;
    return is;
}

/* Whether an operation that uses an array as operand k, or has such a use in its regions (MANY), asks for elements. */
enum { MANY = INT32_MAX };

static bool asks(wanting *w, ir_op o, uint32_t k)
{
    ir_module *m = w->s->m;
    uint32_t code = code_of_op(w, o);
    if (code == OP_RETURN)
        return result_is_wanted(w, o);
    if (code == OP_CALL && k != MANY)
        return callee_wants(w, o, k);
    if (code == OP_YIELD) {
        ir_op owner = ir_region_at(m, ir_op_at(m, o)->parent)->owner;
        uint32_t outer = code_of_op(w, owner);
        return is_described(outer) ? gives_wanted(w, owner) : outer != OP_FN && outer != OP_ASSERT;
    }
    return is_described(code) ? gives_wanted(w, o) : code != OP_APPLY && code != OP_FN;
}

/* The operation of a region that a use stands in, or is; 0: it is in a branch, or in what may not run. */
static ir_op around_use(const wanting *w, ir_op user, ir_region in)
{
    const ir_module *m = w->s->m;
    while (user && m->ops.at[user].parent != in) {
        user = m->regions.at[m->ops.at[user].parent].owner;
        uint32_t outer = user ? m->ops.at[user].opcode : OP_NONE;
        if (outer == OP_IF || outer == OP_WHILE || outer == OP_ASSERT || outer == OP_FN)
            return 0;
    }
    return user;
}

static bool is_wanted(wanting *w, ir_value v, bool by_length)
{
    const ir_editor *e = &w->s->e;
    const ir_region in = ir_value_region(w->s->m, v);
    bool is = false;
    for (uint32_t u = ir_first_use(e, v); u && !is && w->left; u = ir_next_use(e, u)) {
        ir_op user = ir_user(e, u), top = around_use(w, user, in);
        uint32_t code = code_of_op(w, user), k = 0;
        w->left--;
        while (k < ir_op_at(w->s->m, user)->nargs && ir_arg(w->s->m, user, k) != v)
            k++;
        bool asks_length = code == OP_LENGTH || code == OP_DIM;
        is = top && (by_length || !asks_length) && asks(w, top, top == user ? k : MANY);
    }
    return is;
}

bool sched_is_wanted(scheduler *s, ir_op o)
{
    wanting w = {.s = s, .left = MOST_USES};
    uint32_t code = ir_op_at(s->m, o)->opcode;
    bool goes_through = code == OP_REPEAT || code == OP_FILTER || code == OP_SORT || ir_puts_elements(code);
    return goes_through || gives_wanted(&w, o);
}
