/* Makes a program smaller that shows a defect, as long as it shows one of the same kind. */
#ifndef FCL_TESTS_RANDOM_SHRINK_H
#define FCL_TESTS_RANDOM_SHRINK_H

#include "tests/random/case.h"

/* Prints what is left. */
void shrink(const char *text, size_t size, const char *entry, const host_array *args, uint32_t nargs, const setting *s,
            const char *device);

#endif
