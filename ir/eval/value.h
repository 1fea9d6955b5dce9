/* Inside the evaluator: values, frames, decoded code and the machine's memory.
 *
 * Everything a running program makes lives on the machine's stack and is dropped by going back to a
 * mark: after each element, once its scalars are copied out, and after each chunk.  A value may
 * point only to memory older than itself, so what is on the stack below a mark never points above
 * it.  Arrays in memory are buffers, registered on the stack and dropped with it.
 *
 * This is region-based memory: evaluation follows the nesting of the program, so what a region
 * makes can go when it ends, and no garbage collector is needed. */
#ifndef FCL_IR_EVAL_VALUE_H
#define FCL_IR_EVAL_VALUE_H

#include "ir/data.h"
#include "ir/eval/eval.h"

/* ---- values ---- */

typedef enum value_tag {
    VAL_NONE,
    VAL_SCALAR,
    VAL_TUPLE,
    VAL_PULL,
    VAL_PUSH,
    VAL_FUN,
    VAL_LEVEL
} value_tag;

typedef struct value {
    uint8_t tag;
    uint8_t
        type;   /* VAL_SCALAR: its scalar type, since types may be variables where it is handled */
    uint16_t n; /* VAL_TUPLE: components */
    union {
        uint64_t bits;             /* VAL_SCALAR; VAL_LEVEL: the height */
        const struct value *items; /* VAL_TUPLE */
        const struct pull *pull;
        const struct push *push;
        const struct eval_closure *fun;
    };
} value;

typedef struct code code;

/* One activation of a region: a slot for each value, and one for each level that the region
 * binds. */
typedef struct eval_frame {
    const struct eval_frame *parent; /* of the enclosing region; NULL for a function's body */
    const code *code;                /* of the region */
    uint32_t block;                  /* what `blocksize` yields: ir/block.h */
    ir_op by;                        /* of code of a library: the operation elsewhere that called it; 0 */
    uint64_t number;                 /* of all that were made; from 1 */
    value slots[];
} eval_frame;

/* An array in memory: one column for each scalar in an element.  The form of an element is not
 * known before the first is written, since its static type may be a variable. */
typedef struct buffer {
    struct buffer *older; /* on the machine's stack */
    uint64_t cap;         /* elements that fit; wanted before the form is known */
    host_array *columns;
    uint32_t
        *shape; /* the element in preorder: a scalar type, or SHAPE_TUPLE + n and n components */
    uint32_t ncolumns, nshape;
    bool borrowed; /* the columns' data is the caller's */
} buffer;

enum { SHAPE_TUPLE = 256 }; /* above every scalar type */

/* What a seqfor has written so far: one bit for each element that is. */
typedef struct partial {
    buffer *data;
    uint64_t *written;
    ir_op op;
} partial;

typedef enum pull_kind {
    PULL_GENERATE,
    PULL_MAP,
    PULL_LITERAL,
    PULL_BYTES,
    PULL_DATA,
    PULL_PARTIAL
} pull_kind;

/* The elements of a GENERATE or MAP that were computed, once all were asked for: eval/known.c. */
typedef struct known_elements {
    struct known_elements *older; /* of an array that was made before */
    const struct pull *of;
    uint64_t *there; /* a bit for each element ... */
    uint64_t left;   /* ... and how many are not */
    buffer *scalars; /* the elements, made of scalars; or ... */
    value *values;   /* ... with arrays, whose memory is ... */
    buffer *arrays;  /* ... these, by `older` */
    arena room;
    size_t bytes;
} known_elements;

/* last_element.asked: no element is kept any more. */
#define NEVER_KEPT UINT64_MAX

/* What is remembered of a GENERATE or MAP. */
typedef struct last_element {
    uint64_t index; /* of the element that was computed last, where it is ... */
    value value;    /* ... a scalar */
    uint64_t asked; /* elements that were computed, or NEVER_KEPT */
    known_elements *known; /* NULL: nothing is kept */
    bool not_in_lanes;     /* some element cannot be computed side by side with others */
} last_element;

