/* Nests: elements of the grid that are reductions.
 *
 * A thread for each element is one way among others: a warp or a block for each reads rows better,
 * and is more parallel where there are few.  The element becomes a function that gives an array and
 * what is made of its reduction, so that a skeleton says who reduces:
 *
 *   neighbours read   extents         skeleton        because
 *   apart             one             nestLong        lanes that read one row read what is near
 *   windows           one             nestWindow      threads do so as well, while a core is best at one after the other
 *   near, or the same one             nestWide        threads do so too, where there are enough, or the
 *                                                     lanes of warps that share what is reduced
 *   the same         one             nestShared      a lane has several elements for what it reads
 *   the same rows    one             nestRows        lanes load them for one another as well
 *   any               one             nestOrdered     the function does not commute
 *   any               each its own    nestRagged      lengths are seen where the work is done
 *   what lies between two offsets     nestSegments    equal shares, lanes or blocks, by the mean length (segments.c)
 *
 * Few long ones of one extent are reduced in parts.
 *
 * Left to threads are elements that reduce few things, large things or by much code, and matrices
 * whose neighbours read what is near, unless these have few elements for what each reduces.  What is chosen by the sizes of a run stands in the skeletons. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

enum {
    FEW = 32,
    MOST_SHARED = 64, /* operations of an element that stands in the code many times */
    ROW_BYTES = 4,   /* of an element of a row that lanes load for one another */
    MOST_MORE = 9    /* that a skeleton takes beside what all take */
};

/* ---- which elements are nests ---- */

bool sched_has_collective(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    bool has = ir_is_collective(m, o) ||
               (ir_op_info(n.opcode)->attr == ATTR_CALL && n.attr < s->reaches.len && s->reaches.at[n.attr]);
    for (uint32_t i = 0; !has && i < ir_op_info(n.opcode)->regions; i++)
        for (ir_op x = ir_region_at(m, n.regions + i)->first; !has && x; x = ir_op_at(m, x)->next)
            has = sched_has_collective(s, x);
    return has;
}

uint32_t sched_count_ops(ir_module *m, ir_region r)
{
    uint32_t all = 0;
    for (ir_op o = ir_region_at(m, r)->first; o && all <= SCHED_MOST_COPIED; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        all++;
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions && all <= SCHED_MOST_COPIED; i++)
            all += sched_count_ops(m, n.regions + i);
    }
    return all;
}

/* What describes an array in the element has elements of its own, which are a thread's. */
ir_op sched_reduction_in(const scheduler *s, ir_region r)
{
    ir_module *m = s->m;
    ir_op found = 0;
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        uint32_t code = ir_op_at(m, o)->opcode;
        if (!sched_has_collective(s, o) || code == OP_GENERATE || code == OP_MAP)
            continue;
        if (found || ir_op_at(m, o)->opcode != OP_REDUCE)
            return 0;
        found = o;
    }
    if (!found || !sched_is_base(m, type_of(s, ir_op_at(m, found)->result)) ||
        sched_bytes(m, type_of(s, ir_op_at(m, found)->result), SCHED_MOST_BYTES) > SCHED_MOST_BYTES ||
        ir_type_at(m, type_of(s, ir_arg(m, found, 1)))->n != 1)
        return 0;
    return found;
}

/* Whether what stands in a region uses, of the element, nothing but what is in `all`, where the region is. */
static bool is_free(const scheduler *s, ir_region r, ir_region all, ir_region inside, ir_op nest)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        for (uint32_t k = 0; k < n.nargs; k++) {
            ir_value v = ir_arg(m, o, k);
            ir_region home = ir_value_region(m, v);
            while (home && home != inside && home != all)
                home = ir_region_at(m, home)->owner
                           ? ir_op_at(m, ir_region_at(m, home)->owner)->parent
                           : 0;
            if (home == inside && !ir_visible_at(&s->e, v, ir_op_at(m, nest)->parent, nest))
                return false;
        }
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            if (!is_free(s, n.regions + i, all, inside, nest))
                return false;
    }
    return true;
}

