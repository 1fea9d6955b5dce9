/* The turnstile: at which level work may be done (rule 30 and figure 3 of the paper;
 * docs/rooms/check.md).
 *
 * In administrative normal form the subexpressions of a concat stand outside of it, so what the
 * paper writes on the turnstile is kept as effects here.  Computing the elements of a pull array,
 * or applying a function, has a latent effect; force, while, concat and interleave have one where
 * they stand.  Elements of a push array are computed by single threads, so push needs an array
 * whose latent effect is at most at thread level; concat to 1+l needs parts that work at l at most.
 * The latent effects of a function's parameters are atoms: what is required of them is checked at
 * each call.
 *
 * Walks each function once more after its types; tolerates unknown types.
 *
 * This is an effect system with latent effects on function and array types, computed bottom-up
 * (a summary for each function) rather than annotated; effect polymorphism is the atoms.  Where
 * the paper's rule 30 restricts what stands inside a concat, a requirement compares an effect
 * with a bound.  Cost is linear in the module but for sets, which grow with level variables and
 * parameters only. */
#include "ir/check/levels.h"

#include <stdio.h>
#include <string.h>

static mem *memory(checker *c)
{
    return &c->cx->mem;
}

/* ---- latents ---- */

/* Latent 0 does nothing, now or later. */
latent check_latent_of(const checker *c, ir_value v)
{
    const levels *lv = c->levels;
    return lv->latents.at[v < lv->of_value.len ? lv->of_value.at[v] : 0];
}

/* Elements of elements, results of results: an array or a function is one stage, its element or
 * result the next.  A variable of kind BT stands for scalars, which do nothing; any other may stand
 * for anything.  Bounded by STAGES whatever the type's depth. */
uint32_t check_stages_of(const checker *c, ir_type t)
{
    uint32_t n = 0;
    for (; n < STAGES; n++) {
        const type_node *d = ir_type_at(c->m, t);
        while (d->kind == TY_FORALL)
            d = ir_type_at(c->m, t = d->a);
        switch ((type_kind)d->kind) {
        case TY_PULL:
        case TY_LVLFN: t = d->a; break;
        case TY_FUN: t = d->b; break;
        case TY_VAR: return ir_kind_within((kind)c->m->tvars.at[d->a].kind, KIND_BT) ? n : STAGES;
        case TY_BOUND: return STAGES;
        case TY_TUPLE: {
            uint32_t most = 0;
            for (uint32_t i = 0; i < d->n; i++) {
                uint32_t k = check_stages_of(c, c->m->type_items.at[d->a + i]);
                most = k > most ? k : most;
            }
            return n + most < STAGES ? n + most : STAGES;
        }
        default: return n;
        }
    }
    return n;
}

/* Values that do nothing, most of them, have no entry. */
void check_set_latent(checker *c, ir_value v, latent l)
{
    levels *lv = c->levels;
    uint32_t any = l.closure;
    for (uint32_t k = 0; k < STAGES; k++)
        any |= l.stage[k];
    for (uint32_t k = any ? check_stages_of(c, ir_value_at(c->m, v)->type) : STAGES; k < STAGES;
         k++)
        l.stage[k] = 0;
    if (any && v < lv->of_value.len && vec_push(memory(c), &lv->latents, l))
        lv->of_value.at[v] = lv->latents.len - 1;
}

/* The union, without a look at either where they are the same. */
effect_set check_join(checker *c, effect_set a, effect_set b)
{
    return a == b ? a : check_effect_union(memory(c), &c->levels->effects, a, b);
}

void check_add_effect(checker *c, effect_set s)
{
    check_sum_add(memory(c), &c->levels->effects, c->levels->sum, s);
}

static latent join_latents(checker *c, latent a, latent b)
{
    latent r = {0};
    for (uint32_t k = 0; k < STAGES; k++)
        r.stage[k] = check_join(c, a.stage[k], b.stage[k]);
    return r;
}

latent check_join_args(checker *c, ir_op o)
{
    latent r = {0};
    effect_table *t = &c->levels->effects;
    for (uint32_t s = 0; s < STAGES; s++) {
        uint32_t sum = check_sum_begin(t);
        for (uint32_t k = 0; k < ir_op_at(c->m, o)->nargs; k++)
            check_sum_add(memory(c), t, sum, check_latent_of(c, ir_arg(c->m, o, k)).stage[s]);
        r.stage[s] = check_sum_end(memory(c), t, sum);
    }
    return r;
}

