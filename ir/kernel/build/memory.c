/* Memory and its accesses as the builder makes them: loads are shared as long as the memory cannot
 * have been written. */
#include "ir/kernel/build/inside.h"

k_id kb_buffer(k_builder *b, uint32_t leaf_no, scalar t)
{
    return kb_pure(b, (k_node){.op = K_BUFFER, .type = (uint8_t)t, .leaf = (uint16_t)leaf_no},
                   (k_range){0});
}

/* Equal tables are one. */
k_id kb_table(k_builder *b, scalar t, const k_id *constants, uint32_t n)
{
    k_node table = {.op = K_TABLE, .type = (uint8_t)t};
    uint32_t nodes = b->p->nodes.len, pool = b->p->pool.len;
    kb_add_list(b, &table, constants, n);
    k_id id = kb_pure(b, table, (k_range){0});
    if (id < nodes)
        b->p->pool.len = pool;
    return id;
}

k_id kb_alloc(k_builder *b, k_space s, scalar t, k_id size)
{
    return kb_alloc_at(b, kb_depth(b), s, t, size);
}

/* Allocations are never shared: two of one size are two memories. */
k_id kb_alloc_at(k_builder *b, uint32_t depth, k_space s, scalar t, k_id size)
{
    k_id id = kb_new_node(
        b, (k_node){.op = K_ALLOC, .type = (uint8_t)t, .space = (uint8_t)s, .args = {size}});
    kb_append(b, depth, id);
    return id;
}

k_id kb_alloc_padded(k_builder *b, k_space s, scalar t, k_id size, k_id used)
{
    k_id id = kb_alloc(b, s, t, size);
    k_at(b->p, id)->args[1] = used;
    return id;
}

/* ---- what is written when ---- */

/* Since when what is read from a memory can be relied on: nobody writes buffers that are no
 * results; others may have been written since the last barrier by other threads, and since the
 * start of a loop by its last turn. */
static uint32_t unwritten_since(const k_builder *b, k_id memory)
{
    const k_node *m = k_at(b->p, memory);
    uint32_t since = b->entered, written = kb_stamp_of(b, memory);
    if ((m->op == K_BUFFER && !m->overwritten) || m->op == K_TABLE)
        return 0;
    if (m->space != SPACE_PRIVATE && b->synced > since)
        since = b->synced;
    return written > since ? written : since;
}

static void written(k_builder *b, k_id memory)
{
    b->clock++;
    kb_stamp(b, memory);
}

/* ---- accesses ---- */

/* What every element of a table lies in, for what is made of it; large ones are not looked through
 * for each load. */
static void state_table_range(k_program *p, k_id load, const k_node *table)
{
    enum { FEW = 4096 };
    int64_t lo = 0, hi = 0;
    if (!k_type_is_int((scalar)table->type) || !table->nlist || table->nlist > FEW)
        return;
    for (uint32_t i = 0; i < table->nlist; i++) {
        k_id x = k_listed(p, table, i);
        lo = !i || k_lo(p, x) < lo ? k_lo(p, x) : lo;
        hi = !i || k_hi(p, x) > hi ? k_hi(p, x) : hi;
    }
    k_state_range(p, load, lo, hi);
}

static k_id load_table(k_builder *b, k_id memory, k_id index)
{
    const k_node table = *k_at(b->p, memory);
    int64_t i;
    if (k_is_const(b->p, index, &i) && i >= 0 && i < table.nlist)
        return k_listed(b->p, &table, (uint32_t)i);
    k_id before = b->p->nodes.len;
    k_node n = {.op = K_LOAD, .type = table.type, .args = {memory, index}};
    k_id id = kb_loaded(b, n, 0);
    if (id >= before)
        state_table_range(b->p, id, &table);
    return id;
}

k_id kb_load(k_builder *b, k_id memory, k_id index)
{
    if (k_at(b->p, memory)->op == K_TABLE)
        return load_table(b, memory, index);
    k_node n = {.op = K_LOAD, .type = k_at(b->p, memory)->type, .args = {memory, index}};
    return kb_loaded(b, n, unwritten_since(b, memory));
}

