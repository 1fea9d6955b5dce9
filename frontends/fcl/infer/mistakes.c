/* The mistakes that are made most, each in its own words: what does not fit is looked at with the
 * expression that it stands in.  A mistake that is none of these gets the general sentence
 * (error.c). */
#include "frontends/fcl/infer/infer.h"

#include <stdio.h>
#include <string.h>

/* ---- words ---- */

/* A name or number as it is written; "..." for anything longer. */
static const char *short_text(infer *x, const expr *e)
{
    if (e->kind == EX_VAR || e->kind == EX_INT || e->kind == EX_FLOAT)
        return program_text_of(x->p, e->name);
    return "...";
}

static const char *name_of(infer *x, const expr *head)
{
    return head->kind == EX_VAR ? program_text_of(x->p, head->name) : "this function";
}

static ty_kind kind_of(infer *x, ty t)
{
    return (ty_kind)ty_at(x->t, ty_inside(x->t, t))->kind;
}

/* How many arguments it takes one after the other. */
static uint32_t arity(infer *x, ty t)
{
    uint32_t n = 0;
    for (; kind_of(x, t) == T_FUN; n++)
        t = ty_at(x->t, ty_inside(x->t, t))->b;
    return n;
}

/* The name of what gives a value: what is applied, or the name itself; NULL when it has none. */
static const expr *source_of(const expr *e)
{
    const expr *head = e && e->kind == EX_APP ? e->args[0] : e;
    return head && head->kind == EX_VAR ? head : NULL;
}

/* ---- xs[i] ---- */

bool infer_subscript(infer *x, const expr *app)
{
    for (uint32_t k = 1; app->kind == EX_APP && k < app->nargs; k++) {
        const expr *list = app->args[k], *array = app->args[k - 1];
        if (list->kind != EX_ARRAY || !list->subscript)
            continue;
        infer_fail_at(x, DIAG_FCL_NOT_FUNCTION, list->loc,
                      "brackets behind a value do not index it: [...] is a list, and here an "
                      "argument");
        if (list->nargs == 2)
            diag_hint(x->p->cx, "index %s (%s, %s) is an element", short_text(x, array),
                      short_text(x, list->args[0]), short_text(x, list->args[1]));
        else
            diag_hint(x->p->cx, "index %s %s is an element", short_text(x, array),
                      list->nargs == 1 ? short_text(x, list->args[0]) : "i");
        return true;
    }
    return false;
}

/* ---- arguments ---- */

/* f (a, b) where f takes a and b. */
static bool tuple_of_arguments(infer *x, const expr *app, uint32_t k)
{
    const expr *arg = app->args[k], *head = app->args[0];
    if (app->nargs != 2 || arg->kind != EX_TUPLE || arity(x, head->type) < arg->nargs)
        return false;
    infer_fail_at(x, DIAG_FCL_MISMATCH, arg->loc,
                  "'%s' takes its arguments one after the other, not as a tuple", name_of(x, head));
    if (arg->nargs == 2)
        diag_hint(x->p->cx, "%s %s %s", name_of(x, head), short_text(x, arg->args[0]),
                  short_text(x, arg->args[1]));
    else
        diag_hint(x->p->cx, "without the commas: %s ... ... ...", name_of(x, head));
    return true;
}

/* Whether a type could be the other, as far as forms tell: variables could be anything. */
static bool could_be(infer *x, ty a, ty b, uint32_t depth)
{
    a = ty_inside(x->t, a);
    b = ty_inside(x->t, b);
    const ty_node m = *ty_at(x->t, a), n = *ty_at(x->t, b);
    if (depth > TYPE_DEPTH || !m.kind || !n.kind)
        return true;
    if (m.kind == T_VAR || n.kind == T_VAR) {
        const ty_node v = m.kind == T_VAR ? m : n, o = m.kind == T_VAR ? n : m;
        return !v.scalars || o.kind == T_VAR || (o.kind == T_SCALAR && (v.scalars >> o.a & 1));
    }
    if (m.kind != n.kind)
        return false;
    switch (m.kind) {
    case T_SCALAR: return m.a == n.a;
    case T_FUN: return could_be(x, m.a, n.a, depth + 1) && could_be(x, m.b, n.b, depth + 1);
    case T_PULL:
    case T_PUSH: return could_be(x, m.a, n.a, depth + 1);
    case T_TUPLE: return m.b == n.b;
    default: return true;
    }
}

