/* The records of a chain in memory: see records.h. */
#include "ir/kernel/lower/chain/records.h"

enum { WORDS = 2 }; /* of 32 bits, in a scalar at most */

/* ---- words ---- */

static scalar type_of(const lowering *L, k_id v)
{
    return (scalar)k_at(L->b.p, v)->type;
}

static uint32_t words_of(const lowering *L, k_id v)
{
    return ir_scalar_bytes(type_of(L, v)) == 8 ? 2 : 1;
}

static k_id high_half(lowering *L, k_id word)
{
    return kb_scalar(&L->b, SOP_LSHR, word, kb_const(&L->b, ST_U64, 32), 0);
}

/* high << 32 | low, as a u64. */
static k_id two_halves(lowering *L, k_id high, k_id low)
{
    k_builder *b = &L->b;
    k_id up = kb_scalar(b, SOP_SHL, kb_convert(b, ST_U64, high), kb_const(b, ST_U64, 32), 0);
    return kb_scalar(b, SOP_OR, up, kb_convert(b, ST_U64, low), 0);
}

/* The bits of a scalar, the lower half first. */
static void to_words(lowering *L, k_id v, k_id words[WORDS])
{
    k_builder *b = &L->b;
    scalar t = type_of(L, v);
    bool as_bits = words_of(L, v) == 2 || ir_scalar_is_float(t);
    k_id bits = as_bits ? kb_bitcast(b, (scalar)ir_scalar_info(t)->bits, v) : v;
    words[0] = kb_convert(b, ST_U32, bits);
    words[1] = words_of(L, v) == 2 ? kb_convert(b, ST_U32, high_half(L, bits)) : 0;
}

/* The inverse of to_words, for a scalar of the type of `like`. */
static k_id from_words(lowering *L, k_id like, const k_id *words)
{
    scalar t = type_of(L, like);
    if (words_of(L, like) == 2)
        return kb_bitcast(&L->b, t, two_halves(L, words[1], words[0]));
    if (!ir_scalar_is_float(t))
        return kb_convert(&L->b, t, words[0]);
    return kb_bitcast(&L->b, t, kb_convert(&L->b, (scalar)ir_scalar_info(t)->bits, words[0]));
}

/* ---- records ---- */

void lower_records_begin(lowering *L, records *r, const sv *start, ir_type t)
{
    const type_node n = *ir_type_at(L->m, t);
    bool many = n.kind == TY_PULL;
    r->type = many ? n.a : t;
    r->starts = many ? start : NULL;
    r->start = many ? sv_zero(L, n.a) : start;
    r->places = many && start->kind == SV_PULL ? start->shape[0] : kb_int(&L->b, 1);
}

/* An int numbers them. */
k_id lower_records_count(lowering *L, const records *r, k_id m)
{
    k_id shape[] = {m, r->places};
    if (!r->starts)
        return m;
    lower_check_length(L, shape, 2);
    return lower_shape_count(L, shape, 2);
}

k_id lower_record(lowering *L, const records *r, k_id k, k_id i)
{
    return r->starts ? kb_add(&L->b, kb_mul(&L->b, k, r->places), i) : k;
}

/* Whether records may stay, and how many: all that there can be, if these are few. */
static uint32_t count_kept(const lowering *L, const records *r, k_id m)
{
    uint32_t most = L->target.tuning.chain_records / RECORDS_STEP * RECORDS_STEP;
    int64_t all = k_hi(L->b.p, m);
    if (!L->target.facts.launches_cost || r->form != IN_ONE_WORD || r->starts ||
        type_of(L, m) != ST_I32 || all >= (int64_t)1 << RECORDS_BITS || all < 1)
        return 0;
    all = (all + RECORDS_STEP - 1) / RECORDS_STEP * RECORDS_STEP;
    return all < most ? (uint32_t)all : most;
}

