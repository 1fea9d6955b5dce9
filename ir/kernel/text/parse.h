/* Shared by the files of the reader: read.c (the head of a program, and blocks), statement.c,
 * operand.c (operands, numbers of values, constants, facts).
 *
 * Reading stops at the first error, after which every function returns false or 0. */
#ifndef FCL_IR_KERNEL_TEXT_PARSE_H
#define FCL_IR_KERNEL_TEXT_PARSE_H

#include "ir/kernel/text/lex.h"

typedef struct kernel_reader {
    fcl_context *cx;
    mem *m;
    k_program *p;
    uint32_t source; /* number of the text in the context */
    ktext_lexer lx;
    uint32_t most;   /* the greatest number that a value may have */
    uint32_t *table; /* constants by their bits: open addressing */
    uint32_t table_cap, table_len;
    vec_u32 list;   /* operands being read; users take what is behind the length that they found */
    vec_u32 lists;  /* numbers of kernels' lists */
    k_block block;  /* being read */
    uint32_t depth; /* of it */
    bool failed;
} kernel_reader;

/* ---- operand.c ---- */

/* Reports an error at the token; false. */
bool kparse_error(kernel_reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void kparse_next(kernel_reader *r);
bool kparse_is_mark(const kernel_reader *r, char mark);
bool kparse_is_word(const kernel_reader *r, const char *word);
/* Takes it when it is there. */
bool kparse_take_mark(kernel_reader *r, char mark);
bool kparse_take_word(kernel_reader *r, const char *word);
/* As above, and an error where it is not there. */
bool kparse_mark(kernel_reader *r, char mark);
bool kparse_word(kernel_reader *r, const char *word);
/* Integers without a suffix; a value that does not fit is an error at its token. */
bool kparse_integer(kernel_reader *r, int64_t *x);
bool kparse_u32(kernel_reader *r, uint32_t *x);
/* word=NUMBER */
bool kparse_setting(kernel_reader *r, const char *word, uint32_t *x);
/* A word of an attribute of nodes, or of an enumeration. */
bool kparse_attribute(kernel_reader *r, k_attribute which, k_node *n);
bool kparse_kind(kernel_reader *r, word_kind kind, uint32_t *x);
/* A name of that kind, in quotes or not, interned; 0 after an error, and for "". */
str_id kparse_name(kernel_reader *r, token_kind kind);
/* ST_NONE after an error. */
scalar kparse_type(kernel_reader *r);

/* The number of a value, %12, taken as it is; of one to be defined; and a value's number or a
 * constant. */
k_id kparse_id(kernel_reader *r);
k_id kparse_definition(kernel_reader *r);
k_id kparse_operand(kernel_reader *r);
/* Appends operands, separated by commas, to r->list. */
bool kparse_operands(kernel_reader *r);
/* Moves what was appended behind `from` into the program's pool, as the list of a node. */
bool kparse_keep_list(kernel_reader *r, k_id id, uint32_t from);

/* Makes node `id` out of n; 0 takes a free number. */
k_id kparse_node(kernel_reader *r, k_id id, k_node n);
/* Appends to the end of a block; nothing after an error. */
void kparse_append(kernel_reader *r, k_block b, k_id id);
/* What follows from a node's operator, and then what the text says of it. */
bool kparse_facts(kernel_reader *r, k_id id);
/* `plain` is the position that holds where the text gives none. */
uint32_t kparse_position(kernel_reader *r, uint32_t plain);
/* The place of the token in its source, as k_node.loc has it. */
uint32_t kparse_place(const kernel_reader *r);

/* ---- statement.c ---- */

/* One statement with its blocks, appended to r->block. It recurses through kparse_block, at most
 * TEXT_NESTING deep. */
bool kparse_statement(kernel_reader *r);

/* ---- read.c ---- */

/* { ... }: a block of the statement, one deeper than the one being read; after other, inside that.
 */
k_block kparse_block(kernel_reader *r, k_block fresh, uint32_t deeper);
/* An empty block; 0 after an error, also when it would lie deeper than TEXT_NESTING. */
k_block kparse_new_block(kernel_reader *r, uint32_t deeper);

#endif
