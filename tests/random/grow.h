/* What the parts of the generator share: the text that grows, the values that are visible, and what
 * is known of them. */
#ifndef FCL_TESTS_RANDOM_GROW_H
#define FCL_TESTS_RANDOM_GROW_H

#include "ir/scalar/scalar.h"
#include "tests/random/dice.h"
#include "tests/random/generate.h"

enum { RANK_MOST = 3, ITEMS_MOST = 4 };

typedef uint16_t type_id; /* index into gen.types */

typedef enum { FORM_SCALAR, FORM_TUPLE, FORM_PULL, FORM_PUSH, FORM_FN } form;

/* A tuple has items; an array an element, a rank and (push) a level; a function items and, as
 * element, a result. */
typedef struct shape {
    form form;
    scalar scalar;
    uint32_t rank, level, n;
    type_id elem, items[ITEMS_MOST], unused; /* no padding: compared as bytes */
} shape;

/* An operand as it is written: a name or a literal; empty: none is at hand. */
typedef struct term {
    char s[160];
} term;

/* The extent of an axis, or any int that may be one: it lies in [lo, hi]. */
typedef struct extent {
    term t;
    int64_t lo, hi;
} extent;

/* cost: operations run, and code: operations written out, for an element of an array or a call of a
 * function. */
typedef struct value {
    type_id type;
    uint32_t id;
    bool is_size; /* an int that can be an extent: size.t is its name */
    extent size;
    term below; /* an int that is at least 0 and less than that */
    extent ext[RANK_MOST];
    double cost, code;
} value;

typedef struct function {
    char name[16];
    type_id params[ITEMS_MOST], result;
    uint32_t nparams;
    bool leveled; /* takes a level l, an array, and gives one of the same length at l */
    bool raised;  /* ... at 1+l */
    double cost, code;
} function;

typedef struct gen {
    dice d;
    mem *m;
    vec_char body; /* of the function being written */
    generate_options o;
    VEC(shape) types;
    VEC(value) env;
    VEC(function) functions;
    uint32_t next_id, indent;
    int32_t ops;      /* operations that may still be written */
    uint32_t depth;   /* of the expression */
    uint32_t level;   /* work is allowed up to it */
    bool named_level; /* level 1 is called l, level 2 1+l, and there is no other but thread */
    bool unscheduled; /* collectives, and no levels */
    double cost, code, limit;
} gen;

/* ---- grow.c ---- */

uint32_t some(gen *g, uint32_t below);
bool chance(gen *g, uint32_t percent);

type_id type_of(gen *g, scalar s);
type_id tuple_of(gen *g, const type_id *items, uint32_t n);
type_id pull_of(gen *g, type_id elem, uint32_t rank);
type_id push_to(gen *g, type_id elem, uint32_t rank, uint32_t level);
type_id function_of(gen *g, const type_id *params, uint32_t n, type_id result);
shape shape_of(const gen *g, type_id t);
bool is_int(const gen *g, type_id t);
void print_type(gen *g, type_id t, char *out, size_t size);
term type_term(gen *g, type_id t); /* short types only */
const char *level_word(const gen *g, uint32_t level);
/* Pushes the array of that name to a level, or is it where programs name none. */
uint32_t say_push(gen *g, uint32_t id, uint32_t level);
scalar some_scalar(gen *g);
type_id some_base(gen *g); /* a scalar or a tuple of them */
/* The highest level that may be used up to `most`. */
uint32_t some_level(gen *g, uint32_t most);
/* Whether arrays of that level can be joined of parts of the one below. */
bool has_parts(const gen *g, uint32_t level);

term term_of(uint32_t id);
term termf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool same_term(term a, term b);

