/* Blocks and steps of a plan.  A step is a map: `step` says which it is, and ir/plan/plan.def what
 * else it has and what that is called. */
#include "serialize/artifact/record.h"

#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

/* Blocks inside one another. */
enum { NESTING = 200 };

/* ---- writing ---- */

static void put_numbers(artifact_writer *w, uint32_t list, uint32_t n)
{
    put_list(w, n);
    for (uint32_t i = 0; i < n && w->ok; i++)
        put_number(w, w->p->pool.at[list + i]);
}

static void put_range(artifact_writer *w, uint32_t first, uint32_t n)
{
    put_list(w, n);
    for (uint32_t i = 0; i < n && w->ok; i++)
        put_number(w, first + i);
}

static void put_key_number(artifact_writer *w, const char *key, uint64_t x)
{
    put_name(w, key);
    put_number(w, x);
}

/* What the row of a step does not say. */
static void put_own(artifact_writer *w, const plan_step *s)
{
    put_name(w, plan_own_key(s->op));
    if (s->op == PLAN_CONST)
        put_scalar(w, (scalar)w->p->values.at[s->gives], s->bits);
    else if (s->op == PLAN_COMPUTE)
        put_name(w, ir_op_table[s->opcode].name);
    else if (plan_is_emitted(s))
        put_text(w, (str_id)s->bits);
    else
        put_number(w, s->axis);
}

static void put_extras(artifact_writer *w, const plan_step *s)
{
    if (plan_own_key(s->op))
        put_own(w, s);
    if (s->at.file) {
        put_name(w, "at");
        put_place(w, s->at);
    }
}

/* Without `at`. */
static uint32_t keys_of(const plan_step *s, const plan_info *info)
{
    uint32_t n = 1u + (info->gives != PLAN_GIVES_NOTHING) + info->memory + (info->which != NULL) +
                 (info->list != NULL) + (info->blocks[0] != NULL) + (info->blocks[1] != NULL);
    for (int i = 0; i < 3; i++)
        n += info->args[i] && s->args[i] ? 1 : 0;
    return n + (plan_own_key(s->op) != NULL);
}

static void put_step(artifact_writer *w, const plan_step *s)
{
    const plan_info *info = plan_op_info(s->op);
    if (w->ok && pack_room(&w->out, PACKED_MAX))
        pack_map(&w->out, keys_of(s, info) + (s->at.file != 0));
    else
        w->ok = false;
    put_name(w, "step");
    put_name(w, info->name);
    if (info->gives == PLAN_GIVES_VALUE) {
        put_key_number(w, "value", s->gives);
    } else if (info->gives == PLAN_GIVES_RESULTS) {
        put_name(w, "results");
        put_range(w, s->gives, s->ngives);
    }
    for (int i = 0; i < 3; i++)
        if (info->args[i] && s->args[i])
            put_key_number(w, info->args[i], s->args[i]);
    if (info->memory)
        put_key_number(w, "memory", s->memory);
    if (info->which)
        put_key_number(w, info->which, s->which);
    if (info->list) {
        put_name(w, info->list);
        put_numbers(w, s->list, s->nlist);
    }
    put_extras(w, s);
    for (int i = 0; i < 2 && w->ok; i++)
        if (info->blocks[i]) {
            put_name(w, info->blocks[i]);
            put_block(w, s->blocks[i]);
        }
}

/* ---- reading ---- */

static bool take_numbers(artifact_reader *r, uint32_t *list, uint32_t *n)
{
    uint32_t x;
    *list = r->p->pool.len;
    if (!take_list(r, n, "a list of numbers"))
        return false;
    for (uint32_t i = 0; i < *n; i++)
        if (!take_u32(r, &x, "a number") || !vec_push(&r->cx->mem, &r->p->pool, x))
            return false;
    return true;
}

/* Values that stand in a row. */
static bool take_range(artifact_reader *r, uint32_t *first, uint32_t *n)
{
    uint32_t x;
    if (!take_list(r, n, "a list of values"))
        return false;
    for (uint32_t i = 0; i < *n; i++) {
        if (!take_u32(r, &x, "a value"))
            return false;
        if (i && x != *first + i)
            return artifact_refuse(r, DIAG_BINARY_RANGE, "the values of a list are not in a row");
        if (!i)
            *first = x;
    }
    return true;
}

