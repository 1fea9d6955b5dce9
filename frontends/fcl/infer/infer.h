/* What the files of type and level inference share.
 *
 * Hindley-Milner, algorithm W: each expression gets a type by a walk over its tree, and unification
 * makes the types of its parts agree.  What FCL adds: levels, kinds and ranks, operators on several
 * scalar types, and programs, which are transparent (types.h).
 *
 * Declarations are inferred in the order in which they are needed: a use of a later one infers it
 * first; a use of itself is an error, since FCL has no recursion.  Each declaration reports its
 * first error only and counts as any type afterwards, so that one mistake is one message. */
#ifndef FCL_FRONTENDS_FCL_INFER_H
#define FCL_FRONTENDS_FCL_INFER_H

#include "frontends/fcl/infer/builtins.h"

/* How deep the walk may be, through expressions and from declaration to declaration. */
enum { INFER_DEPTH = 4400 };

/* A level variable by the name it has in the program, and the declaration that may use it. */
typedef struct level_name {
    str_id name;
    lv level;
    decl *owner;
} level_name;

typedef struct type_name {
    str_id name;
    ty type;
} type_name;

/* An array of this rank is indexed with this type. */
typedef struct shape_pair {
    ty type;
    rank rank;
    location loc;
} shape_pair;

/* A loop hands on a state, which its functions receive as forced. */
typedef struct state_question {
    ty state, forced;
    lv level;     /* of the arrays in it */
    bool scalars; /* what nobody knows is a scalar, not an array */
    str_id name;  /* of the loop */
    location loc;
} state_question;

/* A let whose bindings are being inferred, and which one is. */
typedef struct open_let {
    const expr *let;
    uint32_t at;
} open_let;

/* A use of a local name that has a scheme, and the use of it before that one, from 1. */
typedef struct local_use {
    expr *e;
    uint32_t before;
} local_use;

typedef struct infer {
    program *p;
    types *t;
    decl *decl;                 /* the one being inferred */
    VEC(level_name) levels;     /* level variables in scope */
    VEC(type_name) tyvars;      /* type variables of the signature */
    VEC(shape_pair) shapes;     /* open questions of rank */
    VEC(state_question) states; /* and of loops */
    VEC(open_let) lets;         /* those around what is being inferred, the innermost last */
    VEC(binder *) locals;       /* local names with a scheme, inner ones before outer ones */
    VEC(local_use) uses;        /* of those */
    VEC(decl *) vals;           /* the top-level values that the declaration needs */
    struct builtin *builtin;    /* whose type is being read; NULL else */
    const expr *given_to;       /* the application whose argument is inferred next, if a function */
    uint32_t given_as;          /* which argument it is, from 1 */
    int unknown_levels;         /* what a level name that is not in scope means: a var_use, or
                                   UNKNOWN_IS_ERROR */
    uint32_t depth;
    bool failed, prints;
    bool works;     /* at a level above thread, or at one that its users choose */
    VEC(lv) forces; /* the levels at which operators of the declaration write to memory */
    bool unsure;    /* something that it uses has no known type, which was reported there */
} infer;

/* ---- infer.c ---- */
bool infer_program(program *p);
/* Infers one declaration, whatever is being inferred meanwhile (x): its state tells how it went. */
void infer_decl(infer *x, decl *d);
/* Names: an entry has its innermost binder, which knows the one that it shadows.  Scopes are left
 * in the reverse order.  A pattern binds all of its names, at fresh types. */
void infer_scope_enter(infer *x, binder *b);
void infer_scope_leave(infer *x, binder *b);
void infer_bind_pattern(infer *x, pattern *q);
void infer_unbind_pattern(infer *x, pattern *q);
ty infer_pattern_type(infer *x, pattern *q);
void infer_push_level_name(infer *x, str_id name, lv l);
/* Settles what is known of ranks; with `all`, the rest become 1. */
void infer_solve_shapes(infer *x, bool all);

/* ---- infer/expr.c ---- */
/* The type of an expression, which is kept in e->type; T_ERROR after an error. */
ty infer_expr(infer *x, expr *e);
/* The same where something is known of it: a function gives the types of `expected` to its
 * parameters before its body is looked at.  That the type agrees is still to be asked. */
ty infer_expr_as(infer *x, expr *e, ty expected);

/* ---- infer/state.c ---- */
/* Asks what this use of a loop hands on; s is the loop's scheme. */
void infer_ask_state(infer *x, expr *e, const builtin *b, const scheme *s);
/* Settles what is known of states; with `all`, the rest is taken as usual. */
void infer_solve_states(infer *x, bool all);
/* Before a let is generalised: what is open in states is not. */
void infer_hold_states(infer *x);

