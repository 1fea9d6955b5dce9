/* Lowering of concat: how long the chunks are decides how they are put together.
 *
 * Where all chunks evidently have their full length, but the first and the last, chunk i starts at
 * a multiple of it: an interleave whose positions are known.  Else the chunks are compacted
 * (stream compaction): they are written as the rows of a matrix, with their lengths beside; the
 * lengths are added up, and whoever writes the whole takes from the rows what is there.
 *
 * The lengths are found by lowering chunks and dropping the code: one whose number is a variable,
 * and where its length depends on that, the first and the last one. */
#include "ir/kernel/algebra/fold.h"
#include "ir/kernel/lower/value.h"

/* ---- lengths ---- */

k_id lower_part_length(lowering *L, const sv *src, const k_id *ix, uint32_t *level)
{
    uint32_t here = L->level;
    bool supposing = L->supposing, measuring = L->measuring;
    L->supposing = L->measuring = true;
    L->level = here ? here - 1 : 0;
    const sv *part = sv_index(L, src, ix);
    L->level = here;
    L->supposing = supposing;
    L->measuring = measuring;
    *level = part->level;
    return part->kind == SV_PUSH && part->shape ? lower_shape_count(L, part->shape, part->rank) : 0;
}

static void open_trial(lowering *L)
{
    if (lower_is_host(L))
        kb_open_launch(&L->b, LEVEL_GRID, kb_int(&L->b, 1), lower_launch_threads(L, LEVEL_GRID));
    else
        kb_open_scratch(&L->b);
}

/* The length of one chunk if it is known before the chunks are computed; 0 otherwise.  What it
 * takes to find out is thrown away, except for values that do not depend on the chunk. */
static k_id known_length(lowering *L, const sv *src, k_id i)
{
    uint32_t level;
    uint16_t depth = kb_depth(&L->b);
    k_outside before = kb_outside(&L->b, depth, false);
    open_trial(L);
    k_id n = lower_part_length(L, src, &i, &level);
    L->b.outside = before;
    kb_discard(&L->b);
    return n && k_at(L->b.p, n)->depth <= depth ? n : 0;
}

enum { CUT_FUEL = 500 }; /* values looked at */

static k_id uncut(lowering *L, k_id v, uint16_t outer, int *fuel);

/* For min(k, n - start), where n does not depend on the chunk, or is cut itself: k. */
static k_id most_of(lowering *L, k_id k, k_id rest, uint16_t outer, int *fuel)
{
    const k_node *x = k_at(L->b.p, rest);
    bool left = x->op == K_SCALAR && x->opcode == SOP_SUB && x->depth > outer;
    return left && k_at(L->b.p, k)->depth <= outer && uncut(L, x->args[0], outer, fuel) ? k : 0;
}

/* What a length that is cut at the end of an array, min(k, n - start), or put together of such, is
 * where nothing is cut; 0 when it depends on the chunk otherwise, by values deeper than `outer`. */
static k_id uncut(lowering *L, k_id v, uint16_t outer, int *fuel)
{
    const k_node n = *k_at(L->b.p, v);
    k_id x[3] = {0}, most;
    if (n.depth <= outer)
        return v;
    if (--*fuel < 0 || n.op != K_SCALAR)
        return 0;
    for (int i = 0; n.opcode == SOP_MIN && i < 2; i++)
        if ((most = most_of(L, n.args[i], n.args[1 - i], outer, fuel)))
            return most;
    for (int i = 0; i < 3 && n.args[i]; i++)
        if (!(x[i] = uncut(L, n.args[i], outer, fuel)))
            return 0;
    return kb_scalar(&L->b, (opcode)n.opcode, x[0], x[1], x[2]);
}

/* Whether chunks of a length that depends on the chunk have c elements where they are not cut.
 * That only the first or the last one is cut is what the program says (docs/language.md). */
