/* What is known of the numbers of a turn: that they are constants, products of extents, or places.
 *
 * A place is the element's own, (i, j) say, counted in row-major order: i * w + j.  Its digits are
 * i and j, whose extents are h and w, as in a number of mixed radix; so (i * w + j) mod w is j and
 * (i * w + j) / w is i, which is how what is reshaped is seen to stay where it is. */
#include "ir/data.h"
#include "ir/passes/schedule/carry/carry.h"
#include "ir/scalar/scalar.h"

#include <string.h>

enum { STEPS = 64, DEPTH = 8 };

static mem *memory(const carrying *c)
{
    return &c->s->m->cx->mem;
}

static const fact *at(const carrying *c, uint32_t k)
{
    return &c->knowns.at[k < c->knowns.len ? k : 0];
}

uint32_t carry_know(carrying *c, const fact *k)
{
    if (k->kind == KNOWN_NOT)
        return 0;
    if (!vec_push(memory(c), &c->knowns, *k)) {
        c->s->failed = true;
        return 0;
    }
    return c->knowns.len - 1;
}

uint32_t carry_know_number(carrying *c, uint64_t bits)
{
    return carry_know(c, &(fact){.kind = KNOWN_NUMBER, .bits = bits});
}

uint32_t carry_know_axis(carrying *c, uint32_t axis)
{
    return carry_know(
        c,
        &(fact){.kind = KNOWN_PLACE, .n = 1, .at = {{.axis = axis, .extent = c->extents[axis]}}});
}

bool carry_number_of(const carrying *c, uint32_t k, uint64_t *bits)
{
    *bits = at(c, k)->bits;
    return at(c, k)->kind == KNOWN_NUMBER;
}

uint32_t carry_axis_of(const carrying *c, uint32_t k)
{
    const fact *x = at(c, k);
    return x->kind == KNOWN_PLACE && x->n == 1 ? x->at[0].axis : DIGIT_NUMBER;
}

static bool same_fact(const fact *x, const fact *y)
{
    bool same = x->kind != KNOWN_NOT && x->kind == y->kind && x->bits == y->bits &&
                x->extent == y->extent && x->n == y->n;
    for (uint32_t i = 0; same && i < x->n; i++)
        same = x->at[i].axis == y->at[i].axis && x->at[i].number == y->at[i].number &&
               (!i || x->at[i].extent == y->at[i].extent);
    return same;
}

bool carry_same(const carrying *c, spot x, spot y)
{
    return (x.now && x.now == y.now) || same_fact(at(c, x.known), at(c, y.known));
}

/* ---- products of extents ---- */

static bool axes_ascend(ir_extent a, ir_extent b)
{
    return a.of < b.of || (a.of == b.of && a.axis <= b.axis);
}

/* Products that are the same are one entry; 0: there are too many factors. */
static uint32_t product(carrying *c, const extent *x)
{
    for (uint32_t i = 1; i < c->products.len; i++) {
        const extent *y = &c->products.at[i];
        if (x->number == y->number && x->n == y->n && !memcmp(x->by, y->by, x->n * sizeof *x->by))
            return i;
    }
    if (!vec_push(memory(c), &c->products, *x)) {
        c->s->failed = true;
        return 0;
    }
    return c->products.len - 1;
}

static uint32_t number_product(carrying *c, uint64_t bits)
{
    return bits <= INT32_MAX ? product(c, &(extent){.number = bits}) : 0;
}

static uint32_t times(carrying *c, uint32_t a, uint32_t b)
{
    extent x = c->products.at[a];
    const extent y = c->products.at[b];
    if (!a || !b || x.n + y.n > MAX_RANK || (y.number && x.number > INT32_MAX / y.number))
        return 0;
    x.number *= y.number;
    if (!x.number)
        return number_product(c, 0);
    for (uint32_t i = 0; i < y.n; i++) {
        uint32_t k = x.n++;
        for (; k && !axes_ascend(x.by[k - 1], y.by[i]); k--)
            x.by[k] = x.by[k - 1];
        x.by[k] = y.by[i];
    }
    return product(c, &x);
}

uint32_t carry_know_extent(carrying *c, uint32_t p)
{
    const extent *x = &c->products.at[p];
    if (!p)
        return 0;
    return x->n ? carry_know(c, &(fact){.kind = KNOWN_EXTENT, .extent = p})
                : carry_know_number(c, x->number);
}

