/* Statements of the text of kernel programs: see parse.h.
 *
 * A statement with values begins with their numbers.  Its node is appended to the block when it has
 * been read whole, so that constants which it uses stand before it. */
#include "ir/kernel/text/parse.h"

#include <string.h>

/* The numbers before the `=`, in r->lists from `from` on; and where the statement begins. */
typedef struct defined {
    uint32_t from, n, loc;
} defined;

static k_id defined_at(const kernel_reader *r, const defined *d, uint32_t i)
{
    return i < d->n ? r->lists.at[d->from + i] : 0;
}

static bool one_value(kernel_reader *r, const defined *d)
{
    return d->n == 1 || kparse_error(r, "this statement has one value");
}

static bool no_value(kernel_reader *r, const defined *d)
{
    return d->n == 0 || kparse_error(r, "this statement has no value");
}

/* Of one statement, in a row. */
static bool in_a_row(kernel_reader *r, const defined *d)
{
    for (uint32_t i = 1; i < d->n; i++)
        if (defined_at(r, d, i) != defined_at(r, d, 0) + i)
            return kparse_error(r, "the values of a statement are numbered in a row");
    return true;
}

/* ---- what ends a statement ---- */

/* The position, if there is one, ends every statement; then the node joins its block. */
static bool finish(kernel_reader *r, k_id id, const defined *d)
{
    uint32_t loc = kparse_position(r, d->loc);
    if (r->failed)
        return false;
    k_at(r->p, id)->loc = loc;
    kparse_append(r, r->block, id);
    return true;
}

/* What stands behind the type of an operator, or a loop's step, that is not plain. */
static void read_form(kernel_reader *r, k_node *n)
{
    const ktext_token *t = &r->lx.now;
    int form = t->kind == TOKEN_WORD ? ktext_attribute_value(HAS_FORM, t->s, t->n) : -1;
    if (r->failed || !(k_op_info(n->op)->attributes & HAS_FORM) || form < 0)
        return;
    n->form = (uint8_t)form;
    kparse_next(r);
}

/* : TYPE, form and facts */
static bool typed_value(kernel_reader *r, k_node n, const defined *d)
{
    if (!one_value(r, d) || !kparse_mark(r, ':'))
        return false;
    n.type = (uint8_t)kparse_type(r);
    read_form(r, &n);
    k_id id = kparse_node(r, defined_at(r, d, 0), n);
    if (!id || !kparse_facts(r, id))
        return false;
    return true;
}

static bool value_statement(kernel_reader *r, k_node n, const defined *d)
{
    return typed_value(r, n, d) && finish(r, defined_at(r, d, 0), d);
}

/* Operands a, b, c; at least `least`, at most `most`. */
static bool read_args(kernel_reader *r, k_node *n, uint32_t least, uint32_t most)
{
    uint32_t from = r->list.len;
    if (!kparse_operands(r))
        return false;
    uint32_t count = r->list.len - from;
    if (count < least || count > most)
        return kparse_error(r, "the operator takes %u operands, not %u",
                            count < least ? least : most, count);
    for (uint32_t i = 0; i < count; i++)
        n->args[i] = r->list.at[from + i];
    r->list.len = from;
    return true;
}

/* ---- values ---- */

/* Arguments, extents and buffers name a leaf of the inputs; whether it exists is the verifier's
 * rule. */
static bool read_leaf(kernel_reader *r, k_op op, const defined *d)
{
    uint32_t which = 0, axis = 0;
    bool ok = kparse_u32(r, &which);
    if (op == K_DIM)
        ok = ok && kparse_mark(r, ',') && kparse_u32(r, &axis);
    if (!ok)
        return false;
    if (which > UINT16_MAX || axis >= MAX_RANK)
        return kparse_error(r, "there is no such input or axis");
    k_node n = {.op = (uint8_t)op, .leaf = (uint16_t)which, .axis = (uint8_t)axis};
    if (!typed_value(r, n, d))
        return false;
    if (op == K_BUFFER && kparse_take_word(r, "overwritten"))
        k_at(r->p, defined_at(r, d, 0))->overwritten = true;
    return finish(r, defined_at(r, d, 0), d);
}

