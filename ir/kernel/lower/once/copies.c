/* How often code is copied, and who is to blame where that is too often.
 *
 * Every call is a copy of a function, every element one of what computes it; what is the same is
 * copied once (once/memo.c).  What remains may still multiply: a stencil of a stencil asks for
 * elements at more and more indices, f (f x) runs f twice at each step.  Counting the runs of each
 * region tells that early; counting the elements of each array tells which should be in memory. */
#include "ir/kernel/lower/value.h"

/* From here on, an array of which one element takes so many is one to force. */
enum { MANY = 8 };

uint32_t *lower_counter(lowering *L, vec_u32 *list, uint32_t i)
{
    mem *m = &L->m->cx->mem;
    bool ok = i < list->len || vec_reserve(m, list, i + 1 - list->len);
    while (ok && list->len <= i)
        list->at[list->len++] = 0;
    L->failed = L->failed || !ok;
    return ok ? &list->at[i] : NULL;
}

void lower_count_element(lowering *L, const sv *a)
{
    uint32_t *n = lower_counter(L, &L->asked, a->number);
    if (n)
        ++*n;
}

/* The outermost name is noted last. */
void lower_note_name(lowering *L, const sv *v, ir_value name)
{
    if (v->kind == SV_PULL && ir_value_name(L->m, name)) {
        named_array n = {.number = v->number, .name = name};
        L->failed = !vec_push(&L->m->cx->mem, &L->named, n) || L->failed;
    }
}

static uint32_t asked(const lowering *L, uint32_t number)
{
    return number < L->asked.len ? L->asked.at[number] : 0;
}

/* The array of which the fewest elements are asked for that are many: those that it is made from
 * are asked for more. */
static named_array blamed(const lowering *L)
{
    named_array best = {0};
    for (uint32_t i = L->named.len; i-- > 0;) {
        named_array n = L->named.at[i];
        uint32_t times = asked(L, n.number), least = asked(L, best.number);
        if (n.number == best.number || (times >= MANY && (!best.number || times < least)))
            best = best.number == n.number ? best : n;
    }
    return best;
}

static void report_array(lowering *L, named_array n)
{
    const char *name = ir_str(L->m, ir_value_name(L->m, n.name));
    location where = ir_op_loc(L->m, ir_value_at(L->m, n.name)->def);
    diag_error(L->m->cx, DIAG_COPIES, where,
               "elements multiply beyond %u: of '%s' alone, %u are computed where one of an array "
               "made from it is",
               L->m->cx->limits.copies, name, asked(L, n.number));
    diag_hint(L->m->cx,
              "force '%s', as by force (push <grid> %s): then its elements are computed once and "
              "read from memory; of a chain of such arrays force every second or third",
              name, name);
}

static void report_function(lowering *L, ir_region r)
{
    const func_node *f = ir_func_at(L->m, ir_region_at(L->m, r)->func);
    diag_error(L->m->cx, DIAG_COPIES, ir_loc_at(L->m, f->loc),
               "'%s' is copied more than %u times, as every call of a function is",
               ir_str(L->m, f->name), L->m->cx->limits.copies);
    diag_hint(L->m->cx, "a function that calls another twice doubles it with each step: repeat "
                        "with loop, while or seqfor, whose arrays are in memory, or force the arrays in between");
}

bool lower_count_run(lowering *L, ir_region r)
{
    uint32_t *n = lower_counter(L, &L->runs, r);
    if (!n || ++*n <= L->m->cx->limits.copies)
        return n != NULL;
    named_array a = blamed(L);
    if (a.number)
        report_array(L, a);
    else
        report_function(L, r);
    L->failed = true;
    return false;
}

void lower_copies_free(lowering *L)
{
    mem *m = &L->m->cx->mem;
    vec_free(m, &L->asked);
    vec_free(m, &L->runs);
    vec_free(m, &L->asking);
    vec_free(m, &L->named);
}
