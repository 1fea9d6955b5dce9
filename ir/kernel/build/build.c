/* The builder of kernel programs: see build.h. */
#include "ir/kernel/build/build.h"

#include "ir/scalar/scalar.h"

#include <string.h>

/* ---- nodes ---- */

static k_id new_node(k_builder *b, k_node n)
{
    k_program *p = b->p;
    if (b->failed)
        return 0;
    if (p->nodes.len >= p->cx->limits.kernel_nodes) {
        b->failed = true;
        diag_error(p->cx, DIAG_TOO_LARGE, k_loc_at(p, b->loc),
                   "the kernel grows beyond %u nodes", p->cx->limits.kernel_nodes);
        diag_hint(p->cx, "force intermediate arrays that are used more than once, so that their "
                         "code is not repeated");
        return 0;
    }
    n.loc = b->loc;
    if (!vec_push(&p->cx->mem, &p->nodes, n)) {
        b->failed = true;
        return 0;
    }
    return p->nodes.len - 1;
}

static k_block new_block(k_builder *b)
{
    k_program *p = b->p;
    if (b->failed ||
        !vec_push(&p->cx->mem, &p->blocks, ((k_blocks){.depth = (uint16_t)b->scopes.len}))) {
        b->failed = true;
        return 0;
    }
    return p->blocks.len - 1;
}

static void append(k_builder *b, uint32_t depth, k_id n)
{
    if (!n || depth >= b->scopes.len)
        return;
    k_blocks *bl = k_block_at(b->p, b->scopes.at[depth].block);
    k_at(b->p, n)->depth = (uint16_t)depth;
    if (bl->last)
        k_at(b->p, bl->last)->next = n;
    else
        bl->first = n;
    bl->last = n;
}

static void add_list(k_builder *b, k_node *n, const k_id *list, uint32_t len)
{
    k_program *p = b->p;
    if (!vec_reserve(&p->cx->mem, &p->pool, len)) {
        b->failed = true;
        return;
    }
    n->list = p->pool.len;
    n->nlist = len;
    for (uint32_t i = 0; i < len; i++)
        p->pool.at[p->pool.len++] = list[i];
}

/* ---- scopes ---- */

uint16_t kb_depth(const k_builder *b)
{
    return (uint16_t)(b->scopes.len - 1);
}

uint16_t kb_host_depth(const k_builder *b)
{
    return b->launch_depth ? (uint16_t)(b->launch_depth - 1) : kb_depth(b);
}

bool kb_is_host(const k_builder *b, k_id v)
{
    return v && k_at(b->p, v)->depth <= kb_host_depth(b);
}

/* Passes recurse over blocks: they count on this, and on adding only a few blocks around each. */
enum { SCOPES_MOST = 400 };

static bool nests_too_deep(k_builder *b)
{
    if (b->scopes.len < SCOPES_MOST || b->failed)
        return false;
    diag_error(b->p->cx, DIAG_TOO_DEEP, k_loc_at(b->p, b->loc),
               "loops and branches of the kernel nest deeper than %d", SCOPES_MOST);
    diag_hint(b->p->cx,
              "force intermediate arrays, so that their code is not nested in that of others");
    return true;
}

static void push_scope(k_builder *b, k_block block, k_id owner)
{
    if (nests_too_deep(b))
        b->failed = true;
    if (!block || !vec_push(&b->p->cx->mem, &b->scopes,
                            ((k_scope){.block = block, .owner = owner, .log = b->log.len})))
        b->failed = true;
}

/* Closing a scope forgets the values numbered in it, and what was known there. */
static void pop_scope(k_builder *b)
{
    while (b->facts.len && b->facts.at[b->facts.len - 1].depth + 1 >= b->scopes.len)
        b->facts.len--;
    uint32_t keep = b->scopes.at[b->scopes.len - 1].log;
    while (b->log.len > keep)
        b->table[b->log.at[--b->log.len]] = UINT32_MAX; /* a hole: probing goes on past it */
    b->scopes.len--;
}

bool kb_init(k_builder *b, k_program *p)
{
    *b = (k_builder){.p = p};
    p->host = new_block(b);
    push_scope(b, p->host, 0);
    return !b->failed;
}

