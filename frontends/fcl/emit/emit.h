/* Building the core from an inferred program, through fcl.h.
 *
 * What an expression becomes is an `sval`: a value of the core, or something known while building:
 * a tuple, a lambda, a partial application.  Those become values of the core only where one is
 * needed, so that functions given to map, generate and their like become the regions of the core's
 * operators: partial evaluation of everything that is static, as with higher-order templates.
 *
 * The generic variables of the declaration being built stand for the core's type and level
 * parameters (or, in programs of 2017, for heights: there 1+thread is block, which the core does
 * not know); their nodes hold what they stand for ("slots").  A declaration becomes one polymorphic
 * function; in programs of 2017 one for each instance of its levels (monomorphisation).  A local
 * polymorphic value is built anew at each use, since the core's values have no schemes.
 *
 * Every function that builds takes the region r that the operations go into.  After the first error
 * (`failed`) they return some value, and nothing else is reported. */
#ifndef FCL_FRONTENDS_FCL_EMIT_H
#define FCL_FRONTENDS_FCL_EMIT_H

#include "frontends/fcl/infer/builtins.h"

/* An instance in terms of the core: levels as emit_lv_slot gives them. */
typedef struct core_instance {
    fcl_type *types;
    uint32_t *levels;
    uint32_t ntypes, nlevels;
    uint8_t widths[BUILTIN_RANKS]; /* of a built-in: the rank behind each of its index types */
} core_instance;

/* Those from SV_LAMBDA on are functions, which are not values of the core yet. */
typedef enum {
    SV_UNIT,
    SV_STRING,
    SV_CORE,
    SV_TUPLE,
    SV_LAMBDA,
    SV_BUILTIN,
    SV_DECL,
    SV_COMPOSE
} sval_kind;

typedef struct sval sval;
struct sval {
    sval_kind kind;
    ty type; /* functions: their type, without the arguments that they have got */
    location loc;
    fcl_value v;  /* SV_CORE */
    bool fresh;   /* the result of an operation that has no name yet */
    bool literal; /* an integer written in the program: number */
    uint64_t number;
    str_id name;    /* SV_STRING */
    const expr *fn; /* SV_LAMBDA */
    const builtin *builtin;
    decl *decl;
    core_instance inst;
    sval **items; /* SV_TUPLE: components; others: arguments; SV_COMPOSE: the two functions */
    uint32_t n;
};

/* What a local name with a scheme was built as, in a region. */
typedef struct local_instance local_instance;
struct local_instance {
    fcl_region region;
    core_instance inst;
    sval *value;
    local_instance *next;
};

/* A function of the core: an instance of a declaration. */
typedef struct built built;
struct built {
    decl *d;
    core_instance inst;
    fcl_func func;
    fcl_value *vals, *params; /* its parameters: top-level values, then its own */
    built *next;              /* of the same declaration */
};

typedef struct emitter {
    program *p;
    types *t;
    fcl_module *m;
    uint32_t epoch;        /* changes with what generic variables stand for */
    VEC(built *) queue;    /* functions without a body yet */
    VEC(fcl_value) prints; /* what the entry prints, pushed */
    const decl *entry;
    fcl_region top; /* the entry's body, where printing is possible */
    uint32_t copies, depth;
    bool failed;
} emitter;

enum { COPIES = 10000, EMIT_DEPTH = 3100 };

