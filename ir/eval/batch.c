/* Elements of a pull array in lanes: their region is run once for all of them (lanes.h).
 *
 * Only regions that compute scalars from scalars and from elements of other such arrays are run
 * this way.  Nothing in them loops or has an effect, so a batch that cannot go on is dropped, and
 * its elements are computed one by one, as if it had never begun: that is where everything that
 * goes wrong is reported, at the element that comes first.
 *
 * An `if` that lanes decide differently runs both branches, each for its own lanes.  Of an array
 * whose elements are asked for again and again, all are computed at once and kept (known.c); of
 * others the last batch is, by its indices. */
#include "ir/base/context.h"
#include "ir/eval/batch.h"
#include "ir/host.h"
#include "ir/scalar/scalar.h"

#include <string.h>

enum {
    BATCH_BYTES = 1 << 20, /* that a batch may need */
    SPARE_BYTES = 1 << 23, /* what the limit must leave ... */
    SPARE_STEPS = 1 << 20  /* ... and of steps, so that the last ones are done one by one */
};

/* Arrays in one another; what they share and is not found again is bounded by BATCH_BYTES. */
enum { DEEP = 64, TABLE = 128 };

/* The batch that was asked for last of an array. */
typedef struct recent {
    uint64_t number;
    uint64_t visit; /* the last one that needed it */
    uint64_t batch; /* in which the elements `got` at the indices `at` were computed */
    uint32_t n;
    lanes at[MAX_RANK], got;
} recent;

struct recent_batches {
    recent table[TABLE];
    uint64_t batches; /* so far */
    uint64_t visits;  /* so far: of ... */
    uint64_t visited; /* ... this array */
};

/* ---- room ---- */

void *eval_lane_room(batch *b, size_t bytes)
{
    if (bytes > b->left)
        return NULL;
    b->left -= bytes;
    return stack_alloc(b->M, bytes);
}

/* With zeros behind the last lane, which loops compute with as well. */
static void *new_column(batch *b, scalar t, uint32_t n)
{
    uint32_t bytes = ir_scalar_bytes(t), behind = lanes_room(n) - n;
    char *column = bytes ? eval_lane_room(b, (size_t)(n + behind) * bytes) : NULL;
    if (column)
        memset(column + (size_t)n * bytes, 0, (size_t)behind * bytes);
    return column;
}

static lanes one(value v)
{
    return (lanes){.one = v};
}

static lanes of_column(scalar t, void *column)
{
    return (lanes){.one = scalar_value(t, 0), .column = column};
}

/* ---- going from lanes to others ---- */

/* Those of the lanes that `at` names. */
bool eval_lane_chosen(batch *b, const lanes *from, const uint32_t *at, uint32_t n, lanes *out)
{
    *out = *from;
    if (!from->column)
        return true;
    if (from->one.tag == VAL_FUN)
        return eval_lane_closure_chosen(b, from, at, n, out);
    if (from->one.tag == VAL_SCALAR) {
        void *column = new_column(b, (scalar)from->one.type, n);
        if (column)
            eval_lanes_gather((scalar)from->one.type, column, from->column, at, n);
        out->column = column;
        return column != NULL;
    }
    lanes *parts = eval_lane_room(b, from->one.n * sizeof *parts);
    out->parts = parts;
    for (uint32_t k = 0; parts && k < from->one.n; k++)
        if (!eval_lane_chosen(b, &from->parts[k], at, n, &parts[k]))
            return false;
    return parts != NULL;
}

/* What a branch gave in its lanes goes to the column of all. */
static void put_back(const lanes *from, const uint32_t *at, uint32_t n, void *column)
{
    scalar t = (scalar)from->one.type;
    if (from->column)
        eval_lanes_scatter(t, column, from->column, at, n);
    else
        for (uint32_t k = 0; k < n; k++)
            eval_lane_put(t, column, at[k], from->one.bits);
}

/* Lanes that took one of two branches. */
typedef struct choice {
    uint32_t at[2][LANES], n[2];
} choice;

