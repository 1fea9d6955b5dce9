/* The messages of the parser.
 *
 * A message says what may stand where reading stopped.  Where a declaration or the text ends too
 * early, that is behind its last word, not at the next declaration; what was opened there and is
 * not closed is named by a note.  What other languages write gets a hint with the writing of this
 * one (hints, below). */
#include "frontends/fcl/parse/parse.h"

#include <stdio.h>
#include <string.h>

/* ---- what other languages write ---- */

/* What stands k words before the token in hand; the end of the text when nothing does, as after a
 * failed allocation, when the token in hand is none of the text's. */
static token_kind before(const parser *x, uint32_t k)
{
    bool in_text = parse_here(x) == x->tokens + x->at;
    return in_text && x->at >= k ? (token_kind)x->tokens[x->at - k].kind : TK_END;
}

typedef struct foreign_writing {
    token_kind before, here; /* TK_COUNT: any */
    const char *hint;
} foreign_writing;

static const char digits_hint[] = "a digit stands on both sides of a point: 0.5, 1.0",
                  comment_hint[] = "a comment is -- to the end of the line, or (* ... *)",
                  assignment_hint[] = "nothing is assigned: let names values, loops hand them on";

/* The first that fits the token in hand and the one before it. */
static const foreign_writing hints[] = {
    {TK_SLASH, TK_ASSIGN, "!= compares"},
    {TK_LT, TK_GT, "!= compares"},
    {TK_SLASH, TK_SLASH, comment_hint},
    {TK_SLASH, TK_STAR, comment_hint},
    {TK_PLUS, TK_PLUS, "append xs ys joins two arrays, concat the parts of one"},
    {TK_PLUS, TK_ASSIGN, assignment_hint},
    {TK_MINUS, TK_ASSIGN, assignment_hint},
    {TK_STAR, TK_ASSIGN, assignment_hint},
    {TK_COLON, TK_ASSIGN, assignment_hint},
    {TK_COUNT, TK_TYVAR, "numbers stand for characters: 97 for the letter a"},
    {TK_COLON, TK_COLON, "a signature has one colon: sig f : int -> int"},
    {TK_EQ, TK_ASSIGN, "== compares"},
    {TK_RBRACKET, TK_ASSIGN, "xs with [i] <- v has v in place of an element; == compares"},
    {TK_LET, TK_FUN, "a let binds names without fun: let f x = ... in ..."},
    {TK_LET, TK_VAL, "a let binds names without val: let x = ... in ..."},
    {TK_COUNT, TK_LBRACE, "braces stand behind do only: parentheses group, let ... in ... names"},
    {TK_COUNT, TK_DOT, digits_hint},
};

/* Whether the token is an operator between two operands. */
static bool is_operator(token_kind k)
{
    for (uint32_t i = 0; i < parse_binop_count; i++)
        if (parse_binops[i].token == k)
            return true;
    return false;
}

static const char *foreign_hint(const parser *x)
{
    token_kind last = before(x, 1), now = (token_kind)parse_here(x)->kind;
    if (last == TK_LPAREN && is_operator(now))
        return "with one operand an operator is a function: fn x => x + 1; with none it is (+)";
    if (now == TK_DOT && last == TK_DOT)
        return "iota n has the numbers from 0 on, range a b those from a to b";
    if (last == TK_DOT && before(x, 2) == TK_INT)
        return digits_hint;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].here == now && (hints[i].before == last || hints[i].before == TK_COUNT))
            return hints[i].hint;
    return NULL;
}

/* ---- where ---- */

/* Behind the token before the one in hand. */
static location behind_last(const parser *x)
{
    const fcl_token *t = &parse_here(x)[-1];
    return (location){.file = x->file, .line = t->line, .col = t->col + t->len, .len = 1};
}

/* Whether the declaration ends here, with something before it. */
static bool ends_early(const parser *x)
{
    return x->at > x->start && parse_next_declaration(x);
}

/* Reports that something is needed; false when there is nothing to report: after an error, and
 * where the lexer has reported what stands here. */
static bool report(parser *x, diag_code code, const char *wanted)
{
    char buffer[160];
    bool first = !x->failed && !x->p->cx->mem.oom && !parse_at(x, TK_BAD);
    x->failed = true;
    if (!first)
        return false;
    if (ends_early(x))
        diag_error(x->p->cx, code, behind_last(x), "%s is needed here, before the %s", wanted,
                   parse_at(x, TK_END) ? "end of the file" : "next declaration");
    else
        diag_error(x->p->cx, code, parse_loc_here(x), "%s is needed here, not %s", wanted,
                   parse_token_text(x->p->cx, parse_here(x), buffer, sizeof buffer));
    return true;
}

