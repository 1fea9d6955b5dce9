/* The parser: declarations, bindings and patterns, and what all of it stands on.
 *
 * Recursive descent over the tokens of a text, which are all there: looking ahead is an index.  The
 * first error of a declaration is reported; reading goes on at the next sig, fun or val, so that
 * every declaration with a mistake is named in one run.  Grammar: docs/language.md. */
#include "frontends/fcl/parse/parse.h"

#include <stdio.h>
#include <string.h>

/* ---- tokens ---- */

const fcl_token *parse_ahead(const parser *x, uint32_t k)
{
    const fcl_token *t = x->tokens + x->at;
    while (k-- && t->kind != TK_END)
        t++;
    return t;
}

/* When memory is short the text ends here, so that everything comes to its end. */
const fcl_token *parse_here(const parser *x)
{
    static const fcl_token end = {.kind = TK_END};
    return x->p->cx->mem.oom ? &end : x->tokens + x->at;
}

/* Looking at a token never moves. */
bool parse_at(const parser *x, token_kind k)
{
    return parse_here(x)->kind == k;
}

bool parse_accept(parser *x, token_kind k)
{
    if (!parse_at(x, k))
        return false;
    x->at += k != TK_END;
    return true;
}

location parse_loc_here(const parser *x)
{
    const fcl_token *t = parse_here(x);
    return (location){.file = x->file, .line = t->line, .col = t->col, .len = t->len ? t->len : 1};
}

/* Depth is counted also when it is too much, since a leave follows. */
bool parse_enter(parser *x)
{
    if (x->depth++ < PARSE_DEPTH)
        return true;
    if (!x->failed)
        diag_error(x->p->cx, DIAG_TOO_DEEP, parse_loc_here(x), "this nests deeper than %d",
                   PARSE_DEPTH);
    x->failed = true;
    return false;
}

void parse_leave(parser *x)
{
    x->depth--;
}

/* A tree that is too high is refused while it is made, not when it is walked. */
uint32_t parse_higher(parser *x, uint32_t a, uint32_t b)
{
    uint32_t h = (a > b ? a : b) + 1;
    if (h > TREE_HEIGHT) {
        if (!x->failed)
            diag_error(x->p->cx, DIAG_TOO_DEEP, parse_loc_here(x),
                       "this expression nests deeper than %d", TREE_HEIGHT);
        x->failed = true;
        return 1;
    }
    return h;
}

/* A function, so that the item is read even when there is no room for it. */
void parse_add_item(parser *x, node_list *l, void *item)
{
    vec_push(&x->p->cx->mem, l, item);
}

void *parse_keep_list(parser *x, node_list *l, uint32_t *n)
{
    *n = l->len;
    void *kept = program_copy(x->p, l->at, sizeof *l->at, n);
    vec_free(&x->p->cx->mem, l);
    return kept;
}

/* ---- patterns: x, _, (p1, ..., pn), (), (p : t) ---- */

bool parse_pattern_follows(const parser *x)
{
    return parse_at(x, TK_IDENT) || parse_at(x, TK_LPAREN);
}

/* name | "_" */
static pattern *variable_pattern(parser *x)
{
    pattern *q = NODE(x->p, pattern);
    q->loc = parse_loc_here(x);
    q->var = NODE(x->p, binder);
    q->var->loc = q->loc;
    q->var->name =
        strcmp(program_text_of(x->p, parse_here(x)->name), "_") == 0 ? 0 : parse_here(x)->name;
    x->at++;
    return q;
}

/* item = pattern [ ":" type ] */
static pattern *pattern_item(parser *x)
{
    pattern *item = parse_pattern(x);
    if (item && !item->written && parse_accept(x, TK_COLON))
        item->written = parse_type(x);
    return item;
}

/* "(" [ item { "," item } [ "," ] ] ")"; one pattern in parentheses is that pattern. */
static pattern *tuple_pattern(parser *x)
{
    pattern *q = NODE(x->p, pattern);
    node_list items = {0};
    q->loc = parse_loc_here(x);
    const fcl_token *open = parse_here(x);
    x->at++;
    while (!parse_at(x, TK_RPAREN) && !x->failed) {
        pattern *item = pattern_item(x);
        if (item)
            q->height = parse_higher(x, q->height, item->height);
        parse_add_item(x, &items, item);
        if (!parse_accept(x, TK_COMMA))
            break;
    }
    parse_close(x, TK_RPAREN, "after a pattern", open);
    pattern *only = items.len == 1 ? items.at[0] : NULL;
    q->items = parse_keep_list(x, &items, &q->n);
    return only ? only : q;
}

