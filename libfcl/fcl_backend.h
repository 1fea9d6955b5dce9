/* libfcl for back ends and kernel passes of one's own: reading programs of the kernel IR, emitting
 * code for a new target, and changing programs on their way to it.  docs/backend.md shows how.
 *
 * What is written here is told to a context, by a call or from a shared object (fcl_plugin_load),
 * and is known there until the context is destroyed.  The library's own targets are given in the
 * same structures.
 *
 * fcl.h says how structures grow.  Numbers of enumerations mean the same in every version, and
 * those of the kernel IR are the wire numbers of docs/kernel.md: who meets a number that it does
 * not know declines the program.  Texts, tables and functions that are handed over stay where they
 * are as long as the context; the structures that name them are copied. */
#ifndef FCL_BACKEND_H
#define FCL_BACKEND_H

#include "fcl.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FCL_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define FCL_FORMAT(text, first)
#endif

/* ---- programs of the kernel IR, to be read ----
 *
 * One entry's host code with its kernels: nodes, which are values, memories and statements, stand
 * in blocks and are known by their numbers.  docs/kernel.md describes them.  A back end gets
 * programs that went through the whole pipeline (stage `legalised`): kernels are listed, there are
 * no parallel loops any more, and every operator has the form in which it is to be computed. */

typedef struct fcl_k_program fcl_k_program;
typedef uint32_t fcl_k_node;  /* 0: none */
typedef uint32_t fcl_k_block; /* 0: none */

typedef enum fcl_k_op {
    FCL_K_CONST = 1,
    FCL_K_ARG,
    FCL_K_DIM,
    FCL_K_SCALAR,
    FCL_K_CONVERT,
    FCL_K_BITCAST,
    FCL_K_BUILTIN,
    FCL_K_BUFFER = 10,
    FCL_K_ALLOC,
    FCL_K_TABLE,
    FCL_K_LOAD = 20,
    FCL_K_STORE,
    FCL_K_SYNC,
    FCL_K_OUTPUT,
    FCL_K_LOADWIDE,
    FCL_K_STOREWIDE,
    FCL_K_SHUFFLE,
    FCL_K_ATOMIC,
    FCL_K_CHECK,
    FCL_K_FAILED,
    FCL_K_IF,
    FCL_K_FOR,
    FCL_K_WHILE,
    FCL_K_PAR,
    FCL_K_LAUNCH,
    FCL_K_EMIT, /* of the host */
    FCL_K_EMITSCALAR,
    FCL_K_RESIZE,
    FCL_K_SWAP,
    FCL_K_RECEIVE,
    FCL_K_PARAM = 40,
    FCL_K_RESULT,
    FCL_K_YIELD
} fcl_k_op;

/* Where a memory is. */
typedef enum fcl_k_space {
    FCL_K_GLOBAL = 1,
    FCL_K_LOCAL,
    FCL_K_WARP,
    FCL_K_PRIVATE,
    FCL_K_LANES
} fcl_k_space;

/* Which coordinate of the running thread. */
typedef enum fcl_k_coordinate {
    FCL_K_AT_THREAD = 1, /* in its group */
    FCL_K_AT_GROUP,
    FCL_K_AT_GROUPS /* how many there are */
} fcl_k_coordinate;

typedef enum fcl_k_atomic {
    FCL_K_ATOMIC_ADD = 1,
    FCL_K_ATOMIC_MIN,
    FCL_K_ATOMIC_MAX,
    FCL_K_ATOMIC_AND,
    FCL_K_ATOMIC_OR,
    FCL_K_ATOMIC_XOR,
    FCL_K_ATOMIC_EXCHANGE,
    FCL_K_ATOMIC_COMPARE,
    FCL_K_ATOMIC_LOAD,
    FCL_K_ATOMIC_ACQUIRE,
    FCL_K_ATOMIC_STORE,
    FCL_K_ATOMIC_RELEASE,
    FCL_K_ATOMIC_ARRIVE
} fcl_k_atomic;

