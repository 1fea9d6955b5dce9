/* Checks of a run: those of the host, and what the kernels report of theirs.
 *
 * All kernels of a run share one memory, which is cleared before them.  The plan says where it is
 * read: before elements that kernels have made decide anything, and at the end; so no result is
 * handed out, and no loop goes on by what is wrong. */
#include "backends/run/prepared.h"

/* The message of a check with its numbers in place of %1 and %2. */
static bool put_message(run_prepared *r, const char *message, const int64_t x[2], vec_char *out)
{
    mem *m = &r->cx->mem;
    bool ok = true;
    for (const char *c = message; *c && ok; c++) {
        if (c[0] == '%' && (c[1] == '1' || c[1] == '2'))
            ok = text_addf(m, out, "%lld", (long long)x[*++c == '2']);
        else
            ok = text_add(m, out, c += c[0] == '%' && c[1] == '%', 1);
    }
    return ok;
}

static bool report(run_prepared *r, uint32_t check, int64_t first, int64_t second)
{
    const plan_check *c = &r->p->checks.at[check];
    vec_char text = {0};
    if (put_message(r, intern_str(&r->p->cx->strings, c->message), (int64_t[2]){first, second},
                    &text))
        diag_error(r->cx, (diag_code)c->code, c->at, "%s", text_cstr(&r->cx->mem, &text));
    vec_free(&r->cx->mem, &text);
    return false;
}

static int64_t number_at(const uint32_t *words)
{
    return (int64_t)((uint64_t)words[1] << 32 | words[0]);
}

static bool is_clean(run_prepared *r, const uint32_t *words)
{
    uint32_t failed = words[REPORT_CHECK];
    return !failed || failed >= r->p->checks.len ||
           report(r, failed, number_at(words + REPORT_FIRST), number_at(words + REPORT_SECOND));
}

bool run_passed(run_prepared *r)
{
    uint32_t words[REPORT_WORDS];
    return !r->report ||
           (r->d->ops->read(r->d, r->memories[r->report].block.memory, 0, sizeof words, words) &&
            is_clean(r, words));
}

/* ---- runs that nobody waits for ---- */

static bool only_ends(const plan_step *s)
{
    return s->op == PLAN_OUTPUT || s->op == PLAN_FREE || s->op <= PLAN_BITCAST;
}

void run_find_last(run_prepared *r)
{
    r->last = 0;
    for (uint32_t i = plan_block_at(r->p, PLAN_WHOLE)->first; i; i = plan_step_at(r->p, i)->next) {
        const plan_step *s = plan_step_at(r->p, i);
        if (s->op == PLAN_PASSED)
            r->last = i;
        else if (!only_ends(s))
            r->last = 0;
    }
}

/* The flight has the report from now on. */
bool run_passed_step(run_prepared *r, const plan_step *s)
{
    if (!r->flight || !r->report || s != plan_step_at(r->p, r->last))
        return run_passed(r);
    run_flight *f = r->flight;
    f->taken = r->taken;
    f->taken->flight = f;
    r->taken = NULL;
    return true;
}

/* In front of the mark. */
static bool ask_for_report(run_device *d, run_flight *f)
{
    if (!f->taken || f->report)
        return true;
    f->taken->flight = NULL;
    f->pinned = d->ops->pin ? d->ops->pin(d) : NULL;
    f->report = f->pinned ? f->pinned : f->words;
    return d->ops->read_later(d, f->taken->memory, sizeof f->words, f->report);
}

bool run_mark(run_device *d, run_flight *f)
{
    if (!f->mark && ask_for_report(d, f))
        f->mark = d->ops->mark(d);
    return f->mark && d->ops->flush(d);
}

bool run_has_landed(run_device *d, const run_flight *f)
{
    return d->ops->is_reached(d, f->mark);
}

void run_forget(run_device *d, run_flight *f)
{
    d->ops->forget(d, f->mark);
    if (f->pinned)
        d->ops->unpin(d, f->pinned);
    if (f->taken)
        run_report_leave(f->taken, false);
    *f = (run_flight){.mark = NULL};
}

bool run_land(run_prepared *r, run_flight *f)
{
    run_device *d = r->d;
    bool ok = f->mark                  ? d->ops->await(d, f->mark)
              : f->taken && !f->report ? run_reports_come(d)
                                       : d->ops->finish(d);
    bool is_known = ok && f->taken;
    ok = ok && (!f->report || is_clean(r, f->report));
    if (is_known) {
        run_report_leave(f->taken, !f->report[REPORT_CHECK]);
        f->taken = NULL;
    }
    return ok;
}

/* What a kernel has reported before comes first. */
bool run_check(run_prepared *r, const plan_step *s)
{
    return r->values[s->args[0]] || (run_passed(r) && report(r, s->which, run_number(r, s->args[1]),
                                                             run_number(r, s->args[2])));
}
