/* Matching types with holes: how the instance of a polymorphic function follows from its arguments
 * (rules 14 to 16).
 *
 * Holes are type variables in two intervals: the parameters of the function, and scratch variables
 * that stand for the bound variables of schemes (forall types) met on the way.  Unification binds
 * them; nothing else is changed. */
#ifndef FCL_IR_CHECK_MATCH_H
#define FCL_IR_CHECK_MATCH_H

#include "ir/check/impl.h"

typedef struct matcher {
    checker *c;
    ir_tvar first; /* the function's parameters: types, then levels */
    uint32_t n;
    ir_tvar scratch; /* then the scratch variables: bindings n .. n + nscratch */
    uint32_t nscratch;
    bool unknown;  /* something unified was of unknown type: holes may stay unbound */
    uint32_t base; /* in c->bindings: a type or a level for each hole, 0: unbound */
} matcher;

bool check_matcher_begin(matcher *u, checker *c, ir_tvar first, uint32_t n);
void check_matcher_end(matcher *u);
/* The scheme with scratch variables for what its outermost forall types bind. */
ir_type check_matcher_open(matcher *u, ir_type scheme);
/* The type at the head, bindings followed. */
ir_type check_matcher_head(const matcher *u, ir_type t);
bool check_matcher_unify(matcher *u, ir_type x, ir_type y);
uint32_t *check_matcher_binding(matcher *u, uint32_t hole); /* by number */
/* t with all bindings put in. */
ir_type check_matcher_resolve(matcher *u, ir_type t);
ir_level check_matcher_resolve_level(matcher *u, ir_level l);
/* Closes over the scratch variables that are still unbound in t: a partial application of a scheme
 * is a scheme. */
ir_type check_matcher_generalise(matcher *u, ir_type t);
bool check_matcher_mentions_hole(const matcher *u, ir_type t);

#endif
