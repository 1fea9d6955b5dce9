/* Where arrays are written to memory, and not computed again for each who asks.
 *
 * An array that the grid describes is written where that costs less: a store, and loads for those
 * who ask, for what they would compute.  All of its elements are computed then, also those that
 * nobody asks for.  What asks for extents alone does not count.  A table is written as well: a few
 * elements, which a longer array looks up at what it has read.
 *
 * In order, so that it is known of an array what those that it is computed from cost: of one that
 * is written, a load.  This keeps what is computed again small however the arrays are connected. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

/* In steps of a thread: an access to memory that nobody near has made; and what is computed again
 * however often. */
enum { ACCESS = 32, CHEAP = 8 };

/* Levels of code inside one another; drivers take about 80, and checks may be two for a read. */
enum { MOST_LEVELS = 32 };

bool sched_is_base(const ir_module *m, ir_type t)
{
    const type_node n = *ir_type_at(m, t);
    bool is = n.kind == TY_SCALAR || n.kind == TY_TUPLE;
    for (uint32_t i = 0; n.kind == TY_TUPLE && i < n.n && is; i++)
        is = sched_is_base(m, type_item(m, t, i));
    return is;
}

uint32_t sched_bytes(const ir_module *m, ir_type t, uint32_t most)
{
    const type_node n = *ir_type_at(m, t);
    uint32_t all = 0;
    if (n.kind != TY_TUPLE)
        return n.kind == TY_SCALAR ? ir_scalar_bytes(type_as_scalar(m, t)) : most + 1;
    for (uint32_t i = 0; i < n.n && all <= most; i++)
        all += sched_bytes(m, type_item(m, t, i), most);
    return all;
}

#define NUMBERS                                                                                    \
    "consumers: %u; elements that they ask for, for each of it: %u; steps of computing those "     \
    "again: %llu, of storing and loading them: %llu"

/* Whether a turn of a loop, a branch or a kernel gives it, among other uses: it is stored then in any case. */
static bool is_stored_for(const scheduler *s, ir_value v)
{
    bool given = false;
    for (uint32_t u = ir_first_use(&s->e, v); !given && u; u = ir_next_use(&s->e, u)) {
        ir_op o = ir_user(&s->e, u);
        uint32_t t = ir_op_at(s->m, o)->opcode == OP_TUPLE ? ir_first_use(&s->e, ir_op_at(s->m, o)->result) : 0;
        given = !ir_op_at(s->m, o)->next || (t && !ir_op_at(s->m, ir_user(&s->e, t))->next);
    }
    return given;
}

/* Each consumer reads what the array is computed from, or the array; its further accesses are to
 * what is near.  All but one computation are saved, for a store and the loads. */
static bool pays(scheduler *s, ir_op o, sched_asks a)
{
    ir_value v = ir_op_at(s->m, o)->result;
    uint32_t stored = a.consumers > 1 && is_stored_for(s, v) ? 2 : 0; /* there is a store, and one who needs no load */
    uint64_t steps = sched_steps(s, v), read = sched_streams(s, v);
    if (steps <= CHEAP) {
        if (steps) /* else it is in memory */
            sched_tell(s, o, AGAIN, "computed again wherever it is asked for: an element is %u steps, and up to %d are never written",
                       (uint32_t)steps, CHEAP);
        return false;
    }
    uint64_t again = (a.consumers - 1) * (steps + ACCESS * read) +
                     (uint64_t)(a.times - a.consumers) * (steps - 1),
             written = ACCESS * ((uint64_t)a.consumers + 1 - stored);
    if (again > written)
        sched_tell(s, o, WRITTEN, "written to memory: " NUMBERS, a.consumers, a.times,
                   (unsigned long long)again, (unsigned long long)written);
    else
        sched_tell(s, o, AGAIN, "computed again: " NUMBERS, a.consumers, a.times,
                   (unsigned long long)again, (unsigned long long)written);
    return again > written;
}

/* ---- tables ---- */

/* Elements of a table; steps of one, above which it is; how many times longer is who looks up; operations that an index is
 * followed through. */
enum { TABLE_MOST = 4096, TABLE_STEPS = 24, TABLE_USES = 4, TABLE_INDEX = 32 };