/* Operators whose first word is an attribute: a coordinate, or the space of an allocation. */
static bool read_with_word(kernel_reader *r, k_op op, k_attribute which, const defined *d)
{
    k_node n = {.op = (uint8_t)op};
    if (!kparse_attribute(r, which, &n))
        return false;
    if (op == K_ALLOC && !read_args(r, &n, 1, 2))
        return false;
    if (!typed_value(r, n, d))
        return false;
    if (op == K_ALLOC && kparse_take_word(r, "kept"))
        k_at(r->p, defined_at(r, d, 0))->kept = true;
    return finish(r, defined_at(r, d, 0), d);
}

/* Memory, index, value; and what compare stores, listed. */
static bool read_atomic(kernel_reader *r, const defined *d)
{
    uint32_t from = r->list.len;
    k_node n = {.op = K_ATOMIC};
    if (!kparse_attribute(r, HAS_ATOMIC, &n))
        return false;
    if (!kparse_operands(r) || r->list.len - from < 2)
        return kparse_error(r, "an atomic step takes a memory, an index and mostly a value");
    uint32_t count = r->list.len - from < 3 ? r->list.len - from : 3;
    for (uint32_t i = 0; i < count; i++)
        n.args[i] = r->list.at[from + i];
    uint32_t listed = r->list.len - from - count;
    k_id other = listed ? r->list.at[from + 3] : 0;
    r->list.len = from;
    if (listed > 1)
        return kparse_error(r, "an atomic step takes four operands at most");
    if (!typed_value(r, n, d))
        return false;
    if (other && !vec_push(r->m, &r->list, other))
        return false;
    return kparse_keep_list(r, defined_at(r, d, 0), from) && finish(r, defined_at(r, d, 0), d);
}

/* Constants alone; the verifier says so. */
static bool read_table(kernel_reader *r, const defined *d)
{
    uint32_t from = r->list.len;
    k_node n = {.op = K_TABLE};
    return kparse_operands(r) && typed_value(r, n, d) &&
           kparse_keep_list(r, defined_at(r, d, 0), from) && finish(r, defined_at(r, d, 0), d);
}

static bool read_scalar(kernel_reader *r, opcode op, const defined *d)
{
    const op_info *o = ir_op_info(op);
    k_node n = {.op = K_SCALAR, .opcode = (uint16_t)op};
    return read_args(r, &n, o->min_args, o->max_args) && value_statement(r, n, d);
}

static bool read_operator(kernel_reader *r, k_op op, uint32_t count, const defined *d)
{
    k_node n = {.op = (uint8_t)op};
    return read_args(r, &n, count, count) && value_statement(r, n, d);
}

/* ---- results ---- */

/* Makes the results, of the types that the text lists (or of one). */
static bool read_results(kernel_reader *r, k_id id, const defined *d, bool one_type)
{
    if (!d->n)
        return true;
    if (!in_a_row(r, d) || !kparse_mark(r, ':'))
        return false;
    scalar type = ST_NONE;
    for (uint32_t i = 0; i < d->n; i++) {
        k_node n = {.op = K_RESULT, .number = (uint16_t)i, .owner = id, .loc = d->loc};
        if (i == 0 || !one_type || kparse_is_mark(r, ',')) {
            if (i && !kparse_mark(r, ','))
                return false;
            type = kparse_type(r);
        }
        n.type = (uint8_t)type;
        n.depth = (uint16_t)r->depth;
        k_id result = kparse_node(r, defined_at(r, d, i), n);
        if (!result || !kparse_facts(r, result))
            return false;
    }
    k_at(r->p, id)->results = defined_at(r, d, 0);
    k_at(r->p, id)->nresults = d->n;
    return true;
}

/* The elements' type is the memory's; the node itself has no number, its results have. */
static bool read_load_wide(kernel_reader *r, const defined *d)
{
    k_node n = {.op = K_LOADWIDE};
    if (!read_args(r, &n, 2, 2))
        return false;
    n.type = k_at(r->p, n.args[0])->type;
    k_id id = kparse_node(r, 0, n);
    return id && read_results(r, id, d, true) && finish(r, id, d);
}

/* ---- structured statements ---- */

/* Parameters take the numbers that the text gives them, which must be consecutive: a block knows
 * only the first and how many. */
