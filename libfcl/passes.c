/* The passes over the core, by name: one table, in the order in which they make sense. */
#include "libfcl/face.h"

#include "ir/passes/passes.h"

#include <string.h>

static bool run_check(fcl_module *m)
{
    return fcl_module_check(m);
}

static bool run_link(fcl_module *m)
{
    return pass_link(&m->ir);
}

static bool run_dce(fcl_module *m)
{
    return pass_dce(&m->ir);
}

static bool run_inline(fcl_module *m)
{
    return pass_inline(&m->ir, INLINE_SMALL);
}

static bool run_fold(fcl_module *m)
{
    return pass_fold(&m->ir);
}

static bool run_cse(fcl_module *m)
{
    return pass_cse(&m->ir);
}

static const struct {
    const char *name, *summary;
    bool (*run)(fcl_module *m);
} passes[] = {
    {"check", "structure, kinds, types and levels; fills in the types that were left out",
     run_check},
    {"link", "make the imported functions that are used the module's own, drop the others",
     run_link},
    {"inline", "the bodies of functions that are small or called once for their calls", run_inline},
    {"fold", "what is known for what computes it", run_fold},
    {"cse", "one computation for several that are the same", run_cse},
    {"dce", "drop operations whose results nobody uses", run_dce},
};

size_t fcl_pass_count(void)
{
    return sizeof passes / sizeof *passes;
}

const char *fcl_pass_name(size_t i)
{
    return i < fcl_pass_count() ? passes[i].name : NULL;
}

const char *fcl_pass_summary(size_t i)
{
    return i < fcl_pass_count() ? passes[i].summary : NULL;
}

/* "the passes are a, b, c", as a hint. */
static void hint_passes(fcl_context *cx)
{
    vec_char list = {0};
    for (size_t i = 0; i < fcl_pass_count(); i++)
        text_addf(&cx->mem, &list, "%s%s", i ? ", " : "", passes[i].name);
    diag_hint(cx, "the passes are %s", text_cstr(&cx->mem, &list));
    vec_free(&cx->mem, &list);
}

bool fcl_pass_run(fcl_module *m, const char *name)
{
    fcl_context *cx = m->ir.cx;
    uint32_t before = cx->diags.errors;
    if (!face_usable(m))
        return false;
    for (size_t i = 0; i < fcl_pass_count(); i++)
        if (strcmp(passes[i].name, name) == 0) {
            bool ok = passes[i].run(m);
            vec_free(&cx->mem, &m->named); /* functions may have other numbers now */
            m->entered = 0;
            return face_module_ok(m, before) && ok;
        }
    diag_error(cx, DIAG_NO_PASS, (location){0}, "there is no pass %s", name);
    hint_passes(cx);
    return false;
}
