/* The kernel IR: what runs on the device, and the launch plan around it, in one structured program
 * in SSA form.
 *
 * A program is a host block.  Host code allocates global memory, launches kernels, loops and
 * branches over launches, reads single elements back (a load outside a launch), and names the
 * outputs: this is the launch plan.  The body of a LAUNCH is a kernel; what it uses from outside
 * becomes its arguments.  Scalars are immutable; loops carry values explicitly; memories are named,
 * never pointers, and addressed by element index (i32, in large global memory i64). Nothing here
 * assumes C.
 *
 * Stages.  As lowered, parallel work is PAR over workers.  After `virtualise` it is FOR and IF
 * over BUILTIN coordinates, and warp and unbounded private memories have become local and global
 * ones.  After `outline` kernels are listed, and after `legalise` operators have the form in which
 * a target computes them: emitters and the plan runner read only this. */
#ifndef FCL_IR_KERNEL_KIR_H
#define FCL_IR_KERNEL_KIR_H

#include "ir/host.h"
#include "ir/ir.h"
#include "ir/kernel/target.h"

typedef uint32_t k_id;    /* a node; 0: none */
typedef uint32_t k_block; /* 0: none */

typedef enum k_op {
    K_NONE = 0,
#define KNODE(e, wire, name, class, gives, a, b, c, attributes, list, blocks, formula) K_##e = wire,
#include "ir/kernel/kir.def"
#undef KNODE
    K_END = 64
} k_op;

/* The columns of kir.def. */
typedef enum { KC_NONE, KC_VALUE, KC_READ, KC_EFFECT, KC_REGION, KC_PLACE, KC_PART } k_class;
typedef enum { KG_NOTHING, KG_VALUE, KG_MEMORY, KG_RESULTS } k_gives;
typedef enum { KO_NONE, KO_VALUE, KO_MEMORY, KO_OPTIONAL, KO_BY_OPCODE } k_operand;
typedef enum { KL_NONE, KL_STORED, KL_EXTENTS, KL_CARRIED, KL_YIELDED } k_listing;

/* The fields that not every node has: a set of bits. */
typedef enum k_attribute {
#define KATTRIBUTE(e, number, type, field, what) HAS_##e = 1 << (number),
#include "ir/kernel/kir.def"
#undef KATTRIBUTE
} k_attribute;

typedef enum k_space {
#define KSPACE(e, number, name) SPACE_##e = number,
#include "ir/kernel/kir.def"
#undef KSPACE
} k_space;

typedef enum k_workers {
#define KWORKERS(e, number, name) OVER_##e = number,
#include "ir/kernel/kir.def"
#undef KWORKERS
} k_workers;

typedef enum k_coordinate {
#define KCOORDINATE(e, number, name) AT_##e = number,
#include "ir/kernel/kir.def"
#undef KCOORDINATE
} k_coordinate;

typedef enum k_atomic {
#define KATOMIC(e, number, name) ATOMIC_##e = number,
#include "ir/kernel/kir.def"
#undef KATOMIC
} k_atomic;

typedef enum k_form {
#define KFORM(e, number, name) FORM_##e = number,
#include "ir/kernel/kir.def"
#undef KFORM
    FORM_END
} k_form;

typedef enum k_checked {
#define KCHECKED(e, number, name, code, message) CHECKED_##e = number,
#include "ir/kernel/kir.def"
#undef KCHECKED
    CHECKED_END
} k_checked;

enum { MAX_LANES = 16 };     /* elements of a wide access */
enum { KEPT_MOST = 1 << 16 }; /* elements of a memory that is kept from run to run */

/* CLAIMED: the operation is part of the position of an element that the statement using it reads or
 * writes, and so does not wrap where that statement runs.  It stays in the block where it was made.
 */
typedef enum { WRAPS, PROVED, CLAIMED } k_exact;

