/* What threads compute and need not, because it is known further out.
 *
 * - A launch that runs has a group, so what the number of its groups is made of is not 0: where
 * that says of a value of the host that it is positive, its maxima with 0 and with 1 are the value,
 * and the launch takes one of them, the one of which most is known, in place of three.
 * - max(min(x, y), 0) is min(max(x, 0), y) where y is natural: the maximum leaves with x.
 * - A sum begins with what is known furthest out: (n - i) - 1 is (n - 1) - i, of which the host
 * computes the first.  Compilers call that reassociation by rank.  A sum that is known not to wrap
 * stays so.
 *
 * Stands behind what looks at how indices are written: proofs, and passes that know a length by its
 * form. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/algebra/fold.h"
#include "ir/kernel/build/rebuild.h"

enum { MOST_POSITIVE = 16, DEPTH = 8, MOST_SUMMED = 256 };

/* Of a sum: its operations with those of its parts, and whether it is part of a longer one. */
typedef struct summed {
    uint32_t operations;
    bool part;
} summed;

typedef struct outward {
    rebuild r;
    uint32_t *uses; /* by old node */
    summed *sums;   /* likewise */
    k_id *natural, *counted;      /* likewise: the maximum of it and 0, and of it and 1, if the host has it */
    k_id positive[MOST_POSITIVE]; /* old values of the host that are, where the open launch runs */
    uint32_t npositive;
} outward;

/* ---- what a launch with groups knows ---- */

static bool is_zero(const k_program *p, k_id v)
{
    int64_t x;
    return k_is_const(p, v, &x) && x == 0;
}

static void learn_positive(outward *o, k_id v, int depth);

/* Of a condition that holds. */
static void learn_condition(outward *o, k_id cond, int depth)
{
    const k_node *n = k_at(o->r.old, cond);
    if (ka_is(n, SOP_GT) && is_zero(o->r.old, n->args[1]))
        learn_positive(o, n->args[0], depth);
    else if (ka_is(n, SOP_LT) && is_zero(o->r.old, n->args[0]))
        learn_positive(o, n->args[1], depth);
    for (int i = 0; ka_is(n, SOP_AND) && n->type == ST_BOOL && depth > 0 && i < 2; i++)
        learn_condition(o, n->args[i], depth - 1);
}

/* v is at least 1, and so is what it is the least of, or a product of naturals of. */
static void learn_positive(outward *o, k_id v, int depth)
{
    const k_program *p = o->r.old;
    const k_node *n = k_at(p, v);
    if (depth == 0 || o->npositive == MOST_POSITIVE)
        return;
    o->positive[o->npositive++] = v;
    bool product = ka_is(n, SOP_MUL) && k_lo(p, n->args[0]) >= 0 && k_lo(p, n->args[1]) >= 0;
    for (int i = 0; (product || ka_is(n, SOP_MIN)) && i < 2; i++)
        learn_positive(o, n->args[i], depth - 1);
    if ((ka_is(n, SOP_MAX) && is_zero(p, n->args[1])) ||
        (n->op == K_CONVERT && k_lo(p, n->args[0]) >= 0))
        learn_positive(o, n->args[0], depth - 1);
    if (ka_is(n, SOP_SELECT) && is_zero(p, n->args[2])) {
        learn_condition(o, n->args[0], depth - 1);
        learn_positive(o, n->args[1], depth - 1);
    }
}

static bool uses_value(const k_program *p, k_block b, k_id v)
{
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool uses = n->args[0] == v || n->args[1] == v || n->args[2] == v;
        for (uint32_t i = 0; i < n->nlist && !uses; i++)
            uses = k_listed(p, n, i) == v;
        if (uses || uses_value(p, n->blocks[0], v) || uses_value(p, n->blocks[1], v))
            return true;
    }
    return false;
}

typedef struct same {
    k_id old, was; /* a value, and what it is outside */
} same;

/* Inside, v and max(v, 0) are max(v, 1), or where the body has no such, v is max(v, 0); how many
 * they are. */
static uint32_t take_greatest(outward *o, k_block body, k_id v, same *out)
{
    rebuild *r = &o->r;
    k_id one = o->counted[v], zero = o->natural[v];
    one = one && uses_value(r->old, body, one) ? one : 0;
    bool takes = one || (zero && uses_value(r->old, body, zero));
    k_id most = rebuild_value(r, one ? one : zero), all[2] = {v, zero};
    uint32_t n = !takes || !most ? 0 : one && zero ? 2 : 1;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (same){all[i], r->map[all[i]]};
        r->map[all[i]] = most;
    }
    return n;
}

static bool copy_launch(outward *o, k_id old)
{
    rebuild *r = &o->r;
    same all[2 * MOST_POSITIVE];
    uint32_t n = 0;
    k_id groups = rebuild_value(r, k_at(r->old, old)->args[0]); /* which may be none */
    o->npositive = 0;
    learn_positive(o, k_at(r->old, old)->args[0], DEPTH);
    for (uint32_t i = 0; i < o->npositive; i++)
        n += take_greatest(o, k_at(r->old, old)->blocks[0], o->positive[i], all + n);
    rebuild_launch(r, old, groups);
    while (n-- > 0)
        r->map[all[n].old] = all[n].was;
    return true;
}

/* ---- maxima ---- */