static bool is_cut(lowering *L, k_id n, k_id c, uint16_t outer)
{
    int fuel = CUT_FUEL;
    int64_t x, y;
    k_id whole = uncut(L, n, outer, &fuel);
    bool known = whole && k_is_const(L->b.p, whole, &x) && k_is_const(L->b.p, c, &y);
    return whole && k_at(L->b.p, whole)->depth <= outer && (!known || x == y);
}

/* Whether all chunks but the first and the last are full; FULL_FIRST: and the first, if it is not
 * the last. */
typedef enum { FULL_UNKNOWN, FULL_STATED, FULL_PROVED, FULL_FIRST } fullness;

/* Of chunks that are n long, where i is the number of one, in an open loop of that many. */
static fullness how_full(lowering *L, k_id n, k_id c, k_id i, k_id chunks, uint16_t outer)
{
    k_builder *b = &L->b;
    int64_t few;
    if (n && ka_fills_chunk(b, n, c, i, true))
        return FULL_FIRST;
    if ((k_is_const(b->p, chunks, &few) && few <= 2) || (n && ka_fills_chunk(b, n, c, i, false)))
        return FULL_PROVED;
    return n && is_cut(L, n, c, outer) ? FULL_STATED : FULL_UNKNOWN;
}

/* Of a chunk whose number is a variable: its length if all chunks have the same, else 0; and
 * whether it is `full` for all but the first and the last. */
static k_id common_length(lowering *L, const sv *src, k_id c, uint32_t *level, fullness *full)
{
    k_builder *b = &L->b;
    uint16_t depth = kb_depth(b);
    k_outside before = kb_outside(b, depth, false);
    open_trial(L);
    k_id s = kb_open_for(b, kb_int(b, 0), src->shape[0], kb_int(b, 1), NULL, 0);
    k_id n = lower_failed(L) ? 0 : lower_part_length(L, src, &(k_id){kb_param(b, s, 0)}, level);
    *full = how_full(L, n, c, kb_param(b, s, 0), src->shape[0], depth);
    L->b.outside = before;
    kb_discard(b);
    kb_discard(b);
    return n && k_at(b->p, n)->depth <= depth ? n : 0;
}

/* The elements of m chunks, c apart, of which the first and the last may have fewer. */
static k_id concat_length(lowering *L, k_id m, k_id c, k_id first, k_id last)
{
    k_builder *b = &L->b;
    k_id zero = kb_int(b, 0), one = kb_int(b, 1);
    if (first == c && last == c)
        return lower_count(L, SOP_MUL, m, c);
    scalar t = lower_is_host(L) ? ST_I64 : ST_I32;
    k_id missing = kb_select(b, kb_lt(b, one, m), kb_sub(b, c, first), zero);
    k_id before =
        kb_mul(b, kb_convert(b, t, kb_max(b, kb_sub(b, m, one), zero)), kb_convert(b, t, c));
    k_id all = kb_add(b, kb_sub(b, before, kb_convert(b, t, missing)), kb_convert(b, t, last));
    return kb_select(b, kb_lt(b, zero, m), kb_narrow(b, all), zero);
}

/* x of max(x, 0). */
static const k_node *or_none(const k_program *p, k_id v)
{
    const k_node *n = k_at(p, v);
    int64_t zero;
    return ka_is(n, SOP_MAX) && k_is_const(p, n->args[1], &zero) && zero == 0 ? k_at(p, n->args[0]) : n;
}

/* Whether there is no chunk only where there is no element: as many as min(x, n), where x is positive. */
static bool is_none_of_none(const k_program *p, k_id m, k_id n)
{
    const k_node *x = or_none(p, m);
    bool is = false;
    for (int i = 0; i < 2 && ka_is(x, SOP_MIN) && !is; i++)
        is = x->args[i] == n && k_lo(p, x->args[1 - i]) > 0;
    return is;
}

/* All but the last of m chunks are full, and the last is min(c, n - c * (m - 1)), which is what is left of n: there are n elements.
 * 0: that is not so. */
