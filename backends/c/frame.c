/* A kernel around its statements: parameters, and what it declares of local and private memory.
 *
 * Local memory lies in areas: an array, or what several share (ir/kernel/analysis/local.h). */
#include "backends/c/emit.h"

#include <string.h>

typedef struct c_area {
    const k_local *locals;
    uint32_t n, number;
    bool constant; /* declared in the body; else the launch knows its size */
    bool wide;     /* some access is */
    bool mixed;    /* declared in units of its own, for types or alignments that differ */
} c_area;

/* What the first array of an area tells, and what only all of them together do. */
static c_area area_of(const c_emitter *e, const k_kernel *k, uint32_t number)
{
    uint32_t first;
    c_area a = {.n = k_area_locals(e->p, k, number, &first), .number = number};
    int64_t size;
    a.locals = k_local_at(e->p, k, first);
    a.constant = k_local_count(e->p, a.locals->alloc, &size);
    for (uint32_t i = 0; i < a.n; i++) {
        a.wide = a.wide || c_note_of(e, a.locals[i].alloc)->wide;
        a.mixed =
            a.mixed || k_at(e->p, a.locals[i].alloc)->type != k_at(e->p, a.locals->alloc)->type;
    }
    a.mixed = a.mixed || (a.wide && !a.constant);
    return a;
}

/* An area that is one array is called as the array is. */
static bool is_plain(const c_area *a)
{
    return a->n == 1 && !a->mixed;
}

static void put_area_name(c_emitter *e, const c_area *a)
{
    if (is_plain(a))
        c_name(e, a->locals->alloc);
    else
        c_put(e, "area%u", a->locals->alloc);
}

static const char *memory_type(const c_emitter *e, k_id v)
{
    return c_memory_type(e->language, c_held_by(e, v));
}

static const char *area_type(const c_emitter *e, const c_area *a)
{
    return a->mixed ? e->language->words.unit : memory_type(e, a->locals->alloc);
}

/* Of an area of constant size: elements of the type that it is declared of. */
static uint64_t area_elements(const c_emitter *e, const k_kernel *k, const c_area *a)
{
    uint64_t bytes = k_area_bytes(e->p, k, a->number, (k_sizes){0});
    uint32_t unit = a->mixed ? e->language->words.unit_bytes
                             : ir_scalar_bytes((scalar)k_at(e->p, a->locals->alloc)->type);
    return (bytes + unit - 1) / unit;
}

/* ---- parameters ---- */

/* The i-th of the areas whose size only the launch knows. */
static bool launch_area(const c_emitter *e, const k_kernel *k, uint32_t i, c_argument *out)
{
    for (uint32_t area = 0; area < k->nareas; area++) {
        c_area a = area_of(e, k, area);
        if (!a.constant && i-- == 0) {
            *out = (c_argument){.kind = C_AREA, .area = area};
            return true;
        }
    }
    *out = (c_argument){.kind = C_CHECKS};
    return k->checks && i == 0;
}

bool c_argument_at(const c_emitter *e, const k_kernel *k, uint32_t i, c_argument *out)
{
    if (i < k->nscalars) {
        *out = (c_argument){.kind = C_SCALAR, .v = e->p->pool.at[k->scalars + i]};
        return true;
    }
    i -= k->nscalars;
    if (i < k->nglobals) {
        *out = (c_argument){.kind = C_MEMORY, .v = e->p->pool.at[k->globals + i]};
        return true;
    }
    return launch_area(e, k, i - k->nglobals, out);
}

/* The promise of restrict: nothing else changes what the pointer leads to.  Two arguments may be one
 * array only where both are just read, since what is overwritten must be no other argument
 * (run/memory.c).  But the pointer of another thread is another one: what threads hand to one another
 * compilers would load in front of the barrier.  With const, they may read through caches that see no
 * stores, when they like (ahead.c). */
static bool is_restricted(const c_emitter *e, const c_note *memory)
{
    return !e->ahead && !(e->hands_on && memory->stored && memory->loaded);
}

static void put_memory(c_emitter *e, k_id v)
{
    const fcl_c_language *w = &e->language->words;
    const c_note *note = c_note_of(e, v);
    bool restricted = is_restricted(e, note);
    c_put(e, "%s%s%s *%s%s", w->global, note->stored ? "" : "const ", memory_type(e, v),
          restricted ? w->restricted : "", restricted ? " " : "");
    c_name(e, v);
}

static void put_area_parameter(c_emitter *e, const k_kernel *k, uint32_t number)
{
    const fcl_c_language *w = &e->language->words;
    c_area a = area_of(e, k, number);
    if (w->areas == FCL_C_POINTERS) {
        c_put(e, "%s%s *", w->local, area_type(e, &a));
        put_area_name(e, &a);
    } else {
        c_put(e, "const %s bytes%u", c_type(e->language, ST_U64), number);
    }
}

