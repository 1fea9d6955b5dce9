/* Words of small enumerations, the fields of the target, and the facts that need no words: see
 * text.h. */
#include "ir/kernel/text/text.h"

#include "ir/kernel/build/build.h"
#include "ir/kernel/verify.h"

#include <stddef.h>
#include <string.h>

/* ---- words ---- */

typedef struct ktext_word_row {
    word_kind of;
    uint32_t value;
    const char *word;
} ktext_word_row;

static const ktext_word_row rows[] = {
#define KWORD(kind, value, word) {KIND_##kind, value, word},
#include "ir/kernel/text/words.def"
#undef KWORD
};
enum { ROWS = sizeof rows / sizeof *rows };

const char *ktext_word(word_kind of, uint32_t value)
{
    for (uint32_t i = 0; i < ROWS; i++)
        if (rows[i].of == of && rows[i].value == value)
            return rows[i].word;
    return "?";
}

int ktext_word_value(word_kind of, const char *s, size_t n)
{
    for (uint32_t i = 0; i < ROWS; i++)
        if (rows[i].of == of && strlen(rows[i].word) == n && memcmp(rows[i].word, s, n) == 0)
            return (int)rows[i].value;
    return -1;
}

/* ---- the target ---- */

const target_field ktext_target_fields[] = {
#define KTARGET(field, word, form)                                                                 \
    {word, KIND_##form, offsetof(k_target, field), sizeof((k_target *)0)->field},
#include "ir/kernel/text/target.def"
#undef KTARGET
};
const uint32_t ktext_target_field_count = sizeof ktext_target_fields / sizeof *ktext_target_fields;

uint64_t ktext_target_value(const k_target *t, const target_field *f)
{
    const char *at = (const char *)t + f->offset;
    bool flag;
    uint32_t word;
    if (f->size == sizeof flag) {
        memcpy(&flag, at, sizeof flag);
        return flag;
    }
    memcpy(&word, at, sizeof word);
    return word;
}

void ktext_target_set(k_target *t, const target_field *f, uint64_t x)
{
    char *at = (char *)t + f->offset;
    bool flag = x != 0;
    uint32_t word = (uint32_t)x;
    if (f->size == sizeof flag)
        memcpy(at, &flag, sizeof flag);
    else
        memcpy(at, &word, sizeof word);
}

/* ---- facts that follow ---- */

bool ktext_has_range(const k_node *n)
{
    return ka_scalar_is_int((scalar)n->type) && n->op != K_CONST &&
           k_op_info(n->op)->class != KC_PLACE;
}

static plain_facts whole(const k_node *n)
{
    plain_facts f = {.exact = WRAPS};
    ka_scalar_range((scalar)n->type, &f.lo, &f.hi);
    return f;
}

static plain_facts of_scalar(const k_program *p, k_id id)
{
    k_node n = *k_at(p, id);
    if (k_exactness(p, id) == CLAIMED)
        return (plain_facts){.lo = 0, .hi = MAX_EXTENT, .exact = WRAPS};
    n.exact = WRAPS;
    ka_fold_interval(p, &n);
    return (plain_facts){.lo = n.lo, .hi = n.hi, .exact = n.exact};
}

static plain_facts of_convert(const k_program *p, k_id id)
{
    const k_node *n = k_at(p, id);
    k_id x = n->args[0];
    plain_facts f = whole(n);
    if (ka_scalar_is_int((scalar)n->type) && n->type != ST_BOOL &&
        ka_scalar_is_int((scalar)k_at(p, x)->type) && k_lo(p, x) >= f.lo && k_hi(p, x) <= f.hi) {
        f.lo = k_lo(p, x);
        f.hi = k_hi(p, x);
    }
    return f;
}

/* A loop's variable starts at its operand a and stays below b. */
static plain_facts of_variable(const k_program *p, const k_node *n)
{
    int64_t from = n->args[0] ? k_lo(p, n->args[0]) : 0, end = k_hi(p, n->args[1]);
    plain_facts f = {.hi = end > 0 ? end - 1 : 0};
    f.lo = from > f.hi ? f.hi : from;
    return f;
}

plain_facts ktext_plain_facts(const k_program *p, k_id id)
{
    const k_node *n = k_at(p, id);
    switch ((k_op)n->op) {
    case K_CONST: return (plain_facts){.lo = (int64_t)k_bits(n), .hi = (int64_t)k_bits(n)};
    case K_DIM:
    case K_BUILTIN: return (plain_facts){.lo = 0, .hi = MAX_EXTENT};
    case K_SCALAR: return of_scalar(p, id);
    case K_CONVERT: return of_convert(p, id);
    case K_SHUFFLE: return (plain_facts){.lo = k_lo(p, n->args[0]), .hi = k_hi(p, n->args[0])};
    case K_PARAM: return k_number_of(n) == 0 ? of_variable(p, n) : whole(n);
    default: return whole(n);
    }
}