/* The last stage stands for all deeper ones, so it stays. */
latent check_after_use(checker *c, latent l)
{
    (void)c;
    latent r = {0};
    memcpy(r.stage, l.stage + 1, (STAGES - 1) * sizeof *r.stage);
    r.stage[STAGES - 1] = l.stage[STAGES - 1];
    return r;
}

/* The latent of something that does s and then is l. */
static latent before(checker *c, effect_set s, latent l)
{
    latent r = {.stage = {s}};
    memcpy(r.stage + 1, l.stage, (STAGES - 1) * sizeof *r.stage);
    r.stage[STAGES - 1] = check_join(c, r.stage[STAGES - 1], l.stage[STAGES - 1]);
    return r;
}

/* Of operand k; a literal has none. */
static latent arg_latent(const checker *c, ir_op o, uint32_t k)
{
    return check_latent_of(c, ir_arg(c->m, o, k));
}

/* Immediate work, in the region being walked.  An unknown level is silent. */
static void work_at(checker *c, ir_level l, ir_op o)
{
    if (l)
        check_add_effect(c, check_effect_one(memory(c), &c->levels->effects, l, o));
}

/* ---- requirements ---- */

static diag_code code_of(why w)
{
    static const diag_code codes[] = {
        [WHY_PUSH] = DIAG_LEVEL_PUSH,      [WHY_CONCAT] = DIAG_LEVEL_CONCAT,
        [WHY_MAP] = DIAG_LEVEL_MAP,        [WHY_POSITION] = DIAG_LEVEL_POSITION,
        [WHY_SEQFOR] = DIAG_LEVEL_SEQFOR,  [WHY_ELEMENT] = DIAG_LEVEL_ELEMENT,
        [WHY_CHAIN] = DIAG_LEVEL_CHAIN,    [WHY_COMBINE] = DIAG_LEVEL_CHAIN,
        [WHY_UNKNOWN] = DIAG_LEVEL_UNKNOWN};
    return codes[w];
}

static const char *sentence_of(why w)
{
    static const char *const sentences[] = {
        [WHY_PUSH] = "an element of the pushed array does work at level %s, but elements are "
                     "computed by single "
                     "threads, at level %s",
        [WHY_CONCAT] = "a part of what is joined here does work at level %s, but the parts may do "
                       "work at level %s at most",
        [WHY_MAP] = "the region does work at level %s, but elements of a push array are computed "
                    "by single threads, at "
                    "level %s",
        [WHY_POSITION] = "the region does work at level %s, but positions are computed by single "
                         "threads, at level %s",
        [WHY_SEQFOR] = "the region does work at level %s, but the steps of a seqfor are done by a "
                       "single thread, at level %s",
        [WHY_ELEMENT] = "work at level %s is done here for an element that is written, but "
                        "that is done by single "
                        "threads, at level %s",
        [WHY_CHAIN] =
            "the region does work at level %s, but a chunk of a chain is made at level %s",
        [WHY_COMBINE] = "the region does work at level %s, but summaries are combined by a single "
                        "thread, at level %s",
        [WHY_UNKNOWN] = "what is passed to a function that is not known here does work at level "
                        "%s, where only %s is "
                        "always allowed"};
    return sentences[w];
}

static const char *name_of(const checker *c, ir_op o)
{
    return ir_op_info(ir_op_at(c->m, o)->opcode)->name;
}

/* Where the requirement is (here, or in a callee), and where the work is that breaks it. */
static void report(checker *c, effect e, ir_level bound, why w, ir_op op)
{
    char text[256];
    snprintf(text, sizeof text, sentence_of(w), level_str(c->m, e.key), level_str(c->m, bound));
    diag_error(c->cx, code_of(w), check_here(c), "%s", text);
    if (op != c->op)
        diag_note_add(
            c->cx, ir_op_loc(c->m, op), "this %s in @%s asks for it", name_of(c, op),
            ir_str(c->m,
                   ir_func_at(c->m, ir_region_at(c->m, ir_op_at(c->m, op)->parent)->func)->name));
    diag_note_add(c->cx, ir_op_loc(c->m, e.origin), "this %s works at level %s",
                  name_of(c, e.origin), level_str(c->m, e.key));
    if (level_base(e.key) == LV_VAR)
        diag_hint(c->cx, "a level parameter may be any level; a constant level below, or the same "
                         "parameter, can be compared");
    else
        diag_hint(c->cx, "do that work at level %s or below, or move it out of here",
                  level_str(c->m, bound));
}

