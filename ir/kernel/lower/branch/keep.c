/* Keeping what a branch of an if has done: lambda lifting, of a static value out of a scope.
 *
 * A branch that launches kernels, or runs parallel loops and barriers, cannot be run again at each
 * element of the array that it yields.  It is run once, in an if of its own.  Every value of the
 * branch that the array still refers to becomes a result of that if, zero where the branch was not
 * taken; the static values that refer to such are copied, with the results in their place.
 * Memories need no result, as they can be named behind the branch.
 *
 * Static values and frames are numbered as they are made, so that what the branch made is told from
 * what was there before, which is not looked at; copies are found by the same numbers.  They are
 * made twice: in the branch, to find the values, and behind it.  Those that remain to be filled
 * stand in a queue, as in Cheney's collector, since a frame refers to functions that refer to it;
 * the cost is linear in what the branch made. */
#include "ir/kernel/lower/branch/branch.h"

/* A value that refers to more than that outside of its branch is looked at again. */
enum { BORDER_MOST = 32 };

typedef struct copy {
    bool queued;
    sv *value;
    frame *frame;
} copy;

typedef struct keeping {
    lowering *L;
    uint32_t from, count; /* static values and frames of the branch: numbers above from */
    k_id first;           /* of the nodes that it made */
    uint16_t outer;       /* depth of the scope around it */
    k_id stmt;            /* the if, once it is closed; 0: in the branch */
    bool asking, inside;  /* whether something refers to what is inside is all that is asked */
    bool lasts;           /* asking: the answer serves those around the branch, too */
    uint16_t deepest;     /* asking: depth of the nodes referred to */
    uint32_t *seen;       /* asking: a bit by number */
    VEC(reached) list;    /* asking: what is to be looked at */
    reached border[BORDER_MOST]; /* asking: what is referred to and was there before */
    uint32_t nborder;
    copy *copies;         /* by number */
    uint32_t *queue, queued;
    uint32_t *place; /* node -> 1 + its number among values */
    vec_u32 values;
} keeping;

/* ---- references ---- */

/* Of nodes that were there before only memories can have been made in a scope that is closed, which
 * says nothing of the depth at which they are known. */
static void look_at(keeping *k, k_id v)
{
    const k_node *n = k_at(k->L->b.p, v);
    bool before = v < k->first;
    k->inside = k->inside || (!before && n->depth > k->outer);
    k->lasts = k->lasts && !(before && n->depth && (n->op == K_ALLOC || n->depth > k->outer));
    k->deepest = n->depth > k->deepest ? n->depth : k->deepest;
}

static k_id id_of(keeping *k, k_id v)
{
    lowering *L = k->L;
    const k_node n = *k_at(L->b.p, v);
    if (k->asking && v)
        look_at(k, v);
    if (k->asking || !v || v < k->first || n.depth <= k->outer)
        return v;
    if (n.op == K_ALLOC)
        return v;
    if (n.depth > k->outer + 1)
        lower_fail(L, DIAG_LOWER_INTERNAL, "a branch yields what is known deeper inside it alone");
    uint32_t *place = &k->place[v - k->first];
    if (!*place) {
        L->failed = !vec_push(&L->m->cx->mem, &k->values, v) || L->failed;
        *place = k->values.len;
    }
    return k->stmt ? kb_result(&L->b, k->stmt, *place - 1) : v;
}

static const k_id *ids_of(keeping *k, const k_id *ids, uint32_t n)
{
    for (uint32_t i = 0; k->asking && ids && i < n && !k->inside; i++)
        id_of(k, ids[i]);
    if (k->asking)
        return ids;
    k_id *list = ids ? sv_ids(k->L, ids, n) : NULL;
    for (uint32_t i = 0; list && i < n; i++)
        list[i] = id_of(k, ids[i]);
    return list;
}

/* The copy with that number, which is queued when it is new; NULL: it is from outside. */
static copy *copy_of(keeping *k, uint32_t number)
{
    if (number <= k->from || number > k->from + k->count)
        return NULL;
    copy *c = &k->copies[number - k->from - 1];
    if (!c->queued)
        k->queue[k->queued++] = number - k->from - 1;
    c->queued = true;
    return c;
}

