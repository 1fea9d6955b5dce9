/* Arrays of a block that hold what is as near where it came from: they are not made, and who reads
 * an element reads it there, and computes it again. The usual name is rematerialisation, of an
 * array.
 *
 *   for i in 0 ... n { tile[i] = a[start + i] }  ... tile[j] ...        ... a[start + j] ...
 *
 * A copy in local memory is for devices that have such memory; where a block is one thread (the
 * fact `serial`) its cache has the elements anyway, and a loop over a copy waits for all of it to
 * be made. So it is where neighbours in the array were neighbours before, in memory that the launch
 * does not write, where what is made of them is cheap, and where all who read are behind the loop
 * that makes the array, in the block where that stands. What a program keeps because it costs much
 * stays. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

#include <string.h>

enum {
    MOST_COST = 8, /* of an element */
    NO_COST = 1,   /* of one that is read again and again: that of its address */
    MOST_LOADS = 2,
};

typedef enum { UNSEEN, OPEN, CLOSED, SPOILT } fate;

/* By old node; of a memory. */
typedef struct tile {
    k_id loop, store; /* that make it, if it is an array of a block */
    k_id written;     /* the last launch that stores there */
    uint32_t loops;   /* around that loop */
    uint32_t cost;    /* of an element */
    fate is;
} tile;

typedef struct reread {
    rebuild r;
    tile *of;
    k_id launch; /* that is looked at */
    bool any;
} reread;

/* ---- finding ---- */

static bool is_local(const k_program *p, k_id memory)
{
    return k_at(p, memory)->op == K_ALLOC && k_at(p, memory)->space == SPACE_LOCAL;
}

static bool is_access(const k_node *n)
{
    k_class class = k_op_info(n->op)->class;
    return class == KC_READ || class == KC_EFFECT;
}

static void note_written(reread *s, k_block b)
{
    const k_program *p = s->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (is_access(n) && n->op != K_LOAD)
            s->of[n->args[0]].written = s->launch;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                note_written(s, n->blocks[i]);
    }
}

static bool is_outside(const k_program *p, const k_node *loop, k_id v)
{
    return k_at(p, v)->op == K_CONST || k_at(p, v)->depth <= loop->depth;
}

/* Whether v is the variable, and something that is the same in all turns. */
static bool is_neighbour(const k_program *p, const k_node *loop, k_id v)
{
    const k_node *n = k_at(p, v);
    if (v == k_block_at(p, loop->blocks[0])->params)
        return true;
    if (n->op != K_SCALAR || n->opcode != SOP_ADD)
        return false;
    return (is_outside(p, loop, n->args[0]) && is_neighbour(p, loop, n->args[1])) ||
           (is_outside(p, loop, n->args[1]) && is_neighbour(p, loop, n->args[0]));
}

/* Whether the turns of a loop make neighbours of neighbours and are cheap: what one costs. */
static bool is_copying(const reread *s, const k_node *loop, uint32_t *cost)
{
    const k_program *p = s->r.old;
    uint32_t loads = 0;
    *cost = 0;
    if (loop->op != K_FOR || !loop->independent || loop->nresults)
        return false;
    for (k_id id = k_block_at(p, loop->blocks[0])->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool value = k_op_info(n->op)->class == KC_VALUE;
        bool load = n->op == K_LOAD && !is_local(p, n->args[0]) &&
                    s->of[n->args[0]].written != s->launch && is_neighbour(p, loop, n->args[1]);
        bool store = n->op == K_STORE && n->args[1] == k_block_at(p, loop->blocks[0])->params;
        if (!value && !load && !store && n->op != K_YIELD)
            return false;
        *cost += n->op == K_SCALAR ? ir_op_info(n->opcode)->cost : 0;
        loads += load;
    }
    return *cost <= MOST_COST && loads <= MOST_LOADS;
}

