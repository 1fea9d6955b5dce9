/* What the mutators of texts and of the binary form share: see fuzz.h. */
#ifndef FCL_TESTS_FUZZ_MUTATE_H
#define FCL_TESTS_FUZZ_MUTATE_H

#include "tests/fuzz/fuzz.h"

enum { COPIED = 4096 }; /* the longest part that is copied */

/* An input that is being changed, and a range of it. */
typedef struct edit {
    uint8_t *at;
    size_t size, room;
    const fuzz_word *words; /* of its language */
    size_t nwords;
    bool is_kernel; /* values are numbers, and have types */
} edit;

typedef struct span {
    size_t start, end;
} span;

/* Puts n other bytes, which are not the input's own, in the place of a range; false, and nothing
 * changes, without room. */
bool edit_replace(edit *e, span old, const void *with, size_t n);

/* ---- mutate_binary.c ---- */

void mutate_binary(edit *e, fuzz_random *r);

#endif
