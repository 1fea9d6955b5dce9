/* The steps of a plan, from the statements of a host block, one for one.
 *
 * Constants come first, so that every block sees them.  Where kernels report failed checks, the
 * plan asks before it reads an element, and at its end. */
#include "ir/kernel/plan/maker.h"

#include <string.h>

/* ---- values ---- */

void maker_step(plan_maker *k, plan_step s, const k_node *at)
{
    s.at = at ? k_loc_at(k->p, at->loc) : (location){0};
    k->ok = k->ok && plan_add_step(k->out, k->block, &s);
}

static uint32_t new_value(plan_maker *k, scalar type)
{
    uint32_t v = plan_add_value(k->out, type);
    k->ok = k->ok && v;
    return v;
}

/* Consecutive values for consecutive nodes. */
static uint32_t new_values(plan_maker *k, k_id nodes, uint32_t n)
{
    uint32_t first = k->out->values.len;
    for (uint32_t i = 0; i < n; i++)
        k->number[nodes + i] = new_value(k, (scalar)k_at(k->p, nodes + i)->type);
    return first;
}

static uint32_t constant(plan_maker *k, scalar type, uint64_t bits)
{
    plan_step s = {.op = PLAN_CONST, .gives = new_value(k, type), .ngives = 1, .bits = bits};
    k->constants = plan_insert_step(k->out, PLAN_WHOLE, k->constants, &s);
    k->ok = k->ok && k->constants;
    return s.gives;
}

uint32_t maker_long(plan_maker *k, int64_t x)
{
    return constant(k, ST_I64, (uint64_t)x);
}

uint32_t maker_value(plan_maker *k, k_id v)
{
    const k_node *n = k_at(k->p, v);
    if (v && n->op == K_CONST && !k->number[v])
        k->number[v] = constant(k, (scalar)n->type, n->bits);
    return k->number[v];
}

/* Values are made before the list begins, as constants go to the pool of steps, not here. */
void maker_list(plan_maker *k, const k_node *n, uint32_t *list, uint32_t *nlist)
{
    vec_u32 *pool = &k->out->pool;
    *list = pool->len;
    *nlist = n->nlist;
    for (uint32_t i = 0; i < n->nlist; i++)
        k->ok = k->ok && vec_push(&k->out->cx->mem, pool, maker_value(k, k_listed(k->p, n, i)));
}

uint32_t maker_compute(plan_maker *k, opcode op, scalar type, uint32_t a, uint32_t b,
                       const k_node *at)
{
    plan_step s = {.op = PLAN_COMPUTE,
                   .opcode = (uint16_t)op,
                   .gives = new_value(k, type),
                   .ngives = 1,
                   .args = {a, b}};
    maker_step(k, s, at);
    return s.gives;
}

/* The operands that a step has are the node's, in their order. */
static void add_value(plan_maker *k, k_id id, plan_step s)
{
    const k_node *n = k_at(k->p, id);
    for (uint32_t i = 0; i < k_operand_count(n); i++)
        s.args[i] = maker_value(k, n->args[i]);
    s.gives = k->number[id] = new_value(k, (scalar)n->type);
    s.ngives = 1;
    maker_step(k, s, n);
}

/* ---- memories ---- */

static uint32_t add_memory(plan_maker *k, plan_memory m)
{
    k->ok = k->ok && vec_push(&k->out->cx->mem, &k->out->memories, m);
    return k->ok ? k->out->memories.len - 1 : 0;
}

static uint32_t add_table(plan_maker *k, const k_node *n)
{
    plan_memory m = {
        .kind = PLAN_MEMORY_TABLE, .type = n->type, .list = k->out->tables.len, .nlist = n->nlist};
    for (uint32_t i = 0; i < n->nlist; i++)
        k->ok = k->ok &&
                vec_push(&k->out->cx->mem, &k->out->tables, k_at(k->p, k_listed(k->p, n, i))->bits);
    return add_memory(k, m);
}

/* Zeros, as many as it has elements: a constant. */
static uint32_t add_kept(plan_maker *k, const k_node *n)
{
    int64_t count = 0;
    k_is_const(k->p, n->args[0], &count);
    plan_memory m = {.kind = PLAN_MEMORY_KEPT,
                     .type = n->type,
                     .list = k->out->tables.len,
                     .nlist = (uint32_t)count};
    for (int64_t i = 0; i < count; i++)
        k->ok = k->ok && vec_push(&k->out->cx->mem, &k->out->tables, 0);
    return add_memory(k, m);
}