/* Scalars are passed by value, in the type that memory has: a bool is no argument of OpenCL. */
void c_put_parameters(c_emitter *e, const k_kernel *k)
{
    c_argument a;
    for (uint32_t i = 0; c_argument_at(e, k, i, &a); i++) {
        c_put(e, i ? ",\n    " : "");
        switch (a.kind) {
        case C_SCALAR:
            c_put(e, "const %s ", memory_type(e, a.v));
            c_name(e, a.v);
            break;
        case C_MEMORY: put_memory(e, a.v); break;
        case C_AREA: put_area_parameter(e, k, a.area); break;
        case C_CHECKS: c_put(e, "%s", e->language->words.checks); break;
        }
    }
}

/* ---- local memory ---- */

/* The arrays of an area as pointers into it. */
static void put_area_arrays(c_emitter *e, const c_area *a)
{
    const fcl_c_language *w = &e->language->words;
    for (uint32_t i = 0; i < a->n && !is_plain(a); i++) {
        const k_local *l = &a->locals[i];
        const char *type = memory_type(e, l->alloc);
        uint64_t unit = a->mixed ? w->unit_bytes : ir_scalar_bytes(c_held_by(e, l->alloc));
        uint64_t offset = l->offset / unit;
        c_put(e, "    %s%s *const ", w->local, type);
        c_name(e, l->alloc);
        c_put(e, " = ");
        if (a->mixed)
            c_put(e, offset ? "(%s%s *)(" : "(%s%s *)", w->local, type);
        put_area_name(e, a);
        if (offset)
            c_put(e, a->mixed ? " + %llu)" : " + %llu", (unsigned long long)offset);
        c_put(e, ";\n");
    }
}

/* Arrays of constant size are declared at the head of the body, the only place that OpenCL allows.
 * What only the launch knows the size of has one unit more than it needs, as no array is empty. */
static void put_array(c_emitter *e, const k_kernel *k, const c_area *a)
{
    const fcl_c_language *w = &e->language->words;
    c_put(e, "    %s%s ", w->shared, area_type(e, a));
    put_area_name(e, a);
    if (a->constant)
        c_put(e, "[%llu]%s;\n", (unsigned long long)area_elements(e, k, a),
              a->wide && !a->mixed ? w->aligned : "");
    else
        c_put(e, "[bytes%u / sizeof(%s) + 1];\n", a->number, area_type(e, a));
}

/* A part of the pool, behind those before it. */
static void put_part(c_emitter *e, const k_kernel *k, const c_area *a, bool first)
{
    const fcl_c_language *w = &e->language->words;
    if (first)
        c_put(e, "    %s;\n", w->pool);
    c_put(e, "    %s%s *const ", w->local, area_type(e, a));
    put_area_name(e, a);
    c_put(e, " = (%s%s *)((%schar *)pool", w->local, area_type(e, a), w->local);
    for (uint32_t i = 0; i < a->number; i++)
        if (!area_of(e, k, i).constant)
            c_put(e, " + (bytes%u + 15) / 16 * 16", i);
    c_put(e, ");\n");
}

void c_put_locals(c_emitter *e, const k_kernel *k)
{
    fcl_c_areas way = e->language->words.areas;
    bool pooled = false;
    for (uint32_t i = 0; i < k->nareas; i++) {
        c_area a = area_of(e, k, i);
        if (!a.constant && way == FCL_C_POOL) {
            put_part(e, k, &a, !pooled);
            pooled = true;
        } else if (a.constant || way == FCL_C_BYTES) {
            put_array(e, k, &a);
        }
        put_area_arrays(e, &a);
    }
}

/* Sizes are constants after virtualise, which the verifier asks for. */
void c_put_privates(c_emitter *e, const k_kernel *k)
{
    for (uint32_t i = 0; i < k->nprivates; i++) {
        k_id v = e->p->pool.at[k->privates + i];
        int64_t size;
        if (!k_local_count(e->p, v, &size))
            continue;
        c_indent(e);
        c_put(e, "%s ", memory_type(e, v));
        c_name(e, v);
        c_put(e, "[%lld]%s;\n", (long long)size,
              c_note_of(e, v)->wide ? e->language->words.aligned : "");
    }
}

/* ---- kernels ---- */

int64_t c_threads(const c_emitter *e, const k_kernel *k)
{
    int64_t threads = 1;
    k_is_const(e->p, k_at(e->p, k->launch)->args[1], &threads);
    return threads;
}

void c_put_body(c_emitter *e, const k_kernel *k)
{
    const k_node *launch = k_at(e->p, k->launch);
    c_block(e, launch->blocks[0], (c_place){.owner = launch, .owner_id = k->launch});
}

static void put_head(c_emitter *e, const k_kernel *k)
{
    for (const char *s = e->language->words.kernel; *s; s++) {
        bool part = s[0] == '$' && (s[1] == 'n' || s[1] == 't');
        if (!part)
            c_put(e, "%c", *s);
        else if (*++s == 'n')
            c_put(e, "%s", intern_str(&e->p->cx->strings, k->name));
        else
            c_put(e, "%lld", (long long)c_threads(e, k));
    }
}

void c_put_kernel(c_emitter *e, const k_kernel *k)
{
    put_head(e, k);
    c_put_parameters(e, k);
    c_put(e, ")\n{\n");
    c_put_locals(e, k);
    e->indent = 1;
    c_put_privates(e, k);
    c_put_body(e, k);
    c_put(e, "}\n");
}
