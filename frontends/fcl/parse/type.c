/* The parser: types, schemes and levels, in the writing of both dialects: `type`, `scheme` and
 * `level` of docs/language.md. */
#include "frontends/fcl/parse/parse.h"

#include <string.h>

/* Words such as thread and Program are names where no level or type is meant: the lexer does not
 * know them. */
static bool is_word(const parser *x, const fcl_token *t, const char *word)
{
    return t->kind == TK_IDENT && strcmp(program_text_of(x->p, t->name), word) == 0;
}

/* ---- levels: Z, thread, lvl, 1+lvl ---- */

/* level = { "1" "+" } name */
lexpr parse_level(parser *x)
{
    lexpr l = {.loc = parse_loc_here(x)};
    while (parse_at(x, TK_INT)) {
        if (parse_here(x)->number != 1 || parse_ahead(x, 1)->kind != TK_PLUS) {
            parse_syntax_error(x, "a level such as block or 1+lvl");
            return l;
        }
        l.offset++;
        x->at += 2;
    }
    l.name = is_word(x, parse_here(x), "Z") ? 0 : parse_here(x)->name;
    uint32_t end = parse_here(x)->col + parse_here(x)->len;
    if (!parse_accept(x, TK_IDENT))
        parse_syntax_error(x, "a level such as block or 1+lvl");
    if (parse_here(x)->line == l.loc.line && end > l.loc.col)
        l.loc.len = end - l.loc.col;
    return l;
}

/* The tokens of one level from k on; 0 when there is none. */
static uint32_t lv_length(const parser *x, uint32_t k)
{
    uint32_t n = 0;
    while (x->tokens[k + n].kind == TK_INT && x->tokens[k + n].number == 1 &&
           x->tokens[k + n + 1].kind == TK_PLUS)
        n += 2;
    return x->tokens[k + n].kind == TK_IDENT ? n + 1 : 0;
}

/* The levels of the machine, by name. */
static bool is_level_name(const parser *x, const fcl_token *t)
{
    return is_word(x, t, "thread") || is_word(x, t, "warp") || is_word(x, t, "block") ||
           is_word(x, t, "grid") || is_word(x, t, "Z");
}

/* `f <l> e` applies a level, `a < b` compares.  Nothing that compares is followed by >, so one name
 * between < and > is a level; a comma may stand in a tuple of comparisons, so a list is taken for
 * levels where < follows its function directly, or names a level of the machine. */
uint32_t parse_levels_ahead(const parser *x, uint32_t from)
{
    const fcl_token *t = x->tokens + from;
    if (t->kind != TK_LT || from == 0)
        return 0;
    bool close = t[-1].line == t->line && t[-1].col + t[-1].len == t->col, list = false,
         known = false;
    uint32_t n = 1;
    if (t[1].kind == TK_GT) /* f<>; but a <> b is a mistake for a != b */
        return close ? 2 : 0;
    for (;;) {
        uint32_t one = lv_length(x, from + n);
        if (!one)
            return 0;
        known = known || one > 1 || is_level_name(x, t + n);
        n += one;
        if (t[n].kind != TK_COMMA)
            break;
        list = true;
        n++;
    }
    return t[n].kind == TK_GT && (!list || close || known) ? n + 1 : 0;
}

/* levels = "<" [ level { "," level } ] ">" */
lexpr *parse_levels(parser *x, uint32_t *n)
{
    VEC(lexpr) levels = {0};
    parse_expect(x, TK_LT, NULL);
    while (!parse_at(x, TK_GT) && !x->failed) {
        lexpr l = parse_level(x);
        vec_push(&x->p->cx->mem, &levels, l);
        if (!parse_accept(x, TK_COMMA))
            break;
    }
    parse_expect(x, TK_GT, "after the level");
    *n = levels.len;
    lexpr *kept = program_copy(x->p, levels.at, sizeof *levels.at, n);
    vec_free(&x->p->cx->mem, &levels);
    return kept;
}

