/* Which values the code of an entry needs: those that steps with an effect name, and what they are
 * computed from.  C compilers warn of variables that nobody reads. */
#include "frontends/tools/driver/driver.h"

#include <stdlib.h>

/* Where a value comes from: a step, of whose results or parameters it is number `which`. */
typedef struct source {
    uint32_t step, which;
    bool is_param;
} source;

typedef struct finder {
    driver *d;
    source *sources; /* by value */
    uint32_t *queue; /* values that are used, whose own sources are not looked at yet */
    uint32_t nqueue;
} finder;

static void use(finder *f, uint32_t value)
{
    if (!value || f->d->used[value])
        return;
    f->d->used[value] = true;
    f->queue[f->nqueue++] = value;
}

static void use_list(finder *f, const uint32_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        use(f, values[i]);
}

static void use_operands(finder *f, const fcl_step *s)
{
    use_list(f, s->operands, 3);
}

/* A launch lists memories too. */
static void use_launch(finder *f, const fcl_step *s)
{
    fcl_kernel_argument a;
    for (uint32_t i = 0; fcl_plan_argument(f->d->p, s->which, i, &a, sizeof a); i++)
        if (a.takes != FCL_TAKES_MEMORY)
            use(f, s->list[i]);
}

/* What a step does by itself, whoever needs what it gives. */
static void use_effect(finder *f, const fcl_step *s)
{
    fcl_block condition;
    if (s->kind >= FCL_STEP_ALLOCATE)
        use_operands(f, s);
    if (s->kind == FCL_STEP_LAUNCH)
        use_launch(f, s);
    else if (s->kind == FCL_STEP_OUTPUT || s->kind == FCL_STEP_EMIT)
        use_list(f, s->list, s->nlist);
    else if (s->kind == FCL_STEP_WHILE &&
             fcl_plan_block(f->d->p, s->blocks[0], &condition, sizeof condition))
        use_list(f, condition.yields, condition.nyields);
}

static void note_step(finder *f, uint32_t number, const fcl_step *s)
{
    fcl_block b;
    for (uint32_t i = 0; i < s->ngives; i++)
        f->sources[s->gives + i] = (source){.step = number, .which = i};
    if (!fcl_plan_block(f->d->p, s->blocks[0], &b, sizeof b))
        return;
    for (uint32_t i = 0; i < b.nparams; i++)
        f->sources[b.params + i] = (source){.step = number, .which = i, .is_param = true};
}

/* A parameter of a loop is what is listed, and what the body yields; the index is neither. */
static void use_param(finder *f, const source *from, const fcl_step *s)
{
    fcl_block body;
    bool is_for = s->kind == FCL_STEP_FOR;
    if (is_for && !from->which)
        return;
    uint32_t i = from->which - (is_for ? 1 : 0);
    fcl_plan_block(f->d->p, s->blocks[is_for ? 0 : 1], &body, sizeof body);
    use(f, s->list[i]);
    use(f, body.yields[i]);
}

static void use_result(finder *f, const source *from, const fcl_step *s)
{
    fcl_block b;
    if (s->kind == FCL_STEP_IF) {
        for (int i = 0; i < 2; i++)
            if (fcl_plan_block(f->d->p, s->blocks[i], &b, sizeof b))
                use(f, b.yields[from->which]);
    } else if (fcl_plan_block(f->d->p, s->blocks[0], &b, sizeof b)) {
        use(f, b.params + from->which + (s->kind == FCL_STEP_FOR ? 1 : 0));
    }
}

static void follow(finder *f, uint32_t value)
{
    const source *from = &f->sources[value];
    fcl_step s;
    if (!fcl_plan_step(f->d->p, from->step, &s, sizeof s))
        return;
    if (from->is_param)
        use_param(f, from, &s);
    else if (s.blocks[0])
        use_result(f, from, &s);
    else
        use_operands(f, &s);
}

/* Each value is followed once. */
void driver_find_uses(driver *d)
{
    fcl_step s;
    size_t n = (size_t)d->info.values + 1;
    finder f = {.d = d,
                .sources = tool_alloc(n, sizeof *f.sources),
                .queue = tool_alloc(n, sizeof *f.queue)};
    for (uint32_t i = 1; fcl_plan_step(d->p, i, &s, sizeof s); i++)
        note_step(&f, i, &s);
    for (uint32_t i = 1; fcl_plan_step(d->p, i, &s, sizeof s); i++)
        use_effect(&f, &s);
    while (f.nqueue)
        follow(&f, f.queue[--f.nqueue]);
    free(f.sources);
    free(f.queue);
}