typedef struct pull {
    uint8_t kind, rank;
    uint64_t number; /* of all that were made */
    uint64_t count;
    last_element *last; /* GENERATE, MAP */
    const uint64_t *dims;
    const code *code;      /* GENERATE, MAP: what computes an element ... */
    const eval_frame *env; /* ... and where it was written */
    union {
        const struct pull *source; /* MAP */
        const value *items;        /* LITERAL */
        const ir_data *bytes;      /* BYTES */
        buffer *data;              /* DATA */
        const partial *partial;    /* PARTIAL */
    };
} pull;

typedef enum push_kind {
    PUSH_PULL,
    PUSH_MAP,
    PUSH_CONCAT,
    PUSH_INTERLEAVE,
    PUSH_SEQFOR,
    PUSH_MAPACCUM,
    PUSH_CHAIN,
    PUSH_TAKE,
    PUSH_DROP,
    PUSH_PAD
} push_kind;

/* The number of elements of a concat, once it has been asked for. */
typedef struct total {
    uint64_t n;
    bool known;
} total;

typedef struct push {
    uint8_t kind, rank;
    uint32_t height; /* its level */
    ir_op op;        /* that made it */
    const code *code;
    const eval_frame *env;
    const struct push *source; /* MAP, TAKE, DROP, PAD */
    const pull *pull;          /* PULL: the elements; CONCAT, INTERLEAVE: the chunks */
    const uint64_t *dims;      /* INTERLEAVE, SEQFOR, MAPACCUM, CHAIN: extents of the result */
    uint64_t chunk;            /* CONCAT, MAPACCUM, CHAIN: elements of a chunk */
    total *total;              /* CONCAT */
    uint32_t part;             /* CONCAT, INTERLEAVE: the level of the chunks */
    int64_t steps;             /* SEQFOR */
    uint64_t rows;             /* TAKE, DROP, PAD: their number n, 0 for less */
    const value *state;        /* MAPACCUM, CHAIN: the first; PAD: what is behind */
} push;

/* A function with the levels and arguments it has been given so far, levels first. */
typedef struct eval_closure {
    const code *body;
    const eval_frame *env;
    ir_func func;                 /* 0: an anonymous one */
    const struct records *looked; /* what a chain lets its chunks look at; NULL: body tells */
    uint32_t block;               /* of the code that names the function */
    uint32_t nlevels, nargs;
    value given[];
} eval_closure;

/* ---- decoded code ---- */

enum { DEPTH_CONST = INT32_MAX, DEPTH_NONE = INT32_MAX - 1 };

/* Where a value is found: hops to the frame, and the slot there; or a constant of the code. */
typedef struct operand {
    uint32_t slot, depth;
} operand;

/* A level: an offset above a level variable, or above thread when there is none (DEPTH_NONE). */
typedef struct level_operand {
    operand var;
    uint32_t offset;
} level_operand;

/* An operation, its operands resolved.  step is the opcode, or one of the steps below for scalar
 * operators. */
typedef struct inst {
    uint16_t step, opcode;
    uint32_t nargs;
    uint8_t rank; /* of the array that is made or read */
    uint8_t type; /* conversions: the scalar type of the result */
    uint32_t dst;
    uint32_t once, around; /* STEP_ONCE: its number in the code, and hops to the frame that it depends on */
    ir_op op;
    operand a, b;
    const operand *args; /* all of them */
    union {
        level_operand level;
        struct {
            ir_func func;
            uint32_t nlevels;
            const level_operand *levels;
        } call;
    };
    ir_region regions;
} inst;

enum {
    STEP_SCALAR = OP_END,
    STEP_SAME,    /* the value of operand a */
    STEP_CHECKED, /* a scalar operator whose overflow ends the run */
    STEP_ONCE,    /* a scalar that is the same for all runs within one frame: eval/once.c */
    STEP_I32      /* + SOP_x: a scalar operator on i32 with a case of its own */
};

/* The value that it has within that frame; 0: none. */
typedef struct once_value {
    uint64_t frame;
    value value;
} once_value;

struct code {
    ir_region region;
    uint32_t nparams, nlevels, nslots,
        level_slot;         /* nslots: with the levels, which begin at level_slot */
    uint32_t block;         /* of the blocks that the function is written for; 0: it does not say, or nobody asks it */
    const uint32_t *params; /* their slots */
    const value *consts;
    const inst *insts;
    once_value *once;
    bool library;    /* a function of one: it is told of who called it */
    bool in_lanes;   /* every operation has a form for many elements at once: eval/batch.c */
    uint8_t refused; /* batches that were begun in vain since the last that was not */
    uint32_t pause;  /* visits that do without, before the next is begun */
};

