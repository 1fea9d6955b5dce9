/* Arrays that an update overwrites are used nowhere behind it: a linear type discipline, as
 * uniqueness types are, but without types.
 *
 * An update needs an array of which it is known where its memory comes from: its *origin*, a force,
 * the state that a loop hands on, another update, or a parameter of a function, whose caller then
 * hands over such an array.  From the update on nothing may be read that depends on the origin and
 * has not been computed: the array itself, arrays that are computed from it element by element,
 * and functions that refer to it.  Scalars that were read before are there already.  Order is that
 * of the text; of the branches of an if one is taken, and what runs many times overwrites only
 * what it has made itself.
 *
 * Where that does not hold of an update that names no level, it overwrites a copy (takers.h).  Such an update may also have what an
 * if gives whose branches made it, or hand on an array from in front of the if: then the if consumes that, as it is the update's.
 *
 * A walk over each function, with the set of origins that each value depends on; a module without
 * updates is not looked at.  The cost is that of the sets: of one origin, nearly always. */
#include "ir/check/levels.h"
#include "ir/check/ops.h"
#include "ir/check/takers.h"
#include "ir/scheduled.h"

#include <string.h>

typedef struct origin {
    ir_part part;
    uint32_t next;  /* 1 + another one of the same value; 0: none */
    ir_op consumer; /* 0: it is there */
    bool stays;     /* it is used again: whoever takes it, takes a copy */
} origin;

typedef struct origin_set {
    uint32_t start, n; /* of items, ascending */
} origin_set;

/* Of the module: who takes what; by function, whether what it returns is an origin.  Of the function: the
 * rest. */
typedef struct owners {
    bool any; /* the module has updates */
    takers takers;
    vec_u8 fresh;
    VEC(origin) origins;
    vec_u8 hands;    /* by value: an if gives it, which hands on an array from in front of it, or has made it */
    vec_u32 ifs;     /* those that do, in order */
    vec_u32 first;   /* by value: 1 + its first origin */
    vec_u32 sets_of; /* by value: the set that it depends on */
    VEC(origin_set) sets;
    vec_u32 items, trail; /* trail: origins that have been consumed, in order */
} owners;

static mem *memory(const checker *c)
{
    return &c->cx->mem;
}

/* ---- origins ---- */

static bool is_state_loop(uint32_t code)
{
    return code == OP_WHILE || code == OP_REPEAT || code == OP_MAPACCUM;
}

static bool gives_fresh(const checker *c, ir_op o);
static ir_level level_of_origin(const checker *c, ir_value v);

/* What ends a region gives, or 0. */
static ir_value given_by(const checker *c, ir_region r)
{
    ir_op end = r ? ir_region_at(c->m, r)->last : 0;
    return end && ir_op_at(c->m, end)->nargs ? ir_arg(c->m, end, 0) : 0;
}

/* Whether the grid has written it, as far as is seen: of what a call gives, through functions without levels of their own. */
static bool is_written_by_grid(const checker *c, ir_value v)
{
    const value_node *n = ir_value_at(c->m, v);
    while (n->kind == V_RESULT && ir_op_at(c->m, n->def)->opcode == OP_CALL) {
        v = given_by(c, ir_func_at(c->m, ir_op_at(c->m, n->def)->attr)->body);
        n = ir_value_at(c->m, v);
    }
    ir_level made = n->kind == V_NONE ? 0 : level_of_origin(c, v);
    return level_base(made) != LV_CONST || made == level_const(LEVEL_GRID);
}

/* What a region yields is made there, so that nobody else has it, and by the grid: where blocks and
 * threads choose, what they have chosen is no memory that a step could be told to overwrite. */
static bool yields_fresh(const checker *c, ir_region r)
{
    ir_value v = given_by(c, r);
    const value_node *n = ir_value_at(c->m, v);
    return n->kind == V_RESULT && ir_value_region(c->m, v) == r && gives_fresh(c, n->def) && is_written_by_grid(c, v);
}

