/* What it costs to compute an element of an array again, in steps of a thread by the weights of
 * ops.def, and how often elements are asked for.
 *
 * A guess: what runs many times counts as so many turns; a function counts by its text, in which
 * calls are followed to a depth.  Every function is looked at once, and each use; one that is given functions, and an fn, is looked at
 * wherever it is applied, as it costs what these do. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

/* The turns of a loop of which nothing is known; the most that is counted; calls in calls; indices of elements in elements; steps of an
 * element that who asks again along another axis computes again, as it has as much to store; operations that an index is made of, and
 * those of a skeleton or a loop; applications of an fn, where they are not seen; operations of functions that are looked at again; growth
 * that is nothing. */
enum { TURNS = 64, MOST = 1 << 20, CALLS = 32, MOST_NUMBERS = 31, SPREAD = 64, MOST_LOOKED = 32, SKELETON = 32, APPLIED = 3, MOST_AGAIN = 4096, MOST_GROWTH = 256 };

static uint32_t capped(uint64_t x)
{
    return x < MOST ? (uint32_t)x : MOST;
}

/* ---- tables by value ---- */

static uint32_t entry(const vec_u32 *v, uint32_t i)
{
    return i < v->len ? v->at[i] : 0;
}

bool sched_has_entry(scheduler *s, vec_u32 *v, uint32_t i)
{
    while (v->len <= i && !s->failed)
        s->failed = !vec_push(&s->m->cx->mem, v, 0);
    return !s->failed;
}

static void set_entry(scheduler *s, vec_u32 *v, uint32_t i, uint32_t x)
{
    if (sched_has_entry(s, v, i))
        v->at[i] = x;
}

static measure *now(scheduler *s)
{
    return &s->cost.by[s->cost.now];
}

/* Of an element, in what is measured now. */
static uint32_t steps_of(scheduler *s, ir_value v)
{
    return entry(&now(s)->steps, v);
}

uint32_t sched_steps(const scheduler *s, ir_value v)
{
    return entry(&s->cost.by[BY_TIME].steps, v);
}

/* Of a loop. */
static uint32_t turns(const scheduler *s)
{
    return s->cost.now == BY_TIME ? TURNS : 1;
}

uint32_t sched_streams(const scheduler *s, ir_value v)
{
    return entry(&s->cost.streams, v);
}

static bool is_array(const scheduler *s, ir_value v)
{
    return v && ir_holds_pull(s->m, ir_value_at(s->m, v)->type);
}

/* An array that the operation at hand reads: the first time it counts with what it reads itself. */
static void reads(scheduler *s, ir_value v)
{
    if (!is_array(s, v) || entry(&s->cost.seen, v) == s->cost.mark)
        return;
    set_entry(s, &s->cost.seen, v, s->cost.mark);
    s->cost.read = capped((uint64_t)s->cost.read + (steps_of(s, v) ? sched_streams(s, v) : 1));
}

/* ---- how often ---- */

static uint64_t times(const scheduler *s, uint64_t n, uint32_t k)
{
    while (k-- && n < MOST)
        n *= turns(s);
    return capped(n);
}

/* Who asks by one use, and in which of its regions. */
typedef struct asker {
    sched_asks asks;
    ir_region in;
} asker;
static asker asks_of_user(scheduler *s, uint32_t use, ir_region home);

/* Whether a number in an element of an array, that of region g, may be made of p, one of its indices. */
static bool is_made_of(scheduler *s, ir_value v, ir_value p, ir_region g, uint32_t *left)
{
    ir_module *m = s->m;
    ir_op o = made_by(m, v);
    ir_region home = ir_value_region(m, v);
    const op_node n = *ir_op_at(m, o);
    if (v == p || !*left)
        return true;
    --*left;
    if (ir_value_at(m, v)->kind == V_CONST || ir_visible_at(&s->e, v, ir_op_at(m, ir_region_at(m, g)->owner)->parent, ir_region_at(m, g)->owner))
        return false;
    if (!o)
        return ir_op_at(m, ir_region_at(m, home)->owner)->opcode != OP_GENERATE;
    bool may = ir_op_info(n.opcode)->regions != 0;
    for (uint32_t k = 0; k < n.nargs && !may; k++)
        may = is_made_of(s, ir_arg(m, o, k), p, g, left);
    return may;
}