/* How a scalar operator, a conversion or the step of a loop is to be computed. */
typedef enum fcl_k_form {
    FCL_K_PLAIN,
    FCL_K_WRAPPING,
    FCL_K_GUARDED,
    FCL_K_MASKED,
    FCL_K_POWER,
    FCL_K_NATURAL,
    FCL_K_FAST,
    FCL_K_RECIPROCAL,
    FCL_K_SATURATING
} fcl_k_form;

/* A node.  What docs/kernel.md does not give its operator is 0. */
typedef struct fcl_k_node_info {
    fcl_k_op op;
    const char *name;         /* "load"; of a scalar operator that operator's: "add" */
    fcl_scalar type;          /* of a value, or of a memory's elements; 0: it has none */
    fcl_k_node operands[3];   /* 0 where one is left out */
    const fcl_k_node *listed; /* values that are stored, carried or yielded, extents: borrowed */
    size_t nlisted;
    fcl_k_node results; /* the first of its results, which are nodes with consecutive numbers */
    size_t nresults;
    fcl_k_block blocks[2];
    fcl_k_node
        next; /* the statement behind it in its block; 0: none, or it is a part of its owner */
    fcl_k_node owner;    /* of a result or a parameter */
    unsigned number;     /* of a result or a parameter, among those of the owner */
    uint64_t bits;       /* of a constant: integers in two's complement of 64 bits, floats as
                            the bits of their type */
    unsigned leaf, axis; /* which argument or result of the entry, and axis of it */
    fcl_k_coordinate coordinate; /* of a builtin */
    fcl_k_space space;           /* of an alloc */
    fcl_k_atomic atomic;
    fcl_k_form form;
    fcl_height level;    /* of a barrier or launch */
    int64_t least, most; /* an integer lies between them */
} fcl_k_node_info;

/* A block: its statements are `first` and those behind it (fcl_k_node_info.next), the last of a
 * loop's or branch's block is a yield. */
typedef struct fcl_k_block_info {
    fcl_k_node first, parameters; /* the first parameter; the others have the numbers behind it */
    size_t nparameters;
} fcl_k_block_info;

/* A kernel: what it is launched with, and what it takes, in this order: scalars, global memories,
 * areas of local memory whose size only the launch knows, and the memory for reports of checks. */
typedef struct fcl_k_kernel_info {
    const char *name;  /* unique over all programs that are emitted together */
    fcl_k_node launch; /* its operands are the number of groups and of threads in one */
    unsigned threads;  /* in a group */
    fcl_k_block body;
    const fcl_k_node *scalars, *globals; /* values and memories from outside: borrowed */
    size_t nscalars, nglobals;
    const fcl_k_node *privates; /* arrays of each thread, of constant size: borrowed */
    size_t nprivates, nlocals, nareas;
    bool reports;       /* it takes the memory that failed checks are reported to */
    bool shares_global; /* its barriers order accesses to global memory as well */
} fcl_k_kernel_info;

/* A local array of a kernel: it lies in an area, of which a group has one, from `offset` bytes on.
 * Arrays that are not in use together may have bytes in common. */
typedef struct fcl_k_local_info {
    fcl_k_node memory;
    unsigned area;
    uint64_t offset;
    bool constant;     /* its size is; else the launch knows it */
    uint64_t elements; /* if so */
} fcl_k_local_info;

/* The entry's name; the host block, where memories are made, kernels are launched and results are
 * named; how many nodes there are: their numbers are below that. */
FCL_API const char *fcl_k_program_entry(const fcl_k_program *p);
FCL_API fcl_k_block fcl_k_program_host(const fcl_k_program *p);
FCL_API size_t fcl_k_program_nodes(const fcl_k_program *p);
/* Each fills *out; false when there is none of that number. */
FCL_API bool fcl_k_node_get(const fcl_k_program *p, fcl_k_node n, fcl_k_node_info *out,
                            size_t size);
FCL_API bool fcl_k_block_get(const fcl_k_program *p, fcl_k_block b, fcl_k_block_info *out,
                             size_t size);
