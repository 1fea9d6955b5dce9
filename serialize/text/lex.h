/* Tokens of the text form: slices of the text with their positions; nothing is copied.
 *
 * The lexer reports what it cannot use (a stray character, an unterminated string, bytes that are
 * no text) and goes on behind it, so that the parser sees valid tokens only.  Blanks and comments
 * only separate tokens; a token knows whether it is the first on its line, which is where the
 * parser starts again after an error. */
#ifndef FCL_SERIALIZE_TEXT_LEX_H
#define FCL_SERIALIZE_TEXT_LEX_H

#include "ir/base/context.h"
#include "serialize/text/words.h"

/* Punctuation is its own character: one of ( ) { } [ ] < > , : ; = . + */
enum {
    T_END = 128, /* of the text; again and again */
    T_NAME,      /* add   int   block */
    T_VALUE,     /* %x */
    T_FUNC,      /* @f */
    T_TVAR,      /* 'a */
    T_NUMBER,    /* 42   -1.5f32   0.1   -inf; not examined yet */
    T_STRING,    /* "..."; escapes not decoded yet */
    T_ARROW,     /* -> */
};

typedef struct token {
    const char *at;
    const word *word; /* T_NAME: what it means, entry 0 of the table when nothing */
    uint32_t len;
    uint32_t number; /* T_VALUE: NAME_NUMBER + N for %N; 0: the name is no number */
    uint8_t kind;
    bool first; /* on its line */
} token;

/* A stretch of the text, for messages.  What reads an operation keeps these, not tokens: copying a
 * token right after it was written makes the processor wait for the stores. */
typedef struct spot {
    const char *at; /* NULL: none */
    uint32_t len;
} spot;

static inline spot spot_of(const token *t)
{
    return (spot){t->at, t->len};
}

typedef struct lexer {
    fcl_context *cx;
    const word_table *words;
    uint32_t source; /* its number in the context */
    str_id file;
    uint32_t place; /* LOC_PLACE + that of the text; 0: it has none */
    const char *text, *p, *end;
    bool first;   /* nothing but blanks so far on this line */
    bool quiet;   /* looking ahead: report nothing */
    bool stopped; /* gave up: whatever comes is T_END, and nothing more is worth reporting */
} lexer;

/* Reads a source of the context. */
void lex_init(lexer *lx, fcl_context *cx, const word_table *words, uint32_t source);
/* The next token, into *t; T_END at the end, and forever after. */
void lex_next(lexer *lx, token *t);
/* From now on there is only T_END. */
void lex_stop(lexer *lx);
/* The positions of a token and of any stretch of the text: they are counted, so only for messages.
 */
location lex_location(const lexer *lx, const token *t);
location lex_location_at(const lexer *lx, const char *at, size_t len);

#endif