void kb_release(k_builder *b)
{
    mem *m = &b->p->cx->mem;
    vec_free(m, &b->scopes);
    vec_free(m, &b->log);
    vec_free(m, &b->facts);
    mem_free(m, b->table, b->table_cap * sizeof *b->table);
    b->table = NULL;
}

/* ---- value numbering ---- */

static uint32_t hash_value(const k_node *n)
{
    uint32_t claimed = n->exact == CLAIMED ? 0x80 : 0;
    uint32_t key[6] = {n->op | claimed | (uint32_t)n->type << 8 | (uint32_t)n->sub << 16,
                       n->args[0],
                       n->args[1],
                       n->args[2],
                       (uint32_t)(uint64_t)n->lo,
                       (uint32_t)((uint64_t)n->lo >> 32)};
    return intern_hash(HASH_SEED, key, n->op == K_CONST ? 24 : 16);
}

static bool same_value(const k_node *x, const k_node *y)
{
    return x->op == y->op && x->type == y->type && x->sub == y->sub &&
           memcmp(x->args, y->args, sizeof x->args) == 0 && (x->op != K_CONST || x->lo == y->lo) &&
           (x->op != K_LOAD || x->list == y->list) &&
           (x->exact == CLAIMED) == (y->exact == CLAIMED);
}

/* The slot of an equal value, or the free slot (0 or hole) for it. */
static uint32_t find_slot(const k_builder *b, const k_node *n)
{
    uint32_t mask = b->table_cap - 1, i = hash_value(n) & mask, hole = UINT32_MAX;
    for (; b->table[i]; i = (i + 1) & mask) {
        if (b->table[i] == UINT32_MAX) {
            hole = hole == UINT32_MAX ? i : hole;
            continue;
        }
        if (same_value(k_at(b->p, b->table[i]), n))
            return i;
    }
    return hole == UINT32_MAX ? i : hole;
}

/* A new table without holes, larger if need be; the log's slots are renumbered. */
static bool grow_table(k_builder *b)
{
    mem *m = &b->p->cx->mem;
    uint32_t old_cap = b->table_cap, *old = b->table;
    uint32_t cap = !old_cap                    ? 1024
                   : b->log.len * 4 >= old_cap ? old_cap * 2
                                               : old_cap; /* holes alone: only cleared */
    uint32_t *table = mem_resize(m, NULL, 0, cap * sizeof *table);
    if (!table)
        return false;
    memset(table, 0, cap * sizeof *table);
    b->table = table;
    b->table_cap = cap;
    b->table_len = b->log.len;
    for (uint32_t i = 0; i < b->log.len; i++) {
        uint32_t id = old[b->log.at[i]];
        uint32_t slot = find_slot(b, k_at(b->p, id));
        table[slot] = id;
        b->log.at[i] = slot;
    }
    mem_free(m, old, old_cap * sizeof *old);
    return true;
}

/* Remembers a value as long as scope `depth` is open.  The log is ordered by depth of scope, so it
 * is inserted in place. */
static void remember(k_builder *b, uint32_t slot, k_id id, uint32_t depth)
{
    if (!vec_push(&b->p->cx->mem, &b->log, slot)) {
        b->failed = true;
        return;
    }
    uint32_t at = b->log.len - 1;
    for (uint32_t d = (uint32_t)b->scopes.len - 1; d > depth; d--) {
        uint32_t start = b->scopes.at[d].log++;
        b->log.at[at] = b->log.at[start];
        at = start;
    }
    b->log.at[at] = slot;
    b->table_len += b->table[slot] == 0;
    b->table[slot] = id;
}

/* ---- placing pure values ---- */

static uint32_t deepest(const k_builder *b, const k_node *n)
{
    uint32_t d = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t a = n->args[i] ? k_at(b->p, n->args[i])->depth : 0;
        d = a > d ? a : d;
    }
    return d;
}

/* Costlier operations than this stay inside the `if` that asks for them. */
enum { CHEAP = 4 };

