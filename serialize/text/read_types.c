/* Reading types, levels, and what stands in <...>: `type`, `level`, `kind` and `tparams` of
 * docs/format.md; see text/parse.h.
 *
 * Levels and types that a type binds itself (<l> -> t, forall 'a. t) become de Bruijn indices at
 * once: a binder is known by the number of binders around it.  So types that differ in the names of
 * their binders only are one type.  Recursion is bounded by limits.type_depth.  The functions
 * return 0 after an error, which they have reported. */
#include "ir/data.h"
#include "serialize/text/parse.h"

enum { TPARAMS_MAX = 255, TUPLE_MAX = UINT16_MAX };

static ir_type type_at(reader *r, uint32_t depth);

/* A type that was made of good parts, but may nest deeper than types can. */
static ir_type made(reader *r, ir_type t)
{
    if (!t && !r->cx->mem.oom)
        text_too_deep(r, "types");
    return t;
}

/* A word that is none of the scalar types: perhaps misspelt, or a type parameter without its '. */
static ir_type unknown_type(reader *r, const token *t)
{
    diag_error(r->cx, text_unknown_code(r, DIAG_TEXT_UNKNOWN_TYPE), text_token_loc(r, t),
               "'%.*s' is not a type", (int)(t->len < 200 ? t->len : 200), t->at);
    const char *near =
        text_errors_kept(r) ? words_nearest(&r->s->words, WORD_SCALAR, t->at, t->len) : NULL;
    if (text_find_name(r, SPACE_TYPE, text_token_name(r, t)).id)
        diag_hint(r->cx, "a type parameter is written with an apostrophe: '%.*s",
                  (int)(t->len < 200 ? t->len : 200), t->at);
    else if (!text_hint_newer(r) && near)
        diag_hint(r->cx, "did you mean %s?", near);
    return 0;
}

/* type = SCALAR */
static ir_type scalar_type(reader *r)
{
    token t = r->tok;
    uint32_t s = word_code(&t, WORD_SCALAR);
    next_token(r);
    return s ? r->s->scalars[s] : unknown_type(r, &t);
}

/* type = "'"NAME: one that a forall around it in this type binds, or one of the function. */
static ir_type type_parameter(reader *r)
{
    token t = r->tok;
    text_binding b = text_find_name(r, SPACE_TYPE, text_token_name(r, &t));
    next_token(r);
    if (b.id == ID_FAILED)
        return 0;
    if (b.id & ID_BINDER)
        return type_bound(r->m, r->type_binders - 1 - (b.id & ~ID_BINDER));
    if (b.id)
        return type_var(r->m, b.id);
    diag_error(r->cx, DIAG_TEXT_UNKNOWN_TYPE, text_token_loc(r, &t),
               "the type parameter %.*s is not known here", (int)(t.len < 200 ? t.len : 200), t.at);
    return 0;
}

/* ( t ) or ( t1, ..., tn ): the opening bracket was taken.  Parts are kept on the stack r->types,
 * above those of whatever type this one is a part of. */
static ir_type tuple_type(reader *r, uint32_t depth)
{
    uint32_t base = r->types.len, bad = 0;
    do {
        ir_type t = type_at(r, depth + 1);
        bad |= !t || !vec_push(&r->cx->mem, &r->types, t);
    } while (!bad && take_token(r, ','));
    uint32_t n = r->types.len - base;
    r->types.len = base;
    if (bad || !text_expect_token(r, ')', "')' or ','"))
        return 0;
    if (n > TUPLE_MAX) {
        diag_error(r->cx, DIAG_TOO_LARGE, text_token_loc(r, &r->tok),
                   "a tuple has at most %d components", TUPLE_MAX);
        return 0;
    }
    return n == 1 ? r->types.at[base] : made(r, type_tuple(r->m, r->types.at + base, n));
}

/* RANK, one digit. */
static bool read_rank(reader *r, uint32_t *rank)
{
    const token *t = &r->tok;
    if (t->kind != T_NUMBER)
        return text_syntax_error(r, "the number of dimensions");
    if (t->len != 1 || t->at[0] < '1' || t->at[0] > '0' + MAX_RANK)
        return diag_error(r->cx, DIAG_TEXT_SYNTAX, text_token_loc(r, t),
                          "an array has 1 to %d dimensions", MAX_RANK);
    *rank = (uint32_t)(t->at[0] - '0');
    next_token(r);
    return true;
}

