/* The tables that outline makes: that every launch has its kernel, and that a kernel lists what its
 * launch uses, each once and nothing else. */
#include "ir/kernel/verify/impl.h"

#include "ir/kernel/analysis/liveness.h"
#include "ir/kernel/analysis/local.h"
#include "ir/kernel/analysis/shared.h"

/* used[n] tells that the kernel being looked at uses n, and has not listed it yet. */
typedef struct listing {
    verifier *v;
    const k_program *p;
    uint8_t *used;
    const k_kernel *k;
    uint32_t depth; /* of the launch */
    k_id unordered; /* a barrier that is not marked as it should be, or 0 */
    bool ok;
} listing;

/* ---- what a launch uses ---- */

/* Constants are written where they are used, and memory of the kernel itself is declared by it:
 * neither is an argument. */
static void use(listing *l, k_id n, bool on)
{
    const k_node *x = k_at(l->p, n);
    bool memory = k_op_info(x->op)->class == KC_PLACE;
    bool global = x->op == K_BUFFER || x->op == K_TABLE || (memory && x->space == SPACE_GLOBAL);
    if (!n || x->op == K_CONST || (memory && !global))
        return;
    if (global || x->depth <= l->depth)
        l->used[n] = on;
}

/* Sets or clears what a block uses. */
static void mark(listing *l, k_block b, bool on)
{
    for (k_id id = k_block_at(l->p, b)->first; id; id = k_at(l->p, id)->next) {
        const k_node *n = k_at(l->p, id);
        if (n->op == K_ALLOC) { /* its size is the plan's business */
            l->used[id] = on;
            continue;
        }
        for (int i = 0; i < 3; i++)
            use(l, n->args[i], on);
        for (uint32_t i = 0; i < n->nlist; i++)
            use(l, l->p->pool.at[n->list + i], on);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                mark(l, n->blocks[i], on);
    }
}

/* What is used and was not listed; tables may be part of the code. */
static k_id missing(const listing *l, k_id n)
{
    return l->used[n] && k_at(l->p, n)->op != K_TABLE ? n : 0;
}

static k_id first_missing(listing *l, k_block b);

static k_id missing_of(listing *l, k_id id)
{
    const k_node *n = k_at(l->p, id);
    if (n->op == K_ALLOC)
        return l->used[id] ? id : 0;
    k_id found = 0;
    for (int i = 0; i < 3 && !found; i++)
        found = missing(l, n->args[i]);
    for (uint32_t i = 0; i < n->nlist && !found; i++)
        found = missing(l, l->p->pool.at[n->list + i]);
    for (int i = 0; i < 2 && !found; i++)
        found = n->blocks[i] ? first_missing(l, n->blocks[i]) : 0;
    return found;
}

static k_id first_missing(listing *l, k_block b)
{
    k_id found = 0;
    for (k_id id = k_block_at(l->p, b)->first; id && !found; id = k_at(l->p, id)->next)
        found = missing_of(l, id);
    return found;
}

/* ---- what a kernel lists ---- */

static bool is_scalar_argument(const k_node *n)
{
    return k_op_info(n->op)->class != KC_PLACE;
}
static bool is_listed_global(const k_node *n)
{
    return n->op == K_TABLE || k_is_global(n);
}
static bool is_local(const k_node *n)
{
    return n->op == K_ALLOC && n->space == SPACE_LOCAL;
}
static bool is_private(const k_node *n)
{
    return n->op == K_ALLOC && n->space == SPACE_PRIVATE;
}

/* Striking off what is listed finds what is listed twice, and leaves what is not listed at all. */
static bool take(listing *l, k_id n, bool (*belongs)(const k_node *))
{
    if (!verify_is_node(l->v, n) || !l->used[n] || !belongs(k_at(l->p, n)))
        return verify_breaks(l->v, RULE_KERNELS, l->k->launch,
                             "its kernel lists %%%u, which it does not use so or lists twice", n);
    l->used[n] = 0;
    return true;
}

