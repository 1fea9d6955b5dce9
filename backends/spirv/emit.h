/* What the files of the SPIR-V emitter share: the state of one program's emission, and values,
 * types and statements in the words of module.h.
 *
 * The kernel IR is in SSA form, and so is SPIR-V: a value of the one is a value of the other, a
 * parameter of a loop or the result of a branch is an OpPhi.  Control flow is structured, with its
 * merge instructions, which OpenCL allows and Vulkan asks for.  What the two environments differ in
 * is a table of functions, sp_environment. */
#ifndef FCL_BACKENDS_SPIRV_EMIT_H
#define FCL_BACKENDS_SPIRV_EMIT_H

#include "backends/barriers.h"
#include "backends/spirv/module.h"
#include "ir/kernel/kir.h"

typedef struct sp_emitter sp_emitter;

/* ---- scalar operators ---- */

/* An operation that is to be written: o->x and so on are its operands in the module. */
typedef struct sp_operation {
    opcode op;
    k_form form;
    scalar type; /* of its operands; a select's first one is its condition */
    sp_id x, y, z;
    k_id right; /* the second operand in the program; 0 inside of functions */
} sp_operation;

typedef sp_id sp_sequence(sp_emitter *e, const sp_operation *o);

/* How an operator is written for a class of types: not at all, as an instruction of SPIR-V, as one
 * of the environment's extended set, or by several. */
typedef enum sp_way { SP_NO_WAY, SP_CORE, SP_EXTENDED, SP_SEVERAL } sp_way;

typedef struct sp_form {
    sp_way way;
    uint32_t number;
    sp_sequence *make;
    uint32_t most; /* bytes of its operands; 0: any */
} sp_form;

typedef struct sp_operator {
    sp_form whole, natural, real, logical; /* of I, U, F and B */
    sp_form fast;                          /* FORM_FAST; where there is none, as real */
} sp_operator;

/* ---- environments ---- */

typedef struct sp_environment {
    uint32_t version;
    const char *extended;         /* the name of its set of instructions */
    const sp_operator *operators; /* by opcode */
    bool marks_exact;             /* exactness is a decoration of each operation, not a mode */
    SpvExecutionModel model;
    SpvStorageClass buffers; /* of global memory */
    SpvStorageClass tables;
    bool divides_only; /* remainders of negative numbers follow from quotients */
    bool keeps_bits;   /* memory holds every element as an integer of its width */
    uint32_t nesting;  /* of blocks, that all consumers take */
    /* What stands at the beginning of a module. */
    void (*begin)(sp_module *s);
    /* Makes a module without kernels valid: SPIR-V asks for an entry point, or for linkage. */
    void (*without_kernels)(sp_module *s);
    /* Opens the function of e->kernel, whose id it gives, up to and with its first label: arguments
     * and memories have their ids then. */
    sp_id (*open_kernel)(sp_emitter *e);
    /* Closes what open_kernel left open; NULL: nothing. */
    void (*close_kernel)(sp_emitter *e);
    /* Reads a coordinate, at the beginning of the kernel. */
    sp_id (*coordinate)(sp_emitter *e, k_coordinate which);
    /* A pointer to an element, as memory has it. */
    sp_id (*element)(sp_emitter *e, k_id memory, k_id index);
    /* The same of word i of the memory that failed checks are reported to. */
    sp_id (*word)(sp_emitter *e, uint32_t i);
    void (*load_wide)(sp_emitter *e, const k_node *n);
    void (*store_wide)(sp_emitter *e, const k_node *n);
    /* The pointer of an atomic step, to integers of its type. */
    sp_id (*cell)(sp_emitter *e, const k_node *n);
    /* Between f32 and the bits of an f16. */
    sp_id (*widen_half)(sp_emitter *e, sp_id bits);
    sp_id (*narrow_half)(sp_emitter *e, sp_id value);
} sp_environment;

