/* A program of TAIL as it is read: the tree of its one expression, and what it lies in.
 *
 * The parser makes it, with every variable bound to its declaration and every operation to its row
 * of primitives.def; building walks it once.  All of it lies in one arena that goes in the end.  No
 * tree is higher than TAIL_DEPTH, chains of `let` apart, which are lists: whatever comes later may
 * recurse over the rest. */
#ifndef FCL_FRONTENDS_TAIL_TREE_H
#define FCL_FRONTENDS_TAIL_TREE_H

#include "libfcl/fcl.h"

enum { TAIL_DEPTH = 250 };

/* ---- types ---- */

typedef enum tail_base {
    BASE_ANY, /* of a type variable that was left over, and of elements of what is empty */
    BASE_INT,
    BASE_DOUBLE,
    BASE_COMPLEX,
    BASE_BOOL,
    BASE_CHAR,
    BASE_TUPLE,
    BASE_FUNCTION
} tail_base;

enum { LENGTH_UNKNOWN = -1 };

/* A type, and what is known beside: of vectors their length, of scalars and vectors of int and bool
 * their values, where they are written in the program. */
typedef struct tail_type {
    tail_base base;
    unsigned rank;
    int32_t length;        /* of a vector; LENGTH_UNKNOWN */
    const int32_t *values; /* `length` of them, 1 of a scalar; NULL: not known */
    size_t nitems;         /* of a tuple */
    struct tail_type *items;
} tail_type;

/* ---- the tree ---- */

typedef enum tail_primitive {
#define SCALAR(name, ...)    PRIM_##name,
#define PRIMITIVE(name, ...) PRIM_##name,
#define HIGHER(name, ...)    PRIM_##name,
#include "frontends/tail/primitives.def"
#undef SCALAR
#undef PRIMITIVE
#undef HIGHER
    PRIM_END
} tail_primitive;

typedef struct tail_place {
    unsigned line, column, length;
} tail_place;

/* What is known of a value while building: its type and where it is in the core.  A tuple is its
 * components. */
typedef struct tail_value {
    tail_type type;
    fcl_value v;
    uint32_t shape; /* arrays of one number have equal extents */
    struct tail_value *items;
} tail_value;

/* A variable.  `value` is what it holds while its scope is built. */
typedef struct tail_decl {
    const char *name;
    size_t size;
    tail_place at;
    tail_type type; /* as it was written */
    bool is_mutable, bound;
    struct tail_node *written; /* what a let gives it */
    struct tail_decl *hidden;  /* what the name meant outside */
    tail_value value;
} tail_decl;

typedef enum tail_kind {
    NODE_INT,
    NODE_DOUBLE,
    NODE_COMPLEX,
    NODE_BOOL,
    NODE_CHAR,
    NODE_VARIABLE,
    NODE_LET,      /* parts: the value, the body */
    NODE_FUNCTION, /* parts: the body */
    NODE_IF,       /* parts: condition, then, else */
    NODE_PROJECT,  /* parts: the tuple */
    NODE_TUPLE,
    NODE_VECTOR,
    NODE_APPLY,    /* of a primitive */
    NODE_PRIMITIVE /* its bare name, where a function is expected */
} tail_kind;

/* What happens somewhere in an expression. */
enum { DOES_PRINT = 1, DOES_ASSIGN = 2, DOES_ROLL = 4 };

typedef struct tail_node {
    tail_kind kind;
    unsigned does;
    tail_place at;
    tail_primitive primitive;
    tail_decl *decl; /* of a variable, a let, a function */
    size_t nparts;
    struct tail_node **parts;
    int64_t integer; /* of literals, and of a projection */
    double real, imaginary;
    bool has_instance; /* {[bases],[ranks]} */
    tail_base instance_base;
} tail_node;

/* ---- errors ---- */

typedef enum tail_error {
#define TAIL_ERROR(e, ...) TAIL_##e,
#include "frontends/tail/errors.def"
#undef TAIL_ERROR
    TAIL_ERROR_END
} tail_error;

/* ---- the program ---- */

typedef struct tail_block tail_block;

typedef struct tail_program {
    fcl_context *cx;
    fcl_module *m;
    const char *name, *text; /* of the source */
    size_t size;
    tail_block *blocks; /* the arena */
    bool failed;        /* an error was reported, or memory is short */
    tail_node *root;
} tail_program;

/* Zeroed memory that stays until the program is released; NULL when memory is short, and the
 * program has failed. */
void *tail_alloc(tail_program *p, size_t count, size_t size);
void tail_release(tail_program *p);

/* Reports an error, the first one only: what comes after it may follow from it.  Returns false. */
bool tail_fail(tail_program *p, tail_error e, tail_place at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* The type as TAIL writes it, in text of `size` bytes. */
const char *tail_type_text(const tail_type *t, char *text, size_t size);
const char *tail_primitive_name(tail_primitive p);
/* How many operands it takes. */
size_t tail_primitive_operands(tail_primitive p);
/* The primitive of that name; PRIM_END when there is none. */
tail_primitive tail_primitive_named(const char *name, size_t size);

/* Reads the whole text into p->root; false with a diagnostic. */
bool tail_parse(tail_program *p);
/* Builds p->root as the kernel `main` of p->m; false with a diagnostic. */
bool tail_build(tail_program *p);

#endif
