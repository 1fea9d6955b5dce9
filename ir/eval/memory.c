/* The evaluator's memory: a stack of chunks with marks, and the arrays that live on it (see
 * eval/value.h).
 *
 * Allocation is moving a pointer; release is moving it back, and freeing the buffers registered
 * since.  Chunks never move, so pointers into the stack hold as long as what they point to. */
#include "ir/eval/value.h"

#include <string.h>

enum { CHUNK_BYTES = 256 << 10 };

/* ---- the stack ---- */

/* Header and data in one block. */
static stack_chunk *chunk_new(machine *M, size_t cap)
{
    stack_chunk *c = mem_resize(M->mm, NULL, 0, sizeof *c + cap);
    if (c)
        *c = (stack_chunk){.cap = cap, .data = (char *)(c + 1)};
    return c;
}

static void chunk_free(machine *M, stack_chunk *c)
{
    if (c)
        mem_free(M->mm, c, sizeof *c + c->cap);
}

/* What is left of the chunk before is unused until this one is left again. */
static void chunk_enter(stack *s, stack_chunk *c)
{
    c->older = s->head;
    s->head = c;
    s->top = c->data;
    s->end = c->data + c->cap;
}

bool eval_stack_init(machine *M)
{
    stack_chunk *c = chunk_new(M, CHUNK_BYTES);
    if (c)
        chunk_enter(&M->stack, c);
    return c != NULL;
}

/* The slow way of stack_alloc: takes the spare chunk, or one large enough. */
void *eval_stack_more(machine *M, size_t size)
{
    stack *s = &M->stack;
    stack_chunk *c = s->spare;
    if (c && c->cap >= size)
        s->spare = NULL;
    else
        c = chunk_new(M, size > CHUNK_BYTES ? size : CHUNK_BYTES);
    if (!c)
        return NULL;
    chunk_enter(s, c);
    s->top += size;
    return c->data;
}

/* One chunk is kept, so that going back and forth over a chunk's end costs nothing. */
static void chunk_leave(machine *M)
{
    stack *s = &M->stack;
    stack_chunk *c = s->head;
    s->head = c->older;
    if (!s->spare && c->cap == CHUNK_BYTES)
        s->spare = c;
    else
        chunk_free(M, c);
}

/* The slow way of stack_release: frees the buffers and leaves the chunks that are younger than
 * the mark. */
void eval_stack_unwind(machine *M, mark k)
{
    stack *s = &M->stack;
    eval_known_forget(M, k.pulls);
    while (s->buffers != k.buffers) {
        buffer *b = s->buffers;
        s->buffers = b->older;
        eval_buffer_free(M, b);
    }
    while (s->head != k.head)
        chunk_leave(M);
    s->top = k.top;
    s->end = s->head ? s->head->data + s->head->cap : NULL;
}

/* Everything, the spare chunk included; also after a stack that could not be made. */
void eval_stack_free(machine *M)
{
    eval_stack_unwind(M, (mark){0});
    chunk_free(M, M->stack.spare);
    M->stack.spare = NULL;
}

/* ---- buffers ---- */

/* Empty and without a form.  Lives until the stack goes back to a mark made before. */
buffer *eval_buffer_new(machine *M)
{
    buffer *b = mem_resize(M->mm, NULL, 0, sizeof *b);
    if (!b)
        return NULL;
    *b = (buffer){.older = M->stack.buffers};
    M->stack.buffers = b;
    return b;
}

/* Borrowed columns are the caller's; their list is not. */
void eval_buffer_free(machine *M, buffer *b)
{
    for (uint32_t k = 0; k < b->ncolumns && !b->borrowed; k++)
        if (b->columns[k].data)
            host_free(M->mm, &b->columns[k]);
    mem_free(M->mm, b->columns, b->ncolumns * sizeof *b->columns);
    mem_free(M->mm, b->shape, b->nshape * sizeof *b->shape);
    mem_free(M->mm, b, sizeof *b);
}

/* A column keeps its own extent, so that it can be freed whichever of them could not grow. */
static bool column_grow(machine *M, host_array *a, uint64_t n)
{
    uint64_t bytes = ir_scalar_bytes(a->type);
    if (n > SIZE_MAX / 16) {
        M->mm->oom = true;
        return false;
    }
    void *p =
        mem_resize(M->mm, a->data, (size_t)(a->data ? a->dims[0] * bytes : 0), (size_t)(n * bytes));
    if (!p)
        return false;
    a->data = p;
    a->dims[0] = n;
    return true;
}

/* Doubles at least, so that an array of many chunks is moved a few times only. */
bool eval_buffer_reserve(machine *M, buffer *b, uint64_t n)
{
    if (n == 0 || (n <= b->cap && (!b->ncolumns || b->columns[0].data)))
        return true;
    uint64_t cap = n <= b->cap ? b->cap : n < b->cap * 2 ? b->cap * 2 : n;
    for (uint32_t k = 0; k < b->ncolumns; k++)
        if (!column_grow(M, &b->columns[k], cap))
            return false;
    b->cap = cap;
    return true;
}

