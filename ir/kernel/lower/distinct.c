/* Every position exactly once: of interleaves and permutes, and none twice of scatters.
 *
 * An element of which nothing is known but that it exists is lowered and dropped: its position is a
 * function of the variables of the loops around it, which is asked to be injective
 * (algebra/injective.c).  Where as many elements are written as there are positions, none is left
 * out then; that is one comparison, or none.
 *
 * What is neither seen nor said by a hint is found out at run time, by a bit for each position in
 * memory that the writers share.  It is cleared before; who finds the bit set reports the position
 * and writes nothing; and where the number of elements is not known, all words are looked at
 * afterwards. */
#include "ir/kernel/lower/value.h"
#include "ir/properties.h"

enum { UNCLAIM_DEPTH = 10 };

/* ---- an element on trial ---- */

/* An element that exists, and the variables that count it. */
typedef struct trial {
    k_id vars[4 * MAX_RANK];
    uint32_t n, scopes;
    uint16_t outer;    /* depth of what does not depend on the element */
    bool deep;         /* there are more variables than there is room for */
} trial;

static void open_trial(lowering *L, trial *t, bool launch)
{
    *t = (trial){.outer = kb_depth(&L->b)};
    if (!launch)
        return;
    kb_open_launch(&L->b, LEVEL_GRID, kb_int(&L->b, 1), lower_launch_threads(L, LEVEL_GRID));
    t->scopes++;
}

static void close_trial(lowering *L, const trial *t)
{
    for (uint32_t i = 0; i < t->scopes; i++)
        kb_discard(&L->b);
}

/* A variable for each axis. */
static void count_over(lowering *L, trial *t, const k_id *shape, uint32_t rank, k_id *ix)
{
    k_builder *b = &L->b;
    for (uint32_t i = 0; i < rank; i++) {
        k_id s = kb_open_for(b, kb_int(b, 0), shape[i], kb_int(b, 1), NULL, 0);
        ix[i] = kb_param(b, s, 0);
        t->scopes++;
        if (t->n < sizeof t->vars / sizeof *t->vars)
            t->vars[t->n++] = ix[i];
        else
            t->deep = true;
    }
}

/* some, all: the numbers of elements and positions, which are the same; or 0. */
static const char *injective(lowering *L, const trial *t, const k_id *at, const k_id *shape,
                             uint32_t rank, k_id some, k_id all)
{
    if (t->deep || lower_failed(L))
        return NULL;
    for (uint32_t i = 0; i < rank; i++)
        if (!at[i])
            return NULL;
    return ka_proves_injective(&L->b, at, shape, rank, t->vars, t->n, some, all);
}

static uint32_t indices_of(const sv *p, k_id at[MAX_RANK])
{
    uint32_t rank = p->kind == SV_TUPLE ? p->n : 1;
    for (uint32_t i = 0; i < rank && i < MAX_RANK; i++)
        at[i] = p->kind == SV_TUPLE ? p->items[i]->v : p->v;
    return rank;
}

/* ---- interleaves ---- */

static bool launches_itself(const sv *p)
{
    return p->form == PUSH_SEQUENCE && p->level == LEVEL_GRID;
}

/* What one element of one part tells. */
typedef struct placed {
    const char *distinct; /* why no two go to one position; or NULL */
    k_id written;         /* how many there are; 0: that is not known */
    k_id all;             /* positions */
} placed;

/* How many elements there are; returns what that is where there is any. */
static k_id count_elements(lowering *L, const trial *t, const sv *p, const sv *part, const k_id *ix,
                           placed *out)
{
    part_axis axes[MAX_RANK];
    bool ok = true;
    k_id some = 0;
    for (uint32_t i = 0; i < part->rank && ok; i++)
        ok = lower_part_axis(L, part->shape[i], ix, p->src->rank, t->outer, &axes[i]);
    if (ok)
        out->written = lower_parts_elements(L, p->src, axes, part->rank, t->outer, &some);
    if (!out->written)
        some = out->written = lower_literal_elements(L, p->src);
    return out->written ? some : 0;
}

