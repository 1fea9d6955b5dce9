/* From types as written to types of inference.
 *
 * A name that is no scalar type is a type variable; what an unknown level name means depends on
 * where it stands: in a signature a parameter, in an annotation a variable, elsewhere a mistake.
 * In the types of built-ins there are also `scalar`, rank variables and index_r: see builtins.def.
 * The recursion follows the tree, which TREE_HEIGHT bounds. */
#include "frontends/fcl/infer/infer.h"

#include <string.h>

/* ---- levels ---- */

/* The level that the name stands for in this declaration; 0 when it stands for none. */
static lv lv_in_scope(infer *x, str_id name)
{
    for (uint32_t i = x->levels.len; i-- > 0;)
        if (x->levels.at[i].name == name && x->levels.at[i].owner == x->decl)
            return x->levels.at[i].level;
    return 0;
}

void infer_push_level_name(infer *x, str_id name, lv l)
{
    level_name n = {name, l, x->decl};
    vec_push(&x->p->cx->mem, &x->levels, n);
}

/* A level variable, a level of the machine, Z (thread), or what an unknown name means here. */
static lv lv_of_name(infer *x, const lexpr *l)
{
    uint32_t height = 0;
    lv known = lv_in_scope(x, l->name);
    if (known)
        return known;
    if (!l->name || lv_named(x->t, program_text_of(x->p, l->name), &height))
        return lv_height(x->t, l->name ? height : 0);
    if (x->unknown_levels == UNKNOWN_IS_ERROR) {
        infer_unknown_level(x, l);
        return lv_fresh(x->t);
    }
    known = x->unknown_levels == VARS_RIGID ? lv_rigid(x->t, l->name) : lv_fresh(x->t);
    infer_push_level_name(x, l->name, known);
    return known;
}

/* What is above grid is reported, and given to the caller all the same. */
lv infer_written_level(infer *x, const lexpr *l)
{
    lv found = lv_of_name(x, l);
    for (uint32_t i = 0; i < l->offset; i++)
        found = lv_above(x->t, found);
    level_form f = lv_find(x->t, found);
    if (!f.var && f.offset > lv_top(x->t))
        infer_fail_at(x, DIAG_FCL_ABOVE, l->loc, "there is no level above grid");
    return found;
}

/* ---- types ---- */

/* The variable of that name: one for the whole declaration. */
static ty ty_variable(infer *x, str_id name, var_use use)
{
    for (uint32_t i = 0; i < x->tyvars.len; i++)
        if (x->tyvars.at[i].name == name)
            return x->tyvars.at[i].type;
    type_name n = {name, use == VARS_RIGID ? ty_rigid(x->t, name) : ty_fresh(x->t)};
    vec_push(&x->p->cx->mem, &x->tyvars, n);
    return n.type;
}

/* A variable that is known already keeps what it has. */
void infer_written_bounds(infer *x, const scheme_expr *s, var_use use)
{
    for (uint32_t i = 0; i < s->nbounds; i++) {
        uint32_t known = x->tyvars.len;
        ty t = ty_variable(x, s->bounds[i].name, use);
        if (x->tyvars.len == known)
            continue;
        ty_node_at(x->t, t)->scalars = scalars_of(s->bounds[i].class);
        ty_node_at(x->t, t)->height = FCL_BT;
    }
}

/* The rank variable of that name in the type of a built-in. */
static rank rank_named(infer *x, str_id name)
{
    builtin *b = x->builtin;
    for (uint32_t i = 0; i < b->nranks; i++)
        if (b->rank_names[i] == name)
            return b->ranks[i];
    if (b->nranks == BUILTIN_RANKS)
        return 1;
    b->rank_names[b->nranks] = name;
    b->ranks[b->nranks] = rank_fresh(x->t);
    return b->ranks[b->nranks++];
}