/* The type of parameter k, from 1; 0 when there is none. */
static ty parameter(infer *x, ty f, uint32_t k)
{
    for (; kind_of(x, f) == T_FUN; k--) {
        const ty_node n = *ty_at(x->t, ty_inside(x->t, f));
        if (k == 1)
            return n.a;
        f = n.b;
    }
    return 0;
}

/* The type that the head has wherever it is used: nothing of this use is in it. */
static ty general_type(const expr *head)
{
    const scheme *s = head->decl      ? head->decl->scheme
                      : head->builtin ? head->builtin->scheme
                      : head->binder  ? head->binder->scheme
                                      : NULL;
    return s ? s->type : 0;
}

bool infer_hint_signature(infer *x, const expr *head)
{
    ty general = general_type(head);
    if (general)
        diag_hint(x->p->cx, "%s : %s", name_of(x, head), infer_ty_words(x, general));
    return general;
}

/* The type of an argument that may not have been looked at yet; what is wrong in it is not reported
 * now. */
static ty type_of_argument(infer *x, expr *e)
{
    bool failed = x->failed;
    x->failed = true;
    ty t = e->type ? e->type : infer_expr(x, e);
    x->failed = failed;
    return t;
}

/* Whether argument k, of type t, fits parameter `other` and the argument there parameter k, of type
 * p.  A name may have got its type from the parameter that it stands for by mistake. */
static bool fits_exchanged(infer *x, const expr *app, ty t, ty p, uint32_t other)
{
    ty q = parameter(x, general_type(app->args[0]), other);
    return q && could_be(x, t, q, 0) &&
           (app->args[other]->kind == EX_VAR ||
            could_be(x, type_of_argument(x, app->args[other]), p, 0));
}

/* map xs f.  Says so where both arguments fit when they are exchanged, and this one does not. */
static bool exchanged(infer *x, const expr *app, uint32_t k)
{
    ty general = general_type(app->args[0]), p = parameter(x, general, k),
       t = type_of_argument(x, app->args[k]);
    if (!general || app->nargs - 1 > arity(x, general) || could_be(x, t, p, 0))
        return false;
    for (uint32_t other = 1; other < app->nargs; other++) {
        if (other == k || !fits_exchanged(x, app, t, p, other))
            continue;
        infer_fail_at(x, DIAG_FCL_MISMATCH, app->args[k]->loc,
                      "the arguments of '%s' seem to be exchanged", name_of(x, app->args[0]));
        return infer_hint_signature(x, app->args[0]);
    }
    return false;
}

/* The element of a matrix by two numbers, where they were given one after the other. */
static void hint_matrix_index(infer *x, const expr *app)
{
    diag_hint(x->p->cx, "index %s (%s, %s) is an element of a matrix", short_text(x, app->args[1]), short_text(x, app->args[2]),
              short_text(x, app->args[3]));
}

/* index m i j: an argument behind the last one, which what the function gives would have to take.
 * x and y: the operator would be an argument of its first operand. */
static bool too_many_arguments(infer *x, const mismatch *why, written_at at)
{
    if (at.role != AT_ARGUMENT || why->what != U_KIND)
        return false;
    const expr *app = at.around, *head = app->args[0], *first = app->args[1];
    uint32_t takes = arity(x, general_type(head)), given = app->nargs - 1;
    if (takes && given > takes) {
        infer_fail_at(x, DIAG_FCL_ARGUMENTS, at.loc,
                      "'%s' takes %u argument%s and is given %u here", name_of(x, head),
                      (unsigned)takes, takes == 1 ? "" : "s", (unsigned)given);
        if (strcmp(name_of(x, head), "index") == 0)
            hint_matrix_index(x, app);
        else
            infer_hint_signature(x, head);
        return true;
    }
    if (!head->binder || head->binder->scheme || first->kind != EX_VAR || !first->builtin ||
        first->builtin->arity != 2 || given < 2)
        return false;
    infer_fail_at(x, DIAG_FCL_ARGUMENTS, first->loc,
                  "'%s' is a function and stands before its arguments", name_of(x, first));
    diag_hint(x->p->cx, "%s %s %s", name_of(x, first), short_text(x, head),
              short_text(x, app->args[2]));
    return true;
}

/* ---- functions in the place of values ---- */

/* max x -1 is a subtraction from max x. */
static bool lost_minus(infer *x, written_at at, const expr *head)
{
    if (at.role != AT_OPERAND || strcmp(at.op, "-") != 0 || at.around->nargs != 2 || at.k != 0)
        return false;
    const expr *right = at.around->args[1];
    if (right->kind == EX_APP)
        right = right->args[0];
    infer_fail_at(x, DIAG_FCL_ARGUMENTS, at.around->loc,
                  "this minus sign subtracts from '%s', which lacks an argument", name_of(x, head));
    diag_hint(x->p->cx, "a negative argument stands in parentheses: (-%s)", short_text(x, right));
    return true;
}

