/* A collective gives way to the call of a skeleton: its regions become functions. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

/* ---- whether a function of two values commutes ---- */

static bool op_commutes(uint32_t code)
{
    switch (code) {
    case SOP_ADD:
    case SOP_MUL:
    case SOP_MIN:
    case SOP_MAX:
    case SOP_AND:
    case SOP_OR:
    case SOP_XOR: return true;
    default: return false;
    }
}

/* Whether v is component k of tuple t; of k below 0, t itself. */
static bool is_part(ir_module *m, ir_value v, ir_value t, int64_t k)
{
    ir_op o = made_by(m, v);
    if (k < 0)
        return v == t;
    return o && ir_op_at(m, o)->opcode == OP_PROJ && ir_arg(m, o, 0) == t &&
           ir_const_bits(m, ir_arg(m, o, 1)) == (uint64_t)k;
}

static bool part_commutes(ir_module *m, ir_value v, ir_value x, ir_value y, int64_t k)
{
    ir_op o = made_by(m, v);
    if (!o || !op_commutes(ir_op_at(m, o)->opcode))
        return false;
    ir_value a = ir_arg(m, o, 0), b = ir_arg(m, o, 1);
    return (is_part(m, a, x, k) && is_part(m, b, y, k)) ||
           (is_part(m, a, y, k) && is_part(m, b, x, k));
}

/* The code that a call or an application runs, 0 where it is not known; *first: its first argument. */
static ir_region code_of(ir_module *m, ir_op o, uint32_t *first)
{
    const op_node n = *ir_op_at(m, o);
    ir_op f = n.opcode == OP_APPLY ? made_by(m, ir_arg(m, o, 0)) : o;
    uint32_t code = f ? ir_op_at(m, f)->opcode : OP_NONE;
    *first = n.opcode == OP_APPLY;
    if (code == OP_CALL || code == OP_FUNC)
        return ir_func_at(m, ir_op_at(m, f)->attr)->body;
    return code == OP_FN ? ir_op_at(m, f)->regions : 0;
}

/* Whether both are handed on to what commutes. */
static bool passes_on(ir_module *m, ir_op o, const region_node *n, ir_region *to)
{
    uint32_t first;
    *to = code_of(m, o, &first);
    if (!*to || ir_op_at(m, o)->nargs != first + 2 || ir_region_at(m, *to)->nparams != 2)
        return false;
    ir_value a = ir_arg(m, o, first), b = ir_arg(m, o, first + 1);
    return (a == n->params && b == n->params + 1) || (a == n->params + 1 && b == n->params);
}

enum { CALLS = 32 };

/* What the first function that both are handed on to says of itself; -1: nothing. */
static int64_t function_told(ir_module *m, ir_region r)
{
    int64_t told = -1;
    for (uint32_t i = 0; i < CALLS && told < 0; i++) {
        const region_node n = *ir_region_at(m, r);
        ir_op o = n.last ? made_by(m, ir_arg(m, n.last, 0)) : 0;
        if (!o || !passes_on(m, o, &n, &r))
            break;
        const region_node *to = ir_region_at(m, r);
        if (!to->owner)
            told = ir_property_number(m, (subject){ON_FUNC, to->func}, PROPERTY_COMMUTES, -1);
    }
    return told;
}

/* What makes the value of a region, which is followed through calls to a depth: *r becomes the region that
 * it stands in. */
static ir_op last_made(ir_module *m, ir_region *r)
{
    ir_region next;
    region_node n = *ir_region_at(m, *r);
    ir_op o = n.last ? made_by(m, ir_arg(m, n.last, 0)) : 0;
    for (uint32_t i = 0; i < CALLS && o && passes_on(m, o, &n, &next); i++) {
        *r = next;
        n = *ir_region_at(m, next);
        o = n.last ? made_by(m, ir_arg(m, n.last, 0)) : 0;
    }
    return o;
}

bool sched_sums(ir_module *m, ir_region r)
{
    ir_op o = last_made(m, &r);
    const region_node n = *ir_region_at(m, r);
    if (!o || ir_op_at(m, o)->opcode != OP_TUPLE)
        return n.last && part_commutes(m, ir_arg(m, n.last, 0), n.params, n.params + 1, -1);
    for (uint32_t k = 0; k < ir_op_at(m, o)->nargs; k++)
        if (!part_commutes(m, ir_arg(m, o, k), n.params, n.params + 1, k))
            return false;
    return true;
}

