/* New operations of the pass schedule.  Their types are set at once, as what follows asks for
 * them; the checker finds them again. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

#include <stdio.h>
#include <string.h>

int64_t sched_told(const scheduler *s, ir_op o, property_id what, int64_t otherwise)
{
    return ir_property_number(s->m, (subject){ON_OP, o}, what, otherwise);
}

void sched_say(scheduler *s, ir_op o, property_id what, int64_t number)
{
    ir_module *m = s->m;
    const char *key = ir_property_info(what)->key;
    attribute a = {.key = intern_cstr(&m->cx->strings, key), .number = number};
    s->failed = !a.key || !ir_attr_set(&m->cx->mem, &m->props, (subject){ON_OP, o}, a) || s->failed;
}

bool sched_is_off(const scheduler *s, decision which)
{
    return (s->without >> which & 1u) != 0;
}

place sched_before(const scheduler *s, ir_op o)
{
    const op_node *n = ir_op_at(s->m, o);
    return (place){n->parent, o, n->loc};
}

bool sched_sees(const scheduler *s, ir_value v, ir_op o)
{
    return ir_visible_at(&s->e, v, ir_op_at(s->m, o)->parent, o);
}

ir_value sched_make(scheduler *s, place at, opcode code, const ir_value *args, uint32_t n, ir_type t)
{
    ir_op o = ir_insert_op(&s->e, at.region, at.before, code, args, n, at.loc);
    ir_value v = ir_op_at(s->m, o)->result;
    s->failed = s->failed || !o;
    if (v)
        ir_value_at(s->m, v)->type = t;
    return v;
}

ir_value sched_make2(scheduler *s, place at, opcode code, ir_value x, ir_value y)
{
    ir_value args[] = {x, y};
    return sched_make(s, at, code, args, y ? 2 : 1, ir_value_at(s->m, x)->type);
}

/* One component of each. */
static ir_value select_item(scheduler *s, place at, const ir_value *choice, ir_type t, uint32_t i)
{
    ir_value k = sched_int(s, i), of_x[] = {choice[1], k}, of_y[] = {choice[2], k};
    ir_type item = type_item(s->m, t, i);
    ir_value x = sched_make(s, at, OP_PROJ, of_x, 2, item), y = sched_make(s, at, OP_PROJ, of_y, 2, item);
    return sched_select(s, at, choice[0], x, y);
}

ir_value sched_select(scheduler *s, place at, ir_value cond, ir_value x, ir_value y)
{
    ir_value choice[] = {cond, x, y}, whole = 0;
    if (s->failed || !cond || !x || !y)
        return 0;
    ir_type t = ir_value_at(s->m, x)->type;
    const type_node n = *ir_type_at(s->m, t);
    if (n.kind != TY_TUPLE)
        return sched_make(s, at, (opcode)SOP_SELECT, choice, 3, t);
    vec_u32 items = {0};
    for (uint32_t i = 0; i < n.n && !s->failed; i++) {
        ir_value item = select_item(s, at, choice, t, i);
        s->failed = !item || !vec_push(&s->m->cx->mem, &items, item);
    }
    if (!s->failed)
        whole = sched_make(s, at, OP_TUPLE, items.at, items.len, t);
    vec_free(&s->m->cx->mem, &items);
    return whole;
}

ir_value sched_product(scheduler *s, place at, const ir_value *extents, uint32_t n)
{
    ir_value all = extents[0];
    for (uint32_t i = 1; i < n && !s->failed; i++)
        all = sched_make2(s, at, (opcode)SOP_MUL, all, extents[i]);
    return all;
}

ir_value sched_number_of(scheduler *s, place at, const ir_value *extents, const ir_value *ix, uint32_t n)
{
    ir_value k = ix[0];
    for (uint32_t i = 1; i < n && !s->failed; i++)
        k = sched_make2(s, at, (opcode)SOP_ADD, sched_make2(s, at, (opcode)SOP_MUL, k, extents[i]), ix[i]);
    return k;
}

