/* Lowering: a checked kernel of the core becomes a kernel program, by partial evaluation.
 *
 * Functions, tuples, levels, pull and push arrays exist only while lowering (lower_value.h); what remains is loops,
 * memories and launches.  Everything that the program does not force fuses. */
#ifndef FCL_IR_KERNEL_LOWER_H
#define FCL_IR_KERNEL_LOWER_H

#include "ir/kernel/kir.h"

typedef struct lower_options {
    uint32_t block_size; /* threads in a block; 0: 256 */
    uint32_t warp_size;  /* 0: 32 */
    uint32_t groups;     /* physical work-groups; 0: as many as the work needs */
} lower_options;

/* Initialises *out and fills it with the program of kernel f.  False with diagnostics (05xx, 04xx); *out must be
 * released either way.  Requires: ir_check accepted the module. */
bool k_lower(ir_module *m, ir_func f, const lower_options *options, k_program *out);

/* The pipeline from a lowered program to one that back ends take, in order; each has a name for printing in between. */
typedef struct k_pass {
    const char *name, *summary;
    bool (*run)(k_program *p);
} k_pass;
extern const k_pass k_passes[];
extern const uint32_t k_pass_count;

#endif