FCL_API bool fcl_k_kernel_get(const fcl_k_program *p, size_t i, fcl_k_kernel_info *out,
                              size_t size);
/* Local array i of a kernel. */
FCL_API bool fcl_k_local_get(const fcl_k_program *p, size_t kernel, size_t i, fcl_k_local_info *out,
                             size_t size);
/* The dialect that the program is for, a number of the target's (fcl_backend.dialects), and whether
 * the user takes speed for precision. */
FCL_API unsigned fcl_k_program_dialect(const fcl_k_program *p);
FCL_API bool fcl_k_program_fast(const fcl_k_program *p);
/* The statement as text, in the form of docs/kernel.md, like a text of fcl_module_print; NULL when
 * memory is short. */
FCL_API char *fcl_k_node_print(const fcl_k_program *p, fcl_k_node n, size_t *size);

/* The context that a program belongs to. */
FCL_API fcl_context *fcl_k_program_context(const fcl_k_program *p);
/* Reports an error (E0604) with the position of a node, 0: of the entry; hint NULL: none.  False,
 * so that a function may return it. */
FCL_API bool fcl_k_program_refuse(const fcl_k_program *p, fcl_k_node n, const char *message,
                                  const char *hint);

/* ---- a language like C, as a table ----
 *
 * Most targets are languages like C.  For them the library prints names, expressions, loops and
 * branches, and asks a table what differs.  What is 0 or NULL there is as in C11; but what C11 has
 * no word for, and no default below, a program must not need: it is refused (E0604).
 *
 * Texts for operators are templates in which $ introduces a part:
 *   $1e $2m ...  operand 1, 2 or 3, in parentheses unless it binds at least as tightly as the
 * letter says: e any, r relations, a sums, m products, u unary operators, p names and calls $T $V
 * $W     the type; its unsigned counterpart; that, but of at least 32 bits.  A cast to $T, $V or $W
 * is left out where it says nothing new $B           how many bits the type has, less one $h the
 * name of the row's helper function for the type $K $M        log2 of the second operand, a
 * constant power of two; that operand less one */

/* Writes the text of one program; borrowed during a call of emission. */
typedef struct fcl_printer fcl_printer;

typedef enum fcl_c_binding {
    FCL_C_ANY,
    FCL_C_OTHER, /* whose precedence nobody remembers: always in parentheses */
    FCL_C_RELATION,
    FCL_C_SUM,
    FCL_C_PRODUCT,
    FCL_C_UNARY,
    FCL_C_ATOM
} fcl_c_binding;

typedef enum fcl_c_operands { FCL_C_INTEGERS = 1, FCL_C_FLOATS, FCL_C_BOOLS } fcl_c_operands;

/* How a scalar operator is written where that is not C11's way, for one kind of operands and one
 * form (a form other than plain has one text for all). */
typedef struct fcl_c_operator {
    const char *name; /* as in fcl_operator */
    fcl_c_operands operands;
    fcl_k_form form;
    fcl_c_binding binding; /* how tightly the text holds together */
    const char *text;
    const char *helper; /* body of the function $h, of operands x and y: $T, $V and $W there; NULL:
                           the usual one */
} fcl_c_operator;

/* A step on an element of memory as the body of a function, in which $T is the type, p points to
 * the element, x is the operand and y the second one of a comparison. */
typedef struct fcl_c_atomic {
    fcl_k_atomic step;
    const char *body;
} fcl_c_atomic;

/* How local memory of a size that only the launch knows comes to a kernel: as pointers; as a number
 * of bytes, from which the body declares an array; or as such numbers, of parts that lie one behind
 * the other in `pool`, each rounded up to 16 bytes. */
typedef enum fcl_c_areas { FCL_C_POINTERS, FCL_C_BYTES, FCL_C_POOL } fcl_c_areas;

