/* How the elements of a nest read memory, and how many each has: what decides who reduces them; and
 * along which axis an array's elements do.
 *
 * What an index depends on is followed through the arrays that fuse: the number of the nest's
 * element, in which neighbouring threads differ, and the number inside of it; or each index of an
 * array's element, through calls too.  Costs what is followed, of which there is a most. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

enum { OWN = 1, INNER = 2, AXIS0 = 4, MOST_FOLLOWED = 4096, DEEPEST = 64 };
enum { EXACT = 1 << 30 }; /* it is that index, and nothing computed from it */
enum { FAR = 1 << 29 };   /* the element's number is in it otherwise than added: neighbours may lie apart */
/* Kinds of reads: such that nobody serves, such that somebody does (of the first side, and one more for each other), and
 * what is of several. */
enum { MOST_VISITED = 64, ALONE = 0, SERVED = 1, MIXED = UINT8_MAX };

/* A call that is gone into. */
typedef struct caller {
    ir_op call;
    const struct caller *outer;
} caller;

/* A read that has been followed, and of which kind it was. */
typedef struct visit {
    ir_op read;
    uint8_t kind;
} visit;

typedef struct reader {
    scheduler *s;
    ir_op nest;
    uint32_t followed, depth;
    bool apart, window; /* window: what is inside moves along the same axis as the element */
    uint32_t rank;            /* of the array whose axes are followed; 0: a nest is */
    uint32_t along[MAX_RANK]; /* how many arrays are read along each axis: in memory it is the last one */
    const caller *caller;
    sched_reuse *reuse; /* reads that can be served by tiles; NULL: those are not looked for */
    bool unserved;      /* something else differs in the number inside and along an axis */
    sched_shared *shared; /* reads at exactly a number; NULL: those are not looked for */
    visit visited[MOST_VISITED]; /* reads that may be served */
    uint32_t nvisited;
    bool mixed, streams;  /* a read depends on what is inside and on the element; on what is inside */
} reader;

static uint32_t mask_of(const reader *r, ir_value v)
{
    return v < r->s->masks.len ? r->s->masks.at[v] : 0;
}

static void set_mask(reader *r, ir_value v, uint32_t mask)
{
    if (v < r->s->masks.len)
        r->s->masks.at[v] = mask;
}

static uint32_t follow_region(reader *r, ir_region g);
static uint32_t follow(reader *r, ir_value xs, const uint32_t *ix, uint32_t n);

static uint32_t axis_bit(uint32_t k)
{
    return (uint32_t)AXIS0 << k;
}

/* A read lies along the array's own last axis, or along another one while the last one is somewhere else. */
static void note_axis(reader *r, uint32_t last, uint32_t all)
{
    uint32_t own = r->rank - 1;
    if (last & axis_bit(own))
        r->along[own]++;
    else if (last >= AXIS0 && !(last & (OWN | INNER)) && (all & axis_bit(own)))
        for (uint32_t k = 0; k < own; k++)
            r->along[k] += (last & axis_bit(k)) != 0;
}

/* An array in memory, as far as one sees: neighbours read apart where what is inside of an element
 * lies along the last axis, and the element somewhere else, or not beside its neighbours. */
static uint32_t leaf(reader *r, const uint32_t *ix, uint32_t n)
{
    uint32_t all = 0, front = 0;
    for (uint32_t i = 0; i < n; i++) {
        front = all;
        all |= ix[i];
    }
    if (r->rank && n)
        note_axis(r, ix[n - 1], all);
    bool inside = n && (ix[n - 1] & INNER), own = n && (ix[n - 1] & OWN);
    r->apart = r->apart || (inside && ((front & OWN) || (own && (ix[n - 1] & FAR))));
    r->window = r->window || (inside && own);
    all &= ~(uint32_t)(EXACT | FAR);
    r->unserved = r->unserved || ((all & INNER) && all >= AXIS0);
    r->mixed = r->mixed || ((all & INNER) && (all & OWN));
    r->streams = r->streams || (all & INNER);
    return all;
}

