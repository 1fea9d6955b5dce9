/* What a module has beside the bodies of its kernels: entry points, coordinates, tables. */
#include "backends/spirv/emit.h"

/* ---- coordinates ---- */

/* One for the module. */
sp_id sp_input(sp_emitter *e, uint32_t which, SpvBuiltIn what, sp_id type)
{
    sp_id *v = &e->shared->inputs[which];
    if (!*v) {
        *v = sp_make(e->s, SP_GLOBALS, SpvOpVariable, sp_pointer(e, SpvStorageClassInput, type),
                     SP_WORDS(SpvStorageClassInput));
        sp_put(e->s, SP_DECORATIONS, SpvOpDecorate,
               SP_WORDS(*v, SpvDecorationBuiltIn, (uint32_t)what));
    }
    if (!vec_push(e->s->m, &e->interface, *v))
        e->s->failed = true;
    return *v;
}

sp_id sp_coordinate(sp_emitter *e, k_coordinate which)
{
    if (!e->coordinates[which])
        e->coordinates[which] = which == AT_THREAD && e->by_warps
                                    ? sp_thread_of_lane(e)
                                    : e->environment->coordinate(e, which);
    return e->coordinates[which];
}

/* ---- tables ---- */

/* Elements of a table from one on, as an array. */
static sp_id put_row(sp_emitter *e, const k_node *n, sp_id type, uint32_t from, uint32_t count)
{
    vec_u32 words = {0};
    scalar t = sp_kept(e, (scalar)n->type);
    for (uint32_t i = 0; i < count; i++) {
        const k_node *c = k_at(e->p, k_listed(e->p, n, from + i));
        sp_id one = c->op == K_CONST ? sp_const(e, t, c->bits) : sp_zero(e, t);
        if (!vec_push(e->s->m, &words, one))
            e->s->failed = true;
    }
    sp_id id = sp_make(e->s, SP_GLOBALS, SpvOpConstantComposite, type, words.at, words.len);
    vec_free(e->s->m, &words);
    return id;
}

/* An instruction has room for 65,532 elements: more of them are rows, the last one filled up. */
static sp_id put_rows(sp_emitter *e, const k_node *n, sp_id row, const sp_table_shape *shape)
{
    vec_u32 words = {0};
    for (uint32_t i = 0; i < shape->rows; i++)
        if (!vec_push(e->s->m, &words, put_row(e, n, row, i * TABLE_ROW, TABLE_ROW)))
            e->s->failed = true;
    sp_id id = sp_make(e->s, SP_GLOBALS, SpvOpConstantComposite, shape->type, words.at, words.len);
    vec_free(e->s->m, &words);
    return id;
}

sp_id sp_table(sp_emitter *e, k_id table, sp_table_shape *shape)
{
    const k_node *n = k_at(e->p, table);
    sp_id of = sp_stored(e, (scalar)n->type);
    shape->rows = n->nlist > SP_MOST_WORDS - 3 ? (n->nlist + TABLE_ROW - 1) / TABLE_ROW : 0;
    sp_id row = sp_array(e, of, shape->rows ? TABLE_ROW : n->nlist);
    shape->type = shape->rows ? sp_array(e, row, shape->rows) : row;
    if (e->ids[table])
        return e->ids[table];
    sp_id all = shape->rows ? put_rows(e, n, row, shape) : put_row(e, n, row, 0, n->nlist);
    sp_id type = sp_pointer(e, e->environment->tables, shape->type);
    e->ids[table] = sp_make(e->s, SP_GLOBALS, SpvOpVariable, type,
                            SP_WORDS((uint32_t)e->environment->tables, all));
    sp_name(e, e->ids[table], table);
    return e->ids[table];
}

/* ---- kernels ---- */

static void put_entry(sp_emitter *e, sp_id function)
{
    const char *name = intern_str(&e->p->cx->strings, e->kernel->name);
    sp_put_text(e->s, SP_ENTRIES, SpvOpEntryPoint, SP_WORDS(e->environment->model, function), name,
                e->interface.at, e->interface.len);
    sp_name_as(e, function, name);
}

void sp_kernel(sp_emitter *e)
{
    e->checks = e->half = e->groups = e->end = 0;
    e->interface.len = 0;
    for (int i = 0; i < SP_LATE; i++)
        e->late[i] = 0;
    for (int i = 0; i <= AT_GROUPS; i++)
        e->coordinates[i] = 0;
    if (!sp_scan(e))
        return;
    sp_id function = e->environment->open_kernel(e);
    sp_body(e);
    sp_report_late(e);
    if (e->environment->close_kernel)
        e->environment->close_kernel(e);
    sp_put(e->s, SP_BODY, SpvOpReturn, NULL, 0);
    sp_put(e->s, SP_BODY, SpvOpFunctionEnd, NULL, 0);
    sp_close_function(e->s);
    put_entry(e, function);
}
