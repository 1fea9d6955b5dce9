/* Loops whose turns may be combined in any order, which compilers then make vectors of: a sum of
 * floats is one in order otherwise. */
#include "backends/c/emit.h"
#include "backends/cpu/cpu.h"

void cpu_before_loop(fcl_printer *e, k_id id)
{
    const k_node *loop = k_at(e->p, id);
    if (!c_is_combining(e, loop) || !c_only_computes(e, loop->blocks[0], false))
        return;
    c_put(e, "#pragma omp simd");
    for (uint32_t i = 0; i < loop->nresults; i++) {
        c_combined c = c_combined_at(e, loop, i);
        c_put(e, " reduction(%s:", c_combining_operator(e, c));
        c_name(e, c.before);
        c_put(e, ")");
    }
    c_put(e, "\n");
}
