/* Decisions by name: see decisions.h. */
#include "ir/passes/decisions.h"

#include <string.h>

const char *decision_name(size_t i, const char **summary)
{
    static const char *const all[DECISIONS][2] = {
#define DECISION(e, name, summary) {name, summary},
#include "ir/passes/decisions.def"
#undef DECISION
    };
    if (i < DECISIONS && summary)
        *summary = all[i][1];
    return i < DECISIONS ? all[i][0] : NULL;
}

/* DECISIONS where there is none. */
static size_t find(const char *name, size_t n)
{
    const char *is;
    size_t i = 0;
    for (; (is = decision_name(i, NULL)) != NULL; i++)
        if (strlen(is) == n && memcmp(is, name, n) == 0)
            break;
    return i;
}

bool decisions_named(const char *list, unsigned *bits, const char **bad)
{
    *bits = 0;
    while (list && *list) {
        size_t n = strcspn(list, ",+"), i = find(list, n);
        *bad = list;
        if (i == DECISIONS)
            return false;
        *bits |= 1u << i;
        list += n + (list[n] != 0);
    }
    return true;
}