static bool joined(batch *b, const choice *c, const lanes branch[2], uint32_t n, lanes *out)
{
    const value *x = &branch[0].one, *y = &branch[1].one;
    if (x->tag == VAL_TUPLE && y->tag == VAL_TUPLE && x->n == y->n) {
        lanes *parts = eval_lane_room(b, x->n * sizeof *parts);
        *out = (lanes){.one = {.tag = VAL_TUPLE, .n = x->n}, .parts = parts};
        for (uint32_t k = 0; parts && k < x->n; k++)
            if (!joined(b, c,
                        (lanes[2]){eval_lanes_part(&branch[0], k), eval_lanes_part(&branch[1], k)},
                        n, &parts[k]))
                return false;
        return parts != NULL;
    }
    if (x->tag != VAL_SCALAR || y->tag != VAL_SCALAR || x->type != y->type)
        return false;
    void *column = new_column(b, (scalar)x->type, n);
    for (uint32_t k = 0; column && k < 2; k++)
        put_back(&branch[k], c->at[k], c->n[k], column);
    *out = of_column((scalar)x->type, column);
    return column != NULL;
}

/* ---- operands ---- */

static bool operand_up(batch *b, const lane_frame *f, uint32_t depth, uint32_t slot, lanes *out)
{
    if (depth == 0) {
        *out = f->slots[slot];
        return true;
    }
    if (f->outer) {
        lanes x;
        return operand_up(b, f->outer, depth - 1, slot, &x) &&
               (f->of ? eval_lane_chosen(b, &x, f->of, f->n, out) : (*out = x, true));
    }
    const eval_frame *e = frame_out(f->env, depth - 1);
    if (e)
        *out = one(e->slots[slot]);
    return e != NULL;
}

bool eval_lane_get(batch *b, const code *c, const lane_frame *f, operand o, lanes *out)
{
    if (o.depth == DEPTH_CONST) {
        *out = one(c->consts[o.slot]);
        return true;
    }
    return operand_up(b, f, o.depth, o.slot, out);
}

/* ---- regions ---- */

lane_frame *eval_lane_frame(batch *b, const code *c, const lane_frame *outer,
                             const eval_frame *env, uint32_t n)
{
    lane_frame *f = eval_lane_room(b, sizeof *f + c->nslots * sizeof f->slots[0]);
    if (f) {
        *f = (lane_frame){.outer = outer, .env = env, .n = n};
        memset(f->slots, 0, c->nslots * sizeof f->slots[0]);
    }
    return f;
}

/* As many steps as there are lanes: each is an element, or a part of one. */
static bool enter(batch *b, uint32_t n)
{
    machine *M = b->M;
    const fcl_context *cx = M->m->cx;
    if (M->steps < n || M->depth >= cx->limits.call_depth || context_is_cancelled(cx))
        return false;
    M->steps -= n;
    M->depth++;
    return true;
}

/* ---- scalars ---- */

static bool do_scalar(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    lanes args[3] = {0};
    bool same = true;
    for (uint32_t k = 0; k < i->nargs && k < 3; k++) {
        if (!eval_lane_get(b, c, f, i->args[k], &args[k]) || args[k].one.tag != VAL_SCALAR)
            return false;
        same = same && !args[k].column;
    }
    scalar t = (scalar)args[i->nargs > 1 ? 1 : 0].one.type;
    scalar result = ir_op_info(i->opcode)->result_bool ? ST_BOOL : t;
    if (same) {
        uint64_t bits[3] = {args[0].one.bits, args[1].one.bits, args[2].one.bits};
        *out = one(scalar_value(result, scalar_eval((opcode)i->opcode, t, bits)));
        return true;
    }
    if (i->opcode == SOP_SELECT && !args[0].column) {
        *out = args[args[0].one.bits ? 1 : 2];
        return true;
    }
    *out = of_column(result, new_column(b, result, f->n));
    if (!out->column)
        return false;
    eval_lanes_scalar((opcode)i->opcode, t, args, out->column, f->n);
    return true;
}

/* A type that is a parameter of the function is in its frame, where levels are. */
static bool type_made(batch *b, const code *c, const lane_frame *f, const inst *i, scalar *t)
{
    lanes base = {0};
    *t = (scalar)i->type;
    if (*t != ST_NONE)
        return true;
    if (i->level.var.depth != DEPTH_NONE && !eval_lane_get(b, c, f, i->level.var, &base))
        return false;
    *t = (scalar)(base.one.bits + i->level.offset);
    return true;
}

