/* The reader of the text of kernel programs: its head, its blocks, and what is asked of the whole;
 * see ir/kernel/read.h. */
#include "ir/kernel/read.h"

#include "ir/base/context.h"
#include "ir/base/source.h"
#include "ir/kernel/text/parse.h"
#include "ir/kernel/verify.h"

#include <string.h>

/* Values are numbered in proportion to the text: a number takes a node. */
enum { NUMBERS_FREE = 4096, NUMBERS_PER_BYTE = 4 };

/* ---- blocks ---- */

k_block kparse_new_block(kernel_reader *r, uint32_t deeper)
{
    k_blocks b = {.depth = (uint16_t)(r->depth + deeper)};
    if (r->depth + deeper > TEXT_NESTING)
        return kparse_error(r, "blocks nest deeper than %d", TEXT_NESTING) ? 1 : 0;
    if (r->failed || !vec_push(r->m, &r->p->blocks, b)) {
        r->failed = true;
        return 0;
    }
    return r->p->blocks.len - 1;
}

/* A block that does not say what it yields yields nothing. */
static void end_block(kernel_reader *r, k_block b)
{
    if (r->failed || k_at(r->p, k_block_at(r->p, b)->last)->op == K_YIELD)
        return;
    kparse_append(r, b, kparse_node(r, 0, (k_node){.op = K_YIELD}));
}

k_block kparse_block(kernel_reader *r, k_block fresh, uint32_t deeper)
{
    k_block outer = r->block;
    if (!fresh || !kparse_mark(r, '{'))
        return 0;
    r->block = fresh;
    r->depth += deeper;
    while (!r->failed && !kparse_is_mark(r, '}') && kparse_statement(r))
        ;
    end_block(r, fresh);
    r->block = outer;
    r->depth -= deeper;
    return kparse_mark(r, '}') ? fresh : 0;
}

/* ---- the head ---- */

/* kernel-ir VERSION STAGE, and `barriers` where barriers already rely on one another. */
static bool read_version(kernel_reader *r)
{
    uint32_t stage = 0;
    const ktext_token *t = &r->lx.now;
    if (!kparse_word(r, "kernel-ir"))
        return false;
    bool known = t->kind == TOKEN_NUMBER && t->size == strlen(KERNEL_TEXT_VERSION) &&
                 memcmp(t->at, KERNEL_TEXT_VERSION, t->size) == 0;
    if (!known)
        return kparse_error(r, "this library reads version %s", KERNEL_TEXT_VERSION);
    kparse_next(r);
    bool ok = kparse_kind(r, KIND_STAGE, &stage);
    r->p->stage = (k_stage)stage;
    r->p->barriers_counted = kparse_take_word(r, "barriers");
    return ok;
}

/* Fields may come in any order, and one that comes twice counts as it was said last. */
static bool field_named(const ktext_token *t, target_field *f)
{
    if (t->kind != TOKEN_WORD)
        return false;
    for (uint32_t i = 0; ktext_target_field(i, f); i++)
        if (strlen(f->name) == t->n && memcmp(f->name, t->s, t->n) == 0)
            return true;
    return false;
}

static bool read_field(kernel_reader *r, const target_field *f)
{
    uint32_t x = 1;
    kparse_next(r);
    bool ok = f->form == KIND_FLAG || kparse_mark(r, '=');
    if (ok && f->form == KIND_NAME)
        x = kparse_name(r, TOKEN_VALUE);
    else if (ok && f->form == KIND_NUMBER)
        ok = kparse_u32(r, &x);
    else if (ok && f->form != KIND_FLAG)
        ok = kparse_kind(r, f->form, &x);
    ktext_target_set(&r->p->target, f, x);
    return ok && !r->failed;
}

/* Nothing here comes from a command line: the text says all that a program is compiled for. */
static bool read_target(kernel_reader *r)
{
    target_field f;
    if (!kparse_word(r, "target"))
        return false;
    while (!r->failed && field_named(&r->lx.now, &f))
        if (!read_field(r, &f))
            return false;
    const k_target *t = &r->p->target;
    return (t->tuning.block_size && t->facts.warp_size) ||
           kparse_error(r, "a target has threads in a block and in a warp");
}

/* int, [int] or [int;2] */
static bool read_leaf_type(kernel_reader *r, vec_leaf *out, uint32_t param)
{
    leaf l = {.param = param};
    bool array = kparse_take_mark(r, '[');
    l.type = kparse_type(r);
    l.rank = array;
    if (array && kparse_take_mark(r, ';') && !kparse_u32(r, &l.rank))
        return false;
    if (l.rank > MAX_RANK || (array && !l.rank))
        return kparse_error(r, "an array has 1 to %d axes", MAX_RANK);
    return (!array || kparse_mark(r, ']')) && !r->failed && vec_push(r->m, out, l);
}

/* The leaves of a parameter or result: one type, or several in parentheses. */
static bool read_leaves(kernel_reader *r, vec_leaf *out, uint32_t param)
{
    if (!kparse_take_mark(r, '('))
        return read_leaf_type(r, out, param);
    if (kparse_take_mark(r, ')'))
        return true;
    do
        if (!read_leaf_type(r, out, param))
            return false;
    while (kparse_take_mark(r, ','));
    return kparse_mark(r, ')');
}

