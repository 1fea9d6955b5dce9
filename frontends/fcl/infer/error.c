/* The messages of inference.
 *
 * Types are printed in the user's names.  A difference of levels names the operations that fixed
 * the levels on both sides, and says what would make them agree: a level variable remembers the
 * operation that made it (lv_origin), and bindings keep the chain. */
#include "frontends/fcl/infer/infer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Later errors of the declaration would mostly follow from the first: they are dropped. */
bool infer_fail_at(infer *x, diag_code code, location loc, const char *fmt, ...)
{
    if (x->failed || x->p->cx->mem.oom)
        return false;
    x->failed = true;
    char text[1000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_error(x->p->cx, code, loc, "%s", text);
}

/* Interned, so that messages can be put together from several types. */
const char *infer_ty_words(infer *x, ty t)
{
    vec_char text = {0};
    ty_print(x->t, t, &text);
    str_id s = intern_add(&x->p->cx->strings, text.at ? text.at : "", text.len);
    vec_free(&x->p->cx->mem, &text);
    return intern_str(&x->p->cx->strings, s);
}

/* The same for a level. */
static const char *lv_words(infer *x, lv l)
{
    vec_char text = {0};
    lv_print(x->t, l, &text);
    str_id s = intern_add(&x->p->cx->strings, text.at ? text.at : "", text.len);
    vec_free(&x->p->cx->mem, &text);
    return intern_str(&x->p->cx->strings, s);
}

/* ---- where it is ---- */

/* What a let or do gives stands at its end. */
static const expr *value_of(const expr *e)
{
    while (e->kind == EX_LET || e->kind == EX_DO)
        e = e->args[0];
    return e;
}

written_at written_here(role r, const expr *e)
{
    e = value_of(e);
    return (written_at){.role = r, .loc = e->loc, .what = e};
}

written_at written_operand(const expr *operation, const char *op, uint32_t k)
{
    written_at at = written_here(AT_OPERAND, operation->args[k]);
    at.around = operation;
    at.op = op;
    at.k = k;
    return at;
}

written_at written_argument(const expr *application, uint32_t k)
{
    written_at at = written_here(AT_ARGUMENT, application->args[k]);
    at.around = application;
    at.k = k;
    return at;
}

written_at written_pattern(const pattern *q)
{
    return (written_at){.role = AT_PATTERN, .loc = q->loc};
}

/* The name of what is applied, in quotes; "the function" when it has none. */
static const char *head_words(infer *x, const expr *head, char *buffer, size_t size)
{
    if (!head || head->kind != EX_VAR)
        return "the function";
    snprintf(buffer, size, "'%s'", program_text_of(x->p, head->name));
    return buffer;
}

/* first, second, ... */
static const char *ordinal(uint32_t k, char *buffer, size_t size)
{
    static const char *const words[] = {"", "first", "second", "third", "fourth", "fifth"};
    if (k < sizeof words / sizeof *words)
        return words[k];
    snprintf(buffer, size, "%uth", (unsigned)k);
    return buffer;
}

/* What the arguments of some operations are called. */
static const struct {
    const char *name, *parts[4];
} operations[] = {
    {"while", {"condition", "step", "start"}},
    {"power", {"number of steps", "step", "start"}},
    {"seqfor", {"number of elements", "number of steps", "step"}},
    {"mapAccum", {"number of elements", "length of the chunks", "first state", "step"}},
    {"concat", {"length of the parts", "array of parts"}},
};

/* The name of argument k of an operation of the language; NULL when it has none. */
static const char *part_of(infer *x, const expr *head, uint32_t k)
{
    if (!head->builtin || k > 4)
        return NULL;
    const char *name = program_text_of(x->p, head->name);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].name, name) == 0)
            return operations[i].parts[k - 1];
    return NULL;
}

/* The third argument of 'f'; the start of 'while'. */
static void argument_words(infer *x, const expr *app, uint32_t k, char *out, size_t size)
{
    char name[200], number[20];
    const char *part = part_of(x, app->args[0], k);
    const char *head = head_words(x, app->args[0], name, sizeof name);
    if (part)
        snprintf(out, size, "the %s of %s", part, head);
    else
        snprintf(out, size, "the %s argument of %s", ordinal(k, number, sizeof number), head);
}

/* What a function gives that is written in its place. */
static void body_words(infer *x, written_at at, char *out, size_t size)
{
    const char *part = at.around ? part_of(x, at.around->args[0], at.rest) : NULL;
    if (part)
        snprintf(out, size, "what the %s of '%s' gives", part,
                 program_text_of(x->p, at.around->args[0]->name));
    else
        snprintf(out, size, "what this function gives");
}