/* ---- messages ---- */

/* NULL suits every function that returns a tree. */
void *parse_syntax_error(parser *x, const char *wanted)
{
    const char *hint = foreign_hint(x);
    if (report(x, DIAG_FCL_SYNTAX, wanted) && hint)
        diag_hint(x->p->cx, "%s", hint);
    return NULL;
}

/* 'in' to close the let */
static void spell(token_kind k, const char *what, char *out, size_t size)
{
    snprintf(out, size, "'%s'%s%s", parse_token_spelling(k), what ? " " : "", what ? what : "");
}

bool parse_expect(parser *x, token_kind k, const char *what)
{
    if (parse_accept(x, k))
        return true;
    char wanted[80];
    spell(k, what, wanted, sizeof wanted);
    parse_syntax_error(x, wanted);
    if (k == TK_ASSIGN && parse_at(x, TK_COMMA))
        diag_hint(x->p->cx, "parameters stand one behind the other, without commas");
    if (k == TK_DARROW && parse_at(x, TK_ARROW))
        diag_hint(x->p->cx, "a function is written fn x => ...; -> stands in types");
    if (k == TK_ASSIGN && parse_at(x, TK_LARROW))
        diag_hint(x->p->cx, "a let binds with =: let x = ... in ...; <- stands in a do");
    return false;
}

/* Where a let without `in` probably ends: the first token on a line that stands further to the left
 * than the bindings; NULL when there is none. */
static const fcl_token *end_of_let(const parser *x, const fcl_token *let)
{
    const fcl_token *first = let + 1, *t = first;
    for (; t < parse_here(x); t++)
        if (t->first && t->line > let->line && t->col < first->col)
            return t;
    return NULL;
}

/* A single = where values are compared, and what only a let has. */
static void hint_unclosed(parser *x, token_kind k, const fcl_token *open)
{
    const fcl_token *end = k == TK_IN ? end_of_let(x, open) : NULL;
    const char *foreign = foreign_hint(x);
    char buffer[160];
    if (end && end->kind != TK_IN)
        diag_hint(x->p->cx, "in would fit in line %u, before %s", (unsigned)end->line,
                  parse_token_text(x->p->cx, end, buffer, sizeof buffer));
    else if (foreign)
        diag_hint(x->p->cx, "%s", foreign);
    else if (parse_at(x, TK_ASSIGN))
        diag_hint(x->p->cx, "== compares; = stands behind what is defined");
    else if (parse_at(x, TK_SEMI) && k == TK_IN)
        diag_hint(x->p->cx, "bindings of a let stand one behind the other, without a sign");
    else if (parse_at(x, TK_SEMI))
        diag_hint(x->p->cx, "commas separate: [1, 2, 3]");
    else if (parse_at(x, TK_DARROW))
        diag_hint(x->p->cx, "a function is written fn x => ...");
    else if (parse_at(x, TK_LET) && k == TK_IN)
        diag_hint(x->p->cx, "bindings of one let stand below one another, without another let");
    else if (k == TK_THEN)
        diag_hint(x->p->cx, "if c then a else b");
    else if (k == TK_ELSE)
        diag_hint(x->p->cx, "an if has a value in either case: if c then a else b");
}

bool parse_close(parser *x, token_kind k, const char *what, const fcl_token *open)
{
    if (parse_accept(x, k))
        return true;
    char wanted[80], buffer[160];
    spell(k, what, wanted, sizeof wanted);
    if (!report(x, DIAG_FCL_UNCLOSED, wanted))
        return false;
    location at = {.file = x->file, .line = open->line, .col = open->col, .len = open->len};
    diag_note_add(x->p->cx, at, "this %s is not closed",
                  parse_token_text(x->p->cx, open, buffer, sizeof buffer));
    hint_unclosed(x, k, open);
    return false;
}

/* ---- names ---- */

static bool is_reserved(const fcl_token *t)
{
    return t->kind >= TK_SIG && t->kind <= TK_MOD;
}

/* Whether the reserved word in hand seems to be meant as a name: it is followed by what follows
 * names that are bound, and does not begin the next declaration. */
