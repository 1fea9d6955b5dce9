/* The tree of a program in the surface language.
 *
 * The parser makes it in the program's arena; inference adds to it what it finds out: the type of
 * each expression, what each name refers to and at which instance.  Pipes, sections and `do` are
 * trees of their own only as far as typing or building tells them apart.  No tree is deeper than
 * TREE_HEIGHT (the parser itself recurses PARSE_DEPTH deep), so what follows may recurse over it.
 */
#ifndef FCL_FRONTENDS_FCL_AST_H
#define FCL_FRONTENDS_FCL_AST_H

#include "frontends/fcl/parse/lex.h"

enum { TREE_HEIGHT = 2000, PARSE_DEPTH = 8000 };

typedef uint32_t ty, lv; /* types and levels of inference: types.h */

/* ---- types as written ---- */

typedef enum texpr_kind {
    TX_NAME,
    TX_VAR,
    TX_UNIT,
    TX_TUPLE,
    TX_FUN,
    TX_PULL,
    TX_PUSH,
    TX_PROG,
    TX_LVLFN
} texpr_kind;

/* offset + (a height | a name | nothing: Z). */
typedef struct lexpr {
    location loc;
    str_id name; /* 0: Z */
    uint32_t offset;
} lexpr;

/* A type as it is written; what its names mean is decided by infer/type.c. */
typedef struct texpr texpr;
struct texpr {
    texpr_kind kind;
    location loc;
    str_id name; /* TX_NAME, TX_VAR; TX_LVLFN: the level variable */
    uint32_t rank, height;
    lexpr level;  /* TX_PUSH, TX_PROG */
    texpr **args; /* components; TX_FUN: from, to; others: the one inside */
    uint32_t nargs;
};

/* name:class in a forall; the letter of classes.def. */
typedef struct bound_expr {
    str_id name;
    char class;
} bound_expr;

/* forall <levels> types. body */
typedef struct scheme_expr {
    location loc;
    lexpr *levels;
    bound_expr *bounds; /* of the variables that have one */
    uint32_t nlevels, nbounds;
    texpr *body;
} scheme_expr;

/* ---- patterns ---- */

struct decl;
struct expr;

/* What a name stands for inside a declaration. */
typedef struct binder {
    str_id name; /* 0: _ */
    location loc;
    ty type;
    struct scheme *scheme; /* a let whose type was generalised; else NULL */
    struct expr *rhs;      /* of such a let */
    uint32_t uses;         /* of such a let: the last one in infer.uses, from 1 */
    bool one_type;         /* of a function: its operators would work at others */
    struct binder *shadows;
    struct decl *owner;            /* the declaration that it is part of */
    struct sval *value;            /* while building */
    struct local_instance *copies; /* while building: of what has a scheme */
    bool used, again; /* its name stands somewhere; at a second place */
} binder;

typedef struct pattern pattern;
struct pattern {
    location loc;
    binder *var;     /* NULL: a tuple */
    texpr *written;  /* its type, where that is written */
    pattern **items; /* n = 0 and no var: () */
    uint32_t n, height;
};

/* ---- expressions ---- */

typedef enum expr_kind {
    EX_INT,    /* number, suffix; name: its digits */
    EX_FLOAT,  /* name: its digits; suffix */
    EX_BOOL,   /* number */
    EX_STRING, /* name */
    EX_UNIT,
    EX_VAR,    /* name, levels; after inference: binder, decl or builtin, inst */
    EX_FN,     /* names of level parameters in levels, params, args[0] the body */
    EX_APP,    /* args[0] applied to the others */
    EX_LAPP,   /* args[0] applied to levels */
    EX_LET,    /* bindings, args[0] the body */
    EX_DO,     /* a let, run at level levels[0] */
    EX_IF,     /* args: condition, then, else */
    EX_ASSERT, /* args: condition, text, value */
    EX_TUPLE,
    EX_ARRAY,
    EX_OP, /* an infix operator: op, args */
    EX_NEG,
    EX_COMPOSE, /* args[0] . args[1] */
    EX_ANNOT    /* args[0] : written */
} expr_kind;

typedef struct ast_binding {
    pattern *pat; /* of a function: its name */
    lexpr *levels;
    pattern **params;
    uint32_t nlevels, nparams;
    scheme_expr *written;
    struct expr *rhs;
    bool monadic; /* x <- e, or a statement of its own */
} ast_binding;

/* The instance at which a name is used: a type for each variable of its scheme, a level for each
 * level variable. */
typedef struct instance {
    ty *types;
    lv *levels;
    uint32_t ntypes, nlevels;
} instance;

typedef struct expr expr;
struct expr {
    expr_kind kind;
    location loc;
    uint32_t height;
    ty type;
    str_id name;
    uint64_t number;
    uint8_t suffix, op;
    bool piped;     /* EX_APP: the last argument came through |> */
    bool subscript; /* EX_ARRAY: directly behind a name or bracket */
    lexpr *levels;
    pattern **params;
    expr **args;
    ast_binding *bindings;
    texpr *written;
    uint32_t nlevels, nparams, nargs, nbindings;
    binder *binder; /* what an EX_VAR refers to: one of the three */
    struct decl *decl;
    const struct builtin *builtin;
    instance inst;
    lv *applied; /* the levels that it is applied to */
    lv level;    /* EX_DO */
};

/* ---- declarations ---- */

/* NEW: not looked at; BUSY: being inferred, a use is a cycle; DONE, or FAILED with its error
 * reported. */
typedef enum { DECL_NEW, DECL_BUSY, DECL_DONE, DECL_FAILED } decl_state;

/* sig, fun or val.  The parser fills the first part, inference the second, emission the third. */
typedef struct decl {
    str_id name;
    location loc;
    scheme_expr *sig;
    location sig_loc;
    lexpr *levels;
    pattern **params;
    uint32_t nlevels, nparams, index;
    expr *body;
    bool from_prelude, from_import; /* what is imported counts as prelude too */
    bool broken; /* has an error of the grammar: what it is, only its signature tells */

    decl_state state; /* inference */
    struct scheme *scheme;
    ty result;          /* of the body */
    struct decl **vals; /* the top-level values that it needs, directly or not */
    uint32_t nvals;
    bool prints;
    bool works;    /* perhaps above thread level: not what single threads compute */
    bool is_value; /* computed once, at the start of the kernel, and handed to the functions that
                      need it */

    fcl_func func; /* building: the polymorphic function */
    struct built *instances;
    struct sval *value;
} decl;

/* The infix operators, by their place in binops.def. */
typedef struct binop {
    token_kind token;
    uint8_t precedence;
    const char *name, *floats; /* the core's operator; another one for floats */
    char operands;             /* a letter of classes.def, or L for bool */
    bool gives_bool;
} binop;

extern const binop parse_binops[];
extern const uint32_t parse_binop_count;

#endif
