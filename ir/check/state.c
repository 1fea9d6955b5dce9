/* The typing rules of loops that hand on a state: while, repeat, mapaccum.
 *
 *     S ::= t of kind BT | [t;r]<l> | (S, ..., S)        forced(t) = t
 *                                                        forced([t;r]<l>) = [t;r]
 *                                                        forced((S, ...)) = (forced(S), ...)
 *
 * What the loop starts with and what each step gives are of one type S, all its arrays of one level
 * l, at which the rounds work; what the regions receive, and the result, is forced(S), its arrays
 * in memory.  A state without arrays works nowhere by itself.  Of while and repeat, the arrays may
 * all be pull arrays, of elements of kind BT: then S is forced(S), and the loop a collective; so it
 * is of what reduce and streamred combine.  Recursion follows the nesting of the type, which is
 * bounded. */
#include "ir/check/levels.h"
#include "ir/check/ops.h"

typedef struct state {
    ir_type type, forced;    /* 0: unknown */
    ir_level level;          /* of its push arrays; 0: there is none */
    bool may_push, may_pull; /* which arrays it may have */
    bool pulls;              /* has pull arrays */
} state;

ir_level check_state_level(const checker *c, ir_type t)
{
    const type_node n = *ir_type_at(c->m, t);
    ir_level l = n.kind == TY_PUSH ? n.b : 0;
    for (uint32_t i = 0; n.kind == TY_TUPLE && i < n.n && !l; i++)
        l = check_state_level(c, type_item(c->m, t, i));
    return l;
}

static ir_type forced(checker *c, ir_op o, ir_type t, state *st);

static ir_type forced_tuple(checker *c, ir_op o, ir_type t, state *st)
{
    enum { FEW = 16 };
    ir_type few[FEW], r = 0;
    uint32_t n = ir_type_at(c->m, t)->n, k = 0;
    mem *mm = &c->cx->mem;
    ir_type *items = n <= FEW ? few : mem_resize(mm, NULL, 0, n * sizeof *items);
    while (items && k < n && (items[k] = forced(c, o, type_item(c->m, t, k), st)))
        k++;
    if (items && k == n)
        r = type_tuple(c->m, items, n);
    if (items != few)
        mem_free(mm, items, n * sizeof *items);
    return r;
}

static const char *name_of(const checker *c, ir_op o)
{
    return ir_op_info(ir_op_at(c->m, o)->opcode)->name;
}

static ir_type refuse_mixture(checker *c, ir_op o)
{
    REFUSE(c, STATE, "the state of this %s has both push arrays and pull arrays", name_of(c, o));
    diag_hint(c->cx, "push all its arrays at one level, or none of them");
    return 0;
}

static ir_type forced_push(checker *c, ir_op o, ir_type t, state *st)
{
    const type_node a = node_of(c, t);
    if (!st->may_push)
        return REFUSE(c, NOT_PULL, "%s combines scalars and pull arrays, and %s is a push array",
                      name_of(c, o), TEXT(c, t));
    if (st->pulls)
        return refuse_mixture(c, o);
    if (st->level && st->level != a.b) {
        REFUSE(c, STATE, "the state of this %s has arrays of the levels %s and %s", name_of(c, o),
               level_str(c->m, st->level), level_str(c->m, a.b));
        diag_hint(c->cx, "all its arrays are written in one round, so push them at one level");
        return 0;
    }
    st->level = a.b;
    return type_pull(c->m, a.a, a.n);
}

static ir_type forced_pull(checker *c, ir_op o, ir_type t, state *st)
{
    if (!st->may_pull) {
        REFUSE(c, NOT_PUSH,
               "%s takes push arrays and scalars, and %s is a pull array, without an iteration "
               "scheme",
               name_of(c, o), TEXT(c, t));
        diag_hint(c->cx, "choose the level that works on it first, for example push<block>");
        return 0;
    }
    if (st->level)
        return refuse_mixture(c, o);
    st->pulls = true;
    return check_need_kind(c, node_of(c, t).a, KIND_BT, DIAG_STATE,
                           "the element of an array in a state")
               ? t
               : 0;
}

