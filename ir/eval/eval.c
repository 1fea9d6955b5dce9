/* The evaluator's entry: host data to values, running the kernel, values to host data, and
 * reporting errors.
 *
 * Nothing of the caller's is written before the run has succeeded.  Arguments are borrowed,
 * results are allocated; all else goes with the machine, also after a failure. */
#include "ir/callers.h"
#include "ir/eval/lanes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- failing ---- */

enum { NOTED_CALLS = 8 };

/* The operation outside of libraries that called what `at` is in, where that is in one; 0 else. */
static ir_op own_call(const machine *M, ir_op at)
{
    return M->running && ir_in_library(M->m, ir_op_loc(M->m, at)) ? M->running->by : 0;
}

/* The text is cut at 255 bytes.  What goes wrong in a prelude is reported where it was called.  The
 * innermost calls are noted; what lies further out adds little. */
bool eval_fail(machine *M, diag_code why, ir_op at, const char *fmt, ...)
{
    fcl_context *cx = M->m->cx;
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    ir_op own = own_call(M, at);
    const op_node *call = ir_op_at(M->m, own);
    const char *name = call->opcode == OP_CALL ? ir_str(M->m, ir_func_at(M->m, call->attr)->name) : "";
    diag_error(cx, why, ir_op_loc(M->m, own ? own : at), *name ? "in @%s: %s" : "%s%s", name, text);
    if (own)
        diag_note_add(cx, ir_op_loc(M->m, at), "it is this operation of the prelude");
    uint32_t n = 0;
    for (const call_link *l = M->calls; l && n < NOTED_CALLS; l = l->outer, n++)
        if (l->op != own)
            diag_note_add(cx, ir_op_loc(M->m, l->op), "in the call of @%s",
                          ir_str(M->m, ir_func_at(M->m, l->func)->name));
    return false;
}

/* A checked module never gets here but through a shortcoming of the checker: progress (proposition
 * 2 of the paper) says so. */
bool eval_stuck(machine *M, ir_op at, const value *v, const char *needed)
{
    static const char *const forms[] = {"nothing",      "a scalar",   "a tuple", "a pull array",
                                        "a push array", "a function", "a level"};
    return eval_fail(M, DIAG_EVAL_STUCK, at, "this operation needs %s and finds %s", needed,
                     forms[v->tag]);
}

bool eval_stopped(machine *M)
{
    M->steps = 0; /* what is undone on the way out does not go on */
    return context_stopped(M->m->cx, ir_op_loc(M->m, M->at));
}

bool eval_too_deep(machine *M)
{
    eval_fail(M, DIAG_TOO_DEEP, M->at,
              "evaluation nests deeper than %u calls and deferred elements",
              M->m->cx->limits.call_depth);
    diag_hint(M->m->cx, "force an intermediate array, so that its elements are not computed "
                        "through all that made it");
    return false;
}

/* ---- arguments ---- */

/* Where reading the arguments or writing the results has come to. */
typedef struct leaf_cursor {
    machine *M;
    const host_array *in;
    host_array *out;
    uint32_t next;
} leaf_cursor;

/* For arrays of tuples, whose components come as arrays of their own. */
static bool same_dims(const host_array *a, const host_array *b)
{
    for (unsigned k = 0; k < a->rank; k++)
        if (a->dims[k] != b->dims[k])
            return false;
    return true;
}

/* The form of an element as a buffer keeps it: preorder, as eval/memory.c reads it. */
static bool shape_of_type(ir_module *m, ir_type t, vec_u32 *shape)
{
    const type_node n = *ir_type_at(m, t);
    if (n.kind != TY_TUPLE)
        return vec_push(&m->cx->mem, shape, (uint32_t)type_as_scalar(m, t));
    if (!vec_push(&m->cx->mem, shape, (uint32_t)SHAPE_TUPLE + n.n))
        return false;
    for (uint32_t i = 0; i < n.n; i++)
        if (!shape_of_type(m, type_item(m, t, i), shape))
            return false;
    return true;
}

