/* The SPIR-V back end: one module with all kernels of all programs. */
#include "backends/spirv/spirv.h"

#include "backends/spirv/emit.h"

#include <string.h>

/* ---- a program ---- */

static bool number_checks(sp_emitter *e)
{
    vec_u32 checks = {0};
    bool ok = k_list_checks(e->p, e->p->host, &checks);
    for (uint32_t i = 0; ok && i < checks.len; i++)
        e->ids[checks.at[i]] = i + 1;
    vec_free(e->s->m, &checks);
    return ok;
}

/* Tables that some kernel takes as an argument are in global memory. */
static void note_given(sp_emitter *e)
{
    for (uint32_t i = 0; i < e->p->kernels.len; i++) {
        const k_kernel *k = &e->p->kernels.at[i];
        for (uint32_t j = 0; j < k->nglobals; j++)
            e->notes[k_pooled(e->p, k->globals, j)] |= SP_GIVEN;
    }
}

static void emit_kernels(sp_emitter *e)
{
    if (!number_checks(e)) {
        e->failed = true;
        return;
    }
    note_given(e);
    for (uint32_t i = 0; i < e->p->kernels.len && !e->failed; i++) {
        e->kernel = &e->p->kernels.at[i];
        sp_kernel(e);
    }
}

/* Ids and notes take an entry for every node, so time and memory are linear in the program. */
static bool emit_program(const k_program *p, const sp_environment *of, sp_module *s,
                         sp_shared *shared)
{
    size_t n = p->nodes.len;
    sp_id *ids = mem_zeroed(s->m, n * sizeof *ids);
    uint8_t *notes = mem_zeroed(s->m, n);
    sp_emitter e = {
        .p = p, .environment = of, .s = s, .shared = shared, .ids = ids, .notes = notes};
    bool ok = ids && notes;
    if (ok)
        emit_kernels(&e);
    vec_free(s->m, &e.interface);
    mem_free(s->m, ids, n * sizeof *ids);
    mem_free(s->m, notes, n);
    return ok && !e.failed;
}

/* ---- a module ---- */

static void begin(const sp_environment *of, sp_module *s, sp_shared *shared)
{
    shared->extended = sp_new_id(s);
    sp_put_text(s, SP_IMPORTS, SpvOpExtInstImport, SP_WORDS(shared->extended), of->extended, NULL,
                0);
    of->begin(s);
}

/* Ids end before memory does. */
static bool finish(sp_module *s, const k_program *last, uint32_t version, vec_char *out)
{
    if (s->last > SP_MOST_IDS)
        return diag_error(last->cx, DIAG_EMIT_SIZE, (location){0},
                          "the kernels have more values than a SPIR-V module may have");
    return sp_write(s, version, out);
}

static bool emit_for(const sp_environment *of, const k_program *const *programs, uint32_t n,
                     vec_char *out)
{
    if (!n)
        return true;
    mem *m = &programs[0]->cx->mem;
    sp_module s = {.m = m};
    sp_shared *shared = mem_zeroed(m, sizeof *shared);
    bool ok = shared != NULL;
    if (ok)
        begin(of, &s, shared);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = emit_program(programs[i], of, &s, shared);
    ok = ok && finish(&s, programs[n - 1], of->version, out);
    if (shared)
        vec_free(m, &shared->files);
    mem_free(m, shared, sizeof *shared);
    sp_module_release(&s);
    return ok;
}

static bool emit_opencl(void *user, const k_program *const *programs, size_t n, fcl_emission *out)
{
    (void)user;
    out->is_bytes = true;
    return emit_for(&sp_for_opencl, programs, (uint32_t)n, &out->code);
}

static const fcl_dialect opencl_dialects[] = {{.name = "local", .options = ""}};

static const fcl_target_facts facts = {.size = sizeof facts,
                                       .max_block = 1024,
                                       .warp_size = 32,
                                       .groups_wait = true,
                                       .atomics64 = true,
                                       .f64 = true,
                                       .f16 = true};

const fcl_backend backend_spirv_opencl = {
    .size = sizeof backend_spirv_opencl,
    .name = "spirv-opencl",
    .summary = "SPIR-V 1.0 for OpenCL",
    .facts = &facts,
    .dialects = opencl_dialects,
    .ndialects = sizeof opencl_dialects / sizeof *opencl_dialects,
    .emit = emit_opencl,
};
