/* What accesses to local memory cost: threads of a warp that touch different words of one bank wait
 * for one another. */
#ifndef FCL_IR_KERNEL_BANKS_H
#define FCL_IR_KERNEL_BANKS_H

#include "ir/kernel/analysis/lanes.h"

enum { BANK_WORD = 4 }; /* bytes */

/* Element i of an array lies at i + (i >> row) * by: behind every row of 2^row elements come `by`
 * unused ones. */
typedef struct k_padding {
    uint32_t row, by; /* by 0: none */
} k_padding;

static inline int64_t k_padded(k_padding f, int64_t i)
{
    return i + (i >> f.row) * f.by;
}

#define NOT_MOVED INT32_MIN

/* One access in the text, by index and active lanes in each of the samples. */
typedef struct bank_access {
    k_id memory, index;
    uint32_t elements; /* in a row that one thread accesses */
    uint64_t weight;   /* more in loops */
    uint32_t guard;
    int32_t at[SAMPLES][LANES];
    uint32_t active[SAMPLES]; /* lanes, as bits */
    int32_t moved[SAMPLES];   /* how far all lanes are from where the sample before had them; or
                                 NOT_MOVED: they, or which are active, differ otherwise */
    uint64_t least;           /* cycles without conflicts, in all samples, times the weight */
    uint64_t excess;          /* what conflicts add, without padding */
    bool known;
} bank_access;

typedef struct banks {
    const k_program *p;
    VEC(bank_access) accesses; /* to local memory, in all kernels */
} banks;

/* False when nothing can be said (too much code), or memory is short. */
bool k_banks_find(const k_program *p, banks *out);
void k_banks_free(banks *b);
/* The cycles of an access in all samples, times its weight, under a padding. */
uint64_t k_banks_cost(const banks *b, const bank_access *a, k_padding f);

#endif