static uint32_t place_for(const k_builder *b, const k_node *n)
{
    uint32_t min = n->op == K_BUILTIN ? b->launch_depth : deepest(b, n), d = kb_depth(b);
    bool cheap = n->op != K_SCALAR || ir_op_info(n->sub)->cost <= CHEAP;
    while (d > min && (cheap || k_at(b->p, b->scopes.at[d].owner)->op != K_IF))
        d--;
    if (k_at(b->p, k_block_at(b->p, b->scopes.at[d].block)->last)->op == K_YIELD)
        d++; /* the condition of a while has ended: its body is as good a place */
    return d;
}

/* The value n: the one that exists, or a new one at depth `place` (by default as far out as can
 * be). */
enum { OUTERMOST = UINT16_MAX + 1 };

static k_id numbered(k_builder *b, k_node n, uint32_t place)
{
    if (b->failed || (b->table_len * 2 >= b->table_cap && !grow_table(b))) {
        b->failed = true;
        return 0;
    }
    uint32_t slot = find_slot(b, &n);
    if (b->table[slot] && b->table[slot] != UINT32_MAX)
        return b->table[slot];
    uint32_t depth = place == OUTERMOST ? place_for(b, &n) : place;
    k_id id = new_node(b, n);
    if (!id)
        return 0;
    append(b, depth, id);
    remember(b, slot, id, depth);
    return id;
}

static k_id pure(k_builder *b, k_node n)
{
    return numbered(b, n, OUTERMOST);
}

k_id kb_const(k_builder *b, scalar t, uint64_t bits)
{
    return pure(
        b, (k_node){.op = K_CONST, .type = (uint8_t)t, .lo = (int64_t)bits, .hi = (int64_t)bits});
}

k_id kb_int(k_builder *b, int32_t x)
{
    return kb_const(b, ST_I32, (uint64_t)(int64_t)x);
}

/* What x is known to be here. */
static k_id known(const k_builder *b, k_id x)
{
    for (uint32_t i = 0; i < b->facts.len; i++)
        if (b->facts.at[i].x == x)
            return b->facts.at[i].value;
    return x;
}

/* Positions are i32 or i64: where both meet, the narrower one is widened. */
static void meet(k_builder *b, k_id *x, k_id *y)
{
    scalar s = (scalar)k_at(b->p, *x)->type, t = (scalar)k_at(b->p, *y)->type;
    if (s == ST_I32 && t == ST_I64)
        *x = kb_convert(b, ST_I64, *x);
    else if (s == ST_I64 && t == ST_I32)
        *y = kb_convert(b, ST_I64, *y);
}

k_id kb_scalar(k_builder *b, opcode op, k_id x, k_id y, k_id z)
{
    x = known(b, x);
    y = known(b, y);
    z = known(b, z);
    if (op == SOP_SELECT)
        meet(b, &y, &z);
    else if (y)
        meet(b, &x, &y);
    const k_id args[3] = {x, y, z};
    scalar t = (scalar)k_at(b->p, op == SOP_SELECT ? y : x)->type;
    k_id folded = ka_fold_scalar(b, op, t, args);
    if (folded || b->failed)
        return folded;
    k_node n = {.op = K_SCALAR, .sub = (uint16_t)op, .args = {x, y, z}};
    n.type = (uint8_t)(ir_op_info(op)->result_bool ? ST_BOOL : t);
    ka_fold_interval(b->p, &n);
    return pure(b, n);
}

k_id kb_claimed(k_builder *b, opcode op, k_id x, k_id y)
{
    k_node n = {.op = K_SCALAR, .type = k_at(b->p, x)->type, .sub = (uint16_t)op, .args = {x, y}};
    ka_fold_interval(b->p, &n);
    if (n.exact)
        return pure(b, n);
    n.exact = CLAIMED;
    n.lo = 0;
    n.hi = MAX_EXTENT;
    return numbered(b, n, kb_depth(b));
}

/* Whether a conversion between integers keeps every value that its operand can have. */
static bool is_widening(const k_program *p, const k_node *n)
{
    const k_node *x = k_at(p, n->args[0]);
    int64_t lo, hi;
    ka_scalar_range((scalar)n->type, &lo, &hi);
    bool integers = ka_scalar_is_int((scalar)x->type) && ka_scalar_is_int((scalar)n->type) &&
                    n->type != ST_BOOL;
    return integers && x->type != ST_U64 && n->type != ST_U64 && x->lo >= lo && x->hi <= hi;
}