static bool do_convert(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    lanes x;
    scalar to;
    if (!eval_lane_get(b, c, f, i->a, &x) || x.one.tag != VAL_SCALAR || !type_made(b, c, f, i, &to))
        return false;
    scalar from = (scalar)x.one.type;
    if (!x.column) {
        *out = one(scalar_value(to, scalar_convert(to, from, x.one.bits)));
        return true;
    }
    *out = of_column(to, from == to ? x.column : new_column(b, to, f->n));
    if (out->column && from != to)
        eval_lanes_convert(to, from, x.column, out->column, f->n);
    return out->column != NULL;
}

/* The same bytes under another name. */
static bool do_bitcast(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    if (!eval_lane_get(b, c, f, i->a, out) || out->one.tag != VAL_SCALAR)
        return false;
    scalar from = (scalar)out->one.type, to = (scalar)(i->type ? i->type : from);
    out->one = scalar_value(to, scalar_wrap(to, out->one.bits));
    return !out->column || to == from ||
           (to != ST_BOOL && from != ST_BOOL && ir_scalar_bytes(to) == ir_scalar_bytes(from));
}

/* ---- tuples ---- */

static bool do_tuple(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    lanes *parts = eval_lane_room(b, i->nargs * sizeof *parts);
    for (uint32_t k = 0; parts && k < i->nargs; k++)
        if (!eval_lane_get(b, c, f, i->args[k], &parts[k]))
            return false;
    *out = (lanes){.one = {.tag = VAL_TUPLE, .n = (uint16_t)i->nargs}, .parts = parts};
    return parts != NULL;
}

static bool do_proj(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    lanes t, k;
    if (!eval_lane_get(b, c, f, i->a, &t) || !eval_lane_get(b, c, f, i->b, &k) || t.one.tag != VAL_TUPLE || k.column ||
        k.one.bits >= t.one.n)
        return false;
    *out = eval_lanes_part(&t, (uint32_t)k.one.bits);
    return true;
}

/* ---- branches ---- */

static bool run_branch(batch *b, const lane_frame *f, ir_region r, const uint32_t *of, uint32_t n,
                       lanes *out)
{
    const code *c = code_of(b->M, r);
    lane_frame *inner = c && c->in_lanes ? eval_lane_frame(b, c, f, NULL, n) : NULL;
    if (!inner)
        return false;
    inner->of = of;
    return eval_lane_run(b, c, inner, out);
}

static void choose(const uint8_t *taken, uint32_t n, choice *c)
{
    c->n[0] = c->n[1] = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t side = !taken[k];
        c->at[side][c->n[side]++] = k;
    }
}

/* Both branches where both are taken. */
static bool do_if(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    lanes x, branch[2];
    if (!eval_lane_get(b, c, f, i->a, &x) || x.one.tag != VAL_SCALAR)
        return false;
    if (!x.column)
        return run_branch(b, f, i->regions + (x.one.bits ? 0 : 1), NULL, f->n, out);
    choice *sides = eval_lane_room(b, sizeof *sides);
    if (!sides)
        return false;
    choose(x.column, f->n, sides);
    if (!sides->n[0] || !sides->n[1])
        return run_branch(b, f, i->regions + (sides->n[0] ? 0 : 1), NULL, f->n, out);
    for (uint32_t k = 0; k < 2; k++)
        if (!run_branch(b, f, i->regions + k, sides->at[k], sides->n[k], &branch[k]))
            return false;
    return joined(b, sides, branch, f->n, out);
}

static bool do_assert(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    lanes x;
    if (!eval_lane_get(b, c, f, i->a, &x) || x.one.tag != VAL_SCALAR)
        return false;
    bool holds = x.column ? !memchr(x.column, 0, f->n) : x.one.bits != 0;
    return holds && run_branch(b, f, i->regions, NULL, f->n, out);
}

/* ---- arrays ---- */

