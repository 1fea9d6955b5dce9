/* fcl-opt: reads modules or kernel programs, runs passes over them, and writes them or what they
 * are compiled to.
 *
 * Everything goes through the public interface of the library (fcl.h); what is written is gathered
 * in memory first, so that a file is replaced only when all of the input was good. */
#include "frontends/tools/help/help.h"
#include "frontends/tools/report/expect.h"
#include "frontends/tools/memory.h"
#include "frontends/tools/output.h"
#include "frontends/tools/commands/passes.h"
#include "frontends/tools/section.h"
#include "frontends/tools/commands/session.h"
#include "frontends/tools/text.h"
#include "frontends/tools/commands/watch.h"
#include "frontends/tools/reduce/reduce.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is written ---- */

typedef bool emit_fn(session *s, fcl_module *m, string *out);

static bool emit_text(session *s, fcl_module *m, string *out)
{
    size_t size;
    char *printed = fcl_module_print_as(m, s->o->emit_version, &size);
    if (!printed)
        return false;
    string_add(out, printed, size);
    fcl_free(s->cx, printed, size);
    return true;
}

static bool emit_binary(session *s, fcl_module *m, string *out)
{
    size_t size;
    char *bytes = fcl_module_write(m, s->o->emit_version, &size);
    if (!bytes)
        return false;
    string_add(out, bytes, size);
    fcl_free(s->cx, bytes, size);
    return true;
}

/* In hexadecimal. */
static bool emit_hash(session *s, fcl_module *m, string *out)
{
    unsigned char digest[32];
    (void)s;
    if (!fcl_module_hash(m, digest))
        return false;
    for (size_t i = 0; i < sizeof digest; i++)
        string_addf(out, "%02x", digest[i]);
    string_addf(out, "\n");
    return true;
}

/* ---- kernel programs: those that --passes has made, else the whole way to code ---- */

typedef const char *artifact_text(fcl_artifact *a, size_t *size);

static bool emit_compiled(session *s, fcl_module *m, artifact_text *part, string *out)
{
    fcl_kernels *k = s->kernels;
    s->kernels = NULL;
    fcl_artifact *a = k ? fcl_kernels_emit(k, &s->compile) : fcl_compile(m, &s->compile);
    if (!a)
        return false;
    size_t size;
    const char *text = part(a, &size);
    string_add(out, text, size);
    fcl_artifact_destroy(a);
    return true;
}

static bool emit_kernel(session *s, fcl_module *m, string *out)
{
    size_t size;
    if (!s->kernels)
        return emit_compiled(s, m, fcl_artifact_kernel_ir, out);
    char *printed = fcl_kernels_print(s->kernels, &size);
    if (!printed)
        return false;
    string_add(out, printed, size);
    fcl_free(s->cx, printed, size);
    return true;
}

static bool emit_plan(session *s, fcl_module *m, string *out)
{
    return emit_compiled(s, m, fcl_artifact_plan, out);
}

static bool emit_code(session *s, fcl_module *m, string *out)
{
    return emit_compiled(s, m, fcl_artifact_code, out);
}

static const struct form {
    const char *name;
    emit_fn *emit;
    bool of_module; /* kernel programs have no such form */
} forms[] = {{"text", emit_text, true},  {"binary", emit_binary, true},
             {"hash", emit_hash, true},  {"kernel", emit_kernel, false},
             {"plan", emit_plan, false}, {"opencl", emit_code, false},
             {"code", emit_code, false}};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

/* What is written when --emit does not say: binary where the file is called so. */
static const char *form_by_name(const char *path)
{
    size_t n = path ? strlen(path) : 0;
    return n > 5 && strcmp(path + n - 5, ".fclb") == 0 ? "binary" : "text";
}

