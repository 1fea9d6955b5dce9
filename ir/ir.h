/* The FCL core in memory: modules, functions, regions, operations, values, types and levels.
 *
 * A function is a region; a region is a list of operations in administrative normal form, ended by
 * a terminator; an operation applies one operator of ops.def or scalars.def to values, and may own
 * regions for its functional arguments. Every non-terminator has exactly one result.  Everything is
 * named by a 32-bit id into the module's vectors; id 0 is an entry that exists, means "none" or
 * "unknown", and may be read safely, so that code after a failed allocation or an error can go on
 * to the end.  Dropping the module drops everything. */
#ifndef FCL_IR_H
#define FCL_IR_H

#include "ir/attributes.h"
#include "ir/base/context.h"

typedef uint32_t ir_type, ir_level, ir_value, ir_op, ir_region, ir_func, ir_tvar;

/* ---- tables ---- */

typedef enum scalar {
    ST_NONE = 0,
#define SCALAR(e, wire, ...) ST_##e = wire,
#include "ir/types.def"
#undef SCALAR
    ST_COUNT
} scalar;

typedef enum kind {
    KIND_NONE = 0, /* a type parameter's kind before inference */
#define KIND(e, wire, ...) KIND_##e = wire,
#include "ir/types.def"
#undef KIND
    KIND_COUNT
} kind;

/* What kinds have in them.  ORDERED are scalars with an order that are no numbers, of which there
 * are none yet: they tell what must be ordered from what must be a number. */
enum kind_members {
    MEMBERS_INT = 1,
    MEMBERS_FLOAT = 2,
    MEMBERS_BOOL = 4,
    MEMBERS_ORDERED = 8,
    MEMBERS_SCALAR = 15,
    MEMBERS_TUPLE = 16,
    MEMBERS_ARRAY = 32,
    MEMBERS_FUNCTION = 64
};

enum {
#define LEVEL(e, height, name, since) LEVEL_##e = height,
#include "ir/types.def"
#undef LEVEL
    LEVEL_TOP = -1
#define LEVEL(...) +1
#include "ir/types.def"
#undef LEVEL
};

/* Scalar operators and core operators share one space of opcodes, numbered by their wire
 * numbers. */
typedef enum opcode {
    OP_NONE = 0,
#define SCALAROP(e, wire, ...) SOP_##e = wire,
#include "ir/scalars.def"
#undef SCALAROP
    SOP_END = 200,
#define OP(e, wire, ...) OP_##e = wire,
#define OLD              OP
#include "ir/ops.def"
#undef OLD
#undef OP
    OP_END = 320
} opcode;

typedef enum { ATTR_NONE, ATTR_LEVEL, ATTR_TYPE, ATTR_CALL, ATTR_BIND, ATTR_DATA } attr_kind;
typedef enum {
    CLASS_ANY,
    CLASS_ORD,
    CLASS_NUM,
    CLASS_INT,
    CLASS_FLT,
    CLASS_BIT,
    CLASS_BOOL,
    CLASS_SEL
} operand_class;
/* max_args of an operator that takes any number of operands, which op_node can hold: tables are
 * arrays of operands. */
enum { OPERANDS_MANY = (1 << 22) - 1 };

/* What a pass may do with an operation: the rows of ops.def. */
typedef enum op_effect {
#define EFFECT(e, ...) EFFECT_##e,
#include "ir/ops.def"
#undef EFFECT
} op_effect;

typedef struct op_info {
    const char *name, *formula; /* name NULL: no such operator */
    const char *kinds, *params; /* core operators: letters of ops.def; "" for the others */
    uint32_t max_args;
    uint16_t min_args;
    uint8_t regions, attr, has_result;
    uint16_t since;
    uint8_t is_scalar, operands, result_bool; /* scalar operators only */
    uint8_t cost;                             /* what it weighs in a program that is run */
    uint8_t effect;                           /* op_effect */
    uint8_t name_len;
    uint8_t is_old; /* only files have it: a row OLD of ops.def */
} op_info;

/* A kind of operands: the rows of ops.def. */
typedef struct operand_kind {
    char letter;
    bool is_int;
    const char *what; /* "an extent" */
} operand_kind;

extern const op_info ir_op_table[OP_END];

/* Never NULL; name is NULL for an unknown opcode. */
static inline const op_info *ir_op_info(uint32_t code)
{
    return &ir_op_table[code < OP_END ? code : OP_NONE];
}

