/* Warnings about a program whose types are right: names that nothing uses, conditions that are
 * constant, declarations that hide others.  A walk over the tree, after inference has noted which
 * names are used; only what the user wrote is looked at. */
#include "frontends/fcl/infer/infer.h"

#include <string.h>

/* ---- names that nothing uses ---- */

/* Names that begin with _ say that they are not used. */
static bool is_unused(const program *p, const binder *b)
{
    return b->name && !b->used && program_text_of(p, b->name)[0] != '_';
}

static void warn_part(program *p, const binder *b, const char *what)
{
    const char *name = program_text_of(p, b->name);
    if (!is_unused(p, b))
        return;
    diag_warning(p->cx, DIAG_WARN_UNUSED_PARAMETER, b->loc, "the %s '%s' is not used", what, name);
    diag_hint(p->cx, "_ or _%s says that it need not be", name);
}

static void warn_parts(program *p, const pattern *q, const char *what)
{
    if (q->var)
        warn_part(p, q->var, what);
    for (uint32_t i = 0; i < q->n; i++)
        warn_parts(p, q->items[i], what);
}

static void warn_params(program *p, pattern *const *params, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        warn_parts(p, params[i], params[i]->var ? "parameter" : "part");
}

/* Whether a pattern binds names and nothing uses any of them. */
static bool all_unused(const program *p, const pattern *q)
{
    for (uint32_t i = 0; i < q->n; i++)
        if (!all_unused(p, q->items[i]))
            return false;
    return q->var ? is_unused(p, q->var) : q->n > 0;
}

/* A binding of which nothing is used was for nothing; of a statement that is less sure. */
static void warn_binding(program *p, const ast_binding *b)
{
    if (b->monadic || !all_unused(p, b->pat)) {
        warn_parts(p, b->pat, b->monadic ? "result" : "part");
        return;
    }
    const char *name = b->pat->var ? program_text_of(p, b->pat->var->name) : NULL;
    if (!name) {
        diag_warning(p->cx, DIAG_WARN_UNUSED, b->pat->loc, "no part of this is used");
        return;
    }
    diag_warning(p->cx, DIAG_WARN_UNUSED, b->pat->loc, "'%s' is not used", name);
    diag_hint(p->cx, "remove it; _%s says that it need not be used", name);
}

/* ---- what is hidden ---- */

/* What the name means without the program's own declarations, in words. */
static const char *what_is_hidden(const program *p, str_id name)
{
    if (name >= p->names.len)
        return NULL;
    const name_entry *n = &p->names.at[name];
    return n->prelude ? "function of the prelude" : n->builtin ? "operation of the language" : NULL;
}

/* Whether both schemes are written alike. */
static bool same_scheme(program *p, const scheme *a, const scheme *b)
{
    vec_char one = {0}, other = {0};
    if (a && b) {
        scheme_print(&p->types, a, &one);
        scheme_print(&p->types, b, &other);
    }
    bool same = one.len && one.len == other.len && memcmp(one.at, other.at, one.len) == 0;
    vec_free(&p->cx->mem, &one);
    vec_free(&p->cx->mem, &other);
    return same;
}

/* A declaration of the type that the hidden one has is hardly a mistake, and programs of 2017 bring
 * along what their prelude did not have. */
static void warn_hiding(infer *x, const decl *d)
{
    program *p = x->p;
    const char *what = what_is_hidden(p, d->name), *name = program_text_of(p, d->name);
    if (!what)
        return;
    const name_entry n = *program_name_at(p, d->name);
    if (n.prelude && n.prelude->state == DECL_NEW)
        infer_decl(x, n.prelude);
    const scheme *s =
        n.prelude ? n.prelude->scheme : infer_builtin_scheme(p, (builtin *)(uintptr_t)n.builtin);
    bool same = same_scheme(p, s, d->scheme);
    diag_warning(p->cx, same || p->old ? DIAG_WARN_HIDES_ANY : DIAG_WARN_HIDES, d->loc,
                 same ? "'%s' hides the %s of that name"
                      : "'%s' hides the %s, which has another type",
                 name, what);
    if (!same && s) {
        vec_char text = {0};
        scheme_print(&p->types, s, &text);
        diag_hint(p->cx, "the hidden one is %s : %.*s", name, (int)text.len,
                  text.at ? text.at : "");
        vec_free(&p->cx->mem, &text);
    }
}

static void warn_local_hiding(program *p, const binder *b)
{
    const char *what = b->name ? what_is_hidden(p, b->name) : NULL;
    if (what)
        diag_warning(p->cx, DIAG_WARN_HIDES_ANY, b->loc, "'%s' hides the %s of that name",
                     program_text_of(p, b->name), what);
}