void kb_store(k_builder *b, k_id memory, k_id index, k_id value)
{
    written(b, memory);
    kb_effect(
        b,
        (k_node){.op = K_STORE, .type = k_at(b->p, memory)->type, .args = {memory, index, value}});
}

/* Not shared with other loads: widen makes each of them once. */
k_id kb_load_wide(k_builder *b, k_id memory, k_id index, uint32_t lanes)
{
    scalar t = (scalar)k_at(b->p, memory)->type;
    k_id id = kb_effect(b, (k_node){.op = K_LOADWIDE, .type = (uint8_t)t, .args = {memory, index}});
    for (uint32_t i = 0; i < lanes; i++)
        kb_add_result(b, id, i, t);
    return id;
}

void kb_store_wide(k_builder *b, k_id memory, k_id index, const k_id *values, uint32_t lanes)
{
    k_node n = {.op = K_STOREWIDE, .type = k_at(b->p, memory)->type, .args = {memory, index}};
    written(b, memory);
    kb_add_list(b, &n, values, lanes);
    kb_effect(b, n);
}

/* An effect, as all lanes must run it together; it hands on values that some lane has. */
k_id kb_shuffle(k_builder *b, k_id value, k_id lane)
{
    k_program *p = b->p;
    k_id id = kb_effect(
        b, (k_node){.op = K_SHUFFLE, .type = k_at(p, value)->type, .args = {value, lane}});
    k_state_range(p, id, k_lo(p, value), k_hi(p, value));
    return id;
}

scalar kb_atomic_type(scalar t)
{
    return ir_scalar_is_float(t) ? (scalar)ir_scalar_info(t)->bits : t;
}

k_id kb_atomic(k_builder *b, k_atomic what, k_id memory, k_id index, k_id x, k_id other)
{
    scalar t = kb_atomic_type((scalar)k_at(b->p, memory)->type);
    k_node n = {
        .op = K_ATOMIC, .type = (uint8_t)t, .atomic = (uint8_t)what, .args = {memory, index, x}};
    written(b, memory);
    b->synced = ++b->clock; /* it may order other accesses */
    if (other)
        kb_add_list(b, &n, &other, 1);
    return kb_effect(b, n);
}

/* Behind a barrier, what other threads wrote may be seen, so that earlier loads are not shared with
 * later ones. */
void kb_sync(k_builder *b, uint32_t level)
{
    b->synced = ++b->clock;
    kb_effect(b, (k_node){.op = K_SYNC, .level = (uint8_t)level});
}

/* Where it does not hold, nothing is run of what follows in the innermost open block. */
static void note_passed(k_builder *b, k_id cond)
{
    mem *m = &b->p->cx->mem;
    k_passed passed = {cond, b->scopes.at[kb_depth(b)].block};
    b->failed = !vec_push(m, &b->passed, passed) || b->failed;
    while (b->passed_at.len <= cond && !b->failed)
        b->failed = !vec_push(m, &b->passed_at, 0);
    if (!b->failed)
        b->passed_at.at[cond] = b->passed.len;
}

/* Whether the host has asked for that in a block that is open, so that it need not be asked for. */
static bool has_passed(const k_builder *b, k_id cond)
{
    uint32_t at = cond < b->passed_at.len ? b->passed_at.at[cond] : 0;
    return b->p->target.request.checks != CHECKS_ALL && at && kb_is_open(b, b->passed.at[at - 1].block);
}

static bool always_holds(const k_builder *b, k_id cond)
{
    int64_t known;
    return k_is_const(b->p, kb_known(b, cond), &known) && known;
}

void kb_check(k_builder *b, k_checked what, k_id cond, k_id first, k_id second, str_id text)
{
    if (always_holds(b, cond) || has_passed(b, cond))
        return;
    if (!b->launch_depth)
        note_passed(b, cond);
    kb_effect(b, (k_node){.op = K_CHECK,
                          .checked = (uint8_t)what,
                          .bits = text,
                          .args = {cond, first, second}});
}