/* ---- the machine ---- */

typedef struct stack_chunk {
    struct stack_chunk *older;
    size_t cap;
    char *data;
} stack_chunk;

typedef struct stack {
    stack_chunk *head, *spare;
    char *top, *end;
    buffer *buffers;
    known_elements *known; /* of the youngest array of which elements are kept */
} stack;

typedef struct mark {
    stack_chunk *head;
    char *top;
    buffer *buffers;
    uint64_t pulls; /* made so far */
} mark;

/* The calls that are running, innermost first; for the notes of a diagnostic. */
typedef struct call_link {
    const struct call_link *outer;
    ir_func func;
    ir_op op;
} call_link;

typedef struct level_home {
    ir_region region;
    uint32_t slot;
} level_home;

/* An element that is needed before what is being computed. */
typedef struct put_off {
    const pull *p;
    int64_t at[MAX_RANK];
} put_off;

typedef struct machine {
    ir_module *m;
    mem *mm;
    uint32_t block_size, warp_size, local_size, stream_chunk;
    bool block_given; /* block_size is for all functions */
    const char *tuned; /* eval_options */
    uint64_t max_elements;
    stack stack;
    arena codes;
    code **by_region;
    uint32_t nregions;
    level_home *homes; /* of the level variables, by ir_tvar */
    uint32_t ntvars;
    uint32_t here;  /* the level of the location that executes */
    uint32_t depth; /* of nested regions */
    bool overflow;  /* of signed integers ends the run */
    bool one_by_one;
    bool updates;   /* the module has operations that overwrite arrays */
    bool talks;     /* ... that hand something out or take something in */
    uint32_t *innermost; /* eval/once.c: by ir_value: 1 + the nesting of the region that it depends on; 0: not decoded */
    uint64_t frames; /* made so far */
    uint64_t steps; /* that it may still do */
    ir_op at;       /* the operation that began last: where a limit is reported */
    const call_link *calls;
    const eval_frame *running; /* the innermost; NULL: none */
    eval_emit_fn *emit; /* may be NULL */
    void *emit_user;
    eval_receive_fn *receive; /* may be NULL */
    void *receive_user;
    uint64_t pulls;     /* made so far */
    size_t known_bytes; /* of all known_elements */
    /* eval/element.c */
    uint64_t before;   /* those that were there when the element was begun that all is for */
    uint32_t nested;   /* elements in one another */
    bool putting_off;  /* the run is being broken off for ... */
    put_off off;       /* ... this element */
    struct kept *kept; /* NULL: nothing nested so far */
    struct recent_batches *recent; /* eval/batch.c; NULL: no batch so far */
} machine;

/* ---- eval/memory.c ---- */

bool eval_stack_init(machine *M);
void eval_stack_free(machine *M);
void *eval_stack_more(machine *M, size_t size);
void eval_stack_unwind(machine *M, mark k);

/* Not zeroed; NULL when memory is short. */
static inline void *stack_alloc(machine *M, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    if ((size_t)(M->stack.end - M->stack.top) < size)
        return eval_stack_more(M, size);
    void *p = M->stack.top;
    M->stack.top += size;
    return p;
}

static inline mark stack_mark(const machine *M)
{
    return (mark){M->stack.head, M->stack.top, M->stack.buffers, M->pulls};
}

static inline void stack_release(machine *M, mark k)
{
    const known_elements *known = M->stack.known;
    if (M->stack.head != k.head || M->stack.buffers != k.buffers ||
        (known && known->of->number > k.pulls))
        eval_stack_unwind(M, k);
    else
        M->stack.top = k.top;
}

buffer *eval_buffer_new(machine *M);
/* Makes room for n elements. */
bool eval_buffer_reserve(machine *M, buffer *b, uint64_t n);
bool eval_buffer_set_shape(machine *M, buffer *b, const uint32_t *shape, uint32_t n);
bool eval_buffer_put(machine *M, buffer *b, uint64_t i, const value *v);
bool eval_buffer_get(machine *M, const buffer *b, uint64_t i, value *out);
/* The first n elements of another one, of the same form if it has one already. */
bool eval_buffer_put_all(machine *M, buffer *to, const buffer *from, uint64_t n);
/* One that lives until eval_buffer_free, with what `from` has. */
buffer *eval_buffer_copy(machine *M, const buffer *from, uint64_t n);
void eval_buffer_free(machine *M, buffer *b);