/* Of an if the branch that is taken does; recursion is as deep as these nest. */
static bool gives_fresh(const checker *c, ir_op o)
{
    const op_node *n = ir_op_at(c->m, o);
    return ir_makes_memory(n->opcode) ||
           (n->opcode == OP_IF && yields_fresh(c, n->regions) && yields_fresh(c, n->regions + 1)) ||
           (n->opcode == OP_CALL && n->attr < c->owners->fresh.len && c->owners->fresh.at[n->attr]);
}

/* The state of a step, or a parameter of a function that is no kernel. */
static bool is_handed_over(const checker *c, ir_value v)
{
    const ir_region r = ir_value_at(c->m, v)->def;
    const region_node *n = ir_region_at(c->m, r);
    if (!n->owner)
        return !ir_func_at(c->m, n->func)->kernel;
    const op_node *o = ir_op_at(c->m, n->owner);
    bool tests = o->opcode == OP_WHILE && r == o->regions;
    return is_state_loop(o->opcode) && !tests && v == n->params + n->nparams - 1;
}

/* For whoever may overwrite a copy as well. */
static bool is_handed_on(const checker *c, ir_value v)
{
    return v < c->owners->hands.len && c->owners->hands.at[v];
}

static bool is_origin(const checker *c, ir_value v)
{
    const value_node *n = ir_value_at(c->m, v);
    return n->kind == V_RESULT ? gives_fresh(c, n->def)
                               : n->kind == V_PARAM && is_handed_over(c, v);
}

/* The level that wrote it; 0: not known here. */
static ir_level level_of_origin(const checker *c, ir_value v)
{
    const value_node *n = ir_value_at(c->m, v);
    ir_op o = n->kind == V_RESULT ? n->def : ir_region_at(c->m, n->def)->owner;
    uint32_t code = o ? ir_op_at(c->m, o)->opcode : OP_CALL;
    if (code == OP_CALL || code == OP_IF)
        return 0;
    return check_state_level(c, arg_type(c, o, ir_op_at(c->m, o)->nargs - 1u));
}

static void add_origin(checker *c, ir_value v)
{
    owners *w = c->owners;
    origin fresh = {.part = ir_part_of(c->m, v)};
    if (fresh.part.of >= w->first.len || !(is_origin(c, fresh.part.of) || is_handed_on(c, fresh.part.of)))
        return;
    uint32_t *first = &w->first.at[fresh.part.of];
    for (uint32_t i = *first; i; i = w->origins.at[i - 1].next)
        if (ir_parts_overlap(&w->origins.at[i - 1].part, &fresh.part))
            return;
    fresh.next = *first;
    if (vec_push(memory(c), &w->origins, fresh))
        *first = w->origins.len;
}

/* ---- sets ---- */

static bool contains(const owners *w, origin_set s, uint32_t x)
{
    for (uint32_t i = 0; i < s.n; i++)
        if (w->items.at[s.start + i] == x)
            return true;
    return false;
}

static uint32_t with(checker *c, uint32_t a, uint32_t x)
{
    owners *w = c->owners;
    origin_set s = w->sets.at[a];
    if (contains(w, s, x))
        return a;
    origin_set r = {.start = w->items.len, .n = s.n + 1};
    if (!vec_reserve(memory(c), &w->items, r.n) || !vec_reserve(memory(c), &w->sets, 1))
        return a;
    for (uint32_t i = 0; i < s.n; i++)
        w->items.at[w->items.len++] = w->items.at[s.start + i];
    w->items.at[w->items.len++] = x;
    w->sets.at[w->sets.len++] = r;
    return w->sets.len - 1;
}

static uint32_t joined(checker *c, uint32_t a, uint32_t b)
{
    if (a == b || !b)
        return a;
    if (!a)
        return b;
    for (uint32_t i = 0; i < c->owners->sets.at[b].n; i++)
        a = with(c, a, c->owners->items.at[c->owners->sets.at[b].start + i]);
    return a;
}

