/* emit and receive: a value is written to memory, and handed to whoever wants the output of the run, or
 * gives something for it. */
#include "ir/eval/value.h"

#include <string.h>

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

/* The arrays and scalars that a value is; *out is to be freed, also after a failure. */
static bool leaves_of(machine *M, ir_type t, const value *v, host_array **out, uint32_t *n)
{
    vec_leaf leaves = {0};
    bool ok = host_leaves_of(M->m, t, 0, &leaves);
    *n = leaves.len;
    *out = ok ? mem_resize(M->mm, NULL, 0, (*n + 1u) * sizeof **out) : NULL;
    for (uint32_t k = 0; *out && k < *n; k++)
        (*out)[k] = (host_array){.type = leaves.at[k].type};
    vec_free(M->mm, &leaves);
    return *out && eval_to_host(M, t, v, *out);
}

static void free_leaves(machine *M, host_array *a, uint32_t n)
{
    for (uint32_t k = 0; a && k < n; k++)
        if (a[k].data)
            host_free(M->mm, &a[k]);
    mem_free(M->mm, a, a ? (n + 1u) * sizeof *a : 0);
}

static bool hand_out(machine *M, const inst *i, ir_type t, const value *v)
{
    host_array *out;
    uint32_t n;
    bool ok = leaves_of(M, t, v, &out, &n);
    if (ok && !M->emit(M->emit_user, i->op, out, n)) {
        atomic_store_explicit(&M->m->cx->cancelled, 1, memory_order_relaxed);
        ok = eval_stopped(M);
    }
    free_leaves(M, out, n);
    return ok;
}

/* All of it is computed first: what fails there is not handed out. */
bool eval_EMIT(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    ir_type t = ir_value_at(M->m, ir_op_at(M->m, i->op)->result)->type;
    return written(M, i, operand_value(c, f, i->a), out) && (!M->emit || hand_out(M, i, t, out));
}

/* ---- receive ---- */

static bool array_of(machine *M, const host_array *a, value *out)
{
    uint32_t shape = a->type;
    uint64_t count = host_count(a);
    stored *s = eval_stored_new(M);
    if (!s || !eval_buffer_set_shape(M, s->p.data, &shape, 1) ||
        !eval_buffer_reserve(M, s->p.data, count))
        return false;
    memcpy(s->dims, a->dims, a->rank * sizeof *a->dims);
    s->p.rank = (uint8_t)a->rank;
    s->p.count = count;
    if (count)
        memcpy(s->p.data->columns[0].data, a->data, (size_t)(count * ir_scalar_bytes(a->type)));
    *out = (value){.tag = VAL_PULL, .pull = &s->p};
    return true;
}

static bool ask(machine *M, const inst *i, const host_array *asked, uint32_t n, value *out)
{
    const type_node t = *ir_type_at(M->m, ir_op_at(M->m, i->op)->attr);
    host_array answer = {.type = (scalar)t.a};
    if (t.kind == TY_PULL) {
        answer.type = (scalar)ir_type_at(M->m, t.a)->a;
        answer.rank = t.n;
    }
    bool ok = M->receive(M->receive_user, i->op, asked, n, &answer);
    if (!ok)
        return false;
    if (answer.rank)
        ok = array_of(M, &answer, out);
    else
        *out = scalar_value(answer.type, host_get(&answer, 0));
    host_free(M->mm, &answer);
    return ok;
}

bool eval_RECEIVE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    value asked;
    host_array *leaves = NULL;
    uint32_t n = 0;
    ir_type t = ir_value_at(M->m, ir_arg(M->m, i->op, 0))->type;
    if (!M->receive)
        return eval_fail(M, DIAG_RUN_ASKED, i->op,
                         "the program asks for something here, and nobody answers");
    bool ok = written(M, i, operand_value(c, f, i->a), &asked) &&
              leaves_of(M, t, &asked, &leaves, &n) && ask(M, i, leaves, n, out);
    free_leaves(M, leaves, n);
    return ok;
}