static uint32_t with_params(reader *r, ir_region g, const uint32_t *masks)
{
    const region_node n = *ir_region_at(r->s->m, g);
    for (uint32_t i = 0; i < n.nparams; i++) {
        set_mask(r, n.params + i, masks[i]);
        sched_bind(r->s, n.params + i, 0);
    }
    return follow_region(r, g);
}

/* The array that an element of an array of arrays is, with what its number depends on set. */
static ir_value inner_array(reader *r, ir_value outer, const uint32_t *ix)
{
    ir_module *m = r->s->m;
    ir_op o = made_by(m, outer);
    if (!o || ir_op_at(m, o)->opcode != OP_GENERATE)
        return 0;
    ir_region g = ir_op_at(m, o)->regions;
    with_params(r, g, ix);
    return ir_arg(m, ir_region_at(m, g)->last, 0);
}

static uint32_t follow_map(reader *r, ir_op o, const uint32_t *ix, uint32_t n)
{
    ir_module *m = r->s->m;
    uint32_t of = follow(r, ir_arg(m, o, 0), ix, n);
    return with_params(r, ir_op_at(m, o)->regions, &of);
}

/* ---- calls ---- */

/* The body of a function that is gone into, 0: it is not. */
static ir_region body_of_call(const reader *r, ir_op o)
{
    ir_module *m = r->s->m;
    const op_node *n = ir_op_at(m, o);
    return r->rank && o && n->opcode == OP_CALL && r->depth < DEEPEST ? ir_func_at(m, n->attr)->body : 0;
}

/* The parameters of a body are the operands of the operation from number `first` on. */
static void bind_params(reader *r, ir_region body, ir_op o, uint32_t first)
{
    const region_node g = *ir_region_at(r->s->m, body);
    for (uint32_t i = 0; i < g.nparams; i++) {
        ir_value v = ir_arg(r->s->m, o, first + i);
        set_mask(r, g.params + i, mask_of(r, v));
        sched_bind(r->s, g.params + i, sched_known(r->s, v));
    }
}

/* An element of the array that a call gives, at ix; or the scalar that it gives, of n 0. */
static uint32_t follow_call(reader *r, ir_op o, const uint32_t *ix, uint32_t n)
{
    ir_module *m = r->s->m;
    ir_region body = body_of_call(r, o);
    const region_node g = *ir_region_at(m, body);
    const caller c = {o, r->caller};
    bind_params(r, body, o, 0);
    r->depth++;
    r->caller = &c;
    uint32_t got = follow_region(r, body);
    if (n)
        got |= follow(r, ir_arg(m, g.last, 0), ix, n);
    r->caller = c.outer;
    r->depth--;
    return got;
}

/* The array that a function was called with. */
static uint32_t follow_argument(reader *r, uint32_t k, const uint32_t *ix, uint32_t n)
{
    const caller *c = r->caller;
    r->caller = c->outer;
    uint32_t got = follow(r, ir_arg(r->s->m, c->call, k), ix, n);
    r->caller = c;
    return got;
}

static bool is_argument(const reader *r, ir_value xs, uint32_t *k)
{
    ir_module *m = r->s->m;
    if (!r->caller || ir_value_at(m, xs)->kind != V_PARAM)
        return false;
    ir_region body = ir_func_at(m, ir_op_at(m, r->caller->call)->attr)->body;
    *k = xs - ir_region_at(m, body)->params;
    return ir_value_region(m, xs) == body;
}

/* What an element of xs depends on, whose indices depend on ix. */
static uint32_t follow(reader *r, ir_value xs, const uint32_t *ix, uint32_t n)
{
    ir_module *m = r->s->m;
    ir_op o = made_by(m, xs);
    const op_node node = *ir_op_at(m, o);
    uint32_t own[MAX_RANK], got, k;
    ir_value inner = 0;
    if (r->depth > DEEPEST || r->followed > MOST_FOLLOWED)
        return leaf(r, ix, n);
    if (body_of_call(r, o))
        return follow_call(r, o, ix, n);
    if (is_argument(r, xs, &k))
        return follow_argument(r, k, ix, n);
    r->depth++;
    if (node.opcode == OP_INDEX) {
        for (uint32_t i = 0; i + 1 < node.nargs; i++)
            own[i] = mask_of(r, ir_arg(m, o, i + 1));
        inner = inner_array(r, ir_arg(m, o, 0), own);
    } else if (!o && ir_value_at(m, xs)->kind == V_PARAM &&
               ir_value_region(m, xs) == ir_op_at(m, r->nest)->regions) {
        own[0] = OWN;
        inner = inner_array(r, ir_arg(m, r->nest, 0), own);
    }
    if (inner)
        got = follow(r, inner, ix, n);
    else if (o && node.opcode == OP_GENERATE)
        got = with_params(r, node.regions, ix);
    else if (o && node.opcode == OP_MAP)
        got = follow_map(r, o, ix, n);
    else
        got = leaf(r, ix, n) | mask_of(r, xs);
    r->depth--;
    return got;
}

