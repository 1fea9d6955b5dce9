/* chain and compact: their typing rules, and the levels at which its regions may work.
 *
 *     chain n, c, z { (k) (summary, rest) } { (x, y) combined }
 *                   { (k, look) before }    { (k, before, rest) chunk }
 *
 * The summary's type 'a is that of scalars, since it goes through memory from block to block; rest
 * stays in its block and may be anything.  Where the summary is an array of such, every place of it
 * has a record of its own: x and y are elements, and look takes the number of the place as well. */
#include "ir/check/levels.h"
#include "ir/check/ops.h"

enum { OWN, COMBINED, BEFORE, CHUNK }; /* the regions */
enum { COMPACT_MOST = 16 };            /* arrays written by one compact */

/* What region `which` yields must be `want`; unknown types are let pass. */
static bool gives(checker *c, ir_op o, uint32_t which, ir_type want, const char *what)
{
    ir_type t = check_yielded(c, ir_op_at(c->m, o)->regions + which, want);
    if (!t || !want || t == want)
        return t && want;
    REFUSE(c, CHAIN, "%s of this %s is %s, and its summaries are %s", what,
           ir_op_info(ir_op_at(c->m, o)->opcode)->name, TEXT(c, t), TEXT(c, want));
    return false;
}

/* What a record has in it: the summary, or an element of it. */
static ir_type record_type(const checker *c, ir_type carry)
{
    const type_node n = node_of(c, carry);
    return n.kind == TY_PULL && n.n == 1 ? n.a : carry;
}

/* The type of summaries and that of the rest, from what the first region yields. */
static bool own_types(checker *c, ir_op o, ir_type *carry, ir_type *rest)
{
    ir_type t = check_yielded(c, ir_op_at(c->m, o)->regions + OWN, 0);
    const type_node n = node_of(c, t);
    *carry = n.kind == TY_TUPLE && n.n == 2 ? type_item(c->m, t, 0) : 0;
    *rest = *carry ? type_item(c->m, t, 1) : 0;
    if (t && !*carry)
        REFUSE(c, CHAIN,
               "the first region of a %s gives a summary and what is left to do with it, a "
               "pair, not %s",
               ir_op_info(ir_op_at(c->m, o)->opcode)->name, TEXT(c, t));
    return *carry != 0;
}

/* int -> (int, summary), or int -> int -> (int, element) */
static ir_type look_type(checker *c, ir_type carry)
{
    ir_type record = record_type(c, carry), items[2] = {c->t_int, record};
    ir_type found = record ? type_tuple(c->m, items, 2) : 0;
    ir_type one = found ? type_fun(c->m, c->t_int, found) : 0;
    return one && record != carry ? type_fun(c->m, c->t_int, one) : one;
}

static void check_combined(checker *c, ir_region r, ir_type record)
{
    check_pass_param(c, r, 0, record);
    check_pass_param(c, r, 1, record);
    check_region(c, r);
}

static void check_before(checker *c, ir_region r, ir_type carry)
{
    check_pass_param(c, r, 0, c->t_int);
    check_pass_param(c, r, 1, look_type(c, carry));
    check_region(c, r);
}

static void check_chunk(checker *c, ir_region r, ir_type carry, ir_type rest)
{
    check_pass_param(c, r, 0, c->t_int);
    check_pass_param(c, r, 1, carry);
    check_pass_param(c, r, 2, rest);
    check_region(c, r);
}

/* The element of a chunk, [t]<block>; 0 after an error. */
static ir_type chunk_element(checker *c, ir_type t, const char *who)
{
    const type_node n = node_of(c, t);
    if (n.kind == TY_PUSH && n.n == 1 && n.b == level_const(LEVEL_BLOCK))
        return n.a;
    if (t) {
        REFUSE(c, CHAIN, "%s a chunk of rank 1 made by a block, not %s", who, TEXT(c, t));
        if (n.kind == TY_PULL)
            diag_hint(c->cx, "say who makes it: push<block>");
    }
    return 0;
}

/* All regions are checked even when the first one fails, with unknown types, so that their own
 * mistakes are reported too.  What the last one gives is left to the caller. */
