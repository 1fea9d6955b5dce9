/* Plans as data: making room, and the rows of plan.def. */
#include "ir/plan/plan.h"

static const plan_info steps[PLAN_END] = {
#define PSTEP(e, number, since, name, gives, a, b, c, memory, which, list, first, second, meaning) \
    [number] = {name, PLAN_GIVES_##gives, {a, b, c}, memory, which, list, {first, second}},
#include "ir/plan/plan.def"
#undef PSTEP
};

const plan_info *plan_op_info(uint32_t op)
{
    return &steps[op < PLAN_END ? op : PLAN_NONE];
}

const char *plan_own_key(uint32_t op)
{
    static const char *const keys[PLAN_END] = {
#define PKEY(e, since, key, form, meaning) [PLAN_##e] = key,
#include "ir/plan/plan.def"
#undef PKEY
    };
    return op < PLAN_END ? keys[op] : NULL;
}

const char *plan_memory_name(uint32_t which)
{
    static const char *const names[PLAN_MEMORY_END] = {
#define PMEMORY(e, number, since, name, meaning) [number] = name,
#include "ir/plan/plan.def"
#undef PMEMORY
    };
    return which < PLAN_MEMORY_END ? names[which] : NULL;
}

const char *plan_takes_name(uint32_t takes)
{
    static const char *const names[PLAN_TAKES_END] = {
#define PTAKES(e, number, since, name, meaning) [number] = name,
#include "ir/plan/plan.def"
#undef PTAKES
    };
    return takes < PLAN_TAKES_END ? names[takes] : NULL;
}

const char *plan_need_name(uint32_t bit)
{
    static const char *const names[] = {
#define PNEED(e, bit, since, name, meaning) [bit] = name,
#include "ir/plan/plan.def"
#undef PNEED
    };
    return bit < sizeof names / sizeof *names ? names[bit] : NULL;
}

/* Number 0 of everything is the readable none; block 1 is the whole. */
bool plan_init(plan *p, fcl_context *cx)
{
    mem *m = &cx->mem;
    *p = (plan){.cx = cx, .most_elements = (uint64_t)MAX_ELEMENTS};
    return vec_push(m, &p->values, 0) && vec_push(m, &p->memories, (plan_memory){0}) &&
           vec_push(m, &p->kernels, (plan_kernel){0}) && vec_push(m, &p->checks, (plan_check){0}) &&
           vec_push(m, &p->steps, (plan_step){0}) && vec_push(m, &p->blocks, (plan_block){0}) &&
           plan_add_block(p) == PLAN_WHOLE;
}

void plan_release(plan *p)
{
    if (!p->cx)
        return;
    mem *m = &p->cx->mem;
    host_signature_free(m, &p->face);
    vec_free(m, &p->values);
    vec_free(m, &p->memories);
    vec_free(m, &p->kernels);
    vec_free(m, &p->arguments);
    vec_free(m, &p->locals);
    vec_free(m, &p->checks);
    vec_free(m, &p->steps);
    vec_free(m, &p->blocks);
    vec_free(m, &p->pool);
    vec_free(m, &p->tables);
    *p = (plan){0};
}

bool plan_takes_memory(const plan *p, const plan_step *launch, uint32_t i)
{
    const plan_kernel *k = plan_kernel_at(p, launch->which);
    return i < k->narguments && p->arguments.at[k->arguments + i].takes == PLAN_TAKES_MEMORY;
}

uint32_t plan_add_value(plan *p, scalar type)
{
    return vec_push(&p->cx->mem, &p->values, (uint8_t)type) ? p->values.len - 1 : 0;
}

uint32_t plan_add_block(plan *p)
{
    return vec_push(&p->cx->mem, &p->blocks, (plan_block){0}) ? p->blocks.len - 1 : 0;
}

uint32_t plan_insert_step(plan *p, uint32_t block, uint32_t behind, const plan_step *s)
{
    if (!block || !vec_push(&p->cx->mem, &p->steps, *s))
        return 0;
    uint32_t new = p->steps.len - 1;
    plan_block *b = &p->blocks.at[block];
    uint32_t *link = behind ? &p->steps.at[behind].next : &b->first;
    p->steps.at[new].next = *link;
    *link = new;
    if (b->last == behind)
        b->last = new;
    return new;
}

uint32_t plan_add_step(plan *p, uint32_t block, const plan_step *s)
{
    return plan_insert_step(p, block, p->blocks.at[block].last, s);
}
