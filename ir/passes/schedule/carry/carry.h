/* Loops of the host that carry arrays, as arrays of loops: inside.
 *
 * The turn is run on what is known of it (partial evaluation), for the element at one place: loop.c
 * finds the loops, state.c knows what they carry, thread.c makes the loop of a thread and result.c
 * what it gives; element.c is the element of an array of the turn, number.c knows what an index is
 * in terms of the place. */
#ifndef FCL_IR_PASSES_SCHEDULE_CARRY_CARRY_H
#define FCL_IR_PASSES_SCHEDULE_CARRY_CARRY_H

#include "ir/passes/schedule/schedule.h"

/* ---- numbers ---- */

/* A product of extents and of a number; entry 0 of the table is none. */
typedef struct extent {
    uint64_t number;
    uint32_t n;
    ir_extent by[MAX_RANK]; /* ascending */
} extent;

/* One digit of a place that is counted in row-major order: the index along an axis of the element's
 * own place, or a number; from 0 to below its extent. */
enum { DIGIT_NUMBER = MAX_RANK };
typedef struct digit {
    uint32_t axis, number, extent;
} digit;

/* What is known of a scalar: its bits; that it is an extent; that it is a place. */
typedef enum known_kind { KNOWN_NOT, KNOWN_NUMBER, KNOWN_EXTENT, KNOWN_PLACE } known_kind;
typedef struct fact {
    known_kind kind;
    uint32_t extent, n;
    uint64_t bits;
    digit at[MAX_RANK]; /* the last one counts single elements */
} fact;

/* ---- what the values of the turn stand for ---- */

/* A value in the thread's loop, 0 while nobody has needed it; and an index into what is known. */
typedef struct spot {
    ir_value now;
    uint32_t known;
} spot;

typedef enum means {
    MEANS_ITSELF,
    MEANS_VALUE,
    MEANS_STATE,
    MEANS_ARRAY,
    MEANS_SAME,
    MEANS_TUPLE
} means;
typedef struct meaning {
    means kind;
    uint32_t component; /* MEANS_STATE */
    ir_value as;        /* MEANS_SAME: another array of the turn */
    spot is;            /* MEANS_VALUE */
    uint32_t memo;      /* MEANS_ARRAY: the first of its elements that are there */
} meaning;

/* An element of an array of the turn that has been computed in a region. */
typedef struct memo {
    uint32_t next;
    ir_region region;
    ir_value now;
    spot at[MAX_RANK];
} memo;

/* A component of the state: an array, or a number where rank is 0.  An axis is one of the place, or
 * short: then a thread carries all elements along it. */
enum {
    WHOLE = INT32_MAX,
    AXIS_SHORT = MAX_RANK,
    MOST_COMPONENTS = 16,
    MOST_CARRIED = 32,
    MOST_NESTED = 16
};
typedef struct component {
    ir_value z;
    ir_type elem;
    uint32_t rank, first, count; /* the elements of the thread's state */
    uint32_t axis[MAX_RANK], extent[MAX_RANK];
} component;

typedef struct carrying {
    scheduler *s;
    ir_op loop;
    bool is_tuple;
    uint32_t ncomponents, rank, ncarried; /* rank: of the place */
    component parts[MOST_COMPONENTS];
    uint32_t extents[MAX_RANK]; /* of the place */
    ir_value dims[MAX_RANK], ix[MAX_RANK], carried[MOST_CARRIED];
    ir_op all;                   /* the array of loops; 0 while none is made */
    ir_op thread;                /* the loop of a thread; 0 while none is made */
    ir_region open[MOST_NESTED]; /* what is being filled, from the element on */
    uint32_t nopen, inside;      /* inside: of elements */
    uint32_t built, depth;
    const char *why;    /* why it cannot be; NULL: nothing speaks against it so far */
    VEC(meaning) means; /* by value; shorter than the module's */
    vec_u32 set;        /* those that mean anything but themselves */
    VEC(memo) memos;
    VEC(fact) knowns;
    VEC(extent) products;
} carrying;

