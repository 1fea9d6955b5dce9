/* Whether elements of an array are asked for whenever the region runs that describes it, if there are any: what they need is not
 * what a guard keeps from being computed.
 *
 * An array that is described is asked for by who goes through it: collectives, results, loops and calls; a map of it, an array that reads
 * it, or the choice that it is a branch of, is asked for in its turn.  Its length alone asks for nothing, and what stands in a
 * branch asks where that is taken. */
#include "ir/passes/distribute/distribute.h"

enum { MOST_USES = 256 };

static bool asks(scheduler *s, ir_op o, uint32_t *left);

static bool is_described(uint32_t code)
{
    return code == OP_GENERATE || code == OP_MAP || code == OP_TUPLE || code == OP_PROJ || code == OP_IF;
}

/* Whether something asks for what an operation gives. */
static bool is_wanted(scheduler *s, ir_op o, uint32_t *left)
{
    ir_value v = ir_op_at(s->m, o)->result;
    const ir_region in = ir_op_at(s->m, o)->parent;
    const bool calls = ir_op_at(s->m, o)->opcode == OP_CALL; /* which has work to do for a length, too */
    bool is = false;
    for (uint32_t u = v ? ir_first_use(&s->e, v) : 0; u && !is && *left; u = ir_next_use(&s->e, u)) {
        ir_op user = ir_user(&s->e, u);
        uint32_t code = ir_op_at(s->m, user)->opcode;
        --*left;
        is = calls || (code != OP_LENGTH && code != OP_DIM);
        for (; is && ir_op_at(s->m, user)->parent != in; user = ir_region_at(s->m, ir_op_at(s->m, user)->parent)->owner) {
            ir_op around = ir_region_at(s->m, ir_op_at(s->m, user)->parent)->owner;
            uint32_t outer = ir_op_at(s->m, around)->opcode;
            is = outer != OP_IF && outer != OP_WHILE && outer != OP_ASSERT && outer != OP_FN;
        }
        is = is && asks(s, user, left);
    }
    return is;
}

/* Whether an operation that uses an array, in the region of that or around such a use, asks for elements. */
static bool asks(scheduler *s, ir_op o, uint32_t *left)
{
    ir_module *m = s->m;
    uint32_t code = ir_op_at(m, o)->opcode;
    if (code == OP_YIELD) {
        ir_op owner = ir_region_at(m, ir_op_at(m, o)->parent)->owner;
        uint32_t outer = ir_op_at(m, owner)->opcode;
        return is_described(outer) ? is_wanted(s, owner, left) : outer != OP_FN && outer != OP_ASSERT;
    }
    return is_described(code) ? is_wanted(s, o, left) : code != OP_APPLY && code != OP_FN;
}

bool sched_is_wanted(scheduler *s, ir_op o)
{
    uint32_t left = MOST_USES, code = ir_op_at(s->m, o)->opcode;
    return code == OP_REPEAT || code == OP_FILTER || code == OP_SORT || is_wanted(s, o, &left);
}
