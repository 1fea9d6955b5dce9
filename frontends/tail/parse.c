/* Recursive descent over TAIL.  Chains of `let` are followed in a loop, everything else is bounded
 * by TAIL_DEPTH.  Names are bound as they are read: a table knows the innermost declaration of
 * each. */
#include "frontends/tail/lex.h"

#include <math.h>
#include <string.h>

typedef struct name_table {
    tail_decl **at; /* by hash, open addressing; the innermost declaration of a name, whose `bound`
                       tells whether it is in scope */
    size_t size, used;
} name_table;

typedef struct parser {
    tail_lexer l;
    tail_program *p;
    name_table names;
    unsigned depth;
} parser;

static tail_node *parse_exp(parser *ps);

/* ---- errors ---- */

static bool is_mark(const parser *ps, char mark)
{
    return ps->l.token.kind == TOKEN_MARK && ps->l.token.mark == mark;
}

static bool is_word(const parser *ps, const char *word)
{
    const tail_token *t = &ps->l.token;
    return t->kind == TOKEN_NAME && t->at.length == strlen(word) &&
           memcmp(t->text, word, t->at.length) == 0;
}

/* What was found in place of what is wanted. */
static bool expected(parser *ps, const char *what)
{
    const tail_token *t = &ps->l.token;
    if (t->kind == TOKEN_END)
        return tail_fail(ps->p, TAIL_SYNTAX, t->at, NULL, "the text ends where %s is expected",
                         what);
    int n = t->at.length > 40 ? 40 : (int)t->at.length;
    return tail_fail(ps->p, TAIL_SYNTAX, t->at, NULL, "%s is expected here, not '%.*s'", what, n,
                     t->text);
}

static bool take_mark(parser *ps, char mark)
{
    char what[] = {'\'', mark, '\'', '\0'};
    return is_mark(ps, mark) ? tail_next(&ps->l) : expected(ps, what);
}

static bool take_word(parser *ps, const char *word)
{
    return is_word(ps, word) ? tail_next(&ps->l) : expected(ps, word);
}

static bool enter(parser *ps)
{
    if (++ps->depth <= TAIL_DEPTH)
        return true;
    return tail_fail(ps->p, TAIL_NESTED, ps->l.token.at, "name parts of it with let",
                     "this is nested deeper than %d", TAIL_DEPTH);
}

/* ---- names ---- */

static size_t hash(const char *name, size_t n)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)name[i]) * 1099511628211u;
    return (size_t)(h ^ (h >> 32));
}

/* The entry of a name, or the free one where it belongs. */
static tail_decl **entry(const name_table *t, const char *name, size_t n)
{
    size_t i = hash(name, n) & (t->size - 1);
    while (t->at[i] && (t->at[i]->size != n || memcmp(t->at[i]->name, name, n) != 0))
        i = (i + 1) & (t->size - 1);
    return &t->at[i];
}

/* The tables that were too small stay in the arena: together they are no larger than the last. */
static bool grow(parser *ps)
{
    name_table *t = &ps->names, more = {.size = t->size ? t->size * 2 : 64, .used = t->used};
    if (t->used * 2 < t->size)
        return true;
    more.at = tail_alloc(ps->p, more.size, sizeof(tail_decl *));
    for (size_t i = 0; more.at && i < t->size; i++)
        if (t->at[i])
            *entry(&more, t->at[i]->name, t->at[i]->size) = t->at[i];
    if (more.at)
        *t = more;
    return more.at != NULL;
}

static bool open_scope(parser *ps, tail_decl *d)
{
    if (!grow(ps))
        return false;
    tail_decl **e = entry(&ps->names, d->name, d->size);
    ps->names.used += *e == NULL;
    d->hidden = *e;
    d->bound = true;
    *e = d;
    return true;
}

static void close_scope(parser *ps, tail_decl *d)
{
    d->bound = false;
    if (d->hidden)
        *entry(&ps->names, d->name, d->size) = d->hidden;
}