/* Without those that have been consumed, and those of the region, which ends. */
static uint32_t left(checker *c, uint32_t a, ir_region ending, bool consumed)
{
    const origin_set s = c->owners->sets.at[a];
    uint32_t r = 0;
    for (uint32_t i = 0; i < s.n; i++) {
        uint32_t x = c->owners->items.at[s.start + i];
        const origin *o = &c->owners->origins.at[x];
        if ((consumed || !o->consumer) && ir_value_region(c->m, o->part.of) != ending)
            r = with(c, r, x);
    }
    return r;
}

/* What reading v may read. */
static uint32_t reads(checker *c, ir_value v)
{
    owners *w = c->owners;
    const ir_part p = ir_part_of(c->m, v);
    if (p.of >= w->first.len)
        return 0;
    uint32_t s = w->sets_of.at[p.of];
    for (uint32_t i = w->first.at[p.of]; i; i = w->origins.at[i - 1].next)
        if (ir_parts_overlap(&w->origins.at[i - 1].part, &p))
            s = with(c, s, i - 1);
    return s;
}

/* Whether a value of that type is computed at once, whatever it is made from. */
static bool is_strict(const checker *c, ir_type t)
{
    const type_node *n = ir_type_at(c->m, t);
    bool base = n->kind == TY_VAR && ir_kind_within((kind)c->m->tvars.at[n->a].kind, KIND_BT);
    bool all = n->kind == TY_SCALAR || n->kind == TY_TUPLE || base;
    for (uint32_t i = 0; n->kind == TY_TUPLE && i < n->n && all; i++)
        all = is_strict(c, type_item(c->m, t, i));
    return all;
}

static void depends(checker *c, ir_value v, uint32_t set)
{
    if (v < c->owners->sets_of.len && !is_strict(c, ir_value_at(c->m, v)->type))
        c->owners->sets_of.at[v] = set;
}

/* ---- consuming ---- */

static void all_stay(owners *w, ir_value v)
{
    for (uint32_t i = w->first.at[v]; i; i = w->origins.at[i - 1].next)
        w->origins.at[i - 1].stays = true;
}

/* What ifs give that hand the origin on stays, too. */
static void let_stay(checker *c, origin *x)
{
    owners *w = c->owners;
    vec_u32 todo = {0};
    x->stays = true;
    for (bool ok = vec_push(memory(c), &todo, x->part.of); ok && todo.len;) {
        ir_value v = todo.at[--todo.len];
        for (uint32_t i = w->takers.first.at[v]; i && ok; i = w->takers.all.at[i - 1].next) {
            ir_op by = w->takers.all.at[i - 1].op;
            ir_value given = ir_op_at(c->m, by)->opcode == OP_IF ? ir_op_at(c->m, by)->result : 0;
            if (given)
                all_stay(w, given);
            ok = !given || vec_push(memory(c), &todo, given);
        }
    }
    vec_free(memory(c), &todo);
}

static void report_use(checker *c, ir_op o, origin *x)
{
    if (check_takers_soft(&c->owners->takers, &x->part)) {
        check_takers_copy(c, &c->owners->takers, &x->part);
        let_stay(c, x);
        x->consumer = 0;
        return;
    }
    c->op = o;
    REFUSE(c, CONSUMED, "an array is used here that has been overwritten");
    diag_note_add(c->cx, ir_op_loc(c->m, x->consumer), "this %s overwrites it",
                  ir_op_info(ir_op_at(c->m, x->consumer)->opcode)->name);
    diag_hint(c->cx,
              "use what the update gives, or let it overwrite a copy: force (push<level> xs)");
    x->consumer = 0;
}

/* Operand k of o may not read what is gone. */
static uint32_t check_use(checker *c, ir_op o, uint32_t k)
{
    uint32_t s = reads(c, ir_arg(c->m, o, k));
    const origin_set set = c->owners->sets.at[s];
    for (uint32_t i = 0; i < set.n; i++) {
        origin *x = &c->owners->origins.at[c->owners->items.at[set.start + i]];
        if (x->consumer)
            report_use(c, o, x);
    }
    return s;
}

