/* The names that are most like a misspelt one, for hints. */
#ifndef FCL_BASE_NEAREST_H
#define FCL_BASE_NEAREST_H

#include "ir/base/context.h"

enum { NEAREST_NAMES = 3 };

/* Keeps the nearest of the candidates that are offered for a name, the nearest first. */
typedef struct nearest {
    const char *wanted;
    size_t len;
    const char *best[NEAREST_NAMES]; /* NULL behind the last */
    uint32_t distance[NEAREST_NAMES], n;
} nearest;

/* Near enough is one mistake in a name of less than 6 characters, else one in three. */
void nearest_init(nearest *x, const char *wanted, size_t len);
/* The candidate is not copied: it must live as long as the answer is used. */
void nearest_offer(nearest *x, const char *candidate, size_t len);
/* "is it %s, %s or %s?" of what was kept, as the hint of the last diagnostic; nothing when no name
 * was near. */
void nearest_hint(fcl_context *cx, const nearest *x);

#endif
