/* Expansion: the elements of a row whose loops carry sums, or whatever else, take their turns side
 * by side.
 *
 *   for j { s = 0; for k { s = s + a[k] * b[k, j] }; o[j] = s }
 *   for j { t[j] = 0 }; for k { for j { t[j] = t[j] + a[k] * b[k, j] } }; for j { o[j] = t[j] }
 *
 * It is scalar expansion and loop interchange, in strips of a row, whose values stay in the cache.
 * Each element still combines the same values in the same order.  The loop that is innermost then
 * has turns that do not depend on one another and read what lies side by side, and a C compiler
 * makes vectors of that; of the one that was, it makes nothing good, as its turns depend on each
 * other, or read a column.
 *
 * So only where groups are loops, and code is not written in vectors anyway (the facts `serial`,
 * `simd`); of loops whose elements do nothing but to load, compute and store, with one loop in them
 * that has as many turns for all; and where what that loop loads lies side by side for neighbours,
 * or is the same for them.  Rows that are short stay as they are. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/algebra/fold.h"
#include "ir/kernel/build/rebuild.h"

enum {
    MOST_CARRIED = 8,
    SHORT_ROW = 16,
    TOGETHER = 4,
    MOST_TOGETHER = 32 /* statements of a turn */
};

/* A loop over elements, the loop inside of an element, and which old values differ from element to
 * element. */
typedef struct expansion {
    rebuild r;
    const k_node *elements, *inner;
    k_id inner_id, element; /* element: the variable */
    int32_t together;       /* turns for which what is carried is loaded and stored once */
    bool *differs;
    k_id tiles[MOST_CARRIED];
} expansion;

/* ---- whether it can be done, and pays ---- */

static bool is_side_by_side(const expansion *x, k_id index)
{
    linear l;
    if (!ka_linear_of(x->r.old, ST_I32, index, 0, 1, OPEN_ALL, &l))
        return false;
    for (uint32_t i = 0; i < l.n; i++)
        if (x->differs[l.v[i]] && (l.v[i] != x->element || l.k[i] != 1))
            return false;
    return true;
}

static bool is_private(const k_program *p, k_id memory)
{
    return k_at(p, memory)->op == K_ALLOC && k_at(p, memory)->space == SPACE_PRIVATE;
}

/* A value, or a load, of the elements or of their loops. */
static bool note_value(expansion *x, k_id id, bool inside)
{
    const k_program *p = x->r.old;
    const k_node *n = k_at(p, id);
    bool is_value = k_op_info(n->op)->class == KC_VALUE;
    if (!is_value && (n->op != K_LOAD || is_private(p, n->args[0])))
        return false;
    for (int i = 0; i < 3; i++)
        x->differs[id] = x->differs[id] || (n->args[i] && x->differs[n->args[i]]);
    return is_value || !inside || !x->differs[id] || is_side_by_side(x, n->args[1]);
}

/* The statements of a loop in an element: how many; 0: there are others, or there is what they do
 * not load side by side. */
static uint32_t note_turn(expansion *x, k_block b, bool *any_differs)
{
    const k_program *p = x->r.old;
    uint32_t n = 0;
    *any_differs = false;
    for (k_id s = k_block_at(p, b)->first; s; s = k_at(p, s)->next, n++) {
        if (k_at(p, s)->op == K_YIELD)
            continue;
        if (!note_value(x, s, true))
            return 0;
        *any_differs = *any_differs || x->differs[s];
    }
    return n;
}

static void note_all(expansion *x, k_id first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x->differs[first + i] = true;
}

/* The loop in an element.  Where a turn differs in nothing but what the one before has left, one
 * element is as good as all. */