/* Whether o runs once at most for each time that its origin is made: between them are ifs alone. */
static bool runs_once(const checker *c, ir_op o, ir_value v)
{
    const ir_region home = ir_value_region(c->m, v);
    ir_region r = ir_op_at(c->m, o)->parent;
    while (r != home) {
        ir_op owner = ir_region_at(c->m, r)->owner;
        if (!owner || ir_op_at(c->m, owner)->opcode != OP_IF)
            return false;
        r = ir_op_at(c->m, owner)->parent;
    }
    return true;
}

static bool refuse_origin(checker *c, ir_op o, ir_value v)
{
    const value_node n = *ir_value_at(c->m, v);
    if (!is_origin(c, v)) {
        bool kernel = n.kind == V_PARAM && !ir_region_at(c->m, n.def)->owner;
        REFUSE(c, NOT_OWNED, "the array that is overwritten here is %s",
               kernel ? "a parameter of the kernel, which is the caller's"
                      : "not seen to be in memory of its own");
        diag_hint(c->cx, "force it first, which gives it memory of its own: force (push<level> xs)");
        return false;
    }
    if (!runs_once(c, o, v)) {
        REFUSE(c, NOT_OWNED,
               "the array is made once, and what overwrites it here may run many times");
        diag_hint(c->cx, "make it the state of the loop, which is handed from round to round");
        return false;
    }
    return true;
}

static void check_level_of(checker *c, ir_op o, ir_value v)
{
    const op_node *n = ir_op_at(c->m, o);
    ir_level made = level_of_origin(c, v),
             level =
                 n->opcode == OP_UPDATE ? check_state_level(c, arg_type(c, o, n->nargs - 1u)) : 0;
    if (!made || !level || made == level)
        return;
    REFUSE(c, NOT_OWNED, "the array is in memory of level %s, and this update works at level %s",
           level_str(c->m, made), level_str(c->m, level));
    diag_hint(c->cx, "push the elements that it puts there at level %s", level_str(c->m, made));
}

/* Elements of a pull array, of which an update says nothing about when they are computed, are all
 * there before the first is written. */
static bool is_before(const checker *c, ir_op o, uint32_t i)
{
    return ir_op_at(c->m, o)->opcode == OP_UPDATE && ir_is_collective(c->m, o) &&
           i + 1u == ir_op_at(c->m, o)->nargs;
}

/* Whether another operand reads what is being overwritten. */
static bool is_read_beside(checker *c, ir_op o, uint32_t k, uint32_t taken)
{
    bool read = false;
    for (uint32_t i = 0; i < ir_op_at(c->m, o)->nargs && !read; i++)
        read = i != k && !is_before(c, o, i) &&
               contains(c->owners, c->owners->sets.at[reads(c, ir_arg(c->m, o, i))], taken);
    return read;
}

/* Whether o may overwrite the part itself: it is there, nobody else's, and not read meanwhile. */
static bool may_take(checker *c, ir_op o, uint32_t k, const ir_part *p)
{
    owners *w = c->owners;
    bool may = (is_origin(c, p->of) || is_handed_on(c, p->of)) && runs_once(c, o, p->of);
    for (uint32_t i = w->first.at[p->of]; i && may; i = w->origins.at[i - 1].next)
        may = !ir_parts_overlap(&w->origins.at[i - 1].part, p) ||
              !(w->origins.at[i - 1].stays || is_read_beside(c, o, k, i - 1));
    return may;
}

static void refuse_beside(checker *c)
{
    REFUSE(c, CONSUMED, "what is put into the array is computed from it while it is overwritten");
    diag_hint(c->cx, "force the new elements first");
}

