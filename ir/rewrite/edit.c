/* The editor: see rewrite/edit.h.  Operations of a region are a list in one direction with numbers
 * that grow along it; where two neighbours leave no number between them, the region is numbered
 * anew.
 *
 * Uses are doubly linked lists through the pool of operands (use-def chains); the order numbers
 * are the classic answer to order maintenance: comparing two operations of a region takes one
 * comparison, inserting takes constant time until a gap is used up. */
#include "ir/rewrite/edit.h"

#include "ir/append.h"
#include "ir/callers.h"

#include <string.h>

enum { GAP = 256 };

static mem *memory(ir_editor *e)
{
    return &e->m->cx->mem;
}

/* ---- growing with the module ---- */

/* Tables by id are extended when the module has grown; new entries are 0.  They double, as vectors
 * do. */
static bool reach(ir_editor *e, vec_u32 *v, uint32_t len)
{
    uint32_t old = v->len;
    if (len <= old)
        return true;
    if (!vec_reserve(memory(e), v, len - old))
        return false;
    memset(v->at + old, 0, (v->cap - old) * sizeof *v->at);
    v->len = v->cap;
    return true;
}

static bool reach_uses(ir_editor *e, uint32_t len)
{
    uint32_t old = e->uses.len;
    if (len <= old)
        return true;
    if (!vec_reserve(memory(e), &e->uses, len - old))
        return false;
    memset(e->uses.at + old, 0, (e->uses.cap - old) * sizeof *e->uses.at);
    e->uses.len = e->uses.cap;
    return true;
}

/* After every step that may have made operations, values or operands.  A failure is kept. */
static bool reach_all(ir_editor *e)
{
    ir_module *m = e->m;
    bool ok = reach(e, &e->before, m->ops.len) && reach(e, &e->order, m->ops.len) &&
              reach(e, &e->first_use, m->values.len) && reach_uses(e, m->pool.len);
    e->failed = e->failed || !ok;
    return ok;
}

/* ---- uses ---- */

uint32_t ir_first_use(const ir_editor *e, ir_value v)
{
    return v < e->first_use.len ? e->first_use.at[v] : 0;
}

uint32_t ir_next_use(const ir_editor *e, uint32_t use)
{
    return e->uses.at[use].next;
}

ir_op ir_user(const ir_editor *e, uint32_t use)
{
    return e->uses.at[use].user;
}

/* The slot is the operand's place in the pool, which no other operand has.  New uses come first. */
static void add_use(ir_editor *e, ir_op user, uint32_t slot)
{
    ir_value v = e->m->pool.at[slot];
    uint32_t first = e->first_use.at[v];
    e->uses.at[slot] = (use_node){.user = user, .next = first};
    if (first)
        e->uses.at[first].before = slot;
    e->first_use.at[v] = slot;
}

/* The slot must hold the value still: the head of the list is found by it. */
static void drop_use(ir_editor *e, uint32_t slot)
{
    use_node n = e->uses.at[slot];
    if (n.next)
        e->uses.at[n.next].before = n.before;
    if (n.before)
        e->uses.at[n.before].next = n.next;
    else
        e->first_use.at[e->m->pool.at[slot]] = n.next;
    e->uses.at[slot] = (use_node){0};
}

/* Notes or forgets the uses of an operation and of all in it. */
static void each_use(ir_editor *e, ir_op o, bool add)
{
    ir_module *m = e->m;
    const op_node n = *ir_op_at(m, o);
    for (uint32_t k = 0; k < n.nargs; k++) {
        if (add)
            add_use(e, o, n.args + k);
        else
            drop_use(e, n.args + k);
    }
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
        for (ir_op x = ir_region_at(m, n.regions + i)->first; x; x = ir_op_at(m, x)->next)
            each_use(e, x, add);
}

/* ---- order ---- */

/* GAP apart, so that eight insertions at one place fit before the next numbering. */
static void number_region(ir_editor *e, ir_region r)
{
    uint32_t number = 0;
    ir_op last = 0;
    for (ir_op o = ir_region_at(e->m, r)->first; o; o = ir_op_at(e->m, o)->next) {
        e->before.at[o] = last;
        e->order.at[o] = number += GAP;
        last = o;
    }
}

