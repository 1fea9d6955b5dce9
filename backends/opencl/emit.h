/* What the files of the emitter share: the state of one program's emission.
 *
 * Names follow the node ids of the kernel IR, so that its printed text and the emitted code can be
 * read side by side: %57 is v57, tmp57, tile57 or own57.  The program is read only; what the
 * emitter finds out about its nodes is in notes. */
#ifndef FCL_BACKENDS_OPENCL_EMIT_H
#define FCL_BACKENDS_OPENCL_EMIT_H

#include "backends/opencl/opencl.h"
#include "backends/opencl/operators.h"
#include "ir/kernel/kir.h"

/* About a node of the kernel that is being emitted. */
typedef struct cl_note {
    uint32_t uses;
    k_block block;  /* that lists it */
    k_id alias;     /* a loop's result: the parameter that is its variable */
    uint32_t epoch; /* reads below it belong to this stretch between effects; 0: it reads nothing */
    uint32_t at;    /* number of the statement, in order */
    uint16_t size;  /* operators in its text, when it is printed in place */
    uint8_t height; /* their nesting */
    bool in_place;  /* printed in its one user instead of being given a name */
    bool stored, loaded, wide; /* memories; wide: some access is */
    bool plain;                /* memories: some access is no atomic step */
    bool syncs;                /* loops: a barrier of the block stands inside (quirks.c) */
    uint32_t result;           /* memories: 1 + the result leaf that it is */
} cl_note;

/* What a program uses beyond OpenCL C 1.2 without extensions; [1]: of 64 bits. */
typedef struct cl_uses {
    bool f64, atomics64, extended64, subgroups, warp_sync;
    bool shuffle[2];
    bool ordered[2][4]; /* the four from ATOMIC_LOAD on */
    bool pack[2];       /* of two elements in a word, and of four */
    bool f16, half[2];  /* arithmetic in f16; its bits as f32, and back */
} cl_uses;

/* Where the compiler of the code believes to be, after the last #line directive. */
typedef struct cl_lines {
    uint32_t pending; /* the position of the statement that comes next; 0: none, or it is done */
    str_id file;
    uint32_t line, seen; /* the line where `seen` bytes are emitted */
} cl_lines;

typedef struct cl_emitter {
    const k_program *p;
    mem *m;
    vec_char *out;
    cl_note *notes; /* one for each node */
    const k_kernel *kernel;
    cl_helpers *helpers;
    cl_uses *uses;
    bool by_warps; /* the kernel has shuffles or barriers of warps */
    uint32_t indent;
    cl_lines lines;
    uint32_t epoch, at;
    bool inner_syncs;  /* a barrier stands inside an if or a loop of the kernel (quirks.c) */
    bool branch_syncs; /* a barrier stands inside an if (quirks.c) */
    bool failed;
} cl_emitter;

/* Where a block is, for its yield: the statement that owns it, and which of its blocks it is. */
typedef struct cl_place {
    const k_node *owner;
    k_id owner_id;
    int which;
} cl_place;

/* Variable i of a loop: the carried parameters are the last of its first block's. */
static inline k_id cl_carried(const k_program *p, const k_node *loop, uint32_t i)
{
    const k_blocks *b = k_block_at(p, loop->blocks[0]);
    return b->params + b->nparams - loop->nresults + i;
}

/* The most blocks inside one another: C compilers allow 256 nested brackets. */
enum { CL_NESTING_MOST = 200 };

static inline cl_note *cl_note_of(const cl_emitter *e, k_id n)
{
    return &e->notes[n < e->p->nodes.len ? n : 0];
}

/* The type that a value or an element has in C: where there is no arithmetic in f16, its bits. */
static inline scalar cl_held(const cl_emitter *e, scalar t)
{
    return t == ST_F16 && !e->p->target.facts.f16 ? ST_U16 : t;
}

static inline scalar cl_held_by(const cl_emitter *e, k_id v)
{
    return cl_held(e, (scalar)k_at(e->p, v)->type);
}

/* scan.c: fills the notes for a kernel: uses, and what is printed in place.  False with a
 * diagnostic when it cannot be.
 */
bool cl_scan(cl_emitter *e);
/* Whether nothing in the block becomes a statement of its own. */
bool cl_is_silent(const cl_emitter *e, k_block b);

/* quirks.c: what drivers get wrong about loops with barriers, and how their text avoids it.  For
 * all others no loop is parted, volatile or saturating. */
typedef enum cl_parting {
    PARTING_NONE,
    PARTING_BEFORE, /* a barrier begins each turn, and one follows the loop */
    PARTING_BEHIND  /* a barrier ends each turn, behind the assignment of the next values */
} cl_parting;
void cl_find_quirks(cl_emitter *e); /* before the others: looks at the kernel */
cl_parting cl_parting_of(const cl_emitter *e, k_id loop);
/* The barrier of a parted loop's body that the one above replaces; 0: none. */
k_id cl_replaced_barrier(const cl_emitter *e, k_id loop);
bool cl_is_volatile(const cl_emitter *e, k_id loop); /* what the loop carries */
bool cl_saturates_steps(const cl_emitter *e);

/* expression.c: appends to e->out.  A failure sets e->failed, here and below. */
void cl_put(cl_emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cl_indent(cl_emitter *e);
/* A value as an operand, in parentheses unless it binds at least as tightly as asked. */
void cl_value(cl_emitter *e, k_id v, cl_binding least);
/* The operation that computes a value. */
void cl_operation(cl_emitter *e, k_id v);
void cl_name(cl_emitter *e, k_id v);

/* memory.c: statements, but for cl_shuffle, which is an operation, and cl_lane, a result of a wide
 * load. */
void cl_load_wide(cl_emitter *e, k_id id);
void cl_lane(cl_emitter *e, const k_node *result);
void cl_store_wide(cl_emitter *e, const k_node *n);
void cl_atomic(cl_emitter *e, k_id id);
void cl_shuffle(cl_emitter *e, const k_node *n);
void cl_sync(cl_emitter *e, uint32_t level);
bool cl_print_extensions(mem *m, const cl_uses *u, opencl_dialect dialect, vec_char *out);
bool cl_print_devices(mem *m, const cl_uses *u, opencl_dialect dialect, vec_char *out);

/* lines.c: names the statement that comes next, and puts its #line directive, where there is to be
 * one, at the start of its first line. */
void cl_line_for(cl_emitter *e, const k_node *n);
void cl_put_line(cl_emitter *e);

/* statement.c */
void cl_block(cl_emitter *e, k_block b, cl_place at);
/* kernel.c */
void cl_kernel(cl_emitter *e, const k_kernel *k);

#endif