typedef struct fcl_c_language {
    size_t size; /* of the structure */

    /* Words. */
    const char *(*type)(fcl_scalar s); /* one word each; NULL: those of <stdint.h> */
    const fcl_c_operator *operators;   /* up to a row without a name; NULL: none */
    const fcl_c_atomic *atomics;       /* up to a row without a body; NULL: GCC's builtins */
    const char *head;        /* what a file begins with.  It has the functions that code calls: the
                                bits of a number as type T, `reinterpret`T; nearest integers,
                                `saturate`; fcl_widen_half, fcl_narrow_half; fcl_report */
    const char *helper;      /* begins a function: "static inline" */
    const char *reinterpret; /* "fcl_as_" */
    const char *saturate[2]; /* around an integer type, a function: "fcl_nearest_", "" */
    const char *saturating_add;          /* of two signed integers: "fcl_add_up_to" */
    const char *thread, *group, *groups; /* coordinates, of 32 bits */

    /* Memories and kernels. */
    const char *table;          /* begins a table of constants: "static const" */
    const char *global, *local; /* stand before the type that pointers point to: "__global " */
    const char *restricted;     /* "restrict" */
    const char *shared;         /* begins the declaration of a local array: "__shared__ " */
    const char *aligned;        /* stands behind that of an array with wide accesses */
    const char *unit; /* the type of areas that hold arrays of several types: "uint64_t" */
    unsigned unit_bytes;
    fcl_c_areas areas;
    const char *pool;   /* declares it, and ends the line */
    const char *checks; /* declares the parameter `checks`: "uint32_t *restrict checks" */
    const char *kernel; /* stands before a kernel's parameters: $n is its name, $t the number of
                           threads in a group */

    /* Statements and operations. */
    const char *block_barrier, *warp_barrier; /* without the ; */
    const char *shuffle;                      /* a template: the value of $1 in lane $2 */
    const char *failed;                       /* whether a check has failed */

    /* Functions that write more than a text can; each takes the place of what is above.  Statements
     * stand on lines of their own: fcl_put_line. */
    void (*begin)(fcl_printer *to);   /* in place of head, when the kernels are written */
    void (*declare)(fcl_printer *to); /* what stands right before the kernels */
    void (*kernel_frame)(fcl_printer *to, size_t kernel);
    void (*load_wide)(fcl_printer *to,
                      fcl_k_node load);               /* NULL: element by element, here and below */
    void (*lane)(fcl_printer *to, fcl_k_node result); /* the result of a wide load: an operation */
    void (*store_wide)(fcl_printer *to, fcl_k_node store);
    void (*step)(fcl_printer *to, fcl_k_node atomic);
    void (*exchange)(fcl_printer *to, fcl_k_node shuffle); /* an operation */
    void (*barrier)(fcl_printer *to, fcl_height level);
    size_t state; /* bytes of zeroed memory for these functions, one for a file: fcl_put_state */
    void (*coordinate)(fcl_printer *to, fcl_k_node builtin); /* of the running thread: an operation,
                                                                in place of the three words */
} fcl_c_language;

/* For those functions.  Where memory is short, or something was refused, nothing more is written,
 * and emission fails. */
FCL_API const fcl_k_program *fcl_put_program(const fcl_printer *to);
FCL_API void *fcl_put_state(const fcl_printer *to);
FCL_API void fcl_put(fcl_printer *to, const char *format, ...) FCL_FORMAT(2, 3);
/* The indentation of a line, and one step more or less of it. */
FCL_API void fcl_put_line(fcl_printer *to);
FCL_API void fcl_put_indent(fcl_printer *to, int by);
/* The name of a value or memory; a value as an operand, with parentheses where it holds together
 * less tightly than asked; a type in memory. */
FCL_API void fcl_put_name(fcl_printer *to, fcl_k_node n);
FCL_API void fcl_put_value(fcl_printer *to, fcl_k_node n, fcl_c_binding least);
FCL_API void fcl_put_type(fcl_printer *to, fcl_scalar s);
/* How often a value is used: what nobody uses needs no name. */
FCL_API size_t fcl_put_uses(const fcl_printer *to, fcl_k_node n);
/* As fcl_k_program_refuse, and emission fails. */
FCL_API void fcl_put_refuse(fcl_printer *to, fcl_k_node n, const char *message, const char *hint);