/* Everything inside an operation; the operation itself is numbered with its region. */
static void number_all(ir_editor *e, ir_op o)
{
    const op_node n = *ir_op_at(e->m, o);
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++) {
        number_region(e, n.regions + i);
        for (ir_op x = ir_region_at(e->m, n.regions + i)->first; x; x = ir_op_at(e->m, x)->next)
            number_all(e, x);
    }
}

/* Takes an operation out of its region's list; its uses, its parent and what is in it stay. */
static void unlink(ir_editor *e, ir_op o)
{
    op_node *n = ir_op_at(e->m, o);
    region_node *r = ir_region_at(e->m, n->parent);
    ir_op last = e->before.at[o];
    if (last)
        ir_op_at(e->m, last)->next = n->next;
    else
        r->first = n->next;
    if (n->next)
        e->before.at[n->next] = last;
    else
        r->last = last;
    n->next = 0;
}

/* before 0: at the end.  Takes the middle of the numbers around; where there is none the region is
 * numbered anew, which costs its length. */
static void link_before(ir_editor *e, ir_op o, ir_region region, ir_op before)
{
    region_node *r = ir_region_at(e->m, region);
    ir_op last = before ? e->before.at[before] : r->last;
    ir_op_at(e->m, o)->parent = region;
    ir_op_at(e->m, o)->next = before;
    *(last ? &ir_op_at(e->m, last)->next : &r->first) = o;
    *(before ? &e->before.at[before] : &r->last) = o;
    e->before.at[o] = last;
    uint32_t low = last ? e->order.at[last] : 0,
             high = before ? e->order.at[before] : low + 2 * GAP;
    e->order.at[o] = low + (high - low) / 2;
    if (high - low < 2 || high < low)
        number_region(e, region);
}

/* ---- making and ending ---- */

bool ir_editor_init(ir_editor *e, ir_module *m)
{
    *e = (ir_editor){.m = m};
    ir_cloner_init(&e->cloner, m, m);
    if (!reach_all(e))
        return false;
    for (ir_func f = 1; f < m->funcs.len; f++) {
        ir_region body = ir_func_at(m, f)->body;
        number_region(e, body);
        for (ir_op o = ir_region_at(m, body)->first; o; o = ir_op_at(m, o)->next) {
            number_all(e, o);
            each_use(e, o, true);
        }
    }
    return true;
}

bool ir_editor_end(ir_editor *e)
{
    ir_cloner_free(&e->cloner);
    vec_free(memory(e), &e->before);
    vec_free(memory(e), &e->order);
    vec_free(memory(e), &e->uses);
    vec_free(memory(e), &e->first_use);
    return !e->failed;
}

/* ---- scopes ---- */

/* Climbs from the place outwards to the value's region: an operation there that contains the place
 * must come behind the value's definition.  Costs the depth of nesting. */
bool ir_visible_at(const ir_editor *e, ir_value v, ir_region r, ir_op before)
{
    ir_module *m = e->m;
    const value_node *n = ir_value_at(m, v);
    ir_region home = ir_value_region(m, v);
    if (n->kind == V_CONST)
        return true;
    while (r && r != home) {
        before = ir_region_at(m, r)->owner;
        r = before ? ir_op_at(m, before)->parent : 0;
    }
    return r && (n->kind == V_PARAM || !before ||
                 (n->def != before && e->order.at[n->def] < e->order.at[before]));
}

/* Whether everything that an operation and what is in it use is visible. */
static bool operands_visible(const ir_editor *e, ir_op o)
{
    ir_module *m = e->m;
    const op_node n = *ir_op_at(m, o);
    for (uint32_t k = 0; k < n.nargs; k++)
        if (!ir_visible_at(e, m->pool.at[n.args + k], n.parent, o))
            return false;
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
        for (ir_op x = ir_region_at(m, n.regions + i)->first; x; x = ir_op_at(m, x)->next)
            if (!operands_visible(e, x))
                return false;
    return true;
}

/* Whether all users of a value, which may just have been moved, can see it. */
static bool uses_visible(const ir_editor *e, ir_value v)
{
    for (uint32_t u = ir_first_use(e, v); u; u = ir_next_use(e, u))
        if (!ir_visible_at(e, v, ir_op_at(e->m, ir_user(e, u))->parent, ir_user(e, u)))
            return false;
    return true;
}

