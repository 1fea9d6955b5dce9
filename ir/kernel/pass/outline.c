/* Outlining: lists the kernels of a virtualised program, and what each uses from outside its
 * launch.  Compilers for offloading call it kernel outlining.
 *
 * The lists are the kernel's arguments, in order of first use: scalars computed by the host,
 * global memories, local memories. Kernels are named after their entry, and numbered.
 *
 * Tables are part of the code, as constants; those that constant memory has no room for are global
 * memories that the plan fills. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/analysis/tables.h"

#include <string.h>

typedef struct outlining {
    k_program *p;
    uint16_t depth; /* of the launch's statement: what is not deeper comes from outside */
    vec_u32 scalars, globals, locals, privates;
    uint32_t stamp;
    uint32_t *seen; /* per node: the stamp of the kernel that has listed it */
    bool *large;    /* per node: a table that is no constant */
    bool ok;
} outlining;

/* In order of first use, which makes the emitted arguments stable from one run to the next. */
static void list_once(outlining *o, vec_u32 *list, k_id n)
{
    if (o->seen[n] == o->stamp)
        return;
    o->seen[n] = o->stamp;
    o->ok = vec_push(&o->p->cx->mem, list, n) && o->ok;
}

static void use(outlining *o, k_id n)
{
    const k_node *v = k_at(o->p, n);
    if (!n || v->op == K_CONST)
        return;
    if (k_is_global(v) || o->large[n])
        list_once(o, &o->globals, n);
    else if (k_op_info(v->op)->class != KC_PLACE && v->depth <= o->depth)
        list_once(o, &o->scalars, n);
}

static void scan_block(outlining *o, k_block b);

/* Recursion is as deep as blocks nest. */
static void scan(outlining *o, k_id id)
{
    const k_node n = *k_at(o->p, id);
    if (n.op == K_ALLOC) {
        list_once(o, n.space == SPACE_LOCAL ? &o->locals : &o->privates, id);
        return; /* its size is the plan's business */
    }
    for (int i = 0; i < 3; i++)
        use(o, n.args[i]);
    for (uint32_t i = 0; i < n.nlist; i++)
        use(o, k_listed(o->p, &n, i));
    for (int i = 0; i < 2; i++)
        if (n.blocks[i])
            scan_block(o, n.blocks[i]);
}

static void scan_block(outlining *o, k_block b)
{
    for (k_id n = k_block_at(o->p, b)->first; n; n = k_at(o->p, n)->next)
        scan(o, n);
}

/* Moves a list into the program's pool. */
static void keep(outlining *o, vec_u32 *list, uint32_t *at, uint32_t *n)
{
    k_program *p = o->p;
    *at = p->pool.len;
    *n = list->len;
    if (!vec_reserve(&p->cx->mem, &p->pool, list->len)) {
        o->ok = false;
        return;
    }
    for (uint32_t i = 0; i < list->len; i++)
        p->pool.at[p->pool.len++] = list->at[i];
    list->len = 0;
}

/* Every local array in an area of its own. */
static void keep_locals(outlining *o, k_kernel *k)
{
    k_program *p = o->p;
    k->locals = p->locals.len;
    k->nareas = k->nlocals = o->locals.len;
    for (uint32_t i = 0; i < o->locals.len; i++)
        o->ok =
            vec_push(&p->cx->mem, &p->locals, ((k_local){.alloc = o->locals.at[i], .area = i})) &&
            o->ok;
    o->locals.len = 0;
}

/* Whether _x and two of these digits stand there: what a spelled character looks like. */
static bool looks_spelled(const char *c)
{
    return strncmp(c, "_x", 2) == 0 && c[2] && strchr("0123456789ABCDEF", c[2]) && c[3] &&
           strchr("0123456789ABCDEF", c[3]);
}

/* ENTRY_NUMBER, a C identifier that no language reserves: other characters than letters and digits
 * are spelled _xHH, and so is the _ of what looks like that, so that no two entries meet. */
static str_id kernel_name(const k_program *p)
{
    vec_char name = {0};
    mem *m = &p->cx->mem;
    const char *entry = intern_str(&p->cx->strings, p->name);
    bool ok = true;
    for (const char *c = entry; *c && ok; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c == '_' && !looks_spelled(c)) || (*c >= '0' && *c <= '9' && c > entry);
        ok = plain ? text_add(m, &name, c, 1) : text_addf(m, &name, "_x%02X", (unsigned char)*c);
    }
    ok = ok && text_addf(m, &name, "_%u", p->kernels.len + 1);
    str_id id = ok ? intern_add(&p->cx->strings, name.at, name.len) : 0;
    vec_free(m, &name);
    return id;
}

/* Stamps make clearing the table between kernels needless. */
static void outline_launch(outlining *o, k_id launch)
{
    k_kernel k = {.launch = launch, .name = kernel_name(o->p)};
    o->stamp++;
    o->depth = k_at(o->p, launch)->depth;
    scan_block(o, k_at(o->p, launch)->blocks[0]);
    k.checks = k_has_checks(o->p, k_at(o->p, launch)->blocks[0]);
    keep(o, &o->scalars, &k.scalars, &k.nscalars);
    keep(o, &o->globals, &k.globals, &k.nglobals);
    keep_locals(o, &k);
    keep(o, &o->privates, &k.privates, &k.nprivates);
    o->ok = vec_push(&o->p->cx->mem, &o->p->kernels, k) && o->ok;
}

static void find_launches(outlining *o, k_block b)
{
    for (k_id n = k_block_at(o->p, b)->first; n && o->ok; n = k_at(o->p, n)->next) {
        const k_node s = *k_at(o->p, n);
        if (s.op == K_LAUNCH) {
            outline_launch(o, n);
            continue;
        }
        for (int i = 0; i < 2; i++)
            if (s.blocks[i])
                find_launches(o, s.blocks[i]);
    }
}

/* Running it again replaces the lists that were there. Linear in the program. */
bool k_outline(k_program *p)
{
    mem *m = &p->cx->mem;
    uint32_t count = p->nodes.len;
    outlining o = {.p = p};
    o.seen = mem_zeroed(m, count * sizeof *o.seen);
    o.large = mem_zeroed(m, count * sizeof *o.large);
    o.ok = o.seen && o.large;
    p->kernels.len = p->locals.len = 0;
    if (o.ok) {
        k_find_large_tables(p, o.large);
        find_launches(&o, p->host);
    }
    mem_free(m, o.seen, count * sizeof *o.seen);
    mem_free(m, o.large, count * sizeof *o.large);
    vec_free(m, &o.scalars);
    vec_free(m, &o.globals);
    vec_free(m, &o.locals);
    vec_free(m, &o.privates);
    if (o.ok)
        p->stage = K_OUTLINED;
    return o.ok;
}