ir_value sched_cast(scheduler *s, place at, opcode code, ir_value v, scalar to)
{
    ir_type t = type_scalar(s->m, to);
    ir_value r = sched_make(s, at, code, &v, 1, t);
    if (r)
        ir_op_at(s->m, ir_value_at(s->m, r)->def)->attr = t;
    return r;
}

ir_value sched_int(scheduler *s, int64_t x)
{
    return ir_const(s->m, ST_I32, (uint64_t)x);
}

ir_value sched_empty(scheduler *s, place at, ir_type t)
{
    ir_value v = sched_make(s, at, OP_ARRAY, NULL, 0, t);
    if (v)
        ir_value_at(s->m, v)->annotated = 1; /* nothing else tells the type of its elements */
    return v;
}

/* Components are few and small: reads.c bounds the bytes. */
ir_value sched_zero(scheduler *s, place at, ir_type t)
{
    enum { MOST_ITEMS = 16 };
    ir_module *m = s->m;
    const type_node n = *ir_type_at(m, t);
    ir_value items[MOST_ITEMS];
    if (n.kind == TY_SCALAR)
        return ir_const(m, type_as_scalar(m, t), 0);
    for (uint32_t i = 0; i < n.n && i < MOST_ITEMS; i++)
        items[i] = sched_zero(s, at, type_item(m, t, i));
    return s->failed ? 0 : sched_make(s, at, OP_TUPLE, items, n.n, t);
}

ir_value sched_dim(scheduler *s, place at, ir_value xs, uint32_t axis)
{
    ir_value args[] = {xs, sched_int(s, axis)};
    return sched_make(s, at, OP_DIM, args, 2, type_scalar(s->m, ST_I32));
}

ir_value sched_as_extent(scheduler *s, place at, ir_value n)
{
    ir_value i;
    place in;
    if (ir_is_natural(s->m, n))
        return n;
    ir_value xs = sched_generate(s, at, &n, 1, type_scalar(s->m, ST_I32), &in, &i);
    if (!xs)
        return 0;
    sched_yield(s, in, i);
    return s->failed ? 0 : sched_dim(s, at, xs, 0);
}

/* The function that the module has by that name: its own before that of the prelude. */
static ir_func named(const scheduler *s, const char *name)
{
    return ir_func_named(s->m, intern_find(&s->m->cx->strings, name, strlen(name)));
}

enum { NAME_MOST = 64 };

static const char *skeleton_name(char whole[NAME_MOST], const char *name, worker by)
{
    snprintf(whole, NAME_MOST, "%s.%s", by == BY_GRID ? "grid" : "thread", name);
    return whole;
}

bool sched_is_skeleton(const ir_module *m, ir_func f, worker by)
{
    char first[NAME_MOST];
    const func_node *n = &m->funcs.at[f];
    skeleton_name(first, "", by);
    return n->import && strncmp(ir_str(m, n->name), first, strlen(first)) == 0;
}

ir_value sched_plain_call(scheduler *s, place at, const char *name, const ir_value *args, uint32_t n,
                          ir_type t)
{
    ir_func f = named(s, name);
    ir_value v = sched_make(s, at, OP_CALL, args, n, t);
    if (v)
        ir_op_at(s->m, ir_value_at(s->m, v)->def)->attr = f;
    s->failed = s->failed || !f;
    return v;
}

ir_value sched_call(scheduler *s, place at, const char *name, worker by, const ir_value *args,
                    uint32_t n, ir_type t)
{
    char whole[NAME_MOST];
    s->worked = s->worked || by == BY_GRID;
    return sched_plain_call(s, at, skeleton_name(whole, name, by), args, n, t);
}