/* [ t ; rank ] < level >: the opening bracket was taken. */
static ir_type array_type(reader *r, uint32_t depth)
{
    uint32_t rank = 1;
    ir_level level;
    ir_type elem = type_at(r, depth + 1);
    if (!elem || (take_token(r, ';') && !read_rank(r, &rank)) || !text_expect_token(r, ']', "']'"))
        return 0;
    if (!take_token(r, '<'))
        return made(r, type_pull(r->m, elem, rank));
    if (!text_read_level(r, &level) || !text_expect_token(r, '>', "'>'"))
        return 0;
    return made(r, type_push(r->m, elem, rank, level));
}

/* < l > -> t: the opening bracket was taken. */
static ir_type level_function_type(reader *r, uint32_t depth)
{
    uint32_t mark = r->undos.len;
    if (r->tok.kind != T_NAME)
        return text_syntax_error(r, "the name of a level parameter");
    text_bind_over(r, SPACE_LEVEL, &r->tok, ID_BINDER + r->level_binders++);
    next_token(r);
    ir_type body = 0;
    if (text_expect_token(r, '>', "'>'") && text_expect_token(r, T_ARROW, "'->'"))
        body = type_at(r, depth + 1);
    r->level_binders--;
    text_leave_scope(r, mark);
    return body ? made(r, type_lvlfn(r->m, body)) : 0;
}

/* kind = "BT" | "GT" | "TYP", or a bound: "scalar", ... */
static bool read_kind(reader *r, kind *k)
{
    uint32_t code = word_code(&r->tok, WORD_KIND);
    if (!code)
        return text_syntax_error(r, "a kind: BT, GT, TYP, scalar, ord, num, int, float or bits");
    *k = (kind)code;
    next_token(r);
    return true;
}

/* forall 'a: KIND. t: the word was taken. */
static ir_type scheme_type(reader *r, uint32_t depth)
{
    uint32_t mark = r->undos.len;
    kind k = KIND_NONE;
    if (r->tok.kind != T_TVAR)
        return text_syntax_error(r, "a type parameter such as 'a");
    text_bind_over(r, SPACE_TYPE, &r->tok, ID_BINDER + r->type_binders++);
    next_token(r);
    ir_type body = 0;
    if ((!take_token(r, ':') || read_kind(r, &k)) && text_expect_token(r, '.', "'.'"))
        body = type_at(r, depth + 1);
    r->type_binders--;
    text_leave_scope(r, mark);
    return body ? made(r, type_forall(r->m, k, body)) : 0;
}

/* Behind "->", which is right associative: what follows is the whole of the result's type. */
static ir_type function_type(reader *r, ir_type from, uint32_t depth)
{
    ir_type to = type_at(r, depth + 1);
    return from && to ? made(r, type_fun(r->m, from, to)) : 0;
}

/* type, in as many others.  Level functions and schemes reach as far to the right as they can, so
 * no arrow is looked for behind them.  The arrow behind a type that could not be read is read all
 * the same, to go on in the right place. */
static ir_type type_at(reader *r, uint32_t depth)
{
    ir_type t = 0;
    if (depth > r->cx->limits.type_depth)
        return text_too_deep(r, "types");
    if (take_token(r, '<'))
        return level_function_type(r, depth);
    if (is_key(&r->tok, KEY_FORALL)) {
        next_token(r);
        return scheme_type(r, depth);
    }
    if (take_token(r, '('))
        t = tuple_type(r, depth);
    else if (take_token(r, '['))
        t = array_type(r, depth);
    else if (r->tok.kind == T_NAME)
        t = scalar_type(r);
    else if (r->tok.kind == T_TVAR)
        t = type_parameter(r);
    else
        text_syntax_error(r, "a type");
    return take_token(r, T_ARROW) ? function_type(r, t, depth) : t;
}

ir_type text_read_type(reader *r)
{
    return type_at(r, 1);
}

/* ---- levels ---- */

/* Whether the word names a scalar type or a level in texts of this one's version: one that came
 * later is a name like any other, if it is bound as one. */
static bool is_named_yet(const reader *r, const token *t)
{
    uint32_t s = word_code(t, WORD_SCALAR), height = word_code(t, WORD_LEVEL);
    bool named = s && ir_scalar_info((scalar)s)->since <= r->version;
#define LEVEL(e, at, name, since) named |= height == (at) + 1 && (since) <= r->version;
#include "ir/types.def"
#undef LEVEL
    return named;
}