/* The part is at hand, all that makes it stands in the open scopes. */
static void try_part(lowering *L, trial *t, const sv *p, const sv *part, const k_id *ix,
                     placed *out)
{
    const sv *args[2 * MAX_RANK];
    k_id inner[MAX_RANK], at[MAX_RANK] = {0};
    if (part->kind != SV_PUSH || !part->shape || lower_failed(L))
        return;
    k_id some = count_elements(L, t, p, part, ix, out);
    count_over(L, t, part->shape, part->rank, inner);
    for (uint32_t i = 0; i < p->src->rank; i++)
        args[i] = sv_scalar(L, ix[i]);
    for (uint32_t i = 0; i < part->rank; i++)
        args[p->src->rank + i] = sv_scalar(L, inner[i]);
    L->level = LEVEL_THREAD;
    const sv *to =
        lower_run_region(L, p->region, p->env, p->env->bound, args, p->src->rank + part->rank);
    indices_of(to, at);
    out->distinct = injective(L, t, at, p->shape, p->rank, some, out->all);
}

/* Parts are made by who emits them: groups of the level below, or all together one by one. */
static placed try_placed(lowering *L, const sv *p)
{
    trial t;
    placed out = {0};
    k_id ix[MAX_RANK];
    uint32_t level = L->level;
    bool trying = L->trying, supposing = L->supposing, host = lower_is_host(L);
    out.all = kb_convert(&L->b, ST_I64, p->shape[0]);
    for (uint32_t i = 1; i < p->rank; i++)
        out.all = lower_product(L, out.all, kb_convert(&L->b, ST_I64, p->shape[i]));
    L->trying = L->supposing = true;
    k_outside before = kb_outside(&L->b, kb_depth(&L->b), false);
    open_trial(L, &t, host && !launches_itself(p));
    count_over(L, &t, p->src->shape, p->src->rank, ix);
    if (p->form == PUSH_INTERLEAVE)
        L->level = p->level ? p->level - 1u : 0;
    else if (!launches_itself(p))
        L->level = p->level;
    const sv *part = lower_failed(L) ? sv_none() : sv_index(L, p->src, ix);
    L->b.outside = before;
    try_part(L, &t, p, part, ix, &out);
    close_trial(L, &t);
    L->level = level;
    L->trying = trying;
    L->supposing = supposing;
    return out;
}

/* Whether the number of elements is that of positions, or is compared with it. */
static bool knows_count(lowering *L, const placed *t)
{
    k_builder *b = &L->b;
    k_id written = t->written, all = t->all;
    if (!written || lower_failed(L))
        return false;
    k_id same = kb_scalar(b, SOP_EQ, written, all, 0);
    int64_t known;
    bool proved = (k_is_const(b->p, same, &known) && known) || ka_proves_same(b, written, all);
    if (lower_is_asked_or(L, CHECKED_COUNT, proved ? "both numbers are the same value" : NULL,
                          "the numbers of elements are compared"))
        kb_check(b, CHECKED_COUNT, same, written, all, 0);
    return true;
}

/* ---- cells ---- */

/* An element of a push array whose iteration is evident; none otherwise. */
static const sv *try_element(lowering *L, trial *t, const sv *p)
{
    k_id ix[MAX_RANK];
    if (p->kind != SV_PUSH || !p->shape || lower_failed(L))
        return sv_none();
    switch ((sv_form)p->form) {
    case PUSH_PULL:
        count_over(L, t, p->shape, p->rank, ix);
        return sv_index(L, p->src, ix);
    case PUSH_MAP: {
        const sv *x = try_element(L, t, p->src);
        return x->kind == SV_NONE ? x : lower_run_region1(L, p->region, p->env, x);
    }
    case PUSH_CONCAT:
    case PUSH_INTERLEAVE:
    case PUSH_SEQUENCE:
        count_over(L, t, p->src->shape, p->src->rank, ix);
        return try_element(L, t, sv_index(L, p->src, ix));
    default: return sv_none();
    }
}

static bool all_inside(lowering *L, const k_id *at, const k_id *shape, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++)
        if (!at[i] || !lower_proves_index(L, at[i], shape[i]))
            return false;
    return true;
}

