/* What the files of proofs share: prove.c searches, prove_facts.c tells what is known. */
#ifndef FCL_IR_KERNEL_PROVE_H
#define FCL_IR_KERNEL_PROVE_H

#include "ir/kernel/algebra/poly.h"

enum { PROVE_KNOWN = 24, PROVE_FACTS = 14, PROVE_FAILED = 256, PROOF_STEPS = 600 };

/* Polynomials that are not negative here. */
typedef struct known_polys {
    uint32_t n;
    poly at[PROVE_KNOWN];
} known_polys;

/* A goal that was not reached with so many steps below it. */
typedef struct failed_goal {
    uint64_t hash; /* of the goal, and of what was known */
    int depth;
} failed_goal;

typedef struct prover {
    const k_builder *b;
    known_polys known;
    failed_goal failed[PROVE_FAILED];
    uint32_t tried; /* goals */
    int steps;      /* left */
    int opening;    /* proofs that an operation does not wrap, inside one another */
} prover;

/* A value is `is` where these are not negative. */
typedef struct value_case {
    poly is;
    uint32_t n;
    poly where[4];
} value_case;

/* ---- prove.c ---- */
bool prove_natural(prover *q, const poly *goal);

/* ---- prove_facts.c ---- */
/* Begins with what is known where the builder is. */
void prove_begin(prover *q, const k_builder *b);
/* Remembers it, where there is room. */
void prove_learn(prover *q, const poly *x);
/* The value as a polynomial, equal as an integer. */
bool prove_open(prover *q, k_id v, poly *out);
/* Likewise up to multiples of 2^32: sums and products may have wrapped. */
bool prove_open_wrapping(prover *q, k_id v, poly *out);
/* What is not negative because of how v is made; how many. */
uint32_t prove_facts(prover *q, k_id v, poly facts[PROVE_FACTS]);
/* A value that is one of two. */
bool prove_split(prover *q, k_id v, value_case cases[2]);

#endif
