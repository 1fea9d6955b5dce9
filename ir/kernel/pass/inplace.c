/* Results that overwrite a parameter: the memory of the argument becomes that of the result.
 * Functional languages know it as the in-place update or buffer reuse analysis.
 *
 * It is allowed where every element of the parameter is read before it is overwritten.  Programs
 * store each element of a result once, so it is enough that the thread that loads an element
 * stores that one afterwards, on every way, and that nothing is read by launches behind the first
 * that stores.  Indices are compared as linear forms. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/algebra/fold.h"

typedef struct overwrite_search {
    k_program *p;
    uint32_t leaf, first,
        out; /* the parameter's leaf, its first one (whose extents all share); the result's leaf */
    k_id buffer, result; /* their memories */
    k_id output;
    uint32_t step,
        stored; /* launches and single loads so far; the first that stores, or UINT32_MAX */
    bool writing, looping; /* inside a launch that stores; inside a loop of the host */
    k_id where;            /* what is in the way */
    const char *why;
} overwrite_search;

/* Only the last reason is kept: it is that of the last result that was tried. */
static bool refuse(overwrite_search *s, k_id where, const char *why)
{
    s->where = where;
    s->why = why;
    return false;
}

/* ---- extents ---- */

static bool is_dim(const overwrite_search *s, k_id v, uint32_t axis)
{
    const k_node *n = k_at(s->p, v);
    return n->op == K_DIM && n->leaf == s->first && n->axis == axis;
}

/* Whether a size is the product of all extents: takes each from the set of axes that are left.
 * Where the product is beyond the range, more than any memory has stands in its place. */
static bool takes_axes(const overwrite_search *s, k_id size, uint32_t *left)
{
    const k_node *n = k_at(s->p, size);
    int64_t zero, beyond;
    if (n->op == K_SCALAR && n->opcode == SOP_MUL)
        return takes_axes(s, n->args[0], left) && takes_axes(s, n->args[1], left);
    if (n->op == K_SCALAR && n->opcode == SOP_SELECT && k_is_const(s->p, n->args[2], &beyond) &&
        beyond > MAX_ELEMENTS)
        return takes_axes(s, n->args[1], left);
    if (n->op == K_SCALAR && n->opcode == SOP_MAX && k_is_const(s->p, n->args[1], &zero) &&
        zero == 0)
        return takes_axes(s, n->args[0], left);
    size = n->op == K_CONVERT && n->type == ST_I64 ? n->args[0] : size;
    for (uint32_t axis = 0; axis < MAX_RANK; axis++)
        if (is_dim(s, size, axis) && *left >> axis & 1) {
            *left &= ~(1u << axis);
            return true;
        }
    return false;
}

static bool same_extents(overwrite_search *s)
{
    const k_node *o = k_at(s->p, s->output);
    uint32_t left = (1u << o->nlist) - 1;
    bool same = o->nlist == s->p->in.at[s->leaf].rank;
    for (uint32_t i = 0; i < o->nlist && same; i++)
        same = is_dim(s, k_listed(s->p, o, i), i);
    same = same && takes_axes(s, k_at(s->p, s->result)->args[0], &left) && left == 0;
    return same || refuse(s, 0, "the extents of the result are not seen to be the same");
}

/* ---- elements ---- */

/* Whether a statement stores the element `at` elements behind index. */
static bool covers(const overwrite_search *s, const k_node *n, k_id index, int64_t at)
{
    linear l;
    scalar t = (scalar)k_at(s->p, index)->type;
    uint32_t lanes = n->op == K_STORE ? 1 : n->op == K_STOREWIDE ? n->nlist : 0;
    if (!lanes || n->args[0] != s->result || k_at(s->p, n->args[1])->type != t ||
        !ka_linear_of(s->p, t, index, n->args[1], -1, OPEN_ALL, &l) || l.n)
        return false;
    return l.c >= -at && l.c < (int64_t)lanes - at;
}

/* Where a statement stands: in a block of an outer one. */
typedef struct inside {
    const struct inside *outer;
    k_id owner;
    int which; /* of its blocks */
} inside;

/* Whether block `which` of a branch is known not to be taken, as the load stands in the other one
 * of such a branch. */
static bool is_excluded(const overwrite_search *s, const k_node *branch, int which,
                        const inside *load)
{
    for (; load; load = load->outer) {
        const k_node *n = k_at(s->p, load->owner);
        if (n->op == K_IF && n->args[0] == branch->args[0])
            return load->which != which;
    }
    return false;
}

/* Whether the statements from id on store that element of a load, whichever way is taken. */
static bool stored_from(const overwrite_search *s, k_id id, k_id index, int64_t at,
                        const inside *load)
{
    for (; id; id = k_at(s->p, id)->next) {
        const k_node *n = k_at(s->p, id);
        bool both = n->op == K_IF;
        for (int i = 0; i < 2 && both; i++)
            both = is_excluded(s, n, i, load) ||
                   stored_from(s, k_block_at(s->p, n->blocks[i])->first, index, at, load);
        if (both || covers(s, n, index, at))
            return true;
    }
    return false;
}

