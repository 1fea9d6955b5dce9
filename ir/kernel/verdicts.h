/* See verdicts.c. */
#ifndef FCL_IR_KERNEL_VERDICTS_H
#define FCL_IR_KERNEL_VERDICTS_H

#include "ir/kernel/kir.h"

/* Appends a line for each; nothing when nothing was looked at. */
bool k_report_verdicts(const k_program *p, vec_char *out);

#endif
