/* Values of the host block as expressions over the inputs, for reports:
 * quot(add(len(%xs), 255), 256). */
#include "ir/kernel/text/text.h"

#include <string.h>

#define put ktext_put

/* ---- inputs by their names ---- */

/* A name that is no number: those are values. */
static bool is_word(const char *name)
{
    return name[strspn(name, "0123456789")] != 0;
}

/* %xs, or %xs.1 for the second leaf of a parameter that is a tuple; %arg0 for what has no name, or
 * only a number. */
static void put_leaf(kernel_printer *w, uint32_t which)
{
    const k_program *p = w->p;
    const char *name = k_leaf_name(p, which);
    uint32_t param = which < p->in.len ? p->in.at[which].param : which, within = 0;
    for (uint32_t i = which; i > 0 && i < p->in.len && p->in.at[i - 1].param == param; i--)
        within++;
    put(w, "%%");
    if (is_word(name))
        w->ok = w->ok && text_add(w->m, w->out, name, strlen(name));
    else
        put(w, "arg%u", param);
    if (within)
        put(w, ".%u", within);
}

/* An array of rank 1 has one extent, its length. */
static void put_dim(kernel_printer *w, const k_node *n)
{
    uint32_t which = n->leaf;
    bool only = which < w->p->in.len && w->p->in.at[which].rank == 1;
    put(w, only ? "len(" : "dim(");
    put_leaf(w, which);
    if (!only)
        put(w, ", %u", n->axis);
    put(w, ")");
}

/* ---- operands ---- */

/* Operators in the expression of v, or more than most. */
static uint32_t operators_of(const k_program *p, k_id v, uint32_t most)
{
    const k_node *n = k_at(p, v);
    uint32_t sum = ktext_is_operator(n);
    for (uint32_t i = 0; sum && i < ktext_operand_count(n) && sum <= most; i++)
        sum += operators_of(p, n->args[i], most - sum);
    return sum;
}

/* Whether an operator is written where it is used: where the whole expression is small. */
static bool stands_here(const kernel_printer *w, k_id v)
{
    return ktext_is_operator(k_at(w->p, v)) && operators_of(w->p, v, w->open) <= w->open;
}

void ktext_open_operand(kernel_printer *w, k_id v)
{
    const k_node *n = k_at(w->p, v);
    if (n->op == K_ARG || n->op == K_BUFFER)
        put_leaf(w, n->leaf);
    else if (n->op == K_DIM)
        put_dim(w, n);
    else if (stands_here(w, v))
        ktext_expression(w, n);
    else
        put(w, "%%%u", v);
}

/* How much is written is bounded by the number of operators. */
bool k_print_value(const k_program *p, k_id v, vec_char *out)
{
    enum { OPERATORS_MOST = 8 };
    kernel_printer w = {.p = p, .m = &p->cx->mem, .out = out, .open = OPERATORS_MOST, .ok = true};
    if (ktext_is_operator(k_at(p, v)))
        ktext_expression(&w, k_at(p, v));
    else
        ktext_operand(&w, v);
    return w.ok;
}