/* Why no two elements of src go to one cell, or NULL; inside: each goes into one. */
static const char *try_cells(lowering *L, const sv *src, const writer *w, bool *inside)
{
    trial t;
    k_id at[MAX_RANK] = {0};
    const char *why = NULL;
    uint32_t level = L->level;
    bool trying = L->trying, supposing = L->supposing, host = lower_is_host(L);
    *inside = false;
    if (host && src->level == LEVEL_GRID && src->form == PUSH_SEQUENCE)
        return NULL;
    L->trying = L->supposing = true;
    open_trial(L, &t, host);
    L->level = src->form == PUSH_PULL || src->form == PUSH_MAP ? LEVEL_THREAD
               : src->level                                   ? src->level - 1u
                                                              : 0;
    const sv *x = try_element(L, &t, src);
    const sv *r = x->kind == SV_NONE ? x : lower_run_region1(L, w->region, w->env, x);
    if (r->kind == SV_TUPLE && r->n == 2 && !lower_failed(L)) {
        indices_of(r->items[0], at);
        why = injective(L, &t, at, w->shape, w->rank, 0, 0);
        *inside = why && all_inside(L, at, w->shape, w->rank);
    }
    close_trial(L, &t);
    L->level = level;
    L->trying = trying;
    L->supposing = supposing;
    return why;
}

/* ---- marks ---- */

/* Over n words, by the workers of a level; how many scopes it opens. */
static k_id open_words(lowering *L, const marks *m, uint32_t *scopes)
{
    static const k_workers workers[] = {0, OVER_LANES, OVER_THREADS, OVER_GRID};
    k_builder *b = &L->b;
    bool host = lower_is_host(L);
    *scopes = host ? 2 : 1;
    if (host)
        kb_open_launch(b, LEVEL_GRID, kb_int(b, 1), lower_launch_threads(L, LEVEL_GRID));
    k_id s = !host && m->level == LEVEL_THREAD
                 ? kb_open_for(b, kb_int(b, 0), m->words, kb_int(b, 1), NULL, 0)
                 : kb_open_par(b, host ? OVER_GRID : workers[m->level], m->words);
    return kb_param(b, s, 0);
}

static void close_words(lowering *L, uint32_t scopes)
{
    for (uint32_t i = 0; i < scopes; i++)
        kb_close(&L->b, NULL, 0);
}

static k_id words_for(lowering *L, k_id n)
{
    k_builder *b = &L->b;
    scalar t = (scalar)k_at(b->p, n)->type;
    return kb_scalar(b, SOP_SHR, kb_add(b, n, kb_const(b, t, 31)), kb_const(b, t, 5), 0);
}

/* Memory for the bits, cleared; false where there is none that could be made before the launch. */
static bool begin_marks(lowering *L, const k_id *shape, uint32_t rank, uint32_t level, marks *m)
{
    k_builder *b = &L->b;
    uint32_t scopes;
    destination d;
    bool host = lower_is_host(L);
    k_id count = host ? lower_shape_elements(L, shape, rank) : lower_shape_count(L, shape, rank),
         most = host ? count : ka_upper(b, count);
    if (!most || lower_failed(L))
        return false;
    lower_destination_init(L, &d, level, words_for(L, kb_max(b, most, kb_const(b, (scalar)k_at(b->p, most)->type, 0))));
    m->count = count;
    m->words = words_for(L, count);
    m->level = level;
    m->shared = host || level != LEVEL_THREAD;
    m->bits = kb_alloc_at(b, d.depth, (k_space)d.space, ST_U32, d.size);
    k_id i = open_words(L, m, &scopes);
    kb_store(b, m->bits, i, kb_const(b, ST_U32, 0));
    close_words(L, scopes);
    lower_sync_after(L, level);
    return true;
}

/* The place of the checks is that of who computes the positions. */
static uint32_t place_of(lowering *L, ir_region r, const frame *env)
{
    return lower_place(L, env, ir_op_at(L->m, ir_region_at(L->m, r)->owner)->loc);
}

