/* Reading the map of a kernel's local memory: see analysis/local.h.
 *
 * The map itself is made by outline and localmap (ir/kernel/pass); emitters, the plan runner,
 * report and errors read it here, each with its own way to know sizes. */
#include "ir/kernel/analysis/local.h"

#include "ir/kernel/facts.h"

bool k_local_count(const k_program *p, k_id alloc, int64_t *count)
{
    bool known = k_is_const(p, k_at(p, alloc)->args[0], count);
    *count = known && *count > 1 ? *count : 1;
    return known;
}

/* An extent has MAX_EXTENT as its bound, which tells nothing. */
bool k_local_bound(const k_program *p, k_id alloc, int64_t *count)
{
    k_id size = k_at(p, alloc)->args[0];
    if (k_local_count(p, alloc, count))
        return true;
    *count = k_hi(p, size) > 1 ? k_hi(p, size) : 1;
    return k_at(p, size)->type == ST_I32 && k_hi(p, size) < MAX_EXTENT;
}

/* OpenCL promises 32 KiB. */
uint64_t k_local_most(const k_program *p)
{
    return p->target.facts.local_bytes ? p->target.facts.local_bytes : 32 * 1024;
}

/* GPUs have at least 64 bytes for each thread that a multiprocessor holds. */
uint64_t k_local_budget(const k_program *p, k_id launch)
{
    uint64_t limit = k_local_most(p), most = 64;
    int64_t threads;
    most *=
        k_is_const(p, k_at(p, launch)->args[1], &threads) && threads > 1 ? (uint64_t)threads : 1;
    return most < limit ? most : limit;
}

/* 0 only for a size that the launch knows and nobody says. */
uint64_t k_local_elements(const k_program *p, k_id alloc, k_sizes sizes)
{
    int64_t count;
    if (k_local_count(p, alloc, &count))
        return (uint64_t)count;
    if (!sizes.of)
        return 0;
    count = sizes.of(sizes.user, k_at(p, alloc)->args[0]);
    return count < 1 ? 1 : (uint64_t)count;
}

uint64_t k_local_bytes(const k_program *p, k_id alloc, k_sizes sizes)
{
    return k_local_elements(p, alloc, sizes) * ir_scalar_bytes((scalar)k_at(p, alloc)->type);
}

/* The second operand of such an array is the number without padding. */
uint64_t k_local_padding(const k_program *p, k_id alloc)
{
    int64_t all, used;
    const k_node *a = k_at(p, alloc);
    return a->args[1] && k_is_const(p, a->args[0], &all) && k_is_const(p, a->args[1], &used)
               ? (uint64_t)(all - used)
               : 0;
}

/* ---- areas ---- */

/* Locals are sorted area after area, so those of one stand in a row. */
uint32_t k_area_locals(const k_program *p, const k_kernel *k, uint32_t area, uint32_t *first)
{
    uint32_t i = 0, n = 0;
    while (i < k->nlocals && k_local_at(p, k, i)->area != area)
        i++;
    while (i + n < k->nlocals && k_local_at(p, k, i + n)->area == area)
        n++;
    *first = i;
    return n;
}

/* Arrays of known and of unknown size never share one. */
bool k_area_is_argument(const k_program *p, const k_kernel *k, uint32_t area)
{
    uint32_t first;
    int64_t size;
    k_area_locals(p, k, area, &first);
    return !k_local_count(p, k_local_at(p, k, first)->alloc, &size);
}

/* Up to the last byte of any array; shared areas are declared in units that suit every type, and
 * one that is an argument begins where the one before ends. */
uint64_t k_area_bytes(const k_program *p, const k_kernel *k, uint32_t area, k_sizes sizes)
{
    uint32_t first, n = k_area_locals(p, k, area, &first);
    int64_t count;
    bool alone = n == 1 && k_local_count(p, k_local_at(p, k, first)->alloc, &count);
    uint64_t most = 0, unit = alone ? 1 : AREA_ALIGNMENT;
    for (uint32_t i = first; i < first + n; i++) {
        const k_local *l = k_local_at(p, k, i);
        uint64_t end = l->offset + k_local_bytes(p, l->alloc, sizes);
        most = end > most ? end : most;
    }
    return (most + unit - 1) / unit * unit;
}

/* What is compared with the device's limit. */
uint64_t k_map_bytes(const k_program *p, const k_kernel *k, k_sizes sizes)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k->nareas; i++)
        sum += k_area_bytes(p, k, i, sizes);
    return sum;
}

/* ---- phases ---- */

bool k_local_in_phase(const k_local *l, uint32_t phase)
{
    return !l->to || (l->from <= phase && phase <= l->to);
}

/* Gaps between arrays are left out: this is for messages. */
static uint64_t bytes_in(const k_program *p, const k_kernel *k, uint32_t phase, k_sizes sizes)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k->nlocals; i++)
        if (k_local_in_phase(k_local_at(p, k, i), phase))
            sum += k_local_bytes(p, k_local_at(p, k, i)->alloc, sizes);
    return sum;
}

/* It is one in which some array begins to be used; the first of several. */
uint32_t k_map_fullest(const k_program *p, const k_kernel *k, k_sizes sizes)
{
    uint32_t fullest = 1;
    uint64_t most = 0;
    for (uint32_t i = 0; i < k->nlocals; i++) {
        uint32_t phase = k_local_at(p, k, i)->from;
        uint64_t bytes = bytes_in(p, k, phase, sizes);
        if (bytes > most || (bytes == most && phase < fullest)) {
            most = bytes;
            fullest = phase;
        }
    }
    return fullest;
}

/* Names are those of the emitted code, by the number of the node. */
void k_map_note(const k_program *p, const k_kernel *k, k_sizes sizes)
{
    uint32_t phase = k_map_fullest(p, k, sizes);
    for (uint32_t i = 0; i < k->nlocals; i++) {
        const k_local *l = k_local_at(p, k, i);
        const k_node *a = k_at(p, l->alloc);
        uint64_t bytes = k_local_bytes(p, l->alloc, sizes);
        if (bytes && k_local_in_phase(l, phase))
            diag_note_add(p->cx, k_loc_at(p, a->loc),
                          "tile%u: %llu elements of type %s, %llu bytes", l->alloc,
                          (unsigned long long)k_local_elements(p, l->alloc, sizes),
                          ir_scalar_name((scalar)a->type), (unsigned long long)bytes);
    }
}