static bool do_length(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    lanes x, axis = {0};
    if (!eval_lane_get(b, c, f, i->a, &x) || x.one.tag != VAL_PULL ||
        (i->opcode == OP_DIM && !eval_lane_get(b, c, f, i->b, &axis)))
        return false;
    const pull *p = x.one.pull;
    uint64_t n = i->opcode == OP_DIM && axis.one.bits < p->rank ? p->dims[axis.one.bits] : p->count;
    *out = one(int_value((int64_t)n));
    return !axis.column && axis.one.bits < p->rank && n <= INT32_MAX;
}

/* Whether an index is in range in all lanes. */
static bool in_range(const lanes *at, uint64_t extent, uint32_t n)
{
    return at->column ? eval_lanes_below(at->column, extent, n) : at->one.bits < extent;
}

/* Positions in row-major order, of an array that they count.  NULL: no room. */
static const uint32_t *positions(batch *b, const pull *p, const lanes *at, uint32_t n)
{
    if (p->rank == 1 && at[0].column)
        return at[0].column;
    uint32_t *sum = p->count <= UINT32_MAX ? new_column(b, ST_U32, n) : NULL;
    for (uint32_t k = 0; sum && k < p->rank; k++)
        eval_lanes_position(sum, k ? (uint32_t)p->dims[k] : 0, &at[k], n);
    return sum;
}

/* Elements of a column of memory. */
static bool read_column(batch *b, scalar t, const void *from, const uint32_t *at, uint32_t n,
                        lanes *out)
{
    void *column = new_column(b, t, n);
    if (column)
        eval_lanes_gather(t, column, from, at, n);
    *out = of_column(t, column);
    return column != NULL;
}

/* By the form of the elements, in preorder. */
static bool read_form(batch *b, const host_array **columns, const uint32_t **shape,
                      const uint32_t *at, uint32_t n, lanes *out)
{
    uint32_t form = *(*shape)++;
    if (form < SHAPE_TUPLE) {
        const host_array *from = (*columns)++;
        return read_column(b, from->type, from->data, at, n, out);
    }
    uint32_t parts = form - SHAPE_TUPLE;
    lanes *made = eval_lane_room(b, parts * sizeof *made);
    for (uint32_t k = 0; made && k < parts; k++)
        if (!read_form(b, columns, shape, at, n, &made[k]))
            return false;
    *out = (lanes){.one = {.tag = VAL_TUPLE, .n = (uint16_t)parts}, .parts = made};
    return made != NULL;
}

static bool read_buffer(batch *b, const pull *p, const lanes *at, uint32_t n, lanes *out)
{
    const uint32_t *where = positions(b, p, at, n), *shape = p->data->shape;
    const host_array *columns = p->data->columns;
    return where && shape && read_form(b, &columns, &shape, where, n, out);
}

static bool read_bytes(batch *b, const pull *p, const lanes *at, uint32_t n, lanes *out)
{
    const uint32_t *where = positions(b, p, at, n);
    scalar t = p->bytes->type;
    void *column = where ? new_column(b, t, n) : NULL;
    for (uint32_t i = 0; column && i < n; i++)
        eval_lane_put(t, column, i, ir_data_element(b->M->m, p->bytes, where[i]));
    *out = of_column(t, column);
    return column != NULL;
}

static bool read_literal(batch *b, const pull *p, const lanes *at, uint32_t n, lanes *out)
{
    const uint32_t *where = positions(b, p, at, n);
    const value *items = p->items;
    void *column =
        where && items[0].tag == VAL_SCALAR ? new_column(b, (scalar)items[0].type, n) : NULL;
    for (uint32_t i = 0; column && i < n; i++)
        eval_lane_put((scalar)items[0].type, column, i, items[where[i]].bits);
    *out = of_column((scalar)items[0].type, column);
    return column != NULL;
}

/* ---- elements that are computed ---- */

static bool elements(batch *b, const pull *p, const lanes *at, uint32_t n, lanes *out);

static bool generated(batch *b, const pull *p, const lanes *at, uint32_t n, lanes *out)
{
    lane_frame *f = eval_lane_frame(b, p->code, NULL, p->env, n);
    for (uint32_t k = 0; f && k < p->rank; k++)
        f->slots[p->code->params[k]] = at[k];
    return f && eval_lane_run(b, p->code, f, out);
}

