/* From unscheduled to scheduled: collectives give way to skeletons, functions of FCL that name
 * levels (libfcl/prelude/skeletons.fclir), which the module has imported; pull arrays that kernels
 * return are pushed by the grid.  What is scheduled already stays as it is.
 *
 * One walk over what the kernels without a schedule reach: linear. */
#include "ir/check/check.h"
#include "ir/passes/distribute/distribute.h"
#include "ir/passes/passes.h"
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

static void push_results(scheduler *s, ir_func f)
{
    ir_module *m = s->m;
    ir_op end = ir_region_at(m, ir_func_at(m, f)->body)->last;
    ir_value v = sched_pushed(s, sched_before(s, end), ir_arg(m, end, 0), BY_GRID);
    s->failed = s->failed || !v;
    if (s->failed)
        return;
    ir_set_operand(&s->e, end, 0, v);
    ir_func_at(m, f)->result = ir_value_at(m, v)->type;
}

static void go_through(scheduler *s, job *j)
{
    const func_node f = *ir_func_at(s->m, j->copy);
    if (j->by == BY_GRID) {
        sched_fuse(s, f.body);
        sched_nests(s, f.body);
    }
    sched_region(s, f.body, j->by);
    j->works = s->worked;
    if (f.kernel && !s->failed)
        push_results(s, j->copy);
}

void sched_release(scheduler *s)
{
    mem *mm = &s->m->cx->mem;
    vec_free(mm, &s->reaches);
    vec_free(mm, &s->describes);
    vec_free(mm, &s->jobs);
    vec_free(mm, &s->order);
    vec_free(mm, &s->masks);
    vec_free(mm, &s->known);
    for (int i = 0; i < MEASURES; i++) {
        vec_free(mm, &s->cost.by[i].steps);
        vec_free(mm, &s->cost.by[i].asked);
        vec_free(mm, &s->cost.by[i].called);
    }
    vec_free(mm, &s->cost.streams);
    vec_free(mm, &s->cost.seen);
    vec_free(mm, &s->levels);
    for (int i = 0; i < WORKERS; i++)
        vec_free(mm, &s->version[i]);
}

/* ---- updates ---- */

/* In functions that are there still; `collective`: such that say nothing of levels. */
static bool has_updates(const ir_module *m, bool collective)
{
    for (ir_op o = 1; o < m->ops.len; o++)
        if (m->ops.at[o].opcode == OP_UPDATE && m->ops.at[o].parent && m->regions.at[m->ops.at[o].parent].func &&
            (!collective || ir_is_collective(m, o)))
            return true;
    return false;
}

static worker worker_of_update(ir_module *m, ir_op o)
{
    const type_node t = *ir_type_at(m, ir_value_at(m, ir_arg(m, o, ir_op_at(m, o)->nargs - 1u))->type);
    return t.kind == TY_PUSH && t.b == level_const(LEVEL_GRID) ? BY_GRID : BY_THREAD;
}

/* Skeletons and loops of threads compute elements when they are read, where the program had its arrays in memory before it
 * overwrote what they are made of: such updates overwrite a copy.  What is found is seen in the order of the scheduled text. */
static bool copy_overwritten(scheduler *s)
{
    ir_module *m = s->m;
    if (!ir_check_copies(m))
        return false;
    uint32_t n = m->copied.len;
    if (n == 0)
        return true;
    bool ok = ir_editor_init(&s->e, m), checked = true;
    for (ir_op o = 1; ok && o < n && !s->failed; o++) {
        if (!ir_copies(m, o) || ir_is_collective(m, o))
            continue;
        checked = false;
        ir_value copy = sched_forced(s, sched_before(s, o), ir_arg(m, o, 0), worker_of_update(m, o));
        sched_tell(s, o, COPY, "`update` overwrites a copy of its array, which is computed where it is read, or read later than it was written");
        if (copy)
            ir_set_operand(&s->e, o, 0, copy);
    }
    m->checked = checked;
    return ir_editor_end(&s->e) && ok && !s->failed;
}

bool pass_schedule(ir_module *m, unsigned without, bool drops)
{
    scheduler s = {.m = m, .without = without};
    bool spare = !(without & 1u << DECIDE_WRITE) && has_updates(m, true);
    bool ok = (!spare || (sched_alone(m, without, sched_outlive) && ir_check(m))) && sched_find_jobs(&s);
    if (ok && s.jobs.len) {
        ok = ir_editor_init(&s.e, m);
        for (uint32_t i = 0; ok && i < s.order.len; i++) { /* all, while functions that threads call say what they do */
            const job *j = &s.jobs.at[s.order.at[i]];
            if (j->by == BY_GRID) {
                ir_region body = ir_func_at(m, j->copy)->body;
                sched_scatter_found(&s, body);
                sched_components(&s, body);
                sched_distribute(&s, body);
                sched_each(&s, body, sched_write_arrays);
            }
            ok = !s.failed;
        }
        for (uint32_t i = 0; ok && i < s.order.len; i++) {
            go_through(&s, &s.jobs.at[s.order.at[i]]);
            ok = !s.failed;
        }
        ok = ir_editor_end(&s.e) && ok;
        m->checked = false;
        ok = ok && (!drops || pass_drop_imports(m)) && (!has_updates(m, false) || copy_overwritten(&s));
    }
    sched_release(&s);
    return ok && ir_check(m);
}
