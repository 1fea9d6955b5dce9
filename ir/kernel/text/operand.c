/* Operands, numbers, constants and facts of the text of kernel programs: see parse.h. */
#include "ir/base/context.h"
#include "ir/base/source.h"
#include "ir/kernel/text/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- tokens ---- */

bool kparse_error(kernel_reader *r, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (r->failed)
        return false;
    r->failed = true;
    const ktext_token *t = &r->lx.now;
    uint32_t len = t->size && t->size < 100 ? (uint32_t)t->size : 1;
    location at = source_location(r->cx, r->source, (size_t)(t->at - r->lx.text), len);
    return diag_error(r->cx, DIAG_KERNEL_TEXT, at, "%s", text);
}

/* After an error the token stays, so that nothing behind it is looked at. */
void kparse_next(kernel_reader *r)
{
    if (!r->failed)
        ktext_lex_next(&r->lx);
}

bool kparse_is_mark(const kernel_reader *r, char mark)
{
    return !r->failed && r->lx.now.kind == TOKEN_MARK && r->lx.now.mark == mark;
}

bool kparse_is_word(const kernel_reader *r, const char *word)
{
    const ktext_token *t = &r->lx.now;
    return !r->failed && t->kind == TOKEN_WORD && strlen(word) == t->n &&
           memcmp(word, t->s, t->n) == 0;
}

bool kparse_take_mark(kernel_reader *r, char mark)
{
    if (!kparse_is_mark(r, mark))
        return false;
    kparse_next(r);
    return true;
}

bool kparse_take_word(kernel_reader *r, const char *word)
{
    if (!kparse_is_word(r, word))
        return false;
    kparse_next(r);
    return true;
}

/* The mark '.' stands for two points, as in ranges. */
bool kparse_mark(kernel_reader *r, char mark)
{
    return kparse_take_mark(r, mark) ||
           kparse_error(r, "%s%c is expected here", mark == '.' ? "." : "", mark);
}

bool kparse_word(kernel_reader *r, const char *word)
{
    return kparse_take_word(r, word) || kparse_error(r, "%s is expected here", word);
}

bool kparse_integer(kernel_reader *r, int64_t *x)
{
    if (r->failed || !ktext_lex_integer(&r->lx.now, x))
        return kparse_error(r, "an integer is expected here");
    kparse_next(r);
    return true;
}

bool kparse_u32(kernel_reader *r, uint32_t *x)
{
    int64_t wide = 0;
    if (r->failed || !ktext_lex_integer(&r->lx.now, &wide) || wide < 0 || wide > UINT32_MAX)
        return kparse_error(r, "a count is expected here, at least 0 and below 2^32");
    *x = (uint32_t)wide;
    kparse_next(r);
    return true;
}

bool kparse_setting(kernel_reader *r, const char *word, uint32_t *x)
{
    return kparse_word(r, word) && kparse_mark(r, '=') && kparse_u32(r, x);
}

/* Words of an enumeration are known only where that enumeration is expected; they are not reserved.
 */
bool kparse_kind(kernel_reader *r, word_kind of, uint32_t *x)
{
    const ktext_token *t = &r->lx.now;
    int value = t->kind == TOKEN_WORD ? ktext_word_value(of, t->s, t->n) : -1;
    if (r->failed || value < 0)
        return kparse_error(r, "this word is not known here");
    *x = (uint32_t)value;
    kparse_next(r);
    return true;
}

/* As kparse_kind, for the fields of kir.def; the value goes straight into the node. */
bool kparse_attribute(kernel_reader *r, k_attribute which, k_node *n)
{
    const ktext_token *t = &r->lx.now;
    int value = t->kind == TOKEN_WORD ? ktext_attribute_value(which, t->s, t->n) : -1;
    if (r->failed || value < 0)
        return kparse_error(r, "this word is not known here");
    k_set_attribute(n, which, (uint64_t)value);
    kparse_next(r);
    return true;
}

/* What stands in quotes, without its backslashes. */
static str_id unquoted(kernel_reader *r, const ktext_token *t)
{
    vec_char text = {0};
    bool ok = true;
    for (size_t i = 0; i < t->n && ok; i++) {
        unsigned byte = 0;
        char c = t->s[i];
        if (c == '\\' && ++i < t->n) {
            c = t->s[i];
            if (c == 'x' && i + 2 < t->n && sscanf(t->s + i + 1, "%2x", &byte) == 1) {
                c = (char)byte;
                i += 2;
            }
        }
        ok = text_add(r->m, &text, &c, 1);
    }
    str_id id = ok && text.len ? intern_add(&r->cx->strings, text.at, text.len) : 0;
    vec_free(r->m, &text);
    return id;
}

str_id kparse_name(kernel_reader *r, token_kind of)
{
    const ktext_token t = r->lx.now;
    if (r->failed || t.kind != of) {
        kparse_error(r, "a %s is expected here",
                     of == TOKEN_NAME     ? "name, @..."
                     : of == TOKEN_STRING ? "string"
                                          : "name, %...");
        return 0;
    }
    kparse_next(r);
    return t.quoted ? unquoted(r, &t) : intern_add(&r->cx->strings, t.s, t.n);
}

