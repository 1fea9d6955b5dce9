/* Shared by the printer (print.c, value.c) and the reader (lex.c, operand.c, statement.c, read.c)
 * of the text of kernel programs.  The form is described in docs/kernel.md. */
#ifndef FCL_IR_KERNEL_TEXT_H
#define FCL_IR_KERNEL_TEXT_H

#include "ir/kernel/facts.h"

#define KERNEL_TEXT_VERSION "0.1"

/* Blocks inside one another that are printed and read. */
enum { TEXT_NESTING = 1000 };

typedef enum word_kind {
    KIND_NUMBER,
    KIND_FLAG,
    KIND_NAME,
    KIND_EXACT,
    KIND_STAGE,
    KIND_LINES,
    KIND_CHECKS,
} word_kind;

/* The word of an attribute of a node (HAS_SPACE, ...), and of an enumeration, "?" when there is
 * none; and back: -1. */
const char *ktext_attribute(const k_node *n, k_attribute which);
int ktext_attribute_value(k_attribute which, const char *s, size_t n);
const char *ktext_word(word_kind of, uint32_t value);
int ktext_word_value(word_kind of, const char *s, size_t n);

/* What the text says of the target, where it is not the usual: a field of target.def, a tuning
 * number or a quirk. */
typedef struct target_field {
    const char *name;
    word_kind form;
    size_t offset, size;
    uint32_t bit; /* of a quirk; 0: the whole field */
    uint32_t usual;
    bool always; /* it is written, too, when it is the usual */
} target_field;
bool ktext_target_field(uint32_t i, target_field *out); /* false beyond the last */
uint32_t ktext_target_value(const k_target *t, const target_field *f);
void ktext_target_set(k_target *t, const target_field *f, uint32_t x);

/* What follows from an operator and the facts about its operands alone; the text says what differs
 * from that. */
typedef struct plain_facts {
    k_facts facts;
    uint32_t exact;
} plain_facts;
plain_facts ktext_plain_facts(const k_program *p, k_id id);
/* The same of what is the length of an axis. */
void ktext_make_extent(k_facts *f);
/* Whether a node has a range worth telling. */
bool ktext_has_range(const k_node *n);

/* ---- the printer ---- */

typedef struct kernel_printer {
    const k_program *p;
    mem *m;
    vec_char *out;
    uint32_t indent;
    uint32_t open; /* of a single value: expressions of at most so many operators are written where
                      they are used; 0: the whole program is printed */
    uint32_t budget;      /* statements that may still be printed */
    uint32_t next_kernel; /* probably that of the next launch */
    bool facts;           /* what is known of values is printed */
    bool ok;
} kernel_printer;

/* Appends formatted text, cut to 511 bytes a call; longer names go through text_add. When memory
 * runs out, `ok` falls and what follows is lost. */
void ktext_put(kernel_printer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A constant by its value; anything else by its number, or as an expression. */
void ktext_operand(kernel_printer *w, k_id v);
/* name(a, b), with the type for conversions: for nodes that ktext_is_operator accepts. */
void ktext_expression(kernel_printer *w, const k_node *n);
/* The statements of a block, one a line; deeper than TEXT_NESTING is a diagnostic. */
void ktext_block(kernel_printer *w, k_block b);
/* Whether a node computes from its operands alone, so that it may be written in place. */
bool ktext_is_operator(const k_node *n);
uint32_t ktext_operand_count(const k_node *n);
const char *ktext_type_name(const k_node *n);

/* value.c: an operand as an expression. */
void ktext_open_operand(kernel_printer *w, k_id v);

#endif