/* o overwrites its operand k. */
static void consume(checker *c, ir_op o, uint32_t k)
{
    owners *w = c->owners;
    const ir_part p = ir_part_of(c->m, ir_arg(c->m, o, k));
    bool soft = check_how_taken(c, &w->takers, o, k) == TAKES_SOFT;
    c->op = o;
    if (p.of >= w->first.len)
        return;
    if (soft && !may_take(c, o, k, &p)) {
        check_taker_copies(c, &w->takers, o, k);
        return;
    }
    if (!(soft && is_handed_on(c, p.of))) {
        if (!refuse_origin(c, o, p.of))
            return;
        check_level_of(c, o, p.of);
    }
    check_add_taker(c, &w->takers, &p, o, k);
    for (uint32_t i = w->first.at[p.of]; i; i = w->origins.at[i - 1].next) {
        origin *x = &w->origins.at[i - 1];
        if (!ir_parts_overlap(&x->part, &p))
            continue;
        if (is_read_beside(c, o, k, i - 1))
            refuse_beside(c);
        x->consumer = o;
        vec_push(memory(c), &w->trail, i - 1);
    }
}

/* Whether o, a call, consumes its operand k; o uses a function that does. */
static bool takes(const checker *c, ir_op o, uint32_t k)
{
    return check_how_taken(c, &c->owners->takers, o, k) != TAKES_NOT;
}

/* The operands that an operation consumes; what: called for each. */
static void each_consumed(checker *c, ir_op o, void what(checker *, ir_op, uint32_t))
{
    const op_node n = *ir_op_at(c->m, o);
    if (n.opcode == OP_UPDATE)
        what(c, o, 0);
    for (uint32_t k = 0; n.opcode == OP_CALL && k < n.nargs; k++)
        if (takes(c, o, k))
            what(c, o, k);
}

static void check_value_of(checker *c, ir_op o)
{
    const func_node *fn = ir_func_at(c->m, ir_op_at(c->m, o)->attr);
    for (uint32_t k = 0; k < ir_region_at(c->m, fn->body)->nparams; k++)
        if (check_how_taken(c, &c->owners->takers, o, k) == TAKES_SOFT) {
            check_taker_copies(c, &c->owners->takers, o, k);
        } else if (takes(c, o, k)) {
            c->op = o;
            REFUSE(c, NOT_OWNED, "@%s overwrites what it is given, so it is called, and no value",
                   ir_str(c->m, fn->name));
            diag_hint(c->cx, "call it with all its arguments, in a function of your own");
            return;
        }
}

/* ---- the walk ---- */

static uint32_t walk(checker *c, ir_region r);

/* What the region gives, but for what is gone behind the branches. */
static uint32_t given(checker *c, ir_region r)
{
    return left(c, reads(c, ir_arg(c->m, ir_region_at(c->m, r)->last, 0)), r, false);
}

/* Origins that have been consumed since number `from` are there again; by whom they were. */
static void restore(checker *c, uint32_t from, vec_u32 *consumers)
{
    owners *w = c->owners;
    for (uint32_t i = from; i < w->trail.len; i++) {
        origin *x = &w->origins.at[w->trail.at[i]];
        vec_push(memory(c), consumers, x->consumer);
        x->consumer = 0;
    }
}

/* Of what a branch gives, what was there before the if; of 0: it was made in the branch. */
static ir_part from_before(const checker *c, ir_region r)
{
    ir_value v = given_by(c, r);
    const ir_part p = v ? ir_part_of(c->m, v) : (ir_part){0};
    bool before = v && ir_value_at(c->m, p.of)->kind != V_CONST && ir_value_region(c->m, p.of) != r;
    return before ? p : (ir_part){0};
}

/* An if whose result is overwritten consumes what its branches hand on, unless that is used again. */
static void hand_on(checker *c, ir_op o)
{
    owners *w = c->owners;
    const op_node n = *ir_op_at(c->m, o);
    for (uint32_t k = 0; k < 2; k++) {
        const ir_part p = from_before(c, n.regions + k);
        for (uint32_t i = p.of ? w->first.at[p.of] : 0; i; i = w->origins.at[i - 1].next) {
            origin *x = &w->origins.at[i - 1];
            if (!ir_parts_overlap(&x->part, &p))
                continue;
            if (x->stays) {
                all_stay(w, n.result);
                continue;
            }
            check_add_hander(c, &w->takers, &x->part, o);
            x->consumer = x->consumer ? x->consumer : o;
            vec_push(memory(c), &w->trail, i - 1);
        }
    }
}