k_id kb_convert(k_builder *b, scalar to, k_id x)
{
    const k_node *n = k_at(b->p, x);
    if (n->type == to)
        return x;
    if (n->op == K_CONST)
        return kb_const(b, to, scalar_convert(to, (scalar)n->type, (uint64_t)n->lo));
    if (n->op == K_CONVERT && k_at(b->p, n->args[0])->type == to && is_widening(b->p, n))
        return n->args[0];
    k_node c = {.op = K_CONVERT, .type = (uint8_t)to, .args = {x}};
    ka_scalar_range(to, &c.lo, &c.hi);
    if (ka_scalar_is_int(to) && to != ST_BOOL && ka_scalar_is_int((scalar)n->type) &&
        n->lo >= c.lo && n->hi <= c.hi) {
        c.lo = n->lo;
        c.hi = n->hi;
    }
    return pure(b, c);
}

k_id kb_bitcast(k_builder *b, scalar to, k_id x)
{
    const k_node *n = k_at(b->p, x);
    if (n->type == to)
        return x;
    if (n->op == K_CONST)
        return kb_const(b, to, scalar_wrap(to, (uint64_t)n->lo));
    k_node c = {.op = K_BITCAST, .type = (uint8_t)to, .args = {x}};
    ka_scalar_range(to, &c.lo, &c.hi);
    return pure(b, c);
}

k_id kb_arg(k_builder *b, uint32_t leaf_no, scalar t)
{
    k_node n = {.op = K_ARG, .type = (uint8_t)t, .sub = (uint16_t)leaf_no};
    ka_scalar_range(t, &n.lo, &n.hi);
    return pure(b, n);
}

k_id kb_dim(k_builder *b, uint32_t leaf_no, uint32_t axis)
{
    k_node n = {.op = K_DIM,
                .type = ST_I32,
                .sub = (uint16_t)(leaf_no * MAX_RANK + axis),
                .lo = 0,
                .hi = MAX_EXTENT};
    return pure(b, n);
}

k_id kb_builtin(k_builder *b, k_builtin which, int64_t hi)
{
    if (hi == 0 && which != AT_GROUPS)
        return kb_int(b, 0);
    return pure(
        b, (k_node){.op = K_BUILTIN, .type = ST_I32, .sub = (uint16_t)which, .lo = 0, .hi = hi});
}

k_id kb_add(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_ADD, x, y, 0);
}

k_id kb_sub(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_SUB, x, y, 0);
}

k_id kb_mul(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_MUL, x, y, 0);
}

k_id kb_min(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_MIN, x, y, 0);
}

k_id kb_max(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_MAX, x, y, 0);
}

k_id kb_lt(k_builder *b, k_id x, k_id y)
{
    return kb_scalar(b, SOP_LT, x, y, 0);
}

k_id kb_select(k_builder *b, k_id c, k_id x, k_id y)
{
    return kb_scalar(b, SOP_SELECT, c, x, y);
}

/* ---- memory and effects ---- */

static k_id effect(k_builder *b, k_node n)
{
    k_id id = new_node(b, n);
    append(b, kb_depth(b), id);
    return id;
}

/* Results 0 ... n-1 of a statement, nodes in a row. */
static void add_results_of(k_builder *b, k_id id, scalar t, uint32_t n)
{
    k_id first = b->p->nodes.len;
    for (uint32_t i = 0; i < n; i++) {
        k_node r = {.op = K_RESULT,
                    .type = (uint8_t)t,
                    .sub = (uint16_t)i,
                    .depth = kb_depth(b),
                    .args = {id}};
        ka_scalar_range(t, &r.lo, &r.hi);
        new_node(b, r);
    }
    k_at(b->p, id)->results = first;
    k_at(b->p, id)->nresults = n;
}

k_id kb_buffer(k_builder *b, uint32_t leaf_no, scalar t)
{
    return pure(b, (k_node){.op = K_BUFFER, .type = (uint8_t)t, .sub = (uint16_t)leaf_no});
}

