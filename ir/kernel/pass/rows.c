/* Elements whose number is taken apart by the length of a row, as an array of rank 1 that a program
 * takes for a matrix or a cube has them: a group takes a row, or a part of one, in a loop, whose
 * variable is the remainder.  The usual name is delinearisation, of the loop.
 *
 *   for p in 0 ... n { ... p / w ... p / (w * v) ... p mod w ... }
 *
 *   for i in 0 ... n / w, rounded up
 *     for k in 0 ... min(w, n - i * w) { ... i ... i / v ... k ... }
 *
 * So nothing is divided for each element, and neighbours are turns of a loop without a jump, of
 * which compilers make vectors and whose borders `clamps` parts.  Only where groups are loops (the
 * fact `serial`) and elements are no loops themselves.  The host asks whether w is long enough, all
 * factors are at least 1 and products do not wrap; else elements stay as they were. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"
#include "ir/kernel/facts.h"

#include <string.h>

enum {
    MOST_DIVISIONS = 16,
    MOST_FACTORS = 4,
    ROW_PART = 4096, /* elements of a row that a group has */
};

/* A product of values that the host knows. */
typedef struct product {
    k_id of[MOST_FACTORS]; /* old nodes, in ascending order */
    uint32_t n;
} product;

/* An operation of the body that takes the number of the element apart. */
typedef struct division {
    k_id value; /* old */
    bool rest;  /* the remainder */
    product by;
} division;

typedef struct rows {
    rebuild r;
    uint16_t depth; /* of the launch: what is no deeper is the host's */
    k_id number;    /* of the element; old */
    division at[MOST_DIVISIONS];
    uint32_t n;
    product width;  /* of a row */
    bool *claimed;  /* by old node: a value that is computed from the number, or from what it is above a row */
    bool claims;    /* arithmetic of positions is claimed not to wrap: nothing else is stored of it */
    bool on;        /* elements that are copied now go by rows */
    k_id row, rest; /* of the element; new */
} rows;

/* ---- finding ---- */

static void add_factor(product *x, k_id v)
{
    uint32_t i = x->n++;
    for (; i > 0 && x->of[i - 1] > v; i--)
        x->of[i] = x->of[i - 1];
    x->of[i] = v;
}

/* Factors of the divisor v, behind those of out; false: it is not the host's, or has too many. */
static bool factors_of(const rows *s, k_id v, product *out)
{
    const k_program *p = s->r.old;
    const k_node *n = k_at(p, v);
    if (n->op == K_SCALAR && n->opcode == SOP_MUL)
        return factors_of(s, n->args[0], out) && factors_of(s, n->args[1], out);
    bool is = out->n < MOST_FACTORS && (n->op == K_CONST || n->depth <= s->depth);
    if (is)
        add_factor(out, v);
    return is;
}

/* x without the factors of y; false: it does not have them all. */
static bool divided(const product *x, const product *y, product *left)
{
    uint32_t j = 0;
    *left = (product){.n = 0};
    for (uint32_t i = 0; i < x->n; i++)
        if (j < y->n && x->of[i] == y->of[j])
            j++;
        else
            left->of[left->n++] = x->of[i];
    return j == y->n;
}

/* x - (x quot d) * d, which is what the builder makes of some remainders; d, or 0. */
static k_id is_what_is_left(const rows *s, const k_node *n)
{
    const k_program *p = s->r.old;
    const k_node *times = k_at(p, n->args[1]);
    if (n->opcode != SOP_SUB || n->args[0] != s->number || times->op != K_SCALAR ||
        times->opcode != SOP_MUL)
        return 0;
    for (int i = 0; i < 2; i++) {
        const k_node *q = k_at(p, times->args[i]);
        if (q->op == K_SCALAR && (q->opcode == SOP_QUOT || q->opcode == SOP_DIV) &&
            q->args[0] == s->number && q->args[1] == times->args[1 - i])
            return q->args[1];
    }
    return 0;
}

static void note_division(rows *s, k_id id)
{
    const k_node *n = k_at(s->r.old, id);
    if (n->op != K_SCALAR || n->type != ST_I32 || s->n == MOST_DIVISIONS)
        return;
    k_id left = is_what_is_left(s, n), by = left ? left : n->args[1];
    bool quotient = n->opcode == SOP_QUOT || n->opcode == SOP_DIV;
    bool rest = n->opcode == SOP_REM || n->opcode == SOP_MOD || left;
    division d = {.value = id, .rest = rest};
    if ((quotient || rest) && n->args[0] == s->number && factors_of(s, by, &d.by))
        s->at[s->n++] = d;
}