ir_value sched_call_sized(scheduler *s, place at, const char *name, worker by, uint32_t bytes,
                          const ir_value *args, uint32_t n, ir_type t)
{
    enum { MOST_ARGS = 8 };
    ir_value all[MOST_ARGS] = {sched_int(s, bytes)};
    char whole[NAME_MOST];
    ir_func f = named(s, skeleton_name(whole, name, by));
    bool sized =
        f && n < MOST_ARGS && ir_region_at(s->m, ir_func_at(s->m, f)->body)->nparams == n + 1;
    for (uint32_t i = 0; sized && i < n; i++)
        all[i + 1] = args[i];
    return sched_call(s, at, name, by, sized ? all : args, sized ? n + 1 : n, t);
}

ir_value sched_generate(scheduler *s, place at, const ir_value *extents, uint32_t n, ir_type elem,
                        place *inside, ir_value *ix)
{
    ir_module *m = s->m;
    ir_value v = sched_make(s, at, OP_GENERATE, extents, n, type_pull(m, elem, n));
    *inside = (place){ir_op_at(m, ir_value_at(m, v)->def)->regions, 0, at.loc};
    for (uint32_t i = 0; v && i < n; i++)
        ix[i] = ir_add_param(m, inside->region, type_scalar(m, ST_I32), 0, true);
    return v;
}

void sched_yield(scheduler *s, place inside, ir_value v)
{
    s->failed = !ir_insert_op(&s->e, inside.region, 0, OP_YIELD, &v, 1, inside.loc) || s->failed;
}

void sched_erase_unused(scheduler *s, ir_region r)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->last, before; o; o = before) {
        const op_node n = *ir_op_at(m, o);
        before = s->e.before.at[o];
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            sched_erase_unused(s, n.regions + i);
        if (n.result && ir_op_info(n.opcode)->effect == EFFECT_NONE)
            ir_erase_op(&s->e, o);
    }
}

ir_value sched_index(scheduler *s, place at, ir_value xs, const ir_value *ix, uint32_t n)
{
    ir_value args[MAX_RANK + 1] = {xs};
    for (uint32_t i = 0; i < n; i++)
        args[i + 1] = ix[i];
    return sched_make(s, at, OP_INDEX, args, n + 1,
                      ir_type_at(s->m, ir_value_at(s->m, xs)->type)->a);
}

/* ---- pushing and forcing ---- */

static ir_level level_of(worker by)
{
    return level_const(by == BY_GRID ? LEVEL_GRID : LEVEL_THREAD);
}

static bool is_pull(const ir_module *m, ir_type t)
{
    return ir_type_at(m, t)->kind == TY_PULL;
}

ir_type sched_pushed_type(ir_module *m, ir_type t, worker by)
{
    const type_node n = *ir_type_at(m, t);
    ir_type items[16];
    if (n.kind == TY_PULL)
        return type_push(m, n.a, n.n, level_of(by));
    if (n.kind != TY_TUPLE || n.n > 16)
        return t;
    for (uint32_t i = 0; i < n.n; i++)
        items[i] = sched_pushed_type(m, type_item(m, t, i), by);
    return type_tuple(m, items, n.n);
}

static ir_value one_pushed(scheduler *s, place at, ir_value v, worker by)
{
    ir_module *m = s->m;
    ir_type t = sched_pushed_type(m, ir_value_at(m, v)->type, by);
    ir_value tiles = by == BY_GRID ? sched_turned(s, at, v) : 0;
    if (tiles || s->failed)
        return tiles;
    ir_value p = sched_make(s, at, OP_PUSH, &v, 1, t);
    if (p)
        ir_op_at(m, ir_value_at(m, p)->def)->attr = level_of(by);
    s->worked = s->worked || by == BY_GRID;
    return p;
}

static ir_value one_forced(scheduler *s, place at, ir_value v, worker by)
{
    ir_type t = ir_value_at(s->m, v)->type;
    ir_value p = one_pushed(s, at, v, by);
    return p ? sched_make(s, at, OP_FORCE, &p, 1, t) : 0;
}

