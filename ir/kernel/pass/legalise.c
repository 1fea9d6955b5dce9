/* Total into exact: every operator gets the form in which the target computes it (form.h).
 *
 * Operators of the kernel IR are defined for all operands, those of targets are not.  After this
 * pass a program says what its code has to do about that, and emitters only write it down.  So it
 * is with what a kernel's barriers order.  It
 * changes no operation, and is the last to look at ranges. */
#include "ir/kernel/analysis/shared.h"
#include "ir/kernel/form.h"
#include "ir/kernel/pass/pass.h"

static void set_fence(void *data, k_id sync, bool fenced)
{
    k_at(data, sync)->fenced = fenced;
}

/* Barriers order what threads have stored to local memory; where they hand values to one another
 * through global memory, that as well, which costs time. */
static bool set_orders(k_program *p)
{
    k_ordering order = {set_fence, p};
    uint8_t *seen = mem_zeroed(&p->cx->mem, p->nodes.len);
    for (uint32_t i = 0; seen && i < p->kernels.len; i++)
        p->kernels.at[i].shares_global = k_shares_global(p, &p->kernels.at[i], &order, seen);
    mem_free(&p->cx->mem, seen, p->nodes.len);
    return seen != NULL;
}

bool k_legalise(k_program *p)
{
    for (k_id id = 1; id < p->nodes.len; id++) {
        k_node *n = k_at(p, id);
        if (k_op_info(n->op)->attributes & HAS_FORM)
            n->form = (uint8_t)k_form_of(p, n);
    }
    p->stage = K_LEGALISED;
    return set_orders(p);
}

void k_forget_forms(k_program *p)
{
    if (p->stage != K_LEGALISED)
        return;
    for (k_id id = 1; id < p->nodes.len; id++)
        k_at(p, id)->form = FORM_PLAIN, k_at(p, id)->fenced = false;
    for (uint32_t i = 0; i < p->kernels.len; i++)
        p->kernels.at[i].shares_global = false;
    p->stage = K_OUTLINED;
}
