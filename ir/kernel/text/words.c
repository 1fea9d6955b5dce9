/* Words of small enumerations, the fields of the target, and the facts that need no words: see
 * text.h. */
#include "ir/kernel/text/text.h"

#include "ir/kernel/algebra/fold.h"
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

/* The word's static text; "?" keeps the printing of broken programs readable. */
const char *ktext_attribute(const k_node *n, k_attribute which)
{
    const char *name = k_attribute_name(which, k_get_attribute(n, which));
    return name ? name : "?";
}

/* Names begin at 0 or 1, and are numbered without gaps. */
int ktext_attribute_value(k_attribute which, const char *s, size_t n)
{
    for (uint32_t i = 0; i == 0 || k_attribute_name(which, i); i++) {
        const char *name = k_attribute_name(which, i);
        if (name && strlen(name) == n && memcmp(name, s, n) == 0)
            return (int)i;
    }
    return -1;
}

/* ---- the target ---- */

static const target_field fields[] = {
#define KTARGET(field, word, as)                                                                   \
    {.name = word,                                                                                 \
     .form = KIND_##as,                                                                            \
     .offset = offsetof(k_target, field),                                                          \
     .size = sizeof((k_target *)0)->field},
#include "ir/kernel/text/target.def"
#undef KTARGET
#define QUIRK(e, number, word, meaning)                                                            \
    {.name = word,                                                                                 \
     .form = KIND_FLAG,                                                                            \
     .offset = offsetof(k_target, quirks),                                                         \
     .size = sizeof(uint32_t),                                                                     \
     .bit = QUIRK_##e},
#include "ir/kernel/quirks.def"
#undef QUIRK
};
enum { FIELDS = sizeof fields / sizeof *fields, ALWAYS = 2 };

/* The rows of target.def, then the quirks, then the tuning numbers, so that the text has a fixed
 * order. */
bool ktext_target_field(uint32_t i, target_field *out)
{
    const k_tunable *row = i < FIELDS ? NULL : k_tunable_at(i - FIELDS);
    if (i < FIELDS)
        *out = fields[i];
    else if (row)
        *out = (target_field){.name = row->name,
                              .form = KIND_NUMBER,
                              .offset = offsetof(k_target, tuning) + row->offset,
                              .size = sizeof(uint32_t),
                              .usual = row->usual};
    out->always = i < ALWAYS;
    return i < FIELDS || row;
}

/* A field is a bool or 32 bits wide; of a quirk one bit of them. */
uint32_t ktext_target_value(const k_target *t, const target_field *f)
{
    const char *at = (const char *)t + f->offset;
    bool flag;
    uint32_t word;
    if (f->size == sizeof flag) {
        memcpy(&flag, at, sizeof flag);
        return flag;
    }
    memcpy(&word, at, sizeof word);
    return f->bit ? (word & f->bit) != 0 : word;
}

void ktext_target_set(k_target *t, const target_field *f, uint32_t x)
{
    char *at = (char *)t + f->offset;
    bool flag = x != 0;
    uint32_t word;
    if (f->size == sizeof flag) {
        memcpy(at, &flag, sizeof flag);
        return;
    }
    memcpy(&word, at, sizeof word);
    word = !f->bit ? x : x ? word | f->bit : word & ~f->bit;
    memcpy(at, &word, sizeof word);
}

/* ---- facts that follow ---- */

bool ktext_has_range(const k_node *n)
{
    return k_type_is_int((scalar)n->type) && n->op != K_CONST &&
           k_op_info(n->op)->class != KC_PLACE;
}

/* Nothing beyond the type: what a value of an unknown origin may be. */
static plain_facts whole(const k_node *n)
{
    plain_facts f = {.exact = WRAPS};
    k_type_range((scalar)n->type, &f.facts.lo, &f.facts.hi);
    return f;
}

/* The type's range cut to [lo, hi]; the whole range where nothing would be left, as k_state_range
 * does. */
static plain_facts within(const k_node *n, int64_t lo, int64_t hi)
{
    plain_facts f = whole(n);
    f.facts.lo = lo > f.facts.lo ? lo : f.facts.lo;
    f.facts.hi = hi < f.facts.hi ? hi : f.facts.hi;
    return f.facts.lo <= f.facts.hi ? f : whole(n);
}

/* What folding finds from the operands' ranges. A claim promises a position or a count of elements,
 * which is at most MAX_EXTENT whatever the operands tell. */
static plain_facts of_scalar(const k_program *p, k_id id)
{
    k_node n = *k_at(p, id);
    if (n.exact == CLAIMED)
        return within(&n, 0, MAX_EXTENT);
    if (!ir_op_info(n.opcode)->is_scalar) /* of a broken program that is printed */
        return whole(&n);
    n.exact = WRAPS;
    k_range r = ka_fold_interval(p, &n);
    plain_facts f = r.known ? within(&n, r.lo, r.hi) : whole(&n);
    f.exact = n.exact;
    return f;
}

/* A conversion keeps a range that the new type holds; one that may change the value tells nothing.
 */
static plain_facts of_convert(const k_program *p, const k_node *n)
{
    k_id x = n->args[0];
    plain_facts f = whole(n);
    bool keeps = k_type_is_int((scalar)n->type) && n->type != ST_BOOL &&
                 k_type_is_int((scalar)k_at(p, x)->type) && k_lo(p, x) >= f.facts.lo &&
                 k_hi(p, x) <= f.facts.hi;
    return keeps ? within(n, k_lo(p, x), k_hi(p, x)) : f;
}

/* A loop's variable starts at the loop's start and stays below its end. */
static plain_facts of_variable(const k_program *p, const k_node *n, const k_node *loop)
{
    bool counts = loop->op == K_FOR;
    k_id end = loop->args[counts];
    int64_t from = counts ? k_lo(p, loop->args[0]) : 0, most = k_hi(p, end);
    most = most > 0 ? most - 1 : 0;
    plain_facts f = within(n, from < most ? from : most, most);
    f.facts.below = end;
    return f;
}

/* Only a loop's own variable follows from its loop; what is carried may be anything of its type. */
static plain_facts of_param(const k_program *p, const k_node *n)
{
    const k_node *loop = k_at(p, n->owner);
    bool variable = n->number == 0 && (loop->op == K_FOR || loop->op == K_PAR);
    return variable ? of_variable(p, n, loop) : whole(n);
}

plain_facts ktext_plain_facts(const k_program *p, k_id id)
{
    const k_node *n = k_at(p, id);
    switch ((k_op)n->op) {
    case K_CONST: return within(n, (int64_t)n->bits, (int64_t)n->bits);
    case K_DIM:
    case K_BUILTIN: return within(n, 0, MAX_EXTENT);
    case K_SCALAR: return of_scalar(p, id);
    case K_CONVERT: return of_convert(p, n);
    case K_SHUFFLE: return within(n, k_lo(p, n->args[0]), k_hi(p, n->args[0]));
    case K_PARAM: return of_param(p, n);
    default: return whole(n);
    }
}

void ktext_make_extent(k_facts *f)
{
    f->extent = true;
    if (f->hi > MAX_EXTENT && f->lo <= MAX_EXTENT)
        f->hi = MAX_EXTENT;
}
