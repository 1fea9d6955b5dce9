/* Facts, tuning, request and quirks from what the user says and the device is: see target.h. */
#include "libfcl/target.h"

#include "backends/quirks.h"
#include "ir/base/domain.h"
#include "ir/block.h"
#include "ir/kernel/analysis/local.h"
#include "ir/tunable.h"
#include "libfcl/passes/passes.h"

#include <string.h>

/* ---- back ends ---- */

static const char default_target[] = "opencl-c";

size_t fcl_target_count(void)
{
    return backend_count(NULL);
}

const char *fcl_target_name(size_t i)
{
    return i < backend_count(NULL) ? backend_at(NULL, (uint32_t)i)->name : NULL;
}

bool fcl_target_about(const fcl_context *cx, size_t i, fcl_target_info *out, size_t size)
{
    const fcl_backend *b = i < backend_count(cx) ? backend_at(cx, (uint32_t)i) : NULL;
    if (!b)
        return false;
    fcl_target_info x = {.name = b->name, .summary = b->summary};
    return ABI_GIVE(out, size, x);
}

const fcl_backend *target_backend(fcl_context *cx, const fcl_compile_options *o)
{
    const char *name = o->target ? o->target : default_target;
    const fcl_backend *b = backend_named(cx, name);
    if (b)
        return b;
    diag_error(cx, DIAG_NO_TARGET, (location){0}, "there is no target %s", name);
    vec_char list = {0};
    for (uint32_t i = 0; i < backend_count(cx); i++)
        text_addf(&cx->mem, &list, "%s%s", i ? ", " : "", backend_at(cx, i)->name);
    diag_hint(cx, "the targets are %s", text_cstr(&cx->mem, &list));
    vec_free(&cx->mem, &list);
    return NULL;
}

bool target_is_own(const fcl_backend *b)
{
    for (uint32_t i = 0; i < backend_count(NULL); i++)
        if (backend_at(NULL, i) == b)
            return true;
    return false;
}

/* ---- dialects ---- */

static bool find_dialect(fcl_context *cx, const fcl_backend *b, const char *name, uint32_t *number)
{
    for (*number = 0; *number < b->ndialects; ++*number)
        if (strcmp(b->dialects[*number].name, name) == 0)
            return true;
    diag_error(cx, DIAG_OPTION, (location){0}, "lanes do not exchange values by %s", name);
    vec_char list = {0};
    for (uint32_t i = 0; i < b->ndialects; i++)
        text_addf(&cx->mem, &list, "%s%s",
                  !i                     ? ""
                  : i + 1 < b->ndialects ? ", "
                                         : " and ",
                  b->dialects[i].name);
    diag_hint(cx, "the ways are %s", text_cstr(&cx->mem, &list));
    vec_free(&cx->mem, &list);
    return false;
}

/* The dialects of a back end that a device takes, and the best of them; of what is no device, all.
 */
static run_ways ways_of(const run_caps *device, const fcl_backend *b)
{
    const run_ways *own = device ? run_ways_of(device, b->name) : NULL;
    return own ? *own : (run_ways){.can = ~0u};
}

/* The driver's words about code that it does not understand would help nobody. */
static bool takes_dialect(fcl_context *cx, const fcl_backend *b, run_ways ways, uint32_t number)
{
    if (ways.can & 1u << number)
        return true;
    diag_error(cx, DIAG_OPTION, (location){0}, "lanes cannot exchange values by %s on this device",
               b->dialects[number].name);
    diag_hint(cx, "leave the choice to the device, which has %s", b->dialects[ways.best].name);
    return false;
}

/* The size of warps in a dialect, as far as the device has it; 0: it has not. */
static uint32_t lanes_of(const fcl_dialect *d, const run_caps *device, uint32_t warp)
{
    if (d->lanes != FCL_LANES_OF_WARP)
        return d->lanes;
    bool known = (warp & (warp - 1)) == 0 && (!device || device->lane_sizes & warp);
    return known ? warp : 0;
}

/* Whether blocks are of whole warps, and of no more than the device takes. */
static bool is_of_warps(const run_caps *device, const k_target *t)
{
    uint32_t warp = t->facts.warp_size, most = device ? device->most_warps : 0;
    return t->tuning.block_size % warp == 0 && (!most || t->tuning.block_size / warp <= most);
}

