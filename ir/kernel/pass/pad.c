/* Padding of local arrays: rows whose length shares a large factor with the number of banks get a
 * few unused elements behind them, where that saves more cycles (banks.h) than the index
 * arithmetic costs.  This is array padding against bank conflicts, decided by a cost model.
 *
 * Element i moves to i + (i >> row) * by.  Where i is seen to be a * 2^row + b with 0 <= b <
 * 2^row, that is a * (2^row + by) + b and costs nothing; elsewhere it takes a shift and an
 * addition. Memory grows at most to what the device has for a block. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/analysis/banks.h"
#include "ir/kernel/algebra/fold.h"
#include "ir/kernel/analysis/local.h"
#include "ir/kernel/build/rebuild.h"

#include <stdlib.h>

typedef struct padding {
    rebuild r;
    k_padding *of;  /* every old memory */
    int64_t *count; /* and its elements, when padded */
    bool any;
} padding;

/* Whether an index is seen to be whole * 2^row + rest, and rest within the row. */
static bool split_index(const k_program *p, k_id index, uint32_t row, linear *whole, linear *rest)
{
    int64_t length = (int64_t)1 << row;
    linear l;
    if (!ka_linear_of(p, ST_I32, index, 0, 1, OPEN_ALL, &l) ||
        !ka_range_fits(ka_linear_range(p, &l), ST_I32))
        return false;
    ka_linear_split(p, &l, length, whole, rest);
    k_range within = ka_linear_range(p, rest);
    return within.known && within.lo >= 0 && within.hi < length;
}

/* ---- choosing ---- */

static bool suits(const bank_access *a, k_padding f)
{
    return (1u << f.row) % a->elements == 0 && f.by % a->elements == 0;
}

/* What one access costs under a padding. */
static uint64_t access_cost(const banks *b, const bank_access *a, k_padding f)
{
    linear whole, rest;
    uint64_t cost = k_banks_cost(b, a, f);
    if (!split_index(b->p, a->index, f.row, &whole, &rest))
        cost += (uint64_t)b->p->target.tuning.pad_arithmetic * SAMPLES * a->weight;
    return cost;
}

/* The cost of n accesses to one array under a padding; UINT64_MAX when that is not possible.  Where
 * it is not below `most`, what is returned is not either, and found as soon as it shows. */
static uint64_t cost_of(const banks *b, const bank_access *a, uint32_t n, k_padding f,
                        uint64_t most)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!suits(&a[i], f))
            return UINT64_MAX;
        sum += a[i].least;
    }
    for (uint32_t i = 0; i < n && sum < most; i++)
        sum += access_cost(b, &a[i], f) - a[i].least;
    return sum;
}

/* Elements of padding at most: so many, or as many small ones as fill the words of a bank. */
static uint32_t most_by(const banks *b, const bank_access *a)
{
    uint32_t bytes = ir_scalar_bytes((scalar)k_at(b->p, a->memory)->type);
    return b->p->target.tuning.pad_by * (bytes < BANK_WORD ? BANK_WORD / bytes : 1);
}

/* The cheapest; of equal ones the one with fewer unused elements. */
static k_padding choose(const banks *b, const bank_access *a, uint32_t n, int64_t count)
{
    const k_tuning *t = &b->p->target.tuning;
    k_padding best = {0};
    uint64_t least = 0;
    uint32_t most = most_by(b, a);
    for (uint32_t i = 0; i < n; i++)
        least += a[i].least + a[i].excess;
    for (uint32_t row = t->pad_row_most; row >= t->pad_row_least; row--)
        for (uint32_t by = 1; by <= most && (int64_t)1 << row < count; by *= 2) {
            k_padding f = {.row = row, .by = by};
            uint64_t cost = cost_of(b, a, n, f, least);
            if (cost < least) {
                least = cost;
                best = f;
            }
        }
    return best;
}

static int64_t padded_count(k_padding f, int64_t count)
{
    return k_padded(f, count - 1) + 1;
}

/* ---- memory ---- */

/* Bytes of the local arrays in a block, as far as they are bounded; each array is told its launch.
 */
static uint64_t local_bytes(const k_program *p, k_block b, k_id launch, k_id *launch_of)
{
    uint64_t sum = 0;
    int64_t count;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_ALLOC && n->space == SPACE_LOCAL && k_local_bound(p, id, &count))
            sum += (uint64_t)count * ir_scalar_bytes((scalar)n->type);
        if (n->op == K_ALLOC)
            launch_of[id] = launch;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                sum += local_bytes(p, n->blocks[i], launch, launch_of);
    }
    return sum;
}

/* Notes the launch of every local array, and for every launch how many bytes its arrays take. */
static void find_launches(const k_program *p, k_block b, k_id *launch_of, uint64_t *bytes)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_LAUNCH)
            bytes[id] = local_bytes(p, n->blocks[0], id, launch_of);
        for (int i = 0; i < 2; i++)
            if (n->op != K_LAUNCH && n->blocks[i])
                find_launches(p, n->blocks[i], launch_of, bytes);
    }
}

