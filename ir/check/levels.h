/* What the two halves of the level analysis share: check/levels.c (the rules) and check/closure.c
 * (functions). */
#ifndef FCL_IR_CHECK_LEVELS_H
#define FCL_IR_CHECK_LEVELS_H

#include "ir/check/effects.h"

/* Why an effect must stay below a bound. */
typedef enum {
    WHY_PUSH,
    WHY_CONCAT,
    WHY_MAP,
    WHY_POSITION,
    WHY_SEQFOR,
    WHY_ELEMENT,
    WHY_CHAIN,
    WHY_COMBINE,
    WHY_UNKNOWN
} why;

/* What is known of a value: its stages, and the closure if it is a known function. */
typedef struct latent {
    effect_set stage[STAGES];
    uint32_t closure;
} latent;

/* "What this atom does must be at most at that level", said by `op`. */
typedef struct requirement {
    uint32_t atom; /* 0: taken over by the summary of an inner fn */
    ir_level bound;
    ir_op op;
    uint32_t next; /* of the same atom; index + 1 */
    why why;
} requirement;

/* What a function does, in terms of its level parameters and the atoms of its parameters. */
typedef struct summary {
    effect_set effect, result[STAGES];
    uint32_t reqs, nreqs; /* in `reqs`, for an inner fn in `fn_reqs` */
    uint32_t first_param, nparams;
    uint32_t tvars,
        nlevels; /* the first level parameter; for an inner fn its index in the module's pool */
    bool inner;
} summary;

/* A known function, applied to some levels and then to some arguments. */
typedef struct closure {
    uint32_t summary; /* in `fns` if inner, else in `funcs` */
    bool inner;
    uint32_t data, nlevels, nargs; /* in `data`: levels, then indices of latents */
} closure;

typedef struct levels {
    effect_table effects;
    vec_u32 of_value; /* index of the latent; 0: does nothing */
    VEC(latent) latents;
    VEC(closure) closures;
    vec_u32 data;
    VEC(summary) funcs; /* by function */
    VEC(summary) fns;
    VEC(requirement) reqs; /* of functions, then those pending in this one */
    VEC(requirement) fn_reqs;
    vec_u32 pending; /* by atom of this function: its last requirement, index + 1 */
    uint32_t first_req, nparams;
    uint32_t sum; /* the effects of the region being walked, added up */
    struct asked {
        effect_set set;
        ir_level bound;
    } asked[64]; /* requirements known to hold or to be noted: a cache */
} levels;

/* ---- check/state.c ---- */

/* The level of the arrays of a state of this type; 0: it has none. */
ir_level check_state_level(const checker *c, ir_type t);

/* ---- check/levels.c ---- */

latent check_latent_of(const checker *c, ir_value v);
uint32_t check_stages_of(const checker *c, ir_type t);
/* Stages that the type does not have are dropped. */
void check_set_latent(checker *c, ir_value v, latent l);
void check_add_effect(checker *c, effect_set s);
effect_set check_join(checker *c, effect_set a, effect_set b);
latent check_join_args(checker *c, ir_op o);  /* of all operands; closures are forgotten */
latent check_after_use(checker *c, latent l); /* what is left when stage 0 has happened */
/* Decides what is known of s, and notes the rest for the callers of this function. */
void check_require(checker *c, effect_set s, ir_level bound, why w, ir_op op);
/* Gives a parameter its atoms; returns its number. */
void check_name_param(checker *c, ir_value v);
void check_walk_region(checker *c, ir_region r);
effect_set check_region_effect(checker *c, ir_region r);
latent check_yielded_latent(const checker *c, ir_region r);

/* ---- the level rules, each named after its row in ops.def: levels.c, those of functions in
 * closure.c, that of chain in chain.c ---- */

typedef void work_rule(checker *c, ir_op o);
#define LEVELRULE(e, what) work_rule check_work_##e;
#include "ir/ops.def"
#undef LEVELRULE

#endif
