/* Elements that have more work of their own than one reduction, as several operations of the host: each reduction, scan and
 * loop is the grid's, over the arrays of all elements (lift.c, interchange.c).
 *
 *   if it pays { the arrays; generate n { what is left } } { generate n { a thread does all } }
 *
 * Where there are few elements, threads alone would leave the device empty; where there are many, they keep their arrays far
 * from one another, but need no memory for reductions.  So that is asked at run time, by the skeleton @fission.pays.
 *
 * Elements that are arrays are asked for once for each of their own elements, so there is nothing to ask: all is lifted that they
 * do but for describing arrays, behind the rules that have a use for such an array of arrays.  What cannot be lifted a thread does
 * once for each, and writes what it has (written.c). */
#include "ir/passes/distribute/distribute.h"
#include "ir/scheduled.h"

/* Loops and arrays of arrays that are lifted; arrays that are only described; reductions and others, each of which may need what all before
 * it have given, so that the code is as the square of them; the length of what is not known. */
enum { MOST_LIFTED = 16, MOST_DESCRIBED = 256, MOST_WORKS = 12, UNKNOWN = 1024 };

/* ---- what elements do ---- */

typedef struct works {
    uint32_t reductions, others, alone, closed;
    bool rows; /* some write a matrix of what all elements have */
} works;

static works count_works(const scheduler *s, ir_region r)
{
    works w = {0};
    for (ir_op o = ir_region_at(s->m, r)->first; o; o = ir_op_at(s->m, o)->next) {
        sched_work k = sched_work_of(s, o);
        w.reductions += k == WORK_REDUCTION;
        w.others += k == WORK_ROWS || k == WORK_SORT || k == WORK_INNER || k == WORK_LOOP;
        bool alone = k == WORK_FILTER || k == WORK_TABLE; /* in arrays */
        w.alone += alone;
        w.closed += k == WORK_CLOSED || alone;
        w.rows = w.rows || k == WORK_LOOP || k == WORK_ROWS || k == WORK_SORT;
    }
    return w;
}

/* The most that an operation of an element goes through, as a number of the host: 0 where that is not known. */
static ir_value length_of(scheduler *s, ir_op nest, ir_op o)
{
    ir_module *m = s->m;
    sched_work k = sched_work_of(s, o);
    bool second = k == WORK_REDUCTION || k == WORK_ROWS || k == WORK_LOOP;
    ir_value xs = second ? ir_arg(m, o, 1) : ir_op_at(m, o)->result;
    if (k == WORK_SHORT || k == WORK_FILTER || k == WORK_TABLE || k == WORK_CLOSED)
        return 0;
    for (ir_op t; (t = made_by(m, xs)) != 0 && ir_op_at(m, t)->opcode == OP_TUPLE;)
        xs = ir_arg(m, t, 0);
    const type_node n = *ir_type_at(m, type_of(s, xs));
    return n.kind == TY_PULL ? sched_extent(s, nest, xs, n.n - 1) : 0;
}

static ir_value longest(scheduler *s, ir_op nest)
{
    ir_module *m = s->m;
    ir_value most = 0;
    for (ir_op o = ir_region_at(m, ir_op_at(m, nest)->regions)->first; o && !s->failed; o = ir_op_at(m, o)->next) {
        ir_value n = length_of(s, nest, o);
        if (n && most && n != most)
            n = sched_make2(s, sched_before(s, nest), (opcode)SOP_MAX, most, n);
        most = n ? n : most;
    }
    return most ? most : sched_int(s, UNKNOWN);
}

/* ---- the two ways ---- */