opcode sched_sum(ir_module *m, ir_region r)
{
    ir_op o = last_made(m, &r);
    ir_value x = ir_region_at(m, r)->params;
    bool is = o && part_commutes(m, ir_op_at(m, o)->result, x, x + 1, -1);
    return is ? (opcode)ir_op_at(m, o)->opcode : OP_NONE;
}

opcode sched_sum_of(ir_module *m, ir_region r, uint32_t k)
{
    ir_op o = last_made(m, &r);
    return (opcode)ir_op_at(m, made_by(m, ir_arg(m, o, k)))->opcode;
}

/* The hint of the reduction, else that of its function. */
static int64_t told_commutes(const scheduler *s, ir_op o)
{
    int64_t told = sched_told(s, o, PROPERTY_COMMUTATIVE, -1);
    return told < 0 ? function_told(s->m, ir_op_at(s->m, o)->regions) : told;
}

bool sched_commutes(const scheduler *s, ir_op o)
{
    int64_t told = told_commutes(s, o);
    return told < 0 ? sched_sums(s->m, ir_op_at(s->m, o)->regions) : told == 1;
}

/* ---- reductions and scans ---- */

static const char *const names[][2] = {
    /* of an array, of each row of one */
    {"reduce", "reduceRows"},
    {"reduceOrdered", "reduceRowsOrdered"},
    {"scan", "scanRows"},
    {"scanOrdered", "scanRows"},
    {"scanex", "scanexRows"},
    {"scanexOrdered", "scanexRows"},
};

static void tell_skeleton(const scheduler *s, ir_op o, worker by, const char *name)
{
    const op_node *n = ir_op_at(s->m, o);
    const char *why = "";
    if (by == BY_GRID && n->opcode == OP_REDUCE)
        why = told_commutes(s, o) >= 0 ? ": its hint says whether its function commutes"
              : sched_commutes(s, o)                          ? ": its function commutes"
                                                              : ": its function is not seen to commute, so parts are combined in their order";
    if (by == BY_GRID)
        sched_tell(s, o, SKELETON, "`%s` is done by the grid, as @grid.%s%s", ir_op_info(n->opcode)->name, name, why);
    else
        sched_tell(s, o, SKELETON, "`%s` stands in an element, and is done by a thread, as @thread.%s", ir_op_info(n->opcode)->name, name);
}

/* A thread scans in order whatever the function is. */
static const char *name_of(scheduler *s, ir_op o, worker by, bool rows)
{
    const op_node *n = ir_op_at(s->m, o);
    uint32_t which = n->opcode == OP_SCAN ? 2 : n->opcode == OP_SCANEX ? 4 : 0;
    bool ordered = (which == 0 || by == BY_GRID) && !sched_commutes(s, o);
    return names[which + ordered][rows];
}

enum { WORD = 4, MOST_BYTES = 64 };

static uint32_t bytes_of(const scheduler *s, ir_value xs)
{
    return sched_bytes(s->m, ir_type_at(s->m, type_of(s, xs))->a, MOST_BYTES);
}

/* The bytes that are read for an element, or that it has where these are more: what a thread takes at
 * once goes by them. */
static uint32_t bytes_for(const scheduler *s, ir_value xs)
{
    uint32_t own = bytes_of(s, xs),
             read = WORD * sched_streams(s, xs), bytes = own > read ? own : read;
    return bytes > MOST_BYTES ? MOST_BYTES : bytes ? bytes : 1;
}

/* Of elements that lie in local memory for a while, where narrow ones take more room: what one has,
 * unless several arrays are read for it. */
static uint32_t bytes_held(const scheduler *s, ir_value xs)
{
    uint32_t own = bytes_of(s, xs);
    return own && own < WORD && sched_streams(s, xs) <= 1 ? own : bytes_for(s, xs);
}