/* Depth counts one for each map on the way, as in element.c. */
static bool mapped(batch *b, const pull *p, const lanes *at, uint32_t n, lanes *out)
{
    lanes x;
    if (!enter(b, n))
        return false;
    bool ok = elements(b, p->source, at, n, &x);
    b->M->depth--;
    lane_frame *f = ok ? eval_lane_frame(b, p->code, NULL, p->env, n) : NULL;
    if (!f)
        return false;
    f->slots[p->code->params[0]] = x;
    return eval_lane_run(b, p->code, f, out);
}

static bool computed(batch *b, const pull *p, const lanes *at, uint32_t n, lanes *out)
{
    machine *M = b->M;
    if (!p->code->in_lanes || b->deep >= DEEP)
        return false;
    M->nested++;
    b->deep++;
    bool ok = p->kind == PULL_MAP ? mapped(b, p, at, n, out) : generated(b, p, at, n, out);
    b->deep--;
    M->nested--;
    return ok;
}

/* The indices of elements from `first` on. */
static bool indices(batch *b, const pull *p, uint64_t first, uint32_t n, lanes *at)
{
    int32_t *columns[MAX_RANK];
    uint64_t x[MAX_RANK], rest = first;
    for (uint32_t k = p->rank; k-- > 0; rest /= p->dims[k]) {
        x[k] = rest % p->dims[k];
        if (!(columns[k] = new_column(b, ST_I32, n)))
            return false;
        at[k] = of_column(ST_I32, columns[k]);
    }
    uint32_t last = p->rank - 1u;
    for (uint32_t i = 0; i < n;) {
        uint64_t run = p->dims[last] - x[last] < n - i ? p->dims[last] - x[last] : n - i;
        for (uint32_t k = 0; k < p->rank; k++)
            for (uint32_t j = 0; j < run; j++)
                columns[k][i + j] = (int32_t)(x[k] + (k == last ? j : 0));
        i += (uint32_t)run;
        x[last] += run;
        for (uint32_t k = last; k > 0 && x[k] == p->dims[k]; k--) {
            x[k] = 0;
            x[k - 1]++;
        }
    }
    return true;
}

/* ---- all elements of an array ---- */

/* What is remembered of an array.  One that this visit needs keeps its place: NULL then, for another one
 * that would have the same. */
static recent *recent_of(batch *b, const pull *p)
{
    recent *k = &b->recent->table[p->number % TABLE];
    if (k->number != p->number) {
        if (k->visit == b->recent->visits)
            return NULL;
        *k = (recent){.number = p->number};
    }
    k->visit = b->recent->visits;
    return k;
}

static bool fill(batch *b, const pull *p, uint64_t first, uint32_t n)
{
    lanes at[MAX_RANK], got;
    return indices(b, p, first, n, at) && computed(b, p, at, n, &got) &&
           eval_known_fill(b->M, p, first, &got, n) && p->last->known->scalars;
}

/* Batches of their own, one after the other. */
static bool fill_all(batch *b, const pull *p)
{
    const size_t left = b->left;
    bool ok = eval_known_begin(b->M, p) && p->last->known;
    for (uint64_t first = 0; ok && first < p->count; first += LANES) {
        mark k = stack_mark(b->M);
        b->number = ++b->recent->batches;
        b->n = (uint32_t)(p->count - first < LANES ? p->count - first : LANES);
        b->left = left;
        ok = fill(b, p, first, b->n);
        stack_release(b->M, k);
    }
    return ok;
}

/* Arrays that nest in this one are counted anew: what they share is kept.  False when memory is short: else those who want
 * elements compute them. */
static bool compute_all(batch *b, const pull *p)
{
    batch outer = *b;
    bool short_before = b->M->mm->oom;
    uint32_t nested = b->M->nested;
    b->of = p->count;
    b->M->nested = 0;
    p->last->not_in_lanes = !fill_all(b, p);
    b->M->nested = nested;
    *b = outer;
    return short_before || !b->M->mm->oom;
}

/* Whether as many elements will have been asked for as there are, by what this batch asks. */
static bool worth_all(const batch *b, const pull *p, uint32_t n)
{
    const last_element *l = p->last;
    return p->code->in_lanes && !l->not_in_lanes && !known_all(p) && l->asked != NEVER_KEPT &&
           l->asked + n * ((b->of + b->n - 1) / b->n) >= p->count;
}

