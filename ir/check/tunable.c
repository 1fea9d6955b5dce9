/* What a tunable is held to (ir/tunable.h): a domain, no parameters, an int. */
#include "ir/check/impl.h"

#include "ir/base/domain.h"
#include "ir/tunable.h"

static void refuse(const checker *c, ir_func f, const char *why)
{
    diag_error(c->cx, DIAG_TUNABLE, check_here(c), "the tunable @%s %s",
               ir_str(c->m, ir_func_at(c->m, f)->name), why);
}

/* An unknown result has been reported. */
void check_tunable(checker *c, ir_func f)
{
    const char *domain = ir_tunable_domain(c->m, f);
    const func_node fn = *ir_func_at(c->m, f);
    if (!domain)
        return;
    if (ir_region_at(c->m, fn.body)->nparams || fn.ntypes || fn.nlevels || fn.kernel)
        refuse(c, f, "has parameters, or is a kernel");
    else if (fn.result && type_as_scalar(c->m, fn.result) != ST_I32)
        refuse(c, f, "does not give an int");
    else if (!domain_count(domain))
        refuse(c, f, "has no domain: it is written as 8,16 or 1..64*2 or 0..100+10");
}
