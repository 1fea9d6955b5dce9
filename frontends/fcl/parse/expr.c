/* The parser: expressions, `expr` of docs/language.md.
 *
 * Recursive descent, and precedence climbing for the operators of binops.def.  Tightest first:
 * atoms and applied levels, application, composition, the operators, |>.  `let`, `fn`, `if` and
 * `do` reach as far to the right as they can.  Sections, pipes and a `let` after another become
 * simpler trees at once.  Recursion is bounded by PARSE_DEPTH, the height of the tree by
 * TREE_HEIGHT. */
#include "frontends/fcl/parse/parse.h"

#include <string.h>

const binop parse_binops[] = {
#define BINOP(tok, prec, op, flt, classes, boolean) {TK_##tok, prec, op, flt, classes, boolean},
#include "frontends/fcl/parse/binops.def"
#undef BINOP
};
const uint32_t parse_binop_count = sizeof parse_binops / sizeof *parse_binops;

/* A node without parts: its height is 0 until with_args. */
static expr *new_expr(parser *x, expr_kind k, location loc)
{
    expr *e = NODE(x->p, expr);
    e->kind = k;
    e->loc = loc;
    return e;
}

/* Gives e its arguments; NULL ones are after an error. */
static expr *with_args(parser *x, expr *e, expr *const *args, uint32_t n)
{
    e->nargs = n;
    e->args = program_copy(x->p, args, sizeof *args, &e->nargs);
    for (uint32_t i = 0; i < e->nargs; i++) {
        if (!args[i])
            x->failed = true;
        e->height = parse_higher(x, e->height ? e->height - 1 : 0, args[i] ? args[i]->height : 0);
    }
    return x->failed ? NULL : e;
}

/* with_args of a scratch list, which is freed. */
static expr *with_list(parser *x, expr *e, node_list *l)
{
    expr *done = with_args(x, e, (expr *const *)l->at, l->len);
    vec_free(&x->p->cx->mem, l);
    return done;
}

/* ---- atoms ---- */

/* literal: an integer or a float; its type follows from its suffix, or its use. */
static expr *parse_number(parser *x)
{
    const fcl_token *t = parse_here(x);
    expr *e = new_expr(x, t->kind == TK_INT ? EX_INT : EX_FLOAT, parse_loc_here(x));
    e->number = t->number;
    e->name = t->name;
    e->suffix = t->suffix;
    x->at++;
    return e;
}

/* name, "true", "false" or a string. */
static expr *parse_word(parser *x, expr_kind k)
{
    expr *e = new_expr(x, k, parse_loc_here(x));
    e->name = parse_here(x)->name;
    e->number = parse_at(x, TK_TRUE);
    x->at++;
    return e;
}

/* The operator's place in binops.def; UINT32_MAX when it is none. */
static uint32_t operator_at(const fcl_token *t)
{
    for (uint32_t i = 0; i < parse_binop_count; i++)
        if (parse_binops[i].token == t->kind)
            return i;
    return UINT32_MAX;
}

/* Parameter i of a section, as the operand that it becomes. */
static expr *parameter(parser *x, expr *f, uint32_t i, location loc)
{
    pattern *q = NODE(x->p, pattern);
    q->loc = loc;
    q->var = NODE(x->p, binder);
    q->var->loc = loc;
    q->var->name = intern_cstr(&x->p->cx->strings, i ? "y" : "x");
    expr *e = new_expr(x, EX_VAR, loc);
    e->name = q->var->name;
    if (f->nparams == 2)
        f->params[i] = q;
    return e;
}

/* "(" binop ")": fn x y => x binop y */
static expr *parse_section(parser *x)
{
    location loc = parse_loc_here(x);
    expr *f = new_expr(x, EX_FN, loc), *body = new_expr(x, EX_OP, loc);
    pattern *none[2] = {0};
    f->nparams = 2;
    f->params = program_copy(x->p, none, sizeof *none, &f->nparams);
    x->at++;
    body->op = (uint8_t)operator_at(parse_here(x));
    x->at += 2;
    expr *operands[2] = {parameter(x, f, 0, loc), parameter(x, f, 1, loc)};
    body = with_args(x, body, operands, 2);
    return with_args(x, f, &body, 1);
}

/* Bindings of a let around these brackets do not go on inside them.  Returns what to restore in_let
 * to. */
static bool inside_brackets(parser *x)
{
    bool in_let = x->in_let;
    x->in_let = false;
    return in_let;
}