/* Whether some turn of the parallel loops from the launch on is never run; 0: something else than
 * those stands around, or the host cannot tell. */
static k_id never_run(k_builder *b)
{
    k_id none = kb_const(b, ST_BOOL, 0);
    for (uint32_t i = b->launch_depth; i < b->scopes.len && none; i++) {
        const k_node n = *k_at(b->p, b->scopes.at[i].owner);
        if (n.op == K_LAUNCH)
            continue;
        bool told = n.op == K_PAR && kb_is_host(b, n.args[0]);
        none = told
                   ? kb_scalar(b, SOP_OR, none, kb_scalar(b, SOP_LE, n.args[0], kb_int(b, 0), 0), 0)
                   : 0;
    }
    return none;
}

bool kb_check_ahead(k_builder *b, k_checked what, k_id cond, k_id first, k_id second, str_id text)
{
    bool known = kb_is_host(b, cond) && kb_is_host(b, first) && kb_is_host(b, second);
    k_id none = b->launch_depth && known && !b->failed ? never_run(b) : 0;
    if (!none)
        return false;
    bool before = has_passed(b, cond);
    note_passed(b, cond);
    cond = kb_scalar(b, SOP_OR, cond, none, 0);
    if (!before && !always_holds(b, cond))
        kb_append(b, b->launch_depth - 1u,
                  kb_new_node(b, (k_node){.op = K_CHECK,
                                          .checked = (uint8_t)what,
                                          .bits = text,
                                          .args = {cond, first, second}}));
    return true;
}

k_id kb_failed(k_builder *b)
{
    return kb_effect(b, (k_node){.op = K_FAILED, .type = ST_BOOL});
}

void kb_output(k_builder *b, uint32_t leaf_no, k_id memory, const k_id *dims, uint32_t rank)
{
    k_node n = {.op = K_OUTPUT,
                .type = k_at(b->p, memory)->type,
                .leaf = (uint16_t)leaf_no,
                .args = {memory}};
    kb_add_list(b, &n, dims, rank);
    kb_effect(b, n);
}

void kb_emit(k_builder *b, k_id memory, k_id from, const k_id *dims, uint32_t rank, uint32_t follow,
             str_id show)
{
    k_node n = {.op = K_EMIT,
                .type = k_at(b->p, memory)->type,
                .number = (uint16_t)follow,
                .bits = show,
                .args = {memory, from}};
    kb_add_list(b, &n, dims, rank);
    kb_effect(b, n);
}

void kb_emit_scalar(k_builder *b, k_id value, uint32_t follow, str_id show)
{
    kb_effect(b, (k_node){.op = K_EMITSCALAR,
                          .number = (uint16_t)follow,
                          .bits = show,
                          .args = {value}});
}

void kb_resize(k_builder *b, k_id memory, k_id elements)
{
    written(b, memory);
    kb_effect(b, (k_node){.op = K_RESIZE,
                          .type = k_at(b->p, memory)->type,
                          .args = {memory, elements}});
}

k_id kb_receive(k_builder *b, k_id memory, uint32_t rank, str_id show)
{
    written(b, memory);
    k_id id = kb_effect(b, (k_node){.op = K_RECEIVE,
                                    .type = k_at(b->p, memory)->type,
                                    .bits = show,
                                    .args = {memory}});
    for (uint32_t i = 0; i < rank; i++) {
        kb_add_result(b, id, i, ST_I32);
        k_state_range(b->p, kb_result(b, id, i), 0, MAX_EXTENT);
    }
    return id;
}

void kb_swap(k_builder *b, k_id x, k_id y)
{
    written(b, x);
    written(b, y);
    kb_effect(b, (k_node){.op = K_SWAP, .type = k_at(b->p, x)->type, .args = {x, y}});
}