bool sched_is_free(const scheduler *s, ir_region r, ir_region inside, ir_op nest)
{
    return is_free(s, r, r, inside, nest);
}

bool sched_is_asked(const scheduler *s, ir_value v)
{
    for (uint32_t u = ir_first_use(&s->e, v); u; u = ir_next_use(&s->e, u)) {
        uint32_t code = ir_op_at(s->m, ir_user(&s->e, u))->opcode;
        if (code != OP_DIM && code != OP_LENGTH)
            return true;
    }
    return false;
}

/* ---- calls that give arrays give way to what they do, which says how memory is read ---- */

static void inline_region(scheduler *s, ir_region r, bool all, uint32_t *left);

/* Whether a function is written for blocks of its own, which its operations have there alone. */
static bool has_own_blocks(const scheduler *s, ir_func f)
{
    return ir_property_number(s->m, (subject){ON_FUNC, f}, PROPERTY_BLOCK, 0) != 0;
}

/* A call of what has no collective: of what gives an array, or of any; and applications of what is at hand. */
static bool inline_one(scheduler *s, ir_op o, bool all)
{
    const op_node n = *ir_op_at(s->m, o);
    if (n.opcode == OP_APPLY) {
        ir_op f = made_by(s->m, ir_arg(s->m, o, 0));
        bool is_long = f && ir_op_at(s->m, f)->opcode == OP_FN && sched_count_ops(s->m, ir_op_at(s->m, f)->regions) > SCHED_MOST_COPIED;
        return !is_long && ir_inline_apply(&s->e, o);
    }
    return !sched_has_collective(s, o) && (all || ir_holds_pull(s->m, type_of(s, n.result))) &&
           !has_own_blocks(s, n.attr) && ir_inline_call(&s->e, o);
}

static void inline_calls(scheduler *s, ir_op o, bool all, uint32_t *left)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    if (n.opcode == OP_CALL || n.opcode == OP_APPLY) {
        ir_op before = s->e.before.at[o];
        if (!*left || !inline_one(s, o, all))
            return;
        --*left;
        for (ir_op x = before ? ir_op_at(m, before)->next : ir_region_at(m, n.parent)->first, next;
             x && x != n.next; x = next) {
            next = ir_op_at(m, x)->next;
            inline_calls(s, x, all, left);
        }
        return;
    }
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
        inline_region(s, n.regions + i, all, left);
}

void sched_inline_arrays(scheduler *s, ir_op o, uint32_t *left)
{
    inline_calls(s, o, false, left);
}

void sched_inline_all(scheduler *s, ir_op o, uint32_t *left)
{
    inline_calls(s, o, true, left);
}

static void inline_region(scheduler *s, ir_region r, bool all, uint32_t *left)
{
    for (ir_op o = ir_region_at(s->m, r)->first, next; o; o = next) {
        next = ir_op_at(s->m, o)->next;
        inline_calls(s, o, all, left);
    }
}

static void inline_arrays(scheduler *s, ir_op nest)
{
    ir_module *m = s->m;
    uint32_t left = SCHED_MOST_INLINED;
    inline_region(s, ir_op_at(m, nest)->regions, false, &left);
    ir_value xs = ir_arg(m, nest, 0);
    if (ir_op_at(m, nest)->opcode == OP_MAP && ir_value_at(m, xs)->kind == V_RESULT &&
        ir_holds_pull(m, ir_type_at(m, type_of(s, xs))->a))
        sched_inline_arrays(s, ir_value_at(m, xs)->def, &left);
}

/* ---- the element as a function ---- */

typedef struct nest {
    ir_op op, reduce;
    ir_value n, dims[MAX_RANK]; /* elements in all */
    uint32_t rank;
    ir_type elem;
    bool ordered; /* what combines is not seen to commute */
} nest;

