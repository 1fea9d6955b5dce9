/* The map of local memory: arrays of a kernel that are never in use together get the same bytes.
 * This is static memory allocation by offset assignment: an interference graph, coloured greedily
 * by size, as stack and scratchpad allocators do.
 *
 * Arrays of constant size are placed by first fit, the largest first, each at the lowest offset
 * that no array lies at with which it clashes (liveness.h); what overlaps then, directly or
 * through others, is an area.  A size that only the launch knows becomes its constant bound, if
 * all of the kernel's memory stays small so; else such arrays share whole areas, which become as
 * large as the largest of their arrays. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/analysis/liveness.h"
#include "ir/kernel/analysis/local.h"
#include "ir/kernel/facts.h"

#include <stdlib.h>

typedef struct slot {
    k_local local;
    uint32_t number;     /* in the order of the kernel's list */
    bool constant;       /* of a constant size, or of a bounded one */
    int64_t count;       /* elements then */
    uint64_t begin, end; /* bytes, before areas are told apart */
} slot;

typedef struct mapping {
    k_program *p;
    k_kernel *k;
    k_lives lives;
    slot *places;
    uint32_t n, constants;
} mapping;

static uint32_t width(const mapping *m, const slot *x)
{
    return ir_scalar_bytes((scalar)k_at(m->p, x->local.alloc)->type);
}

static bool clash(const mapping *m, const slot *x, const slot *y)
{
    return k_lives_clash(&m->lives, x->number, y->number) ||
           (m->p->target.facts.local_by_width && width(m, x) != width(m, y));
}

/* ---- constant sizes ---- */

static int larger_first(const void *x, const void *y)
{
    const slot *a = x, *b = y;
    uint64_t u = a->constant ? a->end : 0, v = b->constant ? b->end : 0;
    return u != v ? (u < v) - (u > v) : (a->number > b->number) - (a->number < b->number);
}

static int by_begin(const void *x, const void *y)
{
    const slot *a = x, *b = y;
    if (a->constant != b->constant)
        return a->constant ? -1 : 1;
    if (a->constant && a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* The lowest offset for a place among the first n, which lie in the order of their offsets. */
static uint64_t first_fit(const mapping *m, uint32_t n, const slot *x)
{
    uint64_t at = 0, bytes = x->end;
    for (uint32_t i = 0; i < n; i++) {
        const slot *y = &m->places[i];
        if (!clash(m, x, y))
            continue;
        if (y->begin >= at + bytes)
            break;
        uint64_t behind = (y->end + AREA_ALIGNMENT - 1) / AREA_ALIGNMENT * AREA_ALIGNMENT;
        at = behind > at ? behind : at;
    }
    return at;
}

/* Returns how many there are; they come first, in the order of their offsets. */
static uint32_t place_constants(mapping *m)
{
    uint32_t n = 0;
    qsort(m->places, m->n, sizeof *m->places, larger_first);
    for (; n < m->n && m->places[n].constant; n++) {
        slot x = m->places[n];
        uint32_t i = n;
        x.begin = first_fit(m, n, &x);
        x.end += x.begin;
        for (; i > 0 && m->places[i - 1].begin > x.begin; i--)
            m->places[i] = m->places[i - 1];
        m->places[i] = x;
    }
    return n;
}

/* Cuts the constant places where no two have a byte in common. */
static uint32_t cut_areas(mapping *m, uint32_t n)
{
    uint32_t areas = 0;
    uint64_t end = 0, start = 0;
    for (uint32_t i = 0; i < n; i++) {
        slot *x = &m->places[i];
        if (x->begin >= end) {
            areas++;
            start = x->begin;
        }
        end = x->end > end ? x->end : end;
        x->local.area = areas - 1;
        x->local.offset = x->begin - start;
    }
    return areas;
}

/* ---- sizes that the launch knows ---- */

static bool fits(const mapping *m, uint32_t area, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (m->places[i].local.area == area && clash(m, &m->places[i], &m->places[to]))
            return false;
    return true;
}

static bool same_size(const mapping *m, const slot *x, const slot *y)
{
    const k_node *a = k_at(m->p, x->local.alloc), *b = k_at(m->p, y->local.alloc);
    return a->args[0] == b->args[0] && width(m, x) == width(m, y);
}

/* The area for place `to` among those of the places from `from` on: one of its own size rather than
 * another. */
static uint32_t choose_area(const mapping *m, uint32_t from, uint32_t to, uint32_t fresh)
{
    uint32_t best = fresh;
    for (uint32_t i = from; i < to; i++) {
        uint32_t area = m->places[i].local.area;
        bool same = same_size(m, &m->places[i], &m->places[to]);
        if ((same || best == fresh) && fits(m, area, from, to))
            best = area;
        if (same && best == area)
            break;
    }
    return best;
}

static uint32_t place_dynamic(mapping *m, uint32_t from, uint32_t areas)
{
    for (uint32_t i = from; i < m->n; i++) {
        m->places[i].local.area = choose_area(m, from, i, areas);
        areas += m->places[i].local.area == areas;
    }
    return areas;
}

/* ---- a kernel ---- */

static int by_area(const void *x, const void *y)
{
    const k_local *a = &((const slot *)x)->local, *b = &((const slot *)y)->local;
    if (a->area != b->area)
        return a->area < b->area ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->alloc > b->alloc) - (a->alloc < b->alloc);
}

/* round: take constant bounds for sizes. */
static void list_places(mapping *m, bool round)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const k_life *life = &m->lives.at[i];
        slot *x = &m->places[i];
        *x = (slot){.local = *k_local_at(m->p, m->k, i), .number = i};
        x->local.from = life->last < life->first ? m->lives.phases : life->from;
        x->local.to = life->last < life->first ? m->lives.phases : life->to;
        x->constant = round ? k_local_bound(m->p, x->local.alloc, &x->count)
                            : k_local_count(m->p, x->local.alloc, &x->count);
        x->end = x->constant ? (uint64_t)x->count *
                                   ir_scalar_bytes((scalar)k_at(m->p, x->local.alloc)->type)
                             : 0;
    }
}