/* index_r: the variable for what an array of rank r is indexed with */
static ty index_type(infer *x, str_id name, const char *rank_name)
{
    builtin *b = x->builtin;
    ty t = ty_variable(x, name, VARS_FREE);
    rank r = rank_named(x, intern_cstr(&x->p->cx->strings, rank_name));
    for (uint32_t i = 0; i < b->nshapes; i++)
        if (b->shapes[i].type == t)
            return t;
    if (b->nshapes < BUILTIN_RANKS)
        b->shapes[b->nshapes++] = (builtin_shape){t, r};
    return t;
}

/* forced_s: the variable for what is received where s is handed on */
static ty forced_type(infer *x, str_id name, const char *state_name)
{
    builtin *b = x->builtin;
    b->state = ty_variable(x, intern_cstr(&x->p->cx->strings, state_name), VARS_FREE);
    b->forced = ty_variable(x, name, VARS_FREE);
    return b->forced;
}

/* A scalar type, a word of builtins.def, or a type variable that is written without its '. */
static ty named_type(infer *x, const texpr *w, var_use use)
{
    const char *name = program_text_of(x->p, w->name);
    fcl_scalar s = fcl_scalar_named(name, strlen(name));
    if (s)
        return x->t->scalar[s];
    if (strcmp(name, "string") == 0)
        return x->t->string;
    if (x->builtin && strcmp(name, "scalar") == 0)
        return ty_fresh_scalar(x->t, scalars_of('A'));
    if (x->builtin && strncmp(name, "bytes", 5) == 0)
        return ty_fresh_scalar(x->t, scalars_of_bytes((uint32_t)(name[5] - '0')));
    if (x->builtin && strncmp(name, "index_", 6) == 0)
        return index_type(x, w->name, name + 6);
    if (x->builtin && strncmp(name, "forced_", 7) == 0)
        return forced_type(x, w->name, name + 7);
    return ty_variable(x, w->name, use);
}

static ty tuple_type(infer *x, const texpr *w, var_use use)
{
    VEC(ty) items = {0};
    for (uint32_t i = 0; i < w->nargs; i++) {
        ty item = infer_annotated_type(x, w->args[i], use);
        vec_push(&x->p->cx->mem, &items, item);
    }
    ty t = ty_tuple(x->t, items.at, items.len);
    vec_free(&x->p->cx->mem, &items);
    return t;
}

/* <l> -> t.  l is known by its name from here on, in this declaration. */
static ty lv_function_type(infer *x, const texpr *w, var_use use)
{
    lv l = lv_rigid(x->t, w->name);
    lv_at(x->t, l)->depth = GENERIC;
    infer_push_level_name(x, w->name, l);
    ty body = infer_annotated_type(x, w->args[0], use);
    return ty_new(x->t, T_LVLFN, body, 0, l);
}

/* A number, or in the types of built-ins a variable. */
static rank written_rank(infer *x, const texpr *w)
{
    return x->builtin && w->name ? rank_named(x, w->name) : w->rank;
}

ty infer_annotated_type(infer *x, const texpr *w, var_use use)
{
    switch (w->kind) {
    case TX_NAME: return named_type(x, w, use);
    case TX_VAR: return ty_variable(x, w->name, use);
    case TX_UNIT: return x->t->unit;
    case TX_TUPLE: return tuple_type(x, w, use);
    case TX_FUN: {
        ty from = infer_annotated_type(x, w->args[0], use);
        return ty_fun(x->t, from, infer_annotated_type(x, w->args[1], use));
    }
    case TX_PULL: {
        ty elem = infer_annotated_type(x, w->args[0], use);
        return ty_new(x->t, T_PULL, elem, written_rank(x, w), 0);
    }
    case TX_PUSH: {
        ty elem = infer_annotated_type(x, w->args[0], use);
        lv l = infer_written_level(x, &w->level);
        return ty_new(x->t, T_PUSH, elem, written_rank(x, w), l);
    }
    case TX_PROG: {
        lv l = infer_written_level(x, &w->level);
        return ty_new(x->t, T_PROG, infer_annotated_type(x, w->args[0], use), 0, l);
    }
    case TX_LVLFN: return lv_function_type(x, w, use);
    }
    return 0;
}