/* A level constant, one that the type binds, or a level parameter of the function. */
static ir_level named_level(reader *r, const token *t)
{
    uint32_t height = word_code(t, WORD_LEVEL);
    if (height && is_named_yet(r, t))
        return level_const(height - 1);
    text_binding b = text_find_name(r, SPACE_LEVEL, text_token_name(r, t));
    if (height && !b.id)
        return level_const(height - 1);
    if (b.id == ID_FAILED)
        return 0;
    if (b.id & ID_BINDER)
        return level_bound(r->level_binders - 1 - (b.id & ~ID_BINDER));
    if (b.id)
        return level_var(b.id);
    diag_error(r->cx, text_unknown_code(r, DIAG_TEXT_UNKNOWN_LEVEL), text_token_loc(r, t),
               "'%.*s' is not a level", (int)(t->len < 200 ? t->len : 200), t->at);
    const char *near =
        text_errors_kept(r) ? words_nearest(&r->s->words, WORD_LEVEL, t->at, t->len) : NULL;
    if (text_hint_newer(r))
        return 0;
    if (near)
        diag_hint(r->cx, "did you mean %s?", near);
    else
        diag_hint(r->cx, "levels are thread, warp, block, grid, level parameters and 1+level");
    return 0;
}

/* At the 1 of 1+level: there is no other number that begins a level. */
static bool at_successor(const reader *r)
{
    return r->tok.kind == T_NUMBER && r->tok.len == 1 && r->tok.at[0] == '1';
}

bool text_read_level(reader *r, ir_level *level)
{
    token start = r->tok;
    uint32_t above = 0;
    for (; at_successor(r); above++) {
        next_token(r);
        if (!text_expect_token(r, '+', "'+'"))
            return false;
    }
    if (r->tok.kind != T_NAME)
        return text_syntax_error(r, "a level");
    token name = r->tok;
    next_token(r);
    ir_level l = named_level(r, &name);
    if (!l)
        return false;
    while (l && above--)
        l = level_succ(l);
    *level = l;
    return l || diag_error(r->cx, DIAG_TOO_LARGE, text_token_loc(r, &start),
                           "this level is higher than any machine");
}

/* ---- parameters of types and levels ---- */

/* A level parameter is a bare name: where one is used, these words mean something else. */
static bool is_reserved(const reader *r, const token *t)
{
    return is_named_yet(r, t) || is_key(t, KEY_FORALL);
}

static bool too_many(reader *r)
{
    return diag_error(r->cx, DIAG_TOO_LARGE, text_token_loc(r, &r->tok),
                      "there are more than %d type parameters or level parameters", TPARAMS_MAX);
}

/* tparam = NAME.  f: the function that declares it, or 0 for an inner fn of r->func. */
static bool level_parameter(reader *r, ir_func f)
{
    token t = r->tok;
    next_token(r);
    if (is_reserved(r, &t))
        diag_error(r->cx, DIAG_TEXT_RESERVED_NAME, text_token_loc(r, &t),
                   "'%.*s' cannot name a level parameter", (int)t.len, t.at);
    str_id name = text_token_name(r, &t);
    ir_tvar v = f ? ir_add_func_tvar(r->m, f, name, true, KIND_NONE)
                  : ir_add_tvar(r->m, r->func, name, true, KIND_NONE);
    text_bind_token(r, SPACE_LEVEL, &t, v);
    if (!level_var(v) && !r->cx->mem.oom)
        return diag_error(r->cx, DIAG_TOO_LARGE, text_token_loc(r, &t),
                          "the module has too many level parameters");
    return vec_push(&r->cx->mem, &r->levels, v);
}

/* tparam = "'"NAME [ ":" kind ].  One behind a level parameter is reported, bound so that its uses
 * are not reported too, and not declared. */
static bool type_parameter_declared(reader *r, ir_func f, bool after_levels)
{
    token t = r->tok;
    kind k = KIND_NONE;
    next_token(r);
    bool ok = !take_token(r, ':') || read_kind(r, &k);
    if (after_levels) {
        diag_error(r->cx, DIAG_TEXT_SYNTAX, text_token_loc(r, &t),
                   "type parameters come before level parameters");
        text_bind_token(r, SPACE_TYPE, &t, ID_FAILED);
        return ok;
    }
    str_id name = text_token_name(r, &t);
    ir_tvar v =
        f ? ir_add_func_tvar(r->m, f, name, false, k) : ir_add_tvar(r->m, r->func, name, false, k);
    text_bind_token(r, SPACE_TYPE, &t, v);
    return vec_push(&r->cx->mem, &r->types, v) && ok;
}