/* Whether region r is inside operation o. */
static bool is_inside(const ir_editor *e, ir_region r, ir_op o)
{
    while (r) {
        ir_op owner = ir_region_at(e->m, r)->owner;
        if (owner == o)
            return true;
        r = owner ? ir_op_at(e->m, owner)->parent : 0;
    }
    return false;
}

/* ---- changes ---- */

/* Appended first, since that is how operations are made, then moved to its place. */
ir_op ir_insert_op(ir_editor *e, ir_region r, ir_op before, opcode code, const ir_value *args,
                   uint32_t nargs, uint32_t loc)
{
    ir_op last = ir_region_at(e->m, r)->last;
    ir_op o = ir_add_op(e->m, r, code, args, nargs, loc);
    if (!o || !reach_all(e)) {
        e->failed = true;
        return 0;
    }
    e->before.at[o] = last;
    unlink(e, o);
    link_before(e, o, r, before);
    each_use(e, o, true);
    return o;
}

ir_op ir_copy_op(ir_editor *e, ir_op from, ir_region r, const ir_value *args)
{
    ir_op last = ir_region_at(e->m, r)->last;
    ir_cloner_reset(&e->cloner);
    for (uint32_t k = 0; k < ir_op_at(e->m, from)->nargs; k++)
        ir_cloner_value(&e->cloner, ir_arg(e->m, from, k), args[k]);
    ir_op o = ir_clone_shell(&e->cloner, from, r);
    if (!o || !reach_all(e)) {
        e->failed = true;
        return 0;
    }
    e->before.at[o] = last;
    unlink(e, o);
    link_before(e, o, r, 0);
    each_use(e, o, true);
    return o;
}

/* The nodes stay in the module's vectors, in no region: ids of others do not change. */
bool ir_erase_op(ir_editor *e, ir_op o)
{
    if (ir_first_use(e, ir_op_at(e->m, o)->result))
        return false;
    each_use(e, o, false);
    unlink(e, o);
    ir_op_at(e->m, o)->parent = 0;
    e->m->checked = false;
    return true;
}

void ir_set_operand(ir_editor *e, ir_op o, uint32_t k, ir_value v)
{
    uint32_t slot = ir_op_at(e->m, o)->args + k;
    if (!reach_all(e)) /* v may be a new constant */
        return;
    drop_use(e, slot);
    e->m->pool.at[slot] = v;
    add_use(e, o, slot);
    e->m->checked = false;
}

/* Costs the uses of v: their list is put before that of w as a whole. */
void ir_replace_uses(ir_editor *e, ir_value v, ir_value w)
{
    uint32_t first = ir_first_use(e, v), last = 0;
    if (!first || v == w || !reach_all(e))
        return;
    for (uint32_t u = first; u; u = ir_next_use(e, last = u))
        e->m->pool.at[u] = w;
    uint32_t others = e->first_use.at[w];
    e->uses.at[last].next = others;
    if (others)
        e->uses.at[others].before = last;
    e->first_use.at[w] = first;
    e->first_use.at[v] = 0;
    e->m->checked = false;
}

/* The result lies in the frame of the region that the operation is in. */
static void rehome(ir_editor *e, ir_op o, ir_region r)
{
    ir_value v = ir_op_at(e->m, o)->result;
    if (v)
        ir_value_at(e->m, v)->slot = ir_region_at(e->m, r)->nslots++ & SLOT_MASK;
}

/* Moves, looks whether all is visible, and moves back if not: the order numbers decide, so the
 * operation must stand there to be asked about. */
bool ir_move_op(ir_editor *e, ir_op o, ir_region r, ir_op before)
{
    const op_node n = *ir_op_at(e->m, o);
    ir_op behind = n.next;
    if (o == before || behind == before)
        return n.parent == r;
    if (is_inside(e, r, o) || ir_region_at(e->m, r)->func != ir_region_at(e->m, n.parent)->func)
        return false;
    unlink(e, o);
    link_before(e, o, r, before);
    if (!operands_visible(e, o) || !uses_visible(e, n.result)) {
        unlink(e, o);
        link_before(e, o, n.parent, behind);
        return false;
    }
    if (r != n.parent)
        rehome(e, o, r);
    e->m->checked = false;
    return true;
}

/* Before the operation that holds the region all of it is visible: what it uses from around stands
 * earlier, and its own values come along in order. */