static const char *const not_seen = "positions are not seen to be distinct, each has a bit";
static const char *const unbounded =
    "how many positions there are is known only when the kernel runs";
static const char *const told = "the program says that they are";

static void leave_unchecked(lowering *L, bool distinct, bool full, const char *why)
{
    if (!distinct)
        lower_verdict(L, CHECKED_TWICE, FOUND_UNCHECKED, why);
    if (!full)
        lower_verdict(L, CHECKED_MISSED, FOUND_UNCHECKED, why);
}

/* distinct: why no check is needed for that; or NULL. */
static void ask(lowering *L, const k_id *shape, uint32_t rank, uint32_t level, const char *distinct,
                const char *full, marks *m)
{
    bool bounded = lower_is_host(L) || ka_upper(&L->b, lower_shape_count(L, shape, rank));
    if (!bounded) {
        leave_unchecked(L, distinct, full, unbounded);
        return;
    }
    bool asked = lower_is_asked_or(L, CHECKED_TWICE, distinct, not_seen);
    m->missing = !full && lower_is_asked_or(L, CHECKED_MISSED, NULL,
                                            "how many elements there are is not known before");
    m->loc = L->b.loc;
    if (asked || m->missing)
        begin_marks(L, shape, rank, level, m);
}

const sv *lower_begin_placed(lowering *L, const sv *p, marks *m)
{
    uint32_t loc = L->b.loc;
    if (L->supposing || L->trying || !p->src->shape || lower_failed(L))
        return p;
    L->b.loc = place_of(L, p->region, p->env);
    placed t = try_placed(L, p);
    if (!lower_failed(L)) {
        bool counted = knows_count(L, &t);
        ask(L, p->shape, p->rank, p->level, t.distinct, counted ? "as many as there are" : NULL, m);
    }
    L->b.loc = loc;
    if (!m->bits)
        return p;
    sv *with = sv_like(L, p);
    with->marks = m;
    return with;
}

/* Who wrote o may know what nothing here sees; where everything is asked, that is, too. */
static bool is_told(const lowering *L, ir_op o)
{
    return L->target.request.checks != CHECKS_ALL &&
           ir_property_number(L->m, (subject){ON_OP, o}, PROPERTY_DISTINCT, 0) > 0;
}

void lower_begin_cells(lowering *L, ir_op o, const sv *src, writer *w, marks *m)
{
    uint32_t loc = L->b.loc;
    bool inside, all = ir_op_at(L->m, o)->opcode == OP_PERMUTE;
    if (L->supposing || L->trying || lower_failed(L))
        return;
    L->b.loc = place_of(L, w->region, w->env);
    const char *distinct = try_cells(L, src, w, &inside);
    bool full = !all || (inside && lower_shape_count(L, src->shape, src->rank) ==
                                       lower_shape_count(L, w->shape, w->rank));
    if (is_told(L, o))
        leave_unchecked(L, distinct, full, told);
    else if (!lower_failed(L))
        ask(L, w->shape, w->rank, src->level, distinct, full ? "as many as there are" : NULL, m);
    L->b.loc = loc;
    w->marks = m->bits ? m : NULL;
}

/* The bits of word i that are positions. */
static k_id wanted_bits(lowering *L, const marks *m, k_id i)
{
    k_builder *b = &L->b;
    scalar t = (scalar)k_at(b->p, m->count)->type;
    k_id ones = kb_const(b, ST_U32, UINT32_MAX),
         left = kb_sub(b, m->count, kb_mul(b, kb_convert(b, t, i), kb_const(b, t, 32))),
         few = kb_convert(b, ST_U32, kb_sub(b, kb_const(b, t, 32), left));
    few = kb_scalar(b, SOP_SHR, ones, kb_scalar(b, SOP_AND, few, kb_const(b, ST_U32, 31), 0), 0);
    return kb_select(b, kb_lt(b, left, kb_const(b, t, 32)), few, ones);
}