/* How many elements an array has, where the program says so; 0: it does not. */
static uint64_t count_said(const scheduler *s, ir_value xs)
{
    ir_module *m = s->m;
    uint64_t all = 1;
    for (uint32_t k = 0; k < ir_type_at(m, type_of(s, xs))->n; k++) {
        ir_extent x = ir_extent_of(m, xs, k);
        uint64_t n = x.axis == EXTENT_NUMBER && ir_value_at(m, x.of)->kind == V_CONST ? ir_const_bits(m, x.of) : 0;
        all = n <= TABLE_MOST * TABLE_USES && all <= TABLE_MOST * TABLE_USES ? all * n : TABLE_MOST * TABLE_USES + 1;
    }
    return all;
}

/* Whether a number is made of an element: one that is read, or that a map is given. */
static bool is_of_data(const scheduler *s, ir_value v, uint32_t *left)
{
    ir_module *m = s->m;
    ir_op o = made_by(m, v), in = ir_value_at(m, v)->kind == V_PARAM ? ir_region_at(m, ir_value_region(m, v))->owner : 0;
    if (*left == 0 || (!o && !in))
        return false;
    --*left;
    if (!o)
        return ir_op_at(m, in)->opcode == OP_MAP;
    bool is = ir_op_at(m, o)->opcode == OP_INDEX;
    for (uint32_t k = 0; k < ir_op_at(m, o)->nargs && !is; k++)
        is = is_of_data(s, ir_arg(m, o, k), left);
    return is;
}

static bool is_looked_up(const scheduler *s, ir_value v)
{
    uint32_t u = ir_first_use(&s->e, v), left = TABLE_INDEX;
    bool is = false;
    for (; u && !is; u = ir_next_use(&s->e, u)) {
        ir_op o = ir_user(&s->e, u);
        for (uint32_t k = 1; ir_op_at(s->m, o)->opcode == OP_INDEX && k < ir_op_at(s->m, o)->nargs && !is; k++)
            is = is_of_data(s, ir_arg(s->m, o, k), &left);
    }
    return is;
}

static bool is_table(scheduler *s, ir_value v, sched_asks a)
{
    uint64_t n = count_said(s, v);
    ir_value by = a.by ? ir_op_at(s->m, a.by)->result : 0;
    if (a.times != 1 || n == 0 || n > TABLE_MOST || sched_steps(s, v) <= TABLE_STEPS || !by ||
        ir_type_at(s->m, type_of(s, by))->kind != TY_PULL)
        return false;
    uint64_t asking = count_said(s, by);
    return (asking == 0 || asking > TABLE_USES * n) && is_looked_up(s, v);
}

/* ---- deciding ---- */

/* What a kernel or a branch gives is written there. */
static bool is_given(const scheduler *s, ir_value v)
{
    bool given = true;
    for (uint32_t u = ir_first_use(&s->e, v); given && u; u = ir_next_use(&s->e, u)) {
        ir_op o = ir_user(&s->e, u);
        given = ir_op_at(s->m, o)->opcode == OP_TUPLE || !ir_op_at(s->m, o)->next;
    }
    return given;
}

/* Already, as by this pass before. */
static bool is_written(const scheduler *s, ir_value v)
{
    ir_op push = sched_only_user(s, v, OP_PUSH);
    uint32_t u = push ? ir_first_use(&s->e, ir_op_at(s->m, push)->result) : 0;
    return u && ir_op_at(s->m, ir_user(&s->e, u))->opcode == OP_FORCE;
}

static void tell_fused(scheduler *s, ir_op o, sched_asks a)
{
    if (is_given(s, ir_op_at(s->m, o)->result))
        return;
    if (sched_tell(s, o, FUSED, "its elements are computed where its consumer asks for them"))
        diag_note_add(s->m->cx, ir_op_loc(s->m, a.by), "the consumer");
}

/* Who asks once for each of its elements computes what it asks for, or looks it up. */
static bool pays_once(scheduler *s, ir_op o, sched_asks a)
{
    ir_value v = ir_op_at(s->m, o)->result;
    if (!is_table(s, v, a)) {
        tell_fused(s, o, a);
        return false;
    }
    sched_tell(s, o, WRITTEN, "written to memory: a table of a few elements, of %u steps each, in which a longer array looks up what it has read",
               sched_steps(s, v));
    return true;
}

static bool tell_off(scheduler *s, ir_op o, sched_asks a)
{
    if (a.times < 2)
        tell_fused(s, o, a);
    else
        sched_tell(s, o, AGAIN, "computed again wherever it is asked for: write is off");
    return false;
}

