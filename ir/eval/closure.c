/* Functions in lanes: calls, and closures that stand in elements, as the stencils of the prelude make them.
 *
 * The body of a closure is the same in all lanes; what it was made with has a value in each.  Where a branch takes some of the
 * lanes, a closure from outside is that of those: `of` says which of its frame's they are. */
#include "ir/eval/batch.h"

#include <string.h>

struct lane_closure {
    const code *body;
    const lane_frame *frame; /* where it was written; NULL: env */
    const uint32_t *of;      /* the lane of the frame that a lane is; NULL: the same one */
    const eval_frame *env;
    uint32_t n; /* levels and arguments that were given */
    lanes given[];
};

/* ---- calls ---- */

/* Levels, and types that are passed as they are, are the same in all lanes. */
static bool levels_of(batch *b, const code *c, const lane_frame *f, const inst *i, const code *body,
                      lanes *out)
{
    for (uint32_t k = 0; k < body->nlevels; k++) {
        const level_operand *l = &i->call.levels[k];
        lanes base = {0};
        if (l->var.depth != DEPTH_NONE && !eval_lane_get(b, c, f, l->var, &base))
            return false;
        out[k] = (lanes){.one = {.tag = VAL_LEVEL, .bits = base.one.bits + l->offset}};
    }
    return true;
}

bool eval_lane_call(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    const code *body = code_of(b->M, ir_func_at(b->M->m, i->call.func)->body);
    if (!body || !body->in_lanes || b->M->tuned || body->nlevels != i->call.nlevels ||
        body->nparams != i->nargs)
        return false;
    lane_frame *inner = eval_lane_frame(b, body, NULL, NULL, f->n);
    if (!inner || !levels_of(b, c, f, i, body, &inner->slots[body->level_slot]))
        return false;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!eval_lane_get(b, c, f, i->args[k], &inner->slots[body->params[k]]))
            return false;
    return eval_lane_run(b, body, inner, out);
}

/* ---- closures ---- */

static uint32_t count_wanted(const code *body)
{
    return body->nlevels + body->nparams;
}

/* With room for all that can be given. */
static struct lane_closure *closure_new(batch *b, const code *body)
{
    struct lane_closure *k =
        body && body->in_lanes ? eval_lane_room(b, sizeof *k + count_wanted(body) * sizeof k->given[0]) : NULL;
    if (k)
        *k = (struct lane_closure){.body = body};
    return k;
}

static lanes of_closure(const struct lane_closure *k)
{
    return (lanes){.one = {.tag = VAL_FUN}, .fun = k};
}

/* A copy, to which more can be given; of one from outside of the batch too. */
static struct lane_closure *closure_of(batch *b, const lanes *v)
{
    const eval_closure *same = v->fun ? NULL : v->one.fun;
    if (v->one.tag != VAL_FUN || (same && same->looked))
        return NULL;
    struct lane_closure *k = closure_new(b, same ? same->body : v->fun->body);
    if (k && !same) {
        memcpy(k, v->fun, sizeof *k);
        memcpy(k->given, v->fun->given, k->n * sizeof k->given[0]);
    } else if (k) {
        k->env = same->env;
        for (; k->n < same->nlevels + same->nargs; k->n++)
            k->given[k->n] = (lanes){.one = same->given[k->n]};
    }
    return k;
}

bool eval_lane_closure_chosen(batch *b, const lanes *from, const uint32_t *at, uint32_t n, lanes *out)
{
    struct lane_closure *k = closure_of(b, from);
    uint32_t *of = k && k->frame ? eval_lane_room(b, n * sizeof *of) : NULL;
    if (!k || (k->frame && !of))
        return false;
    for (uint32_t i = 0; of && i < n; i++)
        of[i] = k->of ? k->of[at[i]] : at[i];
    k->of = of;
    for (uint32_t i = 0; i < k->n; i++)
        if (!eval_lane_chosen(b, &from->fun->given[i], at, n, &k->given[i]))
            return false;
    *out = of_closure(k);
    return true;
}

/* One that waits for nothing is its value, which is left to the elements. */
bool eval_lane_function(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    bool named = i->opcode == OP_FUNC;
    const code *body = code_of(b->M, named ? ir_func_at(b->M->m, i->call.func)->body : i->regions);
    struct lane_closure *k = closure_new(b, body);
    if (!k || body->nparams == 0 || (named && (b->M->tuned || body->nlevels != i->call.nlevels)))
        return false;
    if (named && !levels_of(b, c, f, i, body, k->given))
        return false;
    k->n = named ? body->nlevels : 0;
    k->frame = named ? NULL : f;
    *out = of_closure(k);
    return true;
}

static bool run_closure(batch *b, const struct lane_closure *k, uint32_t n, lanes *out)
{
    lane_frame *inner = eval_lane_frame(b, k->body, k->frame, k->env, n);
    if (!inner)
        return false;
    inner->of = k->of;
    memcpy(&inner->slots[k->body->level_slot], k->given, k->body->nlevels * sizeof k->given[0]);
    for (uint32_t j = 0; j < k->body->nparams; j++)
        inner->slots[k->body->params[j]] = k->given[k->body->nlevels + j];
    return eval_lane_run(b, k->body, inner, out);
}

/* To the arguments from *next on, as many as the function takes. */
static bool apply_some(batch *b, const code *c, const lane_frame *f, const inst *i, uint32_t *next, lanes *v)
{
    struct lane_closure *k = closure_of(b, v);
    if (!k || k->n < k->body->nlevels || k->n == count_wanted(k->body))
        return false;
    for (; k->n < count_wanted(k->body) && *next < i->nargs; k->n++)
        if (!eval_lane_get(b, c, f, i->args[(*next)++], &k->given[k->n]))
            return false;
    if (k->n == count_wanted(k->body))
        return run_closure(b, k, f->n, v);
    *v = of_closure(k);
    return true;
}

bool eval_lane_apply(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    uint32_t next = 1;
    if (!eval_lane_get(b, c, f, i->a, out))
        return false;
    while (next < i->nargs)
        if (!apply_some(b, c, f, i, &next, out))
            return false;
    return true;
}