/* A memory may be named by a kernel and never be allocated, in a branch that is not taken. */
uint32_t maker_memory(plan_maker *k, k_id id)
{
    const k_node *n = k_at(k->p, id);
    if (k->number[id])
        return k->number[id];
    if (n->op == K_TABLE)
        return k->number[id] = add_table(k, n);
    if (n->kept)
        return k->number[id] = add_kept(k, n);
    plan_memory m = {.kind = PLAN_MEMORY_ALLOCATED, .type = n->type};
    if (n->op == K_BUFFER) {
        m.kind = PLAN_MEMORY_ARGUMENT;
        m.argument = n->leaf;
        m.overwritten = n->overwritten;
    }
    return k->number[id] = add_memory(k, m);
}

/* ---- statements ---- */

static void add_passed(plan_maker *k, const k_node *at)
{
    if (k->report)
        maker_step(k, (plan_step){.op = PLAN_PASSED, .memory = k->report}, at);
}

static void add_read(plan_maker *k, k_id id)
{
    const k_node *n = k_at(k->p, id);
    if (k_at(k->p, n->args[0])->op != K_TABLE)
        add_passed(k, n);
    plan_step s = {.op = PLAN_READ,
                   .memory = maker_memory(k, n->args[0]),
                   .args = {maker_value(k, n->args[1])},
                   .gives = new_value(k, (scalar)n->type),
                   .ngives = 1};
    k->number[id] = s.gives;
    maker_step(k, s, n);
}

static void add_output(plan_maker *k, const k_node *n)
{
    plan_step s = {.op = PLAN_OUTPUT, .memory = maker_memory(k, n->args[0]), .which = n->leaf};
    maker_list(k, n, &s.list, &s.nlist);
    maker_step(k, s, n);
}

/* In front of the first leaf it is asked whether a check of a kernel has failed. */
static void add_emitted(plan_maker *k, const k_node *n)
{
    plan_step s = {.op = n->op == K_EMIT ? PLAN_EMIT : PLAN_EMITSCALAR,
                   .which = n->number,
                   .bits = n->bits,
                   .args = {maker_value(k, n->args[n->op == K_EMIT])}};
    if (!k->follow)
        add_passed(k, n);
    k->follow = n->number;
    s.memory = n->op == K_EMIT ? maker_memory(k, n->args[0]) : 0;
    maker_list(k, n, &s.list, &s.nlist);
    maker_step(k, s, n);
}

static void add_receive(plan_maker *k, k_id id)
{
    const k_node *n = k_at(k->p, id);
    if (!k->follow)
        add_passed(k, n);
    k->follow = 0;
    plan_step s = {.op = PLAN_RECEIVE, .bits = n->bits, .memory = maker_memory(k, n->args[0])};
    s.gives = n->nresults ? new_values(k, n->results, n->nresults) : 0;
    s.ngives = n->nresults;
    maker_step(k, s, n);
}

static void add_check(plan_maker *k, k_id id)
{
    const k_node *n = k_at(k->p, id);
    plan_step s = {.op = PLAN_CHECK, .which = k->number[id]};
    for (int i = 0; i < 3; i++)
        s.args[i] = maker_value(k, n->args[i]);
    maker_step(k, s, n);
}

/* The same step as the memory's first room: what it had before is free. */
static void add_resize(plan_maker *k, const k_node *n)
{
    plan_step s = {.op = PLAN_ALLOCATE, .args = {maker_value(k, n->args[1])}};
    s.memory = maker_memory(k, n->args[0]);
    maker_step(k, s, n);
}

static void add_swap(plan_maker *k, const k_node *n)
{
    plan_step s = {.op = PLAN_SWAP, .which = maker_memory(k, n->args[1])};
    s.memory = maker_memory(k, n->args[0]);
    maker_step(k, s, n);
}

static void add_statement(plan_maker *k, k_id id);

/* The statements of a block, and what it yields. */
static void fill_block(plan_maker *k, uint32_t block, k_block from)
{
    uint32_t outer = k->block;
    const k_blocks *b = k_block_at(k->p, from);
    uint32_t params = k->ok && b->nparams ? new_values(k, b->params, b->nparams) : 0;
    k->block = block;
    for (k_id id = b->first; id && k->ok; id = k_at(k->p, id)->next)
        add_statement(k, id);
    k->block = outer;
    if (!k->ok)
        return;
    plan_block made = *plan_block_at(k->out, block);
    made.params = params;
    made.nparams = b->nparams;
    maker_list(k, k_yield_of(k->p, from), &made.yields, &made.nyields);
    k->out->blocks.at[block] = made;
}

