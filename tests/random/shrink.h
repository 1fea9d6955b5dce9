/* Makes a program smaller that shows a defect, as long as it shows one that looks alike. */
#ifndef FCL_TESTS_RANDOM_SHRINK_H
#define FCL_TESTS_RANDOM_SHRINK_H

#include "tests/random/case.h"

#include <time.h>

/* A program that is being made smaller, and how it is run. */
typedef struct shrinking {
    char **lines; /* without their ends */
    uint32_t n;
    const char *entry, *device;
    host_array *args;
    uint32_t nargs;
    setting s;
    outcome wanted;
    time_t begun;
} shrinking;

/* text, entry, args, s, device are set: makes them smaller.  False when there is no defect. */
bool shrink(shrinking *w, const char *text);
void shrink_release(shrinking *w);

#endif