/* ---- state.c ---- */
/* Gives up, for the first reason that is given. */
bool carry_refuse(carrying *c, const char *why);
static inline bool carry_goes_on(const carrying *c)
{
    return !c->why && !c->s->failed;
}
meaning carry_meaning(const carrying *c, ir_value v);
void carry_mean(carrying *c, ir_value v, meaning what);
void carry_mean_value(carrying *c, ir_value v, ir_value now, uint32_t known);
/* In front of the loop that gives way. */
place carry_host(const carrying *c);
/* The same, where all that is made for it sees what stands there. */
place carry_front(const carrying *c);
/* The region that is being filled, at its end. */
place carry_here(const carrying *c);
bool carry_repeats(const carrying *c); /* else it is a while */
ir_region carry_step_of(const carrying *c);
ir_value carry_begin_of(const carrying *c);
/* Whether all of a state are scalars and arrays of such, and there is an array. */
bool carry_is_state(ir_module *m, ir_type t);
/* The components; with short axes, or without any. */
enum { PLAIN, WITH_SHORT };
bool carry_take_state(carrying *c, int axes);
bool carry_has_short_axis(const carrying *c);
/* The place of element `which` of a component: its own, and numbers along short axes. */
void carry_place_of(carrying *c, const component *p, uint32_t which, spot *at);
/* Elements of all components that are arrays. */
uint32_t carry_elements_of_arrays(const carrying *c);
/* A tuple, of one value itself. */
ir_value carry_tupled(carrying *c, place in, const ir_value *items, uint32_t n);

/* ---- number.c ---- */
uint32_t carry_know(carrying *c, const fact *k); /* its index; 0 is KNOWN_NOT */
uint32_t carry_know_number(carrying *c, uint64_t bits);
uint32_t carry_know_axis(carrying *c, uint32_t axis);
/* What is known of a value. */
uint32_t carry_known_of(carrying *c, ir_value v);
/* What is known of the result of a scalar operator. */
uint32_t carry_known_result(carrying *c, ir_op o);
/* The extent of an axis, and the number of elements, of any array; 0: unknown. */
uint32_t carry_extent(carrying *c, ir_value xs, uint32_t axis);
uint32_t carry_count(carrying *c, ir_value xs);
uint32_t carry_know_extent(carrying *c, uint32_t product);
/* Whether an index is sure to be one of an axis with that extent. */
bool carry_is_within(carrying *c, uint32_t known, uint32_t product);
/* The axis that an index is, DIGIT_NUMBER: none. */
uint32_t carry_axis_of(const carrying *c, uint32_t known);
bool carry_number_of(const carrying *c, uint32_t known, uint64_t *bits);
bool carry_same(const carrying *c, spot x, spot y);
/* A known scalar as a value, 0 where that takes code. */
ir_value carry_value(carrying *c, uint32_t known, ir_type t);

/* ---- element.c ---- */
/* The operations of a region but its end. */
void carry_run(carrying *c, ir_region r);
/* What stands for a scalar; 0 after a failure. */
ir_value carry_now(carrying *c, ir_value v);
/* The element of an array at a place; 0 after a failure. */
ir_value carry_element(carrying *c, ir_value xs, const spot *at);

/* ---- thread.c: 0 after a failure, or where something speaks against it ---- */
/* The loop at a place, of all that is carried, or of the numbers alone; what it gives. */
ir_value carry_turns(carrying *c, place in, bool arrays);
ir_value carry_array_of_loops(carrying *c);

/* ---- result.c ---- */
/* Whether somebody asks for a component of what the loop gives. */
bool carry_is_used(const carrying *c, uint32_t k);
/* The components that are used, by the array of loops and the numbers at the end. */
bool carry_results(carrying *c, ir_value all, ir_value ends, ir_value *results);
/* They take the place of the loop. */
void carry_replace(carrying *c, const ir_value *results);

#endif
