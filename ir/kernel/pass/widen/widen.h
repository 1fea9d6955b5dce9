/* Shared by the files of this pass: element loops whose workers take several elements at once. */
#ifndef FCL_IR_KERNEL_WIDEN_H
#define FCL_IR_KERNEL_WIDEN_H

#include "ir/kernel/algebra/poly.h"
#include "ir/kernel/build/rebuild.h"

/* What is noted about an old node in the body of the loop at hand. */
enum {
    NOTE_BODY = 1,      /* it is there */
    NOTE_READ = 2,      /* it depends on what the body reads */
    NOTE_UP = 4,        /* an access of neighbouring elements to neighbours in memory */
    NOTE_DOWN = 8,      /* the same, in reverse */
    NOTE_TOGETHER = 16, /* an if that the lanes decide alike, but where its tests fail */
    NOTE_GUARD = 32     /* such, of which the second block only reports an error */
};

/* Ifs with more results of all lanes than this are not worth it: each lane keeps its own. */
enum { MOST_YIELDED = 320 };

/* An old value that is a digit of the number of an element in mixed radix, (number quot stride) rem
 * below, by products of old values of the host.  below.k 0: all of the quotient. */
typedef struct widen_digit {
    k_id value;
    monomial stride, below;
} widen_digit;
typedef VEC(widen_digit) widen_digits;

/* What is to hold of a value of the host (old) and the last place that a digit counts, or the
 * elements of all planes. */
typedef enum { LIMIT_NOT_BELOW_LAST, LIMIT_IS_LAST, LIMIT_ALL } widen_relation;
typedef struct widen_limit {
    widen_digit digit;
    k_id most;
    widen_relation is;
} widen_limit;

/* A new value as a polynomial. */
typedef struct widen_form {
    k_id value;
    poly form;
} widen_form;

typedef struct widen_loaded {
    k_id memory, value;
    uint32_t writes; /* before it */
    poly at;
} widen_loaded;

/* Lanes that are a column: element w of thread r * plane + q is number (r * lanes + w) * plane + q.
 */
typedef struct widen_column {
    bool on;
    monomial plane;            /* of old values */
    k_id rest, row[MAX_LANES]; /* q; r * lanes + w */
    widen_digits digits;
    VEC(widen_limit) limits;  /* what the host asks */
    VEC(widen_form) forms;    /* remainders, by the quotients that they belong to */
    VEC(widen_form) sums;     /* in the open blocks */
    VEC(widen_loaded) loaded; /* likewise */
    uint32_t writes;          /* statements so far that may write memory */
    uint32_t asked, loads;    /* by the trial: of all lanes; those that are left */
} widen_column;

typedef struct widening {
    rebuild r;
    uint32_t threads; /* of the launch that is being copied */
    uint8_t *notes;
    uint8_t *carried; /* analysis/carried.h */
    k_id *
        lane[MAX_LANES]; /* old node -> new node, for each of the elements that are taken at once */
    k_id *common;        /* r.map, which the lanes take the place of while theirs is built */
    uint32_t lanes;
    /* about the body */
    uint32_t statements;
    uint32_t sizes; /* bytes of an element, of the types that it has in global memory: a set of
                       powers of two */
    bool grid;      /* the loop is the grid's */
    bool far; /* the lanes are as many elements apart as a block has threads, not neighbours */
    /* found by the trial */
    bool trial;
    uint32_t wide, apart; /* accesses to global memory that are wide; others, each at a place of its
                             own that no memory tells */
    uint16_t outer; /* depth of the scope in which alignment is tested: that around the loop, or for
                       a grid the host */
    uint32_t
        found; /* sizes of the elements that wide accesses to global memory have: a set likewise */
    k_id bits; /* a multiple of lanes when the accesses that must be aligned are; 0: all are, always
                */
    vec_u32 tests;  /* comparisons (old) that must be the same for the first and the last element */
    vec_u32 guards; /* conditions (old) that must hold for each */
    uint32_t nested; /* blocks around the statement at hand that only some elements run */
    widen_column column;
} widening;

/* ---- widen/lanes.c ---- */
/* Lets the lanes know what the common map knows of operands from outside the body. */
bool widen_lanes_begin(widening *w, k_block body);
/* Every statement of an old block for all lanes, wide where the trial has found that it can be. */
void widen_lanes_block(widening *w, k_block old);
/* Whether the tests and the guards hold, as a value; 0: there are none.  Builds what they need for
 * two of the lanes, or for all. */
k_id widen_lanes_agree(widening *w, k_block body);

/* ---- widen/find.c ---- */
/* Takes stock of a body; false when it is not for this pass. */
bool widen_body_is_simple(widening *w, k_block body);
/* In a trial, before a statement is built for the lanes: what can be done with it. */
void widen_lanes_study(widening *w, k_id old);

/* ---- widen/digits.c ---- */
/* Finds the digits of the number of an element in a body that was taken stock of.  False: it is
 * taken apart nowhere, or memory is short. */
bool widen_digits_find(widening *w, k_block body);
/* The digit that a value is; NULL: none. */
const widen_digit *widen_digit_at(const widening *w, k_id value);
/* The factors of a value of the host; e, where it is max(e, 1). */
bool widen_factors_of(const widening *w, k_id v, monomial *m);
/* x / y, where all factors of y are in x. */
bool widen_divide(const monomial *x, const monomial *y, monomial *quotient);
/* False when the product has too many factors. */
bool widen_multiply(const monomial *x, const monomial *y, monomial *product);

/* ---- widen/column.c ---- */
/* The element of thread t in each lane. */
void widen_column_elements(widening *w, k_id var, k_id t);
/* Sets what an old value is in a lane, where its place in the column tells; false: it does not. */
bool widen_column_value(widening *w, k_id old, uint32_t lane);
/* Whether a digit is one of the rest, or the row with some of the rest: how much is above or left.
 */
bool widen_belongs(const widen_column *c, const widen_digit *d, monomial *left);
/* The host is to ask for it; false: memory is short. */
bool widen_note_limit(widening *w, const widen_digit *d, k_id most, widen_relation is);
bool widen_is_outer(const widening *w, k_id old); /* the host has it */
/* The new value of an old one that the host has, a product of such, and the elements of n planes.
 */
k_id widen_outer(const widening *w, k_id old);
k_id widen_product(widening *w, const monomial *m);
k_id widen_planes(widening *w, uint32_t n);

/* ---- widen/forms.c ---- */
/* A new value (i32) as a polynomial, modulo 2^32, and a product of old values of the host; false:
 * it has too many terms. */
bool widen_form_of(const widening *w, k_id v, poly *out);
bool widen_product_form(const widening *w, const monomial *m, poly *out);
/* What is found to be some planes above a kept sum is made of it. */
void widen_keep_sum(widening *w, k_id v, const poly *form);
/* A sum that is some planes above one that is there becomes that one and the planes, which is one
 * operation. */
void widen_column_step(widening *w, k_id old, uint32_t lane);
/* A load for all lanes, of each element once. */
void widen_column_load(widening *w, k_id old);

/* ---- widen/inside.c ---- */
/* Whether a condition (old) holds for all elements where the host sees some limits, which are
 * noted. */
bool widen_column_inside(widening *w, k_id cond);

/* ---- widen/host.c ---- */
/* Whether columns of n elements pay and are what was taken for granted; how many columns they are,
 * and how many planes. */
k_id widen_column_pays(widening *w, k_id n);
k_id widen_column_count(widening *w, k_id n);
k_id widen_column_planes(widening *w, k_id n);

#endif
