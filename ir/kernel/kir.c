/* Kernel programs: making, dropping and reading them. */
#include "ir/base/source.h"
#include "ir/kernel/facts.h"

/* Programs have many nodes: what only few of them have is to fit beside the rest. */
_Static_assert(sizeof(k_node) <= 80, "nodes are small");

const k_info k_op_table[K_END] = {
#define KNODE(e, wire, nm, cls, gvs, a, b, c, attrs, lst, blks, formula)                           \
    [K_##e] = {.name = nm,                                                                         \
               .class = KC_##cls,                                                                  \
               .gives = KG_##gvs,                                                                  \
               .operands = {KO_##a, KO_##b, KO_##c},                                               \
               .attributes = attrs,                                                                \
               .list = KL_##lst,                                                                   \
               .blocks = blks},
#include "ir/kernel/kir.def"
#undef KNODE
};

uint32_t k_operand_count(const k_node *n)
{
    const k_operand *o = k_op_info(n->op)->operands;
    uint32_t count = 0;
    if (n->op == K_SCALAR)
        return ir_op_info(n->opcode)->max_args;
    while (count < 3 && o[count] != KO_NONE)
        count++;
    return count;
}

/* ---- attributes ---- */

uint64_t k_get_attribute(const k_node *n, k_attribute which)
{
    switch (which) {
#define KATTRIBUTE(e, number, type, field, what)                                                   \
    case HAS_##e:                                                                                  \
        return n->field;
#include "ir/kernel/kir.def"
#undef KATTRIBUTE
    }
    return 0;
}

void k_set_attribute(k_node *n, k_attribute which, uint64_t value)
{
    switch (which) {
#define KATTRIBUTE(e, number, type, field, what)                                                   \
    case HAS_##e:                                                                                  \
        n->field = (type)value;                                                                    \
        break;
#include "ir/kernel/kir.def"
#undef KATTRIBUTE
    }
}

static const char *const space_names[] = {
#define KSPACE(e, number, name) [number] = name,
#include "ir/kernel/kir.def"
#undef KSPACE
};
static const char *const worker_names[] = {
#define KWORKERS(e, number, name) [number] = name,
#include "ir/kernel/kir.def"
#undef KWORKERS
};
static const char *const coordinate_names[] = {
#define KCOORDINATE(e, number, name) [number] = name,
#include "ir/kernel/kir.def"
#undef KCOORDINATE
};
static const char *const atomic_names[] = {
#define KATOMIC(e, number, name) [number] = name,
#include "ir/kernel/kir.def"
#undef KATOMIC
};
static const char *const form_names[] = {
#define KFORM(e, number, name) [number] = name,
#include "ir/kernel/kir.def"
#undef KFORM
};
static const char *const checked_names[] = {
#define KCHECKED(e, number, name, code, message) [number] = name,
#include "ir/kernel/kir.def"
#undef KCHECKED
};
static const char *const level_names[] = {
#define LEVEL(e, height, name, since) [height] = name,
#include "ir/types.def"
#undef LEVEL
};

#define NAME_IN(table, i) ((i) < sizeof(table) / sizeof *(table) ? (table)[i] : NULL)

const char *k_attribute_name(k_attribute which, uint64_t value)
{
    switch (which) {
    case HAS_SPACE: return NAME_IN(space_names, value);
    case HAS_WORKERS: return NAME_IN(worker_names, value);
    case HAS_COORDINATE: return NAME_IN(coordinate_names, value);
    case HAS_ATOMIC: return NAME_IN(atomic_names, value);
    case HAS_FORM: return NAME_IN(form_names, value);
    case HAS_CHECKED: return NAME_IN(checked_names, value);
    case HAS_LEVEL: return NAME_IN(level_names, value);
    default: return NULL;
    }
}

/* ---- programs ---- */

/* Room for the facts comes first: nodes and facts always have the same length. */
k_id k_add_node(k_program *p, const k_node *n)
{
    mem *m = &p->cx->mem;
    k_facts f = {0};
    k_type_range((scalar)n->type, &f.lo, &f.hi);
    if (!vec_reserve(m, &p->facts, 1) || !vec_push(m, &p->nodes, *n) || !vec_push(m, &p->facts, f))
        return 0;
    return p->nodes.len - 1;
}

/* Entry 0 of everything is the readable none. What was made before a failure is for k_release. */
bool k_init(k_program *p, fcl_context *cx)
{
    *p = (k_program){.cx = cx, .target.tuning = k_usual_tuning()};
    return vec_push(&cx->mem, &p->nodes, (k_node){0}) &&
           vec_push(&cx->mem, &p->facts, (k_facts){0}) &&
           vec_push(&cx->mem, &p->blocks, (k_blocks){0}) && vec_push(&cx->mem, &p->pool, 0);
}

void k_release(k_program *p)
{
    if (!p->cx)
        return;
    mem *m = &p->cx->mem;
    vec_free(m, &p->nodes);
    vec_free(m, &p->facts);
    vec_free(m, &p->blocks);
    vec_free(m, &p->pool);
    vec_free(m, &p->kernels);
    vec_free(m, &p->locals);
    vec_free(m, &p->decisions);
    vec_free(m, &p->verdicts);
    vec_free(m, &p->in);
    vec_free(m, &p->out);
    vec_free(m, &p->origin.names);
    vec_free(m, &p->origin.locs);
    vec_free(m, &p->origin.files);
    source_drop_all(p->cx, &p->origin.sources);
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

bool k_wants_line(const k_program *p, location at)
{
    switch (p->target.request.lines) {
    case LINES_OF_FRONT_ENDS: return at.line && k_is_front_end(p, at.file);
    case LINES_ALWAYS: return at.file && at.line;
    case LINES_NEVER: break;
    }
    return false;
}

const char *k_leaf_name(const k_program *p, uint32_t leaf_no)
{
    str_id name = leaf_no < p->origin.names.len ? p->origin.names.at[leaf_no] : 0;
    return intern_str(&p->cx->strings, name);
}

/* A report that nobody reads to its end costs no more than this. */
enum { DECISIONS_MOST = 256 };

void k_decided(k_program *p, k_tunable_number by, uint32_t loc, uint64_t wanted)
{
    for (uint32_t i = 0; i < p->decisions.len; i++) {
        k_decision *d = &p->decisions.at[i];
        if (d->by == by && d->loc == loc) {
            d->wanted = wanted > d->wanted ? wanted : d->wanted;
            return;
        }
    }
    if (p->decisions.len < DECISIONS_MOST)
        (void)vec_push(&p->cx->mem, &p->decisions,
                       ((k_decision){.by = by, .loc = loc, .wanted = wanted}));
}

bool k_is_const(const k_program *p, k_id n, int64_t *value)
{
    const k_node *x = k_at(p, n);
    char c = ir_scalar_class((scalar)x->type);
    if (x->op != K_CONST || c == 'F' || !c)
        return false;
    *value = (int64_t)x->bits;
    return true;
}

const k_node *k_yield_of(const k_program *p, k_block b)
{
    const k_node *n = k_at(p, k_block_at(p, b)->last);
    return n->op == K_YIELD ? n : k_at(p, 0);
}

bool k_has_checks(const k_program *p, k_block b)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_CHECK || n->op == K_FAILED)
            return true;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && k_has_checks(p, n->blocks[i]))
                return true;
    }
    return false;
}

