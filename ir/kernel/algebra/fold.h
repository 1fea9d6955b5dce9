/* What the files of folding share: intervals, evident relations between values, linear forms,
 * quotients.
 *
 * Folding and building call one another, through this header alone: the builder (value.c,
 * position.c) has every operation folded before it makes a node, and what a fold comes to is built,
 * and so folded in turn. */
#ifndef FCL_IR_KERNEL_FOLD_H
#define FCL_IR_KERNEL_FOLD_H

#include "ir/kernel/algebra/algebra.h"

/* ---- fold.c, range.c: what the builder asks ---- */

/* The simplified value of an operation, or 0. */
k_id ka_fold_scalar(k_builder *b, opcode op, scalar t, const k_id x[3]);
/* The interval of an operation's result; notes in the node that it cannot wrap. */
k_range ka_fold_interval(const k_program *p, k_node *n);

/* ---- range.c ---- */

k_range ka_range_add(k_range x, k_range y);
k_range ka_range_mul(k_range x, k_range y);
k_range ka_range_scale(k_range x, int64_t by);
static inline k_range ka_range_of(const k_program *p, k_id v)
{
    return (k_range){k_lo(p, v), k_hi(p, v), true};
}
/* Whether the range is known and lies within the type. */
bool ka_range_fits(k_range r, scalar t);
int64_t ka_floor_div(int64_t x, int64_t y); /* y > 0 */

static inline bool ka_is(const k_node *n, opcode op)
{
    return n->op == K_SCALAR && n->opcode == op;
}

/* ---- relate.c: what the structure of values tells; false and 0 mean unknown ---- */

/* Whether x < n. */
bool ka_is_below(const k_program *p, k_id x, k_id n);
/* Whether x <= n, for n >= 0. */
bool ka_is_not_above(const k_program *p, k_id x, k_id n);
/* Whether rest, a remainder, is that by d: also where it is by max(d, 1), and what is divided is a
 * natural number below a multiple of d, so that d is not 0. */
bool ka_is_rest_by(const k_program *p, const k_node *rest, k_id d);
/* The x for which q is evidently 0 or at most x / d, with d > 0. */
k_id ka_quotient_bound(const k_program *p, k_id q, k_id d);
/* The n for which a node is evidently g / d with 0 <= g < n * d; or 0. */
k_id ka_quotient_limit(const k_program *p, const k_node *n);
/* The product, of numbers of 64 bits, that n is where it does not overflow: lower_product makes
 * such.  Of natural factors it is larger than any number where it does.  NULL: n is no such. */
const k_node *ka_saturated(const k_program *p, const k_node *n);
/* The n for which y is evidently at most n - x, or at most 0. */
k_id ka_room_beside(const k_program *p, k_id y, k_id x);

/* ---- clamped.c: what it tells with what is asked for around the builder ---- */

/* Whether 0 <= i < n, n being natural: by clamps, minima and maxima with bounds, or as one of a run
 * of elements that a branch asks for, or that is one of those that n is cut into. */
bool ka_is_clamped(const k_builder *b, k_id i, k_id n);

/* ---- numbered.c: what loops around the builder tell ---- */

/* Whether v, which is natural, is not 0, as a loop has turns. */
bool ka_is_counted(const k_builder *b, k_id v);
/* Whether 0 <= i < n: as what is left of the number of an element, or of the quotient, by its extents. */
bool ka_is_numbered(const k_builder *b, k_id i, k_id n);

/* ---- linear.c: sums c + k0 * v0 + k1 * v1 + ... ---- */

enum { MAX_TERMS = 8 };

/* Coefficients as signed numbers of the type's width: the value is the sum modulo that width. */
typedef struct linear {
    int64_t c;
    uint32_t n;
    k_id v[MAX_TERMS];
    int64_t k[MAX_TERMS];
} linear;

/* How far a value is opened. */
typedef enum {
    OPEN_SUMS,     /* products are values */
    OPEN_PRODUCTS, /* products by a constant are coefficients */
    OPEN_ALL,      /* and so are sums in such products */
    OPEN_EQUAL,    /* and conversions of signed integers that change no value; terms may have any of
                      their types then */
    OPEN_RESIDUE,  /* and those that change only what the form's width does not hold */
} linear_depth;

/* The form of x + sign * y (y may be 0); false when it has too many terms. */
bool ka_linear_of(const k_program *p, scalar t, k_id x, k_id y, int sign, linear_depth depth,
                  linear *out);
/* l becomes l + factor * m; false when it has too many terms. */
bool ka_linear_add(linear *l, const linear *m, int64_t factor, scalar t);
/* The sum as integers, without wrapping. */
k_range ka_linear_range(const k_program *p, const linear *l);
k_id ka_linear_value(k_builder *b, const linear *l, scalar t);
/* l as g * whole + rest where rest has no coefficient that g divides, and its least value lies in
 * [0, g). */
void ka_linear_split(const k_program *p, const linear *l, int64_t g, linear *whole, linear *rest);
/* x + y or x - y when terms cancel or constants meet; 0 when the plain operation is as good. */
k_id ka_fold_sum(k_builder *b, opcode op, scalar t, const k_id x[3]);

/* ---- divide.c ---- */

/* Quotients and remainders that need no division, or a simpler one; 0 when it stays as it is. */
k_id ka_fold_division(k_builder *b, opcode op, scalar t, const k_id x[3]);

#endif
