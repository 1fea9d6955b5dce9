/* Programs of the kernel IR as users' back ends and passes read them. */
#include "backends/backend.h"
#include "ir/kernel/analysis/local.h"
#include "ir/kernel/facts.h"
#include "libfcl/face.h"

/* The numbers of the public header are those of kir.def. */
#define KNODE(e, wire, ...)       _Static_assert((int)FCL_K_##e == wire, "fcl_k_op");
#define KSPACE(e, number, name)   _Static_assert((int)FCL_K_##e == number, "fcl_k_space");
#define KATOMIC(e, number, name)  _Static_assert((int)FCL_K_ATOMIC_##e == number, "fcl_k_atomic");
#define KFORM(e, number, name)    _Static_assert((int)FCL_K_##e == number, "fcl_k_form");
#define KCOORDINATE(e, number, n) _Static_assert((int)FCL_K_AT_##e == number, "fcl_k_coordinate");
#include "ir/kernel/kir.def"
#undef KNODE
#undef KSPACE
#undef KATOMIC
#undef KFORM
#undef KCOORDINATE

const char *fcl_k_program_entry(const fcl_k_program *p)
{
    return intern_str(&p->cx->strings, p->name);
}

fcl_k_block fcl_k_program_host(const fcl_k_program *p)
{
    return p->host;
}

size_t fcl_k_program_nodes(const fcl_k_program *p)
{
    return p->nodes.len;
}

unsigned fcl_k_program_dialect(const fcl_k_program *p)
{
    return p->target.request.dialect;
}

bool fcl_k_program_fast(const fcl_k_program *p)
{
    return p->target.request.fast_math;
}

fcl_context *fcl_k_program_context(const fcl_k_program *p)
{
    return p->cx;
}

static const fcl_k_node *pooled(const k_program *p, uint32_t list)
{
    return p->pool.len ? &p->pool.at[list < p->pool.len ? list : 0] : NULL;
}

bool fcl_k_node_get(const fcl_k_program *p, fcl_k_node id, fcl_k_node_info *out, size_t size)
{
    if (!id || id >= p->nodes.len)
        return false;
    const k_node *n = k_at(p, id);
    fcl_k_node_info x = {.op = (fcl_k_op)n->op,
                         .name = n->op == K_SCALAR ? ir_op_info(n->opcode)->name
                                                   : k_op_info(n->op)->name,
                         .type = (fcl_scalar)n->type,
                         .operands = {n->args[0], n->args[1], n->args[2]},
                         .listed = n->nlist ? pooled(p, n->list) : NULL,
                         .nlisted = n->nlist,
                         .results = n->results,
                         .nresults = n->nresults,
                         .blocks = {n->blocks[0], n->blocks[1]},
                         .next = n->next,
                         .owner = n->owner,
                         .number = n->number,
                         .bits = n->op == K_CONST ? n->bits : 0,
                         .leaf = n->leaf,
                         .axis = n->axis,
                         .coordinate = (fcl_k_coordinate)n->coordinate,
                         .space = (fcl_k_space)n->space,
                         .atomic = (fcl_k_atomic)n->atomic,
                         .form = (fcl_k_form)n->form,
                         .level = (fcl_height)n->level,
                         .least = k_lo(p, id),
                         .most = k_hi(p, id)};
    return ABI_GIVE(out, size, x);
}

bool fcl_k_block_get(const fcl_k_program *p, fcl_k_block b, fcl_k_block_info *out, size_t size)
{
    if (!b || b >= p->blocks.len)
        return false;
    const k_blocks *bl = k_block_at(p, b);
    fcl_k_block_info x = {.first = bl->first, .parameters = bl->params, .nparameters = bl->nparams};
    return ABI_GIVE(out, size, x);
}

bool fcl_k_kernel_get(const fcl_k_program *p, size_t i, fcl_k_kernel_info *out, size_t size)
{
    if (i >= p->kernels.len)
        return false;
    const k_kernel *k = &p->kernels.at[i];
    const k_node *launch = k_at(p, k->launch);
    int64_t threads = 1;
    k_is_const(p, launch->args[1], &threads);
    fcl_k_kernel_info x = {.name = intern_str(&p->cx->strings, k->name),
                           .launch = k->launch,
                           .threads = (unsigned)threads,
                           .body = launch->blocks[0],
                           .scalars = pooled(p, k->scalars),
                           .globals = pooled(p, k->globals),
                           .privates = pooled(p, k->privates),
                           .nscalars = k->nscalars,
                           .nglobals = k->nglobals,
                           .nprivates = k->nprivates,
                           .nlocals = k->nlocals,
                           .nareas = k->nareas,
                           .reports = k->checks,
                           .shares_global = k->shares_global};
    return ABI_GIVE(out, size, x);
}

bool fcl_k_local_get(const fcl_k_program *p, size_t kernel, size_t i, fcl_k_local_info *out,
                     size_t size)
{
    if (kernel >= p->kernels.len || i >= p->kernels.at[kernel].nlocals)
        return false;
    const k_local *l = k_local_at(p, &p->kernels.at[kernel], (uint32_t)i);
    int64_t elements = 0;
    bool constant = k_local_count(p, l->alloc, &elements);
    fcl_k_local_info x = {.memory = l->alloc,
                          .area = l->area,
                          .offset = l->offset,
                          .constant = constant,
                          .elements = constant ? (uint64_t)elements : 0};
    return ABI_GIVE(out, size, x);
}

char *fcl_k_node_print(const fcl_k_program *p, fcl_k_node n, size_t *size)
{
    vec_char text = {0};
    bool ok = n && n < p->nodes.len && k_print_statement(p, n, &text);
    char *copy = face_take_text(p->cx, &text, size);
    if (ok || !copy)
        return copy;
    fcl_free(p->cx, copy, *size);
    return NULL;
}

bool fcl_k_program_refuse(const fcl_k_program *p, fcl_k_node n, const char *message,
                          const char *hint)
{
    location at = n && n < p->nodes.len ? k_loc_of(p, n) : k_loc_at(p, p->origin.loc);
    diag_error(p->cx, DIAG_EMIT_DECLINED, at, "%s",
               message ? message : "the target declines this, and does not say why");
    if (hint)
        diag_hint(p->cx, "%s", hint);
    return false;
}