/* Notes a requirement on a parameter, unless one for it says as much already. */
static void postpone(checker *c, uint32_t atom, ir_level bound, why w, ir_op op)
{
    levels *lv = c->levels;
    uint32_t *last = &lv->pending.at[atom & ~ATOM];
    for (uint32_t i = *last; i; i = lv->reqs.at[i - 1].next)
        if (check_level_at_most(lv->reqs.at[i - 1].bound, bound))
            return;
    requirement r = {.atom = atom, .bound = bound, .op = op, .next = *last, .why = w};
    if (vec_push(memory(c), &lv->reqs, r))
        *last = lv->reqs.len;
}

/* A requirement of the same set and bound is asked for again and again where a value is used often:
 * the cache answers those.  Only the first effect that breaks it is reported. */
void check_require(checker *c, effect_set s, ir_level bound, why w, ir_op op)
{
    const effect_table *t = &c->levels->effects;
    struct asked *a = &c->levels->asked[(s ^ bound) % 64];
    bool reported = false;
    if (a->set == s && a->bound == bound)
        return;
    for (uint32_t i = 0; i < check_effect_count(t, s); i++) {
        effect e = check_effect_at(t, s, i);
        if (e.key & ATOM) {
            postpone(c, e.key, bound, w, op);
        } else if (!reported && !check_level_at_most(e.key, bound)) {
            report(c, e, bound, w, op);
            reported = true;
        }
    }
    if (!reported)
        *a = (struct asked){s, bound};
}

/* Each stage that the type can have gets an atom: "what stage k of parameter p does".  A parameter
 * counts when there is room for its atoms, since every atom has an entry of `pending`. */
void check_name_param(checker *c, ir_value v)
{
    levels *lv = c->levels;
    latent l = {0};
    if (!vec_reserve(memory(c), &lv->pending, STAGES))
        return;
    uint32_t number = lv->nparams++;
    for (uint32_t k = 0; k < STAGES; k++)
        lv->pending.at[lv->pending.len++] = 0;
    uint32_t n = check_stages_of(c, ir_value_at(c->m, v)->type);
    for (uint32_t k = 0; k < n && number < ATOM / STAGES; k++)
        l.stage[k] = check_effect_one(memory(c), &lv->effects, ATOM | (number * STAGES + k), 0);
    check_set_latent(c, v, l);
}

/* ---- regions ---- */

/* The sums nest as regions do: the outer one waits. */
effect_set check_region_effect(checker *c, ir_region r)
{
    levels *lv = c->levels;
    uint32_t outer = lv->sum;
    lv->sum = check_sum_begin(&lv->effects);
    check_walk_region(c, r);
    effect_set s = check_sum_end(memory(c), &lv->effects, lv->sum);
    lv->sum = outer;
    return s;
}

latent check_yielded_latent(const checker *c, ir_region r)
{
    return arg_latent(c, ir_region_at(c->m, r)->last, 0);
}

static const type_node *array_at(const checker *c, ir_op o, uint32_t k)
{
    return ir_type_at(c->m, arg_type(c, o, k));
}

/* 0 when it is no push array: then there is nothing to compare. */
static ir_level level_of_push(const checker *c, ir_type t)
{
    const type_node *n = ir_type_at(c->m, t);
    return n->kind == TY_PUSH ? n->b : 0;
}

/* ---- the rules ---- */

/* One set of stages for all components: which one is taken out later may not be known. */
void check_work_TUPLE(checker *c, ir_op o)
{
    check_set_latent(c, ir_op_at(c->m, o)->result, check_join_args(c, o));
}

/* A component of a tuple that was made here is known exactly. */
void check_work_PROJ(checker *c, ir_op o)
{
    ir_module *m = c->m;
    const value_node *tuple = ir_value_at(m, ir_arg(m, o, 0));
    bool made_here = tuple->kind == V_RESULT && ir_op_at(m, tuple->def)->opcode == OP_TUPLE;
    latent l = made_here ? arg_latent(c, tuple->def, (uint32_t)ir_const_bits(m, ir_arg(m, o, 1)))
                         : arg_latent(c, o, 0);
    check_set_latent(c, ir_op_at(m, o)->result, l);
}

/* The operands are the elements; to make an element nothing is left to do, hence stage 0 is
 * empty. */