/* What stands there, as the beginning of a sentence. */
static void subject(infer *x, written_at at, char *out, size_t size)
{
    switch (at.role) {
    case AT_ARGUMENT: argument_words(x, at.around, at.k, out, size); break;
    case AT_OPERAND:
        snprintf(out, size, "the %soperand of '%s'",
                 at.around->nargs == 1 ? ""
                 : at.k == 0           ? "left "
                                       : "right ",
                 at.op);
        break;
    case AT_CONDITION: snprintf(out, size, "the condition"); break;
    case AT_BRANCH: snprintf(out, size, "the second branch"); break;
    case AT_ELEMENT: snprintf(out, size, "this element"); break;
    case AT_RESULT:
        snprintf(out, size, "the result of '%s'",
                 program_text_of(x->p, x->decl ? x->decl->name : 0));
        break;
    case AT_WRITTEN: snprintf(out, size, "this"); break;
    case AT_PATTERN: snprintf(out, size, "what the pattern takes apart"); break;
    case AT_PROGRAM: snprintf(out, size, "this statement"); break;
    case AT_BODY: body_words(x, at, out, size); break;
    }
}

/* Who asks for the other type. */
static const char *asker(infer *x, written_at at, char *buffer, size_t size)
{
    switch (at.role) {
    case AT_RESULT: return "the signature says";
    case AT_BRANCH: return "the first one has";
    case AT_ELEMENT: return "those before it are";
    case AT_WRITTEN: return "the written type is";
    case AT_PATTERN: return "the pattern is for";
    case AT_BODY:
        if (at.around && at.around->args[0]->kind == EX_VAR) {
            snprintf(buffer, size, "'%s' needs", program_text_of(x->p, at.around->args[0]->name));
            return buffer;
        }
        return "what is needed is";
    default: return "what is needed is";
    }
}

/* ---- levels ---- */

/* The operation that made the level, and what it does to it. */
static void note_origin(infer *x, lv l)
{
    const lv_node n = *lv_at(x->t, l);
    const char *name = program_text_of(x->p, n.origin.name), *at = lv_words(x, l);
    if (!n.origin.raises) {
        diag_note_add(x->p->cx, n.origin.loc, "this '%s' works at level %s", name, at);
        return;
    }
    lv above = lv_above(x->t, l);
    if (lv_find(x->t, above).offset > lv_top(x->t)) {
        diag_note_add(x->p->cx, n.origin.loc, "this '%s' joins arrays of level %s", name, at);
        return;
    }
    diag_note_add(x->p->cx, n.origin.loc, "this '%s' joins arrays of level %s into one of level %s",
                  name, at, lv_words(x, above));
}

/* The operations along the bindings of a level; the last one, which fixed it, is returned in *last.
 */
static void note_chain(infer *x, lv l, lv *last)
{
    for (uint32_t k = 0; l && k < 8; k++) {
        const lv_node n = *lv_at(x->t, l);
        if (n.kind == L_CONST)
            return;
        if (n.kind == L_VAR && n.origin.name) {
            note_origin(x, l);
            *last = l;
        }
        l = n.a;
    }
}

/* What the operation that fixed a level would have to do: the joins between it and the mismatch
 * raise what it gives. */
static void hint_levels(infer *x, lv is, lv wanted, lv origin)
{
    const lv_node n = *lv_at(x->t, origin);
    level_form i = lv_find(x->t, is), w = lv_find(x->t, wanted), o = lv_find(x->t, origin);
    uint32_t raised = i.offset - o.offset;
    if (!origin || !n.origin.name || i.var != o.var)
        return;
    if (raised > w.offset)
        diag_hint(x->p->cx, "joined arrays are never of level %s: that is the lowest",
                  lv_words(x, wanted));
    else if (w.var)
        diag_hint(x->p->cx,
                  raised ? "its parts would have to be one level lower than %s"
                         : "level %s would fit here",
                  lv_words(x, wanted));
    else
        diag_hint(x->p->cx,
                  n.origin.raises ? "%s of arrays at level %s would fit here"
                                  : "%s <%s> would fit here",
                  program_text_of(x->p, n.origin.name), lv_height_name(x->t, w.offset - raised));
}