k_id kb_alloc(k_builder *b, k_space s, scalar t, k_id size)
{
    return kb_alloc_at(b, kb_depth(b), s, t, size);
}

k_id kb_alloc_at(k_builder *b, uint32_t depth, k_space s, scalar t, k_id size)
{
    k_id id = new_node(
        b, (k_node){.op = K_ALLOC, .type = (uint8_t)t, .sub = (uint16_t)s, .args = {size}});
    append(b, depth, id);
    return id;
}

k_id kb_alloc_padded(k_builder *b, k_space s, scalar t, k_id size, k_id used)
{
    k_id id = kb_alloc(b, s, t, size);
    k_at(b->p, id)->args[1] = used;
    return id;
}

/* Since when what is read from a memory can be relied on: nobody writes buffers that are no
 * results; others may have been written since the last barrier by other threads, and since the
 * start of a loop by its last turn. */
static uint32_t unwritten_since(const k_builder *b, const k_node *memory)
{
    uint32_t since = b->entered;
    if (memory->op == K_BUFFER && !memory->exact)
        return 0;
    if (memory->sub != SPACE_PRIVATE && b->synced > since)
        since = b->synced;
    return memory->list > since ? memory->list : since;
}

static void written(k_builder *b, k_id memory)
{
    k_at(b->p, memory)->list = ++b->clock;
}

k_id kb_load(k_builder *b, k_id memory, k_id index)
{
    const k_node *m = k_at(b->p, memory);
    k_node n = {
        .op = K_LOAD, .type = m->type, .args = {memory, index}, .list = unwritten_since(b, m)};
    ka_scalar_range((scalar)n.type, &n.lo, &n.hi);
    return numbered(b, n, kb_depth(b));
}

void kb_store(k_builder *b, k_id memory, k_id index, k_id value)
{
    written(b, memory);
    effect(b, (k_node){
                  .op = K_STORE, .type = k_at(b->p, memory)->type, .args = {memory, index, value}});
}

k_id kb_load_wide(k_builder *b, k_id memory, k_id index, uint32_t lanes)
{
    scalar t = (scalar)k_at(b->p, memory)->type;
    k_id id = effect(b, (k_node){.op = K_LOADWIDE, .type = (uint8_t)t, .args = {memory, index}});
    add_results_of(b, id, t, lanes);
    return id;
}

void kb_store_wide(k_builder *b, k_id memory, k_id index, const k_id *values, uint32_t lanes)
{
    k_node n = {.op = K_STOREWIDE, .type = k_at(b->p, memory)->type, .args = {memory, index}};
    written(b, memory);
    add_list(b, &n, values, lanes);
    effect(b, n);
}

k_id kb_shuffle(k_builder *b, k_id value, k_id lane)
{
    const k_node *v = k_at(b->p, value);
    return effect(
        b, (k_node){
               .op = K_SHUFFLE, .type = v->type, .args = {value, lane}, .lo = v->lo, .hi = v->hi});
}

scalar kb_atomic_type(scalar t)
{
    return t == ST_F32 ? ST_U32 : t == ST_F64 ? ST_U64 : t;
}

k_id kb_atomic(k_builder *b, k_atomic what, k_id memory, k_id index, k_id x, k_id other)
{
    scalar t = kb_atomic_type((scalar)k_at(b->p, memory)->type);
    k_node n = {
        .op = K_ATOMIC, .type = (uint8_t)t, .sub = (uint16_t)what, .args = {memory, index, x}};
    ka_scalar_range((scalar)n.type, &n.lo, &n.hi);
    written(b, memory);
    b->synced = ++b->clock; /* it may order other accesses */
    if (other)
        add_list(b, &n, &other, 1);
    return effect(b, n);
}

void kb_sync(k_builder *b, uint32_t level)
{
    b->synced = ++b->clock;
    effect(b, (k_node){.op = K_SYNC, .sub = (uint16_t)level});
}

void kb_output(k_builder *b, uint32_t leaf_no, k_id memory, const k_id *dims, uint32_t rank)
{
    k_node n = {.op = K_OUTPUT,
                .type = k_at(b->p, memory)->type,
                .sub = (uint16_t)leaf_no,
                .args = {memory}};
    add_list(b, &n, dims, rank);
    effect(b, n);
}

