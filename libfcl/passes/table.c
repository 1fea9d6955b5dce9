/* The table of passes, and what callers may read of it. */
#include "libfcl/passes/passes.h"

#include "ir/kernel/pass/pass.h"
#include "ir/passes/passes.h"
#include "libfcl/plugins/plugins.h"
#include "libfcl/target.h"

#include <string.h>

static bool run_check(fcl_module *m, const fcl_compile_options *o)
{
    (void)o;
    return fcl_module_check(m);
}

static bool run_link(fcl_module *m, const fcl_compile_options *o)
{
    (void)o;
    return pass_link(&m->ir);
}

static bool run_dce(fcl_module *m, const fcl_compile_options *o)
{
    (void)o;
    return pass_dce(&m->ir);
}

static bool run_inline(fcl_module *m, const fcl_compile_options *o)
{
    (void)o;
    return pass_inline(&m->ir, INLINE_SMALL);
}

static bool run_fold(fcl_module *m, const fcl_compile_options *o)
{
    (void)o;
    return pass_fold(&m->ir);
}

static bool run_cse(fcl_module *m, const fcl_compile_options *o)
{
    (void)o;
    return pass_cse(&m->ir);
}

static bool run_share(fcl_module *m, const fcl_compile_options *o)
{
    (void)o;
    return pass_share(&m->ir);
}

static const pass_info passes[] = {
#define PASS(text, of, is_needed, needs, makes, harms, function, meaning)                          \
    {.about = {.name = text,                                                                       \
               .summary = meaning,                                                                 \
               .kind = FCL_PASS_##of,                                                              \
               .needed = is_needed,                                                                \
               .requires = needs,                                                                  \
               .establishes = makes,                                                               \
               .breaks = harms},                                                                   \
     .run = {.of = function}},
#include "libfcl/passes/passes.def"
#undef PASS
};
enum { PASS_COUNT = sizeof passes / sizeof *passes };

const pass_info *pass_at(const fcl_context *cx, size_t i)
{
    if (i < PASS_COUNT)
        return &passes[i];
    i -= PASS_COUNT;
    return cx && i < cx->registry.passes.len ? cx->registry.passes.at[i] : NULL;
}

bool fcl_pass_get(size_t i, fcl_pass *out, size_t size)
{
    return i < PASS_COUNT && ABI_GIVE(out, size, passes[i].about);
}

bool fcl_pass_about(const fcl_context *cx, size_t i, fcl_pass *out, size_t size)
{
    const pass_info *pass = pass_at(cx, i);
    return pass && ABI_GIVE(out, size, pass->about);
}

const pass_info *pass_named(const fcl_context *cx, const char *name, size_t n, fcl_pass_kind of)
{
    const pass_info *pass;
    for (size_t i = 0; (pass = pass_at(cx, i)) != NULL; i++) {
        const fcl_pass *p = &pass->about;
        bool fits = p->kind == of || (of == FCL_PASS_CORE && p->kind == FCL_PASS_LOWERING);
        if (fits && strlen(p->name) == n && memcmp(p->name, name, n) == 0)
            return pass;
    }
    return NULL;
}

/* ---- options ---- */

typedef enum { WORD, NUMBER } tunable_type;

typedef struct tunable {
    const char *pass;
    fcl_pass_option about;
} tunable;

static const tunable tunables[] = {
#define TUNABLE(of, text, kind, field, type, start, min, max, meaning)                             \
    {of, {text, meaning, kind == NUMBER, start, min, max, NULL, NULL}},
#include "libfcl/passes/passes.def"
#undef TUNABLE
};
enum { TUNABLE_COUNT = sizeof tunables / sizeof *tunables };

/* Number k of those that the pass decides by (tuning.def). */
static bool tuning_option(const char *pass, size_t k, fcl_pass_option *out)
{
    fcl_tuning_info n;
    for (size_t t = 0; fcl_tuning_about(t, &n, sizeof n); t++)
        if (strcmp(n.pass, pass) == 0 && k-- == 0) {
            *out = (fcl_pass_option){.name = n.name,
                                     .summary = n.summary,
                                     .is_number = true,
                                     .initial = n.usual,
                                     .least = n.least,
                                     .most = n.most};
            return true;
        }
    return false;
}

static bool is_own(const pass_info *pass)
{
    return pass->plugin || pass->core;
}

bool pass_option_at(const pass_info *pass, size_t k, fcl_pass_option *out)
{
    if (is_own(pass))
        return own_option(pass, k, out);
    for (size_t t = 0; t < TUNABLE_COUNT; t++)
        if (strcmp(tunables[t].pass, pass->about.name) == 0 && k-- == 0) {
            *out = tunables[t].about;
            return true;
        }
    return tuning_option(pass->about.name, k, out);
}

bool fcl_pass_option_about(const fcl_context *cx, size_t i, size_t k, fcl_pass_option *out,
                           size_t size)
{
    fcl_pass_option x;
    const pass_info *pass = pass_at(cx, i);
    return pass && pass_option_at(pass, k, &x) && ABI_GIVE(out, size, x);
}