/* 0 with a diagnostic when a component is none of the three. */
static ir_type forced(checker *c, ir_op o, ir_type t, state *st)
{
    switch ((type_kind)node_of(c, t).kind) {
    case TY_TUPLE: return forced_tuple(c, o, t, st);
    case TY_PUSH: return forced_push(c, o, t, st);
    case TY_PULL: return forced_pull(c, o, t, st);
    default:
        return check_need_kind(c, t, KIND_BT, DIAG_STATE, "what is in a state and no array") ? t
                                                                                             : 0;
    }
}

bool check_is_pull_state(checker *c, ir_op o, ir_type t)
{
    state st = {.may_pull = true};
    return t && forced(c, o, t, &st);
}

/* The state that operand k starts with; a literal becomes what is written for the parameter of
 * region r that receives it. */
static state start_of(checker *c, ir_op o, uint32_t k, ir_region r, uint32_t param)
{
    const value_node s = *ir_value_at(c->m, ir_region_at(c->m, r)->params + param);
    state st = {.type = settle_arg(c, o, k, s.annotated ? s.type : 0),
                .may_push = true,
                .may_pull = ir_op_at(c->m, o)->opcode != OP_MAPACCUM};
    st.forced = st.type ? forced(c, o, st.type, &st) : 0;
    return st;
}

/* A step that gives another type could not be the start of the next round. */
static ir_type after_step(checker *c, ir_op o, const state *s, ir_region step)
{
    ir_type next = check_yielded(c, step, s->type);
    if (next && s->forced && next != s->type)
        return REFUSE(c, WHILE_STEP, "the %s started with %s, but its step gives %s",
                      ir_op_info(ir_op_at(c->m, o)->opcode)->name, TEXT(c, s->type), TEXT(c, next));
    return s->forced;
}

ir_type check_rule_WHILE(checker *c, ir_op o)
{
    ir_region r = ir_op_at(c->m, o)->regions;
    state s = start_of(c, o, 0, r, 0);
    for (uint32_t i = 0; i < 2; i++) {
        check_pass_param(c, r + i, 0, s.forced);
        check_region(c, r + i);
    }
    ir_type cond = check_yielded(c, r, c->t_bool);
    if (cond && cond != c->t_bool)
        return REFUSE(c, CONDITION, "the condition of a while must be a bool, and is %s",
                      TEXT(c, cond));
    return after_step(c, o, &s, r + 1);
}

/* A while that counts: figure 3 has only the former. */
ir_type check_rule_REPEAT(checker *c, ir_op o)
{
    ir_region r = ir_op_at(c->m, o)->regions;
    state s = start_of(c, o, 1, r, 1);
    check_pass_param(c, r, 0, c->t_int);
    check_pass_param(c, r, 1, s.forced);
    check_region(c, r);
    return after_step(c, o, &s, r);
}

/* ---- mapaccum ---- */

/* What the region gives: the element and level of the chunks, when the state stays of its type. */
static bool chunk_and_state(checker *c, ir_type t, const state *s, type_node *chunk)
{
    const type_node pair = node_of(c, t);
    *chunk = node_of(c, pair.kind == TY_TUPLE && pair.n == 2 ? type_item(c->m, t, 0) : 0);
    if (chunk->kind == TY_PUSH && chunk->n == 1 && type_item(c->m, t, 1) == s->type)
        return true;
    REFUSE(c, MAPACCUM,
           "the region of a mapaccum gives a push array of rank 1 and the next state, %s, and this "
           "one %s",
           TEXT(c, s->type), TEXT(c, t));
    if (chunk->kind == TY_PULL)
        diag_hint(c->cx, "say at which level each chunk is written, for example push<block>");
    return false;
}

/* The arrays of the state are written with each chunk, by the same level. */
ir_type check_rule_MAPACCUM(checker *c, ir_op o)
{
    ir_region r = ir_op_at(c->m, o)->regions;
    type_node chunk;
    state s = start_of(c, o, 2, r, 1);
    check_pass_param(c, r, 0, c->t_int);
    check_pass_param(c, r, 1, s.forced);
    check_region(c, r);
    ir_type t = check_yielded(c, r, 0);
    if (!t || !s.forced || !chunk_and_state(c, t, &s, &chunk))
        return 0;
    if (s.level && s.level != chunk.b)
        return REFUSE(c, MAPACCUM,
                      "the chunks of this mapaccum are made at level %s, and the arrays of its "
                      "state at level %s",
                      level_str(c->m, chunk.b), level_str(c->m, s.level));
    return type_push(c->m, chunk.a, 1, chunk.b);
}
