/* What the emitters of languages like C share: the state of one program's emission.
 *
 * Names follow the node ids of the kernel IR, so that its printed text and the emitted code can be
 * read side by side: %57 is v57, tmp57, tile57 or own57.  The program is read only; what the
 * emitter finds out about its nodes is in notes. */
#ifndef FCL_BACKENDS_C_EMIT_H
#define FCL_BACKENDS_C_EMIT_H

#include "backends/barriers.h"
#include "backends/c/language.h"
#include "ir/kernel/analysis/local.h"
#include "ir/kernel/kir.h"

#include <stdarg.h>

/* About a node of the kernel that is being emitted. */
typedef struct c_note {
    uint32_t uses;
    k_block block;  /* that lists it */
    k_id alias;     /* a loop's result: the parameter that is its variable */
    uint32_t epoch; /* reads below it belong to this stretch between effects; 0: it reads nothing */
    uint32_t at;    /* number of the statement, in order */
    uint16_t size;  /* operators in its text, when it is printed in place */
    uint8_t height; /* their nesting */
    bool in_place;  /* printed in its one user instead of being given a name */
    bool chooses;   /* its text has a conditional expression */
    bool far;       /* it loads from global memory */
    bool ahead;     /* loops: it loads for its next turn, and asks nothing (ahead.c) */
    bool stored, loaded, wide; /* memories; wide: some access is */
    bool given;                /* tables: kernels have them as arguments */
    uint32_t result;           /* memories: 1 + the result leaf that it is */
    uint32_t check;            /* checks: their number */
} c_note;

/* Where the compiler of the code believes to be, after the last #line directive. */
typedef struct c_lines {
    uint32_t pending; /* the position of the statement that comes next; 0: none, or it is done */
    str_id file;
    uint32_t line, seen; /* the line where `seen` bytes are emitted */
} c_lines;

/* What all programs of a file have in common. */
typedef struct c_file {
    c_language language;
    c_helpers helpers;
    void *state; /* the language's own */
    vec_char kernels;
    uint32_t programs; /* whose kernels it has */
} c_file;

/* fcl_printer, to the functions of a language. */
typedef struct fcl_printer {
    const k_program *p;
    mem *m;
    vec_char *out;
    c_note *notes; /* one for each node */
    const k_kernel *kernel;
    c_file *file;
    const c_language *language; /* the file's */
    bool by_warps;              /* the kernel has shuffles or barriers of warps */
    bool ahead;                 /* the kernel loads ahead: ahead.c */
    bool hands_on;              /* its threads hand values to one another through global memory */
    bool fenced;                /* the barrier that is being written orders global memory, too */
    uint32_t indent;
    c_lines lines;
    uint32_t epoch, at;
    barriers barriers;
    bool failed;
    void (*before_loop)(struct fcl_printer *e, k_id loop); /* lines right before a `for`, which the
                                                              frame of the kernel asks for */
    bool (*is_wide)(struct fcl_printer *e, k_id loop,
                    uint32_t i); /* number i that a loop carries, an i32, is held in 64 bits */
    bool (*together)(struct fcl_printer *e,
                     k_id loop); /* writes as many turns of a `for` as it does
                                    several of at once, and leaves its variable
                                    at the next one; false: nothing */
    bool (*operand)(struct fcl_printer *e,
                    k_id v); /* writes a value another way; false: it does not */
    bool replaces; /* it also says how constants are written, which stand for other values */
} c_emitter;

/* Where a block is, for its yield: the statement that owns it, and which of its blocks it is. */
typedef struct c_place {
    const k_node *owner;
    k_id owner_id;
    int which;
} c_place;

/* Variable i of a loop: the carried parameters are the last of its first block's. */
static inline k_id c_carried(const k_program *p, const k_node *loop, uint32_t i)
{
    const k_blocks *b = k_block_at(p, loop->blocks[0]);
    return b->params + b->nparams - loop->nresults + i;
}

/* The most blocks inside one another: C compilers allow 256 nested brackets. */
enum { C_NESTING_MOST = 200 };

static inline c_note *c_note_of(const c_emitter *e, k_id n)
{
    return &e->notes[n < e->p->nodes.len ? n : 0];
}

/* The type that a value or an element has in C: where there is no arithmetic in f16, its bits. */
static inline scalar c_held(const c_emitter *e, scalar t)
{
    return t == ST_F16 && !e->p->target.facts.f16 ? ST_U16 : t;
}

static inline scalar c_held_by(const c_emitter *e, k_id v)
{
    return c_held(e, (scalar)k_at(e->p, v)->type);
}

/* Usual numbers where threads of a block are turns of loops: these need no loop opened.  Of 1536 statements a scan took a C
 * compiler 7 s, of 128 0.9. */
#define SERIAL_TUNING "VectorBytes=1,Unroll=128"