/* "()" | "(" expr { "," expr } ")" | "(" expr ":" type ")" | "(" binop ")"; one expression in
 * parentheses is that expression. */
static expr *parse_parens(parser *x)
{
    if (operator_at(parse_ahead(x, 1)) != UINT32_MAX && parse_ahead(x, 2)->kind == TK_RPAREN)
        return parse_section(x);
    expr *e = new_expr(x, EX_TUPLE, parse_loc_here(x));
    node_list items = {0};
    x->at++;
    if (parse_accept(x, TK_RPAREN)) {
        e->kind = EX_UNIT;
        return e;
    }
    const fcl_token *open = x->tokens + x->at - 1;
    bool in_let = inside_brackets(x);
    do
        parse_add_item(x, &items, parse_expr(x));
    while (parse_accept(x, TK_COMMA) && !x->failed);
    x->in_let = in_let;
    if (items.len == 1 && parse_accept(x, TK_COLON)) {
        e->kind = EX_ANNOT;
        e->written = parse_type(x);
    }
    parse_close(x, TK_RPAREN, "to close the parenthesis", open);
    if (items.len != 1 || e->kind == EX_ANNOT)
        return with_list(x, e, &items);
    e = items.at[0];
    vec_free(&x->p->cx->mem, &items);
    return e;
}

/* Whether the bracket, token `at`, stands directly behind what could be indexed: xs[i] is xs
 * applied to a list, which is seldom meant. */
static bool is_subscript(const fcl_token *open, uint32_t at)
{
    const fcl_token *last = at ? open - 1 : open;
    return (last->kind == TK_IDENT || last->kind == TK_RPAREN || last->kind == TK_RBRACKET) &&
           last->line == open->line && last->col + last->len == open->col;
}

/* "[" [ expr { "," expr } [ "," ] ] "]" */
static expr *parse_array(parser *x)
{
    expr *e = new_expr(x, EX_ARRAY, parse_loc_here(x));
    node_list items = {0};
    const fcl_token *open = parse_here(x);
    bool in_let = inside_brackets(x);
    e->subscript = is_subscript(open, x->at);
    x->at++;
    while (!parse_at(x, TK_RBRACKET) && !x->failed) {
        parse_add_item(x, &items, parse_expr(x));
        if (!parse_accept(x, TK_COMMA))
            break;
    }
    x->in_let = in_let;
    parse_close(x, TK_RBRACKET, "to close the array", open);
    return with_list(x, e, &items);
}

/* ---- fn, if, let, do ---- */

/* fn = "fn" [ levels ] { pattern } "=>" expr */
static expr *parse_fn(parser *x)
{
    expr *e = new_expr(x, EX_FN, parse_loc_here(x));
    node_list params = {0};
    x->at++;
    if (parse_at(x, TK_LT))
        e->levels = parse_levels(x, &e->nlevels);
    while (parse_pattern_follows(x) && !x->failed)
        parse_add_item(x, &params, parse_pattern(x));
    e->params = parse_keep_list(x, &params, &e->nparams);
    if (!parse_reserved(x) && !e->nparams && !e->nlevels)
        parse_syntax_error(x, "a parameter");
    parse_expect(x, TK_DARROW, "after the parameters of a function");
    expr *body = x->failed ? NULL : parse_expr(x);
    return with_args(x, e, &body, 1);
}

/* if = "if" expr "then" expr "else" expr */
static expr *parse_if(parser *x)
{
    expr *e = new_expr(x, EX_IF, parse_loc_here(x));
    const fcl_token *open = parse_here(x);
    x->at++;
    expr *args[3] = {parse_expr(x), NULL, NULL};
    if (parse_close(x, TK_THEN, "after the condition", open))
        args[1] = parse_expr(x);
    if (parse_close(x, TK_ELSE, "after what stands for true", open))
        args[2] = parse_expr(x);
    return with_args(x, e, args, 3);
}

/* assert = "assert" expr "," string "in" expr */
static expr *parse_assert(parser *x)
{
    expr *e = new_expr(x, EX_ASSERT, parse_loc_here(x));
    const fcl_token *open = parse_here(x);
    x->at++;
    expr *args[3] = {parse_expr(x), NULL, NULL};
    if (parse_expect(x, TK_COMMA, "after what is asserted") && !parse_at(x, TK_STRING))
        parse_syntax_error(x, "a string, which says what is wrong");
    if (!x->failed)
        args[1] = parse_word(x, EX_STRING);
    if (!x->failed && parse_close(x, TK_IN, "after the text of an assertion", open))
        args[2] = parse_expr(x);
    return with_args(x, e, args, 3);
}