static bool meant_as_name(const parser *x)
{
    const fcl_token *t = parse_here(x), *next = parse_ahead(x, 1);
    if (!is_reserved(t) || (t->first && parse_declares(t)))
        return false;
    switch (next->kind) {
    case TK_ASSIGN:
    case TK_COLON:
    case TK_COMMA:
    case TK_RPAREN:
    case TK_DARROW:
    case TK_LARROW: return true;
    case TK_IDENT:
        return t->kind != TK_IF && t->kind != TK_LET && t->kind != TK_FN && t->kind != TK_ASSERT;
    default: return false;
    }
}

bool parse_reserved(parser *x)
{
    if (x->failed || !meant_as_name(x) || foreign_hint(x))
        return false;
    const char *word = parse_token_spelling((token_kind)parse_here(x)->kind);
    x->failed = true;
    diag_error(x->p->cx, DIAG_FCL_RESERVED, parse_loc_here(x),
               "'%s' is a word of the language and cannot be a name", word);
    diag_hint(x->p->cx, "%s' and %s_ are names", word, word);
    return true;
}

/* ---- between declarations ---- */

static bool is_any_of(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* What stands where a declaration would begin. */
void *parse_no_declaration(parser *x)
{
    static const char *const imports[] = {"import", "include", "open", "use", "module", "require"},
                             *const begins[] = {"def", "define", "function", "func", "fn", "const"};
    const fcl_token *t = parse_here(x);
    const char *word = t->kind == TK_IDENT ? program_text_of(x->p, t->name) : "";
    const fcl_token *next = parse_ahead(x, 1);
    if (!report(x, DIAG_FCL_SYNTAX, "sig, fun or val"))
        return NULL;
    if (is_any_of(word, imports, sizeof imports / sizeof *imports))
        diag_hint(x->p->cx, "a program is one file: the prelude is always there, "
                            "--prelude=FILE reads another one in its place, and import "
                            "\"arrays\" stands before all declarations");
    else if (t->kind == TK_SLASH && (next->kind == TK_SLASH || next->kind == TK_STAR))
        diag_hint(x->p->cx, comment_hint);
    else if (t->kind == TK_LBRACKET && before(x, 1) == TK_IDENT)
        diag_hint(x->p->cx, "an array of int is of type [int]");
    else if (is_any_of(word, begins, sizeof begins / sizeof *begins) || t->kind == TK_LET)
        diag_hint(x->p->cx, "fun or val begins a declaration: fun f x = ..., val c = ...");
    else if (t->kind == TK_IDENT && next->kind == TK_COLON)
        diag_hint(x->p->cx, "sig begins a signature: sig %s : ...", word);
    else if (t->kind == TK_IDENT)
        diag_hint(x->p->cx, "fun begins a declaration: fun %s ... = ...", word);
    return NULL;
}

/* A word of other languages in the declaration so far, with what stands for it here. */
static const char *statement_hint(const parser *x)
{
    static const struct {
        const char *word, *hint;
    } words[] = {{"where", "names are bound before they are used: let y = ... in ..."},
                 {"for", "map and generate make arrays, fold and while repeat: see the tutorial"},
                 {"case", "if c then a else b chooses; patterns take tuples apart"},
                 {"match", "if c then a else b chooses; patterns take tuples apart"}};
    for (const fcl_token *k = x->tokens + x->start; k < parse_here(x); k++)
        for (size_t i = 0; k->kind == TK_IDENT && i < sizeof words / sizeof *words; i++)
            if (strcmp(program_text_of(x->p, k->name), words[i].word) == 0)
                return words[i].hint;
    return NULL;
}

/* What stands behind the expression of a definition, which is at an end. */
void *parse_not_ended(parser *x)
{
    const fcl_token *t = parse_here(x);
    if (!report(x, DIAG_FCL_SYNTAX, "an operator, or the next sig, fun or val"))
        return NULL;
    const char *foreign = foreign_hint(x);
    const char *word = statement_hint(x);
    if (word)
        diag_hint(x->p->cx, "%s", word);
    else if (foreign)
        diag_hint(x->p->cx, "%s", foreign);
    else if (t->kind == TK_ASSIGN)
        diag_hint(x->p->cx, "== compares; a name gets its value in let x = ... in ...");
    else if (t->kind == TK_RPAREN || t->kind == TK_RBRACKET)
        diag_hint(x->p->cx, "nothing is open that this would close");
    else if (t->kind == TK_COLON && parse_ahead(x, 1)->kind == TK_ASSIGN)
        diag_hint(x->p->cx, "%s", assignment_hint);
    else if (t->kind == TK_COLON)
        diag_hint(x->p->cx, "an expression with its type stands in parentheses: (e : t)");
    return NULL;
}
