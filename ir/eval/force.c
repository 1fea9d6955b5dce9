/* Writing arrays to memory: force (rules 39-42).  Rule 39 is the array in memory that comes out;
 * rules 40 to 42 are eval_push_run. */
#include "ir/eval/value.h"

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
        s->p = (pull){.kind = PULL_DATA, .number = ++M->pulls, .dims = s->dims, .data = b};
    return b ? s : NULL;
}

const push *eval_as_push(machine *M, ir_op at, const value *v, push *room)
{
    if (v->tag == VAL_PUSH)
        return v->push;
    if (v->tag != VAL_PULL) {
        eval_stuck(M, at, v, "an array");
        return NULL;
    }
    *room = (push){.kind = PUSH_PULL,
                   .rank = v->pull->rank,
                   .height = LEVEL_THREAD,
                   .op = at,
                   .pull = v->pull};
    return room;
}

bool eval_stored_write(machine *M, ir_op at, const value *v, stored *s)
{
    push room;
    const push *p = eval_as_push(M, at, v, &room);
    if (!p)
        return false;
    s->p.rank = p->rank;
    return eval_force_into(M, p, at, s->p.data, s->dims, &s->p.count);
}

/* The one operator of the paper that writes memory, besides while. */
bool eval_FORCE(machine *M, const code *c, eval_frame *f, const inst *i, value *out)
{
    stored *s = eval_stored_new(M);
    if (!s || !eval_stored_write(M, i->op, operand_value(c, f, i->a), s))
        return false;
    *out = (value){.tag = VAL_PULL, .pull = &s->p};
    return true;
}