typedef VEC(ast_binding) binding_list;

/* A let or do of these bindings.  The height counts bindings one above the other, as what walks the
 * tree goes through them. */
static expr *with_bindings(parser *x, expr *e, binding_list *l, expr *body)
{
    uint32_t height = 0;
    for (uint32_t i = 0; i < l->len; i++)
        height = parse_higher(x, height ? height - 1 : 0, l->at[i].rhs ? l->at[i].rhs->height : 0);
    e->height = height;
    e->nbindings = l->len;
    e->bindings = program_copy(x->p, l->at, sizeof *l->at, &e->nbindings);
    vec_free(&x->p->cx->mem, l);
    return with_args(x, e, &body, 1);
}

/* One let and those that follow it directly are one list of bindings, each of which sees those
 * before it. let = "let" binding { binding } "in" expr */
static expr *parse_let(parser *x)
{
    expr *e = new_expr(x, EX_LET, parse_loc_here(x));
    binding_list l = {0};
    bool in_let = x->in_let;
    x->in_let = true;
    while (!x->failed && parse_at(x, TK_LET)) {
        const fcl_token *open = parse_here(x);
        x->at++;
        do {
            ast_binding b = {0};
            parse_binding(x, &b);
            vec_push(&x->p->cx->mem, &l, b);
        } while (!x->failed && parse_binding_follows(x));
        parse_close(x, TK_IN, "after the bindings of a let", open);
    }
    x->in_let = in_let;
    return with_bindings(x, e, &l, x->failed ? NULL : parse_expr(x));
}

/* The pattern of a statement whose value nobody names: _. */
static pattern *nothing(parser *x)
{
    pattern *q = NODE(x->p, pattern);
    q->loc = parse_loc_here(x);
    q->var = NODE(x->p, binder);
    q->var->loc = q->loc;
    return q;
}

/* Whether the statement is pattern "<-" expr, by looking ahead for the arrow. */
static bool arrow_statement(const parser *x)
{
    if (parse_at(x, TK_IDENT))
        return parse_ahead(x, 1)->kind == TK_LARROW;
    uint32_t k = 0;
    while (parse_ahead(x, k)->kind == TK_LPAREN || parse_ahead(x, k)->kind == TK_RPAREN ||
           parse_ahead(x, k)->kind == TK_IDENT || parse_ahead(x, k)->kind == TK_COMMA)
        k++;
    return k && parse_at(x, TK_LPAREN) && parse_ahead(x, k)->kind == TK_LARROW;
}

/* stmt = [ pattern "<-" ] expr */
static void parse_statement(parser *x, ast_binding *b)
{
    bool named = arrow_statement(x);
    b->monadic = true;
    b->pat = named ? parse_pattern(x) : nothing(x);
    if (named)
        parse_expect(x, TK_LARROW, NULL);
    b->rhs = x->failed ? NULL : parse_expr(x);
}

/* do = "do" [ levels ] "{" stmt { ";" stmt } [ ";" ] "}": the last statement is the result. */
static expr *parse_do(parser *x)
{
    expr *e = new_expr(x, EX_DO, parse_loc_here(x));
    binding_list l = {0};
    bool in_let = inside_brackets(x);
    x->at++;
    if (parse_at(x, TK_LT))
        e->levels = parse_levels(x, &e->nlevels);
    const fcl_token *open = parse_here(x);
    parse_expect(x, TK_LBRACE, "after do");
    while (!parse_at(x, TK_RBRACE) && !x->failed) {
        ast_binding b = {0};
        parse_statement(x, &b);
        vec_push(&x->p->cx->mem, &l, b);
        if (!parse_accept(x, TK_SEMI))
            break;
    }
    x->in_let = in_let;
    parse_close(x, TK_RBRACE, "to close the do", open);
    expr *body = l.len ? l.at[l.len - 1].rhs : NULL;
    if (l.len && l.at[l.len - 1].pat && l.at[l.len - 1].pat->var && l.at[l.len - 1].pat->var->name)
        parse_syntax_error(x, "an expression at the end of the do");
    if (!l.len)
        parse_syntax_error(x, "a statement");
    else
        l.len--;
    return with_bindings(x, e, &l, body);
}

/* ---- application ---- */