static void note_border(keeping *k, reached r)
{
    for (uint32_t i = 0; i < k->nborder; i++)
        if (k->border[i].value == r.value && k->border[i].frame == r.frame)
            return;
    k->lasts = k->lasts && k->nborder < BORDER_MOST;
    if (k->lasts)
        k->border[k->nborder++] = r;
}

/* Notes what is to be looked at, once. */
static void reach(keeping *k, uint32_t number, reached r)
{
    uint32_t i = number - k->from - 1;
    if (number <= k->from && k->lasts)
        note_border(k, r);
    if (number <= k->from || i >= k->count || k->seen[i / 32] >> i % 32 & 1)
        return;
    k->seen[i / 32] |= 1u << i % 32;
    k->L->failed = !vec_push(&k->L->m->cx->mem, &k->list, r) || k->L->failed;
}

static const sv *value_of(keeping *k, const sv *v)
{
    if (k->asking) {
        if (v && v->kind == SV_SCALAR)
            id_of(k, v->v);
        else if (v)
            reach(k, v->number, (reached){.value = v});
        return v;
    }
    copy *c = v ? copy_of(k, v->number) : NULL;
    if (c && !c->value)
        c->value = sv_like(k->L, v);
    return c ? c->value : v;
}

static const sv **values_of(keeping *k, const sv *const *values, uint32_t n)
{
    for (uint32_t i = 0; k->asking && values && i < n && !k->inside; i++)
        value_of(k, values[i]);
    if (k->asking)
        return NULL; /* of a copy that nobody keeps */
    const sv **list = values ? ARENA_ARRAY(&k->L->a, const sv *, n ? n : 1) : NULL;
    for (uint32_t i = 0; list && i < n; i++)
        list[i] = value_of(k, values[i]);
    return list;
}

static frame *frame_of(keeping *k, frame *f)
{
    if (k->asking) {
        if (f)
            reach(k, f->number, (reached){.frame = f});
        return f;
    }
    copy *c = f ? copy_of(k, f->number) : NULL;
    if (c && !c->frame && (c->frame = ARENA_NEW(&k->L->a, frame)))
        *c->frame = *f;
    return c ? c->frame : f;
}

static const thunk *thunk_of(keeping *k, const thunk *t);

static void fill_thunk(keeping *k, thunk *t)
{
    t->env = frame_of(k, t->env);
    t->of = thunk_of(k, t->of);
    t->ix = ids_of(k, t->ix, t->kind == THUNK_INDEX ? t->n : 1);
    t->args = values_of(k, t->args, t->n);
    t->array = value_of(k, t->array);
}

/* Recursion is bounded by the nesting of branches. */
static const thunk *thunk_of(keeping *k, const thunk *t)
{
    thunk filled = t ? *t : (thunk){0}, *c = t && !k->asking ? ARENA_NEW(&k->L->a, thunk) : NULL;
    if (t)
        fill_thunk(k, &filled);
    if (c)
        *c = filled;
    return c;
}

/* ---- copies ---- */

static void fill_value(keeping *k, sv *v)
{
    v->v = id_of(k, v->v);
    if (v->kind == SV_PULL && v->form == PULL_MEMORY && v->src)
        v->v2 = id_of(k, lower_memory_elements(k->L, v));
    else
        v->v2 = id_of(k, v->v2);
    v->items = values_of(k, v->items, v->n);
    v->shape = ids_of(k, v->shape, v->rank);
    v->pitch = ids_of(k, v->pitch, v->rank);
    v->env = frame_of(k, v->env);
    v->src = value_of(k, v->src);
    v->other_src = value_of(k, v->other_src);
    v->then = thunk_of(k, v->then);
    v->other = thunk_of(k, v->other);
}

static void fill_frame(keeping *k, frame *f)
{
    f->parent = frame_of(k, f->parent);
    f->slots = values_of(k, f->slots, ir_region_at(k->L->m, f->region)->nslots);
}