/* The form of --emit, or what fits the program; NULL for an unknown one. */
static const struct form *form_of(const options *o, bool is_kernel)
{
    const char *name = o->value[OPT_EMIT] ? o->value[OPT_EMIT]
                       : is_kernel        ? "kernel"
                                          : form_by_name(o->value[OPT_OUTPUT]);
    for (size_t i = 0; i < FORM_COUNT; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

/* ---- one part of the input ---- */

/* Reads the input as what --from says it is. */
static bool load(session *s, const char *path, const char *data, size_t size)
{
    module_options how = session_source(s);
    if (options_from_kernel(s->o))
        s->kernels = fcl_kernels_load(s->cx, s->in.name, data, size);
    else
        s->module = module_load(&s->rep, &how, path, s->in.name, data, size);
    return s->module || s->kernels;
}

static bool run_passes(session *s)
{
    const char *list = s->o->value[OPT_PASSES];
    return !list || fcl_passes_run(s->module, &s->kernels, list, &s->compile);
}

static bool emit(session *s, string *out)
{
    const struct form *form = form_of(s->o, s->kernels != NULL);
    if (!s->kernels || !form->of_module)
        return form->emit(s, s->module, out);
    return report_error(&s->rep, TD_EMIT_FORM, (report_place){.file = s->in.name},
                        "--emit=kernel, plan and opencl are forms of kernel programs",
                        "this is a kernel program, which cannot be written as %s", form->name);
}

static bool transform(session *s, string *out)
{
    if (s->module && !session_check_entry(s))
        return false;
    if (s->o->value[OPT_REDUCE])
        return reduce(s, out);
    watch w;
    watch_begin(&w, s);
    s->compile = s->o->compile;
    s->compile.observer = watch_needed(&w) ? &w.observer : NULL;
    bool ok = run_passes(s) && emit(s, out);
    watch_end(&w);
    return ok;
}

static void unload(session *s)
{
    report_flush(&s->rep);
    fcl_kernels_destroy(s->kernels);
    fcl_module_destroy(s->module);
    s->kernels = NULL;
    s->module = NULL;
}

/* Loads, then transforms or verifies. */
static bool process(session *s, const char *path, const char *data, size_t size, string *out)
{
    bool ok = load(s, path, data, size);
    if (!s->o->value[OPT_VERIFY_DIAGNOSTICS]) {
        ok = ok && transform(s, out);
    } else {
        if (s->module)
            fcl_module_check_kernels(s->module);
        ok = expect_verify(&s->rep, s->in.name, data, size);
    }
    unload(s);
    return ok;
}

/* The parts of the input, one after the other; what they give is separated like them.  A part with
 * errors does not keep the next from being read. */
static bool process_sections(session *s, const char *path, string *out)
{
    size_t offset = 0, line = 0;
    bool ok = true;
    section part;
    while (section_next(s->in.data, s->in.size, &offset, &line, &part)) {
        size_t size;
        char *padded = section_padded(&part, &size);
        if (part.line)
            string_addf(out, "%s", section_separator);
        ok = process(s, path, padded, size, out) && ok;
        free(padded);
    }
    return ok;
}

/* ---- the program ---- */

/* All but the command line: input, passes, output. */
static bool optimise(session *s)
{
    const options *o = s->o;
    const char *path = o->nargs ? o->args[0] : "-", *to = o->value[OPT_OUTPUT];
    if (!input_read(&s->rep, path, INPUT_MODULE_LIMIT, &s->in))
        return false;
    report_source(&s->rep, s->in.name, s->in.data, s->in.size);
    string out = {0};
    bool ok = o->value[OPT_SPLIT_INPUT_FILE] ? process_sections(s, path, &out)
                                             : process(s, path, s->in.data, s->in.size, &out);
    if (ok && !o->value[OPT_VERIFY_DIAGNOSTICS])
        ok = output_write(&s->rep, to ? to : "-", string_str(&out), out.len);
    string_free(&out);
    return ok;
}

static const program_about about = {
    .name = "fcl-opt",
    .usage = "[OPTION...] [IN]",
    .summary = "read a module (- or nothing: standard input), run passes over it, write it",
    .users = USE_OPT,
    .notes = "IN is a module in the text or binary form, FCL source, or with --from=kernel a "
             "kernel program.\n"
             "Exit status: 0 success, 1 refused or failed with diagnostics, 2 wrong usage.\n"};

/* The version of the library is that of the programs. */
static int version(void)
{
    printf("fcl-opt %s\n", fcl_version());
    return fflush(stdout) == 0 ? EXIT_OK : EXIT_REFUSED;
}

static int run(const options *o)
{
    if (o->value[OPT_VERSION])
        return version();
    if (o->value[OPT_HELP])
        return help_print(o, &about, NULL);
    if (!options_fit(o, USE_OPT, o->program))
        return EXIT_USAGE;
    if (o->nargs > 1)
        return usage_error(o, "there is one input, not %zu", o->nargs);
    if (!form_of(o, false))
        return usage_error(
            o, "--emit takes text, binary, hash, kernel, plan, opencl or code, not '%s'",
            o->value[OPT_EMIT]);
    if (watch_check(o) != EXIT_OK)
        return EXIT_USAGE;
    session s;
    if (!session_begin(&s, o))
        return EXIT_REFUSED;
    return session_end(&s, o->value[OPT_LIST_PASSES] ? passes_list(&s) : optimise(&s));
}

int main(int argc, char **argv)
{
    options o;
    keep_memory();
    int status = options_parse(&o, "fcl-opt", argc, argv);
    if (status == EXIT_OK)
        status = run(&o);
    options_free(&o);
    return status;
}