/* ---- targets ---- */

/* What is known of the devices that a target is for; what its user says of one takes its place. */
typedef struct fcl_target_facts {
    size_t size;             /* of the structure */
    unsigned max_block;      /* threads in a group, at most: at least 1 */
    unsigned warp_size;      /* threads in a warp; 0: 32 */
    unsigned local_bytes;    /* local memory of a group; 0: not known */
    unsigned constant_bytes; /* of tables in constant memory; 0: not known */
    bool groups_wait; /* a group may wait for another one that has started; else chained work runs
                         as several launches */
    bool atomics64;   /* there are atomic steps on 64 bits of global memory, not only on 32 */
    bool serial;      /* a group is one thread, which does what its threads would do in turn */
    bool f64;         /* there is arithmetic on f64 */
    bool f16;         /* there is arithmetic on f16 where the user says so (NativeHalf); else such
                         numbers are kept as bits, and computed with as f32 */
    unsigned local_by_width; /* 1: arrays in local memory have bytes in common only where their
                                elements are of one width: memory cannot be read as another type */
} fcl_target_facts;

/* The lanes of a dialect that has as many as warps have: a power of two, which the user chooses
 * (WarpSize) of those that the device has. */
#define FCL_LANES_OF_WARP (~0u)

/* A way in which the lanes of a warp exchange values, and what code that does so asks of a device:
 * users name it (`--exchange`).  Elements of this structure never change. */
typedef struct fcl_dialect {
    const char *name;    /* "local" where they do so through local memory */
    unsigned lanes;      /* of a warp, which has that size then; FCL_LANES_OF_WARP; 0: they exchange
                            through memory */
    bool warps_wait;     /* the threads of a warp can wait for one another */
    const char *options; /* for the compiler of the code; "": none */
} fcl_dialect;

/* Where emission puts the code. */
typedef struct fcl_emission fcl_emission;
/* Adds to the code, which is a text unless the other function says that it is bytes. */
FCL_API void fcl_emit_text(fcl_emission *out, const char *text, size_t size);
FCL_API void fcl_emit_bytes(fcl_emission *out, const void *data, size_t size);
/* Options for the code's compiler, in place of the dialect's. */
FCL_API void fcl_emit_options(fcl_emission *out, const char *options);

/* A target: a name for fcl_compile_options.target, and what makes code for it. */
typedef struct fcl_backend {
    size_t size; /* of the structure */
    const char *name, *summary;
    const fcl_target_facts *facts;
    const fcl_dialect *dialects; /* at least one; code is for the first one where nobody asks for
                                    another, and every device takes it */
    size_t ndialects;
    const char *tuning; /* its own usual numbers, "NAME=N,NAME=N": fcl_tuning_about; NULL: none */
    /* Whether it takes a program.  Asked for every program before code is made of any; one that it
     * does not take it refuses with fcl_k_program_refuse.  NULL: all. */
    bool (*accept)(void *user, const fcl_k_program *p);
    /* For a language like C: the library prints. */
    const fcl_c_language *language;
    /* In its place: makes code of all programs, which come from the same options, one for each
     * entry. Kernels are called fcl_k_kernel_info.name and take what that says, in its order. False
     * when it cannot, with a reason (fcl_k_program_refuse). */
    bool (*emit)(void *user, const fcl_k_program *const *programs, size_t n, fcl_emission *out);
    void *user; /* handed to both */
    /* Whether its code may compute the turns of loops side by side, as vectors of a CPU: the numbers
     * that are usual then, as `tuning`, "" for no others.  A block is one thread there, and loops say
     * whether their turns are independent.  NULL: it has no vectors. */
    const char *simd_tuning;
} fcl_backend;

/* Makes a target known to the context.  False with a diagnostic (E0863) where its name is taken or
 * something is missing. */
FCL_API bool fcl_backend_register(fcl_context *cx, const fcl_backend *b);