/* ---- infer/local.c ---- */
/* Generalises what a let names, whose type is t. */
void infer_generalise_local(infer *x, ast_binding *b, ty t);
/* Notes a use of a local name that has a scheme. */
void infer_note_use(infer *x, expr *e);
/* At the end of a declaration: local functions whose operators work at one type only are of that
 * type. */
void infer_settle_locals(infer *x);

/* ---- infer/apply.c ---- */
ty infer_fn(infer *x, expr *e, ty expected);
ty infer_application(infer *x, expr *e, ty expected);
ty infer_composition(infer *x, expr *e, ty expected);

/* ---- infer/type.c ---- */
typedef enum { VARS_RIGID, VARS_FREE, UNKNOWN_IS_ERROR } var_use;
ty infer_annotated_type(infer *x, const texpr *w, var_use use);
/* The classes that a forall gives its variables; before its type is read. */
void infer_written_bounds(infer *x, const scheme_expr *s, var_use use);
/* A level as it is written; reports one above grid and a name that is not known. */
lv infer_written_level(infer *x, const lexpr *l);

/* ---- infer/error.c ---- */
typedef enum {
    AT_ARGUMENT,
    AT_OPERAND,
    AT_CONDITION,
    AT_BRANCH,
    AT_ELEMENT,
    AT_RESULT,
    AT_WRITTEN,
    AT_PATTERN,
    AT_PROGRAM,
    AT_BODY
} role;

typedef struct written_at {
    role role;
    location loc;
    const expr *what;   /* what stands there; NULL: a pattern */
    const expr *around; /* AT_ARGUMENT: the application; AT_OPERAND: the operation; AT_BODY: what
                           the function is given to, or NULL */
    const char *op;     /* AT_OPERAND */
    uint32_t k;    /* AT_ARGUMENT: which one, from 1; AT_OPERAND: from 0; AT_BODY: the parameters */
    uint32_t rest; /* AT_PATTERN: how many arguments there will be, this one included; AT_BODY:
                      which argument of `around` the function is */
} written_at;

/* The place of an expression; of operand or argument k of one. */
written_at written_here(role r, const expr *e);
written_at written_operand(const expr *operation, const char *op, uint32_t k);
written_at written_argument(const expr *application, uint32_t k);
written_at written_pattern(const pattern *q);

/* `is` must be `wanted` at this place; reports when it is not. */
bool infer_want_type(infer *x, ty is, ty wanted, written_at at);
bool infer_want_level(infer *x, lv is, lv wanted, location loc);
/* Reports that what `head` gives is at level l, which there is not. */
void infer_above_grid(infer *x, const expr *head, lv l);
/* Reports the first error of a declaration; false. */
bool infer_fail_at(infer *x, diag_code code, location loc, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A type as text, which lives as long as the context. */
const char *infer_ty_words(infer *x, ty t);

/* ---- infer/mistakes.c ---- */
/* Reports a difference of types as one of the mistakes that are made most; false when it is none of
 * them. */
bool infer_known_mistake(infer *x, ty is, ty wanted, const mismatch *why, written_at at);
/* A hint that says of what type the head of an application is wherever it is used; false, and none, where
 * nobody knows. */
bool infer_hint_signature(infer *x, const expr *head);
/* Reports an application in which xs[i] stands; false when there is none. */
bool infer_subscript(infer *x, const expr *app);
/* Reports that a function has more parameters than it is given arguments by the application app, or
 * (NULL) where it stands; false. */
bool infer_too_many_parameters(infer *x, const expr *fn, const expr *app, uint32_t given);
/* Reports that what is of type f takes no argument k. */
void infer_not_applicable(infer *x, const expr *e, ty f, uint32_t k);
/* Add to the message: about the operand of an operator; that a declaration of the user hides what
 * may have been meant, where e uses one. */
void infer_hint_operand(infer *x, ty is, written_at at);
void infer_note_hidden(infer *x, const expr *e);

/* ---- infer/dialect.c ---- */
/* What name#2017 stands for: what the name means in programs of 2017 only.  NULL when nothing has
 * that name. */
const name_entry *infer_old_meaning(infer *x, str_id name);
/* What the name with this behind it stands for; NULL when there is none. */
const name_entry *infer_other_meaning(infer *x, str_id name, const char *where);
/* Add to the message that the name means something else in the other dialect, where it does; that
 * the levels may be those of the other one's hierarchy. */
void infer_note_dialect(infer *x, const expr *head);
void infer_note_hierarchy(infer *x, lv low, lv high);

/* ---- infer/warn.c ---- */
/* Warns about a program that has been inferred without an error. */
void infer_warn(program *p);

/* ---- infer/names.c ---- */
/* Report a name, or level, that nothing has, with the nearest ones that something has. */
void infer_unknown_name(infer *x, const expr *e);
void infer_unknown_level(infer *x, const lexpr *l);
/* The type that other languages, or other letters, call so; NULL when there is none. */
const char *infer_type_meant(const char *name);

#endif