static bool take_op(artifact_reader *r, plan_step *s)
{
    const char *name;
    uint32_t n;
    if (!take_chars(r, &name, &n, "the name of an operator"))
        return false;
    s->opcode = (uint16_t)ir_op_named(name, n);
    return s->opcode || artifact_refuse(r, DIAG_BINARY_UNKNOWN,
                                        "the operator \"%.*s\" is not known to this library",
                                        (int)(n < 40 ? n : 40), name);
}

/* The value's type tells what its bits are: values are listed before. */
static bool take_bits(artifact_reader *r, plan_step *s)
{
    if (!s->gives || s->gives >= r->p->values.len)
        return artifact_refuse(r, DIAG_BINARY_SYNTAX, "the key \"value\" stands before \"bits\"");
    return take_scalar(r, (scalar)r->p->values.at[s->gives], &s->bits);
}

static bool take_inner(artifact_reader *r, uint32_t *block)
{
    if (*block)
        return artifact_refuse(r, DIAG_BINARY_SYNTAX, "a block stands twice");
    *block = plan_add_block(r->p);
    return *block && take_block(r, *block);
}

/* Which number of the step a key names; NULL: none of them. */
static uint32_t *number_named(plan_step *s, const plan_info *info, const char *key, uint32_t len)
{
    for (int i = 0; i < 3; i++)
        if (info->args[i] && chars_are(key, len, info->args[i]))
            return &s->args[i];
    if (info->memory && chars_are(key, len, "memory"))
        return &s->memory;
    return info->which && chars_are(key, len, info->which) ? &s->which : NULL;
}

static bool take_axis(artifact_reader *r, plan_step *s)
{
    uint64_t axis;
    bool ok = take_number(r, MAX_RANK, &axis, "an axis");
    s->axis = ok ? (uint8_t)axis : 0;
    return ok;
}

static bool take_show(artifact_reader *r, plan_step *s)
{
    str_id show = 0;
    bool ok = take_text(r, &show, "how it is shown");
    s->bits = show;
    return ok;
}

/* *known: keys so far that are the step's own; `at` may be left out, and is not counted. */
static bool take_extra(artifact_reader *r, plan_step *s, const char *key, uint32_t len,
                       uint32_t *known)
{
    const char *own = plan_own_key(s->op);
    if (own && chars_are(key, len, own))
        return s->op == PLAN_CONST     ? take_bits(r, s)
               : s->op == PLAN_COMPUTE ? take_op(r, s)
               : plan_is_emitted(s)    ? take_show(r, s)
                                       : take_axis(r, s);
    --*known;
    if (chars_are(key, len, "at"))
        return take_place(r, &s->at);
    return bin_cursor_skip(&r->c) || artifact_expected(r, "a value");
}

static bool take_pair(artifact_reader *r, plan_step *s, const plan_info *info, uint32_t *known)
{
    const char *key;
    uint32_t len;
    if (!take_chars(r, &key, &len, "a key"))
        return false;
    ++*known;
    uint32_t *number = number_named(s, info, key, len);
    if (number)
        return take_u32(r, number, "a number");
    if (info->gives == PLAN_GIVES_VALUE && chars_are(key, len, "value")) {
        s->ngives = 1;
        return take_u32(r, &s->gives, "a value");
    }
    if (info->gives == PLAN_GIVES_RESULTS && chars_are(key, len, "results"))
        return take_range(r, &s->gives, &s->ngives);
    if (info->list && chars_are(key, len, info->list))
        return take_numbers(r, &s->list, &s->nlist);
    for (int i = 0; i < 2; i++)
        if (info->blocks[i] && chars_are(key, len, info->blocks[i]))
            return take_inner(r, &s->blocks[i]);
    return take_extra(r, s, key, len, known);
}