static bool take_pool(listing *l, uint32_t at, uint32_t count, bool (*belongs)(const k_node *))
{
    if ((uint64_t)at + count > l->p->pool.len)
        return verify_breaks(l->v, RULE_KERNELS, l->k->launch, "a list of its kernel has no place");
    for (uint32_t i = 0; i < count; i++)
        if (!take(l, l->p->pool.at[at + i], belongs))
            return false;
    return true;
}

/* ---- areas of local memory ---- */

/* x lies before y or where y does, in one area. */
static bool share_bytes(const listing *l, const k_local *x, const k_local *y)
{
    int64_t count;
    if (!k_local_count(l->p, x->alloc, &count) || !k_local_count(l->p, y->alloc, &count))
        return true; /* of sizes that the launch knows: the whole area */
    return y->offset < x->offset + k_local_bytes(l->p, x->alloc, (k_sizes){0});
}

/* A phase that a loop ends with belongs to the loop and to what follows it. */
static bool same_time(const k_local *x, const k_local *y)
{
    return !x->to || !y->to || (x->from < y->to && y->from < x->to);
}

/* Arrays of an area stand together in the list, by offset, so only the ones before are looked at.
 */
static bool check_local(listing *l, uint32_t i)
{
    const k_local *x = k_local_at(l->p, l->k, i);
    if (!take(l, x->alloc, is_local))
        return false;
    uint32_t unit = ir_scalar_bytes((scalar)k_at(l->p, x->alloc)->type);
    bool phases = x->from <= x->to && x->to <= l->k->phases;
    if (x->area >= l->k->nareas || x->offset % unit || !phases)
        return verify_breaks(l->v, RULE_AREA, x->alloc, "it lies at %llu of area %u in %u to %u",
                             (unsigned long long)x->offset, x->area, x->from, x->to);
    for (uint32_t j = i; j-- > 0 && k_local_at(l->p, l->k, j)->area == x->area;) {
        const k_local *y = k_local_at(l->p, l->k, j);
        if (y->offset > x->offset)
            return verify_breaks(l->v, RULE_AREA, x->alloc,
                                 "it is listed behind what lies after it");
        if (share_bytes(l, y, x) && same_time(x, y))
            return verify_breaks(l->v, RULE_AREA, x->alloc, "it has bytes of %%%u at the same time",
                                 y->alloc);
    }
    return true;
}

/* Phases are what people see; whether threads may be at both arrays is a matter of liveness.  Its
 * table is quadratic, and a kernel with so many arrays has none of them in phases. */
enum { LIVES_MOST = 512 };

static bool check_clash(listing *l, const k_lives *lives, const k_kernel *order, uint32_t i)
{
    const k_local *x = k_local_at(l->p, order, i);
    for (uint32_t j = i; j-- > 0 && k_local_at(l->p, order, j)->area == x->area;) {
        const k_local *y = k_local_at(l->p, order, j);
        if (share_bytes(l, y, x) && k_lives_clash(lives, i, j))
            return verify_breaks(l->v, RULE_AREA, x->alloc, "threads may be busy with %%%u then",
                                 y->alloc);
    }
    return true;
}

static bool check_clashes(listing *l)
{
    k_lives lives = {0};
    bool ok = true;
    if (l->k->nareas == l->k->nlocals || l->k->nlocals > LIVES_MOST)
        return true;
    if (!k_live(l->p, l->k, &lives))
        ok = false;
    for (uint32_t i = 0; ok && i < l->k->nlocals; i++)
        ok = check_clash(l, &lives, l->k, i);
    k_lives_free(l->p, &lives);
    return ok;
}