/* tparams = "<" list(tparam) ">", the bracket being in hand. */
bool text_read_tparams(reader *r, ir_func f)
{
    uint32_t types = r->types.len, levels = r->levels.len;
    next_token(r); /* < */
    for (bool more = r->tok.kind != '>'; more; more = take_token(r, ',')) {
        bool ok;
        if (r->types.len - types > TPARAMS_MAX || r->levels.len - levels > TPARAMS_MAX)
            return too_many(r);
        if (r->tok.kind == T_TVAR)
            ok = type_parameter_declared(r, f, r->levels.len > levels);
        else if (r->tok.kind == T_NAME)
            ok = level_parameter(r, f);
        else
            ok = text_syntax_error(r, "a type parameter such as 'a, or a level parameter");
        if (!ok)
            return false;
    }
    if (r->types.len - types > TPARAMS_MAX || r->levels.len - levels > TPARAMS_MAX)
        return too_many(r);
    return text_expect_token(r, '>', "',' or '>'");
}

/* ---- instances ---- */

/* Levels and types look alike where both may stand; a name decides by what it stands for. */
static bool at_level(reader *r)
{
    if (at_successor(r))
        return true;
    return r->tok.kind == T_NAME &&
           (word_code(&r->tok, WORD_LEVEL) ||
            text_find_name(r, SPACE_LEVEL, text_token_name(r, &r->tok)).id);
}

/* type | level, types first; `levels` is where this instance's begin. */
static bool read_argument(reader *r, uint32_t levels)
{
    if (at_level(r)) {
        ir_level l = 0;
        return text_read_level(r, &l) && vec_push(&r->cx->mem, &r->levels, l);
    }
    if (r->levels.len > levels)
        return text_syntax_error(r, "a level, since types come before levels");
    ir_type t = text_read_type(r);
    return t && vec_push(&r->cx->mem, &r->types, t);
}

/* What was pushed since the list had `base` entries. */
static const uint32_t *pushed_since(const vec_u32 *list, uint32_t base)
{
    return list->at ? list->at + base : NULL;
}

/* "<" list(type | level) ">", the bracket being in hand; an empty list makes no instance. */
bool text_read_instance(reader *r, uint32_t *inst)
{
    uint32_t types = r->types.len, levels = r->levels.len;
    bool ok = true;
    next_token(r); /* < */
    if (r->tok.kind != '>')
        do
            ok = read_argument(r, levels);
        while (ok && take_token(r, ','));
    ok = ok && text_expect_token(r, '>', "',' or '>'");
    uint32_t ntypes = r->types.len - types, nlevels = r->levels.len - levels;
    if (ok && ntypes + nlevels)
        *inst = ir_add_inst(r->m, pushed_since(&r->types, types), ntypes,
                            pushed_since(&r->levels, levels), nlevels);
    r->types.len = types;
    r->levels.len = levels;
    return ok;
}

/* ---- constants ---- */

/* ";" list(EXTENT) */
static bool read_extents(reader *r, uint32_t *extents, uint32_t *rank)
{
    *rank = 0;
    if (!text_expect_token(r, ';', "';' and the extents of the constant"))
        return false;
    do {
        if (*rank == MAX_RANK)
            return diag_error(r->cx, DIAG_TEXT_SYNTAX, text_token_loc(r, &r->tok),
                              "an array has 1 to %d dimensions", MAX_RANK);
        if (!text_read_u32(r, &extents[(*rank)++], "an extent"))
            return false;
    } while (take_token(r, ','));
    return true;
}

/* data = "<" type ";" list(EXTENT) ">" STRING, the bracket being in hand. */
bool text_read_data(reader *r, uint32_t *type, uint32_t *inst)
{
    uint32_t extents[MAX_RANK], rank;
    str_id bytes;
    next_token(r); /* < */
    *type = text_read_type(r);
    if (!*type || !read_extents(r, extents, &rank) || !text_expect_token(r, '>', "',' or '>'"))
        return false;
    token t = r->tok;
    if (!text_expect_token(r, T_STRING, "the constant's bytes, in base 64 and in quotation marks"))
        return false;
    if (!text_read_bytes(r, &t, &bytes))
        return false;
    const char *wrong = ir_data_wrong(r->m, *type, extents, rank, bytes);
    if (wrong)
        return diag_error(r->cx, DIAG_TEXT_ATTRIBUTE, text_token_loc(r, &t), "this constant %s",
                          wrong);
    *inst = ir_add_data(r->m, extents, rank, bytes);
    return *inst != 0;
}