bool target_is_of(const fcl_backend *b, const k_program *p)
{
    uint32_t number = p->target.request.dialect;
    if (number < b->ndialects)
        return true;
    diag_error(p->cx, DIAG_OPTION, (location){0},
               "the program is for dialect %u of its back end; %s has only %u (from 0)", number,
               b->name, (uint32_t)b->ndialects);
    diag_hint(p->cx, "emit it for the target that it was lowered for, or lower it again");
    return false;
}

/* Lanes exchange in whole warps: where these have another size, they do so through memory. */
static bool set_dialect(fcl_context *cx, const fcl_backend *b, const char *name,
                        const run_caps *device, k_target *t)
{
    run_ways ways = ways_of(device, b);
    uint32_t number = ways.best, warp = t->facts.warp_size;
    if ((name && !find_dialect(cx, b, name, &number)) || !takes_dialect(cx, b, ways, number))
        return false;
    uint32_t lanes = lanes_of(&b->dialects[number], device, warp);
    if (b->dialects[number].lanes && (lanes != warp || !is_of_warps(device, t)))
        number = 0;
    t->request.dialect = number;
    t->facts.lanes = b->dialects[number].lanes ? lanes : 0;
    t->facts.warps_wait = b->dialects[number].warps_wait;
    return true;
}

/* Whoever says how large blocks are says it for all functions.  Lanes exchange in whole warps. */
static void let_own_blocks(const fcl_compile_options *o, const run_caps *device, k_target *t)
{
    uint32_t most = t->facts.max_block, lanes = t->facts.lanes;
    most = most && most < MAX_BLOCK ? most : MAX_BLOCK;
    if (lanes && device && device->most_warps && device->most_warps < most / lanes)
        most = device->most_warps * lanes;
    t->tuning.most_own = o->block_size ? 0 : most;
}

/* ---- quirks ---- */

static bool set_quirks(fcl_context *cx, const char *names, const run_caps *device, k_target *t)
{
    if (!names || strcmp(names, "auto") == 0) {
        t->quirks = device ? device->quirks : 0;
        return true;
    }
    if (quirks_named(names, &t->quirks))
        return true;
    diag_error(cx, DIAG_OPTION, (location){0}, "there are no quirks called %s", names);
    vec_char list = {0};
    for (uint32_t i = 0; quirks_name(i); i++)
        text_addf(&cx->mem, &list, ", %s", quirks_name(i));
    diag_hint(cx, "there are auto, none%s", text_cstr(&cx->mem, &list));
    vec_free(&cx->mem, &list);
    return false;
}

/* ---- the rest ---- */

