/* What a core value is while it is lowered: a static value.
 *
 * Only scalars exist at run time, as kernel IR values.  A tuple is a list; a function a region and
 * its frame; a pull array its extents and a way to compute an element; a push array its extents,
 * its level and a way to write all elements through a writer.  Nothing is written until a push
 * array is emitted: this is where everything fuses.
 *
 * Static values live in the lowering's arena until it ends.
 *
 * The files of this room call one another through this header: an operator's function lowers what
 * its operands and regions are made of, which is any operator again.  What only the files of one
 * folder ask of one another is in the header of that folder.  value.c and shape.c are below the
 * others; lowering.depth bounds the recursion. */
#ifndef FCL_IR_KERNEL_LOWER_VALUE_H
#define FCL_IR_KERNEL_LOWER_VALUE_H

#include "ir/kernel/algebra/algebra.h"
#include "ir/kernel/lower/lower.h"

typedef enum {
    SV_NONE,   /* after an error */
    SV_SCALAR, /* v */
    SV_TUPLE,  /* items */
    SV_FN,
    SV_PULL,
    SV_PUSH,
} sv_kind;

typedef enum {
    /* functions: region with env, or function func; items are the arguments so far, levels the
       levels so far */
    FN_REGION = 1,
    FN_IF,   /* v: condition; then, other */
    FN_LOOK, /* a chunk's view of earlier ones: records */
    /* pull arrays */
    PULL_GENERATE, /* region of the indices */
    PULL_MAP,      /* region of an element of src */
    PULL_MEMORY,   /* elements of src (a tree of memories) from offset v; v2: those of a parameter,
                      counted */
    PULL_ITEMS,    /* items */
    PULL_IF,       /* v: condition; then, other */
    PULL_CHOICE,   /* v: condition; src or other_src: memories (force in both branches of an if) */
    PULL_PART,     /* the rows of src from row v on */
    PULL_PADDED,   /* v rows of src (NULL: v is 0); behind them, elements that are other_src */
    /* push arrays */
    PUSH_PULL,      /* the elements of src */
    PUSH_MAP,       /* region of an element of src */
    PUSH_CONCAT,    /* the arrays in src (a pull array), each v elements apart; v2: where the second
                       starts, or 0 */
    PUSH_ROWS,      /* the arrays in src as rows; v2: memory for their lengths */
    PUSH_COMPACTED, /* what is there of the rows src; v2: memory: where each starts, and the end */
    PUSH_INTERLEAVE, /* the arrays in src, region gives positions */
    PUSH_SEQUENCE,   /* the same, one array after another at their own level */
    PUSH_SEQFOR,     /* v steps of region, which yields position and value */
    PUSH_MAPACCUM,   /* rounds of v elements; region yields chunk and state; other_src: the first
                        state, received as of type */
    PUSH_CHAIN, /* chunks of v elements by the regions from region on; src: what stands before the
                   first, of type */
    PUSH_IF,    /* v: condition; then, other */
    PUSH_PART,  /* the rows of src, a push array, from row v on */
    PUSH_PAD,   /* src, a push array, and behind it rows of elements that are other_src */
} sv_form;

typedef struct sv sv;
typedef struct compacted compacted;
typedef struct frame frame;
typedef struct thunk thunk;

/* What level and type variables stand for in a frame, innermost first. */
typedef struct binding {
    ir_tvar var;
    uint32_t value; /* a level's height; a type without variables */
    const struct binding *next;
} binding;

/* One activation of a region. */
struct frame {
    uint32_t number; /* when it was made (lowering.made) */
    uint32_t block;  /* threads in blocks that its code is written for: ir/block.h */
    ir_region region;
    frame *parent; /* of the lexically enclosing region */
    const binding *bound;
    const sv **slots;
    uint32_t call; /* of code of a library: the position of the call from elsewhere that led to it; 0: none */
};

