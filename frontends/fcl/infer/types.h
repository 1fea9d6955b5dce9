/* Types and levels of inference: Hindley-Milner with mutable variables.
 *
 * A type is an id into a vector of nodes.  A variable is a node that may be bound to another;
 * `ty_find` follows the bindings and shortens them (union-find).  A variable knows how deep in
 * the lets it was made, so that generalising need not search the environment for it (Remy's
 * levels; called depth here, since levels are something else in FCL); which kind of type it may
 * become (rules 1 to 11 of the paper); and, when it must be a scalar, which ones: a class
 * constraint that is a set of bits.  Rigid variables (skolems) are those of a signature: they
 * stand for themselves.
 *
 * Levels are an offset above a height or a variable, ranks a number or a variable; both unify like
 * types.  Program<l> t is transparent: it is t where something else than a program is asked for.
 *
 * Id 0 is the type T_ERROR, which agrees with everything: what functions return when memory is
 * short or something was reported already. */
#ifndef FCL_FRONTENDS_FCL_TYPES_H
#define FCL_FRONTENDS_FCL_TYPES_H

#include "frontends/fcl/parse/ast.h"

typedef uint32_t rank; /* 1 to FCL_MAX_RANK, or RANK_VAR + a variable; 0: unknown */
enum { RANK_VAR = 16, GENERIC = INT32_MAX };
/* How deep walks over types go, in steps: a step from a function to its result is one, as functions
 * have many parameters; a step into anything else is NESTED. */
enum { TYPE_NESTING = 90, NESTED = 12, TYPE_DEPTH = TYPE_NESTING * NESTED };

typedef enum ty_kind {
    T_ERROR, /* after an error: agrees with everything */
    T_VAR,
    T_SCALAR, /* a: fcl_scalar */
    T_UNIT,
    T_STRING,
    T_TUPLE, /* items a .. a+b */
    T_FUN,   /* a -> b */
    T_PULL,  /* [a; b] */
    T_PUSH,  /* [a; b]<c> */
    T_PROG,  /* Program<c> a */
    T_LVLFN  /* <c> -> a */
} ty_kind;

typedef struct ty_node {
    uint8_t kind, height; /* of a variable: its fcl_kind */
    bool rigid;
    uint16_t scalars; /* T_VAR: a set of scalar types, bit by fcl_scalar; 0: not only scalars.
                         Bit 0 stands for types with an order that are no numbers: see scalars_of */
    uint32_t a, b, c; /* T_VAR: a what it is bound to or 0, b its depth */
    str_id name;      /* T_VAR: as the user wrote it */
    uint32_t mark;    /* visited while this is types.mark */
    uint32_t copy;    /* then: what was found out */
    uint32_t core,
        epoch; /* building: the type of the core, valid while epoch is that of the builder */
} ty_node;

typedef enum { L_CONST, L_VAR, L_SUCC } lv_kind;

/* Who made a level: an operator at a place in the program. */
typedef struct lv_origin {
    str_id name;
    location loc;
    bool raises; /* its result lies one above this level */
} lv_origin;

typedef struct lv_node {
    uint8_t kind;
    bool rigid;
    uint32_t a; /* L_CONST: height; L_VAR: what it is bound to or 0; L_SUCC: the level below */
    uint32_t depth;
    str_id name; /* L_VAR: as the user wrote it */
    uint32_t mark, copy;
    lv_origin origin;
    uint32_t core; /* building: what it stands for */
} lv_node;

typedef struct types {
    fcl_context *cx;
    VEC(ty_node) nodes;
    VEC(lv_node) levels;
    vec_u32 ranks; /* rank variables: what each is bound to, or 0 */
    vec_u32 items;
    uint32_t mark, depth;
    bool old;              /* the hierarchy is thread, block, grid */
    bool too_deep;         /* a walk went deeper than TYPE_DEPTH */
    const rank *rank_from; /* while a scheme is copied: rank variables to replace, and by what */
    rank *rank_to;
    uint32_t nranks;
    ty scalar[FCL_SCALAR_END], unit, string;
} types;

/* A let-polymorphic type: its generic variables, explicit level parameters first among the levels.
 */
typedef struct scheme {
    ty type;
    ty *vars;
    lv *levels;
    uint32_t nvars, nlevels, nexplicit;
} scheme;

/* False when memory is short; types_free is due in either case. */
bool types_init(types *t, fcl_context *cx, bool old);
void types_free(types *t);

