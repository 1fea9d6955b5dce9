/* The launch plan: what a host does to run a compiled program, as data that stands by itself.
 *
 * A plan is a block of steps.  They compute values over the arguments' extents and scalars, make
 * memories, launch kernels, read single elements back, loop and branch, and name the results, in
 * the order in which this happens.  It knows kernels by their names and arguments only: who runs it
 * needs neither the kernel IR nor the core.  plan.def has the steps; docs/runtime.md is how to run
 * one.
 *
 * Values, memories, blocks, kernels, steps: numbers from 1, 0 is a readable none.  A value is
 * defined once, by a step or as a parameter of a block, before the steps that use it; its type is
 * in `values`.  Bits are as in ir/scalar/scalar.h. */
#ifndef FCL_IR_PLAN_H
#define FCL_IR_PLAN_H

#include "ir/host.h"

typedef enum plan_op {
    PLAN_NONE = 0,
#define PSTEP(e, number, since, name, gives, a, b, c, memory, which, list, first, second, meaning) \
    PLAN_##e = number,
#include "ir/plan/plan.def"
#undef PSTEP
    PLAN_END
} plan_op;

typedef enum plan_memory_kind {
#define PMEMORY(e, number, since, name, meaning) PLAN_MEMORY_##e = number,
#include "ir/plan/plan.def"
#undef PMEMORY
    PLAN_MEMORY_END
} plan_memory_kind;

typedef enum plan_takes {
#define PTAKES(e, number, since, name, meaning) PLAN_TAKES_##e = number,
#include "ir/plan/plan.def"
#undef PTAKES
    PLAN_TAKES_END
} plan_takes;

typedef enum plan_need {
#define PNEED(e, bit, since, name, meaning) PLAN_NEEDS_##e = 1 << (bit),
#include "ir/plan/plan.def"
#undef PNEED
    PLAN_NEEDS_ALL
} plan_need;

typedef struct plan_step {
    uint8_t op;             /* plan_op */
    uint8_t axis;           /* EXTENT */
    uint16_t opcode;        /* COMPUTE: a scalar operator */
    uint32_t gives, ngives; /* consecutive values, or none */
    uint32_t args[3];       /* values; 0: none */
    uint32_t memory;
    uint32_t which;       /* of an argument or result, from 0; of a kernel or check, from 1; how many
                             leaves follow */
    uint32_t list, nlist; /* in `pool` */
    uint32_t blocks[2];
    uint64_t bits; /* CONST; of what is handed out, how it is shown: a str_id, or 0 */
    location at;   /* in the source */
    uint32_t next; /* in its block */
} plan_step;

typedef struct plan_block {
    uint32_t first, last;     /* steps */
    uint32_t params, nparams; /* consecutive values */
    uint32_t yields, nyields; /* in `pool` */
} plan_block;

typedef struct plan_memory {
    uint8_t kind;         /* plan_memory_kind */
    uint8_t type;         /* of its elements: a scalar */
    bool overwritten;     /* ARGUMENT: a result takes its place */
    uint32_t argument;    /* ARGUMENT: its number, from 0 */
    uint32_t list, nlist; /* TABLE, KEPT: its elements, in `tables` */
} plan_memory;

/* Whether its elements stand in the plan. */
static inline bool plan_lists(const plan_memory *m)
{
    return m->kind == PLAN_MEMORY_TABLE || m->kind == PLAN_MEMORY_KEPT;
}

/* An argument of a kernel, in the order in which emitted code takes them. */
typedef struct plan_argument {
    uint8_t takes; /* plan_takes */
    uint8_t type;  /* scalar: of the value or the elements; of LOCAL 0 */
    bool written;  /* MEMORY: the kernel writes it, or may */
} plan_argument;

/* An array in local memory, so that people can be told what takes the room. */
typedef struct plan_local {
    str_id name;       /* in the emitted code */
    uint8_t type;      /* scalar: of its elements */
    uint32_t elements; /* a value; 0: `count` of them */
    uint64_t count;
    uint32_t from, to; /* phases between which it is in use; to 0: in all of them */
    str_id area;       /* in the emitted code: what it shares with others; 0: nothing */
    uint64_t offset;   /* in the area, in bytes */
    location at;
} plan_local;

typedef struct plan_kernel {
    str_id name;
    uint32_t arguments, narguments; /* in `arguments` */
    uint32_t locals, nlocals;       /* in `locals` */
    uint64_t local_bytes;           /* that its code declares, beside LOCAL arguments */
    uint32_t needs;                 /* plan_need */
    location at;
} plan_kernel;