/* A known number as a product; 0: it is none. */
static uint32_t as_product(carrying *c, uint32_t k)
{
    const fact *x = at(c, k);
    return x->kind == KNOWN_NUMBER   ? number_product(c, x->bits)
           : x->kind == KNOWN_EXTENT ? x->extent
                                     : 0;
}

/* What has the extents of xs, in the turn or in front of it; 0: xs is where it ends. */
static ir_value same_shape(carrying *c, ir_value xs)
{
    ir_module *m = c->s->m;
    meaning is = carry_meaning(c, xs);
    ir_op o = made_by(m, xs), t;
    if (is.kind == MEANS_SAME)
        return is.as;
    if (is.kind == MEANS_STATE && is.component != WHOLE)
        return c->parts[is.component].z;
    switch (o ? ir_op_at(m, o)->opcode : OP_NONE) {
    case OP_ASSERT: return ir_arg(m, ir_region_at(m, ir_op_at(m, o)->regions)->last, 0);
    case OP_PROJ:
        t = made_by(m, ir_arg(m, o, 0));
        return t && ir_op_at(m, t)->opcode == OP_TUPLE
                   ? ir_arg(m, t, (uint32_t)ir_const_bits(m, ir_arg(m, o, 1)))
                   : 0;
    default: return 0;
    }
}

static uint32_t known_within(carrying *c, ir_value v, uint32_t depth);

/* Where what is made ends: a constant's own extents, a number, or an array from elsewhere. */
static uint32_t last_extent(carrying *c, ir_extent x, uint32_t depth)
{
    ir_module *m = c->s->m;
    ir_op o = made_by(m, x.of);
    if (x.axis == EXTENT_NUMBER) {
        uint32_t p = as_product(c, known_within(c, x.of, depth));
        return p ? p : product(c, &(extent){.number = 1, .n = 1, .by = {x}});
    }
    ir_data d = ir_op_data(m, o);
    if (o && ir_op_at(m, o)->opcode == OP_CONSTANT && x.axis < d.rank)
        return number_product(c, d.extents[x.axis]);
    if (o && ir_op_at(m, o)->opcode == OP_ARRAY)
        return number_product(c, ir_op_at(m, o)->nargs);
    return product(c, &(extent){.number = 1, .n = 1, .by = {x}});
}

static uint32_t extent_within(carrying *c, ir_value xs, uint32_t axis, uint32_t depth)
{
    ir_extent x = {xs, axis};
    if (depth > DEPTH)
        return 0;
    for (uint32_t i = 0; i < STEPS; i++) {
        ir_value next = x.axis == EXTENT_NUMBER ? 0 : same_shape(c, x.of);
        if (next) {
            x.of = next;
            continue;
        }
        ir_extent back = ir_extent_of(c->s->m, x.of, x.axis);
        if (back.of == x.of && back.axis == x.axis)
            break;
        x = back;
    }
    return last_extent(c, x, depth + 1);
}

uint32_t carry_extent(carrying *c, ir_value xs, uint32_t axis)
{
    return extent_within(c, xs, axis, 0);
}

static uint32_t count_within(carrying *c, ir_value xs, uint32_t depth)
{
    uint32_t rank = ir_type_at(c->s->m, type_of(c->s, xs))->n, p = extent_within(c, xs, 0, depth);
    for (uint32_t i = 1; p && i < rank; i++)
        p = times(c, p, extent_within(c, xs, i, depth));
    return p;
}

uint32_t carry_count(carrying *c, ir_value xs)
{
    return count_within(c, xs, 0);
}

/* ---- places ---- */

/* Without what is 0 in front; a single number is a number. */
static uint32_t know_place(carrying *c, fact k)
{
    while (k.n > 1 && k.at[0].axis == DIGIT_NUMBER && !k.at[0].number) {
        memmove(k.at, k.at + 1, (k.n - 1) * sizeof *k.at);
        k.n--;
    }
    if (!k.n || (k.n == 1 && k.at[0].axis == DIGIT_NUMBER))
        return carry_know_number(c, k.n ? k.at[0].number : 0);
    k.kind = KNOWN_PLACE;
    return carry_know(c, &k);
}

/* As digits; false: it is none. */
static bool as_place(const carrying *c, uint32_t k, fact *x)
{
    *x = *at(c, k);
    if (x->kind == KNOWN_NUMBER && x->bits <= INT32_MAX)
        *x = (fact){.kind = KNOWN_PLACE,
                    .n = 1,
                    .at = {{.axis = DIGIT_NUMBER, .number = (uint32_t)x->bits}}};
    return x->kind == KNOWN_PLACE;
}