struct sv {
    uint8_t kind, form, rank, level; /* level: of a push array */
    uint32_t n;                      /* items */
    uint32_t number;                 /* when it was made (lowering.made); 0: not in a lowering */
    uint32_t block;                  /* of the code that made it: a launch of a push array has as many
                                        threads, a function that does not say how many is called with
                                        it */
    k_id v, v2;
    const sv **items;
    const sv **table;  /* PULL_ITEMS: where its table is kept; NULL: it has none */
    const k_id *shape; /* rank extents */
    const k_id *pitch; /* PULL_MEMORY: the extents that its memory is laid out by, where they are
                          not shape */
    ir_region region;
    ir_type type; /* PULL_ITEMS, PULL_MEMORY, PUSH_SEQFOR: of the elements, when nothing else tells;
                     PUSH_CHAIN: of summaries; PUSH_MAPACCUM: of the state */
    frame *env;
    const binding *bound; /* FN_REGION: so far */
    uint32_t nlevels;     /* of them, levels of the function's own */
    const sv *src, *other_src;
    const thunk *then, *other;
    uint32_t from; /* of an if: lowering.made in front of it */
    const struct records *records;
    uint32_t loc; /* PUSH_CONCAT, PUSH_ROWS, PUSH_MAPACCUM: where it stands, for checks */
    bool partial; /* PULL_MEMORY: it is still being written by its reader */
    bool shared;  /* PULL_MEMORY: another array is the same memory */
    bool updated; /* PULL_MEMORY: an update overwrites it later on, so it is copied to be kept */
    bool trusted; /* PUSH_CONCAT: that chunks are full is what the program says */
    const struct marks
        *marks; /* PUSH_INTERLEAVE, PUSH_SEQUENCE: of positions; NULL: none are kept */
    const struct compacted *compacted; /* PUSH_CHAIN: where a compact writes; NULL: a chain */
};

/* A static value to be made again wherever it is needed, for the branches of an if that yields
 * arrays or functions. */
struct thunk {
    enum { THUNK_REGION, THUNK_INDEX, THUNK_ITEM, THUNK_APPLY, THUNK_ITEMS, THUNK_VALUE } kind;
    ir_region region;
    frame *env;
    const thunk *of;
    const k_id *ix;
    const sv **args;
    uint32_t n;      /* item number, number of arguments or indices */
    const sv *array; /* ITEMS: element ix[0] of an array literal, one of items n ... end-1; VALUE:
                        the value itself */
    uint32_t end;
};

/* Where the elements of a push array go. */
typedef struct destination {
    const sv *tree; /* memories, shaped like an element; NULL until the first element is written */
    uint16_t depth; /* scope that owns the memories */
    uint8_t space;
    k_id size;         /* in elements */
    const k_id *pitch; /* extents that elements are numbered by; NULL: those of the array */
} destination;

typedef struct writer {
    enum {
        WRITE_MEMORY,
        WRITE_CHUNK,
        WRITE_ROW,
        WRITE_POSITION,
        WRITE_SHIFTED,
        WRITE_MAPPED,
        WRITE_PART,
        WRITE_CELLS,
        WRITE_BESIDE
    } kind;
    const struct writer *outer;
    destination *dest;  /* MEMORY, CELLS */
    k_id offset, limit; /* MEMORY: first element, elements that fit (0: all do); CHUNK: likewise,
                           of rows; ROW: its number, likewise; PART: the first row and how many
                           there are, all others are dropped; CELLS: first element */
    const k_id *shape;  /* MEMORY, CELLS: extents that elements are numbered by; POSITION,
                           SHIFTED: those of the array that the positions are in */
    bool pitched;       /* MEMORY: they are not those of the array */
    bool in_order;      /* CELLS: an element finds what those before it have left */
    uint32_t rank;
    ir_region region; /* POSITION, MAPPED; CELLS: of position and value, the next one combines */
    const struct cell_rule *cells;
    const struct marks *marks; /* POSITION, CELLS: of positions; NULL: none are kept */
    frame *env;
    const k_id *ix; /* POSITION: which array; SHIFTED: where element 0 goes */
    uint32_t nix;
    const struct beside *beside; /* BESIDE: arrays of which the same element is written, too */
    uint32_t nbeside;
} writer;

/* taken.c: an operation that reads a value, or a component of one. */
typedef struct reading {
    ir_op by;           /* 0: anyone */
    uint32_t component; /* 1 + its number; 0: the whole */
    uint32_t next;      /* 1 + another one of that value; 0: none */
} reading;

