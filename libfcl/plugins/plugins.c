/* Registering targets and passes, and loading shared objects that do so.
 *
 * What is registered is copied into the context as a whole structure, with 0 for what its author
 * did not know. */
#include "libfcl/plugins/plugins.h"

#include "backends/backend.h"
#include "libfcl/target.h"

#include <dlfcn.h>
#include <string.h>

static bool refuse(fcl_context *cx, const char *what, const char *name, const char *why)
{
    return diag_error(cx, DIAG_PLUGIN, (location){0}, "%s %.64s %s", what,
                      name && *name ? name : "without a name", why);
}

/* A copy that lives as long as the context. */
static void *keep(fcl_context *cx, const void *given, size_t size)
{
    void *own = arena_alloc(&cx->registry.room, size);
    if (own)
        memcpy(own, given, size);
    return own;
}
#define KEEP(cx, ...) keep(cx, &(__VA_ARGS__), sizeof(__VA_ARGS__))

bool plugin_is_word(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return name && *name && strspn(name, letters) == strlen(name);
}

/* ---- targets ---- */

/* Names for users, and warps that exchanges by halves go through. */
static bool good_dialects(const fcl_backend *b)
{
    bool ok = true;
    for (size_t i = 0; ok && i < b->ndialects; i++) {
        const fcl_dialect *d = &b->dialects[i];
        ok = plugin_is_word(d->name) && d->options && !(d->lanes & (d->lanes - 1));
        for (size_t k = 0; ok && k < i; k++)
            ok = strcmp(d->name, b->dialects[k].name) != 0;
    }
    return ok;
}

static const char *backend_fault(fcl_context *cx, const fcl_backend *b)
{
    if (!plugin_is_word(b->name))
        return "is not called by a word of letters, digits and _ . -";
    if (backend_named(cx, b->name))
        return "is there already";
    if (!b->summary || !b->facts || !b->dialects || !b->ndialects)
        return "lacks a summary, facts or a dialect";
    if (!backend_facts(b).max_block)
        return "has groups of no threads";
    if (!good_dialects(b))
        return "has a dialect without a name of its own or options, or with lanes that are no power of 2";
    if (!target_tuning_is_good(b->tuning))
        return "has tuning that is none: NAME=N,NAME=N as fclc --help lists them";
    return !b->language == !b->emit ? "needs a language or a function that emits, and not both"
                                    : NULL;
}

bool fcl_backend_register(fcl_context *cx, const fcl_backend *b)
{
    if (!cx)
        return false;
    if (!GIVEN(cx, b))
        return false;
    uint32_t before = cx->diags.errors;
    fcl_backend given = abi_backend(b), *own = KEEP(cx, given);
    const char *fault = own ? backend_fault(cx, own) : NULL;
    if (fault)
        refuse(cx, "the target", own->name, fault);
    bool ok = own && !fault && vec_push(&cx->mem, &cx->registry.backends, own);
    return face_ok(cx, before) && ok;
}

/* ---- passes ---- */

static const char *any_pass_fault(const fcl_context *cx, const char *name, bool whole)
{
    if (!plugin_is_word(name))
        return "is not called by a word of letters, digits and _ . -";
    for (fcl_pass_kind k = FCL_PASS_CORE; k <= FCL_PASS_EMISSION; k++)
        if (pass_named(cx, name, strlen(name), k))
            return "is there already";
    return whole ? NULL : "lacks a summary or a function";
}

static const char *pass_fault(const fcl_context *cx, const fcl_kernel_pass *p)
{
    const char *fault = any_pass_fault(cx, p->name, p->summary && p->run);
    if (fault)
        return fault;
    if (!p->after)
        return NULL;
    const pass_info *after = pass_named(cx, p->after, strlen(p->after), FCL_PASS_KERNEL);
    return !after || after->plugin ? "is to follow what is no kernel pass of the library" : NULL;
}

/* What it changes is checked behind it, so it breaks nothing. */
static pass_info info_of_core(const fcl_core_pass *p)
{
    return (pass_info){.about = {.name = p->name,
                                 .summary = p->summary,
                                 .kind = FCL_PASS_CORE,
                                 .establishes = p->checked ? IS_CHECKED : 0u},
                       .core = p,
                       .options = p->options,
                       .noptions = p->noptions,
                       .option_size = p->option_size};
}