/* xs |> f a where f takes one more: what is piped becomes the wrong argument. */
static bool piped_early(infer *x, ty is, written_at at)
{
    const expr *app = at.around, *head = app->args[0];
    ty general = general_type(head);
    uint32_t takes = arity(x, general), given = app->nargs - 1;
    if (!app->piped || at.k != given || takes <= given ||
        !could_be(x, is, parameter(x, general, takes), 0))
        return false;
    infer_fail_at(x, DIAG_FCL_ARGUMENTS, head->loc,
                  "'%s' takes %u arguments, and what is piped becomes argument %u",
                  name_of(x, head), (unsigned)takes, (unsigned)given);
    return infer_hint_signature(x, head);
}

/* f g x where f (g x) is meant: whether other arguments follow. */
static bool lacks_parentheses(written_at at)
{
    return at.role == AT_ARGUMENT && at.what->kind == EX_VAR && at.k + 1 < at.around->nargs;
}

/* A function stands where its result is needed. */
static bool missing_argument(infer *x, ty is, ty wanted, written_at at)
{
    const expr *head = source_of(at.what);
    ty_kind w = kind_of(x, wanted);
    if (kind_of(x, is) != T_FUN || w == T_FUN || w == T_LVLFN || !head || at.role == AT_PATTERN ||
        (at.role == AT_ELEMENT && w == T_VAR))
        return false;
    if (lost_minus(x, at, head))
        return true;
    uint32_t left = arity(x, is), given = at.what->kind == EX_APP ? at.what->nargs - 1 : 0;
    ty next = ty_at(x->t, ty_inside(x->t, is))->a;
    const char *name = name_of(x, head);
    if (given)
        infer_fail_at(x, DIAG_FCL_ARGUMENTS, at.loc, "'%s' takes %u arguments and is given %u here",
                      name, (unsigned)(given + left), (unsigned)given);
    else
        infer_fail_at(x, DIAG_FCL_ARGUMENTS, at.loc,
                      "'%s' is a function, and its result is needed here", name);
    if (lacks_parentheses(at))
        diag_hint(x->p->cx, "parentheses take its arguments to it: (%s ...)", name);
    else
        diag_hint(x->p->cx, "an argument of type %s is missing", infer_ty_words(x, next));
    return true;
}

/* ---- functions that are given the wrong number of arguments by what they are given to ---- */

/* zipWith (fn (a, b) => ...): the arguments come one after the other. */
static bool tuple_of_parameters(infer *x, ty is, written_at at)
{
    const expr *fn = at.around;
    if (at.role != AT_PATTERN || !fn || fn->nparams != 1 || at.rest < 2 ||
        kind_of(x, is) == T_TUPLE || fn->params[0]->n != at.rest)
        return false;
    infer_fail_at(x, DIAG_FCL_MISMATCH, at.loc,
                  "this function takes a tuple, but it is given %u arguments one after the other",
                  (unsigned)at.rest);
    diag_hint(x->p->cx, "%s", at.rest == 2 ? "fn x y => ..." : "fn x y z => ...");
    return true;
}

/* map (fn x y => ...), and generate (n, m) (fn i j => ...). */
bool infer_too_many_parameters(infer *x, const expr *fn, const expr *app, uint32_t given)
{
    bool first = !x->failed;
    infer_fail_at(x, DIAG_FCL_ARGUMENTS, fn->params[given]->loc,
                  "this function takes %u arguments, but %s%s%s gives it %u", (unsigned)fn->nparams,
                  app ? "'" : "", app ? name_of(x, app->args[0]) : "its use", app ? "'" : "",
                  (unsigned)given);
    diag_hint(x->p->cx, "fn (x, y) => ... takes a tuple apart");
    if (first && app)
        infer_note_hidden(x, app);
    return false;
}

/* while (fn => ...) whose function has too few parameters: what it gives would have to be one. */
static bool too_few_parameters(infer *x, ty is, ty wanted, const mismatch *why, written_at at)
{
    const ty_node n = *ty_at(x->t, ty_inside(x->t, is));
    if (at.role != AT_BODY || !at.around || kind_of(x, wanted) != T_FUN || n.kind == T_FUN ||
        (n.kind == T_VAR && !n.scalars && why->what != U_INFINITE))
        return false;
    uint32_t more = arity(x, wanted);
    infer_fail_at(x, DIAG_FCL_ARGUMENTS, at.loc,
                  "this function takes %u argument%s, but '%s' gives it %u", (unsigned)at.k,
                  at.k == 1 ? "" : "s", name_of(x, at.around->args[0]), (unsigned)(at.k + more));
    diag_hint(x->p->cx, "%s", at.k + more == 2 ? "fn x y => ..." : "fn x y z => ...");
    return true;
}