/* What kir.def says that an operator does not have is 0. */
typedef struct k_node {
    uint8_t op, type;   /* k_op; scalar type of the value, or of a memory's elements */
    uint16_t depth;     /* of the scope that holds it: 0 is the host block */
    uint16_t opcode;    /* SCALAR */
    uint16_t leaf;      /* ARG, DIM, BUFFER: of the program's arguments; OUTPUT: of its results */
    uint16_t number;    /* RESULT, PARAM: among those of the owner */
    uint8_t axis;       /* DIM */
    uint8_t coordinate; /* BUILTIN: k_coordinate */
    uint8_t space;      /* ALLOC: k_space */
    uint8_t atomic;     /* ATOMIC: k_atomic */
    uint8_t level;      /* SYNC, LAUNCH */
    uint8_t workers;    /* PAR: k_workers */
    uint8_t exact;      /* SCALAR: k_exact, of integer arithmetic */
    uint8_t form;       /* SCALAR, CONVERT, FOR: k_form */
    uint8_t checked;    /* CHECK: k_checked */
    bool independent : 1;   /* FOR: its turns neither see nor wait for one another */
    bool unordered : 1;     /* FOR: what its turns combine may be combined in any order */
    bool overwritten : 1;   /* BUFFER: a result takes its place */
    bool fenced : 1;        /* SYNC, after legalise: it orders global memory as well */
    bool joined : 1;        /* LAUNCH: several in one: what one stored another may store over */
    bool kept : 1;          /* ALLOC: zeros before the first run, then what a run leaves */
    uint64_t bits;      /* CONST: as in scalar.h; CHECK: a str_id */
    k_id args[3];
    uint32_t list, nlist; /* in pool: see kir.def */
    k_id results;         /* first of nresults consecutive RESULT nodes */
    uint32_t nresults;
    k_block blocks[2];
    k_id owner;   /* RESULT, PARAM: the statement */
    uint32_t loc; /* a position: k_loc_at */
    k_id next;    /* in its block */
} k_node;

/* What is known of a value beside its node: read and stated through facts.h. */
typedef struct k_facts {
    int64_t lo, hi; /* integers: every value lies in [lo, hi] */
    k_id bound;     /* a value outside all launches that is >= this one, or 0 */
    k_id below;     /* PARAM, BUILTIN: a value that this one is below, or 0 */
    bool extent;    /* the length of an axis: at most MAX_EXTENT, whatever its operands may give */
} k_facts;

typedef struct k_blocks {
    k_id first, last; /* statements; values are statements too */
    k_id params;      /* first of nparams consecutive PARAM nodes */
    uint32_t nparams;
    uint16_t depth;
} k_blocks;

/* Where a local array of a kernel lies.  A kernel declares areas of local memory, numbered from 0;
 * arrays that are never in use together may have bytes of one area in common (localmap.c).  The
 * text of a kernel falls into phases, counted from 1: one ends at every barrier of the block. */
typedef struct k_local {
    k_id alloc;
    uint32_t area;
    uint64_t offset;   /* in the area, in bytes; 0 in areas whose size only the launch knows */
    uint32_t from, to; /* phases between which it is in use; 0: not looked at, in all of them */
} k_local;

/* A kernel as an emitter sees it: made by k_outline for every LAUNCH, in order. */
typedef struct k_kernel {
    k_id launch;
    str_id name;
    uint32_t scalars,
        nscalars; /* in pool: values outside the launch that it uses, in order of first use */
    uint32_t globals, nglobals; /* in pool: global memories and buffers that it uses */
    uint32_t locals,
        nlocals; /* in k_program.locals: LOCAL allocs inside it (constant or host-known sizes) */
    uint32_t nareas, phases;      /* areas that they lie in; phases, 0: not counted */
    uint32_t privates, nprivates; /* in pool: PRIVATE allocs inside it (constant sizes) */
    bool shares_global; /* after legalise: threads hand on values through global memory, and some
                           barriers order it (fenced) */
    bool checks;        /* it has checks, or asks whether one has failed: it takes their memory */
} k_kernel;

/* The memory that kernels with checks report to, in words of 32 bits: the first check that fails
 * leaves its number there (k_list_checks; 0: none has), and the two numbers that it names. */
enum { K_REPORT_CHECK, K_REPORT_FIRST, K_REPORT_SECOND = 3, K_REPORT_WORDS = 5 };

/* A decision that a tuning number made: a pass left something as it was because it wanted more. */
typedef struct k_decision {
    k_tunable_number by;
    uint32_t loc; /* as in k_node */
    uint64_t wanted;
} k_decision;

