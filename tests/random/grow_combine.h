/* What the collectives of programs without levels combine, and with what. */
#ifndef FCL_TESTS_RANDOM_GROW_COMBINE_H
#define FCL_TESTS_RANDOM_GROW_COMBINE_H

#include "tests/random/grow.h"

/* How two values are combined: an operator for each scalar in them, or that of affine functions. */
typedef enum { ADD, XOR, OR, AND, MIN, MAX, MUL, LAST } manner;
enum { SCALARS_MOST = 2 * ITEMS_MOST, SUMMAND_MOST = 49 };
typedef struct monoid {
    type_id type;
    bool affine; /* (a, b) is a x + b, over ints */
    manner of[SCALARS_MOST];
} monoid;

/* ---- grow_combine.c ---- */

monoid some_monoid(gen *g, type_id t);
/* One that commutes. */
monoid some_sum(gen *g, type_id t);
term neutral(gen *g, const monoid *m);
term combined(gen *g, const monoid *m, term a, term b);
/* The region { (a, b) combined } that was opened with parameters from id on. */
void say_combined(gen *g, const monoid *m, uint32_t id);
term tuple_term(gen *g, const term *items, uint32_t n);
term item(gen *g, term of, uint32_t i);

/* ---- grow_element.c ---- */

bool has_real(const gen *g, type_id t);
/* A value that may be summed in any order. */
term some_summand(gen *g, type_id t);
/* One that hangs on its position: none is like another, and some are 0. */
term varied_element(gen *g, type_id t, uint32_t i, uint32_t rank);
value summands(gen *g, type_id elem, uint32_t rank, const extent *want);

/* ---- grow_collect.c, grow_stream.c ---- */

bool is_long(const gen *g, double n);
/* Opens "NAME z, xs { (a, b)" and writes the rest. */
uint32_t say_collective(gen *g, const char *name, const monoid *m, const value *xs, double n);
/* Opens the second region, of two values: the name of the first. */
uint32_t second_region(gen *g);
value stream_of_parts(gen *g, type_id elem, const extent *want);
/* A stream whose state is an array: each chunk gives the combinations of its elements, one for each
 * of its elements. */
value streamed_array(gen *g, type_id elem, const extent *want);
/* A reduction whose elements are arrays. */
value reduced_arrays(gen *g, type_id elem, const extent *want);

#endif
