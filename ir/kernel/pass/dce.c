/* Dead code: keeps the outputs, the checks, what is handed out and what they need, unlinks the rest.  This is
 * aggressive dead code elimination: mark from these, then sweep.
 *
 * A store is needed when its memory is; a memory when something needed loads from it or it is an
 * output; a structured statement when something in it is needed; what it yields or carries, when
 * that is read.  Where it is not, nothing is computed for it: a branch yields zero, a loop hands on
 * what it has.  Barriers stay where the statement around them stays.  When others were removed
 * because of them (barriers.c), the strongest in a statement of a kernel takes its place. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/facts.h"

typedef struct sweep {
    k_program *p;
    k_id *owner;      /* statement whose block holds the node */
    k_id *next_store; /* stores to the same memory, linked from the memory */
    k_id *next_swap;  /* of a swap, in the list of its second memory */
    bool *needed;     /* by node */
    uint32_t known;   /* nodes there were; later ones are constants, and needed */
    vec_u32 work;
    k_id zeros[ST_COUNT]; /* constants of each type */
    bool ok;
} sweep;

static bool is_needed(const sweep *s, k_id n)
{
    return n >= s->known || s->needed[n];
}

/* A worklist, not recursion: chains of values may be as long as the program. */
static void need(sweep *s, k_id n)
{
    if (!n || is_needed(s, n))
        return;
    s->needed[n] = true;
    s->ok = vec_push(&s->p->cx->mem, &s->work, n) && s->ok;
}

/* Parameter i of a loop's carried values. */
static k_id carried(const k_program *p, const k_node *loop, uint32_t i)
{
    const k_blocks *b = k_block_at(p, loop->blocks[0]);
    return b->params + b->nparams - loop->nresults + i;
}

/* What value i of a statement comes from, when it is read. */
static void need_sources(sweep *s, const k_node *stmt, uint32_t i)
{
    if (k_is_loop(stmt))
        need(s, k_listed(s->p, stmt, i));
    for (int k = stmt->op == K_WHILE; k < 2; k++)
        if (stmt->blocks[k])
            need(s, k_listed(s->p, k_yield_of(s->p, stmt->blocks[k]), i));
}

/* A loop's carried parameters come behind its variable. */
static void need_param(sweep *s, k_id id)
{
    const k_node *loop = k_at(s->p, k_at(s->p, id)->owner);
    if (k_is_loop(loop) && id >= carried(s->p, loop, 0))
        need_sources(s, loop, id - carried(s->p, loop, 0));
}

/* The store to a memory that follows in its list. */
static k_id behind(const sweep *s, k_id store, k_id memory)
{
    const k_node *n = k_at(s->p, store);
    bool second = n->op == K_SWAP && n->args[0] != memory;
    return second ? s->next_swap[store] : s->next_store[store];
}

/* A statement that holds something needed is needed itself; a memory brings its stores along. */
static void visit(sweep *s, k_id id)
{
    const k_node n = *k_at(s->p, id);
    for (int i = 0; i < 3; i++)
        need(s, n.args[i]);
    for (uint32_t i = 0; i < n.nlist && !k_is_loop(&n); i++)
        need(s, k_listed(s->p, &n, i));
    need(s, s->owner[id]);
    need(s, n.owner);
    if (n.op == K_WHILE) /* the condition */
        need(s, k_listed(s->p, k_yield_of(s->p, n.blocks[0]), 0));
    if (n.op == K_RESULT)
        need_sources(s, k_at(s->p, n.owner), n.number);
    if (n.op == K_PARAM)
        need_param(s, id);
    if (n.op == K_ALLOC || n.op == K_BUFFER)
        for (k_id st = s->next_store[id]; st; st = behind(s, st, id))
            need(s, st);
}

/* What must be done although nothing needs it. */
static bool is_wanted(const k_node *n)
{
    return n->op == K_CHECK || n->op == K_EMIT || n->op == K_EMITSCALAR || n->op == K_RECEIVE;
}

/* Notes owners and stores, and starts from the outputs. */
static void index_block(sweep *s, k_block b, k_id owner)
{
    const k_blocks *bl = k_block_at(s->p, b);
    for (uint32_t i = 0; i < bl->nparams; i++)
        s->owner[bl->params + i] = owner;
    for (k_id n = bl->first; n; n = k_at(s->p, n)->next) {
        const k_node *node = k_at(s->p, n);
        s->owner[n] = owner;
        if (node->op == K_STORE || node->op == K_STOREWIDE || node->op == K_ATOMIC ||
            node->op == K_RESIZE || node->op == K_SWAP || node->op == K_RECEIVE) {
            s->next_store[n] = s->next_store[node->args[0]];
            s->next_store[node->args[0]] = n;
        }
        if (node->op == K_SWAP && node->args[1] != node->args[0]) {
            s->next_swap[n] = s->next_store[node->args[1]];
            s->next_store[node->args[1]] = n;
        }
        if (is_wanted(node))
            need(s, n);
        for (int i = 0; i < 2; i++)
            if (k_at(s->p, n)->blocks[i])
                index_block(s, k_at(s->p, n)->blocks[i], n);
    }
}

static void find_outputs(sweep *s)
{
    for (k_id n = k_block_at(s->p, s->p->host)->first; n; n = k_at(s->p, n)->next)
        if (k_at(s->p, n)->op == K_OUTPUT)
            need(s, n);
}

/* ---- what is yielded and not read ---- */