static void keep_records(lowering *L, records *r, k_id m)
{
    k_builder *b = &L->b;
    k_id count = kb_int(b, (int32_t)r->nkept);
    r->kept = kb_alloc_at(b, 0, SPACE_GLOBAL, ST_U64, count);
    k_at(b->p, r->kept)->kept = true;
    r->spills = k_hi(b->p, m) > r->nkept;
    if (r->spills)
        r->status = kb_alloc(b, SPACE_GLOBAL, ST_U64, kb_max(b, kb_sub(b, m, count), kb_int(b, 1)));
}

void lower_records_init(lowering *L, records *r, k_id m)
{
    k_builder *b = &L->b;
    vec_u32 leaves = {0};
    sv_leaves(L, r->start, &leaves);
    for (uint32_t i = 0; i < leaves.len; i++)
        r->nwords += words_of(L, leaves.at[i]);
    vec_free(&L->m->cx->mem, &leaves);
    r->form = r->nwords == 1 && L->target.facts.atomics64 ? IN_ONE_WORD : IN_WORDS;
    r->nkept = count_kept(L, r, m);
    if (r->nkept) {
        keep_records(L, r, m);
        return;
    }
    k_id count = lower_records_count(L, r, m);
    r->status = kb_alloc(b, SPACE_GLOBAL, r->form == IN_ONE_WORD ? ST_U64 : ST_U32, count);
    for (uint32_t s = 0; s < EVERYTHING && r->form == IN_WORDS; s++) {
        r->words[s] = ARENA_ARRAY(&L->a, k_id, r->nwords);
        for (uint32_t i = 0; r->words[s] && i < r->nwords; i++)
            r->words[s][i] = kb_alloc(b, SPACE_GLOBAL, ST_U32, count);
        L->failed = L->failed || !r->words[s];
    }
}

/* The words too, though none is read before it is written: an exchange takes what was there, and
 * simulators see that. */
void lower_records_clear(lowering *L, const records *r, k_id i)
{
    k_builder *b = &L->b;
    kb_store(b, r->status, i, kb_const(b, type_of(L, r->status), NOTHING));
    for (uint32_t w = 0; r->form == IN_WORDS && w < r->nwords && !lower_failed(L); w++)
        for (uint32_t s = 0; s < EVERYTHING; s++)
            kb_store(b, r->words[s][w], i, kb_const(b, ST_U32, 0));
}

