/* Writing arrays to memory: force (rules 39-42) and while, which alternates between two buffers. */
#include "ir/eval_value.h"

#include <inttypes.h>

static const char *height_name(uint32_t height)
{
    static const char *const names[] = {
#define LEVEL(e, height, name) [height] = name,
#include "ir/types.def"
#undef LEVEL
    };
    return height <= LEVEL_TOP ? names[height] : "a level above grid";
}

/* loc respects level (rules 31, 32). */
static bool check_level(machine *M, const push *p, ir_op at)
{
    if (p->height <= M->here)
        return true;
    return eval_fail(M, DIAG_EVAL_LEVEL, at, "an array of level %s cannot be forced here, at level %s",
                     height_name(p->height), height_name(M->here));
}

bool force_into(machine *M, const push *p, ir_op at, buffer *b, uint64_t dims[MAX_RANK], uint64_t *count)
{
    sink store = {.kind = SINK_STORE, .out = b, .op = at};
    if (!check_level(M, p, at) || !push_run(M, p, &store, count))
        return false;
    if (p->rank > 1)
        return push_dims(M, p, dims);
    dims[0] = *count;
    return true;
}

/* An array in memory, to be written once or again and again. */
typedef struct stored {
    pull p;
    uint64_t dims[MAX_RANK];
} stored;

static stored *stored_new(machine *M)
{
    stored *s = stack_alloc(M, sizeof *s);
    buffer *b = s ? buffer_new(M) : NULL;
    if (b)
        s->p = (pull){.kind = PULL_DATA, .dims = s->dims, .data = b};
    return b ? s : NULL;
}

static bool store(machine *M, const inst *i, const value *v, stored *s)
{
    if (v->tag != VAL_PUSH)
        return eval_stuck(M, i->op, v, "a push array");
    s->p.rank = v->push->rank;
    return force_into(M, v->push, i->op, s->p.data, s->dims, &s->p.count);
}

bool eval_force(machine *M, const code *c, frame *f, const inst *i, value *out)
{
    stored *s = stored_new(M);
    if (!s || !store(M, i, operand_value(c, f, i->a), s))
        return false;
    *out = (value){.tag = VAL_PULL, .pull = &s->p};
    return true;
}

/* ---- while ---- */

static bool step(machine *M, const inst *i, const frame *f, const stored *from, stored *to)
{
    value next, xs = {.tag = VAL_PULL, .pull = &from->p};
    mark k = stack_mark(M);
    bool ok = region_value(M, i->regions + 1, f, &xs, &next) && store(M, i, &next, to);
    stack_release(M, k);
    if (!ok || to->p.count <= from->p.count)
        return ok;
    eval_fail(M, DIAG_EVAL_GROWS, i->op,
              "the step of this while grows the array from %" PRIu64 " to %" PRIu64 " elements", from->p.count,
              to->p.count);
    diag_hint(M->m->cx, "a while works in the memory of its first array: let that be as long as the longest one");
    return false;
}

bool eval_while(machine *M, const code *c, frame *f, const inst *i, value *out)
{
    stored *now = stored_new(M), *other = now ? stored_new(M) : NULL;
    if (!other || !store(M, i, operand_value(c, f, i->a), now))
        return false;
    for (;;) {
        value go, xs = {.tag = VAL_PULL, .pull = &now->p};
        if (!region_value(M, i->regions, f, &xs, &go))
            return false;
        if (!go.bits) {
            *out = xs;
            return true;
        }
        if (!step(M, i, f, now, other))
            return false;
        stored *old = now;
        now = other;
        other = old;
    }
}