extern const sp_environment sp_for_opencl, sp_for_vulkan, sp_for_addresses;

/* ---- the state ---- */

typedef struct sp_file_name {
    str_id name;
    sp_id id;
} sp_file_name;

/* What the device tells a thread: its coordinates, and its place among the lanes of subgroups. */
enum { SP_SUBGROUP = AT_GROUPS + 1, SP_LANE, SP_INPUTS };

/* What the kernels of a module share, of all its programs. */
typedef struct sp_shared {
    sp_id functions[SOP_END][ST_COUNT]; /* of operators; 0: not called yet */
    sp_id widen_half, narrow_half;      /* functions, too */
    sp_id inputs[SP_INPUTS];            /* variables; 0: not read yet */
    VEC(sp_file_name) files;            /* that OpLine names */
    sp_id extended;                     /* the imported set */
    sp_id group_size;                   /* threads of a block, as a specialisation constant */
    vec_u32 area_bytes;                 /* the same of areas that the launch knows the size of */
} sp_shared;

enum { SP_LATE = 3 }; /* numbers that a report consists of */

/* A buffer once more, as vectors: where memory cannot be read as another type. */
typedef struct sp_wide {
    k_id memory;
    sp_id vector, variable;
} sp_wide;

struct sp_emitter {
    const k_program *p;
    const k_kernel *kernel;
    const sp_environment *environment;
    sp_module *s;
    sp_shared *shared;
    sp_id *ids;       /* of the program's nodes: what stands for them in the kernel at hand; of a
                         check its number */
    uint8_t *notes;   /* of the program's nodes: sp_note */
    uint32_t *places; /* of local arrays: the number of their first element in their variable */
    barriers barriers;
    sp_id *cells;  /* of the program's nodes: where values are kept; NULL: no quirk asks for it */
    vec_u32 stack; /* of values */
    sp_section where; /* instructions go to */
    sp_id block;      /* the label of the block that is being written */
    uint32_t line;    /* what OpLine said last in this block: k_node.loc; 0: nothing */
    bool orders;      /* the kernel has ordered steps */
    bool failed;      /* with a diagnostic, unless it is a mistake of libfcl's */
    bool by_warps;    /* the kernel has shuffles or barriers of warps */
    /* of the kernel at hand; 0: not used yet */
    sp_id checks;        /* the memory that failed checks are reported to */
    sp_id late[SP_LATE]; /* variables for what is reported at the kernel's end */
    sp_id half;          /* a variable through which halves are converted */
    sp_id groups;        /* how many have work, where more of them may run */
    sp_id end;           /* what the kernel ends with, where some groups go at once */
    VEC(sp_wide) wide;
    sp_id coordinates[AT_GROUPS + 1];
    vec_u32 interface; /* variables that the entry point names */
};

typedef enum sp_note {
    SP_STORED = 1, /* memories: this kernel writes it */
    SP_GIVEN = 2,  /* tables: kernels have it as an argument */
    SP_LOADED = 4, /* memories: this kernel reads it */
    SP_BY_2 = 8,   /* memories: two elements at once, in some access or in the whole area */
    SP_BY_4 = 16,  /* the same of four and more */
} sp_note;

/* ---- types.c: types and constants, each once ---- */

/* The type that a value has: where there is no arithmetic in f16, its bits. */
static inline scalar sp_held(const sp_emitter *e, scalar t)
{
    return t == ST_F16 && !e->p->target.facts.f16 ? ST_U16 : t;
}
static inline scalar sp_type_of(const sp_emitter *e, k_id v)
{
    return sp_held(e, (scalar)k_at(e->p, v)->type);
}
sp_id sp_void(sp_emitter *e);
sp_id sp_scalar(sp_emitter *e, scalar t);      /* in registers */
scalar sp_kept(const sp_emitter *e, scalar t); /* as what memory holds it: a bool is a byte */
sp_id sp_stored(sp_emitter *e, scalar t);      /* the type of that */
sp_id sp_vector(sp_emitter *e, sp_id of, uint32_t n);
sp_id sp_array(sp_emitter *e, sp_id of, uint64_t n);
sp_id sp_pointer(sp_emitter *e, SpvStorageClass storage, sp_id to);
sp_id sp_const(sp_emitter *e, scalar t, uint64_t bits); /* bits as in scalar.h */
sp_id sp_u32(sp_emitter *e, uint32_t x);
/* A number as a constant of a type, saturating. */
sp_id sp_number(sp_emitter *e, scalar t, double x);
sp_id sp_zero(sp_emitter *e, scalar t);