/* The threads of one block do it, while others do their chunks. */
void lower_records_age(lowering *L, const records *r, k_id k, k_id m)
{
    k_builder *b = &L->b;
    k_id step = kb_int(b, RECORDS_STEP), zero = kb_int(b, 0),
         turns = kb_int(b, (int32_t)(r->nkept / RECORDS_STEP)),
         is_first = kb_scalar(b, SOP_EQ, k, zero, 0),
         age = kb_scalar(b, SOP_AND, kb_convert(b, ST_I32, r->age), kb_int(b, RECORDS_STEP - 1), 0);
    k_id par = kb_open_par(b, OVER_THREADS, kb_scalar(b, SOP_SELECT, is_first, turns, zero));
    k_id i = kb_add(b, kb_mul(b, kb_param(b, par, 0), step), age);
    kb_open_if(b, kb_scalar(b, SOP_GE, i, m, 0));
    kb_store(b, r->kept, i, kb_const(b, ST_U64, 0));
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* In one step: of a word that is kept, or of one of the others. */
static void store_word(lowering *L, const records *r, k_id k, k_id word)
{
    k_builder *b = &L->b;
    k_id count = kb_int(b, (int32_t)r->nkept);
    if (r->spills)
        kb_open_if(b, kb_lt(b, k, count));
    kb_atomic(b, ATOMIC_STORE, r->kept ? r->kept : r->status, k, word, 0);
    if (!r->spills)
        return;
    kb_next_block(b, NULL, 0);
    kb_atomic(b, ATOMIC_STORE, r->status, kb_sub(b, k, count), word, 0);
    kb_close(b, NULL, 0);
}

static k_id load_word(lowering *L, const records *r, k_id j)
{
    k_builder *b = &L->b;
    k_id count = kb_int(b, (int32_t)r->nkept);
    k_id s = r->spills ? kb_open_if(b, kb_lt(b, j, count)) : 0;
    k_id word = kb_atomic(b, ATOMIC_LOAD, r->kept ? r->kept : r->status, j, 0, 0);
    if (!s)
        return word;
    kb_next_block(b, &word, 1);
    word = kb_atomic(b, ATOMIC_LOAD, r->status, kb_sub(b, j, count), 0, 0);
    kb_close(b, &word, 1);
    return kb_result(b, s, 0);
}

/* What a record of this run has above its value: its age, and the status below. */
static k_id aged(lowering *L, const records *r, k_id status)
{
    k_builder *b = &L->b;
    k_id above = r->kept ? kb_scalar(b, SOP_SHL, r->age, kb_const(b, ST_U32, 2), 0) : 0;
    return above ? kb_scalar(b, SOP_OR, above, status, 0) : status;
}

static k_id status_of(lowering *L, const records *r, k_id word)
{
    k_builder *b = &L->b;
    k_id above = high_half(L, word);
    if (!r->kept)
        return above;
    k_id said = kb_convert(b, ST_U32, above), none = kb_const(b, ST_U32, NOTHING);
    k_id age = kb_scalar(b, SOP_LSHR, said, kb_const(b, ST_U32, 2), 0);
    k_id status = kb_scalar(b, SOP_AND, said, kb_const(b, ST_U32, 3), 0);
    return kb_scalar(b, SOP_SELECT, kb_scalar(b, SOP_EQ, age, r->age, 0), status, none);
}

/* Everything is stored before it is said to be there. */
void lower_records_store(lowering *L, const records *r, k_id k, record_status status, const sv *v)
{
    k_builder *b = &L->b;
    vec_u32 leaves = {0};
    k_id words[WORDS] = {0}, said = kb_const(b, ST_U32, status);
    uint32_t at = 0;
    sv_leaves(L, v, &leaves);
    for (uint32_t i = 0; i < leaves.len && !lower_failed(L); i++) {
        to_words(L, leaves.at[i], words);
        for (uint32_t j = 0; r->form == IN_WORDS && j < words_of(L, leaves.at[i]); j++)
            kb_atomic(b, ATOMIC_STORE, r->words[status - 1][at++], k, words[j], 0);
    }
    if (r->form == IN_WORDS)
        kb_atomic(b, ATOMIC_RELEASE, r->status, k, said, 0);
    else
        store_word(L, r, k, two_halves(L, aged(L, r, said), words[0]));
    vec_free(&L->m->cx->mem, &leaves);
}

/* The words of one status of record j, each by one relaxed step. */
static void load_words(lowering *L, const records *r, uint32_t which, k_id j, k_id *words)
{
    for (uint32_t i = 0; i < r->nwords; i++)
        words[i] = kb_atomic(&L->b, ATOMIC_LOAD, r->words[which][i], j, 0, 0);
}

/* The words that go with a status; zeros with none. */
static void choose_words(lowering *L, const records *r, k_id status, k_id j, k_id *words)
{
    k_builder *b = &L->b;
    k_id none = kb_const(b, ST_U32, NOTHING), summary = kb_const(b, ST_U32, SUMMARY);
    k_id some = kb_open_if(b, kb_scalar(b, SOP_NE, status, none, 0));
    k_id own = kb_open_if(b, kb_scalar(b, SOP_EQ, status, summary, 0));
    load_words(L, r, SUMMARY - 1, j, words);
    kb_next_block(b, words, r->nwords);
    load_words(L, r, EVERYTHING - 1, j, words);
    kb_close(b, words, r->nwords);
    for (uint32_t i = 0; i < r->nwords; i++)
        words[i] = kb_result(b, own, i);
    kb_next_block(b, words, r->nwords);
    for (uint32_t i = 0; i < r->nwords; i++)
        words[i] = none;
    kb_close(b, words, r->nwords);
    for (uint32_t i = 0; i < r->nwords; i++)
        words[i] = kb_result(b, some, i);
}

/* Shaped like what stands before the first chunk, as all summaries are. */
static const sv *value_of_words(lowering *L, const records *r, const k_id *words)
{
    vec_u32 leaves = {0};
    sv_leaves(L, r->start, &leaves);
    for (uint32_t i = 0, at = 0; i < leaves.len; i++) {
        k_id like = leaves.at[i];
        leaves.at[i] = from_words(L, like, words + at);
        at += words_of(L, like);
    }
    const k_id *list = leaves.at;
    const sv *v = lower_failed(L) ? sv_none() : sv_with_leaves(L, r->start, &list);
    vec_free(&L->m->cx->mem, &leaves);
    return v;
}

/* Status and value of a chunk that there is. */
static const sv *load_record(lowering *L, const records *r, k_id j, k_id *words)
{
    k_builder *b = &L->b;
    if (r->form == COMPLETE)
        return sv_tuple(L, (const sv *[]){sv_int(L, EVERYTHING), sv_index(L, r->upto, &j)}, 2);
    k_id status =
        r->form == IN_WORDS ? kb_atomic(b, ATOMIC_ACQUIRE, r->status, j, 0, 0) : load_word(L, r, j);
    if (r->form == IN_WORDS) {
        choose_words(L, r, status, j, words);
    } else {
        words[0] = kb_convert(b, ST_U32, status);
        status = status_of(L, r, status);
    }
    const sv *said = sv_scalar(L, kb_convert(b, ST_I32, status));
    return sv_tuple(L, (const sv *[]){said, value_of_words(L, r, words)}, 2);
}

/* The status is one that a record may have. */
static const sv *known_status(lowering *L, const sv *found)
{
    k_id status = found->kind == SV_TUPLE ? found->items[0]->v : 0;
    if (k_at(L->b.p, status)->op == K_RESULT)
        k_state_range(L->b.p, status, NOTHING, EVERYTHING);
    return found;
}

uint32_t lower_look_arguments(const records *r)
{
    return r->starts ? 2 : 1;
}

/* The place that the program names; behind a check that has failed one that there is. */
static k_id asked_place(lowering *L, const records *r, k_id i)
{
    k_builder *b = &L->b;
    k_id zero = kb_int(b, 0), last = kb_sub(b, r->places, kb_int(b, 1));
    if (lower_proves_index(L, i, r->places))
        return i;
    lower_checked_element(L, r->starts, &i, true);
    return kb_max(b, kb_min(b, i, last), zero);
}

/* Before the first chunk everything is known: the start. */
const sv *lower_look(lowering *L, const records *r, k_id j, k_id i)
{
    k_builder *b = &L->b;
    k_id *words = ARENA_ARRAY(&L->a, k_id, r->nwords + 1);
    vec_u32 leaves = {0};
    L->looks++;
    if (lower_failed(L) || !words)
        return sv_none();
    const sv *edge = sv_tuple(L, (const sv *[]){sv_int(L, EVERYTHING), r->start}, 2);
    k_id place = r->starts ? asked_place(L, r, i) : 0;
    k_id s = kb_open_if(b, kb_lt(b, j, kb_int(b, 0)));
    const sv *first = r->starts ? sv_index(L, r->starts, &place) : r->start;
    sv_leaves(L, sv_tuple(L, (const sv *[]){sv_int(L, EVERYTHING), first}, 2), &leaves);
    kb_next_block(b, leaves.at, leaves.len);
    leaves.len = 0;
    sv_leaves(L, load_record(L, r, lower_record(L, r, j, place), words), &leaves);
    kb_close(b, leaves.at, leaves.len);
    for (uint32_t l = 0; l < leaves.len; l++)
        leaves.at[l] = kb_result(b, s, l);
    const k_id *list = leaves.at;
    const sv *found = lower_failed(L) ? sv_none() : known_status(L, sv_with_leaves(L, edge, &list));
    vec_free(&L->m->cx->mem, &leaves);
    return found;
}