static bool check_regions(checker *c, ir_op o)
{
    ir_region r = ir_op_at(c->m, o)->regions;
    ir_type carry, rest;
    check_pass_param(c, r + OWN, 0, c->t_int);
    check_region(c, r + OWN);
    bool known = own_types(c, o, &carry, &rest);
    ir_type start = settle_arg(c, o, 2, carry);
    check_combined(c, r + COMBINED, record_type(c, carry));
    check_before(c, r + BEFORE, carry);
    check_chunk(c, r + CHUNK, carry, rest);
    if (known && start && start != carry)
        return REFUSE(
            c, CHAIN,
            "what stands before the first chunk of this %s is %s, and its summaries are %s",
            ir_op_info(ir_op_at(c->m, o)->opcode)->name, TEXT(c, start), TEXT(c, carry));
    bool base = check_need_kind(c, record_type(c, carry), KIND_BT, DIAG_CHAIN,
                                "the type of the summaries of a chain");
    bool combined =
             gives(c, o, COMBINED, record_type(c, carry), "the combination of two summaries"),
         before = gives(c, o, BEFORE, carry, "what the third region gives");
    return base && start && combined && before;
}

ir_type check_rule_CHAIN(checker *c, ir_op o)
{
    bool ok = check_regions(c, o);
    ir_type t = check_yielded(c, ir_op_at(c->m, o)->regions + CHUNK, 0);
    ir_type elem = chunk_element(c, t, "the last region of a chain gives");
    return ok && elem ? type_push(c->m, elem, 1, level_const(LEVEL_GRID)) : 0;
}

/* ---- compact ---- */

/* [t] for (int, [t]<block>); 0 after an error. */
static ir_type compacted(checker *c, ir_type t)
{
    const type_node n = node_of(c, t);
    if (n.kind != TY_TUPLE || n.n != 2 || type_item(c->m, t, 0) != c->t_int)
        return t ? REFUSE(c, COMPACT,
                          "the last region of a compact gives where a chunk begins and the chunk, "
                          "a pair, not %s",
                          TEXT(c, t))
                 : 0;
    ir_type elem = chunk_element(c, type_item(c->m, t, 1), "beside its position, a compact gives");
    return elem ? type_pull(c->m, elem, 1) : 0;
}

/* A pair whose first component is no pair is one chunk; a tuple of pairs so many. */
static ir_type compacted_all(checker *c, ir_type t)
{
    const type_node n = node_of(c, t);
    ir_type items[COMPACT_MOST];
    if (n.kind != TY_TUPLE || node_of(c, type_item(c->m, t, 0)).kind != TY_TUPLE)
        return compacted(c, t);
    if (n.n > COMPACT_MOST)
        return REFUSE(c, COMPACT, "a compact writes %d arrays at most, and these are %u",
                      COMPACT_MOST, n.n);
    for (uint32_t i = 0; i < n.n; i++)
        if (!(items[i] = compacted(c, type_item(c->m, t, i))))
            return 0;
    return type_tuple(c->m, items, n.n);
}

ir_type check_rule_COMPACT(checker *c, ir_op o)
{
    bool ok = check_regions(c, o);
    ir_type t = compacted_all(c, check_yielded(c, ir_op_at(c->m, o)->regions + CHUNK, 0));
    return ok ? t : 0;
}

/* ---- levels ---- */

/* Blocks make the chunks; a single thread combines two summaries to publish the result. */
void check_work_CHAIN(checker *c, ir_op o)
{
    ir_region r = ir_op_at(c->m, o)->regions;
    ir_level block = level_const(LEVEL_BLOCK);
    check_require(c, check_region_effect(c, r + OWN), block, WHY_CHAIN, o);
    check_require(c, check_region_effect(c, r + COMBINED), level_const(LEVEL_THREAD), WHY_COMBINE,
                  o);
    check_require(c, check_region_effect(c, r + BEFORE), block, WHY_CHAIN, o);
    check_set_latent(c, ir_region_at(c->m, r + CHUNK)->params + 1,
                     check_yielded_latent(c, r + BEFORE));
    check_set_latent(c, ir_region_at(c->m, r + CHUNK)->params + 2,
                     check_yielded_latent(c, r + OWN));
    check_require(c, check_region_effect(c, r + CHUNK), block, WHY_CHAIN, o);
    check_add_effect(
        c, check_effect_one(&c->cx->mem, &c->levels->effects, level_const(LEVEL_GRID), o));
}