/* A buffer over the caller's columns. */
static buffer *borrow_columns(leaf_cursor *c, ir_type elem)
{
    machine *M = c->M;
    vec_u32 shape = {0};
    buffer *b = eval_buffer_new(M);
    bool ok =
        b && shape_of_type(M->m, elem, &shape) && eval_buffer_set_shape(M, b, shape.at, shape.len);
    vec_free(M->mm, &shape);
    if (!ok)
        return NULL;
    b->borrowed = true;
    const host_array *first = &c->in[c->next];
    for (uint32_t k = 0; k < b->ncolumns; k++) {
        if (!same_dims(first, &c->in[c->next])) {
            eval_fail(M, DIAG_ARGUMENTS, 0,
                      "the parts of an array of tuples have different extents (argument %u)",
                      c->next);
            return NULL;
        }
        b->columns[k].data = c->in[c->next++].data;
    }
    b->cap = host_count(first);
    return b;
}

/* The extents are copied to the stack, where those of every other array are. */
static pull *pull_from_host(leaf_cursor *c, const type_node *t)
{
    const host_array *first = &c->in[c->next];
    uint64_t *dims = stack_alloc(c->M, sizeof first->dims);
    pull *p = eval_pull_new(c->M, PULL_DATA, t->n);
    buffer *b = dims && p ? borrow_columns(c, t->a) : NULL;
    if (!b)
        return NULL;
    memcpy(dims, first->dims, sizeof first->dims);
    p->dims = dims;
    p->count = b->cap;
    p->data = b;
    return p;
}

/* A push array would be one of elements that exist, at the level of its type; today the checker
 * lets no kernel take one. */
static bool array_from_host(leaf_cursor *c, const type_node *t, value *out)
{
    pull *p = pull_from_host(c, t);
    push *q = p && t->kind == TY_PUSH ? stack_alloc(c->M, sizeof *q) : NULL;
    *out = (value){.tag = VAL_PULL, .pull = p};
    if (!p || t->kind == TY_PULL)
        return p != NULL;
    if (q) {
        *q = (push){.kind = PUSH_PULL, .rank = p->rank, .height = level_offset(t->b), .pull = p};
        *out = (value){.tag = VAL_PUSH, .push = q};
    }
    return q != NULL;
}

/* Follows the type as host_leaves_in does, so the cursor is at the right leaf. */
static bool value_from_host(leaf_cursor *c, ir_type t, value *out)
{
    const type_node n = *ir_type_at(c->M->m, t);
    if (n.kind == TY_SCALAR) {
        *out = scalar_value((scalar)n.a, host_get(&c->in[c->next++], 0));
        return true;
    }
    if (n.kind != TY_TUPLE)
        return array_from_host(c, &n, out);
    value *items = stack_alloc(c->M, n.n * sizeof *items);
    for (uint32_t i = 0; items && i < n.n; i++)
        if (!value_from_host(c, type_item(c->M->m, t, i), &items[i]))
            return false;
    *out = (value){.tag = VAL_TUPLE, .n = n.n, .items = items};
    return items != NULL;
}

/* Within MAX_EXTENT on each axis and MAX_ELEMENTS in all: then no index and no count overflows. */
static bool count_fits(const host_array *a)
{
    uint64_t n = 1;
    for (unsigned k = 0; k < a->rank; k++) {
        if (a->dims[k] > MAX_EXTENT || (a->dims[k] && n > (uint64_t)MAX_ELEMENTS / a->dims[k]))
            return false;
        n *= a->dims[k];
    }
    return true;
}

/* Type and rank must be the leaf's own: nothing is converted on the way in. */
static bool check_argument(machine *M, const leaf *l, const host_array *a, uint32_t i)
{
    if (a->type != l->type || a->rank != l->rank)
        return eval_fail(M, DIAG_ARGUMENTS, 0,
                         "argument %u is %s of rank %u where the kernel takes %s of rank %u", i,
                         ir_scalar_name(a->type), a->rank, ir_scalar_name(l->type), l->rank);
    if (!count_fits(a))
        return eval_fail(M, DIAG_ARGUMENTS, 0,
                         "argument %u has more than %d elements along an axis, or too many in all",
                         i, MAX_EXTENT);
    return true;
}