ir_value ir_move_body(ir_editor *e, ir_region from, ir_region r, ir_op before)
{
    const region_node n = *ir_region_at(e->m, from);
    for (uint32_t i = 0; i < n.nparams; i++)
        if (ir_first_use(e, n.params + i))
            return 0;
    for (ir_op o = n.first, next; o && o != n.last; o = next) {
        next = ir_op_at(e->m, o)->next;
        unlink(e, o);
        link_before(e, o, r, before);
        rehome(e, o, r);
    }
    e->m->checked = false;
    return ir_arg(e->m, n.last, 0);
}

/* ---- inlining ---- */

/* 1 for the body of a function, as the verifier counts. */
static uint32_t depth_of_region(const ir_module *m, ir_region r)
{
    uint32_t depth = 1;
    for (ir_op o = m->regions.at[r].owner; o; o = m->regions.at[r].owner) {
        r = m->ops.at[o].parent;
        depth++;
    }
    return depth;
}

/* Regions nested below a region; recursion follows them, and limits.region_depth bounds it. */
static uint32_t depth_below(ir_module *m, ir_region r)
{
    uint32_t most = 0;
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++) {
            uint32_t depth = 1 + depth_below(m, n.regions + i);
            most = depth > most ? depth : most;
        }
    }
    return most;
}

/* Lets the instance and the arguments stand for the parameters. */
static bool bind_call(ir_editor *e, const op_node *call, const func_node *f)
{
    ir_module *m = e->m;
    const region_node body = *ir_region_at(m, f->body);
    uint32_t ntypes = call->inst ? m->pool.at[call->inst] : 0,
             nlevels = call->inst ? m->pool.at[call->inst + 1] : 0;
    if (ntypes != f->ntypes || nlevels != f->nlevels || call->nargs != body.nparams)
        return false;
    for (uint32_t i = 0; i < ntypes + nlevels; i++)
        ir_cloner_tvar(&e->cloner, f->tparams + i, m->pool.at[call->inst + 2 + i]);
    for (uint32_t i = 0; i < call->nargs; i++)
        ir_cloner_value(&e->cloner, body.params + i, m->pool.at[call->args + i]);
    return !e->cloner.failed;
}

/* Whether what is passed and what comes back has the type that the function states, not only an
 * instance of it. */
static bool types_agree(ir_editor *e, const op_node *call, const func_node *f)
{
    ir_module *m = e->m;
    const region_node body = *ir_region_at(m, f->body);
    ir_value given = ir_arg(m, body.last, 0);
    for (uint32_t i = 0; i < call->nargs; i++) {
        ir_type t = ir_clone_type(&e->cloner, ir_value_at(m, body.params + i)->type);
        if (!t || t != ir_value_at(m, m->pool.at[call->args + i])->type)
            return false;
    }
    ir_type t = ir_clone_type(&e->cloner, ir_value_at(m, given)->type);
    return t && t == ir_value_at(m, call->result)->type;
}

/* Appends the body to the call's region, of which the call and what follows were cut off. */
static ir_value append_body(ir_editor *e, ir_op call, ir_region body)
{
    ir_region r = ir_op_at(e->m, call)->parent;
    ir_op last = ir_region_at(e->m, r)->last, before = e->before.at[call];
    ir_region_at(e->m, r)->last = before;
    *(before ? &ir_op_at(e->m, before)->next : &ir_region_at(e->m, r)->first) = 0;
    ir_value v = ir_clone_body(&e->cloner, body, r);
    region_node *region = ir_region_at(e->m, r);
    *(region->last ? &ir_op_at(e->m, region->last)->next : &region->first) = call;
    region->last = last;
    return v;
}

/* Takes up the operations between two others, which were just made. */
static void note_between(ir_editor *e, ir_op before, ir_op end)
{
    ir_region r = ir_op_at(e->m, end)->parent;
    ir_op o = before ? ir_op_at(e->m, before)->next : ir_region_at(e->m, r)->first;
    uint32_t number = before ? e->order.at[before] : 0;
    for (ir_op last = before; o; last = o, o = ir_op_at(e->m, o)->next) {
        e->before.at[o] = last;
        if (o == end)
            break;
        e->order.at[o] = ++number;
        number_all(e, o);
        each_use(e, o, true);
    }
    if (number >= e->order.at[end])
        number_region(e, r);
}