bool fcl_pass_option_get(size_t i, size_t k, fcl_pass_option *out, size_t size)
{
    return fcl_pass_option_about(NULL, i, k, out, size);
}

/* Sets the field of row t. */
static void store(fcl_compile_options *o, size_t t, const char *word, size_t number)
{
    size_t row = 0;
#define STORE_WORD(field, type)   o->field = word
#define STORE_NUMBER(field, type) o->field = (type)number
#define TUNABLE(of, text, kind, field, type, start, min, max, meaning)                             \
    if (row++ == t)                                                                                \
        STORE_##kind(field, type);
#include "libfcl/passes/passes.def"
#undef TUNABLE
}

/* What the field of row t has; 0 of a word. */
static uint64_t number_of(const fcl_compile_options *o, size_t t)
{
    size_t row = 0;
#define NUMBER_IN_WORD(field)   0
#define NUMBER_IN_NUMBER(field) o->field
#define TUNABLE(of, text, kind, field, type, start, min, max, meaning)                             \
    if (row++ == t)                                                                                \
        return NUMBER_IN_##kind(field);
#include "libfcl/passes/passes.def"
#undef TUNABLE
    return 0;
}

/* 0: left open. */
static bool fits(fcl_context *cx, const char *name, uint64_t x, uint64_t least, uint64_t most)
{
    if (x == 0 || (x >= least && x <= most))
        return true;
    diag_error(cx, DIAG_OPTION, (location){0}, "%s cannot be %llu", name, (unsigned long long)x);
    diag_hint(cx, "it is from %llu to %llu; 0 leaves it open", (unsigned long long)least, (unsigned long long)most);
    return false;
}

/* What a field says in place of a tuning. */
static bool tuning_fits(fcl_context *cx, const char *name, uint64_t x)
{
    fcl_tuning_info n;
    size_t i = 0;
    while (fcl_tuning_about(i, &n, sizeof n) && strcmp(n.name, name) != 0)
        i++;
    return fits(cx, name, x, n.least, n.most);
}

bool pass_options_fit(fcl_context *cx, const fcl_compile_options *o)
{
    bool ok = tuning_fits(cx, "VectorBytes", o->vector_bytes) && tuning_fits(cx, "Unroll", o->unroll);
    for (size_t t = 0; t < TUNABLE_COUNT && ok; t++) {
        const fcl_pass_option *row = &tunables[t].about;
        ok = !row->is_number || fits(cx, row->name, number_of(o, t), row->least, row->most);
    }
    return ok;
}

static bool set_option(const char *pass, fcl_compile_options *o, const char *name,
                       const char *value, bool *known)
{
    *known = false;
    for (size_t t = 0; t < TUNABLE_COUNT && !*known; t++) {
        const tunable *row = &tunables[t];
        size_t number = 0;
        *known = strcmp(row->pass, pass) == 0 && strcmp(row->about.name, name) == 0;
        bool good = *known &&
                    (row->about.is_number ? option_number(&row->about, value, &number) : *value != 0);
        if (good)
            store(o, t, value, number);
        if (*known)
            return good;
    }
    return false;
}

bool pass_option_set(fcl_context *cx, pass_step *step, const char *name, const char *value,
                     bool *known)
{
    const pass_info *pass = step->pass;
    fcl_compile_options *o = &step->options;
    if (is_own(pass))
        return own_option_set(cx, pass, &step->own, name, value, known);
    bool set = set_option(pass->about.name, o, name, value, known);
    return set || *known ? set : options_tune(cx, o, pass->about.name, name, value, known);
}

bool fcl_compile_option_set(fcl_compile_options *o, const char *name, const char *value)
{
    bool known;
    if (!o || !name || !value)
        return false;
    fcl_compile_options own = abi_compile_options(o);
    return set_option("lower", &own, name, value, &known) && abi_put_back(o, &own);
}

/* ---- properties and the pipeline ---- */

const char *fcl_pass_property(size_t i, const char **meaning)
{
    static const char *const properties[PROPERTY_COUNT][2] = {
#define PROPERTY(id, name, text) {name, text},
#include "libfcl/passes/passes.def"
#undef PROPERTY
    };
    if (i < PROPERTY_COUNT && meaning)
        *meaning = properties[i][1];
    return i < PROPERTY_COUNT ? properties[i][0] : NULL;
}

const char *fcl_pipeline_step(size_t i, const char **why)
{
    static const char *const steps[][2] = {
#define STEP(name, reason) {name, reason},
#include "libfcl/passes/pipeline.def"
#undef STEP
    };
    bool there = i < sizeof steps / sizeof *steps;
    if (there && why)
        *why = steps[i][1];
    return there ? steps[i][0] : NULL;
}

const pass_info *pipeline_kernel(size_t i)
{
    const char *name;
    for (size_t step = 0; (name = fcl_pipeline_step(step, NULL)) != NULL; step++) {
        const pass_info *pass = pass_named(NULL, name, strlen(name), FCL_PASS_KERNEL);
        if (pass && i-- == 0)
            return pass;
    }
    return NULL;
}

uint32_t pipeline_kernel_count(void)
{
    uint32_t n = 0;
    while (pipeline_kernel(n))
        n++;
    return n;
}
