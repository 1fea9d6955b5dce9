/* Artifacts: their texts, and what each is made from. */
#include "libfcl/artifact.h"

fcl_artifact *artifact_new(fcl_kernels *k)
{
    fcl_artifact *a = mem_resize(&k->cx->mem, NULL, 0, sizeof *a);
    if (a)
        *a = (fcl_artifact){.cx = k->cx, .kernels = k};
    else
        fcl_kernels_destroy(k);
    return a;
}

void fcl_artifact_destroy(fcl_artifact *a)
{
    if (!a)
        return;
    mem *mm = &a->cx->mem;
    fcl_kernels_destroy(a->kernels);
    vec_free(mm, &a->code);
    vec_free(mm, &a->plan);
    vec_free(mm, &a->report);
    vec_free(mm, &a->kernel_ir);
    mem_free(mm, a, sizeof *a);
}

static const char *borrow(const vec_char *text, size_t *size)
{
    *size = text->len;
    return text->len ? text->at : "";
}

const char *fcl_artifact_code(fcl_artifact *a, size_t *size)
{
    return borrow(&a->code, size);
}

/* The text, made at the first question. */
static const char *ask(fcl_artifact *a, vec_char *text, size_t *size,
                       bool (*make)(const k_program *p, vec_char *out))
{
    uint32_t before = a->cx->diags.errors;
    bool ok = true;
    if (!text->len) {
        for (uint32_t i = 0; ok && i < a->kernels->programs.len; i++)
            ok = make(&a->kernels->programs.at[i], text);
        text_cstr(&a->cx->mem, text);
    }
    if (!face_ok(a->cx, before) || !ok)
        vec_free(&a->cx->mem, text);
    return borrow(text, size);
}

const char *fcl_artifact_plan(fcl_artifact *a, size_t *size)
{
    return ask(a, &a->plan, size, k_print_plan);
}

const char *fcl_artifact_report(fcl_artifact *a, size_t *size)
{
    return ask(a, &a->report, size, k_report);
}

const char *fcl_artifact_kernel_ir(fcl_artifact *a, size_t *size)
{
    return ask(a, &a->kernel_ir, size, k_print);
}