/* ---- operators ---- */

/* A local function that is computed has the type of its first use, where the message may be about
 * another one. */
static void note_local(infer *x, const expr *e)
{
    const expr *head = source_of(e);
    if (head && head->binder && head->binder->one_type)
        diag_note_add(x->p->cx, head->binder->loc,
                      "'%s' is a local function that is computed, of one type: written with its "
                      "parameters, '%s x = ...', it would work at others too",
                      program_text_of(x->p, head->binder->name),
                      program_text_of(x->p, head->binder->name));
}

/* The operands are of two scalar types: which to convert.  A float is seldom cut off. */
static bool two_scalars(infer *x, written_at at)
{
    if (at.role != AT_OPERAND || at.k != 1)
        return false;
    const expr *l = at.around->args[0], *r = at.around->args[1];
    ty_node a = *ty_at(x->t, ty_inside(x->t, l->type)), b = *ty_at(x->t, ty_inside(x->t, r->type));
    if (b.kind == T_VAR && b.scalars == scalars_of('F')) /* a literal with a point */
        b = *ty_at(x->t, x->t->scalar[FCL_F64]);
    if (a.kind != T_SCALAR || b.kind != T_SCALAR || a.a == b.a || a.a == FCL_BOOL ||
        b.a == FCL_BOOL)
        return false;
    const char *ta = parse_scalar_name((fcl_scalar)a.a), *tb = parse_scalar_name((fcl_scalar)b.a);
    bool left = fcl_scalar_get((fcl_scalar)b.a)->kind == 'f' ||
                fcl_scalar_get((fcl_scalar)a.a)->kind != 'f';
    const char *to = left ? tb : ta;
    const expr *of = left ? l : r;
    infer_fail_at(x, DIAG_FCL_MISMATCH, at.around->loc,
                  "the operands of '%s' are of type %s and %s: nothing is converted by itself",
                  at.op, ta, tb);
    diag_hint(x->p->cx, "to%c%s %s%s%s converts the %s one", to[0] - ('a' - 'A'), to + 1,
              short_text(x, of)[0] == '.' ? "(" : "", short_text(x, of),
              short_text(x, of)[0] == '.' ? ")" : "", left ? "left" : "right");
    note_local(x, l);
    return true;
}

/* xs.length */
static bool dot_of_a_value(infer *x, ty is, written_at at)
{
    if (at.role != AT_OPERAND || strcmp(at.op, ".") != 0 || kind_of(x, is) == T_FUN)
        return false;
    const expr *f = at.around->args[0], *g = at.around->args[1];
    infer_fail_at(x, DIAG_FCL_MISMATCH, at.around->loc,
                  "the dot composes two functions, but this operand is of type %s",
                  infer_ty_words(x, is));
    if (at.k == 0)
        diag_hint(x->p->cx, "a function stands before its argument: %s %s", short_text(x, g),
                  short_text(x, f));
    else
        diag_hint(x->p->cx, "f . g is applied as a whole: (f . g) x, or f (g x)");
    return true;
}

/* xs.map f, where what the dot makes is no function. */
static bool dot_as_method(infer *x, ty is, ty wanted, written_at at)
{
    ty_kind w = kind_of(x, wanted);
    if (!at.what || at.what->kind != EX_COMPOSE || at.role == AT_PATTERN ||
        kind_of(x, is) != T_FUN || w == T_FUN || w == T_VAR)
        return false;
    infer_fail_at(x, DIAG_FCL_MISMATCH, at.loc,
                  "the dot composes two functions to one, of type %s, but a value is needed here",
                  infer_ty_words(x, is));
    diag_hint(x->p->cx, "a function stands before its arguments: map f xs, or xs |> map f");
    return true;
}

/* ---- all of them ---- */

bool infer_known_mistake(infer *x, ty is, ty wanted, const mismatch *why, written_at at)
{
    if (why->what == U_LEVELS || why->what == U_ABOVE || why->what == U_RIGID)
        return false;
    if (at.role == AT_ARGUMENT &&
        (infer_subscript(x, at.around) || tuple_of_arguments(x, at.around, at.k) ||
         piped_early(x, is, at) || exchanged(x, at.around, at.k)))
        return true;
    return too_many_arguments(x, why, at) || dot_as_method(x, is, wanted, at) ||
           missing_argument(x, is, wanted, at) || tuple_of_parameters(x, is, at) ||
           too_few_parameters(x, is, wanted, why, at) || two_scalars(x, at) ||
           dot_of_a_value(x, is, at);
}