/* ---- value.c: instructions with results ---- */

sp_id sp_1(sp_emitter *e, SpvOp op, sp_id type, sp_id a);
sp_id sp_2(sp_emitter *e, SpvOp op, sp_id type, sp_id a, sp_id b);
/* x modulo y with the sign of x, y being neither 0 nor -1. */
sp_id sp_signed_rest(sp_emitter *e, sp_id type, sp_id x, sp_id y);
sp_id sp_3(sp_emitter *e, SpvOp op, sp_id type, sp_id a, sp_id b, sp_id c);
/* One of the extended set. */
sp_id sp_extended(sp_emitter *e, sp_id type, uint32_t number, const sp_id *words, uint32_t n);
/* Relations: of the operands' type, giving a bool. */
sp_id sp_relate(sp_emitter *e, SpvOp op, sp_id a, sp_id b);
/* Of the program: what stands for a value. */
sp_id sp_value(sp_emitter *e, k_id v);
/* The values that a statement lists, all at once, on a stack: where the first one is; value i of
 * those that are there; and those and what is above them leave it. */
uint32_t sp_push_values(sp_emitter *e, const k_node *n);
sp_id sp_pushed(const sp_emitter *e, uint32_t at, uint32_t i);
void sp_pop_values(sp_emitter *e, uint32_t at);
/* For drivers that mix up what crosses a barrier: a value is stored into memory of its own thread,
 * and read from there wherever it is used. */
void sp_keep(sp_emitter *e, k_id v, sp_id value);
/* v is what another value is, wherever that is kept. */
void sp_share(sp_emitter *e, k_id v, k_id other);
/* A value as memory has it, and back. */
sp_id sp_to_memory(sp_emitter *e, scalar t, sp_id v);
sp_id sp_from_memory(sp_emitter *e, scalar t, sp_id v);

/* ---- scalar.c, sequences.c, functions.c, convert.c ---- */

sp_id sp_operate(sp_emitter *e, const sp_operation *o);
sp_id sp_scalar_of(sp_emitter *e, const k_node *n);
sp_id sp_convert(sp_emitter *e, const k_node *n);
sp_id sp_bitcast(sp_emitter *e, const k_node *n);
/* An integer as one of another type. */
sp_id sp_resize(sp_emitter *e, scalar to, scalar from, sp_id v);
/* The result of the operator as a function of its own, for operands of the type: what is too long
 * to stand wherever it is used. */
sp_id sp_call(sp_emitter *e, const sp_operation *o);
/* The same of what is no operator of the program's: *f is the function, 0 before its first call. */
typedef struct sp_unary {
    const char *name;
    scalar to, from;
    sp_id (*body)(sp_emitter *e, sp_id x);
} sp_unary;
sp_id sp_call_of_one(sp_emitter *e, sp_id *f, const sp_unary *is, sp_id x);
/* sequences.c: the ways of forms.h */
sp_sequence sp_make_divide, sp_make_remainder, sp_make_shift, sp_make_rotate, sp_make_trailing,
    sp_make_sign, sp_make_itself, sp_make_modulo, sp_make_power;
/* glsl.c: those of the set GLSL.std.450 */
sp_sequence sp_make_magnitude, sp_make_extreme, sp_make_high, sp_make_count, sp_make_leading,
    sp_make_copysign, sp_make_round, sp_make_fused;