/* What operand k of n is in an operation of a core operator; never NULL. */
const operand_kind *ir_operand_kind(const op_info *info, uint32_t k, uint32_t n);
/* How many operands are of the kind that stands for any number of them. */
uint32_t ir_operands_repeated(const op_info *info, uint32_t n);

opcode ir_op_named(const char *name, size_t n);     /* OP_NONE when unknown */
const char *ir_scalar_name(scalar s);               /* "int", "double", ... */
scalar ir_scalar_named(const char *name, size_t n); /* aliases too; ST_NONE when unknown */

/* A row of types.def. */
typedef struct scalar_info {
    const char *name, *alias, *npy, *c_name;
    char class;        /* 'B', 'I', 'U', 'F'; 0 for ST_NONE */
    uint8_t bytes;     /* 0 for ST_NONE */
    uint8_t bits;      /* the unsigned type of as many bytes */
    uint8_t precision; /* of floats: bits of the significand, with the hidden one */
    uint16_t since;
} scalar_info;

extern const scalar_info ir_scalar_table[ST_COUNT];

/* Never NULL. */
static inline const scalar_info *ir_scalar_info(scalar s)
{
    return &ir_scalar_table[s > ST_NONE && s < ST_COUNT ? s : ST_NONE];
}

static inline uint32_t ir_scalar_bytes(scalar s)
{
    return ir_scalar_info(s)->bytes;
}

static inline char ir_scalar_class(scalar s)
{
    return ir_scalar_info(s)->class;
}

static inline bool ir_scalar_is_float(scalar s)
{
    return ir_scalar_class(s) == 'F';
}

/* "?" of what is none. */
const char *ir_kind_name(kind k);
bool ir_kind_exists(uint32_t k);
/* Whether every type of kind k is one of kind of; what two kinds have in common, KIND_NONE when
 * that is nothing.  KIND_NONE counts as TYP. */
bool ir_kind_within(kind k, kind of);
kind ir_kind_meet(kind x, kind y);
bool ir_kind_holds(kind k, scalar s);
/* Whether the types of the kind are scalars only: a bound. */
bool ir_kind_is_bound(kind k);
/* The weakest bound of a variable that an operator with such operands works on; KIND_NONE when
 * there is none. */
kind ir_kind_of_class(operand_class c);

/* ---- levels ---- */

/* Offset + (zero | a variable | a bound variable), packed in 32 bits (type/level.c); 0 is no
 * level. */
enum { LV_CONST = 1, LV_VAR = 2, LV_BOUND = 3 };
ir_level level_const(uint32_t height); /* thread = 0 ... */
ir_level level_var(ir_tvar v);         /* a level parameter (entry of the module's tvars) */
ir_level level_bound(uint32_t index);  /* de Bruijn index, inside TY_LVLFN */
ir_level level_succ(ir_level l);       /* 1+l; 0 when the offset limit is passed */
int level_base(ir_level l);            /* LV_CONST, LV_VAR, LV_BOUND; 0 for none */
uint32_t level_index(ir_level l);      /* the variable or de Bruijn index */
uint32_t level_offset(ir_level l);     /* the height of a constant level */
bool level_is_const(ir_level l, uint32_t height);

/* ---- types: hash-consed, equal types have equal ids; 0 is the unknown type (poison) ---- */

typedef enum type_kind {
    TY_ERROR = 0,
    TY_SCALAR, /* a = scalar */
    TY_VAR,    /* a = ir_tvar */
    TY_BOUND,  /* a = de Bruijn index inside TY_FORALL */
    TY_TUPLE,  /* items [a .. a+n) of type_items */
    TY_FUN,    /* a -> b */
    TY_LVLFN,  /* <l> -> a; the level is LV_BOUND 0 in a */
    TY_FORALL, /* forall 'a: kind n. a; the type is TY_BOUND 0 in a; let-bound values only (schemes)
                */
    TY_PULL,   /* [a; n]  n = rank */
    TY_PUSH,   /* [a; n]<b> */
} type_kind;

typedef struct type_node {
    uint8_t kind, depth; /* depth of nesting */
    uint16_t n;
    uint32_t a, b;
    uint32_t size; /* nodes when written out: shared parts count each time; at most MAX_TYPE_SIZE */
} type_node;

enum { MAX_RANK = 8, MAX_TYPE_SIZE = 1 << 14 };

/* ---- nodes ---- */

#define LOC_IS_LATER (1u << 30) /* in a number for ir_loc_at */
#define LOC_OF_FUNC  (1u << 29)
#define LOC_LATER    UINT32_MAX /* a line */