/* A check, of the host's or of a kernel: its number is its place in the list, from 1. */
typedef struct plan_check {
    uint32_t code;  /* of the diagnostic */
    str_id message; /* %1, %2: the two numbers */
    location at;
} plan_check;

typedef struct plan {
    fcl_context *cx;
    host_signature face; /* what it takes and gives */
    VEC(uint8_t) values; /* types; entry 0 is none's, as below */
    VEC(plan_memory) memories;
    VEC(plan_kernel) kernels;
    VEC(plan_argument) arguments;
    VEC(plan_local) locals;
    VEC(plan_check) checks;
    VEC(plan_step) steps;
    VEC(plan_block) blocks; /* 1 is the whole */
    vec_u32 pool;
    VEC(uint64_t) tables;
    uint64_t most_elements; /* an argument may have */
} plan;

enum { PLAN_WHOLE = 1 }; /* the outermost block */

/* Whether what a step gives is nothing, a value, or several results. */
typedef enum plan_gives { PLAN_GIVES_NOTHING, PLAN_GIVES_VALUE, PLAN_GIVES_RESULTS } plan_gives;

/* A row of plan.def; texts are NULL where the step has no such thing. */
typedef struct plan_info {
    const char *name;
    plan_gives gives;
    const char *args[3];
    bool memory;
    const char *which, *list, *blocks[2];
} plan_info;
/* name NULL: there is no such step. */
const plan_info *plan_op_info(uint32_t op);
const char *plan_own_key(uint32_t op);       /* what it has beside its row; NULL: nothing */
const char *plan_memory_name(uint32_t kind); /* NULL: there is none, as below */
const char *plan_takes_name(uint32_t takes);
const char *plan_need_name(uint32_t bit);

bool plan_init(plan *p, fcl_context *cx); /* false: no memory, still release it */
void plan_release(plan *p);

static inline const plan_step *plan_step_at(const plan *p, uint32_t i)
{
    return &p->steps.at[i < p->steps.len ? i : 0];
}
static inline const plan_block *plan_block_at(const plan *p, uint32_t i)
{
    return &p->blocks.at[i < p->blocks.len ? i : 0];
}
static inline const plan_memory *plan_memory_at(const plan *p, uint32_t i)
{
    return &p->memories.at[i < p->memories.len ? i : 0];
}
static inline const plan_kernel *plan_kernel_at(const plan *p, uint32_t i)
{
    return &p->kernels.at[i < p->kernels.len ? i : 0];
}
static inline uint32_t plan_listed(const plan *p, const plan_step *s, uint32_t i)
{
    return i < s->nlist ? p->pool.at[s->list + i] : 0;
}
static inline uint32_t plan_yielded(const plan *p, const plan_block *of, uint32_t i)
{
    return i < of->nyields ? p->pool.at[of->yields + i] : 0;
}

/* Whether entry i of a launch's list is a memory, and no value. */
bool plan_takes_memory(const plan *p, const plan_step *launch, uint32_t i);

/* What a step of the host's arithmetic gives: a constant, an operator, a conversion.  values: bits,
 * by number.  0 for other steps.  compute.c */
uint64_t plan_compute(const plan *p, const plan_step *s, const uint64_t *values);

/* Each makes one, and gives its number; 0 when memory is short. */
uint32_t plan_add_value(plan *p, scalar type);
uint32_t plan_add_block(plan *p);
/* Appends a step to a block. */
uint32_t plan_add_step(plan *p, uint32_t block, const plan_step *s);
/* Puts a step behind another one of that block; behind 0: at its beginning. */
uint32_t plan_insert_step(plan *p, uint32_t block, uint32_t behind, const plan_step *s);

/* Whether a step hands something out, or takes in what is given for that. */
static inline bool plan_is_emitted(const plan_step *s)
{
    return s->op == PLAN_EMIT || s->op == PLAN_EMITSCALAR || s->op == PLAN_RECEIVE;
}

/* Whether the plan keeps the rules of docs/runtime.md, as a file of anybody's may not: types of
 * operands, order of definitions, lists and blocks as their steps want them.  Reports the first
 * breach (E0630). */
bool plan_verify(const plan *p);

/* Whether the types of parameters or results, as texts, are those of their leaves. */
bool plan_face_fits(const plan *p, const vec_whole *wholes, const vec_leaf *leaves);

/* A `free` for every memory behind the last step that uses it.  Once. */
bool plan_add_frees(plan *p);

/* The plan as text for people. */
bool plan_print(const plan *p, vec_char *out);

#endif
