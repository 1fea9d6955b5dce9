/* Which functions are gone through, and for whom.
 *
 * A walk from the kernels over calls, to what reaches collectives, or functions that describe several arrays; each function is met once for
 * each worker.  One that both have is copied, so that there is one of each. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

worker sched_region_worker(ir_module *m, ir_op o, uint32_t k, worker by)
{
    switch (ir_op_at(m, o)->opcode) {
    case OP_IF:
    case OP_ASSERT:
    case OP_WHILE:
    case OP_REPEAT: return by;
    case OP_STREAMRED:
    case OP_STREAMMAP: return k == 0 ? by : BY_THREAD;
    case OP_REDUCE:
        return ir_holds_pull(m, ir_value_at(m, ir_op_at(m, o)->result)->type) ? by : BY_THREAD;
    default: return BY_THREAD;
    }
}

ir_func sched_version(const scheduler *s, ir_func f, worker by)
{
    uint32_t at = f < s->version[by].len ? s->version[by].at[f] : 0;
    return at ? s->jobs.at[at - 1].copy : 0;
}

/* ---- which functions have a collective in them, or reach one ---- */

typedef struct edge {
    ir_func callee, caller;
} edge;

typedef struct callers {
    VEC(edge) edges;
    vec_u32 first, sorted, todo;
    vec_u32 *marks;    /* by function: 1 where it reaches one */
    sched_op_test *is; /* what is reached */
} callers;

static bool zeroed(scheduler *s, vec_u32 *v, uint32_t n)
{
    return n == 0 || sched_has_entry(s, v, n - 1);
}

static bool mark(scheduler *s, callers *c, ir_func f)
{
    if (c->marks->at[f])
        return true;
    c->marks->at[f] = 1;
    return vec_push(&s->m->cx->mem, &c->todo, f);
}

static bool look_at(scheduler *s, callers *c, ir_func f, ir_region r)
{
    ir_module *m = s->m;
    bool ok = true;
    for (ir_op o = ir_region_at(m, r)->first; ok && o; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        const op_info *info = ir_op_info(n.opcode);
        if (c->is(m, o))
            ok = mark(s, c, f);
        if (info->attr == ATTR_CALL)
            ok = ok && vec_push(&m->cx->mem, &c->edges, ((edge){n.attr, f}));
        for (uint32_t i = 0; ok && i < info->regions; i++)
            ok = look_at(s, c, f, n.regions + i);
    }
    return ok;
}

/* The callers of function f are sorted[first[f]] ... sorted[first[f + 1] - 1]: a counting sort. */
static bool sort_edges(scheduler *s, callers *c)
{
    uint32_t n = s->m->funcs.len;
    if (!zeroed(s, &c->first, n + 2) || !zeroed(s, &c->sorted, c->edges.len))
        return false;
    for (uint32_t i = 0; i < c->edges.len; i++)
        c->first.at[c->edges.at[i].callee + 2]++;
    for (uint32_t f = 2; f < n + 2; f++)
        c->first.at[f] += c->first.at[f - 1];
    for (uint32_t i = 0; i < c->edges.len; i++)
        c->sorted.at[c->first.at[c->edges.at[i].callee + 1]++] = c->edges.at[i].caller;
    return true;
}

bool sched_find_reaching(scheduler *s, vec_u32 *marks, sched_op_test *is)
{
    callers c = {.marks = marks, .is = is};
    bool ok = zeroed(s, marks, s->m->funcs.len);
    for (ir_func f = 1; ok && f < s->m->funcs.len; f++)
        ok = look_at(s, &c, f, ir_func_at(s->m, f)->body);
    ok = ok && sort_edges(s, &c);
    while (ok && c.todo.len) {
        ir_func f = c.todo.at[--c.todo.len];
        for (uint32_t i = c.first.at[f]; ok && i < c.first.at[f + 1]; i++)
            ok = mark(s, &c, c.sorted.at[i]);
    }
    vec_free(&s->m->cx->mem, &c.edges);
    vec_free(&s->m->cx->mem, &c.first);
    vec_free(&s->m->cx->mem, &c.sorted);
    vec_free(&s->m->cx->mem, &c.todo);
    return ok;
}

/* ---- for whom ---- */

static bool add_job(scheduler *s, ir_func f, worker by)
{
    if (s->version[by].at[f])
        return true;
    s->version[by].at[f] = s->jobs.len + 1;
    return vec_push(&s->m->cx->mem, &s->jobs, ((job){.func = f, .copy = f, .by = by, .works = true}));
}