static k_id new_param(kernel_reader *r, k_id owner, k_block b)
{
    k_id id = kparse_definition(r);
    k_blocks *bl = k_block_at(r->p, b);
    if (!id)
        return 0;
    if (bl->nparams && id != bl->params + bl->nparams) {
        kparse_error(r, "the parameters of a block are numbered in a row");
        return 0;
    }
    if (bl->nparams == UINT16_MAX) {
        kparse_error(r, "a loop carries too many values");
        return 0;
    }
    k_node n = {.op = K_PARAM, .number = (uint16_t)bl->nparams, .depth = bl->depth, .owner = owner};
    n.loc = k_at(r->p, owner)->loc;
    bl->params = bl->nparams++ ? bl->params : id;
    return kparse_node(r, id, n);
}

/* A parameter's type is told by what follows it. */
static bool set_type(kernel_reader *r, k_id param, k_id like)
{
    k_node n = *k_at(r->p, param);
    n.type = k_at(r->p, like)->type;
    return kparse_node(r, param, n) && kparse_facts(r, param);
}

/* carry (%18 = 0, ...) */
static bool read_carried(kernel_reader *r, k_id id, k_block b)
{
    uint32_t from = r->list.len;
    if (!kparse_take_word(r, "carry"))
        return !r->failed;
    if (!kparse_mark(r, '('))
        return false;
    do {
        k_id param = new_param(r, id, b), initial;
        if (!param || !kparse_mark(r, '='))
            return false;
        initial = kparse_operand(r);
        if (!set_type(r, param, initial) || !vec_push(r->m, &r->list, initial))
            return false;
    } while (kparse_take_mark(r, ','));
    return kparse_mark(r, ')') && kparse_keep_list(r, id, from);
}

/* %i = start, end, step. The head is read through a copy, as reading operands may move the nodes.
 */
static bool read_for_head(kernel_reader *r, k_id id, k_block b)
{
    k_id variable = new_param(r, id, b);
    k_node n = *k_at(r->p, id);
    if (!variable || !kparse_mark(r, '=') || !read_args(r, &n, 3, 3))
        return false;
    *k_at(r->p, id) = n;
    if (!set_type(r, variable, n.args[1]))
        return false;
    k_at(r->p, id)->independent = kparse_take_word(r, "independent");
    k_at(r->p, id)->unordered = kparse_take_word(r, "unordered");
    read_form(r, k_at(r->p, id));
    return !r->failed;
}

static bool read_par_head(kernel_reader *r, k_id id, k_block b)
{
    if (!kparse_attribute(r, HAS_WORKERS, k_at(r->p, id)))
        return false;
    k_id variable = new_param(r, id, b);
    if (!variable || !kparse_mark(r, '<'))
        return false;
    k_id end = kparse_operand(r);
    k_at(r->p, id)->args[0] = end;
    return set_type(r, variable, end);
}

/* What stands between the operator's name and `carry`; a while has nothing there. */
static bool read_head(kernel_reader *r, k_id id, k_block b, k_op op)
{
    if (op == K_FOR)
        return read_for_head(r, id, b);
    if (op == K_PAR)
        return read_par_head(r, id, b);
    if (op == K_IF) {
        k_id cond = kparse_operand(r);
        k_at(r->p, id)->args[0] = cond;
    }
    return !r->failed;
}

/* An if without else has an empty second block. */
static bool read_second_block(kernel_reader *r, k_id id, k_op op)
{
    bool nested = op == K_WHILE;
    if (op != K_IF && op != K_WHILE)
        return true;
    if (nested && !kparse_word(r, "do"))
        return false;
    k_block fresh = kparse_new_block(r, 1 + nested);
    k_at(r->p, id)->blocks[1] = fresh;
    if (nested || kparse_take_word(r, "else"))
        return kparse_block(r, fresh, 1 + nested);
    k_id yield = kparse_node(r, 0, (k_node){.op = K_YIELD});
    kparse_append(r, fresh, yield);
    return !r->failed;
}

/* The node exists before its blocks are read, since parameters name it as their owner, but joins
 * the outer block behind them, after the constants that they needed. */
static bool read_region(kernel_reader *r, k_op op, const defined *d)
{
    k_node n = {.op = (uint8_t)op, .loc = d->loc, .depth = (uint16_t)r->depth};
    k_id id = kparse_node(r, 0, n);
    k_block b = kparse_new_block(r, 1);
    if (!id || !b)
        return false;
    k_at(r->p, id)->blocks[0] = b;
    if (!read_head(r, id, b, op) || !read_carried(r, id, b) || !read_results(r, id, d, false))
        return false;
    uint32_t loc = kparse_position(r, d->loc);
    k_at(r->p, id)->loc = loc;
    if (!kparse_block(r, b, 1) || !read_second_block(r, id, op))
        return false;
    kparse_append(r, r->block, id);
    return true;
}

