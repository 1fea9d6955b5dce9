/* What the files of the parser share.
 *
 * A function that reads something returns its tree, or NULL after an error, which sets `failed`;
 * the first error of a declaration is the only one that is reported.  After it, functions still
 * return, and loops end because they ask `failed`. */
#ifndef FCL_FRONTENDS_FCL_PARSE_H
#define FCL_FRONTENDS_FCL_PARSE_H

#include "frontends/fcl/parse/program.h"

typedef struct parser {
    program *p;
    str_id file;
    const fcl_token *tokens;
    uint32_t at, start; /* the token in hand; the first of the declaration */
    uint32_t depth;     /* of the recursion */
    bool builtin;       /* the type of a built-in: ranks may be variables */
    bool in_let;        /* what stands here may be followed by another binding of a let */
    bool failed;        /* in this declaration: an error was reported */
    bool level_free; /* the text imports "arrays", or is it */
} parser;

typedef VEC(void *) node_list; /* scratch, while a list is read */

/* ---- parse.c ---- */
/* The token in hand; the one k further; whether the one in hand is of that kind; whether it was and
 * was taken. */
const fcl_token *parse_here(const parser *x);
const fcl_token *parse_ahead(const parser *x, uint32_t k);
bool parse_at(const parser *x, token_kind k);
bool parse_accept(parser *x, token_kind k);
/* The place of the token in hand. */
location parse_loc_here(const parser *x);
/* Enters one level of recursion; false, with a report, when it is too deep.  Every enter is
 * followed by a leave. */
bool parse_enter(parser *x);
void parse_leave(parser *x);
void parse_add_item(parser *x, node_list *l, void *item);
/* Moves a scratch list into the arena. */
void *parse_keep_list(parser *x, node_list *l, uint32_t *n);
uint32_t parse_higher(parser *x, uint32_t a, uint32_t b); /* the height of a node above such ones */
/* pattern = name | "_" | "(" [ item { "," item } [ "," ] ] ")"; item = pattern [ ":" type ] */
pattern *parse_pattern(parser *x);
/* Whether a pattern begins at the token in hand. */
bool parse_pattern_follows(const parser *x);
/* name <levels> params : type = e, or pattern = e */
void parse_binding(parser *x, ast_binding *b);
bool parse_binding_follows(const parser *x);

/* Whether a declaration begins at the token, or the text ends; whether one surely begins at the
 * token in hand, where reading goes on after an error. */
bool parse_declares(const fcl_token *t);
bool parse_next_declaration(const parser *x);

/* ---- parse/error.c ---- */
/* Reports the first error of a declaration; returns NULL. */
void *parse_syntax_error(parser *x, const char *wanted);
/* Takes a token of that kind; else reports that it is needed ("what": where). */
bool parse_expect(parser *x, token_kind k, const char *what);
/* The same for one that closes what `open` has opened. */
bool parse_close(parser *x, token_kind k, const char *what, const fcl_token *open);
/* Reports a reserved word that seems to be meant as a name; false, and nothing, for others. */
bool parse_reserved(parser *x);
/* Report what stands where a declaration should begin, or behind one; NULL. */
void *parse_no_declaration(parser *x);
void *parse_not_ended(parser *x);

/* ---- parse/expr.c ---- */
/* expr, up to where it cannot go on. */
expr *parse_expr(parser *x);

/* ---- parse/type.c ---- */
/* type, scheme and level of docs/language.md. */
texpr *parse_type(parser *x);
scheme_expr *parse_scheme(parser *x);
lexpr parse_level(parser *x);
/* <l1, l2>: whether the tokens from `from` on look like levels in angle brackets, and how many
 * tokens they are. */
uint32_t parse_levels_ahead(const parser *x, uint32_t from);
lexpr *parse_levels(parser *x, uint32_t *n);

#endif