/* Whether what a read is of is the host's. */
static bool reads_host(const reader *r, ir_op o)
{
    return sched_sees(r->s, ir_arg(r->s->m, o, 0), r->nest);
}

/* Of which kind a read is, wherever it is followed: a function of an element's own may be asked for
 * elements at several places, and whoever serves a read does so at all of them. */
static uint8_t visit_as(reader *r, ir_op o, uint8_t now)
{
    uint32_t i = 0;
    while (i < r->nvisited && r->visited[i].read != o)
        i++;
    if (i == MOST_VISITED)
        return MIXED;
    if (i == r->nvisited)
        r->visited[r->nvisited++] = (visit){o, now};
    if (r->visited[i].kind != now)
        r->visited[i].kind = MIXED;
    return r->visited[i].kind;
}

/* A read of a matrix that the host has, in the number inside of the element and in one of its two axes: of
 * the first side or the second one.  False: what is read is no such matrix. */
static bool note_read(reader *r, ir_op o, const uint32_t *ix, uint32_t n)
{
    sched_reuse *to = r->reuse;
    ir_value xs = ir_arg(r->s->m, o, 0);
    if (!to || !reads_host(r, o))
        return false;
    uint32_t across = n == 2 && ix[1] == (INNER | EXACT), own = n == 2 ? ix[1 - across] : 0,
             side = own == (AXIS0 << 1 | EXACT);
    bool fits = n == 2 && ix[across] == (INNER | EXACT) && (side || own == (AXIS0 | EXACT));
    fits = fits && to->n < SCHED_MOST_READS &&
           (!to->of[side] || (to->of[side] == xs && to->across[side] == across));
    r->unserved = visit_as(r, o, fits ? (uint8_t)(SERVED + side) : ALONE) == MIXED || r->unserved;
    if (!fits) {
        leaf(r, ix, n);
        return true;
    }
    to->of[side] = xs;
    to->across[side] = across;
    to->reads[to->n] = o;
    to->side[to->n++] = (uint8_t)side;
    return true;
}

/* A read by the element itself: whether it is of a vector that the host has, at the number inside. */
static void note_row(reader *r, ir_op o, uint32_t ix)
{
    ir_module *m = r->s->m;
    if (!r->shared || !ir_is_inside(m, ir_op_at(m, o)->parent, r->nest))
        return;
    bool fits = ir_op_at(m, o)->nargs == 2 && ix == (INNER | EXACT) && reads_host(r, o);
    visit_as(r, o, fits ? SERVED : ALONE);
}

/* The arrays of such reads become rows, if they have elements of one type; what else is read is read as it was. */
static void make_rows(reader *r)
{
    sched_shared *to = r->shared;
    for (uint32_t k = 0; k < r->nvisited && to->nreads < SCHED_MOST_READS; k++) {
        ir_value xs = ir_arg(r->s->m, r->visited[k].read, 0);
        uint32_t i = 0;
        while (i < to->nrows && to->rows[i] != xs)
            i++;
        if (r->visited[k].kind != SERVED || i == SCHED_MOST_SERVED ||
            (i && type_of(r->s, xs) != type_of(r->s, to->rows[0])))
            continue;
        to->rows[i] = xs;
        to->nrows = i == to->nrows ? i + 1 : to->nrows;
        to->reads[to->nreads] = r->visited[k].read;
        to->which[to->nreads++] = (uint8_t)i;
    }
}