/* The difference, the operations on both sides, and a hint about one of them. */
static bool report_levels(infer *x, const mismatch *why, const char *what, location loc)
{
    lv low = 0, high = 0;
    if (x->failed)
        return false;
    if (why->what == U_ABOVE)
        infer_fail_at(x, DIAG_FCL_ABOVE, loc, "%s would be at a level above grid", what);
    else
        infer_fail_at(x, DIAG_FCL_LEVEL, loc, "%s is at level %s, but level %s is needed", what,
                      lv_words(x, why->low), lv_words(x, why->high));
    note_chain(x, why->low, &low);
    note_chain(x, why->high, &high);
    infer_note_hierarchy(x, why->low, why->high);
    if (why->what == U_ABOVE)
        diag_hint(x->p->cx, "only arrays of level block and below can be joined: grid is the top");
    else if (low)
        hint_levels(x, why->low, why->high, low);
    else
        hint_levels(x, why->high, why->low, high);
    return false;
}

/* Joining arrays of level grid gives one level too many. */
void infer_above_grid(infer *x, const expr *head, lv l)
{
    char name[200], what[240];
    mismatch why = {.what = U_ABOVE, .low = l};
    snprintf(what, sizeof what, "what %s gives", head_words(x, head, name, sizeof name));
    report_levels(x, &why, what, head->loc);
}

/* `is` must be `wanted`; reports when it is not. */
bool infer_want_level(infer *x, lv is, lv wanted, location loc)
{
    mismatch why = {0};
    return lv_unify(x->t, is, wanted, &why) || report_levels(x, &why, "this", loc);
}

/* ---- types ---- */

/* A set of scalars in words. */
static const char *class_words(uint16_t scalars)
{
    const scalar_class *c = class_of(scalars);
    if (c)
        return c->words;
    return scalars == scalars_of('L')       ? "a bool"
           : scalars == scalars_of_bytes(4) ? "a number of 4 bytes"
           : scalars == scalars_of_bytes(8) ? "a number of 8 bytes"
                                            : "another scalar type";
}

/* A variable of a signature would have to be of a class: what to write there. */
static void hint_class(infer *x, ty var, uint16_t scalars)
{
    const scalar_class *has = class_of(ty_at(x->t, var)->scalars), *needs = class_of(scalars),
                       *both = class_of(ty_at(x->t, var)->scalars & scalars);
    const char *words = infer_ty_words(x, var);
    if (has && needs && both)
        diag_hint(x->p->cx, "the signature says that %s is of class %s: forall %s:%s. says more",
                  words, has->name, words, both->name);
    else if (!has && needs)
        diag_hint(x->p->cx,
                  "the signature says %s, which stands for every type: forall %s:%s. makes it %s",
                  words, words, needs->name, needs->words);
    else
        diag_hint(x->p->cx, "name a scalar type in the signature in place of %s, such as int",
                  words);
}

/* Whether a variable of the signature is called as other languages call a type; says so. */
static bool hint_meant(infer *x, ty var)
{
    const char *name = infer_ty_words(x, var),
               *meant = infer_type_meant(name[0] == '\'' ? name + 1 : name);
    if (meant)
        diag_hint(x->p->cx, "%s is the name of a type variable here; the type is called %s", name,
                  meant);
    return meant;
}

/* A tuple as the key of a sort. */
static void hint_key(infer *x, ty is, written_at at)
{
    const expr *head = at.role == AT_BODY && at.around ? at.around->args[0] : NULL;
    bool sorts = head && head->kind == EX_VAR && strncmp(program_text_of(x->p, head->name), "sort", 4) == 0;
    if (sorts && ty_at(x->t, is)->kind == T_TUPLE)
        diag_hint(x->p->cx, "sorts keep the order of what has equal keys: sort by the last component first, then by the others");
}

/* `is` cannot be a scalar of those that are asked for. */
static bool report_class(infer *x, ty is, uint16_t scalars, const char *what, written_at at)
{
    is = ty_inside(x->t, is);
    infer_fail_at(x, DIAG_FCL_CLASS, at.loc, "%s is of type %s where %s is needed", what,
                  infer_ty_words(x, is), class_words(scalars));
    if (ty_at(x->t, is)->kind == T_SCALAR && scalars == scalars_of('F'))
        diag_hint(x->p->cx, "toDouble converts it; a number with a point is a double, f32 or f16");
    hint_key(x, is, at);
    if (ty_at(x->t, is)->rigid && !hint_meant(x, is))
        hint_class(x, is, scalars);
    infer_hint_operand(x, is, at);
    return false;
}