/* ---- eval/code.c ---- */

code *eval_code_decode(machine *M, ir_region r); /* NULL with a diagnostic */
bool eval_code_homes(machine *M); /* finds where level variables live; once, before any code runs */

static inline const code *code_of(machine *M, ir_region r)
{
    return r < M->nregions && M->by_region[r] ? M->by_region[r] : eval_code_decode(M, r);
}

/* So many hops out; NULL beyond the last. */
static inline const eval_frame *frame_out(const eval_frame *f, uint32_t hops)
{
    for (; f && hops; hops--)
        f = f->parent;
    return f;
}

static inline const value *operand_value(const code *c, const eval_frame *f, operand o)
{
    if (o.depth == 0)
        return &f->slots[o.slot];
    if (o.depth == DEPTH_CONST)
        return &c->consts[o.slot];
    return &frame_out(f, o.depth)->slots[o.slot];
}

uint32_t eval_level_height(const code *c, const eval_frame *f, const level_operand *l);

/* ---- eval/same.c ---- */

typedef struct same_calls {
    ir_region region;
    ir_op *table;    /* the first of equal calls: open addressing */
    ir_value *first; /* by slot: the value of the first call like the one whose result this is */
    uint32_t mask, nslots;
} same_calls;

bool eval_same_init(machine *M, same_calls *s, ir_region r, uint32_t nops);
void eval_same_free(machine *M, same_calls *s);
/* An earlier operation of the region that gives what o does; 0: none. */
ir_op eval_same_call(const machine *M, same_calls *s, ir_op o);

/* ---- eval/once.c ---- */

/* A region while it is decoded. */
typedef struct once_region {
    uint32_t nesting; /* in a function's body; 0: nothing in it is asked for more often than that */
    bool generic;     /* levels or types are bound around it */
    uint32_t count;   /* of its operations that are STEP_ONCE */
} once_region;

once_region eval_once_begin(machine *M, ir_region r);
/* For each operation in order: makes it STEP_ONCE if it can be. */
void eval_once_decode(machine *M, once_region *r, ir_op o, inst *i);
bool eval_once_there(const code *c, const eval_frame *around, const inst *i, value *out);
void eval_once_keep(const code *c, const eval_frame *around, const inst *i, const value *v);

/* ---- one function for each operator of the core, named after it, in the file of its kind ---- */

typedef bool eval_step(machine *M, const code *c, eval_frame *f, const inst *i, value *out);
#define OP(e, ...) eval_step eval_##e;
#include "ir/ops.def"
#undef OP

/* ---- eval/run.c ---- */

eval_frame *eval_frame_new(machine *M, const code *c, const eval_frame *parent);
/* Runs a region to its terminator.  A scalar result leaves nothing on the stack above k. */
bool eval_region_run(machine *M, const code *c, eval_frame *f, mark k, value *out);
/* Runs a region that takes n values. */
bool eval_region_value(machine *M, ir_region r, const eval_frame *env, const value *args,
                       uint32_t n, value *out);

static inline value scalar_value(scalar t, uint64_t bits)
{
    return (value){.tag = VAL_SCALAR, .type = (uint8_t)t, .bits = bits};
}

static inline value int_value(int64_t x)
{
    return scalar_value(ST_I32, (uint64_t)x);
}

/* ---- eval/element.c ---- */

/* Element at an index that is in range; false also when it is put off. */
bool eval_pull_element(machine *M, const pull *p, const int64_t *at, value *out);
/* Element i in row-major order. */
bool eval_pull_nth(machine *M, const pull *p, uint64_t i, value *out);
void eval_kept_free(machine *M);

/* ---- eval/known.c ---- */

/* Elements of a GENERATE or MAP are kept from now on, unless they would need too much.  Here and below,
 * false: no memory. */