/* Takes up the operations of a region behind one, 0: all, which were just made. */
static void note_behind(ir_editor *e, ir_region r, ir_op last)
{
    number_region(e, r);
    for (ir_op o = last ? ir_op_at(e->m, last)->next : ir_region_at(e->m, r)->first; o; o = ir_op_at(e->m, o)->next) {
        number_all(e, o);
        each_use(e, o, true);
    }
}

ir_value ir_copy_body(ir_editor *e, ir_region from, ir_region to, const ir_value *args)
{
    const region_node f = *ir_region_at(e->m, from);
    ir_cloner_reset(&e->cloner);
    for (uint32_t i = 0; i < f.nparams; i++)
        ir_cloner_value(&e->cloner, f.params + i, args[i]);
    ir_op last = ir_region_at(e->m, to)->last;
    ir_value v = ir_clone_body(&e->cloner, from, to);
    e->failed = !v || !reach_all(e) || e->failed;
    if (e->failed)
        return 0;
    note_behind(e, to, last);
    return v;
}

/* ---- copying what a value needs ---- */

/* Where an operation stands in a list of one region's, which is in order. */
static uint32_t position(const ir_editor *e, const vec_u32 *ops, ir_op o)
{
    uint32_t low = 0, high = ops->len;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(e->order.at[ops->at[middle]] <= e->order.at[o] ? &low : &high) = middle;
    }
    return low;
}

/* Whether one that is needed uses what operation k of the region gives, itself or in its regions. */
static bool is_needed(const ir_editor *e, ir_region r, const vec_u32 *ops, const vec_u32 *needed, uint32_t k)
{
    bool is = false;
    for (uint32_t u = ir_first_use(e, ir_op_at(e->m, ops->at[k])->result); !is && u; u = ir_next_use(e, u)) {
        ir_op o = ir_user(e, u);
        while (o && ir_op_at(e->m, o)->parent != r)
            o = ir_region_at(e->m, ir_op_at(e->m, o)->parent)->owner;
        uint32_t at = o ? position(e, ops, o) : 0;
        is = o && ops->at[at] == o && needed->at[at];
    }
    return is;
}

/* The operations of a region up to one of them; those that it needs are marked. */
static bool list_needed(ir_editor *e, ir_region r, ir_op last, vec_u32 *ops, vec_u32 *needed)
{
    mem *mm = memory(e);
    bool ok = true;
    for (ir_op o = ir_region_at(e->m, r)->first; ok && o; o = o == last ? 0 : ir_op_at(e->m, o)->next)
        ok = vec_push(mm, ops, o) && vec_push(mm, needed, o == last);
    for (uint32_t k = ok ? ops->len - 1 : 0; k-- > 0;)
        needed->at[k] = is_needed(e, r, ops, needed, k);
    return ok;
}

ir_value ir_copy_needed(ir_editor *e, ir_region from, ir_value v, ir_region to, const ir_value *args)
{
    const region_node f = *ir_region_at(e->m, from);
    const value_node n = *ir_value_at(e->m, v);
    vec_u32 ops = {0}, needed = {0};
    ir_op last = ir_region_at(e->m, to)->last;
    ir_cloner_reset(&e->cloner);
    for (uint32_t i = 0; i < f.nparams; i++)
        ir_cloner_value(&e->cloner, f.params + i, args[i]);
    bool ok = n.kind != V_RESULT || ir_op_at(e->m, n.def)->parent != from || list_needed(e, from, n.def, &ops, &needed);
    for (uint32_t k = 0; ok && k < ops.len; k++)
        ok = !needed.at[k] || ir_clone_op(&e->cloner, ops.at[k], to);
    ir_value copy = ok ? ir_clone_operand(&e->cloner, v) : 0;
    vec_free(memory(e), &ops);
    vec_free(memory(e), &needed);
    e->failed = !copy || e->cloner.failed || !reach_all(e) || e->failed;
    if (!e->failed)
        note_behind(e, to, last);
    return e->failed ? 0 : copy;
}

/* A value that was just made for a result takes the result's name. */
static void take_name(ir_editor *e, ir_value made, ir_value result, ir_op first_new)
{
    value_node *v = ir_value_at(e->m, made);
    str_id name = ir_value_at(e->m, result)->name;
    if (v->kind == V_RESULT && v->def >= first_new && name)
        v->name = name;
}

