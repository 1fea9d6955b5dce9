/* How many reads and branches stand inside one another in the code of an array's element, where all
 * that it reads is computed where it is read.
 *
 * Each read at a computed place may be checked, and what it reads is inside of the check: a chain of
 * arrays that read one another nests as deep as it is long, and drivers take so many levels only.
 * Every array of the grid is looked at once, by its text. */
#include "ir/passes/schedule/schedule.h"

uint32_t sched_levels(const scheduler *s, ir_value v)
{
    return v < s->levels.len ? s->levels.at[v] : 0;
}

static uint32_t most_of_operands(const scheduler *s, ir_op o)
{
    uint32_t most = 0;
    for (uint32_t k = 0; k < ir_op_at(s->m, o)->nargs; k++) {
        uint32_t levels = sched_levels(s, ir_arg(s->m, o, k));
        most = levels > most ? levels : most;
    }
    return most;
}

/* Of an operation of an element, home being the region of the array; recursion is as deep as regions nest. */
static uint32_t of_operation(const scheduler *s, ir_op o, ir_region home)
{
    const op_node n = *ir_op_at(s->m, o);
    uint32_t regions = ir_op_info(n.opcode)->regions, most = 0;
    for (uint32_t i = 0; i < regions; i++) {
        for (ir_op in = ir_region_at(s->m, n.regions + i)->first; in; in = ir_op_at(s->m, in)->next) {
            uint32_t levels = of_operation(s, in, home);
            most = levels > most ? levels : most;
        }
    }
    uint32_t read = most_of_operands(s, o), own = regions && n.opcode != OP_GENERATE && n.opcode != OP_MAP;
    own = own || n.opcode == OP_CALL || (n.opcode == OP_INDEX && !sched_asks_in_place(s, o, home));
    return (most > read ? most : read) + own;
}

void sched_find_levels(scheduler *s, ir_op o)
{
    ir_value v = ir_op_at(s->m, o)->result;
    if (sched_has_entry(s, &s->levels, v))
        s->levels.at[v] = of_operation(s, o, ir_op_at(s->m, o)->parent);
}