/* branch/keep.c: what a branch's value refers to, for those around it that ask. */
typedef struct reached { /* one of the two */
    const sv *value;
    const frame *frame;
} reached;
typedef struct outside_found {
    uint32_t from;      /* nothing that was made since is to be looked at again, */
    uint16_t deepest;   /* as it refers to no node deeper than that, */
    uint32_t border, n; /* and to these, which were there before */
} outside_found;
typedef struct outside_memo {
    vec_u32 place; /* by number of a static value: 1 + where it stands in found */
    VEC(outside_found) found;
    VEC(reached) borders;
} outside_memo;

/* once/memo.c */
typedef struct remembered remembered;
typedef struct lower_memo {
    remembered *at; /* open addressing */
    uint32_t cap, used;
} lower_memo;

/* A function, as its region, and all of its arguments. */
typedef struct function_call {
    ir_region region;
    frame *env;
    const binding *bound;
    const sv *const *args;
    uint32_t n;
    uint32_t block; /* of the code that names the function */
} function_call;

/* What is asked for: words on a stack (lowering.keys); and how often records had been looked at. */
typedef struct memo_key {
    uint32_t start, n, looks;
} memo_key;

/* An array, and a value of the module that it is. */
typedef struct named_array {
    uint32_t number;
    ir_value name;
} named_array;

typedef struct foresight foresight; /* branch/foresee.c */

/* once/deep.c: where the computation of an element began that may be broken off. */
typedef struct deep_run {
    k_block block;
    uint32_t depth, from; /* lowering.depth and .made */
    bool broken;
    const sv *array; /* what is wanted first */
    const k_id *ix;
} deep_run;

/* How elements go into cells that a level shares. */
typedef struct cell_rule {
    enum {
        CELLS_COMBINE, /* with what is there */
        CELLS_START,   /* the first elements, which nobody has claimed */
        CELLS_CLAIM,   /* for the element with the greatest number */
        CELLS_PUT,     /* in place of what is there; where owner is set, by the owner alone */
    } what;
    k_atomic step;      /* COMBINE, CLAIM, PUT: by which step of the device; 0: loads and stores */
    k_id owner;         /* memory of numbers: who has claimed a cell; 0: none is claimed */
    destination *found; /* COMBINE: what was there, by the number of the element; NULL: dropped */
    const k_id *number; /* extents that elements are numbered by */
    uint32_t rank;      /* how many; 0: numbers are not needed */
    ir_type type;       /* of what is found, without variables */
    bool taken;         /* START: the elements are in their cells already */
} cell_rule;

typedef VEC(bool) vec_bool;

typedef struct lowering {
    k_builder b;
    ir_module *m;
    arena a;
    k_target target;
    uint32_t level; /* of the code being lowered: who runs it together; grid outside every launch is
                       the host */
    uint32_t block; /* threads in blocks that the code being lowered is written for; at the host what the
                       next launch has */
    uint32_t depth; /* of nested activations */
    uint32_t inner; /* position of the operation at hand, in a library too */
    uint32_t copies; /* of the code being lowered, for the items of small arrays; 0: one
                        (loop/items.c) */
    uint32_t made;   /* static values and frames so far */
    sv spare;        /* written to after a failed allocation, never read */
    bool trying;     /* the code is only looked at and dropped */
    k_id guard;      /* where it does not hold, what is read of memory may not be there; 0: all is
                        (checked.c) */
    bool supposing;  /* what is lowered is not known to exist, and dropped: nothing is checked */
    bool measuring;  /* what is lowered is dropped but for how long what it makes is: arrays get memory, and nothing is
                        written there */
    bool wide;       /* the launch being lowered has i64 positions */
    vec_u32 limits;  /* numbers of elements (i64) that must not exceed MAX_EXTENT, as the launch has
                        i32 positions */
    bool failed;     /* reported */
    vec_bool updated; /* values whose memory updates overwrite; empty: there are no updates */
    vec_u32 overwritten; /* memories that have been made for such, or taken over (taken.c) */
    VEC(reading) reads;
    vec_u32 first_read; /* by value: 1 + the first of those; empty until asked for (taken.c) */
    vec_u32 grown;  /* in loops around that are lowered once more: a loop's step, and which array of its state grows */
    uint32_t loops; /* in one another, that are being lowered */
    /* Of the module's positions: 1 + their number in the program; 0: not used yet. */
    vec_u32 positions;
    lower_memo memo;
    vec_u32 keys;
    uint32_t looks; /* at records of a chain, which change */
    deep_run deep;
    vec_u32 runs;   /* of each region */
    vec_u32 asked;  /* elements computed of each array, by number */
    vec_u32 asking; /* whether each region asks for elements (branch/foresee.c) */
    outside_memo outside;
    VEC(named_array) named;
    bool clear; /* what is run asks no array twice that is made since, so no if need be looked at */
    uint32_t clear_from;
    foresight *foresight; /* the branches of an if are being looked at; or NULL */
    const struct state_room *room; /* for what a loop's step makes (loop/room.c); or NULL */
} lowering;