static k_id cut_length(lowering *L, k_id m, k_id c, k_id last)
{
    k_builder *b = &L->b;
    const k_node n = *or_none(b->p, last);
    k_id before = kb_mul(b, kb_sub(b, m, kb_int(b, 1)), c);
    for (int i = 0; i < 2 && ka_is(&n, SOP_MIN); i++) {
        k_id rest = n.args[1 - i];
        const k_node left = *k_at(b->p, rest);
        if (n.args[i] == c && ka_is(&left, SOP_SUB) && left.args[1] == before && is_none_of_none(b->p, m, left.args[0]) &&
            ka_not_above(b, rest, c))
            return kb_max(b, left.args[0], kb_int(b, 0));
    }
    return 0;
}

/* ---- chunks of which only the kernel knows the lengths ---- */

/* Compaction in the making. */
typedef struct ragged {
    const sv *src;
    uint32_t level;
    k_id m, c;
    k_id counts; /* memory: first the lengths, then where the chunks start, and the total */
    const sv *rows;
} ragged;

/* A bound that the memory needs, or E0508. */
static bool is_bounded(lowering *L, const ragged *r)
{
    if (lower_is_host(L) || (ka_upper(&L->b, r->m) && ka_upper(&L->b, r->c)))
        return true;
    lower_fail(L, DIAG_LOWER_CHUNK,
               "the lengths of the chunks of this concat are known only inside the kernel, and no "
               "bound for them before the launch");
    diag_hint(L->m->cx, "take the minimum of the length that is given to concat, or of the number "
                        "of chunks, and something that follows from the parameters");
    return false;
}

/* Writes all chunks as rows, and their lengths. */
static void write_rows(lowering *L, ragged *r, ir_type elem)
{
    k_id shape[2] = {r->m, r->c}, zero = kb_int(&L->b, 0);
    destination d, counts;
    sv *p = sv_new(L, SV_PUSH, PUSH_ROWS);
    p->loc = L->b.loc;
    p->level = (uint8_t)r->level;
    p->rank = 2;
    p->shape = sv_ids(L, shape, 2);
    p->src = r->src;
    if (!is_bounded(L, r) || !lower_destination_for(L, &d, p, "concat"))
        return;
    k_id most = kb_add(&L->b, lower_bounded_size(L, &r->m, 1, "concat"), kb_int(&L->b, 1));
    lower_destination_init(L, &counts, r->level, most);
    r->counts = kb_alloc_at(&L->b, counts.depth, (k_space)counts.space, ST_I32, most);
    p->v2 = r->counts;
    lower_emit_into(L, p, &d, zero, 0);
    lower_sync_after(L, r->level);
    r->rows = lower_memory_array(L, &d, zero, p->shape, 2, elem);
}

/* What a number in memory is at most. */
static k_id counted(lowering *L, k_id memory, k_id at, k_id most)
{
    k_id n = kb_load(&L->b, memory, at), bound = ka_upper(&L->b, most);
    k_state_range(L->b.p, n, 0, k_hi(L->b.p, most));
    if (bound && bound != n)
        k_state_bound(L->b.p, n, bound);
    return n;
}

/* The only chunk is the whole. */
static const sv *single_chunk(lowering *L, const ragged *r)
{
    k_id n = counted(L, r->counts, kb_int(&L->b, 0), r->c);
    sv *a = sv_like(L, r->rows), *p = sv_new(L, SV_PUSH, PUSH_PULL);
    a->rank = 1;
    a->shape = sv_ids(L, &n, 1);
    a->pitch = NULL;
    p->level = (uint8_t)r->level;
    p->rank = 1;
    p->shape = a->shape;
    p->src = a;
    return p;
}

/* ---- adding up ---- */

/* A worker's share of m numbers: from..to-1. */
typedef struct share {
    k_id worker, from, to;
} share;

static share share_of(k_builder *b, k_id worker, k_id each, k_id m)
{
    k_id from = kb_min(b, kb_mul(b, worker, each), m);
    return (share){worker, from, kb_min(b, kb_add(b, from, each), m)};
}

