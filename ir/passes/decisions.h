/* Decisions about arrays without levels, by name: decisions.def. */
#ifndef FCL_IR_PASSES_DECISIONS_H
#define FCL_IR_PASSES_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum decision {
#define DECISION(e, name, summary) DECIDE_##e,
#include "ir/passes/decisions.def"
#undef DECISION
    DECISIONS
} decision;

/* The name of decision i; NULL beyond the last. */
const char *decision_name(size_t i, const char **summary);
/* Bits of the decisions of a list, names with commas or + between them; NULL: none.  False: *bad
 * begins with a name that none has. */
bool decisions_named(const char *list, unsigned *bits, const char **bad);

#endif