/* Decided by the token in hand. */
pattern *parse_pattern(parser *x)
{
    pattern *q = NULL;
    if (parse_enter(x)) {
        if (parse_at(x, TK_IDENT))
            q = variable_pattern(x);
        else if (parse_at(x, TK_LPAREN))
            q = tuple_pattern(x);
        else if (!parse_reserved(x))
            parse_syntax_error(x, "a name or a pattern such as (x, y)");
    }
    parse_leave(x);
    return x->failed ? NULL : q;
}

/* ---- bindings ---- */

/* Whether a pattern may have the token in it, with a type in it or before there is one. */
static bool in_pattern(token_kind k, bool typed)
{
    switch (k) {
    case TK_LPAREN:
    case TK_RPAREN:
    case TK_COMMA:
    case TK_COLON:
    case TK_IDENT: return true;
    case TK_TYVAR:
    case TK_LBRACKET:
    case TK_RBRACKET:
    case TK_SEMI:
    case TK_INT:
    case TK_PLUS:
    case TK_LT:
    case TK_GT:
    case TK_ARROW: return typed;
    default: return false;
    }
}

/* The index behind a pattern that begins at token k; k itself when there is none. */
static uint32_t pattern_end(const parser *x, uint32_t k)
{
    if (x->tokens[k].kind == TK_IDENT)
        return k + 1;
    if (x->tokens[k].kind != TK_LPAREN)
        return k;
    uint32_t depth = 0, i = k;
    bool typed = false;
    do {
        token_kind t = (token_kind)x->tokens[i].kind;
        if (!in_pattern(t, typed))
            return k;
        typed = typed || t == TK_COLON;
        depth += t == TK_LPAREN;
        depth -= t == TK_RPAREN;
        i++;
    } while (depth);
    return i;
}

/* Whether what is defined before token k ends there. */
static bool binds_at(const parser *x, uint32_t k)
{
    return x->tokens[k].kind == TK_ASSIGN || x->tokens[k].kind == TK_COLON;
}

/* Whether another binding of a let begins here.  On the line of what came before, only `x =`, `x :`
 * and `(x, y) =` do; at the beginning of a line also a function, `f x y =`. */
bool parse_binding_follows(const parser *x)
{
    uint32_t k = pattern_end(x, x->at);
    if (k == x->at)
        return false;
    if (binds_at(x, k))
        return true;
    if (!parse_here(x)->first || !parse_at(x, TK_IDENT))
        return false;
    k += parse_levels_ahead(x, k);
    for (uint32_t next; (next = pattern_end(x, k)) != k && !x->tokens[k].first; k = next)
        ;
    return binds_at(x, k);
}

/* { pattern } */
static pattern **parse_params(parser *x, uint32_t *n)
{
    node_list params = {0};
    while (parse_pattern_follows(x) && !x->failed)
        parse_add_item(x, &params, parse_pattern(x));
    parse_reserved(x);
    return parse_keep_list(x, &params, n);
}

/* binding = ( name [ levels ] { pattern } | pattern ) [ ":" scheme ] "=" expr */
void parse_binding(parser *x, ast_binding *b)
{
    bool named = parse_at(x, TK_IDENT);
    b->pat = parse_pattern(x);
    if (named && parse_levels_ahead(x, x->at))
        b->levels = parse_levels(x, &b->nlevels);
    if (named)
        b->params = parse_params(x, &b->nparams);
    if (parse_accept(x, TK_COLON))
        b->written = parse_scheme(x);
    parse_expect(x, TK_ASSIGN, "after what is defined");
    b->rhs = parse_expr(x);
}

/* ---- declarations ---- */

bool parse_declares(const fcl_token *t)
{
    return t->kind == TK_SIG || t->kind == TK_FUN || t->kind == TK_VAL || t->kind == TK_END;
}

/* fun f <l> = fn x => e is fun f <l> x = e. */
static void take_params(decl *d)
{
    if (d->nparams || !d->body || d->body->kind != EX_FN || d->body->nlevels)
        return;
    d->params = d->body->params;
    d->nparams = d->body->nparams;
    d->body = d->body->args[0];
}

/* ( "fun" | "val" ) name [ levels ] { pattern } [ ":" scheme ] "=" expr.  Only a declaration, or
 * the end, may follow. */
static void parse_definition(parser *x, decl *d)
{
    x->at++;
    d->loc = parse_loc_here(x);
    d->name = parse_at(x, TK_IDENT) ? parse_here(x)->name : 0;
    if (!parse_accept(x, TK_IDENT)) {
        if (!parse_reserved(x))
            parse_syntax_error(x, "the name of what is declared");
        return;
    }
    if (parse_at(x, TK_LT))
        d->levels = parse_levels(x, &d->nlevels);
    d->params = parse_params(x, &d->nparams);
    if (!d->sig && parse_accept(x, TK_COLON))
        d->sig = parse_scheme(x);
    if (parse_expect(x, TK_ASSIGN, "after the name and its parameters"))
        d->body = parse_expr(x);
    if (!x->failed && !parse_declares(parse_here(x)))
        parse_not_ended(x);
    take_params(d);
}