/* Whether files can state the line. */
static inline bool ir_line_is_valid(uint32_t line)
{
    return line > 0 && line < LOC_LATER;
}

/* The name of a value is a string, or a number: NAME_NUMBER + N is %N, for N in canonical decimal
 * of less than NAME_DIGITS digits.  Large texts are written by programs, which number: such names
 * need neither strings nor hashing. */
#define NAME_NUMBER 0x80000000u
enum { NAME_DIGITS = 10 };

typedef enum { V_NONE, V_RESULT, V_PARAM, V_CONST } value_kind;
/* A literal whose type is not decided yet: an integer magnitude, a negative one, or a float (bits
 * of a double). */
typedef enum { LIT_TYPED, LIT_INT, LIT_NEG, LIT_FLOAT } literal_kind;

typedef struct value_node {
    ir_type type; /* 0 until known */
    union {
        uint32_t def; /* V_RESULT: ir_op; V_PARAM: ir_region */
        uint32_t low; /* V_CONST: half of its bits, see ir_const_bits */
    };
    union {
        str_id name; /* without %, or NAME_NUMBER + N; 0: unnamed.  Constants have none:
                        ir_value_name */
        uint32_t high;
    };
    uint32_t slot : 27; /* in the frame of its region */
    uint32_t kind : 2, literal : 2,
        annotated : 1; /* annotated: the type was written, not inferred; of a constant: a file keeps
                          its type, though it is the one of a literal without any */
} value_node;

_Static_assert(OP_END <= 1 << 10, "op_node.opcode");

typedef struct op_node {
    uint32_t opcode : 10, nargs : 22;
    uint32_t args;         /* first operand in the module's pool */
    union {                /* no operator has both */
        ir_region regions; /* first of its regions (consecutive) */
        uint32_t attr;     /* by attr_kind: ir_level | ir_type | ir_func */
    };
    uint32_t inst; /* ATTR_CALL: instance; ATTR_BIND: bound variables; pool index of [ntypes,
                      nlevels, types, levels]; ATTR_DATA: see data.h; 0 none */
    ir_value result;
    uint32_t loc; /* a position: ir_loc_at */
    ir_op next;
    ir_region parent;
} op_node;

typedef struct region_node {
    ir_op first, last;
    ir_value params; /* first of nparams consecutive values */
    uint32_t nparams, nslots;
    ir_op owner; /* 0: a function's body */
    ir_func func;
} region_node;

typedef struct func_node {
    str_id name; /* without @ */
    ir_region body;
    ir_type result;  /* 0: inferred by the checker */
    ir_tvar tparams; /* first of ntypes type parameters, then nlevels level parameters (consecutive
                        tvars) */
    uint16_t ntypes, nlevels;
    uint32_t loc;
    bool kernel, result_annotated;
    uint16_t import; /* 1 + index into imports when it came from one */
} func_node;

typedef struct tvar_node {
    str_id name;            /* without ' */
    uint8_t is_level, kind; /* kind: KIND_NONE until inferred */
    bool annotated;
    ir_func func;
} tvar_node;

typedef struct import_node {
    str_id name;
    uint32_t loc;
    bool indirect; /* imported by an import: not printed */
} import_node;

/* A section of a file that the library does not know and keeps: any bytes under a name. */
typedef struct section_node {
    str_id name, body; /* body 0: no bytes */
    uint32_t flags;    /* of the binary form; nobody here knows what they mean */
} section_node;

/* A position in 8 bytes.  file: index into loc_files, or LOC_LONG: line is an index into
 * long_locs. */
typedef struct packed_location {
    uint32_t line;
    uint16_t col;
    uint8_t len, file;
} packed_location;

enum { LOC_LONG = UINT8_MAX };

/* A position is an index into locs, or that of a word in a text that was read: LOC_PLACE + its
 * place, see source.h. */
#define LOC_PLACE 0x80000000u

typedef struct ir_module {
    fcl_context *cx;
    VEC(type_node) types;
    vec_u32 type_items;
    uint32_t *type_table;
    uint32_t type_table_cap;
    VEC(value_node) values;
    VEC(op_node) ops;
    VEC(region_node) regions;
    VEC(func_node) funcs;
    VEC(tvar_node) tvars;
    VEC(import_node) imports;
    VEC(packed_location) locs;
    VEC(location) long_locs; /* what a packed_location cannot hold */
    vec_u32 loc_files;       /* the names of the files of locs */
    vec_u32 pool;            /* operands and instances */
    attributes attrs, props; /* props: properties.h */
    VEC(section_node) sections;
    vec_u32 sources; /* that it was read from, and holds: ir/base/source.h */
    str_id file;
    vec_u8 copied; /* by operation: an update that overwrites a copy, as the type checker has seen; empty: none */
    bool checked;  /* the type checker accepted it, and nothing has changed since */
} ir_module;