/* What was found about an access, a store of a result or a size: PROVED, it is right whatever the
 * arguments are; ASKED, the host asks before it goes on; CHECKED, a kernel asks; UNCHECKED, nobody
 * does.  From good to bad. */
typedef enum k_finding { FOUND_PROVED, FOUND_ASKED, FOUND_CHECKED, FOUND_UNCHECKED } k_finding;

/* A place in the source and what was found there, the worst of all that it was lowered to. */
typedef struct k_verdict {
    uint32_t loc; /* as in k_node */
    uint8_t what; /* k_checked */
    uint8_t finding;
    const char *reason; /* static text */
} k_verdict;

/* How far a program has come: as lowered, after `virtualise`, `outline`, `legalise`. */
typedef enum k_stage { K_LOWERED, K_VIRTUALISED, K_OUTLINED, K_LEGALISED } k_stage;

/* What a program keeps of the module that it was lowered from: names and positions. */
typedef struct k_origin {
    vec_u32 names;      /* str_id for each leaf of the inputs: its parameter's; 0: it has none */
    VEC(location) locs; /* entry 0: none */
    vec_u32 files;      /* str_id: what the module was read from, imports included */
    vec_u32 sources;    /* their texts, which the program holds */
    uint32_t loc;       /* of the entry */
} k_origin;

/* To back ends of users: fcl_k_program, which they read through fcl_backend.h. */
typedef struct fcl_k_program {
    fcl_context *cx;
    str_id name;   /* the entry */
    k_stage stage; /* kept by virtualise, outline and legalise */
    k_origin origin;
    VEC(k_node) nodes;
    VEC(k_facts) facts; /* of every node */
    VEC(k_blocks) blocks;
    vec_u32 pool;
    k_block host;
    VEC(k_kernel) kernels; /* after k_outline */
    VEC(k_local) locals;   /* of all kernels, area after area */
    k_target target;
    VEC(k_decision) decisions; /* for the report; each once for a place */
    VEC(k_verdict) verdicts;   /* for the report; each once for a place and kind */
    vec_leaf in, out;
    uint64_t goals;        /* that proofs have tried: of many, a question has fewer */
    bool barriers_counted; /* barriers were removed because of others: those stay, whatever else
                              goes */
} k_program;

/* A row of kir.def. */
typedef struct k_info {
    const char *name;
    k_class class;
    k_gives gives;
    k_operand operands[3];
    uint32_t attributes; /* k_attribute */
    k_listing list;
    uint32_t blocks;
} k_info;
extern const k_info k_op_table[K_END];
static inline const k_info *k_op_info(uint32_t op) /* name NULL: unknown */
{
    return &k_op_table[op < K_END ? op : K_NONE];
}
/* How many operands a node may have: those of its row, of a SCALAR those of its opcode. */
uint32_t k_operand_count(const k_node *n);
/* An attribute of a node: the field of kir.def. */
uint64_t k_get_attribute(const k_node *n, k_attribute which);
void k_set_attribute(k_node *n, k_attribute which, uint64_t value);
/* "local" for HAS_SPACE and SPACE_LOCAL; NULL for what has no name. */
const char *k_attribute_name(k_attribute which, uint64_t value);

