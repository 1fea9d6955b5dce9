/* Kernel programs: making, dropping and reading them. */
#include "ir/kernel/kir.h"

#include "ir/base/source.h"

static const k_info infos[K_END] = {
#define KNODE(e, wire, nm, cls, formula) [K_##e] = {.name = nm, .class = KC_##cls},
#include "ir/kernel/kir.def"
#undef KNODE
};

const k_info *k_op_info(uint32_t op)
{
    return &infos[op < K_END ? op : K_NONE];
}

const char *k_exchange_name(uint32_t way)
{
    static const char *const names[] = {
        [EXCHANGE_LOCAL] = "local", [EXCHANGE_PTX] = "ptx", [EXCHANGE_SUBGROUPS] = "subgroups"};
    return way < sizeof names / sizeof *names ? names[way] : NULL;
}

bool k_init(k_program *p, fcl_context *cx)
{
    *p = (k_program){.cx = cx};
    return vec_push(&cx->mem, &p->nodes, (k_node){0}) &&
           vec_push(&cx->mem, &p->blocks, (k_blocks){0}) && vec_push(&cx->mem, &p->pool, 0);
}

void k_release(k_program *p)
{
    if (!p->cx)
        return;
    mem *m = &p->cx->mem;
    vec_free(m, &p->nodes);
    vec_free(m, &p->blocks);
    vec_free(m, &p->pool);
    vec_free(m, &p->kernels);
    vec_free(m, &p->locals);
    vec_free(m, &p->in);
    vec_free(m, &p->out);
    vec_free(m, &p->origin.names);
    vec_free(m, &p->origin.locs);
    vec_free(m, &p->origin.files);
}

location k_loc_at(const k_program *p, uint32_t loc)
{
    if (loc & LOC_PLACE)
        return source_place_location(p->cx, loc & ~LOC_PLACE);
    return loc < p->origin.locs.len ? p->origin.locs.at[loc] : (location){0};
}

location k_loc_of(const k_program *p, k_id n)
{
    return k_loc_at(p, k_at(p, n)->loc);
}

bool k_is_front_end(const k_program *p, str_id file)
{
    for (uint32_t i = 0; i < p->origin.files.len; i++)
        if (p->origin.files.at[i] == file)
            return false;
    return file != 0;
}

const char *k_leaf_name(const k_program *p, uint32_t leaf_no)
{
    str_id name = leaf_no < p->origin.names.len ? p->origin.names.at[leaf_no] : 0;
    return intern_str(&p->cx->strings, name);
}

bool k_is_const(const k_program *p, k_id n, int64_t *value)
{
    const k_node *x = k_at(p, n);
    char c = ir_scalar_class((scalar)x->type);
    if (x->op != K_CONST || c == 'F' || !c)
        return false;
    *value = x->lo;
    return true;
}

const k_node *k_yield_of(const k_program *p, k_block b)
{
    const k_node *n = k_at(p, k_block_at(p, b)->last);
    return n->op == K_YIELD ? n : k_at(p, 0);
}

bool k_reads(const k_program *p, k_block b, k_id memory)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if ((n->op == K_LOAD || n->op == K_LOADWIDE || n->op == K_ATOMIC) && n->args[0] == memory)
            return true;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && k_reads(p, n->blocks[i], memory))
                return true;
    }
    return false;
}

bool k_has_sync(const k_program *p, k_block b)
{
    for (k_id n = k_block_at(p, b)->first; n; n = k_at(p, n)->next) {
        const k_node *s = k_at(p, n);
        if (s->op == K_SYNC || (s->blocks[0] && k_has_sync(p, s->blocks[0])) ||
            (s->blocks[1] && k_has_sync(p, s->blocks[1])))
            return true;
    }
    return false;
}