void check_work_ARRAY(checker *c, ir_op o)
{
    check_set_latent(c, ir_op_at(c->m, o)->result, before(c, 0, check_join_args(c, o)));
}

/* Whether the region's value has no latent effect: scalars, and most of what is computed from
 * them. */
static bool yields_nothing(const checker *c, ir_region r)
{
    ir_value v = ir_arg(c->m, ir_region_at(c->m, r)->last, 0);
    return v >= c->levels->of_value.len || c->levels->of_value.at[v] == 0;
}

/* Either branch may be taken, so its value does what either does. */
void check_work_IF(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    check_walk_region(c, n.regions);
    check_walk_region(c, n.regions + 1);
    if (yields_nothing(c, n.regions) && yields_nothing(c, n.regions + 1))
        return;
    check_set_latent(c, n.result,
                     join_latents(c, check_yielded_latent(c, n.regions),
                                  check_yielded_latent(c, n.regions + 1)));
}

void check_work_ASSERT(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    check_walk_region(c, n.regions);
    if (!yields_nothing(c, n.regions))
        check_set_latent(c, n.result, check_yielded_latent(c, n.regions));
}

/* The region's effect is delayed: it happens for each element, when that is computed. */
void check_work_GENERATE(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    effect_set s = check_region_effect(c, n.regions);
    check_set_latent(c, n.result, before(c, s, check_yielded_latent(c, n.regions)));
}

/* Computing an element here makes the array's latent effect immediate. */
void check_work_INDEX(checker *c, ir_op o)
{
    latent l = arg_latent(c, o, 0);
    check_add_effect(c, l.stage[0]);
    check_set_latent(c, ir_op_at(c->m, o)->result, check_after_use(c, l));
}

/* An element of the result computes one of the operand and then runs the region. */
void check_work_MAP(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    latent l = arg_latent(c, o, 0);
    check_set_latent(c, ir_region_at(c->m, n.regions)->params, check_after_use(c, l));
    effect_set s = check_region_effect(c, n.regions);
    if (array_at(c, o, 0)->kind == TY_PUSH)
        check_require(c, s, level_const(LEVEL_THREAD), WHY_MAP, o);
    else
        check_set_latent(
            c, n.result,
            before(c, check_join(c, l.stage[0], s), check_yielded_latent(c, n.regions)));
}

void check_work_PUSH(checker *c, ir_op o)
{
    check_require(c, arg_latent(c, o, 0).stage[0], level_const(LEVEL_THREAD), WHY_PUSH, o);
}

/* Rules 39 to 42 do the work at the array's level, here and now. */
void check_work_FORCE(checker *c, ir_op o)
{
    work_at(c, level_of_push(c, arg_type(c, o, 0)), o);
}

/* One thread writes one element after the other. */
void check_work_SEQFOR(checker *c, ir_op o)
{
    check_require(c, check_region_effect(c, ir_op_at(c->m, o)->regions), level_const(LEVEL_THREAD),
                  WHY_SEQFOR, o);
}

/* What is written to memory, elements of pull arrays among it, is computed by single threads. */
static void written(checker *c, latent l, ir_op o)
{
    check_require(c, l.stage[0], level_const(LEVEL_THREAD), WHY_ELEMENT, o);
}

/* The rounds work at the level of the arrays, if they have one; what the region does is immediate,
 * in each round. */
void check_work_REPEAT(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    work_at(c, check_state_level(c, arg_type(c, o, 1)), o);
    written(c, arg_latent(c, o, 1), o);
    check_walk_region(c, n.regions);
    written(c, check_yielded_latent(c, n.regions), o);
}

void check_work_WHILE(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    work_at(c, check_state_level(c, arg_type(c, o, 0)), o);
    written(c, arg_latent(c, o, 0), o);
    check_walk_region(c, n.regions);
    check_walk_region(c, n.regions + 1);
    written(c, check_yielded_latent(c, n.regions + 1), o);
}

/* Elements of what is handed out are written, by single threads. */
void check_work_EMIT(checker *c, ir_op o)
{
    written(c, arg_latent(c, o, 0), o);
}

/* Elements of the operands, and what the regions make of them, are computed by single threads.  The
 * last operand's are what regions with one parameter and the second one of others take. */
