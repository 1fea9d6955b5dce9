/* What the files of proofs share: prove.c searches, prove_facts.c tells what the structure of
 * values says, prove_known.c what is known of the place where the builder is. */
#ifndef FCL_IR_KERNEL_PROVE_H
#define FCL_IR_KERNEL_PROVE_H

#include "ir/kernel/algebra/poly.h"

enum {
    PROVE_KNOWN = 32,
    PROVE_FACTS = 14,
    PROVE_FAILED = 256,
    PROVE_OPENED = 1024,
    PROOF_STEPS = 600,
    PROOF_GOALS = 1 << 14, /* goals of a question, those of what its values open to among them */
    PROOF_FEW = 1 << 8,    /* the same once a program has had as many as PROOF_ALL */
    PROOF_ALL = 1 << 20,
    PROVE_SMALL = 1 << 12 /* what is wider seldom helps by its interval */
};

/* v lies in [lo, hi] here. */
typedef struct narrowed {
    k_id v;
    int64_t lo, hi;
} narrowed;

/* Polynomials that are not negative here, and what those of a single value come to. */
typedef struct known_polys {
    uint32_t n, intervals;
    bool empty;      /* they contradict one another: nothing runs here */
    uint64_t hash;   /* of all that was learnt, in whatever order */
    uint64_t narrow; /* bits of the values that have an interval of their own here: prove_bit */
    uint64_t has[PROVE_KNOWN]; /* and of those of each polynomial */
    poly at[PROVE_KNOWN];
    narrowed in[PROVE_KNOWN];
} known_polys;

/* A goal that was not reached with so many steps below it. */
typedef struct failed_goal {
    uint64_t hash; /* of the goal, and of what was known */
    int depth;
} failed_goal;

/* What there is beside the polynomials. */
static inline void known_copy_rest(known_polys *to, const known_polys *from)
{
    memcpy(to, from, offsetof(known_polys, at));
    memcpy(to->in, from->in, from->intervals * sizeof *from->in);
}

static inline const known_polys *known_copy(known_polys *to, const known_polys *from)
{
    known_copy_rest(to, from);
    for (uint32_t i = 0; i < from->n; i++)
        ka_poly_copy(&to->at[i], &from->at[i]);
    return to;
}

/* Whether an operation was seen not to wrap. */
typedef struct opened_value {
    uint64_t hash; /* of the operation, and of what was known */
    bool fits;
} opened_value;

/* Values share bits: one that is not set says that a value is not among them. */
static inline uint64_t prove_bit(k_id v)
{
    return (uint64_t)1 << (v & 63);
}

static inline bool known_has(const known_polys *known, uint32_t i, k_id v)
{
    return (known->has[i] & prove_bit(v)) && ka_poly_has(&known->at[i], v);
}

/* Keeps what changes while something else takes the place of v, and puts it back: of the polynomials
 * those that v may be in. */
static inline void known_keep(known_polys *to, const known_polys *from, k_id v)
{
    known_copy_rest(to, from);
    for (uint32_t i = 0; i < from->n; i++)
        if (from->has[i] & prove_bit(v))
            ka_poly_copy(&to->at[i], &from->at[i]);
}

typedef struct prover {
    const k_builder *b;
    known_polys known;
    const known_polys *before_cases; /* NULL: outside of all cases */
    failed_goal failed[PROVE_FAILED];
    opened_value *opened; /* PROVE_OPENED, which last from one question to the next */
    uint32_t tried, most; /* goals, and how many may be */
    int steps;      /* left */
    int opening;    /* proofs that an operation does not wrap, inside one another */
    bool shortens;  /* steps that leave fewer terms come first */
    const poly *natural; /* has been shown not to be negative; NULL: nothing has */
} prover;

/* A value is `is` where these are not negative. */
typedef struct value_case {
    poly is;
    uint32_t n;
    poly where[4];
} value_case;

/* ---- prove.c ---- */
bool prove_natural(prover *q, const poly *goal);

/* ---- prove_free.c ---- */
/* Whether the goal has an extent or an argument that may be anything, and does not hold where it is as bad as can be. */
bool prove_is_vain(prover *q, const poly *goal);

/* ---- prove_known.c ---- */
/* Begins with what is known where the builder is. */
void prove_begin(prover *q, const k_builder *b);
/* Remembers it, where there is room. */
void prove_learn(prover *q, const poly *x);
/* Puts a polynomial in the place of v in all that is known. */
void prove_replace(prover *q, k_id v, const poly *by);
uint64_t prove_mix(uint64_t x);
/* The same for every order of the terms. */
uint64_t prove_hash(const poly *x);
k_range prove_range(const prover *q, k_id v);
k_range prove_monomial_range(const prover *q, const monomial *m);
k_range prove_poly_range(const prover *q, const poly *x);

/* ---- prove_facts.c ---- */
/* What a condition says that holds or does not, as what is not negative; how many. */
uint32_t prove_condition(prover *q, k_id cond, bool holds, poly *out, uint32_t room);
/* A maximum or a choice of which what is known here says which operand it is, as that; else v. */
k_id prove_same_here(const prover *q, k_id v);
/* x < y, as what is not negative. */
bool prove_below(prover *q, k_id x, k_id y, poly *out);
/* A conversion that keeps every value that its operand can have. */
bool prove_keeps(const k_program *p, const k_node *n);
/* The value as a polynomial, equal as an integer. */
bool prove_open(prover *q, k_id v, poly *out);
/* Likewise up to multiples of 2^32: sums and products may have wrapped. */
bool prove_open_wrapping(prover *q, k_id v, poly *out);
/* What is not negative because of how v is made; how many. */
uint32_t prove_facts(prover *q, k_id v, poly facts[PROVE_FACTS]);
/* A value that is one of two. */
bool prove_split(prover *q, k_id v, value_case cases[2]);

#endif