/* Looks behind the load in its block, then behind each statement around it. */
static bool is_followed(const overwrite_search *s, k_id load, const inside *at)
{
    const k_node *n = k_at(s->p, load);
    uint32_t lanes = n->op == K_LOAD ? 1 : n->nresults;
    for (uint32_t i = 0; i < lanes; i++) {
        k_id after = n->next;
        const inside *in = at;
        while (!stored_from(s, after, n->args[1], i, at)) {
            if (!in)
                return false;
            after = k_at(s->p, in->owner)->next;
            in = in->outer;
        }
    }
    return true;
}

/* ---- accesses ---- */

static bool is_read(const k_node *n)
{
    return n->op == K_LOAD || n->op == K_LOADWIDE || n->op == K_ATOMIC || n->op == K_EMIT;
}

static bool is_written(const k_node *n)
{
    return n->op == K_STORE || n->op == K_STOREWIDE || n->op == K_ATOMIC;
}

static bool stores(const overwrite_search *s, k_block b)
{
    for (k_id id = k_block_at(s->p, b)->first; id; id = k_at(s->p, id)->next) {
        const k_node *n = k_at(s->p, id);
        if ((is_written(n) && n->args[0] == s->result) || stores(s, n->blocks[0]) ||
            stores(s, n->blocks[1]))
            return true;
    }
    return false;
}

/* A result may be written freely, but what reads it would see old elements of the parameter. */
static bool check_access(overwrite_search *s, k_id id, const inside *at)
{
    const k_node *n = k_at(s->p, id);
    if ((n->op == K_RESIZE || n->op == K_SWAP || n->op == K_RECEIVE) &&
        (n->args[0] == s->result || n->args[1] == s->result))
        return refuse(s, id, "the result gets another room here");
    if (is_read(n) && n->args[0] == s->result)
        return refuse(s, id, "the result is read here while it is made");
    if (!is_read(n) || n->args[0] != s->buffer || s->step < s->stored)
        return true;
    if (!s->writing)
        return refuse(s, id, "elements are read here when they have been overwritten");
    return (n->op != K_ATOMIC && is_followed(s, id, at)) ||
           refuse(
               s, id,
               "the thread that reads an element here is not seen to overwrite that element next");
}

static bool check_block(overwrite_search *s, k_block b, const inside *at)
{
    for (k_id id = k_block_at(s->p, b)->first; id; id = k_at(s->p, id)->next) {
        const k_node *n = k_at(s->p, id);
        inside first = {.outer = at, .owner = id}, second = {.outer = at, .owner = id, .which = 1};
        if (!check_access(s, id, at) || !check_block(s, n->blocks[0], &first) ||
            !check_block(s, n->blocks[1], &second))
            return false;
    }
    return true;
}

/* ---- launches ---- */

static bool check_host(overwrite_search *s, k_block b);

/* In a loop of launches a later turn would read what an earlier one has overwritten. */
static bool check_launch(overwrite_search *s, k_id id)
{
    const k_node *n = k_at(s->p, id);
    s->writing = stores(s, n->blocks[0]);
    if (s->writing && s->looping)
        return refuse(s, id, "the result is made by launches in a loop");
    if (s->writing && s->stored == UINT32_MAX)
        s->stored = s->step;
    bool ok = check_block(s, n->blocks[0], NULL);
    s->writing = false;
    return ok;
}

static bool check_loop(overwrite_search *s, const k_node *n)
{
    bool outer = s->looping;
    s->looping = outer || n->op != K_IF;
    bool ok = check_host(s, n->blocks[0]) && check_host(s, n->blocks[1]);
    s->looping = outer;
    return ok;
}

static bool check_host(overwrite_search *s, k_block b)
{
    for (k_id id = k_block_at(s->p, b)->first; id; id = k_at(s->p, id)->next, s->step++) {
        const k_node *n = k_at(s->p, id);
        bool shared = n->op == K_OUTPUT && id != s->output &&
                      (n->args[0] == s->result || n->args[0] == s->buffer);
        if (shared)
            return refuse(s, id, "it is another result as well");
        if (n->op == K_LAUNCH ? !check_launch(s, id)
            : n->blocks[0]    ? !check_loop(s, n)
                              : !check_access(s, id, NULL))
            return false;
    }
    return true;
}

/* ---- a pair of leaves ---- */

static k_id find_statement(const overwrite_search *s, uint32_t op, uint32_t which)
{
    for (k_id id = k_block_at(s->p, s->p->host)->first; id; id = k_at(s->p, id)->next)
        if (k_at(s->p, id)->op == op && k_at(s->p, id)->leaf == which)
            return id;
    return 0;
}

