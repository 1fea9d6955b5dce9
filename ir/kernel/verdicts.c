/* The part of the report that tells what is checked: each access, store of a result and size with
 * its verdict, in the order of the sources.  What one place was lowered to several times is one
 * line, with the worst that was found. */
#include "ir/kernel/verdicts.h"

#include <stdlib.h>
#include <string.h>

/* A verdict with the place that it is about. */
typedef struct placed {
    location at;
    const k_verdict *v;
} placed;

static int compare_numbers(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

static int by_place(const void *x, const void *y)
{
    const placed *a = x, *b = y;
    int order = compare_numbers(a->at.file, b->at.file);
    order = order ? order : compare_numbers(a->at.line, b->at.line);
    order = order ? order : compare_numbers(a->at.col, b->at.col);
    order = order ? order : compare_numbers(a->v->what, b->v->what);
    return order ? order : compare_numbers(b->v->finding, a->v->finding); /* the worst first */
}

/* Whether the place is that of the one before. */
static bool is_again(const placed *list, uint32_t i)
{
    const placed *x = &list[i], *y = &list[i ? i - 1 : 0];
    return i && x->v->what == y->v->what && !compare_numbers(x->at.file, y->at.file) &&
           x->at.line == y->at.line && x->at.col == y->at.col;
}

static bool put_verdict(const k_program *p, const placed *x, vec_char *out)
{
    static const char *const findings[] = {[FOUND_PROVED] = "proved",
                                           [FOUND_ASKED] = "asked by the host",
                                           [FOUND_CHECKED] = "checked",
                                           [FOUND_UNCHECKED] = "unchecked"};
    mem *m = &p->cx->mem;
    bool ok = text_addf(m, out, "  ");
    if (ok && x->at.line)
        ok = text_addf(m, out, "%s:%u:%u: ", intern_str(&p->cx->strings, x->at.file), x->at.line,
                       x->at.col);
    return ok && text_addf(m, out, "%s %s: %s\n", k_attribute_name(HAS_CHECKED, x->v->what),
                           findings[x->v->finding], x->v->reason);
}

static bool put_counts(const k_program *p, const placed *list, uint32_t n, vec_char *out)
{
    uint32_t counts[4] = {0};
    for (uint32_t i = 0; i < n; i++)
        if (!is_again(list, i))
            counts[list[i].v->finding]++;
    return text_addf(&p->cx->mem, out,
                     "%u accesses and sizes: %u proved, %u asked by the host, %u checked, %u "
                     "unchecked\n",
                     counts[0] + counts[1] + counts[2] + counts[3], counts[FOUND_PROVED],
                     counts[FOUND_ASKED], counts[FOUND_CHECKED], counts[FOUND_UNCHECKED]);
}

bool k_report_verdicts(const k_program *p, vec_char *out)
{
    mem *m = &p->cx->mem;
    uint32_t n = p->verdicts.len;
    size_t size = n * sizeof(placed);
    placed *list = n ? mem_resize(m, NULL, 0, size) : NULL;
    bool ok = list || !n;
    for (uint32_t i = 0; list && i < n; i++)
        list[i] = (placed){k_loc_at(p, p->verdicts.at[i].loc), &p->verdicts.at[i]};
    if (list) {
        qsort(list, n, sizeof *list, by_place);
        ok = put_counts(p, list, n, out);
    }
    for (uint32_t i = 0; ok && i < n; i++)
        ok = is_again(list, i) || put_verdict(p, &list[i], out);
    mem_free(m, list, size);
    return ok;
}
