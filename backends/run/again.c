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

static bool is_steady(const plan_step *s, const bool *steady)
{
    bool is = run_computes(s);
    for (int i = 0; is && i < 3; i++)
        is = !s->args[i] || steady[s->args[i]];
    return is;
}

bool run_find_steady(run_prepared *r)
{
    mem *m = &r->cx->mem;
    size_t values = r->p->values.len + 1u;
    bool *steady = mem_resize(m, NULL, 0, values * sizeof *steady);
    bool ok = steady && vec_reserve(m, &r->key, key_length(r->p) + 1);
    for (size_t i = 0; ok && i < values; i++)
        steady[i] = false;
    for (uint32_t i = 0; ok && i < key_length(r->p); i++)
        r->key.at[r->key.len++] = 0;
    for (uint32_t i = plan_block_at(r->p, PLAN_WHOLE)->first; ok && i; i = plan_step_at(r->p, i)->next) {
        const plan_step *s = plan_step_at(r->p, i);
        bool is = is_steady(s, steady);
        if (is)
            steady[s->gives] = true;
        else
            ok = vec_push(m, &r->work, i);
        r->nsteady += is;
    }
    mem_free(m, steady, values * sizeof *steady);
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
