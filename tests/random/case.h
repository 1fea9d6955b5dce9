/* One kernel with its arguments, run in several ways that must agree. */
#ifndef FCL_TESTS_RANDOM_CASE_H
#define FCL_TESTS_RANDOM_CASE_H

#include "libfcl/passes/passes.h"
#include "ir/kernel/lower/lower.h"
#include "libfcl/face.h"

/* No more kernel passes than there are steps. */
#define STEP(name, why) +1
enum {
    PASSES_MOST = 0
#include "libfcl/passes/pipeline.def"
};
#undef STEP
enum { LEAVES_MOST = 24 };

/* How a kernel is compiled: the target, and the passes over it in their order. */
typedef struct setting {
    k_target target;
    uint8_t passes[PASSES_MOST]; /* numbers of pipeline_kernel */
    uint32_t npasses;
    bool after_each; /* run the program after each pass too */
    unsigned without; /* bits of the decisions about arrays without levels that are off */
    uint32_t tunables; /* those of the program are drawn from it; 0: they are as usual */
    /* the form in which a device gets its code, and how lanes exchange values; NULL: its own choice */
    const char *via, *exchange;
} setting;

void setting_draw(uint64_t seed, setting *out);
/* Lanes exchange values as in dialect i of the first back end. */
void setting_exchange(k_target *t, uint32_t i);
/* Blocks are one thread, whose loops are vectors of so many bytes; 0: they have threads. */
void setting_simd(k_target *t, uint32_t bytes);
/* As the option --with has it, and back: false when it says something else. */
void setting_text(const setting *s, char *out, size_t size);
bool setting_read(char *text, setting *out);

/* The decisions that are off, as the option --without has them. */
enum { WITHOUT_MOST = 200 };
const char *setting_without(const setting *s, char out[WITHOUT_MOST]);

typedef enum verdict {
#define VERDICT(ENUM, finding, text) ENUM,
#include "tests/random/verdicts.def"
#undef VERDICT
    VERDICTS
} verdict;

typedef struct outcome {
    verdict verdict;
    unsigned code; /* of the first diagnostic */
    char what[500];
} outcome;

bool is_finding(verdict v);
/* Whether two findings look alike. */
bool same_defect(const outcome *a, const outcome *b);
const char *verdict_text(verdict v);

/* A module that is loaded and checked; NULL with what is wrong. */
fcl_module *case_load(fcl_context *cx, const char *text, size_t size, outcome *out);
/* Compiles the kernel as the setting says, runs it in the simulator, and compares with the
 * evaluator. */
void case_simulate(fcl_module *m, const char *entry, const host_array *args, uint32_t nargs,
                   const setting *s, outcome *out);
/* The same on a device. */
void case_run(fcl_module *m, const char *entry, const host_array *args, uint32_t nargs,
              const setting *s, fcl_device *d, outcome *out);

#endif