/* A copy of v and of what it refers to. */
static const sv *copied(keeping *k, const sv *v)
{
    k->copies = ARENA_ARRAY(&k->L->a, copy, k->count + 1);
    k->queued = 0;
    if (!k->copies)
        return sv_none();
    const sv *r = value_of(k, v);
    for (uint32_t i = 0; i < k->queued && !lower_failed(k->L) && !k->L->m->cx->mem.oom; i++) {
        copy *c = &k->copies[k->queue[i]];
        if (c->value)
            fill_value(k, c->value);
        if (c->frame)
            fill_frame(k, c->frame);
    }
    return r;
}

/* ---- branches ---- */

/* What the value refers to, to be yielded by the open branch. */
static bool find_values(keeping *k, const sv *v)
{
    lowering *L = k->L;
    k->count = L->made - k->from;
    k->queue = ARENA_ARRAY(&L->a, uint32_t, k->count + 1);
    k->place = ARENA_ARRAY(&L->a, uint32_t, L->b.p->nodes.len - k->first + 1);
    if (!k->queue || !k->place)
        return false;
    copied(k, v);
    return !lower_failed(L) && !L->m->cx->mem.oom;
}

/* Whether what a value refers to was found when the branch that made it was looked at; of that the
 * borders are left. */
static bool is_found(keeping *k, const sv *v)
{
    const outside_memo *o = &k->L->outside;
    uint32_t place = v && v->number < o->place.len ? o->place.at[v->number] : 0;
    if (!place || o->found.at[place - 1].from < k->from)
        return false;
    outside_found f = o->found.at[place - 1];
    k->inside = f.deepest > k->outer;
    k->deepest = f.deepest > k->deepest ? f.deepest : k->deepest;
    for (uint32_t i = 0; i < f.n; i++) {
        reached r = o->borders.at[f.border + i];
        reach(k, r.value ? r.value->number : r.frame->number, r);
    }
    return true;
}

/* Keeps the answer for v, which was made in the branch. */
static void note_found(keeping *k, const sv *v)
{
    mem *m = &k->L->m->cx->mem;
    outside_memo *o = &k->L->outside;
    outside_found f = {k->from, k->deepest, o->borders.len, k->nborder};
    uint32_t *place = lower_counter(k->L, &o->place, v->number);
    bool ok = place && vec_push(m, &o->found, f);
    if (ok)
        *place = o->found.len;
    for (uint32_t i = 0; i < k->nborder && ok; i++)
        ok = vec_push(m, &o->borders, k->border[i]);
    k->L->failed = k->L->failed || !ok;
}

void lower_outside_free(lowering *L)
{
    mem *m = &L->m->cx->mem;
    vec_free(m, &L->outside.place);
    vec_free(m, &L->outside.found);
    vec_free(m, &L->outside.borders);
}

/* Looks at all that v refers to, until something is from inside. */
static void look_through(keeping *k, const sv *v)
{
    value_of(k, v);
    for (uint32_t i = 0; i < k->list.len && !k->inside && !lower_failed(k->L); i++) {
        const reached r = k->list.at[i];
        if (is_found(k, r.value))
            continue;
        sv value = r.value ? *r.value : (sv){0};
        frame f = r.frame ? *r.frame : (frame){0};
        if (r.value)
            fill_value(k, &value);
        else
            fill_frame(k, &f);
    }
}

bool lower_is_outside(lowering *L, const sv *v, uint32_t from, k_id first)
{
    mem *m = &L->m->cx->mem;
    keeping k = {.L = L, .from = from, .first = first, .outer = (uint16_t)(kb_depth(&L->b) - 1)};
    size_t words = (L->made - from) / 32 + 1;
    k.asking = k.lasts = true;
    k.count = L->made - from;
    k.seen = mem_zeroed(m, words * sizeof *k.seen);
    if (k.seen)
        look_through(&k, v);
    bool outside = k.seen && !k.inside && !lower_failed(L);
    if (outside && k.lasts && v && v->kind != SV_SCALAR && v->number > from)
        note_found(&k, v);
    mem_free(m, k.seen, words * sizeof *k.seen);
    vec_free(m, &k.list);
    return outside;
}