bool eval_known_begin(machine *M, const pull *p);
/* Notes that n more elements were computed, and begins when that may save work. */
bool eval_known_asked(machine *M, const pull *p, uint64_t n);
/* Keeps element i, which was computed just now in so many steps, if p keeps its elements. */
bool eval_known_put(machine *M, const pull *p, uint64_t i, const value *v, uint64_t steps);
/* Takes bytes from what all arrays may keep, for one that keeps some already; false: nothing more is kept of it. */
bool eval_known_affords(machine *M, known_elements *k, uint64_t bytes);
/* Element i, which is there. */
bool eval_known_get(machine *M, const known_elements *k, uint64_t i, value *out);
/* Forgets those of arrays that were made behind the first so many. */
void eval_known_forget(machine *M, uint64_t pulls);

/* Whether all elements are there. */
static inline bool known_all(const pull *p)
{
    return p->last->known && !p->last->known->left;
}

static inline bool known_there(const pull *p, uint64_t i)
{
    const known_elements *k = p->last->known;
    return k && k->there[i / 64] >> i % 64 & 1;
}

/* ---- eval/pull.c ---- */

pull *eval_pull_new(machine *M, pull_kind k, uint32_t rank);
/* Reads extents: none negative, their product no more than an int counts. */
bool eval_extents(machine *M, const code *c, eval_frame *f, const inst *i, uint64_t **dims,
                  uint64_t *count);

/* ---- eval/push.c ---- */

typedef enum sink_kind {
    SINK_STORE,
    SINK_MAP,
    SINK_SHIFT,
    SINK_PLACE,
    SINK_BELOW,
    SINK_PART,
    SINK_COMBINE,
    SINK_OVERWRITE
} sink_kind;

/* Where the elements of a push array go, one after the other, with their positions in row-major
 * order. */
typedef struct sink {
    sink_kind kind;
    const struct sink *next; /* all but STORE, COMBINE, OVERWRITE */
    buffer *out;             /* STORE */
    const code *code;        /* MAP */
    const eval_frame *env;   /* MAP */
    uint64_t base; /* SHIFT; BELOW: positions from here on are dropped; PART: so are those before */
    uint64_t count;          /* PART: elements from there on that go on, numbered from 0 */
    struct placement *place; /* PLACE */
    struct cells *cells;     /* COMBINE */
    const struct overwriting *overwriting; /* OVERWRITE */
    ir_op op;                              /* STORE: where too many elements are reported */
    uint64_t most;                         /* STORE: elements */
} sink;

/* A sink that stores the elements of an array of that rank. */
sink eval_sink_store(const machine *M, buffer *out, ir_op at, uint32_t rank);
bool eval_sink_put(machine *M, const sink *s, uint64_t position, const value *v);
/* Whether the element at a position goes anywhere, as far as that can be told beforehand. */
bool eval_sink_wants(const sink *s, uint64_t position);
/* Room for positions below n; only a hint until the elements arrive. */
bool eval_sink_reserve(machine *M, const sink *s, uint64_t n);
/* Sends all elements to the sink and counts them. */
bool eval_push_run(machine *M, const push *p, const sink *s, uint64_t *count);
bool eval_push_dims(machine *M, const push *p, uint64_t dims[MAX_RANK]);
/* Chunk j of a concat, array j of an interleave. */
bool eval_push_chunk(machine *M, const push *p, uint64_t j, const push **out);

/* ---- eval/part.c: take, drop, pad ---- */

bool eval_part_run(machine *M, const push *p, const sink *s, uint64_t *count);
/* dims: of the source, made those of the part. */
void eval_part_dims(const push *p, uint64_t *dims);

/* ---- eval/place.c: the permutation of an interleave ---- */

/* An index as text: 7, or (1, 2). */
typedef struct index_text {
    char s[24 * MAX_RANK];
} index_text;
index_text eval_show_index(const int64_t *at, uint32_t rank);
/* A position in row-major order as indices, and back; false when an index is outside. */
void eval_indices_of(uint64_t position, const uint64_t *dims, uint32_t rank, int64_t at[MAX_RANK]);
bool eval_linear(const int64_t *at, const uint64_t *dims, uint32_t rank, uint64_t *out);
bool eval_place_run(machine *M, const push *p, const sink *s, uint64_t *count);
bool eval_place_put(machine *M, struct placement *place, const sink *next, uint64_t position,
                    const value *v);

/* ---- eval/sequence.c: seqfor, mapaccum ---- */

bool eval_partial_unwritten(machine *M, const partial *a,
                            uint64_t i); /* reports that element i was read; false */
