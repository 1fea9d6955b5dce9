/* What a user's pass over a kernel program asks for, and how that is done.
 *
 * Changes are noted while the pass runs, each with the statement that it belongs to; then the
 * program is rebuilt once (ir/kernel/build/rebuild.h), and each statement meets its own.  New
 * values have numbers behind those of the program's nodes.  Time is linear in program and changes.
 */
#include "libfcl/plugins/edit.h"

#include "ir/kernel/build/rebuild.h"
#include "ir/scalar/scalar.h"

#include <string.h>

typedef enum {
    EDIT_REMOVE,
    EDIT_REPLACE,
    EDIT_CONST,
    EDIT_SCALAR,
    EDIT_CONVERT,
    EDIT_LOAD,
    EDIT_STORE
} edit_kind;

typedef struct change {
    edit_kind kind;
    scalar type;   /* of the new value */
    k_id at;       /* the statement that it stands before; REMOVE, REPLACE: what it is about */
    k_id x[3];     /* operands; REPLACE: what takes its place */
    opcode op;     /* SCALAR */
    uint64_t bits; /* CONST */
    k_id made;     /* the new value, once it is there */
    bool done;
} change;

/* Change `which` is to be looked at with a statement; `next` is 1 + the following such entry. */
typedef struct meeting {
    uint32_t which, next;
} meeting;

struct fcl_edit {
    const k_program *p;
    const char *pass;
    VEC(change) all;
    VEC(meeting) meetings;
    uint32_t *before, *behind; /* by statement: 1 + its first meeting */
    uint32_t *uses;            /* by node */
    bool failed;
};

/* Says once why the pass fails. */
static void refuse(fcl_edit *e, k_id at, const char *why)
{
    if (!e->failed && !e->p->cx->mem.oom)
        diag_error(e->p->cx, DIAG_PLUGIN, k_loc_of(e->p, at), "the pass %s asks for %s", e->pass,
                   why);
    e->failed = true;
}

/* ---- what is asked for ---- */

static k_id new_number(const fcl_edit *e, uint32_t which)
{
    return e->p->nodes.len + which;
}

static const change *change_at(const fcl_edit *e, k_id x)
{
    return x >= e->p->nodes.len && x - e->p->nodes.len < e->all.len
               ? &e->all.at[x - e->p->nodes.len]
               : NULL;
}

/* The type of a value; ST_NONE for what is none. */
static scalar type_of(const fcl_edit *e, k_id x)
{
    const change *c = change_at(e, x);
    if (c)
        return c->type;
    const k_node *n = k_at(e->p, x);
    return x && x < e->p->nodes.len && k_op_info(n->op)->gives == KG_VALUE ? (scalar)n->type
                                                                           : ST_NONE;
}

static bool is_memory(const fcl_edit *e, k_id x)
{
    return x && x < e->p->nodes.len && k_op_info(k_at(e->p, x)->op)->gives == KG_MEMORY;
}

static bool is_statement(const fcl_edit *e, k_id at)
{
    uint32_t op = at && at < e->p->nodes.len ? k_at(e->p, at)->op : K_NONE;
    return op != K_NONE && k_op_info(op)->class != KC_PART;
}

static k_id add(fcl_edit *e, change c)
{
    if (e->failed)
        return 0;
    e->failed = !vec_push(&e->p->cx->mem, &e->all, c);
    return e->failed ? 0 : new_number(e, e->all.len - 1);
}

/* A change that stands before a statement. */
static k_id add_before(fcl_edit *e, change c)
{
    if (!is_statement(e, c.at)) {
        refuse(e, 0, "something before what is no statement");
        return 0;
    }
    return add(e, c);
}

void fcl_edit_remove(fcl_edit *e, fcl_k_node statement)
{
    const k_node *n = k_at(e->p, is_statement(e, statement) ? statement : 0);
    k_class class = k_op_info(n->op)->class;
    if ((class != KC_EFFECT && class != KC_REGION) || n->op == K_LAUNCH || n->op == K_OUTPUT)
        refuse(e, statement, "removing what is no store, barrier, step, check, branch or loop");
    else
        add(e, (change){.kind = EDIT_REMOVE, .at = statement});
}

void fcl_edit_replace(fcl_edit *e, fcl_k_node value, fcl_k_node by)
{
    scalar t = value < e->p->nodes.len ? type_of(e, value) : ST_NONE;
    if (t == ST_NONE || t != type_of(e, by))
        refuse(e, value < e->p->nodes.len ? value : 0, "replacing a value by one of another type");
    else
        add(e, (change){.kind = EDIT_REPLACE, .at = value, .x = {by}});
}

