/* The whole part of a quotient or product of an integer, computed in doubles, is that of integers.
 *
 * convert<i32> (floor (convert<f64> x / c)) is x div c for c from 1 on: a quotient that is not
 * whole is at least 1 / c away from what is, and rounded by less than 2^-22 / c.  With a factor m /
 * 2^s the product is exact where m is small, and its floor is (x * m) div 2^s where x * m does not
 * wrap.  Array languages write so, as they divide in doubles. */
#include "ir/kernel/build/inside.h"
#include "ir/scalar/scalar.h"

#include <math.h>

enum { MOST_FACTOR = 1 << 20, MOST_SHIFT = 20 };

/* The operands of a scalar operator on doubles; false: it is another one. */
static bool is_double_op(const k_program *p, k_id v, opcode code)
{
    const k_node *n = k_at(p, v);
    return n->op == K_SCALAR && n->opcode == code && n->type == ST_F64;
}

/* The 32-bit integer that a double is; 0: it is none. */
static k_id integer_of(const k_program *p, k_id v)
{
    const k_node *n = k_at(p, v);
    return n->op == K_CONVERT && n->type == ST_F64 && k_at(p, n->args[0])->type == ST_I32
               ? n->args[0]
               : 0;
}

static bool is_number(const k_program *p, k_id v, double *c)
{
    const k_node *n = k_at(p, v);
    *c = n->op == K_CONST && n->type == ST_F64 ? scalar_as_double(ST_F64, n->bits) : 0;
    return *c >= 0x1p-20 && *c <= INT32_MAX;
}

static k_id quotient(k_builder *b, k_id x, double c)
{
    return c >= 1 && c == floor(c) ? kb_scalar(b, SOP_DIV, x, kb_int(b, (int32_t)c), 0) : 0;
}

static k_id scaled(k_builder *b, k_id x, double c)
{
    int shift = 0;
    for (; shift < MOST_SHIFT && c != floor(c); shift++)
        c *= 2;
    if (c != floor(c) || c > MOST_FACTOR)
        return 0;
    int32_t m = (int32_t)c;
    if (k_lo(b->p, x) * m < INT32_MIN || k_hi(b->p, x) * m > INT32_MAX)
        return 0;
    k_id y = kb_scalar(b, SOP_MUL, x, kb_int(b, m), 0);
    return kb_scalar(b, SOP_DIV, y, kb_int(b, 1 << shift), 0);
}

k_id kb_whole(k_builder *b, k_id x)
{
    const k_program *p = b->p;
    double c;
    if (!is_double_op(p, x, SOP_FLOOR))
        return 0;
    k_id of = k_at(p, x)->args[0];
    const k_node n = *k_at(p, of);
    if (is_double_op(p, of, SOP_FDIV) && integer_of(p, n.args[0]) && is_number(p, n.args[1], &c))
        return quotient(b, integer_of(p, n.args[0]), c);
    if (!is_double_op(p, of, SOP_MUL))
        return 0;
    for (uint32_t i = 0; i < 2; i++)
        if (integer_of(p, n.args[i]) && is_number(p, n.args[1 - i], &c))
            return scaled(b, integer_of(p, n.args[i]), c);
    return 0;
}