/* A map, as a generate over what it maps; a generate as it is. */
static ir_op as_generate(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    const type_node t = *ir_type_at(m, type_of(s, n.result));
    const property_id hints[] = {PROPERTY_WRITE, PROPERTY_NEST, PROPERTY_FISSION};
    if (s->failed || n.opcode == OP_GENERATE)
        return s->failed ? 0 : o;
    ir_value dims[MAX_RANK], ix[MAX_RANK], xs = ir_arg(m, o, 0);
    place at = sched_before(s, o), in;
    for (uint32_t i = 0; i < t.n; i++)
        dims[i] = sched_dim(s, at, xs, i);
    ir_value v = s->failed ? 0 : sched_generate(s, at, dims, t.n, t.a, &in, ix);
    if (!v)
        return 0;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (sched_told(s, o, hints[i], -1) >= 0)
            sched_say(s, made_by(m, v), hints[i], sched_told(s, o, hints[i], -1));
    place top = {n.regions, ir_region_at(m, n.regions)->first, n.loc};
    ir_value x = sched_index(s, top, xs, ix, t.n);
    if (s->failed)
        return 0;
    ir_take_body(&s->e, n.regions, in.region, &x);
    sched_replace(s, o, v);
    return made_by(m, v);
}

/* A copy of the elements, whose work is lifted; 0: nothing is to be lifted. */
static ir_value apart(scheduler *s, place at, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    const type_node t = *ir_type_at(m, type_of(s, n.result));
    sched_element x = sched_element_of(s, o);
    ir_value ix[MAX_RANK];
    uint32_t left = MOST_LIFTED;
    place in;
    ir_value v = sched_generate(s, at, x.dims, x.rank, t.a, &in, ix);
    ir_value y = s->failed ? 0 : ir_copy_body(&s->e, x.body, in.region, ix);
    s->failed = s->failed || !y;
    if (s->failed)
        return 0;
    sched_yield(s, in, y);
    uint32_t lifted = sched_lift(s, made_by(m, v), KEEP_LAST, &left);
    return s->failed || !lifted ? 0 : v;
}

static ir_value asked(scheduler *s, ir_op o, const works *w)
{
    sched_element x = sched_element_of(s, o);
    place at = sched_before(s, o);
    ir_value n = sched_product(s, at, x.dims, x.rank);
    ir_value args[] = {n, longest(s, o), ir_const(s->m, ST_BOOL, w->rows)};
    return s->failed ? 0 : sched_plain_call(s, at, "fission.pays", args, 3, type_scalar(s->m, ST_BOOL));
}

/* Whether there is a loop among the operations whose arrays may grow, as those of a thread may not. */
static bool has_growing(const scheduler *s, ir_region r)
{
    bool has = false;
    for (ir_op o = ir_region_at(s->m, r)->first; o && !has; o = ir_op_at(s->m, o)->next)
        has = ir_op_at(s->m, o)->opcode == OP_REPEAT && sched_told(s, o, PROPERTY_GROWS, 0) == 1;
    return has;
}

/* What used the elements uses what one of the branches gives. */
static void choose(scheduler *s, ir_op o, const works *w)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    place at = sched_before(s, o);
    ir_value pays = asked(s, o, w);
    ir_value v = pays ? sched_make(s, at, OP_IF, &pays, 1, type_of(s, n.result)) : 0;
    if (!v)
        return;
    place in = {ir_op_at(m, made_by(m, v))->regions, 0, n.loc};
    ir_value lifted = apart(s, in, o);
    if (s->failed)
        return;
    if (!lifted) {
        s->failed = !ir_erase_op(&s->e, made_by(m, v)) || !ir_erase_op(&s->e, made_by(m, pays));
        sched_tell(s, o, NO_FISSION, "a thread does the work of each element: what it goes through has extents of its own, or needs what is its own");
        return;
    }
    if (has_growing(s, in.region))
        ir_set_operand(&s->e, made_by(m, v), 0, ir_const(m, ST_BOOL, 1));
    sched_or_else(s, v, lifted, o);
    sched_say(s, o, PROPERTY_NEST, 0); /* there are as many as there are threads */
    sched_tell(s, o, FISSION,
               "the work of each element becomes operations of the grid over all elements where @fission.pays says so, else a thread does it");
}

/* Whether an operation describes an array of scalars whose elements have collectives. */
static bool has_work(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    if (n.opcode != OP_GENERATE && n.opcode != OP_MAP)
        return false;
    const type_node t = *ir_type_at(m, type_of(s, n.result));
    return sched_is_base(m, t.a) && sched_is_asked(s, n.result) && sched_has_collective(s, o);
}

static bool is_told_not_to(const scheduler *s, ir_op o)
{
    return sched_told(s, o, PROPERTY_FISSION, 1) == 0 || sched_told(s, o, PROPERTY_NEST, 1) == 0;
}