fcl_k_node fcl_edit_const(fcl_edit *e, fcl_scalar type, uint64_t bits)
{
    if (type >= FCL_BOOL && type < FCL_SCALAR_END)
        return add(e, (change){.kind = EDIT_CONST, .type = (scalar)type, .bits = bits});
    refuse(e, 0, "a constant of no type");
    return 0;
}

/* The type of the operands, which all have; a choice begins with a bool. */
static scalar common_type(const fcl_edit *e, opcode op, const fcl_k_node *operands, size_t n)
{
    size_t first = op == SOP_SELECT;
    const op_info *info = ir_op_info(op);
    if (n != info->max_args || (first && type_of(e, operands[0]) != ST_BOOL))
        return ST_NONE;
    scalar t = type_of(e, operands[first]);
    for (size_t i = first; i < n; i++)
        t = type_of(e, operands[i]) == t ? t : ST_NONE;
    bool fits = first || scalar_accepts((operand_class)info->operands, t);
    return fits ? t : ST_NONE;
}

fcl_k_node fcl_edit_scalar(fcl_edit *e, fcl_k_node before, const char *name,
                           const fcl_k_node *operands, size_t n)
{
    opcode op = name && (operands || !n) ? ir_op_named(name, strlen(name)) : 0;
    scalar t = op && op < SOP_END ? common_type(e, op, operands, n) : ST_NONE;
    if (t == ST_NONE) {
        refuse(e, before, "an operator that there is not, or of operands that it does not take");
        return 0;
    }
    change c = {.kind = EDIT_SCALAR, .at = before, .op = op};
    c.type = ir_op_info(op)->result_bool ? ST_BOOL : t;
    memcpy(c.x, operands, n * sizeof *operands);
    return add_before(e, c);
}

fcl_k_node fcl_edit_convert(fcl_edit *e, fcl_k_node before, fcl_scalar type, fcl_k_node value)
{
    if (type < FCL_BOOL || type >= FCL_SCALAR_END || type_of(e, value) == ST_NONE) {
        refuse(e, before, "a conversion of no value, or to no type");
        return 0;
    }
    return add_before(
        e, (change){.kind = EDIT_CONVERT, .type = (scalar)type, .at = before, .x = {value}});
}

/* Elements are counted in i32, and in large memories in i64. */
static bool is_access(fcl_edit *e, k_id before, k_id memory, k_id index)
{
    scalar t = type_of(e, index);
    bool ok = is_memory(e, memory) && (t == ST_I32 || t == ST_I64);
    if (!ok)
        refuse(e, before, "an element of no memory, or one that no int or i64 counts");
    return ok;
}

fcl_k_node fcl_edit_load(fcl_edit *e, fcl_k_node before, fcl_k_node memory, fcl_k_node index)
{
    if (!is_access(e, before, memory, index))
        return 0;
    scalar t = (scalar)k_at(e->p, memory)->type;
    return add_before(e,
                      (change){.kind = EDIT_LOAD, .type = t, .at = before, .x = {memory, index}});
}

void fcl_edit_store(fcl_edit *e, fcl_k_node before, fcl_k_node memory, fcl_k_node index,
                    fcl_k_node value)
{
    if (!is_access(e, before, memory, index))
        return;
    if (type_of(e, value) != (scalar)k_at(e->p, memory)->type || k_at(e->p, memory)->op == K_TABLE)
        refuse(e, before, "a store of another type than the memory's, or to a table");
    else
        add_before(e, (change){.kind = EDIT_STORE, .at = before, .x = {memory, index, value}});
}

/* ---- who meets what ---- */

static void meet(fcl_edit *e, uint32_t *heads, k_id statement, uint32_t which)
{
    meeting m = {.which = which, .next = heads[statement]};
    e->failed = e->failed || !vec_push(&e->p->cx->mem, &e->meetings, m);
    if (!e->failed)
        heads[statement] = e->meetings.len;
}

/* Where a value gets its place in the new program: behind the statement that makes it, or before
 * the first one of the block that it is a parameter of. */
static void meet_value(fcl_edit *e, k_id v, uint32_t which)
{
    const k_node *n = k_at(e->p, v);
    if (n->op == K_PARAM)
        meet(e, e->before, k_block_at(e->p, k_at(e->p, n->owner)->blocks[0])->first, which);
    else
        meet(e, e->behind, n->op == K_RESULT ? n->owner : v, which);
}

/* In reverse, as each list grows at its head. */
static void meet_all(fcl_edit *e)
{
    for (uint32_t i = e->all.len; i-- > 0 && !e->failed;) {
        const change *c = &e->all.at[i], *by;
        switch (c->kind) {
        case EDIT_CONST: break;
        case EDIT_REPLACE:
            by = change_at(e, c->x[0]);
            meet_value(e, c->at, i);
            if (by && by->kind != EDIT_CONST)
                meet(e, e->before, by->at, i);
            else if (!by)
                meet_value(e, c->x[0], i);
            break;
        default: meet(e, e->before, c->at, i); break;
        }
    }
}