/* The node of a type, without following bindings; good until the next type is made. */
const ty_node *ty_at(const types *t, ty x);
ty_node *ty_node_at(types *t, ty x);
ty ty_find(types *t, ty x);   /* follows variables */
ty ty_inside(types *t, ty x); /* and programs */
/* Component i of a tuple; T_ERROR when there is none. */
ty ty_item(const types *t, ty x, uint32_t i);
/* A new node, whatever equal ones there are: types are not hashed. */
ty ty_new(types *t, ty_kind k, uint32_t a, uint32_t b, uint32_t c);
/* Variables made at the present depth: any type, one of a set of scalars, one of a signature. */
ty ty_fresh(types *t);
ty ty_fresh_scalar(types *t, uint16_t scalars);
ty ty_rigid(types *t, str_id name);
ty ty_tuple(types *t, const ty *items, uint32_t n);
ty ty_fun(types *t, ty from, ty to);

/* The scalars of a letter of classes.def or L, as a set.  ord and num have the same types; what
 * tells them apart is bit 0. */
uint16_t scalars_of(char operands);
/* A class of classes.def. */
typedef struct scalar_class {
    const char *name, *words;
    char letter;
    fcl_kind kind;
} scalar_class;
/* The class with these scalars; NULL when there is none. */
const scalar_class *class_of(uint16_t scalars);
/* The scalars of so many bytes, bool aside: what a bit pattern may be taken for. */
uint16_t scalars_of_bytes(uint32_t bytes);

/* ---- levels ---- */
typedef struct level_form {
    lv var; /* 0: a height */
    uint32_t offset;
} level_form;

/* A variable, a rigid one, a height, and the level above another. */
lv lv_fresh(types *t);
lv lv_rigid(types *t, str_id name);
lv lv_height(types *t, uint32_t height);
lv lv_above(types *t, lv l);
/* What a level is: an offset above an open variable, or (var 0) a height. */
level_form lv_find(types *t, lv l);
lv_node *lv_at(types *t, lv l);
uint32_t lv_top(const types *t); /* the height of grid */
const char *lv_height_name(const types *t, uint32_t height);
/* Whether the machine has a level of that name. */
bool lv_named(const types *t, const char *name, uint32_t *height);

/* ---- ranks ---- */
/* Ranks: a variable, what one is bound to, and making two the same (false: two numbers). */
rank rank_fresh(types *t);
rank rank_find(types *t, rank r);
bool rank_unify(types *t, rank a, rank b);

/* ---- unify.c ---- */
typedef enum {
    U_OK,
    U_TYPES,  /* two forms of type */
    U_LEVELS, /* two levels: at the pair left, right */
    U_ABOVE,  /* a level above the top */
    U_RANKS,
    U_INFINITE,
    U_KIND,  /* an element of an array that cannot be one */
    U_CLASS, /* a scalar type that is not asked for */
    U_RIGID, /* a variable of a signature would have to be something else */
    U_DEEP
} unify_result;

typedef struct mismatch {
    unify_result what;
    ty left, right; /* the parts that differ */
    lv low, high;   /* U_LEVELS, U_ABOVE: the levels */
    uint8_t kind;   /* U_KIND: the kind asked for */
} mismatch;

/* Makes two types (levels) the same by binding variables.  False with the reason in *why; what was
 * bound until then stays bound, since an error ends the inference of the declaration. */
bool ty_unify(types *t, ty a, ty b, mismatch *why);
bool lv_unify(types *t, lv a, lv b, mismatch *why);
/* Demands that a type be of a kind (FCL_BT, FCL_GT). */
bool ty_demand(types *t, ty x, uint8_t kind, mismatch *why);
/* All kinds that the forms inside a type demand of its parts. */
bool ty_well_formed(types *t, ty x, mismatch *why);

/* Makes the variables in a type no deeper than that, so that they are not generalised there. */
void ty_hold(types *t, ty x, uint32_t depth);

/* ---- scheme.c ---- */
/* The variables that must be scalars, which a scheme is over beside all others: none, as values are
 * computed once; those of a class, as functions of the core have; all. */
typedef enum { OVER_NO_SCALARS, OVER_CLASSES, OVER_SCALARS } generality;
/* The scheme of a type, over all variables made deeper than types.depth. */
scheme *ty_generalise(types *t, arena *store, ty x, const lv *explicit_levels, uint32_t n,
                      generality g);
/* The type of one use of a scheme, with fresh variables, which *out lists. */
ty scheme_instance(types *t, arena *store, const scheme *s, instance *out);
/* Binds what is still open in a type where nothing else can be known: scalars to int or double,
 * ranks to 1. */
void ty_default(types *t, ty x);
fcl_scalar infer_default_scalar(uint16_t scalars); /* of a set: int, else double, bool, the first */

/* ---- types_text.c ---- */
/* Appended in the user's names; long ones are cut. */
void ty_print(types *t, ty x, vec_char *out);
void scheme_print(types *t, const scheme *s, vec_char *out);
void lv_print(types *t, lv l, vec_char *out);

#endif