/* How many tokens from number `from` on, a bracket, are up to the one that closes it. */
static uint32_t bracketed(const parser *x, uint32_t from)
{
    uint32_t depth = 0, k = from;
    do {
        token_kind t = (token_kind)parse_ahead(x, k)->kind;
        depth += t == TK_LBRACKET;
        depth -= t == TK_RBRACKET;
        if (parse_declares(parse_ahead(x, k)))
            break;
        k++;
    } while (depth);
    return k - from;
}

/* Whether `with <levels> [i] <-` stands here: only then is the word more than a name. */
static bool with_follows(const parser *x)
{
    const fcl_token *t = parse_here(x);
    if (t->kind != TK_IDENT || t->name != intern_cstr(&x->p->cx->strings, "with"))
        return false;
    uint32_t from = 1 + parse_levels_ahead(x, x->at + 1);
    return parse_ahead(x, from)->kind == TK_LBRACKET &&
           parse_ahead(x, from + bracketed(x, from))->kind == TK_LARROW;
}

/* Whether one more argument follows.  In a let, a name may also begin the next binding. */
static bool atom_follows(const parser *x)
{
    switch (parse_here(x)->kind) {
    case TK_IDENT:
        if (with_follows(x))
            return false;
        return !x->in_let || !parse_binding_follows(x);
    case TK_LPAREN: return !x->in_let || !parse_binding_follows(x);
    case TK_INT:
    case TK_FLOAT:
    case TK_STRING:
    case TK_TRUE:
    case TK_FALSE:
    case TK_LBRACKET: return true;
    default: return false;
    }
}

/* plain, fn, if, let or do: decided by the token in hand. */
static expr *parse_plain_atom(parser *x)
{
    switch (parse_here(x)->kind) {
    case TK_INT:
    case TK_FLOAT: return parse_number(x);
    case TK_STRING: return parse_word(x, EX_STRING);
    case TK_TRUE:
    case TK_FALSE: return parse_word(x, EX_BOOL);
    case TK_IDENT: return parse_word(x, EX_VAR);
    case TK_LPAREN: return parse_parens(x);
    case TK_LBRACKET: return parse_array(x);
    case TK_FN: return parse_fn(x);
    case TK_IF: return parse_if(x);
    case TK_ASSERT: return parse_assert(x);
    case TK_LET: return parse_let(x);
    case TK_DO: return parse_do(x);
    default: return parse_syntax_error(x, "an expression");
    }
}

/* atom = ( plain | fn | if | let | do ) [ levels ].  Levels behind a name stay with it, since they
 * may be those of its scheme. */
static expr *parse_atom(parser *x)
{
    expr *e = parse_plain_atom(x);
    if (!e || x->failed || !parse_levels_ahead(x, x->at))
        return x->failed ? NULL : e;
    uint32_t n = 0;
    lexpr *levels = parse_levels(x, &n);
    if (e->kind != EX_VAR)
        e = with_args(x, new_expr(x, EX_LAPP, e->loc), &e, 1);
    if (e) {
        e->levels = levels;
        e->nlevels = n;
    }
    return e;
}

/* apply = atom { argument } [ fn | do ], as one node for all arguments. */
static expr *parse_application(parser *x)
{
    expr *head = parse_atom(x);
    if (!head || (!atom_follows(x) && !parse_at(x, TK_FN) && !parse_at(x, TK_DO)))
        return head;
    expr *e = new_expr(x, EX_APP, head->loc);
    node_list args = {0};
    parse_add_item(x, &args, head);
    while (!x->failed && atom_follows(x))
        parse_add_item(x, &args, parse_atom(x));
    if (!x->failed && (parse_at(x, TK_FN) || parse_at(x, TK_DO)))
        parse_add_item(x, &args, parse_atom(x));
    return with_list(x, e, &args);
}

/* compose = apply [ "." compose ]: f . g . h is f . (g . h) */
static expr *parse_composition(parser *x)
{
    expr *left = parse_enter(x) ? parse_application(x) : NULL;
    location loc = parse_loc_here(x);
    if (left && parse_accept(x, TK_DOT)) {
        expr *args[2] = {left, parse_composition(x)};
        left = with_args(x, new_expr(x, EX_COMPOSE, loc), args, 2);
    }
    parse_leave(x);
    return left;
}

/* ---- operators ---- */