static uint32_t at_most_32_bits(size_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static k_device_facts facts_of(const fcl_backend *b, const fcl_compile_options *o,
                               const run_caps *device)
{
    k_device_facts f = device ? device->facts : backend_facts(b);
    if (o->warp_size)
        f.warp_size = o->warp_size;
    if (o->local_limit)
        f.local_bytes = at_most_32_bits(o->local_limit);
    if (o->atomic_bits)
        f.atomics64 = o->atomic_bits != 32;
    f.f16 = backend_has_half(b) && (f.f16 || o->native_half);
    f.groups_wait = f.groups_wait && !o->in_phases;
    f.launches_cost = f.launches_cost || o->join_launches;
    return f;
}

/* ---- tuning ---- */

bool fcl_tuning_about(size_t i, fcl_tuning_info *out, size_t size)
{
    const k_tunable *row = i <= UINT32_MAX ? k_tunable_at((uint32_t)i) : NULL;
    if (!row)
        return false;
    fcl_tuning_info x = {.name = row->name,
                         .pass = row->pass,
                         .summary = row->meaning,
                         .usual = row->usual,
                         .least = row->least,
                         .most = row->most};
    return ABI_GIVE(out, size, x);
}

/* The row that NAME=N, up to a comma or the end, names; NULL: none. */
static const k_tunable *row_of(const char *text)
{
    size_t len = strcspn(text, ",=");
    const k_tunable *row;
    uint32_t i = 0;
    while ((row = k_tunable_at(i)) != NULL &&
           (strlen(row->name) != len || strncmp(row->name, text, len) != 0))
        i++;
    return row;
}

/* The N of NAME=N. */
static bool number_of(const char *text, uint32_t *n)
{
    const char *s = text + strcspn(text, ",=");
    if (*s++ != '=' || !domain_number(&s, n))
        return false;
    return !*s || *s == ',';
}

/* Puts one NAME=N into *t; false when it is none. */
static bool tune(k_tuning *t, const char *text)
{
    const k_tunable *row = row_of(text);
    uint32_t n;
    if (!row || !number_of(text, &n) || n < row->least || n > row->most)
        return false;
    *k_tuned(t, row) = n;
    return true;
}

/* The next NAME=N of a list; NULL behind the last. */
static const char *next_tuned(const char *s)
{
    s = strchr(s, ',');
    return s ? s + 1 : NULL;
}

/* Puts all of a list into *t; the first that is none of its own, or NULL. */
static const char *tune_all(k_tuning *t, const char *list)
{
    const char *other = NULL;
    for (const char *s = list && *list ? list : NULL; s; s = next_tuned(s))
        if (!tune(t, s) && !other)
            other = s;
    return other;
}

bool target_tuning_is_good(const char *list)
{
    k_tuning scratch;
    return !tune_all(&scratch, list);
}

/* What is wrong with a NAME=N of which the library has no row. */
static bool refuse_tuned(const fcl_module *m, const char *s)
{
    fcl_context *cx = m->ir.cx;
    vec_char list = {0};
    uint32_t n = 0;
    diag_error(cx, DIAG_OPTION, (location){0}, "%.*s is no tuning of this program",
               (int)(strcspn(s, ",") < 64 ? strcspn(s, ",") : 64), s);
    for (ir_func f = 1; f < m->ir.funcs.len && n < 16; f++)
        if (ir_tunable_domain(&m->ir, f))
            text_addf(&cx->mem, &list, "%s%s", n++ ? ", " : ", or ",
                      ir_str(&m->ir, m->ir.funcs.at[f].name));
    diag_hint(cx, "NAME=N with a name and a number that fclc --help lists%s",
              n ? text_cstr(&cx->mem, &list) : "");
    vec_free(&cx->mem, &list);
    return false;
}

/* Whether NAME=N is in order: a row of tuning.def with a number that it may be, or a tunable of the program. */
static bool is_tuned(const fcl_module *m, const char *s)
{
    uint32_t n = 0;
    k_tuning scratch;
    if (tune(&scratch, s))
        return true;
    ir_func f = row_of(s) ? 0 : ir_tunable_named(&m->ir, s, strcspn(s, ",="));
    if (!f)
        return refuse_tuned(m, s);
    const char *domain = ir_tunable_domain(&m->ir, f);
    if (number_of(s, &n) && domain_has(domain, n))
        return true;
    const char *value = s + strcspn(s, ",=");
    value += *value == '=';
    diag_error(m->ir.cx, DIAG_OPTION, ir_loc_at(&m->ir, m->ir.funcs.at[f].loc),
               "the tunable %s cannot be %.*s", ir_str(&m->ir, m->ir.funcs.at[f].name),
               (int)(strcspn(value, ",") < 64 ? strcspn(value, ",") : 64), value);
    diag_hint(m->ir.cx, "it may be %s", domain);
    return false;
}

bool target_tuned(const fcl_module *m, const char *list)
{
    bool ok = true;
    for (const char *s = list && *list ? list : NULL; s && ok; s = next_tuned(s))
        ok = is_tuned(m, s);
    return ok;
}

bool target_tunes_own(const fcl_module *m, const char *list)
{
    bool own = true;
    for (const char *s = list && *list ? list : NULL; s && own; s = next_tuned(s))
        own = row_of(s) || ir_tunable_named(&m->ir, s, strcspn(s, ",="));
    return own;
}

/* What the user says: NULL, or the text of what is not known. */
static const char *tune_as_asked(const fcl_compile_options *o, k_tuning *t)
{
    const char *unknown = tune_all(t, o->tuning);
    if (o->block_size)
        t->block_size = o->block_size;
    if (o->vector_bytes)
        t->vector_bytes = o->vector_bytes;
    if (o->unroll)
        t->unroll = o->unroll;
    return unknown;
}

static bool set_tuning(const fcl_module *m, const fcl_backend *b, const fcl_compile_options *o,
                       k_target *t)
{
    uint32_t most = t->facts.max_block;
    t->tuning = k_usual_tuning();
    if (most && most < t->tuning.block_size)
        t->tuning.block_size = most;
    tune_all(&t->tuning, b->tuning);
    return !tune_as_asked(o, &t->tuning) || target_tuned(m, o->tuning);
}

/* FCL source is the front end's source and the file that was loaded: its own lines are left out
 * like those of a text. */
static k_lines lines_of(const fcl_module *m, const fcl_compile_options *o)
{
    switch (o->debug_lines) {
    case FCL_LINES_AUTO: return m->signatures ? LINES_NEVER : LINES_OF_FRONT_ENDS;
    case FCL_LINES_ALWAYS: return LINES_ALWAYS;
    case FCL_LINES_NEVER: break;
    }
    return LINES_NEVER;
}

static k_request request_of(const fcl_module *m, const fcl_compile_options *o)
{
    return (k_request){.groups = o->groups,
                       .tuned = o->tuning ? intern_cstr(&m->ir.cx->strings, o->tuning) : 0,
                       .index_bits = o->index_bits,
                       .in_place = o->in_place ? intern_cstr(&m->ir.cx->strings, o->in_place) : 0,
                       .fast_math = o->fast_math != 0,
                       .lines = lines_of(m, o)};
}

const char *target_checks_name(k_checks which)
{
    static const char *const names[] = {
        [CHECKS_DEFAULT] = "default", [CHECKS_NONE] = "none", [CHECKS_ALL] = "all"};
    return (unsigned)which < sizeof names / sizeof *names ? names[which] : NULL;
}

bool target_find_checks(const char *name, k_checks *which)
{
    const char *known;
    for (int i = 0; (known = target_checks_name((k_checks)i)) != NULL; i++)
        if (strcmp(name, known) == 0) {
            *which = (k_checks)i;
            return true;
        }
    return false;
}

static bool set_checks(fcl_context *cx, const char *which, k_target *t)
{
    if (target_find_checks(which ? which : "default", &t->request.checks))
        return true;
    if (strcmp(which, "overflow") == 0) {
        diag_error(cx, DIAG_OPTION, (location){0}, "devices do not check integers for overflow");
        diag_hint(cx, "the device interp does");
        return false;
    }
    diag_error(cx, DIAG_OPTION, (location){0}, "there are no checks called %s", which);
    diag_hint(cx, "checks are default, none, all or overflow");
    return false;
}

static bool fits_backend(fcl_context *cx, const fcl_backend *b, const k_target *t)
{
    uint32_t bits = t->request.index_bits, most = backend_facts(b).max_block;
    if (t->tuning.block_size > most) {
        diag_error(cx, DIAG_OPTION, (location){0},
                   "a block of %u threads is larger than target %s allows", t->tuning.block_size,
                   b->name);
        diag_hint(cx, "it takes at most %u", most);
        return false;
    }
    if (bits == 0 || bits == 32 || bits == 64)
        return true;
    diag_error(cx, DIAG_OPTION, (location){0}, "positions cannot have %u bits", bits);
    diag_hint(cx, "they have 32 or 64 bits; 0 leaves the choice to each launch");
    return false;
}

/* A CPU's core computes several elements side by side: a block is one thread, whose loops a back end with vectors writes so.
 * Programs whose levels somebody named keep the threads that they ask for. */
static void set_simd(const fcl_module *m, const fcl_backend *b, const fcl_compile_options *o, k_target *t)
{
    uint32_t bytes = o->simd ? o->simd : t->facts.simd;
    bool can = module_has_skeletons(m) && !t->facts.lanes && b->simd_tuning;
    if (!can || bytes < 2)
        return;
    t->facts.simd = bytes;
    t->facts.serial = true;
    tune_all(&t->tuning, b->simd_tuning);
    tune_as_asked(o, &t->tuning);
}

bool target_make(const fcl_module *m, const fcl_backend *b, const fcl_compile_options *o,
                 const run_caps *device, k_target *t)
{
    fcl_context *cx = m->ir.cx;
    *t = (k_target){.facts = facts_of(b, o, device), .request = request_of(m, o)};
    bool ok = pass_options_fit(cx, o) && set_tuning(m, b, o, t) && fits_backend(cx, b, t) && set_checks(cx, o->checks, t) &&
              set_dialect(cx, b, o->exchange, device, t) && set_quirks(cx, o->quirks, device, t);
    set_simd(m, b, o, t);
    let_own_blocks(o, device, t);
    return ok;
}

bool target_names_known(fcl_context *cx, const fcl_compile_options *o)
{
    k_target t;
    unsigned without;
    bool overflow = o->checks && strcmp(o->checks, "overflow") == 0;
    return pass_options_fit(cx, o) && (!o->target || target_backend(cx, o)) &&
           (overflow || set_checks(cx, o->checks, &t)) && set_quirks(cx, o->quirks, NULL, &t) &&
           pass_decisions(cx, o, &without) && pass_list_known(cx, o);
}

void target_limit_block(k_target *t, uint32_t most)
{
    uint32_t *own = &t->tuning.most_own, *all = &t->tuning.block_size;
    *own = most < *own ? most : *own;
    *all = most < *all ? most : *all;
}

/* ---- options of single passes ---- */

void target_override(fcl_context *cx, const fcl_compile_options *o, k_target *t)
{
    tune_all(&t->tuning, o->tuning);
    if (o->in_place)
        t->request.in_place = intern_cstr(&cx->strings, o->in_place);
}

/* Both texts, as one that lives as long as the context. */
static const char *join_tuning(fcl_context *cx, const char *first, const char *second)
{
    vec_char both = {0};
    str_id joined = 0;
    if (text_addf(&cx->mem, &both, "%s,%s", first, second))
        joined = intern_add(&cx->strings, both.at, both.len);
    vec_free(&cx->mem, &both);
    return joined ? intern_str(&cx->strings, joined) : NULL;
}

bool options_merge(fcl_context *cx, fcl_compile_options *o, const fcl_compile_options *from)
{
    const char *before = o->tuning;
#define TUNABLE(pass, name, kind, field, type, start, least, most, meaning)                        \
    if (from->field)                                                                               \
        o->field = from->field;
#include "libfcl/passes/passes.def"
#undef TUNABLE
    if (from->tuning)
        o->tuning = before ? join_tuning(cx, before, from->tuning) : from->tuning;
    return o->tuning || !from->tuning;
}

bool options_tune(fcl_context *cx, fcl_compile_options *o, const char *pass, const char *name,
                  const char *value, bool *known)
{
    const k_tunable *row;
    k_tuning scratch;
    vec_char text = {0};
    bool all = strcmp(pass, "lower") == 0, ok = false;
    *known = false;
    for (uint32_t i = 0; (row = k_tunable_at(i)) != NULL && !*known; i++)
        *known = strcmp(row->name, name) == 0 && (all || strcmp(row->pass, pass) == 0);
    if (*known && text_addf(&cx->mem, &text, "%s%s%s=%s", o->tuning ? o->tuning : "",
                            o->tuning ? "," : "", name, value))
        ok = tune(&scratch, text.at + (o->tuning ? strlen(o->tuning) + 1 : 0));
    str_id kept = ok ? intern_add(&cx->strings, text.at, text.len) : 0;
    vec_free(&cx->mem, &text);
    if (kept)
        o->tuning = intern_str(&cx->strings, kept);
    return kept != 0;
}

/* ---- local memory ---- */

static bool has_room(const k_program *p, const k_kernel *k)
{
    uint32_t limit = p->target.facts.local_bytes;
    return !limit || k_map_bytes(p, k, (k_sizes){0}) <= limit;
}

uint32_t target_smaller_block(const fcl_compile_options *o, const k_program *p)
{
    uint32_t threads = p->target.tuning.block_size, warp = p->target.facts.warp_size;
    bool room = true, asked = o->block_size || (o->tuning && strstr(o->tuning, "BlockSize="));
    for (uint32_t i = 0; room && i < p->kernels.len; i++)
        room = has_room(p, &p->kernels.at[i]);
    return room || asked || threads / 2 < warp || threads / 2 % warp ? 0 : threads / 2;
}

static bool kernel_fits(const k_program *p, const k_kernel *k)
{
    uint32_t limit = p->target.facts.local_bytes;
    uint64_t bytes = k_map_bytes(p, k, (k_sizes){0});
    if (has_room(p, k))
        return true;
    location at = k_loc_of(p, k->launch);
    diag_error(p->cx, DIAG_LOCAL_MEMORY, at,
               "kernel %s needs %llu bytes of local memory; the limit is %u",
               intern_str(&p->cx->strings, k->name), (unsigned long long)bytes, limit);
    k_map_note(p, k, (k_sizes){0});
    diag_hint(p->cx, "work on smaller chunks, or force less at block level; where the pass schedule chose, give its skeletons less: "
                     "-D BlockSize=N, or a tunable of theirs, as -D scan.elements=4 (fclc tune tries what there is)");
    return false;
}

bool target_fits_memory(const k_program *p)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < p->kernels.len; i++)
        ok = kernel_fits(p, &p->kernels.at[i]);
    return ok;
}