/* Before anything is read: with one too few, every leaf behind it would be another argument's. */
static bool check_arguments(machine *M, ir_func f, const host_array *args, uint32_t nargs)
{
    vec_leaf leaves = {0};
    bool ok = host_leaves_in(M->m, f, &leaves);
    if (ok && leaves.len != nargs)
        ok = eval_fail(M, DIAG_ARGUMENTS, 0, "the kernel @%s takes %u arrays and scalars, not %u",
                       ir_str(M->m, ir_func_at(M->m, f)->name), leaves.len, nargs);
    for (uint32_t i = 0; ok && i < nargs; i++)
        ok = check_argument(M, &leaves.at[i], &args[i], i);
    vec_free(M->mm, &leaves);
    return ok;
}

/* ---- results ---- */

/* One result array; b NULL or without columns when it has no elements. */
static bool column_to_host(leaf_cursor *c, const buffer *b, uint32_t column, const uint64_t *dims,
                           uint32_t rank)
{
    host_array *to = &c->out[c->next++];
    to->rank = rank;
    memcpy(to->dims, dims, rank * sizeof *dims);
    if (!host_alloc(c->M->mm, to))
        return false;
    uint64_t bytes = host_count(to) * ir_scalar_bytes(to->type);
    if (bytes && column < b->ncolumns)
        memcpy(to->data, b->columns[column].data, (size_t)bytes);
    return true;
}

/* How many host arrays an array of that element is. */
static uint32_t columns_of(ir_module *m, ir_type t)
{
    uint32_t n = 0;
    if (ir_type_at(m, t)->kind != TY_TUPLE)
        return 1;
    for (uint32_t i = 0; i < ir_type_at(m, t)->n; i++)
        n += columns_of(m, type_item(m, t, i));
    return n;
}

/* Forces what is returned, at its own level. */
static bool array_to_host(leaf_cursor *c, ir_type elem, const value *v)
{
    machine *M = c->M;
    uint64_t dims[MAX_RANK], count;
    push whole = {
        .kind = PUSH_PULL, .pull = v->pull, .rank = v->tag == VAL_PULL ? v->pull->rank : 0};
    const push *p = v->tag == VAL_PUSH ? v->push : &whole;
    if (v->tag != VAL_PUSH && v->tag != VAL_PULL)
        return eval_stuck(M, M->at, v, "an array as result");
    mark k = stack_mark(M);
    buffer *b = eval_buffer_new(M);
    bool ok = b && eval_force_into(M, p, p->op, b, dims, &count);
    uint32_t columns = columns_of(M->m, elem);
    for (uint32_t i = 0; ok && i < columns; i++)
        ok = column_to_host(c, b, i, dims, p->rank);
    stack_release(M, k);
    return ok;
}

/* Follows the type as host_leaves_out does. */
static bool value_to_host(leaf_cursor *c, ir_type t, const value *v)
{
    const type_node n = *ir_type_at(c->M->m, t);
    if (n.kind == TY_PULL || n.kind == TY_PUSH)
        return array_to_host(c, n.a, v);
    if (n.kind == TY_SCALAR) {
        host_array *to = &c->out[c->next++];
        bool ok = host_alloc(c->M->mm, to);
        if (ok)
            host_set(to, 0, v->bits);
        return ok;
    }
    bool ok = v->tag == VAL_TUPLE && v->n == n.n
                  ? true
                  : eval_stuck(c->M, c->M->at, v, "a tuple as result");
    for (uint32_t i = 0; ok && i < n.n; i++)
        ok = value_to_host(c, type_item(c->M->m, t, i), &v->items[i]);
    return ok;
}

bool eval_to_host(machine *M, ir_type t, const value *v, host_array *out)
{
    return value_to_host(&(leaf_cursor){.M = M, .out = out}, t, v);
}