/* A variable of the signature would have to be one certain type. */
static bool report_rigid(infer *x, const mismatch *why, written_at at, const char *what)
{
    ty l = ty_find(x->t, why->left), r = ty_find(x->t, why->right);
    bool left = ty_at(x->t, l)->rigid;
    const char *var = infer_ty_words(x, left ? l : r), *other = infer_ty_words(x, left ? r : l);
    infer_fail_at(x, DIAG_FCL_GENERAL, at.loc,
                  "%s must work for every type %s, but here %s would have to be %s", what, var, var,
                  other);
    if (x->decl && x->decl->sig)
        diag_note_add(x->p->cx, x->decl->sig->loc,
                      "the signature is here: it may be less general, not more");
    hint_meant(x, left ? l : r);
    return false;
}

/* Whether it is a parameter of the declaration. */
static bool is_parameter(const infer *x, written_at at)
{
    for (uint32_t i = 0; at.role == AT_PATTERN && i < x->decl->nparams; i++) {
        location loc = x->decl->params[i]->loc;
        if (loc.line == at.loc.line && loc.col == at.loc.col)
            return true;
    }
    return false;
}

static bool is_pushed(infer *x, written_at at)
{
    const expr *head = at.role == AT_ARGUMENT ? at.around->args[0] : NULL;
    return head && head->builtin && strcmp(program_text_of(x->p, head->name), "push") == 0;
}

/* The conversions that are missed most, between forms of types. */
static bool hint_forms(infer *x, const ty_node *i, const ty_node *w, written_at at)
{
    bool number = i->kind == T_SCALAR || (i->kind == T_VAR && i->scalars);
    const char *hint = NULL;
    if (i->kind == T_PULL && w->kind == T_PUSH)
        hint = "push <level> gives a pull array its iteration scheme";
    else if (i->kind == T_PUSH && w->kind == T_PULL && is_pushed(x, at))
        hint = "it is a push array already: leave this push out, or force the array";
    else if (i->kind == T_PUSH && w->kind == T_PULL)
        hint = "force writes a push array to memory, which makes it a pull array";
    else if (w->kind == T_LVLFN)
        hint = "fn <l> => ... makes a function of a level";
    else if (at.role == AT_ARGUMENT && w->kind == T_FUN && number)
        hint = "fn x => ... makes a function of it";
    else if (w->kind == T_PULL && number && is_pushed(x, at))
        hint = "[x] is an array of one element";
    else if (at.role == AT_CONDITION && i->kind == T_SCALAR)
        hint = "a number is compared: x != 0";
    else if (w->kind == T_TUPLE && number && is_parameter(x, at))
        hint = "parameters stand one behind the other: f x y";
    else if (at.role == AT_WRITTEN && i->kind == T_FUN)
        hint = "the type is that of the function, not of its result: an arrow for each parameter";
    if (hint)
        diag_hint(x->p->cx, "%s", hint);
    return hint;
}

/* Between arrays of one axis and of two: functions of the prelude. */
static bool hint_ranks(infer *x, const ty_node *i, const ty_node *w)
{
    if (i->kind != T_PULL || w->kind != T_PULL)
        return false;
    rank is = rank_find(x->t, i->b), wanted = rank_find(x->t, w->b);
    if (is == 2 && wanted == 1)
        diag_hint(x->p->cx, "flatten makes one axis of both; rows gives an array of the rows, and reduceRows reduces each");
    else if (is == 1 && wanted == 2)
        diag_hint(x->p->cx, "unflatten n m makes n rows of m elements of it");
    else
        return false;
    return true;
}

/* A function of rows, given to what goes through the elements of a matrix. */
static bool hint_rows(infer *x, const ty_node *i, const ty_node *w, written_at at)
{
    bool matrix = false;
    if (at.role != AT_ARGUMENT || i->kind != T_PULL || w->kind != T_SCALAR || rank_find(x->t, i->b) != 1)
        return false;
    for (uint32_t k = at.k + 1; k < at.around->nargs && !matrix; k++) {
        const expr *arg = at.around->args[k];
        ty t = arg->type ? ty_inside(x->t, arg->type) : 0;
        matrix = t && ty_at(x->t, t)->kind == T_PULL && rank_find(x->t, ty_at(x->t, t)->b) == 2;
    }
    if (matrix)
        diag_hint(x->p->cx, "elements of a matrix are numbers; rows gives an array of its rows");
    return matrix;
}

