/* Fuzzing: the targets of targets.def, the world they run in, and the mutator that knows the
 * language's tables.
 *
 * fuzz_run does one input and returns; whatever must not be ends the process with abort: a crash to
 * the fuzzer as to the plain driver. */
#ifndef FCL_TESTS_FUZZ_H
#define FCL_TESTS_FUZZ_H

#include "libfcl/fcl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- targets.c ---- */

typedef struct fuzz_target {
    const char *name, *extension, *summary;
    void (*run)(const uint8_t *data, size_t size);
} fuzz_target;

const fuzz_target *fuzz_target_named(const char *name); /* NULL: there is none */
const fuzz_target *fuzz_target_at(size_t i);            /* NULL beyond the last */

/* ---- world.c: a context whose memory is counted ---- */

typedef struct fuzz_world {
    fcl_context *cx;
    size_t now, peak, budget; /* bytes */
    bool relaxed;             /* the input's own work is done: the rest is not measured */
} fuzz_world;

/* Aborts when more than `budget` bytes are allocated at once. */
void fuzz_open(fuzz_world *w, size_t budget);
/* What follows examines the result: it may take four times as much, and does not count. */
void fuzz_relax(fuzz_world *w);
/* Aborts when anything is left. */
void fuzz_close(fuzz_world *w);
/* Aborts with the words when the condition does not hold. */
void fuzz_must(bool condition, const char *words);
/* The most that any world held. */
size_t fuzz_peak(void);

/* ---- calls.c: builder calls that the input chooses ---- */

void fuzz_build(fcl_context *cx, fcl_module *m, const uint8_t *data, size_t size);

/* ---- mutate*.c ---- */

/* Changes an input of that form in place; returns its new size, at most `room`.  The same seed does
 * the same. */
size_t fuzz_mutate(const char *extension, uint8_t *data, size_t size, size_t room, uint32_t seed);
/* Changes bytes without any knowledge: libFuzzer's own mutations, or those of the plain driver. */
size_t fuzz_mutate_bytes(uint8_t *data, size_t size, size_t room);

/* Random numbers: xorshift; below(r, n) is less than n, 0 for n = 0. */
typedef struct fuzz_random {
    uint32_t state;
} fuzz_random;
uint32_t fuzz_next(fuzz_random *r);
size_t fuzz_below(fuzz_random *r, size_t n);

/* ---- words.c: the words of the languages ---- */

typedef enum { WORD_OP, WORD_TYPE, WORD_LEVEL, WORD_KIND, WORD_TOKEN, WORD_BUILTIN } word_class;

typedef struct fuzz_word {
    const char *text;
    uint8_t class;
    uint8_t least, most, regions; /* of an operator: operands (most 255: any number) and regions */
    char attribute; /* of an operator: what stands in <...>, the first letter of its name in
                       ops.def; S: scalar */
} fuzz_word;

extern const fuzz_word fuzz_words[];
extern const size_t fuzz_word_count;
/* Those of kernel IR; a word with an empty text stands for none. */
extern const fuzz_word fuzz_kernel_words[];
extern const size_t fuzz_kernel_word_count;

#endif
