/* Back ends by name: the built-in ones, each once, and those that a context knows; and emission. */
#include "backends/backend.h"

#include "backends/c/emit.h"
#include "backends/cpu/cpu.h"
#include "backends/opencl/opencl.h"
#include "backends/spirv/spirv.h"

#include <string.h>

static const fcl_backend *const built_in[] = {&backend_opencl, &backend_cpu, &backend_spirv_opencl,
                                              &backend_spirv_vulkan, &backend_spirv_addresses};
enum { BUILT_IN = sizeof built_in / sizeof *built_in };

uint32_t backend_count(const fcl_context *cx)
{
    return BUILT_IN + (cx ? cx->registry.backends.len : 0);
}

const fcl_backend *backend_at(const fcl_context *cx, uint32_t i)
{
    return i < BUILT_IN            ? built_in[i]
           : i < backend_count(cx) ? cx->registry.backends.at[i - BUILT_IN]
                                   : NULL;
}

const fcl_backend *backend_named(const fcl_context *cx, const char *name)
{
    for (uint32_t i = 0; i < backend_count(cx); i++)
        if (strcmp(backend_at(cx, i)->name, name) == 0)
            return backend_at(cx, i);
    return NULL;
}

static fcl_target_facts facts_of(const fcl_backend *b)
{
    fcl_target_facts f = {0};
    size_t first = offsetof(fcl_target_facts, f16) + sizeof f.f16;
    size_t size = b->facts->size ? b->facts->size : first;
    memcpy(&f, b->facts, size < sizeof f ? size : sizeof f);
    return f;
}

bool backend_has_half(const fcl_backend *b)
{
    return facts_of(b).f16;
}

k_device_facts backend_facts(const fcl_backend *b)
{
    fcl_target_facts f = facts_of(b);
    return (k_device_facts){.max_block = f.max_block,
                            .local_bytes = f.local_bytes,
                            .constant_bytes = f.constant_bytes,
                            .warp_size = f.warp_size ? f.warp_size : 32,
                            .groups_wait = f.groups_wait,
                            .atomics64 = f.atomics64,
                            .serial = f.serial,
                            .f64 = f.f64,
                            .local_by_width = f.local_by_width != 0};
}

/* ---- emission ---- */

/* Who refuses without a reason gets one here. */
static bool refused(const fcl_backend *b, const k_program *p, uint32_t errors, const char *what)
{
    if (p->cx->diags.errors == errors && !p->cx->mem.oom)
        diag_error(p->cx, DIAG_EMIT_DECLINED, k_loc_at(p, p->origin.loc),
                   "the target %s %s, and does not say why", b->name, what);
    return false;
}

static bool accepted(const fcl_backend *b, const k_program *const *programs, uint32_t n)
{
    for (uint32_t i = 0; b->accept && i < n; i++) {
        uint32_t errors = programs[i]->cx->diags.errors;
        if (!b->accept(b->user, programs[i]))
            return refused(b, programs[i], errors, "does not take this program");
    }
    return true;
}

bool backend_emit(const fcl_backend *b, const k_program *const *programs, uint32_t n,
                  fcl_emission *out)
{
    if (!n)
        return true;
    uint32_t errors = out->cx->diags.errors;
    if (!accepted(b, programs, n))
        return false;
    bool ok = b->language ? c_emit_file(b->language, programs, n, &out->code)
                          : b->emit(b->user, programs, n, out);
    if (!ok)
        return refused(b, programs[0], errors, "could not make code");
    if (!out->failed && !out->code.len)
        return refused(b, programs[0], errors, "makes no code");
    return !out->failed || refused(b, programs[0], errors, "makes code of NULL");
}

bool backend_code(const fcl_backend *b, const k_program *const *programs, uint32_t n, vec_char *out)
{
    fcl_emission e = {.cx = n ? programs[0]->cx : NULL, .code = *out};
    bool ok = backend_emit(b, programs, n, &e);
    *out = e.code;
    return ok;
}

void fcl_emit_text(fcl_emission *out, const char *text, size_t size)
{
    if ((size && !text) || !text_add(&out->cx->mem, &out->code, text, size))
        out->failed = true;
}

void fcl_emit_bytes(fcl_emission *out, const void *data, size_t size)
{
    out->is_bytes = true;
    fcl_emit_text(out, data, size);
}

void fcl_emit_options(fcl_emission *out, const char *options)
{
    out->options = intern_cstr(&out->cx->strings, options ? options : "");
    out->failed = out->failed || !out->options;
}