/* One of two branches is taken: each begins with what is there before, and behind them is gone
 * what either has consumed.  Where one gives what the other has consumed, the if gives what is left
 * of it in both. */
static uint32_t walk_if(checker *c, ir_op o)
{
    owners *w = c->owners;
    const op_node n = *ir_op_at(c->m, o);
    const uint32_t from = w->trail.len;
    vec_u32 consumers = {0};
    uint32_t all = walk(c, n.regions);
    restore(c, from, &consumers);
    all = joined(c, all, walk(c, n.regions + 1));
    for (uint32_t i = 0; i < consumers.len; i++) {
        origin *x = &w->origins.at[w->trail.at[from + i]];
        x->consumer = x->consumer ? x->consumer : consumers.at[i];
    }
    vec_free(memory(c), &consumers);
    if (is_handed_on(c, n.result) && w->first.at[n.result])
        hand_on(c, o);
    depends(c, n.result, joined(c, given(c, n.regions), given(c, n.regions + 1)));
    return all;
}

/* What regions receive is computed from the operands, or by the regions before; a state is new. */
static uint32_t walk_regions(checker *c, ir_op o, uint32_t s)
{
    const op_node n = *ir_op_at(c->m, o);
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++) {
        const region_node r = *ir_region_at(c->m, n.regions + i);
        for (uint32_t k = 0; k < r.nparams && !is_state_loop(n.opcode); k++)
            depends(c, r.params + k, s);
        s = joined(c, s, walk(c, n.regions + i));
    }
    return s;
}

/* The extents of a pull array are known, whatever becomes of its elements. */
static bool asks_extent(const checker *c, ir_op o)
{
    const uint32_t code = ir_op_at(c->m, o)->opcode;
    return (code == OP_LENGTH || code == OP_DIM) &&
           ir_type_at(c->m, arg_type(c, o, 0))->kind == TY_PULL;
}

/* What the operation reads, now or later. */
static uint32_t walk_op(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    uint32_t s = 0;
    for (uint32_t k = 0; k < n.nargs && !asks_extent(c, o); k++)
        s = joined(c, s, check_use(c, o, k));
    if (n.opcode == OP_FUNC)
        check_value_of(c, o);
    if (n.opcode == OP_IF)
        return joined(c, s, walk_if(c, o));
    each_consumed(c, o, consume);
    s = walk_regions(c, o, s);
    if (n.result && !gives_fresh(c, o))
        depends(c, n.result, s);
    return s;
}

/* Recursion follows regions. */
static uint32_t walk(checker *c, ir_region r)
{
    uint32_t s = 0;
    for (ir_op o = ir_region_at(c->m, r)->first; o; o = ir_op_at(c->m, o)->next)
        s = joined(c, s, walk_op(c, o));
    return left(c, s, r, true);
}

static void origin_of_operand(checker *c, ir_op o, uint32_t k)
{
    add_origin(c, ir_arg(c->m, o, k));
}

/* Whether a branch gives what it has made, or an array from in front of the if that nobody else has. */
static bool branch_hands(const checker *c, ir_op choice, ir_region r)
{
    ir_value v = from_before(c, r).of;
    if (!v)
        return yields_fresh(c, r) || is_handed_on(c, given_by(c, r));
    return (is_origin(c, v) || is_handed_on(c, v)) && runs_once(c, choice, v) && is_written_by_grid(c, v);
}