static tail_decl *find(parser *ps, const tail_token *t)
{
    tail_decl *d = ps->names.size ? *entry(&ps->names, t->text, t->at.length) : NULL;
    return d && d->bound ? d : NULL;
}

/* v or mv and digits. */
static bool is_variable(const tail_token *t)
{
    size_t i = t->at.length && t->text[0] == 'm', n = t->at.length;
    if (t->kind != TOKEN_NAME || n < i + 2 || t->text[i] != 'v')
        return false;
    for (i++; i < n; i++)
        if (t->text[i] < '0' || t->text[i] > '9')
            return false;
    return true;
}

/* ---- types ---- */

static bool parse_base(parser *ps, tail_base *b)
{
    static const struct {
        const char *name;
        tail_base base;
    } names[] = {{"int", BASE_INT},
                 {"double", BASE_DOUBLE},
                 {"complex", BASE_COMPLEX},
                 {"bool", BASE_BOOL},
                 {"char", BASE_CHAR}};
    *b = BASE_ANY;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_word(ps, names[i].name)) {
            *b = names[i].base;
            return tail_next(&ps->l);
        }
    if (ps->l.token.kind == TOKEN_VARIABLE)
        return tail_next(&ps->l);
    return expected(ps, "int, double, complex, bool or char");
}

/* A rank, a length or a value; a type variable counts as 0. */
static bool parse_number(parser *ps, int32_t *n)
{
    *n = 0;
    if (ps->l.token.kind == TOKEN_VARIABLE)
        return tail_next(&ps->l);
    if (ps->l.token.kind != TOKEN_INT)
        return expected(ps, "a number");
    *n = (int32_t)ps->l.token.integer;
    return tail_next(&ps->l);
}

static bool refuse_number(parser *ps, tail_place at, int32_t n, const char *what)
{
    return tail_fail(ps->p, TAIL_TYPE, at, NULL, "%s cannot be %d", what, n);
}

/* [b]r */
static bool parse_array(parser *ps, tail_type *t)
{
    int32_t rank;
    tail_place at;
    if (!tail_next(&ps->l) || !parse_base(ps, &t->base) || !take_mark(ps, ']'))
        return false;
    at = ps->l.token.at;
    if (!parse_number(ps, &rank))
        return false;
    t->rank = (unsigned)rank;
    return (rank >= 0 && rank <= FCL_MAX_RANK) || refuse_number(ps, at, rank, "a rank");
}

/* <b>n */
static bool parse_vector(parser *ps, tail_type *t)
{
    t->rank = 1;
    if (!tail_next(&ps->l) || !parse_base(ps, &t->base) || !take_mark(ps, '>'))
        return false;
    tail_place at = ps->l.token.at;
    return parse_number(ps, &t->length) &&
           (t->length >= 0 || refuse_number(ps, at, t->length, "a length"));
}

/* S(b,n) and SV(b,n): the value is remembered. */
static bool parse_static(parser *ps, tail_type *t, bool vector)
{
    int32_t *value = tail_alloc(ps->p, 1, sizeof *value);
    t->rank = vector;
    t->length = vector ? 1 : LENGTH_UNKNOWN;
    t->values = value;
    return value && tail_next(&ps->l) && take_mark(ps, '(') && parse_base(ps, &t->base) &&
           take_mark(ps, ',') && parse_number(ps, value) && take_mark(ps, ')');
}

static bool parse_type(parser *ps, tail_type *t);

/* Grows by doubling: the arena keeps what was there before. */
static tail_type *more_items(parser *ps, tail_type *t)
{
    if (t->nitems & (t->nitems - 1))
        return &t->items[t->nitems++];
    tail_type *more = tail_alloc(ps->p, t->nitems ? t->nitems * 2 : 1, sizeof *more);
    if (!more)
        return NULL;
    if (t->nitems)
        memcpy(more, t->items, t->nitems * sizeof *more);
    t->items = more;
    return &t->items[t->nitems++];
}