/* Whether elements do nothing but to compute, load and store. */
static bool look_at(rows *s, k_block b)
{
    for (k_id id = k_block_at(s->r.old, b)->first; id; id = k_at(s->r.old, id)->next) {
        const k_node *n = k_at(s->r.old, id);
        k_class class = k_op_info(n->op)->class;
        bool plain = class == KC_VALUE || class == KC_PART || n->op == K_LOAD || n->op == K_STORE ||
                     n->op == K_IF || n->op == K_CHECK;
        if (!plain)
            return false;
        note_division(s, id);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && !look_at(s, n->blocks[i]))
                return false;
    }
    return true;
}

/* A row is as long as the shortest remainder counts.  Divisions by what is no multiple of it stay.
 */
static bool has_rows(rows *s, const k_node *launch, const k_node *par)
{
    const division *least = NULL;
    uint32_t kept = 0;
    s->depth = launch->depth;
    s->number = k_block_at(s->r.old, par->blocks[0])->params;
    s->n = 0;
    if (!look_at(s, par->blocks[0]))
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i].rest && (!least || s->at[i].by.n < least->by.n))
            least = &s->at[i];
    if (!least)
        return false;
    s->width = least->by;
    for (uint32_t i = 0; i < s->n; i++) {
        product left;
        if (divided(&s->at[i].by, &s->width, &left))
            s->at[kept++] = s->at[i];
    }
    s->n = kept;
    return true;
}

/* ---- claims ---- */

/* The division that the node is, or NULL. */
static const division *division_at(const rows *s, k_id old)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i].value == old)
            return &s->at[i];
    return NULL;
}

static bool by_claim(const rows *s, k_id id)
{
    const k_node *n = k_at(s->r.old, id);
    const division *d = division_at(s, id);
    bool by = d && d->rest && d->by.n > s->width.n;
    for (int i = 0; !d && i < 3; i++)
        by = by || s->claimed[n->args[i]];
    return by && k_op_info(n->op)->class == KC_VALUE;
}

/* Whether a position is the number, or as far from it for each element. */
static bool is_by_number(const rows *s, k_id v)
{
    const k_node *n = k_at(s->r.old, v);
    if (v == s->number || n->op != K_SCALAR || n->opcode != SOP_ADD)
        return v == s->number;
    return (k_at(s->r.old, n->args[0])->depth <= s->depth && is_by_number(s, n->args[1])) ||
           (k_at(s->r.old, n->args[1])->depth <= s->depth && is_by_number(s, n->args[0]));
}

/* Whether what is claimed for a position is stored there alone: elsewhere it would be data (the rule `claim`). */
static bool may_claim(rows *s, k_block b)
{
    const k_program *p = s->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        s->claimed[id] = by_claim(s, id);
        if (n->op == K_STORE && s->claimed[n->args[2]] && !is_by_number(s, n->args[1]))
            return false;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && !may_claim(s, n->blocks[i]))
                return false;
    }
    return true;
}

/* A sum or product that is no more than the number of an element. */
static k_id within(rows *s, opcode op, k_id x, k_id y)
{
    k_builder *b = &s->r.b;
    return s->claims ? kb_claim(b, op, x, y) : kb_scalar(b, op, x, y, 0);
}

/* ---- what the host asks ---- */

static k_id wide_product(rows *s, const product *x)
{
    k_builder *b = &s->r.b;
    k_id all = kb_const(b, ST_I64, 1), most = kb_const(b, ST_I64, (uint64_t)1 << 31);
    for (uint32_t i = 0; i < x->n; i++) {
        all = kb_mul(b, all, kb_convert(b, ST_I64, rebuild_value(&s->r, x->of[i])));
        all = kb_scalar(b, SOP_MIN, all, most, 0);
    }
    return all;
}

static k_id both(rows *s, k_id x, k_id y)
{
    return kb_scalar(&s->r.b, SOP_AND, x, y, 0);
}

static k_id pays(rows *s)
{
    k_builder *b = &s->r.b;
    k_id least = kb_const(b, ST_I64, b->p->target.tuning.row_least),
         go = kb_scalar(b, SOP_LE, least, wide_product(s, &s->width), 0);
    for (uint32_t i = 0; i < s->n; i++) {
        const product *x = &s->at[i].by;
        for (uint32_t k = 0; k < x->n; k++)
            go = both(s, go, kb_scalar(b, SOP_LE, kb_int(b, 1), rebuild_value(&s->r, x->of[k]), 0));
        go = both(s, go,
                  kb_scalar(b, SOP_LE, wide_product(s, x), kb_const(b, ST_I64, INT32_MAX), 0));
    }
    return go;
}

/* ---- building ---- */