bool eval_seqfor_run(machine *M, const push *p, const sink *s, uint64_t *count);
/* Whether chunk `number` of a mapaccum or chain may have that length; reports it when not. */
bool eval_check_stated(machine *M, const push *p, uint64_t number, uint64_t length);
bool eval_mapaccum_run(machine *M, const push *p, const sink *s, uint64_t *count);

static inline bool partial_written(const partial *a, uint64_t i)
{
    return a->written[i / 64] >> i % 64 & 1;
}

/* ---- eval/force.c ---- */

/* An array in memory, to be written once or again and again. */
typedef struct stored {
    pull p;
    uint64_t dims[MAX_RANK];
} stored;

stored *eval_stored_new(machine *M);
/* Writes a push or a pull array there. */
bool eval_stored_write(machine *M, ir_op at, const value *v, stored *s);
/* The array as one that threads write: itself, or what a collective does with a pull array, whose
 * level nobody has chosen, in *room.  NULL with a diagnostic when it is none. */
const push *eval_as_push(machine *M, ir_op at, const value *v, push *room);

/* loc respects level (rules 31, 32): whether work at the level of p may be done here. */
bool eval_check_level(machine *M, const push *p, ir_op at);
/* Writes the whole of p into b; dims receives its extents. */
bool eval_force_into(machine *M, const push *p, ir_op at, buffer *b, uint64_t dims[MAX_RANK],
                     uint64_t *count);

/* ---- eval/state.c ---- */

/* What a loop hands from round to round: a scalar, an array, push or pull, or a tuple of such, as
 * tag says. */
typedef struct eval_state {
    uint8_t tag;
    uint32_t side;            /* the one to be read: 0 or 1 */
    uint32_t n;               /* of a tuple */
    stored *areas[2];         /* of an array */
    struct eval_state *parts; /* of a tuple, with the values that read them on each side */
    value *items[2];
} eval_state;

/* Makes a state, and writes what it starts with: arrays by the level of the code that runs.  *out
 * reads it until the state after the next one is written; start itself is not referred to. */
bool eval_state_begin(machine *M, ir_op at, const value *start, eval_state *s, value *out);
bool eval_state_next(machine *M, ir_op at, const value *next, eval_state *s, value *out);

/* ---- eval/accumulate.c ---- */

/* Element number `number` of the pushed array arrives. */
bool eval_cells_put(machine *M, struct cells *cells, uint64_t number, const value *v);

/* ---- eval/collective.c, eval/sort.c, eval/stream.c ---- */

/* The order of keys as that of unsigned integers: floats by their bits, -NaN first. */
uint64_t eval_sort_key(scalar t, uint64_t bits);

/* ---- eval/update.c ---- */

/* The element of that position in what is put there arrives. */
bool eval_overwrite(machine *M, const struct overwriting *w, uint64_t position, const value *v);

/* ---- eval/chain.c ---- */

bool eval_chain_run(machine *M, const push *p, const sink *s, uint64_t *count);
/* What `look j`, or `look j i`, gives in a chain. */
bool eval_chain_look(machine *M, const struct records *r, ir_op op, const value *given, value *out);

/* ---- eval.c: results ---- */

/* Copies a value of that type to the host: the arrays of out, whose types are set, are allocated in
 * turn; after a failure too they are the caller's to free. */
bool eval_to_host(machine *M, ir_type t, const value *v, host_array *out);

/* ---- eval.c: failing ---- */

/* Reports an error at an operation, with the calls that led there; false. */
bool eval_fail(machine *M, diag_code why, ir_op at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The value has another form than the operation needs; false. */
bool eval_stuck(machine *M, ir_op at, const value *v, const char *needed);
/* Goes one level deeper; false with a diagnostic beyond the limit.  Undone by M->depth--.  Every
 * element, turn of a loop and call comes through here, so this is where a run ends that was
 * cancelled or has done all the steps that it may do. */
bool eval_too_deep(machine *M);
bool eval_stopped(machine *M);

static inline bool eval_enter(machine *M)
{
    const fcl_context *cx = M->m->cx;
    if (!M->steps-- || context_is_cancelled(cx))
        return eval_stopped(M);
    return M->depth < cx->limits.call_depth ? (M->depth++, true) : eval_too_deep(M);
}

#endif