static void count_elements(scheduler *s, nest *x, ir_op before)
{
    ir_module *m = s->m;
    place at = sched_before(s, before);
    bool maps = ir_op_at(m, x->op)->opcode == OP_MAP;
    for (uint32_t i = 0; i < x->rank; i++)
        x->dims[i] = maps ? sched_dim(s, at, ir_arg(m, x->op, 0), i) : ir_arg(m, x->op, i);
    x->n = sched_product(s, at, x->dims, x->rank);
}

/* What the parameters of the element are, by its number in all: at the top of its region. */
static void split_number(scheduler *s, const nest *x, ir_value k, ir_value *params)
{
    ir_module *m = s->m;
    ir_region body = ir_op_at(m, x->op)->regions;
    place top = {body, ir_region_at(m, body)->first, ir_op_at(m, x->op)->loc};
    ir_value ix[MAX_RANK] = {0}, left = k;
    for (uint32_t i = x->rank; i-- > 1;) {
        ix[i] = sched_make2(s, top, (opcode)SOP_MOD, left, x->dims[i]);
        left = sched_make2(s, top, (opcode)SOP_DIV, left, x->dims[i]);
    }
    ix[0] = left;
    if (ir_op_at(m, x->op)->opcode == OP_MAP)
        params[0] = sched_index(s, top, ir_arg(m, x->op, 0), ix, x->rank);
    else
        for (uint32_t i = 0; i < x->rank; i++)
            params[i] = ix[i];
}

/* What stands behind the reduction is the region of a function of what that gives. */
static ir_value finish(scheduler *s, const nest *x, ir_region body)
{
    ir_module *m = s->m;
    ir_op end = ir_region_at(m, body)->last;
    ir_value sum = ir_op_at(m, x->reduce)->result;
    ir_value f = sched_make(s, sched_before(s, end), OP_FN, NULL, 0, 0);
    if (s->failed)
        return 0;
    ir_op fn = ir_value_at(m, f)->def;
    place in = {ir_op_at(m, fn)->regions, 0, ir_op_at(m, fn)->loc};
    ir_value p = ir_add_param(m, in.region, type_of(s, sum), 0, true);
    ir_value_at(m, p)->annotated = 1;
    sched_yield(s, in, ir_arg(m, end, 0));
    ir_set_operand(&s->e, end, 0, f);
    ir_replace_uses(&s->e, sum, p);
    for (ir_op o = s->e.before.at[fn], before; !s->failed && o != x->reduce; o = before) {
        before = s->e.before.at[o];
        s->failed = !ir_move_op(&s->e, o, in.region, ir_region_at(m, in.region)->first);
    }
    return f;
}

/* fn { (k) ... (the array, fn { (its reduction) ... the element }) } */
static ir_value element(scheduler *s, const nest *x)
{
    ir_module *m = s->m;
    ir_value f = sched_make(s, sched_before(s, x->op), OP_FN, NULL, 0, 0), params[MAX_RANK];
    if (s->failed)
        return 0;
    ir_region body = ir_op_at(m, ir_value_at(m, f)->def)->regions;
    ir_value k = ir_add_param(m, body, type_scalar(m, ST_I32), 0, true);
    ir_value_at(m, k)->annotated = 1;
    split_number(s, x, k, params);
    ir_take_body(&s->e, ir_op_at(m, x->op)->regions, body, params);
    ir_value both[] = {ir_arg(m, x->reduce, 1), s->failed ? 0 : finish(s, x, body)};
    if (s->failed)
        return 0;
    ir_op end = ir_region_at(m, body)->last;
    ir_value t = sched_make(s, sched_before(s, end), OP_TUPLE, both, 2, 0);
    if (t)
        ir_set_operand(&s->e, end, 0, t);
    return f;
}

/* ---- the call ---- */

/* What combines, and z, for the host. */
static ir_value combine(scheduler *s, const nest *x)
{
    ir_value f = ir_region_to_fn(&s->e, x->reduce, 0);
    s->failed = s->failed || !f;
    if (!s->failed)
        s->failed = !ir_move_op(&s->e, ir_value_at(s->m, f)->def, ir_op_at(s->m, x->op)->parent, x->op);
    return f;
}