/* ---- launches ---- */

/* Numbers, separated by commas and in parentheses, into the pool: those that a test takes. */
static bool read_ids(kernel_reader *r, uint32_t *from)
{
    *from = r->lists.len;
    if (!kparse_mark(r, '('))
        return false;
    if (kparse_take_mark(r, ')'))
        return true;
    do {
        k_id id = kparse_id(r);
        if (!id || !vec_push(r->m, &r->lists, id))
            return false;
    } while (kparse_take_mark(r, ','));
    return kparse_mark(r, ')');
}

/* Moves a list from r->lists into the pool; *at and *n tell where it lies. */
static bool keep_ids(kernel_reader *r, uint32_t from, uint32_t *at, uint32_t *n)
{
    k_program *p = r->p;
    *at = p->pool.len;
    *n = r->lists.len - from;
    if (!vec_reserve(r->m, &p->pool, *n))
        return false;
    for (uint32_t i = from; i < r->lists.len; i++)
        p->pool.at[p->pool.len++] = r->lists.at[i];
    r->lists.len = from;
    return true;
}

/* args(...): scalars, then memories, which are defined before the launch. */
static bool read_args_list(kernel_reader *r, k_kernel *k)
{
    uint32_t from, at, n, scalars = 0;
    if (!kparse_word(r, "args") || !read_ids(r, &from) || !keep_ids(r, from, &at, &n))
        return false;
    while (scalars < n && k_op_info(k_at(r->p, r->p->pool.at[at + scalars])->op)->class != KC_PLACE)
        scalars++;
    k->scalars = at;
    k->nscalars = scalars;
    k->globals = at + scalars;
    k->nglobals = n - scalars;
    return true;
}

/* %43 in 0 at 128 phases 1..3 */
static bool read_local(kernel_reader *r)
{
    k_local l = {.alloc = kparse_id(r)};
    int64_t offset = 0;
    bool ok = l.alloc && kparse_word(r, "in") && kparse_u32(r, &l.area);
    if (ok && kparse_take_word(r, "at"))
        ok = kparse_integer(r, &offset) &&
             (offset >= 0 || kparse_error(r, "an offset is not negative"));
    if (ok && kparse_take_word(r, "phases"))
        ok = kparse_u32(r, &l.from) && kparse_mark(r, '.') && kparse_u32(r, &l.to);
    l.offset = (uint64_t)offset;
    return ok && vec_push(r->m, &r->p->locals, l);
}

static bool read_locals(kernel_reader *r, k_kernel *k)
{
    k->locals = r->p->locals.len;
    if (!kparse_take_word(r, "local"))
        return !r->failed;
    if (!kparse_mark(r, '('))
        return false;
    do
        if (!read_local(r))
            return false;
    while (kparse_take_mark(r, ','));
    k->nlocals = r->p->locals.len - k->locals;
    return kparse_mark(r, ')') && kparse_setting(r, "areas", &k->nareas) &&
           kparse_setting(r, "phases", &k->phases);
}

/* What outline found out stands in the text; the verifier compares it with the launch's body. */
static bool read_kernel(kernel_reader *r, k_id id, str_id name)
{
    k_kernel k = {.launch = id, .name = name};
    uint32_t from;
    if (!read_args_list(r, &k) || !read_locals(r, &k))
        return false;
    k.privates = r->p->pool.len;
    if (kparse_take_word(r, "private") &&
        !(read_ids(r, &from) && keep_ids(r, from, &k.privates, &k.nprivates)))
        return false;
    k.shares_global = kparse_take_word(r, "shares-global");
    k.checks = kparse_take_word(r, "checks");
    return !r->failed && vec_push(r->m, &r->p->kernels, k);
}