/* All values of the digits from number i on; 0: they are not known. */
static uint32_t values_from(carrying *c, const fact *x, uint32_t i)
{
    uint32_t all = number_product(c, 1);
    for (; all && i < x->n; i++)
        all = times(c, all, x->at[i].extent);
    return all;
}

/* How many of the last digits have that many values together; 0: that is none of them. */
static uint32_t digits_of(carrying *c, const fact *x, uint32_t p)
{
    for (uint32_t j = 1; j < x->n; j++)
        if (values_from(c, x, x->n - j) == p)
            return j;
    return 0;
}

/* Whether p is so many times q, or that and something. */
static bool holds(const carrying *c, uint32_t p, uint32_t q, uint64_t *factor)
{
    const extent *x = &c->products.at[p], *y = &c->products.at[q];
    bool is = p && q && y->number && x->n == y->n && !memcmp(x->by, y->by, x->n * sizeof *x->by);
    *factor = is ? x->number / y->number : 0;
    return is && *factor;
}

bool carry_is_within(carrying *c, uint32_t k, uint32_t p)
{
    fact x;
    uint64_t factor;
    if (!p || !as_place(c, k, &x))
        return false;
    const digit first = x.at[0];
    uint32_t below =
        first.axis == DIGIT_NUMBER ? number_product(c, (uint64_t)first.number + 1) : first.extent;
    return holds(c, p, times(c, below, values_from(c, &x, 1)), &factor);
}

static uint32_t scaled(carrying *c, uint32_t a, uint32_t b)
{
    fact x;
    uint32_t by = as_product(c, b), k = as_product(c, a);
    if (k && by)
        return carry_know_extent(c, times(c, k, by));
    if (!by || !as_place(c, a, &x) || x.n == MAX_RANK)
        return 0;
    x.at[x.n++] = (digit){.axis = DIGIT_NUMBER, .extent = by};
    return know_place(c, x);
}

/* A number, or an extent, which is so many times the values of y: a digit in front of it. */
static uint32_t put_in_front(carrying *c, uint32_t a, const fact *y)
{
    uint64_t factor;
    fact x = {.kind = KNOWN_PLACE, .n = y->n + 1};
    uint32_t p = as_product(c, a), q = y->at[0].axis == DIGIT_NUMBER ? 0 : values_from(c, y, 0);
    if (!p || y->n == MAX_RANK || !holds(c, p, q, &factor) || factor > INT32_MAX ||
        c->products.at[p].number % c->products.at[q].number)
        return 0;
    x.at[0] = (digit){.axis = DIGIT_NUMBER, .number = (uint32_t)factor};
    memcpy(x.at + 1, y->at, y->n * sizeof *y->at);
    return know_place(c, x);
}

/* Where the last digits of x are 0, y is what they are. */
static uint32_t joined(carrying *c, uint32_t a, uint32_t b)
{
    fact x, y;
    uint64_t bits;
    if (carry_number_of(c, b, &bits) && !bits)
        return a;
    if (!as_place(c, b, &y))
        return 0;
    if (as_product(c, a))
        return put_in_front(c, a, &y);
    if (!as_place(c, a, &x) || x.n <= y.n)
        return 0;
    digit *low = x.at + x.n - y.n;
    for (uint32_t i = 0; i < y.n; i++)
        if (low[i].axis != DIGIT_NUMBER || low[i].number || (i && low[i].extent != y.at[i].extent))
            return 0;
    if (!carry_is_within(c, b, values_from(c, &x, x.n - y.n)))
        return 0;
    for (uint32_t i = 0; i < y.n; i++)
        low[i] = (digit){y.at[i].axis, y.at[i].number, low[i].extent};
    return know_place(c, x);
}

static uint32_t rest(carrying *c, uint32_t a, uint32_t b, bool quotient)
{
    fact x;
    uint32_t p = as_product(c, b);
    if (!p || !as_place(c, a, &x))
        return 0;
    if (carry_is_within(c, a, p))
        return quotient ? carry_know_number(c, 0) : a;
    uint32_t j = digits_of(c, &x, p);
    if (!j)
        return 0;
    if (quotient)
        x.n -= j;
    else {
        memmove(x.at, x.at + x.n - j, j * sizeof *x.at);
        x.n = j;
    }
    return know_place(c, x);
}

/* ---- scalar operators ---- */