/* What is to be written stands in memory already where a skeleton has made it. */
static void leave_written(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    ir_value v = ir_op_at(m, o)->result;
    ir_op push = sched_only_user(s, v, OP_PUSH), force = push ? sched_only_user(s, ir_op_at(m, push)->result, OP_FORCE) : 0;
    if (!force)
        return;
    ir_replace_uses(&s->e, ir_op_at(m, force)->result, v);
    s->failed = !ir_erase_op(&s->e, force) || !ir_erase_op(&s->e, push) || s->failed;
}

/* Whether vectors are long enough for all that is read of them at exactly the number of an element,
 * or at that inside of it. */
static ir_value is_inside(scheduler *s, const nest *x, const sched_shared *reads, ir_value length)
{
    ir_module *m = s->m;
    place at = sched_before(s, x->op);
    ir_value all = ir_const(m, ST_BOOL, 1);
    for (uint32_t i = 0; i < reads->n && !s->failed; i++) {
        bool again = false;
        for (uint32_t k = 0; k < i && length == x->n; k++)
            again = again || reads->of[k] == reads->of[i];
        if (again)
            continue;
        ir_value args[] = {reads->inner[i] ? length : x->n, sched_dim(s, at, reads->of[i], 0)};
        ir_value fits = sched_make(s, at, (opcode)SOP_LE, args, 2, type_scalar(m, ST_BOOL));
        all = s->failed ? 0 : sched_make2(s, at, (opcode)SOP_AND, all, fits);
    }
    return all;
}

/* more: what the skeleton takes behind the number of elements. */
static void replace(scheduler *s, const nest *x, const char *name, const ir_value *more, uint32_t nmore)
{
    ir_module *m = s->m;
    place at = sched_before(s, x->op);
    ir_value args[4 + MOST_MORE] = {combine(s, x), ir_arg(m, x->reduce, 0), x->n};
    uint32_t n = 3;
    for (uint32_t i = 0; i < nmore; i++)
        args[n++] = more[i];
    uint32_t bytes = sched_bytes(m, type_of(s, ir_op_at(m, x->reduce)->result), SCHED_MOST_BYTES);
    args[n++] = s->failed ? 0 : element(s, x);
    if (s->failed)
        return;
    ir_erase_op(&s->e, x->reduce);
    ir_value v = sched_call_sized(s, at, name, BY_GRID, bytes, args, n, type_pull(m, x->elem, 1));
    if (v && x->rank > 1) {
        place in;
        ir_value ix[MAX_RANK], flat;
        ir_value shaped = sched_generate(s, at, x->dims, x->rank, x->elem, &in, ix);
        flat = s->failed ? 0 : sched_number_of(s, in, x->dims, ix, x->rank);
        if (!s->failed)
            sched_yield(s, in, sched_index(s, in, v, &flat, 1));
        v = shaped;
    }
    if (!s->failed)
        leave_written(s, x->op);
    sched_replace(s, x->op, v);
}

/* Whether what all read are rows of several elements of one small type. */
static bool has_rows(const scheduler *s, const sched_shared *reads)
{
    ir_type t = reads->nrows > 1 ? ir_type_at(s->m, type_of(s, reads->rows[0]))->a : 0;
    return t && ir_type_at(s->m, t)->kind == TY_SCALAR && sched_bytes(s->m, t, ROW_BYTES) == ROW_BYTES &&
           !sched_is_off(s, DECIDE_TILES);
}