scalar kparse_type(kernel_reader *r)
{
    const ktext_token *t = &r->lx.now;
    scalar type = t->kind == TOKEN_WORD ? ir_scalar_named(t->s, t->n) : ST_NONE;
    if (r->failed || !type) {
        kparse_error(r, "a scalar type is expected here");
        return ST_NONE;
    }
    kparse_next(r);
    return type;
}

/* ---- positions ---- */

/* A position in a source that has no room for places is 0, unknown. */
uint32_t kparse_place(const kernel_reader *r)
{
    const source *s = &r->cx->diags.sources.at[r->source];
    size_t offset = (size_t)(r->lx.now.at - r->lx.text);
    return s->place == NO_PLACE ? 0 : LOC_PLACE + s->place + (uint32_t)offset;
}

/* loc("file":3:7) or loc(none); without one, where the statement stands. */
uint32_t kparse_position(kernel_reader *r, uint32_t plain)
{
    location l = {0};
    if (!kparse_take_word(r, "loc"))
        return plain;
    if (!kparse_mark(r, '('))
        return 0;
    if (kparse_take_word(r, "none"))
        return kparse_mark(r, ')') ? 0 : 0;
    l.file = kparse_name(r, TOKEN_STRING);
    bool ok = kparse_mark(r, ':') && kparse_u32(r, &l.line) && kparse_mark(r, ':') &&
              kparse_u32(r, &l.col) && kparse_mark(r, ')');
    if (!ok || !vec_push(r->m, &r->p->origin.locs, l))
        return 0;
    return r->p->origin.locs.len - 1;
}

/* ---- nodes ---- */

/* A number in the text already has a node, made at the start (read.c); values without a number get
 * one behind them. kernel_nodes bounds both. */
k_id kparse_node(kernel_reader *r, k_id id, k_node n)
{
    if (r->failed)
        return 0;
    if (r->p->nodes.len >= r->cx->limits.kernel_nodes) {
        r->failed = true;
        diag_error(r->cx, DIAG_TOO_LARGE, (location){0}, "the kernel grows beyond %u nodes",
                   r->cx->limits.kernel_nodes);
        return 0;
    }
    if (id) {
        k_facts f = {0};
        k_type_range((scalar)n.type, &f.lo, &f.hi);
        r->p->nodes.at[id] = n;
        k_state_all(r->p, id, f);
        return id;
    }
    id = k_add_node(r->p, &n);
    r->failed = !id;
    return id;
}

/* Links a node behind the last statement of a block, and tells it the block's depth. */
void kparse_append(kernel_reader *r, k_block block, k_id id)
{
    k_blocks *b = k_block_at(r->p, block);
    if (r->failed || !id)
        return;
    k_at(r->p, id)->depth = b->depth;
    if (b->last)
        k_at(r->p, b->last)->next = id;
    else
        b->first = id;
    b->last = id;
}

/* ---- constants ---- */

/* The slot of a constant in the hash table, or the free one where it belongs (linear probing). The
 * table is never more than half full, so the search ends. */
static uint32_t slot_of(const kernel_reader *r, scalar t, uint64_t bits)
{
    uint32_t key[3] = {t, (uint32_t)bits, (uint32_t)(bits >> 32)};
    uint32_t mask = r->table_cap - 1, i = intern_hash(HASH_SEED, key, sizeof key) & mask;
    for (; r->table[i]; i = (i + 1) & mask) {
        const k_node *n = k_at(r->p, r->table[i]);
        if (n->type == t && n->bits == bits)
            break;
    }
    return i;
}

/* Doubles the table and places every constant anew. */
static bool grow_table(kernel_reader *r)
{
    uint32_t *old = r->table, old_cap = r->table_cap, cap = old_cap ? old_cap * 2 : 64;
    uint32_t *fresh = mem_zeroed(r->m, cap * sizeof *fresh);
    if (!fresh) {
        r->failed = true;
        return false;
    }
    r->table = fresh;
    r->table_cap = cap;
    for (uint32_t i = 0; i < old_cap; i++)
        if (old[i])
            fresh[slot_of(r, (scalar)k_at(r->p, old[i])->type, k_at(r->p, old[i])->bits)] = old[i];
    mem_free(r->m, old, old_cap * sizeof *old);
    return true;
}

/* One node for each type and bits; it stands in the host block, before the statement that needed
 * it. */
static k_id constant(kernel_reader *r, scalar t, uint64_t bits)
{
    if (r->table_len * 2 >= r->table_cap && !grow_table(r))
        return 0;
    uint32_t slot = slot_of(r, t, bits);
    if (r->table[slot])
        return r->table[slot];
    k_node n = {.op = K_CONST, .type = (uint8_t)t, .bits = bits};
    k_id id = kparse_node(r, 0, n);
    if (id) {
        k_state_all(r->p, id, ktext_plain_facts(r->p, id).facts);
        kparse_append(r, r->p->host, id);
        r->table[slot] = id;
        r->table_len++;
    }
    return id;
}

