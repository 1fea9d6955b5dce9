/* Values that outlive what they were made in: copies of what an element of an array refers to, for as long as the
 * array is there (known.c).
 *
 * What is older than the array stays, and is referred to.  The rest is copied: tuples, arrays in memory, and the frames
 * that arrays by name and functions compute from, of which those slots count that their region sets.  Those regions have
 * ended, as the element was computed in them. */
#include "ir/eval/outlive.h"

#include <string.h>

enum { MOST_FRAMES = 32 };

/* One value, and the frames that it has been copied to. */
typedef struct outliving {
    machine *M;
    known_elements *k;
    bool names, fails;
    const eval_frame *from[MOST_FRAMES], *to[MOST_FRAMES];
    uint32_t n;
} outliving;

static bool outlive(outliving *x, value *v);

/* NULL: no memory, or it fails. */
static void *room(outliving *x, size_t bytes)
{
    x->fails = x->fails || !eval_known_affords(x->M, x->k, bytes);
    return x->fails ? NULL : arena_alloc(&x->k->room, bytes);
}

/* Values that were copied as they are; NULL as above. */
static value *values(outliving *x, const value *from, uint32_t n)
{
    value *to = room(x, (n + 1u) * sizeof *to);
    if (to)
        memcpy(to, from, n * sizeof *to);
    for (uint32_t i = 0; to && i < n; i++)
        if (!outlive(x, &to[i]))
            return NULL;
    return x->fails ? NULL : to;
}

/* ---- what is older ---- */

/* How many chunks of the stack are younger than the one that holds it; UINT32_MAX: none does. */
static uint32_t chunk_of(const machine *M, const void *p)
{
    uint32_t n = 0;
    for (const stack_chunk *c = M->stack.head; c; c = c->older, n++)
        if ((const char *)p >= c->data && (const char *)p < c->data + c->cap)
            return n;
    return UINT32_MAX;
}

/* Of what is on the stack. */
static bool is_older(const outliving *x, const void *p)
{
    uint32_t array = chunk_of(x->M, x->k->of), mine = chunk_of(x->M, p);
    return mine > array || (mine == array && (const char *)p < (const char *)x->k->of);
}

/* ---- frames ---- */

static const eval_frame *outlive_frame(outliving *x, const eval_frame *f);

static bool outlive_slot(outliving *x, const eval_frame *f, eval_frame *to, uint32_t slot)
{
    to->slots[slot] = f->slots[slot];
    return outlive(x, &to->slots[slot]);
}

static bool outlive_slots(outliving *x, const eval_frame *f, eval_frame *to)
{
    const code *c = f->code;
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->nparams; i++)
        ok = outlive_slot(x, f, to, c->params[i]);
    for (uint32_t i = 0; ok && i < c->nlevels; i++)
        ok = outlive_slot(x, f, to, c->level_slot + i);
    for (const inst *i = c->insts; ok && i->opcode != OP_YIELD && i->opcode != OP_RETURN; i++)
        ok = !ir_op_at(x->M->m, i->op)->result || outlive_slot(x, f, to, i->dst);
    return ok;
}

/* NULL as above.  A frame that refers to itself is found when that is copied. */
static const eval_frame *outlive_frame(outliving *x, const eval_frame *f)
{
    if (!f || is_older(x, f))
        return f;
    for (uint32_t i = 0; i < x->n; i++)
        if (x->from[i] == f)
            return x->to[i];
    x->fails = x->fails || x->n == MOST_FRAMES;
    eval_frame *to = room(x, sizeof *to + f->code->nslots * sizeof to->slots[0]);
    if (!to)
        return NULL;
    *to = *f;
    x->from[x->n] = f;
    x->to[x->n++] = to;
    to->parent = outlive_frame(x, f->parent);
    return (to->parent || !f->parent) && outlive_slots(x, f, to) && !x->fails ? to : NULL;
}

/* ---- arrays and functions ---- */

static pull *outlive_head(outliving *x, const pull *p)
{
    pull *to = room(x, sizeof *to);
    uint64_t *dims = room(x, p->rank * sizeof *dims + sizeof *dims);
    if (!to || !dims)
        return NULL;
    memcpy(dims, p->dims, p->rank * sizeof *dims);
    *to = *p;
    to->dims = dims;
    return to;
}

static const pull *outlive_data(outliving *x, const pull *p)
{
    pull *to = outlive_head(x, p);
    x->fails = x->fails || !eval_known_affords(x->M, x->k, p->count * p->data->ncolumns * SCALAR_BYTES);
    buffer *b = to && !x->fails ? eval_buffer_copy(x->M, p->data, p->count) : NULL;
    if (!b)
        return NULL;
    b->older = x->k->arrays;
    x->k->arrays = b;
    to->data = b;
    to->number = x->k->of->number;
    return to;
}

/* It keeps no elements of its own: those would go with what was made after the array. */
static const pull *outlive_name(outliving *x, const pull *p)
{
    pull *to = outlive_head(x, p);
    last_element *last = room(x, sizeof *last);
    if (!to || !last)
        return NULL;
    *last = (last_element){.value = {.tag = VAL_NONE}, .asked = NEVER_KEPT};
    to->last = last;
    to->number = ++x->M->pulls;
    to->env = outlive_frame(x, p->env);
    value source = {.tag = VAL_PULL, .pull = p->source};
    if (p->kind == PULL_MAP && !outlive(x, &source))
        return NULL;
    to->source = p->kind == PULL_MAP ? source.pull : NULL;
    return to->env || !p->env ? to : NULL;
}

static bool outlive_array(outliving *x, const pull *p, value *v)
{
    const pull *to = p;
    if (p->number <= x->k->of->number)
        return true;
    switch ((pull_kind)p->kind) {
    case PULL_DATA: to = outlive_data(x, p); break;
    case PULL_GENERATE:
    case PULL_MAP:
        x->fails = x->fails || !x->names;
        to = x->fails ? NULL : outlive_name(x, p);
        break;
    case PULL_LITERAL:
    case PULL_BYTES:
    case PULL_PARTIAL: x->fails = true; break;
    }
    if (to)
        v->pull = to;
    return to || x->fails;
}

static bool outlive_function(outliving *x, const eval_closure *f, value *v)
{
    uint32_t n = f->nlevels + f->nargs;
    x->fails = x->fails || !x->names || f->looked;
    if (x->fails || is_older(x, f))
        return true;
    eval_closure *to = room(x, sizeof *to + n * sizeof to->given[0]);
    const value *given = to ? values(x, f->given, n) : NULL;
    if (!given)
        return x->fails;
    *to = *f;
    memcpy(to->given, given, n * sizeof *given);
    to->env = outlive_frame(x, f->env);
    v->fun = to;
    return to->env || !f->env || x->fails;
}

/* False: no memory.  Recursion follows the depth of types and of functions. */
static bool outlive(outliving *x, value *v)
{
    switch (x->fails ? VAL_NONE : (value_tag)v->tag) {
    case VAL_SCALAR:
    case VAL_LEVEL: return true;
    case VAL_TUPLE: v->items = values(x, v->items, v->n); return v->items || x->fails;
    case VAL_PULL: return outlive_array(x, v->pull, v);
    case VAL_FUN: return outlive_function(x, v->fun, v);
    case VAL_NONE:
    case VAL_PUSH: x->fails = true; break;
    }
    return true;
}

bool eval_outlive(machine *M, known_elements *k, bool names, value *v, bool *fails)
{
    outliving x = {.M = M, .k = k, .names = names};
    bool ok = outlive(&x, v);
    *fails = x.fails;
    return ok || x.fails;
}