static void note_hander(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    bool pull = n.opcode == OP_IF && ir_type_at(c->m, ir_value_at(c->m, n.result)->type)->kind == TY_PULL;
    if (pull && !gives_fresh(c, o) && branch_hands(c, o, n.regions) && branch_hands(c, o, n.regions + 1))
        c->owners->hands.at[n.result] = (uint8_t)vec_push(memory(c), &c->owners->ifs, o);
}

/* What they hand on, where something overwrites that: later ones first, as they have it from earlier ones. */
static void find_handed(checker *c)
{
    owners *w = c->owners;
    for (uint32_t i = w->ifs.len; i-- > 0;) {
        const op_node n = *ir_op_at(c->m, w->ifs.at[i]);
        for (uint32_t k = 0; k < 2 && w->first.at[n.result]; k++) {
            ir_value v = given_by(c, n.regions + k);
            if (v)
                add_origin(c, v);
        }
    }
}

/* Whether something in there consumes, or names a function that does. */
static bool find_origins(checker *c, ir_region r)
{
    bool any = false;
    for (ir_op o = ir_region_at(c->m, r)->first; o; o = ir_op_at(c->m, o)->next) {
        const op_node n = *ir_op_at(c->m, o);
        each_consumed(c, o, origin_of_operand);
        any |= n.opcode == OP_UPDATE || n.opcode == OP_CALL || n.opcode == OP_FUNC;
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            any |= find_origins(c, n.regions + i);
        note_hander(c, o);
    }
    return any;
}

/* Whether what the function returns is an array in memory that is nobody else's. */
static bool returns_fresh(const checker *c, ir_region body)
{
    const ir_op last = ir_region_at(c->m, body)->last;
    const ir_part p = ir_part_of(c->m, ir_arg(c->m, last, 0));
    const value_node *n = ir_value_at(c->m, p.of);
    return n->kind == V_RESULT && gives_fresh(c, n->def);
}

void check_consumed_function(checker *c, ir_func f)
{
    owners *w = c->owners;
    const ir_region body = ir_func_at(c->m, f)->body;
    if (!w || !w->any || f >= w->fresh.len)
        return;
    w->origins.len = w->items.len = w->trail.len = 0;
    w->sets.len = 1;
    w->ifs.len = 0;
    if (find_origins(c, body)) {
        find_handed(c);
        walk(c, body);
    }
    w->fresh.at[f] = returns_fresh(c, body);
    c->op = 0;
}

/* ---- the module ---- */

static bool zeros(mem *mm, vec_u32 *v, uint32_t n)
{
    if (!vec_reserve(mm, v, n))
        return false;
    memset(v->at, 0, n * sizeof *v->at);
    v->len = n;
    return true;
}

bool check_consumed_init(checker *c)
{
    mem *mm = memory(c);
    uint32_t n = c->m->values.len;
    owners *w = c->owners = mem_resize(mm, NULL, 0, sizeof *w);
    if (!w)
        return false;
    *w = (owners){0};
    c->m->copied.len = 0;
    for (ir_op o = 0; o < c->m->ops.len && !w->any; o++)
        w->any = ir_op_at(c->m, o)->opcode == OP_UPDATE;
    return !w->any ||
           (vec_push(mm, &w->sets, (origin_set){0}) && check_takers_init(c, &w->takers) &&
            zeros(mm, &w->first, n) && zeros(mm, &w->sets_of, n) && ir_zeroed_bytes(mm, &w->hands, n) &&
            ir_zeroed_bytes(mm, &w->fresh, c->m->funcs.len));
}

void check_consumed_free(checker *c)
{
    mem *mm = memory(c);
    owners *w = c->owners;
    if (!w)
        return;
    check_takers_free(c, &w->takers);
    vec_free(mm, &w->fresh);
    vec_free(mm, &w->hands);
    vec_free(mm, &w->ifs);
    vec_free(mm, &w->origins);
    vec_free(mm, &w->first);
    vec_free(mm, &w->sets_of);
    vec_free(mm, &w->sets);
    vec_free(mm, &w->items);
    vec_free(mm, &w->trail);
    mem_free(mm, w, sizeof *w);
}
