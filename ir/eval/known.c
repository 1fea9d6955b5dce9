/* Arrays that keep their elements.
 *
 * Arrays are called by name, so whoever reads one computes its elements anew.  Once as many have been
 * computed as there are, something reads them again and again: from then on each is computed once
 * more at most, and found from then on.  So a chain of stencils costs what it has elements, and not
 * what it has paths.  Programs are pure: the element that is kept is the one that would be computed.
 *
 * What is kept lives as long as the array, however deep the machine is in its stack when it is made:
 * the list is ordered by the arrays' numbers, and goes back with the marks that know these.  It is
 * bounded, and begun only where memory is far from its limit. */
#include "ir/eval/lanes.h"
#include "ir/eval/outlive.h"

#include <string.h>

/* BEHIND: elements more than there are, that small arrays are asked for before it is worth it; COSTLY: steps of an element
 * that is an array by name, from which on what it was made in is kept, too. */
enum { BEHIND = 16, COSTLY = 64, MOST_BYTES = 1 << 28 };

/* ---- beginning and ending ---- */

static size_t bits_bytes(uint64_t n)
{
    return (size_t)(n / 64 + 1) * sizeof(uint64_t);
}

/* Behind those of younger arrays. */
static void enlist(machine *M, known_elements *k)
{
    known_elements **at = &M->stack.known;
    while (*at && (*at)->of->number > k->of->number)
        at = &(*at)->older;
    k->older = *at;
    *at = k;
}

static void release(machine *M, known_elements *k)
{
    uint64_t n = k->of->count;
    while (k->arrays) {
        buffer *b = k->arrays;
        k->arrays = b->older;
        eval_buffer_free(M, b);
    }
    if (k->scalars)
        eval_buffer_free(M, k->scalars);
    mem_free(M->mm, k->values, (size_t)n * sizeof *k->values);
    mem_free(M->mm, k->there, bits_bytes(n));
    arena_free(&k->room);
    M->known_bytes -= k->bytes;
    mem_free(M->mm, k, sizeof *k);
}

/* The array is there until its elements are gone: both go back to one mark, and these go first. */
void eval_known_forget(machine *M, uint64_t pulls)
{
    known_elements *k;
    while ((k = M->stack.known) && k->of->number > pulls) {
        M->stack.known = k->older;
        k->of->last->known = NULL;
        release(M, k);
    }
}

/* Takes bytes from what all arrays may keep; false: nothing more is kept of this one. */
static bool may_keep(machine *M, const pull *p, uint64_t bytes)
{
    bool may = !M->one_by_one && p->count < UINT32_MAX - STRIP && bytes <= MOST_BYTES - M->known_bytes &&
               bytes <= (M->mm->limit - M->mm->used) / 4;
    if (!may)
        p->last->asked = NEVER_KEPT;
    return may;
}

bool eval_known_affords(machine *M, known_elements *k, uint64_t bytes)
{
    if (!may_keep(M, k->of, bytes))
        return false;
    k->bytes += (size_t)bytes;
    M->known_bytes += (size_t)bytes;
    return true;
}

bool eval_known_begin(machine *M, const pull *p)
{
    if (p->last->known || p->last->asked == NEVER_KEPT || !may_keep(M, p, p->count))
        return true;
    known_elements *k = mem_zeroed(M->mm, sizeof *k);
    uint64_t *there = mem_zeroed(M->mm, bits_bytes(p->count));
    if (!k || !there) {
        mem_free(M->mm, k, sizeof *k);
        mem_free(M->mm, there, bits_bytes(p->count));
        return false;
    }
    *k = (known_elements){.of = p, .there = there, .left = p->count};
    arena_init(&k->room, M->mm);
    enlist(M, k);
    p->last->known = k;
    return true;
}

bool eval_known_asked(machine *M, const pull *p, uint64_t n)
{
    last_element *l = p->last;
    if (l->asked == NEVER_KEPT || l->known)
        return true;
    l->asked += n;
    return l->asked < p->count + BEHIND || eval_known_begin(M, p);
}

/* ---- elements ---- */

static bool has_arrays(const value *v)
{
    if (v->tag != VAL_TUPLE)
        return v->tag != VAL_SCALAR;
    for (uint32_t i = 0; i < v->n; i++)
        if (has_arrays(&v->items[i]))
            return true;
    return false;
}

static void note_there(known_elements *k, uint64_t first, uint64_t n)
{
    for (uint64_t i = first; i < first + n; i++) {
        uint64_t bit = (uint64_t)1 << i % 64;
        k->left -= !(k->there[i / 64] & bit);
        k->there[i / 64] |= bit;
    }
}

