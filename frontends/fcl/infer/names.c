/* The messages about names that mean nothing: where one is bound that is not seen there, what is
 * called nearly so, and what other languages call what has another name here. */
#include "frontends/fcl/infer/infer.h"

#include "ir/base/nearest.h"

#include <strings.h>

#include <string.h>

/* ---- where a name is bound that is not seen ---- */

/* The binder of that name in a pattern; NULL when there is none. */
static const binder *in_pattern(const pattern *q, str_id name)
{
    const binder *b = q->var && q->var->name == name ? q->var : NULL;
    for (uint32_t i = 0; !b && i < q->n; i++)
        b = in_pattern(q->items[i], name);
    return b;
}

static const binder *in_params(pattern *const *params, uint32_t n, str_id name)
{
    const binder *b = NULL;
    for (uint32_t i = 0; !b && i < n; i++)
        b = in_pattern(params[i], name);
    return b;
}

/* The first one anywhere in an expression. */
static const binder *in_expr(const expr *e, str_id name)
{
    const binder *b = in_params(e->params, e->nparams, name);
    for (uint32_t i = 0; !b && i < e->nbindings; i++) {
        const ast_binding *k = &e->bindings[i];
        b = in_pattern(k->pat, name);
        b = b ? b : in_params(k->params, k->nparams, name);
        b = b ? b : in_expr(k->rhs, name);
    }
    for (uint32_t i = 0; !b && i < e->nargs; i++)
        b = in_expr(e->args[i], name);
    return b;
}

/* A binding of a let around the use that does not see itself, or that comes later. */
static bool used_early(infer *x, const expr *e)
{
    const char *name = program_text_of(x->p, e->name);
    for (uint32_t i = x->lets.len; i-- > 0;) {
        const open_let *l = &x->lets.at[i];
        for (uint32_t k = l->at; k < l->let->nbindings; k++) {
            const binder *b = in_pattern(l->let->bindings[k].pat, e->name);
            if (!b)
                continue;
            infer_fail_at(x, DIAG_FCL_EARLY, e->loc,
                          k == l->at ? "'%s' is used in its own definition"
                                     : "'%s' is used before its definition",
                          name);
            diag_note_add(x->p->cx, b->loc, "it is defined here: a binding sees those before it");
            diag_hint(x->p->cx, "%s",
                      k == l->at ? "there is no recursion: repeat with while, power or a fold"
                                 : "move this definition up, before its use");
            return true;
        }
    }
    return false;
}

/* ---- what it is called here ---- */

/* What is meant; `arrays`: by a function of "arrays", which names no level. */
typedef struct other_name {
    const char *theirs, *hint, *arrays;
} other_name;

static const other_name other_names[] = {
    {"reduce", "redGrid f z xs reduces by the whole grid, red <l> f xs at a level, fold f z xs by one thread",
     "reduce f z xs names no level"},
    {"sum", "redGrid (+) 0 xs adds by the whole grid, fold (+) 0 xs by one thread", "reduce (+) 0 xs adds"},
    {"product", NULL, "reduce (*) 1 xs multiplies"},
    {"mean", NULL, "reduce (+) 0.0 xs / toDouble (length xs) is the mean"},
    {"sort", NULL, "sortBy id xs sorts, sortDownBy id xs the other way round"},
    {"argsort", NULL, "sortPermutation id xs gives the order"},
    {"unique", NULL, "distinct xs gives each number once"},
    {"cumsum", NULL, "scan (+) 0 xs gives all sums from the left"},
    {"filter", "filterGrid n f xs keeps the elements for which f holds", "filter f xs names no level"},
    {"where", "if c then a else b chooses", "filter keeps elements"},
    {"zeros", "replicate n 0 is an array of zeros", NULL},
    {"ones", "replicate n 1 is an array of ones", NULL},
    {"range", "iota n has the numbers from 0 to n - 1", NULL},
    {"arange", "iota n has the numbers from 0 to n - 1", NULL},
    {"foldr", "fold f z xs goes from the left; reverse turns an array round", NULL},
    {"len", "length xs is the number of elements", NULL},
    {"size", "length xs is the number of elements; shape and dim tell the extents", NULL},
    {"head", "first xs is the first element", NULL},
    {"tail", "drop 1 xs is all but the first element", NULL},
    {"enumerate", "zip (iota (length xs)) xs has the indices beside the elements", NULL},
    {"mapi", "zipWith f (iota (length xs)) xs has the indices beside the elements", NULL},
    {"int", "toInt converts; types stand in signatures", NULL},
    {"float", "toF32 and toDouble convert; types stand in signatures", NULL},
    {"double", "toDouble converts; types stand in signatures", NULL},
    {"True", "it is written true", NULL},
    {"False", "it is written false", NULL},
    {"elif", "it is written else if", NULL},
    {"case", "if c then a else b chooses; patterns take tuples apart", NULL},
    {"match", "if c then a else b chooses; patterns take tuples apart", NULL},
    {"print", "what the entry gives is printed", NULL},
    {"lambda", "a function is written fn x => ...", NULL},
};