/* Recursion is as deep as the host block nests, which lowering bounds. */
static void add_region(plan_maker *k, k_id id, plan_op op)
{
    const k_node *n = k_at(k->p, id);
    plan_step s = {.op = (uint8_t)op};
    for (uint32_t i = 0; i < 3; i++)
        s.args[i] = maker_value(k, n->args[i]);
    maker_list(k, n, &s.list, &s.nlist);
    for (int i = 0; i < 2 && n->blocks[i] && k->ok; i++) {
        s.blocks[i] = plan_add_block(k->out);
        k->ok = k->ok && s.blocks[i];
        fill_block(k, s.blocks[i], n->blocks[i]);
    }
    s.gives = k->ok && n->nresults ? new_values(k, n->results, n->nresults) : 0;
    s.ngives = n->nresults;
    maker_step(k, s, n);
}

static void refuse(plan_maker *k, const k_node *n)
{
    k->ok =
        diag_error(k->out->cx, DIAG_RUN_PLAN, k_loc_at(k->p, n->loc),
                   "the launch plan holds a %s, which only kernels may", k_op_info(n->op)->name);
}

static void add_alloc(plan_maker *k, k_id id)
{
    const k_node *n = k_at(k->p, id);
    if (n->space != SPACE_GLOBAL)
        k->ok = diag_error(k->out->cx, DIAG_RUN_PLAN, k_loc_at(k->p, n->loc),
                           "the launch plan allocates memory that only kernels have");
    if (n->kept)
        return; /* it is there before the first step */
    plan_step s = {.op = PLAN_ALLOCATE, .args = {maker_value(k, n->args[0])}};
    s.memory = maker_memory(k, id);
    maker_step(k, s, n);
}

static void add_statement(plan_maker *k, k_id id)
{
    const k_node *n = k_at(k->p, id);
    switch (n->op) {
    case K_CONST: /* where it is used */
    case K_BUFFER:
    case K_TABLE:
    case K_YIELD: break;
    case K_ARG: add_value(k, id, (plan_step){.op = PLAN_SCALAR, .which = n->leaf}); break;
    case K_DIM:
        add_value(k, id, (plan_step){.op = PLAN_EXTENT, .which = n->leaf, .axis = n->axis});
        break;
    case K_SCALAR: add_value(k, id, (plan_step){.op = PLAN_COMPUTE, .opcode = n->opcode}); break;
    case K_CONVERT: add_value(k, id, (plan_step){.op = PLAN_CONVERT}); break;
    case K_BITCAST: add_value(k, id, (plan_step){.op = PLAN_BITCAST}); break;
    case K_ALLOC: add_alloc(k, id); break;
    case K_LOAD: add_read(k, id); break;
    case K_CHECK: add_check(k, id); break;
    case K_OUTPUT: add_output(k, n); break;
    case K_EMIT:
    case K_EMITSCALAR: add_emitted(k, n); break;
    case K_RECEIVE: add_receive(k, id); break;
    case K_RESIZE: add_resize(k, n); break;
    case K_SWAP: add_swap(k, n); break;
    case K_IF: add_region(k, id, PLAN_IF); break;
    case K_FOR: add_region(k, id, PLAN_FOR); break;
    case K_WHILE: add_region(k, id, PLAN_WHILE); break;
    case K_LAUNCH: maker_launch(k, id); break;
    default: refuse(k, n); break;
    }
}

/* ---- the whole ---- */

/* A parameter of several leaves is written as their tuple: whoever has the module knows better. */
static str_id type_of_leaves(plan_maker *k, const vec_leaf *leaves, uint32_t first, uint32_t n)
{
    vec_char text = {0};
    mem *m = &k->out->cx->mem;
    bool ok = n == 1 || text_addf(m, &text, "(");
    for (uint32_t i = first; i < first + n && ok; i++) {
        const leaf *l = &leaves->at[i];
        const char *name = ir_scalar_name(l->type);
        ok = text_addf(m, &text, i > first ? ", " : "") &&
             (l->rank == 0   ? text_addf(m, &text, "%s", name)
              : l->rank == 1 ? text_addf(m, &text, "[%s]", name)
                             : text_addf(m, &text, "[%s;%u]", name, l->rank));
    }
    ok = ok && (n == 1 || text_addf(m, &text, ")"));
    str_id id = ok ? intern_add(&k->out->cx->strings, text.at, text.len) : 0;
    vec_free(m, &text);
    return id;
}

