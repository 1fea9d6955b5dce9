/* One run of a program: see session.h. */
#define _POSIX_C_SOURCE 200809L
#include "frontends/tools/commands/session.h"

#include "frontends/tools/text.h"

#include <signal.h>
#include <string.h>

static bool load_plugins(session *s)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->o->ngiven; i++)
        if (s->o->given[i].id == OPT_PLUGIN)
            ok = fcl_plugin_load(s->cx, s->o->given[i].value);
    return ok;
}

/* The limits of the command line are set first, so that they bound the reading of the module, too.
 */
bool session_begin(session *s, const options *o)
{
    signal(SIGPIPE, SIG_IGN); /* a pipe that nobody reads is a failed write, and reported */
    *s = (session){.o = o, .cx = fcl_context_create(NULL, NULL)};
    if (!s->cx) {
        fprintf(stderr, "%s: error[E%04u]: memory ran out\n", o->program, (unsigned)TD_NO_MEMORY);
        return false;
    }
    options_set_limits(o, s->cx);
    options_set_warnings(o, s->cx);
    report_begin(&s->rep, s->cx, options_form(o), options_color(o));
    if (load_plugins(s))
        return true;
    session_end(s, false);
    return false;
}

/* Other forms than FCL source ignore all but the language. */
module_options session_source(const session *s)
{
    return (module_options){.entry = s->o->value[OPT_ENTRY],
                            .prelude = s->o->value[OPT_PRELUDE],
                            .lang = options_lang(s->o)};
}

/* The text stays in s->in as long as the session, since diagnostics quote lines of it. */
static bool read_input(session *s, const char *path)
{
    return input_read(&s->rep, path, INPUT_MODULE_LIMIT, &s->in);
}

static bool load_module(session *s, const char *path)
{
    report_source(&s->rep, s->in.name, s->in.data, s->in.size);
    module_options how = session_source(s);
    s->module = module_load(&s->rep, &how, path, s->in.name, s->in.data, s->in.size);
    return s->module != NULL;
}

bool session_refuse_artifact(session *s)
{
    return report_error(&s->rep, TD_IS_ARTIFACT, (report_place){.file = s->in.name},
                        "`fclc run` runs it; give the module that it was made from",
                        "this is an artifact, which is compiled already");
}

bool session_load(session *s, const char *path)
{
    if (!read_input(s, path))
        return false;
    if (fcl_artifact_is(s->in.data, s->in.size))
        return session_refuse_artifact(s);
    return load_module(s, path);
}

bool session_refuse_option(session *s, option_id id)
{
    return report_error(&s->rep, TD_IS_ARTIFACT, (report_place){.file = s->in.name},
                        "leave it out, or give the module that the artifact was made from",
                        "--%s is for modules, and this is an artifact, which has its code",
                        option_name(id));
}

static bool options_suit_artifact(session *s)
{
    for (size_t i = 0; i < s->o->ngiven; i++) {
        option_id id = s->o->given[i].id;
        if (option_about(id)->users & FOR_MODULES)
            return session_refuse_option(s, id);
    }
    return true;
}

bool session_load_runnable(session *s, const char *path)
{
    if (!read_input(s, path))
        return false;
    if (!fcl_artifact_is(s->in.data, s->in.size))
        return load_module(s, path);
    if (!options_suit_artifact(s))
        return false;
    s->artifact = fcl_artifact_load(s->cx, s->in.name, s->in.data, s->in.size);
    return s->artifact != NULL;
}

/* A failure that nobody reported can only be lack of memory. */
int session_end(session *s, bool ok)
{
    report_flush(&s->rep);
    if (!ok && s->rep.errors == 0)
        report_error(&s->rep, TD_NO_MEMORY, (report_place){0}, NULL, "memory ran out");
    report_end(&s->rep);
    fcl_artifact_destroy(s->artifact);
    fcl_module_destroy(s->module);
    fcl_context_destroy(s->cx);
    input_free(&s->in);
    return ok ? EXIT_OK : EXIT_REFUSED;
}

/* ---- which kernel ---- */

/* Kernel i of the module or artifact; NULL beyond the last. */
static const char *kernel_at(const session *s, size_t i)
{
    return s->module ? fcl_kernel_name(s->module, i) : fcl_artifact_entry(s->artifact, i);
}

static void list_kernels(const session *s, string *out)
{
    for (size_t i = 0; kernel_at(s, i); i++)
        string_addf(out, "%s@%s", i ? ", " : "", kernel_at(s, i));
}

static bool has_kernel(const session *s, const char *name)
{
    for (size_t i = 0; kernel_at(s, i); i++)
        if (strcmp(kernel_at(s, i), name) == 0)
            return true;
    return false;
}

static bool no_kernel(session *s)
{
    return report_error(
        &s->rep, TD_NO_KERNEL, (report_place){.file = s->in.name},
        "in FCL source, --entry=NAME names a declaration, and says why it cannot be one",
        "the module has no kernel");
}

bool session_check_entry(session *s)
{
    const char *entry = s->o->value[OPT_ENTRY];
    if (!entry || has_kernel(s, entry))
        return true;
    if (!kernel_at(s, 0))
        return no_kernel(s);
    string names = {0};
    list_kernels(s, &names);
    report_error(&s->rep, TD_KERNEL_UNKNOWN, (report_place){.file = s->in.name}, NULL,
                 "there is no kernel @%s; there is: %s", entry, string_str(&names));
    string_free(&names);
    return false;
}

const char *session_kernel(session *s)
{
    const char *entry = s->o->value[OPT_ENTRY];
    if (!session_check_entry(s))
        return NULL;
    if (entry || has_kernel(s, "main"))
        return entry ? entry : "main";
    if (kernel_at(s, 0) && !kernel_at(s, 1))
        return kernel_at(s, 0);
    if (!kernel_at(s, 0)) {
        no_kernel(s);
        return NULL;
    }
    string names = {0};
    list_kernels(s, &names);
    report_error(&s->rep, TD_KERNEL_CHOICE, (report_place){.file = s->in.name},
                 "choose one with --entry=NAME", "the module has several kernels: %s",
                 string_str(&names));
    string_free(&names);
    return NULL;
}
