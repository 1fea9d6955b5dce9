/* emit: a value is written to memory, and handed to whoever wants the output of the run. */
#include "ir/eval/value.h"

/* The value with its arrays in memory: elements are computed once, also where what follows reads
 * them. */
static bool written(machine *M, const inst *i, const value *v, value *out)
{
    *out = *v;
    if (v->tag == VAL_PULL) {
        stored *s = eval_stored_new(M);
        if (!s || !eval_stored_write(M, i->op, v, s))
            return false;
        out->pull = &s->p;
    }
    if (v->tag != VAL_TUPLE)
        return true;
    value *items = stack_alloc(M, v->n * sizeof *items);
    out->items = items;
    for (uint32_t k = 0; items && k < v->n; k++)
        if (!written(M, i, &v->items[k], &items[k]))
            return false;
    return items != NULL;
}

static bool hand_out(machine *M, const inst *i, ir_type t, const value *v)
{
    vec_leaf leaves = {0};
    host_array *out = NULL;
    uint32_t n = 0;
    bool ok = host_leaves_of(M->m, t, 0, &leaves);
    if (ok) {
        n = leaves.len;
        out = mem_resize(M->mm, NULL, 0, (n + 1u) * sizeof *out);
    }
    for (uint32_t k = 0; out && k < n; k++)
        out[k] = (host_array){.type = leaves.at[k].type};
    ok = out && eval_to_host(M, t, v, out);
    if (ok && !M->emit(M->emit_user, i->op, out, n)) {
        atomic_store_explicit(&M->m->cx->cancelled, 1, memory_order_relaxed);
        ok = eval_stopped(M);
    }
    for (uint32_t k = 0; out && k < n; k++)
        host_free(M->mm, &out[k]);
    mem_free(M->mm, out, (n + 1u) * sizeof *out);
    vec_free(M->mm, &leaves);
    return ok;
}

/* All of it is computed first: what fails there is not handed out. */
bool eval_EMIT(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    ir_type t = ir_value_at(M->m, ir_op_at(M->m, i->op)->result)->type;
    return written(M, i, operand_value(c, f, i->a), out) && (!M->emit || hand_out(M, i, t, out));
}
