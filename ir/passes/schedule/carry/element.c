/* An element of an array of the turn, at a place: what it is computed from is run there, once for
 * each place, and what does nothing but say where elements are is gone.
 *
 * Arrays of the turn are not made: an element is asked for where somebody needs it, and kept in the
 * region in which that was.  Costs what is made, which is bounded. */
#include "ir/data.h"
#include "ir/passes/schedule/carry/carry.h"
#include "ir/scheduled.h"

enum {
    MOST_BUILT = 1024, /* operations of a thread's turn */
    MOST_DEEP = 128,   /* arrays that are described by arrays */
    MOST_CALLED =
        32 /* operations of a function that gives a scalar of the turn: each thread does them */
};

static const char elsewhere[] = "an element is not computed from its own place alone",
                  too_much[] = "a turn has more than short work on scalars and the descriptions of "
                               "arrays that hang on what is carried";

static mem *memory(const carrying *c)
{
    return &c->s->m->cx->mem;
}

/* ---- what is built ---- */

static bool is_open(const carrying *c, ir_region r)
{
    for (uint32_t i = 0; i < c->nopen; i++)
        if (c->open[i] == r)
            return true;
    return false;
}

static ir_value nothing(carrying *c, const char *why)
{
    carry_refuse(c, why);
    return 0;
}

static bool may_build(carrying *c)
{
    return carry_goes_on(c) && (c->built++ < MOST_BUILT || carry_refuse(c, too_much));
}

static ir_value copied(carrying *c, ir_op o);

/* Arrays of the turn are none of them but those of operands and constants, which are made where
 * they are used. */
ir_value carry_now(carrying *c, ir_value v)
{
    meaning is = carry_meaning(c, v);
    if (!carry_goes_on(c))
        return 0;
    if (is.kind == MEANS_ITSELF)
        return v;
    ir_op o = is.kind == MEANS_ARRAY ? made_by(c->s->m, v) : 0;
    if (o && ir_op_info(ir_op_at(c->s->m, o)->opcode)->regions == 0)
        return copied(c, o);
    if (is.kind != MEANS_VALUE)
        return nothing(c, elsewhere);
    if (!is.is.now) {
        is.is.now = carry_value(c, is.is.known, type_of(c->s, v));
        carry_mean(c, v, is);
    }
    return is.is.now ? is.is.now : nothing(c, elsewhere);
}

/* A region of what is being built: its parameters are nothing known. */
static void run_inner(carrying *c, ir_region from, ir_region to)
{
    ir_module *m = c->s->m;
    const region_node n = *ir_region_at(m, from), made = *ir_region_at(m, to);
    if (c->nopen == MOST_NESTED) {
        carry_refuse(c, too_much);
        return;
    }
    for (uint32_t i = 0; i < n.nparams; i++)
        carry_mean_value(c, n.params + i, made.params + i, 0);
    c->open[c->nopen++] = to;
    carry_run(c, from);
    ir_value v = carry_now(c, ir_arg(m, n.last, 0));
    if (v)
        sched_yield(c->s, carry_here(c), v);
    c->nopen--;
}

/* The same operation, on what its operands stand for. */
static ir_value copied(carrying *c, ir_op o)
{
    ir_module *m = c->s->m;
    const op_node n = *ir_op_at(m, o);
    vec_u32 args = {0};
    for (uint32_t k = 0; k < n.nargs && carry_goes_on(c); k++) {
        ir_value v = carry_now(c, ir_arg(m, o, k));
        c->s->failed = c->s->failed || !vec_push(memory(c), &args, v);
    }
    ir_op made = may_build(c) ? ir_copy_op(&c->s->e, o, carry_here(c).region, args.at) : 0;
    vec_free(memory(c), &args);
    c->s->failed = c->s->failed || (!made && !c->why);
    for (uint32_t i = 0; made && i < ir_op_info(n.opcode)->regions && carry_goes_on(c); i++)
        run_inner(c, n.regions + i, ir_op_at(m, made)->regions + i);
    return carry_goes_on(c) ? ir_op_at(m, made)->result : 0;
}

/* ---- elements ---- */

static ir_value state_element(carrying *c, const component *p, const spot *at)
{
    uint32_t which = 0;
    for (uint32_t i = 0; i < p->rank; i++) {
        uint64_t bits = 0;
        bool is_there = p->axis[i] == AXIS_SHORT ? carry_number_of(c, at[i].known, &bits) &&
                                                       bits < c->products.at[p->extent[i]].number
                                                 : carry_axis_of(c, at[i].known) == p->axis[i];
        if (!is_there)
            return nothing(c, elsewhere);
        if (p->axis[i] == AXIS_SHORT)
            which = which * (uint32_t)c->products.at[p->extent[i]].number + (uint32_t)bits;
    }
    return c->carried[p->first + which];
}