/* Unless something is wrong with it. */
static bool add_pass(fcl_context *cx, pass_info info, const char *fault)
{
    fault = fault ? fault : own_options_fault(&info);
    if (fault)
        return refuse(cx, "the pass", info.about.name, fault);
    pass_info *own = KEEP(cx, info);
    return own && vec_push(&cx->mem, &cx->registry.passes, own);
}

bool fcl_core_pass_register(fcl_context *cx, const fcl_core_pass *pass)
{
    if (!cx)
        return false;
    if (!GIVEN(cx, pass))
        return false;
    uint32_t before = cx->diags.errors;
    fcl_core_pass given = abi_core_pass(pass), *own = KEEP(cx, given);
    const char *fault = any_pass_fault(cx, given.name, given.summary && given.run);
    bool ok = own && add_pass(cx, info_of_core(own), fault);
    return face_ok(cx, before) && ok;
}

static pass_info info_of(const fcl_kernel_pass *p)
{
    return (pass_info){.about = {.name = p->name,
                                 .summary = p->summary,
                                 .kind = FCL_PASS_KERNEL,
                                 .requires = IS_VIRTUALISED,
                                 .breaks = IS_OUTLINED | IS_LEGALISED},
                       .plugin = p,
                       .options = p->options,
                       .noptions = p->noptions,
                       .option_size = p->option_size};
}

bool fcl_kernel_pass_register(fcl_context *cx, const fcl_kernel_pass *pass)
{
    if (!cx)
        return false;
    if (!GIVEN(cx, pass))
        return false;
    uint32_t before = cx->diags.errors;
    fcl_kernel_pass given = abi_kernel_pass(pass), *own = KEEP(cx, given);
    bool ok = own && add_pass(cx, info_of(own), pass_fault(cx, own));
    return face_ok(cx, before) && ok;
}

/* ---- shared objects ---- */

/* dlerror says what the system did not like, in its own words. */
static bool load_failed(fcl_context *cx, const char *file)
{
    const char *why = dlerror();
    diag_error(cx, DIAG_PLUGIN, (location){0}, "the plug-in %s cannot be loaded: %s", file,
               why ? why : "the system does not say why");
    if (!strchr(file, '/'))
        diag_hint(cx,
                  "the system looks for a name without / where its libraries are: ./%s is the "
                  "file here",
                  file);
    return false;
}

static const fcl_plugin_info *table_of(fcl_context *cx, void *object, const char *file)
{
    const fcl_plugin_info *info = dlsym(object, "fcl_plugin");
    if (!info) {
        diag_error(cx, DIAG_PLUGIN, (location){0}, "%s is no plug-in: it has no fcl_plugin", file);
        diag_hint(cx, "FCL_PLUGIN(\"name\", load) of fcl_backend.h defines it");
    } else if (info->version != FCL_PLUGIN_VERSION) {
        diag_error(cx, DIAG_PLUGIN, (location){0},
                   "the plug-in %s is for version %u of fcl_backend.h; this library has %d", file,
                   info->version, FCL_PLUGIN_VERSION);
        diag_hint(cx, "build it anew with the header of this library");
    } else if (info->size < sizeof *info || !info->load) {
        diag_error(cx, DIAG_PLUGIN, (location){0}, "the plug-in %s has no function that loads it",
                   file);
    } else {
        return info;
    }
    return NULL;
}

static bool run_load(fcl_context *cx, const fcl_plugin_info *info, const char *file)
{
    uint32_t before = cx->diags.errors;
    bool ok = info->load(cx);
    if (!ok && cx->diags.errors == before)
        diag_error(cx, DIAG_PLUGIN, (location){0},
                   "the plug-in %s says that it cannot be used, and not why", file);
    return ok;
}

/* An object that fails stays open, since it may have registered something before. */
bool fcl_plugin_load(fcl_context *cx, const char *file)
{
    if (!cx)
        return false;
    if (!GIVEN(cx, file))
        return false;
    uint32_t before = cx->diags.errors;
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        return load_failed(cx, file) && face_ok(cx, before);
    bool ok = vec_push(&cx->mem, &cx->registry.plugins, object);
    if (!ok)
        dlclose(object);
    const fcl_plugin_info *info = ok ? table_of(cx, object, file) : NULL;
    ok = info && run_load(cx, info, file);
    return face_ok(cx, before) && ok;
}

void plugins_close(fcl_context *cx)
{
    for (uint32_t i = cx->registry.plugins.len; i > 0; i--)
        dlclose(cx->registry.plugins.at[i - 1]);
}