/* (t * ... * t), and (t)->t. */
static bool parse_tuple(parser *ps, tail_type *t)
{
    tail_type result;
    t->base = BASE_TUPLE;
    if (!tail_next(&ps->l))
        return false;
    while (!is_mark(ps, ')')) {
        tail_type *item;
        if ((t->nitems && !take_mark(ps, '*')) || !(item = more_items(ps, t)) ||
            !parse_type(ps, item))
            return false;
    }
    if (!tail_next(&ps->l))
        return false;
    if (ps->l.token.kind != TOKEN_TO)
        return true;
    *t = (tail_type){.base = BASE_FUNCTION, .length = LENGTH_UNKNOWN};
    return tail_next(&ps->l) && parse_type(ps, &result);
}

static bool parse_type(parser *ps, tail_type *t)
{
    *t = (tail_type){.length = LENGTH_UNKNOWN};
    bool ok = enter(ps);
    if (ok && is_mark(ps, '['))
        ok = parse_array(ps, t);
    else if (ok && is_mark(ps, '<'))
        ok = parse_vector(ps, t);
    else if (ok && is_mark(ps, '('))
        ok = parse_tuple(ps, t);
    else if (ok && (is_word(ps, "S") || is_word(ps, "SV")))
        ok = parse_static(ps, t, is_word(ps, "SV"));
    else if (ok && ps->l.token.kind == TOKEN_VARIABLE)
        ok = tail_next(&ps->l);
    else if (ok)
        ok = expected(ps, "a type");
    ps->depth--;
    return ok;
}

/* ---- nodes ---- */

static tail_node *node(parser *ps, tail_kind kind, tail_place at)
{
    tail_node *n = tail_alloc(ps->p, 1, sizeof *n);
    if (n)
        *n = (tail_node){.kind = kind, .at = at};
    return n;
}

static bool add_part(parser *ps, tail_node *n, tail_node *part)
{
    if (!part)
        return false;
    if (!(n->nparts & (n->nparts - 1))) {
        tail_node **more = tail_alloc(ps->p, n->nparts ? n->nparts * 2 : 1, sizeof *more);
        if (!more)
            return false;
        if (n->nparts)
            memcpy(more, n->parts, n->nparts * sizeof *more);
        n->parts = more;
    }
    n->parts[n->nparts++] = part;
    n->does |= part->does;
    return true;
}

/* Expressions up to the closing mark, which is taken. */
static bool parse_list(parser *ps, tail_node *n, char end)
{
    while (!is_mark(ps, end)) {
        if (n->nparts && !take_mark(ps, ','))
            return false;
        if (!add_part(ps, n, parse_exp(ps)))
            return false;
    }
    return tail_next(&ps->l);
}

/* ---- let and fn ---- */

/* The variable that is declared, and its type. */
static tail_decl *parse_decl(parser *ps)
{
    tail_decl *d = tail_alloc(ps->p, 1, sizeof *d);
    const tail_token *t = &ps->l.token;
    if (!d || (!is_variable(t) && !expected(ps, "a variable, v1 or mv1,")))
        return NULL;
    *d = (tail_decl){
        .name = t->text, .size = t->at.length, .at = t->at, .is_mutable = t->text[0] == 'm'};
    return tail_next(&ps->l) && take_mark(ps, ':') && parse_type(ps, &d->type) ? d : NULL;
}

static tail_node *parse_one_let(parser *ps)
{
    tail_node *n = node(ps, NODE_LET, ps->l.token.at);
    if (!n || !tail_next(&ps->l) || !(n->decl = parse_decl(ps)) || !take_mark(ps, '=') ||
        !add_part(ps, n, parse_exp(ps)) || !take_word(ps, "in") || !open_scope(ps, n->decl))
        return NULL;
    n->decl->written = n->parts[0];
    return n;
}