/* A constant at the start of the host block. */
static k_id zero_of(sweep *s, uint8_t type)
{
    k_blocks *host = k_block_at(s->p, s->p->host);
    k_id zero = s->zeros[type];
    if (zero)
        return zero;
    zero = k_add_node(s->p, &(k_node){.op = K_CONST, .type = type, .next = host->first});
    s->ok = zero && s->ok;
    if (k_type_is_int((scalar)type))
        k_state_range(s->p, zero, 0, 0);
    if (zero)
        host->first = s->zeros[type] = zero;
    return zero;
}

static bool is_read(const sweep *s, const k_node *stmt, uint32_t i)
{
    return is_needed(s, stmt->results + i) ||
           (k_is_loop(stmt) && is_needed(s, carried(s->p, stmt, i)));
}

static void set_listed(k_program *p, const k_node *n, uint32_t i, k_id v)
{
    if (i < n->nlist)
        p->pool.at[n->list + i] = v;
}

static void forget_unread(sweep *s, k_id id)
{
    k_program *p = s->p;
    const k_node n = *k_at(p, id);
    for (uint32_t i = 0; i < n.nresults && s->ok; i++) {
        if (is_read(s, &n, i))
            continue;
        k_id zero = zero_of(s, k_at(p, n.results + i)->type);
        set_listed(p, &n, i, zero);
        for (int k = n.op == K_WHILE; k < 2; k++)
            if (n.blocks[k])
                set_listed(p, k_yield_of(p, n.blocks[k]), i,
                           k_is_loop(&n) ? carried(p, &n, i) : zero);
    }
}

static void forget_in(sweep *s, k_block b)
{
    for (k_id id = k_block_at(s->p, b)->first; id && s->ok; id = k_at(s->p, id)->next) {
        const k_node n = *k_at(s->p, id);
        if (!is_needed(s, id))
            continue;
        if (n.op == K_IF || k_is_loop(&n))
            forget_unread(s, id);
        for (int i = 0; i < 2; i++)
            if (n.blocks[i])
                forget_in(s, n.blocks[i]);
    }
}

/* What bounded a value and is gone bounds it no longer. */
static void forget_bounds(sweep *s)
{
    for (k_id n = 1; n < s->known; n++) {
        if (!is_needed(s, k_bound(s->p, n)))
            k_state_bound(s->p, n, 0);
        if (!is_needed(s, k_below(s->p, n)))
            k_state_below(s->p, n, 0);
    }
}

/* The strongest barrier in the blocks of a statement, or 0. */
static k_id strongest_sync(const k_program *p, k_id region)
{
    k_id best = 0;
    for (int i = 0; i < 2; i++) {
        k_block b = k_at(p, region)->blocks[i];
        for (k_id n = b ? k_block_at(p, b)->first : 0; n; n = k_at(p, n)->next) {
            k_id sync = k_at(p, n)->op == K_SYNC ? n : 0;
            if (!sync && k_at(p, n)->blocks[0])
                sync = strongest_sync(p, n);
            if (sync && (!best || k_at(p, sync)->level > k_at(p, best)->level))
                best = sync;
        }
    }
    return best;
}

/* What stays of a statement: itself, a barrier, or nothing. */
static k_id what_stays(const sweep *s, k_id n, bool in_launch)
{
    k_program *p = s->p;
    const k_node *node = k_at(p, n);
    if (is_needed(s, n) || node->op == K_SYNC || node->op == K_YIELD)
        return n;
    k_id sync = in_launch && p->barriers_counted && node->blocks[0] ? strongest_sync(p, n) : 0;
    if (sync)
        k_at(p, sync)->depth = node->depth;
    return sync;
}

static void unlink_dead(const sweep *s, k_block b, bool in_launch)
{
    k_program *p = s->p;
    k_blocks *bl = k_block_at(p, b);
    k_id last = 0, next;
    for (k_id n = bl->first; n; n = next) {
        next = k_at(p, n)->next;
        n = what_stays(s, n, in_launch);
        k_node *node = k_at(p, n), *before = k_at(p, last);
        bool again = node->op == K_SYNC &&
                     before->op == K_SYNC; /* two barriers in a row are the stronger one */
        if (again && node->level > before->level)
            before->level = node->level;
        if (again || !n)
            continue;
        for (int i = 0; i < 2; i++)
            if (node->blocks[i])
                unlink_dead(s, node->blocks[i], in_launch || node->op == K_LAUNCH);
        if (last)
            before->next = n;
        else
            bl->first = n;
        last = n;
        node->next = 0;
    }
    bl->last = last;
}

bool k_dce(k_program *p)
{
    mem *m = &p->cx->mem;
    uint32_t known = p->nodes.len;
    size_t size = known * sizeof(k_id);
    sweep s = {.p = p,
               .known = known,
               .owner = mem_zeroed(m, size),
               .next_store = mem_zeroed(m, size),
               .next_swap = mem_zeroed(m, size),
               .needed = mem_zeroed(m, known * sizeof *s.needed),
               .ok = true};
    bool ok = s.owner && s.next_store && s.next_swap && s.needed;
    if (ok) {
        index_block(&s, p->host, 0);
        find_outputs(&s);
        while (s.work.len && s.ok)
            visit(&s, s.work.at[--s.work.len]);
        if (s.ok)
            forget_in(&s, p->host);
        if (s.ok) {
            forget_bounds(&s);
            unlink_dead(&s, p->host, false);
        }
    }
    ok = ok && s.ok;
    mem_free(m, s.owner, size);
    mem_free(m, s.next_store, size);
    mem_free(m, s.next_swap, size);
    mem_free(m, s.needed, known * sizeof *s.needed);
    vec_free(m, &s.work);
    return ok;
}
