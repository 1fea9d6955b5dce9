/* Tokens of the text of kernel programs.  One character of lookahead; `//` begins a comment. */
#ifndef FCL_IR_KERNEL_TEXT_LEX_H
#define FCL_IR_KERNEL_TEXT_LEX_H

#include "ir/kernel/text/text.h"

typedef enum token_kind {
    TOKEN_END,
    TOKEN_WORD,   /* add, kernel-ir */
    TOKEN_VALUE,  /* %12: number; or %name */
    TOKEN_NAME,   /* @name */
    TOKEN_STRING, /* "..." */
    TOKEN_NUMBER, /* 12, -7i64, 1.5f32, inf, nan:2143289345f32 */
    TOKEN_MARK,   /* one character, or .. */
    TOKEN_ARROW,  /* -> */
    TOKEN_BAD
} token_kind;

typedef struct ktext_token {
    token_kind kind;
    const char *at;
    size_t size;   /* of the whole token */
    const char *s; /* of a name: without its mark; in quotes: between them */
    size_t n;
    bool quoted;
    uint32_t number; /* of %12; UINT32_MAX when it is no number of a value */
    char mark;       /* '.' for .. */
} ktext_token;

typedef struct ktext_lexer {
    const char *text, *p, *end;
    ktext_token now;
} ktext_lexer;

void ktext_lex_init(ktext_lexer *lx, const char *text, size_t size);
void ktext_lex_next(ktext_lexer *lx);
/* The constant that a number is: false when it is none. */
bool ktext_lex_constant(const ktext_token *t, scalar *type, uint64_t *bits);
/* An integer without a suffix. */
bool ktext_lex_integer(const ktext_token *t, int64_t *x);

#endif