/* Extents of the place are not 0 where there is an element. */
static bool is_positive(const carrying *c, uint32_t p)
{
    const extent *e = &c->products.at[p];
    bool is = p && e->number > 0;
    for (uint32_t i = 0; is && i < e->n; i++) {
        is = false;
        for (uint32_t k = 0; !is && k < c->rank; k++) {
            const extent *own = &c->products.at[c->extents[k]];
            is = own->n == 1 && own->number == 1 && own->by[0].of == e->by[i].of &&
                 own->by[0].axis == e->by[i].axis;
        }
    }
    return is;
}

/* Whether a is below b: -1 where that is not known. */
static int is_below(carrying *c, uint32_t a, uint32_t b)
{
    uint64_t x, y;
    uint32_t p = as_product(c, b), q = as_product(c, a);
    if (p && carry_is_within(c, a, p))
        return 1;
    if (carry_number_of(c, b, &y) && y == 0 &&
        (at(c, a)->kind == KNOWN_PLACE || (q && is_positive(c, q))))
        return 0;
    if (carry_number_of(c, a, &x) && x == 0 && p && is_positive(c, p))
        return 1;
    return p && p == q ? 0 : -1;
}

static uint32_t know_bool(carrying *c, int is)
{
    return is < 0 ? 0 : carry_know_number(c, (uint64_t)is);
}

static int negated(int is)
{
    return is < 0 ? is : !is;
}

static uint32_t compared(carrying *c, uint32_t code, uint32_t a, uint32_t b)
{
    bool same = same_fact(at(c, a), at(c, b));
    int below = same ? 0 : is_below(c, a, b), above = same ? 0 : is_below(c, b, a);
    switch (code) {
    case SOP_LT: return know_bool(c, below);
    case SOP_GE: return know_bool(c, negated(below));
    case SOP_GT: return know_bool(c, above);
    case SOP_LE: return know_bool(c, negated(above));
    default: break;
    }
    int equal = same ? 1 : below > 0 || above > 0 ? 0 : -1;
    return know_bool(c, code == SOP_EQ ? equal : negated(equal));
}

/* and, or: of what is known to decide, or to leave the other one. */
static uint32_t connected(carrying *c, ir_op o, uint32_t a, uint32_t b)
{
    uint64_t x, y;
    bool is_or = ir_op_at(c->s->m, o)->opcode == SOP_OR;
    bool knows_a = carry_number_of(c, a, &x), knows_b = carry_number_of(c, b, &y);
    if (type_as_scalar(c->s->m, type_of(c->s, ir_op_at(c->s->m, o)->result)) != ST_BOOL)
        return 0;
    if ((knows_a && x == is_or) || (knows_b && y == is_or))
        return carry_know_number(c, is_or);
    return knows_a ? b : knows_b ? a : 0;
}

/* The one that is not above, or not below, the other. */
static uint32_t extreme(carrying *c, uint32_t code, const uint32_t *k)
{
    int below = is_below(c, k[0], k[1]), above = below < 0 ? is_below(c, k[1], k[0]) : -1;
    if (below < 0 && above < 0)
        return same_fact(at(c, k[0]), at(c, k[1])) ? k[0] : 0;
    bool first_less = below > 0 || above == 0;
    return k[first_less == (code == SOP_MIN) ? 0 : 1];
}

static uint32_t with_place(carrying *c, ir_op o, const uint32_t *k)
{
    uint32_t code = ir_op_at(c->s->m, o)->opcode, p;
    uint64_t bits;
    switch (code) {
    case SOP_MUL: return (p = scaled(c, k[0], k[1])) ? p : scaled(c, k[1], k[0]);
    case SOP_ADD: return (p = joined(c, k[0], k[1])) ? p : joined(c, k[1], k[0]);
    case SOP_SUB: return carry_number_of(c, k[1], &bits) && !bits ? k[0] : 0;
    case SOP_MOD: return rest(c, k[0], k[1], false);
    case SOP_DIV: return rest(c, k[0], k[1], true);
    case SOP_MIN:
    case SOP_MAX: return extreme(c, code, k);
    case SOP_EQ:
    case SOP_NE:
    case SOP_LT:
    case SOP_LE:
    case SOP_GT:
    case SOP_GE: return compared(c, code, k[0], k[1]);
    default: return 0;
    }
}

