/* The SPIR-V back end: one module with all kernels of all programs. */
#include "backends/spirv/spirv.h"

#include "backends/opencl/opencl.h"
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
        barriers_find(&e->barriers, e->kernel);
        sp_kernel(e);
    }
}

/* What takes an entry for every node, so that time and memory are linear in the program. */
static bool make_room(sp_emitter *e)
{
    size_t n = e->p->nodes.len;
    bool ok = barriers_begin(&e->barriers, e->p);
    e->ids = mem_zeroed(e->s->m, n * sizeof *e->ids);
    e->notes = mem_zeroed(e->s->m, n);
    e->places = mem_zeroed(e->s->m, n * sizeof *e->places);
    if (e->barriers.of)
        e->cells = mem_zeroed(e->s->m, n * sizeof *e->cells);
    return ok && e->ids && e->notes && e->places && (e->cells || !e->barriers.of);
}

static void free_room(sp_emitter *e)
{
    size_t n = e->p->nodes.len;
    barriers_end(&e->barriers);
    mem_free(e->s->m, e->ids, n * sizeof *e->ids);
    mem_free(e->s->m, e->notes, n);
    mem_free(e->s->m, e->places, n * sizeof *e->places);
    mem_free(e->s->m, e->cells, n * sizeof *e->cells);
    vec_free(e->s->m, &e->interface);
    vec_free(e->s->m, &e->wide);
    vec_free(e->s->m, &e->stack);
}

static bool emit_program(const k_program *p, const sp_environment *of, sp_module *s,
                         sp_shared *shared)
{
    sp_emitter e = {.p = p, .environment = of, .s = s, .shared = shared};
    bool ok = make_room(&e);
    if (ok)
        emit_kernels(&e);
    free_room(&e);
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
static bool finish(sp_module *s, const sp_environment *of, const k_program *last, vec_char *out)
{
    uint32_t from = out->len;
    if (!s->sections[SP_ENTRIES].len)
        of->without_kernels(s);
    if (s->last > SP_MOST_IDS)
        return diag_error(last->cx, DIAG_EMIT_SIZE, (location){0},
                          "the kernels have more values than a SPIR-V module may have");
    return sp_write(s, out) && sp_valid(last->cx, of, s, out->at + from, out->len - from);
}

static void release_shared(mem *m, sp_shared *shared)
{
    vec_free(m, &shared->files);
    vec_free(m, &shared->area_bytes);
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
    sp_need_version(&s, of->version);
    if (ok)
        begin(of, &s, shared);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = emit_program(programs[i], of, &s, shared);
    ok = ok && finish(&s, of, programs[n - 1], out);
    if (shared)
        release_shared(m, shared);
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

static bool emit_vulkan(void *user, const k_program *const *programs, size_t n, fcl_emission *out)
{
    (void)user;
    out->is_bytes = true;
    return emit_for(&sp_for_vulkan, programs, (uint32_t)n, &out->code);
}

static bool emit_addresses(void *user, const k_program *const *programs, size_t n,
                           fcl_emission *out)
{
    (void)user;
    out->is_bytes = true;
    return emit_for(&sp_for_addresses, programs, (uint32_t)n, &out->code);
}

static const fcl_dialect dialects[] = {
    [SPIRV_PLAIN] = {.name = "local", .options = ""},
    [SPIRV_SUBGROUPS] = {.name = "subgroups",
                         .lanes = FCL_LANES_OF_WARP,
                         .warps_wait = true,
                         .options = ""},
};

const fcl_backend backend_spirv_opencl = {
    .size = sizeof backend_spirv_opencl,
    .name = "spirv-opencl",
    .summary = "SPIR-V 1.0 for OpenCL",
    .facts = &opencl_facts,
    .dialects = dialects,
    .ndialects = sizeof dialects / sizeof *dialects,
    .emit = emit_opencl,
};

/* There is no constant memory: a table in the shader is a variable of each thread's, or code, to some drivers. */
enum { SHADER_TABLES = 4096 };

/* Vulkan 1.1 promises neither that groups go on while others wait, nor atomic steps on 64 bits. */
static const fcl_target_facts vulkan_facts = {.size = sizeof vulkan_facts,
                                              .max_block = 1024,
                                              .constant_bytes = SHADER_TABLES,
                                              .warp_size = 32,
                                              .f64 = true,
                                              .local_by_width = 1};

const fcl_backend backend_spirv_vulkan = {
    .size = sizeof backend_spirv_vulkan,
    .name = "spirv-vulkan",
    .summary = "SPIR-V 1.3 for Vulkan",
    .facts = &vulkan_facts,
    .dialects = dialects,
    .ndialects = sizeof dialects / sizeof *dialects,
    .emit = emit_vulkan,
};

const fcl_backend backend_spirv_addresses = {
    .size = sizeof backend_spirv_addresses,
    .name = "spirv-vulkan-addresses",
    .summary = "SPIR-V 1.3 for Vulkan, arrays by their addresses",
    .facts = &vulkan_facts,
    .dialects = dialects,
    .ndialects = sizeof dialects / sizeof *dialects,
    .emit = emit_addresses,
};