/* Of an array that is not the turn's: read in front of the thread's loop where its place is known
 * there. */
static ir_value outer_element(carrying *c, ir_value xs, const spot *at)
{
    scheduler *s = c->s;
    ir_value ix[MAX_RANK];
    uint32_t rank = ir_type_at(s->m, type_of(s, xs))->n;
    bool early = c->thread && ir_visible_at(&s->e, xs, c->open[0], c->thread);
    for (uint32_t i = 0; i < rank; i++) {
        ix[i] = at[i].now ? at[i].now : carry_value(c, at[i].known, type_scalar(s->m, ST_I32));
        if (!ix[i])
            return nothing(c, elsewhere);
        early = early && carry_is_within(c, at[i].known, carry_extent(c, xs, i)) &&
                ir_visible_at(&s->e, ix[i], c->open[0], c->thread);
    }
    if (!may_build(c))
        return 0;
    place in = early ? (place){c->open[0], c->thread, carry_here(c).loc} : carry_here(c);
    return sched_index(s, in, xs, ix, rank);
}

/* The array is of the turn, and described by a region of its indices. */
static ir_value described(carrying *c, ir_op o, const spot *at)
{
    ir_module *m = c->s->m;
    const op_node n = *ir_op_at(m, o);
    const region_node r = *ir_region_at(m, n.regions);
    for (uint32_t i = 0; i < n.nargs; i++) {
        if (!carry_is_within(c, at[i].known, carry_extent(c, n.result, i)))
            return nothing(c, elsewhere);
        carry_mean(c, r.params + i, (meaning){.kind = MEANS_VALUE, .is = at[i]});
    }
    carry_run(c, n.regions);
    return carry_now(c, ir_arg(m, r.last, 0));
}

static ir_value mapped(carrying *c, ir_op o, const spot *at)
{
    ir_module *m = c->s->m;
    const op_node n = *ir_op_at(m, o);
    const region_node r = *ir_region_at(m, n.regions);
    ir_value x = carry_element(c, ir_arg(m, o, 0), at);
    if (!x)
        return 0;
    carry_mean_value(c, r.params, x, ir_value_at(m, x)->kind == V_CONST ? carry_known_of(c, x) : 0);
    carry_run(c, n.regions);
    return carry_now(c, ir_arg(m, r.last, 0));
}

/* Of the operands of an array, or of a constant one, the one of that number. */
static ir_value listed(carrying *c, ir_op o, const spot *at)
{
    ir_module *m = c->s->m;
    uint64_t i;
    const op_node n = *ir_op_at(m, o);
    ir_data d = ir_op_data(m, o);
    if (n.opcode == OP_ARRAY && carry_number_of(c, at[0].known, &i) && i < n.nargs)
        return carry_now(c, ir_arg(m, o, (uint32_t)i));
    if (n.opcode == OP_CONSTANT && d.rank == 1 && carry_number_of(c, at[0].known, &i) &&
        i < d.count)
        return ir_const(m, d.type, ir_data_element(m, &d, i));
    ir_value xs = copied(c, o);
    return xs ? outer_element(c, xs, at) : 0;
}

static ir_value computed(carrying *c, ir_op o, const spot *at)
{
    ir_value v = 0;
    bool inside = c->inside;
    if (c->depth++ >= MOST_DEEP)
        return nothing(c, too_much);
    c->inside = true;
    switch (ir_op_at(c->s->m, o)->opcode) {
    case OP_GENERATE: v = described(c, o, at); break;
    case OP_MAP: v = mapped(c, o, at); break;
    default: v = listed(c, o, at);
    }
    c->inside = inside;
    c->depth--;
    return v;
}

static ir_value remembered(const carrying *c, ir_value xs, const spot *at, uint32_t rank)
{
    for (uint32_t i = carry_meaning(c, xs).memo; i; i = c->memos.at[i].next) {
        const memo *x = &c->memos.at[i];
        bool same = is_open(c, x->region);
        for (uint32_t k = 0; same && k < rank; k++)
            same = carry_same(c, x->at[k], at[k]);
        if (same)
            return x->now;
    }
    return 0;
}

