/* Which functions are tunables, and what is said of them: see tunable.h. */
#include "ir/tunable.h"

#include "ir/base/domain.h"
#include "ir/properties.h"

#include <string.h>

const char *ir_tunable_domain(const ir_module *m, ir_func f)
{
    return ir_property_text(m, (subject){ON_FUNC, f}, PROPERTY_TUNABLE);
}

/* NAME=N at the beginning of s. */
static bool says(const char *s, const char *name, size_t len, uint32_t *n)
{
    if (strncmp(s, name, len) != 0 || s[len] != '=')
        return false;
    s += len + 1;
    return domain_number(&s, n) && (!*s || *s == ',');
}

bool ir_tuned(const ir_module *m, ir_func f, const char *list, int32_t *value)
{
    const char *domain = list ? ir_tunable_domain(m, f) : NULL;
    if (!domain)
        return false;
    const char *name = ir_str(m, m->funcs.at[f].name);
    size_t len = strlen(name);
    bool found = false;
    for (const char *s = list; s; s = strchr(s, ',')) {
        uint32_t n;
        s += *s == ',';
        if (says(s, name, len, &n) && domain_has(domain, n)) {
            *value = (int32_t)n;
            found = true;
        }
    }
    return found;
}

ir_func ir_tunable_named(const ir_module *m, const char *name, size_t n)
{
    str_id s = intern_find(&m->cx->strings, name, n);
    ir_func f = s ? ir_func_named(m, s) : 0;
    return f && ir_tunable_domain(m, f) ? f : 0;
}