/* Results are gathered aside, so that the caller's stay untouched when something fails. */
static bool give_results(machine *M, ir_func f, const value *v, host_array *results,
                         uint32_t nresults)
{
    vec_leaf leaves = {0};
    host_array *out = mem_resize(M->mm, NULL, 0, (nresults + 1u) * sizeof *out);
    bool ok = out && host_leaves_out(M->m, f, &leaves);
    if (ok && leaves.len != nresults)
        ok = eval_fail(M, DIAG_ARGUMENTS, 0, "the kernel has %u results, not %u", leaves.len,
                       nresults);
    for (uint32_t i = 0; out && i < nresults; i++)
        out[i] = (host_array){.type = i < leaves.len ? leaves.at[i].type : ST_NONE};
    ok = ok && eval_to_host(M, ir_func_at(M->m, f)->result, v, out);
    if (ok)
        memcpy(results, out, nresults * sizeof *out);
    for (uint32_t i = 0; out && !ok && i < nresults; i++)
        if (out[i].data)
            host_free(M->mm, &out[i]);
    mem_free(M->mm, out, (nresults + 1u) * sizeof *out);
    vec_free(M->mm, &leaves);
    return ok;
}

/* ---- running ---- */

/* The frame of the kernel is the oldest thing on the stack, so its parameters outlive
 * everything. */
static bool run_kernel(machine *M, ir_func f, const host_array *args, value *out)
{
    ir_module *m = M->m;
    const region_node body = *ir_region_at(m, ir_func_at(m, f)->body);
    const code *c = code_of(M, ir_func_at(m, f)->body);
    eval_frame *top = c ? eval_frame_new(M, c, NULL) : NULL;
    leaf_cursor cursor = {.M = M, .in = args};
    for (uint32_t i = 0; top && i < body.nparams; i++)
        if (!value_from_host(&cursor, ir_value_at(m, body.params + i)->type,
                             &top->slots[c->params[i]]))
            return false;
    return top && eval_region_run(M, c, top, stack_mark(M), out);
}

/* Where `here` begins is the turnstile of the kernel: work above it is refused at run time too. */
static bool machine_init(machine *M, ir_module *m, ir_func f, const eval_options *o)
{
    *M = (machine){.m = m,
                   .mm = &m->cx->mem,
                   .block_size = 256,
                   .warp_size = 32,
                   .local_size = LOCAL_SIZE,
                   .stream_chunk = 1024,
                   .max_elements = MAX_ELEMENTS,
                   .steps = m->cx->limits.steps};
    arena_init(&M->codes, M->mm);
    M->tuned = o ? o->tuned : NULL;
    if (o && o->block_size)
        M->block_size = o->block_size;
    M->block_given = o && o->block_size;
    if (o && o->warp_size)
        M->warp_size = o->warp_size;
    if (o && o->local_size)
        M->local_size = o->local_size;
    if (o && o->max_elements && o->max_elements < MAX_ELEMENTS)
        M->max_elements = o->max_elements;
    if (o && o->stream_chunk)
        M->stream_chunk = o->stream_chunk;
    if (o) {
        M->overflow = o->overflow;
        M->one_by_one = o->one_by_one;
        M->emit = o->emit;
        M->emit_user = o->emit_user;
        M->receive = o->receive;
        M->receive_user = o->receive_user;
    }
    M->here = type_turnstile(m, ir_func_at(m, f)->result);
    return eval_stack_init(M) && eval_code_homes(M);
}

/* A checked module has the types, instances and literals that decoding relies on. */
static bool check_kernel(ir_module *m, ir_func f)
{
    if (f && f < m->funcs.len && ir_func_at(m, f)->kernel && m->checked)
        return true;
    location where = ir_loc_at(m, ir_func_at(m, f)->loc);
    return diag_error(m->cx, DIAG_EVAL_UNCHECKED, where,
                      "@%s cannot be evaluated: it is not a kernel of a checked module",
                      ir_str(m, ir_func_at(m, f)->name));
}

bool ir_eval(ir_module *m, ir_func f, const eval_options *o, const host_array *args, uint32_t nargs,
             host_array *results, uint32_t nresults)
{
    machine M;
    value v;
    if (!check_kernel(m, f))
        return false;
    bool ok = machine_init(&M, m, f, o) && check_arguments(&M, f, args, nargs) &&
              run_kernel(&M, f, args, &v) && give_results(&M, f, &v, results, nresults);
    if (!ok)
        context_ok(m->cx); /* a failed allocation becomes a diagnostic */
    eval_kept_free(&M);
    eval_batch_free(&M);
    eval_stack_free(&M);
    arena_free(&M.codes);
    return ok;
}