/* An array that a function describes besides the one that it gives: it may be worth writing. */
static bool is_inner_array(const ir_module *m, ir_op o)
{
    const region_node r = m->regions.at[m->ops.at[o].parent];
    ir_value v = m->ops.at[o].result;
    return !r.owner && r.last && v && v != ir_arg(m, r.last, 0) && ir_type_at(m, m->values.at[v].type)->kind == TY_PULL &&
           ir_holds_pull(m, m->funcs.at[r.func].result);
}

static bool follow(scheduler *s, ir_region r, worker by)
{
    ir_module *m = s->m;
    bool ok = true;
    for (ir_op o = ir_region_at(m, r)->first; ok && o; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        const op_info *info = ir_op_info(n.opcode);
        if (info->attr == ATTR_CALL && (s->reaches.at[n.attr] || s->describes.at[n.attr]))
            ok = add_job(s, n.attr, n.opcode == OP_FUNC ? BY_THREAD : by);
        for (uint32_t i = 0; ok && i < info->regions; i++)
            ok = follow(s, n.regions + i, sched_region_worker(m, o, i, by));
    }
    return ok;
}

static bool is_open(const scheduler *s, ir_func f)
{
    const func_node *n = ir_func_at(s->m, f);
    return n->kernel && !n->import && (s->reaches.at[f] || ir_holds_pull(s->m, n->result) || ir_says_no_level(s->m, f));
}

/* One that both workers have: the thread gets a copy. */
static bool copy_shared(scheduler *s)
{
    ir_module *m = s->m;
    ir_cloner c;
    bool ok = true;
    ir_cloner_init(&c, m, m);
    for (uint32_t i = 0; ok && i < s->jobs.len; i++) {
        job *j = &s->jobs.at[i];
        if (j->by != BY_THREAD || !s->version[BY_GRID].at[j->func])
            continue;
        vec_char name = {0};
        ok = text_addf(&m->cx->mem, &name, "%s.inside", ir_str(m, ir_func_at(m, j->func)->name));
        while (ok && ir_func_named(m, intern_find(&m->cx->strings, name.at, name.len)))
            ok = text_add(&m->cx->mem, &name, "'", 1);
        ir_cloner_reset(&c);
        j->copy = ok ? ir_clone_func(&c, j->func, intern_add(&m->cx->strings, name.at, name.len)) : 0;
        vec_free(&m->cx->mem, &name);
        ok = ok && j->copy;
    }
    ir_cloner_free(&c);
    return ok;
}

/* So does a skeleton, which rules have put in the place of what it does. */
bool sched_works(const scheduler *s, ir_func f)
{
    uint32_t at = f < s->version[BY_GRID].len ? s->version[BY_GRID].at[f] : 0;
    return at ? s->jobs.at[at - 1].works : sched_is_skeleton(s->m, f, BY_GRID);
}

static bool is_described(const scheduler *s, uint32_t at)
{
    ir_func f = s->jobs.at[at].func;
    return !s->reaches.at[f] && !ir_func_at(s->m, f)->kernel;
}

/* Functions without collectives come first, those that are called before those that call them: what is written there costs who calls
 * it a load.  Others say what they do until the turn of those that call them is over. */
static bool put_in_order(scheduler *s)
{
    bool ok = true;
    for (uint32_t i = s->jobs.len; ok && i-- > 0;)
        ok = !is_described(s, i) || vec_push(&s->m->cx->mem, &s->order, i);
    for (uint32_t i = 0; ok && i < s->jobs.len; i++)
        ok = is_described(s, i) || vec_push(&s->m->cx->mem, &s->order, i);
    return ok;
}

bool sched_list_jobs(scheduler *s)
{
    uint32_t n = s->m->funcs.len;
    bool ok = sched_find_reaching(s, &s->reaches, ir_is_collective) && sched_open_generic(s) && sched_open_seen(s) &&
              sched_find_reaching(s, &s->describes, is_inner_array) && zeroed(s, &s->version[BY_GRID], n) && zeroed(s, &s->version[BY_THREAD], n);
    for (ir_func f = 1; ok && f < n; f++)
        ok = !is_open(s, f) || add_job(s, f, BY_GRID);
    for (uint32_t i = 0; ok && i < s->jobs.len; i++)
        ok = follow(s, ir_func_at(s->m, s->jobs.at[i].func)->body, s->jobs.at[i].by);
    return ok && put_in_order(s);
}

bool sched_find_jobs(scheduler *s)
{
    return sched_list_jobs(s) && copy_shared(s);
}