/* ---- operands ---- */

k_id kparse_id(kernel_reader *r)
{
    uint32_t number = r->lx.now.number;
    if (r->failed || r->lx.now.kind != TOKEN_VALUE || !number || number > r->most) {
        kparse_error(r, r->lx.now.kind == TOKEN_VALUE
                            ? "a value's number is at least 1 and in proportion to the text"
                            : "a value, %%..., is expected here");
        return 0;
    }
    kparse_next(r);
    return number;
}

/* A node with an operator is one that has been defined: numbers begin as K_NONE. */
k_id kparse_definition(kernel_reader *r)
{
    uint32_t number = r->lx.now.kind == TOKEN_VALUE ? r->lx.now.number : 0;
    if (!r->failed && number && number <= r->most && k_at(r->p, number)->op) {
        kparse_error(r, "%%%u is defined already", number);
        return 0;
    }
    return kparse_id(r);
}

/* Only what stands before may be used; loops refer back through parameters, never forward. */
k_id kparse_operand(kernel_reader *r)
{
    scalar t;
    uint64_t bits;
    if (!r->failed && ktext_lex_constant(&r->lx.now, &t, &bits)) {
        kparse_next(r);
        return constant(r, t, bits);
    }
    uint32_t number = r->lx.now.number;
    bool known = number && number <= r->most && k_at(r->p, number)->op;
    if (!r->failed && r->lx.now.kind == TOKEN_VALUE && number <= r->most && !known) {
        kparse_error(r, "%%%u is not defined before", number);
        return 0;
    }
    if (!r->failed && r->lx.now.kind != TOKEN_VALUE) {
        kparse_error(r, "a value or a constant is expected here");
        return 0;
    }
    return kparse_id(r);
}

bool kparse_operands(kernel_reader *r)
{
    do {
        k_id x = kparse_operand(r);
        if (r->failed || !vec_push(r->m, &r->list, x))
            return false;
    } while (kparse_take_mark(r, ','));
    return true;
}

bool kparse_keep_list(kernel_reader *r, k_id id, uint32_t from)
{
    k_program *p = r->p;
    uint32_t n = r->list.len - from;
    if (r->failed || !vec_reserve(r->m, &p->pool, n))
        return false;
    k_at(p, id)->list = n ? p->pool.len : 0;
    k_at(p, id)->nlist = n;
    for (uint32_t i = 0; i < n; i++)
        p->pool.at[p->pool.len++] = r->list.at[from + i];
    r->list.len = from;
    return true;
}

/* ---- facts ---- */

/* The text of a range is refused where the verifier would refuse it, but with its exact place. */
static bool parse_range(kernel_reader *r, const k_node *n, k_facts *f)
{
    int64_t lo, hi, least, most;
    k_type_range((scalar)n->type, &least, &most);
    if (!kparse_integer(r, &lo) || !kparse_mark(r, '.'))
        return false;
    if (!ktext_lex_integer(&r->lx.now, &hi) || lo > hi || lo < least || hi > most ||
        !ktext_has_range(n))
        return kparse_error(r, "a range is not empty, and within the type of an integer");
    kparse_next(r);
    f->lo = lo;
    f->hi = hi;
    return true;
}

/* False when there is no further fact. */
static bool parse_fact(kernel_reader *r, const k_node *n, k_facts *f)
{
    if (kparse_take_word(r, "in"))
        return parse_range(r, n, f);
    if (kparse_take_word(r, "extent")) {
        ktext_make_extent(f);
        return true;
    }
    if (kparse_take_word(r, "below"))
        return (f->below = kparse_operand(r)) != 0;
    if (kparse_take_word(r, "bound"))
        return (f->bound = kparse_operand(r)) != 0;
    return false;
}

/* Whether it may wrap, which decides on what follows from it. */
static bool parse_exact(kernel_reader *r, k_node *n)
{
    const ktext_token *t = &r->lx.now;
    int exact = t->kind == TOKEN_WORD ? ktext_word_value(KIND_EXACT, t->s, t->n) : -1;
    if (exact < 0)
        return false;
    if (n->op != K_SCALAR)
        return kparse_error(r, "only scalar operators may wrap");
    n->exact = (uint8_t)exact;
    kparse_next(r);
    return true;
}

/* The text tells only what differs from the plain facts: these are computed first, and what is
 * stated replaces them. It is believed; the verifier asks for its form, not for its truth. */
bool kparse_facts(kernel_reader *r, k_id id)
{
    if (r->failed)
        return false;
    bool stated = parse_exact(r, k_at(r->p, id));
    plain_facts plain = ktext_plain_facts(r->p, id);
    k_facts f = plain.facts;
    if (!stated && k_at(r->p, id)->op == K_SCALAR)
        k_at(r->p, id)->exact = (uint8_t)plain.exact;
    for (k_node n = *k_at(r->p, id); parse_fact(r, &n, &f);)
        ;
    k_state_all(r->p, id, f);
    return !r->failed;
}