/* All leaves of a parameter share its name; `_` is a parameter without one. */
static bool read_input(kernel_reader *r, uint32_t param)
{
    k_program *p = r->p;
    uint32_t before = p->in.len;
    str_id name = kparse_take_word(r, "_") ? 0 : kparse_name(r, TOKEN_VALUE);
    if (!kparse_mark(r, ':') || !read_leaves(r, &p->in, param))
        return false;
    for (uint32_t i = before; i < p->in.len; i++)
        if (!vec_push(r->m, &p->origin.names, name))
            return false;
    return true;
}

static bool read_inputs(kernel_reader *r)
{
    uint32_t param = 0;
    if (!kparse_mark(r, '('))
        return false;
    if (kparse_take_mark(r, ')'))
        return true;
    do
        if (!read_input(r, param++))
            return false;
    while (kparse_take_mark(r, ','));
    return kparse_mark(r, ')');
}

/* -> int, ([int], [double]) */
static bool read_outputs(kernel_reader *r)
{
    uint32_t param = 0;
    if (kparse_is_mark(r, '{'))
        return true;
    bool arrow = r->lx.now.kind == TOKEN_ARROW;
    if (!arrow)
        return kparse_error(r, "-> or { is expected here");
    do {
        kparse_next(r);
        if (!read_leaves(r, &r->p->out, param++))
            return false;
    } while (kparse_is_mark(r, ','));
    return true;
}

static bool read_program(kernel_reader *r)
{
    if (!read_version(r) || !read_target(r))
        return false;
    r->p->origin.loc = kparse_place(r);
    if (!kparse_word(r, "program"))
        return false;
    r->p->name = kparse_name(r, TOKEN_NAME);
    if (!read_inputs(r) || !read_outputs(r))
        return false;
    r->p->host = kparse_new_block(r, 0);
    return kparse_block(r, r->p->host, 0) &&
           (r->lx.now.kind == TOKEN_END || kparse_error(r, "the text goes on behind the program"));
}

/* ---- the whole text ---- */

/* The greatest number of a value in the text, as far as there may be such. */
static uint32_t greatest_number(const char *text, size_t size)
{
    uint64_t most = NUMBERS_FREE + NUMBERS_PER_BYTE * (uint64_t)size;
    uint32_t greatest = 0;
    for (size_t i = 0; i + 1 < size; i++) {
        uint64_t x = 0;
        if (text[i] != '%')
            continue;
        while (i + 1 < size && text[i + 1] >= '0' && text[i + 1] <= '9' && x <= most)
            x = x * 10 + (uint64_t)(text[++i] - '0');
        if (x <= most && x > greatest)
            greatest = (uint32_t)x;
    }
    return greatest;
}

/* Every number up to the greatest gets an empty node, so that values keep their numbers. What is
 * not defined by the text stays K_NONE and is never in a block. */
static bool make_nodes(kernel_reader *r)
{
    k_program *p = r->p;
    uint64_t n = (uint64_t)r->most + 1;
    if (n > r->cx->limits.kernel_nodes)
        return diag_error(r->cx, DIAG_TOO_LARGE, (location){0}, "the kernel grows beyond %u nodes",
                          r->cx->limits.kernel_nodes);
    if (!vec_reserve(r->m, &p->nodes, r->most) || !vec_reserve(r->m, &p->facts, r->most))
        return false;
    memset(p->nodes.at + p->nodes.len, 0, r->most * sizeof *p->nodes.at);
    memset(p->facts.at + p->facts.len, 0, r->most * sizeof *p->facts.at);
    p->nodes.len += r->most;
    p->facts.len += r->most;
    return vec_push(r->m, &p->origin.locs, (location){0}) &&
           vec_push(r->m, &p->origin.files, r->cx->diags.sources.at[r->source].name);
}

/* Limits come before work: sizes that would overflow are refused, and the number of nodes is known
 * from one scan of the text before anything is allocated. */
bool k_read(fcl_context *cx, const char *name, const char *text, size_t size, k_program *out)
{
    kernel_reader r = {.cx = cx, .m = &cx->mem, .p = out};
    bool ok = k_init(out, cx);
    uint32_t kept = source_add(cx, name, text, size);
    ok = ok && kept && source_hold(cx, &out->origin.sources, kept - 1) &&
         size < UINT32_MAX / NUMBERS_PER_BYTE / 2;
    if (ok) {
        r.source = kept - 1;
        r.most = greatest_number(text, size);
        ktext_lex_init(&r.lx, cx->diags.sources.at[r.source].text, size);
        ok = make_nodes(&r) && read_program(&r) && !r.failed && k_verify(out, out->stage);
    }
    mem_free(r.m, r.table, r.table_cap * sizeof *r.table);
    vec_free(r.m, &r.list);
    vec_free(r.m, &r.lists);
    return ok;
}