/* Whether an element is asked for again along an axis of who asks, which its indices do not tell. */
static bool is_spread(scheduler *s, uint32_t use, ir_region home)
{
    ir_module *m = s->m;
    ir_op index = ir_user(&s->e, use), by = index;
    ir_region r = 0;
    while (by && ir_op_at(m, by)->parent != home) {
        r = ir_op_at(m, by)->parent;
        by = ir_region_at(m, r)->owner;
    }
    uint32_t code = by ? ir_op_at(m, by)->opcode : OP_NONE;
    if (ir_op_at(m, index)->opcode != OP_INDEX) /* each element of who asks goes through all of them */
        return r && (code == OP_GENERATE || code == OP_MAP);
    if (code != OP_GENERATE)
        return false;
    const region_node g = *ir_region_at(m, r);
    bool all = true;
    for (uint32_t k = 0; k < g.nparams && all; k++) {
        bool found = false;
        for (uint32_t i = 1; i < ir_op_at(m, index)->nargs && !found; i++) {
            uint32_t left = MOST_LOOKED;
            found = is_made_of(s, ir_arg(m, index, i), g.params + k, r, &left);
        }
        all = found;
    }
    return !all;
}

/* How often an operation asks: of two branches only one does; both are written down. */
static uint64_t asked_of(const scheduler *s, ir_op by, const uint64_t in[2])
{
    bool one = by && ir_op_at(s->m, by)->opcode == OP_IF && s->cost.now == BY_TIME;
    return one && in[0] < in[1] ? in[1] : one ? in[0] : in[0] + in[1];
}

/* An array of arrays is never written: who asks for what it has asks for what that is made of. */
static asker through_arrays(scheduler *s, asker a, ir_region home)
{
    ir_value v = ir_op_at(s->m, a.asks.by)->result;
    const type_node t = *ir_type_at(s->m, v ? type_of(s, v) : 0);
    if (!v || t.kind != TY_PULL || ir_type_at(s->m, t.a)->kind != TY_PULL || s->cost.depth > CALLS || !s->cost.left)
        return a;
    s->cost.left--;
    s->cost.depth++;
    sched_asks all = sched_asked(s, v, home);
    s->cost.depth--;
    a.asks.consumers = capped((uint64_t)a.asks.consumers * all.consumers);
    a.asks.times = capped((uint64_t)a.asks.times * all.times);
    return a;
}

/* Uses by one operation are neighbours. */
sched_asks sched_asked(scheduler *s, ir_value v, ir_region home)
{
    ir_op last = 0;
    uint64_t consumers = 0, all = 0, in[2] = {0};
    for (uint32_t u = ir_first_use(&s->e, v); u; u = ir_next_use(&s->e, u)) {
        asker a = asks_of_user(s, u, home);
        if (!a.asks.by)
            continue;
        a = through_arrays(s, a, home);
        if (a.asks.by != last) {
            consumers += a.asks.consumers;
            all += asked_of(s, last, in);
            in[0] = in[1] = 0;
        }
        last = a.asks.by;
        in[a.in == ir_op_at(s->m, last)->regions + 1] +=
            a.asks.times * (steps_of(s, v) > SPREAD && is_spread(s, u, home) ? (uint64_t)turns(s) : 1);
    }
    all += asked_of(s, last, in);
    return (sched_asks){.by = last, .consumers = capped(consumers), .times = capped(all)};
}

/* A parameter of a function that is called: how often that asks for it. */
static uint32_t asked_by_call(scheduler *s, ir_op call, uint32_t k)
{
    const func_node f = *ir_func_at(s->m, ir_op_at(s->m, call)->attr);
    ir_value param = ir_region_at(s->m, f.body)->params + k;
    uint32_t known = entry(&now(s)->asked, param);
    if (known || s->cost.depth > CALLS)
        return known ? known - 1 : turns(s);
    s->cost.depth++;
    uint32_t n = sched_asked(s, param, f.body).times;
    s->cost.depth--;
    set_entry(s, &now(s)->asked, param, n + 1);
    return n;
}

/* By one operand; an operation that asks for no element but at the host, where one is one, asks for
 * none. */
static uint32_t asked_by_operand(scheduler *s, uint32_t use, ir_region home)
{
    ir_op o = ir_user(&s->e, use);
    const op_node n = *ir_op_at(s->m, o);
    switch (n.opcode) {
    case OP_LENGTH:
    case OP_DIM: return 0;
    case OP_INDEX: return n.parent != home;
    case OP_CALL: return asked_by_call(s, o, use - n.args);
    default: return 1;
    }
}