typedef ir_value change(scheduler *s, place at, ir_value v, worker by);

/* The components of a tuple are as many as somebody wrote. */
static ir_value each_array(scheduler *s, place at, ir_value v, worker by, change *f)
{
    ir_module *m = s->m;
    ir_type t = ir_value_at(m, v)->type;
    const type_node n = *ir_type_at(m, t);
    vec_u32 items = {0}, types = {0};
    if (is_pull(m, t))
        return f(s, at, v, by);
    if (!ir_holds_pull(m, t))
        return v;
    for (uint32_t i = 0; i < n.n && !s->failed; i++) {
        ir_value x = sched_item(s, at, v, i);
        x = x ? each_array(s, at, x, by, f) : 0;
        s->failed = !x || !vec_push(&m->cx->mem, &items, x) ||
                    !vec_push(&m->cx->mem, &types, ir_value_at(m, x)->type);
    }
    ir_value whole = s->failed ? 0
                               : sched_make(s, at, OP_TUPLE, items.at, items.len,
                                            type_tuple(m, types.at, types.len));
    vec_free(&m->cx->mem, &items);
    vec_free(&m->cx->mem, &types);
    return whole;
}

ir_value sched_pushed(scheduler *s, place at, ir_value v, worker by)
{
    return each_array(s, at, v, by, one_pushed);
}

ir_value sched_forced(scheduler *s, place at, ir_value v, worker by)
{
    return each_array(s, at, v, by, one_forced);
}

ir_op sched_write_by(scheduler *s, ir_op o, worker by)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    place behind = {n.parent, n.next, n.loc};
    ir_type t = ir_value_at(m, n.result)->type;
    ir_value p = sched_make(s, behind, OP_PUSH, &n.result, 1, sched_pushed_type(m, t, by));
    ir_op push = p ? ir_value_at(m, p)->def : 0;
    ir_value f = p ? sched_make(s, behind, OP_FORCE, &p, 1, t) : 0;
    if (s->failed)
        return 0;
    ir_op_at(m, push)->attr = level_of(by);
    ir_replace_uses(&s->e, n.result, f);
    ir_set_operand(&s->e, push, 0, n.result);
    return push;
}

void sched_unwrite(scheduler *s, ir_op push)
{
    ir_value v = ir_arg(s->m, push, 0);
    ir_op force = ir_user(&s->e, ir_first_use(&s->e, ir_op_at(s->m, push)->result));
    ir_replace_uses(&s->e, ir_op_at(s->m, force)->result, v);
    s->failed = s->failed || !ir_erase_op(&s->e, force) || !ir_erase_op(&s->e, push);
}

ir_op sched_only_user(const scheduler *s, ir_value v, uint32_t code)
{
    uint32_t u = ir_first_use(&s->e, v);
    ir_op o = u && !ir_next_use(&s->e, u) ? ir_user(&s->e, u) : 0;
    return o && ir_op_at(s->m, o)->opcode == code ? o : 0;
}

ir_value sched_item(scheduler *s, place at, ir_value tuple, uint32_t k)
{
    ir_value args[] = {tuple, sched_int(s, k)};
    return s->failed ? 0 : sched_make(s, at, OP_PROJ, args, 2, type_item(s->m, type_of(s, tuple), k));
}

ir_value sched_open_each(scheduler *s, place at, opcode code, ir_value xs, ir_type t, place *in, ir_value *x)
{
    ir_value v = sched_make(s, at, code, &xs, 1, t);
    if (!v)
        return 0;
    *in = (place){ir_op_at(s->m, made_by(s->m, v))->regions, 0, at.loc};
    *x = ir_add_param(s->m, in->region, elem_of(s, xs), 0, true);
    s->failed = s->failed || !*x;
    return s->failed ? 0 : v;
}