/* Of rows: how many elements they have in local memory, the four arrays, and what makes an array of one of each. */
static uint32_t add_rows(scheduler *s, const nest *x, const sched_shared *reads, ir_value *to)
{
    ir_type t = ir_type_at(s->m, type_of(s, reads->rows[0]))->a, types[] = {t, t, t, t};
    const sched_served served = {reads->reads, reads->which, reads->nreads};
    uint32_t n = 0;
    ir_value f;
    to[n++] = sched_int(s, reads->nrows == 2 ? 2 : SCHED_MOST_SERVED);
    for (uint32_t i = 0; i < SCHED_MOST_SERVED; i++)
        to[n++] = reads->rows[i < reads->nrows ? i : reads->nrows - 1];
    to[n++] = sched_numbers(s, x->op, sched_before(s, x->op), &served, types, SCHED_MOST_SERVED, &f);
    s->failed = s->failed || !to[n - 1] || !ir_erase_op(&s->e, ir_value_at(s->m, f)->def);
    return n;
}

/* The skeleton asks whether all reads are inside, and for the bytes of a sum. */
static void replace_shared(scheduler *s, const nest *x, const char *name, ir_value length,
                           const sched_shared *reads, bool rows)
{
    ir_type sum = type_of(s, ir_op_at(s->m, x->reduce)->result);
    ir_value inside = is_inside(s, x, reads, length);
    ir_value more[MOST_MORE] = {length, inside, sched_int(s, (int64_t)sched_bytes(s->m, sum, SCHED_MOST_BYTES))};
    uint32_t n = 3 + (rows && !s->failed ? add_rows(s, x, reads, more + 3) : 0);
    if (!s->failed)
        replace(s, x, name, more, n);
}

static bool is_hosts(scheduler *s, ir_value v, ir_op at, uint32_t depth)
{
    ir_module *m = s->m;
    ir_region home = ir_op_at(m, at)->parent;
    if (ir_visible_at(&s->e, v, home, at))
        return true;
    ir_op o = made_by(m, v);
    const op_node n = *ir_op_at(m, o);
    bool plain = n.opcode == OP_TUPLE || n.opcode == OP_CONVERT || ir_op_info(n.opcode)->is_scalar;
    if (!o || depth > FEW || !plain)
        return false;
    for (uint32_t i = 0; i < n.nargs; i++)
        if (!is_hosts(s, ir_arg(m, o, i), at, depth + 1))
            return false;
    return ir_move_op(&s->e, o, home, at);
}

bool sched_is_hosts(scheduler *s, ir_value v, ir_op at)
{
    return is_hosts(s, v, at, 0);
}

static bool is_few(ir_module *m, ir_value n)
{
    return n && ir_value_at(m, n)->kind == V_CONST && (int64_t)(int32_t)ir_const_bits(m, n) < FEW;
}

/* Why a thread keeps the work, as far as the element itself tells; NULL: it need not. */
static const char *why_thread(scheduler *s, const nest *x)
{
    ir_module *m = s->m;
    ir_region r = ir_op_at(m, x->op)->regions;
    int64_t told = sched_told(s, x->op, PROPERTY_NEST, -1);
    if (told == 0)
        return "its hint `nest` says so";
    if (told < 0 && sched_is_off(s, DECIDE_NEST))
        return "nest is off";
    if (!x->reduce)
        return "it has other collectives of its own than one reduction of rank 1 to at most 32 bytes of scalars";
    if (!sched_is_free(s, ir_op_at(m, x->reduce)->regions, r, x->op) || !sched_is_hosts(s, ir_arg(m, x->reduce, 0), x->op))
        return "the function of its reduction, or what that begins with, is the element's own";
    return sched_count_ops(m, r) > SCHED_MOST_COPIED ? "it has more than 256 operations" : NULL;
}

/* Whether the elements of a matrix are read beside one another, by threads that have one each. */
static bool is_beside(const scheduler *s, const nest *x, ir_value length, sched_reading by)
{
    bool told = sched_told(s, x->op, PROPERTY_NEST, -1) > 0;
    return !told && by == READS_NEAR && length && x->rank > 1;
}

/* A copy of the nest, in front of an operation. */
static ir_op copy_nest(scheduler *s, const nest *x, ir_op before)
{
    ir_region home = ir_op_at(s->m, before)->parent;
    ir_op copy = sched_copy_op(s, x->op, home);
    s->failed = s->failed || !ir_move_op(&s->e, copy, home, before);
    return s->failed ? 0 : copy;
}