/* before, and the numbers from..to-1; each is replaced by the sum of those before it if `store`. */
static k_id add_up(k_builder *b, k_id memory, k_id from, k_id to, k_id before, bool store)
{
    k_id s = kb_open_for(b, from, to, kb_int(b, 1), &before, 1);
    k_id i = kb_param(b, s, 0), sum = kb_param(b, s, 1);
    k_id next = kb_add(b, sum, kb_load(b, memory, i));
    if (store)
        kb_store(b, memory, i, sum);
    kb_close(b, &next, 1);
    return kb_result(b, s, 0);
}

/* Exclusive prefix sums of m numbers in place, and their total behind them, by the workers of a
 * level: each adds up a share, then all shares before its own, then its share again. */
static void scan_counts(lowering *L, k_id memory, k_id m, uint32_t level)
{
    k_builder *b = &L->b;
    k_workers over = level == LEVEL_WARP ? OVER_LANES : OVER_THREADS;
    k_id zero = kb_int(b, 0), one = kb_int(b, 1),
         all = kb_int(b, (int32_t)lower_launch_threads(L, level)),
         workers = kb_max(b, kb_min(b, all, m), one);
    k_id each = kb_scalar(b, SOP_QUOT, kb_add(b, m, kb_sub(b, workers, one)), workers, 0);
    destination d;
    lower_destination_init(L, &d, level, all);
    k_id sums = kb_alloc_at(b, d.depth, (k_space)d.space, ST_I32, all);
    k_id s = kb_open_par(b, over, workers);
    share mine = share_of(b, kb_param(b, s, 0), each, m);
    kb_store(b, sums, mine.worker, add_up(b, memory, mine.from, mine.to, zero, false));
    kb_close(b, NULL, 0);
    kb_sync(b, level);
    s = kb_open_par(b, over, workers);
    mine = share_of(b, kb_param(b, s, 0), each, m);
    k_id before = add_up(b, sums, zero, mine.worker, zero, false);
    k_id total = add_up(b, memory, mine.from, mine.to, before, true);
    kb_open_if(b, kb_scalar(b, SOP_EQ, mine.worker, kb_sub(b, workers, one), 0));
    kb_store(b, memory, m, total);
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
    kb_sync(b, level);
}

/* At the host by one block, in a launch of its own. */
static void scan_at(lowering *L, const ragged *r)
{
    k_builder *b = &L->b;
    uint32_t level = L->level;
    bool host = lower_is_host(L);
    if (host) {
        kb_open_launch(b, LEVEL_GRID, kb_int(b, 1), lower_launch_threads(L, LEVEL_GRID));
        kb_open_par(b, OVER_BLOCKS, kb_int(b, 1));
    }
    L->level = host ? LEVEL_BLOCK : r->level;
    scan_counts(L, r->counts, r->m, L->level);
    if (host) {
        kb_close(b, NULL, 0);
        kb_close(b, NULL, 0);
    }
    L->level = level;
}

/* Rows are written here, where the concat stands, as its length is asked for before it is
 * emitted. */
static const sv *compacted_chunks(lowering *L, ragged *r, ir_type elem)
{
    int64_t one;
    if (!lower_may_force(L, r->level, "concat"))
        return sv_none();
    write_rows(L, r, elem);
    if (lower_failed(L))
        return sv_none();
    if (k_is_const(L->b.p, r->m, &one) && one == 1)
        return single_chunk(L, r);
    scan_at(L, r);
    sv *p = sv_new(L, SV_PUSH, PUSH_COMPACTED);
    k_id total = counted(L, r->counts, r->m, lower_count(L, SOP_MUL, r->m, r->c));
    p->level = (uint8_t)r->level;
    p->rank = 1;
    p->shape = sv_ids(L, &total, 1);
    p->src = r->rows;
    p->v2 = r->counts;
    return lower_failed(L) ? sv_none() : p;
}

