/* The pass schedule over modules, and the copy that it works on where nobody has asked for it by name:
 * compiling leaves a caller's module as it is. */
#include "libfcl/passes/passes.h"

#include "ir/passes/passes.h"
#include "ir/scheduled.h"

#include <string.h>

static const char skeletons[] = "prelude.skeletons";

bool module_has_skeletons(const fcl_module *m)
{
    bool has = m->leveled;
    for (uint32_t i = 0; i < m->ir.imports.len && !has; i++)
        has = strcmp(ir_str(&m->ir, m->ir.imports.at[i].name), skeletons) == 0;
    return has;
}

/* Whether there is nothing to choose.  A module that has the skeletons went through the pass: its kernels without a level have none
 * because the host, or a thread, does what there is. */
static bool leaves_nothing(fcl_module *m)
{
    return module_has_skeletons(m) ? ir_module_is_scheduled(&m->ir) : ir_module_says_levels(&m->ir);
}

/* Functions of imports that have collectives become the module's own, to be changed. */
static bool link_collectives(fcl_module *m)
{
    return !ir_imports_collectives(&m->ir) || (pass_link(&m->ir) && fcl_module_check(m));
}

bool pass_decisions(fcl_context *cx, const fcl_compile_options *o, unsigned *without)
{
    const char *bad, *name;
    if (decisions_named(o ? o->without : NULL, without, &bad)) {
        if (o && o->in_place) /* the kernel pass inward, without which it loses, leaves such programs alone */
            *without |= 1u << DECIDE_FEW;
        return true;
    }
    diag_error(cx, DIAG_OPTION, (location){0}, "there is no decision called %.*s",
               (int)strcspn(bad, ",+"), bad);
    vec_char list = {0};
    for (size_t i = 0; (name = decision_name(i, NULL)) != NULL; i++)
        text_addf(&cx->mem, &list, "%s%s", i ? ", " : "", name);
    diag_hint(cx, "name one of %s, or several with commas between them", text_cstr(&cx->mem, &list));
    vec_free(&cx->mem, &list);
    return false;
}

static bool schedule(fcl_module *m, const fcl_compile_options *o, bool drops)
{
    unsigned without;
    if (!pass_decisions(m->ir.cx, o, &without))
        return false;
    if (!fcl_module_check(m) || leaves_nothing(m))
        return m->ir.checked;
    m->leveled = link_collectives(m) && pass_dce(&m->ir) && fcl_import(m, skeletons, NULL) && pass_schedule(&m->ir, without, drops) && fcl_module_check(m);
    return m->leveled;
}

bool run_schedule(fcl_module *m, const fcl_compile_options *o)
{
    return schedule(m, o, false);
}

bool run_fuse(fcl_module *m, const fcl_compile_options *o)
{
    unsigned without;
    if (!pass_decisions(m->ir.cx, o, &without))
        return false;
    if (!fcl_module_check(m) || leaves_nothing(m))
        return m->ir.checked;
    return link_collectives(m) && pass_fuse(&m->ir, without);
}

/* Rules alone, whatever is off.  Some call skeletons that say what pays. */
static bool run_rules(fcl_module *m, unsigned rules, bool call)
{
    if (!fcl_module_check(m) || leaves_nothing(m))
        return m->ir.checked;
    return link_collectives(m) && (!call || fcl_import(m, skeletons, NULL)) && pass_distribute(&m->ir, ~rules);
}

bool run_irwim(fcl_module *m, const fcl_compile_options *o)
{
    (void)o;
    return run_rules(m, 1u << DECIDE_IRWIM, false);
}

bool run_keys(fcl_module *m, const fcl_compile_options *o)
{
    (void)o;
    return run_rules(m, 1u << DECIDE_KEYS, true);
}

bool run_fission(fcl_module *m, const fcl_compile_options *o)
{
    (void)o;
    return run_rules(m, 1u << DECIDE_FISSION, true);
}

bool run_interchange(fcl_module *m, const fcl_compile_options *o)
{
    (void)o;
    return run_rules(m, 1u << DECIDE_FISSION | 1u << DECIDE_INTERCHANGE, true);
}

fcl_module *module_to_lower(fcl_module *m, const fcl_compile_options *o)
{
    if (!fcl_module_check(m))
        return NULL;
    if (o->no_schedule || leaves_nothing(m))
        return m;
    unsigned without;
    fcl_module *copy = pass_decisions(m->ir.cx, o, &without) ? face_module_copy(m) : NULL;
    bool shared = copy && (without & 1u << DECIDE_SHARE || pass_share(&copy->ir));
    if (shared && fcl_module_check(copy) && schedule(copy, o, true))
        return copy;
    fcl_module_destroy(copy);
    return NULL;
}

void module_lowered(fcl_module *m, fcl_module *made)
{
    if (made != m)
        fcl_module_destroy(made);
}

const char *fcl_decision_get(size_t i, const char **summary)
{
    return decision_name(i, summary);
}