bool sched_asks_in_place(const scheduler *s, ir_op index, ir_region home)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, index);
    uint32_t numbers = 0, found = 0, met = 0;
    if (n.opcode != OP_INDEX)
        return false;
    for (ir_region r = n.parent; r && r != home;) {
        const region_node own = *ir_region_at(m, r);
        if (!own.owner || ir_op_at(m, own.owner)->opcode != OP_GENERATE || numbers + own.nparams > MOST_NUMBERS)
            return false;
        for (uint32_t k = 1; k < n.nargs; k++) {
            uint32_t p = ir_arg(m, index, k) - own.params;
            found += p < own.nparams;
            met |= p < own.nparams ? 1u << (numbers + p) : 0;
        }
        numbers += own.nparams;
        r = ir_op_at(m, own.owner)->parent;
    }
    return found + 1 == n.nargs && met + 1 == 1u << numbers;
}

/* Loops of the host ask in each turn; so does what is within an element of an element, and a loop
 * in it. */
static asker asks_of_user(scheduler *s, uint32_t use, ir_region home)
{
    ir_module *m = s->m;
    uint32_t inner = 0, loops = 0, applied = 0, once = asked_by_operand(s, use, home);
    ir_op by = ir_user(&s->e, use);
    ir_region in = 0;
    for (ir_region r = ir_op_at(m, by)->parent; once && r && r != home;) {
        in = r;
        by = ir_region_at(m, r)->owner;
        r = by ? ir_op_at(m, by)->parent : 0;
        uint32_t code = by ? ir_op_at(m, by)->opcode : OP_IF;
        if (code == OP_WHILE || code == OP_REPEAT)
            loops++;
        else if (code != OP_IF && code != OP_ASSERT) {
            inner += 1 + loops;
            loops = 0;
            applied += code == OP_FN;
        }
    }
    inner = inner > 1 && sched_asks_in_place(s, ir_user(&s->e, use), home) ? 1 : inner;
    uint64_t rounds = times(s, 1, loops), copies = 1;
    while (applied-- && s->cost.now == BY_TEXT)
        copies = capped(copies * APPLIED);
    sched_asks asks = {.by = once ? by : 0,
                       .consumers = once ? (uint32_t)rounds : 0,
                       .times = capped(capped(times(s, rounds, inner ? inner - 1 : 0) * once) * copies)};
    return (asker){asks, in};
}

/* ---- how much ---- */

static uint64_t steps_in(scheduler *s, ir_region r);

/* What the operands cost that are arrays. */
static uint64_t steps_of_operands(scheduler *s, ir_op o)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < ir_op_at(s->m, o)->nargs; k++) {
        reads(s, ir_arg(s->m, o, k));
        sum += steps_of(s, ir_arg(s->m, o, k));
    }
    return sum;
}

static uint64_t steps_of_regions(scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    bool one = n.opcode == OP_IF && s->cost.now == BY_TIME;
    uint64_t all = 0;
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions && !s->failed; i++) {
        uint64_t steps = steps_in(s, n.regions + i);
        all = !one ? all + steps : steps > all ? steps : all;
    }
    return all;
}

/* Of a body in the place of an operation, whose operands from `first` on its parameters are. */
static uint64_t steps_of_body(scheduler *s, ir_region body, ir_op o, uint32_t first)
{
    enum { MOST_PARAMS = 16 };
    const region_node r = *ir_region_at(s->m, body);
    ir_value before[MOST_PARAMS];
    if (!r.last || r.nparams > MOST_PARAMS || r.nparams + first != ir_op_at(s->m, o)->nargs || s->cost.depth > CALLS || !s->cost.left ||
        !sched_has_entry(s, &s->known, s->m->values.len - 1))
        return turns(s);
    for (uint32_t k = 0; k < r.nparams; k++) {
        before[k] = s->known.at[r.params + k];
        sched_bind(s, r.params + k, sched_known(s, ir_arg(s->m, o, first + k)));
    }
    s->cost.depth++;
    uint64_t steps = steps_in(s, body);
    s->cost.depth--;
    for (uint32_t k = 0; k < r.nparams; k++)
        sched_bind(s, r.params + k, before[k]);
    return steps;
}

/* Of what is not known only that it is applied. */
static uint64_t steps_of_apply(scheduler *s, ir_op o)
{
    ir_op f = made_by(s->m, sched_known(s, ir_arg(s->m, o, 0)));
    return f && ir_op_at(s->m, f)->opcode == OP_FN ? steps_of_body(s, ir_op_at(s->m, f)->regions, o, 1) : 1;
}

static bool is_given_functions(ir_module *m, ir_op call)
{
    bool given = false;
    for (uint32_t k = 0; k < ir_op_at(m, call)->nargs && !given; k++)
        given = ir_type_at(m, ir_value_at(m, ir_arg(m, call, k))->type)->kind == TY_FUN;
    return given;
}