ir_value sched_map_of(scheduler *s, ir_op o, ir_value v)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_value xs = ir_arg(m, o, n.nargs - 1u), x;
    place in;
    ir_type t = type_pull(m, type_of(s, v), ir_type_at(m, type_of(s, xs))->n);
    ir_value all = sched_open_each(s, sched_before(s, o), OP_MAP, xs, t, &in, &x);
    ir_value copy = all ? ir_copy_needed(&s->e, n.regions, v, in.region, &x) : 0;
    s->failed = s->failed || !copy;
    if (!s->failed)
        sched_yield(s, in, copy);
    return s->failed ? 0 : all;
}

ir_op sched_copy_op(scheduler *s, ir_op o, ir_region r)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_value args[MAX_RANK], params[MAX_RANK];
    for (uint32_t i = 0; i < n.nargs; i++)
        args[i] = ir_arg(m, o, i);
    ir_op copy = ir_copy_op(&s->e, o, r, args);
    s->failed = s->failed || !copy;
    for (uint32_t i = 0; !s->failed && i < ir_op_info(n.opcode)->regions; i++) {
        ir_region body = ir_op_at(m, copy)->regions + i;
        for (uint32_t k = 0; k < ir_region_at(m, body)->nparams; k++)
            params[k] = ir_region_at(m, body)->params + k;
        ir_value v = ir_copy_body(&s->e, n.regions + i, body, params);
        s->failed = !v;
        if (v)
            sched_yield(s, (place){body, 0, n.loc}, v);
    }
    return s->failed ? 0 : copy;
}

void sched_or_else(scheduler *s, ir_value choice, ir_value first, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    ir_region then = ir_op_at(s->m, made_by(s->m, choice))->regions;
    sched_yield(s, (place){then, 0, n.loc}, first);
    ir_replace_uses(&s->e, n.result, choice);
    s->failed = s->failed || !ir_move_op(&s->e, o, then + 1, 0);
    if (!s->failed)
        sched_yield(s, (place){then + 1, 0, n.loc}, n.result);
}

ir_value sched_fold(scheduler *s, place at, opcode code, ir_value z, ir_value xs, opcode by)
{
    ir_module *m = s->m;
    ir_value args[] = {z, xs};
    ir_type t = elem_of(s, xs);
    ir_value v = sched_make(s, at, code, args, 2, code == OP_REDUCE ? t : type_of(s, xs));
    if (!v)
        return 0;
    place in = {ir_op_at(m, made_by(m, v))->regions, 0, at.loc};
    ir_value x = ir_add_param(m, in.region, t, 0, true), y = ir_add_param(m, in.region, t, 0, true);
    s->failed = s->failed || !x || !y;
    if (!s->failed)
        sched_yield(s, in, sched_make2(s, in, by, x, y));
    return s->failed ? 0 : v;
}

/* What a front end has said of an operation is said of what stands for it; what passes understand is not, as that is another one.  The
 * list is walked by a copy of its entry, since setting may move it. */
static void hand_on(scheduler *s, attributes *all, ir_op from, ir_op to, bool meaningless)
{
    const ir_module *m = s->m;
    subject of = {ON_OP, from}, into = {ON_OP, to};
    for (uint32_t i = ir_attr_first(all, of); !s->failed && i;) {
        attribute a = all->all.at[i];
        i = a.next;
        bool known = meaningless && ir_property_named(ir_str(m, a.key)) != PROPERTY_UNKNOWN;
        if (!known && !ir_attr_find(all, into, a.key))
            s->failed = !ir_attr_set(&m->cx->mem, all, into, a);
    }
}

void sched_replace(scheduler *s, ir_op o, ir_value v)
{
    s->failed = s->failed || !v || s->e.failed;
    if (s->failed)
        return;
    ir_op made = made_by(s->m, v);
    if (made) {
        hand_on(s, &s->m->attrs, o, made, false);
        hand_on(s, &s->m->props, o, made, true);
    }
    ir_replace_uses(&s->e, ir_op_at(s->m, o)->result, v);
    ir_erase_op(&s->e, o);
}