/* "%id = ..." on a line; the id. */
uint32_t say(gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "%id: t = ..." */
uint32_t say_typed(gen *g, type_id t, const char *text);
/* The same with " {" and parameters behind it: a region begins. */
uint32_t say_open(gen *g, const char *params, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void say_yield(gen *g, term t);
void say_next(gen *g, const char *params);
void say_close(gen *g);

/* What a region keeps of what is around it. */
typedef struct scope {
    uint32_t env, level, depth;
    double cost, code, limit;
} scope;
/* A region that is run `times` for each time that the code around it is. */
scope enter(gen *g, double times);
/* The values of the region are forgotten; its cost and code are what g had, and come back. */
void leave(gen *g, const scope *s, double *cost, double *code);
bool afford(const gen *g, double cost, double code);
void spend(gen *g, double cost, double code);

value *keep(gen *g, value v);                 /* makes it visible */
/* The array of that name and those extents, of which an element costs a load. */
value array_of(uint32_t id, type_id t, const extent *want, uint32_t rank);
term keep_as(gen *g, type_id t, uint32_t id); /* the value of that type and name */
value named(gen *g, type_id t);               /* a new name of that type */
value *visible(gen *g, bool (*fits)(const gen *g, const value *v, const void *of), const void *of);
value *visible_of(gen *g, type_id t);
/* "%id = op a, b" over ints with its range. */
extent int_op(gen *g, const char *op, term a, term b, int64_t lo, int64_t hi);

/* ---- grow_scalar.c ---- */

term literal(gen *g, scalar s);
term literal_of(gen *g, scalar s, uint64_t bits);
uint64_t literal_bits(gen *g, scalar s); /* of such a literal */
term some_value(gen *g, type_id t);      /* of base type */
term some_scalar_value(gen *g, scalar s);
term some_condition(gen *g);
term zero(gen *g, type_id t);
/* A function of two such arguments that is associative and commutative on what `exact_sum` gives.
 */
value combine(gen *g, scalar s);
term new_function(gen *g, const type_id *params, uint32_t n, type_id result, value *out);

/* ---- grow_size.c ---- */

extent some_size(gen *g, int64_t most, bool positive);
extent axis(gen *g, const value *array, uint32_t k);
term some_int(gen *g); /* that is an extent */
/* An element of an array of base type, wherever; at: positions, or NULL. */
term element(gen *g, const value *array, const term *at);

/* ---- grow_bulk.c ---- */

/* A `constant`: of known extents and not too many elements, where that is possible; or any. */
bool can_be_bulk(const gen *g, type_id elem, uint32_t rank, const extent *want);
value bulk(gen *g, scalar s, uint32_t rank, const extent *want);
value some_bulk(gen *g);

/* ---- grow_pull.c, grow_push.c ---- */

value some_pull(gen *g, type_id elem, uint32_t rank, const extent *want);
/* Of rank 1, of whatever length it turns out to be. */
value some_pull_of_any_length(gen *g, type_id elem, extent *most);
value some_push(gen *g, type_id elem, uint32_t rank, uint32_t level, const extent *want);
/* push<level> of some array */
value pushed(gen *g, type_id elem, uint32_t rank, uint32_t level, const extent *want);
double count_most(const extent *want, uint32_t rank);
/* A number whose sums are the same in any order. */
term summand(gen *g, scalar s);
value generate_elements(gen *g, type_id elem, uint32_t rank, const extent *want);
/* Opens a `generate` with those extents: its name, behind which the positions have theirs, which are still to be taken. */
uint32_t say_generate(gen *g, const extent *want, uint32_t rank);
/* Elements that `give` computes from their positions, which have names from i on. */
typedef term from_positions(gen *g, type_id elem, uint32_t i, uint32_t rank);
value generate_by(gen *g, type_id elem, uint32_t rank, const extent *want, from_positions *give);
/* An array that is pushed and kept: by force, or a loop that begins with it. */
value forced(gen *g, const value *push);

/* ---- grow_loop.c ---- */

value loop_while(gen *g, type_id elem, uint32_t rank, const extent *want);
value loop_repeat(gen *g, type_id elem, uint32_t rank, const extent *want);
value loop_of_state(gen *g, type_id elem, uint32_t rank, const extent *want);
value accumulated(gen *g, type_id elem, const extent *want);
value seqfor(gen *g, type_id elem, const extent *want);
value mapaccum(gen *g, type_id elem, uint32_t level, const extent *want);
value chained(gen *g, type_id elem, const extent *want);

/* ---- grow_collect.c: where programs name no levels ---- */

/* What a collective makes: an array, in memory unless there is no room for it; a value; the
 * elements that are left. */
value collected(gen *g, type_id elem, uint32_t rank, const extent *want);
term reduced(gen *g, type_id t);
term streamed(gen *g, type_id t);
value kept_elements(gen *g, type_id elem, extent *most);
/* Accumulates n elements into cells of any type. */
value accumulated_of(gen *g, type_id elem, const extent *want, const extent *n);

/* ---- grow_nest.c ---- */

enum { NEST_ARRAYS = 3 };

/* Types as text. */
typedef struct nest_text {
    uint32_t nparams;
    char params[NEST_ARRAYS][40], result[40];
} nest_text;

/* The body of a kernel whose elements reduce what they share, and its parameters, with arguments: the name of its result. */
uint32_t nest_of(gen *g, random_kernel *k, nest_text *out);

/* ---- grow_rows.c ---- */
/* Likewise one whose elements go through lines of a matrix. */
uint32_t rows_of(gen *g, random_kernel *k, nest_text *out);

/* ---- program.c ---- */

/* A parameter of base type, or an array of such, and an argument for it. */
value param_of(gen *g, random_kernel *k, type_id elem, uint32_t rank, const uint64_t *dims);

/* ---- grow_scatter.c ---- */

/* want->lo is above 0. */
value scattered(gen *g, type_id elem, const extent *want);
/* What a filter leaves of an array, or what it takes away. */
value filtered(gen *g, type_id elem, extent *most);

/* ---- grow_update.c ---- */

/* No extent is 0. */
value updated(gen *g, type_id elem, uint32_t rank, const extent *want);

/* ---- grow_join.c ---- */

value concatenated(gen *g, type_id elem, uint32_t level, const extent *want);
/* From chunks of which nobody knows how long they are. */
value ragged(gen *g, type_id elem, uint32_t level, const extent *want);
value interleaved(gen *g, type_id elem, uint32_t rank, uint32_t level, bool one_by_one,
                  const extent *want);

#endif