static bool check_locals(listing *l)
{
    if ((uint64_t)l->k->locals + l->k->nlocals > l->p->locals.len)
        return verify_breaks(l->v, RULE_KERNELS, l->k->launch, "its local arrays have no place");
    for (uint32_t i = 0; i < l->k->nlocals; i++)
        if (!check_local(l, i))
            return false;
    return check_clashes(l);
}

/* ---- what barriers order ---- */

static void check_fence(void *data, k_id sync, bool fenced)
{
    listing *l = data;
    if (k_at(l->p, sync)->fenced != fenced && !l->unordered)
        l->unordered = sync;
}

static bool check_orders(listing *l, k_id launch)
{
    k_ordering order = {check_fence, l};
    l->unordered = 0;
    bool shares = l->v->stage == K_LEGALISED && k_shares_global(l->p, l->k, &order, l->used);
    if (l->unordered)
        return verify_breaks(l->v, RULE_KERNELS, l->unordered, "it does%s order global memory",
                             k_at(l->p, l->unordered)->fenced ? " not" : "");
    return l->k->shares_global == shares ||
           verify_breaks(l->v, RULE_KERNELS, launch, "its kernel does%s hand on global memory",
                         shares ? "" : " not");
}

static bool check_checks(listing *l, k_id launch)
{
    bool has = k_has_checks(l->p, k_at(l->p, launch)->blocks[0]);
    return l->k->checks == has ||
           verify_breaks(l->v, RULE_KERNELS, launch, "its kernel has %s checks", has ? "" : "no");
}

/* ---- kernels ---- */

/* Marks what the launch uses, strikes off what the kernel lists, and looks for what is left; the
 * marks are cleared the same way, so that the table of all nodes is allocated once. */
static bool check_kernel(listing *l, k_id launch)
{
    const k_node *n = k_at(l->p, launch);
    if (l->k->launch != launch)
        return verify_breaks(l->v, RULE_KERNELS, launch, "the kernel of its number is another's");
    l->depth = n->depth;
    mark(l, n->blocks[0], true);
    bool ok = take_pool(l, l->k->scalars, l->k->nscalars, is_scalar_argument) &&
              take_pool(l, l->k->globals, l->k->nglobals, is_listed_global) && check_locals(l) &&
              take_pool(l, l->k->privates, l->k->nprivates, is_private);
    k_id missing = ok ? first_missing(l, n->blocks[0]) : 0;
    mark(l, n->blocks[0], false);
    if (missing)
        return verify_breaks(l->v, RULE_KERNELS, launch, "its kernel does not list %%%u", missing);
    return ok && check_checks(l, launch) && check_orders(l, launch);
}

/* Kernels are numbered in the order in which their launches stand in the plan. */
static void check_launches(listing *l, k_block b, uint32_t *next)
{
    for (k_id id = k_block_at(l->p, b)->first; id && l->ok; id = k_at(l->p, id)->next) {
        const k_node *n = k_at(l->p, id);
        if (n->op == K_LAUNCH) {
            l->k = *next < l->p->kernels.len ? &l->p->kernels.at[*next] : NULL;
            l->ok = l->k ? check_kernel(l, id)
                         : verify_breaks(l->v, RULE_KERNELS, id, "it has no kernel");
            ++*next;
            continue;
        }
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                check_launches(l, n->blocks[i], next);
    }
}

bool verify_kernels(verifier *v)
{
    const k_program *p = v->p;
    uint32_t next = 0;
    if (v->stage < K_OUTLINED)
        return (!p->kernels.len && !p->locals.len) ||
               verify_breaks(v, RULE_KERNELS, 0, "there are kernels before outline");
    listing l = {.v = v, .p = p, .used = mem_zeroed(v->m, p->nodes.len), .ok = true};
    if (!l.used)
        return false;
    check_launches(&l, p->host, &next);
    mem_free(v->m, l.used, p->nodes.len);
    return l.ok && (next == p->kernels.len ||
                    verify_breaks(v, RULE_KERNELS, 0, "there are more kernels than launches"));
}
