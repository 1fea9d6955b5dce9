/* Lifetimes: behind which step nothing uses a memory any more.
 *
 * The home of a memory is the innermost block that holds all steps which name it; it is freed
 * behind the last step there that names it, or has a block that does.  So what a loop makes and
 * nobody outside names is freed in each turn, and what stands outside is not freed in a loop. */
#include "ir/plan/plan.h"

typedef struct lifetime {
    uint32_t home; /* a block; 0: no step names it */
    uint32_t last; /* step of the home */
    bool kept;     /* a result, or not the plan's to free */
} lifetime;

/* Where a block stands. */
typedef struct place {
    uint32_t outer, owner, depth;
} place;

typedef struct freeing {
    plan *p;
    lifetime *memories;
    place *blocks;
    bool homes_known;
} freeing;

/* The innermost block that holds both. */
static uint32_t common(const freeing *f, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (f->blocks[a].depth >= f->blocks[b].depth)
            a = f->blocks[a].outer;
        else
            b = f->blocks[b].outer;
    }
    return a;
}

static void note(freeing *f, uint32_t memory, uint32_t block, uint32_t step)
{
    lifetime *l = &f->memories[memory];
    if (!f->homes_known) {
        l->home = l->home ? common(f, l->home, block) : block;
        return;
    }
    while (block != l->home) {
        step = f->blocks[block].owner;
        block = f->blocks[block].outer;
    }
    l->last = step;
}

static void walk(freeing *f, uint32_t block);

static void look(freeing *f, uint32_t block, uint32_t id)
{
    const plan_step *s = plan_step_at(f->p, id);
    if (s->memory)
        note(f, s->memory, block, id);
    if (s->op == PLAN_SWAP)
        note(f, s->which, block, id);
    if (s->op == PLAN_OUTPUT)
        f->memories[s->memory].kept = true;
    for (uint32_t i = 0; s->op == PLAN_LAUNCH && i < s->nlist; i++)
        if (plan_takes_memory(f->p, s, i))
            note(f, plan_listed(f->p, s, i), block, id);
    for (int i = 0; i < 2; i++) {
        uint32_t inner = s->blocks[i];
        if (!inner)
            continue;
        f->blocks[inner] = (place){block, id, f->blocks[block].depth + 1};
        walk(f, inner);
    }
}

/* Recursion is as deep as blocks nest. */
static void walk(freeing *f, uint32_t block)
{
    for (uint32_t i = plan_block_at(f->p, block)->first; i; i = plan_step_at(f->p, i)->next)
        look(f, block, i);
}

static bool insert(const freeing *f)
{
    for (uint32_t i = 1; i < f->p->memories.len; i++) {
        const lifetime *l = &f->memories[i];
        plan_step s = {.op = PLAN_FREE, .memory = i};
        if (plan_memory_at(f->p, i)->kind != PLAN_MEMORY_ALLOCATED || !l->home || l->kept)
            continue;
        s.at = plan_step_at(f->p, l->last)->at;
        if (!plan_insert_step(f->p, l->home, l->last, &s))
            return false;
    }
    return true;
}

bool plan_add_frees(plan *p)
{
    mem *m = &p->cx->mem;
    size_t memories = p->memories.len * sizeof(lifetime), blocks = p->blocks.len * sizeof(place);
    freeing f = {.p = p, .memories = mem_zeroed(m, memories), .blocks = mem_zeroed(m, blocks)};
    bool ok = f.memories && f.blocks;
    if (ok) {
        walk(&f, PLAN_WHOLE);
        f.homes_known = true;
        walk(&f, PLAN_WHOLE);
        ok = insert(&f);
    }
    mem_free(m, f.memories, f.memories ? memories : 0);
    mem_free(m, f.blocks, f.blocks ? blocks : 0);
    return ok;
}