static bool clamp_outside(rebuild *r, k_id old)
{
    const k_node *n = k_at(r->old, old), *least = k_at(r->old, n->args[0]);
    if (!ka_is(n, SOP_MAX) || !is_zero(r->old, n->args[1]) || !ka_is(least, SOP_MIN))
        return false;
    k_builder *b = &r->b;
    for (int i = 0; i < 2; i++) {
        k_id x = rebuild_value(r, least->args[i]), y = rebuild_value(r, least->args[1 - i]);
        if (k_at(b->p, x)->depth >= k_at(b->p, y)->depth || k_lo(b->p, y) < 0)
            continue;
        r->map[old] = kb_min(b, kb_max(b, x, rebuild_value(r, n->args[1])), y);
        return true;
    }
    return false;
}

/* ---- sums ---- */

static bool is_sum(const k_node *n)
{
    return (ka_is(n, SOP_ADD) || ka_is(n, SOP_SUB)) && n->type == ST_I32 && n->exact != CLAIMED;
}

/* Sums that are made where a longer one is and for nothing else are parts of it, unless that would be
 * too long. */
static void find_parts(outward *o, const k_program *p)
{
    for (k_id id = 1; id < p->nodes.len; id++) {
        const k_node *n = k_at(p, id);
        uint32_t all = 1;
        for (int i = 0; i < 2 && is_sum(n); i++) {
            const k_node *x = k_at(p, n->args[i]);
            summed *s = &o->sums[n->args[i]];
            s->part = is_sum(x) && x->depth == n->depth && o->uses[n->args[i]] == 1 && all + s->operations <= MOST_SUMMED;
            all += s->part ? s->operations : 0;
        }
        o->sums[id].operations = all;
    }
}

/* Operations of a sum; its terms that lie where it does are counted too. */
static uint32_t count_inner(const outward *o, k_id v, uint16_t depth, uint32_t *terms)
{
    const k_node *n = k_at(o->r.old, v);
    uint32_t all = 1;
    for (int i = 0; i < 2; i++) {
        const k_node *x = k_at(o->r.old, n->args[i]);
        if (o->sums[n->args[i]].part)
            all += count_inner(o, n->args[i], depth, terms);
        else
            *terms += x->depth == depth && x->op != K_CONST;
    }
    return all;
}

/* Adds sign * v, of a sum of old values, to those terms that lie at a depth or, if deeper, inside
 * of it. */
static k_id add_terms(outward *o, k_id acc, k_id v, int sign, uint16_t depth, bool inner)
{
    rebuild *r = &o->r;
    const k_node n = *k_at(r->old, v);
    k_builder *b = &r->b;
    for (int i = 0; i < 2; i++) {
        const k_node *x = k_at(r->old, n.args[i]);
        int s = i == 1 && n.opcode == SOP_SUB ? -sign : sign;
        if (o->sums[n.args[i]].part) {
            acc = add_terms(o, acc, n.args[i], s, depth, inner);
        } else if ((x->depth == depth && x->op != K_CONST) == inner) {
            k_id term = rebuild_value(r, n.args[i]);
            acc = s > 0 ? (acc ? kb_add(b, acc, term) : term)
                        : kb_sub(b, acc ? acc : kb_int(b, 0), term);
        }
    }
    return acc;
}

static bool sum_outside(outward *o, k_id old)
{
    rebuild *r = &o->r;
    const k_node n = *k_at(r->old, old);
    uint32_t terms = 0;
    if (!is_sum(&n) || o->sums[old].part || count_inner(o, old, n.depth, &terms) <= terms)
        return false;
    k_id sum = add_terms(o, 0, old, 1, n.depth, false);
    sum = add_terms(o, sum, old, 1, n.depth, true);
    if (n.exact && k_at(r->b.p, sum)->op == K_SCALAR && !k_at(r->b.p, sum)->exact)
        return false;
    r->map[old] = sum;
    return true;
}

/* ---- the pass ---- */

static bool statement(rebuild *r, k_id old)
{
    outward *o = (outward *)r;
    const k_node *n = k_at(r->old, old);
    if (n->op == K_LAUNCH)
        return copy_launch(o, old);
    bool inside = r->b.launch_depth && n->depth >= r->b.launch_depth;
    return n->op == K_SCALAR && inside && (clamp_outside(r, old) || sum_outside(o, old));
}

static void find_maxima(outward *o, const k_program *p)
{
    for (k_id id = (k_id)p->nodes.len; --id > 0;) { /* the first one of several stays */
        const k_node *n = k_at(p, id);
        int64_t x;
        if (ka_is(n, SOP_MAX) && k_is_const(p, n->args[1], &x) && (x == 0 || x == 1))
            (x ? o->counted : o->natural)[n->args[0]] = id;
    }
}

bool k_outward(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t n = p->nodes.len, uses = n * sizeof(uint32_t), ids = n * sizeof(k_id), sums = n * sizeof(summed);
    outward o = {.r.statement = statement,
                 .uses = mem_zeroed(m, uses),
                 .sums = mem_zeroed(m, sums),
                 .natural = mem_zeroed(m, ids),
                 .counted = mem_zeroed(m, ids)};
    bool ok = o.uses && o.sums && o.natural && o.counted;
    if (ok) {
        k_count_uses(p, o.uses);
        find_parts(&o, p);
        find_maxima(&o, p);
        ok = k_rebuild(p, &o.r);
    }
    mem_free(m, o.uses, uses);
    mem_free(m, o.sums, sums);
    mem_free(m, o.natural, ids);
    mem_free(m, o.counted, ids);
    return ok;
}