static bool note_inner(expansion *x, k_id id)
{
    const k_program *p = x->r.old;
    const k_node *n = k_at(p, id);
    k_id params = k_block_at(p, n->blocks[0])->params;
    bool pays;
    for (int i = 0; i < 3; i++)
        if (x->differs[n->args[i]])
            return false;
    if (n->independent || n->nresults == 0 || n->nresults > MOST_CARRIED)
        return false;
    for (uint32_t i = 0; i < n->nlist; i++)
        x->differs[params + 1 + i] = x->differs[k_listed(p, n, i)];
    if (!note_turn(x, n->blocks[0], &pays) || !pays)
        return false;
    note_all(x, params + 1, n->nlist);
    note_all(x, n->results, n->nresults);
    uint32_t statements = note_turn(x, n->blocks[0], &pays);
    x->inner = n;
    x->inner_id = id;
    x->together = statements <= MOST_TOGETHER ? TOGETHER : 1;
    return statements > 0;
}

static bool note_store(const expansion *x, const k_node *n)
{
    return n->op == K_STORE && x->inner && !is_private(x->r.old, n->args[0]);
}

static bool note_elements(expansion *x)
{
    const k_program *p = x->r.old;
    x->differs[x->element] = true;
    for (k_id id = k_block_at(p, x->elements->blocks[0])->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool good = n->op == K_YIELD || note_store(x, n) ||
                    (n->op == K_FOR ? !x->inner && note_inner(x, id) : note_value(x, id, false));
        if (!good)
            return false;
    }
    return x->inner != NULL;
}

static bool is_by_one(const k_program *p, const k_node *loop)
{
    int64_t step;
    return k_is_const(p, loop->args[2], &step) && step == 1 &&
           k_at(p, loop->args[1])->type == ST_I32;
}

/* ---- the loops ---- */

/* Opens the loop over the elements of a strip; returns the place in the tiles. */
static k_id open_strip(expansion *x, k_id first, k_id end)
{
    k_builder *b = &x->r.b;
    k_id loop = kb_open_for(b, first, end, kb_int(b, 1), NULL, 0);
    k_at(b->p, loop)->independent = true;
    rebuild_facts(&x->r, x->element, kb_param(b, loop, 0));
    k_id at = kb_sub(b, kb_param(b, loop, 0), first);
    k_state_range(b->p, at, 0, (int64_t)b->p->target.tuning.expansion - 1);
    return at;
}

/* What an element computes and loads in front of its loop. */
static void copy_head(expansion *x)
{
    const k_program *p = x->r.old;
    for (k_id id = k_block_at(p, x->elements->blocks[0])->first; id != x->inner_id;
         id = k_at(p, id)->next)
        rebuild_statement(&x->r, id);
}

static void begin(expansion *x, k_id first, k_id end)
{
    k_id at = open_strip(x, first, end), init[MOST_CARRIED];
    copy_head(x);
    rebuild_carried(&x->r, x->inner, init);
    for (uint32_t i = 0; i < x->inner->nresults; i++)
        kb_store(&x->r.b, x->tiles[i], at, init[i]);
    kb_close(&x->r.b, NULL, 0);
}

/* One turn more of an element, which has carried `values` so far. */
static void take_turn(expansion *x, k_id variable, k_id *values)
{
    const k_node *n = x->inner;
    k_id params = k_block_at(x->r.old, n->blocks[0])->params;
    x->r.map[params] = variable;
    for (uint32_t i = 0; i < n->nresults; i++)
        x->r.map[params + 1 + i] = values[i];
    rebuild_block(&x->r, n->blocks[0]);
    rebuild_yield(&x->r, n->blocks[0], values, n->nresults);
}