/* A read of a vector that the host has, at the number of the element or at that inside of it. */
static void note_shared(reader *r, ir_op o, uint32_t ix)
{
    sched_shared *to = r->shared;
    ir_value xs = ir_arg(r->s->m, o, 0);
    if (!to || ir_op_at(r->s->m, o)->nargs != 2 || (ix != (OWN | EXACT) && ix != (INNER | EXACT)) ||
        !reads_host(r, o))
        return;
    bool inner = (ix & INNER) != 0;
    for (uint32_t i = 0; i < to->n; i++)
        if (to->of[i] == xs && to->inner[i] == inner)
            return;
    if (to->n == SCHED_MOST_READS)
        return;
    to->of[to->n] = xs;
    to->inner[to->n++] = inner;
}

/* Whether an operation leaves neighbours beside one another. */
static bool moves_along(uint32_t code)
{
    return code == (uint32_t)SOP_ADD || code == (uint32_t)SOP_SUB || code == (uint32_t)SOP_MIN || code == (uint32_t)SOP_MAX ||
           code == (uint32_t)SOP_SELECT || code == OP_CONVERT;
}

static uint32_t follow_any(reader *r, ir_op o);

static uint32_t follow_op(reader *r, ir_op o)
{
    uint32_t mask = follow_any(r, o);
    bool far = (mask & OWN) && !moves_along(ir_op_at(r->s->m, o)->opcode);
    return far ? mask | FAR : mask;
}

/* The only region of an operation that counts, as far as one knows: the body of the function that is applied, or the branch that is
 * taken; 0: there is none. */
static ir_region only_region(reader *r, ir_op o)
{
    ir_module *m = r->s->m;
    const op_node n = *ir_op_at(m, o);
    ir_op f = r->rank && n.opcode == OP_APPLY ? made_by(m, sched_known(r->s, ir_arg(m, o, 0))) : 0;
    if (f && ir_op_at(m, f)->opcode == OP_FN && r->depth < DEEPEST) {
        ir_region body = ir_op_at(m, f)->regions;
        if (ir_region_at(m, body)->nparams + 1u != n.nargs)
            return 0;
        bind_params(r, body, o, 1);
        return body;
    }
    int holds = r->rank && n.opcode == OP_IF ? sched_truth(r->s, ir_arg(m, o, 0)) : -1;
    return holds < 0 ? 0 : n.regions + (holds ? 0 : 1);
}

/* What the result of an operation depends on. */
static uint32_t follow_any(reader *r, ir_op o)
{
    ir_module *m = r->s->m;
    const op_node n = *ir_op_at(m, o);
    uint32_t mask = 0, ix[MAX_RANK + 1] = {0};
    for (uint32_t i = 0; i < n.nargs; i++) {
        ir_value v = ir_arg(m, o, i);
        mask |= mask_of(r, v) & ~(uint32_t)EXACT;
        if (n.opcode == OP_CALL || n.opcode == OP_APPLY)
            r->unserved = r->unserved || ir_holds_pull(m, ir_value_at(m, v)->type);
    }
    if (n.opcode == OP_GENERATE || n.opcode == OP_MAP)
        return mask; /* followed where elements are asked for */
    if (n.opcode == OP_INDEX) {
        for (uint32_t i = 0; i + 1 < n.nargs; i++)
            ix[i] = mask_of(r, ir_arg(m, o, i + 1));
        if (note_read(r, o, ix, n.nargs - 1u))
            return mask;
        note_row(r, o, ix[0]);
        note_shared(r, o, ix[0]);
        return mask | follow(r, ir_arg(m, o, 0), ix, n.nargs - 1u);
    }
    ir_region only = only_region(r, o);
    if (only) {
        r->depth++;
        mask = follow_region(r, only);
        r->depth--;
        return mask;
    }
    if (body_of_call(r, o))
        return ir_holds_pull(m, ir_value_at(m, n.result)->type) ? mask : mask | follow_call(r, o, NULL, 0);
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++) {
        const region_node g = *ir_region_at(m, n.regions + i);
        for (uint32_t k = 0; k < g.nparams; k++) {
            set_mask(r, g.params + k, mask | OWN | INNER | FAR);
            sched_bind(r->s, g.params + k, 0);
        }
        mask |= follow_region(r, n.regions + i);
    }
    return mask;
}