bool ir_module_init(ir_module *m, fcl_context *cx);
void ir_module_release(ir_module *m);
/* Makes `to` a module of the same context with the same ids; it is released in either case.  False
 * when memory is short. */
bool ir_module_copy(ir_module *to, const ir_module *from);

/* Whether an update of a checked module overwrites a copy of its array. */
static inline bool ir_copies(const ir_module *m, ir_op o)
{
    return o < m->copied.len && m->copied.at[o];
}

/* From now on the update does; false when memory is short. */
bool ir_let_copy(ir_module *m, ir_op o);

/* Access; ids out of range read entry 0. */
static inline const type_node *ir_type_at(const ir_module *m, ir_type t)
{
    return &m->types.at[t < m->types.len ? t : 0];
}

static inline value_node *ir_value_at(ir_module *m, ir_value v)
{
    return &m->values.at[v < m->values.len ? v : 0];
}

static inline op_node *ir_op_at(ir_module *m, ir_op o)
{
    return &m->ops.at[o < m->ops.len ? o : 0];
}

static inline region_node *ir_region_at(ir_module *m, ir_region r)
{
    return &m->regions.at[r < m->regions.len ? r : 0];
}

static inline func_node *ir_func_at(ir_module *m, ir_func f)
{
    return &m->funcs.at[f < m->funcs.len ? f : 0];
}

static inline ir_value ir_arg(const ir_module *m, ir_op o, uint32_t k)
{
    const op_node *n = &m->ops.at[o < m->ops.len ? o : 0];
    return k < n->nargs ? m->pool.at[n->args + k] : 0;
}

void ir_set_arg(ir_module *m, ir_op o, uint32_t k, ir_value v);
ir_region ir_value_region(const ir_module *m,
                          ir_value v);                /* whose frame holds it; 0 for constants */
str_id ir_value_name(const ir_module *m, ir_value v); /* 0 for constants and unnamed values */
location ir_loc_at(const ir_module *m, uint32_t loc);
str_id ir_loc_file(const ir_module *m, uint32_t loc); /* the same, without counting lines */
location ir_op_loc(const ir_module *m, ir_op o);
/* What an assert says when it does not hold: its attribute "text". */
str_id ir_assert_text(const ir_module *m, ir_op o);
/* The place of a function or an operation that nobody gave one: a number for func_node.loc and
 * op_node.loc whose location has line LOC_LATER and the number itself as its column.  Where such
 * locations reach a user, their places in the printed module take their place
 * (serialize/text/listing.h). */
static inline uint32_t ir_loc_later(subject of)
{
    return of.id < LOC_OF_FUNC ? LOC_IS_LATER | (of.kind == ON_FUNC ? LOC_OF_FUNC : 0) | of.id : 0;
}

subject ir_subject_of_loc(uint32_t loc);
/* Whether a place is one that a front end gave: in another file than the one that was read, or by
 * loc(...) in that. */
bool ir_loc_is_given(const ir_module *m, uint32_t loc);
/* From *first to before *end: positions in the text that the module was read from; none when it was
 * not, or long ago. */
void ir_own_places(const ir_module *m, uint32_t *first, uint32_t *end);
const char *ir_str(const ir_module *m, str_id s); /* a string, or the name of a value */
str_id ir_name(ir_module *m, const char *s,
               size_t n); /* the name of a value; 0 when memory is short */
ir_func ir_func_named(const ir_module *m,
                      str_id name); /* own ones first, preludes' last; 0 when unknown */
/* Which of several functions of one name is meant: the greatest. */
int ir_func_rank(const ir_module *m, ir_func f); /* 4: own; 3: of a file that the module imports; 2:
                                                    of a prelude; 1: of an import's import */
bool ir_is_prelude(
    const ir_module *m,
    uint32_t import); /* of func_node.import: one of libfcl's own, which give way to others */
/* Whether it is one, or the library's arrays: what goes wrong in their text is told of where they are called. */
bool ir_is_library(const ir_module *m, uint32_t import);
/* Whether a region stands in an operation. */
bool ir_is_inside(const ir_module *m, ir_region r, ir_op o);

/* ---- types: type/type.c, their text in type/text.c ---- */