/* ---- types ---- */

/* A node at the token in hand. */
static texpr *new_type(parser *x, texpr_kind k)
{
    texpr *t = NODE(x->p, texpr);
    t->kind = k;
    t->loc = parse_loc_here(x);
    return t;
}

/* One part or two (b not NULL), and the height that follows from theirs. */
static void set_args(parser *x, texpr *t, texpr *a, texpr *b)
{
    texpr *args[2] = {a, b};
    t->nargs = b ? 2 : 1;
    t->height = parse_higher(x, a ? a->height : 0, b ? b->height : 0);
    t->args = program_copy(x->p, args, sizeof *args, &t->nargs);
    if (!a || !t->nargs)
        x->failed = true;
}

/* <l> behind an array or Program */
static bool accept_level(parser *x, texpr *t)
{
    if (!parse_accept(x, TK_LT))
        return false;
    t->level = parse_level(x);
    parse_expect(x, TK_GT, "after the level");
    return true;
}

/* "[" type [ ";" rank ] "]" [ "<" level ">" ]; the rank of a built-in's array may be a variable. */
static texpr *parse_array_type(parser *x)
{
    texpr *t = new_type(x, TX_PULL);
    t->rank = 1;
    const fcl_token *open = parse_here(x);
    x->at++;
    texpr *elem = parse_type(x);
    if (parse_accept(x, TK_SEMI) && x->builtin && parse_at(x, TK_IDENT)) {
        t->name = parse_here(x)->name;
        x->at++;
    } else if (x->tokens[x->at - 1].kind == TK_SEMI) {
        t->rank = (uint32_t)(parse_here(x)->number <= FCL_MAX_RANK ? parse_here(x)->number : 0);
        if (!parse_at(x, TK_INT) || !t->rank)
            parse_syntax_error(x, "a number of dimensions from 1 to 8");
        parse_accept(x, TK_INT);
    }
    parse_close(x, TK_RBRACKET, "after the type of the elements", open);
    set_args(x, t, elem, NULL);
    if (accept_level(x, t))
        t->kind = TX_PUSH;
    return t;
}

/* "(" [ type { "," type } [ "," ] ] ")": the type itself where there is one, unit where there is
 * none. */
static texpr *parse_tuple_type(parser *x)
{
    texpr *t = new_type(x, TX_TUPLE);
    node_list items = {0};
    const fcl_token *open = parse_here(x);
    x->at++;
    while (!parse_at(x, TK_RPAREN) && !x->failed) {
        texpr *item = parse_type(x);
        t->height = parse_higher(x, t->height, item ? item->height : 0);
        parse_add_item(x, &items, item);
        if (!parse_accept(x, TK_COMMA))
            break;
    }
    parse_close(x, TK_RPAREN, "after a type", open);
    texpr *only = items.len == 1 ? items.at[0] : NULL;
    t->args = parse_keep_list(x, &items, &t->nargs);
    if (t->nargs == 0)
        t->kind = TX_UNIT;
    return only ? only : t;
}

static texpr *parse_simple_type(parser *x);

/* Program<l> reaches as far as a simple type: Program<l> a -> b is a function. */
static texpr *parse_named_type(parser *x)
{
    texpr *t = new_type(x, parse_at(x, TK_TYVAR) ? TX_VAR : TX_NAME);
    t->name = parse_here(x)->name;
    bool runs = is_word(x, parse_here(x), "Program"), unit = is_word(x, parse_here(x), "unit");
    x->at++;
    if (unit)
        t->kind = TX_UNIT;
    if (!runs)
        return t;
    t->kind = TX_PROG;
    if (!accept_level(x, t))
        parse_syntax_error(x, "a level: Program<block>");
    texpr *inside = parse_enter(x) && !x->failed ? parse_simple_type(x) : NULL;
    parse_leave(x);
    set_args(x, t, inside, NULL);
    return t;
}

