/* Tokens of TAIL, one at a time. */
#ifndef FCL_FRONTENDS_TAIL_LEX_H
#define FCL_FRONTENDS_TAIL_LEX_H

#include "frontends/tail/tree.h"

typedef enum tail_token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_VARIABLE, /* of types: 'a0 */
    TOKEN_INT,      /* with its sign, which is `negative` as well: 0 has none */
    TOKEN_DOUBLE,
    TOKEN_COMPLEX,
    TOKEN_CHAR,
    TOKEN_ARROW, /* => */
    TOKEN_TO,    /* -> */
    TOKEN_MARK   /* one of ( ) [ ] { } < > , : = * */
} tail_token_kind;

typedef struct tail_token {
    tail_token_kind kind;
    char mark;
    const char *text; /* in the source */
    tail_place at;    /* whose length is that of the text */
    int64_t integer;  /* or the code of a character */
    double real, imaginary;
} tail_token;

typedef struct tail_lexer {
    tail_program *p;
    size_t pos;
    unsigned line;
    size_t line_start;
    tail_token token; /* the current one */
} tail_lexer;

/* Goes to the next token; false with a diagnostic, and an end in its place. */
bool tail_next(tail_lexer *l);

#endif