void check_work_COLLECTIVE(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    const latent l = check_after_use(c, arg_latent(c, o, n.nargs - 1u));
    for (uint32_t k = 0; k < n.nargs; k++)
        written(c, arg_latent(c, o, k), o);
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++) {
        const region_node r = *ir_region_at(c->m, n.regions + i);
        if (i == 0)
            check_set_latent(c, r.params + r.nparams - 1, l);
        check_require(c, check_region_effect(c, n.regions + i), level_const(LEVEL_THREAD),
                      WHY_ELEMENT, o);
        written(c, check_yielded_latent(c, n.regions + i), o);
    }
}

/* The same, at the level of the array where it is a push array. */
void check_work_ACCUMULATE(checker *c, ir_op o)
{
    check_work_COLLECTIVE(c, o);
    work_at(c, level_of_push(c, arg_type(c, o, ir_op_at(c->m, o)->nargs - 1u)), o);
}

/* A chunk's value may be the work of any level: what the first region does is immediate. */
void check_work_STREAM(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    if (n.nargs > 1)
        written(c, arg_latent(c, o, 0), o);
    check_walk_region(c, n.regions);
    written(c, check_yielded_latent(c, n.regions), o);
    if (ir_op_info(n.opcode)->regions == 1)
        return;
    check_require(c, check_region_effect(c, n.regions + 1), level_const(LEVEL_THREAD), WHY_ELEMENT,
                  o);
    written(c, check_yielded_latent(c, n.regions + 1), o);
}

/* The rounds work where the result is written. */
void check_work_MAPACCUM(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    ir_level l = level_of_push(c, ir_value_at(c->m, n.result)->type);
    effect_set s = check_region_effect(c, n.regions);
    if (l)
        check_require(c, s, l, WHY_CONCAT, o);
    work_at(c, l, o);
}

/* The parts of a concat or interleave, operand k, at l; the whole at the level of the result.  That
 * is rule 30's premise for e2 at gamma and its conclusion at 1+gamma. */
static void join_parts(checker *c, ir_op o, uint32_t k)
{
    const type_node *xss = array_at(c, o, k);
    ir_level l = xss->kind == TY_PULL ? level_of_push(c, xss->a) : 0;
    if (!l)
        return;
    check_require(c, arg_latent(c, o, k).stage[0], l, WHY_CONCAT, o);
    work_at(c, level_of_push(c, ir_value_at(c->m, ir_op_at(c->m, o)->result)->type), o);
}

void check_work_CONCAT(checker *c, ir_op o)
{
    join_parts(c, o, 1);
}

/* Each thread computes the position of what it writes. */
void check_work_INTERLEAVE(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    check_require(c, check_region_effect(c, n.regions), level_const(LEVEL_THREAD), WHY_POSITION, o);
    join_parts(c, o, n.nargs - 1u);
}

/* Operators without effects, now or later. */
void check_work_NONE(checker *c, ir_op o)
{
    (void)c;
    (void)o;
}

/* Scalar operators have none: an entry that is missing here is theirs. */
static work_rule *const rules[OP_END] = {
#define OP(e, wire, name, min, max, regions, attr, result, since, kinds, params, effect, level,    \
           ...)                                                                                    \
    [OP_##e] = check_work_##level,
#include "ir/ops.def"
#undef OP
};

/* In order, after types: what an operand does is known when it is used.  Recursion follows
 * regions. */
void check_walk_region(checker *c, ir_region r)
{
    ir_op outer = c->op;
    for (ir_op o = ir_region_at(c->m, r)->first; o;) {
        const op_node *n = ir_op_at(c->m, o);
        work_rule *rule = rules[n->opcode];
        c->op = o;
        o = n->next;
        if (rule)
            rule(c, c->op);
    }
    c->op = outer;
}

/* ---- functions ---- */

/* The turnstile of a kernel, the gamma of its typing judgement, is the level of its result: a block
 * cannot wait for work of a grid.  One error for each kernel. */
static void check_turnstile(checker *c, ir_func f, effect_set effects)
{
    const func_node *fn = ir_func_at(c->m, f);
    const effect_table *t = &c->levels->effects;
    ir_level top = level_const(type_turnstile(c->m, fn->result));
    for (uint32_t i = 0; i < check_effect_count(t, effects); i++) {
        effect e = check_effect_at(t, effects, i);
        if ((e.key & ATOM) || check_level_at_most(e.key, top))
            continue;
        c->op = ir_region_at(c->m, fn->body)->last;
        diag_error(c->cx, DIAG_LEVEL_KERNEL, check_here(c),
                   "the result of this kernel is made at level %s, but it does work at level %s",
                   level_str(c->m, top), level_str(c->m, e.key));
        diag_note_add(c->cx, ir_op_loc(c->m, e.origin), "this %s works at level %s",
                      name_of(c, e.origin), level_str(c->m, e.key));
        diag_hint(c->cx, "make the result at level %s", level_str(c->m, e.key));
        break;
    }
    c->op = 0;
}