static void along_axis(scheduler *s, ir_op o, worker by)
{
    ir_module *m = s->m;
    ir_value z = ir_arg(m, o, 0), xs = ir_arg(m, o, 1);
    const type_node t = *ir_type_at(m, type_of(s, xs));
    place at = sched_before(s, o);
    bool rows = t.n > 1, reduces = ir_op_at(m, o)->opcode == OP_REDUCE;
    const char *name = name_of(s, o, by, rows);
    ir_type result = reduces ? t.a : type_of(s, xs);
    uint32_t bytes = bytes_for(s, xs);
    tell_skeleton(s, o, by, name);
    ir_value xss = rows ? sched_rows(s, at, xs) : xs;
    ir_value f = ir_region_to_fn(&s->e, o, 0), args[] = {f, z, xss};
    if (rows)
        result = type_pull(m, t.a, reduces ? 1 : 2);
    s->failed = s->failed || !f || !xss;
    ir_value v = s->failed ? 0 : sched_call_sized(s, at, name, by, bytes, args, 3, result);
    if (v && rows)
        v = sched_unrows(s, at, v, xs, reduces ? t.n - 1 : t.n);
    sched_replace(s, o, v);
}

/* ---- what is kept, what is sorted ---- */

static void filter(scheduler *s, ir_op o, worker by)
{
    tell_skeleton(s, o, by, "filter");
    ir_value xs = ir_arg(s->m, o, 0);
    uint32_t bytes = bytes_held(s, xs);
    ir_value f = ir_region_to_fn(&s->e, o, 0), args[] = {f, xs};
    place at = sched_before(s, o);
    sched_replace(s, o, f ? sched_call_sized(s, at, "filter", by, bytes, args, 2, type_of(s, xs)) : 0);
}

static ir_value call_key(scheduler *s, place at, const char *name, uint32_t bits, ir_value v)
{
    ir_value args[] = {sched_int(s, bits), v};
    return sched_call(s, at, name, BY_THREAD, args, 2, type_scalar(s->m, ST_U64));
}

/* A key as a word of so many bits, ordered in the same way. */
static ir_value key_word(scheduler *s, place at, ir_value k, uint32_t *bits)
{
    scalar t = type_as_scalar(s->m, type_of(s, k));
    *bits = t == ST_BOOL ? 2 : 8 * ir_scalar_bytes(t);
    switch (ir_scalar_class(t)) {
    case 'I': return call_key(s, at, "keyOfSigned", *bits, sched_cast(s, at, OP_CONVERT, k, ST_I64));
    case 'F': {
        ir_value word = sched_cast(s, at, OP_BITCAST, k, (scalar)ir_scalar_info(t)->bits);
        return call_key(s, at, "keyOfFloat", *bits, sched_cast(s, at, OP_CONVERT, word, ST_U64));
    }
    case 'B':
    case 'U': return t == ST_U64 ? k : sched_cast(s, at, OP_CONVERT, k, ST_U64);
    default: return 0;
    }
}

static void sort(scheduler *s, ir_op o, worker by)
{
    ir_module *m = s->m;
    uint32_t bits;
    ir_op end = ir_region_at(m, ir_op_at(m, o)->regions)->last;
    ir_value key = key_word(s, sched_before(s, end), ir_arg(m, end, 0), &bits);
    if (!key) {
        diag_error(m->cx, DIAG_SCHEDULE, ir_op_loc(m, o),
                   "the key of this sort is of any scalar type, and how it is sorted goes by which");
        diag_hint(m->cx, "call the function that it stands in, with its types known there, instead of handing it on as a value");
        s->failed = true;
        return;
    }
    tell_skeleton(s, o, by, "sort");
    ir_set_operand(&s->e, end, 0, key);
    ir_value xs = ir_arg(m, o, 0);
    uint32_t bytes = bytes_for(s, xs);
    ir_value f = ir_region_to_fn(&s->e, o, 0), args[] = {sched_int(s, bits), f, xs};
    place at = sched_before(s, o);
    sched_replace(s, o, f ? sched_call_sized(s, at, "sort", by, bytes, args, 3, type_of(s, xs)) : 0);
}

void sched_collective(scheduler *s, ir_op o, worker by)
{
    ir_module *m = s->m;
    uint32_t code = ir_op_at(m, o)->opcode;
    if (code == OP_REDUCE && ir_holds_pull(m, type_of(s, ir_arg(m, o, 0)))) {
        sched_reduce_states(s, o, by);
        return;
    }
    if (code == OP_REDUCE && by == BY_GRID && sched_by_host(s, o))
        return;
    sched_region(s, ir_op_at(m, o)->regions, BY_THREAD);
    if (s->failed)
        return;
    if (code == OP_FILTER)
        filter(s, o, by);
    else if (code == OP_SORT)
        sort(s, o, by);
    else
        along_axis(s, o, by);
}