static uint32_t follow_region(reader *r, ir_region g)
{
    ir_module *m = r->s->m;
    ir_op end = ir_region_at(m, g)->last;
    for (ir_op o = ir_region_at(m, g)->first; o && o != end; o = ir_op_at(m, o)->next) {
        if (r->followed++ > MOST_FOLLOWED) {
            r->apart = true;
            break;
        }
        set_mask(r, ir_op_at(m, o)->result, follow_op(r, o));
    }
    return mask_of(r, ir_arg(m, end, 0));
}

static bool has_masks(scheduler *s)
{
    uint32_t last = s->m->values.len - 1;
    return sched_has_entry(s, &s->masks, last) && sched_has_entry(s, &s->known, last);
}

uint32_t sched_turned_axis(scheduler *s, ir_value v)
{
    reader r = {.s = s, .rank = ir_type_at(s->m, ir_value_at(s->m, v)->type)->n};
    uint32_t ix[MAX_RANK], axis = r.rank - 1;
    if (!has_masks(s))
        return axis;
    for (uint32_t i = 0; i < r.rank; i++)
        ix[i] = axis_bit(i);
    follow(&r, v, ix, r.rank);
    for (uint32_t k = 0; k < r.rank; k++)
        if (r.along[k] > r.along[axis])
            axis = k;
    return r.followed > MOST_FOLLOWED ? r.rank - 1 : axis;
}

/* What stands in front of the reduction in an element. */
static void follow_front(reader *r, ir_op first, ir_op reduce)
{
    ir_module *m = r->s->m;
    for (ir_op o = first; o && o != reduce; o = ir_op_at(m, o)->next)
        set_mask(r, ir_op_at(m, o)->result, follow_op(r, o));
}

bool sched_find_reuse(scheduler *s, ir_op nest, ir_op reduce, sched_reuse *to)
{
    ir_module *m = s->m;
    reader r = {.s = s, .nest = nest, .reuse = to};
    uint32_t inner[] = {INNER | EXACT};
    const region_node g = *ir_region_at(m, ir_op_at(m, nest)->regions);
    *to = (sched_reuse){0};
    if (ir_op_at(m, nest)->opcode != OP_GENERATE || g.nparams != 2 || !has_masks(s))
        return false;
    for (uint32_t i = 0; i < 2; i++)
        set_mask(&r, g.params + i, (uint32_t)AXIS0 << i | EXACT);
    follow_front(&r, g.first, reduce);
    follow(&r, ir_arg(m, reduce, 1), inner, 1);
    return !r.unserved && r.followed <= MOST_FOLLOWED && to->of[0] && to->of[1];
}

sched_reading sched_reads(scheduler *s, ir_op nest, ir_op reduce)
{
    ir_module *m = s->m;
    reader r = {.s = s, .nest = nest};
    uint32_t inner[] = {INNER};
    const region_node g = *ir_region_at(m, ir_op_at(m, nest)->regions);
    if (!has_masks(s))
        return READS_APART;
    for (uint32_t i = 0; i < g.nparams; i++)
        set_mask(&r, g.params + i, i + 1 == g.nparams ? OWN : 0);
    follow_front(&r, g.first, reduce);
    r.apart = r.window = false; /* what is read once for an element does not count */
    follow(&r, ir_arg(m, reduce, 1), inner, 1);
    return r.apart ? READS_APART : r.window ? READS_WINDOW : READS_NEAR;
}

bool sched_find_shared(scheduler *s, ir_op nest, ir_op reduce, sched_shared *to)
{
    ir_module *m = s->m;
    reader r = {.s = s, .nest = nest, .shared = to};
    uint32_t inner[] = {INNER | EXACT};
    const region_node g = *ir_region_at(m, ir_op_at(m, nest)->regions);
    *to = (sched_shared){0};
    if (ir_op_at(m, nest)->opcode != OP_GENERATE || g.nparams != 1 || !has_masks(s))
        return false;
    set_mask(&r, g.params, OWN | EXACT);
    follow_front(&r, g.first, reduce);
    r.mixed = false; /* what is read once for an element does not count */
    follow(&r, ir_arg(m, reduce, 1), inner, 1);
    make_rows(&r);
    return r.streams && !r.mixed && r.followed <= MOST_FOLLOWED;
}

