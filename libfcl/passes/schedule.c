/* The pass schedule over modules, and the copy that it works on where nobody has asked for it by name:
 * compiling leaves a caller's module as it is. */
#include "libfcl/passes/passes.h"

#include "ir/passes/passes.h"
#include "ir/scheduled.h"

/* Functions of imports that have collectives become the module's own, to be changed. */
static bool link_collectives(fcl_module *m)
{
    return !ir_imports_collectives(&m->ir) || (pass_link(&m->ir) && fcl_module_check(m));
}

bool run_schedule(fcl_module *m)
{
    if (!fcl_module_check(m) || ir_module_is_scheduled(&m->ir))
        return m->ir.checked;
    return link_collectives(m) && fcl_import(m, "prelude.skeletons", NULL) &&
           pass_schedule(&m->ir) && fcl_module_check(m);
}

fcl_module *module_to_lower(fcl_module *m, const fcl_compile_options *o)
{
    if (!fcl_module_check(m))
        return NULL;
    if (o->no_schedule || ir_module_is_scheduled(&m->ir))
        return m;
    fcl_module *copy = face_module_copy(m);
    if (copy && pass_cse(&copy->ir) && fcl_module_check(copy) && run_schedule(copy))
        return copy;
    fcl_module_destroy(copy);
    return NULL;
}

void module_lowered(fcl_module *m, fcl_module *made)
{
    if (made != m)
        fcl_module_destroy(made);
}