/* Finds the memories, and whether one can be the other. */
static bool check_leaf(overwrite_search *s)
{
    s->output = find_statement(s, K_OUTPUT, s->out);
    s->buffer = find_statement(s, K_BUFFER, s->leaf);
    s->result = k_at(s->p, s->output)->args[0];
    s->step = 0;
    s->stored = UINT32_MAX;
    const k_node *memory = k_at(s->p, s->result);
    if (memory->op != K_ALLOC || memory->depth != 0)
        return refuse(s, 0, "the result is made in several memories");
    return same_extents(s) && check_host(s, s->p->host);
}

static void unlink(k_program *p, k_id statement)
{
    k_blocks *b = k_block_at(p, p->host);
    k_id before = 0;
    for (k_id id = b->first; id && id != statement; id = k_at(p, id)->next)
        before = id;
    if (before)
        k_at(p, before)->next = k_at(p, statement)->next;
    else
        b->first = k_at(p, statement)->next;
}

/* Nodes of the parameter stand for those of the result; a parameter that nobody reads comes to be.
 */
static void unite(const overwrite_search *s)
{
    k_program *p = s->p;
    if (!s->buffer) {
        *k_at(p, s->result) = (k_node){.op = K_BUFFER,
                                       .type = k_at(p, s->result)->type,
                                       .leaf = (uint16_t)s->leaf,
                                       .overwritten = true,
                                       .next = k_at(p, s->result)->next};
        return;
    }
    unlink(p, s->result);
    k_at(p, s->buffer)->overwritten = true;
    for (k_id id = 1; id < p->nodes.len; id++) {
        k_node *n = k_at(p, id);
        if ((is_written(n) || n->op == K_OUTPUT) && n->args[0] == s->result)
            n->args[0] = s->buffer;
    }
}

/* ---- the parameter and the results ---- */

static bool is_named(const k_program *p, uint32_t which)
{
    return which < p->origin.names.len && p->origin.names.at[which] == p->target.request.in_place;
}

/* The leaves of the parameter: first, and how many; 0 when there is no such array. */
static uint32_t find_param(const k_program *p, uint32_t *first)
{
    uint32_t i = 0, n = 0;
    while (i < p->in.len && (!is_named(p, i) || p->in.at[i].rank == 0))
        i++;
    while (i + n < p->in.len && p->in.at[i + n].param == p->in.at[i].param && p->in.at[i + n].rank)
        n++;
    *first = i;
    return n;
}

/* Whether the result whose leaves begin at out has the types of the parameter's n leaves. */
static bool same_types(const k_program *p, uint32_t first, uint32_t out, uint32_t n)
{
    bool same = out + n <= p->out.len &&
                (out + n == p->out.len || p->out.at[out + n].param != p->out.at[out].param);
    for (uint32_t i = 0; i < n && same; i++)
        same = p->out.at[out + i].type == p->in.at[first + i].type &&
               p->out.at[out + i].rank == p->in.at[first + i].rank &&
               p->out.at[out + i].param == p->out.at[out].param;
    return same;
}

static bool report(const k_program *p, k_id where, const char *why, const char *hint)
{
    const char *name = intern_str(&p->cx->strings, p->target.request.in_place);
    diag_error(p->cx, DIAG_IN_PLACE, k_loc_at(p, where ? k_at(p, where)->loc : p->origin.loc),
               "no result of %s can overwrite %s: %s", intern_str(&p->cx->strings, p->name), name,
               why);
    diag_hint(p->cx, "%s", hint);
    return false;
}

/* Tries one result; on success it has overwritten the parameter. */
static bool try_result(overwrite_search *s, uint32_t first, uint32_t out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        s->leaf = first + i;
        s->out = out + i;
        if (!check_leaf(s))
            return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        s->leaf = first + i;
        s->out = out + i;
        check_leaf(s);
        unite(s);
    }
    return true;
}

/* Does nothing unless asked (--in-place); false after a diagnostic, as the user relies on it. */
bool k_inplace(k_program *p)
{
    overwrite_search s = {.p = p};
    uint32_t n;
    if (!p->target.request.in_place)
        return true;
    n = find_param(p, &s.first);
    if (!n)
        return report(p, 0, "it has no array parameter of that name",
                      "name an array parameter of the kernel");
    for (uint32_t out = 0; out < p->out.len; out++) {
        bool begins = out == 0 || p->out.at[out].param != p->out.at[out - 1].param;
        if (begins && same_types(p, s.first, out, n) && try_result(&s, s.first, out, n))
            return true;
    }
    return report(
        p, s.where, s.why ? s.why : "none has elements of the same types",
        "leave it an array of its own, or compute each element from those in its place alone");
}
