/* What the files of the checker share.  Nothing outside ir/verify.c and ir/check/ includes this. */
#ifndef FCL_IR_CHECK_IMPL_H
#define FCL_IR_CHECK_IMPL_H

#include "ir/check/check.h"

/* ---- verify.c ---- */

typedef struct call_edge {
    ir_func caller, callee;
    ir_op op;
} call_edge;

/* What the walk over the structure found out. */
typedef struct verified {
    vec_u8 bad;           /* by function: its structure has errors, do not walk it */
    VEC(call_edge) calls; /* grouped by caller, in the order of functions */
} verified;

bool ir_verify_module(
    ir_module *m, verified *out); /* false: errors, or out of memory; release `out` in any case */
void ir_verified_free(ir_module *m, verified *v);
bool ir_zeroed_bytes(mem *mm, vec_u8 *v, uint32_t n);

/* ---- the checker's state (check.c) ---- */

/* A value whose written type is wrong; the type is put back when the check ends. */
typedef struct poisoned {
    ir_value value;
    ir_type written;
} poisoned;

/* What was found out about a type while the stamp was `stamp`. */
typedef struct type_facts {
    uint32_t stamp, known;
} type_facts;

typedef struct checker {
    fcl_context *cx;
    ir_module *m;
    ir_func func;
    ir_op op; /* where errors are reported; 0: at the function */
    verified structure;
    vec_u8 state;           /* by function: how far its check is */
    vec_u8 emits;           /* by function: it hands something out */
    vec_u8 open;            /* by tvar: in scope */
    vec_u32 kind_locs;      /* by tvar: where its kind was narrowed */
    VEC(type_facts) facts;  /* by type */
    uint32_t stamp;         /* changes with the type variables in scope */
    VEC(poisoned) poisoned; /* wrong annotations: unknown while checking, restored at the end */
    ir_tvar holes;          /* scratch type variables for instantiating schemes: consecutive */
    uint32_t nholes;
    vec_u32 bindings, tvars_of; /* scratch of the matcher */
    ir_type scalars[ST_COUNT], t_int, t_bool, t_double;
    uint32_t accepted[CLASS_SEL + 1]; /* by class of operands: a bit for each scalar type */
    bool takes_ints[OP_END];          /* by operator: it has operands that are ints by their kind */
    uint32_t errors;                  /* diagnostics that were there before */
    bool lets_copy;                   /* updates overwrite copies, whether or not they name a level */
    struct levels *levels;
    struct owners *owners;
} checker;

/* The position of the operation being checked, or of the function. */
location check_here(const checker *c);
/* False in a circle of calls, which is reported: then nothing is known of the callee but its
 * parameters. */
bool check_function_known(const checker *c, ir_func f);
/* Types the operations of a region in order. */
void check_region(checker *c, ir_region r);
/* The type of what the region yields; an undecided literal there becomes `want`. */
ir_type check_yielded(checker *c, ir_region r, ir_type want);
bool check_yields_literal(const checker *c, ir_region r, literal_kind *k);
/* The written result type of an operation, 0 when none. */
ir_type check_written_type(const checker *c, ir_op o);
static inline ir_type arg_type(const checker *c, ir_op o, uint32_t k)
{
    return ir_value_at(c->m, ir_arg(c->m, o, k))->type;
}

/* An undecided literal, and of which form. */
static inline bool is_literal(const checker *c, ir_value v, literal_kind *k)
{
    const value_node *n = ir_value_at(c->m, v);
    *k = (literal_kind)n->literal;
    return n->literal != LIT_TYPED && n->kind == V_CONST;
}

/* The type of an undecided literal, which becomes `want` if that is a scalar type, else int or
 * double. */
ir_type check_settle_literal(checker *c, ir_value v, literal_kind k, ir_type want);

/* The type of a value; that of an undecided literal is settled. */
static inline ir_type settle(checker *c, ir_value v, ir_type want)
{
    literal_kind k;
    return is_literal(c, v, &k) ? check_settle_literal(c, v, k, want) : ir_value_at(c->m, v)->type;
}

static inline ir_type settle_arg(checker *c, ir_op o, uint32_t k, ir_type want)
{
    return settle(c, ir_arg(c->m, o, k), want);
}

/* Whether a value of type `actual` may stand where `wanted` is asked for: equal types, or an
 * instance of a scheme. */
bool check_agree(checker *c, ir_type actual, ir_type wanted);

/* The typing rule of each operator: the result type, 0 after an error. */
typedef ir_type typing_rule(checker *c, ir_op o);
#define OP(e, ...) typing_rule check_rule_##e;
#include "ir/ops.def"
#undef OP
extern typing_rule *const check_typing_rules[OP_END];
/* Operands that are ints by their kind, for every operator that has some: before its rule. */
void check_int_operands(checker *c, ir_op o, const op_info *info);

/* Whether values of the type go from the host to a kernel, and back: scalars, pull arrays of base
 * types, tuples of those. */
bool check_crosses(const checker *c, ir_type t);

/* ---- check/kinds.c ---- */

/* Whether t has kind k, narrowing the kinds of variables whose kind is not written.  Reports
 * nothing. */
bool check_has_kind(checker *c, ir_type t, kind k);
/* The same, reporting DIAG_KIND_VARIABLE if a variable is the reason, else `code`; `what` starts
 * the message. */
bool check_need_kind(checker *c, ir_type t, kind k, diag_code code, const char *what);
bool check_well_formed(checker *c, ir_type t);        /* a written type: rules 1 to 11 and scope */
bool check_well_formed_level(checker *c, ir_level l); /* rules 12, 13 */
bool check_level_in_hierarchy(ir_level l);            /* no higher than the top */
bool check_levels_exist(const checker *c, ir_type t); /* every level in t is in the hierarchy */
void check_open_tvars(checker *c, const uint32_t *v, uint32_t n, bool open);
void check_infer_kinds_start(checker *c, const uint32_t *v, uint32_t n);
void check_infer_kinds_end(checker *c, const uint32_t *v, uint32_t n);
void check_note_kind(checker *c, ir_tvar v); /* adds a note where the kind of v was decided */
/* Whether v could be declared with the bound k: a type parameter of a function of a kind that has
 * such types. */
bool check_may_have_bound(const checker *c, ir_tvar v, kind k);
/* Reports a bound of what a scheme or an fn binds; false. */
bool check_refuse_bound(checker *c, kind k);
/* Whether f works on the scalars of a type parameter: then it has no scheme, and a use says for
 * which types. */
bool check_needs_instance(const checker *c, ir_func f);

/* ---- check/literal.c ---- */

/* Gives an undecided literal the scalar type s; reports and returns false when it does not fit. */
bool check_decide_literal(checker *c, ir_value v, scalar s);

/* ---- check/call.c ---- */

bool check_instance_agrees(checker *c, ir_type scheme, ir_type wanted);

/* ---- check/levels.c: the turnstile ---- */

bool check_levels_init(checker *c);
void check_levels_free(checker *c);
/* After the types of a function: its effects and its summary. */
void check_levels_function(checker *c, ir_func f);

/* ---- check/consume.c: arrays that are overwritten ---- */

bool check_consumed_init(checker *c);
void check_consumed_free(checker *c);
/* After the types of a function: that nothing is used after its update. */
void check_consumed_function(checker *c, ir_func f);

/* ---- tunable.c ---- */
/* What a function with the property "tunable" is held to; behind its body, so that its result is known. */
void check_tunable(checker *c, ir_func f);

/* ---- block.c ---- */
/* That the property "block" is a number that it may be. */
void check_block(checker *c, ir_func f);

#endif
