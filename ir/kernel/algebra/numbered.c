/* Indices of an element by its number: what is left of the number when it is divided by an extent, and what is left of the
 * quotient.  That these lie inside their extents hangs on there being an element, which the loops around say: they have turns,
 * so nothing that the number of turns is a product of is 0.
 *
 *   for k < rows * columns { k mod columns < columns, k quot columns < rows } */
#include "ir/kernel/algebra/fold.h"

enum { DEPTH = 12 };

static bool is_number(const k_program *p, k_id v, int64_t most)
{
    int64_t x;
    return k_is_const(p, v, &x) && x <= most;
}

static bool is_zero(const k_program *p, k_id v)
{
    return is_number(p, v, 0) && k_lo(p, v) == 0;
}

/* ---- what is not 0 ---- */

static bool needs(const k_program *p, k_id x, k_id v, bool positive, int depth);

/* Whether one of the first n operands needs it, of those that are no 0. */
static bool one_needs(const k_program *p, const k_node *n, uint32_t from, k_id v, bool positive, int depth)
{
    for (uint32_t i = from; i < from + 2; i++)
        if (!is_number(p, n->args[i], 0) && needs(p, n->args[i], v, positive, depth - 1))
            return true;
    return false;
}

/* Whether x can only be positive, or other than 0, where v is not 0. */
static bool needs(const k_program *p, k_id x, k_id v, bool positive, int depth)
{
    const k_node *n = k_at(p, x);
    positive = positive || k_lo(p, x) >= 0;
    if (x == v || depth == 0)
        return x == v;
    if (n->op == K_CONVERT)
        return k_type_is_int((scalar)n->type) && needs(p, n->args[0], v, false, depth - 1);
    if (ka_is(n, SOP_MUL))
        return one_needs(p, n, 0, v, false, depth);
    if (ka_is(n, SOP_MIN))
        return positive && one_needs(p, n, 0, v, true, depth);
    if (ka_is(n, SOP_MAX))
        return (is_number(p, n->args[0], 0) || is_number(p, n->args[1], 0)) && positive && one_needs(p, n, 0, v, true, depth);
    if (ka_is(n, SOP_SELECT))
        return (is_zero(p, n->args[1]) || is_zero(p, n->args[2])) && one_needs(p, n, 1, v, positive, depth);
    return false;
}

bool ka_is_counted(const k_builder *b, k_id v)
{
    const k_program *p = b->p;
    for (uint32_t i = b->scopes.len; k_lo(p, v) >= 0 && i > 1; i--) {
        const k_node *n = k_at(p, b->scopes.at[i - 1].owner);
        k_id turn = n->op == K_FOR || n->op == K_PAR ? k_block_at(p, n->blocks[0])->params : 0;
        k_id turns = turn && k_lo(p, turn) >= 0 ? k_below(p, turn) : 0;
        if (turns && needs(p, turns, v, true, DEPTH))
            return true;
    }
    return false;
}

/* ---- what a number is below ---- */

static bool is_positive(const k_builder *b, k_id v)
{
    return k_lo(b->p, v) >= 1 || ka_is_counted(b, v);
}

/* A number that what is left, a natural number, is below, where it is not 0: d, by which was divided, or by d or 1. */
static k_id limit_of_rest(const k_builder *b, k_id by)
{
    const k_node *n = k_at(b->p, by);
    for (int i = 0; i < 2 && ka_is(n, SOP_MAX); i++)
        if (is_number(b->p, n->args[1 - i], 1) && k_lo(b->p, n->args[1 - i]) == 1)
            return n->args[i];
    return is_positive(b, by) ? by : 0;
}

/* x, where product is x times d, both natural and d not 0. */
static k_id factor_beside(const k_builder *b, k_id product, k_id d)
{
    const k_node *n = k_at(b->p, product);
    for (int i = 0; i < 2 && ka_is(n, SOP_MUL); i++)
        if (n->args[1 - i] == d && is_positive(b, d) && k_lo(b->p, n->args[i]) >= 0)
            return n->args[i];
    return 0;
}

/* A number that the natural number v is below, where it is not 0; 0: none is seen.  A product that wraps is less than what it
 * would be, or negative. */
static k_id limit(const k_builder *b, k_id v, int depth)
{
    const k_program *p = b->p;
    const k_node *n = k_at(p, v);
    bool natural = n->op == K_SCALAR && depth > 0 && k_lo(p, n->args[0]) >= 0;
    if ((natural && ka_is(n, SOP_REM)) || (ka_is(n, SOP_MOD) && depth > 0))
        return limit_of_rest(b, n->args[1]);
    if (natural && (ka_is(n, SOP_QUOT) || ka_is(n, SOP_DIV))) {
        k_id product = limit(b, n->args[0], depth - 1);
        return product ? factor_beside(b, product, n->args[1]) : 0;
    }
    return k_below(p, v);
}

bool ka_is_numbered(const k_builder *b, k_id i, k_id n)
{
    return k_lo(b->p, i) >= 0 && limit(b, i, DEPTH) == n && is_positive(b, n);
}