/* ---- deciding ---- */

/* Accesses to one memory together; first those with the most to gain, which soon tell that a
 * padding does not pay. */
static int by_memory(const void *x, const void *y)
{
    const bank_access *a = x, *b = y;
    if (a->memory != b->memory)
        return (a->memory > b->memory) - (a->memory < b->memory);
    return (a->excess < b->excess) - (a->excess > b->excess);
}

/* A size that only the launch knows becomes a constant with the padding: only where that is small.
 */
static bool may_pad(const k_program *p, k_id memory, k_id launch, int64_t *count)
{
    int64_t known;
    if (!k_local_bound(p, memory, count))
        return false;
    uint64_t bytes = (uint64_t)*count * ir_scalar_bytes((scalar)k_at(p, memory)->type);
    return k_local_count(p, memory, &known) || bytes <= k_local_budget(p, launch);
}

static void decide(padding *w, const banks *b, const k_id *launch_of, uint64_t *bytes)
{
    const k_program *p = b->p;
    for (uint32_t i = 0, n; i < b->accesses.len; i += n) {
        const bank_access *a = &b->accesses.at[i];
        k_id launch = launch_of[a->memory];
        int64_t count;
        for (n = 1; i + n < b->accesses.len && a[n].memory == a->memory;)
            n++;
        if (k_at(p, a->memory)->args[1] || !may_pad(p, a->memory, launch, &count))
            continue;
        k_padding f = choose(b, a, n, count);
        uint64_t more = (uint64_t)(padded_count(f, count) - count) *
                        ir_scalar_bytes((scalar)k_at(p, a->memory)->type);
        if (!f.by || bytes[launch] + more > k_local_most(p))
            continue;
        bytes[launch] += more;
        w->of[a->memory] = f;
        w->count[a->memory] = count;
        w->any = true;
    }
}

static bool decide_all(padding *w, const k_program *p, banks *b)
{
    mem *m = &p->cx->mem;
    size_t n = p->nodes.len;
    k_id *launch_of = mem_zeroed(m, n * sizeof *launch_of);
    uint64_t *bytes = mem_zeroed(m, n * sizeof *bytes);
    bool ok = launch_of && bytes;
    if (ok) {
        qsort(b->accesses.at, b->accesses.len, sizeof *b->accesses.at, by_memory);
        find_launches(p, p->host, launch_of, bytes);
        decide(w, b, launch_of, bytes);
    }
    mem_free(m, launch_of, n * sizeof *launch_of);
    mem_free(m, bytes, n * sizeof *bytes);
    return ok;
}

/* ---- rewriting ---- */

/* The same sum of new values. */
static linear renewed(const padding *w, linear l)
{
    for (uint32_t i = 0; i < l.n; i++)
        l.v[i] = rebuild_value(&w->r, l.v[i]);
    return l;
}

static k_id padded_index(padding *w, k_id index, k_padding f)
{
    k_builder *b = &w->r.b;
    int32_t length = 1 << f.row, by = (int32_t)f.by;
    linear whole, rest, sum = {0};
    if (split_index(w->r.old, index, f.row, &whole, &rest)) {
        whole = renewed(w, whole);
        rest = renewed(w, rest);
        if (ka_linear_add(&sum, &whole, length + by, ST_I32) &&
            ka_linear_add(&sum, &rest, 1, ST_I32))
            return ka_linear_value(b, &sum, ST_I32);
    }
    k_id at = rebuild_value(&w->r, index), row = kb_scalar(b, SOP_DIV, at, kb_int(b, length), 0);
    return kb_add(b, at, kb_mul(b, row, kb_int(b, by)));
}

static bool pad_statement(rebuild *r, k_id old)
{
    padding *w = (padding *)r;
    const k_node n = *k_at(r->old, old);
    k_id memory = n.op == K_ALLOC ? old : n.args[0];
    k_padding f = w->of[memory];
    if (!f.by)
        return false;
    if (n.op == K_ALLOC) {
        int64_t count = w->count[old];
        k_id used = kb_int(&r->b, (int32_t)count),
             size = kb_int(&r->b, (int32_t)padded_count(f, count));
        r->map[old] = kb_alloc_padded(&r->b, SPACE_LOCAL, (scalar)n.type, size, used);
        return true;
    }
    rebuild_access(r, old, padded_index(w, n.args[1], f));
    return true;
}

bool k_pad(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t n = p->nodes.len;
    padding w = {.r.statement = pad_statement};
    banks b = {.p = p};
    bool ok = true;
    w.of = mem_zeroed(m, n * sizeof *w.of);
    w.count = mem_zeroed(m, n * sizeof *w.count);
    ok = w.of && w.count;
    if (ok && k_banks_find(p, &b) && b.accesses.len)
        ok = decide_all(&w, p, &b);
    k_banks_free(&b);
    if (ok && w.any)
        ok = k_rebuild(p, &w.r);
    mem_free(m, w.of, n * sizeof *w.of);
    mem_free(m, w.count, n * sizeof *w.count);
    return ok && !m->oom;
}