/* Where nothing is shared, the order is that of the text. */
static void separate(mapping *m)
{
    for (uint32_t i = 0; i < m->n; i++) {
        m->places[i].local.area = m->places[i].number;
        m->places[i].local.offset = 0;
    }
}

/* Places what has a constant size; returns how many bytes that takes. */
static uint64_t place_all(mapping *m, bool round)
{
    uint64_t end = 0;
    list_places(m, round);
    m->constants = place_constants(m);
    for (uint32_t i = 0; i < m->constants; i++)
        end = m->places[i].end > end ? m->places[i].end : end;
    return end;
}

/* Writes rounded sizes into the program. */
static bool fix_sizes(const mapping *m)
{
    k_program *p = m->p;
    for (uint32_t i = 0; i < m->constants; i++) {
        k_id alloc = m->places[i].local.alloc;
        int64_t x = m->places[i].count, known;
        k_node size = {.op = K_CONST, .type = ST_I32, .bits = (uint64_t)x};
        if (k_local_count(p, alloc, &known))
            continue;
        k_id fixed = k_add_node(p, &size);
        if (!fixed)
            return false;
        k_state_range(p, fixed, x, x);
        k_blocks *host = k_block_at(p, p->host);
        k_at(p, fixed)->next = host->first;
        host->first = fixed;
        k_at(p, alloc)->args[0] = fixed;
    }
    return true;
}

static bool map_kernel(mapping *m)
{
    if (place_all(m, true) > k_local_budget(m->p, m->k->launch))
        place_all(m, false);
    if (!fix_sizes(m))
        return false;
    uint32_t constant = m->constants;
    qsort(m->places, m->n, sizeof *m->places, by_begin);
    m->k->nareas = place_dynamic(m, constant, cut_areas(m, constant));
    m->k->phases = m->lives.phases;
    if (m->k->nareas == m->n)
        separate(m);
    qsort(m->places, m->n, sizeof *m->places, by_area);
    for (uint32_t i = 0; i < m->n; i++)
        m->p->locals.at[m->k->locals + i] = m->places[i].local;
    return true;
}

bool k_localmap(k_program *p)
{
    mem *mm = &p->cx->mem;
    bool ok = true;
    for (uint32_t i = 0; ok && i < p->kernels.len; i++) {
        mapping m = {.p = p, .k = &p->kernels.at[i], .n = p->kernels.at[i].nlocals};
        if (!m.n)
            continue;
        m.places = mem_resize(mm, NULL, 0, m.n * sizeof *m.places);
        ok = k_live(p, m.k, &m.lives) && m.places;
        ok = ok && map_kernel(&m);
        k_lives_free(p, &m.lives);
        mem_free(mm, m.places, m.n * sizeof *m.places);
    }
    return ok;
}