/* ---- origin.c ---- */
/* Copies what the program keeps of the module. */
bool lower_origin(lowering *L, ir_func f);
/* A position of the module as one of the program. */
uint32_t lower_position(lowering *L, uint32_t loc);

/* ---- unscheduled.c ---- */
/* Whether every operation that the kernel reaches has a level at which it is done; reports the
 * first that has none. */
bool lower_refuse_unscheduled(lowering *L, ir_func f);

/* ---- value.c ---- */
sv *sv_new(lowering *L, sv_kind k, sv_form f);
sv *sv_like(lowering *L, const sv *v); /* a copy, to be changed */
sv *sv_pushed(lowering *L, const sv *a, uint32_t level); /* the elements of a pull array */
const sv *sv_none(void);
const sv *sv_scalar(lowering *L, k_id v);
const sv *sv_int(lowering *L, int32_t x);
const sv *sv_tuple(lowering *L, const sv *const *items, uint32_t n);
const sv *sv_zero(lowering *L,
                  ir_type t); /* of a scalar or tuple type: stands for elements that do not exist */
bool sv_is_scalars(const sv *v); /* a scalar or a tuple of such */
/* The scalars of such a value in order; appended to out. */
void sv_leaves(lowering *L, const sv *v, vec_u32 *out);
/* The same structure with other scalars, taken from list in order. */
const sv *sv_with_leaves(lowering *L, const sv *like, const k_id **list);
k_id *sv_ids(lowering *L, const k_id *ids, uint32_t n); /* a copy in the arena */
bool lower_fail(lowering *L, diag_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool lower_failed(const lowering *L);
bool lower_is_host(const lowering *L); /* outside every launch */
/* Whether one thread does all that a level does. */
bool lower_is_alone(const lowering *L, uint32_t level);
location lower_loc(const lowering *L);
uint32_t lower_frame_level(lowering *L, const frame *f, ir_level l); /* resolves variables */
ir_type lower_frame_type(lowering *L, const frame *f, ir_type t);
const char *lower_height_name(lowering *L, uint32_t height);

/* ---- op.c ---- */
/* Threads in the blocks that a function is written for, when the code being lowered calls it. */
uint32_t lower_block_of(const lowering *L, ir_func f);
/* The value of a region applied to arguments. */
/* The position of a place in a frame, for messages: of code of a library who called it from elsewhere. */
uint32_t lower_place(lowering *L, const frame *f, uint32_t loc);
const sv *lower_run_region(lowering *L, ir_region r, frame *env, const binding *bound,
                           const sv *const *args, uint32_t n);
const sv *lower_run_region1(lowering *L, ir_region r, frame *env, const sv *arg);
/* Likewise of a function, once for the same arguments. */
const sv *lower_call(lowering *L, const function_call *c);
const sv *lower_apply_function(lowering *L, const sv *f, const sv *const *args, uint32_t n);
const sv *lower_frame_value(lowering *L, const frame *f, ir_value v);
k_id lower_frame_scalar(lowering *L, const frame *f, ir_value v);

/* ---- once/ ---- */
/* The key of an element, with checks of its indices or without; of what a function gives for
 * arguments. */
void lower_element_key(lowering *L, memo_key *key, const sv *a, const k_id *ix, bool checked);
void lower_result_key(lowering *L, memo_key *key, const function_call *c);
/* What has been computed in an open scope; NULL: nothing, and lower_remember follows with the same
 * key. */
const sv *lower_recall(lowering *L, const memo_key *key);
void lower_remember(lowering *L, const memo_key *key, const sv *v);
void lower_memo_free(lowering *L);
/* A region is run once more; false when that is too often. */
bool lower_count_run(lowering *L, ir_region r);
void lower_count_element(lowering *L, const sv *a);
/* What an array is called, where it is one and has a name. */
void lower_note_name(lowering *L, const sv *v, ir_value name);
/* The number of i in such a list, 0 where nothing was noted; NULL: out of memory. */
uint32_t *lower_counter(lowering *L, vec_u32 *list, uint32_t i);
void lower_copies_free(lowering *L);

/* ---- branch/keep.c ---- */
void lower_outside_free(lowering *L);
/* lower_element, at any depth. */
const sv *lower_deep_element(lowering *L, const sv *a, const k_id *ix);

/* ---- array.c ---- */
/* An element, computed as its array says. */
const sv *lower_element(lowering *L, const sv *a, const k_id *ix);
/* An element, which is remembered. */
const sv *sv_index(lowering *L, const sv *a, const k_id *ix);

/* ---- checked.c ---- */
/* Notes what was found about the place that is being lowered. */
void lower_verdict(lowering *L, k_checked what, k_finding finding, const char *reason);
/* Whether to ask at run time; proof: why that is not needed, or NULL.  Notes the verdict, with
 * `otherwise` where there is no proof. */
bool lower_is_asked_or(lowering *L, k_checked what, const char *proof, const char *otherwise);
bool lower_is_asked(lowering *L, k_checked what, const char *proof); /* of a range */
/* Likewise, of what is then asked by lower_ask_early: by the host where that tells as much, which
 * is in front of the launch. */
bool lower_is_asked_early(lowering *L, k_checked what, const char *proof);
void lower_ask_early(lowering *L, k_checked what, k_id cond, k_id first, k_id second, str_id text);
/* Why 0 <= i < n, or NULL. */
const char *lower_proves_index(const lowering *L, k_id i, k_id n);
/* Whether 0 <= i < n, at run time. */
k_id lower_in_range(lowering *L, k_id i, k_id n);
/* The axes of which it is to be asked whether an index lies inside, and the conditions. */
typedef struct asked_axes {
    k_checked what;
    uint32_t loc;
    const k_id *ix, *shape;
    uint32_t n, axis[MAX_RANK];
    k_id cond[MAX_RANK], all; /* all of them, if there are any */
} asked_axes;
asked_axes lower_ask_axes(lowering *L, k_checked what, const k_id *ix, const k_id *shape,
                          uint32_t rank);
/* Of the positions that a region computes. */
asked_axes lower_ask_positions(lowering *L, ir_region r, const frame *env, const k_id *at, const k_id *shape,
                               uint32_t rank);
/* Around what is done only where they hold; elsewhere the failure is reported. */
void lower_open_guard(lowering *L, const asked_axes *q);
void lower_close_guard(lowering *L, const asked_axes *q);
/* The element at indices that the program computes.  scalars: it is made of such alone. */
const sv *lower_checked_element(lowering *L, const sv *a, const k_id *ix, bool scalars);

/* ---- certain.c ---- */
/* Reports the first check that fails in every run, if there is one. */
void lower_refuse_certain(lowering *L);

/* ---- ending.c ---- */
/* Whiles of a lowered program that might never end behind a failed check look at its flag. */
bool lower_end_loops(k_program *p);

/* ---- sizes.c ---- */
/* An extent that the program states, which is asked for. */
k_id lower_stated_extent(lowering *L, k_id n);
/* Likewise a length of chunks, of `from` or more. */
k_id lower_chunk_length(lowering *L, k_id c, int32_t from);
/* Of stated extents: that there may be so many elements. */
void lower_check_elements(lowering *L, const k_id *shape, uint32_t rank);
/* Of a loop's state: that an extent is not above that of the round before. */
void lower_check_growth(lowering *L, k_id now, k_id before);
/* That an int counts the elements. */
void lower_check_length(lowering *L, const k_id *shape, uint32_t rank);

/* ---- distinct.c: every position exactly once ---- */
/* Which positions of an array have been written, a bit for each. */
typedef struct marks {
    k_id bits; /* a memory of words; 0: none are kept */
    k_id count, words;
    uint32_t level, loc;
    bool shared;  /* several threads keep them */
    bool missing; /* that none is left out is asked afterwards */
} marks;
/* Around the emission of p, an interleave or a sequence of arrays: what is to be asked.  The array
 * to be emitted in its place. */
const sv *lower_begin_placed(lowering *L, const sv *p, marks *m);
/* Around what goes into cells by the region of w of o, a scatter or a permute. */
void lower_begin_cells(lowering *L, ir_op o, const sv *src, writer *w, marks *m);
void lower_end_marks(lowering *L, const marks *m);
/* Around the writing of the element at `at`, which is inside: it is the first one there. */
void lower_open_mark(lowering *L, const marks *m, const k_id *shape, const k_id *at, uint32_t rank);
void lower_close_mark(lowering *L, const marks *m);
/* Whether a thread keeps them by loads and stores; of NULL, no. */
bool lower_marks_alone(const marks *m);

/* ---- written.c ---- */
/* How long the parts of an array are along an axis: `most`; where there is a step, part i has no
 * more than whole - i * step, i being the outer index number `by`.  So many times `times`, if that
 * is there. */
typedef struct part_axis {
    k_id most, whole, step, times;
    uint32_t by;
} part_axis;
/* That of a length that depends on n variables, and otherwise on what is not deeper than `outer`;
 * false: it does so in another way. */
bool lower_part_axis(const lowering *L, k_id length, const k_id *vars, uint32_t n, uint16_t outer,
                     part_axis *out);
/* The elements (i64) of all parts in src, with such axes, from what is known at that depth; of
 * arrays that are known one by one.  0: it is not known.  some: what it is where there is any
 * element. */
k_id lower_parts_elements(lowering *L, const sv *src, const part_axis *axes, uint32_t n,
                          uint32_t depth, k_id *some);
k_id lower_literal_elements(lowering *L, const sv *src);

/* ---- shape.c ---- */
/* x + y or x * y for counts of elements; at the host too many are the greatest int, which no memory
 * and no launch takes. */
k_id lower_count(lowering *L, opcode op, k_id x, k_id y);
k_id lower_shape_count(lowering *L, const k_id *shape, uint32_t rank); /* number of elements */
k_id lower_shape_turns(lowering *L, const k_id *shape,
                       uint32_t rank); /* likewise, of an array that is being written */
/* The number of the element at ix: ANY may not exist; an EXISTING one does wherever the value is
 * used; WIDE is an i64. */
typedef enum { POSITION_ANY, POSITION_EXISTING, POSITION_WIDE } position;
k_id lower_shape_flatten(lowering *L, const k_id *shape, uint32_t rank, const k_id *ix, position p);
/* The number of elements of an array in global memory, whose extents the host knows: an i64 when it
 * may exceed MAX_EXTENT. */
k_id lower_shape_elements(lowering *L, const k_id *shape, uint32_t rank);
/* Whether positions in such an array are i64 here; if not, the launch is for fewer elements
 * (lowering.limits). */
/* x * y for i64 x, y >= 0; more than MAX_ELEMENTS when that is too large. */
k_id lower_product(lowering *L, k_id x, k_id y);
bool lower_is_wide(lowering *L, k_id elements);
void lower_shape_unflatten(lowering *L, const k_id *shape, uint32_t rank, k_id flat, k_id *ix);
/* x * y for i64 x, y >= 0; more than MAX_ELEMENTS when that is too large. */
k_id lower_product(lowering *L, k_id x, k_id y);
k_id lower_extent(lowering *L, k_id n); /* max(n, 0) */
/* Where extents of which constants are known bounds make a small box, that box; true: it is not the
 * shape itself. */
bool lower_shape_box(lowering *L, const k_id *shape, uint32_t rank, k_id *box);
/* Whether an element of the box belongs to the shape. */
k_id lower_shape_contains(lowering *L, const k_id *shape, const k_id *box, uint32_t rank,
                          const k_id *ix);

/* ---- branch/ ---- */
/* What the branches of the if made has numbers above from. */
const sv *lower_choice(lowering *L, k_id cond, uint32_t from, const thunk *then,
                       const thunk *other);
const sv *lower_run_thunk(lowering *L, const thunk *t);
/* An element of an array literal of arrays whose number is not known. */
const sv *lower_choose_item(lowering *L, const sv *a, k_id i);
/* While branches are looked at: what stands for an element that can be computed in front of
 * them; else NULL. */
const sv *lower_foreseen(lowering *L, const sv *a, const k_id *ix, bool checked);
const sv *lower_foreseen_call(lowering *L, const function_call *c);
void lower_foresee_ask(lowering *L, const sv *a);
/* While branches are looked at: whether a launch that writes there, to memory whose type is known, may be left empty. */
bool lower_skips_launch(lowering *L, const writer *w);

/* ---- table.c ---- */
/* The tables (a tree) that the elements of an array literal are in, when they are constants and
 * many; else NULL. */
const sv *lower_table_of(lowering *L, const sv *a);

/* ---- loop/room.c ---- */
/* Where the array goes that the step of a loop makes last. */
typedef struct state_room {
    ir_op maker; /* 0: none */
    const destination *dest;
    k_id offset;
    const k_id *shape;
    uint32_t rank;
} state_room;
/* Whether o, which makes an array of that shape, is the one that has that room. */
bool lower_has_room(const lowering *L, ir_op o, const k_id *shape, uint32_t rank);

/* ---- loop/: arrays in registers ---- */

/* NULL when it is to lie in memory. */
const sv *lower_force_items(lowering *L, const sv *p, ir_type elem);
/* The scalars of PULL_ITEMS in order, appended to out; false when an element is not made of
 * scalars. */
bool sv_items_leaves(lowering *L, const sv *a, vec_u32 *out);
/* The same array with other scalars. */
const sv *sv_items_with_leaves(lowering *L, const sv *like, const k_id *list);
/* Whether the lanes of a warp can each keep their own element of a push array: it is small enough,
 * and element i is computed by lane i. */
bool lower_fits_lanes(lowering *L, const sv *p);

/* ---- concat.c ---- */
/* The number of elements of part ix of src, which may not exist, and its level; 0: not known.  What
 * it takes to find out stands in the open scope, which the caller drops. */
k_id lower_part_length(lowering *L, const sv *src, const k_id *ix, uint32_t *level);
/* Asks whether chunk i of p may have n elements, unless that is known. */
void lower_check_chunk(lowering *L, const sv *p, k_id i, k_id n);
/* By one of those who have written it: the length of a row of p. */
void lower_emit_row_count(lowering *L, const sv *p, k_id row, k_id n);
/* Where the row of element ix of the rows under p starts in p, and whether the element exists. */
k_id lower_compacted_position(lowering *L, const sv *p, const k_id *ix, k_id *exists);

/* ---- cells/update.c ---- */
/* Finds the values whose memory updates overwrite; whether v is one. */
bool lower_find_updated(lowering *L);
bool lower_is_updated(const lowering *L, ir_value v);

/* ---- taken.c ---- */
/* Whether o alone reads v, apart from its extents, elements that have been read in front of it, and other branches of an if. */
bool lower_is_read_by(lowering *L, ir_value v, ir_op o);
/* Whether nobody reads operand k of o behind that, and what made it has made new memory, as often as o runs. */
bool lower_is_last_use(lowering *L, ir_op o, uint32_t k);
/* d, as it has been initialised for a level, becomes the memory of a, from *offset on, when that is as good as a copy. */
bool lower_take_memory(lowering *L, const sv *a, destination *d, k_id *offset);

/* ---- chain/ ---- */
void lower_emit_chain(lowering *L, const sv *p, const writer *w); /* at the host */
/* How many arguments `look` has: the number of a chunk, and that of a place where a chunk has a record
 * for each. */
uint32_t lower_look_arguments(const struct records *r);
/* (status, value) of the record, read now. */
const sv *lower_look(lowering *L, const struct records *r, k_id j, k_id i);

/* ---- push.c, force.c, loop/sequence.c, cells/ ---- */
/* The number of elements when they are known one by one: an array literal, perhaps mapped; 0
 * otherwise. */
uint32_t lower_literal_items(const sv *a);
/* The number of elements of the memory under a PULL_MEMORY: an i64 when it may exceed
 * MAX_EXTENT. */
k_id lower_memory_elements(lowering *L, const sv *a);
/* Element `flat` behind the offset, which may be the wider one. */
k_id lower_position_from(lowering *L, k_id offset, k_id flat);
void lower_emit_sequence(lowering *L, const sv *p, const writer *w);
/* An element on its way (v, ix and flat as below), and those of other arrays in its place. */
void lower_write_beside(lowering *L, const writer *w, const sv *v, const k_id *ix, uint32_t n,
                        k_id flat);
void lower_emit_seqfor(lowering *L, const sv *p, const writer *w);
void lower_emit_mapaccum(lowering *L, const sv *p, const writer *w);
/* Element ix (n indices) of the array that goes into cells; flat as in lower_write_element. */
void lower_write_cells(lowering *L, const writer *w, const sv *v, const k_id *ix, uint32_t n,
                       k_id flat);
void lower_store_tree(lowering *L, const sv *tree, k_id at, const sv *v);
/* The element at ix (n indices) of the array that is being written; flat is its number there, 0
 * when not at hand. */
void lower_write_element(lowering *L, const writer *w, const sv *v, const k_id *ix, uint32_t n,
                         k_id flat);
void lower_emit_push(lowering *L, const sv *p, const writer *w);
/* Opens the loop over n pieces of work for the workers of a level, elements or chunks; returns its
 * variable. */
k_id lower_open_work(lowering *L, uint32_t level, bool chunks, k_id n, const writer *w);
/* Where chunk i of a PUSH_CONCAT starts: i * c, corrected for a shorter first chunk.  A claim:
 * there is such a chunk. */
k_id lower_chunk_start(lowering *L, const sv *p, k_id i);
/* The writer of an array of that many extents to memory; limit as below. */
writer lower_memory_writer(const sv *p, destination *d, k_id offset, k_id limit);
/* Writes p to memory from element `offset` on; elements from number `limit` on are dropped (0:
 * none). */
void lower_emit_into(lowering *L, const sv *p, destination *d, k_id offset, k_id limit);
void lower_destination_init(lowering *L, destination *d, uint32_t level, k_id size);
/* Memories for elements of a type without variables. */
const sv *lower_memory_tree(lowering *L, const destination *d, ir_type t);
const sv *lower_memory_array(lowering *L, const destination *d, k_id offset, const k_id *shape,
                             uint32_t rank, ir_type elem);
/* The same array, whose memory has another room than where it is allocated: that for its elements. */
const sv *lower_sized_array(lowering *L, const sv *a);
/* The same array, which an update overwrites later on if `updated` says so. */
const sv *lower_marked(lowering *L, const sv *a, bool updated);
bool lower_may_force(lowering *L, uint32_t level, const char *what);
/* The element of the array that an operation results in. */
ir_type lower_result_element(const lowering *L, ir_op o);
void lower_sync_after(lowering *L, uint32_t level);
/* A push array in memory, or in registers.  updated: of its own, which is overwritten later on. */
const sv *lower_force_array(lowering *L, const sv *p, ir_type elem, const char *what, bool updated);
/* Whether memories are those that a force at that level makes. */
bool lower_is_forced_at(const lowering *L, const sv *tree, uint32_t level);
/* The memory for an array; in a kernel laid out by its box. */
bool lower_destination_for(lowering *L, destination *d, const sv *p, const char *what);
k_id lower_bounded_size(lowering *L, const k_id *shape, uint32_t rank, const char *what);
uint32_t lower_launch_threads(const lowering *L,
                              uint32_t level); /* threads of a group in a launch at that level */

/* ---- lower/part.c: take, drop, pad ---- */
/* An element of a PULL_PADDED. */
const sv *lower_padded_element(lowering *L, const sv *a, const k_id *ix);
/* n rows of a push array, from row `from` on. */
const sv *lower_part(lowering *L, const sv *p, k_id from, k_id n);
void lower_emit_part(lowering *L, const sv *p, const writer *w);
void lower_emit_pad(lowering *L, const sv *p, const writer *w);
/* The chunks of a concat of which something belongs to p, a part of it. */
void lower_emit_some_chunks(lowering *L, const sv *p, const writer *w);

/* One function per core operator, named after it: lower_GENERATE and so on. */
typedef const sv *lower_fn(lowering *L, frame *f, ir_op o);
#define OP(e, ...) lower_fn lower_##e;
#include "ir/ops.def"
#undef OP

#endif