static uint32_t known_result(carrying *c, ir_op o, const uint32_t *k)
{
    ir_module *m = c->s->m;
    const op_node n = *ir_op_at(m, o);
    uint64_t bits[3] = {0};
    bool chooses = n.opcode == SOP_SELECT, all = true;
    for (uint32_t i = 0; i < n.nargs; i++)
        all = carry_number_of(c, k[i], &bits[i]) && all;
    if (chooses && carry_number_of(c, k[0], &bits[0]))
        return k[bits[0] ? 1 : 2];
    scalar t = type_as_scalar(m, type_of(c->s, ir_arg(m, o, chooses)));
    if (all && t)
        return carry_know_number(c, scalar_eval((opcode)n.opcode, t, bits));
    if (n.opcode == SOP_AND || n.opcode == SOP_OR)
        return connected(c, o, k[0], k[1]);
    return n.nargs == 2 && ir_scalar_class(t) == 'I' ? with_place(c, o, k) : 0;
}

static bool is_scalar_op(const op_node *n)
{
    return ir_op_info(n->opcode)->is_scalar && n->nargs <= 3;
}

uint32_t carry_known_result(carrying *c, ir_op o)
{
    const op_node n = *ir_op_at(c->s->m, o);
    uint32_t k[3] = {0};
    if (!is_scalar_op(&n))
        return 0;
    for (uint32_t i = 0; i < n.nargs; i++)
        k[i] = carry_known_of(c, ir_arg(c->s->m, o, i));
    return known_result(c, o, k);
}

/* Of the host's numbers: what they are computed from, to a depth. */
static uint32_t known_outside(carrying *c, ir_value v, uint32_t depth)
{
    ir_module *m = c->s->m;
    ir_op o = made_by(m, v);
    const op_node n = *ir_op_at(m, o);
    uint32_t k[3] = {0};
    if (ir_value_at(m, v)->kind == V_CONST)
        return carry_know_number(c, ir_const_bits(m, v));
    if (!o || depth > DEPTH)
        return 0;
    if (n.opcode == OP_DIM || n.opcode == OP_LENGTH) {
        uint32_t axis = n.opcode == OP_DIM ? (uint32_t)ir_const_bits(m, ir_arg(m, o, 1)) : 0;
        return carry_know_extent(c, n.opcode == OP_DIM
                                        ? extent_within(c, ir_arg(m, o, 0), axis, depth)
                                        : count_within(c, ir_arg(m, o, 0), depth));
    }
    if (!is_scalar_op(&n))
        return 0;
    for (uint32_t i = 0; i < n.nargs; i++)
        k[i] = known_within(c, ir_arg(m, o, i), depth + 1);
    return known_result(c, o, k);
}

static uint32_t known_within(carrying *c, ir_value v, uint32_t depth)
{
    meaning is = carry_meaning(c, v);
    return is.kind == MEANS_VALUE    ? is.is.known
           : is.kind == MEANS_ITSELF ? known_outside(c, v, depth)
                                     : 0;
}

uint32_t carry_known_of(carrying *c, ir_value v)
{
    return known_within(c, v, 0);
}

/* ---- as values ---- */

/* An extent of the place is there; others are numbers of the host, or asked of an array there. */
static ir_value factor(carrying *c, ir_extent x)
{
    for (uint32_t i = 0; i < c->rank; i++) {
        const extent *e = &c->products.at[c->extents[i]];
        if (c->dims[i] && e->n == 1 && e->number == 1 && e->by[0].of == x.of &&
            e->by[0].axis == x.axis)
            return c->dims[i];
    }
    if (!ir_visible_at(&c->s->e, x.of, ir_op_at(c->s->m, c->loop)->parent, c->loop))
        return 0;
    return x.axis == EXTENT_NUMBER ? x.of : sched_dim(c->s, carry_front(c), x.of, x.axis);
}

ir_value carry_value(carrying *c, uint32_t k, ir_type t)
{
    ir_module *m = c->s->m;
    const fact x = *at(c, k);
    if (x.kind == KNOWN_NUMBER && type_as_scalar(m, t))
        return ir_const(m, type_as_scalar(m, t), x.bits);
    if (x.kind == KNOWN_PLACE)
        return x.n == 1 && x.at[0].axis != DIGIT_NUMBER ? c->ix[x.at[0].axis] : 0;
    if (x.kind != KNOWN_EXTENT)
        return 0;
    const extent e = c->products.at[x.extent];
    ir_value v = e.number == 1 ? 0 : sched_int(c->s, (int64_t)e.number);
    for (uint32_t i = 0; i < e.n; i++) {
        ir_value f = factor(c, e.by[i]);
        if (!f || c->s->failed)
            return 0;
        v = v ? sched_make2(c->s, carry_front(c), (opcode)SOP_MUL, v, f) : f;
    }
    return v;
}