/* ---- elements that are arrays ---- */

static bool is_array_of_arrays(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    if (n.opcode != OP_GENERATE && n.opcode != OP_MAP)
        return false;
    return !sched_is_base(m, ir_type_at(m, type_of(s, n.result))->a) && sched_is_asked(s, n.result);
}

/* Elements that do no more than describe arrays, of which some would be written down again and again: as arrays over all elements. */
static void lift_described(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    uint32_t left = MOST_DESCRIBED;
    if (sched_is_off(s, DECIDE_WRITE) || !sched_repeats_arrays(s, o))
        return;
    sched_open_calls(s, ir_op_at(m, o)->regions);
    o = as_generate(s, o);
    if (o && !s->failed && sched_lift_described(s, o, &left))
        sched_tell(s, o, FISSION, "the arrays that each element, which is an array, is made of become arrays over all elements");
}

static void lift_working(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    sched_open_calls(s, ir_op_at(m, o)->regions);
    works w = count_works(s, ir_op_at(m, o)->regions);
    uint32_t all = w.reductions + w.others + w.alone, left = MOST_LIFTED;
    if (s->failed || all == 0 || all > MOST_WORKS || sched_count_ops(m, ir_op_at(m, o)->regions) > SCHED_MOST_COPIED)
        return;
    o = as_generate(s, o);
    if (o && !s->failed && sched_lift(s, o, KEEP_LAST_ARRAY, &left))
        sched_tell(s, o, FISSION, "the work of each element, which is an array, becomes operations of the grid over all elements");
}

/* Numbers that an element, which is an array, has from loops: each of its own elements would go through those again. */
static ir_op lift_numbers(scheduler *s, ir_op o)
{
    if (sched_is_off(s, DECIDE_WRITE) || !sched_has_numbers(s, ir_op_at(s->m, o)->regions))
        return o;
    ir_op made = as_generate(s, o);
    if (made && !s->failed && sched_lift_numbers(s, made))
        sched_tell(s, made, FISSION, "what each element, which is an array, has from loops become arrays over all elements");
    return made;
}

static bool may_be_lifted(const scheduler *s, ir_op o)
{
    return is_array_of_arrays(s, o) && !is_told_not_to(s, o) && !sched_is_off(s, DECIDE_FISSION);
}

void sched_fission_arrays(scheduler *s, ir_op o)
{
    if (may_be_lifted(s, o) && (o = lift_numbers(s, o)) != 0 && !s->failed)
        (sched_has_collective(s, o) ? lift_working : lift_described)(s, o);
}

void sched_write_arrays(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    if (!may_be_lifted(s, o) || !sched_has_work(s, ir_op_at(m, o)->regions, 0))
        return;
    o = as_generate(s, o);
    if (o && !s->failed)
        sched_keep_arrays(s, o); /* it is a function soon */
    if (o && !s->failed && sched_write_rows(s, o))
        sched_tell(s, o, WRITTEN, "written to memory, row by row: a thread does the work of each element, which is an array, once");
}

void sched_fission(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    if (!has_work(s, o) || is_told_not_to(s, o))
        return;
    sched_open_calls(s, ir_op_at(m, o)->regions);
    works w = count_works(s, ir_op_at(m, o)->regions);
    if (s->failed || w.reductions + w.others == 0 || (w.reductions == 1 && !w.others && !w.closed))
        return;
    if (sched_is_off(s, DECIDE_FISSION)) {
        sched_tell(s, o, NO_FISSION, "a thread does the work of each element: fission is off");
        return;
    }
    if (w.reductions + w.others > MOST_WORKS) {
        sched_tell(s, o, NO_FISSION, "a thread does the work of each element: it has more than %d reductions, scans and loops", MOST_WORKS);
        return;
    }
    if (sched_count_ops(m, ir_op_at(m, o)->regions) > SCHED_MOST_COPIED) {
        sched_tell(s, o, NO_FISSION, "a thread does the work of each element: it has more than 256 operations");
        return;
    }
    o = as_generate(s, o);
    if (!o || s->failed)
        return;
    choose(s, o, &w);
}