/* Whether it is computed at so many places, or so far inside, that kernels would become long or deep, though each element is computed
 * once. */
static bool grows(scheduler *s, ir_op o)
{
    ir_value v = ir_op_at(s->m, o)->result;
    uint64_t growth = sched_growth(s, v, ir_op_at(s->m, o)->parent);
    bool deep = sched_levels(s, v) > MOST_LEVELS && !is_given(s, v);
    if (growth)
        sched_tell(s, o, WRITTEN, "written to memory: %llu operations would be written down again where it is asked for", (unsigned long long)growth);
    else if (deep)
        sched_tell(s, o, WRITTEN, "written to memory: reads and branches of its elements stand %u inside one another", sched_levels(s, v));
    return growth || deep;
}

/* By hints, by what is off, then by costs. */
static bool is_to_write(scheduler *s, ir_op o)
{
    ir_value v = ir_op_at(s->m, o)->result;
    int64_t told = sched_told(s, o, PROPERTY_WRITE, -1);
    sched_asks a = sched_asked(s, v, ir_op_at(s->m, o)->parent);
    if (told == 0)
        sched_tell(s, o, AGAIN, "computed where it is asked for: its hint `write` says so");
    if (told == 0 || (told < 0 && !a.times))
        return false;
    if (told < 0 && sched_is_off(s, DECIDE_WRITE))
        return tell_off(s, o, a);
    bool unfused = sched_is_off(s, DECIDE_FUSE) && !is_given(s, v);
    if (told > 0 || unfused)
        sched_tell(s, o, WRITTEN, "written to memory: %s", told > 0 ? "its hint `write` says so" : "fuse is off");
    else if (grows(s, o))
        return true;
    else if (a.times < 2)
        return pays_once(s, o, a);
    else
        return pays(s, o, a);
    return told > 0 || unfused;
}

static void look_at(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    const type_node t = *ir_type_at(m, ir_value_at(m, n.result)->type);
    sched_weigh(s, o);
    sched_find_levels(s, o);
    bool may = n.opcode == OP_GENERATE || n.opcode == OP_MAP || n.opcode == OP_CALL || n.opcode == OP_IF;
    if (!may || t.kind != TY_PULL || !sched_is_base(m, t.a) || s->failed)
        return;
    if (!is_written(s, n.result) && is_to_write(s, o))
        sched_write_by(s, o, BY_GRID);
}

static bool is_hosts(ir_module *m, ir_op o)
{
    return ir_op_info(ir_op_at(m, o)->opcode)->regions &&
           sched_region_worker(m, o, 0, BY_GRID) == BY_GRID;
}

/* Whether the grid does something in a region: what a branch gives is in memory then (region.c). */
static bool has_grid_work(const scheduler *s, ir_region r)
{
    ir_module *m = s->m;
    bool works = false;
    for (ir_op o = ir_region_at(m, r)->first; o && !works; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        works = ir_is_collective(m, o) || n.opcode == OP_FORCE || (n.opcode == OP_CALL && sched_works(s, n.attr));
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions && !works; i++)
            works = sched_region_worker(m, o, i, BY_GRID) == BY_GRID && has_grid_work(s, n.regions + i);
    }
    return works;
}

static void look_at_branches(scheduler *s, ir_op o)
{
    ir_region r = ir_op_at(s->m, o)->regions;
    uint32_t n = ir_op_info(ir_op_at(s->m, o)->opcode)->regions;
    if (has_grid_work(s, r) || (n > 1 && has_grid_work(s, r + 1)))
        sched_weigh_load(s, ir_op_at(s->m, o)->result);
    else
        look_at(s, o);
}

static void enter(scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions && !s->failed; i++)
        if (sched_region_worker(s->m, o, i, BY_GRID) == BY_GRID)
            sched_write(s, n.regions + i);
}

/* Loops give what is in memory. */
void sched_write(scheduler *s, ir_region r)
{
    for (ir_op o = ir_region_at(s->m, r)->first, next; o && !s->failed; o = next) {
        next = ir_op_at(s->m, o)->next;
        uint32_t code = ir_op_at(s->m, o)->opcode;
        bool hosts = is_hosts(s->m, o);
        if (hosts)
            enter(s, o);
        if (!ir_op_at(s->m, o)->result || s->failed)
            continue;
        if (!hosts)
            look_at(s, o);
        else if (code == OP_IF || code == OP_ASSERT)
            look_at_branches(s, o);
    }
}