/* A call inside its own function would be recursion, which the checker has refused; here it would
 * copy while it grows. */
static bool can_inline(ir_editor *e, const op_node *n, const func_node *f)
{
    ir_module *m = e->m;
    bool own = ir_region_at(m, n->parent)->func == n->attr;
    return n->opcode == OP_CALL && n->attr && !own && bind_call(e, n, f) && types_agree(e, n, f) &&
           depth_of_region(m, n->parent) + depth_below(m, f->body) <= m->cx->limits.region_depth;
}

/* The body, whose parameters are bound, in the place of a call.  It is cloned to the end of the call's region, with call and rest cut
 * off for a moment: cloning appends only. */
static bool put_body(ir_editor *e, ir_op call, ir_region body, ir_op first_new)
{
    ir_value result = ir_op_at(e->m, call)->result, given = append_body(e, call, body);
    if (!given || !reach_all(e)) {
        e->failed = true;
        return false;
    }
    note_between(e, e->before.at[call], call);
    take_name(e, given, result, first_new);
    ir_replace_uses(e, result, given);
    return ir_erase_op(e, call);
}

/* What stands in a library is found where it is called from elsewhere. */
static void place_copies(ir_editor *e, const op_node *call, const func_node *f, ir_op first_new)
{
    ir_module *m = e->m;
    if (!ir_place_in_library(m, f->loc) || ir_place_in_library(m, call->loc))
        return;
    for (ir_op o = first_new; o < m->ops.len; o++)
        ir_op_at(m, o)->loc = call->loc;
}

bool ir_inline_call(ir_editor *e, ir_op call)
{
    ir_module *m = e->m;
    const op_node n = *ir_op_at(m, call);
    const func_node f = *ir_func_at(m, n.attr);
    ir_op first_new = m->ops.len;
    ir_cloner_reset(&e->cloner);
    if (!can_inline(e, &n, &f) || !put_body(e, call, f.body, first_new))
        return false;
    place_copies(e, &n, &f, first_new);
    return true;
}

/* ---- applications ---- */

enum { MOST_APPLIED = 16 }; /* one after the other */

/* The function of an application, where it is an fn, with all that is applied to it bound; 0: it is none, or takes another number. */
static ir_op bind_apply(ir_editor *e, ir_op apply)
{
    ir_module *m = e->m;
    ir_op chain[MOST_APPLIED], f = apply;
    uint32_t n = 0, at = 0;
    for (; f && ir_op_at(m, f)->opcode == OP_APPLY; n++) {
        if (n == MOST_APPLIED)
            return 0;
        chain[n] = f;
        const value_node *v = ir_value_at(m, ir_arg(m, f, 0));
        f = v->kind == V_RESULT ? v->def : 0;
    }
    if (!f || ir_op_at(m, f)->opcode != OP_FN)
        return 0;
    const region_node body = *ir_region_at(m, ir_op_at(m, f)->regions);
    while (n-- > 0)
        for (uint32_t i = 1; i < ir_op_at(m, chain[n])->nargs; i++, at++) {
            ir_value x = ir_arg(m, chain[n], i);
            if (at >= body.nparams || ir_value_at(m, x)->type != ir_value_at(m, body.params + at)->type)
                return 0;
            ir_cloner_value(&e->cloner, body.params + at, x);
        }
    ir_value given = ir_arg(m, body.last, 0);
    bool fits = at == body.nparams && ir_value_at(m, given)->type == ir_value_at(m, ir_op_at(m, apply)->result)->type;
    return fits && !e->cloner.failed ? f : 0;
}

bool ir_inline_apply(ir_editor *e, ir_op apply)
{
    ir_module *m = e->m;
    ir_op first_new = m->ops.len;
    ir_cloner_reset(&e->cloner);
    ir_op f = ir_op_at(m, apply)->opcode == OP_APPLY ? bind_apply(e, apply) : 0;
    ir_region body = f ? ir_op_at(m, f)->regions : 0, r = ir_op_at(m, apply)->parent;
    if (!f || depth_of_region(m, r) + depth_below(m, body) > m->cx->limits.region_depth)
        return false;
    return put_body(e, apply, body, first_new);
}