static void remember(carrying *c, ir_value xs, const spot *at, uint32_t rank, ir_value now)
{
    meaning is = carry_meaning(c, xs);
    memo x = {.next = is.memo, .region = carry_here(c).region, .now = now};
    for (uint32_t k = 0; k < rank; k++)
        x.at[k] = at[k];
    c->s->failed = c->s->failed || !vec_push(memory(c), &c->memos, x);
    is.memo = c->memos.len - 1;
    carry_mean(c, xs, is);
}

ir_value carry_element(carrying *c, ir_value xs, const spot *at)
{
    meaning is = carry_meaning(c, xs);
    for (; is.kind == MEANS_SAME; is = carry_meaning(c, xs))
        xs = is.as;
    if (!carry_goes_on(c))
        return 0;
    if (is.kind == MEANS_STATE && is.component != WHOLE)
        return state_element(c, &c->parts[is.component], at);
    if (is.kind == MEANS_ITSELF)
        return outer_element(c, xs, at);
    if (is.kind == MEANS_VALUE)
        return is.is.now ? outer_element(c, is.is.now, at) : nothing(c, elsewhere);
    if (is.kind != MEANS_ARRAY)
        return nothing(c, elsewhere);
    uint32_t rank = ir_type_at(c->s->m, type_of(c->s, xs))->n;
    ir_value v = remembered(c, xs, at, rank);
    if (!v && (v = computed(c, made_by(c->s->m, xs), at)) != 0)
        remember(c, xs, at, rank, v);
    return v;
}

/* ---- operations ---- */

static void means_now(carrying *c, ir_op o, ir_value now)
{
    if (now)
        carry_mean_value(c, ir_op_at(c->s->m, o)->result, now,
                         ir_value_at(c->s->m, now)->kind == V_CONST
                             ? carry_know_number(c, ir_const_bits(c->s->m, now))
                             : 0);
}

static void index_of(carrying *c, ir_op o)
{
    ir_module *m = c->s->m;
    spot at[MAX_RANK];
    for (uint32_t i = 1; i < ir_op_at(m, o)->nargs; i++) {
        ir_value v = ir_arg(m, o, i);
        at[i - 1].known = carry_known_of(c, v);
        at[i - 1].now = carry_meaning(c, v).kind == MEANS_VALUE ? carry_meaning(c, v).is.now : v;
    }
    means_now(c, o, carry_element(c, ir_arg(m, o, 0), at));
}

/* What is known of the result needs no code. */
static void number(carrying *c, ir_op o, uint32_t known)
{
    ir_module *m = c->s->m;
    ir_value v = ir_op_at(m, o)->result, now = known ? carry_value(c, known, type_of(c->s, v)) : 0;
    if (!now)
        now = copied(c, o);
    if (now)
        carry_mean_value(c, v, now, known);
}

static void extent_of(carrying *c, ir_op o)
{
    ir_module *m = c->s->m;
    ir_value xs = ir_arg(m, o, 0), v = ir_op_at(m, o)->result;
    bool one = ir_op_at(m, o)->opcode == OP_DIM;
    uint32_t p =
        one ? carry_extent(c, xs, (uint32_t)ir_const_bits(m, ir_arg(m, o, 1))) : carry_count(c, xs);
    meaning is = carry_meaning(c, xs);
    if (p)
        carry_mean_value(c, v, 0, carry_know_extent(c, p));
    else if (is.kind == MEANS_ITSELF || is.kind == MEANS_VALUE)
        means_now(c, o, copied(c, o));
    else
        carry_refuse(c, elsewhere);
}

/* The region that is taken stands where the operation was. */
static void takes(carrying *c, ir_op o, ir_region r)
{
    ir_module *m = c->s->m;
    carry_run(c, r);
    ir_value v = ir_op_at(m, o)->result, given = ir_arg(m, ir_region_at(m, r)->last, 0);
    meaning is = carry_meaning(c, given);
    if (ir_holds_pull(m, type_of(c->s, v)))
        carry_mean(c, v, (meaning){.kind = MEANS_SAME, .as = given});
    else if (is.kind == MEANS_VALUE)
        carry_mean(c, v, is);
    else
        carry_mean_value(c, v, carry_now(c, given), carry_known_of(c, given));
}

static void chosen(carrying *c, ir_op o)
{
    ir_module *m = c->s->m;
    const op_node n = *ir_op_at(m, o);
    uint64_t holds;
    bool knows = carry_number_of(c, carry_known_of(c, ir_arg(m, o, 0)), &holds);
    if (knows && (holds || n.opcode == OP_IF))
        takes(c, o, n.regions + (holds ? 0u : 1u));
    else if (ir_holds_pull(m, type_of(c->s, n.result)) || (n.opcode == OP_ASSERT && !c->inside))
        carry_refuse(c, "a turn chooses between arrays, or checks what is not seen to hold");
    else
        means_now(c, o, copied(c, o));
}