/* `step` is the first key, so that the others are known by it. */
static bool take_kind(artifact_reader *r, plan_step *s)
{
    const char *text;
    uint32_t n;
    if (!take_chars(r, &text, &n, "the key \"step\"") || !chars_are(text, n, "step"))
        return artifact_refuse(r, DIAG_BINARY_SYNTAX, "the first key of a step is \"step\"");
    if (!take_chars(r, &text, &n, "the name of a step"))
        return false;
    for (uint32_t i = 1; i < PLAN_END; i++)
        if (plan_op_info(i)->name && chars_are(text, n, plan_op_info(i)->name)) {
            s->op = (uint8_t)i;
            return true;
        }
    return artifact_refuse(r, DIAG_BINARY_UNKNOWN, "the step \"%.*s\" is not known to this library",
                           (int)(n < 40 ? n : 40), text);
}

static bool take_step(artifact_reader *r, uint32_t block)
{
    plan_step s = {0};
    uint32_t pairs, known = 1; /* `step` */
    if (!bin_cursor_map(&r->c, &pairs))
        return artifact_expected(r, "a step, which is a map");
    if (!pairs || !take_kind(r, &s))
        return pairs ? false : artifact_expected(r, "a step");
    while (--pairs)
        if (!take_pair(r, &s, plan_op_info(s.op), &known))
            return false;
    if (known != keys_of(&s, plan_op_info(s.op)))
        return artifact_refuse(r, DIAG_BINARY_SYNTAX,
                               "the step %s lacks a key, or has one twice or with number 0",
                               plan_op_info(s.op)->name);
    return plan_add_step(r->p, block, &s) != 0;
}

/* ---- blocks ---- */

/* A block with its number: reading its steps makes other blocks. */
typedef struct numbered {
    uint32_t number;
    plan_block b;
} numbered;

static void put_params(artifact_writer *w, const void *x)
{
    const numbered *n = x;
    put_range(w, n->b.params, n->b.nparams);
}

static bool take_params(artifact_reader *r, void *x)
{
    numbered *n = x;
    return take_range(r, &n->b.params, &n->b.nparams);
}

static void put_yields(artifact_writer *w, const void *x)
{
    const numbered *n = x;
    put_numbers(w, n->b.yields, n->b.nyields);
}

static bool take_yields(artifact_reader *r, void *x)
{
    numbered *n = x;
    return take_numbers(r, &n->b.yields, &n->b.nyields);
}

static void put_steps(artifact_writer *w, const void *x)
{
    const numbered *n = x;
    uint32_t steps = 0;
    for (uint32_t i = n->b.first; i; i = plan_step_at(w->p, i)->next)
        steps++;
    put_list(w, steps);
    for (uint32_t i = n->b.first; i && w->ok; i = plan_step_at(w->p, i)->next)
        put_step(w, plan_step_at(w->p, i));
}

static bool take_steps(artifact_reader *r, void *x)
{
    const numbered *block = x;
    uint32_t n;
    if (!take_list(r, &n, "a list of steps"))
        return false;
    while (n--)
        if (!take_step(r, block->number))
            return false;
    return true;
}

static const field block_fields[] = {
#define BLOCK_FIELD(key, kind, member, presence, ...)                                              \
    FIELD_OF(numbered, key, kind, member, presence),
#include "serialize/artifact/artifact.def"
#undef BLOCK_FIELD
};

/* Recursion is as deep as blocks nest. */
void put_block(artifact_writer *w, uint32_t block)
{
    numbered x = {.b = *plan_block_at(w->p, block)};
    record_put(w, block_fields, COUNT(block_fields), &x);
}

/* Recursion is bounded by the nesting. */
bool take_block(artifact_reader *r, uint32_t block)
{
    numbered x = {.number = block};
    if (++r->depth > NESTING)
        return artifact_refuse(r, DIAG_TOO_DEEP, "the blocks of a plan nest deeper than %d",
                               NESTING);
    if (!record_take(r, block_fields, COUNT(block_fields), &x))
        return false;
    r->depth--;
    x.b.first = plan_block_at(r->p, block)->first;
    x.b.last = plan_block_at(r->p, block)->last;
    r->p->blocks.at[block] = x.b;
    return true;
}