static const other_name *hint_for(const char *name)
{
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcmp(other_names[i].theirs, name) == 0)
            return &other_names[i];
    return NULL;
}

static void tell_meant(infer *x, const other_name *o)
{
    if (!o->arrays || x->p->imports)
        diag_hint(x->p->cx, "%s", o->arrays ? o->arrays : o->hint);
    else
        diag_hint(x->p->cx, "%s%s%s, with import \"arrays\" at the beginning", o->hint ? o->hint : "", o->hint ? "; " : "", o->arrays);
}

const char *infer_type_meant(const char *name)
{
    static const struct {
        const char *theirs, *ours;
    } meant[] = {{"integer", "int"},  {"float", "f32"},    {"single", "f32"},  {"real", "double"},
                 {"long", "i64"},     {"uint", "u32"},     {"char", "i8"},     {"byte", "u8"},
                 {"boolean", "bool"}, {"float32", "f32"},  {"float64", "f64"}, {"int32", "i32"},
                 {"int64", "i64"},    {"unsigned", "u32"}, {"short", "i16"}};
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (strcasecmp(meant[i].theirs, name) == 0)
            return meant[i].ours;
    for (int s = FCL_BOOL; s < FCL_SCALAR_END; s++) {
        const fcl_scalar_facts *f = fcl_scalar_get((fcl_scalar)s);
        if (f && (strcasecmp(f->name, name) == 0 || strcasecmp(f->alias, name) == 0))
            return strcasecmp(f->name, name) == 0 ? f->name : f->alias;
    }
    return NULL;
}

/* ---- the messages ---- */

static void offer(const infer *x, nearest *near, str_id name)
{
    const char *s = program_text_of(x->p, name);
    if (!strstr(s, "#2017") && !strstr(s, "#arrays"))
        nearest_offer(near, s, strlen(s));
}

/* Every name that means something in the program is a candidate. */
void infer_unknown_name(infer *x, const expr *e)
{
    const char *name = program_text_of(x->p, e->name);
    const other_name *meant = hint_for(name);
    if (x->failed || used_early(x, e))
        return;
    nearest near;
    nearest_init(&near, name, strlen(name));
    for (str_id i = 1; i < x->p->names.len; i++) {
        const name_entry *n = &x->p->names.at[i];
        if (n->user || n->prelude || n->builtin || n->local)
            offer(x, &near, i);
    }
    infer_fail_at(x, DIAG_FCL_UNKNOWN, e->loc, "nothing is called '%s'", name);
    const binder *hidden = x->decl->body ? in_expr(x->decl->body, e->name) : NULL;
    if (hidden)
        diag_note_add(x->p->cx, hidden->loc, "this '%s' is known only inside of what binds it",
                      name);
    else if (lv_named(x->t, name, &(uint32_t){0}))
        diag_hint(x->p->cx, "a level stands between < and >: push <%s>", name);
    else if (meant)
        tell_meant(x, meant);
    else
        nearest_hint(x->p->cx, &near);
}

/* With the nearest level of the machine or of the declaration. */
void infer_unknown_level(infer *x, const lexpr *l)
{
    const char *name = program_text_of(x->p, l->name);
    nearest near;
    nearest_init(&near, name, strlen(name));
    for (uint32_t h = 0; h <= lv_top(x->t); h++)
        nearest_offer(&near, lv_height_name(x->t, h), strlen(lv_height_name(x->t, h)));
    for (uint32_t i = 0; i < x->levels.len; i++)
        if (x->levels.at[i].owner == x->decl)
            offer(x, &near, x->levels.at[i].name);
    if (x->failed)
        return;
    infer_fail_at(x, DIAG_FCL_UNKNOWN_LEVEL, l->loc, "no level is called '%s'", name);
    if (x->t->old && strcmp(name, "warp") == 0)
        diag_hint(x->p->cx, "programs of 2017 know thread, block and grid");
    else
        nearest_hint(x->p->cx, &near);
}
