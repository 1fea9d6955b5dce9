/* Shared by the files of the verifier: what it notes of a program, and how it reports.
 *
 * asked.c reports and says what is visible; verify.c walks the blocks and asks what every statement
 * must keep (ids, scopes, order); types.c asks about operands and types, stage.c what may stand
 * where, uniform.c about barriers and shuffles, facts.c about facts and claims, kernels.c about the
 * tables that outline makes. */
#ifndef FCL_IR_KERNEL_VERIFY_IMPL_H
#define FCL_IR_KERNEL_VERIFY_IMPL_H

#include "ir/kernel/facts.h"
#include "ir/kernel/verify.h"

typedef enum rule_id {
#define KRULE(e, name, text) RULE_##e,
#include "ir/kernel/verify/rules.def"
#undef KRULE
} rule_id;

enum {
    NO_BLOCK = 0,
    VERIFY_NESTING = 1000, /* blocks inside one another */
    VERIFY_ERRORS = 8      /* reported of one program; the first ones */
};

/* Where the statement being looked at stands. */
typedef struct standing {
    k_block block;
    k_id owner;  /* of the block; 0: the host's */
    k_id launch; /* around it, or 0 */
    uint32_t depth;
    uint32_t workers; /* bits (1 << k_workers) of the parallel loops around it, in the launch */
} standing;

/* What is known of a node; of what it is itself as much as its users ask for. */
typedef struct verify_note {
    k_block home;    /* the block in which it is defined, once that has been met */
    uint8_t type;
    bool is_memory, is_value;
    uint8_t claimed; /* it is computed from a claimed operation */
    uint8_t grid;    /* it is a launch that has a loop over the grid */
    uint8_t differs; /* between whom: uniform.c */
} verify_note;

typedef struct verifier {
    const k_program *p;
    k_stage stage;
    mem *m;
    verify_note *notes; /* of every node */
    k_id *owner;        /* of every block: the statement, once met; of the host block UINT32_MAX */
    k_id *within;       /* of every block: the launch around it, or 0 */
    k_id launch;        /* around the statement, or 0 */
    uint8_t *open;      /* of every block: whether it is one of those around the statement */
    uint8_t *named;     /* of every output: whether it has been named */
    uint32_t errors;
} verifier;

/* Reports that a statement breaks a rule; false. */
bool verify_breaks(verifier *v, rule_id rule, k_id at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static inline bool verify_is_node(const verifier *v, k_id n)
{
    return n > 0 && n < v->p->nodes.len;
}
/* Whether what stands in a block that is over can be used: memory that a branch allocates lives on behind it, to the end of the
 * launch or program, for code that makes the same choice again. */
bool verify_lives_on(const verifier *v, k_id n);
/* Whether a value or memory can be used by the statement being looked at. */
static inline bool verify_is_visible(const verifier *v, k_id n)
{
    return verify_is_node(v, n) && v->notes[n].home && (v->open[v->notes[n].home] || verify_lives_on(v, n));
}
/* Of a node that is visible. */
static inline bool verify_is_memory(const verifier *v, k_id n)
{
    return v->notes[n].is_memory;
}
/* Whether a node stands for one scalar: types.c. */
bool verify_is_scalar(const k_node *n);

/* What it is made of: types.c. Each of these is true when nothing was found, and reports what it
 * finds itself. verify_types comes first: the others rely on operands that are nodes. */
bool verify_types(verifier *v, k_id id);
/* What may stand here: stage.c */
bool verify_standing(verifier *v, k_id id, const standing *at);
bool verify_inputs(verifier *v);
bool verify_outputs(verifier *v);
/* Ranges and bounds: facts.c */
bool verify_facts(verifier *v, k_id id);
bool verify_param_facts(verifier *v, k_block b);
bool verify_claims(verifier *v, k_id id);
/* Of a program whose structure is sound: they follow ids without asking whether these exist. */
bool verify_uniform(verifier *v);
bool verify_kernels(verifier *v);

#endif