/* ---- structured statements ---- */

static void add_params(k_builder *b, k_block block, k_id index_hi, const k_id *init, uint32_t n)
{
    k_program *p = b->p;
    k_id first = p->nodes.len;
    uint16_t depth = k_block_at(p, block)->depth;
    if (index_hi) {
        int64_t hi = k_at(p, index_hi)->hi;
        k_node i = {
            .op = K_PARAM, .depth = depth, .args = {0, index_hi}, .hi = hi > 0 ? hi - 1 : 0};
        i.type = k_at(p, index_hi)->type;
        new_node(b, i);
    }
    for (uint32_t k = 0; k < n; k++) {
        k_node c = {.op = K_PARAM,
                    .type = k_at(p, init[k])->type,
                    .depth = depth,
                    .sub = (uint16_t)(k + 1)};
        ka_scalar_range((scalar)c.type, &c.lo, &c.hi);
        new_node(b, c);
    }
    k_block_at(p, block)->params = first;
    k_block_at(p, block)->nparams = p->nodes.len - first;
}

static k_id open_stmt(k_builder *b, k_node n, k_id index_hi, const k_id *init, uint32_t ninit)
{
    if (ninit)
        add_list(b, &n, init, ninit);
    n.nresults = ninit;
    n.blocks[0] = new_block(b);
    n.depth = kb_depth(b);
    k_id id = new_node(b, n);
    push_scope(b, n.blocks[0], id);
    if (b->failed)
        return 0;
    if (n.op != K_IF)
        b->entered = ++b->clock;
    if (index_hi || ninit)
        add_params(b, n.blocks[0], index_hi, init, ninit);
    return id;
}

/* Notes the integers that are constant where a condition holds. */
static void learn(k_builder *b, k_id cond, int depth)
{
    const k_node n = *k_at(b->p, cond);
    int64_t value;
    if (n.op != K_SCALAR || b->failed)
        return;
    if (n.sub == SOP_AND && depth > 0) {
        learn(b, n.args[0], depth - 1);
        learn(b, n.args[1], depth - 1);
    }
    for (int i = 0; n.sub == SOP_EQ && i < 2; i++)
        if (k_is_const(b->p, n.args[i], &value) && !k_is_const(b->p, n.args[1 - i], &value)) {
            k_fact fact = {.x = n.args[1 - i], .value = n.args[i], .depth = kb_depth(b)};
            b->failed = !vec_push(&b->p->cx->mem, &b->facts, fact) || b->failed;
        }
}

k_id kb_open_if(k_builder *b, k_id cond)
{
    enum { AND_DEPTH = 4 };
    k_id id = open_stmt(b, (k_node){.op = K_IF, .args = {cond}}, 0, NULL, 0);
    if (!b->failed)
        learn(b, cond, AND_DEPTH);
    return id;
}

k_id kb_open_for(k_builder *b, k_id lo, k_id hi, k_id step, const k_id *init, uint32_t n)
{
    scalar t = (scalar)k_at(b->p, hi)->type;
    lo = kb_convert(b, t, lo);
    step = kb_convert(b, t, step);
    k_id id = open_stmt(b, (k_node){.op = K_FOR, .args = {lo, hi, step}}, hi, init, n);
    int64_t from = k_at(b->p, lo)->lo;
    k_node *i = k_at(b->p, kb_param(b, id, 0));
    i->lo = from > i->hi ? i->hi : from;
    i->args[0] = lo;
    i->args[2] = step;
    return id;
}

k_id kb_open_while(k_builder *b, const k_id *init, uint32_t n)
{
    return open_stmt(b, (k_node){.op = K_WHILE}, 0, init, n);
}

k_id kb_open_par(k_builder *b, k_workers over, k_id n)
{
    return open_stmt(b, (k_node){.op = K_PAR, .sub = (uint16_t)over, .args = {n}}, n, NULL, 0);
}

