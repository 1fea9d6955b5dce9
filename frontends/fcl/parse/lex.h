/* The tokens of a text of the surface language.
 *
 * A text is cut into tokens once, before parsing: the parser looks ahead as far as it likes.  The
 * list ends with TK_END.
 */
#ifndef FCL_FRONTENDS_FCL_LEX_H
#define FCL_FRONTENDS_FCL_LEX_H

#include "ir/base/context.h"
#include "libfcl/fcl.h"

typedef enum token_kind {
    TK_END,
    TK_IDENT,  /* name */
    TK_TYVAR,  /* name, without ' */
    TK_INT,    /* number; name: its digits */
    TK_FLOAT,  /* name: its digits */
    TK_BAD,    /* what is no token, and was reported */
    TK_STRING, /* name: what it says */
#define TOKEN(e, text) TK_##e,
#include "frontends/fcl/parse/tokens.def"
#undef TOKEN
    TK_COUNT
} token_kind;

typedef struct fcl_token {
    uint8_t kind;
    bool first;     /* on its line */
    uint8_t suffix; /* numbers: the fcl_scalar written behind, or 0 */
    uint32_t line, col, len;
    str_id name;
    uint64_t number;
} fcl_token;

typedef VEC(fcl_token) token_list;

/* False when something in the text is no token; each such place is reported, and a TK_BAD stands
 * for it. *out has its TK_END in either case, unless memory is short. */
bool parse_lex(fcl_context *cx, str_id file, const char *text, size_t size, token_list *out);
/* How a token is called in messages: its spelling in quotes, or what it is. */
const char *parse_token_text(fcl_context *cx, const fcl_token *t, char *buffer, size_t size);
const char *parse_token_spelling(token_kind k); /* of a fixed token */
/* How a scalar type is called; "?" when there is none. */
const char *parse_scalar_name(fcl_scalar s);

#endif