/* real/: the body of an operator on floats that is a function of the module, and those of what
 * widens and narrows the bits of an f16 */
sp_sequence sp_real_body;
sp_id sp_half_widened(sp_emitter *e, sp_id bits);
sp_id sp_half_narrowed(sp_emitter *e, sp_id value);

/* ---- kernel.c ---- */

/* Writes a kernel: its function and its entry point. */
void sp_kernel(sp_emitter *e);
/* The variable that one of SP_INPUTS is read from, named in the kernel's interface. */
sp_id sp_input(sp_emitter *e, uint32_t which, SpvBuiltIn what, sp_id type);
sp_id sp_coordinate(sp_emitter *e, k_coordinate which);
/* The constants of a table that is part of the code, as an array of rows of a power of two.
 * shape->rows 0: one array of all. */
typedef struct sp_table_shape {
    sp_id type;    /* of the whole array */
    uint32_t rows; /* rows have TABLE_ROW elements */
} sp_table_shape;
enum { TABLE_ROW = 4096 };
sp_id sp_table(sp_emitter *e, k_id table, sp_table_shape *shape);

/* ---- walk.c ---- */

/* The body of e->kernel. */
void sp_body(sp_emitter *e);
/* Blocks: begins one, ends one, says where the sides of a branch meet. */
void sp_label(sp_emitter *e, sp_id label);
void sp_branch(sp_emitter *e, sp_id to);
void sp_branch_by(sp_emitter *e, sp_id test, sp_id yes, sp_id no);
void sp_merge(sp_emitter *e, sp_id end);
/* Looks at a kernel before it is written; false with a diagnostic when it cannot be. */
bool sp_scan(sp_emitter *e);

/* ---- memory.c: statements ---- */

/* What a wide access moves.  Devices move up to four words at once, but no more than four elements
 * of any type: many small ones travel as words, a vector of `n` of a type. */
typedef struct sp_freight {
    scalar type;
    uint32_t n, lanes;
    sp_id vector, elements; /* its type, and that of the vector of elements; 0: the environment has
                               none of so many */
} sp_freight;
sp_freight sp_freight_of(sp_emitter *e, const k_node *n, uint32_t lanes);

void sp_load(sp_emitter *e, k_id id);
void sp_store(sp_emitter *e, const k_node *n);
void sp_atomic(sp_emitter *e, k_id id);
void sp_sync(sp_emitter *e, uint32_t level, bool fenced); /* a barrier of the warp or block */
void sp_check(sp_emitter *e, k_id id);
void sp_failed(sp_emitter *e, k_id id);
void sp_report_late(sp_emitter *e); /* at the kernel's end */

/* ---- lanes.c: warps that are subgroups ---- */

void sp_shuffle(sp_emitter *e, k_id id);
/* The thread's number in its block. */
sp_id sp_thread_of_lane(sp_emitter *e);

/* ---- valid.c ---- */

/* Whether SPIRV-Tools take a module for its environment; else false with a diagnostic. */
bool sp_valid(fcl_context *cx, const sp_environment *of, const sp_module *s, const char *code,
              size_t size);

/* ---- names.c ---- */

/* OpName for a memory or an argument of the kernel. */
void sp_name(sp_emitter *e, sp_id id, k_id v);
/* The same under the kernel's name. */
void sp_name_within(sp_emitter *e, sp_id id, k_id v);
void sp_name_as(sp_emitter *e, sp_id id, const char *text);
/* The same of a member of a structure. */
void sp_name_member(sp_emitter *e, sp_id type, uint32_t member, k_id v);
void sp_name_member_as(sp_emitter *e, sp_id type, uint32_t member, const char *text);
/* The text of a file's name, for OpLine. */
sp_id sp_file(sp_emitter *e, str_id name);

#endif