/* "sig" name ":" scheme */
static void parse_signature(parser *x, decl *d)
{
    x->at++;
    d->sig_loc = parse_loc_here(x);
    d->name = parse_at(x, TK_IDENT) ? parse_here(x)->name : 0;
    if (!parse_accept(x, TK_IDENT)) {
        if (!parse_reserved(x))
            parse_syntax_error(x, "the name that the signature is of");
    } else if (parse_expect(x, TK_COLON, "after the name"))
        d->sig = parse_scheme(x);
}

/* A mistake of its own: the name is known, and reading goes on at what follows. */
static void lone_signature(parser *x, const decl *d)
{
    const char *name = program_text_of(x->p, d->name);
    x->failed = true;
    diag_error(x->p->cx, DIAG_FCL_SIG, d->sig_loc,
               "the signature of %s is not followed by its definition", name);
    diag_hint(x->p->cx, "write fun %s ... = ... or val %s = ... behind it", name, name);
}

/* At the beginning of a line and no further to the right than the present one began: a `fun` may
 * also be what is wrong.  Behind what begins no declaration, the next line may be another such. */
bool parse_next_declaration(const parser *x)
{
    const fcl_token *t = parse_here(x), *start = x->tokens + x->start;
    if (t->kind == TK_END)
        return true;
    return x->at > x->start && t->first && t->col <= start->col &&
           (parse_declares(t) || !parse_declares(start));
}

static void skip_declaration(parser *x)
{
    while (!parse_next_declaration(x))
        x->at++;
}

/* Whether the definition of that name is here. */
static bool defines(const parser *x, str_id name)
{
    return (parse_at(x, TK_FUN) || parse_at(x, TK_VAL)) && parse_ahead(x, 1)->name == name;
}

/* A signature that does not follow the grammar leaves its definition with an unknown type. */
static void signed_declaration(parser *x, decl *d)
{
    parse_signature(x, d);
    if (!x->failed && !defines(x, d->name) && !parse_declares(parse_here(x)))
        parse_no_declaration(x);
    bool wrong = x->failed;
    if (wrong) {
        d->sig = NULL;
        skip_declaration(x);
        if (!d->name || !defines(x, d->name))
            return;
        x->failed = false;
    }
    if (defines(x, d->name)) {
        x->start = x->at;
        parse_definition(x, d);
    } else if (!x->p->cx->mem.oom)
        lone_signature(x, d);
    x->failed = x->failed || wrong;
}

/* decl = [ sig ] ( fun | val ), of the same name.  One with an error is known by its name, if it
 * has that, and by its signature. */
static bool parse_declaration(parser *x, decl *d)
{
    x->failed = false;
    x->depth = 0;
    x->in_let = false;
    x->start = x->at;
    if (parse_at(x, TK_SIG))
        signed_declaration(x, d);
    else if (parse_at(x, TK_FUN) || parse_at(x, TK_VAL))
        parse_definition(x, d);
    else
        parse_no_declaration(x);
    d->broken = x->failed;
    return !x->failed;
}

/* { "import" STRING }, at the beginning; there is one text to import. */
static bool parse_imports(parser *x)
{
    static const char word[] = "import";
    bool ok = true;
    while (parse_at(x, TK_IDENT) && parse_ahead(x, 1)->kind == TK_STRING &&
           strcmp(program_text_of(x->p, parse_here(x)->name), word) == 0) {
        x->at++;
        bool known = strcmp(program_text_of(x->p, parse_here(x)->name), "arrays") == 0;
        if (!known)
            diag_error(x->p->cx, DIAG_FCL_SYNTAX, parse_loc_here(x), "there is no import \"%s\"",
                       program_text_of(x->p, parse_here(x)->name));
        if (!known)
            diag_hint(x->p->cx, "there is \"arrays\", operations that name no level");
        ok = ok && known;
        x->p->imports = x->p->imports || known;
        x->at++;
    }
    return ok;
}

/* program = { import } { decl }.  At least one token is passed for each that is wrong. */
bool parse_text(program *p, str_id file, const token_list *tokens, text_kind kind, decl_list *out)
{
    parser x = {.p = p, .file = file, .tokens = tokens->at};
    bool ok = kind != TEXT_USER || parse_imports(&x);
    x.level_free = p->imports && kind != TEXT_PRELUDE;
    while (!parse_at(&x, TK_END) && !p->cx->mem.oom) {
        decl *d = NODE(p, decl);
        d->from_prelude = kind != TEXT_USER;
        d->from_import = kind == TEXT_IMPORT;
        if (!parse_declaration(&x, d)) {
            ok = false;
            skip_declaration(&x);
        }
        d->index = out->len;
        if (d->name)
            vec_push(&p->cx->mem, out, d);
    }
    return ok && !p->cx->mem.oom;
}