void lower_check_chunk(lowering *L, const sv *p, k_id i, k_id n)
{
    k_builder *b = &L->b;
    uint32_t loc = b->loc;
    k_id c = p->form == PUSH_ROWS ? p->shape[1] : p->v, ok = kb_scalar(b, SOP_LE, n, c, 0);
    bool proved = !p->trusted && ka_not_above(b, n, c);
    b->loc = p->loc;
    if (lower_is_asked(L, CHECKED_CHUNK,
                       proved ? "its chunks evidently have such lengths" : NULL) &&
        !L->supposing) {
        k_id last = kb_sub(b, p->src->shape[0], kb_int(b, 1));
        k_id edge = kb_scalar(b, SOP_OR, kb_scalar(b, SOP_EQ, i, kb_int(b, 0), 0),
                              kb_scalar(b, SOP_EQ, i, last, 0), 0);
        k_id full = kb_scalar(b, SOP_OR, edge, kb_scalar(b, SOP_EQ, n, c, 0), 0);
        kb_check(b, CHECKED_CHUNK, p->trusted ? kb_scalar(b, SOP_AND, ok, full, 0) : ok, n, c, 0);
    }
    b->loc = loc;
}

void lower_emit_row_count(lowering *L, const sv *p, k_id row, k_id n)
{
    k_builder *b = &L->b;
    bool alone = L->level == LEVEL_THREAD;
    if (!alone)
        kb_open_par(b, L->level == LEVEL_WARP ? OVER_LANES : OVER_THREADS, kb_int(b, 1));
    kb_store(b, p->v2, row, kb_min(b, n, p->shape[1]));
    if (!alone)
        kb_close(b, NULL, 0);
}

k_id lower_compacted_position(lowering *L, const sv *p, const k_id *ix, k_id *exists)
{
    k_builder *b = &L->b;
    k_id start = kb_load(b, p->v2, ix[0]), next = kb_load(b, p->v2, kb_add(b, ix[0], kb_int(b, 1)));
    *exists = kb_lt(b, ix[1], kb_sub(b, next, start));
    return start;
}

/* ---- the operator ---- */

/* Static: total length, level and where chunks start are worked out here, before anything is
 * emitted, as `length` may ask. */
const sv *lower_CONCAT(lowering *L, frame *f, ir_op o)
{
    k_builder *b = &L->b;
    k_id c =
        lower_extent(L, lower_chunk_length(L, lower_frame_scalar(L, f, ir_arg(L->m, o, 0)), 0));
    const sv *src = lower_frame_value(L, f, ir_arg(L->m, o, 1));
    if (!src->shape)
        return sv_none();
    k_id m = src->shape[0], first, last;
    uint32_t level = 0;
    fullness full;
    first = last = common_length(L, src, c, &level, &full);
    if (first) {
        c = ka_not_above(b, first, c) ? first : kb_min(b, first, c);
        first = last = c;
        full = FULL_PROVED;
    } else if (full) {
        /* where c is a constant, min(c, n) in place of it ties the total to n */
        bool whole = full == FULL_FIRST && k_at(b->p, c)->op != K_CONST;
        first = whole ? c : known_length(L, src, kb_int(b, 0));
        last = known_length(L, src, kb_sub(b, m, kb_int(b, 1)));
    }
    if (lower_failed(L))
        return sv_none();
    if (!first || !last) {
        ir_type elem = lower_frame_type(L, f, lower_result_element(L, o));
        return compacted_chunks(L, &(ragged){.src = src, .level = level + 1, .m = m, .c = c}, elem);
    }
    sv *p = sv_new(L, SV_PUSH, PUSH_CONCAT);
    p->trusted = full == FULL_STATED;
    p->loc = b->loc;
    p->level = (uint8_t)(level + 1);
    p->rank = 1;
    p->src = src;
    p->v = c;
    if (first != c && full != FULL_FIRST)
        p->v2 = first;
    k_id cut = full == FULL_FIRST ? cut_length(L, m, c, last) : 0;
    k_id total = lower_extent(L, cut ? cut : concat_length(L, m, c, first, last));
    p->shape = sv_ids(L, &total, 1);
    return p;
}