static bool put_value(machine *M, known_elements *k, uint64_t i, value v, bool costly)
{
    bool fails;
    size_t bytes = (size_t)k->of->count * sizeof *k->values;
    if (!k->values && !eval_known_affords(M, k, bytes))
        return true;
    if ((!k->values && !(k->values = mem_zeroed(M->mm, bytes))) || !eval_outlive(M, k, costly, &v, &fails))
        return false;
    if (fails) { /* others may cost more */
        k->of->last->asked = costly ? NEVER_KEPT : k->of->last->asked;
        return true;
    }
    k->values[i] = v;
    note_there(k, i, 1);
    return true;
}

static uint64_t count_scalars(const value *v)
{
    uint64_t n = v->tag != VAL_TUPLE;
    for (uint32_t i = 0; v->tag == VAL_TUPLE && i < v->n; i++)
        n += count_scalars(&v->items[i]);
    return n;
}

static bool put_scalars(machine *M, known_elements *k, uint64_t i, const value *v)
{
    if (!k->scalars && !eval_known_affords(M, k, k->of->count * count_scalars(v) * SCALAR_BYTES))
        return true;
    if (!k->scalars && !(k->scalars = mem_zeroed(M->mm, sizeof *k->scalars)))
        return false;
    if (!k->scalars->shape)
        k->scalars->cap = lanes_room((uint32_t)k->of->count);
    if (!eval_buffer_put(M, k->scalars, i, v))
        return false;
    note_there(k, i, 1);
    return true;
}

bool eval_known_put(machine *M, const pull *p, uint64_t i, const value *v, uint64_t steps)
{
    known_elements *k = p->last->known;
    if (!k || p->last->asked == NEVER_KEPT || known_there(p, i))
        return true;
    return has_arrays(v) ? put_value(M, k, i, *v, steps >= COSTLY) : put_scalars(M, k, i, v);
}

bool eval_known_get(machine *M, const known_elements *k, uint64_t i, value *out)
{
    if (k->scalars)
        return eval_buffer_get(M, k->scalars, i, out);
    *out = k->values[i];
    return true;
}

/* ---- elements that were computed side by side ---- */

/* False too for what is made of something else than scalars: *fits is false then. */
static bool form_of(machine *M, const lanes *x, vec_u32 *form, bool *fits)
{
    bool tuple = x->one.tag == VAL_TUPLE;
    *fits = *fits && (tuple || x->one.tag == VAL_SCALAR);
    if (!*fits || !tuple)
        return *fits && vec_push(M->mm, form, x->one.type);
    if (!vec_push(M->mm, form, (uint32_t)SHAPE_TUPLE + x->one.n))
        return false;
    for (uint32_t k = 0; k < x->one.n; k++) {
        lanes part = eval_lanes_part(x, k);
        if (!form_of(M, &part, form, fits))
            return false;
    }
    return true;
}

/* Room for all elements, and for the lanes behind the last. */
static bool make_columns(machine *M, known_elements *k, const vec_u32 *form)
{
    if (!eval_known_affords(M, k, lanes_room((uint32_t)k->of->count) * (uint64_t)form->len * SCALAR_BYTES))
        return true;
    k->scalars = mem_zeroed(M->mm, sizeof *k->scalars);
    return k->scalars && eval_buffer_set_shape(M, k->scalars, form->at, form->len) &&
           eval_buffer_reserve(M, k->scalars, lanes_room((uint32_t)k->of->count));
}

static bool begin_columns(machine *M, known_elements *k, const lanes *x)
{
    vec_u32 form = {0};
    bool fits = true;
    bool ok = (form_of(M, x, &form, &fits) && make_columns(M, k, &form)) || !fits;
    vec_free(M->mm, &form);
    return ok;
}

/* Returns the column behind those written. */
static const host_array *put_lanes(const host_array *column, uint64_t first, const lanes *x,
                                   uint32_t n)
{
    for (uint32_t k = 0; x->one.tag == VAL_TUPLE && k < x->one.n; k++) {
        lanes part = eval_lanes_part(x, k);
        column = put_lanes(column, first, &part, n);
    }
    if (x->one.tag == VAL_TUPLE)
        return column;
    char *here = (char *)column->data + first * ir_scalar_bytes(column->type);
    if (x->column)
        memcpy(here, x->column, (size_t)n * ir_scalar_bytes(column->type));
    else
        eval_lanes_fill(column->type, here, x->one.bits, n);
    return column + 1;
}

bool eval_known_fill(machine *M, const pull *p, uint64_t first, const lanes *x, uint32_t n)
{
    known_elements *k = p->last->known;
    if (!k || p->last->asked == NEVER_KEPT || k->values)
        return true;
    if (!k->scalars && !begin_columns(M, k, x))
        return false;
    if (k->scalars) {
        put_lanes(k->scalars->columns, first, x, n);
        note_there(k, first, n);
    }
    return true;
}