/* The same between scalars. */
static bool hint_scalars(infer *x, const ty_node *i, const ty_node *w)
{
    if (i->kind != T_SCALAR || w->kind != T_SCALAR)
        return false;
    const char *to = parse_scalar_name((fcl_scalar)w->a);
    diag_hint(x->p->cx, "to%c%s converts it", to[0] - ('a' - 'A'), to + 1);
    return true;
}

/* What to do about it; where nobody knows, what the function takes that was given it. */
static void hint_types(infer *x, ty is, ty wanted, written_at at)
{
    const ty_node *i = ty_at(x->t, ty_inside(x->t, is)), *w = ty_at(x->t, ty_inside(x->t, wanted));
    bool any = hint_forms(x, i, w, at) || hint_ranks(x, i, w) || hint_rows(x, i, w, at) || hint_scalars(x, i, w);
    if (!any && (at.role == AT_ARGUMENT || at.role == AT_BODY) && at.around)
        infer_hint_signature(x, at.around->args[0]);
}

/* Both types as a whole; the hint is about the parts that differ. */
static bool report_types(infer *x, ty is, ty wanted, const mismatch *why, written_at at,
                         const char *what)
{
    char who[220];
    infer_fail_at(x, DIAG_FCL_MISMATCH, at.loc, "%s is of type %s, but %s %s", what,
                  infer_ty_words(x, is), asker(x, at, who, sizeof who), infer_ty_words(x, wanted));
    ty l = ty_find(x->t, why->left), r = ty_find(x->t, why->right);
    if (!(ty_at(x->t, l)->rigid && hint_meant(x, l)) && !(ty_at(x->t, r)->rigid && hint_meant(x, r)))
        hint_types(x, l, r, at);
    return false;
}

/* What an array cannot have as elements; of a function, what it lacks to give one. */
static bool report_kind(infer *x, const mismatch *why, const char *what, written_at at)
{
    const ty_node n = *ty_at(x->t, ty_inside(x->t, why->left));
    bool string = n.kind == T_STRING, of = at.role == AT_BODY || at.role == AT_ELEMENT;
    infer_fail_at(x, DIAG_FCL_KIND, at.loc, "%s %s of type %s, and elements of %s", what,
                  of ? "is" : "makes elements", infer_ty_words(x, why->left),
                  string                ? "an array cannot be strings"
                  : why->kind == FCL_GT ? "an array cannot be functions"
                                        : "a push array are scalars or tuples of scalars");
    if (n.kind == T_FUN)
        diag_hint(x->p->cx,
                  "a function that lacks arguments is no element: here it lacks one of "
                  "type %s",
                  infer_ty_words(x, n.a));
    return false;
}

/* Everything that can be wrong with two types, each in its own words. */
static bool report(infer *x, ty is, ty wanted, const mismatch *why, written_at at)
{
    char what[260];
    subject(x, at, what, sizeof what);
    if (x->failed || infer_known_mistake(x, is, wanted, why, at))
        return false;
    switch (why->what) {
    case U_LEVELS:
    case U_ABOVE: return report_levels(x, why, what, at.loc);
    case U_CLASS: {
        uint16_t scalars = ty_at(x->t, ty_inside(x->t, wanted))->scalars;
        return scalars ? report_class(x, is, scalars, what, at)
                       : report_types(x, is, wanted, why, at, what);
    }
    case U_RIGID: return report_rigid(x, why, at, what);
    case U_KIND: return report_kind(x, why, what, at);
    case U_INFINITE:
        return infer_fail_at(x, DIAG_FCL_INFINITE, at.loc,
                             "%s has a type that contains itself: %s and %s", what,
                             infer_ty_words(x, why->left), infer_ty_words(x, why->right));
    case U_DEEP:
        return infer_fail_at(x, DIAG_TOO_DEEP, at.loc, "a type nests deeper than %d", TYPE_NESTING);
    default: return report_types(x, is, wanted, why, at, what);
    }
}

/* The way in: unification, and a report when it fails. */
bool infer_want_type(infer *x, ty is, ty wanted, written_at at)
{
    mismatch why = {0};
    if (ty_unify(x->t, is, wanted, &why))
        return true;
    bool first = !x->failed && !x->p->cx->mem.oom;
    report(x, is, wanted, &why, at);
    if (first && (at.role == AT_ARGUMENT || at.role == AT_BODY) && at.around)
        infer_note_hidden(x, at.around);
    if (first && at.what)
        infer_note_hidden(x, at.what);
    return false;
}