bool k_init(k_program *p, fcl_context *cx);
void k_release(k_program *p);
static inline k_node *k_at(const k_program *p, k_id n)
{
    return &p->nodes.at[n < p->nodes.len ? n : 0];
}
/* Appends a node, of which only its type is known; 0 when memory runs out. */
k_id k_add_node(k_program *p, const k_node *n);
/* Whether a node is an atomic step that orders what stands around it. */
static inline bool k_is_ordering(const k_node *n)
{
    return n->op == K_ATOMIC && (n->atomic == ATOMIC_ACQUIRE || n->atomic == ATOMIC_RELEASE ||
                                 n->atomic == ATOMIC_ARRIVE);
}
/* Whether a statement of the host may be done before the launches that stand in front of it. */
static inline bool k_may_pass(const k_node *n)
{
    return k_op_info(n->op)->class == KC_VALUE || k_op_info(n->op)->class == KC_PLACE;
}
/* The first of id and the statements behind it that is none of these; or 0. */
static inline k_id k_past_host(const k_program *p, k_id id)
{
    while (id && k_may_pass(k_at(p, id)))
        id = k_at(p, id)->next;
    return id;
}
/* Whether a memory lies where every launch sees it; tables do not, which are constant. */
static inline bool k_is_global(const k_node *memory)
{
    return memory->op == K_BUFFER || (memory->op == K_ALLOC && memory->space == SPACE_GLOBAL);
}
/* Loops whose turns follow one another and hand values on. */
static inline bool k_is_loop(const k_node *n)
{
    return n->op == K_FOR || n->op == K_WHILE;
}
static inline k_blocks *k_block_at(const k_program *p, k_block b)
{
    return &p->blocks.at[b < p->blocks.len ? b : 0];
}
static inline k_id k_listed(const k_program *p, const k_node *n, uint32_t i)
{
    return i < n->nlist ? p->pool.at[n->list + i] : 0;
}
/* Entry i of a list in the pool; 0 beyond the pool. */
static inline k_id k_pooled(const k_program *p, uint32_t list, uint32_t i)
{
    return (uint64_t)list + i < p->pool.len ? p->pool.at[list + i] : 0;
}
/* The position that a number stands for: an index into the program's positions, or the place of a
 * word in a source of the context (LOC_PLACE). */
location k_loc_at(const k_program *p, uint32_t loc);
location k_loc_of(const k_program *p, k_id n);
/* Whether a file is neither what the module was read from nor an import of that. */
bool k_is_front_end(const k_program *p, str_id file);
/* Whether emitted code is to say that it comes from a position: see k_lines. */
bool k_wants_line(const k_program *p, location at);
/* The name of the parameter that a leaf of the inputs belongs to; "" when it has none. */
const char *k_leaf_name(const k_program *p, uint32_t leaf_no);
bool k_is_const(const k_program *p, k_id n, int64_t *value); /* an integer or bool constant */
/* v is the variable and a constant, which goes to *by. */
bool k_is_moved(const k_program *p, k_id v, k_id variable, int64_t *by);
/* The loop over the grid, of fewer than 2^31 elements, that a launch is and nothing else; or 0. */
k_id k_lone_loop(const k_program *p, const k_node *launch);
/* An i32 that x is the bits of, without a sign; or x. */
k_id k_signed_of(const k_program *p, k_id x);
/* The yield that ends a block; a readable none when there is none. */
const k_node *k_yield_of(const k_program *p, k_block b);

/* Adds to uses, which has an entry for each node, how often a node has it for an operand or lists it. */
void k_count_uses(const k_program *p, uint32_t *uses);
/* The same by statements of a block, and of those inside them, alone: lowering leaves others behind that stand nowhere. */
void k_count_uses_in(const k_program *p, k_block b, uint32_t *uses);
/* Whether a block, or one inside it, has a barrier. */
bool k_has_sync(const k_program *p, k_block b);
/* The highest level of a barrier in a block, or inside one of its statements; 0: there is none. */
uint32_t k_highest_sync(const k_program *p, k_block b);
/* Whether a block, or one inside it, has a check or asks whether one has failed. */
bool k_has_checks(const k_program *p, k_block b);
/* Appends the checks of a block and those inside it, in the order of the text.  In a whole program
 * check number i + 1 is the one at i. */
bool k_list_checks(const k_program *p, k_block b, vec_u32 *out);
/* Whether something in a block reads a memory. */
bool k_reads(const k_program *p, k_block b, k_id memory);

/* Text of a whole program: host code and kernels. */
bool k_print(const k_program *p, vec_char *out);
/* One statement as it stands in the text, without its blocks and the line's end; any contents are
 * safe. */
bool k_print_statement(const k_program *p, k_id id, vec_char *out);
/* A value of the host block as an expression over the inputs; larger parts by their numbers. */
bool k_print_value(const k_program *p, k_id v, vec_char *out);
/* What every kernel is launched with and where its memory lies, as tables.  report.c */
bool k_report(const k_program *p, vec_char *out);

/* Notes that `wanted` was more than the target's number allows; running out of memory loses only
 * the note. */
void k_decided(k_program *p, k_tunable_number by, uint32_t loc, uint64_t wanted);

#endif
