/* Total into exact: every operator gets the form in which the target computes it (form.h).
 *
 * Operators of the kernel IR are defined for all operands, those of targets are not.  After this
 * pass a program says what its code has to do about that, and emitters only write it down.  It
 * changes no operation, and is the last to look at ranges. */
#include "ir/kernel/form.h"
#include "ir/kernel/pass/pass.h"

bool k_legalise(k_program *p)
{
    for (k_id id = 1; id < p->nodes.len; id++) {
        k_node *n = k_at(p, id);
        if (k_op_info(n->op)->attributes & HAS_FORM)
            n->form = (uint8_t)k_form_of(p, n);
    }
    p->stage = K_LEGALISED;
    return true;
}

void k_forget_forms(k_program *p)
{
    if (p->stage != K_LEGALISED)
        return;
    for (k_id id = 1; id < p->nodes.len; id++)
        k_at(p, id)->form = FORM_PLAIN;
    p->stage = K_OUTLINED;
}
