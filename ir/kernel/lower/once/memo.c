/* What has been computed, to be found again: elements of arrays, and results of functions.
 *
 * Core programs are pure, and a static value always stands for the same thing, so an element of the
 * same array at the same indices is the same value wherever it is wanted, and so is a function of
 * the same arguments.  An entry holds as long as the scope is open in which it was made: its code
 * has run wherever code in there runs.  Blocks are numbered and never reused, so that an entry
 * whose scope has closed is told by its block alone, and nothing is undone.
 *
 * Without this an array that is used twice costs twice, and a chain of n such arrays 2^n.  What a
 * look at a chain's records gives is not remembered: they change. */
#include "ir/kernel/lower/value.h"

#include <string.h>

struct remembered {
    const uint32_t *key;
    uint32_t n, hash, depth;
    k_block block; /* that was open at that depth */
    const sv *value;
};

static bool is_open(const lowering *L, const remembered *e)
{
    return e->depth < L->b.scopes.len && L->b.scopes.at[e->depth].block == e->block;
}

/* The slot of the key, or a free one for it. */
static remembered *find(const lower_memo *t, const uint32_t *key, uint32_t n, uint32_t hash)
{
    uint32_t mask = t->cap - 1, i = hash & mask;
    while (t->at[i].key && !(t->at[i].hash == hash && t->at[i].n == n &&
                             memcmp(t->at[i].key, key, n * sizeof *key) == 0))
        i = (i + 1) & mask;
    return &t->at[i];
}

/* Entries of closed scopes go. */
static bool grow(lowering *L)
{
    lower_memo *t = &L->memo;
    uint32_t live = 0, cap = 256;
    for (uint32_t i = 0; i < t->cap; i++)
        live += t->at[i].key && is_open(L, &t->at[i]);
    while (cap < live * 4)
        cap *= 2;
    lower_memo fresh = {.at = mem_zeroed(&L->m->cx->mem, cap * sizeof *t->at), .cap = cap};
    if (!fresh.at)
        return false;
    for (uint32_t i = 0; i < t->cap; i++)
        if (t->at[i].key && is_open(L, &t->at[i])) {
            *find(&fresh, t->at[i].key, t->at[i].n, t->at[i].hash) = t->at[i];
            fresh.used++;
        }
    lower_memo_free(L);
    L->memo = fresh;
    return true;
}

void lower_memo_free(lowering *L)
{
    mem_free(&L->m->cx->mem, L->memo.at, L->memo.cap * sizeof *L->memo.at);
    L->memo = (lower_memo){0};
}

/* ---- keys ---- */

enum { AN_ELEMENT = 1, A_CHECKED_ELEMENT, A_RESULT, A_SCALAR, A_TUPLE, BY_NUMBER };

static void add(lowering *L, uint32_t x)
{
    L->failed = !vec_push(&L->m->cx->mem, &L->keys, x) || L->failed;
}

/* What is read where the guard does not hold is not what is there. */
static void start_key(lowering *L, memo_key *key, uint32_t what)
{
    *key = (memo_key){.start = L->keys.len, .looks = L->looks};
    add(L, what);
    add(L, L->guard);
}

void lower_element_key(lowering *L, memo_key *key, const sv *a, const k_id *ix, bool checked)
{
    start_key(L, key, checked ? A_CHECKED_ELEMENT : AN_ELEMENT);
    add(L, a->number);
    for (uint32_t i = 0; i < a->rank; i++)
        add(L, ix[i]);
    key->n = L->keys.len - key->start;
}

/* Scalars are told apart by their values, tuples by their items, all else by when it was made. */
static void add_value(lowering *L, const sv *v)
{
    add(L, v->kind == SV_SCALAR ? A_SCALAR : v->kind == SV_TUPLE ? A_TUPLE : BY_NUMBER);
    add(L, v->kind == SV_SCALAR ? v->v : v->kind == SV_TUPLE ? v->n : v->number);
    for (uint32_t i = 0; v->kind == SV_TUPLE && i < v->n; i++)
        add_value(L, v->items[i]);
}

/* What is bound outside of the function is told by its frame. */
void lower_result_key(lowering *L, memo_key *key, const function_call *c)
{
    const binding *outside = c->env ? c->env->bound : NULL;
    start_key(L, key, A_RESULT);
    add(L, c->region);
    add(L, c->env ? c->env->number : 0);
    add(L, c->block);
    for (const binding *b = c->bound; b && b != outside; b = b->next) {
        add(L, b->var);
        add(L, b->value);
    }
    for (uint32_t i = 0; i < c->n; i++)
        add_value(L, c->args[i]);
    key->n = L->keys.len - key->start;
}

/* ---- looking up ---- */

static remembered *entry_of(const lowering *L, const memo_key *key)
{
    const uint32_t *words = L->keys.at + key->start;
    return find(&L->memo, words, key->n, intern_hash(HASH_SEED, words, key->n * sizeof *words));
}

const sv *lower_recall(lowering *L, const memo_key *key)
{
    if (!L->memo.cap || lower_failed(L))
        return NULL;
    const remembered *e = entry_of(L, key);
    if (!e->key || !is_open(L, e))
        return NULL;
    L->keys.len = key->start;
    return e->value;
}

/* Keys lie on a stack, as what is computed by means of others is asked for first. */
void lower_remember(lowering *L, const memo_key *key, const sv *v)
{
    bool changes = L->looks != key->looks;
    if (!lower_failed(L) && !changes && (L->memo.used * 2 < L->memo.cap || grow(L))) {
        const uint32_t *words = L->keys.at + key->start;
        remembered *e = entry_of(L, key);
        L->memo.used += !e->key;
        if (!e->key)
            *e = (remembered){.key = sv_ids(L, words, key->n), .n = key->n};
        e->hash = intern_hash(HASH_SEED, words, key->n * sizeof *words);
        e->depth = kb_depth(&L->b);
        e->block = L->b.scopes.at[e->depth].block;
        e->value = v;
    }
    L->keys.len = key->start;
}