/* The turns from lo on, so many at once. */
static void take_turns(expansion *x, k_id lo, k_id hi, k_id step, int32_t together, k_id first,
                       k_id end)
{
    k_builder *b = &x->r.b;
    k_id values[MOST_CARRIED];
    k_id loop = kb_open_for(b, lo, hi, step, NULL, 0);
    k_id at = open_strip(x, first, end);
    copy_head(x);
    for (uint32_t i = 0; i < x->inner->nresults; i++)
        values[i] = kb_load(b, x->tiles[i], at);
    for (int32_t i = 0; i < together; i++)
        take_turn(x, kb_add(b, kb_param(b, loop, 0), kb_int(b, i)), values);
    for (uint32_t i = 0; i < x->inner->nresults; i++)
        kb_store(b, x->tiles[i], at, values[i]);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* What an element carries is loaded and stored once for several turns, and for each of those that
 * are left. */
static void take_all_turns(expansion *x, k_id first, k_id end)
{
    k_builder *b = &x->r.b;
    k_id at[3];
    for (int i = 0; i < 3; i++)
        at[i] = rebuild_value(&x->r, x->inner->args[i]);
    int64_t lo = k_lo(b->p, at[0]);
    if (x->together > 1 && is_by_one(x->r.old, x->inner) && lo >= 0 && k_lo(b->p, at[1]) >= 0) {
        k_id some = kb_int(b, x->together), last = kb_sub(b, at[1], kb_int(b, x->together - 1));
        k_id turns = kb_max(b, kb_sub(b, at[1], at[0]), kb_int(b, 0));
        take_turns(x, at[0], last, some, x->together, first, end);
        at[0] = kb_add(b, at[0], kb_sub(b, turns, kb_scalar(b, SOP_REM, turns, some, 0)));
    }
    take_turns(x, at[0], at[1], at[2], 1, first, end);
}

static void finish(expansion *x, k_id first, k_id end)
{
    k_builder *b = &x->r.b;
    k_id at = open_strip(x, first, end);
    copy_head(x);
    for (uint32_t i = 0; i < x->inner->nresults; i++)
        rebuild_facts(&x->r, x->inner->results + i, kb_load(b, x->tiles[i], at));
    for (k_id id = x->inner->next; id; id = k_at(x->r.old, id)->next)
        if (k_at(x->r.old, id)->op != K_YIELD)
            rebuild_statement(&x->r, id);
    kb_close(b, NULL, 0);
}

static void make_strips(expansion *x, k_id lo, k_id hi)
{
    k_builder *b = &x->r.b;
    k_id length = kb_int(b, (int32_t)b->p->target.tuning.expansion);
    for (uint32_t i = 0; i < x->inner->nresults; i++)
        x->tiles[i] =
            kb_alloc(b, SPACE_PRIVATE, (scalar)k_at(x->r.old, x->inner->results + i)->type, length);
    k_id strips = kb_open_for(b, lo, hi, length, NULL, 0), first = kb_param(b, strips, 0);
    k_id end = kb_add(b, first, kb_min(b, length, kb_sub(b, hi, first)));
    begin(x, first, end);
    take_all_turns(x, first, end);
    finish(x, first, end);
    kb_close(b, NULL, 0);
}

static bool expand_loop(rebuild *r, k_id old)
{
    expansion *x = (expansion *)r;
    const k_node n = *k_at(r->old, old);
    if (n.op != K_FOR || !n.independent || n.nresults || !is_by_one(r->old, &n))
        return false;
    x->elements = &n;
    x->inner = NULL;
    x->element = k_block_at(r->old, n.blocks[0])->params;
    if (!note_elements(x))
        return false;
    k_builder *b = &r->b;
    k_id lo = rebuild_value(r, n.args[0]), hi = rebuild_value(r, n.args[1]),
         count = kb_sub(b, hi, lo);
    if (k_hi(b->p, count) <= SHORT_ROW)
        return false;
    bool is_long = k_lo(b->p, count) > SHORT_ROW;
    if (!is_long)
        kb_open_if(b, kb_lt(b, kb_int(b, SHORT_ROW), count));
    make_strips(x, lo, hi);
    if (is_long)
        return true;
    kb_next_block(b, NULL, 0);
    rebuild_copy(r, old);
    kb_close(b, NULL, 0);
    return true;
}

bool k_expand(k_program *p)
{
    if (!p->target.facts.serial || p->target.facts.simd || p->target.tuning.expansion < SHORT_ROW)
        return true;
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(bool);
    expansion x = {.r = {.statement = expand_loop}, .differs = mem_zeroed(m, size)};
    bool ok = x.differs && k_rebuild(p, &x.r);
    mem_free(m, x.differs, size);
    return ok;
}