static bool read_known(batch *b, const pull *p, const lanes *at, uint32_t n, lanes *out)
{
    const buffer *from = p->last->known->scalars;
    const uint32_t *where = from ? positions(b, p, at, n) : NULL, *shape = from ? from->shape : NULL;
    const host_array *columns = from ? from->columns : NULL;
    return where && read_form(b, &columns, &shape, where, n, out);
}

/* ---- the last batch ---- */

static bool same_lanes(const lanes *x, const lanes *y, uint32_t n)
{
    if (!x->column || !y->column)
        return !x->column && !y->column && x->one.bits == y->one.bits;
    return x->column == y->column || memcmp(x->column, y->column, n * sizeof(int32_t)) == 0;
}

static bool is_recent(const batch *b, const recent *k, const pull *p, const lanes *at, uint32_t n)
{
    bool same = k->batch == b->number && k->n == n;
    for (uint32_t j = 0; same && j < p->rank; j++)
        same = same_lanes(&k->at[j], &at[j], n);
    return same;
}

static bool asked_for(batch *b, const pull *p, const lanes *at, uint32_t n, lanes *out)
{
    recent *k = recent_of(b, p);
    if (k && is_recent(b, k, p, at, n)) {
        *out = k->got;
        return true;
    }
    if (worth_all(b, p, n) && !compute_all(b, p))
        return false;
    if (known_all(p))
        return read_known(b, p, at, n, out);
    if (!computed(b, p, at, n, out) || !eval_known_asked(b->M, p, n))
        return false;
    if (k) {
        memcpy(k->at, at, p->rank * sizeof *at);
        k->batch = b->number;
        k->n = n;
        k->got = *out;
    }
    return true;
}

/* The indices are in range. */
static bool elements(batch *b, const pull *p, const lanes *at, uint32_t n, lanes *out)
{
    switch ((pull_kind)p->kind) {
    case PULL_PARTIAL: return false;
    case PULL_LITERAL: return read_literal(b, p, at, n, out);
    case PULL_BYTES: return read_bytes(b, p, at, n, out);
    case PULL_DATA: return read_buffer(b, p, at, n, out);
    case PULL_GENERATE:
    case PULL_MAP: break;
    }
    return asked_for(b, p, at, n, out);
}

/* What a batch of one lane gave, as one value. */
static bool first_lane(const lanes *from, lanes *out)
{
    *out = one(from->one);
    if (from->column && from->one.tag == VAL_SCALAR)
        out->one.bits = eval_lane((scalar)from->one.type, from->column, 0);
    return !from->column || from->one.tag == VAL_SCALAR;
}

static bool do_index(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    lanes x, at[MAX_RANK], got;
    bool same = true;
    if (!eval_lane_get(b, c, f, i->a, &x) || x.one.tag != VAL_PULL || x.one.pull->rank != i->nargs - 1)
        return false;
    const pull *p = x.one.pull;
    for (uint32_t k = 0; k < p->rank; k++) {
        if (!eval_lane_get(b, c, f, i->args[k + 1], &at[k]) || at[k].one.tag != VAL_SCALAR ||
            at[k].one.type != ST_I32 || !in_range(&at[k], p->dims[k], f->n))
            return false;
        same = same && !at[k].column;
    }
    if (!same)
        return elements(b, p, at, f->n, out);
    return elements(b, p, at, 1, &got) && first_lane(&got, out);
}

/* ---- running ---- */

bool eval_batch_does(const machine *M, const inst *i)
{
    if (i->step == STEP_CHECKED || M->one_by_one)
        return false;
    if (i->step == STEP_SAME || i->step == STEP_ONCE || ir_op_info(i->opcode)->is_scalar)
        return true;
    switch ((uint32_t)i->opcode) {
    case OP_CONVERT: return !M->overflow;
    case OP_BITCAST:
    case OP_TUPLE:
    case OP_PROJ:
    case OP_IF:
    case OP_ASSERT:
    case OP_CALL:
    case OP_FUNC:
    case OP_FN:
    case OP_APPLY:
    case OP_LENGTH:
    case OP_DIM:
    case OP_INDEX:
    case OP_YIELD:
    case OP_RETURN: return true;
    default: return false;
    }
}

