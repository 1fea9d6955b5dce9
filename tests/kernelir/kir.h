/* What the parts of this suite's program share: see kir.c. */
#ifndef FCL_TESTS_KERNELIR_KIR_H
#define FCL_TESTS_KERNELIR_KIR_H

#include "ir/kernel/kir.h"

/* ---- kir.c ---- */

/* What was not as it must be, each with words on stderr. */
extern int kir_failures;

/* A file with a NUL behind it, freed by the caller; ends the program when it cannot be read. */
char *kir_load(const char *path, size_t *size);
void kir_show_diagnostics(fcl_context *cx);
/* The code of a program, its values numbered as they appear; replaces what is in out. */
bool kir_emit(fcl_context *cx, const k_program *p, vec_char *out);

/* ---- mutate.c: `kir mutate` and `kir hostile`; exit statuses ---- */

int kir_mutate(uint64_t seed, int count, const char *path);
int kir_hostile(uint64_t seed, int count, const char *path);

#endif