ir_type type_scalar(ir_module *m, scalar s);
ir_type type_var(ir_module *m, ir_tvar v);
ir_type type_bound(ir_module *m, uint32_t index);
ir_type type_tuple(ir_module *m, const ir_type *items, uint32_t n);
ir_type type_fun(ir_module *m, ir_type from, ir_type to);
ir_type type_lvlfn(ir_module *m, ir_type body);
ir_type type_forall(ir_module *m, kind k, ir_type body);
ir_type type_pull(ir_module *m, ir_type elem, uint32_t rank);
ir_type type_push(ir_module *m, ir_type elem, uint32_t rank, ir_level level);
ir_type type_item(const ir_module *m, ir_type t, uint32_t k); /* of a tuple */
/* The level at which a kernel of that result works, its turnstile: the highest of the push arrays
 * in it; grid, the host's, where there are none. */
uint32_t type_turnstile(const ir_module *m, ir_type t);
/* ST_NONE when it is not one. */
static inline scalar type_as_scalar(const ir_module *m, ir_type t)
{
    const type_node *n = ir_type_at(m, t);
    return n->kind == TY_SCALAR ? (scalar)n->a : ST_NONE;
}

/* Replaces tvars by types and levels: from[i] -> to[i] (levels where the tvar is a level). */
typedef struct type_subst {
    const ir_tvar *from;
    const uint32_t *to; /* ir_type or ir_level */
    uint32_t n;
} type_subst;
ir_type type_replace(ir_module *m, ir_type t, const type_subst *s);
ir_level level_replace(ir_module *m, ir_level l, const type_subst *s);
/* Binds a tvar: the TY_LVLFN or TY_FORALL over t. */
ir_type type_abstract(ir_module *m, ir_type t, ir_tvar v);
/* Removes the outermost TY_LVLFN (arg: ir_level) or TY_FORALL (arg: ir_type). */
ir_type type_instantiate(ir_module *m, ir_type t, uint32_t arg);
/* The type of a module function as a value: forall types. <levels> -> params -> result. */
ir_type type_of_func(ir_module *m, ir_func f);
/* Text of a type or level as it is read and written. */
bool type_text(ir_module *m, ir_type t, vec_char *out);
bool level_text(ir_module *m, ir_level l, vec_char *out);
const char *type_str(ir_module *m, ir_type t); /* interned: for diagnostics */
const char *level_str(ir_module *m, ir_level l);

/* ---- building ---- */

/* build.c, used by the readers, the public builder and passes; each returns 0 when memory is
 * short. */

/* A position as a number: ir_loc_at.  Equal ones in a row share it. */
uint32_t ir_add_loc(ir_module *m, location l);
ir_func ir_add_func(ir_module *m, str_id name, bool kernel,
                    uint32_t loc); /* its body region exists, empty */
/* Type parameters must be added before level parameters, both before anything else adds tvars. */
ir_tvar ir_add_func_tvar(ir_module *m, ir_func f, str_id name, bool is_level, kind k);
ir_tvar ir_add_tvar(ir_module *m, ir_func f, str_id name, bool is_level,
                    kind k); /* bound by an inner fn<...> */
ir_value ir_add_param(ir_module *m, ir_region r, ir_type t, str_id name,
                      bool annotated); /* before any op is added to r or elsewhere */
/* Appends an operation with its (empty) regions and its result; args may be NULL when nargs is
 * 0. */
ir_op ir_add_op(ir_module *m, ir_region r, opcode code, const ir_value *args, uint32_t nargs,
                uint32_t loc);
uint32_t ir_add_inst(ir_module *m, const uint32_t *types, uint32_t ntypes, const uint32_t *levels,
                     uint32_t nlevels);
ir_value ir_const(ir_module *m, scalar s, uint64_t bits);         /* typed; bits as in scalar.h */
ir_value ir_literal(ir_module *m, literal_kind k, uint64_t bits); /* type decided by the context */
/* The same as ir_const for a constant that was written with its type: that is kept in files until a
 * check has accepted it where it stands.  An int or double without it would take another type where
 * the program is wrong. */
ir_value ir_written_const(ir_module *m, scalar s, uint64_t bits);
/* Every constant so far has the type that its context gives it too: files need not say it. */
void ir_accept_literals(ir_module *m);
uint64_t ir_const_bits(const ir_module *m, ir_value v);
void ir_set_const_bits(ir_module *m, ir_value v, uint64_t bits); /* v is a constant */
/* Gives back the room that vectors took to grow: when a module is complete. */
void ir_module_trim(ir_module *m);

#endif
