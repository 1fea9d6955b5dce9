/* Runs over arguments of the same extents and with the same scalars as the run before: what these alone tell has been
 * computed, and the steps of the outermost block that do are left out. */
#include "backends/run/prepared.h"

/* Numbers that tell such runs apart: the scalars, and the extents of arrays. */
static uint32_t key_length(const plan *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->face.in.len; i++)
        n += p->face.in.at[i].rank ? p->face.in.at[i].rank : 1;
    return n;
}

bool run_are_known(const run_prepared *r, const uint32_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (values[i] && !r->known[values[i]])
            return false;
    return true;
}

bool run_is_known(const run_prepared *r, const plan_step *s)
{
    return s->op >= PLAN_CONST && s->op <= PLAN_BITCAST && run_are_known(r, s->args, 3);
}

bool run_find_known(run_prepared *r)
{
    mem *m = &r->cx->mem;
    uint32_t n = key_length(r->p);
    bool ok = vec_reserve(m, &r->key, n + 1);
    for (uint32_t i = 0; ok && i < n; i++)
        r->key.at[r->key.len++] = 0;
    for (uint32_t i = plan_block_at(r->p, PLAN_WHOLE)->first; ok && i; i = plan_step_at(r->p, i)->next) {
        const plan_step *s = plan_step_at(r->p, i);
        if (run_is_known(r, s)) {
            r->known[s->gives] = true;
            r->nknown++;
        } else {
            ok = vec_push(m, &r->work, i);
        }
    }
    return ok;
}

bool run_is_again(run_prepared *r)
{
    bool same = true;
    uint32_t k = 0;
    for (uint32_t i = 0; i < r->p->face.in.len; i++) {
        const host_array *a = &r->args[i].shape;
        uint32_t n = r->p->face.in.at[i].rank;
        for (uint32_t j = 0; j < (n ? n : 1); j++, k++) {
            uint64_t x = n ? a->dims[j] : host_get(a, 0);
            same = same && r->key.at[k] == x;
            r->key.at[k] = x;
        }
    }
    return same;
}
