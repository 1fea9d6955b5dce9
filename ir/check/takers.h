/* Who overwrites an array, and which of those overwrite a copy.
 *
 * An update by a pull array, of which nobody says when and where it is done, may always be of a copy: so
 * it is where the array is somebody else's, is made once and overwritten often, or is used again.  Such
 * a taker is *soft*; one that names a level is not, and is refused there. */
#ifndef FCL_IR_CHECK_TAKERS_H
#define FCL_IR_CHECK_TAKERS_H

#include "ir/check/impl.h"
#include "ir/parts.h"

/* How a function takes a parameter. */
enum { TAKES_NOT, TAKES_HARD, TAKES_SOFT };

typedef struct taker {
    ir_part part;
    ir_op op;      /* an update, or a call that hands its operand on to one */
    uint32_t k;    /* the operand */
    uint32_t next; /* 1 + another one of the same value; 0: none */
    bool soft;
} taker;

typedef struct takers {
    VEC(taker) all;
    vec_u32 first; /* by value: 1 + its first taker */
    vec_u8 params; /* by value: how its function takes that parameter */
    vec_u32 todo;  /* parameters whose takers are to overwrite copies */
} takers;

bool check_takers_init(checker *c, takers *t);
void check_takers_free(checker *c, takers *t);
/* How o takes its operand k. */
uint32_t check_how_taken(const checker *c, const takers *t, ir_op o, uint32_t k);
void check_add_taker(checker *c, takers *t, const ir_part *part, ir_op o, uint32_t k);
/* o is an if that hands the part on: it takes it as softly as who takes what it gives. */
void check_add_hander(checker *c, takers *t, const ir_part *part, ir_op o);
/* Whether all takers of what a part is in, or is in it, are soft. */
bool check_takers_soft(const takers *t, const ir_part *part);
/* They overwrite copies. */
void check_takers_copy(checker *c, takers *t, const ir_part *part);
/* o overwrites a copy of its operand k. */
void check_taker_copies(checker *c, takers *t, ir_op o, uint32_t k);

#endif
