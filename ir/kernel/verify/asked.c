/* What all files of the verifier ask, and how they report: see impl.h. */
#include "ir/kernel/verify/impl.h"

#include <stdarg.h>
#include <stdio.h>

const k_rule k_rules[] = {
#define KRULE(e, name, text) {name, text},
#include "ir/kernel/verify/rules.def"
#undef KRULE
};
const uint32_t k_rule_count = sizeof k_rules / sizeof *k_rules;

/* ---- reporting ---- */

/* The first errors are told in full, further ones only counted: one broken pass can break every
 * rule. */
bool verify_breaks(verifier *v, rule_id rule, k_id at, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (v->errors++ >= VERIFY_ERRORS)
        return false;
    vec_char line = {0};
    if (at)
        k_print_statement(v->p, at, &line);
    const char *statement = text_cstr(v->m, &line);
    diag_error(v->p->cx, DIAG_KERNEL_RULE, k_loc_of(v->p, at), "rule %s: %s%s%s",
               k_rules[rule].name, text, *statement ? ", in: " : "", statement);
    diag_hint(v->p->cx, "%s", k_rules[rule].text);
    vec_free(v->m, &line);
    return false;
}

/* ---- what is where ---- */

bool verify_lives_on(const verifier *v, k_id n)
{
    k_id launch = v->within[v->notes[n].home];
    return k_at(v->p, n)->op == K_ALLOC && (!launch || launch == v->launch);
}