static void add_side(plan_maker *k, const vec_leaf *leaves, const vec_u32 *names, vec_leaf *to,
                     vec_whole *wholes)
{
    mem *m = &k->out->cx->mem;
    uint32_t next = 0;
    while (next < leaves->len && k->ok) {
        uint32_t first = next, param = wholes->len;
        for (; next < leaves->len && leaves->at[next].param <= param; next++)
            k->ok = k->ok && vec_push(m, to, leaves->at[next]);
        host_whole w = {.name = names && first < names->len && next > first ? names->at[first] : 0,
                        .type = type_of_leaves(k, leaves, first, next - first)};
        k->ok = k->ok && vec_push(m, wholes, w);
    }
}

static void add_leaves(plan_maker *k)
{
    const k_program *p = k->p;
    host_signature *face = &k->out->face;
    face->entry = p->name;
    face->at = k_loc_at(p, p->origin.loc);
    add_side(k, &p->in, &p->origin.names, &face->in, &face->params);
    add_side(k, &p->out, NULL, &face->out, &face->results);
}

/* %1 and %2 stay for the numbers of a run; what the program asserts is known now. */
static str_id message_of(plan_maker *k, const k_node *n)
{
    static const char *const messages[CHECKED_END] = {
#define KCHECKED(e, number, name, code, message) [number] = message,
#include "ir/kernel/kir.def"
#undef KCHECKED
    };
    mem *m = &k->out->cx->mem;
    const char *text = messages[n->checked], *of = strstr(text, "%t");
    vec_char all = {0};
    if (!of)
        return intern_cstr(&k->out->cx->strings, text);
    k->ok = k->ok && text_add(m, &all, text, (size_t)(of - text));
    for (const char *c = intern_str(&k->out->cx->strings, (str_id)n->bits); *c && k->ok; c++)
        k->ok = text_add(m, &all, "%%", *c == '%') && text_add(m, &all, c, 1);
    k->ok = k->ok && text_add(m, &all, of + 2, strlen(of + 2));
    str_id id = intern_add(&k->out->cx->strings, all.at, all.len);
    vec_free(m, &all);
    return id;
}

static void add_checks(plan_maker *k)
{
    static const diag_code codes[CHECKED_END] = {
#define KCHECKED(e, number, name, code, message) [number] = DIAG_##code,
#include "ir/kernel/kir.def"
#undef KCHECKED
    };
    mem *m = &k->out->cx->mem;
    vec_u32 checks = {0};
    k->ok = k->ok && k_list_checks(k->p, k->p->host, &checks);
    for (uint32_t i = 0; i < checks.len && k->ok; i++) {
        const k_node *n = k_at(k->p, checks.at[i]);
        plan_check c = {
            .code = codes[n->checked], .message = message_of(k, n), .at = k_loc_at(k->p, n->loc)};
        k->ok = k->ok && vec_push(m, &k->out->checks, c);
        k->number[checks.at[i]] = i + 1;
    }
    vec_free(m, &checks);
}

/* One for all kernels that take it. */
static void add_report(plan_maker *k)
{
    for (uint32_t i = 0; i < k->p->kernels.len && k->ok && !k->report; i++)
        if (k->p->kernels.at[i].checks)
            k->report = add_memory(k, (plan_memory){.kind = PLAN_MEMORY_REPORT, .type = ST_U32});
}

static void make(plan_maker *k)
{
    const k_program *p = k->p;
    plan *out = k->out;
    if (p->target.request.index_bits == 32)
        out->most_elements = (uint64_t)MAX_EXTENT;
    add_leaves(k);
    add_checks(k);
    add_report(k);
    maker_kernels(k);
    fill_block(k, PLAN_WHOLE, p->host);
    k->block = PLAN_WHOLE;
    add_passed(k, NULL);
}

bool k_make_plan(const k_program *p, plan *out)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(uint32_t);
    plan_maker k = {.p = p, .out = out, .ok = plan_init(out, p->cx)};
    k.number = mem_zeroed(m, size);
    k.written = mem_zeroed(m, size);
    k.met = mem_zeroed(m, size);
    k.ok = k.ok && k.number && k.written && k.met;
    if (k.ok)
        make(&k);
    mem_free(m, k.number, k.number ? size : 0);
    mem_free(m, k.written, k.written ? size : 0);
    mem_free(m, k.met, k.met ? size : 0);
    return k.ok && plan_add_frees(out);
}