/* Once for each buffer; columns come in the order of the scalars in the element. */
bool eval_buffer_set_shape(machine *M, buffer *b, const uint32_t *shape, uint32_t n)
{
    uint32_t columns = 0;
    for (uint32_t i = 0; i < n; i++)
        columns += shape[i] < SHAPE_TUPLE;
    uint32_t *copy = mem_resize(M->mm, NULL, 0, n * sizeof *copy);
    host_array *cols = mem_resize(M->mm, NULL, 0, columns * sizeof *cols);
    if (!copy || !cols) {
        mem_free(M->mm, copy, n * sizeof *copy);
        mem_free(M->mm, cols, columns * sizeof *cols);
        return false;
    }
    memcpy(copy, shape, n * sizeof *copy);
    for (uint32_t i = 0, k = 0; i < n; i++)
        if (shape[i] < SHAPE_TUPLE)
            cols[k++] = (host_array){.type = (scalar)shape[i], .rank = 1};
    b->shape = copy;
    b->nshape = n;
    b->columns = cols;
    b->ncolumns = columns;
    return true;
}

bool eval_buffer_put_all(machine *M, buffer *to, const buffer *from, uint64_t n)
{
    if (!from->shape)
        return true; /* no element was ever written */
    if ((!to->shape && !eval_buffer_set_shape(M, to, from->shape, from->nshape)) ||
        !eval_buffer_reserve(M, to, n > to->cap ? n : to->cap))
        return false;
    for (uint32_t k = 0; n && k < to->ncolumns; k++)
        memcpy(to->columns[k].data, from->columns[k].data,
               (size_t)n * ir_scalar_bytes(to->columns[k].type));
    return true;
}

buffer *eval_buffer_copy(machine *M, const buffer *from, uint64_t n)
{
    buffer *b = mem_zeroed(M->mm, sizeof *b);
    if (!b || eval_buffer_put_all(M, b, from, n))
        return b;
    eval_buffer_free(M, b);
    return NULL;
}

/* The form of a value that is to be an element: scalars and tuples of them, by kind BT (rule
 * 11). */
static bool shape_of(machine *M, const value *v, vec_u32 *shape)
{
    if (v->tag != VAL_TUPLE)
        return vec_push(M->mm, shape, v->type);
    if (!vec_push(M->mm, shape, (uint32_t)SHAPE_TUPLE + v->n))
        return false;
    for (uint32_t i = 0; i < v->n; i++)
        if (!shape_of(M, &v->items[i], shape))
            return false;
    return true;
}

/* The first element brings the form, and with it the room that was asked for before. */
static bool buffer_shape_from(machine *M, buffer *b, const value *v)
{
    vec_u32 shape = {0};
    bool ok = shape_of(M, v, &shape) && eval_buffer_set_shape(M, b, shape.at, shape.len);
    vec_free(M->mm, &shape);
    return ok && eval_buffer_reserve(M, b, b->cap);
}

/* i32, nearly always, without the general way's switch. */
static void put_scalar(const host_array *a, uint64_t i, uint64_t bits)
{
    if (a->type == ST_I32)
        ((int32_t *)a->data)[i] = (int32_t)(uint32_t)bits;
    else
        host_set(a, i, bits);
}

/* Returns the column behind those written.  Recursion follows the depth of types. */
static const host_array *put_tuple(const host_array *column, uint64_t i, const value *v)
{
    if (v->tag != VAL_TUPLE) {
        put_scalar(column, i, v->bits);
        return column + 1;
    }
    for (uint32_t k = 0; k < v->n; k++)
        column = put_tuple(column, i, &v->items[k]);
    return column;
}

/* All elements of an array have one type, so the form is asked for once. */
bool eval_buffer_put(machine *M, buffer *b, uint64_t i, const value *v)
{
    if (!b->shape && !buffer_shape_from(M, b, v))
        return false;
    if ((i >= b->cap || !b->columns[0].data) && !eval_buffer_reserve(M, b, i < 16 ? 16 : i + 1))
        return false;
    if (v->tag == VAL_SCALAR)
        put_scalar(b->columns, i, v->bits);
    else
        put_tuple(b->columns, i, v);
    return true;
}

/* i32 by the short way, as in put_scalar. */
static value get_scalar(const host_array *a, uint64_t i)
{
    if (a->type == ST_I32)
        return int_value(((const int32_t *)a->data)[i]);
    return scalar_value(a->type, host_get(a, i));
}

/* Where reading an element has come to. */
typedef struct buffer_reader {
    const host_array *column;
    const uint32_t *shape;
    uint64_t i;
} buffer_reader;

/* Reads the form along with the columns; recursion follows the depth of types. */
static bool get_tuple(machine *M, buffer_reader *r, value *out)
{
    uint32_t form = *r->shape++;
    if (form < SHAPE_TUPLE) {
        *out = get_scalar(r->column++, r->i);
        return true;
    }
    uint16_t n = (uint16_t)(form - SHAPE_TUPLE);
    value *items = stack_alloc(M, n * sizeof *items);
    for (uint32_t k = 0; items && k < n; k++)
        if (!get_tuple(M, r, &items[k]))
            return false;
    *out = (value){.tag = VAL_TUPLE, .n = n, .items = items};
    return items != NULL;
}

/* A tuple's components go to the stack; a scalar needs nothing there. */
bool eval_buffer_get(machine *M, const buffer *b, uint64_t i, value *out)
{
    if (b->ncolumns == 1 && b->nshape == 1) {
        *out = get_scalar(b->columns, i);
        return true;
    }
    return get_tuple(M, &(buffer_reader){b->columns, b->shape, i}, out);
}