/* ---- conditions ---- */

typedef enum { NEVER, ALWAYS, SOMETIMES } truth;

/* An integer as it is written, with its sign. */
static bool literal(const expr *e, int64_t *out)
{
    bool negative = e->kind == EX_NEG;
    e = negative ? e->args[0] : e;
    if (e->kind != EX_INT || e->number > INT64_MAX)
        return false;
    *out = negative ? -(int64_t)e->number : (int64_t)e->number;
    return true;
}

/* Whether both are the same name of something that equals itself, which a NaN does not. */
static bool same_name(const program *p, const expr *a, const expr *b)
{
    if (a->kind != EX_VAR || b->kind != EX_VAR || !a->binder || a->binder != b->binder)
        return false;
    const ty_node n = *ty_at(&p->types, ty_inside((types *)(uintptr_t)&p->types, a->type));
    return n.kind == T_SCALAR && fcl_scalar_get((fcl_scalar)n.a)->kind != 'f';
}

/* The outcome of a comparison of two numbers whose order is known. */
static truth compared(token_kind op, int order)
{
    switch (op) {
    case TK_EQ: return order == 0 ? ALWAYS : NEVER;
    case TK_NE: return order != 0 ? ALWAYS : NEVER;
    case TK_LT: return order < 0 ? ALWAYS : NEVER;
    case TK_LE: return order <= 0 ? ALWAYS : NEVER;
    case TK_GT: return order > 0 ? ALWAYS : NEVER;
    case TK_GE: return order >= 0 ? ALWAYS : NEVER;
    default: return SOMETIMES;
    }
}

static truth truth_of(const program *p, const expr *e)
{
    if (e->kind == EX_BOOL)
        return e->number ? ALWAYS : NEVER;
    if (e->kind != EX_OP)
        return SOMETIMES;
    token_kind op = parse_binops[e->op].token;
    const expr *l = e->args[0], *r = e->args[1];
    int64_t a, b;
    if (op == TK_ANDAND || op == TK_OROR) {
        truth decides = op == TK_ANDAND ? NEVER : ALWAYS, x = truth_of(p, l), y = truth_of(p, r);
        return x == decides || y == decides ? decides : x == y ? x : SOMETIMES;
    }
    if (literal(l, &a) && literal(r, &b))
        return compared(op, a < b ? -1 : a > b);
    return same_name(p, l, r) ? compared(op, 0) : SOMETIMES;
}

static void warn_if(program *p, const expr *e)
{
    truth t = truth_of(p, e->args[0]);
    if (t == SOMETIMES)
        return;
    diag_warning(p->cx, DIAG_WARN_BRANCH, e->args[0]->loc, "this condition is always %s",
                 t == ALWAYS ? "true" : "false");
    diag_note_add(p->cx, e->args[t == ALWAYS ? 2 : 1]->loc, "this branch is never taken");
}

/* while (fn ys => ...) step start */
static void warn_while(program *p, const expr *e)
{
    const expr *head = e->args[0], *condition = e->nargs > 1 ? e->args[1] : NULL;
    if (head->kind != EX_VAR || !head->builtin || head->builtin->form != BF_WHILE || !condition ||
        condition->kind != EX_FN)
        return;
    truth t = truth_of(p, condition->args[0]);
    if (t != SOMETIMES)
        diag_warning(p->cx, DIAG_WARN_BRANCH, condition->args[0]->loc,
                     t == ALWAYS ? "this condition is always true: the while never ends"
                                 : "this condition is always false: the while takes no step");
}

/* ---- the walk ---- */

static void walk(program *p, const expr *e)
{
    warn_params(p, e->params, e->nparams);
    if (e->kind == EX_IF)
        warn_if(p, e);
    if (e->kind == EX_APP)
        warn_while(p, e);
    for (uint32_t i = 0; i < e->nbindings; i++) {
        const ast_binding *b = &e->bindings[i];
        warn_binding(p, b);
        if (b->pat->var && !b->monadic)
            warn_local_hiding(p, b->pat->var);
        walk(p, b->rhs);
    }
    for (uint32_t i = 0; i < e->nargs; i++)
        walk(p, e->args[i]);
}

void infer_warn(program *p)
{
    infer x = {.p = p, .t = &p->types, .unknown_levels = UNKNOWN_IS_ERROR};
    for (uint32_t i = 0; i < p->user.len && !p->cx->mem.oom; i++) {
        const decl *d = p->user.at[i];
        warn_hiding(&x, d);
        warn_params(p, d->params, d->nparams);
        walk(p, d->body);
    }
}