k_id kb_open_launch(k_builder *b, uint32_t level, k_id groups, uint32_t threads)
{
    k_id t = kb_int(b, (int32_t)threads);
    k_id id = open_stmt(b, (k_node){.op = K_LAUNCH, .sub = (uint16_t)level, .args = {groups, t}}, 0,
                        NULL, 0);
    b->launch_depth = kb_depth(b);
    return id;
}

static void add_yield(k_builder *b, const k_id *list, uint32_t n)
{
    k_node y = {.op = K_YIELD};
    add_list(b, &y, list, n);
    effect(b, y);
}

void kb_next_block(k_builder *b, const k_id *yield, uint32_t n)
{
    if (b->failed)
        return;
    add_yield(b, yield, n);
    k_id owner = b->scopes.at[b->scopes.len - 1].owner;
    if (k_at(b->p, owner)->op != K_WHILE) /* a while's body sees what its condition computed */
        pop_scope(b);
    k_block block = new_block(b);
    k_at(b->p, owner)->blocks[1] = block;
    push_scope(b, block, owner);
}

static void pop_statement(k_builder *b)
{
    k_id owner = b->scopes.at[b->scopes.len - 1].owner;
    do
        pop_scope(b);
    while (b->scopes.len > 1 && b->scopes.at[b->scopes.len - 1].owner == owner && owner);
    if (b->launch_depth > kb_depth(b))
        b->launch_depth = 0;
}

static void add_results(k_builder *b, k_id id, const k_id *yield, uint32_t n)
{
    k_id first = b->p->nodes.len;
    for (uint32_t i = 0; i < n; i++) {
        const k_node *v = k_at(b->p, yield[i]);
        k_node r = {.op = K_RESULT,
                    .type = v->type,
                    .sub = (uint16_t)i,
                    .depth = kb_depth(b),
                    .args = {id}};
        ka_scalar_range((scalar)r.type, &r.lo, &r.hi);
        new_node(b, r);
    }
    k_at(b->p, id)->results = first;
    k_at(b->p, id)->nresults = n;
}

void kb_close(k_builder *b, const k_id *yield, uint32_t n)
{
    if (b->failed)
        return;
    k_id owner = b->scopes.at[b->scopes.len - 1].owner;
    add_yield(b, yield, n);
    pop_statement(b);
    add_results(b, owner, yield, n);
    append(b, kb_depth(b), owner);
}

/* Values of an open block's statements are one scope further out. */
static void raise(k_program *p, k_block block)
{
    k_blocks *bl = k_block_at(p, block);
    if (!block)
        return;
    bl->depth--;
    for (uint32_t i = 0; i < bl->nparams; i++)
        k_at(p, bl->params + i)->depth--;
    for (k_id n = bl->first; n; n = k_at(p, n)->next) {
        k_node *s = k_at(p, n);
        s->depth--;
        for (uint32_t i = 0; s->results && i < s->nresults; i++)
            k_at(p, s->results + i)->depth--;
        raise(p, s->blocks[0]);
        raise(p, s->blocks[1]);
    }
}

void kb_dissolve(k_builder *b)
{
    if (b->failed)
        return;
    uint32_t depth = kb_depth(b);
    k_block block = b->scopes.at[depth].block;
    raise(b->p, block);
    k_id n = k_block_at(b->p, block)->first, next;
    pop_scope(b);
    for (; n; n = next) {
        next = k_at(b->p, n)->next;
        k_at(b->p, n)->next = 0;
        append(b, depth - 1, n);
    }
}

void kb_open_scratch(k_builder *b)
{
    open_stmt(b, (k_node){.op = K_PAR}, 0, NULL,
              0); /* which every value leaves that can; not so an if */
}

void kb_discard(k_builder *b)
{
    if (!b->failed)
        pop_statement(b);
}

k_id kb_param(const k_builder *b, k_id stmt, uint32_t i)
{
    const k_blocks *bl = k_block_at(b->p, k_at(b->p, stmt)->blocks[0]);
    return i < bl->nparams ? bl->params + i : 0;
}

k_id kb_result(const k_builder *b, k_id stmt, uint32_t i)
{
    const k_node *n = k_at(b->p, stmt);
    return i < n->nresults ? n->results + i : 0;
}

void kb_end(k_builder *b)
{
    if (!b->failed)
        add_yield(b, NULL, 0);
}
