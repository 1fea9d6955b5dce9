/* The verifier of kernel programs: whether what a pass left is a program of its stage.
 *
 * It asks for everything that passes and emitters rely on without looking: that ids are in range,
 * every value is defined where it is used, operands have the types that their operator takes,
 * blocks end with yields that fit, barriers are reached by all who wait at them, and so on.  The
 * rules are those of verify/rules.def, described in docs/kernel.md.  Time and memory are linear in
 * the program; recursion goes into blocks, as deep as they nest.  Any contents are safe to verify.
 */
#ifndef FCL_IR_KERNEL_VERIFY_H
#define FCL_IR_KERNEL_VERIFY_H

#include "ir/kernel/kir.h"

/* False with diagnostics: E0520, with the rule's name and the statement.  Also false when memory
 * is short. */
bool k_verify(const k_program *p, k_stage stage);

/* What the verifier read of the last program that it found nothing in; starts as zero. */
typedef struct k_verified {
    char *copy;
    size_t size, room;
} k_verified;
/* As k_verify, which is not asked again about a program equal to the last; notes this one. */
bool k_verify_again(const k_program *p, k_stage stage, k_verified *last);
void k_verified_free(mem *m, k_verified *last);

typedef struct k_rule {
    const char *name, *text;
} k_rule;
extern const k_rule k_rules[];
extern const uint32_t k_rule_count;

#endif