static bool read_launch(kernel_reader *r, const defined *d)
{
    k_id id = kparse_node(r, 0, (k_node){.op = K_LAUNCH, .depth = (uint16_t)r->depth});
    str_id name = !r->failed && r->lx.now.kind == TOKEN_NAME ? kparse_name(r, TOKEN_NAME) : 0;
    if (r->failed || !kparse_attribute(r, HAS_LEVEL, k_at(r->p, id)) || !kparse_word(r, "groups") ||
        !kparse_mark(r, '='))
        return false;
    k_id groups = kparse_operand(r), threads = 0;
    if (kparse_word(r, "threads") && kparse_mark(r, '='))
        threads = kparse_operand(r);
    k_node *n = k_at(r->p, id);
    n->args[0] = groups;
    n->args[1] = threads;
    n->joined = kparse_take_word(r, "joined");
    if (name && !read_kernel(r, id, name))
        return false;
    uint32_t loc = kparse_position(r, d->loc);
    k_block b = kparse_new_block(r, 1);
    k_at(r->p, id)->loc = loc;
    k_at(r->p, id)->blocks[0] = b;
    if (!b || !kparse_block(r, b, 1))
        return false;
    kparse_append(r, r->block, id);
    return true;
}

/* ---- statements without a value ---- */

/* The memory's type is the node's. A wide store lists its elements behind `=`. */
static bool read_store(kernel_reader *r, k_op op, const defined *d)
{
    k_node n = {.op = (uint8_t)op};
    uint32_t count = op == K_STORE ? 3 : 2, from = r->list.len;
    if (!read_args(r, &n, count, count))
        return false;
    n.type = k_at(r->p, n.args[0])->type;
    if (op == K_STOREWIDE && !(kparse_mark(r, '=') && kparse_operands(r)))
        return false;
    k_id id = kparse_node(r, 0, n);
    return id && kparse_keep_list(r, id, from) && finish(r, id, d);
}

static bool read_sync(kernel_reader *r, const defined *d)
{
    k_node n = {.op = K_SYNC};
    if (!kparse_attribute(r, HAS_LEVEL, &n))
        return false;
    n.fenced = kparse_take_word(r, "fenced");
    k_id id = kparse_node(r, 0, n);
    return id && finish(r, id, d);
}

/* An assertion's text stands behind the numbers. */
static bool read_check(kernel_reader *r, const defined *d)
{
    k_node n = {.op = K_CHECK};
    if (!kparse_attribute(r, HAS_CHECKED, &n) || !read_args(r, &n, 3, 3))
        return false;
    if (r->lx.now.kind == TOKEN_STRING)
        n.bits = kparse_name(r, TOKEN_STRING);
    k_id id = kparse_node(r, 0, n);
    return id && finish(r, id, d);
}

/* The extents of an array. */
static bool read_extents(kernel_reader *r)
{
    return kparse_mark(r, '[') && (kparse_is_mark(r, ']') || kparse_operands(r)) &&
           kparse_mark(r, ']');
}

static bool read_output(kernel_reader *r, const defined *d)
{
    uint32_t which, from = r->list.len;
    if (!kparse_u32(r, &which) || !kparse_mark(r, '='))
        return false;
    if (which > UINT16_MAX)
        return kparse_error(r, "there is no such output");
    k_id memory = kparse_operand(r);
    k_node n = {.op = K_OUTPUT, .leaf = (uint16_t)which, .args = {memory}};
    n.type = k_at(r->p, memory)->type;
    if (!read_extents(r))
        return false;
    k_id id = kparse_node(r, 0, n);
    return id && kparse_keep_list(r, id, from) && finish(r, id, d);
}

static bool read_emitted(kernel_reader *r, k_op op, const defined *d)
{
    uint32_t follow = 0, count = op == K_EMIT ? 2 : 1, from = r->list.len;
    k_node n = {.op = (uint8_t)op};
    if (!read_args(r, &n, count, count) || (op == K_EMIT && !read_extents(r)))
        return false;
    if (op == K_EMIT)
        n.type = k_at(r->p, n.args[0])->type;
    if (kparse_take_word(r, "follow") && !kparse_u32(r, &follow))
        return false;
    if (follow > UINT16_MAX)
        return kparse_error(r, "so many leaves are not handed out together");
    n.number = (uint16_t)follow;
    if (kparse_take_word(r, "as"))
        n.bits = kparse_name(r, TOKEN_STRING);
    k_id id = r->failed ? 0 : kparse_node(r, 0, n);
    return id && kparse_keep_list(r, id, from) && finish(r, id, d);
}

static bool read_receive(kernel_reader *r, const defined *d)
{
    k_node n = {.op = K_RECEIVE};
    if (!read_args(r, &n, 1, 1))
        return false;
    n.type = k_at(r->p, n.args[0])->type;
    if (kparse_take_word(r, "as"))
        n.bits = kparse_name(r, TOKEN_STRING);
    k_id id = r->failed ? 0 : kparse_node(r, 0, n);
    return id && read_results(r, id, d, false) && finish(r, id, d);
}