/* One let after another, and then what they are for. */
static tail_node *parse_lets(parser *ps)
{
    tail_node *chain = tail_alloc(ps->p, 1, sizeof *chain);
    while (chain && is_word(ps, "let"))
        if (!add_part(ps, chain, parse_one_let(ps)))
            return NULL;
    tail_node *body = chain ? parse_exp(ps) : NULL;
    for (size_t i = chain ? chain->nparts : 0; body && i-- > 0;) {
        tail_node *let = chain->parts[i];
        close_scope(ps, let->decl);
        body = add_part(ps, let, body) ? let : NULL;
    }
    return body;
}

static tail_node *parse_function(parser *ps)
{
    tail_node *n = node(ps, NODE_FUNCTION, ps->l.token.at);
    if (!n || !tail_next(&ps->l) || !(n->decl = parse_decl(ps)))
        return NULL;
    if (ps->l.token.kind != TOKEN_ARROW) {
        expected(ps, "=>");
        return NULL;
    }
    if (!tail_next(&ps->l) || !open_scope(ps, n->decl) || !add_part(ps, n, parse_exp(ps)))
        return NULL;
    close_scope(ps, n->decl);
    return n;
}

static tail_node *parse_if(parser *ps)
{
    tail_node *n = node(ps, NODE_IF, ps->l.token.at);
    bool ok = n && tail_next(&ps->l) && add_part(ps, n, parse_exp(ps)) && take_word(ps, "then") &&
              add_part(ps, n, parse_exp(ps)) && take_word(ps, "else") &&
              add_part(ps, n, parse_exp(ps));
    return ok ? n : NULL;
}

/* ---- operations ---- */

static bool parse_instance(parser *ps, tail_node *n)
{
    tail_base b;
    int32_t number;
    n->has_instance = true;
    if (!tail_next(&ps->l) || !take_mark(ps, '['))
        return false;
    for (size_t i = 0; !is_mark(ps, ']'); i++) {
        if ((i && !take_mark(ps, ',')) || !parse_base(ps, &b))
            return false;
        n->instance_base = i ? n->instance_base : b;
    }
    if (!tail_next(&ps->l) || !take_mark(ps, ',') || !take_mark(ps, '['))
        return false;
    for (size_t i = 0; !is_mark(ps, ']'); i++)
        if ((i && !take_mark(ps, ',')) || !parse_number(ps, &number))
            return false;
    return tail_next(&ps->l) && take_mark(ps, '}');
}

static unsigned effect(tail_primitive p)
{
    const char *name = tail_primitive_name(p);
    if (strncmp(name, "prArr", 5) == 0 || strncmp(name, "prScl", 5) == 0)
        return DOES_PRINT;
    return p == PRIM_idxassign ? DOES_ASSIGN : p == PRIM_roll ? DOES_ROLL : 0;
}

static tail_node *unknown(parser *ps, const tail_token *t)
{
    int n = t->at.length > 40 ? 40 : (int)t->at.length;
    tail_fail(ps->p, TAIL_UNKNOWN, t->at, NULL,
              is_variable(t) ? "the variable %.*s is not bound here" : "TAIL has no operation %.*s",
              n, t->text);
    return NULL;
}

/* op, or op{..}(..). */
static tail_node *parse_operation(parser *ps)
{
    const tail_token t = ps->l.token;
    tail_primitive p = tail_primitive_named(t.text, t.at.length);
    if (p == PRIM_END)
        return unknown(ps, &t);
    tail_node *n = node(ps, NODE_PRIMITIVE, t.at);
    if (!n || !tail_next(&ps->l) || (is_mark(ps, '{') && !parse_instance(ps, n)))
        return NULL;
    n->primitive = p;
    n->does = effect(p);
    if (!is_mark(ps, '('))
        return n;
    n->kind = NODE_APPLY;
    if (!tail_next(&ps->l) || !parse_list(ps, n, ')'))
        return NULL;
    if (n->nparts == tail_primitive_operands(p))
        return n;
    tail_fail(ps->p, TAIL_COUNT, t.at, NULL, "%s takes %zu operands, and is given %zu",
              tail_primitive_name(p), tail_primitive_operands(p), n->nparts);
    return NULL;
}

