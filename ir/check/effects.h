/* Sets of effects: which levels work is done at, by what a computation is known and unknown to do.
 *
 * A set has, for each level base (the constants; each level variable), the highest level with that
 * base, and atoms: "what stage k of parameter p does".  Sets are values, made once and never
 * changed; set 0 is empty. */
#ifndef FCL_IR_CHECK_EFFECTS_H
#define FCL_IR_CHECK_EFFECTS_H

#include "ir/check/impl.h"

typedef uint32_t effect_set;

/* Stages of a value: what computing an element of it (an array) or applying it (a function) does is
 * stage 0, what using the result of that does is stage 1, and so on; the last stage stands for all
 * deeper ones. */
enum { STAGES = 4 };
#define ATOM (1u << 31)

typedef struct effect {
    uint32_t key; /* an ir_level, or ATOM | param * STAGES + stage */
    ir_op origin; /* what has this effect: for the note */
} effect;

/* A set: a stretch of `effects`. */
typedef struct effect_span {
    uint32_t start, n;
} effect_span;

typedef struct effect_table {
    VEC(effect) effects;
    VEC(effect_span) sets;
    VEC(effect_set) sums; /* sets that are being added up: stacks of sums, see check_sum_begin */
} effect_table;

bool check_effects_init(mem *mm, effect_table *t);
void check_effects_free(mem *mm, effect_table *t);
effect_set check_effect_one(mem *mm, effect_table *t, uint32_t key, ir_op origin);
effect_set check_effect_union(mem *mm, effect_table *t, effect_set a, effect_set b);
/* Adds up many sets, in time and memory n log n: begin, add, end.  Sums nest: the one begun last is
 * ended first, and only that one is added to. */
uint32_t check_sum_begin(const effect_table *t);
void check_sum_add(mem *mm, effect_table *t, uint32_t sum, effect_set s);
effect_set check_sum_end(mem *mm, effect_table *t, uint32_t sum);
uint32_t check_effect_count(const effect_table *t, effect_set s);
effect check_effect_at(const effect_table *t, effect_set s, uint32_t i);
/* Whether work at level a is certainly at most at level b. */
bool check_level_at_most(ir_level a, ir_level b);
/* Drops all sets made since `sets` and `effects` were the lengths, except keep[0 .. n), which get
 * new ids; n <= KEEP_MAX. */
enum { KEEP_MAX = 16 };
void check_effects_drop(mem *mm, effect_table *t, uint32_t sets, uint32_t effects,
                        effect_set *const *keep, uint32_t n);

#endif