/* All steps of a function, and those of an element of the array that it gives. */
static uint32_t steps_of_function(scheduler *s, ir_op call, bool element)
{
    ir_func f = ir_op_at(s->m, call)->attr;
    uint32_t known = is_given_functions(s->m, call) ? 0 : entry(&now(s)->called, f);
    ir_region body = ir_func_at(s->m, f)->body;
    ir_op end = ir_region_at(s->m, body)->last;
    if (!known && (!end || s->cost.depth > CALLS))
        return turns(s);
    if (!known) {
        uint32_t read = s->cost.read; /* what the function reads are its parameters */
        known = capped(steps_of_body(s, body, call, 0)) + 1;
        s->cost.read = read;
        set_entry(s, &now(s)->called, f, known);
    }
    return element ? steps_of(s, ir_arg(s->m, end, 0)) : known - 1;
}

static uint64_t steps_of_call(scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    uint64_t sum = steps_of_function(s, o, is_array(s, n.result));
    for (uint32_t k = 0; k < n.nargs; k++) {
        ir_value v = ir_arg(s->m, o, k);
        reads(s, v);
        if (steps_of(s, v))
            sum += (uint64_t)asked_by_call(s, o, k) * steps_of(s, v);
    }
    return sum;
}

/* The steps of an operation where it stands; notes those of what it gives. */
static uint32_t look_at(scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    const op_info *info = ir_op_info(n.opcode);
    uint64_t here = 0, element = 0; /* where it stands; an element of the array that it gives */
    s->cost.left -= s->cost.left && s->cost.depth;
    switch (n.opcode) {
    case OP_GENERATE: element = 1 + steps_of_regions(s, o); break;
    case OP_MAP: element = steps_of_operands(s, o) + steps_of_regions(s, o); break;
    case OP_INDEX: here = 1 + steps_of_operands(s, o); break;
    case OP_FORCE: here = (uint64_t)turns(s) * (1 + steps_of_operands(s, o)); break;
    case OP_CALL: *(is_array(s, n.result) ? &element : &here) = steps_of_call(s, o); break;
    case OP_APPLY: *(is_array(s, n.result) ? &element : &here) = steps_of_apply(s, o); break;
    case OP_FN: break; /* where it is applied */
    case OP_IF:
    case OP_ASSERT: here = element = 1 + steps_of_regions(s, o); break;
    default:
        if (ir_is_collective(s->m, o) || info->regions)
            here = (uint64_t)turns(s) * (1 + steps_of_operands(s, o) + steps_of_regions(s, o)) + (s->cost.now == BY_TEXT ? SKELETON : 0);
        else {
            here = (info->is_scalar ? info->cost : 0u) + steps_of_regions(s, o);
            element = is_array(s, n.result) ? steps_of_operands(s, o) : 0;
        }
    }
    if (is_array(s, n.result))
        set_entry(s, &now(s)->steps, n.result, capped(element));
    return capped(here);
}

static uint64_t steps_in(scheduler *s, ir_region r)
{
    uint64_t sum = 0;
    for (ir_op o = ir_region_at(s->m, r)->first; o && !s->failed; o = ir_op_at(s->m, o)->next)
        sum += look_at(s, o);
    ir_op end = ir_region_at(s->m, r)->last;
    return capped(sum + (end ? steps_of(s, ir_arg(s->m, end, 0)) : 0));
}

/* What is read is that of the value's elements, in time. */
void sched_weigh(scheduler *s, ir_op o)
{
    s->cost.mark++;
    s->cost.read = 0;
    s->cost.left = MOST_AGAIN;
    look_at(s, o);
    set_entry(s, &s->cost.streams, ir_op_at(s->m, o)->result, s->cost.read);
    s->cost.now = BY_TEXT;
    s->cost.left = MOST_AGAIN;
    look_at(s, o);
    s->cost.now = BY_TIME;
}

void sched_weigh_load(scheduler *s, ir_value v)
{
    for (int i = 0; i < MEASURES; i++)
        set_entry(s, &s->cost.by[i].steps, v, 0);
    set_entry(s, &s->cost.streams, v, 0);
}

uint64_t sched_growth(scheduler *s, ir_value v, ir_region home)
{
    s->cost.now = BY_TEXT;
    uint64_t times = sched_asked(s, v, home).times, growth = times > 1 ? (times - 1) * steps_of(s, v) : 0;
    s->cost.now = BY_TIME;
    return growth > MOST_GROWTH ? growth : 0;
}