static bool read_room(kernel_reader *r, k_op op, const defined *d)
{
    k_node n = {.op = (uint8_t)op};
    if (!read_args(r, &n, 2, 2))
        return false;
    n.type = k_at(r->p, n.args[0])->type;
    k_id id = kparse_node(r, 0, n);
    return id && finish(r, id, d);
}

static bool read_yield(kernel_reader *r, const defined *d)
{
    uint32_t from = r->list.len;
    if (!kparse_operands(r))
        return false;
    k_id id = kparse_node(r, 0, (k_node){.op = K_YIELD});
    return id && kparse_keep_list(r, id, from) && finish(r, id, d);
}

/* ---- all of them ---- */

/* The numbers before `=`; a statement that begins with a word has none. */
static bool read_values(kernel_reader *r, defined *d)
{
    d->loc = kparse_place(r);
    d->from = r->lists.len;
    if (r->failed || r->lx.now.kind != TOKEN_VALUE)
        return !r->failed;
    do {
        k_id id = kparse_definition(r);
        if (!id || !vec_push(r->m, &r->lists, id))
            return false;
    } while (kparse_take_mark(r, ','));
    d->n = r->lists.len - d->from;
    return kparse_mark(r, '=');
}

/* The operator of kir.def with that name; scalar operators are in the core's table and come later.
 */
static k_op named(const ktext_token *t)
{
    for (uint32_t op = 1; op < K_END; op++) {
        const char *name = k_op_info(op)->name;
        if (name && *name && t->kind == TOKEN_WORD && strlen(name) == t->n &&
            memcmp(name, t->s, t->n) == 0)
            return (k_op)op;
    }
    return K_NONE;
}

static bool read_named(kernel_reader *r, k_op op, const defined *d)
{
    bool valued = op == K_IF || op == K_FOR || op == K_WHILE || op == K_RECEIVE;
    k_class class = k_op_info(op)->class;
    if ((class == KC_REGION || class == KC_EFFECT || class == KC_PART) && !valued &&
        op != K_ATOMIC && !no_value(r, d))
        return false;
    switch (op) {
    case K_ARG:
    case K_DIM:
    case K_BUFFER: return read_leaf(r, op, d);
    case K_BUILTIN: return read_with_word(r, op, HAS_COORDINATE, d);
    case K_ALLOC: return read_with_word(r, op, HAS_SPACE, d);
    case K_ATOMIC: return read_atomic(r, d);
    case K_TABLE: return read_table(r, d);
    case K_CONVERT:
    case K_BITCAST: return read_operator(r, op, 1, d);
    case K_LOAD:
    case K_SHUFFLE: return read_operator(r, op, 2, d);
    case K_LOADWIDE: return read_load_wide(r, d);
    case K_IF:
    case K_FOR:
    case K_WHILE:
    case K_PAR: return read_region(r, op, d);
    case K_LAUNCH: return read_launch(r, d);
    case K_STORE:
    case K_STOREWIDE: return read_store(r, op, d);
    case K_SYNC: return read_sync(r, d);
    case K_CHECK: return read_check(r, d);
    case K_FAILED: return value_statement(r, (k_node){.op = K_FAILED}, d);
    case K_OUTPUT: return read_output(r, d);
    case K_EMIT:
    case K_EMITSCALAR: return read_emitted(r, op, d);
    case K_RECEIVE: return read_receive(r, d);
    case K_RESIZE:
    case K_SWAP: return read_room(r, op, d);
    case K_YIELD: return read_yield(r, d);
    default: return kparse_error(r, "this is no statement");
    }
}

bool kparse_statement(kernel_reader *r)
{
    defined d = {0};
    uint32_t from = r->lists.len;
    if (!read_values(r, &d))
        return false;
    const ktext_token t = r->lx.now;
    k_op op = named(&t);
    opcode scalar_op = t.kind == TOKEN_WORD && !op ? ir_op_named(t.s, t.n) : OP_NONE;
    if (!op && !ir_op_info(scalar_op)->is_scalar)
        return kparse_error(r, "a statement is expected here");
    kparse_next(r);
    bool ok = op ? read_named(r, op, &d) : read_scalar(r, scalar_op, &d);
    r->lists.len = from;
    return ok && !r->failed;
}