/* ahead.c: notes whether a loop, whose body has been counted, loads for its next turn. */
void c_note_ahead(c_emitter *e, k_id loop);

/* scan.c: fills the notes for a kernel: uses, and what is printed in place.  False with a
 * diagnostic when it cannot be.
 */
bool c_scan(c_emitter *e);
/* Whether nothing in the block becomes a statement of its own. */
bool c_is_silent(const c_emitter *e, k_block b);

/* A value by which a loop goes on, and the one that it had. */
typedef struct c_combined {
    k_id before, next;
} c_combined;

/* combined.c: whether what a loop carries may be combined in any order; whether a block has nothing
 * but values, reads and branches of them, and loops where they are asked for; value i that a loop
 * carries, and what combines it, as the operator of an OpenMP reduction. */
bool c_is_combining(const c_emitter *e, const k_node *loop);
bool c_only_computes(const c_emitter *e, k_block b, bool loops);
c_combined c_combined_at(const c_emitter *e, const k_node *loop, uint32_t i);
const char *c_combining_operator(const c_emitter *e, c_combined c);

/* expression.c: appends to e->out.  A failure sets e->failed, here and below. */
void c_put(c_emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void c_put_list(c_emitter *e, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void c_indent(c_emitter *e);
/* A value as an operand, in parentheses unless it binds at least as tightly as asked. */
void c_value(c_emitter *e, k_id v, fcl_c_binding least);
/* The operation that computes a value. */
void c_operation(c_emitter *e, k_id v);
void c_name(c_emitter *e, k_id v);
/* A template over the operands of a node, of the node's type. */
void c_put_template(c_emitter *e, const k_node *n, const char *text);
/* The exponent of a power of two. */
int c_log2_of(int64_t x);
/* The template of a scalar operator; NULL: there is none. */
const char *c_text_of(const c_emitter *e, const k_node *n);

/* What an emitted kernel takes, in the order of backends/backend.h, which ir/kernel/plan lists in
 * the plan. */
typedef enum { C_SCALAR, C_MEMORY, C_AREA, C_CHECKS } c_argument_kind;
typedef struct c_argument {
    c_argument_kind kind;
    k_id v;        /* a scalar or memory */
    uint32_t area; /* its number */
} c_argument;
/* frame.c: argument i; false beyond the last. */
bool c_argument_at(const c_emitter *e, const k_kernel *k, uint32_t i, c_argument *out);
/* Declares them, with commas between them, as parameters of a function that begins a line before.
 */
void c_put_parameters(c_emitter *e, const k_kernel *k);
/* Declares a kernel's local arrays at the head of a function, and its private ones where the line
 * stands. */
void c_put_locals(c_emitter *e, const k_kernel *k);
void c_put_privates(c_emitter *e, const k_kernel *k);
/* The statements of the kernel. */
void c_put_body(c_emitter *e, const k_kernel *k);
/* A kernel as one function, which begins with the language's words for that. */
void c_put_kernel(c_emitter *e, const k_kernel *k);
int64_t c_threads(const c_emitter *e, const k_kernel *k);
/* Reports that the language has no words for a node, and emission fails. */
void c_lacks(c_emitter *e, k_id n, const char *what);

/* memory.c: what goes beyond a plain element, in the language's words or by a function of its own.
 */
void c_load_wide(c_emitter *e, k_id id);
void c_lane(c_emitter *e, k_id result);
void c_store_wide(c_emitter *e, k_id id);
void c_step(c_emitter *e, k_id id); /* an atomic one */
bool c_is_own(const c_emitter *e, const k_node *step); /* own.c */
void c_own_step(c_emitter *e, k_id id);
void c_exchange(c_emitter *e, k_id id);
void c_barrier(c_emitter *e, uint32_t level, bool fenced);
void c_report(c_emitter *e, k_id check);
bool c_print_steps(const c_language *l, mem *m, const c_helpers *used, vec_char *out);

/* lines.c: names the statement that comes next, and puts its #line directive, where there is to be
 * one, at the start of its first line. */
void c_line_for(c_emitter *e, const k_node *n);
void c_put_line(c_emitter *e);

/* program.c: what stands before a kernel's function, and all programs as one file of a language. */
void c_put_comment(c_emitter *e, const k_kernel *k);
bool c_emit_file(const fcl_c_language *l, const k_program *const *programs, uint32_t n,
                 vec_char *out);

/* statement.c: `tmp5[v21] = v22;`; a value as a constant of its own, unless it is written in place;
 * `for (...) {`, whose variable is there or is declared there; the statements of a block. */
void c_put_store(c_emitter *e, const k_node *store);
void c_put_named(c_emitter *e, k_id id);
void c_open_for(c_emitter *e, const k_node *loop, bool declared);
void c_block(c_emitter *e, k_block b, c_place at);

#endif
