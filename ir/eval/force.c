/* Writing arrays to memory: force (rules 39-42), while and repeat, which alternate between two
 * buffers.
 *
 * Rule 39 is the array in memory that comes out; rules 40 to 42 are eval_push_run.  Double
 * buffering stands for the loops of compiled code, with the same bound on growth. */
#include "ir/eval/value.h"

#include <inttypes.h>

static const char *height_name(uint32_t height)
{
    static const char *const names[] = {
#define LEVEL(e, height, name, since) [height] = name,
#include "ir/types.def"
#undef LEVEL
    };
    return height <= LEVEL_TOP ? names[height] : "a level above grid";
}

bool eval_check_level(machine *M, const push *p, ir_op at)
{
    if (p->height <= M->here)
        return true;
    return eval_fail(M, DIAG_EVAL_LEVEL, at,
                     "an array of level %s cannot be forced here, at level %s",
                     height_name(p->height), height_name(M->here));
}

/* Of rank 1 the number that arrived is the extent: parts at the edges may be shorter than
 * stated. */
bool eval_force_into(machine *M, const push *p, ir_op at, buffer *b, uint64_t dims[MAX_RANK],
                     uint64_t *count)
{
    sink store = eval_sink_store(M, b, at, p->rank);
    if (!eval_check_level(M, p, at) || !eval_push_run(M, p, &store, count))
        return false;
    if (p->rank > 1)
        return eval_push_dims(M, p, dims);
    dims[0] = *count;
    return true;
}

/* Empty; lives on the stack with its buffer. */
stored *eval_stored_new(machine *M)
{
    stored *s = stack_alloc(M, sizeof *s);
    buffer *b = s ? eval_buffer_new(M) : NULL;
    if (b)
        s->p = (pull){.kind = PULL_DATA, .dims = s->dims, .data = b};
    return b ? s : NULL;
}

bool eval_stored_write(machine *M, const inst *i, const value *v, stored *s)
{
    if (v->tag != VAL_PUSH)
        return eval_stuck(M, i->op, v, "a push array");
    s->p.rank = v->push->rank;
    return eval_force_into(M, v->push, i->op, s->p.data, s->dims, &s->p.count);
}

/* The one operator of the paper that writes memory, besides while. */
bool eval_FORCE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    stored *s = eval_stored_new(M);
    if (!s || !eval_stored_write(M, i, operand_value(c, f, i->a), s))
        return false;
    *out = (value){.tag = VAL_PULL, .pull = &s->p};
    return true;
}

/* ---- while, repeat ---- */

/* The array as it is, and where the next step writes. */
typedef struct force_loop {
    stored *now, *next;
} force_loop;

/* The memory as an array to read: the same pull array before and after it is written. */
static value stored_value(const stored *s)
{
    return (value){.tag = VAL_PULL, .pull = &s->p};
}

/* Both areas are made before the first step, so they lie below each step's mark and survive it. */
static bool loop_begin(machine *M, const inst *i, const value *start, force_loop *l)
{
    l->now = eval_stored_new(M);
    l->next = l->now ? eval_stored_new(M) : NULL;
    return l->next && eval_stored_write(M, i, start, l->now);
}

/* Reports in elements for rank 1, else by axis. */
static bool grows(machine *M, const inst *i, const force_loop *l, uint32_t axis)
{
    const char *name = ir_op_info(i->opcode)->name;
    uint64_t from = l->now->dims[axis], to = l->next->dims[axis];
    if (l->now->p.rank == 1)
        eval_fail(M, DIAG_EVAL_GROWS, i->op,
                  "the step of this %s grows the array from %" PRIu64 " to %" PRIu64 " elements",
                  name, from, to);
    else
        eval_fail(M, DIAG_EVAL_GROWS, i->op,
                  "the step of this %s grows the array on axis %u from an extent of %" PRIu64
                  " to %" PRIu64,
                  name, axis, from, to);
    diag_hint(M->m->cx,
              "a %s works in the memory of its first array: let that be as long as the longest one",
              name);
    return false;
}

/* Writes what the region makes of the array.  No extent may grow, not only their product: the
 * memory is laid out for the first array. */
static bool loop_step(machine *M, const inst *i, ir_region r, const eval_frame *f,
                      const value *args, uint32_t n, force_loop *l)
{
    value made;
    mark k = stack_mark(M);
    bool ok = eval_region_value(M, r, f, args, n, &made) && eval_stored_write(M, i, &made, l->next);
    stack_release(M, k);
    for (uint32_t axis = 0; ok && axis < l->now->p.rank; axis++)
        if (l->next->dims[axis] > l->now->dims[axis])
            return grows(M, i, l, axis);
    stored *old = l->now;
    l->now = l->next;
    l->next = old;
    return ok;
}

/* The condition reads what is in memory, never what a step is about to write. */
bool eval_WHILE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    force_loop l;
    if (!loop_begin(M, i, operand_value(c, f, i->a), &l))
        return false;
    for (;;) {
        value go;
        *out = stored_value(l.now);
        if (!eval_region_value(M, i->regions, f, out, 1, &go))
            return false;
        if (!go.bits)
            return true;
        if (!loop_step(M, i, i->regions + 1, f, out, 1, &l))
            return false;
    }
}

/* A negative number of steps is none. */
bool eval_REPEAT(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    force_loop l;
    int64_t n = (int64_t)operand_value(c, f, i->a)->bits;
    if (!loop_begin(M, i, operand_value(c, f, i->b), &l))
        return false;
    for (int64_t k = 0; k < n; k++) {
        value args[] = {int_value(k), stored_value(l.now)};
        if (!loop_step(M, i, i->regions, f, args, 2, &l))
            return false;
    }
    *out = stored_value(l.now);
    return true;
}