/* Closes the branch; what is known of its values holds of the results, but for the zeros. */
static void close_branch(keeping *k, k_id stmt)
{
    k_builder *b = &k->L->b;
    k_program *p = b->p;
    vec_u32 *y = &k->values;
    kb_next_block(b, y->at, y->len);
    k_id *zeros = sv_ids(k->L, y->at, y->len);
    for (uint32_t i = 0; zeros && i < y->len; i++)
        zeros[i] = kb_const(b, (scalar)k_at(p, y->at[i])->type, 0);
    if (lower_failed(k->L))
        return;
    kb_close(b, zeros, y->len);
    for (uint32_t i = 0; i < y->len; i++) {
        int64_t lo = k_lo(p, y->at[i]), hi = k_hi(p, y->at[i]);
        k_state_range(p, kb_result(b, stmt, i), lo < 0 ? lo : 0, hi > 0 ? hi : 0);
    }
    k->stmt = stmt;
}

const sv *lower_keep(lowering *L, k_id cond, const thunk *branch)
{
    keeping k = {.L = L, .from = L->made, .first = L->b.p->nodes.len, .outer = kb_depth(&L->b)};
    k_id stmt = kb_open_if(&L->b, cond);
    const sv *v = lower_run_thunk(L, branch);
    if (!lower_failed(L) && find_values(&k, v)) {
        close_branch(&k, stmt);
        v = lower_failed(L) ? sv_none() : copied(&k, v);
    }
    vec_free(&L->m->cx->mem, &k.values);
    return v;
}

static bool block_acts(const k_program *p, k_block b)
{
    for (k_id n = b ? k_block_at(p, b)->first : 0; n; n = k_at(p, n)->next) {
        const k_node *s = k_at(p, n);
        if (s->op == K_LAUNCH || s->op == K_PAR || s->op == K_SYNC || block_acts(p, s->blocks[0]) ||
            block_acts(p, s->blocks[1]))
            return true;
    }
    return false;
}

/* Whether there is something in v that is computed where it is used. */
static bool is_deferred(const sv *v)
{
    for (uint32_t i = 0; v->kind == SV_TUPLE && i < v->n; i++)
        if (is_deferred(v->items[i]))
            return true;
    return v->kind == SV_PULL || v->kind == SV_FN;
}

/* Whether what is there outside of the statement is written in a block. */
static bool block_updates(const k_program *p, k_block b, uint16_t depth)
{
    for (k_id n = b ? k_block_at(p, b)->first : 0; n; n = k_at(p, n)->next) {
        const k_node *s = k_at(p, n);
        bool stores = s->op == K_STORE || s->op == K_STOREWIDE || s->op == K_ATOMIC;
        if ((stores && k_at(p, s->args[0])->depth <= depth) ||
            block_updates(p, s->blocks[0], depth) || block_updates(p, s->blocks[1], depth))
            return true;
    }
    return false;
}

/* Whether something is handed out in a block. */
static bool block_emits(const k_program *p, k_block b)
{
    for (k_id n = b ? k_block_at(p, b)->first : 0; n; n = k_at(p, n)->next) {
        const k_node *s = k_at(p, n);
        if (s->op == K_EMIT || s->op == K_EMITSCALAR || s->op == K_RECEIVE || block_emits(p, s->blocks[0]) ||
            block_emits(p, s->blocks[1]))
            return true;
    }
    return false;
}

bool lower_has_effects(const lowering *L, k_id stmt)
{
    const k_node *n = k_at(L->b.p, stmt);
    bool any = L->updated.len || L->overwritten.len;
    bool updates = any && (block_updates(L->b.p, n->blocks[0], n->depth) ||
                           block_updates(L->b.p, n->blocks[1], n->depth));
    return updates || (L->b.emitted > stmt && (block_emits(L->b.p, n->blocks[0]) ||
                                               block_emits(L->b.p, n->blocks[1])));
}

bool lower_must_keep(const lowering *L, k_id stmt, const sv *v)
{
    const k_node *n = k_at(L->b.p, stmt);
    if (lower_failed(L))
        return false;
    bool acts = L->b.acted > stmt && is_deferred(v) &&
                (block_acts(L->b.p, n->blocks[0]) || block_acts(L->b.p, n->blocks[1]));
    return acts || lower_has_effects(L, stmt);
}
