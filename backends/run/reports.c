/* Reports of failed checks: see reports.h.  They lie in pages; those of a page are parts of one
 * memory, where the device has such, and then one read brings them all. */
#include "backends/run/reports.h"

#include <string.h>

enum { PER_PAGE = 64, BYTES = REPORT_WORDS * sizeof(uint32_t) };

struct run_report_page {
    void *whole;         /* NULL: each report has a memory of its own */
    unsigned char *copy; /* of whole, on the host */
    uint32_t stride;     /* from one report to the next, bytes */
    run_report reports[PER_PAGE];
};

/* ---- making ---- */

static uint32_t page_bytes(const run_report_page *p)
{
    return PER_PAGE * p->stride;
}

/* Without the memory for parts of one, each has its own. */
static bool make_whole(run_device *d, run_report_page *p)
{
    p->stride = d->caps.part_align > BYTES ? d->caps.part_align : BYTES;
    if (!d->ops->part)
        return true;
    p->copy = mem_resize(&d->cx->mem, NULL, 0, page_bytes(p));
    if (!p->copy)
        return false;
    memset(p->copy, 0, page_bytes(p));
    p->whole = d->ops->buffer(d, page_bytes(p), p->copy);
    return p->whole != NULL;
}

static void drop_page(run_device *d, run_report_page *p)
{
    for (uint32_t i = 0; i < PER_PAGE; i++)
        if (p->reports[i].memory)
            d->ops->release(d, p->reports[i].memory);
    if (p->whole)
        d->ops->release(d, p->whole);
    if (p->copy)
        mem_free(&d->cx->mem, p->copy, page_bytes(p));
    mem_free(&d->cx->mem, p, sizeof *p);
}

static run_report_page *add_page(run_device *d)
{
    mem *m = &d->cx->mem;
    run_report_page *p = vec_reserve(m, &d->reports, 1) ? mem_resize(m, NULL, 0, sizeof *p) : NULL;
    if (!p)
        return NULL;
    *p = (run_report_page){.whole = NULL};
    if (!make_whole(d, p)) {
        drop_page(d, p);
        return NULL;
    }
    d->reports.at[d->reports.len++] = p;
    return p;
}

void run_reports_end(run_device *d)
{
    for (uint32_t i = 0; i < d->reports.len; i++)
        drop_page(d, d->reports.at[i]);
    vec_free(&d->cx->mem, &d->reports);
}

/* ---- taking ---- */

static bool make_memory(run_device *d, const run_report_page *p, run_report *x)
{
    static const unsigned char none[BYTES];
    uint64_t at = (uint64_t)(x - p->reports) * p->stride;
    x->memory = p->whole ? d->ops->part(d, p->whole, at, BYTES) : d->ops->buffer(d, BYTES, none);
    return x->memory != NULL;
}

static bool make_clean(run_device *d, const run_report_page *p, run_report *x)
{
    if (!x->memory)
        return make_memory(d, p, x);
    return !x->may_hold || d->ops->clear(d, x->memory, BYTES);
}

static run_report *free_of(run_report_page *p)
{
    for (uint32_t i = 0; i < PER_PAGE; i++)
        if (!p->reports[i].is_taken)
            return &p->reports[i];
    return NULL;
}

run_report *run_report_take(run_device *d)
{
    run_report_page *p = NULL;
    run_report *x = NULL;
    for (uint32_t i = 0; !x && i < d->reports.len; i++)
        x = free_of(p = d->reports.at[i]);
    if (!x && (p = add_page(d)) != NULL)
        x = free_of(p);
    if (!x || !make_clean(d, p, x))
        return NULL;
    x->is_taken = x->may_hold = true;
    return x;
}

void run_report_leave(run_report *x, bool is_clean)
{
    x->is_taken = false;
    x->may_hold = !is_clean;
    x->flight = NULL;
}

/* ---- reading ---- */

static void give_words(run_report *x, const unsigned char *words)
{
    memcpy(x->flight->words, words, BYTES);
    x->flight->report = x->flight->words;
    x->flight = NULL;
}

/* From the first that somebody wants to the last. */
static bool read_whole(run_device *d, run_report_page *p)
{
    uint32_t first = PER_PAGE, end = 0;
    for (uint32_t i = 0; i < PER_PAGE; i++) {
        if (!p->reports[i].flight)
            continue;
        first = first < i ? first : i;
        end = i + 1;
    }
    uint64_t at = (uint64_t)first * p->stride, bytes = (uint64_t)(end - first) * p->stride;
    if (first >= end)
        return true;
    if (!d->ops->read(d, p->whole, at, bytes, p->copy + at))
        return false;
    for (uint32_t i = first; i < end; i++)
        if (p->reports[i].flight)
            give_words(&p->reports[i], p->copy + (size_t)i * p->stride);
    return true;
}

static bool ask_each(run_device *d, run_report_page *p)
{
    for (uint32_t i = 0; i < PER_PAGE; i++) {
        run_report *x = &p->reports[i];
        if (!x->flight)
            continue;
        if (!d->ops->read_later(d, x->memory, BYTES, x->flight->words))
            return false;
        x->flight->report = x->flight->words;
        x->flight = NULL;
    }
    return true;
}

bool run_reports_come(run_device *d)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < d->reports.len; i++) {
        run_report_page *p = d->reports.at[i];
        ok = p->whole ? read_whole(d, p) : ask_each(d, p);
    }
    return d->ops->finish(d) && ok;
}