/* ---- doing it ---- */

typedef struct editing {
    rebuild r;
    fcl_edit *e;
} editing;

/* The new value that stands for one of the program's, or for one that was asked for; 0 where it is
 * not there yet. */
static k_id value_of(editing *g, k_id x)
{
    const change *c = change_at(g->e, x);
    if (!c)
        return rebuild_value(&g->r, x);
    return c->kind == EDIT_CONST ? kb_const(&g->r.b, c->type, c->bits) : c->made;
}

static void make(editing *g, change *c)
{
    k_builder *b = &g->r.b;
    k_id x[3] = {0};
    for (int i = 0; i < 3; i++) {
        x[i] = c->x[i] ? value_of(g, c->x[i]) : 0;
        if (c->x[i] && !x[i]) {
            refuse(g->e, c->at, "a value of operands that are not known where it is to be made");
            b->failed = true;
            return;
        }
    }
    switch (c->kind) {
    case EDIT_SCALAR: c->made = kb_scalar(b, c->op, x[0], x[1], x[2]); break;
    case EDIT_CONVERT: c->made = kb_convert(b, c->type, x[0]); break;
    case EDIT_LOAD: c->made = kb_load(b, x[0], x[1]); break;
    case EDIT_STORE: kb_store(b, x[0], x[1], x[2]); break;
    default: break;
    }
    c->done = true;
}

static void replace(editing *g, change *c)
{
    k_id now = rebuild_value(&g->r, c->at), by = value_of(g, c->x[0]);
    if (!now || !by || c->done)
        return;
    g->r.map[c->at] = by;
    c->done = true;
}

static bool is_used(const fcl_edit *e, k_id statement)
{
    const k_node *n = k_at(e->p, statement);
    bool used = e->uses[statement] != 0;
    for (uint32_t i = 0; i < n->nresults; i++)
        used = used || e->uses[n->results + i] != 0;
    return used;
}

/* Whether the statement goes. */
static bool meet_statement(editing *g, uint32_t head, k_id statement)
{
    bool removed = false;
    for (uint32_t i = head; i && !g->r.b.failed; i = g->e->meetings.at[i - 1].next) {
        change *c = &g->e->all.at[g->e->meetings.at[i - 1].which];
        if (c->kind == EDIT_REPLACE)
            replace(g, c);
        else if (c->kind != EDIT_REMOVE)
            make(g, c);
        removed = removed || c->kind == EDIT_REMOVE;
        c->done = c->done || c->kind == EDIT_REMOVE;
    }
    if (removed && is_used(g->e, statement)) {
        refuse(g->e, statement, "removing a statement whose value is used");
        g->r.b.failed = true;
    }
    return removed;
}

static bool statement(rebuild *r, k_id old)
{
    editing *g = (editing *)r;
    if (meet_statement(g, g->e->before[old], old))
        return true;
    if (!r->b.failed)
        rebuild_copy(r, old);
    meet_statement(g, g->e->behind[old], old);
    return true;
}

static bool apply(fcl_edit *e, k_program *p)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(uint32_t);
    editing g = {.r = {.statement = statement}, .e = e};
    e->before = mem_zeroed(m, size);
    e->behind = mem_zeroed(m, size);
    e->uses = mem_zeroed(m, size);
    bool ok = e->before && e->behind && e->uses;
    if (ok) {
        k_count_uses(e->p, e->uses);
        meet_all(e);
        ok = !e->failed && k_rebuild(p, &g.r);
    }
    mem_free(m, e->before, size);
    mem_free(m, e->behind, size);
    mem_free(m, e->uses, size);
    for (uint32_t i = 0; ok && i < e->all.len; i++)
        if (e->all.at[i].kind == EDIT_REPLACE && !e->all.at[i].done) {
            refuse(e, 0, "replacing a value by one that is not known where it is used");
            ok = false;
        }
    return ok && !e->failed;
}

bool edit_run(const fcl_kernel_pass *pass, k_program *p)
{
    fcl_edit e = {.p = p, .pass = pass->name};
    uint32_t before = p->cx->diags.errors;
    bool ok = pass->run(pass->user, p, &e);
    if (!ok && p->cx->diags.errors == before && !p->cx->mem.oom)
        diag_error(p->cx, DIAG_PLUGIN, (location){0}, "the pass %s fails, and does not say why",
                   pass->name);
    ok = ok && !e.failed && (!e.all.len || apply(&e, p));
    vec_free(&p->cx->mem, &e.all);
    vec_free(&p->cx->mem, &e.meetings);
    return ok;
}