/* Reports a position whose bit is not set. */
static void ask_missing(lowering *L, const marks *m)
{
    k_builder *b = &L->b;
    uint32_t scopes;
    scalar t = (scalar)k_at(b->p, m->count)->type;
    k_id i = open_words(L, m, &scopes), found = kb_load(b, m->bits, i),
         missed = kb_scalar(b, SOP_AND, kb_scalar(b, SOP_NOT, found, 0, 0), wanted_bits(L, m, i),
                            0),
         none = kb_scalar(b, SOP_EQ, missed, kb_const(b, ST_U32, 0), 0),
         at = kb_add(b, kb_mul(b, kb_convert(b, t, i), kb_const(b, t, 32)),
                     kb_convert(b, t, kb_scalar(b, SOP_CTZ, missed, 0, 0)));
    kb_check(b, CHECKED_MISSED, none, at, m->count, 0);
    close_words(L, scopes);
}

void lower_end_marks(lowering *L, const marks *m)
{
    uint32_t loc = L->b.loc;
    if (!m->bits || !m->missing || lower_failed(L))
        return;
    L->b.loc = m->loc;
    lower_sync_after(L, m->level);
    ask_missing(L, m);
    L->b.loc = loc;
}

/* ---- one element ---- */

bool lower_marks_alone(const marks *m)
{
    return m && m->bits && !m->shared;
}

/* v without claims: what is stored is no access to the place (kernel.md, claims). */
static k_id unclaimed(lowering *L, k_id v, int depth)
{
    const k_node n = *k_at(L->b.p, v);
    k_id x[3] = {0};
    bool same = n.exact != CLAIMED;
    if (depth == 0 || (n.op != K_SCALAR && n.op != K_CONVERT))
        return v;
    for (uint32_t i = 0; i < k_operand_count(&n); i++) {
        x[i] = unclaimed(L, n.args[i], depth - 1);
        same = same && x[i] == n.args[i];
    }
    if (same)
        return v;
    return n.op == K_CONVERT ? kb_convert(&L->b, (scalar)n.type, x[0])
                             : kb_scalar(&L->b, (opcode)n.opcode, x[0], x[1], x[2]);
}

/* The bits of its word before its own is set. */
static k_id set_bit(lowering *L, const marks *m, k_id word, k_id bit)
{
    k_builder *b = &L->b;
    if (m->shared)
        return kb_atomic(b, ATOMIC_OR, m->bits, word, bit, 0);
    k_id old = kb_load(b, m->bits, word);
    kb_store(b, m->bits, word, kb_scalar(b, SOP_OR, old, bit, 0));
    return old;
}

void lower_open_mark(lowering *L, const marks *m, const k_id *shape, const k_id *at, uint32_t rank)
{
    k_builder *b = &L->b;
    if (!m || lower_failed(L))
        return;
    bool wide = lower_is_wide(L, m->count);
    k_id flat =
        lower_shape_flatten(L, shape, rank, at, wide ? POSITION_WIDE : POSITION_ANY);
    scalar t = wide ? ST_I64 : ST_I32;
    flat = kb_convert(b, t, flat);
    if (!m->shared)
        flat = unclaimed(L, flat, UNCLAIM_DEPTH);
    k_id word = kb_scalar(b, SOP_SHR, flat, kb_const(b, t, 5), 0),
         low = kb_convert(b, ST_U32, kb_scalar(b, SOP_AND, flat, kb_const(b, t, 31), 0)),
         bit = kb_scalar(b, SOP_SHL, kb_const(b, ST_U32, 1), low, 0),
         old = set_bit(L, m, word, bit);
    k_id first =
        kb_scalar(b, SOP_EQ, kb_scalar(b, SOP_AND, old, bit, 0), kb_const(b, ST_U32, 0), 0);
    uint32_t loc = b->loc;
    b->loc = m->loc;
    kb_check(b, CHECKED_TWICE, first, flat, kb_convert(b, t, m->count), 0);
    b->loc = loc;
    kb_open_if(b, first);
}

void lower_close_mark(lowering *L, const marks *m)
{
    if (!m || lower_failed(L))
        return;
    kb_next_block(&L->b, NULL, 0);
    kb_close(&L->b, NULL, 0);
}