/* ---- passes over kernel programs ---- */

/* Changes that a pass asks for.  They are made when it has ended; until then the program that it
 * reads stays as it was.  Each refers to statements and values of that program, or to values that
 * were asked for before. */
typedef struct fcl_edit fcl_edit;

/* Leaves out a store, barrier, atomic step or check, or a branch or loop with all that is in it. */
FCL_API void fcl_edit_remove(fcl_edit *e, fcl_k_node statement);
/* Uses of a value use another one of the same type, which is there wherever the first one is used.
 */
FCL_API void fcl_edit_replace(fcl_edit *e, fcl_k_node value, fcl_k_node by);
/* New values, computed right before a statement: a constant, as fcl_k_node_info.bits; a scalar
 * operator (fcl_operator) over values of one type; a conversion; an element of a memory.  They are
 * folded and shared as all others.  0 where memory is short or what they name is not there: the
 * pass fails then. */
FCL_API fcl_k_node fcl_edit_const(fcl_edit *e, fcl_scalar type, uint64_t bits);
FCL_API fcl_k_node fcl_edit_scalar(fcl_edit *e, fcl_k_node before, const char *name,
                                   const fcl_k_node *operands, size_t n);
FCL_API fcl_k_node fcl_edit_convert(fcl_edit *e, fcl_k_node before, fcl_scalar type,
                                    fcl_k_node value);
FCL_API fcl_k_node fcl_edit_load(fcl_edit *e, fcl_k_node before, fcl_k_node memory,
                                 fcl_k_node index);
/* A new store, right before a statement. */
FCL_API void fcl_edit_store(fcl_edit *e, fcl_k_node before, fcl_k_node memory, fcl_k_node index,
                            fcl_k_node value);

/* A pass for lists of passes, where its name stands as those of the library's do. */
typedef struct fcl_kernel_pass {
    size_t size; /* of the structure */
    const char *name, *summary;
    const char *after; /* the kernel pass behind which it runs on the way to code; NULL: it runs
                          only where a list names it */
    /* Reads the program, and asks for changes or none.  False when it cannot go on, with a reason
     * (fcl_k_program_refuse). */
    bool (*run)(void *user, const fcl_k_program *p, fcl_edit *edit);
    void *user;                     /* handed to it */
    const fcl_pass_option *options; /* as of fcl_core_pass */
    size_t noptions, option_size;
} fcl_kernel_pass;

/* Makes a pass known to the context: it works on virtualised programs, before they are outlined,
 * and what it leaves is verified.  False with a diagnostic (E0863). */
FCL_API bool fcl_kernel_pass_register(fcl_context *cx, const fcl_kernel_pass *pass);

/* ---- shared objects ---- */

/* The version of what is declared here.  It changes where size fields do not help: a library loads
 * plug-ins of its own version, and of those before it that it still knows. */
#define FCL_PLUGIN_VERSION 1

/* What fcl_plugin_load looks for in a shared object, under the name `fcl_plugin`. */
typedef struct fcl_plugin_info {
    size_t size;      /* of the structure */
    unsigned version; /* FCL_PLUGIN_VERSION */
    const char *name;
    bool (*load)(
        fcl_context *cx); /* registers what it has; false with a diagnostic when it cannot */
} fcl_plugin_info;

#if defined(__GNUC__)
#define FCL_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define FCL_PLUGIN_EXPORT
#endif
#ifdef __cplusplus
#define FCL_PLUGIN_LINKAGE extern "C"
#else
#define FCL_PLUGIN_LINKAGE extern
#endif

/* FCL_PLUGIN("name", load) once in a shared object, outside of functions. */
#define FCL_PLUGIN(name, load)                                                                     \
    FCL_PLUGIN_LINKAGE FCL_PLUGIN_EXPORT const fcl_plugin_info fcl_plugin;                         \
    const fcl_plugin_info fcl_plugin = {sizeof(fcl_plugin_info), FCL_PLUGIN_VERSION, name, load}

#ifdef __cplusplus
}
#endif

#endif