static bool do_core(batch *b, const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    switch ((uint32_t)i->opcode) {
    case OP_CONVERT: return do_convert(b, c, f, i, out);
    case OP_BITCAST: return do_bitcast(b, c, f, i, out);
    case OP_TUPLE: return do_tuple(b, c, f, i, out);
    case OP_PROJ: return do_proj(b, c, f, i, out);
    case OP_IF: return do_if(b, c, f, i, out);
    case OP_ASSERT: return do_assert(b, c, f, i, out);
    case OP_CALL: return eval_lane_call(b, c, f, i, out);
    case OP_FUNC:
    case OP_FN: return eval_lane_function(b, c, f, i, out);
    case OP_APPLY: return eval_lane_apply(b, c, f, i, out);
    case OP_LENGTH:
    case OP_DIM: return do_length(b, c, f, i, out);
    case OP_INDEX: return do_index(b, c, f, i, out);
    default: return false;
    }
}

/* What has been computed outside of batches; that is so from the first element on which no batch has. */
static bool do_once(const code *c, const lane_frame *f, const inst *i, lanes *out)
{
    uint32_t d = i->around;
    for (; d && f->outer; d--)
        f = f->outer;
    const eval_frame *around = d ? frame_out(f->env, d - 1) : NULL;
    *out = one((value){.tag = VAL_NONE});
    return around && eval_once_there(c, around, i, &out->one);
}

static bool run_insts(batch *b, const code *c, lane_frame *f, lanes *out)
{
    for (const inst *i = c->insts;; i++) {
        lanes made;
        bool ok;
        if (i->step == OP_YIELD || i->step == OP_RETURN)
            return eval_lane_get(b, c, f, i->a, out);
        if (i->step == STEP_SAME)
            ok = eval_lane_get(b, c, f, i->a, &made);
        else if (i->step == STEP_ONCE && do_once(c, f, i, &made))
            ok = true;
        else if (ir_op_info(i->opcode)->is_scalar)
            ok = do_scalar(b, c, f, i, &made);
        else
            ok = do_core(b, c, f, i, &made);
        if (!ok)
            return false;
        f->slots[i->dst] = made;
    }
}

bool eval_lane_run(batch *b, const code *c, lane_frame *f, lanes *out)
{
    if (!enter(b, f->n))
        return false;
    bool ok = run_insts(b, c, f, out);
    b->M->depth--;
    return ok;
}

static bool batch_begin(machine *M, const pull *p, uint32_t n, batch *b)
{
    if (!M->recent && !(M->recent = mem_zeroed(M->mm, sizeof *M->recent)))
        return false;
    if (M->recent->visited != p->number)
        M->recent->visits++;
    M->recent->visited = p->number;
    *b = (batch){.M = M,
                 .recent = M->recent,
                 .number = ++M->recent->batches,
                 .of = p->count,
                 .n = n,
                 .left = BATCH_BYTES};
    return true;
}

/* Whoever visits all elements may do so again and again. */
static bool visited(batch *b, const pull *p, uint64_t first, const lanes *at, uint32_t n, lanes *out)
{
    if (known_all(p))
        return read_known(b, p, at, n, out);
    return computed(b, p, at, n, out) && eval_known_asked(b->M, p, n) &&
           eval_known_fill(b->M, p, first, out, n);
}

bool eval_batch_has_room(const machine *M)
{
    return M->mm->limit - M->mm->used >= SPARE_BYTES && M->steps >= SPARE_STEPS;
}

bool eval_batch(machine *M, const pull *p, uint64_t first, uint32_t n, lanes *out)
{
    batch b;
    lanes at[MAX_RANK];
    uint32_t nested = M->nested;
    uint64_t steps = M->steps;
    if (!eval_batch_has_room(M) || !batch_begin(M, p, n, &b))
        return false;
    M->nested = 0;
    bool ok = indices(&b, p, first, n, at) && visited(&b, p, first, at, n, out);
    M->nested = nested;
    if (!ok)
        M->steps = steps;
    return ok;
}

void eval_batch_free(machine *M)
{
    mem_free(M->mm, M->recent, sizeof *M->recent);
    M->recent = NULL;
}