/* The product, at least 1, as the host has asked: so nothing asks for its sign. */
static k_id narrow_product(rows *s, const product *x)
{
    k_builder *b = &s->r.b;
    k_id all = kb_int(b, 1);
    for (uint32_t i = 0; i < x->n; i++)
        all = kb_mul(b, all, rebuild_value(&s->r, x->of[i]));
    return kb_max(b, all, kb_int(b, 1));
}

/* A quotient or remainder of the number, by the row and the place in it. */
static k_id part_of(rows *s, const division *d)
{
    k_builder *b = &s->r.b;
    product left;
    divided(&d->by, &s->width, &left);
    if (!left.n)
        return d->rest ? s->rest : s->row;
    k_id by = narrow_product(s, &left);
    if (!d->rest)
        return kb_scalar(b, SOP_QUOT, s->row, by, 0);
    k_id above = kb_scalar(b, SOP_REM, s->row, by, 0);
    return within(s, SOP_ADD, within(s, SOP_MUL, above, narrow_product(s, &s->width)), s->rest);
}

/* n by `by`, rounded up. */
static k_id pieces(k_builder *b, k_id n, k_id by)
{
    return kb_add(b, kb_scalar(b, SOP_QUOT, n, by, 0),
                  kb_min(b, kb_scalar(b, SOP_REM, n, by, 0), kb_int(b, 1)));
}

/* Group i has part i rem parts of row i quot parts, whose elements are as many as there are. */
static void by_rows(rows *s, const k_node *par)
{
    k_builder *b = &s->r.b;
    k_id n = rebuild_value(&s->r, par->args[0]), width = narrow_product(s, &s->width),
         most = kb_int(b, ROW_PART), parts = pieces(b, width, most);
    k_id groups = kb_open_par(b, OVER_GRID, kb_mul(b, pieces(b, n, width), parts)),
         i = kb_param(b, groups, 0);
    s->row = kb_scalar(b, SOP_QUOT, i, parts, 0);
    /* a row that there is begins with an element, and so does a part but for those behind the last
     * element */
    k_id first = within(s, SOP_MUL, kb_scalar(b, SOP_REM, i, parts, 0), most),
         start = within(s, SOP_MUL, s->row, width),
         left = kb_max(b, kb_sub(b, n, start), kb_int(b, 1));
    k_id end = kb_min(b, kb_min(b, width, left), kb_saturate(b, SOP_ADD, first, most)),
         loop = kb_open_for(b, first, end, kb_int(b, 1), NULL, 0);
    k_at(b->p, loop)->independent = true;
    s->rest = kb_param(b, loop, 0);
    k_id number = within(s, SOP_ADD, start, s->rest);
    k_state_range(b->p, number, 0, k_hi(b->p, n) - 1);
    k_state_bound(b->p, number, kb_sub(b, n, kb_int(b, 1)));
    s->r.map[s->number] = number;
    rebuild_block(&s->r, par->blocks[0]);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
}

static bool take_apart(rows *s, k_id launch_id)
{
    k_builder *b = &s->r.b;
    const k_node launch = *k_at(s->r.old, launch_id);
    k_id par_id = k_lone_loop(s->r.old, &launch);
    const k_node par = *k_at(s->r.old, par_id);
    int64_t known;
    if (!par_id || !has_rows(s, &launch, &par))
        return false;
    s->claimed[s->number] = true;
    s->claims = may_claim(s, par.blocks[0]);
    k_id go = pays(s);
    if (k_is_const(b->p, go, &known) && !known)
        return false;
    kb_open_if(b, go);
    kb_open_launch(b, launch.level, rebuild_value(&s->r, launch.args[0]), 1);
    s->on = true;
    by_rows(s, &par);
    s->on = false;
    kb_close(b, NULL, 0);
    kb_next_block(b, NULL, 0);
    rebuild_copy(&s->r, launch_id);
    kb_close(b, NULL, 0);
    return true;
}

static bool statement(rebuild *r, k_id old)
{
    rows *s = (rows *)r;
    const division *d = s->on ? division_at(s, old) : NULL;
    if (d) {
        r->map[old] = part_of(s, d);
        return true;
    }
    return !s->on && k_at(r->old, old)->op == K_LAUNCH && take_apart(s, old);
}

bool k_rows(k_program *p)
{
    if (!p->target.facts.serial)
        return true;
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(bool);
    bool *claimed = mem_resize(m, NULL, 0, size);
    if (!claimed)
        return false;
    memset(claimed, 0, size);
    bool ok = k_rebuild(p, &(rows){.r.statement = statement, .claimed = claimed}.r);
    mem_free(m, claimed, size);
    return ok;
}