/* A hint about an operator on what it does not take. */
void infer_hint_operand(infer *x, ty is, written_at at)
{
    if (at.role != AT_OPERAND)
        return;
    bool compares = strcmp(at.op, "==") == 0 || strcmp(at.op, "!=") == 0;
    ty_kind k = kind_of(x, is);
    if ((k == T_PULL || k == T_PUSH || k == T_TUPLE) && compares)
        diag_hint(x->p->cx, "'%s' compares scalars: compare the elements", at.op);
    else if (k == T_PULL || k == T_PUSH)
        diag_hint(x->p->cx, "operators work on scalars: map applies one to the elements of an "
                            "array, zipWith to those of two");
    else if (at.what && at.what->kind == EX_OP && parse_binops[at.what->op].gives_bool &&
             parse_binops[at.around->op].gives_bool)
        diag_hint(x->p->cx, "comparisons stand between && : a < b && b < c");
    else if (strcmp(at.op, "^") == 0)
        diag_hint(x->p->cx, "** is the power; ^ is the exclusive or of bits");
    else if (strcmp(at.op, "div") == 0)
        diag_hint(x->p->cx, "/ divides floats");
}

/* A number, or another value that is no function, with something behind it. */
static void applied_value(infer *x, const expr *e, ty f)
{
    const expr *head = e->args[0], *arg = e->args[1];
    const ty_node n = *ty_at(x->t, f);
    bool number = n.kind == T_VAR || (n.kind == T_SCALAR && n.a != FCL_BOOL);
    if (number)
        infer_fail_at(x, DIAG_FCL_NOT_FUNCTION, head->loc, "a number cannot be applied");
    else
        infer_fail_at(x, DIAG_FCL_NOT_FUNCTION, head->loc,
                      "this is of type %s and cannot be applied", infer_ty_words(x, f));
    if (n.kind == T_PULL)
        diag_hint(x->p->cx, "index %s %s is an element", short_text(x, head), short_text(x, arg));
    else if (arg->loc.line > head->loc.line)
        diag_hint(x->p->cx, "what is in line %u belongs to it: is an operator missing, or in?",
                  (unsigned)arg->loc.line);
    else if (number)
        diag_hint(x->p->cx, "a product has its sign: %s * %s", short_text(x, head),
                  short_text(x, arg));
}

/* Nothing of type f takes an argument k. */
void infer_not_applicable(infer *x, const expr *e, ty f, uint32_t k)
{
    const ty_node n = *ty_at(x->t, f);
    const expr *head = e->args[0];
    if (n.kind == T_ERROR || x->failed || infer_subscript(x, e))
        return;
    if (n.kind == T_LVLFN)
        infer_fail_at(x, DIAG_FCL_LEVEL_APPLY, head->loc,
                      "this takes a level before its arguments: apply it to <block>");
    else if (k > 1)
        infer_fail_at(x, DIAG_FCL_NOT_FUNCTION, e->args[k]->loc,
                      "this is one argument too many: %s takes %u", name_of(x, head),
                      (unsigned)k - 1);
    else
        applied_value(x, e, f);
    if (k == 3 && n.kind != T_LVLFN && strcmp(name_of(x, head), "index") == 0)
        hint_matrix_index(x, e);
    infer_note_hidden(x, head);
}

/* Adds that what is declared or bound there hides something of that name. */
static void note_hides(infer *x, str_id name, location loc)
{
    const name_entry n = *program_name_at(x->p, name);
    if (n.prelude || n.builtin)
        diag_note_add(x->p->cx, loc, "this '%s' hides the %s of that name",
                      program_text_of(x->p, name),
                      n.prelude ? "function of the prelude" : "operation of the language");
}

/* What the user declares hides what the prelude declares: an error may come of that.  So does what
 * is bound here, where it is applied. */
void infer_note_hidden(infer *x, const expr *e)
{
    const expr *head = source_of(e);
    const decl *d = head ? head->decl : NULL;
    if (head)
        infer_note_dialect(x, head);
    note_local(x, e);
    if (d && !d->from_prelude)
        note_hides(x, d->name, d->loc);
    else if (head && head->binder && e->kind == EX_APP)
        note_hides(x, head->name, head->binder->loc);
}
