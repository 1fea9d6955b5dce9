/* Loops whose turns may be combined in any order, which compilers then make vectors of: a sum of
 * floats is one in order otherwise, and loads under a condition stay as they are.  Where there is
 * neither, they make vectors anyway, and better ones: what `omp simd` combines lies in memory
 * behind the loop, for which 64 elements take half as long again.
 *
 * Loads under a condition are mostly from here and there, which takes as long for each number in wide vectors as in others, so
 * these have 8: the rows of a matrix of which 16 numbers are stored take 0.75 of the time. */
#include "backends/c/emit.h"
#include "backends/cpu/cpu.h"

/* Sums begin with 0.0 in OpenMP's own, which a sum of -0.0 alone is then: what is neutral to all is -0.0. */
const char cpu_sums[] = "#pragma omp declare reduction(fcl_sum : float, double : omp_out += omp_in) "
                        "initializer(omp_priv = -0.0f)\n";

static bool has_branches(const k_program *p, k_block b)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next)
        if (k_at(p, id)->op == K_IF)
            return true;
    return false;
}

static bool combines_floats(const k_program *p, const k_node *loop)
{
    for (uint32_t i = 0; i < loop->nresults; i++)
        if (ir_scalar_is_float((scalar)k_at(p, loop->results + i)->type))
            return true;
    return false;
}

void cpu_before_loop(fcl_printer *e, k_id id)
{
    const k_node *loop = k_at(e->p, id);
    if (!c_is_combining(e, loop) || !c_only_computes(e, loop->blocks[0], false))
        return;
    bool branches = has_branches(e->p, loop->blocks[0]);
    if (!branches && !combines_floats(e->p, loop))
        return;
    c_put(e, branches ? "#pragma omp simd simdlen(8)" : "#pragma omp simd");
    for (uint32_t i = 0; i < loop->nresults; i++) {
        c_combined c = c_combined_at(e, loop, i);
        const char *operator = c_combining_operator(e, c);
        bool sum = *operator == '+' && ir_scalar_is_float((scalar)k_at(e->p, c.before)->type);
        c_put(e, " reduction(%s:", sum ? "fcl_sum" : operator);
        c_name(e, c.before);
        c_put(e, ")");
    }
    c_put(e, "\n");
}