/* Starts a function: nothing of the one before is needed but its summary. */
static void begin(levels *lv)
{
    lv->latents.len = lv->closures.len = 1;
    lv->data.len = lv->fns.len = lv->fn_reqs.len = lv->pending.len = 0;
    lv->first_req = lv->reqs.len;
    lv->nparams = 0;
    lv->sum = 0;
    memset(lv->asked, 0, sizeof lv->asked);
}

/* Requirements that inner fns took over are dropped; the others belong to the summary. */
static void keep_requirements(levels *lv, summary *s)
{
    uint32_t n = lv->first_req;
    for (uint32_t i = lv->first_req; i < lv->reqs.len; i++)
        if (lv->reqs.at[i].atom)
            lv->reqs.at[n++] = lv->reqs.at[i];
    lv->reqs.len = n;
    s->reqs = lv->first_req;
    s->nreqs = n - lv->first_req;
}

/* The sets made meanwhile are dropped but for those of the summary; latents of values die with the
 * function. */
void check_levels_function(checker *c, ir_func f)
{
    levels *lv = c->levels;
    const func_node fn = *ir_func_at(c->m, f);
    const region_node body = *ir_region_at(c->m, fn.body);
    uint32_t sets = lv->effects.sets.len, effects = lv->effects.effects.len;
    begin(lv);
    for (uint32_t i = 0; i < body.nparams; i++)
        check_name_param(c, body.params + i);
    effect_set done = check_region_effect(c, fn.body);
    if (fn.kernel)
        check_turnstile(c, f, done);
    summary *s = &lv->funcs.at[f];
    latent result = check_yielded_latent(c, fn.body);
    memcpy(s->result, result.stage, sizeof s->result);
    s->effect = done;
    keep_requirements(lv, s);
    effect_set *keep[1 + STAGES] = {&s->effect};
    for (uint32_t k = 0; k < STAGES; k++)
        keep[k + 1] = &s->result[k];
    check_effects_drop(memory(c), &lv->effects, sets, effects, keep, 1 + STAGES);
}

/* Summaries of all functions exist from the start, empty: a callee that could not be checked does
 * nothing, so that one error is not followed by others. */
bool check_levels_init(checker *c)
{
    mem *mm = memory(c);
    levels *lv = c->levels = mem_resize(mm, NULL, 0, sizeof *lv);
    if (!lv)
        return false;
    *lv = (levels){0};
    if (!check_effects_init(mm, &lv->effects) || !vec_push(mm, &lv->latents, (latent){0}) ||
        !vec_push(mm, &lv->closures, (closure){0}) ||
        !vec_reserve(mm, &lv->of_value, c->m->values.len) ||
        !vec_reserve(mm, &lv->funcs, c->m->funcs.len))
        return false;
    lv->of_value.len = c->m->values.len;
    memset(lv->of_value.at, 0, c->m->values.len * sizeof *lv->of_value.at);
    for (ir_func f = 0; f < c->m->funcs.len; f++) {
        const func_node *fn = ir_func_at(c->m, f);
        lv->funcs.at[lv->funcs.len++] = (summary){.nparams = ir_region_at(c->m, fn->body)->nparams,
                                                  .tvars = fn->tparams + fn->ntypes,
                                                  .nlevels = fn->nlevels};
    }
    return true;
}

void check_levels_free(checker *c)
{
    mem *mm = memory(c);
    levels *lv = c->levels;
    if (!lv)
        return;
    check_effects_free(mm, &lv->effects);
    vec_free(mm, &lv->of_value);
    vec_free(mm, &lv->latents);
    vec_free(mm, &lv->closures);
    vec_free(mm, &lv->data);
    vec_free(mm, &lv->funcs);
    vec_free(mm, &lv->fns);
    vec_free(mm, &lv->reqs);
    vec_free(mm, &lv->fn_reqs);
    vec_free(mm, &lv->pending);
    mem_free(mm, lv, sizeof *lv);
}