static void projected(carrying *c, ir_op o)
{
    ir_module *m = c->s->m;
    ir_value of = ir_arg(m, o, 0), v = ir_op_at(m, o)->result;
    uint32_t k = (uint32_t)ir_const_bits(m, ir_arg(m, o, 1));
    meaning is = carry_meaning(c, of);
    if (is.kind == MEANS_STATE && is.component == WHOLE) {
        const component *p = &c->parts[k];
        if (p->rank)
            carry_mean(c, v, (meaning){.kind = MEANS_STATE, .component = k});
        else
            carry_mean_value(c, v, c->carried[p->first], 0);
        return;
    }
    ir_op t = is.kind == MEANS_TUPLE                ? made_by(m, of)
              : is.kind == MEANS_VALUE && is.is.now ? made_by(m, is.is.now)
                                                    : 0;
    bool known_tuple = t && ir_op_at(m, t)->opcode == OP_TUPLE;
    if (is.kind == MEANS_TUPLE && ir_holds_pull(m, type_of(c->s, v)))
        carry_mean(c, v, (meaning){.kind = MEANS_SAME, .as = ir_arg(m, t, k)});
    else if (is.kind == MEANS_TUPLE)
        carry_mean_value(c, v, carry_now(c, ir_arg(m, t, k)), carry_known_of(c, ir_arg(m, t, k)));
    else
        means_now(c, o, known_tuple ? ir_arg(m, t, k) : copied(c, o));
}

/* Whether a function that is called does little: no loop, choice or further call. */
static bool is_short(const carrying *c, ir_op call)
{
    ir_module *m = c->s->m;
    uint32_t ops = 0;
    ir_op o = ir_region_at(m, ir_func_at(m, ir_op_at(m, call)->attr)->body)->first;
    for (; o && ops < MOST_CALLED; o = ir_op_at(m, o)->next, ops++)
        if (ir_op_info(ir_op_at(m, o)->opcode)->regions ||
            ir_op_info(ir_op_at(m, o)->opcode)->effect == EFFECT_CALL)
            return false;
    return !o;
}

/* What each thread would do, though it is done once for all. */
static bool is_long(const carrying *c, ir_op o)
{
    const op_info *info = ir_op_info(ir_op_at(c->s->m, o)->opcode);
    uint32_t code = ir_op_at(c->s->m, o)->opcode;
    return !c->inside &&
           (info->effect == EFFECT_CALL ? code != OP_CALL || !is_short(c, o) : info->regions > 0);
}

static void other(carrying *c, ir_op o)
{
    const op_node n = *ir_op_at(c->s->m, o);
    bool gives_array = n.result && ir_holds_pull(c->s->m, type_of(c->s, n.result));
    bool binds = n.opcode == OP_FN && n.inst;
    if (ir_op_info(n.opcode)->effect == EFFECT_EMIT || binds || is_long(c, o) || (gives_array && !c->inside))
        carry_refuse(c, too_much);
    else if (ir_op_info(n.opcode)->is_scalar && n.nargs <= 3)
        number(c, o, carry_known_result(c, o));
    else
        means_now(c, o, copied(c, o));
}

static void run_op(carrying *c, ir_op o)
{
    ir_module *m = c->s->m;
    const op_node n = *ir_op_at(m, o);
    switch (n.opcode) {
    case OP_DIM:
    case OP_LENGTH: extent_of(c, o); break;
    case OP_INDEX: index_of(c, o); break;
    case OP_PROJ: projected(c, o); break;
    case OP_IF:
    case OP_ASSERT: chosen(c, o); break;
    case OP_TUPLE:
        if (ir_holds_pull(m, type_of(c->s, n.result)))
            carry_mean(c, n.result, (meaning){.kind = MEANS_TUPLE});
        else
            other(c, o);
        break;
    case OP_GENERATE:
    case OP_MAP:
        if (c->inside) {
            other(c, o);
            break;
        }
        carry_mean(c, n.result, (meaning){.kind = MEANS_ARRAY});
        break;
    case OP_ARRAY:
    case OP_CONSTANT: carry_mean(c, n.result, (meaning){.kind = MEANS_ARRAY}); break;
    default: other(c, o);
    }
}

void carry_run(carrying *c, ir_region r)
{
    ir_op end = ir_region_at(c->s->m, r)->last;
    for (ir_op o = ir_region_at(c->s->m, r)->first; o && o != end && carry_goes_on(c);
         o = ir_op_at(c->s->m, o)->next)
        run_op(c, o);
}