/* "<" name ">" "->" type */
static texpr *parse_level_function(parser *x)
{
    texpr *t = new_type(x, TX_LVLFN);
    x->at++;
    t->name = parse_here(x)->name;
    if (!parse_accept(x, TK_IDENT))
        parse_syntax_error(x, "the name of a level variable");
    parse_expect(x, TK_GT, "after the level variable");
    parse_expect(x, TK_ARROW, "after a level parameter");
    texpr *body = x->failed ? NULL : parse_type(x);
    set_args(x, t, body, NULL);
    return t;
}

/* simple: decided by its first token. */
static texpr *parse_simple_type(parser *x)
{
    switch (parse_here(x)->kind) {
    case TK_LBRACKET: return parse_array_type(x);
    case TK_LPAREN: return parse_tuple_type(x);
    case TK_IDENT:
    case TK_TYVAR: return parse_named_type(x);
    case TK_LT: return parse_level_function(x);
    default: return parse_syntax_error(x, "a type");
    }
}

/* type = simple [ "->" type ]: arrows associate to the right. */
texpr *parse_type(parser *x)
{
    texpr *t = NULL;
    if (parse_enter(x))
        t = parse_simple_type(x);
    if (t && !x->failed && parse_at(x, TK_ARROW)) {
        texpr *f = new_type(x, TX_FUN);
        x->at++;
        set_args(x, f, t, parse_type(x));
        t = f;
    }
    parse_leave(x);
    return x->failed ? NULL : t;
}

/* ---- schemes: forall <l1, l2> 'a 'b. t ---- */

/* class, a name of classes.def: its letter. */
static char parse_class(parser *x)
{
    static const struct {
        char letter;
        const char *name;
    } classes[] = {
#define CLASS(letter, name, ...) {letter, name},
#include "frontends/fcl/parse/classes.def"
#undef CLASS
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (is_word(x, parse_here(x), classes[i].name)) {
            x->at++;
            return classes[i].letter;
        }
    parse_syntax_error(x, "a class: scalar, ord, num, int, float or bits");
    return 0;
}

/* { ( name | tyvar ) [ ":" class ] }: variables without a class are not kept, as every variable of
 * a signature is one of its scheme. */
static bound_expr *parse_bounds(parser *x, uint32_t *n)
{
    VEC(bound_expr) bounds = {0};
    while (parse_at(x, TK_TYVAR) || parse_at(x, TK_IDENT)) {
        bound_expr b = {.name = parse_here(x)->name};
        x->at++;
        if (!parse_accept(x, TK_COLON))
            continue;
        b.class = parse_class(x);
        vec_push(&x->p->cx->mem, &bounds, b);
    }
    *n = bounds.len;
    bound_expr *kept = program_copy(x->p, bounds.at, sizeof *bounds.at, n);
    vec_free(&x->p->cx->mem, &bounds);
    return kept;
}

/* scheme = [ "forall" [ levels ] { ( name | tyvar ) [ ":" class ] } "." ] type */
scheme_expr *parse_scheme(parser *x)
{
    scheme_expr *s = NODE(x->p, scheme_expr);
    s->loc = parse_loc_here(x);
    if (parse_accept(x, TK_FORALL)) {
        if (parse_at(x, TK_LT))
            s->levels = parse_levels(x, &s->nlevels);
        s->bounds = parse_bounds(x, &s->nbounds);
        parse_expect(x, TK_DOT, "after the variables of a forall");
    }
    s->body = x->failed ? NULL : parse_type(x);
    return s;
}

/* From builtins.def, so an error would be one of that file. */
texpr *parse_type_text(program *p, const char *text)
{
    token_list tokens = {0};
    str_id file = intern_cstr(&p->cx->strings, "builtin");
    texpr *t = NULL;
    if (parse_lex(p->cx, file, text, strlen(text), &tokens)) {
        parser x = {.p = p, .file = file, .tokens = tokens.at, .builtin = true};
        t = parse_type(&x);
    }
    vec_free(&p->cx->mem, &tokens);
    return t;
}