/* ---- emit/core.c ---- */
/* The place of the operations that are made from here on. */
void emit_at_loc(emitter *x, location loc);
/* Reports the first thing that cannot be built, and ends the building. */
void emit_refuse(emitter *x, diag_code code, location loc, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* An operation, and an int constant. */
fcl_value emit_core_op(emitter *x, fcl_region r, const char *op, const fcl_value *args, size_t n);
fcl_value emit_core_int(emitter *x, int64_t n);

/* ---- emit.c ---- */
/* All functions of the user and the entry; false after a report. */
bool emit_program(program *p);
/* The function of a declaration at that instance, of which levels matter in programs of 2017 only.
 * It has a head; its body comes from the queue.  NULL when memory is short. */
built *emit_instance_of(emitter *x, decl *d, const core_instance *inst);

/* ---- emit/entry.c ---- */
/* The declaration that becomes the kernel; NULL when there is none, which is fine unless the user
 * named it: *ok. */
decl *entry_find(program *p, bool *ok);
/* Builds the kernel. */
void entry_emit(emitter *x, decl *d);

/* ---- emit/type.c ---- */
/* A type in terms of the core, with generic variables as they stand now; open ones are int. */
fcl_type emit_core_type(emitter *x, ty t);
fcl_scalar emit_scalar_of(emitter *x, ty t); /* 0: not a scalar */
bool emit_is_variable(emitter *x, ty t);     /* a type parameter of the core */
/* A level as its slot: what emit_lv_core takes.  With a report, and thread, when nothing fixes
 * it. */
uint32_t emit_lv_slot(emitter *x, lv l);
fcl_level emit_lv_core(const emitter *x, uint32_t slot);
uint32_t emit_height_slot(const emitter *x, uint32_t height);
/* The instance of one use of a name. */
core_instance emit_instance_core(emitter *x, const instance *inst, location loc);
/* What generic variables stand for from now on. */
void emit_set_slots(emitter *x, const scheme *s, const core_instance *inst);
/* The same, returning what they stood for. */
core_instance emit_swap_slots(emitter *x, const scheme *s, const core_instance *inst);

/* ---- emit/value.c ---- */
/* Never NULL: nodes are there even when memory is short (program_node). */
sval *emit_sval_new(emitter *x, sval_kind k, location loc);
sval *emit_sval_core(emitter *x, fcl_value v, location loc);
sval *emit_sval_op(emitter *x, fcl_value v,
                   location loc); /* the result of an operation just made */
sval *emit_sval_list(emitter *x, sval_kind k, location loc, sval *const *items, uint32_t n);
/* s as a value of the core: what is only known so far is built in r. */
fcl_value emit_value_of(emitter *x, fcl_region r, sval *s);
/* Component k of a tuple, by a projection where it is a value of the core. */
sval *emit_component(emitter *x, fcl_region r, sval *s, uint32_t k);
/* Gives the names of a pattern their values; the core's value gets the first name. */
void emit_bind_sval(emitter *x, fcl_region r, const pattern *q, sval *s);
/* f applied to n arguments, as far as that can be done while building. */
sval *emit_apply_value(emitter *x, fcl_region r, sval *f, sval *const *args, uint32_t n,
                       location loc);
sval *emit_apply1(emitter *x, fcl_region r, sval *f, sval *arg);
ty emit_ty_result(emitter *x, ty t, uint32_t n); /* behind n arrows */
ty emit_ty_param(emitter *x, ty t);
/* A parameter of a region, with the pattern's name where it is one (q may be NULL); t 0: not
 * known. */
fcl_value emit_param_of(emitter *x, fcl_region r, const pattern *q, fcl_type t);

/* ---- emit/expr.c ---- */
sval *emit_expr(emitter *x, fcl_region r, const expr *e);
/* e as a value that does not depend on what stands for the generic variables. */
sval *emit_settled(emitter *x, fcl_region r, const expr *e);
/* A declaration or an operator that has all of its arguments. */
sval *emit_call(emitter *x, fcl_region r, sval *call, location loc);

/* ---- emit/tunable.c ---- */
/* Whether the value is a tunable, and that: a function, and its call. */
bool emit_is_tunable(const decl *v);
sval *emit_tunable(emitter *x, fcl_region r, const decl *v);

/* ---- emit/literal.c ---- */
bool emit_is_float(fcl_scalar s);
/* A literal, with the minus before it if there is one. */
sval *emit_number(emitter *x, fcl_region r, const expr *e, bool negative);
sval *emit_array(emitter *x, fcl_region r, const expr *e);

/* ---- emit/builtin.c ---- */
sval *emit_builtin(emitter *x, fcl_region r, sval *call);

/* ---- emit/join.c ---- */
sval *emit_concat(emitter *x, fcl_region r, sval *call);
sval *emit_interleave(emitter *x, fcl_region r, sval *call);

/* ---- emit/host.c ---- */
sval *emit_csv(emitter *x, fcl_region r, sval *call);
sval *emit_print(emitter *x, fcl_region r, sval *call);

#endif