static tail_node *parse_projection(parser *ps)
{
    tail_node *n = node(ps, NODE_PROJECT, ps->l.token.at);
    if (!n || !tail_next(&ps->l) || !take_mark(ps, '('))
        return NULL;
    n->integer = ps->l.token.integer;
    if (ps->l.token.kind != TOKEN_INT || n->integer < 0) {
        expected(ps, "the number of a component");
        return NULL;
    }
    bool ok = tail_next(&ps->l) && take_mark(ps, ',') && add_part(ps, n, parse_exp(ps)) &&
              take_mark(ps, ')');
    return ok ? n : NULL;
}

static tail_node *parse_variable(parser *ps, tail_decl *d)
{
    tail_node *n = node(ps, NODE_VARIABLE, ps->l.token.at);
    if (n)
        n->decl = d;
    return n && tail_next(&ps->l) ? n : NULL;
}

static tail_node *parse_word(parser *ps)
{
    if (is_word(ps, "fn"))
        return parse_function(ps);
    if (is_word(ps, "if"))
        return parse_if(ps);
    if (is_word(ps, "Prj"))
        return parse_projection(ps);
    bool truth = is_word(ps, "tt");
    if (truth || is_word(ps, "ff")) {
        tail_node *n = node(ps, NODE_BOOL, ps->l.token.at);
        if (n)
            n->integer = truth;
        return n && tail_next(&ps->l) ? n : NULL;
    }
    tail_decl *d = find(ps, &ps->l.token);
    return d ? parse_variable(ps, d) : parse_operation(ps);
}

/* ---- literals and lists ---- */

static tail_node *parse_literal(parser *ps, tail_kind kind)
{
    const tail_token *t = &ps->l.token;
    tail_node *n = node(ps, kind, t->at);
    if (!n)
        return NULL;
    n->integer = t->integer;
    n->real = t->real;
    n->imaginary = t->imaginary;
    return tail_next(&ps->l) ? n : NULL;
}

static tail_node *parse_many(parser *ps, tail_kind kind, char end)
{
    tail_node *n = node(ps, kind, ps->l.token.at);
    return n && tail_next(&ps->l) && parse_list(ps, n, end) ? n : NULL;
}

static tail_node *parse_simple(parser *ps)
{
    switch (ps->l.token.kind) {
    case TOKEN_INT: return parse_literal(ps, NODE_INT);
    case TOKEN_DOUBLE: return parse_literal(ps, NODE_DOUBLE);
    case TOKEN_COMPLEX: return parse_literal(ps, NODE_COMPLEX);
    case TOKEN_CHAR: return parse_literal(ps, NODE_CHAR);
    case TOKEN_NAME: return is_word(ps, "let") ? parse_lets(ps) : parse_word(ps);
    case TOKEN_MARK:
        if (is_mark(ps, '('))
            return parse_many(ps, NODE_TUPLE, ')');
        if (is_mark(ps, '['))
            return parse_many(ps, NODE_VECTOR, ']');
        break;
    case TOKEN_END:
    case TOKEN_VARIABLE:
    case TOKEN_ARROW:
    case TOKEN_TO: break;
    }
    expected(ps, "an expression");
    return NULL;
}

static tail_node *parse_exp(parser *ps)
{
    tail_node *n = enter(ps) ? parse_simple(ps) : NULL;
    ps->depth--;
    return n;
}

bool tail_parse(tail_program *p)
{
    parser ps = {.l = {.p = p, .line = 1}, .p = p};
    p->root = tail_next(&ps.l) ? parse_exp(&ps) : NULL;
    if (p->root && ps.l.token.kind != TOKEN_END)
        expected(&ps, "the end of the program");
    return !p->failed;
}