/* unary = "-" unary | compose */
static expr *parse_unary(parser *x)
{
    location loc = parse_loc_here(x);
    if (!parse_accept(x, TK_MINUS))
        return parse_composition(x);
    expr *e = parse_enter(x) ? parse_unary(x) : NULL;
    parse_leave(x);
    return with_args(x, new_expr(x, EX_NEG, loc), &e, 1);
}

/* a <-1 is a < -1 here: there is no arrow inside an expression. */
static expr *parse_less_minus(parser *x)
{
    location loc = parse_loc_here(x);
    x->at++;
    expr *e = parse_unary(x);
    return with_args(x, new_expr(x, EX_NEG, loc), &e, 1);
}

/* operator_at for a kind of token. */
static uint32_t operator_of(token_kind k)
{
    return operator_at(&(fcl_token){.kind = (uint8_t)k});
}

/* op_expr = unary { binop unary }, by precedence climbing: takes operators of at least that
 * precedence.  All associate to the left, so what is to the right of one takes only tighter
 * ones. */
static expr *parse_operators(parser *x, uint32_t least)
{
    expr *left = parse_enter(x) ? parse_unary(x) : NULL;
    while (left && !x->failed) {
        bool arrow = parse_at(x, TK_LARROW);
        uint32_t op = arrow ? operator_of(TK_LT) : operator_at(parse_here(x));
        if (op == UINT32_MAX || parse_binops[op].precedence < least)
            break;
        expr *e = new_expr(x, EX_OP, parse_loc_here(x));
        e->op = (uint8_t)op;
        x->at += !arrow;
        expr *args[2] = {left, arrow ? parse_less_minus(x)
                                     : parse_operators(x, parse_binops[op].precedence + 1u)};
        left = with_args(x, e, args, 2);
    }
    parse_leave(x);
    return x->failed ? NULL : left;
}

/* e |> f x y is f x y e, an application that remembers where its last argument came from. */
static expr *pipe_into(parser *x, expr *e, expr *f)
{
    node_list args = {0};
    expr *app = new_expr(x, EX_APP, f ? f->loc : e->loc);
    app->piped = true;
    if (f && f->kind == EX_APP)
        for (uint32_t i = 0; i < f->nargs; i++)
            parse_add_item(x, &args, f->args[i]);
    else
        parse_add_item(x, &args, f);
    parse_add_item(x, &args, e);
    return with_list(x, app, &args);
}

/* Where the level is not written, a single thread does it; where levels are not named, nobody says. */
static expr *updater(parser *x)
{
    expr *f = new_expr(x, EX_VAR, parse_loc_here(x));
    f->name = intern_cstr(&x->p->cx->strings, "updateAt");
    x->at++;
    if (parse_levels_ahead(x, x->at)) {
        f->levels = parse_levels(x, &f->nlevels);
        return f;
    }
    if (x->level_free)
        return f;
    lexpr thread = {.loc = f->loc, .name = intern_cstr(&x->p->cx->strings, "thread")};
    f->nlevels = 1;
    f->levels = program_copy(x->p, &thread, sizeof thread, &f->nlevels);
    return f;
}

/* "[" expr { "," expr } "]": several indices are a tuple. */
static expr *parse_indices(parser *x)
{
    expr *list = parse_array(x);
    if (!list || x->failed)
        return NULL;
    if (!list->nargs)
        return parse_syntax_error(x, "an index");
    list->kind = EX_TUPLE;
    return list->nargs == 1 ? list->args[0] : list;
}

/* "with" [ levels ] "[" indices "]" "<-" op_expr: updateAt <l> e indices value */
static expr *parse_with(parser *x, expr *e)
{
    expr *app = new_expr(x, EX_APP, parse_loc_here(x)), *args[4] = {updater(x), e, NULL, NULL};
    args[2] = x->failed ? NULL : parse_indices(x);
    parse_expect(x, TK_LARROW, "behind the index");
    args[3] = x->failed ? NULL : parse_operators(x, 0);
    return with_args(x, app, args, 4);
}

/* expr = op_expr { "|>" op_expr | with }, from left to right. */
expr *parse_expr(parser *x)
{
    expr *e = parse_enter(x) ? parse_operators(x, 0) : NULL;
    while (e && !x->failed && (parse_at(x, TK_PIPE) || with_follows(x)))
        e = parse_accept(x, TK_PIPE) ? pipe_into(x, e, parse_operators(x, 0)) : parse_with(x, e);
    parse_leave(x);
    return x->failed ? NULL : e;
}