/* What used the nest uses the array that the condition chooses: the other one, or the nest. */
static void choose(scheduler *s, ir_op make, ir_value cond, ir_value other)
{
    ir_value ys = ir_op_at(s->m, make)->result;
    ir_value v = sched_make(s, sched_before(s, make), OP_IF, &cond, 1, type_of(s, ys));
    if (v)
        sched_or_else(s, v, other, make);
}

/* A matrix of few elements, as a nest of as many, which has none where there are many, which are a thread's each, or where it is
 * tiled.  That stands in front of `before`, which the nest may be in, so that what it writes is there for whatever asks. */
static void choose_few(scheduler *s, nest *x, ir_value length, ir_value tiled, ir_op before)
{
    ir_op many = x->op;
    place at = sched_before(s, before);
    count_elements(s, x, before);
    ir_value sizes[] = {s->failed ? 0 : x->dims[0], length};
    for (uint32_t i = 1; i < x->rank && !s->failed; i++)
        sizes[0] = sched_plain_call(s, at, "nest.count", (ir_value[]){sizes[0], x->dims[i]}, 2, type_scalar(s->m, ST_I32));
    ir_value few = s->failed ? 0 : sched_plain_call(s, at, "nest.thin", sizes, 2, type_scalar(s->m, ST_BOOL));
    ir_value none = sched_int(s, 0), rest = tiled ? sched_select(s, at, tiled, none, x->n) : x->n;
    ir_value own = few && rest ? sched_select(s, at, few, rest, none) : 0;
    x->op = own ? copy_nest(s, x, before) : 0;
    x->reduce = x->op ? sched_reduction_in(s, ir_op_at(s->m, x->op)->regions) : 0;
    s->failed = s->failed || !x->reduce;
    if (!s->failed)
        choose(s, many, few, ir_op_at(s->m, x->op)->result);
    if (!s->failed)
        replace(s, x, "nestThin", (ir_value[]){length, own}, 2);
}

static bool is_nest(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    const type_node t = *ir_type_at(m, type_of(s, n.result));
    bool may = (n.opcode == OP_GENERATE || n.opcode == OP_MAP) && t.kind == TY_PULL && sched_is_base(m, t.a) &&
               sched_is_asked(s, n.result);
    return may && sched_has_collective(s, o);
}

/* What is known of a nest, and who does its work. */
typedef struct choice {
    const char *why; /* a thread keeps it; NULL: it need not */
    ir_value length; /* how many elements each reduces; 0: each has its own number */
    sched_reading reads_as;
    bool beside; /* a matrix, read beside one another */
    bool shared, rows, segments;
    sched_shared reads;
    sched_segments parts;
} choice;

/* A function that is not seen to commute is a thread's, but that few long ones of one extent can be reduced in parts. */
static void find_length(scheduler *s, nest *x, choice *c)
{
    c->why = why_thread(s, x);
    c->length = c->why ? 0 : sched_extent(s, x->op, ir_arg(s->m, x->reduce, 1), 0);
    x->ordered = !c->why && !sched_commutes(s, x->reduce);
    if (x->ordered && (!c->length || x->rank > 1))
        c->why = "the function of its reduction is not seen to commute";
}

static void find_reads(scheduler *s, const nest *x, choice *c)
{
    if (c->why)
        return;
    c->reads_as = sched_reads(s, x->op, x->reduce);
    if (is_few(s->m, c->length))
        c->why = "it reduces fewer than 32 elements";
    c->beside = !c->why && is_beside(s, x, c->length, c->reads_as);
    if (c->why || c->beside || x->ordered)
        return;
    c->shared = c->length && c->reads_as != READS_APART && x->rank == 1 &&
                sched_count_ops(s->m, ir_op_at(s->m, x->op)->regions) <= MOST_SHARED &&
                sched_find_shared(s, x->op, x->reduce, &c->reads);
    c->segments = !c->length && sched_find_segments(s, x->op, x->reduce, &c->parts);
    c->rows = c->shared && has_rows(s, &c->reads);
}

