/* Targets: back ends by name, and what options mean for kernel programs. */
#include "libfcl/target.h"

#include "ir/kernel/analysis/local.h"

#include <string.h>

/* ---- targets ---- */

static const char default_target[] = "opencl-c";

size_t fcl_target_count(void)
{
    return backend_count();
}

const char *fcl_target_name(size_t i)
{
    return i < backend_count() ? backend_at((uint32_t)i)->name : NULL;
}

const backend *compile_target(fcl_context *cx, const fcl_compile_options *o)
{
    const char *name = o->target ? o->target : default_target;
    const backend *b = backend_named(name);
    if (b)
        return b;
    diag_error(cx, DIAG_NO_TARGET, (location){0}, "there is no target %s", name);
    vec_char list = {0};
    for (uint32_t i = 0; i < backend_count(); i++)
        text_addf(&cx->mem, &list, "%s%s", i ? ", " : "", backend_at(i)->name);
    diag_hint(cx, "the targets are %s", text_cstr(&cx->mem, &list));
    vec_free(&cx->mem, &list);
    return NULL;
}

/* ---- options ---- */

static bool fits_target(fcl_context *cx, const backend *b, const fcl_compile_options *o)
{
    if (!b->caps.max_block_size || o->block_size <= b->caps.max_block_size)
        return true;
    diag_error(cx, DIAG_OPTION, (location){0},
               "a block of %u threads is larger than target %s allows", o->block_size, b->name);
    diag_hint(cx, "it takes at most %u", b->caps.max_block_size);
    return false;
}

bool compile_exchange(fcl_context *cx, const char *name, k_exchange *out)
{
    for (uint32_t i = 0; k_exchange_name(i); i++)
        if (!name || strcmp(name, k_exchange_name(i)) == 0) {
            *out = (k_exchange)i;
            return true;
        }
    diag_error(cx, DIAG_OPTION, (location){0}, "lanes do not exchange values by %s", name);
    diag_hint(cx, "the ways are local, ptx and subgroups");
    return false;
}

static bool fill(fcl_context *cx, const fcl_compile_options *o, k_target *t)
{
    *t = (k_target){.block_size = o->block_size ? o->block_size : 256,
                    .warp_size = o->warp_size ? o->warp_size : 32,
                    .groups = o->groups,
                    .vector_bytes = o->vector_bytes ? o->vector_bytes : 16,
                    .local_bytes =
                        o->local_limit < UINT32_MAX ? (uint32_t)o->local_limit : UINT32_MAX,
                    .unroll = o->unroll ? o->unroll : 2048,
                    .in_place = o->in_place ? intern_cstr(&cx->strings, o->in_place) : 0,
                    .atomics64 = o->atomic_bits != 32,
                    .in_phases = o->in_phases != 0,
                    .index_bits = o->index_bits,
                    .fast_math = o->fast_math != 0};
    if (t->index_bits != 0 && t->index_bits != 32 && t->index_bits != 64) {
        diag_error(cx, DIAG_OPTION, (location){0}, "positions cannot have %u bits", t->index_bits);
        diag_hint(cx, "they have 32 or 64 bits; 0 leaves the choice to each launch");
        return false;
    }
    if (!compile_exchange(cx, o->exchange, &t->exchange))
        return false;
    if (t->warp_size != 32 || t->block_size % 32 != 0) /* NVIDIA's warps, and only whole ones */
        t->exchange = EXCHANGE_LOCAL;
    return true;
}

/* FCL source is the front end's source and the file that was loaded: its own lines are left out
 * like those of a text. */
static k_lines lines_of(const fcl_module *m, const fcl_compile_options *o)
{
    switch (o->debug_lines) {
    case FCL_LINES_AUTO: return m->signatures ? LINES_NEVER : LINES_OF_FRONT_ENDS;
    case FCL_LINES_ALWAYS: return LINES_ALWAYS;
    case FCL_LINES_NEVER: break;
    }
    return LINES_NEVER;
}

bool target_of(const fcl_module *m, const fcl_compile_options *o, k_target *t)
{
    const backend *b = compile_target(m->ir.cx, o);
    if (!b || !fits_target(m->ir.cx, b, o) || !fill(m->ir.cx, o, t))
        return false;
    t->lines = lines_of(m, o);
    return true;
}

void target_override(fcl_context *cx, const fcl_compile_options *o, k_target *t)
{
    if (o->vector_bytes)
        t->vector_bytes = o->vector_bytes;
    if (o->unroll)
        t->unroll = o->unroll;
    if (o->in_place)
        t->in_place = intern_cstr(&cx->strings, o->in_place);
}

void options_merge(fcl_compile_options *o, const fcl_compile_options *from)
{
#define TUNABLE(pass, name, kind, field, type, start, least, most, meaning)                        \
    if (from->field)                                                                               \
        o->field = from->field;
#include "libfcl/passes/passes.def"
#undef TUNABLE
}

/* ---- local memory ---- */

static bool kernel_fits(const k_program *p, const k_kernel *k)
{
    uint32_t limit = p->target.local_bytes;
    uint64_t bytes = k_map_bytes(p, k, (k_sizes){0});
    if (!limit || bytes <= limit)
        return true;
    location at = k_loc_of(p, k->launch);
    diag_error(p->cx, DIAG_LOCAL_MEMORY, at,
               "kernel %s needs %llu bytes of local memory; the limit is %u",
               intern_str(&p->cx->strings, k->name), (unsigned long long)bytes, limit);
    k_map_note(p, k, (k_sizes){0});
    diag_hint(p->cx, "work on smaller chunks, or force less at block level");
    return false;
}

bool target_fits_memory(const k_program *p)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < p->kernels.len; i++)
        ok = kernel_fits(p, &p->kernels.at[i]);
    return ok;
}
