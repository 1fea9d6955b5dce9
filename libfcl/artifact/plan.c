/* Launch plans, read only: the parts of ir/plan as structures of fcl.h.  A fcl_plan is a plan. */
#include "backends/c/function.h"
#include "libfcl/artifact/artifact.h"
#include "libfcl/face.h"

/* The numbers of fcl.h are those of the tables; a row that fcl.h does not know does not compile. */
#define PSTEP(e, number, ...) _Static_assert(FCL_STEP_##e == (number), "fcl.h knows every step");
#define PMEMORY(e, number, ...)                                                                    \
    _Static_assert(FCL_MEMORY_##e == (number), "fcl.h knows every kind of memory");
#define PTAKES(e, number, ...)                                                                     \
    _Static_assert(FCL_TAKES_##e == (number), "fcl.h knows what kernels take");
#define PNEED(e, bit, ...) _Static_assert(FCL_NEEDS_##e == 1 << (bit), "fcl.h knows every need");
#include "ir/plan/plan.def"
#undef PSTEP
#undef PMEMORY
#undef PTAKES
#undef PNEED

static const plan *of(const fcl_plan *p)
{
    return (const plan *)(const void *)p;
}

static const char *text_of(const fcl_plan *p, str_id s)
{
    return intern_str(&of(p)->cx->strings, s);
}

static fcl_place place_of(const fcl_plan *p, location at)
{
    return (fcl_place){
        .file = text_of(p, at.file), .line = at.line, .column = at.col, .length = at.len};
}

/* ---- targets and plans ---- */

static const artifact_target *target_at(const fcl_artifact *a, size_t i)
{
    return i < a->data.targets.len ? &a->data.targets.at[i] : NULL;
}

const char *fcl_artifact_quirk(const fcl_artifact *a, size_t target, size_t i)
{
    if (!a)
        return NULL;
    const artifact_target *t = target_at(a, target);
    return t && i < t->quirks.len ? intern_str(&a->cx->strings, t->quirks.at[i]) : NULL;
}

bool fcl_artifact_target(const fcl_artifact *a, size_t i, fcl_target *out, size_t size)
{
    if (!a)
        return false;
    const artifact_target *t = target_at(a, i);
    const intern *strings = &a->cx->strings;
    if (!t)
        return false;
    fcl_target x = {.name = intern_str(strings, t->name),
                    .options = intern_str(strings, t->options),
                    .exchange = intern_str(strings, t->exchange),
                    .warp_size = t->warp_size,
                    .is_text = t->is_text,
                    .code = t->code.len ? t->code.at : "",
                    .code_size = t->code.len,
                    .entries = t->entries.len};
    return ABI_GIVE(out, size, x);
}

const fcl_plan *fcl_plan_at(const fcl_artifact *a, size_t target, size_t i)
{
    if (!a)
        return NULL;
    const artifact_target *t = target_at(a, target);
    return t && i < t->entries.len ? (const void *)&t->entries.at[i] : NULL;
}

const fcl_plan *fcl_plan_named(const fcl_artifact *a, size_t target, const char *entry)
{
    if (!a)
        return NULL;
    const artifact_target *t = target_at(a, target);
    if (t)
        return (const void *)artifact_plan_of(a, t, entry);
    diag_error(a->cx, DIAG_NO_KERNEL, (location){0}, "the artifact has no target %zu", target);
    return NULL;
}

bool fcl_plan_about(const fcl_plan *p, fcl_plan_info *out, size_t size)
{
    if (!p)
        return false;
    const plan *x = of(p);
    fcl_signature s = face_counts(&x->face);
    fcl_plan_info info = {.entry = text_of(p, x->face.entry),
                          .nparams = s.nparams,
                          .nresults = s.nresults,
                          .nleaves_in = s.nleaves_in,
                          .nleaves_out = s.nleaves_out,
                          .values = x->values.len - 1,
                          .memories = x->memories.len - 1,
                          .kernels = x->kernels.len - 1,
                          .checks = x->checks.len - 1,
                          .steps = x->steps.len - 1,
                          .block = PLAN_WHOLE,
                          .most_elements = x->most_elements,
                          .at = place_of(p, x->face.at)};
    return ABI_GIVE(out, size, info);
}

bool fcl_plan_leaf_in(const fcl_plan *p, size_t i, fcl_leaf *out, size_t size)
{
    if (!p)
        return false;
    fcl_leaf l;
    return face_leaf(of(p)->cx, &of(p)->face, true, i, &l) && ABI_GIVE(out, size, l);
}

bool fcl_plan_leaf_out(const fcl_plan *p, size_t i, fcl_leaf *out, size_t size)
{
    if (!p)
        return false;
    fcl_leaf l;
    return face_leaf(of(p)->cx, &of(p)->face, false, i, &l) && ABI_GIVE(out, size, l);
}

/* ---- values, memories, kernels, checks ---- */

fcl_scalar fcl_plan_value(const fcl_plan *p, uint32_t value)
{
    if (!p)
        return 0;
    return (fcl_scalar)(value < of(p)->values.len ? of(p)->values.at[value] : 0);
}

/* Entry 0 of each list is the none. */
static bool has(uint32_t number, uint32_t length)
{
    return number && number < length;
}

bool fcl_plan_memory(const fcl_plan *p, uint32_t memory, fcl_memory *out, size_t size)
{
    if (!p)
        return false;
    if (!has(memory, of(p)->memories.len))
        return false;
    const plan_memory *m = plan_memory_at(of(p), memory);
    fcl_memory x = {.kind = (fcl_memory_kind)m->kind,
                    .type = (fcl_scalar)m->type,
                    .argument = m->argument,
                    .overwritten = m->overwritten,
                    .nelements = m->nlist,
                    .elements = m->nlist ? &of(p)->tables.at[m->list] : NULL};
    return ABI_GIVE(out, size, x);
}

bool fcl_plan_kernel(const fcl_plan *p, uint32_t kernel, fcl_kernel *out, size_t size)
{
    if (!p)
        return false;
    if (!has(kernel, of(p)->kernels.len))
        return false;
    const plan_kernel *k = plan_kernel_at(of(p), kernel);
    fcl_kernel x = {.name = text_of(p, k->name),
                    .arguments = k->narguments,
                    .locals = k->nlocals,
                    .local_bytes = k->local_bytes,
                    .needs = k->needs,
                    .at = place_of(p, k->at)};
    return ABI_GIVE(out, size, x);
}

bool fcl_plan_argument(const fcl_plan *p, uint32_t kernel, uint32_t i, fcl_kernel_argument *out,
                       size_t size)
{
    if (!p)
        return false;
    const plan_kernel *k = plan_kernel_at(of(p), kernel);
    if (!has(kernel, of(p)->kernels.len) || i >= k->narguments)
        return false;
    const plan_argument *a = &of(p)->arguments.at[k->arguments + i];
    fcl_kernel_argument x = {
        .takes = (fcl_takes)a->takes, .type = (fcl_scalar)a->type, .written = a->written};
    return ABI_GIVE(out, size, x);
}

bool fcl_plan_local(const fcl_plan *p, uint32_t kernel, uint32_t i, fcl_local *out, size_t size)
{
    if (!p)
        return false;
    const plan_kernel *k = plan_kernel_at(of(p), kernel);
    if (!has(kernel, of(p)->kernels.len) || i >= k->nlocals)
        return false;
    const plan_local *l = &of(p)->locals.at[k->locals + i];
    fcl_local x = {.name = text_of(p, l->name),
                   .type = (fcl_scalar)l->type,
                   .elements = l->elements,
                   .count = l->count,
                   .from = l->from,
                   .to = l->to,
                   .at = place_of(p, l->at),
                   .area = text_of(p, l->area),
                   .offset = l->offset};
    return ABI_GIVE(out, size, x);
}

bool fcl_plan_check(const fcl_plan *p, uint32_t check, fcl_check *out, size_t size)
{
    if (!p)
        return false;
    if (!has(check, of(p)->checks.len))
        return false;
    const plan_check *c = &of(p)->checks.at[check];
    fcl_check x = {.code = c->code, .message = text_of(p, c->message), .at = place_of(p, c->at)};
    return ABI_GIVE(out, size, x);
}

/* ---- steps ---- */

static const uint32_t *listed(const plan *p, uint32_t list, uint32_t n)
{
    return n ? &p->pool.at[list] : NULL;
}

bool fcl_plan_step(const fcl_plan *p, uint32_t step, fcl_step *out, size_t size)
{
    if (!p)
        return false;
    if (!has(step, of(p)->steps.len))
        return false;
    const plan_step *s = plan_step_at(of(p), step);
    fcl_step x = {.kind = (fcl_step_kind)s->op,
                  .next = s->next,
                  .gives = s->gives,
                  .ngives = s->ngives,
                  .operands = {s->args[0], s->args[1], s->args[2]},
                  .memory = s->memory,
                  .which = s->which,
                  .nlist = s->nlist,
                  .list = listed(of(p), s->list, s->nlist),
                  .blocks = {s->blocks[0], s->blocks[1]},
                  .axis = s->axis,
                  .op = s->op == PLAN_COMPUTE ? ir_op_info(s->opcode)->name : NULL,
                  .bits = s->op == PLAN_CONST ? s->bits : 0,
                  .at = place_of(p, s->at),
                  .show = text_of(p, plan_is_emitted(s) ? (str_id)s->bits : 0)};
    return ABI_GIVE(out, size, x);
}

bool fcl_plan_block(const fcl_plan *p, uint32_t block, fcl_block *out, size_t size)
{
    if (!p)
        return false;
    if (!has(block, of(p)->blocks.len))
        return false;
    const plan_block *b = plan_block_at(of(p), block);
    fcl_block x = {.first = b->first,
                   .params = b->params,
                   .nparams = b->nparams,
                   .nyields = b->nyields,
                   .yields = listed(of(p), b->yields, b->nyields)};
    return ABI_GIVE(out, size, x);
}

uint64_t fcl_plan_compute(const fcl_plan *p, uint32_t step, const uint64_t *values)
{
    if (!p || !values)
        return 0;
    return plan_compute(of(p), plan_step_at(of(p), step), values);
}

char *fcl_plan_function(const fcl_plan *p, uint32_t step, const char *name, size_t *size)
{
    if (!p)
        return NULL;
    fcl_context *cx = of(p)->cx;
    if (!GIVEN(cx, name))
        return NULL;
    uint32_t before = cx->diags.errors;
    vec_char text = {0};
    bool ok = c_put_function(of(p), plan_step_at(of(p), step), name, &text);
    char *copy = face_take_text(cx, &text, size);
    if (face_ok(cx, before) && ok)
        return copy;
    if (copy)
        fcl_free(cx, copy, *size);
    return NULL;
}
