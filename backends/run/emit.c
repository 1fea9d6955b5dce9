/* What a plan hands out and takes in while it runs: leaves are fetched one after the other, and with the
 * last of them all go to the caller, or what the caller gives for them comes to the device. */
#include "backends/run/prepared.h"

/* The elements of an array come to the host, when all that was launched is done. */
static bool fetch(run_prepared *r, const plan_step *s, host_array *a)
{
    const plan_memory *m = plan_memory_at(r->p, s->memory);
    int64_t first = run_number(r, s->args[0]);
    *a = (host_array){.type = (scalar)m->type, .rank = s->nlist};
    if (!run_extents(r, s, a))
        return false;
    uint64_t count = host_count(a), has = run_count_of(r, s->memory), size = ir_scalar_bytes(a->type);
    if (first < 0 || (uint64_t)first > has || count > has - (uint64_t)first)
        return run_error(r, DIAG_RUN_INDEX, s->at,
                         "%llu elements are handed out from %lld on of an array of %llu",
                         (unsigned long long)count, (long long)first, (unsigned long long)has);
    void *memory = count ? run_memory_of(r, s->memory) : NULL;
    return host_alloc(&r->cx->mem, a) &&
           (!count || (memory && r->d->ops->read(r->d, memory, (uint64_t)first * size, count * size,
                                                 a->data)));
}

static bool take_scalar(run_prepared *r, const plan_step *s, host_array *a)
{
    *a = (host_array){.type = (scalar)r->p->values.at[s->args[0]]};
    if (!host_alloc(&r->cx->mem, a))
        return false;
    host_set(a, 0, r->values[s->args[0]]);
    return true;
}

void run_drop_emitted(run_prepared *r)
{
    for (uint32_t i = 0; i < r->emitted.len; i++)
        if (r->emitted.at[i].data)
            host_free(&r->cx->mem, &r->emitted.at[i]);
    r->emitted.len = 0;
}

static bool hand_out(run_prepared *r, const plan_step *s)
{
    bool ok = !r->bounds.output ||
              r->bounds.output(r->bounds.output_user, r->emitted.at, r->emitted.len,
                               (str_id)s->bits, s->at);
    run_drop_emitted(r);
    if (!ok)
        atomic_store(&r->cx->cancelled, 1);
    return ok || context_stopped(r->cx, s->at);
}

bool run_emit(run_prepared *r, const plan_step *s)
{
    host_array a = {0};
    if (!r->bounds.output && !r->asks)
        return true;
    bool ok = s->op == PLAN_EMIT ? fetch(r, s, &a) : take_scalar(r, s, &a);
    if (!vec_push(&r->cx->mem, &r->emitted, a)) {
        if (a.data)
            host_free(&r->cx->mem, &a);
        return false;
    }
    return ok && (s->which || hand_out(r, s));
}

/* ---- what is taken in ---- */

static bool ask(run_prepared *r, const plan_step *s, host_array *answer)
{
    run_bounds *b = &r->bounds;
    bool ok = b->input && b->input(b->input_user, r->emitted.at, r->emitted.len, (str_id)s->bits,
                                   s->at, answer);
    if (!b->input)
        run_error(r, DIAG_RUN_ASKED, s->at,
                  "the program asks for something here, and nobody answers");
    run_drop_emitted(r);
    return ok;
}

bool run_receive(run_prepared *r, const plan_step *s)
{
    host_array a = {.type = (scalar)plan_memory_at(r->p, s->memory)->type, .rank = s->ngives};
    if (!ask(r, s, &a))
        return false;
    uint64_t count = host_count(&a), bytes = count * ir_scalar_bytes(a.type);
    bool ok = run_room(r, s->memory, count, s->at);
    for (uint32_t i = 0; i < s->ngives; i++)
        r->values[s->gives + i] = a.dims[i];
    ok = ok && (!bytes || r->d->ops->write(r->d, run_memory_of(r, s->memory), bytes, a.data));
    host_free(&r->cx->mem, &a);
    return ok;
}

bool run_emits(const run_prepared *r)
{
    return r->emits;
}
