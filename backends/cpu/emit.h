/* What the files of the plain C emitter share, beside what every C has (backends/c/emit.h). */
#ifndef FCL_BACKENDS_CPU_EMIT_H
#define FCL_BACKENDS_CPU_EMIT_H

#include "backends/c/emit.h"

enum { CPU_ATOMICS = ATOMIC_RELEASE + 1 };

/* Which helper functions a program uses. */
typedef struct cpu_uses {
    uint16_t atomics[CPU_ATOMICS]; /* a set of types for each */
    bool report;                   /* of a check that has failed */
} cpu_uses;

static inline cpu_uses *cpu_uses_of(c_emitter *e)
{
    return e->own;
}

/* operators.c */
extern const c_operator cpu_operators[];

/* memory.c: see c_language, and the helper functions that stand before the kernels. */
void cpu_load_wide(c_emitter *e, k_id id);
void cpu_lane(c_emitter *e, const k_node *result);
void cpu_store_wide(c_emitter *e, const k_node *n);
void cpu_atomic(c_emitter *e, k_id id);
void cpu_shuffle(c_emitter *e, const k_node *n);
void cpu_sync(c_emitter *e, uint32_t level);
void cpu_report(c_emitter *e, k_id check);
void cpu_failed(c_emitter *e);
bool cpu_print_functions(const c_language *l, mem *m, const cpu_uses *u, vec_char *out);

/* kernel.c */
void cpu_table(c_emitter *e, k_id id);
void cpu_kernel(c_emitter *e, const k_kernel *k);

#endif