/* Where accesses stand. */
typedef struct around {
    k_id copying;   /* the loop, if it may make an array; or 0 */
    uint32_t cost;  /* of what it makes */
    uint32_t loops; /* all of them */
} around;

static void begin_tile(tile *t, k_id store, around at)
{
    bool first = t->is == UNSEEN;
    *t = (tile){at.copying, store, t->written, at.loops - 1, at.cost, first ? OPEN : SPOILT};
}

/* What an access says of the memory. */
static void meet_access(reread *s, k_id id, around at)
{
    const k_node *n = k_at(s->r.old, id);
    tile *t = &s->of[n->args[0]];
    bool often = at.loops > t->loops + 1 && t->cost > NO_COST;
    if (n->op == K_STORE && at.copying)
        begin_tile(t, id, at);
    else if (n->op != K_LOAD || t->is != OPEN || often)
        t->is = SPOILT;
}

/* The arrays that a loop has made are read no more. */
static void close_tiles(reread *s, const k_node *loop)
{
    const k_program *p = s->r.old;
    for (k_id id = loop->op == K_FOR ? k_block_at(p, loop->blocks[0])->first : 0; id;
         id = k_at(p, id)->next) {
        tile *t = &s->of[k_at(p, id)->args[0]];
        if (k_at(p, id)->op == K_STORE && t->store == id && t->is == OPEN)
            t->is = CLOSED;
    }
}

/* What a block has made is read in it, or nowhere. */
static void look(reread *s, k_block b, around at)
{
    const k_program *p = s->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (is_access(n) && is_local(p, n->args[0]))
            meet_access(s, id, at);
        around in = {.loops = at.loops + k_is_loop(n)};
        in.copying = is_copying(s, n, &in.cost) ? id : 0;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                look(s, n->blocks[i], in);
    }
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next)
        close_tiles(s, k_at(p, id));
}

static void look_at_launches(reread *s, k_block b)
{
    const k_program *p = s->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        s->launch = id;
        if (n->op == K_LAUNCH) {
            note_written(s, n->blocks[0]);
            look(s, n->blocks[0], (around){0});
        }
        for (int i = 0; i < 2 && n->op != K_LAUNCH; i++)
            if (n->blocks[i])
                look_at_launches(s, n->blocks[i]);
    }
}

/* ---- building ---- */

/* The element at another index than the variable: what a turn computes, but for its stores. */
static k_id again(reread *s, const tile *t, k_id at)
{
    rebuild *r = &s->r;
    const k_node *loop = k_at(r->old, t->loop);
    r->map[k_block_at(r->old, loop->blocks[0])->params] = at;
    for (k_id id = k_block_at(r->old, loop->blocks[0])->first; id; id = k_at(r->old, id)->next)
        if (k_op_info(k_at(r->old, id)->op)->class == KC_VALUE || k_at(r->old, id)->op == K_LOAD)
            rebuild_copy(r, id);
    return rebuild_value(r, k_at(r->old, t->store)->args[2]);
}

static bool statement(rebuild *r, k_id old)
{
    reread *s = (reread *)r;
    const k_node *n = k_at(r->old, old);
    const tile *t = &s->of[n->args[0]];
    if (n->op != K_LOAD || t->is != CLOSED)
        return false;
    s->any = true;
    r->map[old] = again(s, t, rebuild_value(r, n->args[1]));
    return true;
}

bool k_reread(k_program *p)
{
    size_t bytes = p->nodes.len * sizeof(tile);
    reread s = {.r = {.statement = statement, .old = p}};
    if (!p->target.facts.serial)
        return true;
    s.of = mem_resize(&p->cx->mem, NULL, 0, bytes);
    if (!s.of)
        return false;
    memset(s.of, 0, bytes);
    look_at_launches(&s, p->host);
    bool ok = k_rebuild(p, &s.r);
    mem_free(&p->cx->mem, s.of, bytes);
    return ok && (!s.any || k_dce(p));
}