bool k_list_checks(const k_program *p, k_block b, vec_u32 *out)
{
    bool ok = true;
    for (k_id id = k_block_at(p, b)->first; id && ok; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_CHECK)
            ok = vec_push(&p->cx->mem, out, id);
        for (int i = 0; i < 2; i++)
            ok = ok && (!n->blocks[i] || k_list_checks(p, n->blocks[i], out));
    }
    return ok;
}

bool k_reads(const k_program *p, k_block b, k_id memory)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool reads = n->op == K_LOAD || n->op == K_LOADWIDE || n->op == K_ATOMIC || n->op == K_EMIT;
        if (reads && n->args[0] == memory)
            return true;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && k_reads(p, n->blocks[i], memory))
                return true;
    }
    return false;
}

uint32_t k_highest_sync(const k_program *p, k_block b)
{
    uint32_t most = 0;
    for (k_id n = k_block_at(p, b)->first; n; n = k_at(p, n)->next) {
        const k_node *s = k_at(p, n);
        uint32_t level = s->op == K_SYNC ? s->level : 0;
        for (int i = 0; i < 2; i++) {
            uint32_t inside = s->blocks[i] ? k_highest_sync(p, s->blocks[i]) : 0;
            level = inside > level ? inside : level;
        }
        most = level > most ? level : most;
    }
    return most;
}

bool k_is_moved(const k_program *p, k_id v, k_id variable, int64_t *by)
{
    const k_node *n = k_at(p, v);
    *by = 0;
    if (v == variable)
        return true;
    if (n->op != K_SCALAR || n->args[0] != variable || !k_is_const(p, n->args[1], by))
        return false;
    *by = n->opcode == SOP_SUB ? -*by : *by;
    return n->opcode == SOP_ADD || n->opcode == SOP_SUB;
}

k_id k_lone_loop(const k_program *p, const k_node *launch)
{
    k_id par = k_block_at(p, launch->blocks[0])->first;
    const k_node *n = k_at(p, par), *next = k_at(p, n->next);
    bool alone = n->op == K_PAR && n->workers == OVER_GRID && (!n->next || next->op == K_YIELD);
    return alone && k_at(p, n->args[0])->type == ST_I32 ? par : 0;
}

k_id k_signed_of(const k_program *p, k_id x)
{
    const k_node *n = k_at(p, x);
    return n->op == K_BITCAST && n->type == ST_U32 && k_at(p, n->args[0])->type == ST_I32
               ? n->args[0]
               : x;
}

static void count_operands(const k_program *p, const k_node *n, uint32_t *uses)
{
    for (int i = 0; i < 3; i++)
        uses[n->args[i]]++;
    for (uint32_t i = 0; i < n->nlist; i++)
        uses[k_listed(p, n, i)]++;
}

void k_count_uses(const k_program *p, uint32_t *uses)
{
    for (k_id id = 1; id < p->nodes.len; id++)
        count_operands(p, k_at(p, id), uses);
}

void k_count_uses_in(const k_program *p, k_block b, uint32_t *uses)
{
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        count_operands(p, n, uses);
        k_count_uses_in(p, n->blocks[0], uses);
        k_count_uses_in(p, n->blocks[1], uses);
    }
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
