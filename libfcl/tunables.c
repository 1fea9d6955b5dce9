/* The tunables of programs, for callers: what there are, and what they may be. */
#include "libfcl/passes/passes.h"
#include "libfcl/target.h"

#include "ir/base/domain.h"
#include "ir/eval/eval.h"
#include "ir/passes/passes.h"
#include "ir/tunable.h"

#include <string.h>

uint64_t fcl_domain_count(const char *domain)
{
    return domain ? domain_count(domain) : 0;
}

unsigned fcl_domain_at(const char *domain, uint64_t i)
{
    return domain ? domain_at(domain, i) : 0;
}

bool fcl_domain_has(const char *domain, unsigned number)
{
    return domain && domain_has(domain, number);
}

/* What its body gives, by the evaluator, which asks for a kernel; the module is a copy. */
static bool usual_number(fcl_module *m, ir_func f, const fcl_compile_options *o, int *number)
{
    const eval_options how = {.block_size = o->block_size,
                              .warp_size = o->warp_size,
                              .local_size = (uint32_t)(o->local_limit < INT32_MAX ? o->local_limit : INT32_MAX)};
    host_array result = {0};
    ir_func_at(&m->ir, f)->kernel = true;
    bool ok = ir_eval(&m->ir, f, &how, NULL, 0, &result, 1);
    int32_t n = -1;
    if (ok && result.data)
        memcpy(&n, result.data, sizeof n);
    if (ok)
        host_free(&m->ir.cx->mem, &result);
    *number = n >= 0 ? n : -1;
    return ok;
}

static bool tell(fcl_module *m, ir_func f, const fcl_compile_options *o, fcl_tunable_fn *each,
                 void *user)
{
    const intern *texts = &m->ir.cx->strings;
    const func_node fn = *ir_func_at(&m->ir, f);
    location at = ir_loc_at(&m->ir, fn.loc);
    fcl_tunable t = {.name = intern_str(texts, fn.name),
                     .domain = ir_tunable_domain(&m->ir, f),
                     .file = at.file ? intern_str(texts, at.file) : NULL,
                     .line = ir_line_is_valid(at.line) ? at.line : 0,
                     .column = ir_line_is_valid(at.line) ? at.col : 0};
    if (!usual_number(m, f, o, &t.usual))
        return false;
    each(user, &t);
    return true;
}

static bool tell_all(fcl_module *m, const fcl_compile_options *o, fcl_tunable_fn *each, void *user)
{
    bool ok = true;
    for (ir_func f = 1; f < m->ir.funcs.len && ok; f++)
        if (ir_tunable_domain(&m->ir, f))
            ok = tell(m, f, o, each, user);
    return ok;
}

/* A copy as it is lowered, without functions of imports that nobody calls. */
static fcl_module *linked_copy(fcl_module *m, const fcl_compile_options *o)
{
    fcl_module *own = module_to_lower(m, o);
    fcl_module *copy = own == m ? face_module_copy(m) : own;
    if (copy && pass_link(&copy->ir) && fcl_module_check(copy))
        return copy;
    fcl_module_destroy(copy);
    return NULL;
}

bool fcl_tunables(fcl_module *m, const fcl_compile_options *options, fcl_tunable_fn *each,
                  void *user)
{
    if (!m)
        return false;
    fcl_compile_options o = abi_compile_options(options);
    uint32_t before = m->ir.cx->diags.errors;
    bool usable = (each || face_given(m->ir.cx, NULL, __func__, "each")) && face_usable(m);
    fcl_module *copy = usable ? linked_copy(m, &o) : NULL;
    bool ok = copy && tell_all(copy, &o, each, user);
    fcl_module_destroy(copy);
    return face_module_ok(m, before) && ok;
}
