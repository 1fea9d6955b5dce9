/* Checks of a run: those of host code, and what the kernels report of theirs.
 *
 * All kernels of a run share one memory, which is cleared before them.  It is read before the plan
 * looks at an element that kernels have made, and at the end: so no result is handed out, and no
 * loop of the plan goes on by what is wrong. */
#include "backends/run/plan.h"

#include <string.h>

typedef struct check_kind {
    diag_code code;
    const char *message;
} check_kind;

static const check_kind kinds[CHECKED_END] = {
#define KCHECKED(e, number, name, code, message) [number] = {DIAG_##code, message},
#include "ir/kernel/kir.def"
#undef KCHECKED
};

/* The message of a kind with its numbers in place of %1 and %2. */
static bool put_message(const plan *r, const k_node *n, const int64_t x[2], vec_char *out)
{
    mem *m = &r->cx->mem;
    bool ok = true;
    for (const char *c = kinds[n->checked].message; *c && ok; c++) {
        if (*c != '%')
            ok = text_add(m, out, c, 1);
        else if (*++c == 't')
            ok = text_addf(m, out, "%s", intern_str(&r->p->cx->strings, (str_id)n->bits));
        else
            ok = text_addf(m, out, "%lld", (long long)x[*c == '2']);
    }
    return ok;
}

static bool report(plan *r, k_id check, int64_t first, int64_t second)
{
    const k_node *n = k_at(r->p, check);
    vec_char text = {0};
    if (put_message(r, n, (const int64_t[2]){first, second}, &text))
        diag_error(r->cx, kinds[n->checked].code, k_loc_at(r->p, n->loc), "%s",
                   text_cstr(&r->cx->mem, &text));
    vec_free(&r->cx->mem, &text);
    return false;
}

static int64_t number_at(const uint32_t *words)
{
    return (int64_t)((uint64_t)words[1] << 32 | words[0]);
}

bool plan_passed(plan *r)
{
    uint32_t words[K_REPORT_WORDS];
    if (!r->report)
        return true;
    if (!r->d->ops->read(r->d, r->report, 0, sizeof words, words))
        return false;
    uint32_t failed = words[K_REPORT_CHECK];
    return !failed || failed > r->checks.len ||
           report(r, r->checks.at[failed - 1], number_at(words + K_REPORT_FIRST),
                  number_at(words + K_REPORT_SECOND));
}

/* What a kernel has reported before comes first. */
bool plan_check(plan *r, k_id check)
{
    const k_node *n = k_at(r->p, check);
    return r->values[n->args[0]] ||
           (plan_passed(r) && report(r, check, plan_int(r, n->args[1]), plan_int(r, n->args[2])));
}

static bool is_wanted(const plan *r)
{
    for (uint32_t i = 0; i < r->p->kernels.len; i++)
        if (r->p->kernels.at[i].checks)
            return true;
    return false;
}

bool plan_begin_checks(plan *r)
{
    static const uint32_t none[K_REPORT_WORDS];
    if (!is_wanted(r))
        return true;
    if (r->report)
        return r->d->ops->write(r->d, r->report, sizeof none, none);
    r->report = r->d->ops->buffer(r->d, sizeof none, none);
    return r->report != NULL;
}

void plan_end_checks(plan *r)
{
    if (r->report)
        r->d->ops->release(r->d, r->report);
}