/* ---- extents ---- */

static ir_value extent(scheduler *s, ir_op nest, ir_value xs, uint32_t axis, uint32_t depth);

static bool is_sum(uint32_t code)
{
    return code == SOP_MIN || code == SOP_MAX || code == SOP_ADD || code == SOP_SUB || code == SOP_MUL;
}

/* A number of an element as one that the host has: 0 where that is not to be seen. */
static ir_value at_host(scheduler *s, ir_op nest, ir_value v, uint32_t depth)
{
    ir_module *m = s->m;
    place at = sched_before(s, nest);
    if (ir_visible_at(&s->e, v, at.region, nest))
        return v;
    ir_op o = made_by(m, v);
    const op_node n = *ir_op_at(m, o);
    if (!o || depth > DEEPEST)
        return 0;
    if (n.opcode == OP_LENGTH)
        return extent(s, nest, ir_arg(m, o, 0), 0, depth + 1);
    if (n.opcode == OP_DIM && ir_value_at(m, ir_arg(m, o, 1))->kind == V_CONST)
        return extent(s, nest, ir_arg(m, o, 0), (uint32_t)ir_const_bits(m, ir_arg(m, o, 1)), depth + 1);
    if (!is_sum(n.opcode))
        return 0;
    ir_value x = at_host(s, nest, ir_arg(m, o, 0), depth + 1),
             y = x ? at_host(s, nest, ir_arg(m, o, 1), depth + 1) : 0;
    return y ? sched_make2(s, at, (opcode)n.opcode, x, y) : 0;
}

/* What updates and turns of loops leave as it was. */
static ir_value kept_extent(scheduler *s, ir_op nest, ir_value xs, uint32_t axis, uint32_t depth)
{
    ir_extent e = ir_extent_of(s->m, xs, axis);
    if (e.axis == EXTENT_NUMBER)
        return at_host(s, nest, e.of, depth + 1);
    return e.of != xs ? extent(s, nest, e.of, e.axis, depth + 1) : 0;
}

static ir_value extent(scheduler *s, ir_op nest, ir_value xs, uint32_t axis, uint32_t depth)
{
    ir_module *m = s->m;
    place at = sched_before(s, nest);
    if (ir_visible_at(&s->e, xs, at.region, nest))
        return sched_dim(s, at, xs, axis);
    ir_op o = made_by(m, xs), outer = 0;
    const op_node n = *ir_op_at(m, o);
    if (depth > DEEPEST)
        return 0;
    if (n.opcode == OP_INDEX)
        outer = made_by(m, ir_arg(m, o, 0));
    else if (!o && ir_value_region(m, xs) == ir_op_at(m, nest)->regions)
        outer = made_by(m, ir_arg(m, nest, 0));
    if (outer && ir_op_at(m, outer)->opcode == OP_GENERATE)
        return extent(s, nest, ir_arg(m, ir_region_at(m, ir_op_at(m, outer)->regions)->last, 0), axis,
                      depth + 1);
    if (o && n.opcode == OP_GENERATE && axis < n.nargs)
        return at_host(s, nest, ir_arg(m, o, axis), depth + 1);
    if (o && n.opcode == OP_MAP)
        return extent(s, nest, ir_arg(m, o, 0), axis, depth + 1);
    if (o && (n.opcode == OP_SCAN || n.opcode == OP_SCANEX))
        return extent(s, nest, ir_arg(m, o, 1), axis, depth + 1);
    ir_value item = o ? ir_item_of(m, o) : 0;
    return item ? extent(s, nest, item, axis, depth + 1) : kept_extent(s, nest, xs, axis, depth);
}

ir_value sched_extent(scheduler *s, ir_op nest, ir_value xs, uint32_t axis)
{
    return extent(s, nest, xs, axis, 0);
}

ir_value sched_at_host(scheduler *s, ir_op nest, ir_value v)
{
    return at_host(s, nest, v, 0);
}