static const way *way_of(const nest *x, const choice *c)
{
    static const way ragged = {"nestRagged", "each reduces as many as it likes: a block for each of fewer than 512, a warp for each of fewer than 32768, else blocks that look at the lengths"},
                     longer = {"nestLong", "neighbours reduce rows that lie apart in memory: threads for rows below 32, warps below 4096, else blocks"},
                     wide = {"nestWide", "neighbours read what is near: threads where there are enough of them, else warps, or the lanes of several"},
                     window = {"nestWindow", "neighbours read windows that overlap: threads, or parts, as of what is near; on the cores of a processor one after the other"},
                     same = {"nestShared", "all read the same: where there are many, blocks whose warps read a part each, for several elements in each lane"},
                     row = {"nestRows", "all read the same rows: where there are many, blocks whose warps take a part each, which lanes load for one another, for several elements in each lane"},
                     ordered = {"nestOrdered", "the function is not seen to commute: parts of few long ones, else a thread for each"},
                     joined = {"nestSegments", "segments lie one behind the other: by equal shares, or by lanes or a block for each, as their mean length asks"};
    return x->ordered                      ? &ordered
           : c->segments                   ? &joined
           : !c->length                    ? &ragged
           : c->reads_as == READS_APART    ? &longer
           : c->reads_as == READS_WINDOW   ? &window
           : c->rows                       ? &row
           : c->shared                     ? &same
                                           : &wide;
}

static void by_skeleton(scheduler *s, nest *x, const choice *c)
{
    const way *by = way_of(x, c);
    sched_tell(s, x->op, NEST, "each element is a reduction, by @grid.%s: %s", by->skeleton, by->because);
    count_elements(s, x, x->op);
    if (s->failed)
        return;
    if (c->segments)
        replace(s, x, by->skeleton, (ir_value[]){c->parts.offsets, c->parts.xs}, 2);
    else if (c->shared)
        replace_shared(s, x, by->skeleton, c->length, &c->reads, c->rows);
    else
        replace(s, x, by->skeleton, &c->length, c->length ? 1 : 0);
}

/* The operation of the host that a nest stands in, of the region where it stood, if tiles have moved it; else the nest. */
static ir_op at_host(const scheduler *s, ir_op make, ir_region home)
{
    ir_region r = ir_op_at(s->m, make)->parent;
    return r == home ? make : ir_region_at(s->m, r)->owner;
}

static void look_at(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    if (!is_nest(s, o))
        return;
    const type_node t = *ir_type_at(m, type_of(s, n.result));
    nest x = {.op = o, .reduce = sched_reduction_in(s, n.regions), .rank = t.n, .elem = t.a};
    choice c = {.reads_as = READS_NEAR};
    if (x.reduce)
        inline_arrays(s, o);
    x.reduce = x.reduce ? sched_reduction_in(s, n.regions) : 0;
    find_length(s, &x, &c);
    ir_value tiled = !c.why && !x.ordered && c.length && !s->failed ? sched_tiles(s, o, x.reduce, c.length) : 0;
    find_reads(s, &x, &c);
    if (c.why || c.beside)
        sched_tell(s, o, NEST_THREAD, "a thread does the work of each element: %s",
                   c.why ? c.why : "neighbours in a matrix read what is near; the lanes of several where @nest.thin says that there are few");
    if (s->failed || c.why)
        return;
    if (c.beside)
        choose_few(s, &x, c.length, tiled, at_host(s, o, n.parent));
    else
        by_skeleton(s, &x, &c);
}

static void look_at_any(scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    uint32_t left = SCHED_MOST_INLINED;
    if (n.opcode == OP_CALL)
        sched_inline_arrays(s, o, &left);
    else if (n.result)
        look_at(s, o);
}

void sched_nests(scheduler *s, ir_region r)
{
    sched_each(s, r, look_at_any);
}
