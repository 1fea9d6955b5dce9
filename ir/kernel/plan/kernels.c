/* What a plan says of its kernels: arguments, local memory, and what a device must have for them.
 */
#include "ir/kernel/plan/maker.h"

#include "ir/kernel/analysis/local.h"

#include <stdio.h>

/* ---- what the code of a kernel does ---- */

typedef struct looking {
    plan_maker *k;
    uint32_t kernel, needs;
    uint32_t whiles; /* around what is looked at */
} looking;

enum { ASKS = 1, TELLS = 2 };

/* A group that reads by atomic steps, again and again, what others tell waits until they do.  What
 * changes by comparing alone is tried again, and one of those who try always succeeds. */
static bool waits_for_groups(looking *l, const k_node *n)
{
    if (n->op != K_ATOMIC || n->atomic == ATOMIC_COMPARE)
        return false;
    uint32_t *met = &l->k->met[n->args[0]];
    if (*met / 4 != l->kernel)
        *met = l->kernel * 4;
    bool reads = n->atomic == ATOMIC_LOAD || n->atomic == ATOMIC_ACQUIRE;
    *met |= !reads ? TELLS : l->whiles ? ASKS : 0;
    return *met % 4 == (ASKS | TELLS);
}

/* Devices that only store f16 choose between values of it as between any bits. */
static bool computes_halves(const k_program *p, const k_node *n)
{
    return n->op == K_SCALAR && n->opcode != SOP_SELECT &&
           (n->type == ST_F16 || k_at(p, n->args[0])->type == ST_F16);
}

static uint32_t needs_of(looking *l, const k_node *n)
{
    const k_program *p = l->k->p;
    const k_node *memory = k_at(p, n->args[0]);
    bool wide = n->op == K_ATOMIC && memory->space == SPACE_GLOBAL &&
                ir_scalar_bytes((scalar)memory->type) == 8;
    return (n->type == ST_F64 ? (uint32_t)PLAN_NEEDS_F64 : 0) |
           (computes_halves(p, n) ? (uint32_t)PLAN_NEEDS_F16 : 0) |
           (wide ? (uint32_t)PLAN_NEEDS_ATOMICS64 : 0) |
           (waits_for_groups(l, n) ? (uint32_t)PLAN_NEEDS_GROUPS_WAIT : 0);
}

/* Recursion is as deep as blocks nest. */
static void look(looking *l, k_block b)
{
    const k_program *p = l->k->p;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        l->needs |= needs_of(l, n);
        if (n->op == K_STORE || n->op == K_STOREWIDE || n->op == K_ATOMIC)
            l->k->written[n->args[0]] = l->kernel;
        l->whiles += n->op == K_WHILE;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                look(l, n->blocks[i]);
        l->whiles -= n->op == K_WHILE;
    }
}

/* ---- arguments ---- */

static void add_argument(plan_maker *k, plan_takes takes, uint32_t type, bool written)
{
    plan_argument a = {.takes = (uint8_t)takes, .type = (uint8_t)type, .written = written};
    k->ok = k->ok && vec_push(&k->out->cx->mem, &k->out->arguments, a);
}

/* In the order of backends/backend.h. */
static void add_arguments(plan_maker *k, const k_kernel *from, uint32_t kernel)
{
    const k_program *p = k->p;
    for (uint32_t i = 0; i < from->nscalars; i++)
        add_argument(k, PLAN_TAKES_VALUE, k_at(p, k_pooled(p, from->scalars, i))->type, false);
    for (uint32_t i = 0; i < from->nglobals; i++) {
        k_id m = k_pooled(p, from->globals, i);
        add_argument(k, PLAN_TAKES_MEMORY, k_at(p, m)->type, k->written[m] == kernel);
    }
    for (uint32_t i = 0; i < from->nareas; i++)
        if (k_area_is_argument(p, from, i))
            add_argument(k, PLAN_TAKES_LOCAL, 0, true);
    if (from->checks)
        add_argument(k, PLAN_TAKES_MEMORY, ST_U32, true);
}

/* ---- local memory ---- */

static uint64_t declared_bytes(const k_program *p, const k_kernel *from)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < from->nareas; i++)
        if (!k_area_is_argument(p, from, i))
            sum += k_area_bytes(p, from, i, (k_sizes){0});
    return sum;
}

/* "tile57", as the code has it. */
static str_id code_name(plan_maker *k, const char *prefix, k_id alloc)
{
    char name[32];
    snprintf(name, sizeof name, "%s%u", prefix, alloc);
    return intern_cstr(&k->out->cx->strings, name);
}

/* Sizes that the launch knows are named where it stands: see maker_launch. */
static void add_locals(plan_maker *k, const k_kernel *from)
{
    for (uint32_t i = 0; i < from->nlocals && k->ok; i++) {
        const k_local *l = k_local_at(k->p, from, i);
        const k_node *a = k_at(k->p, l->alloc);
        uint32_t first, n = k_area_locals(k->p, from, l->area, &first);
        plan_local made = {.type = a->type, .from = l->from, .to = l->to};
        made.count = k_local_elements(k->p, l->alloc, (k_sizes){0});
        made.at = k_loc_at(k->p, a->loc);
        made.name = code_name(k, "tile", l->alloc);
        if (n > 1) {
            made.area = code_name(k, "area", k_local_at(k->p, from, first)->alloc);
            made.offset = l->offset;
        }
        k->ok = vec_push(&k->out->cx->mem, &k->out->locals, made);
    }
}

static void add_kernel(plan_maker *k, const k_kernel *from)
{
    const k_node *launch = k_at(k->p, from->launch);
    plan *out = k->out;
    looking l = {.k = k, .kernel = out->kernels.len};
    look(&l, launch->blocks[0]);
    plan_kernel made = {.name = from->name,
                        .needs = l.needs,
                        .arguments = out->arguments.len,
                        .locals = out->locals.len,
                        .nlocals = from->nlocals,
                        .local_bytes = declared_bytes(k->p, from),
                        .at = k_loc_at(k->p, launch->loc)};
    add_arguments(k, from, out->kernels.len);
    add_locals(k, from);
    made.narguments = out->arguments.len - made.arguments;
    k->number[from->launch] = out->kernels.len;
    k->ok = k->ok && vec_push(&out->cx->mem, &out->kernels, made);
}

void maker_kernels(plan_maker *k)
{
    for (uint32_t i = 0; i < k->p->kernels.len && k->ok; i++)
        add_kernel(k, &k->p->kernels.at[i]);
}
